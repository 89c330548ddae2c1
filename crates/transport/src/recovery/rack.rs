//! RACK: losses found by time, RFC 8985, section 6.
//!
//! A segment is lost once one that was sent later has been delivered and a reordering window has
//! passed. The window is a quarter of the minimum RTT. It grows by a quarter with each round in
//! which a DSACK has shown it to be too small. It is zero as long as no reordering was ever seen
//! and either a recovery is going on or `dupthresh` segments were reported (6.2, step 4: so the
//! three duplicates of RFC 5681 still count).
//!
//! **Choice**: for a retransmission that a SACK block reports, the echoed timestamp is not used
//! (6.2, step 2), since it belongs to the last segment that came in order; the least RTT decides.

use sojourn_base::{Span, Time};

use crate::scoreboard::{Deadline, Sent, sent_after};

/// What RACK knows about the connection.
#[derive(Debug, Clone)]
pub struct Rack {
    xmit: Time,
    order: u16,
    rtt: Span,
    fack: u64,
    reordering_seen: bool,
    /// The largest distance, in bytes, from the start of a late segment to the highest byte
    /// delivered then.
    furthest: u64,
    mult: u32,
    persist: u32,
    dsack_round: Option<u64>,
    any: bool,
}

/// Recoveries for which a widened window lasts (RFC 8985, 6.2, step 4).
const PERSIST: u32 = 16;
/// The largest number of quarters of the minimum RTT: this is Linux's bound; the RFC has only the
/// smoothed RTT.
const MOST_QUARTERS: u32 = 255;

impl Default for Rack {
    fn default() -> Self {
        Self {
            xmit: Time::ZERO,
            order: 0,
            rtt: Span::ZERO,
            fack: 0,
            reordering_seen: false,
            furthest: 0,
            mult: 1,
            persist: PERSIST,
            dsack_round: None,
            any: false,
        }
    }
}

impl Rack {
    /// Steps 2 and 3: `sent` was delivered; `min_rtt` is the connection's minimum. `echo` is the
    /// echoed stamp if it belongs to this segment: not if a SACK block reports the segment, since
    /// the receiver echoes the last segment that came in order (RFC 7323, 4.3). Returns whether the
    /// segment's RTT is valid: not if the original may have been delivered.
    pub fn on_delivered(
        &mut self,
        sent: &Sent,
        now: Time,
        echo: Option<Time>,
        min_rtt: Span,
    ) -> bool {
        if sent.end() > self.fack {
            self.fack = sent.end();
        } else if sent.end() < self.fack && !sent.was_retransmitted() {
            self.reordering_seen = true;
            self.furthest = self.furthest.max(self.fack - sent.seq);
        }
        if sent.was_retransmitted() {
            // It may be the original that was delivered.
            let older = echo.is_some_and(|echo| echo < sent.xmit);
            if older || now.since(sent.xmit) < min_rtt {
                return false;
            }
        }
        if !self.any || sent_after(sent.xmit, sent.order, self.xmit, self.order) {
            self.any = true;
            self.xmit = sent.xmit;
            self.order = sent.order;
        }
        true
    }

    /// Step 2: the RTT by which losses are found, that of one of the delivered segments.
    pub(crate) fn set_rtt(&mut self, rtt: Span) {
        self.rtt = rtt;
    }

    /// A recovery found that a segment that it had considered lost, from the number `low` on, was
    /// late.
    pub(crate) fn on_late(&mut self, low: u64) {
        if low < self.fack {
            self.reordering_seen = true;
            self.furthest = self.furthest.max(self.fack - low);
        }
    }

    /// [`on_delivered`](Self::on_delivered) for the first transmission of a segment that is above
    /// everything delivered before, and was sent later.
    #[inline]
    pub(crate) fn on_delivered_in_order(&mut self, sent: &Sent, now: Time) {
        self.fack = sent.end();
        self.any = true;
        self.xmit = sent.xmit;
        self.order = sent.order;
        self.rtt = now.since(sent.xmit);
    }

    /// Step 4, a DSACK came: the window was too small; counts once a round.
    pub fn on_dsack(&mut self, snd_una: u64, snd_nxt: u64) {
        if self.dsack_round.is_some_and(|round| snd_una >= round) {
            self.dsack_round = None;
        }
        if self.dsack_round.is_none() {
            self.dsack_round = Some(snd_nxt);
            self.mult = (self.mult + 1).min(MOST_QUARTERS);
            self.persist = PERSIST;
        }
    }

    /// Whether segments have arrived in another order than they were sent.
    pub const fn has_seen_reordering(&self) -> bool {
        self.reordering_seen
    }

    /// Whether a segment came late that began more than `bytes` below the highest byte delivered.
    pub const fn has_seen_reordering_beyond(&self, bytes: u64) -> bool {
        self.furthest > bytes
    }

    /// From now on no segment is known to have come later than by `bytes`.
    pub fn forget_reordering_beyond(&mut self, bytes: u64) {
        self.furthest = self.furthest.min(bytes);
    }

    /// Step 4, a recovery ended.
    pub fn on_recovery_exit(&mut self) {
        self.persist = self.persist.saturating_sub(1);
        if self.persist == 0 {
            self.mult = 1;
        }
    }

    /// The reordering window; `hurry` if a recovery is going on or enough was reported.
    pub fn window(&self, hurry: bool, min_rtt: Span, srtt: Option<Span>) -> Span {
        if !self.reordering_seen && hurry {
            return Span::ZERO;
        }
        let quarters = u64::from(self.mult).saturating_mul(min_rtt.as_ps()) / 4;
        Span::from_ps(quarters).min(srtt.unwrap_or(Span::ZERO))
    }

    /// Whether the latest-sent segment that was delivered was sent after `sent`.
    #[inline]
    pub(crate) fn is_later(&self, sent: &Sent) -> bool {
        self.any && sent_after(self.xmit, self.order, sent.xmit, sent.order)
    }

    /// Step 5: when segments that were sent before are lost; none before anything was delivered.
    pub fn deadline(&self, window: Span) -> Option<Deadline> {
        self.any.then_some(Deadline {
            xmit: self.xmit,
            order: self.order,
            wait: self.rtt + window,
        })
    }

    /// How long after its transmission a segment is lost at a timeout (6.3).
    pub fn patience(&self, window: Span) -> Span {
        self.rtt + window
    }
}
