//! Hybla: a flow on a long path grows as one with a round-trip time of 25 ms does.
//!
//! C. Caini, R. Firrincieli, "TCP Hybla: a TCP enhancement for heterogeneous networks", Int. J.
//! Satellite Communications and Networking 22, 2004. Let rho = max(RTT / RTT0, 1). Slow start adds
//! 2^rho - 1 segments per acknowledgement, congestion avoidance rho^2 / W per acknowledged segment.
//! A loss halves the window.
//!
//! **Reference**: the paper's text as above, with the RTT and the bound of rho that Linux uses.
//!
//! **Linux**:
//!
//! - RTT is the least SRTT, RTT0 is 25 ms. In the exponent rho is at most 16 and counted in
//!   eighths.
//! - A handshake sets the window to rho, as in the paper. Without a handshake the window starts at
//!   `initial_window`.
//! - Both phases count acknowledgements, not the segments that they cover, and compute growth in
//!   parts of 128, rounded down.
//! - The window is at most 65535 segments.
//! - While losses are being repaired, marks are being answered or segments arrive out of order, the
//!   window grows as Reno's does.
//!
//! **ns-3** (`TcpHybla`):
//!
//! - RTT0 is 50 ms. RTT is in whole milliseconds, and rho remains 1 until SRTT is as short as the
//!   time that the answer to the SYN took.
//! - Slow start ends exactly at the threshold.
//! - The window grows by whole segments; fractions are carried over.

use sojourn_base::{ParamFault, Preset, Span, Time, params};

use crate::cc::parts::Window;
use crate::cc::{AckSample, CongestionControl, LossEvent, Start};
use crate::window_hooks;

params! {
    /// Parameters of Hybla.
    pub struct Params {
        /// Flows with a longer round-trip time than this grow as if they had this one.
        rtt0: Span = "25 ms", Ns3 = "50 ms";
    }
}

/// Hybla.
#[derive(Debug, Clone)]
pub struct Hybla {
    window: Window,
    preset: Preset,
    rtt0: f64,
    least_srtt: f64,
    rho: f64,
    /// Growth that is saved up, in parts of 128; Linux.
    saved: u64,
}

/// Largest exponent of slow start.
const MOST_RHO: f64 = 16.0;
/// Linux's largest window.
const MOST_CWND: f64 = 65_535.0;
/// 2 to the eighths of one, in parts of 128: `hybla_fraction`.
const POWERS: [u64; 8] = [128, 139, 152, 165, 181, 197, 215, 234];

impl Hybla {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// An `rtt0` of nothing.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        if params.rtt0 == Span::ZERO {
            return Err(ParamFault::new("rtt0", params.rtt0, "a time above zero"));
        }
        Ok(Self {
            window: Window::new(start, preset),
            preset,
            rtt0: params.rtt0.as_s(),
            least_srtt: f64::INFINITY,
            rho: 1.0,
            saved: 0,
        })
    }

    /// `hybla_cong_avoid`, for an acknowledgement.
    fn grow_like_linux(&mut self) {
        let eighths = (8.0 * self.rho) as u64;
        let slow_start = self.window.in_slow_start();
        let grown = if slow_start {
            let whole = (eighths / 8).min(MOST_RHO as u64);
            (POWERS[(eighths % 8) as usize] << whole) - 128
        } else {
            2 * eighths * eighths / self.window.cwnd as u64
        };
        self.saved += grown % 128;
        let segments = grown / 128 + self.saved / 128;
        self.saved %= 128;
        let mut cwnd = self.window.cwnd + segments as f64;
        if !slow_start && grown == 0 {
            // Reno's growth, where that is more.
            self.window.one_per(cwnd, 1.0);
            cwnd = self.window.cwnd;
        }
        if slow_start {
            cwnd = cwnd.min(self.window.ssthresh);
        }
        self.window.cwnd = cwnd.min(MOST_CWND);
    }

    /// `TcpHybla::SlowStart` and `TcpHybla::CongestionAvoidance`.
    fn grow_like_ns3(&mut self, segments: f64) {
        let mut left = segments;
        if self.window.in_slow_start() && left >= 1.0 {
            let mss = f64::from(self.window.mss());
            let times = libm::pow(2.0, self.rho.min(MOST_RHO)) - 1.0;
            let grown = self.window.cwnd + libm::floor(times * mss) / mss;
            self.window.cwnd = grown.min(self.window.ssthresh);
            left -= 1.0;
        }
        if !self.window.in_slow_start() {
            let gain = self.rho * self.rho / libm::floor(self.window.cwnd);
            self.window.save_up(left * gain);
        }
    }
}

impl CongestionControl for Hybla {
    fn on_handshake(&mut self, _now: Time, rtt: Span) {
        self.least_srtt = rtt.as_s();
        if self.preset == Preset::Linux {
            self.rho = (rtt.as_s() / self.rtt0).max(1.0);
            self.window.cwnd = libm::floor(self.rho);
        }
    }

    fn on_ack(&mut self, ack: &AckSample) {
        let srtt = ack.srtt.as_s();
        let is_least =
            srtt < self.least_srtt || (srtt == self.least_srtt && self.preset == Preset::Ns3);
        if srtt > 0.0 && is_least {
            self.least_srtt = srtt;
            let rtt = if self.preset == Preset::Ns3 {
                libm::floor(1e3 * srtt) / 1e3
            } else {
                srtt
            };
            self.rho = (rtt / self.rtt0).max(1.0);
        }
        if self.window.grew_as_reno(ack) || !ack.may_grow {
            return;
        }
        if self.preset == Preset::Linux {
            self.grow_like_linux();
            return;
        }
        let segments = self.window.acked(ack);
        if self.preset == Preset::Ns3 {
            self.grow_like_ns3(libm::floor(segments));
        } else if self.window.in_slow_start() {
            // Once for each acknowledgement: one for a whole window after a timeout would multiply
            // it.
            let times = libm::pow(2.0, self.rho.min(MOST_RHO)) - 1.0;
            let grown = self.window.cwnd + times * segments.min(1.0);
            // Slow start ends at the threshold.
            self.window.cwnd = grown.min(self.window.ssthresh.max(self.window.cwnd + 1.0));
        } else {
            self.window.additive(segments, self.rho * self.rho);
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        self.window.halve(event);
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("rho", self.rho);
    }

    window_hooks!();
}
