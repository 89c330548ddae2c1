//! The receiving half of a connection.
//!
//! Cumulative acknowledgements; SACK blocks (RFC 2018: the one that has just changed first, then
//! the next most recent; three of them beside timestamps, else four; RFC 2883: a duplicate is
//! reported first). An acknowledgement is delayed until `delayed_ack` segments have arrived or
//! `delayed_ack_timeout` has passed. It is not delayed for a segment that is out of order, fills a
//! hole, is a duplicate, opens or ends the connection (RFC 5681, 4.2), is one of the first
//! `quick_acks`, or lets Linux's window [grow](growth). Linux also acknowledges at once a segment
//! that bears PSH or CWR, a marked segment and the one behind it, and sixteen segments after a
//! duplicate or a long pause. Its [delay](delaying) follows the intervals at which segments come,
//! and it [gathers](gathering) acknowledgements while segments are missing.
//!
//! Marks are echoed as the sender's [`EcnMode`] requires: until CWR (RFC 3168, 6.1.3), which in
//! ns-3 does not end the echo of a mark that no acknowledgement has reported yet; segment by
//! segment, where a change of the mark sends the delayed acknowledgement at once (RFC 8257, 3.2);
//! or by a count. `TSecr` is the latest stamp of a segment that does not begin beyond the last
//! acknowledgement sent (RFC 7323, 4.3): where acknowledgements are delayed, that of the earliest
//! segment not acknowledged. A segment whose stamp is older by whole milliseconds, in Linux by more
//! than one, is discarded and answered at once (PAWS; RFC 7323, 5.3): so a retransmission may cause
//! segments that it overtakes to be discarded. ns-2 and ns-3 have no such rule.
//!
//! **Choices**: the application reads at once, so the offered window is constant, or grows as
//! Linux's does; what lies beyond it is discarded. Only the four ranges that changed last are
//! remembered, so fewer may be reported than there are (RFC 2018, 4: SHOULD be as many as fit).

mod delaying;
mod gathering;
mod growth;
mod linux;
mod ranges;

use core::num::NonZeroU64;
use std::collections::VecDeque;
use std::sync::Arc;

use sojourn_base::prefetch::{prefetch, prefetch_all};
use sojourn_base::{Ecn, Span, Time};

use crate::ecn::EcnMode;
use crate::params::Config;
use crate::wire::{Ack, Outbox, Segment};
use linux::Linux;

/// How many segments Linux acknowledges one by one after a duplicate (`tcp_enter_quickack_mode`).
const AFTER_DUPLICATE: u64 = 16;
/// The same after a pause of more than a timeout.
const AFTER_PAUSE: u64 = 16;
/// The same after the first mark of a round trip.
const AFTER_MARK: u64 = 2;
/// The finest clock of time stamps (RFC 7323, 5.4), which is Linux's.
const PAWS_TICK: Span = Span::from_ms(1);
/// The number of SACK blocks that an acknowledgement always has room for
/// (`TCP_SACK_BLOCKS_EXPECTED`).
const BLOCKS_TOLD: usize = 2;

/// A segment as it arrives: the mark may have been set on the way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrival {
    /// The segment.
    pub segment: Segment,
    /// Its ECN codepoint now.
    pub ecn: Ecn,
}

impl From<Segment> for Arrival {
    fn from(segment: Segment) -> Self {
        Self {
            ecn: segment.ecn,
            segment,
        }
    }
}

/// The result of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Received {
    /// Payload bytes that are in order now and were not before.
    pub delivered: u64,
    /// Acknowledgements to send, in this order.
    pub acks: [Option<Ack>; 2],
}

impl Outbox for Received {
    fn next_ack(&mut self) -> &mut Ack {
        let next = usize::from(self.acks[0].is_some());
        self.acks[next].insert(Ack::plain(0))
    }
}

/// The receiving half of a connection.
///
/// The first cache line holds what a segment that arrives in order touches.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Receiver {
    config: Arc<Config>,
    /// The number expected next.
    rcv_nxt: u64,
    ack_at: Time,
    ts_recent: Time,
    last_ack: u64,
    ce_bytes: u64,
    /// Bytes that it accepts beyond the number expected.
    window: u64,
    /// From this instant on it must be checked whether the window [grows](growth) or the
    /// [delay](delaying) changes.
    steady_until: Time,
    /// Acknowledgements sent.
    acks: u64,
    /// Segments in order that no acknowledgement has covered.
    delayed: u32,
    /// The echo (RFC 3168), or the state DCTCP.CE (RFC 8257).
    ce: bool,
    /// Nothing is missing or still to be reported: a segment in order can take the fast path.
    fast_path: bool,
    /// Ranges beyond the number expected that have arrived, in order and disjoint.
    ranges: VecDeque<(u64, u64)>,
    /// The ranges that changed last, newest first: as they are now, or below the number expected.
    /// An empty range means none.
    recent: [(u64, u64); 4],
    /// The number of the FIN, once it has been seen; the first number is never a FIN's.
    fin: Option<NonZeroU64>,
    /// How many acknowledgements had been sent when the last mark came (RFC 3168), or the number
    /// expected when DCTCP's state last changed (ns-3).
    marked_at: Option<u64>,
    /// The duplicate that has not been reported yet; empty if there is none.
    duplicate: (u64, u64),
    /// Segments still to be acknowledged one by one.
    quick_acks: u64,
    /// The state of what only Linux does.
    linux: Option<Box<Linux>>,
}

impl Receiver {
    /// The receiver of a new connection.
    pub fn new(config: Arc<Config>) -> Self {
        let start = u64::from(!config.handshake);
        Self {
            rcv_nxt: start,
            ranges: VecDeque::new(),
            recent: [(0, 0); 4],
            fin: None,
            duplicate: (0, 0),
            marked_at: None,
            delayed: 0,
            quick_acks: config.acks.quick_acks,
            window: config.first_window(),
            steady_until: if config.acks.hurries_acks {
                Time::ZERO
            } else {
                Time::NEVER
            },
            linux: (config.acks.hurries_acks).then(|| Linux::new(&config).into()),
            ack_at: Time::NEVER,
            ts_recent: Time::ZERO,
            last_ack: start,
            ce: false,
            ce_bytes: 0,
            acks: 0,
            fast_path: false,
            config,
        }
    }

    /// A segment arrived; returns the result.
    pub fn on_segment(&mut self, now: Time, arrival: &Arrival) -> Received {
        let mut received = Received::default();
        received.delivered = self.take_segment(now, arrival, &mut received);
        received
    }

    /// A segment arrived: acknowledgements are written into `out`, in their order. Returns the
    /// payload bytes that are in order now and were not before.
    #[inline]
    pub fn take_segment(&mut self, now: Time, arrival: &Arrival, out: &mut impl Outbox) -> u64 {
        let Segment {
            seq, len, stamp, ..
        } = arrival.segment;
        let flags = arrival.segment.syn | arrival.segment.fin | arrival.segment.cwr;
        if flags || arrival.ecn == Ecn::Ce || !self.expects(now, seq, len, stamp) {
            return self.take_slow(now, arrival, out);
        }
        self.take_expected(now, len, arrival.segment.push, stamp, out)
    }

    /// Whether a segment that has neither a mark nor flags (except PSH), was sent at `stamp` and
    /// arrives now is the expected one.
    ///
    /// Nearly every segment is, and nothing is missing: then it only has to be counted (Jacobson's
    /// header prediction). [`take_expected`](Self::take_expected) leads to the same state as the
    /// slow path.
    #[inline]
    pub fn expects(&self, now: Time, seq: u64, len: u32, stamp: Time) -> bool {
        self.fast_path
            && seq == self.rcv_nxt
            && len > 0
            && u64::from(len) <= self.window
            && now < self.steady_until
            && stamp >= self.ts_recent
    }

    /// [`take_segment`](Self::take_segment) for a segment that is [expected](Self::expects), with
    /// or without PSH, sent at `stamp`.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet, from one place
    pub fn take_expected(
        &mut self,
        now: Time,
        len: u32,
        push: bool,
        stamp: Time,
        out: &mut impl Outbox,
    ) -> u64 {
        if self.rcv_nxt <= self.last_ack {
            self.ts_recent = stamp;
        }
        let len = u64::from(len);
        self.rcv_nxt += len;
        self.delayed += 1;
        if self.delayed >= self.config.acks.delayed_ack || push {
            self.acknowledge_in_order(now, out.next_ack());
        } else if self.delayed == 1 {
            self.ack_at = self
                .config
                .expiry(now, self.config.acks.delayed_ack_timeout);
        }
        if self.steady_until < Time::NEVER {
            self.stay_steady(now);
        }
        len
    }

    #[inline(never)]
    fn take_slow(&mut self, now: Time, arrival: &Arrival, out: &mut impl Outbox) -> u64 {
        // Acknowledgements sent meanwhile must look for themselves.
        self.fast_path = false;
        let delivered = if self.is_too_old(&arrival.segment) {
            self.refuse(now, &arrival.segment, out);
            0
        } else {
            self.take_in(now, arrival, out)
        };
        if let Some(linux) = &self.linux {
            self.steady_until = linux.is_steady_until();
        }
        let dctcp = self.config.ecn == EcnMode::Dctcp;
        self.fast_path = self.rcv_nxt > 0
            && self.ranges.is_empty()
            && !self.has_duplicate()
            && self.fin.is_none()
            && self.quick_acks == 0
            && !(dctcp && self.ce);
        delivered
    }

    /// Takes in a segment, and acknowledges it now or later.
    fn take_in(&mut self, now: Time, arrival: &Arrival, out: &mut impl Outbox) -> u64 {
        let segment = &arrival.segment;
        let ce_changed = self.note_ce(now, segment, arrival.ecn == Ecn::Ce, out);
        let (before, had_holes) = (self.rcv_nxt, !self.ranges.is_empty());
        let right = before.saturating_add(self.window);
        let (start, end) = (segment.seq, segment.end().min(right));
        self.note(now, segment, end);
        self.place(now, start, end, out);
        let delivered = self.payload_between(before, self.rcv_nxt);
        let in_order = self.rcv_nxt > before && !self.has_duplicate();
        let ends = segment.fin && self.is_finished();
        let is_quick = self.uses_quick_ack(segment);
        let at_once = is_quick || ce_changed || (segment.cwr && self.config.acks.hurries_acks);
        if self.rcv_nxt > before {
            self.read(now);
        }
        let may_wait = in_order && !had_holes && !segment.syn && !ends && !segment.push;
        let waits = !at_once && (may_wait && self.delays(now) || self.gathers_until(now));
        if !waits {
            self.acknowledge(now, out.next_ack());
        }
        delivered
    }

    /// Notes what a segment says in addition to its data. All of the data before `end` fits the
    /// window.
    fn note(&mut self, now: Time, segment: &Segment, end: u64) {
        if self.acks == 0
            && let Some(linux) = &mut self.linux
        {
            let took = now.since(segment.stamp);
            linux.gathering.on_first(took);
            linux.delaying.on_first(took);
        }
        if segment.seq <= self.last_ack && segment.stamp >= self.ts_recent {
            self.ts_recent = segment.stamp;
        }
        if segment.fin {
            self.fin = NonZeroU64::new(segment.end() - 1);
        }
        if segment.len > 0
            && segment.seq <= self.rcv_nxt
            && end > self.rcv_nxt
            && let Some(linux) = &mut self.linux
            && linux.delaying.on_data(now)
        {
            self.quick_acks = self.quick_acks.max(AFTER_PAUSE);
        }
        if self.lets_window_grow(now, segment) {
            self.quick_acks |= 1;
        }
    }

    /// Puts the numbers from `start` up to `end` in their place; `end` is at most the end of the
    /// window.
    fn place(&mut self, now: Time, start: u64, end: u64, out: &mut impl Outbox) {
        if start >= end || end <= self.rcv_nxt {
            // Nothing new: no data, an old duplicate, or beyond the window.
            if start < end {
                self.duplicate = (start, end);
                self.hurry(AFTER_DUPLICATE);
            }
        } else if start <= self.rcv_nxt {
            if start < self.rcv_nxt {
                self.duplicate = (start, self.rcv_nxt);
            }
            self.rcv_nxt = end;
            self.absorb();
        } else {
            // A later acknowledgement might not find room for what waits.
            if self.gathers() && self.newer_than(start, end) >= BLOCKS_TOLD {
                self.acknowledge(now, out.next_ack());
            }
            self.insert(start, end);
        }
    }

    /// Whether a segment is one of those that are acknowledged at once.
    fn uses_quick_ack(&mut self, segment: &Segment) -> bool {
        let is_quick = self.quick_acks > 0 && !segment.syn;
        if is_quick {
            self.quick_acks -= 1;
            if self.quick_acks == 0 {
                self.shorten_delay();
            }
        }
        is_quick
    }

    /// Counts another segment in order; returns whether its acknowledgement may wait for others or
    /// for the timer, which then runs.
    fn delays(&mut self, now: Time) -> bool {
        self.delayed += 1;
        let waits = self.delayed < self.config.acks.delayed_ack;
        if waits && self.delayed == 1 {
            self.ack_at = self.config.expiry(now, self.delay());
        }
        waits
    }

    /// Whether an acknowledgement waits for others that come soon, as in Linux.
    fn gathers_until(&mut self, now: Time) -> bool {
        let until = self.gather(now);
        if let Some(at) = until {
            self.ack_at = self.ack_at.min(at);
        }
        until.is_some()
    }

    /// Whether a segment bears an older stamp than one that moved the acknowledgement: it may be
    /// from the last time around the sequence numbers (PAWS; RFC 7323, 5.3).
    fn is_too_old(&self, segment: &Segment) -> bool {
        let Some(slack) = self.config.rtt.paws_slack else {
            return false;
        };
        let ticks = |time: Time| time.as_ps() / PAWS_TICK.as_ps();
        !segment.syn && ticks(segment.stamp) + slack < ticks(self.ts_recent)
    }

    /// Discards a segment that is too old, and acknowledges at once.
    fn refuse(&mut self, now: Time, segment: &Segment, out: &mut impl Outbox) {
        if segment.len > 0 && segment.seq < self.rcv_nxt {
            self.duplicate = (segment.seq, segment.end().min(self.rcv_nxt));
            self.hurry(AFTER_DUPLICATE);
        }
        self.acknowledge(now, out.next_ack());
    }

    /// Prefetches what a segment touches that does not arrive in order, if the one with the number
    /// `seq` may not. The first line must be in the cache.
    #[inline]
    pub fn prefetch_behind(&self, seq: u64) {
        if !self.fast_path || seq != self.rcv_nxt {
            prefetch_all(self);
        }
    }

    /// Prefetches the ranges that have arrived out of order, if any have.
    #[inline]
    pub fn prefetch_losses(&self) {
        if !self.fast_path {
            self.ranges.front().into_iter().for_each(prefetch);
        }
    }

    /// When [`on_timer`](Self::on_timer) is due, if ever.
    #[inline]
    pub fn next_timer(&self) -> Option<Time> {
        (self.ack_at < Time::NEVER).then_some(self.ack_at)
    }

    /// The delayed acknowledgement, if it is due.
    pub fn on_timer(&mut self, now: Time) -> Option<Ack> {
        (self.ack_at <= now).then(|| {
            if self.delayed > 0
                && let Some(linux) = &mut self.linux
            {
                linux.delaying.on_timer();
                self.steady_until = linux.is_steady_until();
            }
            let mut ack = Ack::plain(0);
            self.acknowledge(now, &mut ack);
            ack
        })
    }

    /// Payload bytes that have come in order.
    pub fn delivered(&self) -> u64 {
        self.payload_between(0, self.rcv_nxt)
    }

    /// Acknowledgements sent.
    pub const fn acks(&self) -> u64 {
        self.acks
    }

    /// The number expected next.
    pub const fn rcv_nxt(&self) -> u64 {
        self.rcv_nxt
    }

    /// Whether the FIN and all before it have arrived.
    pub fn is_finished(&self) -> bool {
        self.fin.is_some_and(|fin| self.rcv_nxt > fin.get())
    }

    fn has_duplicate(&self) -> bool {
        self.duplicate.0 < self.duplicate.1
    }

    /// Notes the ECN bits; returns whether a change of DCTCP's state is told at once.
    fn note_ce(
        &mut self,
        now: Time,
        segment: &Segment,
        marked: bool,
        out: &mut impl Outbox,
    ) -> bool {
        match self.config.ecn {
            EcnMode::Off => false,
            EcnMode::Classic => {
                let is_fresh =
                    self.config.marks.keeps_fresh_marks && self.marked_at == Some(self.acks);
                if segment.cwr && !is_fresh {
                    self.ce = false;
                }
                if marked && !self.ce {
                    self.hurry(AFTER_MARK);
                }
                if marked {
                    self.ce = true;
                    self.marked_at = Some(self.acks);
                }
                false
            }
            EcnMode::Dctcp => {
                if marked == self.ce || segment.len == 0 {
                    return false;
                }
                if self.config.marks.tells_changes_late {
                    self.tell_late(now, out);
                    self.ce = marked;
                    return false;
                }
                if self.delayed > 0 {
                    self.acknowledge(now, out.next_ack());
                }
                self.ce = marked;
                true
            }
            EcnMode::Accurate => {
                if marked {
                    self.ce_bytes += u64::from(segment.len);
                }
                false
            }
        }
    }

    /// DCTCP's state changes in ns-3: what had come before the last change is acknowledged, unless
    /// it was already, and what is delayed waits for as many segments again.
    fn tell_late(&mut self, now: Time, out: &mut impl Outbox) {
        let before = self.marked_at.replace(self.rcv_nxt);
        let Some(number) = before.filter(|_| self.delayed > 0) else {
            return;
        };
        if number > self.last_ack {
            let ack = out.next_ack();
            self.acknowledge(now, ack);
            ack.ack = number;
            self.last_ack = number;
        }
        self.delayed = 0;
        self.ack_at = Time::NEVER;
    }

    /// Payload bytes among the numbers from `from` on.
    fn payload_between(&self, from: u64, to: u64) -> u64 {
        let syn = u64::from(from == 0 && to > 0);
        let fin = u64::from(self.fin.is_some_and(|fin| (from..to).contains(&fin.get())));
        to - from - syn - fin
    }

    /// Writes the acknowledgement of all that has arrived.
    fn acknowledge(&mut self, now: Time, ack: &mut Ack) {
        self.acknowledge_in_order(now, ack);
        if let Some(linux) = &mut self.linux {
            linux.gathering.on_ack();
        }
        // On the fast path there is neither, and to look would touch another cache line.
        if !self.fast_path && (!self.ranges.is_empty() || self.has_duplicate()) {
            self.report(&mut ack.sack);
        }
    }

    /// The same if nothing is missing and nothing has come twice.
    #[inline(always)]
    #[allow(clippy::inline_always)] // every other packet, from one place nearly always
    fn acknowledge_in_order(&mut self, now: Time, ack: &mut Ack) {
        self.delayed = 0;
        self.ack_at = Time::NEVER;
        self.last_ack = self.rcv_nxt;
        self.acks += 1;
        ack.ack = self.rcv_nxt;
        ack.window = self.window;
        ack.ce_bytes = self.ce_bytes;
        ack.stamp = now;
        ack.echo = self.config.timestamps.then_some(self.ts_recent);
        ack.ece = self.ce;
        ack.sack.clear();
    }
}

#[cfg(test)]
impl Receiver {
    pub(crate) fn disable_fast_path(&mut self) {
        self.fast_path = false;
    }

    /// Its whole state, except what belongs to the fast path.
    pub(crate) fn shown(&mut self) -> String {
        let kept = core::mem::take(&mut self.fast_path);
        let shown = format!("{self:?}");
        self.fast_path = kept;
        shown
    }
}
