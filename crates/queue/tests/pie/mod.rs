//! PIE against the steps of RFC 8033, and against Linux and ns-3 where they differ.

mod active_threshold;
mod allowance;
mod departure_rate;
mod derandomized;
mod exempt;
mod probability;
mod signals;

use crate::bench::{Bench, close, fault, link, us};
use sojourn_base::{Ecn, Preset, Rate, Time};
use sojourn_queue::{Discipline, Reason};

fn ms(ms: u64) -> Time {
    us(ms * 1_000)
}

/// Runs the update due at the k-th period of 15 ms.
fn update(bench: &mut Bench, k: u64) {
    bench.timers_before(us(k * 15_000 + 1));
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
