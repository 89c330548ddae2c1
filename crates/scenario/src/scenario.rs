//! A checked scenario: every point of it can be run.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sojourn_base::{Auto, Optional, Span};

use crate::build::{Contents, Draws, Files, Plan};
use crate::design::Draw;
use crate::dotted;
use crate::episode::Episode;
use crate::error::{Error, Located, Place, unknown};
use crate::head::{NO_RESULT, check_samples, check_series, read_top};
use crate::keys::Top;
use crate::network::lay_out;
use crate::outcome::Outcome;
use crate::outside::{Makers, Nobody, Outside};
use crate::overruled::{Setting, may_meet, set_again};
use crate::points::{Point, Points, Wrong};
use crate::run::{Options, Run, RunError, run};
use crate::trace::duplex;
use crate::tree::{self, Table, parse_value};
use crate::vary::{self, Axis};

/// Values of each key of `[vary]` that are looked at, where the first point is wrong, to see
/// whether that depends on them.
const LOOKS: usize = 16;

/// A scenario whose points have all been checked.
#[derive(Debug, Clone)]
pub struct Scenario {
    file: String,
    base: Table,
    /// What each point begins with.
    shared: Table,
    top: Top,
    axes: Vec<Axis>,
    settings: Vec<Setting>,
    points: Vec<Point>,
    /// The group of each flow that there is at any point.
    groups: BTreeMap<String, String>,
    outside: Outside,
    files: Arc<Files>,
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
        Self::load_with(
            text,
            file,
            folder,
            overrides,
            Arc::new(Nobody),
            Contents::new(),
            &|| true,
        )
    }

    /// The same, with `makers` for what is in no registry. The files in `known` hold what is there,
    /// and are not read. Of many points it takes its time, and asks whether it `goes_on`.
    ///
    /// # Errors
    /// The first thing that is wrong; that it was interrupted, if it does not go on.
    pub fn load_with(
        text: &str,
        file: &str,
        folder: &Path,
        overrides: &[(String, String)],
        makers: Arc<dyn Makers>,
        known: Contents,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Self, Error> {
        let files = Files::new(folder.to_path_buf(), known);
        Self::read(text, file, files, overrides, Outside(makers), goes_on)
            .map_err(|located| located.in_file(file))
    }

    fn read(
        text: &str,
        file: &str,
        files: Files,
        overrides: &[(String, String)],
        outside: Outside,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Self, Located> {
        let mut base = tree::parse(text)?;
        let shared = vary::shared(&base);
        let settings = overrides
            .iter()
            .filter_map(|(key, value)| Setting::new(&shared, key, value))
            .collect();
        for (key, value) in overrides {
            dotted::set(&mut base, key, Place::Set, parse_value(value))?;
        }
        let top = read_top(&base)?;
        let draw = Draw::read(base.get("design"), top.seed.0)?;
        let axes = match (base.get("vary"), &draw) {
            (Some(vary), draw) => vary::axes(vary, draw.as_ref())?,
            (None, Some(draw)) => return Err(draw.nothing_to_draw()),
            (None, None) => Vec::new(),
        };
        let shared = vary::shared(&base);
        let read_point = |number: usize| {
            let (tree, vary) = vary::tree(&shared, &axes, number)?;
            let top = read_top(&tree)?;
            let plan = plan_of(&tree, top.duration, &files, &outside)?;
            if let Some(interval) = top.series.0 {
                check_samples(interval, top.duration, plan.parts()).map_err(|what| {
                    let place = tree.get("series").map_or(Place::File, |node| node.place);
                    Located::new(place, "series", what)
                })?;
            }
            Ok((vary.into(), top, plan))
        };
        let points = Points::check(vary::count(&axes), goes_on, read_point);
        let points = points.map_err(|Wrong { point, mut what }| {
            let is_right = |number: usize| {
                let found = read_point(number).and_then(|(_, _, plan)| plan.check());
                found.err().as_ref() != Some(&what)
            };
            // The points before it are right. Where there are none, it may be wrong at all of them.
            let depends = |point| point > 0 || vary::beside_the_first(&axes, LOOKS).any(is_right);
            if let Some(point) = point.filter(|&point| depends(point)) {
                let at = at_point(point, &vary::values(&axes, point));
                what.message = format!("{} ({at})", what.message);
            }
            what
        })?;
        Ok(Self {
            file: file.to_owned(),
            base,
            shared,
            top,
            axes,
            settings,
            points: points.all,
            groups: points.groups,
            outside,
            files: files.into(),
        })
    }

    /// The plan of a point, made again where it was not kept.
    fn plan(&self, point: usize) -> Result<Arc<Plan>, Error> {
        if let Some(plan) = &self.points[point].plan {
            return Ok(plan.clone());
        }
        let made = vary::tree(&self.shared, &self.axes, point)
            .and_then(|(tree, _)| plan_of(&tree, self.duration(point), &self.files, &self.outside));
        made.map(Arc::new)
            .map_err(|located| located.in_file(&self.file))
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
        self.top.replicas.0
    }

    /// How far the interval may reach from the mean, as a share of it; none where the number of
    /// replicas is fixed.
    pub fn precision(&self) -> Option<f64> {
        self.top.precision.0.map(|precision| precision.0)
    }

    /// The metrics that the precision is about; none for the usual ones.
    pub fn precision_of(&self) -> Option<&str> {
        match &self.top.precision_of {
            Auto::Given(metrics) => Some(metrics),
            Auto::Auto => None,
        }
    }

    /// Most replicas that the precision may ask for.
    pub fn max_replicas(&self) -> u32 {
        self.top.max_replicas.0
    }

    /// Simulated time of a point.
    pub fn duration(&self, point: usize) -> Span {
        self.points[point].top.duration
    }

    /// Where the measurements of a point start; none if pilot replicas choose it.
    pub fn warmup(&self, point: usize) -> Option<Span> {
        self.points[point].top.warmup.0.given()
    }

    /// All that the results of a point depend on besides the replica: two points with the same
    /// identity have the same results. `files` names the files that are read, whose content
    /// counts too.
    pub fn identity(&self, point: usize) -> serde_json::Value {
        let Point { top, files, .. } = &self.points[point];
        // It was made once when the file was read.
        let (mut tree, _) = vary::tree(&self.shared, &self.axes, point).unwrap_or_default();
        for key in NO_RESULT {
            tree.remove(key);
        }
        let mut identity = tree.json();
        identity["duration"] = top.duration.to_string().into();
        identity["seed"] = top.seed.0.into();
        identity["warmup"] = match top.warmup.0 {
            Auto::Given(warmup) => warmup.to_string().into(),
            Auto::Auto => "auto".into(),
        };
        identity["series"] = match top.series {
            Optional(Some(series)) => series.to_string().into(),
            Optional(None) => "none".into(),
        };
        identity["transfers"] = top.transfers.into();
        identity["files"] = files.as_slice().into();
        identity
    }

    /// The scenario as data, with what was set from outside.
    pub fn document(&self) -> serde_json::Value {
        self.base.json()
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
    ///
    /// # Errors
    /// None that the scenario was not refused for, as for all that asks for the network of a point.
    pub fn links(&self, point: usize) -> Result<Vec<String>, Error> {
        Ok(self.plan(point)?.link_names().map(String::from).collect())
    }

    /// The links of a point as data, with delays as the first replica draws them.
    ///
    /// # Errors
    /// As for [`links`](Self::links).
    pub fn link_details(&self, point: usize) -> Result<serde_json::Value, Error> {
        let draws = Draws {
            seed: self.points[point].top.seed.0,
            replica: 0,
        };
        let details = self.plan(point)?.link_details(draws);
        details.map_err(|located| located.in_file(&self.file))
    }

    /// The names of the flows of a point, each with its group.
    ///
    /// # Errors
    /// As for [`links`](Self::links).
    pub fn flows(&self, point: usize) -> Result<Vec<(String, String)>, Error> {
        let plan = self.plan(point)?;
        let names = plan.flow_names();
        Ok(names
            .map(|(flow, group)| (flow.to_owned(), group.to_owned()))
            .collect())
    }

    /// The group of each flow that there is at any point.
    pub fn groups(&self) -> &BTreeMap<String, String> {
        &self.groups
    }

    /// The network of a point as data: its links and flows, patterns expanded.
    ///
    /// # Errors
    /// As for [`links`](Self::links).
    pub fn layout(&self, point: usize) -> Result<serde_json::Value, Error> {
        Ok(self.plan(point)?.layout())
    }

    /// The names of the disciplines and controllers of a point that are in no registry.
    pub fn outside(&self, point: usize) -> &[String] {
        &self.points[point].outside
    }

    /// Settings that are allowed but a known mistake or without effect, each once, with its place,
    /// and with the points where it is not at all of them.
    pub fn warnings(&self) -> Vec<Error> {
        let everywhere: Vec<usize> = (0..self.points.len()).collect();
        let alike = self.axes.iter().filter_map(|axis| axis.alike.clone());
        let mut warnings: Vec<(Error, Vec<usize>)> = alike
            .map(|warning| (warning.in_file(&self.file), everywhere.clone()))
            .collect();
        let meet = may_meet(&self.axes);
        for (number, point) in self.points.iter().enumerate() {
            let overruled = self.settings.iter();
            let overruled = overruled.filter_map(|setting| setting.overruled(&self.axes, number));
            let again = meet.then(|| set_again(&self.shared, &self.axes, number));
            for warning in overruled
                .chain(again.flatten())
                .chain(point.warnings.iter().cloned())
            {
                let warning = warning.in_file(&self.file);
                match warnings.iter_mut().find(|(known, _)| *known == warning) {
                    Some((_, at)) => at.push(number),
                    None => warnings.push((warning, vec![number])),
                }
            }
        }
        let named = warnings.into_iter().map(|(mut warning, at)| {
            if at.len() < self.points.len() {
                warning.message = format!("{} ({})", warning.message, self.points_in_words(&at));
            }
            warning
        });
        named.collect()
    }

    /// As `at point 7: queue = codel, rate = 2 Mbit/s; and at 2 more`.
    fn points_in_words(&self, points: &[usize]) -> String {
        let Some(first) = points.first() else {
            return String::new();
        };
        let at = at_point(*first, &vary::values(&self.axes, *first));
        match points.len() - 1 {
            0 => at,
            more => format!("{at}; and at {more} more"),
        }
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
        let Point { top, vary, .. } = &self.points[point];
        let (name, seed) = (self.name(), top.seed.0);
        let title = match vary.as_object() {
            Some(keys) if !keys.is_empty() => {
                format!("{name} at {vary}, seed {seed}, replica {replica}")
            }
            _ => format!("{name}, seed {seed}, replica {replica}"),
        };
        let window = self.window(top, options.warmup)?;
        let plan = self.plan(point).map_err(RunError::Scenario)?;
        if let Some(interval) = options.series {
            check_series(interval, top.duration)
                .and_then(|()| check_samples(interval, top.duration, plan.parts()))
                .map_err(|what| {
                    let error = Located::new(Place::File, "series", what);
                    RunError::Scenario(error.in_file(&self.file))
                })?;
        }
        let one = Run {
            plan: &plan,
            draws: draws(top, replica),
            window,
            series: options.series.or(top.series.0),
            transfers: top.transfers,
            title: &title,
        };
        run(&one, options).map_err(|error| error.in_file(&self.file))
    }

    /// Begins one replica of one point, to be run in steps.
    ///
    /// # Errors
    /// When the point cannot be run after all.
    pub fn begin(&self, point: usize, replica: u32) -> Result<Episode, RunError> {
        let top = &self.points[point].top;
        let window = self.window(top, None)?;
        let plan = self.plan(point).map_err(RunError::Scenario)?;
        Episode::begin(
            &plan,
            draws(top, replica),
            window,
            top.transfers,
            &self.file,
        )
    }

    /// Where measurements start and end: `warmup` goes before the scenario's.
    fn window(&self, top: &Top, warmup: Option<Span>) -> Result<(Span, Span), RunError> {
        let Some(warmup) = warmup.or(top.warmup.0.given()) else {
            let message = "it is \"auto\" still: pilot runs come first, under a warm-up of 0 s";
            let error = Located::new(Place::File, "warmup", message).in_file(&self.file);
            return Err(RunError::Scenario(error));
        };
        Ok((warmup.min(top.duration), top.duration))
    }

    /// Sees to it that there are links of these names to be captured.
    ///
    /// # Errors
    /// The first that no point has.
    pub fn check_captured(&self, names: &[String]) -> Result<(), Error> {
        let mut links: Vec<String> = Vec::new();
        let mut missing: Vec<&String> = names.iter().collect();
        for point in 0..self.points() {
            if missing.is_empty() {
                break;
            }
            for name in self.plan(point)?.link_names().map(duplex) {
                if !links.iter().any(|link| link == name) {
                    links.push(name.to_owned());
                }
            }
            missing.retain(|name| !links.contains(name));
        }
        match missing.first() {
            None => Ok(()),
            Some(name) => {
                let links: Vec<&str> = links.iter().map(String::as_str).collect();
                let message = unknown(name, &links);
                Err(Located::new(Place::File, "trace_links", message).in_file(&self.file))
            }
        }
    }
}

/// As `at point 7: queue = codel, rate = 2 Mbit/s`.
fn at_point(point: usize, values: &serde_json::Map<String, serde_json::Value>) -> String {
    let values: Vec<String> = values
        .iter()
        .map(|(key, value)| {
            let name = key.rsplit('.').next().unwrap_or(key);
            format!("{name} = {}", dotted::word(value))
        })
        .collect();
    format!("at point {point}: {}", values.join(", "))
}

/// The plan of a point, by what its file is there.
fn plan_of(
    tree: &Table,
    duration: Span,
    files: &Files,
    outside: &Outside,
) -> Result<Plan, Located> {
    let network = lay_out(tree, duration, outside)?;
    Plan::new(network, files, outside.clone())
}

/// The random streams of a replica.
fn draws(top: &Top, replica: u32) -> Draws {
    Draws {
        seed: top.seed.0,
        replica: u64::from(replica),
    }
}
