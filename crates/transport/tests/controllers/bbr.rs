//! BBR, version 1.

use sojourn_base::{Preset, Rate, Span, Time};

use sojourn_transport::rate::RateSample;
use sojourn_transport::{AckSample, CongestionControl, Start, State};

use super::{Played, REFERENCE, RTT};
use crate::bench::{Bench, Fate, Link, Solo, controller, probe};

/// An endless flow over a link of so many bits a second and 40 ms, in segments of 1000 bytes.
fn over(preset: Preset, bps: u64) -> Bench {
    let half = Span::from_ms(20);
    let link = Link::new(Rate::from_bps(bps), half, 1000);
    let keys = [
        ("segment", "1000 B"),
        ("header", "0 B"),
        ("window", "none"),
        ("send_buffer", "none"),
    ];
    let mut bench = Bench::over("bbr", preset, vec![link], half, &keys);
    bench.sender.write_endless();
    bench
}

#[test]
fn bbr_fills_the_link_and_drains_its_queue() {
    for preset in [REFERENCE, Preset::Linux, Preset::Ns3] {
        let mut bench = over(preset, 20_000_000);
        bench.log = false;
        bench.run_until(Time::ZERO + Span::from_whole_s(2));
        let before = bench.receiver.delivered();
        let mut rtts = Vec::new();
        for tick in 1..=800_u64 {
            bench.run_until(Time::ZERO + Span::from_whole_s(2) + Span::from_ms(10 * tick));
            rtts.push(bench.sender.latest_rtt().as_s());
        }
        let share = (bench.receiver.delivered() - before) as f64 * 8.0 / 8.0 / 2e7;
        assert!(share > 0.95, "{preset}: {share}");
        rtts.sort_by(f64::total_cmp);
        // A quarter of 100 segments at most, and drained each cycle.
        assert!(rtts[400] < 0.046, "{preset}: median {}", rtts[400]);
        assert!(rtts[799] < 0.060, "{preset}: largest {}", rtts[799]);
        // A longer path: after 10 s the least RTT is looked for anew, with four segments.
        bench.links[0].delay = Span::from_ms(30);
        let mut least = f64::INFINITY;
        for tick in 1..=3000_u64 {
            bench.run_until(Time::ZERO + Span::from_whole_s(10) + Span::from_ms(5 * tick));
            least = least.min(bench.cwnd_segments());
        }
        assert_eq!(least, 4.0, "{preset}");
        assert_eq!(bench.sender.counts().timeouts, 0);
    }
}

/// An endless flow over 20 Mbit/s and 40 ms that lose one segment in so many.
fn losing(each: u64) -> Bench {
    let mut bench = over(REFERENCE, 20_000_000);
    bench.log = false;
    bench.fate = Box::new(move |n, _| {
        if n % each == each - 1 {
            Fate::Drop
        } else {
            Fate::Deliver
        }
    });
    bench
}

#[test]
fn bbr_does_not_mind_a_little_loss() {
    let mut bench = losing(100);
    bench.run_until(Time::ZERO + Span::from_whole_s(20));
    let share = bench.receiver.delivered() as f64 * 8.0 / 20.0 / 2e7;
    assert!(share > 0.85, "{share}");
}

#[test]
fn the_handshake_is_no_sample_of_the_rate() {
    for cc in ["bbr", "bbr3"] {
        let rate = Rate::from_bps(20_000_000);
        let half = Span::from_ms(20);
        let link = Link::new(rate, half, 1000);
        let keys = [("segment", "1000 B"), ("handshake", "true")];
        let mut bench = Bench::over(cc, REFERENCE, vec![link], half, &keys);
        bench.log = false;
        bench.sender.write_endless();
        bench.run_until(Time::ZERO + Span::from_whole_s(2));
        // All but the handshake and the first round trips.
        assert!(bench.receiver.delivered() > 4_000_000, "{cc}");
    }
}

/// Ten segments of 1000 bytes a millisecond, then a round trip, 2/ln 2 times as fast: as Linux
/// counts it 739/256, 2.89 in ns-3.
#[test]
fn the_first_rate_is_that_of_the_window() {
    for (preset, gain) in [
        (REFERENCE, 2.885_390_081_777_927),
        (Preset::Linux, 0.99 * 739.0 / 256.0),
        (Preset::Ns3, 2.89),
    ] {
        let mut played = Played::new("bbr", preset, 10.0, 0.0);
        for rtt_s in [0.001, 0.1] {
            let rate = played.cc.pacing_rate().expect("it paces");
            let expected = gain * 10_000.0 / rtt_s;
            assert!((rate / expected - 1.0).abs() < 1e-9, "{preset}: {rate}");
            played.ack(RTT, false);
        }
    }
}

/// The least round-trip time is believed for ten seconds from when it was measured: that of a
/// connection that begins late is not old, and where all are equal each renews it, but under Linux.
#[test]
fn the_least_round_trip_is_looked_for_when_it_is_old() {
    for (preset, looks) in [
        (REFERENCE, false),
        (Preset::Ns3, false),
        (Preset::Linux, true),
    ] {
        let mut played = Played::new("bbr", preset, 10.0, 0.0);
        played.now = Time::ZERO + Span::from_whole_s(20);
        for _ in 0..99 {
            played.ack(RTT, false);
            played.now += RTT;
        }
        assert!(played.probe("pacing_gain") > 2.0, "{preset}");
        for _ in 0..9 {
            played.ack(RTT, false);
            played.now += RTT;
        }
        assert_eq!(played.probe("pacing_gain") == 1.0, looks, "{preset}");
    }
}

/// The window of before comes back after a look for the least round trip, though a recovery ends
/// meanwhile: here there is always one, and after ten seconds on a longer path four segments for
/// 200 ms and a round trip.
#[test]
fn the_window_comes_back_though_a_recovery_ends_in_between() {
    let mut bench = losing(50);
    bench.run_until(Time::ZERO + Span::from_whole_s(2));
    bench.links[0].delay = Span::from_ms(40);
    let at = |tick: u64| Time::ZERO + Span::from_whole_s(2) + Span::from_ms(5 * tick);
    let began = (1..4_000).find(|&tick| {
        bench.run_until(at(tick));
        bench.cwnd_segments() == 4.0
    });
    bench.run_until(at(began.expect("it looks") + 100));
    assert!(bench.cwnd_segments() > 100.0, "{}", bench.cwnd_segments());
}

/// Twenty round trips of four segments do not count for the bandwidth, whose largest of ten is
/// kept; in ns-3 they do.
#[test]
fn a_look_for_the_least_round_trip_leaves_the_bandwidth() {
    for (preset, keeps) in [
        (REFERENCE, true),
        (Preset::Linux, true),
        (Preset::Ns3, false),
    ] {
        let half = Span::from_ms(5);
        let link = Link::new(Rate::from_bps(100_000_000), half, 1000);
        let keys = [
            ("segment", "1000 B"),
            ("header", "0 B"),
            ("window", "none"),
            ("send_buffer", "none"),
        ];
        let mut bench = Bench::over("bbr", preset, vec![link], half, &keys);
        bench.log = false;
        bench.sender.write_endless();
        bench.run_until(Time::ZERO + Span::from_whole_s(2));
        // Or an RTT that equals the least would renew it.
        bench.links[0].delay = Span::from_ms(6);
        let (mut least, mut has_looked) = (f64::INFINITY, false);
        for tick in 200..1300_u64 {
            bench.run_until(Time::ZERO + Span::from_ms(10 * tick));
            has_looked |= bench.cwnd_segments() == 4.0;
            least = least.min(bench.probe("bandwidth_bps"));
        }
        assert!(has_looked, "{preset}");
        assert_eq!(least > 95e6, keeps, "{preset}: {least}");
    }
}

/// Twice the product and three bursts, of two segments at 16 Mbit/s; in ns-3 of one, and 4000 bytes
/// for acknowledgements of two segments that come together, of which 4096 bytes make no third; in
/// Linux whole segments, in pairs, and two for one acknowledgement. These two have two segments
/// more while the rate is raised.
#[test]
fn the_window_has_room_for_bursts() {
    for preset in [REFERENCE, Preset::Linux, Preset::Ns3] {
        let mut bench = over(preset, 16_000_000);
        bench.log = false;
        for tick in 300..340 {
            bench.run_until(Time::ZERO + Span::from_ms(10 * tick));
            let product = bench.probe("bandwidth_bps") / 8.0 * bench.probe("min_rtt_s");
            let raised = if bench.probe("pacing_gain") > 1.0 {
                2.0
            } else {
                0.0
            };
            let whole = (2.0 * product / 1000.0).ceil();
            let expected = match preset {
                Preset::Linux => 2.0 * ((whole + 8.0) * 0.5).ceil() + raised,
                Preset::Ns3 => 2.0 * product / 1000.0 + 7.0 + raised,
                _ => 2.0 * product / 1000.0 + 6.0,
            };
            let cwnd = bench.cwnd_segments();
            assert!(
                (cwnd - expected).abs() < 0.002,
                "{preset}, {tick}: {cwnd}, {expected}"
            );
        }
    }
}

/// Where two segments are a burst, Linux sends them at one instant and waits twice as long.
#[test]
fn linux_paces_in_bursts() {
    for (preset, together) in [(REFERENCE, 1), (Preset::Linux, 2)] {
        let mut bench = over(preset, 16_000_000);
        bench.run_until(Time::ZERO + Span::from_whole_s(3));
        let late = Time::ZERO + Span::from_whole_s(2);
        let mut counts = std::collections::BTreeMap::new();
        for (at, _) in bench.sent.iter().filter(|(at, _)| *at > late) {
            *counts.entry(*at).or_insert(0) += 1;
        }
        assert!(counts.len() > 500, "{preset}");
        let usual = counts.values().filter(|&&count| count == together).count();
        assert!(
            usual as f64 > 0.8 * counts.len() as f64,
            "{preset}: {usual} of {}",
            counts.len()
        );
    }
}

/// The first ten segments of a connection are not paced by Linux: of twenty, of which six make 64
/// KiB, the tenth begins a burst of six.
#[test]
fn linux_does_not_pace_the_first_window() {
    for (preset, at_once) in [(REFERENCE, 1), (Preset::Linux, 15)] {
        let keys = [
            ("segment", "10000 B"),
            ("initial_window", "20 packets"),
            ("quick_acks", "0"),
        ];
        let mut tcp = Solo::new("bbr", preset, &keys);
        tcp.sender.write_endless();
        assert_eq!(tcp.sends().len(), at_once, "{preset}");
    }
}

/// A bucket of 1 MB that fills at 10 Mbit/s polices a path of 100 Mbit/s: when it is empty most is
/// lost, and Linux finds its rate in two stretches of four round trips. For 48 of 40 ms it looks
/// for no more.
#[test]
fn linux_finds_the_rate_of_a_policer() {
    for (preset, finds) in [(REFERENCE, false), (Preset::Linux, true)] {
        let mut bench = over(preset, 100_000_000);
        bench.log = false;
        let (mut tokens, mut filled) = (1e6, Time::ZERO);
        bench.fate = Box::new(move |_, segment| {
            tokens = f64::min(1e6, tokens + 1.25e6 * segment.stamp.since(filled).as_s());
            filled = segment.stamp;
            let passes = tokens >= 1000.0;
            tokens -= if passes { 1000.0 } else { 0.0 };
            if passes { Fate::Deliver } else { Fate::Drop }
        });
        let mut longest = 0;
        let mut steady = 0;
        for tick in 1..100 {
            bench.run_until(Time::ZERO + Span::from_ms(40 * tick));
            let rate = bench.sender.controller().pacing_rate().expect("it paces");
            let near = (rate * 8.0 / 9.9e6 - 1.0).abs() < 0.15;
            let is_steady = near && bench.probe("pacing_gain") == 1.0;
            steady = if is_steady { steady + 1 } else { 0 };
            longest = longest.max(steady);
        }
        assert_eq!(longest > 40, finds, "{preset}: {longest} round trips");
    }
}

/// Acknowledgements that come all 60 ms together, on a path of 40 ms: twice the product is too
/// little for the time between them, and Linux makes room for what they bring at once.
#[test]
fn linux_makes_room_for_acknowledgements_that_come_together() {
    for (preset, fills) in [(REFERENCE, false), (Preset::Linux, true)] {
        let mut bench = over(preset, 16_000_000);
        bench.log = false;
        let step = Span::from_ms(60).as_ps();
        bench.ack_fate = Box::new(move |ack| {
            let arrives = ack.stamp.as_ps() + Span::from_ms(20).as_ps();
            let next = arrives.next_multiple_of(step);
            Fate::Delay(Span::from_ps(next - arrives))
        });
        bench.run_until(Time::ZERO + Span::from_whole_s(3));
        let before = bench.receiver.delivered();
        bench.run_until(Time::ZERO + Span::from_whole_s(8));
        let share = (bench.receiver.delivered() - before) as f64 * 8.0 / 5.0 / 1.6e7;
        assert_eq!(share > 0.9, fills, "{preset}: {share}");
    }
}

/// A hundred segments of 1000 bytes are acknowledged each 100 ms: 1 MB a second. Drain ends when no
/// more is in flight than these and six, and 108 are; but three of them will have arrived when the
/// clock lets the next go, after 3 ms.
#[test]
fn linux_does_not_count_what_the_clock_has_let_go_ahead() {
    for (preset, ahead_ms, ends) in [
        (Preset::Linux, 0, false),
        (Preset::Linux, 3, true),
        (REFERENCE, 3, false),
    ] {
        let mut cc = controller("bbr", preset, &Start::of(1000, 10));
        let mut acknowledge = |round: u64, in_flight: u64, ahead: Span| {
            let now = Time::ZERO + Span::from_ms(100 * round);
            let rtt = Span::from_ms(100);
            cc.on_ack(&AckSample {
                now,
                acked: 100_000,
                marked: 0,
                ece: false,
                rtt: Some(rtt),
                srtt: rtt,
                stamps: None,
                prior_in_flight: in_flight,
                in_flight,
                window: cc.cwnd(),
                snd_una: 100_000 * round,
                snd_nxt: 100_000 * round + in_flight,
                state: State::Open,
                is_disordered: false,
                may_grow: true,
                cwnd_limited: true,
                next_send: Some(now + ahead),
                rate: Some(RateSample {
                    rate: 1e6,
                    delivered: 100_000,
                    interval: rtt,
                    prior_delivered: 100_000 * (round - 1),
                    app_limited: false,
                    tx_in_flight: in_flight,
                    lost: 0,
                    rtt: Some(rtt),
                }),
                delivered: 100_000 * round,
                lost: 0,
            });
            probe(&cc, "pacing_gain")
        };
        // Four round trips without growth fill the pipe.
        let drains = (1..=4).map(|round| acknowledge(round, 300_000, Span::ZERO));
        let drains: Vec<_> = drains.collect();
        assert!(drains[2] > 2.0 && drains[3] < 0.5, "{preset}: {drains:?}");
        let gain = acknowledge(5, 108_000, Span::from_ms(ahead_ms));
        assert_eq!(gain > 0.5, ends, "{preset}, {ahead_ms} ms: {gain}");
    }
}
