//! The arena of acknowledgements.

use sojourn_transport::{Ack, Outbox};

/// Acknowledgements on their way; packets tell where theirs lies.
#[derive(Debug, Default)]
pub(crate) struct Acks {
    acks: Vec<Ack>,
    free: Vec<u32>,
}

impl Acks {
    /// A place for one more, which may still hold what lay there before.
    #[inline]
    pub(crate) fn take(&mut self) -> (u64, &mut Ack) {
        let place = self.free.pop().unwrap_or_else(|| {
            self.acks.push(Ack::plain(0));
            self.acks.len() as u32 - 1
        });
        (u64::from(place), &mut self.acks[place as usize])
    }

    #[inline]
    pub(crate) fn get(&self, place: u64) -> &Ack {
        &self.acks[place as usize]
    }

    /// The acknowledgement at `place` was heard, or dropped.
    #[inline]
    pub(crate) fn forget(&mut self, place: u64) {
        self.free.push(place as u32);
    }
}

/// Where the acknowledgements go that answer the segment being heard.
pub(crate) struct Replies<'a> {
    pub(crate) acks: &'a mut Acks,
    pub(crate) places: &'a mut Vec<u64>,
}

impl Outbox for Replies<'_> {
    #[inline]
    fn place(&mut self) -> &mut Ack {
        let (place, ack) = self.acks.take();
        self.places.push(place);
        ack
    }
}
