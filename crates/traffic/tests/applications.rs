//! Applications from outside: what they order, in which order, and what they count as complete.

#![allow(clippy::unwrap_used)]

use sojourn_base::{Bytes, Preset, Scalar, Span, Stream, Time};
use sojourn_traffic::{
    AnyApplication, Application, Completed, Direction, Draw, Event, Exchange, Host, StreamId,
    build_application,
};

/// A host that writes down what it is asked for.
#[derive(Default)]
struct Notes {
    streams: StreamId,
    log: Vec<String>,
    wake: Option<Time>,
    /// Messages under way: stream and tag.
    sent: Vec<(StreamId, u32)>,
    completed: Vec<Completed>,
    full: bool,
    has_handshake: bool,
}

impl Host for Notes {
    fn open(&mut self) -> StreamId {
        self.streams += 1;
        self.log.push(format!("open {}", self.streams - 1));
        self.streams - 1
    }
    fn connect(&mut self, stream: StreamId) -> bool {
        self.log.push(format!("connect {stream}"));
        self.has_handshake
    }
    fn send(&mut self, stream: StreamId, direction: Direction, bytes: u64, tag: u32) {
        self.log
            .push(format!("send {stream} {direction:?} {bytes}"));
        self.sent.push((stream, tag));
    }
    fn write(&mut self, stream: StreamId, bytes: u64) -> bool {
        if !self.full {
            self.log.push(format!("write {stream} {bytes}"));
        }
        !self.full
    }
    fn send_endless(&mut self, stream: StreamId) {
        self.log.push(format!("endless {stream}"));
    }
    fn close(&mut self, stream: StreamId, direction: Direction) {
        self.log.push(format!("close {stream} {direction:?}"));
    }
    fn wake_at(&mut self, at: Time) {
        self.wake = Some(at);
    }
    fn completed(&mut self, transfer: Completed) {
        self.completed.push(transfer);
    }
}

/// An application, its host and its random streams.
struct Stage {
    application: AnyApplication,
    host: Notes,
    gaps: Stream,
    sizes: Stream,
}

fn stage<const N: usize>(name: &str, params: &[(&str, Scalar<'_>); N]) -> Stage {
    stage_of(Preset::Reference, name, params)
}

fn stage_of<const N: usize>(preset: Preset, name: &str, params: &[(&str, Scalar<'_>); N]) -> Stage {
    let segment = Bytes::new(1000);
    Stage {
        application: build_application(name, params, preset, segment).unwrap(),
        host: Notes::default(),
        gaps: Stream::new(1),
        sizes: Stream::new(2),
    }
}

impl Stage {
    /// Tells the application of an event; returns what it ordered.
    fn on(&mut self, ms: u64, event: Event) -> Vec<String> {
        let mut draw = Draw {
            gaps: &mut self.gaps,
            sizes: &mut self.sizes,
        };
        let now = Time::ZERO + Span::from_ms(ms);
        self.application.on(now, event, &mut draw, &mut self.host);
        core::mem::take(&mut self.host.log)
    }

    /// The oldest message under way arrives.
    fn arrive(&mut self, ms: u64) -> Vec<String> {
        let (stream, tag) = self.host.sent.remove(0);
        self.on(ms, Event::Arrived { stream, tag })
    }

    /// When what is under way began, in milliseconds, and its size.
    fn under_way(&self) -> Vec<(u64, Option<u64>)> {
        let mut found = Vec::new();
        self.application.under_way(&mut |begun| {
            found.push((begun.began.as_ps() / 1_000_000_000, begun.bytes));
        });
        found
    }
}

fn done(began_ms: u64, bytes: u64, exchange: Exchange) -> Completed {
    Completed {
        began: Time::ZERO + Span::from_ms(began_ms),
        bytes,
        exchange,
    }
}

#[test]
fn a_finite_bulk_transfer_ends_when_its_last_byte_has_arrived() {
    let mut bulk = stage("bulk", &[("bytes", Scalar::Text("5 kB"))]);
    let sent = bulk.on(100, Event::Start);
    assert_eq!(sent, ["open 0", "send 0 Forward 5000", "close 0 Forward"]);
    assert!(bulk.arrive(400).is_empty());
    assert_eq!(bulk.host.completed, [done(100, 5000, Exchange::Sent)]);
}

#[test]
fn what_has_begun_is_under_way_until_its_last_byte_has_arrived() {
    let mut bulk = stage("bulk", &[("bytes", Scalar::Text("5 kB"))]);
    assert_eq!(bulk.under_way(), []);
    bulk.on(100, Event::Start);
    assert_eq!(bulk.under_way(), [(100, Some(5000))]);
    bulk.arrive(400);
    assert_eq!(bulk.under_way(), []);

    let params = [
        ("response", Scalar::Text("2000 B")),
        ("think", Scalar::Text("50 ms")),
    ];
    let mut client = stage("request_response", &params);
    client.on(7, Event::Start);
    assert_eq!(client.under_way(), [(7, Some(2000))], "asked for");
    client.arrive(10);
    assert_eq!(client.under_way(), [(7, Some(2000))]);
    client.arrive(30);
    assert_eq!(client.under_way(), []);

    let params = [
        ("rate", Scalar::Text("1 Mbit/s")),
        ("size", Scalar::Text("3 kB")),
    ];
    let mut arrivals = stage("arrivals", &params);
    arrivals.on(0, Event::Start);
    arrivals.on(20, Event::Wake);
    arrivals.on(50, Event::Wake);
    assert_eq!(arrivals.under_way(), [(20, Some(3000)), (50, Some(3000))]);
    arrivals.arrive(60);
    assert_eq!(arrivals.under_way(), [(50, Some(3000))]);

    let mut browser = stage("web", &[("objects", Scalar::Text("constant(1)"))]);
    browser.on(5, Event::Start);
    assert_eq!(browser.under_way(), [(5, None)]);
    for ms in [6, 7] {
        browser.arrive(ms);
    }
    browser.on(100, Event::Wake);
    assert_eq!(
        browser.under_way(),
        [(5, None)],
        "an object of the page is missing"
    );
    for ms in [101, 102] {
        browser.arrive(ms);
    }
    assert_eq!(browser.under_way(), []);
}

#[test]
fn bulk_without_a_size_never_ends() {
    let mut bulk = stage("bulk", &[]);
    assert_eq!(bulk.on(0, Event::Start), ["open 0", "endless 0"]);
}

#[test]
fn a_response_follows_its_request_and_the_next_request_a_time_to_think() {
    let params = [
        ("request", Scalar::Text("100 B")),
        ("response", Scalar::Text("2000 B")),
        ("think", Scalar::Text("50 ms")),
    ];
    let mut client = stage("request_response", &params);
    assert_eq!(client.on(0, Event::Start), ["open 0", "send 0 Reverse 100"]);
    assert_eq!(client.arrive(10), ["send 0 Forward 2000"]);
    assert!(client.arrive(30).is_empty());
    let answered = |first| Exchange::Answered {
        request: 100,
        first,
    };
    assert_eq!(client.host.completed, [done(0, 2000, answered(true))]);
    assert_eq!(client.host.wake, Some(Time::ZERO + Span::from_ms(80)));
    assert_eq!(client.on(80, Event::Wake), ["send 0 Reverse 100"]);
    client.arrive(90);
    client.arrive(110);
    let second = done(80, 2000, answered(false));
    assert_eq!(
        client.host.completed[1..],
        [second],
        "over the same connection"
    );
}

#[test]
fn a_page_is_complete_with_its_last_object() {
    let params = [
        ("main", Scalar::Text("9000 B")),
        ("embedded", Scalar::Text("500 B")),
        ("objects", Scalar::Integer(3)),
        ("connections", Scalar::Integer(2)),
        ("parsing", Scalar::Text("5 ms")),
        ("reading", Scalar::Text("1 s")),
    ];
    let mut web = stage("web", &params);
    assert_eq!(web.on(0, Event::Start), ["open 0", "send 0 Reverse 350"]);
    assert_eq!(web.arrive(10), ["send 0 Forward 9000"]);
    assert!(web.arrive(40).is_empty(), "the page is parsed first");
    let asked = web.on(45, Event::Wake);
    assert_eq!(
        asked,
        ["open 1", "send 0 Reverse 350", "send 1 Reverse 350"]
    );
    assert_eq!(web.arrive(50), ["send 0 Forward 500"]);
    assert_eq!(web.arrive(50), ["send 1 Forward 500"]);
    assert_eq!(web.arrive(60), ["send 0 Reverse 350"], "the third object");
    assert!(web.arrive(61).is_empty());
    assert_eq!(web.arrive(65), ["send 0 Forward 500"]);
    assert_eq!(web.arrive(70), ["close 0 Reverse", "close 1 Reverse"]);
    assert_eq!(web.host.completed, [done(0, 10_500, Exchange::Several)]);
    assert_eq!(web.host.wake, Some(Time::ZERO + Span::from_ms(1070)));
}

/// No end of a connection knows what has come to the other but by what that sends.
#[test]
fn who_has_written_all_closes_before_it_has_arrived() {
    let mut client = stage("request_response", &[("persistent", Scalar::Flag(false))]);
    assert_eq!(client.on(0, Event::Start), ["open 0", "send 0 Reverse 350"]);
    let answered = client.arrive(10);
    assert!(answered[0].starts_with("send 0 Forward"), "{answered:?}");
    assert_eq!(answered[1], "close 0 Forward");
    assert!(client.arrive(30).is_empty());
    let again = client.on(40, Event::Wake);
    assert_eq!(again, ["open 1", "send 1 Reverse 350"]);
    let mut arrivals = stage("arrivals", &[("rate", Scalar::Text("1 Mbit/s"))]);
    arrivals.on(0, Event::Start);
    let sent = arrivals.on(5, Event::Wake);
    assert_eq!((&*sent[0], &*sent[2]), ("open 0", "close 0 Forward"));
    assert!(arrivals.arrive(40).is_empty());
}

#[test]
fn arrivals_bring_the_load_that_was_asked_for() {
    let params = [
        ("rate", Scalar::Text("8 Mbit/s")),
        ("size", Scalar::Text("exponential(10 kB)")),
    ];
    let mut arrivals = stage("arrivals", &params);
    arrivals.on(0, Event::Start);
    let (mut bytes, n) = (0, 20_000);
    for _ in 0..n {
        let now = arrivals.host.wake.unwrap();
        let mut draw = Draw {
            gaps: &mut arrivals.gaps,
            sizes: &mut arrivals.sizes,
        };
        arrivals
            .application
            .on(now, Event::Wake, &mut draw, &mut arrivals.host);
        let (stream, tag) = arrivals.host.sent.pop().unwrap();
        let arrived = Event::Arrived { stream, tag };
        arrivals
            .application
            .on(now, arrived, &mut draw, &mut arrivals.host);
        bytes += arrivals.host.completed.pop().unwrap().bytes;
    }
    let seconds = arrivals.host.wake.unwrap().as_s();
    let load = 8.0 * bytes as f64 / seconds;
    // Gaps and sizes each have a standard error of 1/sqrt(n): 0.7 percent.
    assert!((load / 8e6 - 1.0).abs() < 0.03, "{load}");
}

#[test]
fn a_paced_source_holds_back_where_there_is_no_room() {
    let mut cbr = stage("cbr", &[("rate", Scalar::Text("1 Mbit/s"))]);
    assert_eq!(cbr.on(0, Event::Start), ["open 0"]);
    assert_eq!(cbr.host.wake, Some(Time::ZERO));
    assert_eq!(cbr.on(0, Event::Wake), ["write 0 1000"]);
    cbr.host.full = true;
    assert!(cbr.on(8, Event::Wake).is_empty());
    assert_eq!(cbr.host.wake, Some(Time::ZERO + Span::from_ms(16)));
    cbr.host.full = false;
    assert_eq!(cbr.on(16, Event::Wake), ["write 0 1000"]);
}

/// `OnOffApplication::ConnectionSucceeded` begins the first off period.
#[test]
fn a_source_of_ns3_begins_when_its_connection_is_there() {
    for has_handshake in [true, false] {
        let mut source = stage_of(Preset::Ns3, "onoff", &[("rate", Scalar::Text("1 Mbit/s"))]);
        source.host.has_handshake = has_handshake;
        assert_eq!(source.on(500, Event::Start), ["open 0", "connect 0"]);
        let mut began = 500;
        if has_handshake {
            assert_eq!(source.host.wake, None);
            began = 600;
            assert!(source.on(began, Event::Connected { stream: 0 }).is_empty());
        }
        // Off for a second, then a segment takes 8 ms.
        let first = Time::ZERO + Span::from_ms(began + 1_008);
        assert_eq!(source.host.wake, Some(first));
    }
}
