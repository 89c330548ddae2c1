//! The fast paths of sender and receiver against the slow ones: two connections over one network of
//! chance, of which one has no fast paths. Whatever they send, and all of their state, is the same.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::thread;

use sojourn_base::params::Texts;
use sojourn_base::{Ecn, ParamSet, Preset, Span, Stream, Time};

use crate::{Ack, Arrival, Config, CongestionControl, Receiver, Segment, Sender, TcpParams, build};

#[derive(Debug, Clone, Copy)]
enum Event {
    Segment(Segment, bool),
    Ack(Ack),
    Timer,
    Write(u64),
}

/// One connection: its two ends.
struct Pair {
    sender: Sender,
    receiver: Receiver,
    has_fast_paths: bool,
}

impl Pair {
    fn new(cc: &str, preset: Preset, config: &Arc<Config>, has_fast_paths: bool) -> Self {
        let start = config.start(Stream::new(7));
        let controller = build(cc, &(), preset, &start).unwrap();
        let mut sender = Sender::new(config.clone(), controller);
        if !has_fast_paths {
            sender.disable_fast_path();
        }
        Self {
            sender,
            receiver: Receiver::new(config.clone()),
            has_fast_paths,
        }
    }

    /// What an event leads to.
    fn on(&mut self, now: Time, event: &Event) -> (Vec<Segment>, Vec<Ack>) {
        let mut acks = Vec::new();
        match event {
            Event::Segment(segment, marked) => {
                let ecn = if *marked && segment.ecn != Ecn::NotEct {
                    Ecn::Ce
                } else {
                    segment.ecn
                };
                if !self.has_fast_paths {
                    self.receiver.disable_fast_path();
                }
                let segment = *segment;
                let received = self.receiver.on_segment(now, &Arrival { segment, ecn });
                acks.extend(received.acks.into_iter().flatten());
            }
            Event::Ack(ack) => self.sender.on_ack(now, ack),
            Event::Timer => {
                self.sender.on_timer(now);
                acks.extend(self.receiver.on_timer(now));
            }
            Event::Write(bytes) => self.sender.write(*bytes),
        }
        let mut segments = Vec::new();
        // Who never asks for bursts is given the same segments.
        if self.has_fast_paths && !self.sender.counts().segments.is_multiple_of(4) {
            let mut burst = self.sender.poll_burst(now);
            loop {
                segments.extend((0..burst.segments).map(|index| burst.segment(index, now)));
                if !burst.more {
                    return (segments, acks);
                }
                burst = self.sender.poll_unlike(now);
                if burst.segments == 0 && burst.more {
                    break;
                }
            }
        }
        segments.extend(core::iter::from_fn(|| self.sender.poll_send(now)));
        (segments, acks)
    }

    fn next_timer(&self) -> Time {
        let timers = [self.sender.next_timer(), self.receiver.next_timer()];
        timers.into_iter().flatten().min().unwrap_or(Time::NEVER)
    }
}

/// Runs both; returns how many acknowledgements took the fast path.
fn play(cc: &str, preset: Preset, keys: &[(&'static str, &'static str)], seed: u64) -> u64 {
    let mut random = Stream::new(seed);
    let start = crate::Start::of(1000, 10);
    let needs = build(cc, &(), preset, &start).unwrap().needs();
    let params = TcpParams::read(&Texts(keys), preset).unwrap();
    let config = Arc::new(Config::new(&params, preset, &needs).unwrap());
    let mut pairs = [true, false].map(|short| Pair::new(cc, preset, &config, short));
    // Calm and stormy networks.
    let trouble = [0.0, 0.002, 0.03, 0.2][random.below(4) as usize];
    let room = 20 + random.below(60);
    let (mut events, mut number) = (BTreeMap::new(), 0_u64);
    let mut free_at = Time::ZERO;
    let mut short = 0;
    if random.chance(0.5) {
        for pair in &mut pairs {
            pair.sender.write_endless();
        }
    }
    for k in 0..20 {
        let at = Time::ZERO + Span::from_us(random.below(3_000_000));
        let bytes = 1 + random.below(60_000) / (1 + k % 7);
        events.insert((at, u64::MAX - k), Event::Write(bytes));
    }
    for _ in 0..2_500 {
        let timer = pairs[0].next_timer();
        assert_eq!(timer, pairs[1].next_timer());
        let first = events.first_key_value().map(|(&key, _)| key);
        let (now, event) = match first {
            Some(key) if key.0 <= timer => (key.0, events.remove(&key).unwrap()),
            _ if timer < Time::NEVER => (timer, Event::Timer),
            _ => break,
        };
        if let Event::Ack(ack) = &event {
            short += u64::from(pairs[0].sender.is_expected(ack));
        }
        let [(segments, acks), other] = pairs.each_mut().map(|pair| pair.on(now, &event));
        assert_eq!((&segments, &acks), (&other.0, &other.1), "{event:?}");
        let [one, other] = pairs.each_mut().map(|pair| pair.sender.shown());
        assert_eq!(one, other, "{event:?}");
        let [one, other] = pairs.each_mut().map(|pair| pair.receiver.shown());
        assert_eq!(one, other, "{event:?}");
        for segment in segments {
            // A bottleneck of 1 ms a segment; what finds no room is lost.
            let waits = free_at.since(now);
            let copies = 1 + u64::from(random.chance(trouble / 8.0));
            if waits > Span::from_ms(room) || random.chance(trouble) {
                continue;
            }
            free_at = free_at.max(now) + Span::from_ms(1);
            for _ in 0..copies {
                let astray = Span::from_us(random.below(40_000)).as_ps();
                let astray = if random.chance(trouble / 4.0) {
                    astray
                } else {
                    0
                };
                let at = free_at + Span::from_ms(10) + Span::from_ps(astray);
                number += 1;
                let marked = random.chance(trouble / 2.0);
                events.insert((at, number), Event::Segment(segment, marked));
            }
        }
        for ack in acks {
            if !random.chance(trouble / 2.0) {
                number += 1;
                events.insert((now + Span::from_ms(10), number), Event::Ack(ack));
            }
        }
    }
    short
}

#[test]
fn the_fast_paths_lead_to_the_same_state() {
    let short: u64 = thread::scope(|scope| {
        let seeds = [0, 1, 2, 3, 4].map(|seed| scope.spawn(move || play_all(seed)));
        seeds.map(|played| played.join().unwrap()).iter().sum()
    });
    assert!(short > 3_000, "{short}");
}

/// Connections of many kinds over the network of one seed; how often a fast path was taken.
fn play_all(seed: u64) -> u64 {
    let mut short = 0;
    for (cc, keys) in [
        ("newreno", &[][..]),
        ("newreno", &[("ecn", "true"), ("handshake", "true")][..]),
        ("cubic", &[("window", "12 packets")][..]),
        ("dctcp", &[("delayed_ack", "1"), ("quick_acks", "8")][..]),
        ("prague", &[("pacing", "false")][..]),
        ("prague", &[][..]),
        ("newreno", &[("ecn", "accurate")][..]),
        ("vegas", &[("window", "2500 B")][..]),
        ("ledbat", &[("validate_cwnd", "false")][..]),
        ("newreno", &[("pacing", "true")][..]),
        ("bbr", &[][..]),
        ("bbr3", &[("ecn", "true")][..]),
    ] {
        short += play(cc, Preset::Reference, keys, seed);
    }
    short += play("cubic", Preset::Linux, &[], seed);
    short += play("newreno", Preset::Ns3, &[], seed);
    short += play("bbr", Preset::Linux, &[], seed);
    short += play("cubic", Preset::Linux, &[("pacing", "true")], seed);
    short += play("bbr", Preset::Ns3, &[], seed);
    short
}
