//! RED's average, thresholds, probability and marks against its formulas.

use crate::bench::{Bench, fault, link, us};
use sojourn_base::{Ecn, Preset, Span};
use sojourn_queue::{Discipline, Reason};

/// An average that does not move by itself, for probabilities at a given average.
const STILL: (&str, &str) = ("w_q", "1e-300");

#[test]
fn the_average_follows_a_step_exponentially() {
    for preset in [Preset::Reference, Preset::Ns3] {
        let params = [
            ("min_th", "50 packets"),
            ("max_th", "60 packets"),
            ("w_q", "0.01"),
        ];
        let mut bench = Bench::under(preset, "red", &params);
        for _ in 0..20 {
            bench.arrive(us(0), 500);
        }
        bench.poke("avg", 0.0);
        for n in 1..=300 {
            bench.pass(us(n), 500, Ecn::NotEct);
            let expected = 20.0 * (1.0 - libm::pow(0.99, n as f64));
            assert!((bench.probe("avg") - expected).abs() < 1e-9);
        }
    }
}

/// DCTCP's marking (RFC 8257, 3.1): all that comes to as many as the threshold.
#[test]
fn equal_thresholds_are_a_step() {
    let params = [
        ("min_th", "3 packets"),
        ("max_th", "3 packets"),
        ("limit", "100 packets"),
        ("w_q", "1"),
        ("gentle", "false"),
        ("ecn", "true"),
        ("hard_drop", "false"),
    ];
    for preset in [Preset::Reference, Preset::Ns3] {
        let mut bench = Bench::under(preset, "red", &params);
        for _ in 0..6 {
            bench.enqueue(us(0), 0, 500, Ecn::Ect0);
        }
        let marked: Vec<_> = bench.record.marked.iter().map(|(p, _)| p.id).collect();
        assert_eq!(marked, [3, 4, 5], "{preset}");
        assert_eq!(bench.record.dropped, [], "{preset}");
    }
}

/// The queue is averaged before the arrival joins it.
#[test]
fn the_first_arrival_averages_an_empty_queue() {
    let mut bench = Bench::new("red", &[("w_q", "0.5"), ("min_th", "9 packets")]);
    for expected in [0.0, 0.5, 1.25] {
        bench.arrive(us(0), 500);
        assert_eq!(bench.probe("avg"), expected);
    }
}

/// Two of 400 bytes wait: in byte mode the average is shown with its unit too.
#[test]
fn the_average_names_its_unit_in_byte_mode() {
    let params = [("w_q", "1"), ("limit", "10 kB")];
    for preset in [Preset::Reference, Preset::Ns2] {
        let mut bench = Bench::under(preset, "red", &params);
        for _ in 0..3 {
            bench.arrive(us(0), 400);
        }
        assert!(bench.probe("avg_bytes") >= 800.0, "{preset}");
        assert_eq!(bench.probe("avg_bytes"), bench.probe("avg"), "{preset}");
    }
    let mut names = Vec::new();
    Bench::new("red", &[("limit", "100 packets")])
        .discipline
        .probe(&mut |name, _| names.push(name.to_owned()));
    assert_eq!(names, ["max_p", "count", "prob", "avg"]);
}

/// Ten and a half packets of 500 bytes at 8 Mbit/s take 5.25 ms.
#[test]
fn idle_time_decays_the_average() {
    let params = [
        ("w_q", "0.1"),
        ("min_th", "5 packets"),
        ("max_th", "15 packets"),
    ];
    for (preset, exponent) in [(Preset::Reference, 10.5), (Preset::Ns3, 11.0)] {
        let mut bench = Bench::under(preset, "red", &params);
        bench.arrive(us(0), 500);
        bench.poke("avg", 4.0);
        assert!(
            bench.dequeue(us(100)).is_some(),
            "the queue is empty, but not yet idle"
        );
        bench.dequeue(us(1_000));
        bench.dequeue(us(3_000));
        bench.arrive(us(6_250), 500);
        let expected = 4.0 * libm::pow(0.9, exponent);
        assert!((bench.probe("avg") - expected).abs() < 1e-12, "{preset}");
    }
    let mut bench = Bench::new("red", &params);
    bench.arrive(us(0), 500);
    bench.poke("avg", 4.0);
    bench.dequeue(us(100));
    bench.arrive(us(6_250), 500);
    assert!(
        (bench.probe("avg") - 3.6).abs() < 1e-12,
        "the link was busy: one sample of 0"
    );
}

#[test]
fn a_larger_mean_packet_decays_more_slowly() {
    let mut bench = Bench::new("red", &[("w_q", "0.1"), ("mean_packet", "1000 B")]);
    bench.poke("avg", 4.0);
    bench.arrive(us(10_000), 500);
    assert!((bench.probe("avg") - 4.0 * libm::pow(0.9, 10.0)).abs() < 1e-12);
}

#[test]
fn the_probability_follows_the_slope() {
    let gentle = [STILL, ("max_p", "0.1"), ("gentle", "true")];
    let mut bench = Bench::new("red", &gentle);
    for (avg, p) in [
        (4.999, 0.0),
        (5.0, 0.0),
        (10.0, 0.05),
        (15.0, 0.1),
        (22.5, 0.55),
    ] {
        bench.poke("avg", avg);
        bench.pass(us(0), 500, Ecn::NotEct);
        assert!((bench.probe("prob") - p).abs() < 1e-9, "{avg}");
    }
    let mut bench = Bench::new("red", &[STILL]);
    bench.poke("avg", 10.0);
    bench.pass(us(0), 500, Ecn::NotEct);
    assert!((bench.probe("prob") - 0.01).abs() < 1e-9, "half of 1/50");
}

#[test]
fn from_the_hard_threshold_on_everything_is_dropped() {
    for (gentle, below, at) in [("false", 14.99, 15.01), ("true", 29.99, 30.01)] {
        let mut bench = Bench::new("red", &[STILL, ("gentle", gentle), ("max_p", "0.001")]);
        for _ in 0..50 {
            bench.poke("avg", at);
            assert!(!bench.arrive(us(0), 500));
        }
        assert_eq!(bench.drops(Reason::Forced), 50);
        bench.poke("avg", below);
        bench.pass(us(0), 500, Ecn::NotEct);
        assert_eq!(bench.drops(Reason::Forced), 50, "{below}");
    }
}

#[test]
fn below_min_th_only_the_limit_drops() {
    let mut bench = Bench::new("red", &[STILL, ("max_p", "1"), ("limit", "40 packets")]);
    bench.poke("avg", 4.99);
    for _ in 0..40 {
        assert!(bench.arrive(us(0), 500));
    }
    assert!(!bench.arrive(us(0), 500));
    assert_eq!(bench.drops(Reason::Overlimit), 1);
}

/// Unresponsive overload of 5/4: gentle RED comes to rest where it drops a fifth.
#[test]
fn overload_is_shed_by_probability_alone() {
    let params = [
        ("gentle", "true"),
        ("max_p", "0.1"),
        ("limit", "200 packets"),
    ];
    let mut bench = Bench::new("red", &params);
    let mut lost = 0_u32;
    for k in 0..60_000 {
        let taken = bench.send(us(k * 400), 0, 500, Ecn::NotEct);
        lost += u32::from(k >= 10_000 && !taken);
    }
    assert!((f64::from(lost) / 50_000.0 - 0.2).abs() < 0.002, "{lost}");
    assert_eq!(
        bench.drops(Reason::Overlimit) + bench.drops(Reason::Forced),
        0
    );
    let avg = bench.probe("avg");
    // Spread, a probability of p drops 2 p / (1 + p): a fifth at 1/9, just above max_th.
    assert!((avg - 15.2).abs() < 1.0, "{avg}");
}

#[test]
fn early_signals_mark_and_forced_ones_drop() {
    let sure = [
        STILL,
        ("ecn", "true"),
        ("max_p", "1"),
        ("min_th", "5 packets"),
    ];
    let mut bench = Bench::new("red", &sure);
    bench.poke("avg", 14.999_999_999);
    assert!(bench.enqueue(us(0), 0, 500, Ecn::Ect0));
    assert!(bench.enqueue(us(0), 0, 500, Ecn::Ce));
    assert!(!bench.enqueue(us(0), 0, 500, Ecn::NotEct));
    assert_eq!((bench.marks(), bench.drops(Reason::Unforced)), (2, 1));
    assert_eq!(bench.record.marked[0].0.ecn, Ecn::Ce);
    bench.poke("avg", 16.0);
    assert!(!bench.enqueue(us(0), 0, 500, Ecn::Ect0));
    assert_eq!(bench.drops(Reason::Forced), 1);

    let soft = [&sure[..], &[("hard_drop", "false")]].concat();
    let mut bench = Bench::new("red", &soft);
    bench.poke("avg", 16.0);
    assert!(bench.enqueue(us(0), 0, 500, Ecn::Ect1));
    assert_eq!(bench.record.marked[0].1, Reason::Forced);

    let mut bench = Bench::new("red", &[STILL, ("max_p", "1")]);
    bench.poke("avg", 14.999_999_999);
    assert!(
        !bench.enqueue(us(0), 0, 500, Ecn::Ect0),
        "marks only if asked to"
    );
}

/// Where a mark is wanted, a packet that cannot be marked gets in, early and above the hard
/// threshold; there only if marks are wanted, which `hard_drop` denies.
#[test]
fn with_no_drop_what_cannot_be_marked_gets_in() {
    let sure = [STILL, ("ecn", "true"), ("max_p", "1"), ("no_drop", "true")];
    for (hard_drop, above) in [("true", 1), ("false", 0)] {
        let params = [&sure[..], &[("hard_drop", hard_drop)]].concat();
        let mut bench = Bench::new("red", &params);
        bench.poke("avg", 14.999_999_999);
        assert!(bench.enqueue(us(0), 0, 500, Ecn::NotEct));
        assert!(bench.enqueue(us(0), 0, 500, Ecn::Ect0));
        assert_eq!((bench.marks(), bench.record.dropped.len()), (1, 0));
        bench.poke("avg", 16.0);
        bench.enqueue(us(0), 0, 500, Ecn::NotEct);
        assert_eq!(bench.drops(Reason::Forced), above, "{hard_drop}");
    }
}

/// Linux, a weight of 1/2 and packets of 1000 B: the average after each is 0, 500, 1250, 2125 (the
/// first in the band, which is exempt) and 3062.5 B, above `max_th`. Only room for 6000 B drops.
#[test]
fn linux_with_no_drop_has_its_limit_alone() {
    let params = [
        ("limit", "6000 B"),
        ("min_th", "2000 B"),
        ("max_th", "3000 B"),
        ("w_q", "0.5"),
        ("ecn", "true"),
    ];
    let no_drop = [&params[..], &[("no_drop", "true")]].concat();
    let hard = [&no_drop[..], &[("hard_drop", "true")]].concat();
    for (params, taken, drops) in [
        (&params[..], 4, [3, 0]),
        (&no_drop[..], 6, [0, 1]),
        (&hard[..], 4, [3, 0]),
    ] {
        let mut bench = Bench::under(Preset::Linux, "red", params);
        let admitted = (0..7).filter(|_| bench.arrive(us(0), 1_000)).count();
        assert_eq!(admitted, taken);
        let found = [Reason::Forced, Reason::Overlimit].map(|reason| bench.drops(reason));
        assert_eq!(found, drops);
    }
    let mut bench = Bench::under(Preset::Linux, "red", &no_drop);
    for _ in 0..7 {
        bench.enqueue(us(0), 0, 1_000, Ecn::Ect0);
    }
    assert_eq!((bench.marks(), bench.packets()), (2, 6));
}

#[test]
fn no_drop_needs_ecn() {
    for preset in Preset::ALL {
        let text = fault("red", &[("no_drop", "true")], preset);
        assert_eq!(text, "no_drop: found true; allowed: false without ecn");
    }
}

#[test]
fn a_packet_without_room_is_not_marked() {
    let params = [
        STILL,
        ("ecn", "true"),
        ("max_p", "1"),
        ("limit", "1 packets"),
    ];
    let mut bench = Bench::new("red", &params);
    bench.arrive(us(0), 500);
    bench.poke("avg", 14.999_999_999);
    assert!(!bench.enqueue(us(0), 0, 500, Ecn::Ect0));
    assert_eq!((bench.marks(), bench.drops(Reason::Overlimit)), (0, 1));
}

/// At 8 Mbit/s and 500 bytes 2000 packets pass per second: 5 packets, and a delay of 100 ms
/// makes the round-trip time 3 (100 + 0.5) ms.
#[test]
fn automatic_parameters() {
    let mut far = link(8);
    far.delay = Span::from_ms(100);
    let params = [
        ("min_th", "auto"),
        ("max_th", "auto"),
        ("w_q", "auto"),
        ("bytes", "false"),
    ];
    for (preset, packets) in [(Preset::Reference, 2_000.0), (Preset::Ns2, 6_030.0)] {
        let mut bench = Bench::behind(far, preset, "red", &params);
        bench.arrive(us(0), 500);
        bench.arrive(us(0), 500);
        let weight = bench.probe("avg");
        assert!(
            (weight - (1.0 - libm::exp(-1.0 / packets))).abs() < 1e-12,
            "{preset}"
        );
        bench.arrive(us(0), 500);
        bench.poke("avg", 10.0);
        bench.arrive(us(0), 500);
        bench.poke("avg", 10.0);
        bench.arrive(us(0), 500);
        let max_p = bench.probe("max_p");
        assert!(
            (bench.probe("prob") / max_p - 0.5).abs() < 1e-3,
            "5 and 15 packets"
        );
    }
    // A tenth of the rate would give half a packet: at least 5 it is.
    let mut bench = Bench::behind(
        link(1),
        Preset::Reference,
        "red",
        &[STILL, params[0], params[1]],
    );
    bench.poke("avg", 10.0);
    bench.pass(us(0), 500, Ecn::NotEct);
    assert!((bench.probe("prob") - 0.01).abs() < 1e-9);
    // Ten times the rate: min_th = 5 ms / 2 x 20 000 = 50 packets.
    let mut bench = Bench::behind(
        link(80),
        Preset::Reference,
        "red",
        &[STILL, params[0], params[1]],
    );
    bench.poke("avg", 100.0);
    bench.pass(us(0), 500, Ecn::NotEct);
    assert!((bench.probe("prob") - 0.01).abs() < 1e-9);
}

/// A link that becomes ten times as fast makes idle packet times ten times as many.
#[test]
fn a_changed_link_changes_the_pace() {
    let mut bench = Bench::new("red", &[("w_q", "0.1")]);
    bench.discipline.on_link(&link(80));
    bench.poke("avg", 4.0);
    bench.arrive(us(500), 500);
    assert!((bench.probe("avg") - 4.0 * libm::pow(0.9, 10.0)).abs() < 1e-12);
}

#[test]
fn impossible_parameters_are_named() {
    let reference = |params: &[(&str, &str)]| fault("red", params, Preset::Reference);
    let text = reference(&[("min_th", "20 packets")]);
    assert!(
        text.starts_with("min_th: found 20 packets") && text.contains("15 packets"),
        "{text}"
    );
    let text = reference(&[("min_th", "15.01 packets")]);
    assert!(text.starts_with("min_th:"), "{text}");
    assert!(reference(&[("w_q", "0")]).starts_with("w_q: found 0"));
    assert!(reference(&[("w_q", "1.5")]).starts_with("w_q: found 1.5"));
    assert!(reference(&[("mean_packet", "0 B")]).starts_with("mean_packet:"));
    let linux = |params: &[(&str, &str)]| fault("red", params, Preset::Linux);
    assert!(linux(&[("w_q", "0.3")]).contains("power of two"));
    assert!(linux(&[("burst", "2")]).starts_with("burst: found 2"));
    assert!(linux(&[("limit", "none")]).starts_with("max_th:"));
    assert!(linux(&[("min_th", "41 kB"), ("max_th", "40 kB")]).starts_with("min_th:"));
}
