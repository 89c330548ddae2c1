//! What controllers that go by losses and marks do in ways of their own in Linux and ns-3, as their
//! sources have it (Linux 6.1, ns-3.37).

use sojourn_base::params::Texts;
use sojourn_base::{Preset, Span, Time};
use sojourn_transport::{CongestionControl, LossKind, Start, State, cc::build};

use super::played::Played;
use super::{REFERENCE, RTT};

/// `tcp_enter_loss` always enters the state in which these forget; whether it reduces is another
/// question.
#[test]
fn a_timeout_in_a_reduced_window_makes_linux_forget_too() {
    for (name, preset, w_max) in [
        ("cubic", Preset::Linux, 0.0),
        ("cubic", Preset::Ns3, 0.0),
        ("bic", Preset::Linux, 0.0),
        ("bic", Preset::Ns3, 100.0),
        ("cubic", REFERENCE, 100.0),
    ] {
        let mut played = Played::new(name, preset, 100.0, 50.0);
        played.lose(LossKind::FastRetransmit);
        assert_eq!(played.probe("w_max"), 100.0);
        let ssthresh = played.cc.ssthresh();
        played.lose_once_more(LossKind::Timeout, true);
        assert_eq!(played.probe("w_max"), w_max, "{name} {preset}");
        assert_eq!((played.cwnd(), played.cc.ssthresh()), (1.0, ssthresh));
    }
}

/// A loss at 70 segments, below the last maximum: W_max is 59.5 of them, of which the kernel and
/// ns-3 keep the whole ones.
#[test]
fn linux_and_ns3_count_the_maximum_of_cubic_in_whole_segments() {
    for preset in [Preset::Linux, Preset::Ns3] {
        let mut played = Played::new("cubic", preset, 100.0, 50.0);
        played.lose(LossKind::FastRetransmit);
        played.ack(RTT, false);
        assert_eq!(played.cwnd(), 70.0);
        played.lose(LossKind::FastRetransmit);
        assert_eq!(played.probe("w_max"), 59.0, "{preset}");
    }
}

/// Twenty seconds with a third of the window in flight, 100 ms of round trip. By RFC 9438 they do
/// not count; in Linux only time with nothing in flight does not, in ns-3 all counts: then the
/// curve stands far above, and the window grows by half a round trip.
#[test]
fn only_the_reference_stops_the_clock_of_cubic_while_the_window_is_not_used() {
    for (preset, growth) in [(REFERENCE, 1.0), (Preset::Linux, 1.5), (Preset::Ns3, 1.4)] {
        let mut played = Played::new("cubic", preset, 100.0, 50.0);
        played.lose(LossKind::FastRetransmit);
        played.round(RTT, false);
        played.flight = Some(33_000);
        for _ in 0..200 {
            played.round(RTT, false);
        }
        played.flight = None;
        let before = played.cwnd();
        played.round(RTT, false);
        let found = played.cwnd() / before;
        assert!((found - growth).abs() < 0.1, "{preset}: {found}");
        // Idle time counts in ns-3 alone.
        let mut idle = Played::new("cubic", preset, 100.0, 50.0);
        idle.lose(LossKind::FastRetransmit);
        idle.round(RTT, false);
        idle.now += Span::from_whole_s(20);
        idle.cc.on_tx_start(idle.now, Span::from_whole_s(20), false);
        let before = idle.cwnd();
        idle.round(RTT, false);
        let has_grown = idle.cwnd() / before > 1.3;
        assert_eq!(has_grown, preset == Preset::Ns3, "{preset}");
    }
}

/// W_est of another beta: one segment for 8 (1 + b) / 3 / (1 - b) eighths of a window, at b = 1/2
/// one for each.
#[test]
fn cubics_estimate_of_reno_follows_beta() {
    for (beta, rounds, grown) in [("0.5", 40, 40.0), ("0.7001953125", 45, 24.0)] {
        let mut played = Played::new("cubic", Preset::Linux, 100.0, 50.0);
        let keys = [("beta", beta)];
        played.cc = build("cubic", &Texts(&keys), Preset::Linux, &Start::of(1000, 10)).unwrap();
        played.cc.set_window(100.0, 50.0);
        played.lose(LossKind::FastRetransmit);
        played.ack(Span::from_ms(1), false);
        let before = played.probe("w_est");
        for _ in 0..rounds {
            played.round(Span::from_ms(40), false);
        }
        let found = played.probe("w_est") - before;
        assert!((found - grown).abs() <= 1.5, "{beta}: {found}");
    }
}

/// Before any loss Linux's CUBIC grows by a segment for 20 acknowledged. W_est comes to 11 with the
/// 19th acknowledgement, for which a window of 10 would grow by one for 10; but in the same window
/// that is looked at after 31 ms only.
#[test]
fn cubic_of_linux_keeps_its_pace_for_31_ms() {
    for (gap_ms, enough) in [(1, 20), (10, 20), (40, 19)] {
        let mut played = Played::new("cubic", Preset::Linux, 10.0, 5.0);
        let mut acks = 0;
        while played.cwnd() < 11.0 {
            played.ack(Span::from_ms(4), false);
            played.now += Span::from_ms(gap_ms);
            acks += 1;
        }
        assert_eq!(acks, enough, "{gap_ms} ms");
    }
}

/// After a timeout the window before it is what W_est must reach before it grows by a segment a
/// round trip (RFC 9438, 4.3).
#[test]
fn cubics_estimate_of_reno_grows_slowly_after_a_timeout_too() {
    for kind in [LossKind::FastRetransmit, LossKind::Timeout] {
        let mut played = Played::new("cubic", REFERENCE, 20.0, 10.0);
        played.lose(kind);
        while played.cc.cwnd() < played.cc.ssthresh() {
            played.round(Span::from_ms(1), false);
        }
        played.ack(Span::from_ms(1), false);
        let before = played.probe("w_est");
        for _ in 0..6 {
            played.round(Span::from_ms(1), false);
        }
        let each = (played.probe("w_est") - before) / 6.0;
        assert!((each - 9.0 / 17.0).abs() < 0.05, "{kind:?}: {each}");
    }
}

/// Acknowledgements that come more than 2 ms apart, of a path that is 10 ms longer than the least
/// of 40: by Linux's margin of 5 ms the ninth of the round tells, by ns-3's of 40 ms none. Slow
/// start that was left so is not left so again.
#[test]
fn the_margins_of_hystart() {
    let left_after = |preset| {
        // A window of less than 16 is not looked at, but its RTT counts.
        let mut played = Played::new("cubic", preset, 10.0, f64::INFINITY);
        played.ack(Span::from_ms(40), false);
        played.cc.set_window(20.0, f64::INFINITY);
        (1..60).find(|_| {
            played.now += Span::from_ms(3);
            played.ack(Span::from_ms(50), false);
            played.cc.ssthresh() < u64::MAX
        })
    };
    assert_eq!(left_after(Preset::Linux), Some(9));
    assert_eq!(left_after(Preset::Ns3), None);

    for preset in [Preset::Linux, Preset::Ns3] {
        let mut played = Played::new("cubic", preset, 20.0, f64::INFINITY);
        let rtts = [40, 40, 90, 90].map(Span::from_ms);
        for rtt in rtts {
            played.round(rtt, false);
        }
        assert!(played.cc.ssthresh() < u64::MAX, "{preset}");
        // Idle: slow start again, up to a threshold that was far above.
        let again = |played: &mut Played| {
            played.cc.set_window(20.0, 1000.0);
            for rtt in rtts {
                played.round(rtt, false);
            }
            played.cc.ssthresh()
        };
        assert_eq!(again(&mut played), 1_000_000, "{preset}");
        played.lose(LossKind::Timeout);
        assert!(again(&mut played) < 1_000_000, "{preset}");
    }
}

/// Acknowledgements half a millisecond apart for a round trip of 100 ms: Linux leaves after half of
/// it and of a millisecond, ns-3 after more than all of it.
#[test]
fn the_trains_of_hystart() {
    for (preset, left) in [(Preset::Linux, Some(302.0)), (Preset::Ns3, None)] {
        let mut played = Played::new("cubic", preset, 200.0, f64::INFINITY);
        played.now = Time::ZERO + Span::from_ms(10);
        played.round(RTT, false);
        let ssthresh = played.cc.ssthresh();
        let found = (ssthresh < u64::MAX).then_some(ssthresh as f64 / 1000.0);
        assert_eq!(found.is_some(), left.is_some(), "{preset}: {found:?}");
        if let (Some(found), Some(left)) = (found, left) {
            assert!((found - left).abs() < 0.5, "{found}");
        }
    }
}

/// What goes is rounded down, by formula: cwnd - (cwnd * part).
#[test]
fn linux_rounds_what_a_loss_takes_away() {
    for (name, cwnd, left) in [
        ("scalable", 7.0, 7.0),
        ("scalable", 15.0, 14.0),
        ("scalable", 16.0, 14.0),
        // Half of 13 is 6.5: Reno rounds what is left.
        ("newreno", 13.0, 6.0),
        ("illinois", 13.0, 7.0),
        ("highspeed", 13.0, 7.0),
    ] {
        let mut played = Played::new(name, Preset::Linux, cwnd, 2.0);
        played.lose(LossKind::FastRetransmit);
        assert_eq!(played.cwnd(), left, "{name} {cwnd}");
    }
}

/// Alpha in 1024ths: from 1024 by a sixteenth rounded down, 64, and at 15, where that is nothing,
/// all at once.
#[test]
fn linux_takes_alpha_to_nothing() {
    let mut played = Played::new("dctcp", Preset::Linux, 10.0, 2.0);
    let mut seen = Vec::new();
    for _ in 0..80 {
        for _ in 0..11 {
            played.cc.set_window(10.0, 2.0);
            played.now += Span::from_ms(10);
            played.ack(RTT, false);
        }
        seen.push(played.probe("alpha") * 1024.0);
    }
    seen.dedup();
    assert!(seen.starts_with(&[900.0, 844.0]), "{seen:?}");
    assert_eq!(seen[seen.len() - 2..], [15.0, 0.0]);
    // A mark takes nothing then, and less than a segment is nothing too.
    played.cc.set_window(30.0, 2.0);
    played.lose(LossKind::Ecn);
    assert_eq!(played.cwnd(), 30.0);
}

/// A window is over with what was the last to be sent when it began, under the RFC with the next.
#[test]
fn a_window_of_dctcp_ends_sooner_in_linux() {
    for (preset, acks) in [(REFERENCE, 10), (Preset::Linux, 9)] {
        let mut played = Played::new("dctcp", preset, 10.0, 2.0);
        let mut changes = Vec::new();
        let mut alpha = played.probe("alpha");
        for n in 0..60 {
            played.cc.set_window(10.0, 2.0);
            played.ack(RTT, false);
            let before = core::mem::replace(&mut alpha, played.probe("alpha"));
            if alpha < before {
                changes.push(n);
            }
        }
        let apart: Vec<i32> = changes.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(
            apart.len() > 3 && apart.iter().all(|&n| n == acks),
            "{preset}: {apart:?}"
        );
    }
}

#[test]
fn dctcp_of_ns3_answers_a_loss_as_a_mark() {
    for (preset, left) in [
        (Preset::Ns3, 99.0),
        (REFERENCE, 50.0),
        (Preset::Linux, 50.0),
    ] {
        let mut played = Played::new("dctcp", preset, 100.0, 50.0);
        while played.probe("alpha") > 0.02 {
            played.round(RTT, false);
        }
        played.cc.set_window(100.0, 50.0);
        played.lose(LossKind::FastRetransmit);
        assert!(
            (played.cwnd() - left).abs() < 0.5,
            "{preset}: {}",
            played.cwnd()
        );
    }
}

/// W_max 100. Distances are whole in Linux and ns-3: from 93 on it is near. Linux divides its
/// counts, 6, 465 and 475, by the segments of an acknowledgement; that it takes for 31/16 where
/// there is one, since what is above 1 rounds to it.
#[test]
fn the_counts_of_bic() {
    let counts = |preset: Preset| {
        [60.0, 93.0, 95.0].map(|cwnd| {
            let mut played = Played::new("bic", preset, 100.0, 2.0);
            played.lose(LossKind::FastRetransmit);
            // Linux learns that each acknowledgement covers one segment.
            played.state = State::Open;
            for _ in 0..100 {
                played.flight = Some(1_000);
                played.ack(RTT, false);
            }
            played.flight = None;
            played.cc.set_window(cwnd, 2.0);
            let mut n = 0;
            while played.cwnd() == cwnd {
                played.ack(RTT, false);
                n += 1;
            }
            n
        })
    };
    assert_eq!(counts(Preset::Linux), [3, 240, 245]);
    // More than so many, and 5 / 4.
    assert_eq!(counts(Preset::Ns3), [7, 117, 119]);
}

#[test]
fn bic_of_ns3_reduces_the_window_and_not_the_flight() {
    for (preset, left) in [(Preset::Ns3, 80.0), (REFERENCE, 79.98)] {
        let mut played = Played::new("bic", preset, 100.0, 50.0);
        played.lose(LossKind::FastRetransmit);
        assert!((played.cwnd() - left).abs() < 0.01, "{}", played.cwnd());
    }
}

/// `tcp_slow_start` goes to the threshold; of the rest of an acknowledgement some modules make
/// nothing.
#[test]
fn some_of_linux_forget_what_slow_start_leaves() {
    for (name, cwnd) in [
        ("newreno", 11.0),
        ("highspeed", 10.0),
        ("htcp", 10.0),
        ("illinois", 10.0),
    ] {
        let mut played = Played::new(name, Preset::Linux, 9.0, 10.0);
        played.segments = 6;
        played.ack(RTT, false);
        assert_eq!(played.cwnd(), 10.0, "{name}");
        played.ack(RTT, false);
        assert_eq!(played.cwnd(), cwnd, "{name}");
    }
}

/// Acknowledgements of two segments each, a window's worth of segments in all: half the growth
/// where it is they that count.
#[test]
fn highspeed_of_linux_counts_acknowledgements() {
    for (preset, segments, growth) in [
        (Preset::Linux, 1, 7.8),
        (Preset::Linux, 2, 3.9),
        (REFERENCE, 2, 7.8),
    ] {
        let mut played = Played::new("highspeed", preset, 1000.0, 2.0);
        played.segments = segments;
        for _ in 0..4 {
            played.round(RTT, false);
        }
        let found = (played.cwnd() - 1000.0) / 4.0;
        assert!(
            (found / growth - 1.0).abs() < 0.1,
            "{preset} {segments}: {found}"
        );
    }
}

/// With 100 ms rho is 4: each acknowledgement adds 16 / W in parts of 128, rounded down. Of 100
/// segments that is 20 parts, so that the seventh adds a segment and twelve are left; of three 682,
/// five segments and 42 parts, then of eight two.
#[test]
fn hybla_of_linux_grows_in_parts_of_128() {
    let grown = |cwnd, ssthresh, acks| {
        let mut played = Played::new("hybla", Preset::Linux, cwnd, ssthresh);
        played.segments = 2;
        let windows: Vec<_> = (0..acks)
            .map(|_| {
                played.ack(RTT, false);
                played.cwnd()
            })
            .collect();
        windows
    };
    let windows = grown(100.0, 2.0, 13);
    assert_eq!(windows[..6], [100.0; 6]);
    assert_eq!(windows[6..12], [101.0; 6]);
    assert_eq!(windows[12], 102.0);
    assert_eq!(grown(3.0, 2.0, 2), [8.0, 10.0]);
    // Slow start adds 2 to the fourth less one, up to the threshold.
    assert_eq!(grown(2.0, 40.0, 3), [17.0, 32.0, 40.0]);
    assert_eq!(grown(65_530.0, 1e6, 1), [65_535.0]);
}

/// What recovery reported is acknowledged in order at its end: five segments for a window of two,
/// so that it grows by two; Reno counts the one that was delivered.
#[test]
fn illinois_of_linux_counts_what_is_acknowledged_in_order() {
    for (name, cwnd) in [("illinois", 4.0), ("reno", 2.0)] {
        let mut played = Played::new(name, Preset::Linux, 2.0, 2.0);
        for n in 0..4 {
            played.report(RTT);
            assert_eq!(played.cwnd(), 2.0, "{name} {n}");
        }
        played.fill(4, RTT);
        assert_eq!(played.cwnd(), cwnd, "{name}");
    }
}

/// One segment for a hundred acknowledged, and no part of one.
#[test]
fn scalable_of_linux_grows_by_whole_segments() {
    let mut played = Played::new("scalable", Preset::Linux, 400.0, 2.0);
    for n in 1..=300 {
        played.ack(RTT, false);
        assert_eq!(
            played.cwnd(),
            400.0 + libm::floor(f64::from(n) / 100.0),
            "{n}"
        );
    }
}

/// The windows of RFC 3649's table (appendix B), in whose row a is the place in it; Linux leaves
/// out the last, 94717.
const WINDOWS: [u32; 72] = [
    38, 118, 221, 347, 495, 663, 851, 1058, 1284, 1529, 1793, 2076, 2378, 2699, 3039, 3399, 3778,
    4177, 4596, 5036, 5497, 5979, 6483, 7009, 7558, 8130, 8726, 9346, 9991, 10661, 11358, 12082,
    12834, 13614, 14424, 15265, 16137, 17042, 17981, 18955, 19965, 21013, 22101, 23230, 24402,
    25618, 26881, 28193, 29557, 30975, 32450, 33986, 35586, 37253, 38992, 40808, 42707, 44694,
    46776, 48961, 51258, 53677, 56230, 58932, 61799, 64851, 68113, 71617, 75401, 79517, 84035,
    89053,
];

/// Linux's HighSpeed at a window, past slow start, with its row found.
fn highspeed_at(played: &mut Played, cwnd: f64) -> (f64, f64) {
    played.cc.set_window(cwnd, 2.0);
    played.ack(RTT, false);
    (played.probe("a"), played.probe("b") * 256.0)
}

/// A row ends at its window, and above the last window the last row stands. From 38 to 89053 and
/// down again.
#[test]
fn the_table_of_highspeed() {
    let mut played = Played::new("highspeed", Preset::Linux, 10.0, 2.0);
    let mut ends = Vec::new();
    for (n, window) in WINDOWS.into_iter().enumerate() {
        let a = (n + 1) as f64;
        ends.push((f64::from(window), a));
        ends.push((f64::from(window + 1), (a + 1.0).min(72.0)));
    }
    ends.push((2e6, 72.0));
    for (cwnd, a) in ends.iter().chain(ends.iter().rev()) {
        assert_eq!(highspeed_at(&mut played, *cwnd).0, *a, "{cwnd}");
    }
    // 256 b(118) = 128 - 102.4 ln (118 / 38) / ln (83000 / 38) = 112.91; 104.55 at 221, 83.71 at
    // 1058, 24.05 at 89053.
    for (cwnd, b) in [
        (38.0, 128.0),
        (39.0, 112.0),
        (221.0, 104.0),
        (1058.0, 83.0),
        (1e5, 24.0),
    ] {
        assert_eq!(highspeed_at(&mut played, cwnd).1, b, "{cwnd}");
    }
}

/// b(551) = 0.5 - 0.4 ln 55.1 / ln 100 = 0.1518, 38.9 in 256, and a = 551^0.8 / 12.8 x 0.3036 /
/// 1.8482 = 2.0005. No window has 3: a falls again from 839 on.
#[test]
fn the_table_of_highspeed_with_other_parameters() {
    let mut played = Played::new("highspeed", Preset::Linux, 10.0, 2.0);
    let keys = [("low_window", "10"), ("high_window", "1000")];
    let start = Start::of(1000, 10);
    played.cc = build("highspeed", &Texts(&keys), Preset::Linux, &start).unwrap();
    assert_eq!(highspeed_at(&mut played, 10.0), (1.0, 128.0));
    for cwnd in [11.0, 551.0, 552.0, 5000.0] {
        assert_eq!(highspeed_at(&mut played, cwnd), (2.0, 38.0), "{cwnd}");
    }
}

/// Twos to 100, 101 and 102: 50 of them leave nothing, 51 one, and with that 51 another. At 118
/// fifty are 100, and seven threes at 119 make it 121.
#[test]
fn highspeed_of_linux_saves_up_a_window() {
    let mut played = Played::new("highspeed", Preset::Linux, 100.0, 2.0);
    let to_grow = |played: &mut Played| {
        let before = played.cwnd();
        (1..100).find(|_| {
            played.ack(RTT, false);
            played.cwnd() > before
        })
    };
    let found = [(); 4].map(|()| to_grow(&mut played));
    assert_eq!(found, [Some(50), Some(51), Some(51), Some(51)]);
    assert_eq!(played.cwnd(), 104.0);

    let mut played = Played::new("highspeed", Preset::Linux, 118.0, 2.0);
    for _ in 0..50 {
        played.ack(RTT, false);
    }
    played.cc.set_window(119.0, 2.0);
    assert_eq!(to_grow(&mut played), Some(7));
    // 2 are left. A window that is taken down for want of data has more saved up than it holds: one
    // at a time.
    played.cc.set_window(118.0, 2.0);
    for _ in 0..50 {
        played.ack(RTT, false);
    }
    played.cc.set_window(40.0, 2.0);
    // 102 + 2 - 40 = 64, + 2 - 41 = 25, and 9 twos more make 43.
    assert_eq!(
        [(); 3].map(|()| to_grow(&mut played)),
        [Some(1), Some(1), Some(9)]
    );
}

/// Slow start looks up no row, so that its first loss halves; nor does a loss, or a timeout and
/// what follows.
#[test]
fn highspeed_of_linux_reduces_by_the_row_of_its_last_growth() {
    let mut played = Played::new("highspeed", Preset::Linux, 500.0, f64::INFINITY);
    played.round(RTT, false);
    assert_eq!(played.cwnd(), 1000.0);
    played.lose(LossKind::FastRetransmit);
    assert_eq!(played.cwnd(), 500.0);
    // The row of 663 has 89 in 256: 500 x 89 / 256 is 173.8.
    highspeed_at(&mut played, 600.0);
    played.cc.set_window(500.0, 2.0);
    played.lose(LossKind::FastRetransmit);
    assert_eq!(played.cwnd(), 327.0);
    // 327 x 89 / 256 is 113.7.
    played.lose(LossKind::Timeout);
    assert_eq!((played.cwnd(), played.cc.ssthresh()), (1.0, 214_000));
    // Slow start from one, lost at 16: 16 x 89 / 256 is 5.6.
    for _ in 0..4 {
        played.round(RTT, false);
    }
    played.lose(LossKind::FastRetransmit);
    assert_eq!(played.cwnd(), 11.0);
    // The first growth finds the row of 11.
    played.ack(RTT, false);
    assert_eq!(played.probe("b"), 0.5);
    // Never less than two.
    played.cc.set_window(2.0, 2.0);
    played.lose(LossKind::FastRetransmit);
    assert_eq!(played.cwnd(), 2.0);
}
