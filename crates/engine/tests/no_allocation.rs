//! Once warm, the run loop does not allocate.

#![allow(unsafe_code, clippy::unwrap_used)]

mod bench;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use bench::{RUNNING, us};
use sojourn_base::{Bytes, Distribution, Preset, Scalar, Span};
use sojourn_engine::{LinkSpec, Simulation};

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
    let (bps, delay) = (8_000_000, Span::from_ms(10));
    let info = bench::info(bps, delay);
    for entry in sojourn_queue::DISCIPLINES {
        // SFQ's perturbation moves flows to buckets that were never used: not warm by design.
        let params = [("perturb", Scalar::Text("0 s"))];
        let link = LinkSpec {
            discipline: sojourn_queue::build(entry.name, &params, Preset::Reference, &info)
                .unwrap(),
            ..bench::link((0, 1), bps, delay, "droptail", "50 packets")
        };
        let flow = |i: u64| {
            let rate = [("rate", Scalar::Base(3e6))];
            let size = Distribution::constant(Bytes::new(500));
            bench::flow(&[0], "cbr", &rate, size, us(100 * i), i)
        };
        let mut simulation = Simulation::new(vec![link], (0..3).map(flow).collect(), ());
        simulation.run_until(us(5_000_000), &RUNNING).unwrap();
        let before = ALLOCATIONS.get();
        simulation.run_until(us(20_000_000), &RUNNING).unwrap();
        let during = ALLOCATIONS.get() - before;
        assert_eq!(during, 0, "{}", entry.name);
    }
}
