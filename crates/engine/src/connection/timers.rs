//! The calendar of timers.
//!
//! A connection has a timer or two that run most of the time, and mostly are put off or have been
//! overtaken by an earlier one when their instant comes. With many connections that makes a calendar
//! that no fast cache holds, though few of its entries come soon. So those that come later lie in
//! buckets, each for a span of time, in no order: to add one costs a line of memory at most. Before the first
//! of a bucket could come, all of it moves to the calendar of those that come soon.
//!
//! A timing wheel (G. Varghese, A. Lauck, "Hashed and Hierarchical Timing Wheels", SOSP 1987, scheme
//! 6), but exact: within a bucket the calendar brings the order, so that timers run as out of one
//! calendar.

use sojourn_base::Time;

use crate::calendar::Calendar;

/// So many entries are no burden for a calendar: buckets are used from then on.
const FEW: usize = 2_048;

/// Buckets for about a millisecond each; 4.4 s together. What comes later stands in its bucket for as
/// many rounds as it takes.
const BUCKETS: u64 = 4_096;
const BUCKET_BITS: u32 = 30;

/// The number of the bucket, counted from time zero, that an instant falls into.
const fn bucket(time: Time) -> u64 {
    time.as_ps() >> BUCKET_BITS
}

/// Instants and slots, earliest first.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    /// What comes soon; all, while there are few.
    soon: Calendar,
    /// What comes later, by bucket modulo [`BUCKETS`]; none before they are needed.
    later: Vec<Vec<(Time, u32)>>,
    /// How many entries these hold.
    waiting: usize,
    /// The first bucket that has not moved to `soon`, while anything is `waiting`. The earliest
    /// entry of all comes before it.
    next_bucket: u64,
}

impl Timers {
    /// The instant of the earliest entry; [`Time::NEVER`] when there is none.
    #[inline]
    pub(crate) fn next_time(&self) -> Time {
        self.soon.next_time()
    }

    /// The slot of the earliest entry; of no meaning when there is none.
    #[inline]
    pub(crate) fn next_slot(&self) -> u32 {
        self.soon.next_slot()
    }

    /// The slots of three entries that are likely to come soon.
    #[inline]
    pub(crate) fn upcoming(&self) -> Option<[u32; 3]> {
        self.soon.upcoming()
    }

    /// Adds an entry, at an instant before [`Time::NEVER`].
    #[inline]
    pub(crate) fn push(&mut self, time: Time, slot: u32) {
        if self.soon.len() < FEW {
            self.soon.push(time, slot);
        } else {
            self.push_later(time, slot);
        }
    }

    /// Moves the earliest entry to `time`; [`Time::NEVER`] removes it.
    #[inline]
    pub(crate) fn replace_first(&mut self, time: Time) {
        if time == Time::NEVER || self.soon.len() < FEW {
            self.soon.replace_first(time);
        } else {
            let slot = self.soon.next_slot();
            self.soon.replace_first(Time::NEVER);
            self.push_later(time, slot);
        }
        if self.waiting > 0 {
            self.move_up();
        }
    }

    #[inline(never)]
    fn push_later(&mut self, time: Time, slot: u32) {
        let wanted = bucket(time);
        if self.waiting == 0 {
            self.later.resize(BUCKETS as usize, Vec::new());
            self.next_bucket = bucket(self.soon.next_time()) + 1;
        }
        if wanted < self.next_bucket {
            self.soon.push(time, slot);
        } else {
            self.later[(wanted % BUCKETS) as usize].push((time, slot));
            self.waiting += 1;
        }
    }

    /// Moves up the buckets that may hold the earliest entry.
    #[inline(never)]
    fn move_up(&mut self) {
        while self.waiting > 0 && bucket(self.soon.next_time()) >= self.next_bucket {
            let (soon, now) = (&mut self.soon, self.next_bucket);
            let entries = &mut self.later[(now % BUCKETS) as usize];
            let before = entries.len();
            entries.retain(|&(time, slot)| {
                let stays = bucket(time) > now;
                if !stays {
                    soon.push(time, slot);
                }
                stays
            });
            self.waiting -= before - entries.len();
            if entries.is_empty() {
                // Else each would keep what it held at its fullest.
                *entries = Vec::new();
            }
            self.next_bucket += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against one calendar, while few become many and few again, and none in the end. First timers run
    /// for less than a bucket, so that all of them come soon or nearly; then for so long that some
    /// stay in theirs for several rounds.
    #[test]
    fn timers_come_as_out_of_one_calendar() {
        for longest in [BUCKET_BITS, 44] {
            let mut stream = sojourn_base::Stream::new(7);
            let (mut timers, mut one) = (Timers::default(), Calendar::default());
            let (mut now, mut most) = (Time::ZERO, 0);
            let mut compare = |timers: &Timers, one: &Calendar| {
                let next = (one.next_time(), one.next_slot());
                assert_eq!((timers.next_time(), timers.next_slot()), next);
                most = most.max(timers.waiting);
            };
            for step in 0..200_000_u32 {
                let bits = 24 + stream.below(u64::from(longest) - 23);
                let time = Time::from_ps(now.as_ps() + stream.below(1 << bits));
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
            assert_eq!(timers.waiting, 0);
            assert!(most > 100, "{most} waited");
        }
    }
}
