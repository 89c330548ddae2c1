//! Priority, token bucket and deficit round robin: sequences worked out by hand.

use crate::bench::{Bench, fault, us};
use sojourn_base::length::Capacity;
use sojourn_base::{Ecn, Preset};
use sojourn_queue::{Discipline, Reason};

fn order(bench: &mut Bench, packets: usize) -> Vec<u32> {
    (0..packets)
        .map_while(|_| bench.dequeue(us(0)).map(|packet| packet.flow))
        .collect()
}

/// Priorities 6 and 2 both saturate: the lower band gets nothing at all.
#[test]
fn lower_bands_starve() {
    let mut bench = Bench::new("prio", &[("limit", "50 packets")]);
    for k in 0..20_000 {
        bench.send(us(k * 250), [2, 6][(k % 2) as usize], 500, Ecn::NotEct);
    }
    let low = bench.delivered.iter().filter(|(_, p)| p.flow == 2).count();
    assert!(low <= 1, "only what met an idle link: {low}");
    assert_eq!(
        (bench.probe("band[0]"), bench.probe("band[2]")),
        (1.0, 50.0)
    );
}

#[test]
fn bands_and_their_map_can_be_chosen() {
    let params = [
        ("bands", "2"),
        ("priomap", "1 0 1 0 1 1 1 1 1 1 1 1 1 1 1 0"),
        ("limit", "2 packets"),
    ];
    let mut bench = Bench::new("prio", &params);
    for flow in [0, 15, 2, 1, 4, 3] {
        bench.enqueue(us(0), flow, 500, Ecn::NotEct);
    }
    assert_eq!(
        bench.drops(Reason::Overlimit),
        2,
        "each band has its own limit"
    );
    assert_eq!(order(&mut bench, 9), [15, 1, 0, 2]);
    for map in [
        "1 0",
        "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 3",
        "a",
        "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0",
    ] {
        let text = fault("prio", &[("priomap", map)], Preset::Reference);
        assert!(text.starts_with("priomap"), "{text}");
    }
    let text = fault("prio", &[("bands", "17")], Preset::Reference);
    assert!(text.starts_with("bands"), "{text}");
}

/// What all bands hold is told in the unit of their limit; where one has no bound, all have none.
#[test]
fn the_rooms_of_bands_add_up() {
    for (name, preset, limit, room) in [
        (
            "prio",
            Preset::Reference,
            "5 packets",
            Capacity::Packets(15),
        ),
        ("prio", Preset::Reference, "2 kB", Capacity::Bytes(6_000)),
        ("prio", Preset::Reference, "none", Capacity::Unlimited),
        ("pfifo_fast", Preset::Linux, "2 kB", Capacity::Bytes(6_000)),
        ("pfifo_fast", Preset::Ns3, "2 kB", Capacity::Bytes(2_000)),
    ] {
        let bench = Bench::under(preset, name, &[("limit", limit)]);
        assert_eq!(bench.discipline.capacity(), room, "{name} {preset} {limit}");
    }
}

/// 8 Mbit/s, a byte a microsecond; bucket of 3000 bytes: two packets of 1500 go at once, then one
/// every 1.5 ms, exactly.
#[test]
fn a_bucket_lets_a_burst_go_and_then_paces() {
    let params = [("rate", "8 Mbit/s"), ("burst", "3000 B")];
    let mut bench = Bench::new("tbf", &params);
    for _ in 0..5 {
        bench.arrive(us(0), 1500);
    }
    assert_eq!(bench.probe("tokens"), 3000.0);
    assert!(bench.dequeue(us(0)).is_some() && bench.dequeue(us(0)).is_some());
    assert_eq!(bench.probe("tokens"), 0.0);
    assert!(bench.dequeue(us(0)).is_none());
    assert_eq!(bench.wait, Some(us(1_500)));
    assert!(bench.dequeue(us(1_499)).is_none());
    assert_eq!(bench.wait, Some(us(1_500)));
    assert!(bench.dequeue(us(1_500)).is_some());
    // A pause fills the bucket, no further.
    assert!(bench.dequeue(us(9_000)).is_some());
    assert_eq!(bench.probe("tokens"), 1500.0);
    assert!(bench.dequeue(us(9_000)).is_some());
    assert!(bench.dequeue(us(9_000)).is_none());
    assert_eq!(bench.wait, None, "nothing waits");
}

/// A second bucket of one packet at twice the rate spaces even a burst.
#[test]
fn a_peak_rate_spaces_the_burst() {
    let params = [
        ("rate", "8 Mbit/s"),
        ("burst", "10 kB"),
        ("peak_rate", "16 Mbit/s"),
        ("mtu", "1000 B"),
    ];
    let mut bench = Bench::new("tbf", &params);
    for _ in 0..15 {
        bench.arrive(us(0), 1000);
    }
    let (mut now, mut at) = (us(0), Vec::new());
    while bench.packets() > 0 {
        if bench.dequeue(now).is_some() {
            at.push(now.as_s() * 1e3);
        } else {
            now = bench.wait.unwrap();
        }
    }
    // Each ms brings 1000 bytes and takes 2000: the bucket of 10000 lasts for 19 packets.
    let expected: Vec<f64> = (0..15).map(|k| 0.5 * f64::from(k)).collect();
    assert_eq!(at, expected);
    assert_eq!(bench.probe("peak_tokens"), 0.0);
}

/// Over a long time no more than burst + rate times time leaves.
#[test]
fn the_long_run_rate_is_exact() {
    let params = [("rate", "3 Mbit/s"), ("burst", "5000 B"), ("limit", "none")];
    let mut bench = Bench::new("tbf", &params);
    for _ in 0..3_000 {
        bench.arrive(us(0), 1000);
    }
    let (mut now, mut sent) = (us(0), 0_u64);
    while now < us(4_000_000) {
        match bench.dequeue(now) {
            Some(packet) => sent += packet.size,
            None => now = bench.wait.unwrap(),
        }
        let most = 5_000.0 + now.as_s() * 375_000.0;
        assert!(sent as f64 <= most + 1e-6, "{sent} {most}");
    }
    assert!((sent as f64 - 1_505_000.0).abs() <= 1_000.0, "{sent}");
}

#[test]
fn what_can_never_go_is_dropped_and_told() {
    let mut bench = Bench::new("tbf", &[("burst", "1000 B"), ("rate", "9 Mbit/s")]);
    assert!(!bench.arrive(us(0), 1001));
    assert!(bench.arrive(us(0), 1000));
    let warned: Vec<_> = bench.discipline.warnings();
    let warned: Vec<_> = warned.iter().map(|warning| warning.param).collect();
    assert_eq!(warned, ["burst", "rate"]);
    let peak = Bench::new("tbf", &[("peak_rate", "1 Mbit/s")]);
    assert_eq!(peak.discipline.warnings()[0].param, "peak_rate");
    let params = [("peak_rate", "8 Mbit/s"), ("mtu", "1000 B")];
    let small = Bench::new("tbf", &params);
    assert_eq!(small.discipline.warnings()[0].param, "mtu");
    for name in ["burst", "mtu"] {
        let text = fault("tbf", &[(name, "0 B")], Preset::Reference);
        assert!(text.starts_with(name), "{text}");
    }
}

/// Quantum 1000 and packets of 600 and 400: deficits 400 after one, two of 400 and then one more.
#[test]
fn deficits_carry_over() {
    let mut bench = Bench::new("drr", &[("quantum", "1000 B")]);
    for _ in 0..5 {
        bench.enqueue(us(0), 0, 600, Ecn::NotEct);
        bench.enqueue(us(0), 1, 400, Ecn::NotEct);
    }
    // Flow 0: 1000 - 600 = 400 left; flow 1: 1000 - 800 = 200 left; flow 0: 1400 - 1200; flow 1:
    // 1200 - 1200; flow 0: 1200 - 1200.
    assert_eq!(order(&mut bench, 10), [0, 1, 1, 0, 0, 1, 1, 1, 0, 0]);
}

/// Any mix of sizes: bytes of two backlogged flows differ by less than a quantum and two packets.
#[test]
fn drr_is_fair_in_bytes() {
    for (preset, quantum) in [
        (Preset::Reference, "1500 B"),
        (Preset::Ns2, "250 B"),
        (Preset::Linux, "auto"),
    ] {
        let params = [("quantum", quantum), ("limit", "none")];
        let mut bench = Bench::under(preset, "drr", &params);
        for k in 0..3_000_u64 {
            bench.enqueue(us(0), 0, 1500, Ecn::NotEct);
            bench.enqueue(us(0), 1, 40 + k * 37 % 700, Ecn::NotEct);
        }
        let mut sent = [0_u64; 2];
        for _ in 0..2_500 {
            let packet = bench.dequeue(us(0)).unwrap();
            sent[packet.flow as usize] += packet.size;
            assert!(
                sent[0].abs_diff(sent[1]) < 1514 + 2 * 1500,
                "{preset} {sent:?}"
            );
        }
    }
}

#[test]
fn the_fattest_flow_of_drr_pays() {
    for (preset, victim) in [(Preset::Reference, 2), (Preset::Ns2, 0)] {
        let mut bench = Bench::under(preset, "drr", &[("limit", "2000 B")]);
        for (flow, size) in [(0, 500), (1, 500), (0, 500), (2, 501)] {
            bench.enqueue(us(0), flow, size, Ecn::NotEct);
        }
        let dropped: Vec<u64> = bench.record.dropped.iter().map(|(p, _)| p.id).collect();
        assert_eq!(dropped, [victim], "{preset}: flow 0 has a thousand bytes");
    }
    let text = fault("drr", &[("quantum", "0 B")], Preset::Reference);
    assert!(text.starts_with("quantum"), "{text}");
    let small = Bench::new("drr", &[("quantum", "250 B")]);
    assert_eq!(small.discipline.warnings()[0].param, "quantum");
}

/// An emptied flow forgets its deficit.
#[test]
fn credit_is_not_hoarded() {
    let mut bench = Bench::new("drr", &[("quantum", "1000 B")]);
    bench.enqueue(us(0), 0, 100, Ecn::NotEct);
    order(&mut bench, 1);
    assert_eq!(bench.probe("flow[0].deficit"), 0.0);
    for _ in 0..3 {
        bench.enqueue(us(0), 0, 600, Ecn::NotEct);
        bench.enqueue(us(0), 1, 600, Ecn::NotEct);
    }
    assert_eq!(order(&mut bench, 3), [0, 1, 0]);
}

/// Of two flows with most bytes the one whose turn is nearer gives way.
#[test]
fn of_equals_the_first_in_the_ring_gives_way() {
    let mut bench = Bench::new("drr", &[("limit", "4000 B")]);
    for flow in [0, 1, 0, 1, 2] {
        bench.enqueue(us(0), flow, 1000, Ecn::NotEct);
    }
    let (packet, _) = &bench.record.dropped[0];
    assert_eq!(packet.flow, 0);
}

#[test]
fn the_timers_of_the_bands_run() {
    let mut bench = Bench::new("prio", &[("inner", "pie")]);
    bench.poke("band[1].prob", 0.5);
    bench.timers_before(us(15_001));
    let prob = bench.probe("band[1].prob");
    assert!(prob > 0.0 && prob < 0.5, "{prob}");
}
