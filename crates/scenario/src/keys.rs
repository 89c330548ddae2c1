//! The tables of a scenario file, declared once: reader, schema and reference come from here.

use sojourn_base::{
    Auto, Bytes, Distribution, Fault, Name, Optional, Param, ParamSet, Preset, Quantity, Rate,
    Scalar, Span, Whole, params,
};

params! {
    /// The head of a file.
    pub struct Top {
        /// Name of the scenario.
        name: Name = "";
        /// Title of tables and figures.
        title: Auto<String> = "auto";
        /// Simulated time.
        duration: Span = "";
        /// Measurements start here.
        warmup: Span = "0 s";
        /// Seed of all random streams.
        seed: Whole = "1";
        /// Replica k differs from the others in its random streams only.
        replicas: u32 = "1";
        /// Interval of the time series.
        series: Optional<Span> = "none";
    }
}

params! {
    /// `[[link]]`: one direction.
    pub struct Link {
        /// Default "from->to".
        name: Auto<Name> = "auto";
        /// The node it leaves; `s*` stands for all nodes s0, s1 ... that the file names.
        from: Node = "";
        /// The node it enters; may be numbered like `from`.
        to: Node = "";
        /// Bits per second.
        rate: Rate = "";
        /// Also makes the way back, NAME.reverse.
        duplex: bool = "false";
        /// Link framing of each packet: counts for serialisation only.
        overhead: Bytes = "0 B";
        /// Room of the drop-tail queue below the discipline; "auto": 100 packets under the
        /// queue's preset ns3, else none.
        device_queue: Auto<Room> = "auto";
    }
}

params! {
    /// `[[flow]]`.
    pub struct Flow {
        /// Its name; with `count` the flows are NAME.0, NAME.1 ...
        name: Name = "";
        /// How many flows.
        count: Auto<u32> = "auto";
        /// Sending node; with `count` `s*` numbers on from `first`.
        from: Auto<Node> = "auto";
        /// Receiving node; may be numbered like `from`.
        to: Auto<Node> = "auto";
        /// Number of the first node of `s*`.
        first: Whole = "0";
        /// When it starts.
        start: Distribution<Span> = "0 s";
        /// When it stops.
        stop: Optional<Span> = "none";
    }
}

params! {
    /// `transport` of a flow, protocol "udp".
    pub struct Transport {
        /// Transport protocol.
        protocol: Protocol = "";
        /// Whose defaults.
        preset: Preset = "reference";
        /// Payload of each packet.
        payload: Distribution<Bytes> = "1472 B", Ns2 = "210 B", Ns3 = "512 B";
        /// Bytes on the wire around each payload.
        header: Bytes = "28 B", Ns2 = "0 B";
        /// Packets are ECN-capable, ECT(0).
        ecn: bool = "false";
    }
}

params! {
    /// `[dumbbell]`.
    pub struct Dumbbell {
        /// Two-way propagation of the whole path, in place of the bottleneck's delay.
        rtt: Auto<Span> = "auto";
    }
}

params! {
    /// `bottleneck` of a dumbbell.
    pub struct Bottleneck {
        /// Bits per second.
        rate: Rate = "";
        /// Propagation delay of one way; or give the dumbbell's `rtt`.
        delay: Auto<Span> = "auto";
        /// Link framing of each packet: counts for serialisation only.
        overhead: Bytes = "0 B";
        /// As for a link.
        device_queue: Auto<Room> = "auto";
    }
}

params! {
    /// `access` of a dumbbell or of one of its flows: both sides.
    pub struct Access {
        /// Bits per second; "auto": 10 times the bottleneck's.
        rate: Auto<Rate> = "auto";
        /// Propagation delay of one way; "auto": a twentieth of the dumbbell's rtt.
        delay: Auto<Span> = "auto";
    }
}

/// Keys beside the scalar ones: tables and lists.
pub(crate) const TOP_TABLES: &[&str] = &["link", "flow", "dumbbell", "vary"];
pub(crate) const LINK_TABLES: &[&str] = &["delay", "queue", "reverse_queue"];
pub(crate) const FLOW_TABLES: &[&str] = &["transport", "traffic", "access"];
pub(crate) const DUMBBELL_TABLES: &[&str] = &["bottleneck", "access"];
pub(crate) const BOTTLENECK_TABLES: &[&str] = &["queue", "reverse_queue"];

/// The names of declared parameters.
pub(crate) fn names(params: &'static [Param]) -> impl Iterator<Item = &'static str> {
    params.iter().map(|param| param.name)
}

/// All keys of a declared table.
pub(crate) fn keys_of<T: ParamSet>(tables: &[&'static str]) -> Vec<&'static str> {
    names(T::PARAMS).chain(tables.iter().copied()).collect()
}

/// A node, or all nodes of one numbered name: `s*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node(pub String);

impl Node {
    /// What stands before the `*`, if it is numbered.
    pub fn stem(&self) -> Option<&str> {
        self.0.strip_suffix('*')
    }
}

impl Quantity for Node {
    const ALLOWED: &'static str =
        "a node: letters, digits, _ and -, or numbered nodes such as \"s*\"";
    const SCHEMA: &'static str = r#"{"type": "string", "pattern": "^[A-Za-z0-9_-]+[*]?$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        let Scalar::Text(text) = scalar else {
            return Err(Self::fault(scalar));
        };
        let name = text.strip_suffix('*').unwrap_or(text);
        Name::read(Scalar::Text(name)).map_err(|_| Self::fault(scalar))?;
        Ok(Self(text.to_owned()))
    }
}

/// Room in packets, perhaps none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room(pub usize);

impl Quantity for Room {
    const ALLOWED: &'static str = "a number of packets such as \"100 packets\"";
    const SCHEMA: &'static str = r#"{"type": "string", "pattern": "^[0-9]+ ?packets?$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        let Scalar::Text(text) = scalar else {
            return Err(Self::fault(scalar));
        };
        let digits = text.strip_suffix("packets").or(text.strip_suffix("packet"));
        let number = digits.and_then(|digits| digits.trim().parse::<u32>().ok());
        number
            .map(|number| Self(number as usize))
            .ok_or_else(|| Self::fault(scalar))
    }
}

/// A transport protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// RFC 768: no reaction to anything.
    Udp,
}

impl Quantity for Protocol {
    const ALLOWED: &'static str = "\"udp\" (TCP is not part of this version)";
    const SCHEMA: &'static str = r#"{"enum": ["udp"]}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        match scalar {
            Scalar::Text("udp") => Ok(Self::Udp),
            other => Err(Self::fault(other)),
        }
    }
}
