//! NewReno: Reno that stays in recovery until all data outstanding at the loss has arrived.
//!
//! RFC 6582 without SACK, on top of RFC 5681: on a partial acknowledgement the sender retransmits
//! the next missing segment at once and deflates the window by the amount acknowledged. Growth and
//! halving are Reno's.
//!
//! **Linux**: the same as `reno`.
//!
//! **ns-3** (`TcpNewReno`): the window grows per acknowledgement, in whole bytes. The increment of
//! congestion avoidance is rounded down, to at least one byte, so that a window of 500 segments of
//! 1448 bytes grows by a third less than one segment per round trip.
//!
//! **ns-2** (`Agent/TCP/Newreno`): the differences are those of the sender, under `preset = "ns2"`
//! of the transport.

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

    window_hooks!();
}
