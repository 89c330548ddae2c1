//! Links on whose wire not all packets take equally long.

#![allow(clippy::unwrap_used)]

use sojourn_base::{Bytes, Distribution, Quantity, Rate, Scalar, Span, Stream, Time};
use sojourn_engine::{Change, Changes, FlowSpec, Jitter, LinkSpec, Simulation};

use crate::bench::{self, Diary, Entry, RUNNING, us};
use crate::handover::{network, run, same_history};

const NEVER: &[(u64, u64)] = &[];

/// A link whose packets take `extra` longer, a share of them, and whose delay changes at so many
/// microseconds to so many.
pub(crate) fn uneven(
    link: LinkSpec,
    extra: &str,
    share: f64,
    delays_us: &[(u64, u64)],
) -> LinkSpec {
    let extra = Distribution::read(Scalar::Text(extra)).unwrap();
    let random = Stream::new(u64::from(link.to));
    let change = |&(at_us, delay_us): &(u64, u64)| Change {
        at: us(at_us),
        rate: Some(link.rate),
        delay: Some(Span::from_us(delay_us)),
    };
    let list: Vec<Change> = delays_us.iter().map(change).collect();
    let info = bench::info(link.rate.bps(), link.delay);
    let changes = Changes::new(info, list.into(), None);
    LinkSpec {
        changes: (!delays_us.is_empty()).then(|| changes.into()),
        jitter: Some(Jitter::new(extra, share, random).into()),
        ..link
    }
}

/// A link of 8 Mbit/s and 10 ms: a packet of 500 bytes takes 500 us.
fn link() -> LinkSpec {
    let delay = Span::from_ms(10);
    bench::link((0, 1), 8_000_000, delay, "droptail", "50 packets")
}

/// Packets of 500 bytes, one every `gap_us`.
fn flow(gap_us: u64) -> FlowSpec {
    let params = [("rate", Scalar::Base(4e9 / gap_us as f64))];
    let size = Distribution::constant(Bytes::new(500));
    bench::flow(&[0], "cbr", &params, size, Time::ZERO, 2)
}

/// What happens by then on one link.
fn seen(link: LinkSpec, flow: FlowSpec, until_us: u64) -> Diary<false> {
    let mut simulation = Simulation::new(vec![link], vec![flow], Diary::default());
    simulation.run_until(us(until_us), &RUNNING).unwrap();
    simulation.finish().unwrap()
}

/// Beyond 10.5 ms, what each packet of a flow took, in microseconds, in the order of sending.
fn extras(link: LinkSpec, packets: u64) -> Vec<f64> {
    let gap = 800;
    let diary = seen(link, flow(gap), packets * gap);
    let received = diary.0.iter().filter(|entry| entry.1 == 'r');
    let mut took: Vec<_> = received
        .map(|entry| {
            let sent = us(entry.4 * gap);
            (entry.4, entry.0.since(sent).as_s() * 1e6 - 10_500.0)
        })
        .collect();
    took.sort_by_key(|&(number, _)| number);
    took.into_iter().map(|(_, took)| took).collect()
}

#[test]
fn a_packet_takes_longer_by_what_is_drawn() {
    let reordering = |extra: &str, share| LinkSpec {
        reorders: true,
        ..uneven(link(), extra, share, NEVER)
    };
    assert!(
        extras(reordering("3 ms", 1.0), 50)
            .iter()
            .all(|took| (took - 3_000.0).abs() < 1e-3)
    );
    let packets = 100_000;
    let took = extras(reordering("uniform(1 ms, 5 ms)", 1.0), packets);
    assert!(took.iter().all(|took| (1_000.0..=5_000.0).contains(took)));
    let mean = took.iter().sum::<f64>() / took.len() as f64;
    // Six standard errors of a uniform law.
    let error = 6.0 * 4_000.0 / (12.0 * packets as f64).sqrt();
    assert!((mean - 3_000.0).abs() < error, "{mean}");
    let took = extras(reordering("20 ms", 0.1), packets);
    let late = took.iter().filter(|&&took| took > 1.0).count() as f64 / took.len() as f64;
    assert!(
        (late - 0.1).abs() < 6.0 * (0.09 / packets as f64).sqrt(),
        "{late}"
    );
}

/// What is sent is sent, and what comes out comes out with what was sent before it, unless packets
/// may overtake each other.
#[test]
fn packets_overtake_each_other_where_they_may() {
    // From 1.2 ms on it is 2 ms to the far end, not 10.
    let shorter = || uneven(link(), "0 s", 1.0, &[(1_200, 2_000), (2_600, 3_000)]);
    let diary = seen(shorter(), flow(1_000), 14_000);
    assert_eq!(
        diary.of('r')[..6],
        [
            "10500 0 0.0",
            "11500 0 0.1",
            "11500 0 0.2",
            "11500 0 0.3",
            "11500 0 0.4",
            "11500 0 0.5"
        ]
    );
    let overtaking = LinkSpec {
        reorders: true,
        ..shorter()
    };
    let diary = seen(overtaking, flow(1_000), 14_000);
    let received = diary.of('r');
    assert_eq!(received[..3], ["4500 0 0.2", "6500 0 0.3", "7500 0 0.4"]);
    assert_eq!(
        received[5..8],
        ["10500 0 0.0", "10500 0 0.7", "11500 0 0.1"]
    );
}

/// A longer delay leaves a gap, and what is under way comes when it was to come.
#[test]
fn a_longer_delay_is_that_of_what_begins_from_then_on() {
    for reorders in [false, true] {
        let longer = LinkSpec {
            reorders,
            ..uneven(link(), "0 s", 1.0, &[(2_000, 20_000)])
        };
        let received = seen(longer, flow(1_000), 24_000).of('r');
        assert_eq!(
            received,
            ["10500 0 0.0", "11500 0 0.1", "22500 0 0.2", "23500 0 0.3"]
        );
    }
}

/// No packet is taken for one that comes too early, whichever rate and delay there was.
#[test]
fn what_is_under_way_may_be_faster_than_what_is_sent_now() {
    let slower = Change {
        at: us(3_000),
        rate: Rate::from_bps(100_000),
        delay: Some(Span::from_ms(90)),
    };
    let info = bench::info(8_000_000, Span::from_ms(10));
    let link = LinkSpec {
        changes: Some(Changes::new(info, [slower].into(), None).into()),
        ..link()
    };
    let sizes = Distribution::empirical(&[100.0, 300.0, 640.0, 1500.0]);
    let params = [("rate", Scalar::Base(4e6))];
    let mixed = bench::flow(&[0], "cbr", &params, sizes, Time::ZERO, 2);
    let received = seen(link, mixed, 300_000).of('r');
    assert!(received.len() > 4, "{received:?}");
}

/// The numbers of the packets of one flow, as they come out of a link.
fn of_one_flow(seen: &[Entry], link: u32) -> Vec<u64> {
    let mut out = seen
        .iter()
        .filter(|entry| entry.1 == 'o' && entry.2 == link);
    let Some(&(.., flow, first)) = out.next() else {
        return Vec::new();
    };
    let others = out.filter(|entry| entry.3 == flow).map(|entry| entry.4);
    [first].into_iter().chain(others).collect()
}

/// Uneven links anywhere in a network give what they give where each departure and delivery is an
/// event, and keep the order of packets unless they may not.
#[test]
fn uneven_wires_give_what_events_give() {
    let delays: Vec<(u64, u64)> = (0..90).map(|k| (k * 7_000, (k * 1_733) % 5_000)).collect();
    for queue in ["droptail", "red", "codel", "fq_codel", "tbf"] {
        let places: [&[u32]; 6] = [&[0], &[3], &[4, 6], &[7], &[8], &[1, 3, 5, 8]];
        for (wires, reorders) in places
            .into_iter()
            .flat_map(|wires| [(wires, false), (wires, true)])
        {
            let network = || {
                let (links, flows) = network(queue, "codel");
                let links = links.into_iter().zip(0..).map(|(link, id)| {
                    let link = LinkSpec { reorders, ..link };
                    match (wires.contains(&id), id % 3) {
                        (false, _) => link,
                        (true, 0) => uneven(link, "exponential(2 ms)", 1.0, NEVER),
                        (true, 1) => uneven(link, "uniform(0 ms, 3 ms)", 0.3, &delays),
                        (true, _) => uneven(link, "0 s", 1.0, &delays),
                    }
                });
                (links.collect(), flows)
            };
            let ordered = run::<true>(network(), 100);
            let seen = run::<false>(network(), 100);
            for &wire in wires {
                let numbers = of_one_flow(&ordered.1, wire);
                assert!(
                    numbers.len() > 30,
                    "{queue}, {wires:?}: {numbers:?} over {wire}"
                );
                assert_eq!(
                    numbers.is_sorted(),
                    !reorders,
                    "{queue}, {wires:?}, over {wire}"
                );
            }
            assert!(
                same_history(ordered, seen),
                "{queue}, {wires:?}, {reorders}"
            );
        }
    }
}

/// What happens before a wire does not depend on it.
#[test]
fn a_queue_knows_nothing_of_the_wire_behind_it() {
    let before = |link: LinkSpec| {
        let diary = seen(link, flow(480), 400_000);
        let before = diary.0.into_iter().filter(|entry| "+-d".contains(entry.1));
        before.collect::<Vec<_>>()
    };
    let short = || LinkSpec {
        ..bench::link((0, 1), 8_000_000, Span::from_ms(10), "red", "9 packets")
    };
    let even = before(short());
    assert!(even.iter().any(|entry| entry.1 == 'd'));
    assert!(even == before(uneven(short(), "exponential(3 ms)", 0.5, NEVER)));
}

/// What comes out of a wire together goes on in that order, however often the books are closed
/// before it comes.
#[test]
fn what_comes_out_together_stays_in_order() {
    let link = |ends, delay_ms| {
        let delay = Span::from_ms(delay_ms);
        bench::link(ends, 2_000_000, delay, "droptail", "1000 packets")
    };
    let network = |seed| {
        let wire = uneven(link((1, 2), 98), "20 ms", 0.2, NEVER);
        let size = Distribution::read(Scalar::Text("exponential(100 B)")).unwrap();
        let params = [("rate", Scalar::Base(1.6e6))];
        let flow = bench::flow(&[0, 1, 2], "poisson", &params, size, Time::ZERO, seed);
        (vec![link((0, 1), 1), wire, link((2, 3), 1)], vec![flow])
    };
    for seed in 0..20 {
        let ordered = run::<true>(network(seed), 300);
        let seen = run::<false>(network(seed), 300);
        assert!(same_history(ordered, seen), "{seed}");
    }
}
