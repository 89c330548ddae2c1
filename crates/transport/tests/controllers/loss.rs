//! Controllers that grow until a loss: growth, reduction, and the rate that a loss rate gives.

use sojourn_base::{Preset, Span};
use sojourn_transport::{CongestionControl, LossKind};

use super::played::Played;
use super::{REFERENCE, RTT};

#[test]
fn cubic_follows_its_closed_form_after_a_loss() {
    let mut played = Played::new("cubic", REFERENCE, 100.0, 50.0);
    played.lose(LossKind::FastRetransmit);
    assert!((played.cwnd() - 70.0).abs() < 1e-9);
    played.ack(RTT, false);
    let start = played.now;
    // K = cbrt(30 / 0.4) = 4.217 s.
    assert!(
        (played.probe("k") - 4.217).abs() < 0.001,
        "{}",
        played.probe("k")
    );
    assert_eq!(played.probe("w_max"), 100.0);
    let long = Span::from_ms(300);
    while played.now.since(start) < Span::from_whole_s(8) {
        let segments = (played.cwnd()) as u64;
        for _ in 0..segments {
            played.now += Span::from_ps(long.as_ps() / segments);
            played.ack(long, false);
        }
        let t = played.now.since(start).as_s();
        let d = t - 4.217;
        let curve = 0.4 * d * d * d + 100.0;
        assert!(
            (played.cwnd() / curve - 1.0).abs() < 0.02,
            "{t}: {} {curve}",
            played.cwnd()
        );
    }
}

#[test]
fn cubic_is_reno_friendly_and_converges_fast() {
    // At 10 ms W_est = 70 + 0.529 t / R is above the cubic until it meets it.
    let mut played = Played::new("cubic", REFERENCE, 100.0, 50.0);
    played.lose(LossKind::FastRetransmit);
    let short = Span::from_ms(10);
    for _ in 0..100 {
        played.round(short, false);
    }
    // A segment a round trip from 100 on.
    let expected = 100.0 + (100.0 - 30.0 / (3.0 * 0.3 / 1.7));
    assert!(
        (played.cwnd() - expected).abs() < 3.0,
        "{} {expected}",
        played.cwnd()
    );
    // A loss below the last maximum: W_max = 0.85 cwnd.
    let mut played = Played::new("cubic", REFERENCE, 100.0, 50.0);
    played.lose(LossKind::FastRetransmit);
    played.ack(RTT, false);
    let cwnd = played.cwnd();
    played.lose(LossKind::FastRetransmit);
    assert!((played.probe("w_max") - 0.85 * cwnd).abs() < 0.01);
}

#[test]
fn highspeed_follows_its_response_function() {
    // RFC 3649, appendix B: b and a at some windows (a by the formulas).
    for (w, a, b) in [
        (38.0, 1.0, 0.50),
        (118.0, 2.0, 0.44),
        (1058.0, 8.0, 0.33),
        (83_000.0, 70.7, 0.10),
    ] {
        let played = Played::new("highspeed", REFERENCE, w, 2.0);
        let (found_a, found_b) = (played.probe("a"), played.probe("b"));
        assert!((found_a - a).abs() < 0.35, "{w}: a {found_a}");
        assert!((found_b - b).abs() < 0.006, "{w}: b {found_b}");
    }
    let mut played = Played::new("highspeed", REFERENCE, 1058.0, 2.0);
    played.lose(LossKind::FastRetransmit);
    assert!((played.cwnd() / 1058.0 - 0.67).abs() < 0.01);
}

#[test]
fn scalable_recovers_in_thirteen_round_trips_whatever_the_window() {
    for window in [200.0, 1000.0] {
        let mut played = Played::new("scalable", REFERENCE, window, 2.0);
        played.lose(LossKind::FastRetransmit);
        let mut rounds = 0;
        while played.cwnd() < window {
            played.round(RTT, false);
            rounds += 1;
        }
        assert!((13..=14).contains(&rounds), "{window}: {rounds}");
    }
}

#[test]
fn bic_searches_by_halves() {
    let mut played = Played::new("bic", REFERENCE, 125.0, 2.0);
    played.lose(LossKind::FastRetransmit);
    played.cc.set_window(100.0, 2.0);
    // W_max 125: a quarter of the distance each time, which shrinks within the round.
    for _ in 0..6 {
        let before = played.cwnd();
        played.round(RTT, false);
        let part = (played.cwnd() - before) / (125.0 - before);
        assert!((0.2..0.25).contains(&part), "{part}");
    }
}

#[test]
fn htcp_grows_by_time() {
    let mut played = Played::new("htcp", REFERENCE, 100.0, 2.0);
    played.lose(LossKind::FastRetransmit);
    // One segment a round trip for a second, then 11.25 at 2 s, 22 at 3 s.
    for _ in 0..10 {
        played.round(RTT, false);
    }
    assert!((played.cwnd() - 60.0).abs() < 1.5, "{}", played.cwnd());
    for _ in 0..9 {
        played.round(RTT, false);
    }
    let before = played.cwnd();
    played.round(RTT, false);
    let gain = played.cwnd() - before;
    assert!((gain - 10.7).abs() < 1.0, "{gain}");
}

/// Where losses find throughput unchanged and no queue, beta is 0.8, and a round trip adds 2 (1 -
/// 0.8) segments.
#[test]
fn htcp_grows_by_less_than_a_segment_where_it_leaves_most() {
    for preset in [REFERENCE, Preset::Linux] {
        let mut played = Played::new("htcp", preset, 100.0, 2.0);
        for _ in 0..20 {
            played.cc.set_window(100.0, 2.0);
            for _ in 0..4 {
                played.round(RTT, false);
            }
            played.cc.set_window(125.0, 2.0);
            played.lose(LossKind::FastRetransmit);
        }
        assert!(
            (played.cwnd() - 100.0).abs() < 1.0,
            "{preset}: {}",
            played.cwnd()
        );
        for _ in 0..5 {
            played.round(RTT, false);
        }
        let found = (played.cwnd() - 100.0) / 5.0;
        // Windows are whole in Linux.
        assert!((found - 0.4).abs() < 0.25, "{preset}: {found}");
    }
}

#[test]
fn hybla_grows_as_a_path_of_rtt0() {
    let mut played = Played::new("hybla", REFERENCE, 100.0, 2.0);
    played.round(RTT, false);
    // rho 4: 16 segments a round trip.
    assert!((played.cwnd() - 115.0).abs() < 1.5, "{}", played.cwnd());
}
