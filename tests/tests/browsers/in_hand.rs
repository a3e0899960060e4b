//! What is read and kept is in the person's hand: a switch that turns reading off everywhere, a
//! ledger, the last hour forgotten, all of it saved as a file and deleted. In real browsers.

use anyhow::{Context, Result, ensure};
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::stage::Stage;
use linkscent_tests::wait_for;
use serde_json::Value;

async fn badge(stage: &Stage) -> Result<Value> {
    let shown = "return [await chrome.action.getBadgeText({}), await chrome.action.getTitle({})];";
    stage.browser.script(shown).await
}

async fn switched_off_and_on(stage: &Stage) -> Result<()> {
    stage.open("http://town.test/").await?;
    ensure!(!stage.highlights().await?.is_empty(), "by the name alone");
    stage.popup().await?;
    stage.press("switch-off").await?;
    let screen = &stage.browser;
    screen.wait_for_text("Reading is switched off").await?;
    stage.picture("switched-off").await?;
    let off = badge(stage).await?;
    ensure!(off[0] == "off" && off[1].as_str().is_some_and(|title| title.contains("off")));
    screen.driver.switch_to_window(stage.page.clone()).await?;
    wait_for("highlights are gone", 10, || async {
        let shown = stage.shown().await?;
        let refused = shown.refused.unwrap_or_default();
        let is_off = shown.links.is_empty() && refused.contains("switched off");
        Ok(is_off.then_some(()))
    })
    .await?;
    // A page that is opened meanwhile is not read either.
    stage.open("http://kidney.test/diet").await?;
    ensure!(stage.highlights().await?.is_empty());
    ensure!(!stage.kept().await?.contains("kidney.test/diet"));
    stage.popup().await?;
    stage.press("switch-on").await?;
    wait_for("the page is read", 10, || async {
        Ok(stage
            .kept()
            .await?
            .contains("kidney.test/diet")
            .then_some(()))
    })
    .await?;
    ensure!(badge(stage).await?[0] == "");
    Ok(())
}

async fn told_saved_forgotten_deleted(stage: &Stage) -> Result<()> {
    let screen = &stage.browser;
    stage.panel().await?;
    screen.wait_for_text("Kept here: 2 things").await?;
    screen
        .read("document.querySelector('#lines').open = true; document.querySelector('#delete').open = true;")
        .await?;
    screen.wait_for_text("http://kidney.test/diet").await?;
    stage.picture("ledger").await?;
    let listen = "window.saved = null; const made = URL.createObjectURL;
        URL.createObjectURL = (blob) => { blob.text().then((text) => (window.saved = text)); return made(blob); };";
    screen.read(listen).await?;
    screen.press("#save-everything").await?;
    let saved = wait_for("a file", 10, || async {
        let saved = screen.read("return window.saved;").await?;
        Ok(saved.as_str().map(str::to_owned))
    })
    .await?;
    let saved: Value = serde_json::from_str(&saved).context("no JSON")?;
    let settings = &saved["tables"]["values"]["settings"];
    ensure!(settings["topics"][0] == "kidneys" && settings.get("key").is_none());
    screen.press("#forget-hour").await?;
    wait_for("the last hour is forgotten", 10, || async {
        let kept = stage.kept().await?;
        let is_gone = !kept.contains("town.test") && !kept.contains("kidney.test/diet");
        Ok(is_gone.then_some(()))
    })
    .await?;
    ensure!(stage.kept().await?.contains("kidneys"), "the topic stays");
    stage.panel().await?;
    screen.wait_for_text("Kept here: 0 things").await?;
    screen
        .read("document.querySelector('#delete').open = true;")
        .await?;
    screen.press("#delete-everything").await?;
    wait_for("everything is deleted", 10, || async {
        Ok((!stage.kept().await?.contains("kidneys")).then_some(()))
    })
    .await
}

/// A page of which the site says that it is none cannot be marked.
async fn no_page(stage: &Stage) -> Result<()> {
    stage.open("http://town.test/nowhere").await?;
    let refused = stage.shown().await?.refused.unwrap_or_default();
    ensure!(refused.contains("no such page (404)"), "{refused}");
    stage.popup().await?;
    let marks = "return document.querySelector('#mark-target') !== null;";
    ensure!(stage.browser.read(marks).await? == false);
    Ok(())
}

async fn in_hand(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    stage.new_topic("kidneys").await?;
    no_page(&stage).await?;
    switched_off_and_on(&stage).await?;
    told_saved_forgotten_deleted(&stage).await?;
    stage.strike().await
}

#[tokio::test]
async fn in_hand_in_chromium() -> Result<()> {
    in_hand(BrowserKind::Chromium).await
}

#[tokio::test]
async fn in_hand_in_firefox() -> Result<()> {
    in_hand(BrowserKind::Firefox).await
}
