//! Proportional rate reduction: RFC 9937 (which obsoletes RFC 6937).
//!
//! During recovery data goes out in proportion ssthresh / RecoverFS to what arrives, so that the
//! window lands on ssthresh at the end. Where losses took more than that, the window grows back
//! towards ssthresh, by one more segment per acknowledgement where that is safe: the first
//! unacknowledged byte moved and no further loss was found. Bytes throughout.
//!
//! **Linux** (6.1): RecoverFS is the window before the reduction. **ns-3** (3.48): RecoverFS is
//! `pipe`; an acknowledgement that reports something counts for a segment more than it delivers, as
//! RFC 9937 has it without SACK, until RecoverFS is reached; one that moves the first unacknowledged
//! byte as well counts a second time; and nothing goes out while more was sent than delivered.
//!
//! Unverified: the text of RFC 9937 itself was not at hand; its definition of RecoverFS and the rule
//! for a safe acknowledgement are taken from quotations of it and from ns-3.

/// Whose PRR.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PrrKind {
    /// RFC 9937's.
    #[default]
    Standard,
    /// That of Linux.
    Linux,
    /// That of ns-3.
    Ns3,
}

/// What RecoverFS may be reckoned from, bytes.
#[derive(Debug, Clone, Copy)]
pub struct AtEntry {
    /// What this recovery can still deliver: RFC 9937's RecoverFS.
    pub deliverable: u64,
    /// The window before the reduction.
    pub window: u64,
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
        let ns3 = self.kind == PrrKind::Ns3;
        let mut delivered = ack.delivered;
        if ns3 && ack.reports && self.delivered < self.recover_fs {
            delivered += mss;
        }
        if delivered == 0 {
            return None;
        }
        self.delivered += delivered;
        let sent = i128::from(self.out);
        let mut may = if ack.pipe > self.ssthresh {
            let due = u128::from(self.delivered) * u128::from(self.ssthresh);
            let due = due.div_ceil(u128::from(self.recover_fs));
            i128::try_from(due).unwrap_or(i128::MAX) - sent
        } else {
            let mut limit = i128::from(self.delivered) - sent;
            if !ns3 || limit >= 0 {
                limit = limit.max(i128::from(delivered));
            }
            if ack.safe {
                limit += i128::from(mss);
            }
            limit.min(i128::from(self.ssthresh - ack.pipe))
        };
        // The fast retransmit itself always goes.
        if self.out == 0 && may <= 0 {
            may = i128::from(mss);
        }
        Some(ack.pipe + may.max(0) as u64)
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
