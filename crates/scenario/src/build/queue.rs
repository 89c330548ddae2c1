//! The discipline of a link.

use sojourn_base::{LinkInfo, Preset, Stream};
use sojourn_engine::SimPacket;
use sojourn_queue::{AnyDiscipline, PolicyQueue};

use super::kind::{kind, only};
use crate::error::{Located, unknown};
use crate::network::LinkPlan;
use crate::outside::{Makers, Outside, Wanted, is_outside, params_of};
use crate::reader::Reader;
use crate::tree::{Node, Table, Value};

impl LinkPlan {
    /// The discipline of the link and its preset; one from outside may draw its first state from
    /// the stream that is its own.
    pub(super) fn discipline(
        &self,
        info: &LinkInfo,
        outside: &Outside,
        random: &mut Stream,
    ) -> Result<(AnyDiscipline<SimPacket>, Preset), Located> {
        let empty = Node {
            place: self.place,
            value: Value::Table(Table::default()),
        };
        let key = format!("link.{}.queue", self.name);
        let (node, key) = self
            .queue
            .as_ref()
            .map_or((&empty, &key), |(node, key)| (node, key));
        let place = format!("link {}", self.name);
        read_discipline(node, key, info, &*outside.0, &place, random)
    }
}

/// The discipline that a queue's table names, and its preset. Makers of one from outside are told
/// that it is for `place`, and it may draw its first state from `random`.
pub(crate) fn read_discipline(
    node: &Node,
    key: &str,
    info: &LinkInfo,
    makers: &dyn Makers,
    place: &str,
    random: &mut Stream,
) -> Result<(AnyDiscipline<SimPacket>, Preset), Located> {
    let reader = Reader::of(node, key)?;
    if let Some(name) = reader.node("discipline").and_then(Node::text)
        && is_outside(name)
    {
        let params = &params_of(&reader, &["discipline"]);
        let wanted = Wanted {
            name,
            params,
            place,
        };
        let made = makers.policy(&wanted, info);
        let policy = made.map_err(|refusal| refusal.located(&reader, "discipline"))?;
        let custom = AnyDiscipline::Custom(Box::new(PolicyQueue::new(policy, random)));
        return Ok((custom, Preset::Reference));
    }
    let known: Vec<&str> = sojourn_queue::DISCIPLINES
        .iter()
        .map(|entry| entry.name)
        .collect();
    let (name, preset) = kind(&reader, "discipline", Some("droptail"), &known)?;
    let params = sojourn_queue::find(name).map_or(&[][..], |entry| entry.params);
    only(&reader, &["discipline", "preset"], params)?;
    match sojourn_queue::build(name, &reader, preset, info) {
        Ok(discipline) => Ok((discipline, preset)),
        Err(sojourn_queue::BuildError::Param(fault)) => Err(reader.fault(&fault)),
        Err(sojourn_queue::BuildError::Unknown) => {
            Err(reader.error("discipline", unknown(name, &known)))
        }
    }
}
