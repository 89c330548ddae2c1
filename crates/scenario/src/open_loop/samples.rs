//! The series of a replay: sums over intervals, so that two intervals add up to one exactly.

use sojourn_base::{Span, Time};

use crate::run::{MOST_INTERVALS, too_many_intervals};

/// The first interval where none is asked for.
const FINEST: Span = Span::from_ms(1);
/// Where none is asked for, so many values are put together in pairs and the interval doubles.
const MOST: usize = 2048;

/// What a queue has done since the start.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Total {
    pub(super) arrivals: u64,
    pub(super) departures: u64,
    pub(super) departed_bytes: u64,
    pub(super) drops: u64,
    pub(super) marks: u64,
    /// Packet-picoseconds.
    pub(super) packet_time: u128,
    /// Byte-picoseconds.
    pub(super) byte_time: u128,
    /// Summed waiting times of the packets that departed, in picoseconds.
    pub(super) waited: u128,
}

/// What it had done by the end of each interval.
#[derive(Debug)]
pub(super) struct Samples {
    interval: Span,
    asked_for: Option<Span>,
    /// Where so many values stand they are put together in pairs; none: then there are too many.
    most: Option<usize>,
    next: Time,
    totals: Vec<Total>,
}

impl Samples {
    /// `goes_on`: an interval that is asked for doubles too where there would be too many of them.
    pub(super) fn new(interval: Option<Span>, goes_on: bool) -> Self {
        let first = interval.unwrap_or(FINEST);
        let most_asked_for = goes_on.then_some(MOST_INTERVALS as usize);
        Self {
            interval: first,
            asked_for: interval,
            most: interval.map_or(Some(MOST), |_| most_asked_for),
            next: Time::ZERO + first,
            totals: Vec::new(),
        }
    }

    /// The end of the interval in progress.
    pub(super) const fn next(&self) -> Time {
        self.next
    }

    /// The interval has ended with this.
    pub(super) fn take(&mut self, total: Total) -> Result<(), String> {
        self.totals.push(total);
        if self.most == Some(self.totals.len()) {
            // What stood at the end of every other interval.
            self.totals = self.totals.iter().skip(1).step_by(2).copied().collect();
            self.interval += self.interval;
        }
        if self.totals.len() as u64 > MOST_INTERVALS {
            return Err(format!("--series: {}", too_many_intervals(self.interval)));
        }
        self.next += self.interval;
        Ok(())
    }

    /// What to know where the interval is not the one that was asked for.
    pub(super) fn warning(&self) -> Option<String> {
        let asked_for = self.asked_for.filter(|&span| span != self.interval)?;
        Some(format!(
            "--series: found {asked_for}, of which there are more than {MOST_INTERVALS}; the \
             intervals are of {}",
            self.interval
        ))
    }

    /// The ends of the intervals in seconds, and the series by name.
    pub(super) fn finish(&self) -> (Vec<f64>, Vec<(&'static str, Vec<f64>)>) {
        let interval_ps = self.interval.as_ps() as f64;
        let befores = core::iter::once(Total::default()).chain(self.totals.iter().copied());
        let pairs: Vec<(Total, Total)> = befores.zip(self.totals.iter().copied()).collect();
        let series = |value: &dyn Fn(&Total, &Total) -> f64| -> Vec<f64> {
            pairs.iter().map(|(then, now)| value(then, now)).collect()
        };
        let over_time = |then: u128, now: u128| (now - then) as f64 / interval_ps;
        let times_s = (1..=self.totals.len() as u64)
            .map(|i| Span::from_ps(i.saturating_mul(self.interval.as_ps())).as_s())
            .collect();
        let delay = |then: &Total, now: &Total| {
            (now.waited - then.waited) as f64 / 1e12 / (now.departures - then.departures) as f64
        };
        let sent = |then: &Total, now: &Total| {
            (now.departed_bytes - then.departed_bytes) as f64 * 8.0 / self.interval.as_s()
        };
        let found = vec![
            (
                "queue_mean_packets",
                series(&|then, now| over_time(then.packet_time, now.packet_time)),
            ),
            (
                "queue_mean_bytes",
                series(&|then, now| over_time(then.byte_time, now.byte_time)),
            ),
            ("queueing_delay_mean_s", series(&delay)),
            ("throughput_bps", series(&sent)),
            (
                "arrivals_packets",
                series(&|then, now| (now.arrivals - then.arrivals) as f64),
            ),
            (
                "drops_packets",
                series(&|then, now| (now.drops - then.drops) as f64),
            ),
            (
                "marks_packets",
                series(&|then, now| (now.marks - then.marks) as f64),
            ),
        ];
        (times_s, found)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_double_and_nothing_is_lost() {
        let mut samples = Samples::new(None, false);
        let count = 5_000;
        for i in 1..=count {
            let total = Total {
                arrivals: i * 3,
                ..Total::default()
            };
            // One sample for each interval: later ones are longer.
            samples.take(total).unwrap();
        }
        let (times_s, series) = samples.finish();
        assert!(times_s.len() < MOST);
        let arrivals = &series
            .iter()
            .find(|(name, _)| *name == "arrivals_packets")
            .unwrap()
            .1;
        assert_eq!(arrivals.iter().sum::<f64>(), (count * 3) as f64);
        assert_eq!(
            samples.next,
            Time::ZERO + Span::from_ps((times_s.len() as u64 + 1) * samples.interval.as_ps())
        );
    }

    #[test]
    fn a_fixed_interval_stays() {
        let mut samples = Samples::new(Some(Span::from_ms(10)), false);
        for _ in 0..3_000 {
            samples.take(Total::default()).unwrap();
        }
        assert_eq!(samples.finish().0.len(), 3_000);
    }

    #[test]
    fn a_fixed_interval_doubles_where_nothing_may_be_lost() {
        for goes_on in [false, true] {
            let mut samples = Samples::new(Some(Span::from_us(1)), goes_on);
            let taken: Result<(), String> =
                (0..=MOST_INTERVALS).try_for_each(|_| samples.take(Total::default()));
            assert_eq!(taken.is_ok(), goes_on);
            let interval = Span::from_us(if goes_on { 2 } else { 1 });
            assert_eq!(samples.interval, interval);
            let told = "--series: found 1 us, of which there are more than 1000000; the intervals \
                        are of 2 us";
            assert_eq!(samples.warning().as_deref(), goes_on.then_some(told));
        }
    }
}
