//! The long-term bound: the amount in flight that a probe has found to be safe
//! (draft-ietf-ccwg-bbr-06, 5.3.3.9 and 5.5.10.2).

use sojourn_base::Time;

use super::{Bbr3, Mode};
use crate::cc::AckSample;
use crate::rate::Loss;

const MOST_UP_ROUNDS: u32 = 30;

/// A probe for bandwidth and its results.
#[derive(Debug, Clone, Copy, Default)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct Probe {
    /// The data now being acknowledged was sent by a probe that has not yet been found too high.
    pub(super) is_sample: bool,
    /// The probe is over, but not everything that it sent has been acknowledged. This is the only
    /// part of the draft's `ack_phase` that matters.
    pub(super) is_stopping: bool,
    /// The last probe lost too much.
    pub(super) was_too_high: bool,
    /// The present probe ended as soon as it reached the bound.
    pub(super) is_precautionary: bool,
    /// Bytes acknowledged since the bound last rose, and how many of them raise it by a segment.
    acked: f64,
    acked_per_segment: f64,
    rounds: u32,
}

impl Bbr3 {
    pub(super) fn is_too_high(&self, lost: u64, tx_in_flight: u64) -> bool {
        lost as f64 > self.params.loss_threshold.0 * tx_in_flight as f64 || (lost > 0 && !self.sack)
    }

    /// Checks with each loss of a probe whether there was too much loss.
    pub(super) fn check_probe_loss(&mut self, now: Time, loss: &Loss) {
        if !self.probe.is_sample || !self.is_too_high(loss.lost, loss.tx_in_flight) {
            return;
        }
        self.probe.was_too_high = true;
        self.probe.is_sample = false;
        if !loss.app_limited {
            let least = self.params.beta.0 * self.target_inflight();
            self.inflight_longterm = self.inflight_at_loss(loss).max(least);
        }
        if self.mode == Mode::Up {
            self.start_down(now);
        }
    }

    /// The amount in flight when the losses crossed the threshold, which may be inside the lost
    /// segment.
    fn inflight_at_loss(&self, loss: &Loss) -> f64 {
        let threshold = self.params.loss_threshold.0;
        let inflight_before = loss.tx_in_flight.saturating_sub(loss.bytes) as f64;
        let lost_before = (loss.lost - loss.bytes) as f64;
        let prefix = (threshold * inflight_before - lost_before) / (1.0 - threshold);
        inflight_before + prefix.max(0.0)
    }

    pub(super) fn restart_growth(&mut self) {
        self.probe.rounds = 0;
        self.probe.acked = 0.0;
    }

    /// Lets the bound rise by 1, 2, 4 ... segments a round trip.
    pub(super) fn double_growth(&mut self) {
        let segments = f64::from(1_u32 << self.probe.rounds);
        self.probe.rounds = (self.probe.rounds + 1).min(MOST_UP_ROUNDS);
        self.probe.acked_per_segment = (self.cwnd / segments).max(self.mss);
    }

    fn grow(&mut self, ack: &AckSample) {
        if !ack.cwnd_limited || self.cwnd < self.inflight_longterm {
            return;
        }
        self.probe.acked += ack.acked as f64;
        let segments = libm::floor(self.probe.acked / self.probe.acked_per_segment);
        self.probe.acked -= segments * self.probe.acked_per_segment;
        self.inflight_longterm += segments * self.mss;
        if self.round_start {
            self.double_growth();
        }
    }

    /// Updates the cycle and the bound; returns whether a new probe has begun.
    pub(super) fn adapt_long_term(&mut self, ack: &AckSample) -> bool {
        let Some(rate) = ack.rate else {
            return false;
        };
        if self.probe.is_stopping && self.round_start {
            self.probe.is_sample = false;
            self.probe.is_stopping = false;
            if self.mode.is_probe_bandwidth() {
                if !rate.app_limited {
                    self.cycle += 1;
                }
                if self.probe.is_precautionary && !self.probe.was_too_high {
                    self.start_refill();
                    return true;
                }
            }
        }
        let unbounded = self.inflight_longterm == f64::INFINITY;
        if !unbounded && !self.is_too_high(rate.lost, rate.tx_in_flight) {
            self.inflight_longterm = self.inflight_longterm.max(rate.tx_in_flight as f64);
            if self.mode == Mode::Up {
                self.grow(ack);
            }
        }
        false
    }
}
