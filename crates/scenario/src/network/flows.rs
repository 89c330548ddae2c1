//! The flows of a file, as many as `count` says.

use sojourn_base::{Auto, Distribution, Preset, Span, Time};

use super::Network;
use super::delay::read_times;
use super::dumbbell::{ACCESS_LINKS, DumbbellPlan};
use crate::error::{Located, Place};
use crate::keys::{self, Flow};
use crate::outside::Outside;
use crate::reader::Reader;
use crate::transport::TransportPlan;
use crate::tree::{Node, Table};

/// So many flows of a dumbbell take 4 GB before anything runs.
const MOST_FLOWS: u64 = 1_000_000;

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

/// Adds the flows of a table `[[flow]]`, in a dumbbell with their links.
pub(super) fn read_flows(
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
        network.links.reserve(ACCESS_LINKS * numbers.len());
    }
    let round_trips = read_times(&reader, "rtt", numbers.len(), ["round trips", "flows"])?;
    let mut round_trips = round_trips.into_iter().flatten();
    let table = FlowTable {
        reader,
        group,
        flow,
        stop: Time::ZERO + stop,
        transport,
        payload_place,
        traffic,
        place,
    };
    for number in numbers {
        let plan = table.flow_plan(number, dumbbell, &mut round_trips, network)?;
        network.flows.push(plan);
    }
    Ok(())
}

/// A flow as a table has it, which may stand for several.
struct FlowTable<'a> {
    reader: Reader<'a>,
    group: String,
    flow: Flow,
    stop: Time,
    transport: TransportPlan,
    payload_place: Option<Place>,
    traffic: (Node, String),
    place: Place,
}

impl FlowTable<'_> {
    /// The flow of this number, where there is a `count`. One that names no ends takes the next of
    /// the round trips, and gets its links.
    fn flow_plan(
        &self,
        number: Option<u64>,
        dumbbell: Option<&DumbbellPlan>,
        round_trips: &mut impl Iterator<Item = Distribution<Span>>,
        network: &mut Network,
    ) -> Result<FlowPlan, Located> {
        let Self {
            reader,
            group,
            flow,
            ..
        } = self;
        let name = number.map_or_else(|| group.clone(), |k| format!("{group}.{k}"));
        let from = self.end(&flow.from, "from", number)?;
        let to = self.end(&flow.to, "to", number)?;
        let (from, to) = match (from, to, dumbbell) {
            (Some(from), Some(to), _) => (from, to),
            (None, None, Some(dumbbell)) => {
                let round_trip = round_trips.next();
                dumbbell.add_access([&name, group], (reader, self.place), round_trip, network)?
            }
            (None, _, _) => return Err(reader.error("from", "found nothing; allowed: a node")),
            (_, None, _) => return Err(reader.error("to", "found nothing; allowed: a node")),
        };
        if from == to {
            let message = format!("found the node {to} at both ends; allowed: two nodes");
            return Err(reader.error("to", message));
        }
        Ok(FlowPlan {
            name,
            group: group.clone(),
            from,
            to,
            from_place: reader.place_of("from"),
            to_place: reader.place_of("to"),
            start: flow.start.clone(),
            start_place: reader.place_of("start"),
            stop: self.stop,
            transport: self.transport.clone(),
            payload_place: self.payload_place,
            traffic: self.traffic.clone(),
            place: self.place,
        })
    }

    /// The node at an end of the flow of this number, if it is named.
    fn end(
        &self,
        node: &Auto<keys::Node>,
        key: &str,
        number: Option<u64>,
    ) -> Result<Option<String>, Located> {
        let Some(node) = node.clone().given() else {
            return Ok(None);
        };
        match (node.stem(), number) {
            (None, _) => Ok(Some(node.0)),
            (Some(stem), Some(k)) => Ok(Some(format!("{stem}{}", self.flow.first.0 + k))),
            (Some(_), None) => Err(self.reader.error(
                key,
                "found a numbered node; allowed: only together with count",
            )),
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
