//! GREEN (Feng): drops from each flow the share that, by TCP's equation, makes its rate fair.
//!
//! W. Feng, A. Kapadia, S. Thulasidasan, "GREEN: Proactive Queue Management over a Best-Effort
//! Network", IEEE Globecom 2002, 1784-1788.
//!
//! A TCP flow with packets of s bytes, a round-trip time R and a loss probability p sends at the
//! rate `c` s / (R sqrt(p)). This is its fair share L/N of a link of rate L that is used by N flows
//! if
//!
//! ```text
//! p = (N s c / (L R))^2
//! ```
//!
//! Each arrival is therefore dropped, or with `ecn` marked, with this probability, at most 1. The
//! length of the queue has no influence except through the limit.
//!
//! - N is the number of flows that sent a packet within `window`.
//! - s is the size of the arrival.
//! - R is the round-trip time that the packet gives for its flow, or `rtt` if it gives none. Flows
//!   of unequal round-trip times get equal rates if R is known for each. Only packets of the driver
//!   give it; those of scenarios do not.
//!
//! **Reference**: `c` is sqrt(3/2); with receivers that acknowledge every other packet it would be
//! sqrt(3/4), 0.866. The text of the paper was not available: the formula is from memory, and the
//! window is a workable value. Two points are stated in the abstract of A. Kapadia, W. Feng, R.
//! Campbell, "GREEN: A TCP Equation-Based Approach to Active Queue Management",
//! UIUCDCS-R-2004-2408, 2004: drops are derived from the steady state of TCP, without bias by
//! round-trip times, and flows may write their round-trip times into their packets. The abstract
//! also names the weakness: short or slow flows leave a link idle.
//!
//! This is not the GREEN of Wydrowski and Zukerman ([`crate::green`]). No preset differs: neither
//! Linux nor ns-2.35 nor ns-3 has it.

use std::collections::{BTreeMap, VecDeque};

use sojourn_base::checks::positive;
use sojourn_base::{Auto, Limit, LinkInfo, ParamFault, Preset, Span, Time, params};

use crate::parts::gate::{Gate, Gated, Signal};
use crate::{AdmissionContext, Packet, ProbeValue};

params! {
    /// Parameters of Feng's GREEN.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "1000 packets";
        /// How long a flow counts after its last packet.
        window: Span = "500 ms";
        /// Constant of TCP's equation.
        c: f64 = "1.2247448713915890";
        /// Round-trip time of flows whose packets do not give it. Automatic: the link's largest
        /// base round-trip time.
        rtt: Auto<Span> = "auto";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
    }
}

/// The equation and what it needs to know.
#[derive(Debug)]
pub struct FengGate {
    params: Params,
    link: LinkInfo,
    active: Active,
    /// That of the last arrival.
    prob: f64,
}

/// A queue with Feng's GREEN.
pub type FengGreen<P> = Gated<P, FengGate>;

/// The flows heard of within a window.
#[derive(Debug, Default)]
struct Active {
    /// When each was heard of last.
    last: BTreeMap<u64, Time>,
    /// Arrivals in their order.
    heard: VecDeque<(Time, u64)>,
}

impl Active {
    /// Hears of a flow; the number of flows now.
    fn hear(&mut self, flow: u64, now: Time, window: Span) -> usize {
        while let Some(&(at, old)) = self.heard.front() {
            if now.since(at) <= window {
                break;
            }
            self.heard.pop_front();
            if self.last.get(&old) == Some(&at) {
                self.last.remove(&old);
            }
        }
        if self.last.insert(flow, now) != Some(now) {
            self.heard.push_back((now, flow));
        }
        self.last.len()
    }
}

impl<P> FengGreen<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A constant that is not above zero; no round-trip time, given or from the link.
    pub fn new(params: &Params, _preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        positive("c", params.c)?;
        if params.rtt.given().unwrap_or(link.base_rtt) == Span::ZERO {
            let allowed = "a time above zero, such as \"40 ms\"";
            let found = match params.rtt {
                Auto::Given(rtt) => rtt.to_string(),
                Auto::Auto => "\"auto\" where no path takes any time".to_owned(),
            };
            return Err(ParamFault::new("rtt", found, allowed));
        }
        let gate = FengGate {
            params: params.clone(),
            link: *link,
            active: Active::default(),
            prob: 0.0,
        };
        Ok(Self::with_gate(gate, params.limit.on(link)))
    }
}

impl<P: Packet> Gate<P> for FengGate {
    fn admit(&mut self, packet: &P, ctx: &mut AdmissionContext<'_>, _fits: bool) -> Signal {
        let flows = self.active.hear(packet.flow(), ctx.now, self.params.window);
        let usual = self.params.rtt.given().unwrap_or(self.link.base_rtt);
        let rtt = packet.rtt().unwrap_or(usual);
        // What all flows would have in flight of such packets, over what the path holds.
        let bits = flows as f64 * packet.size().bits() as f64;
        let root = self.params.c * bits / (self.link.rate.as_f64() * rtt.as_s());
        self.prob = (root * root).min(1.0);
        Signal::of(ctx.random.chance(self.prob), self.params.ecn)
    }

    fn reset(&mut self) {
        self.active = Active::default();
        self.prob = 0.0;
    }

    /// A link on which no path takes any time leaves the round-trip time as it was.
    fn on_link(&mut self, link: &LinkInfo) {
        let base_rtt = if link.base_rtt == Span::ZERO {
            self.link.base_rtt
        } else {
            link.base_rtt
        };
        self.link = LinkInfo { base_rtt, ..*link };
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        show("prob", ProbeValue::Number(self.prob));
        let flows = self.active.last.len() as f64;
        show("active", ProbeValue::Number(flows));
    }

    fn poke(&mut self, _name: &str, _value: f64) -> bool {
        false
    }
}
