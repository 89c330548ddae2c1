//! Parts of loss recovery that stand on their own.

pub mod prr;
pub mod rack;

pub use prr::{Prr, PrrKind, PrrMode};
pub use rack::Rack;
