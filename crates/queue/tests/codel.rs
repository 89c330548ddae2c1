//! `CoDel` against the control law of RFC 8289, and against Linux and ns-3 where they differ.

use crate::bench::{Bench, fault, link, us};
use sojourn_base::{Bytes, Ecn, Preset};
use sojourn_queue::{Discipline, Reason};

fn ms(ms: u64) -> sojourn_base::Time {
    us(ms * 1_000)
}

/// A queue held at 100 packets and dequeued every 10 us, so that each packet waits 1 ms: when
/// packets were dropped, in ms since the first dequeue.
fn hold(preset: Preset, target: &str, until_ms: u64) -> Vec<f64> {
    let mut bench = Bench::under(preset, "codel", &[("limit", "none"), ("target", target)]);
    for _ in 0..100 {
        bench.arrive(us(0), 1000);
    }
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

/// First after the interval, then at gaps of 100 / sqrt(k) ms, each rounded up to a dequeue.
#[test]
fn drops_follow_the_control_law() {
    let drops = hold(Preset::Reference, "500 us", 700);
    let mut due = 100.0;
    assert!(drops.len() > 10);
    for (k, &at) in drops.iter().enumerate() {
        assert!(at >= due - 1e-9 && at < due + 0.0101, "{k}: {at} {due}");
        due += 100.0 / libm::sqrt((k + 1) as f64);
    }
}

#[test]
fn below_the_target_nothing_is_dropped() {
    assert!(hold(Preset::Reference, "5 ms", 500).is_empty());
}

#[test]
fn linux_and_ns3_take_one_newton_step() {
    for preset in [Preset::Linux, Preset::Ns3] {
        let drops = hold(preset, "500 us", 260);
        let gaps: Vec<f64> = drops.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!((drops[0] - 100.0).abs() < 0.03, "{preset} {drops:?}");
        assert!((gaps[0] - 100.0).abs() < 0.03, "{preset} {gaps:?}");
        assert!((gaps[1] - 50.0).abs() < 0.03, "{preset} {gaps:?}");
    }
}

fn standing(preset: Preset, params: &[(&str, &str)], packets: u64, ecn: Ecn) -> Bench {
    let mut bench = Bench::under(preset, "codel", params);
    for _ in 0..packets {
        bench.enqueue(us(0), 0, 1000, ecn);
    }
    bench
}

/// The packet that is sent after the first drop is tested too: a good one means that sojourns must
/// stay above the target for another interval before the next drop.
#[test]
fn a_good_packet_after_the_first_drop_ends_the_time_above() {
    let mut bench = Bench::new("codel", &[("limit", "none")]);
    bench.arrive(us(0), 1000);
    bench.arrive(us(0), 3000);
    bench.dequeue(ms(10)); // above the target from here on
    for _ in 0..20 {
        bench.arrive(ms(109), 1000);
    }
    bench.dequeue(ms(110)); // drops the one of 3000 B, sends one that has waited 1 ms
    assert_eq!(bench.drops(Reason::Target), 1);
    bench.dequeue(ms(210)); // the next drop would be due, but the time above begins only now
    assert_eq!(bench.drops(Reason::Target), 1);
    bench.dequeue(ms(309));
    assert_eq!(bench.drops(Reason::Target), 1);
    bench.dequeue(ms(310));
    assert_eq!(bench.drops(Reason::Target), 2);
}

/// The reference drops at the end of the interval, Linux and ns-3 after it.
#[test]
fn the_end_of_the_interval() {
    for (preset, drops) in [(Preset::Reference, 1), (Preset::Linux, 0), (Preset::Ns3, 0)] {
        // Whole ticks of 1.024 us, so that all clocks agree.
        let params = [
            ("interval", "102400 us"),
            ("target", "5120 us"),
            ("limit", "none"),
        ];
        let mut bench = standing(preset, &params, 20, Ecn::NotEct);
        bench.dequeue(us(10_240));
        bench.dequeue(us(112_640));
        assert_eq!(bench.drops(Reason::Target), drops, "{preset}");
    }
}

#[test]
fn a_sojourn_of_exactly_the_target_is_bad() {
    for (wait, dropped) in [(5_000, 1), (4_999, 0)] {
        let mut bench = Bench::new("codel", &[]);
        for at in [0, 100_000] {
            for _ in 0..10 {
                bench.arrive(us(at), 1000);
            }
        }
        bench.poke("first_above", 1e-6);
        while bench.packets() > 10 {
            bench.dequeue(us(100_000));
        }
        let before = bench.drops(Reason::Target);
        bench.poke("first_above", 1e-6);
        bench.poke("dropping", 0.0);
        bench.dequeue(us(100_000 + wait));
        assert_eq!(bench.drops(Reason::Target) - before, dropped, "{wait}");
    }
}

/// Two packets of 1000 bytes: 1000 wait behind the first.
#[test]
fn a_backlog_of_a_packet_is_never_bad() {
    for (preset, max_packet, bad) in [
        (Preset::Reference, "1000 B", false),
        (Preset::Reference, "999 B", true),
        (Preset::Ns3, "1001 B", false),
        (Preset::Ns3, "1000 B", true),
    ] {
        let mut bench = standing(preset, &[("max_packet", max_packet)], 2, Ecn::NotEct);
        bench.poke("first_above", 0.05);
        bench.dequeue(ms(100));
        assert_eq!(
            bench.drops(Reason::Target) == 1,
            bad,
            "{preset} {max_packet}"
        );
    }
}

#[test]
fn the_automatic_max_packet_is_the_mtu() {
    for (preset, mtu, bad) in [
        (Preset::Reference, 999, true),
        (Preset::Reference, 1000, false),
        (Preset::Linux, 985, true),
        (Preset::Linux, 986, false),
    ] {
        let mut bench = standing(preset, &[], 2, Ecn::NotEct);
        let mut link = link(8);
        link.mtu = Bytes::new(mtu);
        bench.discipline.on_link(&link);
        bench.poke("first_above", 0.05);
        bench.dequeue(ms(100));
        assert_eq!(bench.drops(Reason::Target) == 1, bad, "{preset} {mtu}");
    }
}

/// A good packet, or an empty queue, makes the interval begin anew.
#[test]
fn one_good_packet_per_interval_is_enough() {
    let mut bench = standing(Preset::Reference, &[], 10, Ecn::NotEct);
    bench.dequeue(ms(10));
    assert!((bench.probe("first_above") - 0.11).abs() < 1e-12);
    while bench.dequeue(ms(20)).is_some() {}
    assert_eq!(bench.probe("first_above"), 0.0);
    for _ in 0..10 {
        bench.arrive(ms(100), 1000);
    }
    bench.dequeue(ms(112));
    assert_eq!(bench.drops(Reason::Target), 0);
}

/// Late by many gaps, one dequeue drops all that is due: due times follow each other.
#[test]
fn a_late_dequeue_catches_up() {
    let mut bench = standing(Preset::Reference, &[], 100, Ecn::NotEct);
    bench.dequeue(ms(10));
    bench.dequeue(ms(110));
    assert_eq!(
        (bench.drops(Reason::Target), bench.probe("count")),
        (1, 1.0)
    );
    // Due at 210, 280.7, 338.4 and 388.4 ms.
    let sent = bench.dequeue(ms(350)).unwrap();
    assert_eq!(
        (bench.drops(Reason::Target), bench.probe("count")),
        (4, 4.0)
    );
    assert_eq!(sent.id, 6);
    assert!((bench.probe("drop_next") - 0.388_45).abs() < 1e-4);
}

/// Soon after a spell the next goes on from what it reached; long after, it begins at 1.
#[test]
fn a_spell_remembers_the_one_before() {
    for (last_drop, count) in [(0.5, 7.0), (0.05, 7.0), (0.0, 1.0), (9.0, 7.0)] {
        let mut bench = standing(Preset::Reference, &[("interval", "50 ms")], 10, Ecn::NotEct);
        bench.poke("count", 9.0);
        bench.poke("lastcount", 2.0);
        bench.poke("drop_next", last_drop);
        bench.poke("first_above", 0.1);
        bench.dequeue(ms(800));
        assert_eq!(bench.drops(Reason::Target), 1);
        assert_eq!(bench.probe("count"), count, "{last_drop}");
        assert_eq!(bench.probe("lastcount"), count);
        let gap = bench.probe("drop_next") - 0.8;
        assert!((gap - 0.05 / libm::sqrt(count)).abs() < 1e-9);
    }
    let mut bench = standing(Preset::Reference, &[], 10, Ecn::NotEct);
    bench.poke("count", 3.0);
    bench.poke("lastcount", 2.0);
    bench.poke("first_above", 0.1);
    bench.dequeue(ms(800));
    assert_eq!(bench.probe("count"), 1.0, "a gain of one is none");
}

#[test]
fn with_ecn_one_packet_per_dequeue_is_marked_and_sent() {
    let mut bench = standing(Preset::Reference, &[("ecn", "true")], 100, Ecn::Ect0);
    bench.dequeue(ms(10));
    let first = bench.dequeue(ms(110)).unwrap();
    assert_eq!((first.id, first.ecn), (1, Ecn::Ce));
    let second = bench.dequeue(ms(350)).unwrap();
    assert_eq!((second.id, second.ecn), (2, Ecn::Ce));
    assert_eq!((bench.marks(), bench.record.dropped.len()), (2, 0));
    assert_eq!(bench.record.marked[0].1, Reason::Target);
    assert!(
        (bench.probe("drop_next") - 0.280_71).abs() < 1e-4,
        "one gap on"
    );
    let mut bench = standing(Preset::Reference, &[("ecn", "true")], 100, Ecn::NotEct);
    bench.dequeue(ms(10));
    bench.dequeue(ms(110));
    assert_eq!((bench.marks(), bench.drops(Reason::Target)), (0, 1));
}

#[test]
fn above_the_ce_threshold_all_that_can_be_is_marked() {
    let params = [("ce_threshold", "1 ms")];
    let mut bench = standing(Preset::Reference, &params, 5, Ecn::Ect1);
    bench.enqueue(us(0), 0, 1000, Ecn::NotEct);
    assert_eq!(
        bench.dequeue(us(1_000)).unwrap().ecn,
        Ecn::Ect1,
        "not above"
    );
    assert_eq!(bench.dequeue(us(1_001)).unwrap().ecn, Ecn::Ce);
    assert_eq!(bench.record.marked[0].1, Reason::CeThreshold);
    while bench.dequeue(us(1_002)).is_some() {}
    assert_eq!((bench.marks(), bench.record.dropped.len()), (4, 0));
}

#[test]
fn a_spell_ends_with_a_good_packet_or_an_empty_queue() {
    let mut bench = standing(Preset::Reference, &[], 5, Ecn::NotEct);
    bench.poke("first_above", 0.05);
    bench.dequeue(ms(110));
    assert_eq!(bench.probe("dropping"), 1.0);
    while bench.dequeue(ms(111)).is_some() {}
    assert_eq!(bench.probe("dropping"), 0.0);

    let mut bench = standing(Preset::Reference, &[], 3, Ecn::NotEct);
    for _ in 0..5 {
        bench.arrive(ms(110), 1000);
    }
    bench.poke("first_above", 0.05);
    assert_eq!(bench.dequeue(ms(110)).unwrap().id, 1);
    assert_eq!(bench.dequeue(ms(110)).unwrap().id, 2);
    assert_eq!(bench.probe("dropping"), 1.0);
    assert_eq!(bench.dequeue(ms(111)).unwrap().id, 3, "which came just now");
    assert_eq!(bench.probe("dropping"), 0.0);
}

/// With `l4s` the law lets packets of scalable senders by, and those alone; the threshold is
/// theirs.
#[test]
fn scalable_packets_are_only_marked_above_the_threshold() {
    let drops = |l4s, ecn| {
        let params = [("l4s", l4s), ("ce_threshold", "20 ms")];
        let mut bench = standing(Preset::Reference, &params, 10, ecn);
        bench.poke("first_above", 0.05);
        bench.dequeue(ms(110));
        (bench.drops(Reason::Target), bench.marks())
    };
    assert_eq!(drops("false", Ecn::NotEct), (1, 0));
    assert_eq!(drops("false", Ecn::Ect1), (1, 1), "the next one is marked");
    assert_eq!(drops("false", Ecn::Ect0), (1, 1));
    assert_eq!(drops("true", Ecn::NotEct), (1, 0));
    assert_eq!(drops("true", Ecn::Ect0), (1, 0));
    assert_eq!(drops("true", Ecn::Ect1), (0, 1));
}

#[test]
fn the_limit_drops_arrivals_and_leaves_the_law_alone() {
    for limit in ["500 packets", "500 kB"] {
        let mut bench = standing(Preset::Reference, &[("limit", limit)], 503, Ecn::NotEct);
        assert_eq!((bench.packets(), bench.drops(Reason::Overlimit)), (500, 3));
        assert_eq!(bench.probe("count"), 0.0);
        assert!(bench.dequeue(us(0)).is_some());
    }
}

#[test]
fn impossible_parameters_are_named() {
    for (name, value) in [("interval", "0 s"), ("max_packet", "0 B")] {
        let text = fault("codel", &[(name, value)], Preset::Reference);
        assert!(text.starts_with(name), "{text}");
    }
}

/// Two packets arrive for each that leaves, every 12 ms. ns-3.37 marks at these instants, the next
/// always counted from the mark itself; Linux from when it was due.
#[test]
fn after_a_mark_ns3_begins_anew() {
    for (preset, marks) in [
        (Preset::Ns3, [120, 228, 288, 348, 408, 456, 504, 552]),
        (Preset::Linux, [120, 228, 276, 336, 384, 420, 468, 504]),
    ] {
        let mut bench = Bench::under(preset, "codel", &[("ecn", "true")]);
        let mut marked = Vec::new();
        for at in (0..).step_by(12) {
            for _ in 0..2 {
                bench.enqueue(ms(at), 0, 1500, Ecn::Ect0);
            }
            bench.dequeue(ms(at));
            if bench.marks() > marked.len() {
                marked.push(at);
            }
            if marked.len() == marks.len() {
                break;
            }
        }
        assert_eq!(marked, marks, "{preset}");
    }
}

/// ns-3.37 marks by the threshold only where it marks at all; Linux always.
#[test]
fn the_threshold_marks_without_ecn_but_under_ns3() {
    for (preset, ecn, l4s, marks) in [
        (Preset::Linux, "false", "false", 1),
        (Preset::Ns3, "true", "false", 1),
        (Preset::Ns3, "false", "true", 1),
        (Preset::Ns3, "false", "false", 0),
    ] {
        let params = [("ce_threshold", "1 ms"), ("ecn", ecn), ("l4s", l4s)];
        let mut bench = standing(preset, &params, 10, Ecn::Ect1);
        bench.dequeue(ms(2));
        assert_eq!(bench.marks(), marks, "{preset}, ecn {ecn}, l4s {l4s}");
    }
}
