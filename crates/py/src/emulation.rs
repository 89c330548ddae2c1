//! Packets of real programs through bare queues: `sojourn emulate`.
#![allow(unsafe_code)]

use std::mem;
use std::os::fd::{BorrowedFd, OwnedFd, RawFd};
use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use sojourn_scenario as scenario;
use sojourn_scenario::emulation::Setup;

use crate::Cancel;
use crate::open_loop::{makers, no_result, through_dict};
use crate::outside::raised::catch;

/// Queues between two hosts.
#[pyclass(frozen, module = "sojourn._core")]
pub(crate) struct Emulation {
    state: Mutex<State>,
}

/// What has become of it. In boxes: a link begins with a line of the cache, and Python's memory
/// where it likes.
enum State {
    Ready(Box<scenario::Emulation>),
    Joined(Box<scenario::Joined>),
    Over,
}

#[pymethods]
impl Emulation {
    /// Makes the queues.
    #[new]
    #[pyo3(signature = (rate, queue, *, down_rate=None, down_queue=None, rtt="0 s", overhead="0 B",
                        limit=None, seed=1, series=None, flows=1000))]
    #[expect(clippy::too_many_arguments, reason = "keywords in Python")]
    fn new(
        rate: &str,
        queue: &str,
        down_rate: Option<&str>,
        down_queue: Option<&str>,
        rtt: &str,
        overhead: &str,
        limit: Option<&str>,
        seed: u64,
        series: Option<&str>,
        flows: usize,
    ) -> PyResult<Self> {
        let setup = Setup {
            rate,
            down_rate,
            rtt,
            overhead,
            queue,
            down_queue,
            limit,
            seed,
            series,
            flows,
            makers: &makers(),
        };
        let ready = catch(|| scenario::Emulation::new(&setup))?.map_err(no_result)?;
        Ok(Self {
            state: Mutex::new(State::Ready(Box::new(ready))),
        })
    }

    /// Joins two hosts, each a descriptor of packets: the clock starts; once.
    fn join(&self, near: RawFd, far: RawFd) -> PyResult<()> {
        let hosts = [owned(near)?, owned(far)?];
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State::Ready(ready) = mem::replace(&mut *state, State::Over) else {
            return Err(PyRuntimeError::new_err("an emulation runs once"));
        };
        *state = State::Joined(Box::new(ready.join(hosts)));
        Ok(())
    }

    /// Takes packets from one host to the other until `stop` is set; once.
    fn run<'py>(&self, py: Python<'py>, stop: &Cancel) -> PyResult<Bound<'py, PyDict>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let State::Joined(joined) = mem::replace(&mut *state, State::Over) else {
            return Err(PyRuntimeError::new_err(
                "an emulation runs once, with hosts",
            ));
        };
        drop(state);
        let run = || catch(|| joined.run(&stop.raised));
        let done = py.detach(run)?.map_err(no_result)?;
        let result = PyDict::new(py);
        result.set_item("end_s", done.end.as_s())?;
        result.set_item("arrivals", done.arrivals)?;
        let shares = [0.5, 0.99, 1.0];
        result.set_item("late_s", done.late.quantiles_s(&shares))?;
        result.set_item("behind_s", done.behind.as_s())?;
        result.set_item("warnings", done.warnings)?;
        let [up, down] = done.queues.map(|through| through_dict(py, through));
        result.set_item("queues", (up?, down?))?;
        Ok(result)
    }
}

/// A descriptor of our own for what a descriptor of the interpreter stands for.
fn owned(descriptor: RawFd) -> PyResult<OwnedFd> {
    if descriptor < 0 {
        return Err(PyValueError::new_err(format!(
            "found the descriptor {descriptor}; allowed: one that is open"
        )));
    }
    // SAFETY: it is not -1, and lives no longer than this call, in which no Python code runs that
    // could close it: if it is not open even now, to copy it fails.
    let borrowed = unsafe { BorrowedFd::borrow_raw(descriptor) };
    Ok(borrowed.try_clone_to_owned()?)
}
