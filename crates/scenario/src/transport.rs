//! What a flow runs over: UDP, or TCP with its settings and congestion control.

use std::sync::Arc;

use sojourn_base::{Bytes, ParamSet, Preset, Scalar, Stream};
use sojourn_engine::MakeController;
use sojourn_traffic::Packets;
use sojourn_transport::{
    AnyController, BuildError, CONTROLLERS, Config, CongestionControl, Start, TcpParams,
};

use crate::error::{Located, unknown};
use crate::keys::{self, Protocol, TcpTransport, Transport, names};
use crate::outside::{Outside, Wanted, is_outside, params_of};
use crate::reader::Reader;
use crate::tree::Node;

/// What a flow runs over.
#[derive(Debug, Clone)]
pub(crate) enum TransportPlan {
    Udp(Transport),
    Tcp(TcpPlan),
}

/// TCP with everything read.
#[derive(Debug, Clone)]
pub(crate) struct TcpPlan {
    table: Arc<Node>,
    keys: TcpTransport,
    /// Who makes the controller where it is in no registry.
    outside: Outside,
    pub(crate) config: Arc<Config>,
}

impl TransportPlan {
    /// Reads the `transport` table of a flow.
    pub(crate) fn read(node: &Node, key: &str, outside: &Outside) -> Result<Self, Located> {
        let reader = Reader::of(node, key)?;
        let missing = || reader.error("protocol", "found nothing; allowed: \"udp\" or \"tcp\"");
        // The protocol first: keys of another one are no slips of the pen.
        match reader.value("protocol")?.ok_or_else(missing)? {
            Protocol::Udp => read_udp(&reader).map(Self::Udp),
            Protocol::Tcp => TcpPlan::read(node, &reader, outside).map(Self::Tcp),
        }
    }

    /// Size on the wire of its packets, where all are of one size or at most of that.
    pub(crate) fn largest_packet(&self) -> Option<Bytes> {
        match self {
            Self::Udp(udp) => Some(udp.payload.as_constant()? + udp.header),
            Self::Tcp(tcp) => Some(Bytes::new(u64::from(tcp.config.mss + tcp.config.header))),
        }
    }

    /// What is asked for at this node and cannot be done without SACK: it would silently be left
    /// out.
    pub(crate) fn without_effect(&self, node: &Node, key: &str) -> Result<Vec<Located>, Located> {
        const NEED_SACK: [&str; 4] = ["prr", "rack", "frto", "undo"];
        let Self::Tcp(tcp) = self else {
            return Ok(Vec::new());
        };
        if tcp.config.sack {
            return Ok(Vec::new());
        }
        let reader = Reader::of(node, key)?;
        let asked = NEED_SACK.into_iter().filter(|key| {
            let given = reader.node(key).and_then(Node::scalar);
            given.is_some_and(|given| given != Scalar::Flag(false))
        });
        let what = "without effect: it needs sack, which is false";
        Ok(asked.map(|key| reader.error(key, what)).collect())
    }

    pub(crate) fn is_tcp(&self) -> bool {
        matches!(self, Self::Tcp(_))
    }

    /// The name of its controller, where that is in no registry.
    pub(crate) fn outside_name(&self) -> Option<&str> {
        match self {
            Self::Tcp(tcp) => {
                Some(tcp.keys.congestion_control.0.as_str()).filter(|name| is_outside(name))
            }
            Self::Udp(_) => None,
        }
    }

    pub(crate) fn dscp(&self) -> u8 {
        match self {
            Self::Udp(udp) => udp.dscp.0,
            Self::Tcp(tcp) => tcp.keys.dscp.0,
        }
    }
}

fn read_udp(reader: &Reader<'_>) -> Result<Transport, Located> {
    const LARGEST: u64 = Packets::LARGEST;
    reader.only(&keys::keys_of::<Transport>(&[]))?;
    let preset = reader.value("preset")?.unwrap_or_default();
    let transport: Transport = reader.read(preset)?;
    let header = transport.header.get();
    if header >= LARGEST {
        let message =
            format!("found {header} B; allowed: less than {LARGEST} B, the largest packet");
        return Err(reader.error("header", message));
    }
    let payload = transport.payload.mean();
    let most = LARGEST - header;
    let is_constant = transport.payload.as_constant().is_some();
    if payload <= 0.0 || (is_constant && payload > most as f64) {
        let message = format!(
            "found {payload} B; allowed: 1 to {most} B, IP's largest packet less the header"
        );
        return Err(reader.error("payload", message));
    }
    Ok(transport)
}

impl TcpPlan {
    fn read(node: &Node, reader: &Reader<'_>, outside: &Outside) -> Result<Self, Located> {
        let preset: Preset = reader.value("preset")?.unwrap_or_default();
        let control = TcpTransport::PARAMS
            .iter()
            .find(|param| param.name == "congestion_control")
            .map_or("", |param| param.default_under(preset));
        let given = reader.node("congestion_control");
        let name = match given.map(|node| node.text()) {
            None => control,
            Some(text) => text.unwrap_or_default(),
        };
        let own_params = if is_outside(name) {
            None
        } else {
            let known: Vec<&str> = CONTROLLERS.iter().map(|entry| entry.name).collect();
            let Some(entry) = sojourn_transport::find(name) else {
                let message = match given {
                    Some(node) if node.text().is_none() => {
                        format!("found {}; allowed: {}", node.shown(), known.join(", "))
                    }
                    _ => unknown(name, &known),
                };
                return Err(reader.error("congestion_control", message));
            };
            Some(entry.params)
        };
        if let Some(own) = own_params {
            let allowed = [TcpTransport::PARAMS, TcpParams::PARAMS, own];
            reader.only(&allowed.into_iter().flat_map(names).collect::<Vec<&str>>())?;
        }
        let keys: TcpTransport = reader.read(preset)?;
        let params: TcpParams = reader.read(preset)?;
        // What a controller needs of its connection does not depend on the connection.
        let trial = build(&keys, reader, &Start::of(1000, 10), outside)?;
        let config =
            Config::new(&params, preset, &trial.needs()).map_err(|fault| reader.fault(&fault))?;
        build(&keys, reader, &config.start(Stream::new(1)), outside)?;
        Ok(Self {
            table: Arc::new(node.clone()),
            keys,
            config: Arc::new(config),
            outside: outside.clone(),
        })
    }

    /// Makes the controllers of a flow's connections, each with the random stream that `random`
    /// gives it.
    pub(crate) fn controllers(
        &self,
        random: impl Fn(u32) -> Stream + Send + 'static,
    ) -> MakeController {
        let Self {
            table,
            keys,
            config,
            outside,
        } = self.clone();
        Box::new(move |number| {
            let start = config.start(random(number));
            let name = &keys.congestion_control.0;
            let made = Reader::of(&table, "")
                .ok()
                .and_then(|reader| build(&keys, &reader, &start, &outside).ok());
            made.unwrap_or_else(|| unreachable!("{name} was made when the file was read"))
        })
    }
}

/// Makes a controller: of the registry, or from outside.
fn build(
    keys: &TcpTransport,
    reader: &Reader<'_>,
    start: &Start,
    outside: &Outside,
) -> Result<AnyController, Located> {
    const WORD: &str = "congestion_control";
    let name = &keys.congestion_control.0;
    if is_outside(name) {
        let known = [TcpTransport::PARAMS, TcpParams::PARAMS];
        let params = params_of(
            reader,
            &known.into_iter().flat_map(names).collect::<Vec<_>>(),
        );
        let wanted = Wanted {
            name,
            params: &params,
            place: "a connection",
        };
        let made = outside.0.controller(&wanted, start);
        return made
            .map(AnyController::Custom)
            .map_err(|refusal| refusal.located(reader, WORD));
    }
    for param in sojourn_transport::find(name).map_or(&[][..], |entry| entry.params) {
        if let Some(node) = reader
            .node(param.name)
            .filter(|node| node.scalar().is_none())
        {
            let message = format!("found {}; allowed: {}", node.shown(), param.allowed);
            return Err(reader.error(param.name, message));
        }
    }
    sojourn_transport::build(name, reader, keys.preset, start).map_err(|error| match error {
        BuildError::Param(fault) => reader.fault(&fault),
        BuildError::Unknown => reader.error(WORD, "there is none of this name"),
    })
}
