//! Buckets by time, for what comes later.
//!
//! What is known long before its instant is put into the bucket of that instant, in no order. To
//! add one value touches a line of memory or two, however many there are. Before the first value of
//! a bucket could come, the whole bucket is taken out, and the caller sorts it. So the order is
//! exact, but only what comes soon is ever sorted.
//!
//! A timing wheel (G. Varghese, A. Lauck, "Hashed and Hierarchical Timing Wheels", SOSP 1987,
//! scheme 5). If something comes later than all buckets reach, buckets are added, and beyond a
//! certain number made longer instead.

use sojourn_base::prefetch::prefetch_all;
use sojourn_base::{Span, Time};

/// Something that comes at an instant.
pub(crate) trait Timed: Copy {
    /// That instant.
    fn time(&self) -> Time;
}

/// What comes within a span of time.
#[derive(Debug)]
struct Bucket<T> {
    /// When the first of them comes: to find it out by looking would touch the whole bucket.
    first: Time,
    values: Vec<T>,
}

impl<T> Default for Bucket<T> {
    fn default() -> Self {
        Self {
            first: Time::NEVER,
            values: Vec::new(),
        }
    }
}

/// Buckets, each for a span of time, used in turn and then again from the first.
#[derive(Debug)]
pub(crate) struct Wheel<T> {
    /// A bucket is for 2 to this power picoseconds.
    bits: u32,
    /// A power of two of buckets: bucket n, counted from time zero, is at n modulo their number.
    buckets: Vec<Bucket<T>>,
    /// By bucket, whether it holds anything.
    occupied: Vec<u64>,
    /// Memory of buckets that were taken out: that used last is still in the fast caches.
    spare: Vec<Vec<T>>,
    /// The start of the first bucket that was not taken out.
    passed: Time,
    /// How many values there are in all buckets.
    count: usize,
}

/// Prefetches the memory for the value that is added next: to write it, the processor would have to
/// wait for that memory, and all later writes would wait too.
#[inline(always)]
#[allow(clippy::inline_always)] // one instruction or two
fn prefetch_end<T>(values: &mut Vec<T>) {
    values
        .spare_capacity_mut()
        .first()
        .into_iter()
        .for_each(prefetch_all);
}

/// The number of buckets at first: their bits fit a word.
const FIRST: u64 = 64;

/// The largest number of buckets.
const MOST: u64 = 1 << 14;

impl<T: Timed> Wheel<T> {
    /// Buckets for a `span` of time each, or a little less.
    pub(crate) fn new(span: Span) -> Self {
        Self {
            bits: span.as_ps().max(1).ilog2(),
            buckets: Vec::new(),
            occupied: Vec::new(),
            spare: Vec::new(),
            passed: Time::ZERO,
            count: 0,
        }
    }

    /// The number of the bucket that an instant falls into.
    #[inline]
    fn number(&self, time: Time) -> u64 {
        time.as_ps() >> self.bits
    }

    /// When a bucket begins.
    #[inline]
    fn start(&self, number: u64) -> Time {
        Time::from_ps(number << self.bits)
    }

    /// Where a bucket is in the array.
    #[inline]
    fn place(&self, number: u64) -> usize {
        number as usize & self.buckets.len().wrapping_sub(1)
    }

    /// Whether all buckets are empty.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Whether the bucket of an instant was taken out, so that nothing can be added at that
    /// instant.
    #[inline]
    pub(crate) fn has_passed(&self, time: Time) -> bool {
        time < self.passed
    }

    /// Adds a value that comes at `time`, which must not [have passed](Self::has_passed), and
    /// changes it in its place.
    #[inline(always)]
    #[allow(clippy::inline_always)] // to be copied once and whole
    pub(crate) fn push(&mut self, time: Time, value: &T, change: impl FnOnce(&mut T)) {
        if self.number(time) - self.number(self.passed) >= self.buckets.len() as u64 {
            self.reach(time);
        }
        let place = self.place(self.number(time));
        let bucket = &mut self.buckets[place];
        if bucket.values.is_empty() {
            self.occupied[place / 64] |= 1 << (place % 64);
            if let Some(spare) = self.spare.pop() {
                bucket.values = spare;
            }
            // For the bucket that is begun next.
            self.spare.last_mut().map(prefetch_end);
        }
        bucket.first = bucket.first.min(time);
        bucket.values.push(*value);
        bucket.values.last_mut().map(change);
        prefetch_end(&mut bucket.values);
        self.count += 1;
    }

    /// When the first of all comes; never if there is none.
    #[inline]
    pub(crate) fn first(&self) -> Time {
        let Some(number) = self.first_occupied() else {
            return Time::NEVER;
        };
        self.buckets[self.place(number)].first
    }

    /// Takes out all buckets up to that of `until`, one after the other: `take` gets the content of
    /// each, in no order.
    pub(crate) fn take_until(&mut self, until: Time, mut take: impl FnMut(&[T])) {
        while self
            .first_occupied()
            .is_some_and(|number| self.start(number) <= until)
        {
            self.take_next(&mut take);
        }
    }

    /// Takes out the next bucket that is not empty.
    pub(crate) fn take_next(&mut self, take: impl FnOnce(&[T])) {
        let Some(number) = self.first_occupied() else {
            return;
        };
        let place = self.place(number);
        let Bucket { mut values, .. } = core::mem::take(&mut self.buckets[place]);
        self.occupied[place / 64] &= !(1 << (place % 64));
        self.passed = self.start(number + 1);
        self.count -= values.len();
        if let Some(next) = self.first_occupied() {
            prefetch_all(&self.buckets[self.place(next)].values[..]);
        }
        take(&values);
        values.clear();
        self.spare.push(values);
    }

    /// All values, in no order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.buckets.iter().flat_map(|bucket| &bucket.values)
    }

    /// The number of the first bucket that is not empty.
    #[inline]
    fn first_occupied(&self) -> Option<u64> {
        if self.count == 0 {
            return None;
        }
        let mut number = self.number(self.passed);
        loop {
            let place = self.place(number);
            let word = self.occupied[place / 64] >> (place % 64);
            if word != 0 {
                return Some(number + u64::from(word.trailing_zeros()));
            }
            number += 64 - place as u64 % 64;
        }
    }

    /// Makes sure that there is a bucket for an instant that is too far away. Empty buckets before
    /// all others are passed over. If all are empty, about as many buckets are left for what comes
    /// before that instant as for what comes later.
    #[cold]
    #[inline(never)]
    fn reach(&mut self, time: Time) {
        let half = self.buckets.len() as u64 / 2;
        let first = self.first_occupied();
        let first = first.unwrap_or(self.number(time).saturating_sub(half));
        self.passed = self.passed.max(self.start(first));
        let bits = self.bits;
        while self.number(time) - self.number(self.passed) >= MOST {
            self.bits += 1;
        }
        let wanted = self.number(time) - self.number(self.passed) + 1;
        let buckets = wanted.next_power_of_two().max(FIRST) as usize;
        if buckets <= self.buckets.len() && self.bits == bits {
            return;
        }
        let held = core::mem::take(&mut self.buckets);
        self.buckets
            .resize_with(buckets.max(held.len()), Bucket::default);
        self.occupied = vec![0; self.buckets.len() / 64];
        self.count = 0;
        for value in held.iter().flat_map(|bucket| &bucket.values) {
            self.push(value.time(), value, |_| ());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_base::Stream;

    impl Timed for Time {
        fn time(&self) -> Time {
            *self
        }
    }

    /// Against a sorted list, with instants near, far, and further than there are buckets for.
    #[test]
    fn what_comes_out_is_what_a_sorted_list_has_until_then() {
        for longest in [8, 14, 22, 40] {
            let mut random = Stream::new(longest);
            let mut wheel = Wheel::new(Span::from_ps(20));
            let (mut list, mut now) = (Vec::new(), 0);
            for step in 0..20_000_u64 {
                let grows = (step / 2_500).is_multiple_of(2);
                if random.below(8) < if grows { 7 } else { 1 } {
                    let most = 1 << random.below(longest);
                    let time = Time::from_ps(now + random.below(most));
                    if !wheel.has_passed(time) {
                        wheel.push(time, &time, |_| ());
                        list.push(time);
                    }
                    continue;
                }
                let most = 1 << random.below(longest);
                now += random.below(most);
                let mut out = Vec::new();
                if random.below(4) == 0 {
                    wheel.take_next(|values| out.extend_from_slice(values));
                } else {
                    let until = Time::from_ps(now);
                    wheel.take_until(until, |values| out.extend_from_slice(values));
                }
                out.sort_unstable();
                list.sort_unstable();
                let rest = list.split_off(out.len());
                assert_eq!(out, list);
                list = rest;
                let first = list.first().copied().unwrap_or(Time::NEVER);
                assert_eq!(wheel.first(), first);
                assert!(first == Time::NEVER || !wheel.has_passed(first));
                assert_eq!(wheel.is_empty(), list.is_empty());
                assert_eq!(wheel.iter().count(), list.len());
            }
        }
    }
}
