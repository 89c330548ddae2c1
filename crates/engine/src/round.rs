//! Rounds: the packets of a [train](crate::train) are taken out flow by flow.
//!
//! With many flows, their state does not fit any fast cache. If every packet belongs to another
//! flow than the one before it, nothing that it needs is in the cache. But the packets of a train
//! are known before they come out, by the time that they travel. And what they cause at the end of
//! their paths affects nobody else for about as long again: they are received, and answered or
//! followed by more data, which arrives at a shared link at a later instant. So all packets of a
//! train are taken out at once, in a round in which each flow has one turn: its packets in their
//! order, each at its instant, and between them the timers of that end of its connection.
//!
//! A flow may have a turn if nobody else uses its last link and the first link of the answers, and
//! while its application leaves its only connection alone. The packets of other flows stay in the
//! train and come out one by one; so do all packets where there are few of each flow. There are no
//! rounds if the network has few links, since then nothing waits for memory. Nor are there rounds
//! behind links that are not much slower than the one before: packets that do not wait there come
//! out in the order in which they were sent, and to sort them by flow and back moves more memory
//! than it saves.

use crate::SimPacket;
use crate::train::{Track, Train};

/// Gives turns to the packets whose links are their flow's [own](Track::is_own) and
/// [slow](Train::has_slow_links).
pub(crate) fn arrange(tracks: &mut [Track], trains: &[Train]) {
    for track in tracks {
        let is_slow = |number: usize| trains[number].has_slow_links();
        track.has_turns = track.is_own && track.train().is_some_and(is_slow);
    }
}

/// The least number of packets for which a round is worthwhile.
const LEAST_PACKETS: usize = 32;

/// The least number of packets for each flow, on average: with fewer, the new order costs what it
/// gains.
const LEAST_PER_FLOW: usize = 2;

/// There is no other packet of that flow.
const NONE: u32 = u32::MAX;
/// The packet was taken out.
const TAKEN: u32 = u32::MAX - 1;

/// The turns of a round, by the places of the packets in their train. Only its memory is kept from
/// one round to the next.
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
    /// Finds the turns among `packets`, which belong to at most `lanes` lanes. Those of one flow
    /// are in order.
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

    /// Whether the round is worthwhile.
    pub(crate) fn is_worthwhile(&self) -> bool {
        self.next.len() >= LEAST_PACKETS.max(LEAST_PER_FLOW * self.turns.len())
    }

    /// The place of the first packet of a turn.
    #[inline]
    pub(crate) fn turn(&self, turn: usize) -> Option<usize> {
        self.turns.get(turn).map(|&(first, _)| first as usize)
    }

    /// The place of the next packet of the same flow; the packet at `place` is not taken out yet.
    #[inline]
    pub(crate) fn after(&self, place: usize) -> Option<usize> {
        let next = *self.next.get(place)?;
        (next != NONE).then_some(next as usize)
    }

    /// Notes that a packet is taken out; returns the place of the next one of its flow.
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
