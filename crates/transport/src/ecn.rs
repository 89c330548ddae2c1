//! How marks are fed back, and how a scenario asks for it.

use sojourn_base::{Fault, Quantity, Scalar};

use crate::cc::Needs;

/// How marks are fed back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum EcnMode {
    /// Packets are not ECN-capable.
    #[default]
    Off,
    /// RFC 3168: the echo continues until the sender says that it has reduced its window.
    Classic,
    /// RFC 8257, 3.2: the echo reports the marks of the acknowledged segments.
    Dctcp,
    /// RFC 9768, idealised: every acknowledgement carries the count of marked bytes.
    Accurate,
}

/// What the key `ecn` of a transport asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum EcnChoice {
    /// `true`: ECN with the feedback that the controller needs, classic where it needs none.
    On,
    /// This feedback, whatever the controller needs.
    Mode(EcnMode),
}

impl EcnChoice {
    /// The feedback of a connection whose controller has `needs`.
    pub fn resolve(self, needs: &Needs) -> EcnMode {
        match self {
            Self::On if needs.ecn == EcnMode::Off => EcnMode::Classic,
            Self::On => needs.ecn,
            Self::Mode(mode) => mode,
        }
    }
}

impl Quantity for EcnChoice {
    const ALLOWED: &'static str = "true (as the controller needs, else \"classic\"), false (\"off\"), \"classic\", \"dctcp\" or \
         \"accurate\"";
    const SCHEMA: &'static str =
        r#"{"enum": [true, false, "auto", "off", "classic", "dctcp", "accurate"]}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        match scalar {
            Scalar::Flag(true) => Ok(Self::On),
            Scalar::Flag(false) | Scalar::Text("off") => Ok(Self::Mode(EcnMode::Off)),
            Scalar::Text("classic") => Ok(Self::Mode(EcnMode::Classic)),
            Scalar::Text("dctcp") => Ok(Self::Mode(EcnMode::Dctcp)),
            Scalar::Text("accurate") => Ok(Self::Mode(EcnMode::Accurate)),
            other => Err(Self::fault(other)),
        }
    }
}
