//! What a driven packet acknowledges.

use serde_json::Value;
use sojourn_queue::{AckView, Sack};

use super::request::{Request, needed, shown};
const KNOWN: [&str; 7] = [
    "connection",
    "number",
    "pure",
    "ece",
    "cwr",
    "sack",
    "stamps",
];

impl Request<'_> {
    /// The field `ack`: connection 0, pure, without flags, SACK and timestamps unless it says else.
    pub(super) fn ack(&self) -> Result<Option<AckView>, String> {
        let Some(object) = self.object("ack")? else {
            return Ok(None);
        };
        let ack = Request(object);
        ack.only(&KNOWN).map_err(|what| format!("ack: {what}"))?;
        Ok(Some(AckView {
            connection: ack.whole("connection", u64::MAX)?.unwrap_or(0),
            number: needed("number", ack.whole("number", u64::MAX)?)?,
            pure: ack.flag("pure", true)?,
            ece: ack.flag("ece", false)?,
            cwr: ack.flag("cwr", false)?,
            sack: match ack.get("sack") {
                None => Sack::None,
                Some(value) => Sack::Blocks(blocks(value)?),
            },
            stamps: match ack.get("stamps") {
                None => None,
                Some(value) => Some(pair(value).ok_or_else(|| {
                    let found = shown(value);
                    format!("stamps: found {found}; allowed: a value and its echo, as [5, 3]")
                })?),
            },
        }))
    }
}

fn pair(value: &Value) -> Option<(u64, u64)> {
    match value.as_array()?.as_slice() {
        [first, second] => Some((first.as_u64()?, second.as_u64()?)),
        _ => None,
    }
}

fn blocks(value: &Value) -> Result<[(u64, u64); 4], String> {
    let mut blocks = [(0, 0); 4];
    let ranges = value.as_array().filter(|ranges| ranges.len() <= 4);
    let read = ranges.and_then(|ranges| {
        for (block, range) in blocks.iter_mut().zip(ranges) {
            *block = pair(range)?;
        }
        Some(blocks)
    });
    read.ok_or_else(|| {
        let found = shown(value);
        format!("sack: found {found}; allowed: up to four ranges, as [[3001, 4001]]")
    })
}
