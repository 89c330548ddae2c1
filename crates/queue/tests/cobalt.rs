//! COBALT's two halves, alone and in flows.

use crate::bench::{Bench, fault, us};
use sojourn_base::{Ecn, Preset, Time};
use sojourn_queue::Reason;

fn ms(ms: u64) -> Time {
    us(ms * 1_000)
}

/// A queue held at 100 packets and dequeued every 10 us, so that each packet waits 1 ms: when
/// packets were dropped, in ms since the first dequeue.
fn hold(preset: Preset, target: &str, until_ms: u64) -> Vec<f64> {
    let mut bench = Bench::under(preset, "cobalt", &[("limit", "none"), ("target", target)]);
    for _ in 0..100 {
        bench.arrive(us(0), 1000);
    }
    // An activity timeout that has run out would bring the first signal at once.
    bench.poke("drop_next", 1.0);
    let (mut drops, mut seen) = (Vec::new(), 0);
    for k in 0..until_ms * 100 {
        let now = us(1_000 + k * 10);
        bench.arrive(now, 1000);
        bench.dequeue(now);
        while seen < bench.drops(Reason::Target) {
            seen += 1;
            bench.arrive(now, 1000);
            drops.push(k as f64 * 0.01);
        }
    }
    drops
}

/// COBALT's control law, worked by hand: the k-th signal at 100 times the sum of 1/sqrt(j) from 1
/// to k: as `CoDel`'s first, one step ahead of it afterwards.
#[test]
fn signals_are_one_step_ahead_of_codel() {
    for preset in [Preset::Reference, Preset::Linux, Preset::Ns3] {
        let drops = hold(preset, "500 us", 500);
        assert!(drops.len() > 7);
        let mut due = 0.0;
        for (k, &at) in drops.iter().enumerate() {
            due += 100.0 / libm::sqrt((k + 1) as f64);
            assert!((at - due).abs() < 0.2, "{preset} {k}: {at} {due}");
        }
    }
    assert!(
        hold(Preset::Reference, "1 ms", 300).is_empty(),
        "a target is not above itself"
    );
}

/// Good packets let the count fall at the pace at which bad ones raised it.
#[test]
fn the_count_decays() {
    let mut bench = Bench::new("cobalt", &[]);
    for _ in 0..9 {
        bench.arrive(ms(1_000), 1000);
    }
    bench.poke("count", 3.0);
    bench.poke("drop_next", 0.8);
    // Due at 800 ms: 2, next at 870.7; 1, next at 970.7; 0, next at 1070.7, which is to come.
    bench.dequeue(ms(1_000));
    assert_eq!((bench.probe("count"), bench.probe("dropping")), (0.0, 0.0));
    assert!(
        (bench.probe("drop_next") - 1.1).abs() < 1e-9,
        "the activity timeout"
    );
    bench.poke("count", 3.0);
    bench.poke("drop_next", 0.95);
    bench.dequeue(ms(1_000));
    assert_eq!(bench.probe("count"), 2.0);
    assert!((bench.probe("drop_next") - 1.020_71).abs() < 1e-5);
}

/// Overflow and emptiness move BLUE's probability, each at most once per target.
#[test]
fn blue_moves_by_overflow_and_emptiness() {
    let mut bench = Bench::new("cobalt", &[("limit", "1 packets")]);
    bench.arrive(ms(0), 1000);
    for k in 1..=100 {
        bench.arrive(ms(k), 1000);
    }
    // More than 5 ms apart: at 6, 12, 18 ... 96.
    assert_eq!(bench.probe("p_drop"), 16.0 / 256.0);
    assert_eq!((bench.probe("count"), bench.probe("dropping")), (1.0, 1.0));
    assert_eq!(bench.probe("drop_next"), 0.1);
    while bench.dequeue(ms(101)).is_some() {}
    assert_eq!(bench.probe("p_drop"), 16.0 / 256.0, "5 ms since the last");
    bench.dequeue(ms(102));
    assert_eq!(bench.probe("p_drop"), 16.0 / 256.0 - 1.0 / 4096.0);
    for _ in 0..5 {
        bench.dequeue(ms(103));
    }
    assert_eq!(bench.probe("p_drop"), 16.0 / 256.0 - 1.0 / 4096.0);
}

#[test]
fn blue_drops_what_codel_would_mark() {
    let params = [("ecn", "true"), ("limit", "none")];
    let mut bench = Bench::new("cobalt", &params);
    for _ in 0..400 {
        bench.enqueue(ms(0), 0, 1000, Ecn::Ect0);
    }
    bench.poke("p_drop", 0.5);
    for _ in 0..100 {
        bench.dequeue(ms(1));
    }
    let blue = bench.drops(Reason::Blue);
    assert!((60..140).contains(&blue), "{blue}");
    assert_eq!((bench.marks(), bench.drops(Reason::Target)), (0, 0));
    let mut ns3 = Bench::under(Preset::Ns3, "cobalt", &[]);
    ns3.arrive(ms(0), 1000);
    ns3.poke("p_drop", 1.0);
    assert!(ns3.dequeue(ms(1)).is_none(), "even the last");
    assert_eq!(ns3.drops(Reason::Target), 1);
    let mut reference = Bench::new("cobalt", &[]);
    reference.arrive(ms(0), 1000);
    reference.poke("p_drop", 1.0);
    assert!(reference.dequeue(ms(1)).is_some(), "not the last");
}

#[test]
fn marks_by_law_and_by_threshold() {
    let params = [("ecn", "true"), ("ce_threshold", "1 ms")];
    let mut bench = Bench::new("cobalt", &params);
    for _ in 0..9 {
        bench.enqueue(ms(0), 0, 1000, Ecn::Ect0);
    }
    bench.poke("count", 1.0);
    bench.poke("drop_next", 0.01);
    assert_eq!(bench.dequeue(us(1_000)).unwrap().ecn, Ecn::Ect0);
    assert_eq!(bench.dequeue(us(1_001)).unwrap().ecn, Ecn::Ce);
    bench.poke("dropping", 1.0);
    assert_eq!(bench.dequeue(ms(10)).unwrap().ecn, Ecn::Ce);
    let why: Vec<Reason> = bench.record.marked.iter().map(|(_, why)| *why).collect();
    assert_eq!(why, [Reason::CeThreshold, Reason::Target]);
    assert_eq!(bench.probe("count"), 2.0);
    let mut l4s = Bench::new("cobalt", &[("l4s", "true"), ("ce_threshold", "1 ms")]);
    l4s.poke("p_drop", 1.0);
    for _ in 0..2 {
        l4s.enqueue(ms(0), 0, 1000, Ecn::Ect1);
    }
    assert_eq!(l4s.dequeue(ms(2)).unwrap().ecn, Ecn::Ce);
}

/// ns-3: a sojourn above 400 ms counts as an overflow.
#[test]
fn a_long_sojourn_moves_blue_in_ns3() {
    for (preset, wait, p) in [
        (Preset::Ns3, 401, 1.0 / 256.0),
        (Preset::Ns3, 400, 0.0),
        (Preset::Reference, 401, 0.0),
    ] {
        let mut bench = Bench::under(preset, "cobalt", &[]);
        for _ in 0..3 {
            bench.arrive(ms(0), 1000);
        }
        bench.dequeue(ms(wait));
        assert_eq!(bench.probe("p_drop"), p, "{preset} {wait}");
    }
}

/// In flows: the fattest loses its head, and its COBALT hears of it, save in ns-3.
#[test]
fn in_flows_an_overflow_is_told() {
    for (preset, count) in [
        (Preset::Reference, 1.0),
        (Preset::Linux, 1.0),
        (Preset::Ns3, 0.0),
    ] {
        let mut bench = Bench::under(preset, "fq_cobalt", &[("limit", "4 packets")]);
        for flow in [0, 0, 0, 1, 1] {
            bench.enqueue(ms(9), flow, 1000, Ecn::NotEct);
        }
        assert_eq!(bench.probe("flow[0].count"), count, "{preset}");
        assert_eq!(bench.probe("flow[1].count"), 0.0);
        let dropped = if preset == Preset::Linux { 1 } else { 2 };
        assert_eq!(
            bench.drops(Reason::Overlimit),
            dropped,
            "half of 3000 takes two"
        );
    }
}

#[test]
fn flows_are_judged_apart() {
    let mut bench = Bench::new("fq_cobalt", &[]);
    for flow in [0, 0, 0, 1, 1, 1] {
        bench.enqueue(ms(0), flow, 1000, Ecn::NotEct);
    }
    bench.poke("flow[0].p_drop", 1.0);
    let order: Vec<u64> = (0..4)
        .map_while(|_| bench.dequeue(ms(1)).map(|p| p.id))
        .collect();
    assert_eq!(order, [2, 3, 4, 5], "flow 0 keeps only its last");
    assert_eq!(bench.drops(Reason::Blue), 2);
}

#[test]
fn impossible_parameters_are_named() {
    for name in ["cobalt", "fq_cobalt"] {
        let text = fault(name, &[("interval", "0 s")], Preset::Reference);
        assert!(text.starts_with("interval"), "{text}");
    }
}

/// An empty dequeue takes one off the count, if that is due: at 100 ms, and then 100/sqrt(3) ms on.
#[test]
fn emptiness_takes_what_is_due_off_the_count() {
    let mut bench = Bench::new("cobalt", &[]);
    bench.poke("count", 4.0);
    bench.poke("drop_next", 0.1);
    for (at, count) in [(99, 4.0), (100, 3.0), (157, 3.0), (158, 2.0)] {
        bench.dequeue(ms(at));
        assert_eq!(bench.probe("count"), count, "{at} ms");
    }
}

/// After a pause the due time lies in the past: the first late packet sets it to now, and the
/// second is dropped at once.
#[test]
fn a_queue_that_is_late_at_once_is_signalled_at_once() {
    let mut bench = Bench::new("cobalt", &[]);
    for _ in 0..9 {
        bench.arrive(ms(0), 1000);
    }
    let ids = [200, 200, 200].map(|at| bench.dequeue(ms(at)).expect("nine wait").id);
    assert_eq!(ids, [0, 2, 3]);
    assert_eq!(bench.drops(Reason::Target), 1);
}

/// A mark is told of packets that go on, and not of those that BLUE drops then; but ns-3 counts
/// these too.
#[test]
fn a_packet_that_blue_drops_is_not_told_as_marked() {
    for (name, preset, both) in [
        ("cobalt", Preset::Reference, false),
        ("cobalt", Preset::Linux, false),
        ("fq_cobalt", Preset::Linux, false),
        ("cake", Preset::Linux, false),
        ("cobalt", Preset::Ns3, true),
    ] {
        let ecn = [("ecn", "true")];
        let mut bench = Bench::under(preset, name, if name == "cake" { &[] } else { &ecn });
        let p_drop = if name == "cobalt" {
            "p_drop"
        } else {
            "flow[0].p_drop"
        };
        for at in 0..600 {
            for _ in 0..2 {
                bench.enqueue(ms(at), 0, 1000, Ecn::Ect0);
            }
            if at == 200 {
                bench.poke(p_drop, 0.5);
            }
            bench.dequeue(ms(at));
        }
        let marked: Vec<u64> = bench.record.marked.iter().map(|(p, _)| p.id).collect();
        let dropped = bench.record.dropped.iter();
        let dropped: Vec<u64> = dropped.map(|(p, _)| p.id).collect();
        let told = (marked.len(), dropped.len());
        assert!(told.0 >= 5 && told.1 > 50, "{name} {preset}: {told:?}");
        let is_both = marked.iter().any(|id| dropped.contains(id));
        assert_eq!(is_both, both, "{name} {preset}");
    }
}
