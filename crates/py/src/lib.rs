//! The Python module `sojourn._core`: all PyO3, and nothing else.
//!
//! It hands texts in and tables out. Runs release the GIL for as long as they last.

// PyO3 hands arguments over by value.
#![allow(clippy::needless_pass_by_value)]

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use numpy::IntoPyArray;
use pyo3::create_exception;
use pyo3::exceptions::{PyIndexError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use sojourn_measure::{Series, Table};
use sojourn_scenario as scenario;
use sojourn_scenario::{Options, RunError};

create_exception!(
    _core,
    ScenarioError,
    PyValueError,
    "What is wrong with a scenario, and where."
);
create_exception!(
    _core,
    LedgerError,
    PyRuntimeError,
    "The books of a run do not balance."
);
create_exception!(_core, Cancelled, PyRuntimeError, "The run was cancelled.");

/// A checked scenario: every point of it can be run.
#[pyclass(frozen, module = "sojourn._core")]
struct Scenario(scenario::Scenario);

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
    /// Reads and checks the text of a file.
    #[staticmethod]
    fn load(
        text: &str,
        file: &str,
        folder: PathBuf,
        overrides: Vec<(String, String)>,
    ) -> PyResult<Self> {
        scenario::Scenario::load(text, file, &folder, &overrides)
            .map(Self)
            .map_err(|error| ScenarioError::new_err(error.to_string()))
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
    fn duration_s(&self) -> f64 {
        self.0.duration().as_s()
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

    /// Settings that are allowed but a known mistake, each with its place.
    fn warnings(&self) -> Vec<String> {
        self.0.warnings().iter().map(ToString::to_string).collect()
    }

    /// The names of the links of a point.
    fn links(&self, point: usize) -> PyResult<Vec<&str>> {
        self.check_point(point)?;
        Ok(self.0.links(point).collect())
    }

    /// The names of the flows of a point, each with its group.
    fn flows(&self, point: usize) -> PyResult<Vec<(&str, &str)>> {
        self.check_point(point)?;
        Ok(self.0.flows(point).collect())
    }

    /// Runs one replica of one point; returns its tables.
    #[pyo3(signature = (point, replica, cancel, ns2_trace=None))]
    fn run<'py>(
        &self,
        py: Python<'py>,
        point: usize,
        replica: u32,
        cancel: &Cancel,
        ns2_trace: Option<PathBuf>,
    ) -> PyResult<Bound<'py, PyDict>> {
        self.check_point(point)?;
        let options = Options {
            cancel: &cancel.0,
            ns2_trace: ns2_trace.as_deref(),
        };
        let outcome = py
            .detach(|| self.0.run(point, replica, &options))
            .map_err(raise)?;
        let tables = PyDict::new(py);
        let rows = outcome.tables;
        for (name, table) in [
            ("links", rows.links),
            ("flows", rows.flows),
            ("groups", rows.groups),
            ("total", rows.total),
        ] {
            tables.set_item(name, columns(py, table)?)?;
        }
        let drops = rows.drops.into_iter();
        let drops = drops.map(|row| (row.link, row.kind, row.reason.name(), row.packets));
        tables.set_item("drops", drops.collect::<Vec<_>>())?;
        let series = outcome
            .series
            .into_iter()
            .map(|series| series_dict(py, series));
        tables.set_item(
            "series",
            PyList::new(py, series.collect::<PyResult<Vec<_>>>()?)?,
        )?;
        Ok(tables)
    }
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

/// A table as a dict: `name` and a NumPy array of `f64` for each metric.
fn columns(py: Python<'_>, table: Table) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("name", table.names)?;
    for (metric, values) in table.columns {
        dict.set_item(metric, values.into_pyarray(py))?;
    }
    Ok(dict)
}

fn series_dict(py: Python<'_>, series: Series) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("entity", series.entity)?;
    dict.set_item("name", series.name)?;
    dict.set_item("metric", series.metric)?;
    dict.set_item("time_s", series.times_s.into_pyarray(py))?;
    dict.set_item("value", series.values.into_pyarray(py))?;
    Ok(dict)
}

/// Ends runs early: raised by one thread, seen by those that run.
#[pyclass(frozen, module = "sojourn._core")]
struct Cancel(AtomicBool);

#[pymethods]
impl Cancel {
    #[new]
    fn new() -> Self {
        Self(AtomicBool::new(false))
    }

    /// Asks all runs that were handed this to end.
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A conversation about one bare discipline: `sojourn drive`.
#[pyclass(frozen, module = "sojourn._core")]
struct Driver(Mutex<scenario::drive::Driver>);

#[pymethods]
impl Driver {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(scenario::drive::Driver::new()))
    }

    /// Answers one request, a line of JSON, with one.
    fn answer(&self, request: &str) -> String {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .answer(request)
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

/// The compiled half of Sojourn.
#[pymodule]
mod _core {
    #[pymodule_export]
    use super::{
        Cancel, Cancelled, Driver, LedgerError, Scenario, ScenarioError, reference, schema,
    };

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
