//! What the inner variables of disciplines may be set to from without: by `sojourn drive`, and by
//! an agent that acts in an [episode](crate::Episode).

use sojourn_base::time::LONGEST_S;
use sojourn_queue::{AnyDiscipline, Packet};

/// The largest packet that is driven, in bytes.
pub(crate) const LARGEST: u64 = 1_000_000_000;

/// Refuses what no variable of this name comes to: a round robin would take turns without end until
/// a deficit is paid, a control law would take steps without end. A discipline from outside knows
/// itself what its variables may be.
pub(crate) fn may_be<P: Packet>(
    discipline: &AnyDiscipline<P>,
    variable: &str,
    value: f64,
) -> Result<(), String> {
    if matches!(discipline, AnyDiscipline::Custom(_)) {
        return Ok(());
    }
    let (least, most) = match variable.rsplit('.').next().unwrap_or(variable) {
        // As far as the largest packet brings it.
        "deficit" => (-(LARGEST as f64), LARGEST as f64),
        // Linux's RED counts from -1 on.
        "count" | "lastcount" => (-1.0, f64::from(u32::MAX)),
        "drop_next" | "first_above" | "qdelay" | "qdelay_old" | "burst" | "burst_allowance" => {
            (0.0, LONGEST_S as f64)
        }
        _ => return Ok(()),
    };
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(format!(
        "found {value:?} for {variable}; allowed: {least} to {most}"
    ))
}
