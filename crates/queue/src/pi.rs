//! PI: a proportional-integral controller sets the drop probability from the queue length.
//!
//! C. Hollot, V. Misra, D. Towsley, W. Gong, "On Designing Improved Controllers for AQM Routers
//! Supporting TCP Flows", IEEE INFOCOM 2001.
//!
//! Every `interval` the probability p changes by `a` (q - target) - `b` (previous q - target), and
//! is kept between 0 and 1. An arrival is dropped, or with `ecn` marked, with probability p. Unlike
//! RED, PI brings the queue to its target whatever the load, but slowly: a queue that stays d
//! packets above its target raises p by (a - b) d in each interval. With `bytes` the queue length
//! is the queued bytes divided by `mean_packet`, and p is scaled by the packet's size.
//!
//! **Reference**: `a` 1.822e-5, `b` 1.816e-5, 160 updates per second, target 200 packets; these are
//! for about 60 flows, a round-trip time of 0.25 s and 3750 packets per second (the last three are
//! from memory of the paper, the rest is confirmed by secondary sources). Other links need other
//! gains. The room is 1000 packets.
//!
//! **ns-2** (`PI`, ns-2.35): 170 updates per second, a target of 50 packets and room for 50
//! packets; with `bytes` an arrival is admitted while fewer bytes than 50 mean packets wait. Such a
//! queue can never stay above its target; a warning is given.
//!
//! **Linux** and **ns-3** have no PI; their presets are the reference.

use sojourn_base::checks::above_zero;
use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Limit, LinkInfo, ParamFault, Preset, Span, Threshold, Time, params};

use crate::parts::gate::{Gate, Gated, Signal};
use crate::parts::{Room, check_period, mistakes};
use crate::{AdmissionContext, Backlog, Packet, ProbeValue, Warning};

params! {
    /// Parameters of PI.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "1000 packets", Ns2 = "50 packets";
        /// Target queue length.
        target: Threshold = "200 packets", Ns2 = "50 packets";
        /// Gain of the difference between the queue and the target now, per packet.
        a: f64 = "1.822e-5";
        /// Gain of the difference between the queue and the target one interval ago, per packet.
        b: f64 = "1.816e-5";
        /// Time between two updates of the probability.
        interval: Span = "6250 us", Ns2 = "5882353 ns";
        /// Whether to count the queue in bytes, and to drop in proportion to a packet's size.
        bytes: bool = "false";
        /// Size of a typical packet.
        mean_packet: Bytes = "500 B";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
    }
}

/// The controller.
#[derive(Debug)]
pub struct PiGate {
    params: Params,
    /// In packets.
    target: f64,
    prob: f64,
    old: f64,
    next_update: Time,
}

/// A PI queue.
pub type Pi<P> = Gated<P, PiGate>;

impl<P> Pi<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// An interval below 1 us; a mean packet of nothing; a gain `b` above `a`.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        check_period("interval", params.interval)?;
        above_zero("mean_packet", params.mean_packet)?;
        if params.b > params.a || params.b < 0.0 {
            let allowed = format!("a number from 0 to a, which is {}", params.a);
            return Err(ParamFault::new("b", params.b, allowed));
        }
        let gate = PiGate {
            target: params.target.0.in_packets(params.mean_packet, link),
            params: params.clone(),
            prob: 0.0,
            old: 0.0,
            next_update: Time::ZERO + params.interval,
        };
        let (in_bytes, mean) = (params.bytes, params.mean_packet);
        let room = Room::of(params.limit.on(link), preset, in_bytes, mean, link);
        Ok(Self::with_gate(gate, room))
    }
}

impl<P: Packet> Gate<P> for PiGate {
    fn admit(&mut self, packet: &P, ctx: &mut AdmissionContext<'_>, _fits: bool) -> Signal {
        let share = if self.params.bytes {
            packet.size().as_f64() / self.params.mean_packet.as_f64()
        } else {
            1.0
        };
        Signal::of(ctx.random.chance(self.prob * share), self.params.ecn)
    }

    fn reset(&mut self) {
        self.prob = 0.0;
        self.old = 0.0;
        self.next_update = Time::ZERO + self.params.interval;
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.next_update)
    }

    fn on_timer(&mut self, waiting: Backlog, _head: Option<&P>, now: Time) {
        if now < self.next_update {
            return;
        }
        self.next_update += self.params.interval;
        let queue = if self.params.bytes {
            waiting.bytes.as_f64() / self.params.mean_packet.as_f64()
        } else {
            waiting.packets as f64
        };
        let step = self.params.a * (queue - self.target) - self.params.b * (self.old - self.target);
        self.prob = (self.prob + step).clamp(0.0, 1.0);
        self.old = queue;
    }

    fn on_link(&mut self, link: &LinkInfo) {
        let mean = self.params.mean_packet;
        self.target = self.params.target.0.in_packets(mean, link);
    }

    fn warnings(&self, capacity: Capacity) -> Vec<Warning> {
        let mean = self.params.mean_packet;
        let room = mistakes::capacity_bytes(capacity, mean) / mean.as_f64();
        mistakes::reference(room, self.target)
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        show("prob", ProbeValue::Number(self.prob));
        show("q_old", ProbeValue::Number(self.old));
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        match name {
            "prob" => self.prob = value,
            "q_old" => self.old = value,
            _ => return false,
        }
        true
    }
}
