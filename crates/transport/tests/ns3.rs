//! What ns-3 does in ways of its own, as read off its traces or its sources.

use std::sync::Arc;

use crate::bench::{Bench, Solo, ms, nth};
use sojourn_base::{Ecn, Preset, Span};
use sojourn_transport::cc::CongestionControl;
use sojourn_transport::{Arrival, Receiver, Segment, State};

const KEYS: &[(&str, &str)] = &[("segment", "1000 B"), ("initial_window", "20 packets")];

/// Segments that go out for each of the reports of segments 1 to 19, when the first was lost.
fn sent_for_each_report(prr: &'static str) -> Vec<usize> {
    let keys = [
        KEYS,
        &[("prr", prr), ("initial_ssthresh", "20 packets")],
        &[("limited_transmit", "false")],
    ];
    let mut tcp = Solo::new("newreno", Preset::Ns3, &keys.concat());
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    let reports = 2..=20;
    reports
        .map(|n| tcp.ack(1, &[(nth(1), nth(n))]).len())
        .collect()
}

#[test]
fn the_prr_of_ns3_sends_in_proportion_to_all_that_was_outstanding() {
    // 20 outstanding, pipe 16, ssthresh 8: two for each five that arrive. The first that counts is
    // the third report, which sends the lost segment again at once.
    let sent = sent_for_each_report("ns-3.37");
    assert_eq!(sent[..3], [0, 0, 1]);
    for (heard, sum) in [(6, 1), (7, 2), (10, 3), (12, 4)] {
        assert_eq!(sent[..heard].iter().sum::<usize>(), sum, "{sent:?}");
    }
}

/// ns-3 forgets that the first segment was sent again before it asks, so that each timeout halves
/// what is in flight.
#[test]
fn each_timeout_of_ns3_takes_the_threshold_down() {
    let thresholds = |preset| {
        let keys = [KEYS, &[("initial_ssthresh", "20 packets")]].concat();
        let mut tcp = Solo::new("newreno", preset, &keys);
        tcp.sender.write_endless();
        tcp.sends();
        tcp.at(100);
        tcp.ack(nth(1), &[]);
        let mut found = Vec::new();
        while found.len() < 3 {
            let at = tcp.sender.next_timer().expect("much is out");
            tcp.now = at;
            let before = tcp.sender.counts().timeouts;
            tcp.sender.on_timer(at);
            tcp.sends();
            if tcp.sender.counts().timeouts > before {
                found.push(tcp.ssthresh());
            }
        }
        found
    };
    let reference = thresholds(Preset::Reference);
    assert!(
        reference[0] == reference[1] && reference[1] == reference[2],
        "{reference:?}"
    );
    let ns3 = thresholds(Preset::Ns3);
    assert!(ns3[0] > 9.0 && ns3[1..] == [2.0, 2.0], "{ns3:?}");
}

/// `TcpOptionTS::NowToTsValue` is in milliseconds.
#[test]
fn stamps_of_ns3_are_whole_milliseconds() {
    for (preset, us) in [(Preset::Ns3, 100_000), (Preset::Reference, 100_800)] {
        let keys = [KEYS, &[("delayed_ack", "1")]].concat();
        let mut bench = Bench::new("newreno", preset, Span::from_us(100_800), &keys);
        bench.sender.write(1000);
        bench.run_until(ms(150));
        let (srtt, _) = bench.sender.srtt().expect("one came back");
        assert_eq!(srtt, Span::from_us(us), "{preset}");
    }
}

/// A window of 20 segments, of which the first and third are lost, and what goes out with each
/// acknowledgement.
fn in_recovery(preset: Preset) -> Solo {
    let keys = [
        KEYS,
        &[("initial_ssthresh", "20 packets"), ("rack", "false")],
    ]
    .concat();
    let mut tcp = Solo::new("newreno", preset, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    tcp
}

/// `TcpSocketBase::DoRetransmit`: the second hole is not known to be lost when the first is filled,
/// and a segment goes all the same, though `pipe` is far above the threshold.
#[test]
fn a_partial_acknowledgement_of_ns3_sends_a_segment() {
    for (preset, sent) in [(Preset::Reference, 0), (Preset::Ns3, 1)] {
        let mut tcp = in_recovery(preset);
        for n in 2..=4 {
            tcp.ack(1, &[(nth(1), nth(n))]);
        }
        assert_eq!(tcp.sender.state(), State::Recovery);
        tcp.at(200);
        let new = tcp.ack(nth(4), &[]);
        assert_eq!(new.len().min(1), sent, "{preset}: {new:?}");
    }
}

/// `TcpTxBuffer::Update` takes what is reported out of what is lost, but not out of what was sent
/// again.
#[test]
fn what_ns3_sent_again_stays_in_flight_until_it_is_acknowledged() {
    for (preset, gone) in [(Preset::Reference, 1000), (Preset::Ns3, 0)] {
        let mut tcp = in_recovery(preset);
        // The first two are lost; both are sent again before the second is reported.
        for n in 3..=12 {
            tcp.ack(1, &[(nth(2), nth(n))]);
        }
        assert_eq!(tcp.sender.counts().retransmits, 2, "{preset}");
        let before = tcp.sender.in_flight();
        let sent = tcp.ack(1, &[(nth(1), nth(12))]).len() as u64;
        let after = tcp.sender.in_flight() - 1000 * sent;
        assert_eq!(before - after, gone, "{preset}");
    }
}

/// `TcpTxBuffer::NextSeg` has RFC 6675's third rule: where nothing is written any more, what is out
/// goes again.
#[test]
fn ns3_sends_again_what_is_out_where_there_is_nothing_else() {
    let lost = (nth(0), nth(1));
    for (preset, repeats) in [(Preset::Reference, false), (Preset::Ns3, true)] {
        let keys = [KEYS, &[("rack", "false")]].concat();
        let mut tcp = Solo::new("newreno", preset, &keys);
        tcp.sender.write(20_000);
        tcp.sends();
        tcp.at(100);
        let mut sent = Vec::new();
        for n in 2..=19 {
            let now = tcp.ack(1, &[(nth(1), nth(n))]);
            assert!(
                now.iter().all(|&it| it == lost || it.0 >= nth(n)),
                "{now:?}"
            );
            sent.extend(now);
        }
        assert_eq!(sent[0], lost, "{preset}");
        assert_eq!(sent.len() > 1, repeats, "{preset}: {sent:?}");
        let once = sent.windows(2).all(|pair| pair[0].0 < pair[1].0);
        assert!(once, "{preset}: {sent:?}");
        assert_eq!(tcp.sender.counts().retransmits, sent.len() as u64);
        tcp.at(200);
        assert!(tcp.ack(nth(20), &[]).is_empty());
        assert_eq!(tcp.sender.in_flight(), 0, "{preset}");
    }
}

/// The last segment fills the window: in ns-3 its FIN does not keep it from going.
#[test]
fn a_fin_of_ns3_takes_no_room() {
    for (preset, goes) in [(Preset::Reference, 19), (Preset::Ns3, 20)] {
        let mut tcp = Solo::new("newreno", preset, &[KEYS, &[("fin", "true")]].concat());
        tcp.sender.write(20_000);
        tcp.sender.close();
        assert_eq!(tcp.sends().len(), goes, "{preset}");
    }
}

/// `TcpPrrRecovery::DoRecovery` multiplies 32-bit numbers: with a threshold of 79 segments of 1000
/// bytes the 55th delivered takes the product beyond 2^32, and nothing more goes out.
#[test]
fn the_prr_of_ns3_counts_in_32_bits() {
    let keys = [
        &[("segment", "1000 B"), ("initial_window", "160 packets")][..],
        &[("initial_ssthresh", "160 packets"), ("prr", "ns-3.37")],
        &[("window", "none"), ("send_buffer", "none")],
    ];
    let mut tcp = Solo::new("newreno", Preset::Ns3, &keys.concat());
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    let sent: Vec<usize> = (2..=90)
        .map(|n| tcp.ack(1, &[(nth(1), nth(n))]).len())
        .collect();
    let threshold = tcp.ssthresh();
    let wraps = ((1_u64 << 32) as f64 / (1e6 * threshold)) as usize;
    assert!((50..70).contains(&wraps), "{wraps}");
    let early: usize = sent[3..wraps - 2].iter().sum();
    assert!(early > 15, "{early}: {sent:?}");
    let late: usize = sent[wraps + 5..wraps + 16].iter().sum();
    assert_eq!(late, 0, "{sent:?}");
}

/// RFC 3168's CWR comes with the segment behind a marked one, and one acknowledgement is for both:
/// in ns-3 it tells of the mark.
#[test]
fn cwr_ends_no_echo_of_ns3_that_was_not_told() {
    for (preset, tells) in [(Preset::Reference, false), (Preset::Ns3, true)] {
        let keys = [KEYS, &[("ecn", "true"), ("quick_acks", "0")]].concat();
        let tcp = Solo::new("newreno", preset, &keys);
        let mut receiver = Receiver::new(Arc::new(tcp.sender.config().clone()));
        let mut echoed = None;
        for (n, ecn, cwr) in [
            (0, Ecn::Ect0, false),
            (1, Ecn::Ect0, false),
            (2, Ecn::Ce, false),
            (3, Ecn::Ect0, true),
        ] {
            let segment = Segment {
                seq: nth(n),
                len: 1000,
                syn: false,
                fin: false,
                retransmission: false,
                push: false,
                cwr,
                ecn,
                stamp: ms(n),
            };
            let led_to = receiver.on_segment(ms(n), &Arrival { segment, ecn });
            echoed = led_to.acks[0].map(|ack| ack.ece).or(echoed);
        }
        assert_eq!(echoed, Some(tells), "{preset}");
    }
}

/// `TcpLinuxReno` halves the window of 20. `TcpNewReno` halves what is in flight: limited transmit
/// has made it 22, of which three are reported and one is lost.
#[test]
fn reno_of_ns3_is_that_of_linux() {
    let keys = [KEYS, &[("initial_ssthresh", "20 packets")]].concat();
    for (cc, ssthresh) in [("reno", 10.0), ("newreno", 9.0)] {
        let mut tcp = Solo::new(cc, Preset::Ns3, &keys);
        tcp.sender.write_endless();
        tcp.sends();
        tcp.at(100);
        for n in 2..=4 {
            tcp.ack(1, &[(nth(1), nth(n))]);
        }
        assert_eq!(tcp.ssthresh(), ssthresh, "{cc}");
    }
    // A whole segment for a window's worth.
    let mut tcp = Solo::new("reno", Preset::Ns3, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    let windows: Vec<f64> = (1..=10)
        .map(|n| {
            tcp.ack(nth(2 * n), &[]);
            tcp.cwnd()
        })
        .collect();
    assert_eq!((windows[8], windows[9]), (20.0, 21.0), "{windows:?}");
}

/// Pieces of 512 bytes: eight are 4096 bytes. When 1000 are acknowledged, one more has room.
#[test]
fn what_the_send_buffer_of_ns3_does_not_hold_is_not_there() {
    let keys = [KEYS, &[("send_buffer", "4096 B")]].concat();
    let sent = |preset| {
        let mut tcp = Solo::new("newreno", preset, &keys);
        tcp.sender.write_endless();
        let first = tcp.sends();
        tcp.at(100);
        (first, tcp.ack(nth(1), &[]))
    };
    let (first, next) = sent(Preset::Ns3);
    let ends: Vec<u64> = first.iter().map(|&(_, end)| end).collect();
    assert_eq!(ends, [1001, 2001, 3001, 4001, 4097]);
    assert_eq!(next, [(4097, 4609)]);
    assert_eq!(sent(Preset::Reference).0.len(), 20);
    // In recovery what is out goes again then, a segment for each report: 4192 bytes are in flight
    // when it begins, and half of what is delivered goes, each report counting for two segments.
    let keys = [KEYS, &[("send_buffer", "8192 B")]].concat();
    let mut tcp = Solo::new("newreno", Preset::Ns3, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    let again: Vec<(u64, u64)> = (2..=6)
        .flat_map(|n| tcp.ack(1, &[(nth(1), nth(n))]))
        .collect();
    assert_eq!(again, [(1, 1001), (5001, 6001), (6001, 7001)]);
}

/// After rounds of 300 ms where 100 ms are the least, more than two segments are taken to wait, and
/// a loss takes away two. One is in flight: in ns-3 the threshold underflows, nothing more is sent
/// within the recovery, and its end lets everything out.
#[test]
fn a_small_flight_makes_the_threshold_of_ns3s_yeah_underflow() {
    let keys = [
        ("segment", "1000 B"),
        ("initial_window", "5 packets"),
        ("initial_ssthresh", "5 packets"),
        ("limited_transmit", "false"),
        ("window", "5 packets"),
        ("validate_cwnd", "false"),
    ];
    let after = |preset| {
        let mut tcp = Solo::new("yeah", preset, &keys);
        tcp.sender.write_endless();
        tcp.sends();
        for round in 0..10 {
            tcp.at(100 + 300 * round);
            for n in 1..=5 {
                tcp.ack(nth(5 * round + n), &[]);
            }
        }
        tcp.at(3100);
        let una = nth(50);
        for n in 52..=54 {
            tcp.ack(una, &[(nth(51), nth(n))]);
        }
        let ssthresh = tcp.sender.ssthresh();
        let more = tcp.ack(una, &[(nth(51), nth(55))]).len();
        tcp.at(3400);
        tcp.ack(nth(55), &[]);
        (ssthresh, more, tcp.sender.controller().cwnd())
    };
    let (ssthresh, more, cwnd) = after(Preset::Ns3);
    assert_eq!((ssthresh, more), ((1 << 32) - 1000, 0));
    assert!(cwnd >= ssthresh, "{cwnd}");
    assert!(after(Preset::Linux).0 < 10_000);
}

/// The train has come for 101 ms, longer than the least RTT, when the acknowledgement arrives that
/// ends the round.
#[test]
fn the_acknowledgement_that_ends_a_round_can_end_slow_start_in_ns3() {
    let keys = [("segment", "1000 B"), ("initial_window", "100 packets")];
    let mut tcp = Solo::new(
        "cubic",
        Preset::Ns3,
        &[&keys[..], &[("send_buffer", "none"), ("window", "none")]].concat(),
    );
    tcp.sender.write_endless();
    tcp.sends();
    for n in 1..=100 {
        tcp.at(99 + n);
        tcp.ack(nth(n), &[]);
    }
    assert_eq!(tcp.sender.ssthresh(), u64::MAX);
    tcp.at(201);
    tcp.ack(nth(101), &[]);
    assert!(tcp.sender.ssthresh() < u64::MAX);
}

/// Without PRR too: the window of eight is full, but the second hole goes when the first is filled.
#[test]
fn a_partial_acknowledgement_fills_the_next_hole_in_ns3() {
    let keys = [
        KEYS,
        &[("prr", "false"), ("initial_ssthresh", "20 packets")],
    ]
    .concat();
    let mut tcp = Solo::new("newreno", Preset::Ns3, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.at(100);
    for n in 2..=4 {
        tcp.ack(1, &[(nth(1), nth(n))]);
    }
    for n in 6..=8 {
        let sent = tcp.ack(1, &[(nth(5), nth(n)), (nth(1), nth(4))]);
        assert!(sent.is_empty(), "{sent:?}");
    }
    tcp.at(200);
    assert_eq!(tcp.ack(nth(4), &[(nth(5), nth(8))]), [(4001, 5001)]);
}

/// RFC 8257, 3.2: an acknowledgement for each change. In ns-3 the mark of the sixth segment is told
/// with the fifth, which waited, when the seventh has none; the sixth itself waits for the eighth.
#[test]
fn dctcp_of_ns3_tells_of_a_mark_with_the_segment_before_it() {
    let told = |preset| {
        let keys = [KEYS, &[("quick_acks", "0")]].concat();
        let tcp = Solo::new("dctcp", preset, &keys);
        let mut receiver = Receiver::new(Arc::new(tcp.sender.config().clone()));
        let mut told = Vec::new();
        for n in 0..8 {
            let ecn = if n == 1 || n == 5 { Ecn::Ce } else { Ecn::Ect0 };
            let segment = Segment {
                seq: nth(n),
                len: 1000,
                syn: false,
                fin: false,
                retransmission: false,
                push: false,
                cwr: false,
                ecn,
                stamp: ms(n),
            };
            let led_to = receiver.on_segment(ms(n), &Arrival { segment, ecn });
            told.extend(led_to.acks.iter().flatten().map(|ack| (ack.ack, ack.ece)));
        }
        told
    };
    let ns3 = [
        (nth(2), true),
        (nth(4), false),
        (nth(5), true),
        (nth(8), false),
    ];
    assert_eq!(told(Preset::Ns3), ns3);
    assert!(told(Preset::Reference).contains(&(nth(6), true)));
}

/// `TcpSocketBase` ends every recovery with the threshold for a window, and BBR has set none before
/// Startup is over.
#[test]
fn a_loss_in_startup_leaves_bbr_of_ns3_without_a_window() {
    let cwnd = |preset| {
        let mut tcp = Solo::new("bbr", preset, KEYS);
        tcp.sender.write_endless();
        tcp.sends();
        tcp.at(100);
        for n in 2..=4 {
            tcp.ack(1, &[(nth(1), nth(n))]);
        }
        assert_eq!(tcp.sender.state(), State::Recovery);
        tcp.at(200);
        tcp.ack(tcp.sender.snd_nxt(), &[]);
        tcp.sender.controller().cwnd()
    };
    assert_eq!(cwnd(Preset::Ns3), u64::from(u32::MAX));
    assert!(cwnd(Preset::Reference) < 100_000);
}
