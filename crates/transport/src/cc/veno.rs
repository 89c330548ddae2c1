//! Veno: tells random loss from congestion by the backlog.
//!
//! C. P. Fu, S. C. Liew, "TCP Veno: TCP Enhancement for Transmission Over Wireless Access Networks", IEEE JSAC
//! 21(2), 2003. N = W (1 - Base / RTT) segments wait. Below `beta` of them the window grows as Reno's and a loss
//! is taken for a random one that leaves four fifths; from there on it grows every other round trip and a
//! loss halves.
//!
//! **Linux**: RTT is the latest sample; while losses are repaired or marks answered it grows as Reno. **ns-3**: the least of the round. **reference** takes the latest.

use sojourn_base::{ParamFault, Preset, Span, params};

use crate::cc::parts::{RoundRtt, Rounds, Window};
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Start};
use crate::window_hooks;

params! {
    /// Parameters of Veno.
    pub struct Params {
        /// From so many segments in the queue on the path is congested.
        beta: f64 = "3";
    }
}

/// Veno.
#[derive(Debug, Clone)]
pub struct Veno {
    window: Window,
    beta: f64,
    of_round: bool,
    base: f64,
    latest: f64,
    samples: u32,
    round: RoundRtt,
    rounds: Rounds,
    grows: bool,
}

impl Veno {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// None.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        Ok(Self {
            window: Window::new(start, preset),
            beta: params.beta,
            of_round: preset == Preset::Ns3,
            base: f64::INFINITY,
            latest: 0.0,
            samples: 0,
            round: RoundRtt::default(),
            rounds: Rounds::default(),
            grows: true,
        })
    }

    /// Segments that wait.
    fn backlog(&self) -> f64 {
        if self.latest > 0.0 {
            self.window.cwnd * (1.0 - self.base / self.latest)
        } else {
            0.0
        }
    }

    fn is_congested(&self) -> bool {
        self.samples > 2 && self.backlog() >= self.beta
    }
}

impl CongestionControl for Veno {
    fn on_ack(&mut self, ack: &AckSample) {
        if let Some(rtt) = ack.rtt.filter(|&rtt| rtt > Span::ZERO) {
            self.base = self.base.min(rtt.as_s());
            self.samples = self.samples.saturating_add(1);
            self.round.sample(rtt);
            self.latest = if self.of_round {
                self.round.min.as_s()
            } else {
                rtt.as_s()
            };
        }
        if self.rounds.ended(ack.snd_una, ack.snd_nxt) {
            self.round = RoundRtt::default();
            self.grows = !self.grows;
        }
        if self.window.grew_as_reno(ack) {
            return;
        }
        let segments = self.window.past_slow_start(ack);
        if segments > 0.0 && (self.grows || !self.is_congested()) {
            self.window.additive(segments, 1.0);
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        let flight = self.window.flight(event);
        let random = event.kind != LossKind::Timeout && self.samples > 2 && !self.is_congested();
        let left = if random { 0.8 } else { 0.5 };
        self.window.reduce(event, left * flight);
    }

    fn on_undo(&mut self, _now: sojourn_base::Time) {
        self.window.undo();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("backlog", self.backlog());
    }

    window_hooks!();
}
