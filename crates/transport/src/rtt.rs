//! The retransmission timeout: RFC 6298.
//!
//! The first sample R gives SRTT = R and RTTVAR = R/2. Later samples move RTTVAR by a quarter and
//! then SRTT by an eighth (section 2.3: in this order). RTO = SRTT + max(G, 4 RTTVAR), and at least
//! the minimum. It doubles with every expiry (section 5.5) until there is another sample. The
//! sender decides which samples count (Karn).
//!
//! **Linux** (`tcp_rtt_estimator`): the floor of 200 ms applies to 4 RTTVAR instead of to the sum,
//! so that RTO >= SRTT + 200 ms. 4 RTTVAR is the largest deviation of a round trip; if that of the
//! last round trip is smaller, it decreases by a quarter of the difference. A sample below SRTT
//! moves the deviation by a 32nd. **ns-2**: a sample is a whole number of ticks, at least one.
//! Eight times SRTT and four times RTTVAR are whole ticks too, so that RTTVAR is never below three
//! quarters of one. After the fourth expiry in a row the next sample counts as the first. A sample
//! is the number of ticks of the clock in the meantime, so that a round trip of 9.5 ticks gives 9
//! or 10. In ns-2 the clock of each sender has a random phase; here all clocks tick from time zero
//! on.

use sojourn_base::{Span, Time};

use crate::cc::parts::Rounds;

/// How the timeout is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RtoRules {
    /// Before the first sample.
    pub initial: Span,
    /// Least.
    pub min: Span,
    /// Most, back-off included.
    pub max: Span,
    /// The clock's granularity G.
    pub granularity: Span,
    /// SRTT and RTTVAR are computed in whole parts of G, as in ns-2.
    pub coarse: bool,
    /// The least applies to 4 RTTVAR, as in Linux.
    pub min_on_variance: bool,
    /// After a handshake in which the SYN was lost and which gave no sample, the timeout is at
    /// least 3 s (section 5.7, which does not require the second condition).
    pub falls_back: bool,
}

/// Smoothed round-trip time and its variation.
#[derive(Debug, Clone, Default)]
pub struct RttEstimator {
    srtt: Option<Span>,
    rttvar: Span,
    latest: Span,
    min: Span,
    min_at: Time,
    /// Linux's, once there is a sample.
    deviation: Option<Box<Deviation>>,
    backoff: u32,
    /// The next sample counts as the first.
    stale: bool,
    /// The handshake gave no sample, or none yet.
    fell_back: bool,
}

/// Linux's mean deviation, times four.
#[derive(Debug, Clone)]
struct Deviation {
    /// Now (`mdev_us`).
    now: Span,
    /// The largest of the round trip, and no less than the floor (`mdev_max_us`).
    largest: Span,
    rounds: Rounds,
}

/// Expiries in a row after which ns-2 discards its estimate.
const COARSE_PATIENCE: u32 = 4;

/// How long a minimum is valid: Linux's `tcp_min_rtt_wlen`. RFC 8985 asks for a window and does not
/// specify its length.
const MIN_WINDOW: Span = Span::from_whole_s(300);

/// RFC 2988's first timeout, which RFC 6298, 5.7, keeps after a lost SYN.
const FALLBACK: Span = Span::from_whole_s(3);

impl RttEstimator {
    /// The state of a new connection; its SYN waits for 3 s if `slow_syn`, otherwise as long as
    /// data.
    pub fn new(slow_syn: bool) -> Self {
        Self {
            fell_back: slow_syn,
            ..Self::default()
        }
    }

    /// Takes a sample; numbers below `snd_una` are acknowledged and those below `snd_nxt` were
    /// sent.
    #[inline]
    pub fn sample(&mut self, now: Time, rtt: Span, snd_una: u64, snd_nxt: u64, rules: &RtoRules) {
        self.note_min(now, rtt);
        self.latest = rtt;
        if rules.coarse && rules.granularity > Span::ZERO {
            self.sample_in_ticks(now, rtt, rules.granularity);
            return;
        }
        if rules.min_on_variance {
            self.deviate(rtt, snd_una, snd_nxt, rules.min);
            return;
        }
        match self.srtt {
            None => {
                self.srtt = Some(rtt);
                self.rttvar = Span::from_ps(rtt.as_ps() / 2);
            }
            Some(srtt) => {
                let error = srtt.as_ps().abs_diff(rtt.as_ps());
                self.rttvar = Span::from_ps((3 * self.rttvar.as_ps() + error) / 4);
                self.srtt = Some(Span::from_ps((7 * srtt.as_ps() + rtt.as_ps()) / 8));
            }
        }
    }

    /// The same as in Linux.
    #[inline(never)]
    fn deviate(&mut self, rtt: Span, snd_una: u64, snd_nxt: u64, floor: Span) {
        let (Some(srtt), Some(deviation)) = (self.srtt, &mut self.deviation) else {
            let now = rtt + rtt;
            let largest = now.max(floor);
            let mut rounds = Rounds::default();
            rounds.ended(snd_una, snd_nxt);
            self.srtt = Some(rtt);
            self.rttvar = Span::from_ps(largest.as_ps() / 4);
            self.deviation = Some(Box::new(Deviation {
                now,
                largest,
                rounds,
            }));
            return;
        };
        let ps = |span: Span| span.as_ps().cast_signed();
        let error = ps(rtt) - ps(srtt);
        let mut moves = error.abs() - ps(deviation.now) / 4;
        if error < 0 && moves > 0 {
            moves /= 8;
        }
        deviation.now = Span::from_ps(ps(deviation.now).saturating_add(moves).unsigned_abs());
        deviation.largest = deviation.largest.max(deviation.now);
        let mut variance = Span::from_ps(4 * self.rttvar.as_ps()).max(deviation.largest);
        if deviation.rounds.ended(snd_una, snd_nxt) {
            variance = variance - Span::from_ps((variance - deviation.largest).as_ps() / 4);
            deviation.largest = floor;
        }
        self.rttvar = Span::from_ps(variance.as_ps() / 4);
        self.srtt = Some(Span::from_ps((ps(srtt) + error / 8).unsigned_abs()));
    }

    /// The same in integers, as in ns-2: SRTT in eighths of ticks, RTTVAR in quarters.
    #[inline(never)]
    fn sample_in_ticks(&mut self, now: Time, rtt: Span, tick: Span) {
        let tick = tick.as_ps();
        let sent = now.as_ps() - rtt.as_ps();
        let rtt = (now.as_ps() / tick - sent / tick).max(1).cast_signed();
        let known = self.srtt.filter(|_| !core::mem::take(&mut self.stale));
        let (eighths, quarters) = match known {
            None => (8 * rtt, 2 * rtt),
            Some(srtt) => {
                let eighths = (srtt.as_ps() * 8 / tick).cast_signed();
                let quarters = (self.rttvar.as_ps() * 4 / tick).cast_signed();
                let error = rtt - eighths / 8;
                (
                    (eighths + error).max(1),
                    (quarters + error.abs() - quarters / 4).max(1),
                )
            }
        };
        let parts = |count: i64, of: u64| Span::from_ps(count.unsigned_abs() * tick / of);
        self.srtt = Some(parts(eighths, 8));
        self.rttvar = parts(quarters, 4);
    }

    /// Takes a measurement only for the minimum.
    #[inline]
    pub fn note_min(&mut self, now: Time, rtt: Span) {
        if self.min == Span::ZERO || rtt <= self.min || now.since(self.min_at) > MIN_WINDOW {
            self.min = rtt;
            self.min_at = now;
        }
    }

    /// The timeout in force, back-off included.
    #[inline]
    pub fn rto(&self, rules: &RtoRules) -> Span {
        let base = match self.srtt {
            None if self.fell_back => rules.initial.max(FALLBACK),
            None => rules.initial,
            Some(srtt) => {
                let variance = Span::from_ps(4 * self.rttvar.as_ps()).max(rules.granularity);
                let tick = rules.granularity.as_ps();
                let srtt = if rules.coarse && tick > 0 {
                    Span::from_ps(srtt.as_ps() / tick * tick)
                } else {
                    srtt
                };
                if rules.min_on_variance {
                    srtt + variance.max(rules.min)
                } else {
                    (srtt + variance).max(rules.min)
                }
            }
        };
        let times = 1_u64 << self.backoff.min(30);
        Span::from_ps(base.as_ps().saturating_mul(times)).min(rules.max.max(rules.min))
    }

    /// The timer expired: the timeout doubles.
    pub fn back_off(&mut self) {
        self.backoff = (self.backoff + 1).min(30);
        self.stale |= self.backoff >= COARSE_PATIENCE;
    }

    /// The handshake, in which a SYN was lost, is over: the timeout starts from 3 s (RFC 6298,
    /// 5.7), here only if there was no sample.
    pub fn fall_back(&mut self, rules: &RtoRules) {
        if rules.falls_back && self.srtt.is_none() {
            self.fell_back = true;
            self.end_back_off();
        }
    }

    /// By how many doublings the timeout is longer.
    pub const fn backed_off(&self) -> u32 {
        self.backoff
    }

    /// The back-off goes on in spite of a sample.
    pub fn keep_back_off(&mut self, doublings: u32) {
        self.backoff = doublings;
    }

    /// There is a new sample: the back-off ends.
    pub fn end_back_off(&mut self) {
        self.backoff = 0;
    }

    /// Smoothed round-trip time; none before the first sample.
    pub const fn srtt(&self) -> Option<Span> {
        self.srtt
    }

    /// Its variation.
    pub const fn rttvar(&self) -> Span {
        self.rttvar
    }

    /// The latest sample.
    pub const fn latest(&self) -> Span {
        self.latest
    }

    /// The least sample of the last five minutes; zero before the first.
    pub const fn min(&self) -> Span {
        self.min
    }
}
