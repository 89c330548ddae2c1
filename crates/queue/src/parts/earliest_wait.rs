//! The combined answer of several queues that are asked for a packet one after the other.

use sojourn_base::Time;

use crate::Dequeued;

/// When to ask again, where none of the queues asked so far gave a packet.
#[derive(Debug, Default)]
pub struct EarliestWait(Option<Time>);

impl EarliestWait {
    /// Hears what one of them says: its packet, if it gives one.
    #[inline]
    pub fn packet_of<P>(&mut self, said: Dequeued<P>) -> Option<P> {
        match said {
            Dequeued::Packet(packet) => return Some(packet),
            Dequeued::Wait(until) => self.add(until),
            Dequeued::Empty => {}
        }
        None
    }

    /// One of them waits until this instant.
    #[inline]
    pub fn add(&mut self, until: Time) {
        self.0 = Some(self.0.map_or(until, |first| first.min(until)));
    }

    /// What all of them together say that gave none: wait for the first, or empty.
    #[inline]
    pub fn answer<P>(self) -> Dequeued<P> {
        self.0.map_or(Dequeued::Empty, Dequeued::Wait)
    }
}
