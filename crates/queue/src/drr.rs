//! DRR: deficit round robin; flows take turns counted in bytes and carry over what a turn leaves.
//!
//! M. Shreedhar, G. Varghese, "Efficient Fair Queuing using Deficit Round Robin", ACM SIGCOMM 1995.
//!
//! Each flow has a queue and a deficit. A turn adds `quantum` to the deficit and sends packets
//! while their size is within the deficit; each packet is subtracted from it. What is left is kept
//! for the next turn, unless the queue of the flow is empty. When the limit is exceeded, the flow
//! with the most bytes (of several, the one to be served first) loses its last packet. The service
//! of two flows that always have something to send differs by less than a quantum and two packets.
//!
//! **Reference**: 1024 queues, selected by a salted hash whose salt is drawn at the first arrival;
//! room for 1000 packets; a quantum of the link's MTU, since the paper's bound on the work per
//! packet needs at least the largest packet.
//!
//! With `inner` the queue of each flow is a discipline of its own, such as
//! `"codel(target = 2 ms)"`, with its parameters in parentheses and a limit of its own, as the
//! classes of Linux's `drr` have. An arrival that finds `limit` packets in all queues together is
//! dropped, and no waiting packet is dropped in its place. If the packet at the head of a flow did
//! not fit into the flow's last turn, it has already left the inner discipline.
//!
//! **Linux** (`sch_drr`):
//!
//! - The quantum is the largest packet.
//! - The kernel adds the quantum at the end of the previous turn, which gives the same order of
//!   service.
//! - Classes chosen by filters, and limits for each class, are left out.
//!
//! **ns-2** (`DRR`, ns-2.35):
//!
//! - `limit` is 25000 bytes.
//! - There are 10 buckets, by source address alone.
//! - The quantum is 250 bytes, so that a packet of 500 bytes takes two turns.
//! - When the limit is exceeded, packets are dropped from the head, not the tail.
//!
//! **ns-3**: it has no DRR; its preset is the reference.

use core::cmp::Reverse;
use std::collections::VecDeque;

use sojourn_base::checks::auto_above_zero;
use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Stream, Time, params,
};

use crate::parts::child::{Child, ChildFactory, Head};
use crate::parts::earliest_wait::EarliestWait;
use crate::parts::hash::{ns2_source_bucket, salted_bucket};
use crate::parts::inner::Inner;
use crate::parts::longest::Longest;
use crate::parts::places;
use crate::parts::probe_names::parse_flow;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason, Warning};

params! {
    /// Parameters of DRR.
    pub struct Params {
        /// Largest total queue of all flows, in packets or bytes.
        limit: Limit = "1000 packets", Ns2 = "25000 B";
        /// Number of queues.
        buckets: u32 = "1024", Ns2 = "10";
        /// Bytes that a flow may send in a turn. Automatic: the largest packet.
        quantum: Auto<Bytes> = "auto", Ns2 = "250 B";
        /// Discipline of each flow's queue.
        inner: Optional<Inner> = "none";
    }
}

struct Flow<P: Packet> {
    queue: Child<P>,
    deficit: u64,
    seen: bool,
    /// Whether it stands in the ring.
    listed: bool,
    /// When it came to the end of the ring, in turns of all flows.
    came: u64,
}

impl<P: Packet> Flow<P> {
    /// How many bytes it has, and of equal ones the one that is served first.
    fn length(&self) -> (Bytes, Reverse<u64>) {
        (self.queue.backlog().bytes, Reverse(self.came))
    }
}

/// The next number.
fn next(counter: &mut u64) -> u64 {
    *counter += 1;
    *counter
}

/// A deficit round robin queue.
pub struct Drr<P: Packet> {
    children: ChildFactory,
    capacity: Capacity,
    preset: Preset,
    given_quantum: Option<u64>,
    quantum: u64,
    flows: Vec<Flow<P>>,
    /// Flows with packets; the first has the turn.
    ring: VecDeque<u32>,
    /// How often a flow came to its end.
    turns: u64,
    /// Of equal flows the first in the ring.
    longest: Longest<(Bytes, Reverse<u64>)>,
    /// Whether the first has had its quantum.
    given: bool,
    seen: Vec<u32>,
    backlog: Backlog,
    salt: Option<u64>,
    mtu: Bytes,
}

impl<P: Packet> Drr<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A quantum of nothing, a parameter of `inner`.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        auto_above_zero("quantum", params.quantum)?;
        let given_quantum = params.quantum.given().map(Bytes::get);
        let buckets = places("buckets", params.buckets)?;
        let flows = (0..buckets).map(|_| Flow {
            queue: Child::default(),
            deficit: 0,
            seen: false,
            listed: false,
            came: 0,
        });
        let mut made = Self {
            children: ChildFactory::new::<P>(&params.inner, preset, link)?,
            capacity: params.limit.on(link),
            preset,
            given_quantum,
            quantum: 0,
            flows: flows.collect(),
            ring: VecDeque::new(),
            turns: 0,
            longest: Longest::default(),
            given: false,
            seen: Vec::new(),
            backlog: Backlog::default(),
            salt: None,
            mtu: link.mtu,
        };
        made.take_mtu(link);
        Ok(made)
    }

    fn take_mtu(&mut self, link: &LinkInfo) {
        self.mtu = link.mtu;
        let automatic = link.largest(self.preset).get();
        self.quantum = self.given_quantum.unwrap_or(automatic).max(1);
    }

    fn bucket(&mut self, packet: &P, random: &mut Stream) -> u32 {
        let buckets = self.flows.len() as u32;
        if self.preset == Preset::Ns2 {
            return ns2_source_bucket(packet.source(), buckets);
        }
        let salt = *self.salt.get_or_insert_with(|| random.bits());
        salted_bucket(packet.flow(), salt, buckets)
    }

    fn drop_from_longest(&mut self, ctx: &mut Context<'_, P>) {
        let length = |bucket: u32| self.flows[bucket as usize].length();
        let Some(longest) = self.longest.first(self.ring.iter().copied(), length) else {
            return;
        };
        let queue = &mut self.flows[longest as usize].queue;
        let ns2 = self.preset == Preset::Ns2;
        let victim = queue.counted_in(&mut self.backlog, |queue| match queue {
            Child::Plain { queue, .. } if ns2 => queue.pop(),
            queue => queue.pop_tail(),
        });
        let Some(victim) = victim else { return };
        if queue.is_empty() {
            self.leaves(longest);
        }
        ctx.drop(victim, Reason::Overlimit);
    }

    /// An empty flow leaves the ring.
    fn leaves(&mut self, bucket: u32) {
        if self.ring.front() == Some(&bucket) {
            self.ring.pop_front();
            self.given = false;
        } else {
            self.ring.retain(|&other| other != bucket);
        }
        let flow = &mut self.flows[bucket as usize];
        flow.deficit = 0;
        flow.listed = false;
    }
}

impl<P: Packet> Discipline<P> for Drr<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let Backlog { packets, bytes } = self.backlog;
        let bucket = self.bucket(&packet, ctx.random);
        if !self.children.is_plain() && !self.capacity.admits(packets, bytes, packet.size()) {
            return ctx.drop(packet, Reason::Overlimit);
        }
        let flow = &mut self.flows[bucket as usize];
        if !flow.seen {
            flow.seen = true;
            flow.queue = self.children.child();
            self.seen.push(bucket);
        }
        flow.queue
            .counted_in(&mut self.backlog, |queue| queue.enqueue(packet, ctx));
        if !flow.listed && !flow.queue.is_empty() {
            flow.listed = true;
            flow.deficit = 0;
            flow.came = next(&mut self.turns);
            self.ring.push_back(bucket);
        }
        self.longest.grew(bucket, || flow.length());
        while self.children.is_plain()
            && !self
                .capacity
                .holds(self.backlog.packets, self.backlog.bytes)
        {
            self.drop_from_longest(ctx);
        }
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        let mut waits = EarliestWait::default();
        let mut waiting = 0;
        while let Some(&bucket) = self.ring.front() {
            let flow = &mut self.flows[bucket as usize];
            if !self.given {
                self.given = true;
                flow.deficit += self.quantum;
            }
            let all = &mut self.backlog;
            match flow.queue.counted_in(all, |queue| queue.head(ctx)) {
                Head::Packet(size) if size.get() <= flow.deficit => {
                    flow.deficit -= size.get();
                    let sent = flow.queue.counted_in(all, |queue| queue.dequeue(ctx));
                    if flow.queue.is_empty() {
                        self.leaves(bucket);
                    }
                    return sent;
                }
                Head::Packet(_) => waiting = 0,
                Head::Empty => {
                    self.leaves(bucket);
                    continue;
                }
                Head::Wait(until) => {
                    waits.add(until);
                    flow.deficit = 0;
                    waiting += 1;
                }
            }
            self.ring.rotate_left(1);
            flow.came = next(&mut self.turns);
            self.given = false;
            if waiting > self.ring.len() {
                break;
            }
        }
        waits.answer()
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn reset(&mut self) {
        for &bucket in &self.seen {
            let flow = &mut self.flows[bucket as usize];
            flow.queue = Child::default();
            flow.deficit = 0;
            flow.seen = false;
            flow.listed = false;
        }
        self.seen.clear();
        self.ring.clear();
        self.longest.clear();
        self.given = false;
        self.backlog = Backlog::default();
        self.salt = None;
    }

    fn next_timer(&self) -> Option<Time> {
        if self.children.is_plain() {
            return None;
        }
        let queues = self.seen.iter().map(|&bucket| &self.flows[bucket as usize]);
        queues.filter_map(|flow| flow.queue.next_timer()).min()
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        for &bucket in &self.seen {
            let queue = &mut self.flows[bucket as usize].queue;
            queue.counted_in(&mut self.backlog, |queue| queue.on_timer(ctx));
        }
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.take_mtu(link);
        self.children.on_link(link);
        for &bucket in &self.seen {
            self.flows[bucket as usize].queue.on_link(link);
        }
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.children.warnings::<P>();
        if self.quantum < self.mtu.get() {
            let what = "turns of less than the largest packet make empty rounds: correct, but slow";
            warnings.push(Warning {
                param: "quantum",
                what: what.to_owned(),
            });
        }
        warnings
    }

    /// Shows `flows_active`.
    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        show("flows_active", ProbeValue::Number(self.ring.len() as f64));
    }

    fn flow_queues(&self) -> usize {
        self.seen.len()
    }

    fn flow_queue_of(&self, packet: &P, _came_to: Option<usize>) -> Option<usize> {
        let buckets = self.flows.len() as u32;
        let bucket = match self.preset {
            Preset::Ns2 => ns2_source_bucket(packet.source(), buckets),
            _ => salted_bucket(packet.flow(), self.salt?, buckets),
        };
        self.seen.iter().position(|&seen| seen == bucket)
    }

    fn waiting_in(&self, k: usize) -> usize {
        self.flows[self.seen[k] as usize].queue.backlog().packets
    }

    /// Shows packets and deficit of a flow, and the variables of its inner discipline.
    fn probe_flow(&self, k: usize, show: &mut dyn FnMut(&str, ProbeValue)) {
        let flow = &self.flows[self.seen[k] as usize];
        show("packets", ProbeValue::Number(self.waiting_in(k) as f64));
        show("deficit", ProbeValue::Number(flow.deficit as f64));
        flow.queue.probe_all(show);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        let Some((k, name)) = parse_flow(name) else {
            return false;
        };
        let bucket = self.seen.get(k).copied();
        bucket.is_some_and(|bucket| self.flows[bucket as usize].queue.poke(name, value))
    }
}
