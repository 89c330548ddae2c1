//! Delivery-rate samples: draft-cheng-iccrg-delivery-rate-estimation.
//!
//! Each segment is stamped with what had been delivered when it was sent. An acknowledgement gives
//! the bytes delivered since the stamp of the latest-sent segment that it covers, over the longer
//! of the time in which they were sent and the time in which they were acknowledged. A sample over
//! less than the minimum RTT is no sample; one from a time in which the application had nothing to
//! send says so.

use std::collections::VecDeque;

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
}

/// The stamp of a segment in flight.
#[derive(Debug, Clone, Copy)]
struct Stamp {
    end: u64,
    sent: Time,
    first_sent: Time,
    delivered: u64,
    delivered_at: Time,
    app_limited: bool,
}

/// Stamps segments and makes samples.
#[derive(Debug, Clone, Default)]
pub struct RateSampler {
    stamps: VecDeque<Stamp>,
    delivered: u64,
    delivered_at: Time,
    first_sent: Time,
    /// Samples are application-limited until so much is delivered; zero where not.
    app_limited_until: u64,
    /// The best stamp of the acknowledgement being read.
    best: Option<Stamp>,
}

impl RateSampler {
    /// A segment up to `end` is sent, new or (`again`) not, with `in_flight` bytes before it.
    pub fn on_sent(&mut self, now: Time, end: u64, again: bool, in_flight: u64) {
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
            app_limited: self.app_limited_until > 0,
        };
        if again {
            let at = self.stamps.partition_point(|stamp| stamp.end < end);
            if let Some(old) = self.stamps.get_mut(at)
                && old.end == end
            {
                *old = stamp;
            }
        } else {
            self.stamps.push_back(stamp);
        }
    }

    /// The segment up to `end` was delivered.
    pub fn on_delivered(&mut self, end: u64) {
        let at = self.stamps.partition_point(|stamp| stamp.end < end);
        let Some(stamp) = self.stamps.get(at).filter(|stamp| stamp.end == end) else {
            return;
        };
        let newer = self.best.is_none_or(|best| {
            (stamp.delivered, stamp.sent, stamp.end) > (best.delivered, best.sent, best.end)
        });
        if newer {
            self.best = Some(*stamp);
        }
    }

    /// The acknowledgement is read: `bytes` were newly delivered, all below `una` is known.
    pub fn finish(&mut self, now: Time, bytes: u64, una: u64, min_rtt: Span) -> Option<RateSample> {
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
        if interval < min_rtt || interval == Span::ZERO {
            return None;
        }
        let delivered = self.delivered - best.delivered;
        Some(RateSample {
            rate: delivered as f64 / interval.as_s(),
            delivered,
            interval,
            prior_delivered: best.delivered,
            app_limited: best.app_limited,
        })
    }

    /// The application has nothing more to send, with `in_flight` bytes under way.
    pub fn on_app_limited(&mut self, in_flight: u64) {
        self.app_limited_until = (self.delivered + in_flight).max(1);
    }

    /// Bytes delivered in all.
    pub const fn delivered(&self) -> u64 {
        self.delivered
    }
}
