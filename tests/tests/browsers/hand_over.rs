//! What a person says when they hand a topic over, in real browsers: when sites are left, with
//! what a crawl begins; and what class a page is of, for a topic with a taxonomy.

use std::path::Path;

use anyhow::{Result, ensure};
use linkscent_core::wire::api::{EventKind, EventName};
use linkscent_store::Store;
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::companion::Companion;
use linkscent_tests::stage::Stage;
use linkscent_tests::{shell, wait_for};
use thirtyfour::prelude::*;

/// Opens the part of the popup where a topic is handed over.
async fn open_hand_over(stage: &Stage) -> Result<()> {
    stage.popup().await?;
    let driver = &stage.browser.driver;
    driver
        .find(By::Css("#hand-over > summary"))
        .await?
        .click()
        .await?;
    let bounds = driver.find(By::Css("#bounds > summary")).await?;
    Ok(bounds.click().await?)
}

/// Chooses one of the texts that a field of the popup offers.
async fn choose(stage: &Stage, field: &str, text: &str) -> Result<()> {
    let option = By::Css(format!("#{field} option[value=\"{text}\"]"));
    Ok(stage.browser.driver.find(option).await?.click().await?)
}

/// Has the shell crawl for another topic, so that something is learned for it.
async fn teach_trains(stage: &Stage, data: &Path) -> Result<()> {
    let pages = ["http://trains.test/timetable"];
    let list = shell::list(stage.folder.path(), &pages)?;
    let proxy = format!("http://127.0.0.1:{}", stage.proxy);
    let data = data.display().to_string();
    let crawl = Companion::start(&[
        "crawl",
        "--json",
        "--topic",
        "trains",
        "--examples",
        &list,
        "--budget",
        "8",
        "--data",
        &data,
        "--proxy",
        &proxy,
    ])?;
    crawl.finish().await?;
    Ok(())
}

async fn rules_and_beginning(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    let data = stage.folder.path().join("data");
    teach_trains(&stage, &data).await?;
    let (companion, port, link, code) = Companion::serve(&data, stage.proxy).await?;
    stage.new_topic("kidneys").await?;
    let dialysis = "http://kidney.test/dialysis";
    stage.mark(dialysis, "mark-target").await?;
    stage.pair(port, &code).await?;

    // What is no number of pages or targets is refused, and what would be one is said.
    for (field, wrong, said) in [
        (
            "site-pages",
            "some",
            "A site is left after 1 to 1000000 pages, or never.",
        ),
        (
            "site-pages",
            "0",
            "A site is left after 1 to 1000000 pages, or never.",
        ),
        (
            "site-pages",
            "-2",
            "A site is left after 1 to 1000000 pages, or never.",
        ),
        (
            "site-targets",
            "1.5",
            "A site is left after 1 to 1000000 targets, or never.",
        ),
        (
            "site-targets",
            "9999999999",
            "A site is left after 1 to 1000000 targets, or never.",
        ),
        ("left-out", "a.test/b", "“a.test/b” is no host"),
        ("budget", "none", "A crawl's budget is 1 to 1000000 pages."),
    ] {
        open_hand_over(&stage).await?;
        stage.type_in(field, wrong).await?;
        let refused = stage.press("start-crawl").await;
        let refused = refused.err().map(|error| error.to_string());
        let refused = refused.unwrap_or_default();
        ensure!(refused.contains(said), "{field} {wrong}: {refused:?}");
    }

    // Two pages of a site and no more, beginning with what the trains taught.
    open_hand_over(&stage).await?;
    stage.type_in("budget", "20").await?;
    stage.type_in("site-pages", " 2 ").await?;
    choose(&stage, "start-from", "trains").await?;
    stage.picture("hand-over").await?;
    stage.press("start-crawl").await?;
    let driver = &stage.browser.driver;
    let crawl = wait_for("the crawl is done", 30, || async {
        stage.popup().await?;
        let line = driver.find(By::Id("crawl")).await?.text().await?;
        Ok(line.contains("done").then_some(line))
    })
    .await?;
    // Of kidney.test and trains.test two each, and the town's only page.
    ensure!(crawl.contains("of 5 pages"), "{crawl}");
    driver.switch_to_window(stage.page.clone()).await?;
    driver.goto(&link).await?;
    let screen = &stage.browser;
    screen.wait_for_text("kidneys").await?;
    screen.press("a[href$='/crawl/2']").await?;
    screen
        .wait_for_text("it began with what “trains” taught")
        .await?;
    drop(companion);
    stage.strike().await
}

/// A folder of pages in two classes, and a topic made of it by the shell.
async fn import(stage: &Stage, data: &Path) -> Result<()> {
    let classes = [
        (
            "Health/Kidneys",
            "Dialysis for kidney patients: a machine filters their blood.",
        ),
        (
            "Travel/Trains",
            "The railway timetable lists trains, platforms and stations.",
        ),
    ];
    let root = stage.folder.path().join("classes");
    for (class, text) in classes {
        let folder = root.join(class);
        std::fs::create_dir_all(&folder)?;
        for number in 0..4 {
            let page = format!("<title>Page {number}</title><p>{text}</p>");
            std::fs::write(folder.join(format!("{number}.html")), page)?;
        }
    }
    let (root, data) = (root.display().to_string(), data.display().to_string());
    let import = Companion::start(&[
        "import", "folder", &root, "--topic", "kidneys", "--good", "Health", "--data", &data,
    ])?;
    import.finish().await?;
    Ok(())
}

/// The classes that the companion was told, oldest first.
async fn classes_told(data: &Path) -> Result<Vec<Option<String>>> {
    let store = Store::open(data).await?;
    let events = store.events_of(1, EventName::Class).await?;
    let class = events.into_iter().filter_map(|event| match event.what {
        EventKind::Class { class, .. } => Some(class),
        _ => None,
    });
    Ok(class.collect())
}

async fn classes(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    let data = stage.folder.path().join("data");
    import(&stage, &data).await?;
    let (companion, port, _, code) = Companion::serve(&data, stage.proxy).await?;
    stage.new_topic("kidneys").await?;
    stage.pair(port, &code).await?;

    // The page's class is said once the model has come, also where nothing was marked.
    stage.open("http://trains.test/timetable").await?;
    stage.highlights().await?;
    stage.popup().await?;
    let said = async || -> Result<String> {
        let part = stage.browser.driver.find(By::Id("page-class")).await?;
        Ok(part.text().await?)
    };
    let judged = said().await?;
    ensure!(judged.contains("Judged to be of Travel/Trains"), "{judged}");
    stage.picture("class").await?;

    // It is corrected from a list; that outlives the background and reaches the companion.
    choose(&stage, "other-class", "Health/Kidneys").await?;
    stage.press("correct-class").await?;
    stage.browser.kill_background().await?;
    stage.popup().await?;
    let corrected = said().await?;
    ensure!(
        corrected.contains("✓ You said: Health/Kidneys."),
        "{corrected}"
    );
    let kidneys = Some("Health/Kidneys".to_owned());
    wait_for("the companion hears of the class", 20, || async {
        Ok((classes_told(&data).await? == [kidneys.clone()]).then_some(()))
    })
    .await?;
    stage.press("undo-class").await?;
    let again = said().await?;
    ensure!(again.contains("Judged to be of Travel/Trains"), "{again}");
    wait_for("the companion hears that it was taken back", 20, || async {
        Ok((classes_told(&data).await? == [kidneys.clone(), None]).then_some(()))
    })
    .await?;
    drop(companion);
    stage.strike().await
}

#[tokio::test]
async fn rules_and_beginning_in_chromium() -> Result<()> {
    rules_and_beginning(BrowserKind::Chromium).await
}

#[tokio::test]
#[ignore = "Chromium stands for both by day: cargo nightly"]
async fn rules_and_beginning_in_firefox() -> Result<()> {
    rules_and_beginning(BrowserKind::Firefox).await
}

#[tokio::test]
async fn classes_in_chromium() -> Result<()> {
    classes(BrowserKind::Chromium).await
}

#[tokio::test]
#[ignore = "Chromium stands for both by day: cargo nightly"]
async fn classes_in_firefox() -> Result<()> {
    classes(BrowserKind::Firefox).await
}
