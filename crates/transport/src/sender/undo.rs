//! Undoing reductions that prove spurious, by Linux's variants of F-RTO (RFC 5682), Eifel (RFC
//! 3522) and DSACK (RFC 3708).
//!
//! A timeout is spurious if, after it, data that was sent once and before it is acknowledged or
//! reported. To find this out, the first acknowledgement after the timeout that moves lets new data
//! be sent instead of what is considered lost, and the answers to it decide (F-RTO). A timeout or a
//! recovery is also spurious if an acknowledgement echoes a stamp older than all retransmissions,
//! in the kernel's stamps of whole milliseconds, or if the receiver has reported each retransmitted
//! segment as a duplicate. Then the controller restores its window, and after a timeout nothing
//! counts as lost any more. An echo of marks rules this out: there was congestion. **Left out**:
//! RFC 4015's caution, as in Linux.
//!
//! A recovery may prove partly spurious: an acknowledgement shows that a segment which was sent
//! again was only late. This counts as reordering, so that losses are found later from then on. If
//! other retransmissions are still in flight, nothing more is sent again for this acknowledgement;
//! otherwise the recovery is over, and nothing counts as lost (`tcp_try_undo_partial`).

use sojourn_base::Time;

use super::ack_info::AckInfo;
use super::{Sender, State};
use crate::cc::CongestionControl;
use crate::scoreboard::Sent;
use crate::wire::Ack;

/// Picoseconds of a tick of the kernel's stamps.
const TICK: u64 = 1_000_000_000;

/// What is sent first if both lost segments and new data could be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum SendFirst {
    #[default]
    Lost,
    New,
    /// New data, and nothing that is lost.
    OnlyNew,
}

/// Shows whether the last reduction was justified; `undo_marker`, `undo_retrans` and
/// `retrans_stamp` are as in Linux.
#[derive(Debug, Clone, Default)]
pub(super) struct UndoState {
    /// The first unacknowledged number at the reduction; none if nothing may be undone.
    undo_marker: Option<u64>,
    /// Segments sent again since then of which no duplicate has been reported; none before the
    /// first.
    undo_retrans: Option<u64>,
    /// When the first retransmission was sent since none was in flight; none before it.
    retrans_stamp: Option<Time>,
    /// The window may be restored (`prior_ssthresh`).
    may_restore: bool,
    /// F-RTO waits for the answers.
    frto: bool,
    /// What is sent first until the next acknowledgement.
    send_first: SendFirst,
    /// Reports of duplicates; more of them than retransmissions prove nothing.
    duplicates: u64,
}

impl UndoState {
    /// A reduction comes, while `resent` retransmitted segments are in flight.
    fn begin(&mut self, snd_una: u64, resent: u64, may_restore: bool) {
        self.undo_marker = Some(snd_una);
        self.undo_retrans = Some(resent).filter(|&resent| resent > 0);
        self.may_restore = may_restore;
    }

    fn all_came_twice(&self) -> bool {
        self.undo_marker.is_some() && self.undo_retrans == Some(0)
    }

    /// Whether an acknowledgement answers data that was sent before any retransmission.
    fn answers_original(&self, echo: Option<Time>) -> bool {
        let ticks = |time: Time| time.as_ps() / TICK;
        self.undo_marker.is_some()
            && self
                .retrans_stamp
                .is_none_or(|resent| echo.is_some_and(|echo| ticks(echo) < ticks(resent)))
    }
}

impl Sender {
    fn resent_segments(&self) -> u64 {
        let probe = self.probe.is_some_and(|probe| probe.is_retransmission);
        self.board.resent().div_ceil(self.mss()) + u64::from(probe)
    }

    /// All is well: the next retransmission counts as the first again, unless an earlier one is
    /// still in flight (`tcp_retrans_stamp_cleanup`).
    pub(super) fn clean_up_retrans_stamp(&mut self) {
        let first = self.board.first();
        let is_out = self.board.resent() > 0 || first.is_some_and(Sent::was_retransmitted);
        if let Some(undo) = &mut self.undo {
            undo.send_first = SendFirst::Lost;
            if !is_out {
                undo.retrans_stamp = None;
            }
        }
    }

    /// A recovery begins.
    pub(super) fn arm_undo_at_recovery(&mut self) {
        let resent = self.resent_segments();
        let may_restore = self.state != State::Cwr;
        if let Some(undo) = &mut self.undo
            && self.config.recovery.undo
        {
            undo.begin(self.snd_una, resent, may_restore);
            undo.send_first = SendFirst::Lost;
        }
    }

    /// The retransmission timer expired; `was_reduced` if the window had been reduced already.
    pub(super) fn arm_undo_at_timeout(&mut self, was_reduced: bool) {
        let resent = self.resent_segments();
        let again = self.state == State::Loss && self.expired_una == Some(self.snd_una);
        let is_first = matches!(self.state, State::Open | State::Cwr);
        if let Some(undo) = &mut self.undo {
            if !was_reduced {
                undo.begin(self.snd_una, resent, true);
            }
            undo.frto = self.config.recovery.frto && (is_first || again) && self.snd_una > 0;
            undo.send_first = SendFirst::Lost;
        }
    }

    /// Marks are answered, so there was congestion.
    pub(super) fn forbid_undo(&mut self) {
        if let Some(undo) = &mut self.undo {
            undo.undo_marker = None;
            undo.may_restore = false;
        }
    }

    /// A segment is sent again.
    pub(super) fn note_resent(&mut self, now: Time) {
        if let Some(undo) = &mut self.undo {
            undo.retrans_stamp.get_or_insert(now);
            undo.undo_retrans = Some(undo.undo_retrans.unwrap_or(0) + 1);
        }
    }

    /// The receiver reports a duplicate.
    pub(super) fn count_dsack(&mut self, (start, end): (u64, u64)) {
        let segments = (end - start).div_ceil(self.mss());
        let resent = self.counts.retransmits;
        if let Some(undo) = &mut self.undo {
            undo.duplicates += segments;
            if undo.duplicates <= resent && undo.undo_marker.is_some_and(|marker| end > marker) {
                undo.undo_retrans = undo.undo_retrans.map(|left| left.saturating_sub(segments));
            }
        }
    }

    /// Examines what an acknowledgement says about this.
    pub(super) fn detect_spurious(&mut self, now: Time, ack: &Ack, info: &AckInfo) {
        if self.state == State::Open {
            self.clean_up_retrans_stamp();
        }
        let Some(undo) = &mut self.undo else {
            return;
        };
        undo.send_first = SendFirst::Lost;
        if ack.ece {
            undo.may_restore = false;
        }
        let by_duplicates = self.config.recovery.undo && undo.all_came_twice();
        let by_stamp = self.config.recovery.undo
            && self.config.timestamps
            && info.advanced
            && undo.answers_original(ack.echo);
        let recovered = self.snd_una >= self.recover;
        if self.state == State::Recovery && by_stamp && !recovered {
            self.note_late(info);
        }
        match self.state {
            State::Open if by_duplicates => self.undo_reduction(now, false),
            State::Recovery if recovered && (by_stamp || by_duplicates) => {
                self.undo_reduction(now, false);
            }
            State::Recovery if by_stamp && self.board.resent() == 0 => {
                self.undo_reduction(now, true);
                self.reopen();
            }
            State::Recovery if by_duplicates => {
                self.undo_reduction(now, false);
                self.reopen();
            }
            State::Loss => self.frto_step(now, info, by_stamp || by_duplicates),
            State::Open | State::Cwr | State::Recovery => {}
        }
    }

    /// A segment that was considered lost was only late; the others that are missing may be late
    /// too.
    fn note_late(&mut self, info: &AckInfo) {
        self.rack.on_late(self.snd_una - info.moved);
        if self.board.resent() > 0
            && let Some(undo) = &mut self.undo
        {
            undo.send_first = SendFirst::OnlyNew;
        }
    }

    /// F-RTO's steps 2 and 3, with SACK.
    fn frto_step(&mut self, now: Time, info: &AckInfo, is_spurious: bool) {
        let recovered = self.snd_una >= self.recover;
        let has_new_data = self.new_data().is_some();
        let Some(undo) = &mut self.undo else {
            return;
        };
        let by_original = undo.frto && info.acks_originals;
        if (is_spurious && info.advanced) || by_original {
            self.undo_reduction(now, true);
            self.reopen();
            return;
        }
        if recovered || !undo.frto {
            return;
        }
        if self.snd_nxt > self.recover {
            undo.frto = !(info.reports() || info.duplicate);
        } else if info.advanced {
            undo.frto = has_new_data;
            undo.send_first = if has_new_data {
                SendFirst::New
            } else {
                SendFirst::Lost
            };
        }
    }

    /// Undoes the last reduction; `none_lost` if what was considered lost no longer is.
    fn undo_reduction(&mut self, now: Time, none_lost: bool) {
        if none_lost {
            self.board.lose_none();
        }
        let Some(undo) = &mut self.undo else {
            return;
        };
        undo.undo_marker = None;
        undo.frto = false;
        self.expired_una = None;
        if undo.may_restore {
            self.cwr_due = false;
            self.control(|cc| cc.on_undo(now));
        }
    }

    /// Whether a [late](Self::note_late) segment arrived while other retransmissions are in flight:
    /// then nothing more is considered lost, or sent again.
    pub(super) fn suspends_retransmits(&self) -> bool {
        self.undo
            .as_ref()
            .is_some_and(|undo| undo.send_first == SendFirst::OnlyNew)
    }

    /// A timer expired, whatever the last acknowledgement showed.
    pub(super) fn resume_retransmits(&mut self) {
        if self.suspends_retransmits()
            && let Some(undo) = &mut self.undo
        {
            undo.send_first = SendFirst::Lost;
        }
    }

    /// Whether new data is sent before what is lost.
    #[inline]
    pub(super) fn tries_new_data(&self) -> bool {
        self.undo
            .as_ref()
            .is_some_and(|undo| undo.send_first == SendFirst::New)
    }

    /// F-RTO's step 2b: no more new data can be sent. If none was sent, lost data is sent after
    /// all, and the timeout was not spurious as far as can be told. Otherwise nothing more is sent
    /// until the new data is answered. Returns whether new data was sent.
    #[cold]
    pub(super) fn has_tried_new_data(&mut self) -> bool {
        let has_tried = self.snd_nxt > self.recover;
        if let Some(undo) = &mut self.undo
            && !has_tried
        {
            undo.send_first = SendFirst::Lost;
            undo.frto = false;
        }
        has_tried
    }
}
