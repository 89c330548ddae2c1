//! COBALT: CoDel against standing queues, combined with BLUE against floods.
//!
//! T. Hoiland-Jorgensen, D. Taht, J. Morton, "Piece of CAKE", 2018; J. Palmei and others, "Design
//! and Evaluation of COBALT Queue Discipline", IEEE LANMAN 2019.
//!
//! **CoDel part**: a packet with a sojourn time longer than `target` starts the dropping state. The
//! first signal comes `interval` / sqrt(count) later, and each signal raises the count. Outside the
//! dropping state the count falls again at the same pace, whereas CoDel keeps it for a while; a
//! rule for re-entry is therefore not needed. The first signal comes when CoDel's would, and the
//! later ones are one step ahead of CoDel's: after 70.7, 57.7, 50 ms.
//!
//! **BLUE part**: a drop probability grows by `increment` when the queue overflows and shrinks by
//! `decrement` when it is found empty, at most once per `target`. Its drops are never turned into
//! marks.
//!
//! The last packet of the queue is not dropped.
//!
//! **Reference**: the paper and the code of CAKE, with exact square roots. An overflow drops the
//! arrival and starts the dropping state at once. A quirk of the code is kept: if the first packet
//! after an idle time of more than an interval is late, the next late packet is signalled at once.
//!
//! **Linux** (the inner queue of CAKE): square roots come from a table of 16 and, beyond it, from
//! one Newton step per change. CAKE's condition of four packet times, which belongs to its shaper,
//! and its roots that begin at zero are modelled only in [`crate::cake`].
//!
//! **ns-3** (`CobaltQueueDisc`):
//!
//! - Square roots are as in Linux.
//! - The room is 1 500 000 bytes.
//! - A sojourn time above `blue_threshold` counts as an overflow for BLUE.
//! - The last packet may be dropped.
//! - Drops of BLUE are also reported as `target`, and marks of packets that BLUE then drops are
//!   reported as well.
//!
//! **ns-2**: ns-2.35 has no COBALT; its preset is the reference.

use sojourn_base::length::Capacity;
use sojourn_base::{Limit, LinkInfo, Optional, ParamFault, Preset, Probability, Span, params};

use crate::parts::Fifo;
use crate::parts::cobalt_law::{CobaltLaw, CobaltState};
use crate::parts::mistakes::{self, Exempt};
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason, Warning};

params! {
    /// Parameters of COBALT.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "1000 packets", Ns3 = "1500 kB";
        /// Acceptable sojourn time of a packet.
        target: Span = "5 ms";
        /// How long sojourn times must stay above the target before packets are dropped: about the
        /// longest round-trip time.
        interval: Span = "100 ms";
        /// What an overflow adds to BLUE's drop probability.
        increment: Probability = "0.00390625";
        /// What an empty queue subtracts from BLUE's drop probability.
        decrement: Probability = "0.000244140625";
        /// Whether to mark ECN-capable packets that the CoDel part would drop.
        ecn: bool = "false";
        /// Sojourn time above which every ECN-capable packet is marked, with `ecn`.
        ce_threshold: Optional<Span> = "none";
        /// Sojourn time that counts as an overflow for BLUE.
        blue_threshold: Optional<Span> = "none", Ns3 = "400 ms";
        /// Whether packets of scalable senders, ECT(1) and CE, are only marked, according to
        /// `ce_threshold`.
        l4s: bool = "false";
    }
}

/// A COBALT queue.
#[derive(Debug)]
pub struct Cobalt<P> {
    capacity: Capacity,
    law: CobaltLaw,
    queue: Fifo<P>,
    state: CobaltState,
    link: LinkInfo,
}

impl<P> Cobalt<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// An interval of nothing.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let mut law = CobaltLaw::new(preset, params.target, params.interval)?;
        law.increment = params.increment.0;
        law.decrement = params.decrement.0;
        law.ecn = params.ecn;
        law.ce_threshold = params.ce_threshold.0;
        law.blue_threshold = params.blue_threshold.0;
        law.l4s = params.l4s;
        Ok(Self {
            capacity: params.limit.on(link),
            law,
            queue: Fifo::default(),
            state: CobaltState::default(),
            link: *link,
        })
    }
}

impl<P: Packet> Discipline<P> for Cobalt<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let Backlog { packets, bytes } = self.queue.backlog();
        if self.capacity.admits(packets, bytes, packet.size()) {
            self.queue.push(packet);
        } else {
            self.law.overflow(&mut self.state, ctx.now);
            ctx.drop(packet, Reason::Overlimit);
        }
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        self.law.drop_at_head(&mut self.state, &mut self.queue, ctx);
        self.queue.dequeue()
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn reset(&mut self) {
        self.queue.clear();
        self.state = CobaltState::default();
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.link = *link;
    }

    fn warnings(&self) -> Vec<Warning> {
        mistakes::target(self.law.target, Exempt::Last, self.capacity, &self.link)
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.state.probe(show);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        self.state.poke(name, value)
    }
}
