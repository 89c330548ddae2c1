//! One link with given arrivals: no sources, no routes, nothing that reacts.
//!
//! The books are those of a simulation, and checked as often. At one instant departures come first,
//! then deliveries, then arrivals, then timers.

use sojourn_base::Time;

use crate::connection::Acks;
use crate::ledger::{Lane, Shared};
use crate::link::{Any, Horizon, Link, LinkSpec};
use crate::routes::Paths;
use crate::{Breach, Cargo, Observer, SimPacket};

/// A link, what came to it, and an observer.
pub struct OpenLoop<O> {
    now: Time,
    link: Link,
    shared: Shared,
    /// The observer.
    pub observer: O,
}

impl<O: Observer> OpenLoop<O> {
    /// An idle link at time zero.
    pub fn new(link: LinkSpec, observer: O) -> Self {
        Self {
            now: Time::ZERO,
            link: Link::new(link, O::LOOKS_INSIDE),
            shared: Shared {
                paths: Paths::default(),
                lanes: Vec::new(),
                acks: Acks::default(),
                close_at: Time::ZERO,
            },
            observer,
        }
    }

    /// The present instant.
    pub fn now(&self) -> Time {
        self.now
    }

    /// The link.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// A packet arrives, never before one that was handed in earlier. It is stamped here.
    ///
    /// # Errors
    /// The books do not balance.
    pub fn arrive(&mut self, now: Time, packet: &SimPacket) -> Result<(), Breach> {
        self.run_to(now)?;
        let packet = SimPacket {
            sent: now,
            stamp: now,
            ..*packet
        };
        let lane = packet.lane();
        if lane >= self.shared.lanes.len() {
            self.shared.lanes.resize(lane + 1, Lane::default());
        }
        self.shared.lanes[lane].books.sent += 1;
        self.observer.emitted(now, &packet, Cargo::Datagram);
        let (link, shared) = (&mut self.link, &mut self.shared);
        if link.lets_pass(now, packet.size) {
            let stamp = link.pass(0, now, &packet, &mut self.observer);
            link.put_on_wire(&packet, stamp);
        } else {
            let observer = &mut self.observer;
            if let Some(room) = link.room {
                link.arrive_plain(0, now, &packet, room, shared, observer);
            } else {
                link.enqueue_at_discipline(0, now, packet, shared, observer);
                link.plan();
            }
        }
        self.check()
    }

    /// Runs everything that is due by `until`, except timers of that instant.
    ///
    /// # Errors
    /// The books do not balance.
    pub fn run_to(&mut self, until: Time) -> Result<(), Breach> {
        loop {
            let next = self.link.next_event();
            if next > until || next == Time::NEVER {
                break;
            }
            self.deliver(next)?;
        }
        self.now = until;
        self.catch_up(until)
    }

    /// Runs everything that is due before `until`, and takes the books to that instant.
    ///
    /// # Errors
    /// The books do not balance.
    pub fn run_until(&mut self, until: Time) -> Result<(), Breach> {
        self.run_to(until.just_before())?;
        self.now = until;
        self.link.ledger.advance(until);
        Ok(())
    }

    /// When something happens next if nothing arrives; none if nothing waits and nothing is on the
    /// wire.
    pub fn next_event(&self) -> Option<Time> {
        let is_busy = self.link.in_flight() > 0 || self.link.ledger.backlog().packets > 0;
        let next = self.link.next_event();
        (is_busy && next < Time::NEVER).then_some(next)
    }

    /// Whether a packet that is being sent or on the wire will not arrive before the clock ends.
    pub fn outlives_the_clock(&self) -> bool {
        self.link.in_flight() > 0 && self.link.next_event() == Time::NEVER
    }

    /// Closes the books: Little's law, what still waits, and the fate of every packet.
    ///
    /// # Errors
    /// The first book that does not balance.
    pub fn finish(mut self) -> Result<O, Breach> {
        let at = self.now;
        let name = self.link.spec.name.clone();
        let breach = |what| Breach {
            at,
            place: format!("link {name}"),
            what,
        };
        self.link.audit(at).map_err(breach)?;
        let mut found = vec![0; self.shared.lanes.len()];
        self.link.drain(at, &mut found).map_err(breach)?;
        for (Lane { books, .. }, found) in self.shared.lanes.iter().zip(found) {
            if books.on_the_way() != Some(found) {
                let what = format!("{found} packets are on the way, by the books {books:?}");
                return Err(breach(what));
            }
        }
        Ok(self.observer)
    }

    /// The next delivery, or the next question to a shaping discipline.
    fn deliver(&mut self, next: Time) -> Result<(), Breach> {
        self.now = next;
        self.catch_up(next)?;
        if let Some(packet) = self.link.deliver(next) {
            self.shared.lanes[packet.lane()].books.received += 1;
            self.observer.delivered(next, 0, &packet);
            self.observer.received(next, &packet, 0);
        }
        Ok(())
    }

    fn catch_up(&mut self, until: Time) -> Result<(), Breach> {
        let horizon = Horizon::at(until);
        let (shared, observer) = (&mut self.shared, &mut self.observer);
        // No link hands over to this one: nothing is announced.
        if self.link.keeps_queue() {
            self.link.run_to_end(0, horizon, observer);
        } else {
            let mut arrival = Time::NEVER;
            self.link
                .run_as::<Any, O>(0, horizon, &mut arrival, shared, observer);
        }
        self.check()
    }

    fn check(&mut self) -> Result<(), Breach> {
        match self.link.fault.take() {
            None => Ok(()),
            Some(what) => Err(Breach {
                at: self.now,
                place: format!("link {}", self.link.spec.name),
                what: what.into(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_base::{Bytes, LinkInfo, Preset, Rate, Scalar, Span, Stream};
    use sojourn_queue::{Discipline, Reason, build};

    /// What came out, in order: delivered or dropped, when, which.
    #[derive(Default)]
    struct Log(Vec<(char, u64, u64)>);

    impl Observer for Log {
        fn dropped(&mut self, now: Time, _: u32, packet: &SimPacket, _: Reason) {
            self.0.push(('d', now.as_ps() / 1_000_000, packet.number));
        }
        fn received(&mut self, now: Time, packet: &SimPacket, _: u64) {
            self.0.push(('r', now.as_ps() / 1_000_000, packet.number));
        }
    }

    fn link(limit: &'static str) -> LinkSpec {
        under("droptail", limit)
    }

    fn under(discipline: &str, limit: &'static str) -> LinkSpec {
        let rate = Rate::from_bps(8_000_000).unwrap();
        let info = LinkInfo {
            rate,
            delay: Span::ZERO,
            mtu: Bytes::new(1500),
            framing: Bytes::ZERO,
            base_rtt: Span::ZERO,
        };
        let params = [("limit", Scalar::Text(limit))];
        LinkSpec {
            name: "link".to_owned(),
            from: 0,
            to: 1,
            rate,
            changes: None,
            losses: None,
            jitter: None,
            reorders: false,
            delay: Span::from_us(10),
            overhead: Bytes::ZERO,
            device_queue: 0,
            discipline: build(discipline, &params, Preset::Reference, &info).unwrap(),
            random: Stream::new(1),
        }
    }

    fn packet(number: u64) -> SimPacket {
        SimPacket::datagram((number % 2) as u32, number, 1000)
    }

    /// 1000 bytes take 1 ms at 8 Mbit/s; the wire takes 10 us more.
    #[test]
    fn packets_leave_when_the_link_is_free_and_the_tail_is_dropped() {
        let mut open = OpenLoop::new(link("1 packets"), Log::default());
        for (number, us) in [0, 100, 200, 1_000, 5_000].into_iter().enumerate() {
            let at = Time::from_ps(us * 1_000_000);
            open.arrive(at, &packet(number as u64)).unwrap();
        }
        while let Some(next) = open.next_event() {
            open.run_to(next).unwrap();
        }
        assert_eq!(open.now(), Time::from_ps(6_010_000_000));
        assert_eq!(open.link().ledger.arrivals().packets, 5);
        // At 1 ms the departure of 1 comes before the arrival of 3, which finds room.
        let expected = [
            ('d', 200, 2),
            ('r', 1_010, 0),
            ('r', 2_010, 1),
            ('r', 3_010, 3),
            ('r', 6_010, 4),
        ];
        assert_eq!(open.finish().unwrap().0, expected);
    }

    /// What arrives at the same instant comes before it.
    #[test]
    fn a_timer_runs_when_its_instant_is_over() {
        let mut open = OpenLoop::new(under("pie", "9 packets"), Log::default());
        open.arrive(Time::ZERO, &packet(0)).unwrap();
        let timer = |open: &OpenLoop<Log>| open.link().spec.discipline.next_timer();
        let due = timer(&open).unwrap();
        open.run_to(due).unwrap();
        assert_eq!(timer(&open), Some(due));
        open.run_to(due + Span::from_ps(1)).unwrap();
        assert!(timer(&open).unwrap() > due);
    }

    #[test]
    fn what_still_waits_at_the_end_is_found() {
        let mut open = OpenLoop::new(link("9 packets"), Log::default());
        for number in 0..5 {
            open.arrive(Time::from_ps(7), &packet(number)).unwrap();
        }
        open.run_to(Time::from_ps(1_500_000_000)).unwrap();
        assert_eq!(open.link().ledger.backlog().packets, 3);
        assert_eq!(open.finish().unwrap().0, [('r', 1_010, 0)]);
    }
}
