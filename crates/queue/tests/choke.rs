//! CHOKe: who is met, who is dropped, and where RED goes on.

use crate::bench::{Bench, fault, us};
use sojourn_base::{Ecn, Preset};
use sojourn_queue::Reason;

/// An average that stays where it is put.
const STILL: [(&str, &str); 3] = [
    ("w_q", "1e-300"),
    ("min_th", "5 packets"),
    ("max_th", "15 packets"),
];

fn still(more: &[(&str, &str)], avg: f64) -> Bench {
    let params: Vec<_> = STILL.iter().chain(more).copied().collect();
    let mut bench = Bench::new("choke", &params);
    bench.poke("avg", avg);
    bench
}

/// A queue of one flow alone: above `min_th` every arrival of it meets itself.
#[test]
fn a_flow_that_meets_itself_loses_two() {
    let mut bench = still(&[], 0.0);
    for _ in 0..10 {
        assert!(bench.arrive(us(0), 500));
    }
    bench.poke("avg", 5.0);
    assert!(bench.arrive(us(0), 500), "not above min_th");
    bench.poke("avg", 5.001);
    assert!(!bench.arrive(us(0), 500));
    assert_eq!((bench.packets(), bench.drops(Reason::Match)), (10, 2));
    assert!(bench.enqueue(us(0), 1, 500, Ecn::NotEct), "another flow");
}

/// A flow with share h of the queue loses a fraction h of its arrivals.
#[test]
fn losses_follow_the_share_of_the_queue() {
    for (candidates, expected) in [("1", 0.25), ("2", 1.0 - 0.75 * 0.75)] {
        let mut bench = still(&[("candidates", candidates), ("max_p", "0")], 0.0);
        let fill = |bench: &mut Bench, at, flow| {
            bench.poke("avg", 0.0);
            bench.enqueue(us(at), flow, 500, Ecn::NotEct);
        };
        for k in 0..40 {
            fill(&mut bench, 0, k % 4);
        }
        let mut matched = 0;
        for at in 0..20_000_u64 {
            bench.poke("avg", 10.0);
            // One of the four flows at random arrives and another packet of it leaves.
            let flow = (at % 4) as u32;
            if bench.enqueue(us(at), flow, 500, Ecn::NotEct) {
                bench.dequeue(us(at));
            } else {
                matched += 1;
                fill(&mut bench, at, flow);
            }
        }
        let found = f64::from(matched) / 20_000.0;
        assert!((found - expected).abs() < 0.02, "{found} {expected}");
    }
}

/// Above `max_th` all are dropped; in between RED's gap is uniform on 1 to 1/p: mean 5.5 at 0.1.
#[test]
fn red_goes_on_with_the_others() {
    let mut bench = still(&[("max_p", "0.2"), ("limit", "none")], 0.0);
    bench.arrive(us(0), 500);
    bench.poke("avg", 10.000_001);
    let mut dropped = 0;
    for k in 1..=20_000_u32 {
        dropped += u32::from(!bench.enqueue(us(0), k, 500, Ecn::NotEct));
    }
    let mean = 20_000.0 / f64::from(dropped);
    assert!((mean - 5.5).abs() < 0.15, "{mean}");
    assert_eq!(bench.drops(Reason::Match), 0);
    bench.poke("avg", 15.0);
    assert!(!bench.enqueue(us(0), 99_999, 500, Ecn::NotEct));
    assert_eq!(bench.drops(Reason::Forced), 1);
}

#[test]
fn matches_are_dropped_and_red_marks() {
    let mut bench = still(&[("ecn", "true"), ("max_p", "1")], 0.0);
    bench.enqueue(us(0), 0, 500, Ecn::Ect0);
    bench.poke("avg", 14.999_999);
    assert!(bench.enqueue(us(0), 1, 500, Ecn::Ect0));
    assert_eq!(bench.marks(), 1);
    let mut alone = still(&[("ecn", "true")], 0.0);
    alone.enqueue(us(0), 0, 500, Ecn::Ect0);
    alone.poke("avg", 10.0);
    assert!(!alone.enqueue(us(0), 0, 500, Ecn::Ect0));
    assert_eq!(
        (alone.marks(), alone.drops(Reason::Match), alone.packets()),
        (0, 2, 0)
    );
}

/// Limit 200: max 50, min 16, all in packets; `<=` and `>` where RED has `<` and `>=`.
#[test]
fn linux_counts_packets() {
    let params = [
        ("limit", "200 packets"),
        ("ecn", "true"),
        ("w_q", "4.656612873077393e-10"),
    ];
    for (avg, met) in [(16.0, false), (17.0, true)] {
        let mut bench = Bench::under(Preset::Linux, "choke", &params);
        for _ in 0..3 {
            bench.arrive(us(0), 1000);
        }
        bench.poke("avg", avg);
        assert_eq!(bench.arrive(us(0), 1000), !met, "{avg}");
    }
    for (avg, marked) in [(50.0, 0), (51.0, 1)] {
        let mut bench = Bench::under(Preset::Linux, "choke", &params);
        bench.arrive(us(0), 1000);
        bench.poke("avg", avg);
        assert!(bench.enqueue(us(0), 7, 1000, Ecn::Ect0));
        assert_eq!(
            bench.marks(),
            marked,
            "{avg}: the first of a visit is exempt"
        );
    }
}

/// An unresponsive flow well above its share among forty that keep to theirs is held down.
#[test]
fn an_unresponsive_flow_is_held_down() {
    let run = |name: &str| {
        let params = [
            ("w_q", "0.02"),
            ("limit", "100 packets"),
            ("max_th", "60 packets"),
        ];
        let mut bench = Bench::new(name, &params);
        for k in 0..200_000_u64 {
            let flow = if k % 2 == 0 {
                0
            } else {
                1 + (k / 2 % 40) as u32
            };
            bench.send(us(k * 300), flow, 500, Ecn::NotEct);
        }
        let own = bench.delivered.iter().filter(|(_, p)| p.flow == 0).count();
        own as f64 / bench.delivered.len() as f64
    };
    let (red, choke) = (run("red"), run("choke"));
    assert!((red - 0.5).abs() < 0.03, "{red}");
    assert!(choke < 0.35, "{choke}");
}

#[test]
fn impossible_parameters_are_named() {
    for (name, value) in [
        ("mean_packet", "0 B"),
        ("limit", "5 kB"),
        ("min_th", "16 packets"),
    ] {
        let text = fault("choke", &[(name, value)], Preset::Reference);
        assert!(text.starts_with(name), "{text}");
    }
    let text = fault("choke", &[("w_q", "0.3")], Preset::Linux);
    assert!(text.starts_with("w_q"), "{text}");
}

/// Linux: above max the count is that of a queue below min, so that the band's next visitor is
/// exempt.
#[test]
fn linux_begins_anew_above_max() {
    let params = [
        ("limit", "200 packets"),
        ("min_th", "20 packets"),
        ("max_th", "60 packets"),
    ];
    let mut bench = Bench::under(Preset::Linux, "choke", &params);
    bench.poke("avg", 100.0);
    bench.poke("count", 7.0);
    assert!(!bench.arrive(us(0), 1000));
    assert_eq!(bench.record.dropped[0].1, Reason::Forced);
    assert_eq!(bench.probe("count"), -1.0);
}

/// `max_th` is a quarter of the limit, whatever `min_th` is.
#[test]
fn linux_derives_the_upper_threshold_from_the_limit() {
    for (avg, forced) in [(249.0, 0), (252.0, 1)] {
        let mut bench = Bench::under(Preset::Linux, "choke", &[("min_th", "30 packets")]);
        bench.poke("avg", avg);
        bench.arrive(us(0), 1000);
        assert_eq!(bench.drops(Reason::Forced), forced, "{avg}");
    }
}

#[test]
fn an_overflow_begins_the_count_anew() {
    let mut bench = still(&[("limit", "2 packets"), ("max_p", "0")], 0.0);
    for _ in 0..2 {
        bench.arrive(us(0), 500);
    }
    bench.poke("avg", 10.0);
    bench.poke("count", 7.0);
    assert!(!bench.enqueue(us(0), 1, 500, Ecn::NotEct));
    assert_eq!(bench.drops(Reason::Overlimit), 1);
    assert_eq!(bench.probe("count"), 0.0);
}
