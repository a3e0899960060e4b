//! A folder tree: every folder is a node, every file in it a list of addresses,
//! a line each.

use std::path::Path;

use anyhow::{Context, Result};
use linkscent_core::address::Address;

use super::Taxonomy;

pub(super) fn read(folder: &Path, taxonomy: &mut Taxonomy) -> Result<()> {
    walk(folder, "", taxonomy)
}

fn walk(folder: &Path, node: &str, taxonomy: &mut Taxonomy) -> Result<()> {
    let place = || format!("reading {}", folder.display());
    let mut entries: Vec<_> = std::fs::read_dir(folder)
        .with_context(place)?
        .collect::<Result<_, _>>()
        .with_context(place)?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        if path.is_dir() {
            let below = if node.is_empty() {
                name
            } else {
                format!("{node}/{name}")
            };
            walk(&path, &below, taxonomy)?;
            continue;
        }
        let text = std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
        for (number, line) in String::from_utf8_lossy(&text).lines().enumerate() {
            let line = line.trim();
            if line.is_empty() {
                continue;
            }
            match Address::parse(line) {
                Ok(address) => taxonomy.add(node, address.to_string()),
                Err(error) => {
                    taxonomy.problem(number + 1, &format!("{}: {error}", path.display()));
                }
            }
        }
    }
    Ok(())
}
