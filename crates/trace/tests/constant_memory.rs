//! A capture of any length is read in the same memory: 200 MB out of a generator.

mod make;

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{self, Read};
use std::sync::atomic::{AtomicUsize, Ordering};

use make::{Order, interface, packet, pcap, section, udp};
use sojourn_trace::Arrivals;

/// Counts the bytes that are in use, and the most that ever were.
struct Counting;

static IN_USE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is handed on to the system's allocator as it came.
#[allow(unsafe_code, reason = "an allocator cannot be written without")]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let in_use = IN_USE.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
        PEAK.fetch_max(in_use, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const LENGTH: usize = 200_000_000;
/// Buffers of the reader, and some room.
const ALLOWED: usize = 8_000_000;

/// `head`, and then `body` again and again.
struct Endless {
    head: Vec<u8>,
    body: Vec<u8>,
    at: usize,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let from = match self.at.checked_sub(self.head.len()) {
            None => &self.head[self.at..],
            Some(beyond) => &self.body[beyond % self.body.len()..],
        };
        let length = from.len().min(buffer.len());
        buffer[..length].copy_from_slice(&from[..length]);
        self.at += length;
        Ok(length)
    }
}

/// Reads 200 MB; returns how many packets there were and the most memory that was in use.
fn stream(head: Vec<u8>, body: Vec<u8>) -> (usize, usize) {
    let endless = Endless { head, body, at: 0 };
    PEAK.store(IN_USE.load(Ordering::Relaxed), Ordering::Relaxed);
    let before = IN_USE.load(Ordering::Relaxed);
    let mut arrivals = Arrivals::read("endless", endless).expect("it is sound");
    let mut packets = 0;
    while arrivals.offset() < LENGTH as u64 {
        let arrival = arrivals.next().expect("it has no end");
        arrival.expect("it is sound");
        packets += 1;
    }
    (packets, PEAK.load(Ordering::Relaxed) - before)
}

// One test, since the allocator counts for all threads.
#[test]
fn memory_does_not_grow_with_the_file() {
    let bytes = [udp(1), vec![0; 400]].concat();
    let empty = pcap(Order::Little, true, &[]);
    let one = pcap(Order::Little, true, &[(1, 2, 428, bytes.clone())]);
    let record = one[empty.len()..].to_vec();
    let header = [
        section(Order::Big),
        interface(Order::Big, "a", 101, Some(9), None),
    ];
    let block = packet(Order::Big, 0, 7, 428, &bytes);
    let cases = [
        (empty, record),
        (header.concat(), block),
        (
            b"time_s,size_B,flow,ecn\n".to_vec(),
            format!("1.5,1500,a flow{},ect0\n", " of many".repeat(10)).into(),
        ),
    ];
    for (head, body) in cases {
        let length = body.len();
        let (packets, peak) = stream(head, body);
        assert!(packets >= LENGTH / length - 1, "{packets} packets");
        assert!(peak < ALLOWED, "{peak} bytes were in use");
    }
}
