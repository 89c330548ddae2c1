//! Request and response: a client asks, the server answers, the client thinks.
//!
//! The flow's `to` is the client and its `from` the server, so that the responses are the flow's
//! data. Requests travel in the other direction over the same connection and are as reliable as
//! responses; they do not carry acknowledgements. A completion time is measured from the first byte
//! of a request to the last byte of its response.

use sojourn_base::{Bytes, Distribution, Law, ParamFault, Preset, Span, Time, params};

use crate::Draw;
use crate::application::{
    Application, Begun, Completed, Direction, Event, Exchange, Host, StreamId,
};

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
    asking: Option<Asking>,
}

/// A request that has not been answered wholly.
#[derive(Debug, Clone, Copy)]
struct Asking {
    began: Time,
    exchange: Exchange,
    /// Those of the response.
    bytes: u64,
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
            asking: None,
        })
    }

    fn ask(&mut self, now: Time, draw: &mut Draw<'_>, host: &mut dyn Host) {
        let first = self.stream.is_none();
        let stream = *self.stream.get_or_insert_with(|| host.open());
        let request = self.params.request.draw(draw.sizes).get();
        self.asking = Some(Asking {
            began: now,
            exchange: Exchange::Answered { request, first },
            bytes: self.params.response.draw(draw.sizes).get(),
        });
        host.send(stream, Direction::Reverse, request, REQUEST);
    }
}

impl Application for RequestResponse {
    fn on(&mut self, now: Time, event: Event, draw: &mut Draw<'_>, host: &mut dyn Host) {
        match event {
            Event::Connected { .. } => {}
            Event::Start | Event::Wake => self.ask(now, draw, host),
            Event::Arrived { stream, tag } if tag == REQUEST => {
                let bytes = self.asking.map_or(0, |asking| asking.bytes);
                host.send(stream, Direction::Forward, bytes, RESPONSE);
                if !self.params.persistent {
                    host.close(stream, Direction::Forward);
                    self.stream = None;
                }
            }
            Event::Arrived { .. } => {
                if let Some(asking) = self.asking.take() {
                    host.completed(Completed {
                        began: asking.began,
                        bytes: asking.bytes,
                        exchange: asking.exchange,
                    });
                }
                host.wake_at(now + self.params.think.draw(draw.gaps));
            }
        }
    }

    fn under_way(&self, show: &mut dyn FnMut(Begun)) {
        if let Some(Asking { began, bytes, .. }) = self.asking {
            let bytes = Some(bytes);
            show(Begun { began, bytes });
        }
    }

    fn laws(&mut self, show: &mut dyn FnMut(&mut dyn Law)) -> Result<(), ParamFault> {
        show(&mut self.params.request);
        show(&mut self.params.response);
        show(&mut self.params.think);
        Ok(())
    }
}
