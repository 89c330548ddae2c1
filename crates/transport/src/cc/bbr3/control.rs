//! Pacing rate and window (draft-ietf-ccwg-bbr-06, 5.6).

use sojourn_base::Span;

use super::{
    Bbr3, CWND_GAIN, LEAST_WINDOW, Mode, PROBE_RTT_CWND_GAIN, STARTUP_GAIN, UP_CWND_GAIN, UP_GAIN,
};
use crate::cc::AckSample;

impl Bbr3 {
    pub(super) fn pacing_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup => STARTUP_GAIN,
            Mode::Drain => self.params.drain_gain.0,
            Mode::Down => self.params.down_gain.0,
            Mode::Cruise | Mode::Refill | Mode::ProbeRtt => 1.0,
            Mode::Up => UP_GAIN,
        }
    }

    pub(super) fn cwnd_gain(&self) -> f64 {
        match self.mode {
            Mode::Up => UP_CWND_GAIN,
            Mode::ProbeRtt => PROBE_RTT_CWND_GAIN,
            _ => CWND_GAIN,
        }
    }

    /// Sets the pacing rate before any rate is known: the initial window per round trip.
    pub(super) fn pace_by_window(&mut self, rtt: Span) {
        self.pacing_rate = STARTUP_GAIN * self.initial / rtt.as_s();
    }

    /// Sets the pacing rate; until the pipe has been full once it only rises.
    pub(super) fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.bandwidth * (1.0 - self.params.pacing_margin.0);
        if self.full.reached || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    pub(super) fn least_window(&self) -> f64 {
        LEAST_WINDOW * self.mss
    }

    /// `gain` times `bandwidth` times the least RTT, bytes.
    pub(super) fn product(&self, bandwidth: f64, gain: f64) -> f64 {
        self.min_rtt
            .map_or(self.initial, |rtt| gain * bandwidth * rtt.as_s())
    }

    fn quantize(&self, inflight: f64) -> f64 {
        let inflight = inflight.max(self.least_window());
        if self.mode == Mode::Up {
            inflight + 2.0 * self.mss
        } else {
            inflight
        }
    }

    /// How much fills the path at `bandwidth` and leaves no queue.
    pub(super) fn inflight(&self, bandwidth: f64) -> f64 {
        self.quantize(self.product(bandwidth, 1.0))
    }

    /// That product, unless congestion has reduced the window below it.
    pub(super) fn target_inflight(&self) -> f64 {
        self.product(self.bandwidth, 1.0).min(self.cwnd)
    }

    /// The long-term bound, less what is left to others.
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        if self.inflight_longterm == f64::INFINITY {
            return f64::INFINITY;
        }
        let headroom = (self.params.headroom.0 * self.inflight_longterm).max(self.mss);
        (self.inflight_longterm - headroom).max(self.least_window())
    }

    /// Measures how much acknowledgements deliver at once above the rate (5.5.9).
    pub(super) fn update_aggregation(&mut self, ack: &AckSample) {
        let interval = ack.now.since(self.extra_acked_from).as_s();
        let mut expected = self.bandwidth * interval;
        if self.extra_acked_delivered <= expected {
            self.extra_acked_delivered = 0.0;
            self.extra_acked_from = ack.now;
            expected = 0.0;
        }
        self.extra_acked_delivered += ack.acked as f64;
        let extra = (self.extra_acked_delivered - expected).min(self.cwnd);
        let rounds = if self.full.reached {
            self.extra_acked_rounds
        } else {
            1
        };
        self.extra_acked.update(self.round, extra, rounds);
    }

    pub(super) fn set_cwnd(&mut self, ack: &AckSample) {
        let acked = ack.acked as f64;
        let product = self.product(self.bandwidth, self.cwnd_gain());
        let most = self.quantize(product + self.extra_acked.get());
        if self.full.reached {
            self.cwnd = (self.cwnd + acked).min(most);
        } else if self.cwnd < most || (ack.delivered as f64) < self.initial {
            self.cwnd += acked;
        }
        self.cwnd = self.cwnd.max(self.least_window());
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(self.probe_rtt_cwnd());
        }
        self.bound_cwnd();
    }

    fn bound_cwnd(&mut self) {
        let long = match self.mode {
            Mode::Down | Mode::Refill | Mode::Up => self.inflight_longterm,
            Mode::Cruise | Mode::ProbeRtt => self.inflight_with_headroom(),
            Mode::Startup | Mode::Drain => f64::INFINITY,
        };
        let bound = long.min(self.short_term.inflight).max(self.least_window());
        self.cwnd = self.cwnd.min(bound);
    }
}
