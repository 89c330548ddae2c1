//! The window and threshold of controllers that grow as in RFC 5681, at least in slow start.

use sojourn_base::Preset;

use crate::cc::{AckSample, LossEvent, LossKind, Start};

/// The largest number of segments that one acknowledgement counts for where segments are counted:
/// RFC 9406's L without pacing.
pub const AGGREGATE: f64 = 8.0;

/// The part of a window that rounding may take away, bytes.
const ROUNDING: f64 = 1e-6;

/// A window and its threshold, in segments.
#[derive(Debug, Clone)]
pub struct Window {
    /// The window.
    pub cwnd: f64,
    /// The threshold; infinite while there is none.
    pub ssthresh: f64,
    /// The window and threshold before the last reduction, for undoing it.
    before: (f64, f64),
    mss: u32,
    initial: f64,
    most_per_ack: f64,
    /// The present value of that: 1 in the slow start after a timeout.
    most_now: f64,
    preset: Preset,
    /// The least that the window stands for, bytes: a segment, or nothing after a mark in ns-2.
    least: u64,
    /// Segments acknowledged towards the next one, where the window grows by whole segments.
    credit: f64,
}

/// The least window after a loss, segments (RFC 5681, equation 4).
pub const LEAST: f64 = 2.0;

impl Window {
    /// The window of a new connection.
    pub fn new(start: &Start, preset: Preset) -> Self {
        let mss = f64::from(start.mss);
        let ssthresh = match start.initial_ssthresh {
            u64::MAX => f64::INFINITY,
            bytes => bytes as f64 / mss,
        };
        let initial = start.initial_window as f64 / mss;
        Self {
            cwnd: initial,
            ssthresh,
            before: (initial, ssthresh),
            mss: start.mss,
            initial,
            most_per_ack: f64::from(start.byte_counting),
            most_now: f64::from(start.byte_counting),
            preset,
            least: u64::from(start.mss),
            credit: 0.0,
        }
    }

    /// Bytes of a segment.
    pub const fn mss(&self) -> u32 {
        self.mss
    }

    /// The window in whole bytes, at least one segment, except after a mark in ns-2.
    pub fn cwnd_bytes(&self) -> u64 {
        // A window of 7.7 segments is 7700 bytes, though 0.7 x 11 falls short of it.
        ((self.cwnd * f64::from(self.mss) + ROUNDING) as u64).max(self.least)
    }

    /// The threshold in whole bytes; `u64::MAX` while there is none.
    pub fn ssthresh_bytes(&self) -> u64 {
        if self.ssthresh == f64::INFINITY {
            u64::MAX
        } else {
            (self.ssthresh * f64::from(self.mss) + ROUNDING) as u64
        }
    }

    /// `bytes` in segments.
    pub fn segments(&self, bytes: u64) -> f64 {
        bytes as f64 / f64::from(self.mss)
    }

    /// The number of segments that an acknowledgement of `acked` bytes counts for, at most L.
    pub fn counted(&self, acked: u64) -> f64 {
        let enough = self.most_now * f64::from(self.mss);
        // Nearly every acknowledgement: the division would only be waited for.
        if acked as f64 >= enough {
            return self.most_now;
        }
        self.segments(acked)
    }

    /// The segments acknowledged, at most [`AGGREGATE`] except in ns-3: for controllers that count
    /// segments.
    pub fn acked(&self, ack: &AckSample) -> f64 {
        let segments = self.segments(ack.acked);
        if self.preset == Preset::Ns3 {
            return segments;
        }
        segments.min(AGGREGATE.max(self.most_per_ack))
    }

    /// Slow start as in RFC 5681; returns what is left for congestion avoidance, in acknowledged
    /// segments. Zero if the window may not grow.
    pub fn past_slow_start(&mut self, ack: &AckSample) -> f64 {
        if !ack.may_grow {
            return 0.0;
        }
        if self.preset == Preset::Ns3 {
            return self.slow_start_like_ns3(self.segments(ack.acked));
        }
        if !self.in_slow_start() {
            return self.acked(ack);
        }
        let counted = self.counted(ack.acked);
        self.slow_start(counted)
    }

    /// The same for controllers whose modules in Linux do not use what `tcp_slow_start` leaves of
    /// an acknowledgement, nor in ns-3 what `TcpNewReno::SlowStart` leaves.
    pub fn past_slow_start_alone(&mut self, ack: &AckSample) -> f64 {
        let is_peer = matches!(self.preset, Preset::Linux | Preset::Ns3);
        let forgets = is_peer && self.in_slow_start();
        let left = self.past_slow_start(ack);
        if forgets { 0.0 } else { left }
    }

    /// Whether the window is below the threshold: slow start (RFC 5681, 3.1).
    pub fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Slow start by `segments` (RFC 5681, equation 2), up to the threshold; returns what is left.
    pub fn slow_start(&mut self, segments: f64) -> f64 {
        let left = self.grow_to_threshold(segments);
        if !self.in_slow_start() {
            self.most_now = self.most_per_ack;
        }
        left
    }

    fn grow_to_threshold(&mut self, segments: f64) -> f64 {
        let room = self.ssthresh - self.cwnd;
        if segments <= room {
            self.cwnd += segments;
            return 0.0;
        }
        // A whole acknowledgement's growth may pass a threshold that is not whole.
        if segments <= 1.0 {
            self.cwnd += segments;
            return 0.0;
        }
        let used = room.max(0.0);
        self.cwnd += used;
        segments - used
    }

    /// Grows by `gain` segments per window acknowledged (RFC 5681, equation 3, has 1). In Linux the
    /// window is whole and acknowledged segments are saved up: a window of 10.9 segments holds 10,
    /// so that the equation alone grows it by less than one segment a round trip. In ns-3 growth is
    /// that of NewReno, whatever the gain.
    pub fn additive(&mut self, segments: f64, gain: f64) {
        match self.preset {
            Preset::Reference | Preset::Ns2 => self.cwnd += gain * segments / self.cwnd,
            Preset::Linux if gain > 0.0 => self.one_per((self.cwnd / gain).max(1.0), segments),
            Preset::Linux => {}
            Preset::Ns3 => self.avoid_like_ns3(segments),
        }
    }

    /// `TcpNewReno::CongestionAvoidance`: once for each acknowledgement of a segment or more.
    /// Windows are whole bytes in ns-3, and the increment is rounded down, to at least one. A
    /// window of 500 segments of 1448 bytes grows by 2 bytes instead of 2.9, which is a third less
    /// per round trip than in RFC 5681.
    fn avoid_like_ns3(&mut self, segments: f64) {
        if segments >= 1.0 {
            let (mss, cwnd) = (f64::from(self.mss), self.cwnd_bytes() as f64);
            self.cwnd = (cwnd + libm::floor(mss * mss / cwnd).max(1.0)) / mss;
        }
    }

    /// `TcpNewReno::SlowStart`: a segment for each acknowledgement of one or more, past the
    /// threshold too. Returns what is left once the threshold is reached, in whole segments.
    fn slow_start_like_ns3(&mut self, segments: f64) -> f64 {
        let mut left = libm::floor(segments);
        if self.in_slow_start() && left >= 1.0 {
            self.cwnd += 1.0;
            left -= 1.0;
        }
        if self.in_slow_start() { 0.0 } else { left }
    }

    /// One segment for every `each` that are acknowledged; the rest is forgotten.
    pub fn some_per(&mut self, each: f64, segments: f64) {
        self.credit += segments;
        if self.credit >= each {
            self.cwnd += libm::floor(self.credit / each);
            self.credit = 0.0;
        }
    }

    /// One segment if `each` segments were acknowledged before, and one for every `each` with those
    /// acknowledged now; the rest is forgotten (`TcpScalable`).
    pub fn one_and_some_per(&mut self, each: f64, segments: f64) {
        if self.credit >= each {
            self.credit = 0.0;
            self.cwnd += 1.0;
        }
        self.some_per(each, segments);
    }

    /// Whether `each` segments were acknowledged before. If so, the count begins again, without
    /// this acknowledgement.
    pub fn had_counted(&mut self, each: f64, segments: f64) -> bool {
        let had = self.credit >= each;
        self.credit = if had { 0.0 } else { self.credit + segments };
        had
    }

    /// One segment for every `each` that are acknowledged; the rest is kept for the next time.
    pub fn one_per(&mut self, each: f64, segments: f64) {
        if self.credit >= each {
            self.credit = 0.0;
            self.cwnd += 1.0;
        }
        self.credit += segments;
        let whole = libm::floor(self.credit / each);
        self.credit -= whole * each;
        self.cwnd += whole;
    }

    /// ns-3's count of whole segments: one for each window's worth of what is saved up, `gain` at a
    /// time, rounded down. The rest is kept, and the window's fraction of a segment is lost.
    pub fn count_windows(&mut self, gain: f64) {
        let before = libm::floor(self.cwnd);
        let mut window = before;
        self.credit = libm::floor(self.credit + gain);
        while self.credit >= window {
            self.credit -= window;
            window += 1.0;
        }
        if window > before {
            self.cwnd = window;
        }
    }

    /// Whole segments out of what is saved up, `gain` at a time; the rest is kept.
    pub fn save_up(&mut self, gain: f64) {
        self.credit += gain;
        let whole = libm::floor(self.credit);
        self.credit -= whole;
        self.cwnd += whole;
    }

    /// At most one segment if `each` segments or more are acknowledged; all the rest is kept.
    pub fn one_at_most_per(&mut self, each: f64, segments: f64) {
        self.credit += segments;
        if self.credit >= each {
            self.credit -= each;
            self.cwnd += 1.0;
        }
    }

    /// At most one segment for a window's worth of what is saved up, `gain` at a time; the rest is
    /// kept.
    pub fn one_per_window(&mut self, gain: f64) {
        let window = libm::floor(self.cwnd);
        self.credit += gain;
        if self.credit >= window {
            self.credit -= window;
            self.cwnd += 1.0;
        }
    }

    /// RFC 5681's growth.
    pub fn grow_reno(&mut self, acked: u64, may_grow: bool) {
        if !may_grow {
            return;
        }
        if self.preset == Preset::Ns3 {
            let left = self.slow_start_like_ns3(self.segments(acked));
            self.avoid_like_ns3(left);
            return;
        }
        let mut segments = self.counted(acked);
        if self.in_slow_start() {
            segments = self.slow_start(segments);
        }
        if segments > 0.0 {
            self.additive(segments, 1.0);
        }
    }

    /// `TcpLinuxReno::IncreaseWindow`: growth as in Linux, with slow start ending at the threshold.
    pub fn grow_by_count(&mut self, ack: &AckSample) {
        let segments = libm::floor(self.segments(ack.acked));
        if !ack.may_grow {
            return;
        }
        if self.in_slow_start() {
            self.cwnd = (self.cwnd + segments).min(self.ssthresh);
        } else {
            self.one_per(libm::floor(self.cwnd).max(1.0), segments);
        }
    }

    /// The same for controllers whose own growth Linux suspends while losses are repaired, marks
    /// are answered or segments come out of order. Returns whether that is so.
    pub fn grew_as_reno(&mut self, ack: &AckSample) -> bool {
        let suspended = self.preset == Preset::Linux && !ack.is_open();
        if suspended {
            self.grow_reno(ack.acked, ack.may_grow);
        }
        suspended
    }

    /// FlightSize in segments, as RFC 5681 needs it for the threshold.
    pub fn flight(&self, event: &LossEvent) -> f64 {
        // ns-2 halves the window, which is no whole number of bytes.
        if self.preset == Preset::Ns2 && event.in_flight == self.cwnd_bytes() {
            return self.cwnd;
        }
        self.segments(event.in_flight)
    }

    /// A congestion event that sets the threshold to `segments`, and outside a timeout the window
    /// too; after a timeout the window is one segment (RFC 5681, 3.1). In Linux both are whole
    /// segments. In ns-3 both are whole bytes, and what was acknowledged towards the next segment
    /// still counts. In ns-2 only the threshold is whole segments, and the window may be less than
    /// two.
    pub fn reduce(&mut self, event: &LossEvent, segments: f64) {
        if !event.again {
            self.before = (self.cwnd, self.ssthresh);
            let goal = match self.preset {
                Preset::Ns2 | Preset::Linux => libm::floor(segments),
                Preset::Ns3 => {
                    libm::floor(segments * f64::from(self.mss) + ROUNDING) / f64::from(self.mss)
                }
                Preset::Reference => segments,
            };
            self.ssthresh = goal.max(LEAST);
        }
        if self.preset != Preset::Ns3 {
            self.credit = 0.0;
        }
        self.most_now = self.most_per_ack;
        self.least = match (event.kind, self.preset) {
            (LossKind::Ecn, Preset::Ns2) => 0,
            _ => u64::from(self.mss),
        };
        match (event.kind, self.preset) {
            (LossKind::Timeout, _) => self.begin_with_one(),
            (_, Preset::Ns2) => self.cwnd = segments,
            _ => self.cwnd = self.ssthresh,
        }
    }

    /// Begins slow start from one segment. What is acknowledged then may have arrived long before,
    /// so no acknowledgement counts for more than one segment (RFC 3465, 2.3), except in programs
    /// without such a rule.
    pub fn begin_with_one(&mut self) {
        self.cwnd = 1.0;
        if self.preset == Preset::Reference {
            self.most_now = self.most_per_ack.min(1.0);
        }
    }

    /// A congestion event that takes away the part `gone` of `segments`. Linux rounds down what is
    /// taken away; ns-3 rounds down what is left.
    pub fn reduce_by(&mut self, event: &LossEvent, segments: f64, gone: f64) {
        let whole = libm::floor(segments);
        let left = match self.preset {
            Preset::Reference | Preset::Ns2 => segments * (1.0 - gone),
            Preset::Linux => whole - libm::floor(whole * gone),
            Preset::Ns3 => libm::floor(whole * (1.0 - gone)),
        };
        self.reduce(event, left);
    }

    /// Halves the window, as RFC 5681 does.
    pub fn halve(&mut self, event: &LossEvent) {
        let flight = self.flight(event);
        self.reduce(event, 0.5 * flight);
    }

    /// Undoes the last reduction. In Linux the threshold is then at least three quarters of the
    /// window.
    pub fn undo(&mut self) {
        let (cwnd, ssthresh) = self.before;
        self.most_now = self.most_per_ack;
        self.cwnd = self.cwnd.max(cwnd);
        self.ssthresh = self.ssthresh.max(ssthresh);
        if self.preset == Preset::Linux {
            let held = libm::floor(cwnd / 2.0) + libm::floor(cwnd / 4.0);
            self.ssthresh = self.ssthresh.max(held);
        }
    }

    /// After idle time: at most the initial window (RFC 5681, 4.1).
    pub fn restart(&mut self) {
        self.cwnd = self.cwnd.min(self.initial);
        self.most_now = self.most_per_ack;
    }

    /// Sets both, for tests.
    pub fn set(&mut self, cwnd: f64, ssthresh: f64) {
        self.cwnd = cwnd;
        self.ssthresh = ssthresh;
    }
}

/// The hooks that a controller with a [`Window`] called `window` passes on unchanged; `but on_undo`
/// for one that does more there.
#[macro_export]
#[doc(hidden)]
macro_rules! window_hooks {
    () => {
        fn on_undo(&mut self, _now: sojourn_base::Time) {
            self.window.undo();
        }
        window_hooks!(but on_undo);
    };
    (but on_undo) => {
        fn on_restart(&mut self, _now: sojourn_base::Time) {
            self.window.restart();
        }
        fn cwnd(&self) -> u64 {
            self.window.cwnd_bytes()
        }
        fn ssthresh(&self) -> u64 {
            self.window.ssthresh_bytes()
        }
        fn set_window(&mut self, cwnd: f64, ssthresh: f64) {
            self.window.set(cwnd, ssthresh);
        }
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_base::{Stream, Time};

    fn halved(preset: Preset) -> f64 {
        let start = Start {
            mss: 100,
            initial_window: 1000,
            initial_ssthresh: 1000,
            byte_counting: 1,
            sack: false,
            random: Stream::new(7),
        };
        let mut window = Window::new(&start, preset);
        window.cwnd = 7.005;
        let event = LossEvent {
            now: Time::ZERO,
            kind: LossKind::FastRetransmit,
            in_flight: window.cwnd_bytes(),
            snd_nxt: 0,
            again: false,
        };
        window.halve(&event);
        window.cwnd
    }

    #[test]
    fn ns2_halves_a_window_that_is_no_whole_number_of_bytes() {
        assert_eq!(halved(Preset::Ns2), 3.5025);
        assert_eq!(halved(Preset::Reference), 3.5);
    }
}
