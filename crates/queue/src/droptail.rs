//! Drop-tail: first in, first out; an arrival that finds no room is dropped.
//!
//! Drop-tail is the baseline for all other disciplines. For one sequence of arrivals of equal size
//! it loses the fewest packets of all work-conserving disciplines with the same room. Its cost is
//! delay: under persistent overload the queue stays at its limit (RFC 7567, section 2, items 1 and
//! 2: full queues and lock-out).
//!
//! A limit in packets admits an arrival while fewer packets wait. A limit in bytes admits an
//! arrival that still fits, so that small packets are admitted when large ones no longer fit.
//!
//! **ns-2** (`DropTail`, ns-2.35): an arrival is dropped if `length + 1 >= limit`, so that a limit
//! of 50 keeps at most 49 waiting packets, and a limit in bytes at most one byte less. The default
//! limit is 50 packets.
//!
//! **ns-3** (`FifoQueueDisc`) and **Linux** (`pfifo`): as the reference, with 1000 packets.

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Limit, LinkInfo, ParamFault, Preset, params};

use crate::parts::Fifo;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, Reason};

params! {
    /// Parameters of drop-tail.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "1000 packets", Ns2 = "50 packets";
    }
}

/// A drop-tail queue.
#[derive(Debug)]
pub struct DropTail<P> {
    capacity: Capacity,
    queue: Fifo<P>,
}

impl<P> DropTail<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// None.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let capacity = match (params.limit.on(link), preset) {
            (Capacity::Packets(limit), Preset::Ns2) => Capacity::Packets(limit - 1),
            (Capacity::Bytes(limit), Preset::Ns2) => Capacity::Bytes(limit - 1),
            (capacity, _) => capacity,
        };
        Ok(Self {
            capacity,
            queue: Fifo::default(),
        })
    }
}

impl<P: Packet> DropTail<P> {
    fn admits(&self, size: Bytes) -> bool {
        self.capacity
            .admits(self.queue.len(), self.queue.bytes(), size)
    }
}

impl<P: Packet> Discipline<P> for DropTail<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        if self.admits(packet.size()) {
            self.queue.push(packet);
        } else {
            ctx.drop(packet, Reason::Overlimit);
        }
    }

    fn dequeue(&mut self, _ctx: &mut Context<'_, P>) -> Dequeued<P> {
        self.queue.dequeue()
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn can_bypass(&self) -> bool {
        true
    }

    fn plain_capacity(&self) -> Option<Capacity> {
        Some(self.capacity)
    }

    fn reset(&mut self) {
        self.queue.clear();
    }
}
