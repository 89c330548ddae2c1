//! Data that arrived out of order, and how it is reported.

use crate::wire::SackBlocks;

use super::Receiver;

impl Receiver {
    /// The number of reported blocks that are newer than the one that an arriving range will
    /// extend; all if it extends none.
    pub(super) fn newer_than(&self, start: u64, end: u64) -> usize {
        let told = self.recent.iter().filter(|range| range.0 > self.rcv_nxt);
        told.take_while(|range| range.1 < start || end < range.0)
            .count()
    }

    /// Takes in the ranges that the number expected has reached.
    pub(super) fn absorb(&mut self) {
        while let Some(&(start, end)) = self.ranges.front() {
            if start > self.rcv_nxt {
                break;
            }
            self.rcv_nxt = self.rcv_nxt.max(end);
            self.ranges.pop_front();
        }
    }

    /// The first range that does not end before `start`. New data extends the last range or begins
    /// one behind it; only for retransmissions is a search needed.
    fn place_of(&self, start: u64) -> usize {
        let ends_before = |&(_, to): &(u64, u64)| to < start;
        let last = self.ranges.len().saturating_sub(1);
        if last
            .checked_sub(1)
            .is_none_or(|i| ends_before(&self.ranges[i]))
        {
            return last + usize::from(self.ranges.back().is_some_and(ends_before));
        }
        self.ranges.partition_point(ends_before)
    }

    /// Adds a range that arrived out of order, and joins it with those that it touches.
    pub(super) fn insert(&mut self, mut start: u64, mut end: u64) {
        let at = self.place_of(start);
        if let Some(&(from, to)) = self.ranges.get(at)
            && from <= start
            && end <= to
        {
            self.duplicate = (start, end);
        }
        let mut joined = 0;
        while let Some(&(from, to)) = self.ranges.get(at + joined) {
            if from > end {
                break;
            }
            start = start.min(from);
            end = end.max(to);
            joined += 1;
        }
        if joined == 0 {
            self.ranges.insert(at, (start, end));
        } else {
            self.ranges[at] = (start, end);
            self.ranges.drain(at + 1..at + joined);
        }
        // Newest first, without those that it has taken in.
        self.recent.rotate_right(1);
        self.recent[0] = (start, end);
        let mut kept = 1;
        for i in 1..self.recent.len() {
            let other = self.recent[i];
            if !(start..end).contains(&other.0) {
                self.recent[kept] = other;
                kept += 1;
            }
        }
        self.recent[kept..].fill((0, 0));
    }

    /// Writes the blocks where they will be kept: what is written in pieces and right afterwards
    /// copied as a whole defeats store forwarding.
    pub(super) fn report(&mut self, blocks: &mut SackBlocks) {
        let duplicate = core::mem::take(&mut self.duplicate);
        if !self.config.sack {
            return;
        }
        let most = if self.config.timestamps { 3 } else { 4 };
        if duplicate.0 < duplicate.1 {
            blocks.push(duplicate);
        }
        for range in &self.recent {
            if blocks.as_slice().len() == most {
                break;
            }
            // Those below have been taken in, and there is none at the number expected.
            if range.0 > self.rcv_nxt {
                blocks.push(*range);
            }
        }
    }
}
