//! How the window of Linux's receivers grows, and with it the number of acknowledgements: while it does, each segment is
//! acknowledged at once.
//!
//! `tcp_rcv_space_adjust` and `tcp_grow_window` of Linux 6.1 under its usual `tcp_rmem`: a buffer of 131072 bytes that
//! grows to 6 MiB, half of which is window. A round trip that brought more than any before lets the buffer grow to twice what it
//! brought, and by twice its relative rise more; then each segment lets the window grow by two, until it is half the
//! buffer. In slow start that is nearly always so: what acknowledgements tell of the path, as to HyStart, they tell of
//! every segment.
//!
//! Here nothing but these acknowledgements comes of it: the window that is offered does not limit the sender. The
//! receiver takes the way back to last as long as the least of the ways there, since segments do not echo its stamps.
//! What is over after two round trips without growth does not begin again.

use sojourn_base::{Span, Time};

/// Half of the first and of the largest buffer.
const FIRST: u64 = 65_536;
const MOST: u64 = 3 << 20;
/// Segments that are expected in the first round trip.
const FIRST_SEGMENTS: u64 = 10;
/// Segments of cushion.
const CUSHION: u64 = 16;
/// Round trips without growth after which it is over.
const STILL: u8 = 2;
/// Smaller segments let nothing grow.
const LEAST_SEGMENT: u32 = 128;

/// A window that may grow.
#[derive(Debug, Clone)]
pub(super) struct Growth {
    mss: u64,
    window: u64,
    /// What it may grow to.
    most: u64,
    /// The least time that a segment took to come.
    least: Span,
    /// The smoothed round-trip time: of what is sent at one instant, the first tells it.
    rtt: Span,
    sampled: Time,
    /// When the present round trip began, and the number expected then.
    began: Time,
    from: u64,
    /// Bytes of the round trip that brought the most.
    brought: u64,
    still: u8,
}

impl Growth {
    pub(super) fn new(mss: u32) -> Self {
        let mss = u64::from(mss);
        Self {
            mss,
            window: FIRST,
            most: FIRST,
            least: Span::ZERO,
            rtt: Span::ZERO,
            sampled: Time::ZERO,
            began: Time::ZERO,
            from: 0,
            brought: FIRST.min(FIRST_SEGMENTS * mss),
            still: 0,
        }
    }

    /// A segment of `len` bytes that was sent at `stamp` arrives, where `rcv_nxt` is expected; tells whether the window
    /// grows by it.
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
            self.rtt = smoothed.min(sample);
        }
        self.sampled = stamp;
        let grows = self.window < self.most && len >= LEAST_SEGMENT;
        if grows {
            self.window = self.most.min(self.window + 2 * self.mss);
        }
        grows
    }

    /// The application has read all before `rcv_nxt`; tells whether it is over.
    pub(super) fn on_read(&mut self, now: Time, rcv_nxt: u64) -> bool {
        // There the first begins with the handshake, a segment's transmission earlier, and stamps are whole milliseconds.
        let nearly = Span::from_ps(self.rtt.as_ps() / 16 * 15);
        if self.rtt == Span::ZERO || now.since(self.began) < nearly {
            return false;
        }
        let brought = rcv_nxt - self.from;
        if brought > self.brought {
            let counted = brought.min(2 * MOST);
            let wanted = 2 * counted + CUSHION * self.mss;
            let rose = wanted * counted.saturating_sub(self.brought) / self.brought;
            let segments = (wanted + 2 * rose) / self.mss;
            self.most = self.most.max(MOST.min(segments * self.held_for() / 2));
            self.brought = brought;
            self.still = 0;
        } else {
            self.still = self.still.saturating_add(1);
        }
        (self.began, self.from) = (now, rcv_nxt);
        self.window == MOST || self.still >= STILL && self.window >= self.most
    }

    /// Bytes of buffer that the kernel reckons for a segment: with its headers and what it is kept in, in steps of 128,
    /// at least twice itself.
    fn held_for(&self) -> u64 {
        let kept = self.mss + 320 + 576;
        let short = (2 * self.mss).saturating_sub(kept);
        kept + short.next_multiple_of(128)
    }
}
