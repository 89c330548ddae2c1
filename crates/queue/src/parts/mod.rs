//! Parts that several disciplines are made of.

pub mod ecn;
pub mod fifo;
pub mod hash;
pub mod linux_red;
pub mod red_law;

pub use fifo::Fifo;
