//! Head-drop: first in, first out; a full queue drops its oldest packet and takes the arrival.
//!
//! The sender learns of the loss about one queueing delay sooner than with drop-tail, since the
//! next packet that leaves already reveals the gap (T. V. Lakshman, A. Neidhardt, T. Ott, "The Drop
//! from Front Strategy in TCP and in TCP over ATM", IEEE INFOCOM 1996). The packet being
//! transmitted is never dropped. With a limit in bytes, packets are dropped from the head until the
//! arrival fits; an arrival larger than the whole room is itself dropped.
//!
//! **Linux** (`pfifo_head_drop`): as the reference, in packets. **ns-2** (`DropTail` with
//! `drop_front_`): the queue keeps one packet (byte) less than the limit; the default is 50
//! packets. **ns-3** has no head-drop; its preset is the reference.

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, Limit, LinkInfo, ParamFault, Preset, params};

use crate::parts::Fifo;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, Reason};

params! {
    /// Parameters of head-drop.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "1000 packets", Ns2 = "50 packets";
    }
}

/// A queue that drops from its head.
#[derive(Debug)]
pub struct HeadDrop<P> {
    capacity: Capacity,
    queue: Fifo<P>,
}

impl<P> HeadDrop<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// Under ns-2's preset, a limit that leaves no room at all.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let capacity = match (params.limit.on(link), preset) {
            (Capacity::Packets(1) | Capacity::Bytes(1), Preset::Ns2) => {
                let allowed = "more than one: ns-2 keeps one less than its limit";
                return Err(ParamFault::new("limit", 1, allowed));
            }
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

impl<P: Packet> Discipline<P> for HeadDrop<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let size = packet.size();
        if !self.capacity.admits(0, Bytes::ZERO, size) {
            return ctx.drop(packet, Reason::Overlimit);
        }
        loop {
            let Backlog { packets, bytes } = self.queue.backlog();
            if self.capacity.admits(packets, bytes, size) {
                return self.queue.push(packet);
            }
            match self.queue.pop() {
                Some(oldest) => ctx.drop(oldest, Reason::Head),
                None => return ctx.drop(packet, Reason::Overlimit),
            }
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

    fn reset(&mut self) {
        self.queue.clear();
    }
}
