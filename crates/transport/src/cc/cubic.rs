//! CUBIC: the window follows a cubic function of the time since the last loss.
//!
//! L. Xu, S. Ha, I. Rhee, V. Goel, L. Eggert, RFC 9438, 2023. A loss at the window W_max reduces
//! the window to beta W_max. From there it follows W(t) = C (t - K)^3 + W_max, which is back at
//! W_max after K = cbrt((W_max - cwnd) / C) seconds. Each acknowledged segment adds (W(t + RTT) -
//! cwnd) / cwnd, where W(t + RTT) is limited to between cwnd and 1.5 cwnd.
//!
//! Where W_est, the window of an AIMD flow with the same mean, is larger, it becomes the window.
//! W_est grows with alpha = 3 (1 - beta) / (1 + beta), and with alpha = 1 once it has reached the
//! window before the loss. A loss below the previous W_max lowers W_max further (fast convergence).
//! The first congestion avoidance after a timeout, or after a slow start that ended without a loss,
//! begins with K = 0. Time during which something other than the window limits the sender does not
//! count.
//!
//! **Reference**: slow start ends by HyStart++ (RFC 9406), in which an acknowledgement counts for
//! at most 8 segments, or for any number where the sender paces. A mark leaves at least two
//! segments, as a loss does and as in Linux; the RFC (4.6) permits one.
//!
//! **Linux** (6.1):
//!
//! - beta is 717/1024. ssthresh is computed from cwnd instead of the flight.
//! - The target is W at t + least RTT; samples of the first second after a loss do not count for
//!   the least RTT. A timeout discards W_max and the least RTT.
//! - Slow start ends by the HyStart of 2008.
//! - The window grows by one whole segment for each `cnt` segments acknowledged. `cnt` is at least
//!   2, and at most 20 before the first loss.
//! - W_est grows by one segment for each 15/8 windows acknowledged; for other values of `beta`, for
//!   each 8 (1 + beta) / 3 / (1 - beta) eighths of a window, rounded down to whole eighths.
//! - The only time that does not count is that with nothing in flight.
//! - `cnt` is computed again when the window has changed or after 31 ms, and the curve at most once
//!   per millisecond. The clocks tick 1000 times a second.
//! - W_max is in whole segments.
//!
//! **ns-3** (`TcpCubic`): as Linux, except:
//!
//! - beta is 0.7, RTT samples are ignored for 10 ms instead of the first second, all time counts,
//!   and `cnt` is computed for each acknowledgement.
//! - An acknowledgement adds at most one segment. Segments acknowledged beyond `cnt` are carried
//!   over without limit.
//! - Slow start may exceed the threshold.
//! - Versions before 3.38 correspond to `reno_friendly` off.

use sojourn_base::{Fraction, ParamFault, Preset, Span, Time, params};

use crate::cc::parts::hystart::Growth;
use crate::cc::parts::{HyStart, MinRtt, SlowStart, Window};
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Start};
use crate::sender::State;
use crate::window_hooks;

params! {
    /// Parameters of CUBIC.
    pub struct Params {
        /// Constant C of the cubic function, segments per cubic second.
        c: f64 = "0.4";
        /// Part of the window that remains after a loss.
        beta: Fraction = "0.7", Linux = "0.7001953125";
        /// Whether a loss below the last maximum lowers the maximum further.
        fast_convergence: bool = "true";
        /// Whether the window is at least that of an AIMD flow with the same mean.
        reno_friendly: bool = "true";
        /// How slow start ends.
        slow_start: SlowStart = "hystart++", Linux = "hystart", Ns3 = "hystart", Ns2 = "plain";
    }
}

/// Linux: windows acknowledged for one segment of growth while the curve lies below.
const STANDSTILL: f64 = 100.0;
/// Linux: segments acknowledged for one of growth, at most before the first loss, and at least.
const SLOWEST_UNHURT: f64 = 20.0;
const FASTEST: f64 = 2.0;
/// Linux: how long the same window keeps its growth (`HZ / 32` jiffies).
const KEEPS_CNT_TICKS: u64 = 31;

/// Jiffies, of which Linux has a thousand in a second.
const fn ticks(time: Time) -> u64 {
    time.as_ps() / Span::from_ms(1).as_ps()
}

/// Linux: windows acknowledged for one segment of W_est, in whole eighths and with beta in 1024ths.
fn acked_per_est(beta: f64) -> f64 {
    let beta = libm::round(beta * 1024.0);
    let eighths = libm::floor(8.0 * (1024.0 + beta) / 3.0);
    libm::floor(eighths / (1024.0 - beta).max(1.0)) / 8.0
}

/// How long after the beginning of an epoch RTT samples are ignored.
fn deafness(preset: Preset) -> Span {
    match preset {
        Preset::Linux => Span::from_whole_s(1),
        Preset::Ns3 => Span::from_ms(10),
        Preset::Reference | Preset::Ns2 => Span::ZERO,
    }
}

/// CUBIC.
#[derive(Debug, Clone)]
pub struct Cubic {
    window: Window,
    params: Params,
    preset: Preset,
    hystart: HyStart,
    epoch_state: EpochState,
    /// The same before the last loss.
    before: EpochState,
    /// Segments acknowledged towards the next one of W_est, where it grows by whole ones.
    towards_est: f64,
    /// Segments acknowledged for one of growth (Linux's `cnt`); the window for which that was
    /// computed, and when.
    cnt: f64,
    cnt_in: f64,
    cnt_at: Time,
    min_rtt: MinRtt,
    last_ack: Time,
}

/// What losses have taught, and where that has led: restored if a loss turns out to be none (RFC
/// 9438, 4.9).
#[derive(Debug, Clone, Copy)]
struct EpochState {
    w_max: f64,
    /// Where the curve is flat: W_max, or the window that an epoch above it began with.
    origin: f64,
    k: f64,
    cwnd_prior: f64,
    w_est: f64,
    epoch: Option<Time>,
    /// The next epoch begins at its own maximum.
    fresh: bool,
}

impl Cubic {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// A `c` of zero or less, a `beta` of 1.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        if params.c <= 0.0 {
            return Err(ParamFault::new("c", params.c, "a number above 0"));
        }
        if params.beta.0 >= 1.0 {
            return Err(ParamFault::new(
                "beta",
                params.beta.0,
                "a number above 0 and below 1",
            ));
        }
        let window = Window::new(start, preset);
        let epoch_state = EpochState {
            w_max: 0.0,
            origin: 0.0,
            k: 0.0,
            cwnd_prior: window.cwnd,
            w_est: 0.0,
            epoch: None,
            fresh: true,
        };
        Ok(Self {
            preset,
            hystart: HyStart::new(params.slow_start, preset),
            epoch_state,
            before: epoch_state,
            towards_est: 0.0,
            cnt: FASTEST,
            cnt_in: 0.0,
            cnt_at: Time::ZERO,
            min_rtt: MinRtt::default(),
            last_ack: Time::ZERO,
            window,
            params: params.clone(),
        })
    }

    /// Whether it counts in whole segments, as Linux and ns-3 do.
    fn like_linux(&self) -> bool {
        matches!(self.preset, Preset::Linux | Preset::Ns3)
    }

    fn begin_epoch(&mut self, now: Time) {
        let cwnd = self.window.cwnd;
        self.epoch_state.epoch = Some(now);
        if self.epoch_state.fresh || self.epoch_state.w_max <= cwnd {
            if !self.like_linux() {
                self.epoch_state.w_max = cwnd;
            }
            self.epoch_state.origin = cwnd;
            self.epoch_state.k = 0.0;
        } else {
            self.epoch_state.origin = self.epoch_state.w_max;
            self.epoch_state.k = libm::cbrt((self.epoch_state.w_max - cwnd) / self.params.c);
        }
        self.epoch_state.fresh = false;
        self.epoch_state.w_est = cwnd;
        self.towards_est = 0.0;
    }

    /// W(t), `t` in seconds.
    fn curve(&self, t: f64) -> f64 {
        let d = t - self.epoch_state.k;
        self.params.c * d * d * d + self.epoch_state.origin
    }

    fn avoid(&mut self, ack: &AckSample, segments: f64) {
        if self.preset == Preset::Linux && self.keeps_cnt(ack.now) {
            self.towards_est += segments;
            self.window.one_per(self.cnt, segments);
            return;
        }
        let is_new = self.epoch_state.epoch.is_none();
        if is_new {
            self.begin_epoch(ack.now);
        }
        if self.like_linux() {
            self.avoid_by_count(ack, segments, is_new);
            return;
        }
        let t = self
            .epoch_state
            .epoch
            .map_or(0.0, |epoch| ack.now.since(epoch).as_s());
        let cwnd = self.window.cwnd;
        let target = self.curve(t + ack.srtt.as_s()).clamp(cwnd, 1.5 * cwnd);
        let beta = self.params.beta.0;
        let alpha = if self.epoch_state.w_est >= self.epoch_state.cwnd_prior {
            1.0
        } else {
            3.0 * (1.0 - beta) / (1.0 + beta)
        };
        self.epoch_state.w_est += alpha * segments / cwnd;
        if self.params.reno_friendly && self.curve(t) < self.epoch_state.w_est {
            self.window.cwnd = self.window.cwnd.max(self.epoch_state.w_est);
        } else {
            self.window.cwnd += (target - cwnd) / cwnd * segments;
        }
    }

    /// Whether Linux keeps what it has computed: in the same window, for a while (`bictcp_update`).
    fn keeps_cnt(&self, now: Time) -> bool {
        let is_fresh = ticks(now) <= ticks(self.cnt_at) + KEEPS_CNT_TICKS;
        is_fresh && self.cnt_in == libm::floor(self.window.cwnd)
    }

    /// Segments to be acknowledged for one of growth along the curve.
    fn cnt_of_curve(&self, now: Time, cwnd: f64) -> f64 {
        let t = self
            .epoch_state
            .epoch
            .map_or(0.0, |epoch| now.since(epoch).as_s());
        let ahead = self.curve(t + self.min_rtt.as_s()) - self.epoch_state.origin;
        let target = self.epoch_state.origin + libm::trunc(ahead);
        let cnt = if target > cwnd {
            libm::floor(cwnd / (target - cwnd))
        } else {
            STANDSTILL * cwnd
        };
        if self.epoch_state.w_max == 0.0 {
            cnt.min(SLOWEST_UNHURT)
        } else {
            cnt
        }
    }

    /// Growth as in Linux and ns-3, in whole segments; `is_new` if an epoch begins.
    fn avoid_by_count(&mut self, ack: &AckSample, segments: f64, is_new: bool) {
        let cwnd = libm::floor(self.window.cwnd);
        let is_same_tick = self.preset == Preset::Linux && ticks(ack.now) == ticks(self.cnt_at);
        let mut cnt = if is_same_tick && !is_new {
            self.cnt
        } else {
            self.cnt_in = cwnd;
            self.cnt_at = ack.now;
            self.cnt_of_curve(ack.now, cwnd)
        };
        if self.params.reno_friendly {
            let per_est = libm::floor(cwnd * acked_per_est(self.params.beta.0));
            self.towards_est += segments;
            while self.towards_est > per_est {
                self.towards_est -= per_est;
                self.epoch_state.w_est += 1.0;
            }
            if self.epoch_state.w_est > cwnd {
                cnt = cnt.min(libm::floor(cwnd / (self.epoch_state.w_est - cwnd)));
            }
        }
        let cnt = cnt.max(FASTEST);
        if self.preset == Preset::Ns3 {
            self.window.one_at_most_per(cnt, segments);
        } else {
            self.cnt = cnt;
            self.window.one_per(cnt, segments);
        }
    }

    /// Linux's HyStart: every RTT sample counts while the window is below the threshold, also in
    /// recovery and where something else limits the sender (`cubictcp_acked`).
    fn check_hystart_exit(&mut self, ack: &AckSample) {
        let snd_cwnd = (ack.window / u64::from(self.window.mss())) as f64;
        if snd_cwnd >= self.window.ssthresh || ack.rtt.is_none() {
            return;
        }
        let growth = self
            .hystart
            .on_ack(ack, snd_cwnd, &self.window, self.min_rtt.get());
        if growth == Growth::Exit {
            self.window.ssthresh = snd_cwnd;
            if ack.state == State::Recovery {
                self.window.cwnd = snd_cwnd;
            }
        }
    }

    /// Takes time out of the epoch that does not count.
    fn pause(&mut self, time: Span) {
        if let Some(epoch) = &mut self.epoch_state.epoch {
            *epoch += time;
        }
    }

    /// Sets what a loss teaches.
    fn learn(&mut self) {
        let whole = |segments: f64| match self.preset {
            Preset::Linux | Preset::Ns3 => libm::floor(segments),
            Preset::Reference | Preset::Ns2 => segments,
        };
        let cwnd = whole(self.window.cwnd);
        self.epoch_state.cwnd_prior = cwnd;
        self.epoch_state.w_max = if self.params.fast_convergence && cwnd < self.epoch_state.w_max {
            whole(cwnd * (1.0 + self.params.beta.0) / 2.0)
        } else {
            cwnd
        };
        self.epoch_state.epoch = None;
    }

    /// Begins again, as Linux and ns-3 do at every timeout, whether it reduces the window or not.
    fn forget(&mut self) {
        self.epoch_state.w_max = 0.0;
        self.min_rtt = MinRtt::default();
        self.epoch_state.epoch = None;
        self.cnt_in = 0.0;
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, ack: &AckSample) {
        let since_epoch = self.epoch_state.epoch.map(|epoch| ack.now.since(epoch));
        let is_deaf = since_epoch.is_some_and(|since| since < deafness(self.preset));
        if let Some(rtt) = ack.rtt
            && !is_deaf
        {
            self.min_rtt.sample(rtt);
        }
        if self.hystart.is_linux() && !is_deaf {
            self.check_hystart_exit(ack);
        }
        let since = core::mem::replace(&mut self.last_ack, ack.now);
        if !ack.may_grow {
            if !self.like_linux() {
                self.pause(ack.now.since(since));
            }
            return;
        }
        let mut segments = self.window.acked(ack);
        if self.window.in_slow_start() {
            if self.hystart.counts_all(ack) {
                segments = self.window.segments(ack.acked);
            }
            let growth = if is_deaf || self.hystart.is_linux() {
                Growth::Times(1.0)
            } else {
                let cwnd = self.window.cwnd;
                self.hystart
                    .on_ack(ack, cwnd, &self.window, self.min_rtt.get())
            };
            match growth {
                // Past the threshold too, and all of the acknowledgement.
                Growth::Times(part) if self.preset == Preset::Ns3 => {
                    self.window.cwnd += part * segments;
                    return;
                }
                Growth::Times(part) => segments = self.window.slow_start(part * segments) / part,
                Growth::Exit => {
                    self.window.ssthresh = self.window.cwnd;
                    self.epoch_state.cwnd_prior = self.window.cwnd;
                    self.epoch_state.fresh = true;
                }
            }
        }
        if segments > 0.0 && !self.window.in_slow_start() {
            self.avoid(ack, segments);
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        let is_timeout = event.kind == LossKind::Timeout;
        self.hystart.on_congestion(event);
        if !event.again {
            self.before = self.epoch_state;
            self.learn();
            self.epoch_state.fresh = is_timeout;
        }
        let beta = self.params.beta.0;
        let goal = if self.like_linux() {
            libm::floor(beta * libm::floor(self.window.cwnd))
        } else {
            beta * self.window.flight(event)
        };
        self.window.reduce(event, goal);
        if is_timeout && self.like_linux() {
            self.forget();
        }
    }

    fn on_tx_start(&mut self, now: Time, idle: Span, _app_limited: bool) {
        let since = core::mem::replace(&mut self.last_ack, now);
        match self.preset {
            Preset::Reference | Preset::Ns2 => self.pause(now.since(since)),
            Preset::Linux => self.pause(idle),
            Preset::Ns3 => {}
        }
    }

    fn on_undo(&mut self, _now: Time) {
        if !self.like_linux() && self.window.cwnd < self.epoch_state.cwnd_prior {
            self.epoch_state = self.before;
        }
        self.window.undo();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("w_max", self.epoch_state.w_max);
        show("k", self.epoch_state.k);
        show("w_est", self.epoch_state.w_est);
    }

    window_hooks!(but on_undo);
}
