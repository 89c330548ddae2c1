//! The fallback from mark to drop that all disciplines share (RFC 3168, section 5).

use crate::{Context, Packet, Reason};

/// Signals congestion on `packet`: marks it and gives it back where marking is wanted and the
/// packet is ECN-capable, else drops it.
pub fn mark_or_drop<P: Packet>(
    mut packet: P,
    marking: bool,
    reason: Reason,
    ctx: &mut Context<'_, P>,
) -> Option<P> {
    if marking && packet.ecn().is_capable() {
        packet.set_ce();
        ctx.sink.marked(&packet, reason);
        Some(packet)
    } else {
        ctx.drop(packet, reason);
        None
    }
}
