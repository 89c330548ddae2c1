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
pub mod policy;
pub mod registry;

pub mod ared;
pub mod avq;
pub mod blue;
pub mod cake;
pub mod choke;
pub mod cobalt;
pub mod codel;
pub mod droptail;
pub mod drr;
pub mod dualpi2;
pub mod eqm;
pub mod feng_green;
pub mod fq;
pub mod fq_cobalt;
pub mod fq_codel;
pub mod fq_pie;
pub mod green;
pub mod headdrop;
pub mod pfifo;
pub mod pfifo_fast;
pub mod pi;
pub mod pi2;
pub mod pie;
pub mod prio;
pub mod red;
pub mod rem;
pub mod sfb;
pub mod sfq;
pub mod tbf;

pub use contract::{
    AckView, Admission, AdmissionContext, Backlog, Context, Dequeued, Discipline, HeadQueue,
    Packet, ProbeValue, Reason, Sack, Sink, Status, Warning,
};
pub use policy::{Policy, PolicyQueue};
pub use registry::{AnyDiscipline, DISCIPLINES, Registered, Visitor, build, dispatch, find};
pub use sojourn_base::{BuildError, Entry};
