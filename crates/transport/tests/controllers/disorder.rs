//! What controllers of Linux do where segments come out of order, as its sources have it (6.1).

use sojourn_base::{Preset, Span};
use sojourn_transport::CongestionControl;

use super::played::Played;
use super::{REFERENCE, RTT};

/// Where segments come out of order Linux lets Vegas, Veno and Hybla grow as Reno does, a segment a
/// round trip, whatever waits or however long the path is.
#[test]
fn what_comes_out_of_order_makes_reno_of_them() {
    let long = Span::from_ms(300);
    for name in ["vegas", "veno", "hybla"] {
        let grown = [false, true].map(|is_disordered| {
            let mut played = Played::new(name, Preset::Linux, 40.0, 2.0);
            played.round(RTT, false);
            played.cc.set_window(40.0, 2.0);
            played.is_disordered = is_disordered;
            for _ in 0..4 {
                played.round(long, false);
            }
            (played.cwnd() - 40.0).round()
        });
        assert_eq!(grown[1], 4.0, "{name}");
        assert!((grown[0] - 4.0).abs() >= 2.0, "{name}: {grown:?}");
    }
}

/// With the first acknowledgement that leaves all in order, Linux's Veno has no round trip to go
/// by, and takes all of the window for what waits.
#[test]
fn order_regained_leaves_veno_without_a_round_trip() {
    let mut veno = Played::new("veno", Preset::Linux, 40.0, 2.0);
    veno.round(RTT, false);
    assert_eq!(veno.probe("backlog"), 0.0);
    veno.is_disordered = true;
    veno.ack(RTT, false);
    assert_eq!(veno.probe("backlog"), 0.0);
    veno.is_disordered = false;
    veno.ack(RTT, false);
    assert!(veno.probe("backlog") >= 40.0, "{}", veno.probe("backlog"));
    veno.ack(RTT, false);
    assert_eq!(veno.probe("backlog"), 0.0);
}

/// What was measured while losses were repaired is forgotten by Linux's YeAH when that ends, though
/// something is out of order still.
#[test]
fn the_end_of_a_recovery_begins_a_round_trip_for_yeah() {
    let long = Span::from_ms(300);
    for (preset, queue) in [(Preset::Linux, 0.0), (REFERENCE, 26.0)] {
        let mut played = Played::new("yeah", preset, 40.0, 2.0);
        // The last of these ends a round trip.
        played.round(RTT, false);
        played.fill(60, RTT);
        played.cc.set_window(40.0, 2.0);
        for _ in 0..5 {
            played.report(long);
        }
        played.is_disordered = true;
        played.fill(60, long);
        let found = played.probe("queue");
        assert!((found - queue).abs() <= 1.0, "{preset}: {found}");
    }
}
