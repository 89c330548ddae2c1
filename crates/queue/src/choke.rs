//! CHOKe: RED that compares each arrival with a queued packet, and drops both if they belong to the
//! same flow.
//!
//! R. Pan, B. Prabhakar, K. Psounis, "CHOKe, A Stateless Active Queue Management Scheme for
//! Approximating Fair Bandwidth Allocation", IEEE INFOCOM 2000.
//!
//! When the average queue length is above `min_th`, one packet of the queue is drawn at random
//! (`candidates` draws more than one). If it belongs to the flow of the arrival, both are dropped;
//! they are never marked. Otherwise RED decides on the arrival ([`crate::red`]). Flows are told
//! apart by addresses and ports. The packet being transmitted is not drawn.
//!
//! A flow that fills a share h of the queue thus loses about h of its arrivals and as many queued
//! packets. One unresponsive flow among many responsive ones gets at most 1/(1 + e) = 27 % of the
//! link (A. Tang, J. Wang, S. Low, 2004).
//!
//! **Reference**: the paper, with RED's `min_th` 5, `max_th` 15, `w_q` 0.002 and `max_p` 1/50, all
//! in packets, and room for 1000 packets.
//!
//! **Linux** (`sch_choke`):
//!
//! - RED is computed in integers ([`crate::parts::linux_red`]), in packets.
//! - Automatic parameters: `max_th` is a quarter of the limit, `min_th` is a third of `max_th`, and
//!   `burst` is (2 `min_th` + `max_th`) / 3.
//! - With `ecn` packets are marked above `max_th` too.
//! - The kernel draws from an array in which packets that were dropped leave empty places. After
//!   three draws of such places it takes the packet at the head; here every draw finds a packet.
//!   Its array has room for the next power of two above the limit, empty places included. If a
//!   burst fills that, the kernel loses count of its packets, and from then on holds some that
//!   never leave (seen with a limit of 30 packets).
//!
//! ns-2.35 and ns-3 have no CHOKe here; their presets are the reference.

use core::cmp::Ordering;

use sojourn_base::checks::above_zero;
use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Fraction, Length, Limit, LinkInfo, ParamFault, ParamSet, Preset, Probability,
    Threshold, Time, params,
};

use crate::parts::ecn::mark_or_drop;
use crate::parts::red_law::RedMark;
use crate::parts::{Fifo, mistakes};
use crate::red;
use crate::red::average::{self, Average};
use crate::red::estimate::{Arrival, Estimate};
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason, Warning};

params! {
    /// Parameters of CHOKe.
    pub struct Params {
        /// Largest queue, in packets; the packet being transmitted is not counted.
        limit: Limit = "1000 packets";
        /// Average queue length above which arrivals are compared and dropped early.
        min_th: Auto<Threshold> = "5 packets", Linux = "auto";
        /// Average queue length from which every arrival is dropped.
        max_th: Auto<Threshold> = "15 packets", Linux = "auto";
        /// RED's probability at `max_th`.
        max_p: Probability = "0.02";
        /// Weight of an arrival in the average.
        w_q: Auto<Fraction> = "0.002", Linux = "auto";
        /// Number of packets drawn for comparison.
        candidates: u32 = "1";
        /// Size of a typical packet: the unit of idle time.
        mean_packet: Bytes = "500 B", Linux = "1000 B";
        /// Whether to mark ECN-capable packets that the RED part would drop.
        ecn: bool = "false";
        /// Number of packets of a burst that pass without a drop, for Linux's automatic `w_q`.
        burst: Auto<u32> = "auto";
    }
}

/// A CHOKe queue.
#[derive(Debug)]
pub struct Choke<P> {
    capacity: Capacity,
    params: Params,
    red_params: red::Params,
    preset: Preset,
    average: Average,
    queue: Fifo<P>,
    idle_since: Option<Time>,
}

fn linux(params: &red::Params, capacity: Capacity, link: &LinkInfo) -> Result<Average, ParamFault> {
    let mean = params.mean_packet;
    let length = |Threshold(length)| libm::floor(length.in_packets(mean, link));
    let max = match (params.max_th.given(), capacity) {
        (Some(max), _) => length(max),
        (None, Capacity::Packets(limit)) => (limit / 4) as f64,
        (None, _) => {
            let found = "\"auto\" without a limit";
            return Err(ParamFault::new("max_th", found, "a queue length"));
        }
    };
    let min = params.min_th.given().map_or(libm::floor(max / 3.0), length);
    let law = average::linux(min, max, (mean.as_f64(), "packets"), params, link)?;
    Ok(Average::Linux(Box::new(law)))
}

impl<P> Choke<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// Thresholds out of order, a mean packet of nothing, a limit that is not in packets; under
    /// Linux's preset a weight that it cannot have.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let mean = params.mean_packet;
        above_zero("mean_packet", mean)?;
        if !matches!(params.limit, Limit(None | Some(Length::Packets(_)))) {
            let allowed = "packets such as \"100 packets\", or \"none\"";
            return Err(ParamFault::new("limit", params.limit, allowed));
        }
        let capacity = params.limit.on(link);
        let red_params = red::Params {
            limit: params.limit,
            min_th: params.min_th,
            max_th: params.max_th,
            max_p: params.max_p,
            w_q: params.w_q,
            bytes: Auto::Given(false),
            mean_packet: mean,
            ecn: params.ecn,
            hard_drop: preset != Preset::Linux,
            burst: params.burst,
            ..red::Params::defaults(Preset::Reference)
        };
        let average = if preset == Preset::Linux {
            linux(&red_params, capacity, link)?
        } else {
            Average::Real(Estimate::new(&red_params, preset, link, false)?)
        };
        Ok(Self {
            capacity,
            params: params.clone(),
            red_params,
            preset,
            average,
            queue: Fifo::default(),
            idle_since: Some(Time::ZERO),
        })
    }
}

impl<P: Packet> Choke<P> {
    /// Takes the arrival into the average; true if that is above `min_th`.
    fn observe(&mut self, size: Bytes, now: Time) -> bool {
        let idle_since = self.idle_since.take();
        let waiting = self.queue.len();
        match &mut self.average {
            Average::Real(law) => {
                law.observe(&Arrival {
                    now,
                    size,
                    queue: waiting as f64,
                    idle: idle_since.map(|since| now.since(since)),
                });
                law.avg > law.slope.min
            }
            Average::Linux(law) => {
                law.observe(Bytes::new(waiting as u64), idle_since, now);
                law.zone() != Ordering::Less
            }
        }
    }

    /// The place of a queued packet of this flow, if one is drawn.
    fn draw(&self, flow: u64, ctx: &mut Context<'_, P>) -> Option<usize> {
        if self.queue.is_empty() {
            return None;
        }
        (0..self.params.candidates).find_map(|_| {
            let place = ctx.random.below(self.queue.len() as u64) as usize;
            let met = self.queue.get(place)?;
            (met.flow() == flow).then_some(place)
        })
    }

    fn action(&mut self, ctx: &mut Context<'_, P>) -> RedMark {
        match &mut self.average {
            Average::Real(law) => {
                let u = ctx.random.uniform();
                law.decide(&self.red_params, 1.0, u)
            }
            Average::Linux(law) => match law.zone() {
                Ordering::Less => RedMark::None,
                Ordering::Equal => law.band(ctx.random),
                Ordering::Greater => {
                    law.set_count(-1);
                    RedMark::Hard
                }
            },
        }
    }
}

impl<P: Packet> Discipline<P> for Choke<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let mut packet = packet;
        if self.observe(packet.size(), ctx.now) {
            if let Some(place) = self.draw(packet.flow(), ctx) {
                if let Some(met) = self.queue.remove(place) {
                    ctx.drop(met, Reason::Match);
                }
                return ctx.drop(packet, Reason::Match);
            }
            let (reason, marks) = match self.action(ctx) {
                RedMark::None => (None, false),
                RedMark::Prob => (Some(Reason::Unforced), self.params.ecn),
                RedMark::Hard => {
                    let marks = self.params.ecn && !self.red_params.hard_drop;
                    (Some(Reason::Forced), marks)
                }
            };
            if let Some(reason) = reason {
                let Some(marked) = mark_or_drop(packet, marks, reason, ctx) else {
                    return;
                };
                packet = marked;
            }
        } else {
            self.average.forget();
        }
        let Backlog { packets, bytes } = self.queue.backlog();
        if self.capacity.admits(packets, bytes, packet.size()) {
            self.queue.push(packet);
        } else {
            self.average.overflow();
            ctx.drop(packet, Reason::Overlimit);
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

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn reset(&mut self) {
        self.queue.clear();
        self.idle_since = Some(Time::ZERO);
        self.average.reset(self.params.max_p.0);
    }

    /// Thresholds and the length of a packet time follow the link; Linux's tables are made once.
    fn on_link(&mut self, link: &LinkInfo) {
        (self.average).follow(&self.red_params, self.preset, link, false);
    }

    fn warnings(&self) -> Vec<Warning> {
        let (min, max) = self.average.thresholds();
        let room = mistakes::capacity_bytes(self.capacity, Bytes::new(1));
        mistakes::thresholds(room, min, max, max)
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        show("avg", ProbeValue::Number(self.average.avg()));
        show("count", ProbeValue::Number(self.average.count()));
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        match name {
            "avg" => self.average.set_avg(value),
            "count" => self.average.set_count(value, self.params.mean_packet),
            _ => return false,
        }
        true
    }
}
