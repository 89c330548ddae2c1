//! FQ: fair queueing; packets leave in the order in which bit-by-bit round robin would finish them.
//!
//! A. Demers, S. Keshav, S. Shenker, "Analysis and Simulation of a Fair Queueing Algorithm", ACM
//! SIGCOMM 1989.
//!
//! Every flow has a queue of its own. The round number R grows at the rate of the link divided by
//! the total weight of the active flows; a flow is active while its last packet would not yet have
//! finished in bit-by-bit round robin. An arrival of b bits finishes at F = max(R, F of the flow's
//! last packet) + b / weight. The packet with the smallest F is sent next, and is never
//! interrupted. When the limit is exceeded, the flow with the most bytes (of several, the one seen
//! first) loses its last packet.
//!
//! **Reference**: the paper without its promptness parameter, delta, and room for 1000 packets. All
//! flows have weight 1, unless `weights` gives those of the flows 0, 1, 2 ... in this order.
//!
//! With `inner` the queue of each flow is a discipline of its own, such as
//! `"codel(target = 2 ms)"`, with its parameters in parentheses and a limit of its own. Which
//! packet such a flow will send is not known in advance. The flow served next is therefore the one
//! whose head would *start* first, as in P. Goyal, H. Vin, H. Cheng, "Start-Time Fair Queueing",
//! 1997; packets that the inner discipline drops use no service. An arrival that finds `limit`
//! packets in all queues together is dropped, and no waiting packet is dropped in its place.
//!
//! No preset differs. Linux's `sch_fq` paces the flows of its own host. ns-2's `FQ` approximates
//! finishing times in real time and needs a queue and a number for each flow. Both are left out.
//! ns-3 has no FQ.

mod least;

use core::cmp::Reverse;
use std::collections::{BTreeMap, VecDeque};

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Time, params};

use self::least::Least;
use crate::parts::child::{Child, ChildFactory};
use crate::parts::earliest_wait::EarliestWait;
use crate::parts::inner::Inner;
use crate::parts::longest::Longest;
use crate::parts::probe_names::parse_flow;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason, Warning};

params! {
    /// Parameters of FQ.
    pub struct Params {
        /// Largest total queue of all flows, in packets or bytes.
        limit: Limit = "1000 packets";
        /// Weights of the flows 0, 1, 2 ..., the same for all connections of a flow; further flows
        /// have weight 1.
        weights: String = "1 1";
        /// Discipline of each flow's queue.
        inner: Optional<Inner> = "none";
    }
}

struct Flow<P: Packet> {
    queue: Child<P>,
    /// When each packet finishes, in rounds; not kept of another discipline.
    finish: VecDeque<f64>,
    /// When the last that came finishes.
    last: f64,
    /// Whether it has not finished yet.
    is_active: bool,
    /// When it is asked whether it has, if it is active: never after that.
    asked_at: f64,
    weight: f64,
}

impl<P: Packet> Flow<P> {
    /// When the head starts, if there is one: as long before the last finishes as all takes.
    fn start(&self) -> Option<f64> {
        let bits = self.queue.backlog().bytes.bits() as f64;
        (bits > 0.0).then(|| self.last - bits / self.weight)
    }

    /// How many bytes it has, and of equal ones the first.
    fn length(&self, place: u32) -> (Bytes, Reverse<u32>) {
        (self.queue.backlog().bytes, Reverse(place))
    }
}

/// A fair queue.
pub struct Fq<P: Packet> {
    children: ChildFactory,
    capacity: Capacity,
    rate: f64,
    weights: Vec<f64>,
    flows: Vec<Flow<P>>,
    /// When the first packets of flows finish, where these are plain queues.
    heads: Least,
    /// When active flows are asked whether they have finished.
    ends: Least,
    longest: Longest<(Bytes, Reverse<u32>)>,
    /// How many flows are active.
    active: usize,
    /// From a flow's key to its place.
    places: BTreeMap<u64, usize>,
    backlog: Backlog,
    round: f64,
    counted: Time,
}

impl<P: Packet> Fq<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// Weights that are not numbers above zero, a parameter of `inner`.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let words = params.weights.split_whitespace();
        let weights: Option<Vec<f64>> = words
            .map(|word| {
                let weight = word.parse::<f64>().ok()?;
                (weight > 0.0 && weight.is_finite()).then_some(weight)
            })
            .collect();
        let weights = weights.ok_or_else(|| {
            let allowed = "numbers above zero such as \"2 1 1\"";
            ParamFault::new("weights", &params.weights, allowed)
        })?;
        Ok(Self {
            children: ChildFactory::new::<P>(&params.inner, preset, link)?,
            capacity: params.limit.on(link),
            rate: link.rate.as_f64(),
            weights,
            flows: Vec::new(),
            heads: Least::default(),
            ends: Least::default(),
            longest: Longest::default(),
            active: 0,
            places: BTreeMap::new(),
            backlog: Backlog::default(),
            round: 0.0,
            counted: Time::ZERO,
        })
    }

    /// Brings the round number to `now`: flows finish one after the other, and it grows the faster.
    fn advance(&mut self, now: Time) {
        let mut left = now.since(self.counted).as_s() * self.rate;
        self.counted = now;
        while left > 0.0 {
            let Some((next, _)) = self.first_to_end() else {
                return;
            };
            let weight = self.active_weight();
            let bits = (next - self.round) * weight;
            if bits > left {
                self.round += left / weight;
                left = 0.0;
            } else {
                self.round = next;
                left -= bits;
            }
            while let Some((last, place)) = self.first_to_end()
                && last <= self.round
            {
                self.ends.drop_first();
                self.flows[place].is_active = false;
                self.active -= 1;
            }
        }
    }

    /// When the first of the active flows finishes, and which it is. One that has got more since is
    /// asked again when that finishes.
    fn first_to_end(&mut self) -> Option<(f64, usize)> {
        loop {
            let (round, place) = self.ends.first()?;
            let flow = &mut self.flows[place];
            if !flow.is_active || flow.asked_at != round {
                self.ends.drop_first();
            } else if flow.last > round {
                flow.asked_at = flow.last;
                self.ends.replace_first(flow.last);
            } else {
                return Some((round, place));
            }
        }
    }

    /// The flow whose head finishes first.
    fn first_to_finish(&mut self) -> Option<usize> {
        loop {
            let (finish, place) = self.heads.first()?;
            if self.flows[place].finish.front() == Some(&finish) {
                return Some(place);
            }
            self.heads.drop_first();
        }
    }

    /// The weight of all active flows; mostly they weigh 1.
    fn active_weight(&self) -> f64 {
        if self.weights.iter().all(|&weight| weight == 1.0) {
            return self.active as f64;
        }
        let active = self.flows.iter().filter(|flow| flow.is_active);
        active.map(|flow| flow.weight).sum()
    }

    /// The last packet of a flow finishes at `last`.
    fn set_last(&mut self, place: usize, last: f64) {
        let flow = &mut self.flows[place];
        let will_be_asked = flow.is_active && flow.asked_at <= last;
        self.active -= usize::from(flow.is_active);
        flow.last = last;
        flow.is_active = last > self.round;
        self.active += usize::from(flow.is_active);
        if flow.is_active && !will_be_asked {
            flow.asked_at = last;
            self.ends.add(last, place);
        }
    }

    fn place(&mut self, key: u64) -> usize {
        if let Some(&place) = self.places.get(&key) {
            return place;
        }
        let place = self.flows.len();
        self.places.insert(key, place);
        let weight = self.weights.get(key as u32 as usize);
        self.flows.push(Flow {
            queue: self.children.child(),
            finish: VecDeque::new(),
            last: 0.0,
            is_active: false,
            asked_at: 0.0,
            weight: weight.copied().unwrap_or(1.0),
        });
        place
    }

    fn drop_from_longest(&mut self, ctx: &mut Context<'_, P>) {
        let length = |place: u32| self.flows[place as usize].length(place);
        let Some(longest) = self.longest.first(0..self.flows.len() as u32, length) else {
            return;
        };
        let longest = longest as usize;
        let flow = &mut self.flows[longest];
        let victim = flow.queue.counted_in(&mut self.backlog, Child::pop_tail);
        let (Some(packet), Some(finish)) = (victim, flow.finish.pop_back()) else {
            return;
        };
        // It takes no service: the flow stands as if it had not come.
        let last = finish - packet.size().bits() as f64 / flow.weight;
        self.set_last(longest, last);
        ctx.drop(packet, Reason::Overlimit);
    }

    /// An arrival at a flow that is a discipline of its own.
    fn nested_enqueue(&mut self, place: usize, packet: P, ctx: &mut Context<'_, P>) {
        let Backlog { packets, bytes } = self.backlog;
        if !self.capacity.admits(packets, bytes, packet.size()) {
            return ctx.drop(packet, Reason::Overlimit);
        }
        let flow = &mut self.flows[place];
        let bits = |flow: &Flow<P>| flow.queue.backlog().bytes.bits() as f64;
        let before = bits(flow);
        flow.queue
            .counted_in(&mut self.backlog, |queue| queue.enqueue(packet, ctx));
        let last = if before == 0.0 {
            flow.last.max(self.round)
        } else {
            flow.last
        };
        let last = last + (bits(flow) - before) / flow.weight;
        self.set_last(place, last);
    }

    /// Asks the flows, the one that starts first before the others.
    fn nested_dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        let mut waits = EarliestWait::default();
        let mut asked = vec![false; self.flows.len()];
        while let Some(place) = self.first_to_start(&asked) {
            asked[place] = true;
            let flow = &mut self.flows[place];
            let before = flow.queue.backlog().bytes;
            let sent = flow
                .queue
                .counted_in(&mut self.backlog, |queue| queue.dequeue(ctx));
            let mut dropped = before - flow.queue.backlog().bytes;
            if let Dequeued::Packet(packet) = &sent {
                dropped -= packet.size();
            }
            let last = flow.last - dropped.bits() as f64 / flow.weight;
            self.set_last(place, last);
            if let Some(packet) = waits.packet_of(sent) {
                return Dequeued::Packet(packet);
            }
        }
        waits.answer()
    }

    /// The flow that was not asked yet whose head starts before those of the others.
    fn first_to_start(&self, asked: &[bool]) -> Option<usize> {
        let mut first: Option<(f64, usize)> = None;
        for (place, flow) in self.flows.iter().enumerate() {
            if let Some(round) = flow.start().filter(|_| !asked[place])
                && first.is_none_or(|(best, _)| round < best)
            {
                first = Some((round, place));
            }
        }
        first.map(|(_, place)| place)
    }
}

impl<P: Packet> Discipline<P> for Fq<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        self.advance(ctx.now);
        let place = self.place(packet.flow());
        if !self.children.is_plain() {
            return self.nested_enqueue(place, packet, ctx);
        }
        let flow = &mut self.flows[place];
        let last = flow.last.max(self.round) + packet.size().bits() as f64 / flow.weight;
        if flow.finish.is_empty() {
            self.heads.add(last, place);
        }
        flow.finish.push_back(last);
        flow.queue
            .counted_in(&mut self.backlog, |queue| queue.enqueue(packet, ctx));
        self.longest
            .grew(place as u32, || flow.length(place as u32));
        self.set_last(place, last);
        while !self
            .capacity
            .holds(self.backlog.packets, self.backlog.bytes)
        {
            self.drop_from_longest(ctx);
        }
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        self.advance(ctx.now);
        if !self.children.is_plain() {
            return self.nested_dequeue(ctx);
        }
        let Some(place) = self.first_to_finish() else {
            return Dequeued::Empty;
        };
        let flow = &mut self.flows[place];
        flow.finish.pop_front();
        match flow.finish.front() {
            Some(&finish) => self.heads.replace_first(finish),
            None => self.heads.drop_first(),
        }
        flow.queue
            .counted_in(&mut self.backlog, |queue| queue.dequeue(ctx))
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn reset(&mut self) {
        self.flows.clear();
        self.heads.clear();
        self.ends.clear();
        self.longest.clear();
        self.active = 0;
        self.places.clear();
        self.backlog = Backlog::default();
        self.round = 0.0;
        self.counted = Time::ZERO;
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.rate = link.rate.as_f64();
        self.children.on_link(link);
        for flow in &mut self.flows {
            flow.queue.on_link(link);
        }
    }

    fn next_timer(&self) -> Option<Time> {
        if self.children.is_plain() {
            return None;
        }
        let queues = self.flows.iter().map(|flow| &flow.queue);
        queues.filter_map(Child::next_timer).min()
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        for flow in &mut self.flows {
            flow.queue
                .counted_in(&mut self.backlog, |queue| queue.on_timer(ctx));
        }
    }

    fn warnings(&self) -> Vec<Warning> {
        self.children.warnings::<P>()
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        let busy = self.flows.iter().filter(|flow| !flow.queue.is_empty());
        show("flows_active", ProbeValue::Number(busy.count() as f64));
        show("round", ProbeValue::Number(self.round));
    }

    fn flow_queues(&self) -> usize {
        self.flows.len()
    }

    fn flow_queue_of(&self, packet: &P, _came_to: Option<usize>) -> Option<usize> {
        self.places.get(&packet.flow()).copied()
    }

    fn waiting_in(&self, k: usize) -> usize {
        self.flows[k].queue.backlog().packets
    }

    /// Shows the packets of a flow, and the variables of its inner discipline.
    fn probe_flow(&self, k: usize, show: &mut dyn FnMut(&str, ProbeValue)) {
        show("packets", ProbeValue::Number(self.waiting_in(k) as f64));
        self.flows[k].queue.probe_all(show);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        let Some((k, name)) = parse_flow(name) else {
            return false;
        };
        let flow = self.flows.get_mut(k);
        flow.is_some_and(|flow| flow.queue.poke(name, value))
    }
}
