//! Links whose rate changes while the simulation runs, and outages.

#![allow(clippy::unwrap_used)]

use sojourn_base::{Bytes, Distribution, Preset, Rate, Scalar, Span, Stream, Time};
use sojourn_engine::{Change, Changes, FlowSpec, LinkSpec, Simulation};

use crate::bench::{self, Diary, RUNNING, us};
use crate::handover::{network, run, same_history};

/// Changes of so many microseconds and kilobits a second, zero being an outage.
fn changes(link: &LinkSpec, list: &[(u64, u64)], every: Option<Span>) -> Changes {
    let info = bench::info(link.rate.bps(), link.delay);
    let change = |&(at_us, kbps): &(u64, u64)| Change {
        at: us(at_us),
        rate: Rate::from_bps(kbps * 1000),
        delay: None,
    };
    let list = list.iter().map(change).collect();
    Changes::new(info, list, every)
}

/// A link of 8 Mbit/s and 10 ms: a packet of 500 bytes takes 500 us.
fn link(list: &[(u64, u64)], every: Option<Span>) -> LinkSpec {
    let link = bench::link(
        (0, 1),
        8_000_000,
        Span::from_ms(10),
        "droptail",
        "50 packets",
    );
    LinkSpec {
        changes: Some(changes(&link, list, every).into()),
        ..link
    }
}

/// Packets of 500 bytes, one every `gap_us`.
fn flow(gap_us: u64) -> FlowSpec {
    let params = [("rate", Scalar::Base(4e9 / gap_us as f64))];
    let size = Distribution::constant(Bytes::new(500));
    bench::flow(&[0], "cbr", &params, size, Time::ZERO, 2)
}

/// What leaves the queue of a link and when, in microseconds, up to `until_us`.
fn departures(link: LinkSpec, gap_us: u64, until_us: u64) -> Vec<String> {
    let diary = Diary::<false>::default();
    let mut simulation = Simulation::new(vec![link], vec![flow(gap_us)], diary);
    simulation.run_until(us(until_us), &RUNNING).unwrap();
    simulation.observer.of('-')
}

#[test]
fn what_is_being_sent_goes_out_as_it_began_and_the_next_at_the_new_rate() {
    let seen = departures(link(&[(1_200, 2_000), (5_600, 8_000)], None), 100, 9_000);
    // The packet of 1.0 ms is out at 1.5; then each takes 2 ms; that of 5.5 ms too; then 0.5.
    let begin = [0, 500, 1_000, 1_500, 3_500, 5_500, 7_500, 8_000, 8_500];
    let expected = begin.iter().zip(0..).map(|(at, k)| format!("{at} 0 0.{k}"));
    assert_eq!(seen, expected.collect::<Vec<_>>());
}

#[test]
fn a_change_comes_before_all_else_at_its_instant() {
    // At 1.0 ms one packet is out, the next begins, and a third arrives: all at the new rate.
    let seen = departures(link(&[(1_000, 4_000)], None), 500, 4_500);
    assert_eq!(
        seen,
        [
            "0 0 0.0",
            "500 0 0.1",
            "1000 0 0.2",
            "2000 0 0.3",
            "3000 0 0.4",
            "4000 0 0.5"
        ]
    );
}

#[test]
fn nothing_begins_in_an_outage() {
    let outage = [(1_200, 0), (4_000, 8_000)];
    let seen = departures(link(&outage, None), 500, 5_200);
    assert_eq!(
        seen,
        [
            "0 0 0.0",
            "500 0 0.1",
            "1000 0 0.2",
            "4000 0 0.3",
            "4500 0 0.4",
            "5000 0 0.5"
        ]
    );
    // One that comes to an idle link waits too; one that never ends lets nothing more out.
    assert_eq!(
        departures(link(&[(100, 0), (700, 8_000)], None), 600, 1_250),
        ["0 0 0.0", "700 0 0.1", "1200 0 0.2"]
    );
    assert_eq!(departures(link(&[(1_200, 0)], None), 500, 90_000).len(), 3);
    // Two in a row are one.
    let twice = [(1_200, 0), (2_000, 0), (4_000, 8_000)];
    assert_eq!(departures(link(&twice, None), 500, 5_200), seen);
}

#[test]
fn changes_may_begin_anew() {
    let alternating = [(0, 8_000), (2_000, 2_000)];
    let every = Some(Span::from_ms(4));
    let seen = departures(link(&alternating, every), 100, 12_100);
    let begin = [
        0, 500, 1_000, 1_500, 2_000, 4_000, 4_500, 5_000, 5_500, 6_000, 8_000,
    ];
    let expected = begin.iter().zip(0..).map(|(at, k)| format!("{at} 0 0.{k}"));
    assert_eq!(seen[..begin.len()], expected.collect::<Vec<_>>());
}

#[test]
fn the_time_in_which_it_sends_and_the_bytes_that_are_out_are_exact() {
    // 2 ms each from 1.2 ms on, but for the one that is being sent; an outage from 4.0 to 6.0 ms.
    let list = [(1_200, 2_000), (4_000, 0), (6_000, 4_000)];
    let mut simulation = Simulation::new(vec![link(&list, None)], vec![flow(100)], ());
    // Time of it being busy in microseconds, and bytes: three packets are out at 1.5 ms, the next
    // is a half out at 2.5, out at 3.5, the next at 5.5 in the outage; then 1 ms each from 6 ms.
    for (at, busy, bytes) in [
        (1_100, 1_100, 1_100.0),
        (1_300, 1_300, 1_300.0),
        (2_500, 2_500, 1_750.0),
        (3_900, 3_900, 2_100.0),
        (4_500, 4_500, 2_250.0),
        (5_500, 5_500, 2_500.0),
        (5_800, 5_500, 2_500.0),
        (6_000, 5_500, 2_500.0),
        (6_500, 6_000, 2_750.0),
        (8_000, 7_500, 3_500.0),
    ] {
        simulation.run_until(us(at), &RUNNING).unwrap();
        let carried = simulation.links()[0].carried(us(at));
        assert_eq!(
            (carried.busy, carried.bytes),
            (busy * 1_000_000, bytes),
            "{at} us"
        );
    }
}

/// Links that hand over to one that changes, and one that hands over and changes, give what events
/// give.
#[test]
fn handing_over_changes_nothing() {
    let at = |seed: u64| {
        let mut draws = Stream::new(seed);
        let mut now = 0;
        let mut list = Vec::new();
        for _ in 0..40 {
            now += draws.below(9_000);
            let kbps = [0, 2_000, 7_000, 25_000, 60_000][draws.below(5) as usize];
            list.push((now, kbps));
        }
        let every = Span::from_us(now + 1_000);
        (list, Some(every))
    };
    for queue in ["droptail", "red", "codel", "fq_codel", "pie", "tbf"] {
        let network = || {
            let (mut links, flows) = network(queue, "codel");
            for id in [1, 3, 4, 7] {
                let (list, every) = at(id as u64);
                links[id].changes = Some(changes(&links[id], &list, every).into());
            }
            (links, flows)
        };
        let ordered = run::<true>(network(), 200);
        let seen = run::<false>(network(), 200);
        let leaves = seen.1.iter().filter(|entry| entry.1 == '-' && entry.2 == 3);
        assert!(leaves.count() > 300, "{queue}");
        assert!(same_history(ordered, seen), "{queue}");
    }
}

/// Under every discipline the books balance through changes and outages, all that waits leaves
/// when there is a rate again, and the same again gives the same.
#[test]
fn every_discipline_keeps_its_books_through_changes() {
    let list = [
        (20_000, 500),
        (300_000, 0),
        (420_000, 30_000),
        (500_000, 3_000),
    ];
    for entry in sojourn_queue::DISCIPLINES {
        for preset in [Preset::Reference, Preset::Linux, Preset::Ns2, Preset::Ns3] {
            let once = || {
                let mut link = link(&list, Some(Span::from_ms(600)));
                let info = bench::info(link.rate.bps(), link.delay);
                let none: [(&str, Scalar<'_>); 0] = [];
                link.discipline = sojourn_queue::build(entry.name, &none, preset, &info).unwrap();
                let mut flow = flow(900);
                flow.stop = us(1_300_000);
                let diary = Diary::<false>::default();
                let mut simulation = Simulation::new(vec![link], vec![flow], diary);
                for step in 1..20 {
                    simulation.run_until(us(step * 97_000), &RUNNING).unwrap();
                    simulation.links()[0]
                        .ledger
                        .check_little(simulation.now())
                        .unwrap();
                }
                // It sends at a rate of its own, which is less than what comes.
                let shapes = entry.name == "tbf";
                let waits = simulation.links()[0].ledger.backlog().packets > 0;
                assert_eq!(waits, shapes, "{}, {preset}", entry.name);
                simulation.finish().unwrap().0
            };
            assert!(once() == once(), "{}, {preset}", entry.name);
        }
    }
}
