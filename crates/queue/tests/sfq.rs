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

/// What waits, in the order in which it is sent.
fn drain(bench: &mut Bench) -> Vec<u64> {
    std::iter::from_fn(|| bench.dequeue(us(1_000_000)))
        .map(|packet| packet.id)
        .collect()
}

fn dropped(bench: &Bench) -> Vec<(u64, Reason)> {
    let dropped = bench.record.dropped.iter();
    dropped.map(|(packet, why)| (packet.id, *why)).collect()
}

/// The fifth packet is one too many. Flow 0 has three, of which the first goes; then flow 1 has
/// three, and loses its own first, not the packet that came.
#[test]
fn with_head_drop_the_longest_flow_loses_its_oldest() {
    for preset in [Preset::Reference, Preset::Linux] {
        let params = [("limit", "4 packets"), ("head_drop", "true")];
        let mut bench = Bench::under(preset, "sfq", &params);
        for flow in [0, 0, 0, 1, 1, 1] {
            assert!(bench.enqueue(us(0), flow, 500, Ecn::NotEct), "{preset}");
        }
        let expected = [(0, Reason::Head), (3, Reason::Head)];
        assert_eq!(dropped(&bench), expected, "{preset}");
        let mut left = drain(&mut bench);
        left.sort_unstable();
        assert_eq!(left, [1, 2, 4, 5], "{preset}");
    }
}

/// Two packets of a flow at most: the third takes the place of the first, and leaves the other flow
/// alone. A flow for which there is no bucket has none to give.
#[test]
fn with_head_drop_a_deep_flow_loses_its_oldest() {
    let params = [("depth", "2"), ("flows", "2"), ("head_drop", "true")];
    let mut bench = Bench::under(Preset::Linux, "sfq", &params);
    let taken = [0, 1, 0, 0, 2, 0].map(|flow| bench.enqueue(us(0), flow, 500, Ecn::NotEct));
    assert_eq!(taken, [true, true, true, true, false, true]);
    let expected = [(0, Reason::Head), (4, Reason::Overlimit), (2, Reason::Head)];
    assert_eq!(dropped(&bench), expected);
    assert_eq!(drain(&mut bench), [3, 5, 1]);
}

/// Both flows hold two packets, flow 1 since later. An exchange at the depth changes no length, so
/// that it is flow 1 which makes room for flow 2 all the same: it loses its oldest, 1.
#[test]
fn an_exchange_does_not_make_a_flow_the_one_that_grew_last() {
    let params = [
        ("limit", "4 packets"),
        ("depth", "2"),
        ("head_drop", "true"),
    ];
    let mut bench = Bench::under(Preset::Linux, "sfq", &params);
    for flow in [0, 1, 0, 1, 0, 2] {
        assert!(bench.enqueue(us(0), flow, 500, Ecn::NotEct));
    }
    assert_eq!(dropped(&bench), [(0, Reason::Head), (1, Reason::Head)]);
}

#[test]
fn head_drop_is_refused_where_nothing_that_waits_is_dropped() {
    let with = |more, preset| fault("sfq", &[("head_drop", "true"), more], preset);
    let text = with(("buckets", "16"), Preset::Ns2);
    assert!(text.starts_with("head_drop: found true; allowed: false under preset ns2"));
    for preset in [Preset::Reference, Preset::Linux] {
        let text = with(("inner", "codel"), preset);
        assert!(text.starts_with("head_drop: found true; allowed: false with inner"));
    }
    let red = ("inner", "red(limit = 60 kB)");
    assert_eq!(with(red, Preset::Linux), "accepted");
    assert!(with(red, Preset::Reference).starts_with("head_drop: "));
    let other = ("inner", "red(preset = reference)");
    assert!(with(other, Preset::Linux).starts_with("head_drop: "));
}

/// A weight of 1/2: packets of 1000 B of one flow find 0, 1000, 2000 ... bytes. The average after
/// each is 0 (an empty bucket is not asked), 500, 1250, 2125 and 3062.5 B, so that with thresholds
/// of 2000 and 3000 B the fourth is the first in the band, which is exempt, and the fifth stands
/// above it. That one is dropped, so that the next finds 4000 B again: 3531.25, kept in halves as
/// 3531.5.
fn red(more: &str) -> String {
    format!("red(min_th = 2000 B, max_th = 3000 B, w_q = 0.5, max_p = 0.02{more})")
}

#[test]
fn linux_has_red_in_each_flow() {
    let inner = red("");
    let params = [("inner", inner.as_str()), ("quantum", "1000 B")];
    let mut bench = Bench::under(Preset::Linux, "sfq", &params);
    let mut averages = Vec::new();
    for _ in 0..6 {
        bench.enqueue(us(0), 0, 1_000, Ecn::Ect0);
        averages.push(bench.probe("flow[0].avg"));
    }
    assert_eq!(averages, [0.0, 500.0, 1250.0, 2125.0, 3062.5, 3531.5]);
    assert_eq!(dropped(&bench), [(4, Reason::Forced), (5, Reason::Forced)]);
    assert!(bench.enqueue(us(0), 1, 1_000, Ecn::Ect0), "another flow");
    assert_eq!(bench.probe("flow[1].avg"), 0.0);
    assert_eq!(drain(&mut bench), [0, 6, 1, 2, 3]);
    // It forgets: an empty bucket begins anew, however short the idle time.
    assert!(bench.enqueue(us(1_000_000), 0, 1_000, Ecn::Ect0));
    assert_eq!(bench.probe("flow[0].avg"), 0.0);
}

/// As above. The packet above the band is marked with `ecn`, unless `hard_drop`.
#[test]
fn linux_marks_in_each_flow() {
    for (more, marked, gone) in [
        (", ecn = true", vec![(4, Reason::Forced)], vec![]),
        (
            ", ecn = true, hard_drop = true",
            vec![],
            vec![(4, Reason::Forced)],
        ),
    ] {
        let inner = red(more);
        let mut bench = Bench::under(Preset::Linux, "sfq", &[("inner", &inner)]);
        for _ in 0..5 {
            bench.enqueue(us(0), 0, 1_000, Ecn::Ect0);
        }
        let marks = bench.record.marked.iter();
        let marks: Vec<(u64, Reason)> = marks.map(|(packet, why)| (packet.id, *why)).collect();
        assert_eq!((marks, dropped(&bench)), (marked, gone), "{more}");
    }
}

/// As above, with what stands at the head: the oldest is marked if it can be, else the arrival;
/// if neither can, the oldest is dropped and the arrival gets in.
#[test]
fn with_head_drop_red_signals_on_the_oldest() {
    let inner = red(", ecn = true");
    let params = [("inner", inner.as_str()), ("head_drop", "true")];
    for (first, fifth, marked, gone) in [
        (Ecn::Ect0, Ecn::Ect0, Some(0), None),
        (Ecn::NotEct, Ecn::Ect0, Some(4), None),
        (Ecn::NotEct, Ecn::NotEct, None, Some(0)),
    ] {
        let mut bench = Bench::under(Preset::Linux, "sfq", &params);
        bench.enqueue(us(0), 0, 1_000, first);
        for _ in 0..3 {
            bench.enqueue(us(0), 0, 1_000, Ecn::Ect0);
        }
        assert!(bench.enqueue(us(0), 0, 1_000, fifth));
        let marks = bench.record.marked.first().map(|(packet, _)| packet.id);
        assert_eq!((marks, bench.marks()), (marked, marked.iter().count()));
        let drops: Vec<(u64, Reason)> = gone.iter().map(|&id| (id, Reason::Forced)).collect();
        assert_eq!(dropped(&bench), drops);
        let waits = (0..5).filter(|&id| Some(id) != gone);
        assert_eq!(drain(&mut bench), waits.collect::<Vec<u64>>());
    }
}

/// The limits of SFQ hold beside RED's, which only sets thresholds: the longest flow makes room.
/// A RED of another preset is a discipline of its own instead, and its limit is one.
#[test]
fn linux_keeps_its_limits_with_red_in_each_flow() {
    let params = [("limit", "4 packets"), ("inner", "red(limit = 60 kB)")];
    let mut bench = Bench::under(Preset::Linux, "sfq", &params);
    for flow in [0, 0, 0, 0, 1] {
        assert!(bench.enqueue(us(0), flow, 500, Ecn::NotEct));
    }
    assert_eq!(dropped(&bench), [(3, Reason::Overlimit)]);
    let own = "red(preset = reference, limit = 2 packets)";
    let mut bench = Bench::under(Preset::Linux, "sfq", &[("inner", own)]);
    for _ in 0..3 {
        bench.enqueue(us(0), 0, 500, Ecn::NotEct);
    }
    assert_eq!(dropped(&bench), [(2, Reason::Overlimit)]);
}

/// Four packets of 1000 B with a weight of 1/2, hashed again: their averages are 0, 500, 1250 and
/// 2125 B, as when they came, though three of the first four have left since.
#[test]
fn a_new_salt_makes_the_averages_anew() {
    let inner = red("");
    let params = [("inner", inner.as_str()), ("perturb", "1 s")];
    let mut bench = Bench::under(Preset::Linux, "sfq", &params);
    for _ in 0..4 {
        bench.enqueue(us(0), 0, 1_000, Ecn::NotEct);
    }
    for _ in 0..3 {
        bench.dequeue(us(0));
        bench.enqueue(us(0), 0, 1_000, Ecn::NotEct);
    }
    assert!(bench.record.dropped.is_empty());
    // Thrice halfway to the 3000 B that wait: 2562.5, 2781.5 and 2891.
    assert_eq!(bench.probe("flow[0].avg"), 2891.0);
    bench.timers_before(us(1_000_001));
    let shown = bench.inside();
    let averages: Vec<f64> = shown
        .iter()
        .filter_map(|(name, value)| match value {
            sojourn_queue::ProbeValue::Number(number) if name.ends_with("avg") => Some(*number),
            _ => None,
        })
        .collect();
    assert!(averages.contains(&2125.0), "{averages:?}");
}

#[test]
fn what_is_wrong_with_red_in_a_flow_is_told_of_inner() {
    let with = |inner| fault("sfq", &[("inner", inner)], Preset::Linux);
    let text = with("red(min_th = 9000 B, max_th = 3000 B)");
    assert!(
        text.starts_with("inner: found min_th = 9000 B in red"),
        "{text}"
    );
    let text = with("red(min_th = 500 ns, max_th = 3000 B, w_q = 0.5)");
    assert!(text.starts_with("inner: found min_th = "), "{text}");
    let text = with("red(ecn = true, no_drop = true)");
    assert!(text.starts_with("inner: found no_drop = true in red; allowed: false in sfq"));
    let text = with("red(mean_packet = 0 B)");
    assert!(text.starts_with("inner: found mean_packet = "), "{text}");
}
