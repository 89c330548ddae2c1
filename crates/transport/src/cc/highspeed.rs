//! HighSpeed TCP: AIMD whose numbers depend on the window.
//!
//! S. Floyd, "HighSpeed TCP for Large Congestion Windows", RFC 3649, 2003. Up to `low_window` segments
//! it is Reno. Above, with x = (ln W - ln 38) / (ln 83000 - ln 38): a loss takes b(W) = 0.5 + x (0.1 - 0.5)
//! of the window away, the loss rate for W is p(W) = 0.078 / W^1.2, and the window grows by
//! a(W) = W^2 p(W) 2 b(W) / (2 - b(W)) segments per round trip (section 5). That p is the line through the default
//! windows, and is kept where others are given.
//!
//! **ns-2** (`windowOption_ 8`): the same formulas, but a line of its own for other windows. **Linux**, **ns-3** read a
//! and b from a table of whole numbers made from them: not modelled, the formulas stand for it. Linux counts
//! acknowledgements, not the segments that they cover, and makes nothing of what slow start leaves of one. Limited slow
//! start (RFC 3742) is left out.

use sojourn_base::{Fraction, ParamFault, Preset, params};

use crate::cc::parts::Window;
use crate::cc::{AckSample, CongestionControl, LossEvent, Start};
use crate::window_hooks;

params! {
    /// Parameters of HighSpeed TCP.
    pub struct Params {
        /// Up to so many segments it is Reno.
        low_window: f64 = "38";
        /// The window of the high end of the response function.
        high_window: f64 = "83000";
        /// The part of the window that a loss takes away there.
        high_decrease: Fraction = "0.1";
    }
}

/// HighSpeed TCP.
#[derive(Debug, Clone)]
pub struct HighSpeed {
    window: Window,
    law: Law,
}

/// The response function.
#[derive(Debug, Clone)]
struct Law {
    low: f64,
    ln_low: f64,
    ln_ratio: f64,
    high_decrease: f64,
}

/// p(W) = 0.078 / W^1.2 (section 5), the line through (38, 10^-3) and (83000, 10^-7).
const SCALE: f64 = 0.078;
const EXPONENT: f64 = -1.2;

impl Law {
    fn new(params: &Params) -> Self {
        let ln_low = libm::log(params.low_window);
        let ln_ratio = libm::log(params.high_window) - ln_low;
        Self {
            low: params.low_window,
            ln_low,
            ln_ratio,
            high_decrease: params.high_decrease.0,
        }
    }

    fn decrease(&self, w: f64) -> f64 {
        if w <= self.low {
            return 0.5;
        }
        let x = (libm::log(w) - self.ln_low) / self.ln_ratio;
        (0.5 + x * (self.high_decrease - 0.5)).max(0.0)
    }

    fn increase(&self, w: f64) -> f64 {
        if w <= self.low {
            return 1.0;
        }
        let p = SCALE * libm::pow(w, EXPONENT);
        let b = self.decrease(w);
        (w * w * p * 2.0 * b / (2.0 - b)).max(1.0)
    }
}

impl HighSpeed {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// A `low_window` below 1, or a `high_window` not above it.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        if params.low_window < 1.0 {
            return Err(ParamFault::new(
                "low_window",
                params.low_window,
                "1 or more",
            ));
        }
        if params.high_window <= params.low_window {
            let allowed = "a number above low_window";
            return Err(ParamFault::new("high_window", params.high_window, allowed));
        }
        Ok(Self {
            window: Window::new(start, preset),
            law: Law::new(params),
        })
    }
}

impl CongestionControl for HighSpeed {
    fn on_ack(&mut self, ack: &AckSample) {
        let segments = self.window.past_slow_start_alone(ack);
        if segments > 0.0 {
            let segments = self.window.per_ack(segments);
            let gain = self.law.increase(self.window.cwnd);
            self.window.additive(segments, gain);
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        let flight = self.window.flight(event);
        self.window
            .reduce_by(event, flight, self.law.decrease(flight));
    }

    fn on_undo(&mut self, _now: sojourn_base::Time) {
        self.window.undo();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("a", self.law.increase(self.window.cwnd));
        show("b", self.law.decrease(self.window.cwnd));
    }

    window_hooks!();
}
