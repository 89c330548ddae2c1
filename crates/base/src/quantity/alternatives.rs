//! A value, or a word that stands for none: `"auto"`, `"none"`.

use super::{Fault, Quantity, Scalar};

/// A value, or `"auto"`: chosen from the link by a rule that the parameter's description gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Auto<T> {
    /// By the rule.
    #[default]
    Auto,
    /// As given.
    Given(T),
}

impl<T> Auto<T> {
    /// The given value, if any.
    pub fn given(self) -> Option<T> {
        match self {
            Self::Auto => None,
            Self::Given(value) => Some(value),
        }
    }

    /// The same, or where it is not given, another.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        match self {
            Self::Auto => other,
            Self::Given(_) => self,
        }
    }
}

impl<T: Quantity> Quantity for Auto<T> {
    const ALLOWED: &'static str = T::ALLOWED;
    const SCHEMA: &'static str = T::SCHEMA;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        if scalar == Scalar::Text("auto") {
            return Ok(Self::Auto);
        }
        T::read(scalar).map(Self::Given).map_err(|fault| Fault {
            allowed: format!("\"auto\" or {}", fault.allowed),
            ..fault
        })
    }
}

/// A value, or `"none"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Optional<T>(pub Option<T>);

impl<T: Quantity> Quantity for Optional<T> {
    const ALLOWED: &'static str = T::ALLOWED;
    const SCHEMA: &'static str = T::SCHEMA;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        if scalar == Scalar::Text("none") {
            return Ok(Self(None));
        }
        T::read(scalar)
            .map(|value| Self(Some(value)))
            .map_err(|fault| Fault {
                allowed: format!("\"none\" or {}", fault.allowed),
                ..fault
            })
    }
}
