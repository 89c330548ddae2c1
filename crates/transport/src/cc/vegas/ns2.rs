//! How the window of ns-2's Vegas grows.

use sojourn_base::Time;

use super::Vegas;
use crate::cc::AckSample;
use crate::cc::parts::window::LEAST;
use crate::cc::parts::{MinRtt, RoundRtt};
use crate::sender::State;

/// By how many segments the window may exceed what is outstanding, with the next, and still grow.
const SLACK: f64 = 2.0;

/// What a round trip has decided for the next.
#[derive(Debug, Clone, Default)]
pub(super) struct Growth {
    /// The first number of the round trip (`v_begseq_`).
    from: u64,
    /// When it began.
    since: Time,
    /// By how much each acknowledgement grows the window, in segments (`v_incr_`).
    gain: f64,
    /// Whether slow start held still in the round trip before: it grows in every second one.
    held: bool,
    /// The initial window, until the first data is acknowledged.
    initial: Option<f64>,
}

impl Vegas {
    /// `VegasTcpAgent::recv`, for an acknowledgement of new data.
    pub(super) fn grow_like_ns2(&mut self, ack: &AckSample) {
        if ack.state == State::Recovery {
            return;
        }
        if ack.is_of_syn() {
            self.ns2.initial = Some(core::mem::replace(&mut self.window.cwnd, 1.0));
        } else if let Some(initial) = self.ns2.initial.take() {
            self.window.cwnd = initial;
        }
        // What is outstanding, with the segment to be sent next.
        let ahead = self.window.segments(ack.in_flight) + 1.0;
        if ack.snd_una > self.ns2.from {
            self.end_round_like_ns2(ack, ahead);
        }
        let window = &mut self.window;
        if self.ns2.gain >= 1.0 && !window.in_slow_start() {
            self.ns2.gain = 0.0;
        }
        if window.cwnd - ahead <= SLACK {
            window.cwnd += self.ns2.gain;
        }
        // The SYN is as large as data there: a small one would be faster than any data.
        if let Some(rtt) = ack.rtt.filter(|_| !ack.is_of_syn()) {
            self.base.sample(rtt);
            self.round.sample(rtt);
        }
    }

    fn end_round_like_ns2(&mut self, ack: &AckSample, ahead: f64) {
        let rtt = if self.round.count > 0 {
            self.round.mean()
        } else {
            ack.now.since(self.ns2.since)
        };
        let sent = self.window.segments(ack.snd_nxt - self.ns2.from);
        let is_first = self.ns2.from == 0;
        self.round = RoundRtt::default();
        (self.ns2.from, self.ns2.since) = (ack.snd_nxt, ack.now);
        if is_first {
            self.ns2.held = true;
            return;
        }
        if sent <= 1.0 {
            self.base = MinRtt::default();
        }
        self.base.sample(rtt);
        let diff = libm::trunc(ahead - sent * self.base.as_s() / rtt.as_s() + 0.5);
        self.ns2.gain = if self.window.in_slow_start() {
            self.ns2.held = !self.ns2.held;
            self.gain_in_slow_start(diff)
        } else if diff > self.params.beta {
            self.window.cwnd = (self.window.cwnd - 1.0).max(LEAST);
            0.0
        } else if diff < self.params.alpha {
            1.0 / self.window.cwnd
        } else {
            0.0
        };
    }

    fn gain_in_slow_start(&mut self, diff: f64) -> f64 {
        if self.ns2.held {
            return 0.0;
        }
        if diff <= self.params.gamma {
            return 1.0;
        }
        let cwnd = self.window.cwnd;
        self.window.ssthresh = LEAST;
        self.window.cwnd = (cwnd - cwnd / 8.0).max(LEAST);
        0.0
    }
}
