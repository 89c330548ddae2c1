//! What presets do differently, by subject.

use sojourn_base::{Preset, Span};

use super::{TcpParams, feedback};
use crate::cc::Needs;
use crate::ecn::EcnMode;
use crate::pacing;
use crate::recovery::{PrrKind, PrrMode};

/// Linux's `TCP_TIMEOUT_MIN`: two ticks.
fn linux_patience(params: &TcpParams) -> Span {
    params.granularity + params.granularity
}

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
    /// What timestamps or reports of duplicates prove to be spurious is undone.
    pub undo: bool,
    /// How long a probe of the tail waits beyond two round trips: after a segment that is alone in
    /// flight, and after one that is not.
    pub probe_patience: (Span, Span),
    /// Limited transmit.
    pub limited_transmit: bool,
    /// Duplicate acknowledgements that indicate a loss.
    pub dupthresh: u32,
    /// What RFC 2582 calls the impatient variant (RFC 6582, 3.2, step 3).
    pub impatient: bool,
    /// In NewReno's recovery at most this many segments are sent per acknowledgement (ns-2: 2).
    pub burst: u32,
    /// A segment that is lost, was sent again and is not delivered begins the next recovery: a loss
    /// in the next window is another one, even if it was repaired within the last recovery (RFC
    /// 5681, 4.3; not in ns-2 and ns-3).
    pub recovers_what_is_out: bool,
    /// A retransmission that is lost after a timeout begins a recovery. One that is lost in a
    /// recovery begins another, if neither PRR nor the controller reduces the window by itself (RFC
    /// 5681, 4.3; RFC 8985, 9.3; not in ns-2 and ns-3).
    pub answers_lost_again: bool,
    /// A recovery begins after as many consecutive reports as there are duplicates that indicate a
    /// loss, even if the reports cover so few bytes that the count of bytes finds no loss, or if
    /// one of them also acknowledges something (RFC 6675, 5, step 1; reference without RACK).
    pub counts_reports: bool,
    /// In recovery, if there is nothing else to send, outstanding segments are sent again although
    /// they are not considered lost: rule 3 of RFC 6675's `NextSeg` (ns-3; reference without RACK).
    pub resends_unknown: bool,
    /// Losses as Linux treats them. Reports give RTT samples too, even if the first segment
    /// acknowledged was sent twice or nothing moves. They restart the timer if what they report was
    /// sent before the first outstanding segment; sending that segment restarts the timer as well.
    /// A timeout reduces the window to one segment beyond what is in flight. Marks are answered
    /// until more is acknowledged than was sent. Duplicates widen RACK's window only if segments
    /// have changed places.
    pub like_linux: bool,
    /// How long RACK's reordering timer waits beyond its window.
    pub reorder_patience: Span,
    /// After a timeout everything is sent again, reported or not, and limited transmit continues
    /// (ns-2).
    pub go_back_n: bool,
    /// Recovery as in ns-2's agents: with SACK, holes count as in flight until they are
    /// acknowledged; without it, deflation may reduce the window itself.
    pub classic: bool,
    /// Only duplicates report: what an acknowledgement of new data outside recovery reports, and
    /// everything known at that time, is discarded (ns-2 with SACK).
    pub duplicates_report: bool,
    /// Losses as ns-3 treats them. Recovery begins with the third report in a row, or once the
    /// segment behind the first is lost; until then lost segments are sent again within the window.
    /// Each partial acknowledgement sends a segment whatever the window, unless the next hole was
    /// sent again already, and all but the first leave the timer alone. What was sent again stays
    /// in `pipe` until it is acknowledged, even if it is reported. While marks are answered no
    /// recovery begins; marks are answered in recovery too, until more is acknowledged than was
    /// sent.
    pub like_ns3: bool,
}

/// How the round trip is measured, and what a controller is told about it.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub struct RttRules {
    /// One segment is timed at a time, as in ns-2.
    pub one_rtt_at_a_time: bool,
    /// A SYN waits for 3 s (ns-3's `ConnTimeout`).
    pub slow_syn: bool,
    /// By how many milliseconds a stamp may be older than the last, if older ones are refused.
    pub paws_slack: Option<u64>,
    /// Controllers are told the RTT of the last segment that is acknowledged, not of the first
    /// (Linux), nor only of the one that is timed (ns-2).
    pub last_rtt: bool,
    /// Controllers begin when the SYN is answered, and are told only how long the handshake took
    /// (Linux, ns-3).
    pub begins_after_handshake: bool,
    /// Stamps are whole milliseconds, and controllers are told the smoothed RTT. If the first of
    /// the acknowledged segments was sent twice, there is no sample; back-off ends without any
    /// (ns-3).
    pub millisecond_stamps: bool,
}

/// When a receiver acknowledges, and what window it offers.
#[derive(Debug, Clone, PartialEq)]
pub struct AckRules {
    /// Segments per acknowledgement.
    pub delayed_ack: u32,
    /// Longest delay of an acknowledgement.
    pub delayed_ack_timeout: Span,
    /// Segments at the start that are acknowledged one by one.
    pub quick_acks: u64,
    /// The window that the receiver offers grows to `window`, and segments that let it grow are
    /// acknowledged one by one too (Linux).
    pub grows_window: bool,
    /// Some segments after a duplicate, after a mark and after CWR are too (Linux).
    pub hurries_acks: bool,
    /// While segments are missing, one acknowledgement reports several (Linux).
    pub gathers_acks: bool,
}

/// How marks are reported and answered.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub struct EcnRules {
    /// Retransmissions are not ECN-capable (RFC 3168, 6.1.5), except those of ns-2, those of
    /// controllers that weigh marks (RFC 8257, 4.1) and, under the presets of programs, those with
    /// feedback that is not classic.
    pub not_ect_retransmits: bool,
    /// CWR does not end the echo of a mark that came after the last acknowledgement (ns-3).
    pub keeps_fresh_marks: bool,
    /// A change of DCTCP's state tells only of what had come before the last change, and what is
    /// delayed waits anew (ns-3).
    pub tells_changes_late: bool,
    /// After a lost SYN the connection goes on without ECN (RFC 3168, 6.1.1.1; `tcp_ecn_fallback`).
    pub gives_up_ecn: bool,
    /// After a timeout the window grows with acknowledgements that echo marks too (Linux).
    pub ignored_after_timeout: bool,
    /// An echo of marks reduces the window as recovery does, by PRR, and the window does not grow
    /// meanwhile (Linux, ns-3).
    pub by_prr: bool,
    /// An echo of marks never raises a window of less than two segments to two. Instead nothing new
    /// is sent until the retransmission timer expires (RFC 3168, 6.1.2; reference).
    pub holds_at_one_mss: bool,
    /// As ns-2's agents answer marks. An echo after a timeout is answered too, whatever it belongs
    /// to. The window may fall below one segment; nothing is sent then until an acknowledgement or
    /// the timer makes it one. Each further mark at a window of one doubles the timeout. A timeout
    /// leaves the threshold alone if the last reduction was for a mark. Retransmissions say CWR
    /// too.
    pub like_ns2: bool,
}

/// How segments are spread over time, and which are sent together.
#[derive(Debug, Clone, PartialEq)]
pub struct PacingRules {
    /// Segments of the initial window are not paced (ns-3).
    pub spares_initial: bool,
    /// Segments are paced in bursts (Linux).
    pub paces_bursts: bool,
    /// New segments are passed down in buffers. The last segment of a buffer of several bears PSH,
    /// and so does the last segment written. Segments that bear PSH are acknowledged at once
    /// (Linux).
    pub tso_buffers: bool,
    /// Written data is kept in `sk_buff`s of this many bytes; no buffer reaches from one into the
    /// next (Linux).
    pub skb_bytes: u64,
}

/// How the window grows, and to what it is reduced.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub struct CwndRules {
    /// The window grows only while it is the limit.
    pub validates: bool,
    /// Segments that one acknowledgement counts for.
    pub byte_counting: u32,
    /// Slow start after idle time.
    pub idle_restart: bool,
    /// That slow start begins from the window halved once for each timeout that has passed, and a
    /// window that is not used is reduced too (Linux).
    pub halves_when_idle: bool,
    /// The window is halved, not the flight (Linux, ns-2).
    pub halves_cwnd: bool,
    /// `pipe` is halved: what is reported or considered lost does not count (ns-3).
    pub halves_pipe: bool,
    /// The window is halved at a repeated timeout too (ns-2, ns-3).
    pub halves_again: bool,
    /// A timeout in a window that was reduced already does not change the threshold (Linux).
    pub keeps_ssthresh_when_reduced: bool,
    /// Growth counts whole segments, and everything by which an acknowledgement moved, including
    /// what had been reported. The one that ends a timeout's recovery counts for what was sent
    /// since (ns-3).
    pub counts_whole: bool,
    /// The acknowledgement that ends recovery grows the window (Linux, ns-3, and ns-2 without
    /// SACK).
    pub grows_at_exit: bool,
}

/// How long a probe of the tail waits beyond two round trips: after a segment alone in flight, and
/// after others.
fn probe_patience(params: &TcpParams, linux: bool) -> (Span, Span) {
    match (linux, params.delayed_ack) {
        (true, _) => (params.min_rto, linux_patience(params)),
        (false, 1) => (Span::ZERO, Span::ZERO),
        (false, _) => (params.delayed_ack_timeout, Span::ZERO),
    }
}

/// By how many milliseconds a stamp may be older than the last; none if stamps are not checked.
fn paws_slack(preset: Preset) -> Option<u64> {
    match preset {
        Preset::Reference => Some(0),
        Preset::Linux => Some(1),
        Preset::Ns2 | Preset::Ns3 => None,
    }
}

/// Whether retransmissions are not ECN-capable.
fn has_not_ect_retransmits(params: &TcpParams, preset: Preset, needs: &Needs) -> bool {
    match feedback(params, needs) {
        EcnMode::Off | EcnMode::Classic => preset != Preset::Ns2,
        EcnMode::Dctcp | EcnMode::Accurate => {
            preset == Preset::Reference && needs.ecn == EcnMode::Off
        }
    }
}

/// Whether PRR reduces the window in recovery.
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
            reorder_patience: if linux {
                linux_patience(params)
            } else {
                Span::ZERO
            },
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
            tells_changes_late: ns3,
            gives_up_ecn: linux,
            ignored_after_timeout: linux,
            by_prr: prr && (linux || ns3) && !needs.own_recovery,
            holds_at_one_mss: reference,
            like_ns2: preset == Preset::Ns2,
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
