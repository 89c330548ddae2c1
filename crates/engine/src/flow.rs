//! A flow: its specification and its state.

use std::sync::Arc;

use sojourn_base::{Bytes, Ecn, Span, Stream, Time};
use sojourn_traffic::{
    AnyApplication, AnySource, Application, Begun, Completed, Draw, Emission, Exchange, Source,
};
use sojourn_transport::{AnyController, Config, Sender};

use crate::connection::{Connection, Connections};
use crate::{Link, LinkId, NodeId};

/// Makes the congestion controller of a flow's k-th connection.
pub type MakeController = Box<dyn FnMut(u32) -> AnyController + Send>;

/// What a flow is made of.
pub struct FlowSpec {
    /// Its name, for messages.
    pub name: String,
    /// Sending node.
    pub from: NodeId,
    /// Receiving node.
    pub to: NodeId,
    /// The links of its path, at least one.
    pub path: Vec<LinkId>,
    /// The links of its way back; may be empty where nothing travels there.
    pub way_back: Vec<LinkId>,
    /// What it sends, and over what.
    pub traffic: Traffic,
    /// Differentiated-services codepoint of its packets.
    pub dscp: u8,
    /// When it starts.
    pub start: Time,
    /// From when on it sends nothing more.
    pub stop: Time,
    /// Random stream of its gaps.
    pub gaps: Stream,
    /// Random stream of its sizes.
    pub sizes: Stream,
}

/// What a flow sends, and over what.
pub enum Traffic {
    /// Packets over UDP.
    Datagrams {
        /// What makes them.
        source: AnySource,
        /// Header bytes around each payload.
        header: Bytes,
        /// Their codepoint.
        ecn: Ecn,
    },
    /// Byte streams over TCP.
    Streams {
        /// What writes them.
        application: AnyApplication,
        /// The settings of its connections.
        config: Arc<Config>,
        /// Makes their congestion controllers.
        controller: MakeController,
    },
}

impl Traffic {
    /// Header bytes of a packet that carries data.
    pub(crate) fn header(&self) -> u32 {
        match self {
            Self::Datagrams { header, .. } => header.get() as u32,
            Self::Streams { config, .. } => config.header,
        }
    }
}

/// What a flow is doing.
pub(crate) enum Agent {
    /// Sends packets.
    Datagrams(Box<Datagrams>),
    /// Writes streams.
    Streams {
        application: AnyApplication,
        connections: Box<Connections>,
    },
}

/// A source and the packet that it sends next.
pub(crate) struct Datagrams {
    pub(crate) source: AnySource,
    pub(crate) header: Bytes,
    pub(crate) ecn: Ecn,
    /// The packet after the next: drawn ahead, so that the next packet need not wait for a draw.
    pub(crate) then: Emission,
    /// Size on the wire of the packet to be sent next.
    pub(crate) next_size: u16,
    /// Its number.
    pub(crate) next_number: u64,
}

/// A flow of a running simulation.
pub struct Flow {
    /// Its name, for messages.
    pub name: String,
    pub(crate) start: Time,
    pub(crate) stop: Time,
    pub(crate) gaps: Stream,
    pub(crate) sizes: Stream,
    pub(crate) agent: Agent,
}

impl Flow {
    pub(crate) fn new(mut spec: FlowSpec) -> Self {
        let agent = match spec.traffic {
            Traffic::Datagrams {
                mut source,
                header,
                ecn,
            } => Agent::Datagrams(Box::new(Datagrams {
                then: source.next(&mut Draw {
                    gaps: &mut spec.gaps,
                    sizes: &mut spec.sizes,
                }),
                source,
                header,
                ecn,
                next_size: 0,
                next_number: 0,
            })),
            Traffic::Streams {
                application,
                config,
                controller,
            } => Agent::Streams {
                application,
                connections: Box::new(Connections::new(config, controller, spec.stop)),
            },
        };
        Self {
            name: spec.name,
            start: spec.start,
            stop: spec.stop,
            gaps: spec.gaps,
            sizes: spec.sizes,
            agent,
        }
    }

    /// Its connections, where it has any.
    pub(crate) fn connections(&self) -> Option<&Connections> {
        match &self.agent {
            Agent::Streams { connections, .. } => Some(connections),
            Agent::Datagrams(_) => None,
        }
    }

    /// Whether it runs over TCP.
    pub fn is_tcp(&self) -> bool {
        self.connections().is_some()
    }

    /// Shows the finite transfers that are under way, where its source has such.
    pub fn under_way(&self, show: &mut dyn FnMut(Begun)) {
        if let Agent::Streams { application, .. } = &self.agent {
            application.under_way(show);
        }
    }

    /// The senders of its data whose connections are open, in the order of opening.
    pub fn senders<'a>(&'a self, all: &'a [Connection]) -> impl Iterator<Item = &'a Sender> {
        self.connections()
            .into_iter()
            .flat_map(Connections::open_slots)
            .map(|slot| &all[slot as usize].forward.sender)
    }

    /// The least time that a transfer takes when it is alone on empty paths, there and back: its
    /// packets one right behind the other, as if there were no window, and before them those of its
    /// request and of a handshake, if there are any.
    pub(crate) fn least_time(
        &self,
        transfer: &Completed,
        [forward, reverse]: [&[LinkId]; 2],
        links: &[Link],
    ) -> Option<Span> {
        let config = &self.connections()?.config;
        let (mss, header) = (u64::from(config.mss), u64::from(config.header));
        let message = |bytes: u64, path| {
            let full = bytes.saturating_sub(1) / mss;
            let sizes = [mss, bytes - full * mss].map(|payload| (payload + header) as u16);
            least_time_of(full, sizes, path, links)
        };
        let (asked, opened) = match transfer.exchange {
            Exchange::Sent => (Span::ZERO, true),
            Exchange::Answered { request, first } => (message(request, reverse), first),
            Exchange::Several => return None,
        };
        let handshake = if config.handshake && opened {
            least_time(forward, header as u16, links) + least_time(reverse, header as u16, links)
        } else {
            Span::ZERO
        };
        Some(handshake + asked + message(transfer.bytes, forward))
    }
}

/// The least time of `full` packets of the first size, followed directly by one of the second size,
/// which is not larger.
///
/// At each link the last packet either waits for the one before it, which in turn waited at the
/// slowest link so far, or arrives later than that. The longest of all these ways counts.
fn least_time_of(full: u64, [size, last]: [u16; 2], path: &[LinkId], links: &[Link]) -> Span {
    let mut behind = least_time(path, last, links);
    if full == 0 {
        return behind;
    }
    let (mut before, mut slowest, mut longest) = (Span::ZERO, Span::ZERO, Span::ZERO);
    for &id in path {
        let pace = links[id as usize].spec.least_pace();
        slowest = slowest.max(pace.to_send(size));
        let others = Span::from_ps(slowest.as_ps() * (full - 1));
        longest = longest.max(before + pace.to_send(size) + others + behind);
        before += pace.to_cross(size);
        behind = behind - pace.to_cross(last);
    }
    longest
}

/// Propagation and serialisation of a packet over `path`.
pub(crate) fn least_time(path: &[LinkId], size: u16, links: &[Link]) -> Span {
    path.iter().fold(Span::ZERO, |sum, &id| {
        sum + links[id as usize].spec.least_pace().to_cross(size)
    })
}
