//! BIC: a binary search for the window at which the last loss occurred.
//!
//! L. Xu, K. Harfoush, I. Rhee, "Binary Increase Congestion Control (BIC) for Fast Long-Distance
//! Networks", INFOCOM 2004, as implemented in Linux 6.1. Above `low_window` and below W_max the
//! window grows per round trip by (W_max - W) / 4, at most 16; where that is one segment or less,
//! it grows slowly, by 4 / `smooth`. Above W_max growth begins slowly again and then becomes
//! faster. A loss sets W_max, to a lower value if the loss occurred below the previous W_max (fast
//! convergence), and leaves `beta` of the window. Up to `low_window` BIC behaves as Reno.
//!
//! **Reference**: the parameters of Linux: smooth 20, beta 819/1024. A timeout discards W_max.
//!
//! **Linux**:
//!
//! - The window grows by one whole segment for a number of segments acknowledged, which is computed
//!   in whole segments.
//! - This number is divided by the mean number of segments that an acknowledgement covers, so that
//!   delayed acknowledgements let the window grow twice as fast.
//! - Acknowledgements that arrive while losses are being repaired, marks are being answered or
//!   segments are out of order do not count for this mean.
//!
//! **ns-3** (`TcpBic`):
//!
//! - smooth is 5. beta is 0.8 and applies to the window, not to the flight.
//! - Growth is by whole segments too, but acknowledged segments left over after a step are not
//!   carried over to the next one.
//! - Fast convergence stores beta W.
//! - It behaves as Reno only below `low_window`.
//! - A timeout does not discard W_max.

use sojourn_base::{Fraction, ParamFault, Preset, params};

use crate::cc::parts::{InOrder, Window};
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Start};
use crate::window_hooks;

params! {
    /// Parameters of BIC.
    pub struct Params {
        /// Part of the window that remains after a loss.
        beta: Fraction = "0.7998046875", Ns3 = "0.8";
        /// Largest number of segments that a round trip adds.
        max_increment: f64 = "16";
        /// Largest window, in segments, at which it behaves as Reno.
        low_window: f64 = "14";
        /// Near the maximum a round trip adds 4 / smooth segments.
        smooth: f64 = "20", Ns3 = "5";
        /// Whether a loss below the last maximum lowers the maximum further.
        fast_convergence: bool = "true";
    }
}

/// The search takes a quarter of the distance.
const QUARTER: f64 = 4.0;
/// No loss yet: so many segments acknowledged add one at least, 5 % per round trip.
const UNHURT: f64 = 20.0;
/// Linux's mean of segments per acknowledgement is kept in sixteenths, and moves by one of them.
const SIXTEENTHS: f64 = 16.0;

/// BIC.
#[derive(Debug, Clone)]
pub struct Bic {
    window: Window,
    params: Params,
    preset: Preset,
    w_max: f64,
    /// Linux's segments per acknowledgement, in sixteenths.
    per_ack: f64,
    /// ns-3's segments acknowledged towards the next one.
    towards_next: f64,
    in_order: InOrder,
    /// All was well after the last acknowledgement; Linux's only.
    was_open: bool,
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
            preset,
            w_max: 0.0,
            per_ack: 2.0 * SIXTEENTHS,
            towards_next: 0.0,
            in_order: InOrder::default(),
            was_open: true,
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
        if self.w_max == 0.0 {
            gain.max(w / UNHURT)
        } else {
            gain
        }
    }

    /// The same in whole segments: how many must be acknowledged for one more, before Linux divides
    /// them.
    fn count(&self, w: f64, is_low: bool) -> f64 {
        let Params {
            max_increment: most,
            smooth,
            ..
        } = self.params;
        if is_low {
            return w;
        }
        let slowly = libm::floor(w * smooth / QUARTER);
        let count = if w < self.w_max {
            let distance = libm::floor((self.w_max - w) / QUARTER);
            if distance > most {
                w / most
            } else if distance <= 1.0 {
                slowly
            } else {
                w / distance
            }
        } else if w < self.w_max + QUARTER {
            slowly
        } else if w < self.w_max + most * (QUARTER - 1.0) {
            w * (QUARTER - 1.0) / (w - self.w_max)
        } else {
            w / most
        };
        if self.w_max == 0.0 {
            libm::floor(count).min(UNHURT)
        } else {
            libm::floor(count)
        }
    }

    fn grow(&mut self, segments: f64) {
        let w = libm::floor(self.window.cwnd);
        let low = self.params.low_window;
        match self.preset {
            Preset::Reference | Preset::Ns2 => {
                let gain = self.gain(self.window.cwnd);
                self.window.additive(segments, gain);
            }
            Preset::Linux => {
                let count = self.count(w, w <= low);
                let each = if w <= low {
                    count
                } else {
                    libm::floor(count * SIXTEENTHS / self.per_ack)
                };
                self.window.one_per(each.max(1.0), segments);
            }
            Preset::Ns3 => {
                self.towards_next += segments;
                if self.towards_next > self.count(w, w < low).max(1.0) {
                    self.window.cwnd += 1.0;
                    self.towards_next = 0.0;
                }
            }
        }
    }

    /// W_max after a loss that came below the last one.
    fn converged(&self, cwnd: f64) -> f64 {
        let beta = self.params.beta.0;
        match self.preset {
            Preset::Reference | Preset::Ns2 => 0.5 * cwnd * (1.0 + beta),
            Preset::Linux => libm::floor(0.5 * cwnd * (1.0 + beta)),
            Preset::Ns3 => libm::floor(beta * cwnd),
        }
    }
}

impl CongestionControl for Bic {
    fn on_ack(&mut self, ack: &AckSample) {
        // `bictcp_acked`: all that is acknowledged in order, and as things stood before.
        let (acked, counts) = match self.preset {
            Preset::Linux => (self.in_order.moved(ack.snd_una), self.was_open),
            _ => (ack.acked, ack.is_open()),
        };
        self.was_open = ack.is_open();
        if counts {
            let acked = libm::round(self.window.segments(acked));
            self.per_ack += acked - libm::floor(self.per_ack / SIXTEENTHS);
        }
        let segments = self.window.past_slow_start(ack);
        if segments > 0.0 {
            self.grow(segments);
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        let cwnd = match self.preset {
            Preset::Reference | Preset::Ns2 => self.window.cwnd,
            Preset::Linux | Preset::Ns3 => libm::floor(self.window.cwnd),
        };
        let like_ns3 = self.preset == Preset::Ns3;
        if !event.again {
            self.w_max = if cwnd < self.w_max && self.params.fast_convergence {
                self.converged(cwnd)
            } else {
                cwnd
            };
        }
        if event.kind == LossKind::Timeout && !like_ns3 {
            self.w_max = 0.0;
            self.per_ack = 2.0 * SIXTEENTHS;
        }
        let (beta, low) = (self.params.beta.0, self.params.low_window);
        let flight = self.window.flight(event);
        let goal = if cwnd < low || (cwnd <= low && !like_ns3) {
            0.5 * flight
        } else if like_ns3 {
            beta * cwnd
        } else {
            beta * flight
        };
        self.window.reduce(event, goal);
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("w_max", self.w_max);
    }

    window_hooks!();
}
