//! SFQ: stochastic fair queueing; flows are hashed to buckets that are served in turn.
//!
//! P. E. McKenney, "Stochastic Fairness Queueing", IEEE INFOCOM 1990.
//!
//! A salted hash of the flow selects its bucket. The salt is drawn at the first arrival and changes
//! every `perturb`, so that two flows that share a bucket do not share it permanently. The buckets
//! that hold packets are served in round robin, one packet each turn.
//!
//! **Reference**: 1024 buckets, limit 1000 packets, a new salt every 10 s.
//!
//! - When the limit is exceeded, the last packet of the longest bucket is dropped; with a limit in
//!   bytes this is repeated until the rest fits. Length is measured in the unit of the limit. If
//!   several buckets are the longest, the one that reached this length last is chosen; if the
//!   bucket of the arrival is among them, it is this one, and the arrival itself is dropped.
//! - When the salt changes, all waiting packets are hashed again in order, so that no flow is ever
//!   reordered.
//!
//! With `head_drop` the first packet of a bucket goes where else its last or the arrival would, at
//! both limits: `limit`, where the longest bucket loses it, and `depth`, where the arrival takes
//! its place in its own bucket. An arrival that finds no bucket free (`flows`) is dropped all the
//! same. Such drops have the reason `head`.
//!
//! With `inner` each bucket is a discipline of its own, such as `"codel(target = 2 ms)"`, with its
//! parameters in parentheses and a limit of its own. An arrival that finds `limit` packets in all
//! buckets together is dropped, and no waiting packet is dropped in its place. The salt does not
//! change, since packets inside other disciplines cannot be hashed again.
//!
//! **Linux** (`sch_sfq`):
//!
//! - Limit 127 packets, 1024 buckets, no perturbation.
//! - A flow has at most `depth` packets (127), and an arrival above that is dropped. At most
//!   `flows` buckets (128) are in use at a time, and no more buckets than a given limit has
//!   packets. That limit is at most `depth` times `flows`.
//! - A turn is `quantum` bytes, at least 256; automatic: those of the largest packet.
//! - If no bucket holds more than one packet, the packet of the bucket whose turn is next is
//!   dropped.
//! - A flow that becomes empty loses its credit.
//! - `inner = "red(...)"` is the RED that the kernel has in each flow (`redflowlimit` in `tc`), if
//!   it has this preset too: buckets stay plain, all limits hold as without it, and `perturb` is
//!   possible. The `limit` of this RED only sets the automatic thresholds. An arrival at an empty
//!   bucket starts its average at zero and gets in; later ones get in, marked or not, or are
//!   dropped by the average of the bytes in their bucket, before `depth` is looked at. The average
//!   knows no idle time. With `head_drop` the first packet of the bucket is marked in place of the
//!   arrival if it is ECN-capable, and dropped in its place. When the salt changes, the packets
//!   that are hashed again make the averages; in the kernel an average that a former flow left may
//!   be among them.
//!
//! **ns-2** (`SFQ`, ns-2.35):
//!
//! - It ignores `limit` and has `maxqueue`, 40 packets, instead.
//! - It has 16 buckets, by source and destination address only, which are never perturbed.
//! - No waiting packet is ever dropped. An arrival is refused if its bucket holds half of the free
//!   room or more (rounded down), or if it holds more than `maxqueue / buckets` while the free room
//!   is less than `buckets`. One flow thus gets 13 packets of 40, two get 10 each, three get 8
//!   each.
//!
//! **ns-3**: it has no SFQ; its preset is the reference.

mod flow_red;

use std::collections::VecDeque;

use sojourn_base::checks::auto_above_zero;
use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Length, Limit, LinkInfo, Optional, ParamFault, Preset, Span, Stream, Time, params,
};

use self::flow_red::FlowRed;
use crate::parts::check_period;
use crate::parts::child::{Child, ChildFactory};
use crate::parts::earliest_wait::EarliestWait;
use crate::parts::flow_queue::linux_turn;
use crate::parts::hash::{ns2_bucket, salted_bucket};
use crate::parts::inner::Inner;
use crate::parts::linux_red::LinuxRed;
use crate::parts::longest::Longest;
use crate::parts::places;
use crate::parts::probe_names::parse_flow;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason, Warning};

params! {
    /// Parameters of SFQ.
    pub struct Params {
        /// Largest total queue, in packets or bytes; ns-2's preset ignores it.
        limit: Limit = "1000 packets", Linux = "127 packets", Ns2 = "none";
        /// Largest total queue under ns-2's preset, in packets (automatic: 40 packets); only that
        /// preset has this parameter.
        maxqueue: Auto<Limit> = "auto";
        /// Number of buckets.
        buckets: u32 = "1024", Ns2 = "16";
        /// Time between two changes of the salt of the hash; zero for never.
        perturb: Span = "10 s", Linux = "0 s", Ns2 = "0 s";
        /// Bytes that a bucket may send in a turn. Automatic: one packet; the bytes of the largest
        /// packet under Linux's preset.
        quantum: Auto<Bytes> = "auto";
        /// Largest number of packets in a bucket. Automatic: no limit.
        depth: Auto<u32> = "auto", Linux = "127";
        /// Largest number of buckets in use at a time. Automatic: all.
        flows: Auto<u32> = "auto", Linux = "128";
        /// Whether the oldest packet of a bucket that is too long is dropped instead of its newest
        /// or the arrival. Not under ns-2's preset, and not with `inner`, except for Linux's RED.
        head_drop: bool = "false";
        /// Discipline of each bucket.
        inner: Optional<Inner> = "none";
    }
}

/// A stochastic fair queue.
pub struct Sfq<P: Packet> {
    children: ChildFactory,
    admits: Admits,
    /// Whether a limit was given that ns-2 does not read.
    ignores_limit: bool,
    perturb: Span,
    /// Bytes of a turn; none for one packet.
    quantum: Option<i64>,
    depth: usize,
    flows: usize,
    linux: bool,
    head_drop: bool,
    /// Linux's RED in each bucket.
    red: Option<FlowRed>,
    buckets: Vec<Bucket<P>>,
    /// The buckets in use; the first is served next.
    ring: VecDeque<u32>,
    /// Buckets in the order in which they were first used, where each is a discipline of its own.
    seen: Vec<u32>,
    backlog: Backlog,
    /// Drawn at the first arrival.
    salt: Option<u64>,
    next_salt: Time,
    /// Counts changes of a bucket's length, to tell which came last.
    changes: u64,
    longest: Longest<(u64, u64)>,
    /// What is being sorted anew.
    sorted: Vec<P>,
}

/// Linux's limit where none is given, packets.
const LINUX_LIMIT: u64 = 127;
/// The kernel's largest depth.
const LINUX_DEPTH: usize = 127;

/// Which arrivals get in.
#[derive(Debug, Clone, Copy)]
enum Admits {
    /// All; the longest bucket makes room.
    PushOut(Capacity),
    /// ns-2's rule, with the largest number of packets.
    Share(u64),
}

struct Bucket<P: Packet> {
    queue: Child<P>,
    /// Its RED, since it was first used.
    red: Option<Box<LinuxRed>>,
    allot: i64,
    changed: u64,
    seen: bool,
    /// Whether it stands in the ring.
    listed: bool,
}

impl<P: Packet> Bucket<P> {
    /// How long it is, in the unit of the limit, and of equal ones the one that changed last.
    fn length(&self, admits: Admits) -> (u64, u64) {
        let Backlog { packets, bytes } = self.queue.backlog();
        let waiting = match admits {
            Admits::PushOut(Capacity::Bytes(_)) => bytes.get(),
            _ => packets as u64,
        };
        (waiting, self.changed)
    }
}

/// Which arrivals find room.
fn admits(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Admits, ParamFault> {
    match (preset, params.maxqueue) {
        (Preset::Ns2, Auto::Auto) => Ok(Admits::Share(40)),
        (Preset::Ns2, Auto::Given(Limit(Some(Length::Packets(packets))))) => {
            Ok(Admits::Share(packets as u64))
        }
        (Preset::Ns2, Auto::Given(other)) => {
            let allowed = "a whole number of packets such as \"40 packets\"";
            Err(ParamFault::new("maxqueue", other, allowed))
        }
        (_, Auto::Given(limit)) => {
            let allowed = "\"auto\", except under preset ns2: set limit";
            Err(ParamFault::new("maxqueue", limit, allowed))
        }
        _ => Ok(Admits::PushOut(params.limit.on(link))),
    }
}

/// Bytes of a turn; none where a turn is a packet.
fn quantum(given: Auto<Bytes>, preset: Preset, link: &LinkInfo) -> Option<i64> {
    let bytes = match given {
        Auto::Given(bytes) => bytes.get(),
        Auto::Auto if preset == Preset::Linux => link.largest(preset).get(),
        Auto::Auto => return None,
    };
    Some(linux_turn(bytes, preset).cast_signed())
}

impl<P: Packet> Sfq<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// No bucket, a quantum of nothing, a parameter of `inner`, `head_drop` where no waiting packet
    /// is ever dropped, or `maxqueue` under a preset other than ns-2's or not in packets.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        auto_above_zero("quantum", params.quantum)?;
        let mut admits = admits(params, preset, link)?;
        let bound = |given: Auto<u32>| given.given().map_or(usize::MAX, |bound| bound as usize);
        let (mut depth, mut flows) = (bound(params.depth), bound(params.flows));
        if preset == Preset::Linux {
            depth = depth.min(LINUX_DEPTH);
        }
        if preset == Preset::Linux
            && let Admits::PushOut(Capacity::Packets(limit)) = &mut admits
            && *limit != LINUX_LIMIT
        {
            *limit = (*limit).min(depth.saturating_mul(flows) as u64);
            flows = flows.min(*limit as usize);
        }
        if params.perturb > Span::ZERO {
            check_period("perturb", params.perturb)?;
        }
        let red = match &params.inner.0 {
            Some(inner) if preset == Preset::Linux => {
                inner.of_linux("red", preset, |params| FlowRed::new(params, link))?
            }
            _ => None,
        };
        let inner = Optional(params.inner.0.clone().filter(|_| red.is_none()));
        if params.head_drop && (preset == Preset::Ns2 || inner.0.is_some()) {
            let allowed = if preset == Preset::Ns2 {
                "false under preset ns2, which never drops what waits"
            } else {
                "false with inner, which drops by its own rules"
            };
            return Err(ParamFault::new("head_drop", "true", allowed));
        }
        let room_for = places("buckets", params.buckets)?;
        let buckets = (0..room_for).map(|_| Bucket {
            queue: Child::default(),
            red: None,
            allot: 0,
            changed: 0,
            seen: false,
            listed: false,
        });
        Ok(Self {
            children: ChildFactory::new::<P>(&inner, preset, link)?,
            ignores_limit: preset == Preset::Ns2 && params.limit.0.is_some(),
            admits,
            perturb: params.perturb,
            quantum: quantum(params.quantum, preset, link),
            depth,
            flows,
            linux: preset == Preset::Linux,
            head_drop: params.head_drop,
            red,
            buckets: buckets.collect(),
            ring: VecDeque::with_capacity(room_for),
            seen: Vec::new(),
            backlog: Backlog::default(),
            salt: None,
            next_salt: Time::ZERO + params.perturb,
            changes: 0,
            longest: Longest::default(),
            sorted: Vec::new(),
        })
    }

    fn bucket_of(&mut self, packet: &P, random: &mut Stream) -> u32 {
        let buckets = self.buckets.len() as u32;
        match self.admits {
            Admits::Share(_) => ns2_bucket(packet.source(), packet.destination(), buckets),
            Admits::PushOut(_) => {
                let salt = *self.salt.get_or_insert_with(|| random.bits());
                salted_bucket(packet.flow(), salt, buckets)
            }
        }
    }

    fn refuses(&self, bucket: u32) -> bool {
        let waiting = self.buckets[bucket as usize].queue.backlog().packets;
        match self.admits {
            Admits::PushOut(_) => {
                waiting >= self.depth || (waiting == 0 && self.ring.len() >= self.flows)
            }
            Admits::Share(most) => {
                let waiting = waiting as u64;
                let buckets = self.buckets.len() as u64;
                let left = most.saturating_sub(self.backlog.packets as u64);
                waiting >= left / 2 || (left < buckets && waiting > most / buckets)
            }
        }
    }

    fn changed(&mut self, bucket: u32) {
        self.changes += 1;
        self.buckets[bucket as usize].changed = self.changes;
    }

    fn push(&mut self, bucket: u32, packet: P, ctx: &mut Context<'_, P>) {
        let quantum = self.quantum.unwrap_or(0);
        let this = &mut self.buckets[bucket as usize];
        if (!self.children.is_plain() || self.red.is_some()) && !this.seen {
            this.seen = true;
            this.queue = self.children.child();
            this.red = self.red.as_ref().map(|red| Box::new(red.law.clone()));
            self.seen.push(bucket);
        }
        this.queue
            .counted_in(&mut self.backlog, |queue| queue.enqueue(packet, ctx));
        if !this.listed && !this.queue.is_empty() {
            this.listed = true;
            this.allot = quantum;
            if let Some(law) = &mut this.red {
                law.reset();
            }
            self.ring.push_back(bucket);
        }
        self.changed(bucket);
        let this = &self.buckets[bucket as usize];
        self.longest.grew(bucket, || this.length(self.admits));
    }

    /// The bucket that must give up a packet.
    fn longest(&mut self) -> Option<u32> {
        let length = |bucket: u32| self.buckets[bucket as usize].length(self.admits);
        let longest = self.longest.first(self.ring.iter().copied(), length)?;
        if self.linux && self.buckets[longest as usize].queue.backlog().packets == 1 {
            return self.ring.front().copied();
        }
        Some(longest)
    }

    fn drop_from_longest(&mut self, ctx: &mut Context<'_, P>) {
        let Some(longest) = self.longest() else {
            return;
        };
        let head_drop = self.head_drop;
        let queue = &mut self.buckets[longest as usize].queue;
        let popped = queue.counted_in(&mut self.backlog, |queue| {
            if head_drop {
                queue.pop_head()
            } else {
                queue.pop_tail()
            }
        });
        let Some(packet) = popped else {
            return;
        };
        if queue.is_empty() {
            self.leaves(longest);
        }
        self.changed(longest);
        let reason = if head_drop {
            Reason::Head
        } else {
            Reason::Overlimit
        };
        ctx.drop(packet, reason);
    }

    /// Drops the first packet of a bucket, whose place the arrival takes. Such an exchange leaves
    /// the bucket where it stands among equally long ones, unless it has another length then.
    fn exchange(&mut self, bucket: u32, packet: P, reason: Reason, ctx: &mut Context<'_, P>) {
        let this = &mut self.buckets[bucket as usize];
        let Some(oldest) = this.queue.counted_in(&mut self.backlog, Child::pop_head) else {
            return ctx.drop(packet, reason);
        };
        let grows = packet.size() > oldest.size();
        let is_longer = grows && matches!(self.admits, Admits::PushOut(Capacity::Bytes(_)));
        ctx.drop(oldest, reason);
        this.queue
            .counted_in(&mut self.backlog, |queue| queue.enqueue(packet, ctx));
        if is_longer {
            self.changed(bucket);
            let this = &self.buckets[bucket as usize];
            self.longest.grew(bucket, || this.length(self.admits));
        }
    }

    /// Lets Linux's RED see an arrival: why a packet is to be dropped for it, if so.
    fn red_drop(
        &mut self,
        bucket: u32,
        packet: &mut P,
        ctx: &mut Context<'_, P>,
    ) -> Option<Reason> {
        let red = self.red.as_ref()?;
        let Bucket {
            queue, red: law, ..
        } = &mut self.buckets[bucket as usize];
        red.decide(law.as_mut()?, queue, self.head_drop, packet, ctx)
    }

    /// An empty bucket leaves the ring.
    fn leaves(&mut self, bucket: u32) {
        if self.ring.front() == Some(&bucket) {
            self.ring.pop_front();
        } else {
            self.ring.retain(|&other| other != bucket);
        }
        self.buckets[bucket as usize].listed = false;
    }

    /// Brings a bucket that may send to the head of the ring.
    fn turn(&mut self, quantum: i64) {
        while let Some(&head) = self.ring.front() {
            let bucket = &mut self.buckets[head as usize];
            if bucket.allot > 0 {
                return;
            }
            bucket.allot += quantum;
            self.ring.rotate_left(1);
        }
    }

    fn sort_anew(&mut self, ctx: &mut Context<'_, P>) {
        let mut sorted = core::mem::take(&mut self.sorted);
        while let Some(bucket) = self.ring.pop_front() {
            let this = &mut self.buckets[bucket as usize];
            this.listed = false;
            while let Dequeued::Packet(packet) = this.queue.dequeue(ctx) {
                sorted.push(packet);
            }
        }
        self.backlog = Backlog::default();
        for packet in sorted.drain(..) {
            let bucket = self.bucket_of(&packet, ctx.random);
            if self.refuses(bucket) {
                ctx.drop(packet, Reason::Overlimit);
            } else {
                let this = &mut self.buckets[bucket as usize];
                if let Some(law) = &mut this.red {
                    law.observe(this.queue.backlog().bytes, None, ctx.now);
                }
                self.push(bucket, packet, ctx);
            }
        }
        self.sorted = sorted;
    }
}

impl<P: Packet> Discipline<P> for Sfq<P> {
    fn enqueue(&mut self, mut packet: P, ctx: &mut Context<'_, P>) {
        let bucket = self.bucket_of(&packet, ctx.random);
        let Backlog { packets, bytes } = self.backlog;
        let pushes_out = self.children.is_plain();
        let is_full = !pushes_out && !self.capacity().admits(packets, bytes, packet.size());
        if let Some(reason) = self.red_drop(bucket, &mut packet, ctx) {
            if !self.head_drop {
                return ctx.drop(packet, reason);
            }
            self.exchange(bucket, packet, reason, ctx);
        } else if !is_full && !self.refuses(bucket) {
            self.push(bucket, packet, ctx);
        } else if self.head_drop && !self.buckets[bucket as usize].queue.is_empty() {
            self.exchange(bucket, packet, Reason::Head, ctx);
        } else {
            return ctx.drop(packet, Reason::Overlimit);
        }
        if let Admits::PushOut(capacity) = self.admits {
            while pushes_out && !capacity.holds(self.backlog.packets, self.backlog.bytes) {
                self.drop_from_longest(ctx);
            }
        }
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        let mut waits = EarliestWait::default();
        for _ in 0..=self.ring.len() {
            if let Some(quantum) = self.quantum {
                self.turn(quantum);
            }
            let Some(&head) = self.ring.front() else {
                break;
            };
            let bucket = &mut self.buckets[head as usize];
            let sent = bucket
                .queue
                .counted_in(&mut self.backlog, |queue| queue.dequeue(ctx));
            let is_empty = bucket.queue.is_empty();
            if let Dequeued::Packet(packet) = &sent {
                bucket.allot -= packet.size().get().cast_signed();
            }
            if is_empty {
                self.leaves(head);
            } else if self.quantum.is_none() || !matches!(sent, Dequeued::Packet(_)) {
                self.ring.rotate_left(1);
            }
            self.changed(head);
            if let Some(packet) = waits.packet_of(sent) {
                return Dequeued::Packet(packet);
            }
        }
        waits.answer()
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn capacity(&self) -> Capacity {
        match self.admits {
            Admits::PushOut(capacity) => capacity,
            Admits::Share(most) => Capacity::Packets(most),
        }
    }

    fn reset(&mut self) {
        for bucket in &mut self.buckets {
            bucket.queue = Child::default();
            bucket.red = None;
            bucket.changed = 0;
            bucket.seen = false;
            bucket.listed = false;
        }
        self.seen.clear();
        self.ring.clear();
        self.backlog = Backlog::default();
        self.salt = None;
        self.next_salt = Time::ZERO + self.perturb;
        self.changes = 0;
        self.longest.clear();
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.children.warnings::<P>();
        if self.ignores_limit {
            let what = "ns-2's SFQ ignores limit: it reads maxqueue".to_owned();
            warnings.push(Warning {
                param: "limit",
                what,
            });
        }
        warnings
    }

    fn next_timer(&self) -> Option<Time> {
        if self.children.is_plain() {
            return (self.perturb > Span::ZERO).then_some(self.next_salt);
        }
        let queues = self
            .seen
            .iter()
            .map(|&bucket| &self.buckets[bucket as usize]);
        queues.filter_map(|bucket| bucket.queue.next_timer()).min()
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        for &bucket in &self.seen {
            let queue = &mut self.buckets[bucket as usize].queue;
            queue.counted_in(&mut self.backlog, |queue| queue.on_timer(ctx));
        }
        if !self.children.is_plain() || self.perturb == Span::ZERO || ctx.now < self.next_salt {
            return;
        }
        self.next_salt += self.perturb;
        self.salt = Some(ctx.random.bits());
        self.sort_anew(ctx);
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.children.on_link(link);
        for &bucket in &self.seen {
            self.buckets[bucket as usize].queue.on_link(link);
        }
    }

    /// Shows `flows_active`.
    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        show("flows_active", ProbeValue::Number(self.ring.len() as f64));
    }

    fn flow_queues(&self) -> usize {
        self.seen.len()
    }

    fn flow_queue_of(&self, packet: &P, _came_to: Option<usize>) -> Option<usize> {
        let buckets = self.buckets.len() as u32;
        let bucket = match self.admits {
            Admits::Share(_) => ns2_bucket(packet.source(), packet.destination(), buckets),
            Admits::PushOut(_) => salted_bucket(packet.flow(), self.salt?, buckets),
        };
        self.seen.iter().position(|&seen| seen == bucket)
    }

    fn waiting_in(&self, k: usize) -> usize {
        self.buckets[self.seen[k] as usize].queue.backlog().packets
    }

    /// Shows the packets of a bucket, and the variables of its discipline or of its RED if it has
    /// one.
    fn probe_flow(&self, k: usize, show: &mut dyn FnMut(&str, ProbeValue)) {
        show("packets", ProbeValue::Number(self.waiting_in(k) as f64));
        let Bucket { queue, red, .. } = &self.buckets[self.seen[k] as usize];
        queue.probe_all(show);
        if let Some(law) = red {
            show("avg", ProbeValue::Number(law.average()));
            show("count", ProbeValue::Number(law.count() as f64));
        }
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        let Some((k, name)) = parse_flow(name) else {
            return false;
        };
        let Some(&bucket) = self.seen.get(k) else {
            return false;
        };
        let Bucket { queue, red, .. } = &mut self.buckets[bucket as usize];
        match (red, name) {
            (Some(law), "avg") => law.set_average(value),
            (Some(law), "count") => law.set_count(value as i64),
            _ => return queue.poke(name, value),
        }
        true
    }
}
