//! CoDel: drops at the head while packets have sojourned above a target for an interval.
//!
//! K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, "Controlled Delay Active Queue Management",
//! RFC 8289, 2018. A packet is bad if it waited `target` or longer, more than `max_packet` bytes
//! wait behind it, and that has been so for `interval`. The first bad packet starts a spell of
//! dropping, whose k-th drop comes `interval / sqrt(k)` before the next, reckoned from the last due
//! time, not from the last dequeue. A spell that begins within 16 intervals of one before goes on
//! from the number by which that one raised its count. With `ecn` one packet per dequeue is marked
//! and sent.
//!
//! **Reference**: the RFC's pseudocode, with the link's MTU for `max_packet` as its text says, and
//! room for 1000 packets. `target` should not be less than the time to send a packet.
//!
//! **Linux** (`sch_codel`) and **ns-3** (`CoDelQueueDisc`): a clock of 1024 ns; bad only after, not
//! at, the end of the interval; 1/sqrt(count) in 16 bits by one Newton step per change, so that the
//! second gap is 50 ms instead of 70.7. ns-3: room for 1 500 000 bytes, `max_packet` 1500, of which
//! less must wait behind a good packet; after a mark in a spell the next is reckoned from the mark
//! itself; `ce_threshold` marks only with `ecn` or `l4s`. ns-2.35 has no CoDel: its preset is the
//! reference.

use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Span, Time, params,
};

use crate::parts::codel_law::{CodelLaw, CodelSettings, Spell};
use crate::parts::{Fifo, mistakes};
use crate::{Backlog, Context, Dequeued, Discipline, Heads, Packet, ProbeValue, Reason, Warning};

params! {
    /// Parameters of CoDel.
    pub struct Params {
        /// Most that may wait, in packets or bytes; the packet being sent is not counted.
        limit: Limit = "1000 packets", Ns3 = "1500 kB";
        /// Sojourn that is good for a packet.
        target: Span = "5 ms";
        /// How long sojourns must stay above the target: about the longest round-trip time.
        interval: Span = "100 ms";
        /// Backlog that is never bad. Automatic: the largest packet.
        max_packet: Auto<Bytes> = "auto", Ns3 = "1500 B";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
        /// Sojourn above which every ECN-capable packet is marked.
        ce_threshold: Optional<Span> = "none";
        /// Whether packets of scalable senders, ECT(1) and CE, are only ever marked, above
        /// `ce_threshold`, and others not by it (ns-3's `UseL4s`).
        l4s: bool = "false";
    }
}

/// A CoDel queue.
#[derive(Debug)]
pub struct CoDel<P> {
    capacity: Capacity,
    law: CodelLaw,
    queue: Fifo<P>,
    spell: Spell,
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
        };
        Ok(Self {
            capacity: params.limit.on(link),
            law: CodelLaw::new(settings, preset, link)?,
            queue: Fifo::default(),
            spell: Spell::default(),
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
        let (spell, queue) = (&mut self.spell, &mut self.queue);
        self.law.prepare(spell, queue, Bytes::ZERO, ctx);
        queue.dequeue()
    }

    fn judges_heads(&self) -> bool {
        self.law.may_foresee()
    }

    #[inline]
    fn foresees(&mut self, head: &P, behind: Bytes, leaves: Time) -> bool {
        self.law.foresees(&mut self.spell, head, behind, leaves)
    }

    fn judge_heads(&mut self, queue: &mut dyn Heads<P>, ctx: &mut Context<'_, P>) {
        self.law.prepare(&mut self.spell, queue, Bytes::ZERO, ctx);
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn reset(&mut self) {
        self.queue.clear();
        self.spell = Spell::default();
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.law.on_link(link);
        self.link = *link;
    }

    fn warnings(&self) -> Vec<Warning> {
        mistakes::target(self.law.target, self.capacity, &self.link)
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.spell.probe(show);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        self.spell.poke(name, value)
    }
}
