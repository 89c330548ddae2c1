//! When Linux returns to its normal state (`TCP_CA_Open`), which it tells modules through
//! `set_state`.

use crate::cc::AckSample;
use crate::sender::State;

/// Finds the acknowledgements with which Linux returns to its normal state.
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
    /// Whether this acknowledgement does so. At the end of a recovery it does for a moment, even if
    /// something is still out of order.
    pub fn opens(&mut self, ack: &AckSample) -> bool {
        let now = (ack.state, ack.is_open());
        let (state, was_open) = core::mem::replace(&mut self.before, now);
        ack.state == State::Open && (state != State::Open || (ack.is_open() && !was_open))
    }
}
