//! Controllers that weigh marks.

use sojourn_base::{Rate, Span, Time};
use sojourn_transport::{CongestionControl, EcnMode, LossKind};

use super::played::Played;
use super::{REFERENCE, RTT};
use crate::bench::{Bench, Link, config};

#[test]
fn dctcp_weighs_its_marks() {
    let mut played = Played::new("dctcp", REFERENCE, 16.0, 2.0);
    // No marks: alpha falls by 15/16 a window.
    for _ in 0..8 {
        played.round(RTT, false);
    }
    let alpha = played.probe("alpha");
    let windows = libm::log(alpha) / libm::log(15.0 / 16.0);
    assert!(
        (windows - libm::round(windows)).abs() < 1e-6 && windows >= 7.0,
        "{alpha}"
    );
    // Half of the bytes marked for long: alpha is a half, and a mark takes a quarter.
    for _ in 0..200 {
        let segments = 16;
        for n in 0..segments {
            played.now += Span::from_ms(5);
            played.ack(RTT, n % 2 == 0);
        }
        played.cc.set_window(16.0, 2.0);
    }
    assert!(
        (played.probe("alpha") - 0.5).abs() < 0.06,
        "{}",
        played.probe("alpha")
    );
    // All marked: alpha is 1, and it halves as Reno does.
    for _ in 0..100 {
        played.round(RTT, true);
    }
    assert!(played.probe("alpha") > 0.99);
    let cwnd = played.cwnd();
    played.lose(LossKind::Ecn);
    assert!((played.cwnd() / cwnd - 0.5).abs() < 0.01);
}

#[test]
fn dctcp_on_a_step_keeps_the_queue_near_it() {
    let rate = Rate::from_bps(80_000_000);
    let half = Span::from_ms(5);
    let mut link = Link::new(rate, half, 500);
    link.mark_above = 30;
    let keys = [
        ("segment", "1000 B"),
        ("header", "0 B"),
        ("delayed_ack", "1"),
    ];
    let mut bench = Bench::over("dctcp", REFERENCE, vec![link], half, &keys);
    bench.log = false;
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_whole_s(5));
    let before = bench.receiver.delivered();
    bench.run_until(Time::ZERO + Span::from_whole_s(15));
    let share = (bench.receiver.delivered() - before) as f64 * 8.0 / 10.0 / 8e7;
    assert!(share > 0.98, "{share}");
    assert_eq!(bench.sender.counts().retransmits, 0);
    assert!(bench.cwnd_segments() < 160.0, "{}", bench.cwnd_segments());
}

#[test]
fn prague_on_a_step_keeps_the_queue_at_it() {
    let rate = Rate::from_bps(40_000_000);
    let half = Span::from_ms(15);
    let mut link = Link::new(rate, half, 500);
    // A millisecond's worth.
    link.mark_above = 5;
    let keys = [("segment", "1000 B"), ("header", "0 B")];
    let mut bench = Bench::over("prague", REFERENCE, vec![link], half, &keys);
    bench.log = false;
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_whole_s(10));
    let before = bench.receiver.delivered();
    bench.run_until(Time::ZERO + Span::from_whole_s(30));
    let share = (bench.receiver.delivered() - before) as f64 * 8.0 / 20.0 / 4e7;
    assert!(share > 0.9, "{share}");
    assert_eq!(bench.sender.counts().retransmits, 0);
    assert!(
        bench.sender.latest_rtt() < Span::from_ms(36),
        "{}",
        bench.sender.latest_rtt()
    );
}

#[test]
fn ecn_means_the_feedback_that_the_controller_needs() {
    let feedback = |name, word| config(REFERENCE, name, &[("ecn", word)]).ecn;
    assert_eq!(feedback("prague", "true"), EcnMode::Accurate);
    assert_eq!(feedback("dctcp", "true"), EcnMode::Dctcp);
    assert_eq!(feedback("cubic", "true"), EcnMode::Classic);
    for name in ["prague", "dctcp", "cubic"] {
        assert_eq!(feedback(name, "classic"), EcnMode::Classic);
        assert_eq!(feedback(name, "accurate"), EcnMode::Accurate);
        assert_eq!(feedback(name, "false"), EcnMode::Off);
    }
    assert_eq!(config(REFERENCE, "prague", &[]).ecn, EcnMode::Accurate);
    assert_eq!(config(REFERENCE, "cubic", &[]).ecn, EcnMode::Off);
}

/// An echo that tells no share is answered as a loss is.
#[test]
fn under_classic_feedback_they_halve() {
    for name in ["dctcp", "prague"] {
        let rate = Rate::from_bps(80_000_000);
        let half = Span::from_ms(15);
        let mut link = Link::new(rate, half, 500);
        link.mark_above = 40;
        let keys = [("segment", "1000 B"), ("header", "0 B"), ("ecn", "classic")];
        let mut bench = Bench::over(name, REFERENCE, vec![link], half, &keys);
        bench.log = false;
        bench.sender.write_endless();
        bench.run_until(Time::ZERO + Span::from_whole_s(5));
        let (mut least, mut most) = (f64::INFINITY, 0.0_f64);
        for tick in 0..1500 {
            bench.run_until(Time::ZERO + Span::from_whole_s(5) + Span::from_ms(10 * tick));
            least = least.min(bench.cwnd_segments());
            most = most.max(bench.cwnd_segments());
        }
        assert!(
            (0.45..0.55).contains(&(least / most)),
            "{name}: {least} {most}"
        );
        assert_eq!(bench.sender.counts().retransmits, 0, "{name}");
    }
}
