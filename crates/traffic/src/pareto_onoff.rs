//! On/off with Pareto periods: the sum of many such sources is self-similar.
//!
//! The same as `onoff`, but both periods are drawn from Pareto distributions with the same shape.
//! With a shape below 2 their variance is infinite, and averages converge slowly (Taqqu, Willinger,
//! Sherman, CCR 27(2), 1997).
//!
//! **ns-2** (`Application/Traffic/Pareto`): bursts are whole packets, and it begins with an off
//! period.

use sojourn_base::{Distribution, ParamFault, Preset, Rate, Span, params};

use crate::contract::RateOf;
use crate::onoff::OnOff;
use crate::{Draw, Emission, Packets, Source};

params! {
    /// Parameters of a Pareto on/off source.
    pub struct Params {
        /// Bits per second while on.
        rate: Rate = "";
        /// Which bytes the rate counts.
        rate_of: RateOf = "wire", Ns3 = "payload";
        /// Mean length of an on period.
        on: Span = "500 ms";
        /// Mean length of an off period.
        off: Span = "500 ms";
        /// Shape of both distributions, above 1.
        shape: f64 = "1.5";
    }
}

/// An on/off source with Pareto periods.
#[derive(Debug)]
pub struct ParetoOnOff(OnOff);

impl ParetoOnOff {
    /// A source of `packets`.
    ///
    /// # Errors
    /// A shape of 1 or less, which has no mean; an on period that is next to nothing.
    pub fn new(params: &Params, preset: Preset, packets: Packets) -> Result<Self, ParamFault> {
        if params.shape <= 1.0 {
            return Err(ParamFault::new("shape", params.shape, "a number above 1"));
        }
        let on = Distribution::pareto(params.shape, params.on);
        let off = Distribution::pareto(params.shape, params.off);
        let packets = packets.counting(params.rate_of);
        OnOff::with(params.rate, on, off, preset, packets).map(Self)
    }
}

impl Source for ParetoOnOff {
    fn next(&mut self, draw: &mut Draw<'_>) -> Emission {
        self.0.next(draw)
    }
}
