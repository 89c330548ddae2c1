//! Scalable TCP: growth in proportion to the window.
//!
//! T. Kelly, "Scalable TCP: Improving Performance in Highspeed Wide Area Networks", CCR
//! 33(2), 2003. Each acknowledged segment adds `a` segments, and a loss takes away the part `b` of
//! the window, so that recovery takes ln(1/(1-b))/ln(1+a) round trips whatever the window. Up to
//! the legacy window of 16 it behaves as Reno (unverified: from memory of the paper).
//!
//! **Linux**: one whole segment per min(W, 100) acknowledged, hence Reno's growth up to 100, but a
//! loss always takes away an eighth.
//!
//! **ns-3**: one whole segment per min(W, 50) acknowledged; acknowledged segments left over are not
//! carried over to the next. A loss takes away an eighth, in whole segments.

use sojourn_base::{Fraction, ParamFault, Preset, params};

use crate::cc::parts::Window;
use crate::cc::{AckSample, CongestionControl, LossEvent, Start};
use crate::window_hooks;

params! {
    /// Parameters of Scalable TCP.
    pub struct Params {
        /// Segments added per segment acknowledged.
        a: Fraction = "0.01", Ns3 = "0.02";
        /// Part of the window that a loss takes away.
        b: Fraction = "0.125";
        /// Largest window, in segments, at which a loss halves and growth is Reno's.
        legacy_window: f64 = "16", Linux = "0", Ns3 = "0";
    }
}

/// Scalable TCP.
#[derive(Debug, Clone)]
pub struct Scalable {
    window: Window,
    params: Params,
    preset: Preset,
}

impl Scalable {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// None.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        Ok(Self {
            window: Window::new(start, preset),
            params: params.clone(),
            preset,
        })
    }
}

impl CongestionControl for Scalable {
    fn on_ack(&mut self, ack: &AckSample) {
        let segments = self.window.past_slow_start(ack);
        if segments <= 0.0 {
            return;
        }
        if self.preset == Preset::Ns3 {
            let each = libm::floor(self.window.cwnd).min(libm::floor(1.0 / self.params.a.0));
            self.window.one_and_some_per(each, segments);
        } else if self.preset == Preset::Linux {
            let gain = (self.params.a.0 * self.window.cwnd).max(1.0);
            self.window.additive(segments, gain);
        } else {
            let cwnd = self.window.cwnd;
            // Reno adds more where the window is small.
            let per = if cwnd <= self.params.legacy_window {
                1.0 / cwnd
            } else {
                self.params.a.0.max(if self.params.legacy_window == 0.0 {
                    1.0 / cwnd
                } else {
                    0.0
                })
            };
            self.window.cwnd += per * segments;
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        let flight = self.window.flight(event);
        let gone = if flight <= self.params.legacy_window {
            0.5
        } else {
            self.params.b.0
        };
        self.window.reduce_by(event, flight, gone);
    }

    window_hooks!();
}
