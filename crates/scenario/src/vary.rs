//! `[vary]`: every combination of the listed values is one point.

use sojourn_base::decimal::{Decimal, split_unit};

use crate::design::Draw;
use crate::error::{Located, Place, unknown};
use crate::tree::{Node, Table, Value};

/// The values that one key takes.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    pub(crate) key: String,
    place: Place,
    values: Vec<Node>,
    /// Its values turn together with those of the other drawn or listed axes.
    drawn: bool,
}

/// What all points of a file share.
const COMMON: &[&str] = &[
    "name",
    "title",
    "replicas",
    "series",
    "precision",
    "precision_of",
    "max_replicas",
    "design",
    "vary",
];

/// More points than this are a slip of the pen.
const MAX_POINTS: usize = 1_000_000;

/// Reads the `[vary]` table; ranges without a step are drawn by the design.
pub(crate) fn axes(vary: &Node, draw: Option<&Draw>) -> Result<Vec<Axis>, Located> {
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
        if let Some(dotted) = unquoted(key, node) {
            let message = format!(
                "found a key without quotes; allowed: the whole key in quotes, \"{dotted}\" = [...]"
            );
            return Err(Located::new(node.place, format!("vary.{dotted}"), message));
        }
        let mut drawn = false;
        let values = match (&node.value, draw) {
            (Value::List(items), _) if !items.is_empty() => {
                drawn = draw.is_some_and(Draw::is_listed);
                items.clone()
            }
            (Value::Table(range), Some(draw))
                if range.get("step").is_none() && !draw.is_listed() =>
            {
                drawn = true;
                draw.values(key, node.place, range)?
            }
            (Value::Table(range), _) => range_values(key, node.place, range)?,
            _ => return Err(not_values(key, node)),
        };
        let together = axes.iter().find(|axis: &&Axis| axis.drawn && drawn);
        if let Some(other) = together.filter(|other| other.values.len() != values.len()) {
            let message = format!(
                "found {} values, but {} under {}; allowed: lists of one length, or another \
                 design.kind",
                values.len(),
                other.values.len(),
                other.key
            );
            return Err(Located::new(node.place, format!("vary.\"{key}\""), message));
        }
        axes.push(Axis {
            key: key.clone(),
            place: node.place,
            values,
            drawn,
        });
    }
    if let Some(draw) = draw
        && !axes.iter().any(|axis| axis.drawn)
    {
        return Err(draw.nothing_to_draw());
    }
    let points = turning(&axes).try_fold(1_usize, |n, axis| n.checked_mul(axis.values.len()));
    if points.is_none_or(|points| points > MAX_POINTS) {
        let message = format!("found more than {MAX_POINTS} points; allowed: at most so many");
        return Err(Located::new(vary.place, "vary", message));
    }
    Ok(axes)
}

/// What a range may hold; other keys below a key of `[vary]` are the rest of a dotted one.
const OF_RANGE: &[&str] = &["from", "to", "step", "scale"];

/// The whole key, where TOML took it apart at its dots.
fn unquoted(key: &str, node: &Node) -> Option<String> {
    let (next, below) = node.table()?.entries.first()?;
    let rest = unquoted(next, below);
    let is_dotted =
        rest.is_some() || below.table().is_some() || matches!(below.value, Value::List(_));
    let is_key = is_dotted && !OF_RANGE.contains(&next.as_str());
    is_key.then(|| format!("{key}.{}", rest.unwrap_or_else(|| next.clone())))
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

/// The numbers of a range under `names`; `also` may stand beside them.
pub(crate) fn ends<const N: usize>(
    key: &str,
    place: Place,
    range: &Table,
    names: [&'static str; N],
    also: &[&'static str],
) -> Result<[Number; N], Located> {
    let at = format!("vary.\"{key}\"");
    let allowed: Vec<&str> = names.iter().chain(also).copied().collect();
    for (name, node) in &range.entries {
        if !allowed.contains(&name.as_str()) {
            return Err(Located::new(node.place, at, unknown(name, &allowed)));
        }
    }
    let mut ends = Vec::with_capacity(N);
    for name in names {
        let node = range.get(name).ok_or_else(|| {
            let (last, first) = names.split_last().unwrap_or((&name, &[]));
            let message = format!(
                "found no {name}; allowed: {} and {last}{}",
                first.join(", "),
                if name == "step" {
                    ", or a [design] that draws the values"
                } else {
                    ""
                }
            );
            Located::new(place, at.clone(), message)
        })?;
        ends.push(Number::of(node).ok_or_else(|| {
            let message = format!(
                "found {}; allowed: a number, with its unit if it has one",
                node.shown()
            );
            Located::new(node.place, format!("{at}.{name}"), message)
        })?);
    }
    Ok(ends.try_into().expect("one number for each name"))
}

/// The values `from`, `from + step` ... up to `to`, computed exactly.
fn range_values(key: &str, place: Place, range: &Table) -> Result<Vec<Node>, Located> {
    let at = format!("vary.\"{key}\"");
    let [from, to, step] = ends(key, place, range, ["from", "to", "step"], &[])?;
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
pub(crate) struct Number {
    digits: i128,
    decimals: u32,
    pub(crate) unit: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Integer,
    Real,
}

impl Number {
    /// Whether only whole numbers belong in its place: it is one, or whole packets.
    pub(crate) fn is_whole(&self) -> bool {
        let packets = matches!(self.unit.as_str(), "packet" | "packets");
        self.kind == Kind::Integer || (packets && self.decimals == 0)
    }

    /// The nearest `f64`.
    pub(crate) fn as_f64(&self) -> f64 {
        let text = Decimal::write(self.digits, self.decimals);
        text.parse().unwrap_or(f64::NAN)
    }

    /// A value of this kind and unit, its number given as text.
    pub(crate) fn like_text(&self, number: &str, place: Place) -> Option<Node> {
        let (digits, decimals) = Decimal::parse(number)?.digits_and_decimals()?;
        Some(self.like(digits, decimals, place))
    }

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

/// The axes that turn by themselves: all but the drawn ones behind the first, which turn with it.
fn turning(axes: &[Axis]) -> impl Iterator<Item = &Axis> {
    let mut seen_drawn = false;
    axes.iter()
        .filter(move |axis| !axis.drawn || !core::mem::replace(&mut seen_drawn, true))
}

/// How many points the axes span.
pub(crate) fn count(axes: &[Axis]) -> usize {
    turning(axes).map(|axis| axis.values.len()).product()
}

/// The values of one point; the first axis is the outermost.
pub(crate) fn point(axes: &[Axis], index: usize) -> Vec<(&Axis, &Node)> {
    let mut inner = count(axes);
    let mut drawn_at = None;
    let mut at = |axis: &Axis| {
        if let (true, Some(at)) = (axis.drawn, drawn_at) {
            return at;
        }
        inner /= axis.values.len();
        let at = index / inner % axis.values.len();
        drawn_at = if axis.drawn { Some(at) } else { drawn_at };
        at
    };
    axes.iter()
        .map(|axis| (axis, &axis.values[at(axis)]))
        .collect()
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
