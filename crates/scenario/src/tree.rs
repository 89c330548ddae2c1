//! A scenario file as a tree whose every node knows its line.

use sojourn_base::Scalar;
use toml_edit::{Document, Item, TableLike};

use crate::error::{Located, Place};

/// Files above this size are not scenario files.
pub const MAX_BYTES: usize = 1_000_000;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Node {
    pub(crate) place: Place,
    pub(crate) value: Value,
}

/// A TOML value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Text(String),
    Integer(i64),
    Real(f64),
    Flag(bool),
    List(Vec<Node>),
    Table(Table),
}

/// Keys and values in the order of the file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Table {
    pub(crate) entries: Vec<(String, Node)>,
}

impl Table {
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.entries
            .iter()
            .find(|(name, _)| name == key)
            .map(|(_, node)| node)
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.entries
            .iter_mut()
            .find(|(name, _)| name == key)
            .map(|(_, node)| node)
    }

    pub(crate) fn set(&mut self, key: &str, node: Node) {
        match self.get_mut(key) {
            Some(old) => *old = node,
            None => self.entries.push((key.to_owned(), node)),
        }
    }

    pub(crate) fn remove(&mut self, key: &str) -> Option<Node> {
        let at = self.entries.iter().position(|(name, _)| name == key)?;
        Some(self.entries.remove(at).1)
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        let entries = self.entries.iter();
        entries
            .map(|(key, node)| (key.clone(), node.json()))
            .collect()
    }

    /// The text under `key`, if it is one.
    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        match &self.get(key)?.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Node {
    /// The value as a scalar; none for lists and tables.
    pub(crate) fn scalar(&self) -> Option<Scalar<'_>> {
        match &self.value {
            Value::Text(text) => Some(Scalar::Text(text)),
            Value::Integer(number) => Some(Scalar::Integer(*number)),
            Value::Real(number) => Some(Scalar::Real(*number)),
            Value::Flag(flag) => Some(Scalar::Flag(*flag)),
            Value::List(_) | Value::Table(_) => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self.scalar() {
            Some(Scalar::Text(text)) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn table(&self) -> Option<&Table> {
        match &self.value {
            Value::Table(table) => Some(table),
            _ => None,
        }
    }

    /// What it is, for messages.
    pub(crate) fn shown(&self) -> String {
        match &self.value {
            Value::List(_) => "a list".to_owned(),
            Value::Table(_) => "a table".to_owned(),
            _ => self
                .scalar()
                .map_or_else(String::new, |scalar| scalar.to_string()),
        }
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        match &self.value {
            Value::Text(text) => text.clone().into(),
            Value::Integer(number) => (*number).into(),
            Value::Real(number) => (*number).into(),
            Value::Flag(flag) => (*flag).into(),
            Value::List(items) => items.iter().map(Self::json).collect(),
            Value::Table(table) => table.json(),
        }
    }
}

/// Reads the text of a file.
pub(crate) fn parse(text: &str) -> Result<Table, Located> {
    if text.len() > MAX_BYTES {
        let message = format!("found more than {MAX_BYTES} bytes; allowed: at most so many");
        return Err(Located::new(Place::File, "", message));
    }
    let lines = Lines::of(text);
    let document = Document::parse(text).map_err(|error| {
        let place = error
            .span()
            .map_or(Place::File, |span| lines.place(span.start));
        let message = if has_typographic_quotes(text, &lines, place) {
            "found typographic quotes (“ ” ‘ ’); allowed: plain ones, \" or '".to_owned()
        } else {
            let message: Vec<&str> = error.message().lines().map(str::trim).collect();
            message.join("; ")
        };
        Located::new(place, "", format!("this is not TOML: {message}"))
    })?;
    table(document.as_table(), &lines)
}

/// Whether plain quotes in place of typographic ones would mend the line of an error: a title may
/// well have such quotes, beside another mistake.
fn has_typographic_quotes(text: &str, lines: &Lines, place: Place) -> bool {
    const DOUBLE: [char; 3] = ['“', '”', '„'];
    const SINGLE: [char; 3] = ['‘', '’', '‚'];
    let Place::Line(line) = place else {
        return false;
    };
    let begin = lines.0[line - 1];
    let end = lines.0.get(line).copied().unwrap_or(text.len());
    let found = &text[begin..end];
    let plain = found.replace(DOUBLE, "\"").replace(SINGLE, "'");
    if plain == found {
        return false;
    }
    let mended = [&text[..begin], &plain, &text[end..]].concat();
    Document::parse(mended.as_str()).err().is_none_or(|error| {
        let again = error
            .span()
            .map(|span| Lines::of(&mended).place(span.start));
        again != Some(place)
    })
}

/// Reads the value of a `--set`: a TOML value, else a bare text.
pub(crate) fn parse_value(text: &str) -> Node {
    let wrapped = format!("value = {text}");
    let parsed = Document::parse(wrapped.as_str()).ok().and_then(|document| {
        let table = table(document.as_table(), &Lines::of("")).ok()?;
        (table.entries.len() == 1).then_some(table)?.remove("value")
    });
    let mut node = parsed.unwrap_or_else(|| Node {
        place: Place::Set,
        value: Value::Text(text.to_owned()),
    });
    place_all(&mut node, Place::Set);
    node
}

pub(crate) fn place_all(node: &mut Node, place: Place) {
    node.place = place;
    match &mut node.value {
        Value::List(items) => items.iter_mut().for_each(|item| place_all(item, place)),
        Value::Table(table) => {
            table
                .entries
                .iter_mut()
                .for_each(|(_, item)| place_all(item, place));
        }
        _ => {}
    }
}

/// Where each line begins.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(
            core::iter::once(0)
                .chain(ends.map(|(at, _)| at + 1))
                .collect(),
        )
    }

    fn place(&self, at: usize) -> Place {
        Place::Line(self.0.partition_point(|&begin| begin <= at).max(1))
    }
}

fn table(table: &dyn TableLike, lines: &Lines) -> Result<Table, Located> {
    let mut entries = Vec::new();
    for (key, item) in table.iter() {
        let key_span = table.key(key).and_then(toml_edit::Key::span);
        let place = key_span
            .or(item.span())
            .map_or(Place::File, |span| lines.place(span.start));
        entries.push((key.to_owned(), node(key, item, place, lines)?));
    }
    Ok(Table { entries })
}

fn node(key: &str, item: &Item, place: Place, lines: &Lines) -> Result<Node, Located> {
    let inner = |item: &Item| {
        let place = item.span().map_or(place, |span| lines.place(span.start));
        node(key, item, place, lines)
    };
    let value = if let Some(inline) = item.as_table_like() {
        Value::Table(table(inline, lines)?)
    } else if let Some(tables) = item.as_array_of_tables() {
        let tables = tables.iter().map(|each| inner(&Item::Table(each.clone())));
        Value::List(tables.collect::<Result<_, _>>()?)
    } else if let Some(list) = item.as_array() {
        let items = list.iter().map(|each| inner(&Item::Value(each.clone())));
        Value::List(items.collect::<Result<_, _>>()?)
    } else if let Some(text) = item.as_str() {
        Value::Text(text.to_owned())
    } else if let Some(number) = item.as_integer() {
        Value::Integer(number)
    } else if let Some(number) = item.as_float() {
        Value::Real(number)
    } else if let Some(flag) = item.as_bool() {
        Value::Flag(flag)
    } else {
        return Err(Located::new(place, key, "found a date; no key takes one"));
    };
    Ok(Node { place, value })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_knows_its_line() {
        let tree = parse("a = 1\n\n[b]\nc = \"x\"\n[[d]]\ne = { f = [\n 1,\n 2] }\n").unwrap();
        assert_eq!(tree.get("a").unwrap().place, Place::Line(1));
        let b = tree.get("b").unwrap().table().unwrap();
        assert_eq!(b.get("c").unwrap().place, Place::Line(4));
        let Value::List(items) = &tree.get("d").unwrap().value else {
            panic!()
        };
        let e = items[0].table().unwrap().get("e").unwrap();
        assert_eq!(e.place, Place::Line(6));
        let Value::List(numbers) = &e.table().unwrap().get("f").unwrap().value else {
            panic!()
        };
        assert_eq!(numbers[1].place, Place::Line(8));
    }

    #[test]
    fn what_is_not_toml_is_one_error_with_its_line() {
        let error = parse("a = 1\nb = = 2\n").unwrap_err();
        assert_eq!(error.place, Place::Line(2));
        assert!(error.message.starts_with("this is not TOML: "));
        assert!(!error.message.contains('\n'));
    }

    #[test]
    fn a_value_of_the_command_line_need_not_be_quoted() {
        assert_eq!(
            parse_value("2 Mbit/s").value,
            Value::Text("2 Mbit/s".to_owned())
        );
        assert_eq!(parse_value("true").value, Value::Flag(true));
        assert_eq!(
            parse_value("{ discipline = \"red\" }")
                .table()
                .unwrap()
                .entries
                .len(),
            1
        );
        assert_eq!(
            parse_value("1\nb = 2").value,
            Value::Text("1\nb = 2".to_owned())
        );
    }
}
