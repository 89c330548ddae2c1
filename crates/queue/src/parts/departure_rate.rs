//! The rate at which packets leave a queue, measured while enough waits (RFC 8033, section 5.2).
//!
//! A measurement begins with a packet that leaves at least `threshold` bytes behind, and ends with
//! the packet that brings the bytes sent to `threshold`. The packet that begins it counts, as in
//! section 5.2; appendix B counts before it begins. The bytes counted are divided by the time, not
//! the threshold. The RFC averages times with weight 1/4, Linux averages rates with weight 1/8, and
//! ns-3 averages rates with weight 1/2.
//!
//! Linux counts in whole 256ths of a byte in 64 ns, rounded down: a rate of 1 Mbit/s is 2 of them,
//! one below 488 kbit/s is none and stays unknown, and an average below 8 never falls, since its
//! eighth is none.

use sojourn_base::{Bytes, Preset, Span, Time};

/// What is known of the rate.
#[derive(Debug, Clone, Default)]
pub struct DepartureRate {
    /// Start and bytes of the measurement under way.
    measuring: Option<(Time, u64)>,
    /// Seconds per byte, zero while unknown.
    pace: f64,
    /// Linux's rate in its stead: 256ths of a byte in a tick, zero while unknown.
    scaled: u64,
}

/// A tick of the kernel's packet schedulers, 64 ns.
const TICK_PS: u64 = 64_000;

/// The ticks that have passed at an instant.
fn ticks(now: Time) -> u64 {
    now.as_ps() / TICK_PS
}

impl DepartureRate {
    /// Whether a measurement has ended.
    pub fn is_known(&self) -> bool {
        self.pace > 0.0 || self.scaled > 0
    }

    /// The rate, zero while unknown.
    pub fn bytes_per_s(&self) -> f64 {
        if self.scaled > 0 {
            self.scaled as f64 / 256.0 / (TICK_PS as f64 * 1e-12)
        } else if self.is_known() {
            1.0 / self.pace
        } else {
            0.0
        }
    }

    /// How long so much takes at this rate, no time while it is unknown.
    pub fn time_to_send(&self, bytes: Bytes) -> Span {
        match (bytes.get() << 8).checked_div(self.scaled) {
            Some(ticks) => Span::from_ps(ticks * TICK_PS),
            None => Span::from_s(bytes.as_f64() * self.pace),
        }
    }

    /// Gives up the measurement under way.
    pub fn stop(&mut self) {
        self.measuring = None;
    }

    /// Forgets the rate too.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// A packet leaves `left` behind. Gives the time of the measurement that ends with it, if one
    /// does.
    pub fn departure(
        &mut self,
        preset: Preset,
        threshold: Bytes,
        size: Bytes,
        left: Bytes,
        now: Time,
    ) -> Option<Span> {
        if self.measuring.is_none() && left >= threshold {
            self.measuring = Some((now, 0));
        }
        let (start, bytes) = self.measuring.as_mut()?;
        *bytes += size.get();
        if *bytes < threshold.get() {
            return None;
        }
        let took = now.since(*start);
        if preset == Preset::Linux {
            let took = ticks(now) - ticks(*start);
            if took == 0 {
                // It measures on.
                return None;
            }
            let sample = (*bytes << 8) / took;
            self.scaled = if self.scaled == 0 {
                sample
            } else {
                self.scaled - (self.scaled >> 3) + (sample >> 3)
            };
        } else if took > Span::ZERO {
            let sample = took.as_s() / *bytes as f64;
            let mix = |old: f64, new: f64, weight: f64| old + weight * (new - old);
            self.pace = match preset {
                _ if self.pace == 0.0 => sample,
                Preset::Ns3 => 1.0 / mix(1.0 / self.pace, 1.0 / sample, 0.5),
                _ => mix(self.pace, sample, 0.25),
            };
        }
        let again = match preset {
            Preset::Ns3 => left > threshold,
            _ => left >= threshold,
        };
        self.measuring = again.then_some((now, 0));
        Some(took)
    }
}
