//! Each controller against its closed form.

mod bench;

use bench::{Bench, Fate, Solo, controller};
use sojourn_base::{Preset, Span, Time};
use sojourn_transport::{
    AckSample, AnyController, CONTROLLERS, CongestionControl, LossEvent, LossKind, Start, State,
};

const REFERENCE: Preset = Preset::Reference;

/// A controller under a path that the test makes up, a round trip at a time.
struct Played {
    cc: AnyController,
    now: Time,
    una: u64,
    delivered: u64,
}

impl Played {
    fn new(name: &str, preset: Preset, cwnd: f64, ssthresh: f64) -> Self {
        let mut cc = controller(name, preset, &Start::of(1000, 10));
        cc.set_window(cwnd, ssthresh);
        Self {
            cc,
            now: Time::ZERO,
            una: 1,
            delivered: 0,
        }
    }

    fn cwnd(&self) -> f64 {
        self.cc.cwnd() as f64 / 1000.0
    }

    /// A segment is acknowledged at `now`.
    fn ack(&mut self, rtt: Span, marked: bool) {
        let cwnd = self.cc.cwnd();
        self.una += 1000;
        self.delivered += 1000;
        let sample = AckSample {
            now: self.now,
            acked: 1000,
            marked: if marked { 1000 } else { 0 },
            ece: marked,
            rtt: Some(rtt),
            srtt: rtt,
            one_way_s: Some(rtt.as_s() / 2.0),
            prior_in_flight: cwnd,
            in_flight: cwnd - 1000,
            snd_una: self.una,
            snd_nxt: self.una + cwnd - 1000,
            state: State::Open,
            may_grow: !marked,
            paced: false,
            rate: None,
            delivered: self.delivered,
            lost: 0,
        };
        self.cc.on_ack(&sample);
    }

    /// A window's worth of acknowledgements, evenly over a round trip.
    fn round(&mut self, rtt: Span, marked: bool) {
        let segments = self.cc.cwnd() / 1000;
        let gap = Span::from_ps(rtt.as_ps() / segments);
        for _ in 0..segments {
            self.now += gap;
            self.ack(rtt, marked);
        }
    }

    fn lose(&mut self, kind: LossKind) {
        let event = LossEvent {
            now: self.now,
            kind,
            in_flight: self.cc.cwnd(),
            snd_nxt: self.una + self.cc.cwnd(),
            again: false,
        };
        self.cc.on_loss_event(&event);
        self.cc.on_recovery_exit(self.now);
    }

    fn probe(&self, name: &str) -> f64 {
        let mut found = f64::NAN;
        self.cc.probe(&mut |key, value| {
            if key == name {
                found = value;
            }
        });
        found
    }
}

const RTT: Span = Span::from_ms(100);

#[test]
fn every_controller_grows_reduces_and_keeps_a_segment() {
    for entry in CONTROLLERS {
        for preset in Preset::ALL {
            let mut played = Played::new(entry.name, preset, 10.0, 20.0);
            for _ in 0..30 {
                played.round(RTT, false);
            }
            let grown = played.cwnd();
            assert!(grown > 10.0, "{} {preset}: {grown}", entry.name);
            played.lose(LossKind::FastRetransmit);
            let reduced = played.cwnd();
            if !["bbr", "bbr3"].contains(&entry.name) {
                assert!(reduced < grown && reduced >= 1.0, "{} {preset}", entry.name);
            }
            for _ in 0..40 {
                played.lose(LossKind::Timeout);
                assert!(played.cc.cwnd() >= 1000, "{}", entry.name);
            }
            assert!(!entry.summary().is_empty());
        }
    }
}

#[test]
fn cubic_follows_its_closed_form_after_a_loss() {
    let mut played = Played::new("cubic", REFERENCE, 100.0, 50.0);
    played.lose(LossKind::FastRetransmit);
    assert!((played.cwnd() - 70.0).abs() < 1e-9);
    played.ack(RTT, false);
    let start = played.now;
    // K = cbrt(30 / 0.4) = 4.217 s.
    assert!(
        (played.probe("k") - 4.217).abs() < 0.001,
        "{}",
        played.probe("k")
    );
    assert_eq!(played.probe("w_max"), 100.0);
    let long = Span::from_ms(300);
    while played.now.since(start) < Span::from_whole_s(8) {
        let segments = (played.cwnd()) as u64;
        for _ in 0..segments {
            played.now += Span::from_ps(long.as_ps() / segments);
            played.ack(long, false);
        }
        let t = played.now.since(start).as_s();
        let d = t - 4.217;
        let curve = 0.4 * d * d * d + 100.0;
        assert!(
            (played.cwnd() / curve - 1.0).abs() < 0.02,
            "{t}: {} {curve}",
            played.cwnd()
        );
    }
}

#[test]
fn cubic_is_reno_friendly_and_converges_fast() {
    // At 10 ms W_est = 70 + 0.529 t / R is above the cubic until it meets it.
    let mut played = Played::new("cubic", REFERENCE, 100.0, 50.0);
    played.lose(LossKind::FastRetransmit);
    let short = Span::from_ms(10);
    for _ in 0..100 {
        played.round(short, false);
    }
    // A segment a round trip from 100 on.
    let expected = 100.0 + (100.0 - 30.0 / (3.0 * 0.3 / 1.7));
    assert!(
        (played.cwnd() - expected).abs() < 3.0,
        "{} {expected}",
        played.cwnd()
    );
    // A loss below the last maximum: W_max = 0.85 cwnd.
    let mut played = Played::new("cubic", REFERENCE, 100.0, 50.0);
    played.lose(LossKind::FastRetransmit);
    played.ack(RTT, false);
    let cwnd = played.cwnd();
    played.lose(LossKind::FastRetransmit);
    assert!((played.probe("w_max") - 0.85 * cwnd).abs() < 0.01);
}

#[test]
fn highspeed_follows_its_response_function() {
    // RFC 3649, appendix B: b and a at some windows (a by the formulas).
    for (w, a, b) in [
        (38.0, 1.0, 0.50),
        (118.0, 2.0, 0.44),
        (1058.0, 8.0, 0.33),
        (83_000.0, 70.7, 0.10),
    ] {
        let played = Played::new("highspeed", REFERENCE, w, 2.0);
        let (found_a, found_b) = (played.probe("a"), played.probe("b"));
        assert!((found_a - a).abs() < 0.35, "{w}: a {found_a}");
        assert!((found_b - b).abs() < 0.006, "{w}: b {found_b}");
    }
    let mut played = Played::new("highspeed", REFERENCE, 1058.0, 2.0);
    played.lose(LossKind::FastRetransmit);
    assert!((played.cwnd() / 1058.0 - 0.67).abs() < 0.01);
}

#[test]
fn dctcp_weighs_its_marks() {
    let mut played = Played::new("dctcp", REFERENCE, 16.0, 2.0);
    // No marks: alpha falls by 15/16 a window.
    for _ in 0..8 {
        played.round(RTT, false);
    }
    let alpha = played.probe("alpha");
    let windows = libm::log(alpha) / libm::log(15.0 / 16.0);
    assert!(
        (windows - libm::round(windows)).abs() < 1e-6 && windows >= 7.0,
        "{alpha}"
    );
    // Half of the bytes marked for long: alpha is a half, and a mark takes a quarter.
    for _ in 0..200 {
        let segments = 16;
        for n in 0..segments {
            played.now += Span::from_ms(5);
            played.ack(RTT, n % 2 == 0);
        }
        played.cc.set_window(16.0, 2.0);
    }
    assert!(
        (played.probe("alpha") - 0.5).abs() < 0.06,
        "{}",
        played.probe("alpha")
    );
    // All marked: alpha is 1, and it halves as Reno does.
    for _ in 0..100 {
        played.round(RTT, true);
    }
    assert!(played.probe("alpha") > 0.99);
    let cwnd = played.cwnd();
    played.lose(LossKind::Ecn);
    assert!((played.cwnd() / cwnd - 0.5).abs() < 0.01);
}

#[test]
fn scalable_recovers_in_thirteen_round_trips_whatever_the_window() {
    for window in [200.0, 1000.0] {
        let mut played = Played::new("scalable", REFERENCE, window, 2.0);
        played.lose(LossKind::FastRetransmit);
        let mut rounds = 0;
        while played.cwnd() < window {
            played.round(RTT, false);
            rounds += 1;
        }
        assert!((13..=14).contains(&rounds), "{window}: {rounds}");
    }
}

#[test]
fn bic_searches_by_halves() {
    let mut played = Played::new("bic", REFERENCE, 125.0, 2.0);
    played.lose(LossKind::FastRetransmit);
    played.cc.set_window(100.0, 2.0);
    // W_max 125: a quarter of the distance each time, which shrinks within the round.
    for _ in 0..6 {
        let before = played.cwnd();
        played.round(RTT, false);
        let part = (played.cwnd() - before) / (125.0 - before);
        assert!((0.2..0.25).contains(&part), "{part}");
    }
}

#[test]
fn htcp_grows_by_time() {
    let mut played = Played::new("htcp", REFERENCE, 100.0, 2.0);
    played.lose(LossKind::FastRetransmit);
    // One segment a round trip for a second, then 11.25 at 2 s, 22 at 3 s.
    for _ in 0..10 {
        played.round(RTT, false);
    }
    assert!((played.cwnd() - 60.0).abs() < 1.5, "{}", played.cwnd());
    for _ in 0..9 {
        played.round(RTT, false);
    }
    let before = played.cwnd();
    played.round(RTT, false);
    let gain = played.cwnd() - before;
    assert!((gain - 10.7).abs() < 1.0, "{gain}");
}

#[test]
fn hybla_grows_as_a_path_of_rtt0() {
    let mut played = Played::new("hybla", REFERENCE, 100.0, 2.0);
    played.round(RTT, false);
    // rho 4: 16 segments a round trip.
    assert!((played.cwnd() - 115.0).abs() < 1.5, "{}", played.cwnd());
}

#[test]
fn illinois_reads_the_delay() {
    // Base 100 ms, longest 200 ms: at the longest alpha is 0.3 and beta 1/2.
    let mut played = Played::new("illinois", REFERENCE, 100.0, 2.0);
    played.round(RTT, false);
    for _ in 0..3 {
        played.round(Span::from_ms(200), false);
    }
    assert!(
        (played.probe("alpha") - 0.3).abs() < 0.01,
        "{}",
        played.probe("alpha")
    );
    assert_eq!(played.probe("beta"), 0.5);
    for _ in 0..3 {
        played.round(Span::from_ms(145), false);
    }
    assert!(
        (played.probe("beta") - 0.3125).abs() < 0.01,
        "{}",
        played.probe("beta")
    );
}

#[test]
fn vegas_keeps_two_to_four_segments_in_the_queue() {
    for preset in Preset::ALL {
        // 1.2 Mbit/s and 100 ms: 15 segments of 1000 bytes fill the path.
        let rate = sojourn_base::Rate::from_bps(1_200_000);
        let half = Span::from_ms(50);
        let link = bench::Link::new(rate, half, 1000);
        let keys = [
            ("segment", "1000 B"),
            ("header", "0 B"),
            ("window", "none"),
            ("delayed_ack", "1"),
            ("timestamps", "true"),
        ];
        let mut bench = Bench::over("vegas", preset, vec![link], half, &keys);
        bench.sender.write_endless();
        bench.run_until(Time::ZERO + Span::from_whole_s(60));
        let queued = bench.cwnd_segments() - 15.0;
        let (least, most) = if preset == Preset::Ns2 {
            (0.5, 4.5)
        } else {
            (1.5, 6.0)
        };
        assert!((least..most).contains(&queued), "{preset}: {queued}");
    }
}

#[test]
fn westwood_empties_the_queue_and_no_more() {
    let rate = sojourn_base::Rate::from_bps(8_000_000);
    let half = Span::from_ms(25);
    let link = bench::Link::new(rate, half, 100);
    let keys = [
        ("segment", "1000 B"),
        ("header", "0 B"),
        ("delayed_ack", "1"),
    ];
    let mut bench = Bench::over("westwood", REFERENCE, vec![link], half, &keys);
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_whole_s(60));
    // 8 Mbit/s x 51 ms = 51 segments, though the window reached 150.
    let ssthresh = bench.sender.ssthresh() as f64 / 1000.0;
    assert!((45.0..56.0).contains(&ssthresh), "{ssthresh}");
}

#[test]
fn veno_takes_a_loss_without_a_queue_for_random() {
    let mut played = Played::new("veno", REFERENCE, 20.0, 2.0);
    for _ in 0..5 {
        played.round(RTT, false);
    }
    let cwnd = played.cwnd();
    played.lose(LossKind::FastRetransmit);
    assert!((played.cwnd() / cwnd - 0.8).abs() < 0.01);
    let mut played = Played::new("veno", REFERENCE, 20.0, 2.0);
    played.round(RTT, false);
    played.round(Span::from_ms(150), false);
    let cwnd = played.cwnd();
    played.lose(LossKind::FastRetransmit);
    assert!((played.cwnd() / cwnd - 0.5).abs() < 0.01);
}

#[test]
fn ledbat_settles_at_its_target() {
    let rate = sojourn_base::Rate::from_bps(8_000_000);
    let half = Span::from_ms(20);
    let link = bench::Link::new(rate, half, 1000);
    let keys = [
        ("segment", "1000 B"),
        ("header", "0 B"),
        ("delayed_ack", "1"),
    ];
    let mut bench = Bench::over("ledbat", REFERENCE, vec![link], half, &keys);
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_whole_s(60));
    let delay = bench.sender.latest_rtt().as_s() - 0.041;
    assert!((0.09..0.11).contains(&delay), "{delay}");
}

#[test]
fn yeah_keeps_its_queue_short() {
    let rate = sojourn_base::Rate::from_bps(40_000_000);
    let half = Span::from_ms(50);
    let link = bench::Link::new(rate, half, 5000);
    let keys = [
        ("segment", "1000 B"),
        ("header", "0 B"),
        ("delayed_ack", "1"),
        ("initial_ssthresh", "300 packets"),
    ];
    let mut bench = Bench::over("yeah", REFERENCE, vec![link], half, &keys);
    bench.log = false;
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_whole_s(30));
    let mut worst = Span::ZERO;
    for second in 31..90 {
        bench.run_until(Time::ZERO + Span::from_whole_s(second));
        worst = worst.max(bench.sender.latest_rtt());
    }
    assert!(worst < Span::from_ms(120), "{worst}");
}

/// Segments per round trip of a flow that loses one segment in `1/p`.
fn rate_under_periodic_loss(cc: &str, p: f64, delayed_ack: &'static str) -> f64 {
    let keys = [("segment", "1000 B"), ("delayed_ack", delayed_ack)];
    let mut bench = Bench::new(cc, REFERENCE, RTT, &keys);
    bench.log = false;
    let every = libm::round(1.0 / p) as u64;
    bench.fate = Box::new(move |n, _| {
        if n % every == every - 1 {
            Fate::Drop
        } else {
            Fate::Deliver
        }
    });
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_whole_s(200));
    let before = bench.receiver.delivered();
    bench.run_until(Time::ZERO + Span::from_whole_s(2200));
    (bench.receiver.delivered() - before) as f64 / 1000.0 / 20_000.0
}

#[test]
fn periodic_loss_gives_the_square_root_law() {
    for p in [0.001, 0.0005, 0.0002] {
        let rate = rate_under_periodic_loss("newreno", p, "1") * libm::sqrt(p);
        assert!((rate / 1.2247 - 1.0).abs() < 0.05, "{p}: {rate}");
    }
    // Half the growth under delayed acknowledgements: a factor of sqrt(1/2).
    let delayed = rate_under_periodic_loss("newreno", 0.0005, "2") * libm::sqrt(0.0005);
    assert!((delayed / 0.866 - 1.0).abs() < 0.07, "{delayed}");
}

#[test]
fn cubic_under_periodic_loss_has_the_mean_window_of_its_rfc() {
    // RFC 9438, 5.2: 1.054 (RTT^3 / p^3)^(1/4).
    let p = 0.0001;
    let rate = rate_under_periodic_loss("cubic", p, "1");
    let expected = 1.054 * libm::pow(0.1, 0.75) / libm::pow(p, 0.75);
    assert!((rate / expected - 1.0).abs() < 0.1, "{rate} {expected}");
}

#[test]
fn hystart_leaves_slow_start_before_the_queue_overflows() {
    let rate = sojourn_base::Rate::from_bps(80_000_000);
    let half = Span::from_ms(50);
    let link = bench::Link::new(rate, half, 1000);
    let keys = [("segment", "1000 B"), ("header", "0 B"), ("window", "none")];
    let mut bench = Bench::over("cubic", Preset::Linux, vec![link], half, &keys);
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_ms(2500));
    assert_eq!(bench.refused.len(), 0);
    assert!((900..1300).contains(&(bench.sender.ssthresh() / 1000)));
}

#[test]
fn hystart_plus_plus_grows_by_a_quarter_before_it_leaves() {
    let mut played = Played::new("cubic", REFERENCE, 16.0, f64::INFINITY);
    played.round(RTT, false);
    played.round(RTT, false);
    assert_eq!(played.cwnd(), 64.0);
    // RFC 9406, 4.2: an eighth more, found with the eighth sample of the round.
    let slow = Span::from_ms(113);
    played.round(slow, false);
    let entered = played.cwnd();
    assert!(
        (entered - (64.0 + 7.0 + 57.0 / 4.0)).abs() < 2.0,
        "{entered}"
    );
    // Below the baseline it goes on in full.
    let mut again = Played::new("cubic", REFERENCE, 16.0, f64::INFINITY);
    for rtt in [RTT, RTT, slow, RTT] {
        again.round(rtt, false);
    }
    assert!(again.cwnd() > 1.8 * entered, "{}", again.cwnd());
    // Five rounds, then congestion avoidance.
    for _ in 0..5 {
        assert_eq!(played.cc.ssthresh(), u64::MAX);
        played.round(slow, false);
    }
    assert!(played.cc.ssthresh() < u64::MAX);
    let left = played.cwnd();
    assert!(
        (left / entered / libm::pow(1.25, 4.5) - 1.0).abs() < 0.15,
        "{left}"
    );
}

#[test]
fn dctcp_on_a_step_keeps_the_queue_near_it() {
    let rate = sojourn_base::Rate::from_bps(80_000_000);
    let half = Span::from_ms(5);
    let mut link = bench::Link::new(rate, half, 500);
    link.mark_above = 30;
    let keys = [
        ("segment", "1000 B"),
        ("header", "0 B"),
        ("delayed_ack", "1"),
    ];
    let mut bench = Bench::over("dctcp", REFERENCE, vec![link], half, &keys);
    bench.log = false;
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_whole_s(5));
    let before = bench.receiver.delivered();
    bench.run_until(Time::ZERO + Span::from_whole_s(15));
    let share = (bench.receiver.delivered() - before) as f64 * 8.0 / 10.0 / 8e7;
    assert!(share > 0.98, "{share}");
    assert_eq!(bench.sender.counts().retransmits, 0);
    assert!(bench.cwnd_segments() < 160.0, "{}", bench.cwnd_segments());
}

#[test]
fn prague_on_a_step_keeps_the_queue_at_it() {
    let rate = sojourn_base::Rate::from_bps(40_000_000);
    let half = Span::from_ms(15);
    let mut link = bench::Link::new(rate, half, 500);
    // A millisecond's worth.
    link.mark_above = 5;
    let keys = [("segment", "1000 B"), ("header", "0 B")];
    let mut bench = Bench::over("prague", REFERENCE, vec![link], half, &keys);
    bench.log = false;
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_whole_s(10));
    let before = bench.receiver.delivered();
    bench.run_until(Time::ZERO + Span::from_whole_s(30));
    let share = (bench.receiver.delivered() - before) as f64 * 8.0 / 20.0 / 4e7;
    assert!(share > 0.9, "{share}");
    assert_eq!(bench.sender.counts().retransmits, 0);
    assert!(
        bench.sender.latest_rtt() < Span::from_ms(36),
        "{}",
        bench.sender.latest_rtt()
    );
}

#[test]
fn a_sender_alone_is_a_few_hundred_bytes() {
    let bytes = size_of::<sojourn_transport::Sender>();
    assert!(bytes < 1100, "{bytes}");
    let _ = Solo::new("newreno", REFERENCE, &[]);
}

#[test]
fn bbr_fills_the_link_and_drains_its_queue() {
    for preset in [REFERENCE, Preset::Linux, Preset::Ns3] {
        let rate = sojourn_base::Rate::from_bps(20_000_000);
        let half = Span::from_ms(20);
        let link = bench::Link::new(rate, half, 1000);
        let keys = [("segment", "1000 B"), ("header", "0 B"), ("window", "none")];
        let mut bench = Bench::over("bbr", preset, vec![link], half, &keys);
        bench.log = false;
        bench.sender.write_endless();
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

#[test]
fn bbr_does_not_mind_a_little_loss() {
    let rate = sojourn_base::Rate::from_bps(20_000_000);
    let half = Span::from_ms(20);
    let link = bench::Link::new(rate, half, 1000);
    let keys = [("segment", "1000 B"), ("header", "0 B"), ("window", "none")];
    let mut bench = Bench::over("bbr", REFERENCE, vec![link], half, &keys);
    bench.log = false;
    bench.fate = Box::new(|n, _| {
        if n % 100 == 99 {
            Fate::Drop
        } else {
            Fate::Deliver
        }
    });
    bench.sender.write_endless();
    bench.run_until(Time::ZERO + Span::from_whole_s(20));
    let share = bench.receiver.delivered() as f64 * 8.0 / 20.0 / 2e7;
    assert!(share > 0.85, "{share}");
}

#[test]
fn independent_loss_gives_its_square_root_law() {
    for p in [0.001, 0.003] {
        let keys = [
            ("segment", "1000 B"),
            ("delayed_ack", "1"),
            ("min_rto", "200 ms"),
        ];
        let mut bench = Bench::new("newreno", REFERENCE, RTT, &keys);
        bench.log = false;
        let mut random = sojourn_base::Stream::new(11);
        bench.fate = Box::new(move |_, _| {
            if random.chance(p) {
                Fate::Drop
            } else {
                Fate::Deliver
            }
        });
        bench.sender.write_endless();
        bench.run_until(Time::ZERO + Span::from_whole_s(5000));
        let rate = bench.receiver.delivered() as f64 / 1000.0 / 50_000.0 * libm::sqrt(p);
        assert!((rate / 1.30 - 1.0).abs() < 0.07, "{p}: {rate}");
    }
}
