//! What becomes of packets on the wire of a link: what it loses, and what they take beyond its
//! delay. That is a law, or a table with a law and the share of the packets for which it holds.

use sojourn_base::{Distribution, Preset, Probability, Span};
use sojourn_engine::LossLaw;

use super::losses;
use crate::error::{Located, Place};
use crate::keys::{self, LinkJitter};
use crate::reader::{Reader, read_node};
use crate::tree::Value;

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

    /// The same with what another loses, and what packets take longer there, where this one
    /// `has` none of its own.
    pub(super) fn or(self, other: &Self, has_loss: bool, has_jitter: bool) -> Self {
        let other = other.clone();
        Self {
            loss: if has_loss { self.loss } else { other.loss },
            jitter: if has_jitter {
                self.jitter
            } else {
                other.jitter
            },
            reorders: self.reorders,
        }
    }

    /// Reads what a link, bottleneck or access says of its wires, there and back.
    pub(super) fn read_both(reader: &Reader<'_>, reorders: bool) -> Result<[Self; 2], Located> {
        let wire = |loss, jitter| -> Result<Self, Located> {
            Ok(Self {
                loss: losses::read(reader, loss)?,
                jitter: read_jitter(reader, jitter)?,
                reorders,
            })
        };
        Ok([
            wire("loss", "jitter")?,
            wire("reverse_loss", "reverse_jitter")?,
        ])
    }
}

/// Reads `jitter` or `reverse_jitter`; none where it is not there or nothing takes longer.
fn read_jitter(reader: &Reader<'_>, key: &str) -> Result<Option<JitterPlan>, Located> {
    let Some(node) = reader.node(key) else {
        return Ok(None);
    };
    let key = reader.key(key);
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
