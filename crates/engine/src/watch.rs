//! How a caller, perhaps in another thread, ends a run early and sees how far it is.

use std::sync::atomic::{AtomicBool, Ordering};

use sojourn_base::Time;

/// Is asked from time to time whether a run goes on.
pub trait Watch {
    /// Whether the run goes on. What happens next happens at `now`.
    fn goes_on(&self, now: Time) -> bool;
}

/// A flag; raising it ends the run.
impl Watch for AtomicBool {
    fn goes_on(&self, _: Time) -> bool {
        !self.load(Ordering::Relaxed)
    }
}
