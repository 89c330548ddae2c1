//! Reading quantities: `"10 Mbit/s"`, `"20 ms"`, `"1500 B"`, `0.002`, `true`.
//!
//! Decimals are read exactly, as integers times a power of ten, so that `"0.1 Mbit/s"` is
//! 100 000 bit/s and not the nearest `f64` to it.

use core::fmt;

use crate::{Bytes, Rate, Span, meant};

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
        match meant::candidates(text).into_iter().find(readable) {
            Some(meant) => Fault {
                allowed: format!("{}; did you mean {meant:?}?", fault.allowed),
                ..fault
            },
            None => fault,
        }
    }
}

/// A decimal number: `digits * 10^exponent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    digits: i128,
    exponent: i32,
}

impl Decimal {
    /// Reads `12`, `-0.5`, `1e3`, `2.5e-3`; none for anything else or beyond 30 digits.
    pub fn parse(text: &str) -> Option<Self> {
        let (mantissa, exponent) = match text.split_once(['e', 'E']) {
            Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let unsigned = whole.strip_prefix(['-', '+']).unwrap_or(whole);
        let all_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
        if unsigned.len() + fraction.len() > 30
            || (unsigned.is_empty() && fraction.is_empty())
            || !all_digits(unsigned)
            || !all_digits(fraction)
            || exponent.abs() > 40
        {
            return None;
        }
        let magnitude: i128 = format!("0{unsigned}{fraction}").parse().ok()?;
        let digits = if whole.starts_with('-') {
            -magnitude
        } else {
            magnitude
        };
        Some(Self {
            digits,
            exponent: exponent - i32::try_from(fraction.len()).ok()?,
        })
    }

    /// Whether it is below zero.
    pub const fn is_negative(self) -> bool {
        self.digits < 0
    }

    /// This times `unit`, to the nearest whole number; none if negative, beyond 64 bits, or if a
    /// number above zero would round to zero.
    pub fn times(self, unit: u64) -> Option<u64> {
        let scaled = self.digits.checked_mul(i128::from(unit))?;
        let whole = if self.exponent >= 0 {
            scaled.checked_mul(10_i128.checked_pow(self.exponent.unsigned_abs())?)?
        } else {
            match 10_i128.checked_pow(self.exponent.unsigned_abs()) {
                Some(divisor) => (scaled + divisor / 2).div_euclid(divisor),
                None => 0,
            }
        };
        if whole == 0 && self.digits != 0 {
            None
        } else {
            u64::try_from(whole).ok()
        }
    }

    /// As digits and how many of them stand behind the point; none where that is too many.
    pub fn digits_and_decimals(self) -> Option<(i128, u32)> {
        if self.exponent > 0 {
            let factor = 10_i128.checked_pow(self.exponent.unsigned_abs())?;
            return Some((self.digits.checked_mul(factor)?, 0));
        }
        Some((self.digits, self.exponent.unsigned_abs()))
    }

    /// Writes `digits` with `decimals` of them behind the point, without trailing zeros.
    pub fn write(digits: i128, decimals: u32) -> String {
        let sign = if digits < 0 { "-" } else { "" };
        let width = decimals as usize + 1;
        let text = format!("{:0width$}", digits.unsigned_abs());
        let (whole, fraction) = text.split_at(text.len() - decimals as usize);
        let fraction = fraction.trim_end_matches('0');
        let point = if fraction.is_empty() { "" } else { "." };
        format!("{sign}{whole}{point}{fraction}")
    }

    /// The nearest `f64`.
    pub fn as_f64(self) -> f64 {
        // The standard parser rounds correctly; a product of powers would not.
        format!("{}e{}", self.digits, self.exponent)
            .parse()
            .unwrap_or(f64::NAN)
    }
}

/// Splits `"1.5 Mbit/s"` into its number and its unit; the blank between them may be missing.
pub fn split_unit(text: &str) -> Option<(Decimal, &str)> {
    let text = text.trim();
    let is_number = |(i, c): (usize, char)| {
        c.is_ascii_digit()
            || c == '.'
            || (matches!(c, '-' | '+') && i == 0)
            || (matches!(c, 'e' | 'E')
                && text[i + 1..]
                    .starts_with(|next: char| next.is_ascii_digit() || "+-".contains(next)))
            || (matches!(c, '-' | '+') && text[..i].ends_with(['e', 'E']))
    };
    let end = text
        .char_indices()
        .find(|&at| !is_number(at))
        .map_or(text.len(), |(i, _)| i);
    Some((Decimal::parse(&text[..end])?, text[end..].trim()))
}

/// Reads `number unit` where `units` maps names to whole multiples of the base unit.
fn with_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, unit) = split_unit(text)?;
    let &(_, multiple) = units.iter().find(|(name, _)| *name == unit)?;
    number.times(multiple)
}

/// A number of base units as whole units; none if negative or not finite.
fn whole(base: f64) -> Option<u64> {
    (base >= 0.0 && base < u64::MAX as f64).then_some((base + 0.5) as u64)
}

impl Quantity for Span {
    const ALLOWED: &'static str =
        "a time of zero or more with its unit, such as \"20 ms\" (min, s, ms, us, ns, ps)";
    const SCHEMA: &'static str =
        r#"{"type": "string", "pattern": "^[0-9.eE+]+ ?(min|s|ms|us|ns|ps)$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        const UNITS: &[(&str, u64)] = &[
            ("ps", 1),
            ("ns", 1_000),
            ("us", 1_000_000),
            ("ms", 1_000_000_000),
            ("s", 1_000_000_000_000),
            ("min", 60_000_000_000_000),
        ];
        match scalar {
            Scalar::Text(text) => with_unit(text, UNITS).map(Self::from_ps),
            Scalar::Base(s) => (s >= 0.0 && s.is_finite()).then(|| Self::from_s(s)),
            _ => None,
        }
        .ok_or_else(|| Self::fault(scalar))
    }
}

impl Quantity for Rate {
    const ALLOWED: &'static str = "a rate above zero with its unit, such as \"10 Mbit/s\" (bit/s, kbit/s, Mbit/s, Gbit/s; at most 10000 Gbit/s)";
    const SCHEMA: &'static str = r#"{"type": "string", "pattern": "^[0-9.eE+]+ ?[kMG]?bit/s$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        const UNITS: &[(&str, u64)] = &[
            ("bit/s", 1),
            ("kbit/s", 1_000),
            ("Mbit/s", 1_000_000),
            ("Gbit/s", 1_000_000_000),
        ];
        match scalar {
            Scalar::Text(text) => with_unit(text, UNITS),
            Scalar::Base(bps) => whole(bps),
            _ => None,
        }
        .and_then(Self::from_bps)
        .ok_or_else(|| Self::fault(scalar))
    }
}

impl Quantity for Bytes {
    const ALLOWED: &'static str =
        "a size of zero or more with its unit, such as \"1500 B\" (B, kB, MB, GB)";
    const SCHEMA: &'static str = r#"{"type": "string", "pattern": "^[0-9.eE+]+ ?[kMG]?B$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        const UNITS: &[(&str, u64)] = &[
            ("B", 1),
            ("kB", 1_000),
            ("MB", 1_000_000),
            ("GB", 1_000_000_000),
        ];
        match scalar {
            Scalar::Text(text) => with_unit(text, UNITS),
            Scalar::Base(bytes) => whole(bytes),
            _ => None,
        }
        .filter(|&bytes| bytes <= 1_000_000_000_000_000)
        .map(Self::new)
        .ok_or_else(|| Self::fault(scalar))
    }
}

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

/// A value, or `"auto"`: chosen from the link by a rule that the parameter's description gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Auto<T> {
    /// By the rule.
    #[default]
    Auto,
    /// As given.
    Given(T),
}

impl<T> Auto<T> {
    /// The given value, if any.
    pub fn given(self) -> Option<T> {
        match self {
            Self::Auto => None,
            Self::Given(value) => Some(value),
        }
    }
}

impl<T: Quantity> Quantity for Auto<T> {
    const ALLOWED: &'static str = T::ALLOWED;
    const SCHEMA: &'static str = T::SCHEMA;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        if scalar == Scalar::Text("auto") {
            return Ok(Self::Auto);
        }
        T::read(scalar).map(Self::Given).map_err(|fault| Fault {
            allowed: format!("\"auto\" or {}", fault.allowed),
            ..fault
        })
    }
}

/// A value, or `"none"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Optional<T>(pub Option<T>);

impl<T: Quantity> Quantity for Optional<T> {
    const ALLOWED: &'static str = T::ALLOWED;
    const SCHEMA: &'static str = T::SCHEMA;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        if scalar == Scalar::Text("none") {
            return Ok(Self(None));
        }
        T::read(scalar)
            .map(|value| Self(Some(value)))
            .map_err(|fault| Fault {
                allowed: format!("\"none\" or {}", fault.allowed),
                ..fault
            })
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
    fn units_in_other_words_are_recognised() {
        fn meant<T: Quantity>(text: &str) -> Option<String> {
            let fault = T::read(Scalar::Text(text)).err()?.to_string();
            let (_, hint) = fault.split_once("did you mean \"")?;
            Some(hint.trim_end_matches("\"?").to_owned())
        }
        for (text, rate) in [
            ("2 Mbps", Some("2 Mbit/s")),
            ("2 mbit/s", Some("2 Mbit/s")),
            ("10Mbit", Some("10 Mbit/s")),
            ("5 kbits", Some("5 kbit/s")),
            ("2 MB/s", None),
            ("2", None),
            ("-2 Mbps", None),
        ] {
            assert_eq!(meant::<Rate>(text).as_deref(), rate, "{text}");
        }
        assert_eq!(meant::<Span>("5 msec").as_deref(), Some("5 ms"));
        assert_eq!(meant::<Span>("1e3 \u{b5}s").as_deref(), Some("1e3 us"));
        assert_eq!(meant::<Bytes>("64 KB").as_deref(), Some("64 kB"));
        assert_eq!(
            meant::<crate::Limit>("50 pkts").as_deref(),
            Some("50 packets")
        );
        assert_eq!(meant::<Optional<Span>>("1 sec").as_deref(), Some("1 s"));
    }

    #[test]
    fn decimals_are_exact() {
        for (text, unit, value) in [
            ("0.1", 1_000_000, 100_000),
            ("1.15", 100, 115),
            ("2.675", 1_000, 2_675),
            ("1e3", 1, 1_000),
            ("2.5e-3", 1_000_000, 2_500),
            (".5", 10, 5),
            ("5.", 1, 5),
        ] {
            assert_eq!(
                Decimal::parse(text).and_then(|d| d.times(unit)),
                Some(value),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_no_decimal_is_refused() {
        for text in [
            "", ".", "-", "1.2.3", "0x10", "nan", "inf", "1e", "1e99", "١",
        ] {
            assert_eq!(Decimal::parse(text), None, "{text}");
        }
        assert_eq!(
            Decimal::parse("0.2").unwrap().times(1),
            None,
            "rounds to zero"
        );
        assert_eq!(Decimal::parse("-1").unwrap().times(5), None, "negative");
    }

    #[test]
    fn units_are_read_with_or_without_a_blank() {
        assert_eq!(Span::read(Scalar::Text("1.5ms")), Ok(Span::from_us(1_500)));
        assert_eq!(
            Span::read(Scalar::Text(" 2 min ")),
            Ok(Span::from_whole_s(120))
        );
        assert_eq!(Span::read(Scalar::Text("1e-3 s")), Ok(Span::from_ms(1)));
        assert_eq!(
            Rate::read(Scalar::Text("1.5 Mbit/s")),
            Ok(Rate::from_bps(1_500_000).unwrap())
        );
        assert_eq!(Bytes::read(Scalar::Text("64 kB")), Ok(Bytes::new(64_000)));
    }

    #[test]
    fn a_missing_or_wrong_unit_is_named() {
        for bad in [
            Scalar::Integer(5),
            Scalar::Text("5"),
            Scalar::Text("5 mbit/s"),
            Scalar::Text("-5 Mbit/s"),
            Scalar::Text("0 bit/s"),
            Scalar::Text("NaN Mbit/s"),
            Scalar::Real(f64::NAN),
        ] {
            let fault = Rate::read(bad).unwrap_err();
            assert!(
                fault.to_string().contains("such as \"10 Mbit/s\""),
                "{fault}"
            );
        }
        assert!(Bytes::read(Scalar::Text("10 KB")).is_err());
        assert!(Probability::read(Scalar::Real(f64::NAN)).is_err());
        assert!(f64::read(Scalar::Real(f64::INFINITY)).is_err());
    }

    #[test]
    fn base_units_come_without_a_name() {
        assert_eq!(Span::read(Scalar::Base(0.005)), Ok(Span::from_ms(5)));
        assert_eq!(
            Rate::read(Scalar::Base(1e7)),
            Ok(Rate::from_bps(10_000_000).unwrap())
        );
        assert_eq!(u32::read(Scalar::Base(16.0)), Ok(16));
        assert!(u32::read(Scalar::Base(1.5)).is_err());
    }
}
