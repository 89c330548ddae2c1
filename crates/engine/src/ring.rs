//! A first-in first-out ring of small values, in a power of two of slots.

/// Values in the order in which they came, and behind them those that are announced: known, but
/// still on their way here. A mask finds a slot, where a deque of any capacity has to compare and
/// subtract; the head is read without being moved, and what is announced comes in where it lies.
#[derive(Debug, Clone)]
pub(crate) struct Ring<T> {
    slots: Box<[T]>,
    /// Where the first value stands. Places are counted up for ever and wrap.
    head: u32,
    /// The place behind the last value that is in.
    inside: u32,
    /// The place of the first announced value: `inside`, but for those turned away since.
    outside: u32,
    /// The place behind the last announced value.
    tail: u32,
}

/// Slots of a ring that was never full.
const FIRST_SLOTS: usize = 4;

/// Announced values that move up behind one that was turned away: where more are announced, each is
/// moved when it comes in.
const FEW: u32 = 16;

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self {
            slots: Box::default(),
            head: 0,
            inside: 0,
            outside: 0,
            tail: 0,
        }
    }
}

impl<T: Copy> Ring<T> {
    /// How many are in.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.inside.wrapping_sub(self.head) as usize
    }

    /// Whether none is in and none announced.
    #[inline]
    pub(crate) fn is_unused(&self) -> bool {
        self.head == self.tail
    }

    #[inline]
    fn slot(&self, place: u32) -> usize {
        place as usize & self.slots.len().wrapping_sub(1)
    }

    /// The value number `index` from the head.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        if index < self.len() {
            self.slots
                .get(self.slot(self.head.wrapping_add(index as u32)))
        } else {
            None
        }
    }

    /// The same, to change it.
    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if index < self.len() {
            let slot = self.slot(self.head.wrapping_add(index as u32));
            self.slots.get_mut(slot)
        } else {
            None
        }
    }

    /// The value at the head.
    #[inline]
    pub(crate) fn head(&self) -> Option<&T> {
        self.get(0)
    }

    /// The value that comes next, in or announced, or what lies in its place.
    #[inline]
    pub(crate) fn next_up(&self) -> Option<&T> {
        let place = if self.head == self.inside {
            self.outside
        } else {
            self.head
        };
        self.slots.get(self.slot(place))
    }

    /// Takes the head, of a ring that is not empty.
    #[inline]
    pub(crate) fn take_head(&mut self) -> T {
        debug_assert!(self.len() > 0);
        let value = self.slots[self.slot(self.head)];
        self.head = self.head.wrapping_add(1);
        self.begin_anew();
        value
    }

    /// Drops the head of a ring that is not empty.
    #[inline]
    pub(crate) fn drop_head(&mut self) {
        debug_assert!(self.len() > 0);
        self.head = self.head.wrapping_add(1);
        self.begin_anew();
    }

    /// An empty ring begins anew: one that holds a packet or two at a time, as those of most
    /// links do, stays in the same few cache lines however long a burst once made it.
    #[inline]
    fn begin_anew(&mut self) {
        if self.head == self.tail {
            (self.head, self.inside, self.outside, self.tail) = (0, 0, 0, 0);
        }
    }

    /// Adds one at the tail of those that are in, and changes it there; none may be announced.
    #[inline]
    pub(crate) fn push(&mut self, value: &T, change: impl FnOnce(&mut T)) {
        debug_assert!(self.outside == self.tail);
        self.announce(value, change);
        self.inside = self.tail;
        self.outside = self.tail;
    }

    /// Announces one, behind all others, and changes it there: it is copied but once, and whole.
    /// Tells whether it is the only one.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet and link
    pub(crate) fn announce(&mut self, value: &T, change: impl FnOnce(&mut T)) -> bool {
        self.have_room(value);
        let slot = self.slot(self.tail);
        self.tail = self.tail.wrapping_add(1);
        let place = &mut self.slots[slot];
        *place = *value;
        change(place);
        self.outside.wrapping_add(1) == self.tail
    }

    /// Announces one, changed, before those announced that are `later`; tells whether it is the first.
    /// Where these are more than `most` it does nothing, and tells nothing.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet and link
    pub(crate) fn announce_before(
        &mut self,
        value: &T,
        change: impl FnOnce(&mut T),
        later: impl Fn(&T) -> bool,
        most: u32,
    ) -> Option<bool> {
        let in_order =
            self.outside == self.tail || !later(&self.slots[self.slot(self.tail.wrapping_sub(1))]);
        if in_order {
            return Some(self.announce(value, change));
        }
        let place = self.make_place(later, most, value)?;
        let slot = self.slot(place);
        let stands = &mut self.slots[slot];
        *stands = *value;
        change(stands);
        Some(place == self.outside)
    }

    /// Moves those that are `later` towards the tail by one, unless they are more than `most`; tells the
    /// place before them. The value that comes there is written there alone: at the tail it would be
    /// read as a whole just after it was written in pieces, and the processor would wait for that.
    #[inline(never)]
    fn make_place(&mut self, later: impl Fn(&T) -> bool, most: u32, filler: &T) -> Option<u32> {
        let others = self.tail.wrapping_sub(self.outside);
        if others > most && later(&self.slots[self.slot(self.tail.wrapping_sub(most + 1))]) {
            return None;
        }
        self.have_room(filler);
        let mut place = self.tail;
        self.tail = place.wrapping_add(1);
        while place != self.outside {
            let before = self.slot(place.wrapping_sub(1));
            if !later(&self.slots[before]) {
                break;
            }
            let here = self.slot(place);
            self.slots[here] = self.slots[before];
            place = place.wrapping_sub(1);
        }
        Some(place)
    }

    /// Announces `values`, which are in order, each before those announced that are `later` than it.
    pub(crate) fn merge<'a>(
        &mut self,
        values: impl DoubleEndedIterator<Item = &'a T> + ExactSizeIterator + Clone,
        later: impl Fn(&T, &T) -> bool,
    ) where
        T: 'a,
    {
        let last = self.announced_at(self.count_announced().wrapping_sub(1));
        let are_last = match (last, values.clone().next()) {
            (Some(last), Some(first)) => !later(last, first),
            _ => true,
        };
        for value in values.clone() {
            self.announce(value, |_| ());
        }
        if are_last {
            return;
        }
        let mut end = self.tail.wrapping_sub(values.len() as u32);
        for (before, value) in values.enumerate().rev() {
            let others = end.wrapping_sub(self.outside);
            if others == 0 || !later(&self.slots[self.slot(end.wrapping_sub(1))], value) {
                // It stands where it was announced, or all others that did have moved.
                let slot = self.slot(end.wrapping_add(before as u32));
                self.slots[slot] = *value;
                continue;
            }
            let not_later = self.first_of_announced(others, |other| !later(other, value));
            let first = self.outside.wrapping_add(not_later);
            self.shift(first, end, before as u32 + 1);
            let slot = self.slot(first.wrapping_add(before as u32));
            self.slots[slot] = *value;
            end = first;
        }
    }

    /// Moves all from `first` up to `end` by so many places towards the tail.
    fn shift(&mut self, first: u32, mut end: u32, by: u32) {
        while end != first {
            // Where source and destination are in one piece.
            let last = end.wrapping_sub(1);
            let (from, to) = (self.slot(last) + 1, self.slot(last.wrapping_add(by)) + 1);
            let length = (end.wrapping_sub(first) as usize).min(from).min(to);
            self.slots.copy_within(from - length..from, to - length);
            end = end.wrapping_sub(length as u32);
        }
    }

    /// The first that is announced.
    #[inline]
    pub(crate) fn announced(&self) -> Option<&T> {
        if self.outside == self.tail {
            None
        } else {
            self.slots.get(self.slot(self.outside))
        }
    }

    /// How many are announced.
    #[inline]
    pub(crate) fn count_announced(&self) -> usize {
        self.tail.wrapping_sub(self.outside) as usize
    }

    /// The announced one behind `index` others.
    #[inline]
    pub(crate) fn announced_at(&self, index: usize) -> Option<&T> {
        if (self.tail.wrapping_sub(self.outside) as usize) <= index {
            return None;
        }
        let slot = self.slot(self.outside.wrapping_add(index as u32));
        self.slots.get(slot)
    }

    /// Lets the first announced one in, where there is one.
    #[inline]
    pub(crate) fn admit(&mut self) {
        if self.outside == self.tail {
            return;
        }
        let follows = self.outside == self.inside;
        if !follows {
            self.slots[self.slot(self.inside)] = self.slots[self.slot(self.outside)];
        }
        self.inside = self.inside.wrapping_add(1);
        self.outside = self.outside.wrapping_add(1);
        if !follows {
            self.close_up();
        }
    }

    /// Turns the first announced one away, where there is one.
    #[inline]
    pub(crate) fn turn_away(&mut self) {
        if self.outside != self.tail {
            self.outside = self.outside.wrapping_add(1);
            self.close_up();
        }
    }

    /// Takes the first announced one, of a ring that has one, past all that are in.
    #[inline]
    pub(crate) fn take_announced(&mut self) -> T {
        debug_assert!(self.outside != self.tail);
        let value = self.slots[self.slot(self.outside)];
        self.turn_away();
        value
    }

    /// How many of those announced, which are in order, come first, as `is_before` tells.
    pub(crate) fn announced_before(&self, is_before: impl Fn(&T) -> bool) -> usize {
        let announced = self.tail.wrapping_sub(self.outside);
        self.first_of_announced(announced, is_before) as usize
    }

    /// The same among the first `others` of those announced.
    fn first_of_announced(&self, mut others: u32, is_before: impl Fn(&T) -> bool) -> u32 {
        let mut first = 0;
        while others > 0 {
            let middle = first + others / 2;
            if is_before(&self.slots[self.slot(self.outside.wrapping_add(middle))]) {
                first = middle + 1;
                others -= others / 2 + 1;
            } else {
                others /= 2;
            }
        }
        first
    }

    /// Keeps the first `first` of those announced, and of the others those that `stay`.
    pub(crate) fn retain_announced(&mut self, first: usize, mut stay: impl FnMut(&T) -> bool) {
        let mut place = self.outside.wrapping_add(first as u32);
        let mut kept = place;
        while place != self.tail {
            let value = self.slots[self.slot(place)];
            if stay(&value) {
                let slot = self.slot(kept);
                self.slots[slot] = value;
                kept = kept.wrapping_add(1);
            }
            place = place.wrapping_add(1);
        }
        self.tail = kept;
        self.close_up();
    }

    /// Gives back the slots of those that were turned away, where nobody stands before them or few
    /// behind them.
    #[inline]
    fn close_up(&mut self) {
        if self.inside == self.head {
            self.head = self.outside;
            self.inside = self.outside;
        } else if self.outside != self.inside && self.tail.wrapping_sub(self.outside) <= FEW {
            self.move_up();
        }
        self.begin_anew();
    }

    /// Moves the announced ones to where those stood that were turned away.
    #[inline(never)]
    fn move_up(&mut self) {
        let announced = self.tail.wrapping_sub(self.outside);
        for index in 0..announced {
            let from = self.slot(self.outside.wrapping_add(index));
            let to = self.slot(self.inside.wrapping_add(index));
            self.slots[to] = self.slots[from];
        }
        self.outside = self.inside;
        self.tail = self.inside.wrapping_add(announced);
    }

    /// Sees to it that there is a slot for one more.
    #[inline(always)]
    #[allow(clippy::inline_always)] // a comparison
    fn have_room(&mut self, filler: &T) {
        if self.tail.wrapping_sub(self.head) as usize == self.slots.len() {
            self.make_room(*filler);
        }
    }

    /// Where half of the slots are those of values turned away, the announced ones move up; else
    /// there will be twice as many slots.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, filler: T) {
        let turned_away = self.outside.wrapping_sub(self.inside) as usize;
        if turned_away > self.slots.len() / 2 {
            self.move_up();
            return;
        }
        // They grow where they lie, if the system can: of a million packets there is no second copy.
        let held = self.slots.len();
        let mut slots = core::mem::take(&mut self.slots).into_vec();
        let room = (2 * held).max(FIRST_SLOTS);
        slots.reserve_exact(room - held);
        slots.resize(room, filler);
        self.slots = slots.into_boxed_slice();
        let mut place = self.head;
        while place != self.tail {
            let (was, is) = (place as usize & held.wrapping_sub(1), self.slot(place));
            self.slots[is] = self.slots[was];
            place = place.wrapping_add(1);
        }
    }

    /// All that are in, from the head on.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// All that are announced, the first first.
    pub(crate) fn iter_announced(&self) -> impl Iterator<Item = &T> {
        let announced = self.tail.wrapping_sub(self.outside);
        (0..announced).map(|index| &self.slots[self.slot(self.outside.wrapping_add(index))])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn it_does_as_a_deque_does_while_it_wraps_and_grows() {
        let (mut ring, mut deque) = (Ring::default(), VecDeque::new());
        let mut stream = sojourn_base::Stream::new(3);
        for value in 0..10_000_u64 {
            // Grows in the first half, shrinks in the second.
            let share = if value < 5_000 { 0.6 } else { 0.4 };
            if stream.uniform() < share {
                ring.push(&value, |_| ());
                deque.push_back(value);
            } else if !deque.is_empty() {
                assert_eq!(Some(ring.take_head()), deque.pop_front());
            }
            assert_eq!(ring.len(), deque.len());
            assert_eq!(ring.head(), deque.front());
            assert_eq!(ring.get(deque.len() / 2), deque.get(deque.len() / 2));
        }
        assert!(ring.iter().eq(deque.iter()));
    }

    /// Values that are announced out of order: each before few others, or many of them at once.
    #[test]
    fn what_is_announced_stands_in_order() {
        let mut stream = sojourn_base::Stream::new(5);
        let mut ring = Ring::default();
        let (mut early, mut expected) = (Vec::new(), Vec::new());
        let mut taken = 0;
        for round in 0..20_000_u64 {
            let value = (round + stream.below(40), round);
            let first = ring.announced().copied();
            let later = ring.iter_announced().filter(|other| **other > value);
            let are_few = later.count() <= 16;
            match ring.announce_before(&value, |_| (), |other| *other > value, 16) {
                Some(is_first) if are_few => {
                    assert_eq!(is_first, first.is_none_or(|first| value < first));
                }
                None if !are_few => early.push(value),
                told => panic!("{told:?}, with few later ones: {are_few}"),
            }
            let standing: Vec<_> = ring.iter_announced().copied().collect();
            assert!(standing.is_sorted());
            assert_eq!(
                ring.iter_announced().count() + early.len() + taken,
                round as usize + 1
            );
            expected.push(value);
            if stream.below(30) == 0 {
                early.sort_unstable();
                ring.merge(early.iter(), |one, other| one > other);
                early.clear();
                expected.sort_unstable();
                let known = stream.below(expected.len() as u64 + 1) as usize;
                for value in expected.drain(..known) {
                    assert_eq!(ring.take_announced(), value);
                }
                taken += known;
            }
        }
        assert!(taken > 10_000);
    }

    /// The ring is full, but most slots are those of values turned away.
    #[test]
    fn one_finds_its_place_where_the_others_must_move_up() {
        let mut ring = Ring::default();
        ring.push(&0, |_| ());
        for value in 1..=63 {
            ring.announce(&(10 * value), |_| ());
        }
        for _ in 0..40 {
            ring.turn_away();
        }
        let is_first = ring.announce_before(&505, |value| *value += 1, |other| *other > 505, 16);
        assert_eq!(is_first, Some(false));
        let expected = (41..=50).map(|value| 10 * value).chain([506]);
        let expected = expected.chain((51..=63).map(|value| 10 * value));
        assert!(ring.iter_announced().copied().eq(expected));
        assert_eq!((ring.slots.len(), ring.iter().count()), (64, 1));
    }

    /// Some of those announced leave from the middle on, while the ring wraps.
    #[test]
    fn what_stays_keeps_its_order() {
        let mut stream = sojourn_base::Stream::new(6);
        let (mut ring, mut expected) = (Ring::default(), Vec::new());
        for round in 0..2_000_u64 {
            for value in 10 * round..10 * round + stream.below(10) {
                ring.announce(&value, |_| ());
                expected.push(value);
            }
            let from = 10 * round - stream.below(round.min(4) + 1) * 10;
            let first = ring.announced_before(|&value| value < from);
            assert_eq!(
                first,
                expected.iter().filter(|&&value| value < from).count()
            );
            ring.retain_announced(first, |value| value % 3 > 0);
            expected.retain(|value| *value < from || value % 3 > 0);
            for value in expected.drain(..expected.len() / 3) {
                assert_eq!(ring.take_announced(), value);
            }
            assert!(ring.iter_announced().eq(&expected), "round {round}");
        }
    }

    /// Two deques, of those inside and those announced, under all that may be done.
    #[test]
    fn what_is_announced_comes_in_or_is_turned_away_in_order() {
        let mut ring = Ring::default();
        let (mut inside, mut announced) = (VecDeque::new(), VecDeque::new());
        let mut stream = sojourn_base::Stream::new(4);
        for value in 0..20_000_u64 {
            // Grows in the first half, stands in the second.
            let coming = if value < 10_000 { 5 } else { 3 };
            match stream.below(10) {
                n if n < coming => {
                    // Some come before others, also where there must be more slots first.
                    let value = value.saturating_sub(stream.below(2) * stream.below(40));
                    let place = announced.partition_point(|other| *other <= value);
                    let is_first =
                        ring.announce_before(&value, |_| (), |other| *other > value, u32::MAX);
                    assert_eq!(is_first, Some(place == 0));
                    announced.insert(place, value);
                }
                5 | 6 if !announced.is_empty() => {
                    ring.admit();
                    inside.extend(announced.pop_front());
                }
                7 => {
                    ring.turn_away();
                    announced.pop_front();
                }
                _ if !inside.is_empty() => {
                    assert_eq!(Some(ring.take_head()), inside.pop_front());
                }
                _ => {}
            }
            assert_eq!(ring.announced(), announced.front());
            assert_eq!((ring.len(), ring.head()), (inside.len(), inside.front()));
        }
        assert!(ring.iter().eq(inside.iter()));
        assert!(ring.iter_announced().eq(announced.iter()));
    }
}
