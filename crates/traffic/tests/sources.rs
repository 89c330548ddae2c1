//! Sources from outside: pace, mean rates, and the ways of the presets.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use proptest::prelude::*;
use sojourn_base::{Bytes, Distribution, Preset, Scalar, Span, Stream};
use sojourn_traffic::{AnySource, Draw, Recorded, Recording, SOURCES, Source, needs_streams};

/// A source of 1 Mbit/s that sends payloads of 500 bytes: one every 4 ms.
fn source(name: &str, params: &[(&str, Scalar<'_>)], preset: Preset) -> AnySource {
    sized(
        name,
        params,
        preset,
        Distribution::constant(Bytes::new(500)),
        Bytes::ZERO,
    )
}

fn sized(
    name: &str,
    params: &[(&str, Scalar<'_>)],
    preset: Preset,
    payload: Distribution<Bytes>,
    header: Bytes,
) -> AnySource {
    struct Given<'a>(&'a [(&'a str, Scalar<'a>)]);
    impl sojourn_base::ParamSource for Given<'_> {
        fn get(&self, name: &str) -> Option<Scalar<'_>> {
            let given = self
                .0
                .iter()
                .find(|(key, _)| *key == name)
                .map(|(_, value)| *value);
            given.or(match name {
                "rate" => Some(Scalar::Base(1e6)),
                "file" => Some(Scalar::Text("recorded.csv")),
                _ => None,
            })
        }
    }
    sojourn_traffic::build(name, &Given(params), preset, payload, header).unwrap()
}

/// A source that plays packets back: milliseconds and sizes.
fn played(
    params: &[(&str, Scalar<'_>)],
    preset: Preset,
    header: u64,
    recorded: &[(u64, u64)],
) -> AnySource {
    let payload = Distribution::constant(Bytes::new(500));
    let mut source = sized("trace", params, preset, payload, Bytes::new(header));
    source.recordings(&mut record(recorded)).unwrap();
    source
}

/// Gives a source what was recorded.
fn record(packets: &[(u64, u64)]) -> impl FnMut(&mut Recording) {
    let packets = packets.iter().map(|&(ms, size)| Recorded {
        after: Span::from_ms(ms),
        size: Bytes::new(size),
    });
    let packets: Arc<[Recorded]> = packets.collect();
    move |recording| recording.packets = packets.clone()
}

/// The sources that send packets, neither streams nor messages.
fn packet_sources() -> Vec<&'static str> {
    let names = SOURCES.iter().map(|entry| entry.name);
    names.filter(|name| !needs_streams(name)).collect()
}

/// The first `n` packets: instants in seconds and payloads.
fn packets(source: &mut AnySource, n: usize, seed: u64) -> Vec<(f64, u64)> {
    let (mut gaps, mut sizes) = (
        Stream::named(seed, 0, "gaps", "f"),
        Stream::named(seed, 0, "sizes", "f"),
    );
    let mut now = Span::ZERO;
    (0..n)
        .map(|_| {
            let emission = source.next(&mut Draw {
                gaps: &mut gaps,
                sizes: &mut sizes,
            });
            now += emission.gap;
            (now.as_s(), emission.payload.get())
        })
        .collect()
}

/// Bits per second of the payloads of `n` packets.
fn mean_rate(source: &mut AnySource, n: usize) -> f64 {
    let sent = packets(source, n, 1);
    let bits: u64 = sent.iter().map(|(_, payload)| payload * 8).sum();
    bits as f64 / sent.last().unwrap().0
}

#[test]
fn cbr_begins_at_once_and_keeps_its_pace() {
    let times: Vec<f64> = packets(&mut source("cbr", &[], Preset::Reference), 4, 1)
        .iter()
        .map(|p| p.0)
        .collect();
    assert_eq!(times, [0.0, 0.004, 0.008, 0.012]);
}

#[test]
fn cbr_takes_as_long_over_each_packet_as_its_own_size_asks() {
    let sizes = Distribution::empirical(&[500.0, 500.0, 1000.0]);
    let mut varied = sized("cbr", &[], Preset::Reference, sizes, Bytes::new(125));
    let sent = packets(&mut varied, 200, 1);
    for pair in sent.windows(2) {
        let took = (pair[0].1 + 125) as f64 * 8e-6;
        assert!((pair[1].0 - pair[0].0 - took).abs() < 1e-9, "{pair:?}");
    }
}

#[test]
fn no_packet_is_larger_than_ip_can_carry() {
    for payload in [
        Distribution::constant(Bytes::new(100_000)),
        Distribution::empirical(&[100_000.0]),
    ] {
        let mut large = sized("cbr", &[], Preset::Reference, payload, Bytes::new(28));
        assert_eq!(packets(&mut large, 1, 1)[0].1, 65_535 - 28);
    }
}

#[test]
fn a_rate_is_that_of_packets_as_ip_can_carry_them() {
    let large = || Distribution::exponential(Bytes::new(50_000));
    let header = Bytes::ZERO;
    let mut poisson = sized("poisson", &[], Preset::Reference, large(), header);
    let rate = mean_rate(&mut poisson, 200_000);
    assert!((rate / 1e6 - 1.0).abs() < 0.01, "{rate}");
    let periods = [
        ("on", Scalar::Text("exponential(20 s)")),
        ("off", Scalar::Text("exponential(20 s)")),
    ];
    let mut bursts = sized("onoff", &periods, Preset::Ns2, large(), header);
    let rate = mean_rate(&mut bursts, 200_000);
    assert!((rate / 5e5 - 1.0).abs() < 0.02, "{rate}");
}

#[test]
fn the_rate_counts_headers_unless_it_is_of_the_payload() {
    let payload = || Distribution::constant(Bytes::new(500));
    let second = |params: &[(&str, Scalar<'_>)], preset| {
        packets(
            &mut sized("cbr", params, preset, payload(), Bytes::new(125)),
            2,
            1,
        )[1]
        .0
    };
    assert_eq!(second(&[], Preset::Reference), 0.005);
    assert_eq!(
        second(&[("rate_of", Scalar::Text("payload"))], Preset::Reference),
        0.004
    );
    assert_eq!(second(&[], Preset::Ns3), 0.004);
}

#[test]
fn jitter_spreads_the_gaps_around_their_mean() {
    let mut jittered = source("cbr", &[("jitter", Scalar::Real(0.5))], Preset::Reference);
    let times: Vec<f64> = packets(&mut jittered, 20_001, 1)
        .iter()
        .map(|p| p.0)
        .collect();
    let gaps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let (least, most) = gaps
        .iter()
        .fold((1.0, 0.0), |(a, b), &g| (f64::min(a, g), f64::max(b, g)));
    assert!((0.002..0.00205).contains(&least), "{least}");
    assert!((0.00595..=0.006).contains(&most), "{most}");
    assert!((times[20_000] / 20_000.0 - 0.004).abs() < 0.00003);
}

#[test]
fn poisson_gaps_are_exponential_and_do_not_feel_the_sizes() {
    let mut constant = source("poisson", &[], Preset::Reference);
    let random = Distribution::exponential(Bytes::new(500));
    let mut varied = sized("poisson", &[], Preset::Reference, random, Bytes::ZERO);
    let (a, b) = (
        packets(&mut constant, 50_000, 1),
        packets(&mut varied, 50_000, 1),
    );
    assert!(a.iter().zip(&b).all(|(a, b)| a.0 == b.0));
    let gaps: Vec<f64> = a.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps
        .iter()
        .map(|gap| (gap - mean) * (gap - mean))
        .sum::<f64>()
        / gaps.len() as f64;
    assert!((mean / 0.004 - 1.0).abs() < 0.02, "{mean}");
    assert!((variance / (mean * mean) - 1.0).abs() < 0.05, "{variance}");
}

#[test]
fn on_off_sends_exactly_its_share_of_the_peak() {
    for (on, off, share) in [
        ("exponential(100 ms)", "exponential(300 ms)", 0.25),
        ("2 ms", "2 ms", 0.5),
        ("exponential(1 ms)", "exponential(1 ms)", 0.5),
        ("uniform(0 s, 20 ms)", "30 ms", 0.25),
    ] {
        let params = [("on", Scalar::Text(on)), ("off", Scalar::Text(off))];
        let mean = mean_rate(&mut source("onoff", &params, Preset::Reference), 100_000);
        assert!(
            (mean / 1e6 / share - 1.0).abs() < 0.03,
            "{on} {off}: {mean}"
        );
    }
}

#[test]
fn on_off_carries_an_unfinished_packet_into_the_next_on_period() {
    // 6 ms on, 10 ms off, 4 ms a packet: one at 4 ms; 2 ms of the next before the silence.
    let params = [("on", Scalar::Text("6 ms")), ("off", Scalar::Text("10 ms"))];
    let times: Vec<f64> = packets(&mut source("onoff", &params, Preset::Reference), 4, 1)
        .iter()
        .map(|p| p.0)
        .collect();
    assert_eq!(times, [0.004, 0.018, 0.022, 0.036]);
}

#[test]
fn ns3_begins_off() {
    let params = [("on", Scalar::Text("8 ms")), ("off", Scalar::Text("10 ms"))];
    let first = packets(&mut source("onoff", &params, Preset::Ns3), 1, 1)[0].0;
    assert_eq!(first, 0.014);
}

#[test]
fn ns2_begins_off_and_sends_whole_packets() {
    // Bursts of round(9 ms / 4 ms) = 2 packets; each burst begins off + one packet time later.
    let params = [("on", Scalar::Text("9 ms")), ("off", Scalar::Text("10 ms"))];
    let times: Vec<f64> = packets(&mut source("onoff", &params, Preset::Ns2), 5, 1)
        .iter()
        .map(|p| p.0)
        .collect();
    assert_eq!(times, [0.014, 0.018, 0.032, 0.036, 0.05]);
    let brief = [("on", Scalar::Text("1 ms")), ("off", Scalar::Text("10 ms"))];
    let times = packets(&mut source("onoff", &brief, Preset::Ns2), 2, 1);
    assert_eq!(
        (times[0].0, times[1].0),
        (0.014, 0.028),
        "a burst is at least one packet"
    );
}

#[test]
fn pareto_periods_have_their_means() {
    let params = [
        ("on", Scalar::Text("100 ms")),
        ("off", Scalar::Text("300 ms")),
        ("shape", Scalar::Real(2.5)),
    ];
    let mean = mean_rate(
        &mut source("pareto_onoff", &params, Preset::Reference),
        400_000,
    );
    assert!((mean / 250_000.0 - 1.0).abs() < 0.05, "{mean}");
}

#[test]
fn impossible_parameters_are_refused_by_name() {
    let refused = |name: &str, params: &[(&str, Scalar<'_>); 2]| {
        let payload = Distribution::constant(Bytes::new(500));
        match sojourn_traffic::build(name, params, Preset::Reference, payload, Bytes::ZERO) {
            Err(sojourn_traffic::BuildError::Param(fault)) => fault.name,
            other => panic!("{other:?}"),
        }
    };
    let rate = ("rate", Scalar::Text("1 Mbit/s"));
    assert_eq!(
        refused("pareto_onoff", &[rate, ("shape", Scalar::Real(1.0))]),
        "shape"
    );
    assert_eq!(refused("onoff", &[rate, ("on", Scalar::Text("0 s"))]), "on");
    assert_eq!(
        refused("cbr", &[("rate", Scalar::Text("0 bit/s")), rate]),
        "rate"
    );
    assert_eq!(
        refused("poisson", &[("rate_of", Scalar::Text("bits")), rate]),
        "rate_of"
    );
}

const RECORDED: [(u64, u64); 4] = [(10, 100), (12, 1500), (12, 20), (40, 200)];

/// Instants in milliseconds, and payloads.
fn in_ms(source: &mut AnySource, n: usize, seed: u64) -> Vec<(f64, u64)> {
    let sent = packets(source, n, seed).into_iter();
    sent.map(|(s, payload)| ((s * 1e6).round() / 1e3, payload))
        .collect()
}

#[test]
fn a_recording_comes_as_it_was_and_then_nothing() {
    let mut source = played(&[], Preset::Reference, 28, &RECORDED);
    let sent = in_ms(&mut source, 6, 1);
    assert_eq!(
        sent[..4],
        [(10.0, 72), (12.0, 1472), (12.0, 1), (40.0, 172)]
    );
    assert!(sent[4].0 > 1e9 && sent[5].0 > 1e9, "{sent:?}");
}

#[test]
fn a_recording_is_played_faster_and_slower() {
    for (speed, factor) in [(2.0, 0.5), (0.1, 10.0)] {
        let params = [("speed", Scalar::Real(speed))];
        let mut source = played(&params, Preset::Reference, 0, &RECORDED);
        let times: Vec<f64> = in_ms(&mut source, 4, 1).iter().map(|p| p.0).collect();
        assert_eq!(times, [10.0, 12.0, 12.0, 40.0].map(|ms| ms * factor));
    }
}

/// Between its end and its next beginning lies its mean gap, 10 ms.
#[test]
fn a_recording_begins_anew() {
    let params = [("repeat", Scalar::Flag(true))];
    let mut source = played(&params, Preset::Reference, 0, &RECORDED);
    let sent = in_ms(&mut source, 9, 1);
    assert_eq!(
        sent[4..8],
        [(50.0, 100), (52.0, 1500), (52.0, 20), (80.0, 200)]
    );
    assert_eq!(sent[8], (90.0, 100));
}

#[test]
fn a_recording_begins_anywhere() {
    let params = [("random_start", Scalar::Flag(true))];
    let mut seen = [0; 4];
    for seed in 0..400 {
        let sent = in_ms(
            &mut played(&params, Preset::Reference, 0, &RECORDED),
            4,
            seed,
        );
        let first = RECORDED
            .iter()
            .position(|packet| packet.1 == sent[0].1)
            .unwrap();
        seen[first] += 1;
        let gap = [10.0, 2.0, 0.0, 28.0][first];
        assert_eq!(sent[0].0, gap);
        let left = RECORDED.len() - first;
        assert!(sent[left - 1].0 < 1e9);
        assert!(sent.get(left).is_none_or(|packet| packet.0 > 1e9));
    }
    assert!(seen.iter().all(|&count| count > 60), "{seen:?}");
}

#[test]
fn under_ns2_a_recording_begins_anywhere_and_never_ends() {
    let mut source = played(&[], Preset::Ns2, 0, &RECORDED);
    let sent = in_ms(&mut source, 80, 7);
    let first = RECORDED.iter().position(|packet| packet.1 == sent[0].1);
    let sizes = RECORDED.iter().map(|packet| packet.1).cycle();
    let expected: Vec<u64> = sizes.skip(first.unwrap()).take(80).collect();
    assert_eq!(sent.iter().map(|p| p.1).collect::<Vec<_>>(), expected);
}

#[test]
fn what_comes_at_once_cannot_come_again_for_ever() {
    let repeat = [("repeat", Scalar::Flag(true))];
    for recorded in [&[(5, 100)][..], &[(5, 100), (5, 100)]] {
        let payload = Distribution::constant(Bytes::new(1));
        let mut source = sized("trace", &repeat, Preset::Reference, payload, Bytes::ZERO);
        let fault = source.recordings(&mut record(recorded)).unwrap_err();
        assert!(
            fault
                .to_string()
                .starts_with("repeat: found true; allowed: false")
        );
        let sent = in_ms(&mut played(&[], Preset::Reference, 0, recorded), 2, 1);
        assert_eq!(sent[0], (5.0, 100));
    }
}

proptest! {
    /// Every source goes on for ever, never backwards, and keeps to what IP can carry.
    #[test]
    fn every_source_keeps_the_contract(
        which in 0..packet_sources().len(),
        seed in any::<u64>(),
        mean in 1_u64..100_000,
        header in 0_u64..100,
        preset in 0_usize..4,
    ) {
        let payload = Distribution::pareto(1.2, Bytes::new(mean));
        let header = Bytes::new(header);
        let of = |payload| {
            let params = [("repeat", Scalar::Flag(true))];
            let mut source = sized(packet_sources()[which], &params, Preset::ALL[preset], payload, header);
            source.recordings(&mut record(&[(2, mean), (9, 1)])).unwrap();
            source
        };
        let mut source = of(payload);
        for (_, payload) in packets(&mut source, 200, seed) {
            prop_assert!(payload >= 1 && payload + header.get() <= 65_535);
        }
        let again = |source: &mut AnySource| packets(source, 50, seed);
        let fresh = || {
            of(Distribution::pareto(1.2, Bytes::new(mean)))
        };
        prop_assert_eq!(again(&mut fresh()), again(&mut fresh()));
    }
}
