//! FQ: fair queueing; packets leave in the order in which bit-by-bit round robin would finish them.
//!
//! A. Demers, S. Keshav, S. Shenker, "Analysis and Simulation of a Fair Queueing Algorithm", ACM
//! SIGCOMM 1989. The round number R grows by the link's rate over the weight of all flows that are
//! active, that is, whose last packet would not yet have finished. An arrival of b bits finishes at F = max(R, F of
//! its flow's last) + b / weight; the packet of smallest F is sent, never interrupted. Every flow has a queue of
//! its own. Over the limit the flow with most bytes, the one seen first of equals, loses its last packet.
//!
//! **Reference**: the paper without its delta of promptness; room for 1000 packets; all flows
//! weigh 1, unless `weights` names those of the flows 0, 1, 2 ... in turn. No preset differs:
//! Linux's `sch_fq` is a pacer of its host's flows, ns-2's `FQ` approximates finishing times in real time
//! and wants a queue and a number for each flow; both are left out. ns-3 has none.

use std::collections::{BTreeMap, VecDeque};

use sojourn_base::length::Capacity;
use sojourn_base::{Limit, LinkInfo, ParamFault, Preset, Time, params};

use crate::parts::Fifo;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason};

params! {
    /// Parameters of FQ.
    pub struct Params {
        /// Most that may wait in all flows, in packets or bytes.
        limit: Limit = "1000 packets";
        /// Weights of the flows 0, 1, 2 ...; further flows weigh 1.
        weights: String = "1 1";
    }
}

#[derive(Debug)]
struct Flow<P> {
    queue: Fifo<P>,
    /// When each packet finishes, in rounds.
    finish: VecDeque<f64>,
    /// When the last that came finishes.
    last: f64,
    weight: f64,
}

/// A fair queue.
#[derive(Debug)]
pub struct Fq<P> {
    capacity: Capacity,
    rate: f64,
    weights: Vec<f64>,
    flows: Vec<Flow<P>>,
    /// From a flow's key to its place.
    places: BTreeMap<u64, usize>,
    backlog: Backlog,
    round: f64,
    counted: Time,
}

impl<P> Fq<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// Weights that are not numbers above zero.
    pub fn new(params: &Params, _preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
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
            capacity: params.limit.on(link),
            rate: link.rate.as_f64(),
            weights,
            flows: Vec::new(),
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
            let (mut weight, mut next) = (0.0, f64::INFINITY);
            for flow in &self.flows {
                if flow.last > self.round {
                    weight += flow.weight;
                    next = next.min(flow.last);
                }
            }
            if weight == 0.0 {
                return;
            }
            let bits = (next - self.round) * weight;
            if bits > left {
                self.round += left / weight;
                return;
            }
            left -= bits;
            self.round = next;
        }
    }
}

impl<P: Packet> Fq<P> {
    fn place(&mut self, key: u64) -> usize {
        if let Some(&place) = self.places.get(&key) {
            return place;
        }
        let place = self.flows.len();
        self.places.insert(key, place);
        let weight = usize::try_from(key).ok();
        let weight = weight.and_then(|key| self.weights.get(key));
        self.flows.push(Flow {
            queue: Fifo::default(),
            finish: VecDeque::new(),
            last: 0.0,
            weight: weight.copied().unwrap_or(1.0),
        });
        place
    }

    fn push_out(&mut self, ctx: &mut Context<'_, P>) {
        let mut fattest = 0;
        for (place, flow) in self.flows.iter().enumerate() {
            if flow.queue.bytes() > self.flows[fattest].queue.bytes() {
                fattest = place;
            }
        }
        let flow = &mut self.flows[fattest];
        let (Some(packet), Some(finish)) = (flow.queue.pop_tail(), flow.finish.pop_back()) else {
            return;
        };
        // It takes no service: the flow stands as if it had not come.
        flow.last = finish - packet.size().bits() as f64 / flow.weight;
        self.backlog.packets -= 1;
        self.backlog.bytes -= packet.size();
        ctx.drop(packet, Reason::Overlimit);
    }
}

impl<P: Packet> Discipline<P> for Fq<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        self.advance(ctx.now);
        let place = self.place(packet.flow());
        let flow = &mut self.flows[place];
        flow.last = flow.last.max(self.round) + packet.size().bits() as f64 / flow.weight;
        flow.finish.push_back(flow.last);
        self.backlog.packets += 1;
        self.backlog.bytes += packet.size();
        flow.queue.push(packet);
        while !self
            .capacity
            .holds(self.backlog.packets, self.backlog.bytes)
        {
            self.push_out(ctx);
        }
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        self.advance(ctx.now);
        let mut first: Option<(f64, usize)> = None;
        for (place, flow) in self.flows.iter().enumerate() {
            if let Some(&finish) = flow.finish.front()
                && first.is_none_or(|(best, _)| finish < best)
            {
                first = Some((finish, place));
            }
        }
        let Some((_, place)) = first else {
            return Dequeued::Empty;
        };
        let flow = &mut self.flows[place];
        flow.finish.pop_front();
        let Some(packet) = flow.queue.pop() else {
            return Dequeued::Empty;
        };
        self.backlog.packets -= 1;
        self.backlog.bytes -= packet.size();
        Dequeued::Packet(packet)
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn reset(&mut self) {
        self.flows.clear();
        self.places.clear();
        self.backlog = Backlog::default();
        self.round = 0.0;
        self.counted = Time::ZERO;
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.rate = link.rate.as_f64();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        let busy = self.flows.iter().filter(|flow| !flow.queue.is_empty());
        show("flows_active", ProbeValue::Number(busy.count() as f64));
        show("round", ProbeValue::Number(self.round));
        for (k, flow) in self.flows.iter().enumerate() {
            let name = format!("flow[{k}].packets");
            show(&name, ProbeValue::Number(flow.queue.len() as f64));
        }
    }
}
