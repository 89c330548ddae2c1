//! How echoes of marks (ECN) are handled.

use sojourn_base::Time;

use super::ack_info::AckInfo;
use super::{Sender, State};
use crate::cc::{CongestionControl, LossKind};
use crate::ecn::EcnMode;
use crate::wire::Ack;

impl Sender {
    /// Whether an acknowledgement reports marks that were not known.
    pub(super) fn echoes_marks(&self, ack: &Ack) -> bool {
        ack.ece || (self.counts_marks && ack.ce_bytes > self.ce_seen)
    }

    /// Whether the controller answers marks itself, as they are counted.
    pub(super) fn weighs_counts(&self) -> bool {
        self.counts_marks && self.needs.ecn == EcnMode::Accurate
    }

    /// Handles an echo of marks: one reduction per window (RFC 3168, 6.1.2).
    /// The timeout was that many times doubled before this acknowledgement.
    pub(super) fn on_echo(&mut self, now: Time, ack: &Ack, info: &AckInfo, backed_off: u32) {
        self.answer_echo(now, ack, info, backed_off);
        if self.backs_off_at_marks && self.rtt.backed_off() < backed_off {
            self.rtt.keep_back_off(backed_off);
        }
    }

    fn answer_echo(&mut self, now: Time, ack: &Ack, info: &AckInfo, backed_off: u32) {
        let is_answered = if self.config.recovery.like_ns3 {
            self.state == State::Cwr || !info.advanced
        } else {
            let is_told_anew =
                self.config.marks.like_ns2 && self.last_action == Some(LossKind::Timeout);
            ack.ack <= self.ecn_until && !is_told_anew
        };
        if self.config.ecn == EcnMode::Off || is_answered {
            return;
        }
        let is_answering = match self.state {
            State::Open | State::Cwr => true,
            State::Recovery => self.config.recovery.like_ns3,
            State::Loss => self.config.recovery.like_ns3 || self.config.marks.like_ns2,
        };
        if is_answering {
            self.counts.ecn_reductions += 1;
            if self.weighs_counts() {
                self.ecn_until = self.snd_nxt;
                return;
            }
            // A controller that weighs marks cannot weigh these: it answers as to a loss.
            let unweighed = self.config.ecn == EcnMode::Classic && self.needs.ecn != EcnMode::Off;
            let kind = if unweighed {
                LossKind::FastRetransmit
            } else {
                LossKind::Ecn
            };
            let window = self.window();
            self.reduce(now, kind, false);
            if self.config.marks.like_ns2 {
                self.last_action = Some(LossKind::Ecn);
                self.back_off_at_mark(window, backed_off);
                if self.state == State::Loss {
                    return;
                }
            }
            if self.config.marks.holds_at_one_mss && window < 2 * self.mss() {
                self.wait_at_one(now, window);
            }
            self.state = State::Cwr;
            self.forbid_undo();
            if self.config.marks.by_prr {
                self.start_prr(window, self.outstanding());
                let is_ns3 = self.config.recovery.like_ns3;
                self.reduce_by_prr(info.delivered, info.advanced && !is_ns3, false);
                if is_ns3 {
                    self.reduce_by_prr(info.delivered, false, false);
                }
                // Whatever the share, one may go at first.
                let one = self.board.pipe(self.outstanding()) + self.mss();
                self.recovery_window = self.recovery_window.max(one);
            }
        }
    }

    /// A mark came while the window was `window`: at one segment ns-2 doubles the timeout with each
    /// mark but the first.
    fn back_off_at_mark(&mut self, window: u64, backed_off: u32) {
        let is_least = window <= self.mss();
        if is_least && self.backs_off_at_marks {
            self.rtt.keep_back_off(backed_off);
            self.rtt.back_off();
        }
        self.backs_off_at_marks = is_least;
    }

    /// A window of one segment cannot be halved: it stays, and nothing new is sent before the timer
    /// expires (RFC 3168, 6.1.2).
    fn wait_at_one(&mut self, now: Time, window: u64) {
        let (window, ssthresh) = (self.segments(window), self.segments(self.ssthresh));
        self.control(|cc| cc.set_window(window, ssthresh));
        self.awaits_timer = true;
        self.pto_at = Time::NEVER;
        self.rto_at = self.config.expiry(now, self.rto());
    }
}
