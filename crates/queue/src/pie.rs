//! PIE: drops arrivals with a probability that a controller of the queueing delay sets.
//!
//! R. Pan, P. Natarajan, F. Baker, G. White, "Proportional Integral Controller Enhanced (PIE)", RFC
//! 8033, 2017.
//!
//! Every `t_update` the drop probability p is updated:
//!
//! 1. It changes by `alpha` (delay - target) + `beta` (delay - previous delay), divided by 2048,
//!    512, 128, 32, 8 or 2 if p is below 1e-6, 1e-5, 1e-4, 1e-3, 1e-2 or 0.1, and by 1 otherwise.
//! 2. Once p is 0.1 or more it rises by at most 0.02 in an update: `cap_drop`, an option of section
//!    5.5.
//! 3. If the delay was zero at this update and the last, p is reduced by 2 %.
//!
//! An arrival is dropped with probability p. It is never dropped:
//!
//! - while a burst allowance lasts; the allowance, `max_burst`, is given whenever p is zero and
//!   both the delay and the previous delay are below half the target;
//! - while the delay at the last update was below half the target and p is below 0.2;
//! - while no more than two mean packets wait.
//!
//! **Reference**: the RFC, with room for 1000 packets and a mean packet of 1000 bytes, which the
//! RFC leaves open.
//!
//! - The delay is the sojourn time of the last packet that left, or zero if that packet left the
//!   queue empty. The zero is as in Linux and ns-3; appendix A keeps the last sojourn time.
//! - With `dequeue_rate_estimator` the delay is the backlog over the departure rate, which is
//!   measured over `dequeue_threshold` bytes. The packet that begins a measurement counts, as in
//!   section 5.2 of the RFC; in appendix B it does not. The rate is computed from the bytes that
//!   were counted, not from the threshold. The measured times are averaged with weight 1/4.
//! - With `derandomize`, nothing is dropped until the probabilities of the arrivals since the last
//!   drop add up to 0.85, and an arrival is certainly dropped when they add up to 8.5. About p /
//!   1.85 of all arrivals are then dropped, and the control loop settles at a higher p. The sum is
//!   reset by a drop, also by one for lack of room, and by a mark. For a mark that was certain (at
//!   8.5), appendix B can be read both ways.
//! - With `ecn`, ECN-capable packets are marked instead of dropped while p is below
//!   `mark_threshold`.
//!
//! **Linux** (`sch_pie`):
//!
//! - Drops are derandomized: always in the kernel, here if `derandomize` is set.
//! - The first update is after 0.5 s. The others follow every `t_update`, rounded up to jiffies
//!   (`hz`), and are one jiffy late: every 16 ms instead of 15 ms at 1000 Hz, every 30 ms at 100
//!   Hz.
//! - p rises by 0.02 more at every update with a delay above 250 ms.
//! - The exemption below half the target tests the current delay, not that at the last update.
//! - A mean packet is the largest packet; arrivals are exempt while less than two of them wait.
//! - The burst allowance is given at updates and is reduced by the time between departures.
//! - p decays by 1/64, and not while packets wait.
//! - p is not bounded by 1. In a flood it continues to rise, and afterwards it takes as long to
//!   fall again.
//! - Packets are marked while p is at most, not below, `mark_threshold`.
//! - The departure rate, not the time, is averaged, with weight 1/8, in integers that are coarse
//!   below some 10 Mbit/s ([`crate::parts::departure_rate`]).
//! - A mark that was certain (at 8.5) does not reset the sum of derandomization.
//!
//! **ns-3** (`PieQueueDisc`):
//!
//! - The room is 25 packets, too few for 15 ms above 20 Mbit/s.
//! - The burst allowance begins with the first arrival and is renewed after 1.5 s with delays below
//!   half the target; while it lasts p stays at zero.
//! - With a limit in packets, two packets instead of two mean packets are exempt. With a limit in
//!   bytes, the probability is proportional to the packet's size.
//! - The departure rate is averaged with weight 1/2.
//! - The sum of derandomization is reset by drops and not by marks.
//!
//! **ns-2**: ns-2.35 has no PIE; its preset is the reference.

use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Probability, Span, Time, params,
};

pub mod controller;

use self::controller::PieController;
use crate::parts::Fifo;
use crate::parts::mistakes::{self, Exempt};
use crate::parts::pie_law::{PieLaw, PieState};
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason, Warning};

params! {
    /// Parameters of PIE.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "1000 packets", Ns3 = "25 packets";
        /// Target queueing delay.
        target: Span = "15 ms";
        /// Time between two updates of the probability.
        t_update: Span = "15 ms";
        /// Burst allowance: how long nothing is dropped after the queue has been idle.
        max_burst: Span = "150 ms";
        /// Gain of the difference between the delay and the target, per second.
        alpha: f64 = "0.125";
        /// Gain of the change of the delay since the last update, per second.
        beta: f64 = "1.25";
        /// Size of a typical packet: nothing is dropped while no more than two of them wait.
        /// Automatic: 1000 bytes; the largest packet under Linux's preset.
        mean_packet: Auto<Bytes> = "auto";
        /// Whether the drop probability is proportional to the packet's size. Automatic: true under
        /// ns-3's preset with a limit in bytes, else false.
        bytes: Auto<bool> = "auto";
        /// Whether the probability rises by at most 0.02 in an update once it is 0.1 or more.
        cap_drop: bool = "true";
        /// Whether to space drops by accumulated probability.
        derandomize: bool = "false", Linux = "true";
        /// Whether to estimate the delay from the departure rate instead of the last packet's
        /// sojourn time.
        dequeue_rate_estimator: bool = "false";
        /// Bytes over which the departure rate is measured; a measurement begins only while at
        /// least as many bytes wait.
        dequeue_threshold: Bytes = "16384 B";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
        /// Probability from which ECN-capable packets are dropped instead of marked.
        mark_threshold: Probability = "0.1";
        /// Delay at which PIE is switched on; it is switched off when the probability and the delay
        /// are back to zero (ns-3).
        active_threshold: Optional<Span> = "none";
        /// Sojourn time above which packets of scalable senders are marked, with `l4s`.
        ce_threshold: Optional<Span> = "none";
        /// Whether packets of scalable senders, ECT(1) and CE, are only marked, according to
        /// `ce_threshold`.
        l4s: bool = "false";
        /// Clock ticks per second of the Linux kernel; only Linux's preset has this parameter.
        hz: u32 = "1000";
    }
}

/// A PIE queue.
#[derive(Debug)]
pub struct Pie<P> {
    capacity: Capacity,
    controller: PieController,
    queue: Fifo<P>,
    state: PieState,
    link: LinkInfo,
}

impl<P> Pie<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A period, a mean packet or a measurement of nothing; a negative gain.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let controller = PieController::new(params, preset, link)?;
        Ok(Self {
            capacity: params.limit.on(link),
            state: controller.law.state(),
            controller,
            queue: Fifo::default(),
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
            PieLaw::on_overflow(&mut self.state);
            return ctx.drop(packet, Reason::Overlimit);
        }
        if let Some(packet) = (self.controller.law).arrival(&mut self.state, packet, waiting, ctx) {
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
            (self.controller.law).departure(&mut self.state, head, left, ctx);
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
        self.state = self.controller.law.state();
        self.controller.reset();
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.controller.next_update())
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        if self.controller.advance(ctx.now) {
            let waiting = self.queue.backlog();
            self.controller.law.update(&mut self.state, waiting);
        }
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.link = *link;
        self.controller.on_link(link);
    }

    fn warnings(&self) -> Vec<Warning> {
        mistakes::target(
            self.controller.law.target,
            Exempt::LessThanTwo,
            self.capacity,
            &self.link,
        )
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.state.probe(show);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        self.state.poke(name, value)
    }
}
