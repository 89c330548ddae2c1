//! How Linux paces: by the clock of its pacing rate, and in bursts, since what is handed down is a
//! buffer of several segments (`tcp_tso_autosize`). The room that it makes in these where the least
//! RTT is below 8 ms is left out.

/// A buffer holds what the rate sends in 2^-10 s.
const A_SECOND: f64 = 1024.0;
/// Its most bytes: 64 KiB with all headers.
pub(crate) const MOST: u64 = 65_215;
/// So many segments of a connection go out unpaced.
pub(crate) const UNPACED: u64 = 10;

/// The segments of `mss` bytes that go out at once at `rate` bytes a second, `least` at least.
pub(crate) fn at_once(rate: f64, mss: f64, least: u8) -> u8 {
    let segments = (rate / A_SECOND).min(MOST as f64) / mss;
    (segments as u8).clamp(least, 127)
}
