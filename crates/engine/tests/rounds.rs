//! What is on its way comes out flow by flow, in rounds, or with few links train by train: that
//! gives to the last bit and at every instant what events give. Held against an observer that must
//! see all in order, for which there is neither.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::thread;

use crate::bench::{self, Diary, RUNNING, State, state};
use sojourn_base::{
    Bytes, Distribution, ParamSet, ParamSource, Preset, Scalar, Span, Stream, Time,
};
use sojourn_engine::{FlowSpec, LinkSpec, MANY_FAST_LINKS, Simulation, Traffic};
use sojourn_transport::{Config, CongestionControl, Start, TcpParams};

/// How many packets were received after one that was received at a later instant.
fn received_out_of_order<const IN_ORDER: bool>(diary: &Diary<IN_ORDER>) -> usize {
    let received: Vec<_> = diary.0.iter().filter(|entry| entry.1 == 'r').collect();
    received
        .windows(2)
        .filter(|two| two[0].0 > two[1].0)
        .count()
}

/// Flows from hosts of their own over one link to hosts of their own and back. Some go together
/// over links of one host, some stop or send little, some answer, some are datagrams; or all only
/// send until they stop.
///
/// Idle links make the network one of many links, if `rounds` are wanted.
pub(crate) fn network(random: &mut Stream, rounds: bool) -> (Vec<LinkSpec>, Vec<FlowSpec>) {
    const QUEUES: [&str; 4] = ["droptail", "red", "codel", "fq_codel"];
    let mut any = |below: usize| random.below(below as u64) as usize;
    let (queue, mbps) = (QUEUES[any(4)], [4, 30, 90][any(3)]);
    let delay_us = [300, 6_000, 25_000][any(3)];
    let limit = ["20 packets", "100 packets", "600 packets"][any(3)];
    let link = |ends, mbps: u64, delay_us, queue: &str, limit: &str| {
        let delay = Span::from_us(delay_us);
        bench::link(ends, mbps * 1_000_000, delay, queue, limit)
    };
    let mut links = vec![
        link((0, 1), mbps, delay_us, queue, limit),
        link((1, 0), mbps, delay_us, "droptail", "100 packets"),
    ];
    // Of the hosts: from one that sends, to one that receives, and back. Slow ones hold bursts.
    let ways = [0, 1, 2, 3].map(|_| {
        let limit = ["8 packets", "20 packets", "90 packets", "900 packets"][any(4)];
        let queue = QUEUES[any(4) * usize::from(any(8) == 0)];
        (
            // Behind slow ones there are rounds.
            [(mbps / 8).max(1), 25, 100, 1_000][any(4)],
            [0, 200, 3_000][any(3)],
            queue,
            limit,
        )
    });
    let all_alike = any(5) > 0;
    let all_send = any(4) == 0;
    let mut flows = Vec::new();
    let mut host = 0;
    for number in 0..2 + any(9) as u64 {
        if number == 0 || any(8) > 0 {
            host = links.len() as u32;
            let odd_one = any(8) + 4 * usize::from(all_alike);
            for (way, ends) in [(2 + host, 0), (1, 3 + host), (3 + host, 1), (0, 2 + host)]
                .into_iter()
                .enumerate()
            {
                let (mbps, mut delay_us, queue, limit) = ways[way];
                if odd_one == way {
                    delay_us += 77;
                }
                links.push(link(ends, mbps, delay_us, queue, limit));
            }
        }
        let path = vec![host, 0, host + 1];
        let way_back = if !all_alike && any(4) == 0 {
            vec![1, host + 3]
        } else {
            vec![host + 2, 1, host + 3]
        };
        let start = Time::ZERO + Span::from_us(any(3) as u64 * 7_000);
        let stop = if any(if all_send { 3 } else { 8 }) == 0 {
            Time::ZERO + Span::from_us(400_000 + any(3) as u64)
        } else {
            Time::NEVER
        };
        let params = [("rate", Scalar::Base(1e6))];
        let size = Distribution::constant(Bytes::new(700));
        let datagrams = bench::flow(&path, "cbr", &params, size, start, number);
        let ways = (any(2) == 0, [Preset::Reference, Preset::Linux][any(3) / 2]);
        let kind = any(16).max(3 * usize::from(all_send));
        let traffic = match kind {
            0 => datagrams.traffic,
            12 => streams(ways, "arrivals", &[("rate", Scalar::Base(3e6))], "newreno"),
            13 => streams(ways, "web", &[("reading", Scalar::Base(0.02))], "newreno"),
            14 => streams(
                ways,
                "request_response",
                &[("persistent", Scalar::Flag(false))],
                "newreno",
            ),
            1 => streams(ways, "bulk", &[("bytes", Scalar::Text("60 kB"))], "newreno"),
            2 => streams(ways, "request_response", &(), "cubic"),
            3 | 4 => streams(ways, "bulk", &(), "cubic"),
            5 | 6 => streams(ways, "bulk", &(), "bbr"),
            _ => streams(ways, "bulk", &(), "newreno"),
        };
        flows.push(FlowSpec {
            way_back,
            traffic,
            stop,
            ..bench::flow(
                &path,
                "cbr",
                &params,
                Distribution::constant(Bytes::new(9)),
                start,
                number,
            )
        });
    }
    let idle = |number| link((90_000, 90_001 + number), 1, 0, "droptail", "1 packets");
    links.extend((0..MANY_FAST_LINKS as u32).map(idle).filter(|_| rounds));
    (links, flows)
}

/// Streams with or without a FIN at their end, under a preset.
fn streams(
    (fin, preset): (bool, Preset),
    application: &str,
    params: &dyn ParamSource,
    control: &'static str,
) -> Traffic {
    let segment = Bytes::new(1448);
    let application =
        sojourn_traffic::build_application(application, params, Preset::Reference, segment);
    let controller =
        move |start: &Start| sojourn_transport::build(control, &(), preset, start).unwrap();
    let needs = controller(&Start::of(1448, 10)).needs();
    let params = TcpParams::read(&[("fin", Scalar::Flag(fin))], preset).unwrap();
    let config = Config::new(&params, preset, &needs).unwrap();
    let start = config.start(Stream::new(1));
    Traffic::Streams {
        application: application.unwrap(),
        config: Arc::new(config),
        controller: Box::new(move |_| controller(&start)),
    }
}

/// The longest step in which a network is run. Each ends with a look at all of its links, so of
/// those of many only some are looked at that often.
pub(crate) fn longest_step(number: usize, rounds: bool) -> Span {
    let shortest = if !rounds || number.is_multiple_of(15) {
        2
    } else {
        20
    };
    Span::from_ms([shortest, 40, 700][number % 3])
}

/// Runs in steps of uneven length; gives the state after each, and the diary.
pub(crate) fn run<const IN_ORDER: bool>(
    (links, flows): (Vec<LinkSpec>, Vec<FlowSpec>),
    longest: Span,
) -> (Vec<State>, Diary<IN_ORDER>) {
    let mut simulation = Simulation::new(links, flows, Diary::<IN_ORDER>::default());
    let (mut until, mut states) = (Time::ZERO, Vec::new());
    let mut lengths = Stream::new(9);
    while until < Time::ZERO + Span::from_ms(900) {
        until += Span::from_ps(lengths.below(longest.as_ps()));
        simulation.run_until(until, &RUNNING).unwrap();
        states.push(state(&simulation));
    }
    (states, simulation.finish().unwrap())
}

/// Bulk transfers, and pages that are being loaded when their flows stop, which ends them with a
/// FIN.
fn pages(number: u64) -> (Vec<LinkSpec>, Vec<FlowSpec>) {
    let link = |ends, mbps: u64, delay_us, limit| {
        let delay = Span::from_us(delay_us);
        bench::link(ends, mbps * 1_000_000, delay, "droptail", limit)
    };
    let mut links = vec![
        link((0, 1), 90, 6_000, "600 packets"),
        link((1, 0), 90, 6_000, "100 packets"),
    ];
    let preset = [Preset::Reference, Preset::Linux][number as usize % 2];
    let flows = (0..8).map(|flow| {
        let host = links.len() as u32;
        links.push(link((2 + host, 0), 1_000, 200, "900 packets"));
        links.push(link((1, 3 + host), 1_000, 3_000, "8 packets"));
        links.push(link((3 + host, 1), 11, 3_000, "8 packets"));
        links.push(link((0, 2 + host), 25, 0, "900 packets"));
        let seed = 100 * number + flow;
        let size = Distribution::constant(Bytes::new(9));
        let rate = [("rate", Scalar::Base(1e6))];
        let path = [host, 0, host + 1];
        let plain = bench::flow(&path, "cbr", &rate, size, Time::ZERO, seed);
        let (traffic, stop) = if flow < 6 {
            (
                streams((false, preset), "bulk", &(), "newreno"),
                Time::NEVER,
            )
        } else {
            let reading = [("reading", Scalar::Base(0.02))];
            let stop = Time::ZERO + Span::from_us(200_000 + 7_919 * number);
            (streams((true, preset), "web", &reading, "newreno"), stop)
        };
        FlowSpec {
            way_back: vec![host + 2, 1, host + 3],
            traffic,
            stop,
            ..plain
        }
    });
    let flows = flows.collect();
    (links, flows)
}

/// Neither end of a connection knows what has come to the other.
#[test]
fn pages_that_end_with_a_fin_have_one_history() {
    for number in 0..50 {
        let longest = Span::from_ms(700);
        let (states, mut ordered) = run::<true>(pages(number), longest);
        let (seen_states, mut seen) = run::<false>(pages(number), longest);
        assert!(states == seen_states, "{number}");
        ordered.0.sort_unstable();
        seen.0.sort_unstable();
        assert!(ordered.0 == seen.0, "{number}");
    }
}

#[test]
fn any_network_of_many_links_has_one_history() {
    assert_one_history(200, true);
}

#[test]
fn any_network_of_few_links_has_one_history() {
    assert_one_history(400, false);
}

fn assert_one_history(networks: usize, rounds: bool) {
    let found = thread::scope(|scope| {
        let parts = [0, 1].map(|part| scope.spawn(move || compare_both(networks, rounds, part)));
        parts.map(|part| part.join().unwrap())
    });
    let [with_any, entries] = [0, 1].map(|k| found[0][k] + found[1][k]);
    assert!(with_any > 30, "{with_any}");
    assert!(entries > 1_000_000, "{entries}");
}

/// Every second network, from `part` on: in how many there were rounds, and all that was seen.
fn compare_both(networks: usize, rounds: bool, part: usize) -> [usize; 2] {
    let mut random = Stream::new(3);
    let (mut with_any, mut entries) = (0, 0);
    for number in 0..networks {
        let mut at_first = random.clone();
        let same = network(&mut random, rounds);
        if number % 2 != part {
            continue;
        }
        let longest = longest_step(number, rounds);
        let (states, mut ordered) = run::<true>(network(&mut at_first, rounds), longest);
        let (seen_states, mut seen) = run::<false>(same, longest);
        with_any += usize::from(received_out_of_order(&seen) > 20);
        entries += seen.0.len();
        assert_eq!(received_out_of_order(&ordered), 0);
        for (one, other) in states.iter().zip(&seen_states) {
            assert_eq!(one, other, "network {number}");
        }
        ordered.0.sort_unstable();
        seen.0.sort_unstable();
        assert!(ordered.0 == seen.0, "network {number}");
    }
    [with_any, entries]
}
