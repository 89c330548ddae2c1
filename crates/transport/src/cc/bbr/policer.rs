//! Linux's guess that a token bucket polices the path: a policer passes bursts and then drops a
//! fifth or more of what arrives. Two consecutive stretches with much loss and nearly the same rate
//! reveal its rate, which is then assumed for 48 round trips.

use sojourn_base::{Span, Time};

use crate::cc::AckSample;

/// Round trips of the shortest stretch; after four times as many without enough loss the search
/// begins again.
const LEAST_ROUNDS: u32 = 4;
/// Bytes lost in a stretch for each byte delivered: 50 of 256.
const LOSSY: f64 = 50.0 / 256.0;
/// Two stretches have the same rate if they differ by less than this: a share of it, or bytes a
/// second.
const NEAR_SHARE: f64 = 1.0 / 8.0;
const NEAR_RATE: f64 = 500.0;
/// Round trips for which the rate is assumed.
const BELIEVED: u32 = 48;

/// What is known about the policer.
#[derive(Debug, Clone, Default)]
pub(super) struct Policer {
    /// A loss has been seen: the bucket was empty once.
    is_watching: bool,
    /// The rate of the last stretch, bytes a second; 0 for none.
    rate: f64,
    is_believed: bool,
    /// Round trips of this stretch, or since the rate has been assumed.
    rounds: u32,
    began: Time,
    delivered: u64,
    lost: u64,
    /// Bytes lost in all.
    lost_ever: u64,
}

impl Policer {
    /// The rate that is assumed, if any.
    pub(super) fn rate(&self) -> Option<f64> {
        self.is_believed.then_some(self.rate)
    }

    pub(super) fn on_lost(&mut self, bytes: u64) {
        self.lost_ever += bytes;
    }

    /// Begins the search anew.
    pub(super) fn forget(&mut self, now: Time, delivered: u64) {
        let lost_ever = self.lost_ever;
        *self = Self {
            lost_ever,
            ..Self::default()
        };
        self.begin(now, delivered);
    }

    fn begin(&mut self, now: Time, delivered: u64) {
        (self.began, self.delivered, self.lost) = (now, delivered, self.lost_ever);
        self.rounds = 0;
    }

    /// An acknowledgement with a rate sample, the first of a round trip if `round`. Returns whether
    /// the rate has been assumed for long enough.
    pub(super) fn on_ack(&mut self, ack: &AckSample, round: bool, is_probing: bool) -> bool {
        let (now, delivered) = (ack.now, ack.delivered);
        if self.is_believed {
            self.rounds += u32::from(is_probing && round);
            let is_over = self.rounds >= BELIEVED;
            if is_over {
                self.forget(now, delivered);
            }
            return is_over;
        }
        let loses = ack.lost > 0;
        if !self.is_watching {
            if !loses {
                return false;
            }
            self.begin(now, delivered);
            self.is_watching = true;
        }
        if ack.rate.is_some_and(|rate| rate.app_limited) {
            self.forget(now, delivered);
            return false;
        }
        self.rounds += u32::from(round);
        if self.rounds > 4 * LEAST_ROUNDS {
            self.forget(now, delivered);
        } else if self.rounds >= LEAST_ROUNDS && loses {
            self.end_if_lossy(now, delivered);
        }
        false
    }

    /// A stretch ends with a loss, when the bucket is as empty as it was at its start.
    fn end_if_lossy(&mut self, now: Time, delivered: u64) {
        let passed = (delivered - self.delivered) as f64;
        let lost = (self.lost_ever - self.lost) as f64;
        let took = now.since(self.began);
        if passed == 0.0 || lost < LOSSY * passed || took < Span::from_ms(1) {
            return;
        }
        let rate = passed / took.as_s();
        let apart = (rate - self.rate).abs();
        if self.rate > 0.0 && (apart <= NEAR_SHARE * self.rate || apart <= NEAR_RATE) {
            self.rate = f64::midpoint(rate, self.rate);
            self.is_believed = true;
            self.rounds = 0;
        } else {
            self.rate = rate;
            self.begin(now, delivered);
        }
    }
}
