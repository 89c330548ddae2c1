//! A queue whose discipline [decides at dequeue](Discipline::decides_at_dequeue), as CoDel does, at
//! a link that [hands over](crate::handover).
//!
//! When a packet would leave is known as soon as the fate of those before it is known. Whether it
//! leaves depends on how long it has waited then, and on what waits behind it. Mostly that can be
//! foreseen: a packet leaves if it has not waited for long; it also leaves if it has, but no drop
//! is due by then; and once enough packets have arrived behind it, it is known that enough waits
//! there. A packet that is foreseen to leave is booked, as by a queue with [known
//! departures](super::known_departures), and handed over at once. The discipline decides about the
//! other packets when they are to leave, with all earlier arrivals known; likewise about packets
//! that leave only after the books have been closed.

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Time};
use sojourn_queue::{Context, Discipline, HeadQueue, Reason};

use super::discipline::Books;
use super::{HandedOver, Horizon, Link};
use crate::ledger::Shared;
use crate::ring::Ring;
use crate::{LinkId, Observer, SimPacket};

/// The packets that wait and are not foreseen to leave.
struct HeldQueue<'a> {
    packets: &'a mut Ring<SimPacket>,
    bytes: Bytes,
}

impl HeadQueue<SimPacket> for HeldQueue<'_> {
    fn head(&self) -> Option<&SimPacket> {
        self.packets.first()
    }

    fn head_mut(&mut self) -> Option<&mut SimPacket> {
        self.packets.get_mut(0)
    }

    fn pop(&mut self) -> Option<SimPacket> {
        let packet = *self.packets.first()?;
        self.packets.drop_first();
        self.bytes -= packet.bytes();
        Some(packet)
    }

    fn bytes(&self) -> Bytes {
        self.bytes
    }
}

#[allow(clippy::inline_always)] // once a packet
impl Link {
    /// Takes an arriving packet; all packets that leave up to `now` have left. Returns when it
    /// comes out, if it is foreseen at once to leave.
    #[inline(always)]
    pub(crate) fn enqueue_held<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &SimPacket,
        capacity: Capacity,
        shared: &mut Shared,
        observer: &mut O,
    ) -> Option<Time> {
        observer.enqueued(now, id, packet);
        let size = packet.bytes();
        let gets_in = if self.sends_until <= now {
            // It has been idle.
            self.sends_until = now;
            capacity.admits(0, Bytes::ZERO, size)
        } else {
            self.finds_room(now, size, capacity)
        };
        if !gets_in {
            self.refuse(id, now, packet, Reason::Overlimit, shared, observer);
            return None;
        }
        if self.packets.is_empty() && self.is_foreseen(packet, Bytes::ZERO, shared.close_at) {
            self.ledger.wait(size, now, self.sends_until);
            return Some(self.book(id, self.sends_until, packet, observer));
        }
        self.ledger.arrive(size, now);
        self.packets.push(packet, |_| ());
        None
    }

    /// Whether it is certain that a packet leaves, and that it does so before the books are closed.
    /// All packets before it have left, and `behind` bytes wait behind it.
    #[inline(always)]
    fn is_foreseen(&mut self, packet: &SimPacket, behind: Bytes, close_at: Time) -> bool {
        let leaves = self.sends_until;
        leaves < close_at
            && self
                .spec
                .discipline
                .departs_unchanged(packet, behind, leaves)
    }

    /// The first packet that waits, if it is foreseen to leave.
    #[inline(always)]
    pub(crate) fn next_foreseen<O: Observer>(
        &mut self,
        id: LinkId,
        close_at: Time,
        observer: &mut O,
    ) -> Option<HandedOver> {
        let packet = *self.packets.first()?;
        let size = packet.bytes();
        let behind = Bytes::new(self.ledger.backlog().bytes) - size;
        if !self.is_foreseen(&packet, behind, close_at) {
            return None;
        }
        let leaves = self.sends_until;
        self.ledger.depart_ahead(size, packet.stamp, leaves);
        let stamp = self.book(id, leaves, &packet, observer);
        self.packets.drop_first();
        Some((packet, stamp))
    }

    /// Notes that something is due once all packets foreseen to leave have been sent; returns when
    /// the link needs the calendar for that, if anything waits.
    #[inline(always)]
    pub(crate) fn wait_for_next(&mut self) -> Time {
        self.due = self.due.min(self.sends_until);
        self.plain_departure() + self.may_wait
    }

    /// The next packet that leaves up to `until`; all arrivals before that are known.
    #[inline(never)]
    pub(crate) fn next_decided<O: Observer>(
        &mut self,
        id: LinkId,
        until: Time,
        shared: &mut Shared,
        observer: &mut O,
    ) -> Option<HandedOver> {
        while !self.packets.is_empty() && self.sends_until <= until {
            let now = self.sends_until;
            self.drop_at_head(id, now, shared, observer);
            if let Some(&packet) = self.packets.first() {
                self.ledger.depart(packet.bytes(), packet.stamp, now);
                observer.dequeued(now, id, &packet);
                let stamp = self.begin(now, packet.size);
                self.packets.drop_first();
                return Some((packet, stamp));
            }
        }
        None
    }

    /// All packets that leave up to the horizon have left, and nothing more arrives up to it. If
    /// nothing waits, asks the discipline for a packet in vain, as a link does when it has sent the
    /// last one. Works out what is due next.
    pub(crate) fn note_idle<O: Observer>(
        &mut self,
        id: LinkId,
        horizon: Horizon,
        shared: &mut Shared,
        observer: &mut O,
    ) {
        let asks_at = self.sends_until;
        self.due = self.next_arrival();
        if asks_at > horizon.departures {
            self.due = self.due.min(asks_at);
        } else {
            self.drop_at_head(id, asks_at, shared, observer);
        }
    }

    /// Lets the discipline make the drops and marks at the head that are due `now`.
    fn drop_at_head<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        shared: &mut Shared,
        observer: &mut O,
    ) {
        let mut waiting = HeldQueue {
            bytes: Bytes::new(self.ledger.backlog().bytes),
            packets: &mut self.packets,
        };
        let mut sink = Books {
            now,
            link: id,
            ledger: &mut self.ledger,
            losses: &mut self.spec.losses,
            shared,
            observer,
            fault: &mut self.fault,
        };
        let mut ctx = Context {
            now,
            random: &mut self.spec.random,
            sink: &mut sink,
        };
        (self.spec.discipline).drop_at_head(&mut waiting, &mut ctx);
    }
}
