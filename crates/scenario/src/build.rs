//! From a plain network to a running simulation: routes, disciplines, sources, random streams.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sojourn_base::distribution::Drawn;
use sojourn_base::{
    Auto, Bytes, Distribution, Ecn, Law, LinkInfo, Param, Preset, Scalar, Span, Stream, Time,
};
use sojourn_engine::routes::Graph;
use sojourn_engine::{FlowSpec, LinkSpec, NodeId, Observer, SimPacket, Simulation, Traffic};
use sojourn_measure::tables::Group;
use sojourn_queue::{AnyDiscipline, Discipline, Governed};
use sojourn_trace::capture;
use sojourn_trace::ns2::FlowLabel;
use sojourn_traffic::{AnyApplication, AnySource, Application, BuildError, Source};

use crate::error::{Located, Place, unknown};
use crate::keys::names;
use crate::network::{FlowPlan, LinkPlan, Network};
use crate::outside::{Outside, Wanted, is_outside, params_of};
use crate::reader::Reader;
use crate::trace::{Trace, duplex, file_names};
use crate::transport::TransportPlan;
use crate::tree::{Node, Table};

/// The device queue of ns-3's devices, in packets.
const NS3_DEVICE_QUEUE: usize = 100;
/// The largest packet of an Ethernet, where no flow sends a larger one.
const ETHERNET_MTU: Bytes = Bytes::new(1500);

/// A network ready to be simulated: every part of it has been made once.
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
    folder: PathBuf,
    files: BTreeMap<String, Arc<[f64]>>,
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
    /// Finds the routes, and makes every part once to see that it can be made.
    pub(crate) fn new(network: Network, folder: &Path, outside: Outside) -> Result<Self, Located> {
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
                let message = unknown(name, &nodes).replacen("found", "found the node", 1);
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
        let folder = folder.to_path_buf();
        let files = BTreeMap::new();
        let mut plan = Self {
            network,
            outside,
            ends,
            numbers,
            paths,
            flow_ends,
            crossing,
            ways_back,
            folder,
            files,
        };
        plan.read_files()?;
        plan.instantiate(Draws {
            seed: 1,
            replica: 0,
        })?;
        Ok(plan)
    }

    /// Settings of disciplines that are allowed but a known mistake, each at its place.
    pub(crate) fn warnings(&self) -> Result<Vec<Located>, Located> {
        let (links, _) = self.instantiate(Draws {
            seed: 1,
            replica: 0,
        })?;
        let mut warnings = Vec::new();
        for (made, plan) in links.iter().zip(&self.network.links) {
            let Some((node, key)) = &plan.queue else {
                continue;
            };
            let reader = Reader::of(node, key)?;
            for warning in made.discipline.warnings() {
                warnings.push(reader.error(warning.param, warning.what));
            }
        }
        Ok(warnings)
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

    /// Its links as data: ends, rate, delay, and the queue with every parameter that it has, as a
    /// scenario file writes them.
    pub(crate) fn described(&self, draws: Draws) -> Result<serde_json::Value, Located> {
        let (made, _) = self.instantiate(draws)?;
        let delays: Vec<Span> = made.iter().map(|link| link.delay).collect();
        let links = self.network.links.iter().zip(&made).enumerate();
        links
            .map(|(i, (link, made))| {
                Ok(serde_json::json!({
                    "name": link.name,
                    "from": link.from,
                    "to": link.to,
                    "rate_bps": link.rate.bps(),
                    "delay_s": made.delay.as_s(),
                    "delay_is_drawn": link.delay.as_constant().is_none(),
                    "overhead_bytes": link.overhead.get(),
                    "device_queue_packets": made.device_queue,
                    "mtu_bytes": self.mtu(i).get(),
                    "base_rtt_s": self.base_rtt(i, &delays).as_s(),
                    "queue": link.described_queue()?,
                }))
            })
            .collect()
    }

    /// The names of disciplines and controllers that are in no registry, each once.
    pub(crate) fn outside_names(&self) -> Vec<&str> {
        let queues = self.network.links.iter().filter_map(|link| {
            let (node, _) = link.queue.as_ref()?;
            node.table()?.text("discipline")
        });
        let flows = self.network.flows.iter();
        let controllers = flows.filter_map(|flow| flow.transport.outside_name());
        let mut names: Vec<&str> = Vec::new();
        for name in queues.filter(|name| is_outside(name)).chain(controllers) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Links and flows as data.
    pub(crate) fn network(&self) -> serde_json::Value {
        let links = self.network.links.iter().map(|link| {
            let queue = link.queue.as_ref().map(|(node, _)| node.json());
            serde_json::json!({
                "name": link.name,
                "from": link.from,
                "to": link.to,
                "rate_bps": link.rate.bps(),
                "delay_mean_s": link.delay.mean() / 1e12,
                "queue": queue.unwrap_or_else(|| serde_json::json!({})),
            })
        });
        let flows = self.network.flows.iter().map(|flow| {
            serde_json::json!({
                "name": flow.name,
                "group": flow.group,
                "from": flow.from,
                "to": flow.to,
            })
        });
        serde_json::json!({
            "links": links.collect::<Vec<_>>(),
            "flows": flows.collect::<Vec<_>>(),
        })
    }

    /// The files that its distributions were read from.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// What an ns-2 trace says of links and flows.
    pub(crate) fn trace_labels(&self) -> (Vec<(u32, u32)>, Vec<FlowLabel>) {
        let number = |node: NodeId| self.numbers[node as usize];
        let links = self
            .ends
            .iter()
            .map(|&(from, to)| (number(from), number(to)))
            .collect();
        let mut ports = vec![0; self.numbers.len()];
        let mut port = |node: NodeId| {
            let next: &mut u32 = &mut ports[node as usize];
            *next += 1;
            (number(node), *next - 1)
        };
        let label = |(flow, &(from, to)): (&FlowPlan, &(NodeId, NodeId))| {
            let tcp = match &flow.transport {
                TransportPlan::Tcp(tcp) => Some(&tcp.config),
                TransportPlan::Udp(_) => None,
            };
            FlowLabel {
                packet_type: sojourn_traffic::trace_name(flow.source()),
                source: port(from),
                destination: port(to),
                segment: tcp.map_or(0, |config| u64::from(config.mss)),
                handshake: tcp.is_some_and(|config| config.handshake),
            }
        };
        (
            links,
            self.network
                .flows
                .iter()
                .zip(&self.flow_ends)
                .map(label)
                .collect(),
        )
    }

    /// What captures show.
    pub(crate) fn captured(&self, title: &str, wanted: &Trace<'_>) -> capture::Network {
        let mut shown: Vec<&str> = Vec::new();
        for name in self.link_names().map(duplex) {
            let is_wanted = wanted.links.is_empty() || wanted.links.iter().any(|link| link == name);
            if is_wanted && !shown.contains(&name) {
                shown.push(name);
            }
        }
        let number = |node: NodeId| self.numbers[node as usize];
        let links = self.network.links.iter().zip(&self.ends);
        let links = links.map(|(link, &(from, to))| capture::Link {
            name: link.name.clone(),
            from: number(from),
            to: number(to),
            rate: link.rate,
            file: shown.iter().position(|name| *name == duplex(&link.name)),
        });
        let flows = self.network.flows.iter().zip(&self.flow_ends);
        let flows = flows.map(|(flow, &(from, to))| capture::Flow {
            name: flow.name.clone(),
            source: number(from),
            destination: number(to),
            over: match &flow.transport {
                TransportPlan::Udp(udp) => capture::Over::Udp {
                    header: udp.header.get(),
                },
                TransportPlan::Tcp(tcp) => capture::Over::Tcp(tcp.config.clone()),
            },
        });
        capture::Network {
            title: title.to_owned(),
            links: links.collect(),
            flows: flows.collect(),
            files: file_names(&shown),
            whole: wanted.payload,
        }
    }

    /// Reads the files that distributions name.
    fn read_files(&mut self) -> Result<(), Located> {
        let mut wanted: Vec<(String, Place, String)> = Vec::new();
        let mut want = |file: Option<&str>, place, key: String| {
            wanted.extend(file.map(|file| (file.to_owned(), place, key)));
        };
        for link in &self.network.links {
            want(
                link.delay.file(),
                link.place,
                format!("link.{}.delay", link.name),
            );
        }
        for flow in &self.network.flows {
            let key = |key: &str| format!("flow.{}.{key}", flow.group);
            want(flow.start.file(), flow.place, key("start"));
            let mut note = |law: &mut dyn Law| want(law.file(), flow.place, key("traffic"));
            match &flow.transport {
                TransportPlan::Udp(udp) => {
                    let payload = udp.payload.clone();
                    flow.build_source(payload, udp.header)?.laws(&mut note);
                    want(udp.payload.file(), flow.place, key("transport.payload"));
                }
                TransportPlan::Tcp(tcp) => flow
                    .build_application(Bytes::new(u64::from(tcp.config.mss)))?
                    .laws(&mut note),
            }
        }
        for (file, place, key) in wanted {
            if !self.files.contains_key(&file) {
                let values = read_values(&self.folder.join(&file))
                    .map_err(|what| Located::new(place, key, format!("{file}: {what}")))?;
                self.files.insert(file, values);
            }
        }
        Ok(())
    }

    /// A distribution with its file read.
    fn known<T: Drawn>(&self, law: &Distribution<T>) -> Distribution<T> {
        let mut law = law.clone();
        self.fill(&mut law);
        law
    }

    /// Gives a law the file that it names.
    fn fill(&self, law: &mut dyn Law) {
        if let Some(values) = law.file().and_then(|file| self.files.get(file)) {
            law.fill(values);
        }
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
                self.known(&link.delay)
                    .draw(&mut draws.stream("delay", &link.delay_of))
            })
            .collect();
        let mut links = Vec::new();
        for (i, link) in self.network.links.iter().enumerate() {
            links.push(self.link(i, link, &delays, draws)?);
        }
        let mut flows = Vec::new();
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
            base_rtt: self.base_rtt(index, delays),
        };
        let (discipline, preset) = link.discipline(&info, &self.outside)?;
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
            delay: delays[index],
            overhead: link.overhead,
            device_queue,
            discipline,
            random: draws.stream("discipline", &link.name),
        })
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
                source.laws(&mut |law| self.fill(law));
                Traffic::Datagrams {
                    source,
                    header: udp.header,
                    ecn: if udp.ecn { Ecn::Ect0 } else { Ecn::NotEct },
                }
            }
            TransportPlan::Tcp(tcp) => {
                let segment = Bytes::new(u64::from(tcp.config.mss));
                let mut application = flow.build_application(segment)?;
                application.laws(&mut |law| self.fill(law));
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

/// Reads a column of numbers: seconds or bytes, one a line; empty lines and `#` are passed over.
fn read_values(path: &Path) -> Result<Arc<[f64]>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("cannot read it: {error}"))?;
    let mut values = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() {
            continue;
        }
        match line.parse::<f64>() {
            Ok(value) if value >= 0.0 && value.is_finite() => values.push(value),
            _ => {
                return Err(format!(
                    "line {}: found {line:?}; allowed: one number of zero or more",
                    i + 1
                ));
            }
        }
    }
    if values.iter().all(|value| *value == 0.0) {
        Err("found no number above zero".to_owned())
    } else {
        Ok(values.into())
    }
}

/// The word of a table that says what it is, checked against the registry, and the preset.
fn kind<'a>(
    reader: &Reader<'a>,
    word: &str,
    default: Option<&'a str>,
    known: &[&str],
) -> Result<(&'a str, Preset), Located> {
    let text = match reader.node(word) {
        Some(node) => match node.scalar() {
            Some(Scalar::Text(text)) => text,
            _ => {
                return Err(reader.error(
                    word,
                    format!("found {}; allowed: {}", node.shown(), known.join(", ")),
                ));
            }
        },
        None => default.ok_or_else(|| {
            reader.error(
                word,
                format!("found nothing; allowed: {}", known.join(", ")),
            )
        })?,
    };
    if !known.contains(&text) {
        return Err(reader.error(word, unknown(text, known)));
    }
    Ok((text, reader.value("preset")?.unwrap_or_default()))
}

/// Refuses keys that are neither of the table nor parameters.
fn only(
    reader: &Reader<'_>,
    words: &[&'static str],
    params: &'static [Param],
) -> Result<(), Located> {
    let allowed: Vec<&str> = words.iter().copied().chain(names(params)).collect();
    reader.only(&allowed)?;
    for param in params {
        if let Some(node) = reader
            .node(param.name)
            .filter(|node| node.scalar().is_none())
        {
            let message = format!("found {}; allowed: {}", node.shown(), param.allowed);
            return Err(Located::new(node.place, reader.key(param.name), message));
        }
    }
    Ok(())
}

impl LinkPlan {
    /// The discipline of the link and its preset.
    fn discipline(
        &self,
        info: &LinkInfo,
        outside: &Outside,
    ) -> Result<(AnyDiscipline<SimPacket>, Preset), Located> {
        let empty = Node {
            place: self.place,
            value: crate::tree::Value::Table(Table::default()),
        };
        let key = format!("link.{}.queue", self.name);
        let (node, key) = self
            .queue
            .as_ref()
            .map_or((&empty, &key), |(node, key)| (node, key));
        let reader = Reader::of(node, key)?;
        if let Some(name) = reader.node("discipline").and_then(Node::text)
            && is_outside(name)
        {
            let params = params_of(&reader, &["discipline"]);
            let place = format!("link {}", self.name);
            let wanted = Wanted {
                name,
                params: &params,
                place: &place,
            };
            let made = outside.0.policy(&wanted, info);
            let policy = made.map_err(|refusal| refusal.located(&reader, "discipline"))?;
            let custom = AnyDiscipline::Custom(Box::new(Governed::new(policy)));
            return Ok((custom, Preset::Reference));
        }
        read_discipline(node, key, info)
    }

    /// The queue as data: discipline, preset, all parameters, and which of them the file gives.
    fn described_queue(&self) -> Result<serde_json::Value, Located> {
        let empty = Table::default();
        let table = self.queue.as_ref().and_then(|(node, _)| node.table());
        let reader = Reader::new(table.unwrap_or(&empty), self.place, "");
        let name = reader.node("discipline").and_then(Node::text);
        let name = name.unwrap_or("droptail");
        let preset: Preset = reader.value("preset")?.unwrap_or_default();
        let declared = sojourn_queue::find(name).map_or(&[][..], |entry| entry.params);
        let (mut params, mut given) = (serde_json::Map::new(), Vec::new());
        for param in declared {
            let value = match reader.node(param.name) {
                Some(node) => {
                    given.push(param.name);
                    node.json()
                }
                None => param.default_under(preset).into(),
            };
            params.insert(param.name.to_owned(), value);
        }
        Ok(serde_json::json!({
            "discipline": name,
            "preset": preset.name(),
            "params": params,
            "given": given,
        }))
    }
}

/// The discipline that a queue's table names, and its preset.
pub(crate) fn read_discipline(
    node: &Node,
    key: &str,
    info: &LinkInfo,
) -> Result<(AnyDiscipline<SimPacket>, Preset), Located> {
    let reader = Reader::of(node, key)?;
    let known: Vec<&str> = sojourn_queue::DISCIPLINES
        .iter()
        .map(|entry| entry.name)
        .collect();
    let (name, preset) = kind(&reader, "discipline", Some("droptail"), &known)?;
    let params = sojourn_queue::find(name).map_or(&[][..], |entry| entry.params);
    only(&reader, &["discipline", "preset"], params)?;
    match sojourn_queue::build(name, &reader, preset, info) {
        Ok(discipline) => Ok((discipline, preset)),
        Err(sojourn_queue::BuildError::Param(fault)) => Err(reader.fault(&fault)),
        Err(sojourn_queue::BuildError::Unknown) => {
            Err(reader.error("discipline", unknown(name, &known)))
        }
    }
}

impl FlowPlan {
    /// The name of its source.
    fn source(&self) -> &str {
        self.traffic
            .0
            .table()
            .and_then(|table| table.text("source"))
            .unwrap_or_default()
    }

    /// The word of its source, checked against the sources that its transport can carry.
    fn kind<'a>(&'a self, reader: &Reader<'a>) -> Result<(&'a str, Preset), Located> {
        let tcp = self.transport.is_tcp();
        let known: Vec<&str> = sojourn_traffic::SOURCES
            .iter()
            .map(|entry| entry.name)
            .filter(|name| tcp || !sojourn_traffic::needs_streams(name))
            .collect();
        let found = reader.node("source").and_then(Node::text);
        if let Some(name) = found.filter(|name| !tcp && sojourn_traffic::needs_streams(name)) {
            let message = format!(
                "found {name:?}, which needs protocol = \"tcp\"; allowed over UDP: {}",
                known.join(", ")
            );
            return Err(reader.error("source", message));
        }
        let (name, preset) = kind(reader, "source", None, &known)?;
        let params = sojourn_traffic::find(name).map_or(&[][..], |entry| entry.params);
        only(reader, &["source", "preset"], params)?;
        Ok((name, preset))
    }

    fn build_source(
        &self,
        payload: Distribution<Bytes>,
        header: Bytes,
    ) -> Result<AnySource, Located> {
        let (node, key) = &self.traffic;
        let reader = Reader::of(node, key)?;
        let (name, preset) = self.kind(&reader)?;
        sojourn_traffic::build(name, &reader, preset, payload, header)
            .map_err(|error| not_built(&reader, &error))
    }

    fn build_application(&self, segment: Bytes) -> Result<AnyApplication, Located> {
        let (node, key) = &self.traffic;
        let reader = Reader::of(node, key)?;
        let (name, preset) = self.kind(&reader)?;
        sojourn_traffic::build_application(name, &reader, preset, segment)
            .map_err(|error| not_built(&reader, &error))
    }
}

fn not_built(reader: &Reader<'_>, error: &BuildError) -> Located {
    match error {
        BuildError::Param(fault) => reader.fault(fault),
        BuildError::Unknown => reader.error("source", "there is none of this name"),
    }
}
