//! What proves to have been spurious is undone: Linux's ways of F-RTO (RFC 5682), Eifel (RFC 3522)
//! and DSACK (RFC 3708).
//!
//! A timeout is spurious if data that was sent once, before it, is acknowledged or reported behind
//! it: the first acknowledgement after it that moves lets new data go in place of what is held to
//! be lost, so that what answers it can tell (F-RTO). A timeout or a recovery is spurious too if an
//! acknowledgement echoes a stamp from before all that was sent again, at the milliseconds of the
//! kernel's stamps, or if the receiver has told of each segment sent again that it came twice. Then
//! the controller takes its window back, and after a timeout nothing is lost. An echo of marks
//! rules that out: it was congestion. **Left out**: RFC 4015's caution, as in Linux.
//!
//! A recovery may prove spurious in part: an acknowledgement shows that a segment which was sent
//! again was late. That counts as reordering, so that losses take longer to be found. If others
//! that were sent again are still out, none goes again for this acknowledgement; else the recovery
//! is over, and nothing is lost (`tcp_try_undo_partial`).

use sojourn_base::Time;

use super::ack_info::AckInfo;
use super::{Sender, State};
use crate::cc::CongestionControl;
use crate::scoreboard::Sent;
use crate::wire::Ack;

/// Picoseconds of a tick of the kernel's stamps.
const TICK: u64 = 1_000_000_000;

/// What goes first where both lost segments and new data could.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum SendFirst {
    #[default]
    Lost,
    New,
    /// New data, and nothing that is lost.
    OnlyNew,
}

/// What tells whether the last reduction was called for; `undo_marker`, `undo_retrans` and
/// `retrans_stamp` as in Linux.
#[derive(Debug, Clone, Default)]
pub(super) struct UndoState {
    /// The first unacknowledged number when it came; none where nothing may be undone.
    undo_marker: Option<u64>,
    /// Segments sent again since then that are not known to have come twice; none before the first.
    undo_retrans: Option<u64>,
    /// When the first was sent again since nothing was that is still out; none before that.
    retrans_stamp: Option<Time>,
    /// The window may be taken back (`prior_ssthresh`).
    may_restore: bool,
    /// F-RTO waits for what is acknowledged.
    frto: bool,
    /// What goes until the next acknowledgement.
    send_first: SendFirst,
    /// Reports of duplicates: more than was sent again prove nothing.
    duplicates: u64,
}

impl UndoState {
    /// A reduction comes, with `resent` segments sent again in flight.
    fn begin(&mut self, snd_una: u64, resent: u64, may_restore: bool) {
        self.undo_marker = Some(snd_una);
        self.undo_retrans = Some(resent).filter(|&resent| resent > 0);
        self.may_restore = may_restore;
    }

    fn all_came_twice(&self) -> bool {
        self.undo_marker.is_some() && self.undo_retrans == Some(0)
    }

    /// Whether an acknowledgement answers what was sent before anything was sent again.
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

    /// All is well: what is sent again from now on is the first again, unless something that was is
    /// still out (`tcp_retrans_stamp_cleanup`).
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

    /// The timer of retransmission expired, in a window that `was_reduced` already or not.
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

    /// Marks are answered: that was congestion.
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

    /// The receiver tells of what came twice.
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

    /// What an acknowledgement tells of it.
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

    /// A segment that was taken for lost was late, and what else is missing may be too.
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

    /// The last reduction is undone; `none_lost` if so is what was held to be lost.
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

    /// Whether a [late](Self::note_late) segment came while others that were sent again are out:
    /// then nothing more is taken for lost, or sent again.
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

    /// Whether new data goes before what is lost.
    #[inline]
    pub(super) fn tries_new_data(&self) -> bool {
        self.undo
            .as_ref()
            .is_some_and(|undo| undo.send_first == SendFirst::New)
    }

    /// F-RTO's step 2b: no more new data goes. Where none went, what is lost goes after all, and
    /// the timeout was not spurious as far as can be told; else nothing more until it is answered.
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
