//! SFQ against its rules worked out by hand, and against ns-2.

use crate::bench::{Bench, burst, fault, us};
use sojourn_base::length::Capacity;
use sojourn_base::{Ecn, Preset, Stream};
use sojourn_queue::{Discipline, Reason};

/// Measured on ns-2.35, where the sources are nodes 0, 1, 2 ... and the destination is the second
/// node after the last source.
#[test]
fn ns2_bursts() {
    type Row = (
        u32,
        &'static [(&'static str, &'static str)],
        &'static [usize],
    );
    let rows: [Row; 8] = [
        (1, &[], &[14]),
        (2, &[], &[11, 10]),
        (3, &[], &[9, 8, 8]),
        (8, &[], &[4, 4, 3, 3, 3, 3, 3, 3]),
        (16, &[], &[3, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1]),
        (1, &[("limit", "1000 packets")], &[14]),
        (1, &[("maxqueue", "50 packets")], &[18]),
        (3, &[("maxqueue", "50 packets")], &[11, 10, 10]),
    ];
    for (flows, params, accepted) in rows {
        let mut bench = Bench::ns2("sfq", params);
        bench.destination = flows + 1;
        assert_eq!(
            burst(&mut bench, flows, 100, 500),
            accepted,
            "{flows} {params:?}"
        );
    }
}

/// ns-2.35's `sfq.cc`, worked by hand: with room for M, m backlogged flows are capped at the
/// smallest u with u >= floor((M - m u) / 2).
#[test]
fn ns2_caps_without_a_link() {
    for (room, flows, caps) in [
        ("40 packets", 1_u32, vec![13]),
        ("40 packets", 2, vec![10, 10]),
        ("40 packets", 3, vec![8, 8, 8]),
        ("50 packets", 1, vec![17]),
        ("50 packets", 2, vec![13, 12]),
        ("50 packets", 3, vec![10, 10, 10]),
    ] {
        let mut bench = Bench::ns2("sfq", &[("maxqueue", room)]);
        let mut got = vec![0; flows as usize];
        for _ in 0..100 {
            for flow in 0..flows {
                let taken = bench.enqueue(us(0), flow, 500, Ecn::NotEct);
                got[flow as usize] += usize::from(taken);
            }
        }
        assert_eq!(got, caps, "{room}");
    }
}

#[test]
fn ns2_serves_one_packet_a_turn() {
    let mut bench = Bench::ns2("sfq", &[]);
    for (flow, size) in [(0, 1500), (0, 1500), (0, 1500), (1, 40), (1, 40), (2, 500)] {
        bench.enqueue(us(0), flow, size, Ecn::NotEct);
    }
    let order: Vec<u64> = std::iter::from_fn(|| bench.dequeue(us(1)))
        .map(|p| p.id)
        .collect();
    assert_eq!(order, [0, 3, 5, 1, 4, 2]);
}

#[test]
fn an_emptied_bucket_joins_the_end_of_the_ring() {
    let mut bench = Bench::new("sfq", &[]);
    for flow in [0, 1, 1, 2] {
        bench.enqueue(us(0), flow, 500, Ecn::NotEct);
    }
    assert_eq!(bench.dequeue(us(1)).unwrap().flow, 0);
    bench.enqueue(us(1), 0, 500, Ecn::NotEct);
    let flows: Vec<u32> = std::iter::from_fn(|| bench.dequeue(us(2)))
        .map(|p| p.flow)
        .collect();
    assert_eq!(flows, [1, 2, 0, 1]);
}

#[test]
fn the_longest_flow_gives_way() {
    let mut bench = Bench::new("sfq", &[("limit", "6 packets")]);
    for flow in [0, 0, 0, 0, 1, 1] {
        assert!(bench.enqueue(us(0), flow, 500, Ecn::NotEct));
    }
    assert!(
        bench.enqueue(us(0), 1, 500, Ecn::NotEct),
        "flow 0 makes room"
    );
    assert_eq!(bench.record.dropped[0].0.id, 3, "its last packet goes");
    assert_eq!(bench.record.dropped[0].1, Reason::Overlimit);
    assert!(
        !bench.enqueue(us(0), 1, 500, Ecn::NotEct),
        "four of its own is longest"
    );
    assert!(bench.enqueue(us(0), 2, 500, Ecn::NotEct));
    assert_eq!(
        bench.record.dropped[2].0.id, 6,
        "of equals, that which grew last"
    );
    assert_eq!(bench.packets(), 6);
}

#[test]
fn with_a_limit_in_bytes_the_flow_with_most_bytes_gives_way_until_all_fits() {
    let mut bench = Bench::new("sfq", &[("limit", "3000 B")]);
    for (flow, size) in [(0, 400), (0, 400), (0, 400), (1, 1500)] {
        assert!(bench.enqueue(us(0), flow, size, Ecn::NotEct));
    }
    assert!(bench.enqueue(us(0), 2, 1200, Ecn::NotEct));
    assert_eq!(bench.record.dropped.len(), 1);
    assert_eq!(bench.record.dropped[0].0.flow, 1);
    assert!(bench.enqueue(us(0), 3, 1150, Ecn::NotEct));
    let dropped: Vec<u32> = bench.record.dropped.iter().map(|(p, _)| p.flow).collect();
    assert_eq!(dropped, [1, 2]);
}

#[test]
fn backlogged_flows_are_served_equally() {
    let mut bench = Bench::new("sfq", &[("perturb", "0 s")]);
    for _ in 0..50 {
        for flow in 0..5 {
            bench.enqueue(us(0), flow, 500, Ecn::NotEct);
        }
    }
    let mut served = [0_i32; 5];
    for _ in 0..123 {
        served[bench.dequeue(us(1)).unwrap().flow as usize] += 1;
        let (most, least) = (served.iter().max(), served.iter().min());
        assert!(most.unwrap() - least.unwrap() <= 1);
    }
}

/// Flows 0 and f share a bucket under the first salt, and are parted by a later one.
#[test]
fn a_new_salt_parts_flows_and_reorders_none() {
    let mut bench = Bench::new("sfq", &[("buckets", "2"), ("perturb", "1 s")]);
    let shares = |bench: &mut Bench| bench.probe("flows_active") == 1.0;
    let other = (1..100).find(|&flow| {
        let mut probe = Bench::new("sfq", &[("buckets", "2"), ("perturb", "1 s")]);
        probe.enqueue(us(0), 0, 500, Ecn::NotEct);
        probe.enqueue(us(0), flow, 500, Ecn::NotEct);
        shares(&mut probe)
    });
    let other = other.unwrap();
    for _ in 0..10 {
        bench.enqueue(us(0), 0, 500, Ecn::NotEct);
        bench.enqueue(us(0), other, 500, Ecn::NotEct);
    }
    assert!(shares(&mut bench));
    let mut second = 1;
    while shares(&mut bench) {
        bench.timers_before(us(second * 1_000_000 + 1));
        second += 1;
        assert!(second < 100, "never parted");
    }
    let mut last = [None, None];
    while let Some(packet) = bench.dequeue(us(second * 1_000_000)) {
        let last = &mut last[usize::from(packet.flow != 0)];
        assert!(*last < Some(packet.id));
        *last = Some(packet.id);
    }
    assert!(bench.record.dropped.is_empty());
}

#[test]
fn the_salt_changes_every_perturb() {
    let mut bench = Bench::new("sfq", &[("perturb", "3 ms")]);
    assert_eq!(bench.discipline.next_timer(), Some(us(3_000)));
    bench.timers_before(us(3_001));
    assert_eq!(bench.discipline.next_timer(), Some(us(6_000)));
    let never = Bench::new("sfq", &[("perturb", "0 s")]);
    assert_eq!(never.discipline.next_timer(), None);
}

#[test]
fn linux_serves_bytes_and_bounds_flows() {
    let mut bench = Bench::under(Preset::Linux, "sfq", &[("quantum", "1000 B")]);
    for (flow, size) in [(0, 1000), (0, 1000), (1, 500), (1, 500), (1, 500), (1, 500)] {
        bench.enqueue(us(0), flow, size, Ecn::NotEct);
    }
    let order: Vec<u64> = std::iter::from_fn(|| bench.dequeue(us(1)))
        .map(|p| p.id)
        .collect();
    assert_eq!(order, [0, 2, 3, 1, 4, 5]);

    let mut bench = Bench::under(Preset::Linux, "sfq", &[("depth", "2"), ("flows", "2")]);
    let taken = [0, 0, 0, 1, 2].map(|flow| bench.enqueue(us(0), flow, 500, Ecn::NotEct));
    assert_eq!(taken, [true, true, false, true, false]);
}

/// Room for 127 packets, and for 128 flows.
#[test]
fn linux_drops_at_the_next_turn_if_all_hold_one() {
    let mut bench = Bench::under(Preset::Linux, "sfq", &[("buckets", "1048576")]);
    for flow in 0..127 {
        bench.enqueue(us(0), flow, 500, Ecn::NotEct);
    }
    assert!(bench.enqueue(us(0), 127, 500, Ecn::NotEct));
    assert_eq!(bench.record.dropped[0].0.flow, 0);
    assert_eq!(bench.probe("flows_active"), 127.0);
}

/// A limit that is given bounds the flows too, and is bounded by what these may hold.
#[test]
fn linux_bounds_limit_and_flows_by_each_other() {
    let mut bench = Bench::under(Preset::Linux, "sfq", &[("limit", "3 packets")]);
    let taken = [0, 1, 2, 3, 2].map(|flow| bench.enqueue(us(0), flow, 500, Ecn::NotEct));
    assert_eq!(taken, [true, true, true, false, false]);
    let params = [("limit", "50 packets"), ("depth", "2"), ("flows", "2")];
    let bench = Bench::under(Preset::Linux, "sfq", &params);
    assert_eq!(bench.discipline.capacity(), Capacity::Packets(4));
}

#[test]
fn impossible_parameters_are_named() {
    assert!(fault("sfq", &[("buckets", "0")], Preset::Reference).starts_with("buckets: found 0"));
    assert!(fault("sfq", &[("quantum", "0 B")], Preset::Linux).starts_with("quantum: found 0 B"));
    let foreign = fault("sfq", &[("maxqueue", "40 packets")], Preset::Reference);
    assert!(
        foreign.starts_with("maxqueue:") && foreign.contains("set limit"),
        "{foreign}"
    );
    assert!(fault("sfq", &[("maxqueue", "40 kB")], Preset::Ns2).starts_with("maxqueue:"));
}

/// Both hold two packets when a third flow's arrival is one too many: the one that came to two last
/// gives way, whatever its place in the ring.
#[test]
fn of_two_longest_flows_the_one_that_grew_last_gives_way() {
    for (order, gives_way) in [([0, 1, 1, 0], 0), ([1, 0, 1, 0], 0), ([0, 1, 0, 1], 1)] {
        for preset in [Preset::Reference, Preset::Linux] {
            let mut bench = Bench::under(preset, "sfq", &[("limit", "4 packets")]);
            for flow in order {
                assert!(bench.enqueue(us(0), flow, 500, Ecn::NotEct));
            }
            bench.enqueue(us(0), 2, 500, Ecn::NotEct);
            let (packet, _) = &bench.record.dropped[0];
            assert_eq!(packet.flow, gives_way, "{preset} {order:?}");
        }
    }
}

/// All hold one packet: the last to come is pushed out again, and the others keep their turns.
#[test]
fn a_flow_pushed_out_whole_takes_no_other_with_it() {
    let mut bench = Bench::new("sfq", &[("limit", "3 packets")]);
    for flow in 0..4 {
        bench.enqueue(us(0), flow, 500, Ecn::NotEct);
    }
    assert_eq!(bench.record.dropped[0].0.flow, 3);
    let served: Vec<u32> = (0..3)
        .map(|_| bench.dequeue(us(0)).expect("three wait").flow)
        .collect();
    assert_eq!(served, [0, 1, 2]);
    assert!(bench.enqueue(us(0), 3, 500, Ecn::NotEct));
    assert_eq!(bench.dequeue(us(0)).map(|packet| packet.flow), Some(3));
}

/// A quantum of 1514 bytes is four packets of 500 in a row, the last on credit of 14; the debt of
/// 486 then leaves three.
#[test]
fn linux_serves_a_quantum_at_a_turn() {
    let mut bench = Bench::under(Preset::Linux, "sfq", &[]);
    for k in 0..16 {
        bench.enqueue(us(0), k % 2, 500, Ecn::NotEct);
    }
    let served: Vec<u32> = (0..14)
        .map(|_| bench.dequeue(us(0)).expect("16 wait").flow)
        .collect();
    assert_eq!(served, [0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1]);
}

/// The kernel draws its salt when the queue is made, though it may never change.
#[test]
fn flows_meet_in_other_buckets_under_another_seed() {
    let order = |seed| {
        let mut bench = Bench::under(Preset::Linux, "sfq", &[("buckets", "16")]);
        bench.random = Stream::new(seed);
        for flow in 0..16 {
            for _ in 0..2 {
                bench.enqueue(us(0), flow, 1000, Ecn::NotEct);
            }
        }
        (0..32)
            .map(|_| bench.dequeue(us(1)).expect("it waits").id)
            .collect::<Vec<u64>>()
    };
    assert_eq!(order(1), order(1));
    assert!((2..8).any(|seed| order(seed) != order(1)));
}

#[test]
fn linux_holds_depth_to_127() {
    let params = [("depth", "1000"), ("limit", "2000 packets")];
    let mut bench = Bench::under(Preset::Linux, "sfq", &params);
    let admitted = (0..500).filter(|_| bench.arrive(us(0), 100)).count();
    assert_eq!(admitted, 127);
}
