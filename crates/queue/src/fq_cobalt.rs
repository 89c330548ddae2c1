//! FQ-COBALT: a queue with COBALT for each flow, served in turn by bytes, new flows first.
//!
//! The scheduler is that of RFC 8290 ([`crate::parts::flow_queue`]), each queue obeys
//! [`crate::cobalt`]; so it is what CAKE does with its flows, without CAKE's shaper, tins, host
//! fairness and hash.
//!
//! **Reference**: 1024 queues, turns of 1514 bytes, room for 10240 packets, 5 ms, 100 ms, ECN on.
//! Over the limit the fattest flow loses packets from its head, and its COBALT is told of an
//! overflow, as in CAKE. **Linux**: CAKE's queues: turns of the largest packet, one packet dropped
//! at a time. **ns-3** (`FqCobaltQueueDisc`): turns of the MTU; the limit is that of each queue
//! too, and COBALT is told of overflows of that one alone; `blue_threshold` 400 ms stands for the
//! others. ns-2.35 has none: its preset is the reference.

use sojourn_base::{
    Auto, Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Probability, Span, params,
};

use crate::parts::Fifo;
use crate::parts::cobalt_law::{CobaltLaw, CobaltState};
use crate::parts::flow_queue::{FlowAqm, FlowQueue, FlowSettings};
use crate::{Context, Packet, ProbeValue};

params! {
    /// Parameters of FQ-COBALT.
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
        drop_batch: u32 = "64", Linux = "1";
        /// What an overflow adds to BLUE's probability.
        increment: Probability = "0.00390625";
        /// What an empty queue takes from it.
        decrement: Probability = "0.000244140625";
        /// Whether to mark ECN-capable packets where CoDel's half would drop them.
        ecn: bool = "true";
        /// Sojourn above which every ECN-capable packet is marked, with `ecn`.
        ce_threshold: Optional<Span> = "none";
        /// Sojourn that counts as an overflow for BLUE.
        blue_threshold: Optional<Span> = "none", Ns3 = "400 ms";
        /// Whether packets of scalable senders, ECT(1) and CE, are only marked, by `ce_threshold`.
        l4s: bool = "false";
        /// Neighbouring queues among which a flow looks for one of its own; its key is its hash
        /// then.
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

    fn prepare(
        &self,
        state: &mut CobaltState,
        queue: &mut Fifo<P>,
        _elsewhere: Bytes,
        ctx: &mut Context<'_, P>,
    ) {
        self.0.prepare(state, queue, ctx);
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

    fn probe(&self, state: &CobaltState, show: &mut dyn FnMut(&str, ProbeValue)) {
        state.probe(show);
    }

    fn poke(&self, state: &mut CobaltState, name: &str, value: f64) -> bool {
        state.poke(name, value)
    }
}
