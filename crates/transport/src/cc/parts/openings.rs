//! When Linux comes back to its state of all being well: what it tells modules as `set_state`.

use crate::cc::AckSample;
use crate::sender::State;

/// Finds the acknowledgements with which it does.
#[derive(Debug, Clone, Copy)]
pub struct Openings {
    /// The state after the last acknowledgement, and whether all was well then.
    before: (State, bool),
}

impl Default for Openings {
    fn default() -> Self {
        Self {
            before: (State::Open, true),
        }
    }
}

impl Openings {
    /// Whether this one does; at the end of a recovery even if something is out of order still, for
    /// a moment then.
    pub fn opens(&mut self, ack: &AckSample) -> bool {
        let now = (ack.state, ack.is_open());
        let (state, was_open) = core::mem::replace(&mut self.before, now);
        ack.state == State::Open && (state != State::Open || (ack.is_open() && !was_open))
    }
}
