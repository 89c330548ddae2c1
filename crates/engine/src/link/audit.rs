//! The end of a run: what a link still holds, against its books.

use sojourn_base::Time;
use sojourn_queue::{Context, Dequeued, Discipline, Reason, Sink};

use super::Link;
use crate::SimPacket;

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

impl Link {
    /// Empties the link at the end of a run, and holds what still waited against the books.
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
        let mut thrown = Thrown(Vec::new());
        loop {
            let random = &mut self.spec.random;
            let mut ctx = Context {
                now,
                random,
                sink: &mut thrown,
            };
            match self.spec.discipline.dequeue(&mut ctx) {
                Dequeued::Packet(packet) => leave(&packet),
                Dequeued::Empty => break,
                Dequeued::Wait(time) if time > now => now = time,
                Dequeued::Wait(time) => return Err(format!("asked at {now} to wait until {time}")),
            }
        }
        thrown.0.iter().for_each(&mut leave);
        let in_flight = self.in_flight();
        self.packets.iter().skip(in_flight).for_each(leave);
        let begun = self.packets.iter().take(in_flight);
        let announced = self.announced.iter().chain(self.unplaced());
        for packet in begun.chain(announced) {
            on_the_way[packet.lane()] += 1;
        }
        if self.promises() {
            // The next link has told of these.
            for packet in self.packets.iter() {
                on_the_way[packet.lane()] -= 1;
            }
        }
        self.ledger.check_still_waiting(left.packets, left.stamps)
    }

    /// Closes the books at `now`: Little's law, and that what was put on the wire has come out or is
    /// in flight.
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
