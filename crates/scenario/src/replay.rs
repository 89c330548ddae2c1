//! A capture through bare queues, open loop: what arrived then, through other disciplines now.
//!
//! Nothing reacts: a packet that is dropped here is sent again if the capture has it again, and
//! senders slow down where they did. So a replay tells what a discipline makes of given arrivals,
//! not what the traffic makes of a discipline.
//!
//! All queues see the very same packets at the same instants, each in front of a link of its own.
//! The file is read once, packet by packet; memory does not grow with it. After the last arrival
//! each link runs until it is empty, so that the fate of every packet is known; the window of all
//! metrics begins with time zero and ends there.

mod line;
mod samples;

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use core::fmt;

use sojourn_base::length::{Length, Threshold};
use sojourn_base::{Bytes, LinkInfo, Quantity, Rate, Scalar, Span, Time};
use sojourn_engine::{Breach, SimPacket};
use sojourn_queue::parts::inner::{Inner, split};
use sojourn_trace::arrivals::{Disorder, Fault};
use sojourn_trace::{Arrival, Arrivals};

use crate::build::{Draws, read_discipline};
use crate::error::Place;
use crate::tree::{Node, Table, Value, parse_value};

use line::Line;
pub use line::{Drop, Through};

/// Where `bdp` and times of a discipline refer to a packet size: an Ethernet's.
const MTU: Bytes = Bytes::new(1500);
/// Above every MTU in use: a packet of this size was never on a wire.
const JUMBO: u32 = 9216;
/// How many packets pass between two looks at the caller's wish to stop.
const PACKETS_BETWEEN_LOOKS: u64 = 1 << 12;
/// What flows beyond the most that are told apart are called together.
pub const OTHERS: &str = "others";

/// What to replay, in the words of the command line.
#[derive(Debug, Clone, Copy)]
pub struct Setup<'a> {
    /// The capture or table.
    pub file: &'a Path,
    /// The interface of a pcapng file, where only one is wanted.
    pub interface: Option<&'a str>,
    /// Rate of the link.
    pub rate: &'a str,
    /// Its propagation delay.
    pub delay: &'a str,
    /// Its framing of each packet.
    pub overhead: &'a str,
    /// Queues: `discipline=codel,target=5 ms`, or `codel,target=5 ms`.
    pub queues: &'a [String],
    /// The limit of each queue that has a limit and names none.
    pub limit: Option<&'a str>,
    /// Seed of the disciplines' random streams.
    pub seed: u64,
    /// Interval of the series; none: chosen so that about a thousand values remain.
    pub series: Option<&'a str>,
    /// Most flows that are told apart.
    pub flows: usize,
    /// Whether a file that ends in the middle of a packet is taken up to there.
    pub partial: bool,
}

/// Why there is no result.
#[derive(Debug)]
pub enum ReplayError {
    /// Something is wrong with what was asked for, or with the file.
    Input(String),
    /// It was cancelled.
    Cancelled,
    /// The books do not balance.
    Breach(Breach),
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Input(what) => f.write_str(what),
            Self::Cancelled => f.write_str("cancelled"),
            Self::Breach(breach) => breach.fmt(f),
        }
    }
}

impl std::error::Error for ReplayError {}

impl From<Breach> for ReplayError {
    fn from(breach: Breach) -> Self {
        Self::Breach(breach)
    }
}

/// A replay that is ready to run.
pub struct Replay {
    arrivals: Arrivals,
    lines: Vec<Line>,
    flows: Flows,
    partial: bool,
    /// Whether one interface is taken alone.
    chosen: bool,
    warnings: Vec<String>,
}

/// What came of it.
#[derive(Debug)]
pub struct Replayed {
    /// Packets that arrived.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// When the last one arrived.
    pub last_arrival: Time,
    /// The flows, in the order in which they appeared.
    pub flows: Vec<String>,
    /// What each queue made of it.
    pub queues: Vec<Through>,
    /// What to know before trusting the results.
    pub warnings: Vec<String>,
}

/// Tells flows apart, as many as may be.
struct Flows {
    most: usize,
    known: HashMap<u64, u32>,
    names: Vec<String>,
}

impl Flows {
    /// The number of the flow of the packet read last.
    fn number(&mut self, arrival: &Arrival, arrivals: &Arrivals) -> u32 {
        if let Some(&number) = self.known.get(&arrival.flow) {
            return number;
        }
        let number = self.names.len().min(self.most);
        if number < self.most {
            self.known.insert(arrival.flow, number as u32);
            self.names.push(arrivals.flow_name());
        } else if self.names.len() == self.most {
            self.names.push(OTHERS.to_owned());
        }
        number as u32
    }

    fn has_others(&self) -> bool {
        self.names.len() > self.most
    }
}

fn option<T: Quantity>(name: &str, text: &str) -> Result<T, ReplayError> {
    T::read(Scalar::Text(text)).map_err(|fault| ReplayError::Input(format!("{name}: {fault}")))
}

impl Replay {
    /// Opens the file and makes the queues.
    ///
    /// # Errors
    /// The first thing that is wrong with what is asked for, or that the file is of no format that
    /// is known.
    pub fn open(setup: &Setup<'_>) -> Result<Self, ReplayError> {
        let rate: Rate = option("--rate", setup.rate)?;
        let delay: Span = option("--delay", setup.delay)?;
        let overhead: Bytes = option("--overhead", setup.overhead)?;
        let series = setup.series.map(|text| option::<Span>("--series", text));
        let series = series.transpose()?;
        if series == Some(Span::ZERO) {
            let message = "--series: found 0 s; allowed: a time above zero";
            return Err(ReplayError::Input(message.to_owned()));
        }
        let info = LinkInfo {
            rate,
            delay,
            mtu: MTU,
            framing: Bytes::ZERO,
            base_rtt: delay + delay,
        };
        let draws = Draws {
            seed: setup.seed,
            replica: 0,
        };
        let mut lines: Vec<Line> = Vec::new();
        let mut warnings = Vec::new();
        for text in setup.queues {
            let (label, table) = queue(text, setup.limit)?;
            if delay == Span::ZERO {
                refuse_bdp(text, &table, setup.limit)?;
            }
            if lines.iter().any(|line| line.label == label) {
                let message = format!("--queue {text}: found twice; allowed: once");
                return Err(ReplayError::Input(message));
            }
            let (discipline, _) = read_discipline(&table, "", &info)
                .map_err(|error| input(&error.in_file(&format!("--queue {text}"))))?;
            let line = Line::new(label, discipline, &info, overhead, draws, series);
            let mistakes = line.warnings();
            warnings.extend(mistakes.map(|what| format!("--queue {text}: {what}")));
            lines.push(line);
        }
        let mut arrivals = Arrivals::open(setup.file).map_err(|error| input(&error))?;
        if let Some(name) = setup.interface {
            arrivals = arrivals.only(name).map_err(|error| input(&error))?;
        }
        Ok(Self {
            arrivals,
            lines,
            flows: Flows {
                most: setup.flows,
                known: HashMap::new(),
                names: Vec::new(),
            },
            partial: setup.partial,
            chosen: setup.interface.is_some(),
            warnings,
        })
    }

    /// Runs it. `cancel` is raised from outside to end it early; `read` is told how many bytes of
    /// the file have been read.
    ///
    /// # Errors
    /// The file is wrong somewhere, the run was cancelled, or the books do not balance.
    pub fn run(mut self, cancel: &AtomicBool, read: &AtomicU64) -> Result<Replayed, ReplayError> {
        let (mut packets, mut bytes, mut largest) = (0, 0, 0);
        let mut last_arrival = Time::ZERO;
        while let Some(next) = self.arrivals.next() {
            let arrival = match next {
                Ok(arrival) => arrival,
                Err(error) if self.partial && matches!(error.fault, Fault::CutShort) => {
                    let note = "what came before was replayed";
                    self.warnings.push(format!("{error}; {note}"));
                    break;
                }
                Err(error) if matches!(error.fault, Fault::CutShort) => {
                    let hint = "--partial replays what comes before";
                    return Err(ReplayError::Input(format!("{error}; {hint}")));
                }
                Err(error) => return Err(input(&error)),
            };
            let packet = self.packet(&arrival, packets)?;
            for line in &mut self.lines {
                line.arrive(arrival.time, &packet, self.flows.names.len())?;
            }
            packets += 1;
            bytes += u64::from(arrival.size);
            largest = largest.max(arrival.size);
            last_arrival = arrival.time;
            if packets.is_multiple_of(PACKETS_BETWEEN_LOOKS) {
                read.store(self.arrivals.offset(), Ordering::Relaxed);
                if cancel.load(Ordering::Relaxed) {
                    return Err(ReplayError::Cancelled);
                }
            }
        }
        self.warn(packets, largest);
        let names = self.flows.names;
        let finish = |line: Line| line.finish(last_arrival, &names, cancel);
        let queues: Result<Vec<_>, _> = self.lines.into_iter().map(finish).collect();
        Ok(Replayed {
            packets,
            bytes,
            last_arrival,
            queues: queues?,
            flows: names,
            warnings: self.warnings,
        })
    }

    /// The packet that stands for an arrival.
    fn packet(&mut self, arrival: &Arrival, number: u64) -> Result<SimPacket, ReplayError> {
        let Ok(size) = u16::try_from(arrival.size) else {
            let found = arrival.size;
            let message = format!("found a packet of {found} B; allowed: at most 65535 B");
            return Err(input(&self.arrivals.refuse(message)));
        };
        let flow = self.flows.number(arrival, &self.arrivals);
        let packet = SimPacket::datagram(flow, number, size);
        let mut packet = packet.with_ecn(arrival.ecn).with_dscp(arrival.dscp);
        // Queues for each flow see all flows, those too that are counted together.
        packet.connection = (arrival.flow ^ arrival.flow >> 32) as u32 & (u32::MAX >> 1);
        packet.source = arrival.source;
        packet.destination = arrival.destination;
        Ok(packet)
    }

    fn warn(&mut self, packets: u64, largest: u32) {
        if packets == 0 {
            self.warnings.push("found no packet".to_owned());
        }
        let Disorder { packets, furthest } = self.arrivals.disorder();
        if packets > 0 {
            self.warnings.push(format!(
                "packets stamped before the one in front of them: {packets}, by {furthest} at most; \
                 each arrives together with that one"
            ));
        }
        let interfaces = self.arrivals.interfaces();
        if !self.chosen && interfaces.len() > 1 {
            self.warnings.push(format!(
                "packets of {} interfaces went through one queue: {}; --interface takes one alone",
                interfaces.len(),
                interfaces.join(", ")
            ));
        }
        if largest > JUMBO {
            self.warnings.push(format!(
                "found packets of up to {largest} B: captured before the network card cut them up, or \
                 after it put them together; a real queue sees smaller ones"
            ));
        }
        if self.flows.has_others() {
            self.warnings.push(format!(
                "found more than {} flows: those that appeared later are counted together as \
                 \"{OTHERS}\"; the disciplines tell all of them apart",
                self.flows.most
            ));
        }
    }
}

/// Without a delay `bdp` is nothing: a limit in it would leave no room, a threshold would always be
/// passed.
fn refuse_bdp(text: &str, table: &Node, limit: Option<&str>) -> Result<(), ReplayError> {
    let entries = table.table().into_iter().flat_map(|table| &table.entries);
    for (key, node) in entries {
        if let Some(value) = node.text().and_then(in_bdp) {
            let is_for_all = key == "limit" && limit == Some(&value);
            let place = if is_for_all {
                "--limit".to_owned()
            } else {
                format!("--queue {text}: {key}")
            };
            let message = "which is 0 B where --delay is 0 s; allowed: with a --delay above zero, or in packets, bytes or time";
            return Err(ReplayError::Input(format!(
                "{place}: found {value:?}, {message}"
            )));
        }
    }
    Ok(())
}

/// The length in `bdp` that a value is, or that the discipline has which it names.
fn in_bdp(value: &str) -> Option<String> {
    let scalar = Scalar::Text(value);
    if let Ok(Threshold(Length::Bdp(_))) = Threshold::read(scalar) {
        return Some(value.to_owned());
    }
    Inner::read(scalar).ok()?.values().find_map(in_bdp)
}

fn input(error: &dyn fmt::Display) -> ReplayError {
    ReplayError::Input(error.to_string())
}

/// The name and the table of a queue as the command line writes it.
fn queue(text: &str, limit: Option<&str>) -> Result<(String, Node), ReplayError> {
    let mut table = Table::default();
    let Some(parts) = split(text) else {
        let message = format!("--queue {text}: found a parenthesis alone; allowed: pairs of them");
        return Err(ReplayError::Input(message));
    };
    let parts: Vec<&str> = parts.into_iter().map(str::trim).collect();
    for (i, part) in parts.iter().enumerate() {
        let (key, value) = match part.split_once('=') {
            Some((key, value)) => (key.trim(), value.trim()),
            None if i == 0 && !part.is_empty() => ("discipline", *part),
            None => {
                let message = format!(
                    "--queue {text}: found {part:?}; allowed: KEY=VALUE, such as \
                     discipline=codel,target=5 ms"
                );
                return Err(ReplayError::Input(message));
            }
        };
        if table.get(key).is_some() {
            let message = format!("--queue {text}: {key}: found twice; allowed: once");
            return Err(ReplayError::Input(message));
        }
        table.set(key, parse_value(value));
    }
    let name = table.text("discipline").unwrap_or("droptail").to_owned();
    let has_limit = sojourn_queue::find(&name)
        .is_some_and(|entry| entry.params.iter().any(|param| param.name == "limit"));
    if let Some(limit) = limit
        && has_limit
        && table.get("limit").is_none()
    {
        table.set("limit", parse_value(limit));
    }
    let settings = parts.iter().filter(|part| !part.starts_with("discipline="));
    let settings = settings.filter(|part| **part != name).copied();
    let label: Vec<&str> = core::iter::once(name.as_str()).chain(settings).collect();
    for (_, node) in &mut table.entries {
        node.place = Place::File;
    }
    let node = Node {
        place: Place::File,
        value: Value::Table(table),
    };
    Ok((label.join(", "), node))
}
