//! A folder tree: every folder is a node. In it lie pages as HTML files, pages in WARC
//! files, and lists of addresses, a line each, in other files. What is no file and no folder
//! (links to others) is passed over.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result};
use linkscent_core::address::Address;

use super::{Entry, HTML, Taxonomy};
use crate::warc::Reader;

/// Folders within folders that are read.
const DEEPEST: usize = 32;
/// Bytes read of a page.
const LARGEST_PAGE: u64 = 8 << 20;
/// Bytes read of a list of addresses.
const LARGEST_LIST: u64 = 64 << 20;

/// What a file holds, by the end of its name.
enum Kind {
    Page,
    Archive,
    List,
}

impl Kind {
    fn of(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        let ends = |ends: &[&str]| ends.iter().any(|end| name.ends_with(end));
        if ends(&[".html", ".htm", ".xhtml"]) {
            Self::Page
        } else if ends(&[".warc", ".warc.gz", ".warc.zst"]) {
            Self::Archive
        } else {
            Self::List
        }
    }
}

pub(super) fn read(folder: &Path, taxonomy: &mut Taxonomy) -> Result<()> {
    walk(folder, &mut Vec::new(), taxonomy)
}

fn walk(folder: &Path, node: &mut Vec<String>, taxonomy: &mut Taxonomy) -> Result<()> {
    let place = || format!("reading {}", folder.display());
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .with_context(place)?
        .collect::<Result<_, _>>()
        .with_context(place)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        let kind = entry.file_type().with_context(place)?;
        if kind.is_dir() {
            if node.len() == DEEPEST {
                taxonomy.problem(0, &format!("{}: it lies too deep", path.display()));
                continue;
            }
            node.push(name);
            walk(&path, node, taxonomy)?;
            node.pop();
        } else if kind.is_file() {
            read_file(&path, &name, &node.join("/"), taxonomy)?;
        } else {
            taxonomy.problem(0, &format!("{}: it is no file of its own", path.display()));
        }
    }
    Ok(())
}

fn read_file(path: &Path, name: &str, node: &str, taxonomy: &mut Taxonomy) -> Result<()> {
    let place = || format!("reading {}", path.display());
    match Kind::of(name) {
        Kind::Page => {
            let body = beginning(path, LARGEST_PAGE).with_context(place)?;
            taxonomy.add(1, node, || Entry::whole("", &body, None));
        }
        Kind::Archive => {
            for (number, capture) in Reader::open(path)?.captures().enumerate() {
                let capture = match capture {
                    Ok(capture) => capture,
                    Err(error) => {
                        taxonomy.problem(number + 1, &error.to_string());
                        continue;
                    }
                };
                let is_response = capture.record.kind == "response";
                let Some(kept) = capture.exchange().filter(|_| is_response) else {
                    continue;
                };
                let Ok(address) = Address::parse(&kept.address) else {
                    let said = format!("{}: {:?} is no address", path.display(), kept.address);
                    taxonomy.problem(number + 1, &said);
                    continue;
                };
                taxonomy.add(number + 1, node, || {
                    Entry::whole(address.as_str(), kept.html().as_bytes(), Some(HTML))
                });
            }
        }
        Kind::List => {
            let text = beginning(path, LARGEST_LIST).with_context(place)?;
            for (number, line) in String::from_utf8_lossy(&text).lines().enumerate() {
                let line = line.trim();
                if line.is_empty() {
                    continue;
                }
                match Address::parse(line) {
                    Ok(address) => {
                        taxonomy.add(number + 1, node, || Entry::named(&address, ""));
                    }
                    Err(error) => {
                        taxonomy.problem(number + 1, &format!("{}: {error}", path.display()));
                    }
                }
            }
        }
    }
    Ok(())
}

fn beginning(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}
