//! The acknowledgement that nearly always comes, and the segment that it lets go: what is reckoned
//! for them is a small part of what [`on_ack`](Sender::on_ack) reckons for any.
//!
//! Van Jacobson's header prediction (1990), for the same reason as in every stack: outside recovery
//! an acknowledgement covers the oldest segments, reports nothing and finds nothing amiss. What
//! remains then is the round-trip time, the controller, two timers, and the edge up to which full
//! segments may go. Both ways lead to the same state: `both_ways.rs` holds them against each other.

use sojourn_base::Time;

use super::ack::Before;
use super::read::Heard;
use super::{Sender, State};
use crate::cc::Needs;
use crate::params::Config;
use crate::wire::{Ack, Segment};

/// Whether a connection's settings and controller allow for the short way at all: losses are found
/// by RACK, timestamps measure the round trip, nobody asks for rate samples and nothing is paced.
pub(super) fn predicts(config: &Config, needs: Needs) -> bool {
    config.rack && config.timestamps && !config.pacing && !needs.rate_samples
}

#[allow(clippy::inline_always)] // once or twice a packet, each called from one place
impl Sender {
    /// Whether an acknowledgement of sent data is all that is expected of one.
    #[inline(always)]
    pub(crate) fn is_expected(&self, ack: &Ack) -> bool {
        self.predicts
            && self.state == State::Open
            && ack.ack > self.snd_una
            && self.snd_una > 0
            && ack.sack.is_empty()
            && !ack.ece
            && ack.echo.is_some()
            && self.probe.is_none()
            && self.board.is_untouched()
    }

    /// How things stand before such an acknowledgement.
    #[inline(always)]
    pub(super) fn before_expected(&self) -> Before {
        Before {
            state: State::Open,
            una: self.snd_una,
            flight: self.outstanding(),
            window: self.cwnd,
            lost: 0,
        }
    }

    /// Brings the scoreboard and the RTT up to date.
    #[inline(always)]
    pub(super) fn read_expected(&mut self, now: Time, ack: &Ack) -> Heard {
        let moved = ack.ack - self.snd_una;
        if let Some(last) = self.board.acknowledge_untouched(ack.ack) {
            // Of segments that came in their order, the last tells RACK as much as all.
            self.rack.on_delivered(&last, now, ack.echo, self.rtt.min());
        }
        self.edge_heard = true;
        self.right_edge = ack.ack.saturating_add(ack.window);
        self.snd_una = ack.ack;
        let rtt = ack.echo.map(|echo| now.since(echo));
        if let Some(rtt) = rtt {
            self.take_rtt(now, rtt);
        }
        self.delivered += moved;
        Heard {
            advanced: true,
            duplicate: false,
            delivered: moved,
            cumulative: moved,
            sacked_before: 0,
            moved,
            rtt,
            lost: 0,
        }
    }

    /// What follows from it where no segment is in doubt: nothing is lost, nothing ends or begins.
    #[inline(always)]
    pub(super) fn follow_expected(&mut self, now: Time, ack: &Ack, heard: &Heard, before: &Before) {
        self.last_was_duplicate = false;
        self.dupacks = 0;
        self.reorder_at = Time::NEVER;
        let cwnd_limited = before.una < self.limited_until;
        let may_grow = self.is_limited(before, cwnd_limited);
        self.tell_controller(now, ack, heard, before.flight, cwnd_limited, may_grow);
        if self.board.is_empty() {
            self.rto_at = Time::NEVER;
            self.pto_at = Time::NEVER;
            return;
        }
        self.rto_at = now + self.rto();
        self.schedule_probe(now);
        let more = self.cwr_due || self.force || self.probe_due || self.window_probe;
        self.open_until = if more {
            0
        } else {
            let window = self.cwnd.min(self.config.window);
            self.right_edge
                .min(self.snd_una.saturating_add(window))
                // The last segment of a stream may be short, and a FIN may ride on it.
                .min(self.written - 1)
        };
    }

    /// Full segments of new data, where the acknowledgement before has made room for them, and what
    /// there is to note when they have used it up. None where the end of the data is near or no such
    /// acknowledgement has come: then it is for [`poll_send`](Sender::poll_send) to find out.
    #[inline(always)]
    pub(super) fn send_expected(&mut self, now: Time) -> Option<Next> {
        if self.open_until == 0 {
            return None;
        }
        let (seq, len) = (self.snd_nxt, self.config.mss);
        let end = seq + u64::from(len);
        if end > self.open_until {
            self.open_until = 0;
            if end >= self.written {
                return None;
            }
            if end > self.snd_una.saturating_add(self.cwnd) {
                // Not the receiver's window alone is what lacks.
                self.limited_until = seq;
            }
            return Some(Next::Nothing);
        }
        self.board.push(seq, len, now);
        self.snd_nxt = end;
        self.burst_left -= 1;
        self.last_send = Some(now);
        self.pto_at = (now + self.probe_wait()).min(self.rto_at);
        self.counts.segments += 1;
        Some(Next::Segment(Segment {
            seq,
            len,
            syn: false,
            fin: false,
            retransmission: false,
            cwr: false,
            ecn: self.data_codepoint(),
            stamp: now,
        }))
    }
}

/// What comes next.
pub(super) enum Next {
    /// A segment goes out.
    Segment(Segment),
    /// There is no room for another.
    Nothing,
}

#[cfg(test)]
impl Sender {
    pub(crate) fn take_no_short_way(&mut self) {
        self.predicts = false;
    }

    /// All of its state but what belongs to the short way.
    pub(crate) fn shown(&mut self) -> String {
        let kept = (self.predicts, self.open_until);
        (self.predicts, self.open_until) = (false, 0);
        let shown = format!("{self:?}");
        (self.predicts, self.open_until) = kept;
        shown
    }
}
