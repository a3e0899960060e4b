//! Public test cases that others wrote, where they are beside the checkout.

use anyhow::{Result, ensure};
use linkscent_core::address::Address;
use linkscent_core::crawl::Robots;
use linkscent_core::dom::html;
use linkscent_core::page::Page;
use linkscent_tests::material;
use serde_json::Value;

/// A text of a case.
fn text(value: &Value) -> Option<String> {
    value["s"].as_str().map(str::to_owned)
}

fn path_of(url: &str) -> String {
    let after_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    let path = after_scheme
        .find(['/', '?', ';'])
        .map_or("", |at| &after_scheme[at..]);
    let path = path.split('#').next().unwrap_or_default();
    if path.starts_with('/') {
        path.to_owned()
    } else {
        format!("/{path}")
    }
}

#[test]
fn robots_decisions_agree_with_googles_matcher() -> Result<()> {
    let Some(folder) = material() else {
        return Ok(());
    };
    let cases = std::fs::read_to_string(folder.join("suites/robots_cases_google_145.jsonl"))?;
    let (mut read, mut wrong) = (0, Vec::new());
    for line in cases.lines() {
        let case: Value = serde_json::from_str(line)?;
        let parts = (
            text(&case["robots"]),
            text(&case["agent"]),
            text(&case["url"]),
        );
        let (Some(robots), Some(agent), Some(url)) = parts else {
            continue;
        };
        read += 1;
        let allowed = Robots::parse(robots.as_bytes(), &agent).allows(&path_of(&url));
        if Some(allowed) != case["allowed"].as_bool() {
            wrong.push(format!("{agent:?} {url:?} {robots:?} -> {allowed}"));
        }
    }
    println!("{} of {read} decisions agree", read - wrong.len());
    ensure!(
        wrong.is_empty(),
        "{} of {read}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    Ok(())
}

/// A row of two columns: the first may stand in quotes, in which quotes are doubled.
fn columns(row: &str) -> Option<(String, String)> {
    let (first, second) = match row.strip_prefix('"') {
        Some(quoted) => quoted.split_once("\",")?,
        None => row.split_once(',')?,
    };
    Some((
        first.replace("\"\"", "\"").trim().to_owned(),
        second.trim().to_owned(),
    ))
}

/// An address with its parameters in order and without what says nothing of them.
fn sorted(address: &str) -> String {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let mut parameters: Vec<&str> = query
        .split('&')
        .map(|part| part.strip_suffix('=').unwrap_or(part))
        .filter(|part| !part.is_empty() && !part.starts_with('='))
        .collect();
    parameters.sort_unstable();
    format!("{path}?{}", parameters.join("&"))
}

/// An address without empty segments.
fn folded(address: &str) -> String {
    let (scheme, rest) = address.split_once("://").unwrap_or(("", address));
    let mut rest = rest.to_owned();
    while rest.contains("//") {
        rest = rest.replace("//", "/");
    }
    format!("{scheme}://{rest}")
}

#[test]
fn addresses_are_made_canonical_as_other_crawlers_do_but_for_stated_reasons() -> Result<()> {
    let Some(folder) = material() else {
        return Ok(());
    };
    let rows = std::fs::read_to_string(folder.join("suites/weirdToNormalizedUrls.csv"))?;
    let rows = rows.lines().filter(|row| !row.starts_with('#'));
    let (mut same, mut excepted, mut other) = (0, [0; 3], Vec::new());
    for (weird, wanted) in rows.filter_map(columns) {
        let ours = Address::parse(&weird).map(|address| address.to_string());
        match ours {
            Ok(ours) if ours == wanted => same += 1,
            // Which parameters matter, and in what order, only the site knows.
            Ok(ours) if sorted(&ours) == sorted(&wanted) => excepted[0] += 1,
            // So it is with empty segments of a path.
            Ok(ours) if folded(&ours) == folded(&wanted) => excepted[1] += 1,
            // Not an absolute address of a page of the web.
            Err(_) if !weird.starts_with("http") || weird.starts_with("http:///") => {
                excepted[2] += 1;
            }
            ours => other.push(format!("{weird:?} -> {ours:?}, not {wanted:?}")),
        }
    }
    println!("{same} rows the same; parameters, segments, no page: {excepted:?}");
    ensure!(other.is_empty(), "{}", other.join("\n"));
    ensure!(same > 80, "only {same} rows");
    let invalid = std::fs::read_to_string(folder.join("suites/invalidUrls.csv"))?;
    for row in invalid.lines().filter(|row| row.starts_with("http")) {
        ensure!(Address::parse(row).is_err(), "{row}");
    }
    Ok(())
}

#[test]
fn hostile_strings_make_pages_and_nothing_worse() -> Result<()> {
    let Some(folder) = material() else {
        return Ok(());
    };
    let naughty = std::fs::read_to_string(folder.join("suites/blns.json"))?;
    let naughty: Vec<String> = serde_json::from_str(&naughty)?;
    let payloads = std::fs::read_to_string(folder.join("suites/dompurify_payloads.json"))?;
    let payloads: Vec<Value> = serde_json::from_str(&payloads)?;
    let payloads = payloads
        .iter()
        .filter_map(|case| case["payload"].as_str().or(case.as_str()));
    let base = Address::parse("http://a.example/")?;
    let mut read = 0;
    for text in naughty.iter().map(String::as_str).chain(payloads) {
        let html = format!("<title>{text}</title>{text}<a href=\"{text}\">{text}</a>");
        let page = Page::new(base.clone(), html::parse(&html));
        for outlink in &page.outlinks {
            ensure!(
                ["http", "https"].contains(&outlink.target.scheme()),
                "{text:?}"
            );
            outlink.target.words();
        }
        read += 1;
    }
    ensure!(read > 600, "only {read} strings");
    Ok(())
}
