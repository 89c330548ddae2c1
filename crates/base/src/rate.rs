//! Transmission rates.

use core::fmt;

use crate::decimal::Decimal;
use crate::time::PS_PER_S;
use crate::{Bytes, Span};

/// A rate in whole bits per second; never zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// 10 Tbit/s: a one-byte packet still takes close to a picosecond.
    pub const MAX: Self = Self(10_000_000_000_000);

    /// `bps` bits per second; none if zero or above [`Rate::MAX`].
    pub const fn from_bps(bps: u64) -> Option<Self> {
        if bps == 0 || bps > Self::MAX.0 {
            None
        } else {
            Some(Self(bps))
        }
    }

    /// Bits per second.
    pub const fn bps(self) -> u64 {
        self.0
    }

    /// Bits per second as `f64`.
    pub fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// The time to send `size`, to the nearest picosecond and at least one, so that two packets
    /// never leave a link at the same instant.
    #[inline]
    pub fn time_to_send(self, size: Bytes) -> Span {
        /// Up to here bits times picoseconds per second fit 64 bits.
        const FAST: u64 = u64::MAX / PS_PER_S / 8 - 2;
        let ps = if size.get() <= FAST {
            (size.bits() * PS_PER_S + self.0 / 2) / self.0
        } else {
            let bits = u128::from(size.get()) * 8;
            let ps = (bits * u128::from(PS_PER_S) + u128::from(self.0 / 2)) / u128::from(self.0);
            u64::try_from(ps).unwrap_or(u64::MAX)
        };
        Span::from_ps(ps.max(1))
    }

    /// Bytes sent in `span`.
    pub fn bytes_in(self, span: Span) -> f64 {
        self.as_f64() * span.as_s() / 8.0
    }

    /// Packets of `size` sent per second: the `ptc` of ns-2.
    pub fn packets_per_s(self, size: Bytes) -> f64 {
        self.as_f64() / size.bits() as f64
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (decimals, name) = match self.0 {
            bps if bps >= 1_000_000_000 => (9, "Gbit/s"),
            bps if bps >= 1_000_000 => (6, "Mbit/s"),
            bps if bps >= 1_000 => (3, "kbit/s"),
            _ => (0, "bit/s"),
        };
        write!(f, "{} {name}", Decimal::write(i128::from(self.0), decimals))
    }
}

/// What a link sends at for a while: a rate, or nothing at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Momentary(pub Option<Rate>);

impl Momentary {
    /// `bps` bits per second, zero being an outage; none if above [`Rate::MAX`].
    pub const fn from_bps(bps: u64) -> Option<Self> {
        match (bps, Rate::from_bps(bps)) {
            (0, _) => Some(Self(None)),
            (_, Some(rate)) => Some(Self(Some(rate))),
            (_, None) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rate(bps: u64) -> Rate {
        Rate::from_bps(bps).unwrap()
    }

    #[test]
    fn serialisation_is_exact_at_100_gbit_s() {
        assert_eq!(
            rate(100_000_000_000).time_to_send(Bytes::new(1500)),
            Span::from_ps(120_000)
        );
        assert_eq!(
            rate(8_000_000).time_to_send(Bytes::new(500)),
            Span::from_us(500)
        );
    }

    #[test]
    fn serialisation_rounds_to_the_nearest_picosecond() {
        assert_eq!(
            rate(3_000_000).time_to_send(Bytes::new(500)),
            Span::from_ps(1_333_333_333)
        );
        assert_eq!(
            rate(7).time_to_send(Bytes::new(1)),
            Span::from_ps(1_142_857_142_857)
        );
    }

    #[test]
    fn large_sizes_do_not_overflow() {
        let hour = rate(1_000_000_000).time_to_send(Bytes::new(450_000_000_000));
        assert_eq!(hour, Span::from_whole_s(3600));
    }

    #[test]
    fn both_arithmetic_paths_agree() {
        let edge = u64::MAX / PS_PER_S / 8 - 2;
        let (below, above) = (Bytes::new(edge), Bytes::new(edge + 1));
        let r = rate(1_000_000);
        assert_eq!(
            r.time_to_send(above).as_ps() - r.time_to_send(below).as_ps(),
            8_000_000
        );
    }

    #[test]
    fn rates_print_in_their_largest_unit() {
        assert_eq!(rate(1_500_000).to_string(), "1.5 Mbit/s");
        assert_eq!(rate(100_000_000_000).to_string(), "100 Gbit/s");
        assert_eq!(rate(999).to_string(), "999 bit/s");
    }
}
