//! REM against its price equation, and against ns-2.

use crate::bench::{Bench, burst, fault, us};
use sojourn_base::{Ecn, Preset};
use sojourn_queue::{Discipline, Reason};

/// Measured on ns-2.35: limit 50 keeps 49; in bytes of 1000 a packet.
#[test]
fn ns2_bursts() {
    for (bytes, accepted) in [("false", 50), ("true", 100)] {
        let mut bench = Bench::ns2("rem", &[("bytes", bytes)]);
        assert_eq!(burst(&mut bench, 1, 100, 500), [accepted]);
    }
    let mut bench = Bench::ns2("rem", &[("bytes", "true"), ("limit", "3 packets")]);
    assert!(bench.arrive(us(0), 2000));
    assert!(!bench.arrive(us(0), 1000), "3000 is not below 3000");
    assert!(bench.arrive(us(0), 999));
}

/// `per_tick` arrivals in each interval of 2 ms at a queue held at `queue`: the price after n.
fn hold(bench: &mut Bench, queue: usize, per_tick: u64, ticks: u64) {
    for tick in 0..ticks {
        let start = tick * 2_000;
        while bench.packets() < queue {
            bench.enqueue(us(start), 0, 500, Ecn::Ect0);
        }
        let filled = if tick == 0 { queue as u64 } else { 0 };
        for k in filled..per_tick.max(filled) {
            bench.enqueue(us(start + 1 + k), 0, 500, Ecn::Ect0);
            bench.dequeue(us(start + 1 + k));
        }
    }
    bench.timers_before(us(ticks * 2_000 + 1));
}

/// At 8 Mbit/s four packets of 500 bytes go in 2 ms. Five arrive; ten more than b* = 20 wait.
#[test]
fn the_price_is_linear_in_an_open_loop() {
    let mut bench = Bench::new("rem", &[("ecn", "true")]);
    hold(&mut bench, 30, 5, 1);
    let first = bench.probe("price");
    assert!(
        (first - 0.001 * (30.0 + 0.1 * 10.0 - 4.0)).abs() < 1e-12,
        "30 came to fill it"
    );
    let mut bench = Bench::new("rem", &[("ecn", "true")]);
    hold(&mut bench, 30, 5, 101);
    let slope = 0.001 * (5.0 + 0.1 * 10.0 - 4.0);
    assert!((bench.probe("price") - first - 100.0 * slope).abs() < 1e-9);
    let p = 1.0 - libm::pow(1.001, -bench.probe("price"));
    assert!((bench.probe("prob") - p).abs() < 1e-12);
}

#[test]
fn an_idle_queue_lets_the_price_fall_to_zero_and_no_further() {
    let mut bench = Bench::new("rem", &[]);
    bench.poke("price", 0.1);
    bench.timers_before(us(2_001));
    assert!((bench.probe("price") - (0.1 - 0.001 * (4.0 + 0.1 * 20.0))).abs() < 1e-12);
    bench.timers_before(us(2_000 * 16 + 1));
    assert!((bench.probe("price") - (0.1 - 16.0 * 0.006)).abs() < 1e-9);
    bench.timers_before(us(2_000 * 17 + 1));
    assert_eq!((bench.probe("price"), bench.probe("prob")), (0.0, 0.0));
}

#[test]
fn updates_come_every_interval_from_the_start() {
    let bench = Bench::new("rem", &[("interval", "3 ms")]);
    assert_eq!(bench.discipline.next_timer(), Some(us(3_000)));
    let mut bench = Bench::new("rem", &[]);
    bench.timers_before(us(4_000));
    assert_eq!(
        bench.discipline.next_timer(),
        Some(us(4_000)),
        "not before it is due"
    );
}

#[test]
fn the_rate_is_filtered() {
    let mut bench = Bench::new("rem", &[("inw", "0.25")]);
    for k in 0..8 {
        bench.arrive(us(k), 500);
    }
    bench.timers_before(us(2_001));
    assert_eq!(bench.probe("rate"), 2.0);
    bench.timers_before(us(4_001));
    assert_eq!(bench.probe("rate"), 1.5);
}

/// The reference measures bytes: packets of 1000 count twice, as the link sends half as many.
#[test]
fn the_rate_of_large_packets_is_right() {
    let mut bench = Bench::new("rem", &[]);
    for k in 0..3 {
        bench.arrive(us(k), 1000);
    }
    bench.timers_before(us(2_001));
    assert_eq!(bench.probe("rate"), 6.0);
    let mut bench = Bench::ns2("rem", &[]);
    for k in 0..3 {
        bench.arrive(us(k), 500);
    }
    bench.timers_before(us(2_001));
    assert_eq!(bench.probe("rate"), 3.0);
}

#[test]
fn ns2_counts_what_it_drops() {
    for (preset, rate) in [(Preset::Reference, 3.0), (Preset::Ns2, 10.0)] {
        let limit = if preset == Preset::Ns2 {
            "4 packets"
        } else {
            "3 packets"
        };
        let mut bench = Bench::under(preset, "rem", &[("limit", limit)]);
        for k in 0..10 {
            bench.arrive(us(k), 500);
        }
        assert_eq!(bench.drops(Reason::Overlimit), 7);
        bench.timers_before(us(2_001));
        assert_eq!(bench.probe("rate"), rate, "{preset}");
    }
}

/// ns-2 believes that 8 Mbit/s send two packets in 2 ms: at three of 500 bytes, 6 Mbit/s, and
/// a queue of b* the price rises already.
#[test]
fn ns2_takes_packets_for_1000_bytes() {
    let mut bench = Bench::ns2("rem", &[("ecn", "true")]);
    hold(&mut bench, 20, 3, 101);
    let price = bench.probe("price");
    assert!(
        (price - 0.001 * (20.0 - 2.0) - 100.0 * 0.001).abs() < 1e-9,
        "{price}"
    );
}

#[test]
fn drops_come_at_the_probability() {
    let mut bench = Bench::new("rem", &[]);
    bench.poke("prob", 0.25);
    let taken = (0..20_000)
        .filter(|_| bench.pass(us(0), 500, Ecn::NotEct))
        .count();
    assert!(taken.abs_diff(15_000) < 310, "{taken}");
    assert_eq!(bench.drops(Reason::Unforced), 20_000 - taken);
}

/// In bytes ns-2 rounds the queue down to packets of 1000, and scales the probability by size.
#[test]
fn ns2_in_bytes() {
    let params = [("bytes", "true"), ("target", "0 packets")];
    let mut bench = Bench::ns2("rem", &params);
    for k in 0..5 {
        bench.arrive(us(k), 500);
    }
    bench.timers_before(us(2_001));
    assert!((bench.probe("price") - 0.001 * (2.5 + 0.1 * 2.0 - 2.0)).abs() < 1e-12);

    let mut bench = Bench::ns2("rem", &params);
    bench.poke("prob", 0.25);
    let taken = (0..20_000)
        .filter(|_| bench.pass(us(0), 500, Ecn::NotEct))
        .count();
    assert!(taken.abs_diff(17_500) < 240, "{taken}");
}

/// Overload of 9/8: the loop settles at p = 1 - 8/9 and q = b*, with a gain high enough to see.
#[test]
fn unresponsive_overload_settles_at_the_target() {
    let mut bench = Bench::new(
        "rem",
        &[("gamma", "0.02"), ("phi", "1.01"), ("limit", "200 packets")],
    );
    let (mut lost, mut waiting) = (0_u32, 0);
    for k in 0..90_000_u64 {
        let taken = bench.send(us(k * 4_000 / 9), 0, 500, Ecn::NotEct);
        if k >= 45_000 {
            lost += u32::from(!taken);
            waiting += bench.packets();
        }
    }
    assert!(
        (f64::from(lost) / 45_000.0 - 1.0 / 9.0).abs() < 0.005,
        "{lost}"
    );
    assert!((waiting as f64 / 45_000.0 - 20.0).abs() < 2.0, "{waiting}");
}

#[test]
fn ns2_marks_at_the_head_and_spares_the_rest() {
    let mut bench = Bench::ns2("rem", &[("ecn", "true")]);
    bench.poke("prob", 1.0);
    assert!(bench.enqueue(us(0), 0, 500, Ecn::Ect0));
    assert!(bench.enqueue(us(0), 0, 500, Ecn::NotEct));
    assert_eq!(bench.marks(), 0);
    assert_eq!(bench.dequeue(us(0)).unwrap().ecn, Ecn::Ce);
    assert_eq!(bench.dequeue(us(0)).unwrap().ecn, Ecn::NotEct);
    let mut bench = Bench::new("rem", &[("ecn", "true")]);
    bench.poke("prob", 1.0);
    assert!(bench.enqueue(us(0), 0, 500, Ecn::Ect0));
    assert!(!bench.enqueue(us(0), 0, 500, Ecn::NotEct));
    assert_eq!(bench.marks(), 1);
}

/// A target in bytes counts bytes: 10 000 of 20 packets of 500.
#[test]
fn the_queue_is_counted_in_the_unit_of_the_target() {
    for (target, size, excess) in [("20 packets", 1000, 0.0), ("10 kB", 1000, 20.0)] {
        let mut bench = Bench::new("rem", &[("target", target)]);
        for _ in 0..20 {
            bench.arrive(us(0), size);
        }
        bench.timers_before(us(2_001));
        let expected = 0.001 * (40.0 + 0.1 * excess - 4.0);
        assert!((bench.probe("price") - expected).abs() < 1e-12, "{target}");
    }
}

#[test]
fn impossible_parameters_are_named() {
    for (name, value) in [
        ("gamma", "0"),
        ("alpha", "-1"),
        ("phi", "1"),
        ("interval", "0 s"),
        ("mean_packet", "0 B"),
        ("inw", "0"),
    ] {
        let text = fault("rem", &[(name, value)], Preset::Reference);
        assert!(text.starts_with(name), "{text}");
    }
}

/// What got in is past its dice, but under ns-2's preset with ECN, where the head is marked.
#[test]
fn only_ns2_with_ecn_throws_dice_at_the_head() {
    for (preset, ecn, marks) in [
        (Preset::Ns2, "true", 5),
        (Preset::Ns2, "false", 0),
        (Preset::Reference, "true", 0),
    ] {
        let mut bench = Bench::under(preset, "rem", &[("ecn", ecn)]);
        for _ in 0..5 {
            bench.enqueue(us(0), 0, 500, Ecn::Ect0);
        }
        bench.poke("prob", 1.0);
        for _ in 0..5 {
            assert!(bench.dequeue(us(0)).is_some());
        }
        assert_eq!(bench.marks(), marks, "{preset} {ecn}");
    }
}
