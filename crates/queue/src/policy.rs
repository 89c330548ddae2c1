//! Disciplines from outside: decisions made elsewhere, over packets that stay here.
//!
//! A [`Policy`] is what somebody writes in Python or compiles with Numba. It is asked about each
//! arrival and about each packet at a head, is told plain numbers, and answers with a
//! [`Verdict`]. [`PolicyQueue`] makes a discipline of it: it keeps the packets in one or several
//! first-in first-out queues, holds them to the limit, drops and marks. So a policy can neither
//! lose nor invent a packet, nor change their order within a queue.

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Ecn, LinkInfo, Span, Stream, Time};

use crate::parts::Fifo;
use crate::parts::ecn::mark_or_drop;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason};

/// What a policy is told of a packet.
#[derive(Debug, Clone, Copy)]
pub struct PacketInfo {
    /// Its size as the queue counts it.
    pub size: Bytes,
    /// The key of its flow.
    pub flow: u64,
    /// Its ECN codepoint.
    pub ecn: Ecn,
    /// How long it has waited; zero on arrival.
    pub sojourn: Span,
    /// Its source address.
    pub source: u32,
    /// Its destination address.
    pub destination: u32,
    /// Its differentiated-services codepoint.
    pub dscp: u8,
}

impl PacketInfo {
    #[inline]
    fn of<P: Packet>(packet: &P, now: Time) -> Self {
        Self {
            size: packet.size(),
            flow: packet.flow(),
            ecn: packet.ecn(),
            sojourn: now.since(packet.enqueued()),
            source: packet.source(),
            destination: packet.destination(),
            dscp: packet.dscp(),
        }
    }
}

/// What lies before a policy when it is asked.
pub struct View<'a> {
    /// The present instant.
    pub now: Time,
    /// The discipline's own random stream.
    pub random: &'a mut Stream,
    /// What waits; a packet that is decided on is not counted.
    pub backlog: Backlog,
    /// The same for each queue, where there are several; a packet that is decided on is counted.
    pub queues: &'a [Backlog],
}

/// What is to become of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Into the queue of this number; from a head: out.
    Pass(u16),
    /// The same, marked; dropped where it is not ECN-capable.
    Mark(u16, Reason),
    /// Dropped.
    Drop(Reason),
    /// It stays at the head; the policy is asked again at this instant, and earlier if a packet
    /// arrives meanwhile.
    Wait(Time),
}

impl Verdict {
    /// Bits of a code that hold the number of the queue.
    const QUEUE: u32 = 0xFFFF;
    /// Bit of a code: mark.
    const MARK: u32 = 1 << 16;
    /// Bit of a code: drop.
    const DROP: u32 = 1 << 17;
    /// The code of a wait.
    const WAIT: u32 = 1 << 18;
    /// Where in a code the reason stands: its place in [`Reason::ALL`].
    const REASON: u32 = 20;

    /// The verdict that a code stands for: what Python and Numba answer with. `wait` is the instant
    /// that goes with a wait. None where the code stands for nothing.
    #[inline]
    pub fn of_code(code: u32, wait: Time) -> Option<Self> {
        if code <= Self::QUEUE {
            return Some(Self::Pass(code as u16));
        }
        if code == Self::WAIT {
            return Some(Self::Wait(wait));
        }
        let reason = *Reason::ALL.get((code >> Self::REASON) as usize)?;
        let rest = code & ((1 << Self::REASON) - 1);
        if rest == Self::DROP {
            Some(Self::Drop(reason))
        } else if rest & !Self::QUEUE == Self::MARK {
            Some(Self::Mark((rest & Self::QUEUE) as u16, reason))
        } else {
            None
        }
    }

    /// The codes of a drop and of a mark for a reason, and of a wait.
    pub const fn codes(reason: Reason) -> (u32, u32, u32) {
        let place = (reason as u32) << Self::REASON;
        (Self::DROP | place, Self::MARK | place, Self::WAIT)
    }
}

/// Which of its hooks a policy has: the others are not called.
#[derive(Debug, Clone, Copy, Default)]
#[expect(clippy::struct_excessive_bools, reason = "one for each hook")]
pub struct Hooks {
    /// [`Policy::enqueue`].
    pub enqueue: bool,
    /// [`Policy::dequeue`].
    pub dequeue: bool,
    /// [`Policy::on_empty`].
    pub on_empty: bool,
    /// [`Policy::choose`].
    pub choose: bool,
}

/// Decisions over packets that somebody else keeps.
///
/// Code from outside may fail. It then unwinds through whoever called, with a payload that the
/// one who gave the policy knows: nothing between need look after it.
pub trait Policy {
    /// The hooks that it has.
    fn hooks(&self) -> Hooks;

    /// The most that may wait: an arrival that it lets in above this is dropped.
    fn capacity(&self) -> Capacity;

    /// How many queues there are.
    fn queues(&self) -> u16;

    /// What becomes of an arrival. The queue of the verdict must exist.
    fn enqueue(&mut self, packet: &PacketInfo, view: &mut View<'_>) -> Verdict;

    /// What becomes of the packet at the head of the queue chosen.
    fn dequeue(&mut self, packet: &PacketInfo, view: &mut View<'_>) -> Verdict;

    /// The queue whose head comes next; it must hold something.
    fn choose(&mut self, view: &mut View<'_>) -> u16;

    /// The link asked, and nothing waits.
    fn on_empty(&mut self, view: &mut View<'_>);

    /// When [`on_timer`](Self::on_timer) is due, if ever.
    fn next_timer(&self) -> Option<Time>;

    /// Periodic work.
    fn on_timer(&mut self, view: &mut View<'_>);

    /// The link changed.
    fn on_link(&mut self, link: &LinkInfo, view: &mut View<'_>);

    /// To the state of a new queue, which may be drawn: called before anything else, and once more
    /// whenever the queue is to be new again.
    fn reset(&mut self, random: &mut Stream);

    /// Shows inner variables by name.
    fn probe(&self, show: &mut dyn FnMut(&str, f64));

    /// Sets an inner variable; false if there is none of that name.
    fn poke(&mut self, name: &str, value: f64) -> bool;

    /// It never lets go what waits, as was found after the run, which ended at `end`: to tell of it
    /// as of any failure, by unwinding.
    fn never_releases(&self, _end: Time, _waiting: Backlog) {}
}

/// A discipline that does as a policy says.
pub struct PolicyQueue<P> {
    policy: Box<dyn Policy + Send>,
    hooks: Hooks,
    capacity: Capacity,
    next_timer: Option<Time>,
    queues: Vec<Fifo<P>>,
    /// What waits in each queue, kept where there are several.
    each: Vec<Backlog>,
    total: Backlog,
    /// The stream as it was when the queue was new.
    fresh: Stream,
}

impl<P: Packet> PolicyQueue<P> {
    /// The discipline of a policy, which may draw its first state from the discipline's own stream.
    pub fn new(mut policy: Box<dyn Policy + Send>, random: &mut Stream) -> Self {
        let fresh = random.clone();
        policy.reset(random);
        let count = usize::from(policy.queues().max(1));
        Self {
            hooks: policy.hooks(),
            capacity: policy.capacity(),
            next_timer: policy.next_timer(),
            queues: (0..count).map(|_| Fifo::default()).collect(),
            each: vec![Backlog::default(); if count > 1 { count } else { 0 }],
            total: Backlog::default(),
            fresh,
            policy,
        }
    }

    fn push(&mut self, queue: u16, packet: P) {
        let queue = usize::from(queue);
        self.total.packets += 1;
        self.total.bytes += packet.size();
        self.queues[queue].push(packet);
        self.note(queue);
    }

    fn pop(&mut self, queue: usize) -> Option<P> {
        let packet = self.queues[queue].pop()?;
        self.total.packets -= 1;
        self.total.bytes -= packet.size();
        self.note(queue);
        Some(packet)
    }

    fn note(&mut self, queue: usize) {
        if let Some(each) = self.each.get_mut(queue) {
            *each = self.queues[queue].backlog();
        }
    }

    /// Asks the policy something; says what it answered. `left_out` is not counted as waiting.
    #[inline]
    fn ask<R>(
        &mut self,
        now: Time,
        random: &mut Stream,
        left_out: Option<Bytes>,
        question: impl FnOnce(&mut dyn Policy, &mut View<'_>) -> R,
    ) -> R {
        let mut backlog = self.total;
        if let Some(size) = left_out {
            backlog.packets -= 1;
            backlog.bytes -= size;
        }
        let mut view = View {
            now,
            random,
            backlog,
            queues: &self.each,
        };
        let answer = question(&mut *self.policy, &mut view);
        self.next_timer = self.policy.next_timer();
        answer
    }

    /// The queue whose head comes next.
    fn chosen(&mut self, ctx: &mut Context<'_, P>) -> usize {
        if self.queues.len() == 1 {
            return 0;
        }
        if self.hooks.choose {
            let (now, random) = (ctx.now, &mut *ctx.random);
            return usize::from(self.ask(now, random, None, |policy, view| policy.choose(view)));
        }
        let waiting = self.queues.iter().position(|queue| !queue.is_empty());
        waiting.unwrap_or(0)
    }
}

impl<P: Packet> Discipline<P> for PolicyQueue<P> {
    fn enqueue(&mut self, mut packet: P, ctx: &mut Context<'_, P>) {
        let size = packet.size();
        let verdict = if self.hooks.enqueue {
            let facts = PacketInfo::of(&packet, ctx.now);
            self.ask(ctx.now, ctx.random, None, |policy, view| {
                policy.enqueue(&facts, view)
            })
        } else {
            Verdict::Pass(0)
        };
        let queue = match verdict {
            Verdict::Drop(reason) => return ctx.drop(packet, reason),
            Verdict::Pass(queue) | Verdict::Mark(queue, _) => queue,
            Verdict::Wait(_) => 0,
        };
        let Backlog { packets, bytes } = self.total;
        if !self.capacity.admits(packets, bytes, size) {
            return ctx.drop(packet, Reason::Overlimit);
        }
        if let Verdict::Mark(_, reason) = verdict {
            match mark_or_drop(packet, true, reason, ctx) {
                Some(marked) => packet = marked,
                None => return,
            }
        }
        self.push(queue, packet);
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        loop {
            if self.total.packets == 0 {
                if self.hooks.on_empty {
                    self.ask(ctx.now, ctx.random, None, |policy, view| {
                        policy.on_empty(view);
                    });
                }
                return Dequeued::Empty;
            }
            let queue = self.chosen(ctx);
            let verdict = match self.queues[queue].head() {
                Some(head) if self.hooks.dequeue => {
                    let facts = PacketInfo::of(head, ctx.now);
                    let size = Some(facts.size);
                    self.ask(ctx.now, ctx.random, size, |policy, view| {
                        policy.dequeue(&facts, view)
                    })
                }
                _ => Verdict::Pass(0),
            };
            if let Verdict::Wait(until) = verdict {
                return Dequeued::Wait(until);
            }
            let Some(packet) = self.pop(queue) else {
                return Dequeued::Empty;
            };
            match verdict {
                Verdict::Drop(reason) => ctx.drop(packet, reason),
                Verdict::Mark(_, reason) => {
                    if let Some(marked) = mark_or_drop(packet, true, reason, ctx) {
                        return Dequeued::Packet(marked);
                    }
                }
                Verdict::Pass(_) | Verdict::Wait(_) => return Dequeued::Packet(packet),
            }
        }
    }

    fn backlog(&self) -> Backlog {
        self.total
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn next_timer(&self) -> Option<Time> {
        self.next_timer
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        self.ask(ctx.now, ctx.random, None, |policy, view| {
            policy.on_timer(view);
        });
    }

    fn on_link_at(&mut self, link: &LinkInfo, now: Time, random: &mut Stream) {
        self.ask(now, random, None, |policy, view| policy.on_link(link, view));
        self.capacity = self.policy.capacity();
    }

    /// It draws what it drew when it was new.
    fn reset(&mut self) {
        let mut random = self.fresh.clone();
        self.reset_with(&mut random);
    }

    fn reset_with(&mut self, random: &mut Stream) {
        self.queues.iter_mut().for_each(Fifo::clear);
        self.each.fill(Backlog::default());
        self.total = Backlog::default();
        self.fresh = random.clone();
        self.policy.reset(random);
        self.next_timer = self.policy.next_timer();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.policy
            .probe(&mut |name, value| show(name, ProbeValue::Number(value)));
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        self.policy.poke(name, value)
    }

    fn never_releases(&self, end: Time) {
        self.policy.never_releases(end, self.total);
    }
}
