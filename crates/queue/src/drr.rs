//! DRR: deficit round robin; flows take turns of bytes, and carry over what a turn left.
//!
//! M. Shreedhar, G. Varghese, "Efficient Fair Queuing using Deficit Round Robin", ACM SIGCOMM 1995.
//! Each flow has a queue and a deficit. A turn adds `quantum` to the deficit and sends packets
//! while they fit; what is left stays for the next turn, unless the flow has emptied. Over the limit the
//! flow with most bytes, the next to be served of equals, loses its last packet. Two flows that
//! always have something to send differ by less than a quantum and two packets.
//!
//! **Reference**: 1024 queues by a salted hash, the salt drawn at the first arrival; room for 1000
//! packets; turns of the link's MTU, at least the largest packet as the paper wants for its bound on work.
//!
//! **Linux** (`sch_drr`): turns of the MTU and 14; it gives a turn's quantum at the end of the turn
//! before, which serves in the same order; classes by filters and limits per class are left out.
//! **ns-2** (`DRR`, ns-2.35): `limit` 25000 bytes, 10 buckets by source address alone, turns of 250
//! bytes, so that a packet of 500 takes two; pushes out heads, not tails. ns-3 has none: its preset
//! is the reference.

use std::collections::VecDeque;

use sojourn_base::length::Capacity;
use sojourn_base::{Auto, Bytes, Limit, LinkInfo, ParamFault, Preset, Stream, params};

use crate::parts::Fifo;
use crate::parts::hash::{ns2_source_bucket, salted_bucket};
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason, Warning};

params! {
    /// Parameters of DRR.
    pub struct Params {
        /// Most that may wait in all flows, in packets or bytes.
        limit: Limit = "1000 packets", Ns2 = "25000 B";
        /// Number of queues.
        buckets: u32 = "1024", Ns2 = "10";
        /// Bytes of a turn; automatic: the link's MTU, under Linux's preset and 14.
        quantum: Auto<Bytes> = "auto", Ns2 = "250 B";
    }
}

#[derive(Debug)]
struct Flow<P> {
    queue: Fifo<P>,
    deficit: u64,
    seen: bool,
}

/// A deficit round robin queue.
#[derive(Debug)]
pub struct Drr<P> {
    capacity: Capacity,
    preset: Preset,
    given_quantum: Option<u64>,
    quantum: u64,
    flows: Vec<Flow<P>>,
    /// Flows with packets; the first has the turn.
    ring: VecDeque<u32>,
    /// Whether the first has had its quantum.
    given: bool,
    seen: Vec<u32>,
    backlog: Backlog,
    salt: Option<u64>,
    mtu: Bytes,
}

impl<P> Drr<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A quantum of nothing.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let given_quantum = params.quantum.given().map(Bytes::get);
        if given_quantum == Some(0) {
            let allowed = "\"auto\" or a size above zero";
            return Err(ParamFault::new("quantum", Bytes::ZERO, allowed));
        }
        let flows = (0..params.buckets).map(|_| Flow {
            queue: Fifo::default(),
            deficit: 0,
            seen: false,
        });
        let mut made = Self {
            capacity: params.limit.on(link),
            preset,
            given_quantum,
            quantum: 0,
            flows: flows.collect(),
            ring: VecDeque::new(),
            given: false,
            seen: Vec::new(),
            backlog: Backlog::default(),
            salt: None,
            mtu: link.mtu,
        };
        made.take_mtu(link);
        Ok(made)
    }

    fn take_mtu(&mut self, link: &LinkInfo) {
        let framing = if self.preset == Preset::Linux { 14 } else { 0 };
        self.mtu = link.mtu;
        self.quantum = self
            .given_quantum
            .unwrap_or(link.mtu.get() + framing)
            .max(1);
    }
}

impl<P: Packet> Drr<P> {
    fn bucket(&mut self, packet: &P, random: &mut Stream) -> u32 {
        let buckets = self.flows.len() as u32;
        if self.preset == Preset::Ns2 {
            return ns2_source_bucket(packet.source(), buckets);
        }
        let salt = *self.salt.get_or_insert_with(|| random.bits());
        salted_bucket(packet.flow(), salt, buckets)
    }

    fn push_out(&mut self, ctx: &mut Context<'_, P>) {
        let bytes = |bucket: u32| self.flows[bucket as usize].queue.bytes();
        let mut fattest = None;
        for &bucket in &self.ring {
            if fattest.is_none_or(|best| bytes(bucket) > bytes(best)) {
                fattest = Some(bucket);
            }
        }
        let Some(fattest) = fattest else { return };
        let flow = &mut self.flows[fattest as usize];
        let victim = if self.preset == Preset::Ns2 {
            flow.queue.pop()
        } else {
            flow.queue.pop_tail()
        };
        let Some(victim) = victim else { return };
        self.backlog.packets -= 1;
        self.backlog.bytes -= victim.size();
        if flow.queue.is_empty() {
            if self.ring.front() == Some(&fattest) {
                self.given = false;
            }
            self.ring.retain(|&bucket| bucket != fattest);
        }
        ctx.drop(victim, Reason::Overlimit);
    }
}

impl<P: Packet> Discipline<P> for Drr<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let bucket = self.bucket(&packet, ctx.random);
        let flow = &mut self.flows[bucket as usize];
        if !flow.seen {
            flow.seen = true;
            self.seen.push(bucket);
        }
        if flow.queue.is_empty() {
            flow.deficit = 0;
            self.ring.push_back(bucket);
        }
        self.backlog.packets += 1;
        self.backlog.bytes += packet.size();
        flow.queue.push(packet);
        while !self
            .capacity
            .holds(self.backlog.packets, self.backlog.bytes)
        {
            self.push_out(ctx);
        }
    }

    fn dequeue(&mut self, _ctx: &mut Context<'_, P>) -> Dequeued<P> {
        while let Some(&bucket) = self.ring.front() {
            let flow = &mut self.flows[bucket as usize];
            if !self.given {
                self.given = true;
                flow.deficit += self.quantum;
            }
            let fits = |packet: &P| packet.size().get() <= flow.deficit;
            if flow.queue.head().is_none_or(fits)
                && let Some(packet) = flow.queue.pop()
            {
                flow.deficit -= packet.size().get();
                self.backlog.packets -= 1;
                self.backlog.bytes -= packet.size();
                if flow.queue.is_empty() {
                    flow.deficit = 0;
                    self.ring.pop_front();
                    self.given = false;
                }
                return Dequeued::Packet(packet);
            }
            self.ring.rotate_left(1);
            self.given = false;
        }
        Dequeued::Empty
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn reset(&mut self) {
        for &bucket in &self.seen {
            let flow = &mut self.flows[bucket as usize];
            flow.queue.clear();
            flow.deficit = 0;
            flow.seen = false;
        }
        self.seen.clear();
        self.ring.clear();
        self.given = false;
        self.backlog = Backlog::default();
        self.salt = None;
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.take_mtu(link);
    }

    fn warnings(&self) -> Vec<Warning> {
        if self.quantum >= self.mtu.get() {
            return Vec::new();
        }
        let what = "turns of less than the largest packet make empty rounds: correct, but slow";
        vec![Warning {
            param: "quantum",
            what: what.to_owned(),
        }]
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        show("flows_active", ProbeValue::Number(self.ring.len() as f64));
        for (k, &bucket) in self.seen.iter().enumerate() {
            let flow = &self.flows[bucket as usize];
            let mut number =
                |name, value| show(&format!("flow[{k}].{name}"), ProbeValue::Number(value));
            number("packets", flow.queue.len() as f64);
            number("deficit", flow.deficit as f64);
        }
    }
}
