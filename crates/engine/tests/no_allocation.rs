//! Once warm, the run loop does not allocate.

#![allow(unsafe_code, clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::AtomicBool;

use sojourn_base::{Bytes, Distribution, Ecn, LinkInfo, Preset, Rate, Scalar, Span, Stream, Time};
use sojourn_engine::{FlowSpec, LinkSpec, Simulation, Traffic};

/// The system's allocator, counting.
struct Counting;

thread_local! {
    /// Of this thread alone: the test harness allocates on its own whenever it likes.
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

// SAFETY: every call goes on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

#[test]
fn the_loop_does_not_allocate_once_warm() {
    let rate = Rate::from_bps(8_000_000).unwrap();
    let delay = Span::from_ms(10);
    let info = LinkInfo {
        rate,
        delay,
        mtu: Bytes::new(1500),
        base_rtt: Span::from_ms(40),
    };
    for entry in sojourn_queue::DISCIPLINES {
        // SFQ's perturbation moves flows to buckets that were never used: not warm by design.
        let params = [("perturb", Scalar::Text("0 s"))];
        let discipline =
            sojourn_queue::build(entry.name, &params, Preset::Reference, &info).unwrap();
        let link = LinkSpec {
            name: "bottleneck".to_owned(),
            from: 0,
            to: 1,
            rate,
            delay,
            overhead: Bytes::ZERO,
            device_queue: 0,
            discipline,
            random: Stream::new(1),
        };
        let flow = |i: u64| FlowSpec {
            name: format!("f{i}"),
            from: i as u32,
            to: 9,
            path: vec![0],
            way_back: Vec::new(),
            traffic: Traffic::Datagrams {
                source: sojourn_traffic::build(
                    "cbr",
                    &[("rate", Scalar::Base(3e6))],
                    Preset::Reference,
                    Distribution::constant(Bytes::new(500)),
                    Bytes::ZERO,
                )
                .unwrap(),
                header: Bytes::ZERO,
                ecn: Ecn::NotEct,
            },
            dscp: 0,
            start: Time::ZERO + Span::from_us(100 * i),
            stop: Time::NEVER,
            gaps: Stream::new(i),
            sizes: Stream::new(i),
        };
        let cancel = AtomicBool::new(false);
        let mut simulation = Simulation::new(vec![link], (0..3).map(flow).collect(), ());
        simulation
            .run_until(Time::ZERO + Span::from_whole_s(5), &cancel)
            .unwrap();
        let before = ALLOCATIONS.get();
        simulation
            .run_until(Time::ZERO + Span::from_whole_s(20), &cancel)
            .unwrap();
        let during = ALLOCATIONS.get() - before;
        assert_eq!(during, 0, "{}", entry.name);
    }
}
