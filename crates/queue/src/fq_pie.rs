//! FQ-PIE: a queue with PIE for each flow, served in turn by bytes, new flows first.
//!
//! G. Ramakrishnan and others, "FQ-PIE Queue Discipline in the Linux Kernel", IEEE LCN Symposium
//! 2019.
//!
//! The scheduler is that of RFC 8290 ([`crate::fq_codel`]). An arrival is dropped or admitted by
//! the PIE of its flow ([`crate::pie`]), which uses the backlog and the delay of that flow. The
//! probabilities of all flows are updated together. Idle flows are updated too, so that their
//! probabilities decay.
//!
//! **Reference**: the defaults of the RFCs: 1024 queues, a quantum of 1514 bytes, room for 10240
//! packets, and a target of 15 ms. When the limit is exceeded, the flow with the most bytes loses
//! packets from its head.
//!
//! **Linux** (`sch_fq_pie`):
//!
//! - PIE is that of the Linux preset of [`crate::pie`].
//! - The quantum is the largest packet. A quantum below 256 bytes stands for 256.
//! - An arrival above the limit is itself dropped.
//! - Probabilities are updated a jiffy later for each 2048 `flows` after the first: with 65536
//!   every 47 ms instead of 16 ms at 1000 Hz.
//! - Its memory limit only affects a counter, and is left out.
//!
//! **ns-3** (`FqPieQueueDisc`):
//!
//! - PIE is that of the ns-3 preset of [`crate::pie`].
//! - The quantum is the MTU.
//! - The limit holds for each queue too.
//! - ECN is on.
//!
//! **ns-2**: ns-2.35 has no FQ-PIE; its preset is the reference.

use sojourn_base::{
    Auto, Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Probability, Span, Time, params,
};

use crate::parts::Fifo;
use crate::parts::flow_queue::{FlowAqm, FlowQueue, FlowSettings};
use crate::parts::mistakes::Exempt;
use crate::parts::pie_law::{PieLaw, PieState};
use crate::pie::{self, controller::PieController};
use crate::{Backlog, Context, Packet, ProbeValue};

params! {
    /// Parameters of FQ-PIE.
    pub struct Params {
        /// Largest total queue of all flows, in packets or bytes.
        limit: Limit = "10240 packets";
        /// Bytes that a flow may send in a turn. Automatic: 1514; the largest packet under Linux's
        /// preset; the MTU under ns-3's.
        quantum: Auto<Bytes> = "auto";
        /// Number of queues.
        flows: u32 = "1024";
        /// Largest number of packets dropped at a time when the limit is exceeded.
        drop_batch: u32 = "64";
        /// Target queueing delay.
        target: Span = "15 ms";
        /// Time between two updates of the probability.
        t_update: Span = "15 ms";
        /// Burst allowance: how long nothing is dropped after the queue has been idle.
        max_burst: Span = "150 ms";
        /// Gain of the difference between the delay and the target, per second.
        alpha: f64 = "0.125";
        /// Gain of the change of the delay since the last update, per second.
        beta: f64 = "1.25";
        /// Size of a typical packet: nothing is dropped while no more than two of them wait.
        /// Automatic: 1000 bytes; the largest packet under Linux's preset.
        mean_packet: Auto<Bytes> = "auto";
        /// Whether the drop probability is proportional to the packet's size. Automatic: true under
        /// ns-3's preset with a limit in bytes, else false.
        bytes: Auto<bool> = "auto";
        /// Whether the probability rises by at most 0.02 in an update once it is 0.1 or more.
        cap_drop: bool = "true";
        /// Whether to space drops by accumulated probability.
        derandomize: bool = "false", Linux = "true";
        /// Whether to estimate the delay from the departure rate instead of the last packet's
        /// sojourn time.
        dequeue_rate_estimator: bool = "false";
        /// Bytes over which the departure rate is measured; a measurement begins only while at
        /// least as many bytes wait.
        dequeue_threshold: Bytes = "16384 B";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false", Ns3 = "true";
        /// Probability from which ECN-capable packets are dropped instead of marked.
        mark_threshold: Probability = "0.1";
        /// Sojourn time above which packets of scalable senders are marked, with `l4s`.
        ce_threshold: Optional<Span> = "none";
        /// Whether packets of scalable senders, ECT(1) and CE, are only marked, according to
        /// `ce_threshold`.
        l4s: bool = "false";
        /// Size of a set of neighbouring queues in which a flow looks for a free one
        /// (set-associative hash); the hash of a flow is then its key, without a salt.
        set_ways: Optional<u32> = "none";
        /// Clock ticks per second of the Linux kernel; only Linux's preset has this parameter.
        hz: u32 = "1000";
    }
}

/// An FQ-PIE queue.
pub type FqPie<P> = FlowQueue<P, PieController>;

/// The PIE of each flow.
impl From<&Params> for pie::Params {
    fn from(params: &Params) -> Self {
        Self {
            limit: params.limit,
            target: params.target,
            t_update: params.t_update,
            max_burst: params.max_burst,
            alpha: params.alpha,
            beta: params.beta,
            mean_packet: params.mean_packet,
            bytes: params.bytes,
            cap_drop: params.cap_drop,
            derandomize: params.derandomize,
            dequeue_rate_estimator: params.dequeue_rate_estimator,
            dequeue_threshold: params.dequeue_threshold,
            ecn: params.ecn,
            mark_threshold: params.mark_threshold,
            active_threshold: Optional(None),
            ce_threshold: params.ce_threshold,
            l4s: params.l4s,
            hz: params.hz,
        }
    }
}

impl<P: Packet> FqPie<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A period, a mean packet, a measurement or a quantum of nothing; a negative gain.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let mut controller = PieController::new(&params.into(), preset, link)?;
        if preset == Preset::Linux {
            controller.takes_turns(params.flows, params.hz);
        }
        let settings = FlowSettings {
            capacity: params.limit.on(link),
            memory_limit: None,
            flows: params.flows,
            quantum: params.quantum,
            drop_batch: params.drop_batch,
            refuse: preset == Preset::Linux,
            set_ways: params.set_ways.0,
        };
        Self::with(settings, controller, preset, link)
    }
}

impl<P: Packet> FlowAqm<P> for PieController {
    type State = PieState;

    fn state(&self) -> PieState {
        self.law.state()
    }

    fn arrival(
        &self,
        state: &mut PieState,
        packet: P,
        waiting: Backlog,
        ctx: &mut Context<'_, P>,
    ) -> Option<P> {
        self.law.arrival(state, packet, waiting, ctx)
    }

    fn drop_at_head(
        &self,
        state: &mut PieState,
        queue: &mut Fifo<P>,
        _other_backlog: Bytes,
        ctx: &mut Context<'_, P>,
    ) {
        let mut left = queue.backlog();
        if let Some(head) = queue.head_mut() {
            left.packets -= 1;
            left.bytes -= head.size();
            self.law.departure(state, head, left, ctx);
        }
    }

    fn overflow(&self, state: &mut PieState, _packets: u64, _ctx: &mut Context<'_, P>) {
        PieLaw::on_overflow(state);
    }

    fn next_timer(&self) -> Option<Time> {
        Some(self.next_update())
    }

    fn tick(&mut self, now: Time) -> bool {
        self.advance(now)
    }

    fn update(&self, state: &mut PieState, waiting: Backlog) {
        self.law.update(state, waiting);
    }

    fn reset(&mut self) {
        Self::reset(self);
    }

    fn on_link(&mut self, link: &LinkInfo) {
        Self::on_link(self, link);
    }

    fn target(&self) -> Span {
        self.law.target
    }

    fn exempt(&self) -> Exempt {
        Exempt::LessThanTwo
    }

    fn probe(&self, state: &PieState, show: &mut dyn FnMut(&str, ProbeValue)) {
        state.probe(show);
    }

    fn poke(&self, state: &mut PieState, name: &str, value: f64) -> bool {
        state.poke(name, value)
    }
}
