//! Veno: distinguishes random loss from congestion by the backlog.
//!
//! C. P. Fu, S. C. Liew, "TCP Veno: TCP Enhancement for Transmission Over Wireless Access
//! Networks", IEEE JSAC 21(2), 2003. The backlog is N = W (1 - Base / RTT) segments. While N is
//! below `beta` the window grows as Reno's does, and a loss is assumed to be random and leaves four
//! fifths of the window. Otherwise the window grows only every other round trip, and a loss halves
//! it.
//!
//! **Reference**: RTT is the latest sample; after a timeout the threshold is half the flight.
//!
//! **Linux**:
//!
//! - N is computed from the least RTT since the last acknowledgement that could grow the window,
//!   and is the whole window if there was no sample since. It is in half segments, rounded up, so
//!   that 2.5 segments do not count as congestion.
//! - A timeout is treated as a loss.
//! - While losses are being repaired, marks are being answered or segments arrive out of order, the
//!   window grows as Reno's does.
//! - Base is discarded when nothing is in flight, after idle time or a timeout.
//!
//! **ns-3** (`TcpVeno`):
//!
//! - N is in whole segments, rounded up.
//! - A timeout is treated as a loss.
//! - Samples are counted from zero for every acknowledgement, and N is used only after three of
//!   them, so that the window grows as NewReno's does, whatever the backlog. The first
//!   acknowledgement after a recovery does have that many; N is then the whole window, and every
//!   other such acknowledgement adds nothing.

use sojourn_base::{ParamFault, Preset, Span, Time, params};

use crate::cc::parts::{MinRtt, Openings, Rounds, Window};
use crate::cc::{AckSample, CongestionControl, LossEvent, LossKind, Start};
use crate::sender::State;
use crate::window_hooks;

params! {
    /// Parameters of Veno.
    pub struct Params {
        /// Number of segments in the queue from which on the path counts as congested.
        beta: f64 = "3";
    }
}

/// Veno.
#[derive(Debug, Clone)]
pub struct Veno {
    window: Window,
    beta: f64,
    preset: Preset,
    base: MinRtt,
    latest: f64,
    samples: u32,
    /// Samples since the window last grew; ns-3's only.
    fresh: u32,
    /// Segments that waited when it was last looked.
    backlog: f64,
    /// Linux's only.
    openings: Openings,
    rounds: Rounds,
    /// The window grows in this round trip, or by this window's worth, though the path is
    /// congested.
    grows: bool,
}

impl Veno {
    /// The controller of a new connection.
    ///
    /// # Errors
    /// None.
    pub fn new(params: &Params, preset: Preset, start: &Start) -> Result<Self, ParamFault> {
        Ok(Self {
            window: Window::new(start, preset),
            beta: params.beta,
            preset,
            base: MinRtt::default(),
            latest: if preset == Preset::Linux {
                f64::INFINITY
            } else {
                0.0
            },
            samples: 0,
            fresh: 0,
            backlog: 0.0,
            openings: Openings::default(),
            rounds: Rounds::default(),
            grows: true,
        })
    }

    fn measure(&mut self) {
        if self.latest == 0.0 {
            return;
        }
        let part = if self.latest.is_finite() {
            self.base.as_s() / self.latest
        } else {
            0.0
        };
        let cwnd = self.window.cwnd;
        self.backlog = match self.preset {
            Preset::Linux => 0.5 * libm::ceil(2.0 * cwnd * (1.0 - part)),
            Preset::Ns3 => libm::floor(cwnd) - libm::floor(libm::floor(cwnd) * part),
            Preset::Reference | Preset::Ns2 => cwnd * (1.0 - part),
        };
    }

    /// What the reference makes of an acknowledgement: by rounds.
    fn grow(&mut self, ack: &AckSample) {
        if self.rounds.ended(ack.snd_una, ack.snd_nxt) {
            self.grows = !self.grows;
        }
        let segments = self.window.past_slow_start(ack);
        self.measure();
        if segments > 0.0 && (self.grows || self.samples < 3 || self.backlog < self.beta) {
            self.window.additive(segments, 1.0);
        }
    }

    /// `tcp_veno_cong_avoid`: by windows acknowledged. The RTT is the least since the last, and
    /// endless where none came since, as where all is well again: then all waits.
    fn grow_like_linux(&mut self, ack: &AckSample) {
        if self.openings.opens(ack) {
            self.latest = f64::INFINITY;
        }
        if self.window.grew_as_reno(ack) || !ack.may_grow {
            return;
        }
        if self.samples > 2 {
            self.measure();
        }
        self.latest = f64::INFINITY;
        let segments = self.window.past_slow_start(ack);
        if segments <= 0.0 {
            return;
        }
        if self.backlog < self.beta {
            self.window.additive(segments, 1.0);
        } else if self.window.had_counted(self.window.cwnd, segments) {
            if self.grows {
                self.window.cwnd += 1.0;
            }
            self.grows = !self.grows;
        }
    }

    /// `TcpVeno::IncreaseWindow`: after three samples or more without growth, as there are after a
    /// recovery, whose end wipes the RTT too, all the window is taken for backlog, and the
    /// acknowledgement adds only every other time.
    fn grow_like_ns3(&mut self, ack: &AckSample) {
        let reopens = self.rounds.begin_anew(ack);
        if !ack.may_grow {
            return;
        }
        self.measure();
        if reopens {
            self.backlog = libm::floor(self.window.cwnd);
        }
        let is_new = core::mem::take(&mut self.fresh) > 2 && ack.state != State::Loss;
        if is_new && self.window.in_slow_start() {
            self.window.past_slow_start(ack);
        } else if is_new && self.backlog >= self.beta {
            self.grows = !self.grows;
            if !self.grows {
                self.window.grow_reno(ack.acked, true);
            }
        } else {
            self.window.grow_reno(ack.acked, true);
        }
    }

    /// `tcp_veno_init`.
    fn forget(&mut self) {
        self.base = MinRtt::default();
        self.latest = f64::INFINITY;
        self.grows = true;
    }
}

impl CongestionControl for Veno {
    fn on_ack(&mut self, ack: &AckSample) {
        if let Some(rtt) = ack.rtt.filter(|&rtt| rtt > Span::ZERO) {
            self.base.sample(rtt);
            self.samples = self.samples.saturating_add(1);
            self.fresh = self.fresh.saturating_add(1);
            self.latest = match self.preset {
                Preset::Linux => self.latest.min(rtt.as_s()),
                _ => rtt.as_s(),
            };
        }
        match self.preset {
            Preset::Linux => self.grow_like_linux(ack),
            Preset::Ns3 => self.grow_like_ns3(ack),
            Preset::Reference | Preset::Ns2 => self.grow(ack),
        }
    }

    fn on_loss_event(&mut self, event: &LossEvent) {
        let is_peer = matches!(self.preset, Preset::Linux | Preset::Ns3);
        if !is_peer {
            self.measure();
        }
        let is_known = is_peer || (event.kind != LossKind::Timeout && self.samples > 2);
        let is_random = is_known && self.backlog < self.beta;
        let flight = self.window.flight(event);
        let left = if is_random { 0.8 } else { 0.5 };
        self.window.reduce(event, left * flight);
        if event.kind == LossKind::Timeout && self.preset == Preset::Linux {
            self.forget();
        }
    }

    fn on_tx_start(&mut self, _now: Time, _idle: Span, _app_limited: bool) {
        if self.preset == Preset::Linux {
            self.forget();
        }
    }

    fn probe(&self, show: &mut dyn FnMut(&str, f64)) {
        show("backlog", self.backlog);
    }

    window_hooks!();
}
