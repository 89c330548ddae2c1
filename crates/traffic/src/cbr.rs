//! Constant bit rate: one packet after the other at an even pace.
//!
//! The first packet leaves at the start of the flow. Each further packet leaves after the time in
//! which `rate` produces the bits of the packet before it. Sources of equal rate keep their
//! relative phase for ever, so that their start times decide whose packets a full queue drops.
//! Random start times over several replicas, or a little `jitter`, average over the phases.
//!
//! **ns-2** (`Application/Traffic/CBR`): the same; its `random_ 1` is `jitter = 0.5`.

use sojourn_base::{ParamFault, Preset, Probability, Rate, Span, params};

use crate::contract::RateOf;
use crate::{Draw, Emission, Packets, Source};

params! {
    /// Parameters of a source of constant bit rate.
    pub struct Params {
        /// Bits per second.
        rate: Rate = "";
        /// Which bytes the rate counts.
        rate_of: RateOf = "wire", Ns3 = "payload";
        /// Each gap is drawn uniformly between (1 - jitter) and (1 + jitter) times its mean.
        jitter: Probability = "0";
    }
}

/// A source of constant bit rate.
#[derive(Debug)]
pub struct Cbr {
    packets: Packets,
    rate: Rate,
    jitter: f64,
    /// Time from the last packet to the next; zero before the first.
    gap: Span,
}

impl Cbr {
    /// A source of `packets`.
    ///
    /// # Errors
    /// None so far.
    pub fn new(params: &Params, _preset: Preset, packets: Packets) -> Result<Self, ParamFault> {
        Ok(Self {
            packets: packets.counting(params.rate_of),
            rate: params.rate,
            jitter: params.jitter.0,
            gap: Span::ZERO,
        })
    }
}

impl Source for Cbr {
    fn next(&mut self, draw: &mut Draw<'_>) -> Emission {
        let payload = self.packets.payload(draw);
        let gap = self.gap;
        self.gap = self.packets.time_at(self.rate, payload);
        if self.jitter > 0.0 {
            let factor = 1.0 + self.jitter * (2.0 * draw.gaps.uniform() - 1.0);
            self.gap = Span::from_ps((self.gap.as_ps() as f64 * factor + 0.5) as u64);
        }
        Emission { gap, payload }
    }
}
