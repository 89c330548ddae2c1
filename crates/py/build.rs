//! Names the engine by a hash of the source that affects results: a store of finished runs uses no
//! run of another engine again.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates that a result depends on.
const CRATES: &[&str] = &[
    "base",
    "engine",
    "measure",
    "py",
    "queue",
    "scenario",
    "traffic",
    "transport",
];

fn main() {
    let crates = Path::new("..");
    let mut files = Vec::new();
    for name in CRATES {
        let source = crates.join(name).join("src");
        println!("cargo::rerun-if-changed={}", source.display());
        gather(&source, &mut files);
    }
    files.sort();
    let manifest = crates.join("../Cargo.toml");
    println!("cargo::rerun-if-changed={}", manifest.display());
    let mut hash = Fnv::new();
    for file in files {
        hash.write(file.to_string_lossy().as_bytes());
        hash.write(&fs::read(&file).expect("a source file that was just listed"));
    }
    // Of all dependencies it alone computes what ends up in a table.
    let manifest = fs::read_to_string(manifest).expect("the manifest of the workspace");
    for line in manifest.lines().filter(|line| line.starts_with("libm")) {
        hash.write(line.as_bytes());
    }
    println!("cargo::rustc-env=SOJOURN_ENGINE={:032x}", hash.0);
}

/// All Rust files under a folder.
fn gather(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry of the folder").path();
        if path.is_dir() {
            gather(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// FNV-1a, 128 bits (Fowler, Noll, Vo; RFC 9923): stable, and no dependency for twenty lines.
struct Fnv(u128);

impl Fnv {
    const fn new() -> Self {
        Self(0x6C62_272E_07BB_0142_62B8_2175_6295_C58D)
    }

    /// Takes a text in, its length first, so that no two lists of texts look alike.
    fn write(&mut self, bytes: &[u8]) {
        let length = (bytes.len() as u64).to_le_bytes();
        for byte in length.iter().chain(bytes) {
            self.0 = (self.0 ^ u128::from(*byte))
                .wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013B);
        }
    }
}
