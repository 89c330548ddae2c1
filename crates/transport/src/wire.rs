//! Segments and acknowledgements: what the two ends of a connection send to each other.

use sojourn_base::{Ecn, Time};

/// A segment on its way to the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)] // the flags of the header
pub struct Segment {
    /// Number of its first byte; the SYN is number 0, data begins at 1.
    pub seq: u64,
    /// Bytes of payload.
    pub len: u32,
    /// Opens the connection.
    pub syn: bool,
    /// Ends the stream: takes the number after its last byte.
    pub fin: bool,
    /// Whether all or part of it was sent before.
    pub retransmission: bool,
    /// "Congestion window reduced" (RFC 3168, 6.1.2).
    pub cwr: bool,
    /// PSH: the receiver acknowledges this segment at once (Linux).
    pub push: bool,
    /// ECN codepoint to send it with: none on a SYN, and none on a retransmission unless the
    /// controller weighs marks (RFC 3168, 6.1.5; RFC 8257, 4.1).
    pub ecn: Ecn,
    /// When it was sent: the timestamp option's `TSval`, at the clock's full resolution.
    pub stamp: Time,
}

impl Segment {
    /// The number after its last: payload, SYN and FIN counted.
    pub const fn end(&self) -> u64 {
        self.seq + self.len as u64 + self.syn as u64 + self.fin as u64
    }
}

/// Up to four ranges `[start, end)` that have arrived out of order (RFC 2018), newest first; the
/// first may report a duplicate instead (RFC 2883).
#[derive(Debug, Clone, Copy, Default)]
#[repr(C)]
pub struct SackBlocks {
    len: u8,
    blocks: [(u64, u64); 4],
}

impl PartialEq for SackBlocks {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl Eq for SackBlocks {}

impl SackBlocks {
    /// No block.
    pub const NONE: Self = Self {
        len: 0,
        blocks: [(0, 0); 4],
    };

    /// Adds a block if there is room; returns whether there was.
    pub fn push(&mut self, block: (u64, u64)) -> bool {
        let room = usize::from(self.len) < self.blocks.len();
        if room {
            self.blocks[usize::from(self.len)] = block;
            self.len += 1;
        }
        room
    }

    /// Sorts the blocks, the lowest first; they arrive with the latest first.
    pub fn sort(&mut self) {
        self.blocks[..usize::from(self.len)].sort_unstable();
    }

    /// Removes all blocks; touches no other memory.
    #[inline]
    pub const fn clear(&mut self) {
        self.len = 0;
    }

    /// The blocks.
    pub fn as_slice(&self) -> &[(u64, u64)] {
        &self.blocks[..usize::from(self.len)]
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Blocks from a list; those beyond four are left out.
    pub fn of(blocks: &[(u64, u64)]) -> Self {
        let mut made = Self::NONE;
        for &block in blocks {
            made.push(block);
        }
        made
    }
}

/// An acknowledgement on its way back.
///
/// It takes two cache lines; one without blocks uses only the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(C, align(64))]
pub struct Ack {
    /// The number expected next: all before it has arrived.
    pub ack: u64,
    /// Receiver window in bytes from `ack` on.
    pub window: u64,
    /// Payload bytes that have arrived with "congestion experienced" since the start: accurate
    /// feedback (RFC 9768) without its field widths.
    pub ce_bytes: u64,
    /// When the receiver sent it: the timestamp option's `TSval`.
    pub stamp: Time,
    /// `TSecr`: the stamp of the earliest segment it acknowledges, or of the one that last filled a
    /// hole (RFC 7323, 4.3); none without timestamps.
    pub echo: Option<Time>,
    /// "ECN-echo" (RFC 3168; under DCTCP the state of RFC 8257, 3.2).
    pub ece: bool,
    /// Ranges above `ack` that have arrived.
    pub sack: SackBlocks,
}

impl Ack {
    /// A plain acknowledgement up to `ack`, with an unlimited window.
    pub const fn plain(ack: u64) -> Self {
        Self {
            ack,
            window: u64::MAX,
            sack: SackBlocks::NONE,
            ece: false,
            ce_bytes: 0,
            stamp: Time::ZERO,
            echo: None,
        }
    }
}

/// Where a receiver writes its acknowledgements: they are large, so each is written where it will
/// be kept.
pub trait Outbox {
    /// The place of the next acknowledgement, which may still hold an earlier one.
    fn next_ack(&mut self) -> &mut Ack;
}
