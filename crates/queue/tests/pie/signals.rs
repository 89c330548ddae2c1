//! Who is dropped and who is marked.

use sojourn_base::{Ecn, Preset};
use sojourn_queue::Reason;

use super::standing;
use crate::bench::{Bench, us};

/// Without derandomization an arrival is dropped with p itself, in byte mode in proportion.
#[test]
fn the_share_of_drops() {
    for (params, size, share) in [
        (&[("t_update", "1000 s")][..], 500, 0.3),
        (&[("t_update", "1000 s"), ("bytes", "true")][..], 500, 0.15),
    ] {
        let mut bench = standing(Preset::Reference, params, 9, 0.3);
        let mut dropped = 0;
        for k in 0..20_000 {
            dropped += u32::from(!bench.pass(us(1 + k), size, Ecn::NotEct));
            bench.poke("qdelay_old", 0.02);
        }
        let found = f64::from(dropped) / 20_000.0;
        assert!((found - share).abs() < 0.012, "{found} {share}");
    }
}

#[test]
fn marks_below_the_threshold_and_drops_above() {
    for (preset, prob, marks) in [
        (Preset::Reference, 0.0999, true),
        (Preset::Reference, 0.1, false),
        (Preset::Ns3, 0.1, false),
        (Preset::Linux, 0.1, true),
        (Preset::Linux, 0.1001, false),
    ] {
        let mut bench = standing(preset, &[("ecn", "true"), ("limit", "none")], 9, prob);
        for k in 0..400 {
            bench.poke("burst", 0.0);
            bench.enqueue(us(1 + k), 0, 1000, Ecn::Ect0);
        }
        let dropped = bench.drops(Reason::Unforced);
        let told = bench.marks() + dropped;
        assert!(told > 5, "{preset} {prob}: {told}");
        assert_eq!(
            (bench.marks() > 0, dropped > 0),
            (marks, !marks),
            "{preset} {prob}"
        );
    }
    let mut bench = standing(Preset::Reference, &[("ecn", "true")], 9, 0.09);
    for k in 0..400 {
        bench.arrive(us(1 + k), 1000);
    }
    assert_eq!(bench.marks(), 0, "what cannot be marked is dropped");
    assert!(bench.drops(Reason::Unforced) > 0);
}

#[test]
fn scalable_senders_are_marked_by_threshold_only() {
    let params = [("l4s", "true"), ("ce_threshold", "1 ms"), ("limit", "none")];
    let mut bench = standing(Preset::Reference, &params, 9, 1.0);
    assert!(bench.enqueue(us(1), 0, 1000, Ecn::Ect1));
    assert!(!bench.enqueue(us(1), 0, 1000, Ecn::Ect0));
    while bench.packets() > 1 {
        bench.dequeue(us(1));
    }
    assert_eq!(bench.dequeue(us(1_002)).unwrap().ecn, Ecn::Ce);
    assert_eq!(bench.record.marked[0].1, Reason::CeThreshold);
}

#[test]
fn the_ce_threshold_is_for_scalable_senders_that_waited() {
    let params = [("l4s", "true"), ("ecn", "true"), ("ce_threshold", "2 ms")];
    let mut bench = Bench::new("pie", &params);
    for ecn in [Ecn::Ect1, Ecn::Ect1, Ecn::Ect0, Ecn::NotEct] {
        bench.enqueue(us(0), 0, 1000, ecn);
    }
    let marks = [2_000, 2_100, 9_000, 9_000].map(|at| {
        bench.dequeue(us(at));
        bench.marks()
    });
    assert_eq!(marks, [0, 1, 1, 1]);
}

/// ns-3 looks at no delay of a scalable packet.
#[test]
fn scalable_packets_are_no_measure_of_the_delay_of_ns3() {
    for (preset, delay) in [(Preset::Reference, 0.05), (Preset::Ns3, 0.0)] {
        let params = [("l4s", "true"), ("ce_threshold", "100 ms")];
        let mut bench = Bench::under(preset, "pie", &params);
        for ecn in [Ecn::Ect1, Ecn::NotEct] {
            bench.enqueue(us(0), 0, 1000, ecn);
        }
        bench.dequeue(us(50_000));
        assert!((bench.probe("qdelay") - delay).abs() < 1e-9, "{preset}");
    }
}
