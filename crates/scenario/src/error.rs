//! What is wrong with a scenario: one error that names the place, what was found there, and what
//! is allowed.

use core::fmt;

use sojourn_base::Fault;

/// Where something stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A line of the file, from 1.
    Line(usize),
    /// An override, which the command line calls `--set`.
    Set,
    /// The file as a whole.
    File,
}

/// What an override is called: as the argument in Python is. The command line puts its own word for
/// it.
const SET: &str = "overrides";

/// An error in a scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The file, as it was named.
    pub file: String,
    /// Where in it.
    pub place: Place,
    /// The key, dotted, as `[vary]` and overrides write it; empty where there is none.
    pub key: String,
    /// What was found and what is allowed.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, key) = (printable(&self.file), printable(&self.key));
        match self.place {
            Place::Line(line) => write!(f, "{file}:{line}: ")?,
            Place::Set => write!(f, "{file}: {SET}: ")?,
            Place::File => write!(f, "{file}: ")?,
        }
        if !key.is_empty() {
            write!(f, "{key}: ")?;
        }
        f.write_str(&printable(&self.message))
    }
}

impl std::error::Error for Error {}

/// The text on one line: control characters as escapes.
fn printable(text: &str) -> String {
    let escape = |c: char| {
        if c.is_control() {
            c.escape_default().collect()
        } else {
            c.to_string()
        }
    };
    text.chars().map(escape).collect()
}

/// An error before the name of its file is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Located {
    pub(crate) place: Place,
    pub(crate) key: String,
    pub(crate) message: String,
}

impl Located {
    pub(crate) fn new(place: Place, key: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            place,
            key: key.into(),
            message: message.into(),
        }
    }

    pub(crate) fn fault(place: Place, key: impl Into<String>, fault: &Fault) -> Self {
        Self::new(place, key, fault.to_string())
    }

    pub(crate) fn in_file(self, file: &str) -> Error {
        Error {
            file: file.to_owned(),
            place: self.place,
            key: self.key,
            message: self.message,
        }
    }
}

/// `found "x"; allowed: a, b, c; did you mean "a"?`
pub(crate) fn unknown(found: &str, allowed: &[&str]) -> String {
    let nearest = allowed
        .iter()
        .map(|name| (strsim::damerau_levenshtein(name, found), name))
        .min_by_key(|(distance, _)| *distance);
    let hint = match nearest {
        Some((distance, name)) if distance <= 1 + found.chars().count() / 3 => {
            format!("; did you mean \"{name}\"?")
        }
        _ => String::new(),
    };
    let shown: String = found.chars().take(60).collect();
    format!("found {shown:?}; allowed: {}{hint}", allowed.join(", "))
}
