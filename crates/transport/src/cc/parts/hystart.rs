//! Leaving slow start before it overflows the queue.
//!
//! **HyStart++** (RFC 9406): once the least RTT of a round has risen by an eighth of the round
//! before's (at least 4, at most 16 ms), growth is a quarter as fast (conservative slow start) for
//! five rounds, and slow start goes on if the RTT falls back meanwhile. First slow start only.
//!
//! **HyStart** (Ha and Rhee 2008, as Linux's CUBIC has it): from 16 segments on slow start ends at
//! once, and is plain until the next timeout, if the least RTT of the round (more than 8 samples)
//! stands above the least of all by the same margin, or if acknowledgements less than 2 ms apart
//! have come for half the least RTT and the time that four large bursts take, at most 1 ms (for
//! twice that if paced). Where the window falls below the threshold while losses are repaired, the
//! threshold follows it so too. **ns-3**: the margin is the least RTT itself, at least 4 ms and at
//! most 1 s, and held against the first 8 samples; the train must last for all of it; the
//! acknowledgement that ends a round belongs to it, and a round begins after each loss.

use sojourn_base::{Fault, Preset, Quantity, Scalar, Span, Time};

use super::{RoundRtt, Rounds, Window};
use crate::cc::{AckSample, LossEvent, LossKind};
use crate::pacing;

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
    Exit,
}

const SAMPLES: u32 = 8;
const LEAST_RISE: Span = Span::from_ms(4);
const MOST_RISE: Span = Span::from_ms(16);
const CSS_DIVISOR: f64 = 4.0;
const CSS_ROUNDS: u32 = 5;
/// HyStart: acknowledgements of one train are closer than this.
const TRAIN_GAP: Span = Span::from_ms(2);
const LOW_WINDOW: f64 = 16.0;
/// Linux: four bursts as large as offload makes them, bytes; their time counts up to this.
const BURSTS: f64 = 4.0 * 65_536.0;
const MOST_BURSTS: Span = Span::from_ms(1);
/// ns-3: the largest margin.
const NS3_MOST_RISE: Span = Span::from_whole_s(1);

/// The state of slow start's end.
#[derive(Debug, Clone)]
pub struct HyStart {
    way: SlowStart,
    preset: Preset,
    rounds: Rounds,
    begun: bool,
    round: RoundRtt,
    last_min: Span,
    /// Conservative slow start: the RTT to fall below again, and rounds spent in it.
    css: Option<(Span, u32)>,
    round_start: Time,
    last_ack: Time,
    over: bool,
}

impl HyStart {
    /// At the start of a connection.
    pub fn new(way: SlowStart, preset: Preset) -> Self {
        Self {
            way,
            preset,
            rounds: Rounds::default(),
            begun: false,
            round: RoundRtt::default(),
            last_min: Span::ZERO,
            css: None,
            round_start: Time::ZERO,
            last_ack: Time::ZERO,
            over: way == SlowStart::Plain,
        }
    }

    /// A loss or a mark: HyStart++ serves the first slow start only (RFC 9406, 4.3), HyStart that
    /// after a timeout too.
    pub fn on_congestion(&mut self, event: &LossEvent) {
        let is_timeout = event.kind == LossKind::Timeout;
        match self.way {
            SlowStart::Plain => {}
            SlowStart::HyStartPlusPlus => self.over = true,
            SlowStart::HyStart => self.over &= !is_timeout,
        }
        self.css = None;
        if !self.is_linux() {
            self.begun = false;
        } else if is_timeout {
            self.rounds.begin(event.snd_nxt);
            self.begin_round(event.now);
        }
    }

    /// Whether it is Linux's, which hears of every RTT below the threshold, whatever may grow, and
    /// whose rounds go on through a recovery.
    pub fn is_linux(&self) -> bool {
        self.preset == Preset::Linux && self.way == SlowStart::HyStart
    }

    /// Whether an acknowledgement counts for all of its segments: RFC 9406's L has no bound where
    /// segments are paced (4.3).
    pub fn counts_all(&self, ack: &AckSample) -> bool {
        let is_rfc = self.preset == Preset::Reference && self.way == SlowStart::HyStartPlusPlus;
        is_rfc && !self.over && ack.next_send.is_some()
    }

    fn begin_round(&mut self, now: Time) {
        self.begun = true;
        self.round = RoundRtt::default();
        (self.round_start, self.last_ack) = (now, now);
    }

    fn rise(&self, of: Span) -> Span {
        if self.preset == Preset::Ns3 {
            of.max(LEAST_RISE).min(NS3_MOST_RISE)
        } else {
            let eighth = Span::from_ps(of.as_ps() / 8);
            eighth.max(LEAST_RISE).min(MOST_RISE)
        }
    }

    /// An acknowledgement in slow start, where the least RTT of the connection is `min_rtt`.
    /// `snd_cwnd` is the window in force, in recovery PRR's; `own` the controller's, of which Linux
    /// makes its pacing rate.
    pub fn on_ack(
        &mut self,
        ack: &AckSample,
        snd_cwnd: f64,
        own: &Window,
        min_rtt: Span,
    ) -> Growth {
        if self.over {
            return Growth::Times(1.0);
        }
        if self.preset == Preset::Ns3 && self.way == SlowStart::HyStart {
            return self.hystart_of_ns3(ack, snd_cwnd, own, min_rtt);
        }
        if self.rounds.ended(ack.snd_una, ack.snd_nxt) || !self.begun {
            if self.begun && self.round.count > 0 {
                self.last_min = self.round.min;
            }
            self.begin_round(ack.now);
            if let Some((_, rounds)) = &mut self.css {
                *rounds += 1;
                if *rounds >= CSS_ROUNDS {
                    self.over = true;
                    return Growth::Exit;
                }
            }
        }
        match self.way {
            SlowStart::Plain => Growth::Times(1.0),
            SlowStart::HyStartPlusPlus => self.hystart_plus_plus(ack),
            SlowStart::HyStart => self.hystart(ack, snd_cwnd, own, min_rtt),
        }
    }

    fn hystart_plus_plus(&mut self, ack: &AckSample) -> Growth {
        if let Some(rtt) = ack.rtt {
            self.round.sample(rtt);
        }
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

    /// In ns-3 the acknowledgement that ends a round belongs to it.
    fn hystart_of_ns3(
        &mut self,
        ack: &AckSample,
        snd_cwnd: f64,
        own: &Window,
        min_rtt: Span,
    ) -> Growth {
        let growth = if self.begun {
            self.hystart(ack, snd_cwnd, own, min_rtt)
        } else {
            Growth::Times(1.0)
        };
        if self.rounds.ended(ack.snd_una, ack.snd_nxt) || !self.begun {
            self.begin_round(ack.now);
        }
        growth
    }

    fn hystart(&mut self, ack: &AckSample, snd_cwnd: f64, own: &Window, min_rtt: Span) -> Growth {
        let Some(rtt) = ack.rtt.filter(|_| snd_cwnd >= LOW_WINDOW) else {
            return Growth::Times(1.0);
        };
        if ack.now.since(self.last_ack) <= TRAIN_GAP {
            self.last_ack = ack.now;
            let lasts = ack.now.since(self.round_start);
            self.over |= lasts > self.longest_train(ack, own, min_rtt);
        }
        let is_known = self.round.count >= SAMPLES;
        if !is_known || self.preset != Preset::Ns3 {
            self.round.sample(rtt);
        }
        self.over |= is_known && self.round.min > min_rtt + self.rise(min_rtt);
        if self.over {
            Growth::Exit
        } else {
            Growth::Times(1.0)
        }
    }

    /// How long a train may last.
    fn longest_train(&self, ack: &AckSample, own: &Window, min_rtt: Span) -> Span {
        if self.preset == Preset::Ns3 {
            return min_rtt;
        }
        // Linux has a pacing rate for every connection, whether it is paced or not.
        let early = own.cwnd < own.ssthresh / 2.0;
        let rate = pacing::usual_rate(own.cwnd_bytes(), early, ack.srtt.as_s());
        let all = min_rtt + Span::from_s(BURSTS / rate).min(MOST_BURSTS);
        if ack.next_send.is_some() {
            all
        } else {
            Span::from_ps(all.as_ps() / 2)
        }
    }
}
