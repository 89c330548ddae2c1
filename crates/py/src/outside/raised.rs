//! Exceptions of code from outside on their way through the engine.
//!
//! A discipline cannot fail, so the engine has no way for it to say so. The exception unwinds
//! through the engine as a panic does, though no panic is reported, and whoever began the run
//! catches it. The simulation is thrown away with it.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use pyo3::create_exception;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyTraceback;
use sojourn_base::Time;
use sojourn_queue::Backlog;
use sojourn_queue::policy::PacketInfo;

create_exception!(
    sojourn._core,
    UserCodeError,
    PyRuntimeError,
    "A discipline or a congestion control written in Python raised an exception."
);

/// What unwinds.
struct Raised(PyErr);

/// Where a hook raised an exception: the class, the instant and the packet.
pub(super) fn place(title: &str, hook: &str, now: Time, packet: Option<&PacketInfo>) -> String {
    let about = packet.map_or_else(String::new, |packet| {
        format!(
            ", over a packet of {} B of flow {}, ECN {}, that has waited {}",
            packet.size.get(),
            packet.flow,
            packet.ecn.name(),
            packet.sojourn.in_seconds()
        )
    });
    format!("{title}: {hook} raised an exception at {now} of simulated time{about}")
}

/// Ends the run with the exception of a hook, called at `place`.
pub(crate) fn unwind(py: Python<'_>, error: &PyErr, place: &str) -> ! {
    if error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) {
        resume_unwind(Box::new(Raised(error.clone_ref(py))));
    }
    let message = format!("{place}:\n{}", formatted(py, error));
    resume_unwind(Box::new(Raised(UserCodeError::new_err(message))));
}

/// Ends the run of a discipline that keeps for ever what waits when the run ends.
#[cold]
pub(super) fn never_releases(title: &str, end: Time, waiting: Backlog) -> ! {
    let packets = waiting.packets;
    let message = format!(
        "{title}: dequeue never gives its packets away: {packets} still wait at {end} of simulated \
         time, where the run ends, and it asks to wait however late it is asked; allowed: to wait \
         until an instant at which it sends or drops the packet"
    );
    resume_unwind(Box::new(Raised(UserCodeError::new_err(message))))
}

/// An exception with its traceback, as text: it must reach other processes whole. The frames of
/// Sojourn that lead to the user's are left out.
pub(crate) fn formatted(py: Python<'_>, error: &PyErr) -> String {
    let format = || -> PyResult<String> {
        let parts = py.import("traceback")?.call_method1(
            "format_exception",
            (
                error.get_type(py),
                error.value(py),
                of_the_user(error.traceback(py))?,
            ),
        )?;
        let parts: Vec<String> = parts.extract()?;
        Ok(parts.concat().trim_end().to_owned())
    };
    format().unwrap_or_else(|_| error.to_string())
}

/// A traceback from the first frame on that is not of Sojourn's modules; all of it where each is.
fn of_the_user(trace: Option<Bound<'_, PyTraceback>>) -> PyResult<Option<Bound<'_, PyAny>>> {
    let mut next = trace.clone().map(Bound::into_any);
    while let Some(frame) = next {
        let globals = frame.getattr("tb_frame")?.getattr("f_globals")?;
        let module: String = globals.get_item("__name__")?.extract()?;
        if module.split('.').next() != Some("sojourn") {
            return Ok(Some(frame));
        }
        let inner = frame.getattr("tb_next")?;
        next = (!inner.is_none()).then_some(inner);
    }
    Ok(trace.map(Bound::into_any))
}

/// Runs the engine; gives the exception that ended it, if one did.
pub(crate) fn catch<R>(run: impl FnOnce() -> R) -> PyResult<R> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(result) => Ok(result),
        Err(payload) => match payload.downcast::<Raised>() {
            Ok(raised) => Err(raised.0),
            Err(other) => resume_unwind(other),
        },
    }
}
