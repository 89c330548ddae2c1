//! The part of the run loop that moves packets through queues [whose discipline decides at
//! dequeue](crate::link).

use sojourn_base::Time;
use sojourn_base::length::Capacity;

use super::Simulation;
use crate::link::{HandedOver, Horizon};
use crate::{LinkId, Observer, SimPacket};

// As in `hops`: the steps of an event are many and small, and each is written once.
#[allow(clippy::inline_always)]
impl<O: Observer> Simulation<O> {
    /// Runs a queue that the link keeps itself, whose discipline decides at dequeue.
    #[inline(never)]
    pub(super) fn run_heads(&mut self, id: LinkId, horizon: Horizon, capacity: Capacity) {
        self.links[id as usize].sort_in(horizon, &self.shared);
        let drops = self.looks_ahead && self.links[id as usize].is_nearly_full();
        while let Some(packet) = self.next_to_arrive(id, horizon, drops) {
            self.links[id as usize].forget_announced();
            self.take_in_line(id, &packet, capacity);
        }
        self.let_leave(id, horizon.departures);
        let link = &mut self.links[id as usize];
        link.note_idle(id, horizon, &mut self.shared, &mut self.observer);
        let next = link.next_event();
        self.schedule(id, next);
    }

    /// A packet that was handed over arrives at such a queue; it is no longer announced, if it ever
    /// was.
    #[inline(never)]
    pub(super) fn take_in_line(&mut self, id: LinkId, packet: &SimPacket, capacity: Capacity) {
        let (now, from) = (packet.stamp, self.shared.came_over(packet));
        self.observer.delivered(now, from, packet);
        self.enqueue_held(id, now, packet, capacity);
    }

    /// A packet arrives at such a queue.
    #[inline(always)]
    pub(super) fn enqueue_held(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &SimPacket,
        capacity: Capacity,
    ) {
        if self.links[id as usize].plain_departure() <= now {
            self.let_leave(id, now);
        }
        let link = &mut self.links[id as usize];
        let (shared, observer) = (&mut self.shared, &mut self.observer);
        if let Some(stamp) = link.enqueue_held(id, now, packet, capacity, shared, observer) {
            let behind = link.behind;
            self.announce(packet, stamp, behind);
        }
        loop {
            let link = &mut self.links[id as usize];
            let close_at = self.shared.close_at;
            let Some(foreseen) = link.next_foreseen(id, close_at, &mut self.observer) else {
                let event = link.wait_for_next();
                self.schedule(id, event);
                return;
            };
            self.announce_handed_over(id, &foreseen);
        }
    }

    /// Lets all packets leave that do so up to `until`.
    #[inline(never)]
    fn let_leave(&mut self, id: LinkId, until: Time) {
        let decided = |simulation: &mut Self| {
            let (shared, observer) = (&mut simulation.shared, &mut simulation.observer);
            simulation.links[id as usize].next_decided(id, until, shared, observer)
        };
        while let Some(decided) = decided(self) {
            self.announce_handed_over(id, &decided);
        }
    }

    #[inline(always)]
    fn announce_handed_over(&mut self, id: LinkId, (packet, stamp): &HandedOver) {
        let behind = self.links[id as usize].behind;
        self.announce(packet, *stamp, behind);
    }
}
