//! RED's average and decision in real numbers: the paper's, and the ways of ns-2 and ns-3.

use sojourn_base::{Auto, Bytes, Length, LinkInfo, ParamFault, Preset, Span, Threshold, Time};

use super::Params;
use crate::parts::red_adapt::Adaptation;
use crate::parts::red_law::{RedMark, Slope, spread, spread_after_wait};

/// RED in real numbers.
#[derive(Debug)]
pub(crate) struct Estimate {
    pub(crate) slope: Slope,
    pub(crate) weight: f64,
    /// Mean packets per second.
    pub(crate) pace: f64,
    pub(crate) avg: f64,
    pub(crate) max_p: f64,
    pub(crate) prob: f64,
    /// Packets since the last drop or mark in the band.
    pub(crate) count: u64,
    pub(crate) bytes: u64,
    /// Whether the average was above `min_th` before (ns-2, ns-3).
    above: bool,
    /// What moves `max_p`, in adaptive RED.
    pub(crate) adaptation: Option<Adaptation>,
}

impl Estimate {
    pub(crate) fn new(
        params: &Params,
        preset: Preset,
        link: &LinkInfo,
        bytes: bool,
    ) -> Result<Self, ParamFault> {
        let mean = params.mean_packet;
        let pace = link.rate.packets_per_s(mean);
        let unit = if bytes { mean.as_f64() } else { 1.0 };
        let length = |length: Length| {
            if bytes {
                length.in_bytes(mean, link)
            } else {
                length.in_packets(mean, link)
            }
        };
        let min = match params.min_th {
            Auto::Given(Threshold(given)) => length(given),
            Auto::Auto => (params.target_delay.as_s() * pace / 2.0).max(5.0) * unit,
        };
        let max = match params.max_th {
            Auto::Given(Threshold(given)) => length(given),
            Auto::Auto => 3.0 * min,
        };
        in_order(min, max, if bytes { "B" } else { "packets" })?;
        Ok(Self {
            slope: Slope {
                min,
                max,
                gentle: params.gentle,
                nonlinear: params.nonlinear,
            },
            weight: params
                .w_q
                .given()
                .map_or_else(|| automatic_weight(preset, pace, link), |given| given.0),
            pace,
            avg: 0.0,
            max_p: params.max_p.0,
            prob: 0.0,
            count: 0,
            bytes: 0,
            above: false,
            adaptation: None,
        })
    }

    /// Takes over what depends on the link; the average stays.
    pub(crate) fn follow(&mut self, params: &Params, preset: Preset, link: &LinkInfo, bytes: bool) {
        if let Ok(fresh) = Self::new(params, preset, link, bytes) {
            self.slope = fresh.slope;
            self.weight = fresh.weight;
            self.pace = fresh.pace;
        }
    }

    pub(crate) fn reset(&mut self, max_p: f64) {
        self.avg = 0.0;
        self.max_p = max_p;
        self.prob = 0.0;
        self.forget();
        self.above = false;
        if let Some(adaptation) = &mut self.adaptation {
            adaptation.reset();
        }
    }

    /// Lets an arrival move `max_p`, where arrivals do.
    #[inline]
    fn adapt(&mut self, now: Time) {
        if let Some(adaptation) = &mut self.adaptation {
            self.max_p = adaptation.at_arrival(self.avg, &self.slope, self.max_p, now);
        }
    }

    /// Starts counting anew.
    pub(crate) fn forget(&mut self) {
        self.count = 0;
        self.bytes = 0;
    }

    /// The paper's average.
    #[inline]
    pub(crate) fn observe(&mut self, arrival: &Arrival) {
        match arrival.idle {
            Some(idle) => self.avg *= libm::pow(1.0 - self.weight, idle.as_s() * self.pace),
            None => self.avg += self.weight * (arrival.queue - self.avg),
        }
        self.adapt(arrival.now);
    }

    /// The paper's decision, by the average as it stands. `share` is the packet's size in mean
    /// packets, or 1.
    #[inline]
    pub(crate) fn decide(&mut self, params: &Params, share: f64, u: f64) -> RedMark {
        if self.avg < self.slope.min {
            self.prob = 0.0;
            self.forget();
            return RedMark::None;
        }
        self.prob = self.slope.at(self.avg, self.max_p, self.max_p);
        if self.avg >= self.slope.hard() && !params.use_mark_p {
            self.forget();
            return RedMark::Hard;
        }
        let p = (self.prob * share).min(1.0);
        let spread = if params.wait {
            spread_after_wait(p, (self.count + 1) as f64)
        } else {
            spread(p, self.count as f64)
        };
        if u < spread {
            self.forget();
            RedMark::Prob
        } else {
            self.count += 1;
            RedMark::None
        }
    }

    /// The same in the ways of ns-2 and ns-3; `share` is none where packets count.
    #[inline(never)]
    pub(crate) fn by_ns(
        &mut self,
        arrival: Arrival,
        params: &Params,
        share: Option<f64>,
        u: f64,
        preset: Preset,
    ) -> RedMark {
        if let Some(idle) = arrival.idle {
            let packets = libm::floor(idle.as_s() * self.pace);
            self.avg *= libm::pow(1.0 - self.weight, packets);
        }
        self.avg += self.weight * (arrival.queue - self.avg);
        self.adapt(arrival.now);
        self.count += 1;
        self.bytes += arrival.size.get();
        if self.avg < self.slope.min || arrival.queue <= 1.0 {
            self.prob = 0.0;
            self.above = false;
            return RedMark::None;
        }
        if self.avg >= self.slope.hard() && !params.use_mark_p {
            if preset == Preset::Ns2 {
                self.forget();
            }
            return RedMark::Hard;
        }
        if !self.above {
            self.above = true;
            self.count = 1;
            self.bytes = arrival.size.get();
            return RedMark::None;
        }
        self.prob = self.slope.at(self.avg, self.max_p, params.max_p.0);
        let mean = params.mean_packet;
        let n = match share {
            None => self.count as f64,
            // Whole packets, in both.
            Some(_) => (self.bytes / mean.get()) as f64,
        };
        let spread = if params.wait {
            spread_after_wait(self.prob, n)
        } else {
            spread(self.prob, n)
        };
        let p = match share {
            Some(share) if spread < 1.0 => spread * share,
            _ => spread,
        };
        if u < p {
            self.forget();
            RedMark::Prob
        } else {
            RedMark::None
        }
    }
}

/// What the law is told of an arrival.
#[derive(Clone, Copy)]
pub(crate) struct Arrival {
    pub(crate) now: Time,
    pub(crate) size: Bytes,
    /// The queue before it, in the unit of the thresholds.
    pub(crate) queue: f64,
    /// How long the queue has been idle, if it is.
    pub(crate) idle: Option<Span>,
}

pub(crate) fn in_order(min: f64, max: f64, unit: &str) -> Result<(), ParamFault> {
    if min <= max {
        return Ok(());
    }
    let allowed = format!("at most max_th, which is {max} {unit} here");
    Err(ParamFault::new("min_th", format!("{min} {unit}"), allowed))
}

fn automatic_weight(preset: Preset, pace: f64, link: &LinkInfo) -> f64 {
    let packets = if preset == Preset::Ns2 {
        let rtt = (3.0 * (link.delay.as_s() + 1.0 / pace)).max(0.1);
        10.0 * rtt * pace
    } else {
        pace
    };
    -libm::expm1(-1.0 / packets)
}
