//! LEDBAT: a scavenger that keeps the queue at a target and yields to all others.
//!
//! S. Shalunov, G. Hazel, J. Iyengar, M. Kuehlewind, "Low Extra Delay Background Transport
//! (LEDBAT)", RFC 6817, 2012. Let off = (target - queueing delay) / target. Each acknowledgement
//! changes the window by gain x off x acked x MSS / cwnd. The window is at most one segment above
//! the flight, and at least two segments. The queueing delay is the least of the last `filter`
//! one-way delays minus the least of the last ten minutes. A loss halves the window. Without
//! timestamps the window grows as Reno's does.
//!
//! **Reference**: no slow start (it is optional in section 2.4.2's implementation notes), filter 4.
//! The minimum filter over CURRENT_FILTER samples and the limit of the window follow section 2.4.2.
//! The rule that samples be no older than a round trip is not modelled. The window begins with two
//! segments (section 2.5), or with `initial_window` if that is less.
//!
//! **Linux**, **ns-2**: have no LEDBAT; their presets are the reference, but that the window begins
//! with `initial_window`.
//!
//! **ns-3** (`TcpLedbat`):
//!
//! - The target is 100 ms, and there is slow start first. Delays and the target are in whole
//!   milliseconds.
//! - The window is at most what is outstanding, without the additional segment that the RFC allows,
//!   so that it never grows once slow start is over.
//! - After a timeout there is slow start again.
//! - A filter of 4 keeps three samples.

use sojourn_base::{ParamFault, Preset, Span, Time, params};

use crate::cc::parts::Window;
use crate::cc::parts::window::LEAST;
use crate::cc::{AckSample, CongestionControl, LossEvent, Start};
use crate::sender::State;
use crate::window_hooks;

params! {
    /// Parameters of LEDBAT.
    pub struct Params {
        /// Queueing delay to aim at; the RFC allows up to 100 ms.
        target: Span = "100 ms";
        /// Segments per round trip that an empty queue adds; the RFC allows up to 1.
        gain: f64 = "1";
        /// Number of latest delay samples of which the least counts.
        filter: u32 = "4", Ns3 = "3";
        /// Whether there is slow start before the first loss.
        slow_start: bool = "false", Ns3 = "true";
    }
}

/// LEDBAT.
#[derive(Debug, Clone)]
pub struct Ledbat {
    window: Window,
    target: f64,
    gain: f64,
    filter: usize,
    /// Least one-way delay of each of the last minutes, newest first.
    minutes: [f64; 10],
    minute_start: Option<Time>,
    current: [f64; MOST_FILTER],
    next: usize,
    queueing: f64,
    /// ns-3's.
    preset: Preset,
    slow_starts: bool,
}

/// Longest filter.
const MOST_FILTER: usize = 16;
/// The RFC's INIT_CWND, segments.
const INITIAL: u64 = 2;

impl Ledbat {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// A `target` of nothing, a `gain` of zero or less, a `filter` beyond 16.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        if params.target == Span::ZERO {
            return Err(ParamFault::new(
                "target",
                params.target,
                "a time above zero",
            ));
        }
        if params.gain <= 0.0 {
            return Err(ParamFault::new("gain", params.gain, "a number above 0"));
        }
        if params.filter as usize > MOST_FILTER {
            return Err(ParamFault::new(
                "filter",
                params.filter,
                "a whole number from 1 to 16",
            ));
        }
        let mut start = start.clone();
        if preset == Preset::Reference {
            let most = INITIAL * u64::from(start.mss);
            start.initial_window = start.initial_window.min(most);
        }
        let mut window = Window::new(&start, preset);
        if !params.slow_start {
            window.ssthresh = window.ssthresh.min(LEAST);
        }
        Ok(Self {
            window,
            target: params.target.as_s(),
            gain: params.gain,
            filter: params.filter as usize,
            minutes: [f64::INFINITY; 10],
            minute_start: None,
            current: [f64::INFINITY; MOST_FILTER],
            next: 0,
            queueing: 0.0,
            preset,
            slow_starts: params.slow_start,
        })
    }

    fn sample(&mut self, now: Time, delay: f64) {
        let start = *self.minute_start.get_or_insert(now);
        if now.since(start) > Span::from_whole_s(60) {
            self.minutes.rotate_right(1);
            self.minutes[0] = delay;
            self.minute_start = Some(now);
        } else {
            self.minutes[0] = self.minutes[0].min(delay);
        }
        self.current[self.next] = delay;
        self.next = (self.next + 1) % self.filter;
        let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
        self.queueing = least(&self.current[..self.filter]) - least(&self.minutes);
    }

    /// `TcpLedbat::IncreaseWindow`.
    fn grow_like_ns3(&mut self, ack: &AckSample) {
        if !ack.may_grow {
            return;
        }
        self.slow_starts |= self.window.cwnd <= 1.0;
        if self.slow_starts && self.window.cwnd <= self.window.ssthresh {
            self.window.cwnd += libm::floor(self.window.acked(ack)).min(1.0);
            return;
        }
        self.slow_starts = false;
        let mss = f64::from(self.window.mss());
        let acked = self.window.acked(ack);
        let off = (self.target - self.queueing) / self.target;
        let cwnd = self.window.cwnd_bytes() as f64;
        let moved = libm::floor(cwnd + self.gain * off * acked * mss * mss / cwnd);
        let most = (ack.snd_nxt - ack.snd_una) as f64 + acked * mss;
        self.window.cwnd = (moved.min(most) / mss).max(LEAST);
        if self.window.cwnd <= self.window.ssthresh {
            self.window.ssthresh = self.window.cwnd - 1.0 / mss;
        }
    }
}

impl CongestionControl for Ledbat {
    fn on_ack(&mut self, ack: &AckSample) {
        let Some(delay) = ack.one_way_s() else {
            self.window.grow_reno(ack.acked, ack.may_grow);
            return;
        };
        self.sample(ack.now, delay);
        if self.preset == Preset::Ns3 {
            self.grow_like_ns3(ack);
            return;
        }
        // Of the window nothing was in flight yet.
        if ack.is_of_syn() {
            return;
        }
        if self.window.in_slow_start() && ack.may_grow {
            let counted = self.window.counted(ack.acked);
            self.window.slow_start(counted);
            return;
        }
        let off = (self.target - self.queueing) / self.target;
        let cwnd = self.window.cwnd;
        let mut moved = cwnd;
        if off <= 0.0 || ack.may_grow {
            moved += self.gain * off * self.window.acked(ack) / cwnd;
        }
        // While losses are repaired less is in flight than was let go.
        let most = if matches!(ack.state, State::Open | State::Cwr) {
            self.window.segments(ack.prior_in_flight) + 1.0
        } else {
            cwnd
        };
        self.window.cwnd = moved.min(most).max(LEAST);
        if self.window.ssthresh.is_finite() {
            self.window.ssthresh = self.window.ssthresh.min(self.window.cwnd);
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        self.window.halve(event);
    }

    fn on_undo(&mut self, _now: Time) {
        self.window.undo();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("queueing_delay_s", self.queueing);
    }

    window_hooks!();
}
