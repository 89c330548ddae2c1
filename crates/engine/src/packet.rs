//! The simulated packet.

use core::marker::PhantomData;

use sojourn_base::{Bytes, Ecn, Time};
use sojourn_queue::{AckView, Packet, Sack};
use sojourn_traffic::Way;
use sojourn_transport::{Ack, Segment};

use crate::{FlowId, NodeId};

/// What a packet carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A datagram of UDP.
    Datagram,
    /// A segment of TCP.
    Segment,
    /// An acknowledgement of TCP.
    Ack,
}

/// A packet on its way: a small value that rings and queues hold directly. A segment lies in it
/// whole; an acknowledgement lies in the simulation's arena and the packet tells where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimPacket {
    /// When its source sent it.
    pub sent: Time,
    /// When it came to the queue it waits in, or, once transmission has begun, when it will
    /// arrive at the far end of the link.
    pub stamp: Time,
    /// A datagram's number within its flow, from 0; the number of a segment's first byte; of an
    /// acknowledgement its place in the arena, and below it the byte that it expects next, as far
    /// as there is room.
    pub number: u64,
    /// Its flow.
    pub flow: FlowId,
    /// Its connection within the flow, from 0.
    pub connection: u32,
    /// Sending node.
    pub source: NodeId,
    /// Receiving node.
    pub destination: NodeId,
    /// Bytes on the wire, link framing excluded.
    pub size: u16,
    /// How many links of its path it has been sent over.
    pub hop: u16,
    /// ECN codepoint.
    pub ecn: Few<Ecn>,
    /// Differentiated-services codepoint.
    pub dscp: u8,
    /// What it carries.
    pub kind: Few<Kind>,
    /// The direction in which it travels and the flags of its segment.
    pub flags: u8,
}

/// One of a few values in a byte that has none to spare. An enum would lend its unused values to
/// `Option<SimPacket>` and the like; these would then be copied in pieces around that byte, and to
/// read such a copy as a whole right after stalls the processor: a tenth of all time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Few<T> {
    code: u8,
    of: PhantomData<T>,
}

impl<T> Few<T> {
    const fn from_code(code: u8) -> Self {
        Self {
            code,
            of: PhantomData,
        }
    }
}

impl From<Ecn> for Few<Ecn> {
    #[inline]
    fn from(ecn: Ecn) -> Self {
        Self::from_code(ecn as u8)
    }
}

impl Few<Ecn> {
    /// The codepoint.
    #[inline]
    pub const fn get(self) -> Ecn {
        match self.code {
            0b00 => Ecn::NotEct,
            0b01 => Ecn::Ect1,
            0b10 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }
}

impl From<Kind> for Few<Kind> {
    #[inline]
    fn from(kind: Kind) -> Self {
        Self::from_code(kind as u8)
    }
}

impl Few<Kind> {
    /// The kind.
    #[inline]
    pub const fn get(self) -> Kind {
        match self.code {
            0 => Kind::Datagram,
            1 => Kind::Segment,
            _ => Kind::Ack,
        }
    }
}

const BACK: u8 = 1;
const SYN: u8 = 2;
const FIN: u8 = 4;
const AGAIN: u8 = 8;
const CWR: u8 = 16;
const ECE: u8 = 32;
const SACK: u8 = 64;

/// Bits for the byte that an acknowledgement expects: it wraps after 64 GiB, and the place above it
/// has more values than memory has room for.
const EXPECTED_BITS: u32 = 36;

/// Tells packets that are on their way at one time apart.
pub type PacketId = (FlowId, u32, u8, u64, Time);

impl SimPacket {
    /// Bytes on the wire, link framing excluded.
    #[inline]
    pub fn bytes(&self) -> Bytes {
        Bytes::new(u64::from(self.size))
    }

    /// The direction in which it travels.
    #[inline]
    pub const fn way(&self) -> Way {
        if self.flags & BACK == 0 {
            Way::There
        } else {
            Way::Back
        }
    }

    /// Whether it carries data of the flow itself, neither a request nor an acknowledgement.
    #[inline]
    pub fn is_data(&self) -> bool {
        self.flags & BACK == 0 && self.kind.get() != Kind::Ack
    }

    /// Tells it apart from all others that are on their way.
    pub const fn id(&self) -> PacketId {
        let what = self.kind.code << 1 | (self.flags & BACK);
        (self.flow, self.connection, what, self.number, self.sent)
    }

    /// The index of its flow and direction among all.
    #[inline]
    pub(crate) const fn lane(&self) -> usize {
        2 * self.flow as usize + (self.flags & BACK) as usize
    }

    /// Flags of something that travels in a direction.
    pub(crate) const fn flags_of(way: Way) -> u8 {
        match way {
            Way::There => 0,
            Way::Back => BACK,
        }
    }

    /// The same with the flags of a segment.
    pub(crate) const fn flags_with(way: Way, segment: &Segment) -> u8 {
        Self::flags_of(way)
            | if segment.syn { SYN } else { 0 }
            | if segment.fin { FIN } else { 0 }
            | if segment.retransmission { AGAIN } else { 0 }
            | if segment.cwr { CWR } else { 0 }
    }

    /// An acknowledgement that lies at `place` in the arena.
    pub(crate) fn of_ack(self, place: u64, ack: &Ack) -> Self {
        let expected = ack.ack & ((1 << EXPECTED_BITS) - 1);
        Self {
            number: place << EXPECTED_BITS | expected,
            kind: Kind::Ack.into(),
            flags: self.flags
                | if ack.ece { ECE } else { 0 }
                | if ack.sack.is_empty() { 0 } else { SACK },
            ..self
        }
    }

    /// Where an acknowledgement lies in the arena.
    #[inline]
    pub(crate) const fn ack_place(&self) -> u64 {
        self.number >> EXPECTED_BITS
    }

    /// The segment that it carries, `header` bytes of it being headers.
    pub(crate) fn segment(&self, header: u32) -> Segment {
        let flag = |flag: u8| self.flags & flag != 0;
        Segment {
            seq: self.number,
            len: u32::from(self.size).saturating_sub(header),
            syn: flag(SYN),
            fin: flag(FIN),
            retransmission: flag(AGAIN),
            cwr: flag(CWR),
            ecn: self.ecn.get(),
            stamp: self.sent,
        }
    }
}

/// What a packet carries, in full.
#[derive(Debug, Clone, Copy)]
pub enum Cargo<'a> {
    /// A datagram.
    Datagram,
    /// A segment.
    Segment(&'a Segment),
    /// An acknowledgement.
    Ack(&'a Ack),
}

impl Packet for SimPacket {
    #[inline]
    fn size(&self) -> Bytes {
        self.bytes()
    }
    #[inline]
    fn flow(&self) -> u64 {
        let back = u64::from(self.flags & BACK);
        u64::from(self.flow) | u64::from(self.connection) << 32 | back << 63
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
    fn ecn(&self) -> Ecn {
        self.ecn.get()
    }
    fn set_ce(&mut self) {
        self.ecn = Ecn::Ce.into();
    }
    /// Acknowledgements of one connection come to a queue in the order of their timestamps, which
    /// therefore need not be shown.
    fn ack(&self) -> Option<AckView> {
        (self.kind.get() == Kind::Ack).then(|| AckView {
            connection: Packet::flow(self),
            number: self.number & ((1 << EXPECTED_BITS) - 1),
            pure: true,
            ece: self.flags & ECE != 0,
            cwr: false,
            sack: if self.flags & SACK == 0 {
                Sack::None
            } else {
                Sack::Hidden
            },
            stamps: None,
        })
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
    fn an_acknowledgement_shows_what_an_ack_filter_needs() {
        let blank = SimPacket {
            sent: Time::ZERO,
            stamp: Time::ZERO,
            number: 0,
            flow: 7,
            connection: 2,
            source: 0,
            destination: 1,
            size: 40,
            hop: 0,
            ecn: Ecn::NotEct.into(),
            dscp: 0,
            kind: Kind::Segment.into(),
            flags: BACK,
        };
        assert_eq!(blank.ack(), None);
        let mut ack = Ack::plain((1 << EXPECTED_BITS) + 5);
        ack.ece = true;
        let packet = blank.of_ack(99, &ack);
        let view = packet.ack().unwrap();
        assert_eq!((packet.ack_place(), view.number), (99, 5));
        assert_eq!((view.ece, view.sack), (true, Sack::None));
        assert_eq!(view.connection, Packet::flow(&packet));
        assert_eq!(packet.way(), Way::Back);
        ack.sack.push((10, 20));
        assert_eq!(blank.of_ack(99, &ack).ack().unwrap().sack, Sack::Hidden);
    }

    #[test]
    fn a_packet_stays_small_and_lends_no_value() {
        assert_eq!(size_of::<SimPacket>(), 48);
        assert_eq!(size_of::<Option<SimPacket>>(), 56);
    }

    #[test]
    fn few_values_come_back() {
        for ecn in [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce] {
            assert_eq!(Few::from(ecn).get(), ecn);
        }
        for kind in [Kind::Datagram, Kind::Segment, Kind::Ack] {
            assert_eq!(Few::from(kind).get(), kind);
        }
    }
}
