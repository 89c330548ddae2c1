//! Prague: the scalable controller of L4S, whose rate does not depend on the RTT if that is short.
//!
//! draft-briscoe-iccrg-prague-congestion-control and the requirements of RFC 9331; Linux's
//! `tcp_prague` 0.7. Packets are ECT(1), feedback is accurate, and segments are paced. As in DCTCP,
//! alpha is a moving average of the share of marked bytes. From the first mark on it is updated
//! once per virtual round trip, which is at least 25 ms. A mark reduces the window to cwnd (1 -
//! alpha / 2), once per virtual round trip. Each acknowledged segment without a mark adds (min(1,
//! RTT / 25 ms))^2 / cwnd, also between reductions. A loss halves the window. With `ecn =
//! "classic"` an echo does not give the share of marks: it halves the window, once per window, and
//! packets are ECT(0).
//!
//! **Reference**, and all other presets, are the same. Simplified:
//!
//! - The scaling with the RTT begins with congestion avoidance instead of four rounds after slow
//!   start.
//! - There is no rate-based variant for windows of a few segments, and segments do not become
//!   smaller.
//! - Pacing does not vary by +- 3 % per half round.
//! - Classic ECN AQMs are not detected (RFC 9331, section 4.3, item 3).
//!
//! Compared with RFC 9331, section 4.3: items 1, 2, 4 and 6 are met, the last with RACK. Classic
//! AQMs are not detected (3), the window is at least two segments (5), and bursts are limited by
//! pacing alone (7). The draft's own text was not read.

use sojourn_base::{Ecn, Fraction, ParamFault, Preset, Probability, Span, Time, params};

use crate::cc::parts::{Rounds, Window};
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Needs, Start};
use crate::ecn::EcnMode;
use crate::sender::State;
use crate::window_hooks;

params! {
    /// Parameters of Prague.
    pub struct Params {
        /// Weight g of the newest share of marks.
        g: Fraction = "0.0625";
        /// Alpha at the first mark.
        initial_alpha: Probability = "1";
        /// Flows with a shorter round-trip time than this grow as if they had this one.
        virtual_rtt: Span = "25 ms";
    }
}

/// Prague.
#[derive(Debug, Clone)]
pub struct Prague {
    window: Window,
    g: f64,
    alpha: f64,
    virtual_rtt: Span,
    acked: u64,
    marked: u64,
    any_mark: bool,
    rounds: Rounds,
    round_over: bool,
    updated: Time,
    reduced: Option<Time>,
}

impl Prague {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// A `virtual_rtt` of nothing.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        if params.virtual_rtt == Span::ZERO {
            let allowed = "a time above zero";
            return Err(ParamFault::new("virtual_rtt", params.virtual_rtt, allowed));
        }
        Ok(Self {
            window: Window::new(start, preset),
            g: params.g.0,
            alpha: params.initial_alpha.0,
            virtual_rtt: params.virtual_rtt,
            acked: 0,
            marked: 0,
            any_mark: false,
            rounds: Rounds::default(),
            round_over: false,
            updated: Time::ZERO,
            reduced: None,
        })
    }

    fn update_alpha(&mut self, ack: &AckSample) {
        self.acked += ack.acked;
        self.marked += ack.marked;
        self.any_mark |= ack.marked > 0;
        self.round_over |= self.rounds.ended(ack.snd_una, ack.snd_nxt);
        if self.round_over && ack.now.since(self.updated) >= self.virtual_rtt {
            if self.any_mark && self.acked > 0 {
                let share = self.marked as f64 / self.acked as f64;
                self.alpha = ((1.0 - self.g) * self.alpha + self.g * share).clamp(0.0, 1.0);
            }
            self.acked = 0;
            self.marked = 0;
            self.round_over = false;
            self.updated = ack.now;
        }
    }

    /// A mark: at most one reduction a virtual round trip.
    fn answer_mark(&mut self, now: Time, srtt: Span) {
        let round = self.virtual_rtt.max(srtt);
        if self.reduced.is_some_and(|at| now.since(at) < round) {
            return;
        }
        self.reduced = Some(now);
        let cwnd = self.window.cwnd * (1.0 - 0.5 * self.alpha);
        self.window.cwnd = cwnd.max(2.0);
        self.window.ssthresh = self.window.cwnd;
    }
}

impl CongestionControl for Prague {
    fn on_ack(&mut self, ack: &AckSample) {
        self.update_alpha(ack);
        if ack.marked > 0 && matches!(ack.state, State::Open | State::Cwr) {
            self.answer_mark(ack.now, ack.srtt);
        }
        if !ack.may_grow {
            return;
        }
        let clean = self.window.segments(ack.acked.saturating_sub(ack.marked));
        if self.window.in_slow_start() {
            self.window.slow_start(clean);
            return;
        }
        let part = (ack.srtt.as_s() / self.virtual_rtt.as_s()).min(1.0);
        self.window.additive(clean, part * part);
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        // Marks are answered as they are counted.
        if event.kind != LossKind::Ecn {
            self.window.halve(event);
        }
    }

    fn needs(&self) -> Needs {
        Needs {
            pacing: true,
            ecn: EcnMode::Accurate,
            codepoint: Ecn::Ect1,
            ..Needs::USUAL
        }
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("alpha", self.alpha);
    }

    window_hooks!();
}
