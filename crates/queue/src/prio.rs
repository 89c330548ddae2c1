//! Priority: first-in, first-out bands served in strict order, chosen by the packet's priority.
//!
//! Linux's `tc-prio(8)`. The first band that holds a packet is served. Lower bands starve while
//! higher ones are busy, by design. `priomap` gives the band of each priority from 0 to 15. If a
//! filter has chosen a class, it takes precedence over the priority; a class that does not
//! correspond to a band stands for the band of priority 0.
//!
//! In scenarios the priority is the one that Linux derives from the three lowest bits of the
//! packet's `dscp`: 2 (bulk) for 2 and 3, 6 (interactive) for 4 and 5, 4 (both) for 6 and 7,
//! otherwise 0. Expedited Forwarding (46) thus has priority 4, AF11 to AF41 have priority 2, and
//! the class selectors (CS1 to CS7) have priority 0.
//!
//! Each band is drop-tail with a `limit` of its own, or with `inner` another discipline, with its
//! parameters in parentheses and a limit of its own. If a band has nothing to send at the moment,
//! as can happen with a token bucket, the next band is served.
//!
//! **Reference**, **Linux** (`sch_prio`, whose bands are `pfifo`s as long as the queue of the
//! device) and **ns-3** (`PrioQueueDisc`): three bands of 1000 packets each, and the map of
//! `pfifo_fast`. Bands of different kinds are left out. Scenarios have no filters (packets of the
//! driver may name their band). **ns-2** has no discipline of this kind; its preset is the
//! reference.

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Time, params};

use crate::parts::bands::together;
use crate::parts::child::Child;
use crate::parts::earliest_wait::EarliestWait;
use crate::parts::inner::Inner;
use crate::parts::mistakes;
use crate::parts::probe_names::prefixed;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Warning};

params! {
    /// Parameters of strict priority.
    pub struct Params {
        /// Largest queue of each band, in packets or bytes; an `inner` has its own.
        limit: Limit = "1000 packets";
        /// Number of bands, at most 16.
        bands: u32 = "3";
        /// Band of each priority, 0 to 15.
        priomap: String = "1 2 2 2 1 2 0 0 1 1 1 1 1 1 1 1";
        /// Discipline of each band.
        inner: Optional<Inner> = "none";
    }
}

/// Bands in strict order.
pub struct Prio<P: Packet> {
    map: [u8; 16],
    bands: Vec<Child<P>>,
    mtu: Bytes,
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

impl<P: Packet> Prio<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// More than 16 bands, a map that is not 16 bands there are, a parameter of `inner`.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let bands = params.bands;
        if bands > 16 {
            return Err(ParamFault::new("bands", bands, "a number from 1 to 16"));
        }
        let map = map(&params.priomap, bands).ok_or_else(|| {
            let allowed = format!("16 numbers from 0 to {}, one per priority", bands - 1);
            ParamFault::new("priomap", &params.priomap, allowed)
        })?;
        let capacity = params.limit.on(link);
        let band = |_| Child::new(&params.inner, capacity, preset, link);
        Ok(Self {
            map,
            bands: (0..bands).map(band).collect::<Result<_, _>>()?,
            mtu: link.mtu,
        })
    }
}

impl<P: Packet> Prio<P> {
    fn band(&self, packet: &P) -> usize {
        let chosen = packet.class().map(usize::from);
        let priority = match chosen {
            Some(band) if band < self.bands.len() => return band,
            Some(_) => 0,
            None => usize::from(packet.priority() & 15),
        };
        usize::from(self.map[priority])
    }

    /// The band of a queue of flows, and its number there, if it has been used: bands take turns
    /// in numbers, so that a queue keeps its own.
    fn band_of_queue(&self, k: usize) -> (usize, Option<usize>) {
        let (band, k) = (k % self.bands.len(), k / self.bands.len());
        (
            band,
            Some(k).filter(|&k| k < self.bands[band].flow_queues()),
        )
    }
}

impl<P: Packet> Discipline<P> for Prio<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let band = self.band(&packet);
        self.bands[band].enqueue(packet, ctx);
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        let mut waits = EarliestWait::default();
        for band in &mut self.bands {
            match band.dequeue(ctx) {
                said @ Dequeued::Packet(_) => return said,
                Dequeued::Wait(until) => waits.add(until),
                Dequeued::Empty => {}
            }
        }
        waits.answer()
    }

    fn backlog(&self) -> Backlog {
        let mut all = Backlog::default();
        for band in &self.bands {
            let Backlog { packets, bytes } = band.backlog();
            all.packets += packets;
            all.bytes += bytes;
        }
        all
    }

    fn capacity(&self) -> Capacity {
        together(self.bands.iter().map(Child::capacity))
    }

    fn reset(&mut self) {
        self.bands.iter_mut().for_each(Child::reset);
    }

    fn next_timer(&self) -> Option<Time> {
        self.bands.iter().filter_map(Child::next_timer).min()
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        for band in &mut self.bands {
            band.on_timer(ctx);
        }
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.mtu = link.mtu;
        for band in &mut self.bands {
            band.on_link(link);
        }
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.bands[0].warnings();
        warnings.extend(mistakes::no_room(self.bands[0].capacity(), self.mtu));
        warnings
    }

    /// Shows `band[b]`, the packets of each, and `band[b].name` of its inner discipline.
    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        for (number, band) in self.bands.iter().enumerate() {
            let packets = band.backlog().packets as f64;
            show(&format!("band[{number}]"), ProbeValue::Number(packets));
            band.probe(&mut prefixed(format!("band[{number}]."), show));
        }
    }

    fn flow_queues(&self) -> usize {
        let most = self.bands.iter().map(Child::flow_queues).max();
        most.unwrap_or(0) * self.bands.len()
    }

    fn flow_queue_of(&self, packet: &P, came_to: Option<usize>) -> Option<usize> {
        let (band, bands) = (self.band(packet), self.bands.len());
        let k = self.bands[band].flow_queue_of(packet, came_to.map(|k| k / bands))?;
        Some(k * bands + band)
    }

    fn waiting_in(&self, k: usize) -> usize {
        let (band, k) = self.band_of_queue(k);
        k.map_or(0, |k| self.bands[band].waiting_in(k))
    }

    fn probe_flow(&self, k: usize, show: &mut dyn FnMut(&str, ProbeValue)) {
        if let (band, Some(k)) = self.band_of_queue(k) {
            self.bands[band].probe_flow(k, show);
        }
    }

    fn flow_place(&self, k: usize) -> String {
        let (band, k) = (k % self.bands.len(), k / self.bands.len());
        format!("band[{band}].{}", self.bands[band].flow_place(k))
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        let rest = name.strip_prefix("band[");
        let Some((number, name)) = rest.and_then(|rest| rest.split_once("].")) else {
            return false;
        };
        let number = number.parse::<usize>().ok();
        let band = number.and_then(|number| self.bands.get_mut(number));
        band.is_some_and(|band| band.poke(name, value))
    }
}
