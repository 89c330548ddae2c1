//! How measurement and traces observe a simulation.

use sojourn_base::{Span, Time};
use sojourn_queue::{Discipline, Reason};

use crate::{Cargo, FlowId, LinkId, SimPacket};

/// A discipline as seen from outside: what waits in it, and its inner variables.
pub type Inside = dyn Discipline<SimPacket>;

/// A transfer that is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Transfer {
    /// When it began.
    pub began: Time,
    /// Its size.
    pub bytes: u64,
    /// The least time that its packets take when they are alone on the empty path, where that is
    /// known.
    pub least: Option<Span>,
}

/// Observes a running simulation; dispatched statically, and free where a hook is left empty.
///
/// What happens at a link happens at its exact instant, but the engine may work it out later: when
/// something comes out of the link or of the next one, or when somebody looks. It may also work it
/// out earlier: where sources run ahead of the network, or a queue knows when a packet will leave
/// it. The arrivals at each link, its departures and its drops are each seen in the order of time;
/// what happens at different links may be seen out of order unless [`IN_ORDER`](Self::IN_ORDER) is
/// set.
pub trait Observer {
    /// Whether everything must be seen in the order of time, at the cost of an event for each
    /// packet.
    const IN_ORDER: bool = false;

    /// Whether [`before_call`](Self::before_call) and [`after_call`](Self::after_call) are wanted.
    const LOOKS_INSIDE: bool = false;

    /// The discipline of `link` is about to be called; what it drops and marks follows, then
    /// [`after_call`](Self::after_call).
    #[inline]
    fn before_call(&mut self, _now: Time, _link: LinkId, _discipline: &Inside) {}

    /// The call is over.
    #[inline]
    fn after_call(&mut self, _now: Time, _link: LinkId, _discipline: &Inside) {}

    /// A source sent `packet`, which carries `cargo`.
    #[inline]
    fn emitted(&mut self, _now: Time, _packet: &SimPacket, _cargo: Cargo<'_>) {}

    /// `packet` came to the queue of `link`, which has not decided on it yet.
    #[inline]
    fn enqueued(&mut self, _now: Time, _link: LinkId, _packet: &SimPacket) {}

    /// The transmission of `packet` begins; its stamp still tells when it came to the queue.
    #[inline]
    fn dequeued(&mut self, _now: Time, _link: LinkId, _packet: &SimPacket) {}

    /// `packet` found `link` idle and nothing waiting: it came and its transmission begins.
    #[inline]
    fn passed(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        self.enqueued(now, link, packet);
        self.dequeued(now, link, packet);
    }

    /// `packet` was dropped.
    #[inline]
    fn dropped(&mut self, _now: Time, _link: LinkId, _packet: &SimPacket, _reason: Reason) {}

    /// `packet` was sent by `link` and lost on its wire: it would come out now.
    #[inline]
    fn lost(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        self.dropped(now, link, packet, Reason::Link);
    }

    /// `packet` was marked.
    #[inline]
    fn marked(&mut self, _now: Time, _link: LinkId, _packet: &SimPacket, _reason: Reason) {}

    /// The last bit of `packet` came out of `link`.
    #[inline]
    fn delivered(&mut self, _now: Time, _link: LinkId, _packet: &SimPacket) {}

    /// `packet` reached its destination; with it `in_order` bytes of payload came to the
    /// application, each byte once.
    #[inline]
    fn received(&mut self, _now: Time, _packet: &SimPacket, _in_order: u64) {}

    /// [`prefetch_far`](Self::prefetch_far), [`prefetch_flow`](Self::prefetch_flow),
    /// [`prefetch_near`](Self::prefetch_near) and [`prefetch_next`](Self::prefetch_next) will be
    /// called, because the network does not fit any fast cache.
    #[inline]
    fn will_prefetch(&mut self) {}

    /// `packet` will reach its destination before long, over links that are not in the cache yet.
    /// The observer may [prefetch](sojourn_base::prefetch) the memory that it will touch for the
    /// packet's flow.
    #[inline]
    fn prefetch_far(&self, _packet: &SimPacket) {}

    /// A packet of the data of `flow` will be sent before long, or may be dropped: the same for the
    /// memory in which this is counted.
    #[inline]
    fn prefetch_flow(&self, _flow: FlowId) {}

    /// Comes after [`prefetch_far`](Self::prefetch_far), when fewer packets come before `packet`,
    /// for the memory of links: the packet will come out of the first of `links`, and what answers
    /// it will leave over the second.
    #[inline]
    fn prefetch_near(&self, _packet: &SimPacket, _links: [LinkId; 2]) {}

    /// Comes last, when `packet` is among the next: for memory to which the memory prefetched
    /// earlier leads.
    #[inline]
    fn prefetch_next(&self, _packet: &SimPacket, _links: [LinkId; 2]) {}

    /// A transfer by `flow` is complete.
    #[inline]
    fn completed(&mut self, _now: Time, _flow: FlowId, _transfer: &Transfer) {}
}

/// No observer.
impl Observer for () {}

/// Two observers, one after the other.
impl<A: Observer, B: Observer> Observer for (A, B) {
    const IN_ORDER: bool = A::IN_ORDER || B::IN_ORDER;
    const LOOKS_INSIDE: bool = A::LOOKS_INSIDE || B::LOOKS_INSIDE;

    #[inline]
    fn before_call(&mut self, now: Time, link: LinkId, discipline: &Inside) {
        self.0.before_call(now, link, discipline);
        self.1.before_call(now, link, discipline);
    }

    #[inline]
    fn after_call(&mut self, now: Time, link: LinkId, discipline: &Inside) {
        self.0.after_call(now, link, discipline);
        self.1.after_call(now, link, discipline);
    }

    #[inline]
    fn emitted(&mut self, now: Time, packet: &SimPacket, cargo: Cargo<'_>) {
        self.0.emitted(now, packet, cargo);
        self.1.emitted(now, packet, cargo);
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
    fn passed(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        self.0.passed(now, link, packet);
        self.1.passed(now, link, packet);
    }

    #[inline]
    fn dropped(&mut self, now: Time, link: LinkId, packet: &SimPacket, reason: Reason) {
        self.0.dropped(now, link, packet, reason);
        self.1.dropped(now, link, packet, reason);
    }

    #[inline]
    fn lost(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        self.0.lost(now, link, packet);
        self.1.lost(now, link, packet);
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
    fn received(&mut self, now: Time, packet: &SimPacket, in_order: u64) {
        self.0.received(now, packet, in_order);
        self.1.received(now, packet, in_order);
    }

    #[inline]
    fn will_prefetch(&mut self) {
        self.0.will_prefetch();
        self.1.will_prefetch();
    }

    #[inline]
    fn prefetch_flow(&self, flow: FlowId) {
        self.0.prefetch_flow(flow);
        self.1.prefetch_flow(flow);
    }

    #[inline]
    fn prefetch_far(&self, packet: &SimPacket) {
        self.0.prefetch_far(packet);
        self.1.prefetch_far(packet);
    }

    #[inline]
    fn prefetch_near(&self, packet: &SimPacket, links: [LinkId; 2]) {
        self.0.prefetch_near(packet, links);
        self.1.prefetch_near(packet, links);
    }

    #[inline]
    fn prefetch_next(&self, packet: &SimPacket, links: [LinkId; 2]) {
        self.0.prefetch_next(packet, links);
        self.1.prefetch_next(packet, links);
    }

    #[inline]
    fn completed(&mut self, now: Time, flow: FlowId, transfer: &Transfer) {
        self.0.completed(now, flow, transfer);
        self.1.completed(now, flow, transfer);
    }
}
