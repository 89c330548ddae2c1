//! Values set at a dotted key, such as `link.NAME.rate` or `flow.web-*.traffic`: merged key by key
//! over what stands there.

use sojourn_base::ParamSet;
use sojourn_transport::TcpParams;

use crate::error::{Located, Place, unknown};
use crate::keys::TcpTransport;
use crate::tree::{Node, Table, Value};

/// Merges `value` into the tree at a dotted key.
pub(crate) fn set(tree: &mut Table, key: &str, place: Place, value: Node) -> Result<(), Located> {
    let Some(parts) = split_key(key) else {
        let message = "allowed: a dotted key such as link.NAME.rate, names with dots or > quoted";
        return Err(Located::new(place, key, message));
    };
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let unknown_key = |message: String| Located::new(place, key, message);
    match parts.as_slice() {
        ["link", "bottleneck", rest @ ..]
            if !rest.is_empty() && named(tree, "link", "bottleneck").is_empty() =>
        {
            let Some(dumbbell) = tree.get_mut("dumbbell").and_then(as_table) else {
                return Err(unknown_key(no_such(tree, "link", "bottleneck")));
            };
            let path: Vec<&str> = core::iter::once("bottleneck")
                .chain(rest.iter().copied())
                .collect();
            merge_at(dumbbell, &path, place, value).map_err(unknown_key)
        }
        [kind @ ("link" | "flow"), name, rest @ ..] if !rest.is_empty() => {
            let tables = named(tree, kind, name);
            if tables.is_empty() {
                return Err(unknown_key(no_such(tree, kind, name)));
            }
            for table in tables {
                merge_at(table, rest, place, value.clone()).map_err(unknown_key)?;
            }
            Ok(())
        }
        ["vary", ..] => Err(unknown_key(
            "only the file says what varies; allowed: link.NAME.KEY, flow.NAME.KEY or another key of \
             the file"
                .to_owned(),
        )),
        ["link" | "flow", ..] => Err(unknown_key(
            "allowed: link.NAME.KEY, flow.NAME.KEY or a key of the file".to_owned(),
        )),
        path => merge_at(tree, path, place, value).map_err(unknown_key),
    }
}

fn as_table(node: &mut Node) -> Option<&mut Table> {
    match &mut node.value {
        Value::Table(table) => Some(table),
        _ => None,
    }
}

/// The name that a link or flow goes by.
pub(crate) fn name_of(kind: &str, table: &Table) -> Option<String> {
    if let Some(name) = table.text("name") {
        return Some(name.to_owned());
    }
    let (from, to) = (table.text("from")?, table.text("to")?);
    (kind == "link").then(|| format!("{from}->{to}"))
}

/// The links or flows that a name of a key addresses: those of that name, else those that it fits
/// as a pattern.
fn named<'a>(tree: &'a mut Table, kind: &str, name: &str) -> Vec<&'a mut Table> {
    let Some(Value::List(items)) = tree.get_mut(kind).map(|node| &mut node.value) else {
        return Vec::new();
    };
    let tables: Vec<&mut Table> = items.iter_mut().filter_map(as_table).collect();
    let names: Vec<String> = tables
        .iter()
        .map(|table| name_of(kind, table).unwrap_or_default())
        .collect();
    // A link without a name may have a `*` in the name it gets, "s*->r1": it is meant alone.
    let exact = names.iter().any(|found| found == name);
    tables
        .into_iter()
        .zip(names)
        .filter(|(_, found)| found == name || (!exact && fits(found, name)))
        .map(|(table, _)| table)
        .collect()
}

/// Whether a name fits a pattern, in which one `*` stands for any text.
fn fits(name: &str, pattern: &str) -> bool {
    pattern.split_once('*').is_some_and(|(head, tail)| {
        name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail)
    })
}

fn no_such(tree: &Table, kind: &str, name: &str) -> String {
    let mut names: Vec<String> = match tree.get(kind).map(|node| &node.value) {
        Some(Value::List(items)) => items
            .iter()
            .filter_map(Node::table)
            .filter_map(|table| name_of(kind, table))
            .collect(),
        _ => Vec::new(),
    };
    if kind == "link" && tree.get("dumbbell").is_some() {
        names.push("bottleneck".to_owned());
    }
    if names.is_empty() {
        return format!("found {name:?}, and no [[{kind}]]; allowed: the name of one");
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    format!("there is no {kind} of this name: {}", unknown(name, &names))
}

/// Splits `link."a->b".rate` at its dots; none if a quote stays open or a part is empty.
pub(crate) fn split_key(key: &str) -> Option<Vec<String>> {
    let mut parts = vec![String::new()];
    let mut quoted = false;
    for c in key.chars() {
        match c {
            '"' => quoted = !quoted,
            '.' if !quoted => parts.push(String::new()),
            c => parts.last_mut()?.push(c),
        }
    }
    (!quoted && parts.iter().all(|part| !part.is_empty())).then_some(parts)
}

/// Merges `value` into `table` along `path`.
fn merge_at(table: &mut Table, path: &[&str], place: Place, value: Node) -> Result<(), String> {
    let [key, rest @ ..] = path else {
        return Err("found an empty key".to_owned());
    };
    if rest.is_empty() {
        let mut item = Table::default();
        item.set(key, value);
        merge(table, item);
        return Ok(());
    }
    if table.get(key).is_none() {
        table.set(
            key,
            Node {
                place,
                value: Value::Table(Table::default()),
            },
        );
    }
    let inner = table.get_mut(key).and_then(as_table);
    let inner = inner.ok_or_else(|| format!("{key} is no table, it has no key {}", rest[0]))?;
    // `queue.discipline = "red"` is the same as `queue = { discipline = "red" }`.
    merge_at(inner, rest, place, value)
}

/// The words that say what a table is.
const WORDS: [&str; 4] = ["discipline", "protocol", "congestion_control", "source"];

/// Whether a key of a table survives when that word changes: what all kinds have does.
fn survives(word: &str, key: &str) -> bool {
    match word {
        "discipline" => ["limit", "ecn", "preset"].contains(&key),
        "congestion_control" => [TcpTransport::PARAMS, TcpParams::PARAMS]
            .into_iter()
            .flatten()
            .any(|param| param.name == key),
        "protocol" => [
            "protocol", "segment", "payload", "header", "window", "sack", "ecn", "preset",
        ]
        .contains(&key),
        _ => ["rate", "preset"].contains(&key),
    }
}

/// Merges `item` over `table`, key by key; whether it is another thing then.
fn merge(table: &mut Table, item: Table) -> bool {
    let mut is_another = false;
    for word in WORDS {
        let new = item.text(word);
        if new.is_some_and(|new| table.text(word).is_some_and(|old| old != new)) {
            is_another = true;
            table.entries.retain(|(key, _)| survives(word, key));
        }
    }
    for (key, node) in item.entries {
        let place = node.place;
        match (table.get_mut(&key), node.value) {
            (
                Some(Node {
                    place: of_old,
                    value: Value::Table(old),
                }),
                Value::Table(new),
            ) => {
                if merge(old, new) {
                    *of_old = place;
                }
            }
            (_, value) => table.set(&key, Node { place, value }),
        }
    }
    is_another
}

/// A value that varies in a word: a table by what it is.
pub(crate) fn word(value: &serde_json::Value) -> String {
    let named = WORDS
        .iter()
        .filter_map(|word| value.get(word)?.as_str())
        .next_back();
    named
        .or(value.as_str())
        .map_or_else(|| value.to_string(), String::from)
}
