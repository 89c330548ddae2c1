//! Losses in and behind a recovery, segment by segment, worked out by hand.

use crate::bench::{SACK, Solo, ms, nth, segments};
use sojourn_base::Preset;
use sojourn_transport::State;

const REFERENCE: Preset = Preset::Reference;

/// A window of twenty segments, repaired by RACK and PRR.
const TWENTY: &[(&str, &str)] = &[
    ("segment", "1000 B"),
    ("delayed_ack", "1"),
    ("timestamps", "false"),
    ("initial_window", "20 packets"),
];

/// Three segments of 20 are reported, all before them are lost, and the first is repaired. The
/// acknowledgement of that reports two more and reveals a loss: as much is lost as before, yet no
/// more may go out than was delivered (RFC 9937). Where it reports three it is safe to send one
/// more.
#[test]
fn a_loss_is_found_though_another_is_repaired() {
    for (reported_from, sent) in [(18, 3), (17, 4 + 1)] {
        let mut tcp = Solo::new("newreno", REFERENCE, TWENTY);
        tcp.sender.write_endless();
        tcp.sends();
        tcp.at(100);
        tcp.ack(nth(0), &[(nth(14), nth(17))]);
        tcp.at(200);
        let reports = [(nth(reported_from), nth(20)), (nth(14), nth(17))];
        assert_eq!(tcp.ack(nth(1), &reports).len(), sent);
    }
}

/// A timeout in the middle of a recovery by PRR, whose window is what is in flight and a segment or
/// two: what is halved is the window of the recovery, 10 segments, not that.
#[test]
fn a_timeout_in_recovery_halves_its_window() {
    let mut tcp = Solo::new("newreno", REFERENCE, TWENTY);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    tcp.ack(nth(0), &[(nth(14), nth(20))]);
    assert_eq!(
        (tcp.sender.state(), tcp.ssthresh()),
        (State::Recovery, 10.0)
    );
    tcp.at(2_000);
    assert!(tcp.sender.counts().timeouts > 0);
    assert_eq!((tcp.cwnd(), tcp.ssthresh()), (1.0, 5.0));
}

/// The same without SACK, where each of 60 duplicates lets another segment out: these have left the
/// network that the next is halved for, and the threshold falls from 10 segments to 5.
#[test]
fn a_timeout_in_an_inflated_recovery_halves_its_window() {
    for cc in ["reno", "newreno"] {
        let keys = [
            TWENTY,
            &[("sack", "false"), ("prr", "false"), ("rack", "false")],
        ]
        .concat();
        let mut tcp = Solo::new(cc, REFERENCE, &keys);
        tcp.sender.write_endless();
        tcp.sends();
        tcp.at(100);
        for _ in 0..60 {
            tcp.ack(1, &[]);
        }
        assert_eq!((tcp.cwnd(), tcp.ssthresh()), (70.0, 10.0), "{cc}");
        tcp.at(3_000);
        assert!(tcp.sender.counts().timeouts > 0);
        assert_eq!((tcp.cwnd(), tcp.ssthresh()), (1.0, 5.0), "{cc}");
    }
}

/// The first of ten segments is lost, and so is what it is sent again as: the window of 10 is
/// halved twice where it falls at once (RFC 8985, 9.3), and only once for the one retransmission,
/// though the next is reported too. PRR goes by what is delivered.
#[test]
fn a_lost_retransmission_halves_again_without_prr() {
    for (prr, halved) in [("false", 2.5), ("true", 5.0)] {
        let keys = [
            ("segment", "1000 B"),
            ("delayed_ack", "1"),
            ("timestamps", "false"),
            ("prr", prr),
        ];
        let mut tcp = Solo::new("newreno", REFERENCE, &keys);
        tcp.sender.write_endless();
        tcp.sends();
        tcp.at(100);
        let mut sent = Vec::new();
        for n in 2..=10 {
            sent.extend(tcp.ack(1, &[(nth(1), nth(n))]));
        }
        assert_eq!(tcp.ssthresh(), 5.0, "prr {prr}");
        let again = sent.iter().position(|&one| one == (1, nth(1)));
        let fresh = &sent[again.expect("it goes again") + 1..];
        assert!(fresh.len() >= 2, "{sent:?}");
        tcp.at(200);
        // What was sent behind the retransmission is reported, one by one.
        let from = fresh[0].0;
        let sent = tcp.ack(1, &[(from, from + 1000), (nth(1), nth(10))]);
        assert_eq!(sent.first(), Some(&(1, nth(1))), "prr {prr}");
        assert_eq!(tcp.ssthresh(), halved, "prr {prr}");
        tcp.ack(1, &[(from, from + 2000), (nth(1), nth(10))]);
        assert_eq!(
            (tcp.ssthresh(), tcp.sender.state()),
            (halved, State::Recovery)
        );
    }
}

/// Losses that the reordering timer finds in a recovery change nothing of a window that fell at
/// once: it stays at the threshold, however little is in flight.
#[test]
fn losses_found_by_time_leave_the_window_without_prr() {
    let mut tcp = Solo::new(
        "newreno",
        REFERENCE,
        &[TWENTY, &[("prr", "false")]].concat(),
    );
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    // The first comes late: from now on a quarter of the round trip is waited.
    tcp.ack(nth(0), &[(nth(1), nth(2))]);
    tcp.ack(nth(2), &[]);
    tcp.ack(nth(2), &[(nth(3), nth(10))]);
    assert_eq!(tcp.sender.state(), State::Open);
    assert_eq!(tcp.at(126)[0], (nth(2), nth(3)));
    assert_eq!(tcp.sender.state(), State::Recovery);
    let ssthresh = tcp.ssthresh();
    tcp.at(200);
    tcp.ack(nth(2), &[(nth(26), nth(29)), (nth(3), nth(24))]);
    assert_eq!(tcp.sender.next_timer(), Some(ms(225)));
    assert_eq!(tcp.at(226), segments(24, 26));
    assert_eq!(tcp.cwnd(), ssthresh);
}

/// RFC 6675, 5, step 1: of segments of 100 bytes three reports tell of a loss, though they are of
/// far less than two whole segments.
#[test]
fn three_reports_of_small_segments_begin_a_recovery() {
    let mut tcp = Solo::new("newreno", REFERENCE, SACK);
    for n in 0..10 {
        tcp.sender.write(100);
        assert_eq!(tcp.sends(), [(1 + 100 * n, 101 + 100 * n)]);
    }
    tcp.at(100);
    assert_eq!(tcp.ack(1, &[(101, 201)]), []);
    assert_eq!(tcp.ack(1, &[(101, 301)]), []);
    assert_eq!(tcp.sender.state(), State::Open);
    assert_eq!(tcp.ack(1, &[(101, 401)]), [(1, 101)]);
    assert_eq!(tcp.sender.state(), State::Recovery);
    assert_eq!(tcp.ack(1, &[(101, 501)]), []);
}

/// An acknowledgement that moves and reports is one of the three; one that only moves is none.
#[test]
fn a_report_that_acknowledges_too_counts() {
    for (reports, third) in [(true, State::Recovery), (false, State::Open)] {
        let mut tcp = Solo::new("newreno", REFERENCE, SACK);
        for _ in 0..10 {
            tcp.sender.write(100);
            tcp.sends();
        }
        tcp.at(100);
        tcp.ack(101, if reports { &[(201, 301)] } else { &[] });
        tcp.ack(101, &[(201, 401)]);
        assert_eq!(tcp.sender.state(), State::Open);
        tcp.ack(101, &[(201, 501)]);
        assert_eq!(tcp.sender.state(), third);
    }
}

/// Rule 3 of RFC 6675's NextSeg: in a recovery with nothing new to send, since nothing is written
/// or the receiver's window is full, what was overtaken goes again before it is held to be lost,
/// and is in flight twice until then. What nothing was reported above does not.
#[test]
fn without_rack_what_is_overtaken_goes_again_where_nothing_new_can() {
    for (written, window) in [(Some(12_000), "none"), (None, "12 packets")] {
        let more = [("initial_window", "12 packets"), ("window", window)];
        let mut tcp = Solo::new("newreno", REFERENCE, &[SACK, &more].concat());
        match written {
            Some(bytes) => tcp.sender.write(bytes),
            None => tcp.sender.write_endless(),
        }
        assert_eq!(tcp.sends(), segments(0, 12));
        tcp.at(100);
        for n in 2..=9 {
            // Segments 0 and 9 are lost; the window is six segments.
            let sent = if n == 4 { segments(0, 1) } else { vec![] };
            assert_eq!(tcp.ack(1, &[(nth(1), nth(n))]), sent, "{n}");
        }
        assert_eq!(tcp.sender.in_flight(), 4_000, "0 again, 9, 10 and 11");
        let reports = |to| [(nth(10), nth(to)), (nth(1), nth(9))];
        assert_eq!(tcp.ack(1, &reports(11)), segments(9, 10));
        assert_eq!(tcp.sender.in_flight(), 4_000, "0 again, 9 twice, and 11");
        assert_eq!(tcp.ack(1, &reports(12)), []);
        tcp.at(200);
        // What is acknowledged makes room for new data, if there is any: 9 is out twice.
        let fresh = if written.is_some() {
            vec![]
        } else {
            segments(12, 16)
        };
        assert_eq!(tcp.ack(nth(9), &reports(12)[..1]), fresh);
        tcp.ack(nth(12), &[]);
        assert_eq!(tcp.sender.state(), State::Open);
        assert_eq!(tcp.sender.counts().timeouts, 0);
    }
}

/// RFC 8985, 7.3: no probe goes before there is a sample since the last one, and none came of the
/// segment that a probe sent again (Karn). The timer of retransmission starts anew all the same,
/// when the probe would have gone: two round trips and the delay of an acknowledgement after 600
/// ms.
#[test]
fn a_probe_that_does_not_go_starts_the_timer_too() {
    let keys = [("segment", "1000 B"), ("timestamps", "false")];
    let mut tcp = Solo::new("newreno", REFERENCE, &keys);
    let write = |tcp: &mut Solo, n| {
        tcp.sender.write(1000);
        assert_eq!(tcp.sends(), segments(n, n + 1));
    };
    write(&mut tcp, 0);
    tcp.at(100);
    tcp.ack(nth(1), &[]);
    tcp.at(200);
    write(&mut tcp, 1);
    assert_eq!(tcp.at(440), segments(1, 2), "the probe");
    tcp.at(540);
    tcp.ack(nth(2), &[]);
    // A duplicate: both of them have arrived (RFC 8985, 7.4.2).
    tcp.ack(nth(2), &[]);
    tcp.at(600);
    write(&mut tcp, 2);
    assert_eq!(tcp.at(1839), []);
    assert_eq!(tcp.at(1840), segments(2, 3));
    assert_eq!(tcp.sender.counts().timeouts, 1);
}

/// Segments 1 and 2 of 20 are reported, which lets two more go; then 0 is acknowledged with them,
/// and four above 3 are reported. The recovery that begins can deliver the 19 that are out and the
/// one that comes with this acknowledgement (RFC 9937): of 5000 bytes half may go, for the
/// threshold is half of 20 segments. What was reported before and lies below is no part of it.
#[test]
fn a_recovery_counts_what_it_can_deliver_where_reports_are_acknowledged() {
    let more = [("initial_ssthresh", "20 packets"), ("rack", "false")];
    let mut tcp = Solo::new("newreno", REFERENCE, &[TWENTY, &more].concat());
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    assert_eq!(tcp.ack(nth(0), &[(nth(1), nth(3))]), segments(20, 22));
    assert_eq!(tcp.ack(nth(3), &[(nth(4), nth(8))])[0], (nth(3), nth(4)));
    assert_eq!(
        (tcp.sender.state(), tcp.ssthresh()),
        (State::Recovery, 10.0)
    );
    assert_eq!(tcp.sender.window(), 14_000 + 2_500);
}

/// Seven of 27 segments were reported when the reordering timer begins a recovery: it can deliver
/// 20. The threshold is half of a window of 20.05 segments, and one has been sent again: for 4000
/// bytes 2005 may go, less these 1000.
#[test]
fn a_recovery_by_time_counts_what_it_can_deliver() {
    let more = [("initial_ssthresh", "20 packets")];
    let mut tcp = Solo::new("newreno", REFERENCE, &[TWENTY, &more].concat());
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    // The first comes late: from now on a quarter of the round trip is waited.
    assert_eq!(tcp.ack(nth(0), &[(nth(1), nth(2))]), segments(20, 21));
    assert_eq!(tcp.ack(nth(2), &[]), segments(21, 22));
    assert_eq!(tcp.ack(nth(2), &[(nth(3), nth(10))]), segments(22, 29));
    assert_eq!(tcp.at(126), segments(2, 3));
    assert_eq!(tcp.ssthresh(), 10.025);
    tcp.at(200);
    tcp.ack(nth(2), &[(nth(3), nth(14))]);
    assert_eq!(tcp.sender.window(), 16_000 + 1_005);
}
