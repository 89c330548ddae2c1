//! Distributions of sizes, intervals, durations, starts and delays, as scenario files write them.

use core::marker::PhantomData;
use std::sync::Arc;

use crate::{Bytes, Count, Fault, Quantity, Scalar, Span, Stream};

/// A quantity that can be drawn at random.
pub trait Drawn: Quantity + Copy {
    /// As a number of its smallest unit (picoseconds, bytes).
    fn to_f64(self) -> f64;
    /// From such a number: rounded, never negative.
    fn from_f64(value: f64) -> Self;
    /// What a file says where this is drawn at random.
    const DRAWN_ALLOWED: &'static str;
}

impl Drawn for Span {
    const DRAWN_ALLOWED: &'static str = "a time such as \"20 ms\", or constant(TIME), uniform(FROM, TO) with FROM up to TO, exponential(MEAN), pareto(SHAPE, MEAN) with SHAPE above 1, lognormal(SIGMA, MEAN) with SIGMA above 0, empirical(FILE.csv)";
    fn to_f64(self) -> f64 {
        self.as_ps() as f64
    }
    fn from_f64(value: f64) -> Self {
        Self::from_ps((value + 0.5) as u64)
    }
}

impl Drawn for Bytes {
    const DRAWN_ALLOWED: &'static str = "a size such as \"1000 B\", or constant(SIZE), uniform(FROM, TO) with FROM up to TO, exponential(MEAN), pareto(SHAPE, MEAN) with SHAPE above 1, lognormal(SIGMA, MEAN) with SIGMA above 0, empirical(FILE.csv)";
    fn to_f64(self) -> f64 {
        self.as_f64()
    }
    /// Whole bytes, at least one.
    fn from_f64(value: f64) -> Self {
        Self::new(((value + 0.5) as u64).max(1))
    }
}

impl Drawn for Count {
    const DRAWN_ALLOWED: &'static str = "a number such as 5, or constant(NUMBER), uniform(FROM, TO) with FROM up to TO, exponential(MEAN), pareto(SHAPE, MEAN) with SHAPE above 1, lognormal(SIGMA, MEAN) with SIGMA above 0, empirical(FILE.csv)";
    fn to_f64(self) -> f64 {
        self.0
    }
    /// A whole number.
    fn from_f64(value: f64) -> Self {
        Self(((value + 0.5) as u64) as f64)
    }
}

/// A law of any quantity, as far as the file that it may name goes.
pub trait Law {
    /// The file that `empirical(...)` names, as long as it has not been read.
    fn file(&self) -> Option<&str>;
    /// Gives the values of that file, in seconds, bytes or numbers.
    fn fill(&mut self, values: &[f64]);
}

impl<T: Drawn> Law for Distribution<T> {
    fn file(&self) -> Option<&str> {
        match &self.shape {
            Shape::Named { file } => Some(file),
            _ => None,
        }
    }

    fn fill(&mut self, values: &[f64]) {
        *self = Self::empirical(values);
    }
}

/// A random time, size or number: `"20 ms"`, `"exponential(500 ms)"`, `"uniform(0 s, 1 s)"` ...
#[derive(Debug, Clone, PartialEq)]
pub struct Distribution<T> {
    shape: Shape,
    quantity: PhantomData<T>,
}

/// The law, with its numbers in the smallest unit.
#[derive(Debug, Clone, PartialEq)]
enum Shape {
    Constant(f64),
    Uniform {
        from: f64,
        to: f64,
    },
    Exponential {
        mean: f64,
    },
    Pareto {
        shape: f64,
        mean: f64,
    },
    Lognormal {
        sigma: f64,
        mean: f64,
    },
    /// A file still to be read: the owner of the scenario file knows where it lies.
    Named {
        file: Arc<str>,
    },
    Empirical {
        values: Arc<[f64]>,
    },
}

impl<T: Drawn> Distribution<T> {
    const fn of(shape: Shape) -> Self {
        Self {
            shape,
            quantity: PhantomData,
        }
    }

    /// Always `value`.
    pub fn constant(value: T) -> Self {
        Self::of(Shape::Constant(value.to_f64()))
    }

    /// Exponential with the given mean.
    pub fn exponential(mean: T) -> Self {
        Self::of(Shape::Exponential {
            mean: mean.to_f64(),
        })
    }

    /// Pareto with the given shape (above 1) and mean.
    pub fn pareto(shape: f64, mean: T) -> Self {
        Self::of(Shape::Pareto {
            shape,
            mean: mean.to_f64(),
        })
    }

    /// Each of `values` (seconds or bytes, at least one) with equal probability.
    pub fn empirical(values: &[f64]) -> Self {
        let unit = T::read(Scalar::Base(1.0)).map_or(1.0, T::to_f64);
        Self::of(Shape::Empirical {
            values: values.iter().map(|value| value * unit).collect(),
        })
    }

    /// The value, where nothing is random.
    pub fn as_constant(&self) -> Option<T> {
        match self.shape {
            Shape::Constant(value) => Some(T::from_f64(value)),
            _ => None,
        }
    }

    /// From where to where, if any value between is as likely.
    pub fn as_uniform(&self) -> Option<(T, T)> {
        let (from, to) = match self.shape {
            Shape::Constant(value) => (value, value),
            Shape::Uniform { from, to } => (from, to),
            _ => return None,
        };
        Some((T::from_f64(from), T::from_f64(to)))
    }

    /// No value is less: zero as long as a file that it names is not read.
    pub fn least(&self) -> T {
        T::from_f64(match &self.shape {
            Shape::Constant(value) => *value,
            Shape::Uniform { from, .. } => *from,
            Shape::Pareto { shape, mean } => mean * (shape - 1.0) / shape,
            Shape::Exponential { .. } | Shape::Lognormal { .. } | Shape::Named { .. } => 0.0,
            Shape::Empirical { values } => values.iter().copied().fold(f64::INFINITY, f64::min),
        })
    }

    /// Mean before rounding, in picoseconds or bytes.
    pub fn mean(&self) -> f64 {
        match &self.shape {
            Shape::Constant(value) => *value,
            Shape::Uniform { from, to } => 0.5 * (from + to),
            Shape::Exponential { mean }
            | Shape::Pareto { mean, .. }
            | Shape::Lognormal { mean, .. } => *mean,
            Shape::Named { .. } => f64::NAN,
            Shape::Empirical { values } => values.iter().sum::<f64>() / values.len() as f64,
        }
    }

    /// Mean of what is left where more than `most` is cut to it, likewise before rounding.
    pub fn mean_up_to(&self, most: T) -> f64 {
        let most = most.to_f64();
        match &self.shape {
            Shape::Constant(value) => value.min(most),
            Shape::Uniform { from, to } if most < *to => {
                let left = most.max(*from) - from;
                (from + left - 0.5 * left * left / (to - from)).min(most)
            }
            Shape::Exponential { mean } => mean * (1.0 - libm::exp(-most / mean)),
            Shape::Pareto { shape, mean } => {
                let least = mean * (shape - 1.0) / shape;
                if most <= least {
                    return most;
                }
                mean * (1.0 - libm::pow(least / most, shape - 1.0) / shape)
            }
            Shape::Lognormal { sigma, mean } => {
                let below = |z: f64| 0.5 * libm::erfc(-z * core::f64::consts::FRAC_1_SQRT_2);
                let z = libm::log(most / mean) / sigma;
                mean * below(z - 0.5 * sigma) + most * below(-z - 0.5 * sigma)
            }
            Shape::Empirical { values } => {
                values.iter().map(|value| value.min(most)).sum::<f64>() / values.len() as f64
            }
            Shape::Uniform { .. } | Shape::Named { .. } => self.mean(),
        }
    }

    /// One value.
    ///
    /// # Panics
    /// If the file of an `empirical(...)` was never read.
    pub fn draw(&self, stream: &mut Stream) -> T {
        T::from_f64(match &self.shape {
            Shape::Constant(value) => *value,
            Shape::Uniform { from, to } => from + (to - from) * stream.uniform(),
            Shape::Exponential { mean } => stream.exponential(*mean),
            Shape::Pareto { shape, mean } => stream.pareto(*shape, *mean),
            Shape::Lognormal { sigma, mean } => stream.lognormal(*sigma, *mean),
            Shape::Named { file } => unreachable!("{file} was not read"),
            Shape::Empirical { values } => values[stream.below(values.len() as u64) as usize],
        })
    }

    /// Reads `name(argument, ...)`; none if it is no such thing.
    fn parse_call(text: &str) -> Option<Shape> {
        let (name, rest) = text.trim().split_once('(')?;
        let arguments: Vec<&str> = rest.strip_suffix(')')?.split(',').map(str::trim).collect();
        let quantity = |text: &str| T::read(Scalar::Text(text)).ok().map(T::to_f64);
        let above = |text: &str, least: f64| {
            text.parse()
                .ok()
                .filter(|&number: &f64| number > least && number.is_finite())
        };
        match (name.trim(), arguments.as_slice()) {
            ("constant", [value]) => Some(Shape::Constant(quantity(value)?)),
            ("uniform", [from, to]) => {
                let (from, to) = (quantity(from)?, quantity(to)?);
                (from <= to).then_some(Shape::Uniform { from, to })
            }
            ("exponential", [mean]) => Some(Shape::Exponential {
                mean: quantity(mean)?,
            }),
            ("pareto", [shape, mean]) => Some(Shape::Pareto {
                shape: above(shape, 1.0)?,
                mean: quantity(mean)?,
            }),
            ("lognormal", [sigma, mean]) => Some(Shape::Lognormal {
                sigma: above(sigma, 0.0)?,
                mean: quantity(mean)?,
            }),
            ("empirical", [file]) if !file.is_empty() => Some(Shape::Named {
                file: (*file).into(),
            }),
            _ => None,
        }
    }
}

impl<T: Drawn> Quantity for Distribution<T> {
    const ALLOWED: &'static str = T::DRAWN_ALLOWED;
    const SCHEMA: &'static str = r#"{"type": "string"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        if let Scalar::Text(text) = scalar
            && text.contains('(')
        {
            return Self::parse_call(text)
                .map(Self::of)
                .ok_or_else(|| Self::fault(scalar));
        }
        T::read(scalar).map(Self::constant).map_err(|fault| {
            // A sound quantity that is too large is told so; all else what laws there are.
            if fault.allowed.starts_with(T::ALLOWED) {
                Self::fault(scalar)
            } else {
                fault
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str) -> Result<Distribution<Span>, Fault> {
        Distribution::read(Scalar::Text(text))
    }

    #[test]
    fn every_law_is_read_and_keeps_its_mean() {
        for (text, mean_ms) in [
            ("20 ms", 20.0),
            ("constant(20 ms)", 20.0),
            ("uniform(0 s, 1 s)", 500.0),
            ("exponential(500 ms)", 500.0),
            ("pareto(2.5, 500 ms)", 500.0),
            ("lognormal(0.4, 500 ms)", 500.0),
        ] {
            let law = span(text).unwrap();
            assert!((law.mean() / 1e9 - mean_ms).abs() < 1e-9, "{text}");
            let mut stream = Stream::new(3);
            let n = 100_000;
            let values: Vec<Span> = (0..n).map(|_| law.draw(&mut stream)).collect();
            let least = *values.iter().min().unwrap();
            assert!(least >= law.least(), "{text}: {least}");
            assert!(least <= law.least() + Span::from_ms(110), "{text}: {least}");
            let drawn: f64 = values.iter().map(|value| value.as_s()).sum::<f64>() / f64::from(n);
            assert!(
                (drawn * 1e3 / mean_ms - 1.0).abs() < 0.03,
                "{text}: {drawn}"
            );
        }
    }

    #[test]
    fn the_mean_of_what_is_cut_is_that_of_what_is_drawn() {
        let most = Bytes::new(65_000);
        let mut laws: Vec<(&str, Distribution<Bytes>)> = [
            "50 kB",
            "70 kB",
            "uniform(10 kB, 50 kB)",
            "uniform(10 kB, 200 kB)",
            "uniform(70 kB, 80 kB)",
            "exponential(500 B)",
            "exponential(50 kB)",
            "pareto(1.2, 20 kB)",
            "pareto(3, 50 kB)",
            "pareto(2, 200 kB)",
            "lognormal(0.4, 500 B)",
            "lognormal(1.5, 50 kB)",
        ]
        .map(|text| (text, Distribution::read(Scalar::Text(text)).unwrap()))
        .into();
        laws.push(("a file", Distribution::empirical(&[40.0, 1500.0, 1e6])));
        for (text, law) in laws {
            let mut stream = Stream::new(5);
            let n = 200_000;
            let cut = (0..n).map(|_| law.draw(&mut stream).min(most).as_f64());
            let drawn = cut.sum::<f64>() / f64::from(n);
            let mean = law.mean_up_to(most);
            assert!((drawn / mean - 1.0).abs() < 0.01, "{text}: {drawn} {mean}");
        }
    }

    #[test]
    fn a_cut_beyond_all_that_is_drawn_leaves_the_mean() {
        for text in ["500 B", "uniform(40 B, 1500 B)", "exponential(500 B)"] {
            let law = Distribution::<Bytes>::read(Scalar::Text(text)).unwrap();
            assert_eq!(law.mean_up_to(Bytes::new(65_507)), law.mean(), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_the_choices() {
        for text in [
            "exponential(5)",
            "exponential(5 ms",
            "uniform(2 s, 1 s)",
            "pareto(0.9, 1 s)",
            "pareto(NaN, 1 s)",
            "normal(1 s)",
            "empirical()",
            "exponential(-1 s)",
        ] {
            let fault = span(text).unwrap_err();
            assert!(
                fault.allowed.contains("exponential(MEAN)"),
                "{text}: {fault}"
            );
        }
    }

    #[test]
    fn sizes_are_whole_and_at_least_one() {
        let law = Distribution::<Bytes>::read(Scalar::Text("exponential(2 B)")).unwrap();
        let mut stream = Stream::new(1);
        assert!((0..1000).all(|_| law.draw(&mut stream).get() >= 1));
    }

    #[test]
    fn empirical_values_are_in_seconds_or_bytes() {
        let mut stream = Stream::new(1);
        let law = Distribution::<Span>::empirical(&[0.002]);
        assert_eq!(law.draw(&mut stream), Span::from_ms(2));
        assert_eq!(
            Distribution::<Bytes>::empirical(&[40.0, 1500.0]).mean(),
            770.0
        );
        assert_eq!(
            span("empirical(delays.csv)").unwrap().file(),
            Some("delays.csv")
        );
    }
}
