//! The head of a file: simulated time, replicas, series.

use sojourn_base::{Auto, ParamSet, Preset, Span};

use crate::error::{Located, Place};
use crate::keys::{self, Top};
use crate::reader::Reader;
use crate::run::{MOST_INTERVALS, MOST_SAMPLES, too_many_intervals};
use crate::tree::Table;

/// Half of what 64-bit picoseconds hold, so that no sum of delays overflows.
const LONGEST: Span = Span::from_whole_s(100 * 24 * 3600);

/// Keys that no result of a point depends on.
pub(crate) const NO_RESULT: &[&str] = &[
    "name",
    "title",
    "replicas",
    "precision",
    "precision_of",
    "max_replicas",
];

/// Reads and checks the head of a file.
pub(crate) fn read_top(tree: &Table) -> Result<Top, Located> {
    let reader = Reader::new(tree, Place::File, "");
    let sections = keys::SECTIONS.iter().map(|(name, _)| *name);
    reader.only(&keys::names(Top::PARAMS).chain(sections).collect::<Vec<_>>())?;
    let top: Top = reader.read(Preset::Reference)?;
    if top.duration == Span::ZERO || top.duration > LONGEST {
        let message = format!(
            "found {}; allowed: above zero and at most 100 days",
            top.duration
        );
        return Err(reader.error("duration", message));
    }
    if let Auto::Given(warmup) = top.warmup.0
        && warmup >= top.duration
    {
        let message = format!(
            "found {warmup}; allowed: less than the duration, {}",
            top.duration
        );
        return Err(reader.error("warmup", message));
    }
    // Said to be "none" it is put off, and what belongs to it may stay.
    if reader.node("precision").is_none() {
        let given = |key: &&str| reader.node(key).is_some();
        if let Some(key) = ["precision_of", "max_replicas"].into_iter().find(given) {
            let message =
                "found it without a precision; allowed: beside one, such as precision = \"5%\"";
            return Err(reader.error(key, message));
        }
    }
    if let Some(interval) = top.series.0 {
        check_series(interval, top.duration).map_err(|what| reader.error("series", what))?;
    }
    Ok(top)
}

/// Sees to it that a series over `duration` has values, and not too many.
pub(crate) fn check_series(interval: Span, duration: Span) -> Result<(), String> {
    if interval == Span::ZERO {
        return Err("found 0 s; allowed: a time above zero".to_owned());
    }
    if interval > duration {
        return Err(format!(
            "found {interval}; allowed: at most the duration, {duration}"
        ));
    }
    if duration.as_ps() / interval.as_ps() > MOST_INTERVALS {
        return Err(too_many_intervals(interval));
    }
    Ok(())
}

/// Sees to it that memory holds what is noted of so many links and flows.
pub(crate) fn check_samples(interval: Span, duration: Span, parts: usize) -> Result<(), String> {
    let intervals = duration.as_ps() / interval.as_ps();
    if intervals.saturating_mul(parts as u64) > MOST_SAMPLES {
        return Err(format!(
            "found {intervals} intervals of {interval}, each with the values of {parts} links and \
             flows; allowed: at most {MOST_SAMPLES} of both together, so a longer interval"
        ));
    }
    Ok(())
}
