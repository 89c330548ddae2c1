//! What a link consists of, and how long its packets take.

use sojourn_base::{Bytes, Rate, Span, Stream};
use sojourn_queue::AnyDiscipline;

use super::{Changes, Jitter, Losses};
use crate::{NodeId, SimPacket};

/// What a link consists of.
pub struct LinkSpec {
    /// Its name, for messages.
    pub name: String,
    /// The node it leaves.
    pub from: NodeId,
    /// The node it enters.
    pub to: NodeId,
    /// Its rate; if that changes, the present one.
    pub rate: Rate,
    /// How its rate changes, if it does.
    pub changes: Option<Box<Changes>>,
    /// Its propagation delay.
    pub delay: Span,
    /// What is lost on the wire, if anything.
    pub losses: Option<Box<Losses>>,
    /// What packets take beyond that delay, if anything.
    pub jitter: Option<Box<Jitter>>,
    /// Where delays vary: whether a packet may come out before one that was sent earlier. If not,
    /// it comes out together with that one.
    pub reorders: bool,
    /// Link framing of each packet: counts for serialisation only.
    pub overhead: Bytes,
    /// Room in packets of the drop-tail queue below the discipline; the discipline hands packets
    /// down while it has room.
    pub device_queue: usize,
    /// Its queue discipline.
    pub discipline: AnyDiscipline<SimPacket>,
    /// The discipline's random stream.
    pub random: Stream,
}

/// What decides how long a packet takes from one end of a link to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Pace {
    rate: Rate,
    overhead: Bytes,
    pub(crate) delay: Span,
}

impl Pace {
    /// How long it takes to send `size` bytes.
    #[inline(always)]
    #[allow(clippy::inline_always)] // once or twice a packet
    pub(crate) fn to_send(self, size: u16) -> Span {
        let bytes = Bytes::new(u64::from(size)) + self.overhead;
        self.rate.time_to_send(bytes)
    }

    /// The same, and the propagation.
    pub(crate) fn to_cross(self, size: u16) -> Span {
        self.to_send(size) + self.delay
    }
}

impl LinkSpec {
    /// How long its packets take.
    #[inline]
    pub(crate) fn pace(&self) -> Pace {
        Pace {
            rate: self.rate,
            overhead: self.overhead,
            delay: self.delay,
        }
    }

    /// Whether packets may take different times on the wire.
    pub(crate) fn is_uneven(&self) -> bool {
        let changes = self.changes.as_deref();
        self.jitter.is_some() || changes.is_some_and(Changes::vary_delay)
    }

    /// Whether a packet may come out before one that was sent earlier.
    pub(crate) fn lets_overtake(&self) -> bool {
        self.reorders && self.is_uneven()
    }

    /// The least time that its packets take, whenever they come.
    pub(crate) fn least_pace(&self) -> Pace {
        let pace = self.pace();
        self.changes.as_deref().map_or(pace, |changes| Pace {
            rate: changes.fastest(),
            delay: changes.shortest(),
            ..pace
        })
    }
}
