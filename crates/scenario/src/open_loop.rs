//! What [replays](crate::replay) and [emulations](crate::emulation) share: bare queues, each in
//! front of a link of its own, to which packets come from outside.

pub(crate) mod bare_link;
pub(crate) mod queues;
mod samples;

use std::collections::HashMap;

use core::fmt;

use sojourn_base::{Bytes, Quantity, Scalar, Span};
use sojourn_engine::{Breach, SimPacket};
use sojourn_trace::Arrival;

pub use bare_link::{Drop, Through};

/// Where `bdp` and times of a discipline refer to a packet size: an Ethernet's.
pub(crate) const MTU: Bytes = Bytes::new(1500);
/// What flows beyond the most that are told apart are called together, unless one of these is
/// called so.
const OTHERS: &str = "others";

/// Why there is no result.
#[derive(Debug)]
pub enum OpenLoopError {
    /// Something is wrong with what was asked for, or with where packets come from.
    Input(String),
    /// It was cancelled.
    Cancelled,
    /// The books do not balance.
    Breach(Breach),
}

impl fmt::Display for OpenLoopError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(what) => f.write_str(what),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Breach(breach) => breach.fmt(f),
        }
    }
}

impl std::error::Error for OpenLoopError {}

impl From<Breach> for OpenLoopError {
    fn from(breach: Breach) -> Self {
        Self::Breach(breach)
    }
}

pub(crate) fn input(error: &dyn fmt::Display) -> OpenLoopError {
    OpenLoopError::Input(error.to_string())
}

/// The value of an option, as errors name it.
pub(crate) fn option<T: Quantity>(name: &str, text: &str) -> Result<T, OpenLoopError> {
    T::read(Scalar::Text(text)).map_err(|fault| OpenLoopError::Input(format!("{name}: {fault}")))
}

/// The interval of the series, where one is asked for.
pub(crate) fn series_option(text: Option<&str>) -> Result<Option<Span>, OpenLoopError> {
    let interval = text.map(|text| option("--series", text)).transpose()?;
    if interval == Some(Span::ZERO) {
        let message = "--series: found 0 s; allowed: a time above zero";
        return Err(OpenLoopError::Input(message.to_owned()));
    }
    Ok(interval)
}

/// Tells flows apart, as many as may be.
#[derive(Debug)]
pub(crate) struct Flows {
    most: usize,
    known: HashMap<u64, u32>,
    names: Vec<String>,
}

impl Flows {
    pub(crate) fn new(most: usize) -> Self {
        Self {
            most,
            known: HashMap::new(),
            names: Vec::new(),
        }
    }

    /// How they are called, in the order in which they appeared.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// The packet that stands for an arrival of the flow `name`; none if no packet is so large.
    pub(crate) fn packet(
        &mut self,
        arrival: &Arrival,
        number: u64,
        name: impl FnOnce() -> String,
    ) -> Option<SimPacket> {
        let size = u16::try_from(arrival.size).ok()?;
        let flow = self.number(arrival.flow, name);
        let packet = SimPacket::datagram(flow, number, size);
        let mut packet = packet.with_ecn(arrival.ecn).with_dscp(arrival.dscp);
        // Queues for each flow see all flows, those too that are counted together.
        packet.connection = (arrival.flow ^ arrival.flow >> 32) as u32 & (u32::MAX >> 1);
        packet.source = arrival.source;
        packet.destination = arrival.destination;
        Some(packet)
    }

    /// The number of the flow of this hash.
    fn number(&mut self, hash: u64, name: impl FnOnce() -> String) -> u32 {
        if let Some(&number) = self.known.get(&hash) {
            return number;
        }
        let number = self.names.len().min(self.most);
        if number < self.most {
            self.known.insert(hash, number as u32);
            self.names.push(name());
        } else if self.names.len() == self.most {
            self.names.push(self.name_of_others());
        }
        number as u32
    }

    /// A name that no flow has.
    fn name_of_others(&self) -> String {
        let mut name = OTHERS.to_owned();
        let mut next = 2;
        while self.names.contains(&name) {
            name = format!("{OTHERS} ({next})");
            next += 1;
        }
        name
    }

    /// What to know where some are counted together.
    pub(crate) fn warning(&self) -> Option<String> {
        self.names.get(self.most).map(|others| {
            format!(
                "found more than {} flows: those that appeared later are counted together as \
                 {others:?}; the disciplines tell all of them apart",
                self.most
            )
        })
    }
}
