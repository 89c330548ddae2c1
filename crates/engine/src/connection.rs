//! Connections: the two ends of TCP, what is written into them, and which flow they belong to.

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_base::Time;
use sojourn_traffic::{Host, StreamId, Way};
use sojourn_transport::{Ack, Config, Receiver, Segment, Sender};

use crate::FlowId;
use crate::calendar::Calendar;
use crate::flow::MakeController;

/// One direction of a connection: a sender at one end, a receiver at the other.
pub struct Half {
    /// The sending end.
    pub sender: Sender,
    /// The receiving end.
    pub receiver: Receiver,
    /// Messages under way: the payload bytes up to their end, and their tags.
    messages: VecDeque<(u64, u32)>,
    tally: WindowTally,
}

/// The congestion window over time.
#[derive(Debug, Clone, Copy, Default)]
struct WindowTally {
    /// Its integral up to `since`, in byte-picoseconds.
    area: u128,
    cwnd: u64,
    since: Time,
}

impl WindowTally {
    fn area_at(&self, now: Time) -> u128 {
        self.area + u128::from(self.cwnd) * u128::from(now.since(self.since).as_ps())
    }
}

impl Half {
    fn new(now: Time, config: &Arc<Config>, make: &mut MakeController, number: u32) -> Self {
        let sender = Sender::new(config.clone(), make(number));
        Self {
            tally: WindowTally {
                area: 0,
                cwnd: sender.told_window(),
                since: now,
            },
            sender,
            receiver: Receiver::new(config.clone()),
            messages: VecDeque::new(),
        }
    }

    fn send(&mut self, bytes: u64, tag: u32) {
        self.sender.write(bytes);
        self.messages.push_back((self.sender.written(), tag));
    }

    /// The tag of the next message that has wholly arrived.
    pub(crate) fn take_arrived(&mut self) -> Option<u32> {
        let arrived = self.receiver.delivered();
        let message = self.messages.pop_front_if(|(end, _)| *end <= arrived)?;
        Some(message.1)
    }

    /// Takes note of the window, which may just have changed.
    #[inline]
    pub(crate) fn note_window(&mut self, now: Time) {
        let cwnd = self.sender.told_window();
        if cwnd != self.tally.cwnd {
            self.tally = WindowTally {
                area: self.tally.area_at(now),
                cwnd,
                since: now,
            };
        }
    }

    #[inline]
    fn next_timer(&self) -> Time {
        let sender = self.sender.next_timer().unwrap_or(Time::NEVER);
        sender.min(self.receiver.next_timer().unwrap_or(Time::NEVER))
    }

    fn is_done(&self) -> bool {
        self.sender.is_done() && self.messages.is_empty()
    }

    /// Whether the two ends agree on what can have happened.
    fn is_consistent(&self) -> bool {
        self.sender.snd_una() <= self.receiver.rcv_nxt()
            && self.receiver.rcv_nxt() <= self.sender.snd_nxt()
    }
}

/// A connection.
pub struct Connection {
    pub(crate) flow: FlowId,
    /// Its number within the flow.
    pub(crate) number: u32,
    /// The direction of the flow's data.
    pub there: Half,
    /// The other one, made when something is first sent there.
    back: Option<Box<Half>>,
    opened: Time,
    closed: bool,
    /// The instant under which it stands in the calendar of timers.
    pub(crate) timer_at: Time,
}

impl Connection {
    /// The half that carries data in a direction, if it has been made.
    #[inline]
    pub(crate) fn half(&mut self, way: Way) -> Option<&mut Half> {
        match way {
            Way::There => Some(&mut self.there),
            Way::Back => self.back.as_deref_mut(),
        }
    }

    /// The earliest timer of either end.
    #[inline]
    pub(crate) fn next_timer(&self) -> Time {
        let back = self
            .back
            .as_ref()
            .map_or(Time::NEVER, |half| half.next_timer());
        self.there.next_timer().min(back)
    }

    /// Whether it was closed and has nothing more to do.
    pub(crate) fn is_over(&self) -> bool {
        self.closed && self.there.is_done() && self.back.as_ref().is_none_or(|half| half.is_done())
    }
}

/// What the connections of a flow have done since the start of the run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tally {
    /// Segments of the flow's data sent again.
    pub retransmits: u64,
    /// Expiries of retransmission timers.
    pub timeouts: u64,
    /// Windows reduced for an echo of marks.
    pub ecn_reductions: u64,
    /// Payload bytes that the sender knows to have arrived in order.
    pub acknowledged: u64,
    /// RTT samples.
    pub rtt_samples: u64,
    /// Their sum in picoseconds.
    pub rtt_sum: u128,
    /// Integral of the congestion window, in segments, over the time that connections were open,
    /// in picoseconds.
    pub cwnd_time: f64,
    /// That time in picoseconds, summed over connections.
    pub open_time: u128,
}

impl Tally {
    /// Adds what one connection has done up to `now`.
    fn add(&mut self, connection: &Connection, now: Time) {
        let half = &connection.there;
        let counts = half.sender.counts();
        self.retransmits += counts.retransmits;
        self.timeouts += counts.timeouts;
        self.ecn_reductions += counts.ecn_reductions;
        self.acknowledged += half.sender.acknowledged();
        self.rtt_samples += counts.rtt_samples;
        self.rtt_sum += counts.rtt_sum;
        let mss = f64::from(half.sender.config().mss);
        self.cwnd_time += half.tally.area_at(now) as f64 / mss;
        self.open_time += u128::from(now.since(connection.opened).as_ps());
    }
}

impl Tally {
    /// What was done between `before` and this one.
    #[must_use]
    pub fn since(&self, before: &Self) -> Self {
        Self {
            retransmits: self.retransmits - before.retransmits,
            timeouts: self.timeouts - before.timeouts,
            ecn_reductions: self.ecn_reductions - before.ecn_reductions,
            acknowledged: self.acknowledged - before.acknowledged,
            rtt_samples: self.rtt_samples - before.rtt_samples,
            rtt_sum: self.rtt_sum - before.rtt_sum,
            cwnd_time: self.cwnd_time - before.cwnd_time,
            open_time: self.open_time - before.open_time,
        }
    }

    /// Both together.
    #[must_use]
    pub fn plus(&self, other: &Self) -> Self {
        Self {
            retransmits: self.retransmits + other.retransmits,
            timeouts: self.timeouts + other.timeouts,
            ecn_reductions: self.ecn_reductions + other.ecn_reductions,
            acknowledged: self.acknowledged + other.acknowledged,
            rtt_samples: self.rtt_samples + other.rtt_samples,
            rtt_sum: self.rtt_sum + other.rtt_sum,
            cwnd_time: self.cwnd_time + other.cwnd_time,
            open_time: self.open_time + other.open_time,
        }
    }
}

/// Says that a connection is over.
const OVER: u32 = u32::MAX;

/// The connections of one flow.
pub struct Connections {
    /// The settings of all of them.
    pub config: Arc<Config>,
    controller: MakeController,
    /// The slots of connections by their numbers, those before the first open one left out.
    slots: VecDeque<u32>,
    /// The number of the first of them.
    first: u32,
    /// What those that are over have done.
    past: Tally,
    /// When the application wants to be woken.
    pub(crate) wake: Time,
    pub(crate) started: bool,
    stop: Time,
}

impl Connections {
    pub(crate) fn new(config: Arc<Config>, controller: MakeController, stop: Time) -> Self {
        Self {
            config,
            controller,
            slots: VecDeque::new(),
            first: 0,
            past: Tally::default(),
            wake: Time::NEVER,
            started: false,
            stop,
        }
    }

    /// The slot of connection `number`, unless it is over.
    #[inline]
    pub(crate) fn slot(&self, number: u32) -> Option<u32> {
        let index = number.checked_sub(self.first)?;
        let slot = *self.slots.get(index as usize)?;
        (slot != OVER).then_some(slot)
    }

    /// The slots of those that are open, in the order of opening.
    pub(crate) fn open_slots(&self) -> impl Iterator<Item = u32> {
        self.slots.iter().copied().filter(|&slot| slot != OVER)
    }

    /// Forgets connection `number`, which is over.
    fn forget(&mut self, number: u32) {
        self.slots[(number - self.first) as usize] = OVER;
        while self.slots.pop_front_if(|slot| *slot == OVER).is_some() {
            self.first += 1;
        }
    }

    /// What all of them have done up to `now`.
    pub fn tally(&self, all: &[Connection], now: Time) -> Tally {
        let mut tally = self.past;
        for slot in self.open_slots() {
            tally.add(&all[slot as usize], now);
        }
        tally
    }

    /// Holds both ends of all open connections against each other.
    ///
    /// # Errors
    /// The first that knows of bytes that the other end cannot have sent or received.
    pub(crate) fn audit(&self, all: &[Connection]) -> Result<(), String> {
        for slot in self.open_slots() {
            let connection = &all[slot as usize];
            let back = connection.back.as_deref();
            if !core::iter::once(&connection.there)
                .chain(back)
                .all(Half::is_consistent)
            {
                return Err(format!(
                    "connection {}: the sender has sent up to {} and heard of {}, the receiver is at {}",
                    connection.number,
                    connection.there.sender.snd_nxt(),
                    connection.there.sender.snd_una(),
                    connection.there.receiver.rcv_nxt(),
                ));
            }
        }
        Ok(())
    }
}

/// Acknowledgements on their way; packets tell where theirs lies.
#[derive(Debug, Default)]
pub(crate) struct Acks {
    acks: Vec<Ack>,
    free: Vec<u32>,
}

impl Acks {
    pub(crate) fn put(&mut self, ack: Ack) -> u64 {
        if let Some(place) = self.free.pop() {
            self.acks[place as usize] = ack;
            return u64::from(place);
        }
        self.acks.push(ack);
        self.acks.len() as u64 - 1
    }

    #[inline]
    pub(crate) fn get(&self, place: u64) -> &Ack {
        &self.acks[place as usize]
    }

    /// The acknowledgement at `place` was heard, or dropped.
    #[inline]
    pub(crate) fn forget(&mut self, place: u64) {
        self.free.push(place as u32);
    }
}

/// All connections of a simulation.
#[derive(Default)]
pub(crate) struct Tcp {
    pub(crate) connections: Vec<Connection>,
    free: Vec<u32>,
    /// Connections by their next timer.
    pub(crate) timers: Calendar,
    /// Where the acknowledgements lie that answer the segment being heard.
    pub(crate) replies: Vec<u64>,
    /// Connections into which an application has just written.
    pub(crate) touched: Vec<u32>,
    /// Transfers that an application has just called complete: when they began, their bytes.
    pub(crate) completed: Vec<(Time, u64)>,
}

impl Tcp {
    /// Sees to it that the timers of a connection will be run.
    #[inline(always)]
    #[allow(clippy::inline_always)] // twice a packet, and mostly nothing to do
    pub(crate) fn arm(&mut self, slot: u32) {
        let connection = &mut self.connections[slot as usize];
        let next = connection.next_timer();
        if next < connection.timer_at {
            connection.timer_at = next;
            self.timers.push(next, slot);
        }
    }

    /// The next segment that a connection may send in a direction now, its flow and its number.
    #[inline]
    pub(crate) fn poll_send(
        &mut self,
        slot: u32,
        way: Way,
        now: Time,
    ) -> Option<(FlowId, u32, Segment)> {
        let connection = &mut self.connections[slot as usize];
        let (flow, number) = (connection.flow, connection.number);
        let half = connection.half(way)?;
        let segment = half.sender.poll_send(now);
        half.note_window(now);
        segment.map(|segment| (flow, number, segment))
    }

    /// Forgets a connection that is over.
    pub(crate) fn retire(&mut self, slot: u32, owner: &mut Connections, now: Time) {
        let connection = &mut self.connections[slot as usize];
        owner.past.add(connection, now);
        owner.forget(connection.number);
        connection.timer_at = Time::NEVER;
        self.free.push(slot);
    }
}

/// The host of an application: its flow's connections.
pub(crate) struct FlowHost<'a> {
    pub(crate) now: Time,
    pub(crate) flow: FlowId,
    pub(crate) connections: &'a mut Connections,
    pub(crate) tcp: &'a mut Tcp,
}

impl FlowHost<'_> {
    fn touch(&mut self, stream: StreamId) -> Option<&mut Connection> {
        let slot = self.connections.slot(stream)?;
        if !self.tcp.touched.contains(&slot) {
            self.tcp.touched.push(slot);
        }
        Some(&mut self.tcp.connections[slot as usize])
    }

    /// Makes the half of a connection that carries data back, where it does not exist yet.
    fn open_back(&mut self, stream: StreamId) {
        let Some(slot) = self.connections.slot(stream) else {
            return;
        };
        let connection = &mut self.tcp.connections[slot as usize];
        if connection.back.is_none() {
            let Connections {
                config, controller, ..
            } = &mut *self.connections;
            // Its controller is told apart from that of the other half by the number.
            let half = Half::new(self.now, config, controller, stream | 1 << 31);
            connection.back = Some(Box::new(half));
        }
    }
}

impl Host for FlowHost<'_> {
    fn open(&mut self) -> StreamId {
        let number = self.connections.first + self.connections.slots.len() as u32;
        let Connections {
            config, controller, ..
        } = &mut *self.connections;
        let connection = Connection {
            flow: self.flow,
            number,
            there: Half::new(self.now, config, controller, number),
            back: None,
            opened: self.now,
            closed: false,
            timer_at: Time::NEVER,
        };
        let slot = if let Some(slot) = self.tcp.free.pop() {
            self.tcp.connections[slot as usize] = connection;
            slot
        } else {
            self.tcp.connections.push(connection);
            self.tcp.connections.len() as u32 - 1
        };
        self.connections.slots.push_back(slot);
        number
    }

    fn send(&mut self, stream: StreamId, way: Way, bytes: u64, tag: u32) {
        if way == Way::Back {
            self.open_back(stream);
        }
        let half = self
            .touch(stream)
            .and_then(|connection| connection.half(way));
        if let Some(half) = half {
            half.send(bytes, tag);
        }
    }

    fn write(&mut self, stream: StreamId, bytes: u64) -> bool {
        let Some(connection) = self.touch(stream) else {
            return false;
        };
        let sender = &mut connection.there.sender;
        let room = sender.has_room(bytes);
        if room {
            sender.write(bytes);
        }
        room
    }

    fn send_endless(&mut self, stream: StreamId) {
        if let Some(connection) = self.touch(stream) {
            connection.there.sender.write_endless();
        }
    }

    fn close(&mut self, stream: StreamId) {
        if let Some(connection) = self.touch(stream) {
            connection.closed = true;
            connection.there.sender.close();
            if let Some(back) = &mut connection.back {
                back.sender.close();
            }
        }
    }

    fn wake_at(&mut self, at: Time) {
        self.connections.wake = if at < self.connections.stop {
            at
        } else {
            Time::NEVER
        };
    }

    fn completed(&mut self, began: Time, bytes: u64) {
        self.tcp.completed.push((began, bytes));
    }
}
