//! All connections of a simulation, and their timers.

use sojourn_base::Time;

use super::{Connection, Connections, OVER};
use crate::calendar::Calendar;
use crate::flow::Flow;
use crate::{FlowId, NodeId};

/// What every segment and acknowledgement of a flow asks for, close together: to ask the flow, its
/// connections and their list would be three cache lines more, and felt with many flows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Port {
    /// Sending and receiving node of the flow.
    pub(crate) ends: (NodeId, NodeId),
    /// The number of the connection opened last, and its slot.
    number: u32,
    slot: u32,
    pub(crate) dscp: u8,
}

/// All connections of a simulation.
#[derive(Default)]
pub(crate) struct Tcp {
    pub(crate) connections: Vec<Connection>,
    /// By flow.
    pub(crate) ports: Vec<Port>,
    pub(super) free: Vec<u32>,
    /// Connections by their next timer.
    pub(crate) timers: Calendar,
    /// Where the acknowledgements lie that answer the segment being heard.
    pub(crate) replies: Vec<u64>,
    /// Connections into which an application has just written.
    pub(crate) touched: Vec<u32>,
    /// Transfers that an application has just called complete: when they began, their bytes.
    pub(crate) completed: Vec<(Time, u64)>,
}

impl Tcp {
    /// For so many flows.
    pub(crate) fn new(flows: &[Flow]) -> Self {
        let port = |flow: &Flow| Port {
            ends: flow.ends,
            number: 0,
            slot: OVER,
            dscp: flow.dscp,
        };
        Self {
            ports: flows.iter().map(port).collect(),
            ..Self::default()
        }
    }

    /// The slot of a flow's connection `number`, unless it is over.
    #[inline]
    pub(crate) fn slot(&self, flows: &[Flow], id: FlowId, number: u32) -> Option<u32> {
        let port = &self.ports[id as usize];
        if port.number == number && port.slot != OVER {
            return Some(port.slot);
        }
        flows[id as usize].connections()?.slot(number)
    }

    /// Sees to it that all timers of a connection will be run.
    pub(crate) fn arm(&mut self, slot: u32) {
        let next = self.connections[slot as usize].next_timer();
        self.arm_at(slot, next);
    }

    /// Sees to it that timers which may have been set to an instant as early as `at` will be run.
    #[inline(always)]
    #[allow(clippy::inline_always)] // twice a packet, and mostly nothing to do
    pub(crate) fn arm_at(&mut self, slot: u32, at: Time) {
        let connection = &mut self.connections[slot as usize];
        if at < connection.timer_at {
            connection.timer_at = at;
            self.timers.push(at, slot);
        }
    }

    /// Takes note of a connection that was opened.
    pub(super) fn opened(&mut self, flow: FlowId, number: u32, slot: u32) {
        let port = &mut self.ports[flow as usize];
        (port.number, port.slot) = (number, slot);
    }

    /// Forgets a connection that is over.
    pub(crate) fn retire(&mut self, slot: u32, owner: &mut Connections, now: Time) {
        let connection = &mut self.connections[slot as usize];
        owner.past.add(connection, now);
        let port = &mut self.ports[connection.flow as usize];
        if port.slot == slot {
            port.slot = OVER;
        }
        owner.forget(connection.number);
        connection.timer_at = Time::NEVER;
        self.free.push(slot);
    }
}
