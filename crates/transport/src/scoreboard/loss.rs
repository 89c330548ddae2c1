//! Which segments are considered lost, and which are sent again.

use sojourn_base::{Span, Time};

use super::{Deadline, EVER, LOST, RETRANS, Resent, SACKED, Scoreboard, Sent, sent_after};

/// Whether a segment is lost and was not sent again.
fn waits(entry: &Sent) -> bool {
    entry.flags & (SACKED | LOST | RETRANS) == LOST
}

impl Scoreboard {
    /// From now on [`take_losses`](Self::take_losses) returns each segment newly considered lost.
    pub fn watch_losses(&mut self) {
        self.untold = Some(Vec::new());
    }

    /// First numbers and ends of the segments considered lost since the last call.
    pub fn take_losses(&mut self) -> Vec<(u64, u64)> {
        self.untold
            .as_mut()
            .map(core::mem::take)
            .unwrap_or_default()
    }

    fn mark_lost(&mut self, index: usize) {
        let entry = self.ring[index];
        let flags = entry.flags;
        if flags & (LOST | RETRANS) != LOST {
            self.lost_ever += u64::from(entry.len);
            if let Some(untold) = &mut self.untold {
                untold.push((entry.seq, entry.end()));
            }
        }
        self.set(index, (flags | LOST) & !RETRANS);
        let number = self.ring.gone() + index as u64;
        if number < self.next_waiting {
            self.late.insert(number);
        }
    }

    /// Resets the cursor: any segment may wait to be sent again.
    pub(super) fn look_anew(&mut self) {
        self.next_waiting = self.ring.gone();
        self.late.clear();
    }

    /// Marks every unreported first transmission below a certain number as lost: RFC 6675's
    /// `IsLost`, true once more than (`dupthresh` - 1) segments' bytes or `dupthresh` ranges are
    /// reported above it. Returns the bytes newly lost.
    pub fn detect_by_count(&mut self, dupthresh: u32, mss: u32) -> u64 {
        let before = self.lost;
        if self.sacked == 0 {
            return 0;
        }
        let Some(boundary) = self.loss_boundary(dupthresh, mss) else {
            return 0;
        };
        self.decide_up_to(boundary, |_| true);
        self.lost - before
    }

    /// The index below which every unreported segment is lost by RFC 6675's rule.
    fn loss_boundary(&self, dupthresh: u32, mss: u32) -> Option<usize> {
        let most = u64::from(dupthresh - 1) * u64::from(mss);
        let mut index = self.index_of(self.highest_sacked.saturating_sub(1));
        let (mut bytes, mut ranges, mut inside) = (0, 0, false);
        loop {
            let entry = self.ring.get(index)?;
            if entry.is_sacked() {
                bytes += u64::from(entry.len);
                if !inside {
                    ranges += 1;
                }
                if bytes > most || ranges >= dupthresh {
                    return Some(index);
                }
            }
            inside = entry.is_sacked();
            index = index.checked_sub(1)?;
        }
    }

    /// Examines the undecided first transmissions below `boundary` in order, for as long as
    /// `decide` calls them lost.
    fn decide_up_to(&mut self, boundary: usize, mut decide: impl FnMut(&Sent) -> bool) {
        let mut index = self.undecided.saturating_sub(self.ring.gone()) as usize;
        while index < boundary {
            let Some(&entry) = self.ring.get(index) else {
                break;
            };
            if entry.flags & (SACKED | LOST | RETRANS) == 0 {
                if !decide(&entry) {
                    break;
                }
                self.mark_lost(index);
            } else if self.counts_unknown_once && entry.flags & (SACKED | LOST) == 0 {
                // Sent again before it was lost: it counts as in flight once from now on.
                self.lost_ever += u64::from(entry.len);
                self.set(index, entry.flags | LOST);
            }
            index += 1;
        }
        self.undecided = self.undecided.max(self.ring.gone() + index as u64);
    }

    /// Whether [`detect_by_time`](Self::detect_by_time) would find nothing: no retransmission is in
    /// flight, and the first outstanding segment was sent only once, was not reported or considered
    /// lost, and is not `overtaken`. Those behind it were sent later still.
    #[inline]
    pub(crate) fn is_settled(&self, overtaken: impl FnOnce(&Sent) -> bool) -> bool {
        self.resent.is_empty()
            && self.undecided <= self.ring.gone()
            && self.ring.front().is_none_or(|first| {
                first.flags & (SACKED | LOST | RETRANS) == 0 && !overtaken(first)
            })
    }

    /// RFC 8985, 6.2, step 5: what was sent before the latest-sent delivered segment is lost
    /// `deadline.wait` after its transmission. Returns when to look again, if anything is still
    /// undecided.
    pub fn detect_by_time(&mut self, now: Time, deadline: &Deadline) -> Option<Time> {
        let before =
            |entry: &Sent| sent_after(deadline.xmit, deadline.order, entry.xmit, entry.order);
        let boundary = self.ring.len();
        let mut again = None;
        self.decide_up_to(boundary, |entry| {
            before(entry) && entry.xmit + deadline.wait <= now
        });
        // The largest time left counts: one timer finds all of them.
        let mut index = self.undecided.saturating_sub(self.ring.gone()) as usize;
        while let Some(entry) = self.ring.get(index) {
            if entry.flags & (SACKED | LOST | RETRANS) == 0 {
                if !before(entry) {
                    break;
                }
                again = again.max(Some(entry.xmit + deadline.wait));
            }
            index += 1;
        }
        while let Some(&resent) = self.resent.front() {
            let index = self.index_of(resent.seq);
            let current = self
                .ring
                .get(index)
                .filter(|entry| entry.flags & RETRANS != 0 && entry.xmit == resent.xmit);
            let Some(entry) = current else {
                self.resent.pop_front();
                continue;
            };
            if !before(entry) {
                break;
            }
            if entry.xmit + deadline.wait > now {
                again = again.max(Some(entry.xmit + deadline.wait));
                break;
            }
            self.mark_lost(index);
            self.lost_again = resent.xmit;
            self.resent.pop_front();
        }
        again
    }

    /// Whether, behind the first segment, one is considered lost before any is reported.
    pub fn is_lost_behind_first(&self) -> bool {
        let end = self.index_of(self.highest_sacked.saturating_sub(1));
        let behind = (1..=end).filter_map(|index| self.ring.get(index));
        let mut known = behind.filter(|entry| entry.is_sacked() || entry.is_lost());
        self.sacked > 0 && known.next().is_some_and(Sent::is_lost)
    }

    /// Marks the first outstanding segment as lost.
    pub fn lose_first(&mut self) {
        if self.ring.front().is_some_and(|entry| !entry.is_sacked()) {
            self.mark_lost(0);
            self.undecided = self.undecided.max(self.ring.gone() + 1);
        }
    }

    /// Marks everything as lost that was sent at least `wait` ago and that no SACK block reported.
    pub fn lose_sent_before(&mut self, now: Time, wait: Span) {
        self.look_anew();
        for index in 0..self.ring.len() {
            let entry = self.ring[index];
            let out = entry.flags & (SACKED | LOST) == 0 || entry.flags & RETRANS != 0;
            if out && entry.xmit + wait <= now {
                self.mark_lost(index);
            }
        }
    }

    /// Marks everything as lost that no SACK block reported.
    pub fn lose_all(&mut self) {
        self.look_anew();
        for index in 0..self.ring.len() {
            let entry = self.ring[index];
            if !entry.is_sacked() {
                self.mark_lost(index);
            } else if entry.flags & RETRANS != 0 {
                self.set(index, entry.flags & !RETRANS);
            }
        }
        self.undecided = self.ring.gone() + self.ring.len() as u64;
    }

    /// Nothing counts as lost any more; what was sent again is in flight twice. What was considered
    /// lost and not sent again is never found lost by time again: Linux looks for losses along a
    /// list from which such segments have been removed (`tcp_rack_detect_loss`).
    pub fn lose_none(&mut self) {
        for index in 0..self.ring.len() {
            let flags = self.ring[index].flags;
            self.set(index, flags & !LOST);
        }
        self.look_anew();
    }

    /// The lowest segment that is lost and waits to be sent again.
    pub fn next_lost(&mut self) -> Option<Sent> {
        if self.waiting == 0 {
            return None;
        }
        while let Some(&number) = self.late.first() {
            let index = number.checked_sub(self.ring.gone());
            let late = index.and_then(|index| self.ring.get(index as usize));
            if let Some(entry) = late.filter(|entry| waits(entry)) {
                return Some(*entry);
            }
            self.late.pop_first();
        }
        let mut index = self.next_waiting.saturating_sub(self.ring.gone()) as usize;
        loop {
            let entry = *self.ring.get(index)?;
            if waits(&entry) {
                self.next_waiting = self.ring.gone() + index as u64;
                return Some(entry);
            }
            index += 1;
        }
    }

    /// The lowest segment that was sent once and was neither reported nor considered lost: ns-3's
    /// version of rule 3 of RFC 6675's `NextSeg`.
    pub fn next_unknown(&mut self) -> Option<Sent> {
        let mut index = self.next_unknown.saturating_sub(self.ring.gone()) as usize;
        while self.ring.get(index)?.flags & (SACKED | LOST | RETRANS) != 0 {
            index += 1;
        }
        self.next_unknown = self.ring.gone() + index as u64;
        self.ring.get(index).copied()
    }

    /// The same if something above it was reported: rule 3 as RFC 6675 has it.
    pub fn next_overtaken(&mut self) -> Option<Sent> {
        let highest = self.highest_sacked;
        self.next_unknown().filter(|entry| entry.seq < highest)
    }

    /// The segment that begins at `seq` is sent again.
    pub fn resend(&mut self, seq: u64, now: Time) {
        self.order = self.order.wrapping_add(1);
        let index = self.index_of(seq);
        let Some(entry) = self.ring.get_mut(index) else {
            return;
        };
        entry.xmit = now;
        entry.order = self.order;
        let flags = entry.flags;
        self.set(index, flags | RETRANS | EVER);
        self.resent.push_back(Resent { seq, xmit: now });
    }
}
