//! Finds the longest of many queues, from which a packet is dropped: each arrival above the limit
//! asks for it.
//!
//! A heap holds for each queue an entry that is at least as long as the queue. A queue that grows
//! adds an entry. The entry of a queue that shrinks stays until it comes to the front, and is
//! corrected only then, so that the ways in which a queue loses packets need not be reported. There
//! is no heap before the first question, nor with few queues, which are compared one by one.

use std::collections::BinaryHeap;

/// So few are asked one by one.
const FEW: usize = 16;

/// So many entries for each queue, and the heap is given up until it is asked for again.
const MOST_ENTRIES: usize = 4;

/// Lengths of queues, each with the queue's number. A key is the length, and behind it what decides
/// between equal ones; it becomes less whenever its queue shrinks.
#[derive(Debug)]
pub struct Longest<K> {
    /// None where there is no heap.
    heap: BinaryHeap<(K, u32)>,
    /// How many queues there were when it was made.
    queues: usize,
}

impl<K: Ord> Default for Longest<K> {
    fn default() -> Self {
        Self {
            heap: BinaryHeap::new(),
            queues: 0,
        }
    }
}

impl<K: Ord + Copy> Longest<K> {
    /// A queue has become longer.
    #[inline]
    pub fn grew(&mut self, queue: u32, key: impl FnOnce() -> K) {
        if self.heap.is_empty() {
            return;
        }
        if self.heap.len() < MOST_ENTRIES * self.queues {
            self.heap.push((key(), queue));
        } else {
            self.clear();
        }
    }

    /// The queue with the greatest key, of `queues`; all that hold anything are among these. Each
    /// has its own `key`.
    pub fn first(
        &mut self,
        queues: impl ExactSizeIterator<Item = u32>,
        key: impl Fn(u32) -> K,
    ) -> Option<u32> {
        if queues.len() <= FEW {
            self.clear();
            return queues.max_by_key(|&queue| key(queue));
        }
        if self.heap.is_empty() {
            self.queues = queues.len();
            self.heap.extend(queues.map(|queue| (key(queue), queue)));
        }
        while let Some(mut greatest) = self.heap.peek_mut() {
            let (noted, queue) = *greatest;
            let now = key(queue);
            if now == noted {
                return Some(queue);
            }
            greatest.0 = now;
        }
        None
    }

    /// Nothing waits any more.
    pub fn clear(&mut self) {
        self.heap.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use core::cmp::Reverse;
    use sojourn_base::Stream;

    /// Against asking all of them, while they grow and shrink, and of equal ones the first counts.
    #[test]
    fn it_is_the_one_that_is_found_by_asking_all() {
        for count in [3_u32, 40] {
            let mut random = Stream::new(count.into());
            let mut lengths = vec![0_u64; count as usize];
            let mut longest = Longest::default();
            for _ in 0..20_000 {
                let queue = random.below(count.into()) as u32;
                let key = |lengths: &[u64], queue: u32| (lengths[queue as usize], Reverse(queue));
                match random.below(5) {
                    0 | 1 => {
                        lengths[queue as usize] += random.below(3) + 1;
                        longest.grew(queue, || key(&lengths, queue));
                    }
                    2 => lengths[queue as usize] /= 2,
                    _ => {
                        let first = longest.first(0..count, |queue| key(&lengths, queue));
                        let expected = (0..count).max_by_key(|&queue| key(&lengths, queue));
                        assert_eq!(first, expected);
                        lengths[first.unwrap() as usize] /= 3;
                    }
                }
            }
        }
    }
}
