//! Decimal numbers as they are written, and a number with its unit.
//!
//! Read exactly, as integers times a power of ten, so that `"0.1 Mbit/s"` is 100 000 bit/s and not
//! the nearest `f64` to it.

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
        let whole = self.nearest(unit)?;
        (whole != 0 || self.digits == 0).then_some(whole)
    }

    /// This times `unit`, to the nearest whole number, which may be zero; none if negative or
    /// beyond 64 bits.
    pub fn nearest(self, unit: u64) -> Option<u64> {
        if self.is_negative() {
            return None;
        }
        let scaled = self.digits.checked_mul(i128::from(unit))?;
        let whole = if self.exponent >= 0 {
            scaled.checked_mul(10_i128.checked_pow(self.exponent.unsigned_abs())?)?
        } else {
            match 10_i128.checked_pow(self.exponent.unsigned_abs()) {
                Some(divisor) => (scaled + divisor / 2).div_euclid(divisor),
                None => 0,
            }
        };
        u64::try_from(whole).ok()
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

#[cfg(test)]
mod tests {
    use super::*;

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
}
