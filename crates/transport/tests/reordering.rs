//! Segments that overtake each other: what is too old by its stamp (RFC 7323, 5.3), and Linux's
//! state of disorder.

use sojourn_base::{Preset, Span, Time};
use sojourn_transport::{Arrival, Receiver, Segment};

use crate::bench::{Solo, config, segment};

/// The segment with this place, sent at so many microseconds.
fn nth(place: u64, us: u64) -> Segment {
    segment(place, Time::ZERO + Span::from_us(us))
}

/// Hears segments of these places and stamps, one each millisecond; what each acknowledgement says
/// is expected next, and the first block that it reports.
fn heard(
    preset: Preset,
    keys: &[(&'static str, &'static str)],
    segments: &[(u64, u64)],
) -> Vec<(u64, (u64, u64))> {
    let mut receiver = Receiver::new(config(preset, "reno", keys));
    let mut told = Vec::new();
    for (&(place, us), ms) in segments.iter().zip(200..) {
        let arrival = Arrival::from(nth(place, us));
        let acks = receiver
            .on_segment(Time::ZERO + Span::from_ms(ms), &arrival)
            .acks;
        told.extend(acks.into_iter().flatten().map(|ack| {
            let block = ack.sack.as_slice().first();
            (ack.ack, block.copied().unwrap_or_default())
        }));
    }
    told
}

/// The first segment, sent again at 100 ms, overtakes the second, sent at 98 ms.
#[test]
fn what_bears_an_older_stamp_is_thrown_away() {
    let linux_too = [(0, 100_000), (1, 98_900)];
    let strict = [(0, 100_000), (1, 99_900)];
    let same_tick = [(0, 100_900), (1, 100_100)];
    for (preset, segments, is_taken) in [
        (Preset::Reference, linux_too, false),
        (Preset::Reference, strict, false),
        (Preset::Reference, same_tick, true),
        (Preset::Linux, linux_too, false),
        (Preset::Linux, strict, true),
        (Preset::Ns3, linux_too, true),
        (Preset::Ns2, linux_too, true),
    ] {
        // Without delayed acknowledgements nothing but the stamps matters.
        let keys = [
            ("segment", "1000 B"),
            ("delayed_ack", "1"),
            ("timestamps", "true"),
            ("handshake", "false"),
        ];
        let last = if is_taken { 2_001 } else { 1_001 };
        let acks = heard(preset, &keys, &segments);
        assert_eq!(
            acks,
            [(1_001, (0, 0)), (last, (0, 0))],
            "{preset}, {segments:?}"
        );
    }
    let without = [
        ("segment", "1000 B"),
        ("delayed_ack", "1"),
        ("timestamps", "false"),
    ];
    let acks = heard(Preset::Reference, &without, &linux_too);
    assert_eq!(acks[1].0, 2_001);
}

/// What has come already is reported as a duplicate (RFC 2883), though it is too old; what comes
/// out of order is not too old, since only what moves the acknowledgement leaves its stamp.
#[test]
fn old_duplicates_are_reported_and_holes_are_filled() {
    let keys = [("segment", "1000 B"), ("delayed_ack", "1")];
    for preset in [Preset::Reference, Preset::Linux] {
        let late = heard(preset, &keys, &[(0, 100_000), (0, 50_000)]);
        assert_eq!(late[1], (1_001, (1, 1_001)), "{preset}");
        let holes = heard(preset, &keys, &[(0, 0), (2, 90_000), (1, 40_000)]);
        assert_eq!(
            holes,
            [(1_001, (0, 0)), (1_001, (2_001, 3_001)), (3_001, (0, 0))],
            "{preset}"
        );
    }
}

/// How many segments each report sends of what came behind a hole, before and after a segment that
/// came six places late.
fn sent_for_reports(preset: Preset) -> [Vec<usize>; 2] {
    let keys = [("segment", "1000 B"), ("initial_window", "30 packets")];
    let mut tcp = Solo::new("reno", preset, &keys);
    tcp.sender.write_endless();
    assert_eq!(tcp.sends().len(), 30);
    tcp.now = Time::ZERO + Span::from_ms(100);
    tcp.ack(1_001, &[]);
    // One place late: from now on a report waits a quarter of the round trip for what is missing.
    tcp.now += Span::from_ms(2);
    tcp.ack(1_001, &[(2_001, 3_001)]);
    tcp.ack(3_001, &[]);
    [3_001, 10_001].map(|missing| {
        let reports = (1..=6).map(|k| {
            let block = (missing + 1_000, missing + 1_000 + 1_000 * k);
            tcp.now += Span::from_ms(2);
            tcp.ack(missing, &[block]).len()
        });
        let sent = reports.collect();
        tcp.ack(missing + 7_000, &[]);
        sent
    })
}

/// Each segment that is reported makes room for one, and in Linux, where one was seen to come more
/// than three places late, for one more: it is in slow start.
#[test]
fn linux_grows_with_what_is_reported_where_much_comes_late() {
    let ones = vec![1; 6];
    assert_eq!(sent_for_reports(Preset::Linux), [ones.clone(), vec![2; 6]]);
    assert_eq!(sent_for_reports(Preset::Reference), [ones.clone(), ones]);
}

/// Segments 1 and 3 are lost, and the acknowledgement that reports 2: the next reports 4 and then
/// 2, as the latest comes first, and yet nothing was overtaken. What is missing is sent again with
/// the third segment that is reported, as where no acknowledgement is lost.
#[test]
fn the_order_of_blocks_tells_nothing_of_the_order_of_segments() {
    let of = |place: u64, end: u64| (1 + 1_000 * place, 1 + 1_000 * end);
    for preset in [Preset::Reference, Preset::Linux] {
        let all: [&[(u64, u64)]; 3] = [&[of(2, 3)], &[of(4, 5), of(2, 3)], &[of(4, 6), of(2, 3)]];
        for reports in [&all[..], &all[1..]] {
            let keys = [
                ("segment", "1000 B"),
                ("delayed_ack", "1"),
                ("timestamps", "false"),
            ];
            let mut tcp = Solo::new("reno", preset, &keys);
            tcp.sender.write_endless();
            assert_eq!(tcp.sends().len(), 10);
            tcp.now = Time::ZERO + Span::from_ms(100);
            tcp.ack(1_001, &[]);
            let mut sent = Vec::new();
            for blocks in reports {
                sent = tcp.ack(1_001, blocks);
            }
            assert_eq!(sent[0], of(1, 2), "{preset}, {} reports", reports.len());
        }
    }
}
