//! The random generator, pinned for ever: the same seed gives the same run in every version.
//!
//! xoshiro256++ 1.0 (Blackman and Vigna, 2019, public domain), seeded through `SplitMix64`. Each
//! random role of each entity has a stream of its own, so that what one part draws never shifts
//! what another sees: two disciplines face the very same arrivals (common random numbers).

/// A stream of random numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    state: [u64; 4],
}

/// The finaliser of `SplitMix64`: a bijection that scatters every bit.
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// FNV-1a over the bytes of a name, 64 bits.
const fn hash_name(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    let mut i = 0;
    while i < bytes.len() {
        hash = (hash ^ bytes[i] as u64).wrapping_mul(0x0000_0100_0000_01B3);
        i += 1;
    }
    hash
}

impl Stream {
    /// The stream of a bare seed.
    pub const fn new(seed: u64) -> Self {
        const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
        let mut state = [0; 4];
        let mut i = 0;
        while i < 4 {
            state[i] = mix(seed.wrapping_add(GOLDEN.wrapping_mul(i as u64 + 1)));
            i += 1;
        }
        Self { state }
    }

    /// The stream of one role of one entity in one replica: say `("gaps", "cbr.0")`. It depends
    /// on nothing else, in particular not on the point of a sweep.
    pub const fn named(seed: u64, replica: u64, role: &str, entity: &str) -> Self {
        let mut key = mix(seed ^ 0x736F_6A6F_7572_6E00);
        key = mix(key ^ replica);
        key = mix(key ^ hash_name(role));
        key = mix(key ^ hash_name(entity));
        Self::new(key)
    }

    /// The next 64 random bits.
    #[inline]
    pub const fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[0].wrapping_add(s[3]).rotate_left(23).wrapping_add(s[0]);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in [0, 1), a multiple of 2^-53.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        const UNIT: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.bits() >> 11) as f64 * UNIT
    }

    /// True with probability `p`: never for 0, always for 1.
    #[inline]
    pub fn chance(&mut self, p: f64) -> bool {
        self.uniform() < p
    }

    /// Uniform among `0 .. n` without bias (Lemire 2019).
    ///
    /// # Panics
    /// If `n` is zero.
    pub fn below(&mut self, n: u64) -> u64 {
        assert!(n > 0, "nothing to choose from");
        let threshold = n.wrapping_neg() % n;
        loop {
            let wide = u128::from(self.bits()) * u128::from(n);
            if wide as u64 >= threshold {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Exponential with the given mean, by inversion.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.uniform())
    }

    /// Pareto with the given shape (above 1) and mean, by inversion: `P(X > x) = (m/x)^shape`
    /// from `m = mean (shape - 1) / shape` on.
    pub fn pareto(&mut self, shape: f64, mean: f64) -> f64 {
        let least = mean * (shape - 1.0) / shape;
        least * libm::pow(1.0 - self.uniform(), -1.0 / shape)
    }

    /// Standard normal, by Box and Muller's transform; the second value is thrown away, so that
    /// every draw costs the stream the same.
    pub fn normal(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.uniform()));
        radius * libm::cos(core::f64::consts::TAU * self.uniform())
    }

    /// Log-normal with the given mean, and standard deviation `sigma` of its logarithm.
    pub fn lognormal(&mut self, sigma: f64, mean: f64) -> f64 {
        mean * libm::exp(sigma * self.normal() - 0.5 * sigma * sigma)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// xoshiro256++ from state 1, 2, 3, 4: first outputs of the authors' reference code, also
    /// the test vector of the `rand_xoshiro` crate.
    #[test]
    fn the_generator_is_xoshiro256_plus_plus() {
        let mut stream = Stream {
            state: [1, 2, 3, 4],
        };
        let expected = [
            41_943_041,
            58_720_359,
            3_588_806_011_781_223,
            3_591_011_842_654_386,
            9_228_616_714_210_784_205,
            9_973_669_472_204_895_162,
        ];
        for value in expected {
            assert_eq!(stream.bits(), value);
        }
    }

    /// `SplitMix64` from seed 1234567: the reference code's first outputs.
    #[test]
    fn the_seed_is_spread_by_splitmix64() {
        assert_eq!(
            Stream::new(1_234_567).state[..2],
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973]
        );
    }

    /// These values never change: a run's seed means the same in every version.
    #[test]
    fn golden_values() {
        let stream = || Stream::named(1, 0, "gaps", "cbr.0");
        let drawn = [
            stream().bits(),
            stream().uniform().to_bits(),
            stream().exponential(0.5).to_bits(),
            stream().pareto(1.5, 0.5).to_bits(),
            stream().normal().to_bits(),
            stream().lognormal(0.7, 0.5).to_bits(),
            stream().below(1000),
        ];
        let golden = [
            12_526_107_129_813_528_923,
            4_604_291_482_792_255_678,
            4_603_293_307_630_977_584,
            4_600_076_377_698_560_890,
            4_607_315_806_885_233_767,
            4_605_422_379_541_654_734,
            679,
        ];
        assert_eq!(drawn, golden);
    }

    #[test]
    fn streams_differ_in_each_part_of_their_name() {
        let first = |seed, replica, role, entity| Stream::named(seed, replica, role, entity).bits();
        let base = first(1, 0, "gaps", "a");
        for other in [
            first(2, 0, "gaps", "a"),
            first(1, 1, "gaps", "a"),
            first(1, 0, "sizes", "a"),
            first(1, 0, "gaps", "b"),
        ] {
            assert_ne!(base, other);
        }
    }

    #[test]
    fn moments_are_those_of_the_distributions() {
        const N: usize = 200_000;
        let mean = |draw: &mut dyn FnMut() -> f64| (0..N).map(|_| draw()).sum::<f64>() / N as f64;
        let mut s = Stream::new(7);
        assert!((mean(&mut || s.uniform()) - 0.5).abs() < 0.003);
        assert!((mean(&mut || s.exponential(2.0)) - 2.0).abs() < 0.02);
        assert!((mean(&mut || s.pareto(3.0, 2.0)) - 2.0).abs() < 0.02);
        assert!(mean(&mut || s.normal()).abs() < 0.01);
        assert!((mean(&mut || s.lognormal(0.5, 2.0)) - 2.0).abs() < 0.02);
        assert!((mean(&mut || s.below(10) as f64) - 4.5).abs() < 0.03);
        assert!((mean(&mut || f64::from(s.chance(0.3))) - 0.3).abs() < 0.005);
    }

    #[test]
    fn chance_is_exact_at_its_ends() {
        let mut s = Stream::new(1);
        assert!((0..10_000).all(|_| !s.chance(0.0)));
        assert!((0..10_000).all(|_| s.chance(1.0)));
    }
}
