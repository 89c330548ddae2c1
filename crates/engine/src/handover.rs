//! Links that hand over: a delivery without an event of its own.
//!
//! Where a link begins to send a packet, the instant at which it comes out at the far end is known.
//! Where nothing else feeds the link that follows, what happens there until then does not matter to
//! this packet's arrival: so it is handed over at once, announced, and the next link takes it in
//! when it [catches up](crate::Link), at the exact instant. The first link then needs the calendar
//! only now and then: before the next packet that it sends could come out.
//!
//! A link hands over if all that leaves it enters [plain](crate::link) links that it alone feeds.
//! In a dumbbell that is the bottleneck, in both directions: the last links hang on it alone.
//!
//! What happens at one instant keeps its order: arrivals at a link that one other feeds depend on
//! nothing but that one. An observer that must see all in order has every delivery by itself.

use crate::LinkId;
use crate::link::Link;

/// Who feeds a link, as far as it is known.
#[derive(Clone, Copy, PartialEq)]
enum Feeder {
    /// Nobody yet.
    Nobody,
    /// This link alone.
    Link(LinkId),
    /// A source, or more than one.
    Many,
}

/// Finds the links that hand over when packets travel along `paths`, and tells them so.
pub(crate) fn arrange<'a>(links: &mut [Link], paths: impl Iterator<Item = &'a [LinkId]> + Clone) {
    let mut feeders = vec![Feeder::Nobody; links.len()];
    for path in paths.clone() {
        let mut feeder = Feeder::Many;
        for &link in path {
            let known = &mut feeders[link as usize];
            *known = match *known {
                Feeder::Nobody => feeder,
                same if same == feeder => same,
                _ => Feeder::Many,
            };
            feeder = Feeder::Link(link);
        }
    }
    let mut hands_over = vec![true; links.len()];
    for path in paths {
        for (place, &link) in path.iter().enumerate() {
            hands_over[link as usize] &= path.get(place + 1).is_some_and(|&next| {
                feeders[next as usize] == Feeder::Link(link) && links[next as usize].is_plain()
            });
        }
    }
    for (link, feeder) in feeders.into_iter().enumerate() {
        links[link].hands_over = hands_over[link] && feeder != Feeder::Nobody;
        if let Feeder::Link(feeder) = feeder
            && hands_over[feeder as usize]
        {
            links[link].is_fed_by(feeder);
        }
    }
}

/// The links in an order in which each comes after the one that hands over to it.
pub(crate) fn downstream(links: &[Link]) -> Vec<LinkId> {
    let depth = |link: &Link| {
        core::iter::successors(link.feeder(), |&id| links[id as usize].feeder()).count()
    };
    let mut order: Vec<LinkId> = (0..links.len() as LinkId).collect();
    order.sort_by_cached_key(|&id| depth(&links[id as usize]));
    order
}
