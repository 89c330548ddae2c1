//! The word of a table that says what it is, and the keys that go with it.

use sojourn_base::{Param, Preset, Scalar};

use crate::error::{Located, unknown};
use crate::keys::names;
use crate::reader::Reader;

/// The word of a table that says what it is, checked against the registry, and the preset.
pub(super) fn kind<'a>(
    reader: &Reader<'a>,
    word: &str,
    default: Option<&'a str>,
    known: &[&str],
) -> Result<(&'a str, Preset), Located> {
    let text = match reader.node(word) {
        Some(node) => match node.scalar() {
            Some(Scalar::Text(text)) => text,
            _ => {
                return Err(reader.error(
                    word,
                    format!("found {}; allowed: {}", node.shown(), known.join(", ")),
                ));
            }
        },
        None => default.ok_or_else(|| {
            reader.error(
                word,
                format!("found nothing; allowed: {}", known.join(", ")),
            )
        })?,
    };
    if !known.contains(&text) {
        return Err(reader.error(word, unknown(text, known)));
    }
    Ok((text, reader.value("preset")?.unwrap_or_default()))
}

/// Refuses keys that are neither of the table nor parameters.
pub(super) fn only(
    reader: &Reader<'_>,
    words: &[&'static str],
    params: &'static [Param],
) -> Result<(), Located> {
    let allowed: Vec<&str> = words.iter().copied().chain(names(params)).collect();
    reader.only(&allowed)?;
    for param in params {
        if let Some(node) = reader
            .node(param.name)
            .filter(|node| node.scalar().is_none())
        {
            let message = format!("found {}; allowed: {}", node.shown(), param.allowed);
            return Err(Located::new(node.place, reader.key(param.name), message));
        }
    }
    Ok(())
}
