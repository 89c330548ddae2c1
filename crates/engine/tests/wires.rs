//! Any network, on whose wires packets are lost, late, or overtake each other: what is known of
//! them as soon as they are sent gives to the last bit what events give.

#![allow(clippy::unwrap_used)]

use sojourn_base::Stream;
use sojourn_engine::{LinkSpec, LossLaw};

use crate::bench::Entry;
use crate::handover::{any_network, run, same_history};
use crate::jitter::uneven;
use crate::losses::losing;
use crate::rounds;

/// Gives some of the first links wires on which something becomes of packets.
fn with_wires(links: Vec<LinkSpec>, most: usize, random: &mut Stream) -> Vec<LinkSpec> {
    let mut any = |below: usize| random.below(below as u64) as usize;
    let delays: Vec<(u64, u64)> = (0..60).map(|k| (k * 11_000, (k * 1_733) % 4_000)).collect();
    let wires = links.into_iter().enumerate().map(|(id, link)| {
        if id >= most {
            return link;
        }
        let link = LinkSpec {
            reorders: any(2) == 0,
            ..link
        };
        let link = match any(12) {
            0 => uneven(link, "exponential(300 us)", 1.0, &[]),
            1 => uneven(link, "uniform(0 ms, 6 ms)", 0.1, &[]),
            2 => uneven(link, "0 s", 1.0, &delays),
            // What is never late.
            3 => uneven(link, "0 s", 0.5, &[]),
            _ => link,
        };
        match any(8) {
            0 => losing(&LossLaw::Independent(0.02), link),
            1 => losing(&LossLaw::Listed((5..60).map(|n| n * n).collect()), link),
            2 => {
                let bursts = LossLaw::Bursts {
                    good_to_bad: 0.01,
                    bad_to_good: 0.3,
                    in_good: 0.0,
                    in_bad: 0.8,
                };
                losing(&bursts, link)
            }
            _ => link,
        }
    });
    wires.collect()
}

#[test]
fn datagrams_over_any_wires_have_one_history() {
    let mut random = Stream::new(11);
    for number in 0..300 {
        let at_first = random.clone();
        let network = |random: &mut Stream| {
            let (links, flows) = any_network(random);
            (with_wires(links, usize::MAX, random), flows)
        };
        let ordered = run::<true>(network(&mut at_first.clone()), 20);
        let seen = run::<false>(network(&mut random), 20);
        assert!(same_history(ordered, seen), "network {number}");
    }
}

#[test]
fn streams_over_any_wires_have_one_history() {
    assert_one_history(200, false);
}

#[test]
fn streams_over_the_wires_of_many_links_have_one_history() {
    assert_one_history(60, true);
}

fn assert_one_history(networks: usize, rounds: bool) {
    let mut random = Stream::new(12);
    let mut ahead = 0;
    for number in 0..networks {
        let at_first = random.clone();
        let network = |random: &mut Stream| {
            let (links, flows) = rounds::network(random, rounds);
            (with_wires(links, 40, random), flows)
        };
        let longest = rounds::longest_step(number, rounds);
        let (states, ordered) = rounds::run::<true>(network(&mut at_first.clone()), longest);
        let (seen_states, seen) = rounds::run::<false>(network(&mut random), longest);
        ahead += usize::from(!is_sorted(&seen.0));
        assert!(
            same_history((states, ordered.0), (seen_states, seen.0)),
            "network {number}"
        );
    }
    assert!(3 * ahead > networks, "{ahead} of {networks}");
}

/// Whether all was seen in the order of time.
fn is_sorted(seen: &[Entry]) -> bool {
    seen.iter().map(|entry| entry.0).is_sorted()
}
