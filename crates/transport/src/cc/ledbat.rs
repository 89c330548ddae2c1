//! LEDBAT: a scavenger that keeps the queue at a target and yields to all others.
//!
//! S. Shalunov, G. Hazel, J. Iyengar, M. Kuehlewind, "Low Extra Delay Background Transport
//! (LEDBAT)", RFC 6817, 2012. Let off = (target - queueing delay) / target. Each acknowledgement
//! changes the window by gain x off x acked x MSS / cwnd. The window is at most one segment above
//! the flight, and at least two segments; in recovery it does not grow. The queueing delay is the
//! least of the last `filter` one-way delays minus the least of the last ten minutes. A loss halves
//! the window. Without timestamps the window grows as Reno's does.
//!
//! **Reference**:
//!
//! - The window begins with two segments (section 2.5), or with `initial_window` if that is less.
//! - There is no slow start, neither at the beginning nor after a timeout; section 2.2 leaves this
//!   open.
//! - A loss leaves half the window and at least two segments, but no more than there was (2.4.2).
//! - `filter` is 4, the smallest number of samples that section 2.5 asks for in a round trip. Its
//!   rule that no sample be older than a round trip is not modelled.
//! - Minutes are counted from the first sample. A minute without samples gives no value, and after
//!   ten such minutes measurement starts again (2.4.2).
//!
//! **Linux**, **ns-2**: have no LEDBAT; their presets are the reference.
//!
//! **ns-3** (`TcpLedbat`):
//!
//! - The target is 100 ms, and a flow begins with slow start. Delays and the target are in whole
//!   milliseconds.
//! - The window is at most what is outstanding, without the additional segment that the RFC allows,
//!   so that it never grows once slow start is over.
//! - The window begins with `initial_window`, a loss halves the flight, after a timeout there is
//!   slow start again, and minutes without samples do not count.
//! - A filter of 4 keeps three samples.

use sojourn_base::{ParamFault, Preset, Span, Time, params};

use crate::cc::parts::Window;
use crate::cc::parts::window::LEAST;
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Start};
use crate::sender::State;
use crate::window_hooks;

params! {
    /// Parameters of LEDBAT.
    pub struct Params {
        /// Target queueing delay; the RFC allows up to 100 ms.
        target: Span = "100 ms";
        /// Segments per round trip that an empty queue adds; the RFC allows up to 1.
        gain: f64 = "1";
        /// Number of latest delay samples of which the least counts.
        filter: u32 = "4", Ns3 = "3";
        /// Whether there is slow start, at the beginning and after timeouts.
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
    /// When the present minute began.
    minute_start: Option<Time>,
    current: [f64; MOST_FILTER],
    next: usize,
    queueing: f64,
    preset: Preset,
    slow_starts: bool,
}

/// Longest filter.
const MOST_FILTER: usize = 16;
/// The RFC's INIT_CWND, segments.
const INITIAL: u64 = 2;
const MINUTE: Span = Span::from_whole_s(60);

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
        if preset != Preset::Ns3 {
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

    fn by_rfc(&self) -> bool {
        self.preset != Preset::Ns3
    }

    /// Whether there is never any, not after a timeout either.
    fn skips_slow_start(&self) -> bool {
        self.by_rfc() && !self.slow_starts
    }

    /// Lets go of minutes that are over; those without samples have no least delay.
    fn turn_minutes(&mut self, now: Time) {
        let start = *self.minute_start.get_or_insert(now);
        let since = now.since(start);
        if self.by_rfc() {
            let gone = since.as_ps() / MINUTE.as_ps();
            let all = self.minutes.len() as u64;
            for _ in 0..gone.min(all) {
                self.minutes.rotate_right(1);
                self.minutes[0] = f64::INFINITY;
            }
            if gone >= all {
                self.current.fill(f64::INFINITY);
            }
            self.minute_start = Some(start + Span::from_ps(gone * MINUTE.as_ps()));
        } else if since > MINUTE {
            self.minutes.rotate_right(1);
            self.minutes[0] = f64::INFINITY;
            self.minute_start = Some(now);
        }
    }

    fn sample(&mut self, now: Time, delay: f64) {
        self.turn_minutes(now);
        self.minutes[0] = self.minutes[0].min(delay);
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
        let skips = self.skips_slow_start();
        if self.window.in_slow_start() && ack.may_grow && !skips {
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
        // While losses are repaired less is in flight than was let go, but after a timeout as much.
        let is_limit = match ack.state {
            State::Open | State::Cwr => true,
            State::Loss => skips,
            State::Recovery => false,
        };
        let most = if is_limit {
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
        let is_timeout = event.kind == LossKind::Timeout;
        if is_timeout || !self.by_rfc() {
            self.window.halve(event);
            if is_timeout && self.skips_slow_start() {
                self.window.ssthresh = LEAST;
            }
            return;
        }
        let cwnd = self.window.cwnd;
        self.window.reduce(event, 0.5 * cwnd);
        self.window.ssthresh = self.window.ssthresh.min(cwnd);
        self.window.cwnd = self.window.ssthresh;
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("queueing_delay_s", self.queueing);
    }

    window_hooks!();
}
