//! From the tables of a file to a plain network: patterns expanded, dumbbells laid out, reverse
//! links made.

mod changes;
mod delay;
mod dumbbell;
mod losses;
mod wire;

use std::collections::BTreeMap;

use sojourn_base::{Auto, Bytes, Distribution, Preset, Rate, Span, Time};

pub(crate) use self::changes::ChangesPlan;
pub(crate) use self::delay::DelayPlan;
use self::delay::read_times;
use self::dumbbell::DumbbellPlan;
pub(crate) use self::wire::{JitterPlan, WirePlan};
use crate::dotted::name_of;
use crate::error::{Located, Place};
use crate::keys::{self, Flow, Link};
use crate::outside::Outside;
use crate::reader::Reader;
use crate::transport::TransportPlan;
use crate::tree::{Node, Table, Value};

/// More flows than this are a slip of the pen; in a dumbbell so many take 4 GB before anything
/// runs.
const MOST_FLOWS: u64 = 1_000_000;

/// A network as a list of links and flows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Network {
    pub(crate) links: Vec<LinkPlan>,
    pub(crate) flows: Vec<FlowPlan>,
    /// What is allowed in its flows, but a slip of the pen.
    pub(crate) warnings: Vec<Located>,
    /// When all is over.
    pub(crate) duration: Span,
}

impl Network {
    /// Changes that come when all is over are a slip of the pen.
    fn warn_of_late_changes(&mut self) {
        let mut told = None;
        for link in &self.links {
            if let Some(changes) = &link.changes
                && changes.begins() >= Time::ZERO + self.duration
                && told.replace(changes.place) != Some(changes.place)
            {
                let begins = changes.begins().since(Time::ZERO);
                let what = format!("nothing changes: the first comes at {begins}");
                let key = changes.key.clone();
                self.warnings.push(Located::new(changes.place, key, what));
            }
        }
    }
}

/// One direction of a link.
#[derive(Debug, Clone)]
pub(crate) struct LinkPlan {
    pub(crate) name: String,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) rate: Rate,
    pub(crate) changes: Option<ChangesPlan>,
    pub(crate) wire: WirePlan,
    pub(crate) delay: DelayPlan,
    pub(crate) overhead: Bytes,
    pub(crate) device_queue: Auto<keys::Room>,
    /// The queue's table, if the file has one, and its dotted key.
    pub(crate) queue: Option<(Node, String)>,
    pub(crate) place: Place,
}

/// One flow.
#[derive(Debug, Clone)]
pub(crate) struct FlowPlan {
    pub(crate) name: String,
    pub(crate) group: String,
    pub(crate) from: String,
    pub(crate) to: String,
    pub(crate) from_place: Place,
    pub(crate) to_place: Place,
    pub(crate) start: Distribution<Span>,
    pub(crate) start_place: Place,
    pub(crate) stop: Time,
    pub(crate) transport: TransportPlan,
    /// Where its transport says what its payload is.
    pub(crate) payload_place: Option<Place>,
    /// The table of its traffic and its dotted key.
    pub(crate) traffic: (Node, String),
    pub(crate) place: Place,
}

/// Lays out the network of one point.
pub(crate) fn lay_out(tree: &Table, duration: Span, outside: &Outside) -> Result<Network, Located> {
    let mut network = Network {
        duration,
        ..Network::default()
    };
    let dumbbell = tree.get("dumbbell");
    let dumbbell = dumbbell.map(|node| DumbbellPlan::read(node, duration));
    let dumbbell = dumbbell.transpose()?;
    for (table, place) in list(tree, "flow")? {
        let dumbbell = dumbbell.as_ref();
        read_flows(table, place, dumbbell, duration, outside, &mut network)?;
    }
    // Before the links: in a dumbbell those of such flows have one name too, and nobody wrote them.
    no_two_alike(
        network.flows.iter().map(|flow| (&flow.name, flow.place)),
        "flow",
    )?;
    if let Some(dumbbell) = &dumbbell {
        dumbbell.add_bottleneck(&mut network);
    }
    if network.flows.is_empty() {
        let what = "found none; without a [[flow]] nothing is sent";
        network
            .warnings
            .push(Located::new(Place::File, "flow", what));
    }
    let named = named_nodes(tree, &network)?;
    for (table, place) in list(tree, "link")? {
        read_links(table, place, &named, &mut network)?;
    }
    network.warn_of_late_changes();
    no_two_alike(
        network.links.iter().map(|link| (&link.name, link.place)),
        "link",
    )?;
    Ok(network)
}

/// The tables of an array of tables.
fn list<'a>(tree: &'a Table, key: &str) -> Result<Vec<(&'a Table, Place)>, Located> {
    let Some(node) = tree.get(key) else {
        return Ok(Vec::new());
    };
    let not_tables = |node: &Node| {
        let message = format!(
            "found {}; allowed: tables that begin with [[{key}]]",
            node.shown()
        );
        Located::new(node.place, key, message)
    };
    let Value::List(items) = &node.value else {
        return Err(not_tables(node));
    };
    items
        .iter()
        .map(|item| Ok((item.table().ok_or_else(|| not_tables(item))?, item.place)))
        .collect()
}

fn no_two_alike<'a>(
    names: impl Iterator<Item = (&'a String, Place)>,
    kind: &str,
) -> Result<(), Located> {
    let mut seen = BTreeMap::new();
    for (name, place) in names {
        if seen.insert(name, place).is_some() {
            let message = format!("found a second {kind} of this name; allowed: one");
            return Err(Located::new(place, format!("{kind}.{name}"), message));
        }
    }
    Ok(())
}

/// All nodes that the file names outright, those of numbered flows included.
fn named_nodes(tree: &Table, network: &Network) -> Result<Vec<String>, Located> {
    let mut nodes: Vec<String> = Vec::new();
    for flow in &network.flows {
        nodes.extend([flow.from.clone(), flow.to.clone()]);
    }
    for (table, _) in list(tree, "link")? {
        let ends = [table.text("from"), table.text("to")];
        nodes.extend(
            ends.into_iter()
                .flatten()
                .filter(|end| !end.ends_with('*'))
                .map(String::from),
        );
    }
    Ok(nodes)
}

/// The numbers of all nodes called `stem` and a number, in order.
fn numbers_of(stem: &str, nodes: &[String]) -> Vec<u64> {
    let number = |node: &String| -> Option<u64> {
        let digits = node.strip_prefix(stem)?;
        let number = digits.parse().ok()?;
        (digits == format!("{number}")).then_some(number)
    };
    let mut numbers: Vec<u64> = nodes.iter().filter_map(number).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

fn read_links(
    table: &Table,
    place: Place,
    nodes: &[String],
    network: &mut Network,
) -> Result<(), Located> {
    let path =
        name_of("link", table).map_or_else(|| "link".to_owned(), |name| format!("link.{name}"));
    let reader = Reader::new(table, place, &path);
    reader.only(&keys::keys_of::<Link>(keys::LINK_NESTED))?;
    let link: Link = reader.read(Preset::Reference)?;
    let stems = [link.from.stem(), link.to.stem()];
    let numbers: Vec<Option<u64>> = match stems.into_iter().flatten().next() {
        None => vec![None],
        Some(stem) => numbers_of(stem, nodes).into_iter().map(Some).collect(),
    };
    if numbers.is_empty() {
        let message = "found no node so numbered; allowed: nodes that a flow or another link names";
        return Err(reader.error(if stems[0].is_some() { "from" } else { "to" }, message));
    }
    let delays = read_times(&reader, "delay", numbers.len(), ["delays", "links"])?;
    let delays = delays.unwrap_or_else(|| vec![Distribution::constant(Span::ZERO); numbers.len()]);
    let changes = ChangesPlan::read(&reader, link.rate, network.duration)?;
    let [wire, reverse_wire] =
        WirePlan::read_both(&reader, link.reorders, &<[WirePlan; 2]>::default())?;
    let mut of_reverse = ["reverse_queue"].into_iter().chain(WirePlan::OF_REVERSE);
    if !link.duplex
        && let Some(key) = of_reverse.find(|key| reader.node(key).is_some())
    {
        return Err(reader.error(key, "allowed: only where duplex = true"));
    }
    for (number, delay) in numbers.into_iter().zip(delays) {
        let end = |node: &keys::Node| match (node.stem(), number) {
            (Some(stem), Some(number)) => format!("{stem}{number}"),
            _ => node.0.clone(),
        };
        let (from, to) = (end(&link.from), end(&link.to));
        if from == to {
            return Err(reader.error(
                "to",
                format!("found the node {to} at both ends; allowed: two nodes"),
            ));
        }
        let name = match (link.name.clone().given(), number) {
            (Some(name), Some(number)) => format!("{}.{number}", name.0),
            (Some(name), None) => name.0,
            (None, _) => format!("{from}->{to}"),
        };
        let queue = |key: &str| reader.node(key).map(|node| (node.clone(), reader.key(key)));
        let forward = LinkPlan {
            name: name.clone(),
            from: from.clone(),
            to: to.clone(),
            rate: link.rate,
            changes: changes.clone(),
            wire: wire.clone(),
            delay: DelayPlan::of_link(&name, delay, reader.place_of("delay")),
            overhead: link.overhead,
            device_queue: link.device_queue,
            queue: queue("queue"),
            place,
        };
        if link.duplex {
            let reverse = forward.reverse(queue("reverse_queue"), reverse_wire.clone());
            network.links.extend([forward, reverse]);
        } else {
            network.links.push(forward);
        }
    }
    Ok(())
}

impl LinkPlan {
    /// The way back of a duplex link: drop-tail unless it has a queue of its own.
    fn reverse(&self, queue: Option<(Node, String)>, wire: WirePlan) -> Self {
        Self {
            name: format!("{}.reverse", self.name),
            from: self.to.clone(),
            to: self.from.clone(),
            device_queue: Auto::Auto,
            queue,
            wire,
            ..self.clone()
        }
    }
}

/// Refuses keys of a flow that nothing would come of: whoever writes them counts on them.
fn without_effect(reader: &Reader<'_>, flow: &Flow, in_dumbbell: bool) -> Result<(), Located> {
    let ends = [&flow.from, &flow.to].map(|end| end.clone().given());
    let has_access = in_dumbbell && ends.iter().flatten().next().is_none();
    for (key, found) in [("access", "links of its own"), ("rtt", "a round trip")] {
        if reader.node(key).is_some() && !has_access {
            let allowed = "only in a dumbbell, of a flow that names no ends";
            return Err(reader.error(key, format!("found {found}; allowed: {allowed}")));
        }
    }
    let access = reader.node("access").and_then(Node::table);
    let has_delay = access.is_some_and(|table| table.get("delay").is_some());
    if has_delay && reader.node("rtt").is_some() {
        let message = "found a delay of its access links too; allowed: one of them";
        return Err(reader.error("rtt", message));
    }
    let is_numbered =
        |end: &Option<keys::Node>| end.as_ref().is_some_and(|end| end.stem().is_some());
    if reader.node("first").is_some() && !ends.iter().any(is_numbered) {
        let message = format!(
            "found {}; allowed: only where `from` or `to` is numbered, such as \"s*\"",
            flow.first.0
        );
        return Err(reader.error("first", message));
    }
    Ok(())
}

fn read_flows(
    table: &Table,
    place: Place,
    dumbbell: Option<&DumbbellPlan>,
    duration: Span,
    outside: &Outside,
    network: &mut Network,
) -> Result<(), Located> {
    let group = table.text("name").unwrap_or_default().to_owned();
    let path = if group.is_empty() {
        "flow".to_owned()
    } else {
        format!("flow.{group}")
    };
    let reader = Reader::new(table, place, &path);
    reader.only(&keys::keys_of::<Flow>(keys::FLOW_NESTED))?;
    let flow: Flow = reader.read(Preset::Reference)?;
    let required = |key: &str| {
        let missing = || reader.error(key, "found nothing; allowed: a table");
        reader
            .node(key)
            .cloned()
            .ok_or_else(missing)
            .map(|node| (node, reader.key(key)))
    };
    let (transport, transport_key) = required("transport")?;
    let payload = transport.table().and_then(|table| table.get("payload"));
    let payload_place = payload.map(|node| node.place);
    let node = &transport;
    let transport = TransportPlan::read(node, &transport_key, outside)?;
    let idle = transport.without_effect(node, &transport_key)?;
    network.warnings.extend(idle);
    let traffic = required("traffic")?;
    let end = |node: Auto<keys::Node>, key: &str, number: Option<u64>| -> Result<_, Located> {
        let Some(node) = node.given() else {
            return Ok(None);
        };
        match (node.stem(), number) {
            (None, _) => Ok(Some(node.0)),
            (Some(stem), Some(k)) => Ok(Some(format!("{stem}{}", flow.first.0 + k))),
            (Some(_), None) => Err(reader.error(
                key,
                "found a numbered node; allowed: only together with count",
            )),
        }
    };
    without_effect(&reader, &flow, dumbbell.is_some())?;
    let stop = flow.stop.0.unwrap_or(duration);
    let (starts, ends) = (flow.start.least(), stop.min(duration));
    if starts >= ends {
        let what = format!("nothing is sent: it starts at {starts} or later and ends at {ends}");
        network.warnings.push(reader.error("start", what));
    }
    let count = flow.count.given();
    let flows = network.flows.len() as u64 + count.map_or(1, u64::from);
    if flows > MOST_FLOWS {
        let message = format!("found {flows} flows in all; allowed: at most {MOST_FLOWS}");
        return Err(reader.error("count", message));
    }
    let numbers: Vec<Option<u64>> = match count {
        None => vec![None],
        Some(count) => (0..u64::from(count)).map(Some).collect(),
    };
    network.flows.reserve(numbers.len());
    if dumbbell.is_some() {
        network
            .links
            .reserve(dumbbell::ACCESS_LINKS * numbers.len());
    }
    let round_trips = read_times(&reader, "rtt", numbers.len(), ["round trips", "flows"])?;
    let mut round_trips = round_trips.into_iter().flatten();
    for number in numbers {
        let name = number.map_or_else(|| group.clone(), |k| format!("{group}.{k}"));
        let from = end(flow.from.clone(), "from", number)?;
        let to = end(flow.to.clone(), "to", number)?;
        let (from, to) = match (from, to, dumbbell) {
            (Some(from), Some(to), _) => (from, to),
            (None, None, Some(dumbbell)) => {
                let round_trip = round_trips.next();
                dumbbell.add_access([&name, &group], (&reader, place), round_trip, network)?
            }
            (None, _, _) => return Err(reader.error("from", "found nothing; allowed: a node")),
            (_, None, _) => return Err(reader.error("to", "found nothing; allowed: a node")),
        };
        if from == to {
            let message = format!("found the node {to} at both ends; allowed: two nodes");
            return Err(reader.error("to", message));
        }
        network.flows.push(FlowPlan {
            name,
            group: group.clone(),
            from,
            to,
            from_place: reader.place_of("from"),
            to_place: reader.place_of("to"),
            start: flow.start.clone(),
            start_place: reader.place_of("start"),
            stop: Time::ZERO + stop,
            transport: transport.clone(),
            payload_place,
            traffic: traffic.clone(),
            place,
        });
    }
    Ok(())
}
