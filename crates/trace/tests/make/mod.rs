//! Captures made by hand, byte by byte, for the reader's tests.

// Each test file uses its part.
#![allow(dead_code, unreachable_pub)]

/// A byte order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    Little,
    Big,
}

impl Order {
    pub fn u16(self, value: u16) -> [u8; 2] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }

    pub fn u32(self, value: u32) -> [u8; 4] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }

    pub fn u64(self, value: u64) -> [u8; 8] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }
}

/// IPv4 and UDP headers of a datagram of 100 bytes with ECT(0), the sender's last octet given.
pub fn udp(host: u8) -> Vec<u8> {
    #[rustfmt::skip]
    let bytes = vec![
        0x45, 0x02, 0, 100, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, host, 10, 0, 0, 99,
        0x10, 0, 0x20, 0, 0, 80, 0, 0,
    ];
    bytes
}

/// The same packet of IPv4 with another total length in its header.
pub fn of_length(length: u16, mut packet: Vec<u8>) -> Vec<u8> {
    packet[2..4].copy_from_slice(&length.to_be_bytes());
    packet
}

/// A pcap file of raw IP; packets are (seconds, fraction, original length, bytes).
pub fn pcap(order: Order, is_nano: bool, packets: &[(u32, u32, u32, Vec<u8>)]) -> Vec<u8> {
    let magic = if is_nano { 0xa1b2_3c4d } else { 0xa1b2_c3d4 };
    let mut file = Vec::new();
    file.extend(order.u32(magic));
    file.extend(order.u16(2));
    file.extend(order.u16(4));
    for word in [0, 0, 262_144, 101] {
        file.extend(order.u32(word));
    }
    for (seconds, fraction, original, bytes) in packets {
        for word in [*seconds, *fraction, bytes.len() as u32, *original] {
            file.extend(order.u32(word));
        }
        file.extend(bytes);
    }
    file
}

/// A block of pcapng.
pub fn block(order: Order, kind: u32, body: &[u8]) -> Vec<u8> {
    let padding = vec![0; body.len().next_multiple_of(4) - body.len()];
    let length = order.u32((12 + body.len() + padding.len()) as u32);
    [&order.u32(kind)[..], &length, body, &padding, &length].concat()
}

/// An option of a block.
pub fn option(order: Order, code: u16, value: &[u8]) -> Vec<u8> {
    let padding = vec![0; value.len().next_multiple_of(4) - value.len()];
    let length = order.u16(value.len() as u16);
    [&order.u16(code)[..], &length, value, &padding].concat()
}

/// The header of a section.
pub fn section(order: Order) -> Vec<u8> {
    let body = [
        &order.u32(0x1a2b_3c4d)[..],
        &order.u16(1),
        &order.u16(0),
        &order.u64(u64::MAX),
    ];
    block(order, 0x0a0d_0d0a, &body.concat())
}

/// An interface, with `if_tsresol` and `if_tsoffset` where they are given.
pub fn interface(
    order: Order,
    name: &str,
    link: u16,
    resolution: Option<u8>,
    offset: Option<i64>,
) -> Vec<u8> {
    let mut body = [&order.u16(link)[..], &order.u16(0), &order.u32(0)].concat();
    body.extend(option(order, 2, name.as_bytes()));
    if let Some(resolution) = resolution {
        body.extend(option(order, 9, &[resolution]));
    }
    if let Some(offset) = offset {
        body.extend(option(order, 14, &order.u64(offset as u64)));
    }
    body.extend(option(order, 0, &[]));
    block(order, 1, &body)
}

/// A packet with a comment.
pub fn packet(order: Order, interface: u32, stamp: u64, original: u32, bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    let (high, low) = ((stamp >> 32) as u32, stamp as u32);
    for word in [interface, high, low, bytes.len() as u32, original] {
        body.extend(order.u32(word));
    }
    body.extend(bytes);
    body.resize(body.len().next_multiple_of(4), 0);
    body.extend(option(order, 1, b"a comment"));
    body.extend(option(order, 0, &[]));
    block(order, 6, &body)
}
