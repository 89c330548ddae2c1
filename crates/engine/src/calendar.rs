//! The event calendar: a heap of the slots that have something to do.
//!
//! The standard binary heap with its top re-keyed in place, since almost every event of a link or
//! a source begets the next one of the same. Entries at one instant come in the order of their
//! slots, never in the order of insertion.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use sojourn_base::Time;

/// Instants and slots, earliest first.
#[derive(Debug, Default)]
pub struct Calendar {
    heap: BinaryHeap<Reverse<(Time, u32)>>,
}

impl Calendar {
    /// A calendar with room for `slots` entries.
    pub fn with_capacity(slots: usize) -> Self {
        Self {
            heap: BinaryHeap::with_capacity(slots),
        }
    }

    /// The instant of the earliest entry; [`Time::NEVER`] when there is none.
    #[inline]
    pub fn next_time(&self) -> Time {
        self.heap
            .peek()
            .map_or(Time::NEVER, |Reverse((time, _))| *time)
    }

    /// The earliest entry.
    #[inline]
    pub fn peek(&self) -> Option<(Time, u32)> {
        self.heap.peek().map(|Reverse(entry)| *entry)
    }

    /// Adds an entry.
    #[inline]
    pub fn push(&mut self, time: Time, slot: u32) {
        self.heap.push(Reverse((time, slot)));
    }

    /// Moves the earliest entry to `time`; [`Time::NEVER`] removes it.
    #[inline]
    pub fn replace_top(&mut self, time: Time) {
        let Some(mut top) = self.heap.peek_mut() else {
            return;
        };
        if time < Time::NEVER {
            top.0.0 = time;
        } else {
            PeekMut::pop(top);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_come_in_the_order_of_slots() {
        let mut calendar = Calendar::default();
        for slot in [3, 1, 2, 0] {
            calendar.push(Time::from_ps(5), slot);
        }
        calendar.push(Time::from_ps(4), 9);
        let mut seen = Vec::new();
        while let Some((_, slot)) = calendar.peek() {
            seen.push(slot);
            calendar.replace_top(Time::NEVER);
        }
        assert_eq!(seen, [9, 0, 1, 2, 3]);
    }

    #[test]
    fn the_top_moves_in_place() {
        let mut calendar = Calendar::default();
        calendar.push(Time::from_ps(1), 7);
        calendar.push(Time::from_ps(2), 8);
        calendar.replace_top(Time::from_ps(3));
        assert_eq!(calendar.peek(), Some((Time::from_ps(2), 8)));
    }
}
