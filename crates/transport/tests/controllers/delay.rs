//! Controllers that read the delay.

use sojourn_base::{Preset, Rate, Span, Time};
use sojourn_transport::{LossKind, State};

use super::played::Played;
use super::{REFERENCE, RTT};
use crate::bench::{Bench, Link};

#[test]
fn illinois_reads_the_delay() {
    // Base 100 ms, longest 200 ms: at the longest alpha is 0.3 and beta 1/2.
    let mut played = Played::new("illinois", REFERENCE, 100.0, 2.0);
    played.round(RTT, false);
    for _ in 0..3 {
        played.round(Span::from_ms(200), false);
    }
    assert!(
        (played.probe("alpha") - 0.3).abs() < 0.01,
        "{}",
        played.probe("alpha")
    );
    assert_eq!(played.probe("beta"), 0.5);
    for _ in 0..3 {
        played.round(Span::from_ms(145), false);
    }
    assert!(
        (played.probe("beta") - 0.3125).abs() < 0.01,
        "{}",
        played.probe("beta")
    );
}

#[test]
fn vegas_keeps_two_to_four_segments_in_the_queue() {
    for preset in Preset::ALL {
        // 1.2 Mbit/s and 100 ms: 15 segments of 1000 bytes fill the path.
        let rate = Rate::from_bps(1_200_000);
        let half = Span::from_ms(50);
        let link = Link::new(rate, half, 1000);
        let keys = [
            ("segment", "1000 B"),
            ("header", "0 B"),
            ("window", "none"),
            ("delayed_ack", "1"),
            ("timestamps", "true"),
            // Of a SYN, which takes no time on the link, ns-2's would have a base RTT that no
            // segment meets.
            ("handshake", "false"),
        ];
        let mut bench = Bench::over("vegas", preset, vec![link], half, &keys);
        bench.sender.write_endless();
        bench.run_until(Time::ZERO + Span::from_whole_s(60));
        let queued = bench.cwnd_segments() - 15.0;
        let (least, most) = if preset == Preset::Ns2 {
            (0.5, 4.5)
        } else {
            (1.5, 6.0)
        };
        assert!((least..most).contains(&queued), "{preset}: {queued}");
    }
}

#[test]
fn westwood_empties_the_queue_and_no_more() {
    let rate = Rate::from_bps(8_000_000);
    let half = Span::from_ms(25);
    let link = Link::new(rate, half, 100);
    let keys = [
        ("segment", "1000 B"),
        ("header", "0 B"),
        ("delayed_ack", "1"),
    ];
    let mut bench = Bench::over("westwood", REFERENCE, vec![link], half, &keys);
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_whole_s(60));
    // 8 Mbit/s x 51 ms = 51 segments, though the window reached 150.
    let ssthresh = bench.sender.ssthresh() as f64 / 1000.0;
    assert!((45.0..56.0).contains(&ssthresh), "{ssthresh}");
}

#[test]
fn veno_takes_a_loss_without_a_queue_for_random() {
    let mut played = Played::new("veno", REFERENCE, 20.0, 2.0);
    for _ in 0..5 {
        played.round(RTT, false);
    }
    let cwnd = played.cwnd();
    played.lose(LossKind::FastRetransmit);
    assert!((played.cwnd() / cwnd - 0.8).abs() < 0.01);
    let mut played = Played::new("veno", REFERENCE, 20.0, 2.0);
    played.round(RTT, false);
    played.round(Span::from_ms(150), false);
    let cwnd = played.cwnd();
    played.lose(LossKind::FastRetransmit);
    assert!((played.cwnd() / cwnd - 0.5).abs() < 0.01);
}

#[test]
fn ledbat_settles_at_its_target() {
    let rate = Rate::from_bps(8_000_000);
    let half = Span::from_ms(20);
    let link = Link::new(rate, half, 1000);
    let keys = [
        ("segment", "1000 B"),
        ("header", "0 B"),
        ("delayed_ack", "1"),
    ];
    let mut bench = Bench::over("ledbat", REFERENCE, vec![link], half, &keys);
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_whole_s(60));
    let delay = bench.sender.latest_rtt().as_s() - 0.041;
    assert!((0.09..0.11).contains(&delay), "{delay}");
}

#[test]
fn yeah_keeps_its_queue_short() {
    let rate = Rate::from_bps(40_000_000);
    let half = Span::from_ms(50);
    let link = Link::new(rate, half, 5000);
    let keys = [
        ("segment", "1000 B"),
        ("header", "0 B"),
        ("delayed_ack", "1"),
        ("initial_ssthresh", "300 packets"),
    ];
    let mut bench = Bench::over("yeah", REFERENCE, vec![link], half, &keys);
    bench.log = false;
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_whole_s(30));
    let mut worst = Span::ZERO;
    for second in 31..90 {
        bench.run_until(Time::ZERO + Span::from_whole_s(second));
        worst = worst.max(bench.sender.latest_rtt());
    }
    assert!(worst < Span::from_ms(120), "{worst}");
}

/// While losses are repaired Linux's Hybla, Vegas and Veno are Reno: from one segment a round trip
/// makes two.
#[test]
fn linux_grows_as_reno_while_losses_are_repaired() {
    for name in ["hybla", "vegas", "veno"] {
        let mut played = Played::new(name, Preset::Linux, 10.0, 20.0);
        for _ in 0..5 {
            played.round(RTT, false);
        }
        played.lose(LossKind::Timeout);
        played.state = State::Loss;
        assert_eq!(played.cwnd(), 1.0, "{name}");
        played.ack(RTT, false);
        assert_eq!(played.cwnd(), 2.0, "{name}");
    }
}

/// Each acknowledgement of a round trip counts, the one that ends it too.
#[test]
fn slow_start_of_vegas_doubles() {
    for preset in [Preset::Linux, Preset::Ns3] {
        let mut played = Played::new("vegas", preset, 10.0, 1_000.0);
        // Its first acknowledgement ends a round trip without three samples.
        played.ack(RTT, false);
        let mut before = played.cwnd();
        for _ in 0..4 {
            played.round(RTT, false);
            assert_eq!(played.cwnd(), 2.0 * before, "{preset}");
            before = played.cwnd();
        }
    }
}
