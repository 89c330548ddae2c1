//! One flow against ns-2.35, packet by packet: 10 Mbit/s 3 ms, 1.5 Mbit/s 20 ms with drop-tail of
//! limit 20 (which in ns-2 holds 19), 10 Mbit/s 3 ms; 1000-byte segments with 40 bytes of header.

use crate::bench::{Bench, Link};
use sojourn_base::{Preset, Rate, Span, Time};

/// The first drops of all four, as segment numbers.
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

/// After 60 s ns-2 has so many segments acknowledged, sent in all, and sent again.
struct Totals(u64, u64, u64);

fn check(cc: &str, sack: &'static str, theirs: &Totals) {
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
    let counts = bench.sender.counts();
    let acked = bench.sender.acknowledged() / 1000;
    assert_eq!(acked, theirs.0, "{cc} sack {sack}");
    // The SYN is one of them.
    assert_eq!(counts.segments, theirs.1, "{cc} sack {sack}");
    assert_eq!(counts.retransmits, theirs.2, "{cc} sack {sack}");
}

#[test]
fn tahoe_as_in_ns2() {
    check("tahoe", "false", &Totals(10_040, 10_160, 87));
}

#[test]
fn reno_as_in_ns2() {
    check("reno", "false", &Totals(10_673, 10_776, 86));
}

#[test]
fn newreno_as_in_ns2() {
    check("newreno", "false", &Totals(10_690, 10_798, 90));
}

#[test]
fn sack_as_in_ns2() {
    check("newreno", "true", &Totals(10_719, 10_816, 58));
}
