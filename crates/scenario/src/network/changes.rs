//! How the rate and the delay of a link change, as `changes` of a link or bottleneck says it: a
//! list of instants, rates and delays that follow each other in steps, or the rates of a trace of
//! Mahimahi.

use std::sync::Arc;

use sojourn_base::time::LONGEST_S;
use sojourn_base::{Bytes, Momentary, Optional, Preset, Quantity, Rate, Span, Time};
use sojourn_engine::Change;

use crate::error::{Located, Place};
use crate::keys::{self, LinkChange, LinkSteps};
use crate::reader::{Reader, read_node};
use crate::tree::{Node, Table, Value};

const ALLOWED: &str = "tables such as { at = \"10 s\", rate = \"5 Mbit/s\" }, or one such as \
    { rates = [\"5 Mbit/s\", \"10 Mbit/s\"], step = \"10 s\" }";

const RATES: &str = "rates such as [\"5 Mbit/s\", \"10 Mbit/s\"], or a file of bits per second";
const DELAYS: &str = "times such as [\"20 ms\", \"60 ms\"], or a file of seconds";

/// What one opportunity of a trace of Mahimahi delivers (its manual page, mm-link(1)).
const OPPORTUNITY: Bytes = Bytes::new(1_500);

/// Sanity limit: each change takes time, whether packets come or not.
const MOST_CHANGES: u64 = 10_000_000;

/// What is wrong with a step of which there would be more.
fn too_many_changes(step: Span) -> String {
    format!("found more than {MOST_CHANGES} changes, one each {step}; allowed: a longer step")
}

/// The changes of a link, its files not read yet.
#[derive(Debug, Clone)]
pub(crate) struct ChangesPlan {
    when: When,
    pub(crate) place: Place,
    /// Its dotted key.
    pub(crate) key: String,
}

#[derive(Debug, Clone)]
enum When {
    /// At these instants.
    Listed(Arc<[Change]>),
    /// One after the other, each for so long, and again from the first.
    Steps {
        rates: Option<Steps<Momentary>>,
        delays: Option<Steps<Span>>,
        step: Span,
    },
    /// The rate at which a trace of Mahimahi delivers in each step, and again from the first: the
    /// file has the milliseconds of its opportunities.
    Opportunities(String, Span),
}

#[derive(Debug, Clone)]
enum Steps<T> {
    Given(Vec<T>),
    /// One a line.
    File(String),
}

impl ChangesPlan {
    /// Reads the key `changes` of a link of that rate, in a run of that duration; none where it is
    /// not there or says that nothing changes.
    pub(super) fn read(
        reader: &Reader<'_>,
        rate: Rate,
        duration: Span,
    ) -> Result<Option<Self>, Located> {
        let Some(node) = reader.node("changes") else {
            return Ok(None);
        };
        let key = reader.key("changes");
        let when = match &node.value {
            Value::List(items) if items.is_empty() => return Ok(None),
            Value::List(items) => When::Listed(read_list(items, &key, rate)?),
            Value::Table(table) => read_steps(table, node.place, &key, duration)?,
            _ => {
                let message = format!("found {}; allowed: {ALLOWED}", node.shown());
                return Err(Located::new(node.place, key, message));
            }
        };
        let place = node.place;
        Ok(Some(Self { when, place, key }))
    }

    /// The files that its rates and delays are in.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        let files = match &self.when {
            When::Listed(_) => [None, None],
            When::Steps { rates, delays, .. } => [
                rates.as_ref().and_then(Steps::file),
                delays.as_ref().and_then(Steps::file),
            ],
            When::Opportunities(file, _) => [Some(file.as_str()), None],
        };
        files.into_iter().flatten()
    }

    /// When the first change comes.
    pub(super) fn begins(&self) -> Time {
        match &self.when {
            When::Listed(list) => list[0].at,
            When::Steps { .. } | When::Opportunities(..) => Time::ZERO,
        }
    }

    /// Whether it may change the rate of a link of that rate.
    pub(crate) fn of_rate(&self, rate: Rate) -> bool {
        match &self.when {
            When::Listed(list) => list.iter().any(|change| change.rate != Some(rate)),
            When::Steps { rates, .. } => rates.is_some(),
            When::Opportunities(..) => true,
        }
    }

    /// Whether it may change the delay.
    pub(crate) fn of_delay(&self) -> bool {
        match &self.when {
            When::Listed(list) => list.iter().any(|change| change.delay.is_some()),
            When::Steps { delays, .. } => delays.is_some(),
            When::Opportunities(..) => false,
        }
    }

    /// The changes of a link of that rate, and after how long they begin anew; `values` are those
    /// of its files. What is wrong with these, if anything.
    pub(crate) fn list<'a>(
        &self,
        rate: Rate,
        values: impl Fn(&str) -> &'a [f64],
    ) -> Result<(Arc<[Change]>, Option<Span>), String> {
        let (rates, delays, step) = match &self.when {
            When::Listed(list) => return Ok((list.clone(), None)),
            When::Steps {
                rates,
                delays,
                step,
            } => (rates, delays, *step),
            When::Opportunities(file, step) => {
                return of_opportunities(file, values(file), *step);
            }
        };
        let rates = rates
            .as_ref()
            .map(|rates| rates.all(&values, rates_of_file));
        let delays = delays
            .as_ref()
            .map(|delays| delays.all(&values, delays_of_file));
        let (rates, delays) = (rates.transpose()?, delays.transpose()?);
        let [steps, others] = [
            rates.as_ref().map_or(0, Vec::len),
            delays.as_ref().map_or(0, Vec::len),
        ];
        if rates.is_some() && delays.is_some() && steps != others {
            return Err(format!(
                "found {steps} rates and {others} delays; allowed: as many of both"
            ));
        }
        let mut at = Time::ZERO;
        let mut list = Vec::new();
        for k in 0..steps.max(others) {
            let rate = rates.as_ref().map_or(Some(rate), |rates| rates[k].0);
            let delay = delays.as_ref().map(|delays| delays[k]);
            list.push(Change { at, rate, delay });
            at += step;
        }
        Ok((list.into(), Some(at.since(Time::ZERO))))
    }
}

impl<T: Clone> Steps<T> {
    fn file(&self) -> Option<&str> {
        match self {
            Self::Given(_) => None,
            Self::File(file) => Some(file),
        }
    }

    /// All of them, in their order; `of_file` makes them of what a file of that name has.
    fn all<'a>(
        &self,
        values: &impl Fn(&str) -> &'a [f64],
        of_file: fn(&str, &[f64]) -> Result<Vec<T>, String>,
    ) -> Result<Vec<T>, String> {
        match self {
            Self::Given(given) => Ok(given.clone()),
            Self::File(file) => of_file(file, values(file)),
        }
    }
}

/// What a file says in seconds.
fn delays_of_file(file: &str, values: &[f64]) -> Result<Vec<Span>, String> {
    let delays = values.iter().map(|&s| {
        let is_time = s <= LONGEST_S as f64;
        is_time
            .then(|| Span::from_s(s))
            .ok_or_else(|| format!("{file}: found {s}; allowed: seconds, at most {LONGEST_S}"))
    });
    delays.collect()
}

/// What a file says in bits per second, to whole ones.
fn rates_of_file(file: &str, values: &[f64]) -> Result<Vec<Momentary>, String> {
    let rates = values.iter().map(|&bps| {
        Momentary::from_bps(bps.round() as u64).ok_or_else(|| {
            format!("{file}: found {bps}; allowed: bits per second, at most 10000 Gbit/s")
        })
    });
    let rates = rates.collect::<Result<Vec<_>, _>>()?;
    if sends_nothing(&rates) {
        return Err(format!("{file}: {NO_RATE}"));
    }
    Ok(rates)
}

/// What a trace of Mahimahi delivers in each step, at an even pace; after its last opportunity it
/// begins anew.
fn of_opportunities(
    file: &str,
    values: &[f64],
    step: Span,
) -> Result<(Arc<[Change]>, Option<Span>), String> {
    if let Some(pair) = values.windows(2).find(|pair| pair[1] < pair[0]) {
        let [before, found] = [pair[0], pair[1]];
        return Err(format!(
            "{file}: found {found} behind {before}; allowed: milliseconds, each at least the one before"
        ));
    }
    let end = values
        .last()
        .map_or(Span::ZERO, |ms| Span::from_s(ms / 1e3));
    if end.as_ps() / step.as_ps() > MOST_CHANGES {
        return Err(format!("{file}: {}", too_many_changes(step)));
    }
    let mut left = values.iter().map(|ms| Span::from_s(ms / 1e3)).peekable();
    let mut list = Vec::new();
    let mut from = Span::ZERO;
    while from < end {
        let to = (from + step).min(end);
        let mut delivered = Bytes::ZERO;
        while left.next_if(|&at| at <= to).is_some() {
            delivered += OPPORTUNITY;
        }
        let bps = delivered.as_f64() * 8.0 / (to - from).as_s();
        let Momentary(rate) = Momentary::from_bps(bps.round() as u64).ok_or_else(|| {
            format!("{file}: found {bps} bit/s from {from} to {to}; allowed: at most 10000 Gbit/s")
        })?;
        let at = Time::ZERO + from;
        let delay = None;
        list.push(Change { at, rate, delay });
        from = to;
    }
    Ok((list.into(), Some(end)))
}

/// What is wrong with rates that are outages alone.
const NO_RATE: &str = "found no rate above zero";

fn sends_nothing(rates: &[Momentary]) -> bool {
    rates.iter().all(|rate| rate.0.is_none())
}

fn read_list(items: &[Node], key: &str, at_first: Rate) -> Result<Arc<[Change]>, Located> {
    let mut list: Vec<Change> = Vec::with_capacity(items.len());
    for item in items {
        let Value::Table(_) = item.value else {
            let message = format!("found {}; allowed: {ALLOWED}", item.shown());
            return Err(Located::new(item.place, key, message));
        };
        let reader = Reader::of(item, key)?;
        reader.only(&keys::keys_of::<LinkChange>(&[]))?;
        let change: LinkChange = reader.read(Preset::Reference)?;
        let at = Time::ZERO + change.at;
        if let Some(last) = list.last().filter(|last| last.at >= at) {
            let before = last.at.since(Time::ZERO);
            let message = format!("found {} behind {before}; allowed: later", change.at);
            return Err(reader.error("at", message));
        }
        let (rate, Optional(delay)) = (change.rate.0, change.delay);
        if rate.is_none() && delay.is_none() {
            let message = "found neither a rate nor a delay; allowed: one of them or both";
            return Err(Located::new(item.place, key, message));
        }
        let stays = || list.last().map_or(Some(at_first), |last| last.rate);
        let rate = rate.map_or_else(stays, |Momentary(rate)| rate);
        list.push(Change { at, rate, delay });
    }
    Ok(list.into())
}

fn read_steps(table: &Table, place: Place, key: &str, duration: Span) -> Result<When, Located> {
    let reader = Reader::new(table, place, key);
    reader.only(&keys::keys_of::<LinkSteps>(keys::STEPS_NESTED))?;
    let LinkSteps { step } = reader.read(Preset::Reference)?;
    if step == Span::ZERO {
        return Err(reader.error("step", format!("found {step}; allowed: above zero")));
    }
    if duration.as_ps() / step.as_ps() > MOST_CHANGES {
        return Err(reader.error("step", too_many_changes(step)));
    }
    if let Some(node) = reader.node("opportunities") {
        let allowed =
            "a file of milliseconds, as Mahimahi's mm-link takes it, and no rates or delays";
        let Value::Text(file) = &node.value else {
            let message = format!("found {}; allowed: {allowed}", node.shown());
            return Err(reader.error("opportunities", message));
        };
        if let Some(other) = ["rates", "delays"]
            .into_iter()
            .find(|key| reader.node(key).is_some())
        {
            let message = format!("found both {other} and opportunities; allowed: {allowed}");
            return Err(reader.error("opportunities", message));
        }
        return Ok(When::Opportunities(file.clone(), step));
    }
    let rates = read_follow(&reader, "rates", RATES)?;
    let delays = read_follow(&reader, "delays", DELAYS)?;
    if rates.is_none() && delays.is_none() {
        let message = format!("found nothing, and no delays; allowed: {RATES}");
        return Err(reader.error("rates", message));
    }
    if let Some(Steps::Given(rates)) = &rates
        && sends_nothing(rates)
    {
        return Err(reader.error("rates", NO_RATE));
    }
    Ok(When::Steps {
        rates,
        delays,
        step,
    })
}

/// What follows each other in steps, under a key of the table.
fn read_follow<T: Quantity>(
    reader: &Reader<'_>,
    key: &str,
    allowed: &str,
) -> Result<Option<Steps<T>>, Located> {
    let Some(node) = reader.node(key) else {
        return Ok(None);
    };
    let refused = |found: String| reader.error(key, format!("found {found}; allowed: {allowed}"));
    match &node.value {
        Value::Text(file) => Ok(Some(Steps::File(file.clone()))),
        Value::List(items) if items.is_empty() => Err(refused("none".to_owned())),
        Value::List(items) => {
            let key = reader.key(key);
            let given = items.iter().map(|item| read_node(item, &key));
            Ok(Some(Steps::Given(given.collect::<Result<_, _>>()?)))
        }
        _ => Err(refused(node.shown())),
    }
}
