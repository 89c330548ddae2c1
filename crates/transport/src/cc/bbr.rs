//! BBR, version 1: follows a model of the path instead of responding to losses.
//!
//! N. Cardwell et al., "BBR Congestion Control", draft-cardwell-iccrg-bbr-congestion-control-00,
//! 2017, and Linux 6.1's `tcp_bbr`. The estimated bandwidth of the bottleneck is the largest
//! delivery rate of the last ten round trips; the estimated delay is the least RTT of the last 10
//! s. Below, "the product" is bandwidth times delay.
//!
//! - Startup paces at 2/ln 2 times the bandwidth. The rate starts from the initial window per
//!   millisecond and, once the RTT is known, per round trip; it never decreases in Startup. Startup
//!   ends when the bandwidth has not grown by a quarter in three round trips.
//! - Drain removes the queue that Startup has built.
//! - ProbeBW cycles the pacing gain through 1.25, 0.75 and six times 1, for one least RTT each,
//!   with a window of twice the product. It begins in a random one of these phases, but not in
//!   0.75.
//! - ProbeRTT is entered when the least RTT is 10 s old: the window is four segments for at least
//!   200 ms and a round trip. The low delivery rates measured during this time do not count.
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
//! - The window is an even number of segments, with two more in the phase of 1.25, and has
//!   additional room for aggregated acknowledgements: for what is acknowledged at once beyond the
//!   bandwidth.
//! - If a fifth or more is lost, a token bucket is assumed to police the path, and its rate is used
//!   for 48 round trips. Not modelled: a timeout also counts as a loss for this purpose.
//! - An RTT equal to the least RTT does not renew it.
//!
//! **ns-3** (`TcpBbr`):
//!
//! - A burst is one segment. The window has two more segments in the phase of 1.25. Startup paces
//!   at 2.89 times the bandwidth.
//! - What is acknowledged at once is measured with time in whole seconds and up to 4096 bytes,
//!   which in most cases is one acknowledgement.
//! - What is in flight limits the window until the next round trip begins, which may be with the
//!   acknowledgement that revealed the loss.
//! - A recovery ends with the threshold for a window, which is none until Startup has ended, and
//!   then what was to be in flight at that time: a loss in Startup leaves only pacing as a limit.
//!   A timeout's repair ends with the window that has grown since.
//! - The low delivery rates of ProbeRTT count, since what ns-3 does to prevent this has no effect
//!   on its rate samples. If ten round trips take less than the 200 ms, the estimated bandwidth
//!   collapses in each ProbeRTT.
//!
//! **ns-2**: 2.35 has no BBR.

mod aggregation;
mod min_rtt;
mod policer;
mod probe_bandwidth;
mod window;

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
/// ns-3's windows have 32 bits.
const WRAP: f64 = 4_294_967_296.0;
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
    /// Whether ProbeRTT was on when the latest acknowledgement came, also if that ended it: what is
    /// sent then still counts as limited by the application.
    was_in_probe_rtt: bool,
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
    /// What a recovery ends with in ns-3.
    ssthresh: f64,
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
            was_in_probe_rtt: false,
            pacing_rate: 0.0,
            full_bandwidth: 0.0,
            full_rounds: 0,
            is_full: false,
            phase: 2,
            phase_at: Time::ZERO,
            probe_rtt_done: None,
            probe_rtt_round: 0,
            prior_cwnd: 0.0,
            ssthresh: WRAP - 1.0,
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
            self.ssthresh = libm::floor(self.goal(1.0));
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
        self.set_cwnd(ack, round_started);
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        if event.kind == LossKind::Ecn {
            return;
        }
        self.save_cwnd();
        if event.kind == LossKind::Timeout {
            self.state = State::Loss;
            self.conserve_until = None;
            if self.preset != Preset::Ns3 {
                self.full_bandwidth = 0.0;
            }
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
    fn on_tx_start(&mut self, now: Time, _idle: Span, app_limited: bool) {
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
    fn is_self_limited(&self) -> bool {
        self.was_in_probe_rtt && self.preset != Preset::Ns3
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
