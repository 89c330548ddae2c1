//! PI2: a plain PI controller of the queueing delay, whose output is squared for classic traffic.
//!
//! K. De Schepper, O. Bondarenko, I. Tsang, B. Briscoe, "PI2: A Linearized AQM for both Classic and
//! Scalable TCP", ACM CoNEXT 2016. Every `t_update` p' grows by `alpha` (delay - target) + `beta`
//! (delay - delay before), between 0 and 1. A classic packet is dropped, or with `ecn` marked, with
//! p'^2, by two throws of the die; one of a scalable sender, ECT(1) or CE, is marked with `k` p'.
//! The square makes the loop linear for Reno's window, 1.22 / p', so that PIE's table, allowance
//! and cap are not needed. Nothing is signalled while less than two MTU wait. The delay is the age
//! of the head.
//!
//! **Reference**: the paper's 20 ms, 32 ms, 0.3125 and 3.125 per second, k = 2; room for 1000
//! packets. **Linux** (the authors' `sch_pi2`, outside the kernel): an update every 30 ms. ns-2.35
//! and ns-3 have none: their presets are the reference.

use sojourn_base::length::Capacity;
use sojourn_base::{Ecn, Limit, LinkInfo, ParamFault, Preset, Span, Time, params};

use crate::parts::gate::{Gate, Gated, Signal};
use crate::parts::mistakes;
use crate::parts::pi_law::PiLaw;
use crate::{Backlog, Meeting, Packet, ProbeValue, Warning};

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
        if params.k <= 0.0 {
            return Err(ParamFault::new("k", params.k, "a number above zero"));
        }
        let gate = Pi2Gate {
            law: PiLaw::new(params.target, params.t_update, params.alpha, params.beta)?,
            k: params.k,
            ecn: params.ecn,
            link: *link,
        };
        Ok(Self::behind(gate, params.limit.on(link)))
    }
}

impl<P: Packet> Gate<P> for Pi2Gate {
    fn judge(&mut self, packet: &P, meeting: &mut Meeting<'_>, fits: bool) -> Signal {
        if !fits {
            return Signal::None;
        }
        let scalable = self.ecn && matches!(packet.ecn(), Ecn::Ect1 | Ecn::Ce);
        let p = self.law.prob();
        let (first, second) = (meeting.random.uniform(), meeting.random.uniform());
        let hit = if scalable {
            first < self.k * p
        } else {
            first.max(second) < p
        };
        let is_short = meeting.waiting.bytes.get() < 2 * self.link.mtu.get();
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
        mistakes::target(self.law.target(), capacity, &self.link)
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.law.probe(show);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        self.law.poke(name, value)
    }
}
