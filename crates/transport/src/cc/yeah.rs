//! YeAH: grows as Scalable while the queue is short and as Reno while it is long, and empties the
//! queue as a precaution.
//!
//! A. Baiocchi, A. Castellani, F. Vacirca, "YeAH-TCP: Yet Another Highspeed TCP", PFLDnet 2007, as
//! implemented in Linux 6.1. For each round trip with more than two samples, Q = W (R - Base) / R
//! segments are in the queue, where R is the least RTT of the round. The mode is slow if Q exceeds
//! 80 or the delay R - Base exceeds Base / 8, and otherwise fast. In slow mode growth is Reno's. A
//! Q above 80 is subtracted from the window, of which at least half is left, and at least the
//! window that Reno would have, which is tracked. In fast mode growth is Scalable's, one segment
//! per min(W, 100) acknowledged. A loss takes away Q, limited to between an eighth and half of the
//! window, or half of the window after 16 slow rounds.
//!
//! **Reference**: after a timeout the threshold is half the flight.
//!
//! **Linux** and **ns-3**: segments are whole, and a timeout is treated as a loss.
//!
//! **Linux** only: Base is discarded when nothing is in flight, after idle time or a timeout. A
//! round trip begins again when losses have been repaired and everything arrives in order.
//!
//! **ns-3** (`TcpYeah`) only:
//!
//! - The mode is slow with any delay, since ns-3 divides 1 by `phy` in integer arithmetic.
//! - Slow mode counts acknowledgements, not segments.
//! - Fast mode does not carry over acknowledged segments beyond those that added a segment.
//! - A round trip begins with the acknowledgement that ends a recovery.
//! - A loss takes away at least two segments. Where less is in flight, the threshold underflows: it
//!   is 4 GB from then on, and so is the window when recovery ends.

use sojourn_base::{ParamFault, Preset, Span, Time, params};

use crate::cc::parts::{MinRtt, Openings, RoundRtt, Rounds, Window};
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Start};
use crate::window_hooks;

params! {
    /// Parameters of YeAH.
    pub struct Params {
        /// Largest number of segments in the queue.
        alpha: f64 = "80";
        /// Inverse of the part of the queue that is taken away.
        gamma: f64 = "1";
        /// The window is reduced by at most the part 1 / epsilon of it.
        epsilon: f64 = "2";
        /// Inverse of the largest delay, as a part of the base RTT.
        phy: f64 = "8";
        /// Number of slow rounds after which a loss halves the window.
        rho: u32 = "16";
        /// Number of fast rounds after which Reno's window is discarded.
        zeta: u32 = "50";
    }
}

/// YeAH.
#[derive(Debug, Clone)]
pub struct Yeah {
    window: Window,
    params: Params,
    preset: Preset,
    base: MinRtt,
    round: RoundRtt,
    rounds: Rounds,
    queue: f64,
    reno: f64,
    slow_rounds: u32,
    fast_rounds: u32,
    /// Linux's only.
    openings: Openings,
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
            preset,
            base: MinRtt::default(),
            round: RoundRtt::default(),
            rounds: Rounds::default(),
            queue: 0.0,
            reno: LEAST_RENO,
            slow_rounds: 0,
            fast_rounds: 0,
            openings: Openings::default(),
        })
    }

    /// Segments as they are counted.
    fn whole(&self, segments: f64) -> f64 {
        match self.preset {
            Preset::Linux | Preset::Ns3 => libm::floor(segments),
            Preset::Reference | Preset::Ns2 => segments,
        }
    }

    fn grow(&mut self, ack: &AckSample) {
        let segments = self.window.past_slow_start(ack);
        if segments > 0.0 {
            let gain = if self.slow_rounds == 0 {
                (self.window.cwnd / SCALABLE).max(1.0)
            } else {
                1.0
            };
            self.window.additive(segments, gain);
        }
    }

    /// `TcpYeah::IncreaseWindow`, but for the end of a round trip.
    fn grow_like_ns3(&mut self, ack: &AckSample) {
        let segments = self.window.past_slow_start_alone(ack);
        if segments > 0.0 && self.slow_rounds == 0 {
            let each = libm::floor(self.window.cwnd).min(SCALABLE);
            self.window.one_and_some_per(each, segments);
        } else {
            self.window.additive(segments, 1.0);
        }
    }

    /// Whether a round trip has ended. In ns-3 one begins with the acknowledgement that ends a
    /// recovery.
    fn ends_round(&mut self, ack: &AckSample) -> bool {
        match self.preset {
            Preset::Reference | Preset::Ns2 => {
                return self.rounds.ended(ack.snd_una, ack.snd_nxt);
            }
            // `tcp_yeah_cong_avoid` is not called where the window may not grow.
            Preset::Linux => {
                return ack.may_grow && self.rounds.ended(ack.snd_una, ack.snd_nxt);
            }
            Preset::Ns3 => {}
        }
        if self.rounds.begin_anew(ack) {
            self.round = RoundRtt::default();
        }
        ack.may_grow && self.rounds.reached(ack.snd_una, ack.snd_nxt)
    }

    fn forget(&mut self) {
        self.base = MinRtt::default();
        self.round = RoundRtt::default();
    }

    fn adapt(&mut self) {
        let (least, base) = (self.round.min, self.base.get());
        let part = 1.0 / self.params.phy;
        let most = if self.preset == Preset::Ns3 {
            libm::floor(part)
        } else {
            part
        };
        let (rtt, waits) = (least.as_s(), (least - base).as_s());
        let most = most * base.as_s();
        let cwnd = match self.preset {
            Preset::Ns3 => libm::floor(self.window.cwnd),
            Preset::Reference | Preset::Linux | Preset::Ns2 => self.window.cwnd,
        };
        self.queue = self.whole(cwnd * waits / rtt);
        if self.queue > self.params.alpha || waits > most {
            if self.queue > self.params.alpha && cwnd > self.reno {
                let down = (self.queue / self.params.gamma).min(cwnd / self.params.epsilon);
                let down = self.whole(down);
                self.window.cwnd = (cwnd - down).max(self.reno);
                self.window.ssthresh = self.window.cwnd;
            }
            if self.reno <= LEAST_RENO {
                self.reno = self.whole(0.5 * self.window.cwnd).max(LEAST_RENO);
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
            self.base.sample(rtt);
            self.round.sample(rtt);
        }
        if self.preset == Preset::Linux && self.openings.opens(ack) {
            // `vegas_enable`: a round trip begins.
            self.round = RoundRtt::default();
            self.rounds.begin(ack.snd_nxt);
        }
        if self.preset == Preset::Ns3 {
            self.grow_like_ns3(ack);
        } else {
            self.grow(ack);
        }
        if self.ends_round(ack) {
            if self.round.count > 2 {
                self.adapt();
            }
            self.round = RoundRtt::default();
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        let flight = self.window.flight(event);
        let half = self.whole(0.5 * flight).max(2.0);
        let is_peer = matches!(self.preset, Preset::Linux | Preset::Ns3);
        let is_taken = is_peer || event.kind != LossKind::Timeout;
        let down = if self.slow_rounds < self.params.rho && is_taken {
            self.queue.min(half).max(self.whole(flight / 8.0))
        } else {
            half
        };
        let mss = u64::from(self.window.mss());
        let down_bytes = down as u64 * mss;
        let left = if self.preset == Preset::Ns3 && event.in_flight < down_bytes {
            // 32 bits without a sign.
            self.window
                .segments((1 << 32) - (down_bytes - event.in_flight))
        } else {
            flight - down
        };
        self.window.reduce(event, left);
        self.fast_rounds = 0;
        self.reno = self.whole(0.5 * self.reno).max(LEAST_RENO);
        if event.kind == LossKind::Timeout && self.preset == Preset::Linux {
            self.forget();
        }
    }

    fn on_tx_start(&mut self, _now: Time, _idle: Span, _app_limited: bool) {
        if self.preset == Preset::Linux {
            self.forget();
        }
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("queue", self.queue);
        show("reno", self.reno);
    }

    window_hooks!();
}
