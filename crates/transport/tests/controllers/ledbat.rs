//! LEDBAT as RFC 6817 has it, and in ns-3's ways.

use sojourn_base::params::Texts;
use sojourn_base::{Preset, Span, Time};
use sojourn_transport::{CongestionControl, LossEvent, LossKind, Start, State, build};

use super::played::Played;
use super::{REFERENCE, RTT};
use crate::bench::{Bench, controller};

/// RFC 6817, 2.4.2: the window is at most one segment above what is in flight.
#[test]
fn ledbat_gives_up_what_it_does_not_use() {
    let mut played = Played::new("ledbat", REFERENCE, 76.0, 2.0);
    played.flight = Some(2_000);
    played.ack(RTT, false);
    assert_eq!(played.cwnd(), 3.0);
    // Not while losses are repaired.
    let mut played = Played::new("ledbat", REFERENCE, 76.0, 2.0);
    played.flight = Some(2_000);
    played.state = State::Recovery;
    played.ack(RTT, false);
    assert_eq!(played.cwnd(), 76.0);
}

/// What answers a SYN tells nothing of a window that nothing was sent by yet.
#[test]
fn ledbat_keeps_its_initial_window_through_a_handshake() {
    for (preset, window) in [(REFERENCE, 2.0), (Preset::Linux, 2.0), (Preset::Ns3, 10.0)] {
        for handshake in ["false", "true"] {
            let keys = [("handshake", handshake), ("initial_window", "10 packets")];
            let mut bench = Bench::new("ledbat", preset, RTT, &keys);
            bench.sender.write_endless();
            bench.run_until(Time::ZERO + Span::from_ms(99));
            assert_eq!(bench.cwnd_segments(), window, "{preset} {handshake}");
            bench.run_until(Time::ZERO + Span::from_ms(199));
            assert!(bench.cwnd_segments() >= window, "{preset} {handshake}");
        }
    }
}

/// RFC 6817, 2.5: INIT_CWND is 2. A smaller initial window is kept.
#[test]
fn ledbat_begins_with_two_segments() {
    for (preset, given, begins) in [
        (REFERENCE, 10, 2_000),
        (REFERENCE, 1, 1_000),
        (Preset::Linux, 10, 2_000),
        (Preset::Ns2, 10, 2_000),
        (Preset::Ns3, 10, 10_000),
    ] {
        let cc = controller("ledbat", preset, &Start::of(1000, given));
        assert_eq!(cc.cwnd(), begins, "{preset}");
    }
}

/// RFC 6817, 2.4.2: one segment after a timeout, at least two after the acknowledgement that comes
/// next, and from there a segment a round trip: 2 + 1/2, then 2.5 + 1/2.5. With slow start it is
/// one more for each acknowledgement.
#[test]
fn ledbat_without_slow_start_has_none_after_a_timeout() {
    for (preset, slow_start, cwnd) in [
        (REFERENCE, "false", 2.9),
        (REFERENCE, "true", 4.0),
        (Preset::Linux, "false", 2.9),
        (Preset::Ns3, "false", 4.0),
    ] {
        let mut played = Played::new("ledbat", preset, 20.0, 2.0);
        let keys = [("slow_start", slow_start)];
        played.cc = build("ledbat", &Texts(&keys), preset, &Start::of(1000, 10)).unwrap();
        played.cc.set_window(20.0, 2.0);
        played.lose(LossKind::Timeout);
        assert_eq!(played.cwnd(), 1.0);
        played.state = State::Loss;
        played.ack(RTT, false);
        assert_eq!(played.cwnd(), 2.0);
        played.round(RTT, false);
        assert_eq!(played.cwnd(), cwnd, "{preset} {slow_start}");
    }
}

/// RFC 6817, 2.4.2: half the window, whatever part of it is in flight, at least two segments, and
/// no more than there was. In ns-3 it is half the flight.
#[test]
fn ledbat_halves_its_window() {
    for (preset, before, flight, after) in [
        (REFERENCE, 20.0, 8_000, 10.0),
        (REFERENCE, 3.0, 3_000, 2.0),
        (REFERENCE, 1.0, 1_000, 1.0),
        (Preset::Linux, 20.0, 8_000, 10.0),
        (Preset::Ns3, 20.0, 8_000, 4.0),
    ] {
        for kind in [LossKind::FastRetransmit, LossKind::Ecn] {
            let mut played = Played::new("ledbat", preset, before, 2.0);
            played.cc.on_loss_event(&LossEvent {
                now: Time::ZERO,
                kind,
                in_flight: flight,
                snd_nxt: flight + 1,
                again: false,
            });
            assert_eq!(played.cwnd(), after, "{preset} {before}");
            let goal = played.cc.ssthresh() as f64 / 1000.0;
            assert_eq!(goal, after, "{preset} {before}");
        }
    }
}

/// RFC 6817, 2.4.2: the least of the last ten minutes counts, those without samples too. A delay of
/// 50 ms in the first and one of 60 ms in the sixth are then outlived one by one.
#[test]
fn ledbat_counts_minutes_without_samples() {
    let queueing = |preset, seen: &[(u64, u64)]| {
        let mut played = Played::new("ledbat", preset, 20.0, 2.0);
        for &(s, one_way_ms) in seen {
            played.now = Time::ZERO + Span::from_whole_s(s);
            // As many as the filter keeps.
            for _ in 0..4 {
                played.ack(Span::from_ms(2 * one_way_ms), false);
            }
        }
        played.probe("queueing_delay_s")
    };
    for (preset, seen, expected) in [
        (REFERENCE, &[(0, 50), (599, 70)][..], 0.02),
        (REFERENCE, &[(0, 50), (600, 70)], 0.0),
        (REFERENCE, &[(0, 50), (300, 60), (600, 70)], 0.01),
        (REFERENCE, &[(0, 50), (300, 60), (900, 70)], 0.0),
        (Preset::Ns3, &[(0, 50), (600, 70)], 0.02),
    ] {
        let found = queueing(preset, seen);
        assert!((found - expected).abs() < 1e-9, "{preset} {seen:?} {found}");
    }
}

/// `TcpLedbat::CongestionAvoidance` holds the window to what is outstanding, without RFC 6817's
/// segment above it.
#[test]
fn ledbat_of_ns3_does_not_grow_beyond_slow_start() {
    for (preset, grows) in [(REFERENCE, true), (Preset::Ns3, false)] {
        let mut played = Played::new("ledbat", preset, 20.0, 2.0);
        for _ in 0..3 {
            played.round(RTT, false);
        }
        assert_eq!(played.cwnd() > 20.0, grows, "{preset}: {}", played.cwnd());
    }
}
