//! The links of a file: those that a numbered node stands for, and their ways back.

use sojourn_base::{Auto, Bytes, Distribution, Preset, Rate, Span};

use super::delay::read_times;
use super::{ChangesPlan, DelayPlan, Network, WirePlan, list};
use crate::dotted::name_of;
use crate::error::{Located, Place};
use crate::keys::{self, Link};
use crate::reader::Reader;
use crate::tree::{Node, Table};

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

impl LinkPlan {
    /// The way back of a duplex link: drop-tail unless it has a queue of its own.
    pub(super) fn reverse(&self, queue: Option<(Node, String)>, wire: WirePlan) -> Self {
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

/// Adds the links of a table `[[link]]`.
pub(super) fn read_links(
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
    let table = LinkTable {
        reader,
        link,
        changes,
        wire,
        place,
    };
    for (number, delay) in numbers.into_iter().zip(delays) {
        let forward = table.link_plan(number, delay)?;
        if table.link.duplex {
            let reverse = forward.reverse(table.queue("reverse_queue"), reverse_wire.clone());
            network.links.extend([forward, reverse]);
        } else {
            network.links.push(forward);
        }
    }
    Ok(())
}

/// A link as a table has it, which may stand for several.
struct LinkTable<'a> {
    reader: Reader<'a>,
    link: Link,
    changes: Option<ChangesPlan>,
    wire: WirePlan,
    place: Place,
}

impl LinkTable<'_> {
    /// The link of the node with this number, where one of its nodes is numbered.
    fn link_plan(
        &self,
        number: Option<u64>,
        delay: Distribution<Span>,
    ) -> Result<LinkPlan, Located> {
        let (reader, link) = (&self.reader, &self.link);
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
        Ok(LinkPlan {
            delay: DelayPlan::of_link(&name, delay, reader.place_of("delay")),
            name,
            from,
            to,
            rate: link.rate,
            changes: self.changes.clone(),
            wire: self.wire.clone(),
            overhead: link.overhead,
            device_queue: link.device_queue,
            queue: self.queue("queue"),
            place: self.place,
        })
    }

    /// A queue's table and its dotted key.
    fn queue(&self, key: &str) -> Option<(Node, String)> {
        let node = self.reader.node(key)?;
        Some((node.clone(), self.reader.key(key)))
    }
}

/// All nodes that the file names outright, those of numbered flows included.
pub(super) fn named_nodes(tree: &Table, network: &Network) -> Result<Vec<String>, Located> {
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
