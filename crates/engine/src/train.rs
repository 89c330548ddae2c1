//! Trains: the packets that one link has sent to many similar links, in the order in which they
//! come out of those links.
//!
//! Behind a link that [hands over](crate::handover) there are mostly idle links of one kind, or of
//! a few kinds. Packets pass through them without waiting, and all packets of one size take equally
//! long through links of one kind. So the packets on their way through links of one kind form a
//! train, in the order in which they come out. Only the first packet of each train is in a
//! calendar, which contains nothing but trains. This calendar stays short however many flows there
//! are, and the packets are read from memory in sequence.
//!
//! A packet joins the train if everything else under way at its link then belongs to the train too,
//! and if it need not wait there for long: packets that come out earlier but join later have to be
//! moved past it. Otherwise the packet is announced to the link itself, and so are the packets
//! after it until the link is empty again. Packets of the train that would wait in line with it at
//! that link leave the train, so that the link sees its whole queue. When the books are closed, all
//! packets that wait leave their trains in the same way.
//!
//! At the far end a packet is received and answered. As long as this involves only links of its own
//! flow, it does not affect any other train. So one train is followed for as long as all its
//! packets are known, and then the next one. In the order of time the engine would alternate
//! between data and acknowledgements at every packet.
//!
//! Where there are [rounds](crate::round), packets that may have turns need not be in order: they
//! are kept apart until the next round, and may wait as long as there is room.
//!
//! Whether a packet may join is looked up in an array of its own, since few of many links fit the
//! fast caches.

mod arrange;
mod unordered;

use sojourn_base::{Span, Time};

use crate::ledger::Shared;
use crate::link::{Link, LinkSpec, Pace};
use crate::ring::Ring;
use crate::round::Round;
use crate::{LinkId, SimPacket};

pub(crate) use arrange::{Answered, arrange};
use unordered::Unordered;

/// Packets on their way through similar links.
pub(crate) struct Train {
    /// Each as it will be when it comes out of its link: sent on, and stamped with that instant.
    packets: Ring<SimPacket>,
    /// What these links have in common.
    pace: Pace,
    /// Whether every path through any of these links ends there.
    ends_paths: bool,
    /// The link that sends to these links.
    feeder: LinkId,
    /// The link at which all answers to this train arrive after their first link, if it receives
    /// nothing else.
    pub(crate) answered: Option<Answered>,
    /// The largest packet that may bypass the empty queue of each of these links.
    bypass: u16,
    /// For how many packets of its own size a packet that joins may wait.
    patience: u64,
    /// How many packets of any size have room in the queue of each link.
    room: usize,
    /// How many of these links are not [apart](Track::apart_until) at all.
    not_apart: usize,
    /// The other links are apart until this instant or longer.
    apart_until: Time,
    /// The last packet size, how long such a packet takes to send, and to come out of the link.
    last_size: u16,
    last_takes: Span,
    last_crosses: Span,
    /// Packets whose transmission began before this instant are in the books of their links.
    booked_until: Time,
    /// Packets that joined after the last [round](crate::round) and will have their turns in the
    /// next, in no order.
    fresh: Unordered,
    /// When the first of the fresh packets comes out, and of which link.
    first_fresh: (Time, LinkId),
    /// When the first packet comes out that may have its turn and has not been in a round; never if
    /// there is none.
    news: Time,
    /// Every packet that arrives before this instant is known: the arrival of the packet handed
    /// over last, or the last round.
    last_arrives: Time,
}

/// A packet that leaves its train and goes through its link by itself.
pub(crate) struct Leaving {
    /// The packet as it was before the link.
    pub(crate) packet: SimPacket,
    pub(crate) link: LinkId,
    /// When it arrives at the link: when its transmission begins, unless the link knows that it
    /// waits.
    pub(crate) arrives: Time,
    /// When its transmission begins.
    pub(crate) begins: Time,
    /// When its transmission ends.
    pub(crate) sent: Time,
}

impl Leaving {
    fn of(packet: &SimPacket, link: LinkId, sent: Time, pace: Pace) -> Self {
        let begins = before(sent, pace.to_send(packet.size));
        let mut packet = *packet;
        packet.at -= 2;
        Self {
            packet,
            link,
            arrives: begins,
            begins,
            sent,
        }
    }
}

/// Whether a packet that is handed over to a link may join the train through that link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Track {
    /// The train through the link, if there is one.
    train: Option<u32>,
    /// The instant from which on an arriving packet may join: when the packets that joined before
    /// have all been sent. Never, while anything is under way at the link that did not join.
    free_at: Time,
    /// Whether packets that join may have their turns in a [round](crate::round).
    pub(crate) has_turns: bool,
    /// Whether a train goes through the link, and one flow alone uses it as the last link of its
    /// path and the first link of the answers.
    pub(crate) is_own: bool,
    /// Until this instant whatever comes out affects nobody else before it arrives at a link that
    /// others use too: the link is its flow's own, and the application leaves the connection alone.
    apart_until: Time,
}

impl Track {
    const NONE: Self = Self {
        train: None,
        free_at: Time::NEVER,
        has_turns: false,
        is_own: false,
        apart_until: Time::ZERO,
    };

    /// The train.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn train(&self) -> Option<usize> {
        self.train.map(|train| train as usize)
    }

    /// Lets nothing join from now on. If the track was open, returns when all that joined has been
    /// sent.
    pub(crate) fn close(&mut self) -> Option<Time> {
        let free_at = core::mem::replace(&mut self.free_at, Time::NEVER);
        (free_at < Time::NEVER).then_some(free_at)
    }

    /// Lets packets join again: nothing is under way.
    pub(crate) fn open(&mut self) {
        self.free_at = Time::ZERO;
    }

    /// Until when whatever comes out affects nobody else.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn apart_until(&self) -> Time {
        self.apart_until
    }

    /// When all that joined has been sent.
    pub(crate) fn free_at(&self) -> Time {
        self.free_at
    }

    /// Whether nothing may join.
    pub(crate) fn is_closed(&self) -> bool {
        self.free_at == Time::NEVER
    }
}

/// While a packet waits, the link before could send at most this many packets of its size, and each
/// one that comes out earlier has to be moved past it. With a larger number more packets would
/// join, and joining would cost more.
const PASSED_BY: u64 = 64;

/// A link is slow if the one before it is this many times as fast.
const SLOW: u64 = 4;

/// Memory is prefetched for the packet that joins after this many others.
const JOIN_BEFORE: usize = 8;

/// Stands for no fresh packet.
const NO_FRESH: (Time, LinkId) = (Time::NEVER, LinkId::MAX);

impl Train {
    /// The train behind the link `id`, through links that are like `next`.
    fn behind(id: usize, feeder: &LinkSpec, next: &LinkSpec) -> Self {
        Self {
            packets: Ring::default(),
            pace: next.pace(),
            ends_paths: true,
            feeder: id as LinkId,
            answered: None,
            patience: PASSED_BY * next.rate.bps() / feeder.rate.bps(),
            bypass: u16::MAX,
            room: usize::MAX,
            not_apart: 0,
            apart_until: Time::NEVER,
            last_size: 0,
            last_takes: next.pace().to_send(0),
            last_crosses: next.pace().to_cross(0),
            booked_until: Time::ZERO,
            fresh: Unordered::default(),
            first_fresh: NO_FRESH,
            news: Time::NEVER,
            last_arrives: Time::ZERO,
        }
    }

    /// Whether its links are so slow, compared with the link before, that packets of a flow often
    /// wait for each other there.
    pub(crate) fn has_slow_links(&self) -> bool {
        SLOW * self.patience <= PASSED_BY
    }

    /// When a packet that will arrive at the link at `stamp` comes out of it, if it may join. The
    /// track through the link is open.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn admits(
        &mut self,
        track: &mut Track,
        link: &mut Link,
        stamp: Time,
        size: u16,
    ) -> Option<Time> {
        self.last_arrives = stamp;
        if size > self.bypass {
            return None;
        }
        let begins = if track.free_at <= stamp {
            stamp
        } else if self.lets_wait(track, link, stamp, size) {
            track.free_at
        } else {
            return None;
        };
        track.free_at = begins + self.takes(size);
        Some(track.free_at + self.pace.delay)
    }

    /// Whether a packet that arrives at `stamp` may wait for those that joined before it. If so,
    /// the link notes it. Its queue then has room for all packets that wait, however large.
    #[inline(never)]
    fn lets_wait(&mut self, track: &Track, link: &mut Link, stamp: Time, size: u16) -> bool {
        let takes = self.takes(size);
        let longest = Span::from_ps(self.patience.saturating_mul(takes.as_ps()));
        let is_patient = track.has_turns || track.free_at.since(stamp) <= longest;
        let may = is_patient && link.waiting_in_train() < self.room;
        if may {
            link.wait_in_train(stamp, track.free_at + takes);
        }
        may
    }

    /// How long it takes to send `size` bytes.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn takes(&mut self, size: u16) -> Span {
        self.turn_to(size);
        self.last_takes
    }

    /// Prepares for a packet of that size; mostly the last one had the same.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn turn_to(&mut self, size: u16) {
        if size != self.last_size {
            self.last_size = size;
            self.last_takes = self.pace.to_send(size);
            self.last_crosses = self.last_takes + self.pace.delay;
        }
    }

    /// Prefetches the memory for a packet that joins soon, if it `has_turns` as the next one has.
    /// Where many packets are on their way, that memory was read long ago.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn prefetch_room(&mut self, has_turns: bool) {
        if has_turns {
            self.fresh.prefetch_room(JOIN_BEFORE);
        } else {
            self.packets.prefetch_slot(JOIN_BEFORE);
        }
    }

    /// Adds a packet that goes through `link` and comes out of it at `out`; it waits for a round if
    /// it `has_turns`. Returns whether it is now the first.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet in either direction
    pub(crate) fn join(
        &mut self,
        packet: &SimPacket,
        link: LinkId,
        out: Time,
        has_turns: bool,
        shared: &Shared,
    ) -> bool {
        if has_turns {
            return self.join_fresh(packet, link, out, shared);
        }
        let come_out = |copy: &mut SimPacket| copy.send_copy_on(packet, 2, out);
        let later = |other: &SimPacket| shared.comes_after(other, out, || link);
        let is_first = self.packets.push_before(packet, come_out, later, u32::MAX);
        is_first == Some(true) && (out, link) < self.first_fresh
    }

    #[inline(never)]
    fn join_fresh(&mut self, packet: &SimPacket, link: LinkId, out: Time, shared: &Shared) -> bool {
        let come_out = |copy: &mut SimPacket| copy.send_copy_on(packet, 2, out);
        self.fresh.push(packet, come_out);
        if (out, link) > self.first_fresh {
            return false;
        }
        self.first_fresh = (out, link);
        self.news = self.news.min(out);
        let first = self.packets.first();
        first.is_none_or(|first| (first.stamp, shared.came_over(first)) > (out, link))
    }

    /// Notes that whatever comes out of a link of this train, the one with that track, affects
    /// nobody else before `until`; zero if it always may.
    pub(crate) fn set_apart(&mut self, track: &mut Track, until: Time) {
        self.not_apart -= usize::from(track.apart_until == Time::ZERO);
        self.not_apart += usize::from(until == Time::ZERO);
        if until > Time::ZERO {
            self.apart_until = self.apart_until.min(until);
        }
        track.apart_until = until;
    }

    /// Whether whatever comes out at `time` affects nobody else, whichever link it comes out of.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn is_apart(&self, time: Time) -> bool {
        self.not_apart == 0 && time < self.apart_until
    }

    /// Puts the fresh packets among the others.
    fn sort_in(&mut self, shared: &Shared) {
        if self.fresh.packets().is_empty() {
            return;
        }
        self.fresh.sort(shared);
        let fresh = self.fresh.sorted();
        self.packets
            .merge(fresh, |one, other| shared.comes_later(one, other));
        self.fresh.clear();
        self.first_fresh = NO_FRESH;
    }

    /// Takes the first packet; there must be [one](Self::next).
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn leave(&mut self) -> SimPacket {
        self.packets.take()
    }

    /// Whether every packet that comes out has reached the end of its path, so that the path need
    /// not be read.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn ends_paths(&self) -> bool {
        self.ends_paths
    }

    /// Takes the first packet, and tells when the one behind it comes out, and of which link; never
    /// if there is none.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn leave_in_order(&mut self, shared: &Shared) -> (SimPacket, Time, LinkId) {
        let (packet, next) = self.packets.take_and_see();
        let (time, link) = match next {
            Some(next) => (next.stamp, shared.came_over(next)),
            None => (Time::NEVER, 0),
        };
        (packet, time, link)
    }

    /// When the first packet comes out, and of which link.
    pub(crate) fn next(&self, shared: &Shared) -> Option<(Time, LinkId)> {
        let fresh = Some(self.first_fresh).filter(|&fresh| fresh != NO_FRESH);
        self.next_in_order(shared).into_iter().chain(fresh).min()
    }

    /// The same without the packets that wait for a round.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn next_in_order(&self, shared: &Shared) -> Option<(Time, LinkId)> {
        let first = self.packets.first()?;
        Some((first.stamp, shared.came_over(first)))
    }

    /// Whether there is more than one packet.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn has_several(&self) -> bool {
        let fresh = self.fresh.packets().len();
        fresh > 1 || self.packets.len() > 1 - fresh
    }

    /// When the transmission of the packet that has just left began; none if the books of its link
    /// contain it already.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn began(&mut self, packet: &SimPacket) -> Option<Time> {
        self.turn_to(packet.size);
        let began = before(packet.stamp, self.last_crosses);
        (began >= self.booked_until).then_some(began)
    }

    /// The packets whose transmission begins before `until` and that are not in the books of their
    /// links, with the instant and the link. From now on they count as booked.
    pub(crate) fn book(&mut self, until: Time, shared: &Shared) -> Vec<(Time, LinkId, SimPacket)> {
        self.sort_in(shared);
        let last = until + self.pace.to_cross(u16::MAX);
        let soon = self.packets.iter();
        let soon = soon.take_while(|packet| packet.stamp < last);
        let begin = soon.map(|packet| {
            let begins = before(packet.stamp, self.pace.to_cross(packet.size));
            (begins, shared.came_over(packet), *packet)
        });
        let due = begin.filter(|&(begins, ..)| (self.booked_until..until).contains(&begins));
        let mut due: Vec<_> = due.collect();
        due.sort_by_key(|&(begins, link, _)| (begins, link));
        self.booked_until = until;
        due
    }

    /// Takes out, in order, the packets that come out of their links at `from` or later, if
    /// `leaves` says so of their link and of the instant at which they have been sent.
    pub(crate) fn take_out(
        &mut self,
        from: Time,
        leaves: impl Fn(LinkId, Time) -> bool,
        shared: &Shared,
    ) -> Vec<Leaving> {
        self.sort_in(shared);
        let mut leaving = Vec::new();
        let pace = self.pace;
        let first = self.packets.count_before(|packet| packet.stamp < from);
        self.packets.retain(first, |packet| {
            let (link, sent) = (shared.came_over(packet), before(packet.stamp, pace.delay));
            let stays = !leaves(link, sent);
            if !stays {
                leaving.push(Leaving::of(packet, link, sent, pace));
            }
            stays
        });
        leaving
    }

    /// Whether all that arrives at its links before `began` is known.
    #[inline]
    pub(crate) fn knows_until(&self, began: Time) -> bool {
        began <= self.last_arrives
    }

    /// Every packet that comes out of a link with an open track before this instant is in the
    /// train.
    pub(crate) fn complete_until(&self) -> Time {
        self.last_arrives + self.pace.delay
    }

    /// Notes that a packet that comes out at `out` is left for the next round.
    pub(crate) fn leave_for_next(&mut self, out: Time) {
        self.news = self.news.min(out);
    }

    /// Whether a round is due, so that the packet that comes out next may have its turn.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn is_round_due(&self, now: Time) -> bool {
        self.news <= now
    }

    /// Finds the turns of a round that begins `now`.
    pub(crate) fn begin_round(&mut self, now: Time, round: &mut Round, lanes: usize) {
        self.last_arrives = self.last_arrives.max(now);
        self.news = Time::NEVER;
        round.gather(self.packets(), lanes);
    }

    /// The packet at a place among those of a round.
    #[inline]
    pub(crate) fn in_round(&self, place: usize) -> Option<&SimPacket> {
        let in_order = self.packets.len();
        if place < in_order {
            self.packets.get(place)
        } else {
            self.fresh.packets().get(place - in_order)
        }
    }

    /// Ends a round: packets that it took out are no longer in the train, and the others are in
    /// their places.
    pub(crate) fn end_round(&mut self, round: &Round, shared: &Shared) {
        let mut place = 0;
        let mut stays = |_: &SimPacket| {
            place += 1;
            round.stays(place - 1)
        };
        self.packets.retain(0, &mut stays);
        self.fresh.retain(stays);
        self.sort_in(shared);
        self.first_fresh = NO_FRESH;
    }

    /// When a packet comes out of which the last bit is sent at `sent`.
    pub(crate) fn out(&self, sent: Time) -> Time {
        sent + self.pace.delay
    }

    /// The packet that comes out after `index` others; if there are fewer, one that has come out
    /// already.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn ahead(&self, index: usize) -> Option<&SimPacket> {
        self.packets.near(index)
    }

    /// All its packets.
    pub(crate) fn packets(&self) -> impl Iterator<Item = &SimPacket> {
        let in_order = self.packets.iter();
        in_order.chain(self.fresh.packets())
    }
}

/// The instant `takes` before `out`.
#[inline(always)]
#[allow(clippy::inline_always)]
fn before(out: Time, takes: Span) -> Time {
    Time::from_ps(out.as_ps() - takes.as_ps())
}
