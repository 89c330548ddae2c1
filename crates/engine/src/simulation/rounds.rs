//! The part of the run loop that takes packets out of trains in [rounds](crate::round).

use sojourn_base::Time;
use sojourn_base::prefetch::{prefetch, prefetch_all};
use sojourn_traffic::Direction;

use super::Simulation;
use crate::round::Round;
use crate::{Kind, Observer};

/// How many turns come before those for which memory is prefetched, as in `trains`.
const AHEAD: [usize; 4] = [12, 8, 5, 2];

impl<O: Observer> Simulation<O> {
    /// Takes out the packets that come out of a train before `until`, flow by flow, if they may
    /// have their turns; the others are in order afterwards.
    #[inline(never)]
    pub(super) fn go_round(&mut self, number: usize, now: Time, until: Time) {
        let mut round = core::mem::take(&mut self.round);
        let lanes = self.shared.lanes.len();
        self.trains[number].begin_round(now, &mut round, lanes);
        if round.is_worthwhile() {
            self.in_round = true;
            let mut turn = 0;
            while let Some(first) = round.turn(turn) {
                let train = &self.trains[number];
                self.look_ahead_at(AHEAD.map(|turns| train.in_round(round.turn(turn + turns)?)));
                // Of those behind it, each asks for the one after the next.
                let second = round
                    .turn(turn + AHEAD[1])
                    .and_then(|first| round.after(first));
                let second = second.and_then(|place| train.in_round(place));
                second.into_iter().for_each(prefetch_all);
                self.take_turn(number, &mut round, first, until);
                turn += 1;
            }
            self.in_round = false;
        }
        let train = &mut self.trains[number];
        train.end_round(&round, &self.shared);
        let (time, slot) = train.next(&self.shared).unwrap_or((Time::NEVER, 0));
        self.train_deliveries.replace_first_with(time, slot);
        self.round = round;
    }

    /// Lets the packets of one flow come out, from the place `first` on, for as long as the flow
    /// may have its turn.
    fn take_turn(&mut self, number: usize, round: &mut Round, first: usize, until: Time) {
        let train = &self.trains[number];
        let Some(packet) = train.in_round(first) else {
            return;
        };
        let (id, receives_acks) = (self.shared.came_over(packet), packet.is(Kind::Ack));
        let slot = self.shared.lanes[packet.lane()].slot;
        let track = &self.tracks[id as usize];
        if !track.has_turns || self.tcp.connections.get(slot as usize).is_none() {
            return;
        }
        let apart_until = track.apart_until();
        let mut next = Some(first);
        while let Some(place) = next {
            let train = &mut self.trains[number];
            let Some(&packet) = train.in_round(place) else {
                return;
            };
            let (now, began) = (packet.stamp, train.began(&packet));
            let waits = self.links[id as usize].waiting_in_train() > 0;
            let is_known = !waits || began.is_none_or(|began| train.knows_until(began));
            if now >= apart_until {
                return;
            }
            if now >= until || !is_known {
                train.leave_for_next(now);
                return;
            }
            self.look_ahead_in_turn(number, round, place, slot);
            self.expire_before(slot, now, receives_acks);
            if let Some(began) = began {
                let observer = &mut self.observer;
                self.links[id as usize].go_in_train(id, began, &packet, &self.shared, observer);
            }
            let at_end = self.trains[number].ends_paths();
            self.hand_on(id, now, &packet, at_end);
            next = round.take(place);
        }
        if !self.tracks[id as usize].is_closed() {
            let complete_until = self.trains[number].complete_until();
            let until = until.min(apart_until).min(complete_until);
            self.expire_before(slot, until, receives_acks);
        }
    }

    /// Prefetches what the next packets of a flow need; the flow's own state is in the cache by
    /// then.
    #[inline]
    fn look_ahead_in_turn(&self, number: usize, round: &Round, place: usize, slot: u32) {
        let train = &self.trains[number];
        let Some(next) = round.after(place) else {
            return;
        };
        if let Some(packet) = train.in_round(next) {
            if packet.is(Kind::Ack) {
                prefetch(self.shared.acks.get(packet.ack_place()));
                let sender = &self.tcp.connections[slot as usize].forward.sender;
                sender.prefetch_entries();
            } else {
                self.shared.acks.prefetch_room();
            }
        }
        if let Some(packet) = round.after(next).and_then(|later| train.in_round(later)) {
            prefetch_all(packet);
        }
    }

    /// Runs the timers of that end of a connection that are due before `now`, each at its instant.
    #[inline]
    fn expire_before(&mut self, slot: u32, now: Time, receives_acks: bool) {
        loop {
            let half = &self.tcp.connections[slot as usize].forward;
            let due = if receives_acks {
                half.sender.next_timer()
            } else {
                half.receiver.next_timer()
            };
            match due {
                Some(due) if due < now => self.expire_end(slot, due, receives_acks),
                _ => return,
            }
        }
    }

    #[inline(never)]
    fn expire_end(&mut self, slot: u32, due: Time, receives_acks: bool) {
        if receives_acks {
            let connection = &mut self.tcp.connections[slot as usize];
            connection.forward.expire_sender(due);
            self.pump(slot, Direction::Forward, due);
        } else {
            self.expire_receiver(slot, Direction::Forward, due);
        }
    }
}
