//! FQ-COBALT: a queue with COBALT for each flow, served in turn by bytes, new flows first.
//!
//! The scheduler is that of RFC 8290 ([`crate::fq_codel`]), and each queue has a COBALT of its own
//! ([`crate::cobalt`]). This is what CAKE does with its flows, without CAKE's shaper, tins, host
//! fairness and hash.
//!
//! **Reference**: 1024 queues, a quantum of 1514 bytes, room for 10240 packets, a target of 5 ms,
//! an interval of 100 ms, and ECN on. When the limit is exceeded, the flow with the most bytes
//! loses packets from its head, and this counts as an overflow for its COBALT, as in CAKE.
//!
//! **Linux** (the queues of CAKE): the quantum is the largest packet, and one packet is dropped at
//! a time.
//!
//! **ns-3** (`FqCobaltQueueDisc`):
//!
//! - The quantum is the MTU.
//! - The limit holds for each queue too, and only an arrival dropped by that limit counts as an
//!   overflow for COBALT.
//! - Drops by the total limit do not count as overflows; sojourn times above `blue_threshold`, 400
//!   ms, do.
//!
//! **ns-2**: ns-2.35 has no FQ-COBALT; its preset is the reference.

use sojourn_base::{
    Auto, Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Probability, Span, params,
};

use crate::parts::Fifo;
use crate::parts::cobalt_law::{CobaltLaw, CobaltState};
use crate::parts::flow_queue::{FlowAqm, FlowQueue, FlowSettings};
use crate::parts::mistakes::Exempt;
use crate::{Context, Packet, ProbeValue};

params! {
    /// Parameters of FQ-COBALT.
    pub struct Params {
        /// Largest total queue of all flows, in packets or bytes.
        limit: Limit = "10240 packets";
        /// Acceptable sojourn time of a packet.
        target: Span = "5 ms";
        /// How long sojourn times must stay above the target before packets are dropped: about the
        /// longest round-trip time.
        interval: Span = "100 ms";
        /// Bytes that a flow may send in a turn. Automatic: 1514; the largest packet under Linux's
        /// preset; the MTU under ns-3's.
        quantum: Auto<Bytes> = "auto";
        /// Number of queues.
        flows: u32 = "1024";
        /// Largest number of packets dropped at a time when the limit is exceeded.
        drop_batch: u32 = "64", Linux = "1";
        /// What an overflow adds to BLUE's drop probability.
        increment: Probability = "0.00390625";
        /// What an empty queue subtracts from BLUE's drop probability.
        decrement: Probability = "0.000244140625";
        /// Whether to mark ECN-capable packets that the CoDel part would drop.
        ecn: bool = "true";
        /// Sojourn time above which every ECN-capable packet is marked, with `ecn`.
        ce_threshold: Optional<Span> = "none";
        /// Sojourn time that counts as an overflow for BLUE.
        blue_threshold: Optional<Span> = "none", Ns3 = "400 ms";
        /// Whether packets of scalable senders, ECT(1) and CE, are only marked, according to
        /// `ce_threshold`.
        l4s: bool = "false";
        /// Size of a set of neighbouring queues in which a flow looks for a free one
        /// (set-associative hash); the hash of a flow is then its key, without a salt.
        set_ways: Optional<u32> = "none";
    }
}

/// COBALT in a flow.
#[derive(Debug)]
pub struct FlowCobalt(CobaltLaw);

/// An FQ-COBALT queue.
pub type FqCobalt<P> = FlowQueue<P, FlowCobalt>;

impl<P: Packet> FqCobalt<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// An interval or a quantum of nothing.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let mut law = CobaltLaw::new(preset, params.target, params.interval)?;
        law.increment = params.increment.0;
        law.decrement = params.decrement.0;
        law.ecn = params.ecn;
        law.ce_threshold = params.ce_threshold.0;
        law.blue_threshold = params.blue_threshold.0;
        law.l4s = params.l4s;
        let settings = FlowSettings {
            capacity: params.limit.on(link),
            memory_limit: None,
            flows: params.flows,
            quantum: params.quantum,
            drop_batch: params.drop_batch,
            refuse: false,
            set_ways: params.set_ways.0,
        };
        Self::with(settings, FlowCobalt(law), preset, link)
    }
}

impl<P: Packet> FlowAqm<P> for FlowCobalt {
    type State = CobaltState;

    fn state(&self) -> CobaltState {
        CobaltState::default()
    }

    fn drop_at_head(
        &self,
        state: &mut CobaltState,
        queue: &mut Fifo<P>,
        _other_backlog: Bytes,
        ctx: &mut Context<'_, P>,
    ) {
        self.0.drop_at_head(state, queue, ctx);
    }

    fn overflow(&self, state: &mut CobaltState, _packets: u64, ctx: &mut Context<'_, P>) {
        if self.0.preset != Preset::Ns3 {
            self.0.overflow(state, ctx.now);
        }
    }

    fn refused(&self, state: &mut CobaltState, ctx: &mut Context<'_, P>) {
        self.0.overflow(state, ctx.now);
    }

    fn target(&self) -> Span {
        self.0.target
    }

    fn exempt(&self) -> Exempt {
        Exempt::Last
    }

    fn probe(&self, state: &CobaltState, show: &mut dyn FnMut(&str, ProbeValue)) {
        state.probe(show);
    }

    fn poke(&self, state: &mut CobaltState, name: &str, value: f64) -> bool {
        state.poke(name, value)
    }
}
