//! A source of packets as an application over TCP: what it would send as datagrams it writes into
//! one stream.
//!
//! Where the sender's buffer is full, as the transport's `send_buffer` has it, the source holds its
//! next write back and tries again a write's time later, as ns-3's applications do: what it would
//! have made meanwhile is never made.

use sojourn_base::{Law, ParamFault, Time};

use crate::application::{Application, Event, Host, StreamId};
use crate::{AnySource, Draw, Source};

/// A source of packets over a stream.
#[derive(Debug)]
pub struct Paced {
    source: AnySource,
    stream: Option<StreamId>,
    /// Bytes of the next write.
    next: u64,
}

impl Paced {
    /// Writes what `source` sends.
    pub const fn new(source: AnySource) -> Self {
        Self {
            source,
            stream: None,
            next: 0,
        }
    }
}

impl Application for Paced {
    fn on(&mut self, now: Time, event: Event, draw: &mut Draw<'_>, host: &mut dyn Host) {
        match (event, self.stream) {
            (Event::Start, _) => self.stream = Some(host.open()),
            (Event::Wake, Some(stream)) => {
                if !host.write(stream, self.next) {
                    let emission = self.source.next(draw);
                    host.wake_at(now + emission.gap);
                    return;
                }
            }
            _ => return,
        }
        let emission = self.source.next(draw);
        self.next = emission.payload.get();
        host.wake_at(now + emission.gap);
    }

    fn laws(&mut self, show: &mut dyn FnMut(&mut dyn Law)) -> Result<(), ParamFault> {
        self.source.laws(show)
    }
}
