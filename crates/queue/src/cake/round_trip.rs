//! `rtt`: the round-trip time that the queue is tuned for, by name or as a time.

use sojourn_base::{Fault, Quantity, Scalar, Span};

/// A round-trip time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoundTrip(pub Span);

/// The keywords of `tc-cake(8)`.
const KEYWORDS: [(&str, Span); 8] = [
    ("datacentre", Span::from_us(100)),
    ("lan", Span::from_ms(1)),
    ("metro", Span::from_ms(10)),
    ("regional", Span::from_ms(30)),
    ("internet", Span::from_ms(100)),
    ("oceanic", Span::from_ms(300)),
    ("satellite", Span::from_ms(1_000)),
    ("interplanetary", Span::from_whole_s(1_000)),
];

impl Quantity for RoundTrip {
    const ALLOWED: &'static str = "a time such as \"50 ms\", or one of \"datacentre\", \"lan\", \"metro\", \"regional\", \"internet\", \"oceanic\", \"satellite\", \"interplanetary\"";
    const SCHEMA: &'static str = r#"{"type": "string", "pattern": "^(datacentre|lan|metro|regional|internet|oceanic|satellite|interplanetary|[0-9.eE+]+ ?(min|s|ms|us|ns|ps))$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        let keyword = KEYWORDS
            .iter()
            .find(|(word, _)| scalar == Scalar::Text(word));
        match keyword {
            Some((_, span)) => Ok(Self(*span)),
            None => Span::read(scalar)
                .map(Self)
                .map_err(|_| Self::fault(scalar)),
        }
    }
}

impl RoundTrip {
    /// The sojourn that is good for a packet: a twentieth.
    pub fn target(self) -> Span {
        Span::from_ps(self.0.as_ps() / 20)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_times() {
        let read = |text| RoundTrip::read(Scalar::Text(text)).map(|trip| trip.0);
        assert_eq!(read("internet"), Ok(Span::from_ms(100)));
        assert_eq!(read("40 ms"), Ok(Span::from_ms(40)));
        let fault = read("lunar").unwrap_err().to_string();
        assert!(fault.contains("\"satellite\""), "{fault}");
        assert_eq!(RoundTrip(Span::from_ms(30)).target(), Span::from_us(1_500));
    }
}
