//! The URL standard's own test cases, as the crate `url` brings them with its source.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use linkscent_core::address::{Address, Base};
use linkscent_tests::skipped;
use serde_json::Value;

/// The cases that lie beside the source of the crate `url`, if cargo has unpacked it here.
fn cases() -> Result<Option<Vec<Value>>> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")));
    let sources = home.context("no home folder")?.join("registry/src");
    let registries = std::fs::read_dir(sources).into_iter().flatten().flatten();
    let packages = registries.filter_map(|registry| std::fs::read_dir(registry.path()).ok());
    let found = packages.flatten().flatten().find_map(|package| {
        let is_url = package.file_name().to_string_lossy().starts_with("url-2.");
        let cases = package.path().join("tests/urltestdata.json");
        is_url.then(|| std::fs::read(cases).ok()).flatten()
    });
    let Some(text) = found else {
        skipped("cargo keeps no source of the crate url");
        return Ok(None);
    };
    Ok(Some(serde_json::from_slice(&text)?))
}

/// What the standard's cases say of one input.
struct Case {
    input: String,
    base: Option<Address>,
    /// The address, where it is one of a page of the web.
    href: Option<String>,
    host: String,
    scheme: String,
}

impl Case {
    /// None for comments, and for references to what is no page of the web.
    fn read(case: &Value) -> Option<Self> {
        let text = |name: &str| case[name].as_str().unwrap_or_default().to_owned();
        let input = case["input"].as_str()?.to_owned();
        let base = match case["base"].as_str() {
            Some(base) => Some(Address::parse(base).ok()?),
            None => None,
        };
        let is_page = ["http:", "https:"].contains(&&*text("protocol"));
        Some(Self {
            input,
            base,
            href: is_page.then(|| text("href")),
            host: text("host"),
            scheme: text("protocol"),
        })
    }

    fn ours(&self) -> Option<Address> {
        match &self.base {
            Some(base) => Base::of(base).join(&self.input).ok(),
            None => Address::parse(&self.input).ok(),
        }
    }
}

#[test]
fn addresses_are_read_as_the_standard_reads_them() -> Result<()> {
    let Some(cases) = cases()? else {
        return Ok(());
    };
    let (mut pages, mut refused, mut wrong) = (0, 0, Vec::new());
    for case in cases.iter().filter_map(Case::read) {
        let (input, ours) = (&case.input, case.ours());
        match (&case.href, ours) {
            (Some(href), Some(ours)) => {
                pages += 1;
                let canonical = Address::parse(href)?;
                // Dots behind a host name the same host.
                let host = case.host.trim_end_matches('.');
                if ours != canonical || ours.host().trim_end_matches('.') != host {
                    wrong.push(format!("{input:?}: {ours}, not {canonical}"));
                }
                ensure!(format!("{}:", ours.scheme()) == case.scheme, "{input:?}");
                ensure!(Address::parse(ours.as_str())? == ours, "{ours} changes");
            }
            (Some(href), None) => wrong.push(format!("{input:?} is refused, not {href}")),
            (None, Some(ours)) => wrong.push(format!("{input:?} is taken for {ours}")),
            (None, None) => refused += 1,
        }
    }
    println!("{pages} addresses of pages as they should be, {refused} refused as they should be");
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    ensure!(pages > 200 && refused > 400, "only {pages} and {refused}");
    Ok(())
}
