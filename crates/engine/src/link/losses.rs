//! What is lost on the wire of a link.
//!
//! A packet that is lost has been sent like any other: it has left the queue and taken its time. At
//! the far end, where its last bit comes out, it is found to be damaged, and is gone. In the books
//! of the link it is a drop with the reason [`Link`](sojourn_queue::Reason::Link), in those of its
//! flow it is dropped.
//!
//! Packets come out in the order of sending, or the link does not [hand over](crate::handover). So
//! one that does knows as soon as it hands over: what is lost it keeps, and that alone comes out
//! there by an event; or before, where its queue drops something later: who looks on sees in order
//! what a link lost.

use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_base::{Bytes, Stream, Time};

use super::Link;
use crate::ledger::{Ledger, Shared};
use crate::{LinkId, Observer, SimPacket};

/// By which law packets are lost.
#[derive(Debug, Clone, PartialEq)]
pub enum LossLaw {
    /// Each with this probability, whatever becomes of the others.
    Independent(f64),
    /// Each bit is wrong with this probability, and a packet is lost that has any such bit, of its
    /// link framing too.
    BitErrors(f64),
    /// E. Gilbert, "Capacity of a burst-noise channel", Bell System Technical Journal, 1960, and
    /// E. Elliott, 1963: the wire is good at first; after each packet a good one becomes bad with
    /// the probability `good_to_bad`, and a bad one good with `bad_to_good`. A packet is lost with
    /// the probability `in_good` or `in_bad`. So does Linux's netem, `loss gemodel`.
    Bursts {
        /// Of a good wire to become bad.
        good_to_bad: f64,
        /// Of a bad one to become good.
        bad_to_good: f64,
        /// Of a packet to be lost on a good one.
        in_good: f64,
        /// On a bad one.
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
    /// Those that will be found to be lost, each stamped with when, where that is known ahead.
    kept: VecDeque<SimPacket>,
}

impl Losses {
    /// Losses by a law; what is random is drawn from `random`.
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

    /// All that are kept and come out by `now` are found to be lost.
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

    /// Whether the packet is lost that comes out next, of so many bytes with its framing.
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

/// A packet comes out, stamped with when, and is lost.
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
    /// Whether the packet that comes out next is lost on the wire.
    pub(super) fn loses(&mut self, packet: &SimPacket) -> bool {
        let size = packet.bytes() + self.spec.overhead;
        let losses = self.spec.losses.as_mut();
        losses.is_some_and(|losses| losses.loses(size))
    }

    /// Whether a packet is lost that comes out by itself; it is booked then.
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

    /// Those that it keeps and that will be found to be lost.
    pub(super) fn kept_lost(&self) -> impl Iterator<Item = &SimPacket> {
        let losses = self.spec.losses.iter();
        losses.flat_map(|losses| &losses.kept)
    }

    /// When the first of these comes out.
    #[inline]
    pub(super) fn next_lost(&self) -> Time {
        if !self.is_lossy {
            return Time::NEVER;
        }
        let first = self.kept_lost().next();
        first.map_or(Time::NEVER, |packet| packet.stamp)
    }

    /// All of these come out that do by `now`.
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
