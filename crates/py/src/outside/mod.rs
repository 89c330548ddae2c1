//! Disciplines and congestion controllers written in Python.

pub(crate) mod controller;
pub(crate) mod discipline_base;
pub(crate) mod harness;
pub(crate) mod native;
mod policy;
pub(crate) mod raised;

use std::path::PathBuf;

use pyo3::exceptions::{PyKeyboardInterrupt, PyValueError};
use pyo3::prelude::*;
use sojourn_base::{Limit, LinkInfo, Quantity, Scalar};
use sojourn_queue::Policy;
use sojourn_scenario::outside::{Makers, Refusal, Wanted};
use sojourn_transport::{CongestionControl, Start};

use self::controller::PythonController;
use self::native::NativePolicy;
use self::policy::PythonPolicy;

/// The Python half: finds classes and checks parameters.
const MODULE: &str = "sojourn.own.classes";

/// Makes what Python classes describe.
pub(crate) struct PythonMakers {
    /// Where the scenario lies: its modules are looked for there first.
    pub(crate) folder: PathBuf,
}

impl PythonMakers {
    /// Makes the object of a class with its parameters.
    fn made<'py>(
        &self,
        py: Python<'py>,
        kind: &str,
        wanted: &Wanted<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let params = wanted.params.to_string();
        py.import(MODULE)?
            .call_method1("make", (kind, wanted.name, params, &self.folder))
    }
}

/// Why it cannot be made: what Python says, if it says it as we do. Ctrl-C ends all.
fn refusal(py: Python<'_>, error: &PyErr) -> Refusal {
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        raised::unwind(py, error, "");
    }
    let value = error.value(py);
    let param = value.getattr("param").and_then(|param| param.extract());
    let message = value.getattr("message").and_then(|text| text.extract());
    match message {
        Ok(message) => Refusal {
            param: param.unwrap_or_default(),
            message,
        },
        Err(_) => Refusal {
            param: None,
            message: in_brief(py, error).unwrap_or_else(|_| error.to_string()),
        },
    }
}

/// An exception on one line, with the place where it was raised.
fn in_brief(py: Python<'_>, error: &PyErr) -> PyResult<String> {
    py.import(MODULE)?
        .call_method1("in_brief", (error.value(py), error.traceback(py)))?
        .extract()
}

impl Makers for PythonMakers {
    fn policy(
        &self,
        wanted: &Wanted<'_>,
        link: &LinkInfo,
    ) -> Result<Box<dyn Policy + Send>, Refusal> {
        Python::attach(|py| {
            let made = self.made(py, "discipline", wanted);
            let policy = made.and_then(|object| -> PyResult<Box<dyn Policy + Send>> {
                if object.getattr("is_native")?.extract()? {
                    return Ok(Box::new(NativePolicy::new(&object, wanted, link)?));
                }
                Ok(Box::new(PythonPolicy::new(&object, wanted, link)?))
            });
            policy.map_err(|error| refusal(py, &error))
        })
    }

    fn controller(
        &self,
        wanted: &Wanted<'_>,
        start: &Start,
    ) -> Result<Box<dyn CongestionControl + Send>, Refusal> {
        Python::attach(|py| {
            let made = self.made(py, "controller", wanted);
            let controller = made.and_then(|object| PythonController::new(&object, wanted, start));
            match controller {
                Ok(controller) => Ok(Box::new(controller) as Box<dyn CongestionControl + Send>),
                Err(error) => Err(refusal(py, &error)),
            }
        })
    }
}

/// The limit of a discipline's object.
fn limit_of(object: &Bound<'_, PyAny>) -> PyResult<Limit> {
    let limit: String = object.getattr("limit")?.extract()?;
    Limit::read(Scalar::Text(&limit))
        .map_err(|fault| PyValueError::new_err(format!("limit: {fault}")))
}

/// Shows the attributes called `probes`; ends the run where one is no number.
fn probe_attributes(
    object: &Bound<'_, PyAny>,
    title: &str,
    probes: &[String],
    show: &mut dyn FnMut(&str, f64),
) {
    for name in probes {
        let value = object.getattr(name.as_str());
        match value.and_then(|value| value.extract::<f64>()) {
            Ok(value) => show(name, value),
            Err(error) => {
                let place = format!("{title}: the probe {name} is no number");
                raised::unwind(object.py(), &error, &place)
            }
        }
    }
}

/// Whether any of these classes runs in the interpreter, and not as machine code.
pub(crate) fn is_interpreted(py: Python<'_>, names: &[String], folder: &PathBuf) -> PyResult<bool> {
    if names.is_empty() {
        return Ok(false);
    }
    py.import(MODULE)?
        .call_method1("is_interpreted", (names, folder))?
        .extract()
}
