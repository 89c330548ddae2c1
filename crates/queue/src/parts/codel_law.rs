//! `CoDel`'s control law over any first-in first-out store: [`codel`](crate::codel) has one,
//! [`fq_codel`](crate::fq_codel) has one for each flow. The law is described in
//! [`codel`](crate::codel).

use core::hint::select_unpredictable;

use sojourn_base::checks::{auto_above_zero, time_above_zero};
use sojourn_base::{Auto, Bytes, LinkInfo, ParamFault, Preset, Span, Time};

use super::ds_field::DsField;
use super::inv_sqrt::newton_step;
use crate::{Context, HeadQueue, Packet, ProbeValue, Reason};

/// The settings of the law.
#[derive(Debug, Clone)]
pub struct CodelLaw {
    preset: Preset,
    /// Sojourn that is good for a packet.
    pub target: Span,
    interval: Span,
    /// As given: it follows the link where it was not.
    given_max_packet: Option<Bytes>,
    ecn: bool,
    ce_threshold: Option<Span>,
    l4s: bool,
    ce_field: Option<DsField>,
    /// Whether the clock has [ticks](tick).
    in_ticks: bool,
    /// The least backlog behind a packet that may be dropped.
    min_backlog: Bytes,
    /// How long after the end of an interval a packet may be dropped: at once, or, where `now >
    /// first_above` is asked as in Linux and ns-3, a picosecond later.
    strictness: Span,
}

/// What the law is made of.
#[derive(Debug, Clone, Copy)]
pub struct CodelSettings {
    /// Sojourn that is good for a packet.
    pub target: Span,
    /// How long sojourns must stay above the target.
    pub interval: Span,
    /// Backlog behind a packet with which it is never dropped; automatic: the largest packet.
    pub max_packet: Auto<Bytes>,
    /// Whether to mark ECN-capable packets instead of dropping them.
    pub ecn: bool,
    /// Sojourn above which every ECN-capable packet is marked.
    pub ce_threshold: Option<Span>,
    /// Whether ECT(1) and CE packets are only marked, and only above `ce_threshold`.
    pub l4s: bool,
    /// To which packets `ce_threshold` applies; none: to all.
    pub ce_field: Option<DsField>,
}

/// The state of the control law.
#[derive(Debug, Clone)]
pub struct CodelState {
    /// When packets will have been above the target for an interval; never, while they are not.
    first_above: Time,
    dropping: bool,
    drop_next: Time,
    count: u64,
    last_count: u64,
    /// Linux's 1/sqrt(count), 16 bits.
    inverse_root: u32,
}

/// The unit of the kernel's clock (`CODEL_SHIFT`): 1024 ns.
const TICK_PS: u64 = 1_024_000;

/// The kernel's clock: whole units.
fn tick(ps: u64) -> u64 {
    ps / TICK_PS * TICK_PS
}

impl Default for CodelState {
    fn default() -> Self {
        Self {
            first_above: Time::NEVER,
            dropping: false,
            drop_next: Time::ZERO,
            count: 0,
            last_count: 0,
            inverse_root: 0,
        }
    }
}

impl CodelState {
    fn set_count(&mut self, count: u64) {
        self.count = count;
        self.inverse_root = if count == 1 {
            u32::from(u16::MAX)
        } else {
            newton_step(self.inverse_root << 16, count) >> 16
        };
    }

    /// The time from this drop to the next.
    fn control_law(&self, interval: Span, in_ticks: bool) -> Span {
        if !in_ticks {
            return Span::from_s(interval.as_s() / libm::sqrt(self.count as f64));
        }
        let ticks = u128::from(interval.as_ps() / TICK_PS);
        let gap = (ticks * u128::from(self.inverse_root << 16)) >> 32;
        Span::from_ps(gap as u64 * TICK_PS)
    }

    /// Counts packets that were dropped for want of room, as Linux's `fq_codel` does.
    pub fn add_overflow_drops(&mut self, packets: u64) {
        self.count += packets;
    }

    /// Shows the state.
    pub fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        let first_above = if self.first_above == Time::NEVER {
            Time::ZERO
        } else {
            self.first_above
        };
        let mut number = |name, value| show(name, ProbeValue::Number(value));
        number("count", self.count as f64);
        number("lastcount", self.last_count as f64);
        number("dropping", f64::from(u8::from(self.dropping)));
        number("drop_next", self.drop_next.as_s());
        number("first_above", first_above.as_s());
    }

    /// Sets a variable of the state; false if there is none of that name.
    pub fn poke(&mut self, name: &str, value: f64) -> bool {
        let instant = || Time::ZERO + Span::from_s(value);
        match name {
            "count" => self.count = value as u64,
            "lastcount" => self.last_count = value as u64,
            "dropping" => self.dropping = value != 0.0,
            "drop_next" => self.drop_next = instant(),
            "first_above" if value > 0.0 => self.first_above = instant(),
            "first_above" => self.first_above = Time::NEVER,
            _ => return false,
        }
        true
    }
}

impl CodelLaw {
    /// The law on `link`.
    ///
    /// # Errors
    /// An interval or a `max_packet` of nothing.
    pub fn new(
        settings: CodelSettings,
        preset: Preset,
        link: &LinkInfo,
    ) -> Result<Self, ParamFault> {
        time_above_zero("interval", settings.interval)?;
        auto_above_zero("max_packet", settings.max_packet)?;
        let given_max_packet = settings.max_packet.given();
        let in_ticks = matches!(preset, Preset::Linux | Preset::Ns3);
        let mut law = Self {
            preset,
            target: settings.target,
            interval: settings.interval,
            given_max_packet,
            ecn: settings.ecn,
            ce_threshold: settings.ce_threshold,
            l4s: settings.l4s,
            ce_field: settings.ce_field,
            in_ticks,
            min_backlog: Bytes::ZERO,
            strictness: Span::from_ps(u64::from(in_ticks)),
        };
        if in_ticks {
            let ticks = |span: Span| Span::from_ps(tick(span.as_ps()));
            law.target = ticks(law.target);
            law.interval = ticks(law.interval);
            law.ce_threshold = law.ce_threshold.map(ticks);
        }
        law.on_link(link);
        Ok(law)
    }

    /// Takes the MTU of the link where `max_packet` is automatic.
    pub fn on_link(&mut self, link: &LinkInfo) {
        let automatic = link.largest(self.preset);
        let max_packet = self.given_max_packet.unwrap_or(automatic);
        let must_exceed = self.preset != Preset::Ns3;
        self.min_backlog = max_packet + Bytes::new(u64::from(must_exceed));
    }

    /// An instant of the clock that the preset has.
    #[inline]
    fn clock(&self, time: Time) -> Time {
        if self.in_ticks {
            Time::from_ps(tick(time.as_ps()))
        } else {
            time
        }
    }

    #[inline]
    fn sojourn<P: Packet>(&self, packet: &P, now: Time) -> Span {
        now.since(self.clock(packet.enqueued()))
    }

    /// When packets will have been above the target for an interval, where that was `first_above`
    /// before, and whether that is so now.
    #[inline(always)]
    #[allow(clippy::inline_always)]
    fn track_above(&self, first_above: Time, above: bool, now: Time) -> (Time, bool) {
        // Where the queue is about as long as is aimed at, no processor could guess which it is: so
        // both what is remembered and the answer are chosen, not branched to.
        let end =
            select_unpredictable(first_above == Time::NEVER, now + self.interval, first_above);
        let ok_from = select_unpredictable(above, first_above + self.strictness, Time::NEVER);
        (
            select_unpredictable(above, end, Time::NEVER),
            now >= ok_from,
        )
    }

    /// Whether the packet at the head, which is to leave, may be dropped, if there is one.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet
    fn should_drop<P: Packet>(
        &self,
        state: &mut CodelState,
        queue: &(impl HeadQueue<P> + ?Sized),
        other_backlog: Bytes,
        now: Time,
    ) -> bool {
        let Some(head) = queue.head() else {
            state.first_above = Time::NEVER;
            return false;
        };
        let behind = queue.bytes() - head.size() + other_backlog;
        let long = behind >= self.min_backlog;
        let above = long & (self.sojourn(head, now) >= self.target);
        let (first_above, ok_to_drop) = self.track_above(state.first_above, above, now);
        state.first_above = first_above;
        ok_to_drop
    }

    /// Whether it may be [foreseen](Self::departs_unchanged) what becomes of a packet: where none
    /// is exempt or marked for more than the law.
    pub fn is_predictable(&self) -> bool {
        !self.l4s && self.ce_threshold.is_none()
    }

    /// Whether it is sure that a packet leaves as it is at `departure`, when it is at the head and
    /// at least so many bytes wait behind it; if so, it counts as gone.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once or twice a packet
    pub fn departs_unchanged<P: Packet>(
        &self,
        state: &mut CodelState,
        head: &P,
        behind: Bytes,
        departure: Time,
    ) -> bool {
        let now = self.clock(departure);
        let above = self.sojourn(head, now) >= self.target;
        if above && behind < self.min_backlog {
            return false;
        }
        let (first_above, ok_to_drop) = self.track_above(state.first_above, above, now);
        if ok_to_drop && !(state.dropping && now < state.drop_next) {
            return false;
        }
        state.first_above = first_above;
        state.dropping &= ok_to_drop;
        true
    }

    /// Marks the packet at the head in place of a drop, or drops it; says whether it was marked.
    fn signal<P: Packet>(
        &self,
        queue: &mut (impl HeadQueue<P> + ?Sized),
        ctx: &mut Context<'_, P>,
    ) -> bool {
        if self.ecn
            && let Some(head) = queue.head_mut()
            && head.ecn().is_capable()
        {
            head.set_ce();
            ctx.sink.marked(head, Reason::Target);
            return true;
        }
        if let Some(packet) = queue.pop() {
            ctx.drop(packet, Reason::Target);
        }
        false
    }

    /// Whether this packet is exempt from the law: with `l4s`, one of a scalable sender.
    #[inline]
    fn is_exempt<P: Packet>(&self, packet: &P) -> bool {
        self.l4s && packet.ecn().is_scalable()
    }

    /// In the dropping state, at a packet that may be dropped when a drop is due: drops what is
    /// due. The packet to send is then at the head, if there is one; says whether it is marked.
    #[inline(never)]
    fn continue_dropping<P: Packet>(
        &self,
        state: &mut CodelState,
        queue: &mut (impl HeadQueue<P> + ?Sized),
        other_backlog: Bytes,
        now: Time,
        ctx: &mut Context<'_, P>,
    ) -> bool {
        let mut ok_to_drop = true;
        while ok_to_drop && now >= state.drop_next {
            state.set_count(state.count + 1);
            let gap = state.control_law(self.interval, self.in_ticks);
            if self.signal(queue, ctx) {
                let from = if self.preset == Preset::Ns3 {
                    now
                } else {
                    state.drop_next
                };
                state.drop_next = from + gap;
                return true;
            }
            ok_to_drop = self.should_drop(state, queue, other_backlog, now);
            if ok_to_drop {
                state.drop_next += gap;
            }
        }
        state.dropping = ok_to_drop;
        false
    }

    /// Enters the dropping state with a packet that may be dropped. The packet to send is then at
    /// the head, if there is one; says whether it is marked.
    #[inline(never)]
    fn enter_dropping<P: Packet>(
        &self,
        state: &mut CodelState,
        queue: &mut (impl HeadQueue<P> + ?Sized),
        other_backlog: Bytes,
        now: Time,
        ctx: &mut Context<'_, P>,
    ) -> bool {
        let marked = self.signal(queue, ctx);
        if !marked {
            self.should_drop(state, queue, other_backlog, now);
        }
        state.dropping = true;
        let reached = state.count.saturating_sub(state.last_count);
        let lately = state.drop_next > Time::ZERO
            && now.since(state.drop_next).as_ps() < 16 * self.interval.as_ps();
        state.set_count(if reached > 1 && lately { reached } else { 1 });
        state.last_count = state.count;
        state.drop_next = now + state.control_law(self.interval, self.in_ticks);
        marked
    }

    /// Drops or marks from the head of `queue` what is due, before the next packet leaves it;
    /// `other_backlog` bytes wait in other queues of the same discipline.
    ///
    /// Packets are looked at and marked in place, and copied once, when they leave.
    ///
    /// Here is what every packet needs; all else is out of line.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once a packet, from one place for each discipline
    pub fn drop_at_head<P: Packet>(
        &self,
        state: &mut CodelState,
        queue: &mut (impl HeadQueue<P> + ?Sized),
        other_backlog: Bytes,
        ctx: &mut Context<'_, P>,
    ) {
        let now = self.clock(ctx.now);
        let Some(head) = queue.head() else {
            state.dropping = false;
            state.first_above = Time::NEVER;
            return;
        };
        let mut marked = false;
        if !self.is_exempt(head) {
            let ok_to_drop = self.should_drop(state, queue, other_backlog, now);
            if !ok_to_drop {
                state.dropping = false;
            } else if !state.dropping {
                marked = self.enter_dropping(state, queue, other_backlog, now, ctx);
            } else if now >= state.drop_next {
                marked = self.continue_dropping(state, queue, other_backlog, now, ctx);
            }
        }
        if let Some(threshold) = self.ce_threshold
            && !marked
            && (self.ecn || self.l4s || self.preset != Preset::Ns3)
        {
            self.mark_above(threshold, queue, now, ctx);
        }
    }

    /// Marks the packet at the head, which is to leave, if it waited for longer than `threshold`.
    #[inline(never)]
    fn mark_above<P: Packet>(
        &self,
        threshold: Span,
        queue: &mut (impl HeadQueue<P> + ?Sized),
        now: Time,
        ctx: &mut Context<'_, P>,
    ) {
        if let Some(head) = queue.head_mut()
            && head.ecn().is_capable()
            && (!self.l4s || self.is_exempt(head))
            && self.ce_field.is_none_or(|field| field.has(head))
            && self.sojourn(head, now) > threshold
        {
            head.set_ce();
            ctx.sink.marked(head, Reason::CeThreshold);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Linux's gaps in ms from count 1 on, `codel_Newton_step` worked by hand: 100, then 50 where
    /// the root says 70.7, then 56.
    #[test]
    fn newton_steps_of_the_kernel() {
        let mut state = CodelState::default();
        let gaps: Vec<f64> = (1..=3)
            .map(|count| {
                state.set_count(count);
                state.control_law(Span::from_ms(100), true).as_s() * 1e3
            })
            .collect();
        assert!((gaps[0] - 100.0).abs() < 0.01, "{gaps:?}");
        assert!((gaps[1] - 50.0).abs() < 0.01, "{gaps:?}");
        assert!((gaps[2] - 56.0).abs() < 0.5, "{gaps:?}");
    }
}
