//! Inner variables of a discipline at one instant.

use serde_json::{Map, Value};
use sojourn_engine::observer::Inside;
use sojourn_queue::ProbeValue;

/// Inner variables of a discipline, and of some of its queues of flows.
///
/// One is taken before each call, and there may be a thousand queues: names are kept once, and no
/// text is made of what nobody reads.
#[derive(Default)]
pub(super) struct Snapshot {
    names: Vec<String>,
    own: Vec<Variable>,
    flows: Vec<Variable>,
    /// The queues, and where in `flows` the variables of each end.
    queues: Vec<(usize, usize)>,
}

/// The number of a name, and the value.
type Variable = (usize, ProbeValue);

impl Snapshot {
    /// Takes those of `discipline` itself and of some of its queues.
    pub(super) fn take(&mut self, discipline: &Inside, queues: impl IntoIterator<Item = usize>) {
        let Self { names, .. } = self;
        self.own.clear();
        discipline.probe(&mut note(names, &mut self.own));
        self.flows.clear();
        self.queues.clear();
        for k in queues {
            discipline.probe_flow(k, &mut note(names, &mut self.flows));
            self.queues.push((k, self.flows.len()));
        }
    }

    /// Them as a JSON object; of the queues only the one of this number, with what stands before
    /// its names.
    pub(super) fn json(&self, queue: Option<&(usize, String)>) -> Vec<u8> {
        let mut shown = Map::new();
        for &(name, value) in &self.own {
            shown.insert(self.names[name].clone(), json(value));
        }
        if let Some((k, place)) = queue {
            for &(name, value) in self.flow(*k) {
                shown.insert(format!("{place}{}", self.names[name]), json(value));
            }
        }
        Value::Object(shown).to_string().into_bytes()
    }

    /// The variables of a queue; none if it was not taken.
    fn flow(&self, k: usize) -> &[Variable] {
        let Some(found) = self.queues.iter().position(|&(of, _)| of == k) else {
            return &[];
        };
        let begin = found
            .checked_sub(1)
            .map_or(0, |before| self.queues[before].1);
        &self.flows[begin..self.queues[found].1]
    }
}

/// Notes variables, whose names are looked for where they were the last time.
fn note<'a>(
    names: &'a mut Vec<String>,
    into: &'a mut Vec<Variable>,
) -> impl FnMut(&str, ProbeValue) + 'a {
    let mut next = into.last().map_or(0, |&(last, _)| last + 1);
    move |name, value| {
        let known = names.get(next).is_some_and(|expected| expected == name);
        if !known {
            let found = names.iter().position(|known| known == name);
            next = found.unwrap_or_else(|| {
                names.push(name.to_owned());
                names.len() - 1
            });
        }
        into.push((next, value));
        next += 1;
    }
}

fn json(value: ProbeValue) -> Value {
    match value {
        ProbeValue::Number(number) => Value::from(number),
        ProbeValue::Name(name) => Value::from(name),
    }
}
