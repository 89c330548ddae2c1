//! The part of the run loop that moves packets in [trains](crate::train).

use sojourn_base::prefetch::{prefetch, prefetch_all};
use sojourn_base::{Span, Time};

use super::{Foreseen, Simulation};
use crate::calendar::Calendar;
use crate::connection::Connection;
use crate::link::Link;
use crate::routes::END;
use crate::train::Answered;
use crate::{Kind, LinkId, Observer, SimPacket};

/// How many packets of a train come before those for which memory is prefetched: for the packet
/// itself, for its lanes and paths, for what these lead to, and for what lies behind that.
const AHEAD: [usize; 4] = [12, 8, 5, 3];

/// The same for what lies one step further, where a rate is measured or something was lost.
const AHEAD_OF_FURTHEST: usize = 2;

// As in `hops`: the steps of an event are many and small, and each is written once.
#[allow(clippy::inline_always)]
impl<O: Observer> Simulation<O> {
    /// Lets a packet that will arrive at the link `next` at `stamp` join the train there, if there
    /// is one and the packet may. If not, the packets that wait there before it leave the train.
    #[inline(always)]
    pub(super) fn join_train(&mut self, packet: &SimPacket, next: LinkId, stamp: Time) -> bool {
        let Some(track) = self.tracks.get_mut(next as usize) else {
            return false;
        };
        let Some(number) = track.train().filter(|_| !track.is_closed()) else {
            return false;
        };
        let train = &mut self.trains[number];
        if self.looks_ahead {
            train.prefetch_room(track.has_turns);
        }
        let link = &mut self.links[next as usize];
        if let Some(out) = train.admits(track, link, stamp, packet.size) {
            if train.join(packet, next, out, track.has_turns, &self.shared) {
                if train.has_several() {
                    let tracks = &self.tracks;
                    let is_its = |link: LinkId| tracks[link as usize].train() == Some(number);
                    self.train_deliveries.bring_forward(is_its, out, next);
                } else {
                    self.train_deliveries.push(out, next);
                }
            }
            return true;
        }
        if let Some(first) = link.first_in_line(track.free_at()) {
            let out = train.out(first);
            self.leave_train(number, out, |id, _| (id == next).then_some(first));
        } else if let Some(free_at) = track.close() {
            link.free_at = free_at;
        }
        false
    }

    /// Lets the first packet of a train come out of its link, and then those behind it that come
    /// out before `until`, as long as none [affects](Self::is_apart) the next and no timer comes
    /// between them. So one train is followed after the other: no packet needs the calendar, and a
    /// processor predicts well what comes next.
    #[inline(always)]
    pub(super) fn deliver_from_train(&mut self, mut now: Time, until: Time) {
        let mut id = self.train_deliveries.next_slot();
        let Some(number) = self.train_through(id) else {
            return;
        };
        let answered = self.foresees(number, id, now);
        let (close_at, at_end) = (until, self.trains[number].ends_paths());
        let until = until.min(self.trains[number].complete_until());
        let mut timer = self.tcp.timers.next_time();
        let (after, known_until) = if let Some(Answered { link, after }) = answered {
            self.foreseen.link = link;
            let sent_until = until.min(self.sources.next_time());
            (after, close_at.min(sent_until + after))
        } else {
            (Span::ZERO, Time::ZERO)
        };
        loop {
            let train = &mut self.trains[number];
            // Never as an option: it is copied whole, for store forwarding (see `SimPacket`).
            let (packet, time, slot) = train.leave_in_order(&self.shared);
            let began = train.began(&packet);
            let goes_on = time < until && (train.is_apart(time) || self.is_apart(slot, time));
            self.foreseen.until = (time.min(timer) + after).min(known_until);
            if !goes_on {
                self.train_deliveries.replace_first_with(time, slot);
                self.come_out(number, id, now, &packet, began, at_end);
                self.foreseen = Foreseen::NOTHING;
                return;
            }
            self.come_out(number, id, now, &packet, began, at_end);
            if answered.is_some() && self.foreseen.link == END {
                // Packets have left a train, and the calendar was made anew.
                return;
            }
            timer = self.tcp.timers.next_time();
            if timer <= time {
                // To look at each in time would end every run for nothing.
                timer = self.put_off_timers(time);
            }
            if timer <= time {
                self.train_deliveries.replace_first_with(time, slot);
                self.foreseen = Foreseen::NOTHING;
                return;
            }
            (now, id) = (time, slot);
        }
    }

    /// The same where there may be [rounds](crate::round): if a round is due, takes out the whole
    /// train, otherwise only the first packet, since some of those behind it may wait for a round.
    #[inline(never)]
    pub(super) fn deliver_in_rounds(&mut self, now: Time, until: Time) {
        let id = self.train_deliveries.next_slot();
        let Some(number) = self.train_through(id) else {
            return;
        };
        let train = &mut self.trains[number];
        if train.is_round_due(now) {
            self.go_round(number, now, until);
            return;
        }
        let packet = train.leave();
        let began = train.began(&packet);
        let at_end = train.ends_paths();
        let (time, slot) = train.next(&self.shared).unwrap_or((Time::NEVER, 0));
        self.train_deliveries.replace_first_with(time, slot);
        self.come_out(number, id, now, &packet, began, at_end);
    }

    /// The link at which everything that answers the train from `now` on, first out of the link
    /// `id`, is taken in [at once](crate::handover): if nothing else can arrive there except what a
    /// timer sends. If the network does not fit the caches, this is worthwhile only if several
    /// packets come before the next timer: packets that a timer sends are announced, and have to be
    /// taken in before others.
    fn foresees(&self, number: usize, id: LinkId, now: Time) -> Option<Answered> {
        let answered = self.trains[number].answered?;
        let is_apart = self.trains[number].is_apart(now) || self.is_apart(id, now);
        let may = is_apart && self.delivering == 0;
        let link = &self.links[answered.link as usize];
        let is_worthwhile = || {
            let timer = self.tcp.timers.next_time();
            timer.since(now) >= link.takes_several()
        };
        (may && (!self.looks_ahead || is_worthwhile())).then_some(answered)
    }

    /// Whether whatever comes out of a link of a train at `time` affects nobody else before it
    /// arrives at a link that others use too; asked where this does not hold for the train as a
    /// whole.
    #[inline(always)]
    fn is_apart(&self, id: LinkId, time: Time) -> bool {
        let track = self.tracks.get(id as usize);
        track.is_some_and(|track| time < track.apart_until())
    }

    /// The train whose first packet comes out of the link `id`.
    #[inline(always)]
    fn train_through(&mut self, id: LinkId) -> Option<usize> {
        let number = self.tracks[id as usize].train();
        if number.is_none() {
            debug_assert!(false, "no train goes through link {id}");
            self.train_deliveries.replace_first(Time::NEVER);
        }
        number
    }

    /// A packet of a train comes out of its link. If `began` is given, the books of the link do not
    /// contain the beginning of its transmission yet, and it is booked now.
    #[inline(always)]
    fn come_out(
        &mut self,
        number: usize,
        id: LinkId,
        now: Time,
        packet: &SimPacket,
        began: Option<Time>,
        at_end: bool,
    ) {
        if let Some(began) = began {
            let link = &mut self.links[id as usize];
            link.go_in_train(id, began, packet, &self.shared, &mut self.observer);
        }
        if self.looks_ahead {
            self.look_ahead_in_train(number);
        }
        self.hand_on(id, now, packet, at_end);
    }

    /// Makes packets leave a train: at each link for which `from` returns an instant, those that
    /// are sent at that instant or later. They are announced to the link itself. All of them come
    /// out at `out` or later.
    #[inline(never)]
    pub(super) fn leave_train(
        &mut self,
        number: usize,
        out: Time,
        from: impl Fn(LinkId, &Link) -> Option<Time>,
    ) {
        let (train, links) = (&mut self.trains[number], &mut self.links);
        let leaves =
            |id, sent| from(id, &links[id as usize]).is_some_and(|first: Time| first <= sent);
        let mut leaving = train.take_out(out, leaves, &self.shared);
        if leaving.is_empty() {
            return;
        }
        for one in leaving.iter_mut().rev() {
            let link = &mut links[one.link as usize];
            link.free_at = one.begins;
            if let Some(arrives) = link.leave_train(one.sent) {
                one.arrives = arrives;
            }
            link.announce_back(&one.packet, one.arrives);
        }
        for one in &leaving {
            self.tracks[one.link as usize].close();
            if let Some(event) = self.links[one.link as usize].needs_calendar_for_first() {
                self.schedule(one.link, event);
            }
        }
        // The first of a train may have left it, and some come out of their links by events now.
        self.foreseen = Foreseen::NOTHING;
        let firsts = self.trains.iter();
        let firsts = firsts.filter_map(|train| train.next(&self.shared));
        self.train_deliveries = Calendar::default();
        for (time, link) in firsts {
            self.train_deliveries.push(time, link);
        }
    }

    /// Opens the track through a link again if the packet that the link has just delivered was the
    /// last one under way there outside the train.
    #[inline(always)]
    pub(super) fn open_track(&mut self, id: LinkId) {
        if let Some(track) = self.tracks.get_mut(id as usize)
            && track.is_closed()
            && self.links[id as usize].is_unused()
        {
            track.open();
        }
    }

    /// Prefetches what the next packets that come out of a train will need. Out of line, since it
    /// is not needed where there are few links.
    #[inline(never)]
    fn look_ahead_in_train(&self, number: usize) {
        let train = &self.trains[number];
        self.look_ahead_at(AHEAD.map(|packets| train.ahead(packets)));
        if let Some(packet) = train.ahead(AHEAD_OF_FURTHEST)
            && let Some(connection) = self.connection_of(packet)
        {
            let is_ack = packet.is(Kind::Ack);
            connection.prefetch_furthest(is_ack.then(|| self.shared.acks.get(packet.ack_place())));
        }
    }

    /// Prefetches what packets will need, starting with the furthest. Some may be packets that have
    /// come out already, and may not lead to anything.
    #[inline(always)]
    pub(super) fn look_ahead_at(&self, [far, later, soon, next]: [Option<&SimPacket>; 4]) {
        let shared = &self.shared;
        shared.acks.prefetch_room();
        // Out of which link it comes, and over which what answers it goes, if anything does.
        let links = |packet: &SimPacket| {
            let answer = shared.lane_of_answer(packet).first;
            [shared.came_over(packet), answer]
        };
        let link = |id: LinkId| self.links.get(id as usize);
        if let Some(far) = far {
            prefetch_all(far);
        }
        if let Some(later) = later {
            prefetch(&shared.lanes[later.lane()]);
            prefetch(shared.lane_of_answer(later));
            shared.paths.prefetch(later.at);
            if later.is(Kind::Ack) {
                prefetch_all(shared.acks.get(later.ack_place()));
            }
            self.observer.prefetch_far(later);
        }
        if let Some(soon) = soon {
            let [over, answer] = links(soon);
            if let (Some(link), Some(track)) = (link(over), self.tracks.get(over as usize)) {
                link.prefetch_in_train();
                prefetch(track);
            }
            if let Some(link) = link(answer) {
                if soon.is(Kind::Ack) {
                    link.prefetch_books();
                } else {
                    link.prefetch();
                }
            }
            if let Some(connection) = self.connection_of(soon) {
                connection.prefetch(soon.is(Kind::Ack));
            }
            if self.foreseen.link != END {
                // What answers it joins a train at once.
                let last = shared.paths.link(shared.lane_of_answer(soon).path + 2);
                self.tracks
                    .get(last as usize)
                    .into_iter()
                    .for_each(prefetch);
            }
            self.observer.prefetch_near(soon, [over, answer]);
        }
        if let Some(next) = next {
            let [over, answer] = links(next);
            if let Some(link) = link(over) {
                link.prefetch_wait();
            }
            if next.is(Kind::Ack)
                && let Some(link) = link(answer)
            {
                link.prefetch_booked();
            }
            if let Some(connection) = self.connection_of(next) {
                connection.prefetch_behind(next.is(Kind::Ack), next.number);
            }
            self.observer.prefetch_next(next, [over, answer]);
        }
    }

    /// The connection to which a packet belongs, if its lane knows it.
    #[inline(always)]
    fn connection_of(&self, packet: &SimPacket) -> Option<&Connection> {
        let slot = self.shared.lanes[packet.lane()].slot;
        self.tcp.connections.get(slot as usize)
    }
}
