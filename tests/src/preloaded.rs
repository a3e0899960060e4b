//! Libraries that are loaded before the C library of a program that is tried: for disks that fail, and
//! clocks that are set.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds the library of that name into a folder; none where no C compiler does.
pub fn preloaded(name: &str, folder: &Path) -> Option<PathBuf> {
    let source = linkscent_pack::root().join(format!("tests/src/{name}.c"));
    let library = folder.join(format!("{name}.so"));
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
