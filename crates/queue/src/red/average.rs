//! RED's average and its probability, in real numbers or in the kernel's integers:
//! [`red`](crate::red) and [`choke`](crate::choke) have one.

use sojourn_base::{Bytes, LinkInfo, ParamFault, Preset, Span};

use super::Params;
use super::estimate::{Estimate, in_order};
use crate::parts::linux_red::LinuxRed;
use crate::parts::red_adapt::Adaptation;

/// The average queue length, and what goes with it.
#[derive(Debug)]
pub(crate) enum Average {
    /// In real numbers.
    Real(Estimate),
    /// In integers.
    Linux(Box<LinuxRed>),
}

/// An average, and what it is compared with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AverageState {
    pub(crate) avg: f64,
    pub(crate) min: f64,
    pub(crate) max: f64,
    pub(crate) max_p: f64,
}

/// The kernel's law between two thresholds in a unit of so many bytes and of that name.
pub(crate) fn linux(
    min: f64,
    max: f64,
    (bytes, unit): (f64, &str),
    params: &Params,
    link: &LinkInfo,
) -> Result<LinuxRed, ParamFault> {
    in_order(min, max, unit)?;
    let mean = params.mean_packet;
    let in_bytes = [min, max].map(|length| length * bytes);
    let wlog = LinuxRed::wlog(params.w_q, params.burst, in_bytes, mean)?;
    let (min, max) = (min as u64, max as u64);
    Ok(LinuxRed::new(
        min,
        max,
        params.max_p.0,
        wlog,
        mean,
        link.rate,
    ))
}

impl Average {
    pub(crate) fn avg(&self) -> f64 {
        match self {
            Self::Real(law) => law.avg,
            Self::Linux(law) => law.average(),
        }
    }

    pub(crate) fn set_avg(&mut self, avg: f64) {
        match self {
            Self::Real(law) => law.avg = avg,
            Self::Linux(law) => law.set_average(avg),
        }
    }

    /// Packets since the last signal; the kernel's is -1 outside the band.
    pub(crate) fn count(&self) -> f64 {
        match self {
            Self::Real(law) => law.count as f64,
            Self::Linux(law) => law.count() as f64,
        }
    }

    /// Sets that, each packet of `mean` bytes.
    pub(crate) fn set_count(&mut self, count: f64, mean: Bytes) {
        match self {
            Self::Real(law) => {
                law.count = count as u64;
                law.bytes = law.count * mean.get();
            }
            Self::Linux(law) => law.set_count(count as i64),
        }
    }

    /// The probability at the upper threshold.
    pub(crate) fn max_p(&self) -> f64 {
        match self {
            Self::Real(law) => law.max_p,
            Self::Linux(law) => law.max_p(),
        }
    }

    pub(crate) fn set_max_p(&mut self, max_p: f64) {
        match self {
            Self::Real(law) => law.max_p = max_p,
            Self::Linux(law) => law.set_max_p(max_p),
        }
    }

    /// The probability now, before drops are spread; the kernel does not compute it.
    pub(crate) fn prob(&self) -> Option<f64> {
        match self {
            Self::Real(law) => Some(law.prob),
            Self::Linux(_) => None,
        }
    }

    /// The two thresholds.
    pub(crate) fn thresholds(&self) -> (f64, f64) {
        match self {
            Self::Real(law) => (law.slope.min, law.slope.max),
            Self::Linux(law) => law.thresholds(),
        }
    }

    /// The average from which every arrival is signalled.
    pub(crate) fn hard_threshold(&self) -> f64 {
        match self {
            Self::Real(law) => law.slope.hard(),
            Self::Linux(law) => law.thresholds().1,
        }
    }

    /// How it stands when the queue has been idle for so long: the kernel's timer looks at the
    /// average as it would be then.
    pub(crate) fn state(&self, idle: Option<Span>) -> AverageState {
        let (min, max) = self.thresholds();
        let avg = match self {
            Self::Real(law) => law.avg,
            Self::Linux(law) => law.average_after(idle),
        };
        AverageState {
            avg,
            min,
            max,
            max_p: self.max_p(),
        }
    }

    /// Lets `adaptation` move `max_p` at arrivals.
    pub(crate) fn adapts_at_arrivals(&mut self, adaptation: Adaptation) {
        if let Self::Real(law) = self {
            law.adaptation = Some(adaptation);
        }
    }

    /// Starts counting anew.
    pub(crate) fn forget(&mut self) {
        match self {
            Self::Real(law) => law.forget(),
            Self::Linux(law) => law.set_count(-1),
        }
    }

    /// An arrival found no room: the paper counts anew then, the kernel does not.
    pub(crate) fn overflow(&mut self) {
        if let Self::Real(law) = self {
            law.forget();
        }
    }

    /// Back to the start, with this probability at the upper threshold.
    pub(crate) fn reset(&mut self, max_p: f64) {
        match self {
            Self::Real(law) => law.reset(max_p),
            Self::Linux(law) => {
                law.set_max_p(max_p);
                law.reset();
            }
        }
    }

    /// Takes over what depends on the link; the kernel's tables are made once.
    pub(crate) fn follow(&mut self, params: &Params, preset: Preset, link: &LinkInfo, bytes: bool) {
        if let Self::Real(law) = self {
            law.follow(params, preset, link, bytes);
        }
    }
}
