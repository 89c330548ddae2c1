//! Measurement: what a run says in numbers.
//!
//! | module | holds |
//! | --- | --- |
//! | [`sketch`] | quantiles of a stream of durations within half a percent |
//! | [`meter`] | the observer that counts for flows and links, and the measurement window |
//! | [`losses`] | when losses come, and to how many flows at once |
//! | [`delays`] | how the delays of links and flows are distributed |
//! | [`tables`] | the metrics of a run as tidy columns |
//! | [`transfers`] | each transfer, its size and what it took |
//! | [`mod@concat`] | the tables of many runs as one |
//! | [`series`] | time series at a chosen interval |
//!
//! Counters count events in `[t0, t1)`. A packet's delay belongs to the window in which it is
//! received, its loss to the window in which it was sent. All rates divide by `t1 - t0`.

pub mod concat;
pub mod delays;
pub mod losses;
pub mod meter;
pub mod series;
pub mod sketch;
pub mod tables;
pub mod transfers;

pub use concat::Concat;
pub use delays::{Delays, SHARES};
pub use meter::Meter;
pub use series::{Recorder, Sample, Series};
pub use sketch::Sketch;
pub use tables::{DropRow, Table, Tables};
pub use transfers::{TransferLog, TransferRow};
