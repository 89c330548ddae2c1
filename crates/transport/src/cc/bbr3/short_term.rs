//! The response to losses outside probes: short-term bounds (draft-ietf-ccwg-bbr-06, 5.5.10.3).

use super::Bbr3;
use crate::cc::AckSample;

/// Bounds that last until the next probe, and the measurements from which they follow.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Bound of the rate, bytes per second.
    pub(super) bandwidth: f64,
    /// Bound of the window, bytes.
    pub(super) inflight: f64,
    /// The largest rate of the round trip.
    bandwidth_latest: f64,
    /// The most delivered in a round trip.
    pub(super) inflight_latest: f64,
    is_loss_in_round: bool,
    /// The round trip of losses ends when something arrives that was sent after this much was
    /// delivered.
    round_delivered: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            bandwidth: f64::INFINITY,
            inflight: f64::INFINITY,
            bandwidth_latest: 0.0,
            inflight_latest: 0.0,
            is_loss_in_round: false,
            round_delivered: 0,
        }
    }
}

impl Bbr3 {
    /// Takes the sample; returns whether a round trip of losses has ended.
    pub(super) fn note_delivery(&mut self, ack: &AckSample) -> bool {
        let Some(rate) = ack.rate else {
            return false;
        };
        let bounds = &mut self.short_term;
        bounds.bandwidth_latest = bounds.bandwidth_latest.max(rate.rate);
        bounds.inflight_latest = bounds.inflight_latest.max(rate.delivered as f64);
        let ended = rate.prior_delivered >= bounds.round_delivered;
        if ended {
            bounds.round_delivered = self.delivered;
        }
        ended
    }

    /// At the end of a round trip of losses: the latest values count from this sample on.
    pub(super) fn forget_delivery(&mut self, ack: &AckSample) {
        if let Some(rate) = ack.rate {
            self.short_term.bandwidth_latest = rate.rate;
            self.short_term.inflight_latest = rate.delivered as f64;
        }
    }

    pub(super) fn note_loss(&mut self) {
        if !self.short_term.is_loss_in_round {
            self.short_term.round_delivered = self.delivered;
            self.save_cwnd();
        }
        self.short_term.is_loss_in_round = true;
    }

    /// Adapts the bounds, once a round trip.
    pub(super) fn adapt_short_term(&mut self) {
        let lost = core::mem::take(&mut self.short_term.is_loss_in_round);
        if !lost || self.mode.is_probing() {
            return;
        }
        let (beta, most, cwnd) = (self.params.beta.0, self.max_bandwidth.get(), self.cwnd);
        let bounds = &mut self.short_term;
        if bounds.bandwidth == f64::INFINITY {
            bounds.bandwidth = most;
        }
        if bounds.inflight == f64::INFINITY {
            bounds.inflight = cwnd;
        }
        bounds.bandwidth = bounds.bandwidth_latest.max(beta * bounds.bandwidth);
        bounds.inflight = bounds.inflight_latest.max(beta * bounds.inflight);
    }

    /// Removes the bounds: a probe begins, or ProbeRTT ends.
    pub(super) fn lift_short_term(&mut self) {
        self.short_term.bandwidth = f64::INFINITY;
        self.short_term.inflight = f64::INFINITY;
    }

    pub(super) fn reset_congestion_signals(&mut self) {
        self.short_term.is_loss_in_round = false;
        self.short_term.bandwidth_latest = 0.0;
        self.short_term.inflight_latest = 0.0;
    }
}
