//! The buffers in which Linux passes new segments down (`tcp_write_xmit`).
//!
//! What may be sent at once is passed down in buffers of two or more segments: as many as the
//! pacing rate sends in a millisecond, and at most half the window (`tcp_cwnd_test`). Written data
//! is kept in `sk_buff`s of 64 KiB including all headers, which is 45 segments of 1448 bytes, and
//! each buffer is cut off one of them: so the last segment of an `sk_buff` may be sent alone.
//!
//! **PSH.** A buffer of several segments bears PSH. When it is cut into segments, the last one has
//! it (`tcp_transmit_skb`), and so does the last segment that is written. A receiver that reads
//! data as it arrives acknowledges such a segment at once (`tcp_measure_rcv_mss`,
//! `tcp_cleanup_rbuf`; since 6.6 and 6.1.57 also if it is a full segment). So a burst of three is
//! acknowledged twice, and its last segment need not wait for the next.
//!
//! **Waiting for more** (`tcp_tso_should_defer`, as in 6.1.192). Outside recovery, segments that do
//! not fill a buffer and are less than a third of the window wait for more room, if something was
//! sent in the last millisecond and the oldest segment should be acknowledged within another
//! millisecond. So the third segment, for which the window has grown, is often sent with those of
//! the next acknowledgement, and on a fast path several acknowledgements of single segments lead to
//! one burst.

use sojourn_base::{Span, Time};

use super::{Sender, State};
use crate::cc::CongestionControl;
use crate::pacing;

/// A buffer that is being sent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Buffer {
    /// Segments that are still to be sent.
    left: u32,
    /// Whether it had several segments.
    is_of_several: bool,
}

impl Buffer {
    /// The number up to which it reaches if its next segment begins at `next`.
    pub(super) fn edge(self, next: u64, mss: u32) -> u64 {
        next + u64::from(self.left) * u64::from(mss)
    }

    /// That many of its segments are sent; returns whether the last of them bears PSH.
    pub(super) fn take(&mut self, segments: u32) -> bool {
        self.left -= segments;
        self.left == 0 && self.is_of_several
    }
}

/// A buffer waits for more only if the last transmission is no longer ago than this, and the next
/// acknowledgement no further ahead.
const SOON: Span = Span::from_ms(1);

impl Sender {
    /// The buffer to which the next new segment belongs.
    pub(super) fn next_buffer(&self, now: Time) -> Buffer {
        if self.is_amid_buffer(now) {
            return self.buffer;
        }
        let left = self.buffer_segments();
        Buffer {
            left,
            is_of_several: left > 1,
        }
    }

    /// Puts the next new segment, up to `end`, into a buffer; returns whether the segment bears
    /// PSH.
    pub(super) fn takes_push(&mut self, now: Time, end: u64) -> bool {
        self.buffer = self.next_buffer(now);
        self.buffer.take(1) || end >= self.written
    }

    /// Whether what may be sent waits for more.
    pub(super) fn defers(&mut self, now: Time) -> bool {
        if !self.may_defer(now) {
            return false;
        }
        let mss = self.mss();
        let (flight, window) = self.room();
        let by_window = window.saturating_sub(flight) / mss * mss;
        let by_receiver = self.right_edge.saturating_sub(self.snd_nxt);
        let room = by_window.min(by_receiver);
        let third = window.min(self.right_edge.saturating_sub(self.snd_una)) / 3;
        if room < mss || room >= third || !self.hears_soon(now) {
            return false;
        }
        let left = self.left_of_skb();
        if left <= mss || room >= left || room / mss >= u64::from(self.full_buffer()) {
            return false;
        }
        if by_window < by_receiver {
            self.limited_until = self.snd_nxt;
        }
        true
    }

    /// Whether waiting is possible now: outside recovery, between buffers, and right after
    /// something was sent.
    fn may_defer(&self, now: Time) -> bool {
        matches!(self.state, State::Open | State::Cwr)
            && !self.is_amid_buffer(now)
            && self.next_send <= now
            && now.since(self.last_send.max(self.next_send)) <= SOON
    }

    /// Whether the oldest segment should be acknowledged soon, or should have been already.
    fn hears_soon(&self, now: Time) -> bool {
        let (Some(first), Some(srtt)) = (self.board.first(), self.rtt.srtt()) else {
            return false;
        };
        first.xmit + srtt <= now + SOON.min(Span::from_ps(srtt.as_ps() / 2))
    }

    /// Whether what is sent now belongs to a buffer that was begun at this instant.
    fn is_amid_buffer(&self, now: Time) -> bool {
        self.buffer.left > 0 && self.last_send == now
    }

    /// The number of segments of a buffer that begins now, at least one.
    fn buffer_segments(&self) -> u32 {
        let mss = self.mss();
        let (flight, window) = self.room();
        let by_receiver = self.right_edge.saturating_sub(self.snd_nxt);
        let most = (window / mss / 2)
            .min(window.saturating_sub(flight) / mss)
            .min(self.left_of_skb().min(by_receiver).div_ceil(mss));
        if most <= 2 {
            return most.max(1) as u32;
        }
        most.min(self.full_buffer().into()) as u32
    }

    /// The number of segments that the pacing rate sends at once.
    fn full_buffer(&self) -> u8 {
        self.paced_at().map_or(u8::MAX, |rate| {
            pacing::at_once(rate, self.mss() as f64, self.cc.least_burst())
        })
    }

    /// Bytes still to be sent of the `sk_buff` to which the next new segment belongs.
    fn left_of_skb(&self) -> u64 {
        let skb = self.config.pace.skb_bytes;
        let waiting = self.stream_end().saturating_sub(self.snd_nxt);
        waiting.min(skb - self.snd_nxt % skb)
    }
}
