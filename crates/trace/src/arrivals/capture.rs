//! Arrivals in a capture: pcap and pcapng, block by block out of a buffer of one size.

use std::io::{self, ErrorKind, Read};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use pcap_parser::traits::{PcapNGPacketBlock, PcapReaderIterator};
use pcap_parser::{
    Block, InterfaceDescriptionBlock, LegacyPcapReader, PcapBlockOwned, PcapError, PcapHeader,
    PcapNGReader,
};
use sojourn_base::time::{LONGEST_S, PS_PER_S};
use sojourn_base::{Networks, Span, Time};

use super::headers::{self, FlowName, IpFlow, LINK_TYPES, LinkType};
use super::{Arrival, Disorder, Fault, Place, Source};

/// The largest block or record that can be read: far above any snap length in use.
const BUFFER: usize = 1 << 22;
/// The obsolete packet block of pcapng.
const PACKET_BLOCK: u32 = 2;
/// Addresses that a message shows.
const SHOWN: usize = 5;

/// Reads a capture.
pub(super) struct Capture {
    reader: Box<dyn PcapReaderIterator + Send>,
    /// Why the source could not be read: the reader does not say.
    failure: Failure,
    sections: Sections,
    /// Whether its interfaces have names: those of the classic format have none.
    names_interfaces: bool,
    latest: Place,
}

impl Capture {
    pub(super) fn pcap(source: Source) -> Result<Self, Fault> {
        Self::new(source, false, |source| {
            Ok(Box::new(LegacyPcapReader::new(BUFFER, source)?))
        })
    }

    pub(super) fn pcapng(source: Source) -> Result<Self, Fault> {
        Self::new(source, true, |source| {
            Ok(Box::new(PcapNGReader::new(BUFFER, source)?))
        })
    }

    fn new<F>(source: Source, names_interfaces: bool, make: F) -> Result<Self, Fault>
    where
        F: FnOnce(Watched) -> Result<Box<dyn PcapReaderIterator + Send>, PcapError<&'static [u8]>>,
    {
        let failure = Failure::default();
        let watched = Watched {
            source,
            failure: failure.clone(),
        };
        let reader = make(watched).map_err(|error| fault_of(&error, &failure))?;
        Ok(Self {
            reader,
            failure,
            sections: Sections::default(),
            names_interfaces,
            latest: Place {
                packet: 0,
                line: None,
                offset: 0,
            },
        })
    }

    pub(super) const fn names_interfaces(&self) -> bool {
        self.names_interfaces
    }

    pub(super) fn only(&mut self, interface: &str) {
        self.sections.only = Some(interface.to_owned());
    }

    pub(super) fn sent_by(&mut self, senders: Networks) {
        self.sections.senders = Some(senders);
    }

    pub(super) fn offset(&self) -> u64 {
        self.reader.consumed() as u64
    }

    pub(super) fn interfaces(&self) -> &[String] {
        &self.sections.taken
    }

    pub(super) const fn disorder(&self) -> Disorder {
        self.sections.clock.disorder
    }

    /// Where the latest packet stands.
    pub(super) const fn latest(&self) -> Place {
        self.latest
    }

    pub(super) fn flow_name(&self) -> String {
        let flow = self.sections.flow;
        flow.map_or_else(String::new, |flow| flow.to_string())
    }

    pub(super) const fn ip_flow(&self) -> Option<IpFlow> {
        match self.sections.flow {
            Some(FlowName::Ip(flow)) => Some(flow),
            _ => None,
        }
    }

    pub(super) fn next(&mut self) -> Result<Option<Arrival>, (Place, Fault)> {
        loop {
            let place = Place {
                packet: self.sections.packets + 1,
                line: None,
                offset: self.offset(),
            };
            match self.block().map_err(|fault| (place, fault))? {
                Found::Arrival(arrival) => {
                    self.latest = place;
                    return Ok(Some(arrival));
                }
                Found::Nothing => {}
                Found::End => return Ok(None),
            }
        }
    }

    /// Takes the next block.
    fn block(&mut self) -> Result<Found, Fault> {
        loop {
            let available = self.reader.data().len();
            match self.reader.next() {
                Ok((length, block)) => {
                    let found = self.sections.take(&block);
                    self.reader.consume(length);
                    return found;
                }
                Err(PcapError::Eof) => return self.sections.end(),
                Err(PcapError::Incomplete(_)) => {}
                Err(error) => return Err(fault_of(&error, &self.failure)),
            }
            let refilled = self.reader.refill();
            refilled.map_err(|error| fault_of(&error, &self.failure))?;
            if self.reader.data().len() == available && !self.reader.reader_exhausted() {
                return Err(too_large());
            }
        }
    }
}

/// What was found in a block.
enum Found {
    Arrival(Arrival),
    Nothing,
    End,
}

/// A packet of either format.
struct Record<'a> {
    interface: usize,
    /// In units of the interface.
    stamp: u64,
    original: u32,
    bytes: &'a [u8],
}

/// What is known of an interface.
struct Interface {
    name: String,
    /// How its packets are read, or why they cannot be: nobody need want them.
    units: Result<Units, String>,
    /// Seconds to be added to all stamps.
    offset: i64,
}

/// How the packets of an interface are read.
#[derive(Clone, Copy)]
struct Units {
    link: LinkType,
    /// Units of its stamps in a second.
    resolution: u128,
}

/// What the blocks so far say of those to come.
#[derive(Default)]
struct Sections {
    is_big_endian: bool,
    interfaces: Vec<Interface>,
    /// The interface to be read, if not all of them.
    only: Option<String>,
    /// Names of those that have packets.
    named: Vec<String>,
    /// Names of those whose packets were taken.
    taken: Vec<String>,
    /// Whose packets are to be read, if not everybody's.
    senders: Option<Networks>,
    /// Some of the others.
    passed_over: Vec<IpAddr>,
    packets: u64,
    /// The flow of the latest packet.
    flow: Option<FlowName>,
    clock: Clock,
}

/// The clock of a capture.
#[derive(Default)]
struct Clock {
    /// The first stamp and the latest, in picoseconds.
    stamps: Option<(i128, i128)>,
    disorder: Disorder,
}

impl Clock {
    /// Time from the first packet to one that is stamped `now`, or to the latest one if that is
    /// later.
    fn since_first(&mut self, now: i128) -> Result<Time, Fault> {
        let (first, latest) = *self.stamps.get_or_insert((now, now));
        if now < latest {
            let back = u64::try_from(latest - now).unwrap_or(u64::MAX);
            self.disorder.packets += 1;
            self.disorder.furthest = self.disorder.furthest.max(Span::from_ps(back));
        }
        let now = now.max(latest);
        self.stamps = Some((first, now));
        let since_s = (now - first) / i128::from(PS_PER_S);
        if since_s >= i128::from(LONGEST_S) {
            return Err(wrong(format!(
                "found a stamp {since_s} s after the first packet's; allowed: less than {LONGEST_S} s"
            )));
        }
        Ok(Time::from_ps((now - first) as u64))
    }
}

impl Sections {
    fn take(&mut self, block: &PcapBlockOwned<'_>) -> Result<Found, Fault> {
        match block {
            PcapBlockOwned::LegacyHeader(header) => self.interfaces.push(of_header(header)?),
            PcapBlockOwned::Legacy(packet) => {
                let units = self
                    .interfaces
                    .first()
                    .and_then(|only| only.units.as_ref().ok());
                let resolution = units.map_or(1, |units| units.resolution);
                let fraction = u64::from(packet.ts_usec);
                return self.arrival(&Record {
                    interface: 0,
                    stamp: u64::from(packet.ts_sec) * resolution as u64 + fraction,
                    original: packet.origlen.max(packet.caplen),
                    bytes: packet.data,
                });
            }
            PcapBlockOwned::NG(Block::SectionHeader(section)) => {
                self.is_big_endian = section.big_endian();
                self.interfaces.clear();
            }
            PcapBlockOwned::NG(Block::InterfaceDescription(description)) => {
                let number = self.interfaces.len();
                let interface = of_description(description, number, self.is_big_endian);
                self.interfaces.push(interface);
            }
            PcapBlockOwned::NG(Block::EnhancedPacket(packet)) => {
                return self.arrival(&Record {
                    interface: packet.if_id as usize,
                    stamp: u64::from(packet.ts_high) << 32 | u64::from(packet.ts_low),
                    original: packet.origlen.max(packet.caplen),
                    bytes: packet.packet_data(),
                });
            }
            PcapBlockOwned::NG(Block::SimplePacket(_)) => {
                return Err(wrong("found a packet without a time; allowed: with one"));
            }
            PcapBlockOwned::NG(Block::Unknown(block))
                if self.native(block.block_type) == PACKET_BLOCK =>
            {
                return Err(wrong(
                    "found pcapng's obsolete packet block; allowed: enhanced ones, which editcap makes of it",
                ));
            }
            PcapBlockOwned::NG(_) => {}
        }
        Ok(Found::Nothing)
    }

    /// A word that the parser read in one byte order whatever the section's.
    const fn native(&self, word: u32) -> u32 {
        if self.is_big_endian {
            word.swap_bytes()
        } else {
            word
        }
    }

    fn arrival(&mut self, record: &Record<'_>) -> Result<Found, Fault> {
        let Some(interface) = self.interfaces.get(record.interface) else {
            let (found, known) = (record.interface, self.interfaces.len());
            return Err(wrong(format!(
                "found the interface {found}; allowed: one of the {known} described before"
            )));
        };
        self.packets += 1;
        if !self.named.contains(&interface.name) {
            self.named.push(interface.name.clone());
        }
        if self
            .only
            .as_ref()
            .is_some_and(|only| *only != interface.name)
        {
            return Ok(Found::Nothing);
        }
        let units = interface.units.as_ref().map_err(wrong)?;
        let headers = headers::read(units.link, record.bytes);
        if let Some(senders) = &self.senders {
            match headers.name {
                FlowName::Ip(flow) if senders.contain(flow.source) => {}
                FlowName::Ip(flow) => {
                    let is_new = !self.passed_over.contains(&flow.source);
                    if is_new && self.passed_over.len() < SHOWN {
                        self.passed_over.push(flow.source);
                    }
                    return Ok(Found::Nothing);
                }
                FlowName::EtherType(_) => return Ok(Found::Nothing),
            }
        }
        if !self.taken.contains(&interface.name) {
            self.taken.push(interface.name.clone());
        }
        let ps = u128::from(record.stamp) * u128::from(PS_PER_S) / units.resolution;
        let ps = ps.cast_signed() + i128::from(interface.offset) * i128::from(PS_PER_S);
        let time = self.clock.since_first(ps)?;
        self.flow = Some(headers.name);
        let there = record
            .original
            .saturating_sub(headers.framing + headers.cooked);
        Ok(Found::Arrival(Arrival {
            time,
            size: headers.length.unwrap_or(there).min(there).max(1),
            framing: headers.framing,
            flow: headers.flow,
            source: headers.source,
            destination: headers.destination,
            ecn: headers.ecn,
            dscp: headers.dscp,
        }))
    }

    /// The file ends: the interface and the senders that are wanted must have been there.
    fn end(&self) -> Result<Found, Fault> {
        if self.named.is_empty() {
            return Ok(Found::End);
        }
        if let Some(only) = &self.only
            && !self.named.contains(only)
        {
            let named = self.named.join(", ");
            return Err(wrong(format!(
                "found no packet of the interface {only:?}; allowed: {named}"
            )));
        }
        if self.senders.is_some() && self.taken.is_empty() {
            let others: Vec<String> = self.passed_over.iter().map(IpAddr::to_string).collect();
            return Err(wrong(match others.len() {
                0 => "found no packet with an address; allowed: every sender".to_owned(),
                _ => format!(
                    "found no packet of the sender; allowed: one of those that there are, such as \
                     {}",
                    others.join(", ")
                ),
            }));
        }
        Ok(Found::End)
    }
}

fn of_header(header: &PcapHeader) -> Result<Interface, Fault> {
    let is_nano = header.is_nanosecond_precision();
    // The upper bits say whether there is a frame check sequence, and how long it is.
    let link = link_type(header.network.0 & 0x03ff_ffff).map_err(|what| wrong(&what))?;
    Ok(Interface {
        name: String::new(),
        units: Ok(Units {
            link,
            resolution: if is_nano { 1_000_000_000 } else { 1_000_000 },
        }),
        offset: 0,
    })
}

/// The `number`-th interface of a section, from 0: what it is called if it has no name.
fn of_description(
    description: &InterfaceDescriptionBlock<'_>,
    number: usize,
    is_big_endian: bool,
) -> Interface {
    let exponent = u32::from(description.if_tsresol & 0x7f);
    let base: u128 = if description.if_tsresol & 0x80 == 0 {
        10
    } else {
        2
    };
    let resolution = base.checked_pow(exponent).ok_or_else(|| {
        format!("found stamps in units of {base}^-{exponent} s; allowed: down to 10^-38 s")
    });
    let link = link_type(description.linktype.0);
    Interface {
        name: match description.if_name() {
            Some(Ok(name)) if !name.is_empty() => name.to_owned(),
            _ => format!("interface {number}"),
        },
        units: resolution.and_then(|resolution| link.map(|link| Units { link, resolution })),
        // The parser reads it in one byte order whatever the section's.
        offset: if is_big_endian {
            description.if_tsoffset.swap_bytes()
        } else {
            description.if_tsoffset
        },
    }
}

fn link_type(number: i32) -> Result<LinkType, String> {
    LinkType::of_number(number)
        .ok_or_else(|| format!("found link type {number}; allowed: {LINK_TYPES}"))
}

fn wrong(what: impl Into<String>) -> Fault {
    Fault::Wrong(what.into())
}

fn too_large() -> Fault {
    wrong(format!(
        "found a block that is larger than {BUFFER} B or not sound; allowed: smaller ones"
    ))
}

fn fault_of<I>(error: &PcapError<I>, failure: &Failure) -> Fault {
    match error {
        PcapError::ReadError => Fault::Io(failure.take()),
        PcapError::Eof | PcapError::UnexpectedEof | PcapError::Incomplete(_) => Fault::CutShort,
        PcapError::BufferTooSmall => too_large(),
        _ => wrong("found a block that is not sound; allowed: the same whole"),
    }
}

/// The last failure of a source.
#[derive(Clone, Default)]
struct Failure(Arc<Mutex<Option<io::Error>>>);

impl Failure {
    fn put(&self, error: io::Error) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    fn take(&self) -> io::Error {
        let error = self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
        error.unwrap_or_else(|| ErrorKind::Other.into())
    }
}

/// A source that keeps why it could not be read.
struct Watched {
    source: Source,
    failure: Failure,
}

impl Read for Watched {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.source.read(buffer) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    self.failure.put(error);
                    return Err(ErrorKind::Other.into());
                }
                read => return read,
            }
        }
    }
}
