//! FQ-CoDel: a queue with CoDel for each flow, served in turn by bytes, new flows first.
//!
//! T. Hoeiland-Joergensen and others, "The Flow Queue CoDel Packet Scheduler and Active Queue
//! Management Algorithm", RFC 8290, 2018. The scheduler is that of [`crate::parts::flow_queue`],
//! each queue obeys [`crate::codel`]. A queue found empty ends its spell of dropping, but keeps its
//! count, which the next flow of the same hash inherits.
//!
//! **Reference**: the RFC: 1024 queues, turns of 1514 bytes, which are a frame of Ethernet: packets
//! of 1500 bytes, as here without framing, leave 14 of them, so that a new flow sends two in its
//! first turn; room for 10240 packets, 5 ms, 100 ms, ECN on. The backlog that `max_packet` is held
//! against is that of all flows (RFC 8289, section 4.4), so that a flow's last packet may be
//! dropped while others wait. The list of old flows is served while its head has credits left, more
//! than zero, as all code does, where the RFC's text says not below zero.
//!
//! **Linux** (`sch_fq_codel`, 6.1.192): CoDel as under its preset there; turns and `max_packet` of
//! the largest packet; packets that are pushed out raise their flow's count; a new flow found empty
//! leaves at once if no old one waits. Kernels before 7.0, of 6.1 those before 6.1.191, kept of a
//! queue found empty the time from which its packets would have been bad, so that the first packet
//! of a flow that sends one now and then could be dropped at once. Its second limit, 32 MB of
//! memory, is left out: packets here have no true size. **ns-3** (`FqCoDelQueueDisc`): turns of the
//! MTU; `max_packet` 1500 against the flow's own backlog; the limit is that of each queue too, so
//! that a flow alone loses arrivals; optional `set_ways`. ns-2.35 has none: its preset is the
//! reference.

use sojourn_base::{Auto, Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Span, params};

use crate::parts::Fifo;
use crate::parts::codel_law::{CodelLaw, CodelSettings, Spell};
use crate::parts::flow_queue::{FlowAqm, FlowQueue, FlowSettings};
use crate::{Context, Packet, ProbeValue};

params! {
    /// Parameters of FQ-CoDel.
    pub struct Params {
        /// Most that may wait in all flows, in packets or bytes.
        limit: Limit = "10240 packets";
        /// Sojourn that is good for a packet.
        target: Span = "5 ms";
        /// How long sojourns must stay above the target: about the longest round-trip time.
        interval: Span = "100 ms";
        /// Bytes of a turn. Automatic: 1514, under Linux's preset the largest packet, under ns-3's
        /// the MTU.
        quantum: Auto<Bytes> = "auto";
        /// Number of queues.
        flows: u32 = "1024";
        /// Most packets dropped at a time over the limit.
        drop_batch: u32 = "64";
        /// Backlog that is never bad. Automatic: the largest packet.
        max_packet: Auto<Bytes> = "auto", Ns3 = "1500 B";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "true";
        /// Sojourn above which every ECN-capable packet is marked.
        ce_threshold: Optional<Span> = "none";
        /// Whether packets of scalable senders, ECT(1) and CE, are only ever marked, above
        /// `ce_threshold`, and others not by it (ns-3's `UseL4s`).
        l4s: bool = "false";
        /// Neighbouring queues among which a flow looks for one of its own; its key is its hash
        /// then.
        set_ways: Optional<u32> = "none";
    }
}

/// CoDel in a flow.
#[derive(Debug)]
pub struct FlowCoDel {
    law: CodelLaw,
    preset: Preset,
}

/// An FQ-CoDel queue.
pub type FqCodel<P> = FlowQueue<P, FlowCoDel>;

impl<P: Packet> FqCodel<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// An interval, a `max_packet` or a quantum of nothing.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let codel = CodelSettings {
            target: params.target,
            interval: params.interval,
            max_packet: params.max_packet,
            ecn: params.ecn,
            ce_threshold: params.ce_threshold.0,
            l4s: params.l4s,
        };
        let settings = FlowSettings {
            capacity: params.limit.on(link),
            flows: params.flows,
            quantum: params.quantum,
            drop_batch: params.drop_batch,
            refuse: false,
            set_ways: params.set_ways.0,
        };
        let law = CodelLaw::new(codel, preset, link)?;
        Self::with(settings, FlowCoDel { law, preset }, preset, link)
    }
}

impl<P: Packet> FlowAqm<P> for FlowCoDel {
    type State = Spell;

    fn state(&self) -> Spell {
        Spell::default()
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet, from one place
    fn prepare(
        &self,
        spell: &mut Spell,
        queue: &mut Fifo<P>,
        elsewhere: Bytes,
        ctx: &mut Context<'_, P>,
    ) {
        let elsewhere = if self.preset == Preset::Ns3 {
            Bytes::ZERO
        } else {
            elsewhere
        };
        self.law.prepare(spell, queue, elsewhere, ctx);
    }

    fn overflow(&self, spell: &mut Spell, packets: u64, _ctx: &mut Context<'_, P>) {
        if self.preset == Preset::Linux {
            spell.count_pushed_out(packets);
        }
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.law.on_link(link);
    }

    fn target(&self) -> Span {
        self.law.target
    }

    fn probe(&self, spell: &Spell, show: &mut dyn FnMut(&str, ProbeValue)) {
        spell.probe(show);
    }

    fn poke(&self, spell: &mut Spell, name: &str, value: f64) -> bool {
        spell.poke(name, value)
    }
}
