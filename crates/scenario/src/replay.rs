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

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sojourn_base::{Bytes, LinkInfo, Networks, Rate, Span, Time};
use sojourn_engine::SimPacket;
use sojourn_trace::arrivals::headers::IpFlow;
use sojourn_trace::arrivals::{Disorder, Fault};
use sojourn_trace::{Arrival, Arrivals};

use crate::build::Draws;
use crate::open_loop::bare_link::{BareLink, Wire};
use crate::open_loop::queues::{self, Names};
use crate::open_loop::{Flows, MTU, OpenLoopError, Through, input, option, series_option};
use crate::outside::Makers;

/// Above every MTU in use: a packet of this size was never on a wire.
const JUMBO: u32 = 9216;
/// The largest packet of IP on an Ethernet that has no jumbo frames.
const USUAL: u32 = 1500;
/// The largest that such an Ethernet has of anything: where the size may be one of a frame, as in a
/// table, or there may be labels in front of the packet. This is a frame with a VLAN tag and a
/// check sequence.
const USUAL_FRAME: u32 = 1522;
/// How many packets pass between two looks at the caller's wish to stop.
const PACKETS_BETWEEN_LOOKS: u64 = 1 << 12;
/// The options of queues.
const NAMES: Names = Names {
    queue: "--queue",
    delay: "--delay",
};

/// What to replay, in the words of the command line.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// The capture or table.
    pub file: &'a Path,
    /// The interface of a pcapng file, where only one is wanted.
    pub interface: Option<&'a str>,
    /// The addresses or networks whose packets are taken, where not everybody's are.
    pub sender: Option<&'a str>,
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
    /// Makes disciplines that are in no registry.
    pub makers: &'a dyn Makers,
}

/// A replay that is ready to run.
pub struct Replay {
    arrivals: Arrivals,
    links: Vec<BareLink>,
    flows: Flows,
    partial: bool,
    /// Whether one interface is taken alone.
    chosen: bool,
    seen: Seen,
    warnings: Vec<String>,
}

/// What has been seen of the packets that asks for a warning.
#[derive(Debug, Default)]
struct Seen {
    /// The flows of IP that are told apart.
    flows: HashSet<IpFlow>,
    /// How many of them answer one that was there before, and the first that is answered.
    answers: u64,
    answered: Option<IpFlow>,
    /// How many packets are larger than those of a usual Ethernet.
    large: u64,
    largest: u32,
}

impl Seen {
    /// A flow that was not there before.
    fn flow(&mut self, flow: IpFlow) {
        if self.flows.contains(&flow.back()) {
            self.answers += 1;
            self.answered.get_or_insert(flow.back());
        }
        self.flows.insert(flow);
    }

    /// A packet of this size, whose header said so if it `is_ip`.
    fn size(&mut self, size: u32, is_ip: bool) {
        self.largest = self.largest.max(size);
        if size > if is_ip { USUAL } else { USUAL_FRAME } {
            self.large += 1;
        }
    }

    fn warnings(&self) -> Vec<String> {
        let mut warnings = Vec::new();
        let Self { large, largest, .. } = *self;
        if largest > JUMBO {
            warnings.push(format!(
                "found packets of up to {largest} B: captured before the network card cut them up, or \
                 after it put them together; a real queue sees smaller ones"
            ));
        } else if large > 0 {
            warnings.push(format!(
                "packets of more than {USUAL} B, the usual MTU of an Ethernet: {large}, of up to \
                 {largest} B; they are jumbo frames, or were captured before the network card cut \
                 them up or after it put them together, and then a real queue sees smaller ones"
            ));
        }
        if let Some(answered) = self.answered {
            warnings.push(format!(
                "conversations that were captured in both directions: {}, the first {answered}; both \
                 directions went through one queue, where a link has one for each; --sender takes \
                 what one side sent",
                self.answers
            ));
        }
        warnings
    }
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

impl Replay {
    /// Opens the file and makes the queues.
    ///
    /// # Errors
    /// The first thing that is wrong with what is asked for, or that the file is of no format that
    /// is known.
    pub fn open(setup: &Setup<'_>) -> Result<Self, OpenLoopError> {
        let rate: Rate = option("--rate", setup.rate)?;
        let delay: Span = option("--delay", setup.delay)?;
        let overhead: Bytes = option("--overhead", setup.overhead)?;
        let series = series_option(setup.series)?;
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
        let mut links: Vec<BareLink> = Vec::new();
        let mut warnings = Vec::new();
        for text in setup.queues {
            // The same for all: where two queues draw alike, they draw the same.
            let mut random = draws.stream("discipline", "replay");
            let (limit, makers) = (setup.limit, setup.makers);
            let (label, discipline) = queues::make(NAMES, text, limit, &info, makers, &mut random)?;
            if links.iter().any(|link| link.label == label) {
                let message = format!("--queue {text}: found twice; allowed: once");
                return Err(OpenLoopError::Input(message));
            }
            let wire = Wire {
                info,
                overhead,
                random,
                series,
                is_live: false,
            };
            let link = BareLink::new(label, discipline, wire, ());
            warnings.extend(link.warnings(&format!("--queue {text}")));
            links.push(link);
        }
        let mut arrivals = Arrivals::open(setup.file).map_err(|error| input(&error))?;
        if let Some(name) = setup.interface {
            arrivals = arrivals.only(name).map_err(|error| input(&error))?;
        }
        if let Some(text) = setup.sender {
            let senders = Networks::parse(text).ok_or_else(|| {
                let allowed = Networks::ALLOWED;
                OpenLoopError::Input(format!("--sender: found {text:?}; allowed: {allowed}"))
            })?;
            arrivals = arrivals.sent_by(senders).map_err(|error| input(&error))?;
        }
        Ok(Self {
            arrivals,
            links,
            flows: Flows::new(setup.flows),
            partial: setup.partial,
            chosen: setup.interface.is_some(),
            seen: Seen::default(),
            warnings,
        })
    }

    /// Runs it. `cancel` is raised from outside to end it early; `read` is told how many bytes of
    /// the file have been read.
    ///
    /// # Errors
    /// The file is wrong somewhere, the run was cancelled, or the books do not balance.
    pub fn run(mut self, cancel: &AtomicBool, read: &AtomicU64) -> Result<Replayed, OpenLoopError> {
        let (mut packets, mut bytes) = (0, 0);
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
                    return Err(OpenLoopError::Input(format!("{error}; {hint}")));
                }
                Err(error) => return Err(input(&error)),
            };
            let packet = self.packet(&arrival, packets)?;
            for link in &mut self.links {
                link.arrive(arrival.time, &packet, self.flows.names().len())?;
            }
            packets += 1;
            bytes += u64::from(arrival.size);
            last_arrival = arrival.time;
            if packets.is_multiple_of(PACKETS_BETWEEN_LOOKS) {
                read.store(self.arrivals.offset(), Ordering::Relaxed);
                if cancel.load(Ordering::Relaxed) {
                    return Err(OpenLoopError::Cancelled);
                }
            }
        }
        self.warn(packets);
        let names = self.flows.names();
        let finish = |link: BareLink| link.finish(last_arrival, names, cancel);
        let queues: Result<Vec<_>, _> = self.links.into_iter().map(finish).collect();
        Ok(Replayed {
            packets,
            bytes,
            last_arrival,
            queues: queues?,
            flows: names.to_vec(),
            warnings: self.warnings,
        })
    }

    /// The packet that stands for an arrival.
    fn packet(&mut self, arrival: &Arrival, number: u64) -> Result<SimPacket, OpenLoopError> {
        let ip_flow = self.arrivals.ip_flow();
        self.seen.size(arrival.size, ip_flow.is_some());
        let name = || {
            if let Some(flow) = ip_flow {
                self.seen.flow(flow);
            }
            self.arrivals.flow_name()
        };
        let packet = self.flows.packet(arrival, number, name);
        packet.ok_or_else(|| {
            let found = arrival.size;
            let message = format!("found a packet of {found} B; allowed: at most 65535 B");
            input(&self.arrivals.refuse(message))
        })
    }

    fn warn(&mut self, packets: u64) {
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
        self.warnings.extend(self.seen.warnings());
        self.warnings.extend(self.flows.warning());
    }
}
