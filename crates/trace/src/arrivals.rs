//! Arrivals read from captures and tables, one after the other, in constant memory.
//!
//! | format | what is read |
//! | --- | --- |
//! | pcap | both byte orders, micro- and nanoseconds |
//! | pcapng | any number of sections and interfaces, stamps of any resolution |
//! | CSV | a header and `time_s,size_B`, with `flow` and `ecn` where they are known ([`table`]) |
//!
//! The first bytes tell which it is, whatever the name. Packets are read over Ethernet with any
//! number of VLAN tags, raw IP, Linux's cooked captures (both versions) and loopback; IPv4 and IPv6
//! ([`headers`]).
//!
//! **Time** begins with the first packet of a capture; a table says itself. A packet of a capture
//! that is stamped before the one in front of it arrives together with that one, and
//! [`Arrivals::disorder`] counts it: captures of several interfaces or processors have them. In a
//! table it is an error.
//!
//! **Size** is what was on the wire from the IP header on, framing and padding excluded as
//! everywhere, however little of it was captured.

mod capture;
pub mod headers;
pub mod table;

use core::fmt;
use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::Path;

use sojourn_base::{Ecn, Networks, Span, Time};

use crate::reason;
use capture::Capture;
use headers::IpFlow;
use table::Table;

/// A packet that arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// When.
    pub time: Time,
    /// Bytes from the IP header on, at least 1.
    pub size: u32,
    /// Bytes of the link's header before it, as far as it is one of the wire.
    pub framing: u32,
    /// Tells flows apart: a hash of addresses, protocol and ports.
    pub flow: u64,
    /// Source address; of IPv6 a hash.
    pub source: u32,
    /// Destination address; of IPv6 a hash.
    pub destination: u32,
    /// ECN codepoint.
    pub ecn: Ecn,
    /// Differentiated-services codepoint.
    pub dscp: u8,
}

/// Why a file cannot be read (further).
#[derive(Debug)]
pub struct ReadError {
    /// The file, as it was named.
    pub file: String,
    /// Where in it; none before the first packet.
    pub place: Option<Place>,
    /// What is wrong.
    pub fault: Fault,
}

/// A place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Number of the packet, from 1.
    pub packet: u64,
    /// Line of a table, from 1.
    pub line: Option<u64>,
    /// Where it begins: bytes before it.
    pub offset: u64,
}

/// What is wrong with a file.
#[derive(Debug)]
pub enum Fault {
    /// It cannot be read.
    Io(io::Error),
    /// It ends in the middle of a packet, as captures do whose program was killed: what came
    /// before is sound.
    CutShort,
    /// Something else stands there than may: what was found and what is allowed.
    Wrong(String),
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        if let Some(place) = self.place {
            write!(f, "packet {} (", place.packet)?;
            if let Some(line) = place.line {
                write!(f, "line {line}, ")?;
            }
            write!(f, "byte {}): ", place.offset)?;
        }
        match &self.fault {
            Fault::Io(error) => write!(f, "cannot be read: {}", reason(error)),
            Fault::CutShort if self.place.is_none() => {
                f.write_str("the file ends in the middle of its header")
            }
            Fault::CutShort => f.write_str("the file ends in the middle of it"),
            Fault::Wrong(what) => f.write_str(what),
        }
    }
}

impl std::error::Error for ReadError {}

/// Packets that were stamped before the one in front of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Disorder {
    /// How many.
    pub packets: u64,
    /// The furthest that one lay back.
    pub furthest: Span,
}

/// Where bytes come from.
type Source = Box<dyn Read + Send>;

/// What a file begins with, enough to tell its format and to hold its first block.
const HEAD: usize = 1 << 16;

enum Format {
    Capture(Capture),
    Table(Table),
}

/// Reads the arrivals of a file; ends after the first error.
pub struct Arrivals {
    file: String,
    format: Format,
    ended: bool,
}

impl Arrivals {
    /// Opens a file.
    ///
    /// # Errors
    /// It cannot be read, or is of no format that is known here.
    pub fn open(path: &Path) -> Result<Self, ReadError> {
        let name = path.display().to_string();
        match File::open(path) {
            Ok(file) => Self::read(&name, file),
            Err(error) => Err(ReadError {
                file: name,
                place: None,
                fault: Fault::Io(error),
            }),
        }
    }

    /// Reads from anything, called `name` in messages.
    ///
    /// # Errors
    /// It cannot be read, or is of no format that is known here.
    pub fn read(name: &str, source: impl Read + Send + 'static) -> Result<Self, ReadError> {
        let at_start = |fault| ReadError {
            file: name.to_owned(),
            place: None,
            fault,
        };
        Ok(Self {
            file: name.to_owned(),
            format: Format::of(Box::new(source)).map_err(at_start)?,
            ended: false,
        })
    }

    /// Reads the packets of one interface of a pcapng file only, by its name; "interface 0" and so
    /// on are those that have none. What is wrong with other interfaces is no matter then.
    ///
    /// # Errors
    /// It is a file of another kind, which names none.
    pub fn only(mut self, interface: &str) -> Result<Self, ReadError> {
        let kind = match &mut self.format {
            Format::Capture(capture) if capture.names_interfaces() => {
                capture.only(interface);
                return Ok(self);
            }
            Format::Capture(_) => "pcap",
            Format::Table(_) => "CSV",
        };
        Err(ReadError {
            fault: Fault::Wrong(format!(
                "found a {kind} file, which names no interfaces; allowed: to choose the interface \
                 {interface:?} in pcapng only"
            )),
            file: self.file,
            place: None,
        })
    }

    /// Reads the packets alone that come from one of these addresses.
    ///
    /// # Errors
    /// It is a table, which names none.
    pub fn sent_by(mut self, senders: Networks) -> Result<Self, ReadError> {
        match &mut self.format {
            Format::Capture(capture) => capture.sent_by(senders),
            Format::Table(_) => {
                return Err(ReadError {
                    fault: Fault::Wrong(
                        "found a CSV file, which names no addresses; allowed: to choose the \
                         sender in pcap and pcapng only"
                            .to_owned(),
                    ),
                    file: self.file,
                    place: None,
                });
            }
        }
        Ok(self)
    }

    /// Bytes read so far.
    pub fn offset(&self) -> u64 {
        match &self.format {
            Format::Capture(capture) => capture.offset(),
            Format::Table(table) => table.offset(),
        }
    }

    /// The flow of the packet read last, where it has addresses.
    pub fn ip_flow(&self) -> Option<IpFlow> {
        match &self.format {
            Format::Capture(capture) => capture.ip_flow(),
            Format::Table(_) => None,
        }
    }

    /// The flow of the packet read last, for people: addresses and ports, or as a table calls it.
    pub fn flow_name(&self) -> String {
        match &self.format {
            Format::Capture(capture) => capture.flow_name(),
            Format::Table(table) => table.flow_name(),
        }
    }

    /// An error at the packet read last: what was found there and what is allowed.
    pub fn refuse(&self, what: impl Into<String>) -> ReadError {
        let place = match &self.format {
            Format::Capture(capture) => capture.latest(),
            Format::Table(table) => table.latest(),
        };
        ReadError {
            file: self.file.clone(),
            place: Some(place),
            fault: Fault::Wrong(what.into()),
        }
    }

    /// The packets so far that were stamped before the one in front of them.
    pub fn disorder(&self) -> Disorder {
        match &self.format {
            Format::Capture(capture) => capture.disorder(),
            Format::Table(_) => Disorder::default(),
        }
    }

    /// The interfaces whose packets have been read so far, by name, in the order in which they
    /// came; those of a pcapng file that have no name as "interface 0" and so on, by their number
    /// in their section; one without a name in formats that name none.
    pub fn interfaces(&self) -> &[String] {
        match &self.format {
            Format::Capture(capture) => capture.interfaces(),
            Format::Table(_) => &[],
        }
    }
}

impl Format {
    fn of(mut source: Source) -> Result<Self, Fault> {
        let mut head = Vec::new();
        let start = source.by_ref().take(HEAD as u64);
        { start }.read_to_end(&mut head).map_err(Fault::Io)?;
        let magic: [u8; 4] = match head.first_chunk() {
            Some(&magic) => magic,
            None if head.is_empty() => return Err(Fault::Wrong(format!("found nothing{FORMATS}"))),
            None => [0; 4],
        };
        let is_text =
            |byte: &u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace() || *byte >= 128;
        let text = head.iter().take(80).all(is_text);
        let whole: Source = Box::new(Cursor::new(head).chain(source));
        match magic {
            [0x0a, 0x0d, 0x0d, 0x0a] => Capture::pcapng(whole).map(Self::Capture),
            [0xa1, 0xb2, 0xc3, 0xd4]
            | [0xd4, 0xc3, 0xb2, 0xa1]
            | [0xa1, 0xb2, 0x3c, 0x4d]
            | [0x4d, 0x3c, 0xb2, 0xa1]
            | [0x34, 0xcd, 0xb2, 0xa1] => Capture::pcap(whole).map(Self::Capture),
            [0x1f, 0x8b, ..] => Err(compressed("gzip", "gunzip")),
            [0x28, 0xb5, 0x2f, 0xfd] => Err(compressed("zstd", "unzstd")),
            [0xfd, b'7', b'z', b'X'] => Err(compressed("xz", "unxz")),
            _ if text => Table::new(whole).map(Self::Table),
            _ => Err(Fault::Wrong(format!(
                "found a file that begins with {:02x} {:02x} {:02x} {:02x}{FORMATS}",
                magic[0], magic[1], magic[2], magic[3]
            ))),
        }
    }
}

/// What is allowed, and what to do with anything else.
const FORMATS: &str = "; allowed: pcap, pcapng, or CSV with a header time_s,size_B[,flow][,ecn]; \
                       editcap makes pcapng of most captures";

fn compressed(kind: &str, program: &str) -> Fault {
    Fault::Wrong(format!(
        "found a {kind} file; allowed: the same without compression, see {program}"
    ))
}

impl Iterator for Arrivals {
    type Item = Result<Arrival, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = match &mut self.format {
            Format::Capture(capture) => capture.next(),
            Format::Table(table) => table.next(),
        };
        match next {
            Ok(Some(arrival)) => Some(Ok(arrival)),
            Ok(None) => {
                self.ended = true;
                None
            }
            Err((place, fault)) => {
                self.ended = true;
                Some(Err(ReadError {
                    file: self.file.clone(),
                    place: Some(place),
                    fault,
                }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(bytes: &'static [u8]) -> String {
        let refused = Arrivals::read("file", bytes).map(|_| ());
        refused.unwrap_err().to_string()
    }

    #[test]
    fn what_is_neither_capture_nor_table_is_refused_with_a_hint() {
        assert!(refused(b"").starts_with("file: found nothing; allowed: pcap, pcapng, or CSV"));
        let binary = refused(b"\x00\x01\x02\x03\x04");
        assert!(binary.starts_with("file: found a file that begins with 00 01 02 03; allowed"));
        assert!(refused(b"\x1f\x8b\x08\x00").contains("gzip file; allowed: the same without"));
    }

    #[test]
    fn a_missing_file_is_named() {
        let missing = Arrivals::open(Path::new("/no/such/file")).map(|_| ());
        let message = missing.unwrap_err().to_string();
        assert!(
            message.starts_with("/no/such/file: cannot be read:"),
            "{message}"
        );
    }
}
