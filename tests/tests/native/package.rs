//! What goes to the stores: nothing of whoever builds it, nothing that only tests need, and the
//! same bytes wherever it is built.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use linkscent_pack::{package_in, root, source, target_folder};

/// Bytes of a package at most.
const LARGEST: u64 = 7_000_000;

/// Every file of an archive with its bytes.
fn files(archive: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let mut archive = zip::ZipArchive::new(fs::File::open(archive)?)?;
    let mut files = Vec::new();
    for number in 0..archive.len() {
        let mut file = archive.by_index(number)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        files.push((file.name()?.into_owned(), bytes));
    }
    Ok(files)
}

fn has(bytes: &[u8], text: &str) -> bool {
    bytes
        .windows(text.len())
        .any(|window| window == text.as_bytes())
}

#[test]
#[ignore = "it builds the extension as people get it: cargo nightly"]
fn a_package_names_nobody() -> Result<()> {
    let here = root().canonicalize()?;
    let target = target_folder(&here);
    let packages = package_in(&here, &target)?;
    let home = std::env::var("HOME").context("no home folder")?;
    let folder = here.display();
    let theirs = [
        format!("{home}/.cargo"),
        format!("{home}/.rustup"),
        format!("{folder}/core"),
        format!("{folder}/extension"),
    ];
    for package in &packages {
        let size = fs::metadata(package)?.len();
        ensure!(size < LARGEST, "{}: {size} bytes", package.display());
        for (name, bytes) in files(package)? {
            for path in &theirs {
                ensure!(!has(&bytes, path), "{name} names {path}");
            }
            for hook in ["bench_scoring", "pairing.json", "pairAtOnce"] {
                ensure!(!has(&bytes, hook), "{name} has {hook}");
            }
        }
    }
    Ok(())
}

#[test]
#[ignore = "it builds everything twice: cargo nightly"]
fn a_package_is_the_same_wherever_it_is_built() -> Result<()> {
    let here = root().canonicalize()?;
    let packages = package_in(&here, &target_folder(&here))?;
    let elsewhere = tempfile::tempdir()?;
    let copy = elsewhere.path().join("a copy");
    for name in source(&here)? {
        let to = copy.join(&name);
        fs::create_dir_all(to.parent().context("no folder")?)?;
        fs::copy(here.join(&name), to)?;
    }
    let again = package_in(&copy, &elsewhere.path().join("target"))?;
    for (one, other) in packages.iter().zip(&again) {
        let (one, other) = (files(one)?, files(other)?);
        ensure!(one.len() == other.len());
        for (a, b) in one.iter().zip(&other) {
            ensure!(a.0 == b.0, "{} is no {}", a.0, b.0);
            ensure!(a.1 == b.1, "{} is built otherwise elsewhere", a.0);
        }
    }
    let bytes = |packages: &[std::path::PathBuf]| -> Result<Vec<Vec<u8>>> {
        packages.iter().map(|file| Ok(fs::read(file)?)).collect()
    };
    ensure!(bytes(&packages)? == bytes(&again)?, "the archives differ");
    Ok(())
}
