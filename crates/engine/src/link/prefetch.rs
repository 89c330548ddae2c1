//! Prefetching the memory of links, where a network fits no fast cache.

use sojourn_base::prefetch::{prefetch, prefetch_all, prefetch_until};

use super::Link;
use crate::SimPacket;

#[allow(clippy::inline_always)] // once a packet, from one or two places
impl Link {
    /// Prefetches the line that every packet touches.
    #[inline(always)]
    fn prefetch_first(&self) {
        prefetch(&self.sends_until);
    }

    /// Prefetches what tells whether a packet that comes out of a train has waited.
    #[inline(always)]
    pub(crate) fn prefetch_in_train(&self) {
        self.prefetch_first();
        prefetch(&self.waits);
    }

    /// Prefetches what such a packet touches, if any packet has waited; `has_waits` must be in the
    /// cache.
    #[inline(always)]
    pub(crate) fn prefetch_wait(&self) {
        if self.has_waits {
            prefetch_all(&self.ledger);
            self.waits.front().into_iter().for_each(prefetch);
        }
    }

    /// Prefetches the lines that every packet touches which the link delivers itself.
    #[inline(always)]
    pub(crate) fn prefetch(&self) {
        self.prefetch_first();
        prefetch(&self.announced);
        prefetch(&self.scheduled);
    }

    /// Prefetches the lines that a waiting packet touches.
    #[inline(always)]
    pub(crate) fn prefetch_books(&self) {
        prefetch_until(self, &self.announced);
    }

    /// Prefetches the place where a waiting packet is booked.
    #[inline(always)]
    pub(crate) fn prefetch_booked(&self) {
        self.booked.next_up().into_iter().for_each(prefetch);
    }

    /// The packet that is announced behind `index` others; if there are not that many, an earlier
    /// one.
    #[inline(always)]
    pub(crate) fn ahead(&self, index: usize) -> Option<&SimPacket> {
        self.announced.near(index)
    }

    /// Prefetches the packet that comes out next.
    #[inline(always)]
    pub(crate) fn prefetch_packet(&self) {
        let ring = if self.packets.is_empty() {
            &self.announced
        } else {
            &self.packets
        };
        if let Some(packet) = ring.next_up() {
            prefetch(packet);
            prefetch(&packet.size);
        }
    }
}
