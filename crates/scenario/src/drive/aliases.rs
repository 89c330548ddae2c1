//! Parameters as a request gives them: under their own names or those of other programs.

use serde_json::Value;
use sojourn_base::{ParamSource, Preset, Quantity, Scalar};

use super::request::shown;

/// Names that other programs use, each with ours.
pub(super) type Aliases = [(&'static str, &'static str)];

/// Our name of what a request calls `key`.
pub(super) fn own_name<'a>(aliases: &Aliases, key: &'a str) -> &'a str {
    let found = aliases.iter().find(|(alias, _)| *alias == key);
    found.map_or(key, |(_, own)| own)
}

/// A value as a parameter reads it.
pub(super) enum Held {
    Text(String),
    Base(f64),
    Flag(bool),
}

impl Held {
    /// The value of `key`; none where it is null, which leaves a parameter at its default.
    pub(super) fn of(key: &str, value: &Value) -> Result<Option<Self>, String> {
        Ok(Some(match value {
            Value::Null => return Ok(None),
            Value::Bool(flag) => Self::Flag(*flag),
            Value::String(text) => Self::Text(text.clone()),
            Value::Number(number) => Self::Base(number.as_f64().unwrap_or(f64::NAN)),
            Value::Array(_) | Value::Object(_) => {
                let found = shown(value);
                return Err(format!(
                    "{key}: found {found}; allowed: a number, a text, true or false"
                ));
            }
        }))
    }
}

/// A parameter that is given.
struct Given<'a> {
    name: &'a str,
    /// What the request calls it.
    key: &'a str,
    held: Held,
}

/// The parameters of a request under their own names.
#[derive(Default)]
pub(super) struct Values<'a>(Vec<Given<'a>>);

impl<'a> Values<'a> {
    /// Takes the parameter `name`, which the request calls `key`; refuses a second one.
    pub(super) fn add(&mut self, name: &'a str, key: &'a str, held: Held) -> Result<(), String> {
        if let Some(first) = self.0.iter().find(|given| given.name == name) {
            let once = if first.key == name { key } else { first.key };
            return Err(format!("{name}: given twice, once as {once}"));
        }
        self.0.push(Given { name, key, held });
        Ok(())
    }

    /// All of them, to change.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = (&'a str, &mut Held)> {
        self.0.iter_mut().map(|given| (given.name, &mut given.held))
    }
}

impl ParamSource for Values<'_> {
    fn get(&self, name: &str) -> Option<Scalar<'_>> {
        let given = self.0.iter().find(|given| given.name == name)?;
        Some(match &given.held {
            Held::Text(text) => Scalar::Text(text),
            Held::Base(number) => Scalar::Base(*number),
            Held::Flag(flag) => Scalar::Flag(*flag),
        })
    }
}

/// The preset that a request names.
pub(super) fn preset(value: &Value) -> Result<Preset, String> {
    let text = value.as_str().unwrap_or_default();
    Preset::read(Scalar::Text(text))
        .map_err(|fault| format!("preset: found {}; allowed: {}", shown(value), fault.allowed))
}
