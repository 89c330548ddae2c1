//! What the comments of a capture say.

use sojourn_queue::Reason;

use super::{Flow, Network, Over};
use crate::frames::{Ends, Frame, UDP_HEADERS, tcp::shift_of};

/// The most flows whose addresses the comment of a file lists.
const LISTED: usize = 200;

/// The comment of a file: what it is, and which addresses are which flow.
pub(super) fn of_file(network: &Network, what: &str) -> String {
    let mut lines = vec![format!("{}: {what}.", network.title)];
    for (i, flow) in network.flows.iter().enumerate().take(LISTED) {
        lines.push(of_flow(i as u32, flow));
    }
    if let Some(more) = network.flows.len().checked_sub(LISTED + 1) {
        lines.push(format!("... and {} more flows", more + 1));
    }
    lines.join("\n")
}

fn of_flow(number: u32, flow: &Flow) -> String {
    let ends = Ends::of(flow.source, flow.destination, number, 0);
    let end = |(address, port)| format!("{address}:{port}");
    let over = match &flow.over {
        Over::Udp { .. } => "UDP".to_owned(),
        Over::Tcp(config) if config.handshake => "TCP".to_owned(),
        Over::Tcp(config) => {
            let shift = shift_of(config.window);
            format!("TCP without a handshake, window scale {shift}")
        }
    };
    let (source, destination) = (end(ends.source), end(ends.destination));
    format!("flow {}: {source} to {destination}, {over}", flow.name)
}

/// Why packets are missing before this one.
pub(super) fn of_drops(drops: &[(Reason, u64)]) -> Option<String> {
    let list: Vec<_> = drops.iter().map(|(why, n)| format!("{n} {why}")).collect();
    (!list.is_empty()).then(|| format!("dropped before this packet: {}", list.join(", ")))
}

/// Where a packet is not as long as the simulated one.
pub(super) fn of_size(frame: &Frame) -> Option<String> {
    let (real, simulated) = (frame.size(), frame.simulated());
    let why = match real.cmp(&simulated) {
        core::cmp::Ordering::Equal => return None,
        core::cmp::Ordering::Greater => "its real headers need more room",
        core::cmp::Ordering::Less => "no real headers are that long",
    };
    Some(format!(
        "{simulated} B in the simulation, {real} B here: {why}"
    ))
}

/// Where a datagram's real headers take room from the scenario's payload.
pub(super) fn of_header(flow: &str, header: u64) -> String {
    format!(
        "flow {flow}: {header} B of headers in the scenario; IPv4 and UDP take {UDP_HEADERS} B of each packet here"
    )
}
