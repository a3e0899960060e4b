//! Pages that need scripts are read through the person's browser, on the sites they ticked: a web
//! of which half shows nothing without scripts is crawled as far as targets go, and what is sent
//! of its pages holds no cookie, no field and no secret. In real browsers.

use std::fmt::Write as _;

use anyhow::{Context, Result, ensure};
use linkscent_store::Store;
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::companion::Companion;
use linkscent_tests::scripted::{Reply, scripted_web, so_far};
use linkscent_tests::stage::Stage;
use linkscent_tests::wait_for;
use linkscent_tests::web::word;
use thirtyfour::prelude::*;

/// Pages about kidneys, and as many about trains. Each links to the next ones of both.
const TARGETS: u64 = 100;
const SITE: &str = "app.test";

/// What a page says when it is whole, with links to the next ones.
fn content(number: u64, query: &str) -> String {
    let words = if number < TARGETS {
        "Dialysis cleans the blood of kidney patients three times a week; a dialysis machine filters waste that a kidney transplant would."
    } else {
        "The railway timetable lists trains, platforms and stations of the line; steam engines pulled trains through the valley."
    };
    let of = |number: u64| {
        if number < TARGETS {
            "kidney dialysis"
        } else {
            "railway trains"
        }
    };
    // A word that no other page has: a site that only repeats itself is left.
    let own = word(number);
    let mut html = format!("<h1>{} {number}</h1><p>{words} {own}</p>", of(number));
    let half = number % TARGETS;
    for next in [2 * half + 1, 2 * half + 2] {
        for target in [next, next + TARGETS] {
            if next < TARGETS {
                let _ = write!(
                    html,
                    "<p><a href=\"/{target}{query}\">{} {target}</a></p>",
                    of(target)
                );
            }
        }
    }
    html
}

/// Every second page, by its depth, shows nothing before its script has run; it says what nobody
/// is to hear, too.
fn page(address: &str) -> Reply {
    let number = address
        .split('?')
        .next()
        .and_then(|page| page.rsplit('/').next());
    let Some(number) = number.and_then(|number| number.parse::<u64>().ok()) else {
        return Reply::Status(404);
    };
    let needs_scripts = (number % TARGETS + 1).ilog2() % 2 == 1;
    if !needs_scripts {
        let content = content(number, "");
        return Reply::Page(format!(
            "<!doctype html><title>Page {number}</title>{content}"
        ));
    }
    let content = content(number, "?session=CANARY");
    let content = serde_json::to_string(&content).unwrap_or_default();
    Reply::Page(format!(
        "<!doctype html><title>Page {number}</title><div id=app></div>
         <script>document.cookie = 'id=CANARY';
         setTimeout(() => {{
             document.getElementById('app').innerHTML = {content};
             const field = document.createElement('input');
             field.name = 'note'; field.value = 'CANARY'; field.setAttribute('value', 'CANARY');
             document.body.append(field);
             document.body.dataset.token = 'CANARY';
         }}, 50);</script>"
    ))
}

/// Targets among the pages that the crawl took in.
async fn targets_reached(store: &Store, crawl: i64) -> Result<u64> {
    let mut reached = 0;
    for row in store.fetches(crawl).await? {
        let number = row.address.rsplit('/').next().unwrap_or_default();
        let is_target = number.parse::<u64>().is_ok_and(|number| number < TARGETS);
        reached += u64::from(is_target && row.place.warc_offset.is_some());
    }
    Ok(reached)
}

async fn ended(store: &Store, crawl: i64) -> Result<()> {
    wait_for("the crawl has ended", 60, || async {
        let row = store.crawl(crawl).await?.context("the crawl is gone")?;
        Ok((row.state.is_over() && !store.is_locked(crawl)).then_some(()))
    })
    .await
}

async fn begin(stage: &Stage, store: &Store) -> Result<i64> {
    stage.popup().await?;
    let driver = &stage.browser.driver;
    driver
        .find(By::Css("#hand-over summary"))
        .await?
        .click()
        .await?;
    stage.type_in("budget", "300").await?;
    stage.press("start-crawl").await?;
    let crawls = store.crawls(None).await?;
    Ok(crawls.first().context("no crawl has begun")?.id)
}

async fn through_the_browser(kind: BrowserKind) -> Result<()> {
    let (proxy, asked) = scripted_web(page).await?;
    let stage = Stage::on_web(kind, proxy).await?;
    let data = stage.folder.path().join("data");
    let (companion, port, _, code) = Companion::serve(&data, proxy).await?;
    let store = Store::open(&data).await?;
    let start = format!("http://{SITE}/0");
    stage.open(&start).await?;
    stage.popup().await?;
    stage.type_in("topic-name", "kidneys").await?;
    stage.press("create-topic").await?;
    stage.mark(&start, "mark-target").await?;
    stage.pair(port, &code).await?;

    let alone = begin(&stage, &store).await?;
    ended(&store, alone).await?;
    let before = targets_reached(&store, alone).await?;
    println!("{kind:?}: {before} of {TARGETS} targets without the browser");
    ensure!(before < 10, "{before}");
    let opened = so_far(&asked).len();

    // The panel names the site; nothing happens before it is ticked.
    stage.panel().await?;
    let screen = &stage.browser;
    screen.wait_for_text("Through your browser").await?;
    screen.wait_for_text("pages wait").await?;
    let since = so_far(&asked).split_off(opened);
    // A browser asks its maker for this and that on its own.
    let since: Vec<_> = since.iter().filter(|page| page.contains(SITE)).collect();
    ensure!(since.is_empty(), "{since:?}");
    stage.picture("through-your-browser").await?;
    // Browsers take a request for a permission only of a person's press.
    let tick = screen.driver.find(By::Css("#sites input")).await?;
    tick.click().await?;
    wait_for("most targets are reached", 300, || async {
        Ok((targets_reached(&store, alone).await? >= 80).then_some(()))
    })
    .await?;
    let reached = targets_reached(&store, alone).await?;
    println!("{kind:?}: {reached} of {TARGETS} targets through the browser so far");

    // What was kept of them says nothing that nobody is to hear.
    for row in store.fetches(alone).await? {
        if let Some(offset) = row.place.warc_offset {
            let archive = store.warc_path(alone);
            let body =
                linkscent_archive::warc::Reader::response_at(&archive, offset, &row.address)?.body;
            let text = String::from_utf8_lossy(&body).into_owned();
            let is_rendered = text.contains("name=\"note\"");
            ensure!(!(is_rendered && text.contains("CANARY")), "{text}");
        }
    }
    // Pages that were opened for it are no pages of the person's.
    let kept = stage.kept().await?;
    let rows = kept
        .split(" | ")
        .filter(|row| !row.starts_with("ledger") && !row.starts_with("values seen"));
    let read: Vec<&str> = rows.filter(|row| row.contains("app.test/5")).collect();
    ensure!(
        !read
            .iter()
            .any(|row| row.starts_with("paths") || row.starts_with("trails")),
        "{read:?}"
    );
    // And all tabs are closed again when there is nothing more to read.
    ended(&store, alone).await.ok();
    drop(companion);
    stage.strike().await
}

#[tokio::test]
async fn through_the_browser_in_chromium() -> Result<()> {
    through_the_browser(BrowserKind::Chromium).await
}

#[tokio::test]
async fn through_the_browser_in_firefox() -> Result<()> {
    through_the_browser(BrowserKind::Firefox).await
}
