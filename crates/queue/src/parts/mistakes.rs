//! Warnings of known mistakes, in the same words for all disciplines that can make them.

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, LinkInfo, Span};

use crate::Warning;

fn warning(param: &'static str, what: impl Into<String>) -> Warning {
    let what = what.into();
    Warning { param, what }
}

/// A capacity in bytes, packets taken for `packet` bytes each.
pub fn capacity_bytes(capacity: Capacity, packet: Bytes) -> f64 {
    match capacity {
        Capacity::Packets(packets) => packets as f64 * packet.as_f64(),
        Capacity::Bytes(bytes) => bytes as f64,
        Capacity::Unlimited => f64::INFINITY,
    }
}

/// How short a queue of full packets a discipline leaves alone, however long it has been there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exempt {
    /// None: `DualPI2` decides on a packet that waits for the one being sent.
    Nothing,
    /// The last packet: COBALT.
    Last,
    /// A packet with one behind it: CoDel (RFC 8289, 5.6).
    OneBehind,
    /// Less than two packets before an arrival: PIE (RFC 8033, appendix A) and PI2.
    LessThanTwo,
}

impl Exempt {
    const fn ends(self) -> &'static str {
        match self {
            Self::Nothing => "as soon as a packet waits",
            Self::Last => "once more than one packet waits",
            Self::OneBehind => "once more than one packet waits behind the first",
            Self::LessThanTwo => "once two packets wait before an arrival",
        }
    }
}

/// A target for the queueing delay: shorter than one packet takes, or longer than the queue can
/// ever get.
pub fn target(target: Span, exempt: Exempt, capacity: Capacity, link: &LinkInfo) -> Vec<Warning> {
    let mut found = Vec::new();
    let packet = link.rate.time_to_send(link.mtu);
    if target < packet {
        let what = format!(
            "{target} is less than the {packet} that one packet takes on this link: {}, the time to send it counts as a standing queue",
            exempt.ends()
        );
        found.push(warning("target", what));
    }
    if capacity_bytes(capacity, link.mtu) < link.rate.bytes_in(target) {
        let what = "the queue is full before its delay can reach the target: this is drop-tail";
        found.push(warning("limit", what));
    }
    found
}

/// A limit that the largest packet never fits into.
pub fn no_room(capacity: Capacity, mtu: Bytes) -> Option<Warning> {
    if capacity_bytes(capacity, mtu) >= mtu.as_f64() {
        return None;
    }
    let what = format!(
        "there is never room for a packet of {mtu}: all of that size are dropped, on an idle link too"
    );
    Some(warning("limit", what))
}

/// A reference for the queue's length that leaves no room above it; both in the same unit.
pub fn reference(room: f64, target: f64) -> Vec<Warning> {
    if room > target {
        return Vec::new();
    }
    let what = "the limit is not above the target: the queue can never stand above it, \
                so that the probability hardly ever rises (twice the target is advised)";
    vec![warning("limit", what)]
}

/// RED's thresholds beyond the limit, and `hard`, from where all is dropped; all in the same unit.
pub fn thresholds(room: f64, min: f64, max: f64, hard: f64) -> Vec<Warning> {
    let what = if room <= min {
        "the queue is full before the average can reach min_th: this is drop-tail"
    } else if room < max {
        "the queue is full before the average can reach max_th"
    } else if room < hard {
        "the gentle ramp ends at twice max_th, beyond the limit: its upper part is never reached"
    } else {
        return Vec::new();
    };
    vec![warning("max_th", what)]
}
