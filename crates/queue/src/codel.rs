//! `CoDel`: drops at the head while packets have sojourned above a target for an interval.
//!
//! K. Nichols, V. Jacobson, A. McGregor, J. Iyengar, "Controlled Delay Active Queue Management",
//! RFC 8289, 2018. A packet is bad if it waited `target` or longer, more than `max_packet` bytes
//! wait behind it, and that has been so for `interval`. The first bad packet starts a spell of
//! dropping, whose k-th drop comes `interval / sqrt(k)` before the next, reckoned from the last
//! due time, not from the last dequeue. A spell that begins within 16 intervals of one before goes
//! on from the count which that one reached. With `ecn` one packet per dequeue is marked and sent.
//!
//! **Reference**: the RFC's pseudocode, with the link's MTU for `max_packet` as its text says, and
//! room for 1000 packets. `target` should not be less than the time to send a packet.
//!
//! **Linux** (`sch_codel`) and **ns-3** (`CoDelQueueDisc`): a clock of 1024 ns; bad only after,
//! not at, the end of the interval; 1/sqrt(count) in 16 bits by one Newton step per change, so
//! that the second gap is 50 ms instead of 70.7. Linux: `max_packet` is the MTU and 14. ns-3: room
//! for 1 500 000 bytes, `max_packet` 1500, of which less must wait behind a good packet. ns-2.35
//! has no `CoDel`: its preset is the reference.

use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Quantity, Span, Time, params,
};

use crate::parts::Fifo;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason};

params! {
    /// Parameters of `CoDel`.
    pub struct Params {
        /// Most that may wait, in packets or bytes; the packet being sent is not counted.
        limit: Limit = "1000 packets", Ns3 = "1500 kB";
        /// Sojourn that is good for a packet.
        target: Span = "5 ms";
        /// How long sojourns must stay above the target: about the longest round-trip time.
        interval: Span = "100 ms";
        /// Backlog that is never bad. Automatic: the link's MTU, under Linux's preset and 14 bytes.
        max_packet: Auto<Bytes> = "auto", Ns3 = "1500 B";
        /// Whether to mark ECN-capable packets instead of dropping them.
        ecn: bool = "false";
        /// Sojourn above which every ECN-capable packet is marked.
        ce_threshold: Optional<Span> = "none";
    }
}

/// A `CoDel` queue.
#[derive(Debug)]
pub struct CoDel<P> {
    preset: Preset,
    capacity: Capacity,
    target: Span,
    interval: Span,
    /// As given: it follows the link where it was not.
    given_max_packet: Option<Bytes>,
    max_packet: Bytes,
    ecn: bool,
    ce_threshold: Option<Span>,
    queue: Fifo<P>,
    spell: Spell,
}

/// The state of the control law.
#[derive(Debug, Clone, Default)]
struct Spell {
    /// When packets will have been above the target for an interval.
    first_above: Option<Time>,
    dropping: bool,
    drop_next: Time,
    count: u64,
    last_count: u64,
    /// Linux's 1/sqrt(count), 16 bits.
    inverse_root: u32,
}

/// A packet taken from the head, and whether it is bad.
struct Taken<P> {
    packet: P,
    bad: bool,
}

/// The kernel's clock: whole units of 1024 ns.
fn tick(ps: u64) -> u64 {
    const TICK: u64 = 1_024_000;
    ps / TICK * TICK
}

impl Spell {
    fn count_is(&mut self, count: u64) {
        self.count = count;
        self.inverse_root = if count == 1 {
            u32::from(u16::MAX)
        } else {
            newton_step(self.inverse_root, count)
        };
    }

    /// The time from this drop to the next.
    fn gap(&self, interval: Span, in_ticks: bool) -> Span {
        if !in_ticks {
            return Span::from_s(interval.as_s() / libm::sqrt(self.count as f64));
        }
        let ticks = u128::from(interval.as_ps() / 1_024_000);
        let gap = (ticks * u128::from(self.inverse_root << 16)) >> 32;
        Span::from_ps(gap as u64 * 1_024_000)
    }
}

/// One step from `inverse_root` towards 1/sqrt(count), in the kernel's 16 bits.
fn newton_step(inverse_root: u32, count: u64) -> u32 {
    let x = u64::from(inverse_root) << 16;
    let square = (x * x) >> 32;
    let value = (3_u64 << 32).wrapping_sub(count.wrapping_mul(square)) >> 2;
    ((value.wrapping_mul(x) >> 31) >> 16) as u32 & 0xFFFF
}

impl<P> CoDel<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// An interval or a `max_packet` of nothing.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        if params.interval == Span::ZERO {
            return Err(ParamFault::new(
                "interval",
                params.interval,
                "a time above zero",
            ));
        }
        let given_max_packet = params.max_packet.given();
        if given_max_packet == Some(Bytes::ZERO) {
            let allowed = format!("\"auto\" or {}, above zero", Bytes::ALLOWED);
            return Err(ParamFault::new("max_packet", Bytes::ZERO, allowed));
        }
        let mut made = Self {
            preset,
            capacity: params.limit.on(link),
            target: params.target,
            interval: params.interval,
            given_max_packet,
            max_packet: Bytes::ZERO,
            ecn: params.ecn,
            ce_threshold: params.ce_threshold.0,
            queue: Fifo::default(),
            spell: Spell::default(),
        };
        if made.in_ticks() {
            let ticks = |span: Span| Span::from_ps(tick(span.as_ps()));
            made.target = ticks(made.target);
            made.interval = ticks(made.interval);
            made.ce_threshold = made.ce_threshold.map(ticks);
        }
        made.take_mtu(link);
        Ok(made)
    }

    fn take_mtu(&mut self, link: &LinkInfo) {
        let framing = if self.preset == Preset::Linux { 14 } else { 0 };
        let automatic = link.mtu + Bytes::new(framing);
        self.max_packet = self.given_max_packet.unwrap_or(automatic);
    }

    fn in_ticks(&self) -> bool {
        matches!(self.preset, Preset::Linux | Preset::Ns3)
    }

    /// An instant of the clock that the preset has.
    fn clock(&self, time: Time) -> Time {
        if self.in_ticks() {
            Time::from_ps(tick(time.as_ps()))
        } else {
            time
        }
    }
}

impl<P: Packet> CoDel<P> {
    fn sojourn(&self, packet: &P, now: Time) -> Span {
        now.since(self.clock(packet.enqueued()))
    }

    /// The next packet and the verdict on it.
    fn take(&mut self, now: Time) -> Option<Taken<P>> {
        let Some(packet) = self.queue.pop() else {
            self.spell.first_above = None;
            return None;
        };
        let waiting = self.queue.bytes();
        let short = if self.preset == Preset::Ns3 {
            waiting < self.max_packet
        } else {
            waiting <= self.max_packet
        };
        if short || self.sojourn(&packet, now) < self.target {
            self.spell.first_above = None;
            return Some(Taken { packet, bad: false });
        }
        let bad = match self.spell.first_above {
            None => {
                self.spell.first_above = Some(now + self.interval);
                false
            }
            Some(end) if self.in_ticks() => now > end,
            Some(end) => now >= end,
        };
        Some(Taken { packet, bad })
    }

    /// Marks `packet` in place of a drop, if that may be.
    fn marks(&self, packet: &mut P, ctx: &mut Context<'_, P>) -> bool {
        let marks = self.ecn && packet.ecn().is_capable();
        if marks {
            packet.set_ce();
            ctx.sink.marked(packet, Reason::Target);
        }
        marks
    }

    /// Goes on with a spell: drops what is due. Gives the packet to send and whether it is marked.
    fn go_on(
        &mut self,
        mut taken: Taken<P>,
        now: Time,
        ctx: &mut Context<'_, P>,
    ) -> Option<(P, bool)> {
        while self.spell.dropping && taken.bad && now >= self.spell.drop_next {
            self.spell.count_is(self.spell.count + 1);
            let gap = self.spell.gap(self.interval, self.in_ticks());
            if self.marks(&mut taken.packet, ctx) {
                self.spell.drop_next += gap;
                return Some((taken.packet, true));
            }
            ctx.drop(taken.packet, Reason::Target);
            let Some(next) = self.take(now) else {
                self.spell.dropping = false;
                return None;
            };
            taken = next;
            if taken.bad {
                self.spell.drop_next += gap;
            }
        }
        self.spell.dropping &= taken.bad;
        Some((taken.packet, false))
    }

    /// Begins a spell with a bad packet.
    fn begin(
        &mut self,
        mut taken: Taken<P>,
        now: Time,
        ctx: &mut Context<'_, P>,
    ) -> Option<(P, bool)> {
        let marked = self.marks(&mut taken.packet, ctx);
        let sent = if marked {
            Some((taken.packet, true))
        } else {
            ctx.drop(taken.packet, Reason::Target);
            self.take(now).map(|next| (next.packet, false))
        };
        let in_ticks = self.in_ticks();
        let spell = &mut self.spell;
        spell.dropping = true;
        let reached = spell.count.saturating_sub(spell.last_count);
        let lately = now.since(spell.drop_next).as_ps() < 16 * self.interval.as_ps();
        spell.count_is(if reached > 1 && lately { reached } else { 1 });
        spell.last_count = spell.count;
        spell.drop_next = now + spell.gap(self.interval, in_ticks);
        sent
    }
}

impl<P: Packet> Discipline<P> for CoDel<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        let Backlog { packets, bytes } = self.queue.backlog();
        if self.capacity.admits(packets, bytes, packet.size()) {
            self.queue.push(packet);
        } else {
            ctx.drop(packet, Reason::Overlimit);
        }
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        let now = self.clock(ctx.now);
        let Some(taken) = self.take(now) else {
            self.spell.dropping = false;
            return Dequeued::Empty;
        };
        let sent = if self.spell.dropping {
            self.go_on(taken, now, ctx)
        } else if taken.bad {
            self.begin(taken, now, ctx)
        } else {
            Some((taken.packet, false))
        };
        let Some((mut packet, marked)) = sent else {
            return Dequeued::Empty;
        };
        if let Some(threshold) = self.ce_threshold
            && !marked
            && packet.ecn().is_capable()
            && self.sojourn(&packet, now) > threshold
        {
            packet.set_ce();
            ctx.sink.marked(&packet, Reason::CeThreshold);
        }
        Dequeued::Packet(packet)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn capacity(&self) -> Capacity {
        self.capacity
    }

    fn reset(&mut self) {
        self.queue.clear();
        self.spell = Spell::default();
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.take_mtu(link);
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        let spell = &self.spell;
        let first_above = spell.first_above.unwrap_or(Time::ZERO);
        show("count", ProbeValue::Number(spell.count as f64));
        show("lastcount", ProbeValue::Number(spell.last_count as f64));
        show(
            "dropping",
            ProbeValue::Number(f64::from(u8::from(spell.dropping))),
        );
        show("drop_next", ProbeValue::Number(spell.drop_next.as_s()));
        show("first_above", ProbeValue::Number(first_above.as_s()));
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        let spell = &mut self.spell;
        let instant = || Time::ZERO + Span::from_s(value);
        match name {
            "count" => spell.count = value as u64,
            "lastcount" => spell.last_count = value as u64,
            "dropping" => spell.dropping = value != 0.0,
            "drop_next" => spell.drop_next = instant(),
            "first_above" => spell.first_above = (value > 0.0).then(instant),
            _ => return false,
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linux's gaps in ms from count 1 on (`disciplines.md`, 16): 100, then 50 where the root
    /// says 70.7, then 56.
    #[test]
    fn newton_steps_of_the_kernel() {
        let mut spell = Spell::default();
        let gaps: Vec<f64> = (1..=3)
            .map(|count| {
                spell.count_is(count);
                spell.gap(Span::from_ms(100), true).as_s() * 1e3
            })
            .collect();
        assert!((gaps[0] - 100.0).abs() < 0.01, "{gaps:?}");
        assert!((gaps[1] - 50.0).abs() < 0.01, "{gaps:?}");
        assert!((gaps[2] - 56.0).abs() < 0.5, "{gaps:?}");
    }
}
