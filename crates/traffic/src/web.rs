//! Web pages: a client loads a page and all that is embedded in it, reads, and loads the next.
//!
//! The flow's `to` is the browser and its `from` the server. The browser first loads the main
//! object of a page. When that has been parsed, it loads the embedded objects over several
//! connections at once, each of which requests the next object when the object before has arrived
//! (HTTP/1.1 without pipelining). Connections are kept for one page and opened again for the next.
//! A completion time is that of a page, measured from the first request to the last byte of the
//! last object. It has no slowdown, since it contains pauses and as many round trips as the page
//! has rounds of objects.
//!
//! **Defaults** follow the HTTP model of 3GPP2 C.R1002 and of ns-3: lognormal objects of 10.7 kB
//! and 7.8 kB on average, 5.64 embedded objects per page, 30 s of reading. By choice, the number of
//! embedded objects is exponential instead of a truncated Pareto with the same mean, and sizes are
//! not truncated. The numbers are from memory of that model and unverified.

use sojourn_base::{
    Bytes, Count, Distribution, Law, ParamFault, Preset, Span, Time, Whole, params,
};

use crate::Draw;
use crate::application::{
    Application, Begun, Completed, Direction, Event, Exchange, Host, StreamId,
};

params! {
    /// Parameters of web browsing.
    pub struct Params {
        /// Size of a request.
        request: Distribution<Bytes> = "350 B";
        /// Size of a page's main object.
        main: Distribution<Bytes> = "lognormal(1.37, 10710 B)";
        /// Size of an embedded object.
        embedded: Distribution<Bytes> = "lognormal(2.36, 7758 B)";
        /// Number of embedded objects of a page.
        objects: Distribution<Count> = "exponential(5.64)";
        /// Number of connections that load embedded objects at once.
        connections: Whole = "6";
        /// Time from the arrival of the main object to the first request for an embedded one.
        parsing: Distribution<Span> = "exponential(130 ms)";
        /// Time from the end of a page to the request for the next.
        reading: Distribution<Span> = "exponential(30 s)";
    }
}

/// A request and the object asked for go by the number of the object, the request's doubled.
const fn request(object: u32) -> u32 {
    2 * object
}

const fn response(object: u32) -> u32 {
    2 * object + 1
}

/// A browser and its server.
#[derive(Debug)]
pub struct Web {
    params: Params,
    state: State,
    began: Time,
    /// Bytes of the page so far.
    bytes: u64,
    /// Connections of the page; the first fetched the main object.
    streams: Vec<StreamId>,
    /// Embedded objects not yet asked for, and not yet arrived.
    unasked: u32,
    missing: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Reading,
    Main,
    Parsing,
    Embedded,
}

impl Web {
    /// A browser and its server.
    ///
    /// # Errors
    /// No connection at all, or more than a thousand.
    pub fn new(params: &Params, _preset: Preset) -> Result<Self, ParamFault> {
        let connections = params.connections.0;
        if !(1..=1000).contains(&connections) {
            return Err(ParamFault::new("connections", connections, "1 to 1000"));
        }
        Ok(Self {
            params: params.clone(),
            state: State::Reading,
            began: Time::ZERO,
            bytes: 0,
            streams: Vec::new(),
            unasked: 0,
            missing: 0,
        })
    }

    fn ask(&self, object: u32, stream: StreamId, draw: &mut Draw<'_>, host: &mut dyn Host) {
        let bytes = self.params.request.draw(draw.sizes).get();
        host.send(stream, Direction::Reverse, bytes, request(object));
    }

    fn begin_page(&mut self, now: Time, draw: &mut Draw<'_>, host: &mut dyn Host) {
        self.state = State::Main;
        (self.began, self.bytes) = (now, 0);
        let stream = host.open();
        self.streams.push(stream);
        self.ask(0, stream, draw, host);
    }

    fn begin_embedded(&mut self, draw: &mut Draw<'_>, host: &mut dyn Host) {
        self.state = State::Embedded;
        let wanted = (self.params.connections.0 as usize).min(self.unasked as usize);
        while self.streams.len() < wanted {
            self.streams.push(host.open());
        }
        for i in 0..wanted {
            self.ask_next(self.streams[i], draw, host);
        }
    }

    fn ask_next(&mut self, stream: StreamId, draw: &mut Draw<'_>, host: &mut dyn Host) {
        if self.unasked > 0 {
            self.ask(self.unasked, stream, draw, host);
            self.unasked -= 1;
        }
    }

    fn end_page(&mut self, now: Time, draw: &mut Draw<'_>, host: &mut dyn Host) {
        self.state = State::Reading;
        host.completed(Completed {
            began: self.began,
            bytes: self.bytes,
            exchange: Exchange::Several,
        });
        for stream in self.streams.drain(..) {
            host.close(stream, Direction::Reverse);
        }
        host.wake_at(now + self.params.reading.draw(draw.gaps));
    }
}

impl Application for Web {
    fn on(&mut self, now: Time, event: Event, draw: &mut Draw<'_>, host: &mut dyn Host) {
        match event {
            Event::Connected { .. } => {}
            Event::Wake if self.state == State::Parsing => self.begin_embedded(draw, host),
            Event::Start | Event::Wake => self.begin_page(now, draw, host),
            Event::Arrived { stream, tag } if tag.is_multiple_of(2) => {
                let object = tag / 2;
                let law = if object == 0 {
                    &self.params.main
                } else {
                    &self.params.embedded
                };
                let bytes = law.draw(draw.sizes).get();
                self.bytes += bytes;
                host.send(stream, Direction::Forward, bytes, response(object));
            }
            Event::Arrived { .. } if self.state == State::Main => {
                self.missing = self.params.objects.draw(draw.sizes).0 as u32;
                self.unasked = self.missing;
                if self.missing == 0 {
                    self.end_page(now, draw, host);
                } else {
                    self.state = State::Parsing;
                    host.wake_at(now + self.params.parsing.draw(draw.gaps));
                }
            }
            Event::Arrived { stream, .. } => {
                self.missing -= 1;
                self.ask_next(stream, draw, host);
                if self.missing == 0 {
                    self.end_page(now, draw, host);
                }
            }
        }
    }

    /// How large a page is turns out as its objects are asked for.
    fn under_way(&self, show: &mut dyn FnMut(Begun)) {
        if self.state != State::Reading {
            let (began, bytes) = (self.began, None);
            show(Begun { began, bytes });
        }
    }

    fn laws(&mut self, show: &mut dyn FnMut(&mut dyn Law)) -> Result<(), ParamFault> {
        show(&mut self.params.request);
        show(&mut self.params.main);
        show(&mut self.params.embedded);
        show(&mut self.params.objects);
        show(&mut self.params.parsing);
        show(&mut self.params.reading);
        Ok(())
    }
}
