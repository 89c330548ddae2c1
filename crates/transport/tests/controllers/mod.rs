//! Each controller against its closed form.

mod bbr;
mod bbr3;
mod delay;
mod delay_presets;
mod disorder;
mod ledbat;
mod loss;
mod loss_presets;
mod marks;
mod played;
mod shared;
mod slow_start;
mod undone;

use crate::bench::Solo;
use played::Played;
use sojourn_base::{Preset, Span};
use sojourn_transport::{CONTROLLERS, CongestionControl, LossKind};

const REFERENCE: Preset = Preset::Reference;
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
fn a_sender_alone_is_a_few_hundred_bytes() {
    let bytes = size_of::<sojourn_transport::Sender>();
    assert!(bytes < 1100, "{bytes}");
    let _ = Solo::new("newreno", REFERENCE, &[]);
}
