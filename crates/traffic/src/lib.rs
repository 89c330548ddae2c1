//! Traffic sources: one file each, pure state machines.
//!
//! A source of packets ([`contract`]) knows neither clock nor network. Asked for the next packet,
//! it answers with the time since the one before (or since its start) and with the size. It draws
//! from the two streams that it is given, one for gaps and one for sizes, so that a change of the
//! sizes does not change the times.
//!
//! An application ([`application`]) sends messages over streams, which TCP carries, and is told
//! when they have arrived. A source of packets can be one too ([`paced`]): it writes what it would
//! send.
//!
//! Adding a source takes a file and a line in [`registry`].

pub mod application;
pub mod contract;
pub mod paced;
pub mod registry;

pub mod arrivals;
pub mod bulk;
pub mod cbr;
pub mod onoff;
pub mod pareto_onoff;
pub mod poisson;
pub mod request_response;
pub mod trace;
pub mod web;

pub use application::{Application, Begun, Completed, Direction, Event, Exchange, Host, StreamId};
pub use contract::{Draw, Emission, Packets, RateOf, Recorded, Recording, Source};
pub use registry::{
    AnyApplication, AnySource, SOURCES, build, build_application, find, needs_streams, trace_name,
};
pub use sojourn_base::{BuildError, Entry};
