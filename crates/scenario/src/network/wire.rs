//! What becomes of packets on the wire of a link: what it loses, and what they take beyond its
//! delay. That is a law, or a table with a law and the share of the packets for which it holds.

use sojourn_base::{Distribution, Preset, Probability, Span};
use sojourn_engine::LossLaw;

use super::losses;
use crate::error::{Located, Place};
use crate::keys::{self, LinkJitter};
use crate::reader::{Reader, read_node};
use crate::tree::{Node, Value};

/// One wire: a duplex link has two.
#[derive(Debug, Clone, Default)]
pub(crate) struct WirePlan {
    /// What it loses.
    pub(crate) loss: Option<LossLaw>,
    pub(crate) jitter: Option<JitterPlan>,
    /// Whether a packet may come out before one that was sent before it.
    pub(crate) reorders: bool,
}

/// What packets take longer, each by itself.
#[derive(Debug, Clone)]
pub(crate) struct JitterPlan {
    pub(crate) extra: Distribution<Span>,
    /// The share of them that do.
    pub(crate) share: f64,
    /// As the file says it.
    pub(crate) words: serde_json::Value,
    pub(crate) place: Place,
    /// Its dotted key.
    pub(crate) key: String,
}

impl WirePlan {
    /// The keys that say something of the way back alone.
    pub(super) const OF_REVERSE: [&str; 2] = ["reverse_loss", "reverse_jitter"];

    /// Reads what a link, bottleneck or access says of its wires, there and back; what it does not
    /// say is as the `common` ones have it.
    pub(super) fn read_both(
        reader: &Reader<'_>,
        reorders: bool,
        common: &[Self; 2],
    ) -> Result<[Self; 2], Located> {
        let wire = |loss: &str, jitter: &str, common: &Self| -> Result<Self, Located> {
            Ok(Self {
                loss: match reader.node(loss) {
                    Some(node) => losses::read(node, &reader.key(loss))?,
                    None => common.loss.clone(),
                },
                jitter: match reader.node(jitter) {
                    Some(node) => read_jitter(node, reader.key(jitter))?,
                    None => common.jitter.clone(),
                },
                reorders,
            })
        };
        let [there, back] = common;
        Ok([
            wire("loss", "jitter", there)?,
            wire("reverse_loss", "reverse_jitter", back)?,
        ])
    }
}

/// Reads `jitter` or `reverse_jitter`, of that dotted key; none where nothing takes longer.
fn read_jitter(node: &Node, key: String) -> Result<Option<JitterPlan>, Located> {
    let (extra, share) = if let Value::Table(_) = node.value {
        let reader = Reader::of(node, &key)?;
        reader.only(&keys::keys_of::<LinkJitter>(&[]))?;
        let LinkJitter {
            extra,
            share: Probability(share),
        } = reader.read(Preset::Reference)?;
        (extra, share)
    } else {
        (read_node(node, &key)?, 1.0)
    };
    let is_none = share == 0.0 || extra.as_constant() == Some(Span::ZERO);
    Ok((!is_none).then(|| JitterPlan {
        extra,
        share,
        words: node.json(),
        place: node.place,
        key,
    }))
}
