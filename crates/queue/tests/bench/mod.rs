//! A test bench: packets, a sink that remembers, and a clock of the test's own that keeps the
//! order of one instant (departures, arrivals, timers), bare or behind a link.

#![allow(dead_code, unreachable_pub)]

use sojourn_base::params::Texts;
use sojourn_base::{Bytes, Ecn, LinkInfo, Preset, Rate, Span, Stream, Time};
use sojourn_queue::{
    AckView, AnyDiscipline, Backlog, BuildError, Context, Dequeued, Discipline, Packet, ProbeValue,
    Reason, Sink, build,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestPacket {
    pub id: u64,
    pub size: u64,
    pub flow: u32,
    /// The upper half of its key.
    pub connection: u32,
    pub source: u32,
    pub destination: u32,
    pub dscp: u8,
    pub ecn: Ecn,
    pub ack: Option<AckView>,
    pub rtt: Option<Span>,
    pub enqueued: Time,
}

impl Packet for TestPacket {
    fn size(&self) -> Bytes {
        Bytes::new(self.size)
    }
    fn flow(&self) -> u64 {
        u64::from(self.flow) | u64::from(self.connection) << 32
    }
    fn source(&self) -> u32 {
        self.source
    }
    fn destination(&self) -> u32 {
        self.destination
    }
    fn dscp(&self) -> u8 {
        self.dscp
    }
    fn priority(&self) -> u8 {
        (self.flow % 16) as u8
    }
    fn ecn(&self) -> Ecn {
        self.ecn
    }
    fn set_ce(&mut self) {
        assert!(self.ecn.is_capable(), "marked a packet that is not capable");
        self.ecn = Ecn::Ce;
    }
    fn ack(&self) -> Option<AckView> {
        self.ack
    }
    fn rtt(&self) -> Option<Span> {
        self.rtt
    }
    fn enqueued(&self) -> Time {
        self.enqueued
    }
}

#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Record {
    pub dropped: Vec<(TestPacket, Reason)>,
    pub marked: Vec<(TestPacket, Reason)>,
}

impl Sink<TestPacket> for Record {
    fn dropped(&mut self, packet: TestPacket, reason: Reason) {
        self.dropped.push((packet, reason));
    }
    fn marked(&mut self, packet: &TestPacket, reason: Reason) {
        self.marked.push((packet.clone(), reason));
    }
}

/// Holds what was found against what was worked out, to the rounding of floats.
#[track_caller]
pub fn close(found: f64, expected: f64) {
    assert!(
        (found - expected).abs() <= 1e-12 + 1e-9 * expected.abs(),
        "{found} {expected}"
    );
}

pub fn link(mbit: u64) -> LinkInfo {
    LinkInfo {
        rate: Rate::from_bps(mbit * 1_000_000).expect("within range"),
        delay: Span::from_ms(10),
        mtu: Bytes::new(1500),
        framing: Bytes::new(14),
        base_rtt: Span::from_ms(40),
    }
}

pub fn us(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

pub fn make(
    name: &str,
    params: &[(&str, &str)],
    preset: Preset,
    link: &LinkInfo,
) -> Result<AnyDiscipline<TestPacket>, BuildError> {
    build(name, &Texts(params), preset, link)
}

/// What a refused parameter table says.
pub fn fault(name: &str, params: &[(&str, &str)], preset: Preset) -> String {
    match make(name, params, preset, &link(8)) {
        Ok(_) => "accepted".to_owned(),
        Err(BuildError::Unknown) => "unknown".to_owned(),
        Err(BuildError::Param(fault)) => fault.to_string(),
    }
}

/// A discipline, a clock and, if packets are `sent`, a link of 8 Mbit/s behind it.
pub struct Bench {
    pub discipline: AnyDiscipline<TestPacket>,
    pub random: Stream,
    pub record: Record,
    pub delivered: Vec<(Time, TestPacket)>,
    pub link: LinkInfo,
    /// Where packets to come go.
    pub destination: u32,
    /// Where they come from; none: from the number of their flow.
    pub source: Option<u32>,
    /// The upper half of the keys of what comes.
    pub connection: u32,
    /// Their codepoint.
    pub dscp: u8,
    /// What they acknowledge.
    pub ack: Option<AckView>,
    /// The round-trip time that they carry.
    pub rtt: Option<Span>,
    /// Until when the last dequeue was asked to wait.
    pub wait: Option<Time>,
    now: Time,
    busy_until: Option<Time>,
    next_id: u64,
}

impl Bench {
    pub fn new(name: &str, params: &[(&str, &str)]) -> Self {
        Self::under(Preset::Reference, name, params)
    }

    pub fn ns2(name: &str, params: &[(&str, &str)]) -> Self {
        Self::under(Preset::Ns2, name, params)
    }

    pub fn under(preset: Preset, name: &str, params: &[(&str, &str)]) -> Self {
        Self::behind(link(8), preset, name, params)
    }

    pub fn behind(link: LinkInfo, preset: Preset, name: &str, params: &[(&str, &str)]) -> Self {
        let discipline = match make(name, params, preset, &link) {
            Ok(discipline) => discipline,
            Err(error) => panic!("{name}: {error:?}"),
        };
        Self {
            discipline,
            random: Stream::new(1),
            record: Record::default(),
            delivered: Vec::new(),
            link,
            destination: 1_000,
            source: None,
            connection: 0,
            dscp: 0,
            ack: None,
            rtt: None,
            wait: None,
            now: Time::ZERO,
            busy_until: None,
            next_id: 0,
        }
    }

    fn call<R>(
        &mut self,
        now: Time,
        act: impl FnOnce(&mut AnyDiscipline<TestPacket>, &mut Context<'_, TestPacket>) -> R,
    ) -> R {
        assert!(now >= self.now, "the clock runs backwards");
        self.now = now;
        let mut ctx = Context {
            now,
            random: &mut self.random,
            sink: &mut self.record,
        };
        act(&mut self.discipline, &mut ctx)
    }

    /// Calls the discipline's timer, due or not.
    pub fn timer(&mut self, now: Time) {
        self.call(now, Discipline::on_timer);
    }

    /// Runs the timers that are due before `now`, each at its instant.
    pub fn timers_before(&mut self, now: Time) {
        while let Some(due) = self.discipline.next_timer().filter(|&due| due < now) {
            self.call(due, Discipline::on_timer);
            assert!(
                self.discipline.next_timer().is_none_or(|next| next > due),
                "a timer must move on"
            );
        }
    }

    /// The packet that comes next.
    pub fn packet(&self, now: Time, flow: u32, size: u64, ecn: Ecn) -> TestPacket {
        TestPacket {
            id: self.next_id,
            size,
            flow,
            connection: self.connection,
            source: self.source.unwrap_or(flow),
            destination: self.destination,
            dscp: self.dscp,
            ecn,
            ack: self.ack,
            rtt: self.rtt,
            enqueued: now,
        }
    }

    /// An arrival at the bare discipline; true if it was not dropped at once.
    pub fn enqueue(&mut self, now: Time, flow: u32, size: u64, ecn: Ecn) -> bool {
        self.timers_before(now);
        let packet = self.packet(now, flow, size, ecn);
        let id = packet.id;
        self.next_id += 1;
        let before = self.record.dropped.len();
        self.call(now, |discipline, ctx| discipline.enqueue(packet, ctx));
        self.record.dropped[before..]
            .iter()
            .all(|(p, _)| p.id != id)
    }

    /// A plain arrival of flow 0.
    pub fn arrive(&mut self, now: Time, size: u64) -> bool {
        self.enqueue(now, 0, size, Ecn::NotEct)
    }

    pub fn dequeue(&mut self, now: Time) -> Option<TestPacket> {
        self.timers_before(now);
        self.wait = None;
        match self.call(now, Discipline::dequeue) {
            Dequeued::Packet(packet) => Some(packet),
            Dequeued::Empty => None,
            Dequeued::Wait(until) => {
                assert!(until > now, "asked to wait for what is past");
                self.wait = Some(until);
                None
            }
        }
    }

    /// An arrival that, if let in, leaves again at once with the link busy all the time: the
    /// queue stays as it is.
    pub fn pass(&mut self, now: Time, size: u64, ecn: Ecn) -> bool {
        let taken = self.enqueue(now, 0, size, ecn);
        if taken {
            self.dequeue(now);
        }
        taken
    }

    fn start(&mut self, now: Time) {
        self.busy_until = self.dequeue(now).map(|packet| {
            let end = now + self.link.rate.time_to_send(packet.size());
            self.delivered.push((end, packet));
            end
        });
    }

    /// Lets the link work up to and including `now`.
    pub fn link_until(&mut self, now: Time) {
        while let Some(end) = self.busy_until.filter(|&end| end <= now) {
            self.start(end);
        }
    }

    /// An arrival in front of the link.
    pub fn send(&mut self, now: Time, flow: u32, size: u64, ecn: Ecn) -> bool {
        self.link_until(now);
        let taken = self.enqueue(now, flow, size, ecn);
        if self.busy_until.is_none() {
            self.start(now);
        }
        taken
    }

    pub fn backlog(&self) -> Backlog {
        self.discipline.backlog()
    }

    pub fn packets(&self) -> usize {
        self.backlog().packets
    }

    /// The inner variables.
    pub fn inside(&self) -> Vec<(String, ProbeValue)> {
        let mut shown = Vec::new();
        self.discipline
            .probe_all(&mut |name, value| shown.push((name.to_owned(), value)));
        shown
    }

    pub fn probe(&self, name: &str) -> f64 {
        let mut found = f64::NAN;
        self.discipline.probe_all(&mut |shown, value| {
            if let (true, ProbeValue::Number(number)) = (shown == name, value) {
                found = number;
            }
        });
        found
    }

    pub fn poke(&mut self, name: &str, value: f64) {
        assert!(self.discipline.poke(name, value), "nothing called {name}");
    }

    pub fn drops(&self, reason: Reason) -> usize {
        let dropped = self.record.dropped.iter();
        dropped.filter(|(_, why)| *why == reason).count()
    }

    pub fn marks(&self) -> usize {
        self.record.marked.len()
    }
}

/// What `flows` sources get through if each sends `each` packets at once into an idle link, one of
/// each source in turn: the accepted packets of each, the one in service included.
pub fn burst(bench: &mut Bench, flows: u32, each: usize, size: u64) -> Vec<usize> {
    // As in the script, the burst lies within some microseconds; a packet takes half a millisecond.
    let mut at = us(1_000_000);
    for _ in 0..each {
        for flow in 0..flows {
            bench.send(at, flow, size, Ecn::NotEct);
        }
        at += Span::from_ps(40_000);
    }
    bench.link_until(us(9_000_000));
    let delivered = |flow| {
        let delivered = bench.delivered.iter();
        delivered.filter(|(_, packet)| packet.flow == flow).count()
    };
    (0..flows).map(delivered).collect()
}
