//! ProbeBW: the cycle of pacing gains.

use sojourn_base::Time;

use super::{Bbr, CYCLE, Mode};
use crate::cc::AckSample;

impl Bbr {
    pub(super) fn enter_probe_bandwidth(&mut self, now: Time) {
        self.mode = Mode::ProbeBandwidth;
        // Any phase but the second.
        let drawn = self.random.below(7) as usize;
        self.phase = if drawn == 0 { 0 } else { drawn + 1 };
        self.phase_at = now;
    }

    pub(super) fn advance_cycle(&mut self, ack: &AckSample) {
        let long = ack.now.since(self.phase_at) > self.min_rtt;
        let before = || self.in_network(ack, ack.prior_in_flight);
        let next = match self.pacing_gain() {
            gain if gain > 1.0 => long && (ack.lost > 0 || before() >= self.goal(gain)),
            gain if gain < 1.0 => long || before() <= self.goal(1.0),
            _ => long,
        };
        if next {
            self.phase = (self.phase + 1) % CYCLE.len();
            self.phase_at = ack.now;
        }
    }
}
