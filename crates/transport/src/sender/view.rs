//! What others may know about a sender.

use sojourn_base::Span;

use super::{Counts, ENDLESS, Sender, State};
use crate::cc::AnyController;
use crate::params::Config;

impl Sender {
    /// Bytes outstanding: sent and not acknowledged.
    pub const fn outstanding(&self) -> u64 {
        self.snd_nxt - self.snd_una
    }

    /// Bytes in flight: `pipe` if SACK or a timeout says what is lost, otherwise all that is
    /// outstanding.
    #[inline]
    pub fn in_flight(&self) -> u64 {
        let by_reports = self.config.sack
            && (!self.config.recovery.duplicates_report || self.state == State::Recovery);
        if by_reports || self.state == State::Loss {
            let pipe = self.board.pipe(self.outstanding());
            if self.config.recovery.classic && self.state == State::Recovery {
                // The first retransmission is not counted.
                return (pipe + self.board.lost()).saturating_sub(self.mss());
            }
            pipe
        } else {
            self.outstanding()
        }
    }

    /// The window in force, bytes: the controller's, or recovery's.
    #[inline]
    pub fn window(&self) -> u64 {
        let is_reduced = match self.state {
            State::Recovery => !self.needs.own_recovery,
            State::Cwr => self.config.marks.by_prr,
            State::Open | State::Loss => false,
        };
        if is_reduced {
            self.recovery_window
        } else {
            self.cwnd
        }
    }

    /// The window that tables show, bytes: without the inflation by duplicates, if the program of
    /// the preset keeps that separate, as ns-2's agents do.
    #[inline]
    pub fn reported_window(&self) -> u64 {
        if self.config.recovery.classic && !self.config.sack {
            self.cwnd
        } else {
            self.window()
        }
    }

    /// The slow-start threshold, bytes; `u64::MAX` while there is none.
    pub fn ssthresh(&self) -> u64 {
        self.ssthresh
    }

    /// First unacknowledged number.
    pub const fn snd_una(&self) -> u64 {
        self.snd_una
    }

    /// The number to send next.
    pub const fn snd_nxt(&self) -> u64 {
        self.snd_nxt
    }

    /// The state of congestion control.
    pub const fn state(&self) -> State {
        self.state
    }

    /// SRTT and its variation; none before the first sample.
    pub fn srtt(&self) -> Option<(Span, Span)> {
        self.rtt.srtt().map(|srtt| (srtt, self.rtt.rttvar()))
    }

    /// The latest RTT sample, zero before the first.
    pub const fn latest_rtt(&self) -> Span {
        self.rtt.latest()
    }

    /// The retransmission timeout in force.
    pub fn rto(&self) -> Span {
        self.rtt.rto(&self.config.rto)
    }

    /// What has happened so far.
    pub const fn counts(&self) -> &Counts {
        &self.counts
    }

    /// Payload bytes acknowledged in order.
    pub const fn acknowledged(&self) -> u64 {
        let data = self.snd_una.saturating_sub(1);
        let written = self.written - 1;
        if data < written { data } else { written }
    }

    /// Whether all that was written, and the FIN where there is one, is acknowledged.
    pub fn is_done(&self) -> bool {
        self.written < ENDLESS && self.snd_una >= self.stream_end()
    }

    /// The controller.
    pub const fn controller(&self) -> &AnyController {
        &self.cc
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }
}
