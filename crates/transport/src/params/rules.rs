//! What presets do differently, by what it concerns.

use sojourn_base::{Preset, Span};

use super::{TcpParams, feedback};
use crate::cc::Needs;
use crate::ecn::EcnMode;
use crate::pacing;
use crate::recovery::{PrrKind, PrrMode};

/// Linux's TCP_TIMEOUT_MIN: two ticks of 1 ms.
const LINUX_PATIENCE: Span = Span::from_ms(2);

/// How losses are found and repaired.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub struct RecoveryRules {
    /// Proportional rate reduction.
    pub prr: bool,
    /// Whose PRR.
    pub prr_kind: PrrKind,
    /// F-RTO.
    pub frto: bool,
    /// What stamps or reports of duplicates prove spurious is undone.
    pub undo: bool,
    /// What a probe of the tail waits beyond two round trips: after a segment that is alone, and
    /// after one that is not.
    pub probe_patience: (Span, Span),
    /// Limited transmit.
    pub limited_transmit: bool,
    /// Duplicate acknowledgements that mean a loss.
    pub dupthresh: u32,
    /// What RFC 2582 calls the impatient variant (RFC 6582, 3.2, step 3).
    pub impatient: bool,
    /// In NewReno's recovery at most so many segments go out per acknowledgement (ns-2: 2).
    pub burst: u32,
    /// What is lost and sent again but not delivered is reason enough for the next recovery: a loss
    /// in the next window is another one, though it was repaired within the last recovery (RFC
    /// 5681, 4.3; not ns-2, nor ns-3).
    pub recovers_what_is_out: bool,
    /// What is lost again after a timeout begins a recovery, and where neither PRR nor the
    /// controller takes the window down by itself, what is lost again in a recovery begins another
    /// (RFC 5681, 4.3; RFC 8985, 9.3; not ns-2, nor ns-3).
    pub answers_lost_again: bool,
    /// As many reports in a row as duplicates that mean a loss begin a recovery, even if they are
    /// of so little that the count of bytes takes nothing for lost, or one of them acknowledges
    /// something too (RFC 6675, 5, step 1; reference without RACK).
    pub counts_reports: bool,
    /// In recovery, where there is nothing else to send, outstanding segments are sent again though
    /// they are not held to be lost: rule 3 of RFC 6675's `NextSeg` (ns-3; reference without RACK).
    pub resends_unknown: bool,
    /// Losses as Linux treats them: reports give RTT samples too, where the first that is
    /// acknowledged was sent twice and where nothing moves, and start the timer anew if what they
    /// report was sent before the first outstanding segment was, whose sending does so as well; a
    /// timeout takes the window down to one segment beyond what is in flight; marks are answered
    /// until more is acknowledged than was sent; duplicates widen RACK's window only where segments
    /// have changed places.
    pub like_linux: bool,
    /// What RACK's reordering timer waits beyond its window.
    pub reorder_patience: Span,
    /// After a timeout all is sent again, reports or not, and limited transmit goes on (ns-2).
    pub go_back_n: bool,
    /// Recovery as ns-2's agents do it: with SACK holes count as in flight until they are
    /// acknowledged; without it deflation may eat into the window.
    pub classic: bool,
    /// Only duplicates report: what an acknowledgement of new data outside recovery tells, and all
    /// that is known then, is thrown away (ns-2 with SACK).
    pub duplicates_report: bool,
    /// Losses as ns-3 treats them: recovery begins with the third report in a row, or once the
    /// segment behind the first is lost, and until then what is lost is sent again within the
    /// window; each partial acknowledgement sends a segment whatever the window, unless the next
    /// hole was sent again already, and all but the first leave the timer alone; what was sent
    /// again stays in `pipe` until it is acknowledged, even if it is reported. While marks are
    /// answered no recovery begins; they are answered in recovery too, until more is acknowledged
    /// than was sent.
    pub like_ns3: bool,
}

/// What the round trip is measured by, and what a controller hears of it.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub struct RttRules {
    /// One segment is timed at a time, as in ns-2.
    pub one_rtt_at_a_time: bool,
    /// A SYN waits for 3 s (ns-3's `ConnTimeout`).
    pub slow_syn: bool,
    /// By how many milliseconds a stamp may be older than the last, where older ones are refused.
    pub paws_slack: Option<u64>,
    /// Controllers hear of the RTT of the last segment that is acknowledged, not of the first
    /// (Linux), nor of that alone which is timed (ns-2).
    pub last_rtt: bool,
    /// Controllers begin when the SYN is answered, and of the handshake hear only how long it took
    /// (Linux, ns-3).
    pub begins_after_handshake: bool,
    /// Stamps are whole milliseconds and controllers hear of the smoothed RTT; the first of the
    /// segments acknowledged gives no sample if it was sent twice, and back-off ends without any
    /// (ns-3).
    pub millisecond_stamps: bool,
}

/// When a receiver acknowledges, and what it offers.
#[derive(Debug, Clone, PartialEq)]
pub struct AckRules {
    /// Segments per acknowledgement.
    pub delayed_ack: u32,
    /// Longest delay of one.
    pub delayed_ack_timeout: Span,
    /// Segments at the start that are acknowledged one by one.
    pub quick_acks: u64,
    /// The window that the receiver offers grows to `window`, and segments by which it does are
    /// acknowledged one by one too (Linux).
    pub grows_window: bool,
    /// So are some after a duplicate, after a mark, and after CWR (Linux).
    pub hurries_acks: bool,
    /// While segments are missing one acknowledgement tells of several (Linux).
    pub gathers_acks: bool,
}

/// How marks are told of and answered.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub struct EcnRules {
    /// What is sent again is not ECN-capable (RFC 3168, 6.1.5): not that of controllers which weigh
    /// marks (RFC 8257, 4.1), nor what programs send with feedback that is not classic.
    pub not_ect_retransmits: bool,
    /// CWR does not end the echo of a mark that came after the last acknowledgement (ns-3).
    pub keeps_fresh_marks: bool,
    /// After a lost SYN the connection goes on without ECN (RFC 3168, 6.1.1.1; `tcp_ecn_fallback`).
    pub gives_up_ecn: bool,
    /// An echo of marks takes the window down as recovery does, by PRR, and it does not grow
    /// meanwhile (Linux, ns-3).
    pub by_prr: bool,
    /// An echo of marks never raises a window of less than two segments to that; instead nothing
    /// new goes until the timer of retransmission expires (RFC 3168, 6.1.2; reference).
    pub holds_at_one_mss: bool,
}

/// How segments are spread, and which go together.
#[derive(Debug, Clone, PartialEq)]
pub struct PacingRules {
    /// What the initial window lets go is not paced (ns-3).
    pub spares_initial: bool,
    /// It paces in bursts (Linux).
    pub paces_bursts: bool,
    /// New segments go down in buffers; the last of one with several bears PSH, and so does the
    /// last of what is written. What bears it is acknowledged at once (Linux).
    pub tso_buffers: bool,
    /// What is written lies in `sk_buff`s of so many bytes; no such buffer reaches from one into
    /// the next (Linux).
    pub skb_bytes: u64,
}

/// How the window grows, and to what it is reduced.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub struct CwndRules {
    /// The window grows only where it limits.
    pub validates: bool,
    /// Segments that one acknowledgement counts for.
    pub byte_counting: u32,
    /// Slow start after idle time.
    pub idle_restart: bool,
    /// It begins from the window halved for each timeout that has gone by, and one that is not put
    /// to use is taken down too (Linux).
    pub halves_when_idle: bool,
    /// What is halved is the window, not the flight (Linux, ns-2).
    pub halves_cwnd: bool,
    /// What is halved is `pipe`: what is reported or held to be lost does not count (ns-3).
    pub halves_pipe: bool,
    /// It is halved at a repeated timeout too (ns-2, ns-3).
    pub halves_again: bool,
    /// A timeout in a window that was reduced already leaves the threshold (Linux).
    pub keeps_ssthresh_when_reduced: bool,
    /// Whole segments are counted, and all by which an acknowledgement moved, what had been
    /// reported too; the one that ends a timeout's recovery counts for what was sent since (ns-3).
    pub counts_whole: bool,
    /// The acknowledgement that ends recovery grows the window (Linux, ns-3, and ns-2 without
    /// SACK).
    pub grows_at_exit: bool,
}

/// What a probe of the tail waits beyond two round trips: after a segment alone, and after others.
fn probe_patience(params: &TcpParams, linux: bool) -> (Span, Span) {
    match (linux, params.delayed_ack) {
        (true, _) => (params.min_rto, LINUX_PATIENCE),
        (false, 1) => (Span::ZERO, Span::ZERO),
        (false, _) => (params.delayed_ack_timeout, Span::ZERO),
    }
}

/// By how many milliseconds a stamp may be older than the last; none where ages are of no concern.
fn paws_slack(preset: Preset) -> Option<u64> {
    match preset {
        Preset::Reference => Some(0),
        Preset::Linux => Some(1),
        Preset::Ns2 | Preset::Ns3 => None,
    }
}

/// Whether what is sent again is not ECN-capable.
fn has_not_ect_retransmits(params: &TcpParams, preset: Preset, needs: &Needs) -> bool {
    match feedback(params, needs) {
        EcnMode::Off | EcnMode::Classic => true,
        EcnMode::Dctcp | EcnMode::Accurate => {
            preset == Preset::Reference && needs.ecn == EcnMode::Off
        }
    }
}

/// Whether the window goes down by PRR in recovery.
fn has_prr(params: &TcpParams) -> bool {
    params.prr != PrrMode::Off && params.sack
}

impl RecoveryRules {
    pub(super) fn new(params: &TcpParams, preset: Preset) -> Self {
        let reference = preset == Preset::Reference;
        let ns2 = preset == Preset::Ns2;
        let ns3 = preset == Preset::Ns3;
        let linux = preset == Preset::Linux;
        let prr = has_prr(params);
        Self {
            prr,
            prr_kind: PrrKind::of(params.prr, preset),
            frto: params.frto && params.sack,
            undo: params.undo && params.sack,
            probe_patience: probe_patience(params, linux),
            limited_transmit: params.limited_transmit,
            dupthresh: params.dupthresh,
            impatient: params.impatient,
            burst: if ns2 && !params.sack { 2 } else { u32::MAX },
            recovers_what_is_out: params.sack && (linux || reference),
            answers_lost_again: params.sack && (linux || reference),
            counts_reports: reference && params.sack && !params.rack,
            resends_unknown: params.sack && (ns3 || (reference && !params.rack)),
            like_linux: linux && params.sack,
            reorder_patience: if linux { LINUX_PATIENCE } else { Span::ZERO },
            go_back_n: ns2,
            classic: ns2,
            duplicates_report: ns2 && params.sack,
            like_ns3: ns3 && params.sack,
        }
    }
}

impl RttRules {
    pub(super) fn new(params: &TcpParams, preset: Preset) -> Self {
        let ns2 = preset == Preset::Ns2;
        let ns3 = preset == Preset::Ns3;
        let linux = preset == Preset::Linux;
        Self {
            one_rtt_at_a_time: ns2 && !params.timestamps,
            slow_syn: ns3,
            paws_slack: paws_slack(preset).filter(|_| params.timestamps),
            last_rtt: linux || ns2,
            begins_after_handshake: linux || ns3,
            millisecond_stamps: ns3,
        }
    }
}

impl AckRules {
    pub(super) fn new(params: &TcpParams, preset: Preset) -> Self {
        let linux = preset == Preset::Linux;
        Self {
            delayed_ack: params.delayed_ack,
            delayed_ack_timeout: params.delayed_ack_timeout,
            quick_acks: params.quick_acks.0,
            grows_window: linux && params.quick_acks.0 > 0,
            hurries_acks: linux,
            gathers_acks: linux && params.sack,
        }
    }
}

impl EcnRules {
    pub(super) fn new(params: &TcpParams, preset: Preset, needs: &Needs) -> Self {
        let reference = preset == Preset::Reference;
        let ns3 = preset == Preset::Ns3;
        let linux = preset == Preset::Linux;
        let prr = has_prr(params);
        Self {
            not_ect_retransmits: has_not_ect_retransmits(params, preset, needs),
            keeps_fresh_marks: ns3,
            gives_up_ecn: linux,
            by_prr: prr && (linux || ns3) && !needs.own_recovery,
            holds_at_one_mss: reference,
        }
    }
}

impl PacingRules {
    pub(super) fn new(preset: Preset, mss: u64) -> Self {
        let ns3 = preset == Preset::Ns3;
        let linux = preset == Preset::Linux;
        Self {
            spares_initial: ns3,
            paces_bursts: linux,
            tso_buffers: linux,
            skb_bytes: (pacing::MOST / mss).max(1) * mss,
        }
    }
}

impl CwndRules {
    pub(super) fn new(params: &TcpParams, preset: Preset, needs: &Needs) -> Self {
        let ns2 = preset == Preset::Ns2;
        let ns3 = preset == Preset::Ns3;
        let linux = preset == Preset::Linux;
        Self {
            validates: params.validate_cwnd,
            byte_counting: params.byte_counting,
            idle_restart: params.idle_restart && !needs.keeps_window_when_idle,
            halves_when_idle: linux && params.idle_restart && !needs.keeps_window_when_idle,
            halves_cwnd: ns2 || linux,
            halves_pipe: ns3,
            halves_again: ns2 || ns3,
            keeps_ssthresh_when_reduced: linux,
            counts_whole: ns3,
            grows_at_exit: match preset {
                Preset::Reference => false,
                Preset::Linux | Preset::Ns3 => true,
                Preset::Ns2 => !params.sack,
            },
        }
    }
}
