//! Priority: bands of first in, first out in strict order, chosen by the packet's priority.
//!
//! Linux's `tc-prio(8)`. The first of the bands that holds a packet is served; lower ones starve
//! while higher ones are busy, by design. `priomap` names the band of each priority from 0 to 15.
//! Each band is drop-tail with a `limit` of its own. No ECN, no timer.
//!
//! **Reference**, **Linux** (`sch_prio`, whose bands are `pfifo`s as long as the device's queue)
//! and **ns-3** (`PrioQueueDisc`): three bands of 1000 packets each, the map of `pfifo_fast`. Other
//! disciplines inside the bands, and filters, are left out. ns-2 has none of this kind: its preset is the
//! reference.

use sojourn_base::length::Capacity;
use sojourn_base::{Limit, LinkInfo, ParamFault, Preset, params};

use crate::parts::bands::Bands;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason};

params! {
    /// Parameters of strict priority.
    pub struct Params {
        /// Most that may wait in each band, in packets or bytes.
        limit: Limit = "1000 packets";
        /// Number of bands, at most 16.
        bands: u32 = "3";
        /// The band of each priority, 0 to 15.
        priomap: String = "1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1";
    }
}

/// Bands in strict order.
#[derive(Debug)]
pub struct Prio<P> {
    capacity: Capacity,
    map: [u8; 16],
    bands: Bands<P>,
}

fn map(text: &str, bands: u32) -> Option<[u8; 16]> {
    let mut map = [0; 16];
    let mut words = text.split_whitespace();
    for slot in &mut map {
        *slot = words.next()?.parse().ok()?;
        if u32::from(*slot) >= bands {
            return None;
        }
    }
    words.next().is_none().then_some(map)
}

impl<P> Prio<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// More than 16 bands, or a map that is not 16 bands there are.
    pub fn new(params: &Params, _preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let bands = params.bands;
        if bands > 16 {
            return Err(ParamFault::new("bands", bands, "a number from 1 to 16"));
        }
        let map = map(&params.priomap, bands).ok_or_else(|| {
            let allowed = format!("16 numbers from 0 to {}, one per priority", bands - 1);
            ParamFault::new("priomap", &params.priomap, allowed)
        })?;
        Ok(Self {
            capacity: params.limit.on(link),
            map,
            bands: Bands::new(bands as usize),
        })
    }
}

impl<P: Packet> Discipline<P> for Prio<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let band = usize::from(self.map[usize::from(packet.priority() & 15)]);
        let Backlog { packets, bytes } = self.bands.of(band);
        if self.capacity.admits(packets, bytes, packet.size()) {
            self.bands.push(band, packet);
        } else {
            ctx.drop(packet, Reason::Overlimit);
        }
    }

    fn dequeue(&mut self, _ctx: &mut Context<'_, P>) -> Dequeued<P> {
        self.bands.pop().map_or(Dequeued::Empty, Dequeued::Packet)
    }

    fn backlog(&self) -> Backlog {
        self.bands.backlog()
    }

    fn capacity(&self) -> Capacity {
        self.bands.times(self.capacity)
    }

    fn reset(&mut self) {
        self.bands.clear();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.bands.probe(show);
    }
}
