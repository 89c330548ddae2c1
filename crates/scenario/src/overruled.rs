//! Keys set from outside that `[vary]` gives too: what varies has the last word, and says so. So
//! does a key of `[vary]` that a later one sets again: its values would stand in tables, and count
//! for nothing.

use crate::dotted;
use crate::error::{Located, Place};
use crate::tree::{Node, Table, Value, parse_value, place_all};
use crate::vary::{self, Axis};

/// A key set from outside, and what all points begin with, with that key alone.
#[derive(Debug, Clone)]
pub(crate) struct Setting {
    key: String,
    tree: Table,
}

impl Setting {
    /// Sets the key in a copy of what is shared; none where it needs others that are set with it.
    pub(crate) fn new(shared: &Table, key: &str, value: &str) -> Option<Self> {
        let mut tree = shared.clone();
        dotted::set(&mut tree, key, Place::Set, parse_value(value)).ok()?;
        let key = key.to_owned();
        Some(Self { key, tree })
    }

    /// The warning that an axis of `[vary]` gives something else for it at a point.
    pub(crate) fn overruled(&self, axes: &[Axis], point: usize) -> Option<Located> {
        let mut varied = self.tree.clone();
        for (axis, value) in vary::point(axes, point) {
            axis.apply(&mut varied, value).ok()?;
            if is_replaced(&self.tree, &varied) {
                let message = format!(
                    "what was set from outside does not count: [vary] gives {} and has the last word",
                    axis.key
                );
                return Some(Located::new(axis.place, self.key.clone(), message));
            }
        }
        None
    }
}

/// Whether a later axis may set what an earlier one sets: most files have no such keys, and need no
/// look at each point.
pub(crate) fn may_meet(axes: &[Axis]) -> bool {
    let paths: Vec<Vec<String>> = axes.iter().map(|axis| path_of(&axis.key)).collect();
    let mut pairs = (0..paths.len()).flat_map(|i| (0..i).map(move |j| (i, j)));
    pairs.any(|(i, j)| {
        let mut parts = paths[i].iter().zip(&paths[j]);
        parts.all(|(one, other)| one == other || one.contains('*') || other.contains('*'))
    })
}

/// The parts of a key; the link of a dumbbell has two names.
fn path_of(key: &str) -> Vec<String> {
    let of_dumbbell = key.strip_prefix("dumbbell.bottleneck.");
    let key = of_dumbbell.map_or_else(|| key.to_owned(), |rest| format!("link.bottleneck.{rest}"));
    dotted::split_key(&key).unwrap_or_default()
}

/// The warning that a later axis sets what an earlier one has set at a point.
pub(crate) fn set_again(shared: &Table, axes: &[Axis], point: usize) -> Option<Located> {
    let at = vary::point(axes, point);
    let mut tree = shared.clone();
    for (i, (axis, value)) in at.iter().enumerate() {
        // As one from outside, which tells it from what later ones set.
        let mut marked = (*value).clone();
        place_all(&mut marked, Place::Set);
        let mut first = tree.clone();
        dotted::set(&mut first, &axis.key, Place::Set, marked).ok()?;
        let mut varied = first.clone();
        for (later, value) in &at[i + 1..] {
            later.apply(&mut varied, value).ok()?;
            if is_lost(&first, &varied) {
                let key = format!("vary.\"{}\"", axis.key);
                let what = format!("{} comes later and sets again what it sets", later.key);
                return Some(Located::new(axis.place, key, what));
            }
        }
        axis.apply(&mut tree, value).ok()?;
    }
    None
}

/// Whether a value that counts as from outside is another now, or gone.
fn is_lost(before: &Table, after: &Table) -> bool {
    let mut entries = before.entries.iter();
    entries.any(|(key, old)| match after.get(key) {
        Some(new) => is_another(old, new),
        None => is_marked(old),
    })
}

fn is_another(old: &Node, new: &Node) -> bool {
    match (&old.value, &new.value) {
        (Value::Table(old), Value::Table(new)) => is_lost(old, new),
        (Value::List(olds), Value::List(news)) if old.place == new.place => {
            let mut pairs = olds.iter().zip(news);
            pairs.any(|(old, new)| is_another(old, new))
        }
        _ => is_marked(old) && new.place != Place::Set,
    }
}

fn is_marked(node: &Node) -> bool {
    match &node.value {
        Value::Table(table) => table.entries.iter().any(|(_, node)| is_marked(node)),
        _ => node.place == Place::Set,
    }
}

/// Whether a value from outside has given way to one of the file.
fn is_replaced(before: &Table, after: &Table) -> bool {
    let both = before.entries.iter();
    let mut both = both.filter_map(|(key, old)| Some((old, after.get(key)?)));
    both.any(|(old, new)| has_given_way(old, new))
}

fn has_given_way(old: &Node, new: &Node) -> bool {
    match (&old.value, &new.value) {
        (Value::Table(old), Value::Table(new)) => is_replaced(old, new),
        // The links and flows: nothing else is merged within a list.
        (Value::List(olds), Value::List(news)) if old.place == new.place => {
            let mut pairs = olds.iter().zip(news);
            pairs.any(|(old, new)| has_given_way(old, new))
        }
        _ => old.place == Place::Set && new.place != Place::Set,
    }
}
