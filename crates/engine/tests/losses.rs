//! Links whose wire loses packets.

#![allow(clippy::unwrap_used)]

use sojourn_base::{Bytes, Distribution, Scalar, Span, Stream, Time};
use sojourn_engine::{FlowSpec, LinkSpec, LossLaw, Losses, Simulation};
use sojourn_queue::Reason;

use crate::bench::{self, Diary, RUNNING, us};
use crate::handover::{network, run, same_history};

pub(crate) fn losing(law: &LossLaw, link: LinkSpec) -> LinkSpec {
    LinkSpec {
        losses: Some(Losses::new(law.clone(), Stream::new(u64::from(link.to))).into()),
        ..link
    }
}

/// A link of 8 Mbit/s and 10 ms: a packet of 500 bytes takes 500 us.
fn link(law: &LossLaw) -> LinkSpec {
    let delay = Span::from_ms(10);
    losing(
        law,
        bench::link((0, 1), 8_000_000, delay, "droptail", "50 packets"),
    )
}

/// Packets of 500 bytes, one every `gap_us`.
fn flow(gap_us: u64) -> FlowSpec {
    let params = [("rate", Scalar::Base(4e9 / gap_us as f64))];
    let size = Distribution::constant(Bytes::new(500));
    bench::flow(&[0], "cbr", &params, size, Time::ZERO, 2)
}

/// Which of so many packets are lost.
fn lost(law: &LossLaw, packets: u64, overhead: Bytes) -> Vec<bool> {
    let link = LinkSpec {
        overhead,
        ..link(law)
    };
    let mut simulation = Simulation::new(vec![link], vec![flow(1_000)], Diary::<false>::default());
    simulation.run_until(us(packets * 1_000), &RUNNING).unwrap();
    let books = simulation.books(0)[0];
    let seen = simulation.finish().unwrap().0;
    let ends = seen.iter().filter(|entry| matches!(entry.1, 'd' | 'r'));
    let lost: Vec<bool> = ends.map(|entry| entry.1 == 'd').collect();
    let count = lost.iter().filter(|&&lost| lost).count() as u64;
    assert_eq!(
        (count, lost.len() as u64 - count),
        (books.dropped, books.received)
    );
    lost
}

fn share(lost: &[bool]) -> f64 {
    lost.iter().filter(|&&lost| lost).count() as f64 / lost.len() as f64
}

#[test]
fn what_is_lost_has_been_sent_and_crossed_the_wire() {
    let listed = link(&LossLaw::Listed([2, 3].into()));
    let mut simulation = Simulation::new(vec![listed], vec![flow(1_000)], Diary::<true>::default());
    simulation.run_until(us(14_000), &RUNNING).unwrap();
    let ledger = &simulation.links()[0].ledger;
    // Four have come out, of which two are lost; what was sent is sent.
    assert_eq!(ledger.drops(), 2);
    assert_eq!(ledger.drops_by_reason()[Reason::Link as usize], 2);
    assert_eq!(ledger.departures().packets, 14);
    assert_eq!(ledger.backlog().packets, 0);
    let busy = simulation.links()[0].carried(us(14_000)).busy;
    assert_eq!(busy, 14 * 500_000_000);
    let seen = simulation.observer;
    assert_eq!(seen.of('d'), ["11500 0 0.1", "12500 0 0.2"]);
    assert_eq!(seen.of('r'), ["10500 0 0.0", "13500 0 0.3"]);
    assert_eq!(seen.of('o'), seen.of('r'));
}

#[test]
fn each_law_loses_its_share() {
    let packets = 200_000;
    // Six standard deviations of so many draws.
    let about = |p: f64| 6.0 * (p * (1.0 - p) / packets as f64).sqrt();
    for p in [0.0, 0.003, 0.3, 1.0] {
        let found = share(&lost(&LossLaw::Independent(p), packets, Bytes::ZERO));
        assert!((found - p).abs() <= about(p), "{found} of {p}");
    }
    for (framing, ratio) in [(0_u32, 1e-5), (100, 1e-5), (0, 0.5)] {
        let bits = 8.0 * f64::from(500 + framing);
        let p = 1.0 - libm::pow(1.0 - ratio, bits);
        let overhead = Bytes::new(framing.into());
        let found = share(&lost(&LossLaw::BitErrors(ratio), packets, overhead));
        assert!((found - p).abs() <= about(p), "{found} of {p}");
    }
}

/// A wire is bad for a share of p/(p + r) of the packets, and a burst of what a bad one loses has
/// 1/r packets in the mean.
#[test]
fn bursts_are_as_long_and_as_frequent_as_gilbert_has_them() {
    let (good_to_bad, bad_to_good, packets) = (0.01, 0.2, 400_000);
    let all = LossLaw::Bursts {
        good_to_bad,
        bad_to_good,
        in_good: 0.0,
        in_bad: 1.0,
    };
    let seen = lost(&all, packets, Bytes::ZERO);
    let bursts = seen.windows(2).filter(|pair| !pair[0] && pair[1]).count() as f64;
    let length = share(&seen) * seen.len() as f64 / bursts;
    assert!((length - 5.0).abs() < 0.3, "{length}");
    let is_bad = good_to_bad / (good_to_bad + bad_to_good);
    assert!((share(&seen) - is_bad).abs() < 0.003, "{}", share(&seen));
    // Nothing is lost before the wire becomes bad.
    assert!(!seen[0]);
    let some = LossLaw::Bursts {
        good_to_bad,
        bad_to_good,
        in_good: 0.1,
        in_bad: 0.5,
    };
    let found = share(&lost(&some, packets, Bytes::ZERO));
    let expected = 0.1 * (1.0 - is_bad) + 0.5 * is_bad;
    assert!((found - expected).abs() < 0.005, "{found} of {expected}");
}

/// Links that would hand over, and any behind one that loses, give what events give; the books
/// balance.
#[test]
fn losses_come_where_events_have_them() {
    let laws = [
        LossLaw::Independent(0.2),
        LossLaw::BitErrors(2e-5),
        LossLaw::Listed((1..90).map(|n| n * n).collect()),
    ];
    for queue in ["droptail", "red", "codel", "fq_codel", "tbf"] {
        for lossy in [&[0][..], &[3], &[4, 6], &[7], &[8], &[1, 3, 5, 8]] {
            let network = || {
                let (mut links, flows) = network(queue, "codel");
                let links = links.drain(..).zip(0..).map(|(link, id)| {
                    if lossy.contains(&id) {
                        losing(&laws[id % 3], link)
                    } else {
                        link
                    }
                });
                (links.collect(), flows)
            };
            let ordered = run::<true>(network(), 100);
            let seen = run::<false>(network(), 100);
            for &id in lossy {
                let drops = |entry: &&bench::Entry| entry.1 == 'd' && entry.2 == id as u32;
                assert!(
                    seen.1.iter().filter(drops).count() > 3,
                    "{queue}, {lossy:?}"
                );
            }
            assert!(same_history(ordered, seen), "{queue}, {lossy:?}");
        }
    }
}

/// What a full queue drops and what the wire loses are seen in order, where packets are received
/// behind that link too, and sources could run ahead.
#[test]
fn drops_of_a_queue_and_losses_of_its_wire_are_seen_in_the_order_of_time() {
    let link = losing(
        &LossLaw::Independent(0.2),
        bench::link(
            (0, 1),
            8_000_000,
            Span::from_ms(10),
            "droptail",
            "3 packets",
        ),
    );
    let mut simulation = Simulation::new(vec![link], vec![flow(400)], Diary::<false>::default());
    simulation.run_until(us(500_000), &RUNNING).unwrap();
    let drops = simulation.links()[0].ledger.drops_by_reason();
    assert!(drops[Reason::Overlimit as usize] > 100 && drops[Reason::Link as usize] > 100);
    let seen = simulation.observer.0;
    assert!(seen.iter().filter(|entry| entry.1 == 'd').is_sorted());
}

/// What one wire loses does not depend on what another does, nor on what comes over others.
#[test]
fn each_wire_draws_for_itself() {
    let law = LossLaw::Independent(0.1);
    let first = lost(&law, 5_000, Bytes::ZERO);
    let drops = |other: bool| {
        let mut links = vec![link(&law)];
        let mut flows = vec![flow(1_000)];
        if other {
            links.push(losing(
                &law,
                bench::link((2, 3), 8_000_000, Span::ZERO, "droptail", "9 kB"),
            ));
            flows.push(FlowSpec {
                path: vec![1],
                ..flow(700)
            });
        }
        let mut simulation = Simulation::new(links, flows, Diary::<false>::default());
        simulation.run_until(us(5_000_000), &RUNNING).unwrap();
        let seen = simulation.observer.of('d').into_iter();
        seen.filter(|line| line.contains(" 0 0."))
            .collect::<Vec<_>>()
    };
    assert_eq!(drops(false), drops(true));
    assert_eq!(
        drops(true).len(),
        first.iter().filter(|&&lost| lost).count()
    );
}
