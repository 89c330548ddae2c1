//! Linux's RED in integers, against its own arithmetic: gaps, thresholds, weights.

use crate::bench::fault;
use sojourn_base::{Bytes, Preset, Rate, Stream, Time};
use sojourn_queue::parts::linux_red::LinuxRed;
use sojourn_queue::parts::red_law::RedMark;

const MEAN: Bytes = Bytes::new(1_000);

fn red(max_p: f64) -> LinuxRed {
    let rate = Rate::from_bps(10_000_000).expect("within range");
    LinuxRed::new(10_000, 30_000, max_p, 4, MEAN, rate)
}

/// An arrival that finds the average at `bytes`, and leaves it there.
fn meets(red: &mut LinuxRed, bytes: u64, random: &mut Stream) -> RedMark {
    red.set_average(bytes as f64);
    red.arrival(Bytes::new(bytes), None, Time::ZERO, random)
}

/// Half way up with `max_p` 0.1 each mark has p = 1/20: the gap is uniform on 1 .. 20, the first of
/// a visit to the band as any other, but for the packet that is exempt.
#[test]
fn gaps_are_uniform_up_to_one_over_p() {
    let mut random = Stream::new(1);
    let mut gap = |red: &mut LinuxRed| {
        (1..1_000)
            .find(|_| meets(red, 20_000, &mut random) == RedMark::Prob)
            .expect("a mark comes")
    };
    let mut gaps = vec![Vec::new(), Vec::new()];
    for _ in 0..4_000 {
        let mut red = red(0.1);
        gaps[0].push(gap(&mut red) - 1);
        gaps[1].push(gap(&mut red));
    }
    for gaps in gaps {
        let mean = gaps.iter().sum::<u64>() as f64 / 4_000.0;
        assert!((mean - 10.5).abs() < 0.5, "{mean}");
        assert_eq!(gaps.iter().min(), Some(&1));
        assert_eq!(gaps.iter().max(), Some(&20));
    }
}

/// Twice the probability halves the range of the gaps that are drawn from then on; the one in hand
/// stays as it was drawn.
#[test]
fn a_new_probability_counts_from_the_next_mark_on() {
    let mut random = Stream::new(1);
    let mut red = red(0.1);
    let mut gap = |red: &mut LinuxRed| {
        (1..1_000)
            .find(|_| meets(red, 20_000, &mut random) == RedMark::Prob)
            .expect("a mark comes")
    };
    gap(&mut red);
    red.set_max_p(0.2);
    assert_eq!(red.max_p(), 0.2);
    gap(&mut red);
    let gaps: Vec<u64> = (0..4_000).map(|_| gap(&mut red)).collect();
    let mean = gaps.iter().sum::<u64>() as f64 / 4_000.0;
    assert!((mean - 5.5).abs() < 0.3, "{mean}");
    assert_eq!(gaps.iter().max(), Some(&10));
}

/// The lower threshold belongs to the band for RED; CHOKe's band has its upper one, not its lower.
#[test]
fn thresholds_belong_to_the_band_as_each_has_it() {
    use core::cmp::Ordering;
    let mut random = Stream::new(1);
    let mut red = red(0.1);
    for (bytes, verdict, count) in [
        (9_999, RedMark::None, -1),
        (10_000, RedMark::None, 0),
        (30_000, RedMark::Hard, -1),
    ] {
        assert_eq!(meets(&mut red, bytes, &mut random), verdict, "{bytes}");
        assert_eq!(red.count(), count, "{bytes}");
    }
    for (bytes, zone) in [
        (10_000, Ordering::Less),
        (10_001, Ordering::Equal),
        (30_000, Ordering::Equal),
        (30_001, Ordering::Greater),
    ] {
        red.set_average(f64::from(bytes));
        assert_eq!(red.zone(), zone, "{bytes}");
    }
}

/// tc's rule: the smallest Wlog with burst + 1 - min/avpkt <= (1 - (1 - W)^burst) / W. A burst of
/// 10 above two packets needs 9: 8.71 with W = 1/32, 9.33 with 1/64.
#[test]
fn the_weight_lets_the_burst_pass() {
    let wlog = |packets: f64, burst| LinuxRed::wlog_for(packets * 1_000.0, burst, MEAN);
    assert_eq!(wlog(2.0, 10), Some(6));
    assert_eq!(wlog(3.0, 10), Some(5));
    assert_eq!(wlog(10.0, 10), Some(1));
    assert_eq!(wlog(10.5, 10), None);
}

/// A queue so short that no weight lets its burst pass: the burst is named, and not a weight that
/// nobody gave.
#[test]
fn without_a_weight_the_burst_is_at_fault() {
    for name in ["red", "choke"] {
        let text = fault(name, &[("limit", "10 packets")], Preset::Linux);
        assert!(text.starts_with("burst"), "{name}: {text}");
    }
}

/// The random number is whole. Over 10 packets (CHOKe) with `max_p` 0.5 it is one of 0 .. 19, and
/// the average may stand at the lower threshold itself: then packets are marked as long as it is
/// zero, one in twenty.
#[test]
fn random_numbers_are_whole() {
    let mut random = Stream::new(1);
    let rate = Rate::from_bps(10_000_000).expect("within range");
    let mut marks = 0;
    for _ in 0..20_000 {
        let mut red = LinuxRed::new(5, 15, 0.5, 4, MEAN, rate);
        red.set_average(5.0);
        assert_eq!(red.band(&mut random), RedMark::None, "the first is exempt");
        marks += u32::from(red.band(&mut random) == RedMark::Prob);
    }
    assert!((920..1_080).contains(&marks), "{marks}");
}

/// What 32 bits are divided by is whole too: 0.001 of 2^32 over 500000 bytes is 8.6, so 8. Half way
/// up the gap is at most 2^32 / 8 / 250000 = 2147.5 packets, not 2000.
#[test]
fn probabilities_over_wide_bands_are_rounded_down() {
    let mut random = Stream::new(1);
    let rate = Rate::from_bps(10_000_000).expect("within range");
    let mut red = LinuxRed::new(500_000, 1_000_000, 0.001, 4, MEAN, rate);
    let mut gap = || {
        (1..10_000)
            .find(|_| meets(&mut red, 750_000, &mut random) == RedMark::Prob)
            .expect("a mark comes")
    };
    let longest = (0..2_000).map(|_| gap()).max();
    assert!(
        longest.is_some_and(|gap: u32| (2_100..=2_149).contains(&gap)),
        "{longest:?}"
    );
}
