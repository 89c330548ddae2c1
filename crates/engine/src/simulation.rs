//! The run loop.

use std::sync::atomic::{AtomicBool, Ordering};

use sojourn_base::{Bytes, Ecn, Span, Stream, Time};
use sojourn_traffic::{AnySource, Draw, Source};

use crate::calendar::Calendar;
use crate::ledger::{Breach, FlowBooks};
use crate::link::{Link, LinkSpec};
use crate::{LinkId, NodeId, Observer, SimPacket};

/// What a flow is made of.
pub struct FlowSpec {
    /// Its name, for messages.
    pub name: String,
    /// Sending node.
    pub from: NodeId,
    /// Receiving node.
    pub to: NodeId,
    /// The links of its path, at least one.
    pub path: Vec<LinkId>,
    /// What makes its packets.
    pub source: AnySource,
    /// Header bytes around each payload.
    pub header: Bytes,
    /// Codepoint of its packets.
    pub ecn: Ecn,
    /// When it starts.
    pub start: Time,
    /// From when on it sends no more.
    pub stop: Time,
    /// Random stream of its gaps.
    pub gaps: Stream,
    /// Random stream of its sizes.
    pub sizes: Stream,
}

/// A flow of a running simulation.
pub struct Flow {
    /// What it is made of.
    pub spec: FlowSpec,
    /// Size on the wire of the packet that its source sends next.
    next_size: u32,
    /// Number of the packet that its source sends next.
    next_number: u32,
    /// The last packet size and the least time that a packet of it can take: propagation and
    /// serialisation of every link.
    floor: (u32, Span),
}

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
    books: Vec<FlowBooks>,
    delivered: Vec<u64>,
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

impl<O: Observer> Simulation<O> {
    /// A simulation at time zero.
    pub fn new(links: Vec<LinkSpec>, flows: Vec<FlowSpec>, observer: O) -> Self {
        let links: Vec<Link> = links.into_iter().map(Link::new).collect();
        let flows: Vec<Flow> = flows
            .into_iter()
            .map(|spec| Flow {
                spec,
                next_size: 0,
                next_number: 0,
                floor: (0, Span::ZERO),
            })
            .collect();
        let mut simulation = Self {
            now: Time::ZERO,
            delivered: vec![0; links.len()],
            books: vec![FlowBooks::default(); flows.len()],
            deliveries: Calendar::with_capacity(2 * links.len()),
            sources: Calendar::with_capacity(flows.len()),
            departures: Calendar::default(),
            breach: None,
            observer,
            links,
            flows,
        };
        for flow in 0..simulation.flows.len() {
            let start = simulation.flows[flow].spec.start;
            if let Some(first) = simulation.plan(flow, start) {
                simulation.sources.push(first, flow as u32);
            }
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

    /// The books of the flows.
    pub fn books(&self) -> &[FlowBooks] {
        &self.books
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
            let next = delivery.min(source).min(departure);
            if next >= until {
                break;
            }
            if O::IN_ORDER && departure == next {
                self.depart(departure);
            } else if delivery == next {
                self.deliver(delivery);
            } else {
                self.emit(source);
            }
            events = events.wrapping_add(1);
            if events.is_multiple_of(EVENTS_BETWEEN_LOOKS) && cancel.load(Ordering::Relaxed) {
                return Err(Stop::Cancelled);
            }
            if let Some(breach) = self.breach.take() {
                return Err(Stop::Breach(breach));
            }
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
        let mut on_the_way = vec![0; self.flows.len()];
        for link in &mut self.links {
            let place = format!("link {}", link.spec.name);
            link.drain(at, &mut on_the_way)
                .map_err(|what| Breach { at, place, what })?;
        }
        for ((flow, books), &found) in self.flows.iter().zip(&self.books).zip(&on_the_way) {
            if books.on_the_way() != Some(found) {
                let place = format!("flow {}", flow.spec.name);
                let what = format!("{found} packets are on the way, by the books {books:?}");
                return Err(Breach { at, place, what });
            }
        }
        Ok(self.observer)
    }

    fn catch_up_all(&mut self, until: Time) {
        for id in 0..self.links.len() {
            let link = &mut self.links[id];
            link.catch_up(id as LinkId, until, &mut self.books, &mut self.observer);
            self.settle(id, until);
        }
    }

    /// A link delivers its next packet, or asks a shaping discipline again.
    fn deliver(&mut self, now: Time) {
        let Some((_, id)) = self.deliveries.peek() else {
            return;
        };
        let link = &mut self.links[id as usize];
        if link.scheduled != now {
            // The link was moved to an earlier instant and has been served there.
            self.deliveries.replace_top(None);
            return;
        }
        link.catch_up(id, now, &mut self.books, &mut self.observer);
        let packet = link.deliver(now);
        self.note_fault(id as usize, now);
        let link = &mut self.links[id as usize];
        let next = link.next_event();
        link.scheduled = next.unwrap_or(Time::NEVER);
        self.deliveries.replace_top(next);
        if O::IN_ORDER {
            self.plan_departure(id as usize);
        }
        let Some(mut packet) = packet else { return };
        self.delivered[id as usize] += 1;
        self.observer.delivered(now, id, &packet);
        packet.hop += 1;
        let next_link = self.flows[packet.flow as usize]
            .spec
            .path
            .get(usize::from(packet.hop));
        match next_link {
            Some(&next) => self.arrive(next, now, packet),
            None => self.receive(now, &packet),
        }
    }

    /// A departure at its own instant: for an observer that must see all in order.
    fn depart(&mut self, now: Time) {
        let Some((_, id)) = self.departures.peek() else {
            return;
        };
        self.departures.replace_top(None);
        let link = &mut self.links[id as usize];
        link.catch_up(id, now, &mut self.books, &mut self.observer);
        self.settle(id as usize, now);
    }

    /// A source sends its next packet.
    fn emit(&mut self, now: Time) {
        let Some((_, id)) = self.sources.peek() else {
            return;
        };
        let flow = &mut self.flows[id as usize];
        let packet = SimPacket {
            sent: now,
            stamp: now,
            flow: id,
            number: flow.next_number,
            source: flow.spec.from,
            destination: flow.spec.to,
            size: flow.next_size,
            hop: 0,
            ecn: flow.spec.ecn,
        };
        flow.next_number = flow.next_number.wrapping_add(1);
        let first_link = flow.spec.path[0];
        self.books[id as usize].sent += 1;
        let next = self.plan(id as usize, now);
        self.sources.replace_top(next);
        self.observer.emitted(now, &packet);
        self.arrive(first_link, now, packet);
    }

    /// Asks the source of `flow` for its next packet after `now`; none if that is too late.
    fn plan(&mut self, flow: usize, now: Time) -> Option<Time> {
        let flow: &mut Flow = &mut self.flows[flow];
        let spec = &mut flow.spec;
        let mut draw = Draw {
            gaps: &mut spec.gaps,
            sizes: &mut spec.sizes,
        };
        let emission = spec.source.next(&mut draw);
        flow.next_size = (emission.payload + spec.header).get() as u32;
        let at = now + emission.gap;
        (at < spec.stop).then_some(at)
    }

    fn arrive(&mut self, id: LinkId, now: Time, packet: SimPacket) {
        let link = &mut self.links[id as usize];
        link.catch_up(id, now, &mut self.books, &mut self.observer);
        link.arrive(id, now, packet, &mut self.books, &mut self.observer);
        self.settle(id as usize, now);
    }

    /// Brings the calendars in line with a link that was touched.
    #[inline]
    fn settle(&mut self, id: usize, now: Time) {
        let link = &mut self.links[id];
        if let Some(next) = link.next_event()
            && next < link.scheduled
        {
            link.scheduled = next;
            self.deliveries.push(next, id as u32);
        }
        if O::IN_ORDER {
            self.plan_departure(id);
        }
        self.note_fault(id, now);
    }

    fn plan_departure(&mut self, id: usize) {
        let link = &mut self.links[id];
        let next = link.next_departure().unwrap_or(Time::NEVER);
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
        if let Some(what) = link.fault.take() {
            let place = format!("link {}", link.spec.name);
            self.breach = Some(Breach { at, place, what });
        }
    }

    fn receive(&mut self, now: Time, packet: &SimPacket) {
        self.books[packet.flow as usize].received += 1;
        let floor = self.floor(packet);
        if now.since(packet.sent) < floor {
            let name = &self.flows[packet.flow as usize].spec.name;
            let what = format!(
                "packet {} took {}, propagation and serialisation alone take {floor}",
                packet.number,
                now.since(packet.sent)
            );
            self.breach = Some(Breach {
                at: now,
                place: format!("flow {name}"),
                what,
            });
        }
        self.observer.received(now, packet);
    }

    /// The least time that `packet` can take from end to end.
    #[inline]
    fn floor(&mut self, packet: &SimPacket) -> Span {
        let flow = &mut self.flows[packet.flow as usize];
        if flow.floor.0 != packet.size {
            let mut least = Span::ZERO;
            for &id in &flow.spec.path {
                let link = &self.links[id as usize].spec;
                least += link.rate.time_to_send(packet.bytes() + link.overhead) + link.delay;
            }
            flow.floor = (packet.size, least);
        }
        flow.floor.1
    }

    /// Closes all books at `now`.
    fn audit(&mut self, now: Time) -> Result<(), Breach> {
        let breach = |place: String, what: String| Breach {
            at: now,
            place,
            what,
        };
        let mut in_network = 0;
        for (link, &delivered) in self.links.iter_mut().zip(&self.delivered) {
            link.audit(now, delivered)
                .map_err(|what| breach(format!("link {}", link.spec.name), what))?;
            in_network += (link.backlog().packets + link.in_flight()) as u64;
        }
        let mut on_the_way = 0;
        for (books, flow) in self.books.iter().zip(&self.flows) {
            on_the_way += books.on_the_way().ok_or_else(|| {
                let what = format!(
                    "{} packets sent, {} received, {} dropped",
                    books.sent, books.received, books.dropped
                );
                breach(format!("flow {}", flow.spec.name), what)
            })?;
        }
        if on_the_way != in_network {
            let what = format!("{on_the_way} packets are on the way, the links hold {in_network}");
            return Err(breach("the network".to_owned(), what));
        }
        Ok(())
    }
}
