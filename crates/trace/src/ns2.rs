//! The trace format of ns-2: twelve fields a line, as countless awk scripts expect them.
//!
//! `event time from to type size flags fid source.port destination.port sequence uid`
//!
//! | event | meaning |
//! | --- | --- |
//! | `+` | came to the queue of the link `from to` |
//! | `-` | its transmission began |
//! | `d` | dropped, after its `+` |
//! | `r` | its last bit arrived at `to` |
//!
//! Over TCP the types are `tcp` and `ack`, an acknowledgement goes from destination to source, and
//! sequence numbers count segments, from 0, as ns-2 does; with a handshake the SYN is 0. An
//! acknowledgement has the number of the last segment before the first that is missing. The k-th
//! connection of a flow has ports 1000 k above those of the first.
//!
//! The queue is therefore `+` less `-` less `d`. Times are rounded to a microsecond, as ns-2 does:
//! on fast links queueing delays cannot be rebuilt from them.

use std::collections::HashMap;
use std::io::{self, Write};

use sojourn_base::{Ecn, Time};
use sojourn_engine::packet::PacketId;
use sojourn_engine::{Cargo, Kind, LinkId, Observer, SimPacket};
use sojourn_queue::Reason;
use sojourn_traffic::Direction;

/// What the trace says of a flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowLabel {
    /// Type of its datagrams: `cbr`, `exp`, `pareto`, `udp` ...
    pub packet_type: &'static str,
    /// Node and port of its source.
    pub source: (u32, u32),
    /// Node and port of its destination.
    pub destination: (u32, u32),
    /// Payload of a full segment, where it runs over TCP.
    pub segment: u64,
    /// Whether its first segment is a SYN.
    pub handshake: bool,
}

impl FlowLabel {
    /// The number that ns-2 would give a packet.
    fn sequence(&self, packet: &SimPacket, cargo: Cargo<'_>) -> u64 {
        let handshake = u64::from(self.handshake);
        let segments = |number: u64| number.saturating_sub(1).div_ceil(self.segment.max(1));
        match cargo {
            Cargo::Datagram => packet.number,
            Cargo::Segment(segment) if segment.syn => 0,
            Cargo::Segment(segment) => segments(segment.seq) + handshake,
            Cargo::Ack(ack) => (segments(ack.ack) + handshake).saturating_sub(1),
        }
    }
}

/// Writes a trace while a simulation runs.
pub struct Ns2Trace<W: Write> {
    out: W,
    /// Node numbers of each link.
    links: Vec<(u32, u32)>,
    flows: Vec<FlowLabel>,
    under_way: HashMap<PacketId, Known>,
    next_uid: u64,
    /// The first failure to write: the trace stops there, the run goes on.
    failure: Option<io::Error>,
}

/// What the trace knows of a packet on its way.
#[derive(Debug, Clone, Copy, Default)]
struct Known {
    uid: u64,
    sequence: u64,
    /// Its segment says "congestion window reduced".
    reduced: bool,
    /// Its acknowledgement echoes a mark.
    echo: bool,
}

impl<W: Write> Ns2Trace<W> {
    /// A trace of a network whose links join the given node numbers.
    pub fn new(out: W, links: Vec<(u32, u32)>, flows: Vec<FlowLabel>) -> Self {
        Self {
            out,
            links,
            flows,
            under_way: HashMap::new(),
            next_uid: 0,
            failure: None,
        }
    }

    /// Ends the trace.
    ///
    /// # Errors
    /// The first failure to write.
    pub fn finish(mut self) -> io::Result<()> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => self.out.flush(),
        }
    }

    fn line(&mut self, event: char, now: Time, link: LinkId, packet: &SimPacket) {
        if self.failure.is_some() {
            return;
        }
        let (from, to) = self.links[link as usize];
        let flow = &self.flows[packet.flow() as usize];
        let known = self
            .under_way
            .get(&packet.id())
            .copied()
            .unwrap_or_default();
        let Known { uid, sequence, .. } = known;
        let packet_type = match packet.kind() {
            Kind::Datagram => flow.packet_type,
            Kind::Segment => "tcp",
            Kind::Ack => "ack",
        };
        let (source, destination) = match packet.direction() {
            Direction::Forward => (flow.source, flow.destination),
            Direction::Reverse => (flow.destination, flow.source),
        };
        let more = 1000 * packet.connection;
        let written = writeln!(
            self.out,
            "{event} {} {from} {to} {packet_type} {} {} {} {}.{} {}.{} {sequence} {uid}",
            seconds(now),
            packet.size,
            flags(packet.ecn(), &known),
            packet.flow() + 1,
            source.0,
            source.1 + more,
            destination.0,
            destination.1 + more,
        );
        self.failure = written.err();
    }

    fn forget(&mut self, packet: &SimPacket) {
        self.under_way.remove(&packet.id());
    }
}

/// The time as ns-2 prints it: rounded to six decimals, without trailing zeros.
fn seconds(now: Time) -> String {
    let us = (now.as_ps() + 500_000) / 1_000_000;
    let text = format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Seven flags: the first tells of an echoed mark, the fourth of a reduced window, the fifth of a
/// mark, the last of a packet that is ECN-capable.
fn flags(ecn: Ecn, known: &Known) -> String {
    let flag = |set: bool, letter: char| if set { letter } else { '-' };
    let mut flags = ['-'; 7];
    flags[0] = flag(known.echo, 'C');
    flags[3] = flag(known.reduced, 'A');
    flags[4] = flag(ecn == Ecn::Ce, 'E');
    flags[6] = flag(ecn.is_capable(), 'N');
    flags.iter().collect()
}

impl<W: Write> Observer for Ns2Trace<W> {
    const IN_ORDER: bool = true;

    fn emitted(&mut self, _now: Time, packet: &SimPacket, cargo: Cargo<'_>) {
        let sequence = self.flows[packet.flow() as usize].sequence(packet, cargo);
        let known = Known {
            uid: self.next_uid,
            sequence,
            reduced: matches!(cargo, Cargo::Segment(segment) if segment.cwr),
            echo: matches!(cargo, Cargo::Ack(ack) if ack.ece),
        };
        self.under_way.insert(packet.id(), known);
        self.next_uid += 1;
    }

    fn enqueued(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        self.line('+', now, link, packet);
    }

    fn dequeued(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        self.line('-', now, link, packet);
    }

    fn dropped(&mut self, now: Time, link: LinkId, packet: &SimPacket, _reason: Reason) {
        self.line('d', now, link, packet);
        self.forget(packet);
    }

    fn delivered(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        self.line('r', now, link, packet);
    }

    fn received(&mut self, _now: Time, packet: &SimPacket, _in_order: u64) {
        self.forget(packet);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_look_as_ns2_prints_them() {
        for (ps, text) in [
            (8_476_000_000_000, "8.476"),
            (0, "0"),
            (1_000_000_000_000, "1"),
            (1_333_333_333, "0.001333"),
            (1_499_999, "0.000001"),
            (12_000_000_500_000, "12.000001"),
        ] {
            assert_eq!(seconds(Time::from_ps(ps)), text);
        }
    }

    #[test]
    fn a_line_has_the_twelve_fields_of_the_papers_table() {
        let label = FlowLabel {
            packet_type: "exp",
            source: (1, 0),
            destination: (5, 1),
            segment: 0,
            handshake: false,
        };
        let mut out = Vec::new();
        let mut trace = Ns2Trace::new(&mut out, vec![(4, 5)], vec![label.clone(), label]);
        let packet = SimPacket::datagram(1, 1285, 500);
        trace.next_uid = 4531;
        trace.emitted(Time::ZERO, &packet, Cargo::Datagram);
        trace.delivered(Time::from_ns(8_476_000_000), 0, &packet);
        trace.finish().unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "r 8.476 4 5 exp 500 ------- 2 1.0 5.1 1285 4531\n"
        );
    }
}
