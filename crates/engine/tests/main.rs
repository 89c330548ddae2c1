//! The tests of networks, as one program, but for `no_allocation.rs`, whose allocator counts.

mod bench;
mod changes;
mod handover;
mod jitter;
mod losses;
mod network;
mod rounds;
mod scale;
mod wires;
