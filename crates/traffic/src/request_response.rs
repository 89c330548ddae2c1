//! Request and response: a client asks, the server answers, the client thinks.
//!
//! The flow's `to` is the client and its `from` the server, so that the responses are the flow's
//! data. Requests travel in the other direction over the same connection and are as reliable as
//! responses; they do not carry acknowledgements. A completion time is measured from the first byte
//! of a request to the last byte of its response.

use sojourn_base::{Bytes, Distribution, Law, ParamFault, Preset, Span, Time, params};

use crate::Draw;
use crate::application::{Application, Completed, Direction, Event, Exchange, Host, StreamId};

params! {
    /// Parameters of requests and responses.
    pub struct Params {
        /// Size of a request.
        request: Distribution<Bytes> = "350 B";
        /// Size of a response.
        response: Distribution<Bytes> = "10 kB";
        /// Time from the end of a response to the next request.
        think: Distribution<Span> = "exponential(1 s)";
        /// Whether one connection serves all requests. If not, each request has its own.
        persistent: bool = "true";
    }
}

const REQUEST: u32 = 0;
const RESPONSE: u32 = 1;

/// A client and its server.
#[derive(Debug)]
pub struct RequestResponse {
    params: Params,
    stream: Option<StreamId>,
    began: Time,
    bytes: u64,
    exchange: Exchange,
}

impl RequestResponse {
    /// A client and its server.
    ///
    /// # Errors
    /// None so far.
    pub fn new(params: &Params, _preset: Preset) -> Result<Self, ParamFault> {
        Ok(Self {
            params: params.clone(),
            stream: None,
            began: Time::ZERO,
            bytes: 0,
            exchange: Exchange::Several,
        })
    }

    fn ask(&mut self, now: Time, draw: &mut Draw<'_>, host: &mut dyn Host) {
        let first = self.stream.is_none();
        let stream = *self.stream.get_or_insert_with(|| host.open());
        self.began = now;
        let request = self.params.request.draw(draw.sizes).get();
        self.exchange = Exchange::Answered { request, first };
        host.send(stream, Direction::Reverse, request, REQUEST);
    }
}

impl Application for RequestResponse {
    fn on(&mut self, now: Time, event: Event, draw: &mut Draw<'_>, host: &mut dyn Host) {
        match event {
            Event::Connected { .. } => {}
            Event::Start | Event::Wake => self.ask(now, draw, host),
            Event::Arrived { stream, tag } if tag == REQUEST => {
                self.bytes = self.params.response.draw(draw.sizes).get();
                host.send(stream, Direction::Forward, self.bytes, RESPONSE);
                if !self.params.persistent {
                    host.close(stream, Direction::Forward);
                    self.stream = None;
                }
            }
            Event::Arrived { .. } => {
                host.completed(Completed {
                    began: self.began,
                    bytes: self.bytes,
                    exchange: self.exchange,
                });
                host.wake_at(now + self.params.think.draw(draw.gaps));
            }
        }
    }

    fn laws(&mut self, show: &mut dyn FnMut(&mut dyn Law)) -> Result<(), ParamFault> {
        show(&mut self.params.request);
        show(&mut self.params.response);
        show(&mut self.params.think);
        Ok(())
    }
}
