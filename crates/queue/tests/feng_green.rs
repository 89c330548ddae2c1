//! Feng's GREEN against TCP's equation.

use crate::bench::{self, Bench, fault, link, us};
use sojourn_base::{Ecn, Preset, Span};
use sojourn_queue::{Discipline, Reason};

/// The probability once `flows` flows have sent a packet of `size` over the link of 8 Mbit/s.
fn prob(flows: u32, size: u64, rtt_ms: u64) -> f64 {
    let mut bench = Bench::new("feng_green", &[("limit", "none")]);
    bench.rtt = Some(Span::from_ms(rtt_ms));
    for flow in 0..flows {
        bench.enqueue(us(0), flow, size, Ecn::NotEct);
    }
    bench.probe("prob")
}

/// Ten flows of 1000 bytes over 40 ms: (10 * 8000 * 1.2247 / (8e6 * 0.04))^2 = 0.09375 = 3/32.
#[test]
fn the_equation() {
    assert!((prob(10, 1_000, 40) - 3.0 / 32.0).abs() < 1e-12);
    assert!((prob(20, 1_000, 40) - 4.0 * 3.0 / 32.0).abs() < 1e-12);
    assert!((prob(10, 500, 40) - 3.0 / 128.0).abs() < 1e-12);
    assert!((prob(10, 1_000, 80) - 3.0 / 128.0).abs() < 1e-12);
    assert_eq!(prob(90, 1_000, 40), 1.0);
}

/// With these losses TCP's equation gives every flow its N-th part, whatever its round-trip time.
#[test]
fn losses_bring_every_flow_to_its_share() {
    for (flows, rtt_ms) in [(2, 10), (2, 200), (5, 30), (10, 100)] {
        let p = prob(flows, 1_000, rtt_ms);
        let window = libm::sqrt(1.5 / p);
        let bps = window * 8_000.0 / (rtt_ms as f64 / 1e3);
        assert!((bps * f64::from(flows) / 8e6 - 1.0).abs() < 1e-9, "{bps}");
    }
}

/// A flow counts as long as its last packet lies within the window.
#[test]
fn flows_are_counted_within_the_window() {
    let mut bench = Bench::new("feng_green", &[("window", "100 ms")]);
    let mut hear = |ms: u64, flow| {
        bench.enqueue(us(ms * 1_000), flow, 1_000, Ecn::NotEct);
        bench.probe("active")
    };
    assert_eq!((hear(0, 1), hear(0, 1), hear(50, 2)), (1.0, 1.0, 2.0));
    assert_eq!(hear(100, 3), 3.0, "flow 1 was heard just within it");
    assert_eq!(hear(101, 3), 2.0);
    assert_eq!(hear(150, 1), 3.0);
    assert_eq!(hear(151, 1), 2.0, "flow 2 is gone");
}

/// Dropped is the share that the equation says, whatever waits; ECN-capable packets are marked.
#[test]
fn arrivals_are_dropped_or_marked_with_it() {
    for (ecn, marked) in [("false", false), ("true", true)] {
        let mut bench = Bench::new("feng_green", &[("ecn", ecn), ("limit", "none")]);
        for k in 0..40_000_u64 {
            // 40 ms of base round-trip time is the link's.
            bench.enqueue(us(k), (k % 10) as u32, 1_000, Ecn::Ect0);
        }
        let signals = bench.drops(Reason::Unforced) + bench.marks();
        let expected = 40_000.0 * 3.0 / 32.0;
        let sd = libm::sqrt(expected * 29.0 / 32.0);
        assert!((signals as f64 - expected).abs() < 5.0 * sd, "{signals}");
        assert_eq!(bench.marks() == signals, marked);
    }
}

#[test]
fn a_round_trip_time_is_needed() {
    let text = fault("feng_green", &[("rtt", "0 s")], Preset::Reference);
    assert!(text.starts_with("rtt: found 0 s"), "{text}");
    let text = fault("feng_green", &[("c", "0")], Preset::Reference);
    assert!(text.starts_with("c:"), "{text}");
    let mut near = link(8);
    near.base_rtt = Span::ZERO;
    let made = bench::make("feng_green", &[], Preset::Reference, &near);
    assert!(made.is_err_and(|error| format!("{error:?}").contains("no path takes any time")));
}

/// Twice the rate and twice the round-trip time of the link make a sixteenth; a link on which no
/// path takes any time leaves the round-trip time as it was.
#[test]
fn the_equation_follows_the_link() {
    for (rtt_ms, expected) in [(80, 3.0 / 512.0), (0, 3.0 / 128.0)] {
        let mut bench = Bench::new("feng_green", &[("limit", "none")]);
        let mut fast = link(16);
        fast.base_rtt = Span::from_ms(rtt_ms);
        bench.discipline.on_link(&fast);
        for flow in 0..10 {
            bench.enqueue(us(0), flow, 1_000, Ecn::NotEct);
        }
        assert!((bench.probe("prob") - expected).abs() < 1e-12, "{rtt_ms}");
    }
}
