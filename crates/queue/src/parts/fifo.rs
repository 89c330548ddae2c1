//! A first-in first-out store that counts its bytes.

use std::collections::VecDeque;

use sojourn_base::Bytes;

use crate::{Backlog, Dequeued, HeadQueue, Packet};

/// For so many packets an empty store keeps memory.
const KEPT: usize = 16;

/// Packets in the order of their arrival.
#[derive(Debug, Clone)]
pub struct Fifo<P> {
    packets: VecDeque<P>,
    bytes: Bytes,
}

impl<P> Default for Fifo<P> {
    fn default() -> Self {
        Self {
            packets: VecDeque::new(),
            bytes: Bytes::ZERO,
        }
    }
}

impl<P: Packet> Fifo<P> {
    /// Appends at the tail.
    #[inline]
    pub fn push(&mut self, packet: P) {
        self.bytes += packet.size();
        self.packets.push_back(packet);
    }

    /// Takes from the head. Its size is read in place: a copy of which a part is read is made in
    /// pieces, and store forwarding then fails (see the engine's `SimPacket`).
    #[inline]
    pub fn pop(&mut self) -> Option<P> {
        self.bytes -= self.packets.front()?.size();
        self.packets.pop_front()
    }

    /// Takes from the head what is sent next. To make this of what [`pop`](Self::pop) returns would
    /// copy the packet once more, in other pieces: store forwarding would fail.
    #[inline]
    pub fn dequeue(&mut self) -> Dequeued<P> {
        if let Some(head) = self.packets.front() {
            self.bytes -= head.size();
        }
        match self.packets.pop_front() {
            Some(packet) => Dequeued::Packet(packet),
            None => Dequeued::Empty,
        }
    }

    /// Takes from the tail.
    pub fn pop_tail(&mut self) -> Option<P> {
        let packet = self.packets.pop_back()?;
        self.bytes -= packet.size();
        Some(packet)
    }

    /// The packet at a place, counted from the head.
    pub fn get(&self, place: usize) -> Option<&P> {
        self.packets.get(place)
    }

    /// Takes the packet at a place, counted from the head.
    pub fn remove(&mut self, place: usize) -> Option<P> {
        let packet = self.packets.remove(place)?;
        self.bytes -= packet.size();
        Some(packet)
    }

    /// The packet at the head.
    #[inline]
    pub fn head(&self) -> Option<&P> {
        self.packets.front()
    }

    /// The packet at the head, to be marked where it stands.
    #[inline]
    pub fn head_mut(&mut self) -> Option<&mut P> {
        self.packets.front_mut()
    }

    /// How many packets are stored.
    #[inline]
    pub fn len(&self) -> usize {
        self.packets.len()
    }

    /// How many bytes are stored.
    #[inline]
    pub fn bytes(&self) -> Bytes {
        self.bytes
    }

    /// Whether nothing is stored.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.packets.is_empty()
    }

    /// Packets and bytes.
    #[inline]
    pub fn backlog(&self) -> Backlog {
        Backlog {
            packets: self.len(),
            bytes: self.bytes,
        }
    }
}

impl<P: Packet> HeadQueue<P> for Fifo<P> {
    #[inline]
    fn head(&self) -> Option<&P> {
        self.head()
    }

    #[inline]
    fn head_mut(&mut self) -> Option<&mut P> {
        self.head_mut()
    }

    #[inline]
    fn pop(&mut self) -> Option<P> {
        self.pop()
    }

    #[inline]
    fn bytes(&self) -> Bytes {
        self.bytes()
    }
}

impl<P> Fifo<P> {
    /// Begins anew where nothing is stored: at the start of its memory, and of that with little. A
    /// store goes round through all that it has: many of them that each held a burst once would
    /// pass through the fast caches from then on.
    #[inline]
    pub fn begin_anew(&mut self) {
        debug_assert!(self.packets.is_empty());
        self.packets.clear();
        self.packets.shrink_to(KEPT);
    }

    /// Forgets everything, keeping the memory.
    pub fn clear(&mut self) {
        self.packets.clear();
        self.bytes = Bytes::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_past_burst_takes_no_memory_in_an_empty_store() {
        let mut fifo = Fifo::<u64>::default();
        fifo.packets.reserve(1_000);
        fifo.begin_anew();
        assert!(fifo.packets.capacity() <= KEPT);
    }
}
