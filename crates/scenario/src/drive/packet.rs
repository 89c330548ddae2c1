//! The packets of a conversation, and what became of them.

use serde_json::{Value, json};
use sojourn_base::{Bytes, Ecn, Span, Time};
use sojourn_queue::{AckView, Packet, Reason, Sink};

/// A packet of a request.
pub(super) struct Driven {
    /// As the request names it.
    pub(super) id: Value,
    /// Its number among all packets.
    pub(super) serial: u64,
    pub(super) size: Bytes,
    pub(super) flow: u64,
    pub(super) source: u32,
    pub(super) destination: u32,
    pub(super) dscp: u8,
    pub(super) priority: u8,
    pub(super) class: Option<u8>,
    pub(super) ecn: Ecn,
    pub(super) ack: Option<AckView>,
    pub(super) rtt: Option<Span>,
    pub(super) enqueued: Time,
}

impl Packet for Driven {
    fn size(&self) -> Bytes {
        self.size
    }
    fn flow(&self) -> u64 {
        self.flow
    }
    fn source(&self) -> u32 {
        self.source
    }
    fn destination(&self) -> u32 {
        self.destination
    }
    fn dscp(&self) -> u8 {
        self.dscp
    }
    fn priority(&self) -> u8 {
        self.priority
    }
    fn class(&self) -> Option<u8> {
        self.class
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce;
    }
    fn ack(&self) -> Option<AckView> {
        self.ack
    }
    fn rtt(&self) -> Option<Span> {
        self.rtt
    }
    fn enqueued(&self) -> Time {
        self.enqueued
    }
}

/// What one request caused.
#[derive(Default)]
pub(super) struct Verdicts {
    pub(super) drops: Vec<Value>,
    pub(super) marks: Vec<Value>,
    /// Numbers and flows of the dropped packets.
    pub(super) gone: Vec<(u64, u64)>,
}

impl Sink<Driven> for Verdicts {
    fn dropped(&mut self, packet: Driven, reason: Reason) {
        self.gone.push((packet.serial, packet.flow));
        self.drops
            .push(json!([packet.id, reason.name(), packet.flow]));
    }
    fn marked(&mut self, packet: &Driven, reason: Reason) {
        self.marks
            .push(json!([packet.id, reason.name(), packet.flow]));
    }
}
