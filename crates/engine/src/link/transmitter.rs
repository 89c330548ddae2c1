//! The transmitter: how it begins to send, and what it has carried.

use sojourn_base::{Span, Time};

use super::{HandedOver, Link};
use crate::{LinkId, Observer, SimPacket};

/// What a link has carried up to an instant.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Carried {
    /// Time the transmitter was busy, in picoseconds.
    pub busy: u64,
    /// Bytes sent; the packet in transmission counts by the part that has been sent.
    pub bytes: f64,
}

#[allow(clippy::inline_always)] // out of line, arguments and saved registers cost as much
impl Link {
    /// What it has carried up to `now`, to which it must have caught up.
    pub fn carried(&self, now: Time) -> Carried {
        let sending = self.sending();
        let ahead = sending.until.since(now).as_ps();
        let unsent = if ahead == 0 {
            0.0
        } else {
            f64::from(sending.size) * ahead as f64 / sending.takes.as_ps() as f64
        };
        Carried {
            busy: self.busy_so_far() - ahead,
            bytes: self.ledger.departures().bytes as f64 - unsent,
        }
    }

    /// Whether a packet of `size` that arrives `now` finds the transmitter idle and nothing
    /// waiting, and may bypass the discipline.
    #[inline(always)]
    pub(crate) fn lets_pass(&self, now: Time, size: u16) -> bool {
        self.sends_until <= now && self.ledger.backlog().packets == 0 && size <= self.bypass
    }

    /// Begins to send an arriving packet that [may pass](Self::lets_pass); returns when it comes
    /// out.
    #[inline(always)]
    pub(crate) fn pass<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        packet: &SimPacket,
        observer: &mut O,
    ) -> Time {
        self.ledger.pass(packet.bytes());
        observer.passed(now, id, packet);
        self.begin(now, packet.size)
    }

    /// Begins the transmission of a packet.
    #[inline]
    pub(super) fn transmit(&mut self, now: Time, packet: SimPacket) -> Option<HandedOver> {
        let stamp = self.begin(now, packet.size);
        self.asks_at = self.sends_until;
        if self.hands_over {
            return Some((packet, stamp));
        }
        self.put_on_wire(&packet, stamp);
        None
    }

    /// Keeps a packet whose transmission has begun until it comes out: at `stamp`, or later on an
    /// uneven wire. Returns when.
    #[inline(always)]
    pub(crate) fn put_on_wire(&mut self, packet: &SimPacket, stamp: Time) -> Time {
        self.wired += 1;
        if self.is_uneven {
            return self.put_on_uneven_wire(packet, stamp);
        }
        self.packets
            .push(packet, |copy| copy.send_copy_on(packet, 1, stamp));
        stamp
    }

    /// How long it takes to send `size` bytes.
    #[inline(always)]
    pub(super) fn takes(&self, size: u16) -> Span {
        if self.last_size == size {
            self.last_takes
        } else {
            self.spec.pace().to_send(size)
        }
    }

    /// The transmitter begins to send `size` bytes, which the books count already; returns when
    /// they are delivered.
    #[inline(always)]
    pub(super) fn begin(&mut self, now: Time, size: u16) -> Time {
        if size != self.last_size {
            self.turn_to(size);
        }
        self.sends_until = now + self.last_takes;
        self.sends_until + self.delay
    }

    /// Notes that a packet of another size than the last is sent.
    #[inline(never)]
    fn turn_to(&mut self, size: u16) {
        let sent_before = self.ledger.departures().packets.saturating_sub(1);
        self.note_busy(sent_before);
        (self.last_size, self.last_takes) = (size, self.spec.pace().to_send(size));
    }

    /// Notes how long the packets before that number took that were sent since the last change.
    pub(super) fn note_busy(&mut self, sent: u64) {
        self.busy = self.busy_until(sent);
        self.sent_before = sent;
    }

    /// Time the transmitter has been busy up to `sends_until`, in picoseconds.
    fn busy_so_far(&self) -> u64 {
        self.busy_until(self.ledger.departures().packets)
    }

    /// The same up to the end of so many packets. Where the clock ends before, so does this.
    fn busy_until(&self, sent: u64) -> u64 {
        let took = (sent - self.sent_before).saturating_mul(self.last_takes.as_ps());
        self.busy.saturating_add(took)
    }
}
