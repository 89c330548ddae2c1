//! Trains: what one link sends to many that are alike, in the order in which it comes out of them.
//!
//! Behind a link that [hands over](crate::handover) mostly lie links that are idle, and alike or of
//! a few kinds: every packet passes, and takes as long as all others of its size through links of
//! its kind. So what is on its way through any of these makes one train, in the order of coming
//! out, and only the first of all stands in a calendar, with those of other trains alone. That
//! stays short however many flows there are, and memory is read in sequence.
//!
//! A packet joins the train if nothing else will be under way at the link that it goes to but what
//! is of the train too, and if it need not wait long for that: others would come out before it, and
//! have to move past it. If not, it is announced to the link itself, and so are those that follow
//! until the link is empty again; and those that would wait for each other there with it leave the
//! train, so that the link sees its whole queue. The same happens to all that wait when the books
//! are closed.
//!
//! What comes out at the far end is heard and answered there, and as long as that goes over links
//! of its flow alone it matters to no other train: so one train is followed for as long as what it
//! holds is complete, and then the other, where the order of time would change between data and
//! acknowledgements at every packet.
//!
//! Where there are [rounds](crate::round), those that may have turns need not be in order: they lie
//! apart until the next, and may wait as long as there is room.
//!
//! Whether a packet may join is looked up in an array by itself: of many links, few fit the fast
//! caches.

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

/// Packets on their way through links that are alike.
pub(crate) struct Train {
    /// Each announced, as it will come out: sent on, and stamped with that instant.
    packets: Ring<SimPacket>,
    /// What these links have in common.
    pace: Pace,
    /// Whether every path through any of them ends there.
    ends_paths: bool,
    /// The link that sends it.
    feeder: LinkId,
    /// Where all that answers it comes in second place, and nothing else does.
    pub(crate) answered: Option<Answered>,
    /// The largest packet that may go by the empty queue of each.
    bypass: u16,
    /// How many packets of its size one that joins may wait for.
    patience: u64,
    /// So many packets of any size have room in the queue of each.
    room: usize,
    /// So many of these links are not [apart](Track::apart_until) at all.
    not_apart: usize,
    /// The others are, until then or longer.
    apart_until: Time,
    /// The size seen last, how long it takes to send, and to come out.
    last_size: u16,
    last_takes: Span,
    last_crosses: Span,
    /// Those whose transmission began before this instant are in the books of their links.
    booked_until: Time,
    /// Those that joined after the last [round](crate::round) and will have their turns in the
    /// next, in no order.
    fresh: Unordered,
    /// Which of these comes out first, and of which link.
    first_fresh: (Time, LinkId),
    /// When the first comes out that may have its turn and has not been in a round; never where
    /// there is none.
    news: Time,
    /// No packet arrives before that is not known yet: when the last arrives that was handed over,
    /// or the last round.
    last_arrives: Time,
}

/// A packet that leaves its train, and goes through its link by itself.
pub(crate) struct Leaving {
    /// As it stood before the link.
    pub(crate) packet: SimPacket,
    pub(crate) link: LinkId,
    /// When it arrives there: when its transmission begins, unless the link knows that it waits.
    pub(crate) arrives: Time,
    /// When its transmission begins.
    pub(crate) begins: Time,
    /// When it is sent.
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

/// Whether a packet that is handed over to a link may join a train.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Track {
    /// The train through the link, if there is one.
    train: Option<u32>,
    /// From when on a packet that arrives may join: when all that joined before is sent; never,
    /// while anything is under way that did not join.
    free_at: Time,
    /// Whether what joins may have its turn in a [round](crate::round).
    pub(crate) has_turns: bool,
    /// Whether a train goes through it, and one flow has this last link, and the first of what
    /// answers, to itself.
    pub(crate) is_own: bool,
    /// Until this instant what comes out matters to nobody else before it comes to a link that
    /// others use too: the link is its flow's own, which its application leaves alone.
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

    /// Nothing joins from now on; where that is new, tells when all that did is sent.
    pub(crate) fn close(&mut self) -> Option<Time> {
        let free_at = core::mem::replace(&mut self.free_at, Time::NEVER);
        (free_at < Time::NEVER).then_some(free_at)
    }

    /// What comes may join again: nothing is under way.
    pub(crate) fn open(&mut self) {
        self.free_at = Time::ZERO;
    }

    /// Until when what comes out matters to nobody else.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn apart_until(&self) -> Time {
        self.apart_until
    }

    /// When all that joined is sent.
    pub(crate) fn free_at(&self) -> Time {
        self.free_at
    }

    /// Whether nothing may join.
    pub(crate) fn is_closed(&self) -> bool {
        self.free_at == Time::NEVER
    }
}

/// While one waits, the link before could send so many packets of its size: each that comes out
/// before it moves past it. More of them would let more join, and cost those that pass more.
const PASSED_BY: u64 = 64;

/// So many times as fast as a slow link is the one before.
const SLOW: u64 = 4;

/// How many join before the one for whose memory is asked.
const JOIN_BEFORE: usize = 8;

/// Where none is fresh.
const NO_FRESH: (Time, LinkId) = (Time::NEVER, LinkId::MAX);

impl Train {
    /// The train behind a link, `id`, through others that are like `next`.
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
            last_takes: Span::ZERO,
            last_crosses: Span::ZERO,
            booked_until: Time::ZERO,
            fresh: Unordered::default(),
            first_fresh: NO_FRESH,
            news: Time::NEVER,
            last_arrives: Time::ZERO,
        }
    }

    /// Whether its links are so slow beside the one before that packets of a flow often wait there
    /// for each other.
    pub(crate) fn has_slow_links(&self) -> bool {
        SLOW * self.patience <= PASSED_BY
    }

    /// When a packet comes out of the link on that track, which is open, that will arrive there at
    /// `stamp`, if it may join.
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

    /// Whether a packet that arrives at `stamp` may wait for those that joined before it; if so,
    /// the link takes note of it. There is room for all that may wait then, however large.
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

    /// A packet of that size is looked at: mostly the last had the same.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn turn_to(&mut self, size: u16) {
        if size != self.last_size {
            self.last_size = size;
            self.last_takes = self.pace.to_send(size);
            self.last_crosses = self.last_takes + self.pace.delay;
        }
    }

    /// Prefetches the memory of one that joins soon, if it `has_turns` as the next: where many are
    /// on their way it was read long ago.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn prefetch_room(&mut self, has_turns: bool) {
        if has_turns {
            self.fresh.prefetch_room(JOIN_BEFORE);
        } else {
            self.packets.prefetch_slot(JOIN_BEFORE);
        }
    }

    /// Takes in a packet that goes through `link`, of which it comes out at `out`, and `has_turns`
    /// where it waits for a round; tells whether it is the first.
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

    /// What comes out of a link of this train, on that track, matters to nobody else until an
    /// instant; from the start, where it always matters.
    pub(crate) fn set_apart(&mut self, track: &mut Track, until: Time) {
        self.not_apart -= usize::from(track.apart_until == Time::ZERO);
        self.not_apart += usize::from(until == Time::ZERO);
        if until > Time::ZERO {
            self.apart_until = self.apart_until.min(until);
        }
        track.apart_until = until;
    }

    /// Whether what comes out at `time` matters to nobody else, whatever link it comes out of.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn is_apart(&self, time: Time) -> bool {
        self.not_apart == 0 && time < self.apart_until
    }

    /// Puts the fresh ones among the others.
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

    /// Takes the first; there must be [one](Self::next).
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn leave(&mut self) -> SimPacket {
        self.packets.take()
    }

    /// Whether all that comes out of it has arrived, so that its path need not be asked.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn ends_paths(&self) -> bool {
        self.ends_paths
    }

    /// The same, and when the one behind it comes out, and of which link; never, where there is
    /// none.
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

    /// When the first comes out, and of which link.
    pub(crate) fn next(&self, shared: &Shared) -> Option<(Time, LinkId)> {
        let fresh = Some(self.first_fresh).filter(|&fresh| fresh != NO_FRESH);
        self.next_in_order(shared).into_iter().chain(fresh).min()
    }

    /// The same without those that wait for a round.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn next_in_order(&self, shared: &Shared) -> Option<(Time, LinkId)> {
        let first = self.packets.first()?;
        Some((first.stamp, shared.came_over(first)))
    }

    /// Whether there are more packets than one.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn has_several(&self) -> bool {
        let fresh = self.fresh.packets().len();
        fresh > 1 || self.packets.len() > 1 - fresh
    }

    /// When the transmission began of the packet that has just left; none where it is in the books
    /// of its link.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn began(&mut self, packet: &SimPacket) -> Option<Time> {
        self.turn_to(packet.size);
        let began = before(packet.stamp, self.last_crosses);
        (began >= self.booked_until).then_some(began)
    }

    /// The packets whose transmission begins before `until` and that are not in the books of their
    /// links: when it does, and where. From now on they count as booked.
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

    /// Takes out what comes out of its link at `from` or later, as far as it `leaves` by link and
    /// by when it is sent, in its order.
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

    /// Whether all is known that arrives at its links before `began`.
    #[inline]
    pub(crate) fn knows_until(&self, began: Time) -> bool {
        began <= self.last_arrives
    }

    /// What comes out of a link on an open track before this instant is in the train.
    pub(crate) fn complete_until(&self) -> Time {
        self.last_arrives + self.pace.delay
    }

    /// A packet that comes out then is left for the next round.
    pub(crate) fn leave_for_next(&mut self, out: Time) {
        self.news = self.news.min(out);
    }

    /// Whether a round is due, so that what comes out next may have its turn.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn is_round_due(&self, now: Time) -> bool {
        self.news <= now
    }

    /// Finds the turns in a round that begins `now`.
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

    /// What was taken out in a round is not in the train any more, and what was not is in its
    /// place.
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

    /// When a packet comes out that is sent then.
    pub(crate) fn out(&self, sent: Time) -> Time {
        sent + self.pace.delay
    }

    /// The packet that comes out after `index` others; where there are not so many, one that did.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn ahead(&self, index: usize) -> Option<&SimPacket> {
        self.packets.near(index)
    }

    /// All that are in it.
    pub(crate) fn packets(&self) -> impl Iterator<Item = &SimPacket> {
        let in_order = self.packets.iter();
        in_order.chain(self.fresh.packets())
    }
}

/// The instant that lies a span before another.
#[inline(always)]
#[allow(clippy::inline_always)]
fn before(out: Time, takes: Span) -> Time {
    Time::from_ps(out.as_ps() - takes.as_ps())
}
