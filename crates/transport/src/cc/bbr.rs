//! BBR, version 1: a model of the path instead of an answer to losses.
//!
//! N. Cardwell et al., "BBR Congestion Control", draft-cardwell-iccrg-bbr-congestion-control-00,
//! 2017, and Linux 6.1's `tcp_bbr`. The estimated bandwidth of the bottleneck is the largest
//! delivery rate of the last ten round trips; the estimated delay is the least RTT of the last 10
//! s. "The product" below is bandwidth times delay.
//!
//! - Startup paces at 2/ln 2 times the bandwidth. The rate starts from the initial window per
//!   millisecond and, once the RTT is known, per round trip; it never decreases in Startup. Startup
//!   ends when the bandwidth has not grown by a quarter in three round trips.
//! - Drain removes the queue that Startup has built.
//! - ProbeBW cycles the pacing gain through 1.25, 0.75 and six times 1, for one least RTT each,
//!   with a window of twice the product. It begins in any of these phases except 0.75.
//! - ProbeRTT is entered when the least RTT is 10 s old: the window is four segments for at least
//!   200 ms and a round trip. The low delivery rates of this time do not count.
//!
//! A loss reduces the window to what is in flight, for one round trip. Marks have no effect.
//!
//! The window has room for three bursts beyond the product. Drain and the phase of 0.75 end as soon
//! as no more than the product and these bursts is in flight, so that this much always waits at the
//! bottleneck. A burst is one segment below 1.2 Mbit/s, two below 24 Mbit/s, and above that what is
//! sent in a millisecond, at most 64 KiB.
//!
//! **Linux**:
//!
//! - It paces at 99 % of the bandwidth. A burst is what is sent in 1/1024 s, at least two segments,
//!   or one below 1.2 Mbit/s. Data that the pacing clock has released ahead of time does not count
//!   as in flight.
//! - The window is an even number of segments, with two more in the phase of 1.25, and has room for
//!   what is acknowledged at once beyond the bandwidth.
//! - Where a fifth or more is lost, a token bucket is assumed to police the path, and its rate is
//!   used for 48 round trips. Not modelled: that a timeout counts as a loss in this.
//! - An RTT equal to the least RTT does not renew it.
//!
//! **ns-3** (`TcpBbr`):
//!
//! - A burst is one segment. The window has two more segments in the phase of 1.25. Startup paces
//!   at 2.89 times the bandwidth.
//! - What is acknowledged at once is counted in whole seconds and up to 4096 bytes, which mostly is
//!   one acknowledgement.
//! - The low rates of ProbeRTT count, since what ns-3 does to prevent this never reaches its rate
//!   samples. Where ten round trips take less than the 200 ms, the bandwidth collapses with each
//!   ProbeRTT.
//!
//! **ns-2**: 2.35 has no BBR.

mod aggregation;
mod policer;

use sojourn_base::{ParamFault, Preset, Probability, Span, Stream, Time, params};

use crate::cc::parts::MaxFilter;
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Needs, Start};
use crate::pacing;
use crate::rate::Loss;
use crate::sender::State;
use aggregation::Aggregation;
use policer::Policer;

params! {
    /// Parameters of BBR.
    pub struct Params {
        /// Part by which the pacing rate is reduced.
        pacing_margin: Probability = "0", Linux = "0.01";
        /// How long a least RTT is valid.
        min_rtt_window: Span = "10 s";
        /// Shortest time spent in ProbeRTT.
        probe_rtt_time: Span = "200 ms";
    }
}

/// 2 / ln 2: doubles the rate each round trip. Linux counts gains in parts of 256.
const HIGH_GAIN: f64 = 2.885_390_081_777_927;
const HIGH_GAIN_LINUX: f64 = 739.0 / 256.0;
const HIGH_GAIN_NS3: f64 = 2.89;
const DRAIN_GAIN_LINUX: f64 = 88.0 / 256.0;
const CYCLE: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];
const BANDWIDTH_ROUNDS: u64 = 10;
const FULL_GROWTH: f64 = 1.25;
const FULL_ROUNDS: u32 = 3;
const LEAST_WINDOW: f64 = 4.0;
/// Bursts in flight beside the product: one that waits at the sender, one that is sent, one that is
/// received.
const BURSTS: f64 = 3.0;
/// Bytes a second below which a burst is a segment, and from which on it is more than two: 1.2 and
/// 24 Mbit/s.
const SLOW: f64 = 150_000.0;
const FAST: f64 = 3_000_000.0;
const LONGEST_BURST: f64 = 65_536.0;
/// Linux counts every microsecond, ns-3 whole seconds and at most 4096 bytes.
const LINUX_RULES: aggregation::Rules = aggregation::Rules {
    longest: f64::INFINITY,
    step: Span::from_us(1),
};
const NS3_RULES: aggregation::Rules = aggregation::Rules {
    longest: 4096.0,
    step: Span::from_whole_s(1),
};
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
    /// It was looking when the latest acknowledgement came: what follows the one that ends the
    /// look, for a round trip, is measured from it.
    held_back: bool,
    /// Bytes a second.
    pacing_rate: f64,
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
    /// What is acknowledged at once, where there is room for it (Linux, ns-3).
    aggregation: Option<Aggregation>,
    /// Linux's alone.
    policer: Option<Policer>,
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
            aggregation: match preset {
                Preset::Linux => Some(Aggregation::new(LINUX_RULES)),
                Preset::Ns3 => Some(Aggregation::new(NS3_RULES)),
                Preset::Reference | Preset::Ns2 => None,
            },
            policer: (preset == Preset::Linux).then(Policer::default),
        };
        made.pace_by_window(NOMINAL_RTT);
        Ok(made)
    }

    fn high_gain(&self) -> f64 {
        match self.preset {
            Preset::Linux => HIGH_GAIN_LINUX,
            Preset::Ns3 => HIGH_GAIN_NS3,
            Preset::Reference | Preset::Ns2 => HIGH_GAIN,
        }
    }

    fn pacing_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup => self.high_gain(),
            Mode::Drain if self.preset == Preset::Linux => DRAIN_GAIN_LINUX,
            Mode::Drain => 1.0 / self.high_gain(),
            Mode::ProbeBandwidth if self.is_policed() => 1.0,
            Mode::ProbeBandwidth => CYCLE[self.phase],
            Mode::ProbeRtt => 1.0,
        }
    }

    fn cwnd_gain(&self) -> f64 {
        match self.mode {
            Mode::Startup | Mode::Drain => self.high_gain(),
            Mode::ProbeBandwidth => 2.0,
            Mode::ProbeRtt => 1.0,
        }
    }

    fn is_policed(&self) -> bool {
        self.policer
            .as_ref()
            .is_some_and(|one| one.rate().is_some())
    }

    /// The bandwidth that is believed in, bytes a second.
    fn bandwidth(&self) -> f64 {
        let policed = self.policer.as_ref().and_then(Policer::rate);
        policed.unwrap_or_else(|| self.bandwidth.get())
    }

    /// Before any rate is known: the window a round trip.
    fn pace_by_window(&mut self, rtt: Span) {
        self.pacing_rate = self.high_gain() * self.margin * self.cwnd / rtt.as_s();
    }

    /// Until the pipe has been full once the rate only rises: one small sample must not hold back
    /// all that follows.
    fn set_pacing_rate(&mut self, gain: f64) {
        let rate = gain * self.margin * self.bandwidth();
        if self.is_full || rate > self.pacing_rate {
            self.pacing_rate = rate;
        }
    }

    /// Bytes that are sent at once.
    fn burst(&self) -> f64 {
        match self.preset {
            Preset::Linux => {
                let segments = pacing::at_once(self.pacing_rate, self.mss, self.least_burst());
                f64::from(segments) * self.mss
            }
            Preset::Ns3 => self.mss,
            Preset::Reference | Preset::Ns2 => match self.pacing_rate {
                rate if rate < SLOW => self.mss,
                rate if rate < FAST => 2.0 * self.mss,
                rate => (1e-3 * rate).min(LONGEST_BURST),
            },
        }
    }

    /// `gain` times a bandwidth times the least RTT, and what else is to be in flight beside it,
    /// bytes.
    fn in_flight_at(&self, bandwidth: f64, gain: f64, beside: f64) -> f64 {
        if self.min_rtt == Span::ZERO {
            return self.initial;
        }
        let product = gain * bandwidth * self.min_rtt.as_s();
        let in_flight = if self.preset == Preset::Linux {
            let pairs = 2.0 * self.mss;
            let whole = |bytes: f64, of: f64| libm::ceil(bytes / of) * of;
            whole(
                whole(product, self.mss) + beside + BURSTS * self.burst(),
                pairs,
            )
        } else {
            product + beside + BURSTS * self.burst()
        };
        let is_raising = self.mode == Mode::ProbeBandwidth && self.phase == 0;
        if is_raising && matches!(self.preset, Preset::Linux | Preset::Ns3) {
            in_flight + 2.0 * self.mss
        } else {
            in_flight
        }
    }

    /// What is to be in flight at `gain` by the largest rate of late, whatever else is believed.
    fn goal(&self, gain: f64) -> f64 {
        self.in_flight_at(self.bandwidth.get(), gain, 0.0)
    }

    /// Of so many bytes in flight those that will be when the pacing clock lets the next burst go:
    /// Linux counts what it has let go ahead of time as not sent.
    fn in_network(&self, ack: &AckSample, in_flight: u64) -> f64 {
        let in_flight = in_flight as f64;
        if self.preset != Preset::Linux {
            return in_flight;
        }
        let ahead = ack.next_send.map_or(Span::ZERO, |at| at.since(ack.now));
        let delivered = libm::floor(self.bandwidth() * ahead.as_s() / self.mss) * self.mss;
        let joins = if self.pacing_gain() > 1.0 {
            self.burst()
        } else {
            0.0
        };
        (in_flight + joins - delivered).max(0.0)
    }

    /// The window to come back to, after a recovery or a look for the least RTT; of one within the
    /// other the larger.
    fn save_cwnd(&mut self) {
        if self.state == State::Open && self.mode != Mode::ProbeRtt {
            self.prior_cwnd = self.cwnd;
        } else {
            self.prior_cwnd = self.prior_cwnd.max(self.cwnd);
        }
    }

    fn enter_probe_bandwidth(&mut self, now: Time) {
        self.mode = Mode::ProbeBandwidth;
        // Any phase but the second.
        let drawn = self.random.below(7) as usize;
        self.phase = if drawn == 0 { 0 } else { drawn + 1 };
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
        let before = || self.in_network(ack, ack.prior_in_flight);
        let next = match self.pacing_gain() {
            gain if gain > 1.0 => long && (ack.lost > 0 || before() >= self.goal(gain)),
            gain if gain < 1.0 => long || before() <= self.goal(1.0),
            _ => long,
        };
        if next {
            self.phase = (self.phase + 1) % CYCLE.len();
            self.phase_at = ack.now;
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
                Some(_) => {
                    if round_started || self.round > self.probe_rtt_round {
                        self.end_probe_rtt(now);
                    }
                }
            }
        }
        self.idle_restart = false;
    }

    /// Looks for the least RTT no longer, if that was long enough.
    fn end_probe_rtt(&mut self, now: Time) {
        if self.probe_rtt_done.is_none_or(|done| now < done) {
            return;
        }
        self.min_rtt_at = Some(now);
        self.cwnd = self.cwnd.max(self.prior_cwnd);
        if self.is_full {
            self.enter_probe_bandwidth(now);
        } else {
            self.mode = Mode::Startup;
        }
    }

    /// What Linux and ns-3 see beside the bandwidth: a bucket that polices, acknowledgements that
    /// come together.
    fn watch(&mut self, ack: &AckSample, round_started: bool) {
        let is_probing = self.mode == Mode::ProbeBandwidth;
        if let Some(policer) = &mut self.policer
            && policer.on_ack(ack, round_started, is_probing)
        {
            self.enter_probe_bandwidth(ack.now);
        }
        let (acked, bandwidth) = (ack.acked as f64, self.bandwidth());
        if let Some(aggregation) = &mut self.aggregation {
            aggregation.on_ack(ack.now, acked, bandwidth, self.cwnd, round_started);
        }
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
            let bandwidth = self.bandwidth();
            let aggregation = self.aggregation.as_ref().filter(|_| self.is_full);
            let together = aggregation.map_or(0.0, |one| one.room(bandwidth));
            let target = self.in_flight_at(bandwidth, self.cwnd_gain(), together);
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
    fn on_handshake(&mut self, now: Time, rtt: Span) {
        self.min_rtt = rtt;
        if self.preset == Preset::Ns3 {
            self.pace_by_window(rtt.max(NOMINAL_RTT));
        } else if rtt > Span::ZERO {
            self.min_rtt_at = Some(now);
            self.pace_by_window(rtt);
        }
    }

    fn on_ack(&mut self, ack: &AckSample) {
        let round_started = self.update_round(ack);
        if ack.rate.is_some() {
            self.watch(ack, round_started);
        }
        if self.mode == Mode::ProbeBandwidth {
            self.advance_cycle(ack);
        }
        self.check_full(ack, round_started);
        if self.mode == Mode::Startup && self.is_full {
            self.mode = Mode::Drain;
        }
        if self.mode == Mode::Drain && self.in_network(ack, ack.in_flight) <= self.goal(1.0) {
            self.enter_probe_bandwidth(ack.now);
        }
        let knew_rtt = self.min_rtt > Span::ZERO;
        self.update_min_rtt(ack, round_started);
        if !knew_rtt && self.min_rtt > Span::ZERO {
            self.pace_by_window(self.min_rtt);
        }
        self.set_pacing_rate(self.pacing_gain());
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

    fn on_lost(&mut self, _now: Time, loss: &Loss) {
        if let Some(policer) = &mut self.policer {
            policer.on_lost(loss.bytes);
        }
    }

    fn on_restart(&mut self, _now: Time) {}

    /// After idle time: no faster than the path, which has no queue to be filled.
    fn on_busy(&mut self, now: Time, _idle: Span, app_limited: bool) {
        if !app_limited {
            return;
        }
        self.idle_restart = true;
        if let Some(aggregation) = &mut self.aggregation {
            aggregation.restart(now);
        }
        match self.mode {
            Mode::ProbeBandwidth => self.set_pacing_rate(1.0),
            Mode::ProbeRtt if self.preset == Preset::Linux => self.end_probe_rtt(now),
            Mode::Startup | Mode::Drain | Mode::ProbeRtt => {}
        }
    }

    /// Linux keeps the window, and looks anew whether the pipe is full and a bucket polices.
    fn on_undo(&mut self, now: Time) {
        if self.preset != Preset::Linux {
            return;
        }
        self.full_bandwidth = 0.0;
        self.full_rounds = 0;
        if let Some(policer) = &mut self.policer {
            policer.forget(now, 0);
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

    fn least_burst(&self) -> u8 {
        if self.pacing_rate < SLOW { 1 } else { 2 }
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
        show("pacing_gain", self.pacing_gain());
    }

    fn set_window(&mut self, cwnd: f64, _ssthresh: f64) {
        self.cwnd = cwnd * self.mss;
    }
}
