//! Which of many flows comes first, by a round that each of them has and that changes.

use core::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// A number of rounds, never NaN.
#[derive(Debug, Clone, Copy)]
struct Round(f64);

impl Ord for Round {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl PartialOrd for Round {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Round {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Round {}

/// Rounds of flows, the least first, of equal ones that of the first flow. Those that have been overtaken stay
/// until they come to the front: to look for them would take longer.
#[derive(Debug, Default)]
pub(super) struct Least(BinaryHeap<Reverse<(Round, usize)>>);

impl Least {
    pub(super) fn add(&mut self, round: f64, flow: usize) {
        self.0.push(Reverse((Round(round), flow)));
    }

    /// The first that `holds` still, and its flow.
    pub(super) fn first(&mut self, holds: impl Fn(f64, usize) -> bool) -> Option<(f64, usize)> {
        while let Some(&Reverse((Round(round), flow))) = self.0.peek() {
            if holds(round, flow) {
                return Some((round, flow));
            }
            self.0.pop();
        }
        None
    }

    /// Takes the first away.
    pub(super) fn drop_first(&mut self) {
        self.0.pop();
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_the_least_that_holds() {
        let mut least = Least::default();
        for (round, flow) in [(3.0, 0), (1.0, 4), (2.0, 7), (2.0, 5)] {
            least.add(round, flow);
        }
        // Flow 4 has been overtaken; of equal rounds that of the first flow comes.
        assert_eq!(least.first(|_, flow| flow != 4), Some((2.0, 5)));
        least.drop_first();
        assert_eq!(least.first(|_, _| true), Some((2.0, 7)));
        assert_eq!(least.first(|round, _| round > 2.0), Some((3.0, 0)));
        assert_eq!(least.first(|_, _| false), None);
    }
}
