//! PIE's law and when it is updated: [`pie`](crate::pie) has one, and so has
//! [`fq_pie`](crate::fq_pie), for all of its flows together.

use sojourn_base::length::Capacity;
use sojourn_base::{Auto, Bytes, LinkInfo, ParamFault, Preset, Span, Time};

use super::Params;
use crate::parts::pie_law::{PieLaw, linux_period};

/// The law, the mean packet that follows the link, and the clock of the updates.
#[derive(Debug)]
pub struct PieController {
    /// The law.
    pub law: PieLaw,
    /// As given: it follows the link where it was not.
    given_mean_packet: Auto<Bytes>,
    first_update: Time,
    period: Span,
    next_update: Time,
}

impl PieController {
    /// A controller for a queue on `link`.
    ///
    /// # Errors
    /// A period, a mean packet or a measurement of nothing; a negative gain.
    pub fn new(params: &Params, preset: Preset, link: &LinkInfo) -> Result<Self, ParamFault> {
        let in_bytes = matches!(params.limit.on(link), Capacity::Bytes(_));
        let law = PieLaw {
            preset,
            target: params.target,
            t_update: params.t_update,
            max_burst: params.max_burst,
            alpha: params.alpha,
            beta: params.beta,
            mean_packet: mean_packet(params.mean_packet, preset, link),
            bytes: match params.bytes {
                Auto::Given(bytes) => bytes,
                Auto::Auto => preset == Preset::Ns3 && in_bytes,
            },
            floor_in_packets: preset == Preset::Ns3 && !in_bytes,
            cap: params.cap_drop,
            derandomize: params.derandomize,
            estimator: params.dequeue_rate_estimator,
            threshold: params.dequeue_threshold,
            ecn: params.ecn,
            mark_threshold: params.mark_threshold.0,
            active_threshold: params.active_threshold.0,
            ce_threshold: params.ce_threshold.0,
            l4s: params.l4s,
        };
        law.check()?;
        let (first_update, period) = if preset == Preset::Linux {
            let period = linux_period(params.t_update, params.hz);
            (Time::ZERO + Span::from_ms(500), period)
        } else {
            (Time::ZERO + params.t_update, params.t_update)
        };
        Ok(Self {
            law,
            given_mean_packet: params.mean_packet,
            first_update,
            period,
            next_update: first_update,
        })
    }

    /// Linux's timer looks at 2048 flows, and at the next of so many a jiffy later: the update of
    /// all takes longer.
    pub fn takes_turns(&mut self, flows: u32, hz: u32) {
        let more = u64::from(flows.div_ceil(2048).saturating_sub(1));
        self.period += Span::from_ps(linux_period(Span::ZERO, hz).as_ps() * more);
    }

    /// When the next update is due.
    pub fn next_update(&self) -> Time {
        self.next_update
    }

    /// Whether an update is due at `now`; the next one is then a period later.
    pub fn advance(&mut self, now: Time) -> bool {
        let is_due = now >= self.next_update;
        if is_due {
            self.next_update += self.period;
        }
        is_due
    }

    /// The clock stands at its start again.
    pub fn reset(&mut self) {
        self.next_update = self.first_update;
    }

    /// Takes the mean packet of the link where none is given.
    pub fn on_link(&mut self, link: &LinkInfo) {
        self.law.mean_packet = mean_packet(self.given_mean_packet, self.law.preset, link);
    }
}

/// The mean packet of a link where none is given.
fn mean_packet(given: Auto<Bytes>, preset: Preset, link: &LinkInfo) -> Bytes {
    match given {
        Auto::Given(bytes) => bytes,
        Auto::Auto if preset == Preset::Linux => link.largest(preset),
        Auto::Auto => Bytes::new(1000),
    }
}
