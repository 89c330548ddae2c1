//! A link that hands over what it sends gives, to the last bit and at every instant, what events
//! give: held against an observer that must see all in order and therefore has an event for each
//! delivery.

#![allow(clippy::unwrap_used)]

use std::collections::HashMap;
use std::ops::Not;

use crate::bench::{self, Diary, Entry, RUNNING, State, state, us};
use sojourn_base::{Bytes, Distribution, Ecn, LinkInfo, Preset, Scalar, Span, Stream, Time};
use sojourn_engine::{FlowSpec, LinkSpec, Simulation, Traffic};
use sojourn_queue::build;

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
pub(crate) fn network(queue: &str, last: &str) -> (Vec<LinkSpec>, Vec<FlowSpec>) {
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

/// Runs in steps of uneven length; gives the state after each, and the diary.
pub(crate) fn run<const IN_ORDER: bool>(
    network: (Vec<LinkSpec>, Vec<FlowSpec>),
    steps: usize,
) -> (Vec<State>, Vec<Entry>) {
    let mut lengths = Stream::new(9);
    let steps = (0..steps).map(|_| Span::from_ps(lengths.below(8_000_000_000)));
    run_in_steps::<IN_ORDER>(network, steps)
}

fn run_in_steps<const IN_ORDER: bool>(
    (links, flows): (Vec<LinkSpec>, Vec<FlowSpec>),
    steps: impl Iterator<Item = Span>,
) -> (Vec<State>, Vec<Entry>) {
    let mut simulation = Simulation::new(links, flows, Diary::<IN_ORDER>::default());
    let mut until = Time::ZERO;
    let mut states = Vec::new();
    for step in steps {
        until += step;
        simulation.run_until(until, &RUNNING).unwrap();
        states.push(state(&simulation));
        // As where a window is opened: what waits by now may be the most that ever will from now
        // on.
        if states.len().is_multiple_of(2) {
            for link in simulation.links_mut() {
                link.ledger.reset_peak();
            }
        }
    }
    (states, simulation.finish().unwrap().0)
}

#[test]
fn handing_over_changes_nothing() {
    for queue in ["droptail", "red", "codel", "fq_codel", "pie", "rem"] {
        for last in ["droptail", "codel"] {
            let ordered = run::<true>(network(queue, last), 200);
            let seen = run::<false>(network(queue, last), 200);
            let is_drop = |link: u32| move |entry: &&Entry| entry.1 == 'd' && entry.2 == link;
            assert!(seen.1.iter().filter(is_drop(4)).count() > 100, "{queue}");
            // It is seen in another order: the deliveries had no events.
            assert!(seen.1.iter().map(|entry| entry.0).is_sorted().not());
            assert!(ordered.1.iter().map(|entry| entry.0).is_sorted());
            assert!(same_history(ordered, seen), "{queue}, {last}");
        }
    }
}

/// What is larger than all the room of the last link is dropped there, and does not hold up what
/// comes behind it.
#[test]
fn what_can_never_get_in_holds_up_nothing() {
    let too_small = || {
        let (mut links, flows) = network("droptail", "droptail");
        links[5] = link((9, 5), 15, 0, "droptail", "800 B");
        links[8] = link((7, 8), 8, 20, "droptail", "800 B");
        (links, flows)
    };
    let ordered = run::<true>(too_small(), 400);
    let seen = run::<false>(too_small(), 400);
    for link in [5, 8] {
        let is = |what: char| move |entry: &&Entry| entry.1 == what && entry.2 == link;
        assert!(seen.1.iter().filter(is('d')).count() > 100);
        assert!(seen.1.iter().filter(is('-')).count() > 100);
    }
    assert!(same_history(ordered, seen));
}

/// A link keeps what waits in a queue whose discipline decides at enqueue: it asks it then, and
/// marks for it, at the first link of a path and at the one that all share.
#[test]
fn what_is_decided_at_enqueue_is_kept_by_the_link() {
    use Scalar::{Flag, Real, Text};
    // Some are made to rise fast, so that they mark within the time.
    for (queue, [one, other]) in [
        ("red", [("max_p", Real(0.1)), ("w_q", Text("auto"))]),
        ("ared", [("adapts", Flag(true)), ("interval", Text("3 ms"))]),
        ("rem", [("gamma", Real(0.1)), ("alpha", Real(0.2))]),
        ("pi", [("a", Real(0.01)), ("target", Text("2 packets"))]),
        ("avq", [("gamma", Real(0.9)), ("alpha", Real(0.2))]),
        ("green", [("step", Real(0.05)), ("interval", Text("3 ms"))]),
        ("feng_green", [("c", Real(5.0)), ("window", Text("1 s"))]),
        ("eqm", [("tau", Text("5 ms")), ("averaging", Text("5 ms"))]),
    ] {
        let mut has_marked = false;
        for preset in [Preset::Reference, Preset::Ns2, Preset::Linux] {
            let network = || {
                let (mut links, mut flows) = network("droptail", "droptail");
                for id in [0, 3] {
                    // A discipline may learn only then how large packets are.
                    let info = LinkInfo {
                        mtu: Bytes::new(400),
                        framing: Bytes::ZERO,
                        ..bench::info(links[id].rate.bps(), links[id].delay)
                    };
                    let params = [("ecn", Flag(true)), ("limit", Text("40 kB")), one, other];
                    links[id].discipline = build(queue, &params, preset, &info).unwrap();
                }
                let Traffic::Datagrams { ecn, .. } = &mut flows[0].traffic else {
                    unreachable!("all are datagrams");
                };
                *ecn = Ecn::Ect0;
                (links, flows)
            };
            let ordered = run::<true>(network(), 200);
            let seen = run::<false>(network(), 200);
            let has = |what| seen.1.iter().any(|entry| (entry.1, entry.2) == (what, 3));
            assert!(has('d'), "{queue}, {preset}");
            has_marked |= has('m');
            assert!(same_history(ordered, seen), "{queue}, {preset}");
        }
        assert!(has_marked, "{queue}");
    }
}

/// A link keeps what waits in a queue whose discipline decides at dequeue, and hands a packet over
/// as soon as it is foreseen to leave: with drops and marks, at the first link of a path, at one
/// that links of unlike rates share and at one that like ones do.
#[test]
fn what_is_decided_at_dequeue_is_kept_by_the_link() {
    use Scalar::{Flag, Text};
    let limits = ["40 kB", "24 packets"];
    let targets = ["0 s", "300 us", "2 ms", "20 ms"];
    let (mut dropped, mut marked) = (0, 0);
    for (number, preset) in (0..48).zip([Preset::Reference, Preset::Linux, Preset::Ns3].repeat(16))
    {
        let (limit, target) = (limits[number / 3 % 2], targets[number / 6 % 4]);
        let (ecn, first_mbps) = (number % 2 == 0, [40, 8][number / 24]);
        let network = || {
            let (mut links, mut flows) = network("droptail", "droptail");
            links[0] = link((0, 3), first_mbps, 100, "droptail", "20 packets");
            for id in [0, 3] {
                let info = bench::info(links[id].rate.bps(), links[id].delay);
                let params = [
                    ("limit", Text(limit)),
                    ("target", Text(target)),
                    ("interval", Text("4 ms")),
                    ("ecn", Flag(ecn)),
                ];
                links[id].discipline = build("codel", &params, preset, &info).unwrap();
            }
            let Traffic::Datagrams { ecn, .. } = &mut flows[0].traffic else {
                unreachable!("all are datagrams");
            };
            *ecn = Ecn::Ect0;
            (links, flows)
        };
        let ordered = run::<true>(network(), 100);
        let seen = run::<false>(network(), 100);
        let of_link = |id| seen.1.iter().filter(move |entry| entry.2 == id);
        let count = |what, id| of_link(id).filter(|entry| entry.1 == what).count();
        for id in [0, 3] {
            dropped += count('d', id);
            marked += count('m', id);
        }
        let leaves = of_link(3).filter(|entry| matches!(entry.1, '+' | '-'));
        assert!(leaves.map(|entry| entry.0).is_sorted().not(), "foreseen");
        assert!(
            same_history(ordered, seen),
            "{number}, {preset}, {target}, {limit}"
        );
    }
    assert!(dropped > 1_000 && marked > 1_000, "{dropped}, {marked}");
}

/// What arrives at the instant of a timer arrives before it.
#[test]
fn timers_of_what_is_judged_run_when_their_instants_are_over() {
    let network = || {
        // A packet of 1000 bytes takes 1 ms; one comes after 2 ms, and after every 2 ms, as REM's
        // timer does.
        let plain =
            |ends, queue| bench::link(ends, 8_000_000, Span::from_ms(1), queue, "9 packets");
        let links = vec![
            plain((0, 1), "droptail"),
            plain((1, 2), "rem"),
            plain((2, 3), "droptail"),
        ];
        let rate = [("rate", Scalar::Base(4e6))];
        let size = Distribution::constant(Bytes::new(1000));
        (
            links,
            vec![bench::flow(&[0, 1, 2], "cbr", &rate, size, us(0), 1)],
        )
    };
    let steps = || (0..20).map(|_| Span::from_us(700));
    let ordered = run_in_steps::<true>(network(), steps());
    let seen = run_in_steps::<false>(network(), steps());
    assert!(
        ordered
            .1
            .iter()
            .any(|entry| (entry.0, entry.1, entry.2) == (us(4_000), '+', 1))
    );
    assert!(same_history(ordered, seen));
}

/// Whether what each link lost was seen in the order of time, as who counts from one loss to the
/// next needs it.
fn drops_are_in_order(seen: &[Entry]) -> bool {
    let mut last = HashMap::new();
    let mut drops = seen.iter().filter(|entry| entry.1 == 'd');
    drops.all(|&(at, _, link, ..)| last.insert(link, at).is_none_or(|before| before <= at))
}

/// Whether two runs had the same state after every step, and the same entries in any order.
pub(crate) fn same_history(
    mut one: (Vec<State>, Vec<Entry>),
    mut other: (Vec<State>, Vec<Entry>),
) -> bool {
    if !drops_are_in_order(&other.1) {
        return false;
    }
    one.1.sort_unstable();
    other.1.sort_unstable();
    one == other
}

/// Hosts and sinks at three routers in a ring, or on both sides of one link of it: few rates and
/// delays, so that some of the links that meet or part are alike and others are not, and sources
/// that send at the same instants, in some networks one at a router itself.
pub(crate) fn any_network(random: &mut Stream) -> (Vec<LinkSpec>, Vec<FlowSpec>) {
    const QUEUES: [&str; 6] = ["droptail", "droptail", "codel", "red", "fq_codel", "pie"];
    const LIMITS: [&str; 2] = ["9 packets", "5000 B"];
    let mut any = |below: usize| random.below(below as u64) as usize;
    let (mbps, delay_us) = ([8, 20][any(2)], [0, 500][any(2)]);
    let (sink_mbps, sink_delay_us) = ([6, 40][any(2)], [0, 300][any(2)]);
    let mut links = Vec::new();
    for router in 0..3 {
        let (mbps, delay_us) = ([mbps, 7][any(2)], [delay_us, 400][any(2)]);
        let ends = (router, (router + 1) % 3);
        links.push(link(ends, mbps, delay_us, QUEUES[any(6)], LIMITS[any(2)]));
    }
    let is_dumbbell = any(2) == 0;
    let mut flows = Vec::new();
    let has_source_at_router = any(3) == 0;
    for host in 0..3 + any(9) as u64 {
        let (router, hops) = if is_dumbbell {
            (0, 1)
        } else {
            (any(3), any(3))
        };
        let access = links.len() as u32;
        let delay_us = [delay_us, delay_us, delay_us, 250, 9_000, 40_000][any(6)];
        let ends = (20 + access, router as u32);
        let (queue, limit) = (QUEUES[any(6) * any(2)], LIMITS[any(2)]);
        links.push(link(ends, mbps, delay_us, queue, limit));
        let odd = any(12);
        let sink_mbps = if odd == 1 { 10 } else { sink_mbps };
        let queue = if odd == 2 { QUEUES[any(6)] } else { "droptail" };
        let sink_delay_us = match odd {
            3 => 700,
            4 | 5 => 15_000,
            _ => sink_delay_us,
        };
        let ends = (((router + hops) % 3) as u32, 20 + access);
        links.push(link(ends, sink_mbps, sink_delay_us, queue, "4 packets"));
        let ring = (router..router + hops).map(|at| (at % 3) as u32);
        let is_at_router = has_source_at_router && host == 0 && hops > 0;
        let path: Vec<u32> = (!is_at_router)
            .then_some(access)
            .into_iter()
            .chain(ring)
            .chain([access + 1])
            .collect();
        flows.push(if any(2) == 0 {
            flow(&path, 3, host)
        } else {
            let rate = [("rate", Scalar::Base(2e6))];
            let size = Distribution::constant(Bytes::new(492));
            bench::flow(&path, "cbr", &rate, size, us(1 + host % 2), host)
        });
    }
    // The other way round, so that those which send first do not have the first links.
    flows.reverse();
    (links, flows)
}

#[test]
fn any_network_has_one_history() {
    let mut random = Stream::new(5);
    for round in 0..150 {
        let at_first = random.clone();
        let ordered = run::<true>(any_network(&mut at_first.clone()), 20);
        let seen = run::<false>(any_network(&mut random), 20);
        assert!(same_history(ordered, seen), "network {round}");
    }
}

/// The books are closed at the very instants at which packets come, begin and leave: what begins
/// then waits still, and what is left without it may be the most that waits from then on.
#[test]
fn books_are_closed_as_packets_begin() {
    let network = |limit| {
        // A packet of 1000 bytes takes 1 ms, two come in that time, and at the end none for a
        // while.
        let plain = |ends, queue| bench::link(ends, 8_000_000, Span::from_ms(1), queue, limit);
        let links = vec![plain((0, 1), "droptail"), plain((1, 2), "droptail")];
        let params = [
            ("rate", Scalar::Base(16e6)),
            ("on", Scalar::Text("constant(20 ms)")),
            ("off", Scalar::Text("constant(30 ms)")),
        ];
        let size = Distribution::constant(Bytes::new(1000));
        let flow = bench::flow(&[0, 1], "onoff", &params, size, us(0), 1);
        (links, vec![flow])
    };
    for (limit, step_us) in [
        ("30 packets", 1_000),
        ("30 packets", 500),
        ("7000 B", 1_000),
    ] {
        let steps = || (0..200).map(|_| Span::from_us(step_us));
        let ordered = run_in_steps::<true>(network(limit), steps());
        let seen = run_in_steps::<false>(network(limit), steps());
        assert!(
            same_history(ordered, seen),
            "{limit}, steps of {step_us} us"
        );
    }
}

/// Many slow links feed a fast one and burst at the same instants: what one holds is told long
/// before it comes, and what the others send meanwhile comes before it.
#[test]
fn many_slow_links_hand_over_to_a_fast_one() {
    const SOURCES: u32 = 300;
    let network = |queue: &str, is_last: bool| {
        let ends = |source| (source, SOURCES);
        let slow = |source| link(ends(source), 2, 0, "droptail", "12 packets");
        let mut links: Vec<_> = (0..SOURCES).map(slow).collect();
        links.push(link(
            (SOURCES, SOURCES + 1),
            40,
            20_000,
            queue,
            "60 packets",
        ));
        let last = (SOURCES + 1, SOURCES + 2);
        links.push(link(last, 30, 300, "droptail", "20 packets"));
        // Three of a seed start, stop and send at the same instants.
        let bursts = |source| {
            let path = [source, SOURCES, SOURCES + 1];
            let path = if is_last { &path[..2] } else { &path };
            flow(path, 20, u64::from(source / 3))
        };
        (links, (0..SOURCES).map(bursts).collect())
    };
    let mut deliveries = 0;
    for (queue, is_last) in [
        ("droptail", false),
        ("droptail", true),
        ("codel", false),
        ("fq_codel", false),
    ] {
        // The books are closed while more or less is on its way.
        for steps in [7, 16, 25, 31, 34] {
            let ordered = run::<true>(network(queue, is_last), steps);
            let seen = run::<false>(network(queue, is_last), steps);
            deliveries += seen.1.iter().filter(|entry| entry.1 == 'o').count();
            assert!(seen.1.iter().map(|entry| entry.0).is_sorted().not());
            assert!(same_history(ordered, seen), "{queue}, {is_last}, {steps}");
        }
    }
    assert!(deliveries > 10_000, "{deliveries}");
}

/// Behind a link lie slower ones that are all alike, where bursts wait, and at times find no room.
/// Some have two flows.
fn queueing_sinks(random: &mut Stream) -> (Vec<LinkSpec>, Vec<FlowSpec>) {
    const QUEUES: [&str; 3] = ["droptail", "codel", "fq_codel"];
    const LIMITS: [&str; 5] = ["15 packets", "16 packets", "40 packets", "1100 kB", "none"];
    let mut any = |below: usize| random.below(below as u64) as usize;
    let shared = link((0, 1), 60, 1_000, QUEUES[any(3)], "80 packets");
    let (mbps, delay_us, limit) = (
        [2, 5, 15, 45][any(4)],
        [0, 300, 20_000][any(3)],
        LIMITS[any(5)],
    );
    let sinks = 2 + any(6) as u32;
    let mut links = vec![shared];
    links.extend((0..sinks).map(|sink| link((1, 2 + sink), mbps, delay_us, "droptail", limit)));
    let mut flows = Vec::new();
    for sink in (0..sinks).flat_map(|sink| vec![sink; 1 + any(2)]) {
        let access = links.len() as u32;
        links.push(link((20 + access, 0), 60, 0, "droptail", "40 packets"));
        let path = [access, 0, 1 + sink];
        flows.push(flow(&path, 20, u64::from(access / 3)));
    }
    (links, flows)
}

#[test]
fn what_waits_behind_a_faster_link_has_one_history() {
    let mut random = Stream::new(6);
    let mut drops = 0;
    for round in 0..150 {
        let at_first = random.clone();
        let ordered = run::<true>(queueing_sinks(&mut at_first.clone()), 20);
        let seen = run::<false>(queueing_sinks(&mut random), 20);
        drops += seen.1.iter().filter(|entry| entry.1 == 'd').count();
        assert!(same_history(ordered, seen), "network {round}");
    }
    assert!(drops > 1_000, "{drops}");
}

/// Three packets come to a link 150 us apart that takes 1500 us for each, every 10 ms. So the
/// second waits for 1350 us, the third for 2700 us, and both together for 1200 us. Looked at when
/// they come, begin and are sent, to the instant, and hardly ever.
#[test]
fn packets_wait_behind_a_faster_link_as_long_as_by_hand() {
    let network = || {
        let delay = Span::from_ms(1);
        let links = vec![
            bench::link((0, 1), 80_000_000, delay, "droptail", "9 packets"),
            bench::link((1, 2), 8_000_000, delay, "droptail", "16 packets"),
        ];
        let every_10_ms = |number: u64| {
            let rate = [("rate", Scalar::Base(1.2e6))];
            let sizes = Distribution::constant(Bytes::new(1500));
            bench::flow(&[0, 1], "cbr", &rate, sizes, us(1_000), number)
        };
        (links, (0..3).map(every_10_ms).collect())
    };
    for step_us in [50, 10_000] {
        let steps = || (0..40_000 / step_us).map(move |_| Span::from_us(step_us));
        let ordered = run_in_steps::<true>(network(), steps());
        let seen = run_in_steps::<false>(network(), steps());
        assert!(same_history(ordered, seen), "{step_us} us");
        let mut simulation = Simulation::new(network().0, network().1, ());
        for step in steps() {
            let until = simulation.now() + step;
            simulation.run_until(until, &RUNNING).unwrap();
        }
        let ledger = &simulation.links()[1].ledger;
        let waited = Span::from_us(4 * (1_350 + 2_700)).as_ps();
        assert_eq!(ledger.packet_time(), u128::from(waited));
        assert_eq!(ledger.byte_time, u128::from(waited) * 1500);
        assert_eq!((ledger.peak_packets, ledger.passed().packets), (2, 4));
    }
}

/// A packet of 1500 bytes and behind it one of 750 part behind a link, and come at one instant to
/// where their ways meet again: the one that comes over the first of both links goes first,
/// whichever it is. A third link takes no packet of 1500 bytes. Looked at when packets arrive, to
/// the instant.
#[test]
fn packets_that_come_out_of_two_links_at_one_instant_go_on_in_the_order_of_links() {
    let network = |large: u32, small: u32| {
        let narrow =
            |limit: &str| bench::link((1, 2), 8_000_000, Span::from_ms(1), "droptail", limit);
        let wide = bench::link((2, 3), 80_000_000, Span::ZERO, "droptail", "9 packets");
        let nine = || narrow("9 packets");
        let links = vec![nine(), nine(), nine(), narrow("1000 B"), wide];
        let every_10_ms = |path: &[u32], size: u64, start: u64| {
            let rate = [("rate", Scalar::Base(size as f64 * 800.0))];
            let sizes = Distribution::constant(Bytes::new(size));
            bench::flow(path, "cbr", &rate, sizes, us(start), start)
        };
        let flows = vec![
            every_10_ms(&[0, large, 4], 1500, 1_000),
            every_10_ms(&[0, small, 4], 750, 1_000),
            every_10_ms(&[0, 3], 1500, 6_000),
        ];
        (links, flows)
    };
    for (large, small, first) in [(1, 2, 0), (2, 1, 1)] {
        let steps = || (0..400).map(|_| Span::from_us(250));
        let ordered = run_in_steps::<true>(network(large, small), steps());
        let seen = run_in_steps::<false>(network(large, small), steps());
        let met = seen.1.iter().filter(|entry| entry.1 == '+' && entry.2 == 4);
        let order: Vec<u32> = met.map(|entry| entry.3).collect();
        assert_eq!(order, [first, 1 - first].repeat(10));
        assert_eq!(seen.1.iter().filter(|entry| entry.1 == 'd').count(), 10);
        assert!(same_history(ordered, seen), "{large} and {small}");
    }
}

/// Each link tells of its arrivals in order, of its departures and of its drops.
#[test]
fn what_happens_at_a_link_is_seen_in_the_order_of_time() {
    let (_, seen) = run::<false>(network("codel", "droptail"), 200);
    for link in 0..9 {
        for what in ['+', '-', 'd'] {
            let of = |entry: &&Entry| entry.1 == what && entry.2 == link;
            let times = seen.iter().filter(of).map(|entry| entry.0);
            assert!(times.is_sorted(), "{what} of link {link}");
        }
    }
}
