//! PIE against the steps of RFC 8033, and against Linux and ns-3 where they differ.

mod bench;

use bench::{Bench, fault, link, us};
use sojourn_base::{Ecn, Preset, Rate};
use sojourn_queue::{Discipline, Reason};

fn ms(ms: u64) -> sojourn_base::Time {
    us(ms * 1_000)
}

fn close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-12 + 1e-9 * expected.abs(),
        "{found} {expected}"
    );
}

/// Runs the update due at the k-th period of 15 ms.
fn update(bench: &mut Bench, k: u64) {
    bench.timers_before(us(k * 15_000 + 1));
}

/// `disciplines.md`, 18: from zero, a delay of 30 ms makes 1.9226e-5 and then 3.388e-5.
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
        bench.timers_before(due + sojourn_base::Span::from_ps(1));
        close(bench.probe("prob"), after);
    }
    let mut bench = Bench::new("pie", &[]);
    bench.poke("prob", 0.5);
    bench.poke("qdelay_old", 0.001);
    update(&mut bench, 1);
    close(bench.probe("prob"), 0.5 + step - 1.25 * 0.001);
}

/// A queue of `packets` with probability, delays and burst allowance as given.
fn standing(preset: Preset, params: &[(&str, &str)], packets: u64, prob: f64) -> Bench {
    let mut bench = Bench::under(preset, "pie", params);
    for _ in 0..packets {
        bench.arrive(us(0), 1000);
    }
    bench.poke("prob", prob);
    bench.poke("qdelay", 0.02);
    bench.poke("qdelay_old", 0.02);
    bench.poke("burst", 0.0);
    bench
}

#[test]
fn what_is_exempt() {
    let plain = |packets| standing(Preset::Reference, &[], packets, 1.0);
    assert!(plain(2).arrive(us(1), 1000), "two mean packets");
    assert!(!plain(3).arrive(us(1), 1000));
    let low = |prob, old| {
        let mut bench = standing(Preset::Reference, &[], 9, prob);
        bench.poke("qdelay_old", old);
        (0..200).filter(|k| !bench.arrive(us(1 + k), 1000)).count()
    };
    assert_eq!(low(0.199, 0.0074), 0);
    assert!(low(0.199, 0.0076) > 0);
    assert!(low(0.2, 0.0074) > 0);
    let mut bench = plain(9);
    bench.poke("burst", 0.001);
    assert!(bench.arrive(us(1), 1000), "while the allowance lasts");
    update(&mut bench, 1);
    bench.poke("prob", 1.0);
    assert!(!bench.arrive(us(15_001), 1000), "it runs down at updates");
}

/// The allowance is given at an arrival while the probability is zero and both delays are low.
#[test]
fn the_burst_allowance() {
    for (prob, now, old, given) in [
        (0.0, 0.007, 0.007, true),
        (0.0, 0.0075, 0.007, false),
        (0.0, 0.007, 0.0075, false),
        (1e-9, 0.007, 0.007, false),
    ] {
        let mut bench = standing(Preset::Reference, &[], 5, prob);
        bench.poke("qdelay", now);
        bench.poke("qdelay_old", old);
        bench.arrive(us(1), 1000);
        assert_eq!(bench.probe("burst") > 0.0, given, "{prob} {now} {old}");
    }
    let mut bench = Bench::new("pie", &[]);
    bench.arrive(us(0), 1000);
    close(bench.probe("burst"), 0.15);
    update(&mut bench, 4);
    close(bench.probe("burst"), 0.09);
}

/// ns-3: the first arrival begins a burst, and no probability builds up while it lasts.
#[test]
fn ns3_protects_the_first_burst() {
    let mut bench = Bench::under(Preset::Ns3, "pie", &[]);
    assert_eq!(bench.probe("burst"), 0.0);
    bench.arrive(us(0), 1000);
    close(bench.probe("burst"), 0.15);
    bench.poke("qdelay", 0.03);
    update(&mut bench, 9);
    assert_eq!(bench.probe("prob"), 0.0);
    update(&mut bench, 12);
    assert!(bench.probe("prob") > 0.0);
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

#[test]
fn linux_differs_in_what_is_exempt_and_in_high_delays() {
    // Two packets of 1514 bytes must wait in full, and it is the delay now that counts.
    let linux = |params: &[(&str, &str)], packets, prob| {
        let mut bench = standing(Preset::Linux, params, 0, prob);
        for _ in 0..packets {
            bench.arrive(us(0), 1514);
        }
        bench.poke("accu", 9.0);
        bench
    };
    assert!(linux(&[], 1, 1.0).arrive(us(1), 1514));
    assert!(!linux(&[], 2, 1.0).arrive(us(1), 1514));
    let mut bench = linux(&[], 3, 0.1);
    bench.poke("qdelay", 0.007);
    assert!(bench.arrive(us(1), 1514));
    let mut bench = Bench::under(Preset::Linux, "pie", &[]);
    bench.poke("qdelay", 0.3);
    bench.poke("qdelay_old", 0.3);
    bench.poke("prob", 0.01);
    bench.timers_before(us(500_001));
    close(bench.probe("prob"), 0.01 + 0.125 * 0.285 / 2.0 + 0.02);
    // A quarter of a second is not beyond a quarter of a second.
    let mut bench = Bench::under(Preset::Linux, "pie", &[]);
    bench.poke("qdelay", 0.25);
    bench.poke("qdelay_old", 0.25);
    bench.poke("prob", 0.01);
    bench.timers_before(us(500_001));
    close(bench.probe("prob"), 0.01 + 0.125 * 0.235 / 2.0);
}

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

/// Drops at probability p by `derandomize` come 0.85/p to 8.5/p packets apart, ceil(0.85/p) - 1 +
/// 1/p in the mean: 18 at p = 0.1.
#[test]
fn derandomized_drops_are_spaced() {
    let params = [("derandomize", "true"), ("t_update", "1000 s")];
    let mut bench = standing(Preset::Reference, &params, 0, 0.0);
    for _ in 0..5 {
        bench.arrive(us(0), 1000);
    }
    bench.poke("prob", 0.1);
    let (mut gap, mut gaps) = (0_u32, Vec::new());
    bench.poke("qdelay", 0.02);
    bench.poke("qdelay_old", 0.02);
    for k in 0..40_000_u64 {
        gap += 1;
        bench.poke("qdelay", 0.02);
        if !bench.pass(us(1 + k), 1000, Ecn::NotEct) {
            gaps.push(gap);
            gap = 0;
        }
    }
    assert!(gaps.iter().all(|&gap| (9..=85).contains(&gap)));
    let mean = f64::from(gaps.iter().sum::<u32>()) / gaps.len() as f64;
    assert!((mean - 18.0).abs() < 0.8, "{mean}");
}

#[test]
fn marks_below_the_threshold_and_drops_above() {
    for (preset, prob, marks) in [
        (Preset::Reference, 0.0999, true),
        (Preset::Reference, 0.1, false),
        (Preset::Ns3, 0.1, false),
        (Preset::Linux, 0.1, true),
        (Preset::Linux, 0.1001, false),
    ] {
        let mut bench = standing(preset, &[("ecn", "true"), ("limit", "none")], 9, prob);
        for k in 0..400 {
            bench.poke("burst", 0.0);
            bench.enqueue(us(1 + k), 0, 1000, Ecn::Ect0);
        }
        let dropped = bench.drops(Reason::Unforced);
        let told = bench.marks() + dropped;
        assert!(told > 5, "{preset} {prob}: {told}");
        assert_eq!(
            (bench.marks() > 0, dropped > 0),
            (marks, !marks),
            "{preset} {prob}"
        );
    }
    let mut bench = standing(Preset::Reference, &[("ecn", "true")], 9, 0.09);
    for k in 0..400 {
        bench.arrive(us(1 + k), 1000);
    }
    assert_eq!(bench.marks(), 0, "what cannot be marked is dropped");
    assert!(bench.drops(Reason::Unforced) > 0);
}

/// Without derandomization an arrival is dropped with p itself, in byte mode in proportion.
#[test]
fn the_share_of_drops() {
    for (params, size, share) in [
        (&[("t_update", "1000 s")][..], 500, 0.3),
        (&[("t_update", "1000 s"), ("bytes", "true")][..], 500, 0.15),
    ] {
        let mut bench = standing(Preset::Reference, params, 9, 0.3);
        let mut dropped = 0;
        for k in 0..20_000 {
            dropped += u32::from(!bench.pass(us(1 + k), size, Ecn::NotEct));
            bench.poke("qdelay_old", 0.02);
        }
        let found = f64::from(dropped) / 20_000.0;
        assert!((found - share).abs() < 0.012, "{found} {share}");
    }
}

/// Unresponsive overload of 25 %: a fifth is dropped, and the delay ends at the target.
#[test]
fn overload_ends_at_the_target() {
    let mut bench = Bench::new("pie", &[]);
    // 1250 packets of 1000 bytes a second where the link sends 1000.
    let (mut dropped, mut delays) = (0, Vec::new());
    for k in 0..75_000_u64 {
        let taken = bench.send(us(k * 800), 0, 1000, Ecn::NotEct);
        if k > 37_500 {
            dropped += u32::from(!taken);
            delays.push(bench.packets() as f64 * 0.001);
        }
    }
    let share = f64::from(dropped) / 37_499.0;
    let delay = delays.iter().sum::<f64>() / delays.len() as f64;
    assert!((share - 0.2).abs() < 0.005, "{share}");
    assert!((delay - 0.015).abs() < 0.003, "{delay}");
}

/// ns-3: off until the delay reaches the threshold, on with a new allowance, off again at rest.
#[test]
fn an_active_threshold_switches() {
    let params = [("active_threshold", "5 ms"), ("limit", "none")];
    let mut bench = standing(Preset::Reference, &params, 9, 1.0);
    bench.poke("qdelay", 0.004);
    assert!(bench.arrive(us(1), 1000), "off");
    bench.poke("qdelay", 0.005);
    assert!(bench.arrive(us(2), 1000), "switched on by this one");
    close(bench.probe("burst"), 0.15);
    assert_eq!(bench.probe("prob"), 0.0);
    bench.poke("prob", 1.0);
    bench.poke("burst", 0.0);
    bench.poke("qdelay_old", 0.02);
    assert!(!bench.arrive(us(3), 1000), "on");
}

#[test]
fn scalable_senders_are_marked_by_threshold_only() {
    let params = [("l4s", "true"), ("ce_threshold", "1 ms"), ("limit", "none")];
    let mut bench = standing(Preset::Reference, &params, 9, 1.0);
    assert!(bench.enqueue(us(1), 0, 1000, Ecn::Ect1));
    assert!(!bench.enqueue(us(1), 0, 1000, Ecn::Ect0));
    while bench.packets() > 1 {
        bench.dequeue(us(1));
    }
    assert_eq!(bench.dequeue(us(1_002)).unwrap().ecn, Ecn::Ce);
    assert_eq!(bench.record.marked[0].1, Reason::CeThreshold);
}

#[test]
fn limits_and_warnings() {
    let mut bench = Bench::new("pie", &[("limit", "3 packets")]);
    for _ in 0..5 {
        bench.arrive(us(0), 1000);
    }
    assert_eq!((bench.packets(), bench.drops(Reason::Overlimit)), (3, 2));
    let warned = |preset, mbit: u64| {
        let mut link = link(8);
        link.rate = Rate::from_bps(mbit * 100_000).unwrap();
        let bench = Bench::behind(link, preset, "pie", &[]);
        let warnings = bench.discipline.warnings();
        warnings.iter().map(|w| w.param).collect::<Vec<_>>()
    };
    assert!(warned(Preset::Reference, 10).is_empty());
    assert_eq!(warned(Preset::Reference, 7), ["target"]);
    assert_eq!(warned(Preset::Ns3, 1000), ["limit"]);
    for (name, value) in [
        ("t_update", "0 s"),
        ("mean_packet", "0 B"),
        ("dequeue_threshold", "0 B"),
        ("alpha", "-1"),
        ("beta", "-1"),
    ] {
        let text = fault("pie", &[(name, value)], Preset::Reference);
        assert!(text.starts_with(name), "{text}");
    }
}

/// Under Linux two packets of the MTU and 14 must wait in full; elsewhere no more than two of 1000.
#[test]
fn the_mean_packet_is_that_of_the_preset() {
    for (preset, waiting, kept) in [
        (Preset::Linux, 2 * 1514 - 1, true),
        (Preset::Linux, 2 * 1514, false),
        (Preset::Reference, 2000, true),
        (Preset::Reference, 2001, false),
    ] {
        let mut bench = Bench::under(preset, "pie", &[]);
        bench.arrive(us(0), waiting);
        for (variable, value) in [
            ("burst", 0.0),
            ("prob", 1.0),
            ("qdelay", 0.02),
            ("qdelay_old", 0.02),
        ] {
            bench.poke(variable, value);
        }
        assert_eq!(bench.arrive(us(0), 1000), kept, "{preset} {waiting}");
    }
}

/// The mean packet of Linux follows the link's MTU.
#[test]
fn the_mean_packet_follows_the_link() {
    let mut bench = Bench::under(Preset::Linux, "pie", &[]);
    let mut link = bench.link;
    link.mtu = sojourn_base::Bytes::new(9000);
    bench.discipline.on_link(&link);
    bench.arrive(us(0), 2 * 1514);
    for (variable, value) in [("burst", 0.0), ("prob", 1.0), ("qdelay", 0.02)] {
        bench.poke(variable, value);
    }
    assert!(bench.arrive(us(0), 1000), "less than two of 9014");
}

/// The RFC and Linux begin with the whole allowance, ns-3 gives it at the first check.
#[test]
fn the_allowance_at_first() {
    for (preset, burst) in [
        (Preset::Reference, 0.15),
        (Preset::Linux, 0.15),
        (Preset::Ns3, 0.0),
    ] {
        close(Bench::under(preset, "pie", &[]).probe("burst"), burst);
    }
}

/// Half the target itself is not below half the target.
#[test]
fn the_exemption_ends_at_half_the_target() {
    for (preset, now) in [(Preset::Reference, 0.0), (Preset::Linux, 0.0075)] {
        let mut bench = standing(preset, &[], 9, 0.19);
        bench.poke("qdelay", now);
        bench.poke("qdelay_old", 0.0075);
        let lost = (0..200).filter(|k| !bench.arrive(us(1 + k), 1000)).count();
        assert!(lost > 0, "{preset}");
    }
}

/// ns-3 with a limit in packets counts packets: three small ones are no longer few.
#[test]
fn ns3_counts_what_is_few_in_the_unit_of_its_limit() {
    let taken = |limit: &str, waiting: u64| {
        let mut bench = Bench::under(Preset::Ns3, "pie", &[("limit", limit)]);
        for _ in 0..waiting {
            bench.arrive(us(0), 100);
        }
        bench.poke("prob", 1.0);
        bench.poke("qdelay_old", 0.02);
        bench.poke("burst", 0.0);
        bench.arrive(us(1), 100)
    };
    assert!(taken("25 packets", 2));
    assert!(!taken("25 packets", 3));
    assert!(taken("25 kB", 3), "300 of 2000 bytes");
}

/// A packet of half the mean size draws with half the probability; the RFC sums up the whole one,
/// Linux what it draws with. Packets above the mean count as one there, by their size elsewhere.
#[test]
fn sizes_in_the_sum() {
    let sum = |preset, size: u64| {
        let params = [
            ("bytes", "true"),
            ("derandomize", "true"),
            ("mean_packet", "1000 B"),
        ];
        let mut bench = standing(preset, &params, 9, 0.4);
        bench.poke("accu", 0.0);
        assert!(bench.arrive(us(1), size));
        bench.probe("accu")
    };
    close(sum(Preset::Reference, 500), 0.4);
    close(sum(Preset::Linux, 500), 0.2);
    close(sum(Preset::Linux, 1000), 0.4);
    close(sum(Preset::Linux, 2000), 0.4);
    let rate = |preset, size: u64| {
        let params = [("bytes", "true"), ("mean_packet", "1000 B")];
        let mut bench = standing(preset, &params, 9, 0.4);
        let lost = (0..1000).filter(|k| !bench.arrive(us(1 + k), size));
        lost.count() as f64 / 1000.0
    };
    assert!((rate(Preset::Reference, 2000) - 0.8).abs() < 0.06);
    assert!((rate(Preset::Reference, 1000) - 0.4).abs() < 0.06);
}

/// Dice are thrown from a sum of 0.85 on; at 8.5 the signal is certain. The RFC begins anew then,
/// Linux and ns-3 only if it was a drop.
#[test]
fn where_the_sum_decides() {
    let params = [("derandomize", "true")];
    let mut bench = standing(Preset::Reference, &params, 9, 1.0);
    bench.poke("accu", -0.15);
    assert!(!bench.arrive(us(1), 1000), "a sum of 0.85, and a sure die");
    for (preset, after) in [
        (Preset::Reference, 0.0),
        (Preset::Linux, 8.51),
        (Preset::Ns3, 8.51),
    ] {
        let marking = [("derandomize", "true"), ("ecn", "true")];
        let mut bench = standing(preset, &marking, 9, 0.05);
        bench.poke("accu", 8.46);
        assert!(bench.enqueue(us(1), 0, 1000, Ecn::Ect0));
        assert_eq!(bench.marks(), 1, "{preset}");
        close(bench.probe("accu"), after);
    }
}

#[test]
fn a_gain_of_nothing_is_a_gain() {
    for gain in ["alpha", "beta"] {
        assert_eq!(fault("pie", &[(gain, "0")], Preset::Reference), "accepted");
        let text = fault("pie", &[(gain, "-0.1")], Preset::Reference);
        assert!(text.starts_with(gain), "{text}");
    }
}

/// A packet refused for want of room is a signal for Linux and ns-3, none for the RFC.
#[test]
fn a_full_queue_and_the_sum() {
    for (preset, after) in [
        (Preset::Reference, 0.5),
        (Preset::Linux, 0.0),
        (Preset::Ns3, 0.0),
    ] {
        let params = [("derandomize", "true"), ("limit", "3 packets")];
        let mut bench = standing(preset, &params, 3, 0.01);
        bench.poke("accu", 0.5);
        assert!(!bench.arrive(us(1), 1000));
        assert_eq!(bench.drops(Reason::Overlimit), 1);
        close(bench.probe("accu"), after);
    }
}

/// Off below the threshold, whatever the probability; on from it, with a state as new; off again
/// only when the probability and both delays are zero.
#[test]
fn the_active_threshold_is_met_from_below_and_left_at_rest() {
    let params = [("active_threshold", "5 ms"), ("max_burst", "0 ms")];
    let mut bench = standing(Preset::Reference, &params, 9, 1.0);
    let mut at = 0;
    let mut arrives = |bench: &mut Bench, prob, delay, old| {
        at += 1;
        bench.poke("prob", prob);
        bench.poke("qdelay", delay);
        bench.poke("qdelay_old", old);
        bench.poke("burst", 0.0);
        bench.arrive(us(at), 1000)
    };
    assert!(arrives(&mut bench, 1.0, 0.0049, 0.02));
    assert!(arrives(&mut bench, 1.0, 0.0049, 0.02), "still off");
    assert!(arrives(&mut bench, 1.0, 0.005, 0.02), "goes on behind it");
    close(bench.probe("prob"), 0.0);
    assert!(!arrives(&mut bench, 1.0, 0.0, 0.02), "on");
    close(bench.probe("prob"), 1.0);
    arrives(&mut bench, 0.5, 0.02, 0.02);
    close(bench.probe("prob"), 0.5);
    // Neither a probability alone keeps it off, nor a delay of old.
    arrives(&mut bench, 0.5, 0.0, 0.0);
    assert!(!arrives(&mut bench, 1.0, 0.0, 0.02));
    arrives(&mut bench, 0.0, 0.0, 0.02);
    assert!(!arrives(&mut bench, 1.0, 0.0, 0.02));
    assert!(arrives(&mut bench, 0.0, 0.0, 0.0));
    assert!(arrives(&mut bench, 1.0, 0.0, 0.02), "off");
}

/// ns-3 gives a second allowance only after 1.5 s of calm, also to a controller that was off.
#[test]
fn ns3_remembers_its_first_burst_while_off() {
    let params = [("active_threshold", "5 ms"), ("limit", "100 packets")];
    let mut bench = standing(Preset::Ns3, &params, 9, 0.0);
    let mut at = 0;
    for delay in [0.02, 0.02, 0.0, 0.02] {
        at += 1;
        bench.poke("prob", 0.0);
        bench.poke("qdelay", delay);
        bench.poke("qdelay_old", delay);
        bench.poke("burst", 0.0);
        bench.arrive(us(at), 1000);
    }
    bench.poke("burst", 0.0);
    bench.arrive(us(5), 1000);
    close(bench.probe("burst"), 0.0);
}

/// Linux counts the allowance down by the time between departures, the RFC at updates alone.
#[test]
fn departures_use_up_the_allowance_of_linux() {
    for (preset, after) in [(Preset::Linux, 0.147), (Preset::Reference, 0.15)] {
        let mut bench = Bench::under(preset, "pie", &[]);
        for _ in 0..9 {
            bench.arrive(us(0), 1000);
        }
        for at in [1_000, 2_500, 4_000] {
            bench.dequeue(us(at));
        }
        close(bench.probe("burst"), after);
    }
}

#[test]
fn the_ce_threshold_is_for_scalable_senders_that_waited() {
    let params = [("l4s", "true"), ("ecn", "true"), ("ce_threshold", "2 ms")];
    let mut bench = Bench::new("pie", &params);
    for ecn in [Ecn::Ect1, Ecn::Ect1, Ecn::Ect0, Ecn::NotEct] {
        bench.enqueue(us(0), 0, 1000, ecn);
    }
    let marks = [2_000, 2_100, 9_000, 9_000].map(|at| {
        bench.dequeue(us(at));
        bench.marks()
    });
    assert_eq!(marks, [0, 1, 1, 1]);
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

/// 4000 bytes in 3 ms, then in 8 ms: the RFC averages times by 1/4, Linux rates by 1/8, ns-3 by
/// 1/2. Where exactly the threshold is left, ns-3 does not measure again.
#[test]
fn departure_rates_are_averaged_as_each_does() {
    let (first, second) = (4_000.0 / 3e-3, 4_000.0 / 8e-3);
    let of_times = 4_000.0 / (3e-3 + 0.25 * 5e-3);
    for (preset, packets, rate) in [
        (Preset::Reference, 20, of_times),
        (Preset::Linux, 20, first + 0.125 * (second - first)),
        (Preset::Ns3, 20, f64::midpoint(first, second)),
        (Preset::Reference, 8, of_times),
        (Preset::Ns3, 8, first),
    ] {
        let mut bench = measured(preset, packets);
        for at in [0, 1, 2, 3] {
            bench.dequeue(us(at * 1_000));
        }
        let found = bench.probe("avg_dq_rate");
        assert!((found / first - 1.0).abs() < 1e-9, "{preset} {found}");
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

/// Packets that leave at one instant took no time: Linux measures on, the others begin again.
#[test]
fn a_measurement_in_no_time() {
    for (preset, rate) in [
        (Preset::Linux, 5e6),
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
    let delay = 16_000.0 / (4_000.0 / 3e-3);
    bench.timers_before(us(500_001));
    close(bench.probe("qdelay"), delay);
    close(bench.probe("qdelay_old"), 0.0);
    bench.timers_before(us(520_000));
    close(bench.probe("qdelay"), delay);
    close(bench.probe("qdelay_old"), delay);
}

/// Linux arms the allowance anew, and forgets its sum, at an update with no probability left, both
/// delays below half the target and, if it measures, a rate to know them by.
#[test]
fn linux_is_armed_anew_when_all_is_calm() {
    let after = |params: &[(&str, &str)], prob: f64| {
        let mut bench = Bench::under(Preset::Linux, "pie", params);
        bench.arrive(us(0), 1000);
        bench.poke("prob", prob);
        bench.poke("burst", 0.0);
        bench.poke("accu", 0.5);
        bench.timers_before(us(500_001));
        (bench.probe("burst"), bench.probe("accu"))
    };
    assert_eq!(after(&[], 0.0), (0.15, 0.0));
    assert_eq!(after(&[], 0.5), (0.0, 0.5), "a probability is left");
    let unknown = [("dequeue_rate_estimator", "true")];
    assert_eq!(after(&unknown, 0.0), (0.0, 0.5), "no rate is known");
}

/// A calm queue is measured anew by Linux and ns-3; the RFC keeps the rate it knows. Linux does so at
/// its second update, since its delay of old is one update behind.
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

/// ns-3: the first allowance is used up at the tenth update. From there 1.5 s of calm, 100 updates and
/// one, give another; whatever disturbs the calm begins the count anew.
#[test]
fn ns3_gives_another_allowance_after_a_long_calm() {
    let armed = |updates: u64, disturbed: Option<u64>| {
        let mut bench = Bench::under(Preset::Ns3, "pie", &[]);
        bench.arrive(us(0), 1000);
        bench.dequeue(us(0));
        for k in 1..=updates {
            if disturbed == Some(k) {
                bench.poke("prob", 0.5);
            }
            update(&mut bench, k);
            bench.poke("prob", 0.0);
        }
        bench.arrive(us(updates * 15_000 + 2), 1000);
        bench.probe("burst") > 0.0
    };
    assert!(armed(9, None), "the first allowance");
    assert!(!armed(10, None));
    assert!(!armed(110, None));
    assert!(armed(111, None));
    assert!(!armed(111, Some(60)));
    assert!(!armed(160, Some(60)));
    assert!(armed(161, Some(60)));
}

/// A mark by dice ends the sum of the RFC and of Linux, ns-3's goes on.
#[test]
fn a_mark_and_the_sum() {
    for preset in [Preset::Reference, Preset::Linux, Preset::Ns3] {
        let params = [("derandomize", "true"), ("ecn", "true"), ("limit", "none")];
        let mut bench = standing(preset, &params, 9, 0.09);
        bench.poke("accu", 2.0);
        let mut at = 0;
        while bench.marks() == 0 {
            at += 1;
            bench.enqueue(us(at), 0, 1000, Ecn::Ect0);
            assert!(at < 72, "at 8.5 at the latest");
        }
        let sum = bench.probe("accu");
        assert_eq!(sum == 0.0, preset != Preset::Ns3, "{preset} {sum}");
    }
}
