//! How long the WebAssembly build takes to score a page and to make it and its visit ready to
//! be kept inside real browsers; that its scores are those of the native build is shown by `same_page.rs`.

use anyhow::{Result, ensure};
use linkscent_tests::browser::{Browser, BrowserKind};

/// A page of 1,000 links as the content script would send it, scored 20 times and logged
/// 200 times in an extension page.
const SCRIPT: &str = "
    const m = await import(chrome.runtime.getURL('pkg/linkscent.js'));
    await m.default({module_or_path: chrome.runtime.getURL('pkg/linkscent_bg.wasm')});
    const leaves = [], links = [], hrefs = [];
    for (let n = 0; n < 1000; n++) {
      leaves.push(`text before the link about subject${n % 97} and place${n % 31}`);
      links.push(leaves.length, leaves.length + 1);
      hrefs.push(`/page/${n}`);
      leaves.push(`link to subject${n % 89}`);
      leaves.push(`words behind it, on year${n % 53} and person${n % 41}`);
    }
    const page = {url: 'http://bench.test/', title: 'Bench', description: '', lang: 'en', base: null,
      leafCount: leaves.length, leaves: leaves.join('\\u0001'), links, hrefs, headings: [], forms: [], truncated: false};
    return [m.bench_scoring(page, 20), m.bench_visit(page, 200)];";

/// A long browse, and how large the module's memory is then.
const READING: &str = "
    const m = await import(chrome.runtime.getURL('pkg/linkscent.js'));
    const { memory } = await m.default({module_or_path: chrome.runtime.getURL('pkg/linkscent_bg.wasm')});
    return [...m.bench_reading(4000), memory.buffer.byteLength / 1e6];";

async fn score(kind: BrowserKind) -> Result<()> {
    let browser = Browser::start(kind, 9).await?;
    browser
        .driver
        .goto(browser.page("pages/panel.html")?)
        .await?;
    let milliseconds = browser.script(SCRIPT).await?;
    let milliseconds = [0, 1].map(|place| milliseconds[place].as_f64().unwrap_or(0.0));
    let [scored, logged] = milliseconds;
    println!(
        "{kind:?}: a page of 1,000 links is scored in {scored:.1} ms, it and its visit are \
         ready to be kept in {logged:.2} ms"
    );
    ensure!(scored > 0.0 && logged > 0.0);
    let read = browser.script(READING).await?;
    let read: Vec<f64> = serde_json::from_value(read)?;
    println!(
        "{kind:?}: a page is read in {:.1} ms after 10 pages, in {:.1} ms after 4,000; all that \
         was learned is kept in {:.0} ms at worst and {:.0} bytes; the module's memory has {:.0} MB",
        read[0], read[1], read[2], read[3], read[4]
    );
    browser.quit().await
}

#[tokio::test]
async fn scores_in_chromium() -> Result<()> {
    score(BrowserKind::Chromium).await
}

#[tokio::test]
#[ignore = "Chromium stands for both by day: cargo nightly"]
async fn scores_in_firefox() -> Result<()> {
    score(BrowserKind::Firefox).await
}
