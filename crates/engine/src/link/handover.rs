//! How a link [hands over](crate::handover), and what it does with packets that are handed over to
//! it.

use sojourn_base::length::Capacity;
use sojourn_base::{Span, Time};

use super::unplaced::Unplaced;
use super::{DecidesAt, Link, LinkSpec};
use crate::SimPacket;
use crate::ledger::Shared;

/// The number of full packets that a link sends before it catches up without being touched.
const BATCH: u64 = 64;

/// A batch divided by this counts as several packets.
const SEVERAL: u64 = 8;

/// Bytes of a full packet. Small packets hardly ever come as fast as a link could send them:
/// acknowledgements follow the data.
pub(super) const FULL: u16 = 1500;

/// The largest number of announced packets that are moved for one that comes before them. If there
/// are more, it is [sorted in](Link::sort_in) later.
const MOST_MOVED: u32 = 16;

/// Which links hand over to a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FedBy {
    /// None: every arrival has an event.
    Events,
    /// One, so packets are announced in order.
    One,
    /// Several similar links, so packets are announced nearly in order.
    Many,
    /// Several, and packets are announced in any order.
    Any,
}

/// How long a link that hands over may put off what is due. Not longer than its delay, since by
/// then the first packet comes out, and not longer than it takes to send a batch of full packets,
/// which would have to be kept in the rings before it and behind it. It waits at least until the
/// present instant is over and all arrivals of this instant are known.
pub(super) fn longest_wait(spec: &LinkSpec) -> Span {
    let takes = spec.pace().to_send(FULL);
    let batch = Span::from_ps(takes.as_ps().saturating_mul(BATCH));
    spec.least_pace().delay.min(batch) + Span::from_ps(1)
}

/// A packet that a link has begun to send, or certainly will, and hands over to the next link, with
/// the instant at which it arrives there.
pub(crate) type HandedOver = (SimPacket, Time);

/// How far a link catches up.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Horizon {
    /// Departures up to and including this instant.
    pub(crate) departures: Time,
    /// Arrivals up to and including this instant.
    pub(super) arrivals: Time,
}

impl Horizon {
    /// Up to `now`. Arrivals at one instant come after departures, and may not all be known yet.
    pub(crate) fn at(now: Time) -> Self {
        Self {
            departures: now,
            arrivals: now.just_before(),
        }
    }

    /// Everything before `until`, when the books are closed.
    pub(crate) fn before(until: Time) -> Self {
        Self {
            departures: until.just_before(),
            arrivals: until.just_before(),
        }
    }
}

#[allow(clippy::inline_always)] // once a packet, from one or two places
impl Link {
    /// The number of packets that it holds, or that are on their way to it and are not held
    /// elsewhere.
    pub(crate) fn holds(&self) -> usize {
        let announced = self.announced.len() + self.unplaced().count();
        let waiting = if self.knows_departures() {
            0
        } else {
            self.backlog().packets
        };
        waiting + self.in_flight() + announced + self.kept_lost().count()
    }

    /// What happens on the wire to a packet that is handed over and would come out at `stamp`: when
    /// it really comes out, and whether it is lost then. A lost packet stays here.
    #[inline(never)]
    pub(crate) fn cross_wire(&mut self, packet: &SimPacket, stamp: Time) -> (Time, bool) {
        let stamp = self.comes_late(stamp);
        let is_lost = self.loses(packet);
        if is_lost && let Some(losses) = &mut self.spec.losses {
            losses.keep(packet, stamp);
        }
        (stamp, is_lost)
    }

    /// The room of its plain queue, if it [knows its departures](Self::knows_departures) and
    /// nothing is announced to it. This holds for the first link of most paths.
    #[inline(always)]
    pub(crate) fn room_at_source(&self) -> Option<Capacity> {
        self.room.filter(|_| {
            self.hands_over && self.fed_by == FedBy::Events && self.decides_at == DecidesAt::Nowhere
        })
    }

    /// Whether it keeps its queue, hands over, and gets its packets announced in the order of their
    /// arrival, or nearly.
    pub(crate) fn takes_in_order(&self) -> bool {
        let in_order = matches!(self.fed_by, FedBy::One | FedBy::Many);
        in_order && self.hands_over && self.room.is_some()
    }

    /// Whether a packet that comes at `stamp` would be the first of all announced packets, none of
    /// which may be [without its place](Self::sort_in).
    #[inline(always)]
    pub(crate) fn would_come_first(&self, stamp: Time) -> bool {
        let first = self.announced.first();
        first.is_none_or(|first| stamp < first.stamp && self.unplaced.is_none())
    }

    /// How long it takes to send several full packets.
    pub(crate) fn takes_several(&self) -> Span {
        Span::from_ps(self.may_wait.as_ps() / SEVERAL)
    }

    /// When the next packet that was handed over arrives.
    #[inline(always)]
    pub(crate) fn next_arrival(&self) -> Time {
        let announced = self.announced.first();
        announced.map_or(self.beyond, |packet| packet.stamp.min(self.beyond))
    }

    /// Notes a packet that will arrive here at `stamp`; during a round, `in_round`, several links
    /// announce packets in no order. If the packet is the next to arrive, returns when the link
    /// needs the calendar for it, if at all.
    #[inline(always)]
    pub(crate) fn announce(
        &mut self,
        packet: &SimPacket,
        stamp: Time,
        shared: &Shared,
        in_round: bool,
    ) -> Option<Time> {
        let change = |copy: &mut SimPacket| copy.send_copy_on(packet, 1, stamp);
        let is_next = match self.fed_by {
            FedBy::Events | FedBy::One => self.announced.push(packet, change),
            // To deliver what comes first, a link must know that.
            FedBy::Many if !in_round || !self.hands_over => {
                self.announce_near(packet, stamp, shared)
            }
            FedBy::Many | FedBy::Any => self.announce_anywhere(packet, stamp, shared),
        };
        self.needs_calendar(is_next, stamp, packet.size)
    }

    /// Notes a packet that comes before few others, if any; returns whether it is the next to
    /// arrive.
    #[inline(always)]
    fn announce_near(&mut self, packet: &SimPacket, stamp: Time, shared: &Shared) -> bool {
        let change = |copy: &mut SimPacket| copy.send_copy_on(packet, 1, stamp);
        let later =
            |other: &SimPacket| shared.comes_after(other, stamp, || shared.goes_over(packet));
        let is_next = self
            .announced
            .push_before(packet, change, later, MOST_MOVED);
        is_next.unwrap_or_else(|| self.announce_early(packet, stamp, later))
    }

    /// Notes a packet that may come before or after any others; returns whether it is the next to
    /// arrive.
    #[inline(never)]
    fn announce_anywhere(&mut self, packet: &SimPacket, stamp: Time, shared: &Shared) -> bool {
        let pace = self.spec.pace();
        let unplaced = self
            .unplaced
            .get_or_insert_with(|| Unplaced::new(pace).into());
        if unplaced.later.has_passed(stamp) {
            return self.announce_near(packet, stamp, shared);
        }
        let change = |copy: &mut SimPacket| copy.send_copy_on(packet, 1, stamp);
        unplaced.later.push(stamp, packet, change);
        if stamp >= self.beyond {
            return false;
        }
        self.beyond = stamp;
        self.announced
            .first()
            .is_none_or(|first| stamp < first.stamp)
    }

    /// Notes a packet that comes back from a train; the last packets of the train come back first.
    /// It comes before all packets that are known here already, even at the same instant.
    pub(crate) fn announce_back(&mut self, packet: &SimPacket, stamp: Time) {
        let change = |copy: &mut SimPacket| copy.send_copy_on(packet, 1, stamp);
        let later = |other: &SimPacket| other.stamp >= stamp;
        self.announced.push_before(packet, change, later, u32::MAX);
    }

    /// When the link needs the calendar for the first announced packet.
    pub(crate) fn needs_calendar_for_first(&mut self) -> Option<Time> {
        let first = self.announced.first()?;
        let (stamp, size) = (first.stamp, first.size);
        self.needs_calendar(true, stamp, size)
    }

    /// When the link needs the calendar for a packet of that size that arrives at `stamp`, if the
    /// packet is the next to arrive.
    #[inline(always)]
    fn needs_calendar(&mut self, is_next: bool, stamp: Time, size: u16) -> Option<Time> {
        if !is_next {
            return None;
        }
        self.due = self.due.min(stamp);
        if self.hands_over {
            // A discipline with something to send is in the calendar already.
            let is_idle = self.room.is_some() || self.ledger.backlog().packets == 0;
            is_idle.then(|| stamp + self.may_wait)
        } else {
            let is_empty = self.packets.is_empty();
            let begins = self.sends_until.max(self.free_at).max(stamp);
            is_empty.then(|| self.comes_out(begins, size))
        }
    }

    /// Notes a packet that comes before many others; returns whether it is the next to arrive,
    /// compared with those that have their places.
    #[inline(never)]
    fn announce_early(
        &mut self,
        packet: &SimPacket,
        stamp: Time,
        later: impl Fn(&SimPacket) -> bool,
    ) -> bool {
        let mut announced = *packet;
        announced.send_copy_on(packet, 1, stamp);
        let pace = self.spec.pace();
        let unplaced = self
            .unplaced
            .get_or_insert_with(|| Unplaced::new(pace).into());
        unplaced.early.push(announced);
        self.announced.first().is_none_or(later)
    }

    /// Puts the packets that arrive up to the horizon in their places. Must be called before these
    /// are looked at.
    #[inline(always)]
    pub(crate) fn sort_in(&mut self, horizon: Horizon, shared: &Shared) {
        if let Some(unplaced) = &self.unplaced
            && (!unplaced.early.is_empty() || self.beyond <= horizon.arrivals)
        {
            self.place(horizon.arrivals, shared);
        }
    }

    #[inline(never)]
    fn place(&mut self, until: Time, shared: &Shared) {
        let Some(unplaced) = &mut self.unplaced else {
            return;
        };
        if !unplaced.early.is_empty() {
            unplaced.place_early(&mut self.announced, shared);
        }
        if self.beyond <= until {
            unplaced.place_later(until, &mut self.announced, shared);
            self.beyond = unplaced.later.first();
        }
    }

    /// The announced packets that are not in their places yet.
    pub(super) fn unplaced(&self) -> impl Iterator<Item = &SimPacket> {
        self.unplaced.iter().flat_map(|unplaced| unplaced.packets())
    }
}
