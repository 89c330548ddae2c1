//! Independent parts of loss recovery.

pub mod prr;
pub mod rack;

pub use prr::{Prr, PrrKind, PrrMode};
pub use rack::Rack;
