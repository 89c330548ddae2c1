//! Times the parts of the hot loop alone: the calendar, each discipline, each controller, a link.
//! Prints a line for each: its name and the nanoseconds of one operation, the least of several
//! rounds.

use std::hint::black_box;
use std::time::Instant;

use sojourn_base::{Bytes, LinkInfo, Preset, Rate, Span, Stream, Time};
use sojourn_engine::calendar::Calendar;
use sojourn_engine::{LinkSpec, OpenLoop, SimPacket};
use sojourn_memory::{ALLOCATOR, Allocator};
use sojourn_queue::{AnyDiscipline, Context, DISCIPLINES, Discipline, Reason, Sink};
use sojourn_transport::{AckSample, CONTROLLERS, CongestionControl, Start, State};

#[global_allocator]
static MEMORY: Allocator = ALLOCATOR;

const ROUNDS: u32 = 7;
const OPERATIONS: u32 = 100_000;

fn main() {
    for entries in [16, 256, 4_096] {
        hold(entries);
    }
    for entry in DISCIPLINES {
        if let Ok(discipline) = sojourn_queue::build(entry.name, &(), Preset::Reference, &link()) {
            queue(entry.name, discipline);
        }
    }
    for entry in CONTROLLERS {
        control(entry.name);
    }
    for (name, gap) in [("link idle", 13), ("link busy", 12)] {
        cross(name, Span::from_us(gap));
    }
}

/// Prints what one of [`OPERATIONS`] takes, in the best of the rounds.
#[allow(clippy::disallowed_methods)] // it measures the program itself
fn time(name: &str, mut operation: impl FnMut(u32)) {
    let mut best = f64::INFINITY;
    let mut number = 0;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..OPERATIONS {
            operation(number);
            number += 1;
        }
        best = best.min(start.elapsed().as_nanos() as f64 / f64::from(OPERATIONS));
    }
    println!("{best:.1} {name}");
}

fn link() -> LinkInfo {
    LinkInfo {
        rate: Rate::from_bps(1_000_000_000).expect("in range"),
        delay: Span::from_ms(1),
        mtu: Bytes::new(1500),
        framing: Bytes::ZERO,
        base_rtt: Span::from_ms(20),
    }
}

fn packet(number: u32, now: Time) -> SimPacket {
    let mut packet = SimPacket::datagram(number % 10, u64::from(number), 1500);
    (packet.sent, packet.stamp) = (now, now);
    (packet.source, packet.destination) = (number % 10, 100);
    packet
}

/// The calendar in its steady state: the first of so many entries moves on by a random time.
fn hold(entries: u32) {
    let mut calendar = Calendar::with_capacity(entries as usize);
    let mut random = Stream::new(1);
    for slot in 0..entries {
        calendar.push(Time::from_ps(random.below(1 << 30)), slot);
    }
    time(&format!("calendar {entries}"), |_| {
        let now = calendar.next_time();
        calendar.replace_first(now + Span::from_ps(random.below(1 << 30)));
    });
}

struct Nobody;

impl Sink<SimPacket> for Nobody {
    fn dropped(&mut self, packet: SimPacket, _reason: Reason) {
        black_box(packet);
    }
    fn marked(&mut self, _packet: &SimPacket, _reason: Reason) {}
}

/// So many packets are made before they are needed: one that is put together field by field and
/// read as a whole right after would stall the processor, and that would be measured.
const AHEAD: u32 = 64;

/// A packet of ten flows in and one out, ten waiting, every 12 us.
fn queue(name: &str, mut discipline: AnyDiscipline<SimPacket>) {
    let mut random = Stream::new(1);
    let mut sink = Nobody;
    let instant = |number: u32| Time::ZERO + Span::from_us(12 * (1 + u64::from(number)));
    let made = |number| packet(number, instant(number));
    let mut packets: Vec<SimPacket> = (0..AHEAD).map(made).collect();
    time(&format!("queue {name}"), |number| {
        let now = instant(number);
        let mut ctx = Context {
            now,
            random: &mut random,
            sink: &mut sink,
        };
        if discipline.next_timer().is_some_and(|timer| timer <= now) {
            discipline.on_timer(&mut ctx);
        }
        let place = (number % AHEAD) as usize;
        discipline.enqueue(packets[place], &mut ctx);
        packets[place] = made(number + AHEAD);
        if number >= 10 {
            black_box(discipline.dequeue(&mut ctx));
        }
    });
}

/// An acknowledgement of two segments, every millisecond, in congestion avoidance.
fn control(name: &str) {
    let start = Start::of(1448, 10);
    let Ok(mut controller) = sojourn_transport::build(name, &(), Preset::Reference, &start) else {
        return;
    };
    controller.set_window(100.0, 50.0);
    time(&format!("controller {name}"), |number| {
        let now = Time::ZERO + Span::from_ms(u64::from(number));
        controller.on_ack(&AckSample {
            now,
            acked: 2 * 1448,
            marked: 0,
            ece: false,
            rtt: Some(Span::from_ms(20)),
            srtt: Span::from_ms(20),
            stamps: Some((Time::from_ps(10_000_000_000), Time::ZERO)),
            prior_in_flight: 100 * 1448,
            in_flight: 98 * 1448,
            window: controller.cwnd(),
            snd_una: u64::from(number) * 2 * 1448,
            snd_nxt: (u64::from(number) * 2 + 100) * 1448,
            state: State::Open,
            is_disordered: false,
            may_grow: true,
            cwnd_limited: true,
            next_send: None,
            rate: None,
            delivered: u64::from(number) * 2 * 1448,
            lost: 0,
        });
        black_box(controller.windows());
    });
}

/// A packet over a link of drop-tail that sends it in 12 us, one every `gap`.
fn cross(name: &str, gap: Span) {
    let info = link();
    let spec = LinkSpec {
        name: name.to_owned(),
        from: 0,
        to: 1,
        rate: info.rate,
        changes: None,
        losses: None,
        jitter: None,
        reorders: false,
        delay: info.delay,
        overhead: Bytes::ZERO,
        device_queue: 0,
        discipline: sojourn_queue::build("droptail", &(), Preset::Reference, &info)
            .expect("its defaults are allowed"),
        random: Stream::new(1),
    };
    let mut open = OpenLoop::new(spec, ());
    let mut now = Time::ZERO;
    // Two ahead of it, so that a packet that comes as another leaves finds one that waits.
    for _ in 0..2 {
        open.arrive(now, &packet(0, now))
            .expect("the books balance");
    }
    time(name, |number| {
        now += gap;
        open.arrive(now, &packet(number, now))
            .expect("the books balance");
    });
}
