//! EQM (reconstruction): drops the share of the arrival rate that exceeds what the link can take.
//!
//! J. Venkatesan, S. Thirumal, "Novel Approach for Queue Management and Improvisation of QOS for
//! Communication Networks", IJSER 2, 2014, 51-56, could not be obtained: its formulas and
//! parameters are unknown. This is a reconstruction from what others say about it: that it is
//! proactive, is based on the incoming rate, needs little computation, and works within one router.
//! Every table and figure must call it "EQM (reconstruction)". It is neither Fesehaye's "Efficient
//! Queue Management" (2006) nor Thavasi and Natarajan's "Effective Queue Management" (2011).
//!
//! On each arrival, with C the link's rate and u the `utilization`:
//!
//! ```text
//! x = (1 - e^(-T/K)) bits/T + e^(-T/K) x      T since the arrival before, K = averaging
//! c = clamp(u C - (q - q_ref)/tau, 0, C)      q the queue before the arrival, in bits
//! p = clamp(1 - c/x, 0, p_max)                0 while q < q_min or x <= c
//! ```
//!
//! x is an estimate of the arrival rate, c is the rate that may be admitted, and p is the share of
//! arrivals to be dropped so that the admitted rate is c. Drops are not random: p is summed over
//! arrivals, and the arrival that brings the sum to 1 is dropped. A constant rate of 9/8 C thus
//! loses exactly every ninth packet. The queue settles at `q_ref` with time constant `tau`, or,
//! with u below 1, at `q_ref` - (1 - u) C tau. There is no timer, and nothing to do while the link
//! is idle.
//!
//! Lengths are compared in the unit in which they are given. Packets are converted to bits with the
//! mean size of the waiting packets.
//!
//! These parameters are for ablation:
//!
//! - `randomised` drops at random with probability p.
//! - `rate_only` ignores the queue (tau infinite).
//! - `queue_only` ignores the rate (x = C).
//! - `per_flow` keeps x for each flow and drops only packets of flows above c/N, where N is the
//!   number of recently active flows: once in every `averaging`, flows that have sent nothing for
//!   that long are forgotten.
//!
//! No preset differs.

use std::collections::BTreeMap;

use sojourn_base::checks::time_above_zero;
use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Length, Limit, LinkInfo, ParamFault, Preset, Probability, Span, Threshold, Time,
    params,
};

use crate::parts::Fifo;
use crate::{
    Admission, AdmissionContext, Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason,
};

params! {
    /// Parameters of EQM (reconstruction).
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "50 packets";
        /// Target utilization of the link (u): above 0, at most 1.
        utilization: Probability = "1";
        /// Time constant of the average arrival rate (K).
        averaging: Span = "100 ms";
        /// Target queue length. Automatic: 0.3 of the limit.
        q_ref: Auto<Threshold> = "auto";
        /// Time in which an excess over `q_ref` is to drain.
        tau: Span = "100 ms";
        /// Queue length below which nothing is dropped early. Automatic: 0.1 of the limit.
        q_min: Auto<Threshold> = "auto";
        /// Largest share of arrivals that is dropped early.
        p_max: Probability = "1";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
        /// Value of p, the share of arrivals to be dropped, from which ECN-capable packets are
        /// dropped instead of marked.
        mark_limit: Probability = "0.5";
        /// Whether to drop in proportion to a packet's size.
        bytes: bool = "false";
        /// Ablation: drop with probability p instead of in exact proportion.
        randomised: bool = "false";
        /// Ablation: drop only packets of flows above their fair share.
        per_flow: bool = "false";
        /// Ablation: ignore the arrival rate.
        queue_only: bool = "false";
        /// Ablation: ignore the queue.
        rate_only: bool = "false";
    }
}

/// An EQM (reconstruction) queue.
#[derive(Debug)]
pub struct Eqm<P> {
    params: Params,
    capacity: Capacity,
    q_ref: Length,
    q_min: Length,
    /// Rate of the link in bit/s.
    rate: f64,
    queue: Fifo<P>,
    all: Share,
    flows: Flows,
    prob: f64,
}

/// The rate and the debt of the whole queue, or of one flow.
#[derive(Debug, Clone, Copy, Default)]
struct Share {
    rate: f64,
    heard: Time,
    pending_bits: f64,
    debt: f64,
}

impl Share {
    /// Counts an arrival; those at one instant are taken together.
    fn count(&mut self, size: Bytes, now: Time, averaging: f64) {
        self.pending_bits += size.bits() as f64;
        if now > self.heard {
            let gap = now.since(self.heard).as_s();
            let kept = libm::exp(-gap / averaging);
            self.rate = (1.0 - kept) * (self.pending_bits / gap) + kept * self.rate;
            self.pending_bits = 0.0;
            self.heard = now;
        }
    }

    /// Adds `p` to the debt; true if it has come to a packet.
    fn owes(&mut self, p: f64) -> bool {
        /// A sum of n times 1/n must come to 1 on the n-th, whatever the rounding.
        const ROUNDING: f64 = 1e-9;
        if p == 0.0 {
            self.debt = 0.0;
            return false;
        }
        self.debt += p;
        let owes = self.debt >= 1.0 - ROUNDING;
        if owes {
            self.debt -= 1.0;
        }
        owes
    }
}

/// The flows heard of lately.
#[derive(Debug, Default)]
struct Flows {
    shares: BTreeMap<u64, Share>,
    next_sweep: Time,
}

impl Flows {
    /// Forgets the silent ones, once per `window`.
    fn sweep(&mut self, now: Time, window: Span) {
        if now >= self.next_sweep {
            self.shares
                .retain(|_, share| now.since(share.heard) <= window);
            self.next_sweep = now + window;
        }
    }

    fn of(&mut self, flow: u64, now: Time) -> &mut Share {
        self.shares.entry(flow).or_insert(Share {
            heard: now,
            ..Share::default()
        })
    }
}

impl<P> Eqm<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A utilisation, time constant or drain time of zero, both `queue_only` and `rate_only`, or
    /// automatic lengths without a limit.
    pub fn new(params: &Params, _preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        if params.utilization.0 == 0.0 {
            return Err(ParamFault::new(
                "utilization",
                0,
                "a number above 0 and at most 1",
            ));
        }
        time_above_zero("averaging", params.averaging)?;
        time_above_zero("tau", params.tau)?;
        if params.queue_only && params.rate_only {
            let allowed = "false where queue_only is true";
            return Err(ParamFault::new("rate_only", true, allowed));
        }
        let capacity = params.limit.on(link);
        Ok(Self {
            capacity,
            q_ref: length("q_ref", params.q_ref, 0.3, capacity, link)?,
            q_min: length("q_min", params.q_min, 0.1, capacity, link)?,
            rate: link.rate.as_f64(),
            queue: Fifo::default(),
            all: Share::default(),
            flows: Flows::default(),
            prob: 0.0,
            params: params.clone(),
        })
    }
}

/// The length given, or `part` of the limit.
fn length(
    name: &'static str,
    given: Auto<Threshold>,
    part: f64,
    capacity: Capacity,
    link: &LinkInfo,
) -> Result<Length, ParamFault> {
    match (given, capacity) {
        (Auto::Given(Threshold(length)), _) => Ok(length.on(link)),
        (Auto::Auto, Capacity::Packets(limit)) => Ok(Length::Packets(part * limit as f64)),
        (Auto::Auto, Capacity::Bytes(limit)) => Ok(Length::Bytes(part * limit as f64)),
        (Auto::Auto, Capacity::Unlimited) => {
            let allowed = "a queue length such as \"15 packets\" where limit is \"none\"";
            Err(ParamFault::new(name, "\"auto\"", allowed))
        }
    }
}

/// How far what waits, in packets of that mean size, stands above `length`, in bits; below zero if
/// it is shorter.
fn above(length: Length, waiting: Backlog, mean: f64) -> f64 {
    match length {
        Length::Packets(length) => (waiting.packets as f64 - length) * mean * 8.0,
        Length::Bytes(length) => (waiting.bytes.as_f64() - length) * 8.0,
        Length::Time(_) | Length::Bdp(_) => unreachable!("made packets or bytes for the link"),
    }
}

impl<P: Packet> Eqm<P> {
    /// What may be let in, in bit/s, while so much waits, in packets of that mean size.
    fn admissible(&self, waiting: Backlog, mean: f64) -> f64 {
        let wanted = self.params.utilization.0 * self.rate;
        if self.params.rate_only {
            return wanted;
        }
        let excess = above(self.q_ref, waiting, mean) / self.params.tau.as_s();
        (wanted - excess).clamp(0.0, self.rate)
    }

    /// Whether to shed this arrival, which has been counted.
    fn sheds(&mut self, packet: &P, ctx: &mut AdmissionContext<'_>) -> bool {
        let params = &self.params;
        let size = packet.size().as_f64();
        let waiting = ctx.waiting;
        let mean = match waiting.packets {
            0 => size,
            packets => waiting.bytes.as_f64() / packets as f64,
        };
        let mut admissible = self.admissible(waiting, mean);
        let mut rate = self.all.rate;
        if params.per_flow {
            admissible /= self.flows.shares.len() as f64;
            rate = self.flows.of(packet.flow(), ctx.now).rate;
        }
        if params.queue_only {
            rate = self.rate;
        }
        let short = above(self.q_min, waiting, mean) < 0.0;
        self.prob = if short || rate <= admissible {
            0.0
        } else {
            (1.0 - admissible / rate).clamp(0.0, params.p_max.0)
        };
        let p = if params.bytes {
            (self.prob * size / mean).min(1.0)
        } else {
            self.prob
        };
        if params.randomised {
            return ctx.random.chance(p);
        }
        let share = if params.per_flow {
            self.flows.of(packet.flow(), ctx.now)
        } else {
            &mut self.all
        };
        share.owes(p)
    }
}

impl<P: Packet> Discipline<P> for Eqm<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let admission = self.admit(&packet, &mut ctx.admission(self.queue.backlog()));
        ctx.apply(admission, packet, |packet| self.queue.push(packet));
    }

    fn decides_at_enqueue(&self) -> bool {
        true
    }

    fn admit(&mut self, packet: &P, ctx: &mut AdmissionContext<'_>) -> Admission {
        let (size, now) = (packet.size(), ctx.now);
        let averaging = self.params.averaging;
        self.all.count(size, now, averaging.as_s());
        if self.params.per_flow {
            self.flows.sweep(now, averaging);
            let share = self.flows.of(packet.flow(), now);
            share.count(size, now, averaging.as_s());
        }
        let Backlog { packets, bytes } = ctx.waiting;
        if !self.capacity.admits(packets, bytes, size) {
            return Admission::Drop(Reason::Overlimit);
        }
        if !self.sheds(packet, ctx) {
            return Admission::Admit;
        }
        let marking = self.params.ecn && self.prob < self.params.mark_limit.0;
        Admission::signal(packet, marking, Reason::Unforced)
    }

    fn dequeue(&mut self, _ctx: &mut Context<'_, P>) -> Dequeued<P> {
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
        self.all = Share::default();
        self.flows = Flows::default();
        self.prob = 0.0;
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.rate = link.rate.as_f64();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        show("rate", ProbeValue::Number(self.all.rate));
        show("prob", ProbeValue::Number(self.prob));
        show("debt", ProbeValue::Number(self.all.debt));
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        match name {
            "rate" => self.all.rate = value,
            "debt" => self.all.debt = value,
            _ => return false,
        }
        true
    }
}
