//! Packets that are announced to a link and have no place in its ring yet.
//!
//! Where the links that feed it are similar, there are mostly none: a packet that comes before many
//! others waits here for more such packets, and all are put in their places at once. Where the
//! links are not similar, or announce flow by flow in [rounds](crate::round), all packets lie in a
//! [wheel](crate::wheel) until they are about to arrive.

use sojourn_base::{Span, Time};

use super::Pace;
use super::handover::FULL;
use crate::SimPacket;
use crate::ledger::Shared;
use crate::ring::Ring;
use crate::wheel::{Timed, Wheel};

/// The number of full packets that could arrive in the time of one bucket.
const BUCKET: u64 = 16;

impl Timed for SimPacket {
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn time(&self) -> Time {
        self.stamp
    }
}

/// Packets, each stamped with its arrival.
#[derive(Debug)]
pub(super) struct Unplaced {
    /// Packets that come before so many others that these are not moved for each of them.
    pub(super) early: Vec<SimPacket>,
    /// Packets that come in any order.
    pub(super) later: Wheel<SimPacket>,
    /// Instant, link and place of the packets of a bucket, to be sorted.
    order: Vec<u128>,
}

impl Unplaced {
    /// For a link of that pace.
    pub(super) fn new(pace: Pace) -> Self {
        let bucket = pace.to_send(FULL).as_ps().saturating_mul(BUCKET);
        Self {
            early: Vec::new(),
            later: Wheel::new(Span::from_ps(bucket)),
            order: Vec::new(),
        }
    }

    /// Puts the packets that come before many others in their places.
    pub(super) fn place_early(&mut self, ring: &mut Ring<SimPacket>, shared: &Shared) {
        let link = |packet: &SimPacket| shared.came_over(packet);
        self.early
            .sort_by_key(|packet| (packet.stamp, link(packet)));
        ring.merge(self.early.iter(), |one, other| {
            shared.comes_later(one, other)
        });
        self.early.clear();
    }

    /// Puts the packets of the wheel that arrive up to `until` in their places, and some that
    /// arrive soon after.
    pub(super) fn place_later(&mut self, until: Time, ring: &mut Ring<SimPacket>, shared: &Shared) {
        let order = &mut self.order;
        self.later.take_until(until, |packets| {
            order.clear();
            order.extend((0_u32..).zip(packets).map(|(place, packet)| {
                let [time, link] = [packet.stamp.as_ps(), shared.came_over(packet).into()];
                u128::from(time) << 64 | u128::from(link) << 32 | u128::from(place)
            }));
            order.sort_unstable();
            let in_order = order.iter().map(|&key| &packets[key as u32 as usize]);
            ring.merge(in_order, |one, other| shared.comes_later(one, other));
        });
    }

    /// All of them.
    pub(super) fn packets(&self) -> impl Iterator<Item = &SimPacket> {
        self.early.iter().chain(self.later.iter())
    }
}
