//! Pages that a person reads go into the library of the topic in hand once they say so, and not
//! before: in real browsers, from the popup to the dashboard, and out of it again.

use anyhow::{Context, Result, ensure};
use linkscent_archive::warc::Reader;
use linkscent_store::Store;
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::companion::Companion;
use linkscent_tests::scripted::{Reply, scripted_web, so_far};
use linkscent_tests::stage::Stage;
use linkscent_tests::wait_for;

fn page(address: &str) -> Reply {
    match address.rsplit('/').next() {
        Some("1") => Reply::Page(
            "<!doctype html><title>Kidneys</title><p>Dialysis cleans the blood.</p>
             <input value=CANARY><a href='/2?token=CANARY'>Care at home</a>"
                .to_owned(),
        ),
        Some(rest) if rest.starts_with('2') => Reply::Page(
            "<!doctype html><title>Care</title><p>Dialysis at home takes a trained helper.</p>"
                .to_owned(),
        ),
        _ => Reply::Status(404),
    }
}

/// Waits until so many pages are kept; their addresses.
async fn kept(store: &Store, pages: usize) -> Result<Vec<String>> {
    wait_for(&format!("{pages} pages are kept"), 20, || async {
        let crawls = store.crawls(None).await?;
        let Some(reading) = crawls.iter().find(|crawl| crawl.is_reading()) else {
            return Ok((pages == 0).then(Vec::new));
        };
        let rows = store.kept_after(reading.id, 0, 100).await?;
        let addresses = rows.into_iter().map(|row| row.address);
        Ok(Some(addresses.collect::<Vec<_>>()).filter(|rows| rows.len() == pages))
    })
    .await
}

async fn reads_and_keeps(kind: BrowserKind) -> Result<()> {
    let (proxy, asked) = scripted_web(page).await?;
    let stage = Stage::on_web(kind, proxy).await?;
    let data = stage.folder.path().join("data");
    let (companion, port, link, code) = Companion::serve(&data, proxy).await?;
    let store = Store::open(&data).await?;
    let (first, second) = ("http://kidney.test/1", "http://kidney.test/2");
    stage.open(first).await?;
    stage.popup().await?;
    stage.type_in("topic-name", "kidneys").await?;
    stage.press("create-topic").await?;
    stage.pair(port, &code).await?;
    // What is read before that is said is not kept.
    stage.open(second).await?;

    // The page in view is kept as soon as that is said, and those that come after it.
    stage.open(first).await?;
    stage.popup().await?;
    let screen = &stage.browser;
    screen.press("#keep-reading summary").await?;
    stage.picture("keep-what-you-read").await?;
    stage.press("keep-site").await?;
    screen.wait_for_text("Keep no more of kidney.test").await?;
    ensure!(
        kept(&store, 1).await? == [first],
        "only what was read since"
    );
    stage.open(second).await?;
    ensure!(kept(&store, 2).await? == [first, second]);
    let reading = store.crawls(None).await?[0].id;
    for row in store.kept_after(reading, 0, 9).await? {
        let archive = store.warc_path(reading);
        let kept = Reader::response_at(&archive, row.offset, &row.address)?;
        let html = kept.html();
        ensure!(
            html.contains("Dialysis") && !html.contains("CANARY"),
            "{html}"
        );
    }
    // The companion asked for none of it.
    let of_site = || {
        let asked = so_far(&asked).into_iter();
        asked.filter(|page| page.contains("kidney.test")).count()
    };
    let requests = of_site();

    screen.driver.goto(&link).await?;
    let topic = "return [...document.querySelectorAll('main a')].find((link) => link.textContent === 'kidneys').href;";
    let topic = screen.read(topic).await?;
    screen
        .driver
        .goto(topic.as_str().context("no topic")?)
        .await?;
    screen.wait_for_text("Your browsers kept 2 pages").await?;
    stage.picture("kept-reading").await?;
    screen.press("#crawls a[href*=browsed]").await?;
    screen.wait_for_text("How to ask").await?;
    // The index is written a moment after a page was kept.
    wait_for("the page is found", 20, || async {
        let found = screen.text().await?.contains("takes a trained helper");
        if !found {
            screen.driver.refresh().await?;
        }
        Ok(found.then_some(()))
    })
    .await?;
    stage.picture("kept-reading-library").await?;
    ensure!(of_site() == requests);

    // Forgotten in the browser, a page is gone from the library, too.
    stage.open(second).await?;
    // The page has been read before the popup is opened over it.
    stage.shown().await?;
    stage.popup().await?;
    stage.press("forget-page").await?;
    ensure!(kept(&store, 1).await? == [first]);
    drop(companion);
    stage.strike().await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_is_kept_in_chromium() -> Result<()> {
    reads_and_keeps(BrowserKind::Chromium).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_read_is_kept_in_firefox() -> Result<()> {
    reads_and_keeps(BrowserKind::Firefox).await
}
