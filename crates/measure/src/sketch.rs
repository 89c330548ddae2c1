//! Quantiles of a stream of durations.
//!
//! A histogram with 128 buckets to each power of two (after Tene's `HdrHistogram`): a quantile is
//! off by at most 1/256 of its value, whatever the distribution, and two sketches add up exactly.
//! Memory is taken when the first value comes, and only from the least to the greatest bucket that
//! any has fallen into: a network of many flows has a sketch for each flow and each link, most of
//! which see nothing or a narrow range.

use std::borrow::Cow;

use sojourn_base::Span;
use sojourn_base::prefetch::prefetch;

const BITS: u32 = 7;
const BUCKETS: u64 = 1 << BITS;
/// Buckets are taken by the cache line.
const LINE: usize = 64 / size_of::<Counter>();

/// The durations of many packets.
#[derive(Debug, Clone, Default)]
pub struct Sketch {
    /// How many values of nothing there are: most packets of a network wait nowhere.
    zeros: u64,
    /// The others, once there are any.
    spread: Option<Box<Spread>>,
}

/// Durations above zero, in a cache line of their own: with the counter each of them touches two.
/// Those of a batch touch the line behind alone, until there are enough of them to be counted
/// together.
#[derive(Debug, Clone, Default)]
#[repr(C, align(64))]
struct Spread {
    extremes: Extremes,
    counters: Counters,
    batch: Batch,
}

/// The least and the greatest value.
#[derive(Debug, Clone, Copy)]
struct Extremes {
    least: u64,
    most: u64,
}

/// Those that are not counted yet.
#[derive(Debug, Clone, Default)]
struct Batch {
    extremes: Extremes,
    /// How many there are.
    count: u16,
    /// The numbers of their buckets.
    places: [u16; BATCH],
}

/// How many buckets are counted at a time: what is left of the cache line.
const BATCH: usize = 23;

/// How many values have fallen into each bucket.
#[derive(Debug, Clone, Default)]
struct Counters {
    /// The number of the first bucket held.
    first: usize,
    /// In narrow counters: with many flows they take much of the memory, and are touched all over.
    buckets: Vec<Counter>,
    /// Buckets whose counter has begun again from nothing, in order, and how often it has.
    carried: Box<[(usize, u64)]>,
}

/// Counts in one bucket until it is full; then that is noted aside, and it begins again from
/// nothing.
type Counter = u16;

impl Default for Extremes {
    fn default() -> Self {
        Self {
            least: u64::MAX,
            most: 0,
        }
    }
}

/// The number of a value's bucket; values below 128 ps have one each.
#[inline]
fn place(ps: u64) -> usize {
    let shift = (ps | BUCKETS).ilog2() - BITS;
    (u64::from(shift) * BUCKETS + (ps >> shift)) as usize
}

/// The middle of a bucket.
fn middle(place: usize) -> u64 {
    let place = place as u64;
    let shift = (place / BUCKETS).saturating_sub(1);
    ((place - shift * BUCKETS) << shift) + ((1_u64 << shift) >> 1)
}

impl Extremes {
    /// Hardly any value is a new extreme: a branch that is never taken costs less than two stores.
    #[inline]
    fn reach(&mut self, ps: u64) {
        if ps < self.least {
            self.least = ps;
        }
        if ps > self.most {
            self.most = ps;
        }
    }

    fn merge(&mut self, other: Self) {
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
    }
}

impl Spread {
    #[inline]
    fn add(&mut self, ps: u64) {
        self.extremes.reach(ps);
        self.counters.add(place(ps));
    }

    #[inline]
    fn add_to_batch(&mut self, ps: u64) {
        if self.batch.is_full() {
            self.count_batch();
        }
        self.batch.add(ps);
        if self.batch.is_full() {
            // Where a flow has several packets in turn, the next is here before it could be asked
            // for otherwise.
            self.prefetch_counters();
        }
    }

    #[inline(never)]
    fn prefetch_counters(&self) {
        let Counters { first, buckets, .. } = &self.counters;
        for &place in &self.batch.places {
            let bucket = buckets.get(usize::from(place).wrapping_sub(*first));
            bucket.into_iter().for_each(prefetch);
        }
    }

    #[inline(never)]
    fn count_batch(&mut self) {
        self.extremes.merge(self.batch.extremes);
        for &place in self.batch.places() {
            self.counters.add(usize::from(place));
        }
        self.batch.count = 0;
    }

    /// How many values it holds.
    fn count(&self) -> u64 {
        self.counters.sum() + u64::from(self.batch.count)
    }

    /// The same with all counted.
    fn counted(&self) -> Cow<'_, Self> {
        let mut all = Cow::Borrowed(self);
        if self.batch.count > 0 {
            all.to_mut().count_batch();
        }
        all
    }

    fn merge(&mut self, other: &Self) {
        let other = other.counted();
        self.extremes.merge(other.extremes);
        self.counters.merge(&other.counters);
    }
}

impl Batch {
    #[inline]
    fn add(&mut self, ps: u64) {
        self.extremes.reach(ps);
        self.places[usize::from(self.count)] = place(ps) as u16;
        self.count += 1;
    }

    /// Whether these are counted before there is one more.
    #[inline]
    fn is_full(&self) -> bool {
        usize::from(self.count) == BATCH
    }

    fn places(&self) -> &[u16] {
        &self.places[..usize::from(self.count)]
    }
}

impl Counters {
    #[inline]
    fn add(&mut self, place: usize) {
        match self.buckets.get_mut(place.wrapping_sub(self.first)) {
            Some(bucket) if *bucket < Counter::MAX => *bucket += 1,
            _ => self.add_anew(place),
        }
    }

    /// Adds to a bucket that is not held yet or whose counter is full.
    #[cold]
    fn add_anew(&mut self, place: usize) {
        self.hold(place / LINE * LINE, (place / LINE + 1) * LINE);
        self.add_all(place, &[1]);
    }

    /// Adds to one bucket after the other from number `from` on; all of them are held.
    fn add_all(&mut self, from: usize, counts: &[Counter]) {
        let mut full = Vec::new();
        let buckets = &mut self.buckets[from - self.first..];
        for (i, (bucket, &more)) in buckets.iter_mut().zip(counts).enumerate() {
            let (sum, carries) = bucket.overflowing_add(more);
            *bucket = sum;
            if carries {
                full.push(from + i);
            }
        }
        for place in full {
            self.carry(place, 1);
        }
    }

    /// Makes room for the buckets from `from` up to `end`.
    fn hold(&mut self, from: usize, end: usize) {
        if self.buckets.is_empty() {
            self.first = from;
        }
        if from < self.first {
            let more = self.first - from;
            self.buckets.reserve_exact(more);
            self.buckets.splice(0..0, core::iter::repeat_n(0, more));
            self.first = from;
        }
        let held = self.first + self.buckets.len();
        if end > held {
            self.buckets.reserve_exact(end - held);
            self.buckets.resize(end - self.first, 0);
        }
    }

    /// The counter of a bucket has begun again so many times.
    fn carry(&mut self, place: usize, times: u64) {
        match self.carried.binary_search_by_key(&place, |&(at, _)| at) {
            Ok(found) => self.carried[found].1 += times,
            Err(before) => {
                let mut carried = core::mem::take(&mut self.carried).into_vec();
                carried.insert(before, (place, times));
                self.carried = carried.into();
            }
        }
    }

    fn merge(&mut self, other: &Self) {
        self.hold(other.first, other.first + other.buckets.len());
        self.add_all(other.first, &other.buckets);
        for &(place, times) in &other.carried {
            self.carry(place, times);
        }
    }

    /// How many values they have counted.
    fn sum(&self) -> u64 {
        self.lines().map(|line| line.sum()).sum()
    }

    /// The buckets by the cache line, in order.
    fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        let mut rest = &*self.carried;
        let firsts = (self.first..).step_by(LINE);
        firsts
            .zip(self.buckets.chunks(LINE))
            .map(move |(first, counts)| {
                let end = first + counts.len();
                let carried;
                (carried, rest) = rest.split_at(rest.partition_point(|&(at, _)| at < end));
                Line {
                    first,
                    counts,
                    carried,
                }
            })
    }
}

/// A cache line of buckets: the number of the first, their counters, and what these have carried.
struct Line<'a> {
    first: usize,
    counts: &'a [Counter],
    carried: &'a [(usize, u64)],
}

impl Line<'_> {
    /// How many values have fallen into it.
    fn sum(&self) -> u64 {
        let counts: u32 = self.counts.iter().copied().map(u32::from).sum();
        let times: u64 = self.carried.iter().map(|&(_, times)| times).sum();
        u64::from(counts) + (times << Counter::BITS)
    }

    /// Places and counts of the buckets that hold something, in order.
    fn counts(&self) -> impl Iterator<Item = (usize, u64)> {
        let mut carried = self.carried.iter().copied().peekable();
        let counts = (self.first..).zip(self.counts).map(move |(place, &count)| {
            let carried = carried.next_if(|&(at, _)| at == place);
            let times = carried.map_or(0, |(_, times)| times);
            (place, u64::from(count) + (times << Counter::BITS))
        });
        counts.filter(|&(_, count)| count > 0)
    }
}

impl Sketch {
    /// Adds a duration.
    #[inline]
    pub fn add(&mut self, span: Span) {
        if span == Span::ZERO {
            self.zeros += 1;
        } else if let Some(spread) = &mut self.spread {
            spread.add(span.as_ps());
        } else {
            self.begin(span.as_ps());
        }
    }

    /// Adds a duration that is counted later, with others. Where there are many sketches, a counter
    /// has left the fast caches when it is needed again, and those that are counted together are
    /// waited for together. Where there are few this costs more than it gains: mostly one counter
    /// comes several times in turn.
    #[inline]
    pub fn add_to_batch(&mut self, span: Span) {
        match &mut self.spread {
            Some(spread) if span > Span::ZERO => spread.add_to_batch(span.as_ps()),
            _ => self.add(span),
        }
    }

    /// Prefetches what the next duration of a batch will touch behind the sketch itself.
    #[inline]
    pub fn prefetch(&self) {
        if let Some(spread) = &self.spread {
            prefetch(&spread.batch);
        }
    }

    /// Prefetches the counters that the next duration will touch, if the batch is counted
    /// first; what [`prefetch`](Self::prefetch) asks for must have come.
    #[inline]
    pub fn prefetch_counters(&self) {
        if let Some(spread) = &self.spread
            && spread.batch.is_full()
        {
            spread.prefetch_counters();
        }
    }

    /// Adds so many durations of nothing.
    pub fn add_zeros(&mut self, count: u64) {
        self.zeros += count;
    }

    #[cold]
    fn begin(&mut self, ps: u64) {
        self.spread.get_or_insert_default().add(ps);
    }

    /// Adds all durations of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.zeros += other.zeros;
        match (&mut self.spread, &other.spread) {
            (Some(spread), Some(other)) => spread.merge(other),
            (none @ None, Some(other)) => *none = Some(Box::new(other.counted().into_owned())),
            (_, None) => {}
        }
    }

    /// How many durations it holds.
    pub fn count(&self) -> u64 {
        let spread = self.spread.as_ref();
        self.zeros + spread.map_or(0, |spread| spread.count())
    }

    /// The duration below which a share `p` of them lies, in seconds; undefined when empty.
    pub fn quantile_s(&self, p: f64) -> f64 {
        self.quantiles_s(&[p])[0]
    }

    /// The same for each of `shares`, which rise, in one pass.
    pub fn quantiles_s<const N: usize>(&self, shares: &[f64; N]) -> [f64; N] {
        let mut quantiles = [f64::NAN; N];
        let spread = self.spread.as_ref().map(|spread| spread.counted());
        let count = self.zeros + spread.as_ref().map_or(0, |spread| spread.counters.sum());
        if count == 0 {
            return quantiles;
        }
        // 0.55 of 100 would come out a little above 55, and so be the 56th.
        let of_all = count as f64 * (1.0 - 2.0 * f64::EPSILON);
        let ranks = shares.map(|p| ((p * of_all).ceil() as u64).clamp(1, count));
        let mut open = ranks.into_iter().zip(&mut quantiles).peekable();
        let mut seen = self.zeros;
        while let Some((_, quantile)) = open.next_if(|&(rank, _)| rank <= seen) {
            *quantile = 0.0;
        }
        let Some(spread) = spread else {
            return quantiles;
        };
        let Extremes { least, most } = spread.extremes;
        for line in spread.counters.lines() {
            let Some(&(rank, _)) = open.peek() else {
                break;
            };
            // Most lines hold little or nothing, and no value that is asked for.
            let sum = line.sum();
            if seen + sum < rank {
                seen += sum;
                continue;
            }
            for (place, count) in line.counts() {
                seen += count;
                while let Some((_, quantile)) = open.next_if(|&(rank, _)| rank <= seen) {
                    *quantile = Span::from_ps(middle(place).clamp(least, most)).as_s();
                }
            }
        }
        quantiles
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_base::Stream;

    #[test]
    fn quantiles_are_within_half_a_percent() {
        let mut stream = Stream::new(5);
        let mut values: Vec<u64> = (0..50_000)
            .map(|_| (stream.lognormal(2.0, 1e9) + 1.0) as u64)
            .collect();
        let mut sketch = Sketch::default();
        for &ps in &values {
            sketch.add(Span::from_ps(ps));
        }
        values.sort_unstable();
        for p in [0.01, 0.5, 0.95, 0.99, 0.999] {
            let exact = values[(p * 50_000.0_f64).ceil() as usize - 1] as f64 / 1e12;
            assert!((sketch.quantile_s(p) / exact - 1.0).abs() < 0.005, "p {p}");
        }
    }

    #[test]
    fn many_quantiles_in_one_pass_are_those_one_by_one() {
        let mut sketch = Sketch::default();
        for i in 0..1_000_u64 {
            sketch.add(Span::from_us(i.saturating_sub(300)));
        }
        let shares = [0.0, 0.1, 0.3, 0.301, 0.302, 0.5, 0.5, 0.999, 1.0];
        let one_by_one = shares.map(|p| sketch.quantile_s(p));
        assert_eq!(sketch.quantiles_s(&shares), one_by_one);
        assert_eq!(one_by_one[..3], [0.0; 3]);
        assert!(one_by_one[4] > 0.0);
        assert!((one_by_one[8] / 699e-6 - 1.0).abs() < 1.0 / 256.0);
    }

    #[test]
    fn a_share_of_whole_packets_is_that_many() {
        for count in [20_u64, 100, 180, 200, 1_000, 30_000] {
            let mut sketch = Sketch::default();
            for i in 1..=count {
                // Far enough apart for a bucket each.
                sketch.add(Span::from_ps(if i <= 11 * count / 20 {
                    1_000
                } else {
                    2_000
                }));
            }
            assert!(sketch.quantile_s(0.55) < 1.5e-9, "{count}");
            assert!(
                sketch.quantile_s(0.55 + 0.5 / count as f64) > 1.9e-9,
                "{count}"
            );
        }
    }

    #[test]
    fn every_value_falls_into_the_bucket_around_it() {
        for ps in (0..2_000).chain([1 << 20, (1 << 40) + 12_345, u64::MAX]) {
            let middle = middle(place(ps));
            assert!(
                ps.abs_diff(middle) as f64 <= ps as f64 / 256.0,
                "{ps}: {middle}"
            );
        }
    }

    #[test]
    fn a_full_counter_carries() {
        let mut counters = Counters::default();
        counters.add(place(1_000));
        counters.add(77);
        counters.buckets[place(1_000) - counters.first] = Counter::MAX;
        counters.add(place(1_000));
        let mut twice = counters.clone();
        twice.merge(&counters);
        let counts = |counters: &Counters| -> Vec<_> {
            let lines: Vec<_> = counters.lines().collect();
            lines.iter().flat_map(Line::counts).collect()
        };
        let round = 1 << Counter::BITS;
        assert_eq!(counts(&counters), [(77, 1), (place(1_000), round)]);
        assert_eq!(counts(&twice), [(77, 2), (place(1_000), 2 * round)]);
    }

    #[test]
    fn millions_in_few_buckets_are_all_counted() {
        let spans = [3, 900, 901, 1_000_000].map(Span::from_us);
        let (mut sketch, mut other) = (Sketch::default(), Sketch::default());
        for _ in 0..200_000 {
            for &span in &spans {
                sketch.add(span);
            }
            other.add_to_batch(spans[2]);
        }
        sketch.merge(&other);
        assert_eq!(sketch.count(), 1_000_000);
        let shares = [0.2, 0.200_001, 1.0 - 0.200_001, 1.0 - 0.199_999];
        let quantiles = sketch.quantiles_s(&shares);
        let expected = [3e-6, 900e-6, 901e-6, 1.0];
        for (quantile, expected) in quantiles.iter().zip(expected) {
            assert!(
                (quantile / expected - 1.0).abs() < 1.0 / 256.0,
                "{quantile}"
            );
        }
    }

    #[test]
    fn what_is_in_a_batch_counts_as_well() {
        let mut sketch = Sketch::default();
        for i in 1..=3 * BATCH as u64 {
            sketch.add_to_batch(Span::from_ps(i));
            assert_eq!(sketch.count(), i);
            assert_eq!(sketch.quantile_s(1.0), Span::from_ps(i).as_s());
        }
    }

    #[test]
    fn a_constant_is_exact_and_nothing_is_undefined() {
        let mut sketch = Sketch::default();
        assert!(sketch.quantile_s(0.5).is_nan());
        for _ in 0..10 {
            sketch.add(Span::from_us(30_500));
        }
        assert_eq!(sketch.quantile_s(0.99), 0.0305);
    }

    #[test]
    fn sketches_add_up() {
        let (mut a, mut b, mut both) = (Sketch::default(), Sketch::default(), Sketch::default());
        for i in 0..1000 {
            let span = Span::from_us(i * i);
            if i % 3 == 0 {
                a.add(span);
            } else {
                b.add_to_batch(span);
            }
            both.add(span);
        }
        a.merge(&b);
        a.merge(&Sketch::default());
        assert_eq!(a.count(), 1000);
        for p in [0.1, 0.5, 0.9] {
            assert_eq!(a.quantile_s(p), both.quantile_s(p));
        }
    }
}
