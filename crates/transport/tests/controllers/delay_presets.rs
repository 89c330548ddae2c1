//! What controllers that look at delays do in ways of their own in Linux and ns-3, as their sources
//! have it (Linux 6.1, ns-3.37).

use sojourn_base::{Preset, Span, Time};
use sojourn_transport::{CongestionControl, LossKind};

use super::played::Played;
use super::{REFERENCE, RTT};
use crate::bench::{Bench, Fate};

/// A window of five segments where the path carries twenty: the threshold tells so.
#[test]
fn westwood_remembers_more_than_a_small_window() {
    for (preset, cwnd) in [(REFERENCE, 5.0), (Preset::Ns3, 20.0)] {
        let mut played = Played::new("westwood", preset, 20.0, 2.0);
        for _ in 0..200 {
            played.cc.set_window(20.0, 2.0);
            played.round(RTT, false);
        }
        played.cc.set_window(5.0, 2.0);
        played.lose(LossKind::FastRetransmit);
        let ssthresh = played.cc.ssthresh() as f64 / 1000.0;
        assert!((ssthresh - 20.0).abs() < 1.5, "{preset}: {ssthresh}");
        assert!(
            (played.cwnd() - cwnd).abs() < 1.5,
            "{preset}: {}",
            played.cwnd()
        );
    }
}

/// Without a handshake nothing sets the window to rho, not the reports behind a first segment that
/// was lost either.
#[test]
fn hybla_of_linux_halves_where_the_first_segment_is_lost() {
    let keys = [("handshake", "false"), ("segment", "1000 B")];
    let mut bench = Bench::new("hybla", Preset::Linux, RTT, &keys);
    bench.fate = Box::new(|n, _| if n == 0 { Fate::Drop } else { Fate::Deliver });
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_ms(199));
    assert_eq!(bench.sender.ssthresh(), 5_000);
}

/// ns-3 compares its threshold of 15 with bytes: no window is as small.
#[test]
fn illinois_of_ns3_has_no_small_windows() {
    for (preset, alpha) in [(REFERENCE, 1.0), (Preset::Linux, 1.0), (Preset::Ns3, 10.0)] {
        let mut played = Played::new("illinois", preset, 10.0, 2.0);
        played.cc.set_window(10.0, 2.0);
        played.round(RTT, false);
        played.round(RTT, false);
        assert_eq!(played.probe("alpha"), alpha, "{preset}");
    }
}

/// The mean of round-trip times that are all equal is no delay, and less than a microsecond is none
/// either.
#[test]
fn illinois_grows_most_where_nothing_waits() {
    for preset in Preset::ALL {
        for us in [20_000, 33_333, 50_000, 100_000, 150_000] {
            let mut played = Played::new("illinois", preset, 100.0, 2.0);
            for n in 0..8 {
                let noise = Span::from_ps(100_000 * (n % 3));
                played.round(Span::from_us(us) + noise, false);
                assert_eq!(played.probe("alpha"), 10.0, "{preset} {us}");
            }
        }
    }
}

/// Alpha 10 at 24 segments: every third acknowledgement fills one, and 6 of the 30 are left over.
#[test]
fn illinois_of_linux_forgets_what_is_left_over() {
    for preset in [Preset::Linux, REFERENCE] {
        let mut played = Played::new("illinois", preset, 24.0, 2.0);
        let mut counts = Vec::new();
        for _ in 0..4 {
            let whole = played.cwnd().floor();
            let mut n = 0;
            while played.cwnd().floor() == whole {
                played.ack(RTT, false);
                n += 1;
            }
            counts.push(n);
        }
        let all: i32 = counts.iter().sum();
        assert_eq!(counts[0], 3, "{preset}: {counts:?}");
        assert_eq!(
            all,
            if preset == Preset::Linux { 12 } else { 11 },
            "{preset}: {counts:?}"
        );
    }
}

/// Alpha 0.3 where the queue is longest, and 2 x 0.3 is no whole number.
#[test]
fn illinois_of_ns3_stands_still_where_every_other_segment_is_acknowledged() {
    for (preset, grows) in [(REFERENCE, true), (Preset::Ns3, false)] {
        let mut played = Played::new("illinois", preset, 100.0, 2.0);
        played.segments = 2;
        played.round(RTT, false);
        for _ in 0..3 {
            played.round(Span::from_ms(200), false);
        }
        let before = played.cwnd();
        assert!((played.probe("alpha") - 0.3).abs() < 0.01, "{preset}");
        played.round(Span::from_ms(200), false);
        assert_eq!(played.cwnd() > before, grows, "{preset}");
    }
}

/// A window of 100 segments of 1000 bytes: 10 bytes and alpha for each acknowledgement, however
/// long the loss is ago. Three seconds after it alpha is 1 + 20 + 1.
#[test]
fn htcp_of_ns3_adds_alpha_in_bytes() {
    for segments in [1, 2] {
        let mut played = Played::new("htcp", Preset::Ns3, 200.0, 2.0);
        played.lose(LossKind::FastRetransmit);
        assert_eq!(played.cwnd(), 100.0);
        played.segments = segments;
        for (at, bytes) in [(1, 11), (3, 32)] {
            played.cc.set_window(100.0, 2.0);
            played.now = Time::ZERO + Span::from_whole_s(at);
            played.ack(RTT, false);
            assert_eq!(played.cc.cwnd(), 100_000 + bytes, "{at} s");
        }
    }
}

/// Losses ten round trips apart, with a window of its own each: what is left is RTTmin / RTTmax of
/// these ten where more was brought than the time before, but less than twice as much.
#[test]
fn htcp_of_ns3_adapts_where_throughput_has_risen() {
    let mut played = Played::new("htcp", Preset::Ns3, 100.0, 2.0);
    for (cwnd, longest, beta) in [
        (100.0, 100, 0.5),
        (120.0, 110, 10.0 / 11.0),
        (180.0, 400, 0.25),
        (130.0, 110, 0.5),
        (270.0, 110, 0.5),
        (280.0, 100, 1.0),
    ] {
        played.cc.set_window(cwnd, 2.0);
        played.round(Span::from_ms(longest), false);
        for _ in 1..10 {
            played.cc.set_window(cwnd, 2.0);
            played.round(RTT, false);
        }
        played.cc.set_window(cwnd, 2.0);
        played.lose(LossKind::FastRetransmit);
        assert!(
            (played.probe("beta") - beta).abs() < 1e-9,
            "{cwnd} {longest}: {}",
            played.probe("beta")
        );
        assert!(
            (played.cwnd() - beta * cwnd).abs() < 0.01,
            "{cwnd}: {}",
            played.cwnd()
        );
    }
}

/// Vegas' window after a round of 100 ms and one of `ms`, with a window of 20 segments and alpha 2,
/// beta 4.
fn vegas_adjusted(preset: Preset, ms: u64) -> f64 {
    let mut played = Played::new("vegas", preset, 20.0, 2.0);
    played.round(RTT, false);
    played.cc.set_window(20.0, 2.0);
    played.round(Span::from_ms(ms), false);
    // The next is the first that acknowledges what was sent after them; in ns-3 the last of a round
    // trip ends it.
    if preset != Preset::Ns3 {
        played.cc.set_window(20.0, 2.0);
        played.ack(Span::from_ms(ms), false);
    }
    played.cwnd() - 20.0
}

/// Linux rounds 20 (RTT - base) / base down: 1 below 110 ms, 5 from 125 on. ns-3 rounds 20 (RTT -
/// base) / RTT up: 1 up to 105.26 ms, 5 above 125. ns-2, with 1 and 3, to the nearest: 0 below
/// 102.56 ms, 4 from 121.2 on.
#[test]
fn vegas_rounds_what_waits() {
    for (preset, ms, change) in [
        (Preset::Linux, 109, 1.0),
        (Preset::Linux, 111, 0.0),
        (Preset::Linux, 124, 0.0),
        (Preset::Linux, 126, -1.0),
        (Preset::Ns3, 105, 1.0),
        (Preset::Ns3, 106, 0.0),
        (Preset::Ns3, 124, 0.0),
        (Preset::Ns3, 126, -1.0),
        // A twentieth with each acknowledgement.
        (Preset::Ns2, 102, 0.05),
        (Preset::Ns2, 103, 0.0),
        (Preset::Ns2, 121, 0.0),
        (Preset::Ns2, 123, -1.0),
        (REFERENCE, 111, 1.0),
        (REFERENCE, 112, 0.0),
        (REFERENCE, 124, 0.0),
        (REFERENCE, 126, -1.0),
    ] {
        let off = (vegas_adjusted(preset, ms) - change).abs();
        assert!(off < 1e-9, "{preset} {ms} ms");
    }
}

/// In slow start more than 1: in Linux that is 2.
#[test]
fn vegas_of_linux_leaves_slow_start_at_two() {
    for (ms, leaves) in [(109, false), (111, true)] {
        let mut played = Played::new("vegas", Preset::Linux, 20.0, 1000.0);
        played.round(RTT, false);
        played.round(Span::from_ms(ms), false);
        played.cc.set_window(20.0, 1000.0);
        played.ack(Span::from_ms(ms), false);
        assert_eq!(played.cc.ssthresh() < 1_000_000, leaves, "{ms} ms");
    }
}

/// A threshold of 2 was lifted to three quarters of 20 segments; in slow start there is none below
/// the window.
#[test]
fn a_loss_takes_little_from_vegas_of_ns3() {
    for kind in [LossKind::FastRetransmit, LossKind::Timeout] {
        for (ssthresh, left) in [(2.0, 15.0), (17.0, 17.0), (1000.0, 19.0)] {
            let mut played = Played::new("vegas", Preset::Ns3, 20.0, 2.0);
            played.round(RTT, false);
            // Neither grows nor shrinks.
            played.round(Span::from_ms(115), false);
            played.cc.set_window(20.0, ssthresh);
            if ssthresh < 20.0 {
                played.round(Span::from_ms(115), false);
            }
            assert_eq!(played.cwnd(), 20.0);
            played.lose(kind);
            assert_eq!(
                played.cc.ssthresh() as f64 / 1000.0,
                left,
                "{kind:?} {ssthresh}"
            );
        }
    }
}

#[test]
fn ns2_takes_a_timeout_of_vegas_to_two_segments_and_a_loss_down_by_whole_ones() {
    let mut played = Played::new("vegas", Preset::Ns2, 19.0, 2.0);
    played.lose(LossKind::FastRetransmit);
    assert_eq!(played.cwnd(), 15.0);
    played.lose(LossKind::Timeout);
    assert_eq!((played.cwnd(), played.cc.ssthresh()), (2.0, 7000));
}

/// A path of 100 ms that has become one of 150: idle time, or a timeout, after which nothing is in
/// flight, lets Linux begin anew with it.
#[test]
fn linux_forgets_the_base_when_nothing_is_in_flight() {
    let longer = Span::from_ms(150);
    let waits = |name: &str, preset, end: fn(&mut Played)| {
        let mut played = Played::new(name, preset, 100.0, 50.0);
        played.round(RTT, false);
        end(&mut played);
        for _ in 0..3 {
            played.cc.set_window(100.0, 50.0);
            played.round(longer, false);
        }
        match name {
            "vegas" => played.probe("base_rtt") < 0.15,
            "veno" => played.probe("backlog") > 0.0,
            _ => played.probe("queue") > 0.0,
        }
    };
    for name in ["vegas", "veno", "yeah"] {
        for preset in [REFERENCE, Preset::Linux, Preset::Ns3] {
            assert!(waits(name, preset, |_| {}), "{name} {preset}");
            let after = waits(name, preset, |played| played.lose(LossKind::Timeout));
            assert_eq!(after, preset != Preset::Linux, "{name} {preset}");
            let after = waits(name, preset, |played| {
                played.cc.on_tx_start(played.now, RTT, false);
            });
            assert_eq!(after, preset != Preset::Linux, "{name} {preset}");
        }
    }
}

/// What waits of 20 segments: 2.5 at 114.3 ms. In half segments rounded up more is 3, in whole ones
/// more than 2 is.
#[test]
fn veno_rounds_what_waits_up() {
    for (preset, ms, left) in [
        (REFERENCE, 117, 0.8),
        (REFERENCE, 118, 0.5),
        (Preset::Linux, 114, 0.8),
        (Preset::Linux, 115, 0.5),
        (Preset::Ns3, 111, 0.8),
        (Preset::Ns3, 112, 0.5),
    ] {
        let mut played = Played::new("veno", preset, 20.0, 2.0);
        played.round(RTT, false);
        played.cc.set_window(20.0, 2.0);
        played.ack(Span::from_ms(ms), false);
        played.cc.set_window(20.0, 2.0);
        played.lose(LossKind::FastRetransmit);
        assert_eq!(played.cwnd(), 20.0 * left, "{preset} {ms} ms");
    }
}

/// Four round trips of 100 segments each, of which 33 wait: Linux grows by one for every other
/// window, and the acknowledgement after it; ns-3 by one for each, however much waits, but for what
/// it rounds down, a byte of ten.
#[test]
fn veno_of_ns3_grows_as_newreno() {
    for (preset, segments, growth) in [
        (REFERENCE, 1, 2.0),
        (Preset::Linux, 1, 2.0),
        (Preset::Ns3, 1, 3.6),
        (Preset::Ns3, 2, 1.8),
    ] {
        let mut played = Played::new("veno", preset, 100.0, 2.0);
        played.round(RTT, false);
        played.cc.set_window(100.0, 2.0);
        played.segments = segments;
        let longer = Span::from_ms(150);
        for _ in 0..4 {
            played.round(longer, false);
        }
        let found = played.cwnd() - 100.0;
        assert!((found - growth).abs() < 0.3, "{preset} {segments}: {found}");
    }
}

/// A queue of an eighth of the base is long enough to be slow; in ns-3 any is, and of the two bytes
/// that an acknowledgement is to add to 500 segments it adds one.
#[test]
fn yeah_of_ns3_is_slow_with_any_delay() {
    for (preset, us, segments, growth) in [
        (REFERENCE, 101_200, 1, 5.0),
        (Preset::Linux, 101_200, 1, 5.0),
        (Preset::Ns3, 100_000, 1, 5.0),
        (Preset::Ns3, 100_900, 1, 0.5),
        (Preset::Ns3, 101_200, 1, 0.5),
        (Preset::Ns3, 101_200, 2, 0.25),
        (REFERENCE, 113_000, 2, 1.0),
    ] {
        let mut played = Played::new("yeah", preset, 500.0, 2.0);
        played.round(RTT, false);
        played.segments = segments;
        for _ in 0..2 {
            played.cc.set_window(500.0, 2.0);
            played.round(Span::from_us(us), false);
        }
        let before = played.cwnd();
        for _ in 0..4 {
            played.round(Span::from_us(us), false);
        }
        let found = (played.cwnd() - before) / 4.0;
        assert!(
            (found / growth - 1.0).abs() < 0.15,
            "{preset} {us} {segments}: {found}"
        );
    }
}

/// Beta 0.8, an eighth, a fifth: what a timeout leaves in the threshold is what a loss does, but in
/// the reference.
#[test]
fn linux_and_ns3_take_a_timeout_for_a_loss() {
    for (name, left) in [("htcp", 80.0), ("yeah", 88.0), ("veno", 80.0)] {
        for preset in [REFERENCE, Preset::Linux, Preset::Ns3] {
            let mut played = Played::new(name, preset, 100.0, 2.0);
            for round in 0..12_u64 {
                // Throughput that rises, and a queue of a quarter of the base, for H-TCP; none for
                // the others.
                played.cc.set_window(100.0 + round as f64, 2.0);
                let ms = if name == "htcp" && round % 4 == 0 {
                    119
                } else {
                    100
                };
                played.round(Span::from_ms(ms), false);
                if name == "htcp" && round % 4 == 3 && round < 11 {
                    played.lose(LossKind::FastRetransmit);
                }
            }
            played.cc.set_window(100.0, 2.0);
            played.lose(LossKind::Timeout);
            let found = played.cc.ssthresh() as f64 / 1000.0;
            let expected = if preset == REFERENCE { 50.0 } else { left };
            assert!((found - expected).abs() < 5.0, "{name} {preset}: {found}");
        }
    }
}

/// `htcp_cong_avoid` asks before it counts: a window of 10 takes ten acknowledgements and one that
/// adds the segment.
#[test]
fn the_acknowledgement_that_adds_a_segment_counts_for_none_in_h_tcp() {
    let mut played = Played::new("htcp", Preset::Linux, 10.0, 2.0);
    let mut counts = Vec::new();
    for cwnd in 10..13 {
        let mut n = 0;
        while played.cwnd() < f64::from(cwnd + 1) {
            played.ack(RTT, false);
            n += 1;
        }
        counts.push(n);
    }
    assert_eq!(counts, [11, 12, 13]);
    // At 23 segments and alpha 1 it takes 23 acknowledgements in the reference.
    let mut played = Played::new("htcp", REFERENCE, 46.0, 2.0);
    played.lose(LossKind::FastRetransmit);
    for _ in 0..24 {
        played.ack(RTT, false);
    }
    assert!((played.cwnd() - 24.0).abs() < 0.05, "{}", played.cwnd());
}

/// `vegas_enable`: what was measured while losses were repaired says nothing. From the end of
/// recovery a whole round trip goes by, then 200 ms tell of six segments in the queue.
#[test]
fn vegas_of_linux_begins_anew_after_recovery() {
    let mut played = Played::new("vegas", Preset::Linux, 20.0, 2.0);
    played.round(RTT, false);
    played.cc.set_window(6.0, 2.0);
    for _ in 0..4 {
        played.report(RTT);
    }
    played.fill(4, RTT);
    assert_eq!(played.cwnd(), 6.0);
    let changes = (1..=7).find(|_| {
        played.ack(Span::from_ms(200), false);
        played.cwnd() != 6.0
    });
    assert_eq!((changes, played.cwnd()), (Some(6), 5.0));
}

/// `tcp_current_ssthresh`: a half and a quarter of three segments are one, of five three; other
/// presets lift to three quarters.
#[test]
fn vegas_of_linux_lifts_the_threshold_by_whole_segments() {
    for (preset, cwnd, ssthresh) in [
        (Preset::Linux, 3.0, 2_000),
        (Preset::Linux, 5.0, 3_000),
        (Preset::Ns3, 5.0, 3_750),
    ] {
        let mut played = Played::new("vegas", preset, 20.0, 2.0);
        played.round(RTT, false);
        played.round(Span::from_ms(180), false);
        played.round(Span::from_ms(180), false);
        played.cc.set_window(cwnd, 2.0);
        for _ in 0..40 {
            played.ack(Span::from_ms(180), false);
        }
        assert_eq!(played.cc.ssthresh(), ssthresh, "{preset}, {cwnd}");
    }
}

/// Two segments in 1.2 ms are 1666 bytes a tick, and the round trip counts for two ticks: that is
/// three segments.
#[test]
fn westwood_of_linux_has_a_clock_of_milliseconds() {
    for (preset, left) in [(Preset::Linux, 3.0), (REFERENCE, 2.0)] {
        let mut played = Played::new("westwood", preset, 2.0, 2.0);
        for _ in 0..200 {
            played.cc.set_window(2.0, 2.0);
            played.round(Span::from_us(1_200), false);
        }
        played.cc.set_window(8.0, 2.0);
        played.lose(LossKind::FastRetransmit);
        assert_eq!(played.cwnd(), left, "{preset}");
    }
}

/// Before there is an estimate, too.
#[test]
fn westwood_of_linux_takes_its_estimate_for_the_window_at_the_end_of_recovery() {
    for (preset, left) in [(Preset::Linux, 2.0), (REFERENCE, 4.0)] {
        let mut played = Played::new("westwood", preset, 8.0, 2.0);
        played.ack(RTT, false);
        played.cc.set_window(8.0, 2.0);
        played.lose(LossKind::FastRetransmit);
        assert_eq!(played.cwnd(), left, "{preset}");
    }
}

/// 1.15 s after a loss f is 1 + 1.5, of which two are whole, and after 1.09 s one. It counts once
/// the window has grown: ten segments take eleven acknowledgements before, then eleven take seven,
/// or twelve.
#[test]
fn htcp_of_linux_reckons_alpha_when_the_window_grows() {
    for (ms, counts) in [(1_150, [11, 7]), (1_090, [11, 12])] {
        let mut played = Played::new("htcp", Preset::Linux, 20.0, 2.0);
        played.ack(RTT, false);
        played.cc.set_window(20.0, 2.0);
        played.lose(LossKind::FastRetransmit);
        played.now += Span::from_ms(ms);
        // The first is of the recovery that is over, and counts as well.
        let found = [11.0, 12.0].map(|cwnd| {
            let mut n = 0;
            while played.cwnd() < cwnd {
                played.ack(RTT, false);
                n += 1;
            }
            n
        });
        assert_eq!(found, counts, "{ms} ms");
    }
}

/// `TcpNewReno::CongestionAvoidance`: the windows of ns-3 are whole bytes, and what is added is
/// rounded down, to one byte at least. 1000 x 1000 / 600 000 is 1.67.
#[test]
fn ns3_adds_whole_bytes() {
    for (cwnd, bytes) in [(100.0, 10), (600.0, 1), (3000.0, 1)] {
        let mut played = Played::new("newreno", Preset::Ns3, cwnd, 2.0);
        played.ack(RTT, false);
        assert_eq!(played.cc.cwnd(), (1000.0 * cwnd) as u64 + bytes, "{cwnd}");
    }
}

/// `TcpHighSpeed::TableLookupA`, `TableLookupB`: from 39 to 118 segments 2 and 0.44, from 119 on 3
/// and 0.41; each segment acknowledged counts for a.
#[test]
fn highspeed_of_ns3_has_its_table() {
    for (cwnd, acks, left) in [(38.0, 38, 19.0), (100.0, 50, 56.0), (200.0, 67, 118.0)] {
        let mut played = Played::new("highspeed", Preset::Ns3, cwnd, 2.0);
        for _ in 0..acks {
            assert_eq!(played.cwnd(), cwnd);
            played.ack(RTT, false);
        }
        assert_eq!(played.cwnd(), cwnd + 1.0);
        played.cc.set_window(cwnd, 2.0);
        played.lose(LossKind::FastRetransmit);
        assert_eq!(played.cwnd(), left, "{cwnd}");
    }
}

/// `TcpLinuxReno::SlowStart`.
#[test]
fn dctcp_of_ns3_counts_all_in_slow_start() {
    for (preset, cwnd) in [(REFERENCE, 11.0), (Preset::Ns3, 12.0)] {
        let mut played = Played::new("dctcp", preset, 10.0, 20.0);
        played.segments = 2;
        played.ack(RTT, false);
        assert_eq!(played.cwnd(), cwnd, "{preset}");
    }
}
