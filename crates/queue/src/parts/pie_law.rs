//! PIE's controller: [`pie`](crate::pie) has one, [`fq_pie`](crate::fq_pie) has one for each flow.
//! The controller and the differences of the presets are described in [`pie`](crate::pie).

use sojourn_base::checks::{above_zero, not_negative};
use sojourn_base::{Bytes, ParamFault, Preset, Span, Time};

use super::check_period;
use super::departure_rate::DepartureRate;
use super::ecn::mark_or_drop;
use crate::{Backlog, Context, Packet, ProbeValue, Reason};

/// The settings of the controller.
#[derive(Debug, Clone)]
// Each is a switch of the RFC or of a preset, named as the parameter that sets it.
#[allow(clippy::struct_excessive_bools)]
pub struct PieLaw {
    /// Whose behaviour to follow.
    pub preset: Preset,
    /// Queueing delay aimed at.
    pub target: Span,
    /// Time between two updates.
    pub t_update: Span,
    /// Time without drops after the queue has been idle.
    pub max_burst: Span,
    /// Gain of the distance from the target, in Hz.
    pub alpha: f64,
    /// Gain of the change of the delay, in Hz.
    pub beta: f64,
    /// Up to twice this waits without drops.
    pub mean_packet: Bytes,
    /// Whether the probability is scaled by the packet's size.
    pub bytes: bool,
    /// Whether "two packets" means packets (ns-3 with a limit in packets).
    pub floor_in_packets: bool,
    /// Whether the probability rises by no more than 2 % a step once at 10 %.
    pub cap: bool,
    /// Whether to space drops by accumulated probability.
    pub derandomize: bool,
    /// Whether the delay is the backlog over a measured rate, not the sojourn of the last packet.
    pub estimator: bool,
    /// Bytes of one measurement of the rate.
    pub threshold: Bytes,
    /// Whether to mark ECN-capable packets.
    pub ecn: bool,
    /// Probability from which they are dropped all the same.
    pub mark_threshold: f64,
    /// Delay that switches the controller on; without it, it is always on.
    pub active_threshold: Option<Span>,
    /// With `l4s`: sojourn above which packets of scalable senders are marked.
    pub ce_threshold: Option<Span>,
    /// Whether packets of scalable senders are only marked, by `ce_threshold`.
    pub l4s: bool,
}

/// The state of one controller.
#[derive(Debug, Clone, Default)]
pub struct PieState {
    prob: f64,
    delay: Span,
    old_delay: Span,
    burst: Span,
    /// ns-3: what became of the burst allowance.
    burst_state: BurstState,
    accumulated: f64,
    rate: DepartureRate,
    last_departure: Option<Time>,
    active: bool,
}

/// ns-3's burst state.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
enum BurstState {
    /// No burst was protected yet.
    #[default]
    Fresh,
    /// Under protection.
    Protected,
    /// Protection ran out, so many updates ago.
    Spent(u32),
}

impl PieState {
    /// Shows the state.
    pub fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        let mut number = |name, value| show(name, ProbeValue::Number(value));
        number("prob", self.prob);
        number("qdelay", self.delay.as_s());
        number("qdelay_old", self.old_delay.as_s());
        number("burst", self.burst.as_s());
        number("accu", self.accumulated);
        number("avg_dq_rate", self.rate.bytes_per_s());
    }

    /// Sets a variable of the state; false if there is none of that name.
    pub fn poke(&mut self, name: &str, value: f64) -> bool {
        match name {
            "prob" | "drop_prob" => self.prob = value,
            "qdelay" => self.delay = Span::from_s(value),
            "qdelay_old" => self.old_delay = Span::from_s(value),
            "burst" | "burst_allowance" => self.burst = Span::from_s(value),
            "accu" | "accu_prob" => self.accumulated = value,
            _ => return false,
        }
        true
    }
}

/// How much the gains are scaled down at this probability (RFC 8033, section 4.2).
fn scale(prob: f64) -> f64 {
    const STEPS: [(f64, f64); 6] = [
        (1e-6, 2048.0),
        (1e-5, 512.0),
        (1e-4, 128.0),
        (1e-3, 32.0),
        (1e-2, 8.0),
        (1e-1, 2.0),
    ];
    STEPS
        .iter()
        .find(|(below, _)| prob < *below)
        .map_or(1.0, |(_, scale)| *scale)
}

/// A probability as the kernel holds it, in 56 of 64 bits: it is kept from falling below zero, and
/// becomes 1 only where all bits are used up, so that under a flood it stands above 1 until that is
/// long over.
fn within_kernel(prob: f64) -> f64 {
    if prob < 256.0 { prob.max(0.0) } else { 1.0 }
}

/// The period that Linux makes of `t_update` at `hz`: rounded up to jiffies, and one jiffy late.
pub fn linux_period(t_update: Span, hz: u32) -> Span {
    let jiffy = 1_000_000_000_000 / u64::from(hz);
    Span::from_ps((t_update.as_ps().div_ceil(jiffy) + 1) * jiffy)
}

impl PieLaw {
    /// A state as it is at first.
    pub fn state(&self) -> PieState {
        PieState {
            burst: if self.preset == Preset::Ns3 {
                Span::ZERO
            } else {
                self.max_burst
            },
            ..PieState::default()
        }
    }

    /// # Errors
    /// An update period below 1 us; a mean packet or a measurement of nothing; a negative gain.
    pub fn check(&self) -> Result<(), ParamFault> {
        check_period("t_update", self.t_update)?;
        not_negative("alpha", self.alpha)?;
        not_negative("beta", self.beta)?;
        above_zero("mean_packet", self.mean_packet)?;
        above_zero("dequeue_threshold", self.threshold)
    }

    fn half_target(&self) -> Span {
        Span::from_ps(self.target.as_ps() / 2)
    }

    /// Whether the queue has been short at the last two updates.
    fn calm(&self, state: &PieState) -> bool {
        state.delay < self.half_target() && state.old_delay < self.half_target()
    }

    /// Whether so little waits that nothing is dropped.
    fn is_short(&self, waiting: Backlog) -> bool {
        let floor = 2 * self.mean_packet.get();
        match self.preset {
            Preset::Linux => waiting.bytes.get() < floor,
            _ if self.floor_in_packets => waiting.packets <= 2,
            _ => waiting.bytes.get() <= floor,
        }
    }

    /// Whether an arrival is signalled.
    fn signals<P: Packet>(
        &self,
        state: &mut PieState,
        size: Bytes,
        waiting: Backlog,
        ctx: &mut Context<'_, P>,
    ) -> bool {
        if self.is_exempt(state, waiting) {
            return false;
        }
        let share = if !self.bytes || (self.preset == Preset::Linux && size > self.mean_packet) {
            1.0
        } else {
            size.as_f64() / self.mean_packet.as_f64()
        };
        let p = state.prob * share;
        if self.derandomize
            && let Some(certain) = self.derandomized(state, p)
        {
            return certain;
        }
        let hit = ctx.random.chance(p);
        if hit && self.preset != Preset::Ns3 {
            state.accumulated = 0.0;
        }
        hit
    }

    /// Whether an arrival is never signalled: by the burst allowance, which is given here, by the
    /// delay, or since so little waits.
    #[inline]
    fn is_exempt(&self, state: &mut PieState, waiting: Backlog) -> bool {
        if matches!(self.preset, Preset::Reference | Preset::Ns2)
            && state.prob == 0.0
            && self.calm(state)
        {
            state.burst = self.max_burst;
        }
        if state.burst > Span::ZERO {
            return true;
        }
        if self.preset == Preset::Ns3 && state.burst_state == BurstState::Fresh {
            state.burst_state = BurstState::Protected;
            state.burst = self.max_burst;
        }
        let delay = if self.preset == Preset::Linux {
            state.delay
        } else {
            state.old_delay
        };
        (delay < self.half_target() && state.prob < 0.2) || self.is_short(waiting)
    }

    /// What the accumulated probability says of an arrival of probability `p`, if it decides: not
    /// yet, or certainly.
    #[inline]
    fn derandomized(&self, state: &mut PieState, p: f64) -> Option<bool> {
        if p == 0.0 {
            state.accumulated = 0.0;
        }
        // Linux accumulates what it draws with, the RFC the bare probability.
        state.accumulated += if self.preset == Preset::Linux {
            p
        } else {
            state.prob
        };
        if state.accumulated < 0.85 {
            return Some(false);
        }
        if state.accumulated >= 8.5 {
            if !matches!(self.preset, Preset::Linux | Preset::Ns3) {
                state.accumulated = 0.0;
            }
            return Some(true);
        }
        None
    }

    /// A packet is dropped for want of room: the sum begins anew as after any other drop (RFC 8033,
    /// appendix B).
    pub const fn on_overflow(state: &mut PieState) {
        state.accumulated = 0.0;
    }

    /// An arrival meets a queue where so much waits: gives it back unless it is dropped.
    pub fn arrival<P: Packet>(
        &self,
        state: &mut PieState,
        packet: P,
        waiting: Backlog,
        ctx: &mut Context<'_, P>,
    ) -> Option<P> {
        if self.scalable(&packet) || (self.active_threshold.is_some() && !state.active) {
            self.switch(state);
            return Some(packet);
        }
        let kept = if self.signals(state, packet.size(), waiting, ctx) {
            let low = if self.preset == Preset::Linux {
                state.prob <= self.mark_threshold
            } else {
                state.prob < self.mark_threshold
            };
            let kept = mark_or_drop(packet, self.ecn && low, Reason::Unforced, ctx);
            if kept.is_none() {
                state.accumulated = 0.0;
            }
            kept?
        } else {
            packet
        };
        self.switch(state);
        Some(kept)
    }

    /// Switches the controller on above `active_threshold`, and off when it has come to rest.
    fn switch(&self, state: &mut PieState) {
        let Some(threshold) = self.active_threshold else {
            return;
        };
        if !state.active && state.delay >= threshold {
            *state = PieState {
                active: true,
                burst: self.max_burst,
                delay: state.delay,
                burst_state: state.burst_state,
                ..PieState::default()
            };
        }
        if state.prob == 0.0 && state.delay == Span::ZERO && state.old_delay == Span::ZERO {
            state.active = false;
            state.rate.stop();
        }
    }

    fn scalable<P: Packet>(&self, packet: &P) -> bool {
        self.l4s && packet.ecn().is_scalable()
    }

    /// A packet leaves `left` behind.
    pub fn departure<P: Packet>(
        &self,
        state: &mut PieState,
        packet: &mut P,
        left: Backlog,
        ctx: &mut Context<'_, P>,
    ) {
        let sojourn = ctx.now.since(packet.enqueued());
        let is_scalable = self.scalable(packet);
        if is_scalable && self.ce_threshold.is_some_and(|most| sojourn > most) {
            packet.set_ce();
            ctx.sink.marked(packet, Reason::CeThreshold);
        }
        if is_scalable && self.preset == Preset::Ns3 {
            return;
        }
        if self.estimator {
            let (size, left) = (packet.size(), left.bytes);
            let rate = &mut state.rate;
            let took = rate.departure(self.preset, self.threshold, size, left, ctx.now);
            if self.preset == Preset::Linux {
                state.burst = state.burst - took.unwrap_or(Span::ZERO);
            }
        } else {
            state.delay = if left.packets == 0 {
                Span::ZERO
            } else {
                sojourn
            };
            let since = state.last_departure.replace(ctx.now);
            if self.preset == Preset::Linux {
                let gone = since.map_or(Span::ZERO, |since| ctx.now.since(since));
                state.burst = state.burst - gone;
            }
        }
    }

    /// The periodic update; `waiting` is the queue of this controller.
    pub fn update(&self, state: &mut PieState, waiting: Backlog) {
        if self.estimator {
            self.delay_sample(state, waiting);
        }
        let step = self.probability_step(state);
        state.prob += step;
        if state.delay == Span::ZERO && state.old_delay == Span::ZERO {
            state.prob *= self.decay(waiting);
        }
        state.prob = if self.preset == Preset::Linux {
            within_kernel(state.prob)
        } else {
            state.prob.clamp(0.0, 1.0)
        };
        self.renew_burst(state);
        if !self.estimator || self.preset != Preset::Linux {
            state.old_delay = state.delay;
        }
    }

    /// The delay by the departure rate.
    fn delay_sample(&self, state: &mut PieState, waiting: Backlog) {
        if self.preset == Preset::Linux {
            state.old_delay = state.delay;
        }
        state.delay = state.rate.time_to_send(waiting.bytes);
    }

    /// By how much the probability changes; while ns-3's allowance lasts it stays at zero.
    fn probability_step(&self, state: &mut PieState) -> f64 {
        let (delay, old) = (state.delay.as_s(), state.old_delay.as_s());
        let mut step = self.alpha * (delay - self.target.as_s()) + self.beta * (delay - old);
        step /= scale(state.prob);
        if self.cap && state.prob >= 0.1 {
            step = step.min(0.02);
        }
        if self.preset == Preset::Linux && state.delay > Span::from_ms(250) {
            step += 0.02;
        }
        if self.preset == Preset::Ns3 && state.burst > Span::ZERO {
            state.prob = 0.0;
            return 0.0;
        }
        step
    }

    /// What the probability is multiplied by where the delay was zero at two updates.
    fn decay(&self, waiting: Backlog) -> f64 {
        match self.preset {
            Preset::Linux if waiting.packets > 0 => 1.0,
            Preset::Linux => 1.0 - 1.0 / 64.0,
            _ => 0.98,
        }
    }

    /// Gives the burst allowance anew after calm, or takes the period that has passed from it.
    fn renew_burst(&self, state: &mut PieState) {
        let calm = self.calm(state) && state.prob == 0.0;
        let known = !self.estimator || state.rate.is_known();
        match self.preset {
            Preset::Linux => {
                if calm && known {
                    state.burst = self.max_burst;
                    state.accumulated = 0.0;
                    state.rate.forget();
                    state.last_departure = None;
                }
            }
            preset => {
                state.burst = state.burst - self.t_update;
                if preset == Preset::Ns3 {
                    if calm && known {
                        state.rate.forget();
                    }
                    self.turn_burst_state(state, calm);
                }
            }
        }
    }

    /// ns-3 arms the burst allowance anew after 1.5 s of calm.
    fn turn_burst_state(&self, state: &mut PieState, calm: bool) {
        let most = (1.5 / self.t_update.as_s()) as u32;
        state.burst_state = match state.burst_state {
            BurstState::Protected if calm && state.burst == Span::ZERO => BurstState::Spent(0),
            BurstState::Spent(updates) if calm && state.burst == Span::ZERO => {
                if updates + 1 > most {
                    BurstState::Fresh
                } else {
                    BurstState::Spent(updates + 1)
                }
            }
            BurstState::Spent(_) => BurstState::Spent(0),
            other => other,
        };
    }
}
