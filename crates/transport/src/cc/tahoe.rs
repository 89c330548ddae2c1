//! Tahoe: slow start, congestion avoidance and fast retransmit, but no fast recovery.
//!
//! V. Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988. Per acknowledgement the window
//! grows by a segment below the threshold and by 1/W above it. The third duplicate acknowledgement
//! is taken as a timeout is: the threshold becomes half the flight, the window one segment, and
//! slow start sends again from the first byte not acknowledged. Duplicates of what was sent before
//! that moment do not count again (ns-2's `bugFix_`).
//!
//! **ns-2** (`Agent/TCP`): the same; it halves the lesser of cwnd and window, in whole segments.
//! ns-3 and Linux have no Tahoe: their presets set the sender's defaults only.

use sojourn_base::{ParamFault, Preset, params};

use crate::cc::parts::Window;
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Needs, Start};
use crate::window_hooks;

params! {
    /// Parameters of Tahoe: none.
    pub struct Params {}
}

/// Tahoe.
#[derive(Debug, Clone)]
pub struct Tahoe {
    window: Window,
}

impl Tahoe {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// None.
    pub fn new(_params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        Ok(Self {
            window: Window::new(start, preset),
        })
    }
}

impl CongestionControl for Tahoe {
    fn on_ack(&mut self, ack: &AckSample) {
        self.window.grow_reno(ack.acked, ack.may_grow);
    }

    fn on_acked(&mut self, acked: u64, may_grow: bool) -> Option<u64> {
        self.window.grow_reno(acked, may_grow);
        Some(self.cwnd())
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        self.window.halve(event);
        if event.kind != LossKind::Ecn {
            self.window.cwnd = 1.0;
        }
    }

    fn on_undo(&mut self, _now: sojourn_base::Time) {
        self.window.undo();
    }

    fn needs(&self) -> Needs {
        Needs {
            fast_recovery: false,
            ..Needs::USUAL
        }
    }

    window_hooks!();
}
