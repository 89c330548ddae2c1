//! Keys set from outside that `[vary]` gives too: what varies has the last word, and says so.

use crate::dotted;
use crate::error::{Located, Place};
use crate::tree::{Node, Table, Value, parse_value};
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
