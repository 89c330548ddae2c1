//! Vegas: keeps between alpha and beta segments of its own in the queue.
//!
//! L. Brakmo, L. Peterson, "TCP Vegas: End to End Congestion Avoidance on a Global Internet", IEEE
//! JSAC 13(8), 1995. Once per round trip it computes diff = W (1 - BaseRTT / RTT). If diff is below
//! alpha the window grows by one segment; if diff is above beta the window shrinks by one. Slow
//! start doubles the window every other round trip. It ends when diff exceeds gamma, and the window
//! is then reduced by an eighth. A loss found by duplicate acknowledgements leaves three quarters
//! of the window. Left out everywhere: the paper's retransmission on the first duplicate by a
//! fine-grained timer.
//!
//! **Reference**: alpha 2, beta 4, gamma 1, and RTT is the mean of the round.
//!
//! **Linux** and **ns-3**:
//!
//! - alpha 2, beta 4, gamma 1, which is also the paper's second setting. RTT is the least of the
//!   round.
//! - Slow start doubles the window every round trip, and ends at one more than W BaseRTT / RTT
//!   rounded down.
//! - In a round with fewer than three samples the window grows as Reno's does.
//! - Each adjustment raises the threshold to three quarters of the window.
//!
//! **Linux** only:
//!
//! - diff is W (RTT - BaseRTT) / BaseRTT, rounded down, so that the window shrinks from a diff of 5
//!   on and slow start ends from 2 on.
//! - A loss halves the window.
//! - While losses are being repaired, marks are being answered or segments arrive out of order, the
//!   window grows as Reno's does and the measurements are discarded.
//! - BaseRTT is discarded when nothing is in flight, after idle time or a timeout.
//!
//! **ns-3** only:
//!
//! - diff is rounded up, so that the window still grows at a diff of 1.
//! - A new round trip begins when a recovery ends.
//! - A loss or a timeout reduces the threshold to one segment less than the window, unless it is
//!   already lower. From congestion avoidance this leaves between three quarters of the window and
//!   all but one segment.
//!
//! **ns-2** (`Agent/TCP/Vegas`):
//!
//! - alpha 1, beta 3, gamma 1, and RTT is the mean of the round, without the acknowledgement that
//!   ends it. diff is the segments outstanding, with the next, less those sent in the round times
//!   base over RTT, rounded to the nearest whole number.
//! - The verdict of a round holds until the next: each acknowledgement grows the window by its
//!   share, but only while that is at most two segments above what is outstanding. A window that is
//!   not used does not grow.
//! - After a handshake it begins with one segment; the initial window takes its place when that is
//!   acknowledged. Slow start grows in every second round trip; the first, of the SYN, is none.
//! - A round in which at most one segment was sent makes its RTT the base.
//! - Each segment is timed, except the SYN.
//! - The reduction after a loss is rounded down. A timeout leaves two segments.
//! - Echoes of marks do not hold up growth. (Its own packets are never ECN-capable in ns-2, an
//!   oversight that is not followed here.)
//! - Not modelled: its own timer, by which the first duplicate acknowledgement, or one of the two
//!   acknowledgements after a loss, sends a late segment again; recovery that ends with any
//!   acknowledgement of new data; a loss changes nothing if the window was changed since the
//!   segment was sent, and halves the window if the segment was sent twice; packets have no header;
//!   two duplicate acknowledgements send nothing.

mod ns2;

use sojourn_base::{ParamFault, Preset, Span, Time, params};

use crate::cc::parts::window::LEAST;
use crate::cc::parts::{MinRtt, RoundRtt, Rounds, Window};
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Start};
use crate::sender::State;
use crate::window_hooks;

params! {
    /// Parameters of Vegas.
    pub struct Params {
        /// The window grows while fewer segments than this are in the queue.
        alpha: f64 = "2", Ns2 = "1";
        /// The window shrinks while more segments than this are in the queue.
        beta: f64 = "4", Ns2 = "3";
        /// Slow start ends when more segments than this are in the queue.
        gamma: f64 = "1";
    }
}

/// Vegas.
#[derive(Debug, Clone)]
pub struct Vegas {
    window: Window,
    params: Params,
    preset: Preset,
    base: MinRtt,
    round: RoundRtt,
    rounds: Rounds,
    /// Slow start grows in this round trip.
    grows: bool,
    /// Losses are repaired or marks answered, where that suspends it (Linux).
    is_suspended: bool,
    ns2: ns2::Growth,
}

impl Vegas {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// A negative threshold, or `beta` below `alpha`.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        if params.alpha < 0.0 {
            return Err(ParamFault::new("alpha", params.alpha, "0 or more"));
        }
        if params.beta < params.alpha {
            return Err(ParamFault::new("beta", params.beta, "alpha or more"));
        }
        Ok(Self {
            window: Window::new(start, preset),
            params: params.clone(),
            preset,
            base: MinRtt::default(),
            round: RoundRtt::default(),
            rounds: Rounds::default(),
            grows: true,
            is_suspended: false,
            ns2: ns2::Growth::default(),
        })
    }

    fn slow_start(&mut self, acked: u64) {
        let counted = self.window.counted(acked);
        self.window.slow_start(counted);
    }

    /// The end of a round trip, by an acknowledgement of so many bytes.
    fn adjust(&mut self, acked: u64) {
        match self.preset {
            Preset::Linux => self.adjust_like_linux(acked),
            Preset::Reference | Preset::Ns2 | Preset::Ns3 => self.adjust_by_mean(acked),
        }
    }

    fn adjust_by_mean(&mut self, acked: u64) {
        let rtt = self.round.mean().as_s();
        let cwnd = self.window.cwnd;
        let diff = cwnd * (rtt - self.base.as_s()) / rtt;
        if self.window.in_slow_start() {
            if diff > self.params.gamma {
                self.window.cwnd = (cwnd - cwnd / 8.0).max(LEAST);
                self.end_slow_start();
            } else if self.grows {
                self.slow_start(acked);
            }
            self.grows = !self.grows;
        } else if diff < self.params.alpha {
            self.window.cwnd += 1.0;
        } else if diff > self.params.beta {
            self.window.cwnd = (cwnd - 1.0).max(LEAST);
            self.end_slow_start();
        }
    }

    /// `tcp_vegas_cong_avoid`.
    fn adjust_like_linux(&mut self, acked: u64) {
        let (rtt, base) = (self.round.min.as_s(), self.base.as_s());
        let cwnd = self.window.cwnd;
        let diff = libm::floor(cwnd * (rtt - base) / base);
        if self.window.in_slow_start() {
            if diff > self.params.gamma {
                self.window.cwnd = cwnd.min(libm::floor(cwnd * base / rtt) + 1.0).max(LEAST);
                self.window.ssthresh = self.window.ssthresh.min(self.window.cwnd);
            } else {
                self.slow_start(acked);
            }
        } else if diff > self.params.beta {
            self.window.cwnd = (cwnd - 1.0).max(LEAST);
            self.window.ssthresh = self.window.ssthresh.min(self.window.cwnd);
        } else if diff < self.params.alpha {
            self.window.cwnd += 1.0;
        }
        self.lift_threshold();
    }

    /// `TcpVegas::IncreaseWindow`: after a timeout as Reno, until losses are repaired.
    fn grow_like_ns3(&mut self, ack: &AckSample) {
        if self.rounds.begin_anew(ack) {
            self.round = RoundRtt::default();
        }
        if !ack.may_grow {
            return;
        }
        if ack.state == State::Loss {
            self.window.grow_reno(ack.acked, true);
        } else if self.rounds.reached(ack.snd_una, ack.snd_nxt) {
            if self.round.count < 3 {
                self.window.grow_reno(ack.acked, true);
            } else {
                self.adjust_like_ns3(ack.acked);
            }
            self.round = RoundRtt::default();
        } else if self.window.in_slow_start() {
            self.slow_start(ack.acked);
        }
    }

    /// What it makes of a round trip.
    fn adjust_like_ns3(&mut self, acked: u64) {
        let cwnd = libm::floor(self.window.cwnd);
        let target = libm::floor(cwnd * (self.base.as_s() / self.round.min.as_s()));
        let diff = cwnd - target;
        if self.window.in_slow_start() {
            if diff > self.params.gamma {
                self.window.cwnd = cwnd.min(target + 1.0);
                self.end_slow_start();
            } else {
                self.slow_start(acked);
            }
        } else if diff > self.params.beta {
            self.window.cwnd = (cwnd - 1.0).max(1.0);
            self.end_slow_start();
        } else if diff < self.params.alpha {
            self.window.cwnd = cwnd + 1.0;
        }
        self.lift_threshold();
    }

    /// The threshold below the window: or the next acknowledgement would be one of slow start
    /// again.
    fn end_slow_start(&mut self) {
        let below = self.window.cwnd - 1.0;
        self.window.ssthresh = self.window.ssthresh.min(below).max(LEAST);
    }

    /// To three quarters of the window (`tcp_current_ssthresh`); of whole segments, Linux rounds a
    /// half and a quarter down.
    fn lift_threshold(&mut self) {
        let cwnd = self.window.cwnd;
        let most = match self.preset {
            Preset::Linux => libm::floor(0.5 * cwnd) + libm::floor(0.25 * cwnd),
            _ => 0.75 * cwnd,
        };
        self.window.ssthresh = self.window.ssthresh.max(most);
    }

    /// `tcp_vegas_init`.
    fn forget(&mut self) {
        self.base = MinRtt::default();
        self.round = RoundRtt::default();
    }
}

impl CongestionControl for Vegas {
    fn on_ack(&mut self, ack: &AckSample) {
        if self.preset == Preset::Ns2 {
            self.grow_like_ns2(ack);
            return;
        }
        if let Some(rtt) = ack.rtt {
            self.base.sample(rtt);
            self.round.sample(rtt);
        }
        if self.preset == Preset::Ns3 {
            self.grow_like_ns3(ack);
            return;
        }
        if self.window.grew_as_reno(ack) {
            self.is_suspended = true;
            return;
        }
        if core::mem::take(&mut self.is_suspended) {
            // `vegas_enable`: the first round trip begins now.
            self.round = RoundRtt::default();
            self.rounds.begin(ack.snd_nxt);
        }
        let few = self.round.count < 3 && self.preset == Preset::Linux;
        if self.rounds.ended(ack.snd_una, ack.snd_nxt) {
            if self.round.count > 0 && !few && ack.may_grow {
                self.adjust(ack.acked);
            } else if few {
                self.window.grow_reno(ack.acked, ack.may_grow);
            }
            self.round = RoundRtt::default();
        } else if ack.may_grow && self.window.in_slow_start() && self.grows {
            self.slow_start(ack.acked);
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        let flight = self.window.flight(event);
        let is_timeout = event.kind == LossKind::Timeout;
        match (self.preset, event.kind) {
            (Preset::Ns3, _) => {
                let left = self.window.ssthresh.min(self.window.cwnd - 1.0);
                self.window.reduce(event, left);
            }
            (Preset::Reference, LossKind::FastRetransmit) => {
                self.window.reduce(event, 0.75 * flight);
            }
            (Preset::Ns2, LossKind::FastRetransmit) => {
                let whole = libm::floor(flight);
                let left = if whole > 3.0 {
                    whole - libm::floor(0.25 * whole)
                } else {
                    LEAST
                };
                self.window.reduce(event, left);
            }
            _ => self.window.halve(event),
        }
        if self.preset != Preset::Ns2 {
            self.round = RoundRtt::default();
        }
        if is_timeout && self.preset == Preset::Ns2 {
            self.window.cwnd = LEAST;
        }
        if is_timeout && self.preset == Preset::Linux {
            self.forget();
        }
    }

    fn on_tx_start(&mut self, _now: Time, _idle: Span, _app_limited: bool) {
        if self.preset == Preset::Linux {
            self.forget();
        }
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("base_rtt", self.base.as_s());
    }

    window_hooks!();
}
