//! A plain queue: first in, first out, and an arrival that finds no room is dropped.
//!
//! Most links of most networks are of this kind, and hold up a packet for a moment at most. So the
//! link keeps what waits itself, behind what it sends: a packet moves once, from one link to the
//! next, and its discipline is never called. The books, and all that an observer sees, are the same.

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Time};
use sojourn_queue::{Backlog, Reason};

use super::Link;
use crate::ledger::Shared;
use crate::{LinkId, Observer, SimPacket};

impl Link {
    /// What waits, by the books.
    #[inline]
    pub(super) fn plain_backlog(&self) -> Backlog {
        let waiting = self.ledger.backlog();
        Backlog {
            packets: waiting.packets as usize,
            bytes: Bytes::new(waiting.bytes),
        }
    }

    /// The place of the first packet that waits among all.
    #[inline]
    pub(super) fn first_waiting(&self) -> usize {
        self.packets.len() - self.ledger.backlog().packets as usize
    }

    /// Runs all departures due by `until`.
    pub(super) fn run_plain<O: Observer>(&mut self, id: LinkId, until: Time, observer: &mut O) {
        while self.due <= until {
            self.depart_plain(id, self.due, observer);
        }
    }

    /// Takes an arriving packet, as [`arrive`](Self::arrive) does.
    pub(super) fn arrive_plain<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &SimPacket,
        capacity: Capacity,
        shared: &mut Shared,
        observer: &mut O,
    ) {
        let size = packet.bytes();
        let Backlog { packets, bytes } = self.plain_backlog();
        self.ledger.arrive(size, now);
        observer.enqueued(now, id, packet);
        if !capacity.admits(packets, bytes, size) {
            let reason = Reason::Overlimit;
            self.ledger.drop(size, packet.stamp, now, reason);
            shared.dropped(packet);
            observer.dropped(now, id, packet, reason);
            return;
        }
        self.packets.push(*packet);
        if self.asks_at == Time::NEVER || now >= self.sends_until {
            self.depart_plain(id, now, observer);
        }
        self.due = self.next_departure();
    }

    /// Begins to send the first packet that waits.
    #[inline]
    fn depart_plain<O: Observer>(&mut self, id: LinkId, now: Time, observer: &mut O) {
        let first = self.first_waiting();
        if let Some(&packet) = self.packets.get(first) {
            self.ledger.depart(packet.bytes(), packet.stamp, now);
            observer.dequeued(now, id, &packet);
            let stamp = self.begin(now, packet.size);
            if let Some(packet) = self.packets.get_mut(first) {
                packet.stamp = stamp;
                packet.hop += 1;
            }
        }
        self.due = self.next_departure();
    }
}
