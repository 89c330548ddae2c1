//! CAKE's queues: who shares with whom, sparse and bulky flows, COBALT, the ACK filter.

use crate::bench::{Bench, us};
use sojourn_base::{Ecn, Preset};
use sojourn_queue::{AckView, Discipline, Reason, Sack};

/// Packets sent of flow 0 and of flows 1 to 9 out of 2000. On one side flow 0 has host 1 and the
/// others share host 2, on the other side each has a host of its own.
fn shares(isolation: &str, shared_sources: bool) -> [u32; 2] {
    let params = [
        ("isolation", isolation),
        ("rtt", "interplanetary"),
        ("limit", "none"),
    ];
    let mut bench = Bench::new("cake", &params);
    for _ in 0..1_500 {
        for flow in 0..10 {
            let (shared, own) = (if flow == 0 { 1 } else { 2 }, 100 + flow);
            let (source, destination) = if shared_sources {
                (shared, own)
            } else {
                (own, shared)
            };
            bench.source = Some(source);
            bench.destination = destination;
            bench.enqueue(us(0), flow, 1000, Ecn::NotEct);
        }
    }
    let mut packets = [0; 2];
    for _ in 0..2_000 {
        let flow = bench.dequeue(us(0)).expect("packets wait").flow;
        packets[usize::from(flow > 0)] += 1;
    }
    packets
}

/// tc-cake(8), worked by hand: one flow against nine: half with the hosts' fairness, a tenth
/// without.
#[test]
fn hosts_share_before_their_flows_do() {
    for (isolation, by_source, by_destination) in [
        ("dual-srchost", 1_000, 200),
        ("dual-dsthost", 200, 1_000),
        ("triple-isolate", 1_000, 1_000),
        ("srchost", 1_000, 200),
        ("dsthost", 200, 1_000),
        ("flows", 200, 200),
        ("hosts", 200, 200),
    ] {
        for (shared_sources, expected) in [(true, by_source), (false, by_destination)] {
            let [one, nine] = shares(isolation, shared_sources);
            assert!(
                one.abs_diff(expected) <= 12,
                "{isolation} {shared_sources}: {one} {nine}"
            );
        }
    }
    let in_order = [200, 1_800];
    assert_eq!(shares("flowblind", true), in_order, "first in, first out");
}

/// Eight hosts take all places there are, a bulky flow each. After a reset none of them counts: a
/// flow alone at its host has whole turns.
#[test]
fn a_reset_forgets_the_hosts() {
    let params = [
        ("isolation", "dual-srchost"),
        ("flows", "8"),
        ("quantum", "1000 B"),
    ];
    let mut bench = Bench::new("cake", &params);
    // One after the other, since a host whose flows are all sparse leaves its place to others.
    for flow in 0..8 {
        for _ in 0..9 {
            bench.enqueue(us(0), flow, 1000, Ecn::NotEct);
        }
        for _ in 0..2 {
            bench.dequeue(us(0)).expect("packets wait");
        }
    }
    assert_eq!(bench.probe("tin[0].bulk"), 8.0);
    bench.discipline.reset();
    for _ in 0..3 {
        bench.arrive(us(0), 1000);
    }
    bench.dequeue(us(0)).expect("three wait");
    bench.dequeue(us(0)).expect("two wait");
    assert_eq!(bench.probe("tin[0].bulk"), 1.0);
    assert_eq!(bench.probe("flow[0].deficit"), 0.0);
}

/// A queue of its own goes first while it needs less than its turn; then it is one of the many.
#[test]
fn sparse_flows_go_first() {
    let mut bench = Bench::new("cake", &[("quantum", "1500 B")]);
    let counts = |bench: &Bench| {
        ["sparse", "bulk", "decaying"].map(|kind| bench.probe(&format!("tin[0].{kind}")))
    };
    for _ in 0..9 {
        bench.arrive(us(0), 1000);
    }
    assert_eq!(counts(&bench), [1.0, 0.0, 0.0]);
    let flow = |bench: &mut Bench| bench.dequeue(us(1_000)).unwrap().flow;
    // 1500 of credit are two packets; then it is bulky.
    assert_eq!((flow(&mut bench), flow(&mut bench)), (0, 0));
    assert_eq!(bench.probe("flow[0].deficit"), -500.0);
    assert_eq!(flow(&mut bench), 0);
    assert_eq!(counts(&bench), [0.0, 1.0, 0.0]);
    assert_eq!(bench.probe("flow[0].deficit"), 0.0);
    bench.enqueue(us(1_000), 1, 1000, Ecn::NotEct);
    assert_eq!(counts(&bench), [1.0, 1.0, 0.0]);
    assert_eq!(flow(&mut bench), 1);
    // Flow 1 still has 500, is found empty, and decays until its activity timeout.
    assert_eq!(flow(&mut bench), 0);
    assert_eq!(counts(&bench), [0.0, 1.0, 1.0]);
    bench.dequeue(us(102_000));
    assert_eq!(counts(&bench), [0.0, 1.0, 0.0]);
}

/// Out of credit and empty, a flow waits among the bulky ones, counted as sparse, until a packet
/// comes.
#[test]
fn an_empty_flow_in_debt_waits() {
    let mut bench = Bench::new("cake", &[("quantum", "500 B")]);
    let counts = |bench: &Bench| [bench.probe("tin[0].sparse"), bench.probe("tin[0].bulk")];
    bench.enqueue(us(0), 0, 1400, Ecn::NotEct);
    bench.enqueue(us(0), 1, 100, Ecn::NotEct);
    assert_eq!(bench.dequeue(us(0)).unwrap().flow, 0);
    assert_eq!(bench.probe("flow[0].deficit"), -900.0);
    // Looking for a packet, flow 0 gets 500 and goes to the old ones.
    assert_eq!(bench.dequeue(us(0)).unwrap().flow, 1);
    assert_eq!(counts(&bench), [2.0, 0.0]);
    assert_eq!(bench.probe("flow[0].deficit"), -400.0);
    bench.enqueue(us(0), 0, 1400, Ecn::NotEct);
    assert_eq!(counts(&bench), [1.0, 1.0]);
}

/// A queue of flow 0 held at 100 packets, each of which waits 10 ms but the first, which waits 1:
/// when signals fall, in ms since the first dequeue of a late one.
fn signals(preset: Preset, ecn: Ecn) -> (Vec<f64>, usize) {
    let params = [("limit", "none"), ("bandwidth", "100 Mbit/s")];
    let mut bench = Bench::under(preset, "cake", &params);
    for _ in 0..101 {
        bench.enqueue(us(0), 0, 1000, ecn);
    }
    bench.dequeue(us(1_000));
    let (mut at, mut seen) = (Vec::new(), 0);
    for k in 0..4_000 {
        let now = us(10_000 + k * 100);
        bench.enqueue(now, 0, 1000, ecn);
        bench.dequeue(now);
        while seen < bench.drops(Reason::Target) + bench.marks() {
            seen += 1;
            at.push(k as f64 * 0.1);
            if bench.drops(Reason::Target) == seen {
                bench.enqueue(now, 0, 1000, ecn);
            }
        }
    }
    (at, bench.marks())
}

/// The first signal of a new queue comes an interval after its first late packet, by Linux at the
/// next one, since its root begins at zero; then 70.7, 57.7, 50 ms later. ECN-capable packets are
/// marked when others are dropped.
#[test]
fn signals_of_a_new_queue() {
    for (preset, first) in [(Preset::Reference, 100.0), (Preset::Linux, 0.1)] {
        let (at, marks) = signals(preset, Ecn::Ect0);
        assert!(at.len() >= 5 && marks == at.len(), "{at:?}");
        let mut due = first;
        for (k, at) in at.iter().enumerate() {
            assert!((at - due).abs() < 0.5, "{preset}: {at} {due}");
            due += 100.0 / libm::sqrt((k + 2) as f64);
        }
        assert_eq!(signals(preset, Ecn::NotEct), (at, 0));
    }
}

/// At 8 Mbit/s a packet takes 1.5 ms: what waited less than four of them is not late, though the
/// target is 5 ms.
#[test]
fn four_packet_times_are_never_late() {
    for (waited, late) in [(5_900, 0.0), (6_100, 1.0)] {
        let mut bench = Bench::new("cake", &[("bandwidth", "8 Mbit/s")]);
        for _ in 0..2 {
            bench.arrive(us(0), 1000);
        }
        bench.dequeue(us(waited));
        assert_eq!(bench.probe("flow[0].dropping"), late, "{waited}");
    }
}

fn ack(number: u64) -> AckView {
    AckView {
        connection: 7,
        number,
        pure: true,
        ece: false,
        cwr: false,
        sack: Sack::None,
        stamps: None,
    }
}

/// What the filter drops, by number, out of these arrivals.
fn filtered(filter: &str, acks: &[AckView]) -> Vec<u64> {
    let mut bench = Bench::new("cake", &[("ack_filter", filter)]);
    for &one in acks {
        bench.ack = Some(one);
        bench.arrive(us(0), if one.pure { 40 } else { 1000 });
    }
    assert_eq!(bench.drops(Reason::AckFilter), bench.record.dropped.len());
    let dropped = bench.record.dropped.iter();
    dropped
        .map(|(packet, _)| packet.ack.expect("all have one").number)
        .collect()
}

#[test]
fn redundant_acknowledgements_are_dropped() {
    let four = [1, 2, 3, 4].map(ack);
    assert_eq!(filtered("no", &four), [0; 0]);
    assert_eq!(filtered("yes", &four), [1, 2], "one and the newest stay");
    assert_eq!(filtered("aggressive", &four), [1, 2, 3]);
    // Duplicates are news to a sender; so is data.
    assert_eq!(filtered("aggressive", &[5, 5, 5].map(ack)), [0; 0]);
    let data = |number| AckView {
        pure: false,
        ..ack(number)
    };
    assert_eq!(filtered("aggressive", &[data(1), data(2)]), [0; 0]);
    assert_eq!(filtered("yes", &[ack(1), ack(2), data(3)]), [1]);
    // A single one is only dropped if nothing lies between.
    assert_eq!(filtered("aggressive", &[ack(1), data(1), ack(2)]), [0; 0]);
}

/// Flags and connections: what no later one says is kept.
#[test]
fn signals_in_acknowledgements_are_kept() {
    let echo = |number| AckView {
        ece: true,
        ..ack(number)
    };
    assert_eq!(filtered("yes", &[ack(1), echo(2), ack(3)]), [0; 0]);
    assert_eq!(filtered("aggressive", &[ack(1), echo(2), ack(3)]), [0; 0]);
    assert_eq!(filtered("yes", &[ack(1), echo(2), echo(3), ack(4)]), [2]);
    let other = |number| AckView {
        connection: 8,
        ..ack(number)
    };
    assert_eq!(filtered("yes", &[ack(1), other(2), ack(3)]), [0; 0]);
    assert_eq!(filtered("yes", &[ack(1), other(2), ack(3), ack(4)]), [1]);
}

/// A bulky flow that is found empty is counted as one no longer: of two the second is left.
#[test]
fn a_bulky_flow_that_ends_is_not_counted() {
    let mut bench = Bench::new("cake", &[("quantum", "1500 B")]);
    for _ in 0..4 {
        bench.arrive(us(0), 1000);
    }
    for _ in 0..4 {
        bench.dequeue(us(1_000)).expect("four wait");
    }
    assert_eq!(bench.probe("tin[0].bulk"), 1.0);
    for _ in 0..3 {
        bench.enqueue(us(1_000), 1, 1000, Ecn::NotEct);
    }
    for _ in 0..3 {
        let sent = bench.dequeue(us(1_000)).expect("three wait");
        assert_eq!(sent.flow, 1);
    }
    assert_eq!(bench.probe("tin[0].bulk"), 1.0);
}

/// Under Linux's preset a turn of one flow alone is the quantum, but for its rounding: four packets
/// of 500 bytes of each.
#[test]
fn linux_serves_a_quantum_at_a_turn() {
    let mut bench = Bench::under(Preset::Linux, "cake", &[("isolation", "flows")]);
    for k in 0..12 {
        bench.enqueue(us(0), k % 2, 500, Ecn::NotEct);
    }
    let served: Vec<u32> = (0..8)
        .map(|_| bench.dequeue(us(0)).expect("twelve wait").flow)
        .collect();
    assert_eq!(served, [0, 0, 0, 0, 1, 1, 1, 1]);
}

/// However late, the last packet of a queue is sent.
#[test]
fn the_last_packet_is_never_dropped() {
    let mut bench = Bench::new("cake", &[]);
    for _ in 0..6 {
        bench.arrive(us(0), 1000);
    }
    let mut last = None;
    for second in 1..=6 {
        last = bench.dequeue(us(second * 1_000_000)).or(last);
    }
    assert!(bench.drops(Reason::Target) > 0);
    assert_eq!(last.map(|packet| packet.id), Some(5));
}
