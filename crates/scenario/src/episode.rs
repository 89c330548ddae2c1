//! One replica of one point in steps: whoever holds it looks at queues and rates between them, and
//! sets inner variables of a discipline. This is what learning agents act in.

use core::fmt;

use sojourn_base::{Span, Time};
use sojourn_engine::{Simulation, Watch};
use sojourn_measure::{Meter, Recorder, Sample, tables};
use sojourn_queue::Discipline;

use crate::build::{Draws, Plan};
use crate::error::{Located, Place};
use crate::inner;
use crate::outcome::Outcome;
use crate::run::{Failure, RunError, meter_for, sample, transfers_of};

/// A run that waits for its next step.
pub struct Episode {
    simulation: Simulation<Meter>,
    recorder: Recorder,
    groups: Vec<tables::Group>,
    /// Where measurements start, until they have.
    opening: Option<Time>,
    end: Time,
    file: String,
}

impl Episode {
    pub(crate) fn begin(
        plan: &Plan,
        draws: Draws,
        window: (Span, Span),
        transfers: bool,
        file: &str,
    ) -> Result<Self, RunError> {
        let meter = meter_for(plan, transfers);
        let mut simulation = plan
            .simulate(draws, meter)
            .map_err(|error| Failure::Located(error).in_file(file))?;
        let crossings = plan.crossings(&simulation);
        simulation.observer.cross(crossings);
        Ok(Self {
            simulation,
            recorder: Recorder::default(),
            groups: plan.groups(),
            opening: Some(Time::ZERO + window.0),
            end: Time::ZERO + window.1,
            file: file.to_owned(),
        })
    }

    /// The present instant.
    pub fn now(&self) -> Time {
        self.simulation.now()
    }

    /// Whether the simulated time is over.
    pub fn is_over(&self) -> bool {
        self.now() == self.end
    }

    /// Lets `interval` pass, or what is left of the time, and samples every link and flow at its
    /// end. Without any time left nothing happens.
    ///
    /// # Errors
    /// When `watch` ends it, the books do not balance or too many values were noted: the episode is
    /// then of no more use.
    pub fn advance(&mut self, interval: Span, watch: &dyn Watch) -> Result<(), RunError> {
        let until = self.end.min(self.now() + interval);
        if until == self.now() {
            return Ok(());
        }
        if let Some(opening) = self.opening.filter(|&opening| opening <= until) {
            self.run_until(opening, watch)?;
            Meter::open(&mut self.simulation, |meter| meter);
            self.opening = None;
        }
        self.run_until(until, watch)?;
        sample(&mut self.recorder, &mut self.simulation, |meter| meter).map_err(|what| {
            let error = Located::new(Place::File, "interval", what);
            RunError::Scenario(error.in_file(&self.file))
        })
    }

    fn run_until(&mut self, until: Time, watch: &dyn Watch) -> Result<(), RunError> {
        let stopped = self.simulation.run_until(until, watch);
        stopped.map_err(|stop| Failure::Stop(stop).in_file(&self.file))
    }

    /// What the last step showed: the values of time series, over that step.
    pub fn latest(&self) -> impl Iterator<Item = Sample<'_>> {
        self.recorder.latest()
    }

    /// Sets an inner variable of the discipline of a link; false if it has none of that name that
    /// can be set, or there is no such link.
    ///
    /// # Errors
    /// Says what was found and what is allowed where no variable of that name comes to `value`.
    pub fn poke(&mut self, link: &str, variable: &str, value: f64) -> Result<bool, String> {
        let mut links = self.simulation.links_mut().iter_mut();
        let Some(found) = links.find(|of| of.spec.name == link) else {
            return Ok(false);
        };
        let discipline = &mut found.spec.discipline;
        inner::may_be(discipline, variable, value)?;
        Ok(discipline.poke(variable, value))
    }

    /// Ends it: the tables of a run, and the samples as time series.
    ///
    /// # Errors
    /// When the books do not balance.
    pub fn finish(mut self) -> Result<Outcome, RunError> {
        if self.opening.is_some() {
            // It ends within its warm-up: nothing was measured.
            Meter::open(&mut self.simulation, |meter| meter);
        }
        let mut meter = core::mem::take(&mut self.simulation.observer);
        let tables = tables::take(&self.simulation, &meter, &self.groups);
        let transfers = transfers_of(&mut meter, &self.simulation)
            .map_err(|failure| failure.in_file(&self.file))?;
        let finished = self.simulation.finish();
        finished.map_err(RunError::Breach)?;
        Ok(Outcome {
            tables,
            series: self.recorder.finish(),
            transfers,
        })
    }
}

impl fmt::Debug for Episode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Episode at {} of {}", self.now(), self.end)
    }
}
