//! What the registries of disciplines, sources and congestion controllers have in common.

use crate::{Param, ParamFault};

/// A line of a registry.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// Name in scenario files.
    pub name: &'static str,
    /// Name of its type, in Rust and in Python.
    pub class: &'static str,
    /// Name in tables and figures.
    pub title: &'static str,
    /// The text of its file, whose header is its manual page.
    pub source: &'static str,
    /// Its parameters.
    pub params: &'static [Param],
}

impl Entry {
    /// The manual page: the `//!` header of its file, in Markdown.
    pub fn manual(&self) -> String {
        let header = self
            .source
            .lines()
            .map_while(|line| line.strip_prefix("//!"));
        let lines: Vec<&str> = header
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .collect();
        lines.join("\n")
    }

    /// The first paragraph of the manual page, on one line.
    pub fn summary(&self) -> String {
        let manual = self.manual();
        let paragraph = manual.split("\n\n").next().unwrap_or_default();
        paragraph.replace('\n', " ")
    }
}

/// Why something of a registry could not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BuildError {
    /// There is none of that name.
    Unknown,
    /// A parameter cannot be taken.
    Param(ParamFault),
}

impl From<ParamFault> for BuildError {
    fn from(fault: ParamFault) -> Self {
        Self::Param(fault)
    }
}
