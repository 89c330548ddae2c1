//! Sources from outside: pace, mean rates, and the ways of the presets.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use sojourn_base::{Bytes, Distribution, Preset, Scalar, Span, Stream};
use sojourn_traffic::{AnySource, Draw, SOURCES, Source, needs_streams};

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
            given.or((name == "rate").then_some(Scalar::Base(1e6)))
        }
    }
    sojourn_traffic::build(name, &Given(params), preset, payload, header).unwrap()
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
        let mut source = sized(packet_sources()[which], &[], Preset::ALL[preset], payload, header);
        for (_, payload) in packets(&mut source, 200, seed) {
            prop_assert!(payload >= 1 && payload + header.get() <= 65_535);
        }
        let again = |source: &mut AnySource| packets(source, 50, seed);
        let fresh = || {
            let payload = Distribution::pareto(1.2, Bytes::new(mean));
            sized(packet_sources()[which], &[], Preset::ALL[preset], payload, header)
        };
        prop_assert_eq!(again(&mut fresh()), again(&mut fresh()));
    }
}
