//! Ranges of values: numbers with one unit from here to there.

use core::fmt;

use sojourn_base::decimal::{Decimal, split_unit};

use super::MAX_POINTS;
use crate::error::{Located, Place, unknown};
use crate::tree::{Node, Table, Value};

/// The numbers of a range under `names`; `also` may stand beside them.
pub(crate) fn ends<const N: usize>(
    key: &str,
    place: Place,
    range: &Table,
    names: [&'static str; N],
    also: &[&'static str],
) -> Result<[Number; N], Located> {
    let at = format!("vary.\"{key}\"");
    let allowed: Vec<&str> = names.iter().chain(also).copied().collect();
    for (name, node) in &range.entries {
        if !allowed.contains(&name.as_str()) {
            return Err(Located::new(node.place, at, unknown(name, &allowed)));
        }
    }
    let mut ends = Vec::with_capacity(N);
    for name in names {
        let node = range.get(name).ok_or_else(|| {
            let (last, first) = names.split_last().unwrap_or((&name, &[]));
            let message = format!(
                "found no {name}; allowed: {} and {last}{}",
                first.join(", "),
                if name == "step" {
                    ", or a [design] that draws the values"
                } else {
                    ""
                }
            );
            Located::new(place, at.clone(), message)
        })?;
        ends.push(Number::of(node).ok_or_else(|| {
            let message = format!(
                "found {}; allowed: a number, with its unit if it has one",
                node.shown()
            );
            Located::new(node.place, format!("{at}.{name}"), message)
        })?);
    }
    Ok(ends.try_into().expect("one number for each name"))
}

/// The values `from`, `from + step` ... up to `to`, which is one of them where a step ends there;
/// computed exactly.
pub(super) fn values(key: &str, place: Place, range: &Table) -> Result<Vec<Node>, Located> {
    let at = format!("vary.\"{key}\"");
    let [from, to, step] = ends(key, place, range, ["from", "to", "step"], &[])?;
    if from.unit != to.unit || from.unit != step.unit {
        let message = format!(
            "found the units {:?}, {:?} and {:?}; allowed: one unit for from, to and step",
            from.unit, to.unit, step.unit
        );
        return Err(Located::new(place, at, message));
    }
    let scale = [&from, &to, &step]
        .iter()
        .map(|n| n.decimals)
        .max()
        .unwrap_or(0);
    let (first, last, width) = (from.scaled(scale), to.scaled(scale), step.scaled(scale));
    let (Some(first), Some(last), Some(width)) = (first, last, width) else {
        return Err(Located::new(place, at, "found numbers of too many digits"));
    };
    if width <= 0 || last < first || (last - first) / width >= MAX_POINTS as i128 {
        let message = format!(
            "found from {from} to {to} in steps of {step}; allowed: a step above zero, `to` not \
             below `from`, at most a million values"
        );
        return Err(Located::new(place, at, message));
    }
    let count = (last - first) / width;
    Ok((0..=count)
        .map(|i| from.like(first + i * width, scale, place))
        .collect())
}

/// A number with its unit, as decimal digits.
#[derive(Debug, Clone)]
pub(crate) struct Number {
    digits: i128,
    decimals: u32,
    pub(crate) unit: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Text,
    Integer,
    Real,
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&Decimal::write(self.digits, self.decimals))?;
        if self.unit.is_empty() {
            return Ok(());
        }
        write!(f, " {}", self.unit)
    }
}

impl Number {
    /// Whether only whole numbers belong in its place: it is one, or whole packets.
    pub(crate) fn is_whole(&self) -> bool {
        let packets = matches!(self.unit.as_str(), "packet" | "packets");
        self.kind == Kind::Integer || (packets && self.decimals == 0)
    }

    /// The nearest `f64`.
    pub(crate) fn as_f64(&self) -> f64 {
        let text = Decimal::write(self.digits, self.decimals);
        text.parse().unwrap_or(f64::NAN)
    }

    /// A value of this kind and unit, its number given as text.
    pub(crate) fn like_text(&self, number: &str, place: Place) -> Option<Node> {
        let (digits, decimals) = Decimal::parse(number)?.digits_and_decimals()?;
        Some(self.like(digits, decimals, place))
    }

    fn of(node: &Node) -> Option<Self> {
        let (text, kind) = match &node.value {
            Value::Text(text) => (text.clone(), Kind::Text),
            Value::Integer(number) => (number.to_string(), Kind::Integer),
            Value::Real(number) if number.is_finite() => (number.to_string(), Kind::Real),
            _ => return None,
        };
        let (number, unit) = split_unit(&text)?;
        let (digits, decimals) = number.digits_and_decimals()?;
        Some(Self {
            digits,
            decimals,
            unit: unit.to_owned(),
            kind,
        })
    }

    fn scaled(&self, decimals: u32) -> Option<i128> {
        self.digits
            .checked_mul(10_i128.checked_pow(decimals - self.decimals)?)
    }

    /// A value of this kind and unit.
    fn like(&self, digits: i128, decimals: u32, place: Place) -> Node {
        let text = Decimal::write(digits, decimals);
        let value = match self.kind {
            Kind::Integer if decimals == 0 => {
                i64::try_from(digits).map_or(Value::Text(text), Value::Integer)
            }
            Kind::Integer | Kind::Real => Value::Real(text.parse().unwrap_or(f64::NAN)),
            Kind::Text if self.unit.is_empty() => Value::Text(text),
            Kind::Text => Value::Text(format!("{text} {}", self.unit)),
        };
        Node { place, value }
    }
}
