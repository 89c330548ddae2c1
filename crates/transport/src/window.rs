//! Windows in a scenario: counted in segments or bytes, since a connection knows neither the rate
//! nor the round-trip time that would be needed for times and bandwidth-delay products.

use core::fmt;

use sojourn_base::{Fault, Length, Limit, Quantity, Scalar};

/// An amount of data of a connection, above zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// That many segments.
    Packets(u64),
    /// That many bytes.
    Bytes(u64),
}

impl Amount {
    fn read(scalar: Scalar<'_>) -> Option<Self> {
        match Limit::read(scalar).ok()?.0? {
            Length::Packets(packets) => Some(Self::Packets(packets as u64)),
            Length::Bytes(bytes) => Some(Self::Bytes(bytes as u64)),
            Length::Time(_) | Length::Bdp(_) => None,
        }
    }

    /// As bytes, of segments of `mss`.
    pub const fn bytes(self, mss: u64) -> u64 {
        match self {
            Self::Packets(packets) => packets.saturating_mul(mss),
            Self::Bytes(bytes) => bytes,
        }
    }
}

impl fmt::Display for Amount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Packets(packets) => write!(f, "{packets} packets"),
            Self::Bytes(bytes) => write!(f, "{bytes} B"),
        }
    }
}

/// A window, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window(pub Option<Amount>);

impl Quantity for Window {
    const ALLOWED: &'static str =
        "a window above zero such as \"20 packets\" (whole) or \"64 kB\", or \"none\"";
    const SCHEMA: &'static str =
        r#"{"type": "string", "pattern": "^(none|[0-9.eE+]+ ?(packets?|[kMG]?B))$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        if scalar == Scalar::Text("none") {
            return Ok(Self(None));
        }
        Amount::read(scalar)
            .map(|amount| Self(Some(amount)))
            .ok_or_else(|| Self::fault(scalar))
    }
}

/// The window of a new connection: there is always one, since all of it is sent at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InitialWindow(pub Amount);

impl Quantity for InitialWindow {
    const ALLOWED: &'static str =
        "a window above zero such as \"10 packets\" (whole) or \"15 kB\", at most 1 GB";
    const SCHEMA: &'static str =
        r#"{"type": "string", "pattern": "^[0-9.eE+]+ ?(packets?|[kMG]?B)$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        Amount::read(scalar)
            .map(Self)
            .ok_or_else(|| Self::fault(scalar))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_is_counted() {
        let bytes = |text| Window::read(Scalar::Text(text)).map(|w| w.0.map(|a| a.bytes(1000)));
        assert_eq!(bytes("20 packets"), Ok(Some(20_000)));
        assert_eq!(bytes("64 kB"), Ok(Some(64_000)));
        assert_eq!(bytes("none"), Ok(None));
        assert_eq!(
            InitialWindow::read(Scalar::Base(3.0)),
            Ok(InitialWindow(Amount::Packets(3)))
        );
    }

    #[test]
    fn what_is_refused_is_not_offered() {
        for text in ["100 ms", "1 bdp", "0 packets", "0 B", "2.5 packets", "20"] {
            let fault = Window::read(Scalar::Text(text)).unwrap_err();
            assert_eq!(fault.allowed, Window::ALLOWED, "{text}");
            let fault = InitialWindow::read(Scalar::Text(text)).unwrap_err();
            assert_eq!(fault.allowed, InitialWindow::ALLOWED, "{text}");
        }
        assert!(InitialWindow::read(Scalar::Text("none")).is_err());
        assert!(!InitialWindow::ALLOWED.contains("none"));
    }
}
