//! One tin: its flows, served in turn by what they count for, each with a COBALT of its own.
//!
//! Three lists. An arrival at a queue that is away or decaying brings it to the end of the *new*
//! list with one turn's credit: it is *sparse*. One that uses its credit up goes to the end of the
//! *old* list with another turn: it is *bulky* if it holds packets, and else *waits* there, still
//! counted as sparse, until an arrival makes it bulky. A queue found empty is *decaying* until its
//! COBALT is at rest; one of these is visited at each dequeue, so that it does come to rest.

use std::collections::VecDeque;

use sojourn_base::{Bytes, LinkInfo, ParamFault, Preset, Rate, Span, Stream, Time};

use super::ack_filter::AckFilter;
use super::host_fairness::Sharing;
use super::isolation::{Isolation, Keys};
use super::shaper::{Clock, Shaper};
use crate::parts::Fifo;
use crate::parts::cobalt_law::{CobaltLaw, CobaltState, HeadVerdict};
use crate::{Backlog, Context, Packet, ProbeValue, Reason};

/// What all tins have in common.
#[derive(Debug, Clone, Copy)]
pub(super) struct Common {
    /// Whose behaviour to follow.
    pub(super) preset: Preset,
    /// Queues of each tin.
    pub(super) flows: usize,
    /// Who shares with whom.
    pub(super) isolation: Isolation,
    /// Whether acknowledgements are thinned out.
    pub(super) ack_filter: AckFilter,
    /// Bytes of a turn, if they are given.
    pub(super) quantum: Option<Bytes>,
    /// Sojourn that is good for a packet, on a link fast enough.
    pub(super) target: Span,
    /// How long sojourns must stay above it, on a link fast enough.
    pub(super) interval: Span,
    /// Whether to mark.
    pub(super) ecn: bool,
}

/// Where a queue stands: the kernel's `CAKE_SET_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Set {
    None,
    Sparse,
    SparseWait,
    Bulk,
    Decaying,
}

#[derive(Debug)]
struct Flow<P> {
    queue: Fifo<P>,
    deficit: i64,
    set: Set,
    state: CobaltState,
    seen: bool,
    /// Its place among the queues of all tins.
    place: u32,
}

/// The lists, in the order in which they are served.
const DECAYING: usize = 0;
const NEW: usize = 1;
const OLD: usize = 2;

/// A tin.
#[derive(Debug)]
pub(super) struct Tin<P> {
    /// Its share of the shaper.
    pub(super) clock: Clock,
    /// Credit of its turn, where no shaper orders the tins.
    pub(super) deficit: i64,
    /// Bytes of its turn.
    pub(super) weight: i64,
    common: Common,
    law: CobaltLaw,
    /// Time that one packet takes at its share.
    packet_time: Span,
    /// Bytes of a flow's turn.
    quantum: u64,
    flows: Vec<Flow<P>>,
    sharing: Sharing,
    lists: [VecDeque<u32>; 3],
    sparse: usize,
    bulk: usize,
    decaying: usize,
    backlog: Backlog,
}

impl<P: Packet> Tin<P> {
    /// A tin with a share of a shaper's rate, if there is one.
    ///
    /// # Errors
    /// An interval of nothing.
    pub(super) fn new(
        common: Common,
        share: Option<Rate>,
        weight: i64,
    ) -> Result<Self, ParamFault> {
        let mut law = CobaltLaw::new(common.preset, common.target, common.interval)?;
        law.ecn = common.ecn;
        let usual = share.map_or(1_514, |rate| (rate.bps() / 8 / 4_096).clamp(300, 1_514));
        let flow = |_| Flow {
            queue: Fifo::default(),
            deficit: 0,
            set: Set::None,
            state: unused(common.preset),
            seen: false,
            place: 0,
        };
        Ok(Self {
            clock: Clock::new(share),
            deficit: 0,
            weight,
            law,
            packet_time: Span::ZERO,
            quantum: common.quantum.map_or(usual, Bytes::get),
            flows: (0..common.flows).map(flow).collect(),
            sharing: Sharing::new(common.flows, common.isolation.by_host()),
            lists: Default::default(),
            sparse: 0,
            bulk: 0,
            decaying: 0,
            backlog: Backlog::default(),
            common,
        })
    }

    /// Takes the size of the largest packet: its time raises the target.
    pub(super) fn on_link(&mut self, link: &LinkInfo) {
        let largest = link.largest(self.common.preset);
        let share = self.clock.rate();
        self.packet_time = share.map_or(Span::ZERO, |rate| rate.time_to_send(largest));
        let Common {
            target, interval, ..
        } = self.common;
        let least = self.packet_time + Span::from_ps(self.packet_time.as_ps() / 2);
        self.law.target = target.max(least);
        let raised = interval + (self.law.target - target);
        self.law.interval = raised.max(self.law.target + self.law.target);
    }

    /// What waits.
    pub(super) fn backlog(&self) -> Backlog {
        self.backlog
    }

    /// Does something to this tin of several, in which `all` waits; keeps count of that.
    pub(super) fn counted_in<R>(
        &mut self,
        all: &mut Backlog,
        act: impl FnOnce(&mut Self) -> R,
    ) -> R {
        let before = self.backlog;
        let result = act(self);
        all.replace_part(before, self.backlog);
        result
    }

    /// Whether a flow may have something to send.
    pub(super) fn is_busy(&self) -> bool {
        self.sparse + self.bulk > 0
    }

    /// What waits in a queue.
    pub(super) fn queued(&self, bucket: u32) -> Bytes {
        self.flows[bucket as usize].queue.bytes()
    }

    /// Where a queue stands among those of all tins.
    pub(super) fn place(&self, bucket: u32) -> u32 {
        self.flows[bucket as usize].place
    }

    /// Notes where a queue stands.
    pub(super) fn set_place(&mut self, bucket: u32, place: u32) {
        self.flows[bucket as usize].place = place;
    }

    /// Takes an arrival: its queue, and whether it is used for the first time.
    pub(super) fn enqueue(
        &mut self,
        packet: P,
        keys: &Keys,
        shaper: &mut Shaper,
        ctx: &mut Context<'_, P>,
    ) -> (u32, bool) {
        let stands = |set| {
            let flows = &self.flows;
            move |bucket: usize| flows[bucket].set == set
        };
        let (is_free, is_bulk) = (stands(Set::None), stands(Set::Bulk));
        let bucket = self.sharing.queue(keys, is_free, is_bulk);
        let flow = &mut self.flows[bucket];
        self.backlog.packets += 1;
        self.backlog.bytes += packet.size();
        flow.queue.push(packet);
        let redundant = self.common.ack_filter.redundant(&flow.queue);
        if let Some(ack) = redundant.and_then(|place| flow.queue.remove(place)) {
            self.lose(ack, Reason::AckFilter, shaper, ctx);
        }
        match self.flows[bucket].set {
            Set::None => self.becomes_sparse(bucket, ctx.random),
            Set::Decaying => {
                self.decaying -= 1;
                self.lists[DECAYING].retain(|&other| other as usize != bucket);
                self.becomes_sparse(bucket, ctx.random);
            }
            Set::SparseWait => self.becomes_bulk(bucket),
            Set::Sparse | Set::Bulk => {}
        }
        let is_first = !self.flows[bucket].seen;
        self.flows[bucket].seen = true;
        (bucket as u32, is_first)
    }

    fn becomes_sparse(&mut self, bucket: usize, random: &mut Stream) {
        self.sparse += 1;
        self.lists[NEW].push_back(bucket as u32);
        let turn = self.turn(bucket, random);
        let flow = &mut self.flows[bucket];
        flow.set = Set::Sparse;
        flow.deficit = turn;
    }

    fn becomes_bulk(&mut self, bucket: usize) {
        self.sparse -= 1;
        self.bulk += 1;
        self.flows[bucket].set = Set::Bulk;
        self.sharing.join(bucket);
    }

    /// Bytes of a queue's turn: the quantum over the bulky flows of its busier host, rounded at
    /// random so that the mean is exact.
    fn turn(&self, bucket: usize, random: &mut Stream) -> i64 {
        let load = self.sharing.load(bucket);
        let turn = if self.common.preset == Preset::Linux {
            (self.quantum * (65_535 / load) + (random.bits() & 0xFFFF)) >> 16
        } else if load == 1 {
            self.quantum
        } else {
            (self.quantum + random.below(load)) / load
        };
        turn.cast_signed()
    }

    /// A packet that is already out of its queue is lost.
    fn lose(&mut self, packet: P, reason: Reason, shaper: &mut Shaper, ctx: &mut Context<'_, P>) {
        self.backlog.packets -= 1;
        self.backlog.bytes -= packet.size();
        if shaper.ingress {
            shaper.charge(&mut self.clock, packet.size(), false, ctx.now);
        }
        ctx.drop(packet, reason);
    }

    /// There is no room: the head of a queue goes.
    pub(super) fn drop_head(&mut self, bucket: u32, shaper: &mut Shaper, ctx: &mut Context<'_, P>) {
        let flow = &mut self.flows[bucket as usize];
        if let Some(packet) = flow.queue.pop() {
            self.law.overflow(&mut flow.state, ctx.now);
            self.lose(packet, Reason::Overlimit, shaper, ctx);
        }
    }

    /// Asks the queue whose turn it is: a packet to send, or nothing if it was found empty. A
    /// decaying queue is asked first if `decaying`, which is then done.
    pub(super) fn serve(
        &mut self,
        decaying: &mut bool,
        shaper: &mut Shaper,
        ctx: &mut Context<'_, P>,
    ) -> Option<P> {
        loop {
            let (list, bucket) = self.next_flow(*decaying)?;
            *decaying = false;
            let good = self.good(shaper.ingress);
            let flow = &mut self.flows[bucket];
            if flow.deficit <= 0 {
                self.rotate(list, bucket, ctx.random);
                continue;
            }
            let Some(mut packet) = flow.queue.pop() else {
                self.found_empty(list, bucket, ctx.now);
                return None;
            };
            let (verdict, marked) = self
                .law
                .head_verdict(&mut flow.state, &mut packet, good, ctx);
            let size = packet.size();
            match verdict {
                HeadVerdict::Drop(reason) if !flow.queue.is_empty() => {
                    if shaper.ingress {
                        let length = shaper.charge.of(size).get().cast_signed();
                        flow.deficit -= length;
                        self.deficit -= length;
                    }
                    self.lose(packet, reason, shaper, ctx);
                }
                HeadVerdict::Drop(_) | HeadVerdict::Send => {
                    ctx.report_mark(&packet, marked);
                    let length = shaper.charge(&mut self.clock, size, true, ctx.now);
                    flow.deficit -= length;
                    self.deficit -= length;
                    self.backlog.packets -= 1;
                    self.backlog.bytes -= size;
                    return Some(packet);
                }
            }
        }
    }

    /// The list that is served and its first queue.
    fn next_flow(&self, decaying: bool) -> Option<(usize, usize)> {
        let order = if decaying {
            [DECAYING, NEW, OLD]
        } else {
            [NEW, OLD, DECAYING]
        };
        let head = |list: usize| Some((list, *self.lists[list].front()? as usize));
        order.into_iter().find_map(head)
    }

    /// The sojourn up to which a packet is good.
    fn good(&self, ingress: bool) -> Span {
        let packets = |number: u64| Span::from_ps(self.packet_time.as_ps().saturating_mul(number));
        let bulk = if ingress { self.bulk as u64 } else { 0 };
        self.law.target.max(packets(4)).max(packets(2 * bulk))
    }

    /// The turn of a queue is over: it gets another one, behind all old ones.
    fn rotate(&mut self, list: usize, bucket: usize, random: &mut Stream) {
        if self.flows[bucket].set == Set::Sparse {
            if self.flows[bucket].queue.is_empty() {
                self.flows[bucket].set = Set::SparseWait;
            } else {
                self.becomes_bulk(bucket);
            }
        }
        let turn = self.turn(bucket, random);
        self.flows[bucket].deficit += turn;
        self.lists[list].pop_front();
        self.lists[OLD].push_back(bucket as u32);
    }

    fn found_empty(&mut self, list: usize, bucket: usize, now: Time) {
        self.lists[list].pop_front();
        match self.flows[bucket].set {
            Set::Sparse | Set::SparseWait => self.sparse -= 1,
            Set::Bulk => {
                self.bulk -= 1;
                self.sharing.leave(bucket);
            }
            Set::Decaying => self.decaying -= 1,
            Set::None => unreachable!("a queue that is away is in no list"),
        }
        let flow = &mut self.flows[bucket];
        self.law.on_empty(&mut flow.state, now);
        if flow.state.is_at_rest(now) {
            flow.set = Set::None;
        } else {
            flow.set = Set::Decaying;
            self.decaying += 1;
            self.lists[DECAYING].push_back(bucket as u32);
        }
    }

    /// As new, keeping the memory.
    pub(super) fn reset(&mut self) {
        for flow in self.flows.iter_mut().filter(|flow| flow.seen) {
            flow.queue.clear();
            flow.deficit = 0;
            flow.set = Set::None;
            flow.state = unused(self.common.preset);
            flow.seen = false;
        }
        self.sharing.clear();
        self.lists.iter_mut().for_each(VecDeque::clear);
        self.clock.reset();
        self.deficit = 0;
        (self.sparse, self.bulk, self.decaying) = (0, 0, 0);
        self.backlog = Backlog::default();
    }

    /// Shows packets and bytes of the tin, its queues of each kind, its tuning.
    pub(super) fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        let mut number = |name, value| show(name, ProbeValue::Number(value));
        number("packets", self.backlog.packets as f64);
        number("bytes", self.backlog.bytes.as_f64());
        number("sparse", self.sparse as f64);
        number("bulk", self.bulk as f64);
        number("decaying", self.decaying as f64);
        number("target", self.law.target.as_s());
        number("interval", self.law.interval.as_s());
        number("quantum", self.quantum as f64);
        number("next_packet", self.clock.next().as_s());
    }

    /// The queue in which packets of these keys were put last.
    pub(super) fn queue_of(&self, keys: &Keys) -> u32 {
        self.sharing.queue_of(keys) as u32
    }

    /// How many packets wait in a queue.
    pub(super) fn waiting_in(&self, bucket: u32) -> usize {
        self.flows[bucket as usize].queue.len()
    }

    /// Shows a queue.
    pub(super) fn probe_flow(&self, bucket: u32, show: &mut dyn FnMut(&str, ProbeValue)) {
        let flow = &self.flows[bucket as usize];
        show("packets", ProbeValue::Number(flow.queue.len() as f64));
        show("bytes", ProbeValue::Number(flow.queue.bytes().as_f64()));
        show("deficit", ProbeValue::Number(flow.deficit as f64));
        let state = match flow.set {
            Set::None => "inactive",
            Set::Sparse => "new",
            Set::SparseWait | Set::Bulk => "old",
            Set::Decaying => "decaying",
        };
        show("state", ProbeValue::Name(state));
        flow.state.probe(show);
    }

    /// Sets a variable of a queue; false if there is none of that name.
    pub(super) fn poke_flow(&mut self, bucket: u32, name: &str, value: f64) -> bool {
        let flow = &mut self.flows[bucket as usize];
        if name == "deficit" {
            flow.deficit = value as i64;
            return true;
        }
        flow.state.poke(name, value)
    }
}

/// The state of a queue before its first packet.
fn unused(preset: Preset) -> CobaltState {
    if preset == Preset::Linux {
        CobaltState::zeroed()
    } else {
        CobaltState::default()
    }
}
