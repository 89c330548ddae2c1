//! How measurement and traces look on.

use sojourn_base::Time;
use sojourn_queue::Reason;

use crate::{LinkId, SimPacket};

/// Looks on while a simulation runs; dispatched statically, free where a hook is left empty.
///
/// A link begins its transmissions at their exact instants, but the engine may work them out later
/// (when something arrives at the link or leaves it). Each link and each flow is seen in the order
/// of time; across links [`dequeued`](Self::dequeued) and [`dropped`](Self::dropped) may come out
/// of order unless [`IN_ORDER`](Self::IN_ORDER) asks otherwise.
pub trait Observer {
    /// Whether everything must be seen in the order of time, at the price of an event a packet.
    const IN_ORDER: bool = false;

    /// A source sent `packet`.
    #[inline]
    fn emitted(&mut self, _now: Time, _packet: &SimPacket) {}

    /// `packet` came to the queue of `link`, which has not decided on it yet.
    #[inline]
    fn enqueued(&mut self, _now: Time, _link: LinkId, _packet: &SimPacket) {}

    /// The transmission of `packet` begins; its stamp still tells when it came to the queue.
    #[inline]
    fn dequeued(&mut self, _now: Time, _link: LinkId, _packet: &SimPacket) {}

    /// `packet` was dropped.
    #[inline]
    fn dropped(&mut self, _now: Time, _link: LinkId, _packet: &SimPacket, _reason: Reason) {}

    /// `packet` was marked.
    #[inline]
    fn marked(&mut self, _now: Time, _link: LinkId, _packet: &SimPacket, _reason: Reason) {}

    /// The last bit of `packet` came out of `link`.
    #[inline]
    fn delivered(&mut self, _now: Time, _link: LinkId, _packet: &SimPacket) {}

    /// `packet` reached its destination.
    #[inline]
    fn received(&mut self, _now: Time, _packet: &SimPacket) {}
}

/// Nobody looks on.
impl Observer for () {}

/// Two observers, one after the other.
impl<A: Observer, B: Observer> Observer for (A, B) {
    const IN_ORDER: bool = A::IN_ORDER || B::IN_ORDER;

    #[inline]
    fn emitted(&mut self, now: Time, packet: &SimPacket) {
        self.0.emitted(now, packet);
        self.1.emitted(now, packet);
    }

    #[inline]
    fn enqueued(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        self.0.enqueued(now, link, packet);
        self.1.enqueued(now, link, packet);
    }

    #[inline]
    fn dequeued(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        self.0.dequeued(now, link, packet);
        self.1.dequeued(now, link, packet);
    }

    #[inline]
    fn dropped(&mut self, now: Time, link: LinkId, packet: &SimPacket, reason: Reason) {
        self.0.dropped(now, link, packet, reason);
        self.1.dropped(now, link, packet, reason);
    }

    #[inline]
    fn marked(&mut self, now: Time, link: LinkId, packet: &SimPacket, reason: Reason) {
        self.0.marked(now, link, packet, reason);
        self.1.marked(now, link, packet, reason);
    }

    #[inline]
    fn delivered(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        self.0.delivered(now, link, packet);
        self.1.delivered(now, link, packet);
    }

    #[inline]
    fn received(&mut self, now: Time, packet: &SimPacket) {
        self.0.received(now, packet);
        self.1.received(now, packet);
    }
}
