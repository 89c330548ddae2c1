//! What the laws are tried on: every discipline with its defaults, and with what `special.txt`
//! adds.

use std::sync::LazyLock;

use sojourn_base::Preset;
use sojourn_queue::{DISCIPLINES, find};

use crate::bench::{link, make};

/// Parameters as a scenario file writes them.
pub(crate) type Params = &'static [(&'static str, &'static str)];

/// A discipline as a scenario file would ask for it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) preset: Preset,
    pub(crate) params: Params,
}

/// Every discipline with its defaults and with what is special to it, under every preset that
/// takes it.
pub(crate) fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for preset in Preset::ALL {
        for entry in DISCIPLINES {
            let special = SPECIAL.iter().filter(|(name, _)| *name == entry.name);
            let all = std::iter::once(&[][..]).chain(special.map(|(_, params)| &params[..]));
            cases.extend(all.map(|params| Case {
                name: entry.name,
                preset,
                params,
            }));
        }
    }
    // Linux's RED takes weights that are powers of two, which some of the above are not.
    cases.retain(|case| make(case.name, case.params, case.preset, &link(8)).is_ok());
    cases
}

/// A discipline and its parameters.
type Line = (&'static str, Vec<(&'static str, &'static str)>);

/// The lines of `special.txt`: `discipline: parameter = value; parameter = value`.
static SPECIAL: LazyLock<Vec<Line>> = LazyLock::new(|| {
    let lines = include_str!("special.txt").lines();
    lines
        .filter(|line| !line.starts_with('#'))
        .map(read)
        .collect()
});

fn read(line: &'static str) -> Line {
    let (name, params) = line.split_once(": ").expect(line);
    let params = params
        .split("; ")
        .map(|param| param.split_once(" = ").expect(line));
    let params: Vec<_> = params.collect();
    let known = find(name).expect(line).params;
    for (key, _) in &params {
        assert!(
            known.iter().any(|param| param.name == *key),
            "{key}: {line}"
        );
    }
    let takes = |preset: &Preset| make(name, &params, *preset, &link(8)).is_ok();
    assert!(Preset::ALL.iter().any(takes), "no preset takes {line}");
    (name, params)
}
