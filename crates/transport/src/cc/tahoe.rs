//! Tahoe: slow start, congestion avoidance and fast retransmit, but no fast recovery.
//!
//! V. Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988. Each acknowledgement adds one
//! segment to the window below the threshold, and 1/W above it. The third duplicate acknowledgement
//! has the effect of a timeout: the threshold becomes half the flight, the window one segment, and
//! slow start sends again from the first unacknowledged byte. Duplicates of data sent before that
//! moment do not count again (`bugFix_` in ns-2).
//!
//! **Linux**, **ns-3**: have no Tahoe; their presets only set the sender's defaults.
//!
//! **ns-2** (`Agent/TCP`): the same, but halves the lesser of cwnd and `window`, in whole segments.

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
            self.window.begin_with_one();
        }
    }

    fn needs(&self) -> Needs {
        Needs {
            fast_recovery: false,
            ..Needs::USUAL
        }
    }

    window_hooks!();
}
