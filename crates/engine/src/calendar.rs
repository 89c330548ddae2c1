//! The event calendar: slots (links, flows or connections by their numbers) by the time at which
//! they next have something to do.
//!
//! The earliest entry is kept apart, so that looking at it takes one load. The others are in a
//! binary heap whose top is replaced in place, since almost every event of a link or a source
//! causes the next one of the same link or source. Entries at one instant come in the order of
//! their slots, never in the order of insertion.
//!
//! The lowest level of the heap is always full: places without an entry hold [`NONE`]. So an entry
//! that is moved always goes down by the same number of steps, and no branch depends on a
//! comparison. Where sources send at random no processor could predict such a branch.
//!
//! Tried without gain: a heap with four children to a node; all entries in the heap; a place that
//! is left open after a removal, for the next entry that is added.

use core::hint::select_unpredictable;

use sojourn_base::Time;

/// An instant in the upper half, a slot in the lower half: one number, so that one comparison
/// suffices.
type Entry = u128;

/// Stands for no entry: later than all entries.
const NONE: Entry = entry(Time::NEVER, u32::MAX);

#[inline(always)]
#[allow(clippy::inline_always)] // no more than two registers
const fn entry(time: Time, slot: u32) -> Entry {
    (time.as_ps() as u128) << 64 | slot as u128
}

/// Instants and slots, earliest first.
#[derive(Debug)]
pub struct Calendar {
    /// The earliest entry; [`NONE`] if there is none.
    first: Entry,
    /// The other entries as a heap of whole levels: the entry at place p is not later than those at
    /// 2p + 1 and 2p + 2. [`NONE`] fills the places after the last.
    others: Vec<Entry>,
    /// How many entries `others` has.
    waiting: usize,
}

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
            others: Vec::with_capacity(slots),
            waiting: 0,
        }
    }

    /// How many entries there are.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.waiting + usize::from(self.first != NONE)
    }

    /// Whether the earliest entry comes before that of another calendar, or at the same instant.
    #[inline]
    pub(crate) fn is_first(&self, other: &Self) -> bool {
        self.first <= other.first
    }

    /// The instant of the earliest entry; [`Time::NEVER`] when there is none.
    #[inline]
    pub fn next_time(&self) -> Time {
        Time::from_ps((self.first >> 64) as u64)
    }

    /// The slot of the earliest entry; meaningless if there is none.
    #[inline]
    pub fn next_slot(&self) -> u32 {
        self.first as u32
    }

    /// The slots of three entries that are likely to come soon: the one after the earliest, and
    /// two, one of which is next after that.
    #[inline]
    pub fn upcoming(&self) -> Option<[u32; 3]> {
        let soon: &[Entry; 3] = self.others.first_chunk()?;
        (self.waiting >= soon.len()).then(|| soon.map(|entry| entry as u32))
    }

    /// Adds an entry, at an instant before [`Time::NEVER`].
    #[inline]
    pub fn push(&mut self, time: Time, slot: u32) {
        let added = entry(time, slot);
        let later = self.first.max(added);
        self.first = self.first.min(added);
        if later != NONE {
            if self.waiting == self.others.len() {
                // One level more.
                self.others.reserve_exact(self.waiting + 1);
                self.others.resize(2 * self.waiting + 1, NONE);
            }
            self.waiting += 1;
            self.rise(self.waiting - 1, later);
        }
    }

    /// Moves the earliest entry to `time`; [`Time::NEVER`] removes it.
    #[inline(always)]
    #[allow(clippy::inline_always)] // an eighth of all time
    pub fn replace_first(&mut self, time: Time) {
        self.replace_first_with(time, self.first as u32);
    }

    /// Puts another entry in the place of the earliest; [`Time::NEVER`] removes the earliest.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    pub fn replace_first_with(&mut self, time: Time, slot: u32) {
        if time == Time::NEVER {
            self.remove_first();
            return;
        }
        let moved = entry(time, slot);
        self.first = match self.others.first() {
            Some(&next) if next < moved => {
                self.sink(moved);
                next
            }
            _ => moved,
        };
    }

    /// Puts an earlier entry in the place of the one for whose slot `is_it` is true.
    #[cold]
    pub fn bring_forward(&mut self, is_it: impl Fn(u32) -> bool, time: Time, slot: u32) {
        let moved = entry(time, slot);
        if is_it(self.first as u32) {
            self.first = moved;
            return;
        }
        let waiting = &self.others[..self.waiting];
        let Some(place) = waiting.iter().position(|&other| is_it(other as u32)) else {
            debug_assert!(false, "no such entry");
            return;
        };
        if moved < self.first {
            let later = core::mem::replace(&mut self.first, moved);
            self.rise(place, later);
        } else {
            self.rise(place, moved);
        }
    }

    #[inline(never)]
    fn remove_first(&mut self) {
        self.first = self.others.first().copied().unwrap_or(NONE);
        if self.waiting == 0 {
            return;
        }
        self.waiting -= 1;
        let last = core::mem::replace(&mut self.others[self.waiting], NONE);
        if self.waiting > 0 {
            self.sink(last);
        }
        if self.waiting < self.others.len() / 4 {
            // One level less.
            self.others.truncate(self.others.len() / 2);
        }
    }

    /// Puts `moved` in the place of the top, which is gone. At every level the earlier of it and
    /// the earlier child takes the place, and the later of the two goes on down.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn sink(&mut self, mut moved: Entry) {
        let heap = &mut self.others[..];
        let mut place = 0;
        while let Some(&[left, right]) = heap[1..].as_chunks().0.get(place) {
            let is_right = right < left;
            let least = select_unpredictable(is_right, right, left);
            let is_earlier = least < moved;
            heap[place] = select_unpredictable(is_earlier, least, moved);
            moved = select_unpredictable(is_earlier, moved, least);
            place = 2 * place + 1 + usize::from(is_right);
        }
        heap[place] = moved;
    }

    /// Puts `added` in a place that is free or holds a later entry, and moves it up to where it
    /// belongs.
    #[inline]
    fn rise(&mut self, mut place: usize, added: Entry) {
        let heap = &mut self.others[..];
        while place > 0 {
            let parent = (place - 1) / 2;
            if heap[parent] <= added {
                break;
            }
            heap[place] = heap[parent];
            place = parent;
        }
        heap[place] = added;
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
            match stream.below(5) {
                0 | 1 => {
                    calendar.push(time, slot);
                    list.push((time, slot));
                }
                2 if !list.is_empty() => {
                    calendar.replace_first(time);
                    list[0].0 = time;
                }
                4 if !list.is_empty() => {
                    let one = stream.below(list.len() as u64) as usize;
                    let (when, which) = list[one];
                    if when == Time::ZERO {
                        continue;
                    }
                    let earlier = Time::from_ps(stream.below(when.as_ps()));
                    calendar.bring_forward(|other| other == which, earlier, slot);
                    list[one] = (earlier, slot);
                }
                3 if !list.is_empty() => {
                    calendar.replace_first(Time::NEVER);
                    list.remove(0);
                }
                _ => {}
            }
            list.sort_unstable();
            let first = list.first().copied().unwrap_or((Time::NEVER, u32::MAX));
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
