//! The sending half of a connection.
//!
//! RFC 5681 (congestion control), 6298 (timer), 6582 (NewReno), 6675 (SACK), 3042 (limited
//! transmit), 6928 (initial window), 7323 (timestamps), 9937 (PRR), 8985 (RACK-TLP), 3168 (ECN).
//! No Nagle. The owner calls [`Sender::write`], [`Sender::on_ack`] and, when [`Sender::next_timer`]
//! is due, [`Sender::on_timer`]; after each of them it takes segments from [`Sender::poll_send`]
//! until there is none.
//!
//! **Recovery.** With SACK, RACK finds losses, or RFC 6675's count if RACK is off. The amount in
//! flight, `pipe`, is then held to the window that PRR gives; without PRR, to the threshold from
//! the beginning of recovery on. Without SACK: three duplicates, inflation and deflation as in RFC
//! 5681 and 6582; at the full acknowledgement the window becomes ssthresh. After a timeout
//! everything not reported counts as lost; with RACK, only what has been in flight long enough (RFC
//! 8985, 6.3). The flight that is halved is at most the window.
//!
//! **Choices**: a fast retransmit restarts the timer, as in ns-2 and Linux (RFC 6298 lets it run
//! on). The back-off of the timer ends with the next RTT sample (Karn; RFC 6298, section 5). The
//! window also counts what was sent and lost: a segment never lies beyond the right edge. In the
//! following points an RFC is not followed to the letter:
//!
//! - With timestamps every acknowledgement is an RTT sample with the weights of RFC 6298, as in
//!   Linux. RFC 7323 (4.2 and appendix G) would divide them by the samples of a round trip.
//! - Of RFC 6675's NextSeg, rule 3 is followed where RACK is off. Rule 4, a last rescue of the
//!   tail, is left out (both are SHOULD): RACK's probes protect the tail, and without them the
//!   timer does.
//! - Reports are remembered through a timeout, unless they cover the first outstanding segment,
//!   which means that the receiver discarded it (RFC 2018, 5, would forget all reports; RFC 6675,
//!   5.1, explains why that is considered too strong).
//! - While RACK's timer or the timer of the probe runs, the retransmission timer runs on (RFC 8985,
//!   8: SHOULD be cancelled). No probe is scheduled while another is unanswered.
//! - RFC 6582, 3.2, taken literally forbids a fast retransmit of the very first segment; here it is
//!   sent. Of the two windows that it allows at the end of recovery the second is used, ssthresh,
//!   without the limit on bursts that it encourages.
//! - The initial window is the one requested. RFC 6928, 2, limits it to 14 600 bytes, or two
//!   segments if they are larger, and falls back to RFC 3390 after idle time if a loss came early.
//! - After a lost SYN the window is one segment, as RFC 5681, 3.1, demands (MUST); RFC 6928, 2,
//!   recommends this only after more than one lost SYN.
//! - If the receiver's window is closed and nothing is in flight, it is probed by an empty segment
//!   with an old number when the timer expires (RFC 9293, 3.8.6.1: at least one octet).
//!
//! **Undo**, if requested: reductions that prove spurious are undone, as in Linux. The evidence is
//! F-RTO (after RFC 5682), Eifel's timestamps (RFC 3522) and reports of duplicates (after RFC
//! 3708).
//!
//! **Disorder.** Under `linux` controllers are told when something was reported out of order but is
//! not considered lost. Once a segment arrived more than three places late, the window also grows
//! with what is reported.
//!
//! **Left out**: window scaling's limits, PAWS for acknowledgements, urgent data.

mod ack;
mod ack_info;
mod buffer;
mod fast_path;
mod marks;
mod prefetch;
mod send;
mod state;
mod timer;
mod undo;
mod view;

use std::sync::Arc;

use sojourn_base::{Ecn, Time};

use crate::cc::{AnyController, CongestionControl, LossEvent, LossKind, Needs};
use crate::ecn::EcnMode;
use crate::params::Config;
use crate::rate::RateSampler;
use crate::recovery::{Prr, Rack};
use crate::rtt::RttEstimator;
use crate::scoreboard::Scoreboard;

use buffer::Buffer;
pub use fast_path::Burst;
use send::CwndUsage;
use state::Probe;
pub use state::{Counts, State};
use undo::UndoState;

/// The sending half of a connection.
///
/// The fields that an [expected](fast_path) acknowledgement or segment touches come first, in as
/// few cache lines as possible: with many flows the senders do not fit the fast caches, and each
/// further line costs time.
#[derive(Debug)]
#[repr(C, align(64))]
#[allow(clippy::struct_excessive_bools)]
pub struct Sender {
    snd_una: u64,
    snd_nxt: u64,
    /// When the last acknowledgement came, if it was [expected](fast_path) and only expected
    /// segments have followed: the timers that these started are not worked out yet. Otherwise
    /// never, and the timers below are valid.
    expected_at: Time,
    /// The number after the last byte that the application has written.
    written: u64,
    /// The number after the last one that the receiver accepts.
    right_edge: u64,
    /// The controller's window and threshold in bytes, kept here: they are read at every packet
    /// and change far less often.
    cwnd: u64,
    ssthresh: u64,
    config: Arc<Config>,
    // The second cache line.
    cc: AnyController,
    rto_at: Time,
    /// Probe timeout.
    pto_at: Time,
    /// RACK's reordering timer.
    reorder_at: Time,
    next_send: Time,
    /// Data before this number was sent while the window was the limit.
    limited_until: u64,
    delivered: u64,
    // The third cache line.
    last_send: Time,
    /// Bytes outstanding before the present acknowledgement or timer, unless it was expected.
    flight: u64,
    dupacks: u32,
    burst_left: u32,
    state: State,
    needs: Needs,
    /// Whether its settings let acknowledgements take the fast path at all.
    has_fast_path: bool,
    /// Whether the next acknowledgements [may take it](Self::may_take_fast_path).
    fast_path: bool,
    /// Whether each segment is handled by itself, since segments are paced or used to measure a
    /// rate.
    steps: bool,
    /// Whether acknowledgements count marked bytes.
    counts_marks: bool,
    /// The ECN codepoint of new data.
    codepoint: Ecn,
    closed: bool,
    /// Whether the receiver has advertised a window itself.
    edge_heard: bool,
    /// Whether the last acknowledgement was a duplicate.
    last_was_duplicate: bool,
    /// Whether the pacing clock has held a segment back.
    held_by_pace: bool,
    /// How many more segments are sent together with the last one, at the same instant (Linux).
    to_go_along: u8,
    /// The buffer to which new segments belong (Linux).
    buffer: Buffer,
    /// Whether there was an RTT sample after the last probe.
    sampled_since_probe: bool,
    probe_due: bool,
    /// Whether the next lost segment is sent even if the window has no room for it.
    force: bool,
    window_probe: bool,
    cwr_due: bool,
    /// Marks came while the window was one segment: nothing new is sent before the timer expires.
    awaits_timer: bool,
    first_partial: bool,
    /// Bytes acknowledged towards a whole segment (ns-3).
    uncounted: u32,
    /// The first unacknowledged number when the retransmission timer expired, in state Loss.
    expired_una: Option<u64>,
    probe: Option<Probe>,
    rate: Option<Box<RateSampler>>,
    rtt: RttEstimator,
    rack: Rack,
    counts: Counts,
    board: Scoreboard,
    // What recovery and marks need.
    /// The number after the last one sent when recovery began: losses before it are one event.
    recover: u64,
    /// Echoes of marks up to this number belong to a window already reduced.
    ecn_until: u64,
    /// What ns-2's agents last answered (`last_cwnd_action_`).
    last_action: Option<LossKind>,
    /// A mark came while the window was one segment: the next one doubles the timeout (ns-2).
    backs_off_at_marks: bool,
    /// When a loss last took the window down.
    lowered_at: Time,
    /// Window during fast recovery, bytes.
    recovery_window: u64,
    prr: Prr,
    /// The segment that is timed, if only one at a time is timed: its end and when it was sent.
    timed: Option<(u64, Time)>,
    ce_seen: u64,
    /// The record that shows whether the last reduction was spurious, if this is to be detected.
    undo: Option<Box<UndoState>>,
    /// Linux's record of how much of the window is used.
    cwnd_usage: Option<Box<CwndUsage>>,
}

/// ns-3's `BulkSendApplication` writes so many bytes at a time (`SendSize`).
const PIECE: u64 = 512;

/// Bytes written by an application whose data never ends.
const ENDLESS: u64 = u64::MAX / 4;

impl Sender {
    /// The sender of a new connection. With a handshake it begins with a SYN; otherwise it is
    /// established.
    pub fn new(config: Arc<Config>, cc: AnyController) -> Self {
        let needs = cc.needs();
        let mut board = Scoreboard::default();
        if needs.rate_samples {
            board.watch_losses();
        }
        if config.recovery.like_ns3 {
            board.keep_repeats();
        }
        if config.recovery.resends_unknown {
            board.count_unknown_once();
        }
        let start = u64::from(!config.handshake);
        Self {
            expected_at: Time::NEVER,
            has_fast_path: fast_path::has_fast_path(&config),
            fast_path: false,
            steps: config.pacing || needs.rate_samples,
            counts_marks: config.ecn == EcnMode::Accurate,
            codepoint: send::codepoint(&config, needs),
            right_edge: start.saturating_add(config.first_window()),
            edge_heard: false,
            snd_una: start,
            snd_nxt: start,
            written: 1,
            closed: false,
            state: State::Open,
            dupacks: 0,
            last_was_duplicate: false,
            recover: 0,
            ecn_until: 0,
            last_action: None,
            backs_off_at_marks: false,
            lowered_at: Time::ZERO,
            recovery_window: 0,
            prr: Prr::default(),
            rack: Rack::default(),
            board,
            rtt: RttEstimator::new(config.handshake && config.rtt.slow_syn),
            rate: needs.rate_samples.then(Box::default),
            timed: None,
            rto_at: Time::NEVER,
            pto_at: Time::NEVER,
            reorder_at: Time::NEVER,
            next_send: Time::ZERO,
            held_by_pace: false,
            to_go_along: 0,
            buffer: Buffer::default(),
            last_send: Time::ZERO,
            probe: None,
            probe_due: false,
            sampled_since_probe: true,
            force: false,
            window_probe: false,
            cwr_due: false,
            awaits_timer: false,
            first_partial: false,
            uncounted: 0,
            expired_una: None,
            limited_until: 0,
            burst_left: u32::MAX,
            flight: 0,
            ce_seen: 0,
            undo: (config.recovery.frto || config.recovery.undo).then(Box::default),
            cwnd_usage: None,
            delivered: 0,
            counts: Counts::default(),
            config,
            cwnd: cc.cwnd(),
            ssthresh: cc.ssthresh(),
            cc,
            needs,
        }
    }

    /// Lets the controller act, and copies its new window and threshold.
    fn control<R>(&mut self, act: impl FnOnce(&mut AnyController) -> R) -> R {
        let done = act(&mut self.cc);
        (self.cwnd, self.ssthresh) = self.cc.windows();
        done
    }

    /// The application writes `bytes` more.
    pub fn write(&mut self, bytes: u64) {
        if !self.closed {
            self.written = self.written.saturating_add(bytes).min(ENDLESS);
        }
    }

    /// The application's data never ends.
    pub fn write_endless(&mut self) {
        self.written = ENDLESS;
    }

    /// Whether the buffer has room for `bytes` more.
    pub fn has_room(&self, bytes: u64) -> bool {
        let unacknowledged = self.written - self.snd_una.clamp(1, self.written);
        unacknowledged.saturating_add(bytes) <= self.config.send_buffer
    }

    /// The application stops: of data without end, only what was sent already counts as written.
    pub fn stop(&mut self) {
        if self.written == ENDLESS {
            self.written = self.snd_nxt.max(1);
        }
        self.closed = true;
    }

    /// Payload bytes written so far, not counting data without end.
    pub const fn written(&self) -> u64 {
        self.written - 1
    }

    /// The application writes no more: a FIN follows the last byte, where the connection has them.
    pub fn close(&mut self) {
        self.closed = true;
    }

    /// Whether the application writes no more.
    pub const fn is_closed(&self) -> bool {
        self.closed
    }

    /// The next instant at which [`on_timer`](Self::on_timer) or, for a paced segment,
    /// [`poll_send`](Self::poll_send) has something to do.
    #[inline]
    pub fn next_timer(&self) -> Option<Time> {
        let mut at = self.next_timeout();
        if self.held_by_pace {
            at = at.min(self.next_send);
        }
        (at < Time::NEVER).then_some(at)
    }

    /// The earliest timer, the pacing clock excepted.
    #[inline]
    fn next_timeout(&self) -> Time {
        if self.expected_at < Time::NEVER {
            return self.next_started();
        }
        self.rto_at.min(self.pto_at).min(self.reorder_at)
    }

    /// Sets the controller's window and threshold in segments, for a test.
    pub fn set_window(&mut self, cwnd: f64, ssthresh: f64) {
        self.control(|cc| cc.set_window(cwnd, ssthresh));
    }

    fn mss(&self) -> u64 {
        u64::from(self.config.mss)
    }

    /// `bytes` in segments; infinite if they are no limit.
    fn segments(&self, bytes: u64) -> f64 {
        if bytes == u64::MAX {
            f64::INFINITY
        } else {
            bytes as f64 / f64::from(self.config.mss)
        }
    }

    /// The number after the last byte to be sent, FIN included.
    fn stream_end(&self) -> u64 {
        self.written + u64::from(self.closed && self.config.fin)
    }

    /// The number after the last byte that the send buffer holds, or that could be put there: in
    /// ns-3 what does not fit waits outside, and counts as nothing to send.
    fn buffered_end(&self) -> u64 {
        let acknowledged = self.snd_una.max(1) - 1;
        let end = self.stream_end();
        if !self.config.writes_in_pieces
            || self.written.saturating_sub(self.snd_una) <= self.config.send_buffer
        {
            return end;
        }
        let held = acknowledged.saturating_add(self.config.send_buffer) / PIECE * PIECE;
        end.min(1 + held)
    }

    /// FlightSize for the threshold, before the acknowledgement being processed: at most the window
    /// (RFC 5681, 3.2, step 2; RFC 6675, 5, 4.2), or the controller's window if PRR keeps it lower
    /// for a moment. What duplicates inflate the window by in a recovery without SACK has left the
    /// network (RFC 5681, 3.2, step 4): if it counted, a timeout would raise the threshold.
    fn flight_size(&self) -> u64 {
        if self.config.cwnd.halves_cwnd {
            return self.cc.cwnd().min(self.config.window);
        }
        if self.config.cwnd.halves_pipe && self.config.sack {
            return self.board.pipe(self.outstanding());
        }
        let window = if self.config.sack {
            self.window().max(self.cwnd)
        } else {
            self.cwnd
        };
        self.flight.min(window)
    }

    /// Tells the controller of a congestion event.
    fn reduce(&mut self, now: Time, kind: LossKind, again: bool) {
        let event = LossEvent {
            now,
            kind,
            in_flight: self.flight_size(),
            snd_nxt: self.snd_nxt,
            again,
        };
        self.control(|cc| cc.on_loss_event(&event));
        self.ecn_until = self.snd_nxt;
        self.last_action = Some(kind);
        self.cwr_due = matches!(self.config.ecn, EcnMode::Classic | EcnMode::Dctcp);
    }

    /// Tells the controller of each segment newly declared lost, if it wants to know.
    #[inline]
    fn tell_losses(&mut self, now: Time) {
        if self.rate.is_some() {
            self.tell_each_loss(now);
        }
    }

    fn tell_each_loss(&mut self, now: Time) {
        for (seq, end) in self.board.take_losses() {
            let loss = self.rate.as_mut().and_then(|rate| rate.on_lost(seq, end));
            if let Some(loss) = loss {
                self.control(|cc| cc.on_lost(now, &loss));
            }
        }
    }

    fn arm_rto(&mut self, now: Time) {
        self.rto_at = if self.board.is_empty() && !self.awaits_timer {
            Time::NEVER
        } else {
            self.config.expiry(now, self.rto())
        };
    }
}
