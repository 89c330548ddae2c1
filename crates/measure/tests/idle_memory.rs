//! A flow over TCP takes less than 1 kB until it starts: in the simulation and in the meter.

#![allow(unsafe_code, clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use sojourn_base::{Bytes, LinkInfo, ParamSet, Preset, Rate, Span, Stream, Time};
use sojourn_engine::{FlowSpec, LinkSpec, Simulation, Traffic};
use sojourn_measure::Meter;
use sojourn_transport::{Config, CongestionControl, Start, TcpParams};

/// The system's allocator, counting the bytes in use.
struct Counting;

thread_local! {
    /// Of this thread alone: the test harness allocates on its own whenever it likes.
    static IN_USE: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: every call goes on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.set(IN_USE.get().wrapping_add(layout.size()));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.set(IN_USE.get().wrapping_sub(layout.size()));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// One direction of the link that all flows share.
fn link(from: u32, to: u32) -> LinkSpec {
    let info = LinkInfo {
        rate: Rate::from_bps(1_000_000_000).unwrap(),
        delay: Span::from_ms(10),
        mtu: Bytes::new(1500),
        framing: Bytes::ZERO,
        base_rtt: Span::from_ms(20),
    };
    LinkSpec {
        name: format!("{from}->{to}"),
        from,
        to,
        rate: info.rate,
        changes: None,
        losses: None,
        jitter: None,
        reorders: false,
        delay: info.delay,
        overhead: Bytes::ZERO,
        device_queue: 0,
        discipline: sojourn_queue::build("droptail", &(), Preset::Reference, &info).unwrap(),
        random: Stream::new(1),
    }
}

/// NewReno's `number`-th flow, which starts in an hour.
fn flow(number: u64, config: &Arc<Config>, start: &Start) -> FlowSpec {
    let bulk = sojourn_traffic::build_application("bulk", &(), Preset::Reference, Bytes::new(1460));
    let start = start.clone();
    FlowSpec {
        name: format!("bulk.{number}"),
        from: 0,
        to: 1,
        path: vec![0],
        way_back: vec![1],
        traffic: Traffic::Streams {
            application: bulk.unwrap(),
            config: config.clone(),
            controller: Box::new(move |_| {
                sojourn_transport::build("newreno", &(), Preset::Reference, &start).unwrap()
            }),
        },
        dscp: 0,
        start: Time::ZERO + Span::from_whole_s(3600),
        stop: Time::NEVER,
        gaps: Stream::new(number),
        sizes: Stream::new(number),
    }
}

/// The bytes that a network of so many flows takes.
fn bytes(flows: usize) -> usize {
    let start = Start::of(1460, 10);
    let controller = sojourn_transport::build("newreno", &(), Preset::Reference, &start).unwrap();
    let params = TcpParams::read(&(), Preset::Reference).unwrap();
    let config = Arc::new(Config::new(&params, Preset::Reference, &controller.needs()).unwrap());
    let before = IN_USE.get();
    let mut specs = Vec::with_capacity(flows);
    specs.extend((0..flows as u64).map(|number| flow(number, &config, &start)));
    let simulation = Simulation::new(vec![link(0, 1), link(1, 0)], specs, Meter::new(flows, 2));
    let bytes = IN_USE.get() - before;
    drop(simulation);
    bytes
}

#[test]
fn an_idle_flow_takes_less_than_a_kilobyte() {
    let each = (bytes(2048) - bytes(1024)) / 1024;
    assert!(each < 1000, "{each} bytes");
}
