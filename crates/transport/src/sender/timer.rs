//! The timers: retransmission, probe of the tail, reordering, and the closed window's.

use sojourn_base::{Span, Time};

use super::{Sender, State};
use crate::cc::{CongestionControl, LossKind};
use crate::recovery::prr::{AtEntry, Prr, PrrKind};
use crate::scoreboard::Sent;

impl Sender {
    /// Runs the timers that are due; calling it early does nothing.
    pub fn on_timer(&mut self, now: Time) {
        if self.next_timeout() > now {
            // What the pacing clock held back may go, and that is all.
            return;
        }
        self.set_started_timers();
        self.resume_retransmits();
        self.fast_path = false;
        self.flight = self.outstanding();
        if self.reorder_at <= now {
            self.reorder_at = Time::NEVER;
            let resent = self.board.resent();
            self.detect_by_time(now);
            self.after_timed_losses(now, self.board.resent() < resent);
            self.tell_losses(now);
        }
        if self.pto_at <= now {
            self.pto_at = Time::NEVER;
            let probes = self.probe.is_none() && self.sampled_since_probe && self.may_probe();
            self.probe_due |= probes;
            // Whether a probe goes or not, it takes the place of this expiry (RFC 8985, 7.3). Linux
            // counts the timer from the sending of the first outstanding segment if none goes
            // (`tcp_rearm_rto`).
            if probes || !self.config.recovery.like_linux {
                self.arm_rto(now);
                return;
            }
        }
        if self.rto_at <= now {
            self.on_rto(now);
        }
    }

    /// RFC 6298, 5.4 to 5.6; RFC 5681, 3.1.
    fn on_rto(&mut self, now: Time) {
        self.rto_at = Time::NEVER;
        let has_waited = core::mem::take(&mut self.awaits_timer);
        if self.board.is_empty() {
            if has_waited {
                return;
            }
            if self.config.marks.like_ns2 && self.cwnd < self.mss() {
                // Marks left less than a segment of the window.
                let ssthresh = self.segments(self.ssthresh);
                self.control(|cc| cc.set_window(1.0, ssthresh));
                self.last_action = Some(LossKind::Timeout);
                self.cwr_due = true;
                return;
            }
            if self.new_data().is_some_and(|(_, room)| !room) && self.snd_una > 0 {
                self.window_probe = true;
                self.rtt.back_off();
                self.rto_at = self.config.expiry(now, self.rto());
            }
            return;
        }
        self.counts.timeouts += 1;
        let was_reduced = self.was_reduced();
        // A SYN tells nothing of the room in the path; ns-2 halves all the same.
        if self.snd_una > 0 || self.config.recovery.go_back_n {
            self.reduce(now, LossKind::Timeout, was_reduced);
        }
        self.rtt.back_off();
        if self.state == State::Open
            && self.board.sacked_segments() >= self.config.recovery.dupthresh
        {
            // So much reported and yet a timeout: Linux held too much for late.
            let usual = self.usual_order();
            self.rack.forget_reordering_beyond(usual);
        }
        self.lose_at_timeout(now);
        if self.config.recovery.like_linux && self.snd_una > 0 {
            let in_flight = self.board.pipe(self.outstanding());
            let (window, held) = (
                self.segments(in_flight + self.mss()),
                self.segments(self.ssthresh),
            );
            self.control(|cc| cc.set_window(libm::floor(window), held));
        }
        self.arm_undo_at_timeout(was_reduced);
        self.tell_losses(now);
        self.state = State::Loss;
        self.expired_una = Some(self.snd_una);
        self.recover = self.snd_nxt;
        self.last_was_duplicate = false;
        // ns-2's Tahoe goes on counting.
        if self.needs.fast_recovery || !self.config.recovery.go_back_n {
            self.dupacks = 0;
        }
        self.probe = None;
        self.probe_due = false;
        self.timed = None;
        self.pto_at = Time::NEVER;
        self.reorder_at = Time::NEVER;
        self.next_send = now;
        self.force = true;
        self.burst_left = u32::MAX;
        self.arm_rto(now);
    }

    /// Whether the threshold stays the same at a timeout: if the timer expired before for the same
    /// data (RFC 5681, 3.1, equation 4); under Linux, if this window was reduced already; under
    /// ns-2, if the last reduction was for a mark, however long ago.
    fn was_reduced(&self) -> bool {
        let expired = self.state == State::Loss && self.expired_una == Some(self.snd_una);
        let until = match self.state {
            State::Open | State::Loss => 0,
            State::Cwr => self.ecn_until,
            State::Recovery => self.recover,
        };
        (expired && !self.config.cwnd.halves_again)
            || (self.config.marks.like_ns2 && self.last_action == Some(LossKind::Ecn))
            || (self.config.cwnd.keeps_ssthresh_when_reduced && self.snd_una < until)
    }

    fn lose_at_timeout(&mut self, now: Time) {
        if self.config.recovery.go_back_n || self.board.first().is_some_and(Sent::is_sacked) {
            // The receiver has thrown away what it had reported.
            self.board.forget_sacks();
            self.board.lose_all();
            return;
        }
        if !self.config.rack {
            self.board.lose_all();
            return;
        }
        // RFC 8985, 6.3: the first, and what has been out for long enough.
        self.board.lose_first();
        // Linux allows for no reordering.
        let window = if self.config.recovery.like_linux {
            Span::ZERO
        } else {
            self.reordering_window()
        };
        let wait = self.rack.patience(window);
        self.board.lose_sent_before(now, wait);
    }

    pub(super) fn reordering_window(&self) -> Span {
        let recovering = matches!(self.state, State::Recovery | State::Loss);
        let hurry = recovering || self.board.sacked_segments() >= self.config.recovery.dupthresh;
        self.rack.window(hurry, self.rtt.min(), self.rtt.srtt())
    }

    /// Whether RACK's step 5 would find nothing.
    #[inline]
    pub(super) fn is_settled(&self) -> bool {
        self.board.is_settled(|first| self.rack.is_later(first))
    }

    /// RACK's step 5.
    #[inline]
    pub(super) fn detect_by_time(&mut self, now: Time) {
        if self.is_settled() {
            self.reorder_at = Time::NEVER;
        } else {
            self.search_by_time(now);
        }
    }

    fn search_by_time(&mut self, now: Time) {
        let window = self.reordering_window();
        self.reorder_at = Time::NEVER;
        if let Some(deadline) = self.rack.deadline(window)
            && let Some(at) = self.board.detect_by_time(now, &deadline)
        {
            let wait = at.since(now) + self.config.recovery.reorder_patience;
            self.reorder_at = self.config.expiry(now, wait);
        }
    }

    /// Acts on losses that the reordering timer found; `lost_again` if retransmissions are among
    /// them.
    fn after_timed_losses(&mut self, now: Time, lost_again: bool) {
        let begins = match self.state {
            State::Open | State::Cwr => self.board.waiting() > 0,
            State::Loss if self.config.recovery.like_linux => self.board.waiting() > 0,
            State::Recovery | State::Loss => lost_again && self.answers_lost_again(),
        };
        match self.state {
            _ if begins => {
                // In Linux the timer counts for a segment that was delivered.
                let counted = u64::from(self.config.recovery.like_linux) * self.mss();
                self.enter_recovery(now, counted, counted, self.board.sacked());
            }
            State::Recovery if self.config.recovery.prr && !self.config.recovery.like_linux => {
                // PRR gives no room for what no acknowledgement has paid for.
                let most = self.board.pipe(self.outstanding()) + self.mss();
                self.recovery_window = self.recovery_window.min(most);
            }
            _ => {}
        }
    }

    /// Whether the tail may be probed: not while losses are repaired (RFC 8985, 7.2), and not while
    /// marks keep new data back.
    #[inline]
    pub(super) fn may_probe(&self) -> bool {
        matches!(self.state, State::Open | State::Cwr) && !self.awaits_timer
    }

    /// RFC 8985, 7.2: when to probe the tail.
    pub(super) fn schedule_probe(&mut self, now: Time) {
        self.pto_at = Time::NEVER;
        if !self.may_probe()
            || self.board.is_empty()
            || self.board.sacked() > 0
            || self.probe.is_some()
            || self.snd_una == 0
        {
            return;
        }
        let wait = self.probe_wait();
        self.pto_at = self.config.expiry(now, wait).min(self.rto_at);
    }

    /// How long after the last segment or acknowledgement the tail is probed.
    #[inline]
    pub(super) fn probe_wait(&self) -> Span {
        let Some(srtt) = self.rtt.srtt() else {
            return Span::from_whole_s(1);
        };
        let (alone, among_others) = self.config.recovery.probe_patience;
        let patience = if self.board.len() == 1 {
            alone
        } else {
            among_others
        };
        srtt + srtt + patience
    }

    /// Fast retransmit: RFC 5681, 3.2; RFC 6675, 5, step 4; RFC 9937. `delivered` and `acked` are
    /// the acknowledgement's bytes, all and cumulative; `sacked` what was reported before it and
    /// lies above it.
    pub(super) fn enter_recovery(&mut self, now: Time, delivered: u64, acked: u64, sacked: u64) {
        let reduced = self.state == State::Cwr;
        let before = self.window();
        self.lowered_at = now;
        self.arm_undo_at_recovery();
        if reduced && !self.needs.loss_after_marks {
            // One window, one reduction (RFC 3168, 6.1.2).
            self.ecn_until = self.snd_nxt;
            self.last_action = Some(LossKind::FastRetransmit);
            if self.config.marks.like_ns2 && !self.needs.fast_recovery {
                // Tahoe begins again all the same.
                let ssthresh = self.segments(self.ssthresh);
                self.control(|cc| cc.set_window(1.0, ssthresh));
            }
        } else {
            self.reduce(now, LossKind::FastRetransmit, false);
        }
        self.counts.recoveries += 1;
        // What it would tell has been answered for.
        self.probe = None;
        self.recover = self.snd_nxt;
        self.force = true;
        self.pto_at = Time::NEVER;
        self.first_partial = true;
        self.expired_una = None;
        if !self.needs.fast_recovery {
            self.state = State::Loss;
            if !self.config.sack {
                self.board.lose_all();
            }
            self.timed = None;
            self.arm_rto(now);
            return;
        }
        self.state = State::Recovery;
        // ns-2's agents inflate the window, which may be less than the least threshold.
        let halved = if self.config.recovery.classic {
            self.cwnd
        } else {
            self.ssthresh
        };
        // Linux goes on with the reduction that marks began.
        let goes_on = reduced
            && self.config.marks.by_prr
            && self.config.recovery.prr_kind == PrrKind::Linux
            && !self.needs.loss_after_marks;
        if self.needs.own_recovery {
            // The controller's window rules; without SACK the first hole is at the front.
            if !self.config.sack {
                self.board.lose_first();
            }
        } else if self.config.recovery.prr {
            if !goes_on {
                let still = (self.outstanding() + acked).saturating_sub(sacked);
                self.start_prr(before, still);
            }
            self.reduce_by_prr(delivered, false, delivered > acked);
        } else if self.config.sack {
            self.recovery_window = halved;
        } else {
            self.board.lose_first();
            self.recovery_window =
                halved.saturating_add(u64::from(self.config.recovery.dupthresh) * self.mss());
        }
        if !self.config.recovery.like_ns3 {
            self.arm_rto(now);
        }
    }

    /// Reduces the window in proportion to what is delivered, beginning from `window` before the
    /// reduction; `deliverable` bytes can still be delivered.
    pub(super) fn start_prr(&mut self, window: u64, deliverable: u64) {
        let outstanding = self.outstanding();
        let pipe = self.board.pipe(outstanding);
        let at = AtEntry {
            deliverable,
            window,
            outstanding,
            pipe,
        };
        self.prr = Prr::start(self.config.recovery.prr_kind, &at, self.ssthresh);
        self.recovery_window = pipe + self.mss();
    }
}
