//! Bare queues to which packets come from outside.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use sojourn_scenario as scenario;
use sojourn_scenario::OpenLoopError;
use sojourn_scenario::open_loop::Through;
use sojourn_scenario::replay::Setup;

use crate::outside::PythonMakers;
use crate::outside::raised::catch;
use crate::tables::{columns, doubles};
use crate::{Cancel, Cancelled, LedgerError, ScenarioError};

/// A capture through bare queues: `sojourn replay`.
#[pyclass(frozen, module = "sojourn._core")]
pub(crate) struct Replay {
    ready: Mutex<Option<scenario::Replay>>,
    read: AtomicU64,
}

#[pymethods]
impl Replay {
    /// Opens the file and makes the queues.
    #[new]
    #[pyo3(signature = (file, queues, rate, *, delay="0 s", overhead="0 B", limit=None, seed=1,
                        series=None, flows=1000, interface=None, sender=None,
                        partial=false))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn new(
        file: PathBuf,
        queues: Vec<String>,
        rate: &str,
        delay: &str,
        overhead: &str,
        limit: Option<&str>,
        seed: u64,
        series: Option<&str>,
        flows: usize,
        interface: Option<&str>,
        sender: Option<&str>,
        partial: bool,
    ) -> PyResult<Self> {
        let setup = Setup {
            file: &file,
            interface,
            sender,
            rate,
            delay,
            overhead,
            queues: &queues,
            limit,
            seed,
            series,
            flows,
            partial,
            makers: &makers(),
        };
        let ready = catch(|| scenario::Replay::open(&setup))?.map_err(no_result)?;
        Ok(Self {
            ready: Mutex::new(Some(ready)),
            read: AtomicU64::new(0),
        })
    }

    /// Bytes of the file that have been read.
    #[getter]
    fn read(&self) -> u64 {
        self.read.load(Ordering::Relaxed)
    }

    /// Runs it, once.
    fn run<'py>(&self, py: Python<'py>, cancel: &Cancel) -> PyResult<Bound<'py, PyDict>> {
        let mut ready = self.ready.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(ready) = ready.take() else {
            return Err(PyRuntimeError::new_err("a replay runs once"));
        };
        let run = || catch(|| ready.run(&cancel.raised, &self.read));
        let replayed = py.detach(run)?.map_err(no_result)?;
        let result = PyDict::new(py);
        result.set_item("packets", replayed.packets)?;
        result.set_item("bytes", replayed.bytes)?;
        result.set_item("last_arrival_s", replayed.last_arrival.as_s())?;
        result.set_item("flows", replayed.flows)?;
        result.set_item("warnings", replayed.warnings)?;
        let queues = replayed.queues.into_iter();
        let queues = queues.map(|through| through_dict(py, through));
        result.set_item(
            "queues",
            PyList::new(py, queues.collect::<PyResult<Vec<_>>>()?)?,
        )?;
        Ok(result)
    }
}

/// Makes the classes that queues name: of modules that lie where the command was called.
pub(crate) fn makers() -> PythonMakers {
    PythonMakers { folder: ".".into() }
}

/// What a queue made of its packets.
pub(crate) fn through_dict(py: Python<'_>, through: Through) -> PyResult<Bound<'_, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("label", through.label)?;
    dict.set_item("end_s", through.end.as_s())?;
    dict.set_item("link", columns(py, &through.link)?)?;
    dict.set_item("flows", columns(py, &through.flows)?)?;
    let drops = through.drops.into_iter();
    let drops = drops.map(|row| (row.flow, row.kind, row.reason.name(), row.packets));
    dict.set_item("drops", drops.collect::<Vec<_>>())?;
    dict.set_item("time_s", doubles(py, &through.times_s)?)?;
    let series = PyDict::new(py);
    for (metric, values) in through.series {
        series.set_item(metric, doubles(py, &values)?)?;
    }
    dict.set_item("series", series)?;
    Ok(dict)
}

/// Why there is no result, as an exception.
pub(crate) fn no_result(error: OpenLoopError) -> PyErr {
    match error {
        OpenLoopError::Input(what) => ScenarioError::new_err(what),
        OpenLoopError::Cancelled => Cancelled::new_err("cancelled"),
        OpenLoopError::Breach(breach) => LedgerError::new_err(breach.to_string()),
    }
}
