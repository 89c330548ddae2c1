//! Values without a unit: texts, flags, numbers.

use super::units::whole;
use super::{Fault, Quantity, Scalar};

impl Quantity for String {
    const ALLOWED: &'static str = "a text";
    const SCHEMA: &'static str = r#"{"type": "string"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        match scalar {
            Scalar::Text(text) => Ok(text.to_owned()),
            other => Err(Self::fault(other)),
        }
    }
}

impl Quantity for bool {
    const ALLOWED: &'static str = "true or false";
    const SCHEMA: &'static str = r#"{"type": "boolean"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        match scalar {
            Scalar::Flag(flag) => Ok(flag),
            other => Err(Self::fault(other)),
        }
    }
}

impl Quantity for u32 {
    const ALLOWED: &'static str = "a whole number above zero";
    const SCHEMA: &'static str = r#"{"type": "integer", "minimum": 1}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        match scalar {
            Scalar::Integer(number) => Self::try_from(number).ok(),
            Scalar::Base(number) if number == number.trunc() && number <= f64::from(u32::MAX) => {
                Some(number as Self)
            }
            _ => None,
        }
        .filter(|&number| number > 0)
        .ok_or_else(|| Self::fault(scalar))
    }
}

/// The number of a scalar that needs no unit.
fn number(scalar: Scalar<'_>) -> Option<f64> {
    match scalar {
        Scalar::Integer(number) => Some(number as f64),
        Scalar::Real(number) | Scalar::Base(number) => Some(number),
        _ => None,
    }
    .filter(|number| number.is_finite())
}

impl Quantity for f64 {
    const ALLOWED: &'static str = "a number";
    const SCHEMA: &'static str = r#"{"type": "number"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        number(scalar).ok_or_else(|| Self::fault(scalar))
    }
}

/// A number from 0 to 1, both included.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Probability(pub f64);

impl Quantity for Probability {
    const ALLOWED: &'static str = "a number from 0 to 1";
    const SCHEMA: &'static str = r#"{"type": "number", "minimum": 0, "maximum": 1}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        number(scalar)
            .filter(|p| (0.0..=1.0).contains(p))
            .map(Self)
            .ok_or_else(|| Self::fault(scalar))
    }
}

/// A number above 0 and at most 1, such as the weight of a moving average.
#[derive(Debug, Clone, Copy, PartialEq, PartialOrd)]
pub struct Fraction(pub f64);

impl Quantity for Fraction {
    const ALLOWED: &'static str = "a number above 0 and at most 1";
    const SCHEMA: &'static str = r#"{"type": "number", "exclusiveMinimum": 0, "maximum": 1}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        number(scalar)
            .filter(|&p| p > 0.0 && p <= 1.0)
            .map(Self)
            .ok_or_else(|| Self::fault(scalar))
    }
}

/// A whole number of zero or more: a seed, an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Whole(pub u64);

impl Quantity for Whole {
    const ALLOWED: &'static str = "a whole number of zero or more";
    const SCHEMA: &'static str = r#"{"type": "integer", "minimum": 0}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        match scalar {
            Scalar::Integer(number) => u64::try_from(number).ok(),
            Scalar::Base(number) if number == number.trunc() => whole(number),
            _ => None,
        }
        .map(Self)
        .ok_or_else(|| Self::fault(scalar))
    }
}

/// How many: a number of zero or more, not necessarily whole as long as it is a mean.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Count(pub f64);

impl Quantity for Count {
    const ALLOWED: &'static str = "a number of zero or more";
    const SCHEMA: &'static str = r#"{"type": ["number", "string"]}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        match scalar {
            Scalar::Text(text) => text.parse().ok(),
            other => f64::read(other).ok(),
        }
        .filter(|number: &f64| *number >= 0.0 && number.is_finite())
        .map(Self)
        .ok_or_else(|| Self::fault(scalar))
    }
}

/// A name made of letters, digits, `_` and `-`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name(pub String);

impl Quantity for Name {
    const ALLOWED: &'static str = "a name of letters, digits, _ and -";
    const SCHEMA: &'static str = r#"{"type": "string", "pattern": "^[A-Za-z0-9_-]+$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        match scalar {
            Scalar::Text(text) if !text.is_empty() && text.chars().all(is_part) => {
                Ok(Self(text.to_owned()))
            }
            other => Err(Self::fault(other)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_finite_and_within_their_range() {
        assert!(Probability::read(Scalar::Real(f64::NAN)).is_err());
        assert!(f64::read(Scalar::Real(f64::INFINITY)).is_err());
        assert_eq!(u32::read(Scalar::Base(16.0)), Ok(16));
        assert!(u32::read(Scalar::Base(1.5)).is_err());
    }
}
