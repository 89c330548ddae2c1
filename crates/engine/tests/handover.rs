//! A link that hands over what it sends gives, to the last bit and at every instant, what events give:
//! held against an observer that must see all in order and therefore has an event for each delivery.

#![allow(clippy::unwrap_used)]

mod bench;

use std::ops::Not;

use bench::{Diary, Entry, RUNNING, us};
use sojourn_base::{Bytes, Distribution, Scalar, Span, Stream, Time};
use sojourn_engine::{FlowSpec, LinkSpec, Observer, Simulation};

fn link(ends: (u32, u32), mbps: u64, delay_us: u64, queue: &str, limit: &str) -> LinkSpec {
    let delay = Span::from_us(delay_us);
    LinkSpec {
        overhead: Bytes::new(8),
        random: Stream::new(u64::from(ends.1)),
        ..bench::link(ends, mbps * 1_000_000, delay, queue, limit)
    }
}

/// Packets of 100 to 1500 bytes, on and off.
fn flow(path: &[u32], mbps: u64, seed: u64) -> FlowSpec {
    let params = [
        ("rate", Scalar::Base(mbps as f64 * 1e6)),
        ("on", Scalar::Text("exponential(4 ms)")),
        ("off", Scalar::Text("exponential(4 ms)")),
    ];
    let sizes = Distribution::empirical(&[100.0, 300.0, 640.0, 1500.0]);
    bench::flow(path, "onoff", &params, sizes, us(seed), seed)
}

/// Three sources into a shared link, behind it a branch to three ends, of which one lies two links
/// further: so a link that is handed over to hands over in turn.
///
/// ```text
/// 0 \                 / 4 (slower than the shared one: it queues and drops)
/// 1 - 3 (shared) ----<- 5
/// 2 /                 \ 6 - 7 - 8
/// ```
fn network(queue: &str, last: &str) -> (Vec<LinkSpec>, Vec<FlowSpec>) {
    let links = vec![
        link((0, 3), 40, 100, "droptail", "20 packets"),
        link((1, 3), 40, 100, "droptail", "20 packets"),
        link((2, 3), 40, 300, "droptail", "20 packets"),
        link((3, 9), 20, 2_000, queue, "30 packets"),
        link((9, 4), 3, 1_000, "droptail", "4 packets"),
        link((9, 5), 40, 0, "droptail", "9000 B"),
        link((9, 6), 12, 500, "droptail", "5 packets"),
        link((6, 7), 10, 700, "droptail", "none"),
        link((7, 8), 8, 20, last, "3 packets"),
    ];
    let flows = vec![
        flow(&[0, 3, 4], 12, 1),
        flow(&[1, 3, 5], 12, 2),
        flow(&[2, 3, 6, 7, 8], 18, 3),
    ];
    (links, flows)
}

/// All that can be read of a simulation at its present instant.
fn state<O: Observer>(simulation: &Simulation<O>) -> String {
    let now = simulation.now();
    let links = simulation.links().iter().map(|link| {
        let ledger = &link.ledger;
        format!(
            "{:?} {:?} {:?} {:?} {} {} {} {:?} {:?}\n",
            ledger.backlog(),
            ledger.arrivals,
            ledger.departures,
            ledger.drops,
            ledger.peak_packets,
            ledger.packet_time,
            ledger.byte_time,
            ledger.drops_by_reason(),
            link.carried(now),
        )
    });
    let flows = (0..3).map(|flow| format!("{:?}\n", simulation.books(flow)));
    links.chain(flows).collect()
}

/// Runs in steps of uneven length; gives the state after each, and the diary.
fn run<const IN_ORDER: bool>(queue: &str, last: &str) -> (Vec<String>, Vec<Entry>) {
    let (links, flows) = network(queue, last);
    let mut simulation = Simulation::new(links, flows, Diary::<IN_ORDER>::default());
    let mut steps = Stream::new(9);
    let mut until = Time::ZERO;
    let mut states = Vec::new();
    for _ in 0..200 {
        until += Span::from_ps(steps.below(8_000_000_000));
        simulation.run_until(until, &RUNNING).unwrap();
        states.push(state(&simulation));
    }
    (states, simulation.finish().unwrap().0)
}

#[test]
fn handing_over_changes_nothing() {
    for queue in ["droptail", "red", "codel", "fq_codel", "pie", "rem"] {
        for last in ["droptail", "codel"] {
            let (ordered_states, mut ordered) = run::<true>(queue, last);
            let (states, mut seen) = run::<false>(queue, last);
            for (step, (ordered, state)) in ordered_states.iter().zip(&states).enumerate() {
                assert_eq!(ordered, state, "{queue}, step {step}");
            }
            let is_drop = |link: u32| move |entry: &&Entry| entry.1 == 'd' && entry.2 == link;
            assert!(seen.iter().filter(is_drop(4)).count() > 100, "{queue}");
            // It is seen in another order: the deliveries had no events.
            assert!(seen.iter().map(|entry| entry.0).is_sorted().not());
            assert!(ordered.iter().map(|entry| entry.0).is_sorted());
            ordered.sort_unstable();
            seen.sort_unstable();
            assert!(ordered == seen, "{queue}: another history");
        }
    }
}

/// Each link tells of its arrivals in order, and of its departures, and each flow of its packets.
#[test]
fn each_link_and_each_packet_is_seen_in_the_order_of_time() {
    let (_, seen) = run::<false>("codel", "droptail");
    for link in 0..9 {
        for what in ['+', '-', 'd'] {
            let of = |entry: &&Entry| entry.1 == what && entry.2 == link;
            let times = seen.iter().filter(of).map(|entry| entry.0);
            assert!(times.is_sorted(), "{what} of link {link}");
        }
    }
    let mut last = std::collections::HashMap::new();
    for &(now, what, link, flow, number) in &seen {
        let before = last.insert((flow, number), now).unwrap_or_default();
        assert!(before <= now, "{what} {link} {flow}.{number}");
    }
}
