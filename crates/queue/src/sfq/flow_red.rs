//! RED in each bucket, as Linux has it.

use sojourn_base::{LinkInfo, ParamFault};

use crate::parts::child::Child;
use crate::parts::linux_red::LinuxRed;
use crate::parts::red_law::RedMark;
use crate::{Context, Discipline, Packet, Reason, red};

/// What the RED of all buckets has in common.
pub(super) struct FlowRed {
    /// As it is at first.
    pub(super) law: LinuxRed,
    ecn: bool,
    hard_drop: bool,
}

impl FlowRed {
    /// With the parameters of `red`.
    ///
    /// # Errors
    /// Those of `red`, `no_drop`, which the kernel does not have here, and a `min_th` of nothing.
    pub(super) fn new(params: &red::Params, link: &LinkInfo) -> Result<Self, ParamFault> {
        let law = red::linux(params, link)?;
        if params.no_drop {
            let allowed = "false in sfq, where Linux's RED has no such mode";
            return Err(ParamFault::new("no_drop", "true", allowed));
        }
        // The kernel takes it for no RED at all.
        if law.thresholds().0 < 1.0 {
            return Err(ParamFault::new("min_th", "0 B", "1 B or more"));
        }
        Ok(Self {
            law,
            ecn: params.ecn,
            hard_drop: params.hard_drop,
        })
    }

    /// Lets the `law` of a bucket that holds packets see an arrival, and marks that, or with
    /// `head_drop` the packet at the head: why one is to be dropped, if so.
    pub(super) fn decide<P: Packet>(
        &self,
        law: &mut LinuxRed,
        queue: &mut Child<P>,
        head_drop: bool,
        packet: &mut P,
        ctx: &mut Context<'_, P>,
    ) -> Option<Reason> {
        let waiting = queue.backlog();
        if waiting.packets == 0 {
            return None;
        }
        let (reason, marks) = match law.arrival(waiting.bytes, None, ctx.now, ctx.random) {
            RedMark::None => return None,
            RedMark::Prob => (Reason::Unforced, self.ecn),
            RedMark::Hard => (Reason::Forced, self.ecn && !self.hard_drop),
        };
        if marks {
            let head = queue.head_mut().filter(|_| head_drop);
            for packet in head.into_iter().chain([packet]) {
                if packet.ecn().is_capable() {
                    packet.set_ce();
                    ctx.sink.marked(packet, reason);
                    return None;
                }
            }
        }
        Some(reason)
    }
}
