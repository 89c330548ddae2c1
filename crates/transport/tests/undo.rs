//! Losses as Linux treats them: timeouts and recoveries that prove spurious, and what else its
//! timeouts do. Worked out by hand from RFC 5682, 3522, 3708 and 4015, and from what Linux 6.1
//! does.

use sojourn_base::{Preset, Span};
use sojourn_transport::{Ack, State};

use crate::bench::{Solo, ms, nth, segments};

const LINUX: Preset = Preset::Linux;

/// Timers expire when they are due, not with the ticks of a clock.
const EXACT: (&str, &str) = ("granularity", "0 s");

/// Segments of 1000 bytes, of which ten have gone out; the first was acknowledged after 100 ms,
/// which let two more go. The timeout is 100 ms and four times 50.
fn after_one(keys: &[(&'static str, &'static str)]) -> Solo {
    let usual = [("segment", "1000 B"), ("rack", "false"), EXACT];
    let mut tcp = Solo::new("reno", LINUX, &[&usual, keys].concat());
    tcp.sender.write_endless();
    assert_eq!(tcp.sends(), segments(0, 10));
    tcp.now = ms(100);
    assert_eq!(echoing(&mut tcp, nth(1), 0), segments(10, 12));
    tcp
}

/// An acknowledgement that echoes a stamp, and what goes out for it.
fn echoing(tcp: &mut Solo, ack: u64, stamp_ms: u64) -> Vec<(u64, u64)> {
    let ack = Ack {
        echo: Some(ms(stamp_ms)),
        ..Ack::plain(ack)
    };
    tcp.sender.on_ack(tcp.now, &ack);
    tcp.sends()
}

/// The path holds all back for half a second. The acknowledgement of what was sent again may answer
/// either sending: new data goes. The next one covers what was sent once.
#[test]
fn f_rto_takes_a_spurious_timeout_back() {
    let mut tcp = after_one(&[("undo", "false")]);
    assert_eq!(tcp.at(400), segments(1, 2));
    assert_eq!((tcp.cwnd(), tcp.ssthresh()), (1.0, 5.0));
    tcp.now = ms(500);
    assert_eq!(echoing(&mut tcp, nth(2), 0), segments(12, 14));
    tcp.now = ms(510);
    assert_eq!(echoing(&mut tcp, nth(3), 0), segments(14, 15));
    assert_eq!(tcp.sender.state(), State::Open);
    assert_eq!((tcp.cwnd(), tcp.ssthresh() > 1e6), (12.0, true));
    assert_eq!(tcp.sender.counts().retransmits, 1);
}

/// New data is reported, and nothing of what was sent before: that is lost, and goes.
#[test]
fn f_rto_goes_on_where_losses_are_real() {
    let mut tcp = after_one(&[]);
    assert_eq!(tcp.at(400), segments(1, 2));
    tcp.now = ms(500);
    assert_eq!(echoing(&mut tcp, nth(2), 400), segments(12, 14));
    tcp.now = ms(600);
    assert_eq!(tcp.ack(nth(2), &[(nth(12), nth(13))]), segments(2, 3));
    assert_eq!(
        tcp.ack(nth(2), &[(nth(12), nth(14))]),
        segments(3, 4),
        "one for each that arrives"
    );
    tcp.now = ms(700);
    // What is acknowledged was sent again.
    assert_eq!(echoing(&mut tcp, nth(3), 600), segments(4, 6));
    assert_eq!(tcp.sender.state(), State::Loss);
}

/// Without F-RTO what is held to be lost goes at once.
#[test]
fn without_f_rto_what_is_lost_goes_first() {
    let mut tcp = after_one(&[("frto", "false")]);
    assert_eq!(tcp.at(400), segments(1, 2));
    tcp.now = ms(500);
    assert_eq!(echoing(&mut tcp, nth(2), 400), segments(2, 4));
}

/// There is no new data: then what is lost goes.
#[test]
fn f_rto_without_new_data_sends_what_is_lost() {
    let usual = [("segment", "1000 B"), ("rack", "false"), EXACT];
    let mut tcp = Solo::new("reno", LINUX, &usual);
    tcp.sender.write(5_000);
    assert_eq!(tcp.sends(), segments(0, 5));
    tcp.now = ms(100);
    assert_eq!(echoing(&mut tcp, nth(1), 0), []);
    assert_eq!(tcp.at(400), segments(1, 2));
    tcp.now = ms(500);
    assert_eq!(echoing(&mut tcp, nth(2), 400), segments(2, 4));
}

/// The stamp that comes back is older than the segment that was sent again at 400 ms: at once all
/// is as it was. A stamp of the same millisecond tells nothing.
#[test]
fn a_stamp_from_before_the_timeout_takes_it_back() {
    for (stamp_ms, is_undone) in [(399, true), (400, false)] {
        let mut tcp = after_one(&[("frto", "false")]);
        assert_eq!(tcp.at(400), segments(1, 2));
        tcp.now = ms(500);
        let sent = echoing(&mut tcp, nth(2), stamp_ms);
        if is_undone {
            // What was sent again may still be on its way, but it has been acknowledged: ten are
            // out, twelve may be.
            assert_eq!(sent, segments(12, 14));
            assert_eq!((tcp.sender.state(), tcp.cwnd()), (State::Open, 12.0));
        } else {
            assert_eq!(sent, segments(2, 4));
            assert_eq!((tcp.sender.state(), tcp.cwnd()), (State::Loss, 2.0));
        }
    }
    let mut tcp = after_one(&[("frto", "false"), ("undo", "false")]);
    assert_eq!(tcp.at(400), segments(1, 2));
    tcp.now = ms(500);
    assert_eq!(echoing(&mut tcp, nth(2), 0), segments(2, 4));
}

/// Three segments overtake the first. It is sent again, and the receiver tells that it came twice:
/// the window is what it was.
#[test]
fn a_report_of_the_duplicate_takes_a_recovery_back() {
    for undo in ["true", "false"] {
        let keys = [
            ("segment", "1000 B"),
            ("undo", undo),
            ("initial_ssthresh", "8 packets"),
        ];
        let mut tcp = Solo::new("reno", LINUX, &keys);
        tcp.sender.write_endless();
        assert_eq!(tcp.sends(), segments(0, 10));
        tcp.now = ms(100);
        for end in [2, 3, 4] {
            tcp.ack(nth(0), &[(nth(1), nth(end))]);
        }
        assert_eq!(tcp.sender.counts().retransmits, 1);
        assert_eq!((tcp.sender.state(), tcp.ssthresh()), (State::Recovery, 5.0));
        tcp.now = ms(110);
        let end = tcp.sender.snd_nxt();
        echoing(&mut tcp, end, 100);
        assert_eq!(tcp.sender.state(), State::Open);
        assert!(tcp.cwnd() < 8.0);
        tcp.now = ms(200);
        tcp.ack(end, &[(nth(0), nth(1))]);
        let is_undone = undo == "true";
        assert_eq!(tcp.ssthresh(), if is_undone { 8.0 } else { 5.0 });
        assert_eq!(tcp.cwnd() >= 10.0, is_undone, "{}", tcp.cwnd());
    }
}

/// Segments of 1000 bytes, `window` of which have gone out; after 100 ms all behind the first
/// `missing` are reported one by one, up to `end`.
fn overtaken(window: &'static str, missing: u64, end: u64) -> Solo {
    let keys = [("segment", "1000 B"), ("initial_window", window)];
    let mut tcp = Solo::new("reno", LINUX, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.now = ms(100);
    for end in missing + 1..=end {
        tcp.ack(nth(0), &[(nth(missing), nth(end))]);
    }
    assert_eq!(tcp.sender.state(), State::Recovery);
    tcp
}

/// Three segments overtake two, of which one is sent again; then that one comes, late. The other is
/// never taken for lost again, though it is out for longer than the round trip and a quarter.
#[test]
fn what_was_taken_for_lost_in_error_is_not_again() {
    let mut tcp = overtaken("10 packets", 2, 5);
    assert_eq!(tcp.sender.counts().retransmits, 1);
    tcp.now = ms(105);
    echoing(&mut tcp, nth(1), 0);
    assert_eq!(tcp.sender.state(), State::Open);
    tcp.now = ms(140);
    tcp.ack(nth(1), &[(nth(2), nth(6))]);
    assert_eq!(tcp.sender.counts().retransmits, 1);
    assert_eq!(tcp.sender.state(), State::Open);
}

/// Seven segments overtake four, of which two are sent again. If it is the first of them that comes
/// then, late, the others may be late too, and none goes again until more is known; if it is what
/// was sent again, the next goes.
#[test]
fn where_one_was_late_no_other_goes_again() {
    for (stamp_ms, resent) in [(0, 2), (100, 3)] {
        let mut tcp = overtaken("20 packets", 4, 11);
        assert_eq!(tcp.sender.counts().retransmits, 2);
        tcp.now = ms(105);
        echoing(&mut tcp, nth(1), stamp_ms);
        assert_eq!(
            tcp.sender.counts().retransmits,
            resent,
            "stamp {stamp_ms} ms"
        );
        assert_eq!(tcp.sender.state(), State::Recovery);
        tcp.ack(nth(1), &[(nth(4), nth(14))]);
        assert_eq!(tcp.sender.counts().retransmits, resent + 1);
    }
}

/// Two segments go again in one recovery, of which the second outlasts it, and so another begins,
/// which sends nothing again. What acknowledges that segment answers what was sent again: nothing
/// is undone.
#[test]
fn a_recovery_that_sends_nothing_again_stands() {
    let mut tcp = Solo::new("reno", LINUX, &[("segment", "1000 B")]);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.now = ms(100);
    for end in 2..=10 {
        tcp.ack(nth(0), &[(nth(1), nth(end))]);
    }
    assert_eq!((tcp.sender.state(), tcp.ssthresh()), (State::Recovery, 5.0));
    assert!(tcp.sender.snd_nxt() >= nth(14));
    // The recovery ends with segment 12. That is lost, and goes again.
    tcp.now = ms(200);
    tcp.ack(nth(0), &[(nth(1), nth(12))]);
    let sent = tcp.ack(nth(0), &[(nth(13), nth(14)), (nth(1), nth(12))]);
    assert!(sent.contains(&(nth(12), nth(13))), "{sent:?}");
    tcp.now = ms(210);
    echoing(&mut tcp, nth(12), 100);
    assert_eq!((tcp.sender.state(), tcp.ssthresh()), (State::Recovery, 2.0));
    tcp.now = ms(300);
    let end = tcp.sender.snd_nxt();
    echoing(&mut tcp, end, 200);
    assert_eq!((tcp.sender.state(), tcp.ssthresh()), (State::Open, 2.0));
}

/// A segment is acknowledged after 100 ms; the next is lost, and so is the probe that it is sent as
/// after 300 ms more. Two more are written 50 ms before the timer expires.
fn late_writer(preset: Preset) -> Solo {
    let keys = [
        ("segment", "1000 B"),
        ("min_rto", "200 ms"),
        ("delayed_ack_timeout", "200 ms"),
        ("frto", "false"),
        ("undo", "false"),
        EXACT,
    ];
    let mut tcp = Solo::new("reno", preset, &keys);
    tcp.sender.write(1_000);
    assert_eq!(tcp.sends(), segments(0, 1));
    tcp.now = ms(100);
    echoing(&mut tcp, nth(1), 0);
    tcp.sender.write(1_000);
    assert_eq!(tcp.sends(), segments(1, 2));
    assert_eq!(tcp.at(400), segments(1, 2), "the probe");
    assert_eq!(tcp.at(650), []);
    tcp.sender.write(2_000);
    assert_eq!(tcp.sends(), segments(2, 4));
    assert_eq!(tcp.at(700), segments(1, 2), "the timeout");
    tcp
}

/// What was sent within the last round trip is not lost, and the window counts it.
#[test]
fn a_timeout_leaves_what_is_in_flight_in_the_window() {
    assert_eq!(late_writer(LINUX).cwnd(), 3.0);
    assert_eq!(late_writer(Preset::Reference).cwnd(), 1.0);
}

/// A segment sent behind it arrives, and the one that the timer sent again does not: that is
/// another loss, and halves again.
#[test]
fn what_is_lost_again_after_a_timeout_begins_a_recovery() {
    let mut tcp = late_writer(LINUX);
    tcp.sender.write(1_000);
    tcp.now = ms(750);
    assert_eq!(tcp.ack(nth(1), &[(nth(2), nth(4))]), segments(4, 5));
    assert_eq!(tcp.sender.state(), State::Loss);
    tcp.now = ms(850);
    assert_eq!(tcp.ack(nth(1), &[(nth(2), nth(5))]), segments(1, 2));
    assert_eq!(tcp.sender.state(), State::Recovery);
}

/// The same by RFC 5681, 4.3. Two go again after the first was repaired, and only the second of
/// them arrives.
#[test]
fn what_is_lost_again_after_a_timeout_is_a_congestion_of_its_own() {
    let keys = [("segment", "1000 B"), ("timestamps", "false")];
    let mut tcp = Solo::new("newreno", Preset::Reference, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    assert_eq!(tcp.ack(nth(10), &[]), segments(10, 21));
    assert_eq!(tcp.at(1350), [segments(21, 22), segments(10, 11)].concat());
    assert_eq!((tcp.sender.state(), tcp.ssthresh()), (State::Loss, 5.5));
    tcp.at(1450);
    assert_eq!(tcp.ack(nth(11), &[]), segments(11, 13));
    tcp.at(1550);
    assert_eq!(
        tcp.ack(nth(11), &[(nth(12), nth(13))])[..1],
        segments(11, 12)
    );
    assert_eq!((tcp.sender.state(), tcp.ssthresh()), (State::Recovery, 2.0));
}

/// A report is as good a sample of the round trip: 150 ms after 100 move the mean by an eighth
/// of 50.
#[test]
fn a_report_gives_a_sample() {
    for (preset, srtt_us) in [(LINUX, 106_250), (Preset::Reference, 100_000)] {
        let keys = [("segment", "1000 B")];
        let mut tcp = Solo::new("reno", preset, &keys);
        tcp.sender.write_endless();
        tcp.sends();
        tcp.now = ms(100);
        echoing(&mut tcp, nth(1), 0);
        tcp.now = ms(150);
        tcp.ack(nth(1), &[(nth(2), nth(3))]);
        let (srtt, _) = tcp.sender.srtt().expect("there was a sample");
        assert_eq!(srtt, Span::from_us(srtt_us), "{preset}");
    }
}

/// The window of an echo of marks is over with an acknowledgement of what was sent after it.
#[test]
fn marks_are_answered_until_more_is_acknowledged() {
    let keys = [("segment", "1000 B"), ("ecn", "true")];
    let mut tcp = Solo::new("reno", LINUX, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.now = ms(100);
    tcp.ece(nth(1));
    assert_eq!(tcp.sender.state(), State::Cwr);
    let end = nth(10);
    tcp.now = ms(110);
    tcp.ack(end, &[]);
    assert_eq!(tcp.sender.state(), State::Cwr);
    tcp.now = ms(200);
    tcp.ack(end + 1_000, &[]);
    assert_eq!(tcp.sender.state(), State::Open);
}
