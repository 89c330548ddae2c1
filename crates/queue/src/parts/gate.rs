//! A first-in first-out queue with a gate: a law that decides on each arrival, and nothing else.
//!
//! PI, PI2, AVQ and GREEN have this in common. An arrival without room is dropped. An arrival on
//! which the gate signals is marked if the gate marks and the packet is ECN-capable, and dropped
//! otherwise. Departures are those of a plain queue.

use sojourn_base::length::Capacity;
use sojourn_base::{LinkInfo, Time};

use super::{Fifo, Room};
use crate::{
    Admission, AdmissionContext, Backlog, Context, Dequeued, Discipline, Packet, ProbeValue,
    Reason, Warning,
};

/// What a gate says to an arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// Go in.
    None,
    /// Go in marked, or be dropped if that cannot be.
    Mark,
    /// Be dropped.
    Drop,
}

impl Signal {
    /// A signal if it `falls`, a mark if `marking`.
    pub fn of(falls: bool, marking: bool) -> Self {
        match (falls, marking) {
            (false, _) => Self::None,
            (true, true) => Self::Mark,
            (true, false) => Self::Drop,
        }
    }
}

/// A law that decides on arrivals.
pub trait Gate<P: Packet> {
    /// Decides on an arrival; if it does not `fit`, it is dropped whatever is said.
    fn admit(&mut self, packet: &P, ctx: &mut AdmissionContext<'_>, fits: bool) -> Signal;

    /// Back to the start.
    fn reset(&mut self);

    /// When [`on_timer`](Self::on_timer) is due.
    fn next_timer(&self) -> Option<Time> {
        None
    }

    /// Periodic work, at or after the time due; so much waits, and `head` before all.
    fn on_timer(&mut self, _waiting: Backlog, _head: Option<&P>, _now: Time) {}

    /// Whether that looks at the head.
    fn looks_at_head(&self) -> bool {
        false
    }

    /// The link changed.
    fn on_link(&mut self, _link: &LinkInfo) {}

    /// What is wrong with the settings.
    fn warnings(&self, _capacity: Capacity) -> Vec<Warning> {
        Vec::new()
    }

    /// Shows inner variables.
    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue));

    /// Sets one; false if there is none of that name.
    fn poke(&mut self, name: &str, value: f64) -> bool;
}

/// A queue behind a gate.
#[derive(Debug)]
pub struct Gated<P, G> {
    room: Room,
    queue: Fifo<P>,
    gate: G,
}

impl<P, G> Gated<P, G> {
    /// An empty queue.
    pub fn with_gate(gate: G, room: impl Into<Room>) -> Self {
        Self {
            room: room.into(),
            queue: Fifo::default(),
            gate,
        }
    }
}

impl<P: Packet, G: Gate<P>> Discipline<P> for Gated<P, G> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let admission = self.admit(&packet, &mut ctx.admission(self.queue.backlog()));
        ctx.apply(admission, packet, |packet| self.queue.push(packet));
    }

    fn dequeue(&mut self, _ctx: &mut Context<'_, P>) -> Dequeued<P> {
        self.queue.dequeue()
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn capacity(&self) -> Capacity {
        self.room.capacity()
    }

    fn reset(&mut self) {
        self.queue.clear();
        self.gate.reset();
    }

    fn next_timer(&self) -> Option<Time> {
        self.gate.next_timer()
    }

    fn decides_at_enqueue(&self) -> bool {
        !self.gate.looks_at_head()
    }

    fn admit(&mut self, packet: &P, ctx: &mut AdmissionContext<'_>) -> Admission {
        let size = packet.size();
        let fits = self.room.admits(ctx.waiting, size);
        let signal = self.gate.admit(packet, ctx, fits);
        if !fits {
            return Admission::Drop(Reason::Overlimit);
        }
        let admission = match signal {
            Signal::None => Admission::Admit,
            Signal::Mark => Admission::signal(packet, true, Reason::Unforced),
            Signal::Drop => Admission::Drop(Reason::Unforced),
        };
        if !admission.is_drop() {
            self.room.took(size);
        }
        admission
    }

    fn tick(&mut self, ctx: &mut AdmissionContext<'_>) {
        self.gate.on_timer(ctx.waiting, None, ctx.now);
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        let queue = &self.queue;
        self.gate.on_timer(queue.backlog(), queue.head(), ctx.now);
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.gate.on_link(link);
    }

    fn warnings(&self) -> Vec<Warning> {
        self.gate.warnings(self.room.limit())
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.gate.probe(show);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        self.gate.poke(name, value)
    }
}
