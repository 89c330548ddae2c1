//! The packet-level engine. One simulation is one value.
//!
//! | module | holds |
//! | --- | --- |
//! | [`packet`] | the simulated packet, a small value |
//! | [`flow`] | what sends packets, and over what |
//! | [`connection`] | the two ends of TCP under a flow |
//! | [`calendar`] | the event calendar |
//! | `handover` | links whose deliveries to the next link need no event |
//! | `train` | the packets that one link has sent to similar links (`unordered`: those for a round) |
//! | `round` | taking the packets of a train out flow by flow |
//! | `ring` | a first-in first-out ring, for packets and the like |
//! | `wheel` | buckets by time, for what comes later |
//! | [`ledger`] | the books of links and flows, and what is wrong when they do not balance |
//! | [`link`] | a link: discipline, device queue, transmitter, packets in flight |
//! | [`open_loop`] | one link under arrivals that are handed in |
//! | [`routes`] | shortest paths over a directed graph |
//! | [`observer`] | how measurement and traces look on |
//! | [`simulation`] | the run loop |
//! | [`watch`] | how a caller ends a run early and sees how far it is |
//!
//! # How packets move
//!
//! A straightforward simulator has an event for every packet at every link. This engine has far
//! fewer. When a link begins to send a packet, the instant at which the packet will arrive at the
//! next link is known. So the packet is passed on at once, stamped with that instant, and no event
//! is needed for its delivery. The next link later works out what has happened there meanwhile, at
//! the exact instants. The terms for this (see `handover`):
//!
//! - A link *announces* a packet when it passes the packet on to the next link before the packet
//!   arrives there.
//! - A link *hands over* if it announces every packet when its transmission begins or earlier. A
//!   link *gathers* if all its packets are announced by links that hand over.
//! - A link *catches up* to an instant by working out all arrivals, departures and timers that are
//!   due there up to that instant.
//! - A queue *knows its departures* if it knows, as soon as a packet arrives, when the transmission
//!   of that packet will begin (`link/known_departures.rs`). Where the discipline decides at
//!   dequeue, it decides on the *heads*: each packet when it is at the head of the queue
//!   (`link/heads.rs`).
//! - Something is *foreseen* if it is known before it happens: that the discipline will let a
//!   waiting packet leave, or all that will arrive at a link up to some instant, because all of it
//!   has been sent.
//!
//! The *books* are the ledgers of links and flows (see `ledger`):
//!
//! - A *lane* is one direction of a flow. Each has books of its own.
//! - To *book* is to enter an arrival, a wait or a departure into the books, in some cases ahead of
//!   its time.
//! - To *close the books* at an instant is to bring them to the state in which they contain all
//!   that happened before it. They are closed whenever somebody looks at them, and opened again
//!   afterwards.
//!
//! Packets are also grouped (see `train` and `round`):
//!
//! - A *train* consists of the packets on their way through similar links behind one link, in the
//!   order in which they will come out of those links. Only the first of them is in a calendar.
//! - A *track* belongs to a link: it tells which train goes through the link, and whether a packet
//!   may join that train now.
//! - In a *round* the packets of a train are taken out flow by flow instead of in the order of
//!   time. Each flow has one *turn*.
//! - A link is *apart* while whatever comes out of it affects only its own flow until it arrives at
//!   a link that flows share.
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
pub use sojourn_traffic::Begun;
pub use watch::Watch;

/// The index of a node, in the order of declaration.
pub type NodeId = u32;
/// The index of a link, in the order of declaration.
pub type LinkId = u32;
/// The index of a flow, in the order of declaration.
pub type FlowId = u32;
