//! DCTCP: the window is reduced in proportion to the share of marked bytes.
//!
//! S. Bensley et al., "Data Center TCP (DCTCP)", RFC 8257, 2017. Once per window alpha = (1 - g)
//! alpha + g M, where M is the share of acknowledged bytes that were marked. A mark reduces the
//! window to cwnd (1 - alpha / 2), once per window (3.3). Growth and the response to a loss are
//! Reno's. Data that SACK reports counts in M when it is reported, whereas the RFC (3.3, step 1)
//! counts what is acknowledged cumulatively. All data is ECN-capable; SYN, FIN and acknowledgements
//! are not (3.6: SYN and RST should be). The receiver echoes marks segment by segment (3.2).
//!
//! With `use_ect0 = false` packets are ECT(1), for queues that recognize scalable senders by it
//! (`dualpi2`). With `ecn = "classic"` an echo does not give the share of marks: it halves the
//! window, once per window, and packets are ECT(0).
//!
//! **Linux**: alpha is in whole 1024ths, with both terms rounded down. Where g alpha rounds down to
//! zero, the first term becomes 0.
//!
//! **ns-3** (`TcpDctcp`):
//!
//! - A loss reduces the window only as much as a mark does.
//! - Growth is that of Linux's Reno (`TcpLinuxReno`), by whole segments. In slow start an
//!   acknowledgement counts in full, and slow start ends exactly at the threshold.
//! - g and the initial alpha are the same.
//!
//! **ns-2**: 2.35 has no DCTCP; its preset is the reference.

use sojourn_base::{Ecn, Fraction, ParamFault, Preset, Probability, params};

use crate::cc::parts::{Rounds, Window};
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Needs, Start};
use crate::ecn::EcnMode;
use crate::window_hooks;

params! {
    /// Parameters of DCTCP.
    pub struct Params {
        /// Weight g of the newest share of marks.
        g: Fraction = "0.0625";
        /// Alpha at the start.
        initial_alpha: Probability = "1";
        /// Whether packets are ECT(0) and not ECT(1), the codepoint of L4S (RFC 9331; ns-3's
        /// `UseEct0`).
        use_ect0: bool = "true";
    }
}

/// DCTCP.
#[derive(Debug, Clone)]
pub struct Dctcp {
    window: Window,
    preset: Preset,
    g: f64,
    codepoint: Ecn,
    alpha: f64,
    acked: u64,
    marked: u64,
    rounds: Rounds,
    /// There was an acknowledgement; ns-3's only.
    begun: bool,
}

impl Dctcp {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// None.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        Ok(Self {
            window: Window::new(start, preset),
            preset,
            g: params.g.0,
            codepoint: if params.use_ect0 {
                Ecn::Ect0
            } else {
                Ecn::Ect1
            },
            alpha: params.initial_alpha.0,
            acked: 0,
            marked: 0,
            rounds: Rounds::default(),
            begun: false,
        })
    }

    /// Whether a window was acknowledged. In ns-3 the first begins with the first acknowledgement.
    fn ends_round(&mut self, ack: &AckSample) -> bool {
        if self.preset == Preset::Ns3 && !core::mem::replace(&mut self.begun, true) {
            self.rounds.begin(ack.snd_nxt);
        }
        if matches!(self.preset, Preset::Linux | Preset::Ns3) {
            self.rounds.reached(ack.snd_una, ack.snd_nxt)
        } else {
            self.rounds.ended(ack.snd_una, ack.snd_nxt)
        }
    }

    /// Takes in the share of marks of a window.
    fn average(&mut self, share: f64) {
        if self.preset != Preset::Linux {
            self.alpha = ((1.0 - self.g) * self.alpha + self.g * share).clamp(0.0, 1.0);
            return;
        }
        let alpha = libm::floor(self.alpha * UNITS);
        let gone = libm::floor(alpha * self.g);
        let left = if gone > 0.0 { alpha - gone } else { 0.0 };
        let new = libm::floor(share * libm::floor(UNITS * self.g));
        self.alpha = ((left + new) / UNITS).min(1.0);
    }
}

/// Linux's units of alpha.
const UNITS: f64 = 1024.0;

impl CongestionControl for Dctcp {
    fn on_ack(&mut self, ack: &AckSample) {
        self.acked += ack.acked;
        self.marked += ack.marked;
        if self.ends_round(ack) {
            self.average(self.marked as f64 / self.acked.max(1) as f64);
            self.acked = 0;
            self.marked = 0;
        }
        if self.preset == Preset::Ns3 {
            self.window.grow_by_count(ack);
        } else {
            self.window.grow_reno(ack.acked, ack.may_grow);
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        if event.kind == LossKind::Ecn || self.preset == Preset::Ns3 {
            let (cwnd, gone) = (self.window.cwnd, 0.5 * self.alpha);
            if self.preset == Preset::Ns3 {
                self.window.reduce(event, cwnd * (1.0 - gone));
            } else {
                self.window.reduce_by(event, cwnd, gone);
            }
        } else {
            self.window.halve(event);
        }
    }

    fn needs(&self) -> Needs {
        Needs {
            ecn: EcnMode::Dctcp,
            codepoint: self.codepoint,
            loss_after_marks: self.preset == Preset::Linux,
            ..Needs::USUAL
        }
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("alpha", self.alpha);
    }

    window_hooks!();
}
