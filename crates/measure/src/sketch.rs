//! Quantiles of a stream of durations.
//!
//! A histogram with 128 buckets to each power of two (after Tene's `HdrHistogram`): a quantile is
//! off by at most 1/256 of its value, whatever the distribution, and two sketches add up exactly.
//! Memory is taken by the octave when its first value comes.

use sojourn_base::Span;

const BITS: u32 = 7;
const BUCKETS: usize = 1 << BITS;

/// The durations of many packets.
#[derive(Debug, Clone)]
pub struct Sketch {
    octaves: Vec<Option<Box<[u64; BUCKETS]>>>,
    /// How many values of nothing there are: most packets of a network wait nowhere.
    zeros: u64,
    /// How many others.
    count: u64,
    /// The least of these; the most there is while there is none.
    least: u64,
    most: u64,
}

impl Default for Sketch {
    fn default() -> Self {
        Self {
            octaves: Vec::new(),
            zeros: 0,
            count: 0,
            least: u64::MAX,
            most: 0,
        }
    }
}

/// Octave and bucket of a value; octave 0 holds the values below 128 ps exactly.
#[inline]
fn place(ps: u64) -> (usize, usize) {
    if ps < BUCKETS as u64 {
        return (0, ps as usize);
    }
    let exponent = ps.ilog2();
    let bucket = (ps >> (exponent - BITS)) as usize & (BUCKETS - 1);
    ((exponent - BITS + 1) as usize, bucket)
}

/// The middle of a bucket.
fn middle(octave: usize, bucket: usize) -> u64 {
    if octave == 0 {
        return bucket as u64;
    }
    let shift = octave as u32 - 1;
    (((BUCKETS + bucket) as u64) << shift) + ((1_u64 << shift) >> 1)
}

impl Sketch {
    /// Adds a duration.
    #[inline]
    pub fn add(&mut self, span: Span) {
        if span == Span::ZERO {
            self.zeros += 1;
        } else {
            self.add_above_zero(span.as_ps());
        }
    }

    #[inline]
    fn add_above_zero(&mut self, ps: u64) {
        self.least = self.least.min(ps);
        self.most = self.most.max(ps);
        self.count += 1;
        let (octave, bucket) = place(ps);
        match self.octaves.get_mut(octave) {
            Some(Some(buckets)) => buckets[bucket] += 1,
            _ => self.open_octave(octave)[bucket] += 1,
        }
    }

    #[cold]
    fn open_octave(&mut self, octave: usize) -> &mut [u64; BUCKETS] {
        if octave >= self.octaves.len() {
            self.octaves.resize_with(octave + 1, || None);
        }
        self.octaves[octave].get_or_insert_with(|| Box::new([0; BUCKETS]))
    }

    /// Adds all durations of `other`.
    pub fn merge(&mut self, other: &Self) {
        self.zeros += other.zeros;
        if other.count == 0 {
            return;
        }
        if other.octaves.len() > self.octaves.len() {
            self.octaves.resize_with(other.octaves.len(), || None);
        }
        for (mine, theirs) in self.octaves.iter_mut().zip(&other.octaves) {
            if let Some(theirs) = theirs {
                let mine = mine.get_or_insert_with(|| Box::new([0; BUCKETS]));
                for (a, b) in mine.iter_mut().zip(theirs.iter()) {
                    *a += b;
                }
            }
        }
        self.least = self.least.min(other.least);
        self.most = self.most.max(other.most);
        self.count += other.count;
    }

    /// How many durations it holds.
    pub fn count(&self) -> u64 {
        self.zeros + self.count
    }

    /// The duration below which a share `p` of them lies, in seconds; undefined when empty.
    pub fn quantile_s(&self, p: f64) -> f64 {
        self.quantiles_s(&[p])[0]
    }

    /// The same for each of `shares`, which rise, in one pass.
    pub fn quantiles_s(&self, shares: &[f64]) -> Vec<f64> {
        let count = self.count();
        if count == 0 {
            return vec![f64::NAN; shares.len()];
        }
        let mut ranks = shares
            .iter()
            .map(|p| ((p * count as f64).ceil() as u64).clamp(1, count))
            .peekable();
        let mut quantiles = Vec::with_capacity(shares.len());
        let mut seen = self.zeros;
        while ranks.next_if(|&rank| rank <= seen).is_some() {
            quantiles.push(0.0);
        }
        for (octave, buckets) in self.octaves.iter().enumerate() {
            for (bucket, &count) in buckets
                .iter()
                .flat_map(|buckets| buckets.iter().enumerate())
            {
                seen += count;
                while ranks.next_if(|&rank| rank <= seen).is_some() {
                    let ps = middle(octave, bucket).clamp(self.least, self.most);
                    quantiles.push(Span::from_ps(ps).as_s());
                }
                if ranks.peek().is_none() {
                    return quantiles;
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
    fn every_value_falls_into_the_bucket_around_it() {
        for ps in (0..2_000).chain([1 << 20, (1 << 40) + 12_345, u64::MAX]) {
            let (octave, bucket) = place(ps);
            let middle = middle(octave, bucket);
            assert!(
                ps.abs_diff(middle) as f64 <= ps as f64 / 256.0,
                "{ps}: {middle}"
            );
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
                b.add(span);
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
