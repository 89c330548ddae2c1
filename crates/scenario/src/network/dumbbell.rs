//! Dumbbells: a bottleneck in the middle, and for each flow a sender and a receiver of its own.

use sojourn_base::{Auto, Bytes, Distribution, Preset, Rate, Span};

use super::{ChangesPlan, DelayPlan, LinkPlan, Network, WirePlan};
use crate::error::{Located, Place};
use crate::keys::{self, Access, Bottleneck, Dumbbell};
use crate::reader::Reader;
use crate::tree::Node;

/// Links that each flow has for itself: at its sender and at its receiver, there and back.
pub(super) const ACCESS_LINKS: usize = 4;

/// A dumbbell's common parts.
pub(super) struct DumbbellPlan {
    rate: Rate,
    changes: Option<ChangesPlan>,
    /// There and back.
    wires: [WirePlan; 2],
    delay: Span,
    access: AccessPlan,
    access_delay: Span,
    overhead: Bytes,
    device_queue: Auto<keys::Room>,
    queue: Option<(Node, String)>,
    reverse_queue: Option<(Node, String)>,
    place: Place,
}

/// The links at both sides.
#[derive(Default)]
struct AccessPlan {
    rate: Auto<Rate>,
    delay: Auto<Span>,
    /// There and back.
    wires: [WirePlan; 2],
}

impl AccessPlan {
    /// Reads them; what is not given is as the `common` ones have it.
    fn read(node: &Node, key: &str, common: &Self) -> Result<Self, Located> {
        let reader = Reader::of(node, key)?;
        reader.only(&keys::keys_of::<Access>(keys::ACCESS_NESTED))?;
        let Access {
            rate,
            delay,
            reorders,
        } = reader.read(Preset::Reference)?;
        let [there, _] = &common.wires;
        let reorders = reorders.given().unwrap_or(there.reorders);
        Ok(Self {
            rate: rate.or(common.rate),
            delay: delay.or(common.delay),
            wires: WirePlan::read_both(&reader, reorders, &common.wires)?,
        })
    }
}

impl DumbbellPlan {
    pub(super) fn read(node: &Node, duration: Span) -> Result<Self, Located> {
        let reader = Reader::of(node, "dumbbell")?;
        reader.only(&keys::keys_of::<Dumbbell>(keys::DUMBBELL_NESTED))?;
        let dumbbell: Dumbbell = reader.read(Preset::Reference)?;
        let missing = || reader.error("bottleneck", "found nothing; allowed: a table");
        let inner = reader.node("bottleneck").ok_or_else(missing)?;
        let inner = Reader::of(inner, "dumbbell.bottleneck")?;
        inner.only(&keys::keys_of::<Bottleneck>(keys::BOTTLENECK_NESTED))?;
        let bottleneck: Bottleneck = inner.read(Preset::Reference)?;
        let access = match reader.node("access") {
            Some(node) => AccessPlan::read(node, "dumbbell.access", &AccessPlan::default())?,
            None => AccessPlan::default(),
        };
        let both = "found both the rtt and the bottleneck's delay; allowed: one of them";
        let (delay, access_delay) = match (dumbbell.rtt, bottleneck.delay, access.delay) {
            (Auto::Given(_), Auto::Given(_), _) => return Err(reader.error("rtt", both)),
            (Auto::Auto, Auto::Auto, _) => {
                let message = "found neither the dumbbell's rtt nor a delay; allowed: one of them";
                return Err(inner.error("delay", message));
            }
            (Auto::Auto, Auto::Given(delay), Auto::Given(access)) => (delay, access),
            // The rtt is 2 (delay + 2 rtt/20), so a twentieth of it is an eighth of the delay.
            (Auto::Auto, Auto::Given(delay), Auto::Auto) => {
                (delay, Span::from_ps(delay.as_ps() / 8))
            }
            (Auto::Given(rtt), Auto::Auto, access) => {
                let access = access.given().unwrap_or(Span::from_ps(rtt.as_ps() / 20));
                let half = Span::from_ps(rtt.as_ps() / 2);
                if access + access > half {
                    let message =
                        format!("found {rtt}; allowed: at least four access delays of {access}");
                    return Err(reader.error("rtt", message));
                }
                (half - access - access, access)
            }
        };
        let queue = |key: &str| inner.node(key).map(|node| (node.clone(), inner.key(key)));
        Ok(Self {
            rate: bottleneck.rate,
            changes: ChangesPlan::read(&inner, bottleneck.rate, duration)?,
            wires: WirePlan::read_both(&inner, bottleneck.reorders, &<[WirePlan; 2]>::default())?,
            delay,
            access,
            access_delay,
            overhead: bottleneck.overhead,
            device_queue: bottleneck.device_queue,
            queue: queue("queue"),
            reverse_queue: queue("reverse_queue"),
            place: node.place,
        })
    }

    pub(super) fn add_bottleneck(&self, network: &mut Network) {
        let mut forward = Self::link(
            "bottleneck",
            "left",
            "right",
            self.rate,
            self.delay,
            self.place,
        );
        let [wire, reverse_wire] = self.wires.clone();
        forward.changes.clone_from(&self.changes);
        forward.wire = wire;
        forward.overhead = self.overhead;
        forward.device_queue = self.device_queue;
        forward.queue.clone_from(&self.queue);
        let reverse = forward.reverse(self.reverse_queue.clone(), reverse_wire);
        network.links.extend([forward, reverse]);
    }

    /// Gives the flow of a table its own sender and receiver, and [`ACCESS_LINKS`], which make its
    /// round trip what it asks for; returns the two nodes.
    pub(super) fn add_access(
        &self,
        [flow, group]: [&str; 2],
        (table, place): (&Reader<'_>, Place),
        round_trip: Option<Distribution<Span>>,
        network: &mut Network,
    ) -> Result<(String, String), Located> {
        let own = table
            .node("access")
            .map(|node| AccessPlan::read(node, &table.key("access"), &self.access))
            .transpose()?;
        let AccessPlan { rate, delay, wires } = own.as_ref().unwrap_or(&self.access);
        let tenfold = Rate::from_bps(self.rate.bps().saturating_mul(10)).unwrap_or(Rate::MAX);
        let rate = rate.given().unwrap_or(tenfold);
        let delay = delay.given().unwrap_or(self.access_delay);
        let round_trip = round_trip
            .map(|law| DelayPlan::of_flow([flow, group], law, self.delay, table.place_of("rtt")));
        let (source, sink) = (format!("{flow}.src"), format!("{flow}.dst"));
        let up = Self::link(&format!("{flow}.up"), &source, "left", rate, delay, place);
        let down = Self::link(&format!("{flow}.down"), "right", &sink, rate, delay, place);
        for mut forward in [up, down] {
            let [wire, reverse_wire] = wires.clone();
            forward.wire = wire;
            if let Some(delay) = &round_trip {
                forward.delay.clone_from(delay);
            }
            let reverse = forward.reverse(None, reverse_wire);
            network.links.extend([forward, reverse]);
        }
        Ok((source, sink))
    }

    fn link(name: &str, from: &str, to: &str, rate: Rate, delay: Span, place: Place) -> LinkPlan {
        LinkPlan {
            name: name.to_owned(),
            from: from.to_owned(),
            to: to.to_owned(),
            rate,
            changes: None,
            wire: WirePlan::default(),
            delay: DelayPlan::of_link(name, Distribution::constant(delay), place),
            overhead: Bytes::ZERO,
            device_queue: Auto::Auto,
            queue: None,
            place,
        }
    }
}
