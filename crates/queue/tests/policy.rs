//! A policy from outside governs, but the packets stay.

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Ecn, LinkInfo, Span, Stream, Time};
use sojourn_queue::policy::{Hooks, PacketInfo, Policy, PolicyQueue, Verdict, View};
use sojourn_queue::{AnyDiscipline, Backlog, Context, Dequeued, Discipline, Reason};

use crate::bench::{self, Bench, Record, link, us};

/// That of the queue's stream.
const SEED: u64 = 7;

/// Two queues: marks what is larger than a kilobyte, drops flow 9, holds flow 8 back until 1 s,
/// and sends the second queue first.
#[derive(Default)]
struct Odd;

impl Policy for Odd {
    fn hooks(&self) -> Hooks {
        Hooks {
            enqueue: true,
            dequeue: true,
            on_empty: false,
            choose: true,
        }
    }
    fn capacity(&self) -> Capacity {
        Capacity::Packets(3)
    }
    fn queues(&self) -> u16 {
        2
    }
    fn enqueue(&mut self, packet: &PacketInfo, _: &mut View<'_>) -> Verdict {
        let queue = (packet.flow % 2) as u16;
        match (packet.flow, packet.size.get()) {
            (9, _) => Verdict::Drop(Reason::Penalty),
            (_, 1001..) => Verdict::Mark(queue, Reason::Target),
            _ => Verdict::Pass(queue),
        }
    }
    fn dequeue(&mut self, packet: &PacketInfo, view: &mut View<'_>) -> Verdict {
        if packet.flow == 8 && view.now < us(1_000_000) {
            return Verdict::Wait(us(1_000_000));
        }
        Verdict::Pass(0)
    }
    fn choose(&mut self, view: &mut View<'_>) -> u16 {
        u16::from(view.queues[1].packets > 0)
    }
    fn on_empty(&mut self, _: &mut View<'_>) {}
    fn next_timer(&self) -> Option<Time> {
        None
    }
    fn on_timer(&mut self, _: &mut View<'_>) {}
    fn on_link(&mut self, _: &LinkInfo, _: &mut View<'_>) {}
    fn reset(&mut self, _: &mut Stream) {}
    fn probe(&self, _: &mut dyn FnMut(&str, f64)) {}
    fn poke(&mut self, _: &str, _: f64) -> bool {
        false
    }
}

#[test]
fn verdicts_become_what_they_say() {
    let maker = Bench::new("droptail", &[]);
    let mut random = Stream::new(1);
    let mut queue = PolicyQueue::new(Box::new(Odd), &mut random);
    let mut record = Record::default();
    let arrive = |queue: &mut PolicyQueue<_>, record: &mut Record, id, flow, size, ecn| {
        let mut packet = maker.packet(us(0), flow, size, ecn);
        packet.id = id;
        let random = &mut Stream::new(1);
        let mut ctx = Context {
            now: us(0),
            random,
            sink: record,
        };
        queue.enqueue(packet, &mut ctx);
    };
    arrive(&mut queue, &mut record, 0, 8, 500, Ecn::NotEct);
    arrive(&mut queue, &mut record, 1, 9, 500, Ecn::NotEct);
    arrive(&mut queue, &mut record, 2, 1, 1500, Ecn::Ect0);
    arrive(&mut queue, &mut record, 3, 1, 1500, Ecn::NotEct);
    arrive(&mut queue, &mut record, 4, 3, 500, Ecn::NotEct);
    arrive(&mut queue, &mut record, 5, 2, 500, Ecn::NotEct);
    let told = |told: &[(bench::TestPacket, Reason)]| -> Vec<(u64, Reason)> {
        told.iter().map(|(packet, why)| (packet.id, *why)).collect()
    };
    assert_eq!(
        told(&record.dropped),
        [
            (1, Reason::Penalty),
            (3, Reason::Target),
            (5, Reason::Overlimit)
        ]
    );
    assert_eq!(told(&record.marked), [(2, Reason::Target)]);
    assert_eq!(queue.backlog().packets, 3);
    let mut taken = Vec::new();
    for now in [us(10), us(20), us(30), us(1_000_000), us(1_000_001)] {
        let mut ctx = Context {
            now,
            random: &mut random,
            sink: &mut record,
        };
        taken.push(match queue.dequeue(&mut ctx) {
            Dequeued::Packet(packet) => Ok(packet.id),
            Dequeued::Wait(until) => Err(Some(until)),
            Dequeued::Empty => Err(None),
        });
    }
    let wait = Err(Some(us(1_000_000)));
    assert_eq!(taken, [Ok(2), Ok(4), wait, Ok(0), Err(None)]);
    assert_eq!(queue.backlog(), Backlog::default());
}

#[test]
fn codes_are_verdicts_and_nothing_else_is() {
    for reason in Reason::ALL {
        let (drop, mark, wait) = Verdict::codes(reason);
        let read = |code| Verdict::of_code(code, us(5));
        assert_eq!(read(drop), Some(Verdict::Drop(reason)));
        assert_eq!(read(mark | 3), Some(Verdict::Mark(3, reason)));
        assert_eq!(read(wait), Some(Verdict::Wait(us(5))));
        assert_eq!(read(drop | mark), None);
        assert_eq!(read(drop | 1), None);
    }
    assert_eq!(Verdict::of_code(7, us(5)), Some(Verdict::Pass(7)));
    assert_eq!(Verdict::of_code(u32::MAX, us(5)), None);
}

/// Two queues, by the flow. Shows what it was told to wait at the last question, how often its
/// timer ran (once in the time of 1000 bytes), and what it drew when it was new and when the link
/// changed.
struct Watcher {
    asks: bool,
    told: Backlog,
    ticks: u32,
    period: Span,
    due: Time,
    drawn: [f64; 2],
}

impl Policy for Watcher {
    fn hooks(&self) -> Hooks {
        Hooks {
            enqueue: true,
            dequeue: self.asks,
            ..Hooks::default()
        }
    }
    fn capacity(&self) -> Capacity {
        Capacity::Unlimited
    }
    fn queues(&self) -> u16 {
        2
    }
    fn enqueue(&mut self, packet: &PacketInfo, _: &mut View<'_>) -> Verdict {
        Verdict::Pass((packet.flow % 2) as u16)
    }
    fn dequeue(&mut self, _: &PacketInfo, view: &mut View<'_>) -> Verdict {
        assert!(self.asks, "asked without a hook");
        self.told = view.backlog;
        Verdict::Pass(0)
    }
    fn choose(&mut self, _: &mut View<'_>) -> u16 {
        unreachable!("it has no such hook")
    }
    fn on_empty(&mut self, _: &mut View<'_>) {
        unreachable!("it has no such hook")
    }
    fn next_timer(&self) -> Option<Time> {
        Some(self.due)
    }
    fn on_timer(&mut self, view: &mut View<'_>) {
        self.ticks += 1;
        self.due = view.now + self.period;
    }
    fn on_link(&mut self, link: &LinkInfo, view: &mut View<'_>) {
        self.told = view.backlog;
        self.period = link.rate.time_to_send(Bytes::new(1_000));
        self.due = view.now + self.period;
        self.drawn[1] = view.random.uniform();
    }
    fn reset(&mut self, random: &mut Stream) {
        self.ticks = 0;
        self.due = Time::ZERO + self.period;
        self.drawn = [random.uniform(), 0.0];
    }
    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("packets", self.told.packets as f64);
        show("bytes", self.told.bytes.as_f64());
        show("ticks", f64::from(self.ticks));
        show("new", self.drawn[0]);
        show("changed", self.drawn[1]);
    }
    fn poke(&mut self, _: &str, _: f64) -> bool {
        false
    }
}

fn watched(asks: bool) -> Bench {
    let watcher = Watcher {
        asks,
        told: Backlog::default(),
        ticks: 0,
        period: Span::from_ms(1),
        due: us(1_000),
        drawn: [0.0; 2],
    };
    let mut bench = Bench::new("droptail", &[]);
    let governed = PolicyQueue::new(Box::new(watcher), &mut Stream::new(SEED));
    bench.discipline = AnyDiscipline::Custom(Box::new(governed));
    bench
}

#[test]
fn the_head_itself_is_not_told_to_wait() {
    let mut bench = watched(true);
    for size in [100, 200, 400] {
        bench.arrive(us(0), size);
    }
    assert_eq!(bench.dequeue(us(1)).map(|packet| packet.size), Some(100));
    assert_eq!((bench.probe("packets"), bench.probe("bytes")), (2.0, 600.0));
}

#[test]
fn without_a_choice_the_first_queue_that_waits_is_served() {
    let mut bench = watched(false);
    for flow in [1, 3, 2, 4] {
        bench.enqueue(us(0), flow, 500, Ecn::NotEct);
    }
    let served: Vec<u32> = (0..4)
        .map(|_| bench.dequeue(us(1)).expect("four wait").flow)
        .collect();
    assert_eq!(served, [2, 4, 1, 3]);
}

/// At 8 Mbit/s every millisecond; told of a link of 2 Mbit/s, every fourth.
#[test]
fn its_timer_runs_and_follows_the_link() {
    let mut bench = watched(false);
    bench.timers_before(us(3_001));
    assert_eq!(bench.probe("ticks"), 3.0);
    let mut bench = watched(false);
    let mut random = Stream::new(SEED);
    bench.discipline.on_link_at(&link(2), us(0), &mut random);
    assert_eq!(bench.discipline.next_timer(), Some(us(4_000)));
    bench.timers_before(us(8_001));
    assert_eq!(bench.probe("ticks"), 2.0);
}

#[test]
fn it_draws_from_the_stream_of_the_queue_whenever_it_draws() {
    let mut random = Stream::new(SEED);
    let drawn = [random.uniform(), random.uniform()];
    let mut bench = watched(false);
    assert_eq!(bench.probe("new"), drawn[0]);
    let mut random = Stream::new(SEED);
    bench.discipline.reset_with(&mut random);
    assert_eq!(bench.probe("new"), drawn[0]);
    bench.discipline.on_link_at(&link(2), us(1), &mut random);
    assert_eq!(bench.probe("changed"), drawn[1]);
    bench.discipline.reset();
    assert_eq!(bench.probe("new"), drawn[0]);
    bench.discipline.reset_with(&mut Stream::new(SEED + 1));
    assert_ne!(bench.probe("new"), drawn[0]);
}

#[test]
fn a_change_of_the_link_has_its_instant_and_what_waits() {
    let mut bench = watched(false);
    for size in [100, 200] {
        bench.arrive(us(0), size);
    }
    let mut random = Stream::new(SEED);
    bench.discipline.on_link_at(&link(2), us(500), &mut random);
    assert_eq!((bench.probe("packets"), bench.probe("bytes")), (2.0, 300.0));
    assert_eq!(bench.discipline.next_timer(), Some(us(4_500)));
}

#[test]
fn a_reset_forgets_what_waits_and_resets_the_policy() {
    let mut bench = watched(true);
    for flow in [0, 1] {
        bench.enqueue(us(0), flow, 500, Ecn::NotEct);
    }
    bench.timers_before(us(3_001));
    bench.discipline.reset();
    assert_eq!(bench.backlog(), Backlog::default());
    assert_eq!(bench.probe("ticks"), 0.0);
    assert_eq!(bench.discipline.next_timer(), Some(us(1_000)));
}
