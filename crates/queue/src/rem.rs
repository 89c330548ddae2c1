//! REM: random exponential marking; a price based on input rate and queue length sets the
//! probability.
//!
//! S. Athuraliya, V. H. Li, S. H. Low, Q. Yin, "REM: Active Queue Management", IEEE Network 15(3),
//! 2001.
//!
//! Every `interval` T the price and the drop probability are updated:
//!
//! ```text
//! rate  = (1 - inw) rate + inw arrivals
//! price = max(0, price + gamma (rate + alpha (q - target) - T C))
//! prob  = 1 - phi^-price
//! ```
//!
//! All quantities are in packets of `mean_packet` bytes, and T C is what the link sends in an
//! interval. The prices of successive links add up in the exponent. In equilibrium the input rate
//! is C and the queue is at `target`. The price moves slowly: a price of 1 means a probability of
//! 0.1 %, and an overload of 12 % raises the price by `gamma` x 0.12 C per second, with C in
//! packets per second; with the defaults, this is 0.3 per second at 10 Mbit/s. As the queue grows,
//! the price rises faster.
//!
//! **Reference**:
//!
//! - The input is measured in bytes, so that packets of another size than `mean_packet` cause no
//!   bias.
//! - Only admitted packets count as input, as in the reduced form of the paper, where the change of
//!   the queue length represents the excess of the input. If dropped arrivals counted, no
//!   unresponsive load could ever be balanced.
//! - The queue is counted in the unit of `target`.
//! - `gamma`, `alpha`, `phi`, `target` and `interval` are those of ns-2; the mean packet is 500
//!   bytes.
//! - Packets are marked or dropped on arrival.
//!
//! **ns-2** (`REM`, ns-2.35):
//!
//! - The limit is 50 packets, of which 49 may wait (with `bytes`: one byte less than the limit in
//!   packets of `mean_packet`).
//! - Without `bytes` packets are counted, and the link is assumed to send packets of 1000 bytes, so
//!   that with packets of 500 bytes the price rises as soon as the input is above half the rate of
//!   the link.
//! - Dropped arrivals count as input.
//! - With `bytes` the probability is scaled by the packet's size, and the queue is rounded down to
//!   whole packets.
//! - With `ecn` nothing is dropped early, and marks are set at the head of the queue, so that
//!   packets that are not ECN-capable are neither marked nor dropped.
//!
//! **ns-3** and **Linux** have no REM; their presets are the reference.

use sojourn_base::checks::above_zero;
use sojourn_base::length::Capacity;
use sojourn_base::{
    Bytes, Fraction, Length, Limit, LinkInfo, ParamFault, Preset, Span, Stream, Threshold, Time,
    params,
};

use crate::parts::{Fifo, check_period, mistakes};
use crate::{
    Admission, AdmissionContext, Backlog, Context, Dequeued, Discipline, Packet, ProbeValue,
    Reason, Warning,
};

params! {
    /// Parameters of REM.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "1000 packets", Ns2 = "50 packets";
        /// Gain of the price.
        gamma: f64 = "0.001";
        /// Weight of the queue relative to the rate.
        alpha: f64 = "0.1";
        /// Base of the exponential, above 1.
        phi: f64 = "1.001";
        /// Target queue length (b*; ns-2's `pbo_`).
        target: Threshold = "20 packets";
        /// Time between two updates of the price.
        interval: Span = "2 ms";
        /// Weight of the last interval in the average rate.
        inw: Fraction = "1";
        /// Size of the packets in which rates and queue lengths are measured.
        mean_packet: Bytes = "500 B", Ns2 = "1000 B";
        /// Whether to measure the input in bytes. Under ns-2's preset also whether to count the
        /// queue and its limit in bytes and to scale the probability by size.
        bytes: bool = "true", Ns2 = "false";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
    }
}

/// A REM queue.
#[derive(Debug)]
pub struct Rem<P> {
    params: Params,
    ns2: bool,
    capacity: Capacity,
    /// Whether `target` was given as bytes, a time or BDP.
    target_in_bytes: bool,
    target: f64,
    /// Mean packets that the link sends in an interval.
    sent: f64,
    queue: Fifo<P>,
    price: f64,
    prob: f64,
    rate: f64,
    /// Input of this interval: packets, or bytes.
    input: u64,
    next_update: Time,
}

fn per_interval(params: &Params, link: &LinkInfo) -> f64 {
    params.interval.as_s() * link.rate.packets_per_s(params.mean_packet)
}

impl<P> Rem<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A gain below zero, a base of 1 or less, an interval below 1 us, a mean packet of nothing.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let mean = params.mean_packet;
        if params.gamma <= 0.0 {
            return Err(ParamFault::new("gamma", params.gamma, "a number above 0"));
        }
        if params.alpha < 0.0 {
            return Err(ParamFault::new(
                "alpha",
                params.alpha,
                "a number of 0 or more",
            ));
        }
        if params.phi <= 1.0 {
            return Err(ParamFault::new("phi", params.phi, "a number above 1"));
        }
        check_period("interval", params.interval)?;
        above_zero("mean_packet", mean)?;
        let ns2 = preset == Preset::Ns2;
        let capacity = match params.limit.on(link) {
            Capacity::Packets(limit) if ns2 && params.bytes => {
                Capacity::Bytes(limit * mean.get() - 1)
            }
            Capacity::Packets(limit) if ns2 => Capacity::Packets(limit - 1),
            Capacity::Bytes(limit) if ns2 => Capacity::Bytes(limit - 1),
            capacity => capacity,
        };
        let Threshold(target) = params.target;
        Ok(Self {
            ns2,
            capacity,
            target_in_bytes: !matches!(target, Length::Packets(_)),
            target: target.in_packets(mean, link),
            sent: per_interval(params, link),
            queue: Fifo::default(),
            price: 0.0,
            prob: 0.0,
            rate: 0.0,
            input: 0,
            next_update: Time::ZERO + params.interval,
            params: params.clone(),
        })
    }
}

impl<P: Packet> Rem<P> {
    fn in_packets(&self, waiting: Backlog) -> f64 {
        let mean = self.params.mean_packet;
        if self.ns2 && self.params.bytes {
            (waiting.bytes.get() / mean.get()) as f64
        } else if self.target_in_bytes {
            waiting.bytes.as_f64() / mean.as_f64()
        } else {
            waiting.packets as f64
        }
    }

    /// Moves the price, if that is due.
    fn update(&mut self, waiting: Backlog, now: Time) {
        if now < self.next_update {
            return;
        }
        self.next_update += self.params.interval;
        let params = &self.params;
        let input = if params.bytes {
            self.input as f64 / params.mean_packet.as_f64()
        } else {
            self.input as f64
        };
        let inw = params.inw.0;
        self.rate = (1.0 - inw) * self.rate + inw * input;
        let excess = self.in_packets(waiting) - self.target;
        let mismatch = self.rate + params.alpha * excess - self.sent;
        self.price = (self.price + params.gamma * mismatch).max(0.0);
        self.prob = probability(params.phi, self.price);
        self.input = 0;
    }

    fn count(&mut self, size: Bytes) {
        self.input += if self.params.bytes { size.get() } else { 1 };
    }

    /// Whether packets are marked when they leave.
    fn marks_at_head(&self) -> bool {
        self.ns2 && self.params.ecn
    }

    fn chosen(&self, size: Bytes, random: &mut Stream) -> bool {
        let scale = if self.ns2 && self.params.bytes {
            size.as_f64() / self.params.mean_packet.as_f64()
        } else {
            1.0
        };
        random.chance(self.prob * scale)
    }
}

fn probability(phi: f64, price: f64) -> f64 {
    -libm::expm1(-price * libm::log(phi))
}

impl<P: Packet> Discipline<P> for Rem<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let admission = self.admit(&packet, &mut ctx.admission(self.queue.backlog()));
        ctx.apply(admission, packet, |packet| self.queue.push(packet));
    }

    fn decides_at_enqueue(&self) -> bool {
        !self.marks_at_head()
    }

    /// Out of line, so that the packet stays in one piece, for store forwarding (see the engine's
    /// `SimPacket`).
    #[inline(never)]
    fn admit(&mut self, packet: &P, ctx: &mut AdmissionContext<'_>) -> Admission {
        let size = packet.size();
        if self.ns2 {
            self.count(size);
        }
        let Backlog { packets, bytes } = ctx.waiting;
        if !self.capacity.admits(packets, bytes, size) {
            return Admission::Drop(Reason::Overlimit);
        }
        let admission = if !self.marks_at_head() && self.chosen(size, ctx.random) {
            Admission::signal(packet, self.params.ecn, Reason::Unforced)
        } else {
            Admission::Admit
        };
        if !self.ns2 && !admission.is_drop() {
            self.count(size);
        }
        admission
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        if self.marks_at_head()
            && let Some(size) = self.queue.head().map(Packet::size)
            && self.chosen(size, ctx.random)
            && let Some(head) = self.queue.head_mut()
            && head.ecn().is_capable()
        {
            head.set_ce();
            ctx.sink.marked(head, Reason::Unforced);
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
        self.price = 0.0;
        self.prob = 0.0;
        self.rate = 0.0;
        self.input = 0;
        self.next_update = Time::ZERO + self.params.interval;
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.next_update)
    }

    fn tick(&mut self, ctx: &mut AdmissionContext<'_>) {
        self.update(ctx.waiting, ctx.now);
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        self.update(self.queue.backlog(), ctx.now);
    }

    /// What the link sends per interval, and a target in time or BDP, follow the link, except
    /// under the preset of ns-2, which computes them once.
    fn on_link(&mut self, link: &LinkInfo) {
        if self.ns2 {
            return;
        }
        let Threshold(target) = self.params.target;
        self.sent = per_interval(&self.params, link);
        self.target = target.in_packets(self.params.mean_packet, link);
    }

    fn warnings(&self) -> Vec<Warning> {
        let mean = self.params.mean_packet;
        let room = mistakes::capacity_bytes(self.capacity, mean) / mean.as_f64();
        mistakes::reference(room, self.target)
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        show("price", ProbeValue::Number(self.price));
        show("prob", ProbeValue::Number(self.prob));
        show("rate", ProbeValue::Number(self.rate));
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        match name {
            "price" => {
                self.price = value.max(0.0);
                self.prob = probability(self.params.phi, self.price);
            }
            "prob" => self.prob = value,
            "rate" => self.rate = value,
            _ => return false,
        }
        true
    }
}
