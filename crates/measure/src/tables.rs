//! The metrics of one run as tidy columns. Undefined values are NaN here and null in the frames.

use std::borrow::Cow;

use sojourn_base::{Span, Time};
use sojourn_engine::{Ledger, Link, Observer, Simulation, Tally};
use sojourn_queue::Reason;

use crate::delays::Delays;
use crate::meter::{FlowMeter, LinkBefore, LinkMeter, Meter};
use crate::sketch::Sketch;

/// Rows of one kind: the names of the entities and a column of values for each metric.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Table {
    /// The entity of each row.
    pub names: Vec<String>,
    /// Metrics in the order of declaration, one value for each row. Those of a run have names of
    /// the program's, those of one that was read again have their own.
    pub columns: Vec<(Cow<'static, str>, Vec<f64>)>,
}

impl Table {
    /// An empty table with room for so many rows.
    fn with_room(rows: usize) -> Self {
        Self {
            names: Vec::with_capacity(rows),
            columns: Vec::new(),
        }
    }

    fn push(&mut self, name: &str, values: &[(&'static str, f64)]) {
        if self.columns.is_empty() {
            self.columns = values
                .iter()
                .map(|&(metric, _)| (metric.into(), Vec::with_capacity(self.names.capacity())))
                .collect();
        }
        self.names.push(name.to_owned());
        for ((_, column), (_, value)) in self.columns.iter_mut().zip(values) {
            column.push(*value);
        }
    }
}

/// How many packets a link dropped or marked for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DropRow {
    /// The link.
    pub link: String,
    /// `drop` or `mark`.
    pub kind: &'static str,
    /// Why.
    pub reason: Reason,
    /// Packets.
    pub packets: u64,
}

/// All tables of one run.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tables {
    /// One row a link.
    pub links: Table,
    /// One row a flow.
    pub flows: Table,
    /// One row for all flows of one name.
    pub groups: Table,
    /// One row for all flows together.
    pub total: Table,
    /// Drops and marks by reason, where there were any.
    pub drops: Vec<DropRow>,
    /// How the delays of links, groups and all flows are distributed.
    pub delays: Vec<Delays>,
}

/// A group of flows: its name and their indices.
pub type Group = (String, Vec<usize>);

/// Takes the tables of a run whose window ends now.
pub fn take<O: Observer>(simulation: &Simulation<O>, meter: &Meter, groups: &[Group]) -> Tables {
    let now = simulation.now();
    let window = now.since(meter.window.unwrap_or(Time::ZERO));
    let mut tables = Tables {
        links: Table::with_room(simulation.links().len()),
        flows: Table::with_room(simulation.flows().len()),
        ..Tables::default()
    };
    for (link, measured) in simulation.links().iter().zip(&meter.links) {
        let name = &link.spec.name;
        let waits = measured.waits(&link.ledger);
        let metrics = link_metrics(link, measured, &waits, now, window);
        tables.links.push(name, &metrics);
        tables.drops.extend(drop_rows(link, measured));
        tables.delays.extend(Delays::of("link", name, &waits));
    }
    let has_tcp = simulation.flows().iter().any(sojourn_engine::Flow::is_tcp);
    let sum = |members: &[usize]| {
        let tallies = members.iter().map(|&flow| simulation.tally(flow));
        let metered = members.iter().map(|&flow| &meter.flows[flow]);
        Sum::of(metered.zip(tallies))
    };
    let metrics = |sum: &Sum| {
        let mut metrics = flow_metrics(sum, window).to_vec();
        if has_tcp {
            metrics.extend(tcp_metrics(sum, window));
        }
        metrics
    };
    for (i, flow) in simulation.flows().iter().enumerate() {
        tables.flows.push(&flow.name, &metrics(&sum(&[i])));
    }
    let push_several = |table: &mut Table, name: &str, sum: &Sum| {
        let mut metrics = metrics(sum);
        metrics.push(("jain_index", sum.jain_index()));
        table.push(name, &metrics);
    };
    for (name, members) in groups {
        let sum = sum(members);
        push_several(&mut tables.groups, name, &sum);
        tables.delays.extend(Delays::of("group", name, &sum.delays));
    }
    let all: Vec<_> = (0..meter.flows.len()).collect();
    let sum = sum(&all);
    push_several(&mut tables.total, "total", &sum);
    tables.delays.extend(Delays::of("total", "", &sum.delays));
    tables
}

/// Adds the metrics of one link, since the window was opened, to `table`.
pub fn add_link(
    table: &mut Table,
    name: &str,
    link: &Link,
    meter: &LinkMeter,
    now: Time,
    window: Span,
) {
    let waits = meter.waits(&link.ledger);
    table.push(name, &link_metrics(link, meter, &waits, now, window));
}

/// Adds the metrics of one flow that is none of TCP's, since the window was opened, to `table`.
pub fn add_flow(table: &mut Table, name: &str, meter: &FlowMeter, window: Span) {
    let sum = Sum::of(core::iter::once((meter, None)));
    table.push(name, &flow_metrics(&sum, window));
}

/// The percentiles of delays that tables have.
const PERCENTILES: [f64; 3] = [0.50, 0.95, 0.99];

/// `a / b`, undefined where there is nothing to divide by.
fn ratio(a: f64, b: f64) -> f64 {
    if b > 0.0 { a / b } else { f64::NAN }
}

fn link_metrics(
    link: &Link,
    measured: &LinkMeter,
    waits: &Sketch,
    now: Time,
    window: Span,
) -> Vec<(&'static str, f64)> {
    let (ledger, before) = (&link.ledger, measured.before.as_deref());
    let before = before.cloned().unwrap_or_default();
    let since = |now: &[u64], then: &[u64]| -> u64 {
        now.iter().zip(then).map(|(now, then)| now - then).sum()
    };
    let arrivals = (ledger.arrivals().packets - before.arrivals) as f64;
    let drops = since(&ledger.drops_by_reason(), &before.drops) as f64;
    let marks = since(&ledger.marks_by_reason(), &before.marks) as f64;
    let carried = link.carried(now);
    let throughput = [
        (
            "utilization",
            ratio(
                (carried.busy - before.carried.busy) as f64,
                window.as_ps() as f64,
            ),
        ),
        (
            "throughput_bps",
            ratio((carried.bytes - before.carried.bytes) * 8.0, window.as_s()),
        ),
        ("arrivals_packets", arrivals),
        ("drops_packets", drops),
        ("marks_packets", marks),
        ("loss_ratio", ratio(drops, arrivals)),
    ];
    let losses = loss_metrics(measured);
    let queue = queue_metrics(ledger, &before, waits, window);
    [&throughput[..], &losses, &queue].concat()
}

/// When the losses of a link come, and to how many flows at once.
fn loss_metrics(measured: &LinkMeter) -> [(&'static str, f64); 6] {
    let mut losses = measured.losses.as_deref().cloned().unwrap_or_default();
    let [gap_p50, gap_p95, _] = losses.gaps.quantiles_s(&PERCENTILES);
    // Where nothing takes time to answer, nothing tells events apart.
    let has_rtt = measured.crossing.base_rtt > Span::ZERO;
    losses.events.close(measured.crossing.base_rtt);
    let events = &losses.events;
    let count = if has_rtt {
        events.count as f64
    } else {
        f64::NAN
    };
    [
        (
            "loss_gap_mean_s",
            ratio(losses.gap_sum().as_s(), losses.gaps.count() as f64),
        ),
        ("loss_gap_p50_s", gap_p50),
        ("loss_gap_p95_s", gap_p95),
        ("loss_events", count),
        (
            "loss_event_mean_packets",
            ratio(events.packets as f64, count),
        ),
        (
            "loss_synchronization_ratio",
            ratio(
                events.flows as f64,
                count * f64::from(measured.crossing.flows),
            ),
        ),
    ]
}

/// How long the queue of a link was, and how long packets waited in it.
fn queue_metrics(
    ledger: &Ledger,
    before: &LinkBefore,
    waits: &Sketch,
    window: Span,
) -> [(&'static str, f64); 8] {
    let window_ps = window.as_ps() as f64;
    let departures = waits.count();
    let [p50, p95, p99] = waits.quantiles_s(&PERCENTILES);
    [
        (
            "queue_mean_packets",
            ratio(
                (ledger.packet_time() - before.packet_time) as f64,
                window_ps,
            ),
        ),
        (
            "queue_mean_bytes",
            ratio((ledger.byte_time - before.byte_time) as f64, window_ps),
        ),
        ("queue_max_packets", ledger.peak_packets as f64),
        (
            "queueing_delay_mean_s",
            mean_s(ledger.waited() - before.waited, departures),
        ),
        ("queueing_delay_p50_s", p50),
        ("queueing_delay_p95_s", p95),
        ("queueing_delay_p99_s", p99),
        ("departures_packets", departures as f64),
    ]
}

fn drop_rows(link: &Link, measured: &LinkMeter) -> Vec<DropRow> {
    let (ledger, before) = (&link.ledger, measured.before.as_deref());
    let before = before.cloned().unwrap_or_default();
    let kinds = [
        ("drop", ledger.drops_by_reason(), before.drops),
        ("mark", ledger.marks_by_reason(), before.marks),
    ];
    let mut rows = Vec::new();
    for (kind, now, then) in kinds {
        for reason in Reason::ALL {
            let packets = now[reason as usize] - then[reason as usize];
            if packets > 0 {
                rows.push(DropRow {
                    link: link.spec.name.clone(),
                    kind,
                    reason,
                    packets,
                });
            }
        }
    }
    rows
}

/// The measurements of several flows together.
#[derive(Default)]
struct Sum {
    sent: u64,
    received: u64,
    received_bytes: u64,
    payload_bytes: u64,
    delay: u128,
    kept: u64,
    lost: u64,
    /// Gaps between the losses of a flow: how many, and their sum in picoseconds.
    gaps: u64,
    between_losses: u128,
    delays: Sketch,
    jitter: f64,
    jitter_terms: u64,
    marked: u64,
    goodputs: Vec<f64>,
    completions: Sketch,
    took: u128,
    slowdown: f64,
    slowdowns: u64,
    /// What connections did in the window; none where no flow has any.
    tally: Option<Tally>,
}

impl Sum {
    fn of<'a>(flows: impl Iterator<Item = (&'a FlowMeter, Option<Tally>)>) -> Self {
        let mut sum = Self::default();
        for (flow, tally) in flows {
            let before = flow.before();
            let (now, then) = (&flow.counts, &before.counts);
            sum.sent += now.sent - then.sent;
            sum.received += now.received - then.received;
            sum.received_bytes += now.received_bytes - then.received_bytes;
            sum.payload_bytes += now.payload_bytes - then.payload_bytes;
            sum.marked += now.marked - then.marked;
            sum.delay += now.delay - then.delay;
            sum.kept += flow.kept;
            if let Some(losses) = &flow.losses {
                let (gaps, of) = losses.gaps();
                sum.lost += losses.packets;
                sum.gaps += gaps;
                sum.between_losses += u128::from(of.as_ps());
            }
            sum.delays.merge(&flow.delays);
            sum.jitter += flow.jitter_sum;
            sum.jitter_terms += flow.jitter_terms();
            sum.goodputs
                .push((now.payload_bytes - then.payload_bytes) as f64);
            if let Some(completions) = &flow.completions {
                sum.completions.merge(&completions.took);
                sum.took += completions.took_sum;
                sum.slowdown += completions.slowdown_sum;
                sum.slowdowns += completions.slowdowns;
            }
            if let Some(tally) = tally {
                let during = tally.since(&before.tally);
                sum.tally = Some(sum.tally.unwrap_or_default().plus(&during));
            }
        }
        sum
    }

    /// Jain, Chiu, Hawe 1984, over the flows' goodputs.
    fn jain_index(&self) -> f64 {
        let sum: f64 = self.goodputs.iter().sum();
        let squares: f64 = self.goodputs.iter().map(|x| x * x).sum();
        ratio(sum * sum, self.goodputs.len() as f64 * squares)
    }
}

fn mean_s(sum_ps: u128, count: u64) -> f64 {
    ratio(sum_ps as f64 / 1e12, count as f64)
}

fn flow_metrics(sum: &Sum, window: Span) -> [(&'static str, f64); 15] {
    let known = (sum.kept + sum.lost) as f64;
    let [p50, p95, p99] = sum.delays.quantiles_s(&PERCENTILES);
    [
        ("sent_packets", sum.sent as f64),
        ("received_packets", sum.received as f64),
        (
            "throughput_bps",
            ratio(8.0 * sum.received_bytes as f64, window.as_s()),
        ),
        (
            "goodput_bps",
            ratio(8.0 * sum.payload_bytes as f64, window.as_s()),
        ),
        ("resolved_packets", known),
        ("loss_ratio", ratio(sum.lost as f64, known)),
        ("delivery_ratio", ratio(sum.kept as f64, known)),
        ("loss_gap_mean_s", mean_s(sum.between_losses, sum.gaps)),
        ("marks_packets", sum.marked as f64),
        ("mark_ratio", ratio(sum.marked as f64, sum.received as f64)),
        ("delay_mean_s", mean_s(sum.delay, sum.received)),
        ("delay_p50_s", p50),
        ("delay_p95_s", p95),
        ("delay_p99_s", p99),
        (
            "jitter_s",
            ratio(sum.jitter / 1e12, sum.jitter_terms as f64),
        ),
    ]
}

/// Metrics of flows over TCP; undefined for others.
fn tcp_metrics(sum: &Sum, window: Span) -> [(&'static str, f64); 12] {
    let tally = |value: fn(&Tally) -> f64| sum.tally.as_ref().map_or(f64::NAN, value);
    let completed = sum.completions.count();
    let [p50, p95, p99] = sum.completions.quantiles_s(&PERCENTILES);
    [
        ("retransmits", tally(|tally| tally.retransmits as f64)),
        ("timeouts", tally(|tally| tally.timeouts as f64)),
        (
            "cwnd_mean_packets",
            tally(|tally| ratio(tally.cwnd_time, tally.open_time as f64)),
        ),
        (
            "rtt_mean_s",
            tally(|tally| mean_s(tally.rtt_sum, tally.rtt_samples)),
        ),
        ("transfers", tally(|_| 0.0) + completed as f64),
        ("fct_s", mean_s(sum.took, completed)),
        ("fct_p50_s", p50),
        ("fct_p95_s", p95),
        ("fct_p99_s", p99),
        ("slowdown_mean", ratio(sum.slowdown, sum.slowdowns as f64)),
        ("ecn_reductions", tally(|tally| tally.ecn_reductions as f64)),
        (
            "acknowledged_bps",
            ratio(
                tally(|tally| 8.0 * tally.acknowledged as f64),
                window.as_s(),
            ),
        ),
    ]
}
