//! A disk that fails: a library that is loaded before the C library of the program that is tried.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the library into a folder; none where no C compiler does.
pub fn failing_disk(folder: &Path) -> Option<PathBuf> {
    let source = linkscent_pack::root().join("tests/src/failing_disk.c");
    let library = folder.join("failing_disk.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .arg(source)
        .arg("-ldl")
        .status();
    built
        .is_ok_and(|status| status.success())
        .then_some(library)
}
