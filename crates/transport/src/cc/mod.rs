//! Congestion controllers: one file each, one line each in [`registry`].

pub mod contract;
pub mod parts;
pub mod registry;

pub mod bbr;
pub mod bbr3;
pub mod bic;
pub mod cubic;
pub mod dctcp;
pub mod highspeed;
pub mod htcp;
pub mod hybla;
pub mod illinois;
pub mod ledbat;
pub mod newreno;
pub mod prague;
pub mod reno;
pub mod scalable;
pub mod tahoe;
pub mod vegas;
pub mod veno;
pub mod westwood;
pub mod yeah;

pub use contract::{AckSample, CongestionControl, LossEvent, LossKind, Needs, Start};
pub use registry::{AnyController, CONTROLLERS, build, find};
pub use sojourn_base::{BuildError, Entry};
