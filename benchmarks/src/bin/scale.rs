//! What one more flow costs: packets per second of CPU time and bytes of memory, from 10 to 100,000
//! flows of TCP; and what a packet in flight takes. `sojourn-scale [most flows]` prints a table in
//! Markdown for each kind of access links and a sentence.
//!
//! Every flow has a share of 2 Mbit/s of the bottleneck and access links of its own at both ends,
//! 100 ms of round trip and a window of about 20 segments, so that only their number differs. The
//! access links are always faster than the bottleneck, or all alike, so that many flows have those
//! that hold bursts. Time is taken after 5 s, when slow start and the losses at its end are over.
//! "idle" is what a flow takes before it starts, its four access links counted apart; "active" is
//! what is added by the end: connection, windows, packets in flight, distributions of its delays.

#![allow(unsafe_code, clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use sojourn_base::{
    Bytes, Distribution, Ecn, LinkInfo, ParamSet, Preset, Rate, Scalar, Span, Stream, Time,
};
use sojourn_engine::{FlowSpec, LinkSpec, Simulation, Traffic};
use sojourn_measure::Meter;
use sojourn_memory::{ALLOCATOR, moves_whole};
use sojourn_transport::{AnyController, Config, CongestionControl, Start, TcpParams};

/// The programs' allocator, counting the bytes that are in use, and the most that ever were.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call goes on to that allocator unchanged, under the caller's own promises.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let before = IN_USE.fetch_add(layout.size(), Ordering::Relaxed);
        PEAK.fetch_max(before + layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { ALLOCATOR.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { ALLOCATOR.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`.
        let grown = unsafe { ALLOCATOR.realloc(pointer, layout, size) };
        let before = IN_USE.fetch_add(size.wrapping_sub(layout.size()), Ordering::Relaxed);
        // Where it was copied, there were two of them for a while.
        let is_one = grown == pointer || moves_whole(layout.size(), size);
        let held = if is_one { layout.size() } else { 0 };
        PEAK.fetch_max((before + size).wrapping_sub(held), Ordering::Relaxed);
        grown
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

const SHARE_BPS: u64 = 2_000_000;
/// From when on time is taken.
const WARM_UP: Span = Span::from_whole_s(5);
/// Packets at least from then on, and simulated time at least.
const PACKETS: f64 = 2e6;
const LEAST: Span = Span::from_whole_s(2);

fn main() {
    let most = std::env::args().nth(1).map_or(100_000, |word| {
        word.parse().expect("a number of flows is expected")
    });
    println!("Access links ten times as fast as the bottleneck:\n");
    print_table(most, |flows| 10 * bottleneck_bps(flows));
    println!("\nAccess links of 100 Mbit/s:\n");
    print_table(most, |_| 100_000_000);
    let (after, peak) = in_flight();
    println!(
        "\nA packet in flight takes {after:.0} bytes, {peak:.0} while memory for more is taken."
    );
}

/// A row for each number of flows, with access links of such a rate.
fn print_table(most: u32, access_bps: fn(u32) -> u64) {
    println!(
        "| flows | packets per CPU second | CPU time a packet | bytes, links of a flow | idle flow | active, on top |"
    );
    println!("| ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut flows = 10;
    let mut first = None;
    while flows <= most {
        let cost = run(flows, access_bps(flows));
        let ns = cost.cpu_s * 1e9 / cost.packets;
        let times = ns / *first.get_or_insert(ns);
        println!(
            "| {flows} | {:.2} M | {ns:.0} ns, {times:.2} times | {:.0} | {:.0} | {:.0} |",
            1e3 / ns,
            cost.links,
            cost.idle,
            cost.active,
        );
        flows *= 10;
    }
}

fn bottleneck_bps(flows: u32) -> u64 {
    u64::from(flows) * SHARE_BPS
}

/// Bytes for each packet on a wire of 1 s that carries 750,000 packets of 1,500 bytes, in the end
/// and at the most.
fn in_flight() -> (f64, f64) {
    let before = in_use();
    let wire = link(0, 1, 10_000_000_000, Span::from_whole_s(1), 1_000);
    let last = link(1, 2, 40_000_000_000, Span::from_ms(1), 1_000);
    let rate = [("rate", Scalar::Text("9 Gbit/s"))];
    let size = Distribution::constant(Bytes::new(1500));
    let stream = FlowSpec {
        name: "stream".to_owned(),
        from: 0,
        to: 2,
        path: vec![0, 1],
        way_back: Vec::new(),
        traffic: Traffic::Datagrams {
            source: sojourn_traffic::build("cbr", &rate, Preset::Reference, size, Bytes::ZERO)
                .unwrap(),
            header: Bytes::ZERO,
            ecn: Ecn::NotEct,
        },
        dscp: 0,
        start: Time::ZERO,
        stop: Time::NEVER,
        gaps: Stream::new(1),
        sizes: Stream::new(1),
    };
    let mut simulation = Simulation::new(vec![wire, last], vec![stream], Meter::new(1, 2));
    PEAK.store(in_use(), Ordering::Relaxed);
    simulation
        .run_until(Time::ZERO + Span::from_s(1.5), &AtomicBool::new(false))
        .unwrap();
    let packets = simulation.books(0)[0].on_the_way().unwrap() as f64;
    let each = |bytes: usize| (bytes - before) as f64 / packets;
    (each(in_use()), each(PEAK.load(Ordering::Relaxed)))
}

/// What a run costs: seconds of CPU time and packets in all, bytes for each flow.
struct Cost {
    packets: f64,
    cpu_s: f64,
    links: f64,
    idle: f64,
    active: f64,
}

fn run(flows: u32, access_bps: u64) -> Cost {
    let per_flow = |bytes: usize| bytes as f64 / f64::from(flows);
    let before = in_use();
    let alone = simulation(flows, access_bps, Vec::new());
    let links = in_use() - before;
    drop(alone);
    let config = Arc::new(config());
    let mut specs = Vec::with_capacity(flows as usize);
    specs.extend((0..flows).map(|number| flow(number, &config)));
    let mut simulation = simulation(flows, access_bps, specs);
    let idle = in_use() - before - links;
    Meter::open(&mut simulation, |meter| meter);
    let rate = bottleneck_bps(flows) as f64 / 12_000.0;
    let duration = LEAST.max(Span::from_s(PACKETS / rate));
    let begin = Time::ZERO + WARM_UP;
    let sent =
        |simulation: &Simulation<Meter>| simulation.links()[0].ledger.departures().packets as f64;
    let never = AtomicBool::new(false);
    simulation.run_until(begin, &never).unwrap();
    let (sent_before, began) = (sent(&simulation), cpu_s());
    simulation.run_until(begin + duration, &never).unwrap();
    Cost {
        packets: sent(&simulation) - sent_before,
        cpu_s: cpu_s() - began,
        links: per_flow(links),
        idle: per_flow(idle),
        active: per_flow(in_use() - before - links - idle),
    }
}

/// The bottleneck between nodes 0 and 1, both ways, and the access links of `flows` flows.
fn simulation(flows: u32, access_bps: u64, specs: Vec<FlowSpec>) -> Simulation<Meter> {
    let bps = bottleneck_bps(flows);
    let mut links = Vec::with_capacity(2 + 4 * flows as usize);
    for (from, to) in [(0, 1), (1, 0)] {
        links.push(link(from, to, bps, Span::from_ms(46), 10 * flows));
    }
    for flow in 0..flows {
        let (source, sink) = (2 + 2 * flow, 3 + 2 * flow);
        for (from, to) in [(source, 0), (1, sink), (sink, 1), (0, source)] {
            links.push(link(from, to, access_bps, Span::from_ms(2), 100));
        }
    }
    let meter = Meter::new(specs.len(), links.len());
    Simulation::new(links, specs, meter)
}

fn link(from: u32, to: u32, bps: u64, delay: Span, limit: u32) -> LinkSpec {
    let info = LinkInfo {
        rate: Rate::from_bps(bps).unwrap(),
        delay,
        mtu: Bytes::new(1500),
        framing: Bytes::ZERO,
        base_rtt: Span::from_ms(100),
    };
    let limit = format!("{limit} packets");
    let params = [("limit", Scalar::Text(&limit))];
    LinkSpec {
        name: format!("{from}->{to}"),
        from,
        to,
        rate: info.rate,
        changes: None,
        losses: None,
        jitter: None,
        reorders: false,
        delay,
        overhead: Bytes::ZERO,
        device_queue: 0,
        discipline: sojourn_queue::build("droptail", &params, Preset::Reference, &info).unwrap(),
        random: Stream::new(1),
    }
}

/// NewReno with SACK, PRR, RACK, delayed acknowledgements and timestamps.
fn config() -> Config {
    let params = TcpParams::read(&(), Preset::Reference).unwrap();
    let needs = controller(&Start::of(1460, 10)).needs();
    Config::new(&params, Preset::Reference, &needs).unwrap()
}

fn controller(start: &Start) -> AnyController {
    sojourn_transport::build("newreno", &(), Preset::Reference, start).unwrap()
}

fn flow(number: u32, config: &Arc<Config>) -> FlowSpec {
    let bulk = sojourn_traffic::build_application("bulk", &(), Preset::Reference, Bytes::new(1460));
    let links = 2 + 4 * number;
    // Each with a start of its own in the first 100 ms.
    let mut random = Stream::named(1, 0, "start", &number.to_string());
    let told = config.start(Stream::new(1));
    FlowSpec {
        name: format!("bulk.{number}"),
        from: 2 + 2 * number,
        to: 3 + 2 * number,
        path: vec![links, 0, links + 1],
        way_back: vec![links + 2, 1, links + 3],
        traffic: Traffic::Streams {
            application: bulk.unwrap(),
            config: config.clone(),
            controller: Box::new(move |_| controller(&told)),
        },
        dscp: 0,
        start: Time::ZERO + Span::from_us(random.below(100_000)),
        stop: Time::NEVER,
        gaps: Stream::new(u64::from(number)),
        sizes: Stream::new(u64::from(number)),
    }
}

fn in_use() -> usize {
    IN_USE.load(Ordering::Relaxed)
}

/// CPU time of this thread where the system tells it, else the time that has gone by.
fn cpu_s() -> f64 {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = told.and_then(|text| text.split(' ').next()?.parse::<f64>().ok());
    ns.map_or_else(seconds_since_start, |ns| ns / 1e9)
}

#[allow(clippy::disallowed_methods)] // it measures the program itself
fn seconds_since_start() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}
