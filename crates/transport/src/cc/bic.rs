//! BIC: a binary search for the window at which the last loss came.
//!
//! L. Xu, K. Harfoush, I. Rhee, "Binary Increase Congestion Control (BIC) for Fast Long-Distance
//! Networks", INFOCOM 2004, as Linux 6.1 has it. Above `low_window` and below W_max the window grows per
//! round trip by (W_max - W) / 4, at most 16; within a segment of W_max slowly, by 4 / `smooth`; beyond it
//! ever faster again. A loss sets W_max, lower if it came below the last one (fast convergence), and
//! leaves `beta` of the window; up to `low_window` it is Reno.
//!
//! **Linux**: smooth 20, beta 819/1024; a timeout forgets W_max. **ns-3**: smooth 5, beta 0.8, and its fast
//! convergence stores beta W. **reference** is Linux's. Not modelled: Linux's division by segments per
//! acknowledgement.

use sojourn_base::{Fraction, ParamFault, Preset, params};

use crate::cc::parts::Window;
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Start};
use crate::window_hooks;

params! {
    /// Parameters of BIC.
    pub struct Params {
        /// What is left of the window after a loss.
        beta: Fraction = "0.7998046875", Ns3 = "0.8";
        /// Most segments that a round trip adds.
        max_increment: f64 = "16";
        /// Up to so many segments it is Reno.
        low_window: f64 = "14";
        /// Near the maximum a round trip adds 4 / smooth segments.
        smooth: f64 = "20", Ns3 = "5";
        /// Whether a loss below the last maximum lowers it further.
        fast_convergence: bool = "true";
    }
}

/// The search takes a quarter of the distance.
const QUARTER: f64 = 4.0;

/// BIC.
#[derive(Debug, Clone)]
pub struct Bic {
    window: Window,
    params: Params,
    like_ns3: bool,
    w_max: f64,
}

impl Bic {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// A `max_increment` or `smooth` of zero or less.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        for (name, value) in [
            ("max_increment", params.max_increment),
            ("smooth", params.smooth),
        ] {
            if value <= 0.0 {
                return Err(ParamFault::new(name, value, "a number above 0"));
            }
        }
        Ok(Self {
            window: Window::new(start, preset),
            params: params.clone(),
            like_ns3: preset == Preset::Ns3,
            w_max: 0.0,
        })
    }

    /// Segments that a round trip adds at a window of `w`.
    fn gain(&self, w: f64) -> f64 {
        let most = self.params.max_increment;
        if w <= self.params.low_window {
            return 1.0;
        }
        let gain = if w < self.w_max {
            let distance = (self.w_max - w) / QUARTER;
            if distance > most {
                most
            } else if distance <= 1.0 {
                QUARTER / self.params.smooth
            } else {
                distance
            }
        } else if w < self.w_max + QUARTER {
            QUARTER / self.params.smooth
        } else if w < self.w_max + most * (QUARTER - 1.0) {
            (w - self.w_max) / (QUARTER - 1.0)
        } else {
            most
        };
        // No loss yet: at least 5 % per round trip.
        if self.w_max == 0.0 {
            gain.max(w / 20.0)
        } else {
            gain
        }
    }
}

impl CongestionControl for Bic {
    fn on_ack(&mut self, ack: &AckSample) {
        let segments = self.window.past_slow_start(ack);
        if segments > 0.0 {
            let gain = self.gain(self.window.cwnd);
            self.window.additive(segments, gain);
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        if event.again {
            self.window.reduce(event, 0.0);
            return;
        }
        let cwnd = self.window.cwnd;
        let beta = self.params.beta.0;
        self.w_max = if cwnd < self.w_max && self.params.fast_convergence {
            if self.like_ns3 {
                beta * cwnd
            } else {
                0.5 * cwnd * (1.0 + beta)
            }
        } else {
            cwnd
        };
        if event.kind == LossKind::Timeout {
            self.w_max = 0.0;
        }
        let left = if cwnd <= self.params.low_window {
            0.5
        } else {
            beta
        };
        let flight = self.window.flight(event);
        self.window.reduce(event, left * flight);
    }

    fn on_undo(&mut self, _now: sojourn_base::Time) {
        self.window.undo();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("w_max", self.w_max);
    }

    window_hooks!();
}
