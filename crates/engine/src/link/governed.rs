//! A queue under a discipline: it is asked about every packet, and held to its books after each
//! call.

use sojourn_base::Time;
use sojourn_queue::{Backlog, Context, Dequeued, Discipline, Reason, Sink, Status};

use super::{HandedOver, Horizon, Link};
use crate::ledger::{Ledger, Shared};
use crate::{LinkId, Observer, SimPacket};

/// The sink of one call into a discipline: books every drop and mark.
struct Books<'a, O> {
    now: Time,
    link: LinkId,
    ledger: &'a mut Ledger,
    shared: &'a mut Shared,
    observer: &'a mut O,
    fault: &'a mut Option<Box<str>>,
}

impl<O: Observer> Sink<SimPacket> for Books<'_, O> {
    fn dropped(&mut self, packet: SimPacket, reason: Reason) {
        self.ledger
            .drop(packet.bytes(), packet.stamp, self.now, reason);
        self.shared.dropped(&packet);
        self.observer.dropped(self.now, self.link, &packet, reason);
    }

    fn marked(&mut self, packet: &SimPacket, reason: Reason) {
        if !packet.ecn().is_capable() {
            *self.fault = Some("a packet that is not ECN-capable was marked".into());
        }
        self.ledger.mark(reason);
        self.observer.marked(self.now, self.link, packet, reason);
    }
}

/// Calls into the discipline with a context made of the link's parts.
macro_rules! with_context {
    ($link:ident, $id:expr, $now:expr, $shared:expr, $observer:expr, |$discipline:ident, $ctx:ident| $body:expr) => {{
        if O::LOOKS_INSIDE {
            $observer.asking($now, $id, &$link.spec.discipline);
        }
        let mut sink = Books {
            now: $now,
            link: $id,
            ledger: &mut $link.ledger,
            shared: $shared,
            observer: $observer,
            fault: &mut $link.fault,
        };
        let $discipline = &mut $link.spec.discipline;
        let mut context = Context {
            now: $now,
            random: &mut $link.spec.random,
            sink: &mut sink,
        };
        let $ctx = &mut context;
        #[allow(clippy::let_unit_value)] // some calls answer, some do not
        let said = $body;
        if O::LOOKS_INSIDE {
            $observer.answered($now, $id, &$link.spec.discipline);
        }
        said
    }};
}

impl Link {
    /// Runs all departures and announced arrivals due up to the horizon, and all timers due before
    /// it, each at its exact instant. Stops at each packet that it hands over: to be called until
    /// there is none. `arrival` is when the next arrives, before and after.
    #[inline(always)]
    #[allow(clippy::inline_always)] // called from one place in each kind of run
    pub(crate) fn run_governed<O: Observer>(
        &mut self,
        id: LinkId,
        horizon: Horizon,
        arrival: &mut Time,
        shared: &mut Shared,
        observer: &mut O,
    ) -> Option<HandedOver> {
        loop {
            let departure = self.plan_before(*arrival);
            if self.due > horizon.departures {
                return None;
            }
            let mut handed_over = None;
            if departure == self.due {
                handed_over = self.depart(id, departure, shared, observer);
                self.settle();
            } else if *arrival == self.due {
                if *arrival > horizon.arrivals {
                    return None;
                }
                handed_over = self.take_in_governed(id, *arrival, shared, observer);
                *arrival = self.next_arrival();
            } else if self.timer < horizon.departures {
                with_context!(self, id, self.timer, shared, observer, |discipline, ctx| {
                    discipline.on_timer(ctx);
                });
                self.settle();
            } else {
                return None;
            }
            if handed_over.is_some() {
                return handed_over;
            }
        }
    }

    /// When the transmitter next asks for a packet: of a discipline that may be gone by not while
    /// nothing waits.
    #[inline]
    pub(super) fn next_question(&self) -> Time {
        if self.bypass > 0 && self.ledger.backlog().packets == 0 {
            Time::NEVER
        } else {
            self.asks_at
        }
    }

    /// The first announced packet arrives.
    #[inline]
    fn take_in_governed<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        shared: &mut Shared,
        observer: &mut O,
    ) -> Option<HandedOver> {
        let packet = self.packets.take_announced();
        observer.delivered(now, shared.came_over(&packet), &packet);
        if self.lets_pass(now, packet.size) {
            let stamp = self.pass(id, now, &packet, observer);
            return Some((packet, stamp));
        }
        self.arrive_governed(id, now, packet, shared, observer)
    }

    /// Takes an arriving packet, stamped with its arrival; the link must have caught up to `now`, and
    /// what is due next must be [planned](Self::plan) then. Tells what it hands over thereby.
    pub(crate) fn arrive_governed<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: SimPacket,
        shared: &mut Shared,
        observer: &mut O,
    ) -> Option<HandedOver> {
        self.ledger.arrive(packet.bytes(), now);
        observer.enqueued(now, id, &packet);
        with_context!(self, id, now, shared, observer, |discipline, ctx| {
            discipline.enqueue(packet, ctx);
        });
        self.fill_device(id, now, shared, observer);
        let mut handed_over = None;
        if now >= self.sends_until {
            handed_over = self.depart(id, now, shared, observer);
        } else {
            self.asks_at = self.sends_until;
        }
        self.settle();
        handed_over
    }

    /// Hands packets down to the device while it has room.
    #[inline]
    fn fill_device<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        shared: &mut Shared,
        observer: &mut O,
    ) {
        while self.device.len() < self.spec.device_queue {
            let taken = with_context!(self, id, now, shared, observer, |discipline, ctx| {
                discipline.dequeue(ctx)
            });
            let Dequeued::Packet(packet) = taken else {
                break;
            };
            self.device.push(packet);
        }
    }

    /// Asks for the next packet at `now` and begins its transmission.
    #[inline]
    fn depart<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        shared: &mut Shared,
        observer: &mut O,
    ) -> Option<HandedOver> {
        let mut handed_over = None;
        let taken = if let Some(packet) = self.device.pop() {
            Dequeued::Packet(packet)
        } else {
            with_context!(self, id, now, shared, observer, |discipline, ctx| {
                discipline.dequeue(ctx)
            })
        };
        match taken {
            Dequeued::Packet(packet) => {
                self.ledger.depart(packet.bytes(), packet.stamp, now);
                observer.dequeued(now, id, &packet);
                handed_over = self.transmit(now, packet);
            }
            Dequeued::Empty => self.asks_at = Time::NEVER,
            Dequeued::Wait(time) if time > now => self.asks_at = time,
            Dequeued::Wait(time) => {
                let fault = format!("the discipline asked at {now} to wait until {time}");
                self.fault = Some(fault.into());
                self.asks_at = Time::NEVER;
            }
        }
        self.fill_device(id, now, shared, observer);
        handed_over
    }

    /// After each operation: holds the discipline to its limit and to the books, and asks for its
    /// timer.
    #[inline]
    pub(super) fn settle(&mut self) {
        let status = self.spec.discipline.status();
        let said = status.backlog;
        let within = status.capacity.holds(said.packets, said.bytes);
        if !within || !self.ledger.agrees(said, self.device.backlog()) {
            self.find_fault(&status);
        }
        self.timer = status.next_timer.unwrap_or(Time::NEVER);
    }

    /// Works out what is due next.
    #[inline]
    pub(crate) fn plan(&mut self) {
        self.plan_before(self.next_arrival());
    }

    /// The same where the next arrival is known; tells the next departure.
    #[inline]
    fn plan_before(&mut self, arrival: Time) -> Time {
        let departure = self.next_question();
        self.due = departure.min(arrival).min(self.timer);
        departure
    }

    #[cold]
    fn find_fault(&mut self, status: &Status) {
        let said = status.backlog;
        let fault = if status.capacity.holds(said.packets, said.bytes) {
            self.ledger.disagreement(said, self.device.backlog())
        } else {
            let Backlog { packets, bytes } = said;
            format!("{packets} packets and {bytes} wait above the limit")
        };
        self.fault = Some(fault.into());
    }
}
