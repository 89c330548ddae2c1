//! Packets that are lost on the wire of a link.
//!
//! A packet that is lost has been sent like any other: it has left the queue and taken its time. At
//! the far end, where its last bit comes out, it is found to be damaged and is discarded. In the
//! books of the link this is a drop with the reason [`Link`](sojourn_queue::Reason::Link), and in
//! those of its flow the packet is dropped.
//!
//! Packets come out in the order of sending, or the link does not [hand over](crate::handover). So
//! a link that hands over knows the losses at that moment. It keeps the lost packets; only these
//! come out there by an event, or earlier, when its queue drops a packet at a later instant: so an
//! observer sees the losses of a link in order.

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_base::{Bytes, Stream, Time};

use super::Link;
use crate::ledger::{Ledger, Shared};
use crate::{LinkId, Observer, SimPacket};

/// The law by which packets are lost.
#[derive(Debug, Clone, PartialEq)]
pub enum LossLaw {
    /// Each packet with this probability, independently of the others.
    Independent(f64),
    /// Each bit is wrong with this probability, and a packet that has any such bit, in its link
    /// framing too, is lost.
    BitErrors(f64),
    /// E. Gilbert, "Capacity of a burst-noise channel", Bell System Technical Journal, 1960, and
    /// E. Elliott, 1963: the wire is good at first; after each packet a good one becomes bad with
    /// the probability `good_to_bad`, and a bad one good with `bad_to_good`. A packet is lost with
    /// the probability `in_good` or `in_bad`. So does Linux's netem, `loss gemodel`.
    Bursts {
        /// Probability that a good wire becomes bad.
        good_to_bad: f64,
        /// Probability that a bad wire becomes good.
        bad_to_good: f64,
        /// Probability that a packet is lost on a good wire.
        in_good: f64,
        /// Probability that a packet is lost on a bad wire.
        in_bad: f64,
    },
    /// The packets with these numbers, of all that come out, counted from 1; in ascending order.
    Listed(Arc<[u64]>),
}

/// The losses on one wire.
#[derive(Debug, Clone)]
pub struct Losses {
    law: LossLaw,
    random: Stream,
    /// Packets that have come out, lost or not.
    came_out: u64,
    is_bad: bool,
    /// Packets that will be found to be lost, each stamped with the instant of this, where it is
    /// known in advance.
    kept: VecDeque<SimPacket>,
}

impl Losses {
    /// Losses by a law; all that is random is drawn from `random`.
    pub fn new(law: LossLaw, random: Stream) -> Self {
        Self {
            law,
            random,
            came_out: 0,
            is_bad: false,
            kept: VecDeque::new(),
        }
    }

    /// Keeps a packet that is lost until it comes out, at `stamp`.
    pub(super) fn keep(&mut self, packet: &SimPacket, stamp: Time) {
        let mut lost = *packet;
        lost.send_copy_on(packet, 1, stamp);
        self.kept.push_back(lost);
    }

    /// Finds all kept packets that come out by `now` to be lost.
    pub(super) fn let_out<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        ledger: &mut Ledger,
        shared: &mut Shared,
        observer: &mut O,
    ) {
        while let Some(packet) = self.kept.pop_front_if(|packet| packet.stamp <= now) {
            book_lost(id, &packet, ledger, shared, observer);
        }
    }

    /// Whether the next packet to come out, of that many bytes with its framing, is lost.
    fn loses(&mut self, size: Bytes) -> bool {
        self.came_out += 1;
        match self.law {
            LossLaw::Independent(ratio) => self.random.chance(ratio),
            LossLaw::BitErrors(ratio) => {
                let all_right = libm::exp(size.as_f64() * 8.0 * libm::log1p(-ratio));
                self.random.chance(1.0 - all_right)
            }
            LossLaw::Bursts {
                good_to_bad,
                bad_to_good,
                in_good,
                in_bad,
            } => {
                let (loss, turn) = if self.is_bad {
                    (in_bad, bad_to_good)
                } else {
                    (in_good, good_to_bad)
                };
                let is_lost = self.random.chance(loss);
                self.is_bad ^= self.random.chance(turn);
                is_lost
            }
            LossLaw::Listed(ref numbers) => numbers.binary_search(&self.came_out).is_ok(),
        }
    }
}

/// Books that a packet comes out, stamped with the instant, and is lost.
fn book_lost<O: Observer>(
    id: LinkId,
    packet: &SimPacket,
    ledger: &mut Ledger,
    shared: &mut Shared,
    observer: &mut O,
) {
    ledger.lose();
    shared.dropped(packet);
    observer.lost(packet.stamp, id, packet);
}

impl Link {
    /// Whether the next packet to come out is lost on the wire.
    pub(super) fn loses(&mut self, packet: &SimPacket) -> bool {
        let size = packet.bytes() + self.spec.overhead;
        let losses = self.spec.losses.as_mut();
        losses.is_some_and(|losses| losses.loses(size))
    }

    /// Whether a packet that comes out by an event is lost; if so, it is booked.
    #[inline(never)]
    pub(crate) fn is_lost<O: Observer>(
        &mut self,
        id: LinkId,
        packet: &SimPacket,
        shared: &mut Shared,
        observer: &mut O,
    ) -> bool {
        let is_lost = self.loses(packet);
        if is_lost {
            book_lost(id, packet, &mut self.ledger, shared, observer);
        }
        is_lost
    }

    /// The packets that it keeps and that will be found to be lost.
    pub(super) fn kept_lost(&self) -> impl Iterator<Item = &SimPacket> {
        let losses = self.spec.losses.iter();
        losses.flat_map(|losses| &losses.kept)
    }

    /// When the first of them comes out.
    #[inline]
    pub(super) fn next_lost(&self) -> Time {
        if !self.is_lossy {
            return Time::NEVER;
        }
        let first = self.kept_lost().next();
        first.map_or(Time::NEVER, |packet| packet.stamp)
    }

    /// Lets all of them come out that do so by `now`.
    #[inline(never)]
    pub(crate) fn let_lost_out<O: Observer>(
        &mut self,
        id: LinkId,
        now: Time,
        shared: &mut Shared,
        observer: &mut O,
    ) {
        if let Some(losses) = &mut self.spec.losses {
            losses.let_out(id, now, &mut self.ledger, shared, observer);
        }
    }
}
