//! The run loop.

mod streams;

use std::sync::atomic::{AtomicBool, Ordering};

use sojourn_base::{Ecn, Span, Time};
use sojourn_traffic::{Draw, Source, Way};
use sojourn_transport::Sender;

use crate::calendar::Calendar;
use crate::connection::{Acks, Tally, Tcp};
use crate::flow::{Agent, Flow, FlowSpec, least_time};
use crate::ledger::{Breach, FlowBooks, Lane, Shared};
use crate::link::{Link, LinkSpec};
use crate::routes::Paths;
use crate::{Cargo, FlowId, Kind, LinkId, NodeId, Observer, SimPacket};

/// Why a simulation ended before its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The caller asked for it.
    Cancelled,
    /// The books do not balance.
    Breach(Breach),
}

/// How many events pass between two looks at the caller's wish to stop.
const EVENTS_BETWEEN_LOOKS: u32 = 1 << 14;

/// A simulation: links, flows and who looks on.
pub struct Simulation<O> {
    /// Now: everything before it has happened, nothing at or after it.
    now: Time,
    links: Vec<Link>,
    flows: Vec<Flow>,
    paths: Paths,
    shared: Shared,
    tcp: Tcp,
    /// Links by their next delivery.
    deliveries: Calendar,
    /// Flows by the next packet of their source.
    sources: Calendar,
    /// Links by their next departure: only for an observer that must see all in order.
    departures: Calendar,
    breach: Option<Breach>,
    /// Who looks on.
    pub observer: O,
}

// The steps of an event are many and small, and each is written once: out of line, their arguments
// and saved registers would cost as much as they do.
#[allow(clippy::inline_always)]
impl<O: Observer> Simulation<O> {
    /// A simulation at time zero.
    pub fn new(links: Vec<LinkSpec>, flows: Vec<FlowSpec>, observer: O) -> Self {
        let links = links.into_iter();
        let links: Vec<Link> = links.map(|link| Link::new(link, O::LOOKS_INSIDE)).collect();
        let mut paths = Paths::default();
        let lanes = flows.iter().flat_map(|flow| {
            let header = flow.traffic.header();
            [&flow.path, &flow.way_back].map(|path| (paths.add(path), header))
        });
        let lanes = lanes.map(|(path, header)| Lane {
            path,
            header,
            ..Lane::default()
        });
        let lanes = lanes.collect();
        let flows: Vec<Flow> = flows.into_iter().map(Flow::new).collect();
        let mut simulation = Self {
            now: Time::ZERO,
            shared: Shared {
                lanes,
                acks: Acks::default(),
            },
            tcp: Tcp::new(&flows),
            deliveries: Calendar::with_capacity(2 * links.len()),
            sources: Calendar::with_capacity(flows.len()),
            departures: Calendar::default(),
            breach: None,
            observer,
            links,
            flows,
            paths,
        };
        for flow in 0..simulation.flows.len() {
            simulation.begin(flow);
        }
        simulation
    }

    /// Everything before this instant has happened, nothing at or after it.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The links, in the order of declaration.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The links, to begin a search for their peaks anew.
    pub fn links_mut(&mut self) -> &mut [Link] {
        &mut self.links
    }

    /// The flows, in the order of declaration.
    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    /// The books of a flow: there and back.
    pub fn books(&self, flow: usize) -> [FlowBooks; 2] {
        [0, 1].map(|way| self.shared.lanes[2 * flow + way].books)
    }

    /// What the connections of a flow have done so far; none for a flow that has none.
    pub fn tally(&self, flow: usize) -> Option<Tally> {
        let connections = self.flows[flow].connections()?;
        Some(connections.tally(&self.tcp.connections, self.now))
    }

    /// The senders of a flow's open connections, in the order of opening.
    pub fn senders(&self, flow: usize) -> impl Iterator<Item = &Sender> {
        self.flows[flow].senders(&self.tcp.connections)
    }

    /// Lets everything happen that is due before `until`, and closes the books there.
    ///
    /// # Errors
    /// [`Stop`] when `cancel` was raised or the books do not balance.
    pub fn run_until(&mut self, until: Time, cancel: &AtomicBool) -> Result<(), Stop> {
        let mut events = 0_u32;
        loop {
            let delivery = self.deliveries.next_time();
            let source = self.sources.next_time();
            let departure = if O::IN_ORDER {
                self.departures.next_time()
            } else {
                Time::NEVER
            };
            let timer = self.tcp.timers.next_time();
            let next = delivery.min(source).min(departure).min(timer);
            if next >= until {
                break;
            }
            if O::IN_ORDER && departure == next {
                self.depart(departure);
            } else if delivery == next {
                self.deliver(delivery);
            } else if source == next {
                self.emit(source);
            } else {
                self.expire(timer);
            }
            events = events.wrapping_add(1);
            if events.is_multiple_of(EVENTS_BETWEEN_LOOKS) && cancel.load(Ordering::Relaxed) {
                return Err(Stop::Cancelled);
            }
            if self.breach.is_some() {
                break;
            }
        }
        if let Some(breach) = self.breach.take() {
            return Err(Stop::Breach(breach));
        }
        self.now = until;
        self.catch_up_all(until.just_before());
        match self.breach.take() {
            Some(breach) => Err(Stop::Breach(breach)),
            None => self.audit(until).map_err(Stop::Breach),
        }
    }

    /// Ends the simulation: empties every link and holds what was still on its way against the
    /// books of links and flows.
    ///
    /// # Errors
    /// The first book that does not balance.
    pub fn finish(mut self) -> Result<O, Breach> {
        let at = self.now;
        let mut on_the_way = vec![0; self.shared.lanes.len()];
        for link in &mut self.links {
            let place = format!("link {}", link.spec.name);
            link.drain(at, &mut on_the_way)
                .map_err(|what| Breach { at, place, what })?;
        }
        for (lane, (Lane { books, .. }, &found)) in
            self.shared.lanes.iter().zip(&on_the_way).enumerate()
        {
            if books.on_the_way() != Some(found) {
                let place = format!("flow {}", self.flows[lane / 2].name);
                let what = format!("{found} packets are on the way, by the books {books:?}");
                return Err(Breach { at, place, what });
            }
        }
        Ok(self.observer)
    }

    fn catch_up_all(&mut self, until: Time) {
        for id in 0..self.links.len() {
            let link = &mut self.links[id];
            link.catch_up(id as LinkId, until, &mut self.shared, &mut self.observer);
            self.settle(id, until);
        }
    }

    /// A link delivers its next packet, or asks a shaping discipline again.
    fn deliver(&mut self, now: Time) {
        let id = self.deliveries.next_slot();
        let link = &mut self.links[id as usize];
        if link.scheduled != now {
            // The link was moved to an earlier instant and has been served there.
            self.deliveries.replace_first(Time::NEVER);
            return;
        }
        link.catch_up(id, now, &mut self.shared, &mut self.observer);
        if !link.delivers(now) {
            self.reschedule_first(id, now);
            return;
        }
        let packet = link.deliver();
        self.reschedule_first(id, now);
        self.observer.delivered(now, id, &packet);
        let lane = &self.shared.lanes[packet.lane()];
        match self.paths.hop(lane.path, packet.hop) {
            Some(next) => self.arrive(next, now, &packet),
            None => self.receive(now, &packet),
        }
    }

    /// Moves the link that comes first in the calendar to its next event.
    #[inline(always)]
    fn reschedule_first(&mut self, id: LinkId, now: Time) {
        let link = &mut self.links[id as usize];
        let next = link.next_event();
        link.scheduled = next;
        self.deliveries.replace_first(next);
        if O::IN_ORDER {
            self.plan_departure(id as usize);
        }
        self.note_fault(id as usize, now);
    }

    /// A departure at its own instant: for an observer that must see all in order.
    fn depart(&mut self, now: Time) {
        let id = self.departures.next_slot();
        self.departures.replace_first(Time::NEVER);
        let link = &mut self.links[id as usize];
        link.catch_up(id, now, &mut self.shared, &mut self.observer);
        self.settle(id as usize, now);
    }

    /// Puts the first event of a flow into the calendar.
    fn begin(&mut self, id: usize) {
        let flow = &self.flows[id];
        let (start, stop) = (flow.start, flow.stop);
        if flow.is_tcp() {
            if start < stop {
                self.sources.push(start, id as u32);
                self.sources.push(stop, id as u32);
            }
        } else {
            let first = self.plan(id, start);
            if first < Time::NEVER {
                self.sources.push(first, id as u32);
            }
        }
    }

    /// A source sends its next packet, or an application is woken.
    fn emit(&mut self, now: Time) {
        let id = self.sources.next_slot();
        if self.flows[id as usize].is_tcp() {
            self.wake(id, now);
        } else {
            self.send_datagram(id, now);
        }
    }

    fn send_datagram(&mut self, id: FlowId, now: Time) {
        let flow = &mut self.flows[id as usize];
        let Agent::Datagrams {
            ecn,
            next_size,
            next_number,
            ..
        } = &mut flow.agent
        else {
            return;
        };
        let (number, size, ecn) = (*next_number, *next_size, *ecn);
        *next_number += 1;
        let packet = blank(id, flow.ends, flow.dscp, Way::There, now);
        let packet = SimPacket {
            number,
            size,
            ecn: ecn.into(),
            ..packet
        };
        let next = self.plan(id as usize, now);
        self.sources.replace_first(next);
        self.send(now, &packet, Cargo::Datagram);
    }

    /// Asks the source of `flow` for its next packet after `now`; never if that is too late.
    fn plan(&mut self, flow: usize, now: Time) -> Time {
        let flow: &mut Flow = &mut self.flows[flow];
        let Agent::Datagrams {
            source,
            header,
            next_size,
            ..
        } = &mut flow.agent
        else {
            return Time::NEVER;
        };
        let mut draw = Draw {
            gaps: &mut flow.gaps,
            sizes: &mut flow.sizes,
        };
        let emission = source.next(&mut draw);
        *next_size = (emission.payload + *header).get() as u16;
        let at = now + emission.gap;
        if at < flow.stop { at } else { Time::NEVER }
    }

    /// The packet of a flow enters its first link.
    #[inline]
    fn send(&mut self, now: Time, packet: &SimPacket, cargo: Cargo<'_>) {
        self.observer.emitted(now, packet, cargo);
        self.launch(now, packet);
    }

    /// The same, after the observer has heard of it.
    #[inline]
    fn launch(&mut self, now: Time, packet: &SimPacket) {
        let lane = &mut self.shared.lanes[packet.lane()];
        lane.books.sent += 1;
        if let Some(first) = self.paths.hop(lane.path, 0) {
            self.arrive(first, now, packet);
        }
    }

    #[inline]
    fn arrive(&mut self, id: LinkId, now: Time, packet: &SimPacket) {
        let link = &mut self.links[id as usize];
        if link.pass(id, now, packet, &mut self.observer) {
            if link.scheduled == Time::NEVER {
                self.schedule(id as usize);
            }
        } else {
            self.join(id, now, packet);
        }
    }

    /// A packet arrives at a link that is busy or asks its discipline about every packet.
    #[inline(never)]
    fn join(&mut self, id: LinkId, now: Time, packet: &SimPacket) {
        let link = &mut self.links[id as usize];
        link.catch_up(id, now, &mut self.shared, &mut self.observer);
        link.arrive(id, now, packet, &mut self.shared, &mut self.observer);
        self.settle(id as usize, now);
    }

    /// Brings the calendars in line with a link that was touched.
    #[inline]
    fn settle(&mut self, id: usize, now: Time) {
        self.schedule(id);
        if O::IN_ORDER {
            self.plan_departure(id);
        }
        self.note_fault(id, now);
    }

    /// Puts a link into the calendar, where its next event comes before the one known there.
    #[inline(always)]
    fn schedule(&mut self, id: usize) {
        let link = &mut self.links[id];
        let next = link.next_event();
        if next < link.scheduled {
            link.scheduled = next;
            self.deliveries.push(next, id as u32);
        }
    }

    fn plan_departure(&mut self, id: usize) {
        let link = &mut self.links[id];
        let next = link.next_departure();
        if next != link.departure_scheduled {
            link.departure_scheduled = next;
            if next != Time::NEVER {
                self.departures.push(next, id as u32);
            }
        }
    }

    #[inline]
    fn note_fault(&mut self, id: usize, at: Time) {
        let link = &mut self.links[id];
        if link.fault.is_some() {
            self.breach_at_link(id, at);
        }
    }

    #[cold]
    fn breach_at_link(&mut self, id: usize, at: Time) {
        let link = &mut self.links[id];
        let place = format!("link {}", link.spec.name);
        let what = link.fault.take().unwrap_or_default();
        self.breach = Some(Breach { at, place, what });
    }

    /// A packet reached the end of its path.
    fn receive(&mut self, now: Time, packet: &SimPacket) {
        let lane = &mut self.shared.lanes[packet.lane()];
        lane.books.received += 1;
        if lane.floor.0 != packet.size {
            let path = self.paths.links(lane.path);
            lane.floor = (packet.size, least_time(path, packet.size, &self.links));
        }
        let floor = lane.floor.1;
        let header = lane.header;
        if now.since(packet.sent) < floor {
            self.breach_at_flow(now, packet, floor);
        }
        match packet.kind.get() {
            Kind::Datagram => {
                let payload = u64::from(packet.size) - u64::from(header);
                self.observer.received(now, packet, payload);
            }
            Kind::Segment => self.hear_segment(now, packet, header),
            Kind::Ack => self.hear_ack(now, packet),
        }
    }

    #[cold]
    fn breach_at_flow(&mut self, now: Time, packet: &SimPacket, floor: Span) {
        let took = now.since(packet.sent);
        let what = format!(
            "a packet of {} B took {took}, propagation and serialisation alone take {floor}",
            packet.size,
        );
        self.breach = Some(Breach {
            at: now,
            place: format!("flow {}", self.flows[packet.flow as usize].name),
            what,
        });
    }

    /// Closes all books at `now`.
    fn audit(&mut self, now: Time) -> Result<(), Breach> {
        let breach = |place: String, what: String| Breach {
            at: now,
            place,
            what,
        };
        let mut in_network = 0;
        for link in &mut self.links {
            link.audit(now)
                .map_err(|what| breach(format!("link {}", link.spec.name), what))?;
            in_network += (link.backlog().packets + link.in_flight()) as u64;
        }
        let mut on_the_way = 0;
        for (lane, Lane { books, .. }) in self.shared.lanes.iter().enumerate() {
            on_the_way += books.on_the_way().ok_or_else(|| {
                let what = format!(
                    "{} packets sent, {} received, {} dropped",
                    books.sent, books.received, books.dropped
                );
                breach(format!("flow {}", self.flows[lane / 2].name), what)
            })?;
        }
        for flow in &self.flows {
            let connections = flow.connections().map(|of| of.audit(&self.tcp.connections));
            connections
                .unwrap_or(Ok(()))
                .map_err(|what| breach(format!("flow {}", flow.name), what))?;
        }
        if on_the_way != in_network {
            let what = format!("{on_the_way} packets are on the way, the links hold {in_network}");
            return Err(breach("the network".to_owned(), what));
        }
        Ok(())
    }
}

/// A packet of a flow between `ends` that travels in a direction, still without content.
#[inline]
fn blank(id: FlowId, ends: (NodeId, NodeId), dscp: u8, way: Way, now: Time) -> SimPacket {
    let (source, destination) = match way {
        Way::There => ends,
        Way::Back => (ends.1, ends.0),
    };
    SimPacket {
        sent: now,
        stamp: now,
        number: 0,
        flow: id,
        connection: 0,
        source,
        destination,
        size: 0,
        hop: 0,
        ecn: Ecn::NotEct.into(),
        dscp,
        kind: Kind::Datagram.into(),
        flags: SimPacket::flags_of(way),
    }
}
