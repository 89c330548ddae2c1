//! The engine from outside: instants worked out by hand, ties, device queues, books.

#![allow(clippy::unwrap_used)]

use std::sync::atomic::AtomicBool;

use crate::bench::{self, Diary, RUNNING, us};
use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Distribution, Preset, Scalar, Span, Time};
use sojourn_engine::{FlowSpec, LinkSpec, Observer, SimPacket, Simulation, Stop};
use sojourn_queue::{
    Admission, AdmissionContext, AnyDiscipline, Backlog, Context, Dequeued, Discipline, Reason,
};

/// 8 Mbit/s: a packet of 500 bytes takes 500 us.
fn link(name: &str, from: u32, to: u32, limit: u64) -> LinkSpec {
    LinkSpec {
        name: name.to_owned(),
        ..bench::link(
            (from, to),
            8_000_000,
            Span::from_ms(10),
            "droptail",
            &format!("{limit} packets"),
        )
    }
}

/// Packets of 500 bytes, the first at `start_us`, then one every `gap_us`.
fn flow(name: &str, path: &[u32], start_us: u64, gap_us: u64) -> FlowSpec {
    let bps = 4_000_000_000 / gap_us;
    let params = [("rate", Scalar::Base(bps as f64))];
    let size = Distribution::constant(Bytes::new(500));
    FlowSpec {
        name: name.to_owned(),
        ..bench::flow(path, "cbr", &params, size, us(start_us), 2)
    }
}

fn run<O: Observer>(
    links: Vec<LinkSpec>,
    flows: Vec<FlowSpec>,
    until: Time,
    observer: O,
) -> Result<Simulation<O>, Stop> {
    let mut simulation = Simulation::new(links, flows, observer);
    simulation.run_until(until, &RUNNING)?;
    Ok(simulation)
}

#[test]
fn packets_are_sent_one_after_the_other_and_arrive_after_serialisation_and_propagation() {
    let flows = vec![
        flow("a", &[0, 1], 0, 100_000),
        flow("b", &[0, 1], 200, 100_000),
    ];
    let links = vec![link("first", 0, 1, 50), link("second", 1, 2, 50)];
    let simulation = run(links, flows, us(50_000), Diary::<true>::default()).unwrap();
    let diary = &simulation.observer;
    assert_eq!(diary.of('-')[..2], ["0 0 0.0", "500 0 1.0"]);
    assert_eq!(
        diary.of('o'),
        ["10500 0 0.0", "11000 0 1.0", "21000 1 0.0", "21500 1 1.0"]
    );
}

#[test]
fn a_departure_comes_before_an_arrival_of_the_same_instant() {
    // One packet in transmission, one waiting in a queue of one; the third comes exactly when
    // the transmission ends and finds room.
    let flows = vec![
        flow("a", &[0], 0, 100_000),
        flow("b", &[0], 100, 100_000),
        flow("c", &[0], 500, 100_000),
    ];
    let simulation = run(
        vec![link("only", 0, 1, 1)],
        flows,
        us(90_000),
        Diary::<false>::default(),
    );
    assert!(simulation.unwrap().observer.of('d').is_empty());
}

#[test]
fn a_delivery_comes_before_a_source_of_the_same_instant() {
    // The packet of flow 1 reaches the second link at 10.5 ms, when flow 0 begins there.
    let flows = vec![
        flow("late", &[1], 10_500, 100_000),
        flow("early", &[0, 1], 0, 100_000),
    ];
    let links = vec![link("first", 0, 1, 50), link("second", 1, 2, 50)];
    let simulation = run(links, flows, us(50_000), Diary::<true>::default()).unwrap();
    let second: Vec<_> = simulation
        .observer
        .of('+')
        .into_iter()
        .filter(|entry| entry.contains(" 1 "))
        .collect();
    assert_eq!(second, ["10500 1 1.0", "10500 1 0.0"]);
}

#[test]
fn sources_of_one_instant_come_in_the_order_of_declaration() {
    let flows = (0..5)
        .map(|i| flow(&format!("f{i}"), &[0], 7, 100_000))
        .collect();
    let simulation = run(
        vec![link("only", 0, 1, 50)],
        flows,
        us(9),
        Diary::<true>::default(),
    );
    assert_eq!(
        simulation.unwrap().observer.of('+'),
        ["7 0 0.0", "7 0 1.0", "7 0 2.0", "7 0 3.0", "7 0 4.0"]
    );
}

#[test]
fn nothing_at_the_end_itself_has_happened_yet() {
    for (until, sent) in [(5, 0), (6, 1), (1_005, 1), (1_006, 2)] {
        let flows = vec![flow("a", &[0], 5, 1_000)];
        let simulation = run(vec![link("only", 0, 1, 50)], flows, us(until), ()).unwrap();
        assert_eq!(simulation.books(0)[0].sent, sent, "until {until} us");
    }
}

#[test]
fn overhead_counts_for_serialisation_only() {
    let mut slow = link("only", 0, 1, 50);
    slow.overhead = Bytes::new(500);
    let simulation = run(
        vec![slow],
        vec![flow("a", &[0], 0, 100_000)],
        us(50_000),
        Diary::<false>::default(),
    )
    .unwrap();
    assert_eq!(simulation.observer.of('o'), ["11000 0 0.0"]);
    assert_eq!(simulation.links()[0].ledger.departures().bytes, 500);
}

#[test]
fn a_device_queue_hides_its_packets_from_the_discipline() {
    let mut with_device = link("only", 0, 1, 2);
    with_device.device_queue = 3;
    // Ten packets within 10 us: one is sent, three wait in the device, two in the discipline.
    let flows = (0..10)
        .map(|i| flow(&format!("f{i}"), &[0], i, 100_000))
        .collect();
    let simulation = run(vec![with_device], flows, us(100), Diary::<false>::default()).unwrap();
    let link = &simulation.links()[0];
    assert_eq!(link.spec.discipline.backlog().packets, 2);
    assert_eq!(link.backlog().packets, 5);
    assert_eq!(simulation.observer.of('d').len(), 4);
}

#[test]
fn seeing_all_in_order_changes_nothing() {
    fn tables<O: Observer>(observer: O) -> (Vec<u64>, u128) {
        let flows = vec![
            flow("a", &[0, 1], 0, 700),
            flow("b", &[0, 1], 13, 900),
            flow("c", &[1], 5, 800),
        ];
        let mut links = vec![link("first", 0, 1, 5), link("second", 1, 2, 7)];
        for link in &mut links {
            let info = bench::info(8_000_000, link.delay);
            let params = [("limit", Scalar::Text("30 packets"))];
            link.discipline =
                sojourn_queue::build("rem", &params, Preset::Reference, &info).unwrap();
        }
        let simulation = run(links, flows, us(5_000_000), observer).unwrap();
        let books = (0..3)
            .map(|flow| simulation.books(flow)[0])
            .flat_map(|b| [b.sent, b.received, b.dropped]);
        let area = simulation
            .links()
            .iter()
            .map(|link| link.ledger.packet_time())
            .sum();
        (books.collect(), area)
    }
    assert_eq!(tables(()), tables(Diary::<true>::default()));
}

#[test]
fn a_link_carries_what_straddles_the_end_by_its_part() {
    let simulation = run(
        vec![link("only", 0, 1, 50)],
        vec![flow("a", &[0], 0, 100_000)],
        us(125),
        (),
    )
    .unwrap();
    let carried = simulation.links()[0].carried(us(125));
    assert_eq!(carried.busy, us(125).as_ps());
    assert_eq!(carried.bytes, 125.0);
}

#[test]
fn a_run_can_be_cancelled() {
    let mut simulation = Simulation::new(
        vec![link("only", 0, 1, 50)],
        vec![flow("a", &[0], 0, 1)],
        (),
    );
    let stop = simulation.run_until(us(1_000_000), &AtomicBool::new(true));
    assert_eq!(stop, Err(Stop::Cancelled));
}

/// What a broken discipline does.
#[derive(Clone, Copy, PartialEq)]
enum Fault {
    /// Swallows every fifth packet.
    Loses,
    /// Claims a limit that it does not keep.
    Overflows,
    /// Marks packets that are not ECN-capable.
    MarksAll,
    /// Gives a packet another one's stamp.
    Swaps,
    /// Asks to wait for an instant that has passed.
    WaitsForThePast,
    /// Keeps the last packet, and asks for a moment more each time.
    Withholds,
}

struct Broken {
    fault: Fault,
    /// Whether it says that it decides at enqueue.
    at_enqueue: bool,
    queue: Vec<SimPacket>,
    arrivals: u32,
}

impl Discipline<SimPacket> for Broken {
    fn enqueue(&mut self, mut packet: SimPacket, ctx: &mut Context<'_, SimPacket>) {
        self.arrivals += 1;
        match self.fault {
            Fault::Loses if self.arrivals.is_multiple_of(5) => return,
            Fault::MarksAll => ctx.sink.marked(&packet, Reason::Unforced),
            Fault::Swaps if self.arrivals.is_multiple_of(5) => packet.stamp = us(1),
            _ => {}
        }
        self.queue.push(packet);
    }
    fn dequeue(&mut self, ctx: &mut Context<'_, SimPacket>) -> Dequeued<SimPacket> {
        if self.fault == Fault::WaitsForThePast && ctx.now > us(2_000) {
            return Dequeued::Wait(us(1));
        }
        if self.fault == Fault::Withholds && self.queue.len() == 1 {
            return Dequeued::Wait(ctx.now + Span::from_us(1));
        }
        if self.queue.is_empty() {
            Dequeued::Empty
        } else {
            Dequeued::Packet(self.queue.remove(0))
        }
    }
    fn backlog(&self) -> Backlog {
        let bytes = self
            .queue
            .iter()
            .map(SimPacket::bytes)
            .fold(Bytes::ZERO, |a, b| a + b);
        Backlog {
            packets: self.queue.len(),
            bytes,
        }
    }
    fn capacity(&self) -> Capacity {
        if self.fault == Fault::Overflows {
            Capacity::Packets(3)
        } else {
            Capacity::Unlimited
        }
    }
    fn reset(&mut self) {
        self.queue.clear();
    }
    fn decides_at_enqueue(&self) -> bool {
        self.at_enqueue
    }
    fn admit(&mut self, _packet: &SimPacket, _ctx: &mut AdmissionContext<'_>) -> Admission {
        if self.fault == Fault::MarksAll {
            Admission::Mark(Reason::Unforced)
        } else {
            Admission::Admit
        }
    }
}

fn breach_of(fault: Fault, at_enqueue: bool) -> String {
    let mut broken = link("broken", 0, 1, 50);
    broken.discipline = AnyDiscipline::Custom(Box::new(Broken {
        fault,
        at_enqueue,
        queue: Vec::new(),
        arrivals: 0,
    }));
    let links = vec![broken, link("next", 1, 2, 50)];
    let mut simulation = Simulation::new(links, vec![flow("a", &[0, 1], 0, 300)], ());
    match simulation.run_until(us(30_000), &RUNNING) {
        Err(Stop::Breach(breach)) => breach.to_string(),
        Err(Stop::Cancelled) => unreachable!(),
        Ok(()) => simulation
            .finish()
            .expect_err("the books do not balance")
            .to_string(),
    }
}

#[test]
fn a_run_whose_books_do_not_balance_fails_loudly() {
    for (fault, at_enqueue, words) in [
        (Fault::Loses, false, "arrivals less departures and drops"),
        (Fault::Overflows, false, "above the limit"),
        (Fault::MarksAll, false, "not ECN-capable"),
        (Fault::Swaps, false, "still waited"),
        (Fault::WaitsForThePast, false, "to wait until"),
        (Fault::Withholds, false, "never gives away 1 packets"),
        // What waits, the link keeps: it can neither be lost nor swapped.
        (Fault::Overflows, true, "above the limit"),
        (Fault::MarksAll, true, "not ECN-capable"),
    ] {
        let message = breach_of(fault, at_enqueue);
        assert!(
            message.starts_with("the books of link broken do not balance"),
            "{message}"
        );
        assert!(message.contains(words), "{message}");
    }
}
