//! How delays are distributed: quantiles of what packets wait on links and take from end to end.

use crate::Sketch;

/// The shares of packets whose greatest delay is told: close together at both ends, since tails
/// are what is looked at.
pub const SHARES: [f64; 27] = [
    0.0, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7,
    0.75, 0.8, 0.85, 0.9, 0.95, 0.975, 0.99, 0.995, 0.999, 1.0,
];

/// The delays of the packets of one entity in the window.
#[derive(Debug, Clone, PartialEq)]
pub struct Delays {
    /// `link`: queueing delays; `group` or `total`: one-way delays of flows.
    pub entity: &'static str,
    /// Its name.
    pub name: String,
    /// One quantile for each of [`SHARES`], in seconds.
    pub quantiles_s: Vec<f64>,
}

impl Delays {
    /// Those that `sketch` holds, of an entity that had a packet.
    pub(crate) fn of(entity: &'static str, name: &str, sketch: &Sketch) -> Option<Self> {
        (sketch.count() > 0).then(|| Self {
            entity,
            name: name.to_owned(),
            quantiles_s: sketch.quantiles_s(&SHARES).to_vec(),
        })
    }
}
