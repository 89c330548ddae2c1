//! Leaving slow start before it overflows the queue.
//!
//! **HyStart++** (RFC 9406): once the least RTT of a round has risen by an eighth of the round
//! before's (at least 4, at most 16 ms), growth is a quarter as fast (conservative slow start) for
//! five rounds, and slow start goes on if the RTT falls back meanwhile. First slow start only.
//!
//! **HyStart** (Ha and Rhee 2008, as Linux's CUBIC has it): from 16 segments on slow start ends at
//! once, if the least RTT of the round (8 samples) stands above the least of all by the same
//! margin, or if acknowledgements less than 2 ms apart have come for half the least RTT (for all of
//! it if paced). **ns-3**: the margin is at most 1 s.

use sojourn_base::{Fault, Quantity, Scalar, Span, Time};

use super::{RoundRtt, Rounds};
use crate::cc::AckSample;

/// Which way of leaving slow start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlowStart {
    /// At the first loss.
    Plain,
    /// RFC 9406.
    HyStartPlusPlus,
    /// Ha and Rhee's.
    HyStart,
}

impl Quantity for SlowStart {
    const ALLOWED: &'static str = "\"plain\", \"hystart++\" or \"hystart\"";
    const SCHEMA: &'static str = r#"{"enum": ["plain", "hystart++", "hystart"]}"#;

    fn read(scalar: Scalar<'_>) -> Result<Self, Fault> {
        match scalar {
            Scalar::Text("plain") => Ok(Self::Plain),
            Scalar::Text("hystart++") => Ok(Self::HyStartPlusPlus),
            Scalar::Text("hystart") => Ok(Self::HyStart),
            other => Err(Self::fault(other)),
        }
    }
}

/// How the window may grow with this acknowledgement.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Growth {
    /// By this part of what slow start would add.
    Times(f64),
    /// Slow start is over: the threshold is the window.
    Over,
}

const SAMPLES: u32 = 8;
const LEAST_RISE: Span = Span::from_ms(4);
const MOST_RISE: Span = Span::from_ms(16);
const CSS_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;
/// HyStart: acknowledgements of one train are closer than this.
const TRAIN_GAP: Span = Span::from_ms(2);
const LOW_WINDOW: f64 = 16.0;

/// The state of slow start's end.
#[derive(Debug, Clone)]
pub struct HyStart {
    way: SlowStart,
    most_rise: Span,
    rounds: Rounds,
    begun: bool,
    round: RoundRtt,
    last_min: Span,
    least: Span,
    /// Conservative slow start: the RTT to fall below again, and rounds spent in it.
    css: Option<(Span, u32)>,
    round_start: Time,
    last_ack: Time,
    over: bool,
}

impl HyStart {
    /// At the start of a connection; `slow` is ns-3's margin.
    pub fn new(way: SlowStart, slow: bool) -> Self {
        Self {
            way,
            most_rise: if slow {
                Span::from_whole_s(1)
            } else {
                MOST_RISE
            },
            rounds: Rounds::default(),
            begun: false,
            round: RoundRtt::default(),
            last_min: Span::ZERO,
            least: Span::ZERO,
            css: None,
            round_start: Time::ZERO,
            last_ack: Time::ZERO,
            over: way == SlowStart::Plain,
        }
    }

    /// A loss or a mark: HyStart++ serves the first slow start only (RFC 9406, 4.2).
    pub fn on_congestion(&mut self) {
        if self.way == SlowStart::HyStartPlusPlus {
            self.over = true;
        }
        self.css = None;
        self.begun = false;
    }

    fn rise(&self, of: Span) -> Span {
        Span::from_ps(of.as_ps() / 8)
            .max(LEAST_RISE)
            .min(self.most_rise)
    }

    /// An acknowledgement in slow start with a window of `cwnd` segments.
    pub fn on_ack(&mut self, ack: &AckSample, cwnd: f64) -> Growth {
        if self.over {
            return Growth::Times(1.0);
        }
        if self.rounds.ended(ack.snd_una, ack.snd_nxt) || !self.begun {
            if self.begun && self.round.count > 0 {
                self.last_min = self.round.min;
            }
            self.begun = true;
            self.round = RoundRtt::default();
            self.round_start = ack.now;
            self.last_ack = ack.now;
            if let Some((_, rounds)) = &mut self.css {
                *rounds += 1;
                if *rounds >= CSS_ROUNDS {
                    self.over = true;
                    return Growth::Over;
                }
            }
        }
        if let Some(rtt) = ack.rtt {
            self.round.sample(rtt);
            if self.least == Span::ZERO || rtt < self.least {
                self.least = rtt;
            }
        }
        match self.way {
            SlowStart::Plain => Growth::Times(1.0),
            SlowStart::HyStartPlusPlus => self.plus_plus(),
            SlowStart::HyStart => self.classic(ack, cwnd),
        }
    }

    fn plus_plus(&mut self) -> Growth {
        let enough = self.round.count >= SAMPLES;
        match self.css {
            None => {
                let known = self.last_min > Span::ZERO;
                if enough && known && self.round.min >= self.last_min + self.rise(self.last_min) {
                    self.css = Some((self.round.min, 0));
                    return Growth::Times(1.0 / CSS_DIVISOR);
                }
                Growth::Times(1.0)
            }
            Some((baseline, _)) => {
                if enough && self.round.min < baseline {
                    self.css = None;
                    return Growth::Times(1.0);
                }
                Growth::Times(1.0 / CSS_DIVISOR)
            }
        }
    }

    fn classic(&mut self, ack: &AckSample, cwnd: f64) -> Growth {
        if cwnd < LOW_WINDOW || self.least == Span::ZERO {
            return Growth::Times(1.0);
        }
        let mut over = false;
        if ack.now.since(self.last_ack) <= TRAIN_GAP {
            self.last_ack = ack.now;
            let part = if ack.paced { 1 } else { 2 };
            over |= ack.now.since(self.round_start).as_ps() > self.least.as_ps() / part;
        }
        over |= self.round.count >= SAMPLES && self.round.min > self.least + self.rise(self.least);
        if over {
            Growth::Over
        } else {
            Growth::Times(1.0)
        }
    }
}
