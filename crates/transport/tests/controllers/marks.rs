//! Controllers that weigh marks.

use sojourn_base::{Rate, Span, Time};
use sojourn_transport::{CongestionControl, LossKind};

use crate::bench::{Bench, Link};
use crate::played::Played;
use crate::{REFERENCE, RTT};

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
