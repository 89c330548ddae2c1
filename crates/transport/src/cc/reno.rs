//! Reno: Tahoe with fast recovery.
//!
//! RFC 5681. The third duplicate acknowledgement halves the flight. Without SACK each further
//! duplicate inflates the window by a segment, and any acknowledgement of new data deflates it and
//! ends recovery (section 3.2). Several losses in one window therefore halve it several times or
//! end in a timeout. With SACK all controllers use the same recovery, by default that of RACK and
//! PRR, and Reno is the same as NewReno.
//!
//! **Linux**: `tcp_reno` recovers as NewReno does.
//!
//! **ns-3** (`TcpLinuxReno`): recovers as NewReno does. Growth is by whole segments, an
//! acknowledgement counts in full, slow start ends exactly at the threshold, and the window is
//! halved, not the flight.
//!
//! **ns-2** (`Agent/TCP/Reno`): halves the lesser of cwnd and `window`, in whole segments, once per
//! window (`bugFix_`).

use sojourn_base::{ParamFault, Preset, params};

use crate::cc::parts::Window;
use crate::cc::{AckSample, CongestionControl, LossEvent, Needs, Start};
use crate::window_hooks;

params! {
    /// Parameters of Reno: none.
    pub struct Params {}
}

/// Reno.
#[derive(Debug, Clone)]
pub struct Reno {
    window: Window,
    preset: Preset,
}

impl Reno {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// None.
    pub fn new(_params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        Ok(Self {
            window: Window::new(start, preset),
            preset,
        })
    }
}

impl CongestionControl for Reno {
    fn on_ack(&mut self, ack: &AckSample) {
        if self.preset == Preset::Ns3 {
            self.window.grow_by_count(ack);
        } else {
            self.window.grow_reno(ack.acked, ack.may_grow);
        }
    }

    fn on_acked(&mut self, acked: u64, may_grow: bool) -> Option<u64> {
        if self.preset == Preset::Ns3 {
            return None;
        }
        self.window.grow_reno(acked, may_grow);
        Some(self.cwnd())
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        if self.preset == Preset::Ns3 {
            self.window.reduce(event, 0.5 * self.window.cwnd);
        } else {
            self.window.halve(event);
        }
    }

    fn needs(&self) -> Needs {
        Needs {
            partial_acks: matches!(self.preset, Preset::Linux | Preset::Ns3),
            ..Needs::USUAL
        }
    }

    window_hooks!();
}
