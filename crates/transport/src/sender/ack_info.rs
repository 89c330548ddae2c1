//! What an acknowledgement says about data and round trips.

use sojourn_base::{Span, Time};

use super::{Sender, State};
use crate::scoreboard::Sent;
use crate::wire::{Ack, SackBlocks};

const MILLISECOND: u64 = 1_000_000_000;

/// What one acknowledgement brought.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools)]
pub(super) struct AckInfo {
    /// The first unacknowledged number moved.
    pub(super) advanced: bool,
    /// RFC 5681's duplicate: nothing moved, data is outstanding, the window is the same; with SACK
    /// it also reports something new (RFC 6675).
    pub(super) duplicate: bool,
    /// Bytes newly delivered.
    pub(super) delivered: u64,
    /// Bytes that the controller counts for growth.
    pub(super) counted: u64,
    /// Bytes by which the first unacknowledged number moved and that no block had reported before.
    pub(super) cumulative: u64,
    /// Bytes that blocks had reported before it.
    pub(super) sacked_before: u64,
    /// Bytes by which the first unacknowledged number moved.
    pub(super) moved: u64,
    /// The RTT that the controller is told.
    pub(super) rtt: Option<Span>,
    /// Bytes newly considered lost.
    pub(super) lost: u64,
    /// It acknowledges what was sent again.
    pub(super) repairs: bool,
    /// It acknowledges or reports data that was sent once, before the last loss.
    pub(super) acks_originals: bool,
    /// It reports data that was sent before the first outstanding segment was last sent (Linux).
    pub(super) rearms_rto: bool,
    /// It leaves Linux in its state of disorder.
    pub(super) is_disordered: bool,
}

impl AckInfo {
    /// Bytes reported before it, above what it acknowledges.
    pub(super) fn sacked_still(&self) -> u64 {
        self.sacked_before - (self.moved - self.cumulative)
    }

    /// Whether a block reported something new.
    pub(super) fn reports(&self) -> bool {
        self.delivered > self.cumulative
    }
}

/// When the data was sent that an acknowledgement acknowledges or reports.
#[derive(Debug, Clone, Copy, Default)]
struct SendTimes {
    /// Of what it newly acknowledges, the oldest and the newest (RFC 6298).
    oldest: Option<Time>,
    newest: Option<Time>,
    /// Some of that was sent twice (Karn).
    ambiguous: bool,
    /// Whether the first of it was sent twice.
    first_repeated: Option<bool>,
    /// Of what it newly reports and was sent once, the oldest and the newest.
    first_reported: Option<Time>,
    last_reported: Option<Time>,
    /// It acknowledges or reports data that was sent once, before the last loss.
    originals: bool,
    /// For RACK: the latest of all; the last by number of what it acknowledges; and of what it
    /// reports, the highest, with its number.
    latest: Option<Time>,
    last_acknowledged: Option<Time>,
    highest_reported: Option<(u64, Time)>,
}

impl SendTimes {
    fn acknowledged(&mut self, sent: &Sent, recover: u64) {
        let repeated = sent.was_retransmitted();
        self.ambiguous |= repeated;
        self.first_repeated.get_or_insert(repeated);
        self.oldest = Some(self.oldest.map_or(sent.xmit, |time| time.min(sent.xmit)));
        self.newest = self.newest.max(Some(sent.xmit));
        self.originals |= !repeated && sent.end() <= recover;
    }

    fn reported(&mut self, sent: &Sent, recover: u64) {
        if !sent.was_retransmitted() {
            let first = self.first_reported.unwrap_or(sent.xmit);
            self.first_reported = Some(first.min(sent.xmit));
            self.last_reported = self.last_reported.max(Some(sent.xmit));
            self.originals |= sent.end() <= recover;
        }
    }

    fn acknowledged_and_timed(&mut self, sent: &Sent) {
        self.latest = self.latest.max(Some(sent.xmit));
        self.last_acknowledged = Some(sent.xmit);
    }

    fn reported_and_timed(&mut self, sent: &Sent) {
        self.latest = self.latest.max(Some(sent.xmit));
        self.highest_reported = self.highest_reported.max(Some((sent.seq, sent.xmit)));
    }

    /// When the segment was sent from which RACK takes the round trip: the one sent last (RFC 8985,
    /// 6.2, step 2). In Linux, the one processed last: it first processes what is reported, by
    /// number, and then what is acknowledged (`tcp_ack`).
    fn timed(&self, is_linux: bool) -> Option<Time> {
        if is_linux {
            let reported = self.highest_reported.map(|(_, sent)| sent);
            self.last_acknowledged.or(reported)
        } else {
            self.latest
        }
    }
}

impl Sender {
    /// Updates the scoreboard and the RTT; returns none if the acknowledgement is too old to say
    /// anything.
    pub(super) fn take_ack_info(&mut self, now: Time, ack: &Ack) -> Option<AckInfo> {
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
        let mut times = SendTimes::default();
        let (cumulative, reported) = self.update_scoreboard(now, ack, &blocks, &mut times);
        let same_window = self.update_right_edge(ack);
        let duplicate = ack.ack == self.snd_una
            && had_outstanding
            && (same_window || reported > 0)
            && (!self.config.sack || reported > 0 || self.is_news(ack));
        self.snd_una = self.snd_una.max(ack.ack);
        // A report is as good a measurement: of the least RTT, and of the first.
        if let Some(sent) = times.last_reported {
            self.rtt.note_min(now, now.since(sent));
        }
        let rearms_rto = !advanced && self.is_older_than_first(times.first_reported);
        let rtt = self.measured(now, ack, &times, advanced);
        if let Some(rtt) = rtt {
            self.take_rtt(now, rtt);
        } else if advanced && self.config.rtt.millisecond_stamps && ack.ack > 1 {
            self.rtt.end_back_off();
        }
        self.delivered += cumulative + reported;
        Some(AckInfo {
            advanced,
            duplicate,
            delivered: cumulative + reported,
            counted: cumulative + reported,
            cumulative,
            sacked_before,
            moved,
            rtt: self.reported_rtt(now, &times, rtt),
            lost: 0,
            repairs: times.ambiguous,
            acks_originals: times.originals,
            rearms_rto,
            is_disordered: false,
        })
    }

    /// Removes what is acknowledged and reported from the scoreboard, and tells RACK and the rate
    /// about it. Notes when it was sent; returns the bytes newly acknowledged and those newly
    /// reported.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once an acknowledgement, from one place
    fn update_scoreboard(
        &mut self,
        now: Time,
        ack: &Ack,
        blocks: &SackBlocks,
        times: &mut SendTimes,
    ) -> (u64, u64) {
        let recover = self.recover;
        let echo = ack.echo.filter(|_| self.config.timestamps);
        let (rack_on, min_rtt) = (self.config.rack, self.rtt.min());
        let (rack, mut rate) = (&mut self.rack, self.rate.as_deref_mut());
        let cumulative = self.board.acknowledge(ack.ack, |sent| {
            times.acknowledged(sent, recover);
            if rack_on && rack.on_delivered(sent, now, echo, min_rtt) {
                times.acknowledged_and_timed(sent);
            }
            if let Some(rate) = &mut rate {
                rate.on_delivered(sent.seq, sent.end());
            }
        });
        let reported = self.board.sack(blocks.as_slice(), |sent| {
            times.reported(sent, recover);
            if rack_on && rack.on_delivered(sent, now, None, min_rtt) {
                times.reported_and_timed(sent);
            }
            if let Some(rate) = &mut rate {
                rate.on_delivered(sent.seq, sent.end());
            }
        });
        if let Some(sent) = times.timed(self.config.recovery.like_linux) {
            rack.set_rtt(now.since(sent));
        }
        (cumulative, reported)
    }

    /// Takes over the window that the receiver offers; returns whether it is the same as before.
    fn update_right_edge(&mut self, ack: &Ack) -> bool {
        let right_edge = ack.ack.saturating_add(ack.window);
        // The first window that the receiver offers has changed nothing (RFC 5681, 2).
        let same_window = right_edge == self.right_edge || !self.edge_heard;
        self.edge_heard = true;
        if ack.ack >= self.snd_una {
            self.right_edge = right_edge;
        }
        same_window
    }

    /// The RTT that the controller is told; `rtt` is the one that the estimator takes.
    fn reported_rtt(&self, now: Time, times: &SendTimes, rtt: Option<Span>) -> Option<Span> {
        if self.config.rtt.last_rtt {
            let newest = times.newest.filter(|_| !times.ambiguous);
            let last = times.last_reported.or(newest);
            last.map(|sent| now.since(sent)).or(rtt)
        } else if self.config.rtt.millisecond_stamps {
            self.rtt.srtt()
        } else {
            rtt
        }
    }

    /// The RTT sample that an acknowledgement gives, if any.
    fn measured(
        &mut self,
        now: Time,
        ack: &Ack,
        times: &SendTimes,
        advanced: bool,
    ) -> Option<Span> {
        if self.config.recovery.like_linux
            && (!advanced || times.ambiguous)
            && let Some(sent) = times.first_reported
        {
            return Some(now.since(sent));
        }
        if !advanced {
            let is_first = self.rtt.srtt().is_none() && !self.config.rtt.one_rtt_at_a_time;
            let sent = times.last_reported.filter(|_| is_first);
            return sent.map(|sent| now.since(sent));
        }
        if let Some(echo) = ack.echo.filter(|_| self.config.timestamps) {
            let is_timed =
                !self.config.rtt.millisecond_stamps || times.first_repeated == Some(false);
            return is_timed.then(|| self.since_stamp(now, echo));
        }
        if self.config.rtt.one_rtt_at_a_time {
            let ended = self.timed.take_if(|(end, _)| *end <= ack.ack);
            return ended.map(|(_, sent)| now.since(sent));
        }
        let oldest = times.oldest.filter(|_| !times.ambiguous);
        oldest.map(|sent| now.since(sent))
    }

    /// Whether data that is reported now was sent before the last transmission of the first
    /// outstanding segment. If so, Linux restarts the timer, since the time that it has run says
    /// nothing about that transmission.
    fn is_older_than_first(&self, reported: Option<Time>) -> bool {
        self.config.recovery.like_linux
            && reported
                .is_some_and(|sent| self.board.first().is_some_and(|first| first.xmit > sent))
    }

    /// Whether a report after a timeout is new to ns-2: the first one after new data is, since all
    /// earlier reports were discarded.
    fn is_news(&self, ack: &Ack) -> bool {
        self.config.recovery.duplicates_report
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

    /// A stamp as it is written into a segment.
    pub(super) fn stamp(&self, time: Time) -> Time {
        if self.config.rtt.millisecond_stamps {
            Time::from_ps(time.as_ps() / MILLISECOND * MILLISECOND)
        } else {
            time
        }
    }

    /// The time since an echoed stamp, more than zero.
    fn since_stamp(&self, now: Time, echo: Time) -> Span {
        self.stamp(now)
            .since(self.stamp(echo))
            .max(Span::from_ps(u64::from(self.config.rtt.millisecond_stamps)))
    }

    /// The blocks that concern outstanding data; a leading report of a duplicate (RFC 2883) goes to
    /// RACK.
    fn valid_blocks(&mut self, ack: &Ack) -> SackBlocks {
        let given = ack.sack.as_slice();
        let stays = self.state == State::Recovery && ack.ack < self.recover;
        let deaf = (self.config.recovery.go_back_n && self.state == State::Loss)
            || (self.config.recovery.duplicates_report && ack.ack > self.snd_una && !stays);
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
            if !self.config.recovery.like_linux || self.rack.has_seen_reordering() {
                self.rack.on_dsack(known, self.snd_nxt);
            }
            self.count_dsack(given[0]);
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
        // Of what one acknowledgement reports, the higher block came no sooner than the lower:
        // RACK would see the lower overtaken (RFC 8985, 6.2, step 3).
        valid.sort();
        valid
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoreboard::Scoreboard;

    /// Of three segments sent one after the other the third and the first are reported, and the
    /// second is acknowledged.
    #[test]
    fn one_of_all_has_the_last_word_on_the_round_trip() {
        let at = |ms| Time::ZERO + Span::from_ms(ms);
        let mut board = Scoreboard::default();
        for n in 0..3 {
            board.push(1 + 1000 * n, 1000, at(50 * n));
        }
        let mut sent = Vec::new();
        board.acknowledge(3001, |one| sent.push(*one));
        let mut times = SendTimes::default();
        assert_eq!((times.timed(false), times.timed(true)), (None, None));
        times.reported_and_timed(&sent[2]);
        times.reported_and_timed(&sent[0]);
        assert_eq!(times.timed(false), Some(at(100)));
        assert_eq!(times.timed(true), Some(at(100)));
        times.acknowledged_and_timed(&sent[1]);
        assert_eq!(times.timed(false), Some(at(100)));
        assert_eq!(times.timed(true), Some(at(50)));
    }
}
