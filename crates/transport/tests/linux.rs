//! Preset linux against what Linux 6.1 was seen to do, in User-Mode-Linux with virtual time: one
//! connection over a link of 10 Mbit/s, segments of 1448 bytes in frames of 1514, the usual
//! `tcp_rmem`.

use sojourn_base::{Ecn, Preset, Rate, Span, Time};
use sojourn_transport::{Ack, Arrival, CONTROLLERS, Receiver, SackBlocks, Segment};

use crate::bench::{Bench, Fate, Link, Solo, config, ms, segment};

fn over_10_mbit(congestion_control: &str, rtt_ms: u64) -> Bench {
    let half = Span::from_ps(Span::from_ms(rtt_ms).as_ps() / 2);
    let link = Link::new(Rate::from_bps(10_000_000), half, 100);
    let keys = [
        ("segment", "1448 B"),
        ("header", "66 B"),
        ("handshake", "true"),
    ];
    let mut bench = Bench::over(congestion_control, Preset::Linux, vec![link], half, &keys);
    bench.sender.write_endless();
    bench
}

/// The receiver acknowledges sixteen segments one by one, the next sixteen in pairs, and then one
/// by one again, since its buffer grows; there the kernel was seen to go on for 52 at 20 ms, and
/// for 243 at 100 ms. In the fifth second it acknowledges pairs.
#[test]
fn acknowledgements_come_one_by_one_while_the_window_grows() {
    for (rtt_ms, seen) in [(20, 52), (100, 243)] {
        let mut bench = over_10_mbit("cubic", rtt_ms);
        bench.run_until(Time::ZERO + Span::from_whole_s(5));
        let ends: Vec<_> = bench
            .acks
            .iter()
            .map(|(_, ack)| (ack.ack - 1) / 1448)
            .collect();
        let steps: Vec<_> = ends.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert_eq!(ends[..17], (0..=16).collect::<Vec<_>>(), "{rtt_ms} ms");
        let run =
            |of: u64, from: usize| steps[from..].iter().take_while(|&&step| step == of).count();
        let pairs = run(2, 16);
        assert!((8..=9).contains(&pairs), "{rtt_ms} ms: {pairs} pairs");
        let ones = run(1, 16 + pairs);
        assert!(
            (0.9..1.1).contains(&(ones as f64 / f64::from(seen))),
            "{rtt_ms} ms: {ones}"
        );
        let late = &steps[steps.len() - 100..];
        assert!(
            late.iter().filter(|&&step| step == 2).count() > 80,
            "{rtt_ms} ms"
        );
    }
}

/// Hybla's slow start more than doubles, and the window that is offered holds it back: the kernel
/// was seen to have 44, 45, 110, 233, 431 and 545 segments in flight a tenth of a second apart, and
/// a threshold of 542 after the first loss. Without that there are more than a thousand.
#[test]
fn the_window_that_is_offered_holds_a_steep_slow_start_back() {
    let mut bench = over_10_mbit("hybla", 100);
    bench.run_until(Time::ZERO + Span::from_ms(1200));
    let found = bench.sender.ssthresh() / 1448;
    assert!((500..580).contains(&found), "{found}");
}

/// The window goes on growing after a rest, to what `tcp_rmem` allows and no further.
#[test]
fn the_window_that_is_offered_wakes_when_more_comes() {
    let half = Span::from_ms(50);
    let mut bench = Bench::new("cubic", Preset::Linux, half + half, &[]);
    let mut most = 0;
    for ms in (0..6000).step_by(100) {
        if ms < 3000 {
            bench.sender.write(10 * 1448);
        } else {
            bench.sender.write_endless();
        }
        bench.run_until(Time::ZERO + Span::from_ms(ms + 100));
        let offered = bench.acks.last().map_or(0, |(_, ack)| ack.window);
        if ms < 3000 {
            assert!(offered < 100_000, "{ms} ms: {offered}");
        }
        most = most.max(offered);
    }
    assert_eq!(most, 3 << 20);
    let outstanding = bench.sender.outstanding();
    assert!(
        (3_000_000..=3 << 20).contains(&outstanding),
        "{outstanding}"
    );
}

/// What these tell CUBIC's `HyStart`: slow start ends at 49 and 123 segments.
#[test]
fn slow_start_of_cubic_ends_where_the_kernel_ends_it() {
    for (rtt_ms, threshold) in [(20, 49), (100, 123)] {
        let mut bench = over_10_mbit("cubic", rtt_ms);
        bench.run_until(Time::ZERO + Span::from_whole_s(1));
        let found = bench.sender.ssthresh() / 1448;
        assert!(found.abs_diff(threshold) <= 1, "{rtt_ms} ms: {found}");
    }
}

/// A sender of 1000-byte segments that paces, has sent 20 of them at once and heard of none.
fn paced(ssthresh: &'static str) -> Solo {
    let keys = [
        ("segment", "1000 B"),
        ("pacing", "true"),
        ("initial_window", "20 packets"),
        ("initial_ssthresh", ssthresh),
    ];
    let mut tcp = Solo::new("reno", Preset::Linux, &keys);
    tcp.sender.write_endless();
    assert_eq!(tcp.sends().len(), 20);
    tcp.now = Time::ZERO + Span::from_ms(100);
    tcp
}

/// Two segments are acknowledged after 100 ms, in slow start: at twice 22 segments in 100 ms one
/// takes 2.27 ms, two go out at once, and the clock would hold the next for 4.5 ms; but it has long
/// been free, which takes half of that off.
#[test]
fn a_late_burst_shortens_the_gap_behind_it_by_half() {
    let mut tcp = paced("none");
    assert_eq!(tcp.ack(2_001, &[]).len(), 2);
    assert_eq!(tcp.at(102), []);
    assert_eq!(tcp.at(103).len(), 2);
}

/// One is acknowledged, in congestion avoidance: at 1.2 times 20 segments in 100 ms one takes 4.17
/// ms, and one alone takes half of that off, not half of two.
#[test]
fn a_burst_of_one_counts_as_one() {
    let mut tcp = paced("20 packets");
    assert_eq!(tcp.ack(1_001, &[]).len(), 1);
    tcp.now = Time::ZERO + Span::from_ms(101);
    assert_eq!(tcp.ack(3_001, &[]), []);
    assert_eq!(tcp.at(102), []);
    assert_eq!(tcp.at(103).len(), 2);
}

/// Whether what goes out now bears PSH, segment by segment.
fn pushes(tcp: &mut Solo) -> Vec<bool> {
    let sent = core::iter::from_fn(|| tcp.sender.poll_send(tcp.now));
    sent.map(|segment| segment.push).collect()
}

/// A slow rate leaves two segments to a buffer, half a window of three leaves one. The end of what
/// was written bears PSH whether or not it is alone in its buffer.
#[test]
fn the_last_segment_of_a_buffer_bears_psh() {
    let keys = [("segment", "1000 B"), ("initial_window", "5 packets")];
    let mut tcp = Solo::new("reno", Preset::Linux, &keys);
    tcp.sender.write(7_500);
    // Before there is a round trip all goes down at once: two are half a window of five, one is
    // left.
    assert_eq!(pushes(&mut tcp), [false, true, false, true, false]);
    tcp.now = Time::ZERO + Span::from_ms(100);
    tcp.sender.on_ack(tcp.now, &Ack::plain(1_001));
    assert_eq!(pushes(&mut tcp), [false, true]);
    tcp.sender.on_ack(tcp.now, &Ack::plain(2_001));
    assert_eq!(pushes(&mut tcp), [true], "half a segment, the last");

    let keys = [("segment", "1000 B"), ("initial_window", "3 packets")];
    let mut tcp = Solo::new("reno", Preset::Linux, &keys);
    tcp.sender.write_endless();
    assert_eq!(pushes(&mut tcp), [false; 3]);

    let mut tcp = Solo::new("reno", Preset::Reference, &keys);
    tcp.sender.write(3_000);
    assert_eq!(pushes(&mut tcp), [false; 3], "only Linux has buffers");
}

/// A fast path leaves many to a buffer: 40 segments in 1 ms are 41 in 2^-10 s at twice that rate,
/// but half a window is 20.
#[test]
fn a_buffer_holds_what_the_rate_sends_and_half_a_window_at_most() {
    let keys = [("segment", "1000 B"), ("initial_window", "20 packets")];
    let mut tcp = Solo::new("reno", Preset::Linux, &keys);
    tcp.sender.write_endless();
    tcp.sends();
    tcp.now = Time::ZERO + Span::from_ms(1);
    let ack = Ack {
        echo: Some(Time::ZERO),
        ..Ack::plain(20_001)
    };
    tcp.sender.on_ack(tcp.now, &ack);
    let sent = pushes(&mut tcp);
    let ends: Vec<_> = (0..sent.len()).filter(|&place| sent[place]).collect();
    assert_eq!((sent.len(), ends), (40, vec![19, 39]));
}

/// What is written lies in pieces of 65 such segments. After 64 that went at once there is room for
/// three: the last of the first piece goes by itself, and the others in a buffer of their own.
#[test]
fn no_buffer_reaches_from_one_piece_into_the_next() {
    let keys = [("segment", "1000 B"), ("initial_window", "64 packets")];
    let keys = [&keys[..], &[("initial_ssthresh", "64 packets")]].concat();
    let mut tcp = Solo::new("reno", Preset::Linux, &keys);
    tcp.sender.write_endless();
    assert_eq!(pushes(&mut tcp).len(), 64);
    tcp.now = Time::ZERO + Span::from_ms(100);
    tcp.sender.on_ack(tcp.now, &Ack::plain(3_001));
    assert_eq!(pushes(&mut tcp), [false, false, true]);
}

/// Three are acknowledged after 100 ms: two go in a buffer. The third waits for another where the
/// next acknowledgement is expected within a millisecond, since what it is for was sent so soon
/// after these three, and else goes alone.
#[test]
fn what_fills_no_buffer_waits_for_an_acknowledgement_that_is_near() {
    for (later_us, sent) in [(900, 2), (2_000, 3)] {
        let keys = [("segment", "1000 B"), ("initial_window", "6 packets")];
        let keys = [&keys[..], &[("initial_ssthresh", "6 packets")]].concat();
        let mut tcp = Solo::new("reno", Preset::Linux, &keys);
        tcp.sender.write(3_000);
        assert_eq!(pushes(&mut tcp).len(), 3);
        tcp.now = Time::ZERO + Span::from_us(later_us);
        tcp.sender.write_endless();
        assert_eq!(pushes(&mut tcp).len(), 3);
        tcp.now = Time::ZERO + Span::from_ms(100);
        assert_eq!(tcp.ack(3_001, &[]).len(), sent, "{later_us} us later");
        assert_eq!(tcp.ack(4_001, &[]).len(), 4 - sent, "{later_us} us later");
    }
}

/// One acknowledgement covers a segment that was sent 130 ms ago and reports one that was sent 50
/// ms ago. What went out with the former is lost after the round trip of the latter and a quarter.
/// In Linux, which reads reports first, that takes 130 ms and the quarter, which it waits for from
/// the last that is missing, sent after 80 ms, and 2 ms more; of its wheel that is the bucket of
/// 232.
#[test]
fn what_is_acknowledged_has_the_last_word_on_the_round_trip() {
    let keys = [("segment", "1000 B"), ("initial_window", "20 packets")];
    for (preset, resent) in [(Preset::Linux, [0, 0, 1]), (Preset::Reference, [1; 3])] {
        let mut tcp = Solo::new("reno", preset, &keys);
        tcp.sender.write(10_000);
        assert_eq!(tcp.sends().len(), 10);
        tcp.at(80);
        tcp.sender.write_endless();
        assert_eq!(tcp.sends().len(), 10);
        tcp.at(130);
        let ack = Ack {
            echo: Some(Time::ZERO),
            sack: SackBlocks::of(&[(12_001, 13_001)]),
            ..Ack::plain(1_001)
        };
        tcp.sender.on_ack(tcp.now, &ack);
        tcp.sends();
        let counts = [130, 231, 232].map(|ms| {
            tcp.at(ms);
            tcp.sender.counts().retransmits.min(1)
        });
        assert_eq!(counts, resent, "{preset}");
    }
}

/// The segment of 1000 bytes with this place, sent at zero.
fn nth(place: u64) -> Segment {
    segment(place, Time::ZERO)
}

/// A receiver that acknowledges pairs, whose window is full grown: what it sends for a segment at
/// an instant.
struct Ear(Receiver);

impl Ear {
    fn new(keys: &[(&'static str, &'static str)]) -> Self {
        let keys = [&[("segment", "1000 B"), ("quick_acks", "0")], keys].concat();
        Self(Receiver::new(config(Preset::Linux, "reno", &keys)))
    }

    /// The same behind a SYN, over a path of 100 ms there and back.
    fn over_100_ms() -> Self {
        let mut ear = Self::new(&[("handshake", "true")]);
        let syn = Segment {
            seq: 0,
            len: 0,
            syn: true,
            ..nth(0)
        };
        assert_eq!(ear.hears(50_000, syn, Ecn::NotEct).len(), 1);
        ear
    }

    /// When the acknowledgement comes that is delayed, in milliseconds.
    fn delays_until_ms(&mut self) -> u64 {
        let at = self.0.next_timer().unwrap_or(Time::NEVER);
        assert!(self.0.on_timer(at).is_some());
        at.as_ps() / 1_000_000_000
    }

    /// What is acknowledged, and the last number reported, or nothing, for each acknowledgement
    /// sent.
    fn hears(&mut self, us: u64, segment: Segment, ecn: Ecn) -> Vec<(u64, u64)> {
        let now = Time::ZERO + Span::from_us(us);
        let arrival = Arrival { segment, ecn };
        let acks = self.0.on_segment(now, &arrival).acks;
        acks.into_iter().flatten().map(|ack| told(&ack)).collect()
    }

    fn counts(&mut self, us: u64, place: u64) -> usize {
        self.hears(us, nth(place), Ecn::Ect0).len()
    }
}

fn told(ack: &Ack) -> (u64, u64) {
    (
        ack.ack,
        ack.sack.as_slice().first().map_or(0, |block| block.1),
    )
}

/// What bears PSH is acknowledged at once, and the count of those that wait begins anew.
#[test]
fn a_pushed_segment_is_acknowledged_at_once() {
    let mut ear = Ear::new(&[]);
    let acks: Vec<_> = [false, false, false, true, false, true, false]
        .into_iter()
        .zip(0..)
        .map(|(push, place)| {
            let segment = Segment { push, ..nth(place) };
            ear.hears(0, segment, Ecn::NotEct).len()
        })
        .collect();
    assert_eq!(acks, [0, 1, 0, 1, 0, 1, 0]);
}

/// The third segment is missing. The first three behind it are acknowledged at once, what follows
/// for a millisecond by one; then it waits again. Where the hole is filled all is acknowledged.
#[test]
fn acknowledgements_behind_a_hole_are_gathered_for_a_millisecond() {
    let mut ear = Ear::new(&[]);
    assert_eq!((ear.counts(20_000, 0), ear.counts(20_100, 1)), (0, 1));
    for place in 3..6 {
        let us = 20_000 + 100 * place;
        assert_eq!(
            ear.hears(us, nth(place), Ecn::Ect0),
            [(2001, 1001 + 1000 * place)]
        );
    }
    for place in 6..17 {
        let us = 20_000 + 100 * place;
        let due = Time::ZERO + Span::from_us(20_600 + 1_000);
        if place == 16 {
            let ack = ear.0.on_timer(due).unwrap();
            assert_eq!(told(&ack), (2001, 16_001));
        }
        assert_eq!(ear.counts(us, place), 0, "{place}");
        let next = if place < 16 {
            due
        } else {
            due + Span::from_ms(1)
        };
        assert_eq!(ear.0.next_timer(), Some(next));
    }
    assert_eq!(ear.hears(22_000, nth(2), Ecn::Ect0), [(17_001, 0)]);
    assert_eq!(ear.0.next_timer(), None);
}

/// The wait is a twentieth of the round trip, which is twice what the first segment took; it ends
/// with the 44th that waits.
#[test]
fn on_a_short_path_they_are_gathered_for_a_twentieth_of_the_round_trip() {
    let mut ear = Ear::new(&[]);
    assert_eq!((ear.counts(2_000, 0), ear.counts(2_000, 1)), (0, 1));
    let acks: Vec<_> = (3..60).map(|place| ear.counts(2_000, place)).collect();
    let due = Time::ZERO + Span::from_us(2_200);
    assert_eq!(ear.0.next_timer(), Some(due));
    let sent: Vec<_> = (0..acks.len()).filter(|&place| acks[place] > 0).collect();
    assert_eq!(sent, [0, 1, 2, 47]);
}

/// A third range does not begin, nor does the third last change, before what waits was told.
/// Without SACK nothing waits.
#[test]
fn what_might_find_no_room_does_not_wait() {
    let mut ear = Ear::new(&[]);
    ear.counts(20_000, 0);
    for place in [2, 3, 4] {
        assert_eq!(ear.counts(20_000, place), 1);
    }
    assert_eq!((ear.counts(20_000, 7), ear.counts(20_000, 9)), (0, 1));
    let before = ear.hears(20_000, nth(5), Ecn::Ect0);
    assert_eq!(before, [(1001, 10_001)]);
    assert_eq!(ear.counts(20_000, 10), 0);
    let mut ear = Ear::new(&[("sack", "false"), ("rack", "false"), ("prr", "false")]);
    ear.counts(20_000, 0);
    assert!((2..20).all(|place| ear.counts(20_000, place) == 1));
}

/// A mark and the segment behind it are acknowledged at once, and so is what bears CWR.
#[test]
fn marks_and_cwr_are_answered_at_once() {
    let mut ear = Ear::new(&[("ecn", "true")]);
    assert_eq!((ear.counts(0, 0), ear.counts(0, 1)), (0, 1));
    assert_eq!(ear.hears(0, nth(2), Ecn::Ce).len(), 1);
    // Another mark of the same round trip is none of its first.
    assert_eq!(ear.hears(0, nth(3), Ecn::Ce).len(), 1);
    assert_eq!(ear.hears(0, nth(4), Ecn::Ce).len(), 0);
    assert_eq!(ear.counts(0, 5), 1);
    let cwr = Segment {
        cwr: true,
        ..nth(6)
    };
    assert_eq!(ear.hears(0, cwr, Ecn::Ect0).len(), 1);
    assert_eq!(ear.counts(0, 7), 0);
}

/// The duplicate itself and fifteen behind it.
#[test]
fn sixteen_are_acknowledged_one_by_one_after_a_duplicate() {
    let mut ear = Ear::new(&[]);
    assert_eq!((ear.counts(0, 0), ear.counts(0, 1)), (0, 1));
    assert_eq!(ear.counts(0, 0), 1);
    let acks: Vec<_> = (2..21).map(|place| ear.counts(0, place)).collect();
    assert_eq!(acks[..15], [1; 15]);
    assert_eq!(acks[15..], [0, 1, 0, 1]);
}

/// The receiver's own timeout is the round trip and twice that, but 200 ms at the least.
#[test]
fn sixteen_are_acknowledged_one_by_one_after_a_pause_of_more_than_a_timeout() {
    let mut ear = Ear::over_100_ms();
    let mut counts = |ms: u64, places: core::ops::Range<u64>| -> Vec<usize> {
        places.map(|place| ear.counts(1000 * ms, place)).collect()
    };
    assert_eq!(counts(100, 0..2), [0, 1]);
    assert_eq!(counts(400, 2..4), [0, 1], "300 ms");
    let after = counts(701, 4..24);
    assert_eq!(after[..16], [1; 16], "301 ms");
    assert_eq!(after[16..], [0, 1, 0, 1]);
    // A hole that takes so long to fill is a pause: what comes behind it is none.
    assert_eq!(counts(750, 25..27), [1, 1]);
    assert_eq!(counts(1_003, 24..25), [1], "302 ms");
    assert_eq!(counts(1_003, 27..30), [1; 3]);
}

/// Each wait that has expired doubles the next, up to the round trip; segments that come in between
/// take it halfway to their interval. The timer expires a tick later, and from 63 ms on with the
/// next multiple of 8.
#[test]
fn the_delay_of_an_acknowledgement_follows_the_intervals() {
    let mut ear = Ear::over_100_ms();
    let mut lone = |ms: u64, place: u64| {
        assert_eq!(ear.counts(1000 * ms, place), 0);
        ear.delays_until_ms() - ms
    };
    assert_eq!(lone(100, 0), 40 + 1);
    assert_eq!(lone(400, 1), 80 + 8);
    assert_eq!(lone(700, 2), 100 + 8, "not 160");
    // 300 ms by now, its most: after pauses of 10 ms 170, 105, 72, 56 and 48.
    let pairs: Vec<_> = (0..5)
        .map(|n| ear.counts(1000 * (710 + 10 * n), 3 + n))
        .collect();
    assert_eq!(pairs, [0, 1, 0, 1, 0]);
    assert_eq!(ear.delays_until_ms() - 750, 48 + 1);
    // 96; a pause of 60 ms makes it 48 + 60.
    assert_eq!(ear.counts(810_000, 8), 0);
    assert_eq!(ear.delays_until_ms() - 810, 100 + 2, "not 108");
}

/// Segments of less than 128 bytes let no window grow: behind the first sixteen no two are
/// acknowledged alone, though one may be that ends a buffer.
#[test]
fn small_segments_let_no_window_grow() {
    let half = Span::from_ms(10);
    let link = Link::new(Rate::from_bps(1_000_000), half, 100);
    let keys = [("segment", "100 B")];
    let mut bench = Bench::over("cubic", Preset::Linux, vec![link], half, &keys);
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_ms(200));
    let ends: Vec<_> = bench.acks.iter().map(|(_, ack)| ack.ack / 100).collect();
    assert_eq!(ends[..16], (1..=16).collect::<Vec<_>>());
    assert!(
        ends[15..]
            .windows(3)
            .all(|three| (3..=4).contains(&(three[2] - three[0]))),
        "{ends:?}"
    );
}

/// RFC 3168, 6.1.1.1: a SYN that is sent again asks for no ECN, and so the connection has none;
/// other presets ask again.
#[test]
fn after_a_lost_syn_there_is_no_ecn() {
    for (preset, lost, codepoint) in [
        (Preset::Linux, true, Ecn::NotEct),
        (Preset::Linux, false, Ecn::Ect0),
        (Preset::Reference, true, Ecn::Ect0),
    ] {
        let keys = [("handshake", "true"), ("ecn", "true")];
        let mut bench = Bench::new("reno", preset, Span::from_ms(100), &keys);
        bench.fate = Box::new(move |n, _| {
            if n == 0 && lost {
                Fate::Drop
            } else {
                Fate::Deliver
            }
        });
        bench.sender.write_endless();
        bench.run_until(Time::ZERO + Span::from_whole_s(2));
        let data = bench.sent.iter().filter(|(_, segment)| segment.len > 0);
        assert!(
            data.clone().count() > 10 && data.clone().all(|(_, sent)| sent.ecn == codepoint),
            "{preset}, {lost}"
        );
    }
}

/// Linux's modules begin when the SYN is answered. BBR is told how long that took, Hybla makes its
/// window of it, and Prague paces by the smoothed RTT; to the others it is no sample, however much
/// faster it was than data.
#[test]
fn controllers_know_nothing_of_the_handshake() {
    let windows = |cc: &str, handshake_ms: u64| {
        let keys = [("handshake", "true"), ("segment", "1000 B")];
        let mut bench = Bench::new(cc, Preset::Linux, Span::from_ms(handshake_ms), &keys);
        bench.sender.write_endless();
        bench.run_until(ms(handshake_ms * 3 / 4));
        (bench.links[0].delay, bench.back) = (Span::from_ms(50), Span::from_ms(50));
        let ends = (1..8).map(|round| ms(handshake_ms + 100 * round + 99));
        let of_round = ends.map(|end| {
            bench.run_until(end);
            bench.cwnd_segments()
        });
        of_round.collect::<Vec<_>>()
    };
    for entry in CONTROLLERS {
        if ["bbr", "bbr3", "hybla", "prague"].contains(&entry.name) {
            continue;
        }
        let after_fast = windows(entry.name, 60);
        // LEDBAT begins with two segments.
        let initial = if entry.name == "ledbat" { 2.0 } else { 10.0 };
        assert!(after_fast[6] > initial, "{}: {after_fast:?}", entry.name);
        assert_eq!(after_fast, windows(entry.name, 100), "{}", entry.name);
    }
    assert_eq!(windows("cubic", 60)[..3], [20.0, 40.0, 80.0]);
}

/// A round trip of 60 ms makes a timeout of 260 ms. In Linux's wheel that leads from 60 to the
/// bucket of 328, since these have 8 ticks of 1 ms; with ticks of 4 ms, from the 15th to the 88th.
/// The second timeout, of 520 ms, is of the level whose buckets have 64 ticks, or of the same.
#[test]
fn timeouts_expire_with_the_wheel() {
    for (tick, expiries) in [
        ("1 ms", [328, 896]),
        ("4 ms", [352, 896]),
        ("0 s", [320, 840]),
    ] {
        let keys = [
            ("segment", "1000 B"),
            ("rack", "false"),
            ("granularity", tick),
            ("initial_window", "2 packets"),
        ];
        let mut tcp = Solo::new("reno", Preset::Linux, &keys);
        tcp.sender.write_endless();
        tcp.sends();
        tcp.at(60);
        tcp.ack(1_001, &[]);
        for at in expiries {
            assert!(tcp.at(at - 1).is_empty(), "{tick} {at}");
            assert_eq!(tcp.at(at).len(), 1, "{tick} {at}");
        }
    }
}
