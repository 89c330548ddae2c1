//! A link: a queue discipline, below it perhaps a device queue, a transmitter, and the packets in
//! flight.

mod audit;
mod plain;

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Rate, Span, Stream, Time};
use sojourn_queue::parts::Fifo;
use sojourn_queue::{AnyDiscipline, Backlog, Context, Dequeued, Discipline, Reason, Sink, Status};

use crate::ledger::{Ledger, Shared};
use crate::ring::Ring;
use crate::{LinkId, NodeId, Observer, SimPacket};

/// What a link is made of.
pub struct LinkSpec {
    /// Its name, for messages.
    pub name: String,
    /// The node it leaves.
    pub from: NodeId,
    /// The node it enters.
    pub to: NodeId,
    /// Its rate.
    pub rate: Rate,
    /// Its propagation delay.
    pub delay: Span,
    /// Link framing of each packet: counts for serialisation only.
    pub overhead: Bytes,
    /// Room in packets of the drop-tail queue below the discipline; the discipline hands packets
    /// down while it has room.
    pub device_queue: usize,
    /// Its queue discipline.
    pub discipline: AnyDiscipline<SimPacket>,
    /// The discipline's random stream.
    pub random: Stream,
}

/// A link of a running simulation.
///
/// What every packet touches lies in front, in three cache lines of 64 bytes: with many flows the
/// links do not fit the fast caches, and each line more is felt.
#[repr(C, align(64))]
pub struct Link {
    /// The instant under which the link stands in the calendar of deliveries.
    pub(crate) scheduled: Time,
    /// Packets being sent or on the wire, in the order of delivery, each stamped with its delivery;
    /// behind them those that wait in a plain queue, each stamped with its arrival.
    packets: Ring<SimPacket>,
    /// The next departure or timer, whichever is first: until then there is nothing to catch up.
    due: Time,
    /// The transmitter sends until this instant.
    sends_until: Time,
    /// Sending, or shaped, until this instant; then the transmitter asks for the next packet.
    /// Never, where the last dequeue found the queue empty.
    asks_at: Time,
    /// The largest packet that may go by an empty queue; zero where none may.
    bypass: Bytes,
    /// The size sent last and how long that takes: mostly the same again.
    serialisation: (u16, Span),
    /// Its propagation delay.
    delay: Span,
    /// Time the transmitter has been busy up to `sends_until`, in picoseconds.
    busy: u64,
    /// Packets delivered.
    delivered: u64,
    /// The room of a [plain](plain) queue, where it is one.
    plain: Option<Capacity>,
    /// The next timer of the discipline.
    timer: Time,
    /// Its books.
    pub ledger: Ledger,
    /// What the discipline did wrong, if anything.
    pub(crate) fault: Option<String>,
    /// The instant under which it stands in the calendar of departures, where that is kept.
    pub(crate) departure_scheduled: Time,
    /// Packets handed down to the device.
    device: Fifo<SimPacket>,
    /// What it is made of.
    pub spec: LinkSpec,
}

/// What a link has carried up to an instant.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Carried {
    /// Time the transmitter was busy, in picoseconds.
    pub busy: u64,
    /// Bytes sent, the packet in transmission by the part that is out.
    pub bytes: f64,
}

/// The sink of one call into a discipline: books every drop and mark.
struct Books<'a, O> {
    now: Time,
    link: LinkId,
    ledger: &'a mut Ledger,
    shared: &'a mut Shared,
    observer: &'a mut O,
    fault: &'a mut Option<String>,
}

impl<O: Observer> Sink<SimPacket> for Books<'_, O> {
    fn dropped(&mut self, packet: SimPacket, reason: Reason) {
        self.ledger
            .drop(packet.bytes(), packet.stamp, self.now, reason);
        self.shared.dropped(&packet);
        self.observer.dropped(self.now, self.link, &packet, reason);
    }

    fn marked(&mut self, packet: &SimPacket, reason: Reason) {
        if !packet.ecn.get().is_capable() {
            *self.fault = Some("a packet that is not ECN-capable was marked".to_owned());
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

/// The largest packet that may go by the empty queue of a link.
fn largest_bypass(spec: &LinkSpec) -> Bytes {
    if spec.device_queue > 0 || !spec.discipline.can_bypass() {
        return Bytes::ZERO;
    }
    match spec.discipline.capacity() {
        Capacity::Packets(0) => Bytes::ZERO,
        Capacity::Bytes(limit) => Bytes::new(limit),
        Capacity::Packets(_) | Capacity::Unlimited => Bytes::new(u64::MAX),
    }
}

#[allow(clippy::inline_always)] // out of line, arguments and saved registers cost as much
impl Link {
    /// An idle link; `looked_into` where the inside of its discipline must be seen at every call.
    pub fn new(spec: LinkSpec, looked_into: bool) -> Self {
        let plain = spec.discipline.plain_capacity();
        let mut link = Self {
            plain: plain.filter(|_| spec.device_queue == 0 && !looked_into),
            due: Time::NEVER,
            timer: Time::NEVER,
            bypass: largest_bypass(&spec),
            serialisation: (0, Span::ZERO),
            delay: spec.delay,
            delivered: 0,
            spec,
            ledger: Ledger::default(),
            device: Fifo::default(),
            packets: Ring::default(),
            asks_at: Time::NEVER,
            sends_until: Time::ZERO,
            busy: 0,
            scheduled: Time::NEVER,
            departure_scheduled: Time::NEVER,
            fault: None,
        };
        link.settle();
        link
    }

    /// What waits, in the discipline and in the device.
    pub fn backlog(&self) -> Backlog {
        if self.plain.is_some() {
            return self.plain_backlog();
        }
        let (above, below) = (self.spec.discipline.backlog(), self.device.backlog());
        Backlog {
            packets: above.packets + below.packets,
            bytes: above.bytes + below.bytes,
        }
    }

    /// Packets being sent or on the wire.
    pub fn in_flight(&self) -> usize {
        if self.plain.is_some() {
            self.first_waiting()
        } else {
            self.packets.len()
        }
    }

    /// What it has carried up to `now`; the link must have caught up.
    pub fn carried(&self, now: Time) -> Carried {
        let ahead = self.sends_until.since(now).as_ps();
        let unsent = if ahead == 0 {
            0.0
        } else {
            let (size, takes) = self.serialisation;
            f64::from(size) * ahead as f64 / takes.as_ps() as f64
        };
        Carried {
            busy: self.busy - ahead,
            bytes: self.ledger.departures.bytes as f64 - unsent,
        }
    }

    /// When the link next needs the calendar: to deliver, or, where nothing is in flight, to ask
    /// a shaping discipline again.
    #[inline]
    pub(crate) fn next_event(&self) -> Time {
        match self.packets.head() {
            Some(packet) if self.has_begun() => packet.stamp,
            _ => self.next_departure(),
        }
    }

    /// Whether the packet at the head is being sent or on the wire: it does not wait.
    #[inline]
    fn has_begun(&self) -> bool {
        self.plain.is_none() || self.first_waiting() > 0
    }

    /// Whether nothing waits, and nothing need be asked when the transmission ends.
    #[inline]
    fn is_bypassed(&self) -> bool {
        self.bypass > Bytes::ZERO && self.ledger.backlog().packets == 0
    }

    /// When the transmitter next asks for a packet.
    #[inline]
    pub(crate) fn next_departure(&self) -> Time {
        if self.is_bypassed() {
            Time::NEVER
        } else {
            self.asks_at
        }
    }

    /// Runs all departures due by `until` and all timers due before it, at their exact instants.
    #[inline]
    pub(crate) fn catch_up<O: Observer>(
        &mut self,
        id: LinkId,
        until: Time,
        shared: &mut Shared,
        observer: &mut O,
    ) {
        if self.due <= until {
            if self.plain.is_some() {
                self.run_plain(id, until, observer);
            } else {
                self.run_due(id, until, shared, observer);
            }
        }
    }

    fn run_due<O: Observer>(
        &mut self,
        id: LinkId,
        until: Time,
        shared: &mut Shared,
        observer: &mut O,
    ) {
        while self.due <= until {
            let departure = self.next_departure();
            if departure <= self.timer {
                self.depart(id, departure, shared, observer);
            } else if self.timer < until {
                with_context!(self, id, self.timer, shared, observer, |discipline, ctx| {
                    discipline.on_timer(ctx);
                });
            } else {
                return;
            }
            self.settle();
        }
    }

    /// Sends a packet that finds the transmitter idle and nothing waiting, without troubling the
    /// discipline; says whether it could.
    #[inline(always)]
    pub(crate) fn pass<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &SimPacket,
        observer: &mut O,
    ) -> bool {
        let size = packet.bytes();
        let passes =
            self.sends_until <= now && self.ledger.backlog().packets == 0 && size <= self.bypass;
        if passes {
            self.ledger.pass(size);
            observer.passed(now, id, packet);
            self.transmit(now, packet);
        }
        passes
    }

    /// Takes an arriving packet, stamped with its arrival; the link must have caught up to `now`.
    pub(crate) fn arrive<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &SimPacket,
        shared: &mut Shared,
        observer: &mut O,
    ) {
        if let Some(capacity) = self.plain {
            self.arrive_plain(id, now, packet, capacity, shared, observer);
            return;
        }
        self.ledger.arrive(packet.bytes(), now);
        observer.enqueued(now, id, packet);
        with_context!(self, id, now, shared, observer, |discipline, ctx| {
            discipline.enqueue(*packet, ctx);
        });
        self.fill_device(id, now, shared, observer);
        if self.asks_at == Time::NEVER || now >= self.sends_until {
            self.depart(id, now, shared, observer);
        }
        self.settle();
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
    ) {
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
                self.transmit(now, &packet);
            }
            Dequeued::Empty => self.asks_at = Time::NEVER,
            Dequeued::Wait(time) if time > now => self.asks_at = time,
            Dequeued::Wait(time) => {
                self.fault = Some(format!(
                    "the discipline asked at {now} to wait until {time}"
                ));
                self.asks_at = Time::NEVER;
            }
        }
        self.fill_device(id, now, shared, observer);
    }

    /// Begins the transmission of a packet.
    #[inline(always)]
    fn transmit(&mut self, now: Time, packet: &SimPacket) {
        let stamp = self.begin(now, packet.size);
        // The fields are changed on the way into the ring, not before: a wide load of bytes just
        // stored one by one would stall.
        self.packets.push(SimPacket {
            stamp,
            hop: packet.hop + 1,
            ..*packet
        });
    }

    /// The transmitter begins to send `size` bytes; tells when they are delivered.
    #[inline(always)]
    fn begin(&mut self, now: Time, size: u16) -> Time {
        if self.serialisation.0 != size {
            let bytes = Bytes::new(u64::from(size)) + self.spec.overhead;
            self.serialisation = (size, self.spec.rate.time_to_send(bytes));
        }
        let takes = self.serialisation.1;
        let until = now + takes;
        self.asks_at = until;
        self.sends_until = until;
        self.busy += takes.as_ps();
        until + self.delay
    }

    /// Whether the last bit of a packet comes out at `now`.
    #[inline]
    pub(crate) fn delivers(&self, now: Time) -> bool {
        self.has_begun()
            && self
                .packets
                .head()
                .is_some_and(|packet| packet.stamp == now)
    }

    /// Takes the packet whose last bit comes out now. By itself, for it to be copied once and whole.
    #[inline]
    pub(crate) fn deliver(&mut self) -> SimPacket {
        self.delivered += 1;
        self.packets.take_head()
    }

    /// After each operation: holds the discipline to its limit and to the books, and works out
    /// what is due next.
    #[inline]
    fn settle(&mut self) {
        let status = self.spec.discipline.status();
        let said = status.backlog;
        let within = status.capacity.holds(said.packets, said.bytes);
        if !within || !self.ledger.agrees(said, self.device.backlog()) {
            self.find_fault(&status);
        }
        self.timer = status.next_timer.unwrap_or(Time::NEVER);
        self.due = self.timer.min(self.next_departure());
    }

    #[cold]
    fn find_fault(&mut self, status: &Status) {
        let said = status.backlog;
        self.fault = Some(if status.capacity.holds(said.packets, said.bytes) {
            self.ledger.disagreement(said, self.device.backlog())
        } else {
            let Backlog { packets, bytes } = said;
            format!("{packets} packets and {bytes} wait above the limit")
        });
    }
}
