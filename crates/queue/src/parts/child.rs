//! A queue inside a discipline: drop-tail, or a discipline of its own ([`Inner`]).

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, LinkInfo, Optional, ParamFault, Preset, Time};

use super::Fifo;
use super::inner::Inner;
use crate::registry::AnyDiscipline;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason, Warning};

/// A queue within a discipline: plain drop-tail, or another discipline. One can look at its head.
pub enum Child<P: Packet> {
    /// Drop-tail, with or without a name.
    Plain {
        /// Most that waits.
        capacity: Capacity,
        /// What waits.
        queue: Fifo<P>,
    },
    /// Another discipline.
    Discipline {
        /// It.
        discipline: Box<AnyDiscipline<P>>,
        /// What was looked at: it has left the discipline but not this queue.
        held: Option<P>,
    },
}

/// Makes the queues of flows: plain, or each a discipline of its own.
#[derive(Debug, Clone)]
pub struct ChildFactory {
    inner: Optional<Inner>,
    preset: Preset,
    link: LinkInfo,
}

impl ChildFactory {
    /// Makes queues of `inner`.
    ///
    /// # Errors
    /// A parameter of `inner` that cannot be taken.
    pub fn new<P: Packet>(
        inner: &Optional<Inner>,
        preset: Preset,
        link: &LinkInfo,
    ) -> Result<Self, ParamFault> {
        let factory = Self {
            inner: inner.clone(),
            preset,
            link: *link,
        };
        factory.try_child::<P>()?;
        Ok(factory)
    }

    /// Whether they are plain.
    pub fn is_plain(&self) -> bool {
        self.inner.0.is_none()
    }

    /// An empty queue.
    pub fn child<P: Packet>(&self) -> Child<P> {
        self.try_child().unwrap_or_default()
    }

    fn try_child<P: Packet>(&self) -> Result<Child<P>, ParamFault> {
        Child::new(&self.inner, Capacity::Unlimited, self.preset, &self.link)
    }

    /// Later queues stand at this link.
    pub fn on_link(&mut self, link: &LinkInfo) {
        self.link = *link;
    }

    /// What is to be warned of in each.
    pub fn warnings<P: Packet>(&self) -> Vec<Warning> {
        self.child::<P>().warnings()
    }
}

/// What a look at the head found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Head {
    /// A packet of this size.
    Packet(Bytes),
    /// Nothing.
    Empty,
    /// Nothing that may go before this instant.
    Wait(Time),
}

impl<P: Packet> Default for Child<P> {
    /// A plain queue without a bound.
    fn default() -> Self {
        Self::Plain {
            capacity: Capacity::Unlimited,
            queue: Fifo::default(),
        }
    }
}

impl<P: Packet> Child<P> {
    /// Does something to this child of several, in which `all` waits; keeps count of that.
    pub fn counted_in<R>(&mut self, all: &mut Backlog, act: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.backlog();
        let result = act(self);
        all.replace_part(before, self.backlog());
        result
    }

    /// Takes the last packet of a plain queue; another discipline gives none.
    pub fn pop_tail(&mut self) -> Option<P> {
        match self {
            Self::Plain { queue, .. } => queue.pop_tail(),
            Self::Discipline { .. } => None,
        }
    }

    /// Takes the first packet of a plain queue; another discipline gives none.
    pub fn pop_head(&mut self) -> Option<P> {
        match self {
            Self::Plain { queue, .. } => queue.pop(),
            Self::Discipline { .. } => None,
        }
    }

    /// The first packet of a plain queue, to be marked where it stands.
    pub fn head_mut(&mut self) -> Option<&mut P> {
        match self {
            Self::Plain { queue, .. } => queue.head_mut(),
            Self::Discipline { .. } => None,
        }
    }

    /// The discipline, where it is one.
    fn discipline(&self) -> Option<&AnyDiscipline<P>> {
        match self {
            Self::Plain { .. } => None,
            Self::Discipline { discipline, .. } => Some(discipline),
        }
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.backlog().packets == 0
    }

    /// A child: `inner`, or where that is none a plain queue of `capacity`.
    ///
    /// # Errors
    /// A parameter of `inner` that cannot be taken.
    pub fn new(
        inner: &Optional<Inner>,
        capacity: Capacity,
        preset: Preset,
        link: &LinkInfo,
    ) -> Result<Self, ParamFault> {
        let plain = |capacity| Self::Plain {
            capacity,
            queue: Fifo::default(),
        };
        let Some(inner) = &inner.0 else {
            return Ok(plain(capacity));
        };
        let discipline = inner.build(preset, link)?;
        // What is looked at stays in a plain queue, and counts against its limit.
        Ok(match discipline.plain_capacity() {
            Some(capacity) => plain(capacity),
            None => Self::Discipline {
                discipline: Box::new(discipline),
                held: None,
            },
        })
    }

    /// Looks at the head. Another discipline takes its drops at the head now.
    pub fn head(&mut self, ctx: &mut Context<'_, P>) -> Head {
        match self {
            Self::Plain { queue, .. } => queue
                .head()
                .map_or(Head::Empty, |packet| Head::Packet(packet.size())),
            Self::Discipline { discipline, held } => {
                if let Some(packet) = held {
                    return Head::Packet(packet.size());
                }
                match discipline.dequeue(ctx) {
                    Dequeued::Packet(packet) => {
                        let size = packet.size();
                        *held = Some(packet);
                        Head::Packet(size)
                    }
                    Dequeued::Empty => Head::Empty,
                    Dequeued::Wait(until) => Head::Wait(until),
                }
            }
        }
    }
}

impl<P: Packet> Discipline<P> for Child<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        match self {
            Self::Plain { capacity, queue } => {
                let Backlog { packets, bytes } = queue.backlog();
                if capacity.admits(packets, bytes, packet.size()) {
                    queue.push(packet);
                } else {
                    ctx.drop(packet, Reason::Overlimit);
                }
            }
            Self::Discipline { discipline, .. } => discipline.enqueue(packet, ctx),
        }
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        match self {
            Self::Plain { queue, .. } => queue.dequeue(),
            Self::Discipline { discipline, held } => match held.take() {
                Some(packet) => Dequeued::Packet(packet),
                None => discipline.dequeue(ctx),
            },
        }
    }

    fn backlog(&self) -> Backlog {
        match self {
            Self::Plain { queue, .. } => queue.backlog(),
            Self::Discipline { discipline, held } => {
                let mut backlog = discipline.backlog();
                if let Some(packet) = held {
                    backlog.packets += 1;
                    backlog.bytes += packet.size();
                }
                backlog
            }
        }
    }

    /// What the discipline may hold, and what was looked at.
    fn capacity(&self) -> Capacity {
        match self {
            Self::Plain { capacity, .. } => *capacity,
            Self::Discipline { discipline, held } => match (discipline.capacity(), held) {
                (Capacity::Packets(packets), Some(_)) => Capacity::Packets(packets + 1),
                (Capacity::Bytes(bytes), Some(held)) => Capacity::Bytes(bytes + held.size().get()),
                (capacity, _) => capacity,
            },
        }
    }

    fn reset(&mut self) {
        match self {
            Self::Plain { queue, .. } => queue.clear(),
            Self::Discipline { discipline, held } => {
                discipline.reset();
                *held = None;
            }
        }
    }

    fn next_timer(&self) -> Option<Time> {
        match self {
            Self::Plain { .. } => None,
            Self::Discipline { discipline, .. } => discipline.next_timer(),
        }
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        if let Self::Discipline { discipline, .. } = self
            && discipline.next_timer().is_some_and(|due| due <= ctx.now)
        {
            discipline.on_timer(ctx);
        }
    }

    fn on_link(&mut self, link: &LinkInfo) {
        if let Self::Discipline { discipline, .. } = self {
            discipline.on_link(link);
        }
    }

    /// Those of the discipline, told of `inner`.
    fn warnings(&self) -> Vec<Warning> {
        let Self::Discipline { discipline, .. } = self else {
            return Vec::new();
        };
        let told = |warning: Warning| Warning {
            param: "inner",
            what: format!("{}: {}", warning.param, warning.what),
        };
        discipline.warnings().into_iter().map(told).collect()
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        if let Self::Discipline { discipline, .. } = self {
            discipline.probe(show);
        }
    }

    fn flow_queues(&self) -> usize {
        self.discipline().map_or(0, Discipline::flow_queues)
    }

    fn flow_queue_of(&self, packet: &P, came_to: Option<usize>) -> Option<usize> {
        self.discipline()?.flow_queue_of(packet, came_to)
    }

    fn waiting_in(&self, k: usize) -> usize {
        self.discipline()
            .map_or(0, |discipline| discipline.waiting_in(k))
    }

    fn probe_flow(&self, k: usize, show: &mut dyn FnMut(&str, ProbeValue)) {
        if let Some(discipline) = self.discipline() {
            discipline.probe_flow(k, show);
        }
    }

    fn flow_place(&self, k: usize) -> String {
        let of_other = |discipline: &AnyDiscipline<P>| discipline.flow_place(k);
        self.discipline().map_or_else(String::new, of_other)
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        match self {
            Self::Plain { .. } => false,
            Self::Discipline { discipline, .. } => discipline.poke(name, value),
        }
    }
}
