//! Real packets for simulated ones: IPv4 around UDP or TCP, with right lengths and checksums.
//!
//! **Addresses**: node 5 is `10.0.0.6`, since `10.0.0.0` is no host; the number is the one that
//! ns-2 traces show. **Ports**: the end that sends data has one for each connection, from 61440 on;
//! the end that receives them one for each flow, from 63488 on. Wireshark knows no protocol there
//! that it would read the payload as. There are 2048 of each: beyond that many flows, or
//! connections of a flow, they come round again. Data that flows back over the same connection (a
//! request) is a connection of its own here: the simulated one opens and acknowledges each
//! direction by itself.
//!
//! **Sizes**: an IPv4 packet is as long as the simulated one: "bytes on the wire, framing
//! excluded". The payload is zeros, and what a scenario calls payload may be part of the real
//! headers here. Where real headers need more room than the simulated packet has, it is written
//! longer; where TCP's payload leaves room, its header is padded after "end of options".
//! [`Frame::size`] differs from [`Frame::simulated`] only if neither fits.
//!
//! **Other fields**: "don't fragment"; an identification that counts packets, the same at every
//! link that one crosses; a time to live of 64 less the links behind it; ECN and DSCP of the
//! moment.

pub mod tcp;

use std::net::Ipv4Addr;

use etherparse::{IpDscp, IpEcn, IpNumber, Ipv4Header, TcpHeader, UdpHeader};
use sojourn_base::Ecn;
use sojourn_engine::SimPacket;

pub use tcp::Conversation;

/// The largest headers that are written.
pub const MAX_HEADERS: usize = Ipv4Header::MIN_LEN + TcpHeader::MAX_LEN;
/// Headers of a UDP datagram: IPv4 20 bytes, UDP 8.
pub const UDP_HEADERS: usize = Ipv4Header::MIN_LEN + UdpHeader::LEN;

const FIRST_SENDER: u16 = 61_440;
const FIRST_RECEIVER: u16 = 63_488;
const PORTS: u32 = 2048;
const FIRST_TTL: u16 = 64;
/// The payload of every packet.
static ZEROS: [u8; u16::MAX as usize] = [0; u16::MAX as usize];

/// The address of the node that goes by `number` in traces.
pub const fn address(number: u32) -> Ipv4Addr {
    let [_, x, y, z] = number.wrapping_add(1).to_be_bytes();
    Ipv4Addr::new(10, x, y, z)
}

/// The two ends of a packet's way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ends {
    /// Address and port that it comes from.
    pub source: (Ipv4Addr, u16),
    /// Address and port that it goes to.
    pub destination: (Ipv4Addr, u16),
}

impl Ends {
    /// The ends of a connection of a flow between two nodes, seen by its data.
    pub fn of(source: u32, destination: u32, flow: u32, connection: u32) -> Self {
        let sender = connection.wrapping_add(flow / PORTS) % PORTS;
        Self {
            source: (address(source), FIRST_SENDER + sender as u16),
            destination: (address(destination), FIRST_RECEIVER + (flow % PORTS) as u16),
        }
    }

    /// The same seen by acknowledgements.
    #[must_use]
    pub const fn reversed(self) -> Self {
        Self {
            source: self.destination,
            destination: self.source,
        }
    }
}

/// A real packet: its headers, and how many zeros follow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    ip: Ipv4Header,
    transport: Vec<u8>,
    payload: usize,
    simulated: usize,
}

impl Frame {
    /// A UDP datagram of `size` bytes, headers and all.
    pub fn udp(ends: Ends, id: u16, size: usize) -> Self {
        let payload = size.saturating_sub(UDP_HEADERS).min(room(UdpHeader::LEN));
        let mut header = UdpHeader {
            source_port: ends.source.1,
            destination_port: ends.destination.1,
            length: (UdpHeader::LEN + payload) as u16,
            checksum: 0,
        };
        let (source, destination) = (ends.source.0.octets(), ends.destination.0.octets());
        header.checksum = header
            .calc_checksum_ipv4_raw(source, destination, &ZEROS[..payload])
            .unwrap_or_default();
        let transport = header.to_bytes().to_vec();
        Self::new(ends, IpNumber::UDP, id, transport, payload, size)
    }

    /// A TCP segment of `size` bytes, headers and all, of which `payload` are data. Ports, padding
    /// and checksum of `header` are filled in.
    pub fn tcp(ends: Ends, id: u16, size: usize, header: TcpHeader, payload: usize) -> Self {
        let mut header = header;
        (header.source_port, header.destination_port) = (ends.source.1, ends.destination.1);
        let real = Ipv4Header::MIN_LEN + header.header_len() + payload;
        tcp::pad(&mut header, size.saturating_sub(real));
        let payload = payload.min(room(header.header_len()));
        let (source, destination) = (ends.source.0.octets(), ends.destination.0.octets());
        header.checksum = header
            .calc_checksum_ipv4_raw(source, destination, &ZEROS[..payload])
            .unwrap_or_default();
        let transport = header.to_bytes().to_vec();
        Self::new(ends, IpNumber::TCP, id, transport, payload, size)
    }

    fn new(
        ends: Ends,
        protocol: IpNumber,
        id: u16,
        transport: Vec<u8>,
        payload: usize,
        simulated: usize,
    ) -> Self {
        let ip = Ipv4Header {
            total_len: (Ipv4Header::MIN_LEN + transport.len() + payload) as u16,
            identification: id,
            dont_fragment: true,
            protocol,
            source: ends.source.0.octets(),
            destination: ends.destination.0.octets(),
            ..Ipv4Header::default()
        };
        Self {
            ip,
            transport,
            payload,
            simulated,
        }
    }

    /// Bytes of the IPv4 packet.
    pub const fn size(&self) -> usize {
        self.ip.total_len as usize
    }

    /// Bytes that it has in the simulation.
    pub const fn simulated(&self) -> usize {
        self.simulated
    }

    /// Writes it as `packet` is now that it has come over `crossed` links: the headers, and with
    /// `whole` the payload.
    pub fn write(&self, packet: &SimPacket, crossed: u16, whole: bool, out: &mut Vec<u8>) {
        let mut ip = self.ip.clone();
        ip.dscp = IpDscp::try_new(packet.dscp()).unwrap_or_default();
        ip.ecn = match packet.ecn() {
            Ecn::NotEct => IpEcn::ZERO,
            Ecn::Ect1 => IpEcn::ONE,
            Ecn::Ect0 => IpEcn::TWO,
            Ecn::Ce => IpEcn::THREE,
        };
        ip.time_to_live = FIRST_TTL.saturating_sub(crossed).max(1) as u8;
        ip.header_checksum = ip.calc_header_checksum();
        out.clear();
        out.extend_from_slice(&ip.to_bytes());
        out.extend_from_slice(&self.transport);
        if whole {
            out.extend_from_slice(&ZEROS[..self.payload]);
        }
    }
}

/// Payload that an IPv4 packet can hold beside a transport header.
const fn room(transport: usize) -> usize {
    u16::MAX as usize - Ipv4Header::MIN_LEN - transport
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ends() -> Ends {
        Ends::of(0, 257, 3, 0)
    }

    fn packet(ecn: Ecn) -> SimPacket {
        SimPacket::datagram(3, 0, 32).with_ecn(ecn).with_dscp(46)
    }

    #[test]
    fn nodes_and_flows_have_addresses_and_ports() {
        let ends = ends();
        assert_eq!(ends.source, (Ipv4Addr::new(10, 0, 0, 1), 61_440));
        assert_eq!(ends.destination, (Ipv4Addr::new(10, 0, 1, 2), 63_491));
        assert_eq!(ends.reversed().source, ends.destination);
        assert_ne!(Ends::of(1, 2, 0, 0), Ends::of(1, 2, 2048, 0));
        assert_ne!(Ends::of(1, 2, 0, 0), Ends::of(2, 1, 0, 0).reversed());
    }

    /// Worked out by hand from RFC 791 and RFC 768: the words added up, carries folded, inverted.
    #[test]
    fn a_datagram_is_written_byte_by_byte() {
        let mut bytes = Vec::new();
        Frame::udp(ends(), 7, 32).write(&packet(Ecn::Ce), 1, true, &mut bytes);
        #[rustfmt::skip]
        let expected = [
            // Version and length, expedited and CE, total length 32, id 7, don't fragment, TTL 63,
            // UDP.
            0x45, 0xbb, 0x00, 0x20, 0x00, 0x07, 0x40, 0x00, 0x3f, 0x11, 0x26, 0x09,
            10, 0, 0, 1, 10, 0, 1, 2,
            // Ports 61440 and 63491, length 12.
            0xf0, 0x00, 0xf8, 0x03, 0x00, 0x0c, 0x02, 0xcf,
            0, 0, 0, 0,
        ];
        assert_eq!(bytes, expected);
    }

    #[test]
    fn a_datagram_is_never_shorter_than_its_headers_nor_longer_than_ipv4_allows() {
        for (size, written) in [(0, 28), (27, 28), (28, 28), (1500, 1500), (70_000, 65_535)] {
            let frame = Frame::udp(ends(), 0, size);
            assert_eq!((frame.size(), frame.simulated()), (written, size));
            let mut bytes = Vec::new();
            frame.write(&packet(Ecn::NotEct), 0, false, &mut bytes);
            assert_eq!(bytes.len(), UDP_HEADERS);
        }
    }

    #[test]
    fn a_segment_fills_the_room_of_the_simulated_one_with_padding_in_its_header() {
        let sizes = |size| {
            let frame = Frame::tcp(ends(), 0, size, TcpHeader::default(), 1000);
            (frame.size(), frame.transport.len())
        };
        assert_eq!(sizes(1040), (1040, 20));
        assert_eq!(sizes(1052), (1052, 32));
        assert_eq!(sizes(1000), (1040, 20), "real headers need 40 bytes");
        assert_eq!(sizes(1043), (1040, 20), "options come in words of four");
        assert_eq!(sizes(1200), (1080, 60), "the header is at its largest");
    }
}
