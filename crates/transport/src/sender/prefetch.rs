//! Prefetching the memory of a sender, where a network fits no fast cache.

use sojourn_base::prefetch::{prefetch, prefetch_all, prefetch_until};

use super::Sender;
use crate::rate::RateSampler;
use crate::wire::Ack;

impl Sender {
    /// Prefetches the timers.
    #[inline]
    pub fn prefetch_timers(&self) {
        prefetch(&self.expected_at);
        prefetch(&self.rto_at);
        prefetch(&self.last_send);
        prefetch(&self.rtt);
        prefetch(&self.board);
    }

    /// Prefetches what a timer touches when it is due.
    #[inline]
    pub fn prefetch_due(&self) {
        prefetch_all(self);
        self.prefetch_entries();
    }

    /// Prefetches what expected acknowledgements and segments touch.
    #[inline]
    pub fn prefetch(&self) {
        prefetch_until(self, self.board.end_of_front());
    }

    /// Prefetches what they touch outside the sender, and the rest of the sender if other
    /// acknowledgements may come. The front of the sender must be in the cache.
    #[inline]
    pub fn prefetch_behind(&self) {
        self.prefetch_pace();
        self.prefetch_entries();
        if !self.fast_path {
            prefetch_all(&self.board);
            prefetch(&self.recover);
            prefetch(&self.timed);
        }
    }

    /// Prefetches what an acknowledgement touches in addition: the stamps by which a rate is
    /// measured, what was sent again, and the segment that is reported.
    #[inline]
    pub fn prefetch_furthest(&self, ack: &Ack) {
        self.prefetch_stamps();
        if !self.fast_path {
            self.board.prefetch_losses();
            self.prefetch_reported(ack);
        }
    }

    #[inline]
    fn prefetch_reported(&self, ack: &Ack) {
        if let Some(&(_, end)) = ack.sack.as_slice().first() {
            self.board.prefetch_entry(end.saturating_sub(1));
            if let Some(rate) = self.rate_at_hand() {
                rate.prefetch_stamp(end, self.mss());
            }
        }
    }

    /// Prefetches the stamps of the segments delivered next and sent next.
    #[inline]
    pub fn prefetch_stamps(&self) {
        if let Some(rate) = self.rate_at_hand() {
            rate.prefetch_stamps();
        }
    }

    /// Prefetches what decides on the pace; the front of the sender must be in the cache.
    #[inline]
    pub fn prefetch_pace(&self) {
        self.cc.prefetch();
        if let Some(rate) = self.rate_at_hand() {
            rate.prefetch();
        }
    }

    /// The state that measures the rate, if there is any: mostly there is none, which the first
    /// cache lines show.
    #[inline]
    fn rate_at_hand(&self) -> Option<&RateSampler> {
        if self.steps {
            self.rate.as_deref()
        } else {
            None
        }
    }

    /// Prefetches the entries of the scoreboard that the next acknowledgements touch.
    #[inline]
    pub fn prefetch_entries(&self) {
        self.board.prefetch_entries();
    }
}
