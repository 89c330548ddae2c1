//! How the rate of a link changes, as `changes` of a link or bottleneck says it: a list of instants
//! and rates, rates that follow each other in steps, or those of a trace of Mahimahi.

use std::sync::Arc;

use sojourn_base::{Bytes, Momentary, Preset, Span, Time};
use sojourn_engine::Change;

use crate::error::{Located, Place};
use crate::keys::{self, LinkChange, LinkSteps};
use crate::reader::{Reader, read_node};
use crate::tree::{Node, Table, Value};

const ALLOWED: &str = "tables such as { at = \"10 s\", rate = \"5 Mbit/s\" }, or one such as \
    { rates = [\"5 Mbit/s\", \"10 Mbit/s\"], step = \"10 s\" }";

/// What one opportunity of a trace of Mahimahi delivers (its manual page, mm-link(1)).
const OPPORTUNITY: Bytes = Bytes::new(1_500);

/// The changes of a link, the file of its rates not read yet.
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
    Steps(Rates, Span),
    /// The rate at which a trace of Mahimahi delivers in each step, and again from the first: the
    /// file has the milliseconds of its opportunities.
    Opportunities(String, Span),
}

#[derive(Debug, Clone)]
enum Rates {
    Given(Vec<Momentary>),
    /// Bits per second, one a line.
    File(String),
}

impl ChangesPlan {
    /// Reads the key `changes`; none where it is not there or says that nothing changes.
    pub(super) fn read(reader: &Reader<'_>) -> Result<Option<Self>, Located> {
        let Some(node) = reader.node("changes") else {
            return Ok(None);
        };
        let key = reader.key("changes");
        let when = match &node.value {
            Value::List(items) if items.is_empty() => return Ok(None),
            Value::List(items) => When::Listed(read_list(items, &key)?),
            Value::Table(table) => read_steps(table, node.place, &key)?,
            _ => {
                let message = format!("found {}; allowed: {ALLOWED}", node.shown());
                return Err(Located::new(node.place, key, message));
            }
        };
        let place = node.place;
        Ok(Some(Self { when, place, key }))
    }

    /// The file that its rates are in.
    pub(crate) fn file(&self) -> Option<&str> {
        match &self.when {
            When::Steps(Rates::File(file), _) | When::Opportunities(file, _) => Some(file),
            _ => None,
        }
    }

    /// When the first change comes.
    pub(super) fn begins(&self) -> Time {
        match &self.when {
            When::Listed(list) => list[0].at,
            When::Steps(..) | When::Opportunities(..) => Time::ZERO,
        }
    }

    /// The changes, and after how long they begin anew; `values` are those of its file. What is
    /// wrong with these, if anything.
    pub(crate) fn list(&self, values: &[f64]) -> Result<(Arc<[Change]>, Option<Span>), String> {
        let (rates, step) = match &self.when {
            When::Listed(list) => return Ok((list.clone(), None)),
            When::Steps(Rates::Given(rates), step) => (rates.clone(), *step),
            When::Steps(Rates::File(file), step) => (of_file(file, values)?, *step),
            When::Opportunities(file, step) => return of_opportunities(file, values, *step),
        };
        let mut at = Time::ZERO;
        let mut list = Vec::with_capacity(rates.len());
        for Momentary(rate) in rates {
            list.push(Change { at, rate });
            at += step;
        }
        Ok((list.into(), Some(at.since(Time::ZERO))))
    }
}

/// What a file says in bits per second, to whole ones.
fn of_file(file: &str, values: &[f64]) -> Result<Vec<Momentary>, String> {
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
        list.push(Change { at, rate });
        from = to;
    }
    Ok((list.into(), Some(end)))
}

/// What is wrong with rates that are outages alone.
const NO_RATE: &str = "found no rate above zero";

fn sends_nothing(rates: &[Momentary]) -> bool {
    rates.iter().all(|rate| rate.0.is_none())
}

fn read_list(items: &[Node], key: &str) -> Result<Arc<[Change]>, Located> {
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
        let rate = change.rate.0;
        list.push(Change { at, rate });
    }
    Ok(list.into())
}

fn read_steps(table: &Table, place: Place, key: &str) -> Result<When, Located> {
    let reader = Reader::new(table, place, key);
    reader.only(&keys::keys_of::<LinkSteps>(keys::STEPS_TABLES))?;
    let LinkSteps { step } = reader.read(Preset::Reference)?;
    if step == Span::ZERO {
        return Err(reader.error("step", format!("found {step}; allowed: above zero")));
    }
    if let Some(node) = reader.node("opportunities") {
        let allowed = "a file of milliseconds, as Mahimahi's mm-link takes it, and no rates";
        let Value::Text(file) = &node.value else {
            let message = format!("found {}; allowed: {allowed}", node.shown());
            return Err(reader.error("opportunities", message));
        };
        if reader.node("rates").is_some() {
            let message = format!("found both rates and opportunities; allowed: {allowed}");
            return Err(reader.error("opportunities", message));
        }
        return Ok(When::Opportunities(file.clone(), step));
    }
    let allowed = "rates such as [\"5 Mbit/s\", \"10 Mbit/s\"], or a file of bits per second";
    let Some(node) = reader.node("rates") else {
        return Err(reader.error("rates", format!("found nothing; allowed: {allowed}")));
    };
    let rates = match &node.value {
        Value::Text(file) => Rates::File(file.clone()),
        Value::List(items) => {
            let key = reader.key("rates");
            let rates = items.iter().map(|item| read_node(item, &key));
            Rates::Given(rates.collect::<Result<_, _>>()?)
        }
        _ => {
            let message = format!("found {}; allowed: {allowed}", node.shown());
            return Err(reader.error("rates", message));
        }
    };
    if let Rates::Given(rates) = &rates
        && sends_nothing(rates)
    {
        return Err(reader.error("rates", NO_RATE));
    }
    Ok(When::Steps(rates, step))
}
