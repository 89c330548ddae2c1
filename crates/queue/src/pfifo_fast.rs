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
//! arrival that finds the limit reached is dropped whatever its band. **ns-2** has no PFIFO-fast;
//! its preset is the reference.
//!
//! **Linux** (`sch_generic.c`):
//!
//! - The limit applies to each band separately, so that three times as many packets may wait.
//! - Each band is a ring of so many places (`ptr_ring.h`, since 4.16). The places of packets that
//!   have left are made free sixteen at a time, one at a time if the ring has less than 32, and at
//!   its end. Until then they are taken, so that a band holds up to 15 packets less than its limit.

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
    bands: Bands<P>,
    /// Linux's rings, one for each band; none where the limit is that of all together.
    rings: Option<[Ring; 3]>,
}

/// Places freed at a time: pointers of two cache lines.
const BATCH: usize = 16;

/// The places of a band that packets have left.
#[derive(Debug, Clone, Copy, Default)]
struct Ring {
    /// The place of the packet that leaves next.
    head: usize,
    /// The first of the places before it that are not free yet.
    tail: usize,
}

impl Ring {
    /// Places that are taken though their packets have left.
    fn held(self) -> usize {
        self.head - self.tail
    }

    /// A packet leaves a ring of so many places.
    fn leave(&mut self, places: usize) {
        let batch = if BATCH > places / 2 { 1 } else { BATCH };
        self.head += 1;
        if self.held() >= batch || self.head >= places {
            self.tail = self.head;
        }
        if self.head >= places {
            *self = Self::default();
        }
    }
}

impl<P> PfifoFast<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// Never: all limits are possible.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        Ok(Self {
            capacity: params.limit.on(link),
            bands: Bands::new(3),
            rings: (preset == Preset::Linux).then(Default::default),
        })
    }
}

impl<P: Packet> Discipline<P> for PfifoFast<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let band = usize::from(PRIOMAP[usize::from(packet.priority() & 15)]);
        let Backlog { packets, bytes } = match &self.rings {
            Some(_) => self.bands.of(band),
            None => self.bands.backlog(),
        };
        let held = self.rings.map_or(0, |rings| rings[band].held());
        if self.capacity.admits(packets + held, bytes, packet.size()) {
            self.bands.push(band, packet);
        } else {
            ctx.drop(packet, Reason::Overlimit);
        }
    }

    fn dequeue(&mut self, _ctx: &mut Context<'_, P>) -> Dequeued<P> {
        let Some((band, packet)) = self.bands.pop() else {
            return Dequeued::Empty;
        };
        if let (Some(rings), Capacity::Packets(places)) = (&mut self.rings, self.capacity) {
            rings[band].leave(places as usize);
        }
        Dequeued::Packet(packet)
    }

    fn backlog(&self) -> Backlog {
        self.bands.backlog()
    }

    fn capacity(&self) -> Capacity {
        if self.rings.is_some() {
            together([self.capacity; 3])
        } else {
            self.capacity
        }
    }

    fn reset(&mut self) {
        self.bands.clear();
        self.rings = self.rings.map(|_| Default::default());
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.bands.probe(show);
    }
}
