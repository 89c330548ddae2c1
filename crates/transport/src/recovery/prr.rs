//! Proportional rate reduction: RFC 9937 (which obsoletes RFC 6937).
//!
//! During recovery data is sent in proportion ssthresh / RecoverFS to what arrives, so that the
//! window is ssthresh at the end. If losses reduced the flight below that, the window grows back
//! towards ssthresh, by one more segment per acknowledgement if that is safe: the first
//! unacknowledged byte moved and no further loss was found. All amounts are in bytes.
//!
//! **Linux** (6.1): RecoverFS is the window before the reduction. **ns-3** (3.48): RecoverFS is
//! `pipe`. An acknowledgement that reports something counts for a segment more than it delivers, as
//! in RFC 9937 without SACK, until RecoverFS is reached; one that also moves the first
//! unacknowledged byte counts a second time. An acknowledgement is safe if it acknowledges a
//! retransmission. Nothing is sent while more was sent than delivered. **ns-3.37**: RecoverFS is
//! all that is outstanding, reported or not; nothing is counted that was not delivered; below
//! ssthresh one byte is sent for each that arrives unless it is safe to send more. So it sends
//! later than 3.48, which shows wherever losses are many (a 64-flow network: 10 % of the goodput).
//! Both versions multiply what was delivered by ssthresh in 32 bits. Once the product, in bytes,
//! exceeds that, as in windows of 64 segments of 1448 bytes that halve, the share starts again from
//! zero, and nothing is sent until it has caught up or `pipe` is down to ssthresh.
//!
//! Sections 3 and 3.1 of RFC 6937 were read. Unverified: what RFC 9937 changed, its definition of
//! RecoverFS and the rule for a safe acknowledgement, is taken from ns-3's quotations of its
//! sections 6.1 and 6.2.

use sojourn_base::{Fault, Preset, Quantity, Scalar};

/// Whether a connection uses proportional rate reduction, and which variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PrrMode {
    /// No.
    Off,
    /// The variant of the preset.
    #[default]
    On,
    /// The variant of ns-3.37.
    Ns337,
}

impl Quantity for PrrMode {
    const ALLOWED: &'static str = "true, false or \"ns-3.37\"";
    const SCHEMA: &'static str = r#"{"enum": [true, false, "ns-3.37"]}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        match scalar {
            Scalar::Flag(false) => Ok(Self::Off),
            Scalar::Flag(true) => Ok(Self::On),
            Scalar::Text("ns-3.37") => Ok(Self::Ns337),
            other => Err(Self::fault(other)),
        }
    }
}

/// A variant of PRR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PrrKind {
    /// RFC 9937's.
    #[default]
    Standard,
    /// That of Linux.
    Linux,
    /// That of ns-3.
    Ns3,
    /// That of ns-3.37.
    Ns337,
}

impl PrrKind {
    /// The variant under a preset.
    pub const fn of(mode: PrrMode, preset: Preset) -> Self {
        match (mode, preset) {
            (PrrMode::Ns337, _) => Self::Ns337,
            (_, Preset::Linux) => Self::Linux,
            (_, Preset::Ns3) => Self::Ns3,
            (_, Preset::Reference | Preset::Ns2) => Self::Standard,
        }
    }
}

/// What RecoverFS may be computed from, bytes.
#[derive(Debug, Clone, Copy)]
pub struct AtEntry {
    /// What this recovery can still deliver: RFC 9937's RecoverFS.
    pub deliverable: u64,
    /// The window before the reduction.
    pub window: u64,
    /// Sent and not acknowledged.
    pub outstanding: u64,
    /// Bytes in flight.
    pub pipe: u64,
}

/// The state of one recovery.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prr {
    kind: PrrKind,
    recover_fs: u64,
    delivered: u64,
    out: u64,
    ssthresh: u64,
}

/// What one acknowledgement brought.
#[derive(Debug, Clone, Copy)]
pub struct Delivery {
    /// Bytes newly delivered.
    pub delivered: u64,
    /// Bytes in flight after it.
    pub pipe: u64,
    /// The first unacknowledged byte moved and no loss was newly found.
    pub safe: bool,
    /// A block reported something new.
    pub reports: bool,
}

impl Prr {
    /// A recovery begins. Where most of the flight was reported before, what it can still deliver
    /// can be less than ssthresh: then one byte goes out for each that arrives. A larger share
    /// would let every round trip send more than the one before.
    pub fn start(kind: PrrKind, at: &AtEntry, ssthresh: u64) -> Self {
        let recover_fs = match kind {
            PrrKind::Standard => at.deliverable,
            PrrKind::Linux => at.window,
            PrrKind::Ns3 => at.pipe,
            PrrKind::Ns337 => at.outstanding,
        };
        Self {
            kind,
            recover_fs: recover_fs.max(ssthresh).max(1),
            delivered: 0,
            out: 0,
            ssthresh,
        }
    }

    /// The window after an acknowledgement; none where it delivered nothing.
    pub fn on_ack(&mut self, ack: &Delivery, mss: u64) -> Option<u64> {
        let mut delivered = ack.delivered;
        if self.kind == PrrKind::Ns3 && ack.reports && self.delivered < self.recover_fs {
            delivered += mss;
        }
        if delivered == 0 {
            return None;
        }
        self.delivered += delivered;
        let sent = i128::from(self.out);
        let mut may = if ack.pipe > self.ssthresh {
            let due = u128::from(self.delivered) * u128::from(self.ssthresh);
            let due = if self.is_ns3() { due % (1 << 32) } else { due };
            let due = due.div_ceil(u128::from(self.recover_fs));
            i128::try_from(due).unwrap_or(i128::MAX) - sent
        } else {
            let room = self.ssthresh - ack.pipe;
            // A threshold that has underflowed (YeAH) leaves ns-3 no room at all. Where nothing is
            // in flight, no acknowledgement would ever give any: then something goes here.
            let room = match u32::try_from(room) {
                Ok(room) if self.is_ns3() && ack.pipe > 0 => i128::from(room.cast_signed()),
                _ => i128::from(room),
            };
            self.below_ssthresh(delivered, ack.safe, mss).min(room)
        };
        // The fast retransmit itself always goes, in ns-3 a whole segment of whatever is next.
        if self.out == 0 && (may <= 0 || (self.is_ns3() && may < i128::from(mss))) {
            may = i128::from(mss);
        }
        Some(ack.pipe + may.max(0) as u64)
    }

    fn is_ns3(&self) -> bool {
        matches!(self.kind, PrrKind::Ns3 | PrrKind::Ns337)
    }

    /// What the reduction bound allows.
    fn below_ssthresh(&self, delivered: u64, safe: bool, mss: u64) -> i128 {
        let arrived = i128::from(delivered);
        if self.kind == PrrKind::Ns337 && !safe {
            return arrived;
        }
        let behind = i128::from(self.delivered) - i128::from(self.out);
        let limit = if self.is_ns3() && behind < 0 {
            behind
        } else {
            behind.max(arrived)
        };
        limit + if safe { i128::from(mss) } else { 0 }
    }

    /// `bytes` were sent, new or again.
    pub fn on_sent(&mut self, bytes: u64) {
        self.out += bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MSS: u64 = 1000;

    #[test]
    fn above_ssthresh_it_never_sends_more_than_arrives() {
        // All but two segments of the flight had been reported when recovery began.
        let entry = AtEntry {
            deliverable: 2 * MSS,
            window: 12 * MSS,
            outstanding: 12 * MSS,
            pipe: 12 * MSS,
        };
        let mut prr = Prr::start(PrrKind::Standard, &entry, 10 * MSS);
        let mut pipe = 12 * MSS;
        for _ in 0..100 {
            let delivery = Delivery {
                delivered: MSS,
                pipe: pipe - MSS,
                safe: false,
                reports: true,
            };
            let window = prr.on_ack(&delivery, MSS).unwrap_or(0);
            let sent = window - delivery.pipe;
            prr.on_sent(sent);
            assert!(sent <= MSS, "{sent} B for {MSS} B");
            pipe = window;
        }
    }
}
