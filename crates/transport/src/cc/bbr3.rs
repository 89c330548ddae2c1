//! BBR, version 3: follows a model of the path and also responds to losses, within bounds.
//!
//! N. Cardwell, I. Swett and J. Beshay (eds), "BBR Congestion Control", draft-ietf-ccwg-bbr-06,
//! July 2026. As in version 1, the rate follows the largest recent delivery rate, here that of the
//! last two cycles, and the window follows that rate times the least RTT of 10 s ("the product").
//! Two kinds of bounds are new:
//!
//! - The long-term bound is what was in flight when a probe lost more than 2 % in a round trip.
//!   Outside probes 15 % of it is left free for others.
//! - The short-term bounds, of rate and window, follow what was delivered in a round trip with a
//!   loss, but each reduction leaves at least 0.7 of them. The next probe discards them.
//!
//! The gains are factors of the rate and of the product:
//!
//! | state | pacing gain | window gain | ends after |
//! | --- | --- | --- | --- |
//! | Startup | 2.77 | 2 | three round trips without growth by a quarter, or a round trip of recovery that loses more than 2 % and at least six ranges |
//! | Drain | 0.5 | 2 | the data in flight is down to the product, or three round trips |
//! | ProbeBW_DOWN | 0.9 | 2 | the data in flight is down to the product and leaves the headroom |
//! | ProbeBW_CRUISE | 1 | 2 | 2 to 3 s, or as many round trips as the product has segments, at most 63 |
//! | ProbeBW_REFILL | 1 | 2 | a round trip |
//! | ProbeBW_UP | 1.25 | 2.25 | three round trips without growth by a quarter, or more than 2 % lost |
//! | ProbeRTT | 1 | 0.5 | 200 ms and a round trip; entered every 5 s without a lower RTT |
//!
//! In ProbeBW_UP the long-term bound, while it is the limit, rises by 1, 2, 4 ... segments per
//! round trip. After a probe that lost too much, the next probe ends as soon as it reaches the
//! bound; if it loses little, another probe follows at once.
//!
//! **Reference**, where the draft leaves it open:
//!
//! - The draft's table limits Drain by the long-term bound, its pseudo-code does not. The
//!   pseudo-code is followed.
//! - The draft requires that a mark be treated as congestion and does not say how. A mark counts as
//!   one lost segment.
//! - `inflight_at_loss` never falls below what was in flight before the lost segment, as in
//!   Google's code.
//!
//! **Linux**: the constants of Google's `tcp_bbr` (branch v3) where they differ: a gain of 0.347 in
//! Drain and of 0.91 in ProbeBW_DOWN; aggregated acknowledgements are remembered for five round
//! trips instead of ten.
//!
//! **ns-3**, **ns-2**: have no BBRv3; the same as the reference.
//!
//! **Left out**: the offload budget, which is below the minimum window where segments are sent one
//! by one; undoing spurious recoveries; Google's own response to marks.
//!
//! **Unverified**: that Google's code and the draft agree beyond the constants, which were
//! compared. A working copy after draft 06 has ProbeRTT every 10 s: set `probe_rtt_interval = "10
//! s"`.

mod control;
mod long_term;
mod probe_bandwidth;
mod probe_rtt;
mod short_term;
mod startup;

use sojourn_base::{Fraction, ParamFault, Preset, Probability, Span, Stream, Time, params};

use crate::cc::parts::MaxFilter;
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Needs, Start};
use crate::rate::Loss;
use crate::sender::State;

params! {
    /// Parameters of BBRv3.
    pub struct Params {
        /// Largest loss in a round trip that a probe for bandwidth may cause.
        loss_threshold: Probability = "0.02";
        /// Smallest part that a reduction leaves: of a short-term bound, this part of itself; of
        /// the long-term bound, this part of the product or of the window, whichever is less.
        beta: Probability = "0.7";
        /// Part of the long-term bound that is left free for others.
        headroom: Probability = "0.15";
        /// Part by which the pacing rate is reduced.
        pacing_margin: Probability = "0.01";
        /// Pacing gain of Drain.
        drain_gain: Fraction = "0.5", Linux = "0.347";
        /// Pacing gain of ProbeBW_DOWN.
        down_gain: Fraction = "0.9", Linux = "0.91";
        /// How long a least RTT is valid.
        min_rtt_window: Span = "10 s";
        /// Time without a lower RTT after which ProbeRTT begins.
        probe_rtt_interval: Span = "5 s";
        /// Shortest time spent in ProbeRTT.
        probe_rtt_time: Span = "200 ms";
    }
}

/// 4 ln 2: doubles the rate each round trip.
const STARTUP_GAIN: f64 = 2.77;
const UP_GAIN: f64 = 1.25;
const CWND_GAIN: f64 = 2.0;
const UP_CWND_GAIN: f64 = 2.25;
const PROBE_RTT_CWND_GAIN: f64 = 0.5;
/// Probes for bandwidth that the largest rate is remembered for: this one and the one before.
const BANDWIDTH_CYCLES: u64 = 2;
/// MinPipeCwnd, segments.
const LEAST_WINDOW: f64 = 4.0;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    Down,
    Cruise,
    Refill,
    Up,
    ProbeRtt,
}

impl Mode {
    const fn is_probe_bandwidth(self) -> bool {
        matches!(self, Self::Down | Self::Cruise | Self::Refill | Self::Up)
    }

    /// It accelerates, or is about to: short-term bounds are not made.
    const fn is_probing(self) -> bool {
        matches!(self, Self::Startup | Self::Refill | Self::Up)
    }
}

/// BBR, version 3.
#[derive(Debug, Clone)]
#[allow(clippy::struct_excessive_bools)]
pub struct Bbr3 {
    params: Params,
    extra_acked_rounds: u64,
    mss: f64,
    initial: f64,
    sack: bool,
    random: Stream,

    mode: Mode,
    state: State,
    cwnd: f64,
    /// The last window that neither recovery nor ProbeRTT had touched.
    prior_cwnd: f64,
    pacing_rate: f64,
    delivered: u64,

    // Round trips.
    round: u64,
    round_start: bool,
    next_round_delivered: u64,

    // Rate and volume of the path.
    max_bandwidth: MaxFilter,
    cycle: u64,
    /// The largest rate, within the short-term bound.
    bandwidth: f64,
    min_rtt: Option<Span>,
    min_rtt_at: Time,
    extra_acked: MaxFilter,
    extra_acked_from: Time,
    extra_acked_delivered: f64,

    full: startup::FullPipe,
    short_term: short_term::Bounds,
    probe: long_term::Probe,
    /// The most in flight that was found to be safe; infinite until a probe loses too much.
    inflight_longterm: f64,
    cycle_start: Time,
    probe_wait: Span,
    rounds_since_probe: u64,
    probe_rtt: probe_rtt::ProbeRtt,
    idle_restart: bool,
}

impl Bbr3 {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// None.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        let initial = start.initial_window as f64;
        let mut new = Self {
            params: params.clone(),
            extra_acked_rounds: if preset == Preset::Linux { 5 } else { 10 },
            mss: f64::from(start.mss),
            initial,
            sack: start.sack,
            random: start.random.clone(),
            mode: Mode::Startup,
            state: State::Open,
            cwnd: initial,
            prior_cwnd: 0.0,
            pacing_rate: 0.0,
            delivered: 0,
            round: 0,
            round_start: false,
            next_round_delivered: 0,
            max_bandwidth: MaxFilter::default(),
            cycle: 0,
            bandwidth: 0.0,
            min_rtt: None,
            min_rtt_at: Time::ZERO,
            extra_acked: MaxFilter::default(),
            extra_acked_from: Time::ZERO,
            extra_acked_delivered: 0.0,
            full: startup::FullPipe::default(),
            short_term: short_term::Bounds::default(),
            probe: long_term::Probe::default(),
            inflight_longterm: f64::INFINITY,
            cycle_start: Time::ZERO,
            probe_wait: Span::ZERO,
            rounds_since_probe: 0,
            probe_rtt: probe_rtt::ProbeRtt::default(),
            idle_restart: false,
        };
        new.pace_by_window(Span::from_ms(1));
        Ok(new)
    }

    /// A new round trip begins with what is sent from now on.
    fn start_round(&mut self) {
        self.next_round_delivered = self.delivered;
    }

    /// Rounds and the largest rate (5.5.1, 5.5.5).
    fn update_bandwidth(&mut self, ack: &AckSample) {
        self.round_start = false;
        let Some(rate) = ack.rate else {
            return;
        };
        if rate.prior_delivered >= self.next_round_delivered {
            self.start_round();
            self.round += 1;
            self.rounds_since_probe += 1;
            self.round_start = true;
        }
        if rate.rate >= self.max_bandwidth.get() || !rate.app_limited {
            self.max_bandwidth
                .update(self.cycle, rate.rate, BANDWIDTH_CYCLES);
        }
    }

    /// The window before recovery or ProbeRTT, to go back to (5.6.4.4).
    fn save_cwnd(&mut self) {
        let recovering = matches!(self.state, State::Recovery | State::Loss);
        self.prior_cwnd = if recovering || self.mode == Mode::ProbeRtt {
            self.prior_cwnd.max(self.cwnd)
        } else {
            self.cwnd
        };
    }

    fn restore_cwnd(&mut self) {
        self.cwnd = self.cwnd.max(self.prior_cwnd);
    }
}

impl CongestionControl for Bbr3 {
    fn on_ack(&mut self, ack: &AckSample) {
        self.delivered = ack.delivered;
        if ack.state == State::Open && matches!(self.state, State::Recovery | State::Loss) {
            self.restore_cwnd();
        }
        self.state = ack.state;
        // The order of the draft's UpdateModelAndState and UpdateControlParameters (5.2.3).
        let loss_round_start = self.note_delivery(ack);
        self.update_bandwidth(ack);
        if loss_round_start {
            self.adapt_short_term();
        }
        self.update_aggregation(ack);
        self.check_full_pipe(ack);
        self.check_startup_done(ack, loss_round_start);
        self.check_drain_done(ack);
        self.update_cycle(ack);
        self.update_min_rtt(ack);
        self.check_probe_rtt(ack);
        if loss_round_start {
            self.forget_delivery(ack);
        }
        self.bandwidth = self.max_bandwidth.get().min(self.short_term.bandwidth);
        self.set_pacing_rate(self.pacing_gain());
        self.set_cwnd(ack);
    }

    fn on_handshake(&mut self, now: Time, rtt: Span) {
        if rtt > Span::ZERO {
            self.take_rtt(now, rtt);
            self.renew_min_rtt(now);
        }
    }

    fn on_lost(&mut self, now: Time, loss: &Loss) {
        self.note_loss();
        self.count_lost_range(loss);
        self.check_probe_loss(now, loss);
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        match event.kind {
            LossKind::Ecn => {
                let bytes = self.mss as u64;
                let loss = Loss {
                    seq: event.snd_nxt,
                    bytes,
                    tx_in_flight: event.in_flight,
                    lost: bytes,
                    app_limited: false,
                };
                self.on_lost(event.now, &loss);
            }
            LossKind::FastRetransmit => {
                self.save_cwnd();
                self.state = State::Recovery;
            }
            LossKind::Timeout => {
                self.save_cwnd();
                self.state = State::Loss;
                self.cwnd = self.mss;
            }
        }
    }

    fn on_restart(&mut self, _now: Time) {}

    /// 5.4.1: back at once to the rate of before.
    fn on_tx_start(&mut self, now: Time, _idle: Span, app_limited: bool) {
        if !app_limited {
            return;
        }
        self.idle_restart = true;
        self.extra_acked_from = now;
        if self.mode.is_probe_bandwidth() {
            self.set_pacing_rate(1.0);
        } else if self.mode == Mode::ProbeRtt {
            self.check_probe_rtt_done(now);
        }
    }

    fn cwnd(&self) -> u64 {
        (self.cwnd as u64).max(self.mss as u64)
    }

    fn ssthresh(&self) -> u64 {
        u64::MAX
    }

    fn pacing_rate(&self) -> Option<f64> {
        Some(self.pacing_rate)
    }

    /// ProbeRTT's low rates say nothing of the path.
    fn is_self_limited(&self) -> bool {
        self.mode == Mode::ProbeRtt
    }

    fn needs(&self) -> Needs {
        Needs {
            own_recovery: true,
            rate_samples: true,
            pacing: true,
            keeps_window_when_idle: true,
            ..Needs::USUAL
        }
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("bandwidth_bps", 8.0 * self.bandwidth);
        show("max_bandwidth_bps", 8.0 * self.max_bandwidth.get());
        show("min_rtt_s", self.min_rtt.unwrap_or_default().as_s());
        show("pacing_gain", self.pacing_gain());
        show("cwnd_gain", self.cwnd_gain());
        show("inflight_longterm_bytes", self.inflight_longterm);
        show("inflight_shortterm_bytes", self.short_term.inflight);
    }

    fn set_window(&mut self, cwnd: f64, _ssthresh: f64) {
        self.cwnd = cwnd * self.mss;
    }
}
