//! What may be sent now.

use sojourn_base::{Ecn, Span, Time};

use super::{ENDLESS, Probe, Sender, State};
use crate::cc::{CongestionControl, Needs};
use crate::ecn::EcnMode;
use crate::pacing;
use crate::params::Config;
use crate::scoreboard::Sent;
use crate::wire::Segment;

/// How much of the window is used while the application has no more to send.
#[derive(Debug, Clone, Copy)]
pub(super) struct CwndUsage {
    /// Since when.
    since: Time,
    /// The value of `limited_until` at that time: if it has changed since, the window was the limit
    /// meanwhile.
    limited_until: u64,
    /// The largest number of outstanding bytes since then.
    most: u64,
}

/// The codepoint of new data.
pub(super) fn codepoint(config: &Config, needs: Needs) -> Ecn {
    match config.ecn {
        EcnMode::Off => Ecn::NotEct,
        // ECT(1) asks for marks that are weighed (RFC 9331).
        EcnMode::Classic => Ecn::Ect0,
        EcnMode::Dctcp | EcnMode::Accurate => needs.codepoint,
    }
}

#[allow(clippy::inline_always)] // out of line, arguments and saved registers cost as much
impl Sender {
    /// The next segment that may be sent now, if any. Lost ones go first.
    #[inline]
    pub fn poll_send(&mut self, now: Time) -> Option<Segment> {
        self.set_started_timers();
        if (self.probe_due || self.window_probe)
            && let Some(segment) = self.send_due_probe(now)
        {
            return Some(segment);
        }
        if self.config.pacing && self.is_paced_out(now) {
            return None;
        }
        if (self.force || self.board.waiting() > 0)
            && let Some(segment) = self.send_lost(now)
        {
            return Some(segment);
        }
        self.send_new(now)
    }

    /// Sends the probe of the tail or of a closed window, whichever is due.
    #[cold]
    fn send_due_probe(&mut self, now: Time) -> Option<Segment> {
        if core::mem::take(&mut self.probe_due)
            && let Some(segment) = self.send_probe(now)
        {
            return Some(segment);
        }
        core::mem::take(&mut self.window_probe)
            .then(|| self.segment(now, self.snd_una - 1, 0, true))
    }

    /// Sends the lowest lost segment again, where the window has room for it.
    fn send_lost(&mut self, now: Time) -> Option<Segment> {
        if self.tries_new_data() {
            let sent = self.send_new(now);
            if sent.is_some() || self.has_tried_new_data() {
                return sent;
            }
        }
        if self.suspends_retransmits() {
            return None;
        }
        let forced = core::mem::take(&mut self.force);
        let lost = self.board.next_lost()?;
        let mut window = self.window();
        if self.state == State::Loss && self.config.recovery.go_back_n {
            window = window.saturating_add(self.extra());
        }
        if !forced && self.in_flight() + u64::from(lost.len) > window {
            self.limited_until = self.snd_nxt;
            return None;
        }
        Some(self.resend(now, lost.seq, lost.len))
    }

    /// In recovery, sends outstanding data again if there is nothing else to send (RFC 6675's
    /// `NextSeg`, rule 3), in ns-3 even if nothing above it is reported.
    fn send_unknown(&mut self, now: Time) -> Option<Segment> {
        let unknown = if self.config.recovery.like_ns3 {
            self.board.next_unknown()
        } else {
            self.board.next_overtaken()
        };
        let Sent { seq, len, .. } = unknown?;
        let has_room = self.in_flight() + u64::from(len) <= self.window();
        (has_room && self.board.waiting() == 0).then(|| self.resend(now, seq, len))
    }

    fn resend(&mut self, now: Time, seq: u64, len: u32) -> Segment {
        self.stamp_rate(now, seq, seq + u64::from(len), true);
        self.board.resend(seq, now);
        self.note_resent(now);
        if self.config.recovery.like_linux && seq == self.snd_una {
            self.arm_rto(now);
        }
        // Karn: what is sent again is not timed.
        if self.timed.is_some_and(|(end, _)| seq < end) {
            self.timed = None;
        }
        self.after_send(now, len);
        self.segment(now, seq, len, true)
    }

    /// New data: its length, and whether the windows have room for it; none if there is none.
    #[inline]
    pub(super) fn new_data(&self) -> Option<(u32, bool)> {
        // Only the SYN until it is answered.
        if self.snd_una == 0 {
            return (self.snd_nxt == 0).then_some((1, true));
        }
        let waiting = self.buffered_end().saturating_sub(self.snd_nxt);
        if waiting == 0 {
            return None;
        }
        let fin_only = waiting == 1 && self.snd_nxt == self.written;
        let mut len = waiting.min(self.mss());
        // The FIN rides on the last segment and takes no room in it.
        let fin_rides =
            !fin_only && self.snd_nxt + len == self.written && self.stream_end() > self.written;
        if fin_rides {
            len += 1;
        }
        let outstanding = self.outstanding();
        let edge = self
            .right_edge
            .min(self.snd_una.saturating_add(self.config.window));
        if self.snd_nxt + len > edge {
            // A window smaller than a segment is used only if nothing else would ever move.
            if outstanding > 0 || edge <= self.snd_nxt {
                return Some((len as u32, false));
            }
            len = edge - self.snd_nxt;
        }
        let (flight, window) = self.room();
        let free = u64::from(fin_rides && self.config.fin_is_free);
        Some((len as u32, flight + len - free <= window))
    }

    /// Bytes in flight and the window that limits them, including limited transmit (RFC 3042).
    #[inline]
    pub(super) fn room(&self) -> (u64, u64) {
        if self.dupacks > 0 {
            return self.room_on_duplicates();
        }
        (self.in_flight(), self.window())
    }

    fn room_on_duplicates(&self) -> (u64, u64) {
        let window = self.window();
        let calm = match self.state {
            State::Open | State::Cwr => true,
            State::Loss => self.config.recovery.go_back_n,
            State::Recovery => false,
        };
        if !calm {
            return (self.in_flight(), window);
        }
        if !self.config.recovery.limited_transmit {
            return (self.outstanding(), window);
        }
        (self.in_flight(), window.saturating_add(self.extra()))
    }

    /// What limited transmit adds to the window: a segment for each of the first two duplicates.
    fn extra(&self) -> u64 {
        let over = self.state == State::Loss
            && (!self.last_was_duplicate || self.dupacks >= self.config.recovery.dupthresh);
        let by_reports = self.config.sack && !self.config.recovery.duplicates_report;
        if !self.config.recovery.limited_transmit || by_reports || over {
            return 0;
        }
        u64::from(self.dupacks.min(2)) * self.mss()
    }

    #[inline]
    fn send_new(&mut self, now: Time) -> Option<Segment> {
        if self.awaits_timer {
            return None;
        }
        if self.snd_una == self.snd_nxt && self.stream_end() > self.snd_nxt {
            self.begin_again(now);
        }
        let Some((len, room)) = self.new_data() else {
            if self.config.recovery.resends_unknown && self.state == State::Recovery {
                return self.send_unknown(now);
            }
            if let Some(rate) = &mut self.rate
                && self.board.waiting() == 0
            {
                rate.on_app_limited(self.board.pipe(self.snd_nxt - self.snd_una));
            }
            if self.config.cwnd.halves_when_idle && self.last_send == now {
                self.on_application_limited(now);
            }
            return None;
        };
        if !room || self.burst_left == 0 {
            // Where the receiver's window is what lacks, the congestion window was not put to use.
            let (flight, window) = self.room();
            if flight + u64::from(len) > window {
                self.limited_until = self.snd_nxt;
            } else if self.config.recovery.resends_unknown
                && self.state == State::Recovery
                && !self.config.recovery.like_ns3
            {
                return self.send_unknown(now);
            }
            if self.board.is_empty() && self.rto_at == Time::NEVER {
                // The receiver's window is closed: probe it when the timer expires.
                self.rto_at = self.config.expiry(now, self.rto());
            }
            return None;
        }
        if self.config.pace.tso_buffers && self.defers(now) {
            return None;
        }
        if self.burst_left < u32::MAX {
            self.burst_left -= 1;
        }
        Some(self.send_next(now, len))
    }

    /// Sends the next `len` numbers for the first time.
    #[inline(always)]
    fn send_next(&mut self, now: Time, len: u32) -> Segment {
        let seq = self.snd_nxt;
        let end = seq + u64::from(len);
        let push = self.config.pace.tso_buffers && self.takes_push(now, end);
        self.stamp_rate(now, seq, end, false);
        self.board.push(seq, len, now);
        self.snd_nxt = end;
        if self.config.rtt.one_rtt_at_a_time && self.timed.is_none() {
            self.timed = Some((end, now));
        }
        self.after_send(now, len);
        if self.config.rack && self.may_probe() {
            self.schedule_probe(now);
        }
        Segment {
            push,
            ..self.segment(now, seq, len, false)
        }
    }

    #[inline]
    pub(super) fn stamp_rate(&mut self, now: Time, seq: u64, end: u64, again: bool) {
        // A SYN measures no rate: a byte in a round trip.
        if self.rate.is_some() && seq > 0 {
            let flight = self.in_flight();
            if let Some(rate) = &mut self.rate {
                rate.on_sent(now, seq, end, again, flight);
            }
        }
    }

    #[inline(always)]
    fn after_send(&mut self, now: Time, len: u32) {
        if matches!(self.state, State::Recovery | State::Cwr) {
            self.prr.on_sent(u64::from(len));
        }
        if self.rto_at == Time::NEVER {
            self.rto_at = self.config.expiry(now, self.rto());
        }
        let is_spared = self.config.pace.spares_initial
            && self.snd_nxt <= self.config.initial_window + u64::from(len);
        if self.config.pacing && !is_spared {
            self.pace(now, len);
        }
        self.last_send = now;
    }

    /// Whether the pacing clock holds back the next segment; the timer says when it may be sent.
    #[inline(always)]
    pub(super) fn is_paced_out(&mut self, now: Time) -> bool {
        self.held_by_pace = self.next_send > now && !self.force && !self.goes_along(now);
        self.held_by_pace
    }

    /// The controller's pacing rate, bytes a second; if it has none, Linux's usual rate, once there
    /// is an RTT. (RFC 9002, 7.7, has a single factor, such as 1.25.)
    pub(super) fn paced_at(&self) -> Option<f64> {
        self.cc.pacing_rate().or_else(|| {
            let srtt = self.rtt.srtt()?.as_s();
            let cwnd = self.window();
            let early = cwnd < self.ssthresh / 2;
            (srtt > 0.0).then(|| pacing::usual_rate(cwnd, early, srtt))
        })
    }

    /// Sets the pacing clock forward.
    pub(super) fn pace(&mut self, now: Time, len: u32) {
        let Some(rate) = self.paced_at().filter(|&rate| rate > 0.0) else {
            return;
        };
        // The rate is of payload: headers ride along.
        let gap = Span::from_s(f64::from(len.max(1)) / rate);
        if !self.config.pace.paces_bursts {
            self.next_send = self.next_send.max(now) + gap;
        } else if self.snd_nxt > pacing::UNPACED * self.mss() {
            self.pace_burst(now, gap, rate);
        }
    }

    /// Linux's pacing clock: a burst that is late shortens the gap behind it, by half at most. A
    /// segment that is sent although the clock holds it back does not take others along.
    fn pace_burst(&mut self, now: Time, gap: Span, rate: f64) {
        if self.goes_along(now) {
            self.to_go_along -= 1;
        } else if self.next_send > now {
            self.to_go_along = 0;
        } else {
            let at_once = pacing::at_once(rate, self.mss() as f64, self.cc.least_burst());
            let room = self.window().saturating_sub(self.in_flight()) / self.mss();
            let goes = room.saturating_add(1).min(at_once.into());
            let half = Span::from_ps(gap.as_ps() * goes / 2);
            let late = now.since(self.next_send).min(half);
            self.to_go_along = at_once - 1;
            self.next_send = Time::from_ps(now.as_ps() - late.as_ps());
        }
        self.next_send += gap;
    }

    /// Whether a segment sent now belongs to the burst that began at this instant.
    fn goes_along(&self, now: Time) -> bool {
        self.to_go_along > 0 && self.last_send == now
    }

    /// Everything was acknowledged and there is new data.
    fn begin_again(&mut self, now: Time) {
        let app_limited = self.rate.as_ref().is_some_and(|rate| rate.is_app_limited());
        let idle = now.since(self.last_send);
        self.control(|cc| cc.on_tx_start(now, idle, app_limited));
        if self.config.cwnd.idle_restart
            && self.snd_nxt > 1
            && now.since(self.last_send) > self.rto()
        {
            self.restart(now);
        }
    }

    /// The application had no more to send. In Linux a window that was not fully used for the
    /// length of a timeout is reduced half the way to what was used, or to the initial window, as
    /// after idle time (RFC 2861, 3.2, as in `tcp_cwnd_application_limited`).
    fn on_application_limited(&mut self, now: Time) {
        let outstanding = self.outstanding();
        let cwnd = self.cc.cwnd();
        let doubles = cwnd < self.ssthresh && cwnd < 2 * outstanding;
        if doubles || self.snd_una < self.limited_until {
            self.cwnd_usage = None;
            return;
        }
        let anew = CwndUsage {
            since: now,
            limited_until: self.limited_until,
            most: 0,
        };
        let usage = self.cwnd_usage.get_or_insert_with(|| Box::new(anew));
        if usage.limited_until != self.limited_until {
            **usage = anew;
        }
        usage.most = usage.most.max(outstanding);
        if now.since(usage.since) < self.rtt.rto(&self.config.rto) {
            return;
        }
        let used = usage.most.max(self.config.initial_window);
        self.cwnd_usage = None;
        if self.state == State::Open && used < cwnd {
            let held = self.segments(self.held_by_path(cwnd));
            let cwnd_now = self.segments(u64::midpoint(cwnd, used));
            self.control(|cc| cc.set_window(libm::floor(cwnd_now), held));
        }
    }

    /// The threshold that preserves what the path was known to hold before a window was reduced for
    /// lack of data.
    fn held_by_path(&self, cwnd: u64) -> u64 {
        self.cc.ssthresh().max(cwnd / 2 + cwnd / 4)
    }

    /// Returns to the initial window after idle time (RFC 5681, 4.1). Linux halves the window once
    /// for each timeout that has passed, down to the initial window, and keeps three quarters of
    /// the former window as the threshold.
    fn restart(&mut self, now: Time) {
        self.cwnd_usage = None;
        let cwnd = self.cc.cwnd();
        let held = self.segments(self.held_by_path(cwnd));
        self.control(|cc| cc.on_restart(now));
        if !self.config.cwnd.halves_when_idle {
            return;
        }
        let least = self.config.initial_window.min(cwnd);
        let timeouts = (now.since(self.last_send).as_ps() - 1) / self.rto().as_ps();
        let halved = cwnd >> timeouts.min(63);
        let cwnd_now = self.segments(halved.max(least));
        self.control(|cc| cc.set_window(cwnd_now, held));
    }

    /// The probe of the tail: new data if there is any, otherwise the last segment (RFC 8985, 7.3).
    fn send_probe(&mut self, now: Time) -> Option<Segment> {
        let last = *self.board.last()?;
        let edge = self
            .right_edge
            .min(self.snd_una.saturating_add(self.config.window));
        let fresh = self
            .new_data()
            .filter(|&(len, _)| self.snd_nxt + u64::from(len) <= edge);
        let segment = match fresh {
            Some((len, _)) => self.send_next(now, len),
            None => self.resend(now, last.seq, last.len),
        };
        self.counts.probes += 1;
        self.probe = Some(Probe {
            end: self.snd_nxt,
            is_retransmission: fresh.is_none(),
        });
        self.sampled_since_probe = false;
        self.pto_at = Time::NEVER;
        self.arm_rto(now);
        Some(segment)
    }

    /// The segment of `len` numbers from `seq` on.
    #[inline(always)]
    fn segment(&mut self, now: Time, seq: u64, len: u32, again: bool) -> Segment {
        let syn = seq == 0 && len > 0;
        let end = seq + u64::from(len);
        let fin = self.closed && len > 0 && self.written < ENDLESS && end > self.written;
        let payload = len - u32::from(syn) - u32::from(fin);
        self.counts.segments += 1;
        if again {
            self.counts.retransmits += 1;
            self.counts.retransmitted_bytes += u64::from(payload);
        }
        let cwr = self.cwr_due && (!again || self.config.marks.like_ns2) && payload > 0;
        if cwr {
            self.cwr_due = false;
        }
        let bare = syn || payload == 0 || (again && self.config.marks.not_ect_retransmits);
        let ecn = if bare { Ecn::NotEct } else { self.codepoint };
        Segment {
            seq,
            len: payload,
            syn,
            fin,
            retransmission: again,
            push: false,
            cwr,
            ecn,
            stamp: now,
        }
    }
}
