//! Simulated time: whole picoseconds since the start of a run.
//!
//! Integers make the clock exact (a 1500-byte packet takes 120 000 ps at 100 Gbit/s) and
//! comparable, so that ties are real ties. 64 bits hold 213 days.

use core::fmt;
use core::ops::{Add, AddAssign, Sub};

use crate::decimal::Decimal;

/// Picoseconds in a second.
pub const PS_PER_S: u64 = 1_000_000_000_000;

/// The longest time in whole seconds: 213 days.
pub const LONGEST_S: u64 = u64::MAX / PS_PER_S;

/// An instant: picoseconds since the start of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

/// A duration in picoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(u64);

impl Time {
    /// The start of the run.
    pub const ZERO: Self = Self(0);
    /// Later than everything that happens.
    pub const NEVER: Self = Self(u64::MAX);

    /// The instant `ps` picoseconds after the start.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// The instant `ns` nanoseconds after the start.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * 1_000)
    }

    /// Picoseconds since the start.
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Seconds since the start, rounded to the nearest `f64`.
    pub fn as_s(self) -> f64 {
        self.0 as f64 / PS_PER_S as f64
    }

    /// Time gone by since `earlier`; zero if `earlier` is later.
    pub const fn since(self, earlier: Self) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }

    /// Time gone by since `earlier`, which must not be later: to look into that costs two
    /// instructions more, at every packet several times.
    #[inline]
    pub const fn elapsed_since(self, earlier: Self) -> Span {
        debug_assert!(earlier.0 <= self.0);
        Span(self.0.wrapping_sub(earlier.0))
    }

    /// The last instant before this one; the start of the run has none and stays.
    #[must_use]
    pub const fn just_before(self) -> Self {
        Self(self.0.saturating_sub(1))
    }
}

impl Span {
    /// No time at all.
    pub const ZERO: Self = Self(0);
    /// Longer than everything that ends.
    pub const ENDLESS: Self = Self(u64::MAX);

    /// `ps` picoseconds.
    pub const fn from_ps(ps: u64) -> Self {
        Self(ps)
    }

    /// `us` microseconds.
    pub const fn from_us(us: u64) -> Self {
        Self(us * 1_000_000)
    }

    /// `ms` milliseconds.
    pub const fn from_ms(ms: u64) -> Self {
        Self(ms * 1_000_000_000)
    }

    /// `s` whole seconds.
    pub const fn from_whole_s(s: u64) -> Self {
        Self(s * PS_PER_S)
    }

    /// `s` seconds to the nearest picosecond; negative or undefined values give zero, and
    /// values beyond the clock its end.
    pub fn from_s(s: f64) -> Self {
        Self((s * PS_PER_S as f64 + 0.5) as u64)
    }

    /// Picoseconds.
    pub const fn as_ps(self) -> u64 {
        self.0
    }

    /// Seconds, rounded to the nearest `f64`.
    pub fn as_s(self) -> f64 {
        self.0 as f64 / PS_PER_S as f64
    }

    /// Exact, in seconds: `0.0025 s`.
    pub fn in_seconds(self) -> String {
        in_seconds(self.0)
    }
}

impl Add<Span> for Time {
    type Output = Self;
    /// Saturates at [`Time::NEVER`].
    fn add(self, span: Span) -> Self {
        Self(self.0.saturating_add(span.0))
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, span: Span) {
        *self = *self + span;
    }
}

impl Add for Span {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Span {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Span {
    type Output = Self;
    /// Stops at zero.
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl fmt::Display for Time {
    /// Exact, in seconds, so that instants can be compared at a glance.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&in_seconds(self.0))
    }
}

fn in_seconds(ps: u64) -> String {
    format!("{} s", Decimal::write(i128::from(ps), 12))
}

impl fmt::Display for Span {
    /// Exact, in the largest unit that leaves no more than three digits behind the point.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (decimals, name) = match self.0 {
            0 => (12, "s"),
            ps if ps % 1_000_000_000 == 0 && ps >= PS_PER_S => (12, "s"),
            ps if ps % 1_000_000 == 0 && ps >= 1_000_000_000 => (9, "ms"),
            ps if ps % 1_000 == 0 && ps >= 1_000_000 => (6, "us"),
            ps if ps >= 1_000 => (3, "ns"),
            _ => (0, "ps"),
        };
        write!(f, "{} {name}", Decimal::write(i128::from(self.0), decimals))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_print_exactly_in_a_readable_unit() {
        for (ps, text) in [
            (0, "0 s"),
            (1_500_000_000_000, "1.5 s"),
            (20_000_000_000, "20 ms"),
            (1_333_333_333, "1333333.333 ns"),
            (1_500, "1.5 ns"),
            (7, "7 ps"),
        ] {
            assert_eq!(Span::from_ps(ps).to_string(), text);
        }
    }

    #[test]
    fn instants_print_exactly_in_seconds() {
        for (ps, text) in [
            (0, "0 s"),
            (20_000_000_000, "0.02 s"),
            (2_001_123_460_058, "2.001123460058 s"),
        ] {
            assert_eq!(Time::from_ps(ps).to_string(), text);
            assert_eq!(Span::from_ps(ps).in_seconds(), text);
        }
    }

    #[test]
    fn the_clock_saturates_instead_of_wrapping() {
        assert_eq!(Time::NEVER + Span::from_ps(1), Time::NEVER);
        assert_eq!(Time::ZERO.since(Time::from_ps(5)), Span::ZERO);
        assert_eq!(Span::from_s(-1.0), Span::ZERO);
        assert_eq!(Span::from_s(0.001), Span::from_ms(1));
    }
}
