//! RED against its formulas, and against ns-2 and Linux where they differ.

mod bench;

use std::collections::BTreeMap;

use bench::{Bench, burst, fault, link, us};
use sojourn_base::{Ecn, Preset, Span};
use sojourn_queue::{Discipline, Reason};

/// An average that does not move by itself, for probabilities at a given average.
const STILL: (&str, &str) = ("w_q", "1e-300");

/// `reference/ns2/micro_burst.txt`, rows "RED": in bytes the packet that crosses 25 000 gets in.
#[test]
fn ns2_bursts() {
    let in_packets: &[(&str, &str)] = &[("bytes", "false")];
    for (size, params, accepted) in [
        (500, &[][..], 51),
        (1000, &[], 26),
        (1500, &[], 18),
        (500, in_packets, 51),
    ] {
        let mut bench = Bench::ns2("red", params);
        assert_eq!(burst(&mut bench, 1, 100, size), [accepted], "{size}");
        assert_eq!(bench.drops(Reason::Overlimit), 100 - accepted);
    }
}

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

/// The queue is averaged before the arrival joins it.
#[test]
fn the_first_arrival_averages_an_empty_queue() {
    let mut bench = Bench::new("red", &[("w_q", "0.5"), ("min_th", "9 packets")]);
    for expected in [0.0, 0.5, 1.25] {
        bench.arrive(us(0), 500);
        assert_eq!(bench.probe("avg"), expected);
    }
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
fn ns2_spares_the_first_and_the_lonely() {
    let params = [
        STILL,
        ("bytes", "false"),
        ("min_th", "5 packets"),
        ("max_th", "15 packets"),
        ("wait", "false"),
    ];
    let mut bench = Bench::ns2("red", &params);
    bench.poke("max_p", 1.0);
    bench.poke("avg", 14.999);
    for _ in 0..2 {
        assert!(bench.arrive(us(0), 500), "with at most one queued");
    }
    assert!(bench.arrive(us(0), 500), "the first of the visit");
    assert!(!bench.arrive(us(0), 500));
    assert_eq!(bench.drops(Reason::Unforced), 1);
}

#[test]
fn ns2_marks_only_below_mark_p_and_never_forces() {
    let params = [
        STILL,
        ("bytes", "false"),
        ("min_th", "5 packets"),
        ("max_th", "15 packets"),
        ("ecn", "true"),
    ];
    let mut bench = Bench::ns2("red", &params);
    let mut at = |avg, use_count: f64| {
        for _ in 0..3 {
            bench.enqueue(us(0), 0, 500, Ecn::Ect0);
        }
        bench.poke("avg", avg);
        bench.poke("count", use_count);
        let taken = bench.enqueue(us(0), 0, 500, Ecn::Ect0);
        (taken, bench.marks(), bench.drops(Reason::Forced))
    };
    // The first two calls cross min_th; then p = 0.09 and 0.1 after 25 packets are certain.
    at(14.0, 0.0);
    assert_eq!(at(14.0, 25.0), (true, 1, 0));
    assert!(!at(15.5, 25.0).0, "at 0.1 and above it drops");
    assert_eq!(
        at(31.0, 25.0),
        (false, 1, 0),
        "by probability, not by force"
    );
}

/// Of a packet that is both unlucky and without room, ns-2 says that there was no room.
#[test]
fn in_ns2_a_full_buffer_overrules_the_average() {
    let params = [
        STILL,
        ("bytes", "false"),
        ("max_th", "15 packets"),
        ("limit", "3 packets"),
    ];
    for (preset, reason) in [
        (Preset::Ns2, Reason::Overlimit),
        (Preset::Ns3, Reason::Unforced),
    ] {
        let mut bench = Bench::under(preset, "red", &[&params[..], &[("wait", "false")]].concat());
        for _ in 0..3 {
            bench.arrive(us(0), 500);
        }
        bench.poke("max_p", 1.0);
        bench.poke("avg", 14.999);
        for _ in 0..2 {
            assert!(!bench.arrive(us(0), 500));
        }
        assert_eq!(bench.record.dropped[1].1, reason, "{preset}");
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

#[test]
fn linux_spares_the_first_of_a_visit_and_marks_above_max() {
    let params = [
        ("min_th", "30280 B"),
        ("max_th", "90840 B"),
        ("mean_packet", "1514 B"),
        ("burst", "33"),
        ("max_p", "1"),
    ];
    let mut bench = Bench::under(
        Preset::Linux,
        "red",
        &[&params[..], &[("ecn", "true")]].concat(),
    );
    bench.arrive(us(0), 1514);
    bench.arrive(us(0), 1514);
    assert_eq!(bench.probe("avg"), 1514.0 / 16.0, "weight 1/16");
    bench.poke("avg", 60_000.0);
    assert_eq!(bench.probe("count"), -1.0);
    assert!(bench.arrive(us(0), 1514));
    assert_eq!(bench.probe("count"), 0.0);
    bench.poke("avg", 120_000.0);
    assert!(bench.enqueue(us(0), 0, 1514, Ecn::Ect0));
    assert_eq!(bench.record.marked[0].1, Reason::Forced);
    assert_eq!(bench.probe("count"), -1.0, "the visit is over");
    bench.poke("avg", 200_000.0);
    assert!(!bench.enqueue(us(0), 0, 1514, Ecn::NotEct));
    assert_eq!(bench.drops(Reason::Forced), 1);
}

/// `tc`: max is a quarter of the limit, min a third of that.
#[test]
fn linux_takes_thresholds_from_the_limit() {
    let params = [
        ("limit", "121120 B"),
        ("mean_packet", "1000 B"),
        ("max_p", "1"),
        ("w_q", "0.5"),
    ];
    let mut bench = Bench::under(Preset::Linux, "red", &params);
    bench.arrive(us(0), 1000);
    bench.poke("avg", 19_000.0);
    bench.arrive(us(0), 1000);
    assert_eq!(
        bench.probe("count"),
        -1.0,
        "half of 19 000 and 1000 lies below 10 093"
    );
    bench.poke("avg", 18_300.0);
    bench.arrive(us(0), 1000);
    assert_eq!(
        bench.probe("count"),
        0.0,
        "half of 18 300 and 2000 lies above"
    );
    bench.poke("avg", 60_000.0);
    assert!(
        !bench.arrive(us(0), 1000),
        "half of 60 000 and 2000 lies above 30 280"
    );
    assert_eq!(bench.drops(Reason::Forced), 1);
}

#[test]
fn impossible_parameters_are_named() {
    let reference = |params: &[(&str, &str)]| fault("red", params, Preset::Reference);
    let text = reference(&[("min_th", "20 packets")]);
    assert!(
        text.starts_with("min_th: found 20 packets") && text.contains("15 packets"),
        "{text}"
    );
    let text = reference(&[("min_th", "15 packets")]);
    assert!(text.starts_with("min_th:"), "{text}");
    assert!(reference(&[("w_q", "0")]).starts_with("w_q: found 0"));
    assert!(reference(&[("w_q", "1.5")]).starts_with("w_q: found 1.5"));
    assert!(reference(&[("mean_packet", "0 B")]).starts_with("mean_packet:"));
    let linux = |params: &[(&str, &str)]| fault("red", params, Preset::Linux);
    assert!(linux(&[("w_q", "0.3")]).contains("power of two"));
    assert!(linux(&[("burst", "2")]).starts_with("burst: found 2"));
    assert!(linux(&[("limit", "none")]).starts_with("max_th:"));
    assert!(linux(&[("min_th", "40 kB"), ("max_th", "40 kB")]).starts_with("min_th:"));
}
