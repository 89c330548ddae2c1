//! The arena of acknowledgements.

use sojourn_base::prefetch::prefetch;
use sojourn_transport::{Ack, Outbox};

/// How many places are taken before the one that is prefetched.
const AHEAD: usize = 3;

/// Acknowledgements on their way; each packet knows the place of its own.
#[derive(Debug, Default)]
pub(crate) struct Acks {
    acks: Vec<Ack>,
    free: Vec<u32>,
}

impl Acks {
    /// A place for another acknowledgement; it may still hold the one that was there before.
    #[inline]
    pub(crate) fn take(&mut self) -> (u64, &mut Ack) {
        let place = self.free.pop().unwrap_or_else(|| self.make());
        (u64::from(place), &mut self.acks[place as usize])
    }

    /// Prefetches the place of an acknowledgement that comes soon: to write it, the processor would
    /// have to wait for that memory.
    #[inline]
    pub(crate) fn prefetch_room(&self) {
        if let Some(&next) = self.free.iter().nth_back(AHEAD) {
            prefetch(&self.acks[next as usize]);
        }
    }

    #[cold]
    fn make(&mut self) -> u32 {
        self.acks.push(Ack::plain(0));
        self.acks.len() as u32 - 1
    }

    #[inline]
    pub(crate) fn get(&self, place: u64) -> &Ack {
        &self.acks[place as usize]
    }

    /// Frees `place`: the acknowledgement there was received or dropped.
    #[inline]
    pub(crate) fn forget(&mut self, place: u64) {
        self.free.push(place as u32);
    }
}

/// Where the acknowledgements go that answer the segment being received: never more than two.
pub(crate) struct Replies<'a> {
    acks: &'a mut Acks,
    places: [u64; 2],
    count: usize,
}

impl<'a> Replies<'a> {
    #[inline]
    pub(crate) const fn new(acks: &'a mut Acks) -> Self {
        Self {
            acks,
            places: [0; 2],
            count: 0,
        }
    }

    /// Their places in the arena, in their order.
    #[inline]
    pub(crate) fn into_places(self) -> impl Iterator<Item = u64> + use<> {
        self.places.into_iter().take(self.count)
    }
}

impl Outbox for Replies<'_> {
    #[inline(always)]
    #[allow(clippy::inline_always)] // every other packet, in the same function nearly always
    fn next_ack(&mut self) -> &mut Ack {
        let (place, ack) = self.acks.take();
        self.places[self.count] = place;
        self.count += 1;
        ack
    }
}
