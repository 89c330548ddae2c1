//! Parts that several disciplines are made of.

pub mod ecn;
pub mod fifo;

pub use fifo::Fifo;
