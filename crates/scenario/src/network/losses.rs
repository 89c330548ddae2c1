//! What the wire of a link loses, as `loss` of a link or bottleneck says it: the share of its
//! packets, or a table of bit errors, of bursts, or of the packets themselves.

use sojourn_base::{Optional, Preset, Probability, Quantity, Whole};
use sojourn_engine::LossLaw;

use crate::error::Located;
use crate::keys::{self, LinkLoss};
use crate::reader::{Reader, read_node};
use crate::tree::{Node, Value};

const ALLOWED: &str = "a number from 0 to 1, or a table such as { bit_error_ratio = 1e-6 }, \
    { good_to_bad = 0.01, bad_to_good = 0.3 } or { packets = [3, 7] }";

/// The keys that say which law it is.
const LAWS: [&str; 3] = ["bit_error_ratio", "good_to_bad", "packets"];

/// Those that stand beside `good_to_bad`.
const OF_BURSTS: [&str; 3] = ["bad_to_good", "in_good", "in_bad"];

/// Reads `loss` or `reverse_loss`, of that dotted key; none where nothing is lost.
pub(super) fn read(node: &Node, key: &str) -> Result<Option<LossLaw>, Located> {
    let law = if let Value::Table(_) = node.value {
        read_table(node, key)?
    } else {
        let share = node
            .scalar()
            .and_then(|share| Probability::read(share).ok());
        let Some(Probability(share)) = share else {
            let message = format!("found {}; allowed: {ALLOWED}", node.shown());
            return Err(Located::new(node.place, key, message));
        };
        LossLaw::Independent(share)
    };
    Ok(Some(law).filter(|law| !loses_nothing(law)))
}

fn read_table(node: &Node, key: &str) -> Result<LossLaw, Located> {
    let reader = Reader::of(node, key)?;
    reader.only(&keys::keys_of::<LinkLoss>(keys::LOSS_NESTED))?;
    let loss: LinkLoss = reader.read(Preset::Reference)?;
    let laws = LAWS.into_iter();
    let laws: Vec<(&str, &Node)> = laws
        .filter_map(|law| Some((law, reader.node(law)?)))
        .collect();
    let [(law, its)] = laws[..] else {
        let names: Vec<&str> = laws.iter().map(|(law, _)| *law).collect();
        let found = if names.is_empty() {
            "none".to_owned()
        } else {
            names.join(" and ")
        };
        let message = format!("found {found}; allowed: one of {}", LAWS.join(", "));
        return Err(Located::new(node.place, key, message));
    };
    if law != "good_to_bad"
        && let Some(key) = OF_BURSTS.iter().find(|key| reader.node(key).is_some())
    {
        return Err(reader.error(key, "allowed: only beside good_to_bad"));
    }
    let share = |of: Optional<Probability>| of.0.map(|share| share.0);
    match law {
        "bit_error_ratio" => Ok(LossLaw::BitErrors(
            share(loss.bit_error_ratio).unwrap_or_default(),
        )),
        "packets" => read_packets(its, &reader.key(law)),
        _ => Ok(LossLaw::Bursts {
            good_to_bad: share(loss.good_to_bad).unwrap_or_default(),
            bad_to_good: share(loss.bad_to_good).ok_or_else(|| {
                let message = format!("found nothing; allowed: {}", Probability::ALLOWED);
                reader.error("bad_to_good", message)
            })?,
            in_good: loss.in_good.0,
            in_bad: loss.in_bad.0,
        }),
    }
}

/// The numbers of the packets that are lost.
fn read_packets(node: &Node, key: &str) -> Result<LossLaw, Located> {
    let allowed = "a list of numbers from 1 on, each above the one before, such as [3, 7]";
    let Value::List(items) = &node.value else {
        let message = format!("found {}; allowed: {allowed}", node.shown());
        return Err(Located::new(node.place, key, message));
    };
    let mut numbers = Vec::with_capacity(items.len());
    for item in items {
        let Whole(number) = read_node(item, key)?;
        if number <= numbers.last().copied().unwrap_or(0) {
            let message = format!("found {number}; allowed: {allowed}");
            return Err(Located::new(item.place, key, message));
        }
        numbers.push(number);
    }
    Ok(LossLaw::Listed(numbers.into()))
}

fn loses_nothing(law: &LossLaw) -> bool {
    match law {
        LossLaw::Independent(ratio) | LossLaw::BitErrors(ratio) => *ratio == 0.0,
        LossLaw::Bursts {
            good_to_bad,
            in_good,
            in_bad,
            ..
        } => *in_good == 0.0 && (*good_to_bad == 0.0 || *in_bad == 0.0),
        LossLaw::Listed(numbers) => numbers.is_empty(),
    }
}
