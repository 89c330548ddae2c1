//! The words that every part of Sojourn shares.
//!
//! | module | holds |
//! | --- | --- |
//! | [`time`] | [`Time`] and [`Span`]: instants and durations in whole picoseconds |
//! | [`rate`] | [`Rate`]: bits per second, and the exact time a packet takes |
//! | [`bytes`] | [`Bytes`]: packet and queue sizes |
//! | [`ecn`] | [`Ecn`]: the two bits of RFC 3168 |
//! | [`random`] | [`Stream`]: the pinned random generator, one stream per role and entity |
//! | [`distribution`] | [`Distribution`]: random sizes and durations as scenario files write them |
//! | [`decimal`] | decimal numbers as they are written, and a number with its unit |
//! | [`quantity`] | reading `"10 Mbit/s"`: [`Quantity`], [`Scalar`], [`Fault`] |
//! | [`link`] | [`LinkInfo`]: what a queue is told of the link that it feeds |
//! | [`networks`] | [`Networks`]: addresses and networks, as the senders of a recording |
//! | [`length`] | [`Limit`] and [`Threshold`]: queue lengths in packets, bytes, time or BDP |
//! | [`registry`] | [`Entry`] and [`BuildError`]: what all registries have in common |
//! | [`mod@choices`] | the [`choices!`] macro: a parameter that is one of a few words, declared once |
//! | [`prefetch`] | memory asked for before it is needed |
//! | [`checks`] | sizes, times and numbers above zero, each refused in one text |
//! | `unit_hints` | the unit that was meant by another way of writing it |
//! | [`mod@params`] | the [`params!`] macro: a parameter table declared once, read, checked and documented |
//!
//! Nothing here queues, sends or reads a file.

pub mod bytes;
pub mod checks;
pub mod choices;
pub mod decimal;
pub mod distribution;
pub mod ecn;
pub mod length;
pub mod link;
pub mod networks;
pub mod params;
pub mod prefetch;
pub mod quantity;
pub mod random;
pub mod rate;
pub mod registry;
pub mod time;
mod unit_hints;

pub use bytes::Bytes;
pub use distribution::{Distribution, Law};
pub use ecn::Ecn;
pub use length::{Length, Limit, Threshold};
pub use link::LinkInfo;
pub use networks::Networks;
pub use params::{Param, ParamFault, ParamSet, ParamSource, Preset};
pub use quantity::{
    Auto, Count, Fault, Fraction, Name, Optional, Probability, Quantity, Scalar, Whole,
};
pub use random::Stream;
pub use rate::{Momentary, Rate};
pub use registry::{BuildError, Entry};
pub use time::{Span, Time};
