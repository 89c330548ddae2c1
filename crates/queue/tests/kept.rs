//! Where the owner of a queue keeps the packets itself and asks the discipline for its decision
//! alone, all comes out as where the discipline keeps them.

use std::collections::{BTreeSet, VecDeque};

use crate::bench::{Bench, TestPacket};
use crate::cases::{Case, cases};
use crate::laws::{Op, operations};
use proptest::prelude::*;
use sojourn_base::{Bytes, Span, Time};
use sojourn_queue::parts::Fifo;
use sojourn_queue::{
    Admission, AdmissionContext, AnyDiscipline, Backlog, Context, Discipline, Packet, Reason, Sink,
};

/// A link whose owner keeps what waits, and asks the discipline for its decision alone.
struct Keeper {
    bench: Bench,
    /// When the transmission begins of each that may wait still, and its bytes.
    waiting: VecDeque<(Time, u64)>,
    /// When all is sent that has got in.
    free_at: Time,
}

impl Keeper {
    fn ask<A>(
        &mut self,
        now: Time,
        ask: impl FnOnce(&mut AnyDiscipline<TestPacket>, &mut AdmissionContext<'_>) -> A,
    ) -> A {
        self.waiting.retain(|&(begins, _)| begins > now);
        let bytes = self.waiting.iter().map(|&(_, bytes)| bytes).sum();
        let mut ctx = AdmissionContext {
            now,
            waiting: Backlog {
                packets: self.waiting.len(),
                bytes: Bytes::new(bytes),
            },
            free_since: (self.free_at <= now).then_some(self.free_at),
            random: &mut self.bench.random,
        };
        ask(&mut self.bench.discipline, &mut ctx)
    }

    fn timers_before(&mut self, now: Time) {
        while let Some(due) = self.bench.discipline.next_timer().filter(|&due| due < now) {
            self.ask(due, Discipline::tick);
        }
    }

    fn send(&mut self, now: Time, mut packet: TestPacket) {
        self.timers_before(now);
        let admission = self.ask(now, |discipline, ctx| discipline.admit(&packet, ctx));
        let record = &mut self.bench.record;
        match admission {
            Admission::Admit => {}
            Admission::Mark(reason) => {
                packet.set_ce();
                record.marked(&packet, reason);
            }
            Admission::Drop(reason) => return record.dropped(packet, reason),
        }
        let begins = self.free_at.max(now);
        self.waiting.push_back((begins, packet.size));
        self.free_at = begins + self.bench.link.rate.time_to_send(packet.size());
        self.bench.delivered.push((self.free_at, packet));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Of those that decide at enqueue nothing else is needed: the same packets leave at the same
    /// instants, and the same are dropped and marked, as where they keep their queue themselves.
    #[test]
    fn a_decision_at_enqueue_says_all(ops in operations()) {
        let made = |case: Case| Bench::under(case.preset, case.name, case.params);
        let mut names = BTreeSet::new();
        for case in cases() {
            let mut whole = made(case);
            if !whole.discipline.decides_at_enqueue() {
                continue;
            }
            names.insert(case.name);
            let mut keeper = Keeper { bench: made(case), waiting: VecDeque::new(), free_at: Time::ZERO };
            let mut now = Time::ZERO;
            for (gap, op) in &ops {
                now += Span::from_us(*gap);
                if let Op::Enqueue { flow, size, ecn } = *op {
                    keeper.send(now, whole.packet(now, flow, size, ecn));
                    whole.send(now, flow, size, ecn);
                }
            }
            let end = now + Span::from_ms(9_000);
            whole.link_until(end);
            whole.timers_before(end);
            keeper.timers_before(end);
            prop_assert_eq!(keeper.bench.inside(), whole.inside(), "{:?}", case);
            prop_assert_eq!(&keeper.bench.record, &whole.record, "{:?}", case);
            prop_assert_eq!(&keeper.bench.delivered, &whole.delivered, "{:?}", case);
        }
        let known = ["ared", "avq", "feng_green", "green", "pi", "red", "rem"];
        prop_assert!(names.is_superset(&BTreeSet::from(known)), "{:?}", names);
    }
}

/// A link whose owner keeps what waits, and lets a packet go as soon as it is foreseen to leave.
struct Seer {
    bench: Bench,
    /// What waits and is not foreseen to leave.
    queue: Fifo<TestPacket>,
    /// When the transmission begins of each that is and may wait still, and its bytes.
    foreseen: VecDeque<(Time, Bytes)>,
    /// When all is sent that has left.
    free_at: Time,
    /// How many left before their time.
    early: usize,
}

impl Seer {
    /// The packet at the head leaves, if there is one.
    fn leave(&mut self) {
        if let Some(packet) = self.queue.pop() {
            self.foreseen.push_back((self.free_at, packet.size()));
            self.free_at += self.bench.link.rate.time_to_send(packet.size());
            self.bench.delivered.push((self.free_at, packet));
        }
    }

    /// What is due at the head is dropped and marked.
    fn drop_due(&mut self) {
        let mut ctx = Context {
            now: self.free_at,
            random: &mut self.bench.random,
            sink: &mut self.bench.record,
        };
        (self.bench.discipline).drop_at_head(&mut self.queue, &mut ctx);
    }

    fn leave_until(&mut self, now: Time) {
        while self.free_at <= now && !self.queue.is_empty() {
            self.drop_due();
            self.leave();
        }
    }

    fn send(&mut self, now: Time, packet: TestPacket) {
        self.leave_until(now);
        self.foreseen.retain(|&(begins, _)| begins > now);
        let packets = self.queue.len() + self.foreseen.len();
        let bytes = self.foreseen.iter().map(|&(_, size)| size.get()).sum();
        let bytes = self.queue.bytes() + Bytes::new(bytes);
        if !(self.bench.discipline.capacity()).admits(packets, bytes, packet.size()) {
            return self.bench.record.dropped(packet, Reason::Overlimit);
        }
        self.free_at = self.free_at.max(now);
        self.queue.push(packet);
        while let Some(head) = self.queue.head() {
            let behind = self.queue.bytes() - head.size();
            if !(self.bench.discipline).departs_unchanged(head, behind, self.free_at) {
                break;
            }
            self.early += usize::from(self.free_at > now);
            self.leave();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is foreseen comes true: the same packets leave at the same instants, and the same are
    /// dropped and marked at the head, as where all is decided at its time.
    #[test]
    fn what_is_foreseen_comes_true(ops in operations()) {
        let made = |case: Case| Bench::under(case.preset, case.name, case.params);
        let (mut names, mut early) = (BTreeSet::new(), 0);
        for case in cases() {
            let mut whole = made(case);
            if !whole.discipline.decides_at_dequeue() {
                continue;
            }
            names.insert(case.name);
            let mut seer = Seer {
                bench: made(case),
                queue: Fifo::default(),
                foreseen: VecDeque::new(),
                free_at: Time::ZERO,
                early: 0,
            };
            let (mut now, mut arrivals) = (Time::ZERO, 0);
            for (gap, op) in &ops {
                now += Span::from_us(*gap);
                if let Op::Enqueue { flow, size, ecn } = *op {
                    arrivals += 1;
                    seer.send(now, whole.packet(now, flow, size, ecn));
                    whole.send(now, flow, size, ecn);
                }
            }
            let end = now + Span::from_ms(9_000);
            whole.link_until(end);
            seer.leave_until(end);
            if arrivals > 0 {
                seer.drop_due();
            }
            early += seer.early;
            prop_assert_eq!(seer.bench.inside(), whole.inside(), "{:?}", case);
            prop_assert_eq!(&seer.bench.record.marked, &whole.record.marked, "{:?}", case);
            prop_assert_eq!(&seer.bench.record.dropped, &whole.record.dropped, "{:?}", case);
            prop_assert_eq!(&seer.bench.delivered, &whole.delivered, "{:?}", case);
            prop_assert!(arrivals < 50 || early > 0, "{:?}", case);
        }
        prop_assert!(names.contains("codel"), "{:?}", names);
    }
}
