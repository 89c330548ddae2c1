//! Two ends of a connection, links between them, and a clock that the test owns.

// Each test file uses its own part.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::needless_pass_by_value
)]
#![allow(clippy::type_complexity)]

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use sojourn_base::params::Texts;
use sojourn_base::{Bytes, Ecn, ParamSet, Preset, Rate, Span, Time};
use sojourn_transport::{
    Ack, AnyController, Arrival, Config, CongestionControl, Receiver, SackBlocks, Segment, Sender,
    Start, TcpParams, build,
};

/// What becomes of a segment on its way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fate {
    Deliver,
    Drop,
    Mark,
    Duplicate,
    Delay(Span),
}

/// A link: rate, delay, and room for so many waiting packets.
pub struct Link {
    rate: Option<Rate>,
    pub delay: Span,
    limit: usize,
    /// When each packet that waits or is being sent has left.
    departures: VecDeque<Time>,
    pub mark_above: usize,
}

impl Link {
    pub fn new(rate: Option<Rate>, delay: Span, limit: usize) -> Self {
        Self {
            rate,
            delay,
            limit,
            departures: VecDeque::new(),
            mark_above: usize::MAX,
        }
    }

    /// When a packet that comes now will have crossed, and whether it is marked; none if dropped.
    pub fn cross(&mut self, now: Time, bytes: u64) -> Option<(Time, bool)> {
        let Some(rate) = self.rate else {
            return Some((now + self.delay, false));
        };
        while self.departures.front().is_some_and(|&left| left <= now) {
            self.departures.pop_front();
        }
        // The first is being sent and does not wait.
        let waiting = self.departures.len().saturating_sub(1);
        if !self.departures.is_empty() && waiting >= self.limit {
            return None;
        }
        let from = self.departures.back().map_or(now, |&left| left);
        let left = from + rate.time_to_send(Bytes::new(bytes));
        self.departures.push_back(left);
        Some((left + self.delay, self.departures.len() > self.mark_above))
    }
}

enum Event {
    Segment(usize, Arrival),
    Ack(Ack),
}

pub struct Bench {
    pub now: Time,
    pub sender: Sender,
    pub receiver: Receiver,
    pub links: Vec<Link>,
    pub back: Span,
    pub header: u64,
    /// What becomes of the n-th segment sent, retransmissions counted.
    pub fate: Box<dyn FnMut(u64, &Segment) -> Fate>,
    /// What becomes of an acknowledgement.
    pub ack_fate: Box<dyn FnMut(&Ack) -> Fate>,
    events: BTreeMap<(Time, u64), Event>,
    number: u64,
    pub sent: Vec<(Time, Segment)>,
    pub acks: Vec<(Time, Ack)>,
    /// Segments that a link's queue refused.
    pub refused: Vec<(Time, Segment)>,
    pub log: bool,
    pub in_segments: u64,
}

/// The settings of a preset with some keys given.
pub fn config(preset: Preset, cc: &str, keys: &[(&'static str, &'static str)]) -> Arc<Config> {
    let cc = controller(cc, preset, &Start::of(1000, 10));
    Arc::new(Config::new(&params(preset, keys), preset, &cc.needs()).unwrap())
}

pub fn params(preset: Preset, keys: &[(&'static str, &'static str)]) -> TcpParams {
    TcpParams::read(&Texts(keys), preset).unwrap()
}

pub fn controller(name: &str, preset: Preset, start: &Start) -> AnyController {
    build(name, &(), preset, start).unwrap()
}

/// An inner variable of a controller; not a number where it has none of this name.
pub fn probe(cc: &AnyController, name: &str) -> f64 {
    let mut found = f64::NAN;
    cc.probe(&mut |key, value| {
        if key == name {
            found = value;
        }
    });
    found
}

/// A sender of a controller with default parameters.
pub fn sender(config: &Arc<Config>, cc: &str, preset: Preset) -> Sender {
    let start = config.start(sojourn_base::Stream::new(7));
    Sender::new(config.clone(), controller(cc, preset, &start))
}

impl Bench {
    /// A connection over a path of a round-trip time without queues.
    pub fn new(cc: &str, preset: Preset, rtt: Span, keys: &[(&'static str, &'static str)]) -> Self {
        let half = Span::from_ps(rtt.as_ps() / 2);
        Self::over(cc, preset, vec![Link::new(None, half, 0)], half, keys)
    }

    pub fn over(
        cc: &str,
        preset: Preset,
        links: Vec<Link>,
        back: Span,
        keys: &[(&'static str, &'static str)],
    ) -> Self {
        let config = config(preset, cc, keys);
        Self {
            now: Time::ZERO,
            sender: sender(&config, cc, preset),
            receiver: Receiver::new(config.clone()),
            links,
            back,
            header: u64::from(config.header),
            fate: Box::new(|_, _| Fate::Deliver),
            ack_fate: Box::new(|_| Fate::Deliver),
            events: BTreeMap::new(),
            number: 0,
            sent: Vec::new(),
            acks: Vec::new(),
            refused: Vec::new(),
            log: true,
            in_segments: 0,
        }
    }

    fn schedule(&mut self, at: Time, event: Event) {
        self.number += 1;
        self.events.insert((at, self.number), event);
    }

    /// Sends what may be sent.
    pub fn pump(&mut self) {
        while let Some(segment) = self.sender.poll_send(self.now) {
            if self.log {
                self.sent.push((self.now, segment));
            }
            let fate = (self.fate)(self.in_segments, &segment);
            self.in_segments += 1;
            let mut arrival = Arrival::from(segment);
            match fate {
                Fate::Drop => continue,
                Fate::Mark => arrival.ecn = Ecn::Ce,
                Fate::Duplicate => self.hop(0, arrival),
                Fate::Delay(by) => {
                    self.schedule(self.now + by, Event::Segment(0, arrival));
                    continue;
                }
                Fate::Deliver => {}
            }
            self.hop(0, arrival);
        }
    }

    fn hop(&mut self, link: usize, mut arrival: Arrival) {
        let bytes = u64::from(arrival.segment.len) + self.header;
        match self.links[link].cross(self.now, bytes) {
            None => self.refused.push((self.now, arrival.segment)),
            Some((at, marked)) => {
                if marked && arrival.ecn.is_capable() {
                    arrival.ecn = Ecn::Ce;
                }
                self.schedule(at, Event::Segment(link + 1, arrival));
            }
        }
    }

    /// Runs everything up to and including an instant.
    pub fn run_until(&mut self, until: Time) {
        self.pump();
        loop {
            let event = self.events.first_key_value().map(|(&(at, _), _)| at);
            let timers = [self.sender.next_timer(), self.receiver.next_timer()];
            let timer = timers.into_iter().flatten().min();
            let Some(at) = event.into_iter().chain(timer).min() else {
                break;
            };
            if at > until {
                break;
            }
            self.now = self.now.max(at);
            if event == Some(at) {
                let (_, event) = self.events.pop_first().unwrap();
                self.handle(event);
            } else {
                if self.sender.next_timer().is_some_and(|at| at <= self.now) {
                    self.sender.on_timer(self.now);
                }
                if let Some(ack) = self.receiver.on_timer(self.now) {
                    self.send_ack(ack);
                }
            }
            self.pump();
        }
        self.now = self.now.max(until);
    }

    fn handle(&mut self, event: Event) {
        match event {
            Event::Segment(link, arrival) if link < self.links.len() => self.hop(link, arrival),
            Event::Segment(_, arrival) => {
                let received = self.receiver.on_segment(self.now, &arrival);
                for ack in received.acks.into_iter().flatten() {
                    self.send_ack(ack);
                }
            }
            Event::Ack(ack) => self.sender.on_ack(self.now, &ack),
        }
    }

    fn send_ack(&mut self, ack: Ack) {
        if self.log {
            self.acks.push((self.now, ack));
        }
        let mut at = self.now + self.back;
        match (self.ack_fate)(&ack) {
            Fate::Drop => return,
            Fate::Duplicate => self.schedule(at, Event::Ack(ack)),
            Fate::Delay(by) => at += by,
            Fate::Deliver | Fate::Mark => {}
        }
        self.schedule(at, Event::Ack(ack));
    }

    /// An inner variable of the controller.
    pub fn probe(&self, name: &str) -> f64 {
        probe(self.sender.controller(), name)
    }

    pub fn cwnd_segments(&self) -> f64 {
        self.sender.window() as f64 / f64::from(self.sender.config().mss)
    }
}

/// A sender alone: the test plays the network.
pub struct Solo {
    pub sender: Sender,
    pub now: Time,
}

impl Solo {
    pub fn new(cc: &str, preset: Preset, keys: &[(&'static str, &'static str)]) -> Self {
        let config = config(preset, cc, keys);
        Self {
            sender: sender(&config, cc, preset),
            now: Time::ZERO,
        }
    }

    /// What goes out now: first numbers and ends.
    pub fn sends(&mut self) -> Vec<(u64, u64)> {
        let mut sent = Vec::new();
        while let Some(segment) = self.sender.poll_send(self.now) {
            sent.push((segment.seq, segment.end()));
        }
        sent
    }

    pub fn at(&mut self, ms: u64) -> Vec<(u64, u64)> {
        let until = Time::ZERO + Span::from_ms(ms);
        let mut sent = Vec::new();
        while let Some(at) = self.sender.next_timer().filter(|&at| at <= until) {
            self.now = self.now.max(at);
            self.sender.on_timer(self.now);
            sent.extend(self.sends());
        }
        self.now = until;
        sent
    }

    /// An acknowledgement now, and what goes out for it.
    pub fn ack(&mut self, ack: u64, sack: &[(u64, u64)]) -> Vec<(u64, u64)> {
        let ack = Ack {
            sack: SackBlocks::of(sack),
            ..Ack::plain(ack)
        };
        self.sender.on_ack(self.now, &ack);
        self.sends()
    }

    /// The same with a window.
    pub fn ack_with_window(&mut self, ack: u64, window: u64) -> Vec<(u64, u64)> {
        let ack = Ack {
            window,
            ..Ack::plain(ack)
        };
        self.sender.on_ack(self.now, &ack);
        self.sends()
    }

    /// The same with a count of marked bytes.
    pub fn counting(&mut self, ack: u64, ce_bytes: u64) -> Vec<(u64, u64)> {
        let ack = Ack {
            ce_bytes,
            ..Ack::plain(ack)
        };
        self.sender.on_ack(self.now, &ack);
        self.sends()
    }

    /// The same with an echo of marks.
    pub fn ece(&mut self, ack: u64) -> Vec<(u64, u64)> {
        let ack = Ack {
            ece: true,
            ..Ack::plain(ack)
        };
        self.sender.on_ack(self.now, &ack);
        self.sends()
    }

    pub fn cwnd(&self) -> f64 {
        self.sender.window() as f64 / f64::from(self.sender.config().mss)
    }

    pub fn ssthresh(&self) -> f64 {
        self.sender.ssthresh() as f64 / f64::from(self.sender.config().mss)
    }
}

/// Segments of 1000 bytes, an acknowledgement each, no timestamps: the RFCs' arithmetic.
pub const PLAIN: &[(&str, &str)] = &[
    ("segment", "1000 B"),
    ("delayed_ack", "1"),
    ("timestamps", "false"),
    ("sack", "false"),
];

/// The same with SACK, without RACK and PRR.
pub const SACK: &[(&str, &str)] = &[
    ("segment", "1000 B"),
    ("delayed_ack", "1"),
    ("timestamps", "false"),
    ("rack", "false"),
    ("prr", "false"),
];

pub fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// `seq` of the n-th segment of 1000 bytes, from 0.
pub fn nth(n: u64) -> u64 {
    1 + 1000 * n
}

/// First numbers and ends of such segments.
pub fn segments(from: u64, to: u64) -> Vec<(u64, u64)> {
    (from..to).map(|n| (nth(n), nth(n + 1))).collect()
}

/// The segment of 1000 bytes with this place, sent at `stamp`.
pub fn segment(place: u64, stamp: Time) -> Segment {
    Segment {
        seq: 1 + 1000 * place,
        len: 1000,
        syn: false,
        fin: false,
        retransmission: false,
        push: false,
        cwr: false,
        ecn: Ecn::Ect0,
        stamp,
    }
}
