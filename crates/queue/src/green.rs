//! GREEN: keeps the arrival rate just below the link's by a drop probability that moves in steps.
//!
//! B. Wydrowski, M. Zukerman, "GREEN: An Active Queue Management Algorithm for a Self Managed
//! Internet", IEEE ICC 2002.
//!
//! The arrival rate is averaged exponentially with time constant `averaging`. Every `interval` the
//! drop probability grows by `step` if the average rate is above `utilization` times the rate of
//! the link, and shrinks by `step` otherwise; it is kept between 0 and 1. An arrival is dropped, or
//! with `ecn` marked, with this probability. The length of the queue has no influence except
//! through the limit. The average rate decays with the time since the last arrival, so that the
//! probability falls when the traffic stops.
//!
//! **Reference**: `utilization` 0.97, `averaging` 100 ms, `interval` 10 ms, `step` 0.001. These are
//! workable values: the paper was not available to verify them.
//!
//! The unrelated GREEN of W. Feng, A. Kapadia and S. Thulasidasan is [`crate::feng_green`]. No
//! preset differs: neither Linux nor ns-2.35 nor ns-3 has GREEN.

use sojourn_base::checks::time_above_zero;
use sojourn_base::{
    Fraction, Limit, LinkInfo, ParamFault, Preset, Probability, Span, Time, params,
};

use crate::parts::check_period;
use crate::parts::gate::{Gate, Gated, Signal};
use crate::{AdmissionContext, Backlog, Packet, ProbeValue};

params! {
    /// Parameters of GREEN.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "1000 packets";
        /// Target arrival rate, as a share of the link's rate.
        utilization: Fraction = "0.97";
        /// Time constant of the average arrival rate.
        averaging: Span = "100 ms";
        /// Time between two steps of the drop probability.
        interval: Span = "10 ms";
        /// Change of the drop probability in a step.
        step: Probability = "0.001";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
    }
}

/// The controller.
#[derive(Debug)]
pub struct GreenGate {
    params: Params,
    link_rate: f64,
    prob: f64,
    /// Bits a second.
    rate: f64,
    /// Bits that came at the instant of the last arrival.
    pending: f64,
    last: Time,
    next_update: Time,
}

/// A GREEN queue.
pub type Green<P> = Gated<P, GreenGate>;

impl<P> Green<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// An average over no time, an interval below 1 us.
    pub fn new(params: &Params, _preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        time_above_zero("averaging", params.averaging)?;
        check_period("interval", params.interval)?;
        let gate = GreenGate {
            link_rate: link.rate.as_f64(),
            prob: 0.0,
            rate: 0.0,
            pending: 0.0,
            last: Time::ZERO,
            next_update: Time::ZERO + params.interval,
            params: params.clone(),
        };
        Ok(Self::with_gate(gate, params.limit.on(link)))
    }
}

impl GreenGate {
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

impl<P: Packet> Gate<P> for GreenGate {
    fn admit(&mut self, packet: &P, ctx: &mut AdmissionContext<'_>, _fits: bool) -> Signal {
        self.pending += packet.size().bits() as f64;
        if ctx.now > self.last {
            self.rate = self.rate_at(ctx.now, self.pending);
            self.pending = 0.0;
            self.last = ctx.now;
        }
        Signal::of(ctx.random.chance(self.prob), self.params.ecn)
    }

    fn reset(&mut self) {
        self.prob = 0.0;
        self.rate = 0.0;
        self.pending = 0.0;
        self.last = Time::ZERO;
        self.next_update = Time::ZERO + self.params.interval;
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.next_update)
    }

    fn on_timer(&mut self, _waiting: Backlog, _head: Option<&P>, now: Time) {
        if now < self.next_update {
            return;
        }
        self.next_update += self.params.interval;
        let step = self.params.step.0;
        // Not counted as an arrival: the average is only looked at.
        let above = self.rate_at(now, 0.0) > self.params.utilization.0 * self.link_rate;
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
