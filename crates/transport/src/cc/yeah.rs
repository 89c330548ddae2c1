//! YeAH: Scalable while the queue is short, Reno while it is long, and a queue emptied by precaution.
//!
//! A. Baiocchi, A. Castellani, F. Vacirca, "YeAH-TCP: Yet Another Highspeed TCP", PFLDnet 2007, as Linux 6.1
//! has it. Per round trip of more than two samples, with the least RTT R of the round: Q = W (R - Base) / R
//! segments wait. Above 80 of them, or a delay above Base / 8, it is slow: Q is taken from the window down to
//! what Reno would have, which is counted along. Else it is fast: Scalable's growth. A loss takes Q away,
//! between an eighth and half of the window, or half after 16 slow rounds.
//!
//! **Linux**, **ns-3**: the same. Growth in fast mode: one segment per min(W, 100) acknowledged.

use sojourn_base::{ParamFault, Preset, Span, params};

use crate::cc::parts::{RoundRtt, Rounds, Window};
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Start};
use crate::window_hooks;

params! {
    /// Parameters of YeAH.
    pub struct Params {
        /// Most segments in the queue.
        alpha: f64 = "80";
        /// The part of the queue that is taken away: its inverse.
        gamma: f64 = "1";
        /// The window is lowered by at most its part of 1 / epsilon.
        epsilon: f64 = "2";
        /// The largest delay, as a part of the base RTT: its inverse.
        phy: f64 = "8";
        /// Slow rounds after which a loss halves.
        rho: u32 = "16";
        /// Fast rounds after which Reno's window is forgotten.
        zeta: u32 = "50";
    }
}

/// YeAH.
#[derive(Debug, Clone)]
pub struct Yeah {
    window: Window,
    params: Params,
    base: f64,
    round: RoundRtt,
    rounds: Rounds,
    queue: f64,
    reno: f64,
    slow_rounds: u32,
    fast_rounds: u32,
}

const LEAST_RENO: f64 = 2.0;
/// Scalable's growth is one segment per so many at most.
const SCALABLE: f64 = 100.0;

impl Yeah {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// A divisor of zero or less.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        let divisors = [
            ("gamma", params.gamma),
            ("epsilon", params.epsilon),
            ("phy", params.phy),
        ];
        for (name, value) in divisors {
            if value <= 0.0 {
                return Err(ParamFault::new(name, value, "a number above 0"));
            }
        }
        Ok(Self {
            window: Window::new(start, preset),
            params: params.clone(),
            base: f64::INFINITY,
            round: RoundRtt::default(),
            rounds: Rounds::default(),
            queue: 0.0,
            reno: LEAST_RENO,
            slow_rounds: 0,
            fast_rounds: 0,
        })
    }

    fn adapt(&mut self) {
        let rtt = self.round.min.as_s();
        let waits = rtt - self.base;
        let cwnd = self.window.cwnd;
        self.queue = cwnd * waits / rtt;
        if self.queue > self.params.alpha || waits > self.base / self.params.phy {
            if self.queue > self.params.alpha && cwnd > self.reno {
                let down = (self.queue / self.params.gamma).min(cwnd / self.params.epsilon);
                self.window.cwnd = (cwnd - down).max(self.reno);
                self.window.ssthresh = self.window.cwnd;
            }
            if self.reno <= LEAST_RENO {
                self.reno = (0.5 * self.window.cwnd).max(LEAST_RENO);
            } else {
                self.reno += 1.0;
            }
            self.slow_rounds += 1;
        } else {
            self.fast_rounds += 1;
            if self.fast_rounds > self.params.zeta {
                self.reno = LEAST_RENO;
                self.fast_rounds = 0;
            }
            self.slow_rounds = 0;
        }
    }
}

impl CongestionControl for Yeah {
    fn on_ack(&mut self, ack: &AckSample) {
        if let Some(rtt) = ack.rtt.filter(|&rtt| rtt > Span::ZERO) {
            self.base = self.base.min(rtt.as_s());
            self.round.sample(rtt);
        }
        let segments = self.window.past_slow_start(ack);
        if segments > 0.0 {
            if self.slow_rounds == 0 {
                self.window.cwnd += segments / self.window.cwnd.min(SCALABLE);
            } else {
                self.window.additive(segments, 1.0);
            }
        }
        if self.rounds.ended(ack.snd_una, ack.snd_nxt) {
            if self.round.count > 2 {
                self.adapt();
            }
            self.round = RoundRtt::default();
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        let flight = self.window.flight(event);
        let down = if self.slow_rounds < self.params.rho && event.kind != LossKind::Timeout {
            self.queue.min((0.5 * flight).max(2.0)).max(flight / 8.0)
        } else {
            (0.5 * flight).max(2.0)
        };
        self.window.reduce(event, flight - down);
        self.fast_rounds = 0;
        self.reno = (0.5 * self.reno).max(LEAST_RENO);
    }

    fn on_undo(&mut self, _now: sojourn_base::Time) {
        self.window.undo();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("queue", self.queue);
        show("reno", self.reno);
    }

    window_hooks!();
}
