//! The points of a scenario, all checked before any is run.
//!
//! A point is checked by making its network, as if to run it. Of a large sweep that takes as long
//! as many of its runs: so every core checks a stretch of the points. What is found does not depend
//! on how many there are.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::build::Plan;
use crate::error::Located;
use crate::keys::Top;

/// One point: the values that vary, and what has been found out about its network.
#[derive(Debug, Clone)]
pub(crate) struct Point {
    pub(crate) vary: serde_json::Value,
    pub(crate) top: Top,
    /// The files that its distributions are read from.
    pub(crate) files: Vec<String>,
    /// The disciplines and controllers that are in no registry.
    pub(crate) outside: Vec<String>,
    pub(crate) warnings: Vec<Located>,
    /// The network to run, as long as there is [room](MOST_PARTS).
    pub(crate) plan: Option<Arc<Plan>>,
}

/// What is read of a point: the values that vary, its head and its network.
pub(crate) type Read = (serde_json::Value, Top, Plan);

/// Points in order, and the group of each flow that there is at any of them.
#[derive(Debug, Default)]
pub(crate) struct Points {
    pub(crate) all: Vec<Point>,
    pub(crate) groups: BTreeMap<String, String>,
}

/// So many links and flows have the plans together that are kept, at most, but for that of the
/// first point. A plan takes many times what tells its point from the others: to fill memory with
/// those of a large sweep takes longer than to make each again when it is run.
const MOST_PARTS: usize = 1 << 14;

/// Fewer points are checked before a thread has begun.
const LEAST_STRETCH: usize = 64;

impl Points {
    /// Reads and checks so many points.
    ///
    /// # Errors
    /// The first thing that is wrong, at the first point where anything is.
    pub(crate) fn check(
        count: usize,
        read: impl Fn(usize) -> Result<Read, Located> + Sync,
    ) -> Result<Self, Located> {
        let stretches = match count / LEAST_STRETCH {
            0 | 1 => 1,
            most => thread::available_parallelism()
                .map_or(1, NonZero::get)
                .min(most),
        };
        let (read, wrong) = (&read, &AtomicUsize::new(usize::MAX));
        let stretch = move |number: usize| {
            let bound = |number: usize| count * number / stretches;
            let points = bound(number)..bound(number + 1);
            Self::check_stretch(points, MOST_PARTS / stretches, read, wrong)
        };
        let mut points = Self::default();
        thread::scope(|scope| {
            // This thread takes the first itself.
            let others: Vec<_> = (1..stretches)
                .map(|number| scope.spawn(move || stretch(number)))
                .collect();
            points.append(stretch(0)?);
            for other in others {
                points.append(other.join().unwrap_or_else(|panic| resume_unwind(panic))?);
            }
            Ok(points)
        })
    }

    /// Those of a stretch, of which plans with so many `parts` are kept. It ends early where a
    /// point before is `wrong`.
    fn check_stretch(
        numbers: Range<usize>,
        parts: usize,
        read: impl Fn(usize) -> Result<Read, Located>,
        wrong: &AtomicUsize,
    ) -> Result<Self, Located> {
        let mut points = Self::default();
        let mut seen = 0;
        for number in numbers.take_while(|&number| number < wrong.load(Ordering::Relaxed)) {
            let checked = read(number).and_then(|read| Ok((read.2.check()?, read)));
            let (warnings, (vary, top, plan)) = checked.inspect_err(|_| {
                wrong.fetch_min(number, Ordering::Relaxed);
            })?;
            points.note_groups(plan.flow_names());
            seen += plan.parts();
            points.all.push(Point {
                vary,
                top,
                files: plan.files().map(String::from).collect(),
                outside: plan.outside_names().into_iter().map(String::from).collect(),
                warnings,
                plan: (number == 0 || seen <= parts).then(|| plan.into()),
            });
        }
        Ok(points)
    }

    fn append(&mut self, stretch: Self) {
        self.all.extend(stretch.all);
        let groups = stretch.groups.iter();
        self.note_groups(groups.map(|(flow, group)| (flow.as_str(), group.as_str())));
    }

    /// A flow is of the group that it has where it comes first.
    fn note_groups<'a>(&mut self, flows: impl Iterator<Item = (&'a str, &'a str)>) {
        for (flow, group) in flows {
            if !self.groups.contains_key(flow) {
                self.groups.insert(flow.to_owned(), group.to_owned());
            }
        }
    }
}
