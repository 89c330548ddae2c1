//! The run loop.

mod streams;

use std::sync::atomic::{AtomicBool, Ordering};

use sojourn_base::{Ecn, Span, Time};
use sojourn_traffic::{Draw, Source, Way};
use sojourn_transport::Sender;

use crate::calendar::Calendar;
use crate::connection::{Acks, Tally, Tcp};
use crate::flow::{Agent, Flow, FlowSpec, least_time};
use crate::handover;
use crate::ledger::{Breach, FlowBooks, Lane, Shared};
use crate::link::{Link, LinkSpec};
use crate::prefetch::MANY_LINKS;
use crate::routes::Paths;
use crate::{Cargo, FlowId, Kind, LinkId, Observer, SimPacket};

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
    /// All links, each after the one that hands over to it.
    downstream: Vec<LinkId>,
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
        let mut links: Vec<Link> = links.map(|link| Link::new(link, O::LOOKS_INSIDE)).collect();
        let mut paths = Paths::default();
        let lanes = flows.iter().flat_map(|flow| {
            let there = (&flow.path, (flow.from, flow.to));
            let back = (&flow.way_back, (flow.to, flow.from));
            [there, back].map(|(path, ends)| Lane {
                path: paths.add(path),
                header: flow.traffic.header(),
                ends,
                dscp: flow.dscp,
                ..Lane::default()
            })
        });
        let lanes: Vec<Lane> = lanes.collect();
        if !O::IN_ORDER {
            handover::arrange(&mut links, lanes.iter().map(|lane| paths.links(lane.path)));
        }
        let flows: Vec<Flow> = flows.into_iter().map(Flow::new).collect();
        let mut simulation = Self {
            now: Time::ZERO,
            shared: Shared {
                lanes,
                acks: Acks::default(),
                handed_over: Vec::new(),
            },
            tcp: Tcp::default(),
            deliveries: Calendar::with_capacity(2 * links.len()),
            sources: Calendar::with_capacity(flows.len()),
            departures: Calendar::default(),
            breach: None,
            observer,
            downstream: handover::downstream(&links),
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
        for place in 0..self.downstream.len() {
            let id = self.downstream[place];
            let link = &mut self.links[id as usize];
            link.catch_up(id, until, &mut self.shared, &mut self.observer);
            self.settle(id, until);
        }
    }

    /// A link delivers its next packet, or asks a shaping discipline again.
    fn deliver(&mut self, now: Time) {
        let id = self.deliveries.next_slot();
        if self.links.len() > MANY_LINKS {
            self.look_ahead();
        }
        let link = &mut self.links[id as usize];
        if link.scheduled != now {
            // The link was moved to an earlier instant and has been served there.
            self.deliveries.replace_first(Time::NEVER);
            return;
        }
        let packet = if let Some(packet) = link.cross(id, now, &mut self.observer) {
            let next = link.next_announced();
            self.move_first(id, next);
            packet
        } else {
            link.catch_up(id, now, &mut self.shared, &mut self.observer);
            let packet = link.deliver(now);
            self.reschedule_first(id, now);
            let Some(packet) = packet else {
                self.hand_over();
                return;
            };
            packet
        };
        self.observer.delivered(now, id, &packet);
        match self.next_link(&packet, packet.hop) {
            Some(next) => self.arrive(next, now, &packet),
            None => self.receive(now, &packet),
        }
    }

    /// Asks for what the next events will need.
    #[inline]
    fn look_ahead(&self) {
        if let Some([next, later, or_this]) = self.deliveries.upcoming() {
            self.links[next as usize].prefetch_packet();
            self.links[later as usize].prefetch();
            self.links[or_this as usize].prefetch();
        }
    }

    /// The link number `hop` on the way of a packet; none at the end of its path.
    #[inline(always)]
    fn next_link(&self, packet: &SimPacket, hop: u16) -> Option<LinkId> {
        let lane = &self.shared.lanes[packet.lane()];
        self.paths.hop(lane.path, hop)
    }

    /// Announces what a link has just begun to send to the links behind it.
    #[inline(always)]
    fn hand_over(&mut self) {
        if !self.shared.handed_over.is_empty() {
            self.announce_all();
        }
    }

    #[inline(never)]
    fn announce_all(&mut self) {
        for place in 0..self.shared.handed_over.len() {
            let (stamp, packet) = self.shared.handed_over[place];
            self.announce(&packet, stamp);
        }
        self.shared.handed_over.clear();
    }

    /// Announces a packet to the next link, which it reaches at `stamp`.
    #[inline(always)]
    fn announce(&mut self, packet: &SimPacket, stamp: Time) {
        if let Some(next) = self.next_link(packet, packet.hop + 1)
            && let Some(event) = self.links[next as usize].announce(packet, stamp)
        {
            self.schedule(next, event);
        }
    }

    /// Moves the link that comes first in the calendar to its next event.
    #[inline(always)]
    fn reschedule_first(&mut self, id: LinkId, now: Time) {
        let next = self.links[id as usize].next_event();
        self.move_first(id, next);
        if O::IN_ORDER {
            self.plan_departure(id);
        }
        self.note_fault(id, now);
    }

    /// Moves the link that comes first in the calendar to `next`.
    #[inline(always)]
    fn move_first(&mut self, id: LinkId, next: Time) {
        self.links[id as usize].scheduled = next;
        self.deliveries.replace_first(next);
    }

    /// A departure at its own instant: for an observer that must see all in order.
    fn depart(&mut self, now: Time) {
        let id = self.departures.next_slot();
        self.departures.replace_first(Time::NEVER);
        let link = &mut self.links[id as usize];
        link.catch_up(id, now, &mut self.shared, &mut self.observer);
        self.settle(id, now);
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
        let lane = &self.shared.lanes[2 * id as usize];
        let packet = blank(lane, id, Way::There, now);
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
        let lane = &mut self.shared.lanes[packet.lane()];
        lane.books.sent += 1;
        if let Some(first) = self.paths.hop(lane.path, 0) {
            self.arrive(first, now, packet);
        }
    }

    #[inline(always)]
    fn arrive(&mut self, id: LinkId, now: Time, packet: &SimPacket) {
        if self.links[id as usize].lets_pass(now, packet.bytes()) {
            self.pass(id, now, packet);
        } else {
            self.join(id, now, packet);
        }
    }

    /// A packet arrives at an idle link that sends it without further ado.
    #[inline(never)]
    fn pass(&mut self, id: LinkId, now: Time, packet: &SimPacket) {
        let link = &mut self.links[id as usize];
        let stamp = link.pass(id, now, packet, &mut self.observer);
        if link.hands_over {
            link.passed_on();
            self.announce(packet, stamp);
        } else {
            link.put_on_wire(packet, stamp);
            self.schedule(id, stamp);
        }
    }

    /// A packet arrives at a link that is busy or asks its discipline about every packet.
    #[inline(never)]
    fn join(&mut self, id: LinkId, now: Time, packet: &SimPacket) {
        let link = &mut self.links[id as usize];
        link.catch_up(id, now, &mut self.shared, &mut self.observer);
        link.arrive(id, now, packet, &mut self.shared, &mut self.observer);
        self.settle(id, now);
    }

    /// Brings the calendars in line with a link that was touched.
    #[inline(always)]
    fn settle(&mut self, id: LinkId, now: Time) {
        let link = &self.links[id as usize];
        // What comes first at a plain queue stays so until it is out.
        if link.scheduled == Time::NEVER || !link.is_plain() {
            let next = link.next_event();
            self.schedule(id, next);
        }
        self.hand_over();
        if O::IN_ORDER {
            self.plan_departure(id);
        }
        self.note_fault(id, now);
    }

    /// Puts a link into the calendar, where `next` comes before the event known there.
    #[inline(always)]
    fn schedule(&mut self, id: LinkId, next: Time) {
        let link = &mut self.links[id as usize];
        if next < link.scheduled {
            link.scheduled = next;
            self.deliveries.push(next, id);
        }
    }

    fn plan_departure(&mut self, id: LinkId) {
        let link = &mut self.links[id as usize];
        let next = link.next_departure();
        if next != link.departure_scheduled {
            link.departure_scheduled = next;
            if next != Time::NEVER {
                self.departures.push(next, id);
            }
        }
    }

    #[inline(always)]
    fn note_fault(&mut self, id: LinkId, at: Time) {
        let link = &self.links[id as usize];
        if !link.is_plain() && link.fault.is_some() {
            self.breach_at_link(id, at);
        }
    }

    #[cold]
    fn breach_at_link(&mut self, id: LinkId, at: Time) {
        let link = &mut self.links[id as usize];
        let place = format!("link {}", link.spec.name);
        let what = link.fault.take().unwrap_or_default();
        self.breach = Some(Breach { at, place, what });
    }

    /// A packet reached the end of its path.
    fn receive(&mut self, now: Time, packet: &SimPacket) {
        let lane = &mut self.shared.lanes[packet.lane()];
        lane.books.received += 1;
        if lane.floor_size != packet.size {
            let path = self.paths.links(lane.path);
            lane.floor_size = packet.size;
            lane.floor = least_time(path, packet.size, &self.links);
        }
        let floor = lane.floor;
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
            let held = link.backlog().packets + link.in_flight() + link.announced();
            in_network += held as u64;
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

/// A packet that travels along `lane`, still without content.
#[inline(always)]
#[allow(clippy::inline_always)] // most of its fields are replaced at once
fn blank(lane: &Lane, flow: FlowId, way: Way, now: Time) -> SimPacket {
    SimPacket {
        sent: now,
        stamp: now,
        number: 0,
        flow,
        connection: 0,
        source: lane.ends.0,
        destination: lane.ends.1,
        size: 0,
        hop: 0,
        ecn: Ecn::NotEct.into(),
        dscp: lane.dscp,
        kind: Kind::Datagram.into(),
        flags: SimPacket::flags_of(way),
    }
}
