//! What people have from earlier versions opens, and a crawl that was not done goes on.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::companion::Companion;
use linkscent_tests::paired;
use linkscent_tests::shell::{crawl, run};
use linkscent_tests::stage::Stage;
use linkscent_tests::synthetic_web::endless_web;
use serde_json::Value;

fn fixture() -> PathBuf {
    linkscent_pack::root().join("tests/fixtures/form-1")
}

fn copy_data(to: &Path) -> Result<()> {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(fixture().join("data"))? {
        let entry = entry?;
        std::fs::copy(entry.path(), to.join(entry.file_name()))?;
    }
    Ok(())
}

async fn page(port: u16, path: &str) -> Result<String> {
    let get = format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    let (head, body) = paired::send(port, get.as_bytes()).await?;
    ensure!(head.contains(" 200 "), "{path}: {head}");
    Ok(String::from_utf8_lossy(&body).into_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_data_folder_opens_and_its_crawl_goes_on() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    copy_data(&data)?;
    let (proxy, asked) = endless_web().await?;
    let ended = run(crawl(&data, proxy, &[])?).await?;
    ensure!(ended.json["pages"] == 60, "{ended:?}");
    ensure!(ended.json["stop_reason"] == "budget", "{ended:?}");
    let requests: usize = asked.lock().expect("no test panics").values().sum();
    ensure!(requests < 60, "{requests} requests for 28 pages");

    let (companion, port, link, _) = Companion::serve(&data, proxy).await?;
    let (head, _) = paired::send(
        port,
        format!(
            "GET {} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n",
            link.split_once(&port.to_string()).context("no port")?.1
        )
        .as_bytes(),
    )
    .await?;
    let base = head
        .lines()
        .find_map(|line| line.strip_prefix("location: "))
        .context(head.clone())?
        .trim_end_matches('/')
        .to_owned();
    let home = page(port, &format!("{base}/")).await?;
    ensure!(
        home.contains("kidneys") && home.contains("trains"),
        "{home}"
    );
    let kidneys = page(port, &format!("{base}/topic/1")).await?;
    ensure!(kidneys.contains("dialysis at kidney.test"), "{kidneys}");
    let trains = page(port, &format!("{base}/topic/2")).await?;
    ensure!(trains.contains("title has &#34;train&#34;"), "{trains}");
    let results = page(port, &format!("{base}/crawl/3/results")).await?;
    ensure!(results.contains("rail0.test"), "{results}");
    for crawl in 1..=3 {
        page(port, &format!("{base}/crawl/{crawl}")).await?;
    }
    drop(companion);
    Ok(())
}

/// What an earlier build of the extension kept.
fn kept_stores() -> Result<Value> {
    let file = std::fs::read_to_string(fixture().join("extension.json"))?;
    Ok(serde_json::from_str(&file)?)
}

/// Puts kept stores in the place of those that the extension has now.
async fn put_stores(stage: &Stage, kept: &Value) -> Result<()> {
    let driver = &stage.browser.driver;
    // A page of the extension that opens no database itself.
    driver.switch_to_window(stage.popup.clone()).await?;
    driver.goto(stage.browser.page("js/content.js")?).await?;
    stage.browser.kill_background().await?;
    let script = format!(
        "const kept = {kept};
         const all = (request) => new Promise((done, failed) => {{
             request.onsuccess = () => done(request.result);
             request.onerror = () => failed(request.error);
         }});
         await all(indexedDB.deleteDatabase('linkscent'));
         const opening = indexedDB.open('linkscent', kept.version);
         opening.onupgradeneeded = () => Object.keys(kept.stores).forEach((name) => opening.result.createObjectStore(name));
         const database = await all(opening);
         const change = database.transaction(Object.keys(kept.stores), 'readwrite');
         for (const [name, rows] of Object.entries(kept.stores)) {{
             for (const {{ key, value, base64 }} of rows) {{
                 const bytes = base64 && Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
                 await all(change.objectStore(name).put(bytes ?? value, key));
             }}
         }}
         database.close();
         return true;"
    );
    ensure!(stage.browser.script(&script).await? == true);
    Ok(())
}

async fn an_extension_opens(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    put_stores(&stage, &kept_stores()?).await?;
    stage.open("http://town.test/").await?;
    let links = stage.highlights().await?;
    ensure!(
        links.iter().any(|link| link.contains("kidney.test")),
        "{links:?}"
    );
    let trails = stage.trails().await?;
    let expected = ("http://town.test/", "http://kidney.test/diet");
    ensure!(
        trails == [(expected.0.to_owned(), expected.1.to_owned())],
        "{trails:?}"
    );
    stage.popup().await?;
    let said = stage
        .browser
        .read("return document.body.textContent;")
        .await?;
    ensure!(
        said.as_str().is_some_and(|said| said.contains("kidneys")),
        "{said}"
    );
    stage.open("http://kidney.test/dialysis").await?;
    stage.highlights().await?;
    stage.popup().await?;
    let said = stage.browser.text().await?;
    ensure!(said.contains("✓ Marked: this is it."), "{said}");
    stage.strike().await
}

/// Stores of a version that is not there yet: nothing is read into them, the popup says
/// why, and they stay as they are.
async fn newer_stores_are_left_alone(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    let mut kept = kept_stores()?;
    let newer = 1_000;
    kept["version"] = newer.into();
    put_stores(&stage, &kept).await?;
    let before = stage.kept().await?;
    ensure!(before.contains("kidneys"), "{before}");
    stage.open("http://town.test/").await?;
    let shown = stage.shown().await?;
    ensure!(
        shown.refused.is_some() && shown.links.is_empty(),
        "{shown:?}"
    );
    stage.popup().await?;
    let said = stage.browser.text().await?;
    let why = "was written by a newer Linkscent";
    ensure!(said.contains(why), "{said}");
    stage.picture("newer").await?;
    ensure!(stage.kept().await? == before, "something changed");
    let script = "const databases = await indexedDB.databases();
        return databases.find(({ name }) => name === 'linkscent').version;";
    let version = stage.browser.script(script).await?;
    ensure!(version == newer, "{version}");
    stage.strike().await
}

#[tokio::test]
async fn newer_stores_are_left_alone_in_chromium() -> Result<()> {
    newer_stores_are_left_alone(BrowserKind::Chromium).await
}

#[tokio::test]
async fn newer_stores_are_left_alone_in_firefox() -> Result<()> {
    newer_stores_are_left_alone(BrowserKind::Firefox).await
}

#[tokio::test]
async fn an_extension_opens_in_chromium() -> Result<()> {
    an_extension_opens(BrowserKind::Chromium).await
}

#[tokio::test]
async fn an_extension_opens_in_firefox() -> Result<()> {
    an_extension_opens(BrowserKind::Firefox).await
}
