//! A link: a queue discipline, below it perhaps a device queue, a transmitter, and the packets in
//! flight.

mod audit;
mod changes;
mod discipline;
mod handover;
mod heads;
mod in_train;
mod jitter;
mod known_departures;
mod losses;
mod plain;
mod prefetch;
mod spec;
mod transmitter;
mod unplaced;

use std::collections::VecDeque;

pub use changes::{Change, Changes};
pub(crate) use discipline::Any;
pub(crate) use handover::{FedBy, HandedOver, Horizon};
use in_train::Wait;
pub use jitter::Jitter;
use known_departures::Booked;
pub use losses::{LossLaw, Losses};
use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Span, Time};
use sojourn_queue::parts::Fifo;
use sojourn_queue::{AnyDiscipline, Backlog, Discipline};
pub use spec::LinkSpec;
pub(crate) use spec::Pace;
pub use transmitter::Carried;
use unplaced::Unplaced;

use crate::SimPacket;
use crate::ledger::Ledger;
use crate::ring::Ring;

/// What lies behind a link that hands over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Behind {
    /// Only other links.
    Links,
    /// Links that belong to [trains](crate::train).
    Trains,
    /// Either of these, behind a wire on which packets may be [lost or late](Link::cross_wire).
    Wire,
}

/// When the discipline decides about packets that its link keeps, if the link hands over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DecidesAt {
    /// Never: the link keeps the packets of a plain queue, and those of no other.
    Nowhere,
    /// When they arrive.
    Enqueue,
    /// When they are about to leave.
    Dequeue,
}

impl DecidesAt {
    fn of(discipline: &AnyDiscipline<SimPacket>, may_keep: bool) -> Self {
        if may_keep && discipline.decides_at_enqueue() {
            Self::Enqueue
        } else if may_keep && discipline.decides_at_dequeue() {
            Self::Dequeue
        } else {
            Self::Nowhere
        }
    }
}

/// A link of a running simulation.
///
/// A packet that need not wait and is handed over touches only the first cache line of 64 bytes;
/// one that waits in a plain queue touches the first four. With many flows the links do not fit the
/// fast caches, and each further line costs time.
#[repr(C, align(64))]
pub struct Link {
    /// The transmitter sends until this instant.
    sends_until: Time,
    /// How long a packet of the last size takes to send: mostly the next one has the same size.
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
    /// The room of a queue whose packets the link keeps itself: a [plain] queue, or one whose
    /// discipline decides at [enqueue](known_departures) or at [dequeue](heads).
    pub(crate) room: Option<Capacity>,
    /// Where the discipline decides.
    pub(crate) decides_at: DecidesAt,
    /// Of such a queue at a link that hands over: when everything has been sent that arrived, or
    /// was in a train before what is announced. An instant in the past if there is nothing.
    pub(crate) free_at: Time,
    /// The packets that are booked by a queue which knows its [departures](known_departures) or
    /// [foresees](heads) them. Some of these still wait.
    booked: Ring<Booked>,
    /// Their bytes.
    booked_bytes: Bytes,
    /// The next departure, announced arrival or timer, whichever is first: until then there is
    /// nothing to catch up on.
    due: Time,
    /// Packets that the links before have announced and that are still on their way here, each
    /// stamped with its arrival.
    announced: Ring<SimPacket>,
    /// Packets being sent or on the wire, in the order of delivery, each stamped with its delivery;
    /// behind them those that wait in a plain queue, each stamped with its arrival.
    packets: Ring<SimPacket>,
    /// The instant under which the link stands in the calendar of deliveries.
    pub(crate) scheduled: Time,
    /// How long it may put off what is due, if it hands over.
    may_wait: Span,
    /// Until this instant the transmitter is sending or held back by a shaper; then it asks for the
    /// next packet. Never, if the last dequeue found the queue empty. Meaningless while nothing
    /// waits, since a packet that passes leaves it unchanged.
    asks_at: Time,
    /// The next timer of the discipline.
    timer: Time,
    /// Packets put on the wire here, as opposed to handed over.
    wired: u64,
    /// How many of these have come out.
    delivered: u64,
    /// How long the transmitter had been busy before the last change of packet size, in
    /// picoseconds.
    busy: u64,
    /// Whether packets may be [lost](Losses) on its wire: a copy, in a cache line that each packet
    /// which comes out here touches, unlike `spec`.
    pub(crate) is_lossy: bool,
    /// Whether packets may take different times on its wire: see [`jitter`].
    pub(crate) is_uneven: bool,
    /// Whether it may keep waiting packets itself, if its discipline allows that.
    may_keep: bool,
    /// Packets announced out of order that are not [in their places](Self::sort_in) yet.
    unplaced: Option<Box<Unplaced>>,
    /// When the first of these arrives.
    beyond: Time,
    /// The number of packets sent before the last change of packet size.
    sent_before: u64,
    /// The packets that go through it [in a train](in_train), have to wait, and are not booked yet.
    waits: VecDeque<Wait>,
    /// What the discipline did wrong, if anything.
    pub(crate) fault: Option<Box<str>>,
    /// The instant under which it is in the calendar of departures, if that is kept.
    pub(crate) departure_scheduled: Time,
    /// When the last packet that was put on an uneven wire comes out.
    latest: Time,
    /// Packets handed down to the device.
    device: Fifo<SimPacket>,
    /// What it is made of.
    pub spec: LinkSpec,
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
    /// An idle link; `looked_into` if an observer must see the inside of its discipline at every
    /// call.
    pub fn new(spec: LinkSpec, looked_into: bool) -> Self {
        let is_uneven = spec.is_uneven();
        let may_keep = spec.device_queue == 0 && spec.changes.is_none() && !looked_into;
        let plain = spec.discipline.plain_capacity();
        let mut link = Self {
            room: plain.filter(|_| may_keep && !spec.lets_overtake()),
            may_keep,
            decides_at: DecidesAt::of(&spec.discipline, may_keep),
            due: Time::NEVER,
            timer: Time::NEVER,
            bypass: largest_bypass(&spec),
            is_lossy: spec.losses.is_some(),
            is_uneven,
            last_size: 0,
            hands_over: false,
            fed_by: FedBy::Events,
            free_at: Time::ZERO,
            last_takes: spec.pace().to_send(0),
            delay: spec.delay,
            may_wait: handover::longest_wait(&spec),
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

    /// Makes it [hand over](crate::handover) what it begins to send, and keep waiting packets
    /// itself where it then can.
    pub(crate) fn hand_over(&mut self) {
        self.hands_over = true;
        if !self.has_plain_wire() {
            self.behind = Behind::Wire;
        }
        let discipline = &self.spec.discipline;
        if self.may_keep && discipline.plain_capacity().is_some()
            || self.decides_at != DecidesAt::Nowhere
        {
            self.room = Some(discipline.capacity());
        }
    }

    /// Whether all packets come out of its wire, each after the same propagation delay.
    #[inline]
    pub(crate) fn has_plain_wire(&self) -> bool {
        !(self.is_lossy || self.is_uneven)
    }

    /// Notes that there are [trains](crate::train) behind it.
    pub(crate) fn feed_trains(&mut self) {
        if self.behind == Behind::Links {
            self.behind = Behind::Trains;
        }
    }

    /// Whether it keeps waiting packets itself.
    pub(crate) fn keeps_queue(&self) -> bool {
        self.room.is_some()
    }

    /// Packets being sent or on the wire, except those handed over.
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

    /// When the link next needs the calendar: to deliver; if nothing is in flight, to ask a shaping
    /// discipline again; if it hands over, before the next packet that it sends would come out at
    /// the far end.
    #[inline]
    pub(crate) fn next_event(&self) -> Time {
        if self.hands_over {
            let departure = if self.knows_departures() {
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

    /// Whether the first packet in `packets` is being sent or on the wire, and so does not wait.
    #[inline]
    fn has_begun(&self) -> bool {
        self.room.is_none() || self.first_waiting() > 0
    }

    /// When the transmission of the next packet begins, or the discipline is asked for a packet.
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

    /// The packet whose last bit comes out at `now`, if there is one.
    #[inline(always)]
    pub(crate) fn deliver(&mut self, now: Time) -> Option<SimPacket> {
        let head = self.packets.first()?;
        if head.stamp != now || !self.has_begun() {
            return None;
        }
        Some(self.let_out())
    }

    /// Takes the first packet. A function of its own, so that the packet is copied once and as a
    /// whole.
    #[inline(always)]
    fn let_out(&mut self) -> SimPacket {
        self.delivered += 1;
        self.packets.take()
    }
}
