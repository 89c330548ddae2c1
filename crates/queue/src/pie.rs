//! PIE: drops arrivals by a probability that a controller of the queueing delay sets.
//!
//! R. Pan, P. Natarajan, F. Baker, G. White, "Proportional Integral Controller Enhanced (PIE)",
//! RFC 8033, 2017. Every `t_update` the probability changes by `alpha` (delay - target) + `beta`
//! (delay - delay before), divided by 2048, 512, 128, 32, 8, 2 or 1 as it stands below 1e-6,
//! 1e-5, ... 0.1 or above, and once at 0.1 rising by no more than 0.02; two updates without delay
//! make it 2 % less. An arrival is dropped with it, except while a burst allowance lasts, while the
//! delay at the last update was below half the target and the probability below 0.2, and while no
//! more than two mean packets wait. The allowance of `max_burst` is given whenever the
//! probability is zero and the delay, now and before, below half the target.
//!
//! **Reference**: the RFC. The delay is the sojourn of the last packet that left, zero if it left
//! the queue empty, or with `dequeue_rate_estimator` the backlog at the departure rate, measured
//! over `dequeue_threshold` bytes as in its appendix B, the times averaged with weight 1/4. With
//! `derandomize` nothing is dropped until the probabilities of arrivals since the last drop sum to
//! 0.85, and one surely at 8.5: about p / 1.85 of all are dropped then, and the loop settles at a
//! higher p. With `ecn` ECN-capable packets are marked while the probability is below
//! `mark_threshold`. Room for 1000 packets; a mean packet of 1000 bytes, which the RFC leaves open.
//! ns-2.35 has no PIE.
//!
//! **Linux** (`sch_pie`): derandomized always; the first update after 0.5 s, then every `t_update`
//! rounded up to jiffies (`hz`) and one jiffy late: 16 ms instead of 15 at 1000 Hz, 30 at 100 Hz; 2
//! % more at every update with a delay above 250 ms; the exemption looks at the delay now; a mean
//! packet is the largest, of which two must wait in full; the allowance, given at updates, runs
//! down by the time between departures; the decay is 1/64, and none while something waits; the
//! probability is not held to 1: under a flood it goes on rising, and takes as long to come down
//! again; marks up to and with `mark_threshold`; the measured rate is averaged, with weight 1/8;
//! the memory of derandomization is lost at the limit, but kept by a mark that was due.
//!
//! **ns-3** (`PieQueueDisc`): room for 25 packets, too few for 15 ms above 20 Mbit/s; the allowance
//! begins with the first arrival and comes back after 1.5 s of calm, and no probability builds up
//! meanwhile; with a limit in packets two packets, not two mean packets, are exempt, with one in
//! bytes drops go by size; the rate is averaged with weight 1/2.

use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Probability, Span, Time, params,
};

use crate::parts::pie_law::{PieLaw, PieState, linux_period};
use crate::parts::{Fifo, mistakes};
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason, Warning};

params! {
    /// Parameters of PIE.
    pub struct Params {
        /// Most that may wait, in packets or bytes; the packet being sent is not counted.
        limit: Limit = "1000 packets", Ns3 = "25 packets";
        /// Queueing delay aimed at.
        target: Span = "15 ms";
        /// Time between two updates of the probability.
        t_update: Span = "15 ms";
        /// Time without drops after the queue has been idle.
        max_burst: Span = "150 ms";
        /// Gain of the distance from the target, per second.
        alpha: f64 = "0.125";
        /// Gain of the change of the delay, per second.
        beta: f64 = "1.25";
        /// Size of a typical packet: two of them are never dropped from. Automatic: 1000 bytes,
        /// under Linux's preset the largest packet.
        mean_packet: Auto<Bytes> = "auto";
        /// Whether to drop in proportion to a packet's size. Automatic: under ns-3's preset with a
        /// limit in bytes, else not.
        bytes: Auto<bool> = "auto";
        /// Whether the probability rises by no more than 2 % a step once at 10 %.
        cap_drop: bool = "true";
        /// Whether to space drops by accumulated probability.
        derandomize: bool = "false", Linux = "true";
        /// Whether to estimate the delay by the departure rate, not by the last packet's sojourn.
        dequeue_rate_estimator: bool = "false";
        /// Bytes over which the departure rate is measured, and that must wait for it.
        dequeue_threshold: Bytes = "16384 B";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
        /// Probability from which they are dropped all the same.
        mark_threshold: Probability = "0.1";
        /// Delay that switches PIE on; it goes off again when the queue has come to rest (ns-3).
        active_threshold: Optional<Span> = "none";
        /// With `l4s`, sojourn above which packets of scalable senders are marked.
        ce_threshold: Optional<Span> = "none";
        /// Whether packets of scalable senders, ECT(1) and CE, are only marked, by `ce_threshold`.
        l4s: bool = "false";
        /// Clock ticks a second of the Linux kernel; no other preset has it.
        hz: u32 = "1000";
    }
}

/// A PIE queue.
#[derive(Debug)]
pub struct Pie<P> {
    capacity: Capacity,
    law: PieLaw,
    /// As given: it follows the link where it was not.
    mean_packet: Auto<Bytes>,
    first_update: Time,
    period: Span,
    queue: Fifo<P>,
    state: PieState,
    next_update: Time,
    link: LinkInfo,
}

/// The mean packet of a link where none is given.
pub(crate) fn mean_packet(given: Auto<Bytes>, preset: Preset, link: &LinkInfo) -> Bytes {
    match given {
        Auto::Given(bytes) => bytes,
        Auto::Auto if preset == Preset::Linux => link.largest(preset),
        Auto::Auto => Bytes::new(1000),
    }
}

/// When the first update is due, and the time from each to the next.
pub(crate) fn schedule(t_update: Span, hz: u32, preset: Preset) -> (Time, Span) {
    if preset == Preset::Linux {
        let period = linux_period(t_update, hz);
        return (Time::ZERO + Span::from_ms(500), period);
    }
    (Time::ZERO + t_update, t_update)
}

impl<P> Pie<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A period, a mean packet or a measurement of nothing; a negative gain.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let capacity = params.limit.on(link);
        let in_bytes = matches!(capacity, Capacity::Bytes(_));
        let law = PieLaw {
            preset,
            target: params.target,
            t_update: params.t_update,
            max_burst: params.max_burst,
            alpha: params.alpha,
            beta: params.beta,
            mean_packet: mean_packet(params.mean_packet, preset, link),
            bytes: match params.bytes {
                Auto::Given(bytes) => bytes,
                Auto::Auto => preset == Preset::Ns3 && in_bytes,
            },
            floor_in_packets: preset == Preset::Ns3 && !in_bytes,
            cap: params.cap_drop,
            derandomize: params.derandomize,
            estimator: params.dequeue_rate_estimator,
            threshold: params.dequeue_threshold,
            ecn: params.ecn,
            mark_threshold: params.mark_threshold.0,
            active_threshold: params.active_threshold.0,
            ce_threshold: params.ce_threshold.0,
            l4s: params.l4s,
        };
        law.check()?;
        let (first_update, period) = schedule(params.t_update, params.hz, preset);
        Ok(Self {
            capacity,
            state: law.state(),
            law,
            mean_packet: params.mean_packet,
            first_update,
            period,
            queue: Fifo::default(),
            next_update: first_update,
            link: *link,
        })
    }
}

impl<P: Packet> Discipline<P> for Pie<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let waiting = self.queue.backlog();
        if !self
            .capacity
            .admits(waiting.packets, waiting.bytes, packet.size())
        {
            self.law.refused(&mut self.state);
            return ctx.drop(packet, Reason::Overlimit);
        }
        if let Some(packet) = self.law.arrival(&mut self.state, packet, waiting, ctx) {
            self.queue.push(packet);
        }
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        let waiting = self.queue.backlog();
        if let Some(head) = self.queue.head_mut() {
            let left = Backlog {
                packets: waiting.packets - 1,
                bytes: waiting.bytes - head.size(),
            };
            self.law.departure(&mut self.state, head, left, ctx);
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
        self.state = self.law.state();
        self.next_update = self.first_update;
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.next_update)
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        if ctx.now >= self.next_update {
            self.next_update += self.period;
            let waiting = self.queue.backlog();
            self.law.update(&mut self.state, waiting);
        }
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.link = *link;
        self.law.mean_packet = mean_packet(self.mean_packet, self.law.preset, link);
    }

    fn warnings(&self) -> Vec<Warning> {
        mistakes::target(self.law.target, self.capacity, &self.link)
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.state.probe(show);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        self.state.poke(name, value)
    }
}
