//! The probability law of RED: the slope over the average, and the spreading of its drops.

/// What RED wants done with an arrival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RedMark {
    /// Let it in.
    None,
    /// Signal congestion: chosen by probability.
    Prob,
    /// Signal congestion: the average stands at or above the hard threshold.
    Hard,
}

/// Probability against the average, before spreading.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    /// Where it begins.
    pub min: f64,
    /// Where it reaches `max_p`.
    pub max: f64,
    /// Whether it rises on to 1 at twice `max`, instead of jumping there.
    pub gentle: bool,
    /// Whether it rises with the square of the average, to 1.5 `max_p`.
    pub nonlinear: bool,
}

impl Slope {
    /// From here on everything is dropped.
    pub fn hard(&self) -> f64 {
        if self.gentle {
            2.0 * self.max
        } else {
            self.max
        }
    }

    /// The probability at `avg`, at least `min`. `upper_p` is the `max_p` from which the gentle
    /// part rises: ns-2 and ns-3 keep its first value there.
    pub fn at(&self, avg: f64, max_p: f64, upper_p: f64) -> f64 {
        if avg < self.max {
            let way = (avg - self.min) / (self.max - self.min);
            return if self.nonlinear {
                (1.5 * max_p * way * way).min(1.0)
            } else {
                max_p * way
            };
        }
        if !self.gentle {
            return 1.0;
        }
        (upper_p + (1.0 - upper_p) * (avg - self.max) / self.max).min(1.0)
    }
}

/// Spreads drops of probability `p`: with `n` packets gone by, `p / (1 - n p)` makes the gap
/// uniform instead of geometric.
pub fn spread(p: f64, n: f64) -> f64 {
    if n * p < 1.0 {
        (p / (1.0 - n * p)).min(1.0)
    } else {
        1.0
    }
}

/// The same with a pause of about `1/p` packets first.
pub fn spread_after_wait(p: f64, n: f64) -> f64 {
    if n * p < 1.0 {
        0.0
    } else if n * p < 2.0 {
        (p / (2.0 - n * p)).min(1.0)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_slope_is_continuous_where_it_should_be() {
        let slope = Slope {
            min: 5.0,
            max: 15.0,
            gentle: true,
            nonlinear: false,
        };
        assert_eq!(slope.at(5.0, 0.1, 0.1), 0.0);
        assert!((slope.at(10.0, 0.1, 0.1) - 0.05).abs() < 1e-15);
        assert_eq!(slope.at(15.0, 0.1, 0.1), 0.1);
        assert!((slope.at(22.5, 0.1, 0.1) - 0.55).abs() < 1e-15);
        assert_eq!(slope.at(30.0, 0.1, 0.1), 1.0);
        assert_eq!(slope.hard(), 30.0);
        let steep = Slope {
            gentle: false,
            ..slope
        };
        assert_eq!((steep.at(15.0, 0.1, 0.1), steep.hard()), (1.0, 15.0));
    }

    /// Nonlinear RED (Zhou, Yeung, Li 2006), worked by hand: 0.375 `max_p` in the middle, 1.5
    /// `max_p` at the end, RED's at 2/3.
    #[test]
    fn the_square_slope_has_the_mean_of_the_straight_one() {
        let slope = Slope {
            min: 0.0,
            max: 3.0,
            gentle: false,
            nonlinear: true,
        };
        assert_eq!(slope.at(1.5, 0.1, 0.1), 0.1 * 0.375);
        assert!((slope.at(2.0, 0.1, 0.1) - 0.1 * 2.0 / 3.0).abs() < 1e-15);
        assert!((slope.at(3.0 - 1e-12, 0.1, 0.1) - 0.15).abs() < 1e-12);
        let mean = (0..3000).map(|k| slope.at(f64::from(k) / 1e3, 0.1, 0.1));
        assert!((mean.sum::<f64>() / 3000.0 - 0.05).abs() < 1e-4);
    }

    #[test]
    fn spreading_ends_in_certainty() {
        assert_eq!(spread(0.25, 0.0), 0.25);
        assert_eq!(spread(0.25, 2.0), 0.5);
        assert_eq!(spread(0.25, 3.0), 1.0);
        assert_eq!(spread(0.25, 9.0), 1.0);
        assert_eq!(spread_after_wait(0.25, 3.0), 0.0);
        assert_eq!(spread_after_wait(0.25, 4.0), 0.25);
        assert_eq!(spread_after_wait(0.25, 7.0), 1.0);
        assert_eq!(spread_after_wait(0.25, 9.0), 1.0);
    }
}
