//! FQ-PIE: each flow has its own controller.

use crate::bench::{Bench, us};
use sojourn_base::{Bytes, Ecn, Preset};
use sojourn_queue::{Discipline, Reason};

/// One flow alone is treated as by PIE: the same probability, the same share of drops.
#[test]
fn one_flow_is_pie() {
    let run = |name: &str, prob: &str| {
        let mut bench = Bench::new(name, &[]);
        for k in 0..20_000_u64 {
            bench.send(us(k * 800), 0, 1000, Ecn::NotEct);
        }
        (
            bench.probe(prob),
            bench.drops(Reason::Unforced),
            bench.packets(),
        )
    };
    let (alone, drops, _) = run("pie", "prob");
    let (in_flow, flow_drops, _) = run("fq_pie", "flow[0].prob");
    assert!((alone - in_flow).abs() < 0.02, "{alone} {in_flow}");
    assert!(drops.abs_diff(flow_drops) < drops / 10);
}

/// Two equal flows at 1.25 times the link each shed the same share, and a third that is thin none.
#[test]
fn equal_flows_get_equal_probabilities() {
    let mut bench = Bench::new("fq_pie", &[]);
    for k in 0..80_000_u64 {
        bench.send(us(k * 800), (k % 2) as u32, 1000, Ecn::NotEct);
        if k % 20 == 1 {
            bench.send(us(k * 800), 2, 200, Ecn::NotEct);
        }
    }
    let prob = |k: u32| bench.probe(&format!("flow[{k}].prob"));
    // The thin flow takes a hundredth of the link.
    let found = (prob(0), prob(1));
    let near = |p: f64| (p - 0.21).abs() < 0.08;
    assert!(near(found.0) && near(found.1), "{found:?}");
    assert_eq!(prob(2), 0.0);
    assert!(
        bench
            .record
            .dropped
            .iter()
            .all(|(packet, _)| packet.flow != 2)
    );
}

/// Idle flows are updated too, so that their probability decays.
#[test]
fn idle_flows_forget() {
    let mut bench = Bench::new("fq_pie", &[]);
    for flow in [0, 1] {
        bench.enqueue(us(0), flow, 1000, Ecn::NotEct);
    }
    bench.poke("flow[0].prob", 0.5);
    while bench.dequeue(us(1)).is_some() {}
    bench.timers_before(us(15_001));
    let expected = (0.5 - 0.001_875) * 0.98;
    assert!((bench.probe("flow[0].prob") - expected).abs() < 1e-12);
}

/// Each flow begins with the whole allowance.
#[test]
fn a_flow_begins_with_its_own_allowance() {
    for preset in [Preset::Reference, Preset::Linux, Preset::Ns3] {
        let mut bench = Bench::under(preset, "fq_pie", &[]);
        for flow in [0, 1] {
            bench.enqueue(us(0), flow, 1000, Ecn::NotEct);
            assert_eq!(
                bench.probe(&format!("flow[{flow}].burst")),
                0.15,
                "{preset}"
            );
        }
    }
}

/// Linux refuses the arrival over the limit, the others take it from the fattest flow.
#[test]
fn who_pays_over_the_limit() {
    for (preset, refused) in [
        (Preset::Reference, false),
        (Preset::Ns3, false),
        (Preset::Linux, true),
    ] {
        let mut bench = Bench::under(preset, "fq_pie", &[("limit", "4 packets")]);
        for flow in [0, 0, 0, 0, 1] {
            bench.enqueue(us(0), flow, 1000, Ecn::NotEct);
        }
        let last = bench.record.dropped.last().unwrap().0.flow;
        assert_eq!(last == 1, refused, "{preset}");
        assert!(bench.drops(Reason::Overlimit) > 0);
    }
}

#[test]
fn ecn_is_on_in_ns3_only() {
    for (preset, marks) in [
        (Preset::Reference, false),
        (Preset::Linux, false),
        (Preset::Ns3, true),
    ] {
        let mut bench = Bench::under(preset, "fq_pie", &[]);
        for _ in 0..9 {
            bench.enqueue(us(0), 0, 1514, Ecn::Ect0);
        }
        for k in 0..300 {
            bench.poke("flow[0].prob", 0.09);
            bench.poke("flow[0].burst", 0.0);
            bench.poke("flow[0].qdelay", 0.02);
            bench.poke("flow[0].qdelay_old", 0.02);
            bench.enqueue(us(k), 0, 1514, Ecn::Ect0);
        }
        assert_eq!(bench.marks() > 0, marks, "{preset}");
        assert_eq!(bench.drops(Reason::Unforced) > 0, !marks, "{preset}");
    }
}

#[test]
fn the_schedule_of_linux() {
    let bench = Bench::under(Preset::Linux, "fq_pie", &[]);
    assert_eq!(bench.discipline.next_timer(), Some(us(500_000)));
}

/// The flow whose arrival or head is lost for want of room begins its sum anew.
#[test]
fn a_loss_for_want_of_room_and_the_sum_of_its_flow() {
    for preset in Preset::ALL {
        let mut bench = Bench::under(preset, "fq_pie", &[("limit", "4 packets")]);
        for _ in 0..4 {
            bench.enqueue(us(0), 0, 1000, Ecn::NotEct);
        }
        bench.poke("flow[0].accu", 0.5);
        bench.enqueue(us(0), 0, 1000, Ecn::NotEct);
        assert!(bench.drops(Reason::Overlimit) > 0);
        assert_eq!(bench.probe("flow[0].accu"), 0.0, "{preset}");
    }
}

/// Linux: told of an MTU of 9000, less than two of 9014 waiting is few.
#[test]
fn the_mean_packet_follows_the_link() {
    let mut bench = Bench::under(Preset::Linux, "fq_pie", &[]);
    let mut link = bench.link;
    link.mtu = Bytes::new(9_000);
    bench.discipline.on_link(&link);
    bench.enqueue(us(0), 0, 2 * 1514, Ecn::NotEct);
    for (variable, value) in [
        ("burst", 0.0),
        ("prob", 1.0),
        ("qdelay", 0.02),
        ("accu", 9.0),
    ] {
        bench.poke(&format!("flow[0].{variable}"), value);
    }
    assert!(bench.enqueue(us(0), 0, 1000, Ecn::NotEct));
}

/// Linux's timer looks at 2048 flows at a time, a jiffy apart: 4096 flows take two of them, 65536
/// take 32.
#[test]
fn linux_updates_many_flows_later() {
    for (flows, period) in [("2048", 16_000), ("4096", 17_000), ("65536", 47_000)] {
        let mut bench = Bench::under(Preset::Linux, "fq_pie", &[("flows", flows)]);
        bench.timers_before(us(500_001));
        let next = bench.discipline.next_timer();
        assert_eq!(next, Some(us(500_000 + period)), "{flows}");
    }
}

/// A quantum of 100 stands for 256 in Linux: three packets of 100 in the first turn of each flow,
/// the last on credit of 56, then two on 212 and one on 12. Elsewhere it is one packet a turn.
#[test]
fn linux_gives_no_less_than_256_bytes_a_turn() {
    for name in ["fq_codel", "fq_pie", "sfq"] {
        for (preset, expected) in [
            (Preset::Linux, [0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1]),
            (Preset::Reference, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1]),
        ] {
            let mut bench = Bench::under(preset, name, &[("quantum", "100 B")]);
            for k in 0..20 {
                bench.enqueue(us(0), k % 2, 100, Ecn::NotEct);
            }
            let served = expected.map(|_| bench.dequeue(us(0)).expect("20 wait").flow);
            assert_eq!(served, expected, "{name} {preset}");
        }
    }
}
