//! Disciplines inside others.

use crate::bench::{self, Bench, fault, us};
use sojourn_base::{Ecn, Preset};
use sojourn_queue::{Discipline, Reason};

/// A CoDel behind a bucket that lets 2 Mbit/s go does what one on a link of 2 Mbit/s does: it drops
/// as often and at the same times, to five packet times; its packets leave it one too early.
#[test]
fn codel_in_a_token_bucket_meets_the_rate_of_the_bucket() {
    let params = [
        ("rate", "2 Mbit/s"),
        ("burst", "500 B"),
        ("inner", "codel(limit = none)"),
    ];
    let mut shaped = Bench::new("tbf", &params);
    let mut slow = bench::link(8);
    slow.rate = sojourn_base::Rate::from_bps(2_000_000).expect("a rate");
    let mut alone = Bench::behind(slow, Preset::Reference, "codel", &[("limit", "none")]);
    let mut drops = [Vec::new(), Vec::new()];
    // 2.5 Mbit/s for two seconds; the bucket gives a packet each 2 ms, as the slow link does.
    let mut due = us(0);
    for k in 0..1_250 {
        let now = us(k * 1_600);
        while due <= now {
            shaped.dequeue(due);
            drops[0].resize(shaped.drops(Reason::Target), due);
            due = shaped
                .wait
                .unwrap_or(due + sojourn_base::Span::from_us(100));
        }
        shaped.enqueue(now, 0, 500, Ecn::NotEct);
        alone.send(now, 0, 500, Ecn::NotEct);
        drops[1].resize(alone.drops(Reason::Target), now);
    }
    assert!(drops[0].len() > 20);
    assert!(drops[0].len().abs_diff(drops[1].len()) <= 1);
    for (shaped, alone) in drops[0].iter().zip(&drops[1]) {
        let apart = shaped.as_s() - alone.as_s();
        assert!(apart.abs() <= 0.010, "{shaped} {alone}");
    }
}

/// Each band has a CoDel of its own: the higher one is short of packets, the lower one drops.
#[test]
fn each_band_has_its_own() {
    let mut bench = Bench::new(
        "prio",
        &[("inner", "codel(target = 2 ms, interval = 20 ms)")],
    );
    for k in 0..4_000 {
        let flow = if k % 4 == 0 { 6 } else { 2 };
        bench.send(us(k * 400), flow, 500, Ecn::NotEct);
    }
    assert_eq!(bench.probe("band[0].count"), 0.0);
    assert!(bench.probe("band[2].count") > 3.0);
    assert!(
        bench
            .record
            .dropped
            .iter()
            .all(|(packet, _)| packet.flow == 2)
    );
    bench.poke("band[1].count", 7.0);
    assert_eq!(bench.probe("band[1].count"), 7.0);
}

/// A band that waits for tokens lets the next one go.
#[test]
fn a_band_without_tokens_is_passed_over() {
    let params = [("inner", "tbf(rate = 4 Mbit/s, burst = 500 B)")];
    let mut bench = Bench::new("prio", &params);
    for flow in [6, 6, 2] {
        bench.enqueue(us(0), flow, 500, Ecn::NotEct);
    }
    let next = |bench: &mut Bench, at| bench.dequeue(us(at)).map(|packet| packet.flow);
    assert_eq!(next(&mut bench, 0), Some(6));
    assert_eq!(next(&mut bench, 0), Some(2));
    assert_eq!(next(&mut bench, 0), None);
    assert_eq!(bench.wait, Some(us(1_000)));
    assert_eq!(next(&mut bench, 1_000), Some(6));
}

/// What is waited for has left a discipline, but not a plain queue, which it still fills.
#[test]
fn the_head_that_waits_is_counted() {
    for (inner, packets, drops) in [
        ("codel(limit = 2 packets)", 3, 1),
        ("droptail(limit = 2 packets)", 2, 2),
    ] {
        let params = [("rate", "4 Mbit/s"), ("burst", "500 B"), ("inner", inner)];
        let mut bench = Bench::new("tbf", &params);
        for _ in 0..2 {
            bench.arrive(us(0), 500);
        }
        assert!(bench.dequeue(us(0)).is_some());
        assert!(bench.dequeue(us(0)).is_none());
        for _ in 0..3 {
            bench.arrive(us(0), 500);
        }
        let found = (bench.packets(), bench.drops(Reason::Overlimit));
        assert_eq!(found, (packets, drops), "{inner}");
        bench.discipline.reset();
        assert_eq!(bench.packets(), 0);
    }
}

#[test]
fn what_is_wrong_inside_is_told_of_inner() {
    let with = |inner| fault("prio", &[("inner", inner)], Preset::Reference);
    assert_eq!(with("codel(interval = 50 ms)"), "accepted");
    let text = with("codel(interval = 0 s)");
    assert!(
        text.starts_with("inner: found interval = 0 s in codel; allowed: "),
        "{text}"
    );
    let text = with("codel(interval = soon)");
    assert!(
        text.starts_with("inner: found interval = \"soon\" in codel"),
        "{text}"
    );
    let text = with("red(preset = ns4)");
    assert!(text.contains("\"ns3\""), "{text}");
    assert!(with("nothing").contains("or droptail, headdrop"));
    let bench = Bench::new("prio", &[("inner", "codel(target = 1 ms)")]);
    let warnings = bench.discipline.warnings();
    assert_eq!(warnings[0].param, "inner");
    assert!(warnings[0].what.starts_with("target: 1 ms is less than"));
}

const SCHEDULERS: [&str; 3] = ["drr", "sfq", "fq"];

/// A flow alone meets its CoDel as it would without a scheduler.
#[test]
fn codel_in_a_flow_does_what_codel_does() {
    let drops = |name: &str, params: &[(&str, &str)]| {
        let mut bench = Bench::new(name, params);
        let mut times = Vec::new();
        for k in 0..2_000 {
            bench.send(us(k * 400), 1, 500, Ecn::NotEct);
            times.resize(bench.drops(Reason::Target), k);
        }
        times
    };
    let alone = drops("codel", &[("limit", "none")]);
    assert!(alone.len() > 10);
    for name in SCHEDULERS {
        let nested = drops(name, &[("inner", "codel(limit = none)"), ("limit", "none")]);
        assert_eq!(nested, alone, "{name}");
    }
}

/// One flow stays within half of the link: only the other, which does not, is dropped; both get
/// what they would without CoDel, and the greedy one's packets wait for less.
#[test]
fn each_flow_has_its_own() {
    for name in SCHEDULERS {
        let served = |params: &[(&str, &str)]| {
            let mut bench = Bench::new(name, params);
            for k in 0..8_000_u64 {
                if k % 4 == 0 {
                    bench.send(us(k * 250), 1, 500, Ecn::NotEct);
                }
                bench.send(us(k * 250), 2, 500, Ecn::NotEct);
            }
            let lost = |flow| {
                let gone = bench.record.dropped.iter();
                gone.filter(|(packet, _)| packet.flow == flow).count()
            };
            (lost(1), lost(2), bench.packets())
        };
        let nested = served(&[("inner", "codel(limit = none)"), ("limit", "none")]);
        let plain = served(&[("limit", "none")]);
        assert_eq!((nested.0, plain.0), (0, 0), "{name}");
        assert!(nested.1 > 100, "{name}: {nested:?}");
        assert_eq!(nested.1 + nested.2, plain.2, "{name}: the link is as busy");
    }
}

/// A full house refuses; nothing is pushed out of a discipline.
#[test]
fn an_arrival_beyond_all_is_refused() {
    for name in SCHEDULERS {
        let params = [("inner", "pie"), ("limit", "3 packets")];
        let mut bench = Bench::new(name, &params);
        for flow in [1, 1, 1, 2] {
            bench.enqueue(us(0), flow, 500, Ecn::NotEct);
        }
        let (refused, _) = &bench.record.dropped[0];
        assert_eq!((refused.flow, bench.packets()), (2, 3), "{name}");
        let timer = bench.discipline.next_timer();
        assert_eq!(timer, Some(us(15_000)), "{name}: that of PIE");
        bench.discipline.reset();
        assert_eq!((bench.packets(), bench.discipline.next_timer()), (0, None));
    }
}

/// CHOKe takes the only packet that waits along with the arrival: the flow is empty, and the
/// scheduler goes on.
#[test]
fn a_flow_that_empties_itself_is_passed_over() {
    for name in SCHEDULERS {
        let params = [("inner", "choke(min_th = 0 packets, w_q = 1)")];
        let mut bench = Bench::new(name, &params);
        for flow in [1, 1, 1, 2] {
            bench.enqueue(us(0), flow, 500, Ecn::NotEct);
        }
        assert!(bench.drops(Reason::Match) >= 2, "{name}");
        let left = bench.packets();
        let mut flows = Vec::new();
        for _ in 0..left {
            flows.push(bench.dequeue(us(1)).expect("a packet").flow);
        }
        assert!(flows.contains(&2), "{name}");
        assert!(bench.dequeue(us(1)).is_none(), "{name}");
        bench.enqueue(us(2), 1, 500, Ecn::NotEct);
        assert!(bench.dequeue(us(2)).is_some(), "{name}");
    }
}

/// A flow without tokens lets the others go, and all of them tell when they may.
#[test]
fn a_flow_without_tokens_is_passed_over() {
    for name in SCHEDULERS {
        let params = [("inner", "tbf(rate = 4 Mbit/s, burst = 500 B)")];
        let mut bench = Bench::new(name, &params);
        for flow in [1, 1, 2] {
            bench.enqueue(us(0), flow, 500, Ecn::NotEct);
        }
        let mut flows = Vec::new();
        for _ in 0..2 {
            flows.push(bench.dequeue(us(0)).expect("a packet").flow);
        }
        flows.sort_unstable();
        assert_eq!(flows, [1, 2], "{name}");
        assert!(bench.dequeue(us(0)).is_none(), "{name}");
        assert_eq!(bench.wait, Some(us(1_000)), "{name}");
        assert!(bench.dequeue(us(1_000)).is_some(), "{name}");
    }
}

#[test]
fn flows_show_and_take_the_variables_of_their_discipline() {
    for name in SCHEDULERS {
        let mut bench = Bench::new(name, &[("inner", "codel(target = 1 ms)")]);
        bench.enqueue(us(0), 7, 500, Ecn::NotEct);
        bench.poke("flow[0].count", 5.0);
        assert_eq!(bench.probe("flow[0].count"), 5.0, "{name}");
        assert_eq!(bench.probe("flow[0].packets"), 1.0, "{name}");
        assert_eq!(bench.discipline.warnings()[0].param, "inner", "{name}");
        let text = fault(
            name,
            &[("inner", "codel(interval = 0 s)")],
            Preset::Reference,
        );
        assert!(text.starts_with("inner: found interval = 0 s"), "{text}");
    }
}
