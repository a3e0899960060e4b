//! What a person meets first, in real browsers: the welcome page, and pages that were open
//! before the extension came.

use anyhow::{Result, ensure};
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::stage::Stage;
use linkscent_tests::wait_for;
use thirtyfour::prelude::*;

async fn welcome(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    let screen = &stage.browser;
    // It opened by itself, and was closed again.
    screen.driver.switch_to_window(stage.popup.clone()).await?;
    let welcome = screen.page("pages/welcome.html")?;
    screen.driver.goto(&welcome).await?;
    screen.wait_for_text("What do you look for?").await?;
    let text = screen.text().await?;
    ensure!(text.contains("✓ It reads the pages you open"), "{text}");
    ensure!(!text.contains("You look for “"), "{text}");
    let name = screen.driver.find(By::Id("topic-name")).await?;
    name.send_keys("kidneys").await?;
    name.send_keys(Key::Enter + "").await?;
    screen.wait_for_text("✓ You look for “kidneys”").await?;
    stage.picture("welcome").await?;
    // It is the popup's topic, and links are highlighted by its name alone.
    stage.open("http://town.test/").await?;
    let links = stage.highlights().await?;
    ensure!(!links.is_empty(), "by the name alone");
    listed(&stage).await?;
    stage.strike().await
}

#[tokio::test]
async fn a_page_that_was_open_before_is_read_in_firefox() -> Result<()> {
    let town = "http://town.test/";
    let stage = Stage::set_at(BrowserKind::Firefox, Some(town)).await?;
    stage.popup().await?;
    stage.type_in("topic-name", "kidneys").await?;
    stage.press("create-topic").await?;
    let driver = &stage.browser.driver;
    driver.switch_to_window(stage.page.clone()).await?;
    ensure!(driver.current_url().await?.as_str() == town);
    let links = stage.highlights().await?;
    ensure!(!links.is_empty(), "by the name alone");
    stage.strike().await
}

/// The panel lists what is highlighted on the page beside it, and leads there.
async fn listed(stage: &Stage) -> Result<()> {
    let screen = &stage.browser;
    stage.panel().await?;
    screen
        .wait_for_text("Kidney patients: dialysis diet")
        .await?;
    stage.picture("panel").await?;
    let first = "return document.querySelector('#links a').href;";
    let first = screen.read(first).await?;
    screen.press("#links button").await?;
    screen.driver.switch_to_window(stage.page.clone()).await?;
    wait_for("the page leads to the link", 10, || async {
        let reached = stage.shown().await?.reached;
        Ok((reached.as_deref() == first.as_str()).then_some(()))
    })
    .await?;
    // Another page, another list.
    stage.open("http://kidney.test/diet").await?;
    stage.highlights().await?;
    screen.driver.switch_to_window(stage.popup.clone()).await?;
    wait_for("the panel follows", 10, || async {
        let text = screen.text().await?;
        let is_other = !text.contains("Kidney patients: dialysis diet");
        Ok((is_other && text.contains("This page")).then_some(()))
    })
    .await
}

#[tokio::test]
async fn welcome_in_chromium() -> Result<()> {
    welcome(BrowserKind::Chromium).await
}

#[tokio::test]
async fn welcome_in_firefox() -> Result<()> {
    welcome(BrowserKind::Firefox).await
}
