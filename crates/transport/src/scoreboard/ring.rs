//! The entries of the scoreboard.

use sojourn_base::Time;
use sojourn_base::prefetch::prefetch;

use super::Sent;

/// Entries in the order in which they were added. Each has a number that it keeps; the first ever
/// added had number 0.
///
/// The number of slots is a power of two, so an entry is found from its number with a mask, where a
/// deque of any capacity has to compare and subtract. The number of the first entry is the number
/// of those that have left.
#[derive(Clone, Default)]
pub(super) struct Ring {
    slots: Box<[Sent]>,
    /// The number of the first entry: how many have left.
    gone: u64,
    /// The number of the next entry to be added.
    next: u64,
}

/// The number of slots of a ring that never had more entries.
const FIRST_SLOTS: usize = 4;

/// The content of a slot that has not been used.
const UNUSED: Sent = Sent {
    seq: 0,
    xmit: Time::ZERO,
    len: 0,
    order: 0,
    flags: 0,
};

impl Ring {
    #[inline]
    pub(super) const fn len(&self) -> usize {
        (self.next - self.gone) as usize
    }

    #[inline]
    pub(super) const fn is_empty(&self) -> bool {
        self.next == self.gone
    }

    /// How many entries there is memory for.
    pub(super) const fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// How many have left: the number of the first.
    #[inline]
    pub(super) const fn gone(&self) -> u64 {
        self.gone
    }

    /// The number of the next entry to be added.
    #[inline]
    pub(super) const fn next(&self) -> u64 {
        self.next
    }

    /// Prefetches the entry of that number, or the slot where it will be.
    #[inline]
    pub(super) fn prefetch(&self, number: u64) {
        let slot = self.slots.get(self.slot(number));
        slot.into_iter().for_each(prefetch);
    }

    #[inline]
    const fn slot(&self, number: u64) -> usize {
        number as usize & self.slots.len().wrapping_sub(1)
    }

    /// The entry of that number.
    #[inline]
    pub(super) fn numbered(&self, number: u64) -> Option<&Sent> {
        if number < self.next {
            self.slots.get(self.slot(number))
        } else {
            None
        }
    }

    /// The entry with `index` others before it.
    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&Sent> {
        self.numbered(self.gone + index as u64)
    }

    #[inline]
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut Sent> {
        let number = self.gone + index as u64;
        let slot = self.slot(number);
        if number < self.next {
            self.slots.get_mut(slot)
        } else {
            None
        }
    }

    #[inline]
    pub(super) fn front(&self) -> Option<&Sent> {
        self.numbered(self.gone)
    }

    #[inline]
    pub(super) fn back(&self) -> Option<&Sent> {
        if self.is_empty() {
            return None;
        }
        self.numbered(self.next - 1)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Sent> {
        (self.gone..self.next).filter_map(|number| self.numbered(number))
    }

    /// The number of entries before the first one that is not `inside`; no entry behind that one
    /// may be `inside`.
    pub(super) fn partition_point(&self, inside: impl Fn(&Sent) -> bool) -> usize {
        let (mut from, mut to) = (0, self.len());
        while from < to {
            let middle = from.midpoint(to);
            if self.get(middle).is_some_and(&inside) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }

    #[inline]
    pub(super) fn push(&mut self, entry: Sent) {
        if self.len() == self.slots.len() {
            self.move_to((2 * self.slots.len()).max(FIRST_SLOTS));
        }
        let slot = self.slot(self.next);
        if let Some(place) = self.slots.get_mut(slot) {
            *place = entry;
        }
        self.next += 1;
    }

    /// Removes the first `count` entries, which must exist.
    #[inline]
    pub(super) const fn release(&mut self, count: u64) {
        self.gone += count;
    }

    /// Gives back the memory beyond that of `entries` entries, or of those that there are.
    pub(super) fn shrink_to(&mut self, entries: usize) {
        let slots = entries.max(self.len()).next_power_of_two();
        if slots < self.slots.len() {
            self.move_to(slots);
        }
    }

    /// Continues with that number of slots.
    #[inline(never)]
    fn move_to(&mut self, slots: usize) {
        let mut moved = vec![UNUSED; slots].into_boxed_slice();
        for number in self.gone..self.next {
            moved[number as usize & (slots - 1)] = self.slots[self.slot(number)];
        }
        self.slots = moved;
    }
}

impl core::ops::Index<usize> for Ring {
    type Output = Sent;

    #[inline]
    fn index(&self, index: usize) -> &Sent {
        assert!(index < self.len(), "no entry {index}");
        &self.slots[self.slot(self.gone + index as u64)]
    }
}

impl core::ops::IndexMut<usize> for Ring {
    #[inline]
    fn index_mut(&mut self, index: usize) -> &mut Sent {
        assert!(index < self.len(), "no entry {index}");
        let slot = self.slot(self.gone + index as u64);
        &mut self.slots[slot]
    }
}

impl core::fmt::Debug for Ring {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_map()
            .entries((self.gone..self.next).zip(self.iter()))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use sojourn_base::Stream;

    use super::*;

    #[test]
    fn it_does_as_a_deque_does_while_it_wraps_grows_shrinks_and_empties() {
        let (mut ring, mut deque) = (Ring::default(), VecDeque::new());
        let mut random = Stream::new(4);
        for seq in 0..20_000 {
            match random.below(8) {
                // A burst, then long without one.
                0..4 if seq % 2_000 < 200 || deque.len() < 6 => {
                    let entry = Sent { seq, ..UNUSED };
                    ring.push(entry);
                    deque.push_back(entry);
                }
                4..7 => {
                    let count = random.below(deque.len() as u64 + 1).min(3);
                    ring.release(count);
                    deque.drain(..count as usize);
                }
                7 => ring.shrink_to(2 * deque.len()),
                _ => {}
            }
            assert_eq!(
                (ring.len(), ring.is_empty()),
                (deque.len(), deque.is_empty())
            );
            assert_eq!((ring.front(), ring.back()), (deque.front(), deque.back()));
            assert_eq!(ring.get(deque.len()), None);
            assert!(ring.iter().eq(&deque), "{seq}");
        }
    }
}
