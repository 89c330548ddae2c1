//! ns-3's threshold, which switches the controller on and off.

use sojourn_base::Preset;

use super::{close, ms, standing};
use crate::bench::{Bench, us};

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

/// Coming to rest gives up the measurement under way: 2000 bytes before do not count, and 4000 in 3
/// ms after it do.
#[test]
fn a_measurement_ends_when_the_controller_rests() {
    let params = [
        ("active_threshold", "5 ms"),
        ("dequeue_rate_estimator", "true"),
        ("dequeue_threshold", "4000 B"),
    ];
    let mut bench = standing(Preset::Reference, &params, 20, 0.0);
    bench.poke("qdelay", 0.0);
    bench.poke("qdelay_old", 0.0);
    for at in [0, 1] {
        bench.dequeue(ms(at));
    }
    bench.arrive(ms(2), 1000);
    let rates = [10, 11, 12, 13].map(|at| {
        bench.dequeue(ms(at));
        bench.probe("avg_dq_rate")
    });
    assert_eq!(rates[..3], [0.0; 3]);
    assert!((rates[3] - 4_000.0 / 3e-3).abs() < 1e-6, "{rates:?}");
}
