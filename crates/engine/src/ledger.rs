//! The books of links and flows: a run whose books do not balance fails loudly.
//!
//! The books are kept independently of the disciplines, from what goes in and comes out. After
//! every operation they are compared with what the discipline reports about itself, in release
//! builds too.

use core::fmt;

use sojourn_base::{Bytes, Span, Time};
use sojourn_queue::{Backlog, Reason};

use crate::connection::Acks;
use crate::routes::{END, Paths};
use crate::{Kind, LinkId, NodeId, SimPacket};

/// Packets and their bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Count {
    /// Packets.
    pub packets: u64,
    /// Bytes.
    pub bytes: u64,
}

impl Count {
    #[inline]
    fn add(&mut self, size: Bytes) {
        self.packets += 1;
        self.bytes += size.get();
    }

    fn plus(self, other: Self) -> Self {
        Self {
            packets: self.packets + other.packets,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// Packets by [`Reason`].
pub type ByReason = [u64; Reason::ALL.len()];

/// The books of one queue: what arrived, what left, what was dropped, and how long all of it
/// waited.
///
/// The fields come in this order: those that a packet touches that does not wait, those that a
/// waiting packet touches, and those for drops and marks.
#[derive(Debug, Clone, Default)]
#[repr(C)]
pub struct Ledger {
    /// Arrivals less departures and drops.
    backlog: Count,
    /// Packets that found the queue empty and were sent at once.
    passed: Count,
    /// Packets that arrived and waited, but were never in the backlog.
    waited_apart: Count,
    /// Their summed waiting times, in picoseconds.
    waited_apart_for: u128,
    /// Integral of the waiting bytes over time, in byte-picoseconds.
    pub byte_time: u128,
    /// The other packets that arrived.
    joined: Count,
    /// The other packets whose transmission began.
    left: Count,
    /// The instant up to which the integrals are taken.
    updated: Time,
    /// Most packets that waited for longer than an instant, since [`Ledger::reset_peak`].
    pub peak_packets: u64,
    /// Integral of the backlog over time, in packet-picoseconds.
    backlog_time: u128,
    /// Summed waiting times of the packets that have left the backlog, in picoseconds.
    waited: u128,
    /// The part of `waited` that belongs to packets that were dropped.
    waited_in_vain: u128,
    /// Summed arrival instants of the packets that wait now, in picoseconds.
    stamps: u128,
    /// Drops and marks by reason, allocated with the first: most links have none.
    reasons: Option<Box<[ByReason; 2]>>,
}

impl Ledger {
    /// What waits, by the books: arrivals less departures and drops.
    #[inline]
    pub fn backlog(&self) -> Count {
        self.backlog
    }

    /// Packets that came to the queue.
    pub fn arrivals(&self) -> Count {
        self.passed.plus(self.waited_apart).plus(self.joined)
    }

    /// Packets whose transmission began.
    pub fn departures(&self) -> Count {
        self.passed.plus(self.waited_apart).plus(self.left)
    }

    /// Packets that found the queue empty and were sent at once: these arrived and departed.
    pub fn passed(&self) -> Count {
        self.passed
    }

    /// Integral of the waiting packets over time, in packet-picoseconds.
    pub fn packet_time(&self) -> u128 {
        self.backlog_time + self.waited_apart_for
    }

    /// Summed waiting times of the packets whose transmission began, in picoseconds.
    pub fn waited(&self) -> u128 {
        self.waited - self.waited_in_vain + self.waited_apart_for
    }

    /// Takes the integrals up to `now`.
    #[inline]
    pub fn advance(&mut self, now: Time) {
        let span = now.elapsed_since(self.updated).as_ps();
        if span == 0 {
            return;
        }
        self.updated = now;
        if self.backlog.packets > 0 {
            self.backlog_time += u128::from(self.backlog.packets) * u128::from(span);
            self.byte_time += u128::from(self.backlog.bytes) * u128::from(span);
            self.peak_packets = self.peak_packets.max(self.backlog.packets);
        }
    }

    /// Starts the search for the peak anew.
    pub fn reset_peak(&mut self) {
        self.peak_packets = 0;
    }

    /// A packet of `size` came to the queue.
    #[inline]
    pub fn arrive(&mut self, size: Bytes, now: Time) {
        self.advance(now);
        self.joined.add(size);
        self.backlog.add(size);
        self.stamps += u128::from(now.as_ps());
    }

    /// A packet came to an empty queue and its transmission began at once.
    #[inline]
    pub fn pass(&mut self, size: Bytes) {
        self.passed.add(size);
    }

    /// A packet that arrived at `stamp` began its transmission at `now`, and neither is in the
    /// books yet. So it was never in the backlog, and the caller has to find the peak.
    pub(crate) fn wait(&mut self, size: Bytes, stamp: Time, now: Time) {
        let wait = u128::from(now.since(stamp).as_ps());
        self.waited_apart.add(size);
        self.waited_apart_for += wait;
        self.byte_time += wait * u128::from(size.get());
    }

    /// The transmission of a packet that arrived at `stamp` began.
    #[inline]
    pub fn depart(&mut self, size: Bytes, stamp: Time, now: Time) {
        self.advance(now);
        self.left.add(size);
        self.leave(size, stamp, now);
    }

    /// The transmission of a packet that arrived at `stamp` will begin at `begins`, which is not
    /// before the instant up to which the integrals are taken.
    pub(crate) fn depart_ahead(&mut self, size: Bytes, stamp: Time, begins: Time) {
        let wait = u128::from(begins.since(self.updated).as_ps());
        self.backlog_time += wait;
        self.byte_time += wait * u128::from(size.get());
        self.left.add(size);
        self.leave(size, stamp, begins);
    }

    /// A packet that arrived at `stamp` was dropped.
    #[inline]
    pub fn drop(&mut self, size: Bytes, stamp: Time, now: Time, reason: Reason) {
        self.advance(now);
        self.reasons.get_or_insert_default()[0][reason as usize] += 1;
        self.waited_in_vain += u128::from(now.elapsed_since(stamp).as_ps());
        self.leave(size, stamp, now);
    }

    /// A packet that had been sent was lost on the wire.
    pub fn lose(&mut self) {
        self.reasons.get_or_insert_default()[0][Reason::Link as usize] += 1;
    }

    /// A packet was marked.
    pub fn mark(&mut self, reason: Reason) {
        self.reasons.get_or_insert_default()[1][reason as usize] += 1;
    }

    /// Packets dropped, on arrival or later, or lost on the wire.
    pub fn drops(&self) -> u64 {
        self.drops_by_reason().iter().sum()
    }

    /// Drops by reason.
    pub fn drops_by_reason(&self) -> ByReason {
        self.reasons
            .as_ref()
            .map_or_else(Default::default, |both| both[0])
    }

    /// Marks by reason.
    pub fn marks_by_reason(&self) -> ByReason {
        self.reasons
            .as_ref()
            .map_or_else(Default::default, |both| both[1])
    }

    #[inline]
    fn leave(&mut self, size: Bytes, stamp: Time, now: Time) {
        // A packet that left without having come makes this wrap, and no backlog agrees with it.
        self.backlog.packets = self.backlog.packets.wrapping_sub(1);
        self.backlog.bytes = self.backlog.bytes.wrapping_sub(size.get());
        self.waited += u128::from(now.elapsed_since(stamp).as_ps());
        self.stamps = self.stamps.wrapping_sub(u128::from(stamp.as_ps()));
    }

    /// Compares the packets that really still wait, by their number and summed arrival instants,
    /// with those that wait according to the books. Together with [`Ledger::check_little`] this
    /// makes sure that every packet left with the stamp with which it arrived.
    ///
    /// # Errors
    /// Names both values if they differ.
    pub fn check_still_waiting(&self, packets: u64, stamps: u128) -> Result<(), String> {
        if (packets, stamps) == (self.backlog().packets, self.stamps) {
            return Ok(());
        }
        Err(format!(
            "{packets} packets of summed arrival {stamps} ps still waited, by the books {} of {} ps",
            self.backlog().packets,
            self.stamps.cast_signed()
        ))
    }

    /// Little's law in integers: the integral of the queue equals the summed waiting time of all
    /// packets that waited, whether sent, dropped later or still waiting.
    ///
    /// # Errors
    /// Names both sides if they differ.
    pub fn check_little(&self, now: Time) -> Result<(), String> {
        let so_far = u128::from(self.backlog().packets) * u128::from(now.as_ps());
        let waiting = self.waited.wrapping_add(so_far).wrapping_sub(self.stamps);
        if waiting == self.backlog_time {
            return Ok(());
        }
        Err(format!(
            "the integral of the queue is {} packet-ps, the summed waiting times are {waiting} ps",
            self.backlog_time
        ))
    }

    /// Whether the discipline's own count agrees with the books.
    #[inline]
    pub fn agrees(&self, said: Backlog, in_device: Backlog) -> bool {
        let packets = (said.packets + in_device.packets) as u64;
        let bytes = (said.bytes + in_device.bytes).get();
        (packets, bytes) == (self.backlog.packets, self.backlog.bytes)
    }

    /// Describes both values where they do not agree.
    pub fn disagreement(&self, said: Backlog, in_device: Backlog) -> String {
        format!(
            "the queue holds {} packets and {} bytes, arrivals less departures and drops are {} and {}",
            said.packets + in_device.packets,
            (said.bytes + in_device.bytes).get(),
            self.backlog.packets,
            self.backlog.bytes
        )
    }
}

/// The books of one direction of a flow, in packets since the start of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlowBooks {
    /// Sent.
    pub sent: u64,
    /// Received at their destination.
    pub received: u64,
    /// Dropped on the way.
    pub dropped: u64,
}

impl FlowBooks {
    /// Neither received nor dropped yet.
    pub fn on_the_way(&self) -> Option<u64> {
        self.sent
            .checked_sub(self.received)?
            .checked_sub(self.dropped)
    }
}

/// One direction of a flow: its books, and what each of its packets needs at both ends and at every
/// hop, in one cache line. With many flows each line is a cache miss, and most of the other data of
/// a flow is further away.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(crate) struct Lane {
    pub(crate) books: FlowBooks,
    /// The least time that a packet of `floor_size` can take: propagation and serialisation of
    /// every link.
    pub(crate) floor: Span,
    /// The last packet size.
    pub(crate) floor_size: u16,
    /// Differentiated-services codepoint of its packets.
    pub(crate) dscp: u8,
    /// Where its path begins among all [`Paths`].
    pub(crate) path: u32,
    /// Its first link, kept here since prefetching has the lane in the cache, but not the path.
    pub(crate) first: LinkId,
    /// Header bytes of a packet that carries data.
    pub(crate) header: u32,
    /// Sending and receiving node.
    pub(crate) ends: (NodeId, NodeId),
    /// The connection looked up last, and its slot; [`Lane::NO_SLOT`] if there is none.
    pub(crate) connection: u32,
    pub(crate) slot: u32,
}

impl Lane {
    /// Stands for no slot.
    pub(crate) const NO_SLOT: u32 = u32::MAX;

    /// The slot of a connection, if it was the one looked up last.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet
    pub(crate) fn slot_of(&self, connection: u32) -> Option<u32> {
        let is_known = self.connection == connection && self.slot != Self::NO_SLOT;
        is_known.then_some(self.slot)
    }
}

impl Default for Lane {
    fn default() -> Self {
        Self {
            books: FlowBooks::default(),
            floor: Span::ZERO,
            floor_size: 0,
            dscp: 0,
            path: 0,
            first: END,
            header: 0,
            ends: (0, 0),
            connection: 0,
            slot: Self::NO_SLOT,
        }
    }
}

/// What all links share: the books of flows, their paths, and the arena, to which a dropped
/// acknowledgement gives back its place.
#[derive(Debug)]
pub(crate) struct Shared {
    /// Two for each flow: there and back.
    pub(crate) lanes: Vec<Lane>,
    /// The paths of all lanes.
    pub(crate) paths: Paths,
    pub(crate) acks: Acks,
    /// When the books are closed next.
    pub(crate) close_at: Time,
}

impl Shared {
    /// The link over which a packet goes next; [`END`] at the end of its path.
    #[inline(always)]
    #[allow(clippy::inline_always)] // several times a packet
    pub(crate) fn goes_over(&self, packet: &SimPacket) -> LinkId {
        self.paths.link(packet.at)
    }

    /// The link over which a packet came last; it must have left its source.
    #[inline]
    pub(crate) fn came_over(&self, packet: &SimPacket) -> LinkId {
        self.paths.link(packet.at.wrapping_sub(1))
    }

    /// Whether a packet comes later than another, or at the same instant over a link with a higher
    /// number.
    #[inline]
    pub(crate) fn comes_later(&self, one: &SimPacket, other: &SimPacket) -> bool {
        self.comes_after(one, other.stamp, || self.came_over(other))
    }

    /// Whether a packet comes later than `stamp`, or at that instant over a link with a higher
    /// number than `link`, which is seldom needed.
    #[inline(always)]
    #[allow(clippy::inline_always)] // several times a packet
    pub(crate) fn comes_after(
        &self,
        packet: &SimPacket,
        stamp: Time,
        link: impl FnOnce() -> LinkId,
    ) -> bool {
        packet.stamp > stamp || packet.stamp == stamp && self.came_over(packet) > link()
    }

    /// The lane of the opposite direction to that of a packet.
    #[inline]
    pub(crate) fn lane_of_answer(&self, packet: &SimPacket) -> &Lane {
        &self.lanes[packet.lane() ^ 1]
    }

    #[inline]
    pub(crate) fn dropped(&mut self, packet: &SimPacket) {
        self.lanes[packet.lane()].books.dropped += 1;
        if packet.is(Kind::Ack) {
            self.acks.forget(packet.ack_place());
        }
    }
}

/// Books that do not balance: a fault of the program, never of the scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// Simulated time at which it was noticed.
    pub at: Time,
    /// The link or flow.
    pub place: String,
    /// What does not agree.
    pub what: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the books of {} do not balance at {}: {}",
            self.place, self.at, self.what
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: Bytes = Bytes::new(500);

    fn at(ps: u64) -> Time {
        Time::from_ps(ps)
    }

    #[test]
    fn littles_law_holds_with_drops_and_backlog() {
        let mut ledger = Ledger::default();
        ledger.arrive(SIZE, at(10));
        ledger.arrive(SIZE, at(20));
        ledger.arrive(SIZE, at(25));
        ledger.depart(SIZE, at(10), at(40));
        ledger.drop(SIZE, at(20), at(60), Reason::Target);
        ledger.advance(at(100));
        // 30 + 40 + 75 packet-picoseconds: sent, dropped at the head, still waiting.
        assert_eq!((ledger.packet_time(), ledger.waited()), (145, 30));
        assert_eq!(ledger.check_little(at(100)), Ok(()));
        assert_eq!(ledger.peak_packets, 3);
    }

    #[test]
    fn what_was_never_in_the_backlog_counts_as_if_it_had_been() {
        let told = |ledger: &Ledger| {
            (
                [ledger.arrivals(), ledger.departures(), ledger.backlog()],
                [ledger.packet_time(), ledger.byte_time, ledger.waited()],
            )
        };
        let (mut seen, mut apart) = (Ledger::default(), Ledger::default());
        seen.arrive(SIZE, at(10));
        seen.depart(SIZE, at(10), at(40));
        apart.wait(SIZE, at(10), at(40));
        assert_eq!(told(&apart), told(&seen));
        assert_eq!(apart.check_little(at(50)), Ok(()));
    }

    #[test]
    fn a_packet_swapped_for_another_is_noticed() {
        let mut ledger = Ledger::default();
        ledger.arrive(SIZE, at(10));
        ledger.arrive(SIZE, at(20));
        ledger.depart(SIZE, at(20), at(40));
        ledger.depart(SIZE, at(20), at(50));
        assert!(ledger.check_still_waiting(0, 0).is_err());
    }

    #[test]
    fn a_lost_packet_is_noticed() {
        let mut ledger = Ledger::default();
        ledger.arrive(SIZE, at(1));
        let empty = Backlog::default();
        assert!(!ledger.agrees(empty, empty));
        let fault = ledger.disagreement(empty, empty);
        assert!(fault.contains("1 and 500"), "{fault}");
    }

    #[test]
    fn a_queue_of_an_instant_is_no_peak() {
        let mut ledger = Ledger::default();
        ledger.arrive(SIZE, at(10));
        ledger.depart(SIZE, at(10), at(10));
        ledger.advance(at(20));
        assert_eq!((ledger.peak_packets, ledger.packet_time()), (0, 0));
    }
}
