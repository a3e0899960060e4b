//! The paths of a person through the web, in real browsers: how they came to each page
//! and from which visit, as the companion hears of it.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use linkscent_core::wire::api::{Event, EventKind, Visit};
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::companion::Companion;
use linkscent_tests::scripted::{Reply, scripted_web};
use linkscent_tests::stage::Stage;
use linkscent_tests::wait_for;
use serde_json::Value;
use thirtyfour::prelude::*;

const SITE: &str = "http://bees.test/";

/// Pages that link to each other, one that is not read, and an address that leads to
/// another.
fn web(address: &str) -> Reply {
    let name = address.strip_prefix(SITE).unwrap_or("other");
    if name == "moved" {
        return Reply::Redirect(format!("{SITE}f"));
    }
    let links: String = ["a", "b", "c", "d", "e", "f", "g", "h", "login", "moved"]
        .iter()
        .map(|to| format!("<p>mason bees <a id={to} href='/{to}'>page {to}</a> nest in reeds"))
        .collect();
    let field = match name {
        "login" => "<form><input type=password name=pw></form>",
        _ => "",
    };
    Reply::Page(format!(
        "<!doctype html><html lang=en><title>Bees {name}</title><h1>Bees {name}</h1>{links}{field}"
    ))
}

/// The visits that wait in the browser, in order.
async fn waiting(stage: &Stage) -> Result<Vec<Event>> {
    let driver = &stage.browser.driver;
    let before = driver.window().await?;
    driver.switch_to_window(stage.popup.clone()).await?;
    let own = stage.browser.page("")?;
    if !driver.current_url().await?.as_str().starts_with(&own) {
        driver.goto(stage.browser.page("pages/panel.html")?).await?;
    }
    let script = "const all = (request) => new Promise((done, failed) => {
            request.onsuccess = () => done(request.result);
            request.onerror = () => failed(request.error);
        });
        const database = await all(indexedDB.open('linkscent'));
        const rows = await all(database.transaction('outbox').objectStore('outbox').getAll());
        database.close();
        return rows.filter(({ kind }) => kind === 'visit');";
    let rows = stage.browser.script(script).await;
    driver.switch_to_window(before).await?;
    Ok(serde_json::from_value(rows?)?)
}

/// The same, once there are so many.
async fn visits(stage: &Stage, count: usize) -> Result<Vec<Event>> {
    let found = wait_for("the visit is logged", 15, || async {
        let events = waiting(stage).await?;
        Ok((events.len() >= count).then_some(events))
    });
    match found.await {
        Ok(events) => Ok(events),
        Err(error) => Err(error.context(lines(&waiting(stage).await?).join("\n"))),
    }
}

fn visit(event: &Event) -> Result<&Visit> {
    match &event.what {
        EventKind::Visit(visit) => Ok(visit),
        other => anyhow::bail!("{other:?}"),
    }
}

/// Visits as lines: number, transition, page, the number of the visit it came from, `*` for
/// a click.
fn lines(events: &[Event]) -> Vec<String> {
    let line = events.iter().enumerate().map(|(own, event)| {
        let Ok(visit) = visit(event) else {
            return format!("{event:?}");
        };
        let how = serde_json::to_value(visit.how).unwrap_or_default();
        let page = visit.page.strip_prefix(SITE).unwrap_or(&visit.page);
        let mut line = format!("{own} {} {page}", how.as_str().unwrap_or_default());
        if let Some(from) = &visit.from {
            let place = events.iter().position(|event| event.id == *from);
            line.push_str(
                &format!(" <- {place:?}")
                    .replace("Some(", "")
                    .replace(')', ""),
            );
        }
        if visit.click.is_some() {
            line.push_str(" *");
        }
        line
    });
    line.collect()
}

/// Clicks a link of the page in the page's tab.
async fn follow(stage: &Stage, to: &str) -> Result<()> {
    Ok(stage.browser.driver.find(By::Id(to)).await?.click().await?)
}

/// The number of the tab that shows a page, of several the first.
async fn tab_of(stage: &Stage, page: &str) -> Result<i64> {
    let driver = &stage.browser.driver;
    let before = driver.window().await?;
    driver.switch_to_window(stage.popup.clone()).await?;
    let script = format!(
        "const tabs = await chrome.tabs.query({{ url: '{SITE}*' }});
         return tabs.find((tab) => tab.url === '{SITE}{page}')?.id ?? null;"
    );
    let tab = stage.browser.script(&script).await;
    driver.switch_to_window(before).await?;
    tab?.as_i64().context("no such tab")
}

/// Does something to tabs from a page of the extension.
async fn with_tabs(stage: &Stage, script: &str) -> Result<()> {
    let driver = &stage.browser.driver;
    driver.switch_to_window(stage.popup.clone()).await?;
    stage.browser.script(script).await?;
    driver.switch_to_window(stage.page.clone()).await?;
    Ok(())
}

/// Walks; what the path is to be.
async fn walk(stage: &Stage) -> Result<Vec<&'static str>> {
    let driver = &stage.browser.driver;
    let mut path = Vec::new();
    let mut came = async |line: &'static str| -> Result<()> {
        path.push(line);
        let events = visits(stage, path.len()).await?;
        ensure!(lines(&events) == path, "{:#?}", lines(&events));
        Ok(())
    };
    came("0 typed start").await?;
    stage.open("http://bees.test/a").await?;
    came("1 typed a").await?;
    follow(stage, "b").await?;
    came("2 link b <- 1 *").await?;
    follow(stage, "c").await?;
    came("3 link c <- 2 *").await?;
    stage.browser.kill_background().await?;
    driver.switch_to_window(stage.page.clone()).await?;
    driver.back().await?;
    came("4 back b <- 2").await?;
    follow(stage, "d").await?;
    came("5 link d <- 2 *").await?;
    // In a new tab, by the middle button.
    let link = driver.find(By::Id("e")).await?;
    stage.browser.mouse(&link, 1).await?;
    came("6 new_tab e <- 5 *").await?;
    follow(stage, "moved").await?;
    came("7 redirect f <- 5 *").await?;
    driver.refresh().await?;
    came("8 reload f <- 7").await?;
    driver.back().await?;
    came("9 back d <- 5").await?;
    stage.browser.kill_background().await?;
    driver.switch_to_window(stage.page.clone()).await?;
    driver.forward().await?;
    came("10 forward f <- 7").await?;
    // Past a page that is not read, back again, and on by its link.
    follow(stage, "login").await?;
    let shown = stage.shown().await?;
    ensure!(shown.refused.is_some(), "{shown:?}");
    driver.back().await?;
    came("11 back f <- 7").await?;
    stage.open("http://bees.test/login").await?;
    ensure!(stage.shown().await?.refused.is_some());
    follow(stage, "h").await?;
    came("12 link h").await?;
    // What a page opens in a tab is heard of as what the browser's menu opens.
    stage.browser.read("window.open('/g'); return 1;").await?;
    came("13 new_tab g <- 12").await?;
    // The browser brings a tab back, as it does a closed one.
    let tab = tab_of(stage, "h").await?;
    with_tabs(stage, &format!("await chrome.tabs.duplicate({tab});")).await?;
    came("14 restored h").await?;
    if stage.browser.kind == BrowserKind::Firefox {
        let tab = tab_of(stage, "e").await?;
        with_tabs(stage, &format!("await chrome.tabs.remove({tab});")).await?;
        stage.browser.reopen_tab().await?;
        came("15 restored e").await?;
    }
    Ok(path)
}

/// What the companion took in of visits, in the order in which they happened.
async fn taken_in(data: &Path) -> Result<Vec<Event>> {
    let url = format!("sqlite://{}", data.join("linkscent.sqlite").display());
    let pool = sqlx::SqlitePool::connect(&url).await?;
    let rows: Vec<(String,)> = sqlx::query_as("SELECT body FROM event ORDER BY number")
        .fetch_all(&pool)
        .await?;
    pool.close().await;
    let mut events = Vec::new();
    for (body,) in rows {
        let body: Value = serde_json::from_str(&body)?;
        if body["kind"] == "visit" {
            events.push(serde_json::from_value(body)?);
        }
    }
    Ok(events)
}

async fn paths_reach_the_companion(kind: BrowserKind) -> Result<()> {
    let (proxy, _) = scripted_web(web).await?;
    let stage = Stage::on_web(kind, proxy).await?;
    stage.open("http://bees.test/start").await?;
    stage.popup().await?;
    stage.type_in("topic-name", "bees").await?;
    stage.press("create-topic").await?;
    let expected = walk(&stage).await?;

    let data = stage.folder.path().join("data");
    let (companion, port, _, code) = Companion::serve(&data, proxy).await?;
    stage.pair(port, &code).await?;
    let events = wait_for("the companion knows the visits", 20, || async {
        let events = taken_in(&data).await?;
        Ok((events.len() >= expected.len()).then_some(events))
    })
    .await?;
    ensure!(lines(&events) == expected, "{:#?}", lines(&events));
    let first = visit(&events[1])?;
    let word = |word: &str| first.words.iter().any(|(known, _)| known == word);
    ensure!(word("mason") && word("reed"), "{first:?}");
    ensure!(first.title_words == ["bee"], "{first:?}");
    ensure!(waiting(&stage).await?.is_empty());
    let kept = stage.kept().await?;
    let mut paths = kept.split(" | ").filter(|row| row.starts_with("paths "));
    ensure!(paths.all(|row| !row.contains("login")), "{kept}");
    drop(companion);
    stage.strike().await
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_reach_the_companion_in_chromium() -> Result<()> {
    paths_reach_the_companion(BrowserKind::Chromium).await
}

#[tokio::test(flavor = "multi_thread")]
async fn paths_reach_the_companion_in_firefox() -> Result<()> {
    paths_reach_the_companion(BrowserKind::Firefox).await
}
