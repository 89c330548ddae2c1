//! A checked scenario: every point of it can be run.

use std::path::Path;

use sojourn_base::{Auto, Preset, Span};
use sojourn_measure::{Series, Tables};

use crate::build::{Draws, Plan};
use crate::error::{Error, Located, Place};
use crate::keys::{self, Top};
use crate::network::lay_out;
use crate::reader::Reader;
use crate::run::{Options, RunError, run};
use crate::tree::{self, Node, Table, parse_value};
use crate::vary::{self, Axis};

/// A scenario whose points have all been checked.
#[derive(Debug, Clone)]
pub struct Scenario {
    file: String,
    top: Top,
    axes: Vec<Axis>,
    points: Vec<Point>,
}

/// One point: the values that vary, and the network to run.
#[derive(Debug, Clone)]
struct Point {
    vary: serde_json::Value,
    top: Top,
    plan: Plan,
}

/// What one run gives.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Its metrics.
    pub tables: Tables,
    /// Its time series, where they were asked for.
    pub series: Vec<Series>,
}

impl Scenario {
    /// Reads and checks the text of a file. `file` names it in messages, `folder` is where the
    /// files that it names lie, `overrides` are dotted keys and values that go before the file's.
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn load(
        text: &str,
        file: &str,
        folder: &Path,
        overrides: &[(String, String)],
    ) -> Result<Self, Error> {
        Self::read(text, file, folder, overrides).map_err(|located| located.in_file(file))
    }

    fn read(
        text: &str,
        file: &str,
        folder: &Path,
        overrides: &[(String, String)],
    ) -> Result<Self, Located> {
        let mut base = tree::parse(text)?;
        for (key, value) in overrides {
            vary::set(&mut base, key, Place::Set, parse_value(value))?;
        }
        let axes = base.get("vary").map_or(Ok(Vec::new()), vary::axes)?;
        let top = read_top(&base)?;
        let mut points = Vec::with_capacity(vary::count(&axes));
        for index in 0..vary::count(&axes) {
            points.push(Point::read(&base, &axes, index, folder)?);
        }
        Ok(Self {
            file: file.to_owned(),
            top,
            axes,
            points,
        })
    }

    /// The file, as it was named.
    pub fn file(&self) -> &str {
        &self.file
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.top.name.0
    }

    /// Its title; its name where it has none.
    pub fn title(&self) -> &str {
        match &self.top.title {
            Auto::Given(title) => title,
            Auto::Auto => self.name(),
        }
    }

    /// The seed of all random streams.
    pub fn seed(&self) -> u64 {
        self.top.seed.0
    }

    /// How many replicas each point has.
    pub fn replicas(&self) -> u32 {
        self.top.replicas
    }

    /// Simulated time of the first point.
    pub fn duration(&self) -> Span {
        self.points[0].top.duration
    }

    /// How many points it has.
    pub fn points(&self) -> usize {
        self.points.len()
    }

    /// The keys that vary, the outermost first.
    pub fn vary_keys(&self) -> impl Iterator<Item = &str> {
        self.axes.iter().map(|axis| axis.key.as_str())
    }

    /// The values that vary at a point, by key.
    pub fn vary(&self, point: usize) -> &serde_json::Value {
        &self.points[point].vary
    }

    /// The names of the links of a point.
    pub fn links(&self, point: usize) -> impl Iterator<Item = &str> {
        self.points[point].plan.link_names()
    }

    /// The names of the flows of a point, each with its group.
    pub fn flows(&self, point: usize) -> impl Iterator<Item = (&str, &str)> {
        self.points[point].plan.flow_names()
    }

    /// Settings that are allowed but a known mistake, each once, with its place.
    pub fn warnings(&self) -> Vec<Error> {
        let mut warnings: Vec<Error> = Vec::new();
        for point in &self.points {
            for warning in point.plan.warnings().unwrap_or_default() {
                let warning = warning.in_file(&self.file);
                if !warnings.contains(&warning) {
                    warnings.push(warning);
                }
            }
        }
        warnings
    }

    /// Runs one replica of one point.
    ///
    /// # Errors
    /// When it was cancelled, the books do not balance, or the trace cannot be written.
    pub fn run(
        &self,
        point: usize,
        replica: u32,
        options: &Options<'_>,
    ) -> Result<Outcome, RunError> {
        let Point { top, plan, .. } = &self.points[point];
        let draws = Draws {
            seed: top.seed.0,
            replica: u64::from(replica),
        };
        let window = (top.warmup, top.duration);
        run(plan, draws, window, top.series.0, options).map_err(|error| error.in_file(&self.file))
    }
}

/// Half of what 64-bit picoseconds hold, so that no sum of delays overflows.
const LONGEST: Span = Span::from_whole_s(100 * 24 * 3600);

/// More replicas than this are a slip of the pen.
const MOST_REPLICAS: u32 = 100_000;

/// Reads and checks the head of a file.
fn read_top(tree: &Table) -> Result<Top, Located> {
    let reader = Reader::new(tree, Place::File, "");
    reader.only(&keys::keys_of::<Top>(keys::TOP_TABLES))?;
    let top: Top = reader.read(Preset::Reference)?;
    if top.duration == Span::ZERO || top.duration > LONGEST {
        let message = format!(
            "found {}; allowed: above zero and at most 100 days",
            top.duration
        );
        return Err(reader.error("duration", message));
    }
    if top.warmup >= top.duration {
        let message = format!(
            "found {}; allowed: less than the duration, {}",
            top.warmup, top.duration
        );
        return Err(reader.error("warmup", message));
    }
    if top.replicas > MOST_REPLICAS {
        let message = format!("found {}; allowed: 1 to {MOST_REPLICAS}", top.replicas);
        return Err(reader.error("replicas", message));
    }
    if top.series.0 == Some(Span::ZERO) {
        return Err(reader.error("series", "found 0 s; allowed: a time above zero"));
    }
    Ok(top)
}

impl Point {
    fn read(base: &Table, axes: &[Axis], index: usize, folder: &Path) -> Result<Self, Located> {
        let mut tree = base.clone();
        tree.remove("vary");
        let mut vary = serde_json::Map::new();
        for (axis, value) in vary::point(axes, index) {
            axis.apply(&mut tree, value)?;
            vary.insert(axis.key.clone(), Node::json(value));
        }
        let top = read_top(&tree)?;
        let network = lay_out(&tree, top.duration)?;
        let plan = Plan::new(network, folder)?;
        Ok(Self {
            vary: vary.into(),
            top,
            plan,
        })
    }
}
