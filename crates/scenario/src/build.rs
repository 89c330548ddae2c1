//! From a plain network to a running simulation: routes, disciplines, sources, random streams.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sojourn_base::distribution::Drawn;
use sojourn_base::{
    Auto, Bytes, Distribution, Ecn, LinkInfo, Param, Preset, Scalar, Span, Stream, Time,
};
use sojourn_engine::routes::{Graph, path};
use sojourn_engine::{FlowSpec, LinkSpec, NodeId, Observer, SimPacket, Simulation};
use sojourn_measure::tables::Group;
use sojourn_queue::{AnyDiscipline, Discipline};
use sojourn_trace::ns2::FlowLabel;
use sojourn_traffic::{AnySource, Source};

use crate::error::{Located, Place, unknown};
use crate::keys::names;
use crate::network::{FlowPlan, LinkPlan, Network};
use crate::reader::Reader;
use crate::tree::{Node, Table};

/// The device queue of ns-3's devices, in packets.
const NS3_DEVICE_QUEUE: usize = 100;
/// The largest packet of an Ethernet, where no flow sends a larger one.
const ETHERNET_MTU: Bytes = Bytes::new(1500);

/// A network ready to be simulated: every part of it has been made once.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    network: Network,
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
    fn stream(self, role: &str, entity: &str) -> Stream {
        Stream::named(self.seed, self.replica, role, entity)
    }
}

impl Plan {
    /// Finds the routes, and makes every part once to see that it can be made.
    pub(crate) fn new(network: Network, folder: &Path) -> Result<Self, Located> {
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
        let mut hops = BTreeMap::new();
        let mut route = |from: NodeId, to: NodeId| {
            path(
                hops.entry(to).or_insert_with(|| graph.next_hops(to)),
                from,
                to,
            )
        };
        let (mut paths, mut ways_back) = (Vec::new(), Vec::new());
        for (flow, &(from, to)) in network.flows.iter().zip(&flow_ends) {
            paths.push(route(from, to).ok_or_else(|| {
                let message = format!("no route from {} to {}", flow.from, flow.to);
                Located::new(flow.place, format!("flow.{}", flow.group), message)
            })?);
            ways_back.push(route(to, from));
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

    /// Header bytes of each flow.
    pub(crate) fn headers(&self) -> Vec<Bytes> {
        self.network.flows.iter().map(|flow| flow.header).collect()
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
            format!("{}.{}", number(node), *next - 1)
        };
        let label = |(flow, &(from, to)): (&FlowPlan, &(NodeId, NodeId))| FlowLabel {
            packet_type: sojourn_traffic::trace_name(flow.source()),
            source: port(from),
            destination: port(to),
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
            want(flow.payload.file(), flow.place, key("transport.payload"));
            want(flow.start.file(), flow.place, key("start"));
            flow.build_source(flow.payload.clone())?.laws(&mut |law| {
                want(law.file(), flow.place, key("traffic"));
            });
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
        match law.file().and_then(|file| self.files.get(file)) {
            Some(values) => Distribution::empirical(values),
            None => law.clone(),
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
        let (discipline, preset) = link.discipline(&info)?;
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
        let mut source = flow.build_source(self.known(&flow.payload))?;
        source.laws(&mut |law| *law = self.known(law));
        let start = self
            .known(&flow.start)
            .draw(&mut draws.stream("start", &flow.name));
        Ok(FlowSpec {
            name: flow.name.clone(),
            from: number(from),
            to: number(to),
            path: self.paths[index].clone(),
            source,
            header: flow.header,
            ecn: if flow.ecn { Ecn::Ect0 } else { Ecn::NotEct },
            start: Time::ZERO + start,
            stop: flow.stop,
            gaps: draws.stream("gaps", &flow.name),
            sizes: draws.stream("sizes", &flow.name),
        })
    }

    /// The largest packet of constant size that crosses a link, at least an Ethernet's.
    fn mtu(&self, link: usize) -> Bytes {
        let sizes = self.crossing[link].iter().filter_map(|&flow| {
            let flow = &self.network.flows[flow as usize];
            flow.payload
                .as_constant()
                .map(|payload| payload + flow.header)
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
    fn discipline(&self, info: &LinkInfo) -> Result<(AnyDiscipline<SimPacket>, Preset), Located> {
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

    fn build_source(&self, payload: Distribution<Bytes>) -> Result<AnySource, Located> {
        let (node, key) = &self.traffic;
        let reader = Reader::of(node, key)?;
        let known: Vec<&str> = sojourn_traffic::SOURCES
            .iter()
            .map(|entry| entry.name)
            .collect();
        let (name, preset) = kind(&reader, "source", None, &known)?;
        let params = sojourn_traffic::find(name).map_or(&[][..], |entry| entry.params);
        only(&reader, &["source", "preset"], params)?;
        match sojourn_traffic::build(name, &reader, preset, payload, self.header) {
            Ok(source) => Ok(source),
            Err(sojourn_traffic::BuildError::Param(fault)) => Err(reader.fault(&fault)),
            Err(sojourn_traffic::BuildError::Unknown) => {
                Err(reader.error("source", unknown(name, &known)))
            }
        }
    }
}
