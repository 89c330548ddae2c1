//! The linear controller of a queueing delay that PI2 and DualPI2 share.

use sojourn_base::checks::not_negative;
use sojourn_base::{ParamFault, Span, Time};

use super::check_period;
use crate::ProbeValue;

/// A controller: every `t_update`, p' += alpha (delay - target) + beta (delay - delay before).
#[derive(Debug, Clone)]
pub struct PiLaw {
    target: Span,
    t_update: Span,
    alpha: f64,
    beta: f64,
    prob: f64,
    old: Span,
    next_update: Time,
}

impl PiLaw {
    /// A controller at rest.
    ///
    /// # Errors
    /// A period below 1 us, or a negative gain.
    pub fn new(target: Span, t_update: Span, alpha: f64, beta: f64) -> Result<Self, ParamFault> {
        check_period("t_update", t_update)?;
        not_negative("alpha", alpha)?;
        not_negative("beta", beta)?;
        Ok(Self {
            target,
            t_update,
            alpha,
            beta,
            prob: 0.0,
            old: Span::ZERO,
            next_update: Time::ZERO + t_update,
        })
    }

    /// The delay aimed at.
    pub fn target(&self) -> Span {
        self.target
    }

    /// p'.
    pub fn prob(&self) -> f64 {
        self.prob
    }

    /// When the next update is due.
    pub fn next_update(&self) -> Time {
        self.next_update
    }

    /// The update due at `now`, if it is.
    pub fn update(&mut self, delay: Span, now: Time) {
        if now < self.next_update {
            return;
        }
        self.next_update += self.t_update;
        let distance = delay.as_s() - self.target.as_s();
        let change = delay.as_s() - self.old.as_s();
        let step = self.alpha * distance + self.beta * change;
        self.prob = (self.prob + step).clamp(0.0, 1.0);
        self.old = delay;
    }

    /// Back to rest.
    pub fn reset(&mut self) {
        self.prob = 0.0;
        self.old = Span::ZERO;
        self.next_update = Time::ZERO + self.t_update;
    }

    /// Shows p', its square, with which classic packets are signalled, and the last delay.
    pub fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        let mut number = |name, value| show(name, ProbeValue::Number(value));
        number("prob", self.prob);
        number("prob_classic", self.prob * self.prob);
        number("qdelay_old", self.old.as_s());
    }

    /// Sets them.
    pub fn poke(&mut self, name: &str, value: f64) -> bool {
        match name {
            "prob" => self.prob = value,
            "qdelay_old" => self.old = Span::from_s(value),
            _ => return false,
        }
        true
    }
}
