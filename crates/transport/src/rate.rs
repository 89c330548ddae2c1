//! Delivery-rate samples: draft-cheng-iccrg-delivery-rate-estimation.
//!
//! Each segment is stamped with the amount that had been delivered when it was sent. An
//! acknowledgement gives the bytes delivered since the stamp of the latest-sent segment that it
//! covers, divided by an interval: the longer of the time in which they were sent and the time in
//! which they were acknowledged. If the interval is shorter than the least RTT, there is no sample.
//! A sample from a time in which the application had nothing to send is flagged.
//!
//! For controllers that react to the rate of losses the stamp also records how much was in flight
//! and how much had been lost (draft-ietf-ccwg-bbr-06, 4.1.2). So a sample tells what was lost in
//! its round trip, and every loss what was in flight when the lost segment was sent.

use std::collections::VecDeque;

use sojourn_base::prefetch::{prefetch, prefetch_all, prefetch_next};
use sojourn_base::{Span, Time};

/// The rate at which the network delivered.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RateSample {
    /// Bytes per second.
    pub rate: f64,
    /// Bytes delivered over the interval.
    pub delivered: u64,
    /// The interval.
    pub interval: Span,
    /// Bytes delivered in all when the segment was sent: marks round trips.
    pub prior_delivered: u64,
    /// The application had nothing to send then: the rate is a lower bound.
    pub app_limited: bool,
    /// Bytes in flight when the segment was sent, its own included.
    pub tx_in_flight: u64,
    /// Bytes considered lost since it was sent.
    pub lost: u64,
    /// Its round-trip time; none if it was sent more than once.
    pub rtt: Option<Span>,
}

/// A segment newly held to be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// The number of its first byte.
    pub seq: u64,
    /// Its length.
    pub bytes: u64,
    /// Bytes in flight when it was sent, its own included.
    pub tx_in_flight: u64,
    /// Bytes considered lost since it was sent, its own included.
    pub lost: u64,
    /// The application had nothing to send then.
    pub app_limited: bool,
}

/// The stamp of a segment in flight, in a cache line of its own.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Stamp {
    end: u64,
    sent: Time,
    first_sent: Time,
    delivered: u64,
    delivered_at: Time,
    app_limited: bool,
    again: bool,
    tx_in_flight: u64,
    lost: u64,
}

/// Stamps segments and makes samples.
#[derive(Debug, Clone, Default)]
pub struct RateSampler {
    stamps: VecDeque<Stamp>,
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    /// Total bytes considered lost.
    lost: u64,
    /// The least RTT of latest-sent segments: the RTT sample of a delayed acknowledgement belongs
    /// to an older segment and would be too long.
    min_rtt: Option<Span>,
    /// Samples are application-limited until that many bytes are delivered; zero if they are not.
    app_limited_until: u64,
    /// The best stamp of the acknowledgement being processed.
    best: Option<Stamp>,
}

impl RateSampler {
    /// The segment from `seq` to `end` is sent, for the first time or `again`, with `in_flight`
    /// bytes before it.
    pub fn on_sent(&mut self, now: Time, seq: u64, end: u64, again: bool, in_flight: u64) {
        if in_flight == 0 {
            self.first_sent = now;
            self.delivered_at = now;
        }
        let stamp = Stamp {
            end,
            sent: now,
            first_sent: self.first_sent,
            delivered: self.delivered,
            delivered_at: self.delivered_at,
            app_limited: self.is_app_limited(),
            again,
            tx_in_flight: in_flight + (end - seq),
            lost: self.lost,
        };
        if again {
            if let Some(at) = self.place_of(seq, end) {
                self.stamps[at] = stamp;
            }
        } else {
            self.stamps.push_back(stamp);
        }
    }

    /// The place of the stamp of the segment that ends at `end`, if all segments have that many
    /// bytes, as nearly all do.
    fn guess(&self, end: u64, bytes: u64) -> Option<usize> {
        let before = end.checked_sub(self.stamps.front()?.end)?;
        Some((before / bytes.max(1)) as usize)
    }

    /// The place of the stamp of the segment from `seq` to `end`.
    fn place_of(&self, seq: u64, end: u64) -> Option<usize> {
        let is_it = |&at: &usize| self.stamps.get(at).is_some_and(|stamp| stamp.end == end);
        let guess = self.guess(end, end - seq)?;
        Some(guess).filter(is_it).or_else(|| {
            let at = self.stamps.partition_point(|stamp| stamp.end < end);
            Some(at).filter(is_it)
        })
    }

    /// The segment from `seq` to `end` is considered lost; none if it has no stamp.
    pub fn on_lost(&mut self, seq: u64, end: u64) -> Option<Loss> {
        let bytes = end - seq;
        self.lost += bytes;
        let stamp = &self.stamps[self.place_of(seq, end)?];
        Some(Loss {
            seq,
            bytes,
            tx_in_flight: stamp.tx_in_flight,
            lost: self.lost - stamp.lost,
            app_limited: stamp.app_limited,
        })
    }

    /// The segment from `seq` to `end` was delivered.
    pub fn on_delivered(&mut self, seq: u64, end: u64) {
        let Some(at) = self.place_of(seq, end) else {
            return;
        };
        let stamp = &self.stamps[at];
        let newer = self.best.is_none_or(|best| {
            (stamp.delivered, stamp.sent, stamp.end) > (best.delivered, best.sent, best.end)
        });
        if newer {
            self.best = Some(*stamp);
        }
    }

    /// Everything that was in flight below `una` was delivered, in the order in which it was sent,
    /// each segment once. So the stamp of the last one is sufficient.
    #[inline]
    pub(crate) fn on_delivered_in_order(&mut self, una: u64) {
        let is_below = |stamp: &Stamp| stamp.end <= una;
        while self.stamps.get(1).is_some_and(is_below) {
            self.stamps.pop_front();
        }
        self.best = self.stamps.pop_front_if(|stamp| is_below(stamp));
    }

    /// An acknowledgement has been processed: `bytes` were newly delivered, and everything below
    /// `una` is accounted for.
    pub fn finish(&mut self, now: Time, bytes: u64, una: u64) -> Option<RateSample> {
        while self.stamps.front().is_some_and(|stamp| stamp.end <= una) {
            self.stamps.pop_front();
        }
        if bytes > 0 {
            self.delivered += bytes;
            self.delivered_at = now;
        }
        if self.app_limited_until > 0 && self.delivered > self.app_limited_until {
            self.app_limited_until = 0;
        }
        let best = self.best.take()?;
        self.first_sent = best.sent;
        let send = best.sent.since(best.first_sent);
        let interval = send.max(now.since(best.delivered_at));
        let rtt = (!best.again).then(|| now.since(best.sent));
        if let Some(rtt) = rtt {
            self.min_rtt = Some(self.min_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        if self.min_rtt.is_some_and(|least| interval < least) || interval == Span::ZERO {
            return None;
        }
        let delivered = self.delivered - best.delivered;
        Some(RateSample {
            rate: delivered as f64 / interval.as_s(),
            delivered,
            interval,
            prior_delivered: best.delivered,
            app_limited: best.app_limited,
            tx_in_flight: best.tx_in_flight,
            lost: self.lost - best.lost,
            rtt,
        })
    }

    /// The application has nothing more to send, with `in_flight` bytes under way.
    pub fn on_app_limited(&mut self, in_flight: u64) {
        self.app_limited_until = (self.delivered + in_flight).max(1);
    }

    /// Whether what is sent now gives application-limited samples.
    pub const fn is_app_limited(&self) -> bool {
        self.app_limited_until > 0
    }

    /// Prefetches all but the stamps.
    #[inline]
    pub(crate) fn prefetch(&self) {
        prefetch_all(self);
    }

    /// Prefetches the stamps of the segments that are mostly delivered next, and the place of the
    /// one that is sent next; everything else must be in the cache.
    #[inline]
    pub(crate) fn prefetch_stamps(&self) {
        self.stamps.iter().take(2).for_each(prefetch);
        self.stamps.back().into_iter().for_each(prefetch_next);
    }

    /// Prefetches the stamp of the segment that ends at `end`, if all segments have that many
    /// bytes.
    #[inline]
    pub(crate) fn prefetch_stamp(&self, end: u64, bytes: u64) {
        let guess = self.guess(end, bytes);
        let stamp = guess.and_then(|guess| self.stamps.get(guess));
        stamp.into_iter().for_each(prefetch);
    }

    /// Bytes delivered in all.
    pub const fn delivered(&self) -> u64 {
        self.delivered
    }
}
