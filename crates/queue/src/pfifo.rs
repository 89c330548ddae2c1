//! PFIFO: drop-tail with its room in packets, under the name that `tc` gives it.
//!
//! First in, first out; an arrival that finds no room is dropped: everything as in
//! [`crate::droptail`], whose code it is. The limit is in packets (Linux: `pfifo` counts packets,
//! `bfifo` bytes; for the latter give drop-tail a limit in bytes), 1000 unless said otherwise,
//! which is the queue length of an Ethernet device.
//!
//! **Linux** and **ns-3**: as here. **ns-2** has none of this name: its preset takes the off-by-one
//! limit of its `DropTail`.

use sojourn_base::length::Capacity;
use sojourn_base::{Length, Limit, LinkInfo, ParamFault, Preset, params};

use crate::droptail::{self, DropTail};
use crate::{Backlog, Context, Dequeued, Discipline, Packet};

params! {
    /// Parameters of PFIFO.
    pub struct Params {
        /// Most packets that may wait; the packet being sent is not counted.
        limit: Limit = "1000 packets", Ns2 = "50 packets";
    }
}

/// A drop-tail queue in packets.
#[derive(Debug)]
pub struct Pfifo<P>(DropTail<P>);

impl<P> Pfifo<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A limit that is not in packets.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let limit = params.limit;
        if !matches!(limit, Limit(None | Some(Length::Packets(_)))) {
            let allowed =
                "packets such as \"100 packets\", or \"none\"; droptail takes other units";
            return Err(ParamFault::new("limit", limit, allowed));
        }
        DropTail::new(&droptail::Params { limit }, preset, link).map(Self)
    }
}

impl<P: Packet> Discipline<P> for Pfifo<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        self.0.enqueue(packet, ctx);
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        self.0.dequeue(ctx)
    }

    fn backlog(&self) -> Backlog {
        self.0.backlog()
    }

    fn capacity(&self) -> Capacity {
        self.0.capacity()
    }

    fn can_bypass(&self) -> bool {
        true
    }

    fn plain_capacity(&self) -> Option<Capacity> {
        Some(self.0.capacity())
    }

    fn reset(&mut self) {
        self.0.reset();
    }
}
