//! Checks that several disciplines need.

use sojourn_base::{ParamFault, Span};

/// A shorter period is a typing error: the updates of an idle queue would take for ever.
const SHORTEST_PERIOD: Span = Span::from_us(1);

/// Most places of a table of flows: beyond that it would take all memory there is, and nothing be
/// gained by it.
const MOST_PLACES: u32 = 1 << 20;

/// Refuses a period that is too short to be meant.
///
/// # Errors
/// That of the parameter `name`.
pub fn check_period(name: &'static str, period: Span) -> Result<(), ParamFault> {
    if period < SHORTEST_PERIOD {
        let allowed = format!("a time of at least {SHORTEST_PERIOD}");
        return Err(ParamFault::new(name, period, allowed));
    }
    Ok(())
}

/// So many places of a table of flows as the parameter `name` says.
///
/// # Errors
/// More than 1,048,576.
pub fn places(name: &'static str, count: u32) -> Result<usize, ParamFault> {
    if count > MOST_PLACES {
        let allowed = format!("a whole number from 1 to {MOST_PLACES}");
        return Err(ParamFault::new(name, count, allowed));
    }
    Ok(count as usize)
}
