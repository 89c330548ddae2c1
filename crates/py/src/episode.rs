//! A run in steps, for agents in Python that act in between.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use sojourn_scenario as scenario;

use crate::outside::raised::catch;
use crate::tables::Tables;
use crate::{Cancel, raise, span};

/// One replica of one point, which waits for its next step. Whichever thread has the last reference
/// may drop it.
#[pyclass(frozen, module = "sojourn._core")]
pub(crate) struct Episode(Mutex<Option<scenario::Episode>>);

impl Episode {
    pub(crate) fn new(episode: scenario::Episode) -> Self {
        Self(Mutex::new(Some(episode)))
    }

    fn lock(&self) -> MutexGuard<'_, Option<scenario::Episode>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes it out: whoever fails with it leaves none behind.
    fn take(&self) -> PyResult<scenario::Episode> {
        self.lock().take().ok_or_else(over)
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
        catch(|| episode.advance(interval, &cancel.raised))?.map_err(raise)?;
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
