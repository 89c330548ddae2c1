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
//! arrival. That costs little where they have one rate, one framing and one delay and are hardly
//! slower than the next: they announce mostly in that order already. Where they do not, what is
//! announced lies in buckets by time until it is about to arrive (`link/unplaced.rs`). In a
//! dumbbell the access links hand over to the bottleneck, and the bottleneck to the access links at
//! the other end, in both directions.
//!
//! What is lost on a wire, and what packets take longer there, is drawn in the order of sending,
//! and so is known when they are handed over too: what is lost stays with its link until it would
//! have come out. Only a link that lets packets overtake each other and loses some must see them
//! come out, since it draws in that order.
//!
//! **At once.** Mostly a link is fed by sources alone, each over a first link of its own, and these
//! only answer what one [train](crate::train) brings them: an end of a connection learns of the
//! other by packets alone. While that train is followed it is known when the next of them can send
//! anything; and what is sent now comes before that, unless it waits for long. So it need not be
//! announced and wait for the link to catch up: the link takes it in when it is sent, and what it
//! hands over in turn joins the train behind it.
//!
//! What happens at one instant keeps its order: departures, then arrivals, these in the order of
//! the links they come over. An observer that must see all in order has every delivery by itself.

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

/// Whether what two feeders announce to a link comes there nearly in the order in which they
/// do: while one holds a burst, the others do not announce many.
fn come_in_order(one: &LinkSpec, other: &LinkSpec, next: &LinkSpec) -> bool {
    let are_even = !one.is_uneven() && !other.is_uneven();
    are_even && one.pace() == other.pace() && next.rate.bps() <= 4 * one.rate.bps()
}
