//! Each finite transfer of a run, for what percentiles over all of them do not tell: how the time
//! depends on the size.

use sojourn_base::Time;
use sojourn_engine::{Begun, FlowId, Observer, Simulation, Transfer};

/// A transfer that was complete in the window, or under way when it ended.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TransferRow {
    /// The number of its flow.
    pub flow: FlowId,
    /// When it began, in seconds.
    pub began_s: f64,
    /// Its size in bytes; NaN where that was not known yet.
    pub size_bytes: f64,
    /// Its completion time in seconds; NaN if it was under way.
    pub fct_s: f64,
    /// The completion time over the least that its packets take on the empty path; NaN where either
    /// is not known.
    pub slowdown: f64,
}

/// A number of a row.
type Number = fn(&TransferRow) -> f64;

impl TransferRow {
    /// Its numbers by the names that tables have for them.
    pub const NUMBERS: [(&'static str, Number); 4] = [
        ("began_s", |row| row.began_s),
        ("size_bytes", |row| row.size_bytes),
        ("fct_s", |row| row.fct_s),
        ("slowdown", |row| row.slowdown),
    ];

    /// The row of a transfer that is complete.
    pub(crate) fn complete(now: Time, flow: FlowId, transfer: &Transfer) -> Self {
        let took = now.since(transfer.began);
        let over = |least| took.as_ps() as f64 / least as f64;
        Self {
            flow,
            began_s: transfer.began.as_s(),
            size_bytes: transfer.bytes as f64,
            fct_s: took.as_s(),
            slowdown: transfer.least.map_or(f64::NAN, |least| over(least.as_ps())),
        }
    }

    /// The row of one that is under way.
    fn under_way(flow: FlowId, begun: Begun) -> Self {
        Self {
            flow,
            began_s: begun.began.as_s(),
            size_bytes: begun.bytes.map_or(f64::NAN, |bytes| bytes as f64),
            fct_s: f64::NAN,
            slowdown: f64::NAN,
        }
    }
}

/// Notes the transfers of a run.
#[derive(Debug)]
pub struct TransferLog {
    rows: Vec<TransferRow>,
    most: usize,
}

impl TransferLog {
    /// A log of at most so many.
    pub fn new(most: usize) -> Self {
        let rows = Vec::new();
        Self { rows, most }
    }

    /// Notes one; of too many no more than shows it.
    pub(crate) fn note(&mut self, row: TransferRow) {
        if self.rows.len() <= self.most {
            self.rows.push(row);
        }
    }

    /// The transfers of a run that ends now, in the order in which they began; none where there are
    /// too many.
    pub fn finish<O: Observer>(mut self, simulation: &Simulation<O>) -> Option<Vec<TransferRow>> {
        for (flow, of) in simulation.flows().iter().enumerate() {
            of.under_way(&mut |begun| self.note(TransferRow::under_way(flow as FlowId, begun)));
        }
        let mut rows = self.rows;
        rows.sort_by(|a, b| a.began_s.total_cmp(&b.began_s).then(a.flow.cmp(&b.flow)));
        (rows.len() <= self.most).then_some(rows)
    }
}
