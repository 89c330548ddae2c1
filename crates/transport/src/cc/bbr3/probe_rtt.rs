//! The least RTT, and ProbeRTT that looks for it (draft-ietf-ccwg-bbr-06, 5.3.4).

use sojourn_base::{Span, Time};

use super::{Bbr3, Mode, PROBE_RTT_CWND_GAIN};
use crate::cc::AckSample;

/// When to look for the least RTT, and the state of that search.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct ProbeRtt {
    /// The least RTT since the last search.
    least: Option<Span>,
    least_at: Time,
    is_expired: bool,
    /// The search lasts at least until then; none while too much is in flight.
    done: Option<Time>,
    is_round_done: bool,
}

impl Bbr3 {
    pub(super) fn probe_rtt_cwnd(&self) -> f64 {
        self.product(self.bandwidth, PROBE_RTT_CWND_GAIN)
            .max(self.least_window())
    }

    pub(super) fn update_min_rtt(&mut self, ack: &AckSample) {
        let now = ack.now;
        let probe = &mut self.probe_rtt;
        probe.is_expired =
            probe.least.is_some() && now > probe.least_at + self.params.probe_rtt_interval;
        // The newest segment's, which waited least for its acknowledgement (5.5.7.1).
        if let Some(rtt) = ack.rate.and_then(|rate| rate.rtt).or(ack.rtt) {
            self.take_rtt(now, rtt);
        }
        self.renew_min_rtt(now);
    }

    /// The RTT of a segment, or of the handshake.
    pub(super) fn take_rtt(&mut self, now: Time, rtt: Span) {
        if self.min_rtt.is_none() {
            self.pace_by_window(rtt);
        }
        let probe = &mut self.probe_rtt;
        if probe.is_expired || probe.least.is_none_or(|least| rtt < least) {
            probe.least = Some(rtt);
            probe.least_at = now;
        }
    }

    pub(super) fn renew_min_rtt(&mut self, now: Time) {
        let expired = now > self.min_rtt_at + self.params.min_rtt_window;
        if let Some(least) = self.probe_rtt.least
            && (expired || self.min_rtt.is_none_or(|rtt| least < rtt))
        {
            self.min_rtt = Some(least);
            self.min_rtt_at = self.probe_rtt.least_at;
        }
    }

    pub(super) fn check_probe_rtt(&mut self, ack: &AckSample) {
        if self.mode != Mode::ProbeRtt && self.probe_rtt.is_expired && !self.idle_restart {
            self.save_cwnd();
            self.mode = Mode::ProbeRtt;
            self.probe_rtt.done = None;
            self.probe.is_stopping = true;
            self.start_round();
        }
        if self.mode == Mode::ProbeRtt {
            self.hold_down(ack);
        }
        self.idle_restart = false;
    }

    fn hold_down(&mut self, ack: &AckSample) {
        if self.probe_rtt.done.is_some() {
            self.probe_rtt.is_round_done |= self.round_start;
            if self.probe_rtt.is_round_done {
                self.check_probe_rtt_done(ack.now);
            }
        } else if ack.in_flight as f64 <= self.probe_rtt_cwnd() {
            self.probe_rtt.done = Some(ack.now + self.params.probe_rtt_time);
            self.probe_rtt.is_round_done = false;
            self.start_round();
        }
    }

    pub(super) fn check_probe_rtt_done(&mut self, now: Time) {
        if self.probe_rtt.done.is_none_or(|done| now <= done) {
            return;
        }
        self.probe_rtt.least_at = now;
        self.restore_cwnd();
        self.lift_short_term();
        if self.full.reached {
            self.start_down(now);
            self.mode = Mode::Cruise;
        } else {
            self.mode = Mode::Startup;
        }
    }
}
