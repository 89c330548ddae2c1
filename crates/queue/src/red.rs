//! RED: random early detection; drops by the average queue length, before the buffer is full.
//!
//! S. Floyd, V. Jacobson, "Random Early Detection Gateways for Congestion Avoidance", IEEE/ACM ToN
//! 1(4), 1993; S. Floyd's note on the gentle variant, 2000.
//!
//! Each arrival updates the average queue length, `avg = (1 - w_q) avg + w_q q`, where `q` is the
//! queue before the arrival. The average sets the drop probability p:
//!
//! - below `min_th` nothing is dropped;
//! - from `min_th` to `max_th` p rises linearly to `max_p`;
//! - from `max_th` on every arrival is dropped. With `gentle`, p instead rises from `max_p` to 1 at
//!   twice `max_th`.
//!
//! Drops are spread out: while p is constant the gap between two drops is uniform on 1 to 1/p, or
//! with `wait` on 1/p to 2/p - 1. An idle time of m packet times (of `mean_packet` bytes at the
//! rate of the link) is counted as m arrivals that found an empty queue. It begins when a dequeue
//! finds the queue empty.
//!
//! With `ecn` and `no_drop` the average drops nothing: where it asks for a mark, a packet that is
//! not ECN-capable gets in as it is, and only an arrival that finds no room is dropped. Where
//! `hard_drop` or `use_mark_p` ask for a drop instead of a mark, that stays one.
//!
//! Equal thresholds make a step. With a `w_q` of 1, `ecn`, and neither `gentle` nor `hard_drop`,
//! every arrival that finds a queue at or above the threshold is marked, as in the example of RFC
//! 8257, section 3.1, with the arrival counted.
//!
//! **Reference**: the paper, with the values of its simulations: `min_th` 5, `max_th` 15, `w_q`
//! 0.002 and `max_p` 1/50; neither `gentle` nor `wait`; limit 1000 packets, mean packet 500 bytes.
//!
//! - An arrival that finds no room is dropped whatever the average.
//! - In byte mode (`bytes`; automatic: if the limit is in bytes, time or BDP) the queue is counted
//!   in bytes. Thresholds in packets stand for `mean_packet` bytes per packet; the limit keeps its
//!   own unit. The probability is scaled by the packet's size before drops are spread, as in the
//!   paper. Current advice is against a probability that depends on the size (RFC 7141, section
//!   2.2; RFC 7567, section 4.4).
//! - With `ecn` and `hard_drop` arrivals above the ramp are dropped, not marked, as RFC 3168
//!   (section 7) recommends at a high average.
//! - `"auto"` sets `min_th` to what the link sends in half of `target_delay`, and at least to 5
//!   packets of `mean_packet` bytes, `max_th` to 3 `min_th`, and `w_q` to 1 - exp(-1/c), where c is
//!   the rate of the link in mean packets per second (Floyd, Gummadi, Shenker 2001).
//! - `nonlinear` is the variant of K. Zhou, K. L. Yeung, V. O. K. Li, Computer Networks 50, 2006.
//!   Between the thresholds p is 1.5 `max_p` times the square of the relative distance from
//!   `min_th` to `max_th`, so that its mean over the range is that of RED. Above `max_th` every
//!   arrival is dropped; with `gentle`, which ns-3 allows, p falls back to `max_p` there.
//!
//! **ns-2** (`RED`, ns-2.35):
//!
//! - Byte mode and automatic parameters are the default, but the automatic `w_q` is 1 - exp(-1/(10
//!   r c)) with r = max(0.1 s, 3 (delay + 1/c)). The rate and the delay that the link has at first
//!   are used throughout.
//! - A limit and thresholds in packets are multiplied by `mean_packet`. The arrival that crosses
//!   the limit is still admitted.
//! - `use_mark_p`: there are no forced drops, and packets are marked only while p is below
//!   `mark_p`.
//! - There is no early drop while at most one packet (in byte mode, one byte) is queued.
//! - The first packet is exempt whenever the average has risen above `min_th`.
//! - The count of packets since the last drop includes the arrival, so that without `wait` the gap
//!   is at most 1/p - 1.
//! - The probability is scaled by size after drops are spread.
//! - Idle times are rounded down to whole packets, and the arrival that ends one updates the
//!   average too.
//!
//! **ns-3** (`RedQueueDisc`): as ns-2, except for byte mode, automatic parameters, the limit and
//! `use_mark_p`.
//!
//! **Linux** (`sch_red`):
//!
//! - The queue is counted in bytes, and all arithmetic is in integers
//!   ([`crate::parts::linux_red`]).
//! - The automatic `max_th` is 3 `min_th`, or a quarter of the limit if `min_th` is automatic too;
//!   `min_th` is then a third of `max_th`.
//! - The automatic `w_q` is the power of two that lets `burst` packets pass.
//! - It is never gentle.
//! - With `ecn` packets are marked above `max_th` too, unless `hard_drop` is set (`harddrop` in
//!   `tc`; `no_drop` is `nodrop`).
//! - The idle table is computed from the rate of the link.
//! - `tc` requires limit and avpkt; the defaults of 400 kB and 1000 B are those of this simulator.

use sojourn_base::checks::above_zero;
use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Fraction, Limit, LinkInfo, ParamFault, Preset, Probability, Quantity, Span,
    Threshold, Time, params,
};

pub(crate) mod average;
pub(crate) mod estimate;

use self::average::{Average, AverageState};
use self::estimate::{Arrival, Estimate};
use crate::parts::linux_red::LinuxRed;
use crate::parts::red_adapt::Adaptation;
use crate::parts::red_law::RedMark;
use crate::parts::{Fifo, Room, mistakes};
use crate::{
    Admission, AdmissionContext, Backlog, Context, Dequeued, Discipline, Packet, ProbeValue,
    Reason, Warning,
};

params! {
    /// Parameters of RED.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "1000 packets", Linux = "400 kB", Ns3 = "25 packets", Ns2 = "50 packets";
        /// Average queue length from which packets are dropped early.
        min_th: Auto<Threshold> = "5 packets", Linux = "auto", Ns2 = "auto";
        /// Average queue length at which the probability reaches `max_p`.
        max_th: Auto<Threshold> = "15 packets", Linux = "auto", Ns2 = "auto";
        /// Drop probability at `max_th`.
        max_p: Probability = "0.02", Ns2 = "0.1";
        /// Weight of an arrival in the average.
        w_q: Auto<Fraction> = "0.002", Linux = "auto", Ns2 = "auto";
        /// Whether the probability rises from `max_p` to 1 between `max_th` and twice `max_th`.
        gentle: bool = "false", Ns3 = "true", Ns2 = "true";
        /// Whether the probability rises with the square of the average, to 1.5 `max_p` (nonlinear
        /// RED). Linux has no such option.
        nonlinear: bool = "false";
        /// Whether to wait for about 1/p packets after each drop.
        wait: bool = "false", Ns3 = "true", Ns2 = "true";
        /// Whether to count the queue in bytes and to drop in proportion to a packet's size.
        /// Automatic: if the limit is in bytes, time or BDP.
        bytes: Auto<bool> = "auto", Linux = "true", Ns2 = "true";
        /// Size of a typical packet: the unit of idle time, and of lengths in packets where the
        /// queue is counted in bytes.
        mean_packet: Bytes = "500 B", Linux = "1000 B";
        /// Whether to mark ECN-capable packets instead of dropping them early.
        ecn: bool = "false";
        /// Whether to drop packets instead of marking them while the average is at or above the
        /// hard threshold (`max_th`; with `gentle`, twice `max_th`).
        hard_drop: bool = "true", Linux = "false";
        /// Whether packets that are not ECN-capable get in where others are marked, so that only
        /// marks and the limit are left. It needs `ecn`.
        no_drop: bool = "false";
        /// Whether to mark only while the probability is below `mark_p`, and to let the probability
        /// alone decide above the hard threshold.
        use_mark_p: bool = "false", Ns2 = "true";
        /// Probability from which ECN-capable packets are dropped, with `use_mark_p`.
        mark_p: Probability = "0.1";
        /// Target queueing delay; the automatic `min_th` is half of it.
        target_delay: Span = "5 ms";
        /// Number of packets of a burst that pass without a drop, for Linux's automatic `w_q`.
        /// Automatic: (2 `min_th` + `max_th`) / (3 `mean_packet`).
        burst: Auto<u32> = "auto";
    }
}

/// A RED queue.
#[derive(Debug)]
pub struct Red<P> {
    params: Params,
    preset: Preset,
    room: Room,
    in_bytes: bool,
    average: Average,
    queue: Fifo<P>,
    idle_since: Option<Time>,
}

/// The kernel's average and what it is compared with.
pub(crate) fn linux(params: &Params, link: &LinkInfo) -> Result<LinuxRed, ParamFault> {
    let mean = params.mean_packet;
    above_zero("mean_packet", mean)?;
    let length = |Threshold(length)| libm::floor(length.in_bytes(mean, link));
    let (min, max) = match (params.min_th.given(), params.max_th.given()) {
        (Some(min), Some(max)) => (length(min), length(max)),
        (Some(min), None) => (length(min), 3.0 * length(min)),
        (None, max) => {
            let quarter = match params.limit.on(link) {
                Capacity::Bytes(limit) => Some((limit / 4) as f64),
                Capacity::Packets(limit) => Some((limit * mean.get() / 4) as f64),
                Capacity::Unlimited => None,
            };
            let max = max.map(length).or(quarter).ok_or_else(|| {
                ParamFault::new("max_th", "\"auto\" without a limit", Threshold::ALLOWED)
            })?;
            (libm::floor(max / 3.0), max)
        }
    };
    average::linux(min, max, (1.0, "B"), params, link)
}

impl<P> Red<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// Thresholds out of order, a mean packet of nothing, `no_drop` without `ecn`; under Linux's
    /// preset a weight that is no power of two or a burst that no weight lets pass.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        if params.no_drop && !params.ecn {
            return Err(ParamFault::new("no_drop", "true", "false without ecn"));
        }
        let mean = params.mean_packet;
        above_zero("mean_packet", mean)?;
        let capacity = params.limit.on(link);
        let in_bytes = match params.bytes {
            Auto::Given(bytes) => bytes,
            Auto::Auto => matches!(capacity, Capacity::Bytes(_)),
        };
        Ok(Self {
            average: if preset == Preset::Linux {
                Average::Linux(Box::new(linux(params, link)?))
            } else {
                Average::Real(Estimate::new(params, preset, link, in_bytes)?)
            },
            params: params.clone(),
            preset,
            room: Room::of(capacity, preset, in_bytes, mean, link),
            in_bytes,
            queue: Fifo::default(),
            idle_since: Some(Time::ZERO),
        })
    }
}

/// What adaptive RED reads and sets.
impl<P> Red<P> {
    /// Lets `adaptation` move `max_p` at arrivals.
    pub(crate) fn adapts_at_arrivals(&mut self, adaptation: Adaptation) {
        self.average.adapts_at_arrivals(adaptation);
    }

    /// The average at `now`, and what it is compared with.
    pub(crate) fn state(&self, now: Time) -> AverageState {
        self.average
            .state(self.idle_since.map(|since| now.since(since)))
    }

    /// Sets the probability at `max_th`.
    pub(crate) fn set_max_p(&mut self, max_p: f64) {
        self.average.set_max_p(max_p);
    }
}

impl<P: Packet> Red<P> {
    /// What the average says of a packet of `size`.
    #[inline]
    fn action(&mut self, size: Bytes, ctx: &mut AdmissionContext<'_>) -> RedMark {
        let AdmissionContext { now, waiting, .. } = *ctx;
        let idle_since = self.idle_since.take();
        let law = match &mut self.average {
            Average::Real(law) => law,
            Average::Linux(law) => {
                return law.arrival(waiting.bytes, idle_since, now, ctx.random);
            }
        };
        let queue = if self.in_bytes {
            waiting.bytes.as_f64()
        } else {
            // A processor makes a float of a signed number at once, of another in many steps.
            waiting.packets.cast_signed() as f64
        };
        let arrival = Arrival {
            now,
            size,
            queue,
            idle: idle_since.map(|since| now.since(since)),
        };
        // One draw per arrival, so that the stream does not depend on the average.
        let u = ctx.random.uniform();
        let share = self
            .in_bytes
            .then(|| size.as_f64() / self.params.mean_packet.as_f64());
        match self.preset {
            Preset::Reference => {
                law.observe(&arrival);
                law.decide(&self.params, share.unwrap_or(1.0), u)
            }
            preset => law.by_ns(arrival, &self.params, share, u, preset),
        }
    }

    /// Whether marks are wanted for early drops.
    fn marks_early(&self) -> bool {
        let params = &self.params;
        let is_low = |prob: f64| !params.use_mark_p || prob < params.mark_p.0;
        params.ecn && self.average.prob().is_none_or(is_low)
    }

    /// Whether marks are wanted while the average is above the hard threshold.
    fn marks_hard(&self) -> bool {
        self.params.ecn && !self.params.hard_drop
    }

    /// Congestion is signalled on `packet`, by a mark where `marking` is wanted.
    #[inline]
    fn signal(&self, packet: &P, marking: bool, reason: Reason) -> Admission {
        if self.params.no_drop && marking && !packet.ecn().is_capable() {
            return Admission::Admit;
        }
        Admission::signal(packet, marking, reason)
    }

    /// Decides on an arriving packet by the average, and by the room that there is.
    #[inline]
    fn decide(&mut self, packet: &P, ctx: &mut AdmissionContext<'_>) -> Admission {
        let size = packet.size();
        let admission = match self.action(size, ctx) {
            RedMark::None => Admission::Admit,
            RedMark::Prob => self.signal(packet, self.marks_early(), Reason::Unforced),
            RedMark::Hard => self.signal(packet, self.marks_hard(), Reason::Forced),
        };
        // ns-2 lets a full buffer overrule the average.
        if !self.room.admits(ctx.waiting, size)
            && (!admission.is_drop() || self.preset == Preset::Ns2)
        {
            self.overflow();
            return Admission::Drop(Reason::Overlimit);
        }
        if !admission.is_drop() {
            self.room.took(size);
        }
        admission
    }

    fn overflow(&mut self) {
        if matches!(self.preset, Preset::Reference | Preset::Ns2) {
            self.average.overflow();
        }
    }
}

impl<P: Packet> Discipline<P> for Red<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let admission = self.decide(&packet, &mut ctx.admission(self.queue.backlog()));
        ctx.apply(admission, packet, |packet| self.queue.push(packet));
    }

    fn decides_at_enqueue(&self) -> bool {
        true
    }

    fn admit(&mut self, packet: &P, ctx: &mut AdmissionContext<'_>) -> Admission {
        self.tick(ctx);
        let admission = self.decide(packet, ctx);
        // A link that stays free asks again, and finds nothing.
        if ctx.free_since.is_some() && admission.is_drop() {
            self.idle_since = Some(ctx.now);
        }
        admission
    }

    /// Learns since when the link has been free.
    fn tick(&mut self, ctx: &mut AdmissionContext<'_>) {
        if let Some(since) = ctx.free_since {
            self.idle_since.get_or_insert(since);
        }
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        if self.queue.is_empty() {
            self.idle_since.get_or_insert(ctx.now);
        }
        self.queue.dequeue()
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn warnings(&self) -> Vec<Warning> {
        let (min, max) = self.average.thresholds();
        let hard = self.average.hard_threshold();
        let mean = self.params.mean_packet;
        let room = mistakes::capacity_bytes(self.room.limit(), mean);
        let is_linux = matches!(self.average, Average::Linux(_));
        let unit = if is_linux || self.in_bytes {
            1.0
        } else {
            mean.as_f64()
        };
        let hard = if self.params.use_mark_p { max } else { hard };
        mistakes::thresholds(room / unit, min, max, hard)
    }

    fn capacity(&self) -> Capacity {
        self.room.capacity()
    }

    fn reset(&mut self) {
        self.queue.clear();
        self.idle_since = Some(Time::ZERO);
        self.average.reset(self.params.max_p.0);
    }

    /// Thresholds and the length of a packet time follow the link, except under the presets of
    /// ns-2 and ns-3, which compute them once.
    fn on_link(&mut self, link: &LinkInfo) {
        if !matches!(self.preset, Preset::Ns2 | Preset::Ns3) {
            (self.average).follow(&self.params, self.preset, link, self.in_bytes);
        }
    }

    /// In byte mode the average is shown with its unit too.
    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        let mut number = |name, value| show(name, ProbeValue::Number(value));
        number("max_p", self.average.max_p());
        number("count", self.average.count());
        if let Some(prob) = self.average.prob() {
            number("prob", prob);
        }
        let avg = self.average.avg();
        number("avg", avg);
        if self.in_bytes {
            number("avg_bytes", avg);
        }
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        match name {
            "avg" => self.average.set_avg(value),
            "max_p" => self.average.set_max_p(value),
            "count" => self.average.set_count(value, self.params.mean_packet),
            _ => return false,
        }
        true
    }
}
