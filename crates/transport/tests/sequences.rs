//! Sequences worked out by hand from the RFCs.

use crate::bench::{Bench, Fate, PLAIN, SACK, Solo, ms, nth, segments};
use sojourn_base::{Preset, Span, Time};
use sojourn_transport::State;

const REFERENCE: Preset = Preset::Reference;

#[test]
fn slow_start_doubles_each_round_trip() {
    let mut bench = Bench::new("newreno", REFERENCE, Span::from_ms(100), PLAIN);
    bench.sender.write_endless();
    for round in 0..6 {
        bench.run_until(ms(100 * round + 50));
        assert_eq!(bench.sent.len() as u64, 10 * ((1 << (round + 1)) - 1));
    }
}

#[test]
fn each_acknowledgement_in_slow_start_sends_two() {
    let mut tcp = Solo::new("newreno", REFERENCE, PLAIN);
    tcp.sender.write_endless();
    assert_eq!(tcp.sends(), segments(0, 10));
    tcp.at(100);
    assert_eq!(tcp.ack(nth(1), &[]), segments(10, 12));
    assert_eq!(tcp.cwnd(), 11.0);
    // A delayed acknowledgement of two segments counts for one (RFC 5681, 3.1).
    assert_eq!(tcp.ack(nth(3), &[]), segments(12, 15));
    assert_eq!(tcp.cwnd(), 12.0);
}

#[test]
fn congestion_avoidance_adds_a_segment_a_round_trip() {
    let keys = [PLAIN, &[("initial_ssthresh", "10 packets")]].concat();
    let mut bench = Bench::new("newreno", REFERENCE, Span::from_ms(100), &keys);
    bench.sender.write_endless();
    bench.run_until(ms(1050));
    assert!(
        (bench.cwnd_segments() - 19.6).abs() < 0.5,
        "{}",
        bench.cwnd_segments()
    );
}

#[test]
fn three_duplicates_retransmit_and_inflate() {
    let mut tcp = Solo::new("newreno", REFERENCE, PLAIN);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    // RFC 3042: a new segment for each of the first two duplicates.
    assert_eq!(tcp.ack(1, &[]), segments(10, 11));
    assert_eq!(tcp.ack(1, &[]), segments(11, 12));
    assert_eq!(tcp.cwnd(), 10.0);
    // RFC 5681, 3.2: the flight of 10, the two of limited transmit not counted, is halved.
    assert_eq!(tcp.ack(1, &[]), segments(0, 1));
    assert_eq!(tcp.sender.state(), State::Recovery);
    assert_eq!((tcp.cwnd(), tcp.ssthresh()), (8.0, 5.0));
    // 12 are outstanding: the window of 12 is full with the seventh duplicate.
    for _ in 0..4 {
        assert_eq!(tcp.ack(1, &[]), []);
    }
    assert_eq!(tcp.ack(1, &[]), segments(12, 13));
    assert_eq!(tcp.cwnd(), 13.0);
    // The full acknowledgement deflates.
    tcp.at(200);
    assert_eq!(tcp.ack(nth(12), &[]), segments(13, 17));
    assert_eq!((tcp.cwnd(), tcp.sender.state()), (5.0, State::Open));
}

#[test]
fn a_partial_acknowledgement_sends_the_next_hole_and_deflates() {
    let mut tcp = Solo::new("newreno", REFERENCE, PLAIN);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    for _ in 0..3 {
        tcp.ack(1, &[]);
    }
    assert_eq!(tcp.cwnd(), 8.0);
    // Segments 0 and 4 were lost: 4 segments are acknowledged, cwnd = 8 - 4 + 1.
    tcp.at(200);
    assert_eq!(tcp.ack(nth(4), &[]), segments(4, 5));
    assert_eq!((tcp.cwnd(), tcp.sender.state()), (5.0, State::Recovery));
    assert_eq!(tcp.ack(nth(12), &[]), segments(12, 17));
    assert_eq!((tcp.cwnd(), tcp.sender.state()), (5.0, State::Open));
    // Old duplicates do not count again (RFC 6582, 3.2, step 2).
    for _ in 0..3 {
        tcp.ack(nth(12), &[]);
    }
    assert_eq!(tcp.sender.state(), State::Open);
}

#[test]
fn reno_leaves_recovery_at_the_first_new_acknowledgement() {
    let mut tcp = Solo::new("reno", REFERENCE, PLAIN);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    for _ in 0..3 {
        tcp.ack(1, &[]);
    }
    tcp.ack(nth(4), &[]);
    assert_eq!((tcp.cwnd(), tcp.sender.state()), (5.0, State::Open));
}

#[test]
fn tahoe_starts_again_from_one_segment() {
    let mut tcp = Solo::new("tahoe", REFERENCE, PLAIN);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    tcp.ack(1, &[]);
    tcp.ack(1, &[]);
    assert_eq!(tcp.ack(1, &[]), segments(0, 1));
    assert_eq!((tcp.cwnd(), tcp.ssthresh()), (1.0, 5.0));
    // Further duplicates change nothing.
    for _ in 0..9 {
        assert_eq!(tcp.ack(1, &[]), []);
    }
    tcp.at(200);
    // Segments 1 to 11 had arrived: slow start goes on from what was never sent.
    assert_eq!(tcp.ack(nth(12), &[]), segments(12, 14));
    assert_eq!(tcp.cwnd(), 2.0);
}

#[test]
fn sack_holes_are_sent_in_order_under_pipe() {
    let mut tcp = Solo::new("newreno", REFERENCE, SACK);
    tcp.sender.write_endless();
    assert_eq!(tcp.sends(), segments(0, 10));
    tcp.at(100);
    // 0, 2 and 4 are lost. RFC 6675: each report lets one leave the pipe.
    assert_eq!(tcp.ack(1, &[(nth(1), nth(2))]), segments(10, 11));
    assert_eq!(
        tcp.ack(1, &[(nth(3), nth(4)), (nth(1), nth(2))]),
        segments(11, 12)
    );
    let blocks = [(nth(5), nth(6)), (nth(3), nth(4)), (nth(1), nth(2))];
    assert_eq!(tcp.ack(1, &blocks), segments(0, 1));
    assert_eq!((tcp.cwnd(), tcp.ssthresh()), (5.0, 5.0));
    assert_eq!(tcp.sender.state(), State::Recovery);
    // Out: 0 again, 2, 4 not yet lost (one report above 4), 6 to 11; pipe 9 or so, so nothing goes.
    let blocks = [(nth(5), nth(7)), (nth(3), nth(4)), (nth(1), nth(2))];
    assert_eq!(tcp.ack(1, &blocks), []);
    let blocks = [(nth(5), nth(8)), (nth(3), nth(4)), (nth(1), nth(2))];
    assert_eq!(tcp.ack(1, &blocks), []);
    let blocks = [(nth(5), nth(9)), (nth(3), nth(4)), (nth(1), nth(2))];
    assert_eq!(tcp.ack(1, &blocks), segments(2, 3));
    let blocks = [(nth(5), nth(10)), (nth(3), nth(4)), (nth(1), nth(2))];
    assert_eq!(tcp.ack(1, &blocks), segments(4, 5));
    tcp.at(200);
    let blocks = [(nth(5), nth(12)), (nth(3), nth(4))];
    tcp.ack(nth(2), &blocks);
    assert_eq!(tcp.sender.state(), State::Recovery);
    tcp.ack(nth(12), &[]);
    assert_eq!((tcp.cwnd(), tcp.sender.state()), (5.0, State::Open));
}

#[test]
fn a_lost_window_of_sack_is_repaired_without_a_timeout() {
    for rack in ["true", "false"] {
        let keys = [
            ("segment", "1000 B"),
            ("rack", rack),
            ("prr", rack),
            ("initial_window", "40 packets"),
        ];
        let mut bench = Bench::new("newreno", REFERENCE, Span::from_ms(100), &keys);
        bench.sender.write(100_000);
        bench.fate = Box::new(|n, _| {
            if n < 40 && n % 2 == 0 {
                Fate::Drop
            } else {
                Fate::Deliver
            }
        });
        bench.run_until(ms(2000));
        assert_eq!(bench.receiver.delivered(), 100_000);
        assert_eq!(bench.sender.counts().timeouts, 0, "rack {rack}");
        assert_eq!(bench.sender.counts().retransmits, 20, "rack {rack}");
        assert_eq!(bench.sender.counts().recoveries, 1, "rack {rack}");
    }
}

#[test]
fn prr_sends_one_segment_for_two_acknowledgements() {
    let keys = [
        ("segment", "1000 B"),
        ("initial_window", "20 packets"),
        ("initial_ssthresh", "20 packets"),
        ("timestamps", "false"),
        ("delayed_ack", "1"),
        ("limited_transmit", "false"),
    ];
    let mut tcp = Solo::new("newreno", REFERENCE, &keys);
    tcp.sender.write_endless();
    assert_eq!(tcp.sends(), segments(0, 20));
    tcp.at(100);
    let mut sent = Vec::new();
    for n in 1..20 {
        sent.push(tcp.ack(1, &[(nth(1), nth(n + 1))]).len());
    }
    // RFC 6937, 4: the third report starts recovery with the retransmission; then every other.
    assert_eq!(&sent[..2], [0, 0]);
    assert_eq!(sent.iter().sum::<usize>(), 10);
    assert!(sent[2..].iter().all(|&n| n <= 1), "{sent:?}");
    let pairs: Vec<usize> = sent[3..].windows(2).map(|pair| pair[0] + pair[1]).collect();
    assert!(
        pairs.iter().all(|&n| n <= 1 + usize::from(n == 2)),
        "{sent:?}"
    );
    assert_eq!(tcp.sender.in_flight(), 10_000, "{sent:?}");
    tcp.at(200);
    tcp.ack(nth(20), &[]);
    assert_eq!((tcp.cwnd(), tcp.ssthresh()), (10.0, 10.0));
}

#[test]
fn the_timer_backs_off_and_karn_keeps_it() {
    let keys = [PLAIN, &[("initial_rto", "1 s")]].concat();
    let mut tcp = Solo::new("newreno", REFERENCE, &keys);
    tcp.sender.write(1000);
    assert_eq!(tcp.sends(), segments(0, 1));
    // 1, 3, 7, 15 s after a black hole.
    for at in [1000, 3000, 7000, 15_000] {
        assert_eq!(tcp.at(at - 1), [], "before {at}");
        assert_eq!(tcp.at(at), segments(0, 1));
    }
    assert_eq!(tcp.sender.rto(), Span::from_whole_s(16));
    // Karn: which of them was acknowledged is unknown, so there is no sample and no relief.
    tcp.at(15_100);
    tcp.ack(nth(1), &[]);
    assert!(tcp.sender.srtt().is_none());
    assert_eq!(tcp.sender.rto(), Span::from_whole_s(16));
    tcp.sender.write(1000);
    tcp.sends();
    tcp.at(15_200);
    tcp.ack(nth(2), &[]);
    assert_eq!(
        tcp.sender.srtt(),
        Some((Span::from_ms(100), Span::from_ms(50)))
    );
    assert_eq!(tcp.sender.rto(), Span::from_whole_s(1));
}

#[test]
fn a_timeout_halves_once_and_slow_starts() {
    let mut tcp = Solo::new("newreno", REFERENCE, PLAIN);
    tcp.sender.write_endless();
    tcp.sends();
    assert_eq!(tcp.at(1000), segments(0, 1));
    assert_eq!((tcp.cwnd(), tcp.ssthresh()), (1.0, 5.0));
    assert_eq!(tcp.at(3000), segments(0, 1));
    assert_eq!(
        (tcp.cwnd(), tcp.ssthresh()),
        (1.0, 5.0),
        "the same segment again"
    );
    tcp.at(3100);
    assert_eq!(tcp.ack(nth(1), &[]), segments(1, 3));
    assert_eq!(tcp.cwnd(), 2.0);
    // One acknowledgement over what had arrived counts for one segment.
    assert_eq!(
        tcp.ack(nth(9), &[]),
        [segments(9, 10), segments(10, 12)].concat()
    );
    assert_eq!(tcp.cwnd(), 3.0);
}

/// The timeout of another segment halves again, though no sample has ended the back-off (RFC 5681,
/// equation 4).
#[test]
fn a_timeout_after_progress_halves_again() {
    let mut tcp = Solo::new("newreno", REFERENCE, PLAIN);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(1000);
    tcp.at(1100);
    // What had arrived is acknowledged, and the rest is sent in slow start.
    tcp.ack(nth(5), &[]);
    assert_eq!((tcp.sender.state(), tcp.ssthresh()), (State::Loss, 5.0));
    tcp.sender.set_window(4.0, 5.0);
    tcp.at(20_000);
    assert!(tcp.sender.counts().timeouts > 1);
    assert!(tcp.ssthresh() < 5.0, "{}", tcp.ssthresh());
}

#[test]
fn rttvar_and_rto_with_a_constant_rtt() {
    let mut bench = Bench::new("newreno", REFERENCE, Span::from_ms(100), PLAIN);
    bench.sender.write(5000);
    bench.run_until(ms(300));
    // RTTVAR after n samples of R: (R/2) (3/4)^(n-1).
    let (srtt, rttvar) = bench.sender.srtt().unwrap();
    assert_eq!(srtt, Span::from_ms(100));
    let expected = 0.05 * 0.75 * 0.75 * 0.75 * 0.75;
    assert!((rttvar.as_s() - expected).abs() < 1e-9, "{rttvar}");
    assert_eq!(bench.sender.rto(), Span::from_whole_s(1));
}

/// A window's worth of five segments.
fn five_segments() -> Bench {
    let keys = [
        ("segment", "1000 B"),
        ("delayed_ack", "1"),
        ("initial_window", "5 packets"),
    ];
    let mut bench = Bench::new("newreno", REFERENCE, Span::from_ms(100), &keys);
    bench.sender.write(5000);
    bench
}

#[test]
fn a_lost_tail_is_probed_after_two_round_trips() {
    let mut bench = five_segments();
    bench.fate = Box::new(|n, _| if n == 4 { Fate::Drop } else { Fate::Deliver });
    bench.run_until(ms(150));
    assert_eq!(bench.sent.len(), 5);
    bench.run_until(ms(1000));
    // Acknowledgements came at 100 ms; the probe goes 2 SRTT later.
    assert_eq!(bench.sent.len(), 6);
    assert_eq!(bench.sent[5].0, ms(300));
    assert!(bench.sender.is_done());
    assert_eq!(bench.sender.counts().timeouts, 0);
    bench.sender.write(5000);
    bench.run_until(ms(2000));
    assert!(bench.sender.is_done());
    assert!(bench.sender.ssthresh() < 1_000_000, "one reduction");
}

#[test]
fn a_lost_retransmission_is_found_without_a_timeout() {
    let keys = [
        ("segment", "1000 B"),
        ("delayed_ack", "1"),
        ("initial_window", "20 packets"),
    ];
    let mut bench = Bench::new("newreno", REFERENCE, Span::from_ms(100), &keys);
    bench.sender.write(200_000);
    let mut times = 0;
    bench.fate = Box::new(move |_, segment| {
        times += u32::from(segment.seq == 1);
        if segment.seq == 1 && times <= 2 {
            Fate::Drop
        } else {
            Fate::Deliver
        }
    });
    bench.run_until(ms(3000));
    assert!(bench.sender.is_done());
    assert_eq!(bench.sender.counts().timeouts, 0);
    assert_eq!(bench.sender.counts().recoveries, 1);
    assert_eq!(bench.sender.counts().retransmits, 2);
}

#[test]
fn idle_time_brings_back_the_initial_window() {
    let mut bench = Bench::new("newreno", REFERENCE, Span::from_ms(100), PLAIN);
    bench.sender.write(100_000);
    bench.run_until(ms(1000));
    assert!(bench.cwnd_segments() > 20.0);
    bench.run_until(ms(5000));
    bench.sent.clear();
    bench.sender.write(100_000);
    bench.run_until(ms(5050));
    assert_eq!(bench.sent.len(), 10);
}

#[test]
fn a_handshake_comes_first_and_a_fin_last() {
    let keys = [PLAIN, &[("handshake", "true"), ("fin", "true")]].concat();
    let mut bench = Bench::new("newreno", REFERENCE, Span::from_ms(100), &keys);
    bench.sender.write(2500);
    bench.sender.close();
    bench.run_until(ms(1000));
    assert!(bench.sent[0].1.syn && bench.sent[0].1.len == 0);
    assert_eq!(bench.sent[1].0, ms(100));
    let last = bench.sent.last().unwrap().1;
    assert!(last.fin && last.len == 500, "{last:?}");
    assert_eq!(bench.sent.len(), 4);
    assert!(bench.sender.is_done() && bench.receiver.is_finished());
    assert_eq!(bench.receiver.delivered(), 2500);
}

/// The probe is reported at 400 ms, by an acknowledgement that echoes the second segment: all
/// before it that were sent earlier are lost. What it had to tell is answered for then, and nothing
/// more of it.
#[test]
fn a_lost_tail_of_several_is_repaired_behind_its_probe() {
    let mut bench = five_segments();
    bench.fate = Box::new(|n, _| {
        if (2..5).contains(&n) {
            Fate::Drop
        } else {
            Fate::Deliver
        }
    });
    bench.run_until(ms(400));
    assert_eq!((bench.sent[5].0, bench.sent[5].1.seq), (ms(300), nth(4)));
    assert_eq!(bench.sender.state(), State::Recovery);
    bench.run_until(ms(900));
    assert!(bench.sender.is_done());
    assert_eq!(bench.sender.counts().timeouts, 0);
    assert_eq!(bench.sender.counts().recoveries, 1);
    let ssthresh = bench.sender.ssthresh();
    bench.sender.write(5000);
    bench.run_until(ms(1200));
    assert!(bench.sender.is_done());
    assert_eq!(bench.sender.ssthresh(), ssthresh, "one reduction");
}

/// RFC 5681, 3.1: one segment to begin with. The threshold is none, since no data was lost; ns-2
/// halves all the same.
#[test]
fn a_lost_syn_leaves_the_threshold() {
    for preset in Preset::ALL {
        let keys = [PLAIN, &[("handshake", "true")]].concat();
        let mut bench = Bench::new("newreno", preset, Span::from_ms(100), &keys);
        bench.sender.write_endless();
        bench.fate = Box::new(|n, _| if n == 0 { Fate::Drop } else { Fate::Deliver });
        let rto = bench.sender.rto();
        bench.run_until(Time::ZERO + rto + Span::from_ms(150));
        assert!((bench.cwnd_segments() - 1.0).abs() < 0.01, "{preset}");
        let is_halved = preset == Preset::Ns2;
        assert_eq!(bench.sender.ssthresh() < 10_000, is_halved, "{preset}");
    }
}

/// ns-3's `ConnTimeout` is for the SYN alone; its first estimate is of 1 s.
#[test]
fn a_syn_of_ns3_waits_for_three_seconds() {
    for (preset, handshake, seconds) in [
        (Preset::Ns3, "true", 3.0),
        (Preset::Ns3, "false", 1.0),
        (REFERENCE, "true", 1.0),
    ] {
        let keys = [("handshake", handshake)];
        let bench = Bench::new("newreno", preset, Span::from_ms(100), &keys);
        assert_eq!(bench.sender.rto().as_s(), seconds, "{preset} {handshake}");
    }
}

/// RFC 6298, 5.7: where a SYN was lost and its answer gives no sample, the first data wait for 3 s;
/// with timestamps there is a sample.
#[test]
fn after_a_lost_syn_the_timeout_is_three_seconds() {
    for (preset, timestamps, seconds) in [
        (Preset::Reference, "false", 3.0),
        (Preset::Linux, "false", 3.0),
        (Preset::Ns3, "false", 3.0),
        (Preset::Reference, "true", 1.0),
    ] {
        let ways = [("handshake", "true"), ("timestamps", timestamps)];
        let keys: Vec<_> = PLAIN
            .iter()
            .filter(|(key, _)| *key != "timestamps")
            .chain(&ways)
            .copied()
            .collect();
        let mut bench = Bench::new("newreno", preset, Span::from_ms(100), &keys);
        bench.sender.write_endless();
        bench.fate = Box::new(|n, _| if n == 0 { Fate::Drop } else { Fate::Deliver });
        let rto = bench.sender.rto();
        bench.run_until(Time::ZERO + rto + Span::from_ms(150));
        let rto = bench.sender.rto().as_s();
        assert!((rto - seconds).abs() < 0.01, "{preset} {timestamps}: {rto}");
    }
}

/// RFC 3465, 2.3: after a timeout an acknowledgement counts for one segment, since what it
/// acknowledges may have arrived long before; past the threshold for two again.
#[test]
fn after_a_timeout_an_acknowledgement_counts_for_one_segment() {
    for cc in ["newreno", "tahoe"] {
        let keys = [PLAIN, &[("byte_counting", "2")]].concat();
        let mut tcp = Solo::new(cc, REFERENCE, &keys);
        tcp.sender.write_endless();
        tcp.sends();
        assert_eq!(tcp.at(1000), segments(0, 1));
        assert_eq!((tcp.cwnd(), tcp.ssthresh()), (1.0, 5.0), "{cc}");
        tcp.at(1100);
        for (acknowledged, cwnd) in [(4, 2.0), (6, 3.0), (8, 4.0), (10, 5.0), (12, 5.4)] {
            tcp.ack(nth(acknowledged), &[]);
            assert_eq!(tcp.cwnd(), cwnd, "{cc}: {acknowledged}");
        }
    }
}

/// The same after Tahoe's fast retransmit, which begins with one segment too.
#[test]
fn after_a_fast_retransmit_of_tahoe_an_acknowledgement_counts_for_one_segment() {
    let keys = [PLAIN, &[("byte_counting", "2")]].concat();
    let mut tcp = Solo::new("tahoe", REFERENCE, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    for _ in 0..3 {
        tcp.ack(1, &[]);
    }
    assert_eq!(tcp.cwnd(), 1.0);
    tcp.at(200);
    tcp.ack(nth(12), &[]);
    assert_eq!(tcp.cwnd(), 2.0);
}
