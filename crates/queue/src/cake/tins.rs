//! The tins: which codepoint goes to which, and how they share the link.

use sojourn_base::{Rate, choices};

choices! {
    /// How many tins there are.
    pub enum Diffserv {
        /// One.
        Besteffort = "besteffort",
        /// Eight, by the three bits of IP precedence.
        Precedence = "precedence",
        /// Best effort, bulk, voice.
        Diffserv3 = "diffserv3",
        /// Best effort, bulk, video, voice.
        Diffserv4 = "diffserv4",
        /// Eight, pruned from the twelve classes of RFC 4594.
        Diffserv8 = "diffserv8",
    }
}

// Codepoints by their names; CSn is 8 n, AFxy is 8 x + 2 y.
const LE: u8 = 1;
const TOS2: u8 = 2;
const TOS4: u8 = 4;
const CS1: u8 = 8;
const CS2: u8 = 16;
const CS3: u8 = 24;
const CS4: u8 = 32;
const CS5: u8 = 40;
const VA: u8 = 44;
const EF: u8 = 46;
const CS6: u8 = 48;
const CS7: u8 = 56;

/// The class x of a codepoint AFxy.
const fn assured(dscp: u8) -> Option<u8> {
    match (dscp / 8, dscp % 8) {
        (class @ 1..=4, 2 | 4 | 6) => Some(class),
        _ => None,
    }
}

impl Diffserv {
    /// The number of tins.
    pub fn tins(self) -> usize {
        match self {
            Self::Besteffort => 1,
            Self::Diffserv3 => 3,
            Self::Diffserv4 => 4,
            Self::Precedence | Self::Diffserv8 => 8,
        }
    }

    /// The tin of a codepoint; those without one of their own are best effort.
    pub fn tin(self, dscp: u8) -> usize {
        let dscp = dscp & 63;
        match self {
            Self::Besteffort => 0,
            Self::Precedence => usize::from(dscp >> 3),
            Self::Diffserv3 => match dscp {
                LE | CS1 => 1,
                TOS4 | VA | EF | CS6 | CS7 => 2,
                _ => 0,
            },
            Self::Diffserv4 => match dscp {
                LE | CS1 => 1,
                TOS4 | CS2 | CS3 => 2,
                CS4 | CS5 | VA | EF | CS6 | CS7 => 3,
                _ if assured(dscp).is_some_and(|class| class >= 2) => 2,
                _ => 0,
            },
            Self::Diffserv8 => match (dscp, assured(dscp)) {
                (LE, _) => 0,
                (TOS2 | CS1, _) | (_, Some(1)) => 1,
                (CS3, _) | (_, Some(3 | 4)) => 3,
                (TOS4, _) | (_, Some(2)) => 4,
                (CS2, _) => 5,
                (CS4 | CS5 | VA | EF, _) => 6,
                (CS6 | CS7, _) => 7,
                _ => 2,
            },
        }
    }

    /// The tin's part of a whole.
    fn part(self, tin: usize, whole: u64) -> u64 {
        match self {
            Self::Besteffort => whole,
            Self::Precedence | Self::Diffserv8 => (0..tin).fold(whole, |rate, _| rate * 7 / 8),
            Self::Diffserv3 => whole >> [0, 4, 2][tin],
            Self::Diffserv4 => whole >> [0, 4, 1, 2][tin],
        }
    }

    /// The rate up to which a tin keeps its priority.
    pub fn threshold(self, tin: usize, rate: Rate) -> Rate {
        Rate::from_bps(self.part(tin, rate.bps()).max(1)).unwrap_or(rate)
    }

    /// Bytes of a tin's turn where no shaper orders them.
    pub fn weight(self, tin: usize) -> i64 {
        let whole = match self {
            Self::Besteffort => 65_535,
            Self::Precedence | Self::Diffserv8 => 256,
            Self::Diffserv3 | Self::Diffserv4 => 1_024,
        };
        self.part(tin, whole).cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codepoints of a tin, as lists.
    fn of(mode: Diffserv, tin: usize) -> Vec<u8> {
        (0..64).filter(|&dscp| mode.tin(dscp) == tin).collect()
    }

    /// The lists of tc-cake(8).
    #[test]
    fn codepoints_have_their_tins() {
        assert_eq!(of(Diffserv::Diffserv3, 1), [1, 8]);
        assert_eq!(of(Diffserv::Diffserv3, 2), [4, 44, 46, 48, 56]);
        assert_eq!(of(Diffserv::Diffserv4, 1), [1, 8]);
        let video = [4, 16, 18, 20, 22, 24, 26, 28, 30, 34, 36, 38];
        assert_eq!(of(Diffserv::Diffserv4, 2), video);
        assert_eq!(of(Diffserv::Diffserv4, 3), [32, 40, 44, 46, 48, 56]);
        let eight: Vec<Vec<u8>> = (0..8).map(|tin| of(Diffserv::Diffserv8, tin)).collect();
        assert_eq!(eight[0], [1]);
        assert_eq!(eight[1], [2, 8, 10, 12, 14]);
        assert_eq!(eight[3], [24, 26, 28, 30, 34, 36, 38]);
        assert_eq!(eight[4], [4, 18, 20, 22]);
        assert_eq!(eight[5], [16]);
        assert_eq!(eight[6], [32, 40, 44, 46]);
        assert_eq!(eight[7], [48, 56]);
        assert_eq!(
            of(Diffserv::Precedence, 5),
            [40, 41, 42, 43, 44, 45, 46, 47]
        );
        assert_eq!(of(Diffserv::Besteffort, 0).len(), 64);
    }

    #[test]
    fn shares_of_the_link() {
        let rate = Rate::from_bps(64_000_000).unwrap();
        let mbit = |mode: Diffserv| -> Vec<f64> {
            let tins = 0..mode.tins();
            tins.map(|tin| mode.threshold(tin, rate).as_f64() / 1e6)
                .collect()
        };
        assert_eq!(mbit(Diffserv::Diffserv3), [64.0, 4.0, 16.0]);
        assert_eq!(mbit(Diffserv::Diffserv4), [64.0, 4.0, 32.0, 16.0]);
        assert_eq!(mbit(Diffserv::Diffserv8)[..3], [64.0, 56.0, 49.0]);
        assert_eq!(Diffserv::Diffserv3.weight(1), 64);
        assert_eq!(Diffserv::Precedence.weight(2), 196);
    }
}
