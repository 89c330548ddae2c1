//! How long Linux delays an acknowledgement, and after what pause it delays none.
//!
//! `icsk_ack.ato` of Linux 6.1, in `tcp_event_data_recv`, `tcp_send_delayed_ack` and
//! `tcp_delack_timer_handler`. The delay is 40 ms; where segments come at longer intervals, half of
//! its last value plus the interval. It doubles when it has expired, and is at most the round trip
//! of the handshake. After a pause longer than the receiver's own timeout, also one in which a hole
//! was being filled, segments in order are acknowledged one by one.

use sojourn_base::{Span, Time};

/// The least retransmission timeout, in ms.
const LEAST_TIMEOUT: u64 = 200;

/// The delay of acknowledgements, in ms, which are the kernel's ticks.
#[derive(Debug, Clone)]
pub(super) struct Delaying {
    /// The shortest delay, exactly as requested.
    shortest: Span,
    least: u64,
    /// The present delay, and the longest.
    delay: u64,
    longest: u64,
    /// The receiver's own retransmission timeout, as after the handshake.
    timeout: u64,
    /// When data came in order last.
    came: Option<Time>,
}

impl Delaying {
    /// For a new connection.
    pub(super) fn new(shortest: Span) -> Self {
        let least = whole_ms(shortest);
        Self {
            shortest,
            least,
            delay: least,
            longest: least,
            timeout: least.max(LEAST_TIMEOUT),
            came: None,
        }
    }

    /// The first segment took that long: half of the round trip.
    pub(super) fn on_first(&mut self, took: Span) {
        let rtt = whole_ms(took + took);
        self.longest = self.least.max(rtt);
        self.timeout = self.least.max(rtt + LEAST_TIMEOUT.max(2 * rtt));
    }

    /// Data comes in order; returns whether it comes after too long a pause.
    pub(super) fn on_data(&mut self, now: Time) -> bool {
        let Some(last) = self.came.replace(now) else {
            return false;
        };
        let since_start = |at: Time| whole_ms(at.since(Time::ZERO));
        let pause = since_start(now) - since_start(last);
        if pause <= self.least / 2 {
            self.delay = self.least.max(self.delay / 2 + self.least / 2);
        } else if pause < self.delay {
            self.delay = self.timeout.min(self.delay / 2 + pause);
        } else {
            return pause > self.timeout;
        }
        false
    }

    /// Until when data in order changes only the instant of the last data; time zero if it may
    /// change more.
    pub(super) fn is_steady_until(&self) -> Time {
        match self.came {
            Some(came) if self.delay == self.least => came + Span::from_ms(self.least / 2),
            _ => Time::ZERO,
        }
    }

    /// How long an acknowledgement waits now.
    pub(super) fn wait(&self) -> Span {
        if self.delay == self.least {
            return self.shortest;
        }
        Span::from_ms(self.delay.min(self.longest))
    }

    /// An acknowledgement has waited for that delay.
    pub(super) fn on_timer(&mut self) {
        self.delay = self.timeout.min(2 * self.delay);
    }

    /// Segments are acknowledged one by one from now on, or have been until now.
    pub(super) fn shorten(&mut self) {
        self.delay = self.least;
    }
}

fn whole_ms(span: Span) -> u64 {
    span.as_ps() / Span::from_ms(1).as_ps()
}
