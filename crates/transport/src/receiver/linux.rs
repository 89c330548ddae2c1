//! What only Linux's receivers do: windows that [grow](super::growth), acknowledgements that are
//! [gathered](super::gathering), and a [delay](super::delaying) that follows the segments.

use sojourn_base::{Span, Time};

use crate::params::Config;
use crate::wire::Segment;

use super::Receiver;
use super::delaying::Delaying;
use super::gathering::Gathering;
use super::growth::Growth;

/// What only Linux's receivers do.
#[derive(Debug)]
pub(super) struct Linux {
    /// The window, if it may still grow; segments by which it does are acknowledged at once.
    pub(super) growth: Option<Growth>,
    /// Acknowledgements that wait while segments are missing.
    pub(super) gathering: Gathering,
    /// How long an acknowledgement is delayed.
    pub(super) delaying: Delaying,
}

impl Linux {
    /// The initial state of a new connection.
    pub(super) fn new(config: &Config) -> Self {
        Self {
            growth: (config.acks.grows_window).then(|| Growth::new(config)),
            gathering: Gathering::default(),
            delaying: Delaying::new(config.acks.delayed_ack_timeout),
        }
    }

    /// Until when a segment in order is handled like those before it.
    pub(super) fn is_steady_until(&self) -> Time {
        let growth = self.growth.as_ref();
        let rests = growth.map_or(Time::NEVER, Growth::rests_until);
        rests.min(self.delaying.is_steady_until())
    }
}

impl Receiver {
    /// Another segment like those before it has arrived. Out of line, since it is needed only under
    /// Linux.
    #[inline(never)]
    pub(super) fn stay_steady(&mut self, now: Time) {
        if let Some(linux) = &mut self.linux {
            linux.delaying.on_data(now);
            self.steady_until = linux.is_steady_until();
        }
    }

    /// Until when the acknowledgement of a segment may wait while others are missing, if it may.
    pub(super) fn gather(&mut self, now: Time) -> Option<Time> {
        let has_moved = self.rcv_nxt - self.last_ack > u64::from(self.config.mss);
        if !self.config.acks.gathers_acks || self.ranges.is_empty() || has_moved {
            return None;
        }
        let linux = self.linux.as_mut()?;
        linux.gathering.on_segment(now, self.rcv_nxt)
    }

    /// Whether an acknowledgement waits for this reason.
    pub(super) fn gathers(&self) -> bool {
        self.linux
            .as_ref()
            .is_some_and(|linux| linux.gathering.is_waiting())
    }

    /// How long an acknowledgement is delayed now.
    pub(super) fn delay(&self) -> Span {
        match &self.linux {
            Some(linux) => linux.delaying.wait(),
            None => self.config.acks.delayed_ack_timeout,
        }
    }

    /// Sets Linux's delay to the shortest again.
    pub(super) fn shorten_delay(&mut self) {
        if let Some(linux) = &mut self.linux {
            linux.delaying.shorten();
        }
    }

    /// Acknowledges the next segments one by one, as Linux does.
    pub(super) fn hurry(&mut self, segments: u64) {
        if self.config.acks.hurries_acks {
            self.quick_acks = self.quick_acks.max(segments);
            self.shorten_delay();
        }
    }

    /// Whether the window grows by a segment.
    pub(super) fn lets_window_grow(&mut self, now: Time, segment: &Segment) -> bool {
        let expected = self.rcv_nxt;
        let Some(growth) = self.linux.as_mut().and_then(|linux| linux.growth.as_mut()) else {
            return false;
        };
        if segment.len == 0 || now < growth.rests_until() {
            return false;
        }
        let grows = growth.on_segment(now, segment.len, segment.stamp, expected);
        self.window = growth.window();
        grows
    }

    /// The application reads what has come in order.
    pub(super) fn read(&mut self, now: Time) {
        if let Some(linux) = &mut self.linux
            && let Some(growth) = &mut linux.growth
            && now >= growth.rests_until()
            && growth.on_read(now, self.rcv_nxt)
        {
            linux.growth = None;
        }
    }
}
