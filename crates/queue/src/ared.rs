//! ARED: RED that sets its own parameters and adapts its drop probability to keep the average queue
//! length midway between its thresholds.
//!
//! S. Floyd, R. Gummadi, S. Shenker, "Adaptive RED: An Algorithm for Increasing the Robustness of
//! RED's Active Queue Management", 2001.
//!
//! Drops are decided by RED with `gentle` ([`crate::red`]) and with automatic parameters: `min_th`
//! = max(5 packets, half of `target_delay`), `max_th` = 3 `min_th`, and `w_q` = 1 - exp(-1/c) for a
//! link of c mean packets per second. Every `interval`, `max_p` is adapted. The target is the
//! middle fifth of the range from `min_th` to `max_th`:
//!
//! - While the average is above the target and `max_p` is at most `top`, `max_p` grows by `alpha`,
//!   or by a quarter of itself if that is less.
//! - While the average is below the target and `max_p` is at least `bottom`, `max_p` is multiplied
//!   by `beta`.
//!
//! With `feng_adaptive` the rule is that of W. Feng, D. Kandlur, D. Saha, K. Shin, "A
//! Self-Configuring RED Gateway", IEEE INFOCOM 1999, which needs no timer. When the average falls
//! below `min_th`, `max_p` is divided by `feng_alpha`; when it rises above `max_th`, `max_p` is
//! multiplied by `feng_beta` (here to at most 1).
//!
//! **Reference**: `max_p` starts at 0.1 and `bottom` is 0.01. Updates are made by a timer, so that
//! `max_p` still changes while no packets arrive.
//!
//! **ns-2**:
//!
//! - `max_p` is updated only at arrivals, more than `interval` after its last change.
//! - `bottom` is at most 80000 divided by the bit rate of the link.
//! - Feng's rule uses the values of `alpha` 0.01 and `beta` 0.9, and thus multiplies `max_p` by 100
//!   where it should divide it by 3. A warning is given.
//! - The gentle part of the slope starts from the initial `max_p`.
//!
//! **ns-3**:
//!
//! - `max_p` is updated at arrivals, as in ns-2, and starts at 1/50.
//! - `bottom` is at most 8 `mean_packet` `rtt` divided by the bit rate: ns-3 multiplies by the
//!   round-trip time, whereas the formula of ns-2 divides by it.
//! - The gentle part of the slope starts from the initial `max_p`.
//!
//! **Linux** (`red` with `adaptive`):
//!
//! - Thresholds and `w_q` are those of the Linux preset of RED, not those above, and it is never
//!   gentle.
//! - `max_p` does not adapt. Since 2020 `tc` passes `adaptive` in an attribute (`TCA_RED_FLAGS`)
//!   that `sch_red.c` does not read when it arms the timer. In measurements, Linux 6.1 behaves as
//!   plain RED does.
//! - With `adapts`, `max_p` adapts as the kernel intends, and as it did with older versions of
//!   `tc`: the target is 2/5 to 3/5 of the range between the thresholds, in whole bytes; updates
//!   are made every half second, one tick of `hz` late, and use the average with its decay during
//!   idle time.

use sojourn_base::checks::positive;
use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Fraction, Limit, LinkInfo, ParamFault, Preset, Probability, Span, Threshold, Time,
    params,
};

use crate::parts::check_period;
use crate::parts::red_adapt::{Adaptation, Rule, middle_fifth};
use crate::red::{self, Red};
use crate::{
    Admission, AdmissionContext, Backlog, Context, Dequeued, Discipline, Packet, ProbeValue,
    Warning,
};

params! {
    /// Parameters of ARED.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted.
        limit: Limit = "1000 packets", Linux = "400 kB", Ns3 = "25 packets", Ns2 = "50 packets";
        /// Average queue length from which packets are dropped early.
        min_th: Auto<Threshold> = "auto";
        /// Average queue length at which the probability reaches `max_p`.
        max_th: Auto<Threshold> = "auto";
        /// Initial drop probability at `max_th`.
        max_p: Probability = "0.1", Linux = "0.02", Ns3 = "0.02";
        /// Weight of an arrival in the average.
        w_q: Auto<Fraction> = "auto";
        /// Whether the probability rises from `max_p` to 1 between `max_th` and twice `max_th`.
        gentle: bool = "true";
        /// Whether to wait for about 1/p packets after each drop.
        wait: bool = "false", Ns3 = "true", Ns2 = "true";
        /// Whether to count the queue in bytes, and to drop in proportion to a packet's size.
        bytes: Auto<bool> = "auto", Linux = "true", Ns2 = "true";
        /// Size of a typical packet.
        mean_packet: Bytes = "500 B", Linux = "1000 B";
        /// Whether to mark ECN-capable packets instead of dropping them early.
        ecn: bool = "false";
        /// Whether to drop packets instead of marking them while the average is at or above the
        /// hard threshold (`max_th`; with `gentle`, twice `max_th`).
        hard_drop: bool = "true", Linux = "false";
        /// Whether to mark only while the probability is below `mark_p`, and to let the probability
        /// alone decide above the hard threshold.
        use_mark_p: bool = "false", Ns2 = "true";
        /// Probability from which ECN-capable packets are dropped, with `use_mark_p`.
        mark_p: Probability = "0.1";
        /// Target queueing delay; the automatic `min_th` is half of it.
        target_delay: Span = "5 ms";
        /// Number of packets of a burst that pass without a drop, for Linux's automatic `w_q`.
        burst: Auto<u32> = "auto";
        /// Whether `max_p` adapts at all.
        adapts: bool = "true", Linux = "false";
        /// Time between two changes of `max_p`.
        interval: Span = "500 ms";
        /// Largest amount added to `max_p` at a time.
        alpha: Probability = "0.01";
        /// Factor by which `max_p` is reduced.
        beta: Probability = "0.9";
        /// `max_p` above which it is not raised.
        top: Probability = "0.5";
        /// `max_p` below which it is not reduced. Automatic: 0.01, in ns-2 and ns-3 less on fast
        /// links.
        bottom: Auto<Probability> = "auto";
        /// Round-trip time for ns-3's automatic `bottom`.
        rtt: Span = "100 ms";
        /// Whether to adapt `max_p` by Feng's rule.
        feng_adaptive: bool = "false";
        /// Divisor of `max_p` when the average falls below `min_th`.
        feng_alpha: f64 = "3", Ns2 = "0.01";
        /// Factor of `max_p` when the average rises above `max_th`.
        feng_beta: f64 = "2", Ns2 = "0.9";
        /// Clock ticks per second of the Linux kernel; only Linux's preset has this parameter.
        hz: u32 = "1000";
    }
}

/// An adaptive RED queue.
#[derive(Debug)]
pub struct Ared<P> {
    red: Red<P>,
    /// For timers; at arrivals RED's own copy moves `max_p`.
    adaptation: Adaptation,
    linux: bool,
    /// Whether a timer moves `max_p`.
    timed: bool,
    period: Span,
    next_update: Time,
    feng: bool,
}

impl From<&Params> for red::Params {
    fn from(params: &Params) -> Self {
        Self {
            limit: params.limit,
            min_th: params.min_th,
            max_th: params.max_th,
            max_p: params.max_p,
            w_q: params.w_q,
            gentle: params.gentle,
            nonlinear: false,
            wait: params.wait,
            bytes: params.bytes,
            mean_packet: params.mean_packet,
            ecn: params.ecn,
            hard_drop: params.hard_drop,
            no_drop: false,
            use_mark_p: params.use_mark_p,
            mark_p: params.mark_p,
            target_delay: params.target_delay,
            burst: params.burst,
        }
    }
}

fn bottom(params: &Params, preset: Preset, link: &LinkInfo) -> f64 {
    let rate = link.rate.as_f64();
    match (params.bottom, preset) {
        (Auto::Given(bottom), _) => bottom.0,
        (Auto::Auto, Preset::Ns2) => (80_000.0 / rate).min(0.01),
        (Auto::Auto, Preset::Ns3) => {
            let bits = params.mean_packet.bits() as f64;
            (bits * params.rtt.as_s() / rate).min(0.01)
        }
        (Auto::Auto, _) => 0.01,
    }
}

impl<P> Ared<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// What RED refuses; an interval below 1 us; Feng's factors at or below zero, or his rule
    /// under Linux's preset.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        check_period("interval", params.interval)?;
        if params.feng_adaptive && preset == Preset::Linux {
            let allowed = "false under preset linux, which has no such rule";
            return Err(ParamFault::new("feng_adaptive", true, allowed));
        }
        positive("feng_alpha", params.feng_alpha)?;
        positive("feng_beta", params.feng_beta)?;
        let limits = (bottom(params, preset, link), params.top.0);
        let adaptation = if params.feng_adaptive {
            let (alpha, beta) = (params.feng_alpha, params.feng_beta);
            Adaptation::new(Rule::Feng, alpha, beta, limits, params.interval)
        } else {
            let rule = match preset {
                Preset::Ns2 | Preset::Ns3 => Rule::AtArrivals,
                Preset::Reference | Preset::Linux => Rule::Timed,
            };
            Adaptation::new(rule, params.alpha.0, params.beta.0, limits, params.interval)
        };
        let mut red = Red::new(&params.into(), preset, link)?;
        if params.adapts {
            red.adapts_at_arrivals(adaptation.clone());
        }
        let linux = preset == Preset::Linux;
        let late = if linux {
            Span::from_ps(1_000_000_000_000 / u64::from(params.hz))
        } else {
            Span::ZERO
        };
        let period = params.interval + late;
        Ok(Self {
            red,
            timed: params.adapts && adaptation.rule == Rule::Timed,
            adaptation,
            linux,
            period,
            next_update: Time::ZERO + period,
            feng: params.feng_adaptive,
        })
    }

    /// Moves `max_p`, if that is due.
    fn adapt(&mut self, now: Time) {
        if !self.timed || now < self.next_update {
            return;
        }
        self.next_update += self.period;
        let average = self.red.state(now);
        let target = if self.linux {
            // Two to three fifths of the band, in whole bytes.
            let fifth = libm::floor((average.max - average.min) / 5.0);
            (average.min + 2.0 * fifth, average.min + 3.0 * fifth)
        } else {
            middle_fifth(average.min, average.max)
        };
        let moved = self.adaptation.step(average.avg, target, average.max_p);
        self.red.set_max_p(moved);
    }
}

impl<P: Packet> Discipline<P> for Ared<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        self.red.enqueue(packet, ctx);
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        self.red.dequeue(ctx)
    }

    fn backlog(&self) -> Backlog {
        self.red.backlog()
    }

    fn capacity(&self) -> Capacity {
        self.red.capacity()
    }

    fn reset(&mut self) {
        self.red.reset();
        self.next_update = Time::ZERO + self.period;
    }

    fn decides_at_enqueue(&self) -> bool {
        true
    }

    fn admit(&mut self, packet: &P, ctx: &mut AdmissionContext<'_>) -> Admission {
        self.red.admit(packet, ctx)
    }

    fn tick(&mut self, ctx: &mut AdmissionContext<'_>) {
        self.red.tick(ctx);
        self.adapt(ctx.now);
    }

    fn next_timer(&self) -> Option<Time> {
        self.timed.then_some(self.next_update)
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        self.adapt(ctx.now);
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.red.on_link(link);
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = self.red.warnings();
        if self.feng && (self.adaptation.alpha <= 1.0 || self.adaptation.beta <= 1.0) {
            let what = "Feng's rule divides max_p by feng_alpha and multiplies it by feng_beta: \
                        at or below 1 they work the wrong way round (3 and 2 are meant)";
            warnings.push(Warning {
                param: "feng_alpha",
                what: what.to_owned(),
            });
        }
        if self.linux && !self.timed {
            let what = "as with today's tc nothing adapts under Linux's preset: this is plain RED \
                        (adapts = true is what the kernel means to do)";
            warnings.push(Warning {
                param: "adapts",
                what: what.to_owned(),
            });
        }
        warnings
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.red.probe(show);
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        self.red.poke(name, value)
    }
}
