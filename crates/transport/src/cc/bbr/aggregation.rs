//! How much more is acknowledged at once than the bandwidth alone would deliver. This much more
//! must be in flight if the path is not to run dry while acknowledgements are being combined.

use sojourn_base::{Span, Time};

/// How a stretch of acknowledgements is measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// A stretch ends before it contains this many bytes.
    pub(super) longest: f64,
    /// Its time is counted in whole steps of this length.
    pub(super) step: Span,
}

/// The largest excess over the expected amount in the last five to ten round trips.
#[derive(Debug, Clone)]
pub(super) struct Aggregation {
    rules: Rules,
    began: Time,
    acked: f64,
    /// The largest excess in the present round trips, and in those before.
    extra: [f64; 2],
    rounds: u32,
}

/// Round trips after which the older maximum is forgotten.
const ROUNDS: u32 = 5;
/// At most what arrives in this time is allowed for.
const MOST_S: f64 = 0.1;

impl Aggregation {
    pub(super) fn new(rules: Rules) -> Self {
        Self {
            rules,
            began: Time::ZERO,
            acked: 0.0,
            extra: [0.0; 2],
            rounds: 0,
        }
    }

    /// The connection was idle: a new stretch begins.
    pub(super) fn restart(&mut self, now: Time) {
        (self.began, self.acked) = (now, 0.0);
    }

    /// `acked` bytes were acknowledged at once; the excess is at most the window.
    pub(super) fn on_ack(&mut self, now: Time, acked: f64, bandwidth: f64, cwnd: f64, round: bool) {
        if round {
            self.rounds += 1;
            if self.rounds >= ROUNDS {
                self.rounds = 0;
                self.extra = [0.0, self.extra[0]];
            }
        }
        let steps = now.since(self.began).as_ps() / self.rules.step.as_ps();
        let mut expected = bandwidth * self.rules.step.as_s() * steps as f64;
        if self.acked <= expected || self.acked + acked >= self.rules.longest {
            self.restart(now);
            expected = 0.0;
        }
        self.acked += acked;
        self.extra[0] = self.extra[0].max((self.acked - expected).min(cwnd));
    }

    /// The number of bytes that are allowed for it.
    pub(super) fn room(&self, bandwidth: f64) -> f64 {
        self.extra[0].max(self.extra[1]).min(MOST_S * bandwidth)
    }
}
