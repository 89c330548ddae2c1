//! The shaper: clocks that each packet sets forward by what it costs; no bucket, no burst.

use sojourn_base::{Bytes, Rate, Span, Time};

use super::framing::Charge;

/// When the next packet may go, of all tins together.
#[derive(Debug)]
pub(super) struct Shaper {
    /// What a packet counts for.
    pub(super) charge: Charge,
    /// Whether dropped packets are charged too: they came over the bottleneck before.
    pub(super) ingress: bool,
    rate: Option<Rate>,
    next: Time,
    /// A clock that packets sent set forward one and a half times as far, dropped ones not: so
    /// however much is dropped, two thirds of the rate are sent.
    failsafe: Time,
}

impl Shaper {
    /// A shaper, or one that lets everything go.
    pub(super) fn new(rate: Option<Rate>, charge: Charge, ingress: bool) -> Self {
        Self {
            charge,
            ingress,
            rate,
            next: Time::ZERO,
            failsafe: Time::ZERO,
        }
    }

    /// The rate, if there is one.
    pub(super) fn rate(&self) -> Option<Rate> {
        self.rate
    }

    /// When the next packet may go.
    pub(super) fn next(&self) -> Time {
        self.next
    }

    /// A packet comes to an empty queue: time gone by unused is lost.
    pub(super) fn wake(&mut self, now: Time) {
        if self.next < now {
            self.next = now;
            self.failsafe = now;
        }
    }

    /// Until when all have to wait, if not until now.
    pub(super) fn wait(&self, now: Time) -> Option<Time> {
        let due = self.next.min(self.failsafe);
        (due > now).then_some(due)
    }

    /// Charges a packet of a tin with this clock, `sent` or dropped: what it counts for.
    pub(super) fn charge(&mut self, tin: &mut Clock, size: Bytes, sent: bool, now: Time) -> i64 {
        let length = self.charge.of(size);
        if let Some(rate) = self.rate {
            tin.advance(length, now);
            let duration = rate.time_to_send(length);
            self.next += duration;
            if sent {
                self.failsafe += duration + Span::from_ps(duration.as_ps() / 2);
            }
        }
        length.get().cast_signed()
    }

    /// Back to the start.
    pub(super) fn reset(&mut self) {
        self.next = Time::ZERO;
        self.failsafe = Time::ZERO;
    }
}

/// A tin's own clock: late while the tin takes less than its share.
#[derive(Debug, Clone, Copy)]
pub(super) struct Clock {
    rate: Option<Rate>,
    next: Time,
}

impl Clock {
    /// A clock of a share, which stands where there is none.
    pub(super) fn new(rate: Option<Rate>) -> Self {
        let next = Time::ZERO;
        Self { rate, next }
    }

    /// The share.
    pub(super) fn rate(&self) -> Option<Rate> {
        self.rate
    }

    /// Until when the tin has had its share.
    pub(super) fn next(&self) -> Time {
        self.next
    }

    /// A packet comes to an empty tin.
    pub(super) fn wake(&mut self, now: Time) {
        self.next = self.next.max(now);
    }

    fn advance(&mut self, length: Bytes, now: Time) {
        let Some(rate) = self.rate else { return };
        let duration = rate.time_to_send(length);
        if self.next < now {
            self.next += duration;
        } else {
            self.next = self.next.max(now + duration);
        }
    }

    /// Back to the start.
    pub(super) fn reset(&mut self) {
        self.next = Time::ZERO;
    }
}

#[cfg(test)]
mod tests {
    use sojourn_base::Auto;

    use super::super::framing::Framing;
    use super::*;

    fn shaper(ingress: bool) -> (Shaper, Clock) {
        let charge = Charge::new(Framing::Raw, Auto::Auto, Auto::Auto, Auto::Auto);
        let rate = Rate::from_bps(8_000_000);
        let tin = Clock::new(Rate::from_bps(4_000_000));
        (Shaper::new(rate, charge, ingress), tin)
    }

    fn us(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    /// A byte a microsecond; the tin's share is half of that.
    #[test]
    fn each_packet_sets_the_clocks_forward() {
        let (mut shaper, mut tin) = shaper(false);
        shaper.wake(us(100));
        tin.wake(us(100));
        assert_eq!(shaper.wait(us(100)), None);
        shaper.charge(&mut tin, Bytes::new(1000), true, us(100));
        assert_eq!(shaper.wait(us(100)), Some(us(1_100)));
        assert_eq!(tin.next(), us(2_100));
        // While behind, a clock goes forward from where it stood ...
        shaper.charge(&mut tin, Bytes::new(1000), true, us(2_500));
        assert_eq!((shaper.next(), tin.next()), (us(2_100), us(4_100)));
        // ... and while ahead no further than one packet from now.
        shaper.charge(&mut tin, Bytes::new(500), true, us(2_500));
        assert_eq!(tin.next(), us(4_100));
        shaper.charge(&mut tin, Bytes::new(1000), true, us(2_500));
        assert_eq!(tin.next(), us(4_500));
        shaper.wake(us(9_000));
        assert_eq!(shaper.next(), us(9_000));
    }

    #[test]
    fn drops_alone_do_not_stop_it() {
        let (mut shaper, mut tin) = shaper(true);
        for _ in 0..9 {
            shaper.charge(&mut tin, Bytes::new(1000), false, us(0));
        }
        assert_eq!(shaper.wait(us(0)), None, "nothing was sent yet");
        shaper.charge(&mut tin, Bytes::new(1000), true, us(0));
        assert_eq!(shaper.wait(us(0)), Some(us(1_500)));
        assert_eq!(shaper.next(), us(10_000));
    }
}
