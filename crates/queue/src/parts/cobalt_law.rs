//! COBALT's control law over any first-in first-out store: [`cobalt`](crate::cobalt) has one,
//! [`fq_cobalt`](crate::fq_cobalt) has one for each flow. The law is described in
//! [`cobalt`](crate::cobalt).

use sojourn_base::checks::time_above_zero;
use sojourn_base::{ParamFault, Preset, Span, Time};

use super::Fifo;
use super::inv_sqrt::newton_step;
use crate::{Context, Packet, ProbeValue, Reason};

/// Counts whose root the kernel keeps in a table; beyond it takes one Newton step per change.
const CACHED: usize = 16;

/// The settings of the law.
#[derive(Debug, Clone)]
pub struct CobaltLaw {
    /// Whose behaviour to follow.
    pub preset: Preset,
    /// Sojourn that is good for a packet.
    pub target: Span,
    /// How long sojourns must stay above the target.
    pub interval: Span,
    /// What an overflow adds to BLUE's probability.
    pub increment: f64,
    /// What an empty queue takes from it.
    pub decrement: f64,
    /// Whether to mark ECN-capable packets instead of dropping them by `CoDel`'s law.
    pub ecn: bool,
    /// Sojourn above which every ECN-capable packet is marked.
    pub ce_threshold: Option<Span>,
    /// Sojourn that counts as an overflow for BLUE.
    pub blue_threshold: Option<Span>,
    /// Whether packets of scalable senders are only marked, by `ce_threshold`.
    pub l4s: bool,
    roots: [u32; CACHED],
}

/// The state of one queue.
#[derive(Debug, Clone)]
pub struct CobaltState {
    count: u64,
    drop_next: Time,
    dropping: bool,
    p_drop: f64,
    /// When BLUE's probability changed last.
    blue_at: Time,
    /// The kernel's 1/sqrt(count), 32 bits.
    root: u32,
}

impl Default for CobaltState {
    fn default() -> Self {
        Self {
            count: 0,
            drop_next: Time::ZERO,
            dropping: false,
            p_drop: 0.0,
            blue_at: Time::ZERO,
            root: u32::MAX,
        }
    }
}

impl CobaltState {
    /// The state of a queue in the kernel's CAKE that was never used: with no root yet, so that its
    /// first dropping state begins with a signal at once.
    pub fn zeroed() -> Self {
        Self {
            root: 0,
            ..Self::default()
        }
    }

    /// Whether nothing is left to decay.
    pub fn is_at_rest(&self, now: Time) -> bool {
        self.p_drop == 0.0 && self.count == 0 && now >= self.drop_next
    }

    /// Shows the state.
    pub fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        let mut number = |name, value| show(name, ProbeValue::Number(value));
        number("count", self.count as f64);
        number("drop_next", self.drop_next.as_s());
        number("dropping", f64::from(u8::from(self.dropping)));
        number("p_drop", self.p_drop);
    }

    /// Sets a variable of the state; false if there is none of that name.
    pub fn poke(&mut self, name: &str, value: f64) -> bool {
        match name {
            "count" => self.count = value as u64,
            "drop_next" => self.drop_next = Time::ZERO + Span::from_s(value),
            "dropping" => self.dropping = value != 0.0,
            "p_drop" => self.p_drop = value,
            _ => return false,
        }
        true
    }
}

/// What is to become of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HeadVerdict {
    /// It is sent, marked or not.
    Send,
    /// It is dropped, unless it is the last.
    Drop(Reason),
}

/// What `CoDel`'s half does with a packet.
struct CodelSignal {
    dropped: bool,
    marked: Option<Reason>,
    /// Whether the next signal is overdue.
    late: bool,
}

/// Marks a packet of a scalable sender above `ce_threshold`; nothing else becomes of it.
fn scalable_mark(packet: &mut impl Packet, above_ce: bool) -> Option<Reason> {
    if above_ce {
        packet.set_ce();
    }
    above_ce.then_some(Reason::CeThreshold)
}

impl CobaltLaw {
    /// A law of this target and interval; the rest as in the paper and CAKE.
    ///
    /// # Errors
    /// An interval of nothing.
    pub fn new(preset: Preset, target: Span, interval: Span) -> Result<Self, ParamFault> {
        time_above_zero("interval", interval)?;
        let mut roots = [u32::MAX; CACHED];
        for count in 1..CACHED {
            roots[count] = (0..4).fold(roots[count - 1], |root, _| newton_step(root, count as u64));
        }
        Ok(Self {
            preset,
            target,
            interval,
            increment: 1.0 / 256.0,
            decrement: 1.0 / 4096.0,
            ecn: false,
            ce_threshold: None,
            blue_threshold: None,
            l4s: false,
            roots,
        })
    }

    fn in_integers(&self) -> bool {
        matches!(self.preset, Preset::Linux | Preset::Ns3)
    }

    fn set_count(&self, state: &mut CobaltState, count: u64) {
        state.count = count;
        state.root = match self.roots.get(count as usize) {
            Some(&root) => root,
            None => newton_step(state.root, count),
        };
    }

    fn control_law(&self, state: &CobaltState) -> Span {
        if self.in_integers() {
            let ns = u128::from(self.interval.as_ps() / 1_000);
            return Span::from_ps(((ns * u128::from(state.root)) >> 32) as u64 * 1_000);
        }
        Span::from_s(self.interval.as_s() / libm::sqrt(state.count.max(1) as f64))
    }

    /// Whether so much time has passed that BLUE may change.
    fn blue_may(&self, state: &CobaltState, now: Time) -> bool {
        now.since(state.blue_at) > self.target
    }

    fn blue_up(&self, state: &mut CobaltState, now: Time) {
        if self.blue_may(state, now) {
            state.p_drop = (state.p_drop + self.increment).min(1.0);
            state.blue_at = now;
        }
    }

    /// A packet was lost for want of room.
    pub fn overflow(&self, state: &mut CobaltState, now: Time) {
        self.blue_up(state, now);
        state.dropping = true;
        state.drop_next = now;
        state.count = state.count.max(1);
    }

    /// The queue was asked and had nothing.
    pub fn on_empty(&self, state: &mut CobaltState, now: Time) {
        if state.p_drop > 0.0 && self.blue_may(state, now) {
            state.p_drop = (state.p_drop - self.decrement).max(0.0);
            state.blue_at = now;
        }
        state.dropping = false;
        if state.count > 0 && now >= state.drop_next {
            self.set_count(state, state.count - 1);
            let gap = self.control_law(state);
            state.drop_next += gap;
        }
    }

    /// What is to become of a packet that leaves the queue, bad if it waited longer than `good`;
    /// and why it was marked, if it was, which whoever sends it [reports](Context::report_mark).
    pub fn head_verdict<P: Packet>(
        &self,
        state: &mut CobaltState,
        packet: &mut P,
        good: Span,
        ctx: &mut Context<'_, P>,
    ) -> (HeadVerdict, Option<Reason>) {
        let now = ctx.now;
        let sojourn = now.since(packet.enqueued());
        let above_ce = self.ce_threshold.is_some_and(|most| sojourn > most);
        if self.l4s && packet.ecn().is_scalable() {
            return (HeadVerdict::Send, scalable_mark(packet, above_ce));
        }
        let signal = self.codel_signal(state, packet, sojourn > good, now);
        let mut marked = signal.marked;
        if marked.is_none() && !self.l4s && self.ecn && above_ce && packet.ecn().is_capable() {
            packet.set_ce();
            marked = Some(Reason::CeThreshold);
        }
        if self.preset == Preset::Ns3 {
            ctx.report_mark(packet, marked.take());
        }
        let blue = self.blue_drops(state, sojourn, ctx);
        if state.count == 0 {
            state.drop_next = now + self.interval;
        } else if signal.late && !signal.dropped && !blue {
            state.drop_next = now;
        }
        let verdict = if signal.dropped || (blue && self.preset == Preset::Ns3) {
            HeadVerdict::Drop(Reason::Target)
        } else if blue {
            HeadVerdict::Drop(Reason::Blue)
        } else {
            HeadVerdict::Send
        };
        (verdict, marked)
    }

    /// `CoDel`'s half: signals congestion on a packet where that is due in the dropping state, and
    /// lets the count fall outside of it.
    #[inline]
    fn codel_signal<P: Packet>(
        &self,
        state: &mut CobaltState,
        packet: &mut P,
        is_bad: bool,
        now: Time,
    ) -> CodelSignal {
        let mut signal = CodelSignal {
            dropped: false,
            marked: None,
            late: now > state.drop_next,
        };
        let mut due = state.count > 0 && now >= state.drop_next;
        if is_bad {
            if !state.dropping {
                state.dropping = true;
                let gap = self.control_law(state);
                state.drop_next = now + gap;
            }
            state.count = state.count.max(1);
        } else {
            state.dropping = false;
        }
        if due && state.dropping {
            if self.ecn && packet.ecn().is_capable() {
                packet.set_ce();
                signal.marked = Some(Reason::Target);
            } else {
                signal.dropped = true;
            }
            self.set_count(state, state.count + 1);
            let gap = self.control_law(state);
            state.drop_next += gap;
            signal.late = now > state.drop_next;
        } else {
            while due {
                self.set_count(state, state.count - 1);
                let gap = self.control_law(state);
                state.drop_next += gap;
                signal.late = now > state.drop_next;
                due = state.count > 0 && now >= state.drop_next;
            }
        }
        signal
    }

    /// BLUE's half: whether its die drops a packet.
    #[inline]
    fn blue_drops<P>(
        &self,
        state: &mut CobaltState,
        sojourn: Span,
        ctx: &mut Context<'_, P>,
    ) -> bool {
        if self.blue_threshold.is_some_and(|most| sojourn > most) {
            self.blue_up(state, ctx.now);
        }
        state.p_drop > 0.0 && ctx.random.chance(state.p_drop)
    }

    /// Drops or marks from the head of `queue` what is due, before the next packet leaves it. All
    /// but ns-3 never drop the last.
    pub fn drop_at_head<P: Packet>(
        &self,
        state: &mut CobaltState,
        queue: &mut Fifo<P>,
        ctx: &mut Context<'_, P>,
    ) {
        let keeps_last = self.preset != Preset::Ns3;
        while let Some(head) = queue.head_mut() {
            let (verdict, marked) = self.head_verdict(state, head, self.target, ctx);
            let is_kept = keeps_last && queue.len() == 1;
            match verdict {
                HeadVerdict::Drop(reason) if !is_kept => {
                    if let Some(packet) = queue.pop() {
                        ctx.drop(packet, reason);
                    }
                }
                HeadVerdict::Drop(_) | HeadVerdict::Send => {
                    if let Some(head) = queue.head() {
                        ctx.report_mark(head, marked);
                    }
                    return;
                }
            }
        }
        self.on_empty(state, ctx.now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel's table cures what single steps get wrong: within two thousandths of the root.
    #[test]
    fn the_table_of_roots() {
        let law = CobaltLaw::new(Preset::Linux, Span::from_ms(5), Span::from_ms(100))
            .expect("an interval");
        let mut state = CobaltState::default();
        for count in 1..40_u64 {
            law.set_count(&mut state, count);
            let exact = 100.0 / libm::sqrt(count as f64);
            let gap = law.control_law(&state).as_s() * 1e3;
            assert!((gap / exact - 1.0).abs() < 2e-3, "{count}: {gap} {exact}");
        }
    }
}
