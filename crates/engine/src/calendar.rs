//! The event calendar: the slots that have something to do, by time.
//!
//! The earliest entry stands apart, so that to look at it is one load; the others wait in the
//! standard binary heap, whose top is replaced in place, since almost every event of a link or a
//! source begets the next one of the same. Entries at one instant come in the order of their slots,
//! never in the order of insertion.
//!
//! Tried without gain: a heap of four children, keys of 128 bits, all entries in the heap, the place
//! of one that is taken away left open for the next that comes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use sojourn_base::Time;

/// Instants and slots, earliest first.
#[derive(Debug)]
pub struct Calendar {
    /// At [`Time::NEVER`] where there is none.
    first: (Time, u32),
    others: BinaryHeap<Reverse<(Time, u32)>>,
}

/// Stands for no entry: later than all.
const NONE: (Time, u32) = (Time::NEVER, u32::MAX);

impl Default for Calendar {
    fn default() -> Self {
        Self::with_capacity(0)
    }
}

impl Calendar {
    /// A calendar with room for `slots` entries.
    pub fn with_capacity(slots: usize) -> Self {
        Self {
            first: NONE,
            others: BinaryHeap::with_capacity(slots),
        }
    }

    /// The instant of the earliest entry; [`Time::NEVER`] when there is none.
    #[inline]
    pub fn next_time(&self) -> Time {
        self.first.0
    }

    /// The slot of the earliest entry; of no meaning when there is none.
    #[inline]
    pub fn next_slot(&self) -> u32 {
        self.first.1
    }

    /// Adds an entry, at an instant before [`Time::NEVER`].
    #[inline]
    pub fn push(&mut self, time: Time, slot: u32) {
        let later = self.first.max((time, slot));
        self.first = self.first.min((time, slot));
        if later != NONE {
            self.others.push(Reverse(later));
        }
    }

    /// Moves the earliest entry to `time`; [`Time::NEVER`] removes it.
    #[inline(always)]
    #[allow(clippy::inline_always)] // an eighth of all time
    pub fn replace_first(&mut self, time: Time) {
        let moved = if time < Time::NEVER {
            (time, self.first.1)
        } else {
            NONE
        };
        match self.others.peek_mut() {
            Some(mut next) if next.0 < moved => {
                if moved == NONE {
                    self.first = PeekMut::pop(next).0;
                } else {
                    self.first = core::mem::replace(&mut next.0, moved);
                }
            }
            _ => self.first = moved,
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
        while calendar.next_time() < Time::NEVER {
            seen.push(calendar.next_slot());
            calendar.replace_first(Time::NEVER);
        }
        assert_eq!(seen, [9, 0, 1, 2, 3]);
    }

    /// Against a sorted list, under pushes, moves and removals at random.
    #[test]
    fn it_does_as_a_sorted_list_does() {
        let mut stream = sojourn_base::Stream::new(1);
        let (mut calendar, mut list) = (Calendar::default(), Vec::new());
        for slot in 0..10_000 {
            let time = Time::from_ps(stream.below(1_000));
            match stream.below(4) {
                0 | 1 => {
                    calendar.push(time, slot);
                    list.push((time, slot));
                }
                2 if !list.is_empty() => {
                    calendar.replace_first(time);
                    list[0].0 = time;
                }
                3 if !list.is_empty() => {
                    calendar.replace_first(Time::NEVER);
                    list.remove(0);
                }
                _ => {}
            }
            list.sort_unstable();
            let first = list.first().copied().unwrap_or(NONE);
            assert_eq!((calendar.next_time(), calendar.next_slot()), first);
        }
    }

    #[test]
    fn the_first_moves_in_place() {
        let mut calendar = Calendar::default();
        calendar.push(Time::from_ps(1), 7);
        calendar.push(Time::from_ps(2), 8);
        calendar.replace_first(Time::from_ps(3));
        assert_eq!(
            (calendar.next_time(), calendar.next_slot()),
            (Time::from_ps(2), 8)
        );
        calendar.replace_first(Time::from_ps(4));
        assert_eq!(
            (calendar.next_time(), calendar.next_slot()),
            (Time::from_ps(3), 7)
        );
    }
}
