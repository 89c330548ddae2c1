//! Linux's RED in integers: the kernel's estimator, its law of marking and its idle table.
//!
//! The average is kept scaled by `2^wlog`. For a packet after an idle time, the average is decayed
//! and no sample is taken. Between the thresholds one random number is drawn for each mark, so that
//! for a constant average the gap between marks is uniform. The number is whole: with thresholds
//! that are few packets apart ([`choke`](crate::choke)) it is often zero, and marks come in a row.
//! The first packet after the average has reached the lower threshold is always exempt.
//!
//! The idle table is built in ticks of 64 ns but read in microseconds, and holds natural logarithms
//! that are used as powers of two. Beyond one half the average therefore decays far too slowly.
//! Comparisons with Linux need the table as it is.

use sojourn_base::{Auto, Bytes, Fraction, ParamFault, Rate, Span, Stream, Time};

use super::red_law::RedMark;

/// What the kernel keeps of one RED queue.
#[derive(Debug, Clone)]
pub struct LinuxRed {
    min: u64,
    max: u64,
    wlog: u32,
    /// What 32 random bits are divided by to get the random number: `max_p / (max - min)` in 32
    /// bits, rounded down, so that close thresholds have few different numbers.
    divisor: u64,
    max_p: f64,
    table: IdleTable,
    scaled: u64,
    count: i64,
    random: u64,
}

/// The kernel's probabilities are in 32 bits.
const PROB_ONE: f64 = 4_294_967_296.0;

/// By what random numbers are divided, for thresholds so far apart.
fn divisor(width: u64, max_p: f64) -> u64 {
    let max_p = ((max_p * PROB_ONE) as u64).min(u64::from(u32::MAX));
    (max_p / width.max(1)).max(1)
}

/// Halvings by idle time.
#[derive(Debug, Clone)]
struct IdleTable {
    shift: u32,
    halvings: [u8; 256],
}

impl IdleTable {
    fn new(wlog: u32, mean: Bytes, rate: Rate) -> Self {
        /// Ticks of the kernel's clock per microsecond.
        const TICKS: f64 = 15.625;
        let weight = 1.0 / (1_u64 << wlog) as f64;
        let packet = (1e6 * mean.bits() as f64 / rate.as_f64() * TICKS)
            .trunc()
            .max(1.0);
        let per_tick = -libm::log1p(-weight) / packet;
        let shift = (0..32)
            .find(|&shift| 512.0 * (1_u64 << shift) as f64 > 31.0 / per_tick)
            .unwrap_or(32);
        let mut halvings = [31; 256];
        for (i, halving) in halvings.iter_mut().enumerate().take(255) {
            *halving = (((i as u64) << shift) as f64 * per_tick).min(31.0) as u8;
        }
        Self { shift, halvings }
    }

    fn decay(&self, scaled: u64, idle: Span) -> u64 {
        let us = (idle.as_ps() / 1_000_000).min(255 << self.shift);
        let halvings = self.halvings[(us >> self.shift) as usize];
        if halvings > 0 {
            return scaled >> halvings;
        }
        let linear = (u128::from(scaled) * u128::from(us)) >> self.shift;
        scaled - (linear as u64).min(scaled >> 1)
    }
}

impl LinuxRed {
    /// Between `min` and `max` bytes, weight `2^-wlog`.
    pub fn new(min: u64, max: u64, max_p: f64, wlog: u32, mean: Bytes, rate: Rate) -> Self {
        Self {
            min: min << wlog,
            max: max << wlog,
            wlog,
            divisor: divisor(max - min, max_p),
            max_p,
            table: IdleTable::new(wlog, mean, rate),
            scaled: 0,
            count: -1,
            random: 0,
        }
    }

    /// The `wlog` that stands for the weight `w_q`; where that is automatic, the one with which a
    /// burst of `burst` packets of `mean` bytes passes below the first of two thresholds in bytes.
    /// An automatic burst is a third of twice the first and the second, as tc-red(8) advises.
    ///
    /// # Errors
    /// A weight that is no power of two, or a burst that no weight lets pass.
    pub fn wlog(
        w_q: Auto<Fraction>,
        burst: Auto<u32>,
        [min, max]: [f64; 2],
        mean: Bytes,
    ) -> Result<u32, ParamFault> {
        if let Some(Fraction(weight)) = w_q.given() {
            let wlog = (1..32).find(|&wlog| weight * (1_u64 << wlog) as f64 == 1.0);
            let allowed = "\"auto\" or a power of two, 2^-31 to 1/2";
            return wlog.ok_or_else(|| ParamFault::new("w_q", weight, allowed));
        }
        let advised = || ((2.0 * min + max) / (3.0 * mean.as_f64())) as u32;
        let burst = burst.given().unwrap_or_else(advised);
        Self::wlog_for(min, burst, mean).ok_or_else(|| {
            let packets = min / mean.as_f64();
            let allowed = format!(
                "so many packets that some weight lets them pass before the average reaches min_th, which is {packets:.2} packets"
            );
            ParamFault::new("burst", burst, allowed)
        })
    }

    /// The smallest `wlog` with which a burst of `burst` packets of `mean` bytes passes below
    /// `min` bytes; none if no weight does.
    pub fn wlog_for(min: f64, burst: u32, mean: Bytes) -> Option<u32> {
        let needed = f64::from(burst) + 1.0 - min / mean.as_f64();
        if needed < 1.0 {
            return None;
        }
        (1..32).find(|&wlog| {
            let weight = 1.0 / (1_u64 << wlog) as f64;
            needed <= (1.0 - libm::pow(1.0 - weight, f64::from(burst))) / weight
        })
    }

    /// An arrival meets `backlog` bytes, or a queue idle since the instant given.
    pub fn arrival(
        &mut self,
        backlog: Bytes,
        idle_since: Option<Time>,
        now: Time,
        random: &mut Stream,
    ) -> RedMark {
        self.observe(backlog, idle_since, now);
        if self.scaled < self.min {
            self.count = -1;
            return RedMark::None;
        }
        if self.scaled >= self.max {
            self.count = -1;
            return RedMark::Hard;
        }
        self.band(random)
    }

    /// Takes `backlog` into the average, or in its place the idle time.
    pub fn observe(&mut self, backlog: Bytes, idle_since: Option<Time>, now: Time) {
        self.scaled = match idle_since {
            Some(since) => self.table.decay(self.scaled, now.since(since)),
            None => self.scaled + backlog.get() - (self.scaled >> self.wlog),
        };
    }

    /// Where the average stands as CHOKe has it: not above `min`, in the band, above `max`.
    pub fn zone(&self) -> core::cmp::Ordering {
        if self.scaled <= self.min {
            core::cmp::Ordering::Less
        } else if self.scaled > self.max {
            core::cmp::Ordering::Greater
        } else {
            core::cmp::Ordering::Equal
        }
    }

    /// The decision within the band.
    pub fn band(&mut self, random: &mut Stream) -> RedMark {
        self.count += 1;
        if self.count == 0 {
            self.random = self.draw(random);
            return RedMark::None;
        }
        let above = (self.scaled - self.min) >> self.wlog;
        if above * (self.count as u64) < self.random {
            return RedMark::None;
        }
        self.count = 0;
        self.random = self.draw(random);
        RedMark::Prob
    }

    /// A random number: how far above `min` the average must be, times the packets since the last
    /// mark, for the next mark. With zero the next packet is marked.
    fn draw(&self, random: &mut Stream) -> u64 {
        (random.uniform() * PROB_ONE) as u64 / self.divisor
    }

    /// The two thresholds in bytes.
    pub fn thresholds(&self) -> (f64, f64) {
        (
            (self.min >> self.wlog) as f64,
            (self.max >> self.wlog) as f64,
        )
    }

    /// The probability at the upper threshold.
    pub fn max_p(&self) -> f64 {
        self.max_p
    }

    /// Sets the probability at the upper threshold. The random number in hand stays, as in the
    /// kernel.
    pub fn set_max_p(&mut self, max_p: f64) {
        self.max_p = max_p;
        self.divisor = divisor((self.max - self.min) >> self.wlog, max_p);
    }

    /// The average in bytes as it would be after an idle time, in whole bytes.
    pub fn average_after(&self, idle: Option<Span>) -> f64 {
        let scaled = idle.map_or(self.scaled, |idle| self.table.decay(self.scaled, idle));
        (scaled >> self.wlog) as f64
    }

    /// The average in bytes.
    pub fn average(&self) -> f64 {
        self.scaled as f64 / (1_u64 << self.wlog) as f64
    }

    /// Sets the average, in bytes.
    pub fn set_average(&mut self, bytes: f64) {
        self.scaled = (bytes * (1_u64 << self.wlog) as f64) as u64;
    }

    /// Packets since the last mark; -1 outside the band.
    pub fn count(&self) -> i64 {
        self.count
    }

    /// Sets the count.
    pub fn set_count(&mut self, count: i64) {
        self.count = count.max(-1);
    }

    /// Back to the start.
    pub fn reset(&mut self) {
        self.scaled = 0;
        self.count = -1;
        self.random = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `tc`'s `tc_red.c`, worked by hand: min 30280, avpkt 1514, burst 33 give Wlog 4; at 10 Mbit/s
    /// halved after 16 ms, a quarter only when the table's index reaches 18.
    #[test]
    fn the_worked_example() {
        let mean = Bytes::new(1514);
        assert_eq!(LinuxRed::wlog_for(30_280.0, 33, mean), Some(4));
        assert_eq!(LinuxRed::wlog_for(30_280.0, 18, mean), None);
        let table = IdleTable::new(4, mean, Rate::from_bps(10_000_000).unwrap());
        assert_eq!(table.shift, 15);
        assert_eq!(table.decay(1 << 20, Span::from_us(8_192)), 3 << 18);
        assert_eq!(table.decay(1 << 20, Span::from_us(16_384)), 1 << 19);
        assert_eq!(table.decay(1 << 20, Span::from_us(30_000)), 1 << 19);
        assert_eq!(
            table.decay(1 << 20, Span::from_us(18 * 32_768 - 1)),
            1 << 19
        );
        assert_eq!(table.decay(1 << 20, Span::from_us(18 * 32_768)), 1 << 18);
        assert_eq!(table.decay(1 << 40, Span::from_whole_s(3600)), 1 << 9);
    }
}
