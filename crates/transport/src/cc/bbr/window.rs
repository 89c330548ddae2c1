//! How much is to be in flight, and the window.

use sojourn_base::{Preset, Span};

use super::{BURSTS, Bbr, LEAST_WINDOW, Mode, WRAP};
use crate::cc::AckSample;
use crate::sender::State;

impl Bbr {
    /// How much is to be in flight: `gain` times a bandwidth times the least RTT, and `beside` in
    /// addition, bytes.
    fn in_flight_at(&self, bandwidth: f64, gain: f64, beside: f64) -> f64 {
        if self.min_rtt == Span::ZERO {
            return self.initial;
        }
        let product = gain * bandwidth * self.min_rtt.as_s();
        let in_flight = if self.preset == Preset::Linux {
            let pairs = 2.0 * self.mss;
            let whole = |bytes: f64, of: f64| libm::ceil(bytes / of) * of;
            whole(
                whole(product, self.mss) + beside + BURSTS * self.burst(),
                pairs,
            )
        } else {
            product + beside + BURSTS * self.burst()
        };
        let is_raising = self.mode == Mode::ProbeBandwidth && self.phase == 0;
        if is_raising && matches!(self.preset, Preset::Linux | Preset::Ns3) {
            in_flight + 2.0 * self.mss
        } else {
            in_flight
        }
    }

    /// How much is to be in flight at `gain` and the largest recent rate, even if another rate is
    /// assumed.
    pub(super) fn goal(&self, gain: f64) -> f64 {
        self.in_flight_at(self.bandwidth.get(), gain, 0.0)
    }

    /// How many of the bytes in flight will still be in flight when the pacing clock releases the
    /// next burst: Linux treats what it released ahead of time as not sent.
    pub(super) fn in_network(&self, ack: &AckSample, in_flight: u64) -> f64 {
        let in_flight = in_flight as f64;
        if self.preset != Preset::Linux {
            return in_flight;
        }
        let ahead = ack.next_send.map_or(Span::ZERO, |at| at.since(ack.now));
        let delivered = libm::floor(self.bandwidth() * ahead.as_s() / self.mss) * self.mss;
        let joins = if self.pacing_gain() > 1.0 {
            self.burst()
        } else {
            0.0
        };
        (in_flight + joins - delivered).max(0.0)
    }

    /// Saves the window to return to after a recovery or ProbeRTT; if one is inside the other, the
    /// larger.
    pub(super) fn save_cwnd(&mut self) {
        if self.state == State::Open && self.mode != Mode::ProbeRtt {
            self.prior_cwnd = self.cwnd;
        } else {
            self.prior_cwnd = self.prior_cwnd.max(self.cwnd);
        }
    }

    /// Losses are repaired. In ns-3 a recovery ends with the threshold for a window, as that of any
    /// controller does, and a timeout's with the window that has grown since.
    fn leave_repair(&mut self) {
        if self.preset != Preset::Ns3 {
            self.cwnd = self.cwnd.max(self.prior_cwnd);
        } else if self.state == State::Recovery {
            self.cwnd = self.ssthresh;
        }
        self.conserve_until = None;
    }

    pub(super) fn set_cwnd(&mut self, ack: &AckSample, round_started: bool) {
        let acked = ack.acked as f64;
        let entered = ack.state == State::Recovery && self.state != State::Recovery;
        let left = ack.state == State::Open && self.state != State::Open;
        if entered {
            self.conserve_until = Some(self.round + 1);
            if self.preset != Preset::Ns3 {
                self.next_round_delivered = ack.delivered;
            } else if round_started {
                self.conserve_until = None;
            }
            self.cwnd = ack.in_flight as f64 + acked;
        } else if left {
            self.leave_repair();
        }
        self.state = ack.state;
        if ack.lost > 0 && ack.state == State::Recovery {
            self.cwnd = (self.cwnd - ack.lost as f64).max(self.mss);
        }
        if self.conserve_until.is_some_and(|until| self.round >= until) {
            self.conserve_until = None;
        }
        if self.conserve_until.is_some() {
            self.cwnd = self.cwnd.max(ack.in_flight as f64 + acked);
        } else {
            let bandwidth = self.bandwidth();
            let aggregation = self.aggregation.as_ref().filter(|_| self.is_full);
            let together = aggregation.map_or(0.0, |one| one.room(bandwidth));
            let target = self.in_flight_at(bandwidth, self.cwnd_gain(), together);
            if self.is_full {
                let grown = if self.preset == Preset::Ns3 {
                    (self.cwnd + acked) % WRAP
                } else {
                    self.cwnd + acked
                };
                self.cwnd = grown.min(target);
            } else if self.cwnd < target || (ack.delivered as f64) < self.initial {
                self.cwnd += acked;
            }
            self.cwnd = self.cwnd.max(LEAST_WINDOW * self.mss);
        }
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(LEAST_WINDOW * self.mss);
        }
    }
}
