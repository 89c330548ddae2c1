//! A queue that [hands over](crate::handover) and knows its departures.
//!
//! When a packet arrives at a plain queue, it is known when its transmission will begin: once all
//! packets before it have been sent, whatever arrives later. So the packet is handed over at once.
//! And if that instant is before the books are closed next, everything is booked at once too: its
//! arrival, how long it waits, and its departure. Packets that arrive behind it then only need the
//! number and the bytes of those that wait.
//!
//! A packet that begins later stays in the ring and in the backlog of the books, to be seen when
//! the books are closed. When they are opened again, the packet is booked if it begins before they
//! are closed the next time.
//!
//! The same holds for a queue whose discipline [decides at
//! enqueue](sojourn_queue::Discipline::decides_at_enqueue), as RED does: the discipline is asked
//! when a packet arrives, and the link keeps the packet if it gets in. For disciplines that decide
//! at dequeue see [`heads`](super::heads).

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Stream, Time};
use sojourn_queue::{Admission, AdmissionContext, Backlog, Discipline, Packet, Reason};

use super::discipline::{MARKED_NOT_ECT, above_limit};
use super::{DecidesAt, Link};
use crate::ledger::Shared;
use crate::{LinkId, Observer, SimPacket};

/// A queue that has no room for this many more full packets is nearly full.
const SPARE: usize = 16;

/// A packet that is booked and may still wait.
#[derive(Debug, Clone, Copy)]
pub(super) struct Booked {
    /// When its transmission begins.
    begins: Time,
    /// Its bytes.
    size: u16,
}

/// What a discipline is told if all packets that have got in are sent by `free`.
#[inline(always)]
#[allow(clippy::inline_always)] // once a packet
fn admission_context(
    now: Time,
    free: Time,
    waiting: Backlog,
    random: &mut Stream,
) -> AdmissionContext<'_> {
    AdmissionContext {
        now,
        waiting,
        free_since: (free <= now).then_some(free),
        random,
    }
}

#[allow(clippy::inline_always)] // once a packet
impl Link {
    /// Whether waiting packets have been handed over already.
    #[inline]
    pub(crate) fn knows_departures(&self) -> bool {
        self.hands_over && self.room.is_some() && self.decides_at != DecidesAt::Dequeue
    }

    /// Takes an arriving packet that cannot pass, stamped with its arrival; returns when it comes
    /// out, unless there is no room.
    #[inline(always)]
    pub(super) fn commit<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &SimPacket,
        capacity: Capacity,
        shared: &mut Shared,
        observer: &mut O,
    ) -> Option<Time> {
        observer.enqueued(now, id, packet);
        if !self.finds_room(now, packet.bytes(), capacity) {
            self.refuse(id, now, packet, Reason::Overlimit, shared, observer);
            return None;
        }
        let begins = now.max(self.sends_until).max(self.free_at);
        Some(self.take_committed(id, now, begins, packet, shared.close_at, observer))
    }

    /// Whether an arriving packet that has to wait gets in; if so, counts it.
    #[inline(always)]
    pub(super) fn finds_room(&mut self, now: Time, size: Bytes, capacity: Capacity) -> bool {
        if self.sends_until.since(now) <= self.last_takes {
            // The last has begun. The next stands where the first stood, which is in cache.
            self.booked.clear();
            self.booked_bytes = Bytes::ZERO;
        }
        let admits = |waiting: Backlog| capacity.admits(waiting.packets, waiting.bytes, size);
        let most = self.committed();
        if most.packets as u64 >= self.ledger.peak_packets || !admits(most) {
            self.forget_begun(now);
            let waiting = self.committed();
            if !admits(waiting) {
                return false;
            }
            let peak = &mut self.ledger.peak_packets;
            *peak = (*peak).max(waiting.packets as u64 + 1);
        }
        true
    }

    /// The same where the discipline decides about the packet; marks the packet if the discipline
    /// says so.
    #[inline(always)]
    pub(crate) fn commit_admitted<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &mut SimPacket,
        shared: &mut Shared,
        observer: &mut O,
    ) -> Option<Time> {
        observer.enqueued(now, id, packet);
        self.tick_before(now);
        let (free, mut waiting) = self.free_and_waiting(now);
        let random = &mut self.spec.random;
        let mut ctx = admission_context(now, free, waiting, random);
        match self.spec.discipline.admit(packet, &mut ctx) {
            Admission::Admit => {}
            Admission::Mark(reason) => self.mark(id, now, packet, reason, observer),
            Admission::Drop(reason) => {
                self.refuse(id, now, packet, reason, shared, observer);
                return None;
            }
        }
        waiting.packets += 1;
        waiting.bytes += packet.bytes();
        if !self
            .room
            .is_some_and(|most| most.holds(waiting.packets, waiting.bytes))
        {
            self.ask_for_room(waiting);
        }
        let begins = now.max(free);
        if begins > now {
            let peak = &mut self.ledger.peak_packets;
            *peak = (*peak).max(waiting.packets as u64);
        }
        Some(self.take_committed(id, now, begins, packet, shared.close_at, observer))
    }

    /// Runs the timers of such a discipline that are due before `until`, each at its exact instant.
    #[inline(always)]
    pub(super) fn tick_before(&mut self, until: Time) {
        while self.timer < until {
            self.tick(self.timer);
        }
    }

    #[inline(never)]
    fn tick(&mut self, now: Time) {
        let (free, waiting) = self.free_and_waiting(now);
        let random = &mut self.spec.random;
        let mut ctx = admission_context(now, free, waiting, random);
        self.spec.discipline.tick(&mut ctx);
        self.timer = self.spec.discipline.next_timer().unwrap_or(Time::NEVER);
    }

    /// When all packets that have got in will have been sent, and what waits `now`.
    #[inline(always)]
    fn free_and_waiting(&mut self, now: Time) -> (Time, Backlog) {
        self.forget_begun(now);
        (self.sends_until.max(self.free_at), self.committed())
    }

    /// Marks an arriving packet.
    #[inline(never)]
    fn mark<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &mut SimPacket,
        reason: Reason,
        observer: &mut O,
    ) {
        if !packet.ecn().is_capable() {
            self.fault = Some(MARKED_NOT_ECT.into());
        }
        packet.set_ce();
        self.ledger.mark(reason);
        observer.marked(now, id, packet, reason);
    }

    /// More waits than the discipline had room for when it was last asked: asks again and checks
    /// against the answer.
    #[cold]
    fn ask_for_room(&mut self, waiting: Backlog) {
        let most = self.spec.discipline.capacity();
        self.room = Some(most);
        if !most.holds(waiting.packets, waiting.bytes) {
            self.fault = Some(above_limit(waiting).into());
        }
    }

    /// Takes in a packet whose transmission begins at `begins`; returns when it comes out.
    #[inline(always)]
    fn take_committed<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        begins: Time,
        packet: &SimPacket,
        close_at: Time,
        observer: &mut O,
    ) -> Time {
        let size = packet.bytes();
        if begins < close_at {
            self.ledger.wait(size, now, begins);
            self.book(id, begins, packet, observer);
        } else {
            self.ledger.arrive(size, now);
            self.packets.push(packet, |_| ());
        }
        self.free_at = begins + self.takes(packet.size);
        self.free_at + self.delay
    }

    /// Books the departure of a packet, which is in the ledger already; returns when it comes out.
    #[inline(always)]
    pub(super) fn book<O: Observer>(
        &mut self,
        id: LinkId,
        begins: Time,
        packet: &SimPacket,
        observer: &mut O,
    ) -> Time {
        let size = packet.size;
        observer.dequeued(begins, id, packet);
        let stamp = self.begin(begins, size);
        self.booked.push(&Booked { begins, size }, |_| ());
        self.booked_bytes += packet.bytes();
        stamp
    }

    /// What waits, including packets that have begun since they were last
    /// [removed](Self::forget_begun).
    #[inline(always)]
    fn committed(&self) -> Backlog {
        let mut committed = self.kept_backlog();
        committed.packets += self.booked.len();
        committed.bytes += self.booked_bytes;
        committed
    }

    /// Whether packets may soon find no room in a queue that the link keeps.
    #[inline]
    pub(crate) fn is_nearly_full(&self) -> bool {
        let Backlog { packets, bytes } = self.committed();
        let spare = Bytes::new(SPARE as u64 * 1500);
        (self.room).is_some_and(|capacity| !capacity.admits(packets + SPARE, bytes, spare))
    }

    /// Removes the packets whose transmission has begun: they no longer wait. In a plain queue it
    /// would cost more to do this at every packet than to do it only when their number could be a
    /// new peak, or too large.
    #[inline(always)]
    fn forget_begun(&mut self, now: Time) {
        while let Some(first) = self.booked.first()
            && first.begins <= now
        {
            self.booked_bytes -= Bytes::new(first.size.into());
            self.booked.drop_first();
        }
    }

    /// The books were closed at `now` and will be closed at `until` next: books the packets that
    /// wait and begin before that.
    pub(crate) fn book_ahead<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        until: Time,
        observer: &mut O,
    ) {
        if !self.knows_departures() || self.ledger.backlog().packets == 0 {
            return;
        }
        // Which waits for longer than this instant, if it is not over at once.
        let leaves_now = u64::from(self.sends_until == now);
        let waiting = self.ledger.backlog().packets - leaves_now;
        self.ledger.peak_packets = self.ledger.peak_packets.max(waiting);
        while let Some(&packet) = self.packets.first()
            && self.sends_until < until
        {
            let begins = self.sends_until;
            self.ledger
                .depart_ahead(packet.bytes(), packet.stamp, begins);
            self.book(id, begins, &packet, observer);
            self.packets.drop_first();
        }
    }
}
