//! What a discipline and the owner of its queue promise each other.

use core::fmt;

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Ecn, LinkInfo, Span, Stream, Time};

use crate::parts::probe_names::prefixed;

/// A packet, as far as a discipline may look into it.
pub trait Packet {
    /// The size that the queue counts: IP included, link framing not.
    fn size(&self) -> Bytes;
    /// The key of its flow: equal for all packets of one five-tuple. Its lower half is the number
    /// of the flow, by which one can be named, of whichever connection and direction.
    fn flow(&self) -> u64;
    /// Its source address.
    fn source(&self) -> u32;
    /// Its destination address.
    fn destination(&self) -> u32;
    /// Its differentiated-services codepoint.
    fn dscp(&self) -> u8 {
        0
    }
    /// The priority that its sender, or its codepoint, gave it (Linux's `skb->priority`).
    fn priority(&self) -> u8 {
        0
    }
    /// The class that a filter chose for it (Linux's `tc-filter`), counted from 0.
    fn class(&self) -> Option<u8> {
        None
    }
    /// Its ECN codepoint.
    fn ecn(&self) -> Ecn;
    /// Sets "congestion experienced". Only ever called on a packet that is ECN-capable.
    fn set_ce(&mut self);
    /// What it acknowledges, if it is a TCP segment with the ACK flag and without SYN.
    fn ack(&self) -> Option<AckView> {
        None
    }
    /// The round-trip time of its flow, if the packet carries it.
    fn rtt(&self) -> Option<Span> {
        None
    }
    /// When it came to this queue: stamped by the owner of the queue before
    /// [`Discipline::enqueue`]. Its sojourn is the time since.
    fn enqueued(&self) -> Time;
}

/// An acknowledgement, as far as a discipline may look into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AckView {
    /// The key of its connection and direction: equal addresses and ports.
    pub connection: u64,
    /// The byte expected next: all before it have arrived.
    pub number: u64,
    /// Whether it is nothing else: no data, no flag but ACK, ECE and CWR, no option but MD5, SACK
    /// and timestamps.
    pub pure: bool,
    /// The flag "ECN echo".
    pub ece: bool,
    /// The flag "congestion window reduced".
    pub cwr: bool,
    /// What has arrived beyond `number`.
    pub sack: Sack,
    /// The timestamp option: its value and its echo.
    pub stamps: Option<(u64, u64)>,
}

/// The SACK option of an acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sack {
    /// None.
    #[default]
    None,
    /// Its ranges `[start, end)`; those beyond the option's number are empty.
    Blocks([(u64, u64); 4]),
    /// There is one, but the packet cannot show it.
    Hidden,
}

/// Why a packet was dropped or marked: one vocabulary over all disciplines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Reason {
    /// No room: the queue is at its limit.
    Overlimit,
    /// An early drop or mark, by probability.
    Unforced,
    /// The average stands above the hard threshold.
    Forced,
    /// The sojourn stayed above its target (CoDel's law).
    Target,
    /// The sojourn stood above the threshold for marking (`ce_threshold`).
    CeThreshold,
    /// By BLUE's probability.
    Blue,
    /// A queued packet of the same flow was met (`CHOKe`).
    Match,
    /// Taken from the head to make room.
    Head,
    /// An unresponsive flow beyond its allowance.
    Penalty,
    /// A redundant acknowledgement.
    AckFilter,
    /// Lost on the wire.
    Link,
}

impl Reason {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 11] = [
        Self::Overlimit,
        Self::Unforced,
        Self::Forced,
        Self::Target,
        Self::CeThreshold,
        Self::Blue,
        Self::Match,
        Self::Head,
        Self::Penalty,
        Self::AckFilter,
        Self::Link,
    ];

    /// Its name in tables and in the driver's protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Overlimit => "overlimit",
            Self::Unforced => "unforced",
            Self::Forced => "forced",
            Self::Target => "target",
            Self::CeThreshold => "ce_threshold",
            Self::Blue => "blue",
            Self::Match => "match",
            Self::Head => "head",
            Self::Penalty => "penalty",
            Self::AckFilter => "ack_filter",
            Self::Link => "link",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where drops go and marks are told.
pub trait Sink<P> {
    /// `packet` was dropped: an arrival refused, or one taken out of the queue.
    fn dropped(&mut self, packet: P, reason: Reason);
    /// `packet` was marked and goes on.
    fn marked(&mut self, packet: &P, reason: Reason);
}

/// What the owner of a queue hands in with every call.
pub struct Context<'a, P> {
    /// The present instant; never earlier than in the call before.
    pub now: Time,
    /// The discipline's own random stream.
    pub random: &'a mut Stream,
    /// Takes drops and hears of marks.
    pub sink: &'a mut dyn Sink<P>,
}

impl<P> Context<'_, P> {
    /// Drops `packet`.
    pub fn drop(&mut self, packet: P, reason: Reason) {
        self.sink.dropped(packet, reason);
    }

    /// Reports why `packet` was marked, if it was.
    pub fn report_mark(&mut self, packet: &P, reason: Option<Reason>) {
        if let Some(reason) = reason {
            self.sink.marked(packet, reason);
        }
    }

    /// What decides on an arriving packet where `waiting` is queued: for a discipline that decides
    /// at enqueue and keeps the packets itself.
    #[inline]
    pub fn admission(&mut self, waiting: Backlog) -> AdmissionContext<'_> {
        AdmissionContext {
            now: self.now,
            waiting,
            free_since: None,
            random: self.random,
        }
    }

    /// Does with an arriving packet what was decided: takes it in, marked or not, or drops it.
    #[inline(always)]
    #[allow(clippy::inline_always)] // the packet is marked in place, so that it is copied once
    pub fn apply(&mut self, admission: Admission, mut packet: P, take_in: impl FnOnce(P))
    where
        P: Packet,
    {
        match admission {
            Admission::Admit => {}
            Admission::Mark(reason) => {
                packet.set_ce();
                self.sink.marked(&packet, reason);
            }
            Admission::Drop(reason) => return self.drop(packet, reason),
        }
        take_in(packet);
    }
}

/// What an arriving packet finds, or a timer, at a queue whose owner keeps those that wait
/// ([`Discipline::admit`]).
pub struct AdmissionContext<'a> {
    /// The present instant; never earlier than in the call before.
    pub now: Time,
    /// What waits before it.
    pub waiting: Backlog,
    /// Since when the link has had nothing to send, if it has nothing.
    pub free_since: Option<Time>,
    /// The discipline's own random stream.
    pub random: &'a mut Stream,
}

/// What [`Discipline::admit`] decides on an arriving packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    /// It gets in.
    Admit,
    /// It gets in marked; only ever decided on a packet that is ECN-capable.
    Mark(Reason),
    /// It is dropped.
    Drop(Reason),
}

impl Admission {
    /// Congestion is signalled on `packet`: by a mark where `marking` is wanted and the packet is
    /// ECN-capable, else by a drop (RFC 3168, section 5).
    #[inline]
    pub fn signal(packet: &impl Packet, marking: bool, reason: Reason) -> Self {
        if marking && packet.ecn().is_capable() {
            Self::Mark(reason)
        } else {
            Self::Drop(reason)
        }
    }

    /// Whether the packet is dropped.
    #[inline]
    pub fn is_drop(self) -> bool {
        matches!(self, Self::Drop(_))
    }
}

/// A queue, as a discipline sees it that decides on packets at the head.
pub trait HeadQueue<P> {
    /// The packet at the head.
    fn head(&self) -> Option<&P>;
    /// The packet at the head, to be marked where it stands.
    fn head_mut(&mut self) -> Option<&mut P>;
    /// Takes the packet at the head.
    fn pop(&mut self) -> Option<P>;
    /// How many bytes wait, the head included.
    fn bytes(&self) -> Bytes;
}

/// What [`Discipline::dequeue`] found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Dequeued<P> {
    /// The packet to send next.
    Packet(P),
    /// Nothing waits.
    Empty,
    /// Packets wait, but none may go before this instant (shaping disciplines): it is asked again
    /// then, and earlier if a packet arrives meanwhile.
    Wait(Time),
}

/// What waits in a queue; the packet being sent is not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Backlog {
    /// Packets.
    pub packets: usize,
    /// Bytes.
    pub bytes: Bytes,
}

impl Backlog {
    /// One part of the queue has `after` in place of `before`.
    #[inline]
    pub(crate) fn replace_part(&mut self, before: Self, after: Self) {
        self.packets = self.packets + after.packets - before.packets;
        self.bytes = self.bytes + after.bytes - before.bytes;
    }
}

/// What the owner of a queue wants to know after each operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Status {
    /// What waits.
    pub backlog: Backlog,
    /// The most that may wait.
    pub capacity: Capacity,
    /// When the next timer is due.
    pub next_timer: Option<Time>,
}

/// The value of an inner variable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ProbeValue {
    /// A number.
    Number(f64),
    /// A state by its name.
    Name(&'static str),
}

/// A setting that is allowed but a known mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// The parameter.
    pub param: &'static str,
    /// What is the matter with it, in a sentence.
    pub what: String,
}

/// A queue discipline: a pure state machine over packets of type `P`.
///
/// The owner of the queue stamps each packet, calls [`enqueue`](Self::enqueue) once for each
/// arrival and [`dequeue`](Self::dequeue) when the link is free, and runs
/// [`on_timer`](Self::on_timer) at each instant that [`next_timer`](Self::next_timer) names. At
/// one instant departures come first, then arrivals, then timers.
///
/// Every packet handed in comes out exactly once: by `dequeue` or through the sink.
pub trait Discipline<P: Packet> {
    /// Takes, drops or marks an arriving packet.
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>);

    /// The packet to send next, after the drops that the discipline takes at the head.
    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P>;

    /// What waits.
    fn backlog(&self) -> Backlog;

    /// The most that may wait: the owner's ledger holds the discipline to it.
    fn capacity(&self) -> Capacity;

    /// Back to the state of a new queue; what waits is forgotten.
    fn reset(&mut self);

    /// The same, with the stream that goes with the new queue: one [from outside](crate::policy)
    /// may draw its first state.
    fn reset_with(&mut self, _random: &mut Stream) {
        self.reset();
    }

    /// When [`on_timer`](Self::on_timer) is due, if ever.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// Backlog, capacity and next timer together.
    #[inline]
    fn status(&self) -> Status {
        Status {
            backlog: self.backlog(),
            capacity: self.capacity(),
            next_timer: self.next_timer(),
        }
    }

    /// Whether a packet that finds nothing waiting and an idle link may go by without
    /// [`enqueue`](Self::enqueue) and [`dequeue`](Self::dequeue), as long as it is within the
    /// capacity, and whether an empty `dequeue` changes nothing (Linux's `TCQ_F_CAN_BYPASS`).
    fn can_bypass(&self) -> bool {
        false
    }

    /// The capacity of a queue that is nothing but first in, first out, and drops the arrival that
    /// finds no room as [`Reason::Overlimit`]. The owner may keep the packets of such a queue
    /// itself and never call it.
    fn plain_capacity(&self) -> Option<Capacity> {
        None
    }

    /// Whether it is first in, first out, and does whatever it does to a packet when that arrives.
    /// The owner may keep the packets of such a queue itself and call [`admit`](Self::admit) and
    /// [`tick`](Self::tick) alone: once it is known on arrival whether a packet gets in, it is
    /// known when it will leave.
    fn decides_at_enqueue(&self) -> bool {
        false
    }

    /// Decides on an arriving packet, if it [does so at enqueue](Self::decides_at_enqueue) and its
    /// owner keeps those that wait. The owner then calls neither [`enqueue`](Self::enqueue),
    /// [`dequeue`](Self::dequeue) nor [`on_timer`](Self::on_timer), marks the packet if told to,
    /// and sends what gets in as soon as the link is free.
    fn admit(&mut self, _packet: &P, _ctx: &mut AdmissionContext<'_>) -> Admission {
        Admission::Admit
    }

    /// Whether it is first in, first out, drops the arrival that finds no room as
    /// [`Reason::Overlimit`], and otherwise decides on packets only when they are to leave, by
    /// their sojourn and by what waits behind them. The owner may keep the packets of such a queue
    /// itself and call [`departs_unchanged`](Self::departs_unchanged) and
    /// [`drop_at_head`](Self::drop_at_head) alone.
    fn decides_at_dequeue(&self) -> bool {
        false
    }

    /// Whether a packet is certain to leave unchanged at `departure`, when it is at the head and at
    /// least `behind` bytes wait behind it, whatever arrives until then. If so, it counts as gone;
    /// if not, nothing has changed.
    fn departs_unchanged(&mut self, _head: &P, _behind: Bytes, _departure: Time) -> bool {
        false
    }

    /// Takes the drops and marks at the head that are due before the next packet leaves, in a queue
    /// whose owner keeps the packets.
    fn drop_at_head(&mut self, _queue: &mut dyn HeadQueue<P>, _ctx: &mut Context<'_, P>) {}

    /// Periodic work in a queue whose owner keeps the packets: there nothing else moves
    /// [`next_timer`](Self::next_timer).
    fn tick(&mut self, _ctx: &mut AdmissionContext<'_>) {}

    /// Periodic work.
    fn on_timer(&mut self, _ctx: &mut Context<'_, P>) {}

    /// The rate of the link changed. An outage is no change: the discipline only sees that it is
    /// not asked for packets.
    fn on_link(&mut self, _link: &LinkInfo) {}

    /// The same as the owner of the queue tells it, with the present instant and the discipline's
    /// own random stream: one [from outside](crate::policy) may set a timer, or draw.
    fn on_link_at(&mut self, link: &LinkInfo, _now: Time, _random: &mut Stream) {
        self.on_link(link);
    }

    /// Shows inner variables by name: `avg`, `price`, `prob` ... Those of the queues of flows are
    /// not among them: there may be thousands.
    fn probe(&self, _show: &mut dyn FnMut(&str, ProbeValue)) {}

    /// How many queues of flows it has used, if each has variables of its own. They are counted
    /// from 0 on, as they were first used.
    fn flow_queues(&self) -> usize {
        0
    }

    /// Which of them such a packet is in, or came to just now; none if it never was in any.
    /// `came_to` is what this said right after it had come, if that is known: where flows share
    /// queues, one may take another's place in a table afterwards.
    fn flow_queue_of(&self, _packet: &P, _came_to: Option<usize>) -> Option<usize> {
        None
    }

    /// How many packets wait in one of them.
    fn waiting_in(&self, _k: usize) -> usize {
        0
    }

    /// Shows the variables of one of them.
    fn probe_flow(&self, _k: usize, _show: &mut dyn FnMut(&str, ProbeValue)) {}

    /// What stands before their names where all are shown.
    fn flow_place(&self, k: usize) -> String {
        format!("flow[{k}].")
    }

    /// Shows the variables of [`probe`](Self::probe), and then those of all queues of flows as
    /// `flow[k].name`.
    fn probe_all(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.probe(show);
        for k in 0..self.flow_queues() {
            self.probe_flow(k, &mut prefixed(self.flow_place(k), show));
        }
    }

    /// Settings that are allowed but a known mistake, each with the reason.
    fn warnings(&self) -> Vec<Warning> {
        Vec::new()
    }

    /// Sets an inner variable, for tests; false if there is none of that name.
    fn poke(&mut self, _name: &str, _value: f64) -> bool {
        false
    }

    /// Called when, asked again and again after the run that ended at `end`, it gives away no more
    /// of what waits. One [from outside](crate::policy) reports that as its own fault.
    fn never_releases(&self, _end: Time) {}
}
