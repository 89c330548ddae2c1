//! FQ-CoDel's two lists, credits and push-out, against RFC 8290 and where Linux and ns-3 differ.

use crate::bench::{Bench, fault, link, us};
use sojourn_base::{Bytes, Ecn, LinkInfo, Preset};
use sojourn_queue::{Discipline, Packet, ProbeValue, Reason};

fn state(bench: &Bench, k: usize) -> String {
    let name = format!("flow[{k}].state");
    let mut found = String::new();
    bench.discipline.probe_all(&mut |shown, value| {
        if let (true, ProbeValue::Name(state)) = (shown == name, value) {
            state.clone_into(&mut found);
        }
    });
    found
}

fn arrive(bench: &mut Bench, flow: u32, size: u64) {
    bench.enqueue(us(0), flow, size, Ecn::NotEct);
}

fn order(bench: &mut Bench, packets: usize) -> Vec<u32> {
    (0..packets)
        .map_while(|_| bench.dequeue(us(0)).map(|packet| packet.flow))
        .collect()
}

/// Two flows of three packets, 1000 bytes each, quantum 1500: two, two, then by turns.
#[test]
fn credits_make_turns() {
    let mut bench = Bench::new("fq_codel", &[("quantum", "1500 B")]);
    for flow in [0, 1] {
        for _ in 0..4 {
            arrive(&mut bench, flow, 1000);
        }
    }
    assert_eq!(
        (state(&bench, 0), state(&bench, 1)),
        ("new".into(), "new".into())
    );
    assert_eq!(bench.probe("flow[0].deficit"), 1500.0);
    // Credits 1500, 500, -500 -> 1000 at the end of the old list; the other flow the same.
    assert_eq!(order(&mut bench, 2), [0, 0]);
    assert_eq!(bench.probe("flow[0].deficit"), -500.0);
    assert_eq!(order(&mut bench, 2), [1, 1]);
    assert_eq!(state(&bench, 0), "old");
    // 1000 credits: one packet leaves none, which ends the turn.
    assert_eq!(order(&mut bench, 4), [0, 1, 0, 1]);
}

/// A flow that begins goes before those that wait.
#[test]
fn new_flows_first() {
    let mut bench = Bench::new("fq_codel", &[("quantum", "1000 B")]);
    for flow in [0, 1] {
        for _ in 0..9 {
            arrive(&mut bench, flow, 1000);
        }
    }
    assert_eq!(order(&mut bench, 4), [0, 1, 0, 1]);
    arrive(&mut bench, 2, 100);
    assert_eq!(order(&mut bench, 1), [2]);
    // Empty now, it passes through the old list and leaves.
    assert_eq!(state(&bench, 2), "new");
    assert_eq!(order(&mut bench, 1), [0]);
    assert_eq!(state(&bench, 2), "old");
    // An arrival in between does not make it new again.
    arrive(&mut bench, 2, 100);
    assert_eq!(state(&bench, 2), "old");
    assert_eq!(order(&mut bench, 2), [2, 1]);
    assert_eq!(order(&mut bench, 4), [0, 1, 0, 1]);
    assert_eq!(state(&bench, 2), "inactive");
}

/// Linux lets an empty new flow go at once if no old one waits; the others see no old list then
/// either, since only the emptied flow is on it.
#[test]
fn the_last_new_flow_leaves() {
    for preset in [Preset::Reference, Preset::Linux, Preset::Ns3] {
        let mut bench = Bench::under(preset, "fq_codel", &[]);
        arrive(&mut bench, 0, 100);
        assert_eq!(order(&mut bench, 2), [0]);
        assert_eq!(state(&bench, 0), "inactive", "{preset}");
        assert_eq!(bench.probe("flows_active"), 1.0);
    }
}

/// With other new flows waiting, Linux lets an emptied one go at once if no old one waits; with an
/// old one it passes through that list everywhere.
#[test]
fn an_emptied_new_flow_and_the_old_list() {
    for (preset, alone) in [
        (Preset::Reference, "old"),
        (Preset::Ns3, "old"),
        (Preset::Linux, "inactive"),
    ] {
        for (old_waits, expected) in [(false, alone), (true, "old")] {
            let mut bench = Bench::under(preset, "fq_codel", &[("quantum", "1000 B")]);
            if old_waits {
                for _ in 0..3 {
                    arrive(&mut bench, 2, 1000);
                }
                assert_eq!(order(&mut bench, 2), [2, 2], "by now it is old");
            }
            for flow in [0, 1, 1] {
                arrive(&mut bench, flow, 100);
            }
            assert_eq!(order(&mut bench, 2), [0, 1]);
            let emptied = usize::from(old_waits);
            assert_eq!(state(&bench, emptied), expected, "{preset} {old_waits}");
        }
    }
}

/// Equal bytes for packets of 1500 and 300 bytes, within a quantum and a packet.
#[test]
fn bulk_flows_get_equal_bytes() {
    let mut bench = Bench::new("fq_codel", &[("limit", "none"), ("ecn", "false")]);
    let mut sent = [0_u64; 2];
    for _ in 0..2_000 {
        arrive(&mut bench, 0, 1500);
        arrive(&mut bench, 1, 300);
    }
    for k in 0..1_800 {
        let packet = bench.dequeue(us(k)).unwrap();
        sent[packet.flow as usize] += packet.size;
        assert!(sent[0].abs_diff(sent[1]) <= 1514 + 1500, "{sent:?}");
    }
}

/// Over the limit, half the bytes of the fattest flow go from its head, at most a batch.
#[test]
fn the_fattest_flow_pays() {
    let params = [("limit", "10 packets"), ("drop_batch", "64")];
    let mut bench = Bench::new("fq_codel", &params);
    for _ in 0..8 {
        arrive(&mut bench, 0, 100);
    }
    arrive(&mut bench, 1, 1000);
    arrive(&mut bench, 1, 1000);
    assert!(bench.record.dropped.is_empty());
    arrive(&mut bench, 0, 100);
    // Flow 1 has most bytes; 1000 of its 2000 are half.
    assert_eq!(bench.drops(Reason::Overlimit), 1);
    assert_eq!(bench.record.dropped[0].0.id, 8, "the head of flow 1");
    assert_eq!(bench.probe("flow[1].packets"), 1.0);
    assert_eq!(bench.probe("flow[1].count"), 0.0, "CoDel is not told");
    let params = [("limit", "10 packets"), ("drop_batch", "2")];
    let mut bench = Bench::under(Preset::Linux, "fq_codel", &params);
    for _ in 0..11 {
        arrive(&mut bench, 0, 100);
    }
    assert_eq!((bench.packets(), bench.drops(Reason::Overlimit)), (9, 2));
    assert_eq!(bench.probe("flow[0].count"), 2.0, "under Linux it is");
    let params = [("limit", "10 packets")];
    let mut bench = Bench::new("fq_codel", &params);
    for _ in 0..11 {
        arrive(&mut bench, 0, 100);
    }
    // 6 x 100 of 1100 bytes reach the half.
    assert_eq!(bench.packets(), 5, "550 is half of 1100");
}

/// `max_packet` is held against all that waits; under ns-3's preset against the flow alone.
#[test]
fn the_backlog_of_the_law() {
    for (preset, dropped) in [(Preset::Reference, 1), (Preset::Linux, 1), (Preset::Ns3, 0)] {
        let mut bench = Bench::under(preset, "fq_codel", &[]);
        arrive(&mut bench, 0, 1000);
        for _ in 0..5 {
            arrive(&mut bench, 1, 1000);
        }
        bench.poke("flow[0].first_above", 0.05);
        let sent = bench.dequeue(us(100_000)).unwrap();
        assert_eq!(bench.drops(Reason::Target), dropped, "{preset}");
        assert_eq!(sent.flow, dropped as u32, "{preset}");
    }
}

/// The odds that a given flow among 100 shares no queue of 1024: (1 - 1/1024)^99 = 0.908, which
/// is the 90.78 % of RFC 8290, section 5.3.
#[test]
fn the_odds_of_a_collision() {
    let mut alone = 0;
    for salt in 0..3_000 {
        let bucket = |flow| sojourn_queue::parts::hash::salted_bucket(flow, salt * 7919, 1024);
        alone += u32::from((1..100).all(|flow| bucket(flow) != bucket(0)));
    }
    let found = f64::from(alone) / 3_000.0;
    assert!((found - 0.9078).abs() < 0.016, "{found}");
}

/// ns-3's set-associative hash: the key is the hash; 8 neighbours are tried. Flows that are one
/// hash modulo 1024 share a set, but a queue only where the set is full, and then its first.
#[test]
fn neighbours_are_tried_before_sharing() {
    let params = [("flows", "1024"), ("set_ways", "8")];
    let mut bench = Bench::new("fq_codel", &params);
    for flow in [0, 1024, 2048, 1, 0] {
        arrive(&mut bench, flow, 100);
    }
    assert_eq!(bench.probe("flows_active"), 4.0);
    for flow in 2..6 {
        arrive(&mut bench, flow, 100);
    }
    assert_eq!(bench.probe("flows_active"), 8.0);
    for flow in [6, 7, 1025] {
        arrive(&mut bench, flow, 100);
    }
    assert_eq!(bench.probe("flows_active"), 8.0, "no room for a ninth");
    assert_eq!(bench.probe("flow[0].packets"), 5.0);
    arrive(&mut bench, 8, 100);
    assert_eq!(bench.probe("flows_active"), 9.0, "the next set");
}

#[test]
fn marks_by_default() {
    let mut bench = Bench::new("fq_codel", &[]);
    for _ in 0..9 {
        bench.enqueue(us(0), 0, 1000, Ecn::Ect0);
    }
    bench.poke("flow[0].first_above", 0.05);
    assert_eq!(bench.dequeue(us(100_000)).unwrap().ecn, Ecn::Ce);
}

#[test]
fn impossible_parameters_are_named() {
    for (name, value) in [("interval", "0 s"), ("quantum", "0 B"), ("set_ways", "7")] {
        let text = fault("fq_codel", &[(name, value)], Preset::Reference);
        assert!(text.starts_with(name), "{text}");
    }
}

/// Automatic turns: 1514 bytes, Linux's MTU and 14 but at least 256, ns-3's MTU; they follow the
/// link.
#[test]
fn turns_follow_the_link() {
    for (preset, mtu, turn) in [
        (Preset::Reference, 9000, 1514.0),
        (Preset::Linux, 9000, 9014.0),
        (Preset::Linux, 200, 256.0),
        (Preset::Ns3, 9000, 9000.0),
    ] {
        let mut bench = Bench::under(preset, "fq_codel", &[]);
        let mut link = bench.link;
        link.mtu = Bytes::new(mtu);
        bench.discipline.on_link(&link);
        arrive(&mut bench, 1, 100);
        assert_eq!(bench.probe("flow[0].deficit"), turn, "{preset}");
    }
}

/// So does the backlog that is never bad: 3000 bytes are, on a link of 9000.
#[test]
fn the_law_follows_the_link() {
    let above = |mtu| {
        let mut bench = Bench::new("fq_codel", &[]);
        let mut link = bench.link;
        link.mtu = Bytes::new(mtu);
        bench.discipline.on_link(&link);
        for _ in 0..4 {
            arrive(&mut bench, 1, 1000);
        }
        bench.dequeue(us(50_000));
        bench.probe("flow[0].first_above") > 0.0
    };
    assert_eq!((above(1500), above(9000)), (true, false));
}

/// As many ways as hashes in a set: each hash finds a queue of its own, in whatever order they
/// come.
#[test]
fn each_hash_of_a_set_has_its_own() {
    let params = [("flows", "16"), ("set_ways", "4")];
    let mut bench = Bench::new("fq_codel", &params);
    for hash in (0..16).rev() {
        arrive(&mut bench, hash, 500);
    }
    assert_eq!(bench.probe("flows_active"), 16.0);
    for k in 0..16 {
        assert_eq!(bench.probe(&format!("flow[{k}].packets")), 1.0, "{k}");
    }
}

/// Of two flows with equally many bytes the one that was seen first pays.
#[test]
fn of_equals_the_first_pays() {
    let mut bench = Bench::new("fq_codel", &[("limit", "4 packets")]);
    for flow in [1, 1, 2, 2, 3] {
        arrive(&mut bench, flow, 1000);
    }
    let payers: Vec<u32> = bench.record.dropped.iter().map(|(p, _)| p.flow).collect();
    assert_eq!(payers, [1]);
}

/// A flow's second packet, long after its first, which waited above the target: what was known of
/// the flow is forgotten when it is found empty. Linux does so from 6.1.191 on.
#[test]
fn of_an_empty_flow_it_is_forgotten_that_it_was_bad() {
    for preset in [Preset::Reference, Preset::Ns3, Preset::Linux] {
        let mut bench = Bench::under(preset, "fq_codel", &[]);
        for _ in 0..20 {
            arrive(&mut bench, 1, 1000);
        }
        for at in [0, 200_000] {
            bench.enqueue(us(at), 2, 100, Ecn::NotEct);
            for _ in 0..4 {
                bench.dequeue(us(at + 10_000));
            }
        }
        let gone = bench.record.dropped.iter().filter(|(p, _)| p.flow == 2);
        assert_eq!(gone.count(), 0, "{preset}");
        assert_eq!(bench.probe("flow[1].packets"), 0.0);
    }
}

/// Packets pushed out count in a flow's law. That its first spell follows none is so at any
/// instant, and at time zero too.
#[test]
fn the_first_spell_of_linux_is_the_first_whenever_it_begins() {
    let drops = |start: u64| {
        let mut bench = Bench::under(Preset::Linux, "fq_codel", &[("limit", "50 packets")]);
        for k in 0..1_500 {
            let now = us(start + k * 1_200);
            for _ in 0..2 {
                bench.enqueue(now, 1, 1500, Ecn::NotEct);
            }
            bench.dequeue(now);
        }
        bench.drops(Reason::Target)
    };
    let later = drops(5_000_000);
    assert!(later > 100);
    assert_eq!(drops(0), later);
}

/// Where sizes have no framing, as in a simulation, a full packet fills an automatic turn of Linux,
/// as a frame does there.
#[test]
fn a_full_packet_fills_a_turn_of_linux() {
    for (framing, size) in [(0, 1500), (14, 1514)] {
        for name in ["fq_codel", "fq_pie", "fq_cobalt", "sfq", "drr"] {
            let link = LinkInfo {
                framing: Bytes::new(framing),
                ..link(10)
            };
            let mut bench = Bench::behind(link, Preset::Linux, name, &[]);
            for flow in [1, 1, 1, 2, 2, 2] {
                bench.enqueue(us(0), flow, size, Ecn::NotEct);
            }
            let order: Vec<u64> = (0..6)
                .map(|_| bench.dequeue(us(1)).expect("six wait").flow())
                .collect();
            assert_eq!(order, [1, 2, 1, 2, 1, 2], "{name} {size}");
        }
    }
}

/// In ns-3 the queue of a flow has the limit of all: one that has filled it loses what arrives, and
/// the rest its place.
#[test]
fn a_flow_of_ns3_fills_no_more_than_the_limit() {
    for (preset, refused) in [(Preset::Reference, false), (Preset::Ns3, true)] {
        let mut bench = Bench::under(preset, "fq_codel", &[("limit", "4 packets")]);
        for _ in 0..5 {
            arrive(&mut bench, 0, 1000);
        }
        // Else half of five go.
        assert_eq!(bench.packets(), if refused { 4 } else { 2 }, "{preset}");
    }
}

fn dropped(bench: &Bench) -> Vec<u64> {
    assert_eq!(bench.drops(Reason::Overlimit), bench.record.dropped.len());
    let dropped = bench.record.dropped.iter();
    dropped.map(|(packet, _)| packet.id).collect()
}

/// The sixth packet is one too many for 5000 B. Both flows have 3000 B then: the one seen first
/// loses half of it, which is two packets.
#[test]
fn the_fattest_flow_pays_for_memory_too() {
    for preset in [Preset::Reference, Preset::Linux] {
        let mut bench = Bench::under(preset, "fq_codel", &[("memory_limit", "5000 B")]);
        for flow in [0, 0, 0, 1, 1] {
            arrive(&mut bench, flow, 1_000);
        }
        assert_eq!(dropped(&bench), [0; 0], "{preset}");
        arrive(&mut bench, 1, 1_000);
        assert_eq!(dropped(&bench), [0, 1], "{preset}");
        assert_eq!(bench.backlog().bytes, Bytes::new(4_000), "{preset}");
    }
}

/// Flow 0 holds 1600 B in packets of 100 when 1500 B of flow 1 come, and 2000 B are allowed. One at
/// a time, flow 0 loses two, which makes 1400 B of it, and then flow 1 its one. Linux drops one of
/// flow 0 and leaves it at that, until the next arrival.
#[test]
fn linux_drops_a_batch_for_each_arrival_above_its_memory() {
    let params = [("memory_limit", "2000 B"), ("drop_batch", "1")];
    for (preset, first, next) in [
        (Preset::Reference, vec![0, 1, 16], vec![0, 1, 16]),
        (Preset::Linux, vec![0], vec![0, 1]),
    ] {
        let mut bench = Bench::under(preset, "fq_codel", &params);
        for _ in 0..16 {
            arrive(&mut bench, 0, 100);
        }
        arrive(&mut bench, 1, 1_500);
        assert_eq!(dropped(&bench), first, "{preset}");
        arrive(&mut bench, 0, 100);
        assert_eq!(dropped(&bench), next, "{preset}");
    }
}

/// The field is eight bits: DSCP 46 is 0xb8 of it, and ECT(1) is 1, ECT(0) 2, CE 3.
#[test]
fn the_ce_threshold_chooses_packets_by_their_field() {
    let sent = [
        (0, Ecn::Ect0),
        (0, Ecn::Ect1),
        (46, Ecn::Ect0),
        (46, Ecn::NotEct),
        (0, Ecn::Ce),
    ];
    for (selector, marked) in [
        ("none", vec![0, 1, 2, 4]),
        ("0x1/0x3", vec![1]),
        ("1/1", vec![1, 4]),
        ("0xb8/0xfc", vec![2]),
        ("0/252", vec![0, 1, 4]),
    ] {
        let params = [
            ("ce_threshold", "1 ms"),
            ("ce_threshold_selector", selector),
        ];
        for preset in [Preset::Reference, Preset::Linux] {
            let mut bench = Bench::under(preset, "fq_codel", &params);
            for (dscp, ecn) in sent {
                bench.dscp = dscp;
                bench.enqueue(us(0), 0, 1_000, ecn);
            }
            for _ in sent {
                bench.dequeue(us(2_000)).expect("it waits");
            }
            let marks = bench.record.marked.iter();
            let marks: Vec<u64> = marks.map(|(packet, _)| packet.id).collect();
            assert_eq!(marks, marked, "{preset} {selector}");
            let mut reasons = bench.record.marked.iter().map(|(_, why)| *why);
            assert!(reasons.all(|why| why == Reason::CeThreshold));
        }
    }
}

#[test]
fn impossible_limits_and_fields_are_named() {
    let with = |params: &[(&str, &str)]| fault("fq_codel", params, Preset::Linux);
    assert!(with(&[("memory_limit", "0 B")]).starts_with("memory_limit: found 0 B"));
    let text = with(&[("ce_threshold_selector", "1/3")]);
    assert!(text.starts_with("ce_threshold_selector: ") && text.ends_with("without ce_threshold"));
    let marking = |selector, l4s| {
        with(&[
            ("ce_threshold", "1 ms"),
            ("ce_threshold_selector", selector),
            ("l4s", l4s),
        ])
    };
    assert_eq!(marking("0x1/0x3", "false"), "accepted");
    assert!(marking("0x1/0x3", "true").contains("with l4s"));
    for selector in ["4/3", "1", "1/0", "0/0", "1/256", "1/0x", "-1/3"] {
        let text = marking(selector, "false");
        let says = "a value and a mask of 8 bits";
        assert!(text.starts_with("ce_threshold_selector: found"), "{text}");
        assert!(text.contains(says), "{text}");
    }
}
