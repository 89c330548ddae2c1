//! Acknowledgements that Linux combines while segments are missing.
//!
//! `__tcp_ack_snd_check` of Linux 6.1: the first three segments behind a hole are acknowledged at
//! once, as fast retransmission needs them. Later ones wait for a twentieth of the round trip and
//! at most a millisecond, and one acknowledgement reports all of them; no more than 44 segments
//! wait. The round trip is that of the handshake: twice the time that the first segment took.

use sojourn_base::{Span, Time};

/// The number of segments acknowledged at once behind each hole.
const AT_ONCE: u8 = 3;
/// The largest number that waits (`tcp_comp_sack_nr`).
const MOST: u8 = 44;
/// The longest wait (`tcp_comp_sack_delay_ns`).
const LONGEST: Span = Span::from_ms(1);

/// Segments behind a hole that wait to be acknowledged.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Gathering {
    wait: Span,
    /// The number expected when a segment last came behind a hole.
    expected: u64,
    /// Segments that were acknowledged at once since then.
    at_once: u8,
    waiting: u8,
}

impl Gathering {
    /// The first segment took that long.
    pub(super) fn on_first(&mut self, took: Span) {
        self.wait = LONGEST.min(Span::from_ps(took.as_ps() / 10));
    }

    /// A segment came behind a hole, where `rcv_nxt` is expected: returns until when its
    /// acknowledgement waits, unless one is sent before; none if it does not wait.
    pub(super) fn on_segment(&mut self, now: Time, rcv_nxt: u64) -> Option<Time> {
        if self.waiting == MOST {
            return None;
        }
        if self.expected != rcv_nxt {
            (self.expected, self.at_once) = (rcv_nxt, 0);
        }
        if self.at_once < AT_ONCE {
            self.at_once += 1;
            return None;
        }
        self.waiting += 1;
        Some(now + self.wait)
    }

    /// Whether an acknowledgement waits.
    pub(super) const fn is_waiting(&self) -> bool {
        self.waiting > 0
    }

    /// An acknowledgement is sent, which reports everything.
    pub(super) const fn on_ack(&mut self) {
        self.waiting = 0;
    }
}
