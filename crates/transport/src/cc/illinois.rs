//! Illinois: loss signals congestion; the queueing delay determines growth and reduction.
//!
//! S. Liu, T. Basar, R. Srikant, "TCP-Illinois: A Loss and Delay-Based Congestion Control Algorithm
//! for High-Speed Networks", VALUETOOLS 2006. The window grows by alpha segments per round trip,
//! and a loss takes away the part beta of the window. Both are computed once per round trip from
//! d_a, the mean queueing delay, and d_m, the largest:
//!
//! - alpha is 10 while d_a <= d_m / 100; once d_a was above that, only after 5 such rounds.
//!   Otherwise alpha falls along a hyperbola, to 0.3 at d_m.
//! - beta rises from 1/8 at d_m / 10 to 1/2 at 0.8 d_m.
//! - Below 15 segments, and from a timeout to the end of that round trip, alpha is 1 and beta 1/2.
//!
//! Delays are in whole microseconds.
//!
//! **Linux**: the same numbers.
//!
//! - Data counts when it is acknowledged in order, so that the end of recovery counts for all data
//!   that SACK reported during it.
//! - What is acknowledged beyond a segment of growth is discarded, and so is what slow start leaves
//!   of an acknowledgement.
//! - Linux's fixed-point arithmetic is not modelled.
//!
//! **ns-3** (`TcpIllinois`):
//!
//! - Delays are in whole milliseconds.
//! - An acknowledgement of n segments counts for n alpha, rounded down, so that with alpha below
//!   1/2 the window does not grow where every other segment is acknowledged.
//! - A loss leaves a whole number of segments.
//! - `WinThresh` is compared with bytes, so that alpha and beta apply to the smallest windows too.

use sojourn_base::{ParamFault, Preset, Span, params};

use crate::cc::parts::{InOrder, MinRtt, RoundRtt, Rounds, Window};
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Start};
use crate::window_hooks;

params! {
    /// Parameters of Illinois.
    pub struct Params {
        /// Largest number of segments that a round trip adds.
        alpha_max: f64 = "10";
        /// Smallest number of segments that a round trip adds.
        alpha_min: f64 = "0.3";
        /// Smallest part of the window that a loss takes away.
        beta_min: f64 = "0.125";
        /// Largest part of the window that a loss takes away.
        beta_max: f64 = "0.5";
        /// Below this number of segments it behaves as Reno.
        win_thresh: f64 = "15";
        /// Number of rounds of low delay after which growth is the largest again.
        theta: u32 = "5";
    }
}

/// Illinois.
#[derive(Debug, Clone)]
pub struct Illinois {
    window: Window,
    params: Params,
    preset: Preset,
    base: MinRtt,
    longest: Span,
    round: RoundRtt,
    rounds: Rounds,
    alpha: f64,
    beta: f64,
    was_above: bool,
    low_rounds: u32,
    in_order: InOrder,
}

impl Illinois {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// A least value that is not above zero or exceeds its largest; a `beta_max` of 1 or more.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        if params.alpha_min <= 0.0 || params.alpha_min > params.alpha_max {
            let allowed = "a number above 0, up to alpha_max";
            return Err(ParamFault::new("alpha_min", params.alpha_min, allowed));
        }
        if params.beta_min <= 0.0 || params.beta_min > params.beta_max || params.beta_max >= 1.0 {
            let allowed = "a number above 0, up to beta_max, which is below 1";
            return Err(ParamFault::new("beta_min", params.beta_min, allowed));
        }
        Ok(Self {
            window: Window::new(start, preset),
            alpha: params.alpha_max,
            beta: params.beta_max,
            params: params.clone(),
            preset,
            base: MinRtt::default(),
            longest: Span::ZERO,
            round: RoundRtt::default(),
            rounds: Rounds::default(),
            was_above: false,
            low_rounds: 0,
            in_order: InOrder::default(),
        })
    }

    /// The end of a round trip: the numbers for the next.
    fn adapt(&mut self) {
        if self.window.cwnd < self.params.win_thresh && self.preset != Preset::Ns3 {
            self.alpha = 1.0;
            self.beta = self.params.beta_max;
            return;
        }
        let base = self.base.get();
        let unit = Span::from_us(if self.preset == Preset::Ns3 { 1000 } else { 1 });
        let [mean, most] = [self.round.mean(), self.longest]
            .map(|rtt| ((rtt - base).as_ps() / unit.as_ps()) as f64);
        self.alpha = self.growth(mean, most);
        self.beta = self.reduction(mean, most);
    }

    fn growth(&mut self, mean: f64, most: f64) -> f64 {
        let low = most / 100.0;
        if mean <= low {
            if !self.was_above {
                return self.params.alpha_max;
            }
            self.low_rounds += 1;
            if self.low_rounds < self.params.theta {
                return self.alpha;
            }
            self.low_rounds = 0;
            self.was_above = false;
            return self.params.alpha_max;
        }
        self.was_above = true;
        let (top, least) = (self.params.alpha_max, self.params.alpha_min);
        let range = most - low;
        top * range / (range + (mean - low) * (top - least) / least)
    }

    fn reduction(&self, mean: f64, most: f64) -> f64 {
        let (low, high) = (0.1 * most, 0.8 * most);
        let (least, top) = (self.params.beta_min, self.params.beta_max);
        if mean <= low {
            least
        } else if mean >= high {
            top
        } else {
            least + (top - least) * (mean - low) / (high - low)
        }
    }
}

impl CongestionControl for Illinois {
    fn on_ack(&mut self, ack: &AckSample) {
        if let Some(rtt) = ack.rtt {
            self.base.sample(rtt);
            self.longest = self.longest.max(rtt);
            self.round.sample(rtt);
        }
        let ended = if self.preset == Preset::Ns3 {
            self.rounds.reached(ack.snd_una, ack.snd_nxt)
        } else {
            self.rounds.ended(ack.snd_una, ack.snd_nxt)
        };
        if ended {
            if self.round.count > 0 {
                self.adapt();
            }
            self.round = RoundRtt::default();
        }
        let in_order = self.in_order.moved(ack.snd_una);
        let segments = self.window.past_slow_start_alone(ack);
        if segments > 0.0 {
            match self.preset {
                Preset::Linux => self.window.some_per(
                    self.window.cwnd / self.alpha,
                    self.window.segments(in_order),
                ),
                Preset::Ns3 => self.window.count_windows(segments * self.alpha),
                _ => self.window.additive(segments, self.alpha),
            }
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        let flight = self.window.flight(event);
        self.window.reduce_by(event, flight, self.beta);
        if event.kind == LossKind::Timeout {
            self.alpha = 1.0;
            self.beta = self.params.beta_max;
            self.low_rounds = 0;
            self.was_above = false;
            self.round = RoundRtt {
                min: Span::ZERO,
                ..RoundRtt::default()
            };
        }
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("alpha", self.alpha);
        show("beta", self.beta);
    }

    window_hooks!();
}
