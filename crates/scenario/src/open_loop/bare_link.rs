//! A bare queue, in front of a link of its own.

use std::sync::atomic::{AtomicBool, Ordering};

use sojourn_base::time::LONGEST_S;
use sojourn_base::{Bytes, LinkInfo, Span, Stream, Time};
use sojourn_engine::{LinkId, LinkSpec, Observer, OpenLoop, SimPacket};
use sojourn_measure::Meter;
use sojourn_measure::tables::{self, Table};
use sojourn_queue::contract::Warning;
use sojourn_queue::{AnyDiscipline, Discipline, Reason};

use super::OpenLoopError;
use super::samples::{Samples, Total};

/// Packets of each flow that were dropped and marked, by reason.
#[derive(Debug, Default)]
struct Decisions(Vec<[[u64; Reason::ALL.len()]; 2]>);

impl Observer for Decisions {
    fn dropped(&mut self, _: Time, _: LinkId, packet: &SimPacket, reason: Reason) {
        self.0[packet.flow() as usize][0][reason as usize] += 1;
    }
    fn marked(&mut self, _: Time, _: LinkId, packet: &SimPacket, reason: Reason) {
        self.0[packet.flow() as usize][1][reason as usize] += 1;
    }
}

/// Packets of a flow that were dropped or marked for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drop {
    /// The flow.
    pub flow: String,
    /// `drop` or `mark`.
    pub kind: &'static str,
    /// Why.
    pub reason: Reason,
    /// Packets.
    pub packets: u64,
}

/// What one queue made of the arrivals.
#[derive(Debug)]
pub struct Through {
    /// The queue as it was asked for.
    pub label: String,
    /// When its last packet was gone.
    pub end: Time,
    /// The metrics of the link: one row.
    pub link: Table,
    /// The metrics of the flows.
    pub flows: Table,
    /// Drops and marks of flows by reason, where there were any.
    pub drops: Vec<Drop>,
    /// Instants of the series, in seconds: the end of each interval.
    pub times_s: Vec<f64>,
    /// The series by name, each with a value for each instant; NaN where undefined.
    pub series: Vec<(&'static str, Vec<f64>)>,
    /// What to know before trusting all this.
    pub warnings: Vec<String>,
}

/// A queue, its link, the books of both, and who else looks on.
pub(crate) struct BareLink<X = ()> {
    pub(crate) label: String,
    open: OpenLoop<((Meter, Decisions), X)>,
    samples: Samples,
    is_live: bool,
}

/// What it is made of besides its queue.
pub(crate) struct Wire {
    pub(crate) info: LinkInfo,
    pub(crate) overhead: Bytes,
    /// What the discipline draws from.
    pub(crate) random: Stream,
    /// Interval of the series.
    pub(crate) series: Option<Span>,
    /// Whether what came cannot be had again: then nothing may end it early.
    pub(crate) is_live: bool,
}

impl<X: Observer> BareLink<X> {
    pub(crate) fn new(
        label: String,
        discipline: AnyDiscipline<SimPacket>,
        wire: Wire,
        also: X,
    ) -> Self {
        let Wire { info, .. } = wire;
        let link = LinkSpec {
            name: label.clone(),
            from: 0,
            to: 1,
            rate: info.rate,
            changes: None,
            losses: None,
            jitter: None,
            reorders: false,
            delay: info.delay,
            overhead: wire.overhead,
            device_queue: 0,
            discipline,
            random: wire.random,
        };
        let mut meter = Meter::new(0, 1);
        meter.window = Some(Time::ZERO);
        Self {
            label,
            open: OpenLoop::new(link, ((meter, Decisions::default()), also)),
            samples: Samples::new(wire.series, wire.is_live),
            is_live: wire.is_live,
        }
    }

    /// Settings that are allowed but a known mistake, of a queue that was asked for at `place`.
    pub(crate) fn warnings(&self, place: &str) -> Vec<String> {
        let warnings = self.open.link().spec.discipline.warnings();
        let in_words = |warning: &Warning| format!("{place}: {}: {}", warning.param, warning.what);
        warnings.iter().map(in_words).collect()
    }

    /// A packet arrives, of one of so many `flows`.
    pub(crate) fn arrive(
        &mut self,
        now: Time,
        packet: &SimPacket,
        flows: usize,
    ) -> Result<(), OpenLoopError> {
        self.sample_until(now)?;
        let ((meter, decisions), _) = &mut self.open.observer;
        if meter.flows.len() < flows {
            meter.flows.resize_with(flows, Default::default);
            decisions.0.resize_with(flows, Default::default);
        }
        Ok(self.open.arrive(now, packet)?)
    }

    /// Lets everything happen that is due by `now`.
    pub(crate) fn advance(&mut self, now: Time) -> Result<(), OpenLoopError> {
        self.sample_until(now)?;
        Ok(self.open.run_to(now)?)
    }

    /// When something happens next though nothing arrives; none once the link is empty.
    pub(crate) fn next_event(&self) -> Option<Time> {
        self.open.next_event()
    }

    /// Who else looks on.
    pub(crate) fn also(&mut self) -> &mut X {
        &mut self.open.observer.1
    }

    /// Takes the samples that are due by `now`.
    fn sample_until(&mut self, now: Time) -> Result<(), OpenLoopError> {
        while self.samples.next() <= now {
            self.sample()?;
        }
        Ok(())
    }

    /// Ends the interval in progress.
    fn sample(&mut self) -> Result<(), OpenLoopError> {
        self.open.run_until(self.samples.next())?;
        let total = self.total();
        self.samples.take(total).map_err(OpenLoopError::Input)
    }

    fn total(&self) -> Total {
        let ledger = &self.open.link().ledger;
        Total {
            arrivals: ledger.arrivals().packets,
            departures: ledger.departures().packets,
            departed_bytes: ledger.departures().bytes,
            drops: ledger.drops(),
            marks: ledger.marks_by_reason().iter().sum(),
            packet_time: ledger.packet_time(),
            byte_time: ledger.byte_time,
            waited: ledger.waited(),
        }
    }

    /// Runs until the link is empty after `last_arrival`, and closes the books. Where the clock
    /// ends before, what is live ends with the last that happened.
    pub(crate) fn finish(
        mut self,
        last_arrival: Time,
        names: &[String],
        cancel: &AtomicBool,
    ) -> Result<Through, OpenLoopError> {
        self.advance(last_arrival)?;
        while let Some(next) = self.open.next_event() {
            self.sample_until(next)?;
            self.open.run_to(next)?;
            if cancel.load(Ordering::Relaxed) {
                return Err(OpenLoopError::Cancelled);
            }
        }
        let mut warnings = Vec::new();
        if self.open.outlives_the_clock() {
            let rate = self.open.link().spec.rate;
            let what = format!(
                "--rate: found {rate}, at which packets are on their way when the clock ends, after \
                 {LONGEST_S} s"
            );
            if !self.is_live {
                let what = format!("{what}; allowed: one at which all are there by then");
                return Err(OpenLoopError::Input(what));
            }
            warnings.push(format!("{what}: they count as neither lost nor arrived"));
        }
        let end = self.open.now();
        let window = end.since(Time::ZERO);
        let ((meter, decisions), _) = &self.open.observer;
        let mut link = Table::default();
        tables::add_link(
            &mut link,
            &self.label,
            self.open.link(),
            &meter.links[0],
            end,
            window,
        );
        // Nobody answers what is played back.
        link.columns.retain(|(metric, _)| {
            !metric.starts_with("loss_event") && !metric.starts_with("loss_sync")
        });
        let mut flows = Table::default();
        for (name, flow) in names.iter().zip(&meter.flows) {
            tables::add_flow(&mut flows, name, flow, window);
        }
        // What of a captured packet is new payload is not known here.
        flows.columns.retain(|(metric, _)| *metric != "goodput_bps");
        let drops = drops(names, decisions);
        if end > Time::ZERO {
            self.sample()?;
        }
        warnings.extend(self.samples.warning());
        let (times_s, series) = self.samples.finish();
        self.open.finish()?;
        Ok(Through {
            label: self.label,
            end,
            link,
            flows,
            drops,
            times_s,
            series,
            warnings,
        })
    }
}

fn drops(names: &[String], decisions: &Decisions) -> Vec<Drop> {
    let mut rows = Vec::new();
    for (flow, kinds) in names.iter().zip(&decisions.0) {
        for (kind, counts) in ["drop", "mark"].into_iter().zip(kinds) {
            for (reason, &packets) in Reason::ALL.into_iter().zip(counts) {
                if packets > 0 {
                    rows.push(Drop {
                        flow: flow.clone(),
                        kind,
                        reason,
                        packets,
                    });
                }
            }
        }
    }
    rows
}
