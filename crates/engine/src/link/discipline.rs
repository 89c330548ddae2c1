//! A queue with a discipline that is asked about every packet, and whose state is compared with the
//! books after each call.

use sojourn_base::Time;
use sojourn_queue::{
    AnyDiscipline, Backlog, Context, Dequeued, Discipline, Reason, Registered, Sink,
};

use super::{HandedOver, Horizon, Link, Losses};
use crate::ledger::{Ledger, Shared};
use crate::{LinkId, Observer, SimPacket};

/// What is wrong with a mark on a packet that is not ECN-capable.
pub(super) const MARKED_NOT_ECT: &str = "a packet that is not ECN-capable was marked";

/// What is wrong if this much waits.
pub(super) fn above_limit(Backlog { packets, bytes }: Backlog) -> String {
    format!("{packets} packets and {bytes} wait above the limit")
}

/// The sink of one call into a discipline: books every drop and mark.
pub(super) struct Books<'a, O> {
    pub(super) now: Time,
    pub(super) link: LinkId,
    pub(super) ledger: &'a mut Ledger,
    pub(super) losses: &'a mut Option<Box<Losses>>,
    pub(super) shared: &'a mut Shared,
    pub(super) observer: &'a mut O,
    pub(super) fault: &'a mut Option<Box<str>>,
}

impl<O: Observer> Sink<SimPacket> for Books<'_, O> {
    fn dropped(&mut self, packet: SimPacket, reason: Reason) {
        if let Some(losses) = self.losses {
            losses.let_out(self.link, self.now, self.ledger, self.shared, self.observer);
        }
        self.ledger
            .drop(packet.bytes(), packet.stamp, self.now, reason);
        self.shared.dropped(&packet);
        self.observer.dropped(self.now, self.link, &packet, reason);
    }

    fn marked(&mut self, packet: &SimPacket, reason: Reason) {
        if !packet.ecn().is_capable() {
            *self.fault = Some(MARKED_NOT_ECT.into());
        }
        self.ledger.mark(reason);
        self.observer.marked(self.now, self.link, packet, reason);
    }
}

/// Calls the discipline, which is of that type, with a context made of the link's parts.
macro_rules! with_context {
    ($type:ty, $link:ident, $id:expr, $now:expr, $shared:expr, $observer:expr, |$discipline:ident, $ctx:ident| $body:expr) => {{
        if O::LOOKS_INSIDE {
            $observer.before_call($now, $id, &$link.spec.discipline);
        }
        let mut sink = Books {
            now: $now,
            link: $id,
            ledger: &mut $link.ledger,
            losses: &mut $link.spec.losses,
            shared: $shared,
            observer: $observer,
            fault: &mut $link.fault,
        };
        let $discipline = <$type>::of(&mut $link.spec.discipline);
        let mut context = Context {
            now: $now,
            random: &mut $link.spec.random,
            sink: &mut sink,
        };
        let $ctx = &mut context;
        #[allow(clippy::let_unit_value)] // some calls answer, some do not
        let said = $body;
        if O::LOOKS_INSIDE {
            $observer.after_call($now, $id, &$link.spec.discipline);
        }
        said
    }};
}

/// Any discipline: each call finds out which it is.
pub(crate) type Any = AnyDiscipline<SimPacket>;

impl Link {
    /// Runs all departures and announced arrivals due up to the horizon, and all timers due before
    /// it, each at its exact instant. The discipline is a `D`, so that its calls are direct and
    /// small ones are inlined. Returns at each packet that it hands over: to be called until it
    /// returns none. `arrival` is when the next packet arrives, before and after the call.
    #[inline(always)]
    #[allow(clippy::inline_always)] // called from one place in each kind of run
    pub(crate) fn run_as<D: Registered<SimPacket>, O: Observer>(
        &mut self,
        id: LinkId,
        horizon: Horizon,
        arrival: &mut Time,
        shared: &mut Shared,
        observer: &mut O,
    ) -> Option<HandedOver> {
        loop {
            let departure = self.next_question();
            let due = departure.min(*arrival).min(self.timer);
            if due > horizon.departures {
                self.due = due;
                return None;
            }
            let mut handed_over = None;
            if departure == due {
                handed_over = self.depart::<D, O>(id, due, shared, observer);
                self.settle_as::<D>();
            } else if *arrival == due {
                if due > horizon.arrivals {
                    self.due = due;
                    return None;
                }
                handed_over = self.enqueue_announced::<D, O>(id, due, shared, observer);
                *arrival = self.next_arrival();
            } else if due < horizon.departures {
                with_context!(D, self, id, due, shared, observer, |discipline, ctx| {
                    discipline.on_timer(ctx);
                });
                self.settle_as::<D>();
            } else {
                self.due = due;
                return None;
            }
            if handed_over.is_some() {
                return handed_over;
            }
        }
    }

    /// When the transmitter next asks for a packet. Where packets may bypass the discipline, it
    /// does not ask while nothing waits.
    #[inline]
    pub(super) fn next_question(&self) -> Time {
        if self.bypass > 0 && self.ledger.backlog().packets == 0 {
            Time::NEVER
        } else {
            self.asks_at
        }
    }

    /// The first announced packet arrives. If the transmitter is idle, it asks for a packet now.
    /// Returns the packet that the link hands over then, if any.
    #[inline]
    fn enqueue_announced<D: Registered<SimPacket>, O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        shared: &mut Shared,
        observer: &mut O,
    ) -> Option<HandedOver> {
        // Asked where it lies, so that it is copied whole, for store forwarding (see `SimPacket`).
        let announced = self.announced.first()?;
        observer.delivered(now, shared.came_over(announced), announced);
        if self.lets_pass(now, announced.size) {
            let packet = self.announced.take();
            let stamp = self.pass(id, now, &packet, observer);
            return Some((packet, stamp));
        }
        self.ledger.arrive(announced.bytes(), now);
        observer.enqueued(now, id, announced);
        let packet = self.announced.take();
        self.let_in::<D, O>(id, now, packet, shared, observer);
        self.settle_as::<D>();
        None
    }

    /// Takes an arriving packet, stamped with its arrival. The link must have caught up to `now`;
    /// afterwards the caller must [plan](Self::plan) what is due next. Returns the packet that the
    /// link hands over then, if any.
    pub(crate) fn enqueue_at_discipline<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: SimPacket,
        shared: &mut Shared,
        observer: &mut O,
    ) -> Option<HandedOver> {
        self.ledger.arrive(packet.bytes(), now);
        observer.enqueued(now, id, &packet);
        self.let_in::<Any, O>(id, now, packet, shared, observer);
        let mut handed_over = None;
        if now >= self.sends_until {
            handed_over = self.depart::<Any, O>(id, now, shared, observer);
        }
        self.settle();
        handed_over
    }

    /// Gives the discipline an arriving packet, which is in the books.
    #[inline]
    fn let_in<D: Registered<SimPacket>, O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: SimPacket,
        shared: &mut Shared,
        observer: &mut O,
    ) {
        with_context!(D, self, id, now, shared, observer, |discipline, ctx| {
            discipline.enqueue(packet, ctx);
        });
        self.fill_device(id, now, shared, observer);
        self.asks_at = self.sends_until.max(now);
    }

    /// Hands packets down to the device, if there is one.
    #[inline]
    fn fill_device<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        shared: &mut Shared,
        observer: &mut O,
    ) {
        if self.spec.device_queue > 0 {
            self.hand_down(id, now, shared, observer);
        }
    }

    /// Hands packets down to the device while it has room.
    #[inline(never)]
    fn hand_down<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        shared: &mut Shared,
        observer: &mut O,
    ) {
        while self.device.len() < self.spec.device_queue {
            let taken = with_context!(Any, self, id, now, shared, observer, |discipline, ctx| {
                discipline.dequeue(ctx)
            });
            let Dequeued::Packet(packet) = taken else {
                break;
            };
            self.device.push(packet);
        }
    }

    /// Asks for the next packet at `now` and begins its transmission.
    #[inline(always)]
    #[allow(clippy::inline_always)] // from one place for each discipline
    fn depart<D: Registered<SimPacket>, O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        shared: &mut Shared,
        observer: &mut O,
    ) -> Option<HandedOver> {
        let mut handed_over = None;
        let taken = if self.spec.device_queue > 0
            && let Some(packet) = self.device.pop()
        {
            Dequeued::Packet(packet)
        } else {
            with_context!(D, self, id, now, shared, observer, |discipline, ctx| {
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

    /// After each operation: compares the discipline with its limit and with the books, and asks
    /// for its timer.
    pub(super) fn settle(&mut self) {
        self.settle_as::<Any>();
    }

    /// The same for a discipline of that type. Its answers stay in registers, so `find_fault` has
    /// to ask again.
    #[inline(always)]
    #[allow(clippy::inline_always)] // after each operation
    fn settle_as<D: Registered<SimPacket>>(&mut self) {
        let status = D::of(&mut self.spec.discipline).status();
        let said = status.backlog;
        let within = status.capacity.holds(said.packets, said.bytes);
        if !within || !self.ledger.agrees(said, self.device.backlog()) {
            self.find_fault();
        }
        self.timer = status.next_timer.unwrap_or(Time::NEVER);
    }

    /// Works out what is due next.
    #[inline]
    pub(crate) fn plan(&mut self) {
        let departure = self.next_question();
        self.due = departure.min(self.next_arrival()).min(self.timer);
    }

    #[cold]
    #[inline(never)]
    fn find_fault(&mut self) {
        let status = self.spec.discipline.status();
        let said = status.backlog;
        let fault = if status.capacity.holds(said.packets, said.bytes) {
            self.ledger.disagreement(said, self.device.backlog())
        } else {
            above_limit(said)
        };
        self.fault = Some(fault.into());
    }
}
