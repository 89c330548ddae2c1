//! When timers of Linux expire: never early, and the later the further away they are set.
//!
//! **Source**: the kernel's timer wheel (`kernel/time/timer.c`, since 4.8). Its clock counts ticks
//! of `1 / HZ`. A timer of less than 63 ticks expires at the tick behind its own; one of less than
//! 8 times as many at the next multiple of 8 ticks, and so on: each of nine levels is 8 times as
//! coarse as the one below. So a timeout of 240 ms comes up to 9 ms late at 1000 Hz, and one of 1 s
//! up to 65 ms.

use sojourn_base::{Span, Time};

/// Buckets of a level less one, which its coarseness may take away.
const BUCKETS: u64 = 63;
/// Each level is so many powers of two coarser than the one below.
const SHIFT: u32 = 3;
const LEVELS: u32 = 9;

/// When a timer expires that is set at `now` for `wait` later. Not inlined, since only Linux's have
/// it.
#[inline(never)]
pub fn expiry(now: Time, wait: Span, tick: Span) -> Time {
    let tick = tick.as_ps();
    let ticks = wait.as_ps().div_ceil(tick);
    let level = (0..LEVELS - 1)
        .find(|level| ticks < BUCKETS << (SHIFT * level))
        .unwrap_or(LEVELS - 1);
    let shift = SHIFT * level;
    let at = (((now.as_ps() / tick + ticks) >> shift) + 1) << shift;
    Time::ZERO + Span::from_ps(at.saturating_mul(tick))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// At 1000 Hz: 62 ticks are of the first level, 63 of the second, 504 of the third.
    #[test]
    fn the_further_away_the_later() {
        let expires = |now_us: u64, wait_us: u64| {
            let now = Time::ZERO + Span::from_us(now_us);
            let at = expiry(now, Span::from_us(wait_us), Span::from_ms(1));
            at.since(Time::ZERO).as_ps() / 1_000_000
        };
        assert_eq!(expires(0, 0), 1_000);
        assert_eq!(expires(10_400, 40_000), 51_000);
        assert_eq!(expires(10_400, 39_001), 51_000, "ticks are rounded up");
        assert_eq!(expires(0, 62_000), 63_000);
        assert_eq!(expires(0, 63_000), 64_000);
        assert_eq!(expires(0, 64_000), 72_000, "never at its own tick");
        assert_eq!(expires(5_000, 240_000), 248_000);
        assert_eq!(expires(0, 503_000), 504_000);
        assert_eq!(expires(0, 504_000), 512_000);
        assert_eq!(expires(0, 1_000_000), 1_024_000);
        assert_eq!(expires(0, 120_000_000), 122_880_000);
    }
}
