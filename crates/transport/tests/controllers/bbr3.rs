//! BBR, version 3.

use sojourn_base::{Preset, Rate, Span, Time};
use sojourn_transport::CongestionControl;

use super::REFERENCE;
use super::shared::Shared;
use crate::bench::{Bench, Fate, Link};

const KEYS: &[(&str, &str)] = &[("segment", "1000 B"), ("header", "0 B"), ("window", "none")];
const HALF: Span = Span::from_ms(20);
/// 20 Mbit/s times 40.4 ms, segments: the path with nothing queued.
const PRODUCT: f64 = 101.0;

fn link(mbps: u64, limit: usize) -> Link {
    Link::new(Rate::from_bps(mbps * 1_000_000), HALF, limit)
}

/// An endless flow over 20 Mbit/s and 40 ms with room for `limit` packets.
fn bench(preset: Preset, limit: usize) -> Bench {
    let mut bench = Bench::over("bbr3", preset, vec![link(20, limit)], HALF, KEYS);
    bench.log = false;
    bench.sender.write_endless();
    bench
}

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// Each change of the two gains until `until`, and when it was seen, to the millisecond.
fn gains(bench: &mut Bench, from_ms: u64, until_ms: u64) -> Vec<(u64, f64, f64)> {
    let mut seen: Vec<(u64, f64, f64)> = Vec::new();
    for ms in from_ms..until_ms {
        bench.run_until(at(ms));
        let now = (bench.probe("pacing_gain"), bench.probe("cwnd_gain"));
        if seen
            .last()
            .is_none_or(|&(_, pacing, cwnd)| (pacing, cwnd) != now)
        {
            seen.push((ms, now.0, now.1));
        }
    }
    seen
}

#[test]
fn the_link_is_full_and_the_queue_short() {
    for preset in [REFERENCE, Preset::Linux] {
        let mut bench = bench(preset, 1000);
        bench.run_until(at(2000));
        let before = bench.receiver.delivered();
        let mut rtts = Vec::new();
        for tick in 1..=2000 {
            bench.run_until(at(2000 + 10 * tick));
            rtts.push(bench.sender.latest_rtt().as_s());
        }
        let share = (bench.receiver.delivered() - before) as f64 * 8.0 / 20.0 / 2e7;
        // 1 % of margin, and half the rate for 240 ms in 5 s.
        assert!(share > 0.96, "{preset}: {share}");
        rtts.sort_by(f64::total_cmp);
        assert!(rtts[1000] < 0.0415, "{preset}: median {}", rtts[1000]);
        // The window of a probe: 2.25 times 40.4 ms.
        assert!(rtts[1999] < 0.091, "{preset}: largest {}", rtts[1999]);
        assert_eq!(bench.sender.counts().retransmits, 0);
    }
}

#[test]
fn startup_ends_on_a_plateau_and_drain_takes_the_queue_away() {
    let mut bench = bench(REFERENCE, 1000);
    let seen = gains(&mut bench, 1, 1000);
    let pacing: Vec<f64> = seen.iter().map(|&(_, pacing, _)| pacing).collect();
    assert_eq!(pacing[..2], [2.77, 0.5], "{seen:?}");
    assert!(!pacing[2..].contains(&2.77), "{seen:?}");
    let bandwidth = bench.probe("max_bandwidth_bps");
    assert!((bandwidth / 2e7 - 1.0).abs() < 0.02, "{bandwidth}");
    // Doubling from 10 segments takes 4 round trips of 40 ms, the plateau three of 84 ms.
    let left = seen[1].0;
    assert!((300..600).contains(&left), "{left}");
    // Half the rate drains a product in a round trip of the full queue.
    assert!(seen[2].0 - left < 130, "{seen:?}");
    assert_eq!(bench.probe("inflight_longterm_bytes"), f64::INFINITY);
    assert!(bench.sender.latest_rtt() < Span::from_ms(42));
}

#[test]
fn startup_ends_on_more_than_two_percent_of_loss() {
    // No bottleneck: no plateau, and the losses are the only sign.
    for (every, leaves) in [(20, true), (100, false)] {
        let mut bench = Bench::new("bbr3", REFERENCE, Span::from_ms(40), KEYS);
        bench.log = false;
        bench.fate = Box::new(move |n, _| match n {
            400.. if n % every == 0 => Fate::Drop,
            _ => Fate::Deliver,
        });
        bench.sender.write_endless();
        bench.run_until(at(400));
        assert_eq!(bench.probe("pacing_gain") != 2.77, leaves, "{every}");
        let bound = bench.probe("inflight_longterm_bytes");
        assert_eq!(bound.is_finite(), leaves, "{every}: {bound}");
    }
}

#[test]
fn probe_rtt_comes_every_five_seconds_with_half_the_product() {
    let mut bench = bench(REFERENCE, 1000);
    bench.run_until(at(2000));
    let (mut begun, mut ended, mut in_flight) = (Vec::new(), Vec::new(), Vec::new());
    for ms in 2000..31_000 {
        bench.run_until(at(ms));
        let is_probing = bench.probe("cwnd_gain") == 0.5;
        assert_eq!(bench.sender.controller().is_self_limited(), is_probing);
        if is_probing {
            if begun.len() == ended.len() {
                begun.push(ms);
            }
            in_flight.push(bench.sender.in_flight());
            let cwnd = bench.cwnd_segments();
            assert!((cwnd - PRODUCT / 2.0).abs() < 1.0, "{cwnd}");
        } else if begun.len() > ended.len() {
            ended.push(ms);
        }
    }
    assert_eq!(begun.len(), 5, "{begun:?}");
    for (&begin, &end) in begun.iter().zip(&ended) {
        // Half a round trip to empty half the path, 200 ms, and less than a round trip.
        assert!((200..300).contains(&(end - begin)), "{begun:?} {ended:?}");
    }
    for (&end, &next) in ended.iter().zip(&begun[1..]) {
        assert!((4990..5050).contains(&(next - end)), "{begun:?} {ended:?}");
    }
    assert!(in_flight.iter().filter(|&&bytes| bytes <= 51_000).count() > in_flight.len() / 2);
}

#[test]
fn the_long_term_bound_is_what_the_path_holds() {
    for limit in [10, 20, 40] {
        let mut bench = bench(REFERENCE, limit);
        bench.run_until(at(20_000));
        let bound = bench.probe("inflight_longterm_bytes") / 1000.0;
        // The path, the queue, and 2 % that a probe may lose.
        let holds = PRODUCT + limit as f64;
        assert!(
            (holds - 1.0..1.03 * holds + 2.0).contains(&bound),
            "{limit}: {bound}"
        );
        // Between probes, most of the time, 15 % of it are left to others.
        let mut left = 0;
        for ms in 20_000..25_000 {
            bench.run_until(at(ms));
            let bound = bench.probe("inflight_longterm_bytes") / 1000.0;
            left += u32::from((bench.cwnd_segments() / bound - 0.85).abs() < 0.005);
        }
        assert!(left > 3500, "{limit}: {left} of 5000 ms");
        let share = bench.receiver.delivered() as f64 * 8.0 / 25.0 / 2e7;
        assert!(share > 0.85, "{limit}: {share}");
        let lost = bench.sender.counts().retransmits as f64 / bench.sender.counts().segments as f64;
        assert!(lost < 0.01, "{limit}: {lost}");
    }
}

#[test]
fn a_round_trip_of_losses_takes_three_tenths_at_most() {
    let mut bench = bench(REFERENCE, 1000);
    bench.run_until(at(1500));
    assert_eq!(bench.probe("pacing_gain"), 1.0);
    let first = bench.in_segments;
    // Two in three of 300 segments: some round trips.
    bench.fate = Box::new(move |n, _| {
        if n < first + 300 && n % 3 > 0 {
            Fate::Drop
        } else {
            Fate::Deliver
        }
    });
    let (mut bandwidth, mut least) = (bench.probe("bandwidth_bps"), f64::INFINITY);
    let mut falls = 0;
    for ms in 1500..2400 {
        bench.run_until(at(ms));
        let now = bench.probe("bandwidth_bps");
        assert!(now / bandwidth > 0.7 - 1e-9, "{bandwidth} {now}");
        falls += usize::from(now < bandwidth);
        bandwidth = now;
        least = least.min(now);
    }
    assert!(falls > 0 && least < 0.9 * 2e7, "{falls} {least}");
    assert_eq!(bench.probe("max_bandwidth_bps"), 2e7);
    // The next probe forgets it.
    let cycle = gains(&mut bench, 2400, 4000);
    assert!(
        cycle.iter().any(|&(_, pacing, _)| pacing == 1.25),
        "{cycle:?}"
    );
    assert!(bench.probe("bandwidth_bps") > 0.95 * 2e7);
    assert_eq!(bench.sender.counts().timeouts, 0);
}

#[test]
fn a_probe_goes_up_down_and_cruises() {
    let mut bench = bench(REFERENCE, 1000);
    let seen = gains(&mut bench, 1, 5000);
    let up = seen.iter().position(|&(_, pacing, _)| pacing == 1.25);
    let Some(up) = up else {
        panic!("no probe: {seen:?}");
    };
    assert_eq!(seen[up].2, 2.25);
    assert_eq!((seen[up + 1].1, seen[up + 1].2), (0.9, 2.0));
    assert_eq!((seen[up + 2].1, seen[up + 2].2), (1.0, 2.0));
    // 2 to 3 s, or 63 round trips of 40.8 ms, after the end of Drain, and REFILL's round trip.
    let waited = seen[up].0 - seen[2].0;
    assert!((2000..2700).contains(&waited), "{waited}: {seen:?}");
}

#[test]
fn a_tenfold_rate_is_found_and_a_tenth_of_it_again() {
    let mut bench = bench(REFERENCE, 1000);
    bench.run_until(at(3000));
    bench.links[0] = link(200, 1000);
    bench.run_until(at(15_000));
    let bandwidth = bench.probe("max_bandwidth_bps");
    assert!(bandwidth > 0.95 * 2e8, "{bandwidth}");
    bench.links[0] = link(20, 1000);
    bench.run_until(at(30_000));
    let bandwidth = bench.probe("max_bandwidth_bps");
    assert!((bandwidth / 2e7 - 1.0).abs() < 0.05, "{bandwidth}");
}

#[test]
fn idle_time_stands_for_probe_rtt() {
    let mut bench = Bench::over("bbr3", REFERENCE, vec![link(20, 1000)], HALF, KEYS);
    bench.log = false;
    bench.sender.write(4_000_000);
    bench.run_until(at(8000));
    assert_eq!(bench.receiver.delivered(), 4_000_000);
    bench.sender.write(4_000_000);
    let seen = gains(&mut bench, 8000, 9000);
    assert!(seen.iter().all(|&(_, _, cwnd)| cwnd != 0.5), "{seen:?}");
    assert!(bench.receiver.delivered() > 6_000_000);
}

#[test]
fn two_flows_share_and_leave_room_for_cubic() {
    for (pair, least, most) in [
        (["bbr3", "bbr3"], 0.3, 0.7),
        (["bbr3", "cubic"], 0.15, 0.85),
    ] {
        let mut shared = Shared::new(&pair, link(20, 100), HALF, KEYS);
        shared.run_until(at(20_000));
        let before = shared.delivered();
        shared.run_until(at(80_000));
        let after = shared.delivered();
        let bytes: Vec<u64> = after
            .iter()
            .zip(before)
            .map(|(now, was)| now - was)
            .collect();
        let total: u64 = bytes.iter().sum();
        let full = total as f64 * 8.0 / 60.0 / 2e7;
        assert!(full > 0.93, "{pair:?}: {full}");
        let share = bytes[0] as f64 / total as f64;
        assert!((least..most).contains(&share), "{pair:?}: {share}");
    }
}
