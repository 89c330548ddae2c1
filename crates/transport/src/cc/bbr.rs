//! BBR, version 1: a model of the path instead of an answer to losses.
//!
//! N. Cardwell et al., "BBR Congestion Control", draft-cardwell-iccrg-bbr-congestion-control-00, 2017, and
//! Linux 6.1's `tcp_bbr`. The bottleneck's bandwidth is the largest delivery rate of the last ten round
//! trips, its delay the least RTT of the last 10 s. Startup paces at 2/ln 2 times the bandwidth, at first the initial
//! window a millisecond, then a round trip, and never slower than before, until the bandwidth has
//! not grown by a quarter in three round trips; drain takes the queue away again; then the pacing gain cycles
//! through 1.25, 0.75 and six times 1, a least RTT each, with a window of twice the product. When the least
//! RTT is 10 s old the window is four segments for at least 200 ms and a round trip, whose low rates do not count. Losses
//! take the window to what is in flight for one round trip; marks do nothing.
//!
//! **linux**: paces at 99 % of the bandwidth; a round-trip time that equals the least does not renew it. Left out: its long-term sampling for policers, its compensation
//! for aggregated acknowledgements and the room for segmentation offload in the window, of which one burst of
//! three segments stands for all. **ns-3** (`TcpBbr`): as the draft, but the low rates count, since what it sets against that
//! never reaches its rate samples: where ten round trips are less than the 200 ms, the bandwidth collapses with each look for
//! the least RTT. ns-2.35 has no BBR.
//!
//! Unverified: the phase in which the cycle starts is drawn as Linux draws it, any but the 0.75 one; the
//! draft's text was not at hand for its distribution.

use sojourn_base::{ParamFault, Preset, Probability, Span, Stream, Time, params};

use crate::cc::parts::MaxFilter;
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Needs, Start};
use crate::sender::State;

params! {
    /// Parameters of BBR.
    pub struct Params {
        /// What is taken off the pacing rate.
        pacing_margin: Probability = "0", Linux = "0.01";
        /// How long the least RTT is believed.
        min_rtt_window: Span = "10 s";
        /// The least time spent in looking for it.
        probe_rtt_time: Span = "200 ms";
    }
}

/// 2 / ln 2: doubles the rate each round trip.
const HIGH_GAIN: f64 = 2.885_390_081_777_927;
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
const BANDWIDTH_ROUNDS: u64 = 10;
const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
const LEAST_WINDOW: f64 = 4.0;
/// What a round trip is taken for before the first is measured.
const NOMINAL_RTT: Span = Span::from_ms(1);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Startup,
    Drain,
    ProbeBandwidth,
    ProbeRtt,
}

/// BBR, version 1.
#[derive(Debug, Clone)]
pub struct Bbr {
    mss: f64,
    preset: Preset,
    initial: f64,
    cwnd: f64,
    margin: f64,
    min_rtt_window: Span,
    probe_rtt_time: Span,
    random: Stream,
    mode: Mode,
    bandwidth: MaxFilter,
    round: u64,
    next_round_delivered: u64,
    min_rtt: Span,
    /// When that was measured; at first when the first acknowledgement came.
    min_rtt_at: Option<Time>,
    /// It was looking when the latest acknowledgement came: what follows the one that ends the look, for a round trip, is
    /// measured from it.
    held_back: bool,
    /// Bytes a second.
    pacing_rate: f64,
    pacing_gain: f64,
    cwnd_gain: f64,
    full_bandwidth: f64,
    full_rounds: u32,
    is_full: bool,
    phase: usize,
    phase_at: Time,
    probe_rtt_done: Option<Time>,
    probe_rtt_round: u64,
    prior_cwnd: f64,
    /// Packet conservation lasts until this round.
    conserve_until: Option<u64>,
    state: State,
    idle_restart: bool,
}

impl Bbr {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// None.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        let mss = f64::from(start.mss);
        let mut made = Self {
            mss,
            preset,
            initial: start.initial_window as f64,
            cwnd: start.initial_window as f64,
            margin: 1.0 - params.pacing_margin.0,
            min_rtt_window: params.min_rtt_window,
            probe_rtt_time: params.probe_rtt_time,
            random: start.random.clone(),
            mode: Mode::Startup,
            bandwidth: MaxFilter::default(),
            round: 0,
            next_round_delivered: 0,
            min_rtt: Span::ZERO,
            min_rtt_at: None,
            held_back: false,
            pacing_rate: 0.0,
            pacing_gain: HIGH_GAIN,
            cwnd_gain: HIGH_GAIN,
            full_bandwidth: 0.0,
            full_rounds: 0,
            is_full: false,
            phase: 2,
            phase_at: Time::ZERO,
            probe_rtt_done: None,
            probe_rtt_round: 0,
            prior_cwnd: 0.0,
            conserve_until: None,
            state: State::Open,
            idle_restart: false,
        };
        made.pace_by_window(NOMINAL_RTT);
        Ok(made)
    }

    /// Before any rate is known: the window a round trip.
    fn pace_by_window(&mut self, rtt: Span) {
        self.pacing_rate = HIGH_GAIN * self.margin * self.cwnd / rtt.as_s();
    }

    /// Until the pipe has been full once the rate only rises: one small sample must not hold back all that follows.
    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.margin * self.bandwidth.get();
        if self.is_full || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    /// `gain` times bandwidth times least RTT, bytes.
    fn target(&self, gain: f64) -> f64 {
        if self.min_rtt == Span::ZERO {
            return self.initial;
        }
        let product = gain * self.bandwidth.get() * self.min_rtt.as_s();
        product + 3.0 * self.mss
    }

    fn product(&self, gain: f64) -> f64 {
        gain * self.bandwidth.get() * self.min_rtt.as_s()
    }

    /// The window to come back to, after a recovery or a look for the least RTT; of one within the other the larger.
    fn save_cwnd(&mut self) {
        if self.state == State::Open && self.mode != Mode::ProbeRtt {
            self.prior_cwnd = self.cwnd;
        } else {
            self.prior_cwnd = self.prior_cwnd.max(self.cwnd);
        }
    }

    fn enter_probe_bandwidth(&mut self, now: Time) {
        self.mode = Mode::ProbeBandwidth;
        self.cwnd_gain = 2.0;
        // Any phase but the second.
        let drawn = self.random.below(7) as usize;
        self.phase = if drawn == 0 { 0 } else { drawn + 1 };
        self.pacing_gain = CYCLE[self.phase];
        self.phase_at = now;
    }

    fn update_round(&mut self, ack: &AckSample) -> bool {
        let prior = ack.rate.map_or(0, |rate| rate.prior_delivered);
        let started = ack.rate.is_some() && prior >= self.next_round_delivered;
        if started {
            self.next_round_delivered = ack.delivered;
            self.round += 1;
        }
        if let Some(rate) = ack.rate
            && (!rate.app_limited || rate.rate >= self.bandwidth.get())
        {
            self.bandwidth
                .update(self.round, rate.rate, BANDWIDTH_ROUNDS);
        }
        started
    }

    /// Whether the pipe is full: the bandwidth has stopped growing.
    fn check_full(&mut self, ack: &AckSample, round_started: bool) {
        if self.is_full || !round_started || ack.rate.is_some_and(|rate| rate.app_limited) {
            return;
        }
        if self.bandwidth.get() >= self.full_bandwidth * FULL_GROWTH {
            self.full_bandwidth = self.bandwidth.get();
            self.full_rounds = 0;
            return;
        }
        self.full_rounds += 1;
        self.is_full = self.full_rounds >= FULL_ROUNDS;
    }

    fn advance_cycle(&mut self, ack: &AckSample) {
        let long = ack.now.since(self.phase_at) > self.min_rtt;
        let before = ack.prior_in_flight as f64;
        let next = match self.pacing_gain {
            gain if gain > 1.0 => long && (ack.lost > 0 || before >= self.product(gain)),
            gain if gain < 1.0 => long || before <= self.product(1.0),
            _ => long,
        };
        if next {
            self.phase = (self.phase + 1) % CYCLE.len();
            self.phase_at = ack.now;
            self.pacing_gain = CYCLE[self.phase];
        }
    }

    fn update_min_rtt(&mut self, ack: &AckSample, round_started: bool) {
        let now = ack.now;
        let measured_at = *self.min_rtt_at.get_or_insert(now);
        let expired = now.since(measured_at) > self.min_rtt_window;
        if let Some(rtt) = ack.rtt
            && (self.min_rtt == Span::ZERO
                || rtt < self.min_rtt
                || (self.preset != Preset::Linux && rtt == self.min_rtt)
                || expired)
        {
            self.min_rtt = rtt;
            self.min_rtt_at = Some(now);
        }
        if expired && !self.idle_restart && self.mode != Mode::ProbeRtt {
            self.save_cwnd();
            self.mode = Mode::ProbeRtt;
            self.pacing_gain = 1.0;
            self.cwnd_gain = 1.0;
            self.probe_rtt_done = None;
        }
        self.held_back = self.mode == Mode::ProbeRtt;
        if self.held_back {
            match self.probe_rtt_done {
                None => {
                    if ack.in_flight as f64 <= LEAST_WINDOW * self.mss {
                        self.probe_rtt_done = Some(now + self.probe_rtt_time);
                        self.probe_rtt_round = self.round;
                        self.next_round_delivered = ack.delivered;
                    }
                }
                Some(done) => {
                    let round = round_started || self.round > self.probe_rtt_round;
                    if now >= done && round {
                        self.min_rtt_at = Some(now);
                        self.cwnd = self.cwnd.max(self.prior_cwnd);
                        if self.is_full {
                            self.enter_probe_bandwidth(now);
                        } else {
                            self.mode = Mode::Startup;
                            self.pacing_gain = HIGH_GAIN;
                            self.cwnd_gain = HIGH_GAIN;
                        }
                    }
                }
            }
        }
        self.idle_restart = false;
    }

    fn set_cwnd(&mut self, ack: &AckSample) {
        let acked = ack.acked as f64;
        let entered = ack.state == State::Recovery && self.state != State::Recovery;
        let left = ack.state == State::Open && self.state != State::Open;
        if entered {
            self.conserve_until = Some(self.round + 1);
            self.next_round_delivered = ack.delivered;
            self.cwnd = ack.in_flight as f64 + acked;
        } else if left {
            self.cwnd = self.cwnd.max(self.prior_cwnd);
            self.conserve_until = None;
        }
        self.state = ack.state;
        if ack.lost > 0 && ack.state == State::Recovery {
            self.cwnd = (self.cwnd - ack.lost as f64).max(self.mss);
        }
        if self.conserve_until.is_some_and(|until| self.round >= until) {
            self.conserve_until = None;
        }
        if self.conserve_until.is_some() {
            self.cwnd = self.cwnd.max(ack.in_flight as f64 + acked);
        } else {
            let target = self.target(self.cwnd_gain);
            if self.is_full {
                self.cwnd = (self.cwnd + acked).min(target);
            } else if self.cwnd < target || (ack.delivered as f64) < self.initial {
                self.cwnd += acked;
            }
            self.cwnd = self.cwnd.max(LEAST_WINDOW * self.mss);
        }
        if self.mode == Mode::ProbeRtt {
            self.cwnd = self.cwnd.min(LEAST_WINDOW * self.mss);
        }
    }
}

impl CongestionControl for Bbr {
    fn on_ack(&mut self, ack: &AckSample) {
        let round_started = self.update_round(ack);
        if self.mode == Mode::ProbeBandwidth {
            self.advance_cycle(ack);
        }
        self.check_full(ack, round_started);
        if self.mode == Mode::Startup && self.is_full {
            self.mode = Mode::Drain;
            self.pacing_gain = 1.0 / HIGH_GAIN;
            self.cwnd_gain = HIGH_GAIN;
        }
        if self.mode == Mode::Drain && ack.in_flight as f64 <= self.product(1.0) {
            self.enter_probe_bandwidth(ack.now);
        }
        let knew_rtt = self.min_rtt > Span::ZERO;
        self.update_min_rtt(ack, round_started);
        if !knew_rtt && self.min_rtt > Span::ZERO {
            self.pace_by_window(self.min_rtt);
        }
        self.set_pacing_rate(self.pacing_gain);
        self.set_cwnd(ack);
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        if event.kind == LossKind::Ecn {
            return;
        }
        self.save_cwnd();
        if event.kind == LossKind::Timeout {
            self.state = State::Loss;
            self.conserve_until = None;
            self.full_bandwidth = 0.0;
            self.cwnd = self.mss;
        }
    }

    fn on_restart(&mut self, _now: Time) {}

    /// After idle time: no faster than the path, which has no queue to be filled.
    fn on_busy(&mut self, _now: Time, _idle: Span, app_limited: bool) {
        if !app_limited {
            return;
        }
        self.idle_restart = true;
        if self.mode == Mode::ProbeBandwidth {
            self.set_pacing_rate(1.0);
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

    /// Four segments a round trip say nothing of the bandwidth.
    fn holds_back(&self) -> bool {
        self.held_back && self.preset != Preset::Ns3
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
        show("bandwidth_bps", 8.0 * self.bandwidth.get());
        show("min_rtt_s", self.min_rtt.as_s());
        show("pacing_gain", self.pacing_gain);
    }

    fn set_window(&mut self, cwnd: f64, _ssthresh: f64) {
        self.cwnd = cwnd * self.mss;
    }
}
