//! The cycle of ProbeBW: DOWN, CRUISE, REFILL, UP (draft-ietf-ccwg-bbr-06, 5.3.3).

use sojourn_base::{Span, Time};

use super::{Bbr3, Mode};
use crate::cc::AckSample;

/// The largest number of round trips between probes: flows of Reno and CUBIC with that many
/// segments can keep up.
const MOST_ROUNDS: f64 = 63.0;
const LEAST_WAIT_S: f64 = 2.0;

impl Bbr3 {
    pub(super) fn start_down(&mut self, now: Time) {
        self.reset_congestion_signals();
        self.rounds_since_probe = self.random.below(2);
        self.probe_wait = Span::from_s(LEAST_WAIT_S + self.random.uniform());
        self.cycle_start = now;
        self.probe.is_stopping = true;
        self.start_round();
        self.mode = Mode::Down;
    }

    pub(super) fn start_refill(&mut self) {
        self.lift_short_term();
        self.restart_growth();
        self.probe.is_precautionary = false;
        self.probe.is_stopping = false;
        self.start_round();
        self.mode = Mode::Refill;
    }

    fn start_up(&mut self, ack: &AckSample) {
        self.probe.is_sample = true;
        self.start_round();
        self.search_full_pipe(ack.rate.map_or(0.0, |rate| rate.rate));
        self.mode = Mode::Up;
        self.double_growth();
    }

    pub(super) fn update_cycle(&mut self, ack: &AckSample) {
        if !self.full.reached || self.adapt_long_term(ack) {
            return;
        }
        match self.mode {
            Mode::Down | Mode::Cruise if self.is_time_to_probe(ack.now) => self.start_refill(),
            Mode::Down if self.is_time_to_cruise(ack) => self.mode = Mode::Cruise,
            Mode::Refill if self.round_start => self.start_up(ack),
            Mode::Up => self.end_probe(ack),
            _ => {}
        }
    }

    fn is_time_to_probe(&self, now: Time) -> bool {
        let rounds = (self.target_inflight() / self.mss).min(MOST_ROUNDS);
        now > self.cycle_start + self.probe_wait || self.rounds_since_probe as f64 >= rounds
    }

    fn is_time_to_cruise(&self, ack: &AckSample) -> bool {
        let in_flight = ack.in_flight as f64;
        in_flight <= self.inflight_with_headroom()
            && in_flight <= self.inflight(self.max_bandwidth.get())
    }

    /// Ends the probe if the path is full, or if the bound is reached after a probe that went too
    /// high.
    fn end_probe(&mut self, ack: &AckSample) {
        if self.probe.was_too_high && ack.in_flight as f64 >= self.inflight_longterm {
            self.probe.is_precautionary = true;
        } else if ack.cwnd_limited && self.cwnd >= self.inflight_longterm {
            // The bound, not the path, is what keeps the rate down.
            self.search_full_pipe(ack.rate.map_or(0.0, |rate| rate.rate));
            return;
        } else if !self.full.now {
            return;
        }
        self.probe.was_too_high = false;
        self.start_down(ack.now);
    }
}
