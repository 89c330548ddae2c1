//! The files that distributions are read from.

use std::path::Path;
use std::sync::Arc;

use sojourn_base::distribution::Drawn;
use sojourn_base::{Bytes, Distribution, Law};
use sojourn_trace::reason;
use sojourn_traffic::{Application, Source};

use super::Plan;
use crate::error::{Located, Place};
use crate::transport::TransportPlan;

impl Plan {
    /// Reads the files that distributions name.
    pub(super) fn read_files(&mut self) -> Result<(), Located> {
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
    pub(super) fn known<T: Drawn>(&self, law: &Distribution<T>) -> Distribution<T> {
        let mut law = law.clone();
        self.fill(&mut law);
        law
    }

    /// Gives a law the file that it names.
    pub(super) fn fill(&self, law: &mut dyn Law) {
        if let Some(values) = law.file().and_then(|file| self.files.get(file)) {
            law.fill(values);
        }
    }
}

/// Reads a column of numbers: seconds or bytes, one a line; empty lines and `#` are passed over.
fn read_values(path: &Path) -> Result<Arc<[f64]>, String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("cannot read it: {}", reason(&error)))?;
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
