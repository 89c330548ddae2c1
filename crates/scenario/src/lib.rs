//! Scenario files: the schema, its reader, its errors; and the way from a file to a run.
//!
//! | module | holds |
//! | --- | --- |
//! | [`scenario`] | [`Scenario`]: a checked file, all points of it ready to run |
//! | [`keys`] | the tables of a file, declared once |
//! | [`run`] | one replica of one point |
//! | [`outcome`] | what it gives, and how that is packed for a store |
//! | [`episode`] | the same in steps, for agents that act in between |
//! | [`trace`] | the files of its trace |
//! | [`replay`] | a capture through bare queues, open loop |
//! | [`emulation`] | the packets of real programs through them, as they come |
//! | [`open_loop`] | what the two share |
//! | [`mod@reference`] | registries and tables as data: help, JSON Schema, reference pages |
//! | [`outside`] | disciplines and controllers that are not in a registry |
//! | [`drive`] | one bare discipline under an explicit clock |
//! | [`error`] | what is wrong, and where |
//!
//! The data flows one way: text, tree ([`tree`]), one tree for each point of `[vary]`, plain
//! network, plan, simulation, tables.

mod build;
mod design;
mod dotted;
pub mod drive;
#[cfg(unix)]
pub mod emulation;
pub mod episode;
pub mod error;
mod head;
mod inner;
pub mod keys;
mod network;
pub mod open_loop;
pub mod outcome;
pub mod outside;
mod overruled;
mod points;
mod reader;
pub mod reference;
pub mod replay;
pub mod run;
pub mod scenario;
pub mod trace;
mod transport;
pub mod tree;
mod vary;

pub use build::Contents;
pub use design::range_value;
#[cfg(unix)]
pub use emulation::{Emulated, Emulation, Joined};
pub use episode::Episode;
pub use error::{Error, Place};
pub use open_loop::OpenLoopError;
pub use outcome::Outcome;
pub use replay::{Replay, Replayed};
pub use run::{Options, RunError};
pub use scenario::Scenario;
pub use sojourn_engine::Watch;
pub use trace::{Format, Trace};
