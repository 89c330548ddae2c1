//! The hosts on both sides, and the clock on the wall.

use std::os::fd::OwnedFd;
use std::time::Instant;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{self, Errno};
use sojourn_base::{Span, Time};

/// Larger than any IP packet.
const LARGEST: usize = 1 << 16;

/// Time since the start.
pub(super) struct Clock(Instant);

impl Clock {
    #[expect(
        clippy::disallowed_methods,
        reason = "the packets are real, and so is their time"
    )]
    pub(super) fn start() -> Self {
        Self(Instant::now())
    }

    pub(super) fn now(&self) -> Time {
        Time::from_ns(u64::try_from(self.0.elapsed().as_nanos()).unwrap_or(u64::MAX / 1000))
    }
}

/// A host, as a descriptor of packets.
pub(super) struct Host {
    packets: OwnedFd,
    buffer: Vec<u8>,
    /// Whether there may be more to read.
    is_there: bool,
    refused: u64,
}

impl Host {
    pub(super) fn new(packets: OwnedFd) -> Self {
        Self {
            packets,
            buffer: vec![0; LARGEST],
            is_there: true,
            refused: 0,
        }
    }

    /// The packet that it sends next; none where it sends none now.
    pub(super) fn read(&mut self) -> Option<&[u8]> {
        if !self.is_there {
            return None;
        }
        match io::read(&self.packets, &mut self.buffer[..]) {
            Ok(0) => self.is_there = false,
            Ok(length) => return Some(&self.buffer[..length]),
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => self.is_there = false,
        }
        None
    }

    /// Throws away what it has sent until now, so many packets at most.
    pub(super) fn discard(&mut self, at_most: usize) {
        for _ in 0..at_most {
            if self.read().is_none() {
                break;
            }
        }
    }

    /// Hands a packet over to it.
    pub(super) fn write(&mut self, packet: &[u8]) {
        if io::write(&self.packets, packet) != Ok(packet.len()) {
            self.refused += 1;
        }
    }

    /// Packets that it did not take.
    pub(super) const fn refused(&self) -> u64 {
        self.refused
    }

    /// Waits for a packet of one of them, for so long at most.
    pub(super) fn wait(hosts: &[Self; 2], at_most: Span) {
        let there = hosts.iter().filter(|host| host.is_there);
        let mut polled: Vec<PollFd<'_>> = there
            .map(|host| PollFd::new(&host.packets, PollFlags::IN))
            .collect();
        let ns = at_most.as_ps().div_ceil(1000);
        let time = Timespec {
            tv_sec: (ns / 1_000_000_000).cast_signed(),
            tv_nsec: (ns % 1_000_000_000).cast_signed(),
        };
        // Woken by a signal or not: who called looks what there is.
        let _ = poll(&mut polled, Some(&time));
    }
}

/// Has this thread woken when it is due. Linux lets others sleep 50 us longer, to save power.
pub(super) fn be_woken_in_time() {
    #[cfg(target_os = "linux")]
    let _ = rustix::thread::set_current_timer_slack(core::num::NonZeroU64::new(1));
}
