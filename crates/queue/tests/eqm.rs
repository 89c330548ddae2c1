//! EQM (reconstruction) against the properties that its definition gives it.

use crate::bench::{Bench, fault, link, us};
use sojourn_base::{Ecn, Preset, Span, Time};
use sojourn_queue::Reason;

/// `packets` of 500 bytes at 9 Mbit/s into 8 Mbit/s, from the start; the drops by number.
fn overload(bench: &mut Bench, packets: u64) -> Vec<u64> {
    for k in 1..=packets {
        let at = Time::from_ps(k * 4_000_000_000 / 9);
        bench.send(at, 0, 500, Ecn::NotEct);
    }
    bench
        .record
        .dropped
        .iter()
        .map(|(packet, _)| packet.id)
        .collect()
}

#[test]
fn an_overload_of_9_to_8_loses_every_ninth_packet() {
    let mut bench = Bench::new("eqm", &[]);
    let drops = overload(&mut bench, 20_000);
    let settled: Vec<u64> = drops.into_iter().filter(|&id| id > 10_000).collect();
    assert!(settled.len() > 1_100);
    assert!(settled.windows(2).all(|pair| pair[1] - pair[0] == 9));
    assert_eq!(bench.drops(Reason::Overlimit), 0);
    assert!(bench.packets().abs_diff(15) <= 1, "{}", bench.packets());
    assert!((bench.probe("prob") - 1.0 / 9.0).abs() < 0.01);
    assert!((bench.probe("rate") - 9e6).abs() < 1.0);
}

#[test]
fn the_queue_comes_to_rest_at_q_ref() {
    for (q_ref, tau) in [("8 packets", "50 ms"), ("30 packets", "200 ms")] {
        let mut bench = Bench::new("eqm", &[("q_ref", q_ref), ("tau", tau)]);
        overload(&mut bench, 30_000);
        let expected: usize = q_ref.split(' ').next().unwrap().parse().unwrap();
        assert!(
            bench.packets().abs_diff(expected) <= 1,
            "{q_ref}: {}",
            bench.packets()
        );
    }
}

/// q = `q_ref` - (1 - u) C tau: with u = 0.95 ten packets of 500 bytes below, at 8 Mbit/s.
#[test]
fn less_than_full_use_rests_below_q_ref() {
    let params = [("q_ref", "20 packets"), ("utilization", "0.95")];
    let mut bench = Bench::new("eqm", &params);
    overload(&mut bench, 30_000);
    assert!(bench.packets().abs_diff(10) <= 1, "{}", bench.packets());
}

/// After a step from 0 to r the estimate is r (1 - e^(-t/K)).
#[test]
fn the_rate_follows_a_step_exponentially() {
    let mut bench = Bench::new("eqm", &[("averaging", "50 ms")]);
    for k in 1..=400_u32 {
        bench.send(us(u64::from(k) * 1_000), 0, 500, Ecn::NotEct);
        let expected = 4e6 * (1.0 - libm::exp(-f64::from(k) * 1e-3 / 0.05));
        assert!((bench.probe("rate") - expected).abs() < 1e-3, "{k}");
    }
    // After a silence of 100 ms one packet tells of 40 kbit/s over that time.
    bench.send(us(500_000), 0, 500, Ecn::NotEct);
    let kept = libm::exp(-2.0);
    let before = 4e6 * (1.0 - libm::exp(-8.0));
    let expected = before * kept + (1.0 - kept) * 40_000.0;
    assert!((bench.probe("rate") - expected).abs() < 1e-3);
}

#[test]
fn arrivals_at_one_instant_are_taken_together() {
    let mut apart = Bench::new("eqm", &[]);
    let mut together = Bench::new("eqm", &[]);
    for _ in 0..2 {
        together.arrive(us(1_000), 500);
    }
    apart.arrive(us(1_000), 500);
    assert_eq!(
        apart.probe("rate"),
        together.probe("rate"),
        "the second waits for its gap"
    );
    together.arrive(us(2_000), 500);
    apart.arrive(us(2_000), 1000);
    assert!((apart.probe("rate") - together.probe("rate")).abs() < 1e-6);
}

/// Ten times the link's rate, but never more than four packets waiting.
#[test]
fn nothing_is_dropped_below_q_min() {
    let mut bench = Bench::new("eqm", &[]);
    for k in 0..10_000 {
        assert!(bench.enqueue(us(k * 50), 0, 500, Ecn::NotEct));
        if bench.packets() > 4 {
            bench.dequeue(us(k * 50));
        }
    }
    // With the fifth packet left in the queue, drops begin.
    assert!((0..10).any(|k| !bench.enqueue(us(500_000 + k * 50), 0, 500, Ecn::NotEct)));
}

#[test]
fn light_load_loses_nothing() {
    let mut bench = Bench::new("eqm", &[("q_min", "0 packets")]);
    for k in 0..20_000 {
        assert!(bench.send(us(k * 600), 0, 500, Ecn::NotEct));
    }
}

#[test]
fn the_limit_holds_and_drops_there_are_overlimit() {
    let mut bench = Bench::new("eqm", &[("limit", "20 packets")]);
    for k in 0..30 {
        assert_eq!(bench.arrive(us(0), 500), k < 20);
    }
    assert_eq!(bench.drops(Reason::Overlimit), 10);
}

#[test]
fn lengths_in_bytes_count_bytes() {
    let params = [("limit", "50 kB"), ("q_ref", "6 kB"), ("q_min", "1 kB")];
    let mut bench = Bench::new("eqm", &params);
    overload(&mut bench, 30_000);
    assert!(bench.packets().abs_diff(12) <= 1, "{}", bench.packets());
}

#[test]
fn marks_replace_drops_up_to_the_mark_limit() {
    let overloaded = |params, gap| {
        let mut bench = Bench::new("eqm", params);
        for k in 1..=10_000_u64 {
            bench.send(us(k * gap), 0, 500, Ecn::Ect0);
        }
        (bench.marks(), bench.drops(Reason::Unforced))
    };
    // Marks shed nothing: 10 Mbit/s into 8 fill the queue, whose excess makes p 0.34.
    let (marks, drops) = overloaded(&[("ecn", "true")], 400);
    assert!(marks > 2_000 && drops == 0, "{marks} {drops}");
    // At 20 Mbit/s p is above one half.
    let (marks, drops) = overloaded(&[("ecn", "true")], 200);
    assert!(marks < 100 && drops > 5_000, "{marks} {drops}");
    let (marks, drops) = overloaded(&[("ecn", "true"), ("mark_limit", "0")], 400);
    assert!(marks == 0 && drops > 1_500, "{marks} {drops}");
}

#[test]
fn dice_lose_as_much_but_not_evenly() {
    let mut bench = Bench::new("eqm", &[("randomised", "true")]);
    let drops = overload(&mut bench, 60_000);
    let settled: Vec<u64> = drops.into_iter().filter(|&id| id >= 15_000).collect();
    assert!(
        (settled.len() as f64 / 5_000.0 - 1.0).abs() < 0.05,
        "{}",
        settled.len()
    );
    assert!(settled.windows(2).any(|pair| pair[1] - pair[0] != 9));
}

/// Without the queue an overload of 9/8 is cut to the link's rate, wherever the queue stands.
#[test]
fn rate_only_leaves_the_queue_where_it_is() {
    let mut bench = Bench::new("eqm", &[("rate_only", "true"), ("q_ref", "5 packets")]);
    for _ in 0..40 {
        bench.arrive(us(1), 500);
    }
    overload(&mut bench, 10_000);
    let before = bench.packets();
    assert!(before > 30, "{before}");
}

/// Without the rate the share is (q - `q_ref`) / (tau C): it rests at 1/9, so 22.2 packets above.
#[test]
fn queue_only_rests_where_the_queue_alone_gives_the_share() {
    let mut bench = Bench::new(
        "eqm",
        &[
            ("queue_only", "true"),
            ("limit", "100 packets"),
            ("q_ref", "15 packets"),
        ],
    );
    overload(&mut bench, 40_000);
    assert!(bench.packets().abs_diff(37) <= 2, "{}", bench.packets());
}

/// A flow of 2 Mbit/s beside one of 8 Mbit/s stays below its share of 4 and loses nothing early.
#[test]
fn per_flow_sheds_only_of_those_above_their_share() {
    let mut bench = Bench::new("eqm", &[("per_flow", "true")]);
    for k in 1..=20_000_u64 {
        bench.send(us(k * 500), 0, 500, Ecn::NotEct);
        if k % 4 == 0 {
            bench.send(us(k * 500), 1, 500, Ecn::NotEct);
        }
    }
    let early = |flow| {
        let dropped = bench.record.dropped.iter();
        dropped
            .filter(|(p, why)| p.flow == flow && *why == Reason::Unforced)
            .count()
    };
    assert_eq!(early(1), 0);
    assert!(early(0) > 1_000, "{}", early(0));
}

/// Ten flows were there; one goes on at 6 Mbit/s. Alone it may have all 8.
#[test]
fn per_flow_forgets_the_silent() {
    let mut bench = Bench::new("eqm", &[("per_flow", "true"), ("q_ref", "20 packets")]);
    let mut lost_late = 0;
    for flow in 0..10 {
        bench.enqueue(us(u64::from(flow)), flow, 500, Ecn::NotEct);
    }
    for k in 1..=1_500_u64 {
        let taken = bench.enqueue(us(k * 667), 0, 500, Ecn::NotEct);
        if bench.packets() > 10 {
            bench.dequeue(us(k * 667));
        }
        lost_late += usize::from(k > 500 && !taken);
    }
    assert!(
        bench.drops(Reason::Unforced) > 10,
        "at first it has a tenth"
    );
    assert_eq!(lost_late, 0);
}

#[test]
fn shares_scale_with_size_where_bytes_count() {
    let mut bench = Bench::new("eqm", &[("bytes", "true"), ("randomised", "true")]);
    let mut lost = [0_u32; 2];
    for k in 1..=60_000_u64 {
        let large = k % 2;
        let taken = bench.send(us(k * 650), 0, 400 + 800 * large, Ecn::NotEct);
        lost[large as usize] += u32::from(!taken);
    }
    let ratio = f64::from(lost[1]) / f64::from(lost[0]);
    assert!((ratio - 3.0).abs() < 0.5, "{lost:?}");
}

#[test]
fn a_changed_link_changes_the_share() {
    let mut bench = Bench::new("eqm", &[]);
    sojourn_queue::Discipline::on_link(&mut bench.discipline, &link(80));
    for k in 1..=2_000_u64 {
        bench.enqueue(us(k * 400), 0, 500, Ecn::NotEct);
        if bench.packets() > 15 {
            bench.dequeue(us(k * 400));
        }
    }
    assert_eq!(
        bench.drops(Reason::Unforced),
        0,
        "10 Mbit/s are little for 80"
    );
    assert_eq!(
        bench.link.rate.time_to_send(sojourn_base::Bytes::new(500)),
        Span::from_us(500)
    );
}

#[test]
fn impossible_parameters_are_named() {
    for (name, params) in [
        ("utilization", &[("utilization", "0")][..]),
        ("averaging", &[("averaging", "0 s")]),
        ("tau", &[("tau", "0 s")]),
        (
            "rate_only",
            &[("rate_only", "true"), ("queue_only", "true")],
        ),
        ("q_ref", &[("limit", "none")]),
    ] {
        let text = fault("eqm", params, Preset::Reference);
        assert!(text.starts_with(name), "{text}");
    }
}

/// Ten packets of 500 bytes above `q_ref`, to be gone in 10 ms, are half of 8 Mbit/s: p = 1/2. The
/// debt comes to one with every second arrival, the first at `q_min` itself; a share of exactly
/// `mark_limit` is dropped, not marked.
#[test]
fn at_q_min_a_debt_of_two_halves_is_a_drop() {
    for (q_ref, q_min) in [("10 packets", "20 packets"), ("5000 B", "10000 B")] {
        let params = [
            ("queue_only", "true"),
            ("q_ref", q_ref),
            ("q_min", q_min),
            ("tau", "10 ms"),
            ("ecn", "true"),
            ("mark_limit", "0.5"),
        ];
        let mut bench = Bench::new("eqm", &params);
        for _ in 0..20 {
            assert!(bench.arrive(us(0), 500));
        }
        let taken: Vec<bool> = (1..=6)
            .map(|k| bench.pass(us(k * 500), 500, Ecn::Ect0))
            .collect();
        assert_eq!(taken, [true, false, true, false, true, false], "{q_ref}");
        assert_eq!(bench.probe("prob"), 0.5);
        assert_eq!(bench.marks(), 0);
    }
}

#[test]
fn automatic_lengths_of_a_limit_in_bytes_are_shares_of_its_bytes() {
    let mut bench = Bench::new("eqm", &[("limit", "25000 B")]);
    overload(&mut bench, 30_000);
    let bytes = bench.backlog().bytes.get();
    assert!(bytes.abs_diff(7_500) <= 500, "{bytes}");
}

/// Two packets of 4000 bits within 50 us, averaged over 1 ms: (1 - e^-0.05) 8000 / 50 us.
#[test]
fn a_new_flow_is_heard_from_its_first_packet_on() {
    let params = [
        ("per_flow", "true"),
        ("rate_only", "true"),
        ("utilization", "0.5"),
        ("averaging", "1 ms"),
        ("q_min", "0 packets"),
    ];
    let mut bench = Bench::new("eqm", &params);
    bench.enqueue(us(1_000_000), 3, 500, Ecn::NotEct);
    bench.enqueue(us(1_000_050), 3, 500, Ecn::NotEct);
    let rate = (1.0 - libm::exp(-0.05)) * 8000.0 / 50e-6;
    let expected = 1.0 - 4e6 / rate;
    let prob = bench.probe("prob");
    assert!((prob - expected).abs() < 1e-9, "{prob} {expected}");
}
