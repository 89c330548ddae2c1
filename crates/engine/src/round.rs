//! Rounds: what will come out of a [train](crate::train), flow by flow.
//!
//! With many flows the state of all of them fits no fast cache, and a packet of another flow at
//! every step finds nothing in the cache. But what is in a train is known as long before it comes
//! out as it takes to travel there, and what it leads to at its end concerns nobody else for as
//! long again: it is heard, answered or followed by more data, and that comes to a link that others
//! use too at an instant yet to come. So all that a train holds is taken out at once, in a round in
//! which each flow has one turn: its packets in their order, each at its instant, and between them
//! the timers of that end of its connection.
//!
//! A flow may have its turn where it has the last link, and the first of the answer, to itself, and
//! while its application leaves its only connection alone. The packets of others stay in the train
//! and come out one by one, as do all where there are few of each flow. With few links nothing
//! waits for memory, and there are no rounds. Nor are there behind links that are not much slower
//! than the one before: what does not wait there comes out in the order in which it was sent, and
//! to bring it into that of flows and back moves more memory than it saves.

use crate::SimPacket;
use crate::train::{Track, Train};

/// Lets the packets have turns whose links are their flow's [own](Track::is_own) and
/// [slow](Train::has_slow_links).
pub(crate) fn arrange(tracks: &mut [Track], trains: &[Train]) {
    for track in tracks {
        let is_slow = |number: usize| trains[number].has_slow_links();
        track.has_turns = track.is_own && track.train().is_some_and(is_slow);
    }
}

/// Packets that a round is worth its while for.
const LEAST_PACKETS: usize = 32;

/// And packets for each flow, on average: with fewer the order costs what it gains.
const LEAST_PER_FLOW: usize = 2;

/// There is no other packet of that flow.
const NONE: u32 = u32::MAX;
/// The packet was taken out.
const TAKEN: u32 = u32::MAX - 1;

/// Who has which turn, by the places of packets in their train. Only its memory stays from round to
/// round.
#[derive(Debug, Default)]
pub(crate) struct Round {
    /// The first packet of each flow, and its lane.
    turns: Vec<(u32, u32)>,
    /// By packet: the next of its flow.
    next: Vec<u32>,
    /// By lane: the last packet so far, while turns are found.
    last: Vec<u32>,
}

impl Round {
    /// Finds the turns among `packets`, of which those of one flow are in order, of so many lanes.
    pub(crate) fn gather<'a>(
        &mut self,
        packets: impl Iterator<Item = &'a SimPacket>,
        lanes: usize,
    ) {
        self.last.resize(lanes, NONE);
        self.turns.clear();
        self.next.clear();
        for (place, packet) in packets.enumerate() {
            let place = place as u32;
            let last = core::mem::replace(&mut self.last[packet.lane()], place);
            if last == NONE {
                self.turns.push((place, packet.lane));
            } else {
                self.next[last as usize] = place;
            }
            self.next.push(NONE);
        }
        for &(_, lane) in &self.turns {
            self.last[lane as usize] = NONE;
        }
    }

    /// Whether it is worth its while.
    pub(crate) fn is_worthwhile(&self) -> bool {
        self.next.len() >= LEAST_PACKETS.max(LEAST_PER_FLOW * self.turns.len())
    }

    /// The place of the first packet of a turn.
    #[inline]
    pub(crate) fn turn(&self, turn: usize) -> Option<usize> {
        self.turns.get(turn).map(|&(first, _)| first as usize)
    }

    /// The place of the packet of the same flow that comes after one that is not taken out yet.
    #[inline]
    pub(crate) fn after(&self, place: usize) -> Option<usize> {
        let next = *self.next.get(place)?;
        (next != NONE).then_some(next as usize)
    }

    /// A packet is taken out; the place of the next of its flow.
    #[inline]
    pub(crate) fn take(&mut self, place: usize) -> Option<usize> {
        let next = core::mem::replace(&mut self.next[place], TAKEN);
        (next != NONE).then_some(next as usize)
    }

    /// Whether a packet stays in the train.
    #[inline]
    pub(crate) fn stays(&self, place: usize) -> bool {
        self.next.get(place) != Some(&TAKEN)
    }
}
