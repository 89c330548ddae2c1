//! What marks lead to: sequences worked out by hand from RFC 3168 and RFC 9768.

use crate::bench::{Bench, Fate, PLAIN, Solo, ms, nth, segments};
use sojourn_base::{Ecn, Preset, Span};
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

/// The receiver echoes marks until new data tells it that they were answered. In Linux the window
/// grows meanwhile, if a timeout has answered; by RFC 3168, 6.1.2, it should not.
#[test]
fn after_a_timeout_echoes_hold_no_window_of_linux() {
    for (preset, sack, windows) in [
        (Preset::Linux, "true", [2.0, 3.0, 4.0]),
        (Preset::Linux, "false", [2.0, 3.0, 4.0]),
        (REFERENCE, "false", [1.0, 1.0, 1.0]),
    ] {
        let keys = [
            ("segment", "1000 B"),
            ("delayed_ack", "1"),
            ("ecn", "classic"),
            ("sack", sack),
            ("frto", "false"),
            ("undo", "false"),
        ];
        let mut tcp = Solo::new("newreno", preset, &keys);
        tcp.sender.write_endless();
        tcp.sends();
        tcp.at(100);
        tcp.ack(nth(1), &[]);
        tcp.at(5_000);
        assert_eq!((tcp.cwnd(), tcp.sender.state()), (1.0, State::Loss));
        for (n, window) in (1..).zip(windows) {
            tcp.ece(nth(n + 1));
            assert_eq!(tcp.cwnd(), window, "{preset:?}, sack {sack}, segment {n}");
        }
    }
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

/// RFC 3168, 6.1.2: a window of one segment stays where it is when marks are echoed, and the next
/// segment goes when the timer of retransmission expires, a second later; it bears CWR.
#[test]
fn marks_at_a_window_of_one_segment_wait_for_the_timer() {
    for (cc, ecn) in [
        ("newreno", "classic"),
        ("cubic", "classic"),
        ("dctcp", "classic"),
    ] {
        let keys = [
            ("segment", "1000 B"),
            ("initial_window", "1 packets"),
            ("ecn", ecn),
        ];
        let mut tcp = Solo::new(cc, REFERENCE, &keys);
        tcp.sender.write_endless();
        assert_eq!(tcp.sends(), segments(0, 1));
        tcp.at(100);
        assert_eq!(tcp.ece(nth(1)), [], "{cc}");
        assert_eq!((tcp.cwnd(), tcp.ssthresh()), (1.0, 2.0), "{cc}");
        assert_eq!(tcp.sender.next_timer(), Some(ms(1100)));
        assert_eq!(tcp.at(1099), [], "{cc}");
        tcp.now = ms(1100);
        tcp.sender.on_timer(tcp.now);
        let segment = tcp.sender.poll_send(tcp.now).expect("its time has come");
        assert_eq!((segment.seq, segment.cwr), (nth(1), true), "{cc}");
        assert_eq!(tcp.sends(), []);
        assert_eq!(tcp.sender.counts().timeouts, 0);
        // Marked again, it waits again; without a mark the window grows as ever.
        tcp.at(1200);
        assert_eq!(tcp.ece(nth(2)), [], "{cc}");
        assert_eq!(tcp.at(2200), segments(2, 3), "{cc}");
        tcp.at(2300);
        assert_eq!(tcp.ack(nth(3), &[]), segments(3, 5), "{cc}");
    }
}

/// What is out when the wait begins is lost: the timer repairs it, as it does at any time.
#[test]
fn a_wait_for_the_timer_ends_with_a_timeout_where_something_is_out() {
    let keys = [
        ("segment", "1000 B"),
        ("ecn", "classic"),
        ("initial_window", "2 packets"),
    ];
    let mut tcp = Solo::new("newreno", REFERENCE, &keys);
    tcp.sender.write_endless();
    assert_eq!(tcp.sends(), segments(0, 2));
    tcp.sender.set_window(1.0, 2.0);
    tcp.at(100);
    assert_eq!(tcp.ece(nth(1)), []);
    assert_eq!(tcp.at(1099), []);
    assert_eq!(tcp.at(1100), segments(1, 2));
    assert_eq!(
        (tcp.sender.counts().timeouts, tcp.sender.state()),
        (1, State::Loss)
    );
    tcp.at(1200);
    assert_eq!(tcp.ack(nth(2), &[]), segments(2, 4));
}

/// The codepoints of a segment and of what it is sent again as after a timeout.
fn codepoints(cc: &str, preset: Preset, ecn: &'static str) -> (Ecn, Ecn) {
    let keys = [("segment", "1000 B"), ("ecn", ecn), ("handshake", "false")];
    let mut tcp = Solo::new(cc, preset, &keys);
    tcp.sender.write(1000);
    let first = tcp.sender.poll_send(tcp.now).expect("there is data");
    while tcp.sender.counts().timeouts == 0 {
        tcp.now = tcp.sender.next_timer().expect("it is out");
        tcp.sender.on_timer(tcp.now);
    }
    let again = tcp.sender.poll_send(tcp.now).expect("it is lost");
    assert!(again.retransmission && again.seq == first.seq);
    (first.ecn, again.ecn)
}

/// RFC 3168, 6.1.5, whatever tells of the marks; controllers that weigh them want them of
/// everything they send (RFC 8257, 4.1).
#[test]
fn what_is_sent_again_is_not_capable_unless_marks_are_weighed() {
    let none = Ecn::NotEct;
    for ecn in ["classic", "accurate", "dctcp"] {
        assert_eq!(
            codepoints("cubic", REFERENCE, ecn),
            (Ecn::Ect0, none),
            "{ecn}"
        );
    }
    for (cc, its) in [("dctcp", Ecn::Ect0), ("prague", Ecn::Ect1)] {
        assert_eq!(
            codepoints(cc, REFERENCE, "classic"),
            (Ecn::Ect0, none),
            "{cc}"
        );
        assert_eq!(codepoints(cc, REFERENCE, "true"), (its, its), "{cc}");
    }
    let linux = codepoints("cubic", Preset::Linux, "accurate");
    assert_eq!(linux, (Ecn::Ect0, Ecn::Ect0));
}
