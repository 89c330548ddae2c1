//! Ctrl-C while the core works without the interpreter.

use std::cell::RefCell;

use pyo3::prelude::*;

/// What the handler of a signal has raised, if one came.
#[derive(Default)]
pub(crate) struct Signals {
    raised: RefCell<Option<PyErr>>,
}

impl Signals {
    /// Whether work goes on: no handler has raised anything. Asks the interpreter, which hears
    /// signals in its main thread alone.
    pub(crate) fn go_on(&self) -> bool {
        let Some(error) = Python::attach(|py| py.check_signals().err()) else {
            return true;
        };
        self.raised.replace(Some(error));
        false
    }

    /// Hands on what was raised.
    pub(crate) fn raised(&self) -> PyResult<()> {
        self.raised.take().map_or(Ok(()), Err)
    }
}
