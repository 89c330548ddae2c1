//! The check of the time between two updates.

use sojourn_base::{ParamFault, Span};

/// Shorter ones are a slip of the pen: the updates of an idle queue would take for ever.
const SHORTEST: Span = Span::from_us(1);

/// Refuses a period that is too short to be meant.
///
/// # Errors
/// That of the parameter `name`.
pub fn check_period(name: &'static str, period: Span) -> Result<(), ParamFault> {
    if period < SHORTEST {
        let allowed = format!("a time of at least {SHORTEST}");
        return Err(ParamFault::new(name, period, allowed));
    }
    Ok(())
}
