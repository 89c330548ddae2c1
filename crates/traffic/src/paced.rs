//! A source of packets as an application over TCP: it writes into one stream what it would send as
//! datagrams.
//!
//! When the sender's buffer is full (`send_buffer` of the transport), the source holds its next
//! write back and tries again one write's time later, as ns-3's applications do. What it would have
//! produced in the meantime is never produced.
//!
//! A connection with a handshake begins it with the first write. **ns-3** (`OnOffApplication`): the
//! handshake begins at the start of the flow, and the source begins when the handshake is complete.

use sojourn_base::{Law, ParamFault, Preset, Time};

use crate::application::{Application, Event, Host, StreamId};
use crate::{AnySource, Draw, Recording, Source};

/// A source of packets over a stream.
#[derive(Debug)]
pub struct Paced {
    source: AnySource,
    stream: Option<StreamId>,
    /// The source begins after the handshake.
    connects_first: bool,
    /// Bytes of the next write.
    next: u64,
}

impl Paced {
    /// Writes what `source` sends.
    pub fn new(source: AnySource, preset: Preset) -> Self {
        Self {
            source,
            connects_first: preset == Preset::Ns3,
            stream: None,
            next: 0,
        }
    }
}

impl Application for Paced {
    fn on(&mut self, now: Time, event: Event, draw: &mut Draw<'_>, host: &mut dyn Host) {
        match (event, self.stream) {
            (Event::Start, _) => {
                let stream = host.open();
                self.stream = Some(stream);
                if self.connects_first && host.connect(stream) {
                    return;
                }
            }
            (Event::Connected { .. }, _) => {}
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

    fn recordings(&mut self, show: &mut dyn FnMut(&mut Recording)) -> Result<(), ParamFault> {
        self.source.recordings(show)
    }
}
