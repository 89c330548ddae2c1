//! The part of the run loop that moves packets from link to link.

use sojourn_base::Time;

use super::Simulation;
use crate::ledger::Breach;
use crate::link::Horizon;
use crate::prefetch::{MANY_LINKS, prefetch};
use crate::{Kind, LinkId, Observer, SimPacket};

// The steps of an event are many and small, and each is written once: out of line, their arguments
// and saved registers would cost as much as they do.
#[allow(clippy::inline_always)]
impl<O: Observer> Simulation<O> {
    /// A link delivers its next packet, or asks a shaping discipline again.
    pub(super) fn deliver(&mut self, now: Time) {
        let id = self.deliveries.next_slot();
        let packet = if let Some(packet) = self.leave_train(id, now) {
            packet
        } else if let Some(packet) = self.leave_link(id, now) {
            packet
        } else {
            return;
        };
        self.observer.delivered(now, id, &packet);
        match self.shared.goes_over(&packet) {
            Some(next) => self.arrive(next, now, &packet),
            None => self.receive(now, &packet),
        }
    }

    /// What comes out of this link by itself, if anything does.
    #[inline(always)]
    fn leave_link(&mut self, id: LinkId, now: Time) -> Option<SimPacket> {
        if self.links.len() > MANY_LINKS {
            self.look_ahead();
        }
        let link = &mut self.links[id as usize];
        if link.scheduled != now {
            // The link was moved to an earlier instant and has been served there.
            self.deliveries.replace_first(Time::NEVER);
            return None;
        }
        if let Some(packet) = link.cross(id, now, &self.shared, &mut self.observer) {
            let next = link.next_announced();
            self.move_first(id, next);
            return Some(packet);
        }
        let horizon = Horizon::at(now);
        link.catch_up(id, horizon, &mut self.shared, &mut self.observer);
        let packet = link.deliver(now);
        self.reschedule_first(id, now);
        if packet.is_none() {
            self.hand_over();
        }
        packet
    }

    /// The first of the train through this link, if it is its turn.
    #[inline(always)]
    fn leave_train(&mut self, id: LinkId, now: Time) -> Option<SimPacket> {
        let link = &mut self.links[id as usize];
        let number = link.train()?;
        let train = &mut self.trains[number];
        let packet = train.leave(now, id, &self.shared)?;
        let (time, slot) = train.next(&self.shared).unwrap_or((Time::NEVER, 0));
        self.deliveries.replace_first_with(time, slot);
        if let Some(arrived) = train.arrival(&packet) {
            link.pass_in_train(id, arrived, &packet, &self.shared, &mut self.observer);
        }
        if self.links.len() > MANY_LINKS {
            self.look_ahead_in_train(number);
        }
        Some(packet.sent_on(now))
    }

    /// Asks for what the next events will need.
    #[inline]
    fn look_ahead(&self) {
        if let Some([next, later, or_this]) = self.deliveries.upcoming() {
            self.links[next as usize].prefetch_packet();
            self.links[later as usize].prefetch();
            self.links[or_this as usize].prefetch();
        }
    }

    /// Asks for what the next packets of a train will need.
    #[inline]
    fn look_ahead_in_train(&self, train: usize) {
        let train = &self.trains[train];
        if let Some(later) = train.ahead(5) {
            prefetch(&self.shared.lanes[later.lane()]);
        }
        if let Some(next) = train.ahead(2) {
            if let Some(link) = self.shared.goes_over(next) {
                self.links[link as usize].prefetch();
            }
            let lane = &self.shared.lanes[next.lane()];
            if let Some(connection) = self.tcp.connections.get(lane.slot as usize) {
                connection.prefetch(next.kind() == Kind::Ack);
            }
            self.observer.soon(next);
        }
    }

    /// Announces what a link has just begun to send to the links behind it.
    #[inline(always)]
    fn hand_over(&mut self) {
        if !self.shared.handed_over.is_empty() {
            self.announce_all();
        }
    }

    #[inline(never)]
    fn announce_all(&mut self) {
        let mut handed_over = core::mem::take(&mut self.shared.handed_over);
        for (stamp, packet) in &handed_over {
            self.announce(packet, *stamp);
        }
        handed_over.clear();
        self.shared.handed_over = handed_over;
    }

    /// Announces a packet to the next link, which it reaches at `stamp`.
    #[inline(always)]
    fn announce(&mut self, packet: &SimPacket, stamp: Time) {
        let Some(next) = self.shared.paths.link(packet.at + 1) else {
            return;
        };
        let link = &mut self.links[next as usize];
        if let Some(train) = link.train()
            && let Some(out) = link.may_join(stamp, packet.size)
        {
            if self.trains[train].join(packet.sent_on(out), next, &self.shared) {
                self.deliveries.push(out, next);
            }
        } else if let Some(event) = link.announce(packet, stamp, &self.shared) {
            self.schedule(next, event);
        }
    }

    /// Moves the link that comes first in the calendar to its next event.
    #[inline(always)]
    fn reschedule_first(&mut self, id: LinkId, now: Time) {
        let next = self.links[id as usize].next_event();
        self.move_first(id, next);
        if O::IN_ORDER {
            self.plan_departure(id);
        }
        self.note_fault(id, now);
    }

    /// Moves the link that comes first in the calendar to `next`.
    #[inline(always)]
    fn move_first(&mut self, id: LinkId, next: Time) {
        self.links[id as usize].scheduled = next;
        self.deliveries.replace_first(next);
    }

    /// A departure at its own instant: for an observer that must see all in order.
    pub(super) fn depart(&mut self, now: Time) {
        let id = self.departures.next_slot();
        self.departures.replace_first(Time::NEVER);
        let link = &mut self.links[id as usize];
        link.catch_up(id, Horizon::at(now), &mut self.shared, &mut self.observer);
        self.settle(id, now);
    }

    #[inline(always)]
    pub(super) fn arrive(&mut self, id: LinkId, now: Time, packet: &SimPacket) {
        if self.links[id as usize].lets_pass(now, packet.bytes()) {
            self.pass(id, now, packet);
        } else {
            self.join(id, now, packet);
        }
    }

    /// A packet arrives at an idle link that sends it without further ado.
    #[inline(never)]
    fn pass(&mut self, id: LinkId, now: Time, packet: &SimPacket) {
        let link = &mut self.links[id as usize];
        let stamp = link.pass(id, now, packet, &mut self.observer);
        if link.hands_over {
            link.passed_on();
            self.announce(packet, stamp);
        } else {
            link.put_on_wire(packet, stamp);
            self.schedule(id, stamp);
        }
    }

    /// A packet arrives at a link that is busy or asks its discipline about every packet.
    #[inline(never)]
    fn join(&mut self, id: LinkId, now: Time, packet: &SimPacket) {
        let link = &mut self.links[id as usize];
        link.catch_up(id, Horizon::at(now), &mut self.shared, &mut self.observer);
        if link.is_plain() && link.lets_pass(now, packet.bytes()) {
            self.pass(id, now, packet);
            return;
        }
        let (shared, observer) = (&mut self.shared, &mut self.observer);
        if let Some(stamp) = link.arrive(id, now, packet, shared, observer) {
            self.announce(packet, stamp);
        } else {
            self.settle(id, now);
        }
    }

    /// Brings the calendars in line with a link that was touched.
    #[inline(always)]
    pub(super) fn settle(&mut self, id: LinkId, now: Time) {
        let link = &self.links[id as usize];
        // What comes first at a plain queue stays so until it is out.
        if link.scheduled == Time::NEVER || !link.is_plain() {
            let next = link.next_event();
            self.schedule(id, next);
        }
        self.hand_over();
        if O::IN_ORDER {
            self.plan_departure(id);
        }
        self.note_fault(id, now);
    }

    /// Puts a link into the calendar, where `next` comes before the event known there.
    #[inline(always)]
    fn schedule(&mut self, id: LinkId, next: Time) {
        let link = &mut self.links[id as usize];
        if next < link.scheduled {
            link.scheduled = next;
            self.deliveries.push(next, id);
        }
    }

    fn plan_departure(&mut self, id: LinkId) {
        let link = &mut self.links[id as usize];
        let next = link.next_departure();
        if next != link.departure_scheduled {
            link.departure_scheduled = next;
            if next != Time::NEVER {
                self.departures.push(next, id);
            }
        }
    }

    #[inline(always)]
    fn note_fault(&mut self, id: LinkId, at: Time) {
        let link = &self.links[id as usize];
        if !link.is_plain() && link.fault.is_some() {
            self.breach_at_link(id, at);
        }
    }

    #[cold]
    fn breach_at_link(&mut self, id: LinkId, at: Time) {
        let link = &mut self.links[id as usize];
        let place = format!("link {}", link.spec.name);
        let what = link.fault.take().unwrap_or_default();
        self.breach = Some(Breach { at, place, what });
    }
}
