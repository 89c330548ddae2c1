//! CAKE's shaper, tins and limit: sequences worked out by hand, shares, the published tuning.

use crate::bench::{Bench, fault, link, us};
use sojourn_base::{Ecn, Preset, Rate, Time};
use sojourn_queue::{Discipline, Reason};

/// COBALT and the limit kept out of the way.
const CALM: [(&str, &str); 2] = [("rtt", "interplanetary"), ("limit", "none")];

fn calm(more: &[(&'static str, &'static str)]) -> Bench {
    Bench::new("cake", &[&CALM, more].concat())
}

/// When packets leave, in ms, until the queue is empty.
fn departures(bench: &mut Bench, mut now: Time) -> Vec<f64> {
    let mut at = Vec::new();
    while bench.packets() > 0 {
        if bench.dequeue(now).is_some() {
            at.push(now.as_s() * 1e3);
        } else {
            now = bench.wait.expect("packets wait");
        }
    }
    at
}

/// Lets the shaper send for `ms` milliseconds: bytes sent of each flow.
fn sent(bench: &mut Bench, ms: u64, flows: u32) -> Vec<u64> {
    let (mut now, end) = (us(0), us(ms * 1_000));
    let mut bytes = vec![0; flows as usize];
    while now < end {
        match bench.dequeue(now) {
            Some(packet) => bytes[packet.flow as usize] += packet.size,
            None => now = bench.wait.expect("packets wait"),
        }
    }
    bytes
}

/// At a byte a microsecond: one packet each millisecond, and no burst after a pause.
#[test]
fn the_shaper_paces_without_a_burst() {
    let mut bench = calm(&[("bandwidth", "8 Mbit/s")]);
    for _ in 0..4 {
        bench.arrive(us(500), 1000);
    }
    assert_eq!(departures(&mut bench, us(500)), [0.5, 1.5, 2.5, 3.5]);
    for _ in 0..3 {
        bench.arrive(us(50_000), 1000);
    }
    assert_eq!(departures(&mut bench, us(50_000)), [50.0, 51.0, 52.0]);
    // The next packet comes before the last one has been paid for.
    bench.arrive(us(52_400), 1000);
    assert!(bench.dequeue(us(52_400)).is_none());
    assert_eq!(bench.wait, Some(us(53_000)));
}

/// A packet of 40 bytes takes the place of 84 on Ethernet, and of two cells of 53 with 40 bytes of
/// PPPoE over ATM.
#[test]
fn packets_are_charged_for_what_lies_below() {
    for (framing, ms) in [("raw", 0.04), ("ethernet", 0.084), ("pppoe-llcsnap", 0.106)] {
        let mut bench = calm(&[("bandwidth", "8 Mbit/s"), ("framing", framing)]);
        for _ in 0..1_001 {
            bench.arrive(us(0), 40);
        }
        let last = departures(&mut bench, us(0))[1_000];
        assert!((last - 1_000.0 * ms).abs() < 1e-9, "{framing}: {last}");
    }
    let given = [
        ("bandwidth", "8 Mbit/s"),
        ("framing", "ethernet"),
        ("overhead", "-10 B"),
        ("mpu", "64 B"),
    ];
    let mut bench = calm(&given);
    for _ in 0..2 {
        bench.arrive(us(0), 1_010);
    }
    assert_eq!(departures(&mut bench, us(0)), [0.0, 1.0]);
}

/// tc-cake(8), worked by hand: all of them saturated, bulk and voice get their shares and best
/// effort the rest; a tin alone gets everything.
#[test]
fn tins_share_by_their_thresholds() {
    let load = |flows: &[(u32, u8)]| {
        let mut bench = calm(&[("bandwidth", "8 Mbit/s")]);
        for _ in 0..4_000 {
            for &(flow, dscp) in flows {
                bench.dscp = dscp;
                bench.enqueue(us(0), flow, 1000, Ecn::NotEct);
            }
        }
        sent(&mut bench, 3_200, 3)
    };
    let all = load(&[(0, 0), (1, 8), (2, 46)]);
    for (bytes, share) in all.iter().zip([11.0 / 16.0, 1.0 / 16.0, 1.0 / 4.0]) {
        let expected = 3_200_000.0 * share;
        assert!((*bytes as f64 - expected).abs() < 3_000.0, "{all:?}");
    }
    assert_eq!(load(&[(1, 8)])[1], 3_200_000);
    // A packet sets bulk's clock 16 ms ahead and voice's 4 ms: with both ahead, the one that is due
    // first goes, which is bulk at every 14th.
    let two = load(&[(1, 8), (2, 46)]);
    assert!(two[1].abs_diff(3_200_000 / 14) < 2_000, "{two:?}");
}

/// Within its share a tin of higher number always goes first.
#[test]
fn a_tin_within_its_share_goes_first() {
    let mut bench = calm(&[("bandwidth", "8 Mbit/s"), ("diffserv", "diffserv4")]);
    for _ in 0..8 {
        bench.arrive(us(0), 1000);
    }
    bench.dequeue(us(0));
    for (flow, dscp) in [(1, 8), (2, 34), (3, 46)] {
        bench.dscp = dscp;
        bench.enqueue(us(500), flow, 1000, Ecn::NotEct);
    }
    let order: Vec<u32> = (1..7)
        .map(|ms| bench.dequeue(us(ms * 1_000)).unwrap().flow)
        .collect();
    assert_eq!(order, [3, 2, 1, 0, 0, 0]);
}

/// Without a shaper the tins take turns of 1024, 64 and 256 bytes.
#[test]
fn tins_take_turns_where_nothing_is_shaped() {
    let mut bench = calm(&[]);
    for _ in 0..4_000 {
        for (flow, dscp) in [(0, 0), (1, 8), (2, 46)] {
            bench.dscp = dscp;
            bench.enqueue(us(0), flow, 500, Ecn::NotEct);
        }
    }
    let mut packets = [0.0_f64; 3];
    for _ in 0..4_200 {
        packets[bench.dequeue(us(0)).unwrap().flow as usize] += 1.0;
    }
    for (sent, share) in packets.iter().zip([3_200.0, 200.0, 800.0]) {
        assert!((sent - share).abs() < 5.0, "{packets:?}");
    }
}

/// The manual page of `tc-cake(8)` shows turns of 300, 1514 and 762 bytes for 6.25, 100 and
/// 25 Mbit/s. At 1 Mbit/s 1500 bytes take 12 ms: 1.5 of them are the target.
#[test]
fn target_interval_and_turn_follow_the_share() {
    let bench = calm(&[("bandwidth", "100 Mbit/s")]);
    let quantum = |tin: u32| bench.probe(&format!("tin[{tin}].quantum"));
    assert_eq!(
        [quantum(1), quantum(0), quantum(2)],
        [300.0, 1_514.0, 762.0]
    );

    let bench = Bench::new("cake", &[("bandwidth", "1 Mbit/s")]);
    let ms = |name: &str| libm::round(bench.probe(name) * 1e6) / 1e3;
    let tuning: Vec<(f64, f64)> = (0..3)
        .map(|tin| {
            let one = |name| ms(&format!("tin[{tin}].{name}"));
            (one("target"), one("interval"))
        })
        .collect();
    assert_eq!(tuning, [(18.0, 113.0), (288.0, 576.0), (72.0, 167.0)]);

    let under = |preset| {
        let bench = Bench::under(preset, "cake", &[("bandwidth", "1 Mbit/s")]);
        bench.probe("tin[0].target") * 1e3
    };
    assert!((under(Preset::Linux) - 18.168).abs() < 1e-6);
}

/// Four times the rate times `rtt`, between 4 MiB and 10240 packets.
#[test]
fn the_automatic_limit() {
    let limit = |preset, params: &[(&str, &str)]| {
        let bench = Bench::under(preset, "cake", params);
        format!("{:?}", bench.discipline.capacity())
    };
    let reference = |params| limit(Preset::Reference, params);
    assert_eq!(reference(&[]), "Bytes(15360000)");
    assert_eq!(limit(Preset::Linux, &[]), "Bytes(15503360)");
    assert_eq!(reference(&[("bandwidth", "10 Mbit/s")]), "Bytes(4194304)");
    assert_eq!(reference(&[("bandwidth", "100 Mbit/s")]), "Bytes(5000000)");
    assert_eq!(reference(&[("bandwidth", "1 Gbit/s")]), "Bytes(15360000)");
    let given = [("bandwidth", "16 Mbit/s"), ("limit", "10 ms")];
    assert_eq!(reference(&given), "Bytes(20000)");
}

/// Over the limit the fattest queue of all tins loses its head, which is an overflow for it.
#[test]
fn the_fattest_queue_pays() {
    let mut bench = Bench::new("cake", &[("limit", "5000 B")]);
    for flow in [0, 0, 0, 1] {
        bench.enqueue(us(9_000), flow, 1000, Ecn::NotEct);
    }
    bench.dscp = 46;
    bench.enqueue(us(9_000), 2, 1000, Ecn::NotEct);
    assert_eq!(bench.record.dropped.len(), 0);
    bench.enqueue(us(9_000), 2, 1000, Ecn::NotEct);
    let (packet, reason) = bench.record.dropped[0].clone();
    assert_eq!((packet.id, reason), (0, Reason::Overlimit));
    assert_eq!(bench.probe("flow[0].p_drop"), 1.0 / 256.0);
    assert_eq!(
        (
            bench.probe("flow[0].dropping"),
            bench.probe("flow[0].count")
        ),
        (1.0, 1.0)
    );
    assert_eq!(bench.probe("flow[2].packets"), 2.0);
}

/// Dropped packets are charged with `ingress` only: after an overflow the next goes later.
#[test]
fn ingress_charges_what_is_dropped() {
    for (ingress, next) in [("false", 1_000), ("true", 1_500)] {
        let params = [
            ("bandwidth", "8 Mbit/s"),
            ("limit", "2000 B"),
            ("ingress", ingress),
        ];
        let mut bench = Bench::new("cake", &params);
        for _ in 0..4 {
            bench.arrive(us(0), 1000);
        }
        assert_eq!(bench.drops(Reason::Overlimit), 2);
        let clock = if ingress == "true" { 0.002 } else { 0.0 };
        assert_eq!(bench.probe("next_packet"), clock);
        assert!(bench.dequeue(us(0)).is_some());
        assert!(bench.dequeue(us(0)).is_none());
        // The clock stands at 3 ms with `ingress`, but two thirds of the rate are always sent.
        assert_eq!(bench.wait, Some(us(next)));
    }
}

#[test]
fn what_cannot_be_is_refused() {
    let refused = |key, value| fault("cake", &[(key, value)], Preset::Reference);
    assert_eq!(
        refused("flows", "12"),
        "flows: found 12; allowed: a multiple of 8"
    );
    for (key, value) in [
        ("rtt", "0 s"),
        ("rtt", "moon"),
        ("quantum", "0 B"),
        ("isolation", "triple"),
        ("diffserv", "diffserv5"),
        ("overhead", "300 B"),
        ("ack_filter", "maybe"),
    ] {
        let text = refused(key, value);
        assert!(text.starts_with(key), "{text}");
    }
}

#[test]
fn known_mistakes_are_told() {
    let warned = |params: &[(&str, &str)], mbit_tenths: u64| {
        let mut link = link(8);
        link.rate = Rate::from_bps(mbit_tenths * 100_000).unwrap();
        let bench = Bench::behind(link, Preset::Reference, "cake", params);
        let warnings = bench.discipline.warnings();
        warnings
            .iter()
            .map(|warning| warning.param)
            .collect::<Vec<_>>()
    };
    assert_eq!(warned(&[], 80), [""; 0]);
    assert_eq!(warned(&[], 10), ["target"], "12 ms a packet");
    assert_eq!(warned(&[("bandwidth", "900 kbit/s")], 10), [""; 0]);
    assert_eq!(warned(&[("bandwidth", "2 Mbit/s")], 10), ["bandwidth"]);
}
