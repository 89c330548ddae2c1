//! Packets of a train in no order.
//!
//! Many packets wait for a [round](crate::round), and mostly they are spread evenly over the time
//! until the last. So where they have to be put in order after all, each is put near its place by
//! its instant alone, and only the few that fall together are sorted.

use sojourn_base::Time;
use sojourn_base::prefetch::prefetch;

use crate::SimPacket;
use crate::ledger::Shared;

/// The packets, and memory for sorting them.
#[derive(Debug, Default)]
pub(crate) struct Unordered {
    /// Each stamped with the instant at which it comes out.
    packets: Vec<SimPacket>,
    /// When they come out, and their places in `packets`.
    order: Vec<(Time, u32)>,
    /// Their time is divided into parts of equal length: where each part ends in `order`.
    ends: Vec<u32>,
}

/// Up to this many are sorted directly.
const FEW: usize = 16;

impl Unordered {
    /// Adds one, and changes it there.
    #[inline(always)]
    #[allow(clippy::inline_always)] // to be copied once and whole
    pub(crate) fn push(&mut self, packet: &SimPacket, change: impl FnOnce(&mut SimPacket)) {
        self.packets.push(*packet);
        self.packets.last_mut().map(change);
    }

    /// Prefetches the memory for the packet that is added after `others` more.
    #[inline]
    pub(crate) fn prefetch_room(&mut self, others: usize) {
        let room = self.packets.spare_capacity_mut().get(others);
        room.into_iter().for_each(prefetch);
    }

    /// Keeps those that `stay`.
    pub(crate) fn retain(&mut self, stay: impl FnMut(&SimPacket) -> bool) {
        self.packets.retain(stay);
    }

    /// All, as they were added.
    pub(crate) fn packets(&self) -> &[SimPacket] {
        &self.packets
    }

    pub(crate) fn clear(&mut self) {
        self.packets.clear();
        self.order.clear();
    }

    /// Sorts all by their instants, then by the links they come out of.
    pub(crate) fn sort(&mut self, shared: &Shared) {
        self.spread();
        let packets = &self.packets;
        let compare = |one: &(Time, u32), other: &(Time, u32)| {
            let link = |&(_, place): &(Time, u32)| shared.came_over(&packets[place as usize]);
            let times = one.0.cmp(&other.0);
            times.then_with(|| (link(one), one.1).cmp(&(link(other), other.1)))
        };
        let mut from = 0;
        for &end in &self.ends {
            let end = end as usize;
            if end > from + 1 {
                self.order[from..end].sort_unstable_by(compare);
            }
            from = end;
        }
    }

    /// All, [sorted](Self::sort).
    pub(crate) fn sorted(
        &self,
    ) -> impl DoubleEndedIterator<Item = &SimPacket> + ExactSizeIterator + Clone {
        let order = self.order.iter();
        order.map(|&(_, place)| &self.packets[place as usize])
    }

    /// Puts all in order except for packets that come out in the same part of the time.
    fn spread(&mut self) {
        let count = self.packets.len();
        let stamps = self.packets.iter().map(|packet| packet.stamp.as_ps());
        let (first, last) = stamps.fold((u64::MAX, 0), |(first, last), stamp| {
            (first.min(stamp), last.max(stamp))
        });
        let parts = if count <= FEW { 1 } else { count };
        let scale = parts as f64 / (last.saturating_sub(first) as f64 + 1.0);
        let part = |packet: &SimPacket| {
            let part = (packet.stamp.as_ps() - first) as f64 * scale;
            (part as usize).min(parts - 1)
        };
        // First how many there are in the part before, then where a part begins, then where it
        // ends.
        self.ends.clear();
        self.ends.resize(parts + 1, 0);
        for packet in &self.packets {
            self.ends[part(packet) + 1] += 1;
        }
        let mut sum = 0;
        for end in &mut self.ends {
            sum += *end;
            *end = sum;
        }
        self.order.resize(count, (Time::ZERO, 0));
        for (place, packet) in self.packets.iter().enumerate() {
            let at = &mut self.ends[part(packet)];
            self.order[*at as usize] = (packet.stamp, place as u32);
            *at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connection::Acks;
    use crate::routes::Paths;
    use sojourn_base::Stream;

    /// Spread evenly, or nearly all at two instants far apart, where the links decide.
    #[test]
    fn sorted_they_are_in_the_order_of_instants_and_links() {
        let mut paths = Paths::default();
        let first = paths.add(&[4, 9, 2, 7]);
        let shared = Shared {
            lanes: Vec::new(),
            paths,
            acks: Acks::default(),
            close_at: Time::ZERO,
        };
        let mut random = Stream::new(1);
        let mut unordered = Unordered::default();
        for (count, instants) in [(0, 1), (1, 1), (16, 50), (500, 1 << 40), (500, 2), (900, 1)] {
            unordered.clear();
            for number in 0..count {
                let at = first + 1 + random.below(4) as u32;
                let ps = random.below(instants) * (1 << 20);
                let stamp = Time::from_ps(if number == 3 { u64::MAX - 1 } else { ps });
                let packet = SimPacket {
                    stamp,
                    at,
                    ..SimPacket::datagram(0, number, 100)
                };
                unordered.push(&packet, |_| ());
            }
            unordered.sort(&shared);
            let mut expected = unordered.packets().to_vec();
            expected.sort_by_key(|packet| (packet.stamp, shared.came_over(packet)));
            assert!(unordered.sorted().eq(&expected));
        }
    }
}
