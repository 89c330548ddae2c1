//! Packets of real programs through bare queues, as they come: the same disciplines as in a
//! simulation, under the clock on the wall.
//!
//! Two hosts are joined by one link each way. What comes from one host goes into the queue of its
//! way, and what the link delivers to the other host, byte for byte but for a mark (ECN). Every
//! decision is made at its exact instant of the clock, however late this thread is woken to hand
//! packets over, and how late is [measured](Emulated::late). How late it was to take one in is not
//! known: that counts as the packet's own time.
//!
//! The window of all metrics begins when the two are joined: what they have sent before is thrown
//! away. When the emulation is told to stop, what they have sent by then still arrives, and what is
//! on its way runs out, as after the last arrival of a [replay](crate::replay).

mod hosts;

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, Ordering};

use sojourn_base::{Bytes, Ecn, LinkInfo, Rate, Span, Time};
use sojourn_engine::{LinkId, Observer, SimPacket};
use sojourn_measure::Sketch;
use sojourn_queue::Reason;
use sojourn_trace::Arrival;
use sojourn_trace::arrivals::headers::{self, LinkType};

use crate::build::Draws;
use crate::open_loop::bare_link::{BareLink, Wire};
use crate::open_loop::queues::{self, Names};
use crate::open_loop::{Flows, MTU, OpenLoopError, Through, option, series_option};
use crate::outside::Makers;

use hosts::{Clock, Host};

/// The ways, from the host that the command runs on and to it.
pub const WAYS: [&str; 2] = ["up", "down"];
/// So many packets are taken from one host before the other has its turn.
const TURN: usize = 64;
/// So many may wait in a host before and after: those of a program that goes on have no end.
const MOST_WAITING: usize = 10_000;
/// How long it may be before somebody looks whether to stop.
const LOOK: Span = Span::from_ms(10);
/// Later than this, for one packet in a hundred or a hundredth of the time: a machine that does not
/// keep up.
const LATE: Span = Span::from_ms(1);

/// What lies between the hosts, in the words of the command line.
#[derive(Clone, Copy)]
pub struct Setup<'a> {
    /// Rate of the link.
    pub rate: &'a str,
    /// Its rate down, where that is another.
    pub down_rate: Option<&'a str>,
    /// Propagation there and back; half of it each way.
    pub rtt: &'a str,
    /// Its framing of each packet.
    pub overhead: &'a str,
    /// The queue: `discipline=codel,target=5 ms`, or `codel,target=5 ms`.
    pub queue: &'a str,
    /// The queue down, where that is another.
    pub down_queue: Option<&'a str>,
    /// The limit of each queue that has a limit and names none.
    pub limit: Option<&'a str>,
    /// Seed of the disciplines' random streams.
    pub seed: u64,
    /// Interval of the series; none: chosen so that about a thousand values remain.
    pub series: Option<&'a str>,
    /// Most flows that are told apart each way.
    pub flows: usize,
    /// Makes disciplines that are in no registry.
    pub makers: &'a dyn Makers,
}

/// Queues that are ready for packets.
pub struct Emulation {
    paths: [Path; 2],
    warnings: Vec<String>,
}

/// Queues between two hosts, whose clock is running.
pub struct Joined {
    paths: [Path; 2],
    warnings: Vec<String>,
    hosts: [Host; 2],
    clock: Clock,
}

/// What came of it.
#[derive(Debug)]
pub struct Emulated {
    /// How long it went on.
    pub end: Time,
    /// Packets and bytes that came, up and down.
    pub arrivals: [(u64, u64); 2],
    /// What each queue made of them.
    pub queues: [Through; 2],
    /// How much later than they were due packets were handed over.
    pub late: Sketch,
    /// How long the links were more than a millisecond behind the clock.
    pub behind: Span,
    /// What to know before trusting the results.
    pub warnings: Vec<String>,
}

/// From one host to the other.
struct Path {
    link: BareLink<Outbox>,
    flows: Flows,
    packets: u64,
    bytes: u64,
}

/// How late it was.
#[derive(Debug, Default)]
struct Lateness {
    /// How much later than they were due packets were handed over.
    packets: Sketch,
    /// Those that were late.
    late_packets: u64,
    /// How long the links were late.
    behind: Span,
    /// At the most, at a time.
    behind_most: Span,
}

impl Lateness {
    /// A packet has been handed over.
    fn packet(&mut self, due: Time, now: Time) {
        let late = now.since(due);
        self.packets.add(late);
        self.late_packets += u64::from(late > LATE);
    }

    /// The links have been looked after, for which something waited since then.
    fn links(&mut self, waited_since: Time, now: Time) {
        let late = now.since(waited_since);
        if late > LATE {
            self.behind += late;
            self.behind_most = self.behind_most.max(late);
        }
    }

    /// What to know of it in a run that went on until `end`.
    fn warnings(&self, end: Time) -> Vec<String> {
        let why = "this machine is too busy, or too slow for such a rate";
        let (late, all) = (self.late_packets, self.packets.count());
        let mut warnings = Vec::new();
        if late > 0 && late * 100 >= all {
            let most_ms = self.packets.quantile_s(1.0) * 1e3;
            warnings.push(format!(
                "packets handed over more than {LATE} late: {late} of {all}, by {most_ms:.1} ms at \
                 most; {why}"
            ));
        }
        if self.behind > Span::ZERO && self.behind.as_s() * 100.0 >= end.as_s() {
            let (all_s, most_ms) = (self.behind.as_s(), self.behind_most.as_s() * 1e3);
            warnings.push(format!(
                "nobody looked after the queues in time for {all_s:.3} s of {:.3} s, up to \
                 {most_ms:.1} ms at a time; {why}",
                end.as_s()
            ));
        }
        warnings
    }
}

/// The bytes of packets that are on their way, by the packet's number.
#[derive(Default)]
struct Outbox {
    held: HashMap<u64, Box<[u8]>>,
    /// What has come out of the link: since when, and whether it is marked.
    due: Vec<(Time, bool, Box<[u8]>)>,
}

impl Observer for Outbox {
    fn dropped(&mut self, _: Time, _: LinkId, packet: &SimPacket, _: Reason) {
        self.held.remove(&packet.number);
    }

    fn received(&mut self, now: Time, packet: &SimPacket, _: u64) {
        if let Some(bytes) = self.held.remove(&packet.number) {
            self.due.push((now, packet.ecn() == Ecn::Ce, bytes));
        }
    }
}

impl Emulation {
    /// Makes the queues.
    ///
    /// # Errors
    /// The first thing that is wrong with what is asked for.
    pub fn new(setup: &Setup<'_>) -> Result<Self, OpenLoopError> {
        let rtt: Span = option("--rtt", setup.rtt)?;
        let overhead: Bytes = option("--overhead", setup.overhead)?;
        let series = series_option(setup.series)?;
        let draws = Draws {
            seed: setup.seed,
            replica: 0,
        };
        let mut warnings = Vec::new();
        let mut path = |name: &'static str, rate: (&str, &str), queue: (&'static str, &str)| {
            let info = LinkInfo {
                rate: option::<Rate>(rate.0, rate.1)?,
                delay: Span::from_ps(rtt.as_ps() / 2),
                mtu: MTU,
                framing: Bytes::ZERO,
                base_rtt: rtt,
            };
            let names = Names {
                queue: queue.0,
                delay: "--rtt",
            };
            let (limit, makers) = (setup.limit, setup.makers);
            let mut random = draws.stream("discipline", name);
            let (label, discipline) =
                queues::make(names, queue.1, limit, &info, makers, &mut random)?;
            let wire = Wire {
                info,
                overhead,
                random,
                series,
                is_live: true,
            };
            let label = format!("{name}: {label}");
            let link = BareLink::new(label, discipline, wire, Outbox::default());
            warnings.extend(link.warnings(&format!("{} {}", queue.0, queue.1)));
            Ok::<_, OpenLoopError>(Path {
                link,
                flows: Flows::new(setup.flows),
                packets: 0,
                bytes: 0,
            })
        };
        let (up_rate, up_queue) = (("--rate", setup.rate), ("--queue", setup.queue));
        let down_rate = setup
            .down_rate
            .map_or(up_rate, |rate| ("--down-rate", rate));
        let down_queue = setup
            .down_queue
            .map_or(up_queue, |queue| ("--down-queue", queue));
        let paths = [
            path(WAYS[0], up_rate, up_queue)?,
            path(WAYS[1], down_rate, down_queue)?,
        ];
        warnings.dedup();
        Ok(Self { paths, warnings })
    }

    /// Joins two hosts: time begins, and what they send from now on arrives. Each is a descriptor
    /// without blocking from which a read takes the IP packet that the host sends next, and to
    /// which a write hands one over: a TUN device without a header of its own.
    pub fn join(self, hosts: [OwnedFd; 2]) -> Joined {
        let mut hosts = hosts.map(Host::new);
        for host in &mut hosts {
            host.discard(MOST_WAITING);
        }
        Joined {
            paths: self.paths,
            warnings: self.warnings,
            hosts,
            clock: Clock::start(),
        }
    }
}

impl Joined {
    /// Takes packets from one host to the other until `stop` is raised.
    ///
    /// # Errors
    /// The books do not balance.
    pub fn run(self, stop: &AtomicBool) -> Result<Emulated, OpenLoopError> {
        let Self {
            mut paths,
            mut warnings,
            mut hosts,
            clock,
        } = self;
        let mut lateness = Lateness::default();
        // Since when something waits for this thread, where that is known.
        let mut waits_since = Time::NEVER;
        hosts::be_woken_in_time();
        while !stop.load(Ordering::Relaxed) {
            let begins = waits_since.min(clock.now());
            let (mut most, mut all) = (0, 0);
            for (path, host) in paths.iter_mut().zip(&mut hosts) {
                let taken = path.take_in(host, &clock, TURN)?;
                (most, all) = (taken.max(most), taken + all);
            }
            let now = clock.now();
            let mut due = Time::NEVER;
            for (number, path) in paths.iter_mut().enumerate() {
                path.link.advance(now)?;
                all += path.hand_over(&mut hosts[1 - number], &clock, &mut lateness);
                due = due.min(path.link.next_event().unwrap_or(Time::NEVER));
            }
            let ends = clock.now();
            if all > 0 {
                lateness.links(begins, ends);
            }
            waits_since = if most == TURN { ends } else { due.max(ends) };
            Host::wait(&hosts, due.min(now + LOOK).since(ends));
        }
        for (path, host) in paths.iter_mut().zip(&mut hosts) {
            path.take_in(host, &clock, MOST_WAITING)?;
        }
        let end = clock.now();
        let arrivals = [0, 1].map(|number| (paths[number].packets, paths[number].bytes));
        warnings.extend(remarks(&paths, &hosts));
        warnings.extend(lateness.warnings(end));
        let [up, down] =
            paths.map(|path| path.link.finish(end, path.flows.names(), &NEVER_CANCELLED));
        let queues = [up?, down?];
        for what in queues.iter().flat_map(|queue| &queue.warnings) {
            if !warnings.contains(what) {
                warnings.push(what.clone());
            }
        }
        Ok(Emulated {
            end,
            arrivals,
            queues,
            late: lateness.packets,
            behind: lateness.behind,
            warnings,
        })
    }
}

/// What is left when the hosts have gone runs out at once: nobody waits for it.
static NEVER_CANCELLED: AtomicBool = AtomicBool::new(false);

impl Path {
    /// Takes in what `host` has sent, so many packets `at_most`; how many there were.
    fn take_in(
        &mut self,
        host: &mut Host,
        clock: &Clock,
        at_most: usize,
    ) -> Result<usize, OpenLoopError> {
        for taken in 0..at_most {
            let Some(bytes) = host.read() else {
                return Ok(taken);
            };
            let headers = headers::read(LinkType::Raw, bytes);
            let arrival = Arrival {
                time: clock.now(),
                size: bytes.len() as u32,
                framing: 0,
                flow: headers.flow,
                source: headers.source,
                destination: headers.destination,
                ecn: headers.ecn,
                dscp: headers.dscp,
            };
            let name = || headers.name.to_string();
            let Some(packet) = self.flows.packet(&arrival, self.packets, name) else {
                continue;
            };
            self.link.also().held.insert(self.packets, bytes.into());
            self.packets += 1;
            self.bytes += u64::from(arrival.size);
            let flows = self.flows.names().len();
            self.link.arrive(arrival.time, &packet, flows)?;
        }
        Ok(at_most)
    }

    /// Hands over to `host` what has come out of the link; how many packets.
    fn hand_over(&mut self, host: &mut Host, clock: &Clock, lateness: &mut Lateness) -> usize {
        let ready = self.link.also().due.len();
        for (due, is_marked, mut bytes) in self.link.also().due.drain(..) {
            if is_marked {
                headers::set_ce(&mut bytes);
            }
            host.write(&bytes);
            lateness.packet(due, clock.now());
        }
        ready
    }
}

/// What to know of a run before trusting its results.
fn remarks(paths: &[Path; 2], hosts: &[Host; 2]) -> Vec<String> {
    let mut remarks = Vec::new();
    for (name, path) in WAYS.iter().zip(paths) {
        remarks.extend(path.flows.warning().map(|what| format!("{name}: {what}")));
    }
    let refused: u64 = hosts.iter().map(Host::refused).sum();
    if refused > 0 {
        remarks.push(format!("packets that a host did not take in: {refused}"));
    }
    remarks
}

#[cfg(test)]
mod tests;
