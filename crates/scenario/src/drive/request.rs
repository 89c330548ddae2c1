//! A request: its fields, read and checked by name.

use serde_json::{Map, Value};
use sojourn_base::time::LONGEST_S;
use sojourn_base::{Ecn, Span, Time};

use crate::error::unknown;

/// A value as it stands in a request, cut short.
pub(super) fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 60 {
        return text;
    }
    text.chars().take(60).chain("...".chars()).collect()
}

/// The value of a field that must be there.
pub(super) fn needed<T>(name: &str, found: Option<T>) -> Result<T, String> {
    found.ok_or_else(|| format!("{name}: found nothing; it must be given"))
}

/// The fields of a request.
pub(super) struct Request<'a>(pub(super) &'a Map<String, Value>);

impl Request<'_> {
    /// Refuses what is none of these fields: misspelt, it would be as if it were not there.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), String> {
        let foreign = self.0.keys().find(|key| !known.contains(&key.as_str()));
        foreign.map_or(Ok(()), |key| {
            Err(format!("unknown key: {}", unknown(key, known)))
        })
    }

    /// A field that is there and not null.
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A text that must be there, for example `such_as`.
    pub(super) fn text(&self, name: &str, such_as: &str) -> Result<&str, String> {
        let found = self.get(name);
        found.and_then(Value::as_str).ok_or_else(|| {
            let found = found.map_or_else(|| "nothing".to_owned(), shown);
            format!("{name}: found {found}; allowed: {such_as}")
        })
    }

    /// A whole number of at most `most`, if the field is there.
    pub(super) fn whole(&self, name: &str, most: u64) -> Result<Option<u64>, String> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let number = value.as_u64().or_else(|| {
            let number = value.as_f64()?;
            (number >= 0.0 && number == number.trunc() && number < 1e18).then_some(number as u64)
        });
        number
            .filter(|&number| number <= most)
            .map(Some)
            .ok_or_else(|| {
                format!(
                    "{name}: found {}; allowed: a whole number from 0 to {most}",
                    shown(value)
                )
            })
    }

    /// A number, if the field is there.
    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, String> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let number = value.as_f64().map(Some);
        number.ok_or_else(|| format!("{name}: found {}; allowed: a number", shown(value)))
    }

    /// A time in seconds, if the field is there.
    pub(super) fn seconds(&self, name: &str) -> Result<Option<Span>, String> {
        let Some(number) = self.number(name)? else {
            return Ok(None);
        };
        if !(0.0..=LONGEST_S as f64).contains(&number) {
            let allowed = format!("seconds from 0 to {LONGEST_S}");
            return Err(format!("{name}: found {number}; allowed: {allowed}"));
        }
        Ok(Some(Span::from_s(number)))
    }

    /// The time of a request: not before `now`, that of the one before.
    pub(super) fn instant(&self, now: Time) -> Result<Time, String> {
        /// As far as the clock goes.
        const LAST_NS: u64 = u64::MAX / 1_000;
        let ns = self.whole("t_ns", LAST_NS)?;
        let instant = Time::from_ns(needed("t_ns", ns)?);
        if instant < now {
            let ns = now.as_ps() / 1_000;
            return Err(format!("t_ns: the clock runs backwards: it stands at {ns}"));
        }
        Ok(instant)
    }

    /// What random numbers begin with.
    pub(super) fn seed(&self) -> Result<u64, String> {
        Ok(self.whole("seed", u64::MAX)?.unwrap_or(1))
    }

    /// True or false; `usual` if the field is not there.
    pub(super) fn flag(&self, name: &str, usual: bool) -> Result<bool, String> {
        match self.get(name) {
            None => Ok(usual),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(format!(
                "{name}: found {}; allowed: true or false",
                shown(other)
            )),
        }
    }

    /// A table, if the field is there.
    pub(super) fn object(&self, name: &str) -> Result<Option<&Map<String, Value>>, String> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::Object(object)) => Ok(Some(object)),
            Some(other) => Err(format!(
                "{name}: found {}; allowed: an object",
                shown(other)
            )),
        }
    }

    /// The codepoint, `not` if none is given.
    pub(super) fn ecn(&self) -> Result<Ecn, String> {
        let Some(value) = self.get("ecn") else {
            return Ok(Ecn::NotEct);
        };
        value.as_str().and_then(Ecn::of_word).ok_or_else(|| {
            let (found, allowed) = (shown(value), "\"not\", \"ect0\", \"ect1\" or \"ce\"");
            format!("ecn: found {found}; allowed: {allowed}")
        })
    }
}
