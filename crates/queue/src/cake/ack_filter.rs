//! The ACK filter: an acknowledgement that a later one in the queue says better is dropped.

use sojourn_base::choices;

use crate::parts::Fifo;
use crate::{AckView, Packet, Sack};

choices! {
    /// Whether acknowledgements are thinned out.
    pub enum AckFilter {
        /// All are kept.
        No = "no",
        /// At least one redundant one is kept in the queue.
        Yes = "yes",
        /// None need be kept.
        Aggressive = "aggressive",
    }
}

impl AckFilter {
    /// The place in `queue` of an acknowledgement that its newest packet makes redundant: the first
    /// of two, or under `aggressive` a single one right before the newest.
    pub fn redundant<P: Packet>(self, queue: &Fifo<P>) -> Option<usize> {
        if self == Self::No {
            return None;
        }
        let last = queue.len().checked_sub(1)?;
        let newest = queue.get(last)?.ack()?;
        let mut found: Option<(usize, AckView)> = None;
        for place in 0..last {
            let ack = queue.get(place).and_then(Packet::ack);
            let Some(ack) = ack.filter(|ack| ack.connection == newest.connection) else {
                continue;
            };
            // One whose flags change with the next one carries what no later one says.
            found = found.filter(|(_, first)| same_flags(first, &ack));
            if !says_no_more(&ack, &newest) {
                continue;
            }
            if let Some((first, _)) = found {
                return Some(first);
            }
            found = Some((place, ack));
        }
        let (place, ack) = found?;
        let directly_before = place + 1 == last && same_flags(&ack, &newest);
        (self == Self::Aggressive && directly_before).then_some(place)
    }
}

fn same_flags(one: &AckView, other: &AckView) -> bool {
    (one.ece, one.cwr) == (other.ece, other.cwr)
}

/// Whether `old` tells its sender nothing that `new` does not.
fn says_no_more(old: &AckView, new: &AckView) -> bool {
    let not_newer = match (old.stamps, new.stamps) {
        (None, _) => true,
        (Some((value, echo)), Some((new_value, new_echo))) => {
            value <= new_value && echo <= new_echo
        }
        (Some(stamps), None) => stamps == (0, 0),
    };
    if !old.pure || !not_newer || old.number > new.number {
        return false;
    }
    match gain(old, new) {
        Gain::Less => false,
        Gain::Equal => old.number < new.number,
        Gain::More => true,
    }
}

/// How the SACK option of the newer compares.
enum Gain {
    Less,
    Equal,
    More,
}

fn gain(old: &AckView, new: &AckView) -> Gain {
    let (olds, news) = match (old.sack, new.sack) {
        (Sack::None, Sack::None) => return Gain::Equal,
        (Sack::None, _) => return Gain::More,
        (Sack::Blocks(olds), Sack::Blocks(news)) => (olds, news),
        _ => return Gain::Less,
    };
    let held = |blocks: [(u64, u64); 4]| {
        let filled = move |(start, end): &(u64, u64)| start < end;
        blocks.into_iter().filter(filled)
    };
    for (start, end) in held(olds) {
        let is_duplicate = start < old.number;
        let is_covered = held(news).any(|(from, to)| from <= start && end <= to);
        if is_duplicate || !is_covered {
            return Gain::Less;
        }
    }
    let bytes = |blocks| -> u64 { held(blocks).map(|(start, end)| end - start).sum() };
    if bytes(news) > bytes(olds) {
        Gain::More
    } else {
        Gain::Equal
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ack(number: u64) -> AckView {
        AckView {
            connection: 1,
            number,
            pure: true,
            ece: false,
            cwr: false,
            sack: Sack::None,
            stamps: None,
        }
    }

    fn sack(number: u64, blocks: &[(u64, u64)]) -> AckView {
        let mut all = [(0, 0); 4];
        all[..blocks.len()].copy_from_slice(blocks);
        AckView {
            sack: Sack::Blocks(all),
            ..ack(number)
        }
    }

    #[test]
    fn numbers_and_stamps_must_not_fall() {
        assert!(says_no_more(&ack(100), &ack(200)));
        assert!(!says_no_more(&ack(100), &ack(100)), "a duplicate counts");
        assert!(!says_no_more(&ack(200), &ack(100)));
        let stamped = |number, stamps| AckView {
            stamps: Some(stamps),
            ..ack(number)
        };
        assert!(says_no_more(&stamped(1, (5, 5)), &stamped(2, (5, 6))));
        assert!(!says_no_more(&stamped(1, (6, 5)), &stamped(2, (5, 6))));
        assert!(!says_no_more(&stamped(1, (5, 7)), &stamped(2, (5, 6))));
        assert!(!says_no_more(&stamped(1, (5, 5)), &ack(2)), "stamps lost");
        assert!(says_no_more(&stamped(1, (0, 0)), &ack(2)), "none to lose");
        let data = AckView {
            pure: false,
            ..ack(100)
        };
        assert!(!says_no_more(&data, &ack(200)));
        assert!(says_no_more(
            &ack(100),
            &AckView {
                number: 200,
                ..data
            }
        ));
    }

    #[test]
    fn sack_blocks_must_be_covered() {
        let old = sack(100, &[(300, 400)]);
        assert!(says_no_more(&old, &sack(100, &[(300, 500)])), "more");
        assert!(says_no_more(&old, &sack(100, &[(600, 700), (300, 400)])));
        assert!(!says_no_more(&old, &sack(100, &[(300, 400)])), "the same");
        assert!(says_no_more(&old, &sack(200, &[(300, 400)])));
        assert!(!says_no_more(&old, &sack(100, &[(350, 500)])));
        assert!(!says_no_more(&old, &ack(500)), "only blocks cover blocks");
        assert!(says_no_more(&ack(100), &old));
        let duplicate = sack(500, &[(300, 400)]);
        assert!(!says_no_more(&duplicate, &sack(600, &[(300, 400)])));
        let next = sack(300, &[(300, 400)]);
        let more = sack(300, &[(300, 500)]);
        assert!(says_no_more(&next, &more), "no duplicate at its number");
        let hidden = AckView {
            sack: Sack::Hidden,
            ..ack(100)
        };
        assert!(says_no_more(&ack(100), &hidden));
        assert!(!says_no_more(&hidden, &sack(200, &[(0, 900)])));
    }
}
