//! The Python module `sojourn._core`: all PyO3, and nothing else.
//!
//! It hands texts in and tables out. Runs release the GIL for as long as they last, unless they
//! call Python code.

// PyO3 hands arguments over by value.
#![allow(clippy::needless_pass_by_value)]

#[cfg(unix)]
mod emulation;
mod episode;
mod open_loop;
mod outside;
mod quantity;
mod signals;
mod summary;
mod tables;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::create_exception;
use pyo3::exceptions::{PyIndexError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use sojourn_base::{Quantity, Scalar, Span};
use sojourn_memory::{ALLOCATOR, Allocator};
use sojourn_scenario as scenario;
use sojourn_scenario::{Format, Options, RunError, Trace};

use crate::episode::Episode;
use crate::outside::raised::catch;
use crate::signals::Signals;
use crate::tables::Tables;

#[global_allocator]
static MEMORY: Allocator = ALLOCATOR;

create_exception!(
    sojourn._core,
    ScenarioError,
    PyValueError,
    "What is wrong with a scenario, and where."
);
create_exception!(
    sojourn._core,
    LedgerError,
    PyRuntimeError,
    "The books of a run do not balance."
);
create_exception!(
    sojourn._core,
    Cancelled,
    PyRuntimeError,
    "The run was cancelled."
);

/// A checked scenario: every point of it can be run.
#[pyclass(frozen, module = "sojourn._core")]
struct Scenario(scenario::Scenario, PathBuf);

impl Scenario {
    /// Refuses points that the scenario does not have.
    fn check_point(&self, point: usize) -> PyResult<()> {
        if point < self.0.points() {
            return Ok(());
        }
        Err(PyIndexError::new_err(format!(
            "point {point} of {}",
            self.0.points()
        )))
    }
}

#[pymethods]
impl Scenario {
    /// Reads and checks the text of a file. Files in `known` hold what is there, and are not read.
    #[staticmethod]
    #[pyo3(signature = (text, file, folder, overrides, known=None))]
    fn load(
        py: Python<'_>,
        text: &str,
        file: &str,
        folder: PathBuf,
        overrides: Vec<(String, String)>,
        known: Option<BTreeMap<String, PyBackedBytes>>,
    ) -> PyResult<Self> {
        let known = known.into_iter().flatten();
        let known = known.map(|(name, content)| (name, content.as_ref().into()));
        let known = known.collect();
        let makers = Arc::new(outside::PythonMakers {
            folder: folder.clone(),
        });
        // Points are checked in several threads, of which any may ask for Python.
        let loaded = py.detach(|| {
            let signals = Signals::default();
            let goes_on = || signals.go_on();
            let loaded = catch(|| {
                scenario::Scenario::load_with(
                    text, file, &folder, &overrides, makers, known, &goes_on,
                )
            });
            signals.raised()?;
            loaded?.map_err(refused)
        });
        Ok(Self(loaded?, folder))
    }

    #[getter]
    fn name(&self) -> &str {
        self.0.name()
    }

    #[getter]
    fn title(&self) -> &str {
        self.0.title()
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.0.seed()
    }

    #[getter]
    fn replicas(&self) -> u32 {
        self.0.replicas()
    }

    #[getter]
    fn precision(&self) -> Option<f64> {
        self.0.precision()
    }

    #[getter]
    fn precision_of(&self) -> Option<&str> {
        self.0.precision_of()
    }

    #[getter]
    fn max_replicas(&self) -> u32 {
        self.0.max_replicas()
    }

    #[getter]
    fn points(&self) -> usize {
        self.0.points()
    }

    #[getter]
    fn vary_keys(&self) -> Vec<&str> {
        self.0.vary_keys().collect()
    }

    /// The values that vary at a point, as a JSON object.
    fn vary(&self, point: usize) -> PyResult<String> {
        self.check_point(point)?;
        Ok(self.0.vary(point).to_string())
    }

    /// Simulated time of a point, in seconds.
    fn duration_s(&self, point: usize) -> PyResult<f64> {
        self.check_point(point)?;
        Ok(self.0.duration(point).as_s())
    }

    /// Where the measurements of a point start, in seconds; none if pilot replicas choose it.
    fn warmup_s(&self, point: usize) -> PyResult<Option<f64>> {
        self.check_point(point)?;
        Ok(self.0.warmup(point).map(Span::as_s))
    }

    /// All that the results of a point depend on, as a JSON object.
    fn identity(&self, point: usize) -> PyResult<String> {
        self.check_point(point)?;
        Ok(self.0.identity(point).to_string())
    }

    /// The scenario as a JSON object, with what was set from outside.
    fn document(&self) -> String {
        self.0.document().to_string()
    }

    /// Settings that are allowed but a known mistake, each with its place.
    fn warnings(&self) -> Vec<String> {
        self.0.warnings().iter().map(ToString::to_string).collect()
    }

    /// The names of the links of a point.
    fn links(&self, point: usize) -> PyResult<Vec<String>> {
        self.check_point(point)?;
        catch(|| self.0.links(point))?.map_err(refused)
    }

    /// The names of the flows of a point, each with its group.
    fn flows(&self, point: usize) -> PyResult<Vec<(String, String)>> {
        self.check_point(point)?;
        catch(|| self.0.flows(point))?.map_err(refused)
    }

    /// The group of each flow that there is at any point.
    fn groups(&self) -> &BTreeMap<String, String> {
        self.0.groups()
    }

    /// The links of a point with all parameters of their queues, as a JSON array.
    fn link_details(&self, point: usize) -> PyResult<String> {
        self.check_point(point)?;
        let details = catch(|| self.0.link_details(point))?.map_err(refused)?;
        Ok(details.to_string())
    }

    /// The links and flows of a point, as a JSON object.
    fn layout(&self, point: usize) -> PyResult<String> {
        self.check_point(point)?;
        let layout = catch(|| self.0.layout(point))?.map_err(refused)?;
        Ok(layout.to_string())
    }

    /// The disciplines and controllers of a point that are Python code, as `module:Class`.
    fn outside(&self, point: usize) -> PyResult<&[String]> {
        self.check_point(point)?;
        Ok(self.0.outside(point))
    }

    /// Sees to it that there are links of these names to be captured.
    fn check_captured(&self, links: Vec<String>) -> PyResult<()> {
        self.0.check_captured(&links).map_err(refused)
    }

    /// Runs one replica of one point; returns its tables. A trace has its format, how the paths of
    /// its files begin, the links that captures show, and whether with payload. `warmup` and
    /// `series` (times with their units) go before the scenario's.
    #[pyo3(signature = (point, replica, cancel, trace=None, warmup=None, series=None))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn run(
        &self,
        py: Python<'_>,
        point: usize,
        replica: u32,
        cancel: &Cancel,
        trace: Option<(String, PathBuf, Vec<String>, bool)>,
        warmup: Option<&str>,
        series: Option<&str>,
    ) -> PyResult<Tables> {
        self.check_point(point)?;
        let trace = match &trace {
            None => None,
            Some((format, stem, links, payload)) => Some(Trace {
                format: Format::of_name(format)
                    .map_err(|fault| PyValueError::new_err(fault.to_string()))?,
                stem,
                links,
                payload: *payload,
            }),
        };
        let options = Options {
            cancel: &cancel.raised,
            permille: &cancel.permille,
            trace,
            warmup: warmup.map(span).transpose()?,
            series: series.map(span).transpose()?,
        };
        let run = || catch(|| self.0.run(point, replica, &options));
        // Code in the interpreter would ask for the GIL at every packet: it is kept instead.
        let outcome = if outside::is_interpreted(py, self.0.outside(point), &self.1)? {
            run()
        } else {
            py.detach(run)
        };
        outcome?.map(Tables).map_err(raise)
    }

    /// Begins one replica of one point, to be run in steps.
    fn begin(&self, py: Python<'_>, point: usize, replica: u32) -> PyResult<Episode> {
        self.check_point(point)?;
        let is_interpreted = outside::is_interpreted(py, self.0.outside(point), &self.1)?;
        catch(|| self.0.begin(point, replica))?
            .map(|episode| Episode::new(episode, is_interpreted))
            .map_err(raise)
    }
}

/// A time with its unit.
fn span(text: &str) -> PyResult<Span> {
    Span::read(Scalar::Text(text)).map_err(|fault| PyValueError::new_err(fault.to_string()))
}

/// Why a scenario is refused, as an exception.
fn refused(error: scenario::Error) -> PyErr {
    ScenarioError::new_err(error.to_string())
}

/// Why a run ended without a result, as an exception.
fn raise(error: RunError) -> PyErr {
    match error {
        RunError::Cancelled => Cancelled::new_err("cancelled"),
        RunError::Breach(breach) => LedgerError::new_err(breach.to_string()),
        RunError::Trace(what) => PyOSError::new_err(format!("the trace cannot be written: {what}")),
        RunError::Scenario(error) => ScenarioError::new_err(error.to_string()),
    }
}

/// Between a run and the thread that waits for it: ends it early, tells how far it is.
#[pyclass(frozen, module = "sojourn._core")]
struct Cancel {
    raised: AtomicBool,
    permille: AtomicU64,
}

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Self {
        Self {
            raised: AtomicBool::new(false),
            permille: AtomicU64::new(0),
        }
    }

    /// Asks all runs that were handed this to end.
    fn set(&self) {
        self.raised.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.raised.load(Ordering::Relaxed)
    }

    /// How much of the simulated time of all runs that were handed this is over, in thousandths
    /// of a run.
    #[getter]
    fn permille(&self) -> u64 {
        self.permille.load(Ordering::Relaxed)
    }
}

/// A conversation about one bare discipline: `sojourn drive`.
#[pyclass(frozen, module = "sojourn._core")]
struct Driver(Mutex<scenario::drive::Driver>);

#[pymethods]
impl Driver {
    #[new]
    fn new() -> Self {
        let makers = Arc::new(open_loop::makers());
        Self(Mutex::new(scenario::drive::Driver::with(makers)))
    }

    /// Answers one request, a line of JSON, with one.
    fn answer(&self, request: &str) -> PyResult<String> {
        let mut driver = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        catch(|| driver.answer(request))
    }
}

/// The registries and the scenario file's tables, as a JSON document.
#[pyfunction]
fn reference() -> String {
    scenario::reference::document().to_string()
}

/// The JSON Schema of scenario files.
#[pyfunction]
fn schema() -> String {
    scenario::reference::schema().to_string()
}

/// What lies at a share, from 0 to 1, of the range from `low` to `high`, as drawn designs have it.
#[pyfunction]
fn range_value(low: f64, high: f64, share: f64, is_log: bool, is_whole: bool) -> f64 {
    scenario::range_value([low, high], share, is_log, is_whole)
}

/// The compiled half of Sojourn.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::{
        Cancel, Cancelled, Driver, LedgerError, Scenario, ScenarioError, range_value, reference,
        schema,
    };
    #[cfg(unix)]
    #[pymodule_export]
    use crate::emulation::Emulation;
    #[pymodule_export]
    use crate::episode::Episode;
    #[pymodule_export]
    use crate::open_loop::Replay;
    #[pymodule_export]
    use crate::outside::controller::{Ack, Loss, Random};
    #[pymodule_export]
    use crate::outside::discipline_base::DisciplineBase;
    #[pymodule_export]
    use crate::outside::harness::DisciplineHarness;
    #[pymodule_export]
    use crate::outside::raised::UserCodeError;
    #[pymodule_export]
    use crate::quantity::read_quantity;
    #[pymodule_export]
    use crate::summary::single_summaries;
    #[pymodule_export]
    use crate::tables::{Tables, stacked};

    use pyo3::prelude::*;
    use sojourn_queue::Reason;
    use sojourn_queue::policy::Verdict;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        module.add("ENGINE", env!("SOJOURN_ENGINE"))?;
        module.add("UNIFORM", crate::outside::native::uniform_address())?;
        module.add("REASONS", Reason::ALL.map(Reason::name))?;
        module.add("VERDICTS", Reason::ALL.map(Verdict::codes))
    }
}
