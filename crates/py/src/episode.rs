//! A run in steps, for agents in Python that act in between.

use std::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use sojourn_base::Time;
use sojourn_scenario as scenario;
use sojourn_scenario::Watch;

use crate::outside::raised::catch;
use crate::signals::Signals;
use crate::tables::Tables;
use crate::{Cancel, raise, span};

/// At every how many looks of the engine a step listens for Ctrl-C: about ten times a second.
const LOOKS_BETWEEN_SIGNALS: u32 = 1 << 10;

/// One replica of one point, which waits for its next step. Whichever thread has the last reference
/// may drop it.
#[pyclass(frozen, module = "sojourn._core")]
pub(crate) struct Episode {
    episode: Mutex<Option<scenario::Episode>>,
    is_interpreted: bool,
}

impl Episode {
    /// Whether it runs code in the interpreter is known to who begins it.
    pub(crate) fn new(episode: scenario::Episode, is_interpreted: bool) -> Self {
        Self {
            episode: Mutex::new(Some(episode)),
            is_interpreted,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<scenario::Episode>> {
        self.episode.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes it out: whoever fails with it leaves none behind.
    fn take(&self) -> PyResult<scenario::Episode> {
        self.lock().take().ok_or_else(over)
    }
}

/// Ends a step where that was asked for, or by Ctrl-C.
struct Listening<'a> {
    cancel: &'a Cancel,
    looks: Cell<u32>,
    signals: Signals,
}

impl Watch for Listening<'_> {
    fn goes_on(&self, now: Time) -> bool {
        self.looks.set(self.looks.get().wrapping_add(1));
        let asks = self.looks.get().is_multiple_of(LOOKS_BETWEEN_SIGNALS);
        (!asks || self.signals.go_on()) && self.cancel.raised.goes_on(now)
    }
}

fn over() -> PyErr {
    PyRuntimeError::new_err("the episode is over: it was finished, or a step of it failed")
}

#[pymethods]
impl Episode {
    /// The present instant, in seconds.
    #[getter]
    fn now_s(&self) -> PyResult<f64> {
        let episode = self.lock();
        Ok(episode.as_ref().ok_or_else(over)?.now().as_s())
    }

    /// Whether the simulated time is over.
    #[getter]
    fn is_over(&self) -> PyResult<bool> {
        let episode = self.lock();
        Ok(episode.as_ref().ok_or_else(over)?.is_over())
    }

    /// Lets an interval pass; gives what links and flows showed over it, as `entity`, `name`,
    /// `metric`, `value`.
    fn advance(
        &self,
        py: Python<'_>,
        interval: &str,
        cancel: &Cancel,
    ) -> PyResult<Vec<(&'static str, String, String, f64)>> {
        let interval = span(interval)?;
        if interval == sojourn_base::Span::ZERO {
            return Err(PyValueError::new_err(
                "found 0 s; allowed: a time above zero",
            ));
        }
        let mut episode = self.take()?;
        let mut step = || {
            let listening = Listening {
                cancel,
                looks: Cell::new(0),
                signals: Signals::default(),
            };
            let advanced = catch(|| episode.advance(interval, &listening))?;
            listening.signals.raised()?;
            advanced.map_err(raise)
        };
        // Code in the interpreter would ask for the GIL at every packet: it is kept instead.
        if self.is_interpreted {
            step()?;
        } else {
            py.detach(step)?;
        }
        let latest = episode.latest();
        let shown = latest.map(|sample| {
            let (name, metric) = (sample.name.to_owned(), sample.metric.to_owned());
            (sample.entity, name, metric, sample.value)
        });
        let shown = shown.collect();
        *self.lock() = Some(episode);
        Ok(shown)
    }

    /// Sets an inner variable of a link's discipline; false if there is none of that name.
    fn poke(&self, link: &str, variable: &str, value: f64) -> PyResult<bool> {
        let mut episode = self.take()?;
        let poked = catch(|| episode.poke(link, variable, value))?;
        *self.lock() = Some(episode);
        poked.map_err(PyValueError::new_err)
    }

    /// Ends it; returns the tables of the run.
    fn finish(&self) -> PyResult<Tables> {
        let episode = self.take()?;
        catch(|| episode.finish())?.map(Tables).map_err(raise)
    }
}
