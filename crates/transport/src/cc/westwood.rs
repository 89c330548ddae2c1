//! Westwood+: after a loss the window is set to what the path carries.
//!
//! S. Mascolo, L. A. Grieco, et al., "Performance evaluation of Westwood+ TCP congestion control",
//! Performance Evaluation 55, 2004. Once per round trip, and at most every 50 ms, the bytes
//! delivered divided by the time they took give a bandwidth sample. Samples pass through two
//! low-pass filters of 7/8 in series. A loss sets ssthresh = max(2, bandwidth x least RTT), which
//! just empties the queue, and the window becomes no larger than that. A timeout sets the window to
//! one segment. Growth is Reno's.
//!
//! **Reference**: the filter of Linux and the paper's response to a loss.
//!
//! **Linux**:
//!
//! - During recovery ssthresh is half, as in Reno. When recovery ends, the window is set from the
//!   estimate, even if there is none yet, which leaves two segments.
//! - A timeout discards the least RTT, which is then measured again.
//! - The clock ticks every millisecond (HZ 1000). An RTT is rounded up to a tick. Bandwidth is in
//!   whole bytes per tick, rounded down by each filter.
//!
//! **ns-3**:
//!
//! - Tustin's filter, 0.9 b + 0.1 (sample + previous sample) / 2, every round trip.
//! - The window is set to the threshold, even if that is larger.
//! - A sample is what is acknowledged within a smoothed RTT, from one acknowledgement on
//!   (inclusive), divided by that RTT. This is a tenth too much if there are ten acknowledgements
//!   in a round trip.
//!
//! **ns-2**: has no Westwood+; its preset is the reference.

use sojourn_base::{ParamFault, Preset, Span, Time, params};

use crate::cc::parts::window::LEAST;
use crate::cc::parts::{MinRtt, Window};
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Start};
use crate::window_hooks;

params! {
    /// Parameters of Westwood+.
    pub struct Params {
        /// Shortest time over which a bandwidth sample is taken.
        least_interval: Span = "50 ms", Ns3 = "0 s";
    }
}

/// Linux's clock.
const TICK: Span = Span::from_ms(1);

fn ticks(time: Span) -> u64 {
    time.as_ps() / TICK.as_ps()
}

/// Westwood+.
#[derive(Debug, Clone)]
pub struct Westwood {
    window: Window,
    preset: Preset,
    least_interval: Span,
    min_rtt: MinRtt,
    since: Option<Time>,
    delivered: u64,
    /// After the first filter, and after both, bytes per second; under Linux bytes a tick.
    filtered: f64,
    bandwidth: f64,
    last_sample: f64,
    /// The last RTT; under Linux only.
    rtt: Span,
    /// When ns-3 takes its next sample, and over how long.
    due: Option<(Time, Span)>,
}

impl Westwood {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// None.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        Ok(Self {
            window: Window::new(start, preset),
            preset,
            least_interval: params.least_interval,
            min_rtt: MinRtt::default(),
            since: None,
            delivered: 0,
            filtered: 0.0,
            bandwidth: 0.0,
            last_sample: 0.0,
            rtt: Span::ZERO,
            due: None,
        })
    }

    fn sample(&mut self, rate: f64) {
        if self.preset == Preset::Ns3 {
            self.bandwidth = 0.9 * self.bandwidth + 0.05 * (rate + self.last_sample);
        } else if self.bandwidth == 0.0 {
            self.filtered = rate;
            self.bandwidth = rate;
        } else {
            let whole = |estimate| match self.preset {
                Preset::Linux => libm::floor(estimate),
                _ => estimate,
            };
            self.filtered = whole(0.875 * self.filtered + 0.125 * rate);
            self.bandwidth = whole(0.875 * self.bandwidth + 0.125 * self.filtered);
        }
        self.last_sample = rate;
    }

    fn note_least(&mut self, ack: &AckSample) {
        if let Some(rtt) = ack.rtt {
            self.min_rtt.sample(rtt);
        }
    }

    fn measure(&mut self, ack: &AckSample) {
        self.note_least(ack);
        self.delivered += ack.acked;
        match self.since {
            None => {
                self.since = Some(ack.now);
                self.delivered = 0;
            }
            Some(since) => {
                let gone = ack.now.since(since);
                if gone > self.least_interval.max(ack.srtt) {
                    self.sample(self.delivered as f64 / gone.as_s());
                    self.since = Some(ack.now);
                    self.delivered = 0;
                }
            }
        }
    }

    /// `tcp_westwood_ack`, and `tcp_westwood_pkts_acked`, which comes behind it.
    fn measure_like_linux(&mut self, ack: &AckSample) {
        let now = Time::from_ps(ack.now.as_ps() / TICK.as_ps() * TICK.as_ps());
        let gone = now.since(*self.since.get_or_insert(now));
        if self.rtt > Span::ZERO && gone > self.least_interval.max(self.rtt) {
            self.sample((self.delivered / ticks(gone)) as f64);
            self.since = Some(now);
            self.delivered = 0;
        }
        self.delivered += ack.acked;
        self.min_rtt.sample(self.rtt);
        if let Some(rtt) = ack.rtt {
            self.rtt = Span::from_ps(rtt.as_ps().next_multiple_of(TICK.as_ps()));
        }
    }

    /// `TcpWestwood::PktsAcked`.
    fn measure_like_ns3(&mut self, ack: &AckSample) {
        self.note_least(ack);
        self.take_due(ack.now);
        self.delivered += ack.acked;
        if self.due.is_none() && ack.srtt > Span::ZERO {
            self.due = Some((ack.now + ack.srtt, ack.srtt));
        }
    }

    fn take_due(&mut self, now: Time) {
        if let Some((_, over)) = self.due.take_if(|(at, _)| *at <= now) {
            self.sample(self.delivered as f64 / over.as_s());
            self.delivered = 0;
        }
    }

    /// Bandwidth times least RTT, in segments.
    fn pipe(&self) -> f64 {
        let time = match self.preset {
            Preset::Linux => ticks(self.min_rtt.get()) as f64,
            _ => self.min_rtt.as_s(),
        };
        (self.bandwidth * time / f64::from(self.window.mss())).max(LEAST)
    }
}

impl CongestionControl for Westwood {
    fn on_handshake(&mut self, _now: Time, rtt: Span) {
        if self.preset == Preset::Ns3 {
            self.min_rtt.sample(rtt);
        }
    }

    fn on_ack(&mut self, ack: &AckSample) {
        if self.preset == Preset::Linux {
            self.measure_like_linux(ack);
        } else if self.preset == Preset::Ns3 {
            self.measure_like_ns3(ack);
        } else {
            self.measure(ack);
        }
        self.window.grow_reno(ack.acked, ack.may_grow);
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        self.take_due(event.now);
        let halves = match self.preset {
            Preset::Linux => event.kind != LossKind::Timeout,
            Preset::Ns3 => false,
            _ => self.bandwidth == 0.0,
        };
        if halves {
            self.window.halve(event);
        } else {
            let cwnd = self.window.cwnd;
            self.window.reduce(event, self.pipe());
            if self.preset != Preset::Ns3 {
                self.window.cwnd = self.window.cwnd.min(cwnd);
            }
        }
        if event.kind == LossKind::Timeout && self.preset == Preset::Linux {
            self.min_rtt = MinRtt::default();
        }
    }

    fn on_recovery_exit(&mut self, _now: Time) {
        if self.preset == Preset::Linux {
            self.window.ssthresh = libm::floor(self.pipe());
            self.window.cwnd = self.window.ssthresh;
        }
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        let per_s = match self.preset {
            Preset::Linux => 1.0 / TICK.as_s(),
            _ => 1.0,
        };
        show("bandwidth_bps", 8.0 * self.bandwidth * per_s);
    }

    window_hooks!();
}
