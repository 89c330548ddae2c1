//! PI2: a plain PI controller of the queueing delay, whose output is squared for classic traffic.
//!
//! K. De Schepper, O. Bondarenko, I. Tsang, B. Briscoe, "PI2: A Linearized AQM for both Classic and
//! Scalable TCP", ACM CoNEXT 2016. Every `t_update` p' grows by `alpha` (delay - target) + `beta` (delay -
//! delay before), between 0 and 1. A classic packet is dropped, or with `ecn` marked, with p'^2, by two
//! throws of the die; one of a scalable sender, ECT(1) or CE, is marked with `k` p'. The square makes the loop
//! linear for Reno's window, 1.22 / p', so that PIE's table, allowance and cap are not
//! needed. Nothing is signalled while less than two MTU wait. The delay is the age of the head.
//!
//! **Reference**: the paper's 20 ms, 32 ms, 0.3125 and 3.125 per second, k = 2; room for 1000 packets. **Linux**
//! (the authors' `sch_pi2`, outside the kernel): an update every 30 ms. ns-2.35 and ns-3 have none:
//! their presets are the reference.

use sojourn_base::length::Capacity;
use sojourn_base::{Ecn, Limit, LinkInfo, ParamFault, Preset, Span, Time, params};

use crate::parts::Fifo;
use crate::parts::ecn::mark_or_drop;
use crate::parts::pi_law::PiLaw;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason};

params! {
    /// Parameters of PI2.
    pub struct Params {
        /// Most that may wait, in packets or bytes; the packet being sent is not counted.
        limit: Limit = "1000 packets";
        /// Queueing delay aimed at.
        target: Span = "20 ms";
        /// Time between two updates.
        t_update: Span = "32 ms", Linux = "30 ms";
        /// Gain of the distance from the target, per second.
        alpha: f64 = "0.3125";
        /// Gain of the change of the delay, per second.
        beta: f64 = "3.125";
        /// Marks of scalable traffic for each p'.
        k: f64 = "2";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "true";
    }
}

/// A PI2 queue.
#[derive(Debug)]
pub struct Pi2<P> {
    capacity: Capacity,
    law: PiLaw,
    k: f64,
    ecn: bool,
    queue: Fifo<P>,
    floor: u64,
}

impl<P> Pi2<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A period of nothing, negative gains, `k` not above zero.
    pub fn new(params: &Params, _preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        if params.k <= 0.0 {
            return Err(ParamFault::new("k", params.k, "a number above zero"));
        }
        Ok(Self {
            capacity: params.limit.on(link),
            law: PiLaw::new(params.target, params.t_update, params.alpha, params.beta)?,
            k: params.k,
            ecn: params.ecn,
            queue: Fifo::default(),
            floor: 2 * link.mtu.get(),
        })
    }
}

impl<P: Packet> Discipline<P> for Pi2<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let Backlog { packets, bytes } = self.queue.backlog();
        if !self.capacity.admits(packets, bytes, packet.size()) {
            return ctx.drop(packet, Reason::Overlimit);
        }
        let scalable = self.ecn && matches!(packet.ecn(), Ecn::Ect1 | Ecn::Ce);
        let p = self.law.prob();
        let (first, second) = (ctx.random.uniform(), ctx.random.uniform());
        let hit = if scalable {
            first < self.k * p
        } else {
            first.max(second) < p
        };
        let packet = if hit && bytes.get() >= self.floor {
            let Some(marked) = mark_or_drop(packet, self.ecn, Reason::Unforced, ctx) else {
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
        self.law.reset();
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.law.next_update())
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        let age = |head: &P| ctx.now.since(head.enqueued());
        let delay = self.queue.head().map_or(Span::ZERO, age);
        self.law.update(delay, ctx.now);
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.floor = 2 * link.mtu.get();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.law.probe(show);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        self.law.poke(name, value)
    }
}
