//! Scenario files: the schema, its reader, its errors; and the way from a file to a run.
//!
//! | module | holds |
//! | --- | --- |
//! | [`scenario`] | [`Scenario`]: a checked file, all points of it ready to run |
//! | [`keys`] | the tables of a file, declared once |
//! | [`run`] | one replica of one point |
//! | [`reference`] | registries and tables as data: help, JSON Schema, reference pages |
//! | [`drive`] | one bare discipline under an explicit clock |
//! | [`error`] | what is wrong, and where |
//!
//! The data flows one way: text, tree ([`tree`]), one tree for each point of `[vary]`, plain
//! network, plan, simulation, tables.

mod build;
pub mod drive;
pub mod error;
pub mod keys;
mod network;
mod reader;
pub mod reference;
pub mod run;
pub mod scenario;
pub mod tree;
mod vary;

pub use error::{Error, Place};
pub use run::{Options, RunError};
pub use scenario::{Outcome, Scenario};
