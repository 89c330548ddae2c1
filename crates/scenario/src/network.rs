//! From the tables of a file to a plain network: patterns expanded, dumbbells laid out, reverse
//! links made.

mod changes;
mod delay;
mod dumbbell;
mod flows;
mod links;
mod losses;
mod wire;

use std::collections::BTreeMap;

use sojourn_base::{Span, Time};

pub(crate) use self::changes::ChangesPlan;
pub(crate) use self::delay::DelayPlan;
use self::dumbbell::DumbbellPlan;
pub(crate) use self::flows::FlowPlan;
use self::flows::read_flows;
pub(crate) use self::links::LinkPlan;
use self::links::{named_nodes, read_links};
pub(crate) use self::wire::{JitterPlan, WirePlan};
use crate::error::{Located, Place};
use crate::outside::Outside;
use crate::tree::{Node, Table, Value};

/// A network as a list of links and flows.
#[derive(Debug, Clone, Default)]
pub(crate) struct Network {
    pub(crate) links: Vec<LinkPlan>,
    pub(crate) flows: Vec<FlowPlan>,
    /// What is allowed, but has no effect.
    pub(crate) warnings: Vec<Located>,
    /// When all is over.
    pub(crate) duration: Span,
}

impl Network {
    /// Changes that come when all is over have no effect.
    fn warn_of_late_changes(&mut self) {
        let mut warned_of = None;
        for link in &self.links {
            if let Some(changes) = &link.changes
                && changes.begins() >= Time::ZERO + self.duration
                && warned_of.replace(changes.place) != Some(changes.place)
            {
                let begins = changes.begins().since(Time::ZERO);
                let what = format!("nothing changes: the first comes at {begins}");
                let key = changes.key.clone();
                self.warnings.push(Located::new(changes.place, key, what));
            }
        }
    }
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
