//! Trace writers: what happens to every packet, in the formats that others read.
//!
//! Traces are an export. No metric is derived from them here.

pub mod ns2;

pub use ns2::Ns2Trace;
