//! On/off: bursts at the peak rate with silences between them.
//!
//! During an on period the source produces bits at `rate`, and a packet leaves when its last bit is
//! produced. A packet that is unfinished at the end of an on period is finished in the next one, so
//! that the mean rate is exactly `rate * on / (on + off)`. The source begins with an on period.
//!
//! **ns-3** (`OnOffApplication`): the same, but it begins with an off period, and both periods last
//! 1 s. Over TCP it begins when the handshake is complete.
//!
//! **ns-2** (`Application/Traffic/Exponential`, `Pareto`):
//!
//! - It begins with an off period.
//! - A burst is a whole number of packets: the drawn on time divided by the time of one packet,
//!   rounded, and at least one. Short bursts therefore send more than the mean rate above.
//! - The first packet of a burst leaves one packet time after the off period.

use sojourn_base::{Distribution, Law, ParamFault, Preset, Rate, Span, params};

use crate::contract::RateOf;
use crate::{Draw, Emission, Packets, Source};

params! {
    /// Parameters of an on/off source.
    pub struct Params {
        /// Bits per second while on.
        rate: Rate = "";
        /// Which bytes the rate counts.
        rate_of: RateOf = "wire", Ns3 = "payload";
        /// Length of an on period.
        on: Distribution<Span> = "exponential(500 ms)", Ns3 = "1 s";
        /// Length of an off period.
        off: Distribution<Span> = "exponential(500 ms)", Ns3 = "1 s";
    }
}

/// The shortest mean of an on period, in packet times: below it, a packet would take millions of
/// periods to make.
const SHORTEST: f64 = 1e-4;

/// An on/off source.
#[derive(Debug)]
pub struct OnOff {
    packets: Packets,
    /// Mean time of one of them in picoseconds.
    packet_ps: f64,
    rate: Rate,
    on: Distribution<Span>,
    off: Distribution<Span>,
    state: State,
}

#[derive(Debug)]
enum State {
    /// The first call begins with an on period.
    BeginOn,
    /// What is left of the present on period.
    On { left: Span },
    /// ns-2: whole packets left in the present burst.
    Burst { left: u64 },
}

impl OnOff {
    /// A source of `packets`.
    ///
    /// # Errors
    /// An on period that is next to nothing.
    pub fn new(params: &Params, preset: Preset, packets: Packets) -> Result<Self, ParamFault> {
        let Params { rate, on, off, .. } = params.clone();
        Self::with(rate, on, off, preset, packets.counting(params.rate_of))
    }

    /// The same with the laws of its periods given.
    ///
    /// # Errors
    /// An on period that is next to nothing.
    pub fn with(
        rate: Rate,
        on: Distribution<Span>,
        off: Distribution<Span>,
        preset: Preset,
        packets: Packets,
    ) -> Result<Self, ParamFault> {
        let packet_ps = packets.mean_time_at(rate);
        refuse_brief(&on, packet_ps)?;
        let state = match preset {
            Preset::Reference | Preset::Linux => State::BeginOn,
            Preset::Ns3 => State::On { left: Span::ZERO },
            Preset::Ns2 => State::Burst { left: 0 },
        };
        Ok(Self {
            packets,
            packet_ps,
            rate,
            on,
            off,
            state,
        })
    }

    /// The gap before a packet that takes `make` to make, of which `left` are still in this period.
    fn gap_across_periods(&mut self, mut left: Span, make: Span, draw: &mut Draw<'_>) -> Span {
        let mut gap = Span::ZERO;
        let mut unmade = make;
        while left < unmade {
            unmade = unmade - left;
            gap += left + self.off.draw(draw.gaps);
            left = self.on.draw(draw.gaps);
        }
        self.state = State::On {
            left: left - unmade,
        };
        gap + unmade
    }

    /// ns-2's gap: a packet time, and before a new burst an off period.
    fn gap_in_bursts(&mut self, left: u64, make: Span, draw: &mut Draw<'_>) -> Span {
        if left > 0 {
            self.state = State::Burst { left: left - 1 };
            return make;
        }
        let burst = (self.on.draw(draw.gaps).as_ps() as f64 / self.packet_ps + 0.5) as u64;
        self.state = State::Burst {
            left: burst.max(1) - 1,
        };
        make + self.off.draw(draw.gaps)
    }
}

/// Refuses on periods that are next to nothing, for packets that take so long on average.
fn refuse_brief(on: &Distribution<Span>, packet_ps: f64) -> Result<(), ParamFault> {
    // What is below a tick of the clock is drawn as nothing at all.
    let least = (packet_ps * SHORTEST).max(1.0);
    // The mean of a file that is still to be read is not known yet.
    if on.mean() < least {
        let found = format!("a mean of {}", Span::from_ps(on.mean() as u64));
        let allowed = format!("at least {}", Span::from_ps(least as u64 + 1));
        return Err(ParamFault::new("on", found, allowed));
    }
    Ok(())
}

impl Source for OnOff {
    fn next(&mut self, draw: &mut Draw<'_>) -> Emission {
        let payload = self.packets.payload(draw);
        let make = self.packets.time_at(self.rate, payload);
        let gap = match self.state {
            State::BeginOn => {
                let left = self.on.draw(draw.gaps);
                self.gap_across_periods(left, make, draw)
            }
            State::On { left } => self.gap_across_periods(left, make, draw),
            State::Burst { left } => self.gap_in_bursts(left, make, draw),
        };
        Emission { gap, payload }
    }

    fn laws(&mut self, show: &mut dyn FnMut(&mut dyn Law)) -> Result<(), ParamFault> {
        show(&mut self.on);
        show(&mut self.off);
        refuse_brief(&self.on, self.packet_ps)
    }
}
