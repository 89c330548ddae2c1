//! How Linux paces: by the clock of its pacing rate, and in bursts, since what is handed down is a
//! buffer of several segments (`tcp_tso_autosize`). The room that it makes in these where the least
//! RTT is below 8 ms is left out.

/// A buffer holds what the rate sends in 2^-10 s.
const A_SECOND: f64 = 1024.0;
/// Its most bytes: 64 KiB with all headers.
pub(crate) const MOST: u64 = 65_215;
/// So many segments of a connection go out unpaced.
pub(crate) const UNPACED: u64 = 10;

/// Times the window over the RTT in slow start, while the window is below half the threshold, and
/// in congestion avoidance (`tcp_pacing_ss_ratio`, `tcp_pacing_ca_ratio`).
const SS_RATIO: f64 = 2.0;
const CA_RATIO: f64 = 1.2;

/// The pacing rate in bytes a second of a window of `cwnd` bytes, which is one of `early` slow
/// start or not (`tcp_update_pacing_rate`).
pub(crate) fn usual_rate(cwnd: u64, early: bool, srtt_s: f64) -> f64 {
    let ratio = if early { SS_RATIO } else { CA_RATIO };
    ratio * cwnd as f64 / srtt_s
}

/// The segments of `mss` bytes that go out at once at `rate` bytes a second, `least` at least.
pub(crate) fn at_once(rate: f64, mss: f64, least: u8) -> u8 {
    let segments = (rate / A_SECOND).min(MOST as f64) / mss;
    (segments as u8).clamp(least, 127)
}
