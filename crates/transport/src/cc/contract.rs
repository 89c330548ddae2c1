//! What a congestion controller and the sender promise each other.

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
    /// Segments that one acknowledgement counts for at most: L of RFC 3465, which bounds slow start
    /// there, and here congestion avoidance too.
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
    /// A partial acknowledgement keeps recovery on (RFC 6582); false for Reno, which leaves it at
    /// any acknowledgement of new data. Of no account with SACK.
    pub partial_acks: bool,
    /// The controller sets the window during recovery too: neither PRR nor inflation.
    pub own_recovery: bool,
    /// A loss reduces the window though marks have.
    pub loss_after_marks: bool,
    /// It wants delivery-rate samples, and to hear of each lost segment.
    pub rate_samples: bool,
    /// It paces.
    pub pacing: bool,
    /// It keeps its window through idle time.
    pub keeps_window_when_idle: bool,
    /// Feedback of marks that it works with; off where it does without.
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
    /// RTT sample of it, if it gave one.
    pub rtt: Option<Span>,
    /// Smoothed RTT; zero before the first sample.
    pub srtt: Span,
    /// When it was sent and when the segment that it answers was, by the clocks of their senders;
    /// none without timestamps.
    pub stamps: Option<(Time, Time)>,
    /// Bytes in flight before it.
    pub prior_in_flight: u64,
    /// Bytes in flight after it.
    pub in_flight: u64,
    /// The window after it, without what it adds, in bytes; in recovery that of PRR.
    pub window: u64,
    /// First unacknowledged number after it.
    pub snd_una: u64,
    /// The number to send next.
    pub snd_nxt: u64,
    /// State of the sender after it.
    pub state: State,
    /// That is open, but something was reported out of order or is out for a second time: Linux's
    /// disorder, and under that preset alone.
    pub is_disordered: bool,
    /// Whether the window may grow: not during fast recovery, not on an echo of marks, not while
    /// something else limits the sender.
    pub may_grow: bool,
    /// The window was the limit at some time in the last round trip.
    pub cwnd_limited: bool,
    /// When the pacing clock lets the next segment go; none where the sender does not pace.
    pub next_send: Option<Time>,
    /// Delivery rate, where the controller asked for it.
    pub rate: Option<RateSample>,
    /// Bytes delivered since the start, this acknowledgement included.
    pub delivered: u64,
    /// Bytes newly held to be lost.
    pub lost: u64,
}

impl AckSample {
    /// Whether all is well: no loss is repaired, no mark answered, and nothing out of order.
    pub fn is_open(&self) -> bool {
        self.state == State::Open && !self.is_disordered
    }

    /// Whether it answers the SYN, which is the byte before the first of data.
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

/// A congestion event: at most one a window, whatever its kinds, but for a timeout.
#[derive(Debug, Clone, Copy)]
pub struct LossEvent {
    /// The present instant.
    pub now: Time,
    /// Its kind.
    pub kind: LossKind,
    /// FlightSize (RFC 5681): bytes outstanding, at most the window, so that what limited transmit
    /// added is not counted.
    pub in_flight: u64,
    /// The number to send next: the event's window ends there.
    pub snd_nxt: u64,
    /// The timer expired again for the same segment: the threshold stays (RFC 5681, 3.1).
    pub again: bool,
}

/// A congestion controller: a pure state machine.
///
/// The sender calls [`on_ack`](Self::on_ack) for each acknowledgement that delivers something, in
/// every state, and the other hooks as they happen. It recovers from losses itself and takes its
/// window from [`cwnd`](Self::cwnd) outside recovery and [`ssthresh`](Self::ssthresh) as the goal
/// of recovery.
pub trait CongestionControl {
    /// Data was delivered.
    fn on_ack(&mut self, ack: &AckSample);

    /// The same; tells the window and threshold that follow from it, as [`windows`](Self::windows)
    /// does.
    fn on_ack_to_windows(&mut self, ack: &AckSample) -> (u64, u64) {
        self.on_ack(ack);
        self.windows()
    }

    /// The same where nothing is wrong, for a controller that goes by nothing but the bytes
    /// acknowledged and whether the window may grow, and leaves the threshold alone: the window
    /// that follows. None where it wants the whole sample, which it is given then. It spares nearly
    /// every acknowledgement to fill one in.
    fn on_acked(&mut self, _acked: u64, _may_grow: bool) -> Option<u64> {
        None
    }

    /// The SYN was answered after `rtt`, zero where that is not known: under Linux and ns-3, whose
    /// controllers begin then, and are told no more of that.
    fn on_handshake(&mut self, _now: Time, _rtt: Span) {}

    /// A segment is newly held to be lost; told where the controller asked for rate samples, before
    /// the acknowledgement that showed it.
    fn on_lost(&mut self, _now: Time, _loss: &Loss) {}

    /// Congestion: sets the threshold and the window to go on with after recovery.
    fn on_loss_event(&mut self, event: &LossEvent);

    /// Recovery, or the window after an echo of marks, is over.
    fn on_recovery_exit(&mut self, _now: Time) {}

    /// The sender begins again after an idle time longer than its timeout (RFC 5681, 4.1).
    fn on_restart(&mut self, now: Time);

    /// The first segment of all is sent, or the first after everything was acknowledged, `idle`
    /// after the last (Linux's `CA_EVENT_TX_START`). `app_limited`: rate samples are taken, and
    /// they are application-limited.
    fn on_tx_start(&mut self, _now: Time, _idle: Span, _app_limited: bool) {}

    /// A timeout or recovery proved spurious: back to the window before, if it was larger.
    fn on_undo(&mut self, _now: Time) {}

    /// The window, bytes.
    fn cwnd(&self) -> u64;

    /// The slow-start threshold, bytes; `u64::MAX` while there is none.
    fn ssthresh(&self) -> u64;

    /// Both, asked for together.
    fn windows(&self) -> (u64, u64) {
        (self.cwnd(), self.ssthresh())
    }

    /// The rate to pace at in bytes per second; none for the usual multiple of cwnd / SRTT.
    fn pacing_rate(&self) -> Option<f64> {
        None
    }

    /// The fewest segments that Linux sends at once where it paces.
    fn least_burst(&self) -> u8 {
        2
    }

    /// Whether it sends less of its own accord, so that rate samples are as if application-limited.
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
