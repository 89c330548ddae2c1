//! How the window of a Linux receiver grows, and with it the number of acknowledgements: while the
//! window grows, each segment is acknowledged at once.
//!
//! `tcp_rcv_space_adjust` and `tcp_grow_window` of Linux 6.1 under its usual `tcp_rmem`: a buffer
//! of 131072 bytes that grows to 6 MiB, half of which is window. When a round trip brings more than
//! any before, the buffer may grow to twice what it brought, and by twice the relative increase
//! more. Then each segment lets the window grow by two segments, until it is half the buffer. This
//! is nearly always the case in slow start, so that acknowledgements then tell about the path, for
//! example to HyStart, with every segment. A slow start that more than doubles the window, such as
//! Hybla's, is held back by this growth.
//!
//! The receiver assumes that the way back takes as long as the fastest segment took to come, since
//! segments do not echo its stamps. When a hole is filled, everything behind it reaches the
//! application at once: so losses make round trips that bring much, and windows grow for long after
//! them. After two round trips without growth the receiver examines only the first segment after
//! each round trip.

use sojourn_base::{Span, Time};

use crate::params::Config;

/// The number of segments expected in the first round trip.
const FIRST_SEGMENTS: u64 = 10;
/// Additional segments of room.
const CUSHION: u64 = 16;
/// The number of round trips without growth after which it rests.
const STILL: u8 = 2;
/// Segments smaller than this let nothing grow.
const LEAST_SEGMENT: u32 = 128;

/// A window that may grow.
#[derive(Debug, Clone)]
pub(super) struct Growth {
    mss: u64,
    window: u64,
    /// The limits to which it may grow now, and ever.
    most: u64,
    largest: u64,
    /// The least time that a segment took to come.
    least: Span,
    /// The smoothed round-trip time; of segments sent at one instant only the first counts.
    rtt: Span,
    sampled: Time,
    /// When the present round trip began, and the number expected then.
    began: Time,
    from: u64,
    /// Bytes of the round trip that brought the most.
    brought: u64,
    still: u8,
    /// Nothing has to be examined before this instant.
    rests_until: Time,
}

impl Growth {
    /// The first window of a connection.
    pub(super) fn new(config: &Config) -> Self {
        let mss = u64::from(config.mss);
        let window = config.first_window();
        Self {
            mss,
            window,
            most: window,
            largest: config.window,
            least: Span::ZERO,
            rtt: Span::ZERO,
            sampled: Time::ZERO,
            began: Time::ZERO,
            from: 0,
            brought: window.min(FIRST_SEGMENTS * mss),
            still: 0,
            rests_until: Time::ZERO,
        }
    }

    /// The window.
    pub(super) const fn window(&self) -> u64 {
        self.window
    }

    /// Until when no arrival lets anything grow.
    pub(super) const fn rests_until(&self) -> Time {
        self.rests_until
    }

    /// A segment of `len` bytes that was sent at `stamp` arrives, where `rcv_nxt` is expected;
    /// returns whether the window grows by it.
    pub(super) fn on_segment(&mut self, now: Time, len: u32, stamp: Time, rcv_nxt: u64) -> bool {
        if self.rtt == Span::ZERO {
            (self.began, self.from) = (now, rcv_nxt);
            self.least = now.since(stamp);
            self.rtt = self.least + self.least;
        } else if stamp != self.sampled {
            let took = now.since(stamp);
            self.least = self.least.min(took);
            let sample = took + self.least;
            let smoothed = Span::from_ps((7 * self.rtt.as_ps() + sample.as_ps()) / 8);
            // It has taken no samples while it rested.
            self.rtt = if self.rests_until > Time::ZERO {
                sample
            } else {
                smoothed.min(sample)
            };
        }
        self.sampled = stamp;
        let grows = self.window < self.most && len >= LEAST_SEGMENT;
        if grows {
            self.window = self.most.min(self.window + 2 * self.mss);
        }
        grows
    }

    /// The application has read everything before `rcv_nxt`; returns whether the window will never
    /// grow again.
    pub(super) fn on_read(&mut self, now: Time, rcv_nxt: u64) -> bool {
        if self.rtt == Span::ZERO || now < self.ends() {
            return false;
        }
        let brought = rcv_nxt - self.from;
        if brought > self.brought {
            let counted = brought.min(2 * self.largest);
            let wanted = 2 * counted + CUSHION * self.mss;
            let rose = wanted * counted.saturating_sub(self.brought) / self.brought;
            let segments = (wanted + 2 * rose) / self.mss;
            let held = segments.saturating_mul(self.held_for()) / 2;
            self.most = self.most.max(self.largest.min(held));
            self.brought = brought;
            self.still = 0;
        } else {
            self.still = self.still.saturating_add(1);
        }
        (self.began, self.from) = (now, rcv_nxt);
        let rests = self.still >= STILL && self.window >= self.most;
        self.rests_until = if rests { self.ends() } else { Time::ZERO };
        self.window == self.largest
    }

    /// When the present round trip ends. There the first begins with the handshake, a segment's
    /// transmission earlier, and stamps are whole milliseconds.
    fn ends(&self) -> Time {
        self.began + Span::from_ps(self.rtt.as_ps() / 16 * 15)
    }

    /// Bytes of buffer that the kernel counts for a segment: with its headers and what it is kept
    /// in, in steps of 128, at least twice itself.
    fn held_for(&self) -> u64 {
        let kept = self.mss + 320 + 576;
        let short = (2 * self.mss).saturating_sub(kept);
        kept + short.next_multiple_of(128)
    }
}
