//! What one run gives.

mod packed;

use sojourn_measure::{Series, Tables, TransferRow};

/// What one run gives.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Outcome {
    /// Its metrics.
    pub tables: Tables,
    /// Its time series, where they were asked for.
    pub series: Vec<Series>,
    /// Each of its transfers, where that was asked for.
    pub transfers: Vec<TransferRow>,
}
