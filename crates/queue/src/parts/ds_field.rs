//! The parameter that chooses packets by bits of their differentiated-services field, written as
//! in `tc`: `"0x1/0x3"`.

use sojourn_base::{Fault, Quantity, Scalar};

use crate::Packet;

/// Packets by their differentiated-services field, which is the codepoint and, in its two lowest
/// bits, ECN's: those in which the bits of the mask are those of the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DsField {
    value: u8,
    mask: u8,
}

impl DsField {
    /// Whether `packet` is one of these.
    pub fn has(self, packet: &impl Packet) -> bool {
        let field = packet.dscp() << 2 | packet.ecn() as u8;
        field & self.mask == self.value
    }
}

impl Quantity for DsField {
    const ALLOWED: &'static str =
        "a value and a mask of 8 bits such as \"0x1/0x3\", the value within the mask";
    const SCHEMA: &'static str =
        r#"{"type": "string", "pattern": "^(0x[0-9a-fA-F]+|[0-9]+)/(0x[0-9a-fA-F]+|[0-9]+)$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        let Scalar::Text(text) = scalar else {
            return Err(Self::fault(scalar));
        };
        let byte = |text: &str| match text.strip_prefix("0x") {
            Some(hex) => u8::from_str_radix(hex, 16).ok(),
            None => text.parse().ok(),
        };
        text.split_once('/')
            .and_then(|(value, mask)| Some((byte(value)?, byte(mask)?)))
            .filter(|(value, mask)| *mask > 0 && value & !mask == 0)
            .map(|(value, mask)| Self { value, mask })
            .ok_or_else(|| Self::fault(scalar))
    }
}
