//! The parameter that is a discipline inside another: `inner = "codel"`, or `"red(min_th = 5
//! packets, ecn = true)"`.

use sojourn_base::{
    BuildError, Entry, Fault, LinkInfo, ParamFault, ParamSet, ParamSource, Preset, Quantity, Scalar,
};

use crate::Packet;
use crate::registry::{AnyDiscipline, DISCIPLINES, build, find};

/// A discipline by its name, with its parameters.
#[derive(Debug, Clone)]
pub struct Inner {
    entry: &'static Entry,
    given: Vec<(String, String)>,
}

impl PartialEq for Inner {
    fn eq(&self, other: &Self) -> bool {
        self.entry.name == other.entry.name && self.given == other.given
    }
}

impl Quantity for Inner {
    const ALLOWED: &'static str =
        "a discipline such as \"codel\" or \"codel(target = 2 ms, ecn = true)\"";
    const SCHEMA: &'static str = r#"{"type": "string", "pattern": "^[a-z0-9_]+ ?([(].*[)])?$"}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        let Scalar::Text(text) = scalar else {
            return Err(Self::fault(scalar));
        };
        let (name, given) = parse(text).ok_or_else(|| Self::fault(scalar))?;
        let Some(entry) = find(name) else {
            let names: Vec<&str> = DISCIPLINES.iter().map(|entry| entry.name).collect();
            return Err(Fault::new(scalar, names.join(", ")));
        };
        for (key, _) in &given {
            let is_own = entry.params.iter().any(|param| param.name == key);
            if !is_own && key != "preset" {
                let names: Vec<&str> = entry.params.iter().map(|param| param.name).collect();
                let found = format!("{key} of {name}");
                return Err(Fault::new(found, names.join(", ")));
            }
        }
        Ok(Self { entry, given })
    }
}

/// A name, and keys with values between parentheses.
fn parse(text: &str) -> Option<(&str, Vec<(String, String)>)> {
    let text = text.trim();
    let Some((name, rest)) = text.split_once('(') else {
        return Some((text, Vec::new()));
    };
    let mut given = Vec::new();
    for pair in split(rest.strip_suffix(')')?)? {
        let (key, value) = pair.split_once('=')?;
        given.push((key.trim().to_owned(), value.trim().to_owned()));
    }
    Some((name.trim(), given))
}

/// The parts between commas, but for those within parentheses; none where one of these is missing.
pub fn split(text: &str) -> Option<Vec<&str>> {
    let (mut parts, mut begin, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    parts.push(&text[begin..]);
    (depth == 0).then_some(parts)
}

impl ParamSource for Inner {
    fn get(&self, name: &str) -> Option<Scalar<'_>> {
        let (_, text) = self.given.iter().find(|(key, _)| key == name)?;
        Some(Scalar::literal(text))
    }
}

impl Inner {
    /// The values of its parameters, as they are written.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        self.given.iter().map(|(_, value)| value.as_str())
    }

    /// The discipline, under its own preset or the outer one's.
    pub(super) fn build<P: Packet>(
        &self,
        preset: Preset,
        link: &LinkInfo,
    ) -> Result<AnyDiscipline<P>, ParamFault> {
        let preset = self.preset(preset)?;
        build(self.entry.name, self, preset, link).map_err(|error| match error {
            BuildError::Param(fault) => self.refused(fault.name, fault.fault),
            BuildError::Unknown => unreachable!("it was found in the registry"),
        })
    }

    /// What `make` makes of its parameters, if it is the discipline `name` under Linux's preset:
    /// for a discipline that Linux gives such a part instead of a discipline inside.
    ///
    /// # Errors
    /// A parameter that cannot be taken.
    pub(crate) fn of_linux<T: ParamSet, R>(
        &self,
        name: &str,
        outer: Preset,
        make: impl FnOnce(&T) -> Result<R, ParamFault>,
    ) -> Result<Option<R>, ParamFault> {
        let preset = self.preset(outer)?;
        if self.entry.name != name || preset != Preset::Linux {
            return Ok(None);
        }
        let result = T::read(self, preset).and_then(|params| make(&params));
        result
            .map(Some)
            .map_err(|fault| self.refused(fault.name, fault.fault))
    }

    /// Its own preset, or the outer one.
    fn preset(&self, outer: Preset) -> Result<Preset, ParamFault> {
        self.get("preset").map_or(Ok(outer), |given| {
            Preset::read(given).map_err(|fault| self.refused("preset", fault))
        })
    }

    /// What is wrong with one of its parameters, told of `inner`.
    fn refused(&self, key: &str, fault: Fault) -> ParamFault {
        let found = format!("{key} = {} in {}", fault.found, self.entry.name);
        ParamFault::new("inner", found, fault.allowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Inner, String> {
        Inner::read(Scalar::Text(text)).map_err(|fault| fault.to_string())
    }

    #[test]
    fn names_and_parameters() {
        let inner = read("prio(bands = 2, inner = codel(target = 2 ms, ecn = true), limit = none)");
        let inner = inner.unwrap();
        assert_eq!(inner.entry.name, "prio");
        assert_eq!(inner.get("bands"), Some(Scalar::Integer(2)));
        let nested = Scalar::Text("codel(target = 2 ms, ecn = true)");
        assert_eq!(inner.get("inner"), Some(nested));
        assert_eq!(read("codel").unwrap().given, []);
        assert_eq!(read("codel(limit=none)"), read(" codel(limit = none)"));
        assert_ne!(read("codel"), read("pie"));
        assert_ne!(read("codel"), read("codel(limit = none)"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let no = |text| read(text).unwrap_err();
        assert!(no("coddle").contains("red, ared"));
        assert!(no("codel(traget = 1 ms)").starts_with("found traget of codel; allowed: limit"));
        for text in [
            "codel(",
            "codel(target)",
            "codel(target = 1 ms))",
            "codel)(",
        ] {
            assert!(no(text).starts_with("found"), "{text}");
        }
    }
}
