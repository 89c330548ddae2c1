//! A queue as an option names it: `discipline=codel,target=5 ms`, or in short `codel,target=5 ms`.

use core::iter;

use sojourn_base::length::{Length, Threshold};
use sojourn_base::{LinkInfo, Quantity, Scalar, Span, Stream};
use sojourn_engine::SimPacket;
use sojourn_queue::AnyDiscipline;
use sojourn_queue::parts::inner::{Inner, split};

use super::{OpenLoopError, input};
use crate::build::read_discipline;
use crate::error::Place;
use crate::outside::{Makers, is_outside};
use crate::tree::{Node, Table, Value, parse_value};

/// The options that queues are asked for with, as errors name them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Names {
    /// The queue itself.
    pub(crate) queue: &'static str,
    /// What gives the link its delay.
    pub(crate) delay: &'static str,
}

/// Makes the queue that `text` asks for, with `limit` if it has one and names none; also how it is
/// called in tables. One from outside may draw its first state from `random`.
///
/// # Errors
/// The first thing that is wrong with it.
pub(crate) fn make(
    names: Names,
    text: &str,
    limit: Option<&str>,
    info: &LinkInfo,
    makers: &dyn Makers,
    random: &mut Stream,
) -> Result<(String, AnyDiscipline<SimPacket>), OpenLoopError> {
    let place = format!("{} {text}", names.queue);
    let (label, table) = queue(&place, text, limit)?;
    if info.delay == Span::ZERO {
        refuse_bdp(&place, names.delay, &table, limit)?;
    }
    let (discipline, _) = read_discipline(&table, "", info, makers, &place, random)
        .map_err(|error| input(&error.in_file(&place)))?;
    Ok((label, discipline))
}

/// Without a delay `bdp` is nothing: a limit in it would leave no room, a threshold would always be
/// passed.
fn refuse_bdp(
    place: &str,
    delay: &str,
    table: &Node,
    limit: Option<&str>,
) -> Result<(), OpenLoopError> {
    let entries = table.table().into_iter().flat_map(|table| &table.entries);
    for (key, node) in entries {
        if let Some(value) = node.text().and_then(in_bdp) {
            let is_for_all = key == "limit" && limit == Some(&value);
            let place = if is_for_all {
                "--limit".to_owned()
            } else {
                format!("{place}: {key}")
            };
            return Err(OpenLoopError::Input(format!(
                "{place}: found {value:?}, which is 0 B where {delay} is 0 s; allowed: with a \
                 {delay} above zero, or in packets, bytes or time"
            )));
        }
    }
    Ok(())
}

/// The length in `bdp` that a value is, or that the discipline has which it names.
fn in_bdp(value: &str) -> Option<String> {
    let scalar = Scalar::Text(value);
    if let Ok(Threshold(Length::Bdp(_))) = Threshold::read(scalar) {
        return Some(value.to_owned());
    }
    Inner::read(scalar).ok()?.values().find_map(in_bdp)
}

/// The name and the table of a queue as the command line writes it.
fn queue(place: &str, text: &str, limit: Option<&str>) -> Result<(String, Node), OpenLoopError> {
    let mut table = Table::default();
    let Some(parts) = split(text) else {
        let message = format!("{place}: found a parenthesis alone; allowed: pairs of them");
        return Err(OpenLoopError::Input(message));
    };
    let parts: Vec<&str> = parts.into_iter().map(str::trim).collect();
    for (i, part) in parts.iter().enumerate() {
        let (key, value) = match part.split_once('=') {
            Some((key, value)) => (key.trim(), value.trim()),
            None if i == 0 && !part.is_empty() => ("discipline", *part),
            None => {
                let message = format!(
                    "{place}: found {part:?}; allowed: KEY=VALUE, such as \
                     discipline=codel,target=5 ms"
                );
                return Err(OpenLoopError::Input(message));
            }
        };
        if table.get(key).is_some() {
            let message = format!("{place}: {key}: found twice; allowed: once");
            return Err(OpenLoopError::Input(message));
        }
        table.set(key, parse_value(value));
    }
    let name = table.text("discipline").unwrap_or("droptail").to_owned();
    let has_limit = is_outside(&name)
        || sojourn_queue::find(&name)
            .is_some_and(|entry| entry.params.iter().any(|param| param.name == "limit"));
    if let Some(limit) = limit
        && has_limit
        && table.get("limit").is_none()
    {
        table.set("limit", parse_value(limit));
    }
    let settings = parts.iter().filter(|part| !part.starts_with("discipline="));
    let settings = settings.filter(|part| **part != name).copied();
    let label: Vec<&str> = iter::once(name.as_str()).chain(settings).collect();
    for (_, node) in &mut table.entries {
        node.place = Place::File;
    }
    let node = Node {
        place: Place::File,
        value: Value::Table(table),
    };
    Ok((label.join(", "), node))
}
