//! SFB: stochastic fair BLUE; flows are hashed to bins that each learn a drop probability.
//!
//! W. Feng, D. Kandlur, D. Saha, K. Shin, "Stochastic Fair Blue", IEEE INFOCOM 2001.
//!
//! There is one queue, and `levels` rows of `bins`. Each bin counts its waiting packets and has a
//! drop probability. For each arrival:
//!
//! 1. The flow is hashed to one bin in each row.
//! 2. Those of its bins that hold more than `bin_size` packets raise their probability by
//!    `increment`; empty ones lower it by `decrement`.
//! 3. The arrival is dropped, or with `ecn` marked, with the lowest probability of its bins.
//!
//! A flow whose lowest probability is 1 is treated as unresponsive. All such flows together may
//! send `penalty_rate` packets per second, from a token bucket of `penalty_burst` packets. A
//! responsive flow among m unresponsive ones is mistaken for an unresponsive one with probability
//! (1 - (1 - 1/bins)^m)^levels. Every `rehash` a second set of bins with another salt takes over,
//! which has already learned about unresponsive flows for `warmup`.
//!
//! **Reference**: the paper's 2 rows of 23 bins of 13 packets and room for 200 packets (from
//! memory, not verified), with the increments, the penalty and the times of the Linux kernel, which
//! the paper leaves open.
//!
//! **Linux** (`sch_sfb`):
//!
//! - There are 8 rows of 16 bins.
//! - A bin is full at, not above, 20 packets (`bin_size`). An arrival whose emptiest bin holds
//!   `max`, 25 packets, is dropped. If only one of the two is given the other follows from it, as
//!   in `tc`.
//! - An arrival above the limit is dropped before its bins are updated.
//! - A set that has been in use gets a new salt and keeps its probabilities.
//! - Probabilities are held in 16 bits. `tc` always sets steps of 33 up and 3 down; the kernel's
//!   own would be 66 and 11.
//! - Above a probability of 1/2 a growing part of the signals are drops even for ECN-capable
//!   packets; at 1 all of them are.
//! - Each packet that the penalty box refuses restarts the wait for the next token, so that a flow
//!   that sends more than `penalty_rate` gets nothing after its burst. The wait is counted in
//!   jiffies (`hz`): from a `penalty_rate` of `hz` on each jiffy brings tokens, however many
//!   packets come in it.
//!
//! **ns-2** and **ns-3**: ns-2.35 and ns-3 have no SFB; their presets are the reference.

use std::collections::VecDeque;

use sojourn_base::checks::not_negative;
use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Limit, LinkInfo, Optional, ParamFault, Preset, Probability, Span, Stream, Time, params,
};

use crate::parts::Fifo;
use crate::parts::ecn::mark_or_drop;
use crate::parts::hash::salted_bucket;
use crate::parts::places;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason};

params! {
    /// Parameters of SFB.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "200 packets", Linux = "1000 packets";
        /// Number of rows of bins, at most 16.
        levels: u32 = "2", Linux = "8";
        /// Number of bins in a row.
        bins: u32 = "23", Linux = "16";
        /// Number of packets at which a bin is full. Automatic: four fifths of `max`, or 20.
        bin_size: Auto<u32> = "13", Linux = "auto";
        /// Number of packets in the emptiest bin of an arrival from which the arrival is dropped.
        /// Automatic: five quarters of `bin_size`.
        max: Auto<Optional<u32>> = "none", Linux = "auto";
        /// What a full bin adds to its drop probability.
        increment: Probability = "0.0010070954", Linux = "0.00050354772";
        /// What an empty bin subtracts from its drop probability.
        decrement: Probability = "0.00016784924", Linux = "0.000045777066";
        /// Time between two changes of the set of bins; zero for never.
        rehash: Span = "600 s";
        /// How long before a change the other set of bins begins to learn.
        warmup: Span = "60 s";
        /// Packets per second that all unresponsive flows together may send.
        penalty_rate: f64 = "10";
        /// Largest number of packets that these flows may send at once.
        penalty_burst: f64 = "20";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false", Linux = "true";
        /// Clock ticks per second of the Linux kernel; only Linux's preset has this parameter.
        hz: u32 = "1000";
    }
}

/// Picoseconds in a second.
const PS_PER_S: u128 = 1_000_000_000_000;

#[derive(Debug, Clone, Copy, Default)]
struct Bin {
    packets: u32,
    prob: f64,
}

/// One set of rows under one salt.
#[derive(Debug)]
struct Set {
    salt: u64,
    bins: Vec<Bin>,
}

/// A stochastic fair BLUE queue.
#[derive(Debug)]
pub struct Sfb<P> {
    capacity: Capacity,
    linux: bool,
    params: Params,
    bin_size: u32,
    max: Option<u32>,
    sets: [Set; 2],
    /// The set in use.
    used: usize,
    /// Whether salts have been drawn.
    salted: bool,
    queue: Fifo<P>,
    /// Under which salt each waiting packet is counted in each set, if it is.
    counted: VecDeque<[Option<u64>; 2]>,
    salt_changed: Time,
    /// Tokens of the penalty box, and when they were counted.
    tokens: f64,
    refilled: Time,
}

impl<P> Sfb<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// More than 16 rows, or a penalty below zero.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        if params.levels > 16 {
            return Err(ParamFault::new("levels", params.levels, "1 to 16"));
        }
        for (name, value) in [
            ("penalty_rate", params.penalty_rate),
            ("penalty_burst", params.penalty_burst),
        ] {
            not_negative(name, value)?;
        }
        let bins = places("bins", params.bins)?;
        let set = || Set {
            salt: 0,
            bins: vec![Bin::default(); params.levels as usize * bins],
        };
        // tc's roundings.
        let size_for = |max: Option<u32>| max.map_or(20, |max| (4 * u64::from(max) + 3) / 5);
        let max_for = |size: u32| u32::try_from((5 * u64::from(size) + 1) / 4).unwrap_or(u32::MAX);
        let (bin_size, max) = match (params.bin_size.given(), params.max.given()) {
            (Some(size), Some(max)) => (size, max.0),
            (Some(size), None) => (size, Some(max_for(size))),
            (None, Some(max)) => (size_for(max.0) as u32, max.0),
            (None, None) => (20, Some(max_for(20))),
        };
        Ok(Self {
            capacity: params.limit.on(link),
            linux: preset == Preset::Linux,
            bin_size,
            max,
            sets: [set(), set()],
            used: 0,
            salted: false,
            queue: Fifo::default(),
            counted: VecDeque::new(),
            salt_changed: Time::ZERO,
            tokens: params.penalty_burst,
            refilled: Time::ZERO,
            params: params.clone(),
        })
    }

    /// The places of a flow's bins under a salt.
    fn places(&self, salt: u64, flow: u64) -> impl Iterator<Item = usize> + use<P> {
        let bins = self.params.bins;
        (0..self.params.levels).map(move |level| {
            let salt = salt ^ (u64::from(level) + 1).wrapping_mul(0xD6E8_FEB8_6659_FD93);
            (level * bins + salted_bucket(flow, salt, bins)) as usize
        })
    }

    /// Lets a flow's bins of a set learn. Gives the least probability and the least length.
    fn learn(&mut self, set: usize, flow: u64) -> (f64, u32) {
        let (mut prob, mut packets) = (1.0_f64, u32::MAX);
        for place in self.places(self.sets[set].salt, flow) {
            let bin = &mut self.sets[set].bins[place];
            let full = if self.linux {
                bin.packets >= self.bin_size
            } else {
                bin.packets > self.bin_size
            };
            if bin.packets == 0 {
                bin.prob = (bin.prob - self.params.decrement.0).max(0.0);
            } else if full {
                bin.prob = (bin.prob + self.params.increment.0).min(1.0);
            }
            prob = prob.min(bin.prob);
            packets = packets.min(bin.packets);
        }
        (prob, packets)
    }

    /// Draws salts at first, and exchanges the sets when it is time. Gives whether the other
    /// set is to learn too.
    fn turn(&mut self, now: Time, random: &mut Stream) -> bool {
        if !self.salted {
            self.salted = true;
            self.sets[0].salt = random.bits();
            self.sets[1].salt = random.bits();
        }
        let rehash = self.params.rehash;
        if rehash == Span::ZERO {
            return false;
        }
        let gone = now.since(self.salt_changed);
        if gone > rehash {
            self.salt_changed = now;
            let old = &mut self.sets[self.used];
            old.salt = random.bits();
            if !self.linux {
                for bin in &mut old.bins {
                    bin.prob = 0.0;
                }
            }
            self.used = 1 - self.used;
        }
        now.since(self.salt_changed) > rehash - self.params.warmup
    }

    /// Whether the penalty box lets a packet through.
    fn pardons(&mut self, now: Time) -> bool {
        let is_closed = self.linux && self.params.penalty_rate == 0.0;
        if is_closed || self.tokens < 1.0 && !self.refill(now) {
            return false;
        }
        self.tokens -= 1.0;
        true
    }

    /// Puts into the bucket of the penalty box what has come since it was counted. Whether that is
    /// a token.
    fn refill(&mut self, now: Time) -> bool {
        let gone = if self.linux {
            let hz = u64::from(self.params.hz);
            let jiffies = |time: Time| u128::from(time.as_ps()) * u128::from(hz) / PS_PER_S;
            (jiffies(now) - jiffies(self.refilled)) as f64 / hz as f64
        } else {
            now.since(self.refilled).as_s()
        };
        let come = (gone.min(10.0) * self.params.penalty_rate).min(self.params.penalty_burst);
        if self.linux {
            // Whole tokens: what has come of the next is lost with each packet that asks for it.
            self.tokens = libm::floor(come);
            self.refilled = now;
        } else if come >= 1.0 {
            self.tokens = come;
            self.refilled = now;
        }
        self.tokens >= 1.0
    }
}

impl<P: Packet> Sfb<P> {
    fn count(&mut self, flow: u64, salts: [Option<u64>; 2], more: bool) {
        for (set, salt) in salts.into_iter().enumerate() {
            if let Some(salt) = salt {
                for place in self.places(salt, flow) {
                    let bin = &mut self.sets[set].bins[place];
                    bin.packets = if more {
                        bin.packets + 1
                    } else {
                        bin.packets.saturating_sub(1)
                    };
                }
            }
        }
    }

    /// Whether a signal with probability `prob` must be a drop, as Linux has it above one half.
    fn is_hard(&self, die: f64, prob: f64) -> bool {
        self.linux && prob > 0.5 && die < 2.0 * (prob - 0.5)
    }
}

impl<P: Packet> Discipline<P> for Sfb<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let Backlog { packets, bytes } = self.queue.backlog();
        let fits = self.capacity.admits(packets, bytes, packet.size());
        if self.linux && !fits {
            return ctx.drop(packet, Reason::Overlimit);
        }
        let learns = self.turn(ctx.now, ctx.random);
        let flow = packet.flow();
        let mut counted = [None; 2];
        counted[self.used] = Some(self.sets[self.used].salt);
        let (prob, emptiest) = self.learn(self.used, flow);
        if self.max.is_some_and(|max| emptiest >= max) {
            return ctx.drop(packet, Reason::Overlimit);
        }
        let packet = if prob >= 1.0 {
            if learns {
                let other = 1 - self.used;
                self.learn(other, flow);
                counted[other] = Some(self.sets[other].salt);
            }
            if !self.pardons(ctx.now) {
                return ctx.drop(packet, Reason::Penalty);
            }
            packet
        } else {
            let die = ctx.random.uniform();
            if die < prob {
                let marks = self.params.ecn && !self.is_hard(die, prob);
                let Some(marked) = mark_or_drop(packet, marks, Reason::Blue, ctx) else {
                    return;
                };
                marked
            } else {
                packet
            }
        };
        if !fits {
            return ctx.drop(packet, Reason::Overlimit);
        }
        self.count(flow, counted, true);
        self.counted.push_back(counted);
        self.queue.push(packet);
    }

    fn dequeue(&mut self, _ctx: &mut Context<'_, P>) -> Dequeued<P> {
        let (Some(packet), Some(counted)) = (self.queue.pop(), self.counted.pop_front()) else {
            return Dequeued::Empty;
        };
        self.count(packet.flow(), counted, false);
        Dequeued::Packet(packet)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn reset(&mut self) {
        self.queue.clear();
        self.counted.clear();
        for set in &mut self.sets {
            set.bins.fill(Bin::default());
        }
        self.used = 0;
        self.salted = false;
        self.salt_changed = Time::ZERO;
        self.tokens = self.params.penalty_burst;
        self.refilled = Time::ZERO;
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        let bins = &self.sets[self.used].bins;
        let most = bins.iter().map(|bin| bin.prob).fold(0.0, f64::max);
        let sum: f64 = bins.iter().map(|bin| bin.prob).sum();
        let full = bins.iter().map(|bin| bin.packets).max().unwrap_or(0);
        show("prob_max", ProbeValue::Number(most));
        show("prob_mean", ProbeValue::Number(sum / bins.len() as f64));
        show("bin_max", ProbeValue::Number(f64::from(full)));
        show("set", ProbeValue::Number(self.used as f64));
    }

    /// `prob` sets that of all bins in use.
    fn poke(&mut self, name: &str, value: f64) -> bool {
        if name != "prob" {
            return false;
        }
        for bin in &mut self.sets[self.used].bins {
            bin.prob = value;
        }
        true
    }
}
