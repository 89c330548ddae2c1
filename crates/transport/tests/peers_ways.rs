//! What the peers do in ways of their own, of which most is Linux's, as read off traces of them or
//! off their sources.

use crate::bench::{Bench, Link, Solo, ms, nth};
use sojourn_base::{Preset, Rate, Span};
use sojourn_transport::State;

const KEYS: &[(&str, &str)] = &[("segment", "1000 B"), ("initial_window", "20 packets")];

/// Acknowledgements of the first flight of `packets`.
fn acks_of_first_flight(preset: Preset, packets: u64) -> u64 {
    let mut bench = Bench::new("newreno", preset, Span::from_ms(100), KEYS);
    bench.sender.write(1000 * packets);
    bench.run_until(ms(99));
    bench.receiver.acks()
}

#[test]
fn the_first_segments_are_acknowledged_one_by_one() {
    assert_eq!(acks_of_first_flight(Preset::Reference, 20), 10);
    // 16 and then 2 for 4.
    assert_eq!(acks_of_first_flight(Preset::Linux, 20), 18);
    // 1, and 9 for 18; the last waits.
    assert_eq!(acks_of_first_flight(Preset::Ns3, 20), 10);
    assert_eq!(acks_of_first_flight(Preset::Ns3, 19), 10);
}

/// The window, in segments, after a loss of the first of 20 was repaired in one round trip.
fn window_after_recovery(cc: &str, preset: Preset) -> f64 {
    let keys = [KEYS, &[("initial_ssthresh", "20 packets")]].concat();
    let mut tcp = Solo::new(cc, preset, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    for n in 2..=20 {
        tcp.ack(1, &[(nth(1), nth(n))]);
    }
    let threshold = tcp.ssthresh();
    tcp.at(200);
    tcp.ack(tcp.sender.snd_nxt(), &[]);
    tcp.cwnd() - threshold
}

#[test]
fn the_acknowledgement_that_ends_recovery_grows_the_window_where_it_does() {
    assert_eq!(window_after_recovery("newreno", Preset::Reference), 0.0);
    assert!(window_after_recovery("newreno", Preset::Ns3) > 0.05);
    // A whole segment, for as many acknowledged as there are in the window.
    assert_eq!(window_after_recovery("newreno", Preset::Linux), 1.0);
    // In ns-3 it counts for all by which it moves, reported or not: 42 segments, two windows of 15.
    assert_eq!(window_after_recovery("scalable", Preset::Ns3), 2.0);
}

#[test]
fn the_first_window_that_is_heard_of_is_no_change_of_it() {
    let keys = [KEYS, &[("sack", "false")]].concat();
    let mut tcp = Solo::new("newreno", Preset::Reference, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    // Not the window of the settings, and the same in all three: RFC 5681's duplicates.
    for _ in 0..2 {
        tcp.ack_with_window(1, 70_000);
    }
    assert_eq!(tcp.ack_with_window(1, 70_000)[0], (1, 1001));
}

/// Of Linux's wheel 300 ms after 100 are in the bucket of 408.
#[test]
fn linux_waits_longer_for_a_segment_alone() {
    for (preset, probed_at) in [(Preset::Reference, 340), (Preset::Linux, 408)] {
        let keys = [KEYS, &[("min_rto", "200 ms"), ("delayed_ack", "2")]].concat();
        let mut tcp = Solo::new("newreno", preset, &keys);
        tcp.sender.write(2000);
        tcp.sends();
        tcp.at(100);
        tcp.ack(nth(1), &[]);
        assert!(tcp.at(probed_at - 1).is_empty(), "{preset:?}");
        assert_eq!(tcp.at(probed_at).len(), 1, "{preset:?}");
    }
}

/// The window, in segments, that tables tell after the third of three duplicates.
fn told_in_recovery(preset: Preset) -> f64 {
    let keys = [
        KEYS,
        &[
            ("initial_ssthresh", "20 packets"),
            ("sack", "false"),
            ("delayed_ack", "1"),
            ("handshake", "false"),
        ],
    ]
    .concat();
    let mut tcp = Solo::new("newreno", preset, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    for _ in 0..3 {
        tcp.ack(1, &[]);
    }
    tcp.sender.reported_window() as f64 / 1000.0
}

#[test]
fn ns2_tells_its_window_without_the_inflation() {
    assert_eq!(told_in_recovery(Preset::Reference), 13.0);
    assert_eq!(told_in_recovery(Preset::Ns2), 10.0);
}

/// Under Linux a timeout in a window that was reduced already leaves the threshold.
#[test]
fn linux_halves_once_a_window_though_a_timeout_follows() {
    for (preset, halves_again) in [(Preset::Linux, false), (Preset::Reference, true)] {
        let keys = [("segment", "1000 B"), ("timestamps", "false")];
        let mut tcp = Solo::new("newreno", preset, &keys);
        tcp.sender.write_endless();
        tcp.sends();
        tcp.at(100);
        tcp.ack(nth(0), &[(nth(1), nth(5))]);
        assert_eq!((tcp.ssthresh(), tcp.sender.state()), (5.0, State::Recovery));
        tcp.at(5_000);
        assert!(tcp.sender.counts().timeouts > 0, "{preset}");
        assert_eq!(tcp.cwnd(), 1.0, "{preset}");
        assert_eq!(tcp.ssthresh() < 5.0, halves_again, "{preset}");
    }
}

/// After 390 ms, more than one timeout of 300 ms, Linux halves the window of 70 segments once and
/// remembers three quarters of it; the RFC begins with the initial window.
#[test]
fn linux_halves_for_each_timeout_of_idle_time() {
    for (preset, cwnd, ssthresh) in [(Preset::Linux, 35.0, 52.5), (Preset::Reference, 10.0, 20.0)] {
        let keys = [
            ("segment", "1000 B"),
            ("timestamps", "false"),
            ("min_rto", "200 ms"),
        ];
        let mut tcp = Solo::new("newreno", preset, &keys);
        tcp.sender.write(10_000);
        tcp.sends();
        tcp.at(100);
        tcp.ack(nth(10), &[]);
        tcp.sender.set_window(70.0, 20.0);
        tcp.at(390);
        tcp.sender.write(1_000);
        tcp.sends();
        assert_eq!((tcp.cwnd(), tcp.ssthresh()), (cwnd, ssthresh), "{preset}");
    }
}

/// `tcp_rtt_estimator`: twenty samples a round trip, 100 ms but for one round of more. Four
/// deviations are those of the largest, and fall by a quarter of the distance a round trip; 200 ms
/// are the least. By RFC 6298 the samples of the next round alone take them back.
#[test]
fn linux_forgets_a_spike_of_the_round_trip_slowly() {
    let run = |preset, min_rto| {
        let keys = [
            ("timestamps", "false"),
            ("window", "20 packets"),
            ("rack", "false"),
        ];
        let more = [
            ("segment", "1000 B"),
            ("min_rto", min_rto),
            ("initial_ssthresh", "20 packets"),
        ];
        let mut tcp = Solo::new("newreno", preset, &[&keys[..], &more].concat());
        tcp.sender.write_endless();
        tcp.sends();
        let (mut now, mut acked) = (0, 0);
        let mut rtos = Vec::new();
        for round in 0..40 {
            now += if round == 20 { 250 } else { 80 };
            for _ in 0..20 {
                now += if round == 20 { 12 } else { 1 };
                acked += 1;
                tcp.at(now);
                tcp.ack(nth(acked).min(tcp.sender.snd_nxt()), &[]);
            }
            rtos.push(tcp.sender.rto().as_s());
        }
        assert_eq!(tcp.sender.counts().timeouts, 0);
        rtos
    };
    let linux = run(Preset::Linux, "200 ms");
    assert!((linux[19] - 0.3).abs() < 0.01, "{}", linux[19]);
    let falls = linux[21..32].windows(2).all(|rtos| rtos[1] <= rtos[0]);
    assert!(linux[21] > 0.6 && falls, "{linux:?}");
    assert!(linux[24] > 0.35, "{linux:?}");
    assert!((linux[39] - 0.3).abs() < 0.02, "{linux:?}");
    let reference = run(Preset::Reference, "280 ms");
    assert!(reference[21] > 0.5 && reference[23] < 0.29, "{reference:?}");
}

/// `tcp_cwnd_application_limited`: 40 to 44 segments in flight of a window of 700, for ten seconds.
/// The window is taken halfway to them each RTO. As the threshold keeps three quarters of what it
/// was, that is slow start, in which Linux takes a window of less than twice what is in flight for
/// put to use. By RFC 5681 it stays.
#[test]
fn linux_takes_a_window_down_that_is_not_used() {
    let run = |preset: Preset, cc: &str| {
        let keys = [("segment", "1000 B"), ("initial_window", "10 packets")];
        let mut bench = Bench::new(cc, preset, Span::from_ms(100), &keys);
        bench.log = false;
        // Slow start.
        bench.sender.write(700_000);
        bench.run_until(ms(1_000));
        let before = bench.cwnd_segments();
        for k in 0..1_000 {
            bench.sender.write(4_000);
            bench.pump();
            bench.run_until(ms(1_000 + 10 * (k + 1)));
        }
        (before, bench.cwnd_segments())
    };
    for cc in ["newreno", "cubic"] {
        let (before, after) = run(Preset::Linux, cc);
        assert!(before > 600.0, "{cc}: {before}");
        assert!((78.0..=90.0).contains(&after), "{cc}: {after}");
        let (before, after) = run(Preset::Reference, cc);
        assert!(after >= before, "{cc}: {after} {before}");
    }
}

/// A window of 20 segments, all of them out, and an echo of marks with each acknowledgement.
/// Linux's CWR takes the window down as recovery does, a segment for every other acknowledgement;
/// RFC 3168 lets it fall at once.
#[test]
fn marks_take_the_window_of_linux_down_by_prr() {
    let run = |preset: Preset| {
        let keys = [KEYS, &[("ecn", "true"), ("initial_ssthresh", "20 packets")]].concat();
        let mut tcp = Solo::new("newreno", preset, &keys);
        tcp.sender.write_endless();
        tcp.sends();
        let mut hear = |n| {
            tcp.at(100 + 2 * n);
            tcp.ece(nth(n)).len()
        };
        let sent: Vec<usize> = (1..=20).map(&mut hear).collect();
        (sent, tcp.cwnd(), tcp.sender.counts().ecn_reductions)
    };
    let (sent, cwnd, reductions) = run(Preset::Linux);
    assert_eq!(sent[0], 1);
    assert!(sent.iter().all(|&n| n <= 1), "{sent:?}");
    let halves = [&sent[..10], &sent[10..]].map(|half| half.iter().sum::<usize>());
    assert_eq!(halves, [5, 5], "{sent:?}");
    assert_eq!(
        (cwnd, reductions),
        (10.0, 1),
        "and it does not grow meanwhile"
    );
    let (sent, ..) = run(Preset::Reference);
    assert_eq!(sent[..10], [0; 10]);
    // Nor with acknowledgements that echo nothing.
    let keys = [KEYS, &[("ecn", "true"), ("initial_ssthresh", "20 packets")]].concat();
    let mut tcp = Solo::new("newreno", Preset::Ns3, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    tcp.ece(nth(1));
    let ssthresh = tcp.ssthresh();
    for n in 2..=20 {
        tcp.ack(nth(n), &[]);
    }
    // More must be acknowledged than had been sent.
    assert_eq!(tcp.sender.state(), State::Cwr);
    tcp.ack(nth(21), &[]);
    assert_eq!(tcp.sender.state(), State::Open);
    assert!(tcp.cwnd() - ssthresh < 0.2, "{} {ssthresh}", tcp.cwnd());
    let (sent, ..) = run(Preset::Ns3);
    assert!((9..=10).contains(&sent.iter().sum::<usize>()), "{sent:?}");
    assert!(sent[..10].iter().sum::<usize>() >= 4, "{sent:?}");
}

/// A loss after marks is of the same window; but DCTCP of Linux halves then, where a mark took next
/// to nothing.
#[test]
fn dctcp_of_linux_halves_for_a_loss_after_marks() {
    let run = |cc: &str| {
        let keys = [KEYS, &[("initial_ssthresh", "20 packets"), ("ecn", "true")]].concat();
        let mut tcp = Solo::new(cc, Preset::Linux, &keys);
        tcp.sender.write_endless();
        tcp.sends();
        tcp.at(100);
        tcp.ece(nth(1));
        let marked = tcp.ssthresh();
        for n in 3..=9 {
            tcp.ack(nth(1), &[(nth(2), nth(n))]);
        }
        assert_eq!(tcp.sender.state(), State::Recovery);
        (marked, tcp.ssthresh())
    };
    // Alpha is 1 at first: half of 20, and half of what is left.
    let (marked, lost) = run("dctcp");
    assert_eq!(marked, 10.0);
    assert!(lost < marked, "{lost}");
    assert_eq!(run("newreno"), (10.0, 10.0));
}

/// What was sent within a recovery has been lost too, and is sent again and still out when that
/// ends: losses in two windows in a row lower the window twice (RFC 5681, 4.3; RFC 6675, 5).
#[test]
fn a_loss_of_the_next_window_begins_a_recovery_though_it_was_sent_again() {
    let keys = [KEYS, &[("initial_ssthresh", "20 packets")]].concat();
    let states = |preset| {
        let mut tcp = Solo::new("newreno", preset, &keys);
        tcp.sender.write_endless();
        tcp.sends();
        tcp.at(100);
        let mut recover = 0;
        for n in 2..=20 {
            let sent = tcp.sender.snd_nxt();
            tcp.ack(1, &[(nth(1), nth(n))]);
            if recover == 0 && tcp.sender.state() == State::Recovery {
                recover = sent;
            }
        }
        let ssthresh = tcp.ssthresh();
        tcp.at(150);
        // The first of what was sent since is lost as well, found so and sent again.
        let next = tcp.sender.snd_nxt();
        assert!(next > recover + 4000, "{next} {recover}");
        tcp.ack(1, &[(recover + 1000, next), (nth(1), recover)]);
        tcp.at(190);
        tcp.ack(1, &[(recover + 1000, tcp.sender.snd_nxt() - 1000)]);
        tcp.at(200);
        tcp.ack(recover, &[(recover + 1000, next)]);
        (tcp.sender.state(), tcp.ssthresh() < ssthresh)
    };
    assert_eq!(states(Preset::Linux), (State::Recovery, true));
    assert_eq!(states(Preset::Reference), (State::Recovery, true));
}

/// A quarter of the least RTT, 100 ms, and in Linux two ticks of its clock, after which the timer
/// expires with the next.
#[test]
fn the_reordering_timer_of_linux_waits_two_ticks_more() {
    for (preset, at) in [(Preset::Reference, 225), (Preset::Linux, 228)] {
        let mut tcp = Solo::new("newreno", preset, KEYS);
        tcp.sender.write_endless();
        tcp.sends();
        tcp.at(100);
        tcp.ack(nth(1), &[]);
        tcp.at(200);
        tcp.ack(nth(1), &[(nth(2), nth(3))]);
        assert_eq!(tcp.sender.next_timer(), Some(ms(at)), "{preset}");
    }
}

/// A segment takes 10 ms on a path of 100, and every other is acknowledged: what the controller of
/// Linux hears is the time of the second, which did not wait for another.
#[test]
fn controllers_of_linux_hear_of_the_last_segment() {
    for (preset, least_ms) in [(Preset::Linux, 110.0), (Preset::Reference, 120.0)] {
        let half = Span::from_ms(50);
        let link = Link::new(Rate::from_bps(800_000), half, 1000);
        let keys = [
            ("segment", "1000 B"),
            ("header", "0 B"),
            ("quick_acks", "0"),
        ];
        let mut bench = Bench::over("bbr", preset, vec![link], half, &keys);
        bench.log = false;
        bench.sender.write_endless();
        // Until it has looked for the least RTT: before, there is always a queue.
        bench.run_until(ms(12_000));
        let least_s = bench.probe("min_rtt_s");
        assert!(
            (least_s * 1e3 - least_ms).abs() < 1.0,
            "{preset}: {least_s}"
        );
    }
}
