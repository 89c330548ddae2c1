//! The simulated packet.

use sojourn_base::{Bytes, Ecn, Time};
use sojourn_queue::Packet;

use crate::{FlowId, NodeId};

/// A packet on its way: a small value that rings and queues hold directly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimPacket {
    /// When its source sent it.
    pub sent: Time,
    /// When it came to the queue it waits in, or, once transmission has begun, when it will
    /// arrive at the far end of the link.
    pub stamp: Time,
    /// Its flow.
    pub flow: FlowId,
    /// Its number within the flow, from 0.
    pub number: u32,
    /// Sending node.
    pub source: NodeId,
    /// Receiving node.
    pub destination: NodeId,
    /// Bytes on the wire, link framing excluded.
    pub size: u32,
    /// How many links of its path lie behind it.
    pub hop: u16,
    /// ECN codepoint.
    pub ecn: Ecn,
}

impl SimPacket {
    /// Bytes on the wire, link framing excluded.
    #[inline]
    pub fn bytes(&self) -> Bytes {
        Bytes::new(u64::from(self.size))
    }
}

impl Packet for SimPacket {
    #[inline]
    fn size(&self) -> Bytes {
        self.bytes()
    }
    #[inline]
    fn flow(&self) -> u64 {
        u64::from(self.flow)
    }
    fn source(&self) -> u32 {
        self.source
    }
    fn destination(&self) -> u32 {
        self.destination
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    #[inline]
    fn enqueued(&self) -> Time {
        self.stamp
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_packet_stays_small() {
        assert_eq!(size_of::<SimPacket>(), 40);
    }
}
