//! Delivery-rate samples, worked out by hand.

#![allow(clippy::unwrap_used)]

use sojourn_base::{Span, Time};
use sojourn_transport::rate::RateSampler;

fn at(ms: u64) -> Time {
    Time::ZERO + Span::from_ms(ms)
}

/// Four segments of 1000 bytes, 10 ms apart, from 0 on.
fn four() -> RateSampler {
    let mut rate = RateSampler::default();
    for n in 0..4 {
        let seq = 1 + 1000 * n;
        rate.on_sent(at(10 * n), seq, seq + 1000, false, 1000 * n);
    }
    rate
}

#[test]
fn a_sample_is_bytes_over_the_longer_of_sending_and_acknowledging() {
    let mut rate = four();
    rate.on_delivered(1, 1001);
    let first = rate.finish(at(100), 1000, 1001).unwrap();
    assert_eq!(
        (first.delivered, first.interval),
        (1000, Span::from_ms(100))
    );
    rate.on_delivered(1001, 2001);
    rate.on_delivered(2001, 3001);
    let second = rate.finish(at(125), 2000, 3001).unwrap();
    assert_eq!(
        (second.delivered, second.interval),
        (3000, Span::from_ms(125))
    );
    assert_eq!(second.rtt, Some(Span::from_ms(105)));
}

#[test]
fn a_sample_tells_what_was_in_flight_and_what_was_lost_since() {
    let mut rate = four();
    let loss = rate.on_lost(1, 1001).unwrap();
    assert_eq!(
        (loss.bytes, loss.tx_in_flight, loss.lost),
        (1000, 1000, 1000)
    );
    let loss = rate.on_lost(1001, 2001).unwrap();
    assert_eq!((loss.tx_in_flight, loss.lost), (2000, 2000));
    rate.on_sent(at(110), 1, 1001, true, 2000);
    rate.on_delivered(3001, 4001);
    let sample = rate.finish(at(130), 1000, 1).unwrap();
    assert_eq!((sample.tx_in_flight, sample.lost), (4000, 2000));
    // The retransmission was sent after the losses, and its RTT is not known.
    rate.on_delivered(1, 1001);
    let sample = rate.finish(at(220), 1000, 1001).unwrap();
    assert_eq!(
        (sample.tx_in_flight, sample.lost, sample.rtt),
        (3000, 0, None)
    );
}

#[test]
fn the_newest_segment_says_what_the_least_rtt_is() {
    // Two segments of one delayed acknowledgement: 100 ms for the older, 90 ms for the newer.
    let mut rate = RateSampler::default();
    rate.on_sent(at(0), 1, 1001, false, 0);
    rate.on_sent(at(10), 1001, 2001, false, 1000);
    rate.on_delivered(1, 1001);
    rate.on_delivered(1001, 2001);
    assert!(rate.finish(at(100), 2000, 2001).is_some());
    // Sent on that acknowledgement: an interval of 95 ms is no shorter than the least RTT.
    rate.on_sent(at(100), 2001, 3001, false, 1000);
    rate.on_delivered(2001, 3001);
    assert!(rate.finish(at(195), 1000, 3001).is_some());
}
