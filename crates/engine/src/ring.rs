//! A first-in first-out ring of small values; the number of its slots is a power of two.

use sojourn_base::prefetch::prefetch;

/// Values in the order in which they were added. A slot is found with a mask, where a deque of any
/// capacity has to compare and subtract. The first value is read without being moved, and a new one
/// is written directly in its slot.
#[derive(Debug, Clone)]
pub(crate) struct Ring<T> {
    slots: Box<[T]>,
    /// The place of the first value. Places are counted up and wrap.
    head: u32,
    /// The place after the last value.
    tail: u32,
}

/// The number of slots of a ring that was never full.
const FIRST_SLOTS: usize = 4;

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self {
            slots: Box::default(),
            head: 0,
            tail: 0,
        }
    }
}

impl<T: Copy> Ring<T> {
    /// The number of values.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.tail.wrapping_sub(self.head) as usize
    }

    /// Whether there are no values.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.head == self.tail
    }

    #[inline]
    fn slot(&self, place: u32) -> usize {
        place as usize & self.slots.len().wrapping_sub(1)
    }

    /// The place of value number `index`.
    #[inline]
    fn place(&self, index: u32) -> u32 {
        self.head.wrapping_add(index)
    }

    /// The value behind `index` others.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        if index < self.len() {
            self.slots.get(self.slot(self.place(index as u32)))
        } else {
            None
        }
    }

    /// The same, mutable.
    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if index < self.len() {
            let slot = self.slot(self.place(index as u32));
            self.slots.get_mut(slot)
        } else {
            None
        }
    }

    /// The first.
    #[inline]
    pub(crate) fn first(&self) -> Option<&T> {
        if self.is_empty() {
            None
        } else {
            self.slots.get(self.slot(self.head))
        }
    }

    /// The first value; if there is none, whatever is in its slot.
    #[inline]
    pub(crate) fn next_up(&self) -> Option<&T> {
        self.near(0)
    }

    /// The value behind `index` others; if there is none, whatever is in its slot.
    #[inline]
    pub(crate) fn near(&self, index: usize) -> Option<&T> {
        self.slots.get(self.slot(self.place(index as u32)))
    }

    /// Prefetches the slot that is filled after `others` more values.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub(crate) fn prefetch_slot(&self, others: usize) {
        let place = self.tail.wrapping_add(others as u32);
        let slot = self.slots.get(self.slot(place));
        slot.into_iter().for_each(prefetch);
    }

    /// Takes the first value of a ring that is not empty.
    #[inline]
    pub(crate) fn take(&mut self) -> T {
        self.take_and_see().0
    }

    /// The same, and returns also the value that is the first then, if there is one.
    #[inline]
    pub(crate) fn take_and_see(&mut self) -> (T, Option<&T>) {
        debug_assert!(!self.is_empty());
        let value = self.slots[self.slot(self.head)];
        self.head = self.head.wrapping_add(1);
        if self.is_empty() {
            self.clear();
            return (value, None);
        }
        (value, self.next_up())
    }

    /// Drops the first value of a ring that is not empty. A ring that becomes empty begins at its
    /// first slot again: most links hold a packet or two at a time, and their rings stay in the
    /// same few cache lines, however long a burst has made them.
    #[inline]
    pub(crate) fn drop_first(&mut self) {
        debug_assert!(!self.is_empty());
        self.head = self.head.wrapping_add(1);
        if self.is_empty() {
            self.clear();
        }
    }

    /// Drops all values; begins at the first slot again.
    #[inline]
    pub(crate) fn clear(&mut self) {
        (self.head, self.tail) = (0, 0);
    }

    /// Adds a value behind all others and changes it in its slot: so it is copied only once, and as
    /// a whole. Returns whether it is the only one.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet and link
    pub(crate) fn push(&mut self, value: &T, change: impl FnOnce(&mut T)) -> bool {
        self.have_room(value);
        let slot = self.slot(self.tail);
        self.tail = self.tail.wrapping_add(1);
        let place = &mut self.slots[slot];
        *place = *value;
        change(place);
        self.head.wrapping_add(1) == self.tail
    }

    /// Adds a value, changed, before those that are `later`; returns whether it is the first. If
    /// more than `most` values are later, does nothing and returns none.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet and link
    pub(crate) fn push_before(
        &mut self,
        value: &T,
        change: impl FnOnce(&mut T),
        later: impl Fn(&T) -> bool,
        most: u32,
    ) -> Option<bool> {
        if self.is_empty() {
            return Some(self.push(value, change));
        }
        if !later(&self.slots[self.slot(self.tail.wrapping_sub(1))]) {
            self.push(value, change);
            return Some(false);
        }
        let place = self.make_place(later, most, value)?;
        let slot = self.slot(place);
        let stands = &mut self.slots[slot];
        *stands = *value;
        change(stands);
        Some(place == self.head)
    }

    /// Moves the values that are `later` towards the tail by one slot, unless there are more than
    /// `most` of them; returns the place before them. The new value is written there only, not at
    /// the tail first, and as a whole, for store forwarding (see `SimPacket`).
    #[inline(never)]
    fn make_place(&mut self, later: impl Fn(&T) -> bool, most: u32, filler: &T) -> Option<u32> {
        let others = self.tail.wrapping_sub(self.head);
        if others > most && later(&self.slots[self.slot(self.tail.wrapping_sub(most + 1))]) {
            return None;
        }
        self.have_room(filler);
        let mut place = self.tail;
        self.tail = place.wrapping_add(1);
        while place != self.head {
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

    /// Adds `values`, which are in order like the others, each before those that are `later` than
    /// it.
    pub(crate) fn merge<'a>(
        &mut self,
        values: impl DoubleEndedIterator<Item = &'a T> + ExactSizeIterator + Clone,
        later: impl Fn(&T, &T) -> bool,
    ) where
        T: 'a,
    {
        let last = self.get(self.len().wrapping_sub(1));
        let are_last = match (last, values.clone().next()) {
            (Some(last), Some(first)) => !later(last, first),
            _ => true,
        };
        for value in values.clone() {
            self.push(value, |_| ());
        }
        if are_last {
            return;
        }
        let mut end = self.tail.wrapping_sub(values.len() as u32);
        for (before, value) in values.enumerate().rev() {
            let others = end.wrapping_sub(self.head);
            if others == 0 || !later(&self.slots[self.slot(end.wrapping_sub(1))], value) {
                // It stands where it was added, or all others that did have moved.
                let slot = self.slot(end.wrapping_add(before as u32));
                self.slots[slot] = *value;
                continue;
            }
            let first = self.place(self.first_of(others, |other| !later(other, value)));
            self.shift(first, end, before as u32 + 1);
            let slot = self.slot(first.wrapping_add(before as u32));
            self.slots[slot] = *value;
            end = first;
        }
    }

    /// Moves the values from `first` up to `end` by `by` places towards the tail.
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

    /// The number of values at the front for which `is_before` is true; the values are in order.
    pub(crate) fn count_before(&self, is_before: impl Fn(&T) -> bool) -> usize {
        self.first_of(self.tail.wrapping_sub(self.head), is_before) as usize
    }

    /// The same among the first `others` values.
    fn first_of(&self, mut others: u32, is_before: impl Fn(&T) -> bool) -> u32 {
        let mut first = 0;
        while others > 0 {
            let middle = first + others / 2;
            if is_before(&self.slots[self.slot(self.place(middle))]) {
                first = middle + 1;
                others -= others / 2 + 1;
            } else {
                others /= 2;
            }
        }
        first
    }

    /// Keeps the first `first`, and of the others those that `stay`.
    pub(crate) fn retain(&mut self, first: usize, mut stay: impl FnMut(&T) -> bool) {
        let mut place = self.place(first as u32);
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
    }

    /// Makes room for one more value.
    #[inline(always)]
    #[allow(clippy::inline_always)] // a comparison
    fn have_room(&mut self, filler: &T) {
        if self.len() == self.slots.len() {
            self.make_room(*filler);
        }
    }

    /// Doubles the number of slots.
    #[cold]
    #[inline(never)]
    fn make_room(&mut self, filler: T) {
        // They grow where they lie, if the allocator can.
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

    /// All values, from the first on.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len() as u32).map(|index| &self.slots[self.slot(self.place(index))])
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
                assert_eq!(ring.push(&value, |_| ()), deque.is_empty());
                deque.push_back(value);
            } else if !deque.is_empty() {
                assert_eq!(Some(ring.take()), deque.pop_front());
            }
            assert_eq!(ring.len(), deque.len());
            assert_eq!(ring.first(), deque.front());
            assert_eq!(ring.get(deque.len() / 2), deque.get(deque.len() / 2));
        }
        assert!(ring.iter().eq(deque.iter()));
    }

    /// Values that come out of order: each before few others, or many of them at once.
    #[test]
    fn what_comes_before_others_stands_before_them() {
        let mut stream = sojourn_base::Stream::new(5);
        let mut ring = Ring::default();
        let (mut early, mut expected) = (Vec::new(), Vec::new());
        let mut taken = 0;
        for round in 0..20_000_u64 {
            let value = (round + stream.below(40), round);
            let first = ring.first().copied();
            let later = ring.iter().filter(|other| **other > value);
            let are_few = later.count() <= 16;
            match ring.push_before(&value, |_| (), |other| *other > value, 16) {
                Some(is_first) if are_few => {
                    assert_eq!(is_first, first.is_none_or(|first| value < first));
                }
                None if !are_few => early.push(value),
                told => panic!("{told:?}, with few later ones: {are_few}"),
            }
            let standing: Vec<_> = ring.iter().copied().collect();
            assert!(standing.is_sorted());
            assert_eq!(standing.len() + early.len() + taken, round as usize + 1);
            expected.push(value);
            if stream.below(30) == 0 {
                early.sort_unstable();
                ring.merge(early.iter(), |one, other| one > other);
                early.clear();
                expected.sort_unstable();
                let known = stream.below(expected.len() as u64 + 1) as usize;
                for value in expected.drain(..known) {
                    assert_eq!(ring.take(), value);
                }
                taken += known;
            }
        }
        assert!(taken > 10_000);
    }

    /// The ring is full: there must be more slots first.
    #[test]
    fn one_finds_its_place_in_a_full_ring() {
        let mut ring = Ring::default();
        for value in 1..=64 {
            ring.push(&(10 * value), |_| ());
        }
        for _ in 0..40 {
            ring.take();
        }
        for value in 65..=104 {
            ring.push(&(10 * value), |_| ());
        }
        let is_first = ring.push_before(&505, |value| *value += 1, |other| *other > 505, 64);
        assert_eq!(is_first, Some(false));
        let expected = (41..=50).map(|value| 10 * value).chain([506]);
        let expected = expected.chain((51..=104).map(|value| 10 * value));
        assert!(ring.iter().copied().eq(expected));
        assert_eq!(ring.slots.len(), 128);
    }

    /// Some leave from the middle on, while the ring wraps.
    #[test]
    fn what_stays_keeps_its_order() {
        let mut stream = sojourn_base::Stream::new(6);
        let (mut ring, mut expected) = (Ring::default(), Vec::new());
        for round in 0..2_000_u64 {
            for value in 10 * round..10 * round + stream.below(10) {
                ring.push(&value, |_| ());
                expected.push(value);
            }
            let from = 10 * round - stream.below(round.min(4) + 1) * 10;
            let first = ring.count_before(|&value| value < from);
            assert_eq!(
                first,
                expected.iter().filter(|&&value| value < from).count()
            );
            ring.retain(first, |value| value % 3 > 0);
            expected.retain(|value| *value < from || value % 3 > 0);
            for value in expected.drain(..expected.len() / 3) {
                assert_eq!(ring.take(), value);
            }
            assert!(ring.iter().eq(&expected), "round {round}");
        }
    }
}
