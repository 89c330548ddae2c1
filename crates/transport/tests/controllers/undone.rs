//! Losses that turn out to be none: what controllers have learnt from them goes too.

use sojourn_base::{Preset, Span};
use sojourn_transport::rate::RateSample;
use sojourn_transport::{AckSample, CongestionControl, LossKind, State};

use super::played::Played;
use super::{REFERENCE, RTT};
use crate::bench::probe;

/// RFC 9438, 4.9: the curve towards the W_max of before goes on. Linux learns all the same.
#[test]
fn cubic_goes_on_along_its_curve() {
    for (preset, is_kept) in [(REFERENCE, true), (Preset::Linux, false)] {
        let mut played = Played::new("cubic", preset, 100.0, 2.0);
        played.lose(LossKind::FastRetransmit);
        for _ in 0..10 {
            played.round(RTT, false);
        }
        let (cwnd, w_max, k) = (played.cwnd(), played.probe("w_max"), played.probe("k"));
        assert!((70.0..100.0).contains(&cwnd) && w_max == 100.0, "{preset}");
        played.lose(LossKind::FastRetransmit);
        assert!(played.probe("w_max") < cwnd, "{preset}: fast convergence");
        played.cc.on_undo(played.now);
        assert_eq!(played.cwnd(), cwnd, "{preset}");
        played.ack(RTT, false);
        let goes_on = (played.probe("w_max"), played.probe("k")) == (w_max, k);
        assert_eq!(goes_on, is_kept, "{preset}");
    }
}

/// Half a second later the window is what it would have been. On so short a path beta is a half
/// whatever a loss finds.
#[test]
fn htcp_of_linux_counts_on() {
    let rtt = Span::from_ms(10);
    let after = |is_lost: bool| {
        let mut played = Played::new("htcp", Preset::Linux, 100.0, 2.0);
        played.lose(LossKind::FastRetransmit);
        for _ in 0..300 {
            played.round(rtt, false);
        }
        if is_lost {
            played.begin_loss(LossKind::FastRetransmit, false);
            played.cc.on_undo(played.now);
            played.cc.on_recovery_exit(played.now);
        }
        let before = played.cwnd();
        for _ in 0..50 {
            played.round(rtt, false);
        }
        played.cwnd() - before
    };
    let undisturbed = after(false);
    assert!(undisturbed > 90.0, "{undisturbed}");
    assert!((after(true) - undisturbed).abs() <= 2.0, "{}", after(true));
}

/// The clock of H-TCP ticks once a millisecond, so that no round trip is shorter.
#[test]
fn htcp_of_linux_bears_paths_of_no_length() {
    let mut played = Played::new("htcp", Preset::Linux, 10.0, 2.0);
    for _ in 0..30 {
        played.now += Span::from_ps(500);
        played.ack(Span::from_ps(500), false);
    }
    let grown = played.cwnd();
    played.lose(LossKind::FastRetransmit);
    assert_eq!(played.cwnd(), libm::floor(grown / 2.0));
}

/// A path of so many bytes a second, as BBR's acknowledgements tell of it: one a round trip.
struct Path {
    played: Played,
    delivered: u64,
}

impl Path {
    fn new(preset: Preset) -> Self {
        Self {
            played: Played::new("bbr", preset, 100.0, 0.0),
            delivered: 0,
        }
    }

    fn round(&mut self, rate: f64, in_flight: u64) {
        let played = &mut self.played;
        played.now += RTT;
        let prior = self.delivered;
        self.delivered += 100_000;
        played.cc.on_ack(&AckSample {
            now: played.now,
            acked: 100_000,
            marked: 0,
            ece: false,
            rtt: Some(RTT),
            srtt: RTT,
            stamps: None,
            prior_in_flight: in_flight + 100_000,
            in_flight,
            window: played.cc.cwnd(),
            snd_una: 1 + self.delivered,
            snd_nxt: 1 + self.delivered + in_flight,
            state: State::Open,
            is_disordered: false,
            may_grow: true,
            cwnd_limited: true,
            next_send: None,
            rate: Some(RateSample {
                rate,
                delivered: 100_000,
                interval: RTT,
                prior_delivered: prior,
                app_limited: false,
                tx_in_flight: in_flight,
                lost: 0,
                rtt: Some(RTT),
            }),
            delivered: self.delivered,
            lost: 0,
        });
    }

    fn is_starting(&self) -> bool {
        probe(&self.played.cc, "pacing_gain") > 2.0
    }
}

/// `bbr_undo_cwnd`: the pipe is full after three more round trips without growth, not after the
/// third since it grew.
#[test]
fn bbr_of_linux_looks_anew_whether_the_pipe_is_full() {
    for (preset, rounds) in [(REFERENCE, 1), (Preset::Linux, 4)] {
        let mut path = Path::new(preset);
        // The first is growth.
        for _ in 0..3 {
            path.round(1e6, 200_000);
        }
        path.played.cc.on_undo(path.played.now);
        let mut more = 0;
        while path.is_starting() {
            path.round(1e6, 200_000);
            more += 1;
        }
        assert_eq!(more, rounds, "{preset}");
    }
}

/// `bbr_cwnd_event`: what begins to send when the look for the least round trip was long enough
/// has its window back at once.
#[test]
fn bbr_of_linux_ends_a_look_for_the_least_round_trip_after_idle_time() {
    let mut path = Path::new(Preset::Linux);
    let in_look = (0..200).find(|_| {
        path.round(1e6, 2_000);
        path.played.cwnd() <= 4.0
    });
    assert!(in_look.is_some());
    // Few enough are in flight: from here it takes 200 ms.
    path.round(1e6, 2_000);
    path.played.now += Span::from_whole_s(1);
    let now = path.played.now;
    path.played.cc.on_tx_start(now, Span::from_whole_s(1), true);
    assert!(path.played.cwnd() > 50.0, "{}", path.played.cwnd());
}
