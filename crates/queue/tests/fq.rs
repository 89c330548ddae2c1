//! Fair queueing: the order of bit-by-bit round robin.

use crate::bench::{Bench, fault, us};
use sojourn_base::{Ecn, Preset};
use sojourn_queue::Reason;

fn order(bench: &mut Bench, packets: usize) -> Vec<u32> {
    (0..packets)
        .map_while(|_| bench.dequeue(us(0)).map(|packet| packet.flow))
        .collect()
}

/// Finishing rounds, in bytes: flow 0 at 1000 and 2000, flow 1 at 300, 600, ... 1800.
#[test]
fn the_smallest_finish_goes_first() {
    let mut bench = Bench::new("fq", &[]);
    for _ in 0..2 {
        bench.enqueue(us(0), 0, 1000, Ecn::NotEct);
    }
    for _ in 0..6 {
        bench.enqueue(us(0), 1, 300, Ecn::NotEct);
    }
    assert_eq!(order(&mut bench, 8), [1, 1, 1, 0, 1, 1, 1, 0]);
}

/// Weights 3 and 1: three packets to one.
#[test]
fn weights_share_the_link() {
    let mut bench = Bench::new("fq", &[("weights", "3 1"), ("limit", "none")]);
    for flow in [0, 1] {
        for _ in 0..100 {
            bench.enqueue(us(0), flow, 900, Ecn::NotEct);
        }
    }
    let first = order(&mut bench, 80);
    let heavy = first.iter().filter(|&&flow| flow == 0).count();
    assert!((59..=61).contains(&heavy), "{heavy}");
    let text = fault("fq", &[("weights", "1 0")], Preset::Reference);
    assert!(text.starts_with("weights"), "{text}");
}

/// Of every connection, in both directions: a weight is of a flow's number, the lower half of the
/// key.
#[test]
fn all_connections_of_a_flow_weigh_alike() {
    let mut bench = Bench::new("fq", &[("weights", "1 3"), ("limit", "none")]);
    for (flow, connection) in [(0, 0), (1, 5), (1, 1 << 31)] {
        bench.connection = connection;
        for _ in 0..100 {
            bench.enqueue(us(0), flow, 900, Ecn::NotEct);
        }
    }
    let first = order(&mut bench, 70);
    let lightest = first.iter().filter(|&&flow| flow == 0).count();
    assert_eq!(lightest, 10);
}

/// R grows by the rate over the active weight: with two flows of 8000 bits on 8 Mbit/s, 4000 bits
/// in the first millisecond; both finish after two.
#[test]
fn the_round_number() {
    let mut bench = Bench::new("fq", &[]);
    for flow in [0, 1] {
        bench.enqueue(us(0), flow, 1000, Ecn::NotEct);
    }
    bench.dequeue(us(1_000));
    assert!((bench.probe("round") - 4_000.0).abs() < 1e-6);
    bench.dequeue(us(2_500));
    assert!(
        (bench.probe("round") - 8_000.0).abs() < 1e-6,
        "it rests when all are done"
    );
    bench.enqueue(us(9_000), 2, 500, Ecn::NotEct);
    bench.enqueue(us(9_250), 0, 500, Ecn::NotEct);
    assert!((bench.probe("round") - 10_000.0).abs() < 1e-6);
}

/// Ten greedy flows and one of half the link's rate: it gets an eleventh; one of a twentieth gets
/// all it asks for, and waits for no more than one packet of others and its own share.
#[test]
fn a_flow_gets_its_fair_share() {
    for (gap, size, share) in [(1_000, 500, 1.0 / 11.0), (10_000, 500, 0.05)] {
        let mut bench = Bench::new("fq", &[("limit", "500 packets")]);
        for k in 0..400_000_u64 {
            let now = us(k * 10);
            if k % 5 == 0 {
                bench.send(now, 1 + (k / 5 % 10) as u32, 500, Ecn::NotEct);
            }
            if (k * 10) % gap == 0 {
                bench.send(now, 0, size, Ecn::NotEct);
            }
        }
        let own: Vec<_> = bench
            .delivered
            .iter()
            .filter(|(_, p)| p.flow == 0)
            .collect();
        let bytes = own.len() as f64 * size as f64;
        let found = bytes / (1e6 * 4.0);
        assert!((found - share).abs() < 0.002, "{found} {share}");
        if share < 0.06 {
            let worst = own.iter().map(|(end, p)| end.since(p.enqueued).as_s());
            let worst = worst.fold(0.0, f64::max);
            assert!(worst <= 0.0005 * 12.0 + 1e-9, "{worst}");
            assert!(bench.record.dropped.iter().all(|(p, _)| p.flow != 0));
        }
    }
}

#[test]
fn the_fattest_flow_loses_its_last() {
    let mut bench = Bench::new("fq", &[("limit", "4 packets")]);
    for (flow, size) in [(0, 600), (0, 600), (1, 500), (1, 500), (2, 100)] {
        bench.enqueue(us(0), flow, size, Ecn::NotEct);
    }
    let (packet, why) = &bench.record.dropped[0];
    assert_eq!((packet.id, *why), (1, Reason::Overlimit));
    // The next of flow 0 finishes at 1200 bytes, as if the lost one had not come.
    bench.dequeue(us(0));
    bench.enqueue(us(0), 0, 600, Ecn::NotEct);
    assert_eq!(order(&mut bench, 4), [1, 0, 1, 0]);
}

/// Flow 0 would finish at 24,000 bits, and loses its last at 12,000: it finishes at 16,000, in a
/// millisecond, and flow 1 is alone from then on, so that R grows twice as fast.
#[test]
fn a_flow_that_lost_its_last_finishes_earlier() {
    let mut bench = Bench::new("fq", &[("limit", "3 packets")]);
    for _ in 0..3 {
        bench.enqueue(us(0), 0, 1000, Ecn::NotEct);
    }
    bench.dequeue(us(1_500));
    for _ in 0..2 {
        bench.enqueue(us(1_500), 1, 900, Ecn::NotEct);
    }
    assert_eq!(bench.record.dropped[0].0.flow, 0);
    bench.dequeue(us(3_000));
    assert!((bench.probe("round") - 20_000.0).abs() < 1e-6);
}

/// Over disciplines the flow whose head starts first goes first. In hundreds of bytes over the
/// weight: flow 0 starts at 0, 3, 6, 9 ... and flow 1 at 0, 9, 18.
#[test]
fn nested_flows_go_by_when_they_start() {
    let params = [("weights", "3 1"), ("inner", "droptail")];
    let mut bench = Bench::new("fq", &params);
    for flow in [0, 1] {
        for _ in 0..9 {
            bench.enqueue(us(0), flow, 900, Ecn::NotEct);
        }
    }
    assert_eq!(order(&mut bench, 10), [0, 1, 0, 0, 0, 1, 0, 0, 0, 1]);
}

/// What a discipline drops takes no service: the third packet of flow 0 starts at 1000, not
/// at 2000.
#[test]
fn drops_of_a_nested_flow_take_no_turn() {
    let params = [("inner", "codel(limit = none)")];
    let mut bench = Bench::new("fq", &params);
    for flow in [0, 1] {
        for _ in 0..3 {
            bench.enqueue(us(0), flow, 1000, Ecn::NotEct);
        }
    }
    bench.poke("flow[0].first_above", 0.05);
    let order: Vec<u32> = (0..5)
        .map_while(|_| bench.dequeue(us(100_000)).map(|packet| packet.flow))
        .collect();
    assert_eq!(
        (order, bench.drops(Reason::Target)),
        (vec![0, 1, 0, 1, 1], 1)
    );
}
