//! Explicit congestion notification: the two bits of the IP header (RFC 3168, section 5).

/// The ECN codepoint of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum Ecn {
    /// `00`: the transport does not understand marks; it must be told by a drop.
    #[default]
    NotEct = 0b00,
    /// `01`: ECN-capable; with RFC 9331 the sign of a scalable (L4S) sender.
    Ect1 = 0b01,
    /// `10`: ECN-capable, classic.
    Ect0 = 0b10,
    /// `11`: congestion experienced.
    Ce = 0b11,
}

impl Ecn {
    /// Its name, as the RFC and the Python package have it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotEct => "NOT_ECT",
            Self::Ect1 => "ECT1",
            Self::Ect0 => "ECT0",
            Self::Ce => "CE",
        }
    }

    /// As our tables of packets and `sojourn drive` have it, unlike its [`name`](Self::name).
    pub const fn word(self) -> &'static str {
        match self {
            Self::NotEct => "not",
            Self::Ect1 => "ect1",
            Self::Ect0 => "ect0",
            Self::Ce => "ce",
        }
    }

    /// The codepoint of a [`word`](Self::word).
    pub fn of_word(word: &str) -> Option<Self> {
        let all = [Self::NotEct, Self::Ect1, Self::Ect0, Self::Ce];
        all.into_iter().find(|ecn| ecn.word() == word)
    }

    /// Whether a queue may mark this packet instead of dropping it. A packet that is already
    /// marked may be marked again.
    pub const fn is_capable(self) -> bool {
        !matches!(self, Self::NotEct)
    }

    /// Whether the packet is one of a scalable (L4S) sender, as far as a queue can tell: ECT(1), or
    /// CE, which may have been ECT(1) before (RFC 9331, section 5.1).
    pub const fn is_scalable(self) -> bool {
        matches!(self, Self::Ect1 | Self::Ce)
    }
}
