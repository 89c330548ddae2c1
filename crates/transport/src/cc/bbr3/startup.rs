//! Startup, the two ways in which it ends, and Drain (draft-ietf-ccwg-bbr-06, 5.3.1 and 5.3.2).

use super::{Bbr3, Mode};
use crate::cc::AckSample;
use crate::rate::Loss;
use crate::sender::State;

const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
const FULL_LOST_RANGES: u32 = 6;
const DRAIN_ROUNDS: u64 = 3;

/// The search for a plateau of the delivery rate.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FullPipe {
    /// The pipe has been full once.
    pub(super) reached: bool,
    /// The pipe is full, as found since the search began.
    pub(super) now: bool,
    bandwidth: f64,
    rounds: u32,
    /// Ranges lost in this round trip, and where the last of them ended.
    lost_ranges: u32,
    lost_end: u64,
    drain_from: u64,
}

impl Bbr3 {
    /// Begins the search again from `bandwidth`.
    pub(super) fn search_full_pipe(&mut self, bandwidth: f64) {
        self.full.bandwidth = bandwidth;
        self.full.rounds = 0;
        self.full.now = false;
    }

    pub(super) fn check_full_pipe(&mut self, ack: &AckSample) {
        let Some(rate) = ack.rate else {
            return;
        };
        if self.full.now || !self.round_start || rate.app_limited {
            return;
        }
        if rate.rate >= self.full.bandwidth * FULL_GROWTH {
            self.search_full_pipe(rate.rate);
            return;
        }
        self.full.rounds += 1;
        self.full.now = self.full.rounds >= FULL_ROUNDS;
        self.full.reached |= self.full.now;
    }

    pub(super) fn count_lost_range(&mut self, loss: &Loss) {
        if self.full.lost_ranges == 0 || loss.seq != self.full.lost_end {
            self.full.lost_ranges += 1;
        }
        self.full.lost_end = loss.seq + loss.bytes;
    }

    pub(super) fn check_startup_done(&mut self, ack: &AckSample, loss_round_start: bool) {
        if !self.full.reached {
            self.check_startup_loss(ack, loss_round_start);
        }
        if loss_round_start {
            self.full.lost_ranges = 0;
        }
        if self.mode == Mode::Startup && self.full.reached {
            self.mode = Mode::Drain;
            self.full.drain_from = self.round;
        }
    }

    /// 5.3.1.3: ends Startup at a round trip of recovery with many losses.
    fn check_startup_loss(&mut self, ack: &AckSample, loss_round_start: bool) {
        let Some(rate) = ack.rate else {
            return;
        };
        let too_much = if self.sack {
            loss_round_start
                && self.full.lost_ranges >= FULL_LOST_RANGES
                && self.is_too_high(rate.lost, rate.tx_in_flight)
        } else {
            rate.lost > 0
        };
        if ack.state == State::Recovery && too_much {
            self.full.reached = true;
            self.full.now = true;
            let product = self.product(self.bandwidth, 1.0);
            self.inflight_longterm = product.max(self.short_term.inflight_latest);
        }
    }

    pub(super) fn check_drain_done(&mut self, ack: &AckSample) {
        let drained = ack.in_flight as f64 <= self.inflight(self.bandwidth)
            || self.round > self.full.drain_from + DRAIN_ROUNDS;
        if self.mode == Mode::Drain && drained {
            self.start_down(ack.now);
        }
    }
}
