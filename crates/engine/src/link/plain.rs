//! A plain queue: first in, first out, and an arrival that finds no room is dropped.
//!
//! Most links of most networks are of this kind, and hold up a packet for a moment at most. So the
//! link keeps waiting packets itself, behind those that it sends: a packet moves once, from one
//! link to the next, and the discipline is never called. The books, and everything that an observer
//! sees, are the same.
//!
//! Packets that the links before have [handed over](crate::handover) are in a ring of their own,
//! each stamped with the instant of its arrival, at which it is taken in here. For links that hand
//! over in turn see [`known_departures`](super::known_departures).

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Span, Time};
use sojourn_queue::{Backlog, Reason};

use super::{Horizon, Link};
use crate::ledger::Shared;
use crate::{LinkId, Observer, SimPacket};

impl Link {
    /// What waits according to the books.
    #[inline]
    pub(super) fn kept_backlog(&self) -> Backlog {
        let waiting = self.ledger.backlog();
        Backlog {
            packets: waiting.packets as usize,
            bytes: Bytes::new(waiting.bytes),
        }
    }

    /// The place of the first packet that waits in `packets`.
    #[inline]
    pub(super) fn first_waiting(&self) -> usize {
        self.packets.len() - self.ledger.backlog().packets as usize
    }

    /// The announced packet that arrives next, if it arrives up to the horizon. Packets that do
    /// must be [in their places](Self::sort_in).
    #[inline(always)]
    #[allow(clippy::inline_always)] // called from one place in each kind of run
    pub(crate) fn next_to_arrive(&self, horizon: Horizon) -> Option<&SimPacket> {
        let next = self.announced.first();
        next.filter(|packet| packet.stamp <= horizon.arrivals)
    }

    /// Forgets that packet, which arrives.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn forget_announced(&mut self) {
        self.announced.drop_first();
    }

    /// Runs all departures due up to `until`, each at its exact instant; returns when the next one
    /// is.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn run_departures_until<O: Observer>(
        &mut self,
        id: LinkId,
        until: Time,
        observer: &mut O,
    ) -> Time {
        loop {
            let departure = self.plain_departure();
            if departure > until {
                return departure;
            }
            self.depart_plain(id, departure, observer);
        }
    }

    /// Runs all departures and timers up to the horizon, up to which nothing arrives any more, and
    /// works out what is due next.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn run_to_end<O: Observer>(
        &mut self,
        id: LinkId,
        horizon: Horizon,
        observer: &mut O,
    ) {
        let departure = self.run_departures_until(id, horizon.departures, observer);
        self.tick_before(horizon.departures);
        self.due = departure.min(self.next_arrival()).min(self.timer);
    }

    /// When the transmitter is free for the next packet that waits.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn plain_departure(&self) -> Time {
        if self.ledger.backlog().packets == 0 {
            Time::NEVER
        } else {
            self.sends_until
        }
    }

    /// Takes an arriving packet that cannot pass, stamped with its arrival; the link must have
    /// caught up to `now`. If the link hands the packet over, returns when it comes out.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet, from two places
    pub(crate) fn arrive_plain<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &SimPacket,
        capacity: Capacity,
        shared: &mut Shared,
        observer: &mut O,
    ) -> Option<Time> {
        if self.hands_over {
            return self.commit(id, now, packet, capacity, shared, observer);
        }
        let is_first = self.ledger.backlog().packets == 0;
        if self.admits(id, now, packet, capacity, shared, observer) {
            self.packets.push(packet, |_| ());
            if is_first {
                self.due = self.sends_until;
            }
        }
        None
    }

    /// Books the arrival of a packet that cannot pass; returns whether there is room for it.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn admits<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &SimPacket,
        capacity: Capacity,
        shared: &mut Shared,
        observer: &mut O,
    ) -> bool {
        let size = packet.bytes();
        let Backlog { packets, bytes } = self.kept_backlog();
        observer.enqueued(now, id, packet);
        let admits = capacity.admits(packets, bytes, size);
        if admits {
            self.ledger.arrive(size, now);
        } else {
            self.refuse(id, now, packet, Reason::Overlimit, shared, observer);
        }
        admits
    }

    /// Drops an arriving packet that does not get in.
    #[inline(never)]
    pub(super) fn refuse<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &SimPacket,
        reason: Reason,
        shared: &mut Shared,
        observer: &mut O,
    ) {
        if self.is_lossy {
            self.let_lost_out(id, now, shared, observer);
        }
        let size = packet.bytes();
        self.ledger.arrive(size, now);
        self.ledger.drop(size, packet.stamp, now, reason);
        shared.dropped(packet);
        observer.dropped(now, id, packet, reason);
    }

    /// A packet that was handed over arrives and is no longer announced; returns when it comes out,
    /// if it is handed over in turn.
    #[inline(always)]
    #[allow(clippy::inline_always)] // called from one place in each kind of run
    pub(crate) fn take_in<const DECIDES: bool, O: Observer>(
        &mut self,
        id: LinkId,
        packet: &mut SimPacket,
        capacity: Capacity,
        shared: &mut Shared,
        observer: &mut O,
    ) -> Option<Time> {
        let now = packet.stamp;
        observer.delivered(now, shared.came_over(packet), packet);
        if DECIDES {
            return self.commit_admitted(id, now, packet, shared, observer);
        }
        if !self.lets_pass(now, packet.size) {
            return self.arrive_plain(id, now, packet, capacity, shared, observer);
        }
        let stamp = self.pass(id, now, packet, observer);
        if self.hands_over {
            return Some(stamp);
        }
        self.put_on_wire(packet, stamp);
        None
    }

    /// Begins to send the first packet that waits.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet, as all that it does
    fn depart_plain<O: Observer>(&mut self, id: LinkId, now: Time, observer: &mut O) {
        let first = self.first_waiting();
        let Some(packet) = self.packets.get(first) else {
            return;
        };
        let (size, stamp) = (packet.size, packet.stamp);
        self.ledger.depart(packet.bytes(), stamp, now);
        observer.dequeued(now, id, packet);
        let stamp = self.begin(now, size);
        let stamp = self.comes_late(stamp);
        self.send_out(first, stamp);
    }

    /// The packet at `place` comes out at `stamp`; all packets before it are being delivered.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn send_out(&mut self, place: usize, stamp: Time) {
        if let Some(packet) = self.packets.get_mut(place) {
            self.wired += 1;
            packet.send_on(stamp);
        }
    }

    /// The earliest instant at which something may come out at the far end.
    #[inline]
    pub(super) fn next_delivery(&self) -> Time {
        match self.packets.first() {
            Some(packet) if self.first_waiting() > 0 => packet.stamp,
            Some(packet) => self.earliest_delivery(packet),
            None => self.next_announced(),
        }
    }

    /// The same if all packets that are here are announced.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn next_announced(&self) -> Time {
        let announced = self.announced.first();
        announced.map_or(Time::NEVER, |packet| self.earliest_delivery(packet))
    }

    /// When a packet that has not begun yet comes out: it begins when it is here and the
    /// transmitter is free.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn earliest_delivery(&self, packet: &SimPacket) -> Time {
        let begins = self.sends_until.max(packet.stamp);
        self.comes_out(begins, packet.size)
    }

    /// When a packet of `size` that is the first to come out and begins at `begins` does so. If it
    /// can never get in, a packet behind it may come out at any time after that instant.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(super) fn comes_out(&self, begins: Time, size: u16) -> Time {
        let takes = if size <= self.bypass {
            self.takes(size)
        } else {
            Span::from_ps(1)
        };
        begins + takes + self.delay
    }

    /// Lets the first announced packet arrive, pass and come out at the far end `now`, all in one
    /// step, if it is alone here, as most packets are that come from a slower link. No part of the
    /// packet is written into the ring and read again at once: it is copied as a whole, for store
    /// forwarding (see `SimPacket`).
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn cross<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        shared: &Shared,
        observer: &mut O,
    ) -> Option<SimPacket> {
        // Where that one may be lost, what was dropped before must have been seen; where it may be
        // late, it is not known when it comes out.
        if self.hands_over || !self.has_plain_wire() {
            return None;
        }
        let packet = self.announced.first()?;
        let arrived = packet.stamp;
        let is_alone = self.packets.is_empty() && self.lets_pass(arrived, packet.size);
        if !is_alone || arrived + self.takes(packet.size) + self.delay != now {
            return None;
        }
        let mut packet = self.announced.take();
        observer.delivered(arrived, shared.came_over(&packet), &packet);
        self.pass(id, arrived, &packet, observer);
        // Nothing waits.
        let announced = self.announced.first();
        self.due = announced.map_or(Time::NEVER, |packet| packet.stamp);
        packet.send_on(now);
        Some(packet)
    }
}
