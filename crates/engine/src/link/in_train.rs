//! What a link does with packets that go through it in a [train](crate::train).
//!
//! The train brings each packet out at its instant. Only then the packet's arrival and the
//! beginning of its transmission are booked here, at the instants of both. For packets that have to
//! wait the link keeps when they arrive; the others are sent when they arrive.

use sojourn_base::Time;

use super::Link;
use crate::ledger::Shared;
use crate::{LinkId, Observer, SimPacket};

/// When a packet that waits arrives, and when its last bit is sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wait {
    arrives: Time,
    sent: Time,
}

impl Link {
    /// How many packets wait, or have waited and are not booked yet.
    pub(crate) fn waiting_in_train(&self) -> usize {
        self.waits.len()
    }

    /// Notes a packet behind all others that arrives at `arrives`, waits, and has been sent at
    /// `sent`.
    pub(crate) fn wait_in_train(&mut self, arrives: Time, sent: Time) {
        self.waits.push_back(Wait { arrives, sent });
        self.has_waits = true;
    }

    /// When the first packet that waits at the instant `at` will have been sent; packets that no
    /// longer wait then are booked.
    #[inline]
    pub(crate) fn first_waiting_in_train(&self, at: Time) -> Option<Time> {
        if !self.has_waits {
            return None;
        }
        let first = self.waits.front()?;
        (first.arrives < at).then_some(first.sent)
    }

    /// When the first of the packets that wait directly one behind the other will have been sent,
    /// if the last of them is sent at `last`; none if that packet did not wait.
    pub(crate) fn first_in_line(&self, last: Time) -> Option<Time> {
        if !self.has_waits {
            return None;
        }
        let mut first = self.waits.back().filter(|wait| wait.sent == last)?;
        for before in self.waits.iter().rev().skip(1) {
            if first.arrives >= before.sent {
                break;
            }
            first = before;
        }
        Some(first.sent)
    }

    /// The last packet, sent at that instant, leaves the train; returns when it arrives, if it
    /// waits.
    pub(crate) fn leave_train(&mut self, sent: Time) -> Option<Time> {
        let last = self.waits.pop_back_if(|last| last.sent == sent)?;
        self.has_waits = !self.waits.is_empty();
        Some(last.arrives)
    }

    /// Books a packet whose transmission begins at `now`.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet, from one or two places
    pub(crate) fn go_in_train<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &SimPacket,
        shared: &Shared,
        observer: &mut O,
    ) {
        let mut packet = *packet;
        packet.stamp = now;
        packet.at -= 1;
        if self.first_waiting_in_train(now).is_some() {
            self.book_wait(id, now, packet, shared, observer);
            return;
        }
        observer.delivered(now, shared.came_over(&packet), &packet);
        self.pass(id, now, &packet, observer);
    }

    /// Books the first of the packets that have waited.
    #[inline(never)]
    fn book_wait<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        mut packet: SimPacket,
        shared: &Shared,
        observer: &mut O,
    ) {
        // A queue is longest just before a packet leaves it: then all wait that came before.
        let came_before = |wait: &Wait| wait.arrives < now;
        let peak = &mut self.ledger.peak_packets;
        while self.waits.get(*peak as usize).is_some_and(came_before) {
            *peak += 1;
        }
        let Some(Wait { arrives, .. }) = self.waits.pop_front() else {
            return;
        };
        self.has_waits = !self.waits.is_empty();
        packet.stamp = arrives;
        observer.delivered(arrives, shared.came_over(&packet), &packet);
        observer.enqueued(arrives, id, &packet);
        self.ledger.wait(packet.bytes(), arrives, now);
        observer.dequeued(now, id, &packet);
        self.begin(now, packet.size);
    }
}
