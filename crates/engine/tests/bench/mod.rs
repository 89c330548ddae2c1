//! What the tests of the engine share: links, flows of datagrams, and an observer that writes down
//! what it sees.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used)] // each file takes what it needs

use std::sync::atomic::AtomicBool;

use sojourn_base::{
    Bytes, Distribution, Ecn, LinkInfo, ParamSource, Preset, Rate, Scalar, Span, Stream, Time,
};
use sojourn_engine::{
    ByReason, Carried, Count, FlowBooks, FlowSpec, Link, LinkSpec, Observer, SimPacket, Simulation,
    Tally, Traffic,
};
use sojourn_queue::{Discipline, ProbeValue, Reason};

/// Nobody asks to stop.
pub static RUNNING: AtomicBool = AtomicBool::new(false);

pub fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// What a discipline is told of a link.
pub fn info(bps: u64, delay: Span) -> LinkInfo {
    LinkInfo {
        rate: Rate::from_bps(bps).unwrap(),
        delay,
        mtu: Bytes::new(1500),
        framing: Bytes::ZERO,
        base_rtt: Span::from_ms(40),
    }
}

/// A link between two nodes under a discipline of that limit.
pub fn link(ends: (u32, u32), bps: u64, delay: Span, queue: &str, limit: &str) -> LinkSpec {
    let info = info(bps, delay);
    let params = [("limit", Scalar::Text(limit))];
    LinkSpec {
        name: format!("{}->{}", ends.0, ends.1),
        from: ends.0,
        to: ends.1,
        rate: info.rate,
        changes: None,
        losses: None,
        jitter: None,
        reorders: false,
        delay,
        overhead: Bytes::ZERO,
        device_queue: 0,
        discipline: sojourn_queue::build(queue, &params, Preset::Reference, &info).unwrap(),
        random: Stream::new(1),
    }
}

/// Datagrams of a source, from `start` on.
pub fn flow(
    path: &[u32],
    source: &str,
    params: &dyn ParamSource,
    size: Distribution<Bytes>,
    start: Time,
    seed: u64,
) -> FlowSpec {
    let source = sojourn_traffic::build(source, params, Preset::Reference, size, Bytes::ZERO);
    FlowSpec {
        name: format!("flow {seed}"),
        from: 0,
        to: 1,
        path: path.to_vec(),
        way_back: Vec::new(),
        traffic: Traffic::Datagrams {
            source: source.unwrap(),
            header: Bytes::ZERO,
            ecn: Ecn::NotEct,
        },
        dscp: 0,
        start,
        stop: Time::NEVER,
        gaps: Stream::new(seed),
        sizes: Stream::new(100 + seed),
    }
}

/// What happened: when, what, on which link, to which flow's packet of which number.
pub type Entry = (Time, char, u32, u32, u64);

/// A datagram's number. With others their kind and connection stand above it, and an
/// acknowledgement is known by what it acknowledges: its place in memory may differ.
fn number(packet: &SimPacket) -> u64 {
    let number = packet.number & ((1 << 36) - 1);
    number | u64::from(packet.connection) << 36 | (packet.kind() as u64) << 62
}

/// Writes down all that it sees: `+` enqueued, `-` dequeued, `d` dropped, `m` marked, `o` out of a
/// link, `r` received, or `c` with a mark.
#[derive(Default)]
pub struct Diary<const IN_ORDER: bool, const INSIDE: bool = false>(pub Vec<Entry>);

impl<const IN_ORDER: bool, const INSIDE: bool> Diary<IN_ORDER, INSIDE> {
    fn note(&mut self, now: Time, what: char, link: u32, packet: &SimPacket) {
        self.0
            .push((now, what, link, packet.flow(), number(packet)));
    }

    /// All of a kind, as "microseconds link flow.number".
    pub fn of(&self, what: char) -> Vec<String> {
        let chosen = self.0.iter().filter(|entry| entry.1 == what);
        chosen
            .map(|(now, _, link, flow, number)| {
                format!("{} {link} {flow}.{number}", now.as_ps() / 1_000_000)
            })
            .collect()
    }
}

impl<const IN_ORDER: bool, const INSIDE: bool> Observer for Diary<IN_ORDER, INSIDE> {
    const IN_ORDER: bool = IN_ORDER;
    const LOOKS_INSIDE: bool = INSIDE;

    fn enqueued(&mut self, now: Time, link: u32, packet: &SimPacket) {
        self.note(now, '+', link, packet);
    }
    fn dequeued(&mut self, now: Time, link: u32, packet: &SimPacket) {
        self.note(now, '-', link, packet);
    }
    fn dropped(&mut self, now: Time, link: u32, packet: &SimPacket, _: Reason) {
        self.note(now, 'd', link, packet);
    }
    fn marked(&mut self, now: Time, link: u32, packet: &SimPacket, _: Reason) {
        self.note(now, 'm', link, packet);
    }
    fn delivered(&mut self, now: Time, link: u32, packet: &SimPacket) {
        self.note(now, 'o', link, packet);
    }
    fn received(&mut self, now: Time, packet: &SimPacket, _: u64) {
        let what = if packet.ecn() == Ecn::Ce { 'c' } else { 'r' };
        self.note(now, what, 0, packet);
    }
}

/// All that can be read of a simulation at one instant.
#[derive(Debug, PartialEq)]
pub struct State {
    links: Vec<LinkState>,
    flows: Vec<FlowState>,
}

/// Of a link that something has come to.
#[derive(Debug, PartialEq)]
struct LinkState {
    name: String,
    carried: Carried,
    /// Arrivals, departures, those that found the queue empty, backlog.
    counts: [Count; 4],
    peak_packets: u64,
    /// Packets and bytes in the queue, by the time that they were there.
    times: [u128; 2],
    /// Drops and marks.
    by_reason: [ByReason; 2],
    /// What the discipline tells of itself.
    inside: Vec<(String, ProbeValue)>,
}

#[derive(Debug, PartialEq)]
struct FlowState {
    books: [FlowBooks; 2],
    tally: Option<Tally>,
    senders: Vec<SenderState>,
}

#[derive(Debug, PartialEq)]
struct SenderState {
    /// `snd_una`, `snd_nxt` and window.
    numbers: [u64; 3],
    /// The smoothed round trip and its variation.
    srtt: Option<(Span, Span)>,
}

/// The state at the present instant.
pub fn state<O: Observer>(simulation: &Simulation<O>) -> State {
    let now = simulation.now();
    let links = simulation.links().iter();
    let flows = 0..simulation.flows().len();
    State {
        links: links
            .filter(|link| link.ledger.arrivals().packets > 0)
            .map(|link| link_state(link, now))
            .collect(),
        flows: flows.map(|flow| flow_state(simulation, flow)).collect(),
    }
}

fn link_state(link: &Link, now: Time) -> LinkState {
    let ledger = &link.ledger;
    ledger.check_little(now).unwrap();
    let mut inside = Vec::new();
    link.spec
        .discipline
        .probe_all(&mut |name, value| inside.push((name.to_owned(), value)));
    LinkState {
        name: link.spec.name.clone(),
        carried: link.carried(now),
        counts: [
            ledger.arrivals(),
            ledger.departures(),
            ledger.passed(),
            ledger.backlog(),
        ],
        peak_packets: ledger.peak_packets,
        times: [ledger.packet_time(), ledger.byte_time],
        by_reason: [ledger.drops_by_reason(), ledger.marks_by_reason()],
        inside,
    }
}

fn flow_state<O: Observer>(simulation: &Simulation<O>, flow: usize) -> FlowState {
    let senders = simulation.senders(flow).map(|sender| SenderState {
        numbers: [sender.snd_una(), sender.snd_nxt(), sender.window()],
        srtt: sender.srtt(),
    });
    FlowState {
        books: simulation.books(flow),
        tally: simulation.tally(flow),
        senders: senders.collect(),
    }
}
