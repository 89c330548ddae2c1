//! Processing acknowledgements.

use sojourn_base::{Ecn, Time};

use super::ack_info::AckInfo;
use super::{Sender, State};
use crate::cc::{AckSample, CongestionControl, LossKind};
use crate::ecn::EcnMode;
use crate::recovery::prr::{Delivery, PrrKind};
use crate::scoreboard::Sent;
use crate::wire::Ack;

/// The state before an acknowledgement.
#[derive(Debug, Clone, Copy)]
pub(super) struct Before {
    pub(super) state: State,
    /// The first unacknowledged number.
    pub(super) una: u64,
    /// Bytes in flight.
    pub(super) flight: u64,
    pub(super) window: u64,
    /// Bytes ever considered lost.
    pub(super) lost_ever: u64,
    /// Doublings of the timeout.
    pub(super) backed_off: u32,
}

impl Sender {
    /// An acknowledgement arrived.
    #[inline]
    pub fn on_ack(&mut self, now: Time, ack: &Ack) {
        if self.is_expected(ack) {
            self.process_ack_fast(now, ack);
        } else {
            self.process_ack(now, ack);
        }
    }

    #[inline(never)]
    fn process_ack(&mut self, now: Time, ack: &Ack) {
        self.set_started_timers();
        // What was never sent cannot be acknowledged (RFC 9293, 3.10.7.4).
        if ack.ack > self.snd_nxt {
            return;
        }
        self.burst_left = u32::MAX;
        self.flight = self.outstanding();
        let before = Before {
            state: self.state,
            una: self.snd_una,
            flight: self.in_flight(),
            window: self.window(),
            lost_ever: self.board.lost_ever(),
            backed_off: self.rtt.backed_off(),
        };
        if let Some(info) = self.take_ack_info(now, ack) {
            self.apply_ack(now, ack, info, &before);
        }
        self.fast_path = self.may_take_fast_path();
    }

    /// Acts on an acknowledgement that was read.
    fn apply_ack(&mut self, now: Time, ack: &Ack, mut info: AckInfo, before: &Before) {
        if before.una == 0 && info.advanced {
            self.on_established();
        }
        self.count_duplicates(&info);
        if self.undo.is_some() {
            self.detect_spurious(now, ack, &info);
        }
        self.leave(now);
        let resent = self.board.resent();
        if !self.suspends_retransmits() {
            self.find_losses(now, &info);
        }
        info.lost = self.board.lost_ever() - before.lost_ever;
        let lost_again = self.board.resent() < resent;
        self.recover_on(now, &info, lost_again);
        self.tell_losses(now);
        info.is_disordered = self.is_disordered();
        let echoes = self.echoes_marks(ack);
        if before.una == 0 && self.config.rtt.begins_after_handshake {
            self.begin_control(now, &info);
        } else if info.delivered > 0 {
            let cwnd_limited = before.una < self.limited_until;
            let may_grow = self.may_grow(&info, before, cwnd_limited, echoes);
            if self.config.cwnd.counts_whole && info.advanced && !self.needs.rate_samples {
                info.counted = self.whole_segments(info.moved, before.state);
            }
            self.notify_controller(now, ack, &info, before.flight, cwnd_limited, may_grow);
        }
        if echoes {
            self.on_echo(now, ack, &info, before.backed_off);
        } else if info.advanced {
            self.backs_off_at_marks = false;
        }
        self.after_probe(now, ack, &info);
        self.set_timers(now, &info, before.state);
    }

    /// Counts what may indicate a loss: duplicates in a row; in ns-3, outside recovery, every
    /// acknowledgement that reports something.
    fn count_duplicates(&mut self, info: &AckInfo) {
        self.last_was_duplicate = info.duplicate;
        if self.config.recovery.like_ns3 && info.reports() {
            let counts = matches!(self.state, State::Open | State::Cwr);
            self.dupacks += u32::from(counts);
        } else if info.advanced {
            self.dupacks = u32::from(self.config.recovery.counts_reports && info.reports());
        } else if info.duplicate {
            self.dupacks += 1;
        }
    }

    /// Whether the window may grow with what an acknowledgement delivers; `echoes` says whether it
    /// echoes marks.
    fn may_grow(&self, info: &AckInfo, before: &Before, cwnd_limited: bool, echoes: bool) -> bool {
        self.is_limited(before, cwnd_limited)
            && (info.advanced || self.grows_out_of_order())
            && !self.takes_for_duplicate(info, before.state)
            && (!echoes || self.weighs_counts() || self.ignores_echoes())
            && (before.state != State::Recovery || self.config.cwnd.grows_at_exit)
            && self.state != State::Recovery
            && !(self.state == State::Cwr && self.config.marks.by_prr)
            // Tahoe's fast retransmit comes with an acknowledgement that is none of data.
            && (self.state != State::Loss || before.state == State::Loss)
    }

    /// Finds losses, by time, by duplicates or by what is reported.
    fn find_losses(&mut self, now: Time, info: &AckInfo) {
        if self.config.rack {
            self.detect_by_time(now);
        } else if self.config.recovery.duplicates_report {
            self.detect_by_dupacks(info);
        } else if self.config.sack {
            self.board
                .detect_by_count(self.config.recovery.dupthresh, self.config.mss);
            let is_third = self.dupacks >= self.config.recovery.dupthresh && info.reports();
            let is_open = matches!(self.state, State::Open | State::Cwr);
            let is_lost = self.board.first().is_some_and(Sent::is_lost);
            if self.config.recovery.counts_reports && is_third && is_open && !is_lost {
                self.board.lose_first();
            }
        }
    }

    /// Whether an acknowledgement that reports something counts as a mere duplicate although it
    /// moves: in ns-3, outside recovery, if the receiver had delayed what it acknowledges.
    fn takes_for_duplicate(&self, info: &AckInfo, before: State) -> bool {
        self.config.recovery.like_ns3
            && self.state == State::Open
            && matches!(before, State::Open | State::Cwr)
            && info.reports()
    }

    /// Whether echoes of marks do not keep the window from growing: in Linux, after a timeout. The
    /// marks are answered for, and are echoed until new data says so (`tcp_may_raise_cwnd`).
    fn ignores_echoes(&self) -> bool {
        self.config.marks.ignored_after_timeout && self.state == State::Loss
    }

    /// Whether the window grows with what is reported out of order: in Linux, once a segment came
    /// more than three places late (`tcp_may_raise_cwnd`).
    fn grows_out_of_order(&self) -> bool {
        self.config.recovery.like_linux && self.rack.has_seen_reordering_beyond(self.usual_order())
    }

    /// By how many places a segment may be late in Linux without being out of order
    /// (`tcp_reordering`).
    pub(super) fn usual_order(&self) -> u64 {
        u64::from(self.config.recovery.dupthresh) * self.mss()
    }

    /// Whether Linux is in its state of disorder: nothing is lost, but something was reported out
    /// of order or is in flight for a second time (`tcp_try_keep_open`).
    fn is_disordered(&self) -> bool {
        self.config.recovery.like_linux
            && self.state == State::Open
            && (self.board.sacked() > 0
                || self.board.lost() > 0
                || self.board.resent() > 0
                || self.board.first().is_some_and(Sent::was_retransmitted))
    }

    /// For how many segments an acknowledgement that moved by that many bytes counts under ns-3: in
    /// recovery for one.
    fn whole_segments(&mut self, moved: u64, before: State) -> u64 {
        let mss = self.mss();
        let counted = match (before, self.state) {
            (_, State::Recovery) => mss,
            (State::Loss, State::Open) => self.snd_una - self.recover,
            (State::Recovery, _) => moved,
            _ => {
                let all = moved + u64::from(self.uncounted);
                self.uncounted = (all % mss) as u32;
                all
            }
        };
        counted / mss * mss
    }

    /// ns-2's SACK: three duplicates begin recovery, during which everything below what is reported
    /// is lost.
    fn detect_by_dupacks(&mut self, info: &AckInfo) {
        match self.state {
            State::Recovery => {}
            State::Open | State::Cwr if info.advanced => {
                self.board.forget_all();
                return;
            }
            State::Open | State::Cwr if self.begins_recovery(info) => {}
            State::Open | State::Cwr | State::Loss => return,
        }
        self.board.detect_by_count(1, self.config.mss);
    }

    /// Whether duplicates indicate a loss (RFC 6582, 3.2, step 2): only once for what was sent
    /// before.
    fn begins_recovery(&self, info: &AckInfo) -> bool {
        info.duplicate
            && self.dupacks == self.config.recovery.dupthresh
            && (self.snd_una > self.recover || !self.ignores_old_dupacks())
    }

    /// Whether the window was what limited the sender, so that it may grow.
    #[inline]
    pub(super) fn is_limited(&self, before: &Before, cwnd_limited: bool) -> bool {
        !self.config.cwnd.validates
            || cwnd_limited
            || before.flight + self.mss() > before.window
            || (before.window < self.ssthresh && before.window < before.flight.saturating_mul(2))
    }

    /// The SYN was answered.
    fn on_established(&mut self) {
        if self.counts.timeouts > 0 {
            // A lost SYN: one segment to begin with (RFC 5681, 3.1: MUST; RFC 6928, 2, would have
            // that only after more than one), and the threshold as it was.
            let ssthresh = self.segments(self.ssthresh);
            self.control(|cc| cc.set_window(1.0, ssthresh));
            self.rtt.fall_back(&self.config.rto);
            if self.config.marks.gives_up_ecn {
                self.codepoint = Ecn::NotEct;
            }
        }
    }

    /// Lets the controller begin, and tells it how long the handshake took.
    fn begin_control(&mut self, now: Time, info: &AckInfo) {
        // Of what ns-3 counts as delivered the SYN is none.
        if let Some(rate) = &mut self.rate
            && !self.config.rtt.millisecond_stamps
        {
            rate.finish(now, info.delivered, self.snd_una);
        }
        let rtt = info.rtt.or(self.rtt.srtt()).unwrap_or_default();
        self.control(|cc| cc.on_handshake(now, rtt));
    }

    /// Leaves a state once its window has been acknowledged.
    #[inline]
    fn leave(&mut self, now: Time) {
        match self.state {
            State::Open => {}
            State::Cwr => {
                let beyond = self.config.recovery.like_ns3
                    || self.config.recovery.like_linux
                    || self.config.marks.like_ns2;
                let is_over =
                    self.snd_una > self.ecn_until || (self.snd_una == self.ecn_until && !beyond);
                if is_over {
                    self.reopen();
                    self.control(|cc| cc.on_recovery_exit(now));
                }
            }
            State::Recovery => {
                if self.snd_una >= self.recover {
                    self.exit_recovery(now);
                }
            }
            State::Loss => {
                if self.snd_una >= self.recover {
                    self.reopen();
                    self.rack.on_recovery_exit();
                }
            }
        }
    }

    fn exit_recovery(&mut self, now: Time) {
        self.reopen();
        self.dupacks = 0;
        if self.config.recovery.duplicates_report {
            // What begins now may be a loss in the same flight.
            self.recover = 0;
            self.ecn_until = 0;
        }
        self.rack.on_recovery_exit();
        self.control(|cc| cc.on_recovery_exit(now));
    }

    pub(super) fn reopen(&mut self) {
        self.state = State::Open;
        self.clean_up_retrans_stamp();
        self.board.give_back();
    }

    /// Enters recovery or continues it; `lost_again` if a retransmission was found to be lost.
    fn recover_on(&mut self, now: Time, info: &AckInfo, lost_again: bool) {
        let reports = info.reports();
        match self.state {
            State::Cwr if self.config.recovery.like_ns3 => {
                if info.advanced && self.config.marks.by_prr {
                    self.reduce_by_prr(info.delivered, false, reports);
                }
            }
            State::Open | State::Cwr => {
                let lost = if self.config.recovery.like_ns3 {
                    reports && self.begins_like_ns3()
                } else if self.config.sack {
                    self.board.waiting() > 0 || self.has_new_loss_out()
                } else {
                    self.begins_recovery(info)
                };
                if lost {
                    let sacked = info.sacked_still();
                    self.enter_recovery(now, info.delivered, info.cumulative, sacked);
                } else if self.state == State::Cwr && self.config.marks.by_prr {
                    self.reduce_by_prr(info.delivered, info.advanced, reports);
                }
            }
            State::Recovery if self.config.recovery.prr && !self.needs.own_recovery => {
                let is_ns3 = matches!(self.config.recovery.prr_kind, PrrKind::Ns3 | PrrKind::Ns337);
                let safe = if is_ns3 {
                    info.repairs
                } else {
                    info.advanced && info.lost == 0
                };
                self.reduce_by_prr(info.delivered, safe, reports);
                if is_ns3 && info.advanced && reports {
                    self.reduce_by_prr(info.delivered, safe, false);
                }
                if self.config.recovery.like_ns3 && info.advanced {
                    self.fill_next_hole();
                }
            }
            State::Recovery if !self.config.sack => self.recover_without_sack(now, info),
            State::Recovery if self.config.recovery.like_ns3 => {
                self.force |= info.advanced && self.is_next_hole_open();
            }
            State::Recovery | State::Loss if lost_again && self.answers_lost_again() => {
                let sacked = info.sacked_still();
                self.enter_recovery(now, info.delivered, info.cumulative, sacked);
            }
            State::Recovery | State::Loss => {}
        }
    }

    /// Whether the loss of a retransmission indicates congestion by itself: after a timeout, and in
    /// a recovery without PRR, once for what was sent since the last reduction.
    pub(super) fn answers_lost_again(&self) -> bool {
        let halves_at_once = !self.config.recovery.prr && !self.needs.own_recovery;
        self.config.recovery.answers_lost_again
            && match self.state {
                State::Open | State::Cwr => false,
                State::Recovery => {
                    halves_at_once && self.board.has_lost_again_since(self.lowered_at)
                }
                State::Loss => true,
            }
    }

    /// Whether something that was sent again is lost, and the last recovery has not answered for
    /// it: by RFC 6675, 5, what lies above the end of that recovery; in Linux, anything.
    fn has_new_loss_out(&self) -> bool {
        self.config.recovery.recovers_what_is_out
            && self.board.lost() > 0
            && (self.config.recovery.like_linux || self.snd_una >= self.recover)
    }

    /// Whether ns-3 begins a recovery with an acknowledgement that reports something.
    fn begins_like_ns3(&mut self) -> bool {
        let third = self.dupacks == self.config.recovery.dupthresh && self.snd_una >= self.recover;
        let begins = third || self.board.is_lost_behind_first();
        if begins && self.board.first().is_some_and(|first| !first.is_lost()) {
            self.board.lose_first();
        }
        begins
    }

    /// At a partial acknowledgement ns-3 considers the next segment lost: one segment is sent, even
    /// if it is a new one.
    fn fill_next_hole(&mut self) {
        if self.is_next_hole_open() {
            let one_more = self.board.pipe(self.outstanding()) + self.mss();
            self.recovery_window = self.recovery_window.max(one_more);
        }
    }

    /// Whether the first outstanding segment was sent only once.
    fn is_next_hole_open(&self) -> bool {
        self.board
            .first()
            .is_some_and(|first| !first.was_retransmitted())
    }

    /// Whether duplicates of what was sent before the last recovery are ignored, as by all but
    /// plain Reno.
    fn ignores_old_dupacks(&self) -> bool {
        self.needs.partial_acks || !self.needs.fast_recovery || self.config.rtt.one_rtt_at_a_time
    }

    pub(super) fn reduce_by_prr(&mut self, delivered: u64, safe: bool, reports: bool) {
        let delivery = Delivery {
            delivered,
            pipe: self.board.pipe(self.outstanding()),
            safe,
            reports,
        };
        if let Some(window) = self.prr.on_ack(&delivery, u64::from(self.config.mss)) {
            // Nothing is in flight where all is reported that is not acknowledged.
            self.recovery_window = window.max(1);
        }
    }

    /// RFC 5681, 3.2, and RFC 6582: inflation and deflation.
    fn recover_without_sack(&mut self, now: Time, info: &AckInfo) {
        let mss = self.mss();
        if self.needs.partial_acks {
            self.burst_left = self.config.recovery.burst;
        }
        if info.duplicate {
            self.recovery_window = self.recovery_window.saturating_add(mss);
        } else if info.advanced && !self.needs.partial_acks {
            self.exit_recovery(now);
        } else if info.advanced {
            // A partial acknowledgement: the next hole goes at once.
            self.board.lose_first();
            self.force = true;
            if self.config.recovery.classic {
                self.deflate_window(info.moved);
                return;
            }
            let mut window = self.recovery_window.saturating_sub(info.moved);
            if info.moved >= mss {
                window += mss;
            }
            self.recovery_window = window.max(mss);
        }
    }

    /// ns-2's deflation: what the inflation does not cover is permanently taken off the window.
    fn deflate_window(&mut self, moved: u64) {
        let mss = self.mss();
        let cwnd = self.cc.cwnd();
        let inflation = self.recovery_window.saturating_sub(cwnd);
        if inflation > moved {
            self.recovery_window = self.recovery_window - moved + mss;
            return;
        }
        let cwnd = (cwnd + inflation).saturating_sub(moved).max(mss);
        let (window, ssthresh) = (self.segments(cwnd), self.segments(self.cc.ssthresh()));
        self.control(|cc| cc.set_window(window, ssthresh));
        self.recovery_window = cwnd + mss;
    }

    #[inline]
    pub(super) fn notify_controller(
        &mut self,
        now: Time,
        ack: &Ack,
        info: &AckInfo,
        prior_in_flight: u64,
        cwnd_limited: bool,
        may_grow: bool,
    ) {
        let marked = match self.config.ecn {
            EcnMode::Dctcp if ack.ece => info.delivered,
            EcnMode::Off | EcnMode::Classic | EcnMode::Dctcp => 0,
            EcnMode::Accurate => {
                let fresh = ack.ce_bytes.saturating_sub(self.ce_seen);
                self.ce_seen = self.ce_seen.max(ack.ce_bytes);
                fresh.min(info.delivered)
            }
        };
        let stamps = ack
            .echo
            .map(|echo| (self.stamp(ack.stamp), self.stamp(echo)));
        let mut sample = AckSample {
            now,
            acked: info.counted,
            marked,
            ece: ack.ece,
            rtt: info.rtt,
            srtt: self.rtt.srtt().unwrap_or_default(),
            stamps: stamps.filter(|_| self.config.timestamps),
            prior_in_flight,
            in_flight: self.in_flight(),
            window: self.window(),
            snd_una: self.snd_una,
            snd_nxt: self.snd_nxt,
            state: self.state,
            is_disordered: info.is_disordered,
            may_grow,
            cwnd_limited,
            next_send: self.config.pacing.then_some(self.next_send),
            rate: None,
            delivered: self.delivered,
            lost: info.lost,
        };
        if let Some(rate) = &mut self.rate {
            sample.rate = rate.finish(now, info.delivered, self.snd_una);
        }
        (self.cwnd, self.ssthresh) = self.cc.on_ack_to_windows(&sample);
        if let Some(rate) = &mut self.rate
            && self.cc.is_self_limited()
        {
            rate.on_app_limited(sample.in_flight);
        }
    }

    /// RFC 8985, 7.4.2: finds out what happened to a probe.
    fn after_probe(&mut self, now: Time, ack: &Ack, info: &AckInfo) {
        let Some(probe) = self.probe else {
            return;
        };
        if ack.ack < probe.end {
            return;
        }
        if !probe.is_retransmission {
            self.probe = None;
        } else if ack.ack > probe.end {
            // The probe repaired a loss that nothing else will answer for.
            self.probe = None;
            if self.state == State::Open {
                self.reduce(now, LossKind::FastRetransmit, false);
                self.control(|cc| cc.on_recovery_exit(now));
            }
        } else if !info.advanced && ack.sack.is_empty() {
            self.probe = None;
        }
    }

    fn set_timers(&mut self, now: Time, info: &AckInfo, state_before: State) {
        if info.advanced && !self.takes_for_duplicate(info, state_before) {
            let partial = self.state == State::Recovery
                && state_before == State::Recovery
                && (!self.config.sack || self.config.recovery.like_ns3);
            if !partial || !self.config.recovery.impatient || self.first_partial {
                self.arm_rto(now);
            }
            if partial {
                self.first_partial = false;
            }
        } else if info.rearms_rto {
            self.arm_rto(now);
        }
        if self.board.is_empty() {
            if !self.awaits_timer {
                self.rto_at = Time::NEVER;
            }
            self.pto_at = Time::NEVER;
            self.reorder_at = Time::NEVER;
        } else if self.config.rack {
            if !self.may_probe() || self.board.sacked() > 0 {
                self.pto_at = Time::NEVER;
            } else if info.advanced {
                self.schedule_probe(now);
            }
        }
    }
}
