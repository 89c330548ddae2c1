//! Poisson arrivals: exponential gaps, independent of each other and of the sizes.
//!
//! The mean gap is the mean packet size, limited to what IP can carry, divided by the rate. With
//! `payload = "exponential(500 B)"` and no header, a link that this source feeds is an M/M/1 queue;
//! with a constant payload it is M/D/1. The first packet leaves one gap after the start of the
//! flow.

use sojourn_base::{ParamFault, Preset, Rate, Span, params};

use crate::contract::RateOf;
use crate::{Draw, Emission, Packets, Source};

params! {
    /// Parameters of a Poisson source.
    pub struct Params {
        /// Mean bits per second.
        rate: Rate = "";
        /// Which bytes the rate counts.
        rate_of: RateOf = "wire", Ns3 = "payload";
    }
}

/// A Poisson source.
#[derive(Debug)]
pub struct Poisson {
    packets: Packets,
    mean_gap_ps: f64,
}

impl Poisson {
    /// A source of `packets`.
    ///
    /// # Errors
    /// None so far.
    pub fn new(params: &Params, _preset: Preset, packets: Packets) -> Result<Self, ParamFault> {
        let packets = packets.counting(params.rate_of);
        let mean_gap_ps = packets.mean_time_at(params.rate);
        Ok(Self {
            packets,
            mean_gap_ps,
        })
    }
}

impl Source for Poisson {
    fn next(&mut self, draw: &mut Draw<'_>) -> Emission {
        let gap = Span::from_ps((draw.gaps.exponential(self.mean_gap_ps) + 0.5) as u64);
        Emission {
            gap,
            payload: self.packets.payload(draw),
        }
    }
}
