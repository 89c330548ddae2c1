//! Captures made by hand are read as they are, whole or damaged.

mod make;

use std::io::{self, Read};

use make::{Order, block, interface, of_length, packet, pcap, section, udp};
use proptest::prelude::*;
use sojourn_base::{Ecn, Networks, Rate, Span, Time};
use sojourn_trace::arrivals::headers::LINK_TYPES;
use sojourn_trace::pcapng::{Interface, Pcapng};
use sojourn_trace::{Arrival, Arrivals};

fn read(bytes: Vec<u8>) -> (Vec<Arrival>, Option<String>) {
    let mut arrivals = match Arrivals::read("c", io::Cursor::new(bytes)) {
        Ok(arrivals) => arrivals,
        Err(error) => return (Vec::new(), Some(error.to_string())),
    };
    let mut read = Vec::new();
    for arrival in &mut arrivals {
        match arrival {
            Ok(arrival) => read.push(arrival),
            Err(error) => return (read, Some(error.to_string())),
        }
    }
    assert!(arrivals.next().is_none());
    (read, None)
}

fn whole(bytes: Vec<u8>) -> Vec<Arrival> {
    let (arrivals, error) = read(bytes);
    assert_eq!(error, None);
    arrivals
}

fn times_ps(arrivals: &[Arrival]) -> Vec<u64> {
    arrivals
        .iter()
        .map(|arrival| arrival.time.as_ps())
        .collect()
}

#[test]
fn pcap_in_both_byte_orders_and_both_units() {
    let far = 1_800_000_000;
    for order in [Order::Little, Order::Big] {
        for (is_nano, ps) in [(false, 1_000_000), (true, 1_000)] {
            let packets = [
                (far, 999_999, 100, udp(1)),
                (far + 1, 3, 1500, of_length(1500, udp(2))),
                (far + 1, 3, 100, udp(1)),
            ];
            let arrivals = whole(pcap(order, is_nano, &packets));
            let second = 1_000_000_000_000 - 999_996 * ps;
            assert_eq!(times_ps(&arrivals), [0, second, second], "{order:?} {ps}");
            let sizes: Vec<u32> = arrivals.iter().map(|arrival| arrival.size).collect();
            assert_eq!(
                sizes,
                [100, 1500, 100],
                "the original length, not the captured one"
            );
            assert_eq!(arrivals[0].flow, arrivals[2].flow);
            assert_ne!(arrivals[0].flow, arrivals[1].flow);
            assert_eq!(arrivals[0].source, 0x0a00_0001);
            assert_eq!(arrivals[0].ecn, Ecn::Ect0);
        }
    }
}

#[test]
fn padding_is_none_of_the_packet_and_a_length_of_zero_says_nothing() {
    let ethernet = |ether_type: [u8; 2], ip: Vec<u8>| [&[0; 12][..], &ether_type, &ip].concat();
    let ipv4 = |length| ethernet([8, 0], of_length(length, udp(1)));
    let ipv6 = |payload: u8| {
        let start = [0x60, 0, 0, 0, 0, payload, 17, 64];
        ethernet([0x86, 0xdd], [&start[..], &[0; 40]].concat())
    };
    for (bytes, original, size) in [
        (ipv4(40), 60, 40),
        (ipv4(40), 64, 40),
        (ipv4(46), 60, 46),
        (ipv4(0), 5014, 5000),
        // A length beyond what there was.
        (ipv4(1500), 1014, 1000),
        (ipv6(4), 60, 44),
        (ipv6(0), 5014, 5000),
        (ethernet([8, 6], vec![0; 28]), 60, 46),
    ] {
        let mut file = pcap(Order::Little, false, &[(0, 0, original, bytes)]);
        file[20] = 1;
        assert_eq!(whole(file)[0].size, size, "{original} {size}");
    }
}

#[test]
fn a_frame_check_sequence_is_none_of_the_link_type() {
    for order in [Order::Little, Order::Big] {
        let mut file = pcap(order, false, &[(0, 0, 104, udp(1))]);
        file[20..24].copy_from_slice(&order.u32(0x2400_0065));
        assert_eq!(whole(file)[0].size, 100, "{order:?}");
    }
}

#[test]
fn pcapng_with_sections_interfaces_and_resolutions() {
    let mut file = Vec::new();
    // Microseconds unless it says otherwise.
    file.extend(section(Order::Little));
    file.extend(interface(Order::Little, "a", 101, None, None));
    file.extend(block(Order::Little, 4, &[0; 4])); // names: passed over
    file.extend(packet(Order::Little, 0, 10_000_000, 100, &udp(1)));
    // The other byte order; nanoseconds with an offset, and 2^-30 s.
    file.extend(section(Order::Big));
    file.extend(interface(Order::Big, "b", 101, Some(9), Some(9)));
    file.extend(interface(Order::Big, "c", 101, Some(0x9e), None));
    file.extend(packet(Order::Big, 0, 1_500_000_001, 100, &udp(1)));
    file.extend(packet(Order::Big, 1, 11 << 30 | 1 << 29, 100, &udp(2)));
    // Picoseconds, and an offset back in time.
    file.extend(section(Order::Little));
    file.extend(interface(Order::Little, "d", 101, Some(12), Some(-1)));
    file.extend(packet(Order::Little, 0, 13_000_000_000_007, 100, &udp(1)));
    let arrivals = whole(file);
    let expected = [0, 500_000_001_000, 1_500_000_000_000, 2_000_000_000_007];
    assert_eq!(times_ps(&arrivals), expected);
    assert_eq!(arrivals[0].flow, arrivals[1].flow);
}

#[test]
fn one_interface_can_be_chosen() {
    let mut file = section(Order::Little);
    file.extend(interface(Order::Little, "a", 101, None, None));
    file.extend(interface(Order::Little, "b", 101, None, None));
    for (interface, stamp) in [(0, 5), (1, 7), (0, 8), (1, 9)] {
        file.extend(packet(Order::Little, interface, stamp, 100, &udp(1)));
    }
    let open = || Arrivals::read("c", io::Cursor::new(file.clone())).unwrap();
    let chosen: Vec<Arrival> = open().only("b").unwrap().map(Result::unwrap).collect();
    assert_eq!(times_ps(&chosen), [0, 2_000_000]);
    let mut both = open();
    assert_eq!(both.by_ref().count(), 4);
    assert_eq!(both.interfaces(), ["a", "b"]);
    let mut none = open().only("x").unwrap();
    let error = none.next().unwrap().unwrap_err().to_string();
    let end = file.len();
    let expected =
        format!("c: packet 5 (byte {end}): found no packet of the interface \"x\"; allowed: a, b");
    assert_eq!(error, expected);
}

/// A packet from 10.0.0.2 stands between two of 10.0.0.1, on another interface.
#[test]
fn senders_can_be_chosen() {
    let mut file = section(Order::Little);
    file.extend(interface(Order::Little, "a", 101, None, None));
    file.extend(interface(Order::Little, "b", 101, None, None));
    for (interface, stamp, host) in [(0, 5, 1), (1, 7, 2), (0, 8, 1), (0, 6, 2)] {
        file.extend(packet(Order::Little, interface, stamp, 100, &udp(host)));
    }
    let sent_by = |senders: &str| {
        let senders = Networks::parse(senders).unwrap();
        let arrivals = Arrivals::read("c", io::Cursor::new(file.clone())).unwrap();
        arrivals.sent_by(senders).unwrap()
    };
    let mut one = sent_by("10.0.0.1");
    let read: Vec<Arrival> = one.by_ref().map(Result::unwrap).collect();
    assert_eq!(times_ps(&read), [0, 3_000_000]);
    assert_eq!(
        (one.interfaces(), one.disorder().packets),
        (&["a".to_owned()][..], 0)
    );
    let other: Vec<Arrival> = sent_by("10.0.0.2/32").map(Result::unwrap).collect();
    assert_eq!(times_ps(&other), [0, 0]);
    let error = sent_by("10.0.0.4/30").next().unwrap().unwrap_err();
    let says = "found no packet of the sender; allowed: one of those that there are, such as \
                10.0.0.1, 10.0.0.2";
    assert!(error.to_string().ends_with(says), "{error}");
    let table = Arrivals::read("t", io::Cursor::new("time_s,size_B\n")).unwrap();
    let refused = table.sent_by(Networks::parse("::1").unwrap()).map(|_| ());
    let says = "t: found a CSV file, which names no addresses";
    assert!(refused.unwrap_err().to_string().starts_with(says));
}

#[test]
fn interfaces_without_a_name_go_by_their_numbers() {
    let mut file = section(Order::Little);
    for name in ["", "b", ""] {
        file.extend(interface(Order::Little, name, 101, None, None));
    }
    for (interface, stamp) in [(0, 5), (2, 7), (1, 8), (2, 9)] {
        file.extend(packet(Order::Little, interface, stamp, 100, &udp(1)));
    }
    let open = || Arrivals::read("c", io::Cursor::new(file.clone())).unwrap();
    let mut all = open();
    assert_eq!(all.by_ref().count(), 4);
    assert_eq!(all.interfaces(), ["interface 0", "interface 2", "b"]);
    let chosen = open().only("interface 2").unwrap();
    let chosen: Vec<Arrival> = chosen.map(Result::unwrap).collect();
    assert_eq!(times_ps(&chosen), [0, 2_000_000]);
    let error = open().only("a").unwrap().next().unwrap().unwrap_err();
    let says = "found no packet of the interface \"a\"; allowed: interface 0, interface 2, b";
    assert!(error.to_string().ends_with(says), "{error}");
}

#[test]
fn packets_out_of_order_arrive_with_the_one_before_and_are_counted() {
    let stamps = [5, 9, 7, 3, 10];
    let packets = stamps.map(|stamp| (0, stamp, 100, udp(1)));
    let mut arrivals = Arrivals::read("c", io::Cursor::new(pcap(Order::Big, false, &packets)));
    let arrivals = arrivals.as_mut().unwrap();
    let read: Vec<Arrival> = arrivals.by_ref().map(Result::unwrap).collect();
    assert_eq!(times_ps(&read), [0, 4, 4, 4, 5].map(|us| us * 1_000_000));
    assert_eq!(arrivals.disorder().packets, 2);
    assert_eq!(arrivals.disorder().furthest, Span::from_us(6));
}

#[test]
fn errors_name_packet_and_byte() {
    let two = [(0, 1, 100, udp(1)), (0, 2, 100, udp(2))];
    let mut cut = pcap(Order::Little, false, &two);
    cut.pop();
    let (arrivals, error) = read(cut);
    assert_eq!(arrivals.len(), 1, "what came before is sound");
    assert_eq!(
        error.unwrap(),
        "c: packet 2 (byte 68): the file ends in the middle of it"
    );
}

#[test]
fn what_cannot_be_read_is_named() {
    let refused = |file: Vec<u8>| read(file).1.unwrap_or_default();
    let header = pcap(Order::Little, false, &[]);
    let cut_short = refused(header[..20].to_vec());
    assert_eq!(cut_short, "c: the file ends in the middle of its header");

    let mut wireless = header;
    wireless[20] = 127;
    let message = format!("c: packet 1 (byte 0): found link type 127; allowed: {LINK_TYPES}");
    assert_eq!(refused(wireless), message);

    let after_section = |block: Vec<u8>| refused([section(Order::Big), block].concat());
    for (block, message) in [
        (
            packet(Order::Big, 3, 0, 100, &udp(1)),
            "found the interface 3; allowed: one of the 0 described before",
        ),
        (
            block(Order::Big, 3, &[0; 8]),
            "found a packet without a time; allowed: with one",
        ),
        (
            block(Order::Big, 2, &[0; 20]),
            "found pcapng's obsolete packet block; allowed: enhanced ones, which editcap makes of it",
        ),
        (
            block(Order::Big, 1 << 31, &vec![0; 5_000_000]),
            "found a block that is larger than 4194304 B or not sound; allowed: smaller ones",
        ),
    ] {
        let expected = format!("c: packet 1 (byte 28): {message}");
        assert_eq!(after_section(block), expected);
    }
}

/// What is wrong with an interface is wrong with its packets alone.
#[test]
fn an_interface_that_cannot_be_read_does_not_hinder_others() {
    let mut file = section(Order::Little);
    file.extend(interface(Order::Little, "radio", 127, None, None));
    file.extend(interface(Order::Little, "fine", 101, Some(39), None));
    file.extend(interface(Order::Little, "good", 101, None, None));
    file.extend(packet(Order::Little, 2, 5, 100, &udp(1)));
    let first = file.len();
    file.extend(packet(Order::Little, 0, 6, 100, &udp(1)));
    let second = file.len();
    file.extend(packet(Order::Little, 1, 7, 100, &udp(1)));
    file.extend(packet(Order::Little, 2, 9, 100, &udp(1)));
    let only = |name: &str| {
        let open = Arrivals::read("c", io::Cursor::new(file.clone())).unwrap();
        let mut times = Vec::new();
        for arrival in open.only(name).unwrap() {
            match arrival {
                Ok(arrival) => times.push(arrival.time.as_ps()),
                Err(error) => return (times, error.to_string()),
            }
        }
        (times, String::new())
    };
    assert_eq!(only("good"), (vec![0, 4_000_000], String::new()));
    let radio = format!("found link type 127; allowed: {LINK_TYPES}");
    let other = "found stamps in units of 10^-39 s; allowed: down to 10^-38 s";
    let radio = format!("c: packet 2 (byte {first}): {radio}");
    assert_eq!(only("radio"), (Vec::new(), radio.clone()));
    let other = format!("c: packet 3 (byte {second}): {other}");
    assert_eq!(only("fine"), (Vec::new(), other));
    let (arrivals, error) = read(file);
    assert_eq!((arrivals.len(), error), (1, Some(radio)));
}

/// Gives a few bytes at a time, then fails.
struct Failing(Vec<u8>, usize);

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = &self.0[self.1..];
        if left.is_empty() {
            return Err(io::Error::other("the cable was pulled"));
        }
        let length = left.len().min(3).min(buffer.len());
        buffer[..length].copy_from_slice(&left[..length]);
        self.1 += length;
        Ok(length)
    }
}

#[test]
fn a_source_that_fails_is_quoted() {
    let packets = vec![(0, 1, 70_000, vec![0; 70_000]); 2];
    let file = pcap(Order::Little, false, &packets);
    let mut arrivals = Arrivals::read("pipe", Failing(file, 0)).unwrap();
    assert!(arrivals.next().unwrap().is_ok());
    assert!(arrivals.next().unwrap().is_ok());
    let error = arrivals.next().unwrap().unwrap_err().to_string();
    assert_eq!(
        error,
        "pipe: packet 3 (byte 140056): cannot be read: the cable was pulled"
    );
}

/// A sound capture of each kind.
fn sound(kind: u8) -> Vec<u8> {
    let order = if kind & 1 == 0 {
        Order::Little
    } else {
        Order::Big
    };
    let packets: Vec<_> = (0..20).map(|i| (i, 0, 100, udp(i as u8))).collect();
    if kind & 2 == 0 {
        return pcap(order, kind & 4 == 0, &packets);
    }
    let mut file = section(order);
    file.extend(interface(order, "a", 1, Some(9), Some(5)));
    for (i, _, original, bytes) in packets {
        file.extend(packet(order, 0, u64::from(i), original, &bytes));
    }
    file
}

#[test]
fn what_is_written_is_read_again() {
    let mut file = Vec::new();
    let mut capture = Pcapng::new(&mut file, "a comment").unwrap();
    let speed = Rate::from_bps(1_000_000).unwrap();
    for name in ["there", "back"] {
        let interface = Interface {
            name,
            description: "",
            speed,
            snap_length: 80,
        };
        capture.add(&interface).unwrap();
    }
    let comments = ["dropped: overlimit".to_owned(), "one more".to_owned()];
    for (interface, us) in [(0, 1_000_000), (1, 1_000_001), (0, 3_600_000_000)] {
        let packet = sojourn_trace::pcapng::Packet {
            interface,
            time: Time::ZERO + Span::from_us(us),
            length: 1500,
            bytes: &of_length(1500, udp(interface as u8)),
            id: us,
            lost: us % 3,
            comments: &comments,
        };
        capture.write(&packet).unwrap();
    }
    capture.count(0, Time::NEVER, 2, 1).unwrap();
    capture.finish().unwrap();
    let arrivals = whole(file);
    let expected = [0, 1_000_000, 3_599_000_000_000_000];
    assert_eq!(times_ps(&arrivals), expected);
    assert_eq!(arrivals[1].source, 0x0a00_0001);
    assert!(arrivals.iter().all(|arrival| arrival.size == 1500));
}

proptest! {
    /// Whatever is damaged, times never go back and nothing panics or hangs.
    #[test]
    fn damaged_captures_end_in_an_error_or_a_shorter_list(
        kind in 0_u8..8,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
        keep in any::<prop::sample::Index>(),
    ) {
        let mut file = sound(kind);
        for (at, value) in damage {
            let at = at.index(file.len());
            file[at] = value;
        }
        file.truncate(keep.index(file.len() + 1));
        let (arrivals, _) = read(file);
        prop_assert!(arrivals.is_sorted_by_key(|arrival| arrival.time));
    }

    #[test]
    fn noise_after_a_magic_number_does_no_harm(
        magic in prop::sample::select(vec![
            [0x0a, 0x0d, 0x0d, 0x0a], [0xa1, 0xb2, 0xc3, 0xd4], [0xd4, 0xc3, 0xb2, 0xa1],
            [0x34, 0xcd, 0xb2, 0xa1], *b"time",
        ]),
        noise in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        read([&magic[..], &noise].concat());
    }
}
