//! What is not in a registry: disciplines and congestion controllers named `module:Class`.
//!
//! Who they are, and how they are made, is for whoever loads the scenario to know: it hands in
//! [`Makers`]. So this crate stays free of Python.

use core::fmt;
use std::sync::Arc;

use sojourn_base::LinkInfo;
use sojourn_queue::Policy;
use sojourn_transport::{CongestionControl, Start};

use crate::error::Located;
use crate::reader::Reader;

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Its name, with a colon in it.
    pub name: &'a str,
    /// Its parameters as they were given: a JSON object.
    pub params: &'a serde_json::Value,
    /// What it is for, for messages: `link bottleneck`.
    pub place: &'a str,
}

/// Why it cannot be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The parameter at fault; none where it is the name.
    pub param: Option<String>,
    /// What was found and what is allowed.
    pub message: String,
}

/// Makes disciplines and controllers from outside.
pub trait Makers: Send + Sync {
    /// Makes the policy of a discipline for a link; its state begins with a reset.
    ///
    /// # Errors
    /// Where there is none of that name, or a parameter cannot be taken.
    fn policy(
        &self,
        wanted: &Wanted<'_>,
        link: &LinkInfo,
    ) -> Result<Box<dyn Policy + Send>, Refusal>;

    /// Makes the controller of a connection.
    ///
    /// # Errors
    /// As for a policy.
    fn controller(
        &self,
        wanted: &Wanted<'_>,
        start: &Start,
    ) -> Result<Box<dyn CongestionControl + Send>, Refusal>;
}

/// Makes nothing.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

fn nobody<T>() -> Result<T, Refusal> {
    Err(Refusal {
        param: None,
        message: "names Python code; allowed: only where Python runs the scenario".to_owned(),
    })
}

impl Makers for Nobody {
    fn policy(&self, _: &Wanted<'_>, _: &LinkInfo) -> Result<Box<dyn Policy + Send>, Refusal> {
        nobody()
    }

    fn controller(
        &self,
        _: &Wanted<'_>,
        _: &Start,
    ) -> Result<Box<dyn CongestionControl + Send>, Refusal> {
        nobody()
    }
}

/// [`Makers`] that scenarios share.
#[derive(Clone)]
pub(crate) struct Outside(pub(crate) Arc<dyn Makers>);

impl fmt::Debug for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Outside")
    }
}

/// Whether a discipline or a controller of this name comes from outside.
pub(crate) fn is_outside(name: &str) -> bool {
    name.contains(':')
}

/// The parameters of a table as JSON: all keys but `known` ones.
pub(crate) fn params_of(reader: &Reader<'_>, known: &[&str]) -> serde_json::Value {
    let entries = reader.entries();
    let foreign = entries.filter(|(key, _)| !known.contains(&key.as_str()));
    foreign
        .map(|(key, node)| (key.clone(), node.json()))
        .collect()
}

impl Refusal {
    /// The same at its place in the file; `word` is the key that holds the name.
    pub(crate) fn located(self, reader: &Reader<'_>, word: &str) -> Located {
        reader.error(self.param.as_deref().unwrap_or(word), self.message)
    }
}
