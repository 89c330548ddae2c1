//! The room of a queue: the test that an arrival must pass, and the most that can wait.

use sojourn_base::length::Capacity;
use sojourn_base::{Bytes, LinkInfo, Preset};

use crate::Backlog;

/// The room of a queue.
#[derive(Debug, Clone, Copy)]
pub enum Room {
    /// An arrival must fit.
    Fits(Capacity),
    /// ns-2's in bytes: fewer than the limit must wait, so that the last arrival may cross it. The
    /// largest packet seen bounds by how much.
    Ns2Bytes {
        /// The limit.
        limit: u64,
        /// The largest packet.
        largest: u64,
    },
}

impl Room {
    /// The room of `capacity`; under ns-2's preset a queue that counts `in_bytes` takes a limit in
    /// packets for one in bytes, of packets of `mean` size.
    pub fn of(
        capacity: Capacity,
        preset: Preset,
        in_bytes: bool,
        mean: Bytes,
        link: &LinkInfo,
    ) -> Self {
        let below = |limit| Self::Ns2Bytes {
            limit,
            largest: link.mtu.get(),
        };
        match capacity {
            Capacity::Packets(limit) if preset == Preset::Ns2 && in_bytes => {
                below(limit * mean.get())
            }
            Capacity::Bytes(limit) if preset == Preset::Ns2 => below(limit),
            capacity => Self::Fits(capacity),
        }
    }

    /// Whether there is room for `size` beside what waits.
    #[inline]
    pub fn admits(&self, waiting: Backlog, size: Bytes) -> bool {
        match self {
            Self::Fits(capacity) => capacity.admits(waiting.packets, waiting.bytes, size),
            Self::Ns2Bytes { limit, .. } => waiting.bytes.get() < *limit,
        }
    }

    /// A packet of `size` got in.
    #[inline]
    pub fn took(&mut self, size: Bytes) {
        if let Self::Ns2Bytes { largest, .. } = self {
            *largest = (*largest).max(size.get());
        }
    }

    /// What can wait at most.
    pub fn capacity(&self) -> Capacity {
        match *self {
            Self::Fits(capacity) => capacity,
            Self::Ns2Bytes { limit, largest } => Capacity::Bytes(limit - 1 + largest),
        }
    }

    /// The limit itself.
    pub fn limit(&self) -> Capacity {
        match *self {
            Self::Fits(capacity) => capacity,
            Self::Ns2Bytes { limit, .. } => Capacity::Bytes(limit),
        }
    }
}

impl From<Capacity> for Room {
    fn from(capacity: Capacity) -> Self {
        Self::Fits(capacity)
    }
}
