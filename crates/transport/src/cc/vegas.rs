//! Vegas: keeps between alpha and beta segments of its own in the queue.
//!
//! L. Brakmo, L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", IEEE JSAC
//! 13(8), 1995. Once per round trip diff = W (1 - BaseRTT / RTT): below alpha the window grows by a
//! segment, above beta it shrinks by one. Slow start doubles every other round trip and ends, an eighth
//! lower, when diff exceeds gamma. A loss found by duplicates leaves three quarters of the window.
//!
//! **ns-2** (`Agent/TCP/Vegas`): 1, 3, 1. **Linux**, **ns-3**: 2, 4, 1, which is also the paper's
//! second setting; RTT is the least of the round, diff is over BaseRTT in Linux; slow start doubles
//! every round trip and ends at W BaseRTT / RTT + 1; a loss halves; a round of fewer than three samples, and in Linux
//! all while losses are repaired or marks answered, grows as Reno does. **reference** takes 2, 4, 1 and the mean RTT of the round. Left out everywhere:
//! the paper's retransmission on the first duplicate by a fine-grained timer.

use sojourn_base::{ParamFault, Preset, Span, params};

use crate::cc::parts::window::LEAST;
use crate::cc::parts::{RoundRtt, Rounds, Window};
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Start};
use crate::window_hooks;

params! {
    /// Parameters of Vegas.
    pub struct Params {
        /// Below so many segments in the queue the window grows.
        alpha: f64 = "2", Ns2 = "1";
        /// Above so many it shrinks.
        beta: f64 = "4", Ns2 = "3";
        /// Above so many slow start ends.
        gamma: f64 = "1";
    }
}

/// Vegas.
#[derive(Debug, Clone)]
pub struct Vegas {
    window: Window,
    params: Params,
    preset: Preset,
    base: Span,
    round: RoundRtt,
    rounds: Rounds,
    /// Slow start grows in this round trip.
    grows: bool,
}

impl Vegas {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// A negative threshold, or `beta` below `alpha`.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        if params.alpha < 0.0 {
            return Err(ParamFault::new("alpha", params.alpha, "0 or more"));
        }
        if params.beta < params.alpha {
            return Err(ParamFault::new("beta", params.beta, "alpha or more"));
        }
        Ok(Self {
            window: Window::new(start, preset),
            params: params.clone(),
            preset,
            base: Span::ZERO,
            round: RoundRtt::default(),
            rounds: Rounds::default(),
            grows: true,
        })
    }

    fn slow_start(&mut self, acked: u64) {
        let counted = self.window.counted(acked);
        self.window.slow_start(counted);
    }

    fn is_modern(&self) -> bool {
        matches!(self.preset, Preset::Linux | Preset::Ns3)
    }

    /// The end of a round trip, by an acknowledgement of so many bytes.
    fn adjust(&mut self, acked: u64) {
        let rtt = if self.is_modern() {
            self.round.min.as_s()
        } else {
            self.round.mean().as_s()
        };
        let base = self.base.as_s();
        let cwnd = self.window.cwnd;
        let per = if self.preset == Preset::Linux {
            base
        } else {
            rtt
        };
        let diff = cwnd * (rtt - base) / per;
        if self.window.in_slow_start() {
            if diff > self.params.gamma {
                let lower = if self.is_modern() {
                    cwnd * base / rtt + 1.0
                } else {
                    cwnd - cwnd / 8.0
                };
                self.window.cwnd = cwnd.min(lower).max(LEAST);
                let below = self.window.cwnd - 1.0;
                self.window.ssthresh = self.window.ssthresh.min(below).max(LEAST);
            } else if self.grows {
                self.slow_start(acked);
            }
            self.grows = self.is_modern() || !self.grows;
        } else if diff < self.params.alpha {
            self.window.cwnd += 1.0;
        } else if diff > self.params.beta {
            self.window.cwnd = (cwnd - 1.0).max(LEAST);
            // Or the next acknowledgement would be one of slow start again.
            let below = self.window.cwnd - 1.0;
            self.window.ssthresh = self.window.ssthresh.min(below).max(LEAST);
        }
    }
}

impl CongestionControl for Vegas {
    fn on_ack(&mut self, ack: &AckSample) {
        if let Some(rtt) = ack.rtt {
            if self.base == Span::ZERO || rtt < self.base {
                self.base = rtt;
            }
            self.round.sample(rtt);
        }
        if self.window.grew_as_reno(ack) {
            return;
        }
        let few = self.round.count < 3 && self.is_modern();
        if self.rounds.ended(ack.snd_una, ack.snd_nxt) {
            if self.round.count > 0 && !few && ack.may_grow {
                self.adjust(ack.acked);
            } else if few {
                self.window.grow_reno(ack.acked, ack.may_grow);
            }
            self.round = RoundRtt::default();
        } else if ack.may_grow && self.window.in_slow_start() && self.grows {
            self.slow_start(ack.acked);
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        if event.kind == LossKind::FastRetransmit && !self.is_modern() {
            let flight = self.window.flight(event);
            self.window.reduce(event, 0.75 * flight);
        } else {
            self.window.halve(event);
        }
        self.round = RoundRtt::default();
    }

    fn on_undo(&mut self, _now: sojourn_base::Time) {
        self.window.undo();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("base_rtt", self.base.as_s());
    }

    window_hooks!();
}
