//! RED as ns-2 and Linux have it.

use crate::bench::{Bench, burst, fault, us};
use sojourn_base::length::Capacity;
use sojourn_base::{Ecn, Preset};
use sojourn_queue::{Discipline, Reason};

/// An average that does not move by itself, for probabilities at a given average.
const STILL: (&str, &str) = ("w_q", "1e-300");

/// Such an average, between thresholds of 5 and 15 packets.
const BAND: [(&str, &str); 4] = [
    STILL,
    ("bytes", "false"),
    ("min_th", "5 packets"),
    ("max_th", "15 packets"),
];

fn band(preset: Preset, more: &[(&'static str, &'static str)]) -> Bench {
    Bench::under(preset, "red", &[&BAND, more].concat())
}

/// So many plain arrivals of 500 bytes; the number let in.
fn arrive(bench: &mut Bench, packets: usize) -> usize {
    (0..packets).filter(|_| bench.arrive(us(0), 500)).count()
}

/// Almost every packet is to be dropped by probability.
fn nearly_certain(bench: &mut Bench) {
    bench.poke("max_p", 1.0);
    bench.poke("avg", 14.999);
}

/// Measured on ns-2.35: in bytes the packet that crosses 25 000 gets in.
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

#[test]
fn ns2_spares_the_first_and_the_lonely() {
    let mut bench = band(Preset::Ns2, &[("wait", "false")]);
    nearly_certain(&mut bench);
    assert_eq!(arrive(&mut bench, 2), 2, "with at most one queued");
    assert!(bench.arrive(us(0), 500), "the first of the visit");
    assert!(!bench.arrive(us(0), 500));
    assert_eq!(bench.drops(Reason::Unforced), 1);
}

#[test]
fn ns2_marks_only_below_mark_p_and_never_forces() {
    let mut bench = band(Preset::Ns2, &[("ecn", "true")]);
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
    for (preset, reason) in [
        (Preset::Ns2, Reason::Overlimit),
        (Preset::Ns3, Reason::Unforced),
    ] {
        let mut bench = band(preset, &[("limit", "3 packets"), ("wait", "false")]);
        arrive(&mut bench, 3);
        nearly_certain(&mut bench);
        assert_eq!(arrive(&mut bench, 2), 0);
        assert_eq!(bench.record.dropped[1].1, reason, "{preset}");
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
        ("ecn", "true"),
    ];
    let mut bench = Bench::under(Preset::Linux, "red", &params);
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

/// Linux's automatic settings (`tc-red(8)`): a third of the limit's quarter and that quarter; three
/// times `min_th`; a weight that lets a burst of (2 min + max) / (3 avpkt) packets pass.
#[test]
fn linux_sets_what_is_automatic() {
    let hard_from = |params: &[(&str, &str)], bytes: f64| {
        let hard = |avg| {
            // 2^-31: an average that does not move by itself.
            let still = [params, &[("w_q", "4.656612873077393e-10")]].concat();
            let mut bench = Bench::under(Preset::Linux, "red", &still);
            bench.arrive(us(0), 1000);
            bench.poke("avg", avg);
            bench.arrive(us(0), 1);
            bench.drops(Reason::Forced)
        };
        assert_eq!((hard(bytes - 1.0), hard(bytes + 1.0)), (0, 1), "{params:?}");
    };
    hard_from(&[("limit", "400 kB")], 100_000.0);
    hard_from(&[("limit", "200 packets")], 50_000.0);
    hard_from(&[("limit", "400 kB"), ("min_th", "20 kB")], 60_000.0);
    let weight = |params: &[(&str, &str)]| {
        let mut bench = Bench::under(Preset::Linux, "red", params);
        bench.arrive(us(0), 1000);
        bench.arrive(us(0), 1000);
        bench.probe("avg") / 1000.0
    };
    // 50 packets: a = 51 - 30 = 21, and (1 - (31/32)^50) 32 = 25.5 is the first not below it.
    let fifth = 1.0 / 32.0;
    assert_eq!(weight(&[("min_th", "30 kB"), ("max_th", "90 kB")]), fifth);
    // 55 packets, a = 22.7.
    assert_eq!(weight(&[("limit", "400 kB")]), fifth);
    let text = fault("red", &[("w_q", "0.3")], Preset::Linux);
    assert!(text.starts_with("w_q"), "{text}");
}

/// At `mark_p` itself a packet is dropped.
#[test]
fn ns2_marks_only_below_mark_p() {
    let signals = |mark_p| {
        let mut bench = band(Preset::Ns2, &[("ecn", "true"), ("mark_p", mark_p)]);
        bench.poke("avg", 10.0);
        for _ in 0..200 {
            bench.enqueue(us(0), 0, 100, Ecn::Ect0);
        }
        (bench.drops(Reason::Unforced) > 0, bench.marks() > 0)
    };
    assert_eq!(signals("0.05"), (true, false));
    assert_eq!(signals("0.0501"), (false, true));
}

/// An average that stands at `min_th` is in the band, though nothing is dropped there yet: its
/// packets count.
#[test]
fn packets_at_the_lower_threshold_count() {
    for (avg, count) in [(4.999, 0.0), (5.0, 3.0)] {
        let mut bench = Bench::new("red", &[STILL]);
        bench.poke("avg", avg);
        arrive(&mut bench, 3);
        assert_eq!(bench.probe("count"), count, "{avg}");
    }
}

/// In byte mode a packet of twice the mean size is dropped twice as often.
#[test]
fn size_scales_the_probability() {
    let share = |size| {
        let params = [
            STILL,
            ("bytes", "true"),
            ("limit", "none"),
            ("max_p", "0.04"),
        ];
        let mut bench = Bench::new("red", &params);
        bench.poke("avg", 10.0 * 500.0);
        for _ in 0..20_000 {
            bench.arrive(us(0), size);
        }
        bench.drops(Reason::Unforced) as f64 / 20_000.0
    };
    // p = 0.02 and 0.04: a share of 2p / (1 + p).
    assert!((share(500) - 0.0392).abs() < 0.004);
    assert!((share(1000) - 0.0769).abs() < 0.006);
}

/// What may wait: ns-2 lets in the packet that crosses the limit.
#[test]
fn ns2_tells_what_may_wait() {
    let bench = Bench::ns2("red", &[("limit", "50 packets")]);
    let capacity = bench.discipline.capacity();
    assert_eq!(capacity, Capacity::Bytes(25_000 - 1 + 1500));
}

/// The visit begins at `min_th` itself: who crosses it there is the one that is exempt.
#[test]
fn a_visit_begins_at_the_lower_threshold() {
    for (preset, avg, dropped) in [
        (Preset::Ns2, 4.999, 0),
        (Preset::Ns2, 5.0, 1),
        (Preset::Ns3, 4.999, 0),
        (Preset::Ns3, 5.0, 1),
    ] {
        let mut bench = band(preset, &[("wait", "false")]);
        arrive(&mut bench, 2);
        bench.poke("avg", avg);
        arrive(&mut bench, 1);
        nearly_certain(&mut bench);
        arrive(&mut bench, 1);
        assert_eq!(bench.drops(Reason::Unforced), dropped, "{preset} {avg}");
    }
}

/// A forced drop ends the count in ns-2 and not in ns-3.
#[test]
fn forced_drops_and_the_count() {
    for (preset, count) in [(Preset::Ns2, 0.0), (Preset::Ns3, 4.0)] {
        let mut bench = band(preset, &[("gentle", "false"), ("use_mark_p", "false")]);
        arrive(&mut bench, 3);
        bench.poke("avg", 15.0);
        assert!(!bench.arrive(us(0), 500));
        assert_eq!(bench.drops(Reason::Forced), 1);
        assert_eq!(bench.probe("count"), count, "{preset}");
    }
}

/// ns-2 and ns-3 in bytes, p = 1/2: a packet of a fifth of the mean is dropped with a fifth of that
/// while less than 500 bytes have gone by, and surely when the spreading says so, whatever its
/// size.
#[test]
fn ns_scales_all_but_certainty() {
    let params = [
        STILL,
        ("limit", "none"),
        ("min_th", "5 packets"),
        ("max_th", "15 packets"),
        ("wait", "false"),
        ("bytes", "true"),
    ];
    for preset in [Preset::Ns2, Preset::Ns3] {
        let mut bench = Bench::under(preset, "red", &params);
        bench.poke("max_p", 1.0);
        bench.poke("avg", 5_000.0);
        let (mut gap, mut gaps) = (0, Vec::new());
        for _ in 0..20_000 {
            gap += 1;
            if !bench.arrive(us(0), 100) {
                gaps.push(gap);
                gap = 0;
            }
        }
        assert_eq!(gaps[1..].iter().max(), Some(&5), "{preset}");
        let last = gaps.iter().filter(|&&gap| gap == 5).count() as f64 / gaps.len() as f64;
        // 0.9^4 come to the fifth.
        assert!((last - 0.656).abs() < 0.03, "{preset} {last}");
    }
}
