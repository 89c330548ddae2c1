//! The burst allowance: when it is given, used up and given again.

use sojourn_base::Preset;

use super::{close, standing, update};
use crate::bench::{Bench, us};

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

/// ns-3: the first allowance is used up at the tenth update. From there 1.5 s of calm, 100 updates
/// and one, give another; whatever disturbs the calm begins the count anew.
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
