//! HighSpeed TCP: AIMD whose parameters depend on the window.
//!
//! S. Floyd, "HighSpeed TCP for Large Congestion Windows", RFC 3649, 2003. Up to `low_window`
//! segments it behaves as Reno. Above, with x = (ln W - ln 38) / (ln 83000 - ln 38), a loss takes
//! away b(W) = 0.5 + x (0.1 - 0.5) of W. The loss rate for W is p(W) = 0.078 / W^1.2, and the
//! window grows by a(W) = W^2 p(W) 2 b(W) / (2 - b(W)) segments per round trip (section 7). This p
//! is the line through the default windows (section 5); it is used for other windows too. Limited
//! slow start (RFC 3742) is left out.
//!
//! **Reference**: at a loss W is the flight, as in RFC 5681, whereas section 7 uses the window.
//!
//! **Linux**:
//!
//! - a and b come from the table of appendix B, which uses 1/12.8 instead of 0.078 and has a row
//!   for each window at which a has grown by one. In the RFC a row begins at its window; in Linux
//!   it ends there, so that from 39 to 118 segments the window grows by 2 and a loss takes away
//!   0.44. The last row, that of 89053, holds for all larger windows. b is in whole 256ths, rounded
//!   down.
//! - An acknowledgement counts for a(W) segments, however many segments it covers. A window's worth
//!   of them adds one segment, and the rest is carried over. What slow start leaves of an
//!   acknowledgement is discarded.
//! - A row is looked up only when the window grows past slow start. A loss in the first slow start
//!   therefore halves any window, and a loss soon after a timeout uses the row from before.
//! - The kernel has no parameters. With parameters other than the defaults, rows are computed by
//!   the same rule.
//!
//! **ns-3** (`TcpHighSpeed`): the same table, in which b has two digits. A loss looks up the row
//! too, for the flight. Each acknowledged segment counts for a(W) segments; each window's worth
//! adds one, and the rest is carried over.
//!
//! **ns-2** (`windowOption_ 8`): the same formulas, but p is a different line for other windows.

use sojourn_base::{Fraction, ParamFault, Preset, params};

use crate::cc::parts::Window;
use crate::cc::{AckSample, CongestionControl, LossEvent, Start};
use crate::window_hooks;

params! {
    /// Parameters of HighSpeed TCP.
    pub struct Params {
        /// Largest window, in segments, at which it behaves as Reno.
        low_window: f64 = "38";
        /// Window at the high end of the response function, segments.
        high_window: f64 = "83000";
        /// Part of the window that a loss takes away at `high_window`.
        high_decrease: Fraction = "0.1";
    }
}

/// HighSpeed TCP.
#[derive(Debug, Clone)]
pub struct HighSpeed {
    window: Window,
    law: Law,
    /// That of Linux and ns-3.
    table: Option<Table>,
}

/// The response function.
#[derive(Debug, Clone)]
struct Law {
    scale: f64,
    preset: Preset,
    low: f64,
    ln_low: f64,
    ln_ratio: f64,
    high_decrease: f64,
}

/// A row of the table of appendix B.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// Its window, the last for which Linux and ns-3 take it.
    up_to: f64,
    /// What the formula gives there: the table has the whole part.
    a: f64,
    /// In whole 256ths in Linux, in whole hundredths in ns-3.
    b: f64,
}

/// The rows that the window has come to, and the one that it was found in.
#[derive(Debug, Clone)]
struct Table {
    rows: Vec<Row>,
    found: usize,
}

/// p(W) = 0.078 / W^1.2 (section 5), the line through (38, 10^-3) and (83000, 10^-7).
const SCALE: f64 = 0.078;
const EXPONENT: f64 = -1.2;
/// The same in the program that made the table (appendix B).
const SCALE_OF_TABLE: f64 = 1.0 / 12.8;
/// The window of Linux's last row; the RFC and ns-3 have one more.
const LAST: u32 = 89_053;
const LAST_OF_NS3: u32 = 94_717;

impl Law {
    fn new(params: &Params, preset: Preset) -> Self {
        let ln_low = libm::log(params.low_window);
        let ln_ratio = libm::log(params.high_window) - ln_low;
        let has_table = matches!(preset, Preset::Linux | Preset::Ns3);
        Self {
            scale: if has_table { SCALE_OF_TABLE } else { SCALE },
            preset,
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
        let p = self.scale * libm::pow(w, EXPONENT);
        let b = self.decrease(w);
        (w * w * p * 2.0 * b / (2.0 - b)).max(1.0)
    }

    fn row(&self, w: f64) -> Row {
        let b = self.decrease(w);
        Row {
            up_to: w,
            a: self.increase(w),
            b: if self.preset == Preset::Ns3 {
                libm::round(100.0 * b) / 100.0
            } else {
                libm::floor(256.0 * b) / 256.0
            },
        }
    }

    /// The least window whose a is more than one above that of `row`; for want of one `row` goes
    /// on.
    fn row_after(&self, row: Row) -> Row {
        let last = if self.preset == Preset::Ns3 {
            LAST_OF_NS3
        } else {
            LAST
        };
        let mut windows = (row.up_to as u32..last).map(|w| f64::from(w + 1));
        let next = windows.find(|&w| self.increase(w) > row.a + 1.0);
        let goes_on = Row {
            up_to: f64::INFINITY,
            ..row
        };
        next.map_or(goes_on, |w| self.row(w))
    }
}

impl Table {
    fn new(law: &Law) -> Self {
        Self {
            rows: vec![law.row(law.low)],
            found: 0,
        }
    }

    fn row(&self) -> Row {
        self.rows[self.found]
    }

    fn aimd(&self) -> (f64, f64) {
        (libm::floor(self.row().a), self.row().b)
    }

    /// A row is that of the windows above the one before, up to its own.
    fn find(&mut self, law: &Law, window: f64) {
        while window > self.row().up_to {
            if self.found + 1 == self.rows.len() {
                self.rows.push(law.row_after(self.row()));
            }
            self.found += 1;
        }
        while self.found > 0 && window <= self.rows[self.found - 1].up_to {
            self.found -= 1;
        }
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
        let law = Law::new(params, preset);
        let has_table = matches!(preset, Preset::Linux | Preset::Ns3);
        let table = has_table.then(|| Table::new(&law));
        Ok(Self {
            window: Window::new(start, preset),
            law,
            table,
        })
    }

    /// a and b at a window of `w`; those of the table are of the row that was found last.
    fn aimd(&self, w: f64) -> (f64, f64) {
        self.table
            .as_ref()
            .map_or_else(|| (self.law.increase(w), self.law.decrease(w)), Table::aimd)
    }
}

impl CongestionControl for HighSpeed {
    fn on_ack(&mut self, ack: &AckSample) {
        let segments = if self.law.preset == Preset::Ns3 {
            self.window.past_slow_start(ack)
        } else {
            self.window.past_slow_start_alone(ack)
        };
        if segments <= 0.0 {
            return;
        }
        if let Some(table) = &mut self.table {
            table.find(&self.law, libm::floor(self.window.cwnd));
            let (a, _) = table.aimd();
            if self.law.preset == Preset::Ns3 {
                self.window.count_windows(segments * a);
            } else {
                self.window.one_per_window(a);
            }
        } else {
            let gain = self.law.increase(self.window.cwnd);
            self.window.additive(segments, gain);
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        let flight = self.window.flight(event);
        if let Some(table) = self
            .table
            .as_mut()
            .filter(|_| self.law.preset == Preset::Ns3)
        {
            table.find(&self.law, libm::floor(flight));
        }
        let (_, gone) = self.aimd(flight);
        self.window.reduce_by(event, flight, gone);
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        let (a, b) = self.aimd(self.window.cwnd);
        show("a", a);
        show("b", b);
    }

    window_hooks!();
}
