//! The calendar of timers.
//!
//! A connection has a timer or two that run most of the time. By the time their instant comes, they
//! mostly have been put off or replaced by an earlier one. With many connections this makes a
//! calendar that fits no fast cache, although few of its entries come soon. So entries that come
//! later are kept in the buckets of a [wheel](crate::wheel). Each bucket is sorted before its first
//! entry could come, so that it is known which connections come next and their memory can be
//! prefetched. The calendar holds the first entry of that bucket, and entries that were added after
//! the bucket had been taken out. Timers run in the same order as out of one calendar.

use sojourn_base::{Span, Time};

use crate::calendar::Calendar;
use crate::wheel::{Timed, Wheel};

/// Up to this many entries are no burden for a calendar; with more, buckets are used.
const FEW: usize = 256;

/// The span of a bucket.
const BUCKET: Span = Span::from_ms(1);

impl Timed for (Time, u32) {
    #[inline]
    fn time(&self) -> Time {
        self.0
    }
}

/// Instants and slots, earliest first.
#[derive(Debug)]
pub(crate) struct Timers {
    /// What comes next; everything, while there are few entries.
    next: Calendar,
    /// The rest of the bucket that was taken out last, with the earliest entry at the end. All of
    /// it comes after the first of `next`.
    soon: Vec<(Time, u32)>,
    /// Entries later than all of that bucket.
    later: Wheel<(Time, u32)>,
}

impl Default for Timers {
    fn default() -> Self {
        Self {
            next: Calendar::default(),
            soon: Vec::new(),
            later: Wheel::new(BUCKET),
        }
    }
}

impl Timers {
    /// The instant of the earliest entry; [`Time::NEVER`] when there is none.
    #[inline]
    pub(crate) fn next_time(&self) -> Time {
        self.next.next_time()
    }

    /// The slot of the earliest entry; meaningless if there is none.
    #[inline]
    pub(crate) fn next_slot(&self) -> u32 {
        self.next.next_slot()
    }

    /// The slot of the entry that comes after the earliest and `others` more, if there are many
    /// entries.
    #[inline]
    pub(crate) fn ahead(&self, others: usize) -> Option<u32> {
        let (_, slot) = self.soon.iter().nth_back(others)?;
        Some(*slot)
    }

    /// Adds an entry, at an instant before [`Time::NEVER`].
    #[inline]
    pub(crate) fn push(&mut self, time: Time, slot: u32) {
        if self.are_few() {
            self.next.push(time, slot);
        } else {
            self.push_later(time, slot);
        }
    }

    /// Moves the earliest entry to `time`; [`Time::NEVER`] removes it.
    #[inline]
    pub(crate) fn replace_first(&mut self, time: Time) {
        if self.are_few() {
            self.next.replace_first(time);
            return;
        }
        let slot = self.next.next_slot();
        self.next.replace_first(Time::NEVER);
        if time < Time::NEVER {
            self.push_later(time, slot);
        }
        self.move_up();
    }

    /// Whether the calendar holds all entries.
    #[inline]
    fn are_few(&self) -> bool {
        self.next.len() < FEW && self.later.is_empty() && self.soon.is_empty()
    }

    #[inline(never)]
    fn push_later(&mut self, time: Time, slot: u32) {
        if self.later.has_passed(time) || self.next.next_time() >= time {
            self.next.push(time, slot);
        } else {
            self.later.push(time, &(time, slot), |_| ());
        }
    }

    /// Moves the entry that may be the earliest into the calendar.
    #[inline(never)]
    fn move_up(&mut self) {
        let Self { next, soon, later } = self;
        loop {
            let first = (next.next_time(), next.next_slot());
            if soon.is_empty() && !later.is_empty() && !later.has_passed(next.next_time()) {
                later.take_next(|entries| soon.extend(entries));
                soon.sort_unstable_by(|one, other| other.cmp(one));
            }
            match soon.last() {
                Some(&(time, slot)) if (time, slot) < first => {
                    next.push(time, slot);
                    soon.pop();
                }
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against one calendar, while few become many and few again, and none in the end. First timers
    /// run for less than a bucket, so that all of them come soon or nearly; then for so long that
    /// some stay in theirs for several rounds; and in the end many come at one instant.
    #[test]
    fn timers_come_as_out_of_one_calendar() {
        for (longest, grain) in [(30_u64, 1), (44, 1), (36, 1 << 23)] {
            let mut stream = sojourn_base::Stream::new(7);
            let (mut timers, mut one) = (Timers::default(), Calendar::default());
            let (mut now, mut most) = (Time::ZERO, 0);
            let mut compare = |timers: &Timers, one: &Calendar| {
                let next = (one.next_time(), one.next_slot());
                assert_eq!((timers.next_time(), timers.next_slot()), next);
                most = most.max(timers.later.iter().count());
            };
            for step in 0..200_000_u32 {
                let bits = 24 + stream.below(longest - 23);
                let after = stream.below(1 << bits).next_multiple_of(grain);
                let time = Time::from_ps(now.as_ps() + after);
                let grows = (step / 25_000).is_multiple_of(2);
                let next = one.next_time();
                match stream.below(if grows { 4 } else { 3 }) {
                    0 => {
                        timers.replace_first(Time::NEVER);
                        one.replace_first(Time::NEVER);
                    }
                    1 if next < Time::NEVER => {
                        // What is added from now on may come before all others.
                        now = next;
                        timers.replace_first(time);
                        one.replace_first(time);
                    }
                    2 if !grows => {}
                    _ => {
                        timers.push(time, step);
                        one.push(time, step);
                    }
                }
                compare(&timers, &one);
            }
            while one.len() > 0 {
                timers.replace_first(Time::NEVER);
                one.replace_first(Time::NEVER);
                compare(&timers, &one);
            }
            assert!(timers.later.is_empty());
            assert!(most > 100, "{most} waited");
        }
    }
}
