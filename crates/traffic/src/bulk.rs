//! Bulk transfer: as much as the transport can carry, without end or up to a number of bytes.
//!
//! A finite transfer gives a flow completion time, measured from its start until its last byte has
//! arrived.

use sojourn_base::{Bytes, Distribution, Law, Optional, ParamFault, Preset, Time, params};

use crate::Draw;
use crate::application::{Application, Begun, Completed, Direction, Event, Exchange, Host};

params! {
    /// Parameters of a bulk transfer.
    pub struct Params {
        /// Number of bytes to send. "none": without end.
        bytes: Optional<Distribution<Bytes>> = "none";
    }
}

/// A bulk transfer.
#[derive(Debug)]
pub struct Bulk {
    bytes: Option<Distribution<Bytes>>,
    began: Time,
    /// Bytes of the transfer that is under way; 0 where none is.
    sending: u64,
}

impl Bulk {
    /// A bulk transfer.
    ///
    /// # Errors
    /// None so far.
    pub fn new(params: &Params, _preset: Preset) -> Result<Self, ParamFault> {
        Ok(Self {
            bytes: params.bytes.0.clone(),
            began: Time::ZERO,
            sending: 0,
        })
    }
}

impl Application for Bulk {
    fn on(&mut self, now: Time, event: Event, draw: &mut Draw<'_>, host: &mut dyn Host) {
        match (event, &self.bytes) {
            (Event::Start, None) => {
                let stream = host.open();
                host.send_endless(stream);
            }
            (Event::Start, Some(bytes)) => {
                self.began = now;
                self.sending = bytes.draw(draw.sizes).get();
                let stream = host.open();
                host.send(stream, Direction::Forward, self.sending, 0);
                host.close(stream, Direction::Forward);
            }
            (Event::Arrived { .. }, _) => host.completed(Completed {
                began: self.began,
                bytes: core::mem::take(&mut self.sending),
                exchange: Exchange::Sent,
            }),
            (Event::Wake | Event::Connected { .. }, _) => {}
        }
    }

    fn under_way(&self, show: &mut dyn FnMut(Begun)) {
        if self.sending > 0 {
            show(Begun {
                began: self.began,
                bytes: Some(self.sending),
            });
        }
    }

    fn laws(&mut self, show: &mut dyn FnMut(&mut dyn Law)) -> Result<(), ParamFault> {
        if let Some(bytes) = &mut self.bytes {
            show(bytes);
        }
        Ok(())
    }
}
