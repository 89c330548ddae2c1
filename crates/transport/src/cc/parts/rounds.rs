//! Round trips, told apart by sequence numbers.

use sojourn_base::Span;

use crate::cc::AckSample;
use crate::sender::State;

/// Finds the ends of round trips: one ends when the first byte that was still to be sent at its
/// start is acknowledged (RFC 8257, 3.3, steps 4 and 7).
#[derive(Debug, Clone, Copy, Default)]
pub struct Rounds {
    end: u64,
    /// Whether losses were being repaired at the last acknowledgement; only for ns-3.
    recovers: bool,
}

impl Rounds {
    /// Whether a round trip has just ended; if so, the next begins.
    pub fn ended(&mut self, snd_una: u64, snd_nxt: u64) -> bool {
        let ended = snd_una > self.end;
        if ended {
            self.end = snd_nxt;
        }
        ended
    }

    /// The same as in ns-3's controllers and in Linux's DCTCP: a round trip ends already when the
    /// last byte that was sent at its start is acknowledged.
    pub fn reached(&mut self, snd_una: u64, snd_nxt: u64) -> bool {
        let reached = snd_una >= self.end;
        if reached {
            self.end = snd_nxt;
        }
        reached
    }

    /// Begins a round trip, whether or not the last one has ended.
    pub fn begin(&mut self, snd_nxt: u64) {
        self.end = snd_nxt;
    }

    /// Whether an acknowledgement ends a recovery, at which ns-3's controllers begin a round trip.
    pub fn begin_anew(&mut self, ack: &AckSample) -> bool {
        let recovers = matches!(ack.state, State::Recovery | State::Loss);
        let anew = core::mem::replace(&mut self.recovers, recovers) && !recovers;
        if anew {
            self.begin(ack.snd_nxt);
        }
        anew
    }
}

/// Counts what is acknowledged in order, whether it was reported before or not: what Linux tells
/// modules through `pkts_acked`.
#[derive(Debug, Clone, Copy)]
pub struct InOrder {
    una: u64,
}

impl Default for InOrder {
    fn default() -> Self {
        // The number of the first byte.
        Self { una: 1 }
    }
}

impl InOrder {
    /// The bytes by which `snd_una` has moved.
    pub fn moved(&mut self, snd_una: u64) -> u64 {
        let before = core::mem::replace(&mut self.una, snd_una);
        snd_una.saturating_sub(before)
    }
}

/// The RTT samples of a round trip.
#[derive(Debug, Clone, Copy, Default)]
pub struct RoundRtt {
    /// Least of the round; zero before the first.
    pub min: Span,
    /// Samples.
    pub count: u32,
    /// Their sum.
    pub sum: Span,
}

impl RoundRtt {
    /// Takes a sample.
    pub fn sample(&mut self, rtt: Span) {
        if self.count == 0 || rtt < self.min {
            self.min = rtt;
        }
        self.count += 1;
        self.sum += rtt;
    }

    /// Their mean, to the picosecond: if all samples are equal, it is exactly their value.
    pub fn mean(&self) -> Span {
        Span::from_ps(self.sum.as_ps() / u64::from(self.count.max(1)))
    }
}
