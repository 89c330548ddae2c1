//! What is announced to a link and has no place in its ring yet.
//!
//! A [round](crate::round) announces as much as is under way at a time, flow by flow. That is sorted at once,
//! but goes into the ring only when it is about to arrive: so the ring stays short, and whatever is
//! announced by itself is soon in its place there. But where that comes before many others it waits here for
//! more like it, and all are put in their places at once.

use sojourn_base::Time;

use crate::SimPacket;
use crate::ledger::Shared;
use crate::unordered::Unordered;

/// Packets, each stamped with its arrival.
#[derive(Debug, Default)]
pub(super) struct Unplaced {
    /// Those that come before too many others for each of these to move.
    pub(super) early: Vec<SimPacket>,
    /// What rounds announced.
    of_rounds: Unordered,
    /// Whether these are sorted.
    are_sorted: bool,
    /// So many of them have their places then.
    placed: usize,
    /// When the first of them arrives where they are not.
    first: Option<Time>,
}

impl Unplaced {
    /// Takes note of one that is announced in a round, and arrives at `stamp`.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet
    pub(super) fn push(&mut self, packet: &SimPacket, stamp: Time) {
        if self.are_sorted {
            self.begin_round();
        }
        self.of_rounds
            .push(packet, |copy| copy.send_copy_on(packet, 1, stamp));
        self.first = Some(self.first.map_or(stamp, |first| first.min(stamp)));
    }

    /// What is left of the rounds before goes with the next.
    #[inline(never)]
    fn begin_round(&mut self) {
        let rest: Vec<SimPacket> = self.unplaced_of_rounds().copied().collect();
        self.first = rest.first().map(|packet| packet.stamp);
        self.of_rounds.clear();
        for packet in &rest {
            self.of_rounds.push(packet, |_| ());
        }
        (self.are_sorted, self.placed) = (false, 0);
    }

    /// When the first of a round arrives.
    pub(super) fn next_of_round(&self) -> Time {
        let next = if self.are_sorted {
            self.of_rounds.get(self.placed).map(|packet| packet.stamp)
        } else {
            self.first
        };
        next.unwrap_or(Time::NEVER)
    }

    /// Those of a round that arrive until `until`, in their order: from now on they have their places.
    pub(super) fn place(
        &mut self,
        until: Time,
        shared: &Shared,
    ) -> impl DoubleEndedIterator<Item = &SimPacket> + ExactSizeIterator + Clone {
        if !self.are_sorted {
            self.of_rounds.sort(shared);
            self.are_sorted = true;
        }
        let from = self.placed;
        let arrives = |packet: &SimPacket| packet.stamp <= until;
        while self.of_rounds.get(self.placed).is_some_and(arrives) {
            self.placed += 1;
        }
        self.of_rounds.range(from..self.placed)
    }

    fn unplaced_of_rounds(&self) -> impl Iterator<Item = &SimPacket> {
        self.of_rounds.range(self.placed..self.of_rounds.len())
    }

    /// All of them.
    pub(super) fn packets(&self) -> impl Iterator<Item = &SimPacket> {
        let unsorted = if self.are_sorted {
            &[]
        } else {
            self.of_rounds.packets()
        };
        let sorted = self.are_sorted.then(|| self.unplaced_of_rounds());
        let of_rounds = sorted.into_iter().flatten().chain(unsorted);
        self.early.iter().chain(of_rounds)
    }
}
