//! DualPI2: coupling, ramp, overload and the share of the classic queue.

use crate::bench::{Bench, fault, us};
use sojourn_base::{Bytes, Ecn, Preset};
use sojourn_queue::{Discipline, Reason};

/// Signals of `ecn` packets at p', held; each passes a queue of a few of its kind at once.
fn shares(preset: Preset, prob: f64, ecn: Ecn) -> (f64, f64) {
    let params = [("t_update", "1000 s"), ("limit", "none")];
    let mut bench = Bench::under(preset, "dualpi2", &params);
    for _ in 0..40 {
        bench.enqueue(us(0), 0, 1500, ecn);
    }
    bench.poke("prob", prob);
    for _ in 0..20_000 {
        bench.enqueue(us(0), 0, 1500, ecn);
        bench.dequeue(us(0));
        while bench.packets() < 40 {
            bench.enqueue(us(0), 0, 1500, ecn);
        }
    }
    let all = 20_000.0 + bench.record.dropped.len() as f64;
    let drops = bench.drops(Reason::Unforced) as f64;
    (bench.marks() as f64 / all, drops / all)
}

/// k = 2, p' = 0.1: classic 1 %, scalable 20 %, in either way of throwing.
#[test]
fn coupled_probabilities() {
    for preset in [Preset::Reference, Preset::Linux] {
        for (ecn, mark, drop) in [
            (Ecn::Ect1, 0.2, 0.0),
            (Ecn::Ce, 0.2, 0.0),
            (Ecn::Ect0, 0.01, 0.0),
            (Ecn::NotEct, 0.0, 0.01),
        ] {
            let (marks, drops) = shares(preset, 0.1, ecn);
            assert!((marks - mark).abs() < 0.012, "{preset} {ecn:?} {marks}");
            assert!((drops - drop).abs() < 0.003, "{preset} {ecn:?} {drops}");
        }
    }
}

/// p' = 0.6: k p' is above 1. L drops 36 % and marks the rest; C drops 36 % whatever it holds.
#[test]
fn overload_drops_scalable_packets_too() {
    for preset in [Preset::Reference, Preset::Linux] {
        let (marks, drops) = shares(preset, 0.6, Ecn::Ect1);
        assert!((drops - 0.36).abs() < 0.015, "{preset} {drops}");
        assert!((marks - 0.64).abs() < 0.015, "{preset} {marks}");
        let (marks, drops) = shares(preset, 0.6, Ecn::Ect0);
        assert!((drops - 0.36).abs() < 0.015 && marks == 0.0, "{preset}");
        let (marks, drops) = shares(preset, 0.45, Ecn::Ect0);
        assert!((marks - 0.2025).abs() < 0.015 && drops == 0.0, "{preset}");
    }
}

/// RFC 9332, figure 2: C drops what it would mark from a p'^2 of 1/k^2 on, at most 1, or from what
/// is given.
#[test]
fn classic_marks_end_where_scalable_ones_are_certain() {
    for (k, most, prob, marks) in [
        ("4", "auto", 0.2, true),
        ("4", "auto", 0.25, false),
        ("4", "0.25", 0.25, true),
        ("2", "auto", 0.4375, true),
        ("2", "auto", 0.5, false),
        ("0.5", "auto", 0.9375, true),
        ("0.5", "auto", 1.0, false),
    ] {
        let params = [
            ("t_update", "1000 s"),
            ("limit", "none"),
            ("k", k),
            ("classic_most", most),
        ];
        let mut bench = Bench::new("dualpi2", &params);
        for _ in 0..100 {
            bench.enqueue(us(0), 0, 1500, Ecn::Ect0);
        }
        bench.poke("prob", prob);
        while bench.dequeue(us(0)).is_some() {}
        let found = (bench.marks() > 0, bench.drops(Reason::Unforced) > 0);
        assert_eq!(found, (marks, !marks), "k = {k}, {most}, p' = {prob}");
    }
}

/// The accumulator fires above 1: with 0.25 at the fifth, then at every fourth.
#[test]
fn signals_are_spaced() {
    let mut bench = Bench::new("dualpi2", &[("t_update", "1000 s"), ("limit", "none")]);
    for _ in 0..20 {
        bench.enqueue(us(0), 0, 1500, Ecn::Ect1);
    }
    bench.poke("prob", 0.125);
    let mut marked = Vec::new();
    for k in 1..=17 {
        if bench
            .dequeue(us(0))
            .is_some_and(|packet| packet.ecn == Ecn::Ce)
        {
            marked.push(k);
        }
    }
    assert_eq!(marked, [5, 9, 13, 17]);
}

/// The ramp: nothing up to 800 us, half at 1 ms, all from 1.2 ms, none for the last packet.
#[test]
fn the_native_ramp() {
    for (wait, marks) in [(800, 0), (1_000, 3), (1_200, 7)] {
        let mut bench = Bench::new("dualpi2", &[]);
        for _ in 0..10 {
            bench.enqueue(us(0), 0, 100, Ecn::Ect1);
        }
        for _ in 0..9 {
            bench.dequeue(us(wait));
        }
        // The last but one leaves only one packet behind. Of the eight before it one less than
        // their share: the accumulator must be above 1.
        assert_eq!(bench.marks(), marks, "{wait}");
        bench.dequeue(us(5_000));
        assert_eq!(bench.marks(), marks, "the last packet");
    }
    for (wait, marks) in [(1_000, 0), (1_001, 1)] {
        let mut linux = Bench::under(Preset::Linux, "dualpi2", &[]);
        linux.enqueue(us(0), 0, 100, Ecn::Ect1);
        linux.dequeue(us(wait));
        assert_eq!(linux.marks(), marks, "a step, even for the last");
    }
}

/// A ramp of no width is a step: nothing at 800 us, everything above.
#[test]
fn a_ramp_of_no_width_is_a_step() {
    for (wait, marks) in [(800, 0), (801, 7)] {
        let mut bench = Bench::new("dualpi2", &[("range", "0 s")]);
        for _ in 0..10 {
            bench.enqueue(us(0), 0, 100, Ecn::Ect1);
        }
        for _ in 0..9 {
            bench.dequeue(us(wait));
        }
        assert_eq!(bench.marks(), marks, "{wait}");
    }
}

/// Linux: with less than two MTU and 14 bytes left, 3028, even a probability of one signals
/// nothing.
#[test]
fn linux_spares_a_queue_of_two_packets() {
    for (left, drops) in [(3_027, 0), (3_028, 1)] {
        let params = [("t_update", "1000 s")];
        let mut bench = Bench::under(Preset::Linux, "dualpi2", &params);
        for size in [100, 1_000, 1_000, left - 2_000] {
            bench.enqueue(us(0), 0, size, Ecn::NotEct);
        }
        bench.poke("prob", 1.0);
        let sent = bench.dequeue(us(0)).expect("four wait");
        assert_eq!(
            (sent.id, bench.record.dropped.len()),
            (drops, drops as usize)
        );
    }
}

/// L may send (15/16 - 1/16) / (1/16) = 14 MTU and a packet before C's first turn; by Linux's
/// weight of a tenth 8 times the MTU and 14, which is nine packets.
#[test]
fn the_classic_queue_waits_for_its_first_turn() {
    for (preset, ahead) in [(Preset::Reference, 15), (Preset::Linux, 9)] {
        let mut bench = Bench::under(preset, "dualpi2", &[("t_update", "1000 s")]);
        for _ in 0..20 {
            bench.enqueue(us(0), 0, 1500, Ecn::Ect1);
            bench.enqueue(us(0), 1, 1500, Ecn::NotEct);
        }
        let low = (0..20).take_while(|_| bench.dequeue(us(0)).is_some_and(|p| p.flow == 0));
        assert_eq!(low.count(), ahead, "{preset}");
    }
}

/// Both queues busy: C gets its weight of the bytes.
#[test]
fn the_classic_queue_gets_its_share() {
    for (preset, share) in [(Preset::Reference, 1.0 / 16.0), (Preset::Linux, 0.1)] {
        let params = [("t_update", "1000 s"), ("limit", "none")];
        let mut bench = Bench::under(preset, "dualpi2", &params);
        for _ in 0..4_000 {
            bench.enqueue(us(0), 0, 1500, Ecn::Ect1);
            bench.enqueue(us(0), 1, 500, Ecn::NotEct);
        }
        let mut sent = [0_u64; 2];
        for k in 0..3_000 {
            let packet = bench.dequeue(us(0)).unwrap();
            sent[packet.flow as usize] += packet.size;
            if k == 0 {
                assert_eq!(packet.flow, 0, "L goes first");
            }
        }
        let found = sent[1] as f64 / (sent[0] + sent[1]) as f64;
        assert!((found - share).abs() < 0.005, "{preset} {found}");
    }
}

/// The controller sees the longer of both delays.
#[test]
fn the_longer_delay_counts() {
    for ecn in [Ecn::Ect1, Ecn::NotEct] {
        let mut bench = Bench::new("dualpi2", &[]);
        bench.enqueue(us(0), 0, 1500, ecn);
        bench.timers_before(us(16_001));
        let expected = 0.16 * 0.001 + 3.2 * 0.016;
        assert!((bench.probe("prob") - expected).abs() < 1e-12);
    }
}

/// 10 kB of room: an arrival wants room for an MTU, however small it is.
#[test]
fn the_limit_has_an_mtu_of_slack() {
    let mut bench = Bench::new("dualpi2", &[("limit", "10 kB")]);
    for _ in 0..100 {
        bench.enqueue(us(0), 0, 100, Ecn::NotEct);
    }
    assert_eq!(bench.packets(), 86, "8600 + 1500 is too much");
    // Told of an MTU of 9000, it takes the eleventh as the last.
    let mut bench = Bench::new("dualpi2", &[("limit", "10 kB")]);
    let mut link = bench.link;
    link.mtu = Bytes::new(9_000);
    bench.discipline.on_link(&link);
    for _ in 0..100 {
        bench.enqueue(us(0), 0, 100, Ecn::NotEct);
    }
    assert_eq!(bench.packets(), 11, "1100 + 9000 is too much");
    for (name, value) in [
        ("limit", "1499 B"),
        ("k", "0"),
        ("t_update", "0 s"),
        ("alpha", "-1"),
    ] {
        let text = fault("dualpi2", &[(name, value)], Preset::Reference);
        assert!(text.starts_with(name), "{text}");
    }
}
