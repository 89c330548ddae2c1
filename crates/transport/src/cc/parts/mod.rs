//! Parts that controllers share.

pub mod hystart;
pub mod max_filter;
pub mod min_rtt;
pub mod openings;
pub mod rounds;
pub mod window;

pub use hystart::{HyStart, SlowStart};
pub use max_filter::MaxFilter;
pub use min_rtt::MinRtt;
pub use openings::Openings;
pub use rounds::{InOrder, RoundRtt, Rounds};
pub use window::Window;
