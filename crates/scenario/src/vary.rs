//! `[vary]`: every combination of the listed values is one point.

mod alike;
pub(crate) mod range;

use crate::design::Draw;
use crate::dotted;
use crate::error::{Located, Place};
use crate::tree::{Node, Table, Value};

/// The values that one key takes.
#[derive(Debug, Clone)]
pub(crate) struct Axis {
    pub(crate) key: String,
    pub(crate) place: Place,
    values: Vec<Node>,
    /// Its values turn together with those of the other drawn or listed axes.
    drawn: bool,
    /// What is wrong where a value stands in it twice.
    pub(crate) alike: Option<Located>,
}

/// What all points of a file share.
const COMMON: &[&str] = &[
    "name",
    "title",
    "replicas",
    "series",
    "transfers",
    "precision",
    "precision_of",
    "max_replicas",
    "design",
    "vary",
];

/// What all points begin with: the file without how they differ. That is as long as they are many,
/// and each of them has a copy.
pub(crate) fn shared(file: &Table) -> Table {
    let mut shared = file.clone();
    shared.remove("design");
    shared.remove("vary");
    shared
}

/// Sanity limit: the network of each point is made, to check it, before any is run.
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
        let first = key.split('.').next().unwrap_or(key);
        if COMMON.contains(&first) {
            let message = format!("{first} is common to all points; allowed: any other key");
            return Err(Located::new(node.place, format!("vary.{key}"), message));
        }
        if let Some(dotted) = unquoted(key, node) {
            let message = format!(
                "found a key without quotes; allowed: the whole key in quotes, \"{dotted}\" = [...]"
            );
            return Err(Located::new(node.place, format!("vary.{dotted}"), message));
        }
        let (mut drawn, mut alike) = (false, None);
        let values = match (&node.value, draw) {
            (Value::List(items), _) if !items.is_empty() => {
                drawn = draw.is_some_and(Draw::is_listed);
                // Of listed points each may have a value in common with others.
                if !drawn {
                    alike = alike::first(key, items);
                }
                items.clone()
            }
            (Value::Table(range), Some(draw))
                if range.get("step").is_none() && !draw.is_listed() =>
            {
                drawn = true;
                draw.values(key, node.place, range)?
            }
            (Value::Table(given), _) => range::values(key, node.place, given)?,
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
            alike,
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

/// Points that differ from the first in one axis alone, so many of each at most.
pub(crate) fn beside_the_first(axes: &[Axis], most: usize) -> impl Iterator<Item = usize> {
    let mut inner = count(axes);
    turning(axes).flat_map(move |axis| {
        inner /= axis.values.len();
        let step = inner;
        (1..axis.values.len().min(most + 1)).map(move |at| at * step)
    })
}

/// The file at one point, made of what is [shared], and the values that vary.
pub(crate) fn tree(
    shared: &Table,
    axes: &[Axis],
    index: usize,
) -> Result<(Table, serde_json::Map<String, serde_json::Value>), Located> {
    let mut tree = shared.clone();
    for (axis, value) in point(axes, index) {
        axis.apply(&mut tree, value)?;
    }
    Ok((tree, values(axes, index)))
}

/// The values that vary at one point, by key.
pub(crate) fn values(axes: &[Axis], index: usize) -> serde_json::Map<String, serde_json::Value> {
    let values = point(axes, index).into_iter();
    values
        .map(|(axis, value)| (axis.key.clone(), value.json()))
        .collect()
}

impl Axis {
    /// Merges one of its values into a scenario.
    pub(crate) fn apply(&self, tree: &mut Table, value: &Node) -> Result<(), Located> {
        dotted::set(tree, &self.key, self.place, value.clone())
    }
}
