//! Hosts are pairs of sockets here: a TUN device does the same, a datagram at a time.

use std::os::unix::net::UnixDatagram;
use std::thread;
use std::time::Duration;

use etherparse::PacketBuilder;

use super::*;
use crate::outside::Nobody;

const SETUP: Setup<'_> = Setup {
    rate: "8 Mbit/s",
    down_rate: None,
    rtt: "4 ms",
    overhead: "0 B",
    queue: "droptail,limit=100 packets",
    down_queue: None,
    limit: None,
    seed: 1,
    series: None,
    flows: 10,
    makers: &Nobody,
};

/// A UDP packet over IPv4 with its checksum right: 28 bytes of headers, then `payload`.
fn datagram(port: u16, ecn: u8, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let [near, far] = [[198, 18, 0, 1], [198, 18, 0, 2]];
    let builder = PacketBuilder::ipv4(near, far, 64).udp(port, 9);
    builder.write(&mut bytes, payload).unwrap();
    bytes[1] = ecn;
    let (mut header, _) = etherparse::Ipv4Header::from_slice(&bytes).unwrap();
    header.header_checksum = header.calc_header_checksum();
    bytes[..20].copy_from_slice(&header.to_bytes());
    bytes
}

/// A host, and its end of the link.
fn host() -> (UnixDatagram, OwnedFd) {
    let (ours, theirs) = UnixDatagram::pair().unwrap();
    theirs.set_nonblocking(true).unwrap();
    ours.set_read_timeout(Some(Duration::from_secs(30)))
        .unwrap();
    (ours, OwnedFd::from(theirs))
}

/// Joins two hosts while `talk` has their ends.
fn joined(setup: &Setup<'_>, talk: impl FnOnce(&UnixDatagram, &UnixDatagram)) -> Emulated {
    let emulation = Emulation::new(setup).unwrap();
    let ((near, near_end), (far, far_end)) = (host(), host());
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let joined = emulation.join([near_end, far_end]);
        let run = scope.spawn(|| joined.run(&stop));
        talk(&near, &far);
        stop.store(true, Ordering::Relaxed);
        run.join().unwrap().unwrap()
    })
}

fn read(host: &UnixDatagram) -> Vec<u8> {
    let mut buffer = [0; 2000];
    let length = host.recv(&mut buffer).unwrap();
    buffer[..length].to_vec()
}

/// That a machine is busy is no fault of ours.
fn warnings(done: &Emulated) -> Vec<&str> {
    let all = done.warnings.iter().map(String::as_str);
    all.filter(|what| !what.contains("this machine is too busy"))
        .collect()
}

fn metric(through: &Through, name: &str) -> f64 {
    let mut columns = through.link.columns.iter();
    columns.find(|(metric, _)| metric == name).unwrap().1[0]
}

#[test]
fn packets_come_through_as_they_were_and_no_sooner_than_they_may() {
    let packet = |number: u8| datagram(7, 0, &[number; 972]);
    let done = joined(&SETUP, |near, far| {
        for number in 0..10 {
            near.send(&packet(number)).unwrap();
        }
        for number in 0..10 {
            assert_eq!(read(far), packet(number));
        }
        far.send(&packet(99)).unwrap();
        assert_eq!(read(near), packet(99));
    });
    assert_eq!(done.arrivals, [(10, 10_000), (1, 1000)]);
    // 1000 bytes take 1 ms, the wire 2 ms each way.
    assert!(done.end >= Time::ZERO + Span::from_ms(10 + 2 + 1 + 2));
    assert_eq!(done.late.count(), 11);
    let [up, down] = &done.queues;
    assert_eq!(up.label, "up: droptail, limit=100 packets");
    assert_eq!(metric(up, "departures_packets"), 10.0);
    assert_eq!(metric(down, "departures_packets"), 1.0);
    assert_eq!(up.flows.names, ["udp 198.18.0.1:7 > 198.18.0.2:9"]);
    assert_eq!(warnings(&done), [""; 0]);
}

#[test]
fn what_the_queue_drops_does_not_come_and_what_comes_is_in_order() {
    let setup = Setup {
        rate: "80 kbit/s",
        queue: "droptail,limit=5 packets",
        ..SETUP
    };
    let mut came = Vec::new();
    // 1000 bytes take 100 ms: all of them arrive while the first is being sent.
    let done = joined(&setup, |near, far| {
        for number in 0..20 {
            near.send(&datagram(7, 0, &[number; 972])).unwrap();
        }
        for _ in 0..6 {
            came.push(read(far)[28]);
        }
    });
    assert_eq!(came, [0, 1, 2, 3, 4, 5]);
    let [up, _] = &done.queues;
    assert_eq!(metric(up, "drops_packets"), 14.0);
    assert_eq!(up.drops[0].reason, Reason::Overlimit);
}

#[test]
fn a_mark_stands_in_the_packet() {
    let setup = Setup {
        // 1000 bytes take 40 ms: even on a busy machine all arrive while the first is being sent.
        rate: "200 kbit/s",
        queue: "codel,ce_threshold=1 us,ecn=true",
        ..SETUP
    };
    let mut codepoints = Vec::new();
    let done = joined(&setup, |near, far| {
        for ecn in [0b00, 0b10, 0b01, 0b00] {
            near.send(&datagram(7, ecn, &[0; 972])).unwrap();
        }
        for _ in 0..4 {
            let packet = read(far);
            let (header, _) = etherparse::Ipv4Header::from_slice(&packet).unwrap();
            assert_eq!(header.header_checksum, header.calc_header_checksum());
            codepoints.push(packet[1]);
        }
    });
    // The first waits for nothing, the last may not be marked.
    assert_eq!(codepoints, [0b00, 0b11, 0b11, 0b00]);
    assert_eq!(metric(&done.queues[0], "marks_packets"), 2.0);
}

#[test]
fn each_way_has_its_own_queue_and_rate() {
    let setup = Setup {
        down_rate: Some("80 kbit/s"),
        down_queue: Some("sfq"),
        ..SETUP
    };
    let done = joined(&setup, |near, far| {
        near.send(&datagram(1, 0, &[0; 72])).unwrap();
        far.send(&datagram(2, 0, &[0; 972])).unwrap();
        read(far);
        read(near);
    });
    assert!(done.end >= Time::ZERO + Span::from_ms(100 + 2));
    let labels = done.queues.map(|through| through.label);
    assert_eq!(labels, ["up: droptail, limit=100 packets", "down: sfq"]);
}

/// Before they are joined nobody is there to whom it could go.
#[test]
fn what_is_sent_before_does_not_count_and_what_is_sent_by_the_end_does() {
    let ((near, near_end), (far, far_end)) = (host(), host());
    for number in 0..5 {
        near.send(&datagram(7, 0, &[number; 972])).unwrap();
        far.send(&datagram(8, 0, &[number; 972])).unwrap();
    }
    let joined = Emulation::new(&SETUP).unwrap().join([near_end, far_end]);
    for _ in 0..3 {
        near.send(&datagram(9, 0, &[0; 472])).unwrap();
    }
    far.send(&datagram(9, 0, &[0; 472])).unwrap();
    let done = joined.run(&AtomicBool::new(true)).unwrap();
    assert_eq!(done.arrivals, [(3, 1500), (1, 500)]);
    let [up, down] = &done.queues;
    assert_eq!(metric(up, "departures_packets"), 3.0);
    assert_eq!(metric(down, "departures_packets"), 1.0);
    assert_eq!(up.flows.names, ["udp 198.18.0.1:9 > 198.18.0.2:9"]);
}

/// The clock ends after 18 446 744 s. At 1 bit/s the 60 000 bytes of a packet take 480 000 s: 38
/// come out by then, and the next has left the queue.
#[test]
fn where_the_clock_ends_first_what_was_measured_stands() {
    let setup = Setup {
        rate: "1 bit/s",
        rtt: "0 s",
        ..SETUP
    };
    let done = joined(&setup, |near, _| {
        for _ in 0..45 {
            near.send(&datagram(7, 0, &vec![0; 59_972])).unwrap();
        }
    });
    assert_eq!(done.arrivals[0], (45, 45 * 60_000));
    let [up, _] = &done.queues;
    assert_eq!(metric(up, "departures_packets"), 39.0);
    assert_eq!(metric(up, "drops_packets"), 0.0);
    assert!((up.end.as_s() - 38.0 * 480_000.0).abs() < 100.0);
    let told = "--rate: found 1 bit/s, at which packets are on their way when the clock ends, \
                after 18446744 s: they count as neither lost nor arrived";
    assert_eq!(warnings(&done), [told]);
}

#[test]
fn how_late_it_was_is_told_in_true_words() {
    let at = |us: u64| Time::ZERO + Span::from_us(us);
    let why = "this machine is too busy, or too slow for such a rate";
    let mut lateness = Lateness::default();
    for _ in 0..14 {
        lateness.packet(at(10), at(1_010));
    }
    assert_eq!(lateness.warnings(at(300_000)), [""; 0]);
    lateness.packet(at(10), at(5_010));
    let one = format!("packets handed over more than 1 ms late: 1 of 15, by 5.0 ms at most; {why}");
    assert_eq!(lateness.warnings(at(300_000)), [one]);
    for _ in 0..85 {
        lateness.packet(at(10), at(10));
    }
    assert_eq!(lateness.warnings(at(300_000)).len(), 1);
    lateness.packet(at(10), at(10));
    assert_eq!(lateness.warnings(at(300_000)), [""; 0]);
    // Two pauses, in which no packet is handed over.
    lateness.links(at(1_000), at(2_000));
    lateness.links(at(10_000), at(60_000));
    lateness.links(at(100_000), at(140_000));
    // Nothing was to be done.
    lateness.links(Time::NEVER, at(9_000_000));
    assert_eq!(lateness.behind, Span::from_ms(90));
    let pauses = format!(
        "nobody looked after the queues in time for 0.090 s of 9.000 s, up to 50.0 ms at a time; {why}"
    );
    assert_eq!(lateness.warnings(at(9_000_000)), [pauses]);
    assert_eq!(lateness.warnings(at(9_000_001)), [""; 0]);
}

#[test]
fn a_host_that_goes_away_does_not_end_it() {
    let done = joined(&SETUP, |near, far| {
        near.send(&datagram(7, 0, &[0; 972])).unwrap();
        read(far);
        far.shutdown(std::net::Shutdown::Both).unwrap();
        near.send(&datagram(7, 0, &[0; 972])).unwrap();
        near.send(&datagram(7, 0, &[0; 972])).unwrap();
        thread::sleep(Duration::from_millis(20));
    });
    assert_eq!(done.arrivals[0].0, 3);
    assert!(done.warnings[0].starts_with("packets that a host did not take in: "));
}

#[test]
fn what_is_wrong_is_told_with_the_option() {
    let cases = [
        (
            Setup {
                rate: "fast",
                ..SETUP
            },
            "--rate: ",
        ),
        (
            Setup {
                down_rate: Some("0 bit/s"),
                ..SETUP
            },
            "--down-rate: ",
        ),
        (
            Setup {
                rtt: "-1 s",
                ..SETUP
            },
            "--rtt: ",
        ),
        (
            Setup {
                queue: "redd",
                ..SETUP
            },
            "--queue redd: ",
        ),
        (
            Setup {
                down_queue: Some("codel,limit"),
                ..SETUP
            },
            "--down-queue codel,limit: ",
        ),
        (
            Setup {
                series: Some("0 s"),
                ..SETUP
            },
            "--series: ",
        ),
        (
            Setup {
                rtt: "0 s",
                limit: Some("1 bdp"),
                ..SETUP
            },
            "--limit: found \"1 bdp\", which is 0 B where --rtt is 0 s",
        ),
    ];
    for (setup, begins) in cases {
        let setup = if begins.starts_with("--limit") {
            Setup {
                queue: "droptail",
                ..setup
            }
        } else {
            setup
        };
        let error = Emulation::new(&setup).map(|_| ()).unwrap_err().to_string();
        assert!(error.starts_with(begins), "{error}");
    }
}
