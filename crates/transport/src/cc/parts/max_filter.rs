//! The largest recent value.

use std::collections::VecDeque;

/// The largest value of a window, which is counted in rounds, cycles or other units of the owner.
///
/// Values decrease from front to back. The last one is kept however old it is.
#[derive(Debug, Clone, Default)]
pub struct MaxFilter {
    values: VecDeque<(u64, f64)>,
}

impl MaxFilter {
    /// Takes a value at the count `at`; removes values that are `window` counts old or older.
    pub fn update(&mut self, at: u64, value: f64, window: u64) {
        while self.values.back().is_some_and(|&(_, last)| last <= value) {
            self.values.pop_back();
        }
        // A smaller one of the same count would never be the largest.
        if self.values.back().is_none_or(|&(last, _)| last < at) {
            self.values.push_back((at, value));
        }
        while self.values.len() > 1 && self.values[0].0 + window <= at {
            self.values.pop_front();
        }
    }

    /// The largest; 0 before the first.
    pub fn get(&self) -> f64 {
        self.values.front().map_or(0.0, |&(_, value)| value)
    }
}
