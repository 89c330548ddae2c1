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

/// Rounds of flows, the least first, of equal ones that of the first flow.
#[derive(Debug, Default)]
pub(super) struct Least(BinaryHeap<Reverse<(Round, usize)>>);

impl Least {
    pub(super) fn add(&mut self, round: f64, flow: usize) {
        self.0.push(Reverse((Round(round), flow)));
    }

    /// The first, and its flow.
    pub(super) fn first(&self) -> Option<(f64, usize)> {
        let Reverse((Round(round), flow)) = *self.0.peek()?;
        Some((round, flow))
    }

    /// Takes the first away.
    pub(super) fn drop_first(&mut self) {
        self.0.pop();
    }

    /// The flow of the first has another round.
    pub(super) fn replace_first(&mut self, round: f64) {
        if let Some(mut first) = self.0.peek_mut() {
            first.0.0 = Round(round);
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_is_the_least() {
        let mut least = Least::default();
        for (round, flow) in [(3.0, 0), (1.0, 4), (2.0, 7), (2.0, 5)] {
            least.add(round, flow);
        }
        assert_eq!(least.first(), Some((1.0, 4)));
        least.replace_first(4.0);
        // Of equal rounds that of the first flow comes.
        let rest = [(2.0, 5), (2.0, 7), (3.0, 0), (4.0, 4)];
        for first in rest {
            assert_eq!(least.first(), Some(first));
            least.drop_first();
        }
        assert_eq!(least.first(), None);
    }
}
