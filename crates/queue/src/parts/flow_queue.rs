//! Flow queueing with two lists, as in FQ-CoDel: the scheduler of all `fq_*` disciplines.
//!
//! RFC 8290, section 4. Flows are hashed to queues. Each queue has a controller of its own, which
//! is given as a type parameter.
//!
//! - A queue that gets its first packet joins the end of the *new* list with `quantum` credits.
//! - The head of the *new* list is served; if that list is empty, the head of the *old* list.
//! - A queue without credits is given `quantum` more and goes to the end of the *old* list.
//! - An empty queue leaves the *old* list. From the *new* list it goes to the end of the *old* list
//!   first, so that flows that come and go cannot starve the others. Under Linux's preset it leaves
//!   at once if the *old* list is empty.
//! - When the limit is exceeded, the flow with most bytes (of several, the one seen first) loses
//!   packets from its head: half its bytes or `drop_batch` packets at a time.
//! - With `memory_limit` the same happens while the bytes of all flows exceed that. Linux does it
//!   once for each arrival, which may leave the queue above this limit until the next one.
//! - Under ns-3's preset each queue has the whole limit for itself too: an arrival that finds that
//!   many packets of its own flow is itself dropped.
//!
//! The hash is salted with a number drawn at the first arrival, so that replicas differ in which
//! flows share a queue. With `set_ways` a flow's key is its hash: the flow looks for a queue of its
//! own among that many neighbours, and if all are taken by others it shares the first (ns-3's
//! set-associative hash).

use core::ops::Range;

use sojourn_base::checks::auto_above_zero;
use sojourn_base::length::Capacity;
use sojourn_base::{Auto, Bytes, LinkInfo, ParamFault, Preset, Span, Stream, Time};

use super::Fifo;
use super::hash::salted_bucket;
use super::mistakes::{self, Exempt};
use super::places;
use super::probe_names::parse_flow;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason, Warning};

/// The controller inside each flow.
pub trait FlowAqm<P: Packet> {
    /// What it keeps of one flow.
    type State;

    /// A state as it is at first.
    fn state(&self) -> Self::State;

    /// An arrival meets so much of its flow: gives it back unless it is dropped.
    fn arrival(
        &self,
        _state: &mut Self::State,
        packet: P,
        _waiting: Backlog,
        _ctx: &mut Context<'_, P>,
    ) -> Option<P> {
        Some(packet)
    }

    /// Drops or marks from the head of this flow what is due, before its next packet leaves;
    /// `other_backlog` bytes wait in other flows.
    fn drop_at_head(
        &self,
        state: &mut Self::State,
        queue: &mut Fifo<P>,
        other_backlog: Bytes,
        ctx: &mut Context<'_, P>,
    );

    /// So many packets of this flow were lost for want of room.
    fn overflow(&self, _state: &mut Self::State, _packets: u64, _ctx: &mut Context<'_, P>) {}

    /// An arrival found no room in the queue of its flow, where that has a limit of its own.
    fn refused(&self, state: &mut Self::State, ctx: &mut Context<'_, P>) {
        self.overflow(state, 1, ctx);
    }

    /// When [`tick`](Self::tick) is due.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// Time has passed: whether every flow is to be updated now.
    fn tick(&mut self, _now: Time) -> bool {
        false
    }

    /// Updates a flow of which so much waits.
    fn update(&self, _state: &mut Self::State, _waiting: Backlog) {}

    /// The clock stands at its start again.
    fn reset(&mut self) {}

    /// The link changed.
    fn on_link(&mut self, _link: &LinkInfo) {}

    /// The queueing delay that is aimed at.
    fn target(&self) -> Span;

    /// What of a flow is left alone, however long it waits.
    fn exempt(&self) -> Exempt;

    /// Shows the state of a flow.
    fn probe(&self, state: &Self::State, show: &mut dyn FnMut(&str, ProbeValue));

    /// Sets a variable of it; false if there is none of that name.
    fn poke(&self, state: &mut Self::State, name: &str, value: f64) -> bool;
}

/// What makes a flow queue.
#[derive(Debug, Clone, Copy)]
pub struct FlowSettings {
    /// Most that waits in all flows.
    pub capacity: Capacity,
    /// Most bytes that wait in all flows, beside that.
    pub memory_limit: Option<Bytes>,
    /// Number of queues.
    pub flows: u32,
    /// Bytes of a turn; automatic: 1514, under Linux's preset the largest frame, under ns-3's the
    /// MTU.
    pub quantum: Auto<Bytes>,
    /// Most packets dropped at a time over the limit.
    pub drop_batch: u32,
    /// Whether an arrival that finds no room is dropped, not packets of the longest flow.
    pub refuse: bool,
    /// Neighbours among which a flow looks for a queue of its own.
    pub set_ways: Option<u32>,
}

/// Where a queue stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Away,
    New,
    Old,
}

/// What an arrival touches lies in the first cache line; with many flows each line more is felt.
#[derive(Debug)]
#[repr(C, align(64))]
struct Flow<P, S> {
    queue: Fifo<P>,
    credits: i64,
    /// The hash that holds this queue (set-associative hash).
    tag: u64,
    place: Place,
    seen: bool,
    /// The one behind it in its list.
    behind: u32,
    state: S,
}

/// Queues in a list, each of which knows the one behind it: so a turn touches them alone.
#[derive(Debug)]
struct List {
    /// [`NONE`] where there is none.
    head: u32,
    tail: u32,
}

/// No queue has this number.
const NONE: u32 = u32::MAX;

impl List {
    const EMPTY: Self = Self {
        head: NONE,
        tail: NONE,
    };

    #[inline]
    fn is_empty(&self) -> bool {
        self.head == NONE
    }

    /// Appends a queue that is in no list.
    #[inline]
    fn push<P, S>(&mut self, bucket: u32, flows: &mut [Flow<P, S>]) {
        flows[bucket as usize].behind = NONE;
        if self.is_empty() {
            self.head = bucket;
        } else {
            flows[self.tail as usize].behind = bucket;
        }
        self.tail = bucket;
    }
}

/// The bytes of a turn: Linux gives no fewer than 256.
pub fn linux_turn(quantum: u64, preset: Preset) -> u64 {
    if preset == Preset::Linux {
        quantum.max(256)
    } else {
        quantum
    }
}

/// Queues of flows, each with a controller `A` of its own.
#[derive(Debug)]
pub struct FlowQueue<P: Packet, A: FlowAqm<P>> {
    aqm: A,
    settings: FlowSettings,
    preset: Preset,
    quantum: i64,
    flows: Vec<Flow<P, A::State>>,
    new: List,
    old: List,
    /// Queues in the order in which they were first used.
    seen: Vec<u32>,
    backlog: Backlog,
    salt: Option<u64>,
    link: LinkInfo,
}

impl<P: Packet, A: FlowAqm<P>> FlowQueue<P, A> {
    /// Flow queues with `aqm` in each.
    ///
    /// # Errors
    /// A quantum of nothing, or sets that are larger than the table.
    pub fn with(
        settings: FlowSettings,
        aqm: A,
        preset: Preset,
        link: &LinkInfo,
    ) -> Result<Self, ParamFault> {
        auto_above_zero("quantum", settings.quantum)?;
        if let Some(ways) = settings.set_ways
            && !settings.flows.is_multiple_of(ways)
        {
            let allowed = format!("a divisor of flows, which is {}", settings.flows);
            return Err(ParamFault::new("set_ways", ways, allowed));
        }
        let flows = places("flows", settings.flows)?;
        let flow = |_| Flow {
            queue: Fifo::default(),
            credits: 0,
            place: Place::Away,
            seen: false,
            behind: NONE,
            tag: 0,
            state: aqm.state(),
        };
        let flows = (0..flows).map(flow).collect();
        let mut made = Self {
            settings,
            preset,
            quantum: 0,
            flows,
            new: List::EMPTY,
            old: List::EMPTY,
            seen: Vec::new(),
            backlog: Backlog::default(),
            salt: None,
            link: *link,
            aqm,
        };
        made.take_quantum(link);
        Ok(made)
    }

    fn take_quantum(&mut self, link: &LinkInfo) {
        let automatic = match self.preset {
            Preset::Linux => link.largest(self.preset).get(),
            Preset::Ns3 => link.mtu.get(),
            _ => 1514,
        };
        let quantum = self.settings.quantum.given();
        let quantum = quantum.map_or(automatic, Bytes::get);
        self.quantum = linux_turn(quantum, self.preset).cast_signed();
    }

    #[inline]
    fn bucket(&mut self, key: u64, random: &mut Stream) -> u32 {
        if let Some(ways) = self.settings.set_ways {
            return self.way(key, ways);
        }
        let salt = *self.salt.get_or_insert_with(|| random.bits());
        salted_bucket(key, salt, self.settings.flows)
    }

    /// The queues among which the set-associative hash chooses for a flow.
    fn set(&self, key: u64, ways: u32) -> Range<u64> {
        let hash = key % u64::from(self.settings.flows);
        let first = hash - hash % u64::from(ways);
        first..first + u64::from(ways)
    }

    /// The queue of the set-associative hash.
    #[inline(never)]
    fn way(&mut self, key: u64, ways: u32) -> u32 {
        let set = self.set(key, ways);
        let first = set.start;
        let flow = |way: u64| &self.flows[way as usize];
        let is_own = |&way: &u64| flow(way).tag == key && flow(way).place != Place::Away;
        let is_free = |&way: &u64| flow(way).place == Place::Away;
        // ns-3 takes the first that is free even if the flow has packets in a later one, and
        // may so reorder it.
        let own = set.clone().find(is_own);
        let way = own.or_else(|| set.clone().find(is_free)).unwrap_or(first);
        self.flows[way as usize].tag = key;
        way as u32
    }

    /// The queue of a flow whose packet has just come, by the same hash.
    fn way_of(&self, key: u64, ways: u32) -> u32 {
        let set = self.set(key, ways);
        let first = set.start;
        let mut own = set.filter(|&way| self.flows[way as usize].tag == key);
        let held = |&way: &u64| self.flows[way as usize].place != Place::Away;
        let way = own.clone().find(held).or_else(|| own.next());
        way.unwrap_or(first) as u32
    }

    fn is_within(&self) -> bool {
        let Backlog { packets, bytes } = self.backlog;
        self.settings.capacity.holds(packets, bytes)
    }

    /// Drops from the head of the longest flow.
    #[inline(never)]
    fn drop_from_longest(&mut self, ctx: &mut Context<'_, P>) {
        let bytes = |bucket: u32| self.flows[bucket as usize].queue.bytes();
        let mut longest = None;
        for &bucket in &self.seen {
            if longest.is_none_or(|best| bytes(bucket) > bytes(best)) {
                longest = Some(bucket);
            }
        }
        let Some(longest) = longest else { return };
        let flow = &mut self.flows[longest as usize];
        let half = flow.queue.bytes().get() / 2;
        let (mut packets, mut gone) = (0, Bytes::ZERO);
        while let Some(packet) = flow.queue.pop() {
            packets += 1;
            gone += packet.size();
            ctx.drop(packet, Reason::Overlimit);
            if packets >= self.settings.drop_batch || gone.get() >= half {
                break;
            }
        }
        self.backlog.packets -= packets as usize;
        self.backlog.bytes -= gone;
        self.aqm.overflow(&mut flow.state, u64::from(packets), ctx);
    }
}

impl<P: Packet, A: FlowAqm<P>> Discipline<P> for FlowQueue<P, A> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let bucket = self.bucket(packet.flow(), ctx.random);
        let flow = &mut self.flows[bucket as usize];
        if !flow.seen {
            flow.seen = true;
            self.seen.push(bucket);
        }
        let size = packet.size();
        let waiting = flow.queue.backlog();
        let held = if self.settings.refuse {
            Some(self.backlog)
        } else if self.preset == Preset::Ns3 {
            Some(waiting)
        } else {
            None
        };
        let capacity = self.settings.capacity;
        if held.is_some_and(|held| !capacity.admits(held.packets, held.bytes, size)) {
            self.aqm.refused(&mut flow.state, ctx);
            return ctx.drop(packet, Reason::Overlimit);
        }
        let Some(packet) = self.aqm.arrival(&mut flow.state, packet, waiting, ctx) else {
            return;
        };
        self.backlog.packets += 1;
        self.backlog.bytes += size;
        flow.queue.push(packet);
        if flow.place == Place::Away {
            flow.place = Place::New;
            flow.credits = self.quantum;
            self.new.push(bucket, &mut self.flows);
        }
        let most = self.settings.memory_limit.unwrap_or(Bytes::new(u64::MAX));
        let once = self.preset == Preset::Linux;
        while self.backlog.bytes > most {
            self.drop_from_longest(ctx);
            if once {
                break;
            }
        }
        while !self.is_within() {
            self.drop_from_longest(ctx);
        }
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        loop {
            let is_new = !self.new.is_empty();
            let list = if is_new { &mut self.new } else { &mut self.old };
            let bucket = list.head;
            let Some(flow) = self.flows.get_mut(bucket as usize) else {
                return Dequeued::Empty;
            };
            if flow.credits <= 0 {
                flow.credits += self.quantum;
                flow.place = Place::Old;
                list.head = flow.behind;
                self.old.push(bucket, &mut self.flows);
                continue;
            }
            let before = flow.queue.backlog();
            let other_backlog = Backlog {
                packets: self.backlog.packets - before.packets,
                bytes: self.backlog.bytes - before.bytes,
            };
            self.aqm
                .drop_at_head(&mut flow.state, &mut flow.queue, other_backlog.bytes, ctx);
            let held = flow.queue.bytes();
            let taken = flow.queue.dequeue();
            let left = flow.queue.backlog();
            self.backlog = Backlog {
                packets: other_backlog.packets + left.packets,
                bytes: other_backlog.bytes + left.bytes,
            };
            if let Dequeued::Packet(_) = taken {
                flow.credits -= (held - left.bytes).get().cast_signed();
                return taken;
            }
            list.head = flow.behind;
            let leaves = !is_new || (self.preset == Preset::Linux && self.old.is_empty());
            flow.place = if leaves { Place::Away } else { Place::Old };
            if leaves {
                flow.queue.begin_anew();
            } else {
                self.old.push(bucket, &mut self.flows);
            }
        }
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn capacity(&self) -> Capacity {
        self.settings.capacity
    }

    fn reset(&mut self) {
        for &bucket in &self.seen {
            let flow = &mut self.flows[bucket as usize];
            flow.queue.clear();
            flow.credits = 0;
            flow.place = Place::Away;
            flow.seen = false;
            flow.tag = 0;
            flow.state = self.aqm.state();
        }
        self.seen.clear();
        (self.new, self.old) = (List::EMPTY, List::EMPTY);
        self.backlog = Backlog::default();
        self.salt = None;
        self.aqm.reset();
    }

    fn next_timer(&self) -> Option<Time> {
        self.aqm.next_timer()
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        if self.aqm.tick(ctx.now) {
            for &bucket in &self.seen {
                let flow = &mut self.flows[bucket as usize];
                self.aqm.update(&mut flow.state, flow.queue.backlog());
            }
        }
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.take_quantum(link);
        self.aqm.on_link(link);
        self.link = *link;
    }

    fn warnings(&self) -> Vec<Warning> {
        let exempt = self.aqm.exempt();
        mistakes::target(
            self.aqm.target(),
            exempt,
            self.settings.capacity,
            &self.link,
        )
    }

    /// Shows `flows_active`, the number of queues used so far.
    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        show("flows_active", ProbeValue::Number(self.seen.len() as f64));
    }

    fn flow_queues(&self) -> usize {
        self.seen.len()
    }

    fn flow_queue_of(&self, packet: &P, came_to: Option<usize>) -> Option<usize> {
        if came_to.is_some() {
            return came_to;
        }
        let flow = packet.flow();
        let bucket = match self.settings.set_ways {
            Some(ways) => self.way_of(flow, ways),
            None => salted_bucket(flow, self.salt?, self.settings.flows),
        };
        self.seen.iter().position(|&seen| seen == bucket)
    }

    fn waiting_in(&self, k: usize) -> usize {
        self.flows[self.seen[k] as usize].queue.len()
    }

    /// Shows packets and bytes of a queue, its credits, its list and the state of its controller.
    fn probe_flow(&self, k: usize, show: &mut dyn FnMut(&str, ProbeValue)) {
        let flow = &self.flows[self.seen[k] as usize];
        show("packets", ProbeValue::Number(flow.queue.len() as f64));
        show("bytes", ProbeValue::Number(flow.queue.bytes().as_f64()));
        show("deficit", ProbeValue::Number(flow.credits as f64));
        let place = match flow.place {
            Place::Away => "inactive",
            Place::New => "new",
            Place::Old => "old",
        };
        show("state", ProbeValue::Name(place));
        self.aqm.probe(&flow.state, show);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        let Some((k, name)) = parse_flow(name) else {
            return false;
        };
        let Some(&bucket) = self.seen.get(k) else {
            return false;
        };
        let flow = &mut self.flows[bucket as usize];
        if name == "deficit" {
            flow.credits = value as i64;
            return true;
        }
        self.aqm.poke(&mut flow.state, name, value)
    }
}
