//! PFIFO-fast: three first-in, first-out bands; a band is served only when those above are empty.
//!
//! Linux's default discipline for two decades (`sch_generic.c`; `tc-pfifo_fast(8)`). The priority
//! of a packet, 0 to 15, is mapped to a band by 1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1: best effort (0)
//! goes to band 1, interactive (6) and control (7) go to band 0, bulk (2) goes to band 2. Band 0 is
//! served first. Lower bands starve by design. There is no ECN and no timer. If all packets have
//! one priority it is drop-tail.
//!
//! In scenarios the priority is the one that Linux derives from the three lowest bits of the
//! packet's `dscp`: bulk for 2 and 3, interactive for 4 and 5, and for all others best effort or a
//! priority of the same band.
//!
//! **Reference** and **ns-3** (`PfifoFastQueueDisc`): one limit over all bands, 1000 packets; an
//! arrival that finds the limit reached is dropped whatever its band. **Linux**: the limit applies
//! to each band separately, so that three times as many packets may wait. **ns-2** has no
//! PFIFO-fast; its preset is the reference.

use sojourn_base::length::Capacity;
use sojourn_base::{Limit, LinkInfo, ParamFault, Preset, params};

use crate::parts::bands::{Bands, PRIOMAP, together};
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason};

params! {
    /// Parameters of PFIFO-fast.
    pub struct Params {
        /// Largest total queue, in packets or bytes; under Linux's preset, of each band.
        limit: Limit = "1000 packets";
    }
}

/// Three bands in strict order.
#[derive(Debug)]
pub struct PfifoFast<P> {
    capacity: Capacity,
    /// Whether the limit is that of each band.
    each: bool,
    bands: Bands<P>,
}

impl<P> PfifoFast<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// Never: all limits are possible.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        Ok(Self {
            capacity: params.limit.on(link),
            each: preset == Preset::Linux,
            bands: Bands::new(3),
        })
    }
}

impl<P: Packet> Discipline<P> for PfifoFast<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let band = usize::from(PRIOMAP[usize::from(packet.priority() & 15)]);
        let Backlog { packets, bytes } = if self.each {
            self.bands.of(band)
        } else {
            self.bands.backlog()
        };
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
        if self.each {
            together([self.capacity; 3])
        } else {
            self.capacity
        }
    }

    fn reset(&mut self) {
        self.bands.clear();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.bands.probe(show);
    }
}
