//! Connections: the two ends of TCP, the messages written into them, and the flow to which they
//! belong.

mod acks;
mod host;
mod tally;
mod tcp;
mod timers;

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_base::Time;
use sojourn_base::prefetch::prefetch;
use sojourn_traffic::Direction;
use sojourn_transport::{Ack, Config, Receiver, Sender};

use crate::FlowId;
use crate::flow::MakeController;
use crate::packet::lane_of;
use tally::WindowTally;

pub(crate) use acks::{Acks, Replies};
pub(crate) use host::FlowHost;
pub use tally::Tally;
pub(crate) use tcp::{DELAYED, Tcp};

/// One direction of a connection: a sender at one end, a receiver at the other.
#[repr(C)]
pub struct Half {
    /// The sending end.
    pub sender: Sender,
    /// The receiving end.
    pub receiver: Receiver,
    tally: WindowTally,
    /// Messages under way: the number of payload bytes up to the end of each, and its tag.
    messages: VecDeque<(u64, u32)>,
}

impl Half {
    fn new(now: Time, config: &Arc<Config>, make: &mut MakeController, number: u32) -> Self {
        let sender = Sender::new(config.clone(), make(number));
        Self {
            tally: WindowTally::new(now, sender.reported_window()),
            sender,
            receiver: Receiver::new(config.clone()),
            messages: VecDeque::new(),
        }
    }

    /// Sends a message, unless nothing more may be written.
    fn send(&mut self, bytes: u64, tag: u32) {
        if !self.sender.is_closed() {
            self.sender.write(bytes);
            self.messages.push_back((self.sender.written(), tag));
        }
    }

    /// The tag of the next message that has arrived completely.
    pub(crate) fn take_arrived(&mut self) -> Option<u32> {
        let receiver = &self.receiver;
        let has_arrived = |(end, _): &mut (u64, u32)| *end <= receiver.delivered();
        let (_, tag) = self.messages.pop_front_if(has_arrived)?;
        Some(tag)
    }

    /// Whether a message is under way.
    #[inline]
    pub(crate) fn has_messages(&self) -> bool {
        !self.messages.is_empty()
    }

    /// Notes the window, which may just have changed.
    #[inline]
    pub(crate) fn note_window(&mut self, now: Time) {
        self.tally.note(now, self.sender.reported_window());
    }

    /// The earliest timer of the sending end.
    #[inline]
    fn sender_timer(&self) -> Time {
        self.sender.next_timer().unwrap_or(Time::NEVER)
    }

    /// The timer of the receiving end.
    #[inline]
    fn receiver_timer(&self) -> Time {
        self.receiver.next_timer().unwrap_or(Time::NEVER)
    }

    #[inline]
    fn next_timer(&self) -> Time {
        self.sender_timer().min(self.receiver_timer())
    }

    /// Runs the timers of the sending end; returns whether any was due.
    #[inline]
    pub(crate) fn expire_sender(&mut self, now: Time) -> bool {
        let is_due = self.sender_timer() <= now;
        if is_due {
            self.sender.on_timer(now);
        }
        is_due
    }

    fn is_done(&self) -> bool {
        self.sender.is_done() && self.messages.is_empty()
    }

    /// Whether what the two ends know is consistent.
    fn is_consistent(&self) -> bool {
        self.sender.snd_una() <= self.receiver.rcv_nxt()
            && self.receiver.rcv_nxt() <= self.sender.snd_nxt()
    }
}

/// The state of a connection from the point of view of its application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The application waits for the handshake.
    Connecting,
    /// The application waits for nothing but data.
    Open,
    /// The application has closed it.
    Closed,
}

/// A connection.
#[repr(C)]
pub struct Connection {
    pub(crate) flow: FlowId,
    /// Its number within the flow.
    pub(crate) number: u32,
    /// The first instant under which it is in the calendar of timers.
    pub(crate) timer_at: Time,
    /// Another, later instant: a timer that runs for long has its entry there while others come and
    /// go, and need not be set again after each of them.
    timer_later_at: Time,
    /// Whether it is among those that [delay](Tcp::delay) an acknowledgement.
    is_delayed: bool,
    pub(crate) phase: Phase,
    opened: Time,
    /// The other direction, made when something is first sent in it.
    reverse: Option<Box<Half>>,
    /// The direction of the flow's data.
    pub forward: Half,
}

impl Connection {
    /// The half that carries data in a direction, if it has been made.
    #[inline]
    pub(crate) fn half(&mut self, direction: Direction) -> Option<&mut Half> {
        match direction {
            Direction::Forward => Some(&mut self.forward),
            Direction::Reverse => self.reverse.as_deref_mut(),
        }
    }

    /// Whether [`Tcp::delay`] has anything to do for an acknowledgement that is delayed until `at`.
    /// All delayed acknowledgements are looked at together, at the instant `others`.
    #[inline]
    pub(crate) fn is_to_delay(&self, at: Time, others: Time) -> bool {
        at < self.timer_at && (!self.is_delayed || at < others)
    }

    /// Whether anything but acknowledgements was ever sent in the other direction.
    #[inline]
    pub(crate) const fn speaks_back(&self) -> bool {
        self.reverse.is_some()
    }

    /// Prefetches what is looked at when one of its timers may be due.
    #[inline]
    pub(crate) fn prefetch_timer(&self) {
        self.prefetch_receiver_timer();
        self.forward.sender.prefetch_timers();
    }

    /// Prefetches what the next timer touches in addition, if it is due and is one of the sender's.
    /// What [`prefetch_timer`](Self::prefetch_timer) prefetches must be in the cache.
    #[inline]
    pub(crate) fn prefetch_due(&self) {
        if self.forward.sender_timer() <= self.timer_at {
            self.forward.sender.prefetch_due();
            prefetch(&self.forward.tally);
        }
    }

    /// The lane of what the next timer of the flow's data sends.
    #[inline]
    pub(crate) fn lane_of_timer(&self) -> usize {
        let acknowledges = self.forward.receiver_timer() <= self.timer_at;
        lane_of(
            self.flow,
            if acknowledges {
                Direction::Reverse
            } else {
                Direction::Forward
            },
        )
    }

    /// Prefetches what is looked at when an acknowledgement was delayed.
    #[inline]
    pub(crate) fn prefetch_receiver_timer(&self) {
        prefetch(&self.timer_at);
        prefetch(&self.forward.receiver);
    }

    /// Prefetches what the sender or the receiver of the flow's data will need.
    #[inline]
    pub(crate) fn prefetch(&self, receives_ack: bool) {
        prefetch(&self.flow);
        if receives_ack {
            self.forward.sender.prefetch();
            prefetch(&self.forward.tally);
        } else {
            prefetch(&self.forward.receiver);
            prefetch(&self.forward.messages);
        }
    }

    /// Prefetches what they will need beyond that; what [`prefetch`](Self::prefetch) prefetches
    /// must be in the cache.
    #[inline]
    pub(crate) fn prefetch_behind(&self, receives_ack: bool, seq: u64) {
        if receives_ack {
            self.forward.sender.prefetch_behind();
        } else {
            self.forward.receiver.prefetch_behind(seq);
        }
    }

    /// Prefetches what lies one step further, where a rate is measured or something was lost.
    #[inline]
    pub(crate) fn prefetch_furthest(&self, received: Option<&Ack>) {
        if let Some(ack) = received {
            self.forward.sender.prefetch_furthest(ack);
        } else {
            self.forward.receiver.prefetch_losses();
        }
    }

    /// The earliest timer of either end.
    #[inline]
    pub(crate) fn next_timer(&self) -> Time {
        self.earliest(Half::next_timer)
    }

    /// The earliest timer of the sending ends.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once an acknowledgement
    pub(crate) fn sender_timer(&self) -> Time {
        self.earliest(Half::sender_timer)
    }

    /// The earliest timer of the receiving ends.
    pub(crate) fn receiver_timer(&self) -> Time {
        self.earliest(Half::receiver_timer)
    }

    /// Runs the timers of the sending ends, there and back; returns which of them had one that was
    /// due.
    #[inline]
    pub(crate) fn expire_senders(&mut self, now: Time) -> [bool; 2] {
        let forward = self.forward.expire_sender(now);
        let reverse = self.reverse.as_deref_mut();
        [forward, reverse.is_some_and(|half| half.expire_sender(now))]
    }

    /// The earlier of the two directions' instants that `timer` gives.
    #[inline(always)]
    #[allow(clippy::inline_always)] // so that the timer is inlined too
    fn earliest(&self, timer: impl Fn(&Half) -> Time) -> Time {
        let reverse = self.reverse.as_deref().map_or(Time::NEVER, &timer);
        timer(&self.forward).min(reverse)
    }

    /// Whether the handshake for which the application waits is over; true only once.
    pub(crate) fn take_connected(&mut self) -> bool {
        let is_connected = self.phase == Phase::Connecting && self.forward.sender.snd_una() > 0;
        if is_connected {
            self.phase = Phase::Open;
        }
        is_connected
    }

    /// Whether it was closed and has nothing more to do.
    pub(crate) fn is_over(&self) -> bool {
        self.phase == Phase::Closed
            && self.forward.is_done()
            && self.reverse.as_ref().is_none_or(|half| half.is_done())
    }
}

/// Stands for a connection that is over.
const OVER: u32 = u32::MAX;

/// The connections of one flow.
pub struct Connections {
    /// The settings of all of them.
    pub config: Arc<Config>,
    controller: MakeController,
    /// The slots of connections by their numbers, without those before the first open one.
    slots: VecDeque<u32>,
    /// The number of the first connection in `slots`.
    first: u32,
    /// What the connections that are over have done.
    past: Tally,
    /// When the application wants to be woken.
    pub(crate) wake: Time,
    pub(crate) started: bool,
    stop: Time,
    /// Until the stop its application writes without end into the only open connection, and does
    /// nothing else. So the two ends of that connection learn about each other only by the packets
    /// they send.
    is_left_alone: bool,
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
            is_left_alone: false,
        }
    }

    /// The slot of connection `number`, unless it is over.
    #[inline]
    pub(crate) fn slot(&self, number: u32) -> Option<u32> {
        let index = number.checked_sub(self.first)?;
        let slot = *self.slots.get(index as usize)?;
        (slot != OVER).then_some(slot)
    }

    /// Until when the application leaves the only open connection alone.
    pub(crate) fn left_alone_until(&self) -> Time {
        if self.is_left_alone {
            self.stop
        } else {
            Time::ZERO
        }
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

    /// Compares the two ends of every open connection.
    ///
    /// # Errors
    /// The first connection of which one end knows of bytes that the other end cannot have sent or
    /// received.
    pub(crate) fn audit(&self, all: &[Connection]) -> Result<(), String> {
        for slot in self.open_slots() {
            let connection = &all[slot as usize];
            let reverse = connection.reverse.as_deref();
            if !core::iter::once(&connection.forward)
                .chain(reverse)
                .all(Half::is_consistent)
            {
                return Err(format!(
                    "connection {}: the sender has sent up to {} and heard of {}, the receiver is at {}",
                    connection.number,
                    connection.forward.sender.snd_nxt(),
                    connection.forward.sender.snd_una(),
                    connection.forward.receiver.rcv_nxt(),
                ));
            }
        }
        Ok(())
    }
}
