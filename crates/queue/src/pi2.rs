//! PI2: a plain PI controller of the queueing delay, whose output is squared for classic traffic.
//!
//! K. De Schepper, O. Bondarenko, I. Tsang, B. Briscoe, "PI2: A Linearized AQM for both Classic and
//! Scalable TCP", ACM CoNEXT 2016.
//!
//! Every `t_update` p' changes by `alpha` (delay - target) + `beta` (delay - previous delay), and
//! is kept between 0 and 1. The delay is the age of the packet at the head of the queue.
//!
//! - A classic packet is dropped, or with `ecn` marked, with probability p'^2: if both of two
//!   random numbers are below p'.
//! - A packet of a scalable sender, ECT(1) or CE, is marked with probability `k` p'.
//! - Nothing is dropped or marked while less than two MTUs wait.
//!
//! The square makes the control loop linear for Reno's window, 1.22 / p', so that the scaling
//! table, burst allowance and cap of PIE are not needed.
//!
//! **Reference**: the values of the paper, a target of 20 ms, an update every 32 ms, `alpha` 0.3125
//! and `beta` 3.125 per second, and k = 2; room for 1000 packets.
//!
//! **Linux** (the authors' `sch_pi2`, outside the kernel): an update every 30 ms.
//!
//! **ns-2** and **ns-3**: ns-2.35 and ns-3 have no PI2; their presets are the reference.

use sojourn_base::checks::positive;
use sojourn_base::length::Capacity;
use sojourn_base::{Limit, LinkInfo, ParamFault, Preset, Span, Time, params};

use crate::parts::gate::{Gate, Gated, Signal};
use crate::parts::mistakes::{self, Exempt};
use crate::parts::pi_law::PiLaw;
use crate::{AdmissionContext, Backlog, Packet, ProbeValue, Warning};

params! {
    /// Parameters of PI2.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "1000 packets";
        /// Target queueing delay.
        target: Span = "20 ms";
        /// Time between two updates of p'.
        t_update: Span = "32 ms", Linux = "30 ms";
        /// Gain of the difference between the delay and the target, per second.
        alpha: f64 = "0.3125";
        /// Gain of the change of the delay since the last update, per second.
        beta: f64 = "3.125";
        /// Factor from p' to the mark probability of scalable traffic.
        k: f64 = "2";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "true";
    }
}

/// The controller.
#[derive(Debug)]
pub struct Pi2Gate {
    law: PiLaw,
    k: f64,
    ecn: bool,
    link: LinkInfo,
}

/// A PI2 queue.
pub type Pi2<P> = Gated<P, Pi2Gate>;

impl<P> Pi2<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A period of nothing, negative gains, `k` not above zero.
    pub fn new(params: &Params, _preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        positive("k", params.k)?;
        let gate = Pi2Gate {
            law: PiLaw::new(params.target, params.t_update, params.alpha, params.beta)?,
            k: params.k,
            ecn: params.ecn,
            link: *link,
        };
        Ok(Self::with_gate(gate, params.limit.on(link)))
    }
}

impl<P: Packet> Gate<P> for Pi2Gate {
    fn admit(&mut self, packet: &P, ctx: &mut AdmissionContext<'_>, fits: bool) -> Signal {
        if !fits {
            return Signal::None;
        }
        let scalable = self.ecn && packet.ecn().is_scalable();
        let p = self.law.prob();
        let (first, second) = (ctx.random.uniform(), ctx.random.uniform());
        let hit = if scalable {
            first < self.k * p
        } else {
            first.max(second) < p
        };
        let is_short = ctx.waiting.bytes.get() < 2 * self.link.mtu.get();
        Signal::of(hit && !is_short, self.ecn)
    }

    fn reset(&mut self) {
        self.law.reset();
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.law.next_update())
    }

    fn on_timer(&mut self, _waiting: Backlog, head: Option<&P>, now: Time) {
        let age = |head: &P| now.since(head.enqueued());
        let delay = head.map_or(Span::ZERO, age);
        self.law.update(delay, now);
    }

    fn looks_at_head(&self) -> bool {
        true
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.link = *link;
    }

    fn warnings(&self, capacity: Capacity) -> Vec<Warning> {
        mistakes::target(self.law.target(), Exempt::LessThanTwo, capacity, &self.link)
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.law.probe(show);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        self.law.poke(name, value)
    }
}
