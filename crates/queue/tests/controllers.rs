//! PI, AVQ, GREEN and PI2: their controllers in the open loop, and where overload ends.

use crate::bench::{Bench, close, fault, us};
use sojourn_base::{Ecn, Preset};
use sojourn_queue::{Discipline, Reason};

/// Runs the timer that is due next.
fn tick(bench: &mut Bench) {
    let due = bench.discipline.next_timer().expect("it has a timer");
    bench.timers_before(due + sojourn_base::Span::from_ps(1));
}

/// 50 packets of 500 bytes by default, and the one that crosses.
#[test]
fn pi_in_bytes_has_ns2s_room() {
    let mut bench = Bench::under(Preset::Ns2, "pi", &[("bytes", "true")]);
    let admitted = (0..700).filter(|_| bench.arrive(us(0), 41)).count();
    assert_eq!(admitted, 25_000_usize.div_ceil(41));
    let mut bench = Bench::under(Preset::Ns2, "pi", &[]);
    let admitted = (0..700).filter(|_| bench.arrive(us(0), 41)).count();
    assert_eq!(admitted, 50);
}

/// A queue held at the target and d more: a step of a d + b target from rest, then (a - b) d each,
/// 1.02e-5 d a second at 170 Hz.
#[test]
fn pi_ramps_linearly() {
    let (a, b) = (1.822e-5, 1.816e-5);
    let mut bench = Bench::under(Preset::Ns2, "pi", &[("limit", "none")]);
    for _ in 0..80 {
        bench.arrive(us(0), 500);
    }
    for k in 0..170 {
        tick(&mut bench);
        close(
            bench.probe("prob"),
            a * 30.0 + b * 50.0 + f64::from(k) * (a - b) * 30.0,
        );
    }
    let second = bench.probe("prob") - (a * 30.0 + b * 50.0);
    assert!((second - 1.02e-5 * 30.0).abs() < 1e-5 * 0.3, "{second}");
}

#[test]
fn pi_forgets_and_stays_within_bounds() {
    let mut bench = Bench::new("pi", &[]);
    bench.poke("prob", 0.5);
    bench.poke("q_old", 0.0);
    tick(&mut bench);
    close(bench.probe("prob"), 0.5 - (1.822e-5 - 1.816e-5) * 200.0);
    bench.poke("q_old", 1e6);
    tick(&mut bench);
    assert_eq!(bench.probe("prob"), 0.0);
    // In bytes: 20 packets of 1000 are 40 mean packets.
    let params = [
        ("bytes", "true"),
        ("target", "10 packets"),
        ("a", "0.01"),
        ("b", "0.001"),
    ];
    let mut bench = Bench::new("pi", &params);
    for _ in 0..20 {
        bench.arrive(us(0), 1000);
    }
    tick(&mut bench);
    close(bench.probe("prob"), 0.01 * 30.0 + 0.001 * 10.0);
}

#[test]
fn pi_signals_its_probability() {
    for (params, size, share) in [
        (&[("limit", "none")][..], 1000, 0.2),
        (&[("limit", "none"), ("bytes", "true")][..], 1000, 0.4),
    ] {
        let mut bench = Bench::new("pi", params);
        bench.poke("prob", 0.2);
        for _ in 0..20_000 {
            bench.arrive(us(1), size);
        }
        let found = bench.drops(Reason::Unforced) as f64 / 20_000.0;
        assert!((found - share).abs() < 0.015, "{found}");
    }
    let warned = |preset| Bench::under(preset, "pi", &[]).discipline.warnings().len();
    assert_eq!((warned(Preset::Reference), warned(Preset::Ns2)), (0, 1));
    for (name, value) in [
        ("interval", "0 s"),
        ("mean_packet", "0 B"),
        ("b", "1"),
        ("b", "-1"),
    ] {
        let text = fault("pi", &[(name, value)], Preset::Reference);
        assert!(text.starts_with(name), "{text}");
    }
}

/// Faster gains, unresponsive overload of 25 %: PI ends at its target, with a fifth dropped.
#[test]
fn overload_under_pi_ends_at_its_target() {
    let params = [("target", "30 packets"), ("a", "2e-4"), ("b", "1.9e-4")];
    let mut bench = Bench::new("pi", &params);
    let (mut sum, mut dropped) = (0, 0);
    for k in 0..400_000_u64 {
        let taken = bench.send(us(k * 400), 0, 500, Ecn::NotEct);
        if k >= 200_000 {
            sum += bench.packets();
            dropped += u32::from(!taken);
        }
    }
    let mean = sum as f64 / 200_000.0;
    assert!((mean - 30.0).abs() < 3.0, "{mean}");
    assert!((f64::from(dropped) / 200_000.0 - 0.2).abs() < 0.005);
}

/// 1 MB/s link, virtual 0.8 MB/s: one packet of 1000 bytes a millisecond leaves 200 bytes more
/// each; a virtual room of 2000 holds for six arrivals, the seventh does not fit.
#[test]
fn a_virtual_queue_overflows_when_it_must() {
    let params = [("adapts", "false"), ("virtual_limit", "2000 B")];
    let mut bench = Bench::new("avq", &params);
    for k in 0..6_u64 {
        assert!(bench.pass(us(k * 1_000), 1000, Ecn::NotEct), "{k}");
        close(bench.probe("virtual_bytes"), 1000.0 + 200.0 * k as f64);
    }
    // 2000 - 800 + 1000 is more than 2000: refused, and not added.
    assert!(!bench.pass(us(6_000), 1000, Ecn::NotEct));
    close(bench.probe("virtual_bytes"), 1200.0);
    assert!(bench.pass(us(7_000), 1000, Ecn::NotEct));
}

/// dC/dt = alpha (gamma C - load), between zero and the link.
#[test]
fn the_virtual_capacity_adapts() {
    let mut bench = Bench::new("avq", &[("virtual_limit", "1 MB"), ("limit", "none")]);
    let mut expected = 800_000.0;
    bench.arrive(us(0), 1000);
    expected -= 0.15 * 1000.0;
    for k in 1..100_u64 {
        bench.arrive(us(k * 500), 1000);
        expected += 0.15 * (0.98 * 1e6 * 0.0005 - 1000.0);
        close(bench.probe("virtual_bps"), expected * 8.0);
    }
    // Idle for 100 s: the first arrival brings it to the link's rate.
    bench.arrive(us(100_000_000), 1000);
    assert_eq!(bench.probe("virtual_bps"), 8e6);
}

/// Ten of 100 bytes get in; twenty more, for which there is no room, are neither in the virtual
/// queue nor adapted to.
#[test]
fn what_finds_no_room_is_not_counted() {
    let mut bench = Bench::new("avq", &[("limit", "10 packets"), ("virtual_limit", "1 MB")]);
    for _ in 0..30 {
        bench.arrive(us(0), 100);
    }
    assert_eq!((bench.packets(), bench.drops(Reason::Overlimit)), (10, 20));
    close(bench.probe("virtual_bytes"), 1000.0);
    close(bench.probe("virtual_bps"), (800_000.0 - 150.0) * 8.0);
}

/// Unresponsive load of 1.25: what is accepted is gamma of the link, and the queue stays empty.
#[test]
fn avq_accepts_its_share() {
    let mut bench = Bench::new("avq", &[("limit", "50 packets")]);
    let (mut taken, mut queue) = (0_u64, 0);
    for k in 0..400_000_u64 {
        let ok = bench.send(us(k * 400), 0, 500, Ecn::NotEct);
        if k >= 200_000 {
            taken += u64::from(ok);
            queue += bench.packets();
        }
    }
    let share = (taken * 500) as f64 / (200_000.0 * 400.0);
    assert!((share - 0.98).abs() < 0.005, "{share}");
    assert!(queue < 400_000, "two packets at most in the mean: {queue}");
}

#[test]
fn avq_marks_and_warns() {
    let params = [("ecn", "true"), ("virtual_limit", "999 B")];
    let mut bench = Bench::new("avq", &params);
    assert!(bench.enqueue(us(0), 0, 1000, Ecn::Ect0));
    assert!(!bench.enqueue(us(0), 0, 1000, Ecn::NotEct));
    assert_eq!((bench.marks(), bench.drops(Reason::Unforced)), (1, 1));
    close(bench.probe("virtual_bps"), (800_000.0 - 150.0) * 8.0);
    let unlimited = Bench::new("avq", &[("limit", "none")]);
    assert_eq!(unlimited.discipline.warnings().len(), 1);
    let mut ns2 = Bench::under(Preset::Ns2, "avq", &[("virtual_limit", "1 MB")]);
    for _ in 0..60 {
        ns2.arrive(us(0), 1500);
    }
    assert_eq!(ns2.packets(), 33, "50 packets of 1000 bytes");
    for (name, value) in [("mean_packet", "0 B"), ("alpha", "-1")] {
        let text = fault("avq", &[(name, value)], Preset::Reference);
        assert!(text.starts_with(name), "{text}");
    }
}

/// 1.125 of the link: p rises by 0.001 each 10 ms once the average is above 0.97 of it, and
/// falls when the traffic stops, because the average does.
#[test]
fn green_steps_up_and_down() {
    let mut bench = Bench::new("green", &[("limit", "none")]);
    // 1000 bytes each 889 us: 9 Mbit/s on 8. The average passes 7.76 after 200 ms.
    for k in 0..1_125_u64 {
        bench.arrive(us(k * 889), 1000);
    }
    let p = bench.probe("prob");
    assert!((p - 0.08).abs() < 0.004, "{p}");
    assert!((bench.probe("rate_bps") - 9e6).abs() < 1e4);
    // 15 ms for the average to decay below, then down.
    for _ in 0..50 {
        tick(&mut bench);
    }
    assert!((bench.probe("prob") - (p - 0.048)).abs() < 0.003);
    for _ in 0..100 {
        tick(&mut bench);
    }
    assert_eq!(bench.probe("prob"), 0.0);
}

#[test]
fn green_averages_exponentially() {
    let mut bench = Bench::new("green", &[("limit", "none"), ("averaging", "50 ms")]);
    for k in 1..=400_u64 {
        bench.arrive(us(k * 1_000), 500);
        let expected = 4e6 * (1.0 - libm::exp(-(k as f64) / 50.0));
        assert!((bench.probe("rate_bps") - expected).abs() < 1.0);
    }
    let mut twice = Bench::new("green", &[]);
    for k in 1..=100_u64 {
        twice.arrive(us(k * 2_000), 500);
        twice.arrive(us(k * 2_000), 500);
    }
    assert!(
        twice.probe("rate_bps") > 2e6,
        "arrivals of one instant all count"
    );
    for name in ["averaging", "interval"] {
        let text = fault("green", &[(name, "0 s")], Preset::Reference);
        assert!(text.starts_with(name), "{text}");
    }
}

/// From rest to target + x: p' = alpha x + beta (target + x).
#[test]
fn pi2_steps() {
    let mut bench = Bench::new("pi2", &[("limit", "none")]);
    bench.arrive(us(2_000), 1000);
    tick(&mut bench);
    let p = 0.3125 * 0.01 + 3.125 * 0.03;
    close(bench.probe("prob"), p);
    close(bench.probe("prob_classic"), p * p);
    tick(&mut bench);
    close(
        bench.probe("prob"),
        0.3125 * 0.01 + 3.125 * 0.03 + 0.3125 * 0.042 + 3.125 * 0.032,
    );
}

/// p' = 0.1: classic packets are signalled with 1 %, scalable ones with 20 %.
#[test]
fn pi2_couples() {
    for (ecn, share, marked) in [
        (Ecn::NotEct, 0.01, false),
        (Ecn::Ect0, 0.01, true),
        (Ecn::Ect1, 0.2, true),
        (Ecn::Ce, 0.2, true),
    ] {
        let mut bench = Bench::new("pi2", &[("limit", "none")]);
        for _ in 0..3 {
            bench.arrive(us(0), 1000);
        }
        bench.poke("prob", 0.1);
        for _ in 0..40_000 {
            bench.enqueue(us(1), 0, 1000, ecn);
        }
        let (marks, drops) = (bench.marks(), bench.drops(Reason::Unforced));
        let found = (marks + drops) as f64 / 40_000.0;
        assert!((found - share).abs() < 0.1 * share, "{ecn:?} {found}");
        assert_eq!((marks > 0, drops > 0), (marked, !marked));
    }
    let mut short = Bench::new("pi2", &[]);
    short.poke("prob", 1.0);
    short.arrive(us(0), 1500);
    assert!(short.arrive(us(0), 1500), "less than two packets wait");
    assert!(!short.arrive(us(0), 1500));
    for (name, value) in [
        ("t_update", "0 s"),
        ("alpha", "-1"),
        ("beta", "-1"),
        ("k", "0"),
    ] {
        let text = fault("pi2", &[(name, value)], Preset::Reference);
        assert!(text.starts_with(name), "{text}");
    }
}

/// Unresponsive overload of 25 %: p'^2 is a fifth, and the delay ends at the target.
#[test]
fn overload_under_pi2_ends_at_its_target() {
    let mut bench = Bench::new("pi2", &[]);
    let (mut sum, mut prob) = (0.0, 0.0);
    for k in 0..150_000_u64 {
        bench.send(us(k * 400), 0, 500, Ecn::NotEct);
        if k >= 75_000 {
            sum += bench.packets() as f64 * 0.0005;
            prob += bench.probe("prob");
        }
    }
    assert!((sum / 75_000.0 - 0.02).abs() < 0.002, "{}", sum / 75_000.0);
    let square = (prob / 75_000.0) * (prob / 75_000.0);
    assert!((square - 0.2).abs() < 0.02, "{square}");
}

/// ns-2's time begins with its first packet; with `ecn` it never drops early; what the real queue
/// has no room for stays in the virtual one.
#[test]
fn the_avq_of_ns2() {
    let first = |preset, at| {
        let mut bench = Bench::under(preset, "avq", &[]);
        bench.arrive(us(at), 1000);
        bench.probe("virtual_bps")
    };
    close(first(Preset::Ns2, 5_000_000), first(Preset::Ns2, 0));
    let [late, at_once] = [5_000_000, 0].map(|at| first(Preset::Reference, at));
    assert!(late > 1.2 * at_once, "from 0.8 C to C: {late} {at_once}");

    let admitted = |preset| {
        let params = [
            ("ecn", "true"),
            ("limit", "100 packets"),
            ("virtual_limit", "50 kB"),
        ];
        let mut bench = Bench::under(preset, "avq", &params);
        let ecn = [Ecn::NotEct, Ecn::Ect0].into_iter().cycle().take(60);
        let admitted = ecn
            .filter(|&ecn| bench.enqueue(us(0), 0, 1000, ecn))
            .count();
        (admitted, bench.marks())
    };
    assert_eq!(admitted(Preset::Ns2), (60, 5));
    assert_eq!(admitted(Preset::Reference), (55, 5));
}
