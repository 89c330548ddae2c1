//! The sum of probabilities that spaces signals.

use sojourn_base::{Ecn, Preset};
use sojourn_queue::Reason;

use super::{close, standing};
use crate::bench::us;

/// Drops at probability p by `derandomize` come 0.85/p to 8.5/p packets apart, ceil(0.85/p) - 1 +
/// 1/p in the mean: 18 at p = 0.1.
#[test]
fn derandomized_drops_are_spaced() {
    let params = [("derandomize", "true"), ("t_update", "1000 s")];
    let mut bench = standing(Preset::Reference, &params, 0, 0.0);
    for _ in 0..5 {
        bench.arrive(us(0), 1000);
    }
    bench.poke("prob", 0.1);
    let (mut gap, mut gaps) = (0_u32, Vec::new());
    bench.poke("qdelay", 0.02);
    bench.poke("qdelay_old", 0.02);
    for k in 0..40_000_u64 {
        gap += 1;
        bench.poke("qdelay", 0.02);
        if !bench.pass(us(1 + k), 1000, Ecn::NotEct) {
            gaps.push(gap);
            gap = 0;
        }
    }
    assert!(gaps.iter().all(|&gap| (9..=85).contains(&gap)));
    let mean = f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64;
    assert!((mean - 18.0).abs() < 0.8, "{mean}");
}

/// Dice are thrown from a sum of 0.85 on; at 8.5 the signal is certain. Linux and ns-3 begin anew
/// then only if it was a drop. Appendix B of the RFC can be read both ways: the reset stands below
/// the branch of drops without braces, indented as its part. We begin anew.
#[test]
fn where_the_sum_decides() {
    let params = [("derandomize", "true")];
    let mut bench = standing(Preset::Reference, &params, 9, 1.0);
    bench.poke("accu", -0.15);
    assert!(!bench.arrive(us(1), 1000), "a sum of 0.85, and a sure die");
    for (preset, after) in [
        (Preset::Reference, 0.0),
        (Preset::Linux, 8.51),
        (Preset::Ns3, 8.51),
    ] {
        let marking = [("derandomize", "true"), ("ecn", "true")];
        let mut bench = standing(preset, &marking, 9, 0.05);
        bench.poke("accu", 8.46);
        assert!(bench.enqueue(us(1), 0, 1000, Ecn::Ect0));
        assert_eq!(bench.marks(), 1, "{preset}");
        close(bench.probe("accu"), after);
    }
}

/// A packet of half the mean size draws with half the probability; the RFC sums up the whole one,
/// Linux what it draws with. Packets above the mean count as one there, by their size elsewhere.
#[test]
fn sizes_in_the_sum() {
    let sum = |preset, size: u64| {
        let params = [
            ("bytes", "true"),
            ("derandomize", "true"),
            ("mean_packet", "1000 B"),
        ];
        let mut bench = standing(preset, &params, 9, 0.4);
        bench.poke("accu", 0.0);
        assert!(bench.arrive(us(1), size));
        bench.probe("accu")
    };
    close(sum(Preset::Reference, 500), 0.4);
    close(sum(Preset::Linux, 500), 0.2);
    close(sum(Preset::Linux, 1000), 0.4);
    close(sum(Preset::Linux, 2000), 0.4);
    let rate = |preset, size: u64| {
        let params = [("bytes", "true"), ("mean_packet", "1000 B")];
        let mut bench = standing(preset, &params, 9, 0.4);
        let lost = (0..1000).filter(|k| !bench.arrive(us(1 + k), size));
        lost.count() as f64 / 1000.0
    };
    assert!((rate(Preset::Reference, 2000) - 0.8).abs() < 0.06);
    assert!((rate(Preset::Reference, 1000) - 0.4).abs() < 0.06);
}

/// A packet refused for want of room is a signal too (RFC 8033, appendix B).
#[test]
fn a_full_queue_and_the_sum() {
    for preset in Preset::ALL {
        let params = [("derandomize", "true"), ("limit", "3 packets")];
        let mut bench = standing(preset, &params, 3, 0.01);
        bench.poke("accu", 0.5);
        assert!(!bench.arrive(us(1), 1000));
        assert_eq!(bench.drops(Reason::Overlimit), 1);
        close(bench.probe("accu"), 0.0);
    }
}

/// A mark by dice ends the sum of the RFC and of Linux, ns-3's goes on.
#[test]
fn a_mark_and_the_sum() {
    for preset in [Preset::Reference, Preset::Linux, Preset::Ns3] {
        let params = [("derandomize", "true"), ("ecn", "true"), ("limit", "none")];
        let mut bench = standing(preset, &params, 9, 0.09);
        bench.poke("accu", 2.0);
        let mut at = 0;
        while bench.marks() == 0 {
            at += 1;
            bench.enqueue(us(at), 0, 1000, Ecn::Ect0);
            assert!(at < 72, "at 8.5 at the latest");
        }
        let sum = bench.probe("accu");
        assert_eq!(sum == 0.0, preset != Preset::Ns3, "{preset} {sum}");
    }
}
