//! DualPI2: one queue for scalable low-latency traffic, one for classic, coupled by one controller.
//!
//! K. De Schepper, B. Briscoe, G. White, "Dual-Queue Coupled AQMs for Low Latency, Low Loss, and
//! Scalable Throughput (L4S)", RFC 9332, 2023, appendix A.
//!
//! ECT(1) and CE packets join queue L, all others queue C. Every `t_update` a PI controller of the
//! longer of the two queueing delays updates p'. Packets are dropped or marked when they leave:
//!
//! - A packet of C is signalled with probability p'^2: it is marked if it is ECT(0), and dropped if
//!   it cannot be marked.
//! - A packet of L is marked with a probability that is the larger of k p' and a ramp of L's own
//!   delay, which rises from 0 at `min_th` to 1 over `range`. The ramp counts only while more than
//!   one packet is left in L.
//!
//! With k = 2, a Reno flow and a DCTCP flow of the same round-trip time thus get about equal
//! windows.
//!
//! There is overload when k p' reaches 1. Packets of L are then dropped with probability p'^2, and
//! marked otherwise. When p'^2 is `classic_most` or above, C drops the packets that it would mark.
//! The automatic `classic_most` is 1/k^2, where overload begins.
//!
//! L is served first, but only within its credit: while both queues are busy, C gets the share
//! `classic_weight` of the bytes.
//!
//! **Reference**: the RFC: target 15 ms, k = 2, a ramp from 800 us over 400 us, and a
//! `classic_weight` of 1/16.
//!
//! - An update every 16 ms, `alpha` 0.16 and `beta` 3.2 are those of the text of section A.1. From
//!   the target and an RTT_max of 100 ms, the formulas of figure 2 would give 15 ms, 0.15 and 3.
//! - The limit is 250 ms for both queues together; an arrival is admitted only if a packet of the
//!   MTU fits.
//! - Signals are spaced by accumulators: each gives a signal when it exceeds 1. Drops of L in
//!   overload have an accumulator of their own; the pseudocode of the RFC has one for both drops
//!   and marks, so that marks affect the drops.
//!
//! **Linux** (`sch_dualpi2`):
//!
//! - The limit is 10000 packets; `alpha` is 41/256, `beta` 819/256, and `classic_weight` 10 %.
//! - L has a step at a sojourn time of 1 ms instead of the ramp.
//! - Signals are random, not spaced. The controller gives none while less than two of the largest
//!   packets are left.
//! - Once k p' is above 1, C drops every packet that it signals.
//!
//! ns-2.35 and ns-3 have no DualPI2 here; their presets are the reference.

use sojourn_base::checks::positive;
use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Limit, LinkInfo, ParamFault, Preset, Probability, Span, Time, params,
};

use crate::parts::Fifo;
use crate::parts::ecn::mark_or_drop;
use crate::parts::mistakes::{self, Exempt};
use crate::parts::pi_law::PiLaw;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason, Warning};

params! {
    /// Parameters of DualPI2.
    pub struct Params {
        /// Largest total of both queues, in packets or bytes.
        limit: Limit = "250 ms", Linux = "10000 packets";
        /// Target queueing delay.
        target: Span = "15 ms";
        /// Time between two updates of p'.
        t_update: Span = "16 ms";
        /// Gain of the difference between the delay and the target, per second.
        alpha: f64 = "0.16", Linux = "0.16015625";
        /// Gain of the change of the delay since the last update, per second.
        beta: f64 = "3.2", Linux = "3.19921875";
        /// Coupling factor from p' to the mark probability of scalable traffic.
        k: f64 = "2";
        /// Sojourn time in L above which the ramp marks packets.
        min_th: Span = "800 us";
        /// Width of the ramp: it marks every packet from `min_th` + `range` on.
        range: Span = "400 us";
        /// Sojourn time above which Linux marks packets of L; only Linux's preset has this
        /// parameter.
        step_th: Span = "1 ms";
        /// Value of p'^2 from which C drops the packets that it would mark. Automatic: 1/k^2, at
        /// most 1, where k p' reaches 1.
        classic_most: Auto<Probability> = "auto";
        /// Share of the bytes that C gets while both queues are busy.
        classic_weight: Probability = "0.0625", Linux = "0.1";
    }
}

/// Two coupled queues.
#[derive(Debug)]
pub struct DualPi2<P> {
    capacity: Capacity,
    preset: Preset,
    params: Params,
    law: PiLaw,
    low: Fifo<P>,
    classic: Fifo<P>,
    /// Bytes that L has been sent ahead of its share.
    credit: f64,
    link: LinkInfo,
    /// The accumulators: marks of L, drops of L, signals of C.
    spent: [f64; 3],
}

/// Adds `p` to an accumulator; true, and one less, when it is above 1.
fn recur(accumulator: &mut f64, p: f64) -> bool {
    *accumulator += p;
    let fires = *accumulator > 1.0;
    if fires {
        *accumulator -= 1.0;
    }
    fires
}

impl<P> DualPi2<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A period of nothing, negative gains, `k` not above zero, a limit of less than one packet.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        positive("k", params.k)?;
        let capacity = params.limit.on(link);
        if let Capacity::Bytes(limit) = capacity
            && limit < link.mtu.get()
        {
            let allowed = format!("at least the MTU, {}", link.mtu);
            return Err(ParamFault::new("limit", Bytes::new(limit), allowed));
        }
        let mut made = Self {
            capacity,
            preset,
            law: PiLaw::new(params.target, params.t_update, params.alpha, params.beta)?,
            params: params.clone(),
            low: Fifo::default(),
            classic: Fifo::default(),
            credit: 0.0,
            link: *link,
            spent: [0.0; 3],
        };
        made.renew_credit();
        Ok(made)
    }

    fn is_linux(&self) -> bool {
        self.preset == Preset::Linux
    }

    fn largest(&self) -> f64 {
        self.link.largest(self.preset).as_f64()
    }

    /// What L may send before C's first turn.
    fn renew_credit(&mut self) {
        let classic = self.params.classic_weight.0;
        self.credit = self.largest() * 100.0 * (classic - (1.0 - classic));
    }
}

impl<P: Packet> DualPi2<P> {
    fn both(&self) -> Backlog {
        Backlog {
            packets: self.low.len() + self.classic.len(),
            bytes: self.low.bytes() + self.classic.bytes(),
        }
    }

    fn age(queue: &Fifo<P>, now: Time) -> Span {
        queue
            .head()
            .map_or(Span::ZERO, |head| now.since(head.enqueued()))
    }

    /// The probability that L's own delay gives, after the packet was taken.
    fn native(&self, sojourn: Span) -> f64 {
        if self.is_linux() {
            return f64::from(u8::from(sojourn > self.params.step_th));
        }
        if self.low.len() <= 1 {
            return 0.0;
        }
        let above = sojourn - self.params.min_th;
        if self.params.range == Span::ZERO {
            return f64::from(u8::from(above > Span::ZERO));
        }
        (above.as_s() / self.params.range.as_s()).min(1.0)
    }

    /// Whether a signal with probability `p` falls now; `which` has its accumulator.
    fn falls(&mut self, which: usize, p: f64, ctx: &mut Context<'_, P>) -> bool {
        if self.is_linux() {
            ctx.random.chance(p)
        } else {
            recur(&mut self.spent[which], p)
        }
    }

    fn admit_low(&mut self, packet: P, ctx: &mut Context<'_, P>) -> Option<P> {
        let prob = self.law.prob();
        let coupled = self.params.k * prob;
        let sojourn = ctx.now.since(packet.enqueued());
        let exempt = self.is_exempt();
        if coupled >= 1.0 && !exempt {
            if self.falls(1, prob * prob, ctx) {
                ctx.drop(packet, Reason::Unforced);
                return None;
            }
            return mark_or_drop(packet, true, Reason::Unforced, ctx);
        }
        let coupled = if exempt { 0.0 } else { coupled };
        let native = self.native(sojourn);
        if self.falls(0, coupled.max(native).min(1.0), ctx) {
            let reason = if native > coupled {
                Reason::CeThreshold
            } else {
                Reason::Unforced
            };
            return mark_or_drop(packet, true, reason, ctx);
        }
        Some(packet)
    }

    fn admit_classic(&mut self, packet: P, ctx: &mut Context<'_, P>) -> Option<P> {
        let prob = self.law.prob();
        let square = prob * prob;
        if self.is_exempt() || !self.falls(2, square, ctx) {
            return Some(packet);
        }
        let marks = if self.is_linux() {
            self.params.k * prob <= 1.0
        } else {
            square < self.classic_most()
        };
        mark_or_drop(packet, marks, Reason::Unforced, ctx)
    }

    /// The RFC's p_Cmax.
    fn classic_most(&self) -> f64 {
        match self.params.classic_most {
            Auto::Given(most) => most.0,
            Auto::Auto => (1.0 / (self.params.k * self.params.k)).min(1.0),
        }
    }

    /// Linux: no signals by the controller while so little is left.
    fn is_exempt(&self) -> bool {
        self.is_linux() && self.both().bytes.as_f64() < 2.0 * self.largest()
    }
}

impl<P: Packet> Discipline<P> for DualPi2<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let Backlog { packets, bytes } = self.both();
        let size = self.link.mtu.max(packet.size());
        if !self.capacity.admits(packets, bytes, size) {
            return ctx.drop(packet, Reason::Overlimit);
        }
        if packet.ecn().is_scalable() {
            self.low.push(packet);
        } else {
            self.classic.push(packet);
        }
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        loop {
            let serves_low =
                !self.low.is_empty() && (self.classic.is_empty() || self.credit <= 0.0);
            let queue = if serves_low {
                &mut self.low
            } else {
                &mut self.classic
            };
            let Some(packet) = queue.pop() else {
                self.renew_credit();
                return Dequeued::Empty;
            };
            let size = packet.size().as_f64();
            let kept = if serves_low {
                self.admit_low(packet, ctx)
            } else {
                self.admit_classic(packet, ctx)
            };
            let Some(packet) = kept else { continue };
            let weight = self.params.classic_weight.0;
            if self.low.is_empty() && self.classic.is_empty() {
                self.renew_credit();
            } else if serves_low && !self.classic.is_empty() {
                self.credit += weight * 100.0 * size;
            } else if !serves_low && !self.low.is_empty() {
                self.credit -= (1.0 - weight) * 100.0 * size;
            }
            return Dequeued::Packet(packet);
        }
    }

    fn backlog(&self) -> Backlog {
        self.both()
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn reset(&mut self) {
        self.low.clear();
        self.classic.clear();
        self.law.reset();
        self.spent = [0.0; 3];
        self.renew_credit();
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.law.next_update())
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        let now = ctx.now;
        let delay = Self::age(&self.low, now).max(Self::age(&self.classic, now));
        self.law.update(delay, now);
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.link = *link;
    }

    fn warnings(&self) -> Vec<Warning> {
        mistakes::target(
            self.law.target(),
            Exempt::Nothing,
            self.capacity,
            &self.link,
        )
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.law.probe(show);
        let mut number = |name, value| show(name, ProbeValue::Number(value));
        number("low_packets", self.low.len() as f64);
        number("classic_packets", self.classic.len() as f64);
        number("credit", self.credit);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        self.law.poke(name, value)
    }
}
