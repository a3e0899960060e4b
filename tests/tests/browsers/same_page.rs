//! The same HTML gives the same page from html5ever and from the live DOM of
//! real browsers: case by case, and on real pages where they are there. What is then
//! computed from it in WebAssembly is what the native build computes.
//!
//! Each folder of `pages` holds `page.html` and the document it must become,
//! `page.txt`; `UPDATE_PAGES=1` writes these again, to be read before they are
//! kept. A page with a field for a password is not read in a browser: that too
//! is asserted.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use linkscent_archive::charset;
use linkscent_archive::warc::Reader;
use linkscent_core::dom::html;
use linkscent_core::wire::Snapshot;
use linkscent_tests::browser::{Browser, BrowserKind};
use linkscent_tests::companion::Companion;
use linkscent_tests::stage::read_pages;
use linkscent_tests::{material, wait_for, web};

/// Where a browser's own parser is known to differ from html5ever, and why.
/// Asserted, so that a cure is noticed.
const KNOWN: [(BrowserKind, &str, &str); 0] = [];

/// The cases that hold a field for a password, a card or a code.
const PRIVATE: [&str; 1] = ["login-form"];

/// Pages that are browsed over in both builds.
const BROWSED: usize = 60;
/// Numbers of both builds may be so far apart, as a share: functions such as `exp` and `ln`
/// are not the same code in them, and what is learned from one page is the start of learning
/// from the next, so that their last digits grow apart along a browse.
const ROUNDING: f64 = 1e-6;

/// Most bytes that are written of a page when it is read, on average over real pages.
const MOST_KEPT: usize = 50_000;

/// What came of opening pages in a browser: by name, those that differ and those
/// that were refused; how many numbers both builds computed alike.
#[derive(Default)]
struct Comparison {
    differences: Vec<String>,
    refused: Vec<String>,
    numbers: usize,
    /// Bytes that are kept of each page.
    kept: Vec<usize>,
}

/// Computes every relevance and score of a browse over these pages in the browser's build
/// and in this one, and holds them against each other. How many there were.
async fn scores_agree(browser: &Browser, pages: &[Snapshot]) -> Result<usize> {
    let script = format!(
        "const m = await import(chrome.runtime.getURL('pkg/linkscent.js'));
         await m.default({{module_or_path: chrome.runtime.getURL('pkg/linkscent_bg.wasm')}});
         const numbers = m.bench_numbers({});
         return Array.from(numbers, number => Number.isFinite(number) ? number : null);",
        serde_json::to_string(pages)?
    );
    let there: Vec<Option<f64>> = serde_json::from_value(browser.script(&script).await?)?;
    let here = linkscent_extension::bench::numbers(pages)?;
    ensure!(there.len() == here.len(), "{} {}", there.len(), here.len());
    for (place, (there, here)) in there.iter().zip(&here).enumerate() {
        let there = there.unwrap_or(f64::NEG_INFINITY);
        let is_same = there == *here || (there - here).abs() <= ROUNDING * here.abs().max(1.0);
        ensure!(
            is_same,
            "number {place}: {there} in the browser, {here} natively"
        );
    }
    Ok(here.len())
}

fn cases() -> Result<Vec<(String, PathBuf)>> {
    let folder = linkscent_pack::root().join("tests/pages");
    let mut cases: Vec<(String, PathBuf)> = fs::read_dir(folder)?
        .map(|entry| Ok::<_, std::io::Error>(entry?.path()))
        .map(|path| {
            path.map(|path| {
                (
                    path.file_name()
                        .unwrap_or_default()
                        .to_string_lossy()
                        .into_owned(),
                    path,
                )
            })
        })
        .collect::<Result<_, _>>()?;
    cases.sort();
    Ok(cases)
}

#[test]
fn html_becomes_the_documents_kept() -> Result<()> {
    let cases = cases()?;
    ensure!(cases.len() >= 25);
    for (name, folder) in cases {
        let found = html::parse(&fs::read_to_string(folder.join("page.html"))?).to_string();
        let kept = folder.join("page.txt");
        if std::env::var_os("UPDATE_PAGES").is_some() {
            fs::write(&kept, &found)?;
        }
        let expected =
            fs::read_to_string(&kept).with_context(|| format!("reading {}", kept.display()))?;
        ensure!(
            found == expected,
            "{name}: expected\n{expected}\nfound\n{found}"
        );
    }
    Ok(())
}

/// Serves pages whose scripts do not run, opens each, and holds the live DOM
/// against the parser.
async fn compare(kind: BrowserKind, pages: &[(String, String)]) -> Result<Comparison> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("pages.warc");
    let headers = "Content-Security-Policy: script-src 'none'\r\n";
    let addresses: Vec<String> = (0..pages.len())
        .map(|n| format!("http://pages.test/{n}"))
        .collect();
    let rows: Vec<web::PageRow<'_>> = addresses
        .iter()
        .zip(pages)
        .map(|(address, (_, body))| (address.as_str(), headers, body.as_str()))
        .collect();
    web::write_warc(&file, &rows)?;
    let (replay, proxy) = Companion::replay(&[&file]).await?;
    let browser = Browser::start(kind, proxy).await?;
    let page = browser.driver.window().await?;
    let tools = browser.driver.new_tab().await?;
    read_pages(&browser, &tools).await?;
    let mut comparison = Comparison::default();
    let mut snapshots = Vec::new();
    for (address, (name, body)) in addresses.iter().zip(pages) {
        browser.driver.switch_to_window(page.clone()).await?;
        browser.driver.goto(address).await?;
        browser.driver.switch_to_window(tools.clone()).await?;
        let script = format!(
            "const tabs = await chrome.tabs.query({{}});
             const tab = tabs.find(t => t.url === '{address}');
             return tab ? await chrome.tabs.sendMessage(tab.id, {{kind: 'snapshot'}}, {{frameId: 0}}).catch(() => null) : null;"
        );
        let mut answer = wait_for("the page is read or refused", 20, || async {
            let found = browser.script(&script).await?;
            Ok((!found.is_null()).then_some(found))
        })
        .await
        .with_context(|| name.clone())?;
        if let Some(why) = answer["refused"].as_str() {
            ensure!(
                why == "it has a field for a password, a card or a code",
                "{name}: {why}"
            );
            comparison.refused.push(name.clone());
            continue;
        }
        let snapshot: Snapshot = serde_json::from_value(answer["page"].take())?;
        let live = snapshot.to_document()?.to_string();
        let parsed = html::parse(body).to_string();
        if live != parsed {
            let lines = live.lines().zip(parsed.lines());
            let first = lines.filter(|(a, b)| a != b).take(3);
            let first: Vec<String> = first
                .map(|(a, b)| format!("  live   {a}\n  parsed {b}"))
                .collect();
            let differences = &mut comparison.differences;
            differences.push(format!("{name}\n{}", first.join("\n")));
        }
        let kept = linkscent_extension::bench::bytes_to_keep(&snapshot)?;
        comparison.kept.push(kept);
        if snapshots.len() < BROWSED {
            snapshots.push(snapshot);
        }
    }
    comparison.numbers = scores_agree(&browser, &snapshots).await?;
    browser.quit().await?;
    drop(replay);
    Ok(comparison)
}

async fn cases_agree(kind: BrowserKind) -> Result<()> {
    let mut pages = Vec::new();
    for (name, folder) in cases()? {
        pages.push((name, fs::read_to_string(folder.join("page.html"))?));
    }
    let Comparison {
        differences,
        refused,
        numbers,
        ..
    } = compare(kind, &pages).await?;
    ensure!(numbers > 100, "only {numbers} numbers were compared");
    ensure!(refused == PRIVATE, "refused: {}", refused.join(", "));
    let known: Vec<&str> = KNOWN
        .iter()
        .filter(|row| row.0 == kind)
        .map(|row| row.1)
        .collect();
    let names: Vec<&str> = differences
        .iter()
        .filter_map(|text| text.lines().next())
        .collect();
    ensure!(names == known, "{}", differences.join("\n"));
    Ok(())
}

/// 100 pages each of two real webs.
fn real_pages() -> Result<Option<Vec<(String, String)>>> {
    let Some(folder) = material() else {
        return Ok(None);
    };
    let mut pages = Vec::new();
    for (file, every) in [("webs/uci.warc.zst", 370), ("webs/docs.warc.gz", 46)] {
        let responses = Reader::open(&folder.join(file))?
            .filter_map(Result::ok)
            .filter(|record| record.kind == "response");
        let mut taken = 0;
        for (number, record) in responses.enumerate() {
            if number % every != 0 || taken == 100 {
                continue;
            }
            let Some(response) = record.response() else {
                continue;
            };
            let text = charset::decode(&response.body, response.content_type.as_deref());
            if text.len() < 300_000 {
                pages.push((format!("{file} page {number}"), text));
                taken += 1;
            }
        }
    }
    Ok(Some(pages))
}

async fn real_pages_agree(kind: BrowserKind) -> Result<()> {
    let Some(pages) = real_pages()? else {
        return Ok(());
    };
    let Comparison {
        differences,
        refused,
        numbers,
        kept,
    } = compare(kind, &pages).await?;
    let average = kept.iter().sum::<usize>() / kept.len().max(1);
    println!(
        "{} of {} real pages differ, {} are not read; {numbers} relevances and scores agree; \
         {average} bytes are kept of a page on average, {} at most",
        differences.len(),
        pages.len(),
        refused.len(),
        kept.iter().max().unwrap_or(&0),
    );
    ensure!(average <= MOST_KEPT, "{average} bytes are kept of a page");
    ensure!(numbers > 1_000, "only {numbers} numbers were compared");
    ensure!(refused.len() * 20 <= pages.len(), "{}", refused.join(", "));
    ensure!(differences.is_empty(), "{}", differences.join("\n"));
    Ok(())
}

#[tokio::test]
async fn cases_agree_in_chromium() -> Result<()> {
    cases_agree(BrowserKind::Chromium).await
}

#[tokio::test]
async fn cases_agree_in_firefox() -> Result<()> {
    cases_agree(BrowserKind::Firefox).await
}

#[tokio::test]
async fn real_pages_agree_in_chromium() -> Result<()> {
    real_pages_agree(BrowserKind::Chromium).await
}

#[tokio::test]
#[ignore = "Chromium stands for both by day: cargo nightly"]
async fn real_pages_agree_in_firefox() -> Result<()> {
    real_pages_agree(BrowserKind::Firefox).await
}
