//! The queue disciplines: one file each, pure state machines, usable by anyone.
//!
//! A discipline has no clock, no I/O, no global and no random generator of its own. Whoever owns
//! the queue hands in [`Context`]: the present instant, a random stream, and a [`Sink`] that
//! takes what is dropped and hears of what is marked. So the same code runs in the simulator,
//! under a capture, under a test that owns the clock, and on real packets.
//!
//! Adding one is a file and a line in [`registry`].

pub mod contract;
pub mod parts;
pub mod registry;

pub mod codel;
pub mod droptail;
pub mod eqm;
pub mod red;
pub mod rem;
pub mod sfq;

pub use contract::{
    Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason, Sink, Warning,
};
pub use registry::{AnyDiscipline, BuildError, DISCIPLINES, Entry, build, find};
