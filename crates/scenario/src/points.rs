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
use crate::error::{Located, Place};
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

/// What is wrong, and at which point; none where it is no matter of points.
#[derive(Debug)]
pub(crate) struct Wrong {
    pub(crate) point: Option<usize>,
    pub(crate) what: Located,
}

/// So many links and flows have the plans together that are kept, at most, but for that of the
/// first point. A plan takes many times what tells its point from the others: to fill memory with
/// those of a large sweep takes longer than to make each again when it is run.
const MOST_PARTS: usize = 1 << 14;

/// Fewer points are checked before a thread has begun.
const LEAST_STRETCH: usize = 64;

impl Points {
    /// Reads and checks so many points, as long as it `goes_on`, which this thread asks.
    ///
    /// # Errors
    /// The first thing that is wrong, at the first point where anything is.
    pub(crate) fn check(
        count: usize,
        goes_on: &dyn Fn() -> bool,
        read: impl Fn(usize) -> Result<Read, Located> + Sync,
    ) -> Result<Self, Wrong> {
        let stretches = match count / LEAST_STRETCH {
            0 | 1 => 1,
            most => thread::available_parallelism()
                .map_or(1, NonZero::get)
                .min(most),
        };
        let (read, wrong) = (&read, &AtomicUsize::new(usize::MAX));
        let parts = MOST_PARTS / stretches;
        let bound = |number: usize| count * number / stretches;
        // Where this thread is told to end, the others find a point before theirs wrong.
        let ask = |number: usize| !number.is_multiple_of(LEAST_STRETCH) || goes_on();
        let mut points = Self::default();
        thread::scope(|scope| {
            // This thread takes the first itself.
            let others: Vec<_> = (1..stretches)
                .map(|number| bound(number)..bound(number + 1))
                .map(|numbers| {
                    scope.spawn(move || Self::check_stretch(numbers, parts, |_| true, read, wrong))
                })
                .collect();
            let first = Self::check_stretch(0..bound(1), parts, ask, read, wrong);
            points.append(first?);
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
        goes_on: impl Fn(usize) -> bool,
        read: impl Fn(usize) -> Result<Read, Located>,
        wrong: &AtomicUsize,
    ) -> Result<Self, Wrong> {
        let mut points = Self::default();
        let mut seen = 0;
        for number in numbers.take_while(|&number| number < wrong.load(Ordering::Relaxed)) {
            let (point, checked) = if goes_on(number) {
                let checked = read(number).and_then(|read| Ok((read.2.check()?, read)));
                (Some(number), checked)
            } else {
                (None, Err(Located::new(Place::File, "", "interrupted")))
            };
            let (warnings, (vary, top, plan)) = checked.map_err(|what| {
                wrong.fetch_min(number, Ordering::Relaxed);
                Wrong { point, what }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_go_on_reads_no_more_points() {
        let read = AtomicUsize::new(0);
        let checked = Points::check(100, &|| false, |_| {
            read.fetch_add(1, Ordering::Relaxed);
            Err(Located::new(Place::File, "", "wrong"))
        });
        let Wrong { point, what } = checked.expect_err("it was told to end");
        assert_eq!(point, None);
        assert_eq!(what.in_file("s.toml").to_string(), "s.toml: interrupted");
        assert_eq!(read.into_inner(), 0);
    }
}
