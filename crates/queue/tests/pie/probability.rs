//! What an update makes of the probability.

use sojourn_base::{Preset, Span};
use sojourn_queue::Discipline;

use super::{close, update};
use crate::bench::{Bench, fault, us};

/// RFC 8033, 4.2, worked by hand: from zero, a delay of 30 ms makes 1.9226e-5 and then 3.388e-5.
#[test]
fn the_first_steps() {
    let mut bench = Bench::new("pie", &[]);
    bench.poke("qdelay", 0.03);
    update(&mut bench, 1);
    close(bench.probe("prob"), (0.001_875 + 0.0375) / 2048.0);
    update(&mut bench, 2);
    close(bench.probe("prob"), 0.039_375 / 2048.0 + 0.001_875 / 128.0);
    assert!((bench.probe("prob") - 3.388e-5).abs() < 1e-8);
}

/// The divisor goes by the probability before the step, at each of its limits.
#[test]
fn gains_are_scaled_by_the_probability_before() {
    for (before, divisor) in [
        (9.9e-7, 2048.0),
        (1e-6, 512.0),
        (9.9e-6, 512.0),
        (1e-5, 128.0),
        (1e-4, 32.0),
        (1e-3, 8.0),
        (1e-2, 2.0),
        (0.099, 2.0),
        (0.1, 1.0),
        (0.5, 1.0),
    ] {
        let mut bench = Bench::new("pie", &[]);
        bench.poke("prob", before);
        bench.poke("qdelay", 0.02);
        bench.poke("qdelay_old", 0.018);
        update(&mut bench, 1);
        let step = (0.125 * 0.005 + 1.25 * 0.002) / divisor;
        close(bench.probe("prob"), before + step);
        close(bench.probe("qdelay_old"), 0.02);
    }
}

#[test]
fn steps_are_capped_from_ten_percent_on() {
    for (before, cap, after) in [
        (0.1, "true", 0.12),
        (0.1, "false", 0.1 + 0.039_375),
        (0.099, "true", 0.099 + 0.039_375 / 2.0),
        (0.99, "true", 1.0),
    ] {
        let mut bench = Bench::new("pie", &[("cap_drop", cap)]);
        bench.poke("prob", before);
        bench.poke("qdelay", 0.03);
        update(&mut bench, 1);
        close(bench.probe("prob"), after);
    }
    let mut bench = Bench::new("pie", &[]);
    bench.poke("prob", 0.01);
    bench.poke("qdelay_old", 0.2);
    update(&mut bench, 1);
    assert_eq!(bench.probe("prob"), 0.0, "never below zero");
}

/// Two updates without delay: 2 % less, on top of the step; under Linux 1/64, if nothing waits.
#[test]
fn an_idle_queue_forgets() {
    let step = -0.001_875;
    for (preset, waiting, after) in [
        (Preset::Reference, 0, (0.5 + step) * 0.98),
        (Preset::Reference, 3, (0.5 + step) * 0.98),
        (Preset::Ns3, 0, (0.5 + step) * 0.98),
        (Preset::Linux, 0, (0.5 + step) * 63.0 / 64.0),
        (Preset::Linux, 3, 0.5 + step),
    ] {
        let mut bench = Bench::under(preset, "pie", &[]);
        for _ in 0..waiting {
            bench.arrive(us(0), 1000);
        }
        bench.poke("burst", 0.0);
        bench.poke("prob", 0.5);
        let due = bench.discipline.next_timer().unwrap();
        bench.timers_before(due + Span::from_ps(1));
        close(bench.probe("prob"), after);
    }
    let mut bench = Bench::new("pie", &[]);
    bench.poke("prob", 0.5);
    bench.poke("qdelay_old", 0.001);
    update(&mut bench, 1);
    close(bench.probe("prob"), 0.5 + step - 1.25 * 0.001);
}

#[test]
fn a_gain_of_nothing_is_a_gain() {
    for gain in ["alpha", "beta"] {
        assert_eq!(fault("pie", &[(gain, "0")], Preset::Reference), "accepted");
        let text = fault("pie", &[(gain, "-0.1")], Preset::Reference);
        assert!(text.starts_with(gain), "{text}");
    }
}

/// Linux: first after half a second, then every 15 ms rounded up to jiffies, one jiffy late.
#[test]
fn linux_updates_late() {
    for (hz, period) in [("100", 30_000), ("250", 20_000), ("1000", 16_000)] {
        let mut bench = Bench::under(Preset::Linux, "pie", &[("hz", hz)]);
        assert_eq!(bench.discipline.next_timer(), Some(us(500_000)));
        bench.timers_before(us(500_001));
        assert_eq!(bench.discipline.next_timer(), Some(us(500_000 + period)));
    }
}

/// Linux adds 2 % when the delay is more than a quarter of a second, not at that itself.
#[test]
fn linux_steps_higher_at_a_high_delay() {
    for (delay, more) in [(0.3, 0.02), (0.25, 0.0)] {
        let mut bench = Bench::under(Preset::Linux, "pie", &[]);
        bench.poke("qdelay", delay);
        bench.poke("qdelay_old", delay);
        bench.poke("prob", 0.01);
        bench.timers_before(us(500_001));
        let step = 0.125 * (delay - 0.015) / 2.0;
        close(bench.probe("prob"), 0.01 + step + more);
    }
}

/// Under a flood the kernel's probability goes on beyond 1, until its 64 bits are full.
#[test]
fn linux_does_not_stop_at_certainty() {
    for (preset, before, after) in [
        (Preset::Reference, 0.99, 1.0),
        (Preset::Ns3, 0.99, 1.0),
        (Preset::Linux, 0.99, 1.03),
        (Preset::Linux, 255.99, 1.0),
    ] {
        let mut bench = Bench::under(preset, "pie", &[]);
        bench.poke("prob", before);
        bench.poke("qdelay", 0.3);
        bench.poke("qdelay_old", 0.3);
        bench.poke("burst", 0.0);
        bench.timer(us(500_000));
        close(bench.probe("prob"), after);
    }
}
