//! GREEN: keeps the arrival rate just below the link's by a probability that steps up and down.
//!
//! B. Wydrowski, M. Zukerman, "GREEN: An Active Queue Management Algorithm for a Self Managed
//! Internet", IEEE ICC 2002. The rate of arrivals is averaged exponentially with time constant
//! `averaging`. Every `interval` the probability grows by `step` if that rate is above `utilization` times
//! the link's, else it shrinks by it, between 0 and 1; an arrival is dropped, or with `ecn` marked,
//! with it. The queue itself plays no part but by its limit. The average decays with the time since the last
//! arrival, so that the probability falls when the traffic stops.
//!
//! **Reference**: utilization 0.97, averaging 100 ms, interval 10 ms, step 0.001. These constants
//! are workable ones: the paper was not at hand to verify them. The unrelated GREEN of W. Feng, A.
//! Kapadia and S. Thulasidasan, 2002, which drops by each flow's TCP equation, is not this one. No
//! preset differs: neither Linux nor ns-2.35 nor ns-3 has it.

use sojourn_base::length::Capacity;
use sojourn_base::{
    Fraction, Limit, LinkInfo, ParamFault, Preset, Probability, Span, Time, params,
};

use crate::parts::Fifo;
use crate::parts::ecn::mark_or_drop;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason};

params! {
    /// Parameters of GREEN.
    pub struct Params {
        /// Most that may wait, in packets or bytes; the packet being sent is not counted.
        limit: Limit = "1000 packets";
        /// Share of the link that arrivals shall take.
        utilization: Fraction = "0.97";
        /// Time constant of the average of the arrival rate.
        averaging: Span = "100 ms";
        /// Time between two steps.
        interval: Span = "10 ms";
        /// What a step changes the probability by.
        step: Probability = "0.001";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
    }
}

/// A GREEN queue.
#[derive(Debug)]
pub struct Green<P> {
    capacity: Capacity,
    params: Params,
    link_rate: f64,
    queue: Fifo<P>,
    prob: f64,
    /// Bits a second.
    rate: f64,
    /// Bits that came at the instant of the last arrival.
    pending: f64,
    last: Time,
    next_update: Time,
}

impl<P> Green<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A time of nothing.
    pub fn new(params: &Params, _preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        for (name, time) in [
            ("averaging", params.averaging),
            ("interval", params.interval),
        ] {
            if time == Span::ZERO {
                return Err(ParamFault::new(name, time, "a time above zero"));
            }
        }
        Ok(Self {
            capacity: params.limit.on(link),
            link_rate: link.rate.as_f64(),
            queue: Fifo::default(),
            prob: 0.0,
            rate: 0.0,
            pending: 0.0,
            last: Time::ZERO,
            next_update: Time::ZERO + params.interval,
            params: params.clone(),
        })
    }

    /// The average at `now`: what came since the last arrival was spread over that time.
    fn rate_at(&self, now: Time, more: f64) -> f64 {
        let gone = now.since(self.last).as_s();
        if gone == 0.0 {
            return self.rate;
        }
        let kept = libm::exp(-gone / self.params.averaging.as_s());
        kept * self.rate + (1.0 - kept) * more / gone
    }
}

impl<P: Packet> Discipline<P> for Green<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let Backlog { packets, bytes } = self.queue.backlog();
        let size = packet.size();
        self.pending += size.bits() as f64;
        if ctx.now > self.last {
            self.rate = self.rate_at(ctx.now, self.pending);
            self.pending = 0.0;
            self.last = ctx.now;
        }
        let hit = ctx.random.chance(self.prob);
        if !self.capacity.admits(packets, bytes, size) {
            return ctx.drop(packet, Reason::Overlimit);
        }
        let packet = if hit {
            let Some(marked) = mark_or_drop(packet, self.params.ecn, Reason::Unforced, ctx) else {
                return;
            };
            marked
        } else {
            packet
        };
        self.queue.push(packet);
    }

    fn dequeue(&mut self, _ctx: &mut Context<'_, P>) -> Dequeued<P> {
        self.queue.pop().map_or(Dequeued::Empty, Dequeued::Packet)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn reset(&mut self) {
        self.queue.clear();
        self.prob = 0.0;
        self.rate = 0.0;
        self.pending = 0.0;
        self.last = Time::ZERO;
        self.next_update = Time::ZERO + self.params.interval;
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.next_update)
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        if ctx.now < self.next_update {
            return;
        }
        self.next_update += self.params.interval;
        let step = self.params.step.0;
        // Not counted as an arrival: the average is only looked at.
        let above = self.rate_at(ctx.now, 0.0) > self.params.utilization.0 * self.link_rate;
        self.prob = (self.prob + if above { step } else { -step }).clamp(0.0, 1.0);
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.link_rate = link.rate.as_f64();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        show("prob", ProbeValue::Number(self.prob));
        show("rate_bps", ProbeValue::Number(self.rate));
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        match name {
            "prob" => self.prob = value,
            "rate_bps" => self.rate = value,
            _ => return false,
        }
        true
    }
}
