//! The ends of slow start.

use sojourn_base::params::Texts;
use sojourn_base::{Preset, Rate, Span, Time};
use sojourn_transport::{CongestionControl, LossKind, Start, State, build};

use super::played::Played;
use super::{REFERENCE, RTT};
use crate::bench::{Bench, Link};

#[test]
fn hystart_leaves_slow_start_before_the_queue_overflows() {
    let rate = Rate::from_bps(80_000_000);
    let half = Span::from_ms(50);
    let link = Link::new(rate, half, 1000);
    let keys = [("segment", "1000 B"), ("header", "0 B"), ("window", "none")];
    let mut bench = Bench::over("cubic", Preset::Linux, vec![link], half, &keys);
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_ms(2000));
    assert_eq!(bench.refused.len(), 0);
    assert!((900..1300).contains(&(bench.sender.ssthresh() / 1000)));
}

#[test]
fn hystart_plus_plus_grows_by_a_quarter_before_it_leaves() {
    let mut played = Played::new("cubic", REFERENCE, 16.0, f64::INFINITY);
    played.round(RTT, false);
    played.round(RTT, false);
    assert_eq!(played.cwnd(), 64.0);
    // RFC 9406, 4.2: an eighth more, found with the eighth sample of the round.
    let slow = Span::from_ms(113);
    played.round(slow, false);
    let entered = played.cwnd();
    assert!(
        (entered - (64.0 + 7.0 + 57.0 / 4.0)).abs() < 2.0,
        "{entered}"
    );
    // Below the baseline it goes on in full.
    let mut again = Played::new("cubic", REFERENCE, 16.0, f64::INFINITY);
    for rtt in [RTT, RTT, slow, RTT] {
        again.round(rtt, false);
    }
    assert!(again.cwnd() > 1.8 * entered, "{}", again.cwnd());
    // Five rounds, then congestion avoidance.
    for _ in 0..5 {
        assert_eq!(played.cc.ssthresh(), u64::MAX);
        played.round(slow, false);
    }
    assert!(played.cc.ssthresh() < u64::MAX);
    let left = played.cwnd();
    assert!(
        (left / entered / libm::pow(1.25, 4.5) - 1.0).abs() < 0.15,
        "{left}"
    );
}

/// RFC 9406, 4.3: an acknowledgement counts for at most 8 segments, but for all where the sender
/// paces, while HyStart++ is at work: in the first slow start.
#[test]
fn hystart_plus_plus_has_no_bound_where_it_paces() {
    for (is_paced, first, second) in [(false, 108.0, 108.0), (true, 120.0, 108.0)] {
        let mut played = Played::new("cubic", REFERENCE, 100.0, f64::INFINITY);
        (played.is_paced, played.segments) = (is_paced, 20);
        played.ack(RTT, false);
        assert_eq!(played.cwnd(), first, "paced: {is_paced}");
        played.lose(LossKind::Timeout);
        played.cc.set_window(100.0, f64::INFINITY);
        played.ack(RTT, false);
        assert_eq!(played.cwnd(), second, "paced: {is_paced}");
    }
}

/// Linux looks for the end while losses are repaired too, where PRR's window is below the
/// threshold: after eight samples of a round, if the RTT is more than an eighth of 100 ms longer.
#[test]
fn hystart_of_linux_ends_slow_start_during_recovery() {
    let after = |preset: Preset, rtt: Span| {
        let mut played = Played::new("cubic", preset, 20.0, f64::INFINITY);
        played.round(RTT, false);
        assert_eq!(played.cwnd(), 40.0, "{preset}");
        played.begin_loss(LossKind::FastRetransmit, false);
        assert_eq!(played.cc.ssthresh(), 28_000, "{preset}");
        (played.state, played.window) = (State::Recovery, Some(20_000));
        // Nothing grows meanwhile.
        played.flight = Some(20_000);
        for _ in 0..10 {
            played.ack(rtt, false);
        }
        played.cc.ssthresh()
    };
    assert_eq!(after(Preset::Linux, Span::from_ms(113)), 20_000);
    assert_eq!(after(Preset::Linux, Span::from_ms(112)), 28_000);
    assert_eq!(after(Preset::Ns3, Span::from_ms(250)), 28_000);
}

/// HyStart++ is the RFC's under every preset.
#[test]
fn hystart_plus_plus_slows_down_under_linux_too() {
    let keys = [("slow_start", "hystart++")];
    for preset in [REFERENCE, Preset::Linux] {
        let mut played = Played::new("cubic", preset, 16.0, f64::INFINITY);
        played.cc = build("cubic", &Texts(&keys), preset, &Start::of(1000, 10)).unwrap();
        played.cc.set_window(16.0, f64::INFINITY);
        for rtt_ms in [100, 100, 113] {
            played.round(Span::from_ms(rtt_ms), false);
        }
        let cwnd = played.cwnd();
        assert!(
            (cwnd - (64.0 + 7.0 + 57.0 / 4.0)).abs() < 2.0,
            "{preset}: {cwnd}"
        );
    }
}
