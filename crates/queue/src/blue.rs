//! BLUE: a drop probability that rises with losses and falls when the link goes idle.
//!
//! W. Feng, D. Kandlur, D. Saha, K. Shin, "BLUE: A New Class of Active Queue Management
//! Algorithms", CSE-TR-387-99, 1999, and IEEE/ACM ToN 10(4), 2002.
//!
//! BLUE does not use the average queue length. It keeps one probability and changes it on two
//! events:
//!
//! - when an arrival finds no room (or, with `threshold`, would have found none with that as the
//!   limit), the probability grows by `increment`;
//! - when the link finds nothing to send, the probability shrinks by `decrement`.
//!
//! Neither change is made within `freeze_time` of the last one. Each arrival is dropped, or with
//! `ecn` marked, with this probability. BLUE's own drops do not count as losses.
//!
//! **Reference**: `increment` 0.02, `decrement` 0.002, `freeze_time` 100 ms. The experiments of the
//! papers combine the pairs (0.02, 0.002) and (0.0025, 0.00025) with a `freeze_time` of 10 or 100
//! ms (from memory of the papers, not verified; 0.0025, 0.00025 and 100 ms are the defaults of the
//! authors' ns code). Only the start of an idle time is an event: one idle time makes one step.
//! With `idle_decay = "every"` it makes one step for each `freeze_time` for which the link stays
//! idle.
//!
//! No preset differs: Linux has only SFB, and ns-2.35 and ns-3 have no BLUE.

use sojourn_base::length::Capacity;
use sojourn_base::{
    Limit, LinkInfo, Optional, ParamFault, Preset, Probability, Span, Threshold, Time, choices,
    params,
};

use crate::parts::Fifo;
use crate::parts::ecn::mark_or_drop;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason, Warning};

params! {
    /// Parameters of BLUE.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "1000 packets";
        /// What a loss adds to the drop probability.
        increment: Probability = "0.02";
        /// What an idle link subtracts from the drop probability.
        decrement: Probability = "0.002";
        /// Shortest time between two changes.
        freeze_time: Span = "100 ms";
        /// Queue length beyond which an arrival counts as a loss, though it is kept.
        threshold: Optional<Threshold> = "none";
        /// Whether an idle link makes one step, or one for every `freeze_time` (`"every"`).
        idle_decay: IdleDecay = "once";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
    }
}

choices! {
    /// What an idle link does to the probability.
    pub enum IdleDecay {
        /// One step when it goes idle.
        Once = "once",
        /// One step each `freeze_time` while it is.
        Every = "every",
    }
}

/// A BLUE queue.
#[derive(Debug)]
pub struct Blue<P> {
    capacity: Capacity,
    /// What counts as a loss.
    threshold: Option<Capacity>,
    params: Params,
    queue: Fifo<P>,
    prob: f64,
    last_update: Option<Time>,
    /// Whether the link is known to be idle, and since when or since the last step.
    idle: Option<Time>,
}

impl<P> Blue<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// Never: all settings are possible.
    pub fn new(params: &Params, _preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let threshold = |Threshold(length)| {
            let limit = Limit(Some(length));
            limit.on(link)
        };
        Ok(Self {
            capacity: params.limit.on(link),
            threshold: params.threshold.0.map(threshold),
            params: params.clone(),
            queue: Fifo::default(),
            prob: 0.0,
            last_update: None,
            idle: None,
        })
    }

    /// Changes the probability, unless it did lately.
    fn step(&mut self, change: f64, now: Time) {
        let frozen = |last| now.since(last) <= self.params.freeze_time;
        if !self.last_update.is_some_and(frozen) {
            self.prob = (self.prob + change).clamp(0.0, 1.0);
            self.last_update = Some(now);
        }
    }

    /// Makes the steps that an idle link has earned since it was last asked.
    fn decay_until(&mut self, now: Time) {
        let freeze = self.params.freeze_time;
        let Some(since) = self.idle.take() else {
            return;
        };
        if self.params.idle_decay == IdleDecay::Every && freeze > Span::ZERO {
            let steps = now.since(since).as_ps() / freeze.as_ps();
            if steps > 0 {
                let taken = steps as f64 * self.params.decrement.0;
                self.prob = (self.prob - taken).max(0.0);
                self.last_update = Some(since + Span::from_ps(steps * freeze.as_ps()));
            }
        }
    }
}

impl<P: Packet> Discipline<P> for Blue<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        self.decay_until(ctx.now);
        let Backlog { packets, bytes } = self.queue.backlog();
        let size = packet.size();
        let fits = self.capacity.admits(packets, bytes, size);
        let above = |most: Capacity| !most.admits(packets, bytes, size);
        if !fits || self.threshold.is_some_and(above) {
            self.step(self.params.increment.0, ctx.now);
        }
        if !fits {
            return ctx.drop(packet, Reason::Overlimit);
        }
        let packet = if ctx.random.chance(self.prob) {
            let Some(marked) = mark_or_drop(packet, self.params.ecn, Reason::Blue, ctx) else {
                return;
            };
            marked
        } else {
            packet
        };
        self.queue.push(packet);
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        if self.queue.is_empty() && self.idle.is_none() {
            self.idle = Some(ctx.now);
            self.step(-self.params.decrement.0, ctx.now);
        }
        self.queue.dequeue()
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
        self.last_update = None;
        self.idle = None;
    }

    fn warnings(&self) -> Vec<Warning> {
        if self.params.increment.0 > self.params.decrement.0 {
            return Vec::new();
        }
        let what = "increment should be well above decrement, or BLUE follows overload too slowly";
        vec![Warning {
            param: "increment",
            what: what.to_owned(),
        }]
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        show("prob", ProbeValue::Number(self.prob));
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        let known = matches!(name, "prob" | "p_m");
        if known {
            self.prob = value;
        }
        known
    }
}
