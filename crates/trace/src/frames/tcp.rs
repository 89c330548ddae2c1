//! TCP headers (RFC 9293) for the segments and acknowledgements of the simulated transport.
//!
//! **Sequence numbers** are the low 32 bits of the transport's, so that both initial numbers are 0:
//! data begins at 1, and what flows back has no data and stays at 1. Where there is a handshake,
//! what the receiver sends before any data has arrived at it is its SYN.
//!
//! **Options**: maximum segment size, as though there were no options (RFC 9293, 3.7.1), "SACK
//! permitted", and window scale in a SYN; SACK blocks (RFC 2018) as many as fit; timestamps (RFC
//! 7323) where the connection has them, in ticks of a millisecond, as Linux writes them, from 1 on.
//! **Window**: what the receiver offers, shifted by the least amount that makes it fit; an
//! unlimited one is the largest there is, 65535 shifted by 14. Without a SYN a reader cannot know
//! the shift; it is told in the comment of the file.
//!
//! **ECN**: a SYN asks for it (RFC 3168, 6.1.1) where the connection uses it, but not when it is
//! sent again under the preset linux, which does without from then on (6.1.1.1); echo and CWR are
//! the transport's. Accurate feedback (RFC 9768) counts bytes in the simulation; its three-bit
//! counter is written as that of segments of full size, from 5 on. Checked against sections 3.1.1
//! to 3.2.2 of draft-ietf-tcpm-accurate-ecn-34, the RFC's last draft. Left out: the option, and
//! that a pure acknowledgement tells of the mark of the answer to the SYN.

use etherparse::TcpOptionElement as Opt;
use etherparse::{TcpHeader, TcpOptions};
use sojourn_base::Time;
use sojourn_transport::{Ack, Config, EcnMode, Segment};

const PS_PER_TICK: u64 = 1_000_000_000;
/// RFC 7323, 2.3.
const MAX_SHIFT: u8 = 14;
/// Bytes that timestamps take of each segment, with the two that align them.
const TIMES: u32 = 12;
const OPTION_ROOM: usize = TcpHeader::MAX_LEN - TcpHeader::MIN_LEN;

/// What both ends of a connection know of each other as its headers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Conversation {
    /// The sender's SYN was seen, and no data.
    opening: bool,
    /// A SYN was sent again without asking for ECN: the connection does without.
    without_ecn: bool,
    /// The latest stamp that the sender has had from the receiver: what it echoes (RFC 7323's
    /// TS.Recent). Its tick wraps after 2^32 ms, so that of two ticks the larger one need not be
    /// the later.
    ts_recent: Option<Time>,
}

impl Conversation {
    /// The header of a segment as it leaves the sender.
    pub fn segment(&mut self, config: &Config, segment: &Segment) -> TcpHeader {
        self.opening = segment.syn;
        let mut header = TcpHeader::new(0, 0, segment.seq as u32, u16::MAX);
        header.syn = segment.syn;
        header.fin = segment.fin;
        header.psh = segment.push;
        self.without_ecn |= segment.syn && segment.retransmission && config.marks.gives_up_ecn;
        if segment.syn {
            ask_for_ecn(self.ecn(config), &mut header);
        } else {
            header.ack = true;
            header.acknowledgment_number = 1;
            match self.ecn(config) {
                EcnMode::Accurate => count_marks(0, &mut header),
                _ => header.cwr = segment.cwr,
            }
        }
        let times = config
            .timestamps
            .then(|| Opt::Timestamp(tick(segment.stamp), self.ts_recent.map_or(0, tick)));
        header.options = if segment.syn {
            opening_options(config, times, 0)
        } else {
            options(times, &[])
        };
        header
    }

    /// The header of an acknowledgement as it leaves the receiver.
    pub fn ack(&self, config: &Config, ack: &Ack) -> TcpHeader {
        let syn = self.opening && ack.ack == 1;
        let shift = shift_of(config.window);
        let window = if syn { ack.window } else { ack.window >> shift };
        let window = u16::try_from(window).unwrap_or(u16::MAX);
        let mut header = TcpHeader::new(0, 0, u32::from(!syn), window);
        header.syn = syn;
        header.ack = true;
        header.acknowledgment_number = ack.ack as u32;
        match (self.ecn(config), syn) {
            (EcnMode::Off, _) => {}
            (EcnMode::Accurate, true) => header.cwr = true,
            (EcnMode::Accurate, false) => {
                let marked = ack.ce_bytes.div_ceil(u64::from(config.mss.max(1)));
                count_marks(marked, &mut header);
            }
            (_, true) => header.ece = true,
            (_, false) => header.ece = ack.ece,
        }
        let times = ack
            .echo
            .filter(|_| config.timestamps)
            .map(|echo| Opt::Timestamp(tick(ack.stamp), tick(echo)));
        header.options = if syn {
            opening_options(config, times, shift)
        } else {
            options(times, ack.sack.as_slice())
        };
        header
    }

    /// How the connection feeds marks back.
    const fn ecn(self, config: &Config) -> EcnMode {
        if self.without_ecn {
            EcnMode::Off
        } else {
            config.ecn
        }
    }

    /// The sender has received an acknowledgement with this stamp.
    pub fn note_stamp(&mut self, stamp: Time) {
        self.ts_recent = self.ts_recent.max(Some(stamp));
    }
}

/// The tick of the timestamp option: milliseconds, from 1 on, since 0 looks like "none".
const fn tick(time: Time) -> u32 {
    ((time.as_ps() / PS_PER_TICK) as u32).wrapping_add(1)
}

/// The window scale with which `window` fits into 16 bits.
pub const fn shift_of(window: u64) -> u8 {
    let mut shift = 0;
    while shift < MAX_SHIFT && window >> shift > u16::MAX as u64 {
        shift += 1;
    }
    shift
}

const fn ask_for_ecn(mode: EcnMode, header: &mut TcpHeader) {
    header.ece = !matches!(mode, EcnMode::Off);
    header.cwr = header.ece;
    header.ns = matches!(mode, EcnMode::Accurate);
}

/// RFC 9768's ACE field: three flags that hold the number of marked packets, from 5 on.
const fn count_marks(packets: u64, header: &mut TcpHeader) {
    let ace = (packets + 5) % 8;
    header.ns = ace & 0b100 != 0;
    header.cwr = ace & 0b010 != 0;
    header.ece = ace & 0b001 != 0;
}

/// The options of a SYN, in Linux's order.
fn opening_options(config: &Config, times: Option<Opt>, shift: u8) -> TcpOptions {
    let times_take = if config.timestamps { TIMES } else { 0 };
    let mss = u16::try_from(config.mss + times_take).unwrap_or(u16::MAX);
    let mut elements = vec![Opt::MaximumSegmentSize(mss)];
    match (config.sack, times) {
        (true, Some(times)) => elements.extend([Opt::SelectiveAcknowledgementPermitted, times]),
        (true, None) => {
            elements.extend([Opt::Noop, Opt::Noop, Opt::SelectiveAcknowledgementPermitted]);
        }
        (false, Some(times)) => elements.extend([Opt::Noop, Opt::Noop, times]),
        (false, None) => {}
    }
    elements.extend([Opt::Noop, Opt::WindowScale(shift)]);
    TcpOptions::try_from_elements(&elements).unwrap_or_default()
}

/// The options of all other segments: times, and as many SACK blocks as fit.
fn options(times: Option<Opt>, blocks: &[(u64, u64)]) -> TcpOptions {
    let mut elements = Vec::new();
    let mut room = OPTION_ROOM;
    if let Some(times) = times {
        elements.extend([Opt::Noop, Opt::Noop, times]);
        room -= TIMES as usize;
    }
    let edges = |i: usize| {
        let fits = 4 + 8 * (i + 1) <= room;
        let block = blocks.get(i).filter(|_| fits);
        block.map(|&(left, right)| (left as u32, right as u32))
    };
    if let Some(first) = edges(0) {
        let more = [edges(1), edges(2), edges(3)];
        let sack = Opt::SelectiveAcknowledgement(first, more);
        elements.extend([Opt::Noop, Opt::Noop, sack]);
    }
    TcpOptions::try_from_elements(&elements).unwrap_or_default()
}

/// Makes `header` up to `room` bytes longer, in words of four, after "end of options": Wireshark
/// takes a row of no-operations for the work of a middlebox.
pub(super) fn pad(header: &mut TcpHeader, room: usize) {
    let used = header.options.len();
    let longer = (room / 4 * 4).min(OPTION_ROOM - used);
    let mut bytes = [0; OPTION_ROOM];
    bytes[..used].copy_from_slice(header.options.as_slice());
    if let Ok(padded) = TcpOptions::try_from_slice(&bytes[..used + longer]) {
        header.options = padded;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sojourn_base::{Ecn, ParamSet, Preset, Scalar};
    use sojourn_transport::cc::Needs;
    use sojourn_transport::{SackBlocks, TcpParams};

    /// The settings of a scenario's `transport` table.
    fn config<const N: usize>(keys: [(&str, &str); N]) -> Config {
        let given = keys.map(|(key, value)| (key, Scalar::literal(value)));
        let params = TcpParams::read(&given, Preset::Reference).unwrap();
        Config::new(&params, Preset::Reference, &Needs::USUAL).unwrap()
    }

    fn segment(seq: u64, len: u32, syn: bool, ms: u64) -> Segment {
        Segment {
            seq,
            len,
            syn,
            fin: false,
            retransmission: false,
            push: false,
            cwr: false,
            ecn: Ecn::NotEct,
            stamp: Time::from_ns(ms * 1_000_000),
        }
    }

    fn ack(number: u64, config: &Config, ms: u64, echo: u64) -> Ack {
        Ack {
            window: config.window,
            stamp: Time::from_ns(ms * 1_000_000),
            echo: Some(Time::from_ns(echo * 1_000_000)),
            ..Ack::plain(number)
        }
    }

    /// Flags as the letters of tcpdump, E and W for ECE and CWR.
    fn flags(header: &TcpHeader) -> String {
        let flags = [
            (header.syn, 'S'),
            (header.fin, 'F'),
            (header.psh, 'P'),
            (header.ack, '.'),
            (header.ece, 'E'),
            (header.cwr, 'W'),
        ];
        flags
            .iter()
            .filter(|flag| flag.0)
            .map(|flag| flag.1)
            .collect()
    }

    #[test]
    fn a_handshake_offers_and_takes_options() {
        let config = config([
            ("window", "200 packets"),
            ("handshake", "true"),
            ("ecn", "classic"),
        ]);
        let mut talk = Conversation::default();
        let syn = talk.segment(&config, &segment(0, 0, true, 0));
        assert_eq!((syn.sequence_number, syn.acknowledgment_number), (0, 0));
        assert_eq!(flags(&syn), "SEW");
        // Segment size 1472, as though there were no options (RFC 9293, 3.7.1), SACK permitted,
        // times 1 and none, no-operation, scale 0.
        let expected = [
            2, 4, 5, 192, 4, 2, 8, 10, 0, 0, 0, 1, 0, 0, 0, 0, 1, 3, 3, 0,
        ];
        assert_eq!(syn.options.as_slice(), expected);
        let answer = talk.ack(&config, &ack(1, &config, 20, 0));
        assert_eq!(
            (answer.sequence_number, answer.acknowledgment_number),
            (0, 1)
        );
        assert_eq!(flags(&answer), "S.E");
        assert_eq!(answer.window_size, u16::MAX, "a SYN's window is not scaled");
        // 292 000 bytes fit into 16 bits when shifted by 3.
        assert_eq!(answer.options.as_slice()[16..], [1, 3, 3, 3]);
        talk.note_stamp(Time::from_ns(20_000_000));
        let data = talk.segment(&config, &segment(1, 1460, false, 40));
        assert_eq!((data.sequence_number, data.acknowledgment_number), (1, 1));
        assert_eq!(flags(&data), ".");
        let mut pushed = segment(1461, 1460, false, 40);
        pushed.push = true;
        assert_eq!(flags(&talk.segment(&config, &pushed)), "P.");
        assert_eq!(
            data.options.as_slice(),
            [1, 1, 8, 10, 0, 0, 0, 41, 0, 0, 0, 21]
        );
        let plain = talk.ack(&config, &ack(1461, &config, 60, 40));
        assert_eq!(
            (plain.sequence_number, plain.acknowledgment_number),
            (1, 1461)
        );
        assert_eq!(plain.window_size, 36_500);
        let again = talk.ack(&config, &ack(1, &config, 70, 40));
        assert_eq!(
            flags(&again),
            ".",
            "a duplicate that wants the first byte is no SYN"
        );
    }

    /// What a SYN tells of the segment size.
    fn told_size(config: &Config) -> u16 {
        let syn = Conversation::default().segment(config, &segment(0, 0, true, 0));
        u16::from_be_bytes([syn.options.as_slice()[2], syn.options.as_slice()[3]])
    }

    #[test]
    fn the_segment_size_is_told_as_though_there_were_no_options() {
        let size = |bytes, times| told_size(&config([("segment", bytes), ("timestamps", times)]));
        assert_eq!(size("1448 B", "true"), 1460);
        assert_eq!(size("1448 B", "false"), 1448);
        assert_eq!(size("65000 B", "true"), 65_012);
    }

    /// Linux does without ECN after a lost SYN, and asks for it no more.
    #[test]
    fn a_syn_sent_again_does_not_ask_for_what_was_given_up() {
        for (gives_up, letters) in [
            (true, ["S", "S.", ".", "."]),
            (false, ["SEW", "S.E", ".W", ".E"]),
        ] {
            let mut config = config([("handshake", "true"), ("ecn", "classic")]);
            config.marks.gives_up_ecn = gives_up;
            let mut talk = Conversation::default();
            let mut syn = segment(0, 0, true, 0);
            assert_eq!(flags(&talk.segment(&config, &syn)), "SEW");
            syn.retransmission = true;
            let again = talk.segment(&config, &syn);
            let answer = talk.ack(&config, &ack(1, &config, 20, 0));
            let mut data = segment(1, 1460, false, 40);
            data.cwr = !gives_up;
            let data = talk.segment(&config, &data);
            let mut echo = ack(1461, &config, 60, 40);
            echo.ece = !gives_up;
            let echo = talk.ack(&config, &echo);
            assert_eq!([again, answer, data, echo].map(|it| flags(&it)), letters);
        }
    }

    #[test]
    fn sack_blocks_go_as_far_as_they_fit() {
        let blocks = [(5, 6), (7, 8), (9, 10), (11, 12)];
        let sacked = |config: &Config| {
            let mut sacked = ack(3, config, 0, 0);
            sacked.sack = SackBlocks::of(&blocks);
            sacked.echo = sacked.echo.filter(|_| config.timestamps);
            Conversation::default().ack(config, &sacked).options
        };
        let four = sacked(&config([("timestamps", "false")]));
        assert_eq!(four.as_slice()[..8], [1, 1, 5, 34, 0, 0, 0, 5]);
        assert_eq!(four.len(), 36);
        let three = sacked(&config([]));
        assert_eq!(three.as_slice()[12..16], [1, 1, 5, 26]);
        assert_eq!(three.len(), 40);
    }

    #[test]
    fn numbers_wrap_at_32_bits() {
        let config = config([]);
        let far = (1 << 33) + 5;
        let data = Conversation::default().segment(&config, &segment(far, 1, false, 0));
        assert_eq!(data.sequence_number, 5);
        let plain = Conversation::default().ack(&config, &ack(far, &config, 0, 0));
        assert_eq!(plain.acknowledgment_number, 5);
    }

    /// 2^32 ms are 49.7 days. A late acknowledgement does not turn the echo back.
    #[test]
    fn the_echo_goes_on_when_the_tick_wraps() {
        let config = config([]);
        let mut talk = Conversation::default();
        let echo = |talk: &mut Conversation, ms: u64| {
            let header = talk.segment(&config, &segment(1, 1460, false, ms));
            header.options.as_slice()[8..12].to_vec()
        };
        assert_eq!(echo(&mut talk, 0), [0; 4], "nothing was heard");
        let wrap = 1 << 32;
        for (ms, echoed) in [
            (wrap - 2, [255, 255, 255, 255]),
            (wrap + 4, [0, 0, 0, 5]),
            (wrap - 2, [0, 0, 0, 5]),
            (wrap + 299, [0, 0, 1, 44]),
        ] {
            talk.note_stamp(Time::from_ns(ms * 1_000_000));
            assert_eq!(echo(&mut talk, ms + 20), echoed, "{ms}");
        }
    }

    #[test]
    fn marks_are_echoed_as_the_connection_does() {
        let mut marked = ack(3, &config([]), 0, 0);
        (marked.ece, marked.ce_bytes) = (true, 2 * 1460);
        let header = |ecn| Conversation::default().ack(&config([("ecn", ecn)]), &marked);
        assert_eq!(flags(&header("off")), ".");
        assert_eq!(flags(&header("classic")), ".E");
        // Two packets on top of five: the three flags are 111.
        let counted = header("accurate");
        assert!(counted.ns);
        assert_eq!(flags(&counted), ".EW");
        let mut reduced = segment(1, 1, false, 0);
        reduced.cwr = true;
        let classic = config([("ecn", "classic")]);
        let header = Conversation::default().segment(&classic, &reduced);
        assert_eq!(flags(&header), ".W");
    }

    #[test]
    fn the_shift_is_the_least_that_fits() {
        for (window, shift) in [
            (20_000, 0),
            (65_535, 0),
            (65_536, 1),
            (131_072, 2),
            (u64::MAX, 14),
        ] {
            assert_eq!(shift_of(window), shift, "{window}");
        }
    }

    #[test]
    fn ticks_are_milliseconds_from_one_on() {
        assert_eq!(tick(Time::ZERO), 1);
        assert_eq!(tick(Time::from_ns(2_999_999)), 3);
    }
}
