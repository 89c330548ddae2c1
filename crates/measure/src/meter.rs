//! The observer that counts, and the measurement window.

use sojourn_base::prefetch::{prefetch, prefetch_all};
use sojourn_base::{Ecn, Span, Time};
use sojourn_engine::link::Carried;
use sojourn_engine::{
    Cargo, FlowId, Ledger, LinkId, Observer, SimPacket, Simulation, Tally, Transfer,
};
use sojourn_queue::Reason;

use crate::Sketch;
use crate::losses::{Crossing, FlowLosses, LinkLosses};
use crate::transfers::{TransferLog, TransferRow};

/// What a flow has done since the start of the run, as far as its data goes: neither
/// acknowledgements nor requests count.
#[derive(Debug, Clone, Copy, Default)]
pub struct FlowCounts {
    /// Packets sent.
    pub sent: u64,
    /// Packets received.
    pub received: u64,
    /// Bytes received, headers included.
    pub received_bytes: u64,
    /// Payload bytes that came to the application in order, each once.
    pub payload_bytes: u64,
    /// Packets received that a queue had marked.
    pub marked: u64,
    /// Summed one-way delays of the packets received, in picoseconds.
    pub delay: u128,
    /// The one-way delay of the packet received last, in picoseconds.
    pub last_transit: u64,
}

/// A flow's measurements: two cache lines, which each of its packets touches.
#[derive(Debug, Clone, Default)]
#[repr(align(64))]
pub struct FlowMeter {
    /// Since the start of the run.
    pub counts: FlowCounts,
    /// Packets sent in the window that were received in it.
    pub kept: u64,
    /// Packets sent in the window that were dropped in it, once there are any.
    pub losses: Option<Box<FlowLosses>>,
    /// One-way delays of the packets received in the window.
    pub delays: Sketch,
    /// RFC 3550's running jitter, in picoseconds.
    jitter: f64,
    /// The sum of the running jitter over the packets received in the window, in picoseconds; the
    /// first of all packets has none.
    pub jitter_sum: f64,
    /// The transfers that were complete in the window, once there are any.
    pub completions: Option<Box<Completions>>,
    /// What had been done at the start of the window, where it is not that of the run.
    before: Option<Box<FlowBefore>>,
}

/// Transfers that are complete.
#[derive(Debug, Clone, Default)]
pub struct Completions {
    /// Their completion times.
    pub took: Sketch,
    /// The sum of these, in picoseconds.
    pub took_sum: u128,
    /// Completion times over the least that the transfer takes alone: sum of the ratios.
    pub slowdown_sum: f64,
    /// How many.
    pub slowdowns: u64,
}

/// A flow at the start of the window.
#[derive(Debug, Clone, Copy, Default)]
pub struct FlowBefore {
    /// Its packets.
    pub counts: FlowCounts,
    /// What its connections had done.
    pub tally: Tally,
}

impl FlowMeter {
    /// How it stood at the start of the window.
    pub fn before(&self) -> FlowBefore {
        self.before.as_deref().copied().unwrap_or_default()
    }

    /// How many terms the sum of its jitter has.
    pub fn jitter_terms(&self) -> u64 {
        let first = self.before().counts.received.max(1);
        self.counts.received.saturating_sub(first)
    }
}

/// A link's measurements beyond its ledger, in one cache line.
#[derive(Debug, Clone)]
#[repr(align(64))]
pub struct LinkMeter {
    /// Queueing delays of the packets whose transmission began in the window, without those that
    /// waited for nothing at all.
    waits: Sketch,
    /// What it dropped in the window, once there is anything.
    pub losses: Option<Box<LinkLosses>>,
    /// From which arrival on these ask for the wait of a packet. It lies here since all packets are
    /// held against it.
    asks_from: Time,
    /// The flows whose data goes over it.
    pub crossing: Crossing,
    /// The ledger and the transmitter at the start of the window, where it is not that of the run.
    pub before: Option<Box<LinkBefore>>,
}

impl Default for LinkMeter {
    fn default() -> Self {
        Self {
            waits: Sketch::default(),
            losses: None,
            asks_from: Time::NEVER,
            crossing: Crossing::default(),
            before: None,
        }
    }
}

impl LinkMeter {
    #[cold]
    #[inline(never)]
    fn dropped(&mut self, now: Time, packet: &SimPacket) {
        let losses = self.losses.get_or_insert_default();
        losses.add(now, packet, &self.crossing);
        self.asks_from = losses.events.asks_from();
    }

    /// A packet has waited that came at `stamp`: the first of which a loss event asks how long.
    #[cold]
    #[inline(never)]
    fn waited_after_a_loss(&mut self, stamp: Time, wait: Span) {
        if let Some(losses) = &mut self.losses
            && wait > Span::ZERO
        {
            losses.events.waited(stamp, wait, self.crossing.base_rtt);
            self.asks_from = losses.events.asks_from();
        }
    }

    /// Queueing delays of the packets whose transmission began in the window, of the link with this
    /// ledger.
    pub fn waits(&self, ledger: &Ledger) -> Sketch {
        let before = self.before.as_ref().map_or(0, |before| before.passed);
        let mut waits = self.waits.clone();
        waits.add_zeros(ledger.passed().packets - before);
        waits
    }
}

/// A link at the start of the window.
#[derive(Debug, Clone, Default)]
pub struct LinkBefore {
    /// Packets that had arrived.
    pub arrivals: u64,
    /// Packets that had found the queue empty.
    pub passed: u64,
    /// Drops by reason.
    pub drops: [u64; Reason::ALL.len()],
    /// Marks by reason.
    pub marks: [u64; Reason::ALL.len()],
    /// Integral of the waiting packets.
    pub packet_time: u128,
    /// Integral of the waiting bytes.
    pub byte_time: u128,
    /// Summed waiting times of the packets whose transmission had begun.
    pub waited: u128,
    /// What the transmitter had carried.
    pub carried: Carried,
}

/// Jitter below this is none, in picoseconds. The least that a delay changes by is 1, so that no
/// sum feels the difference; but jitter that is left to fade away by sixteenths ends as a number so
/// small that a processor takes longer over it.
const NO_JITTER: f64 = 1e-20;

/// Counts for all flows and links; the window is open from [`Meter::open`] on.
#[derive(Debug, Default)]
pub struct Meter {
    /// By flow.
    pub flows: Vec<FlowMeter>,
    /// By link.
    pub links: Vec<LinkMeter>,
    /// The start of the window, once it is open.
    pub window: Option<Time>,
    /// Each transfer that was complete in the window, where that is asked for.
    pub transfers: Option<TransferLog>,
    /// Whether durations are counted in batches.
    batches: bool,
}

impl Meter {
    /// A meter for so many flows and links.
    pub fn new(flows: usize, links: usize) -> Self {
        Self {
            flows: vec![FlowMeter::default(); flows],
            links: vec![LinkMeter::default(); links],
            window: None,
            transfers: None,
            batches: false,
        }
    }

    /// Takes what crosses each link; without it there are no loss events.
    pub fn cross(&mut self, crossings: impl IntoIterator<Item = Crossing>) {
        for (link, crossing) in self.links.iter_mut().zip(crossings) {
            link.crossing = crossing;
        }
    }

    /// Opens the window at the present instant of `simulation`.
    pub fn open<O: Observer>(simulation: &mut Simulation<O>, meter: fn(&mut O) -> &mut Self) {
        let now = simulation.now();
        let from_the_start = now == Time::ZERO;
        let mut before = Vec::with_capacity(simulation.links().len());
        for link in simulation.links_mut() {
            link.ledger.reset_peak();
            let ledger = &link.ledger;
            let then = || LinkBefore {
                arrivals: ledger.arrivals().packets,
                passed: ledger.passed().packets,
                drops: ledger.drops_by_reason(),
                marks: ledger.marks_by_reason(),
                packet_time: ledger.packet_time(),
                byte_time: ledger.byte_time,
                waited: ledger.waited(),
                carried: link.carried(now),
            };
            before.push((!from_the_start).then(|| Box::new(then())));
        }
        let flows = simulation.flows().len();
        let tallies: Vec<Tally> = (0..flows)
            .map(|flow| simulation.tally(flow).unwrap_or_default())
            .collect();
        let meter = meter(&mut simulation.observer);
        meter.window = Some(now);
        for (link, before) in meter.links.iter_mut().zip(before) {
            link.before = before;
        }
        for (flow, tally) in meter.flows.iter_mut().zip(tallies) {
            let counts = flow.counts;
            flow.before = (!from_the_start).then(|| Box::new(FlowBefore { counts, tally }));
        }
    }

    fn is_open(&self) -> bool {
        self.window.is_some()
    }

    fn received_data(&mut self, now: Time, packet: &SimPacket, in_order: u64) {
        let (open, sent_inside) = (self.is_open(), self.sent_inside(packet));
        let flow = &mut self.flows[packet.flow() as usize];
        let delay = now.elapsed_since(packet.sent);
        let is_first = flow.counts.received == 0;
        flow.counts.received += 1;
        flow.counts.received_bytes += u64::from(packet.size);
        flow.counts.payload_bytes += in_order;
        flow.counts.marked += u64::from(packet.ecn() == Ecn::Ce);
        flow.counts.delay += u128::from(delay.as_ps());
        flow.kept += u64::from(sent_inside);
        let transit = delay.as_ps();
        let last = core::mem::replace(&mut flow.counts.last_transit, transit);
        if !is_first {
            // Of an integer with a sign this takes one instruction; and it has none to lose.
            let change = transit.abs_diff(last).cast_signed() as f64;
            flow.jitter += (change - flow.jitter) / 16.0;
            if flow.jitter < NO_JITTER {
                flow.jitter = 0.0;
            }
            if open {
                flow.jitter_sum += flow.jitter;
            }
        }
        if open {
            take(&mut flow.delays, delay, self.batches);
        }
    }

    /// Whether `packet` was sent in the window.
    fn sent_inside(&self, packet: &SimPacket) -> bool {
        self.window.is_some_and(|start| packet.sent >= start)
    }
}

/// Adds a duration, now or with others.
#[inline]
fn take(sketch: &mut Sketch, span: Span, batches: bool) {
    if batches {
        sketch.add_to_batch(span);
    } else {
        sketch.add(span);
    }
}

impl Observer for Meter {
    #[inline]
    fn emitted(&mut self, _now: Time, packet: &SimPacket, _cargo: Cargo<'_>) {
        if packet.is_data() {
            self.flows[packet.flow() as usize].counts.sent += 1;
        }
    }

    #[inline]
    fn dequeued(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        if self.is_open() {
            let wait = now.elapsed_since(packet.stamp);
            let link = &mut self.links[link as usize];
            take(&mut link.waits, wait, self.batches);
            if packet.stamp >= link.asks_from {
                link.waited_after_a_loss(packet.stamp, wait);
            }
        }
    }

    /// The ledger counts these.
    #[inline]
    fn passed(&mut self, _now: Time, _link: LinkId, _packet: &SimPacket) {}

    #[inline]
    fn dropped(&mut self, now: Time, link: LinkId, packet: &SimPacket, _reason: Reason) {
        if !self.is_open() {
            return;
        }
        self.links[link as usize].dropped(now, packet);
        if packet.is_data() && self.sent_inside(packet) {
            let flow = &mut self.flows[packet.flow() as usize];
            let losses = flow.losses.get_or_insert_default();
            losses.add(packet.sent);
        }
    }

    #[inline]
    fn received(&mut self, now: Time, packet: &SimPacket, in_order: u64) {
        if packet.is_data() {
            self.received_data(now, packet, in_order);
        }
    }

    fn will_prefetch(&mut self) {
        self.batches = true;
    }

    #[inline]
    fn prefetch_far(&self, packet: &SimPacket) {
        let flow = &self.flows[packet.flow() as usize];
        if packet.is_data() {
            prefetch_all(flow);
        } else {
            // The packets are counted that an acknowledgement lets go.
            prefetch(&flow.counts.sent);
        }
    }

    #[inline]
    fn prefetch_flow(&self, flow: FlowId) {
        prefetch(&self.flows[flow as usize].counts.sent);
        prefetch(&self.flows[flow as usize].losses);
    }

    #[inline]
    fn prefetch_near(&self, packet: &SimPacket, links: [LinkId; 2]) {
        if packet.is_data() {
            self.flows[packet.flow() as usize].delays.prefetch();
        }
        for link in links {
            if let Some(link) = self.links.get(link as usize) {
                prefetch(link);
            }
        }
    }

    #[inline]
    fn prefetch_next(&self, packet: &SimPacket, links: [LinkId; 2]) {
        if packet.is_data() {
            self.flows[packet.flow() as usize]
                .delays
                .prefetch_counters();
        }
        // Most acknowledgements let several segments go, and all but the first wait; as they may
        // wait again at the far end.
        for link in links {
            if let Some(link) = self.links.get(link as usize) {
                link.waits.prefetch();
            }
        }
    }

    fn completed(&mut self, now: Time, flow: FlowId, transfer: &Transfer) {
        if !self.is_open() {
            return;
        }
        let row = TransferRow::complete(now, flow, transfer);
        let flow = &mut self.flows[flow as usize];
        let took = now.since(transfer.began);
        let completions = flow.completions.get_or_insert_default();
        completions.took.add(took);
        completions.took_sum += u128::from(took.as_ps());
        if !row.slowdown.is_nan() {
            completions.slowdown_sum += row.slowdown;
            completions.slowdowns += 1;
        }
        if let Some(log) = &mut self.transfers {
            log.note(row);
        }
    }
}
