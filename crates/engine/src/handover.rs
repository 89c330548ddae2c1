//! Links that hand over: deliveries without an event of their own.
//!
//! When a link begins to send a packet, the instant at which it comes out at the far end is known,
//! and nothing that happens at the next link until then can change it. So where the next link is
//! fed by such links alone, the packet is handed over at once: it is announced to the next link,
//! which takes it in when it [catches up](crate::Link), at the exact instant. The first link then
//! needs the calendar only from time to time: before the next packet that it sends could come out.
//!
//! A link hands over if all the links that it feeds gather. A link gathers if it is fed by links
//! alone and these all hand over. In a dumbbell the access links hand over to the bottleneck, and
//! the bottleneck to the access links at the other end, in both directions.
//!
//! Packets that several links announce are kept in the order of their arrival. This costs little if
//! these links have the same rate, framing and delay and are not much slower than the next link:
//! then the packets are announced mostly in that order already. Otherwise announced packets are
//! kept in buckets by time until they are about to arrive (`link/unplaced.rs`).
//!
//! Losses on a wire and additional delays there are drawn in the order of sending, and so are known
//! when a packet is handed over. A lost packet stays with its link until it would have come out.
//! Only a link that both loses packets and lets them overtake each other must see its packets come
//! out, and so does not hand over: it draws the losses in the order in which packets come out.
//!
//! **At once.** Many links are fed by sources alone, each over a first link of its own, and these
//! sources only answer what one [train](crate::train) brings them: an end of a connection learns
//! about the other end by packets alone. While that train is followed, it is known when the next of
//! these sources can send anything, and what is sent now arrives before that, unless it waits for
//! long. So such a packet need not be announced and wait until the link catches up: the link takes
//! it in when it is sent, and if the link hands it over in turn, it joins the train behind that
//! link.
//!
//! Events at one instant keep their order: departures first, then arrivals in the order of the
//! links over which they come. For an observer that must see everything in order, each delivery has
//! its own event.

use crate::LinkId;
use crate::link::{FedBy, Link, LinkSpec};

/// Finds the links that hand over when packets travel along `paths`, and tells them so.
pub(crate) fn arrange(links: &mut [Link], paths: &[&[LinkId]]) {
    let pairs = paths.iter().flat_map(|path| path.windows(2));
    let pairs = pairs.map(|pair| (pair[0] as usize, pair[1] as usize));
    let mut hands_over = vec![false; links.len()];
    let mut gathers = vec![false; links.len()];
    for (feeder, next) in pairs.clone() {
        // What is lost is drawn in the order of coming out: that must be the order of sending.
        let link = &links[feeder];
        hands_over[feeder] = !(link.is_lossy && link.spec.lets_overtake());
        gathers[next] = true;
    }
    for path in paths {
        if let [first, .., last] | [first @ last] = **path {
            gathers[first as usize] = false;
            hands_over[last as usize] = false;
        }
    }
    let mut feeders = vec![None; links.len()];
    let mut has_many = vec![false; links.len()];
    let mut is_in_order = vec![true; links.len()];
    for (feeder, next) in pairs.clone() {
        let known: usize = *feeders[next].get_or_insert(feeder);
        has_many[next] |= links[feeder].spec.lets_overtake();
        if known != feeder {
            has_many[next] = true;
            let [known, feeder, spec] = [known, feeder, next].map(|id| &links[id].spec);
            is_in_order[next] &= come_in_order(known, feeder, spec);
        }
    }
    // Each link that does not hand over, and each that does not gather, may keep others from it.
    let mut settled = false;
    while !settled {
        settled = true;
        let mut rule_out = |may: &mut bool| settled &= !core::mem::take(may);
        for (id, link) in links.iter().enumerate() {
            // On the wire behind a discipline lie packets that came before those announced; and to
            // deliver what comes first, that must be known.
            if !(hands_over[id] || link.keeps_queue() && is_in_order[id]) {
                rule_out(&mut gathers[id]);
            }
        }
        for (feeder, next) in pairs.clone() {
            if hands_over[feeder] != gathers[next] {
                rule_out(&mut hands_over[feeder]);
                rule_out(&mut gathers[next]);
            }
        }
    }
    for (id, link) in links.iter_mut().enumerate() {
        if hands_over[id] {
            link.hand_over();
        }
        if gathers[id] {
            link.fed_by = match has_many[id] {
                false => FedBy::One,
                true if is_in_order[id] => FedBy::Many,
                true => FedBy::Any,
            };
        }
    }
}

/// Whether packets from two feeders are announced to a link nearly in the order in which they
/// arrive there: while one feeder holds a burst, the others do not announce many packets.
fn come_in_order(one: &LinkSpec, other: &LinkSpec, next: &LinkSpec) -> bool {
    let are_even = !one.is_uneven() && !other.is_uneven();
    are_even && one.pace() == other.pace() && next.rate.bps() <= 4 * one.rate.bps()
}
