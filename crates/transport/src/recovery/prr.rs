//! Proportional rate reduction: RFC 9937 (which obsoletes RFC 6937).
//!
//! During recovery data goes out in proportion ssthresh / RecoverFS to what arrives, so that the
//! window lands on ssthresh at the end. Where losses took more than that, the window grows back
//! towards ssthresh, by one more segment per acknowledgement where that is safe: the first
//! unacknowledged byte moved and no further loss was found. Bytes throughout.
//!
//! **Linux** (6.1): RecoverFS is the window before the reduction (`from_cwnd`).
//!
//! Unverified: the text of RFC 9937 itself was not at hand; its definition of RecoverFS and the rule
//! for a safe acknowledgement are taken from quotations of it and from ns-3.

/// The state of one recovery.
#[derive(Debug, Clone, Copy, Default)]
pub struct Prr {
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
}

impl Prr {
    /// A recovery begins with `recover_fs` bytes that it can still deliver.
    pub fn start(recover_fs: u64, ssthresh: u64) -> Self {
        Self {
            recover_fs: recover_fs.max(1),
            delivered: 0,
            out: 0,
            ssthresh,
        }
    }

    /// The window after an acknowledgement; none where it delivered nothing.
    pub fn on_ack(&mut self, ack: &Delivery, mss: u64) -> Option<u64> {
        if ack.delivered == 0 {
            return None;
        }
        self.delivered += ack.delivered;
        let sent = i128::from(self.out);
        let mut may = if ack.pipe > self.ssthresh {
            let due = u128::from(self.delivered) * u128::from(self.ssthresh);
            let due = due.div_ceil(u128::from(self.recover_fs));
            i128::try_from(due).unwrap_or(i128::MAX) - sent
        } else {
            let mut limit = (i128::from(self.delivered) - sent).max(i128::from(ack.delivered));
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
