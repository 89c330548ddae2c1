//! The settings of a connection: the table of a scenario file, and its resolved form.
//!
//! **Reference**: the RFCs, with segments of 1460 bytes, an initial window of 10 (RFC 6928), SACK,
//! PRR, RACK, timestamps, delayed acknowledgements (2, 40 ms), a minimum RTO of 1 s and no
//! handshake.
//!
//! **Linux** (6.1):
//!
//! - Segments of 1448 bytes. The minimum RTO of 200 ms is a floor under the variance term.
//! - Acknowledged segments are counted in full. The first 16 are acknowledged one by one.
//! - The window is halved, not the flight. A window that is not fully used for an RTO is reduced,
//!   as it is after idle time. Marks reduce the window by PRR.
//! - Controllers are given the RTT of the last segment acknowledged, whereas SRTT uses that of the
//!   first. They begin when the SYN is answered, and how long that took is none of their samples:
//!   only BBR and Hybla ask for it.
//! - A tail probe waits 2 ms longer; after a single segment it waits the minimum RTO longer.
//! - The last of several segments sent at once carries PSH and is acknowledged at once, as are some
//!   segments after a duplicate or a mark. Fewer segments than are usually sent at once wait up to
//!   1 ms for the next acknowledgement ([`crate::sender`]). Acknowledgements of segments above a
//!   hole are combined ([`crate::receiver`]).
//! - Timers expire as in the kernel's wheel, and so late ([`crate::wheel`]); its tick is
//!   `granularity`, which is 4 ms where a kernel has 250 Hz, and 0 turns it off. The clocks of all
//!   hosts tick together.
//! - After a lost SYN there is no ECN.
//! - Timeouts and recoveries that prove spurious are undone ([`crate::sender`]).
//! - The receive window grows from 64 KiB to `window`, 3 MiB as in the usual `tcp_rmem`.
//! - Left out: the usual send buffer (`tcp_wmem`), which holds some 2000 segments; `window` takes
//!   its place.
//!
//! **ns-3** (3.48), read off its sources; traces of ns-3.37 are matched segment by segment:
//!
//! - Segments of 536 bytes, SACK and PRR without RACK. The first RTO is 1 s, that of a SYN 3 s. One
//!   acknowledgement for two segments after at most 200 ms, but the first segment is acknowledged
//!   at once.
//! - `pipe` is halved, also at a repeated timeout. ns-3 has its own PRR ([`crate::recovery::prr`]),
//!   by which marks reduce the window too.
//! - Timestamps are whole milliseconds. Controllers are given the smoothed RTT, to which segments
//!   sent twice do not contribute.
//! - Recovery begins with the third report. A partial acknowledgement sends a segment even if
//!   `pipe` is too large. Retransmitted segments stay in `pipe` until they are acknowledged. Where
//!   there is nothing else to send, outstanding segments are sent again. No recovery begins while
//!   marks are answered.
//! - The acknowledgement that ends recovery grows the window, as it does in Linux.
//! - At a change of marks DCTCP's receiver acknowledges what had come before the last change, and
//!   makes what it had delayed wait for two more segments. So a mark between segments without one
//!   is told with the segment before it, and only if that was waiting.
//! - Left out: what ns-3 guesses without SACK (recovery is NewReno's there, and not PRR), those of
//!   DCTCP's acknowledgements that repeat a number, reports of duplicates, and the minimum window
//!   of two, below which ns-3's DCTCP goes.
//!
//! **ns-2** (2.35), whose agents' behaviour was read off traces (`tests/ns2.rs`):
//!
//! - Segments of 1000 bytes, a window of 20, an initial window of 2, an ssthresh that starts at the
//!   window and is rounded down to whole segments, a SYN of 40 bytes. SACK only on request, no
//!   delayed acknowledgements, a minimum RTO of 0.2 s in ticks of 10 ms, one segment timed at a
//!   time.
//! - The window is halved, not the flight, also at a repeated timeout, and keeps its fraction.
//! - After a timeout everything is sent again, whatever was reported, and limited transmit
//!   continues meanwhile.
//! - Marks take the window below one segment, where RFC 3168 stops at one; nothing is sent then
//!   until an acknowledgement without an echo or the timer makes it one. From the second mark at a
//!   window of one on, each doubles the timeout, and samples do not end that. A timeout leaves the
//!   threshold alone if the last reduction was for a mark, however long ago; the first echo after a
//!   timeout is answered whatever it belongs to. Retransmissions are ECN-capable and say CWR.
//! - The acknowledgement that ends recovery grows the window.
//! - Tables show the window without its inflation by duplicates, which begins at half the window,
//!   even if that is less than two.
//! - With SACK, holes stay in `pipe` until they are acknowledged, as before RFC 3517. Three
//!   duplicates after the last acknowledgement of new data indicate a loss, whatever was reported
//!   before.

mod rules;

use sojourn_base::{Auto, Bytes, ParamFault, Preset, Quantity, Span, Stream, Time, Whole, params};

use crate::cc::{Needs, Start};
use crate::ecn::{EcnChoice, EcnMode};
use crate::recovery::PrrMode;
use crate::rtt::RtoRules;
use crate::wheel;
use crate::window::{Amount, InitialWindow, Window};
pub use rules::{AckRules, CwndRules, EcnRules, PacingRules, RecoveryRules, RttRules};

params! {
    /// Parameters of a TCP connection.
    #[allow(clippy::struct_excessive_bools)]
    pub struct TcpParams {
        /// Largest payload of a segment. With the headers around it, it implies the MTU of the
        /// path: with timestamps the default is that of an MTU of 1512 bytes.
        segment: Bytes = "1460 B", Linux = "1448 B", Ns3 = "536 B", Ns2 = "1000 B";
        /// Header bytes on the wire around each payload; an acknowledgement is only a header.
        /// "auto": 40, with timestamps 52.
        header: Auto<Bytes> = "auto";
        /// Largest amount of outstanding data, in packets or bytes: the lesser of the sender's own
        /// limit and the receiver's window. "none": the largest window that a receiver can offer,
        /// 1.07 GB (RFC 7323, 2.3). Under the preset linux the window starts at 64 KiB and grows to
        /// this value with what each round trip brings.
        window: Window = "none", Ns2 = "20 packets", Ns3 = "131072 B", Linux = "3145728 B";
        /// Largest amount of data written but not yet acknowledged, in packets or bytes, or "none".
        /// When it is reached, a source that writes at its own rate is held back. Transfers of a
        /// given size are written as a whole, and so is data without end; under the preset ns3 both
        /// are written in pieces of 512 bytes, as room comes free.
        send_buffer: Window = "none", Ns3 = "131072 B";
        /// Window at the start and after idle time (RFC 6928: 10; RFC 3390: 3 of 1460 bytes, 4 up
        /// to 1095 bytes, 2 from 2190 bytes on; RFC 2581: 2), in packets or bytes. At most 1 GB and
        /// never "none", since all of it is sent at once.
        initial_window: InitialWindow = "10 packets", Ns2 = "2 packets";
        /// Slow-start threshold at the start. "auto": none; under the preset ns2, `window`.
        initial_ssthresh: Auto<Window> = "auto";
        /// Selective acknowledgements (RFC 2018, 6675).
        sack: bool = "true", Ns2 = "false";
        /// Proportional rate reduction (RFC 9937) during recovery, or the preset's variant of it;
        /// needs `sack`. The preset ns3 has that of ns-3.48; "ns-3.37" selects the older one.
        prr: PrrMode = "true", Ns2 = "false";
        /// Loss detection by time, and tail-loss probes (RFC 8985); needs `sack`.
        rack: bool = "true", Ns3 = "false", Ns2 = "false";
        /// Detects spurious timeouts by what is acknowledged after them (F-RTO) and undoes them;
        /// needs `sack`. The algorithm is Linux's under every preset, not RFC 5682's (3.1).
        frto: bool = "false", Linux = "true";
        /// Undoes timeouts and recoveries that timestamps (RFC 3522) or reports of duplicates prove
        /// spurious: the window is restored. Needs `sack`. The algorithm is Linux's under every
        /// preset, without the cautions of RFC 3708 (A.1, A.3, A.4).
        undo: bool = "false", Linux = "true";
        /// Timestamps (RFC 7323): every acknowledgement gives an RTT sample.
        timestamps: bool = "true", Ns2 = "false";
        /// Limited transmit: the first two duplicate acknowledgements each send a new segment (RFC
        /// 3042).
        limited_transmit: bool = "true";
        /// Number of duplicate acknowledgements that indicate a loss.
        dupthresh: u32 = "3";
        /// NewReno restarts the retransmission timer only at the first partial acknowledgement of a
        /// recovery (RFC 6582, 3.2, step 3; RFC 2582 calls it "impatient").
        impatient: bool = "true";
        /// Largest number of segments that one acknowledgement counts for in the growth of the
        /// window: L of RFC 3465, which bounds slow start; here it bounds congestion avoidance too.
        /// 1: growth per acknowledgement (RFC 5681). In the slow start after a timeout it is 1 at
        /// most, except under the presets linux, ns2 and ns3.
        byte_counting: u32 = "1", Linux = "1000000";
        /// Whether the window grows only while it limits the sender (RFC 9438, 5.8).
        validate_cwnd: bool = "true", Ns2 = "false";
        /// Minimum retransmission timeout.
        min_rto: Span = "1 s", Linux = "200 ms", Ns2 = "200 ms";
        /// Maximum retransmission timeout, above zero.
        max_rto: Span = "60 s", Linux = "120 s";
        /// Retransmission timeout before the first RTT sample, above zero. If the SYN was lost, it
        /// is at least 3 s after the handshake (RFC 6298, 5.7), here only where that gave no
        /// sample, and not under the preset ns2. Under the preset ns3 it is at least 3 s for the
        /// SYN as well.
        initial_rto: Span = "1 s", Ns2 = "3 s";
        /// Granularity of the sender's clock. Under the preset linux a tick of the kernel's timer
        /// wheel, by which all timers of a connection expire late.
        granularity: Span = "1 ms", Ns2 = "10 ms";
        /// Number of segments per acknowledgement. 1: no acknowledgement is delayed.
        delayed_ack: u32 = "2", Ns2 = "1";
        /// Longest delay of an acknowledgement. Under the preset linux it is the shortest: where
        /// segments arrive at longer intervals the delay grows, up to the round-trip time of the
        /// handshake.
        delayed_ack_timeout: Span = "40 ms", Ns3 = "200 ms", Ns2 = "100 ms";
        /// Number of segments at the start of a connection that are acknowledged one by one. Under
        /// the preset linux, if this is not 0, segments that let the receive window grow are
        /// acknowledged one by one too.
        quick_acks: Whole = "0", Linux = "16", Ns3 = "1";
        /// Slow start after idle time (RFC 5681, 4.1).
        idle_restart: bool = "true", Ns3 = "false";
        /// Three-way handshake: data is sent only after the answer to the SYN.
        handshake: bool = "false", Ns2 = "true";
        /// Whether a finite stream ends with a FIN.
        fin: bool = "false";
        /// Whether packets are ECN-capable, and how marks are fed back. `true`: as the congestion
        /// control needs it, otherwise classic (RFC 3168). "auto": as the congestion control needs
        /// it, otherwise off.
        ecn: Auto<EcnChoice> = "auto";
        /// Whether segments are spread over the round trip. "auto": as the congestion control needs
        /// it.
        pacing: Auto<bool> = "auto";
    }
}

/// The settings of a connection, resolved.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::struct_excessive_bools)]
pub struct Config {
    /// Largest payload of a segment, bytes.
    pub mss: u32,
    /// Header bytes around each payload.
    pub header: u32,
    /// Most that may be outstanding, bytes.
    pub window: u64,
    /// Most that may have been written and not yet acknowledged, bytes.
    pub send_buffer: u64,
    /// Window at the start, bytes.
    pub initial_window: u64,
    /// Threshold at the start, bytes; `u64::MAX` for none.
    pub initial_ssthresh: u64,
    /// Selective acknowledgements.
    pub sack: bool,
    /// RACK and tail-loss probes.
    pub rack: bool,
    /// Timestamps.
    pub timestamps: bool,
    /// The timeout.
    pub rto: RtoRules,
    /// The tick of the wheel by which timers expire late ([`crate::wheel`], Linux); zero if they
    /// expire when they are due.
    pub tick: Span,
    /// Whether a transfer is written in pieces as the send buffer has room for them (ns-3).
    pub writes_in_pieces: bool,
    /// Three-way handshake.
    pub handshake: bool,
    /// FIN at the end.
    pub fin: bool,
    /// A FIN that rides on the last segment takes no room in the window (ns-3).
    pub fin_is_free: bool,
    /// Feedback of marks.
    pub ecn: EcnMode,
    /// Pacing.
    pub pacing: bool,
    /// How losses are found and repaired.
    pub recovery: RecoveryRules,
    /// What the round trip is measured by, and what a controller hears of it.
    pub rtt: RttRules,
    /// When a receiver acknowledges, and what it offers.
    pub acks: AckRules,
    /// How marks are told of and answered.
    pub marks: EcnRules,
    /// How segments are spread, and which go together.
    pub pace: PacingRules,
    /// How the window grows, and to what it is reduced.
    pub cwnd: CwndRules,
}

/// A shorter timeout is a mistake: the same segment would be sent again without end.
const SHORTEST_RTO: Span = Span::from_us(1);

/// The largest window that a receiver can offer (RFC 7323, 2.3). Without any what is outstanding
/// under a congestion control that grows without bound fills memory.
const LARGEST_WINDOW: u64 = 65_535 << 14;

/// What begins with more fills memory before anything is acknowledged.
const MOST_AT_ONCE: u64 = 1_000_000_000;

/// An amount in bytes, of segments of `mss`: where less than one may be out, none ever is.
fn at_least_one(
    name: &'static str,
    amount: Amount,
    mss: u64,
    allowed: &str,
) -> Result<u64, ParamFault> {
    let bytes = amount.bytes(mss);
    if bytes < mss {
        let allowed = format!("{allowed}, and at least one segment of {mss} B");
        return Err(ParamFault::new(name, amount, allowed));
    }
    Ok(bytes)
}

/// A window in bytes; `u64::MAX` for none.
fn window_of(name: &'static str, window: Window, mss: u64) -> Result<u64, ParamFault> {
    window.0.map_or(Ok(u64::MAX), |amount| {
        at_least_one(name, amount, mss, Window::ALLOWED)
    })
}

/// The window of a new connection in bytes, which is sent as soon as there is something to send.
fn initial_window(window: InitialWindow, mss: u64) -> Result<u64, ParamFault> {
    const NAME: &str = "initial_window";
    let bytes = at_least_one(NAME, window.0, mss, InitialWindow::ALLOWED)?;
    if bytes <= MOST_AT_ONCE {
        return Ok(bytes);
    }
    let allowed = format!("{}: it is sent at once", InitialWindow::ALLOWED);
    Err(ParamFault::new(NAME, window.0, allowed))
}

/// How marks are fed back.
fn feedback(params: &TcpParams, needs: &Needs) -> EcnMode {
    match params.ecn {
        Auto::Given(choice) => choice.resolve(needs),
        Auto::Auto => needs.ecn,
    }
}

/// The header around segments of `mss` bytes.
fn header(params: &TcpParams, mss: u64) -> Result<u64, ParamFault> {
    let bare = if params.timestamps { 52 } else { 40 };
    let header = params.header.given().map_or(bare, Bytes::get);
    if header + mss > 65_535 {
        let allowed = format!("a size up to {} B beside the segment", 65_535 - mss);
        return Err(ParamFault::new("header", format!("{header} B"), allowed));
    }
    Ok(header)
}

/// Timeouts of nothing would follow each other without end.
fn check_timeouts(params: &TcpParams) -> Result<(), ParamFault> {
    let timeouts = [
        ("max_rto", params.max_rto),
        ("initial_rto", params.initial_rto),
    ];
    for (name, rto) in timeouts {
        if rto < SHORTEST_RTO {
            let allowed = format!("a time of at least {SHORTEST_RTO}");
            return Err(ParamFault::new(name, rto, allowed));
        }
    }
    if params.min_rto > params.max_rto {
        let allowed = format!("a time up to max_rto, {}", params.max_rto);
        return Err(ParamFault::new("min_rto", params.min_rto, allowed));
    }
    Ok(())
}

/// What Linux's receivers offer at first: half of the first buffer of `tcp_rmem`.
const FIRST_WINDOW: u64 = 65_536;

impl Config {
    /// Resolves the table for a controller that has `needs`.
    ///
    /// # Errors
    /// A segment of nothing or beyond 65 000 bytes, a window below one segment, a least
    /// timeout above the most.
    pub fn new(params: &TcpParams, preset: Preset, needs: &Needs) -> Result<Self, ParamFault> {
        let mss = params.segment.get();
        if !(1..=65_000).contains(&mss) {
            let allowed = "a size from \"1 B\" to \"65000 B\"";
            return Err(ParamFault::new("segment", params.segment, allowed));
        }
        check_timeouts(params)?;
        let window = match params.window {
            Window(None) => LARGEST_WINDOW,
            given => window_of("window", given, mss)?,
        };
        let initial_window = initial_window(params.initial_window, mss)?;
        let ns2 = preset == Preset::Ns2;
        Ok(Self {
            mss: mss as u32,
            header: header(params, mss)? as u32,
            window,
            send_buffer: window_of("send_buffer", params.send_buffer, mss)?,
            writes_in_pieces: preset == Preset::Ns3,
            initial_window,
            initial_ssthresh: match params.initial_ssthresh {
                Auto::Given(window) => window_of("initial_ssthresh", window, mss)?,
                Auto::Auto if ns2 => window,
                Auto::Auto => u64::MAX,
            },
            sack: params.sack,
            rack: params.rack && params.sack,
            timestamps: params.timestamps,
            rto: RtoRules {
                initial: params.initial_rto,
                min: params.min_rto,
                max: params.max_rto,
                granularity: params.granularity,
                coarse: ns2,
                min_on_variance: preset == Preset::Linux,
                falls_back: !ns2,
            },
            tick: if preset == Preset::Linux {
                params.granularity
            } else {
                Span::ZERO
            },
            handshake: params.handshake,
            fin: params.fin,
            fin_is_free: preset == Preset::Ns3,
            ecn: feedback(params, needs),
            pacing: params.pacing.given().unwrap_or(needs.pacing),
            recovery: RecoveryRules::new(params, preset),
            rtt: RttRules::new(params, preset),
            acks: AckRules::new(params, preset),
            marks: EcnRules::new(params, preset, needs),
            pace: PacingRules::new(preset, mss),
            cwnd: CwndRules::new(params, preset, needs),
        })
    }

    /// When a timer expires that is set at `now` for `wait` later.
    #[inline]
    pub fn expiry(&self, now: Time, wait: Span) -> Time {
        if self.tick == Span::ZERO {
            now + wait
        } else {
            wheel::expiry(now, wait, self.tick)
        }
    }

    /// Bytes that its receiver takes at first.
    pub fn first_window(&self) -> u64 {
        if self.acks.grows_window {
            self.window.min(FIRST_WINDOW)
        } else {
            self.window
        }
    }

    /// What a controller of such a connection is told when it is made.
    pub const fn start(&self, random: Stream) -> Start {
        Start {
            mss: self.mss,
            initial_window: self.initial_window,
            initial_ssthresh: self.initial_ssthresh,
            byte_counting: self.cwnd.byte_counting,
            sack: self.sack,
            random,
        }
    }
}
