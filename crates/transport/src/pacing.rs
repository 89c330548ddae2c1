//! How Linux paces: by the clock of its pacing rate, and in bursts, since segments are passed down
//! in buffers of several (`tcp_tso_autosize`). The larger buffers that it uses where the least RTT
//! is below 8 ms are left out.

/// A buffer holds what the rate sends in 2^-10 s.
const A_SECOND: f64 = 1024.0;
/// The largest number of bytes of a buffer: 64 KiB with all headers.
pub(crate) const MOST: u64 = 65_215;
/// This many segments of a connection are sent unpaced.
pub(crate) const UNPACED: u64 = 10;

/// In slow start, while the window is below half the threshold, the pacing rate is this multiple of
/// the window over the RTT; in congestion avoidance it is `CA_RATIO` times that
/// (`tcp_pacing_ss_ratio`, `tcp_pacing_ca_ratio`).
const SS_RATIO: f64 = 2.0;
const CA_RATIO: f64 = 1.2;

/// The pacing rate in bytes a second for a window of `cwnd` bytes; `early` if it is below half the
/// threshold in slow start (`tcp_update_pacing_rate`).
pub(crate) fn usual_rate(cwnd: u64, early: bool, srtt_s: f64) -> f64 {
    let ratio = if early { SS_RATIO } else { CA_RATIO };
    ratio * cwnd as f64 / srtt_s
}

/// The number of segments of `mss` bytes that are sent at once at `rate` bytes a second, at least
/// `least`.
pub(crate) fn at_once(rate: f64, mss: f64, least: u8) -> u8 {
    let segments = (rate / A_SECOND).min(MOST as f64) / mss;
    (segments as u8).clamp(least, 127)
}
