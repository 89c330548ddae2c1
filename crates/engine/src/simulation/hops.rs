//! The part of the run loop that moves packets from link to link.

use sojourn_base::Time;
use sojourn_base::length::Capacity;
use sojourn_base::prefetch::prefetch;
use sojourn_queue::{Registered, Visitor, dispatch};

use super::Simulation;
use crate::ledger::Breach;
use crate::link::{Any, Behind, DecidesAt, Horizon};
use crate::routes::END;
use crate::{LinkId, Observer, SimPacket};

/// How many announced packets come, at a link that keeps its queue, before those for which memory
/// is prefetched: for the packet itself, its path and what a drop would touch; and for the track on
/// which it goes on.
const AHEAD_AT_LINK: [usize; 2] = [9, 5];

/// Runs a link of a simulation, compiled for the type of its discipline.
struct RunDiscipline<'a, O> {
    simulation: &'a mut Simulation<O>,
    id: LinkId,
    horizon: Horizon,
}

impl<O: Observer> Visitor<SimPacket> for RunDiscipline<'_, O> {
    type Output = ();

    #[inline]
    fn discipline(&self) -> &Any {
        &self.simulation.links[self.id as usize].spec.discipline
    }

    #[inline]
    fn visit<D: Registered<SimPacket>>(self) {
        self.simulation
            .run_discipline_as::<D>(self.id, self.horizon);
    }
}

// The steps of an event are many and small, and each is written once: out of line, their arguments
// and saved registers would cost as much as they do.
#[allow(clippy::inline_always)]
impl<O: Observer> Simulation<O> {
    /// A link delivers its next packet, or asks a shaping discipline again.
    pub(super) fn deliver(&mut self, now: Time) {
        let id = self.deliveries.next_slot();
        if let Some(packet) = self.leave_link(id, now)
            && !self.is_lost(id, &packet)
        {
            self.hand_on(id, now, &packet, false);
        }
    }

    /// Whether a packet that comes out of a link by an event is lost.
    #[inline(always)]
    fn is_lost(&mut self, id: LinkId, packet: &SimPacket) -> bool {
        let link = &mut self.links[id as usize];
        link.is_lossy && link.is_lost(id, packet, &mut self.shared, &mut self.observer)
    }

    /// A packet that has come out of a link arrives at the next link or at the end of its path.
    /// `at_end` says that it is known to be at the end.
    #[inline(always)]
    pub(super) fn hand_on(&mut self, id: LinkId, now: Time, packet: &SimPacket, at_end: bool) {
        self.observer.delivered(now, id, packet);
        if at_end {
            self.receive(now, packet);
        } else {
            self.go_on(now, packet);
        }
    }

    #[inline(never)]
    fn go_on(&mut self, now: Time, packet: &SimPacket) {
        match self.shared.goes_over(packet) {
            END => self.receive(now, packet),
            next => self.arrive(next, now, packet),
        }
    }

    /// The packet that comes out of this link by an event, if any does.
    #[inline(always)]
    fn leave_link(&mut self, id: LinkId, now: Time) -> Option<SimPacket> {
        if self.looks_ahead {
            self.look_ahead();
        }
        let link = &mut self.links[id as usize];
        if link.scheduled != now {
            // The link was moved to an earlier instant and has been served there.
            self.deliveries.replace_first(Time::NEVER);
            return None;
        }
        link.sort_in(Horizon::at(now), &self.shared);
        if let Some(packet) = link.cross(id, now, &self.shared, &mut self.observer) {
            let next = link.next_announced();
            self.move_first(id, next);
            self.open_track(id);
            return Some(packet);
        }
        self.catch_up(id, Horizon::at(now));
        let link = &mut self.links[id as usize];
        if link.is_lossy {
            link.let_lost_out(id, now, &mut self.shared, &mut self.observer);
        }
        let packet = link.deliver(now);
        self.reschedule_first(id, now);
        self.open_track(id);
        packet
    }

    /// Prefetches what the next events will need.
    #[inline]
    fn look_ahead(&self) {
        if let Some([next, later, or_this]) = self.deliveries.upcoming() {
            self.links[next as usize].prefetch_packet();
            self.links[later as usize].prefetch();
            self.links[or_this as usize].prefetch();
        }
    }

    /// Prefetches what is needed to pass on the packets that arrive next at a link that keeps its
    /// queue.
    #[inline(never)]
    fn look_ahead_at_link(&self, id: LinkId, drops: bool) {
        let paths = &self.shared.paths;
        let [later, soon] = AHEAD_AT_LINK.map(|packets| self.links[id as usize].ahead(packets));
        if let Some(later) = later {
            paths.prefetch(later.at + 1);
            if drops {
                prefetch(&self.shared.lanes[later.lane()]);
                self.observer.prefetch_flow(later.flow());
            }
        }
        if let Some(soon) = soon
            && let Some(track) = self.tracks.get(paths.link(soon.at + 1) as usize)
        {
            prefetch(track);
        }
    }

    /// Runs everything that is due at a link up to the horizon, and announces what it hands over.
    /// The link must need the calendar later than now.
    #[inline(always)]
    pub(super) fn catch_up(&mut self, id: LinkId, horizon: Horizon) {
        let link = &mut self.links[id as usize];
        if link.has_due(horizon) {
            match (link.room, link.decides_at) {
                (Some(room), DecidesAt::Nowhere) => self.run_kept::<false>(id, horizon, room),
                (Some(room), DecidesAt::Enqueue) => self.run_kept::<true>(id, horizon, room),
                (Some(room), DecidesAt::Dequeue) => self.run_heads(id, horizon, room),
                (None, _) => self.run_discipline(id, horizon),
            }
        }
    }

    /// Runs a queue that the link keeps itself; its discipline decides at enqueue if `DECIDES`, or
    /// it is a plain queue.
    #[inline(never)]
    fn run_kept<const DECIDES: bool>(&mut self, id: LinkId, horizon: Horizon, capacity: Capacity) {
        self.links[id as usize].sort_in(horizon, &self.shared);
        let drops = self.looks_ahead && self.links[id as usize].is_nearly_full();
        while let Some(mut packet) = self.next_to_arrive(id, horizon, drops) {
            let link = &mut self.links[id as usize];
            let (shared, observer) = (&mut self.shared, &mut self.observer);
            if !link.hands_over {
                link.run_departures_until(id, packet.stamp, observer);
            }
            link.forget_announced();
            let taken = link.take_in::<DECIDES, O>(id, &mut packet, capacity, shared, observer);
            if let Some(stamp) = taken {
                let behind = link.behind;
                self.announce(&packet, stamp, behind);
            }
        }
        self.links[id as usize].run_to_end(id, horizon, &mut self.observer);
    }

    /// The announced packet that arrives next at a link that keeps its queue, if one does up to the
    /// horizon.
    #[inline(always)]
    pub(super) fn next_to_arrive(
        &self,
        id: LinkId,
        horizon: Horizon,
        drops: bool,
    ) -> Option<SimPacket> {
        if self.looks_ahead {
            self.look_ahead_at_link(id, drops);
        }
        self.links[id as usize].next_to_arrive(horizon).copied()
    }

    #[inline(never)]
    fn run_discipline(&mut self, id: LinkId, horizon: Horizon) {
        self.links[id as usize].sort_in(horizon, &self.shared);
        if O::LOOKS_INSIDE {
            self.run_discipline_as::<Any>(id, horizon);
        } else {
            dispatch(RunDiscipline {
                simulation: self,
                id,
                horizon,
            });
        }
    }

    /// The same, compiled for each discipline.
    #[inline(never)]
    fn run_discipline_as<D: Registered<SimPacket>>(&mut self, id: LinkId, horizon: Horizon) {
        let mut arrival = self.links[id as usize].next_arrival();
        loop {
            let link = &mut self.links[id as usize];
            let (shared, observer) = (&mut self.shared, &mut self.observer);
            let handed_over = link.run_as::<D, O>(id, horizon, &mut arrival, shared, observer);
            let Some((packet, stamp)) = &handed_over else {
                return;
            };
            let behind = link.behind;
            self.announce_outlined(packet, *stamp, behind);
        }
    }

    /// The same as [`announce`](Self::announce), compiled once for all disciplines.
    #[inline(never)]
    fn announce_outlined(&mut self, packet: &SimPacket, stamp: Time, behind: Behind) {
        self.announce(packet, stamp, behind);
    }

    /// Announces a packet to the next link of its path, which is `behind` the present one. The
    /// packet arrives there at `stamp`, unless it is late or lost on a wire.
    #[inline(always)]
    pub(super) fn announce(&mut self, packet: &SimPacket, stamp: Time, behind: Behind) {
        if behind == Behind::Wire {
            self.announce_over_wire(packet, stamp);
        } else {
            self.announce_to_next(packet, stamp, behind == Behind::Trains);
        }
    }

    #[inline(never)]
    fn announce_over_wire(&mut self, packet: &SimPacket, stamp: Time) {
        let id = self.shared.goes_over(packet);
        let (stamp, is_lost) = self.links[id as usize].cross_wire(packet, stamp);
        if is_lost {
            self.schedule(id, stamp);
        } else {
            self.announce_to_next(packet, stamp, true);
        }
    }

    #[inline(always)]
    fn announce_to_next(&mut self, packet: &SimPacket, stamp: Time, to_train: bool) {
        let next = self.shared.paths.link(packet.at + 1);
        if to_train && self.join_train(packet, next, stamp) {
            return;
        }
        let link = &mut self.links[next as usize];
        if let Some(event) = link.announce(packet, stamp, &self.shared, self.in_round) {
            self.schedule(next, event);
        }
    }

    /// The same for a packet that its source sends now: if nothing else arrives at the next link
    /// before it, that link takes it in at once.
    #[inline(always)]
    fn hand_over(&mut self, packet: &SimPacket, stamp: Time, behind: Behind) {
        if stamp < self.foreseen.until {
            let next = self.shared.paths.link(packet.at + 1);
            if next == self.foreseen.link {
                self.take_in_at_once(next, packet, stamp);
                return;
            }
        }
        self.announce(packet, stamp, behind);
    }

    /// A packet will arrive at a link at `stamp`, and everything that arrives there before is
    /// known.
    #[inline(always)]
    fn take_in_at_once(&mut self, id: LinkId, packet: &SimPacket, stamp: Time) {
        if !self.links[id as usize].would_come_first(stamp) && !self.take_in_before(id, stamp) {
            self.announce_after_all(packet, stamp);
            return;
        }
        let link = &mut self.links[id as usize];
        let Some(capacity) = link.room else {
            self.announce_after_all(packet, stamp);
            return;
        };
        let mut packet = *packet;
        packet.send_on(stamp);
        let (shared, observer) = (&mut self.shared, &mut self.observer);
        let taken = match link.decides_at {
            DecidesAt::Nowhere => {
                link.take_in::<false, O>(id, &mut packet, capacity, shared, observer)
            }
            DecidesAt::Enqueue => {
                link.take_in::<true, O>(id, &mut packet, capacity, shared, observer)
            }
            DecidesAt::Dequeue => return self.take_in_line(id, &packet, capacity),
        };
        if let Some(stamp) = taken {
            let behind = link.behind;
            self.announce(&packet, stamp, behind);
        }
    }

    /// Announces the packet, since something else arrives there at that very instant.
    #[inline(never)]
    fn announce_after_all(&mut self, packet: &SimPacket, stamp: Time) {
        self.announce(packet, stamp, Behind::Links);
    }

    /// Takes in what was announced to a link and arrives before `stamp`; returns whether nothing
    /// else arrives at that instant.
    #[inline(never)]
    fn take_in_before(&mut self, id: LinkId, stamp: Time) -> bool {
        self.catch_up(id, Horizon::before(stamp));
        self.links[id as usize].would_come_first(stamp)
    }

    /// Moves the link that is first in the calendar to its next event.
    #[inline(always)]
    fn reschedule_first(&mut self, id: LinkId, now: Time) {
        let next = self.links[id as usize].next_event();
        self.move_first(id, next);
        if O::IN_ORDER {
            self.plan_departure(id);
        }
        self.note_fault(id, now);
    }

    /// Moves the link that is first in the calendar to `next`.
    #[inline(always)]
    fn move_first(&mut self, id: LinkId, next: Time) {
        let link = &mut self.links[id as usize];
        link.scheduled = next;
        self.delivering -= usize::from(next == Time::NEVER && !link.hands_over);
        self.deliveries.replace_first(next);
    }

    /// A departure at its own instant, for an observer that must see everything in order.
    pub(super) fn depart(&mut self, now: Time) {
        let id = self.departures.next_slot();
        self.departures.replace_first(Time::NEVER);
        self.catch_up(id, Horizon::at(now));
        self.settle(id, now);
    }

    #[inline(always)]
    pub(super) fn arrive(&mut self, id: LinkId, now: Time, packet: &SimPacket) {
        if self.links[id as usize].lets_pass(now, packet.size) {
            self.pass(id, now, packet);
        } else {
            self.join(id, now, packet);
        }
    }

    /// The same for a packet behind another of its burst, which mostly has to wait at this first
    /// link.
    #[inline(always)]
    pub(super) fn arrive_behind(&mut self, id: LinkId, now: Time, packet: &SimPacket) {
        let link = &self.links[id as usize];
        match link.room_at_source() {
            Some(capacity) if !link.lets_pass(now, packet.size) => {
                self.wait_in_line(id, now, packet, capacity);
            }
            _ => self.arrive(id, now, packet),
        }
    }

    /// A packet arrives at an idle link, which sends it without asking its discipline.
    #[inline(never)]
    fn pass(&mut self, id: LinkId, now: Time, packet: &SimPacket) {
        let link = &mut self.links[id as usize];
        let stamp = link.pass(id, now, packet, &mut self.observer);
        if link.hands_over {
            let behind = link.behind;
            self.hand_over(packet, stamp, behind);
        } else {
            let stamp = link.put_on_wire(packet, stamp);
            self.schedule(id, stamp);
        }
    }

    /// A packet arrives at a link that is busy or asks its discipline about every packet.
    #[inline(never)]
    fn join(&mut self, id: LinkId, now: Time, packet: &SimPacket) {
        match self.links[id as usize].room_at_source() {
            // It needs no calendar, and nothing is announced to it.
            Some(capacity) => {
                self.wait_in_line(id, now, packet, capacity);
            }
            None => self.join_any(id, now, packet),
        }
    }

    /// A packet arrives at a plain link that is busy; returns whether it is handed over then.
    #[inline(always)]
    fn wait_in_line(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &SimPacket,
        capacity: Capacity,
    ) -> bool {
        let link = &mut self.links[id as usize];
        let (shared, observer) = (&mut self.shared, &mut self.observer);
        let stamp = link.arrive_plain(id, now, packet, capacity, shared, observer);
        let behind = link.behind;
        if let Some(stamp) = stamp {
            self.hand_over(packet, stamp, behind);
        }
        stamp.is_some()
    }

    /// The same where the discipline decides about the packet.
    #[inline(always)]
    fn wait_if_let_in(&mut self, id: LinkId, now: Time, mut packet: SimPacket) -> bool {
        let link = &mut self.links[id as usize];
        let (shared, observer) = (&mut self.shared, &mut self.observer);
        let stamp = link.commit_admitted(id, now, &mut packet, shared, observer);
        let behind = link.behind;
        if let Some(stamp) = stamp {
            self.announce(&packet, stamp, behind);
        }
        stamp.is_some()
    }

    #[inline(never)]
    fn join_any(&mut self, id: LinkId, now: Time, packet: &SimPacket) {
        self.catch_up(id, Horizon::at(now));
        let link = &mut self.links[id as usize];
        if link.lets_pass(now, packet.size) {
            self.pass(id, now, packet);
            return;
        }
        if let Some(capacity) = link.room {
            let is_handed_over = match link.decides_at {
                DecidesAt::Nowhere => self.wait_in_line(id, now, packet, capacity),
                DecidesAt::Enqueue => self.wait_if_let_in(id, now, *packet),
                DecidesAt::Dequeue => {
                    self.enqueue_held(id, now, packet, capacity);
                    false
                }
            };
            if is_handed_over {
                // It needs the calendar no more.
                return;
            }
        } else {
            let (shared, observer) = (&mut self.shared, &mut self.observer);
            let handed_over = link.enqueue_at_discipline(id, now, *packet, shared, observer);
            link.plan();
            let behind = link.behind;
            if let Some((packet, stamp)) = handed_over {
                self.announce(&packet, stamp, behind);
            }
        }
        self.settle(id, now);
    }

    /// Updates the calendars after a link was touched.
    #[inline(always)]
    pub(super) fn settle(&mut self, id: LinkId, now: Time) {
        let link = &self.links[id as usize];
        // What comes first at a queue that the link keeps stays so until it is out, unless the
        // discipline decides at dequeue.
        let stays = link.keeps_queue() && link.decides_at != DecidesAt::Dequeue;
        if link.scheduled == Time::NEVER || !stays {
            let next = link.next_event();
            self.schedule(id, next);
        }
        if O::IN_ORDER {
            self.plan_departure(id);
        }
        self.note_fault(id, now);
    }

    /// Puts a link into the calendar if `next` comes before the event known there.
    #[inline(always)]
    pub(super) fn schedule(&mut self, id: LinkId, next: Time) {
        let link = &mut self.links[id as usize];
        if next < link.scheduled {
            self.delivering += usize::from(link.scheduled == Time::NEVER && !link.hands_over);
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
        if (link.decides_at != DecidesAt::Nowhere || !link.keeps_queue()) && link.fault.is_some() {
            self.breach_at_link(id, at);
        }
    }

    #[cold]
    fn breach_at_link(&mut self, id: LinkId, at: Time) {
        let link = &mut self.links[id as usize];
        let place = format!("link {}", link.spec.name);
        let what = link.fault.take().unwrap_or_default().into();
        self.breach = Some(Breach { at, place, what });
    }
}
