//! Captures of links: what a capture on the sending device would see, in pcapng.
//!
//! **A file for each link**, as ns-3 and `tcpdump -i DEVICE` write them: the link and, where it is
//! duplex, the way back, each an interface of its own. In one file for all links the same segment
//! would stand once for each link that it crosses, and Wireshark would take all but the first for
//! retransmissions.
//!
//! **A packet is written as its transmission begins.** A mark of this link's queue is a comment on
//! it (`marked: target`). It shows the number of packets dropped since the one before it
//! (`frame.drop_count`), and a comment tells why (`dropped before this packet: 2 overlimit`).
//!
//! **Dropped packets were never on the wire.** They stand in a second file, each with its reason
//! (`dropped: overlimit`), so that throughput, gaps and sequence numbers of the first are those of
//! the wire: a packet refused at the tail would stand before those that still wait, and all of them
//! would look out of order. `mergecap` puts both together. Packets lost on the wire (`dropped:
//! link`) are in both. The option for verdicts (`epb_verdict`) is left alone: its kinds are a
//! vendor's hardware and eBPF programs.
//!
//! `frame.packet_id` is the same wherever the same packet is seen. A comment says so where a packet
//! is not as long as in the simulation, and, at its first packet, where the headers of a UDP flow
//! have less room in the scenario than real ones need.

mod remarks;

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::sync::Arc;

use sojourn_base::{Rate, Time};
use sojourn_engine::packet::PacketId;
use sojourn_engine::{Cargo, FlowId, LinkId, Observer, SimPacket};
use sojourn_queue::Reason;
use sojourn_traffic::Direction;
use sojourn_transport::Config;

use crate::frames::{Conversation, Ends, Frame, MAX_HEADERS, UDP_HEADERS, address};
use crate::pcapng::{Interface, Packet, Pcapng};

/// What is added to a file's name for the packets that its links dropped.
pub const DROPS: &str = "-drops";

/// A link of the network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// Number of the node that it leaves.
    pub from: u32,
    /// Number of the node that it leads to.
    pub to: u32,
    /// Its rate.
    pub rate: Rate,
    /// The file that it is written to, by its place in [`Network::files`]; none: not captured.
    pub file: Option<usize>,
}

/// A flow of the network.
#[derive(Debug, Clone, PartialEq)]
pub struct Flow {
    /// Its name.
    pub name: String,
    /// Number of the node that sends its data.
    pub source: u32,
    /// Number of the node that receives them.
    pub destination: u32,
    /// What it runs over.
    pub over: Over,
}

/// What a flow runs over.
#[derive(Debug, Clone, PartialEq)]
pub enum Over {
    /// UDP.
    Udp {
        /// Header bytes that the scenario gives its packets.
        header: u64,
    },
    /// TCP, with the settings of its connections.
    Tcp(Arc<Config>),
}

/// What captures show, and into how many files it goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    /// What this is a run of.
    pub title: String,
    /// The links, in the order of their declaration.
    pub links: Vec<Link>,
    /// The flows, in the order of their declaration.
    pub flows: Vec<Flow>,
    /// Names of the files, without what [`DROPS`] adds.
    pub files: Vec<String>,
    /// Whether the payload, all zeros, is stored too.
    pub whole: bool,
}

/// The flow and number of a connection, and the direction in which its data goes.
type ConversationId = (FlowId, u32, Direction);

/// A packet on its way.
struct Flight {
    frame: Frame,
    id: u64,
    /// The conversation that it is part of, and, if it is an acknowledgement, when it was sent.
    answers: Option<(ConversationId, Time)>,
    /// Links that it has come over.
    crossed: u16,
    /// Marks since its last transmission.
    marks: Vec<Reason>,
}

/// What was seen of a link.
#[derive(Debug, Clone, Default)]
struct Tap {
    file: usize,
    interface: u32,
    received: u64,
    dropped: u64,
    /// Drops since the last transmission.
    since: Vec<(Reason, u64)>,
}

impl Tap {
    fn count_drop(&mut self, reason: Reason) {
        self.dropped += 1;
        match self.since.iter_mut().find(|(why, _)| *why == reason) {
            Some((_, n)) => *n += 1,
            None => self.since.push((reason, 1)),
        }
    }
}

/// The two files of a link.
struct Files<W: Write> {
    sent: Pcapng<W>,
    drops: Option<Pcapng<W>>,
    /// Flows whose headers were remarked on.
    remarked: HashSet<FlowId>,
}

/// Writes captures while a simulation runs; `open` makes the file of a name.
pub struct PcapngTrace<W: Write, F: FnMut(&str) -> io::Result<W>> {
    network: Network,
    open: F,
    files: Vec<Files<W>>,
    /// One for each link that is captured.
    taps: Vec<Option<Tap>>,
    flights: HashMap<PacketId, Flight>,
    conversations: HashMap<ConversationId, Conversation>,
    emitted: u64,
    now: Time,
    /// Scratch: the bytes of the packet being written, and its comments.
    bytes: Vec<u8>,
    comments: Vec<String>,
    /// The first failure to write: the captures stop there, the run goes on.
    failure: Option<io::Error>,
}

impl<W: Write, F: FnMut(&str) -> io::Result<W>> PcapngTrace<W, F> {
    /// Begins the captures of a network.
    ///
    /// # Errors
    /// A file cannot be made.
    pub fn new(network: Network, mut open: F) -> io::Result<Self> {
        let mut files = Vec::new();
        for (file, name) in network.files.iter().enumerate() {
            let what = "packets as their transmission begins";
            files.push(Files {
                sent: begin(open(name)?, &network, file, what, "")?,
                drops: None,
                remarked: HashSet::new(),
            });
        }
        let mut interfaces = vec![0; files.len()];
        let taps = network.links.iter().map(|link| {
            let file = link.file?;
            interfaces[file] += 1;
            Some(Tap {
                file,
                interface: interfaces[file] - 1,
                ..Tap::default()
            })
        });
        Ok(Self {
            taps: taps.collect(),
            network,
            open,
            files,
            flights: HashMap::new(),
            conversations: HashMap::new(),
            emitted: 0,
            now: Time::ZERO,
            bytes: Vec::new(),
            comments: Vec::new(),
            failure: None,
        })
    }

    /// Ends the captures.
    ///
    /// # Errors
    /// The first failure to write.
    pub fn finish(mut self) -> io::Result<()> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        for tap in self.taps.iter().flatten() {
            let sent = &mut self.files[tap.file].sent;
            sent.count(tap.interface, self.now, tap.received, tap.dropped)?;
        }
        for files in self.files {
            files.sent.finish()?;
            files.drops.map_or(Ok(()), Pcapng::finish)?;
        }
        Ok(())
    }

    /// Makes the real packet of `packet`, kept for as long as it is on its way.
    fn remember(&mut self, packet: &SimPacket, cargo: Cargo<'_>) {
        let flow = &self.network.flows[packet.flow() as usize];
        let data = match cargo {
            Cargo::Ack(_) => packet.direction().opposite(),
            _ => packet.direction(),
        };
        let (from, to) = match data {
            Direction::Forward => (flow.source, flow.destination),
            Direction::Reverse => (flow.destination, flow.source),
        };
        let ends = Ends::of(from, to, packet.flow(), packet.connection);
        let (ip_id, size) = (self.emitted as u16, usize::from(packet.size));
        let id = (packet.flow(), packet.connection, data);
        let conversations = &mut self.conversations;
        let (frame, answers) = match (cargo, &flow.over) {
            (Cargo::Segment(segment), Over::Tcp(config)) => {
                let conversation = conversations.entry(id).or_default();
                let header = conversation.segment(config, segment);
                let payload = segment.len as usize;
                (Frame::tcp(ends, ip_id, size, header, payload), None)
            }
            (Cargo::Ack(ack), Over::Tcp(config)) => {
                let conversation = conversations.entry(id).or_default();
                let header = conversation.ack(config, ack);
                let frame = Frame::tcp(ends.reversed(), ip_id, size, header, 0);
                (frame, Some((id, ack.stamp)))
            }
            _ => (Frame::udp(ends, ip_id, size), None),
        };
        let flight = Flight {
            frame,
            id: self.emitted,
            answers,
            crossed: 0,
            marks: Vec::new(),
        };
        self.flights.insert(packet.id(), flight);
        self.emitted += 1;
    }

    /// Writes a packet that a link sends.
    fn send(&mut self, now: Time, link: LinkId, packet: &SimPacket) -> io::Result<()> {
        let Some(tap) = &mut self.taps[link as usize] else {
            return Ok(());
        };
        let Some(flight) = self.flights.get_mut(&packet.id()) else {
            return Ok(());
        };
        let files = &mut self.files[tap.file];
        let since = core::mem::take(&mut tap.since);
        let marks = core::mem::take(&mut flight.marks);
        self.comments.clear();
        self.comments
            .extend(marks.iter().map(|reason| format!("marked: {reason}")));
        self.comments.extend(remarks::of_drops(&since));
        self.comments.extend(remarks::of_size(&flight.frame));
        let flow = &self.network.flows[packet.flow() as usize];
        if let Over::Udp { header } = flow.over
            && header < UDP_HEADERS as u64
            && files.remarked.insert(packet.flow())
        {
            self.comments.push(remarks::of_header(&flow.name, header));
        }
        let (frame, whole) = (&flight.frame, self.network.whole);
        frame.write(packet, flight.crossed, whole, &mut self.bytes);
        files.sent.write(&Packet {
            interface: tap.interface,
            time: now,
            length: frame.size() as u32,
            bytes: &self.bytes,
            id: flight.id,
            lost: since.iter().map(|(_, n)| n).sum(),
            comments: &self.comments,
        })
    }

    /// Writes a packet that a link dropped.
    fn drop(
        &mut self,
        now: Time,
        link: LinkId,
        packet: &SimPacket,
        reason: Reason,
    ) -> io::Result<()> {
        let flight = self.flights.remove(&packet.id());
        let Some(tap) = &mut self.taps[link as usize] else {
            return Ok(());
        };
        if reason != Reason::Link {
            tap.count_drop(reason);
        }
        let Some(flight) = flight else {
            return Ok(());
        };
        let drops = match &mut self.files[tap.file].drops {
            Some(drops) => drops,
            none => {
                let file = (self.open)(&format!("{}{DROPS}", self.network.files[tap.file]))?;
                let what = "packets that were dropped, as they were";
                none.insert(begin(file, &self.network, tap.file, what, " drops")?)
            }
        };
        self.comments.clear();
        self.comments.push(format!("dropped: {reason}"));
        self.comments.extend(remarks::of_size(&flight.frame));
        let whole = self.network.whole;
        let Flight { frame, crossed, .. } = &flight;
        frame.write(packet, *crossed, whole, &mut self.bytes);
        drops.write(&Packet {
            interface: tap.interface,
            time: now,
            length: flight.frame.size() as u32,
            bytes: &self.bytes,
            id: flight.id,
            lost: 0,
            comments: &self.comments,
        })
    }
}

/// Begins a file and its interfaces, whose names end in `suffix`.
fn begin<W: Write>(
    out: W,
    network: &Network,
    file: usize,
    what: &str,
    suffix: &str,
) -> io::Result<Pcapng<W>> {
    let mut capture = Pcapng::new(out, &remarks::of_file(network, what))?;
    for link in network.links.iter().filter(|link| link.file == Some(file)) {
        let (from, to) = (address(link.from), address(link.to));
        capture.add(&Interface {
            name: &format!("{}{suffix}", link.name),
            description: &format!("{from} to {to}: {what}"),
            speed: link.rate,
            snap_length: if network.whole { 0 } else { MAX_HEADERS as u32 },
        })?;
    }
    Ok(capture)
}

impl<W: Write, F: FnMut(&str) -> io::Result<W>> Observer for PcapngTrace<W, F> {
    const IN_ORDER: bool = true;

    fn emitted(&mut self, _now: Time, packet: &SimPacket, cargo: Cargo<'_>) {
        self.remember(packet, cargo);
    }

    fn enqueued(&mut self, _now: Time, link: LinkId, _packet: &SimPacket) {
        if let Some(tap) = &mut self.taps[link as usize] {
            tap.received += 1;
        }
    }

    fn dequeued(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        self.now = now;
        if self.failure.is_none() {
            self.failure = self.send(now, link, packet).err();
        }
    }

    fn dropped(&mut self, now: Time, link: LinkId, packet: &SimPacket, reason: Reason) {
        self.now = now;
        if self.failure.is_none() {
            self.failure = self.drop(now, link, packet, reason).err();
        }
    }

    fn marked(&mut self, _now: Time, link: LinkId, packet: &SimPacket, reason: Reason) {
        if self.taps[link as usize].is_some()
            && let Some(flight) = self.flights.get_mut(&packet.id())
        {
            flight.marks.push(reason);
        }
    }

    fn delivered(&mut self, _now: Time, _link: LinkId, packet: &SimPacket) {
        if let Some(flight) = self.flights.get_mut(&packet.id()) {
            flight.crossed += 1;
        }
    }

    fn received(&mut self, _now: Time, packet: &SimPacket, _delivered: u64) {
        let flight = self.flights.remove(&packet.id());
        if let Some((id, stamp)) = flight.and_then(|flight| flight.answers) {
            self.conversations.entry(id).or_default().note_stamp(stamp);
        }
    }
}
