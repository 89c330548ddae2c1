//! SACK blocks: taking reports in, and forgetting them.

use super::{EVER, RETRANS, SACKED, Scoreboard, Sent};

impl Scoreboard {
    /// Takes in the SACK blocks of an acknowledgement; each must lie between the first outstanding
    /// number and the last one sent. Calls `each` for every segment newly reported. Returns their
    /// bytes.
    #[inline]
    pub fn sack(&mut self, blocks: &[(u64, u64)], each: impl FnMut(&Sent)) -> u64 {
        if blocks.is_empty() {
            0
        } else {
            self.sack_blocks(blocks, each)
        }
    }

    fn sack_blocks(&mut self, blocks: &[(u64, u64)], mut each: impl FnMut(&Sent)) -> u64 {
        let mut delivered = 0;
        let mut known = [(0, 0); 4];
        for (i, &(start, end)) in blocks.iter().take(4).enumerate() {
            known[i] = (start, end);
            // What the acknowledgement before reported needs no second look.
            let inner = self.known.iter().copied().filter(|&(s, e)| s < e);
            if inner.clone().any(|(s, e)| s <= start && end <= e) {
                continue;
            }
            let largest = inner
                .filter(|&(s, e)| start <= s && e <= end)
                .max_by_key(|&(s, e)| e - s);
            let block = (start, end);
            match largest {
                Some((s, e)) => {
                    delivered += self.sack_part(start, s, block, &mut each);
                    delivered += self.sack_part(e, end, block, &mut each);
                }
                None => delivered += self.sack_part(start, end, block, &mut each),
            }
        }
        self.known = known;
        delivered
    }

    /// Marks the segments inside `block` that touch `[from, to)`.
    fn sack_part(
        &mut self,
        from: u64,
        to: u64,
        block: (u64, u64),
        each: &mut impl FnMut(&Sent),
    ) -> u64 {
        let mut delivered = 0;
        if from >= to {
            return 0;
        }
        // One before: the segment that the known part ended in.
        let mut index = self.index_of(from.max(block.0)).saturating_sub(1);
        while let Some(&entry) = self.ring.get(index) {
            if entry.seq >= to {
                break;
            }
            let inside = block.0 <= entry.seq && entry.end() <= block.1;
            if inside && entry.flags & SACKED == 0 {
                delivered += u64::from(entry.len);
                each(&entry);
                let kept = if self.keeps_repeats {
                    EVER | RETRANS
                } else {
                    EVER
                };
                self.set(index, (entry.flags & kept) | SACKED);
                self.highest_sacked = self.highest_sacked.max(entry.end());
            }
            index += 1;
        }
        delivered
    }

    /// Forgets all reports: the receiver is free to discard what it reported (RFC 2018, section 8).
    pub fn forget_sacks(&mut self) {
        for index in 0..self.ring.len() {
            let flags = self.ring[index].flags;
            self.set(index, flags & !SACKED);
        }
        self.known = [(0, 0); 4];
        self.highest_sacked = 0;
    }

    /// Forgets everything about outstanding segments, except which of them were sent twice.
    pub fn forget_all(&mut self) {
        self.forget_sacks();
        for index in 0..self.ring.len() {
            let flags = self.ring[index].flags;
            self.set(index, flags & EVER);
        }
        self.resent.clear();
        self.undecided = self.ring.gone();
        self.look_anew();
    }
}
