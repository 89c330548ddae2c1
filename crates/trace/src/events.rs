//! The log of every packet as a Parquet file: a row for each event, in the order of time.
//!
//! | column | what it is |
//! | --- | --- |
//! | `time_s` | when |
//! | `event` | `enqueue` (came to the queue, which has not decided yet), `drop`, `mark`, `dequeue` (its transmission begins), `deliver` (its last bit came out of the link), `lose` (it was lost on the wire, and was to come out now) |
//! | `link`, `flow` | their names |
//! | `connection` | which of the flow's connections, from 0 |
//! | `way` | `there` or `back` |
//! | `packet` | a number for each packet sent, the same on all links |
//! | `kind` | `datagram`, `segment` or `ack` |
//! | `number` | of a datagram within its flow, of a segment's first byte, of the byte that an acknowledgement expects |
//! | `size_bytes` | on the wire, link framing excluded |
//! | `ecn` | `not`, `ect0`, `ect1` or `ce`, after the event |
//! | `sojourn_s` | time since it came to this queue; of `dequeue`, `drop` and `mark` |
//! | `reason` | of `drop` and `mark`; of `lose` it is `link` |
//! | `queue_packets`, `queue_bytes` | what waits at the link after the event |
//! | `state`, `state_after` | of `drop` and `mark`: the discipline's inner variables just before the call in which it decided, and just after, as JSON objects |
//!
//! A discipline decides while a packet arrives, while the link asks for one, or when its timer is
//! due. One call may drop several packets: all of them show the variables around that call. Of
//! the queues of flows inside a discipline, `flow[k]`, each shows the packet's own alone: there
//! may be thousands.
//!
//! Rows are written in chunks of a bounded number and of bounded texts, so that memory does not
//! grow with the file.

mod columns;
mod inside;

use std::collections::HashMap;
use std::io::{self, Write};

use parquet::data_type::ByteArray;
use sojourn_base::Time;
use sojourn_engine::observer::Inside;
use sojourn_engine::packet::PacketId;
use sojourn_engine::{Cargo, Kind, LinkId, Observer, SimPacket};
use sojourn_queue::Reason;
use sojourn_traffic::Direction;

use columns::{Table, Texts, io_error};
use inside::Snapshot;

/// Rows that are held before they are written: a row group of the file.
const CHUNK: usize = 1 << 16;

/// Bytes of inner variables after which they are written sooner.
const CHUNK_BYTES: usize = 1 << 23;

/// Writes the log while a simulation runs.
pub struct EventLog<W: Write + Send> {
    table: Table<W>,
    texts: Texts,
    links: Vec<Queue>,
    flows: Vec<ByteArray>,
    under_way: HashMap<PacketId, Known>,
    next_packet: i64,
    /// The packet that came to a queue last, until it was put before the discipline.
    arrived: Option<(LinkId, SimPacket)>,
    /// The inner variables before the call in progress.
    before: Snapshot,
    /// Those after it, if it decided anything.
    after: Snapshot,
    /// What that call has decided.
    decisions: Vec<Row>,
    /// The first failure to write: the log stops there, the run goes on.
    failure: Option<io::Error>,
}

/// What is known of a link.
struct Queue {
    name: ByteArray,
    packets: i64,
    bytes: i64,
}

/// What is known of a packet on its way.
#[derive(Debug, Clone, Copy)]
struct Known {
    packet: i64,
    number: i64,
    /// Which of the queues of flows it came to, at the link where it was last.
    came_to: Option<usize>,
}

/// A row of the log.
pub(super) struct Row {
    time_s: f64,
    event: &'static str,
    link: LinkId,
    packet: SimPacket,
    known: Known,
    sojourn_s: Option<f64>,
    reason: Option<Reason>,
    queue: (i64, i64),
    /// Inner variables before and after.
    states: Option<[ByteArray; 2]>,
}

impl<W: Write + Send> EventLog<W> {
    /// A log of links and flows by name.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn new<'a>(
        out: W,
        links: impl Iterator<Item = &'a str>,
        flows: impl Iterator<Item = &'a str>,
    ) -> io::Result<Self> {
        let links = links.map(|name| Queue {
            name: ByteArray::from(name),
            packets: 0,
            bytes: 0,
        });
        Ok(Self {
            table: Table::new(out).map_err(io_error)?,
            texts: Texts::default(),
            links: links.collect(),
            flows: flows.map(ByteArray::from).collect(),
            under_way: HashMap::new(),
            next_packet: 0,
            arrived: None,
            before: Snapshot::default(),
            after: Snapshot::default(),
            decisions: Vec::new(),
            failure: None,
        })
    }

    /// Ends the log.
    ///
    /// # Errors
    /// The first failure to write.
    pub fn finish(mut self) -> io::Result<()> {
        match self.failure.take() {
            Some(failure) => Err(failure),
            None => self.table.close().map_err(io_error),
        }
    }

    fn row(&self, event: &'static str, now: Time, link: LinkId, packet: &SimPacket) -> Row {
        let unknown = Known {
            packet: -1,
            number: packet.number.cast_signed(),
            came_to: None,
        };
        let known = self.under_way.get(&packet.id());
        let queue = &self.links[link as usize];
        Row {
            time_s: now.as_s(),
            event,
            link,
            packet: *packet,
            known: known.copied().unwrap_or(unknown),
            sojourn_s: None,
            reason: None,
            queue: (queue.packets, queue.bytes),
            states: None,
        }
    }

    /// Adds a row; none after a failure, where they would stay in memory.
    fn write(&mut self, row: Row) {
        if self.failure.is_some() {
            return;
        }
        let packet = &row.packet;
        let (link, flow) = (
            &self.links[row.link as usize].name,
            &self.flows[packet.flow() as usize],
        );
        self.table.push(row, link, flow, &mut self.texts);
        if (self.table.rows() >= CHUNK || self.table.state_bytes() >= CHUNK_BYTES)
            && let Err(failure) = self.table.flush()
        {
            self.failure = Some(io_error(failure));
        }
    }

    /// A drop or mark of the call in progress.
    fn decide(
        &mut self,
        event: &'static str,
        now: Time,
        link: LinkId,
        packet: &SimPacket,
        reason: Reason,
    ) {
        let row = self.row(event, now, link, packet);
        self.decisions.push(Row {
            sojourn_s: Some(now.since(packet.stamp).as_s()),
            reason: Some(reason),
            ..row
        });
    }

    /// `packet` leaves the queue of `link`.
    fn leave(&mut self, link: LinkId, packet: &SimPacket) {
        let queue = &mut self.links[link as usize];
        queue.packets -= 1;
        queue.bytes -= i64::from(packet.size);
    }
}

impl<W: Write + Send> Observer for EventLog<W> {
    const IN_ORDER: bool = true;
    const LOOKS_INSIDE: bool = true;

    fn before_call(&mut self, _now: Time, link: LinkId, discipline: &Inside) {
        let arrived = self.arrived.as_ref().filter(|arrived| arrived.0 == link);
        let own = arrived.and_then(|(_, packet)| discipline.flow_queue_of(packet, None));
        let may_lose = |k| discipline.waiting_in(k) > 0 || own == Some(k);
        let queues = (0..discipline.flow_queues()).filter(|&k| may_lose(k));
        self.before.take(discipline, queues);
    }

    fn after_call(&mut self, _now: Time, link: LinkId, discipline: &Inside) {
        if let Some((at, packet)) = self.arrived.take()
            && at == link
            && let Some(known) = self.under_way.get_mut(&packet.id())
        {
            known.came_to = discipline.flow_queue_of(&packet, None);
        }
        if self.decisions.is_empty() {
            return;
        }
        let decisions = std::mem::take(&mut self.decisions);
        // Those of one queue follow each other, and have their texts in common.
        let mut shown: Option<(Option<usize>, [ByteArray; 2])> = None;
        for row in decisions {
            let queue = discipline.flow_queue_of(&row.packet, row.known.came_to);
            let states = match shown.take() {
                Some((same, states)) if same == queue => states,
                _ => {
                    self.after.take(discipline, queue);
                    let place = queue.map(|k| (k, discipline.flow_place(k)));
                    [&self.before, &self.after].map(|of| ByteArray::from(of.json(place.as_ref())))
                }
            };
            shown = Some((queue, states.clone()));
            self.write(Row {
                states: Some(states),
                ..row
            });
        }
    }

    fn emitted(&mut self, _now: Time, packet: &SimPacket, cargo: Cargo<'_>) {
        let number = match cargo {
            Cargo::Datagram | Cargo::Segment(_) => packet.number,
            Cargo::Ack(ack) => ack.ack,
        };
        let known = Known {
            packet: self.next_packet,
            number: number.cast_signed(),
            came_to: None,
        };
        self.under_way.insert(packet.id(), known);
        self.next_packet += 1;
    }

    fn enqueued(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        let queue = &mut self.links[link as usize];
        queue.packets += 1;
        queue.bytes += i64::from(packet.size);
        self.arrived = Some((link, *packet));
        if let Some(known) = self.under_way.get_mut(&packet.id()) {
            known.came_to = None;
        }
        self.write(self.row("enqueue", now, link, packet));
    }

    fn dequeued(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        self.leave(link, packet);
        let row = self.row("dequeue", now, link, packet);
        self.write(Row {
            sojourn_s: Some(now.since(packet.stamp).as_s()),
            ..row
        });
    }

    fn dropped(&mut self, now: Time, link: LinkId, packet: &SimPacket, reason: Reason) {
        self.leave(link, packet);
        self.decide("drop", now, link, packet, reason);
        self.under_way.remove(&packet.id());
    }

    fn lost(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        let row = self.row("lose", now, link, packet);
        self.write(Row {
            reason: Some(Reason::Link),
            ..row
        });
        self.under_way.remove(&packet.id());
    }

    fn marked(&mut self, now: Time, link: LinkId, packet: &SimPacket, reason: Reason) {
        self.decide("mark", now, link, packet, reason);
    }

    fn delivered(&mut self, now: Time, link: LinkId, packet: &SimPacket) {
        self.write(self.row("deliver", now, link, packet));
    }

    fn received(&mut self, _now: Time, packet: &SimPacket, _in_order: u64) {
        self.under_way.remove(&packet.id());
    }
}

/// The name of a direction.
const fn way(direction: Direction) -> &'static str {
    match direction {
        Direction::Forward => "there",
        Direction::Reverse => "back",
    }
}

/// The name of what a packet carries.
const fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Datagram => "datagram",
        Kind::Segment => "segment",
        Kind::Ack => "ack",
    }
}
