//! Captures and tables of arrivals that sources play back.

use std::collections::BTreeMap;
use std::io::Read;
use std::sync::Arc;

use sojourn_base::{Bytes, Networks, Time};
use sojourn_trace::Arrivals;
use sojourn_trace::arrivals::ReadError;
use sojourn_traffic::{Recorded, Recording};

/// Names of flows that a message shows.
const SHOWN: usize = 5;

/// Reads what `wanted` names, out of its file. Gives the message of what is wrong.
pub(super) fn read(
    source: impl Read + Send + 'static,
    wanted: &Recording,
) -> Result<Arc<[Recorded]>, String> {
    let Recording {
        file,
        interface,
        sender,
        flow,
        ..
    } = wanted;
    let said = |error: ReadError| error.to_string();
    let mut arrivals = Arrivals::read(file, source).map_err(said)?;
    if interface != Recording::ALL {
        arrivals = arrivals.only(interface).map_err(said)?;
    }
    if let Some(senders) = Networks::parse(sender) {
        arrivals = arrivals.sent_by(senders).map_err(said)?;
    }
    // By what tells them apart: whether it is played, and its name.
    let mut flows: BTreeMap<u64, (bool, String)> = BTreeMap::new();
    let mut packets = Vec::new();
    while let Some(arrival) = arrivals.next() {
        let arrival = arrival.map_err(said)?;
        let (is_played, _) = flows.entry(arrival.flow).or_insert_with(|| {
            let name = arrivals.flow_name();
            (flow == Recording::ALL || *flow == name, name)
        });
        if *is_played {
            packets.push(Recorded {
                after: arrival.time.since(Time::ZERO),
                size: Bytes::new(u64::from(arrival.size)),
            });
        }
    }
    if !packets.is_empty() {
        Ok(packets.into())
    } else if flows.is_empty() {
        Err(format!("{file}: found no packet"))
    } else {
        let mut names: Vec<String> = flows
            .values()
            .map(|(_, name)| format!("{name:?}"))
            .collect();
        names.sort_unstable();
        let more = names.len().saturating_sub(SHOWN);
        names.truncate(SHOWN);
        if more > 0 {
            names.push(format!("{more} others"));
        }
        let names = names.join(", ");
        Err(format!(
            "{file}: found no flow {flow:?}; allowed: \"all\", or one of {names}"
        ))
    }
}
