//! One flow against ns-2.35, packet by packet: 10 Mbit/s 3 ms, 1.5 Mbit/s 20 ms with drop-tail of
//! limit 20 (which in ns-2 holds 19), 10 Mbit/s 3 ms; 1000-byte segments with 40 bytes of header.
//! And ways of its own, acknowledgement by acknowledgement.

use crate::bench::{Bench, Link, Solo, nth, probe, segments};
use sojourn_base::{Preset, Rate, Span, Time};
use sojourn_transport::State;

/// The first drops of all four, as segment numbers.
const FIRST_DROPS: [u64; 20] = [
    58, 60, 62, 64, 66, 68, 70, 72, 74, 76, 78, 80, 82, 84, 86, 88, 90, 92, 94, 96,
];

fn run(cc: &str, sack: &'static str) -> Bench {
    let rate = |bps| Rate::from_bps(bps);
    let links = vec![
        Link::new(rate(10_000_000), Span::from_ms(3), 1000),
        Link::new(rate(1_500_000), Span::from_ms(20), 19),
        Link::new(rate(10_000_000), Span::from_ms(3), 1000),
    ];
    // Acknowledgements of 40 bytes never wait: 32 us on each fast link, 213.3 us on the slow one.
    let back = Span::from_us(26_000 + 32 + 32) + Span::from_ps(213_333_333);
    let keys = [("window", "1000 packets"), ("sack", sack)];
    let mut bench = Bench::over(cc, Preset::Ns2, links, back, &keys);
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_whole_s(60));
    bench
}

/// After 60 s ns-2 has so many segments acknowledged, sent in all, and sent again.
struct Totals(u64, u64, u64);

fn check(cc: &str, sack: &'static str, theirs: &Totals) {
    let bench = run(cc, sack);
    let drops: Vec<u64> = bench
        .refused
        .iter()
        .take(20)
        .map(|(_, segment)| segment.seq.div_ceil(1000))
        .collect();
    assert_eq!(drops, FIRST_DROPS, "{cc}");
    let (at, _) = bench.refused[0];
    assert!((at.as_s() - 0.367_277).abs() < 2e-6, "{cc}: {at}");
    let counts = bench.sender.counts();
    let acked = bench.sender.acknowledged() / 1000;
    assert_eq!(acked, theirs.0, "{cc} sack {sack}");
    // The SYN is one of them.
    assert_eq!(counts.segments, theirs.1, "{cc} sack {sack}");
    assert_eq!(counts.retransmits, theirs.2, "{cc} sack {sack}");
}

#[test]
fn tahoe_as_in_ns2() {
    check("tahoe", "false", &Totals(10_040, 10_160, 87));
}

#[test]
fn reno_as_in_ns2() {
    check("reno", "false", &Totals(10_673, 10_776, 86));
}

#[test]
fn newreno_as_in_ns2() {
    check("newreno", "false", &Totals(10_690, 10_798, 90));
}

#[test]
fn sack_as_in_ns2() {
    check("newreno", "true", &Totals(10_719, 10_816, 58));
}

/// A sender of ns-2's kind whose window is `window`, all of it sent, 100 ms ago.
fn in_ns2(sack: &'static str, window: &'static str) -> Solo {
    let keys = [
        ("segment", "1000 B"),
        ("sack", sack),
        ("window", "1000 packets"),
        ("initial_window", window),
        ("handshake", "false"),
    ];
    let mut tcp = Solo::new("newreno", Preset::Ns2, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    tcp
}

/// `cwnd_` becomes half of itself, 1.5; it is `ssthresh_` alone that is two at least.
#[test]
fn ns2_inflates_half_of_a_small_window() {
    let mut tcp = in_ns2("false", "3 packets");
    for _ in 0..3 {
        tcp.ack(1, &[]);
    }
    assert_eq!((tcp.cwnd(), tcp.ssthresh()), (4.5, 2.0));
    let mut tcp = in_ns2("true", "3 packets");
    for n in 2..=4 {
        tcp.ack(1, &[(nth(1), nth(n))]);
    }
    assert_eq!((tcp.cwnd(), tcp.ssthresh()), (1.5, 2.0));
}

/// Its SACK agent throws away what it knows with every acknowledgement of new data outside
/// recovery: only duplicates after that tell of losses, and nothing leaves the pipe before.
#[test]
fn ns2_learns_of_losses_from_duplicates_alone() {
    let mut tcp = in_ns2("true", "10 packets");
    // Two arrive, the third is missing, four more have arrived: a new segment for each of two, and
    // growth.
    assert_eq!(tcp.ack(nth(2), &[(nth(3), nth(7))]).len(), 3);
    for (n, sent) in [(8, 1), (9, 1), (10, 1)] {
        assert_eq!(tcp.ack(nth(2), &[(nth(3), nth(n))]).len(), sent, "{n}");
    }
    assert_eq!(tcp.sender.state(), State::Recovery);
    // The reference counts what is reported: it begins at once.
    let keys = [("segment", "1000 B"), ("initial_window", "20 packets")];
    let mut tcp = Solo::new("newreno", Preset::Reference, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    tcp.ack(nth(2), &[(nth(3), nth(7))]);
    assert_eq!(tcp.sender.state(), State::Recovery);
}

/// Of two losses in one flight the second waits for three duplicates after the first is repaired.
#[test]
fn ns2_forgets_reports_at_the_end_of_recovery() {
    let mut tcp = in_ns2("true", "10 packets");
    for n in 2..=4 {
        tcp.ack(1, &[(nth(1), nth(n))]);
    }
    assert_eq!(tcp.sender.state(), State::Recovery);
    let end = tcp.sender.snd_nxt();
    // What was sent by limited transmit is the last that this recovery waits for.
    tcp.ack(end, &[]);
    assert_eq!(tcp.sender.state(), State::Open);
    tcp.sends();
    let una = tcp.sender.snd_una();
    for n in 1..=3 {
        assert_eq!(tcp.sender.state(), State::Open);
        tcp.ack(una, &[(una + 1000, una + 1000 * (n + 1))]);
    }
    assert_eq!(tcp.sender.state(), State::Recovery);
}

/// A clock of 10 ms ticks 9 times in 95 ms from 0 on, and 10 times in the next 95.
#[test]
fn ns2_counts_the_ticks_of_its_clock() {
    let keys = [
        ("segment", "1000 B"),
        ("handshake", "false"),
        ("initial_window", "1 packets"),
    ];
    let mut tcp = Solo::new("newreno", Preset::Ns2, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    // The second is an eighth of a tick more.
    for (n, at, srtt) in [(1, 95, 90_000), (2, 190, 91_250)] {
        tcp.at(at);
        tcp.ack(nth(n), &[]);
        assert_eq!(tcp.sender.srtt().unwrap().0, Span::from_us(srtt));
    }
}

/// The timer of ns-2 times one segment a round trip, Vegas all of them: here the fourth, 80 ms.
#[test]
fn ns2_lets_vegas_hear_of_each_round_trip() {
    let keys = [("segment", "1000 B"), ("handshake", "false")];
    let mut tcp = Solo::new("vegas", Preset::Ns2, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    for (n, at, least) in [(1, 100, 0.1), (2, 150, 0.1), (3, 200, 0.1), (4, 230, 0.08)] {
        tcp.at(at);
        tcp.ack(nth(n), &[]);
        assert_eq!(probe(tcp.sender.controller(), "base_rtt"), least, "{n}");
    }
}

/// Its SYN is as large as data; ours is small, and would be faster than any data: 10 ms.
#[test]
fn ns2_keeps_the_handshake_out_of_the_base_of_vegas() {
    let mut tcp = Solo::new("vegas", Preset::Ns2, &[("segment", "1000 B")]);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(10);
    tcp.ack(1, &[]);
    tcp.at(60);
    tcp.ack(nth(1), &[]);
    assert_eq!(probe(tcp.sender.controller(), "base_rtt"), 0.05);
}

/// Marks take the window of ns-2 below one segment. Nothing goes then until the timer expires,
/// after 30 ticks at a round trip of 10; the window is one again, and the threshold stays. From the
/// second mark at a window of one on, each doubles the timeout, and no sample ends that: SRTT stays
/// 10 ticks, RTTVAR falls from 5 to 3.75, 3 and 2.25, by quarters of ticks. An acknowledgement
/// without a mark ends it all.
#[test]
fn ns2_waits_for_the_timer_below_one_segment() {
    let keys = [
        ("segment", "1000 B"),
        ("handshake", "false"),
        ("initial_window", "1 packets"),
        ("ecn", "true"),
    ];
    let mut tcp = Solo::new("newreno", Preset::Ns2, &keys);
    tcp.sender.write_endless();
    assert_eq!(tcp.sends(), segments(0, 1));
    let mut at = 0;
    // The timeouts: 10 + 4 x 5 ticks, then 25 twice, 22 four times, and at the least 20 eight
    // times.
    for (n, wait) in [(1, 300), (2, 500), (3, 880), (4, 1600)] {
        at += 100;
        assert!(tcp.at(at).is_empty());
        assert!(tcp.ece(nth(n)).is_empty(), "{n}");
        assert_eq!(tcp.sender.window(), 500, "{n}");
        at += wait;
        assert!(tcp.at(at - 1).is_empty(), "{n}");
        assert_eq!(tcp.at(at), segments(n, n + 1), "{n}");
        assert_eq!((tcp.cwnd(), tcp.ssthresh()), (1.0, 2.0), "{n}");
    }
    at += 100;
    tcp.at(at);
    assert_eq!(tcp.ack(nth(5), &[]), segments(5, 7));
    at += 100;
    tcp.at(at);
    // Half of two.
    assert_eq!(tcp.ece(nth(6)), []);
    assert_eq!(tcp.ack(nth(7), &[]), segments(7, 9));
}

/// ns-2's Vegas with a window of four segments that the receiver bounds: after every
/// acknowledgement three are outstanding, four with the next, so that it grows to six by quarters,
/// fifths and sixths and no further.
#[test]
fn ns2_lets_vegas_grow_no_further_than_it_sends() {
    let keys = [
        ("segment", "1000 B"),
        ("handshake", "false"),
        ("initial_window", "4 packets"),
        ("initial_ssthresh", "2 packets"),
        ("window", "4 packets"),
    ];
    let mut tcp = Solo::new("vegas", Preset::Ns2, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    let mut widest: f64 = 0.0;
    for round in 1..=20 {
        tcp.at(100 * round);
        for n in 4 * round - 3..=4 * round {
            assert_eq!(tcp.ack(nth(n), &[]).len(), 1);
        }
        if round == 1 {
            assert_eq!(tcp.cwnd(), 4.0, "the first acknowledgement decides nothing");
        }
        if round == 2 {
            assert_eq!(tcp.cwnd(), 5.0, "four quarters");
        }
        widest = widest.max(tcp.cwnd());
    }
    assert!((6.0..6.25).contains(&widest), "{widest}");
}

/// The round trip of the SYN decides nothing, and leaves one segment; its answer brings the initial
/// window of two and a third segment. In the next round trip slow start holds still, and then grows
/// again.
#[test]
fn ns2_lets_vegas_begin_with_one_segment() {
    let keys = [("segment", "1000 B"), ("window", "100 packets")];
    let mut tcp = Solo::new("vegas", Preset::Ns2, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(50);
    assert_eq!(tcp.ack(1, &[]), segments(0, 1));
    tcp.at(100);
    assert_eq!(tcp.ack(nth(1), &[]), segments(1, 4));
    tcp.at(150);
    assert_eq!(tcp.ack(nth(2), &[]), segments(4, 5));
    assert_eq!(tcp.ack(nth(4), &[]), segments(5, 7));
    tcp.at(200);
    assert_eq!(tcp.ack(nth(5), &[]), segments(7, 9));
}
