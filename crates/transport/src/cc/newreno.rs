//! NewReno: Reno that stays in recovery until all of the window at the loss has arrived.
//!
//! RFC 6582 (without SACK: a partial acknowledgement sends the next hole at once and deflates the
//! window by what it acknowledged) over RFC 5681. The growth and the halving are Reno's.
//!
//! **ns-2** (`Agent/TCP/Newreno`): what differs is the sender's, under `preset = "ns2"` of the
//! transport. **Linux**: the same as `reno`. **ns-3** (`TcpNewReno`): per acknowledgement, in whole
//! bytes: what avoidance adds is rounded down, to one at least, so that 500 segments of 1448 bytes
//! grow by a third less than one a round trip.

use sojourn_base::{ParamFault, Preset, params};

use crate::cc::parts::Window;
use crate::cc::{AckSample, CongestionControl, LossEvent, Start};
use crate::window_hooks;

params! {
    /// Parameters of NewReno: none.
    pub struct Params {}
}

/// NewReno.
#[derive(Debug, Clone)]
pub struct NewReno {
    window: Window,
}

impl NewReno {
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

impl CongestionControl for NewReno {
    fn on_ack(&mut self, ack: &AckSample) {
        self.window.grow_reno(ack.acked, ack.may_grow);
    }

    fn on_acked(&mut self, acked: u64, may_grow: bool) -> Option<u64> {
        self.window.grow_reno(acked, may_grow);
        Some(self.cwnd())
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        self.window.halve(event);
    }

    fn on_undo(&mut self, _now: sojourn_base::Time) {
        self.window.undo();
    }

    window_hooks!();
}
