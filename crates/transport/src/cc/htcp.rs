//! H-TCP: growth depends on the time since the last congestion; a reduction just empties the queue.
//!
//! D. Leith, R. Shorten, "H-TCP: TCP for high-speed and long-distance networks", PFLDnet 2004. Let
//! t be the time since the last congestion ended. f is 1 for the first second and
//! then 1 + 10 (t - 1) + ((t - 1) / 2)^2. The window grows by alpha = 2 (1 - beta) f segments per
//! round trip. A loss leaves the part beta = RTTmin / RTTmax of the window, limited to between 0.5
//! and 0.8; beta is 0.5 if throughput has changed by more than a fifth since the previous loss. At
//! every loss RTTmax decreases by a twentieth of its distance to RTTmin.
//!
//! **Reference**: the paper's text as above; after a timeout the threshold is half the flight.
//! Throughput is measured per round trip and smoothed by a quarter.
//!
//! **Linux**:
//!
//! - f is in proportion to RTTmin (`rtt_scaling`): it is divided by 100 ms / RTTmin, a quotient
//!   that is limited to between 0.5 and 10. The resulting f is at least 1.
//! - beta adapts only from the second loss on at which throughput is found unchanged, and only if
//!   RTTmin exceeds 10 ms. It also applies to a timeout.
//! - RTTmax ignores samples more than 20 ms above it, and all samples while losses are being
//!   repaired, marks are being answered or segments arrive out of order.
//! - The acknowledgement that adds a segment is not itself counted, nor is what slow start leaves
//!   of an acknowledgement. What was acknowledged beyond a segment of growth is discarded. The
//!   acknowledgement that ends recovery counts for one segment.
//! - alpha is computed when the window grows or a loss is found, before t is reset, with time in
//!   whole milliseconds (HZ 1000) and f as a whole number.
//! - A loss that turns out to be spurious restores t, RTTmax and the previous throughput.
//! - Throughput is measured as in the reference.
//!
//! **ns-3** (`TcpHtcp`):
//!
//! - Each acknowledgement adds alpha bytes, with alpha at least 1, to Reno's growth for one
//!   acknowledgement.
//! - Throughput is that since the previous loss, in whole bytes per second.
//! - A loss or a timeout leaves RTTmin / RTTmax of that time, without limits, if throughput has
//!   risen since the previous loss but has not doubled, and otherwise a half. This condition is the
//!   effect of an integer division in the test for a fifth.
//! - There is no scaling.

use sojourn_base::{ParamFault, Preset, Span, Time, params};

use crate::cc::parts::{InOrder, Rounds, Window};
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Start};
use crate::sender::State;
use crate::window_hooks;

params! {
    /// Parameters of H-TCP.
    pub struct Params {
        /// How long growth remains Reno's after congestion.
        delta_l: Span = "1 s";
        /// Whether beta adapts to the queue.
        adaptive_backoff: bool = "true";
        /// Whether growth is in proportion to the RTT, with 100 ms as the unit.
        rtt_scaling: bool = "false", Linux = "true";
    }
}

/// H-TCP.
#[derive(Debug, Clone)]
pub struct Htcp {
    window: Window,
    params: Params,
    preset: Preset,
    since: Option<Time>,
    beta: f64,
    min_rtt: f64,
    max_rtt: f64,
    rounds: Rounds,
    round_start: Time,
    round_bytes: u64,
    throughput: f64,
    best: f64,
    best_before: f64,
    /// Losses; under Linux since throughput changed.
    events: u32,
    /// No loss was being repaired, no mark answered and nothing out of order after the last
    /// acknowledgement; under Linux only.
    was_open: bool,
    /// As it was computed when the window last changed; under Linux only.
    alpha: f64,
    /// What a loss that turns out to be none gives back; under Linux only.
    before: Option<Before>,
    /// Bytes acknowledged since the last loss; under ns-3 only, as what follows.
    bytes: f64,
    in_order: InOrder,
    /// Whether losses were being repaired at the last acknowledgement.
    recovers: bool,
}

/// What Linux remembers at a loss (`htcp_reset`): since when there was none, and by then adapted,
/// the largest RTT and the best throughput.
#[derive(Debug, Clone, Copy)]
struct Before {
    since: Option<Time>,
    max_rtt: f64,
    best: f64,
}

/// Linux's clock.
const TICK: Span = Span::from_ms(1);
const BETA_MIN: f64 = 0.5;
const BETA_MAX: f64 = 0.8;

impl Htcp {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// None.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        Ok(Self {
            window: Window::new(start, preset),
            params: params.clone(),
            preset,
            since: None,
            beta: BETA_MIN,
            min_rtt: 0.0,
            max_rtt: 0.0,
            rounds: Rounds::default(),
            round_start: Time::ZERO,
            round_bytes: 0,
            throughput: 0.0,
            best: 0.0,
            best_before: 0.0,
            events: 0,
            bytes: 0.0,
            was_open: true,
            alpha: 1.0,
            before: None,
            in_order: InOrder::default(),
            recovers: false,
        })
    }

    /// Segments that a round trip adds `t` seconds after congestion.
    fn growth(&self, t: f64) -> f64 {
        let late = t - self.params.delta_l.as_s();
        let mut f = if late <= 0.0 {
            1.0
        } else {
            1.0 + 10.0 * late + 0.25 * late * late
        };
        if self.params.rtt_scaling && self.min_rtt > 0.0 {
            f = (f / (0.1 / self.min_rtt).clamp(0.5, 10.0)).max(1.0);
        }
        2.0 * (1.0 - self.beta) * f
    }

    /// `htcp_alpha_update`: times in whole milliseconds, f and its share whole, beta in parts
    /// of 128.
    fn alpha_like_linux(&self, since: Span) -> f64 {
        let ms = |s: f64| (libm::ceil(s * 1e3 - 1e-6) as u64).max(1);
        let late = (since - self.params.delta_l).as_ps() / TICK.as_ps();
        let mut f = 1 + (10 * late + (late / 2).pow(2) / 1000) / 1000;
        if self.params.rtt_scaling && self.min_rtt > 0.0 {
            let eighths = (8_000 / (10 * ms(self.min_rtt))).clamp(4, 80);
            f = (8 * f / eighths).max(1);
        }
        let beta = libm::floor(128.0 * self.beta) / 128.0;
        2.0 * f as f64 * (1.0 - beta)
    }

    /// `TcpHtcp::CongestionAvoidance`.
    fn grow_like_ns3(&mut self, now: Time, segments: f64) {
        if segments < 1.0 {
            return;
        }
        let since = now.since(self.since.unwrap_or(Time::ZERO)).as_s();
        let (mss, cwnd) = (
            f64::from(self.window.mss()),
            self.window.cwnd_bytes() as f64,
        );
        let bytes = libm::floor(mss * mss / cwnd + self.growth(since).max(1.0));
        self.window.cwnd = (cwnd + bytes) / mss;
    }

    /// `TcpHtcp::PktsAcked`.
    fn measure_like_ns3(&mut self, ack: &AckSample) {
        // Neither duplicates nor what ends a recovery.
        let recovers = core::mem::replace(&mut self.recovers, ack.state != State::Open);
        let is_new = self.in_order.moved(ack.snd_una) > 0;
        if ack.state == State::Open && !recovers && is_new {
            self.bytes += ack.acked as f64;
        }
        let since = ack.now.since(self.since.unwrap_or(Time::ZERO)).as_s();
        if since > 0.0 {
            self.throughput = libm::floor(self.bytes / since);
        }
        if let Some(rtt) = ack.rtt.map(Span::as_s) {
            if self.min_rtt == 0.0 || rtt < self.min_rtt {
                self.min_rtt = rtt;
            }
            self.max_rtt = self.max_rtt.max(rtt);
        }
    }

    /// `TcpHtcp::GetSsThresh`.
    fn adapt_like_ns3(&mut self) {
        let (now, before) = (self.throughput, self.best_before);
        let has_risen = before > 0.0 && now > before && now < 2.0 * before;
        self.beta = if self.params.adaptive_backoff && has_risen {
            self.min_rtt / self.max_rtt
        } else {
            BETA_MIN
        };
        self.best_before = now;
        self.throughput = 0.0;
        self.bytes = 0.0;
        self.min_rtt = 0.0;
        self.max_rtt = 0.0;
    }

    fn measure(&mut self, ack: &AckSample) {
        if let Some(rtt) = ack.rtt.map(Span::as_s) {
            if self.min_rtt == 0.0 || rtt < self.min_rtt {
                self.min_rtt = rtt;
            }
            let is_told = self.preset != Preset::Linux
                || self.was_open && (self.max_rtt == 0.0 || rtt <= self.max_rtt + 0.02);
            if rtt > self.max_rtt && is_told {
                self.max_rtt = rtt;
            }
        }
        self.round_bytes += ack.acked;
        if self.rounds.ended(ack.snd_una, ack.snd_nxt) {
            let gone = ack.now.since(self.round_start).as_s();
            if gone > 0.0 && self.round_start > Time::ZERO {
                let rate = self.round_bytes as f64 / gone;
                self.throughput = if self.throughput == 0.0 {
                    rate
                } else {
                    0.75 * self.throughput + 0.25 * rate
                };
                self.best = self.best.max(self.throughput);
            }
            self.round_start = ack.now;
            self.round_bytes = 0;
        }
    }

    fn adapt(&mut self) {
        self.events += 1;
        let changed = (self.best - self.best_before).abs() > 0.2 * self.best_before;
        self.best_before = self.best;
        self.best = 0.0;
        if changed && self.preset == Preset::Linux {
            self.events = 0;
        }
        let known = self.events > 1 && (self.preset != Preset::Linux || self.min_rtt > 0.01);
        self.beta = if self.params.adaptive_backoff && known && !changed && self.max_rtt > 0.0 {
            (self.min_rtt / self.max_rtt).clamp(BETA_MIN, BETA_MAX)
        } else {
            BETA_MIN
        };
        self.max_rtt = self.min_rtt + 0.95 * (self.max_rtt - self.min_rtt);
    }
}

impl CongestionControl for Htcp {
    fn on_ack(&mut self, ack: &AckSample) {
        if self.preset == Preset::Ns3 {
            self.measure_like_ns3(ack);
            let segments = self.window.past_slow_start(ack);
            self.grow_like_ns3(ack.now, segments);
            return;
        }
        self.measure(ack);
        let was_open = core::mem::replace(&mut self.was_open, ack.is_open());
        let segments = self.window.past_slow_start_alone(ack);
        if segments <= 0.0 {
            return;
        }
        let since = ack.now.since(*self.since.get_or_insert(ack.now));
        if self.preset == Preset::Linux {
            // `pkts_acked` is not told before the state is open, and is one till then.
            let segments = if was_open { segments } else { 1.0 };
            if self
                .window
                .had_counted(self.window.cwnd / self.alpha, segments)
            {
                self.window.cwnd += 1.0;
                self.alpha = self.alpha_like_linux(since);
            }
        } else {
            self.window.additive(segments, self.growth(since.as_s()));
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        let is_peer = matches!(self.preset, Preset::Linux | Preset::Ns3);
        if !event.again {
            if self.preset == Preset::Ns3 {
                self.adapt_like_ns3();
            } else {
                self.adapt();
            }
        }
        let since = event.now.since(self.since.unwrap_or(event.now));
        self.alpha = self.alpha_like_linux(since);
        if self.preset == Preset::Linux {
            self.before = Some(Before {
                since: self.since,
                max_rtt: self.max_rtt,
                best: self.best_before,
            });
        }
        self.since = Some(event.now);
        self.was_open = false;
        let flight = self.window.flight(event);
        let left = if event.kind == LossKind::Timeout && !is_peer {
            BETA_MIN
        } else {
            self.beta
        };
        self.window.reduce(event, left * flight);
    }

    fn on_recovery_exit(&mut self, now: Time) {
        let begins = match self.preset {
            Preset::Linux => self.before.take().is_some(),
            Preset::Ns3 => false,
            Preset::Reference | Preset::Ns2 => true,
        };
        if begins {
            self.since = Some(now);
        }
    }

    fn on_undo(&mut self, _now: Time) {
        if let Some(before) = self.before.take() {
            self.since = before.since;
            self.max_rtt = before.max_rtt;
            self.best_before = before.best;
        }
        self.window.undo();
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("beta", self.beta);
    }

    window_hooks!(but on_undo);
}
