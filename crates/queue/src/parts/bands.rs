//! Queues in strict order of priority: the store of `pfifo_fast`.

use sojourn_base::length::Capacity;

use super::Fifo;
use crate::{Backlog, Packet, ProbeValue};

/// The band of each priority in Linux and ns-3.
pub const PRIOMAP: [u8; 16] = [1, 2, 2, 2, 1, 2, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1];

/// The limits of several queues, all in one unit, as one of all together.
pub fn together(limits: impl IntoIterator<Item = Capacity>) -> Capacity {
    let add = |all, limit| match (all, limit) {
        (Capacity::Packets(all), Capacity::Packets(limit)) => {
            Capacity::Packets(all.saturating_add(limit))
        }
        (Capacity::Bytes(all), Capacity::Bytes(limit)) => {
            Capacity::Bytes(all.saturating_add(limit))
        }
        _ => Capacity::Unlimited,
    };
    limits
        .into_iter()
        .reduce(add)
        .unwrap_or(Capacity::Unlimited)
}

/// Bands, the first of which goes before all others.
#[derive(Debug)]
pub struct Bands<P>(Vec<Fifo<P>>);

impl<P> Bands<P> {
    /// So many bands.
    pub fn new(bands: usize) -> Self {
        Self((0..bands).map(|_| Fifo::default()).collect())
    }
}

impl<P: Packet> Bands<P> {
    /// Appends to a band.
    pub fn push(&mut self, band: usize, packet: P) {
        self.0[band].push(packet);
    }

    /// Takes from the first band that holds something, and tells which that is.
    pub fn pop(&mut self) -> Option<(usize, P)> {
        let mut bands = self.0.iter_mut().enumerate();
        bands.find_map(|(band, fifo)| Some((band, fifo.pop()?)))
    }

    /// What waits in a band.
    pub fn of(&self, band: usize) -> Backlog {
        self.0[band].backlog()
    }

    /// What waits in all.
    pub fn backlog(&self) -> Backlog {
        let mut all = Backlog::default();
        for band in &self.0 {
            all.packets += band.len();
            all.bytes += band.bytes();
        }
        all
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.0.iter_mut().for_each(Fifo::clear);
    }

    /// Shows `band[b]`, the packets of each.
    pub fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        for (band, fifo) in self.0.iter().enumerate() {
            show(
                &format!("band[{band}]"),
                ProbeValue::Number(fifo.len() as f64),
            );
        }
    }
}
