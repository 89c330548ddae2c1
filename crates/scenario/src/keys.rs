//! The tables of a scenario file, declared once: reader, schema and reference come from here.

mod nested;

pub use self::nested::{
    ACCESS_NESTED, BOTTLENECK_NESTED, DUMBBELL_NESTED, FLOW_NESTED, LINK_NESTED, LOSS_NESTED,
    NestedKey, SECTIONS, STEPS_NESTED, Values,
};
use sojourn_base::{
    Auto, Bytes, Distribution, Ecn, Fault, Momentary, Name, Optional, Param, ParamSet, Preset,
    Probability, Quantity, Rate, Scalar, Span, Whole, params,
};

params! {
    /// The head of a file.
    pub struct Top {
        /// Name of the scenario.
        name: Name = "";
        /// Title shown in tables and figures.
        title: Auto<String> = "auto";
        /// Simulated time.
        duration: Span = "";
        /// Time at which measurements start. "auto": chosen by pilot replicas (MSER-5), one value
        /// for all points that differ only in queues and transports.
        warmup: Warmup = "0 s";
        /// Seed of all random streams.
        seed: Seed = "1";
        /// Number of replicas. Replicas differ only in their random streams.
        replicas: Replicas = "1";
        /// Sampling interval of the time series; at most the duration.
        series: Optional<Span> = "none";
        /// Whether each finite transfer over TCP has a row in a table: its size, when it began, and
        /// how long it took.
        transfers: bool = "false";
        /// Replicas are added until the 95 % confidence interval extends no further than this from
        /// the mean.
        precision: Optional<Precision> = "none";
        /// The metrics to which `precision` applies, separated by commas. "auto":
        /// "total.goodput_bps, total.delay_mean_s". Allowed only together with `precision`.
        precision_of: Auto<String> = "auto";
        /// The largest number of replicas that `precision` may use. Allowed only together with
        /// `precision`.
        max_replicas: Replicas = "100";
    }
}

params! {
    /// `[design]`: which points `[vary]` produces.
    pub struct Design {
        /// How points are chosen. "grid": every combination of the listed values. "listed": all
        /// lists have the same length, and point k takes the k-th value of each list. "random" and
        /// "latin-hypercube" draw values for those ranges of `[vary]` that have no step, and
        /// combine the draws with every combination of the listed values: "random" draws each value
        /// independently, "latin-hypercube" draws one value from each of `points` equal parts of
        /// its range.
        kind: Kind = "grid";
        /// Number of points to draw.
        points: Optional<u32> = "none";
    }
}

params! {
    /// `[[link]]`: one direction.
    pub struct Link {
        /// Name of the link. "auto": "from->to".
        name: Auto<Name> = "auto";
        /// Sending node. `s*` stands for all nodes s0, s1 ... that occur in the file.
        from: Node = "";
        /// Receiving node; may be numbered, as `from` may.
        to: Node = "";
        /// Rate in bits per second.
        rate: Rate = "";
        /// Whether a link in the opposite direction, NAME.reverse, is created too.
        duplex: bool = "false";
        /// Link-layer framing of each packet; it counts for serialisation only.
        overhead: Bytes = "0 B";
        /// Capacity of the drop-tail queue below the discipline. "auto": 100 packets if the queue
        /// has the preset ns3, otherwise none.
        device_queue: Auto<Room> = "auto";
        /// Whether a packet may overtake an earlier one where `jitter` or `changes` make the delay
        /// vary. If not, it arrives together with the earlier packet.
        reorders: bool = "false";
    }
}

params! {
    /// An item of the list `changes`: a change of a link's rate, its delay or both.
    pub struct LinkChange {
        /// Time of the change; later than that of the change before.
        at: Span = "";
        /// Rate in bits per second from this time on.
        rate: Optional<Momentary> = "none";
        /// One-way propagation delay from this time on.
        delay: Optional<Span> = "none";
    }
}

params! {
    /// The table `changes`: rates and delays that a link takes one after the other.
    pub struct LinkSteps {
        /// How long each rate or delay holds. With `opportunities`: those within one step are
        /// combined into one rate.
        step: Span = "";
    }
}

params! {
    /// The table `jitter`: time that packets take on a wire in addition to the link's delay.
    pub struct LinkJitter {
        /// Additional delay, drawn independently for each packet.
        extra: Distribution<Span> = "";
        /// Share of the packets that `extra` is drawn for; the others have no additional delay.
        share: Probability = "1";
    }
}

params! {
    /// The table `loss`: which packets a link loses on the wire. It has one of `bit_error_ratio`,
    /// `good_to_bad` and `packets`.
    pub struct LinkLoss {
        /// Share of the bits that are corrupted. A packet is lost if any of its bits is, including
        /// those of its framing.
        bit_error_ratio: Optional<Probability> = "none";
        /// Loss in bursts (Gilbert-Elliott model): the probability, after each packet, that a link
        /// in the good state changes to the bad state. Links start in the good state.
        good_to_bad: Optional<Probability> = "none";
        /// The probability, after each packet, that a link in the bad state changes to the good
        /// state. Required with `good_to_bad`.
        bad_to_good: Optional<Probability> = "none";
        /// Share of the packets that are lost in the good state.
        in_good: Probability = "0";
        /// Share of the packets that are lost in the bad state.
        in_bad: Probability = "1";
    }
}

params! {
    /// `[[flow]]`.
    pub struct Flow {
        /// Name of the flow. With `count` the flows are named NAME.0, NAME.1 ...
        name: Name = "";
        /// Number of flows.
        count: Auto<u32> = "auto";
        /// Sending node. With `count`, `s*` is replaced by numbered nodes, starting with `first`.
        from: Auto<Node> = "auto";
        /// Receiving node; may be numbered, as `from` may.
        to: Auto<Node> = "auto";
        /// Number of the first node that `s*` stands for.
        first: Whole = "0";
        /// Time at which the flow starts.
        start: Distribution<Span> = "0 s";
        /// Time at which the flow stops.
        stop: Optional<Span> = "none";
    }
}

params! {
    /// `transport` of a flow, protocol "udp".
    pub struct Transport {
        /// Transport protocol.
        protocol: Protocol = "";
        /// Which implementation's defaults apply.
        preset: Preset = "reference";
        /// Payload of each packet.
        payload: Distribution<Bytes> = "1472 B", Ns2 = "210 B", Ns3 = "512 B";
        /// Header bytes on the wire around each payload.
        header: Bytes = "28 B", Ns2 = "0 B";
        /// Whether packets are ECN-capable. `true`: ECT(0). "ect1": ECT(1), as those of scalable
        /// (L4S) senders.
        ecn: DatagramEcn = "false";
        /// Differentiated-services codepoint of the flow's packets.
        dscp: Dscp = "0";
    }
}

params! {
    /// `transport` of a flow, protocol "tcp". It also takes the keys of TCP connections and those
    /// of the congestion control.
    pub struct TcpTransport {
        /// Transport protocol.
        protocol: Protocol = "";
        /// Which implementation's defaults apply.
        preset: Preset = "reference";
        /// Congestion control.
        congestion_control: Control = "newreno", Linux = "cubic", Ns3 = "cubic", Ns2 = "tahoe";
        /// Differentiated-services codepoint of the flow's packets.
        dscp: Dscp = "0";
    }
}

params! {
    /// `[dumbbell]`.
    pub struct Dumbbell {
        /// Two-way propagation delay of the whole path; given instead of the bottleneck's `delay`.
        rtt: Auto<Span> = "auto";
    }
}

params! {
    /// `bottleneck` of a dumbbell.
    pub struct Bottleneck {
        /// Rate in bits per second.
        rate: Rate = "";
        /// One-way propagation delay; may be given as the dumbbell's `rtt` instead.
        delay: Auto<Span> = "auto";
        /// Link-layer framing of each packet; it counts for serialisation only.
        overhead: Bytes = "0 B";
        /// The same as for a link.
        device_queue: Auto<Room> = "auto";
        /// The same as for a link.
        reorders: bool = "false";
    }
}

params! {
    /// `access` of a dumbbell or of one of its flows: its links on both sides.
    pub struct Access {
        /// Rate in bits per second. "auto": 10 times the rate of the bottleneck.
        rate: Auto<Rate> = "auto";
        /// One-way propagation delay. "auto": a twentieth of the dumbbell's round-trip time.
        delay: Auto<Span> = "auto";
        /// The same as for a link. "auto": false.
        reorders: Auto<bool> = "auto";
    }
}

/// The names of declared parameters.
pub(crate) fn names(params: &'static [Param]) -> impl Iterator<Item = &'static str> {
    params.iter().map(|param| param.name)
}

/// All keys of a declared table.
pub(crate) fn keys_of<T: ParamSet>(nested: &[NestedKey]) -> Vec<&'static str> {
    let nested = nested.iter().map(|key| key.name);
    names(T::PARAMS).chain(nested).collect()
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

/// When measurements start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Warmup(pub Auto<Span>);

impl Quantity for Warmup {
    const ALLOWED: &'static str =
        "a time with its unit such as \"10 s\" (min, s, ms, us, ns, ps), or \"auto\"";
    const SCHEMA: &'static str = r#"{"anyOf": [{"const": "auto"}, {"type": "string", "pattern": "^[0-9.eE+]+ ?(min|s|ms|us|ns|ps)$"}]}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        Auto::read(scalar).map(Self)
    }
}

/// The seed of all random streams: what whole numbers of TOML can hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Quantity for Seed {
    const ALLOWED: &'static str = "a whole number from 0 to 9223372036854775807";
    const SCHEMA: &'static str =
        r#"{"type": "integer", "minimum": 0, "maximum": 9223372036854775807}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        let number = Whole::read(scalar).map_err(|_| Self::fault(scalar))?;
        Ok(Self(number.0))
    }
}

/// How many replicas, up to a sanity limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Replicas(pub u32);

impl Quantity for Replicas {
    const ALLOWED: &'static str = "a whole number from 1 to 100000";
    const SCHEMA: &'static str = r#"{"type": "integer", "minimum": 1, "maximum": 100000}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        u32::read(scalar)
            .ok()
            .filter(|number| *number <= 100_000)
            .map(Self)
            .ok_or_else(|| Self::fault(scalar))
    }
}

/// A share of the mean, written in percent.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision(pub f64);

impl Quantity for Precision {
    const ALLOWED: &'static str = "a share of the mean from 0.1% to 50%, such as \"5%\"";
    const SCHEMA: &'static str = r#"{"type": "string", "pattern": "^[0-9.]+ ?%$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        let Scalar::Text(text) = scalar else {
            return Err(Self::fault(scalar));
        };
        let number = text.strip_suffix('%').map(str::trim);
        number
            .and_then(|number| number.parse::<f64>().ok())
            .filter(|percent| (0.1..=50.0).contains(percent))
            .map(|percent| Self(percent / 100.0))
            .ok_or_else(|| Self::fault(scalar))
    }
}

/// How `[vary]` makes points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Every combination.
    Grid,
    /// Lists turn together.
    Listed,
    /// Independent uniform draws.
    Random,
    /// McKay, Beckman, Conover 1979: each of n equal parts of every range is met once.
    LatinHypercube,
}

impl Quantity for Kind {
    const ALLOWED: &'static str = "\"grid\", \"listed\", \"random\" or \"latin-hypercube\"";
    const SCHEMA: &'static str = r#"{"enum": ["grid", "listed", "random", "latin-hypercube"]}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        match scalar {
            Scalar::Text("grid") => Ok(Self::Grid),
            Scalar::Text("listed") => Ok(Self::Listed),
            Scalar::Text("random") => Ok(Self::Random),
            Scalar::Text("latin-hypercube") => Ok(Self::LatinHypercube),
            other => Err(Self::fault(other)),
        }
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
    /// RFC 9293.
    Tcp,
}

impl Quantity for Protocol {
    const ALLOWED: &'static str = "\"udp\" or \"tcp\"";
    const SCHEMA: &'static str = r#"{"enum": ["udp", "tcp"]}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        match scalar {
            Scalar::Text("udp") => Ok(Self::Udp),
            Scalar::Text("tcp") => Ok(Self::Tcp),
            other => Err(Self::fault(other)),
        }
    }
}

/// The ECN codepoint of a flow's datagrams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatagramEcn(pub Ecn);

impl Quantity for DatagramEcn {
    const ALLOWED: &'static str = "true, false or \"ect1\"";
    const SCHEMA: &'static str = r#"{"enum": [true, false, "ect1"]}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        match scalar {
            Scalar::Flag(false) => Ok(Self(Ecn::NotEct)),
            Scalar::Flag(true) => Ok(Self(Ecn::Ect0)),
            Scalar::Text("ect1") => Ok(Self(Ecn::Ect1)),
            other => Err(Self::fault(other)),
        }
    }
}

/// The name of a congestion control: one of the registry, or `module:Class`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Control(pub String);

impl Quantity for Control {
    const ALLOWED: &'static str =
        "the name of a congestion control, or \"module:Class\" for one in Python";
    const SCHEMA: &'static str = r#"{"type": "string"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        String::read(scalar)
            .map(Self)
            .map_err(|_| Self::fault(scalar))
    }
}

/// A differentiated-services codepoint: its number or its name (RFC 2474, 2597, 3246, 5865, 8622).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dscp(pub u8);

impl Quantity for Dscp {
    const ALLOWED: &'static str =
        "a number from 0 to 63, or cs0 to cs7, af11 to af43, ef, va or le";
    const SCHEMA: &'static str = r#"{"type": ["integer", "string"]}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        let number = match scalar {
            Scalar::Text("ef") => Some(46),
            Scalar::Text("va") => Some(44),
            Scalar::Text("le") => Some(1),
            Scalar::Text(text) => match text.as_bytes() {
                [b'c', b's', class @ b'0'..=b'7'] => Some(8 * (class - b'0')),
                [b'a', b'f', class @ b'1'..=b'4', drop @ b'1'..=b'3'] => {
                    Some(8 * (class - b'0') + 2 * (drop - b'0'))
                }
                _ => None,
            },
            other => Whole::read(other)
                .ok()
                .and_then(|number| u8::try_from(number.0).ok()),
        };
        number
            .filter(|number| *number < 64)
            .map(Self)
            .ok_or_else(|| Self::fault(scalar))
    }
}
