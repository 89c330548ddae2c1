//! A run in steps, for agents in Python that act in between.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use sojourn_scenario as scenario;

use crate::outside::raised::catch;
use crate::tables::Tables;
use crate::{Cancel, raise, span};

/// One replica of one point, which waits for its next step.
#[pyclass(unsendable, module = "sojourn._core")]
pub(crate) struct Episode(Option<scenario::Episode>);

impl Episode {
    pub(crate) fn new(episode: scenario::Episode) -> Self {
        Self(Some(episode))
    }

    fn open(&mut self) -> PyResult<&mut scenario::Episode> {
        self.0.as_mut().ok_or_else(over)
    }
}

fn over() -> PyErr {
    PyRuntimeError::new_err("the episode is over: it was finished, or a step of it failed")
}

#[pymethods]
impl Episode {
    /// The present instant, in seconds.
    #[getter]
    fn now_s(&mut self) -> PyResult<f64> {
        Ok(self.open()?.now().as_s())
    }

    /// Whether the simulated time is over.
    #[getter]
    fn is_over(&mut self) -> PyResult<bool> {
        Ok(self.open()?.is_over())
    }

    /// Lets an interval pass; gives what links and flows showed over it, as `entity`, `name`,
    /// `metric`, `value`.
    fn advance(
        &mut self,
        interval: &str,
        cancel: &Cancel,
    ) -> PyResult<Vec<(&'static str, String, String, f64)>> {
        let interval = span(interval)?;
        if interval == sojourn_base::Span::ZERO {
            return Err(PyValueError::new_err(
                "found 0 s; allowed: a time above zero",
            ));
        }
        let mut episode = self.0.take().ok_or_else(over)?;
        catch(|| episode.advance(interval, &cancel.raised))?.map_err(raise)?;
        let latest = episode.latest();
        let shown = latest.map(|sample| {
            let (name, metric) = (sample.name.to_owned(), sample.metric.to_owned());
            (sample.entity, name, metric, sample.value)
        });
        let shown = shown.collect();
        self.0 = Some(episode);
        Ok(shown)
    }

    /// Sets an inner variable of a link's discipline; false if there is none of that name.
    fn poke(&mut self, link: &str, variable: &str, value: f64) -> PyResult<bool> {
        let episode = self.open()?;
        catch(|| episode.poke(link, variable, value))
    }

    /// Ends it; returns the tables of the run.
    fn finish(&mut self) -> PyResult<Tables> {
        let episode = self.0.take().ok_or_else(over)?;
        catch(|| episode.finish())?.map(Tables).map_err(raise)
    }
}
