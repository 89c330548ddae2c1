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
//! The queue is therefore `+` less `-` less `d`. Times are rounded to a microsecond, as ns-2 does:
//! on fast links queueing delays cannot be rebuilt from them.

use std::collections::HashMap;
use std::io::{self, Write};

use sojourn_base::{Ecn, Time};
use sojourn_engine::{LinkId, Observer, SimPacket};
use sojourn_queue::Reason;

/// What the trace says of a flow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FlowLabel {
    /// Packet type: `cbr`, `exp`, `pareto`, `udp` ...
    pub packet_type: &'static str,
    /// `node.port` of its source.
    pub source: String,
    /// `node.port` of its destination.
    pub destination: String,
}

/// Writes a trace while a simulation runs.
pub struct Ns2Trace<W: Write> {
    out: W,
    /// Node numbers of each link.
    links: Vec<(u32, u32)>,
    flows: Vec<FlowLabel>,
    /// Identities of the packets on their way, by flow and number.
    uids: HashMap<(u32, u32), u64>,
    next_uid: u64,
    /// The first failure to write: the trace stops there, the run goes on.
    failure: Option<io::Error>,
}

impl<W: Write> Ns2Trace<W> {
    /// A trace of a network whose links join the given node numbers.
    pub fn new(out: W, links: Vec<(u32, u32)>, flows: Vec<FlowLabel>) -> Self {
        Self {
            out,
            links,
            flows,
            uids: HashMap::new(),
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
        let flow = &self.flows[packet.flow as usize];
        let uid = self
            .uids
            .get(&(packet.flow, packet.number))
            .copied()
            .unwrap_or(u64::MAX);
        let written = writeln!(
            self.out,
            "{event} {} {from} {to} {} {} {} {} {} {} {} {uid}",
            seconds(now),
            flow.packet_type,
            packet.size,
            flags(packet.ecn),
            packet.flow + 1,
            flow.source,
            flow.destination,
            packet.number,
        );
        self.failure = written.err();
    }

    fn forget(&mut self, packet: &SimPacket) {
        self.uids.remove(&(packet.flow, packet.number));
    }
}

/// The time as ns-2 prints it: rounded to six decimals, without trailing zeros.
fn seconds(now: Time) -> String {
    let us = (now.as_ps() + 500_000) / 1_000_000;
    let text = format!("{}.{:06}", us / 1_000_000, us % 1_000_000);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Seven flags; position 4 is CE, position 6 ECN-capable.
const fn flags(ecn: Ecn) -> &'static str {
    match ecn {
        Ecn::NotEct => "-------",
        Ecn::Ect0 | Ecn::Ect1 => "------N",
        Ecn::Ce => "----E-N",
    }
}

impl<W: Write> Observer for Ns2Trace<W> {
    const IN_ORDER: bool = true;

    fn emitted(&mut self, _now: Time, packet: &SimPacket) {
        self.uids
            .insert((packet.flow, packet.number), self.next_uid);
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

    fn received(&mut self, _now: Time, packet: &SimPacket) {
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
            source: "1.0".to_owned(),
            destination: "5.1".to_owned(),
        };
        let mut out = Vec::new();
        let mut trace = Ns2Trace::new(&mut out, vec![(4, 5)], vec![label.clone(), label]);
        let packet = SimPacket {
            sent: Time::ZERO,
            stamp: Time::ZERO,
            flow: 1,
            number: 1285,
            source: 1,
            destination: 5,
            size: 500,
            hop: 0,
            ecn: Ecn::NotEct,
        };
        trace.next_uid = 4531;
        trace.emitted(Time::ZERO, &packet);
        trace.delivered(Time::from_ns(8_476_000_000), 0, &packet);
        trace.finish().unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "r 8.476 4 5 exp 500 ------- 2 1.0 5.1 1285 4531\n"
        );
    }
}
