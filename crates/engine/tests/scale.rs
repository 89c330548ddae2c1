//! What must hold at any size: exact times at high rates, long paths, wide trees, and a plain queue
//! that does what its discipline does.

#![allow(clippy::unwrap_used)]

use crate::bench::{self, Diary, RUNNING, us};
use sojourn_base::{Bytes, Distribution, Scalar, Span, Time};
use sojourn_engine::{FlowSpec, LinkSpec, Observer, Simulation};

fn link(from: u32, to: u32, bps: u64, delay: Span, limit: &str) -> LinkSpec {
    bench::link((from, to), bps, delay, "droptail", limit)
}

/// Packets of 1500 bytes at `bps`, evenly spaced or Poisson.
fn flow(path: &[u32], source: &str, bps: u64, start: Time, seed: u64) -> FlowSpec {
    let params = [("rate", Scalar::Base(bps as f64))];
    let size = Distribution::constant(Bytes::new(1500));
    bench::flow(path, source, &params, size, start, seed)
}

/// When the packets of a flow were received, in picoseconds.
fn received(diary: &Diary<false>, flow: u32) -> Vec<u64> {
    let of = diary
        .0
        .iter()
        .filter(|event| event.1 == 'r' && event.3 == flow);
    of.map(|event| event.0.as_ps()).collect()
}

fn run<O: Observer>(links: Vec<LinkSpec>, flows: Vec<FlowSpec>, until: Time, observer: O) -> O {
    let mut simulation = Simulation::new(links, flows, observer);
    simulation.run_until(until, &RUNNING).unwrap();
    simulation.finish().unwrap()
}

/// 1500 bytes take 120,000 ps at 100 Gbit/s: the k-th packet of a source that fills the link is
/// there at k times that, to the picosecond, a million picoseconds of propagation later.
#[test]
fn a_link_of_100_gbit_s_keeps_exact_times() {
    let bps = 100_000_000_000;
    let links = vec![link(0, 1, bps, Span::from_us(1), "100 packets")];
    let flows = vec![flow(&[0], "cbr", bps, Time::ZERO, 1)];
    let seen = received(&run(links, flows, us(50), Diary::<false>::default()), 0);
    let expected: Vec<u64> = (1..=seen.len() as u64)
        .map(|k| k * 120_000 + 1_000_000)
        .collect();
    assert!(seen.len() > 400, "{}", seen.len());
    assert_eq!(seen, expected);
}

/// A parking lot of 100 hops with a flow of its own on each: the flow over all of them sees the sum
/// of all hops where nobody is in its way, and more where somebody is.
#[test]
fn a_parking_lot_of_100_hops_runs() {
    let links = || -> Vec<LinkSpec> {
        let hop = |hop| link(hop, hop + 1, 10_000_000, Span::from_ms(1), "20 packets");
        (0..100).map(hop).collect()
    };
    let path: Vec<u32> = (0..100).collect();
    let long = || flow(&path, "cbr", 1_000_000, Time::ZERO, 1);
    let alone = run(
        links(),
        vec![long()],
        us(500_000),
        Diary::<false>::default(),
    );
    // 1.2 ms to send and 1 ms on the way, a hundred times.
    assert_eq!(received(&alone, 0)[0], 100 * 2_200_000_000);
    let cross = |hop: u32| {
        flow(
            &[hop],
            "poisson",
            8_000_000,
            Time::ZERO,
            10 + u64::from(hop),
        )
    };
    let flows = core::iter::once(long())
        .chain((0..100).map(cross))
        .collect();
    let crowded = run(links(), flows, us(500_000), Diary::<false>::default());
    assert!(received(&crowded, 0)[0] > 100 * 2_200_000_000);
    assert!(received(&crowded, 100).len() > 200);
}

/// A binary tree of 10,000 nodes: every leaf sends to the root, and all arrives.
#[test]
fn a_tree_of_10_000_nodes_runs() {
    const NODES: u32 = 10_000;
    // Link k - 1 leads from node k to its parent.
    let links = (1..NODES).map(|node| {
        link(
            node,
            (node - 1) / 2,
            1_000_000_000,
            Span::from_us(10),
            "1000 packets",
        )
    });
    let leaves = NODES / 2..NODES;
    let flows = leaves.clone().map(|leaf| {
        let up = core::iter::successors(Some(leaf), |&node| (node > 2).then(|| (node - 1) / 2));
        let path: Vec<u32> = up.map(|node| node - 1).collect();
        // A packet every 120 ms, the leaves one after the other.
        flow(&path, "cbr", 100_000, us(u64::from(leaf)), 1)
    });
    let diary = run(
        links.collect(),
        flows.collect(),
        us(100_000),
        Diary::<false>::default(),
    );
    let received = diary.0.iter().filter(|event| event.1 == 'r').count();
    assert_eq!(received, leaves.len());
}

/// Two bursty flows over two short queues: the same enqueues, dequeues, drops and deliveries at the
/// same instants, whether the link keeps its plain queue itself or calls the discipline.
#[test]
fn a_plain_queue_does_what_its_discipline_does() {
    for limit in ["1 packets", "7 packets", "4000 B", "none"] {
        let links = || {
            vec![
                link(0, 1, 20_000_000, Span::from_us(30), limit),
                link(1, 2, 10_000_000, Span::ZERO, limit),
            ]
        };
        let flows = || {
            vec![
                flow(&[0, 1], "poisson", 9_000_000, us(3), 5),
                flow(&[0, 1], "poisson", 9_000_000, us(40), 9),
                flow(&[1], "cbr", 1_000_000, us(100), 11),
            ]
        };
        let mut plain = run(links(), flows(), us(400_000), Diary::<false>::default()).0;
        let mut called = run(
            links(),
            flows(),
            us(400_000),
            Diary::<false, true>::default(),
        )
        .0;
        // Departures of different links may be worked out in another order.
        plain.sort_unstable();
        called.sort_unstable();
        assert!(plain.len() > 1_000);
        assert_eq!(plain.iter().any(|event| event.1 == 'd'), limit != "none");
        assert_eq!(plain, called, "{limit}");
    }
}
