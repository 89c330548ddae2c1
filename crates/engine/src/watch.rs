//! Who waits for a run, in another thread perhaps: ends it early, sees how far it is.

use std::sync::atomic::{AtomicBool, Ordering};

use sojourn_base::Time;

/// Is asked now and then whether a run goes on.
pub trait Watch {
    /// Whether it does. What happens next happens at `now`.
    fn goes_on(&self, now: Time) -> bool;
}

/// A flag, raised to end it.
impl Watch for AtomicBool {
    fn goes_on(&self, _: Time) -> bool {
        !self.load(Ordering::Relaxed)
    }
}
