//! The labelled pages as they lie in their files.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use anyhow::{Context, Result};
use percent_encoding::percent_decode_str;
use serde::Deserialize;

/// Folder of the material.
const FOLDER: &str = "scent";
/// Largest unpacked file of pages, in bytes.
const LARGEST: u64 = 1 << 30;

/// A page's labels, and its topic.
#[derive(Debug, Deserialize)]
pub(super) struct Labels {
    pub(super) id: String,
    pub(super) lang: String,
    pub(super) topic: String,
    pub(super) description: String,
    pub(super) targets: Vec<Target>,
    pub(super) yes: Vec<usize>,
    pub(super) maybe: Vec<usize>,
    pub(super) kind: String,
}

/// A page that the person has marked.
#[derive(Debug, Deserialize)]
pub(super) struct Target {
    pub(super) title: String,
    pub(super) text: String,
}

/// A page with its links: number, address and text.
#[derive(Debug, Deserialize)]
pub(super) struct Listed {
    pub(super) id: String,
    pub(super) url: String,
    pub(super) links: Vec<(usize, String, String)>,
}

#[derive(Debug, Deserialize)]
struct Body {
    url: String,
    html: String,
}

pub(super) type OnPage<'a> = dyn FnMut(&Labels, &Listed, &str) -> Result<()> + 'a;

/// Calls `each` with every page of the material; `on_page` hears how many of how many are done.
pub(super) fn each_page(
    material: &Path,
    on_page: &dyn Fn(usize, usize),
    each: &mut OnPage<'_>,
) -> Result<()> {
    let folder = material.join(FOLDER);
    let labels: Vec<Labels> = lines(
        File::open(folder.join("labels.jsonl"))
            .with_context(|| format!("reading {}", folder.join("labels.jsonl").display()))?,
    )?;
    let pages: Vec<Listed> = serde_json::from_reader(BufReader::new(
        File::open(folder.join("pages.json")).context("reading pages.json")?,
    ))?;
    let pages: HashMap<String, Listed> = pages
        .into_iter()
        .map(|page| (page.id.clone(), page))
        .collect();
    let bodies = bodies(&folder.join("bodies.jsonl.xz"))?;
    for (number, label) in labels.iter().enumerate() {
        on_page(number, labels.len());
        let listed = pages
            .get(&label.id)
            .with_context(|| format!("{} is no page", label.id))?;
        let html = bodies
            .get(&listed.url)
            .with_context(|| format!("{} has no body", listed.url))?;
        each(label, listed, html)?;
    }
    Ok(())
}

fn lines<T: for<'a> Deserialize<'a>>(file: impl std::io::Read) -> Result<Vec<T>> {
    let mut rows = Vec::new();
    for line in BufReader::new(file).lines() {
        let line = line?;
        if !line.trim().is_empty() {
            rows.push(serde_json::from_str(&line)?);
        }
    }
    Ok(rows)
}

/// Bodies by their addresses.
fn bodies(file: &Path) -> Result<HashMap<String, String>> {
    let reading = || format!("reading {}", file.display());
    let mut packed = BufReader::new(File::open(file).with_context(reading)?);
    let mut text = Vec::new();
    lzma_rs::xz_decompress(&mut packed, &mut text).with_context(reading)?;
    anyhow::ensure!(
        text.len() as u64 <= LARGEST,
        "{} is too large",
        file.display()
    );
    let rows: Vec<Body> = lines(&text[..])?;
    Ok(rows.into_iter().map(|row| (row.url, row.html)).collect())
}

/// An address without what does not tell pages apart: scheme, fragment, `www.`, case, a last slash.
pub(super) fn name_of(address: &str) -> String {
    let address = address.split('#').next().unwrap_or_default();
    let rest = address.split_once("://").map_or(address, |parts| parts.1);
    let rest = rest.to_lowercase();
    let rest = rest.strip_prefix("www.").unwrap_or(&rest);
    let rest = percent_decode_str(rest).decode_utf8_lossy();
    match rest.split_once('?') {
        Some((path, query)) => format!("{}?{query}", path.trim_end_matches('/')),
        None => rest.trim_end_matches('/').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_that_lead_to_one_page_have_one_name() {
        for address in [
            "http://www.A.test/b/#part",
            "https://a.test/B",
            "https://a.test/%62/",
        ] {
            assert_eq!(name_of(address), "a.test/b", "{address}");
        }
        assert_eq!(name_of("http://a.test/b/?Q=1"), "a.test/b?q=1");
    }
}
