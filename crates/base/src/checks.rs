//! Checks that many parameter tables need, so that all say the same.

use crate::{Auto, Bytes, ParamFault, Span};

/// Refuses a size of nothing.
///
/// # Errors
/// That of the parameter `name`.
pub fn above_zero(name: &'static str, size: Bytes) -> Result<(), ParamFault> {
    if size == Bytes::ZERO {
        return Err(ParamFault::new(name, size, "a size above zero"));
    }
    Ok(())
}

/// Refuses a size of nothing where one is given.
///
/// # Errors
/// That of the parameter `name`.
pub fn auto_above_zero(name: &'static str, size: Auto<Bytes>) -> Result<(), ParamFault> {
    if size == Auto::Given(Bytes::ZERO) {
        let allowed = "\"auto\" or a size above zero";
        return Err(ParamFault::new(name, Bytes::ZERO, allowed));
    }
    Ok(())
}

/// Refuses a time of nothing.
///
/// # Errors
/// That of the parameter `name`.
pub fn time_above_zero(name: &'static str, time: Span) -> Result<(), ParamFault> {
    if time == Span::ZERO {
        return Err(ParamFault::new(name, time, "a time above zero"));
    }
    Ok(())
}

/// Refuses a number below zero.
///
/// # Errors
/// That of the parameter `name`.
pub fn not_negative(name: &'static str, number: f64) -> Result<(), ParamFault> {
    if number < 0.0 {
        return Err(ParamFault::new(name, number, "a number of zero or more"));
    }
    Ok(())
}

/// Refuses zero and numbers below.
///
/// # Errors
/// That of the parameter `name`.
pub fn positive(name: &'static str, number: f64) -> Result<(), ParamFault> {
    if number <= 0.0 {
        return Err(ParamFault::new(name, number, "a number above zero"));
    }
    Ok(())
}
