//! The packet-level engine. One simulation is one value.
//!
//! | module | holds |
//! | --- | --- |
//! | [`packet`] | the simulated packet, a small value |
//! | [`flow`] | what sends packets, and over what |
//! | [`connection`] | the two ends of TCP under a flow |
//! | [`calendar`] | the event calendar |
//! | `handover` | which links spare the delivery of a packet its event |
//! | `train` | what one link sends to many that are alike (`unordered`: for a round) |
//! | `round` | what comes out of these flow by flow |
//! | `ring` | packets and the like, first in, first out |
//! | `wheel` | buckets by time, for what comes later |
//! | [`ledger`] | the books of links and flows, and what is wrong when they do not balance |
//! | [`link`] | a link: discipline, device queue, transmitter, packets in flight |
//! | [`open_loop`] | one link under arrivals that are handed in |
//! | [`routes`] | shortest paths over a directed graph |
//! | [`observer`] | how measurement and traces look on |
//! | [`simulation`] | the run loop |
//! | [`watch`] | how a caller ends a run early and sees how far it is |
//!
//! Words that have a meaning of their own here:
//!
//! - A *lane* is a flow in one direction.
//! - A link *announces* a packet to the next one before it arrives there. Where it does so as soon
//!   as the transmission begins it *hands over*, and the next link *gathers*. That one *catches up*
//!   when it lets happen all that happens there before an instant.
//! - A queue *knows its departures* if it knows of each packet, when it comes, when its
//!   transmission begins. Where the discipline decides when packets leave, it does so on the
//!   *heads*.
//! - To *book* is to enter arrivals, waits and departures in the books. These are *closed*, so that
//!   all is in them, when somebody looks, and opened again.
//! - A *train* is what one link has sent to links that are alike. A *track* tells whether a packet
//!   may join the train through a link. In a *round* it is taken out flow by flow: each has a
//!   *turn*.
//! - A link is *apart* while what comes out of it matters to no other flow before it comes to a
//!   link that they share. What comes to a link is *foreseen* up to an instant before which all of
//!   it has been sent.
//!
//! At one instant departures come first, then deliveries, then source arrivals, then timers, each
//! in the order of declaration. This order does not depend on the order of insertion into any
//! calendar, so that saving an event never changes a result.

pub mod calendar;
pub mod connection;
pub mod flow;
mod handover;
pub mod ledger;
pub mod link;
pub mod observer;
pub mod open_loop;
pub mod packet;
mod ring;
mod round;
pub mod routes;
pub mod simulation;
mod train;
pub mod watch;
mod wheel;

pub use connection::{Connection, Tally};
pub use flow::{Flow, FlowSpec, MakeController, Traffic};
pub use ledger::{Breach, ByReason, Count, FlowBooks, Ledger};
pub use link::{Carried, Change, Changes, Jitter, Link, LinkSpec, LossLaw, Losses};
pub use observer::{Observer, Transfer};
pub use open_loop::OpenLoop;
pub use packet::{Cargo, Kind, SimPacket};
pub use simulation::{MANY_FAST_LINKS, Simulation, Stop};
pub use watch::Watch;

/// The index of a node, in the order of declaration.
pub type NodeId = u32;
/// The index of a link, in the order of declaration.
pub type LinkId = u32;
/// The index of a flow, in the order of declaration.
pub type FlowId = u32;
