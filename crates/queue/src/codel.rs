//! CoDel: drops from the head of the queue when waits have exceeded a target for an interval.
//!
//! K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, "Controlled Delay Active Queue Management",
//! RFC 8289, 2018.
//!
//! CoDel examines the packet at the head of the queue when it is to leave. The packet is above
//! target if its sojourn time is `target` or longer and more than `max_packet` bytes wait behind
//! it. Once the packets have been above target for `interval`, CoDel enters the dropping state. It
//! then drops a packet, and the gap after the k-th drop is `interval / sqrt(k)`. Each drop is
//! scheduled from the time at which the last one was due, not from the dequeue at which it was
//! made. A packet that is not above target ends the dropping state, as does an empty queue.
//!
//! If the dropping state is entered again within 16 intervals, k does not start at 1 but at the
//! number by which the last dropping state raised it. With `ecn`, an ECN-capable packet is marked
//! and sent instead of dropped. There is at most one mark at each dequeue, as in Linux: the RFC
//! allows marks (section 1), but its pseudocode has none.
//!
//! **Reference**: the pseudocode of the RFC, with the MTU of the link for `max_packet` as the text
//! of the RFC says, and room for 1000 packets. `target` should not be less than the time to send a
//! packet (RFC 8290, section 5.2.2).
//!
//! **Linux** (`sch_codel`) and **ns-3** (`CoDelQueueDisc`):
//!
//! - The clock counts in units of 1024 ns.
//! - The dropping state begins only after the end of the interval, not at its end.
//! - 1/sqrt(k) is held in 16 bits and follows k by one Newton step for each change, so that the
//!   second gap is 50 ms instead of 70.7 ms.
//!
//! **ns-3** only:
//!
//! - The room is 1 500 000 bytes.
//! - `max_packet` is 1500 bytes, and a packet with exactly that much behind it can be above target.
//! - After a mark in the dropping state the next signal is scheduled from the time of that mark.
//! - `ce_threshold` marks only with `ecn` or `l4s`.
//!
//! **ns-2**: ns-2.35 has no CoDel; its preset is the reference.

use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Span, Time, params,
};

use crate::parts::Fifo;
use crate::parts::codel_law::{CodelLaw, CodelSettings, CodelState};
use crate::parts::mistakes::{self, Exempt};
use crate::{
    Backlog, Context, Dequeued, Discipline, HeadQueue, Packet, ProbeValue, Reason, Warning,
};

params! {
    /// Parameters of CoDel.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "1000 packets", Ns3 = "1500 kB";
        /// Acceptable sojourn time of a packet.
        target: Span = "5 ms";
        /// How long sojourn times must stay above the target before packets are dropped: about the
        /// longest round-trip time.
        interval: Span = "100 ms";
        /// Backlog behind a packet up to which CoDel never drops it. Automatic: the largest packet.
        max_packet: Auto<Bytes> = "auto", Ns3 = "1500 B";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
        /// Sojourn time above which every ECN-capable packet is marked.
        ce_threshold: Optional<Span> = "none";
        /// Whether packets of scalable senders, ECT(1) and CE, are only ever marked, and only above
        /// `ce_threshold`, which then applies to no other packets (ns-3's `UseL4s`).
        l4s: bool = "false";
    }
}

/// A CoDel queue.
#[derive(Debug)]
pub struct CoDel<P> {
    capacity: Capacity,
    law: CodelLaw,
    queue: Fifo<P>,
    state: CodelState,
    link: LinkInfo,
}

impl<P> CoDel<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// An interval or a `max_packet` of nothing.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let settings = CodelSettings {
            target: params.target,
            interval: params.interval,
            max_packet: params.max_packet,
            ecn: params.ecn,
            ce_threshold: params.ce_threshold.0,
            l4s: params.l4s,
            ce_field: None,
        };
        Ok(Self {
            capacity: params.limit.on(link),
            law: CodelLaw::new(settings, preset, link)?,
            queue: Fifo::default(),
            state: CodelState::default(),
            link: *link,
        })
    }
}

impl<P: Packet> Discipline<P> for CoDel<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let Backlog { packets, bytes } = self.queue.backlog();
        if self.capacity.admits(packets, bytes, packet.size()) {
            self.queue.push(packet);
        } else {
            ctx.drop(packet, Reason::Overlimit);
        }
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        let (state, queue) = (&mut self.state, &mut self.queue);
        self.law.drop_at_head(state, queue, Bytes::ZERO, ctx);
        queue.dequeue()
    }

    fn decides_at_dequeue(&self) -> bool {
        self.law.is_predictable()
    }

    #[inline]
    fn departs_unchanged(&mut self, head: &P, behind: Bytes, departure: Time) -> bool {
        self.law
            .departs_unchanged(&mut self.state, head, behind, departure)
    }

    fn drop_at_head(&mut self, queue: &mut dyn HeadQueue<P>, ctx: &mut Context<'_, P>) {
        self.law
            .drop_at_head(&mut self.state, queue, Bytes::ZERO, ctx);
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn reset(&mut self) {
        self.queue.clear();
        self.state = CodelState::default();
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.law.on_link(link);
        self.link = *link;
    }

    fn warnings(&self) -> Vec<Warning> {
        mistakes::target(
            self.law.target,
            Exempt::OneBehind,
            self.capacity,
            &self.link,
        )
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.state.probe(show);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        self.state.poke(name, value)
    }
}
