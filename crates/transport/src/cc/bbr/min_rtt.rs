//! The least RTT, and ProbeRTT that looks for it.

use sojourn_base::{Preset, Span, Time};

use super::{Bbr, LEAST_WINDOW, Mode};
use crate::cc::AckSample;

impl Bbr {
    pub(super) fn update_min_rtt(&mut self, ack: &AckSample, round_started: bool) {
        let now = ack.now;
        let measured_at = *self.min_rtt_at.get_or_insert(now);
        let expired = now.since(measured_at) > self.min_rtt_window;
        if let Some(rtt) = ack.rtt
            && (self.min_rtt == Span::ZERO
                || rtt < self.min_rtt
                || (self.preset != Preset::Linux && rtt == self.min_rtt)
                || expired)
        {
            self.min_rtt = rtt;
            self.min_rtt_at = Some(now);
        }
        if expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.save_cwnd();
            self.mode = Mode::ProbeRtt;
            self.probe_rtt_done = None;
        }
        self.was_in_probe_rtt = self.mode == Mode::ProbeRtt;
        if self.was_in_probe_rtt {
            match self.probe_rtt_done {
                None => {
                    if ack.in_flight as f64 <= LEAST_WINDOW * self.mss {
                        self.probe_rtt_done = Some(now + self.probe_rtt_time);
                        self.probe_rtt_round = self.round;
                        self.next_round_delivered = ack.delivered;
                    }
                }
                Some(_) => {
                    if round_started || self.round > self.probe_rtt_round {
                        self.end_probe_rtt(now);
                    }
                }
            }
        }
        self.idle_restart = false;
    }

    /// Ends ProbeRTT, if it was long enough.
    pub(super) fn end_probe_rtt(&mut self, now: Time) {
        if self.probe_rtt_done.is_none_or(|done| now < done) {
            return;
        }
        self.min_rtt_at = Some(now);
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        if self.is_full {
            self.enter_probe_bandwidth(now);
        } else {
            self.mode = Mode::Startup;
        }
    }
}
