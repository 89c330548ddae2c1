//! What marks lead to: sequences worked out by hand from RFC 3168 and RFC 9768.

use crate::bench::{Bench, Fate, PLAIN, Solo, ms, nth, segments};
use sojourn_base::{Preset, Span};
use sojourn_transport::State;

const REFERENCE: Preset = Preset::Reference;

#[test]
fn an_echo_halves_once_a_window() {
    let keys = [PLAIN, &[("ecn", "true")]].concat();
    let mut tcp = Solo::new("newreno", REFERENCE, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    tcp.ece(nth(1));
    assert_eq!(
        (tcp.cwnd(), tcp.ssthresh(), tcp.sender.state()),
        (5.0, 5.0, State::Cwr)
    );
    for n in 2..=10 {
        tcp.ece(nth(n));
        assert_eq!(tcp.cwnd(), 5.0, "no growth and no second reduction at {n}");
    }
    tcp.at(200);
    // All of that window is acknowledged, the next echo is a new one.
    tcp.ece(nth(11));
    assert!((tcp.cwnd() - 2.5).abs() < 1e-9, "{}", tcp.cwnd());
    assert_eq!(tcp.sender.counts().retransmits, 0);
    assert_eq!(tcp.sender.counts().ecn_reductions, 2);
}

/// Accurate feedback tells how much was marked: to who does not weigh that a mark is an echo.
#[test]
fn a_count_of_marks_halves_once_a_window() {
    let keys = [PLAIN, &[("ecn", "accurate")]].concat();
    for cc in ["newreno", "cubic", "dctcp"] {
        let mut tcp = Solo::new(cc, REFERENCE, &keys);
        tcp.sender.write_endless();
        tcp.sends();
        tcp.at(100);
        tcp.counting(nth(1), 1000);
        let reduced = if cc == "cubic" { 7.0 } else { 5.0 };
        assert_eq!(
            (tcp.cwnd(), tcp.sender.state()),
            (reduced, State::Cwr),
            "{cc}"
        );
        for n in 2..=10 {
            tcp.counting(nth(n), 1000 * n);
            assert_eq!(
                tcp.cwnd(),
                reduced,
                "{cc}: neither growth nor a reduction at {n}"
            );
        }
        tcp.at(200);
        tcp.counting(nth(11), 11_000);
        assert!(tcp.cwnd() < reduced, "{cc}");
        assert_eq!(tcp.sender.counts().ecn_reductions, 2, "{cc}");
        // The same count again is no news.
        let cwnd = tcp.cwnd();
        for n in 12..=30 {
            tcp.at(200 + 10 * n);
            tcp.counting(nth(n), 11_000);
        }
        assert!(tcp.cwnd() >= cwnd, "{cc}");
        assert_eq!(tcp.sender.counts().ecn_reductions, 2, "{cc}");
    }
    // One that weighs counts answers by itself, once a window too.
    let mut tcp = Solo::new("prague", REFERENCE, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    tcp.counting(nth(1), 1000);
    assert!(tcp.cwnd() < 10.0);
    assert_eq!(
        (tcp.sender.state(), tcp.sender.counts().ecn_reductions),
        (State::Open, 1)
    );
    tcp.counting(nth(2), 2000);
    assert_eq!(tcp.sender.counts().ecn_reductions, 1);
}

#[test]
fn the_receiver_echoes_until_it_hears_cwr() {
    let keys = [
        PLAIN,
        &[("ecn", "true"), ("initial_ssthresh", "10 packets")],
    ]
    .concat();
    let mut bench = Bench::new("newreno", REFERENCE, Span::from_ms(100), &keys);
    bench.sender.write_endless();
    bench.fate = Box::new(|n, _| if n == 4 { Fate::Mark } else { Fate::Deliver });
    bench.run_until(ms(1000));
    let cwr: Vec<_> = bench
        .sent
        .iter()
        .filter(|(_, segment)| segment.cwr)
        .collect();
    assert_eq!(cwr.len(), 1);
    let before = |n: u64| {
        bench
            .acks
            .iter()
            .filter(|(_, ack)| ack.ece && ack.ack > n)
            .count()
    };
    assert_eq!(
        before(0),
        bench
            .acks
            .iter()
            .filter(|(_, ack)| ack.ack > nth(4) && ack.ack <= cwr[0].1.seq)
            .count()
    );
    assert_eq!(bench.sender.counts().ecn_reductions, 1);
}

/// Marks are no losses to be repaired: the tail is probed two round trips after the last
/// acknowledgement.
#[test]
fn a_tail_is_probed_after_an_echo_of_marks_too() {
    let keys = [
        ("segment", "1000 B"),
        ("delayed_ack", "1"),
        ("timestamps", "false"),
        ("ecn", "true"),
    ];
    let mut tcp = Solo::new("newreno", REFERENCE, &keys);
    tcp.sender.write(10_000);
    tcp.sends();
    tcp.at(100);
    tcp.ece(nth(8));
    assert_eq!(tcp.sender.state(), State::Cwr);
    assert_eq!(tcp.at(299), []);
    assert_eq!(tcp.at(300), segments(9, 10));
}
