//! Traffic sources: one file each, pure state machines.
//!
//! A source knows neither clock nor network. Asked for the next packet it answers how long after
//! the one before (or after its start) and how large, drawing from the two streams that are handed
//! in: one for gaps, one for sizes, so that a change of the sizes leaves the instants alone.
//!
//! Adding one is a file and a line in [`registry`].

pub mod contract;
pub mod registry;

pub mod cbr;
pub mod onoff;
pub mod pareto_onoff;
pub mod poisson;

pub use contract::{Draw, Emission, Packets, RateOf, Source};
pub use registry::{AnySource, SOURCES, build, find, trace_name};
pub use sojourn_base::{BuildError, Entry};
