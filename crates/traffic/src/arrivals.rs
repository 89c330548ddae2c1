//! Flow arrivals: transfers that begin as a Poisson process, each over a connection of its own.
//!
//! The load is `rate`: on average a transfer begins every (mean size) / `rate`. Sizes are drawn
//! from any distribution, such as `empirical(sizes.csv)` for a measured one. Each transfer gives a
//! flow completion time, measured from its beginning until its last byte has arrived, and a
//! slowdown.
//!
//! Transfers begin whether earlier ones are complete or not. If the load exceeds what the network
//! carries, the number of transfers in progress grows without bound, as with users who never give
//! up.

use std::collections::BTreeMap;

use sojourn_base::{Bytes, Distribution, Law, ParamFault, Preset, Rate, Span, Time, params};

use crate::Draw;
use crate::application::{
    Application, Begun, Completed, Direction, Event, Exchange, Host, StreamId,
};

params! {
    /// Parameters of a process of transfers.
    pub struct Params {
        /// Load: mean bits per second that the transfers bring, headers not counted.
        rate: Rate = "";
        /// Size of each transfer.
        size: Distribution<Bytes> = "pareto(1.2, 30 kB)";
    }
}

/// A process of transfers.
#[derive(Debug)]
pub struct Arrivals {
    rate: Rate,
    size: Distribution<Bytes>,
    under_way: BTreeMap<StreamId, Transfer>,
}

#[derive(Debug, Clone, Copy)]
struct Transfer {
    began: Time,
    bytes: u64,
}

impl Arrivals {
    /// A process of transfers.
    ///
    /// # Errors
    /// Transfers of nothing, of which any load would be endlessly many at once.
    pub fn new(params: &Params, _preset: Preset) -> Result<Self, ParamFault> {
        // That of a file is not known yet, and above zero.
        if params.size.mean() <= 0.0 {
            let found = "a mean of 0 B";
            return Err(ParamFault::new("size", found, "sizes of a mean above zero"));
        }
        Ok(Self {
            rate: params.rate,
            size: params.size.clone(),
            under_way: BTreeMap::new(),
        })
    }

    fn gap(&self, draw: &mut Draw<'_>) -> Span {
        let mean_s = 8.0 * self.size.mean() / self.rate.as_f64();
        Span::from_s(draw.gaps.exponential(mean_s))
    }
}

impl Application for Arrivals {
    fn on(&mut self, now: Time, event: Event, draw: &mut Draw<'_>, host: &mut dyn Host) {
        match event {
            Event::Connected { .. } => {}
            Event::Start => host.wake_at(now + self.gap(draw)),
            Event::Wake => {
                let bytes = self.size.draw(draw.sizes).get();
                let stream = host.open();
                let transfer = Transfer { began: now, bytes };
                self.under_way.insert(stream, transfer);
                host.send(stream, Direction::Forward, bytes, 0);
                host.close(stream, Direction::Forward);
                host.wake_at(now + self.gap(draw));
            }
            Event::Arrived { stream, .. } => {
                if let Some(transfer) = self.under_way.remove(&stream) {
                    host.completed(Completed {
                        began: transfer.began,
                        bytes: transfer.bytes,
                        exchange: Exchange::Sent,
                    });
                }
            }
        }
    }

    fn under_way(&self, show: &mut dyn FnMut(Begun)) {
        for &Transfer { began, bytes } in self.under_way.values() {
            let bytes = Some(bytes);
            show(Begun { began, bytes });
        }
    }

    fn laws(&mut self, show: &mut dyn FnMut(&mut dyn Law)) -> Result<(), ParamFault> {
        show(&mut self.size);
        Ok(())
    }
}
