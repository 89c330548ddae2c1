//! Wires on which packets may take different times.
//!
//! The transmitter is not affected: a packet leaves its queue and is sent as on any other link.
//! What it takes beyond the propagation delay is drawn for one packet after the other, in the order
//! of sending.
//!
//! Where such a link [hands over](crate::handover), this is known at that moment. Where it does
//! not, packets are kept on its wire in the order in which they come out, and each has an event of
//! its own there. If they may overtake each other, each departure has an event too, since a packet
//! that is sent later may come out sooner; such a link does not keep its queue itself.

use sojourn_base::{Distribution, Span, Stream, Time};

use super::Link;
use crate::SimPacket;

/// What packets take on a wire beyond its propagation delay.
#[derive(Debug, Clone)]
pub struct Jitter {
    extra: Distribution<Span>,
    share: f64,
    random: Stream,
}

impl Jitter {
    /// A `share` of the packets take `extra` longer, which is drawn anew for each packet. All that
    /// is random is drawn from `random`.
    pub fn new(extra: Distribution<Span>, share: f64, random: Stream) -> Self {
        Self {
            extra,
            share,
            random,
        }
    }

    /// The additional time that the next packet takes.
    fn draw(&mut self) -> Span {
        if self.random.chance(self.share) {
            self.extra.draw(&mut self.random)
        } else {
            Span::ZERO
        }
    }
}

impl Link {
    /// Puts a packet whose transmission has begun on a wire that is [uneven](Self::is_uneven);
    /// without jitter it would come out at `stamp`. Returns when it comes out.
    #[inline(never)]
    pub(super) fn put_on_uneven_wire(&mut self, packet: &SimPacket, stamp: Time) -> Time {
        let stamp = self.comes_late(stamp);
        let change = |copy: &mut SimPacket| copy.send_copy_on(packet, 1, stamp);
        let later = |other: &SimPacket| other.stamp > stamp;
        self.packets.push_before(packet, change, later, u32::MAX);
        stamp
    }

    /// When the packet that is sent next comes out; on an even wire it would do so at `stamp`.
    #[inline(always)]
    #[allow(clippy::inline_always)] // it hardly does anything
    pub(super) fn comes_late(&mut self, stamp: Time) -> Time {
        if self.is_uneven {
            self.comes_late_by_jitter(stamp)
        } else {
            stamp
        }
    }

    #[inline(never)]
    fn comes_late_by_jitter(&mut self, stamp: Time) -> Time {
        let jitter = self.spec.jitter.as_mut();
        let stamp = stamp + jitter.map_or(Span::ZERO, |jitter| jitter.draw());
        if self.spec.reorders {
            return stamp;
        }
        self.latest = self.latest.max(stamp);
        self.latest
    }
}
