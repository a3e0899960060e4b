//! The kept corpora: a folder of small files for each target.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Largest file of a corpus, in bytes.
pub const LARGEST_FILE: u64 = 16 << 10;
/// Largest size of all corpora together, in bytes.
pub const LARGEST: u64 = 1 << 20;

/// Returns the folder of a target's corpus.
pub fn folder(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("corpus")
        .join(target)
}

/// Reads a target's corpus, ordered by file name.
pub fn read(target: &str) -> io::Result<Vec<(String, Vec<u8>)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder(target))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        files.push((name.into_owned(), fs::read(&path)?));
    }
    files.sort();
    Ok(files)
}
