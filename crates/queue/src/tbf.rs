//! Token bucket: a shaper that sends at `rate` and, after a pause, up to `burst` bytes at once.
//!
//! Linux's `tc-tbf(8)`. A bucket of `burst` bytes fills with tokens at `rate`. A packet is sent
//! when the bucket holds its size, and takes as many tokens from it. With `peak_rate` a second
//! bucket of `mtu` bytes fills at that rate and must hold the packet too. The buckets are full at
//! first. Tokens are counted in time, exactly, and the wait for them is exact to the picosecond. A
//! packet larger than a bucket could never be sent; it is dropped when it arrives, as in Linux.
//!
//! The packets wait in a drop-tail queue of `limit`, or with `inner` in another discipline, with
//! its parameters in parentheses and a limit of its own. The packet that waits for tokens has
//! already left the inner discipline and no longer counts in its averages and limits, unless that
//! discipline is `droptail` or `pfifo`. In Linux this packet has also left `codel`, `pie` and the
//! flow queues, but they still count it; it stays in `red`, `choke` and `sfb`.
//!
//! **Reference**, **Linux** (`sch_tbf`) and **ns-3** (`TbfQueueDisc`) are the same, with two
//! exceptions: a packet larger than a bucket blocks the queue of ns-3 permanently, and ns-3 rounds
//! tokens to whole bytes. The defaults are those of ns-3, since `tc` requires rate and burst.
//! **ns-2** has no discipline of this kind; its preset is the reference.

use sojourn_base::checks::above_zero;
use sojourn_base::length::Capacity;
use sojourn_base::{
    Auto, Bytes, Limit, LinkInfo, Optional, ParamFault, Preset, Rate, Span, Time, params,
};

use crate::parts::child::{Child, Head};
use crate::parts::inner::Inner;
use crate::parts::probe_names::prefixed;
use crate::{Backlog, Context, Dequeued, Discipline, Packet, ProbeValue, Reason, Warning};

params! {
    /// Parameters of the token bucket.
    pub struct Params {
        /// Largest queue, in packets or bytes; the packet being transmitted is not counted. An
        /// `inner` has its own.
        limit: Limit = "1000 packets";
        /// Rate at which the bucket fills.
        rate: Rate = "1 Mbit/s";
        /// Size of the bucket.
        burst: Bytes = "125000 B";
        /// Rate at which the second bucket fills.
        peak_rate: Optional<Rate> = "none";
        /// Size of the second bucket. Automatic: the link's MTU.
        mtu: Auto<Bytes> = "auto";
        /// Discipline of the queue behind the bucket.
        inner: Optional<Inner> = "none";
    }
}

/// A bucket, its tokens counted as the time that they took to come.
#[derive(Debug, Clone, Copy)]
struct Bucket {
    rate: Rate,
    size: Bytes,
    full: Span,
    tokens: Span,
}

impl Bucket {
    fn new(rate: Rate, size: Bytes) -> Self {
        let full = rate.time_to_send(size);
        Self {
            rate,
            size,
            full,
            tokens: full,
        }
    }

    /// Tokens after `gone` more time.
    fn after(&self, gone: Span) -> Span {
        (self.tokens + gone).min(self.full)
    }

    fn bytes(&self) -> f64 {
        // In thousandths of a byte, so that whole bytes come out whole.
        let milli = u128::from(self.tokens.as_ps()) * u128::from(self.rate.bps()) / 8_000_000;
        ((milli + 500) / 1_000) as f64 / 1e3
    }
}

/// A shaped queue.
pub struct Tbf<P: Packet> {
    bucket: Bucket,
    peak: Option<Bucket>,
    automatic_mtu: bool,
    queue: Child<P>,
    /// When the tokens were counted.
    counted: Time,
    link: LinkInfo,
}

impl<P: Packet> Tbf<P> {
    /// A queue for `link`.
    ///
    /// # Errors
    /// A bucket of nothing, a parameter of `inner`.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let mtu = params.mtu.given().unwrap_or(link.mtu);
        above_zero("burst", params.burst)?;
        above_zero("mtu", mtu)?;
        Ok(Self {
            bucket: Bucket::new(params.rate, params.burst),
            peak: params.peak_rate.0.map(|rate| Bucket::new(rate, mtu)),
            automatic_mtu: params.mtu == Auto::Auto,
            queue: Child::new(&params.inner, params.limit.on(link), preset, link)?,
            counted: Time::ZERO,
            link: *link,
        })
    }

    fn could_ever_send(&self, size: Bytes) -> bool {
        size <= self.bucket.size && self.peak.is_none_or(|peak| size <= peak.size)
    }
}

impl<P: Packet> Discipline<P> for Tbf<P> {
    fn enqueue(&mut self, packet: P, ctx: &mut Context<'_, P>) {
        if self.could_ever_send(packet.size()) {
            self.queue.enqueue(packet, ctx);
        } else {
            ctx.drop(packet, Reason::Overlimit);
        }
    }

    fn dequeue(&mut self, ctx: &mut Context<'_, P>) -> Dequeued<P> {
        let size = match self.queue.head(ctx) {
            Head::Packet(size) => size,
            Head::Empty => return Dequeued::Empty,
            Head::Wait(until) => return Dequeued::Wait(until),
        };
        let gone = ctx.now.since(self.counted);
        let mut lacking = Span::ZERO;
        for bucket in [Some(&self.bucket), self.peak.as_ref()]
            .into_iter()
            .flatten()
        {
            let needed = bucket.rate.time_to_send(size);
            lacking = lacking.max(needed - bucket.after(gone));
        }
        if lacking > Span::ZERO {
            return Dequeued::Wait(ctx.now + lacking);
        }
        self.counted = ctx.now;
        for bucket in [Some(&mut self.bucket), self.peak.as_mut()]
            .into_iter()
            .flatten()
        {
            bucket.tokens = bucket.after(gone) - bucket.rate.time_to_send(size);
        }
        self.queue.dequeue(ctx)
    }

    fn backlog(&self) -> Backlog {
        self.queue.backlog()
    }

    fn capacity(&self) -> Capacity {
        self.queue.capacity()
    }

    fn reset(&mut self) {
        self.queue.reset();
        self.counted = Time::ZERO;
        for bucket in [Some(&mut self.bucket), self.peak.as_mut()]
            .into_iter()
            .flatten()
        {
            bucket.tokens = bucket.full;
        }
    }

    fn next_timer(&self) -> Option<Time> {
        self.queue.next_timer()
    }

    fn on_timer(&mut self, ctx: &mut Context<'_, P>) {
        self.queue.on_timer(ctx);
    }

    fn on_link(&mut self, link: &LinkInfo) {
        self.queue.on_link(link);
        self.link = *link;
        if let (Some(peak), true) = (&mut self.peak, self.automatic_mtu) {
            let tokens = peak.tokens;
            *peak = Bucket::new(peak.rate, link.mtu);
            peak.tokens = tokens.min(peak.full);
        }
    }

    fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut warn = |param, what: String| warnings.push(Warning { param, what });
        if self.bucket.size < self.link.mtu {
            let (burst, mtu) = (self.bucket.size, self.link.mtu);
            let what = format!("a bucket of {burst} never lets a packet of the MTU, {mtu}, go");
            warn("burst", what);
        }
        if let Some(peak) = &self.peak
            && peak.size < self.link.mtu
        {
            let (size, mtu) = (peak.size, self.link.mtu);
            let what = format!("a bucket of {size} never lets a packet of the MTU, {mtu}, go");
            warn("mtu", what);
        }
        if self.bucket.rate > self.link.rate {
            let what = "the rate is above the link's: the link shapes, not this".to_owned();
            warn("rate", what);
        }
        if self.peak.is_some_and(|peak| peak.rate <= self.bucket.rate) {
            let what = "the peak rate should be above the rate".to_owned();
            warn("peak_rate", what);
        }
        warnings.extend(self.queue.warnings());
        warnings
    }

    fn probe(&self, show: &mut dyn FnMut(&str, ProbeValue)) {
        show("tokens", ProbeValue::Number(self.bucket.bytes()));
        if let Some(peak) = &self.peak {
            show("peak_tokens", ProbeValue::Number(peak.bytes()));
        }
        self.queue.probe(&mut prefixed("inner.".to_owned(), show));
    }

    fn flow_queues(&self) -> usize {
        self.queue.flow_queues()
    }

    fn flow_queue_of(&self, packet: &P, came_to: Option<usize>) -> Option<usize> {
        self.queue.flow_queue_of(packet, came_to)
    }

    fn waiting_in(&self, k: usize) -> usize {
        self.queue.waiting_in(k)
    }

    fn probe_flow(&self, k: usize, show: &mut dyn FnMut(&str, ProbeValue)) {
        self.queue.probe_flow(k, show);
    }

    fn flow_place(&self, k: usize) -> String {
        format!("inner.{}", self.queue.flow_place(k))
    }

    fn poke(&mut self, name: &str, value: f64) -> bool {
        let inner = name.strip_prefix("inner.");
        inner.is_some_and(|name| self.queue.poke(name, value))
    }
}
