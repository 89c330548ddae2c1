//! Reads declared tables out of the tree.

use sojourn_base::{ParamFault, ParamSet, ParamSource, Preset, Quantity, Scalar};

use crate::error::{Located, Place, unknown};
use crate::tree::{Node, Table, Value};

/// A table with its place and its dotted key.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'a> {
    table: &'a Table,
    place: Place,
    path: &'a str,
}

impl ParamSource for Reader<'_> {
    fn get(&self, name: &str) -> Option<Scalar<'_>> {
        self.table.get(name)?.scalar()
    }
}

impl<'a> Reader<'a> {
    pub(crate) fn new(table: &'a Table, place: Place, path: &'a str) -> Self {
        Self { table, place, path }
    }

    /// The table under a node.
    pub(crate) fn of(node: &'a Node, path: &'a str) -> Result<Self, Located> {
        if let Value::Table(table) = &node.value {
            Ok(Self::new(table, node.place, path))
        } else {
            let example = if path.ends_with("queue") {
                " such as { discipline = \"codel\" }"
            } else {
                ""
            };
            let message = format!("found {}; allowed: a table{example}", node.shown());
            Err(Located::new(node.place, path, message))
        }
    }

    /// All keys with their nodes, in the order of the file.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &'a (String, Node)> {
        self.table.entries.iter()
    }

    pub(crate) fn node(&self, key: &str) -> Option<&'a Node> {
        self.table.get(key)
    }

    /// Where one of its keys stands; where it begins itself, if it does not have the key.
    pub(crate) fn place_of(&self, key: &str) -> Place {
        self.node(key).map_or(self.place, |node| node.place)
    }

    /// The dotted key of one of its keys.
    pub(crate) fn key(&self, key: &str) -> String {
        if self.path.is_empty() {
            key.to_owned()
        } else {
            format!("{}.{key}", self.path)
        }
    }

    /// Reads a declared table.
    pub(crate) fn read<T: ParamSet>(&self, preset: Preset) -> Result<T, Located> {
        for param in T::PARAMS {
            if let Some(node) = self.node(param.name).filter(|node| node.scalar().is_none()) {
                let message = format!("found {}; allowed: {}", node.shown(), param.allowed);
                return Err(Located::new(node.place, self.key(param.name), message));
            }
        }
        T::read(self, preset).map_err(|fault| self.fault(&fault))
    }

    /// Reads a single value of one of its keys.
    pub(crate) fn value<T: Quantity>(&self, key: &str) -> Result<Option<T>, Located> {
        let Some(node) = self.node(key) else {
            return Ok(None);
        };
        read_node(node, &self.key(key)).map(Some)
    }

    /// A fault of one of its parameters, at the line where it stands.
    pub(crate) fn fault(&self, fault: &ParamFault) -> Located {
        let place = self.place_of(fault.name);
        Located::fault(place, self.key(fault.name), &fault.fault)
    }

    /// A fault of the table as a whole, or of one of its keys where that is given.
    pub(crate) fn error(&self, key: &str, message: impl Into<String>) -> Located {
        let place = self.place_of(key);
        Located::new(place, self.key(key), message)
    }

    /// Refuses keys that are not known.
    pub(crate) fn only(&self, allowed: &[&str]) -> Result<(), Located> {
        for (key, node) in &self.table.entries {
            if !allowed.contains(&key.as_str()) {
                let message = format!("unknown key: {}", unknown(key, allowed));
                return Err(Located::new(node.place, self.key(key), message));
            }
        }
        Ok(())
    }
}

/// Reads a scalar node.
pub(crate) fn read_node<T: Quantity>(node: &Node, key: &str) -> Result<T, Located> {
    let Some(scalar) = node.scalar() else {
        let message = format!("found {}; allowed: {}", node.shown(), T::ALLOWED);
        return Err(Located::new(node.place, key, message));
    };
    T::read(scalar).map_err(|fault| Located::fault(node.place, key, &fault))
}
