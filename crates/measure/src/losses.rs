//! When losses come, and to how many flows at once (RFC 7928, sections 2.3 and 2.4).

use std::collections::VecDeque;

use sojourn_base::{Span, Time};
use sojourn_engine::{FlowId, SimPacket};

use crate::Sketch;

/// What is lost of one flow, of the packets that it sent in the window.
#[derive(Debug, Clone, Copy)]
pub struct FlowLosses {
    /// How many.
    pub packets: u64,
    /// When the first of them was sent.
    first: Time,
    /// When the last was.
    last: Time,
}

impl Default for FlowLosses {
    fn default() -> Self {
        Self {
            packets: 0,
            first: Time::NEVER,
            last: Time::ZERO,
        }
    }
}

impl FlowLosses {
    /// A packet sent at `sent` is lost; one sent sooner may be lost later, further on.
    pub(crate) fn add(&mut self, sent: Time) {
        self.packets += 1;
        self.first = self.first.min(sent);
        self.last = self.last.max(sent);
    }

    /// How many gaps there are between losses, and their sum: a gap is the time between the sending
    /// of one packet that is lost and of the next.
    pub fn gaps(&self) -> (u64, Span) {
        (self.packets - 1, self.last.since(self.first))
    }
}

/// The flows whose data goes over a link.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Crossing {
    /// How many.
    pub flows: u32,
    /// The longest of their round trips, as propagation alone has it.
    pub base_rtt: Span,
}

/// What a link dropped in the window.
#[derive(Debug, Clone, Default)]
pub struct LinkLosses {
    /// When it dropped first and last.
    at: Option<(Time, Time)>,
    /// The times between one drop and the next.
    pub gaps: Sketch,
    /// Drops of data that belong together.
    pub events: LossEvents,
}

impl LinkLosses {
    /// The link drops `packet`.
    pub(crate) fn add(&mut self, now: Time, packet: &SimPacket, crossing: &Crossing) {
        if let Some((_, last)) = self.at {
            self.gaps.add(now.since(last));
        }
        self.at = Some((self.at.map_or(now, |(first, _)| first), now));
        if packet.is_data() {
            self.events.add(now, packet.flow(), crossing.base_rtt);
        }
    }

    /// All gaps together.
    pub fn gap_sum(&self) -> Span {
        self.at
            .map_or(Span::ZERO, |(first, last)| last.since(first))
    }
}

/// Loss events: a first drop, and what is dropped less than a round trip later, before any sender
/// can have answered. So does RFC 5348, section 5.2, gather what one sender loses, but that a loss
/// exactly a round trip later is of the same event there. The round trip is that of the time:
/// propagation, and the wait of the first packet to leave of those that come after the first drop
/// and have to wait.
#[derive(Debug, Clone, Default)]
pub struct LossEvents {
    /// How many.
    pub count: u64,
    /// Packets of data that were dropped in them.
    pub packets: u64,
    /// Flows that lost any, summed over the events.
    pub flows: u64,
    /// When the latest began, and its wait, once it is known.
    began: Time,
    wait: Option<Span>,
    /// The wait that was known last.
    last_wait: Span,
    /// Drops that belong to it if its wait is long enough.
    open: VecDeque<(Time, FlowId)>,
    /// The flows that lost in it, and a bit for each that did.
    losers: Vec<FlowId>,
    has_lost: Vec<u64>,
}

impl LossEvents {
    fn add(&mut self, now: Time, flow: FlowId, base_rtt: Span) {
        self.open.push_back((now, flow));
        self.settle(base_rtt);
    }

    /// From which arrival on a packet tells the wait of the latest; never where that is known. Of
    /// one that comes at that instant it may be heard before the drop or after it.
    pub(crate) fn asks_from(&self) -> Time {
        if self.count > 0 && self.wait.is_none() {
            self.began + Span::from_ps(1)
        } else {
            Time::NEVER
        }
    }

    /// A packet has waited that came at `stamp`.
    pub(crate) fn waited(&mut self, stamp: Time, wait: Span, base_rtt: Span) {
        while stamp >= self.asks_from() {
            self.wait = Some(wait);
            self.last_wait = wait;
            self.settle(base_rtt);
        }
    }

    /// Decides on the open drops, as far as the wait is known.
    fn settle(&mut self, base_rtt: Span) {
        while let Some(&(at, flow)) = self.open.front() {
            let gone = at.since(self.began);
            if self.count == 0 || self.wait.is_some_and(|wait| gone >= base_rtt + wait) {
                self.begin(at);
            } else if self.wait.is_none() && gone >= base_rtt {
                return;
            }
            self.open.pop_front();
            self.lose(flow);
        }
    }

    fn begin(&mut self, at: Time) {
        self.count += 1;
        self.began = at;
        self.wait = None;
        for loser in self.losers.drain(..) {
            self.has_lost[loser as usize / 64] = 0;
        }
    }

    fn lose(&mut self, flow: FlowId) {
        self.packets += 1;
        let (word, bit) = (flow as usize / 64, 1 << (flow % 64));
        if self.has_lost.len() <= word {
            self.has_lost.resize(word + 1, 0);
        }
        if self.has_lost[word] & bit == 0 {
            self.has_lost[word] |= bit;
            self.losers.push(flow);
            self.flows += 1;
        }
    }

    /// Nothing more will come: a wait that is still unknown is taken to be as the last one, or none
    /// where nothing ever waited.
    pub fn close(&mut self, base_rtt: Span) {
        while !self.open.is_empty() {
            self.wait = Some(self.last_wait);
            self.settle(base_rtt);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_ms(ms)
    }

    const RTT: Span = Span::from_ms(10);

    fn counted(events: &LossEvents) -> (u64, u64, u64) {
        let mut events = events.clone();
        events.close(RTT);
        (events.count, events.packets, events.flows)
    }

    #[test]
    fn an_event_is_what_is_lost_within_a_round_trip_of_its_first_loss() {
        let mut events = LossEvents::default();
        // Where nothing waits: {0, 0, 70 at 9} {0 at 10, 1 at 12} {0 at 25}.
        for (ms, flow) in [(0, 0), (5, 0), (9, 70), (10, 0), (12, 1), (25, 0)] {
            events.add(at(ms), flow, RTT);
            events.waited(at(ms), Span::ZERO, RTT);
        }
        assert_eq!(counted(&events), (3, 6, 5));
    }

    #[test]
    fn a_round_trip_has_the_wait_of_the_time_whenever_that_is_heard_of() {
        // Waits of 20 ms after the first drop, of none after the one at 31: {0 at 0, 1 at 29} {1 at
        // 31, 2 at 40} {2 at 42}. What waited before the drop does not count.
        let drops = [(0, 0), (29, 1), (31, 1), (40, 2), (42, 2)];
        let waits = [(1, 20), (33, 0), (44, 0)];
        let (mut late, mut soon) = (LossEvents::default(), LossEvents::default());
        soon.waited(at(0), Span::from_ms(70), RTT);
        for (ms, flow) in drops {
            late.add(at(ms), flow, RTT);
            soon.add(at(ms), flow, RTT);
            for (came, wait) in waits {
                if came >= ms && came < ms + 11 {
                    soon.waited(at(came), Span::from_ms(wait), RTT);
                }
            }
        }
        // As if nothing ever waited: {0 at 0} {1 at 29, 1 at 31} {2 at 40, 2 at 42}.
        assert_eq!(counted(&late), (3, 5, 3));
        for (came, wait) in waits {
            late.waited(at(came), Span::from_ms(wait), RTT);
        }
        assert_eq!(counted(&late), (3, 5, 5));
        assert_eq!(counted(&soon), counted(&late));
    }

    #[test]
    fn what_comes_with_the_first_loss_tells_nothing() {
        let (mut before, mut behind) = (LossEvents::default(), LossEvents::default());
        before.waited(at(5), Span::from_ms(1), RTT);
        for events in [&mut before, &mut behind] {
            events.add(at(5), 0, RTT);
        }
        behind.waited(at(5), Span::from_ms(1), RTT);
        for events in [&mut before, &mut behind] {
            events.waited(at(6), Span::from_ms(30), RTT);
            events.add(at(25), 0, RTT);
            assert_eq!(counted(events), (1, 2, 1));
        }
    }

    #[test]
    fn gaps_lie_between_the_sending_of_losses_whatever_is_heard_of_first() {
        let mut lost = FlowLosses::default();
        lost.add(at(30));
        assert_eq!(lost.gaps(), (0, Span::ZERO));
        lost.add(at(10));
        lost.add(at(50));
        assert_eq!(lost.gaps(), (2, Span::from_ms(40)));
    }
}
