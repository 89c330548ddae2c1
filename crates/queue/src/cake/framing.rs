//! What a packet costs on the link below: overhead, smallest size, cells.

use sojourn_base::decimal::split_unit;
use sojourn_base::{Auto, Bytes, Fault, Quantity, Scalar, choices};

choices! {
    /// What lies below, by the keywords of `tc-cake(8)`.
    pub enum Framing {
        /// Nothing is added.
        Raw = "raw",
        /// More than any: 48 bytes and ATM cells.
        Conservative = "conservative",
        /// Ethernet with preamble, checksum and gap: 38 bytes, at least 84.
        Ethernet = "ethernet",
        /// Cable modems: 18 bytes, at least 64.
        Docsis = "docsis",
        /// VDSL2 with PPPoE: 30 bytes, PTM.
        PppoePtm = "pppoe-ptm",
        /// VDSL2 bridged: 22 bytes, PTM.
        BridgedPtm = "bridged-ptm",
        /// ADSL, IP over ATM, multiplexed by circuit: 8 bytes.
        IpoaVcmux = "ipoa-vcmux",
        /// ADSL, IP over ATM with LLC: 16 bytes.
        IpoaLlcsnap = "ipoa-llcsnap",
        /// ADSL, bridged, multiplexed by circuit: 24 bytes.
        BridgedVcmux = "bridged-vcmux",
        /// ADSL, bridged with LLC: 32 bytes.
        BridgedLlcsnap = "bridged-llcsnap",
        /// ADSL, PPP over ATM, multiplexed by circuit: 10 bytes.
        PppoaVcmux = "pppoa-vcmux",
        /// ADSL, PPP over ATM with LLC: 14 bytes.
        PppoaLlc = "pppoa-llc",
        /// ADSL, PPPoE, multiplexed by circuit: 32 bytes.
        PppoeVcmux = "pppoe-vcmux",
        /// ADSL, PPPoE with LLC: 40 bytes.
        PppoeLlcsnap = "pppoe-llcsnap",
    }
}

choices! {
    /// What packets are cut into.
    pub enum Cells {
        /// Nothing.
        Noatm = "noatm",
        /// Cells of 53 bytes that carry 48.
        Atm = "atm",
        /// A byte more for each 64 (VDSL2).
        Ptm = "ptm",
    }
}

impl Framing {
    /// Bytes added to each packet, the least it counts for, its cells.
    const fn parts(self) -> (i64, u64, Cells) {
        match self {
            Self::Raw => (0, 0, Cells::Noatm),
            Self::Conservative => (48, 0, Cells::Atm),
            Self::Ethernet => (38, 84, Cells::Noatm),
            Self::Docsis => (18, 64, Cells::Noatm),
            Self::PppoePtm => (30, 0, Cells::Ptm),
            Self::BridgedPtm => (22, 0, Cells::Ptm),
            Self::IpoaVcmux => (8, 0, Cells::Atm),
            Self::IpoaLlcsnap => (16, 0, Cells::Atm),
            Self::BridgedVcmux => (24, 0, Cells::Atm),
            Self::BridgedLlcsnap | Self::PppoeVcmux => (32, 0, Cells::Atm),
            Self::PppoaVcmux => (10, 0, Cells::Atm),
            Self::PppoaLlc => (14, 0, Cells::Atm),
            Self::PppoeLlcsnap => (40, 0, Cells::Atm),
        }
    }
}

/// Bytes added to each packet, or taken from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overhead(pub i64);

impl Quantity for Overhead {
    const ALLOWED: &'static str = "a whole size from \"-64 B\" to \"256 B\"";
    const SCHEMA: &'static str = r#"{"type": "string", "pattern": "^-?[0-9]+ ?B$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        match scalar {
            Scalar::Text(text) => split_unit(text)
                .filter(|(_, unit)| *unit == "B")
                .map(|(number, _)| number.as_f64()),
            Scalar::Base(bytes) => Some(bytes),
            _ => None,
        }
        .filter(|bytes| *bytes == bytes.trunc() && (-64.0..=256.0).contains(bytes))
        .map(|bytes| Self(bytes as i64))
        .ok_or_else(|| Self::fault(scalar))
    }
}

/// The rule by which packets are charged.
#[derive(Debug, Clone, Copy)]
pub(super) struct Charge {
    overhead: i64,
    least: u64,
    cells: Cells,
}

impl Charge {
    /// The rule of `framing`, but for what is given.
    pub(super) fn new(
        framing: Framing,
        overhead: Auto<Overhead>,
        mpu: Auto<Bytes>,
        cells: Auto<Cells>,
    ) -> Self {
        let (usual_overhead, usual_least, usual_cells) = framing.parts();
        Self {
            overhead: overhead.given().map_or(usual_overhead, |given| given.0),
            least: mpu.given().map_or(usual_least, Bytes::get),
            cells: cells.given().unwrap_or(usual_cells),
        }
    }

    /// What a packet of `size` counts for.
    pub(super) fn of(&self, size: Bytes) -> Bytes {
        let framed = size.get().saturating_add_signed(self.overhead);
        let padded = framed.max(self.least);
        Bytes::new(match self.cells {
            Cells::Noatm => padded,
            Cells::Atm => padded.div_ceil(48) * 53,
            Cells::Ptm => padded + padded.div_ceil(64),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn charged(framing: &str, size: u64) -> u64 {
        let framing = Framing::read(Scalar::Text(framing)).unwrap();
        let charge = Charge::new(framing, Auto::Auto, Auto::Auto, Auto::Auto);
        charge.of(Bytes::new(size)).get()
    }

    /// By hand: 1500 + 40 bytes are 33 cells; 40 + 40 are two; an ACK on Ethernet is padded.
    #[test]
    fn packets_cost_what_the_link_below_makes_of_them() {
        assert_eq!(charged("raw", 1500), 1500);
        assert_eq!(charged("ethernet", 1500), 1538);
        assert_eq!(charged("ethernet", 40), 84);
        assert_eq!(charged("docsis", 40), 64);
        assert_eq!(charged("pppoe-llcsnap", 1500), 33 * 53);
        assert_eq!(charged("pppoe-llcsnap", 40), 2 * 53);
        assert_eq!(charged("ipoa-vcmux", 40), 53);
        assert_eq!(charged("bridged-ptm", 1500), 1522 + 24);
        assert_eq!(charged("conservative", 1500), 33 * 53);
    }

    #[test]
    fn what_is_given_wins_over_the_keyword() {
        let overhead = Overhead::read(Scalar::Text("-14 B")).unwrap();
        let charge = Charge::new(
            Framing::Ethernet,
            Auto::Given(overhead),
            Auto::Given(Bytes::new(64)),
            Auto::Given(Cells::Atm),
        );
        assert_eq!(charge.of(Bytes::new(1514)).get(), 32 * 53);
        assert_eq!(charge.of(Bytes::new(10)).get(), 2 * 53, "64 bytes");
    }

    #[test]
    fn overheads_are_whole_and_bounded() {
        for bad in ["257 B", "-65 B", "1.5 B", "8", "1 kB"] {
            assert!(Overhead::read(Scalar::Text(bad)).is_err(), "{bad}");
        }
        assert_eq!(Overhead::read(Scalar::Base(-64.0)), Ok(Overhead(-64)));
    }
}
