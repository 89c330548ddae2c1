//! The link that a queue feeds, as far as disciplines and lengths need to know it.

use crate::{Bytes, Preset, Rate, Span};

/// What a discipline is told of the link that it feeds, when it is made and when it changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LinkInfo {
    /// Rate of the link.
    pub rate: Rate,
    /// Propagation delay of the link.
    pub delay: Span,
    /// Largest packet, framing excluded.
    pub mtu: Bytes,
    /// Framing that the sizes of packets include beyond that: none, but where they are those of
    /// frames. Linux counts frames, and its `psched_mtu()` is the MTU with their header, on
    /// Ethernet 14 bytes.
    pub framing: Bytes,
    /// Largest two-way propagation delay of the paths that cross the link: the unit of `bdp`.
    pub base_rtt: Span,
}

impl LinkInfo {
    /// The largest packet as `preset` counts it.
    pub fn largest(&self, preset: Preset) -> Bytes {
        if preset == Preset::Linux {
            self.mtu + self.framing
        } else {
            self.mtu
        }
    }
}
