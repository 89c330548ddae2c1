//! What an acknowledgement tells of data and round trips.

use sojourn_base::{Span, Time};

use super::{Sender, State};
use crate::wire::{Ack, SackBlocks};

const MILLISECOND: u64 = 1_000_000_000;

/// What one acknowledgement brought.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heard {
    /// The first unacknowledged number moved.
    pub(super) advanced: bool,
    /// RFC 5681's duplicate: nothing moved, data is outstanding, the window is the same; with SACK
    /// it also reports something new (RFC 6675).
    pub(super) duplicate: bool,
    /// Bytes newly delivered.
    pub(super) delivered: u64,
    /// Bytes that its controller counts for growth.
    pub(super) counted: u64,
    /// Bytes by which the first unacknowledged number moved and that no block had reported.
    pub(super) cumulative: u64,
    /// Bytes reported by blocks before it.
    pub(super) sacked_before: u64,
    /// Bytes by which the first unacknowledged number moved.
    pub(super) moved: u64,
    /// The RTT that its controller hears of.
    pub(super) rtt: Option<Span>,
    /// Bytes newly held to be lost.
    pub(super) lost: u64,
    /// It acknowledges what was sent again.
    pub(super) repairs: bool,
}

impl Heard {
    /// Whether a block reported something new.
    pub(super) fn reports(&self) -> bool {
        self.delivered > self.cumulative
    }
}

impl Sender {
    /// Brings the scoreboard and the RTT up to date; none where the acknowledgement is too old to
    /// tell anything.
    pub(super) fn read(&mut self, now: Time, ack: &Ack) -> Option<Heard> {
        let blocks = if ack.sack.is_empty() {
            SackBlocks::NONE
        } else {
            self.valid_blocks(ack)
        };
        if ack.ack < self.snd_una && blocks.is_empty() {
            return None;
        }
        let sacked_before = self.board.sacked();
        let advanced = ack.ack > self.snd_una;
        let had_outstanding = self.snd_nxt > self.snd_una;
        let moved = ack.ack.saturating_sub(self.snd_una);
        // RFC 6298 and Karn: the oldest segment acknowledged, if none of them was sent twice.
        let mut oldest: Option<Time> = None;
        let mut newest: Option<Time> = None;
        let mut ambiguous = false;
        let mut first_repeated = None;
        let echo = ack.echo.filter(|_| self.config.timestamps);
        let (rack_on, min_rtt) = (self.config.rack, self.rtt.min());
        let (rack, mut rate) = (&mut self.rack, self.rate.as_deref_mut());
        let cumulative = self.board.acknowledge(ack.ack, |sent| {
            ambiguous |= sent.was_retransmitted();
            first_repeated.get_or_insert(sent.was_retransmitted());
            oldest = Some(oldest.map_or(sent.xmit, |time| time.min(sent.xmit)));
            newest = newest.max(Some(sent.xmit));
            if rack_on {
                rack.on_delivered(sent, now, echo, min_rtt);
            }
            if let Some(rate) = &mut rate {
                rate.on_delivered(sent.seq, sent.end());
            }
        });
        let mut reported_at: Option<Time> = None;
        let reported = self.board.sack(blocks.as_slice(), |sent| {
            if !sent.was_retransmitted() {
                reported_at = reported_at.max(Some(sent.xmit));
            }
            if rack_on {
                rack.on_delivered(sent, now, None, min_rtt);
            }
            if let Some(rate) = &mut rate {
                rate.on_delivered(sent.seq, sent.end());
            }
        });
        rack.end_ack();
        let right_edge = ack.ack.saturating_add(ack.window);
        // The first window that is heard of has changed nothing (RFC 5681, 2).
        let same_window = right_edge == self.right_edge || !self.edge_heard;
        self.edge_heard = true;
        if ack.ack >= self.snd_una {
            self.right_edge = right_edge;
        }
        let duplicate = ack.ack == self.snd_una
            && had_outstanding
            && (same_window || reported > 0)
            && (!self.config.sack || reported > 0 || self.is_news(ack));
        self.snd_una = self.snd_una.max(ack.ack);
        // A report is as good a measurement: of the least RTT, and of the first.
        let reported_rtt = reported_at.map(|sent| now.since(sent));
        if let Some(rtt) = reported_rtt {
            self.rtt.note_min(now, rtt);
        }
        let rtt = if !advanced {
            reported_rtt.filter(|_| self.rtt.srtt().is_none() && !self.config.one_timed)
        } else if let Some(echo) = echo {
            let is_timed = !self.config.whole_ms || first_repeated == Some(false);
            is_timed.then(|| self.since_stamp(now, echo))
        } else if self.config.one_timed {
            self.timed
                .take_if(|(end, _)| *end <= ack.ack)
                .map(|(_, sent)| now.since(sent))
        } else {
            oldest.filter(|_| !ambiguous).map(|sent| now.since(sent))
        };
        if let Some(rtt) = rtt {
            self.take_rtt(now, rtt);
        } else if advanced && self.config.whole_ms && ack.ack > 1 {
            self.rtt.end_back_off();
        }
        let told_rtt = if self.config.last_rtt {
            let newest = newest.filter(|_| !ambiguous);
            reported_at.or(newest).map(|sent| now.since(sent)).or(rtt)
        } else if self.config.whole_ms {
            self.rtt.srtt()
        } else {
            rtt
        };
        self.delivered += cumulative + reported;
        Some(Heard {
            advanced,
            duplicate,
            delivered: cumulative + reported,
            counted: cumulative + reported,
            cumulative,
            sacked_before,
            moved,
            rtt: told_rtt,
            lost: 0,
            repairs: ambiguous,
        })
    }

    /// Whether a report after a timeout tells ns-2 something: the first after new data does, since
    /// all before was thrown away.
    fn is_news(&self, ack: &Ack) -> bool {
        self.config.duplicates_report
            && self.state == State::Loss
            && self.expired_una != Some(self.snd_una)
            && self.dupacks == 0
            && !ack.sack.is_empty()
    }

    #[inline(always)]
    #[allow(clippy::inline_always)] // once an acknowledgement
    pub(super) fn take_rtt(&mut self, now: Time, rtt: Span) {
        let (snd_una, snd_nxt) = (self.snd_una, self.snd_nxt);
        self.rtt
            .sample(now, rtt, snd_una, snd_nxt, &self.config.rto);
        self.rtt.end_back_off();
        self.sampled_since_probe = true;
        self.counts.rtt_samples += 1;
        self.counts.rtt_sum += u128::from(rtt.as_ps());
    }

    /// A stamp as it is written.
    pub(super) fn stamp(&self, time: Time) -> Time {
        if self.config.whole_ms {
            Time::from_ps(time.as_ps() / MILLISECOND * MILLISECOND)
        } else {
            time
        }
    }

    /// The time since an echoed stamp, more than none.
    fn since_stamp(&self, now: Time, echo: Time) -> Span {
        self.stamp(now)
            .since(self.stamp(echo))
            .max(Span::from_ps(u64::from(self.config.whole_ms)))
    }

    /// The blocks that tell of outstanding data; a leading duplicate report (RFC 2883) goes to RACK.
    fn valid_blocks(&mut self, ack: &Ack) -> SackBlocks {
        let given = ack.sack.as_slice();
        let stays = self.state == State::Recovery && ack.ack < self.recover;
        let deaf = (self.config.go_back_n && self.state == State::Loss)
            || (self.config.duplicates_report && ack.ack > self.snd_una && !stays);
        if !self.config.sack || deaf {
            return SackBlocks::NONE;
        }
        let known = self.snd_una.max(ack.ack);
        let is_dsack = given.first().is_some_and(|&(start, end)| {
            start < end
                && (end <= ack.ack
                    || given
                        .get(1)
                        .is_some_and(|&(from, to)| from <= start && end <= to))
        });
        if is_dsack {
            self.rack.on_dsack(known, self.snd_nxt);
            if let Some(probe) = self.probe
                && probe.is_retransmission
                && given[0].1 == probe.end
            {
                self.probe = None;
            }
        }
        let mut valid = SackBlocks::NONE;
        for &(start, end) in &given[usize::from(is_dsack)..] {
            let start = start.max(known);
            if start < end && end <= self.snd_nxt {
                valid.push((start, end));
            }
        }
        valid
    }
}
