//! Head-drop, PFIFO, PFIFO-fast and BLUE: sequences worked out by hand.

use crate::bench::{Bench, fault, us};
use sojourn_base::{Ecn, Preset};
use sojourn_queue::{Discipline, Reason};

/// The oldest goes, the newest stay: what is dropped has waited a whole queue.
#[test]
fn a_full_head_drop_queue_keeps_the_newest() {
    let mut bench = Bench::new("headdrop", &[("limit", "3 packets")]);
    for k in 0..5 {
        assert!(bench.arrive(us(k), 500));
    }
    let dropped: Vec<u64> = bench.record.dropped.iter().map(|(p, _)| p.id).collect();
    assert_eq!((dropped, bench.drops(Reason::Head)), (vec![0, 1], 2));
    let left: Vec<u64> = (0..3).map(|_| bench.dequeue(us(9)).unwrap().id).collect();
    assert_eq!(left, [2, 3, 4]);
    // 500 + 500 + 400 bytes: for 900 more two must go.
    let mut bench = Bench::new("headdrop", &[("limit", "1500 B")]);
    for size in [500, 500, 400, 900] {
        bench.arrive(us(0), size);
    }
    assert_eq!((bench.packets(), bench.drops(Reason::Head)), (2, 2));
    assert!(!bench.arrive(us(1), 1501), "larger than all the room");
    assert_eq!((bench.packets(), bench.drops(Reason::Overlimit)), (2, 1));
    assert_eq!(bench.drops(Reason::Head), 2, "nothing makes room for it");
}

/// At a standing queue of N the dropped packet is N services old.
#[test]
fn head_drop_loses_the_oldest_of_a_standing_queue() {
    let mut bench = Bench::new("headdrop", &[("limit", "10 packets")]);
    for k in 0..1_000 {
        bench.send(us(k * 400), 0, 500, Ecn::NotEct);
    }
    let (packet, _) = bench.record.dropped.last().unwrap();
    let age = us(999 * 400).since(packet.enqueued).as_s();
    assert!((age - 0.005).abs() < 0.0006, "{age}");
}

#[test]
fn ns2_keeps_one_less() {
    for (name, preset, kept) in [
        ("headdrop", Preset::Ns2, 4),
        ("pfifo", Preset::Ns2, 4),
        ("headdrop", Preset::Linux, 5),
        ("pfifo", Preset::Linux, 5),
    ] {
        let mut bench = Bench::under(preset, name, &[("limit", "5 packets")]);
        for _ in 0..9 {
            bench.arrive(us(0), 500);
        }
        assert_eq!(bench.packets(), kept, "{name} {preset}");
    }
    let text = fault("headdrop", &[("limit", "1 packets")], Preset::Ns2);
    assert!(text.starts_with("limit"), "{text}");
}

#[test]
fn pfifo_counts_packets_only() {
    let text = fault("pfifo", &[("limit", "5 kB")], Preset::Reference);
    assert!(text.starts_with("limit"), "{text}");
    let mut bench = Bench::new("pfifo", &[("limit", "2 packets")]);
    for _ in 0..3 {
        bench.arrive(us(0), 1500);
    }
    assert_eq!((bench.packets(), bench.drops(Reason::Overlimit)), (2, 1));
}

/// The bench's flows are their priorities: 0 to band 1, 2 to band 2, 6 to band 0.
#[test]
fn pfifo_fast_serves_bands_in_order() {
    let mut bench = Bench::new("pfifo_fast", &[]);
    for flow in [2, 0, 6, 2, 7, 1, 4, 15] {
        bench.enqueue(us(0), flow, 500, Ecn::NotEct);
    }
    let bands = ["band[0]", "band[1]", "band[2]"].map(|band| bench.probe(band));
    assert_eq!(bands, [2.0, 3.0, 3.0]);
    let order: Vec<u32> = (0..8).map(|_| bench.dequeue(us(1)).unwrap().flow).collect();
    assert_eq!(order, [6, 7, 0, 4, 15, 2, 2, 1]);
}

#[test]
fn priorities_map_to_bands_as_in_linux() {
    let expected = [1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1];
    for (priority, band) in expected.into_iter().enumerate() {
        let mut bench = Bench::new("pfifo_fast", &[]);
        bench.enqueue(us(0), priority as u32, 500, Ecn::NotEct);
        assert_eq!(bench.probe(&format!("band[{band}]")), 1.0, "{priority}");
    }
}

#[test]
fn pfifo_fast_has_one_limit_and_in_linux_three() {
    for (preset, kept) in [
        (Preset::Reference, 4),
        (Preset::Ns3, 4),
        (Preset::Linux, 12),
    ] {
        let mut bench = Bench::under(preset, "pfifo_fast", &[("limit", "4 packets")]);
        for k in 0..30 {
            bench.enqueue(us(0), [0, 2, 6][k % 3], 500, Ecn::NotEct);
        }
        assert_eq!(bench.packets(), kept, "{preset}");
    }
}

/// Continuous overflow: one step of 0.02 per freeze time of 100 ms, full in five seconds.
#[test]
fn blue_ramps_up_under_overflow() {
    let mut bench = Bench::new("blue", &[("limit", "1 packets")]);
    bench.arrive(us(0), 500);
    for k in 0..60_000_u64 {
        bench.arrive(us(100 * k), 500);
        let steps = ((k * 100) / 100_100 + 1).min(50);
        let expected = 0.02 * steps as f64;
        assert!((bench.probe("prob") - expected).abs() < 1e-9, "{k}");
    }
}

/// A link that finds nothing lowers the probability once per idle spell, or once per freeze time.
#[test]
fn blue_falls_when_the_link_is_idle() {
    for (decay, after_a_second) in [("once", 0.498), ("every", 0.498 - 0.02)] {
        let mut bench = Bench::new("blue", &[("idle_decay", decay)]);
        bench.poke("prob", 0.5);
        for k in 0..100 {
            bench.dequeue(us(10_000 * k));
        }
        assert!((bench.probe("prob") - 0.498).abs() < 1e-12);
        bench.enqueue(us(1_000_000), 0, 500, Ecn::NotEct);
        let found = bench.probe("prob");
        assert!((found - after_a_second).abs() < 1e-9, "{decay} {found}");
    }
    // Several short spells within a freeze time make one step.
    let mut bench = Bench::new("blue", &[]);
    bench.poke("prob", 0.0);
    bench.dequeue(us(0));
    bench.poke("prob", 0.5);
    for k in 1..=100 {
        bench.arrive(us(900 * k), 500);
        while bench.dequeue(us(900 * k)).is_some() {}
    }
    assert_eq!(bench.probe("prob"), 0.5, "frozen");
}

/// An idle time shorter than the freeze time is no step, and freezes nothing; a freeze time of zero
/// has no number of steps.
#[test]
fn blue_counts_whole_freeze_times() {
    let params = [("idle_decay", "every"), ("limit", "1 packets")];
    let mut bench = Bench::new("blue", &params);
    bench.arrive(us(0), 500);
    bench.arrive(us(0), 500);
    assert_eq!(bench.probe("prob"), 0.02);
    bench.poke("prob", 0.0);
    while bench.dequeue(us(50_000)).is_some() {}
    bench.arrive(us(60_000), 500);
    bench.arrive(us(110_000), 500);
    assert_eq!(bench.probe("prob"), 0.02, "the last step is 110 ms ago");

    // Idle for 1.05 s: ten steps, the last at 1 s, from which the next freeze time runs.
    let mut bench = Bench::new("blue", &params);
    bench.poke("prob", 0.5);
    bench.dequeue(us(0));
    bench.arrive(us(1_050_000), 500);
    let after = 0.5 - 11.0 * 0.002;
    bench.arrive(us(1_060_000), 500);
    assert!((bench.probe("prob") - after).abs() < 1e-12, "frozen");
    bench.arrive(us(1_110_000), 500);
    assert!((bench.probe("prob") - after - 0.02).abs() < 1e-12);

    let params = [("idle_decay", "every"), ("freeze_time", "0 s")];
    let mut bench = Bench::new("blue", &params);
    bench.poke("prob", 0.5);
    bench.dequeue(us(0));
    bench.arrive(us(1_000_000), 500);
    assert!((bench.probe("prob") - 0.498).abs() < 1e-12);
}

/// Unresponsive overload of 25 %: the probability hovers about a fifth.
#[test]
fn blue_settles_at_the_excess() {
    let mut bench = Bench::new("blue", &[("limit", "50 packets")]);
    let mut sum = 0.0;
    for k in 0..100_000_u64 {
        bench.send(us(k * 400), 0, 500, Ecn::NotEct);
        if k >= 50_000 {
            sum += bench.probe("prob");
        }
    }
    let mean = sum / 50_000.0;
    assert!((mean - 0.2).abs() < 0.03, "{mean}");
    assert!(bench.drops(Reason::Blue) > 15_000);
}

#[test]
fn blue_marks_what_it_can_and_counts_a_threshold_as_loss() {
    let params = [
        ("ecn", "true"),
        ("limit", "none"),
        ("threshold", "3 packets"),
    ];
    let mut bench = Bench::new("blue", &params);
    for _ in 0..3 {
        bench.enqueue(us(0), 0, 500, Ecn::Ect0);
    }
    assert_eq!(bench.probe("prob"), 0.0);
    bench.enqueue(us(0), 0, 500, Ecn::Ect0);
    assert_eq!(bench.probe("prob"), 0.02);
    bench.poke("prob", 1.0);
    assert!(bench.enqueue(us(1), 0, 500, Ecn::Ect0));
    assert!(!bench.enqueue(us(1), 0, 500, Ecn::NotEct));
    assert_eq!((bench.marks(), bench.drops(Reason::Blue)), (1, 1));
    let warned = Bench::new("blue", &[("increment", "0.001")]);
    assert_eq!(warned.discipline.warnings()[0].param, "increment");
}

/// Linux frees the places of packets that have left sixteen at a time, and at the end of the ring:
/// of 40 the 16th, the 32nd and the 40th make room. In a ring of 31 each does.
#[test]
fn linux_frees_places_of_pfifo_fast_in_batches() {
    for (limit, frees) in [
        (40, vec![16, 32, 40, 56, 72, 80]),
        (31, (1..=80).collect::<Vec<u64>>()),
    ] {
        let text = format!("{limit} packets");
        let mut bench = Bench::under(Preset::Linux, "pfifo_fast", &[("limit", &text)]);
        let fill = |bench: &mut Bench| (0..100).filter(|_| bench.arrive(us(0), 500)).count() as u64;
        assert_eq!(fill(&mut bench), limit);
        let mut freed = 0;
        for left in 1..=80 {
            bench.dequeue(us(0)).expect("some wait");
            let room = fill(&mut bench);
            let expected = if frees.contains(&left) {
                left - freed
            } else {
                0
            };
            assert_eq!(room, expected, "{limit}: {left}");
            freed += room;
        }
    }
}
