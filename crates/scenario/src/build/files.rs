//! The files that distributions, rates, delays and recordings are read from.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use sojourn_base::distribution::Drawn;
use sojourn_base::{Bytes, Distribution, Law, LinkInfo};
use sojourn_engine::Changes;
use sojourn_trace::reason;
use sojourn_traffic::{Application, Recorded, Recording, Source};

use super::{Plan, recordings};
use crate::error::{Located, Place};
use crate::network::{LinkPlan, Network};
use crate::transport::TransportPlan;

/// What files hold, by the names that a scenario has for them.
pub type Contents = BTreeMap<String, Arc<[u8]>>;

/// Files of a folder, each read once for all points.
#[derive(Debug)]
pub(crate) struct Files {
    folder: PathBuf,
    /// Files whose contents are known: they need not be there.
    known: Contents,
    read: Mutex<Read>,
}

/// What was read.
#[derive(Debug, Clone, Default)]
pub(super) struct Read {
    /// Numbers, by file.
    values: BTreeMap<String, Arc<[f64]>>,
    /// Packets, by file, interface, sender and flow.
    recordings: BTreeMap<[String; 4], Arc<[Recorded]>>,
}

impl Read {
    /// The names of the files.
    pub(super) fn files(&self) -> impl Iterator<Item = &str> {
        let recorded = self.recordings.keys().map(|[file, ..]| file.as_str());
        self.values.keys().map(String::as_str).chain(recorded)
    }
}

/// What tells a recording from others.
fn key_of(recording: &Recording) -> [String; 4] {
    let Recording {
        file,
        interface,
        sender,
        flow,
        ..
    } = recording;
    [file, interface, sender, flow].map(Clone::clone)
}

impl Files {
    /// Those of `folder`, none of them read; `known` ones hold this, whatever is there.
    pub(crate) fn new(folder: PathBuf, known: Contents) -> Self {
        Self {
            folder,
            known,
            read: Mutex::default(),
        }
    }

    /// The files that a network names.
    pub(super) fn of(&self, network: &Network) -> Result<Read, Located> {
        let mut wanted: Vec<(String, Place, String)> = Vec::new();
        let mut want = |file: Option<&str>, place, key: &dyn Fn() -> String| {
            wanted.extend(file.map(|file| (file.to_owned(), place, key())));
        };
        let mut played: Vec<(Recording, Place, String)> = Vec::new();
        for link in &network.links {
            let delay = &link.delay;
            want(delay.drawn.file(), delay.place, &|| delay.key());
            if let Some(jitter) = &link.wire.jitter {
                want(jitter.extra.file(), jitter.place, &|| jitter.key.clone());
            }
            if let Some(changes) = &link.changes {
                for file in changes.files() {
                    want(Some(file), changes.place, &|| changes.key.clone());
                }
            }
        }
        for flow in &network.flows {
            let key = |key: &'static str| move || format!("flow.{}.{key}", flow.group);
            want(flow.start.file(), flow.start_place, &key("start"));
            let mut note = |law: &mut dyn Law| {
                if let Some(file) = law.file() {
                    let (place, key) = flow.traffic_named(file);
                    want(Some(file), place, &|| key.clone());
                }
            };
            let mut recorded = Vec::new();
            let mut play = |recording: &mut Recording| recorded.push(recording.clone());
            match &flow.transport {
                TransportPlan::Udp(udp) => {
                    let payload = udp.payload.clone();
                    let mut source = flow.build_source(payload, udp.header)?;
                    flow.with_files(source.laws(&mut note))?;
                    flow.with_files(source.recordings(&mut play))?;
                    let key = key("transport.payload");
                    if let (false, Some(place)) = (recorded.is_empty(), flow.payload_place) {
                        let message = "found one beside a recording, whose packets have their own; \
                                       allowed: none";
                        return Err(Located::new(place, key(), message));
                    }
                    let place = flow.payload_place.unwrap_or(flow.place);
                    want(udp.payload.file(), place, &key);
                }
                TransportPlan::Tcp(tcp) => {
                    let segment = Bytes::new(u64::from(tcp.config.mss));
                    let mut application = flow.build_application(segment)?;
                    flow.with_files(application.laws(&mut note))?;
                    flow.with_files(application.recordings(&mut play))?;
                }
            }
            played.extend(recorded.into_iter().map(|recording| {
                let (place, key) = flow.traffic_named(&recording.file);
                (recording, place, key)
            }));
        }
        let mut found = Read::default();
        for (file, place, key) in wanted {
            let values = self
                .values(&file)
                .map_err(|what| Located::new(place, key, format!("{file}: {what}")))?;
            found.values.insert(file, values);
        }
        for (recording, place, key) in played {
            let packets = self
                .packets(&recording)
                .map_err(|what| Located::new(place, key, what))?;
            found.recordings.insert(key_of(&recording), packets);
        }
        Ok(found)
    }

    fn values(&self, file: &str) -> Result<Arc<[f64]>, String> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(values) = read.values.get(file) {
            return Ok(values.clone());
        }
        let values = read_values(self.open(file)?)?;
        read.values.insert(file.to_owned(), values.clone());
        Ok(values)
    }

    fn packets(&self, recording: &Recording) -> Result<Arc<[Recorded]>, String> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let key = key_of(recording);
        if let Some(packets) = read.recordings.get(&key) {
            return Ok(packets.clone());
        }
        let source = self.open(&recording.file);
        let source = source.map_err(|what| format!("{}: {what}", recording.file))?;
        let packets = recordings::read(source, recording)?;
        read.recordings.insert(key, packets.clone());
        Ok(packets)
    }

    /// Opens a file, and nothing else that can be read: a device may have no end.
    fn open(&self, file: &str) -> Result<Box<dyn io::Read + Send>, String> {
        if let Some(content) = self.known.get(file) {
            return Ok(Box::new(io::Cursor::new(content.clone())));
        }
        let path = self.folder.join(file);
        let kind = path.metadata().map_err(|error| cannot(&error))?;
        if kind.is_dir() {
            return Err(cannot(&io::ErrorKind::IsADirectory.into()));
        }
        if !kind.is_file() {
            return Err("found a device or a pipe; allowed: a file".to_owned());
        }
        let file = File::open(path).map_err(|error| cannot(&error))?;
        Ok(Box::new(file))
    }
}

impl Plan {
    /// A distribution with its file read.
    pub(super) fn known<T: Drawn>(&self, law: &Distribution<T>) -> Distribution<T> {
        let mut law = law.clone();
        self.fill(&mut law);
        law
    }

    /// The changes of a link whose discipline was told `info`.
    pub(super) fn changes(
        &self,
        link: &LinkPlan,
        info: &LinkInfo,
    ) -> Result<Option<Box<Changes>>, Located> {
        let Some(changes) = &link.changes else {
            return Ok(None);
        };
        let values = |file: &str| self.read.values.get(file).map_or(&[][..], |values| values);
        let (list, every) = changes
            .list(link.rate, values)
            .map_err(|what| Located::new(changes.place, changes.key.clone(), what))?;
        Ok(Some(Changes::new(*info, list, every).into()))
    }

    /// Gives a law the file that it names.
    pub(super) fn fill(&self, law: &mut dyn Law) {
        if let Some(values) = law.file().and_then(|file| self.read.values.get(file)) {
            law.fill(values);
        }
    }

    /// Gives a source the recording that it plays back.
    pub(super) fn play(&self, recording: &mut Recording) {
        if let Some(packets) = self.read.recordings.get(&key_of(recording)) {
            recording.packets = packets.clone();
        }
    }
}

/// Why a file cannot be read.
fn cannot(error: &io::Error) -> String {
    format!("cannot read it: {}", reason(error))
}

/// Reads a column of numbers: seconds or bytes, one a line; empty lines and `#` are passed over.
fn read_values(source: impl io::Read) -> Result<Arc<[f64]>, String> {
    let text = io::read_to_string(source).map_err(|error| cannot(&error))?;
    // Spreadsheets put a mark in front of what they save as UTF-8.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
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
