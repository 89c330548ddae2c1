//! What is in flight, segment by segment: the scoreboard and `pipe` of RFC 6675.
//!
//! A ring with one entry of 24 bytes per outstanding segment, in order of sequence number, and
//! running sums, so that `pipe` costs nothing. Two cursors keep the cost of searching for lost
//! segments constant per segment, however large the window. Every first transmission below
//! `undecided` is lost or delivered, or was considered lost. Retransmissions, which are in order of
//! time and not of sequence number, are kept in a queue of their own.

mod loss;
mod ring;
mod sack;

use core::hint::select_unpredictable;
use std::collections::{BTreeSet, VecDeque};

use sojourn_base::prefetch::prefetch;
use sojourn_base::{Span, Time};

use ring::Ring;

/// Has been reported by a SACK block.
const SACKED: u8 = 1;
/// Is held to be lost.
const LOST: u8 = 2;
/// A retransmission of it is in flight.
const RETRANS: u8 = 4;
/// Has been retransmitted at least once (Karn).
const EVER: u8 = 8;

/// Memory for this many segments is never given back: it would soon be needed again.
const FEW: usize = 16;

/// A segment in flight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// Number of its first byte.
    pub seq: u64,
    /// When it was sent last.
    pub xmit: Time,
    /// Numbers it takes: payload, SYN and FIN.
    pub len: u32,
    /// Orders segments that were sent at one instant: later ones are higher, modulo 2^16.
    pub order: u16,
    flags: u8,
}

impl Sent {
    /// The number after its last.
    pub const fn end(&self) -> u64 {
        self.seq + self.len as u64
    }

    /// Whether it has been retransmitted.
    pub const fn was_retransmitted(&self) -> bool {
        self.flags & EVER != 0
    }

    /// Whether it is held to be lost, sent again or not.
    pub const fn is_lost(&self) -> bool {
        self.flags & (SACKED | LOST) == LOST
    }

    /// Whether a SACK block has reported it.
    pub const fn is_sacked(&self) -> bool {
        self.flags & SACKED != 0
    }
}

/// How many entries are between `first` and the one with number `seq` if all are of one size, as
/// nearly all are.
fn guess(first: &Sent, seq: u64) -> u64 {
    seq.saturating_sub(first.seq) / u64::from(first.len.max(1))
}

/// A retransmission in flight.
#[derive(Debug, Clone, Copy)]
struct Resent {
    seq: u64,
    xmit: Time,
}

/// The latest-sent segment known to be delivered, and how long after their transmission earlier
/// ones are considered lost (RFC 8985).
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    /// When that segment was sent.
    pub xmit: Time,
    /// Its place among what was sent at that instant.
    pub order: u16,
    /// Its round-trip time and the reordering window.
    pub wait: Span,
}

/// What is in flight.
///
/// The fields that are touched while nothing is reported or lost come first.
#[derive(Debug, Clone, Default)]
#[repr(C)]
pub struct Scoreboard {
    ring: Ring,
    /// First transmissions below this number are lost or delivered, or were considered lost.
    undecided: u64,
    /// The number of entries that were reported, considered lost or sent again.
    known_of: u32,
    sacked_segments: u32,
    order: u16,
    sacked: u64,
    lost: u64,
    retrans: u64,
    /// Lost and not sent again.
    waiting: u64,
    resent: VecDeque<Resent>,
    highest_sacked: u64,
    /// Bytes that were ever considered lost; those of a segment sent again count each time.
    lost_ever: u64,
    /// When the retransmission that was last found to be lost had been sent.
    lost_again: Time,
    /// Below this number in the ring no lost segment waits, except those that are
    /// [late](Self::late).
    next_waiting: u64,
    /// All segments below this number in the ring were reported, considered lost or sent again.
    next_unknown: u64,
    /// Numbers of segments that were found lost, or lost again, after those behind them had been
    /// sent again; some of them wait no longer.
    late: BTreeSet<u64>,
    /// The blocks of the acknowledgement before.
    known: [(u64, u64); 4],
    /// A segment sent again still counts as sent again when it is reported, until it is
    /// acknowledged (ns-3).
    keeps_repeats: bool,
    /// What was sent again before it was considered lost counts once as in flight when it is.
    counts_unknown_once: bool,
    /// First numbers and ends of segments newly considered lost that the controller has not been
    /// told about; none if it does not want to be told.
    untold: Option<Vec<(u64, u64)>>,
}

/// Whether the segment with `xmit` and `order` was sent after the other. RFC 8985, 6.2, step 2,
/// settles ties by sequence number; a burst sent at one instant has an order, for which that rule
/// is a substitute.
pub(crate) fn sent_after(xmit: Time, order: u16, other_xmit: Time, other_order: u16) -> bool {
    let is_later = order.wrapping_sub(other_order).cast_signed() > 0;
    select_unpredictable(xmit == other_xmit, is_later, xmit > other_xmit)
}

impl Scoreboard {
    /// From now on a segment that was sent again stays in `pipe` when it is reported, until it is
    /// acknowledged.
    pub fn keep_repeats(&mut self) {
        self.keeps_repeats = true;
    }

    /// From now on what was sent again before it was considered lost counts once as in flight when
    /// it is.
    pub fn count_unknown_once(&mut self) {
        self.counts_unknown_once = true;
    }

    /// Whether nothing is in flight.
    pub fn is_empty(&self) -> bool {
        self.ring.is_empty()
    }

    /// How many segments are outstanding.
    pub fn len(&self) -> usize {
        self.ring.len()
    }

    /// Bytes reported by SACK blocks.
    pub const fn sacked(&self) -> u64 {
        self.sacked
    }

    /// Segments reported by SACK blocks.
    pub const fn sacked_segments(&self) -> u32 {
        self.sacked_segments
    }

    /// Bytes held to be lost, sent again or not.
    pub const fn lost(&self) -> u64 {
        self.lost
    }

    /// Bytes that were ever considered lost; those of a segment sent again count each time.
    pub const fn lost_ever(&self) -> u64 {
        self.lost_ever
    }

    /// Whether a retransmission that went out at `time` or later was found to be lost.
    pub fn has_lost_again_since(&self, time: Time) -> bool {
        self.lost_again > Time::ZERO && self.lost_again >= time
    }

    /// Bytes sent again that are in flight.
    pub const fn resent(&self) -> u64 {
        self.retrans
    }

    /// Bytes that are lost and wait to be sent again.
    pub const fn waiting(&self) -> u64 {
        self.waiting
    }

    /// RFC 6675's `pipe`, of `outstanding` bytes between the first unacknowledged and the last
    /// sent.
    pub const fn pipe(&self, outstanding: u64) -> u64 {
        (outstanding + self.retrans).saturating_sub(self.sacked + self.lost)
    }

    /// The fields that are touched while nothing is reported or lost end here.
    #[inline]
    pub(crate) const fn end_of_front(&self) -> &u64 {
        &self.highest_sacked
    }

    /// Prefetches the entries that one of the next three acknowledgements touches, each of two
    /// segments, and those for the segments that it allows to be sent. Where a window comes in one
    /// burst these are further and further on, and each one prefetched here is next to one
    /// prefetched before.
    #[inline]
    pub(crate) fn prefetch_entries(&self) {
        for further in [0, 2, 5] {
            self.ring.prefetch(self.ring.gone() + further);
            self.ring.prefetch(self.ring.next() + further);
        }
    }

    /// Prefetches the entry that holds number `seq`.
    #[inline]
    pub(crate) fn prefetch_entry(&self, seq: u64) {
        if let Some(first) = self.ring.front() {
            self.ring.prefetch(self.ring.gone() + guess(first, seq));
        }
    }

    /// Prefetches what is known of retransmissions.
    #[inline]
    pub(crate) fn prefetch_losses(&self) {
        self.resent.front().into_iter().for_each(prefetch);
    }

    /// The first outstanding segment.
    pub fn first(&self) -> Option<&Sent> {
        self.ring.front()
    }

    /// The last outstanding segment.
    pub fn last(&self) -> Option<&Sent> {
        self.ring.back()
    }

    /// A segment was sent for the first time.
    #[inline]
    pub fn push(&mut self, seq: u64, len: u32, now: Time) {
        self.order = self.order.wrapping_add(1);
        self.ring.push(Sent {
            seq,
            xmit: now,
            len,
            order: self.order,
            flags: 0,
        });
    }

    /// Gives memory back if three quarters of it are unused. A ring passes through all of its
    /// memory in turn: one that grew long in slow start would keep passing through the fast caches.
    pub(crate) fn give_back(&mut self) {
        let segments = self.ring.len().max(FEW);
        if self.ring.capacity() > 4 * segments {
            self.ring.shrink_to((2 * segments).next_power_of_two());
        }
    }

    fn set(&mut self, index: usize, flags: u8) {
        let entry = &mut self.ring[index];
        let (before, len) = (entry.flags, u64::from(entry.len));
        entry.flags = flags;
        self.known_of += u32::from(flags != 0);
        self.known_of -= u32::from(before != 0);
        self.account(before, len, false);
        self.account(flags, len, true);
    }

    /// Adds or subtracts what `len` bytes with `flags` contribute to the sums.
    #[inline]
    fn account(&mut self, flags: u8, len: u64, add: bool) {
        if flags & (SACKED | LOST | RETRANS) == 0 {
            return;
        }
        let change = |sum: &mut u64| *sum = if add { *sum + len } else { *sum - len };
        if flags & SACKED != 0 {
            change(&mut self.sacked);
            self.sacked_segments = if add {
                self.sacked_segments + 1
            } else {
                self.sacked_segments - 1
            };
            if flags & RETRANS != 0 {
                change(&mut self.retrans);
            }
            return;
        }
        if flags & LOST != 0 {
            change(&mut self.lost);
            if flags & RETRANS == 0 {
                change(&mut self.waiting);
            }
        }
        if flags & RETRANS != 0 {
            change(&mut self.retrans);
        }
    }

    /// The index of the entry that holds number `seq`, or of the first one after it.
    fn index_of(&self, seq: u64) -> usize {
        let Some(first) = self.ring.front() else {
            return 0;
        };
        let guess = guess(first, seq) as usize;
        if let Some(entry) = self.ring.get(guess)
            && entry.seq <= seq
            && seq < entry.end()
        {
            return guess;
        }
        self.ring.partition_point(|entry| entry.end() <= seq)
    }

    /// All data below `ack` has arrived. Calls `each` for every segment that was not known to be
    /// delivered. Returns the bytes newly delivered.
    #[inline]
    pub fn acknowledge(&mut self, ack: u64, mut each: impl FnMut(&Sent)) -> u64 {
        let mut delivered = 0;
        while let Some(&entry) = self.ring.front() {
            if entry.end() > ack {
                break;
            }
            if entry.flags & SACKED == 0 {
                delivered += u64::from(entry.len);
                each(&entry);
            }
            self.account(entry.flags, u64::from(entry.len), false);
            self.known_of -= u32::from(entry.flags != 0);
            self.ring.release(1);
        }
        // A receiver may acknowledge a part of a segment.
        if let Some(entry) = self.ring.get_mut(0)
            && entry.seq < ack
        {
            let part = (ack - entry.seq) as u32;
            let flags = entry.flags;
            entry.seq = ack;
            entry.len -= part;
            if flags & SACKED == 0 {
                delivered += u64::from(part);
                self.account(flags, u64::from(part), false);
            } else {
                self.sacked -= u64::from(part);
                self.retrans -= u64::from(part) * u64::from(flags & RETRANS != 0);
            }
        }
        if self.ring.is_empty() {
            self.resent.clear();
        }
        delivered
    }

    /// Whether nothing is known about outstanding segments except when each was sent, and that only
    /// once.
    #[inline]
    pub(crate) fn is_untouched(&self) -> bool {
        self.known_of == 0 && self.undecided <= self.ring.gone() && self.resent.is_empty()
    }

    /// [`acknowledge`](Self::acknowledge) for a board that [is untouched](Self::is_untouched):
    /// returns the last segment that was acknowledged completely, which also was the last of them
    /// to be sent.
    #[inline(always)]
    #[allow(clippy::inline_always)] // called from one place
    pub(crate) fn acknowledge_untouched(&mut self, ack: u64) -> Option<Sent> {
        let first = self.ring.gone();
        let mut number = first;
        while let Some(entry) = self.ring.numbered(number)
            && entry.end() <= ack
        {
            number += 1;
        }
        self.ring.release(number - first);
        let last = (number > first).then(|| self.ring.numbered(number - 1).copied());
        let last = last.flatten();
        if last.is_none_or(|last| last.end() < ack) {
            self.acknowledge_part(ack);
        }
        last
    }

    /// The first segment was acknowledged up to `ack`.
    #[cold]
    fn acknowledge_part(&mut self, ack: u64) {
        if let Some(entry) = self.ring.get_mut(0) {
            let part = ack - entry.seq;
            entry.seq += part;
            entry.len -= part as u32;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thousand segments in slow start, ten from then on.
    #[test]
    fn a_long_past_burst_takes_no_memory() {
        let mut board = Scoreboard::default();
        for segment in 0..1_000 {
            board.push(1 + segment * 1_448, 1_448, Time::from_ps(segment));
        }
        board.acknowledge(1 + 990 * 1_448, |_| ());
        let before: Vec<Sent> = board.ring.iter().copied().collect();
        board.give_back();
        assert!(board.ring.iter().eq(&before));
        assert!(board.ring.capacity() <= 2 * FEW);
        // A window that halves and grows again is no reason.
        for segment in 1_000..1_020 {
            board.push(1 + segment * 1_448, 1_448, Time::from_ps(segment));
        }
        let held = board.ring.capacity();
        board.acknowledge(1 + 1_005 * 1_448, |_| ());
        board.give_back();
        assert_eq!(board.ring.capacity(), held);
    }
}
