//! The browser's own ways in, in real browsers: menus, keys and the address bar, and links kept
//! for later, from which a crawl begins.
//!
//! No driver can open a browser's own menu. So the script that listens to it is loaded into a
//! page of the extension, with the events taken from the browser and called by the test;
//! everything behind them is as it ships.

use anyhow::{Context, Result, ensure};
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::companion::Companion;
use linkscent_tests::stage::Stage;
use linkscent_tests::wait_for;
use thirtyfour::prelude::*;

/// Loads the listening script into the panel; its listeners are in `window.heard`.
const LISTEN: &str = "
    const real = globalThis.chrome, heard = (window.heard = {});
    const event = (name) => ({ addListener: (listener) => (heard[name] = listener) });
    const opened = (window.opened = []);
    globalThis.chrome = {
        i18n: real.i18n,
        runtime: { onInstalled: event('installed'), sendMessage: (message) => real.runtime.sendMessage(message) },
        scripting: real.scripting,
        storage: real.storage,
        tabs: { query: (what) => real.tabs.query(what), sendMessage: (...message) => real.tabs.sendMessage(...message), update: async (what) => opened.push(what), create: async (what) => opened.push(what) },
        contextMenus: { removeAll: (done) => done(), create: (item) => (window.items ??= []).push(item), onClicked: event('clicked') },
        commands: { onCommand: event('command') },
        omnibox: { setDefaultSuggestion() {}, onInputChanged: event('typed'), onInputEntered: event('entered') },
        sidePanel: { open: async () => opened.push('panel') },
    };
    const { listen } = await import('../js/menus.js?in-a-test');
    listen(async (message) => {
        const answer = await real.runtime.sendMessage(message);
        if (answer?.error) throw new Error(answer.error);
        return answer;
    });
    heard.installed();
    const tabs = await real.tabs.query({});
    window.pageTab = tabs.find(({ url }) => url?.includes('.test'));
    return window.items.map(({ id }) => id);";

/// The person opens a link's menu; returns where it leads.
async fn open_menu(stage: &Stage, link: &str) -> Result<String> {
    let driver = &stage.browser.driver;
    driver.switch_to_window(stage.page.clone()).await?;
    let link = driver.find(By::LinkText(link)).await?;
    stage.browser.mouse(&link, 2).await?;
    let href = link.prop("href").await?.context("no link")?;
    driver.switch_to_window(stage.popup.clone()).await?;
    Ok(href)
}

/// They choose something in it.
async fn choose(stage: &Stage, item: &str, href: &str) -> Result<()> {
    let script = format!(
        "await window.heard.clicked({{ menuItemId: {item:?}, linkUrl: {href:?} }}, window.pageTab);"
    );
    stage.browser.script(&script).await.map(drop)
}

async fn said(stage: &Stage) -> Result<String> {
    let driver = &stage.browser.driver;
    driver.switch_to_window(stage.page.clone()).await?;
    let said = wait_for("something is said", 10, || async {
        Ok(stage.shown().await?.said)
    })
    .await?;
    driver.switch_to_window(stage.popup.clone()).await?;
    Ok(said)
}

async fn by_menu(stage: &Stage) -> Result<()> {
    let screen = &stage.browser;
    stage.open("http://town.test/").await?;
    stage.highlights().await?;
    stage.panel().await?;
    let items = screen.script(LISTEN).await?;
    ensure!(
        items.as_array().is_some_and(|items| items.len() == 8),
        "{items}"
    );
    let href = open_menu(stage, "Railway timetable").await?;
    choose(stage, "fewer-like", &href).await?;
    let told = said(stage).await?;
    ensure!(
        told == "“Railway timetable” is not your topic. Take it back in the popup.",
        "{told}"
    );
    choose(stage, "later", &href).await?;
    screen.wait_for_text("Railway timetable").await?;
    // What cannot be kept is said, too.
    choose(stage, "later", "mailto:someone@town.test").await?;
    let told = said(stage).await?;
    ensure!(!told.is_empty() && !told.contains("Kept"), "{told}");
    let key = "await window.heard.command('this-is-it', window.pageTab);";
    screen.script(key).await?;
    let told = said(stage).await?;
    ensure!(told.starts_with("Marked: this is it"), "{told}");
    // The next link, by a key that the person chose.
    let key = "await window.heard.command('jump', window.pageTab);";
    screen.script(key).await?;
    screen.driver.switch_to_window(stage.page.clone()).await?;
    wait_for("a link is reached", 10, || async {
        Ok(stage.shown().await?.reached)
    })
    .await?;
    screen.driver.switch_to_window(stage.popup.clone()).await?;
    Ok(())
}

async fn by_address_bar(stage: &Stage) -> Result<()> {
    let screen = &stage.browser;
    let typed = "return await new Promise((found) => window.heard.typed('railway', found));";
    let found = screen.script(typed).await?;
    let first = &found[0];
    ensure!(
        first["content"] == "http://trains.test/timetable",
        "{found}"
    );
    ensure!(
        first["description"] == "Railway timetable (for later)",
        "{found}"
    );
    let entered =
        "await window.heard.entered('town', 'newForegroundTab'); return window.opened.at(-1).url;";
    let opened = screen.script(entered).await?;
    ensure!(opened == "http://town.test/", "{opened}");
    Ok(())
}

async fn what_was_said_stands_in_the_popup(stage: &Stage) -> Result<()> {
    stage.popup().await?;
    let said =
        "return [...document.querySelectorAll('#said li')].map((line) => line.textContent).join();";
    let said = stage.browser.read(said).await?;
    let said = said.as_str().unwrap_or_default();
    ensure!(said.contains("✗ not “Railway timetable”"), "{said}");
    Ok(())
}

/// Links kept for later are ticked, and a crawl begins there and nowhere else.
async fn crawled_from(stage: &Stage) -> Result<()> {
    let screen = &stage.browser;
    let data = stage.folder.path().join("data");
    let (companion, port, _, code) = Companion::serve(&data, stage.proxy).await?;
    stage.pair(port, &code).await?;
    stage.panel().await?;
    screen.wait_for_text("Crawl from those ticked").await?;
    stage.picture("for-later").await?;
    stage.type_in("later-budget", "2").await?;
    screen.press("#crawl-from").await?;
    if let Err(error) = screen.wait_for_text("Crawl 1 has begun").await {
        anyhow::bail!("{error}: {}", screen.text().await?);
    }
    let fetched = wait_for("the crawl ends", 30, || async {
        let store = linkscent_store::Store::open(&data).await?;
        let log = store.fetches(1).await?;
        Ok((log.len() == 2).then(|| log.into_iter().map(|row| row.address).collect::<Vec<_>>()))
    })
    .await?;
    ensure!(fetched[0] == "http://trains.test/timetable", "{fetched:?}");
    // The panel says how it went, by itself.
    screen.wait_for_text("Crawl 1 is done").await?;
    stage.picture("found").await?;
    drop(companion);
    Ok(())
}

async fn own_ways(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    stage.new_topic("kidneys").await?;
    by_menu(&stage).await?;
    by_address_bar(&stage).await?;
    what_was_said_stands_in_the_popup(&stage).await?;
    crawled_from(&stage).await?;
    stage.strike().await
}

#[tokio::test(flavor = "multi_thread")]
async fn own_ways_in_chromium() -> Result<()> {
    own_ways(BrowserKind::Chromium).await
}

#[tokio::test(flavor = "multi_thread")]
async fn own_ways_in_firefox() -> Result<()> {
    own_ways(BrowserKind::Firefox).await
}
