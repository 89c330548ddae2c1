//! What connections have done: the window over time, and the counts that appear in tables.

use sojourn_base::Time;

use super::Connection;

/// The congestion window over time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct WindowTally {
    /// Its integral up to `since`, in byte-picoseconds.
    area: u128,
    cwnd: u64,
    since: Time,
}

impl WindowTally {
    pub(super) const fn new(now: Time, cwnd: u64) -> Self {
        Self {
            area: 0,
            cwnd,
            since: now,
        }
    }

    /// Notes the window, which may just have changed.
    #[inline]
    pub(super) fn note(&mut self, now: Time, cwnd: u64) {
        if cwnd != self.cwnd {
            *self = Self {
                area: self.area_at(now),
                cwnd,
                since: now,
            };
        }
    }

    pub(super) fn area_at(&self, now: Time) -> u128 {
        self.area + u128::from(self.cwnd) * u128::from(now.since(self.since).as_ps())
    }
}

/// What the connections of a flow have done since the start of the run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Segments of the flow's data sent again.
    pub retransmits: u64,
    /// Expiries of retransmission timers.
    pub timeouts: u64,
    /// Reductions of the window in answer to an echo of marks.
    pub ecn_reductions: u64,
    /// Payload bytes that the sender knows to have arrived in order.
    pub acknowledged: u64,
    /// RTT samples.
    pub rtt_samples: u64,
    /// Their sum in picoseconds.
    pub rtt_sum: u128,
    /// Integral of the congestion window, in segments, over the time that connections were open,
    /// in picoseconds.
    pub cwnd_time: f64,
    /// That time in picoseconds, summed over connections.
    pub open_time: u128,
}

impl Tally {
    /// Adds what one connection has done up to `now`.
    pub(super) fn add(&mut self, connection: &Connection, now: Time) {
        let half = &connection.forward;
        let counts = half.sender.counts();
        self.retransmits += counts.retransmits;
        self.timeouts += counts.timeouts;
        self.ecn_reductions += counts.ecn_reductions;
        self.acknowledged += half.sender.acknowledged();
        self.rtt_samples += counts.rtt_samples;
        self.rtt_sum += counts.rtt_sum;
        let mss = f64::from(half.sender.config().mss);
        self.cwnd_time += half.tally.area_at(now) as f64 / mss;
        self.open_time += u128::from(now.since(connection.opened).as_ps());
    }

    /// What was done between `before` and this tally.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            retransmits: self.retransmits - before.retransmits,
            timeouts: self.timeouts - before.timeouts,
            ecn_reductions: self.ecn_reductions - before.ecn_reductions,
            acknowledged: self.acknowledged - before.acknowledged,
            rtt_samples: self.rtt_samples - before.rtt_samples,
            rtt_sum: self.rtt_sum - before.rtt_sum,
            cwnd_time: self.cwnd_time - before.cwnd_time,
            open_time: self.open_time - before.open_time,
        }
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            retransmits: self.retransmits + other.retransmits,
            timeouts: self.timeouts + other.timeouts,
            ecn_reductions: self.ecn_reductions + other.ecn_reductions,
            acknowledged: self.acknowledged + other.acknowledged,
            rtt_samples: self.rtt_samples + other.rtt_samples,
            rtt_sum: self.rtt_sum + other.rtt_sum,
            cwnd_time: self.cwnd_time + other.cwnd_time,
            open_time: self.open_time + other.open_time,
        }
    }
}
