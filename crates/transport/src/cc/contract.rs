//! The contract between a congestion controller and the sender.

use sojourn_base::{Ecn, Span, Stream, Time};

use crate::ecn::EcnMode;
use crate::rate::{Loss, RateSample};
use crate::sender::State;

/// What a controller is told when it is made.
#[derive(Debug, Clone)]
pub struct Start {
    /// Bytes of a full segment.
    pub mss: u32,
    /// Initial window, bytes.
    pub initial_window: u64,
    /// Initial slow-start threshold, bytes; `u64::MAX` for none.
    pub initial_ssthresh: u64,
    /// The largest number of segments that one acknowledgement counts for: L of RFC 3465, which
    /// bounds slow start there, and here congestion avoidance too.
    pub byte_counting: u32,
    /// The connection has selective acknowledgements.
    pub sack: bool,
    /// The controller's own random stream.
    pub random: Stream,
}

impl Start {
    /// Segments of `mss` bytes, a window of `initial_window` segments and no threshold.
    pub fn of(mss: u32, initial_window: u64) -> Self {
        Self {
            mss,
            initial_window: initial_window * u64::from(mss),
            initial_ssthresh: u64::MAX,
            byte_counting: 1,
            sack: true,
            random: Stream::new(1),
        }
    }
}

/// What a controller asks of the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Needs {
    /// After a fast retransmit the sender recovers without slow start; false for Tahoe.
    pub fast_recovery: bool,
    /// A partial acknowledgement does not end recovery (RFC 6582); false for Reno, which leaves it
    /// at any acknowledgement of new data. Has no effect with SACK.
    pub partial_acks: bool,
    /// The controller sets the window during recovery itself: neither PRR nor inflation is used.
    pub own_recovery: bool,
    /// A loss reduces the window even if marks have done so.
    pub loss_after_marks: bool,
    /// It wants delivery-rate samples, and to be told about each lost segment.
    pub rate_samples: bool,
    /// It paces.
    pub pacing: bool,
    /// It keeps its window through idle time.
    pub keeps_window_when_idle: bool,
    /// The feedback of marks that it needs; off if it needs none.
    pub ecn: EcnMode,
    /// The codepoint of its packets where ECN is on.
    pub codepoint: Ecn,
}

impl Needs {
    /// NewReno's.
    pub const USUAL: Self = Self {
        fast_recovery: true,
        partial_acks: true,
        own_recovery: false,
        loss_after_marks: false,
        rate_samples: false,
        pacing: false,
        keeps_window_when_idle: false,
        ecn: EcnMode::Off,
        codepoint: Ecn::Ect0,
    };
}

/// An acknowledgement that delivered something, as a controller sees it.
#[derive(Debug, Clone, Copy)]
#[allow(clippy::struct_excessive_bools)]
pub struct AckSample {
    /// The present instant.
    pub now: Time,
    /// Bytes newly delivered: cumulatively or by a SACK block, each byte once.
    pub acked: u64,
    /// Of these, bytes known to have been marked (accurate or DCTCP's feedback).
    pub marked: u64,
    /// The echo of marks was set.
    pub ece: bool,
    /// The RTT sample of this acknowledgement, if it gave one.
    pub rtt: Option<Span>,
    /// Smoothed RTT; zero before the first sample.
    pub srtt: Span,
    /// When the acknowledgement was sent, and when the segment that it answers was sent, by the
    /// clocks of their senders; none without timestamps.
    pub stamps: Option<(Time, Time)>,
    /// Bytes in flight before it.
    pub prior_in_flight: u64,
    /// Bytes in flight after it.
    pub in_flight: u64,
    /// The window after it, before the controller has changed it, in bytes; in recovery that of
    /// PRR.
    pub window: u64,
    /// First unacknowledged number after it.
    pub snd_una: u64,
    /// The number to send next.
    pub snd_nxt: u64,
    /// State of the sender after it.
    pub state: State,
    /// The state is open, but something was reported out of order or is in flight for a second
    /// time: Linux's disorder, and only under that preset.
    pub is_disordered: bool,
    /// Whether the window may grow: not during fast recovery, not on an echo of marks, and not
    /// while something else limits the sender.
    pub may_grow: bool,
    /// The window was the limit at some time in the last round trip.
    pub cwnd_limited: bool,
    /// When the pacing clock lets the next segment go; none where the sender does not pace.
    pub next_send: Option<Time>,
    /// Delivery rate, where the controller asked for it.
    pub rate: Option<RateSample>,
    /// Bytes delivered since the start, this acknowledgement included.
    pub delivered: u64,
    /// Bytes newly considered lost.
    pub lost: u64,
}

impl AckSample {
    /// Whether all is well: no loss is being repaired, no mark answered, and nothing is out of
    /// order.
    pub fn is_open(&self) -> bool {
        self.state == State::Open && !self.is_disordered
    }

    /// Whether it answers the SYN, whose number is the one before the first byte of data.
    pub fn is_of_syn(&self) -> bool {
        self.snd_una == 1 && self.delivered == 1
    }

    /// One-way delay of the segment by the two ends' stamps, whose clocks may differ, in seconds.
    pub fn one_way_s(&self) -> Option<f64> {
        let (answered, sent) = self.stamps?;
        Some(answered.as_s() - sent.as_s())
    }
}

/// Why a window is to be reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LossKind {
    /// Duplicate or selective acknowledgements, or RACK, showed a loss.
    FastRetransmit,
    /// The retransmission timer expired.
    Timeout,
    /// An echo of a mark, at most one a window.
    Ecn,
}

/// A congestion event: at most one per window, of whatever kind, except timeouts.
#[derive(Debug, Clone, Copy)]
pub struct LossEvent {
    /// The present instant.
    pub now: Time,
    /// Its kind.
    pub kind: LossKind,
    /// FlightSize (RFC 5681): bytes outstanding, at most the window, so that what limited transmit
    /// added is not counted.
    pub in_flight: u64,
    /// The number to send next, where the window of the event ends.
    pub snd_nxt: u64,
    /// The timer expired again for the same segment: the threshold stays (RFC 5681, 3.1).
    pub again: bool,
}

/// A congestion controller: a pure state machine.
///
/// The sender calls [`on_ack`](Self::on_ack) for each acknowledgement that delivers something, in
/// every state, and the other hooks as their events happen. The sender recovers from losses itself.
/// Outside recovery its window is [`cwnd`](Self::cwnd), and the goal of recovery is
/// [`ssthresh`](Self::ssthresh).
pub trait CongestionControl {
    /// Data was delivered.
    fn on_ack(&mut self, ack: &AckSample);

    /// The same; returns the resulting window and threshold, as [`windows`](Self::windows) does.
    fn on_ack_to_windows(&mut self, ack: &AckSample) -> (u64, u64) {
        self.on_ack(ack);
        self.windows()
    }

    /// The same where nothing is wrong, for a controller that uses only the bytes acknowledged and
    /// whether the window may grow, and does not change the threshold: returns the resulting
    /// window. None if the controller needs the whole sample, which it is given then. With this,
    /// nearly all acknowledgements need no sample.
    fn on_acked(&mut self, _acked: u64, _may_grow: bool) -> Option<u64> {
        None
    }

    /// The SYN was answered after `rtt`, zero if that is not known. Called under Linux and ns-3,
    /// whose controllers begin then and are told nothing else about the SYN.
    fn on_handshake(&mut self, _now: Time, _rtt: Span) {}

    /// A segment is newly considered lost. Called, if the controller asked for rate samples, before
    /// the acknowledgement that revealed the loss.
    fn on_lost(&mut self, _now: Time, _loss: &Loss) {}

    /// Congestion: sets the threshold, and the window after recovery.
    fn on_loss_event(&mut self, event: &LossEvent);

    /// Recovery, or the window after an echo of marks, is over.
    fn on_recovery_exit(&mut self, _now: Time) {}

    /// The sender begins again after an idle time longer than its timeout (RFC 5681, 4.1).
    fn on_restart(&mut self, now: Time);

    /// The very first segment is sent, or the first after everything was acknowledged, `idle` after
    /// the last one (Linux's `CA_EVENT_TX_START`). `app_limited`: rate samples are taken, and they
    /// are application-limited.
    fn on_tx_start(&mut self, _now: Time, _idle: Span, _app_limited: bool) {}

    /// A timeout or recovery proved spurious: restores the window before it, if that was larger.
    fn on_undo(&mut self, _now: Time) {}

    /// The window, bytes.
    fn cwnd(&self) -> u64;

    /// The slow-start threshold, bytes; `u64::MAX` while there is none.
    fn ssthresh(&self) -> u64;

    /// Both in one call.
    fn windows(&self) -> (u64, u64) {
        (self.cwnd(), self.ssthresh())
    }

    /// The pacing rate in bytes per second; none for the usual multiple of cwnd / SRTT.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }

    /// The smallest number of segments that Linux sends at once when it paces.
    fn least_burst(&self) -> u8 {
        2
    }

    /// Whether it currently sends less by its own choice, so that rate samples count as
    /// application-limited.
    fn is_self_limited(&self) -> bool {
        false
    }

    /// What it asks of the sender.
    fn needs(&self) -> Needs {
        Needs::USUAL
    }

    /// Shows inner variables by name: `w_max`, `alpha` ...
    fn probe(&self, _show: &mut dyn FnMut(&str, f64)) {}

    /// Sets the window and the threshold in segments, for tests.
    fn set_window(&mut self, cwnd: f64, ssthresh: f64);
}
