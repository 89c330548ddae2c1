//! The simulated packet.

use sojourn_base::{Bytes, Ecn, Time};
use sojourn_queue::{AckView, Packet, Sack};
use sojourn_traffic::Direction;
use sojourn_transport::{Ack, Segment};

use crate::ledger::Lane;
use crate::{FlowId, NodeId};

/// What a packet carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Kind {
    /// A datagram of UDP.
    Datagram,
    /// A segment of TCP.
    Segment,
    /// An acknowledgement of TCP.
    Ack,
}

/// A packet on its way: a small value that rings and queues hold directly. A segment is stored in
/// it as a whole; an acknowledgement is stored in the simulation's arena, and the packet tells
/// where.
///
/// **Store forwarding.** A processor can pass a value that was just written on to a read before it
/// is in memory, but only if that one write covers the whole read. A packet that is copied in
/// pieces and read as a whole right afterwards stalls the processor. So a packet is copied as a
/// whole or not at all: it is read and marked in place, and functions that would take it apart are
/// out of line.
///
/// None of its fields has unused values. An enum among them would lend its unused values to
/// `Option<SimPacket>` and similar types. These would then be copied in pieces around that byte,
/// which took a tenth of all time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimPacket {
    /// When its source sent it.
    pub sent: Time,
    /// When it arrived at the queue in which it waits; once its transmission has begun, when it
    /// will arrive at the far end of the link.
    pub stamp: Time,
    /// Of a datagram, its number within its flow, from 0. Of a segment, the number of its first
    /// byte. Of an acknowledgement, its place in the arena, and in the lower bits the next byte
    /// that it expects, as far as there is room.
    pub number: u64,
    /// Its flow, and in the lowest bit its direction.
    pub(crate) lane: u32,
    /// Its connection within the flow, from 0.
    pub connection: u32,
    /// Sending node.
    pub source: NodeId,
    /// Receiving node.
    pub destination: NodeId,
    /// The place of the link over which it goes next among all [paths](crate::routes::Paths).
    pub(crate) at: u32,
    /// Bytes on the wire, link framing excluded.
    pub size: u16,
    /// Differentiated-services and ECN codepoint, as the second byte of an IP header has them.
    pub(crate) tos: u8,
    /// What it carries, and the flags of its segment or acknowledgement.
    pub(crate) what: u8,
}

/// The lowest bits of [`SimPacket::what`] are the kind; the others are flags.
const KIND: u8 = 0b11;
const SYN: u8 = 4;
const FIN: u8 = 8;
const AGAIN: u8 = 16;
const CWR: u8 = 32;
/// Of a segment.
const PUSH: u8 = 64;
/// Of an acknowledgement, like `SACK`.
const ECE: u8 = 64;
const SACK: u8 = 128;

/// The lowest bits of [`SimPacket::tos`] are the ECN codepoint (RFC 3168, 5).
const ECN: u8 = 0b11;

/// Bits for the byte that an acknowledgement expects. It wraps after 64 GiB; the bits above it are
/// enough for more places than memory has room for.
const EXPECTED_BITS: u32 = 36;

/// The index of a flow and direction among all.
#[inline(always)]
#[allow(clippy::inline_always)] // one instruction
pub(crate) const fn lane_of(flow: FlowId, direction: Direction) -> usize {
    2 * flow as usize + direction as usize
}

/// Tells apart all packets that are on their way at the same time.
pub type PacketId = (FlowId, u32, u8, u64, Time);

impl SimPacket {
    /// A datagram of `size` bytes that `flow` sends at time zero, not ECN-capable and with
    /// codepoint zero.
    pub const fn datagram(flow: FlowId, number: u64, size: u16) -> Self {
        Self {
            sent: Time::ZERO,
            stamp: Time::ZERO,
            number,
            lane: lane_of(flow, Direction::Forward) as u32,
            connection: 0,
            source: 0,
            destination: 1,
            at: 0,
            size,
            tos: 0,
            what: Kind::Datagram as u8,
        }
    }

    /// A packet that travels along `lane`, still without content.
    #[inline(always)]
    #[allow(clippy::inline_always)] // most of its fields are replaced at once
    pub(crate) fn on_lane(lane: &Lane, flow: FlowId, direction: Direction, now: Time) -> Self {
        Self {
            sent: now,
            stamp: now,
            number: 0,
            lane: lane_of(flow, direction) as u32,
            connection: 0,
            source: lane.ends.0,
            destination: lane.ends.1,
            at: lane.path,
            size: 0,
            tos: lane.dscp << 2,
            what: Kind::Datagram as u8,
        }
    }

    /// The same with an ECN codepoint.
    #[must_use]
    #[inline]
    pub const fn with_ecn(self, ecn: Ecn) -> Self {
        Self {
            tos: self.tos & !ECN | ecn as u8,
            ..self
        }
    }

    /// The same with a differentiated-services codepoint.
    #[must_use]
    pub const fn with_dscp(self, dscp: u8) -> Self {
        Self {
            tos: dscp << 2 | self.tos & ECN,
            ..self
        }
    }

    /// Its flow.
    #[inline]
    pub const fn flow(&self) -> FlowId {
        self.lane >> 1
    }

    /// The direction in which it travels.
    #[inline]
    pub const fn direction(&self) -> Direction {
        if self.lane & 1 == 0 {
            Direction::Forward
        } else {
            Direction::Reverse
        }
    }

    /// Whether it carries content of that kind.
    #[inline]
    pub const fn is(&self, kind: Kind) -> bool {
        self.what & KIND == kind as u8
    }

    /// What it carries.
    #[inline]
    pub const fn kind(&self) -> Kind {
        match self.what & KIND {
            0 => Kind::Datagram,
            1 => Kind::Segment,
            _ => Kind::Ack,
        }
    }

    /// Bytes on the wire, link framing excluded.
    #[inline]
    pub fn bytes(&self) -> Bytes {
        Bytes::new(u64::from(self.size))
    }

    /// ECN codepoint.
    #[inline]
    pub const fn ecn(&self) -> Ecn {
        match self.tos & ECN {
            0b00 => Ecn::NotEct,
            0b01 => Ecn::Ect1,
            0b10 => Ecn::Ect0,
            _ => Ecn::Ce,
        }
    }

    /// Differentiated-services codepoint.
    #[inline]
    pub const fn dscp(&self) -> u8 {
        self.tos >> 2
    }

    /// Whether it carries data of the flow itself, as opposed to a request or an acknowledgement.
    #[inline]
    pub const fn is_data(&self) -> bool {
        self.lane & 1 == 0 && !self.is(Kind::Ack)
    }

    /// Tells it apart from all others that are on their way: a segment may be sent again at the
    /// instant at which it was first sent.
    pub const fn id(&self) -> PacketId {
        let what = self.what & (KIND | AGAIN);
        (self.lane, self.connection, what, self.number, self.sent)
    }

    /// Sends it over the link that was next; it comes out there at `stamp`.
    #[inline(always)]
    #[allow(clippy::inline_always)] // two fields
    pub(crate) const fn send_on(&mut self, stamp: Time) {
        self.stamp = stamp;
        self.at += 1;
    }

    /// Sends a copy of `packet`, just made, over `links` links; it comes out of the last at
    /// `stamp`. Reads its place from the original: to read a part of what was just written as a
    /// whole costs a dozen cycles.
    #[inline(always)]
    #[allow(clippy::inline_always)] // two fields
    pub(crate) const fn send_copy_on(&mut self, packet: &Self, links: u32, stamp: Time) {
        self.stamp = stamp;
        self.at = packet.at + links;
    }

    /// The index of its flow and direction among all.
    #[inline]
    pub(crate) const fn lane(&self) -> usize {
        self.lane as usize
    }

    /// Carries the segment `segment` of a connection, with `header` more bytes on the wire.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet
    pub(crate) fn of_segment(self, connection: u32, segment: &Segment, header: u32) -> Self {
        let flag = |flag: u8, is_set: bool| if is_set { flag } else { 0 };
        Self {
            number: segment.seq,
            connection,
            size: (segment.len + header) as u16,
            tos: self.tos | segment.ecn as u8,
            what: Kind::Segment as u8
                | flag(SYN, segment.syn)
                | flag(FIN, segment.fin)
                | flag(AGAIN, segment.retransmission)
                | flag(CWR, segment.cwr)
                | flag(PUSH, segment.push),
            ..self
        }
    }

    /// Carries an acknowledgement that is at `place` in the arena.
    pub(crate) fn of_ack(self, place: u64, ack: &Ack) -> Self {
        let expected = ack.ack & ((1 << EXPECTED_BITS) - 1);
        Self {
            number: place << EXPECTED_BITS | expected,
            what: Kind::Ack as u8
                | if ack.ece { ECE } else { 0 }
                | if ack.sack.is_empty() { 0 } else { SACK },
            ..self
        }
    }

    /// The place of its acknowledgement in the arena.
    #[inline]
    pub(crate) const fn ack_place(&self) -> u64 {
        self.number >> EXPECTED_BITS
    }

    /// Whether it carries an unmarked segment that is sent for the first time and has no flags
    /// except PSH.
    #[inline]
    pub(crate) fn is_plain_segment(&self) -> bool {
        self.what & !PUSH == Kind::Segment as u8 && self.ecn() != Ecn::Ce
    }

    /// Whether its segment bears PSH.
    #[inline]
    pub(crate) const fn is_pushed(&self) -> bool {
        self.what & PUSH != 0
    }

    /// Its segment bears PSH from now on.
    #[inline]
    pub(crate) const fn push(&mut self) {
        self.what |= PUSH;
    }

    /// Its bytes beyond `header` bytes of headers.
    #[inline]
    pub(crate) const fn payload(&self, header: u32) -> u32 {
        (self.size as u32).saturating_sub(header)
    }

    /// The segment that it carries, if `header` of its bytes are headers.
    pub(crate) fn segment(&self, header: u32) -> Segment {
        let flag = |flag: u8| self.what & flag != 0;
        Segment {
            seq: self.number,
            len: self.payload(header),
            syn: flag(SYN),
            fin: flag(FIN),
            retransmission: flag(AGAIN),
            cwr: flag(CWR),
            push: flag(PUSH),
            ecn: self.ecn(),
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

/// The priority that Linux gives to a packet with that codepoint (`rt_tos2priority`, tc-prio(8)).
/// It depends on the two bits that formerly asked for low delay and for high throughput.
const fn priority_of(dscp: u8) -> u8 {
    const LOW_DELAY: u8 = 4;
    const THROUGHPUT: u8 = 2;
    match dscp & (LOW_DELAY | THROUGHPUT) {
        LOW_DELAY => 6,
        THROUGHPUT => 2,
        0 => 0,
        _ => 4,
    }
}

impl Packet for SimPacket {
    #[inline]
    fn size(&self) -> Bytes {
        self.bytes()
    }
    #[inline]
    fn flow(&self) -> u64 {
        let back = u64::from(self.lane & 1);
        u64::from(self.flow()) | u64::from(self.connection) << 32 | back << 63
    }
    fn source(&self) -> u32 {
        self.source
    }
    fn destination(&self) -> u32 {
        self.destination
    }
    fn dscp(&self) -> u8 {
        self.dscp()
    }
    fn priority(&self) -> u8 {
        priority_of(self.dscp())
    }
    #[inline]
    fn ecn(&self) -> Ecn {
        self.ecn()
    }
    fn set_ce(&mut self) {
        *self = self.with_ecn(Ecn::Ce);
    }
    /// The acknowledgements of one connection come to a queue in the order of their timestamps, so
    /// these need not be shown.
    fn ack(&self) -> Option<AckView> {
        self.is(Kind::Ack).then(|| AckView {
            connection: Packet::flow(self),
            number: self.number & ((1 << EXPECTED_BITS) - 1),
            pure: true,
            ece: self.what & ECE != 0,
            cwr: false,
            sack: if self.what & SACK == 0 {
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
        let lane = Lane::default();
        let blank = SimPacket {
            connection: 2,
            size: 40,
            ..SimPacket::on_lane(&lane, 7, Direction::Reverse, Time::ZERO)
        };
        assert_eq!(blank.ack(), None);
        let mut ack = Ack::plain((1 << EXPECTED_BITS) + 5);
        ack.ece = true;
        let packet = blank.of_ack(99, &ack);
        let view = packet.ack().unwrap();
        assert_eq!((packet.ack_place(), view.number), (99, 5));
        assert_eq!((view.ece, view.sack), (true, Sack::None));
        assert_eq!(view.connection, Packet::flow(&packet));
        assert_eq!(packet.direction(), Direction::Reverse);
        ack.sack.push((10, 20));
        assert_eq!(blank.of_ack(99, &ack).ack().unwrap().sack, Sack::Hidden);
    }

    #[test]
    fn a_packet_stays_small_and_has_no_niche() {
        assert_eq!(size_of::<SimPacket>(), 48);
        assert_eq!(size_of::<Option<SimPacket>>(), 56);
    }

    #[test]
    fn codepoints_and_kinds_come_back() {
        let lane = Lane::default();
        let blank = SimPacket::on_lane(&lane, 3, Direction::Forward, Time::ZERO).with_dscp(46);
        for ecn in [Ecn::NotEct, Ecn::Ect1, Ecn::Ect0, Ecn::Ce] {
            let packet = blank.with_ecn(Ecn::Ect0).with_ecn(ecn);
            assert_eq!((packet.ecn(), packet.dscp()), (ecn, 46));
        }
        assert_eq!((blank.kind(), blank.flow()), (Kind::Datagram, 3));
        let mut segment = blank.segment(0);
        segment.cwr = true;
        let packet = blank.of_segment(1, &segment, 52);
        assert_eq!((packet.kind(), packet.size), (Kind::Segment, 52));
        assert_eq!(packet.segment(52), segment);
        assert_eq!(packet.of_ack(1, &Ack::plain(9)).kind(), Kind::Ack);
    }

    #[test]
    fn a_segment_that_is_sent_again_at_once_is_another_packet() {
        let blank = SimPacket::on_lane(&Lane::default(), 3, Direction::Forward, Time::ZERO);
        let mut segment = blank.segment(0);
        let first = blank.of_segment(1, &segment, 52);
        segment.retransmission = true;
        assert_ne!(blank.of_segment(1, &segment, 52).id(), first.id());
    }
}
