//! `[vary]`: every combination of the listed values is one point.

use sojourn_base::quantity::{Decimal, split_unit};

use crate::error::{Located, Place, unknown};
use crate::tree::{Node, Table, Value};

/// The values that one key takes.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    pub(crate) key: String,
    place: Place,
    values: Vec<Node>,
}

/// What all points of a file share.
const COMMON: &[&str] = &["name", "title", "replicas", "series", "vary"];

/// More points than this are a slip of the pen.
const MAX_POINTS: usize = 1_000_000;

/// Reads the `[vary]` table.
pub(crate) fn axes(vary: &Node) -> Result<Vec<Axis>, Located> {
    let Some(table) = vary.table() else {
        return Err(Located::new(
            vary.place,
            "vary",
            format!("found {}; allowed: a table of keys", vary.shown()),
        ));
    };
    let mut axes = Vec::new();
    for (key, node) in &table.entries {
        if COMMON.contains(&key.as_str()) {
            let message = format!("{key} is common to all points; allowed: any other key");
            return Err(Located::new(node.place, format!("vary.{key}"), message));
        }
        let values = match &node.value {
            Value::List(items) if !items.is_empty() => items.clone(),
            Value::Table(range) => range_values(key, node.place, range)?,
            _ => return Err(not_values(key, node)),
        };
        axes.push(Axis {
            key: key.clone(),
            place: node.place,
            values,
        });
    }
    let points = axes
        .iter()
        .try_fold(1_usize, |n, axis| n.checked_mul(axis.values.len()));
    if points.is_none_or(|points| points > MAX_POINTS) {
        let message = format!("found more than {MAX_POINTS} points; allowed: at most so many");
        return Err(Located::new(vary.place, "vary", message));
    }
    Ok(axes)
}

fn not_values(key: &str, node: &Node) -> Located {
    let message = format!(
        "found {}; allowed: a list of values, or {{ from = ..., to = ..., step = ... }}",
        if let Value::List(_) = node.value {
            "an empty list".to_owned()
        } else {
            node.shown()
        }
    );
    Located::new(node.place, format!("vary.\"{key}\""), message)
}

/// The values `from`, `from + step` ... up to `to`, computed exactly.
fn range_values(key: &str, place: Place, range: &Table) -> Result<Vec<Node>, Located> {
    let at = format!("vary.\"{key}\"");
    let mut ends = Vec::new();
    for (name, node) in &range.entries {
        if !["from", "to", "step"].contains(&name.as_str()) {
            return Err(Located::new(
                node.place,
                at,
                unknown(name, &["from", "to", "step"]),
            ));
        }
    }
    for name in ["from", "to", "step"] {
        let node = range.get(name).ok_or_else(|| {
            Located::new(
                place,
                at.clone(),
                format!("found no {name}; allowed: from, to and step"),
            )
        })?;
        ends.push(Number::of(node).ok_or_else(|| {
            let message = format!(
                "found {}; allowed: a number, with its unit if it has one",
                node.shown()
            );
            Located::new(node.place, format!("{at}.{name}"), message)
        })?);
    }
    let [from, to, step] = [ends[0].clone(), ends[1].clone(), ends[2].clone()];
    if from.unit != to.unit || from.unit != step.unit {
        let message = format!(
            "found the units {:?}, {:?} and {:?}; allowed: one unit for from, to and step",
            from.unit, to.unit, step.unit
        );
        return Err(Located::new(place, at, message));
    }
    let scale = [&from, &to, &step]
        .iter()
        .map(|n| n.decimals)
        .max()
        .unwrap_or(0);
    let (first, last, width) = (from.scaled(scale), to.scaled(scale), step.scaled(scale));
    let (Some(first), Some(last), Some(width)) = (first, last, width) else {
        return Err(Located::new(place, at, "found numbers of too many digits"));
    };
    if width <= 0 || last < first || (last - first) / width >= MAX_POINTS as i128 {
        let message = "allowed: a step above zero, `to` not below `from`, at most a million values";
        return Err(Located::new(place, at, message));
    }
    let count = (last - first) / width;
    Ok((0..=count)
        .map(|i| from.like(first + i * width, scale, place))
        .collect())
}

/// A number with its unit, as decimal digits.
#[derive(Debug, Clone)]
struct Number {
    digits: i128,
    decimals: u32,
    unit: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Integer,
    Real,
}

impl Number {
    fn of(node: &Node) -> Option<Self> {
        let (text, kind) = match &node.value {
            Value::Text(text) => (text.clone(), Kind::Text),
            Value::Integer(number) => (number.to_string(), Kind::Integer),
            Value::Real(number) if number.is_finite() => (number.to_string(), Kind::Real),
            _ => return None,
        };
        let (number, unit) = split_unit(&text)?;
        let (digits, decimals) = number.digits_and_decimals()?;
        Some(Self {
            digits,
            decimals,
            unit: unit.to_owned(),
            kind,
        })
    }

    fn scaled(&self, decimals: u32) -> Option<i128> {
        self.digits
            .checked_mul(10_i128.checked_pow(decimals - self.decimals)?)
    }

    /// A value of this kind and unit.
    fn like(&self, digits: i128, decimals: u32, place: Place) -> Node {
        let text = Decimal::write(digits, decimals);
        let value = match self.kind {
            Kind::Integer if decimals == 0 => {
                i64::try_from(digits).map_or(Value::Text(text), Value::Integer)
            }
            Kind::Integer | Kind::Real => Value::Real(text.parse().unwrap_or(f64::NAN)),
            Kind::Text if self.unit.is_empty() => Value::Text(text),
            Kind::Text => Value::Text(format!("{text} {}", self.unit)),
        };
        Node { place, value }
    }
}

/// How many points the axes span.
pub(crate) fn count(axes: &[Axis]) -> usize {
    axes.iter().map(|axis| axis.values.len()).product()
}

/// The values of one point; the first axis is the outermost.
pub(crate) fn point(axes: &[Axis], mut index: usize) -> Vec<(&Axis, &Node)> {
    let mut values: Vec<(&Axis, &Node)> = Vec::with_capacity(axes.len());
    for axis in axes.iter().rev() {
        values.push((axis, &axis.values[index % axis.values.len()]));
        index /= axis.values.len();
    }
    values.reverse();
    values
}

impl Axis {
    /// Merges one of its values into a scenario.
    pub(crate) fn apply(&self, tree: &mut Table, value: &Node) -> Result<(), Located> {
        set(tree, &self.key, self.place, value.clone())
    }
}

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
            if !rest.is_empty() && named(tree, "link", "bottleneck").is_none() =>
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
            match named(tree, kind, name) {
                Some(table) => merge_at(table, rest, place, value).map_err(unknown_key),
                None => Err(unknown_key(no_such(tree, kind, name))),
            }
        }
        ["link" | "flow" | "vary", ..] => Err(unknown_key(
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

fn named<'a>(tree: &'a mut Table, kind: &str, name: &str) -> Option<&'a mut Table> {
    let Value::List(items) = &mut tree.get_mut(kind)?.value else {
        return None;
    };
    items
        .iter_mut()
        .filter_map(as_table)
        .find(|table| name_of(kind, table).as_deref() == Some(name))
}

fn no_such(tree: &Table, kind: &str, name: &str) -> String {
    let names: Vec<String> = match tree.get(kind).map(|node| &node.value) {
        Some(Value::List(items)) => items
            .iter()
            .filter_map(Node::table)
            .filter_map(|table| name_of(kind, table))
            .collect(),
        _ => Vec::new(),
    };
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    format!("there is no {kind} of this name: {}", unknown(name, &names))
}

/// Splits `link."a->b".rate` at its dots; none if a quote stays open or a part is empty.
fn split_key(key: &str) -> Option<Vec<String>> {
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

/// What survives of a table when one of its words changes what the table is.
const SURVIVORS: &[(&[&str], &[&str])] = &[
    (&["discipline"], &["limit", "ecn", "preset"]),
    (
        &["protocol", "congestion_control"],
        &[
            "protocol", "segment", "payload", "header", "window", "sack", "ecn", "preset",
        ],
    ),
    (&["source"], &["rate", "preset"]),
];

/// Merges `item` over `table`, key by key.
fn merge(table: &mut Table, item: Table) {
    for (words, survivors) in SURVIVORS {
        let changes = words.iter().any(|word| {
            item.text(word)
                .is_some_and(|new| table.text(word).is_some_and(|old| old != new))
        });
        if changes {
            table
                .entries
                .retain(|(key, _)| survivors.contains(&key.as_str()));
        }
    }
    for (key, node) in item.entries {
        match (table.get_mut(&key).map(|old| &mut old.value), node.value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            (_, value) => table.set(
                &key,
                Node {
                    place: node.place,
                    value,
                },
            ),
        }
    }
}
