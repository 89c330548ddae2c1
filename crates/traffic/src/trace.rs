//! Packets as recorded: those of a capture or table, at their times and sizes, whatever becomes of
//! them.
//!
//! `file` is a pcap, a pcapng or a CSV of arrivals, in the formats that `sojourn replay` reads,
//! beside the scenario. The flow's start corresponds to the first packet of a capture, or to
//! second 0 of a table. At the end of the recording nothing more is sent, unless `repeat` is set:
//! the recording then begins again, and its first packet follows the last after the mean gap of the
//! recording. With `random_start` several flows that play one recording are out of step: each
//! begins at a packet of its own, after the gap that preceded this packet.
//!
//! Each packet has its recorded size: its header is that of the flow's transport, and its payload
//! is the rest, at least one byte. Over TCP each packet is a write of as many bytes as the packet
//! had, and what happens to them in the network is up to TCP. Disciplines see all packets as one
//! flow. `sender` selects what some hosts sent: one direction, where both were captured. `flow`
//! selects one flow of the recording, so that several flows, each with its own selection, can play
//! all of it.
//!
//! A recording shows what a sender did in another network. If it used TCP, it would have behaved
//! differently in this one. Play back traffic that does not react, or ask what a queue would have
//! done with the same packets.
//!
//! **ns-2** (`Application/Traffic/Trace`): plays its own binary files again and again, each source
//! from a packet of its own.

use sojourn_base::{Bytes, Networks, ParamFault, Preset, Span, params};

use crate::contract::{Recorded, Recording};
use crate::{Draw, Emission, Packets, Source};

params! {
    /// Parameters of a source that plays back what was recorded.
    pub struct Params {
        /// A capture (pcap, pcapng) or a table of arrivals (CSV: `time_s,size_B`).
        file: String = "";
        /// Name of the interface of a pcapng file to play, or `all`.
        interface: String = "all";
        /// Addresses or networks that sent the packets to play, such as `192.0.2.7` or
        /// `192.0.2.0/24, 2001:db8::/32`; or `all`.
        sender: String = "all";
        /// Flow to play: its name in the table, or its addresses and ports such as `udp
        /// 10.0.0.1:5004 > 10.0.0.2:5004`; or `all`.
        flow: String = "all";
        /// Speed of playback, as a multiple of the recorded speed.
        speed: f64 = "1";
        /// Whether the recording begins again at its end.
        repeat: bool = "false", Ns2 = "true";
        /// Whether playback begins at a random packet, each being equally likely.
        random_start: bool = "false", Ns2 = "true";
    }
}

/// A source that plays back what was recorded.
#[derive(Debug)]
pub struct Trace {
    recording: Recording,
    packets: Packets,
    speed: f64,
    repeat: bool,
    /// Before the first packet.
    at_start: bool,
    random_start: bool,
    /// The packet that comes next.
    next: usize,
}

impl Trace {
    /// A source whose recording is not read yet; of `packets` it takes the header alone.
    ///
    /// # Errors
    /// A speed of zero or less.
    pub fn new(params: &Params, _preset: Preset, packets: Packets) -> Result<Self, ParamFault> {
        let Params {
            file,
            interface,
            sender,
            flow,
            speed,
            repeat,
            random_start,
        } = params.clone();
        if sender != Recording::ALL && Networks::parse(&sender).is_none() {
            let allowed = format!("\"all\", or {}", Networks::ALLOWED);
            return Err(ParamFault::new("sender", format!("{sender:?}"), allowed));
        }
        if speed <= 0.0 {
            return Err(ParamFault::new("speed", speed, "a number above 0"));
        }
        Ok(Self {
            recording: Recording {
                file,
                interface,
                sender,
                flow,
                packets: [].into(),
            },
            packets,
            speed,
            repeat,
            at_start: true,
            random_start,
            next: 0,
        })
    }

    /// When a packet comes at this speed, from the beginning of the recording.
    fn time_of(&self, packet: &Recorded) -> Span {
        if self.speed == 1.0 {
            packet.after
        } else {
            Span::from_ps((packet.after.as_ps() as f64 / self.speed + 0.5) as u64)
        }
    }

    /// The gap before the next packet.
    fn gap(&self) -> Span {
        let packets = &self.recording.packets;
        let time = |k: usize| self.time_of(&packets[k]);
        match self.next {
            0 if self.at_start => time(0),
            0 => {
                let gaps = packets.len() as u64 - 1;
                let all = time(packets.len() - 1) - time(0);
                Span::from_ps(all.as_ps() / gaps)
            }
            k => time(k) - time(k - 1),
        }
    }
}

impl Source for Trace {
    fn next(&mut self, draw: &mut Draw<'_>) -> Emission {
        let number = self.recording.packets.len();
        if self.at_start && self.random_start && number > 0 {
            self.next = draw.gaps.below(number as u64) as usize;
        }
        if self.next == number && self.repeat && number > 0 {
            self.next = 0;
        }
        let Some(packet) = self.recording.packets.get(self.next) else {
            return Emission {
                gap: Span::ENDLESS,
                payload: Bytes::new(1),
            };
        };
        let gap = self.gap();
        let payload = self.packets.payload_of(packet.size);
        self.at_start = false;
        self.next += 1;
        Emission { gap, payload }
    }

    fn recordings(&mut self, show: &mut dyn FnMut(&mut Recording)) -> Result<(), ParamFault> {
        show(&mut self.recording);
        let packets = &self.recording.packets;
        if let (true, Some(first), Some(last)) = (self.repeat, packets.first(), packets.last())
            && self.time_of(last).as_ps() - self.time_of(first).as_ps() < packets.len() as u64
        {
            let allowed = "false where all packets of the recording come at once";
            return Err(ParamFault::new("repeat", true, allowed));
        }
        Ok(())
    }
}
