//! Preset linux against what Linux 6.1 was seen to do, in User-Mode-Linux with virtual time: one connection over a link of
//! 10 Mbit/s, segments of 1448 bytes in frames of 1514, the usual `tcp_rmem`.

use sojourn_base::{Ecn, Preset, Rate, Span, Time};
use sojourn_transport::{Ack, Arrival, Receiver, Segment};

use crate::bench::{Bench, Link, Solo, config};

fn over_10_mbit(rtt_ms: u64) -> Bench {
    let half = Span::from_ps(Span::from_ms(rtt_ms).as_ps() / 2);
    let link = Link::new(Rate::from_bps(10_000_000), half, 100);
    let keys = [
        ("segment", "1448 B"),
        ("header", "66 B"),
        ("handshake", "true"),
    ];
    let mut bench = Bench::over("cubic", Preset::Linux, vec![link], half, &keys);
    bench.sender.write_endless();
    bench
}

/// The receiver acknowledges sixteen segments one by one, the next sixteen in pairs, and then one by one again, since its
/// buffer grows; there the kernel was seen to go on for 52 at 20 ms, and for 243 at 100 ms. In the end it acknowledges
/// pairs.
#[test]
fn acknowledgements_come_one_by_one_while_the_window_grows() {
    for (rtt_ms, seen) in [(20, 52), (100, 243)] {
        let mut bench = over_10_mbit(rtt_ms);
        bench.run_until(Time::ZERO + Span::from_whole_s(3));
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

/// What these tell CUBIC's `HyStart`: slow start ends at 49 and 123 segments.
#[test]
fn slow_start_of_cubic_ends_where_the_kernel_ends_it() {
    for (rtt_ms, threshold) in [(20, 49), (100, 123)] {
        let mut bench = over_10_mbit(rtt_ms);
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

/// Two segments are acknowledged after 100 ms, in slow start: at twice 22 segments in 100 ms one takes 2.27 ms, two go out
/// at once, and the clock would hold the next for 4.5 ms; but it has long been free, which takes half of that off.
#[test]
fn a_late_burst_shortens_the_gap_behind_it_by_half() {
    let mut tcp = paced("none");
    assert_eq!(tcp.ack(2_001, &[]).len(), 2);
    assert_eq!(tcp.at(102), []);
    assert_eq!(tcp.at(103).len(), 2);
}

/// One is acknowledged, in congestion avoidance: at 1.2 times 20 segments in 100 ms one takes 4.17 ms, and one alone takes half
/// of that off, not half of two.
#[test]
fn a_burst_of_one_counts_as_one() {
    let mut tcp = paced("20 packets");
    assert_eq!(tcp.ack(1_001, &[]).len(), 1);
    tcp.now = Time::ZERO + Span::from_ms(101);
    assert_eq!(tcp.ack(2_001, &[]), []);
    assert_eq!(tcp.at(102), []);
    assert_eq!(tcp.at(103).len(), 1);
}

/// Whether what goes out now bears PSH, segment by segment.
fn pushes(tcp: &mut Solo) -> Vec<bool> {
    let sent = core::iter::from_fn(|| tcp.sender.poll_send(tcp.now));
    sent.map(|segment| segment.push).collect()
}

/// A slow rate leaves two segments to a buffer, half a window of three leaves one. The end of what was written bears PSH whether
/// or not it is alone in its buffer.
#[test]
fn the_last_segment_of_a_buffer_bears_psh() {
    let keys = [("segment", "1000 B"), ("initial_window", "5 packets")];
    let mut tcp = Solo::new("reno", Preset::Linux, &keys);
    tcp.sender.write(7_500);
    // Before there is a round trip all goes down at once: two are half a window of five, one is left.
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

/// A fast path leaves many to a buffer: 40 segments in 1 ms are 41 in 2^-10 s at twice that rate, but half a window is 20.
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

/// What bears PSH is acknowledged at once, and the count of those that wait begins anew.
#[test]
fn a_pushed_segment_is_acknowledged_at_once() {
    let config = config(Preset::Linux, "reno", &[("quick_acks", "0")]);
    let mut receiver = Receiver::new(config);
    let mut acks = Vec::new();
    for (k, push) in [false, false, false, true, false, true, false]
        .into_iter()
        .enumerate()
    {
        let segment = Segment {
            seq: 1 + 1460 * k as u64,
            len: 1460,
            syn: false,
            fin: false,
            retransmission: false,
            push,
            cwr: false,
            ecn: Ecn::NotEct,
            stamp: Time::ZERO,
        };
        let arrival = Arrival {
            segment,
            ecn: Ecn::NotEct,
        };
        let led_to = receiver.on_segment(Time::ZERO, &arrival);
        acks.push(led_to.acks.into_iter().flatten().count());
    }
    assert_eq!(acks, [0, 1, 0, 1, 0, 1, 0]);
}

/// Segments of less than 128 bytes let no window grow: behind the first sixteen no two are acknowledged alone, though one
/// may be that ends a buffer.
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
