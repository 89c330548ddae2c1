//! From a plain network to a running simulation: routes, disciplines, sources, random streams.

mod described;
mod files;
mod kind;
mod queue;
mod recordings;
mod source;

use std::collections::BTreeMap;

use sojourn_base::{Auto, Bytes, LinkInfo, Preset, Span, Stream, Time};
use sojourn_engine::routes::Graph;
use sojourn_engine::{FlowSpec, Jitter, LinkSpec, Losses, NodeId, Observer, Simulation, Traffic};
use sojourn_measure::losses::Crossing;
use sojourn_measure::tables::Group;
use sojourn_traffic::{Application, Source};

pub use self::files::Contents;
pub(crate) use self::files::Files;
pub(crate) use self::queue::read_discipline;
use crate::error::{Located, Place, unknown};
use crate::network::{ChangesPlan, FlowPlan, LinkPlan, Network};
use crate::outside::Outside;
use crate::reader::Reader;
use crate::transport::TransportPlan;

/// The device queue of ns-3's devices, in packets.
const NS3_DEVICE_QUEUE: usize = 100;
/// The largest packet of an Ethernet, where no flow sends a larger one.
const ETHERNET_MTU: Bytes = Bytes::new(1500);

/// A network ready to be simulated.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    network: Network,
    outside: Outside,
    ends: Vec<(NodeId, NodeId)>,
    /// The number by which each node goes in traces and addresses.
    numbers: Vec<u32>,
    paths: Vec<Vec<u32>>,
    flow_ends: Vec<(NodeId, NodeId)>,
    /// For each link the flows that cross it and their way back.
    crossing: Vec<Vec<u32>>,
    ways_back: Vec<Option<Vec<u32>>>,
    read: files::Read,
}

/// Seed and replica: what the random streams depend on besides their names.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Draws {
    pub(crate) seed: u64,
    pub(crate) replica: u64,
}

impl Draws {
    pub(crate) fn stream(self, role: &str, entity: &str) -> Stream {
        Stream::named(self.seed, self.replica, role, entity)
    }
}

impl Plan {
    /// Finds the routes, and reads the files that it names.
    pub(crate) fn new(network: Network, files: &Files, outside: Outside) -> Result<Self, Located> {
        let mut index = BTreeMap::new();
        let mut nodes: Vec<&str> = Vec::new();
        for link in &network.links {
            for end in [&link.from, &link.to] {
                index.entry(end.as_str()).or_insert_with(|| {
                    nodes.push(end);
                    nodes.len() as NodeId - 1
                });
            }
        }
        let mut graph = Graph::new(nodes.len());
        let ends: Vec<_> = network
            .links
            .iter()
            .map(|link| (index[link.from.as_str()], index[link.to.as_str()]))
            .collect();
        for &(from, to) in &ends {
            graph.add_link(from, to);
        }
        let node = |flow: &FlowPlan, place: Place, key: &str, name: &str| {
            index.get(name).copied().ok_or_else(|| {
                let message = if nodes.is_empty() {
                    format!("found the node {name:?}, and no [[link]]; allowed: a node of a link")
                } else {
                    unknown(name, &nodes).replacen("found", "found the node", 1)
                };
                Located::new(place, format!("flow.{}.{key}", flow.group), message)
            })
        };
        let mut flow_ends = Vec::new();
        for flow in &network.flows {
            flow_ends.push((
                node(flow, flow.from_place, "from", &flow.from)?,
                node(flow, flow.to_place, "to", &flow.to)?,
            ));
        }
        let back: Vec<_> = flow_ends.iter().map(|&(from, to)| (to, from)).collect();
        let ways_back = graph.paths(&back);
        let ways = graph.paths(&flow_ends).into_iter().zip(&ways_back);
        let mut paths = Vec::new();
        for (flow, (path, back)) in network.flows.iter().zip(ways) {
            paths.push(path.ok_or_else(|| {
                let message = format!("no route from {} to {}", flow.from, flow.to);
                Located::new(flow.place, format!("flow.{}", flow.group), message)
            })?);
            if flow.transport.is_tcp() && back.is_none() {
                let message = format!(
                    "no route from {} to {} for acknowledgements",
                    flow.to, flow.from
                );
                return Err(Located::new(
                    flow.place,
                    format!("flow.{}", flow.group),
                    message,
                ));
            }
        }
        let mut crossing = vec![Vec::new(); network.links.len()];
        for (flow, path) in paths.iter().enumerate() {
            for &link in path {
                crossing[link as usize].push(flow as u32);
            }
        }
        let numbers = node_numbers(&nodes);
        let read = files.of(&network)?;
        let plan = Self {
            network,
            outside,
            ends,
            numbers,
            paths,
            flow_ends,
            crossing,
            ways_back,
            read,
        };
        for link in &plan.network.links {
            link.delay.check(&plan.known(&link.delay.drawn))?;
        }
        Ok(plan)
    }

    /// Makes every part once to see that it can be made; settings of disciplines that are allowed
    /// but a known mistake, each at its place.
    pub(crate) fn check(&self) -> Result<Vec<Located>, Located> {
        let (links, _) = self.instantiate(Draws {
            seed: 1,
            replica: 0,
        })?;
        let mut warnings = self.network.warnings.clone();
        warnings.extend(self.too_far());
        for (index, (made, plan)) in links.iter().zip(&self.network.links).enumerate() {
            let Some((node, key)) = &plan.queue else {
                continue;
            };
            let reader = Reader::of(node, key)?;
            for warning in made.discipline.mistakes(self.mtu(index)) {
                warnings.push(reader.error(warning.param, warning.what));
            }
        }
        Ok(warnings)
    }

    /// Flows of which nothing arrives: their packets are under way when all is over. Those that
    /// start too late have been told already.
    fn too_far(&self) -> Vec<Located> {
        let end = Time::ZERO + self.network.duration;
        let mut found: Vec<Located> = Vec::new();
        for (flow, path) in self.network.flows.iter().zip(&self.paths) {
            let links = || path.iter().map(|&link| &self.network.links[link as usize]);
            let changes =
                |link: &LinkPlan| link.changes.as_ref().is_some_and(ChangesPlan::of_delay);
            let is_known = found.last().is_some_and(|last| last.place == flow.place);
            if is_known || links().any(changes) {
                continue;
            }
            let takes = links().fold(Span::ZERO, |sum, link| {
                sum + link.delay.least(&self.known(&link.delay.drawn))
            });
            let starts = self.known(&flow.start).least();
            let sends = Time::ZERO + starts < end.min(flow.stop);
            if sends && Time::ZERO + starts + takes >= end {
                let left = end.since(Time::ZERO + starts);
                let what = format!(
                    "nothing arrives: its path takes {takes}, and {left} are left when it starts"
                );
                found.push(Located::new(
                    flow.place,
                    format!("flow.{}", flow.name),
                    what,
                ));
            }
        }
        found
    }

    /// How many links and flows it has.
    pub(crate) fn parts(&self) -> usize {
        self.network.links.len() + self.network.flows.len()
    }

    /// Names of the links, in the order of all tables.
    pub(crate) fn link_names(&self) -> impl Iterator<Item = &str> {
        self.network.links.iter().map(|link| link.name.as_str())
    }

    /// Names of the flows and of their groups, in the order of all tables.
    pub(crate) fn flow_names(&self) -> impl Iterator<Item = (&str, &str)> {
        self.network
            .flows
            .iter()
            .map(|flow| (flow.name.as_str(), flow.group.as_str()))
    }

    /// The groups of flows: all numbers of one name.
    pub(crate) fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for (i, flow) in self.network.flows.iter().enumerate() {
            match groups.iter_mut().find(|(name, _)| *name == flow.group) {
                Some((_, members)) => members.push(i),
                None => groups.push((flow.group.clone(), vec![i])),
            }
        }
        groups
    }

    /// Makes all links and flows of one replica.
    pub(crate) fn instantiate(
        &self,
        draws: Draws,
    ) -> Result<(Vec<LinkSpec>, Vec<FlowSpec>), Located> {
        let delays: Vec<Span> = self
            .network
            .links
            .iter()
            .map(|link| {
                let known = self.known(&link.delay.drawn);
                link.delay.draw(&known, draws)
            })
            .collect();
        let mut links = Vec::with_capacity(self.network.links.len());
        for (i, link) in self.network.links.iter().enumerate() {
            links.push(self.link(i, link, &delays, draws)?);
        }
        let mut flows = Vec::with_capacity(self.network.flows.len());
        for (i, flow) in self.network.flows.iter().enumerate() {
            flows.push(self.flow(i, flow, draws)?);
        }
        Ok((links, flows))
    }

    /// A simulation of one replica.
    pub(crate) fn simulate<O: Observer>(
        &self,
        draws: Draws,
        observer: O,
    ) -> Result<Simulation<O>, Located> {
        let (links, flows) = self.instantiate(draws)?;
        Ok(Simulation::new(links, flows, observer))
    }

    fn link(
        &self,
        index: usize,
        link: &LinkPlan,
        delays: &[Span],
        draws: Draws,
    ) -> Result<LinkSpec, Located> {
        let info = LinkInfo {
            rate: link.rate,
            delay: delays[index],
            mtu: self.mtu(index),
            framing: Bytes::ZERO,
            base_rtt: self.base_rtt(index, delays),
        };
        let mut random = draws.stream("discipline", &link.name);
        let (discipline, preset) = link.discipline(&info, &self.outside, &mut random)?;
        let device_queue = match link.device_queue {
            Auto::Given(room) => room.0,
            Auto::Auto if preset == Preset::Ns3 => NS3_DEVICE_QUEUE,
            Auto::Auto => 0,
        };
        let (from, to) = self.ends[index];
        Ok(LinkSpec {
            name: link.name.clone(),
            from,
            to,
            rate: link.rate,
            changes: self.changes(link, &info)?,
            losses: link.wire.loss.clone().map(|law| {
                let random = draws.stream("losses", &link.name);
                Box::new(Losses::new(law, random))
            }),
            jitter: link.wire.jitter.as_ref().map(|jitter| {
                let random = draws.stream("jitter", &link.name);
                let extra = self.known(&jitter.extra);
                Box::new(Jitter::new(extra, jitter.share, random))
            }),
            reorders: link.wire.reorders,
            delay: delays[index],
            overhead: link.overhead,
            device_queue,
            discipline,
            random,
        })
    }

    /// What crosses each link of a simulation of this plan.
    pub(crate) fn crossings<O: Observer>(&self, simulation: &Simulation<O>) -> Vec<Crossing> {
        let delays = simulation.links().iter().map(|link| link.spec.delay);
        let delays: Vec<Span> = delays.collect();
        let crossings = self.crossing.iter().enumerate().map(|(i, flows)| Crossing {
            flows: flows.len() as u32,
            base_rtt: self.base_rtt(i, &delays),
        });
        crossings.collect()
    }

    fn flow(&self, index: usize, flow: &FlowPlan, draws: Draws) -> Result<FlowSpec, Located> {
        let (from, to) = self.flow_ends[index];
        let number = |node: NodeId| self.numbers[node as usize];
        let start = self
            .known(&flow.start)
            .draw(&mut draws.stream("start", &flow.name));
        let way_back = self.ways_back[index].clone().unwrap_or_default();
        Ok(FlowSpec {
            name: flow.name.clone(),
            from: number(from),
            to: number(to),
            path: self.paths[index].clone(),
            way_back: if flow.transport.is_tcp() {
                way_back
            } else {
                Vec::new()
            },
            traffic: self.traffic(flow, draws)?,
            dscp: flow.transport.dscp(),
            start: Time::ZERO + start,
            stop: flow.stop,
            gaps: draws.stream("gaps", &flow.name),
            sizes: draws.stream("sizes", &flow.name),
        })
    }

    /// What a flow sends, and over what.
    fn traffic(&self, flow: &FlowPlan, draws: Draws) -> Result<Traffic, Located> {
        Ok(match &flow.transport {
            TransportPlan::Udp(udp) => {
                let mut source = flow.build_source(self.known(&udp.payload), udp.header)?;
                flow.with_files(source.laws(&mut |law| self.fill(law)))?;
                flow.with_files(source.recordings(&mut |recording| self.play(recording)))?;
                Traffic::Datagrams {
                    source,
                    header: udp.header,
                    ecn: udp.ecn.0,
                }
            }
            TransportPlan::Tcp(tcp) => {
                let segment = Bytes::new(u64::from(tcp.config.mss));
                let mut application = flow.build_application(segment)?;
                flow.with_files(application.laws(&mut |law| self.fill(law)))?;
                flow.with_files(application.recordings(&mut |recording| self.play(recording)))?;
                let name = flow.name.clone();
                let random =
                    move |k: u32| draws.stream("congestion_control", &format!("{name}.{k}"));
                Traffic::Streams {
                    application,
                    config: tcp.config.clone(),
                    controller: tcp.controllers(random),
                }
            }
        })
    }

    /// The largest packet of constant size that crosses a link, at least an Ethernet's.
    fn mtu(&self, link: usize) -> Bytes {
        let sizes = self.crossing[link].iter().filter_map(|&flow| {
            let flow = &self.network.flows[flow as usize];
            flow.transport.largest_packet()
        });
        sizes.fold(ETHERNET_MTU, Bytes::max)
    }

    /// The largest two-way propagation of the paths that cross a link; without a way back, twice
    /// the way there.
    fn base_rtt(&self, link: usize, delays: &[Span]) -> Span {
        let way = |path: &[u32]| {
            path.iter()
                .fold(Span::ZERO, |sum, &link| sum + delays[link as usize])
        };
        let rtt = |&flow: &u32| {
            let there = way(&self.paths[flow as usize]);
            let back = self.ways_back[flow as usize].as_deref();
            there + back.map_or(there, way)
        };
        let alone = delays[link] + delays[link];
        self.crossing[link].iter().map(rtt).max().unwrap_or(alone)
    }
}

/// The number by which each node goes: the one in its name where all names are one stem and
/// different numbers (n0, n1 ...), else its place in the order of declaration.
fn node_numbers(nodes: &[&str]) -> Vec<u32> {
    let split = |name: &&str| -> Option<(String, u32)> {
        let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let digits = &name[stem.len()..];
        let number: u32 = digits.parse().ok()?;
        (digits == number.to_string()).then(|| (stem.to_owned(), number))
    };
    let numbered: Option<Vec<(String, u32)>> = nodes.iter().map(split).collect();
    match numbered {
        Some(numbered) if numbered.windows(2).all(|pair| pair[0].0 == pair[1].0) => {
            numbered.into_iter().map(|(_, number)| number).collect()
        }
        _ => (0..nodes.len() as u32).collect(),
    }
}
