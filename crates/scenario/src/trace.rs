//! Traces into files: what they are called, and that one that is cut off is never taken for a whole
//! one.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use sojourn_base::Fault;
use sojourn_trace::reason;

/// `EMFILE`: each captured link has a file of its own.
const TOO_MANY_OPEN: i32 = 24;

/// A trace format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// ns-2's, in one file `STEM.tr`.
    Ns2,
    /// Captures in pcapng, `STEM-LINK.pcapng` for each link.
    Pcapng,
    /// The log of every packet with what each discipline decided by, `STEM.parquet`.
    Events,
}

impl Format {
    /// The format of this name.
    ///
    /// # Errors
    /// There is none.
    pub fn of_name(name: &str) -> Result<Self, Fault> {
        match name {
            "ns2" => Ok(Self::Ns2),
            "pcapng" => Ok(Self::Pcapng),
            "events" => Ok(Self::Events),
            _ => Err(Fault::new(format!("{name:?}"), "ns2, pcapng, events")),
        }
    }
}

/// A trace of a run.
#[derive(Debug, Clone, Copy)]
pub struct Trace<'a> {
    /// Its format.
    pub format: Format,
    /// How the paths of its files begin.
    pub stem: &'a Path,
    /// The links that captures show; none: all.
    pub links: &'a [String],
    /// Whether captures store the payload too, all zeros.
    pub payload: bool,
}

/// Files being written: under their names once all of them are whole, else gone.
#[derive(Debug)]
pub(crate) struct Unfinished {
    stem: PathBuf,
    paths: Vec<PathBuf>,
}

impl Unfinished {
    /// Files whose paths begin with `stem`.
    pub(crate) fn new(stem: &Path) -> Self {
        Self {
            stem: stem.to_owned(),
            paths: Vec::new(),
        }
    }

    /// Begins the file whose path ends in `rest`.
    pub(crate) fn create(&mut self, rest: &str) -> io::Result<BufWriter<NamedFile>> {
        let mut path = self.stem.clone().into_os_string();
        path.push(rest);
        let path = PathBuf::from(path);
        let file = File::create(unfinished(&path)).map_err(|error| named(&path, &error))?;
        self.paths.push(path.clone());
        Ok(BufWriter::new(NamedFile { file, path }))
    }

    /// Gives all files their names.
    pub(crate) fn keep(mut self) -> io::Result<()> {
        while let Some(path) = self.paths.last() {
            fs::rename(unfinished(path), path).map_err(|error| named(path, &error))?;
            self.paths.pop();
        }
        Ok(())
    }
}

/// A file whose errors name it, by the name that it is to have: of many, one may lie where no room
/// is left.
#[derive(Debug)]
pub(crate) struct NamedFile {
    file: File,
    path: PathBuf,
}

impl Write for NamedFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        written.map_err(|error| match error.kind() {
            // Who writes tries again after these, as long as they are told as they are.
            io::ErrorKind::Interrupted => error,
            _ => named(&self.path, &error),
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush().map_err(|error| named(&self.path, &error))
    }
}

/// What went wrong with a file, with its name.
fn named(path: &Path, error: &io::Error) -> io::Error {
    let hint = match error.raw_os_error() {
        Some(TOO_MANY_OPEN) => "; choose links with --trace-link, or raise `ulimit -n`",
        _ => "",
    };
    let text = format!("{}: {}{hint}", path.display(), reason(error));
    io::Error::new(error.kind(), text)
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        for path in &self.paths {
            drop(fs::remove_file(unfinished(path)));
        }
    }
}

fn unfinished(path: &Path) -> PathBuf {
    path.with_added_extension("part")
}

/// The duplex link that a link belongs to, by name.
pub(crate) fn duplex(link: &str) -> &str {
    link.strip_suffix(".reverse").unwrap_or(link)
}

/// Names of files for the links of these names: an arrow has no place in them.
pub(crate) fn file_names(links: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for link in links {
        let plain = link.replace("->", "-to-");
        let mut name = plain.clone();
        let mut more = 2;
        while names.contains(&name) {
            name = format!("{plain}-{more}");
            more += 1;
        }
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_links_share_a_file() {
        let names = file_names(&["a->b", "a-to-b", "up"]);
        assert_eq!(names, ["a-to-b", "a-to-b-2", "up"]);
    }

    #[test]
    fn files_that_are_not_kept_are_gone() {
        let folder = std::env::temp_dir().join(format!("sojourn-trace-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let stem = folder.join("trace");
        let mut files = Unfinished::new(&stem);
        files.create(".tr").unwrap();
        assert!(folder.join("trace.tr.part").exists());
        drop(files);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
        let mut files = Unfinished::new(&stem);
        files.create(".tr").unwrap();
        files.keep().unwrap();
        assert!(folder.join("trace.tr").exists());
        fs::remove_dir_all(&folder).unwrap();
    }
}
