//! A link: a queue discipline, below it perhaps a device queue, a transmitter, and the packets in
//! flight.

mod audit;
mod changes;
mod governed;
mod handing;
mod heads;
mod in_train;
mod jitter;
mod losses;
mod plain;
mod promises;
mod unplaced;

use std::collections::VecDeque;

pub use changes::{Change, Changes};
pub(crate) use governed::Any;
pub(crate) use handing::{FedBy, HandedOver, Horizon};
use in_train::Wait;
pub use jitter::Jitter;
pub use losses::{LossLaw, Losses};
use promises::Booked;
use sojourn_base::length::Capacity;
use sojourn_base::prefetch::{prefetch, prefetch_all, prefetch_until};
use sojourn_base::{Bytes, Rate, Span, Stream, Time};
use sojourn_queue::parts::Fifo;
use sojourn_queue::{AnyDiscipline, Backlog, Discipline};
use unplaced::Unplaced;

use crate::ledger::Ledger;
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
    /// Its rate; where that changes, the present one.
    pub rate: Rate,
    /// How its rate changes, if it does.
    pub changes: Option<Box<Changes>>,
    /// Its propagation delay.
    pub delay: Span,
    /// What is lost on the wire, if anything.
    pub losses: Option<Box<Losses>>,
    /// What packets take beyond that delay, if anything.
    pub jitter: Option<Box<Jitter>>,
    /// Where delays vary: whether a packet may come out before one that was sent before it. If
    /// not, it comes out with it.
    pub reorders: bool,
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

/// What decides how long a packet takes from one end of a link to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Pace {
    rate: Rate,
    overhead: Bytes,
    pub(crate) delay: Span,
}

impl Pace {
    /// How long it takes to send `size` bytes.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once or twice a packet
    pub(crate) fn to_send(self, size: u16) -> Span {
        let bytes = Bytes::new(u64::from(size)) + self.overhead;
        self.rate.time_to_send(bytes)
    }

    /// The same, and the propagation.
    pub(crate) fn to_cross(self, size: u16) -> Span {
        self.to_send(size) + self.delay
    }
}

impl LinkSpec {
    /// How long its packets take.
    #[inline]
    pub(crate) fn pace(&self) -> Pace {
        Pace {
            rate: self.rate,
            overhead: self.overhead,
            delay: self.delay,
        }
    }

    /// Whether not all packets take equally long on the wire.
    pub(crate) fn is_uneven(&self) -> bool {
        let changes = self.changes.as_deref();
        self.jitter.is_some() || changes.is_some_and(Changes::vary_delay)
    }

    /// Whether a packet may come out before one that was sent before it.
    pub(crate) fn lets_overtake(&self) -> bool {
        self.reorders && self.is_uneven()
    }

    /// How long they take at least, whenever they come.
    pub(crate) fn least_pace(&self) -> Pace {
        let pace = self.pace();
        self.changes.as_deref().map_or(pace, |changes| Pace {
            rate: changes.fastest(),
            delay: changes.shortest(),
            ..pace
        })
    }
}

/// What lies behind a link that hands over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    /// Other links.
    Links,
    /// Links of [trains](crate::train).
    Trains,
    /// Either, behind a wire on which [something becomes](Link::cross_wire) of some packets.
    Wire,
}

/// What a discipline judges whose packets its link keeps, if it hands over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Judges {
    /// Nothing: the link keeps the packets of a plain queue, those of any other it does not keep.
    Nothing,
    /// Packets when they arrive.
    Arrivals,
    /// Packets when they are to leave.
    Heads,
}

impl Judges {
    fn of(discipline: &AnyDiscipline<SimPacket>, may_keep: bool) -> Self {
        if may_keep && discipline.judges_arrivals() {
            Self::Arrivals
        } else if may_keep && discipline.judges_heads() {
            Self::Heads
        } else {
            Self::Nothing
        }
    }
}

/// A link of a running simulation.
///
/// A packet that need not wait and is handed over touches only the first cache line of 64 bytes,
/// one that waits in a plain queue the first four: with many flows the links do not fit the fast
/// caches, and each further line costs time.
#[repr(C, align(64))]
pub struct Link {
    /// The transmitter sends until this instant.
    sends_until: Time,
    /// How long a packet of the size sent last takes: mostly the next one has the same size.
    last_takes: Span,
    /// Its propagation delay.
    delay: Span,
    /// The size sent last.
    last_size: u16,
    /// The largest packet that may bypass an empty queue; zero if none may.
    bypass: u16,
    /// Whether it [hands over](crate::handover) what it begins to send.
    pub(crate) hands_over: bool,
    /// Which links hand over to it, if any.
    pub(crate) fed_by: FedBy,
    /// Whether there are any `waits`: checked for every packet, and so in the first line.
    has_waits: bool,
    /// What lies behind it.
    pub(crate) behind: Behind,
    /// Its books, which fill the first line and end with the third.
    pub ledger: Ledger,
    /// The room of a queue that the link keeps itself: a [plain] one, or one whose
    /// [arrivals](promises) or [heads] are judged.
    pub(crate) room: Option<Capacity>,
    /// What the discipline judges.
    pub(crate) judges: Judges,
    /// When everything is sent that has come to such a queue that hands over, or was in a train
    /// before what is announced; an instant in the past if that is nothing.
    pub(crate) free_at: Time,
    /// The packets that a queue has booked which [promises] or [foresees](heads), and of
    /// which some wait still.
    booked: Ring<Booked>,
    /// Their bytes.
    booked_bytes: Bytes,
    /// The next departure, announced arrival or timer, whichever is first: until then there is
    /// nothing to catch up on.
    due: Time,
    /// Packets that the link before has handed over and that are still on their way here, each
    /// stamped with its arrival.
    announced: Ring<SimPacket>,
    /// Packets being sent or on the wire, in the order of delivery, each stamped with its delivery;
    /// behind them those that wait in a plain queue, each stamped with its arrival.
    packets: Ring<SimPacket>,
    /// The instant under which the link stands in the calendar of deliveries.
    pub(crate) scheduled: Time,
    /// How long it may put off what is due, if it hands over.
    may_wait: Span,
    /// Sending, or held back by a shaper, until this instant; then the transmitter asks for the
    /// next packet. Never, if the last dequeue found the queue empty. Meaningless while nothing
    /// waits, since a packet that passes by leaves it as it is.
    asks_at: Time,
    /// The next timer of the discipline.
    timer: Time,
    /// Packets put on the wire here, not handed over.
    wired: u64,
    /// How many of these have come out.
    delivered: u64,
    /// Time the transmitter was busy before it came to the size sent last, in picoseconds.
    busy: u64,
    /// Whether packets may be [lost](Losses) on its wire: a copy in a line that each packet touches
    /// that comes out here, unlike `spec`.
    pub(crate) is_lossy: bool,
    /// Whether its packets need not all take equally long on the wire: see [`jitter`].
    pub(crate) is_uneven: bool,
    /// Whether it may keep what waits itself, where its discipline lets it.
    may_keep: bool,
    /// Packets announced in any order, and not [in their place](Self::sort_in) yet.
    unplaced: Option<Box<Unplaced>>,
    /// When the first of these arrives.
    beyond: Time,
    /// The packets sent before it came to the size sent last.
    sent_before: u64,
    /// The packets that go through it [in a train](in_train), have to wait, and are not booked yet.
    waits: VecDeque<Wait>,
    /// What the discipline did wrong, if anything.
    pub(crate) fault: Option<Box<str>>,
    /// The instant under which it stands in the calendar of departures, where that is kept.
    pub(crate) departure_scheduled: Time,
    /// When the last comes out that was put on an uneven wire.
    latest: Time,
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

/// The largest packet that may bypass the empty queue of a link; zero if none may.
fn largest_bypass(spec: &LinkSpec) -> u16 {
    if spec.device_queue > 0 || !spec.discipline.can_bypass() {
        return 0;
    }
    match spec.discipline.capacity() {
        Capacity::Packets(0) => 0,
        Capacity::Bytes(limit) => limit.min(u64::from(u16::MAX)) as u16,
        Capacity::Packets(_) | Capacity::Unlimited => u16::MAX,
    }
}

#[allow(clippy::inline_always)] // out of line, arguments and saved registers cost as much
impl Link {
    /// An idle link; `looked_into` where the inside of its discipline must be seen at every call.
    pub fn new(spec: LinkSpec, looked_into: bool) -> Self {
        let is_uneven = spec.is_uneven();
        let may_keep = spec.device_queue == 0 && spec.changes.is_none() && !looked_into;
        let plain = spec.discipline.plain_capacity();
        let mut link = Self {
            room: plain.filter(|_| may_keep && !spec.lets_overtake()),
            may_keep,
            judges: Judges::of(&spec.discipline, may_keep),
            due: Time::NEVER,
            timer: Time::NEVER,
            bypass: largest_bypass(&spec),
            is_lossy: spec.losses.is_some(),
            is_uneven,
            last_size: 0,
            hands_over: false,
            fed_by: FedBy::Events,
            free_at: Time::ZERO,
            last_takes: Span::ZERO,
            delay: spec.delay,
            may_wait: handing::longest_wait(&spec),
            wired: 0,
            delivered: 0,
            spec,
            ledger: Ledger::default(),
            device: Fifo::default(),
            packets: Ring::default(),
            announced: Ring::default(),
            unplaced: None,
            beyond: Time::NEVER,
            has_waits: false,
            behind: Behind::Links,
            waits: VecDeque::new(),
            booked: Ring::default(),
            booked_bytes: Bytes::ZERO,
            asks_at: Time::NEVER,
            sends_until: Time::ZERO,
            busy: 0,
            sent_before: 0,
            scheduled: Time::NEVER,
            departure_scheduled: Time::NEVER,
            latest: Time::ZERO,
            fault: None,
        };
        link.settle();
        link.plan();
        link
    }

    /// What waits, in the discipline and in the device.
    pub fn backlog(&self) -> Backlog {
        if self.room.is_some() {
            return self.kept_backlog();
        }
        let (above, below) = (self.spec.discipline.backlog(), self.device.backlog());
        Backlog {
            packets: above.packets + below.packets,
            bytes: above.bytes + below.bytes,
        }
    }

    /// It [hands over](crate::handover) what it begins to send; what waits, it keeps itself where
    /// it can then.
    pub(crate) fn hand_over(&mut self) {
        self.hands_over = true;
        if !self.has_plain_wire() {
            self.behind = Behind::Wire;
        }
        let discipline = &self.spec.discipline;
        if self.may_keep && discipline.plain_capacity().is_some() || self.judges != Judges::Nothing
        {
            self.room = Some(discipline.capacity());
        }
    }

    /// Whether all packets come out of its wire, each after the same propagation.
    #[inline]
    pub(crate) fn has_plain_wire(&self) -> bool {
        !(self.is_lossy || self.is_uneven)
    }

    /// There are [trains](crate::train) behind it.
    pub(crate) fn feed_trains(&mut self) {
        if self.behind == Behind::Links {
            self.behind = Behind::Trains;
        }
    }

    /// Whether it keeps what waits itself.
    pub(crate) fn keeps_queue(&self) -> bool {
        self.room.is_some()
    }

    /// Packets being sent or on the wire, but for those handed over.
    pub(crate) fn in_flight(&self) -> usize {
        if self.room.is_some() {
            self.first_waiting()
        } else {
            self.packets.len()
        }
    }

    /// The largest packet that may bypass its empty queue.
    pub(crate) fn bypass(&self) -> u16 {
        self.bypass
    }

    /// Whether no packet is announced, waits, or is in flight to be delivered by it.
    pub(crate) fn is_unused(&self) -> bool {
        self.packets.is_empty() && self.announced.is_empty()
    }

    /// Prefetches the line that every packet touches.
    #[inline(always)]
    fn prefetch_first(&self) {
        prefetch(&self.sends_until);
    }

    /// Prefetches what tells whether a packet that comes out of a train has waited.
    #[inline(always)]
    pub(crate) fn prefetch_in_train(&self) {
        self.prefetch_first();
        prefetch(&self.waits);
    }

    /// Prefetches what such a packet touches, if any has waited; `has_waits` must be in the cache.
    #[inline(always)]
    pub(crate) fn prefetch_wait(&self) {
        if self.has_waits {
            prefetch_all(&self.ledger);
            self.waits.front().into_iter().for_each(prefetch);
        }
    }

    /// Prefetches the lines that every packet touches that it delivers itself.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        self.prefetch_first();
        prefetch(&self.announced);
        prefetch(&self.scheduled);
    }

    /// Prefetches the lines that a packet touches that waits.
    #[inline(always)]
    pub(crate) fn prefetch_books(&self) {
        prefetch_until(self, &self.announced);
    }

    /// Prefetches the place where a packet that waits is booked.
    #[inline(always)]
    pub(crate) fn prefetch_booked(&self) {
        self.booked.next_up().into_iter().for_each(prefetch);
    }

    /// The packet that is announced behind `index` others; if there are not that many, some earlier
    /// one.
    #[inline(always)]
    pub(crate) fn ahead(&self, index: usize) -> Option<&SimPacket> {
        self.announced.near(index)
    }

    /// Prefetches the packet that comes out next.
    #[inline(always)]
    pub(crate) fn prefetch_packet(&self) {
        let ring = if self.packets.is_empty() {
            &self.announced
        } else {
            &self.packets
        };
        if let Some(packet) = ring.next_up() {
            prefetch(packet);
            prefetch(&packet.size);
        }
    }

    /// What it has carried up to `now`, to which it must have caught up.
    pub fn carried(&self, now: Time) -> Carried {
        let sending = self.sending();
        let ahead = sending.until.since(now).as_ps();
        let unsent = if ahead == 0 {
            0.0
        } else {
            f64::from(sending.size) * ahead as f64 / sending.takes.as_ps() as f64
        };
        Carried {
            busy: self.busy_so_far() - ahead,
            bytes: self.ledger.departures().bytes as f64 - unsent,
        }
    }

    /// When the link next needs the calendar: to deliver, or, where nothing is in flight, to ask
    /// a shaping discipline again; one that hands over, before the next packet that it sends would
    /// come out at the far end.
    #[inline]
    pub(crate) fn next_event(&self) -> Time {
        if self.hands_over {
            let departure = if self.promises() {
                Time::NEVER
            } else {
                self.next_departure()
            };
            let catches_up = departure.min(self.next_arrival()) + self.may_wait;
            return catches_up.min(self.next_lost());
        }
        if self.room.is_some() {
            return self.next_delivery();
        }
        match self.packets.first() {
            Some(packet) if self.is_uneven => packet.stamp.min(self.next_question()),
            Some(packet) => packet.stamp,
            None => self.next_question(),
        }
    }

    /// Whether the packet at the head is being sent or on the wire: it does not wait.
    #[inline]
    fn has_begun(&self) -> bool {
        self.room.is_none() || self.first_waiting() > 0
    }

    /// When the transmission of the next packet begins, or the discipline is asked for it.
    pub(crate) fn next_departure(&self) -> Time {
        if self.room.is_some() {
            self.plain_departure()
        } else {
            self.next_question()
        }
    }

    /// Whether anything is due up to the horizon.
    #[inline(always)]
    pub(crate) fn has_due(&self, horizon: Horizon) -> bool {
        self.due <= horizon.departures
    }

    /// Whether a packet of `size` that comes `now` finds the transmitter idle and nothing waiting,
    /// and need not trouble the discipline.
    #[inline(always)]
    pub(crate) fn lets_pass(&self, now: Time, size: u16) -> bool {
        self.sends_until <= now && self.ledger.backlog().packets == 0 && size <= self.bypass
    }

    /// Begins to send an arriving packet that [may pass](Self::lets_pass); tells when it comes out.
    #[inline(always)]
    pub(crate) fn pass<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &SimPacket,
        observer: &mut O,
    ) -> Time {
        self.ledger.pass(packet.bytes());
        observer.passed(now, id, packet);
        self.begin(now, packet.size)
    }

    /// Begins the transmission of a packet.
    #[inline]
    fn transmit(&mut self, now: Time, packet: SimPacket) -> Option<HandedOver> {
        let stamp = self.begin(now, packet.size);
        self.asks_at = self.sends_until;
        if self.hands_over {
            return Some((packet, stamp));
        }
        self.put_on_wire(&packet, stamp);
        None
    }

    /// Keeps a packet whose transmission has begun until it comes out: at `stamp`, but for what it
    /// takes longer on an uneven wire. Tells when.
    #[inline(always)]
    pub(crate) fn put_on_wire(&mut self, packet: &SimPacket, stamp: Time) -> Time {
        self.wired += 1;
        if self.is_uneven {
            return self.put_on_uneven_wire(packet, stamp);
        }
        self.packets
            .push(packet, |copy| copy.send_copy_on(packet, 1, stamp));
        stamp
    }

    /// How long it takes to send `size` bytes.
    #[inline(always)]
    fn takes(&self, size: u16) -> Span {
        if self.last_size == size {
            self.last_takes
        } else {
            self.spec.pace().to_send(size)
        }
    }

    /// The transmitter begins to send `size` bytes, which the books count already; returns when
    /// they are delivered.
    #[inline(always)]
    fn begin(&mut self, now: Time, size: u16) -> Time {
        if size != self.last_size {
            self.turn_to(size);
        }
        self.sends_until = now + self.last_takes;
        self.sends_until + self.delay
    }

    /// A packet of another size than the last is sent.
    #[inline(never)]
    fn turn_to(&mut self, size: u16) {
        let sent_before = self.ledger.departures().packets.saturating_sub(1);
        self.busy += (sent_before - self.sent_before) * self.last_takes.as_ps();
        self.sent_before = sent_before;
        (self.last_size, self.last_takes) = (size, self.spec.pace().to_send(size));
    }

    /// Time the transmitter has been busy up to `sends_until`, in picoseconds.
    fn busy_so_far(&self) -> u64 {
        let sent = self.ledger.departures().packets - self.sent_before;
        self.busy + sent * self.last_takes.as_ps()
    }

    /// The packet whose last bit comes out at `now`, if there is one.
    #[inline(always)]
    pub(crate) fn deliver(&mut self, now: Time) -> Option<SimPacket> {
        let head = self.packets.first()?;
        if head.stamp != now || !self.has_begun() {
            return None;
        }
        Some(self.let_out())
    }

    /// Takes the packet at the head. A function of its own, so that the packet is copied once and
    /// whole.
    #[inline(always)]
    fn let_out(&mut self) -> SimPacket {
        self.delivered += 1;
        self.packets.take()
    }
}
