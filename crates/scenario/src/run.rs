//! Runs one replica of one point.

use core::fmt;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use sojourn_base::{Span, Time};
use sojourn_engine::{Breach, Observer, Simulation, Stop};
use sojourn_measure::{Meter, Recorder, tables};
use sojourn_trace::Ns2Trace;

use crate::build::{Draws, Plan};
use crate::error::{Error, Located};
use crate::scenario::Outcome;

/// How to run.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Raised from outside to end the run early.
    pub cancel: &'a AtomicBool,
    /// Write an ns-2 trace to this file.
    pub ns2_trace: Option<&'a Path>,
}

/// Why a run has no result.
#[derive(Debug)]
pub enum RunError {
    /// It was cancelled.
    Cancelled,
    /// The books do not balance.
    Breach(Breach),
    /// The trace could not be written.
    Trace(String),
    /// The scenario cannot be run after all.
    Scenario(Error),
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cancelled => f.write_str("cancelled"),
            Self::Breach(breach) => breach.fmt(f),
            Self::Trace(what) => write!(f, "the trace cannot be written: {what}"),
            Self::Scenario(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for RunError {}

/// The same before the name of the file is known.
pub(crate) enum Failure {
    Stop(Stop),
    Trace(std::io::Error),
    Located(Located),
}

impl Failure {
    pub(crate) fn in_file(self, file: &str) -> RunError {
        match self {
            Self::Stop(Stop::Cancelled) => RunError::Cancelled,
            Self::Stop(Stop::Breach(breach)) => RunError::Breach(breach),
            Self::Trace(error) => RunError::Trace(error.to_string()),
            Self::Located(located) => RunError::Scenario(located.in_file(file)),
        }
    }
}

pub(crate) fn run(
    plan: &Plan,
    draws: Draws,
    window: (Span, Span),
    series: Option<Span>,
    options: &Options<'_>,
) -> Result<Outcome, Failure> {
    let meter = Meter::new(&plan.headers(), plan.link_names().count());
    let Some(path) = options.ns2_trace else {
        return observe(plan, draws, window, series, options, meter, |meter| meter).map(|(o, _)| o);
    };
    // A trace that is cut off must not look like a whole one.
    let unfinished = path.with_added_extension("part");
    let traced = trace_into(&unfinished, plan, draws, window, series, options, meter);
    let outcome = traced.inspect_err(|_| drop(std::fs::remove_file(&unfinished)))?;
    std::fs::rename(&unfinished, path).map_err(Failure::Trace)?;
    Ok(outcome)
}

fn trace_into(
    path: &Path,
    plan: &Plan,
    draws: Draws,
    window: (Span, Span),
    series: Option<Span>,
    options: &Options<'_>,
    meter: Meter,
) -> Result<Outcome, Failure> {
    let file = File::create(path).map_err(Failure::Trace)?;
    let (links, flows) = plan.trace_labels();
    let trace = Ns2Trace::new(BufWriter::new(file), links, flows);
    let (outcome, (_, trace)) = observe(
        plan,
        draws,
        window,
        series,
        options,
        (meter, trace),
        |(meter, _)| meter,
    )?;
    trace.finish().map_err(Failure::Trace)?;
    Ok(outcome)
}

/// Runs under `observer`, of which `meter_of` finds the meter.
fn observe<O: Observer>(
    plan: &Plan,
    draws: Draws,
    (warmup, duration): (Span, Span),
    series: Option<Span>,
    options: &Options<'_>,
    observer: O,
    meter_of: fn(&mut O) -> &mut Meter,
) -> Result<(Outcome, O), Failure> {
    let mut simulation = plan.simulate(draws, observer).map_err(Failure::Located)?;
    let mut recorder = Recorder::default();
    let (opening, end) = (Time::ZERO + warmup, Time::ZERO + duration);
    let advance = |simulation: &mut Simulation<O>, until: Time| {
        simulation
            .run_until(until, options.cancel)
            .map_err(Failure::Stop)
    };
    let mut next_sample = series.map_or(Time::NEVER, |interval| Time::ZERO + interval);
    let mut is_open = false;
    loop {
        let opens = if is_open { Time::NEVER } else { opening };
        let until = opens.min(next_sample).min(end);
        advance(&mut simulation, until)?;
        if until == opens {
            Meter::open(&mut simulation, meter_of);
            is_open = true;
        }
        if until == next_sample {
            sample(&mut recorder, &mut simulation, meter_of);
            next_sample += series.unwrap_or_default();
        }
        if until == end {
            break;
        }
    }
    let meter = core::mem::take(meter_of(&mut simulation.observer));
    let tables = tables::take(&simulation, &meter, &plan.groups());
    let observer = simulation
        .finish()
        .map_err(|breach| Failure::Stop(Stop::Breach(breach)))?;
    Ok((
        Outcome {
            tables,
            series: recorder.finish(),
        },
        observer,
    ))
}

/// Takes a sample: the meter is lent out of the observer meanwhile.
fn sample<O: Observer>(
    recorder: &mut Recorder,
    simulation: &mut Simulation<O>,
    meter_of: fn(&mut O) -> &mut Meter,
) {
    let meter = core::mem::take(meter_of(&mut simulation.observer));
    recorder.sample(simulation, &meter);
    *meter_of(&mut simulation.observer) = meter;
}
