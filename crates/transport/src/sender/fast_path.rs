//! The fast path: the acknowledgement that nearly always comes, and the segments that it allows to
//! be sent. It takes a small part of the work that [`on_ack`](Sender::on_ack) does for any
//! acknowledgement.
//!
//! This is Van Jacobson's header prediction (1990), used for the same reason as in every stack:
//! outside recovery an acknowledgement covers the oldest segments, reports nothing and reveals no
//! problem. What remains to be done then concerns the round-trip time, the controller, and the edge
//! up to which full segments may be sent. The fast path and the slow path lead to the same state,
//! which `fast_path_tests.rs` checks.
//!
//! **Timers.** Each such acknowledgement or segment restarts the timers of retransmission and of
//! the probe, which hardly ever expire. So only the instants of the last ones are noted
//! (`expected_at`, `last_send`). The timers are worked out when the caller asks for them, and set
//! as soon as anything else happens. Nothing on which they depend changes before that.

use sojourn_base::{Ecn, Time};

use super::ack::Before;
use super::ack_info::AckInfo;
use super::{Sender, State};
use crate::cc::CongestionControl;
use crate::params::Config;
use crate::wire::{Ack, Segment};

/// Whether a connection's settings allow for the fast path at all: losses are found by RACK,
/// timestamps measure the round trip, and the send buffer is no limit.
pub(super) fn has_fast_path(config: &Config) -> bool {
    config.rack && config.timestamps && !config.writes_in_pieces
}

/// Full segments of new data that are sent at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Burst {
    /// How many.
    pub segments: u32,
    /// Number of the first byte of the first.
    pub seq: u64,
    /// Bytes of payload of each.
    pub len: u32,
    /// ECN codepoint to send them with.
    pub ecn: Ecn,
    /// Whether the last of them bears PSH.
    pub push: bool,
    /// Whether more may be sent. For [unlike](Sender::poll_unlike) segments: another burst.
    /// Otherwise, and after an empty burst, [`poll_send`](Sender::poll_send) has to find out.
    pub more: bool,
}

impl Burst {
    /// Segment number `index`, sent at `now`.
    #[inline]
    pub fn segment(&self, index: u32, now: Time) -> Segment {
        Segment {
            seq: self.seq + u64::from(index) * u64::from(self.len),
            len: self.len,
            syn: false,
            fin: false,
            retransmission: false,
            cwr: false,
            push: self.push && index + 1 == self.segments,
            ecn: self.ecn,
            stamp: now,
        }
    }
}

#[allow(clippy::inline_always)] // once a packet, each called from one place
impl Sender {
    /// Whether nothing is wrong, unsettled or still to be done. Expected acknowledgements and
    /// segments do not change this, so `fast_path` stays as it is.
    pub(super) fn may_take_fast_path(&self) -> bool {
        let to_do = self.cwr_due || self.force || self.probe_due || self.window_probe;
        let to_do = to_do || self.awaits_timer;
        self.has_fast_path
            && self.state == State::Open
            && self.snd_una > 0
            && self.edge_heard
            && self.dupacks == 0
            && !self.last_was_duplicate
            && self.probe.is_none()
            && self.sampled_since_probe
            && self.reorder_at == Time::NEVER
            && self.board.is_untouched()
            && self.is_settled()
            && !to_do
    }

    /// Whether an acknowledgement of sent data is the expected one in every respect.
    #[inline(always)]
    pub(crate) fn is_expected(&self, ack: &Ack) -> bool {
        self.fast_path
            && ack.ack > self.snd_una
            && ack.ack <= self.snd_nxt
            && ack.sack.is_empty()
            && !ack.ece
            && !(self.counts_marks && ack.ce_bytes > self.ce_seen)
            && ack.echo.is_some()
    }

    /// An acknowledgement arrived that [is expected](Self::is_expected).
    #[inline(always)]
    pub(super) fn process_ack_fast(&mut self, now: Time, ack: &Ack) {
        let before = Before {
            state: State::Open,
            una: self.snd_una,
            flight: self.outstanding(),
            window: self.cwnd,
            lost_ever: 0,
            backed_off: 0,
        };
        let last = self.board.acknowledge_untouched(ack.ack);
        if let Some(last) = &last {
            // Of segments that came in their order, the last tells RACK as much as all.
            self.rack.on_delivered_in_order(last, now);
        }
        if let Some(rate) = &mut self.rate {
            rate.on_delivered_in_order(ack.ack);
        }
        self.right_edge = ack.ack.saturating_add(ack.window);
        self.snd_una = ack.ack;
        let rtt = ack.echo.map(|echo| now.since(echo));
        if let Some(rtt) = rtt {
            self.take_rtt(now, rtt);
        }
        let moved = ack.ack - before.una;
        self.delivered += moved;
        let cwnd_limited = before.una < self.limited_until;
        let may_grow = self.is_limited(&before, cwnd_limited);
        if let Some(cwnd) = self.cc.on_acked(moved, may_grow) {
            self.cwnd = cwnd;
        } else {
            let info = AckInfo {
                advanced: true,
                duplicate: false,
                delivered: moved,
                counted: moved,
                cumulative: moved,
                sacked_before: 0,
                moved,
                rtt: if self.config.rtt.last_rtt {
                    last.map(|last| now.since(last.xmit))
                } else {
                    rtt
                },
                lost: 0,
                repairs: false,
                acks_originals: false,
                rearms_rto: false,
                is_disordered: false,
            };
            self.notify_controller(now, ack, &info, before.flight, cwnd_limited, may_grow);
        }
        self.expected_at = if self.board.is_empty() {
            self.rto_at = Time::NEVER;
            self.pto_at = Time::NEVER;
            Time::NEVER
        } else {
            now
        };
    }

    /// When the probe timer expires that [expected](self) acknowledgements and segments have
    /// started. It is never later than the retransmission timer.
    #[inline]
    pub(super) fn next_started(&self) -> Time {
        let started = self.expected_at.max(self.last_send);
        let pto_at = self.config.expiry(started, self.probe_wait());
        // Nearly always: no timeout is shorter, so that this one need not be worked out.
        if pto_at <= self.expected_at + self.config.rto.min {
            return pto_at;
        }
        pto_at.min(self.config.expiry(self.expected_at, self.rto()))
    }

    /// Sets the timers, since what follows may need or change them.
    #[inline]
    pub(super) fn set_started_timers(&mut self) {
        if self.expected_at < Time::NEVER {
            self.pto_at = self.next_started();
            self.rto_at = self.config.expiry(self.expected_at, self.rto());
            self.expected_at = Time::NEVER;
        }
    }

    /// The full segments of new data for which the last acknowledgement has made room, if they are
    /// all alike. To be asked before [`poll_send`](Self::poll_send), which on its own gives the
    /// very same segments one by one, at a higher cost.
    #[inline(always)]
    pub fn poll_burst(&mut self, now: Time) -> Burst {
        let mut burst = self.no_burst();
        if self.expected_at == Time::NEVER || self.is_unlike() {
            return burst;
        }
        self.send_at_once(now, self.full_edge(), &mut burst);
        self.look_for_more(&mut burst);
        burst
    }

    /// The same if they are not all alike: each segment is examined, or they are passed down in
    /// buffers, one of which is sent.
    pub fn poll_unlike(&mut self, now: Time) -> Burst {
        let mut burst = self.no_burst();
        if self.expected_at == Time::NEVER || !self.is_unlike() {
            return burst;
        }
        if self.config.pace.tso_buffers && self.defers(now) {
            self.held_by_pace = false;
            burst.more = false;
            return burst;
        }
        let edge = self.full_edge();
        let buffer = self.config.pace.tso_buffers.then(|| self.next_buffer(now));
        let end = buffer.map_or(edge, |buffer| buffer.edge(self.snd_nxt, burst.len));
        let is_held = self.steps && self.send_in_step(now, end.min(edge), &mut burst);
        if !self.steps {
            self.send_at_once(now, end.min(edge), &mut burst);
        }
        if let Some(mut buffer) = buffer
            && burst.segments > 0
        {
            burst.push = buffer.take(burst.segments);
            self.buffer = buffer;
        }
        if is_held {
            burst.more = false;
        } else if self.snd_nxt + u64::from(burst.len) > edge {
            self.look_for_more(&mut burst);
        }
        burst
    }

    /// Whether segments that are sent at once are not all alike.
    #[inline(always)]
    fn is_unlike(&self) -> bool {
        self.steps || self.config.pace.tso_buffers
    }

    #[inline(always)]
    fn no_burst(&self) -> Burst {
        Burst {
            segments: 0,
            seq: self.snd_nxt,
            len: self.config.mss,
            ecn: self.codepoint,
            push: false,
            more: true,
        }
    }

    /// The number up to which full segments may be sent.
    #[inline(always)]
    fn full_edge(&self) -> u64 {
        let window = self.cwnd.min(self.config.window);
        self.right_edge
            .min(self.snd_una.saturating_add(window))
            // The last segment of a stream may be short, and a FIN may ride on it.
            .min(self.written - 1)
    }

    /// Whether more may be sent than full segments up to the edge.
    #[inline(always)]
    fn look_for_more(&mut self, burst: &mut Burst) {
        let end = self.snd_nxt + u64::from(burst.len);
        burst.more = end >= self.written;
        if !burst.more && end > self.snd_una.saturating_add(self.cwnd) {
            // Not the receiver's window alone is what lacks.
            self.limited_until = self.snd_nxt;
        }
    }

    /// Sends full segments up to `edge`.
    #[inline(always)]
    fn send_at_once(&mut self, now: Time, edge: u64, burst: &mut Burst) {
        let mut end = self.snd_nxt + u64::from(burst.len);
        while end <= edge {
            self.board.push(self.snd_nxt, burst.len, now);
            self.snd_nxt = end;
            end += u64::from(burst.len);
            burst.segments += 1;
        }
        if burst.segments > 0 {
            self.last_send = now;
            self.counts.segments += u64::from(burst.segments);
        }
    }

    /// The same, with each segment handled by itself: when the pacing clock allows it, and with a
    /// stamp for the rate. Returns whether the clock holds back more.
    #[inline(never)]
    fn send_in_step(&mut self, now: Time, edge: u64, burst: &mut Burst) -> bool {
        while !(self.config.pacing && self.is_paced_out(now)) {
            let (seq, end) = (self.snd_nxt, self.snd_nxt + u64::from(burst.len));
            if end > edge {
                return false;
            }
            self.stamp_rate(now, seq, end, false);
            self.board.push(seq, burst.len, now);
            self.snd_nxt = end;
            if self.config.pacing {
                self.pace(now, burst.len);
            }
            self.last_send = now;
            self.counts.segments += 1;
            burst.segments += 1;
        }
        true
    }
}

#[cfg(test)]
impl Sender {
    pub(crate) fn disable_fast_path(&mut self) {
        self.has_fast_path = false;
    }

    /// Its whole state, except what only the fast path or only the slow path uses.
    pub(crate) fn shown(&mut self) -> String {
        let kept = (self.has_fast_path, self.fast_path, self.flight);
        let timers = (self.expected_at, self.pto_at, self.rto_at);
        self.set_started_timers();
        (self.has_fast_path, self.fast_path, self.flight) = (false, false, 0);
        let shown = format!("{self:?}");
        (self.has_fast_path, self.fast_path, self.flight) = kept;
        (self.expected_at, self.pto_at, self.rto_at) = timers;
        shown
    }
}
