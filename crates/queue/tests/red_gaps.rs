//! How RED spaces its drops: the gaps between them, the pause after one, sizes in bytes.

use std::collections::BTreeMap;

use crate::bench::{Bench, us};
use sojourn_base::{Ecn, Preset};

/// An average that does not move by itself, for probabilities at a given average.
const STILL: (&str, &str) = ("w_q", "1e-300");

/// Gaps between early drops at p = 1/10, and how often each came.
fn gaps(preset: Preset, wait: &str) -> BTreeMap<u32, u32> {
    // A shade above the middle of the band, so that rounding does not shift the last gap.
    let (weight, avg) = if preset == Preset::Linux {
        ("4.656612873077393e-10", 10_001.0)
    } else {
        ("1e-12", 10.000_001)
    };
    let params = [
        ("w_q", weight),
        ("min_th", "5 packets"),
        ("max_th", "15 packets"),
        ("max_p", "0.2"),
        ("wait", wait),
        ("limit", "100 packets"),
    ];
    let mut bench = Bench::under(preset, "red", &params);
    // ns-2 and ns-3 never drop early with one packet queued.
    for _ in 0..3 {
        bench.arrive(us(0), 500);
    }
    bench.poke("avg", avg);
    let mut gaps = BTreeMap::new();
    let mut gap = 0;
    for k in 0..60_000 {
        gap += 1;
        if !bench.pass(us(k), 500, Ecn::NotEct) {
            *gaps.entry(gap).or_default() += 1;
            gap = 0;
        }
    }
    gaps
}

/// Every gap of the range as often as any other, within five standard deviations.
fn assert_uniform(gaps: &BTreeMap<u32, u32>, from: u32, to: u32) {
    let mut gaps = gaps.clone();
    // The first gap began before the count did.
    gaps.retain(|_, &mut n| n > 5);
    let found: Vec<u32> = gaps.keys().copied().collect();
    assert_eq!(found, (from..=to).collect::<Vec<_>>());
    let n = f64::from(gaps.values().sum::<u32>());
    let p = 1.0 / f64::from(to + 1 - from);
    let bound = 5.0 * (n * p * (1.0 - p)).sqrt();
    for (gap, &times) in &gaps {
        assert!(
            (f64::from(times) - n * p).abs() < bound,
            "{gap}: {times} of {n}"
        );
    }
}

#[test]
fn without_wait_gaps_are_uniform_from_1() {
    assert_uniform(&gaps(Preset::Reference, "false"), 1, 10);
    assert_uniform(&gaps(Preset::Linux, "false"), 1, 10);
    // Counting the arrival first ends the gap one earlier.
    assert_uniform(&gaps(Preset::Ns3, "false"), 1, 9);
}

#[test]
fn with_wait_gaps_are_uniform_from_1_over_p() {
    assert_uniform(&gaps(Preset::Reference, "true"), 10, 19);
    assert_uniform(&gaps(Preset::Ns3, "true"), 10, 19);
}

/// In bytes a packet of 1000 is dropped twice as often as one of 500, within its probability.
#[test]
fn in_bytes_large_packets_are_dropped_more_often() {
    let params = [
        STILL,
        ("bytes", "true"),
        ("limit", "100 kB"),
        ("min_th", "5 packets"),
        ("max_th", "7500 B"),
        ("max_p", "0.02"),
        ("wait", "false"),
    ];
    for preset in [Preset::Reference, Preset::Ns3, Preset::Ns2] {
        let mut bench = Bench::under(preset, "red", &params);
        bench.arrive(us(0), 500);
        let mut drops = [0_u32; 2];
        for k in 0..200_000 {
            // A count of 0 leaves the plain probability: a hundredth for the mean packet.
            bench.poke("avg", 5000.0);
            bench.poke("count", 0.0);
            let large = k % 2;
            let taken = bench.pass(us(0), 500 + 500 * large, Ecn::NotEct);
            drops[large as usize] += u32::from(!taken);
        }
        assert!(
            (f64::from(drops[0]) - 1000.0).abs() < 170.0,
            "{preset} {drops:?}"
        );
        assert!(
            (f64::from(drops[1]) - 2000.0).abs() < 240.0,
            "{preset} {drops:?}"
        );
    }
}

/// In bytes ns-2 and ns-3 count bytes between drops: with 1000-byte packets and a mean of 500 the
/// pause of 1/p = 10 mean packets is over after 5, and at the 9th 2 p / (2 - 18 p) is 1.
#[test]
fn in_bytes_the_pause_counts_bytes() {
    let params = [
        STILL,
        ("bytes", "true"),
        ("limit", "100 kB"),
        ("min_th", "5 packets"),
        ("max_th", "15 packets"),
        ("max_p", "0.2"),
        ("wait", "true"),
    ];
    for preset in [Preset::Ns3, Preset::Ns2] {
        let mut bench = Bench::under(preset, "red", &params);
        bench.arrive(us(0), 1000);
        bench.poke("avg", 5_000.001);
        bench.pass(us(0), 1000, Ecn::NotEct);
        let mut gap = 0;
        let mut gaps = std::collections::BTreeSet::new();
        for _ in 0..5_000 {
            gap += 1;
            if !bench.pass(us(0), 1000, Ecn::NotEct) {
                gaps.insert(gap);
                gap = 0;
            }
        }
        assert_eq!(gaps.first(), Some(&5), "{preset} {gaps:?}");
        assert_eq!(gaps.last(), Some(&9), "{preset} {gaps:?}");
    }
}

/// The paper and ns-2 count anew after a full buffer; ns-3 and Linux count on.
#[test]
fn a_full_buffer_ends_the_count() {
    for (preset, count) in [
        (Preset::Reference, 0.0),
        (Preset::Ns2, 0.0),
        (Preset::Ns3, 7.0),
    ] {
        let params = [
            STILL,
            ("bytes", "false"),
            ("max_th", "15 packets"),
            ("limit", "3 packets"),
        ];
        let mut bench = Bench::under(preset, "red", &params);
        bench.poke("avg", 6.0);
        for _ in 0..3 {
            bench.arrive(us(0), 500);
        }
        bench.poke("max_p", 1e-9);
        bench.arrive(us(0), 500);
        bench.poke("count", 6.0);
        assert!(!bench.arrive(us(0), 500));
        assert_eq!(bench.probe("count"), count, "{preset}");
    }
}
