//! Reading quantities: `"10 Mbit/s"`, `"20 ms"`, `"1500 B"`, `0.002`, `true`.
//!
//! A [`Scalar`] is what stands in a file; a [`Quantity`] is read from one, or says by a [`Fault`]
//! why it cannot be.

mod alternatives;
mod plain;
mod units;

use core::fmt;

use crate::unit_hints;
pub use alternatives::{Auto, Optional};
pub use plain::{Count, Fraction, Name, Probability, Whole};

/// A scalar as it stands in a file, before its unit is read.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scalar<'a> {
    /// A quoted text.
    Text(&'a str),
    /// A whole number without a unit.
    Integer(i64),
    /// A number with a point, without a unit.
    Real(f64),
    /// `true` or `false`.
    Flag(bool),
    /// A number in base units (seconds, bytes, bit/s, packets): how programs talk to the driver.
    Base(f64),
}

impl<'a> Scalar<'a> {
    /// Reads a default as it is written in a parameter table: `true`, `0.002`, `5 packets`.
    pub fn literal(text: &'a str) -> Self {
        let flag = text.parse::<bool>().map(Self::Flag).ok();
        let integer = || text.parse::<i64>().map(Self::Integer).ok();
        let real = || text.parse::<f64>().map(Self::Real).ok();
        flag.or_else(integer)
            .or_else(real)
            .unwrap_or(Self::Text(text))
    }
}

impl fmt::Display for Scalar<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => {
                let mut shown: String = text.chars().take(60).collect();
                if shown.len() < text.len() {
                    shown.push_str("...");
                }
                write!(f, "{shown:?}")
            }
            Self::Integer(number) => write!(f, "{number}"),
            Self::Real(number) | Self::Base(number) => write!(f, "{number:?}"),
            Self::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

/// Why a scalar cannot be taken: what stood there and what may stand there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// What stood there, as the file has it.
    pub found: String,
    /// What may stand there, in words.
    pub allowed: String,
}

impl Fault {
    /// `found` where only `allowed` may stand.
    pub fn new(found: impl fmt::Display, allowed: impl Into<String>) -> Self {
        Self {
            found: found.to_string(),
            allowed: allowed.into(),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "found {}; allowed: {}", self.found, self.allowed)
    }
}

/// A value that scenario files, the driver and the documentation know how to write.
pub trait Quantity: Sized {
    /// What may stand there, in words, with an example.
    const ALLOWED: &'static str;
    /// The JSON Schema of it.
    const SCHEMA: &'static str;

    /// Reads it.
    ///
    /// # Errors
    /// A [`Fault`] that says what was found and what is allowed.
    fn read(scalar: Scalar<'_>) -> Result<Self, Fault>;

    /// The fault of `scalar` for this kind of value; it names the unit that was meant, where one
    /// can be guessed.
    fn fault(scalar: Scalar<'_>) -> Fault {
        let fault = Fault::new(scalar, Self::ALLOWED);
        let Scalar::Text(text) = scalar else {
            return fault;
        };
        let readable = |meant: &String| Self::read(Scalar::Text(meant)).is_ok();
        match unit_hints::candidates(text).into_iter().find(readable) {
            Some(meant) => Fault {
                allowed: format!("{}; did you mean {meant:?}?", fault.allowed),
                ..fault
            },
            None => fault,
        }
    }
}
