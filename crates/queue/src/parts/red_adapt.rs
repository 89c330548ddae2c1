//! The rules that adapt `max_p` in adaptive RED. They are described in [`ared`](crate::ared).

use sojourn_base::{Span, Time};

use super::red_law::Slope;

/// The settings of the adaptation, and what it remembers.
#[derive(Debug, Clone)]
pub struct Adaptation {
    /// By which rule.
    pub rule: Rule,
    /// Most that is added to `max_p` (Floyd); its divisor below `min_th` (Feng).
    pub alpha: f64,
    /// What `max_p` is multiplied by below the target (Floyd), above `max_th` (Feng).
    pub beta: f64,
    /// `max_p` from which it grows no more.
    pub top: f64,
    /// `max_p` below which it shrinks no more.
    pub bottom: f64,
    /// Time between two changes.
    pub interval: Span,
    last: Time,
    zone: Zone,
}

/// Which rule moves `max_p`, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Floyd's, at timers.
    Timed,
    /// Floyd's, at arrivals after an interval without a change (ns-2, ns-3).
    AtArrivals,
    /// Feng's, when the average enters another zone.
    Feng,
}

/// Where the average was seen last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Zone {
    Unknown,
    Below,
    Between,
    Above,
}

/// The target of the average: the middle fifth of the range between the thresholds.
pub fn middle_fifth(min: f64, max: f64) -> (f64, f64) {
    let part = 0.4 * (max - min);
    (min + part, max - part)
}

impl Adaptation {
    /// A rule with its settings.
    pub fn new(rule: Rule, alpha: f64, beta: f64, limits: (f64, f64), interval: Span) -> Self {
        Self {
            rule,
            alpha,
            beta,
            bottom: limits.0,
            top: limits.1,
            interval,
            last: Time::ZERO,
            zone: Zone::Unknown,
        }
    }

    /// Forgets what was.
    pub fn reset(&mut self) {
        self.last = Time::ZERO;
        self.zone = Zone::Unknown;
    }

    /// One step of Floyd's rule: none while the average is from `low` to `high`.
    pub fn step(&self, avg: f64, (low, high): (f64, f64), max_p: f64) -> f64 {
        if avg < low && max_p >= self.bottom {
            max_p * self.beta
        } else if avg > high && max_p <= self.top {
            max_p + self.alpha.min(max_p / 4.0)
        } else {
            max_p
        }
    }

    /// What an arrival makes of `max_p`.
    pub fn at_arrival(&mut self, avg: f64, slope: &Slope, max_p: f64, now: Time) -> f64 {
        match self.rule {
            Rule::Timed => max_p,
            Rule::AtArrivals => {
                if now <= self.last + self.interval {
                    return max_p;
                }
                let moved = self.step(avg, middle_fifth(slope.min, slope.max), max_p);
                if moved != max_p {
                    self.last = now;
                }
                moved
            }
            Rule::Feng => {
                let zone = if avg < slope.min {
                    Zone::Below
                } else if avg > slope.max {
                    Zone::Above
                } else if avg > slope.min && avg < slope.max {
                    Zone::Between
                } else {
                    self.zone
                };
                let entered = zone != self.zone;
                self.zone = zone;
                match zone {
                    Zone::Below if entered => (max_p / self.alpha).min(1.0),
                    Zone::Above if entered => (max_p * self.beta).min(1.0),
                    _ => max_p,
                }
            }
        }
    }
}
