//! Values of one key that are the same: their points would be too, under one label.

use std::collections::HashMap;

use serde_json::Value as Json;
use sojourn_base::{Bytes, Quantity, Rate, Scalar, Span};

use crate::error::Located;
use crate::tree::{Node, Table, Value};

/// Tells of the first value that stands in the list before, in the same or in other words.
pub(super) fn first(key: &str, items: &[Node]) -> Option<Located> {
    let mut seen = HashMap::with_capacity(items.len());
    let (item, before) = items
        .iter()
        .find_map(|item| Some((item, seen.insert(meant(item), item)?)))?;
    let (found, known) = (shown(item), shown(before));
    let what = if found == known {
        format!("found {found} twice")
    } else {
        format!("found {found}, the same as {known}")
    };
    let message = format!("{what}: the points are the same, and tables do not tell them apart");
    Some(Located::new(item.place, format!("vary.\"{key}\""), message))
}

/// A value as a message has it, tables with all that is in them: they may differ in little.
fn shown(item: &Node) -> String {
    match &item.value {
        Value::List(_) | Value::Table(_) => item.json().to_string(),
        _ => item.shown(),
    }
}

/// What a value says, whatever the unit it is written in.
fn meant(item: &Node) -> Json {
    match &item.value {
        Value::Text(text) => in_base_units(text).unwrap_or_else(|| text.as_str().into()),
        Value::Real(number) if *number == f64::from(*number as i32) => (*number as i32).into(),
        Value::List(items) => items.iter().map(meant).collect(),
        Value::Table(Table { entries }) => entries
            .iter()
            .map(|(key, node)| (key.clone(), meant(node)))
            .collect(),
        _ => item.json(),
    }
}

/// A time, a rate or a size by its number of base units.
fn in_base_units(text: &str) -> Option<Json> {
    let scalar = Scalar::Text(text);
    let time = Span::read(scalar).map(|span| format!("{} ps", span.as_ps()));
    let known = time
        .or_else(|_| Rate::read(scalar).map(|rate| format!("{} bit/s", rate.bps())))
        .or_else(|_| Bytes::read(scalar).map(|bytes| format!("{} B", bytes.get())));
    known.ok().map(Json::String)
}
