//! Runs one replica of one point.

use core::cell::Cell;
use core::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use sojourn_base::{Span, Time};
use sojourn_engine::{Breach, Observer, Simulation, Stop, Watch};
use sojourn_measure::{Meter, Recorder, TransferLog, TransferRow, tables};
use sojourn_trace::{EventLog, Ns2Trace, PcapngTrace, reason};

use crate::build::{Draws, Plan};
use crate::error::{Error, Located, Place};
use crate::outcome::Outcome;
use crate::trace::{Format, Trace, Unfinished};

/// How to run.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// Raised from outside to end the run early.
    pub cancel: &'a AtomicBool,
    /// Grows by a thousand while the run goes on, evenly by its simulated time.
    pub permille: &'a AtomicU64,
    /// Write a trace.
    pub trace: Option<Trace<'a>>,
    /// Where measurements start, in place of the scenario's warm-up.
    pub warmup: Option<Span>,
    /// The interval of the time series, in place of the scenario's.
    pub series: Option<Span>,
}

/// Sanity limit: a series has a row for each interval, and one for each link and flow.
pub(crate) const MOST_INTERVALS: u64 = 1_000_000;

/// More samples of links and flows than this fill most machines' memory: each is of several values.
pub(crate) const MOST_SAMPLES: u64 = 20_000_000;

/// More values than this do in any case. How many a sample has turns out as the run goes on.
pub(crate) const MOST_VALUES: u64 = if cfg!(test) { 1_000 } else { 100_000_000 };

/// More transfers than this have no rows: each has one.
const MOST_TRANSFERS: usize = if cfg!(test) { 100 } else { 20_000_000 };

/// A meter for the flows and links of a plan, which notes each of the `transfers` or does not.
pub(crate) fn meter_for(plan: &Plan, transfers: bool) -> Meter {
    let mut meter = Meter::new(plan.flow_names().count(), plan.link_names().count());
    meter.transfers = transfers.then(|| TransferLog::new(MOST_TRANSFERS));
    meter
}

/// The transfers of a run that ends now, where they are noted.
pub(crate) fn transfers_of<O: Observer>(
    meter: &mut Meter,
    simulation: &Simulation<O>,
) -> Result<Vec<TransferRow>, Failure> {
    let Some(log) = meter.transfers.take() else {
        return Ok(Vec::new());
    };
    log.finish(simulation).ok_or_else(|| {
        let what = format!("found more than {MOST_TRANSFERS}; allowed: false, or a shorter run");
        Failure::Located(Located::new(Place::File, "transfers", what))
    })
}

/// What is wrong with an interval of which there would be more.
pub(crate) fn too_many_intervals(interval: Span) -> String {
    format!("found more than {MOST_INTERVALS} intervals of {interval}; allowed: a longer interval")
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
            Self::Trace(error) => RunError::Trace(reason(&error)),
            Self::Located(located) => RunError::Scenario(located.in_file(file)),
        }
    }
}

/// One replica of one point.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Run<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) draws: Draws,
    /// Warm-up and duration.
    pub(crate) window: (Span, Span),
    pub(crate) series: Option<Span>,
    /// Whether each transfer has a row.
    pub(crate) transfers: bool,
    /// What captures say that they are of.
    pub(crate) title: &'a str,
}

pub(crate) fn run(run: &Run<'_>, options: &Options<'_>) -> Result<Outcome, Failure> {
    let plan = run.plan;
    let meter = meter_for(plan, run.transfers);
    let Some(trace) = options.trace else {
        return observe(run, options, meter, |meter| meter).map(|(outcome, _)| outcome);
    };
    let mut files = Unfinished::new(trace.stem);
    let outcome = match trace.format {
        Format::Ns2 => {
            let file = files.create(".tr").map_err(Failure::Trace)?;
            let (links, flows) = plan.trace_labels();
            let trace = Ns2Trace::new(file, links, flows);
            let (outcome, (_, trace)) = observe(run, options, (meter, trace), |both| &mut both.0)?;
            trace.finish().map_err(Failure::Trace)?;
            outcome
        }
        Format::Pcapng => {
            let network = plan.captured(run.title, &trace);
            let open = |name: &str| files.create(&format!("-{name}.pcapng"));
            let trace = PcapngTrace::new(network, open).map_err(Failure::Trace)?;
            let (outcome, (_, trace)) = observe(run, options, (meter, trace), |both| &mut both.0)?;
            trace.finish().map_err(Failure::Trace)?;
            outcome
        }
        Format::Events => {
            let file = files.create(".parquet").map_err(Failure::Trace)?;
            let flows = plan.flow_names().map(|(flow, _)| flow);
            let log = EventLog::new(file, plan.link_names(), flows).map_err(Failure::Trace)?;
            let (outcome, (_, log)) = observe(run, options, (meter, log), |both| &mut both.0)?;
            log.finish().map_err(Failure::Trace)?;
            outcome
        }
    };
    files.keep().map_err(Failure::Trace)?;
    Ok(outcome)
}

/// Ends a run where that was asked for, and tells how much of it is over.
struct Watched<'a> {
    options: &'a Options<'a>,
    /// Of its duration.
    thousandth: Span,
    /// How many of them have been reported.
    reported: Cell<u64>,
}

impl Watched<'_> {
    /// Tells that so many thousandths are over.
    fn tell(&self, permille: u64) {
        let more = permille - self.reported.replace(permille);
        self.options.permille.fetch_add(more, Ordering::Relaxed);
    }
}

impl Watch for Watched<'_> {
    fn goes_on(&self, now: Time) -> bool {
        let passed = now.as_ps().checked_div(self.thousandth.as_ps());
        self.tell(passed.unwrap_or(0).clamp(self.reported.get(), 1000));
        !self.options.cancel.load(Ordering::Relaxed)
    }
}

/// Runs under `observer`, of which `meter_of` finds the meter.
fn observe<O: Observer>(
    run: &Run<'_>,
    options: &Options<'_>,
    observer: O,
    meter_of: fn(&mut O) -> &mut Meter,
) -> Result<(Outcome, O), Failure> {
    let &Run {
        plan,
        draws,
        window: (warmup, duration),
        series,
        ..
    } = run;
    let mut simulation = plan.simulate(draws, observer).map_err(Failure::Located)?;
    let crossings = plan.crossings(&simulation);
    meter_of(&mut simulation.observer).cross(crossings);
    let mut recorder = Recorder::default();
    let (opening, end) = (Time::ZERO + warmup, Time::ZERO + duration);
    let watch = Watched {
        options,
        thousandth: Span::from_ps(duration.as_ps() / 1000),
        reported: Cell::new(0),
    };
    let mut next_sample = series.map_or(Time::NEVER, |interval| Time::ZERO + interval);
    let mut is_open = false;
    loop {
        let opens = if is_open { Time::NEVER } else { opening };
        let until = opens.min(next_sample).min(end);
        simulation.run_until(until, &watch).map_err(Failure::Stop)?;
        if until == opens {
            Meter::open(&mut simulation, meter_of);
            is_open = true;
        }
        if until == next_sample {
            sample(&mut recorder, &mut simulation, meter_of)
                .map_err(|what| Failure::Located(Located::new(Place::File, "series", what)))?;
            next_sample += series.unwrap_or_default();
        }
        if until == end {
            watch.tell(1000);
            break;
        }
    }
    let mut meter = core::mem::take(meter_of(&mut simulation.observer));
    let tables = tables::take(&simulation, &meter, &plan.groups());
    let transfers = transfers_of(&mut meter, &simulation)?;
    let observer = simulation
        .finish()
        .map_err(|breach| Failure::Stop(Stop::Breach(breach)))?;
    Ok((
        Outcome {
            tables,
            series: recorder.finish(),
            transfers,
        },
        observer,
    ))
}

/// Takes a sample: the meter is lent out of the observer meanwhile.
///
/// # Errors
/// When too many values were noted.
pub(crate) fn sample<O: Observer>(
    recorder: &mut Recorder,
    simulation: &mut Simulation<O>,
    meter_of: fn(&mut O) -> &mut Meter,
) -> Result<(), String> {
    let meter = core::mem::take(meter_of(&mut simulation.observer));
    recorder.sample(simulation, &meter);
    *meter_of(&mut simulation.observer) = meter;
    if recorder.values() > MOST_VALUES {
        return Err(format!(
            "found more than {MOST_VALUES} values by {}; allowed: a longer interval",
            simulation.now()
        ));
    }
    Ok(())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Scenario;

    fn run(text: &str, overrides: &[(&str, &str)]) -> Result<Outcome, RunError> {
        let cancel = AtomicBool::new(false);
        let permille = AtomicU64::new(0);
        let options = Options {
            cancel: &cancel,
            permille: &permille,
            trace: None,
            warmup: None,
            series: None,
        };
        let overrides = overrides.iter();
        let overrides: Vec<_> = overrides
            .map(|&(key, value)| (key.to_owned(), value.to_owned()))
            .collect();
        let scenario = Scenario::load(text, "x.toml", Path::new("."), &overrides).unwrap();
        scenario.run(0, 0, &options)
    }

    /// A link has seven values here and a flow of datagrams four: 1001 after 91 samples.
    #[test]
    fn a_run_ends_where_its_series_fill_memory() {
        let text = r#"
            name = "x"
            duration = "1 s"
            series = "10 ms"
            [[link]]
            name = "l"
            from = "a"
            to = "b"
            rate = "1 Mbit/s"
            queue = { discipline = "fq_codel" }
            [[flow]]
            name = "u"
            from = "a"
            to = "b"
            transport = { protocol = "udp", payload = "100 B" }
            traffic = { source = "cbr", rate = "100 kbit/s" }
        "#;
        let run = |duration| run(text, &[("duration", duration), ("warmup", "0 s")]);
        assert_eq!(run("0.9 s").unwrap().series.len(), 11);
        let error = run("1 s").unwrap_err().to_string();
        let says =
            "x.toml: series: found more than 1000 values by 0.91 s; allowed: a longer interval";
        assert_eq!(error, says);
    }

    /// A transfer takes half a millisecond, or a little more where an acknowledgement goes first.
    #[test]
    fn more_transfers_than_memory_should_hold_have_no_rows() {
        let text = r#"
            name = "x"
            duration = "50 ms"
            transfers = true
            [[link]]
            name = "l"
            from = "a"
            to = "b"
            rate = "8 Mbit/s"
            duplex = true
            [[flow]]
            name = "f"
            from = "a"
            to = "b"
            transport = { protocol = "tcp", header = "50 B" }
            traffic = { source = "request_response", request = "50 B", response = "350 B", think = "0 s" }
        "#;
        let rows = run(text, &[]).unwrap().transfers.len();
        assert!((80..=100).contains(&rows), "{rows}");
        let error = run(text, &[("duration", "65 ms")]).unwrap_err();
        let says = "x.toml: transfers: found more than 100; allowed: false, or a shorter run";
        assert_eq!(error.to_string(), says);
    }
}
