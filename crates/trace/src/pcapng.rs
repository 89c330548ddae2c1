//! The container of captures, pcapng (draft-ietf-opsawg-pcapng): one section, its interfaces, its
//! packets with their comments.
//!
//! The link type is raw IP (101): a simulated link has no framing of its own to show, and so a
//! packet's length in the capture is its size in the scenario, without invented addresses or
//! padding. Stamps are nanoseconds since the start of the run, which a reader shows as the first of
//! January 1970; the picoseconds of the clock are cut off.

use std::borrow::Cow;
use std::io::{self, Write};

use pcap_parser::{
    EnhancedPacketBlock, InterfaceDescriptionBlock, InterfaceStatisticsBlock, Linktype, OptionCode,
    PcapNGOption, SectionHeaderBlock, ToVec,
};
use sojourn_base::{Rate, Time};

/// `if_tsresol`: stamps count units of 10^-9 s.
const NANOSECONDS: u8 = 9;
/// `epb_dropcount`: packets lost since the one before on the same interface.
const DROP_COUNT: OptionCode = OptionCode(4);
/// `epb_packetid`: the same number on every interface that sees the same packet.
const PACKET_ID: OptionCode = OptionCode(5);
/// The longest value of an option.
const MAX_OPTION: usize = u16::MAX as usize - 3;

/// An interface: one direction of a link.
#[derive(Debug, Clone, Copy)]
pub struct Interface<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it shows.
    pub description: &'a str,
    /// Its rate.
    pub speed: Rate,
    /// The most that is stored of a packet, bytes; 0: all.
    pub snap_length: u32,
}

/// A packet to be written.
#[derive(Debug, Clone, Copy)]
pub struct Packet<'a> {
    /// The interface that saw it.
    pub interface: u32,
    /// When.
    pub time: Time,
    /// Its length on the wire.
    pub length: u32,
    /// Its beginning, as much as is stored.
    pub bytes: &'a [u8],
    /// The same number wherever the same packet is seen.
    pub id: u64,
    /// Packets lost at this interface since the one before.
    pub lost: u64,
    /// Remarks on it.
    pub comments: &'a [String],
}

/// Writes a capture.
#[derive(Debug)]
pub struct Pcapng<W: Write> {
    out: W,
    interfaces: u32,
}

impl<W: Write> Pcapng<W> {
    /// Begins a capture; `comment` is what its properties show.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new(mut out: W, comment: &str) -> io::Result<Self> {
        let writer = concat!("Sojourn ", env!("CARGO_PKG_VERSION"));
        let mut section = SectionHeaderBlock {
            block_type: 0,
            block_len1: 0,
            bom: 0,
            major_version: 1,
            minor_version: 0,
            section_len: -1,
            options: vec![
                text(OptionCode::Comment, comment),
                text(OptionCode::ShbUserAppl, writer),
            ],
            block_len2: 0,
        };
        put(&mut out, &mut section)?;
        Ok(Self { out, interfaces: 0 })
    }

    /// Adds an interface; returns its number.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn add(&mut self, interface: &Interface<'_>) -> io::Result<u32> {
        let speed = interface.speed.bps().to_le_bytes();
        let mut block = InterfaceDescriptionBlock {
            block_type: 0,
            block_len1: 0,
            linktype: Linktype::RAW,
            reserved: 0,
            snaplen: interface.snap_length,
            options: vec![
                text(OptionCode::IfName, interface.name),
                text(OptionCode::IfDescription, interface.description),
                option(OptionCode::IfSpeed, speed.to_vec()),
            ],
            block_len2: 0,
            if_tsresol: NANOSECONDS,
            if_tsoffset: 0,
        };
        put(&mut self.out, &mut block)?;
        self.interfaces += 1;
        Ok(self.interfaces - 1)
    }

    /// Adds a packet.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn write(&mut self, packet: &Packet<'_>) -> io::Result<()> {
        let (ts_high, ts_low) = stamp(packet.time);
        let mut options: Vec<_> = packet
            .comments
            .iter()
            .map(|comment| text(OptionCode::Comment, comment))
            .collect();
        if packet.lost > 0 {
            options.push(option(DROP_COUNT, packet.lost.to_le_bytes().to_vec()));
        }
        options.push(option(PACKET_ID, packet.id.to_le_bytes().to_vec()));
        let mut block = EnhancedPacketBlock {
            block_type: 0,
            block_len1: 0,
            if_id: packet.interface,
            ts_high,
            ts_low,
            caplen: packet.bytes.len() as u32,
            origlen: packet.length,
            data: packet.bytes,
            options,
            block_len2: 0,
        };
        put(&mut self.out, &mut block)
    }

    /// Adds what an interface saw until `now`: packets that came to it, and how many of them were
    /// dropped.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn count(
        &mut self,
        interface: u32,
        now: Time,
        received: u64,
        dropped: u64,
    ) -> io::Result<()> {
        let (ts_high, ts_low) = stamp(now);
        let mut block = InterfaceStatisticsBlock {
            block_type: 0,
            block_len1: 0,
            if_id: interface,
            ts_high,
            ts_low,
            options: vec![
                option(OptionCode::IsbIfRecv, received.to_le_bytes().to_vec()),
                option(OptionCode::IsbIfDrop, dropped.to_le_bytes().to_vec()),
            ],
            block_len2: 0,
        };
        put(&mut self.out, &mut block)
    }

    /// Ends the capture.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn finish(mut self) -> io::Result<()> {
        self.out.flush()
    }
}

fn put(out: &mut impl Write, block: &mut impl ToVec) -> io::Result<()> {
    let bytes = block.to_vec().map_err(io::Error::other)?;
    out.write_all(&bytes)
}

/// A stamp in nanoseconds, high and low word.
const fn stamp(time: Time) -> (u32, u32) {
    let ns = time.as_ps() / 1_000;
    ((ns >> 32) as u32, ns as u32)
}

fn option(code: OptionCode, value: Vec<u8>) -> PcapNGOption<'static> {
    PcapNGOption {
        code,
        len: value.len() as u16,
        value: Cow::Owned(value),
    }
}

fn text(code: OptionCode, text: &str) -> PcapNGOption<'_> {
    let value = &text.as_bytes()[..text.floor_char_boundary(MAX_OPTION)];
    PcapNGOption {
        code,
        len: value.len() as u16,
        value: Cow::Borrowed(value),
    }
}
