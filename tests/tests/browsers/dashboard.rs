//! The dashboard's forms, sent by real browsers: a topic is made, a crawl
//! begun, paused, marked, resumed and stopped, a pairing code shown.

use anyhow::{Context, Result, ensure};
use linkscent_core::address::Address;
use linkscent_core::web_graph::Mark;
use linkscent_core::wire::read_model;
use linkscent_store::Store;
use linkscent_tests::browser::{Browser, BrowserKind};
use linkscent_tests::companion::Companion;
use linkscent_tests::synthetic_web::endless_web;
use linkscent_tests::wait_for;
use thirtyfour::prelude::*;

#[expect(clippy::too_many_lines, reason = "it is a list of cases")]
async fn forms_are_taken(kind: BrowserKind) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let (proxy, _) = endless_web().await?;
    let (companion, _, link, _) = Companion::serve(&data, proxy).await?;
    let screen = Browser::start(kind, proxy).await?;
    let driver = &screen.driver;
    driver.goto(&link).await?;

    screen.wait_for_text("New topic").await?;
    let name = driver.find(By::Name("name")).await?;
    name.send_keys("kidneys").await?;
    let examples = driver.find(By::Name("examples")).await?;
    examples.send_keys("http://host0.test/0").await?;
    screen.press("form[action$='/topics'] button").await?;
    screen.wait_for_text("Look for more").await?;

    // What counts as found can be a condition; a wrong one is named by its place.
    screen
        .choose_critic("predicate", "titel has \"page\"")
        .await?;
    screen
        .wait_for_text("character 1: “titel” is unknown")
        .await?;
    driver.back().await?;
    screen.wait_for_text("Look for more").await?;
    let condition = "title has \"page\" and not links > 900";
    screen.choose_critic("predicate", condition).await?;
    wait_for("the condition is kept", 20, || async {
        let kept = "return document.querySelector('textarea[name=predicate]')?.defaultValue;";
        Ok((screen.read(kept).await? == condition).then_some(()))
    })
    .await?;
    screen.choose_critic("topic", "").await?;
    wait_for("the choice is kept", 20, || async {
        let kept = "return document.querySelector('input[value=topic]')?.defaultChecked;";
        Ok((screen.read(kept).await? == true).then_some(()))
    })
    .await?;

    let budget = driver.find(By::Name("budget")).await?;
    budget.clear().await?;
    budget.send_keys("100000").await?;
    screen.press("form[action$='/crawl'] button").await?;
    screen.wait_for_text("of 100000 pages").await?;

    // Paused and resumed at once, it goes on.
    screen.press("form[action$='/pause'] button").await?;
    screen.press("form[action$='/resume'] button").await?;
    let before = pages_fetched(&screen).await?;
    wait_for("the crawl goes on", 20, || async {
        Ok((pages_fetched(&screen).await? > before).then_some(()))
    })
    .await?;

    // What is marked while it rests counts when it goes on.
    screen.wait_for_text("Is this what you look for?").await?;
    screen.press("form[action$='/pause'] button").await?;
    screen.wait_for_text("Resume").await?;

    // Its questions are answered, each once.
    let asked = "return document.querySelector('.question input[name=address]')?.value ?? null;";
    let first = screen.read(asked).await?;
    screen.press(".question button[value=yes]").await?;
    wait_for("the question is answered", 20, || async {
        let drawn = screen.read("return document.readyState;").await? == "complete";
        Ok((drawn && screen.read(asked).await? != first).then_some(()))
    })
    .await?;
    let first = first.as_str().context("no question")?;
    ensure!(marked_as(&data, first).await? == Some(true));

    screen.press("a[href$='/results']").await?;
    screen.wait_for_text("What was found").await?;
    let marked = wait_for("a result to mark", 20, || async {
        let address = "return document.querySelector('form input[name=address]')?.value;";
        Ok(screen.read(address).await?.as_str().map(str::to_owned))
    })
    .await?;
    screen.press("form button[value=target]").await?;
    screen.wait_for_text("✓ target").await?;
    ensure!(model_mark(&data, &marked).await? != Some(Mark::Target));
    screen.press(".crumbs a[href*='/crawl/']").await?;
    screen.press("form[action$='/resume'] button").await?;
    screen.wait_for_text("Pause").await?;
    screen.press("form[action$='/stop'] button").await?;
    screen.wait_for_text("Stopped by you.").await?;
    ensure!(model_mark(&data, &marked).await? == Some(Mark::Target));

    // The databases that were found can be marked.
    screen.press("a[href$='/databases']").await?;
    screen.wait_for_text("Databases you can query").await?;
    screen.press("form button[value=yes]").await?;
    screen.wait_for_text("✓ for my topic").await?;
    screen.press("form button[value=undo]").await?;
    screen.wait_for_text_gone("✓ for my topic").await?;
    screen.press(".crumbs a[href*='/crawl/']").await?;

    // A mark is taken back, and the answered question's mark stays; a code is shown.
    screen.press("a[href$='/results']").await?;
    screen.wait_for_text("What was found").await?;
    let take_back = format!("form:has(input[value={marked:?}]) button[value=undo]");
    screen.press(&take_back).await?;
    let still_marked = format!("return document.querySelector({take_back:?}) !== null;");
    wait_for("the mark is gone", 20, || async {
        let drawn = screen.read("return document.readyState;").await? == "complete";
        Ok((drawn && screen.read(&still_marked).await? == false).then_some(()))
    })
    .await?;
    ensure!(marked_as(&data, &marked).await?.is_none());
    ensure!(marked_as(&data, first).await? == Some(true));
    screen.press(".crumbs a[href*='/topic/']").await?;
    screen.wait_for_text("What this topic is taken for").await?;

    // What is said in words is kept, and can be taken back.
    let say = "document.querySelector('#belief textarea').value = 'tram <b>lines</b>';";
    screen
        .press_having("#belief button[value=not]", say)
        .await?;
    screen.wait_for_text("✗ not “tram <b>lines</b>”").await?;
    screen.press("#belief button[value=undo]").await?;
    screen.wait_for_text_gone("tram <b>").await?;

    // Targets can be of kinds, which can be dropped and brought back.
    let name = "document.querySelector('#subtopics').open = true;
                document.querySelector('#subtopics input[name=subtopic]:not([type])').value = 'lines';";
    screen
        .press_having("#subtopics form[action$='/subtopics'] button", name)
        .await?;
    screen.wait_for_text("Drop this kind").await?;
    screen.press("#subtopics button[value=drop]").await?;
    screen.wait_for_text("“lines” was dropped").await?;
    screen.press("#subtopics button[value=back]").await?;
    screen.wait_for_text("Drop this kind").await?;
    screen.press("a[href$='/settings']").await?;
    screen
        .press("form[action$='/settings/pair'] button")
        .await?;
    screen.wait_for_text("Good for one browser").await?;
    drop(companion);
    screen.quit().await
}

/// What the crawl's page says; between two pages there is nothing to read.
async fn pages_fetched(screen: &Browser) -> Result<u64> {
    let script = "const shown = document.querySelector('.numbers b');
                  return shown && Number(shown.innerText);";
    wait_for("a count of pages", 20, || async {
        Ok(screen.read(script).await?.as_u64())
    })
    .await
}

/// The person's newest word on a page, in the topic's log.
async fn marked_as(data: &std::path::Path, address: &str) -> Result<Option<bool>> {
    let store = Store::open(data).await?;
    let marks = store.marks(1).await?;
    let mark = marks.into_iter().find(|mark| mark.address == address);
    Ok(mark.map(|mark| mark.target))
}

/// The mark on a page in the model that the crawl left.
async fn model_mark(data: &std::path::Path, address: &str) -> Result<Option<Mark>> {
    let store = Store::open(data).await?;
    let file = store.model(1).await?.context("no model was kept")?;
    let address = Address::parse(address)?;
    Ok(read_model(&file)?.graph.mark(&address))
}

#[tokio::test(flavor = "multi_thread")]
async fn forms_are_taken_in_chromium() -> Result<()> {
    forms_are_taken(BrowserKind::Chromium).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "Chromium stands for both by day: cargo nightly"]
async fn forms_are_taken_in_firefox() -> Result<()> {
    forms_are_taken(BrowserKind::Firefox).await
}
