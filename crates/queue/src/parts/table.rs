//! The check of the number of places of a table of flows.

use sojourn_base::ParamFault;

/// Most places: beyond that a table would take all memory there is, and nothing be gained by it.
const MOST: u32 = 1 << 20;

/// So many places as the parameter `name` says.
///
/// # Errors
/// More than 1,048,576.
pub fn places(name: &'static str, count: u32) -> Result<usize, ParamFault> {
    if count > MOST {
        let allowed = format!("a whole number from 1 to {MOST}");
        return Err(ParamFault::new(name, count, allowed));
    }
    Ok(count as usize)
}
