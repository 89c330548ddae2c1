//! `[design]`: points that are drawn, where a grid would be too large.
//!
//! Latin-hypercube sampling: M. D. McKay, R. J. Beckman, W. J. Conover, "A comparison of three
//! methods for selecting values of input variables in the analysis of output from a computer
//! code", Technometrics 21 (1979) 239-245. Each range is cut into as many equal parts as there are
//! points, and every part is met once.
//!
//! Each key has a stream of its own, named by the key and the file's seed: a further key, or
//! another order of the keys, does not move what is drawn for the others.

use sojourn_base::{Preset, Stream};

use crate::error::{Located, Place};
use crate::keys::{self, Design, Kind};
use crate::reader::Reader;
use crate::tree::{Node, Table};
use crate::vary::range::ends;

/// How points are made where they are not all combinations.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Draw {
    place: Place,
    kind: Kind,
    points: u32,
    seed: u64,
}

/// Sanity limit: as of all points, the network of each is made before any is run.
const MOST_POINTS: u32 = 100_000;

/// What lies at a share, from 0 to 1, of the range between two ends.
pub fn range_value([low, high]: [f64; 2], share: f64, is_log: bool, is_whole: bool) -> f64 {
    // Whole numbers: each has the same share of the range.
    let end = if is_whole { high + 1.0 } else { high };
    let value = if is_log {
        low * libm::exp(share * libm::log(end / low))
    } else {
        low + share * (end - low)
    };
    let value = if is_whole { value.floor() } else { value };
    value.clamp(low, high)
}

impl Draw {
    /// Reads the table; none where all combinations are wanted.
    pub(crate) fn read(design: Option<&Node>, seed: u64) -> Result<Option<Self>, Located> {
        let Some(node) = design else {
            return Ok(None);
        };
        let reader = Reader::of(node, "design")?;
        reader.only(&keys::keys_of::<Design>(&[]))?;
        let Design { kind, points } = reader.read(Preset::Reference)?;
        let points = match (kind, points.0) {
            (Kind::Grid, None) => return Ok(None),
            (Kind::Listed, None) => 0,
            (Kind::Grid | Kind::Listed, Some(_)) => {
                let message = "the listed values say how many points there are; allowed: no points";
                return Err(reader.error("points", message));
            }
            (_, Some(points)) if points <= MOST_POINTS => points,
            (_, found) => {
                let found = found.map_or("nothing".to_owned(), |points| points.to_string());
                let message = format!("found {found}; allowed: 1 to {MOST_POINTS}");
                return Err(reader.error("points", message));
            }
        };
        Ok(Some(Self {
            place: node.place,
            kind,
            points,
            seed,
        }))
    }

    /// Whether lists turn together.
    pub(crate) fn is_listed(&self) -> bool {
        self.kind == Kind::Listed
    }

    /// The design asks for points, but no range is open to it.
    pub(crate) fn nothing_to_draw(&self) -> Located {
        let message = if self.is_listed() {
            "there is nothing to list: [vary] has no list"
        } else {
            "there is nothing to draw: [vary] has no range { from = ..., to = ... } without a step"
        };
        Located::new(self.place, "design", message)
    }

    /// What one key of `[vary]` is at each point.
    pub(crate) fn values(
        &self,
        key: &str,
        place: Place,
        range: &Table,
    ) -> Result<Vec<Node>, Located> {
        let error = |message: &str| Err(Located::new(place, format!("vary.\"{key}\""), message));
        let [from, to] = ends(key, place, range, ["from", "to"], &["scale"])?;
        if from.unit != to.unit {
            return error("found two units; allowed: one unit for from and to");
        }
        let is_log = match range.get("scale").map(|_| range.text("scale")) {
            None | Some(Some("linear")) => false,
            Some(Some("log")) => true,
            Some(_) => return error("scale: allowed: \"linear\" or \"log\""),
        };
        let (low, high) = (from.as_f64(), to.as_f64());
        if low > high || (is_log && low <= 0.0) {
            let scale = if is_log { " on a log scale" } else { "" };
            return error(&format!(
                "found from {from} to {to}{scale}; allowed: `to` not below `from`, and on a log \
                 scale both above zero"
            ));
        }
        let is_whole = from.is_whole() && to.is_whole();
        let digits = |value: f64| {
            if is_whole {
                format!("{value:.0}")
            } else {
                format!("{value:.5e}")
            }
        };
        let shares = self.shares(key).into_iter();
        let at = |share| range_value([low, high], share, is_log, is_whole);
        let nodes = shares.map(|share| from.like_text(&digits(at(share)), place));
        nodes
            .collect::<Option<_>>()
            .map_or_else(|| error("found numbers of too many digits"), Ok)
    }

    /// Where in its range, from 0 to 1, a key is at each point.
    fn shares(&self, key: &str) -> Vec<f64> {
        let mut stream = Stream::named(self.seed, 0, "design", key);
        let count = self.points as usize;
        if self.kind == Kind::Random {
            return (0..count).map(|_| stream.uniform()).collect();
        }
        let mut parts: Vec<u32> = (0..self.points).collect();
        for i in (1..count).rev() {
            parts.swap(i, stream.below(i as u64 + 1) as usize);
        }
        let within = parts.iter().map(|part| f64::from(*part) + stream.uniform());
        within.map(|at| at / f64::from(self.points)).collect()
    }
}
