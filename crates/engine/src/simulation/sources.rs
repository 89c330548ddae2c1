//! The part of the run loop that serves sources: when they send, and what.
//!
//! Sources of datagrams do not learn what becomes of their packets. If there are no other sources,
//! and nothing else arrives at the links over which they send first, they run ahead: each time one
//! of them is next, several packets are sent one after the other, each at its exact instant,
//! whatever happens elsewhere before that. Where sources send at random, no processor could predict
//! whether a sent packet or an arriving one comes next. Sources do not run ahead if the wire of
//! such a first link loses packets: the observer would see a loss after later arrivals at the link.

use std::collections::BTreeSet;

use sojourn_base::Time;
use sojourn_traffic::{Direction, Draw, Source};

use super::Simulation;
use crate::flow::{Agent, Flow};
use crate::ledger::Lane;
use crate::link::Link;
use crate::routes::{END, Paths};
use crate::{Cargo, FlowId, LinkId, Observer, SimPacket};

/// The number of packets that sources send at a time where they run ahead.
const AHEAD: usize = 64;

/// Whether all flows send datagrams, nothing else arrives at their first links, and none of these
/// links loses packets on its wire.
pub(super) fn may_run_ahead(links: &[Link], flows: &[Flow], lanes: &[Lane], paths: &Paths) -> bool {
    if flows.iter().any(Flow::is_tcp) {
        return false;
    }
    let forward = lanes.iter().step_by(2).map(|lane| paths.links(lane.path));
    let (firsts, others): (Vec<_>, Vec<_>) = forward.filter_map(<[LinkId]>::split_first).unzip();
    let firsts: BTreeSet<&LinkId> = firsts.into_iter().collect();
    if firsts.iter().any(|&&id| links[id as usize].is_lossy) {
        return false;
    }
    !others
        .into_iter()
        .flatten()
        .any(|link| firsts.contains(link))
}

impl<O: Observer> Simulation<O> {
    /// Puts the first event of a flow into the calendar.
    pub(super) fn begin(&mut self, id: usize) {
        let flow = &self.flows[id];
        let (start, stop) = (flow.start, flow.stop);
        if flow.is_tcp() {
            if start < stop {
                self.sources.push(start, id as u32);
                self.sources.push(stop, id as u32);
            }
        } else {
            // Nothing answers.
            self.set_apart(id as u32, Time::NEVER);
            let first = self.plan(id, start);
            if first < Time::NEVER {
                self.sources.push(first, id as u32);
            }
        }
    }

    /// A source sends its next packet, or an application is woken.
    pub(super) fn emit(&mut self, now: Time) {
        let id = self.sources.next_slot();
        if self.flows[id as usize].is_tcp() {
            self.wake(id, now);
        } else {
            self.send_datagram(id, now);
        }
    }

    /// The next packets of sources that may run ahead are sent, as far as they leave before
    /// `until`.
    #[inline(never)]
    pub(super) fn emit_ahead(&mut self, mut now: Time, until: Time) {
        for _ in 0..AHEAD {
            self.send_datagram(self.sources.next_slot(), now);
            now = self.sources.next_time();
            if now >= until {
                return;
            }
        }
    }

    fn send_datagram(&mut self, id: FlowId, now: Time) {
        let flow = &mut self.flows[id as usize];
        let Agent::Datagrams(datagrams) = &mut flow.agent else {
            return;
        };
        let number = datagrams.next_number;
        datagrams.next_number += 1;
        let (size, ecn) = (datagrams.next_size, datagrams.ecn);
        let lane = &self.shared.lanes[2 * id as usize];
        let packet = SimPacket {
            number,
            size,
            ..SimPacket::on_lane(lane, id, Direction::Forward, now).with_ecn(ecn)
        };
        let next = self.plan(id as usize, now);
        self.sources.replace_first(next);
        self.send(now, &packet, Cargo::Datagram);
    }

    /// When the next packet of `flow` after `now` comes; never if that is after the flow's stop.
    /// Asks the source for the packet after that.
    fn plan(&mut self, flow: usize, now: Time) -> Time {
        let flow: &mut Flow = &mut self.flows[flow];
        let Agent::Datagrams(datagrams) = &mut flow.agent else {
            return Time::NEVER;
        };
        let mut draw = Draw {
            gaps: &mut flow.gaps,
            sizes: &mut flow.sizes,
        };
        let then = datagrams.source.next(&mut draw);
        let emission = core::mem::replace(&mut datagrams.then, then);
        datagrams.next_size = (emission.payload + datagrams.header).get() as u16;
        let at = now + emission.gap;
        if at < flow.stop { at } else { Time::NEVER }
    }

    /// The packet of a flow enters its first link.
    #[inline]
    pub(super) fn send(&mut self, now: Time, packet: &SimPacket, cargo: Cargo<'_>) {
        self.observer.emitted(now, packet, cargo);
        self.launch(now, packet);
    }

    /// The same for a packet right behind another of its burst.
    #[inline]
    pub(super) fn send_behind(&mut self, now: Time, packet: &SimPacket, cargo: Cargo<'_>) {
        self.observer.emitted(now, packet, cargo);
        if let Some(first) = self.leave_source(packet) {
            self.arrive_behind(first, now, packet);
        }
    }

    /// The packet enters its first link; the observer has been told of it.
    #[inline]
    pub(super) fn launch(&mut self, now: Time, packet: &SimPacket) {
        if let Some(first) = self.leave_source(packet) {
            self.arrive(first, now, packet);
        }
    }

    /// Books that a packet is sent; returns the first link of its path, if there is one.
    #[inline]
    fn leave_source(&mut self, packet: &SimPacket) -> Option<LinkId> {
        let lane = &mut self.shared.lanes[packet.lane()];
        lane.books.sent += 1;
        (lane.first != END).then_some(lane.first)
    }
}
