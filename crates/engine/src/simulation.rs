//! The run loop.
//!
//! | module | is about |
//! | --- | --- |
//! | `hops` | packets that move from link to link |
//! | `heads` | packets that wait where the discipline decides at dequeue |
//! | `trains` | packets that move from link to link in trains |
//! | `rounds` | packets that come out of trains flow by flow |
//! | `sources` | sources that send |
//! | `streams` | the ends of TCP |
//! | `books` | closing the books |

mod books;
mod heads;
mod hops;
mod rounds;
mod sources;
mod streams;
mod trains;

use sojourn_base::Time;
use sojourn_transport::Sender;

use crate::calendar::Calendar;
use crate::connection::{Acks, Tally, Tcp};
use crate::flow::{Flow, FlowSpec, least_time};
use crate::handover;
use crate::ledger::{Breach, FlowBooks, Lane, Shared};
use crate::link::{Horizon, Link, LinkSpec};
use crate::round::{self, Round};
use crate::routes::{END, Paths};
use crate::train::{self, Track, Train};
use crate::{Kind, LinkId, Observer, SimPacket, Watch};

/// Why a simulation ended before its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The caller asked for it.
    Cancelled,
    /// The books do not balance.
    Breach(Breach),
}

/// Everything that arrives at a link before an instant has been sent.
#[derive(Debug, Clone, Copy)]
struct Foreseen {
    link: LinkId,
    until: Time,
}

impl Foreseen {
    const NOTHING: Self = Self {
        link: END,
        until: Time::ZERO,
    };
}

/// A network with more links than this does not fit the fast caches: much of the time would be
/// spent waiting for links, connections and packets that were last touched long ago. What comes
/// next is known in advance, so that its memory can be prefetched.
const MANY_LINKS: usize = 1_000;

/// The same if all trains go through fast links: nothing waits there, each packet touches less
/// memory and comes together with others of its flow.
pub const MANY_FAST_LINKS: usize = 5_000;

/// The number of events after which the caller is asked again whether to go on. In one event a
/// thousand packets may come out.
const EVENTS_BETWEEN_LOOKS: u32 = 1 << 10;

/// A simulation: links, flows and an observer.
#[allow(clippy::struct_excessive_bools)] // each a question of its own
pub struct Simulation<O> {
    /// Now: everything before it has happened, nothing at or after it.
    now: Time,
    links: Vec<Link>,
    flows: Vec<Flow>,
    shared: Shared,
    trains: Vec<Train>,
    /// By link; empty if there is no train.
    tracks: Vec<Track>,
    /// Whether the memory of what comes next is prefetched.
    looks_ahead: bool,
    /// Whether packets of any link may have turns in a round.
    has_rounds: bool,
    /// Takes packets out of trains.
    round: Round,
    /// Whether a round is going on, so that packets are announced in any order.
    in_round: bool,
    /// The link at which arrivals are known in advance, and up to when.
    foreseen: Foreseen,
    /// How many links deliver packets by events.
    delivering: usize,
    tcp: Tcp,
    /// Links by their next delivery.
    deliveries: Calendar,
    /// Links by the next packet of a train that comes out of them. It stays short, since there are
    /// few trains.
    train_deliveries: Calendar,
    /// Flows by the next packet of their source.
    sources: Calendar,
    /// Whether sources may [run ahead](sources) of everything else.
    sources_run_ahead: bool,
    /// Links by their next departure; only for an observer that must see everything in order.
    departures: Calendar,
    /// Links by the next change of their rate.
    changes: Calendar,
    breach: Option<Breach>,
    /// The observer.
    pub observer: O,
}

/// The lanes of all flows, there and back; adds their paths to `paths`.
fn lanes_of(flows: &[FlowSpec], paths: &mut Paths) -> Vec<Lane> {
    let lanes = flows.iter().flat_map(|flow| {
        let forward = (&flow.path, (flow.from, flow.to));
        let reverse = (&flow.way_back, (flow.to, flow.from));
        [forward, reverse].map(|(path, ends)| Lane {
            path: paths.add(path),
            first: path.first().copied().unwrap_or(END),
            header: flow.traffic.header(),
            ends,
            dscp: flow.dscp,
            ..Lane::default()
        })
    });
    lanes.collect()
}

/// Decides which links hand over, and which are followed in trains and rounds: none if the observer
/// must see everything in order.
fn plan_shortcuts<O: Observer>(
    links: &mut [Link],
    lanes: &[Lane],
    paths: &Paths,
) -> (Vec<Train>, Vec<Track>) {
    if O::IN_ORDER {
        return (Vec::new(), Vec::new());
    }
    let paths: Vec<&[LinkId]> = lanes.iter().map(|lane| paths.links(lane.path)).collect();
    handover::arrange(links, &paths);
    let (trains, mut tracks) = train::arrange(links, &paths);
    if links.len() > MANY_LINKS {
        round::arrange(&mut tracks, &trains);
    }
    (trains, tracks)
}

impl<O: Observer> Simulation<O> {
    /// A simulation at time zero.
    pub fn new(links: Vec<LinkSpec>, flows: Vec<FlowSpec>, mut observer: O) -> Self {
        let links = links.into_iter();
        let mut links: Vec<Link> = links.map(|link| Link::new(link, O::LOOKS_INSIDE)).collect();
        let mut paths = Paths::default();
        let lanes = lanes_of(&flows, &mut paths);
        let (trains, tracks) = plan_shortcuts::<O>(&mut links, &lanes, &paths);
        let are_fast = !trains.is_empty() && !trains.iter().any(Train::has_slow_links);
        let many = if are_fast {
            MANY_FAST_LINKS
        } else {
            MANY_LINKS
        };
        let looks_ahead = links.len() > many;
        if looks_ahead {
            observer.will_prefetch();
        }
        let mut flows: Vec<Flow> = flows.into_iter().map(Flow::new).collect();
        // They lie where their specifications lay, which were larger.
        flows.shrink_to_fit();
        let sources_run_ahead =
            !O::IN_ORDER && sources::may_run_ahead(&links, &flows, &lanes, &paths);
        let mut simulation = Self {
            now: Time::ZERO,
            shared: Shared {
                lanes,
                paths,
                acks: Acks::default(),
                close_at: Time::ZERO,
            },
            looks_ahead,
            has_rounds: tracks.iter().any(|track| track.has_turns),
            trains,
            tracks,
            round: Round::default(),
            in_round: false,
            foreseen: Foreseen::NOTHING,
            delivering: 0,
            tcp: Tcp::default(),
            deliveries: Calendar::with_capacity(2 * links.len()),
            train_deliveries: Calendar::default(),
            sources: Calendar::with_capacity(flows.len()),
            sources_run_ahead,
            departures: Calendar::default(),
            changes: Calendar::default(),
            breach: None,
            observer,
            links,
            flows,
        };
        for (id, link) in (0..).zip(&simulation.links) {
            let change = link.next_change();
            if change != Time::NEVER {
                simulation.changes.push(change, id);
            }
        }
        for flow in 0..simulation.flows.len() {
            simulation.begin(flow);
        }
        simulation
    }

    /// Everything before this instant has happened, and nothing at or after it.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The links, in the order of declaration.
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The links, so that the search for their peaks can be started anew.
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

    /// What the connections of a flow have done so far; none for a flow without connections.
    pub fn tally(&self, flow: usize) -> Option<Tally> {
        let connections = self.flows[flow].connections()?;
        Some(connections.tally(&self.tcp.connections, self.now))
    }

    /// The senders of a flow's open connections, in the order of opening.
    pub fn senders(&self, flow: usize) -> impl Iterator<Item = &Sender> {
        self.flows[flow].senders(&self.tcp.connections)
    }

    /// Runs everything that is due before `until`, and closes the books there.
    ///
    /// # Errors
    /// [`Stop`] if `watch` ends the run or the books do not balance.
    pub fn run_until(&mut self, until: Time, watch: &dyn Watch) -> Result<(), Stop> {
        // The books may be closed more often than events would ask.
        if !watch.goes_on(self.now) {
            return Err(Stop::Cancelled);
        }
        self.open_books(until);
        loop {
            let change = self.changes.next_time().min(until);
            self.run_events(change, watch)?;
            if change == until {
                break;
            }
            if !watch.goes_on(change) {
                return Err(Stop::Cancelled);
            }
            self.change_rate(change);
        }
        self.now = until;
        self.catch_up_all(until);
        match self.breach.take() {
            Some(breach) => Err(Stop::Breach(breach)),
            None => self.audit(until).map_err(Stop::Breach),
        }
    }

    /// Runs all events before `until`.
    fn run_events(&mut self, until: Time, watch: &dyn Watch) -> Result<(), Stop> {
        let mut events = 0_u32;
        loop {
            let of_train = self.train_deliveries.is_first(&self.deliveries);
            let delivery = if of_train {
                self.train_deliveries.next_time()
            } else {
                self.deliveries.next_time()
            };
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
                if of_train {
                    if self.has_rounds {
                        self.deliver_in_rounds(delivery, until);
                    } else {
                        self.deliver_from_train(delivery, until);
                    }
                } else {
                    self.deliver(delivery);
                }
            } else if source == next {
                if self.sources_run_ahead {
                    self.emit_ahead(source, until);
                } else {
                    self.emit(source);
                }
            } else {
                self.expire(timer);
            }
            events = events.wrapping_add(1);
            if events.is_multiple_of(EVENTS_BETWEEN_LOOKS) && !watch.goes_on(next) {
                return Err(Stop::Cancelled);
            }
            if self.breach.is_some() {
                break;
            }
        }
        match self.breach.take() {
            Some(breach) => Err(Stop::Breach(breach)),
            None => Ok(()),
        }
    }

    /// The rate or delay of a link changes, before everything else at that instant.
    #[inline(never)]
    fn change_rate(&mut self, now: Time) {
        let id = self.changes.next_slot();
        self.catch_up(id, Horizon::before(now));
        let link = &mut self.links[id as usize];
        link.change(now);
        self.changes.replace_first(link.next_change());
        self.settle(id, now);
    }

    /// Tells all links when the books are closed next.
    fn open_books(&mut self, until: Time) {
        self.shared.close_at = until;
        for (id, link) in (0..).zip(&mut self.links) {
            link.book_ahead(id, self.now, until, &mut self.observer);
        }
    }

    /// Brings every link to its state just before `until`. Packets that a link hands over now
    /// arrive later.
    fn catch_up_all(&mut self, until: Time) {
        for number in 0..self.trains.len() {
            for (begins, id, packet) in self.trains[number].book(until, &self.shared) {
                let link = &mut self.links[id as usize];
                link.go_in_train(id, begins, &packet, &self.shared, &mut self.observer);
            }
            self.leave_train(number, until, |_, link| link.first_waiting_in_train(until));
        }
        let horizon = Horizon::before(until);
        for id in 0..self.links.len() as LinkId {
            self.catch_up(id, horizon);
            self.settle(id, until.just_before());
        }
    }

    /// A packet reached the end of its path.
    fn receive(&mut self, now: Time, packet: &SimPacket) {
        let lane = &mut self.shared.lanes[packet.lane()];
        lane.books.received += 1;
        if lane.floor_size != packet.size {
            let path = self.shared.paths.links(lane.path);
            lane.floor_size = packet.size;
            lane.floor = least_time(path, packet.size, &self.links);
        }
        let (floor, header) = (lane.floor, lane.header);
        let slot = lane.slot_of(packet.connection);
        if now.since(packet.sent) < floor {
            self.breach_at_flow(now, packet, floor);
        }
        if packet.is(Kind::Segment) {
            self.receive_segment(now, packet, slot, header);
        } else if packet.is(Kind::Ack) {
            self.receive_ack(now, packet, slot);
        } else {
            let payload = u64::from(packet.size) - u64::from(header);
            self.observer.received(now, packet, payload);
        }
    }
}
