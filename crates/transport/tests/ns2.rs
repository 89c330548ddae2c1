//! One flow against ns-2.35, packet by packet: 10 Mbit/s 3 ms, 1.5 Mbit/s 20 ms with drop-tail of
//! limit 20 (which in ns-2 holds 19), 10 Mbit/s 3 ms; 1000-byte segments with 40 bytes of header.

mod bench;

use bench::{Bench, Link};
use sojourn_base::{Preset, Rate, Span, Time};

/// The first drops of all four, as segment numbers, and the last number acknowledged after 60 s.
const FIRST_DROPS: [u64; 20] = [
    58, 60, 62, 64, 66, 68, 70, 72, 74, 76, 78, 80, 82, 84, 86, 88, 90, 92, 94, 96,
];

fn run(cc: &str, sack: &'static str) -> Bench {
    let rate = |bps| Rate::from_bps(bps);
    let links = vec![
        Link::new(rate(10_000_000), Span::from_ms(3), 1000),
        Link::new(rate(1_500_000), Span::from_ms(20), 19),
        Link::new(rate(10_000_000), Span::from_ms(3), 1000),
    ];
    // Acknowledgements of 40 bytes never wait: 32 us on each fast link, 213.3 us on the slow one.
    let back = Span::from_us(26_000 + 32 + 32) + Span::from_ps(213_333_333);
    let keys = [("window", "1000 packets"), ("sack", sack)];
    let mut bench = Bench::over(cc, Preset::Ns2, links, back, &keys);
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_whole_s(60));
    bench
}

fn check(cc: &str, sack: &'static str, total: f64) {
    let bench = run(cc, sack);
    let drops: Vec<u64> = bench
        .refused
        .iter()
        .take(20)
        .map(|(_, segment)| segment.seq.div_ceil(1000))
        .collect();
    assert_eq!(drops, FIRST_DROPS, "{cc}");
    let (at, _) = bench.refused[0];
    assert!((at.as_s() - 0.367_277).abs() < 2e-6, "{cc}: {at}");
    let acked = bench.sender.acknowledged() as f64 / 1000.0;
    assert!(
        (acked / total - 1.0).abs() < 0.01,
        "{cc} sack {sack}: {acked} {total}"
    );
}

#[test]
fn tahoe_as_in_ns2() {
    check("tahoe", "false", 10_040.0);
}

#[test]
fn reno_as_in_ns2() {
    check("reno", "false", 10_673.0);
}

#[test]
fn newreno_as_in_ns2() {
    check("newreno", "false", 10_690.0);
}

#[test]
fn sack_as_in_ns2() {
    check("newreno", "true", 10_719.0);
}
