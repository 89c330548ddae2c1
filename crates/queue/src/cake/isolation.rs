//! What is kept apart: the keys by which a packet finds its queue and its hosts.

use sojourn_base::choices;

use crate::Packet;
use crate::parts::hash::salted;

choices! {
    /// What is kept apart, and by what it is served fairly.
    pub enum Isolation {
        /// Nothing: one queue.
        Flowblind = "flowblind",
        /// A queue for each source.
        Srchost = "srchost",
        /// A queue for each destination.
        Dsthost = "dsthost",
        /// A queue for each pair of source and destination.
        Hosts = "hosts",
        /// A queue for each flow.
        Flows = "flows",
        /// A queue for each flow; sources share first, then their flows.
        DualSrchost = "dual-srchost",
        /// A queue for each flow; destinations share first, then their flows.
        DualDsthost = "dual-dsthost",
        /// A queue for each flow; whichever of source and destination has more of them counts.
        TripleIsolate = "triple-isolate",
    }
}

/// What a packet is known by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keys {
    /// Of its queue.
    pub(super) queue: u64,
    /// Of its source and of its destination, where these share.
    pub(super) hosts: [Option<u64>; 2],
}

impl Isolation {
    /// Whether sources and whether destinations share before their flows do.
    pub(super) fn by_host(self) -> [bool; 2] {
        let both = self == Self::TripleIsolate;
        [
            both || self == Self::DualSrchost,
            both || self == Self::DualDsthost,
        ]
    }

    /// The keys of a packet under a salt.
    pub(super) fn keys<P: Packet>(self, packet: &P, salt: u64) -> Keys {
        let source = salted(u64::from(packet.source()), salt);
        let destination = salted(u64::from(packet.destination()), !salt);
        let queue = match self {
            Self::Flowblind => 0,
            Self::Srchost => source,
            Self::Dsthost => destination,
            Self::Hosts => source ^ destination,
            _ => salted(packet.flow(), salt),
        };
        let [by_source, by_destination] = self.by_host();
        Keys {
            queue,
            hosts: [
                by_source.then_some(source),
                by_destination.then_some(destination),
            ],
        }
    }
}
