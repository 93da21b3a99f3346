//! The hash of the sources that decide what a run gives: what names a build of the engine, the same on every machine.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

use sha2::{Digest, Sha256};

/// The crates whose code decides the numbers of a run.
const CRATES: [&str; 3] = ["declare", "model", "sim"];

/// Letters of the hash that name a build.
const LETTERS: usize = 8;

fn main() -> io::Result<()> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut hash = Sha256::new();
    for name in CRATES {
        let sources = crates.join(name).join("src");
        println!("cargo::rerun-if-changed={}", sources.display());
        for file in files(&sources)? {
            let path = file.strip_prefix(&crates).expect("the files of a crate lie in it");
            let parts: Vec<_> = path.components().map(|part| part.as_os_str().to_string_lossy()).collect();
            hash.update(parts.join("/"));
            hash.update([0]);
            hash.update(fs::read(&file)?);
            hash.update([0]);
        }
    }
    let mut name = String::new();
    for byte in &hash.finalize()[..LETTERS / 2] {
        write!(name, "{byte:02x}").expect("a String takes what is written");
    }
    println!("cargo::rustc-env=AIRLINK_SOURCES={name}");
    Ok(())
}

/// All files below a folder, in the order of their paths.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut entries = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
    entries.sort();
    let mut found = Vec::new();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    Ok(found)
}
