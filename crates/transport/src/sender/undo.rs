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
enum Turn {
    #[default]
    Lost,
    New,
    /// New data, and nothing that is lost.
    NewAlone,
}

/// Whether the last reduction was called for.
#[derive(Debug, Clone, Default)]
pub(super) struct Doubt {
    /// The first unacknowledged number when it came; none where nothing is in doubt
    /// (`undo_marker`).
    since: Option<u64>,
    /// Segments sent again since then that are not known to have come twice; none before the first
    /// (`undo_retrans`).
    unexplained: Option<u64>,
    /// When the first was sent again since nothing was that is still out; none before that
    /// (`retrans_stamp`).
    first_resent: Option<Time>,
    /// The window may be taken back (`prior_ssthresh`).
    may_restore: bool,
    /// F-RTO waits for what is acknowledged.
    frto: bool,
    /// What goes until the next acknowledgement.
    turn: Turn,
    /// Reports of duplicates: more than was sent again prove nothing.
    duplicates: u64,
}

impl Doubt {
    /// A reduction comes, with `resent` segments sent again in flight.
    fn begin(&mut self, snd_una: u64, resent: u64, may_restore: bool) {
        self.since = Some(snd_una);
        self.unexplained = Some(resent).filter(|&resent| resent > 0);
        self.may_restore = may_restore;
    }

    fn all_came_twice(&self) -> bool {
        self.since.is_some() && self.unexplained == Some(0)
    }

    /// Whether an acknowledgement answers what was sent before anything was sent again.
    fn answers_original(&self, echo: Option<Time>) -> bool {
        let ticks = |time: Time| time.as_ps() / TICK;
        self.since.is_some()
            && self
                .first_resent
                .is_none_or(|resent| echo.is_some_and(|echo| ticks(echo) < ticks(resent)))
    }
}

impl Sender {
    fn resent_segments(&self) -> u64 {
        let probe = self.probe.is_some_and(|probe| probe.is_retransmission);
        self.board.resent().div_ceil(self.mss()) + u64::from(probe)
    }

    /// All is well: what is sent again from now on is the first again, unless something that was is
    /// still out.
    pub(super) fn end_doubt(&mut self) {
        let first = self.board.first();
        let is_out = self.board.resent() > 0 || first.is_some_and(Sent::was_retransmitted);
        if let Some(doubt) = &mut self.doubt {
            doubt.turn = Turn::Lost;
            if !is_out {
                doubt.first_resent = None;
            }
        }
    }

    /// A recovery begins.
    pub(super) fn doubt_recovery(&mut self) {
        let resent = self.resent_segments();
        let may_restore = self.state != State::Cwr;
        if let Some(doubt) = &mut self.doubt
            && self.config.undo
        {
            doubt.begin(self.snd_una, resent, may_restore);
            doubt.turn = Turn::Lost;
        }
    }

    /// The timer of retransmission expired, in a window that `was_reduced` already or not.
    pub(super) fn doubt_timeout(&mut self, was_reduced: bool) {
        let resent = self.resent_segments();
        let again = self.state == State::Loss && self.expired_una == Some(self.snd_una);
        let is_first = matches!(self.state, State::Open | State::Cwr);
        if let Some(doubt) = &mut self.doubt {
            if !was_reduced {
                doubt.begin(self.snd_una, resent, true);
            }
            doubt.frto = self.config.frto && (is_first || again) && self.snd_una > 0;
            doubt.turn = Turn::Lost;
        }
    }

    /// Marks are answered: that was congestion.
    pub(super) fn doubt_nothing(&mut self) {
        if let Some(doubt) = &mut self.doubt {
            doubt.since = None;
            doubt.may_restore = false;
        }
    }

    /// A segment is sent again.
    pub(super) fn note_resent(&mut self, now: Time) {
        if let Some(doubt) = &mut self.doubt {
            doubt.first_resent.get_or_insert(now);
            doubt.unexplained = Some(doubt.unexplained.unwrap_or(0) + 1);
        }
    }

    /// The receiver tells of what came twice.
    pub(super) fn doubt_less(&mut self, (start, end): (u64, u64)) {
        let segments = (end - start).div_ceil(self.mss());
        let resent = self.counts.retransmits;
        if let Some(doubt) = &mut self.doubt {
            doubt.duplicates += segments;
            if doubt.duplicates <= resent && doubt.since.is_some_and(|since| end > since) {
                doubt.unexplained = doubt.unexplained.map(|left| left.saturating_sub(segments));
            }
        }
    }

    /// What an acknowledgement tells of it.
    pub(super) fn find_out(&mut self, now: Time, ack: &Ack, info: &AckInfo) {
        if self.state == State::Open {
            self.end_doubt();
        }
        let Some(doubt) = &mut self.doubt else {
            return;
        };
        doubt.turn = Turn::Lost;
        if ack.ece {
            doubt.may_restore = false;
        }
        let by_duplicates = self.config.undo && doubt.all_came_twice();
        let by_stamp = self.config.undo
            && self.config.timestamps
            && info.advanced
            && doubt.answers_original(ack.echo);
        let recovered = self.snd_una >= self.recover;
        if self.state == State::Recovery && by_stamp && !recovered {
            self.note_late(info);
        }
        match self.state {
            State::Open if by_duplicates => self.take_back(now, false),
            State::Recovery if recovered && (by_stamp || by_duplicates) => {
                self.take_back(now, false);
            }
            State::Recovery if by_stamp && self.board.resent() == 0 => {
                self.take_back(now, true);
                self.reopen();
            }
            State::Recovery if by_duplicates => {
                self.take_back(now, false);
                self.reopen();
            }
            State::Loss => self.find_out_after_timeout(now, info, by_stamp || by_duplicates),
            State::Open | State::Cwr | State::Recovery => {}
        }
    }

    /// A segment that was taken for lost was late, and what else is missing may be too.
    fn note_late(&mut self, info: &AckInfo) {
        self.rack.on_late(self.snd_una - info.moved);
        if self.board.resent() > 0
            && let Some(doubt) = &mut self.doubt
        {
            doubt.turn = Turn::NewAlone;
        }
    }

    /// F-RTO's steps 2 and 3, with SACK.
    fn find_out_after_timeout(&mut self, now: Time, info: &AckInfo, is_spurious: bool) {
        let recovered = self.snd_una >= self.recover;
        let has_new_data = self.new_data().is_some();
        let Some(doubt) = &mut self.doubt else {
            return;
        };
        let by_original = doubt.frto && info.acks_originals;
        if (is_spurious && info.advanced) || by_original {
            self.take_back(now, true);
            self.reopen();
            return;
        }
        if recovered || !doubt.frto {
            return;
        }
        if self.snd_nxt > self.recover {
            doubt.frto = !(info.reports() || info.duplicate);
        } else if info.advanced {
            doubt.frto = has_new_data;
            doubt.turn = if has_new_data { Turn::New } else { Turn::Lost };
        }
    }

    /// The last reduction is undone; `none_lost` if so is what was held to be lost.
    fn take_back(&mut self, now: Time, none_lost: bool) {
        if none_lost {
            self.board.lose_none();
        }
        let Some(doubt) = &mut self.doubt else {
            return;
        };
        doubt.since = None;
        doubt.frto = false;
        self.expired_una = None;
        if doubt.may_restore {
            self.cwr_due = false;
            self.control(|cc| cc.on_undo(now));
        }
    }

    /// Whether a [late](Self::note_late) segment came while others that were sent again are out:
    /// then nothing more is taken for lost, or sent again.
    pub(super) fn repairs_nothing(&self) -> bool {
        self.doubt
            .as_ref()
            .is_some_and(|doubt| doubt.turn == Turn::NewAlone)
    }

    /// A timer expired, whatever the last acknowledgement showed.
    pub(super) fn repair_again(&mut self) {
        if self.repairs_nothing()
            && let Some(doubt) = &mut self.doubt
        {
            doubt.turn = Turn::Lost;
        }
    }

    /// Whether new data goes before what is lost.
    #[inline]
    pub(super) fn tries_new_data(&self) -> bool {
        self.doubt
            .as_ref()
            .is_some_and(|doubt| doubt.turn == Turn::New)
    }

    /// F-RTO's step 2b: no more new data goes. Where none went, what is lost goes after all, and
    /// the timeout was not spurious as far as can be told; else nothing more until it is answered.
    #[cold]
    pub(super) fn has_tried_new_data(&mut self) -> bool {
        let has_tried = self.snd_nxt > self.recover;
        if let Some(doubt) = &mut self.doubt
            && !has_tried
        {
            doubt.turn = Turn::Lost;
            doubt.frto = false;
        }
        has_tried
    }
}
