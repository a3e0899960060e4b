//! The panel beside a page, in real browsers: the way here, what a crawl would fetch, topics
//! chosen, removed and deleted on both sides; and the way from the dashboard back to the panel.

use anyhow::{Context, Result, ensure};
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::companion::Companion;
use linkscent_tests::stage::Stage;
use linkscent_tests::wait_for;
use thirtyfour::prelude::*;

/// Follows a link by its text, as a person does, and waits until the page is read.
async fn follow(stage: &Stage, link: &str) -> Result<()> {
    let driver = &stage.browser.driver;
    driver.switch_to_window(stage.page.clone()).await?;
    driver.find(By::LinkText(link)).await?.click().await?;
    stage.shown().await.map(drop)
}

async fn the_way_here(stage: &Stage) -> Result<()> {
    let screen = &stage.browser;
    stage.open("http://town.test/").await?;
    stage.highlights().await?;
    follow(stage, "Kidney patients: dialysis dialysis").await?;
    stage.wait_for_trails(1).await?;
    stage.panel().await?;
    screen.wait_for_text("The way here").await?;
    let tree = "return [...document.querySelectorAll('#way li')].map((line) => [
        line.closest('#way ul') ? 1 : 0,
        line.querySelector('strong, button').textContent,
        line.querySelector(':scope > strong') !== null]);";
    let steps = screen.read(tree).await?;
    let expected = serde_json::json!([
        [0, "Town guide", false],
        [1, "dialysis at kidney.test", true]
    ]);
    ensure!(steps == expected, "{steps}");
    ensure!(
        screen
            .text()
            .await?
            .contains("Town guide → dialysis at kidney.test")
    );
    stage.picture("way-here").await?;
    // It is walked back by a press.
    screen.press("#way button").await?;
    wait_for("the tab is back", 10, || async {
        let driver = &screen.driver;
        driver.switch_to_window(stage.page.clone()).await?;
        let is_back = driver.current_url().await?.as_str() == "http://town.test/";
        driver.switch_to_window(stage.popup.clone()).await?;
        Ok(is_back.then_some(()))
    })
    .await
}

async fn look_ahead(stage: &Stage) -> Result<()> {
    let screen = &stage.browser;
    stage.open("http://town.test/").await?;
    stage.highlights().await?;
    stage.panel().await?;
    screen.press("#ahead").await?;
    screen.wait_for_text("Expected among the").await?;
    let listed =
        "return [...document.querySelectorAll('#upcoming li')].map((line) => line.textContent);";
    let listed: Vec<String> = serde_json::from_value(screen.read(listed).await?)?;
    let first = listed.first().context("nothing is listed")?;
    ensure!(first.contains("marked by you"), "{first}");
    ensure!(listed.len() > 3, "{listed:?}");
    stage.picture("look-ahead").await
}

/// Bookmarks are judged by their titles. No driver can answer the browser's question whether the
/// extension may see them, so they are handed in here.
async fn from_bookmarks(stage: &Stage) -> Result<()> {
    let proposed = "const pages = [['http://kidney.test/diet', 'Dialysis diet of kidney patients'], ['http://trains.test/', 'Railway timetable']];
        return (await chrome.runtime.sendMessage({ kind: 'propose', pages })).map(({ address }) => address);";
    let proposed = stage.browser.script(proposed).await?;
    ensure!(
        proposed == serde_json::json!(["http://kidney.test/diet"]),
        "{proposed}"
    );
    Ok(())
}

async fn deleted_on_both_sides(stage: &Stage, companion_link: &str) -> Result<()> {
    let screen = &stage.browser;
    stage.popup().await?;
    screen.press("#rename summary").await?;
    stage.press("remove-topic").await?;
    stage.panel().await?;
    screen.wait_for_text("Removed topics").await?;
    screen
        .read("document.querySelector('#removed').open = true;")
        .await?;
    stage.picture("removed-topics").await?;
    screen
        .press("#removed-topics [data-press=delete-topic]")
        .await?;
    wait_for("nothing of the topic is kept", 15, || async {
        let kept = stage.kept().await?;
        // What was sent has its line in the ledger.
        let left = kept.split(" | ").filter(|row| !row.starts_with("ledger"));
        Ok((!left.collect::<String>().contains("kidney")).then_some(()))
    })
    .await?;
    let driver = &screen.driver;
    driver.switch_to_window(stage.page.clone()).await?;
    driver.goto(companion_link).await?;
    screen.wait_for_text("New topic").await?;
    let page = screen.text().await?;
    ensure!(!page.contains("kidneys"), "{page}");
    Ok(())
}

/// From the dashboard the panel is opened by a link, in a tab of its own.
async fn back_from_the_dashboard(stage: &Stage) -> Result<()> {
    let driver = &stage.browser.driver;
    let panels = async || {
        driver.switch_to_window(stage.popup.clone()).await?;
        let count = "const tabs = await chrome.tabs.query({});
            return tabs.filter(({ url }) => url?.includes('pages/panel.html')).length;";
        let count = stage.browser.script(count).await?;
        count.as_u64().context("no number of tabs")
    };
    let before = panels().await?;
    driver.switch_to_window(stage.page.clone()).await?;
    let link = driver.find(By::LinkText("In the browser")).await?;
    link.click().await?;
    wait_for("the panel is opened", 15, || async {
        Ok((panels().await? == before + 1).then_some(()))
    })
    .await
}

async fn beside_a_page(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    let data = stage.folder.path().join("data");
    let (companion, port, link, code) = Companion::serve(&data, stage.proxy).await?;
    stage.new_topic("kidneys").await?;
    the_way_here(&stage).await?;
    stage
        .mark("http://kidney.test/dialysis", "mark-target")
        .await?;
    look_ahead(&stage).await?;
    from_bookmarks(&stage).await?;
    stage.pair(port, &code).await?;
    deleted_on_both_sides(&stage, &link).await?;
    back_from_the_dashboard(&stage).await?;
    drop(companion);
    stage.strike().await
}

#[tokio::test]
async fn beside_a_page_in_chromium() -> Result<()> {
    beside_a_page(BrowserKind::Chromium).await
}

#[tokio::test]
async fn beside_a_page_in_firefox() -> Result<()> {
    beside_a_page(BrowserKind::Firefox).await
}
