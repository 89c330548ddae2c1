//! The hashes that map a flow to its bucket.

use sojourn_base::random::mix;

/// A key scattered under a salt: `SplitMix64`'s finaliser over both.
pub fn salted(key: u64, salt: u64) -> u64 {
    mix(key.wrapping_add(0x9E37_79B9_7F4A_7C15) ^ salt)
}

/// The bucket of a flow under a salt, without bias.
pub fn salted_bucket(flow: u64, salt: u64, buckets: u32) -> u32 {
    ((u128::from(salted(flow, salt)) * u128::from(buckets)) >> 64) as u32
}

/// The bucket of a pair of addresses in ns-2.35's SFQ: a function of their sum k alone,
/// k + k/256 - k/16 - 1. Its sum is 32 bits wide and may wrap; where ns-2 would then reach outside
/// its table, the remainder is taken as a positive one.
pub fn ns2_bucket(source: u32, destination: u32, buckets: u32) -> u32 {
    const PRIME: i64 = (1 << 20) - 1;
    let k = i64::from(source.wrapping_add(destination).cast_signed());
    let mixed = k + (k >> 8) - (k >> 4) - 1;
    (mixed % PRIME).rem_euclid(i64::from(buckets)) as u32
}

/// The bucket of a source address in ns-2.35's DRR: i + i/256 + ~(i/16), modulo a number near 2^24.
pub fn ns2_source_bucket(source: u32, buckets: u32) -> u32 {
    const MODULUS: i64 = (2 << 23) - 1;
    let i = i64::from(source.cast_signed());
    let mixed = i + (i >> 8) + !(i >> 4);
    (mixed % MODULUS + 1).rem_euclid(i64::from(buckets)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sources 0 to 15 towards node 17: the last two share a bucket, as measured on ns-2.35 (2 and
    /// 1 packets where others have 2 or 3).
    #[test]
    fn the_burst_of_sixteen_sources_has_one_collision() {
        let bucket: Vec<u32> = (0..16).map(|source| ns2_bucket(source, 17, 16)).collect();
        assert_eq!(bucket[..3], [15, 0, 1]);
        assert_eq!(bucket[14], bucket[15]);
        let mut distinct = bucket.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), 15);
    }

    /// The first numbers of `SplitMix64` with seed 0, as its authors publish them: its state goes
    /// in steps of the golden ratio.
    #[test]
    fn a_salt_of_zero_is_splitmix64() {
        const STEP: u64 = 0x9E37_79B9_7F4A_7C15;
        assert_eq!(salted(0, 0), 0xE220_A839_7B1D_CDAF);
        assert_eq!(salted(STEP, 0), 0x6E78_9E6A_A1B9_65F4);
        assert_eq!(salted(STEP.wrapping_mul(2), 0), 0x06C4_5D18_8009_454F);
        assert_eq!(
            salted(0, STEP),
            0,
            "a salt equal to the state takes it away"
        );
    }

    #[test]
    fn swapped_addresses_share_a_bucket() {
        assert_eq!(ns2_bucket(1, 4, 16), ns2_bucket(4, 1, 16));
        assert_eq!(ns2_bucket(1, 4, 16), ns2_bucket(2, 3, 16));
    }

    /// Worked out by hand. 2^21 + 2^13 - 2^17 - 1 exceeds 2^20 - 1 by 925 696 = 16 x 57 856; 2^25 +
    /// 2^17
    /// - 2^21 - 1 exceeds 2^24 - 1 by 14 811 136 = 16 x 925 696, and one is added.
    #[test]
    fn large_addresses_are_taken_modulo_as_by_ns2() {
        assert_eq!(ns2_bucket(0, 256, 16), (256 + 1 - 16 - 1) % 16);
        assert_eq!(ns2_bucket(1 << 20, 1 << 20, 16), 0);
        assert_eq!(ns2_source_bucket(260, 16), (260 + 1 - 17 + 1) % 16);
        assert_eq!(ns2_source_bucket(1 << 25, 16), 1);
    }

    #[test]
    fn every_bucket_is_in_range_and_salt_moves_flows() {
        for flow in 0..1000 {
            assert!(salted_bucket(flow, 7, 13) < 13);
            assert!(ns2_bucket(flow as u32, u32::MAX, 13) < 13);
            assert!(ns2_source_bucket(u32::MAX - flow as u32, 13) < 13);
        }
        let moved = (0..1000).filter(|&f| salted_bucket(f, 1, 1024) != salted_bucket(f, 2, 1024));
        assert!(moved.count() > 990);
    }
}
