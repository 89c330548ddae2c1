//! Trains: what one link sends to many that are alike, in the order in which it comes out of them.
//!
//! Behind a link that [hands over](crate::handover) mostly lie links that are alike and idle: every
//! packet passes, and takes as long as all others of its size. So what is on its way through any of
//! them makes one train, in the order of coming out, and only the first of all stands in the
//! calendar. That stays short however many flows there are, and memory is read in sequence.
//!
//! A packet joins the train if nothing else will be under way at the link that it goes to. If not, it
//! is announced to the link itself, and so are those that follow until the link is empty again.

use sojourn_base::{Span, Time};

use crate::ledger::Shared;
use crate::link::{FedBy, Link, Pace};
use crate::ring::Ring;
use crate::{LinkId, SimPacket};

/// Packets on their way through links that are alike.
pub(crate) struct Train {
    /// Each announced, and stamped with its coming out.
    packets: Ring<SimPacket>,
    /// What these links have in common.
    pace: Pace,
    /// The size seen last, and how long it takes from its arrival to its coming out.
    last_size: u16,
    last_takes: Span,
    /// Those that arrived before this instant are in the books of their links.
    booked_until: Time,
}

/// Finds the trains of packets that travel along `paths`: one behind each link that hands over to
/// links which are all alike, plain, and hand over to no other. Tells these so.
pub(crate) fn arrange(links: &mut [Link], paths: &[&[LinkId]]) -> Vec<Train> {
    let mut first_behind = vec![None; links.len()];
    let mut has_train = vec![true; links.len()];
    let pairs = paths.iter().flat_map(|path| path.windows(2));
    let pairs = pairs.map(|pair| (pair[0] as usize, pair[1] as usize));
    for (feeder, next) in pairs.clone() {
        let first: usize = *first_behind[feeder].get_or_insert(next);
        has_train[feeder] &=
            may_be_of_a_train(&links[next]) && links[first].spec.pace() == links[next].spec.pace();
    }
    let mut trains = Vec::new();
    let mut numbers = vec![None; links.len()];
    for (feeder, next) in pairs.filter(|&(feeder, _)| has_train[feeder]) {
        let number = *numbers[feeder].get_or_insert_with(|| {
            trains.push(Train::through(links[next].spec.pace()));
            trains.len() as u32 - 1
        });
        links[next].takes_train(number);
    }
    trains
}

/// Whether all that comes here has been handed over, in order, and leaves with an event.
fn may_be_of_a_train(link: &Link) -> bool {
    link.fed_by == FedBy::One && link.is_plain() && !link.hands_over
}

impl Train {
    /// The train through links of this pace.
    fn through(pace: Pace) -> Self {
        Self {
            packets: Ring::default(),
            pace,
            last_size: 0,
            last_takes: Span::ZERO,
            booked_until: Time::ZERO,
        }
    }

    /// Takes in a packet that goes through `link` and is stamped with its coming out; tells whether
    /// it is the first.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet in either direction
    pub(crate) fn join(&mut self, packet: SimPacket, link: LinkId, shared: &Shared) -> bool {
        self.packets.announce_before(packet, |other| {
            other.stamp > packet.stamp || other.stamp == packet.stamp && way(other, shared) > link
        })
    }

    /// The first, where it comes out of `link` now.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn leave(&mut self, now: Time, link: LinkId, shared: &Shared) -> Option<SimPacket> {
        let first = self.packets.announced()?;
        let is_it = first.stamp == now && way(first, shared) == link;
        is_it.then(|| self.packets.take_announced())
    }

    /// When the first comes out, and of which link.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn next(&self, shared: &Shared) -> Option<(Time, LinkId)> {
        let first = self.packets.announced()?;
        Some((first.stamp, way(first, shared)))
    }

    /// When the packet arrived that has just left; none where it is in the books of its link.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn arrival(&mut self, packet: &SimPacket) -> Option<Time> {
        if packet.size != self.last_size {
            (self.last_size, self.last_takes) = (packet.size, self.pace.to_cross(packet.size));
        }
        let arrived = before(packet.stamp, self.last_takes);
        (arrived >= self.booked_until).then_some(arrived)
    }

    /// The packets that arrive before `until` and are not in the books of their links: when each
    /// does, and where. From now on they count as booked.
    pub(crate) fn book(&mut self, until: Time, shared: &Shared) -> Vec<(Time, LinkId, SimPacket)> {
        let last = until + self.pace.to_cross(u16::MAX);
        let soon = self.packets.iter_announced();
        let soon = soon.take_while(|packet| packet.stamp < last);
        let arrivals = soon.map(|packet| {
            let arrived = before(packet.stamp, self.pace.to_cross(packet.size));
            (arrived, way(packet, shared), *packet)
        });
        let due = arrivals.filter(|&(arrived, ..)| (self.booked_until..until).contains(&arrived));
        let mut due: Vec<_> = due.collect();
        due.sort_by_key(|&(arrived, link, _)| (arrived, link));
        self.booked_until = until;
        due
    }

    /// The packet that comes out after `index` others.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn ahead(&self, index: usize) -> Option<&SimPacket> {
        self.packets.announced_at(index)
    }

    /// All that are in it.
    pub(crate) fn packets(&self) -> impl Iterator<Item = &SimPacket> {
        self.packets.iter_announced()
    }
}

/// The link that a packet goes through.
#[inline(always)]
#[allow(clippy::inline_always)]
fn way(packet: &SimPacket, shared: &Shared) -> LinkId {
    shared.goes_over(packet).unwrap_or(LinkId::MAX)
}

/// The instant that lies a span before another.
#[inline(always)]
#[allow(clippy::inline_always)]
fn before(out: Time, takes: Span) -> Time {
    Time::from_ps(out.as_ps() - takes.as_ps())
}
