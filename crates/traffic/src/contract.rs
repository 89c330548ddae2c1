//! The contract between a source and its owner.

use std::sync::Arc;

use sojourn_base::{
    Bytes, Distribution, Fault, Law, ParamFault, Quantity, Rate, Scalar, Span, Stream,
};

/// The random streams of one source.
#[derive(Debug)]
pub struct Draw<'a> {
    /// For gaps and on and off times.
    pub gaps: &'a mut Stream,
    /// For packet sizes.
    pub sizes: &'a mut Stream,
}

/// The next packet of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Emission {
    /// Time since the packet before; for the first one, since the start of the flow. Where no more
    /// come, [`Span::ENDLESS`].
    pub gap: Span,
    /// Payload of the packet.
    pub payload: Bytes,
}

/// A traffic source: a pure state machine.
pub trait Source {
    /// The next packet.
    fn next(&mut self, draw: &mut Draw<'_>) -> Emission;

    /// Shows its laws, so that their owner can read the files that they name.
    ///
    /// # Errors
    /// A law with which it cannot go on, as far as that depends on a file.
    fn laws(&mut self, _show: &mut dyn FnMut(&mut dyn Law)) -> Result<(), ParamFault> {
        Ok(())
    }

    /// Shows the recording that it plays back, so that its owner can read it.
    ///
    /// # Errors
    /// A recording with which it cannot go on.
    fn recordings(&mut self, _show: &mut dyn FnMut(&mut Recording)) -> Result<(), ParamFault> {
        Ok(())
    }
}

/// Packets of a file that a source plays back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recording {
    /// The file: a capture or a table of arrivals.
    pub file: String,
    /// The only one of its interfaces, or [`Recording::ALL`].
    pub interface: String,
    /// The only addresses whose packets are played, or [`Recording::ALL`].
    pub sender: String,
    /// The only one of its flows, by its name, or [`Recording::ALL`].
    pub flow: String,
    /// What was recorded, in order; nothing as long as it has not been read.
    pub packets: Arc<[Recorded]>,
}

impl Recording {
    /// Whatever there is.
    pub const ALL: &str = "all";
}

/// A packet of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recorded {
    /// When it came, from the beginning of the recording.
    pub after: Span,
    /// From the IP header on.
    pub size: Bytes,
}

/// The packets that a source sends, and which of their bytes its rate counts.
#[derive(Debug, Clone, PartialEq)]
pub struct Packets {
    payload: Distribution<Bytes>,
    header: Bytes,
    rate_of: RateOf,
    /// Their payload where all have the same: it need not be drawn.
    fixed: Option<Bytes>,
    /// The last time to be asked for, and of what: mostly it is the same again, and need not be
    /// divided.
    made: Option<(Rate, Bytes, Span)>,
}

impl Packets {
    /// The largest packet on the wire: the 16-bit length of an IP header.
    pub const LARGEST: u64 = 65_535;

    /// Packets with such payloads and so many header bytes around each. A rate counts all of these
    /// bytes.
    pub fn new(payload: Distribution<Bytes>, header: Bytes) -> Self {
        let fixed = payload.as_constant();
        Self {
            fixed: fixed.map(|payload| kept_to_ip(payload, header)),
            made: None,
            payload,
            header,
            rate_of: RateOf::Wire,
        }
    }

    /// The same, `rate_of` saying which of their bytes a rate counts.
    #[must_use]
    pub fn counting(self, rate_of: RateOf) -> Self {
        Self { rate_of, ..self }
    }

    /// The payload of a packet of `size` with its header; at least a byte.
    pub fn payload_of(&self, size: Bytes) -> Bytes {
        let least = self.header + Bytes::new(1);
        kept_to_ip(size.max(least) - self.header, self.header)
    }

    /// The payload of the next packet, kept to what IP can carry.
    #[inline]
    pub fn payload(&self, draw: &mut Draw<'_>) -> Bytes {
        self.fixed
            .unwrap_or_else(|| kept_to_ip(self.payload.draw(draw.sizes), self.header))
    }

    /// Header bytes that count towards the rate.
    fn counted_header(&self) -> Bytes {
        match self.rate_of {
            RateOf::Wire => self.header,
            RateOf::Payload => Bytes::ZERO,
        }
    }

    /// The time in which a source of `rate` makes a packet of `payload`.
    #[inline]
    pub fn time_at(&mut self, rate: Rate, payload: Bytes) -> Span {
        match self.made {
            Some((at, of, takes)) if (at, of) == (rate, payload) => takes,
            _ => {
                let takes = rate.time_to_send(payload + self.counted_header());
                self.made = Some((rate, payload, takes));
                takes
            }
        }
    }

    /// The mean of that time in picoseconds.
    pub fn mean_time_at(&self, rate: Rate) -> f64 {
        let payload = self.payload.mean_up_to(largest_payload(self.header));
        let bits = 8.0 * (payload + self.counted_header().as_f64());
        bits * 1e12 / rate.as_f64()
    }
}

/// The payload, or as much of it as fits a packet of IP with the header.
fn kept_to_ip(payload: Bytes, header: Bytes) -> Bytes {
    payload.min(largest_payload(header))
}

/// What fits a packet of IP with the header.
fn largest_payload(header: Bytes) -> Bytes {
    Bytes::new(Packets::LARGEST) - header
}

/// Which bytes the rate of a source counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateOf {
    /// Payload and header: what the first link sees.
    Wire,
    /// Payload alone, as ns-3's applications count.
    Payload,
}

impl Quantity for RateOf {
    const ALLOWED: &'static str = "\"wire\" or \"payload\"";
    const SCHEMA: &'static str = r#"{"enum": ["wire", "payload"]}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        match scalar {
            Scalar::Text("wire") => Ok(Self::Wire),
            Scalar::Text("payload") => Ok(Self::Payload),
            other => Err(Self::fault(other)),
        }
    }
}
