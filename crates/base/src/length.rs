//! Queue lengths: limits and thresholds in packets, bytes, time or bandwidth-delay products.

use core::fmt;

use crate::decimal::split_unit;
use crate::{Bytes, Fault, LinkInfo, Quantity, Scalar, Span};

/// A queue length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Length {
    /// In packets. Averages are compared with it, so it need not be whole.
    Packets(f64),
    /// In bytes.
    Bytes(f64),
    /// As long as the link needs to send it.
    Time(Span),
    /// In multiples of the link rate times the largest base round-trip time.
    Bdp(f64),
}

impl Length {
    /// The same length in packets or bytes, for a link: time and BDP become bytes.
    #[must_use]
    pub fn on(self, link: &LinkInfo) -> Self {
        match self {
            Self::Time(span) => Self::Bytes(link.rate.bytes_in(span)),
            Self::Bdp(times) => Self::Bytes(times * link.rate.bytes_in(link.base_rtt)),
            counted => counted,
        }
    }

    /// This length in packets of `mean` bytes.
    pub fn in_packets(self, mean: Bytes, link: &LinkInfo) -> f64 {
        match self.on(link) {
            Self::Packets(packets) => packets,
            Self::Bytes(bytes) => bytes / mean.as_f64(),
            Self::Time(_) | Self::Bdp(_) => unreachable!("`on` leaves packets or bytes"),
        }
    }

    /// This length in bytes, packets taken for `mean` bytes each.
    pub fn in_bytes(self, mean: Bytes, link: &LinkInfo) -> f64 {
        match self.on(link) {
            Self::Packets(packets) => packets * mean.as_f64(),
            Self::Bytes(bytes) => bytes,
            Self::Time(_) | Self::Bdp(_) => unreachable!("`on` leaves packets or bytes"),
        }
    }

    /// Reads `"5 packets"`, `"30 kB"`, `"5 ms"`, `"1 bdp"`; bare base numbers are packets.
    fn parse(scalar: Scalar<'_>) -> Option<Self> {
        let text = match scalar {
            Scalar::Text(text) => text,
            Scalar::Base(packets) => return (packets >= 0.0).then_some(Self::Packets(packets)),
            _ => return None,
        };
        let (number, unit) = split_unit(text)?;
        if number.is_negative() {
            return None;
        }
        match unit {
            "packets" | "packet" => Some(Self::Packets(number.as_f64())),
            "bdp" => Some(Self::Bdp(number.as_f64())),
            "B" | "kB" | "MB" | "GB" => Bytes::read(scalar)
                .ok()
                .map(|bytes| Self::Bytes(bytes.as_f64())),
            _ => Span::read(scalar).ok().map(Self::Time),
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packets(packets) => write!(f, "{packets} packets"),
            Self::Bytes(bytes) => write!(f, "{bytes} B"),
            Self::Time(span) => write!(f, "{span}"),
            Self::Bdp(times) => write!(f, "{times} bdp"),
        }
    }
}

/// A threshold: a length of zero or more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold(pub Length);

impl Quantity for Threshold {
    const ALLOWED: &'static str =
        "a queue length such as \"5 packets\", \"30 kB\", \"5 ms\" or \"0.5 bdp\"";
    const SCHEMA: &'static str =
        r#"{"type": "string", "pattern": "^[0-9.eE+]+ ?(packets?|[kMG]?B|s|ms|us|ns|bdp)$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        Length::parse(scalar)
            .map(Self)
            .ok_or_else(|| Self::fault(scalar))
    }
}

/// The most that may wait in a queue: a length above zero, whole in packets, or no limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit(pub Option<Length>);

/// A [`Limit`] on a given link, in the unit in which the queue counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capacity {
    /// At most so many packets wait.
    Packets(u64),
    /// At most so many bytes wait.
    Bytes(u64),
    /// Everything may wait.
    Unlimited,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(length) => length.fmt(f),
            None => f.write_str("\"none\""),
        }
    }
}

impl Limit {
    /// The limit on a link: time and BDP become bytes, at least one.
    pub fn on(self, link: &LinkInfo) -> Capacity {
        match self.0.map(|length| length.on(link)) {
            None => Capacity::Unlimited,
            Some(Length::Packets(packets)) => Capacity::Packets(packets as u64),
            Some(length) => Capacity::Bytes((length.in_bytes(link.mtu, link) as u64).max(1)),
        }
    }
}

impl Capacity {
    /// Whether a queue of `packets` and `bytes` has room for one more packet of `size`.
    pub fn admits(self, packets: usize, bytes: Bytes, size: Bytes) -> bool {
        match self {
            Self::Packets(limit) => (packets as u64) < limit,
            Self::Bytes(limit) => bytes.get() + size.get() <= limit,
            Self::Unlimited => true,
        }
    }

    /// Whether a queue of `packets` and `bytes` is within the limit.
    pub fn holds(self, packets: usize, bytes: Bytes) -> bool {
        match self {
            Self::Packets(limit) => packets as u64 <= limit,
            Self::Bytes(limit) => bytes.get() <= limit,
            Self::Unlimited => true,
        }
    }
}

impl Quantity for Limit {
    const ALLOWED: &'static str = "a queue length above zero such as \"50 packets\" (whole), \"64 kB\", \"100 ms\" or \"1 bdp\", or \"none\"";
    const SCHEMA: &'static str = r#"{"type": "string", "pattern": "^(none|[0-9.eE+]+ ?(packets?|[kMG]?B|s|ms|us|ns|bdp))$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        if scalar == Scalar::Text("none") {
            return Ok(Self(None));
        }
        let above_zero = |length: &Length| match *length {
            Length::Packets(packets) => packets >= 1.0 && packets == packets.trunc(),
            Length::Bytes(amount) | Length::Bdp(amount) => amount > 0.0,
            Length::Time(span) => span > Span::ZERO,
        };
        Length::parse(scalar)
            .filter(above_zero)
            .map(|length| Self(Some(length)))
            .ok_or_else(|| Self::fault(scalar))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rate;

    const LINK: LinkInfo = LinkInfo {
        rate: Rate::from_bps(8_000_000).unwrap(),
        delay: Span::from_ms(10),
        mtu: Bytes::new(1500),
        framing: Bytes::ZERO,
        base_rtt: Span::from_ms(40),
    };

    #[test]
    fn time_and_bdp_become_bytes_of_the_link() {
        let capacity = |text| Limit::read(Scalar::Text(text)).unwrap().on(&LINK);
        assert_eq!(capacity("10 ms"), Capacity::Bytes(10_000));
        assert_eq!(capacity("0.5 bdp"), Capacity::Bytes(20_000));
        assert_eq!(capacity("50 packets"), Capacity::Packets(50));
        assert_eq!(capacity("none"), Capacity::Unlimited);
    }

    #[test]
    fn a_limit_of_nothing_is_refused() {
        for text in [
            "0 packets",
            "0 B",
            "0 ms",
            "0 bdp",
            "2.5 packets",
            "-1 packets",
            "50",
            "many",
        ] {
            let fault = Limit::read(Scalar::Text(text)).unwrap_err();
            assert!(fault.to_string().contains("\"none\""), "{text}: {fault}");
        }
    }

    #[test]
    fn a_byte_limit_counts_the_arriving_packet() {
        let limit = Capacity::Bytes(3000);
        assert!(limit.admits(1, Bytes::new(1500), Bytes::new(1500)));
        assert!(!limit.admits(1, Bytes::new(1500), Bytes::new(1501)));
    }

    #[test]
    fn thresholds_convert_by_the_mean_packet() {
        let mean = Bytes::new(500);
        let threshold = |text| Threshold::read(Scalar::Text(text)).unwrap().0;
        assert_eq!(threshold("5 packets").in_bytes(mean, &LINK), 2500.0);
        assert_eq!(threshold("5 ms").in_packets(mean, &LINK), 10.0);
    }
}
