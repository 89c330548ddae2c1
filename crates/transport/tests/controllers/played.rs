//! A controller without a sender: the test plays the path.

use sojourn_base::{Preset, Span, Time};
use sojourn_transport::{
    AckSample, AnyController, CongestionControl, LossEvent, LossKind, Start, State,
};

use crate::bench::{controller, probe};

/// A controller under a path that the test makes up, a round trip at a time.
pub(crate) struct Played {
    pub(crate) cc: AnyController,
    pub(crate) now: Time,
    /// The sender's, as acknowledgements tell it.
    pub(crate) state: State,
    /// Whether something came out of order.
    pub(crate) is_disordered: bool,
    /// What is in flight where it is not the window, bytes: then the window was not the limit.
    pub(crate) flight: Option<u64>,
    /// The window where recovery has one of its own, bytes.
    pub(crate) window: Option<u64>,
    /// Segments of an acknowledgement.
    pub(crate) segments: u64,
    /// Whether the sender paces.
    pub(crate) is_paced: bool,
    una: u64,
    delivered: u64,
}

impl Played {
    pub(crate) fn new(name: &str, preset: Preset, cwnd: f64, ssthresh: f64) -> Self {
        let mut start = Start::of(1000, 10);
        if preset == Preset::Linux {
            start.byte_counting = 1_000_000;
        }
        let mut cc = controller(name, preset, &start);
        cc.set_window(cwnd, ssthresh);
        Self {
            cc,
            now: Time::ZERO,
            state: State::Open,
            is_disordered: false,
            flight: None,
            window: None,
            segments: 1,
            is_paced: false,
            una: 1,
            delivered: 0,
        }
    }

    pub(crate) fn cwnd(&self) -> f64 {
        self.cc.cwnd() as f64 / 1000.0
    }

    /// A segment is acknowledged at `now`, or as many as `segments` says.
    pub(crate) fn ack(&mut self, rtt: Span, marked: bool) {
        self.una += 1000 * self.segments;
        self.deliver(1000 * self.segments, rtt, marked, true);
    }

    /// A segment is reported behind a hole that recovery is about.
    pub(crate) fn report(&mut self, rtt: Span) {
        self.state = State::Recovery;
        self.deliver(1000, rtt, false, false);
    }

    /// The hole before `reported` segments is filled, which ends recovery.
    pub(crate) fn fill(&mut self, reported: u64, rtt: Span) {
        self.state = State::Open;
        self.una += 1000 * (reported + 1);
        self.deliver(1000, rtt, false, true);
    }

    fn deliver(&mut self, acked: u64, rtt: Span, marked: bool, advances: bool) {
        let cwnd = self.flight.unwrap_or(self.cc.cwnd());
        let is_limit = self.flight.is_none();
        self.delivered += acked;
        let sample = AckSample {
            now: self.now,
            acked,
            marked: if marked { acked } else { 0 },
            ece: marked,
            rtt: Some(rtt),
            srtt: rtt,
            stamps: Some((Time::from_ps(rtt.as_ps() / 2), Time::ZERO)),
            prior_in_flight: cwnd,
            in_flight: cwnd.saturating_sub(acked),
            window: self.window.unwrap_or(self.cc.cwnd()),
            snd_una: self.una,
            snd_nxt: self.una + cwnd.saturating_sub(acked),
            state: self.state,
            is_disordered: self.is_disordered,
            may_grow: !marked && is_limit && advances,
            cwnd_limited: is_limit,
            next_send: self.is_paced.then_some(self.now),
            rate: None,
            delivered: self.delivered,
            lost: 0,
        };
        self.cc.on_ack(&sample);
    }

    /// A window's worth of acknowledgements, evenly over a round trip.
    pub(crate) fn round(&mut self, rtt: Span, marked: bool) {
        let acks = (self.cc.cwnd() / 1000 / self.segments).max(1);
        let gap = Span::from_ps(rtt.as_ps() / acks);
        for _ in 0..acks {
            self.now += gap;
            self.ack(rtt, marked);
        }
    }

    pub(crate) fn lose(&mut self, kind: LossKind) {
        self.lose_once_more(kind, false);
    }

    /// A loss, `again` in a window that was reduced already.
    pub(crate) fn lose_once_more(&mut self, kind: LossKind, again: bool) {
        self.begin_loss(kind, again);
        self.cc.on_recovery_exit(self.now);
    }

    /// The same before it is repaired.
    pub(crate) fn begin_loss(&mut self, kind: LossKind, again: bool) {
        let event = LossEvent {
            now: self.now,
            kind,
            in_flight: self.cc.cwnd(),
            snd_nxt: self.una + self.cc.cwnd(),
            again,
        };
        self.cc.on_loss_event(&event);
    }

    pub(crate) fn probe(&self, name: &str) -> f64 {
        probe(&self.cc, name)
    }
}
