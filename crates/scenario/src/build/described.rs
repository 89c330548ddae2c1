//! What a plan tells of itself: links and queues as data, and what traces and captures show.

use sojourn_base::{Preset, Span};
use sojourn_engine::{LossLaw, NodeId};
use sojourn_trace::capture;
use sojourn_trace::ns2::FlowLabel;

use super::{Draws, Plan};
use crate::error::Located;
use crate::network::{ChangesPlan, FlowPlan, JitterPlan, LinkPlan};
use crate::outside::is_outside;
use crate::reader::Reader;
use crate::trace::{Trace, duplex, file_names};
use crate::transport::TransportPlan;
use crate::tree::{Node, Table};

impl Plan {
    /// Its links as data: ends, rate, delay, and the queue with every parameter that it has, as a
    /// scenario file writes them.
    pub(crate) fn link_details(&self, draws: Draws) -> Result<serde_json::Value, Located> {
        let (made, _) = self.instantiate(draws)?;
        let delays: Vec<Span> = made.iter().map(|link| link.delay).collect();
        let links = self.network.links.iter().zip(&made).enumerate();
        links
            .map(|(i, (link, made))| {
                let changes = link.changes.as_ref();
                Ok(serde_json::json!({
                    "name": link.name,
                    "from": link.from,
                    "to": link.to,
                    "rate_bps": link.rate.bps(),
                    "rate_changes": changes.is_some_and(|changes| changes.of_rate(link.rate)),
                    "delay_changes": changes.is_some_and(ChangesPlan::of_delay),
                    "loss": link.wire.loss.as_ref().map(described_loss),
                    "jitter": link.wire.jitter.as_ref().map(described_jitter),
                    "reorders": link.wire.reorders,
                    "delay_s": made.delay.as_s(),
                    "delay_is_drawn": link.delay.drawn.as_constant().is_none(),
                    "overhead_bytes": link.overhead.get(),
                    "device_queue_packets": made.device_queue,
                    "mtu_bytes": self.mtu(i).get(),
                    "base_rtt_s": self.base_rtt(i, &delays).as_s(),
                    "queue": link.described_queue()?,
                }))
            })
            .collect()
    }

    /// The names of disciplines and controllers that are in no registry, each once.
    pub(crate) fn outside_names(&self) -> Vec<&str> {
        let queues = self.network.links.iter().filter_map(|link| {
            let (node, _) = link.queue.as_ref()?;
            node.table()?.text("discipline")
        });
        let flows = self.network.flows.iter();
        let controllers = flows.filter_map(|flow| flow.transport.outside_name());
        let mut names: Vec<&str> = Vec::new();
        for name in queues.filter(|name| is_outside(name)).chain(controllers) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Links and flows as data.
    pub(crate) fn layout(&self) -> serde_json::Value {
        let links = self.network.links.iter().map(|link| {
            let queue = link.queue.as_ref().map(|(node, _)| node.json());
            serde_json::json!({
                "name": link.name,
                "from": link.from,
                "to": link.to,
                "rate_bps": link.rate.bps(),
                "delay_mean_s": link.delay.mean_s(),
                "queue": queue.unwrap_or_else(|| serde_json::json!({})),
            })
        });
        let flows = self.network.flows.iter().map(|flow| {
            serde_json::json!({
                "name": flow.name,
                "group": flow.group,
                "from": flow.from,
                "to": flow.to,
            })
        });
        serde_json::json!({
            "links": links.collect::<Vec<_>>(),
            "flows": flows.collect::<Vec<_>>(),
        })
    }

    /// The files that were read for it.
    pub(crate) fn files(&self) -> impl Iterator<Item = &str> {
        self.read.files()
    }

    /// What an ns-2 trace says of links and flows.
    pub(crate) fn trace_labels(&self) -> (Vec<(u32, u32)>, Vec<FlowLabel>) {
        let number = |node: NodeId| self.numbers[node as usize];
        let links = self
            .ends
            .iter()
            .map(|&(from, to)| (number(from), number(to)))
            .collect();
        let mut ports = vec![0; self.numbers.len()];
        let mut port = |node: NodeId| {
            let next: &mut u32 = &mut ports[node as usize];
            *next += 1;
            (number(node), *next - 1)
        };
        let label = |(flow, &(from, to)): (&FlowPlan, &(NodeId, NodeId))| {
            let tcp = match &flow.transport {
                TransportPlan::Tcp(tcp) => Some(&tcp.config),
                TransportPlan::Udp(_) => None,
            };
            FlowLabel {
                packet_type: sojourn_traffic::trace_name(flow.source()),
                source: port(from),
                destination: port(to),
                segment: tcp.map_or(0, |config| u64::from(config.mss)),
                handshake: tcp.is_some_and(|config| config.handshake),
            }
        };
        (
            links,
            self.network
                .flows
                .iter()
                .zip(&self.flow_ends)
                .map(label)
                .collect(),
        )
    }

    /// What captures show.
    pub(crate) fn captured(&self, title: &str, wanted: &Trace<'_>) -> capture::Network {
        let mut shown: Vec<&str> = Vec::new();
        for name in self.link_names().map(duplex) {
            let is_wanted = wanted.links.is_empty() || wanted.links.iter().any(|link| link == name);
            if is_wanted && !shown.contains(&name) {
                shown.push(name);
            }
        }
        let number = |node: NodeId| self.numbers[node as usize];
        let links = self.network.links.iter().zip(&self.ends);
        let links = links.map(|(link, &(from, to))| capture::Link {
            name: link.name.clone(),
            from: number(from),
            to: number(to),
            rate: link.rate,
            file: shown.iter().position(|name| *name == duplex(&link.name)),
        });
        let flows = self.network.flows.iter().zip(&self.flow_ends);
        let flows = flows.map(|(flow, &(from, to))| capture::Flow {
            name: flow.name.clone(),
            source: number(from),
            destination: number(to),
            over: match &flow.transport {
                TransportPlan::Udp(udp) => capture::Over::Udp {
                    header: udp.header.get(),
                },
                TransportPlan::Tcp(tcp) => capture::Over::Tcp(tcp.config.clone()),
            },
        });
        capture::Network {
            title: title.to_owned(),
            links: links.collect(),
            flows: flows.collect(),
            files: file_names(&shown),
            whole: wanted.payload,
        }
    }
}

/// What packets take longer on a wire, as data: the words of the file, the share, and from where to
/// where it is drawn if any value between is as likely.
fn described_jitter(jitter: &JitterPlan) -> serde_json::Value {
    let bounds = jitter.extra.as_uniform();
    serde_json::json!({
        "words": jitter.words,
        "share": jitter.share,
        "uniform_s": bounds.map(|(from, to)| [from.as_s(), to.as_s()]),
    })
}

/// What a wire loses, as data.
fn described_loss(law: &LossLaw) -> serde_json::Value {
    match law {
        LossLaw::Independent(ratio) => serde_json::json!({ "ratio": ratio }),
        LossLaw::BitErrors(ratio) => serde_json::json!({ "bit_error_ratio": ratio }),
        LossLaw::Bursts {
            good_to_bad,
            bad_to_good,
            in_good,
            in_bad,
        } => serde_json::json!({
            "good_to_bad": good_to_bad,
            "bad_to_good": bad_to_good,
            "in_good": in_good,
            "in_bad": in_bad,
        }),
        LossLaw::Listed(numbers) => serde_json::json!({ "packets": numbers[..] }),
    }
}

impl LinkPlan {
    /// The queue as data: discipline, preset, all parameters, and which of them the file gives.
    fn described_queue(&self) -> Result<serde_json::Value, Located> {
        let empty = Table::default();
        let table = self.queue.as_ref().and_then(|(node, _)| node.table());
        let reader = Reader::new(table.unwrap_or(&empty), self.place, "");
        let name = reader.node("discipline").and_then(Node::text);
        let name = name.unwrap_or("droptail");
        let preset: Preset = reader.value("preset")?.unwrap_or_default();
        let declared = sojourn_queue::find(name).map_or(&[][..], |entry| entry.params);
        let (mut params, mut given) = (serde_json::Map::new(), Vec::new());
        for param in declared {
            let value = match reader.node(param.name) {
                Some(node) => {
                    given.push(param.name);
                    node.json()
                }
                None => param.default_under(preset).into(),
            };
            params.insert(param.name.to_owned(), value);
        }
        Ok(serde_json::json!({
            "discipline": name,
            "preset": preset.name(),
            "params": params,
            "given": given,
        }))
    }
}
