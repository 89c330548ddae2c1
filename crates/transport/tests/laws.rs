//! What must hold whatever the network does.

use crate::bench::{Bench, Fate, config, sender};
use proptest::prelude::*;
use sojourn_base::{Preset, Span, Stream, Time};
use sojourn_transport::{Ack, Arrival, CONTROLLERS, Receiver, SackBlocks, Segment};

const PRESETS: [Preset; 4] = Preset::ALL;

/// One thing that befalls a sender.
#[derive(Debug, Clone)]
enum Step {
    Ack {
        ack: u64,
        blocks: Vec<(u64, u64)>,
        window: u64,
        ece: bool,
        ce: u64,
    },
    Pass(u64),
    Write(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let number = || 0..60_000_u64;
    let block = (number(), 0..8_000_u64).prop_map(|(from, len)| (from, from + len));
    let ack = (
        number(),
        prop::collection::vec(block, 0..4),
        prop_oneof![Just(u64::MAX), 0..40_000_u64],
        any::<bool>(),
        number(),
    )
        .prop_map(|(ack, blocks, window, ece, ce)| Step::Ack {
            ack,
            blocks,
            window,
            ece,
            ce,
        });
    let step = prop_oneof![
        6 => ack,
        2 => (0..400_u64).prop_map(Step::Pass),
        1 => (0..20_000_u64).prop_map(Step::Write),
    ];
    prop::collection::vec(step, 1..60)
}

fn keys(sack: bool, rack: bool, ecn: bool) -> Vec<(&'static str, &'static str)> {
    let word = |flag| if flag { "true" } else { "false" };
    vec![
        ("segment", "1000 B"),
        ("sack", word(sack)),
        ("rack", word(rack)),
        ("ecn", word(ecn)),
        ("handshake", "false"),
        ("window", "40 packets"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_acknowledgement_breaks_a_sender(
        steps in steps(),
        which in 0..CONTROLLERS.len(),
        preset in 0..4_usize,
        sack in any::<bool>(),
        rack in any::<bool>(),
        ecn in any::<bool>(),
    ) {
        let (preset, name) = (PRESETS[preset], CONTROLLERS[which].name);
        let config = config(preset, name, &keys(sack, rack, ecn));
        let mut tcp = sender(&config, name, preset);
        let mut now = Time::ZERO;
        tcp.write(50_000);
        let mut edge = u64::MAX;
        for step in steps {
            match step {
                Step::Ack { ack, blocks, window, ece, ce } => {
                    // Mostly plausible numbers, or nothing would ever be acknowledged.
                    let ack = if ack % 3 == 0 { ack } else { tcp.snd_una() + ack % 4 * 1000 };
                    let (una, nxt) = (tcp.snd_una(), tcp.snd_nxt());
                    if (una..=nxt).contains(&ack) {
                        edge = ack.saturating_add(window);
                    }
                    let ack = Ack {
                        window,
                        sack: SackBlocks::of(&blocks),
                        ece,
                        ce_bytes: ce,
                        echo: (ce % 2 == 0).then_some(now),
                        ..Ack::plain(ack)
                    };
                    tcp.on_ack(now, &ack);
                    prop_assert!(tcp.snd_una() >= una);
                }
                Step::Pass(ms) => {
                    let until = now + Span::from_ms(ms);
                    while let Some(at) = tcp.next_timer().filter(|&at| at <= until) {
                        now = now.max(at);
                        tcp.on_timer(now);
                        let mut most = 0;
                        while let Some(segment) = tcp.poll_send(now) {
                            prop_assert!(segment.end() <= edge.max(tcp.snd_nxt()));
                            most += 1;
                            prop_assert!(most < 1000, "a flood at one instant");
                        }
                        if tcp.next_timer() == Some(at) && most == 0 {
                            // Only the pacing clock may stand still for want of a window.
                            break;
                        }
                    }
                    now = until;
                }
                Step::Write(bytes) => tcp.write(bytes),
            }
            let before = tcp.snd_nxt();
            let mut most = 0;
            while let Some(segment) = tcp.poll_send(now) {
                if !segment.retransmission {
                    prop_assert!(segment.end() <= edge, "beyond the window");
                    prop_assert!(segment.seq >= before, "new data goes on where it ended");
                    prop_assert!(segment.end() - tcp.snd_una() <= 40_000);
                }
                prop_assert!(segment.len <= 1000);
                most += 1;
                prop_assert!(most < 1000, "a flood at one instant");
            }
        }
    }

    #[test]
    fn a_receiver_delivers_each_byte_once(
        order in prop::collection::vec((1..30_000_u64, 1..2_500_u32, any::<bool>()), 1..120),
        window in prop_oneof![Just("none"), Just("10 packets")],
        sack in any::<bool>(),
    ) {
        let mut keys = keys(sack, false, true);
        keys[5].1 = window;
        let config = config(Preset::Reference, "newreno", &keys);
        let mut receiver = Receiver::new(config.clone());
        let mut seen = vec![false; 40_000];
        let mut delivered = 0;
        let mut now = Time::ZERO;
        for (seq, len, late) in order {
            now += Span::from_ms(if late { 60 } else { 1 });
            let edge = receiver.rcv_nxt().saturating_add(config.window);
            let segment = Segment {
                seq,
                len,
                syn: false,
                fin: false,
                retransmission: false,
                push: false,
                cwr: false,
                ecn: sojourn_base::Ecn::NotEct,
                stamp: now,
            };
            let received = receiver.on_segment(now, &Arrival::from(segment));
            for byte in seq..(seq + u64::from(len)).min(edge) {
                seen[byte as usize] = true;
            }
            delivered += received.delivered;
            let in_order = seen[1..].iter().take_while(|&&seen| seen).count() as u64;
            prop_assert_eq!(delivered, in_order);
            prop_assert_eq!(receiver.rcv_nxt(), in_order + 1);
            for ack in received.acks.into_iter().flatten().chain(receiver.on_timer(now)) {
                for (i, &(from, to)) in ack.sack.as_slice().iter().enumerate() {
                    prop_assert!(from < to);
                    let duplicate = i == 0 && to <= ack.ack;
                    let whole = (from..to).all(|byte| seen[byte as usize]);
                    prop_assert!(whole, "a block that has not arrived");
                    prop_assert!(duplicate || from > ack.ack || i == 0);
                }
            }
        }
    }

    #[test]
    fn everything_arrives_over_a_lossy_path(
        seed in any::<u64>(),
        which in 0..CONTROLLERS.len(),
        preset in 0..4_usize,
        loss in 0.0..0.3_f64,
        reorder in 0.0..0.2_f64,
        sack in any::<bool>(),
        rack in any::<bool>(),
    ) {
        let (preset, name) = (PRESETS[preset], CONTROLLERS[which].name);
        let keys = keys(sack, rack, false);
        let mut bench = Bench::new(name, preset, Span::from_ms(40), &keys);
        let mut random = Stream::new(seed);
        bench.fate = Box::new(move |_, _| {
            let draw = random.uniform();
            if draw < loss {
                Fate::Drop
            } else if draw < loss + reorder {
                Fate::Delay(Span::from_ms(random.below(30)))
            } else if draw < loss + reorder + 0.05 {
                Fate::Duplicate
            } else {
                Fate::Deliver
            }
        });
        bench.sender.write(150_500);
        for second in 1..4_000 {
            bench.run_until(Time::ZERO + Span::from_whole_s(second));
            if bench.sender.is_done() {
                break;
            }
        }
        prop_assert!(bench.sender.is_done(), "{name}: {:?}", bench.sender);
        prop_assert_eq!(bench.receiver.delivered(), 150_500);
        prop_assert_eq!(bench.sender.in_flight(), 0);
    }
}

#[test]
fn a_window_that_the_receiver_limits_does_not_grow() {
    for entry in CONTROLLERS {
        let keys = [("window", "20 packets"), ("segment", "1000 B")];
        let mut bench = Bench::new(entry.name, Preset::Reference, Span::from_ms(50), &keys);
        bench.log = false;
        bench.sender.write_endless();
        bench.pump();
        bench.run_until(Time::ZERO + Span::from_whole_s(30));
        // Slow start may double what is in use, Hybla's and BBR's a little more.
        let cwnd = bench.sender.window() / 1000;
        assert!(cwnd <= 80, "{}: {cwnd} segments", entry.name);
    }
}
