//! ARED's adaptation, by Floyd's rule and Feng's, and its automatic parameters; nonlinear RED.

use crate::bench::{Bench, fault, link, us};
use sojourn_base::{Bytes, Ecn, Preset, Rate};
use sojourn_queue::{Discipline, Reason};

/// An average that stays where it is put: 5 packets to 15, weight nil.
const STILL: [(&str, &str); 3] = [
    ("w_q", "1e-300"),
    ("min_th", "5 packets"),
    ("max_th", "15 packets"),
];

fn still(preset: Preset, more: &[(&str, &str)], avg: f64) -> Bench {
    let params: Vec<_> = STILL.iter().chain(more).copied().collect();
    let mut bench = Bench::under(preset, "ared", &params);
    bench.arrive(us(0), 500);
    bench.poke("avg", avg);
    bench
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} {expected}");
}

/// Floyd, Gummadi, Shenker 2001, worked by hand: pinned above, 0.01 each half second from 0.1 to
/// 0.5; pinned below, times 0.9, which passes 0.01 after 22 updates.
#[test]
fn max_p_follows_floyds_rule() {
    let mut bench = still(Preset::Reference, &[], 14.0);
    for n in 1..=45_u64 {
        bench.timers_before(us(n * 500_000 + 1));
        close(bench.probe("max_p"), (0.1 + 0.01 * n as f64).min(0.5));
        if n == 40 {
            close(bench.probe("max_p"), 0.5);
        }
    }
    let mut bench = still(Preset::Reference, &[], 6.0);
    let mut expected = 0.1;
    for n in 1..=30_u64 {
        bench.timers_before(us(n * 500_000 + 1));
        expected *= if n <= 22 { 0.9 } else { 1.0 };
        close(bench.probe("max_p"), expected);
    }
    assert!(expected < 0.01 && expected > 0.0098);
}

/// The middle fifth, 9 to 11 packets, is where it should be; small steps are a quarter.
#[test]
fn the_target_is_the_middle_fifth() {
    for (avg, max_p, after) in [
        (9.0, 0.1, 0.1),
        (11.0, 0.1, 0.1),
        (8.999, 0.1, 0.09),
        (11.001, 0.1, 0.11),
        (11.001, 0.02, 0.025),
        (11.001, 0.51, 0.51),
        (8.999, 0.0099, 0.0099),
    ] {
        let mut bench = still(Preset::Reference, &[], avg);
        bench.poke("max_p", max_p);
        bench.timers_before(us(500_001));
        close(bench.probe("max_p"), after);
    }
}

/// ns-2 and ns-3 look only when something arrives, later than an interval after the last change.
#[test]
fn the_simulators_adapt_at_arrivals() {
    for preset in [Preset::Ns2, Preset::Ns3] {
        let mut bench = still(preset, &[("bytes", "false"), ("max_p", "0.1")], 14.0);
        assert_eq!(bench.discipline.next_timer(), None);
        for (at, max_p) in [
            (500_000, 0.1),
            (500_001, 0.11),
            (900_000, 0.11),
            (1_000_001, 0.11),
            (1_000_002, 0.12),
            (9_000_000, 0.13),
        ] {
            bench.arrive(us(at), 500);
            close(bench.probe("max_p"), max_p);
        }
    }
}

/// At 8 Mbit/s, 500 bytes: c = 2000 packets/s, so min 5, max 15; at 80 Mbit/s 50 and 150.
#[test]
fn parameters_are_automatic() {
    for (mbit, first) in [(8, 5.0), (80, 50.0)] {
        let mut bench = Bench::behind(link(mbit), Preset::Reference, "ared", &[]);
        bench.poke("avg", first * 3.0 - 0.01);
        bench.arrive(us(0), 500);
        let p = bench.probe("prob");
        assert!(p > 0.098 && p < 0.1, "{p}");
        let weight = 1.0 - libm::exp(-1.0 / (2_000.0 * mbit as f64 / 8.0));
        bench.poke("avg", 1.0);
        bench.arrive(us(0), 500);
        close(bench.probe("avg"), 1.0 + weight * 0.0);
    }
}

/// Feng: divided by 3 on entering below, doubled on entering above; nothing while it stays.
#[test]
fn fengs_rule() {
    let params = [("feng_adaptive", "true"), ("max_p", "0.1")];
    let mut bench = still(Preset::Reference, &params, 10.0);
    let mut at = 0;
    let mut see = |bench: &mut Bench, avg, expected| {
        bench.poke("avg", avg);
        at += 10;
        bench.arrive(us(at), 500);
        close(bench.probe("max_p"), expected);
    };
    // The first arrival, to an empty queue, entered the range below.
    let first = 0.1 / 3.0;
    see(&mut bench, 10.0, first);
    see(&mut bench, 16.0, first * 2.0);
    see(&mut bench, 17.0, first * 2.0);
    see(&mut bench, 15.0, first * 2.0);
    see(&mut bench, 16.0, first * 2.0);
    see(&mut bench, 10.0, first * 2.0);
    see(&mut bench, 16.0, first * 4.0);
    see(&mut bench, 4.0, first * 4.0 / 3.0);
    see(&mut bench, 3.0, first * 4.0 / 3.0);
    let ns2 = still(
        Preset::Ns2,
        &[("feng_adaptive", "true"), ("bytes", "false")],
        4.0,
    );
    let warned = ns2.discipline.warnings();
    assert!(warned.iter().any(|w| w.param == "feng_alpha"));
}

/// `bottom`: 0.01, on fast links less under the simulators' presets.
#[test]
fn the_bottom_depends_on_the_link() {
    let mut fast = link(8);
    fast.rate = Rate::from_bps(80_000_000).unwrap();
    for (preset, bottom) in [
        (Preset::Reference, 0.01),
        (Preset::Ns2, 0.001),
        (Preset::Ns3, 5e-6),
    ] {
        let params = [
            ("w_q", "1e-300"),
            ("bytes", "false"),
            ("interval", "1 ms"),
            ("max_p", "0.1"),
        ];
        let mut bench = Bench::behind(fast, preset, "ared", &params);
        for k in 0..200 {
            bench.pass(us(k * 2_000), 500, Ecn::NotEct);
        }
        let floor = bench.probe("max_p");
        assert!(floor < bottom && floor >= 0.9 * bottom, "{preset} {floor}");
    }
}

/// Linux: 501 ms at 1000 Hz; thresholds 30 kB and 90 kB have their fifths at 54 kB and 66 kB.
#[test]
fn linux_has_its_own_clock_and_band() {
    let params = [
        ("limit", "400 kB"),
        ("min_th", "30 kB"),
        ("max_th", "90 kB"),
        ("w_q", "0.0625"),
        ("max_p", "0.1"),
    ];
    for (avg, after) in [
        (53_999.0, 0.09),
        (54_000.0, 0.1),
        (66_000.0, 0.1),
        (66_002.0, 0.11),
    ] {
        let adapting = [&params[..], &[("adapts", "true")]].concat();
        let mut bench = Bench::under(Preset::Linux, "ared", &adapting);
        bench.arrive(us(0), 500);
        bench.poke("avg", avg);
        bench.timers_before(us(501_000));
        close(bench.probe("max_p"), 0.1);
        bench.timers_before(us(501_001));
        close(bench.probe("max_p"), after);
    }
    let small = [&params[..4], &[("max_p", "0.02"), ("adapts", "true")]].concat();
    let mut bench = Bench::under(Preset::Linux, "ared", &small);
    bench.arrive(us(0), 500);
    bench.poke("avg", 80_000.0);
    bench.timers_before(us(501_001));
    close(bench.probe("max_p"), 0.025);
    let text = fault("ared", &[("feng_adaptive", "true")], Preset::Linux);
    assert!(text.starts_with("feng_adaptive"), "{text}");
}

/// As `tc` and the kernel stand, nothing adapts under Linux's preset; under the others one can
/// choose so too.
#[test]
fn what_does_not_adapt_keeps_its_probability() {
    let mut bench = Bench::under(Preset::Linux, "ared", &[("min_th", "30 kB")]);
    assert_eq!(bench.discipline.next_timer(), None);
    assert_eq!(bench.discipline.warnings()[0].param, "adapts");
    bench.arrive(us(0), 500);
    bench.poke("avg", 1.0);
    bench.timers_before(us(5_000_000));
    assert_eq!(bench.probe("max_p"), 0.02);
    for preset in [Preset::Reference, Preset::Ns2, Preset::Ns3] {
        let mut bench = Bench::under(preset, "ared", &[("adapts", "false"), ("max_p", "0.2")]);
        for k in 0..100 {
            bench.arrive(us(k * 100_000), 500);
            bench.poke("avg", 1.0);
        }
        assert_eq!(bench.probe("max_p"), 0.2, "{preset}");
    }
}

/// A source that does not respond, 20 % too fast: gentle RED sheds the excess.
#[test]
fn overload_sheds_the_excess() {
    let mut bench = Bench::new("ared", &[]);
    assert_eq!(bench.link.mtu, Bytes::new(1500));
    let mut dropped = 0;
    for k in 0..120_000_u64 {
        let taken = bench.send(us(k * 400), 0, 500, Ecn::NotEct);
        dropped += u32::from(!taken && k >= 60_000);
    }
    let share = f64::from(dropped) / 60_000.0;
    assert!((share - 0.2).abs() < 0.01, "{share}");
    assert_eq!(bench.drops(Reason::Overlimit), 0);
}

/// Nonlinear RED at the middle of the band: 0.375 `max_p` where RED has half.
#[test]
fn nonlinear_red_rises_with_the_square() {
    for (nonlinear, avg, p) in [
        ("true", 10.0, 0.0375),
        ("false", 10.0, 0.05),
        ("true", 5.0 + 20.0 / 3.0, 0.1 * 2.0 / 3.0),
        ("true", 14.999_999, 0.15),
    ] {
        let params: Vec<_> = STILL
            .iter()
            .chain(&[("max_p", "0.1"), ("nonlinear", nonlinear)])
            .copied()
            .collect();
        let mut bench = Bench::new("red", &params);
        bench.arrive(us(0), 500);
        bench.poke("avg", avg);
        bench.arrive(us(1), 500);
        assert!((bench.probe("prob") - p).abs() < 1e-6);
    }
}

#[test]
fn impossible_parameters_are_named() {
    for (name, value) in [
        ("interval", "0 s"),
        ("feng_alpha", "0"),
        ("feng_beta", "-1"),
    ] {
        let text = fault("ared", &[(name, value)], Preset::Reference);
        assert!(text.starts_with(name), "{text}");
    }
}

/// An average that stands at a threshold is on neither side of it: what was, goes on.
#[test]
fn fengs_zones_leave_out_the_thresholds_themselves() {
    let mut bench = still(Preset::Reference, &[("feng_adaptive", "true")], 10.0);
    bench.arrive(us(0), 500);
    bench.poke("max_p", 0.09);
    let mut after = |avg: f64| {
        bench.poke("avg", avg);
        bench.arrive(us(0), 500);
        bench.probe("max_p")
    };
    for avg in [10.0, 5.0, 10.0, 15.0, 10.0] {
        close(after(avg), 0.09);
    }
    for avg in [4.0, 5.0, 4.0, 5.0] {
        close(after(avg), 0.03);
    }
    close(after(10.0), 0.03);
    for avg in [16.0, 15.0, 16.0] {
        close(after(avg), 0.06);
    }
}
