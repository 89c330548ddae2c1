//! Time series at a chosen interval: queues, inner variables, rates.
//!
//! The value at time `t` describes the interval that ends there: queues and inner variables as
//! they stand just before `t`, rates, means and counts over the interval.

use std::collections::HashMap;

use sojourn_base::{Span, Time};
use sojourn_engine::link::Carried;
use sojourn_engine::{Observer, Simulation};
use sojourn_queue::{Discipline, ProbeValue};
use sojourn_transport::{CongestionControl, Sender};

use crate::meter::{FlowCounts, Meter};

/// One metric of one entity over time.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// `link` or `flow`.
    pub entity: &'static str,
    /// Its name.
    pub name: String,
    /// The metric, its unit at the end.
    pub metric: String,
    /// Instants in seconds.
    pub times_s: Vec<f64>,
    /// Values; NaN where undefined.
    pub values: Vec<f64>,
}

/// One value of a sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample<'a> {
    /// `link` or `flow`.
    pub entity: &'static str,
    /// Its name.
    pub name: &'a str,
    /// The metric, its unit at the end.
    pub metric: &'a str,
    /// NaN where undefined.
    pub value: f64,
}

/// Takes samples of a simulation.
#[derive(Debug, Default)]
pub struct Recorder {
    series: Vec<Owned>,
    /// Where the series of each entity are, by metric: first those of the links, then of the flows.
    places: Vec<HashMap<String, usize>>,
    links: Vec<LinkThen>,
    flows: Vec<FlowThen>,
    last: Time,
    /// How many values were noted.
    values: u64,
    /// Where the samples of the present instant go next.
    cursor: usize,
}

/// A series, and the number of its owner among all links and flows.
#[derive(Debug)]
struct Owned {
    owner: usize,
    series: Series,
}

/// Whose values are noted.
#[derive(Debug, Clone, Copy)]
struct Owner<'a> {
    /// `link` or `flow`.
    entity: &'static str,
    name: &'a str,
    /// Its number among all links and flows.
    number: usize,
}

/// A link at the sample before.
#[derive(Debug, Clone, Copy, Default)]
struct LinkThen {
    drops: u64,
    marks: u64,
    packet_time: u128,
    carried: Carried,
}

/// A flow at the sample before.
#[derive(Debug, Clone, Copy, Default)]
struct FlowThen {
    counts: FlowCounts,
    retransmits: u64,
}

impl Recorder {
    /// Samples `simulation` at its present instant. Of disciplines it notes the variables that are
    /// their own, not those of each queue of a flow: with many flows these would be most of all
    /// values.
    pub fn sample<O: Observer>(&mut self, simulation: &Simulation<O>, meter: &Meter) {
        let now = simulation.now();
        let interval = now.since(self.last);
        self.links
            .resize(simulation.links().len(), LinkThen::default());
        self.flows.resize(meter.flows.len(), FlowThen::default());
        self.places
            .resize_with(self.links.len() + self.flows.len(), HashMap::new);
        self.cursor = 0;
        for (i, link) in simulation.links().iter().enumerate() {
            let then = self.links[i];
            let ledger = &link.ledger;
            let backlog = ledger.backlog();
            let new = LinkThen {
                drops: ledger.drops(),
                marks: ledger.marks_by_reason().iter().sum(),
                packet_time: ledger.packet_time(),
                carried: link.carried(now),
            };
            self.links[i] = new;
            let mean = (new.packet_time - then.packet_time) as f64 / interval.as_ps() as f64;
            let bits = (new.carried.bytes - then.carried.bytes) * 8.0;
            let owner = Owner {
                entity: "link",
                name: &link.spec.name,
                number: i,
            };
            let mut note = |metric: &str, value| self.note(owner, metric, now, value);
            note("queue_packets", backlog.packets as f64);
            note("queue_bytes", backlog.bytes as f64);
            note("queue_mean_packets", mean);
            note("throughput_bps", bits / interval.as_s());
            note("drops_packets", (new.drops - then.drops) as f64);
            note("marks_packets", (new.marks - then.marks) as f64);
            link.spec.discipline.probe(&mut |variable, value| {
                if let ProbeValue::Number(value) = value {
                    note(variable, value);
                }
            });
        }
        for (i, flow) in simulation.flows().iter().enumerate() {
            let (new, then) = (meter.flows[i].counts, self.flows[i].counts);
            self.flows[i].counts = new;
            let owner = Owner {
                entity: "flow",
                name: &flow.name,
                number: self.links.len() + i,
            };
            self.sample_flow(owner, now, interval, &new, &then);
            if flow.is_tcp() {
                self.sample_senders(owner, now, simulation, i);
            }
        }
        self.last = now;
    }

    fn sample_flow(
        &mut self,
        owner: Owner<'_>,
        now: Time,
        interval: Span,
        new: &FlowCounts,
        then: &FlowCounts,
    ) {
        let rate = |new: u64, then: u64| (new - then) as f64 * 8.0 / interval.as_s();
        let received = (new.received - then.received) as f64;
        let delay_s = (new.delay - then.delay) as f64 / 1e12 / received;
        let throughput = rate(new.received_bytes, then.received_bytes);
        self.note(owner, "throughput_bps", now, throughput);
        let goodput = rate(new.payload_bytes, then.payload_bytes);
        self.note(owner, "goodput_bps", now, goodput);
        self.note(owner, "delay_mean_s", now, delay_s);
        let marks = (new.marked - then.marked) as f64;
        self.note(owner, "marks_packets", now, marks);
    }

    /// Windows and round-trip time of a flow over TCP: summed windows and the first sender's other
    /// variables, which says it all for a flow of one connection.
    fn sample_senders<O: Observer>(
        &mut self,
        owner: Owner<'_>,
        now: Time,
        simulation: &Simulation<O>,
        flow: usize,
    ) {
        let senders = || simulation.senders(flow);
        let packets = |bytes: u64, sender: &Sender| bytes as f64 / f64::from(sender.config().mss);
        let cwnd: f64 = senders()
            .map(|sender| packets(sender.reported_window(), sender))
            .sum();
        let in_flight: f64 = senders()
            .map(|sender| packets(sender.in_flight(), sender))
            .sum();
        // The sum of none is -0, which tables would show.
        self.note(owner, "cwnd_packets", now, cwnd + 0.0);
        self.note(owner, "in_flight_packets", now, in_flight + 0.0);
        let new = simulation.tally(flow).unwrap_or_default().retransmits;
        let then = core::mem::replace(&mut self.flows[flow].retransmits, new);
        self.note(owner, "retransmits", now, (new - then) as f64);
        let first = senders().next();
        let ssthresh = first.map(|sender| (sender.ssthresh(), sender));
        let ssthresh = ssthresh
            .filter(|&(bytes, _)| bytes < u64::MAX)
            .map_or(f64::NAN, |(bytes, sender)| packets(bytes, sender));
        self.note(owner, "ssthresh_packets", now, ssthresh);
        let srtt = first.and_then(Sender::srtt);
        let srtt_s = srtt.map_or(f64::NAN, |(srtt, _)| srtt.as_s());
        self.note(owner, "srtt_s", now, srtt_s);
        if let Some(sender) = first {
            sender.controller().probe(&mut |variable, value| {
                self.note(owner, variable, now, value);
            });
        }
    }

    /// Appends a value to its series. Every instant shows the same metrics in the same order, but
    /// for those that a discipline shows later than others; they are found by name.
    fn note(&mut self, owner: Owner<'_>, metric: &str, now: Time, value: f64) {
        let Owner {
            entity,
            name,
            number,
        } = owner;
        let is_it = |one: &Owned| one.owner == number && one.series.metric == metric;
        if !self.series.get(self.cursor).is_some_and(is_it) {
            let places = &mut self.places[number];
            self.cursor = places.get(metric).copied().unwrap_or_else(|| {
                places.insert(metric.to_owned(), self.series.len());
                self.series.push(Owned {
                    owner: number,
                    series: Series {
                        entity,
                        name: name.to_owned(),
                        metric: metric.to_owned(),
                        times_s: Vec::new(),
                        values: Vec::new(),
                    },
                });
                self.series.len() - 1
            });
        }
        let series = &mut self.series[self.cursor].series;
        series.times_s.push(now.as_s());
        series.values.push(value);
        self.values += 1;
        self.cursor += 1;
    }

    /// How many values all samples have noted.
    pub fn values(&self) -> u64 {
        self.values
    }

    /// The values of the last sample; none before the first.
    pub fn latest(&self) -> impl Iterator<Item = Sample<'_>> {
        let now = self.last.as_s();
        self.series.iter().filter_map(move |Owned { series, .. }| {
            let value = *series.values.last()?;
            (*series.times_s.last()? == now).then_some(Sample {
                entity: series.entity,
                name: &series.name,
                metric: &series.metric,
                value,
            })
        })
    }

    /// The series taken so far.
    pub fn finish(self) -> Vec<Series> {
        self.series.into_iter().map(|one| one.series).collect()
    }
}
