//! FQ-CoDel: a queue with CoDel for each flow, served in turn by bytes, new flows first.
//!
//! T. Hoeiland-Joergensen and others, "The Flow Queue CoDel Packet Scheduler and Active Queue
//! Management Algorithm", RFC 8290, 2018.
//!
//! Flows are hashed to queues by a salted hash; the salt is drawn at the first arrival. Each queue
//! has a CoDel of its own ([`crate::codel`]). The scheduler works as follows:
//!
//! - A queue that gets its first packet joins the end of the list of new flows, with `quantum`
//!   bytes of credit.
//! - The queue at the head of the list of new flows is served; if there are no new flows, the queue
//!   at the head of the list of old flows is served. Each packet sent reduces the credit of its
//!   queue by its size.
//! - A queue without credit is given `quantum` bytes more and goes to the end of the list of old
//!   flows.
//! - A queue found empty in the list of old flows is removed from it. A queue found empty in the
//!   list of new flows first moves to the end of the list of old flows, so that flows that come and
//!   go cannot starve the others.
//! - When the limit is exceeded, the flow with the most bytes (of several, the one seen first)
//!   loses packets from its head: half its bytes or `drop_batch` packets at a time. Linux does the
//!   same; section 4.1 of the RFC says half its packets.
//!
//! When a queue is found empty its dropping state ends, but its drop count is kept; the next flow
//! of the same hash inherits it.
//!
//! **Reference**: the RFC, with 1024 queues, a quantum of 1514 bytes, room for 10240 packets, a
//! target of 5 ms, an interval of 100 ms, and ECN on.
//!
//! - 1514 bytes are an Ethernet frame. Here packets of 1500 bytes have no framing and leave 14
//!   bytes of the quantum, so that a new flow sends two packets in its first turn.
//! - `max_packet` is compared with the backlog of all flows (RFC 8289, section 4.4), so that the
//!   last packet of a flow may be dropped while packets of other flows wait.
//! - A queue is served while its credit is above zero, as section 3 of the RFC and all
//!   implementations have it; section 4.2 says unless it is negative.
//!
//! **Linux** (`sch_fq_codel`, 6.1.192):
//!
//! - CoDel is that of the Linux preset of [`crate::codel`].
//! - The quantum and `max_packet` are the largest packet. A quantum below 256 bytes stands for 256.
//! - Packets dropped because the limit is exceeded raise the drop count of their flow.
//! - A new flow found empty is removed at once if there are no old flows.
//! - When a queue was found empty, kernels before 7.0, and of 6.1 those before 6.1.191, kept the
//!   time from which its packets would have been dropped. The first packet of a flow that sends
//!   only occasionally could then be dropped at once.
//! - The second limit, `memory_limit`, is 32 MB in the kernel and none here. The kernel counts the
//!   memory that packets take up, which is more than their size; here it is the packets
//!   themselves, so that a limit of the same bytes holds more of them. Above it one batch is
//!   dropped for each arrival.
//!
//! **ns-3** (`FqCoDelQueueDisc`):
//!
//! - The quantum is the MTU.
//! - `max_packet` is 1500 bytes and is compared with the backlog of the packet's own flow.
//! - The limit holds for each queue too, so that a flow that is alone loses arrivals.
//! - The set-associative hash is optional (`set_ways`).
//!
//! **ns-2**: ns-2.35 has no FQ-CoDel; its preset is the reference.

use sojourn_base::checks::above_zero;
use sojourn_base::{Auto, Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Span, params};

use crate::parts::Fifo;
use crate::parts::codel_law::{CodelLaw, CodelSettings, CodelState};
use crate::parts::ds_field::DsField;
use crate::parts::flow_queue::{FlowAqm, FlowQueue, FlowSettings};
use crate::parts::mistakes::Exempt;
use crate::{Context, Packet, ProbeValue};

params! {
    /// Parameters of FQ-CoDel.
    pub struct Params {
        /// Largest total queue of all flows, in packets or bytes.
        limit: Limit = "10240 packets";
        /// Largest total size of the packets of all flows, beside `limit`.
        memory_limit: Optional<Bytes> = "none";
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
        drop_batch: u32 = "64";
        /// Backlog behind a packet up to which CoDel never drops it. Automatic: the largest packet.
        max_packet: Auto<Bytes> = "auto", Ns3 = "1500 B";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "true";
        /// Sojourn time above which every ECN-capable packet is marked.
        ce_threshold: Optional<Span> = "none";
        /// To which packets `ce_threshold` applies, by bits of the differentiated-services field,
        /// ECN's two lowest included: `"0x1/0x3"` for those that are ECT(1) alone. None: to all.
        ce_threshold_selector: Optional<DsField> = "none";
        /// Whether packets of scalable senders, ECT(1) and CE, are only ever marked, and only above
        /// `ce_threshold`, which then applies to no other packets (ns-3's `UseL4s`).
        l4s: bool = "false";
        /// Size of a set of neighbouring queues in which a flow looks for a free one
        /// (set-associative hash); the hash of a flow is then its key, without a salt.
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
    /// An interval, a `max_packet`, a quantum or a `memory_limit` of nothing;
    /// `ce_threshold_selector` without `ce_threshold`, or with `l4s`.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let codel = CodelSettings {
            target: params.target,
            interval: params.interval,
            max_packet: params.max_packet,
            ecn: params.ecn,
            ce_threshold: params.ce_threshold.0,
            l4s: params.l4s,
            ce_field: params.ce_threshold_selector.0,
        };
        if codel.ce_field.is_some() && (params.l4s || codel.ce_threshold.is_none()) {
            let allowed = if params.l4s {
                "\"none\" with l4s, which chooses itself"
            } else {
                "\"none\" without ce_threshold"
            };
            return Err(ParamFault::new(
                "ce_threshold_selector",
                "a value and a mask",
                allowed,
            ));
        }
        if let Some(most) = params.memory_limit.0 {
            above_zero("memory_limit", most)?;
        }
        let settings = FlowSettings {
            capacity: params.limit.on(link),
            memory_limit: params.memory_limit.0,
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
    type State = CodelState;

    fn state(&self) -> CodelState {
        CodelState::default()
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet, from one place
    fn drop_at_head(
        &self,
        state: &mut CodelState,
        queue: &mut Fifo<P>,
        other_backlog: Bytes,
        ctx: &mut Context<'_, P>,
    ) {
        let other_backlog = if self.preset == Preset::Ns3 {
            Bytes::ZERO
        } else {
            other_backlog
        };
        self.law.drop_at_head(state, queue, other_backlog, ctx);
    }

    fn overflow(&self, state: &mut CodelState, packets: u64, _ctx: &mut Context<'_, P>) {
        if self.preset == Preset::Linux {
            state.add_overflow_drops(packets);
        }
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.law.on_link(link);
    }

    fn target(&self) -> Span {
        self.law.target
    }

    fn exempt(&self) -> Exempt {
        Exempt::OneBehind
    }

    fn probe(&self, state: &CodelState, show: &mut dyn FnMut(&str, ProbeValue)) {
        state.probe(show);
    }

    fn poke(&self, state: &mut CodelState, name: &str, value: f64) -> bool {
        state.poke(name, value)
    }
}
