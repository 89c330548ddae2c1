//! How the delay is known: by the last sojourn, or from the rate of departures.

use sojourn_base::Preset;

use super::{close, ms, standing, update};
use crate::bench::{Bench, us};

#[test]
fn the_delay_is_the_sojourn_of_the_last_departure() {
    let mut bench = Bench::new("pie", &[]);
    bench.arrive(ms(0), 1000);
    bench.arrive(ms(1), 1000);
    bench.dequeue(ms(4));
    close(bench.probe("qdelay"), 0.004);
    bench.dequeue(ms(5));
    assert_eq!(bench.probe("qdelay"), 0.0, "it left the queue empty");
}

/// 20 packets at one per millisecond: 17 of 1000 bytes complete a measurement of 16384.
#[test]
fn the_departure_rate() {
    let params = [("dequeue_rate_estimator", "true")];
    let mut bench = Bench::new("pie", &params);
    for _ in 0..50 {
        bench.arrive(ms(0), 1000);
    }
    for k in 0..16 {
        bench.dequeue(ms(1 + k));
        assert_eq!(bench.probe("avg_dq_rate"), 0.0);
    }
    bench.dequeue(ms(17));
    close(bench.probe("avg_dq_rate"), 17_000.0 / 0.016);
    update(&mut bench, 2);
    close(bench.probe("qdelay"), 33_000.0 * 0.016 / 17_000.0);
    let mut short = Bench::new("pie", &params);
    for _ in 0..17 {
        short.arrive(ms(0), 1000);
    }
    for k in 0..17 {
        short.dequeue(ms(1 + k));
    }
    assert_eq!(short.probe("avg_dq_rate"), 0.0, "too little waited");
}

/// A measurement of 4000 bytes ends with the fourth packet of 1000: 3 ms for 4000 bytes.
#[test]
fn a_measurement_ends_at_its_threshold() {
    let params = [
        ("dequeue_rate_estimator", "true"),
        ("dequeue_threshold", "4000 B"),
    ];
    let mut bench = standing(Preset::Reference, &params, 20, 0.0);
    for k in 0..3 {
        bench.dequeue(us(k * 1_000));
        assert_eq!(bench.probe("avg_dq_rate"), 0.0);
    }
    bench.dequeue(us(3_000));
    assert!((bench.probe("avg_dq_rate") - 4_000.0 / 3e-3).abs() < 1e-6);
}

/// A queue of so many packets of 1000 bytes, measured over 4000.
fn measured(preset: Preset, packets: u64) -> Bench {
    let params = [
        ("dequeue_rate_estimator", "true"),
        ("dequeue_threshold", "4000 B"),
        ("limit", "100 packets"),
    ];
    let mut bench = standing(preset, &params, packets, 0.0);
    bench.poke("burst", 0.15);
    bench
}

/// Bytes per second of a rate as the kernel holds it: 256ths of a byte in 64 ns.
fn of_linux(scaled: u32) -> f64 {
    f64::from(scaled) / 256.0 / 64e-9
}

/// 4000 bytes in 3 ms, then in 8 ms: the RFC averages times by 1/4, Linux rates by 1/8, ns-3 by
/// 1/2. Linux's rates are 1024000 / 46875 = 21 and 1024000 / 125000 = 8, their average 21 - 2 + 1.
/// The packet that begins the first measurement is one of its four (RFC 8033, section 5.2).
/// Where exactly the threshold is left, ns-3 does not measure again.
#[test]
fn departure_rates_are_averaged_as_each_does() {
    let (first, second) = (4_000.0 / 3e-3, 4_000.0 / 8e-3);
    let of_times = 4_000.0 / (3e-3 + 0.25 * 5e-3);
    for (preset, packets, rate) in [
        (Preset::Reference, 20, of_times),
        (Preset::Linux, 20, of_linux(20)),
        (Preset::Ns3, 20, f64::midpoint(first, second)),
        (Preset::Reference, 8, of_times),
        (Preset::Ns3, 8, first),
    ] {
        let mut bench = measured(preset, packets);
        for at in [0, 1, 2, 3] {
            bench.dequeue(us(at * 1_000));
        }
        let found = bench.probe("avg_dq_rate");
        let known = if preset == Preset::Linux {
            of_linux(21)
        } else {
            first
        };
        assert!((found / known - 1.0).abs() < 1e-9, "{preset} {found}");
        let burst = if preset == Preset::Linux { 0.147 } else { 0.15 };
        close(bench.probe("burst"), burst);
        for at in [5, 7, 9, 11] {
            bench.dequeue(us(at * 1_000));
        }
        let found = bench.probe("avg_dq_rate");
        assert!(
            (found / rate - 1.0).abs() < 1e-9,
            "{preset} {packets}: {found} {rate}"
        );
    }
}

/// Packets that leave at one instant took no time: Linux measures on, the others begin again. 5000
/// bytes in 1 ms are 1280000 / 15625 = 81 of Linux's units.
#[test]
fn a_measurement_in_no_time() {
    for (preset, rate) in [
        (Preset::Linux, of_linux(81)),
        (Preset::Reference, 0.0),
        (Preset::Ns3, 0.0),
    ] {
        let mut bench = measured(preset, 20);
        for _ in 0..4 {
            bench.dequeue(us(0));
        }
        assert_eq!(bench.probe("avg_dq_rate"), 0.0);
        bench.dequeue(us(1_000));
        let found = bench.probe("avg_dq_rate");
        assert!((found - rate).abs() < 1e-3, "{preset} {found}");
    }
}

/// With an estimate Linux compares with the delay of the update before, which is none at the first.
#[test]
fn linux_compares_estimates_of_two_updates() {
    let mut bench = measured(Preset::Linux, 20);
    bench.poke("qdelay", 0.0);
    bench.poke("qdelay_old", 0.0);
    for at in [0, 1, 2, 3] {
        bench.dequeue(us(at * 1_000));
    }
    // 16000 bytes at 21 of the kernel's units, in whole ticks.
    let delay = f64::from((16_000 << 8) / 21) * 64e-9;
    bench.timers_before(us(500_001));
    close(bench.probe("qdelay"), delay);
    close(bench.probe("qdelay_old"), 0.0);
    bench.timers_before(us(520_000));
    close(bench.probe("qdelay"), delay);
    close(bench.probe("qdelay_old"), delay);
}

/// A calm queue is measured anew by Linux and ns-3; the RFC keeps the rate it knows. Linux does so
/// at its second update, since its delay of old is one update behind.
#[test]
fn a_known_rate_is_forgotten_in_calm() {
    for (preset, left, until_us, forgotten) in [
        (Preset::Linux, 1, 520_000, true),
        (Preset::Ns3, 1, 31_000, true),
        (Preset::Ns3, 16, 31_000, false),
        (Preset::Reference, 1, 31_000, false),
    ] {
        let mut bench = measured(preset, 20);
        for at in [0, 1, 2, 3] {
            bench.dequeue(us(at * 1_000));
        }
        let known = bench.probe("avg_dq_rate");
        // The rest leaves at the same pace, so that the rate stays.
        let mut at = 3_000;
        while bench.packets() > left {
            at += 750;
            bench.dequeue(us(at));
        }
        bench.poke("qdelay", 0.0);
        bench.poke("qdelay_old", 0.0);
        bench.timers_before(us(until_us));
        let rate = bench.probe("avg_dq_rate");
        assert_eq!(rate == 0.0, forgotten, "{preset} {left}: {known} {rate}");
        if preset == Preset::Reference {
            assert_eq!(bench.probe("qdelay_old"), bench.probe("qdelay"));
            assert!(bench.probe("qdelay") > 0.0);
        }
    }
    let mut bench = Bench::under(Preset::Linux, "pie", &[]);
    bench.arrive(us(0), 1000);
    bench.poke("qdelay", 0.02);
    bench.timers_before(us(500_001));
    close(bench.probe("qdelay_old"), 0.02);
}

/// The kernel's integers at low rates: 17 packets of 1000 bytes make a measurement of 16384, which
/// takes 16 gaps. At 8 ms it is 2.18 units, which are 2; at 20 ms 0.87, which is none, so that the
/// rate stays unknown; at 3 ms 5.8, which are 5. An average of 2 rises by the eighth of a sample of
/// 8 or more, and never falls: its own eighth is none.
#[test]
fn linux_has_no_fractions_of_a_rate() {
    let queue = || {
        let params = [("dequeue_rate_estimator", "true"), ("limit", "none")];
        standing(Preset::Linux, &params, 200, 0.0)
    };
    let leave = |bench: &mut Bench, from: u64, gap: u64, packets: u64| {
        (0..packets).for_each(|k| {
            bench.dequeue(us(from + k * gap));
        });
        bench.probe("avg_dq_rate")
    };
    for (gap, scaled) in [(8_000, 2), (20_000, 0), (3_000, 5)] {
        close(leave(&mut queue(), 0, gap, 17), of_linux(scaled));
    }
    let mut bench = queue();
    leave(&mut bench, 0, 8_000, 17);
    // The next measurement begins as the last one ends, and has 17 gaps: 68 ms, then 340 ms.
    close(leave(&mut bench, 132_000, 4_000, 17), of_linux(2));
    close(leave(&mut bench, 216_000, 20_000, 17), of_linux(2));
    // Gaps of 1 ms: 4352000 / 265625 ticks = 16.4, of which an eighth is 2.
    close(leave(&mut bench, 537_000, 1_000, 17), of_linux(4));
}
