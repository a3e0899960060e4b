//! Archives that come out the same whenever and wherever they are made: files in the order of
//! their names, without times.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipWriter};

/// What builds and git leave in the project's folder.
const LEFT_BEHIND: [&str; 2] = [".git", "target"];

/// Packs a folder into one file, as browsers install it.
pub fn pack(folder: &Path, file: &Path) -> Result<()> {
    let mut names = Vec::new();
    for entry in walkdir::WalkDir::new(folder) {
        let entry = entry?;
        if entry.file_type().is_file() {
            names.push(entry.path().strip_prefix(folder)?.to_owned());
        }
    }
    write(folder, names, file)
}

/// Packs what a reviewer needs to build the extension: every file of the project, as it is now.
pub(crate) fn pack_source(root: &Path, file: &Path) -> Result<()> {
    write(root, source(root)?, file)
}

/// The files of the project, by their places in its folder: those that git keeps or would keep,
/// and where it does not know the folder all but what builds leave behind.
pub fn source(root: &Path) -> Result<Vec<PathBuf>> {
    let listed = Command::new("git")
        .current_dir(root)
        .args([
            "ls-files",
            "-z",
            "--cached",
            "--others",
            "--exclude-standard",
        ])
        .output();
    let names = match listed {
        Ok(listed) if listed.status.success() => {
            let names = String::from_utf8(listed.stdout).context("a file's name is no UTF-8")?;
            let names = names.split('\0').filter(|name| !name.is_empty());
            names.map(PathBuf::from).collect()
        }
        _ => every_file(root)?,
    };
    let there = names.into_iter().filter(|name| root.join(name).is_file());
    Ok(there.collect())
}

fn every_file(root: &Path) -> Result<Vec<PathBuf>> {
    let is_left_out = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 1 && LEFT_BEHIND.contains(&&*name)
    };
    let mut names = Vec::new();
    let entries = walkdir::WalkDir::new(root).into_iter();
    for entry in entries.filter_entry(|entry| !is_left_out(entry)) {
        names.push(entry?.path().strip_prefix(root)?.to_owned());
    }
    Ok(names)
}

fn write(folder: &Path, mut names: Vec<PathBuf>, file: &Path) -> Result<()> {
    names.sort();
    let mut zip = ZipWriter::new(fs::File::create(file)?);
    let options = SimpleFileOptions::default()
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644);
    for name in names {
        let inside = name.to_string_lossy().replace('\\', "/");
        zip.start_file(inside, options)?;
        zip.write_all(&fs::read(folder.join(&name))?)?;
    }
    zip.finish()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_git_the_source_is_every_file_but_what_builds_leave() {
        let folder = tempfile::tempdir().unwrap();
        let files = ["a.rs", "b/c.rs", "b/target", ".cargo/config.toml"];
        for name in files.into_iter().chain(["target/debug/x", ".git/config"]) {
            let file = folder.path().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, name).unwrap();
        }
        let mut names = every_file(folder.path()).unwrap();
        names.retain(|name| folder.path().join(name).is_file());
        names.sort();
        let mut expected = files.map(PathBuf::from);
        expected.sort();
        assert_eq!(names, expected);
    }

    #[test]
    fn an_archive_is_the_same_whatever_the_order_and_the_time() {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        let out = tempfile::tempdir().unwrap();
        let archives = folders.each_ref().map(|folder| {
            let is_first = folder.path() == folders[0].path();
            let mut names = ["b.js", "a.js"];
            if is_first {
                names.reverse();
            }
            for name in names {
                let path = folder.path().join(name);
                fs::write(&path, name).unwrap();
                let hour = std::time::Duration::from_hours(1);
                let earlier = std::time::SystemTime::now() - hour;
                if is_first {
                    let file = fs::File::options().write(true).open(&path).unwrap();
                    file.set_modified(earlier).unwrap();
                }
            }
            let file = out.path().join(if is_first { "1" } else { "2" });
            pack(folder.path(), &file).unwrap();
            fs::read(file).unwrap()
        });
        assert_eq!(archives[0], archives[1]);
        let names = |bytes: &[u8]| {
            let archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
            let names = archive.file_names().map(|name| name.unwrap().into_owned());
            names.collect::<Vec<String>>()
        };
        assert_eq!(names(&archives[0]), ["a.js", "b.js"]);
    }
}
