//! CAKE: a shaper, priority tins, queues fair to hosts and flows, COBALT in each, and an ACK
//! filter.
//!
//! T. Hoiland-Jorgensen, D. Taht, J. Morton, "Piece of CAKE: A Comprehensive Queue Management
//! Solution for Home Gateways", IEEE LANMAN 2018; Linux's `sch_cake` and `tc-cake(8)`. The
//! parameters have the same names as in `tc-cake(8)`. In order from the link to the packet, the
//! parts are:
//!
//! - **Shaper.** With a `bandwidth` each packet advances a clock by the time that its cost takes at
//!   this rate, and the next packet is sent when the time of the clock is reached. There is no
//!   token bucket, and therefore no burst. The cost of a packet is its size plus `overhead`, at
//!   least `mpu`, and then rounded up to ATM or PTM cells; `framing` names usual combinations. With
//!   `ingress` dropped packets are charged too, since the bottleneck before this link has carried
//!   them; but a second clock may let the next packet go earlier. Each packet sent advances this
//!   clock by one and a half times its cost, and dropped packets do not advance it, so that two
//!   thirds of the bandwidth are sent however many packets are dropped.
//! - **Tins** by DSCP (`diffserv`). Each tin has a share of the bandwidth. Tins that take no more
//!   than their share are served first, those with higher numbers before the others; of the tins
//!   above their share, the one that is due earliest is served. The shares determine the order of
//!   service and do not limit any tin. Bulk has 1/16, video 1/2, voice 1/4, and best effort the
//!   whole; the eight classes have decreasing powers of 7/8. Without a bandwidth the tins are
//!   served in turn by these weights.
//! - **Queues**: each tin has `flows` of them, selected by a salted 8-way set-associative hash, so
//!   that flows hardly ever share one. They are served in turn, and turns are measured by the cost
//!   of packets; flows that need less than a turn are served first. With the `dual-` modes and
//!   `triple-isolate` a flow's turn is divided by the number of busy flows of its host, so that,
//!   within a tin, hosts share fairly before their flows do.
//! - **COBALT** in each queue ([`crate::cobalt`]). Target and interval follow from `rtt` and are
//!   raised where a packet takes long to send at the tin's share: the target to at least 1.5 packet
//!   times, and the interval by the same amount and to at least twice the target. A packet that
//!   waited less than four packet times is never late. With `ingress`, a packet that waited less
//!   than two packet times for each flow that needs more than a turn is not late either. The last
//!   packet of a queue is never dropped. When the limit is exceeded, the queue with the most bytes
//!   in all tins loses packets from its head, and each of these drops counts as an overflow for the
//!   BLUE part of this queue.
//! - **ACK filter**: when an acknowledgement arrives, an older one of its connection that it makes
//!   redundant is dropped. It must carry no data; its number must be lower, or the same if the new
//!   one reports more by SACK; its time stamps must not be newer; its SACK blocks must be covered,
//!   and none may report a duplicate; and the next one behind it must have the same ECN flags. The
//!   plain filter keeps at least one redundant acknowledgement in the queue. `aggressive` does not:
//!   it also drops one that is alone, if it is right before the new one. A packet whose SACK blocks
//!   cannot be read is kept.
//!
//! **Reference**: the code of Linux (6.1 and a later version), which is that of the paper, except
//! for its integer arithmetic: here square roots are exact, and turns are divided without bias.
//!
//! **Linux** (`sch_cake`):
//!
//! - Square roots come from a table.
//! - A turn divided among n flows is the quantum times 65535/n, divided by 65536.
//! - A queue that was never used before signals its second late packet at once, since its stored
//!   root begins at zero (read from the code, not yet observed in a run of the kernel).
//! - The kernel counts the memory that it allocates, which is more than the bytes of the packets;
//!   here the bytes of the packets are counted. Between virtual interfaces a packet of 64 bytes
//!   counts as 768 and one of 1514 as 2304; with a real one it depends on the driver.
//!
//! **ns-2** and **ns-3**: ns-2.35 and ns-3 have no CAKE; their presets are the reference.
//!
//! **Left out**: `split-gso`, which has no meaning here, since packets are never bundled; `nat` and
//! `fwmark`; `wash`, since no discipline changes a packet's codepoint here; `autorate-ingress`.
//! Linux's `raw` counts a frame with its Ethernet header of 14 bytes; here that is
//! `overhead = "14 B"`. Linux's additional keyword `ether-vlan` adds 4 bytes.

mod ack_filter;
mod framing;
mod host_fairness;
mod isolation;
mod round_trip;
mod shaper;
mod tin;
mod tins;

use core::cmp::Reverse;

use sojourn_base::checks::{auto_above_zero, time_above_zero};
use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Rate, Span, Time, params,
};

pub use self::ack_filter::AckFilter;
pub use self::framing::{Cells, Framing, Overhead};
pub use self::isolation::Isolation;
pub use self::round_trip::RoundTrip;
pub use self::tins::Diffserv;

use self::framing::Charge;
use self::host_fairness::WAYS;
use self::shaper::Shaper;
use self::tin::{Common, Tin};
use crate::parts::longest::Longest;
use crate::parts::mistakes::{self, Exempt};
use crate::parts::places;
use crate::parts::probe_names::{parse_flow, prefixed};
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Warning};

params! {
    /// Parameters of CAKE.
    pub struct Params {
        /// Rate of the shaper; without one, packets are sent at the rate of the link.
        bandwidth: Optional<Rate> = "none";
        /// Tins, and which DSCP goes to which tin.
        diffserv: Diffserv = "diffserv3";
        /// What has a queue of its own, and between whom capacity is shared fairly.
        isolation: Isolation = "triple-isolate";
        /// Expected round-trip time: COBALT's interval.
        rtt: RoundTrip = "internet";
        /// Acceptable sojourn time of a packet. Automatic: a twentieth of `rtt`.
        target: Auto<Span> = "auto";
        /// Largest total queue of all tins, in packets or bytes (Linux's `memlimit`). Automatic:
        /// four times what the bandwidth carries in `rtt`, from 4 MiB to 10240 packets of the
        /// largest size; the latter without a bandwidth.
        limit: Auto<Limit> = "auto";
        /// Link layer below: sets `overhead`, `mpu` and `cells`.
        framing: Framing = "raw";
        /// Bytes added to the size of each packet.
        overhead: Auto<Overhead> = "auto";
        /// Smallest cost of a packet, in bytes.
        mpu: Auto<Bytes> = "auto";
        /// Cells in which packets are sent.
        cells: Auto<Cells> = "auto";
        /// Whether dropped packets are charged to the shaper too.
        ingress: bool = "false";
        /// Whether redundant acknowledgements are dropped.
        ack_filter: AckFilter = "no";
        /// Whether to mark ECN-capable packets that the CoDel part would drop; Linux always does.
        ecn: bool = "true";
        /// Number of queues in each tin: a multiple of 8.
        flows: u32 = "1024";
        /// Bytes that a flow may send in a turn. Automatic: what the tin's share carries in 1/4096
        /// s, from 300 to 1514 bytes; the latter without a bandwidth.
        quantum: Auto<Bytes> = "auto";
    }
}

/// A CAKE queue.
#[derive(Debug)]
pub struct Cake<P> {
    capacity: Capacity,
    diffserv: Diffserv,
    isolation: Isolation,
    target: Span,
    shaper: Shaper,
    tins: Vec<Tin<P>>,
    /// What waits in all of them.
    backlog: Backlog,
    /// The tin whose turn it is, where no shaper orders them.
    turn: usize,
    /// Queues in the order in which they were first used, with their tins.
    seen: Vec<(usize, u32)>,
    /// The queue with most bytes, by its place among these.
    longest: Longest<(Bytes, Reverse<u32>)>,
    salt: Option<u64>,
    link: LinkInfo,
}

/// The limit where none is given.
fn automatic_limit(bandwidth: Option<Rate>, interval: Span, largest: u64) -> Capacity {
    let most = 10_240 * largest;
    let wanted = |rate: Rate| ((4.0 * rate.bytes_in(interval)) as u64).max(4 << 20);
    Capacity::Bytes(bandwidth.map_or(most, wanted).min(most))
}

impl<P: Packet> Cake<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A round-trip time or a quantum of nothing; queues that are not a multiple of 8.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let interval = params.rtt.0;
        time_above_zero("rtt", interval)?;
        auto_above_zero("quantum", params.quantum)?;
        let flows = places("flows", params.flows)?;
        if !flows.is_multiple_of(WAYS) {
            let allowed = format!("a multiple of {WAYS}");
            return Err(ParamFault::new("flows", flows, allowed));
        }
        let bandwidth = params.bandwidth.0;
        let served = LinkInfo {
            rate: bandwidth.unwrap_or(link.rate),
            ..*link
        };
        let capacity = match params.limit {
            Auto::Given(limit) => limit.on(&served),
            Auto::Auto => automatic_limit(bandwidth, interval, link.largest(preset).get()),
        };
        let common = Common {
            preset,
            flows,
            isolation: params.isolation,
            ack_filter: params.ack_filter,
            quantum: params.quantum.given(),
            target: params.target.given().unwrap_or(params.rtt.target()),
            interval,
            ecn: params.ecn,
        };
        let charge = Charge::new(params.framing, params.overhead, params.mpu, params.cells);
        let tin = |number| {
            let share = bandwidth.map(|rate| params.diffserv.threshold(number, rate));
            Tin::new(common, share, params.diffserv.weight(number))
        };
        let tins = (0..params.diffserv.tins()).map(tin);
        let mut made = Self {
            capacity,
            diffserv: params.diffserv,
            isolation: params.isolation,
            target: common.target,
            shaper: Shaper::new(bandwidth, charge, params.ingress),
            tins: tins.collect::<Result<_, _>>()?,
            backlog: Backlog::default(),
            turn: 0,
            seen: Vec::new(),
            longest: Longest::default(),
            salt: None,
            link: *link,
        };
        made.on_link(link);
        Ok(made)
    }

    /// The tin to serve; one has packets.
    fn choose(&mut self, now: Time) -> usize {
        if self.shaper.rate().is_none() {
            return self.choose_by_turn();
        }
        let mut best = (Span::from_ps(u64::MAX), 0);
        for (number, tin) in self.tins.iter().enumerate() {
            let wait = tin.clock.next().since(now);
            if tin.is_busy() && wait <= best.0 {
                best = (wait, number);
            }
        }
        best.1
    }

    fn choose_by_turn(&mut self) -> usize {
        loop {
            let tin = &mut self.tins[self.turn];
            if tin.is_busy() && tin.deficit >= 0 {
                return self.turn;
            }
            if tin.deficit <= 0 {
                tin.deficit += tin.weight;
            }
            self.turn = (self.turn + 1) % self.tins.len();
        }
    }

    /// Takes a packet from the queue with most bytes.
    fn drop_from_longest(&mut self, ctx: &mut Context<'_, P>) {
        let length = |place: u32| {
            let (tin, bucket) = self.seen[place as usize];
            (self.tins[tin].queued(bucket), Reverse(place))
        };
        if let Some(place) = self.longest.first(0..self.seen.len() as u32, length) {
            let (tin, bucket) = self.seen[place as usize];
            let tin = &mut self.tins[tin];
            tin.counted_in(&mut self.backlog, |tin| {
                tin.drop_head(bucket, &mut self.shaper, ctx);
            });
        }
    }
}

impl<P: Packet> Discipline<P> for Cake<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let number = self.diffserv.tin(packet.dscp());
        let is_empty = self.backlog.packets == 0;
        let tin = &mut self.tins[number];
        if tin.backlog().packets == 0 {
            tin.clock.wake(ctx.now);
        }
        if is_empty {
            self.shaper.wake(ctx.now);
        }
        let salt = *self.salt.get_or_insert_with(|| ctx.random.bits());
        let keys = self.isolation.keys(&packet, salt);
        let (bucket, is_first) = tin.counted_in(&mut self.backlog, |tin| {
            tin.enqueue(packet, &keys, &mut self.shaper, ctx)
        });
        if is_first {
            tin.set_place(bucket, self.seen.len() as u32);
            self.seen.push((number, bucket));
        }
        let place = tin.place(bucket);
        self.longest
            .grew(place, || (tin.queued(bucket), Reverse(place)));
        while !self
            .capacity
            .holds(self.backlog.packets, self.backlog.bytes)
        {
            self.drop_from_longest(ctx);
        }
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        let mut decaying = true;
        loop {
            if self.backlog.packets == 0 {
                return Dequeued::Empty;
            }
            if let Some(until) = self.shaper.wait(ctx.now) {
                return Dequeued::Wait(until);
            }
            let number = self.choose(ctx.now);
            let tin = &mut self.tins[number];
            let sent = tin.counted_in(&mut self.backlog, |tin| {
                tin.serve(&mut decaying, &mut self.shaper, ctx)
            });
            if let Some(packet) = sent {
                return Dequeued::Packet(packet);
            }
        }
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn reset(&mut self) {
        self.tins.iter_mut().for_each(Tin::reset);
        self.backlog = Backlog::default();
        self.shaper.reset();
        self.turn = 0;
        self.seen.clear();
        self.longest.clear();
        self.salt = None;
    }

    fn on_link(&mut self, link: &LinkInfo) {
        for tin in &mut self.tins {
            tin.on_link(link);
        }
        self.link = *link;
    }

    fn warnings(&self) -> Vec<Warning> {
        let Some(rate) = self.shaper.rate() else {
            return mistakes::target(self.target, Exempt::Last, self.capacity, &self.link);
        };
        if rate <= self.link.rate {
            return Vec::new();
        }
        let what = "the rate is above the link's: the link shapes, not this".to_owned();
        vec![Warning {
            param: "bandwidth",
            what,
        }]
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        for (number, tin) in self.tins.iter().enumerate() {
            tin.probe(&mut prefixed(format!("tin[{number}]."), show));
        }
        show("next_packet", ProbeValue::Number(self.shaper.next().as_s()));
        show("flows_active", ProbeValue::Number(self.seen.len() as f64));
    }

    fn flow_queues(&self) -> usize {
        self.seen.len()
    }

    fn flow_queue_of(&self, packet: &P, came_to: Option<usize>) -> Option<usize> {
        if came_to.is_some() {
            return came_to;
        }
        let tin = self.diffserv.tin(packet.dscp());
        let bucket = self.tins[tin].queue_of(&self.isolation.keys(packet, self.salt?));
        self.seen.iter().position(|&seen| seen == (tin, bucket))
    }

    fn waiting_in(&self, k: usize) -> usize {
        let (tin, bucket) = self.seen[k];
        self.tins[tin].waiting_in(bucket)
    }

    fn probe_flow(&self, k: usize, show: &mut dyn FnMut(&str, ProbeValue)) {
        let (tin, bucket) = self.seen[k];
        self.tins[tin].probe_flow(bucket, show);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        let Some((k, name)) = parse_flow(name) else {
            return false;
        };
        match self.seen.get(k) {
            Some(&(tin, bucket)) => self.tins[tin].poke_flow(bucket, name, value),
            None => false,
        }
    }
}
