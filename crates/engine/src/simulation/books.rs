//! The part of the run loop that closes the books.

use sojourn_base::{Span, Time};

use super::Simulation;
use crate::ledger::{Breach, Lane};
use crate::train::Train;
use crate::{Observer, SimPacket};

impl<O: Observer> Simulation<O> {
    /// Ends the simulation: empties every link, and compares what was still on its way with the
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
        for packet in self.trains.iter().flat_map(Train::packets) {
            on_the_way[packet.lane()] += 1;
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

    #[cold]
    pub(super) fn breach_at_flow(&mut self, now: Time, packet: &SimPacket, floor: Span) {
        let took = now.since(packet.sent);
        let what = format!(
            "a packet of {} B took {took}, propagation and serialisation alone take {floor}",
            packet.size,
        );
        self.breach = Some(Breach {
            at: now,
            place: format!("flow {}", self.flows[packet.flow() as usize].name),
            what,
        });
    }

    /// Closes all books at `now`.
    pub(super) fn audit(&mut self, now: Time) -> Result<(), Breach> {
        let breach = |place: String, what: String| Breach {
            at: now,
            place,
            what,
        };
        let mut in_network = 0;
        for link in &mut self.links {
            link.audit(now)
                .map_err(|what| breach(format!("link {}", link.spec.name), what))?;
            in_network += link.holds() as u64;
        }
        for train in &self.trains {
            in_network += train.packets().count() as u64;
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
