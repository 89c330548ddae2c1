//! Links that hand over: a delivery without an event of its own.
//!
//! Where a link begins to send a packet, the instant at which it comes out at the far end is known.
//! Where nothing else feeds the link that follows, what happens there until then does not matter to
//! this packet's arrival: so it is handed over at once, announced, and the next link takes it in
//! when it [catches up](crate::Link), at the exact instant. The first link then needs the calendar
//! only now and then: before the next packet that it sends could come out.
//!
//! A link hands over if all that leaves it enters links that gather. A link gathers if it is fed by
//! links alone, and these all hand over. What several links announce is kept in the order of its
//! arrival. So that this costs little, they have one rate and one delay: they announce mostly in
//! that order already. In a dumbbell the access links hand over to the bottleneck, and the
//! bottleneck to the access links at the other end, in both directions.
//!
//! What happens at one instant keeps its order: departures, then arrivals, these in the order of the
//! links they come over. An observer that must see all in order has every delivery by itself.

use crate::LinkId;
use crate::link::{FedBy, Link};

/// Finds the links that hand over when packets travel along `paths`, and tells them so.
pub(crate) fn arrange(links: &mut [Link], paths: &[&[LinkId]]) {
    let mut fed_by = vec![FedBy::Events; links.len()];
    let mut feeders = vec![None; links.len()];
    let mut gathers = vec![true; links.len()];
    let mut hands_over = vec![false; links.len()];
    for &id in paths.iter().copied().flatten() {
        hands_over[id as usize] = true;
    }
    for path in paths {
        if let [first, .., last] | [first @ last] = **path {
            gathers[first as usize] = false;
            hands_over[last as usize] = false;
        }
        for pair in path.windows(2) {
            let (feeder, next) = (pair[0], pair[1] as usize);
            let known = *feeders[next].get_or_insert(feeder);
            if fed_by[next] != FedBy::Many {
                fed_by[next] = if known == feeder {
                    FedBy::One
                } else {
                    FedBy::Many
                };
            }
            gathers[next] &= known == feeder
                || come_in_order(
                    &links[known as usize],
                    &links[feeder as usize],
                    &links[next],
                );
        }
    }
    // Each link that does not hand over, and each that does not gather, may keep others from it.
    let mut settled = false;
    while !settled {
        settled = true;
        let mut rule_out = |may: &mut bool| settled &= !core::mem::take(may);
        for (id, link) in links.iter().enumerate() {
            // On the wire behind a discipline lie packets that came before those announced.
            if gathers[id] && !link.is_plain() && !hands_over[id] {
                rule_out(&mut gathers[id]);
            }
        }
        for pair in paths.iter().flat_map(|path| path.windows(2)) {
            let (feeder, next) = (pair[0] as usize, pair[1] as usize);
            if hands_over[feeder] != gathers[next] {
                rule_out(&mut hands_over[feeder]);
                rule_out(&mut gathers[next]);
            }
        }
    }
    for (id, link) in links.iter_mut().enumerate() {
        link.hands_over = hands_over[id];
        if gathers[id] {
            link.fed_by = fed_by[id];
        }
    }
}

/// Whether what two feeders announce to a link comes there nearly in the order in which they do: if
/// one holds a packet for a moment, the others do not announce many meanwhile.
fn come_in_order(one: &Link, other: &Link, next: &Link) -> bool {
    are_alike(one, other) && next.spec.rate.bps() <= FEW_MEANWHILE * one.spec.rate.bps()
}

/// How many times as fast as its feeders a link may be that gathers.
const FEW_MEANWHILE: u64 = 4;

/// Whether two links take as long for the same packet, framing excepted.
fn are_alike(one: &Link, other: &Link) -> bool {
    (one.spec.rate, one.spec.delay) == (other.spec.rate, other.spec.delay)
}
