//! PFIFO: drop-tail with its room in packets, under the name that `tc` gives it.
//!
//! First in, first out; an arrival that finds no room is dropped. The code is that of
//! [`crate::droptail`]. The limit must be in packets: in Linux `pfifo` counts packets and `bfifo`
//! counts bytes; for the latter, give drop-tail a limit in bytes. The default is 1000 packets, the
//! queue length of an Ethernet device.
//!
//! **Linux** and **ns-3**: as the reference. **ns-2** has no discipline of this name; its preset
//! keeps one packet less than the limit, as ns-2's `DropTail` does.

use sojourn_base::length::Capacity;
use sojourn_base::{Length, Limit, LinkInfo, ParamFault, Preset, params};

use crate::droptail::{self, DropTail};
use crate::{Backlog, Context, Dequeued, Discipline, Packet};

params! {
    /// Parameters of PFIFO.
    pub struct Params {
        /// Largest queue, in packets; the packet being transmitted is not counted.
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
