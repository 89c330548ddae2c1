//! The end of a run: comparing what a link still holds with its books.

use sojourn_base::{Span, Time};
use sojourn_queue::{Context, Dequeued, Discipline, Reason, Sink};

use super::{Link, LinkSpec};
use crate::SimPacket;

/// How often in a row a discipline may ask to wait before the clock is moved further than it asks
/// for.
const MAX_EMPTY_WAITS: u32 = 1000;

/// The furthest that the clock is moved, as a power of two of picoseconds: 40 hours.
const FURTHEST: u32 = 57;

/// The largest number of timers that are run meanwhile: packets may leave a discipline only after
/// one.
const MOST_TIMERS: u32 = 1_000_000;

/// What came out of a link that was emptied.
#[derive(Default)]
struct Drained {
    packets: u64,
    stamps: u128,
}

/// Collects what a discipline drops while it is emptied.
struct Thrown(Vec<SimPacket>);

impl Sink<SimPacket> for Thrown {
    fn dropped(&mut self, packet: SimPacket, _reason: Reason) {
        self.0.push(packet);
    }
    fn marked(&mut self, _packet: &SimPacket, _reason: Reason) {}
}

/// Runs the timers of a discipline that are due before `until`; `timers` counts them, up to
/// [`MOST_TIMERS`].
fn run_timers_until(spec: &mut LinkSpec, until: Time, timers: &mut u32, thrown: &mut Thrown) {
    while let Some(due) = spec.discipline.next_timer()
        && due < until
        && *timers < MOST_TIMERS
    {
        *timers += 1;
        spec.discipline.on_timer(&mut Context {
            now: due,
            random: &mut spec.random,
            sink: thrown,
        });
    }
}

impl Link {
    /// Empties the link at the end of a run, and compares what still waited with the books.
    ///
    /// # Errors
    /// Says what does not agree.
    pub(crate) fn drain(&mut self, mut now: Time, on_the_way: &mut [u64]) -> Result<(), String> {
        let mut left = Drained::default();
        let mut leave = |packet: &SimPacket| {
            left.packets += 1;
            left.stamps += u128::from(packet.stamp.as_ps());
            on_the_way[packet.lane()] += 1;
        };
        while let Some(packet) = self.device.pop() {
            leave(&packet);
        }
        let (end, mut empty_waits, mut timers) = (now, 0, 0);
        let mut thrown = Thrown(Vec::new());
        let spec = &mut self.spec;
        loop {
            run_timers_until(spec, now, &mut timers, &mut thrown);
            let mut ctx = Context {
                now,
                random: &mut spec.random,
                sink: &mut thrown,
            };
            match spec.discipline.dequeue(&mut ctx) {
                Dequeued::Packet(packet) => {
                    leave(&packet);
                    empty_waits = 0;
                }
                Dequeued::Empty => break,
                Dequeued::Wait(time) if time <= now => {
                    return Err(format!("asked at {now} to wait until {time}"));
                }
                Dequeued::Wait(time)
                    if time < Time::NEVER && empty_waits < MAX_EMPTY_WAITS + FURTHEST =>
                {
                    empty_waits += 1;
                    // Who asks for a moment more each time is to be found out before the end of
                    // time.
                    let ahead = 1 << empty_waits.saturating_sub(MAX_EMPTY_WAITS);
                    now = time.max(now + Span::from_ps(ahead));
                }
                Dequeued::Wait(_) => {
                    spec.discipline.never_releases(end);
                    let waiting = spec.discipline.backlog().packets;
                    return Err(format!("it never gives away {waiting} packets that wait"));
                }
            }
        }
        thrown.0.iter().for_each(&mut leave);
        let in_flight = self.in_flight();
        self.packets.iter().skip(in_flight).for_each(leave);
        self.count_in_flight(on_the_way);
        self.ledger.check_still_waiting(left.packets, left.stamps)
    }

    /// Counts, by lane, the packets that are being sent, on the wire or announced, except those
    /// that the next link counts since they were announced to it.
    fn count_in_flight(&self, on_the_way: &mut [u64]) {
        let begun = self.packets.iter().take(self.in_flight());
        let announced = self.announced.iter().chain(self.unplaced());
        for packet in begun.chain(announced).chain(self.kept_lost()) {
            on_the_way[packet.lane()] += 1;
        }
        if self.knows_departures() {
            for packet in self.packets.iter() {
                on_the_way[packet.lane()] -= 1;
            }
        }
    }

    /// Closes the books at `now`: Little's law, and that what was put on the wire has come out or
    /// is in flight.
    ///
    /// # Errors
    /// Says what does not agree.
    pub fn audit(&mut self, now: Time) -> Result<(), String> {
        self.ledger.advance(now);
        if let Some(fault) = self.fault.take() {
            return Err(fault.into());
        }
        self.ledger.check_little(now)?;
        let (wired, delivered) = (self.wired, self.delivered);
        let in_flight = self.in_flight() as u64;
        if wired != delivered + in_flight {
            return Err(format!(
                "{wired} packets were put on the wire, {delivered} came out and {in_flight} are in flight"
            ));
        }
        let busy = self.carried(now).busy;
        if busy > now.as_ps() {
            return Err(format!("the transmitter was busy for {busy} ps by {now}"));
        }
        Ok(())
    }
}
