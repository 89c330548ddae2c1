//! Values with a unit: times, rates, sizes.

use super::{Fault, Quantity, Scalar};
use crate::decimal::split_unit;
use crate::time::LONGEST_S;
use crate::{Bytes, Momentary, Rate, Span};

/// Reads `number unit` where `units` maps names to whole multiples of the base unit.
fn with_unit(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let (number, unit) = split_unit(text)?;
    let &(_, multiple) = units.iter().find(|(name, _)| *name == unit)?;
    number.times(multiple)
}

/// Whether such a number is beyond 64 bits of the base unit.
fn is_beyond(text: &str, units: &[(&str, u64)]) -> bool {
    split_unit(text).is_some_and(|(number, unit)| {
        let known = units.iter().find(|(name, _)| *name == unit);
        known.is_some_and(|&(_, multiple)| number.as_f64() * multiple as f64 >= u64::MAX as f64)
    })
}

/// A number of base units as whole units; none if negative or not finite.
pub(super) fn whole(base: f64) -> Option<u64> {
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
        .ok_or_else(|| match scalar {
            Scalar::Text(text) if is_beyond(text, UNITS) => Fault::new(
                scalar,
                format!("at most {LONGEST_S} s, where the clock ends"),
            ),
            _ => Self::fault(scalar),
        })
    }
}

impl Quantity for Rate {
    const ALLOWED: &'static str = "a rate from 1 bit/s to 10000 Gbit/s with its unit, such as \"10 Mbit/s\" (bit/s, kbit/s, Mbit/s, Gbit/s)";
    const SCHEMA: &'static str = r#"{"type": "string", "pattern": "^[0-9.eE+]+ ?[kMG]?bit/s$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        bits_per_second(scalar)
            .and_then(Self::from_bps)
            .ok_or_else(|| Self::fault(scalar))
    }
}

impl Quantity for Momentary {
    const ALLOWED: &'static str = "a rate up to 10000 Gbit/s with its unit, such as \"10 Mbit/s\" (bit/s, kbit/s, Mbit/s, Gbit/s), or \"0 bit/s\" for an outage";
    const SCHEMA: &'static str = Rate::SCHEMA;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        bits_per_second(scalar)
            .and_then(Self::from_bps)
            .ok_or_else(|| Self::fault(scalar))
    }
}

fn bits_per_second(scalar: Scalar<'_>) -> Option<u64> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Distribution, Optional};

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
    }

    #[test]
    fn a_time_beyond_the_clock_is_told_where_that_ends() {
        let longest = "at most 18446744 s, where the clock ends";
        for text in ["1e9 s", "18446745 s", "307446 min", "1e22ps"] {
            let fault = Span::read(Scalar::Text(text)).unwrap_err();
            assert_eq!(fault.allowed, longest, "{text}");
            let drawn = Distribution::<Span>::read(Scalar::Text(text)).unwrap_err();
            assert_eq!(drawn.allowed, longest, "{text}");
        }
        assert!(Span::read(Scalar::Text("18446744 s")).is_ok());
        let fault = Span::read(Scalar::Text("0.1 ps")).unwrap_err();
        assert_ne!(fault.allowed, longest);
    }

    #[test]
    fn base_units_come_without_a_name() {
        assert_eq!(Span::read(Scalar::Base(0.005)), Ok(Span::from_ms(5)));
        assert_eq!(
            Rate::read(Scalar::Base(1e7)),
            Ok(Rate::from_bps(10_000_000).unwrap())
        );
    }
}
