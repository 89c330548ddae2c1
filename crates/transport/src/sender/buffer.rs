//! The buffers in which Linux hands new segments down.
//!
//! What may go at once goes in buffers of two segments or more, as many as the pacing rate sends in
//! a millisecond, and of half a window at most (`tcp_write_xmit`, `tcp_cwnd_test`). A buffer of
//! several bears PSH, which is the last segment's when it is cut into segments
//! (`tcp_transmit_skb`), and so does the last segment that is written. A receiver that reads as it
//! comes acknowledges such a segment at once (`tcp_measure_rcv_mss`, `tcp_cleanup_rbuf`; since 6.6
//! and 6.1.57 where it is a full one too): a burst of three is acknowledged twice, and its last
//! segment not only with the next.

use sojourn_base::Time;

use super::Sender;
use crate::cc::CongestionControl;
use crate::pacing;

/// A buffer that is being sent.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Buffer {
    /// Segments that are still to go.
    left: u32,
    /// Whether it had several.
    is_of_several: bool,
}

impl Buffer {
    /// The number up to which it reaches from `next` on.
    pub(super) fn edge(self, next: u64, mss: u32) -> u64 {
        next + u64::from(self.left) * u64::from(mss)
    }

    /// So many of its segments are sent; tells whether the last of them bears PSH.
    pub(super) fn take(&mut self, segments: u32) -> bool {
        self.left -= segments;
        self.left == 0 && self.is_of_several
    }
}

impl Sender {
    /// The buffer that the next new segment goes down in.
    pub(super) fn next_buffer(&self, now: Time) -> Buffer {
        if self.buffer.left > 0 && self.last_send == now {
            return self.buffer;
        }
        let left = self.buffer_segments();
        Buffer {
            left,
            is_of_several: left > 1,
        }
    }

    /// Takes the next new segment, up to `end`, into a buffer; tells whether it bears PSH.
    pub(super) fn takes_push(&mut self, now: Time, end: u64) -> bool {
        self.buffer = self.next_buffer(now);
        self.buffer.take(1) || end >= self.written
    }

    /// The segments of a buffer that begins now, at least one.
    fn buffer_segments(&self) -> u32 {
        let mss = self.mss();
        let (flight, window) = self.room();
        let edge = self.stream_end().min(self.right_edge);
        let waiting = edge.saturating_sub(self.snd_nxt).div_ceil(mss);
        let most = (window / mss / 2)
            .min(window.saturating_sub(flight) / mss)
            .min(waiting);
        if most <= 2 {
            return most.max(1) as u32;
        }
        let at_once = self.paced_at().map_or(u8::MAX, |rate| {
            pacing::at_once(rate, mss as f64, self.cc.least_burst())
        });
        most.min(at_once.into()) as u32
    }
}
