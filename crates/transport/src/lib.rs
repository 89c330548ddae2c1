//! TCP as a pure state machine, and its congestion controllers.
//!
//! No module here has a clock, I/O, a global or a random generator of its own: the present instant
//! and segments or acknowledgements go in, segments and the time of the next timer come out. So the
//! same code runs in the simulator, under the driver and under a test that owns the clock.
//!
//! | module | holds |
//! | --- | --- |
//! | [`wire`] | [`Segment`] and [`Ack`]: what the two ends tell each other |
//! | [`ecn`] | how marks are fed back |
//! | [`params`] | [`TcpParams`], the table of a scenario file, and [`Config`], the same resolved |
//! | [`window`] | [`Window`]: how a scenario asks for one |
//! | [`sender`] | [`Sender`]: what may be sent, when, and what an acknowledgement means |
//! | [`receiver`] | [`Receiver`]: bytes in order, acknowledgements, echoes of marks |
//! | [`scoreboard`] | what is in flight, segment by segment, and `pipe` (RFC 6675) |
//! | [`rtt`] | SRTT, RTTVAR and RTO (RFC 6298) |
//! | [`wheel`] | when timers of Linux expire |
//! | [`recovery`] | PRR (RFC 9937) and RACK (RFC 8985) |
//! | [`rate`] | delivery-rate samples for BBR |
//! | [`cc`] | [`CongestionControl`] and the controllers, one file each |
//!
//! Adding a controller is a file in `cc/` and a line in [`cc::registry`].
//!
//! **Units**: sequence numbers are 64-bit byte offsets that never wrap. The SYN, where there is a
//! handshake, is number 0; the first byte of data is number 1; a FIN takes the number after the
//! last byte. Windows are bytes here and segments inside the controllers.
//!
//! **Unverified.** The sections that the files cite were read in the RFCs themselves, except those
//! of RFC 9406, 9438, 9768 and 9937, of which only drafts and quotations were available, and of RFC
//! 2581, 2861, 2988 and 3782. The behaviour of ns-2 was checked against its source and against
//! deterministic runs (`tests/ns2.rs`).

pub mod cc;
pub mod ecn;
#[cfg(test)]
mod fast_path_tests;
mod pacing;
pub mod params;
pub mod rate;
pub mod receiver;
pub mod recovery;
pub mod rtt;
pub mod scoreboard;
pub mod sender;
pub mod wheel;
pub mod window;
pub mod wire;

pub use cc::{
    AckSample, AnyController, BuildError, CONTROLLERS, CongestionControl, Entry, LossEvent,
    LossKind, Start, build, find,
};
pub use ecn::{EcnChoice, EcnMode};
pub use params::{Config, TcpParams};
pub use receiver::{Arrival, Received, Receiver};
pub use sender::{Burst, Sender, State};
pub use window::{InitialWindow, Window};
pub use wire::{Ack, Outbox, SackBlocks, Segment};
