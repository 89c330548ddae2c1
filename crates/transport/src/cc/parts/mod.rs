//! Parts that controllers share.

pub mod hystart;
pub mod rounds;
pub mod window;

pub use hystart::{HyStart, SlowStart};
pub use rounds::{RoundRtt, Rounds};
pub use window::Window;
