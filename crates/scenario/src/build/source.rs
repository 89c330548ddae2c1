//! What a flow sends: a source over UDP, an application over TCP.

use sojourn_base::{Bytes, Distribution, ParamFault, Preset};
use sojourn_traffic::{AnyApplication, AnySource, BuildError};

use super::kind::{kind, only};
use crate::error::{Located, Place};
use crate::network::FlowPlan;
use crate::reader::Reader;
use crate::tree::Node;

impl FlowPlan {
    /// The name of its source.
    pub(super) fn source(&self) -> &str {
        self.traffic
            .0
            .table()
            .and_then(|table| table.text("source"))
            .unwrap_or_default()
    }

    /// The word of its source, checked against the sources that its transport can carry.
    fn kind<'a>(&'a self, reader: &Reader<'a>) -> Result<(&'a str, Preset), Located> {
        let tcp = self.transport.is_tcp();
        let known: Vec<&str> = sojourn_traffic::SOURCES
            .iter()
            .map(|entry| entry.name)
            .filter(|name| tcp || !sojourn_traffic::needs_streams(name))
            .collect();
        let found = reader.node("source").and_then(Node::text);
        if let Some(name) = found.filter(|name| !tcp && sojourn_traffic::needs_streams(name)) {
            let message = format!(
                "found {name:?}, which needs protocol = \"tcp\"; allowed over UDP: {}",
                known.join(", ")
            );
            return Err(reader.error("source", message));
        }
        let (name, preset) = kind(reader, "source", None, &known)?;
        let params = sojourn_traffic::find(name).map_or(&[][..], |entry| entry.params);
        only(reader, &["source", "preset"], params)?;
        Ok((name, preset))
    }

    pub(super) fn build_source(
        &self,
        payload: Distribution<Bytes>,
        header: Bytes,
    ) -> Result<AnySource, Located> {
        let (node, key) = &self.traffic;
        let reader = Reader::of(node, key)?;
        let (name, preset) = self.kind(&reader)?;
        sojourn_traffic::build(name, &reader, preset, payload, header)
            .map_err(|error| not_built(&reader, &error))
    }

    pub(super) fn build_application(&self, segment: Bytes) -> Result<AnyApplication, Located> {
        let (node, key) = &self.traffic;
        let reader = Reader::of(node, key)?;
        let (name, preset) = self.kind(&reader)?;
        sojourn_traffic::build_application(name, &reader, preset, segment)
            .map_err(|error| not_built(&reader, &error))
    }

    /// Where its traffic names a file, and the dotted key there.
    pub(super) fn traffic_named(&self, file: &str) -> (Place, String) {
        let (node, key) = &self.traffic;
        let entries = node.table().map_or(&[][..], |table| &table.entries);
        let names = |node: &Node| node.text().is_some_and(|text| text.contains(file));
        entries.iter().find(|(_, node)| names(node)).map_or_else(
            || (node.place, key.clone()),
            |(word, node)| (node.place, format!("{key}.{word}")),
        )
    }

    /// What its source says of its laws, at its place.
    pub(super) fn with_files(&self, laws: Result<(), ParamFault>) -> Result<(), Located> {
        let (node, key) = &self.traffic;
        laws.or_else(|fault| Err(Reader::of(node, key)?.fault(&fault)))
    }
}

fn not_built(reader: &Reader<'_>, error: &BuildError) -> Located {
    match error {
        BuildError::Param(fault) => reader.fault(fault),
        BuildError::Unknown => reader.error("source", "there is none of this name"),
    }
}
