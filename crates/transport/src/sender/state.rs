//! The states of a sender, and what it counts.

/// The state of a sender's congestion control.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum State {
    /// Nothing is wrong.
    #[default]
    Open,
    /// It has answered an echo of a mark, and not all data sent before that is acknowledged.
    Cwr,
    /// Fast recovery.
    Recovery,
    /// Slow start after a timeout, or Tahoe's after a fast retransmit.
    Loss,
}

impl State {
    /// Its name in the driver's protocol.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Cwr => "cwr",
            Self::Recovery => "recovery",
            Self::Loss => "loss",
        }
    }
}

/// What has happened so far, for tables and ledgers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Segments sent, all kinds.
    pub segments: u64,
    /// Of these, segments sent again.
    pub retransmits: u64,
    /// Payload bytes sent again.
    pub retransmitted_bytes: u64,
    /// Expiries of the retransmission timer.
    pub timeouts: u64,
    /// Fast retransmits: recoveries begun.
    pub recoveries: u64,
    /// Reductions for an echo of marks.
    pub ecn_reductions: u64,
    /// Probes of the tail.
    pub probes: u64,
    /// RTT samples taken.
    pub rtt_samples: u64,
    /// Their sum, picoseconds.
    pub rtt_sum: u128,
}

/// A probe of the tail that is not yet accounted for (RFC 8985, 7.4).
#[derive(Debug, Clone, Copy)]
pub(super) struct Probe {
    pub(super) end: u64,
    pub(super) is_retransmission: bool,
}
