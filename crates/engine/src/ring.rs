//! A first-in first-out ring of small values, in a power of two of slots.

/// Values in the order in which they came. A mask finds a slot, where a deque of any capacity has to
/// compare and subtract; the head is read without being moved.
#[derive(Debug, Clone)]
pub(crate) struct Ring<T> {
    slots: Box<[T]>,
    head: u32,
    len: u32,
}

/// Slots of a ring that was never full.
const FIRST_SLOTS: usize = 4;

impl<T> Default for Ring<T> {
    fn default() -> Self {
        Self {
            slots: Box::default(),
            head: 0,
            len: 0,
        }
    }
}

impl<T: Copy> Ring<T> {
    /// How many there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    #[inline]
    fn slot(&self, index: u32) -> usize {
        self.head.wrapping_add(index) as usize & self.slots.len().wrapping_sub(1)
    }

    /// The value number `index` from the head.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> Option<&T> {
        if index < self.len() {
            self.slots.get(self.slot(index as u32))
        } else {
            None
        }
    }

    /// The same, to change it.
    #[inline]
    pub(crate) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if index < self.len() {
            let slot = self.slot(index as u32);
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

    /// Takes the head, of a ring that is not empty.
    #[inline]
    pub(crate) fn take_head(&mut self) -> T {
        debug_assert!(self.len > 0);
        let value = self.slots[self.slot(0)];
        self.len -= 1;
        // An empty ring begins anew: one that holds a packet or two at a time, as those of most
        // links do, stays in the same few cache lines however long a burst once made it.
        self.head = if self.len == 0 {
            0
        } else {
            self.head.wrapping_add(1)
        };
        value
    }

    /// Adds one at the tail.
    #[inline]
    pub(crate) fn push(&mut self, value: T) {
        if self.len() == self.slots.len() {
            self.grow(value);
        }
        let slot = self.slot(self.len);
        self.slots[slot] = value;
        self.len += 1;
    }

    #[cold]
    fn grow(&mut self, filler: T) {
        let room = (2 * self.slots.len()).max(FIRST_SLOTS);
        let mut slots = Vec::with_capacity(room);
        slots.extend(self.iter());
        slots.resize(room, filler);
        self.slots = slots.into_boxed_slice();
        self.head = 0;
    }

    /// All of them, from the head on.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        (0..self.len()).filter_map(|index| self.get(index))
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
                ring.push(value);
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
}
