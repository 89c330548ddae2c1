//! Traces written, and captures read.
//!
//! | module | holds |
//! | --- | --- |
//! | [`ns2`] | the trace of ns-2, line by line |
//! | [`capture`] | captures of links, as a device sees its packets |
//! | [`pcapng`] | their container |
//! | [`frames`] | real packets for simulated ones |
//! | [`events`] | every packet's way through every queue, with what a discipline decided by |
//! | [`reason`](fn@reason) | why a file cannot be read or written, in words |
//! | [`arrivals`] | what arrives, read from captures and tables |
//!
//! Traces are an export. No metric is derived from them here.

pub mod arrivals;
pub mod capture;
pub mod events;
pub mod frames;
pub mod ns2;
pub mod pcapng;
mod reason;

pub use arrivals::{Arrival, Arrivals};
pub use capture::PcapngTrace;
pub use events::EventLog;
pub use ns2::Ns2Trace;
pub use reason::reason;
