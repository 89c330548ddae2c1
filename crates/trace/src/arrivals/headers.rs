//! What the headers of a captured packet say: sizes, addresses, flow, ECN, DSCP.
//!
//! **Flow**: source and destination address, protocol, and the ports of TCP, UDP, UDP-Lite, SCTP
//! and DCCP; no ports for fragments, as in Linux's flow dissector, so that all fragments of a
//! datagram are of one flow. What is not IP is one flow for each EtherType. Tunnels are not looked
//! into.
//!
//! **Length**: what the IP header says, so that the padding of short Ethernet frames and a frame
//! check sequence count for nothing; zero there says nothing.
//!
//! **Framing**: Ethernet's 14 bytes and 4 for each VLAN tag. The headers of cooked, loopback and
//! raw captures are none of the wire's and count for nothing.

use core::fmt;
use std::net::{IpAddr, SocketAddr};

use etherparse::{IpNumber, LaxIpSlice};
use sojourn_base::Ecn;

/// How the packets of a capture begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkType {
    /// Ethernet.
    Ethernet,
    /// IPv4 or IPv6 at once.
    Raw,
    /// BSD's loopback: four bytes of address family.
    Loopback,
    /// Linux's cooked capture.
    Cooked,
    /// Its second version.
    Cooked2,
}

/// Bytes of an IPv6 header, which its length does not count.
const IPV6_HEADER: u32 = 40;

/// The link types that are read.
pub const LINK_TYPES: &str =
    "Ethernet (1), raw IP (101, 228, 229), Linux cooked (113, 276), loopback (0, 108)";

impl LinkType {
    /// The link type of this number in the registry of tcpdump.org. Raw IP also has the numbers
    /// that BSDs give it.
    pub const fn of_number(number: i32) -> Option<Self> {
        Some(match number {
            1 => Self::Ethernet,
            12 | 14 | 101 | 228 | 229 => Self::Raw,
            0 | 108 => Self::Loopback,
            113 => Self::Cooked,
            276 => Self::Cooked2,
            _ => return None,
        })
    }

    /// Bytes of the header, where the EtherType stands in it, and whether it is one of the wire.
    const fn layout(self) -> (usize, Option<usize>, bool) {
        match self {
            Self::Ethernet => (14, Some(12), true),
            Self::Raw => (0, None, false),
            Self::Loopback => (4, None, false),
            Self::Cooked => (16, Some(14), false),
            Self::Cooked2 => (20, Some(0), false),
        }
    }
}

/// What tells a flow from others, for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlowName {
    /// One of IP.
    Ip(IpFlow),
    /// What is not IP.
    EtherType(u16),
}

/// Addresses, protocol, and the ports where there are any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IpFlow {
    /// Who sends.
    pub source: IpAddr,
    /// Who is sent to.
    pub destination: IpAddr,
    /// The number of the protocol.
    pub protocol: u8,
    /// Ports of source and destination.
    pub ports: Option<(u16, u16)>,
}

impl IpFlow {
    /// The flow that answers it.
    #[must_use]
    pub fn back(self) -> Self {
        Self {
            source: self.destination,
            destination: self.source,
            protocol: self.protocol,
            ports: self
                .ports
                .map(|(source, destination)| (destination, source)),
        }
    }
}

impl fmt::Display for FlowName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ip(flow) => flow.fmt(f),
            Self::EtherType(number) => write!(f, "EtherType 0x{number:04x}"),
        }
    }
}

impl fmt::Display for IpFlow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (source, destination) = match self.ports {
            Some(ports) => (
                SocketAddr::new(self.source, ports.0).to_string(),
                SocketAddr::new(self.destination, ports.1).to_string(),
            ),
            None => (self.source.to_string(), self.destination.to_string()),
        };
        let protocol = IpNumber(self.protocol);
        match protocol.keyword_str() {
            Some(name) => write!(f, "{} ", name.to_lowercase())?,
            None => write!(f, "protocol {} ", protocol.0)?,
        }
        write!(f, "{source} > {destination}")
    }
}

/// What the headers of a packet say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headers {
    /// Bytes of framing that were on the wire.
    pub framing: u32,
    /// Bytes before the IP header that were not.
    pub cooked: u32,
    /// Bytes from the IP header on, as it says itself. What comes after them is none of the packet.
    pub length: Option<u32>,
    /// A hash of what tells flows apart.
    pub flow: u64,
    /// The same for people.
    pub name: FlowName,
    /// Source address; of IPv6 a hash; 0 for what is not IP.
    pub source: u32,
    /// Destination address, likewise.
    pub destination: u32,
    /// ECN codepoint.
    pub ecn: Ecn,
    /// Differentiated-services codepoint.
    pub dscp: u8,
}

/// Reads the headers at the beginning of `bytes`, as far as they were captured.
pub fn read(link: LinkType, bytes: &[u8]) -> Headers {
    let (header, ether_type_at, is_framing) = link.layout();
    let mut ether_type = ether_type_at.and_then(|at| word(bytes, at));
    let mut ip_at = header;
    while ether_type.is_some_and(is_vlan_tag) {
        ether_type = word(bytes, ip_at + 2);
        ip_at += 4;
    }
    let tags = ip_at - header;
    let mut headers = Headers {
        framing: (tags + if is_framing { header } else { 0 }) as u32,
        cooked: if is_framing { 0 } else { header as u32 },
        length: None,
        flow: hash(&[&ether_type.unwrap_or_default().to_be_bytes()]),
        name: FlowName::EtherType(ether_type.unwrap_or_default()),
        source: 0,
        destination: 0,
        ecn: Ecn::NotEct,
        dscp: 0,
    };
    let may_be_ip = ether_type_at.is_none() || matches!(ether_type, Some(0x0800 | 0x86dd));
    if may_be_ip && let Some(bytes) = bytes.get(ip_at..) {
        read_ip(bytes, &mut headers);
    }
    headers
}

/// Marks the packet that begins with this IP header: congestion experienced (RFC 3168). Whether it
/// is one that may be marked is for the discipline to know.
pub fn set_ce(ip: &mut [u8]) {
    match ip {
        [first, tos, _, _, _, _, _, _, _, _, high, low, ..] if *first >> 4 == 4 => {
            let before = u16::from_be_bytes([*first, *tos]);
            *tos |= 0b11;
            let after = u16::from_be_bytes([*first, *tos]);
            let checksum = u16::from_be_bytes([*high, *low]);
            [*high, *low] = changed(checksum, before, after).to_be_bytes();
        }
        [first, traffic_class, ..] if *first >> 4 == 6 => *traffic_class |= 0b11 << 4,
        _ => {}
    }
}

/// The checksum of what had one word changed (RFC 1624, equation 3).
fn changed(checksum: u16, before: u16, after: u16) -> u16 {
    let sum = u32::from(!checksum) + u32::from(!before) + u32::from(after);
    let folded = (sum & 0xffff) + (sum >> 16);
    !((folded & 0xffff) + (folded >> 16)) as u16
}

/// IEEE 802.1Q, 802.1ad, and what was used before the latter.
const fn is_vlan_tag(ether_type: u16) -> bool {
    matches!(ether_type, 0x8100 | 0x88a8 | 0x9100)
}

fn word(bytes: &[u8], at: usize) -> Option<u16> {
    let word = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_be_bytes(*word))
}

fn read_ip(bytes: &[u8], headers: &mut Headers) {
    let Ok((ip, _)) = LaxIpSlice::from_slice(bytes) else {
        return;
    };
    let (ecn, dscp) = match &ip {
        LaxIpSlice::Ipv4(ip) => (ip.header().ecn(), ip.header().dcp()),
        LaxIpSlice::Ipv6(ip) => (ip.header().ecn(), ip.header().dscp()),
    };
    // Zero stands for one that is not known yet: the network card is to cut the packet up.
    headers.length = match &ip {
        LaxIpSlice::Ipv4(ip) => Some(u32::from(ip.header().total_len())),
        LaxIpSlice::Ipv6(ip) => match ip.header().payload_length() {
            0 => None,
            payload => Some(u32::from(payload) + IPV6_HEADER),
        },
    }
    .filter(|length| *length > 0);
    headers.ecn = match ecn.value() {
        0b00 => Ecn::NotEct,
        0b01 => Ecn::Ect1,
        0b10 => Ecn::Ect0,
        _ => Ecn::Ce,
    };
    headers.dscp = dscp.value();
    let payload = ip.payload();
    let protocol = payload.ip_number.0;
    let ports = match payload.payload.first_chunk::<4>() {
        Some(ports) if has_ports(protocol) && !payload.fragmented => ports.as_slice(),
        _ => &[],
    };
    let (source, destination) = (ip.source_addr(), ip.destination_addr());
    headers.name = FlowName::Ip(IpFlow {
        source,
        destination,
        protocol,
        ports: ports_of(ports),
    });
    (headers.source, headers.destination) = (short(source), short(destination));
    headers.flow = match (source, destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => {
            hash(&[&source.octets(), &destination.octets(), &[protocol], ports])
        }
        (IpAddr::V6(source), IpAddr::V6(destination)) => {
            hash(&[&source.octets(), &destination.octets(), &[protocol], ports])
        }
        _ => headers.flow,
    };
}

/// TCP, UDP, DCCP, SCTP, UDP-Lite: ports come first.
const fn has_ports(protocol: u8) -> bool {
    matches!(protocol, 6 | 17 | 33 | 132 | 136)
}

fn ports_of(bytes: &[u8]) -> Option<(u16, u16)> {
    Some((word(bytes, 0)?, word(bytes, 2)?))
}

fn short(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(address) => address.to_bits(),
        IpAddr::V6(address) => {
            let hash = hash(&[&address.octets()]);
            (hash ^ hash >> 32) as u32
        }
    }
}

/// FNV-1a of 64 bits (Fowler, Noll, Vo): the same on every machine.
pub(super) fn hash(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.iter());
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use etherparse::PacketBuilder;

    /// UDP from 10.0.0.1 to 10.0.0.2 with CE and DSCP 46.
    fn ipv4(ports: (u16, u16)) -> Vec<u8> {
        let mut bytes = Vec::new();
        PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
            .udp(ports.0, ports.1)
            .write(&mut bytes, &[0; 10])
            .unwrap();
        bytes[1] = 46 << 2 | 0b11;
        bytes
    }

    fn ipv6() -> Vec<u8> {
        let mut bytes = Vec::new();
        PacketBuilder::ipv6([1; 16], [2; 16], 64)
            .tcp(5, 6, 0, 0)
            .write(&mut bytes, &[])
            .unwrap();
        bytes[1] |= 0b10 << 4;
        bytes
    }

    fn after(header: &[u8], ip: &[u8]) -> Vec<u8> {
        [header, ip].concat()
    }

    #[test]
    fn the_same_packet_is_the_same_flow_over_every_link() {
        let ip = ipv4((5, 6));
        let mac = [0; 12];
        let plain = read(LinkType::Raw, &ip);
        assert_eq!((plain.framing, plain.cooked), (0, 0));
        assert_eq!((plain.ecn, plain.dscp), (Ecn::Ce, 46));
        assert_eq!(
            (plain.source, plain.destination),
            (0x0a00_0001, 0x0a00_0002)
        );
        let tag = [0x81, 0, 0, 7];
        let outer = [0x88, 0xa8, 0, 9];
        let ipv4 = [8, 0];
        let cases = [
            (LinkType::Ethernet, [&mac[..], &ipv4].concat(), 14, 0),
            (LinkType::Ethernet, [&mac[..], &tag, &ipv4].concat(), 18, 0),
            (
                LinkType::Ethernet,
                [&mac[..], &outer, &tag, &ipv4].concat(),
                22,
                0,
            ),
            (LinkType::Loopback, vec![2, 0, 0, 0], 0, 4),
            (LinkType::Cooked, [&[0; 14][..], &ipv4].concat(), 0, 16),
            (LinkType::Cooked2, [&ipv4[..], &[0; 18]].concat(), 0, 20),
        ];
        for (link, header, framing, cooked) in cases {
            let headers = read(link, &after(&header, &ip));
            let expected = Headers {
                framing,
                cooked,
                ..plain
            };
            assert_eq!(headers, expected, "{link:?} {header:?}");
        }
    }

    #[test]
    fn flows_have_names_for_people() {
        let name = |link, bytes: &[u8]| read(link, bytes).name.to_string();
        let udp = name(LinkType::Raw, &ipv4((5, 6)));
        assert_eq!(udp, "udp 10.0.0.1:5 > 10.0.0.2:6");
        let tcp = name(LinkType::Raw, &ipv6());
        assert!(tcp.starts_with("tcp [101:"), "{tcp}");
        let arp = after(&[0; 12], &[8, 6, 0, 1]);
        assert_eq!(name(LinkType::Ethernet, &arp), "EtherType 0x0806");
        let cut = name(LinkType::Raw, &ipv4((5, 6))[..23]);
        assert_eq!(cut, "udp 10.0.0.1 > 10.0.0.2");
    }

    #[test]
    fn flows_differ_by_ports_but_for_fragments() {
        let flow = |ip: &[u8]| read(LinkType::Raw, ip).flow;
        assert_ne!(flow(&ipv4((5, 6))), flow(&ipv4((6, 5))));
        let fragment = |ports| {
            let mut ip = ipv4(ports);
            ip[6] |= 0x20; // more fragments
            ip
        };
        assert_eq!(flow(&fragment((5, 6))), flow(&fragment((7, 8))));
    }

    #[test]
    fn ipv6_is_read() {
        let headers = read(LinkType::Raw, &ipv6());
        assert_eq!(headers.ecn, Ecn::Ect0);
        assert_ne!(headers.source, headers.destination);
        assert_ne!(headers.flow, read(LinkType::Raw, &ipv4((5, 6))).flow);
    }

    #[test]
    fn a_mark_changes_the_codepoint_and_the_checksum_alone() {
        let mut ip = ipv4((5, 6));
        ip[1] = 46 << 2 | 0b10;
        ip[6] |= 0x80; // the flag that is reserved
        let sum_of = |ip: &[u8]| {
            let words = ip[..20].chunks_exact(2).map(|word| [word[0], word[1]]);
            let sum: u32 = words.map(|word| u32::from(u16::from_be_bytes(word))).sum();
            (sum & 0xffff) + (sum >> 16)
        };
        ip[10..12].fill(0);
        let checksum = !(sum_of(&ip) as u16);
        ip[10..12].copy_from_slice(&checksum.to_be_bytes());
        assert_eq!(sum_of(&ip), 0xffff);
        let before = ip.clone();
        set_ce(&mut ip);
        let headers = read(LinkType::Raw, &ip);
        assert_eq!((headers.ecn, headers.dscp), (Ecn::Ce, 46));
        assert_eq!(sum_of(&ip), 0xffff);
        assert_eq!(
            (ip[0], &ip[2..10], &ip[12..]),
            (before[0], &before[2..10], &before[12..])
        );

        let mut ip = ipv6();
        let before = ip.clone();
        set_ce(&mut ip);
        assert_eq!(read(LinkType::Raw, &ip).ecn, Ecn::Ce);
        assert_eq!((ip[0], &ip[2..]), (before[0], &before[2..]));
        // What is no packet stays as it is.
        set_ce(&mut []);
        set_ce(&mut [0x60]);
    }

    #[test]
    fn packets_that_were_captured_in_part_tell_what_they_can() {
        let whole = read(LinkType::Raw, &ipv4((5, 6)));
        assert_eq!(read(LinkType::Raw, &ipv4((5, 6))[..24]), whole);
        let without_ports = read(LinkType::Raw, &ipv4((5, 6))[..23]);
        assert_eq!(without_ports.ecn, Ecn::Ce);
        assert_ne!(without_ports.flow, whole.flow);
        for length in 0..20 {
            assert_eq!(
                read(LinkType::Raw, &ipv4((5, 6))[..length]).ecn,
                Ecn::NotEct
            );
        }
        assert_eq!(read(LinkType::Ethernet, &[]).framing, 14);
    }

    #[test]
    fn what_is_not_ip_is_a_flow_for_each_ether_type() {
        let arp = |kind: u8| read(LinkType::Ethernet, &after(&[0; 12], &[8, kind, 0, 1])).flow;
        assert_eq!(arp(6), arp(6));
        assert_ne!(arp(6), arp(7));
    }

    /// Test vectors of the function's authors.
    #[test]
    fn the_hash_is_fnv_1a() {
        assert_eq!(hash(&[]), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(&[b"a"]), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash(&[b"foo", b"bar"]), 0x8594_4171_f739_67e8);
    }
}
