//! Delays of links: their own, or the share of a round trip that a flow asks for.

use sojourn_base::time::LONGEST_S;
use sojourn_base::{Distribution, Span};

use crate::build::Draws;
use crate::error::{Located, Place};
use crate::reader::{Reader, read_node};
use crate::tree::Value;

/// The delay of a link.
#[derive(Debug, Clone)]
pub(crate) struct DelayPlan {
    /// What is drawn once a replica: the delay, or the round trip of a flow.
    pub(crate) drawn: Distribution<Span>,
    pub(crate) place: Place,
    owner: Owner,
}

/// Whose draw it is: all links that have it from one owner have the same.
#[derive(Debug, Clone)]
enum Owner {
    /// A link, and that of the other direction.
    Link(String),
    /// A flow, whose access links have equal shares of what the bottleneck leaves of its round
    /// trip.
    Flow {
        name: String,
        group: String,
        bottleneck: Span,
    },
}

/// Links at the sender and at the receiver, there and back.
const SHARES: u64 = 4;

impl DelayPlan {
    /// The delay of a link, and of the one in the other direction.
    pub(super) fn of_link(link: &str, drawn: Distribution<Span>, place: Place) -> Self {
        let owner = Owner::Link(link.to_owned());
        Self {
            drawn,
            place,
            owner,
        }
    }

    /// The delay of each access link of a flow of this round trip, of which the `bottleneck` takes
    /// some, there and back.
    pub(super) fn of_flow(
        [name, group]: [&str; 2],
        round_trip: Distribution<Span>,
        bottleneck: Span,
        place: Place,
    ) -> Self {
        let owner = Owner::Flow {
            name: name.to_owned(),
            group: group.to_owned(),
            bottleneck,
        };
        Self {
            drawn: round_trip,
            place,
            owner,
        }
    }

    /// The dotted key that it stands under.
    pub(crate) fn key(&self) -> String {
        match &self.owner {
            Owner::Link(name) => format!("link.{name}.delay"),
            Owner::Flow { group, .. } => format!("flow.{group}.rtt"),
        }
    }

    /// The delay of a replica. `known` is the distribution, its file read.
    pub(crate) fn draw(&self, known: &Distribution<Span>, draws: Draws) -> Span {
        self.share(match &self.owner {
            Owner::Link(name) => known.draw(&mut draws.stream("delay", name)),
            Owner::Flow { name, .. } => known.draw(&mut draws.stream("rtt", name)),
        })
    }

    /// The delay at least.
    pub(crate) fn least(&self, known: &Distribution<Span>) -> Span {
        self.share(known.least())
    }

    /// The mean delay in seconds; not a number if it is in a file.
    pub(crate) fn mean_s(&self) -> f64 {
        let mean_s = self.drawn.mean() / 1e12;
        match self.owner {
            Owner::Link(_) => mean_s,
            Owner::Flow { bottleneck, .. } => (mean_s - 2.0 * bottleneck.as_s()) / SHARES as f64,
        }
    }

    /// What falls to the link of what is drawn.
    fn share(&self, drawn: Span) -> Span {
        match self.owner {
            Owner::Link(_) => drawn,
            Owner::Flow { bottleneck, .. } => {
                let left = drawn.as_ps().saturating_sub(2 * bottleneck.as_ps());
                Span::from_ps(left / SHARES)
            }
        }
    }

    /// Refuses round trips that leave less than nothing.
    pub(crate) fn check(&self, known: &Distribution<Span>) -> Result<(), Located> {
        let Owner::Flow { bottleneck, .. } = self.owner else {
            return Ok(());
        };
        let (least, taken) = (known.least(), bottleneck + bottleneck);
        if least >= taken {
            return Ok(());
        }
        let found = match known.as_constant() {
            Some(_) => format!("found {least}"),
            None => format!("found one that may be {least}"),
        };
        let message =
            format!("{found}; allowed: at least {taken}, the bottleneck's delay there and back");
        Err(Located::new(self.place, self.key(), message))
    }
}

/// A time for each of `count` links or flows, called by `times` and `owners`: one value for all, a
/// list, or `{ first, step }`; none if there is no such key.
pub(super) fn read_times(
    reader: &Reader<'_>,
    name: &str,
    count: usize,
    [times, owners]: [&str; 2],
) -> Result<Option<Vec<Distribution<Span>>>, Located> {
    let key = reader.key(name);
    let Some(node) = reader.node(name) else {
        return Ok(None);
    };
    let found = match &node.value {
        Value::List(items) if items.len() == count => {
            let found = items.iter().map(|item| read_node(item, &key));
            found.collect::<Result<_, _>>()?
        }
        Value::List(items) => {
            let message = format!(
                "found {} {times}; allowed: one for each of {count} {owners}",
                items.len()
            );
            return Err(Located::new(node.place, key, message));
        }
        Value::Table(_) => {
            let range = Reader::of(node, &key)?;
            range.only(&["first", "step"])?;
            let missing = |name| range.error(name, "found nothing; allowed: a time");
            let first: Span = range.value("first")?.ok_or_else(|| missing("first"))?;
            let step: Span = range.value("step")?.ok_or_else(|| missing("step"))?;
            let nth = |i: u64| {
                let steps = step.as_ps().checked_mul(i)?;
                first.as_ps().checked_add(steps).map(Span::from_ps)
            };
            let found = (0..count as u64).map(|i| nth(i).map(Distribution::constant));
            found.collect::<Option<_>>().ok_or_else(|| {
                let message = format!(
                    "found {step} for each of {count} {owners}; allowed: {times} of at most \
                     {LONGEST_S} s"
                );
                range.error("step", message)
            })?
        }
        _ => vec![read_node(node, &key)?; count],
    };
    Ok(Some(found))
}
