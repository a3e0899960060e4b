//! The library, in real browsers: what a crawl kept is searched, judged by keys alone, opened as it
//! was kept and taken away on the dashboard, and searched from the panel.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use linkscent_store::Store;
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::companion::Companion;
use linkscent_tests::stage::Stage;
use linkscent_tests::{shell, wait_for};
use thirtyfour::prelude::*;

const DIALYSIS: &str = "http://kidney.test/dialysis";

async fn crawl(stage: &Stage, data: &Path) -> Result<()> {
    let list = shell::list(stage.folder.path(), &[DIALYSIS])?;
    let seeds = stage.folder.path().join("seeds.txt");
    std::fs::write(&seeds, "http://town.test/")?;
    let seeds = seeds.display().to_string();
    let proxy = format!("http://127.0.0.1:{}", stage.proxy);
    let data = data.display().to_string();
    let crawl = Companion::start(&[
        "crawl",
        "--json",
        "--topic",
        "kidneys",
        "--examples",
        &list,
        "--seeds",
        &seeds,
        "--budget",
        "12",
        "--data",
        &data,
        "--proxy",
        &proxy,
    ])?;
    crawl.finish().await?;
    Ok(())
}

/// The person's marks, by address.
async fn marks(data: &Path) -> Result<Vec<(String, bool)>> {
    let marks = Store::open(data).await?.marks(1).await?;
    Ok(marks
        .into_iter()
        .map(|mark| (mark.address, mark.target))
        .collect())
}

/// Waits until a page is marked so, or not at all.
async fn marked(data: &Path, page: &str, wanted: Option<bool>) -> Result<()> {
    wait_for(&format!("{page}: {wanted:?}"), 15, || async {
        let found = marks(data).await?.into_iter().find(|mark| mark.0 == page);
        Ok((found.map(|mark| mark.1) == wanted).then_some(()))
    })
    .await
}

/// The bookmarks of another browser become addresses to look at.
async fn from_a_file(stage: &Stage) -> Result<()> {
    let screen = &stage.browser;
    let file = stage.folder.path().join("bookmarks.html");
    let bookmarks = "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF=\"http://kidney.test/diet\">Diet</A></DL>";
    std::fs::write(&file, bookmarks)?;
    let field = screen.driver.find(By::Css("input[type=file]")).await?;
    field.send_keys(file.display().to_string()).await?;
    let filled = "return document.querySelector('[name=examples]').value;";
    wait_for("the field is filled", 10, || async {
        Ok((screen.read(filled).await? == "http://kidney.test/diet").then_some(()))
    })
    .await?;
    stage.picture("from-a-file").await
}

/// Everything by keys: the search field, the results, the verdicts.
async fn by_keys(stage: &Stage, data: &Path) -> Result<()> {
    let screen = &stage.browser;
    let driver = &screen.driver;
    let press = async |keys: &str| driver.action_chain().send_keys(keys).perform().await;
    screen.press("header a[href$='/library']").await?;
    screen.wait_for_text("How to ask").await?;
    press("/").await?;
    let field = driver.active_element().await?;
    ensure!(field.id().await?.as_deref() == Some("words"));
    screen
        .read("document.querySelector('[name=of]').value = 'all';")
        .await?;
    field.send_keys("kidney").await?;
    field.send_keys(Key::Enter).await?;
    // The index may still be written: the screen says when there is more, and leads to it.
    let listed = "document.querySelector('#more a')?.click(); return document.querySelector('.results mark') && [...document.querySelectorAll('.results > li')].map((line) => line.querySelector('a').href);";
    let pages: Vec<String> = wait_for("pages with the word", 30, || async {
        let listed = screen.read(listed).await?;
        Ok(listed
            .is_array()
            .then(|| serde_json::from_value(listed))
            .transpose()?)
    })
    .await?;
    ensure!(pages.len() > 1, "{pages:?}");
    let words = "return [...document.querySelectorAll('.results mark')].map((word) => word.textContent.toLowerCase());";
    let words: Vec<String> = serde_json::from_value(screen.read(words).await?)?;
    ensure!(
        words.iter().any(|word| word.starts_with("kidney")),
        "{words:?}"
    );
    stage.picture("library").await?;

    let before = marks(data).await?;
    let place = pages
        .iter()
        .position(|page| before.iter().all(|mark| mark.0 != *page));
    let place = place.context("nothing to judge")?;
    let page = &pages[place];
    for _ in 0..=place {
        press("j").await?;
    }
    press("n").await?;
    screen.wait_for_text("1 judged here.").await?;
    marked(data, page, Some(false)).await?;
    press("y").await?;
    marked(data, page, Some(true)).await?;
    press("u").await?;
    marked(data, page, None).await?;
    let here = driver.current_url().await?;
    ensure!(
        here.path().ends_with("/library"),
        "no other page came: {here}"
    );
    let focused = "return document.activeElement.querySelector('a').href;";
    ensure!(screen.read(focused).await? == **page);
    Ok(())
}

/// Tags, notes and ticks by keys; then a search by tag, of which all is judged at once and undone.
async fn annotations(stage: &Stage, data: &Path) -> Result<()> {
    let screen = &stage.browser;
    let driver = &screen.driver;
    let press = async |keys: &str| driver.action_chain().send_keys(keys).perform().await;
    let page = screen
        .read("return document.activeElement.querySelector('a').href;")
        .await?;
    let page = page.as_str().context("no line has the focus")?.to_owned();
    press("t").await?;
    let field = driver.active_element().await?;
    field.send_keys("To read").await?;
    field.send_keys(Key::Enter).await?;
    screen.wait_for_text("#To read").await?;
    press("m").await?;
    let field = driver.active_element().await?;
    field.send_keys("Ask the nurse").await?;
    field.send_keys(Key::Tab).await?;
    driver.active_element().await?.send_keys(Key::Enter).await?;
    let note = "return document.activeElement.querySelector('[data-note]')?.textContent ?? '';";
    wait_for("the note is shown", 10, || async {
        Ok((screen.read(note).await? == "Ask the nurse").then_some(()))
    })
    .await?;
    press("x").await?;
    let ticked = "return document.querySelectorAll('[name=page]:checked').length;";
    ensure!(screen.read(ticked).await? == 1);
    stage.picture("library-annotations").await?;

    press("/").await?;
    let field = driver.active_element().await?;
    field.clear().await?;
    // What is being typed is proposed to its end.
    field.send_keys("kidney tag:to-r").await?;
    let proposed =
        "return [...document.querySelectorAll('#suggested option')].map((one) => one.value);";
    wait_for("the tag is proposed", 10, || async {
        let proposed = screen.read(proposed).await?;
        Ok((proposed == serde_json::json!(["kidney tag:to-read"])).then_some(()))
    })
    .await?;
    field.clear().await?;
    field.send_keys("tag:to-read is:noted").await?;
    field.send_keys(Key::Enter).await?;
    screen.wait_for_text("1 page.").await?;
    screen.press("details:has(#many) > summary").await?;
    screen
        .read("document.querySelector('#many [name=which]').value = 'search';")
        .await?;
    screen.press("#many [value=not]").await?;
    screen
        .wait_for_text("1 page was marked as not relevant.")
        .await?;
    marked(data, &page, Some(false)).await?;
    screen.press("form[action$='/library/undo'] button").await?;
    screen
        .wait_for_text_gone("was marked as not relevant")
        .await?;
    marked(data, &page, None).await?;

    screen
        .press("details:has([action$='/library/searches']) > summary")
        .await?;
    let name = driver
        .find(By::Css("[action$='/library/searches'] [name=name]"))
        .await?;
    name.send_keys("with notes").await?;
    name.send_keys(Key::Enter).await?;
    screen.wait_for_text("Kept searches: with notes").await?;
    Ok(())
}

/// A find is explained in full, and its crawl says what it brought and cost.
async fn explained(stage: &Stage) -> Result<()> {
    let screen = &stage.browser;
    screen.press("header a[href$='/library']").await?;
    screen.wait_for_text("How to ask").await?;
    screen
        .press(".results details:has([href*='/library/why/']) > summary")
        .await?;
    screen.press(".results [href*='/library/why/']").await?;
    screen.wait_for_text("The way there").await?;
    let said = screen.text().await?;
    ensure!(said.contains("Likeness to the nearest target"), "{said}");
    stage.picture("explained").await?;
    screen.press(".crumbs a[href*='/crawl/']").await?;
    screen.press(".button[href$='/yield']").await?;
    screen.wait_for_text("By site").await?;
    let said = screen.text().await?;
    ensure!(said.contains("kidney.test"), "{said}");
    stage.picture("yield").await?;
    screen.press(".crumbs a[href*='/crawl/']").await?;
    screen.press(".button[href$='/hosts']").await?;
    screen.wait_for_text("Last answer").await?;
    let said = screen.text().await?;
    ensure!(said.contains("kidney.test"), "{said}");
    stage.picture("hosts").await
}

/// A topic's map says the way to a page, and the topic can be watched.
async fn map_and_watch(stage: &Stage) -> Result<()> {
    let screen = &stage.browser;
    screen.press("header a.brand").await?;
    screen.wait_for_text("New topic").await?;
    screen.press(".cards a[href*='/topic/']").await?;
    screen.wait_for_text("Best finds").await?;
    screen.press("[name=what][value=on]").await?;
    screen.wait_for_text("Looked after every 24 hours").await?;
    let feed = "return document.querySelector('a[href^=\"/feed/\"]').href;";
    let feed = screen.read(feed).await?;
    let fetched = format!("return await (await fetch({feed})).text();");
    let feed = screen.script(&fetched).await?;
    let feed = feed.as_str().context("no feed")?;
    ensure!(
        feed.contains("<entry>") && feed.contains("kidney.test"),
        "{feed}"
    );
    stage.picture("topic-watched").await?;
    screen.press("a[href$='/map']").await?;
    screen.wait_for_text("As a list").await?;
    // Keys and forms wait for loaded pages; so does the pointer.
    wait_for("the map's script", 10, || async {
        let loaded = screen
            .read("return document.readyState === 'complete';")
            .await?;
        Ok((loaded == true).then_some(()))
    })
    .await?;
    let mark = screen.driver.find(By::Css(".map .find")).await?;
    mark.scroll_into_view().await?;
    let pointer = screen.driver.action_chain();
    pointer.move_to_element_center(&mark).perform().await?;
    screen.wait_for_text("a start").await?;
    stage.picture("map").await
}

/// A kept page runs nothing, and what is taken away is a file.
async fn kept_and_taken(stage: &Stage) -> Result<()> {
    let screen = &stage.browser;
    let kept = "return document.querySelector('.results a[href*=\"/library/kept/\"]').href;";
    let kept = screen.read(kept).await?;
    let file = "return document.querySelector('a[href*=\"/library/take/ris\"]').href;";
    let file = screen.read(file).await?;
    let fetched = format!("return await (await fetch({file})).text();");
    let references = screen.script(&fetched).await?;
    let references = references.as_str().context("no file")?;
    ensure!(references.starts_with("TY  - ELEC\r\n"), "{references}");
    screen
        .driver
        .goto(kept.as_str().context("no link")?)
        .await?;
    let origin = screen.read("return self.origin;").await?;
    ensure!(origin == "null", "it is of no origin: {origin}");
    Ok(())
}

async fn from_the_panel(stage: &Stage, port: u16, code: &str) -> Result<()> {
    let screen = &stage.browser;
    stage.new_topic("kidneys").await?;
    stage.pair(port, code).await?;
    stage.panel().await?;
    screen.wait_for_text("Search what was found").await?;
    stage.type_in("search-words", "dialysis").await?;
    screen.press("#search").await?;
    screen.wait_for_text("in the library").await?;
    stage.picture("panel-search").await
}

async fn library(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    let data = stage.folder.path().join("data");
    crawl(&stage, &data).await?;
    let (companion, port, link, code) = Companion::serve(&data, stage.proxy).await?;
    stage.open(&link).await?;
    stage.browser.wait_for_text("New topic").await?;
    let dashboard = stage.browser.driver.current_url().await?.to_string();
    from_a_file(&stage).await?;
    by_keys(&stage, &data).await?;
    annotations(&stage, &data).await?;
    kept_and_taken(&stage).await?;
    stage.open(&dashboard).await?;
    explained(&stage).await?;
    map_and_watch(&stage).await?;
    stage.open("http://town.test/").await?;
    from_the_panel(&stage, port, &code).await?;
    drop(companion);
    stage.strike().await
}

#[tokio::test(flavor = "multi_thread")]
async fn library_in_chromium() -> Result<()> {
    library(BrowserKind::Chromium).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "Chromium stands for both by day: cargo nightly"]
async fn library_in_firefox() -> Result<()> {
    library(BrowserKind::Firefox).await
}
