//! What a person does, in real browsers: mark, see highlights, follow, pair,
//! hand over, see the harvest.

use anyhow::{Context, Result, ensure};
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::companion::Companion;
use linkscent_tests::stage::Stage;
use linkscent_tests::wait_for;
use thirtyfour::prelude::*;

fn pair(from: &str, to: &str) -> (String, String) {
    (from.to_owned(), to.to_owned())
}

#[expect(clippy::too_many_lines, reason = "it is a list of cases")]
async fn mark_and_follow(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    stage.new_topic("kidneys").await?;
    stage
        .mark("http://kidney.test/dialysis", "mark-target")
        .await?;
    stage
        .mark("http://kidney.test/transplant", "mark-target")
        .await?;

    // Highlighted and explained.
    stage.open("http://town.test/").await?;
    let links = stage.highlights().await?;
    ensure!(
        links.iter().any(|link| link == "http://kidney.test/diet"),
        "{links:?}"
    );
    ensure!(
        links.iter().all(|link| link.contains("kidney.test")),
        "{links:?}"
    );
    let diet = stage.browser.driver.find(By::Id("diet")).await?;
    diet.focus().await?;
    let shown = stage.shown().await?;
    let shown = shown
        .links
        .iter()
        .find(|link| link.href == "http://kidney.test/diet");
    let why = shown.map_or("", |link| &link.why);
    ensure!(
        why.contains('%') && why.contains('“') && why.contains("your "),
        "{why}"
    );

    stage.picture("highlights").await?;

    // By click; the background may die in between.
    diet.click().await?;
    stage.highlights().await?;
    let trails = stage.wait_for_trails(1).await?;
    ensure!(
        trails == [pair("http://town.test/", "http://kidney.test/diet")],
        "{trails:?}"
    );
    stage.browser.kill_background().await?;
    ensure!(stage.wait_for_trails(1).await? == trails);

    // By middle click, in a tab of its own.
    stage.open("http://town.test/").await?;
    stage.highlights().await?;
    let centres = stage.browser.driver.find(By::Id("centres")).await?;
    stage.browser.mouse(&centres, 1).await?;
    let trails = stage.wait_for_trails(2).await?;
    ensure!(
        trails[0] == pair("http://town.test/", "http://kidney.test/centres"),
        "{trails:?}"
    );

    // Of a link that is not highlighted it says why not.
    stage.open("http://town.test/").await?;
    let lit = stage.highlights().await?;
    let links = "return [...document.links].map((link) => link.href);";
    let all = stage.browser.read(links).await?;
    let links = all.as_array().into_iter().flatten();
    let mut links = links.filter_map(serde_json::Value::as_str);
    let plain = links.find(|href| !lit.iter().any(|one| one == href));
    let plain = plain.context("all links are highlighted")?;
    let focus = format!("[...document.links].find((link) => link.href === {plain:?}).focus();");
    stage.browser.read(&focus).await?;
    let asked = stage.browser.driver.active_element().await?;
    asked.send_keys(Key::Alt + Key::Shift + "w").await?;
    let tip = wait_for("why it is not highlighted", 10, || async {
        Ok(stage.shown().await?.tip)
    })
    .await?;
    ensure!(tip.contains('%'), "{tip}");

    // By keyboard: the jump key, then Enter.
    stage.open("http://town.test/").await?;
    stage.highlights().await?;
    let keys = Key::Alt + Key::Shift + "j";
    stage
        .browser
        .driver
        .find(By::Tag("body"))
        .await?
        .send_keys(keys)
        .await?;
    let reached = wait_for("the jump", 10, || async {
        Ok(stage.shown().await?.reached)
    });
    let goal = reached.await?;
    ensure!(
        goal.contains("kidney.test"),
        "the jump key went to {goal:?}"
    );
    let focus = stage.browser.driver.active_element().await?;
    ensure!(focus.tag_name().await? == "body", "the focus moved");
    focus.send_keys(Key::Enter + "").await?;
    let trails = stage.wait_for_trails(3).await?;
    ensure!(trails[0] == pair("http://town.test/", &goal), "{trails:?}");

    // A click made by the page's own script leaves none.
    stage.open("http://town.test/").await?;
    stage.highlights().await?;
    stage
        .browser
        .driver
        .find(By::Id("scripted"))
        .await?
        .click()
        .await?;
    wait_for("the script's click navigates", 10, || async {
        let url = stage.browser.driver.current_url().await?;
        Ok((url.as_str() == "http://kidney.test/diet").then_some(()))
    })
    .await?;
    stage.highlights().await?;
    ensure!(stage.trails().await?.len() == 3);
    answer_questions(&stage).await?;
    tell_in_words(&stage).await?;
    stage.strike().await
}

/// What is selected on a page is proposed in the popup, said of the topic, and taken back.
async fn tell_in_words(stage: &Stage) -> Result<()> {
    stage.open("http://town.test/").await?;
    stage.highlights().await?;
    let select = "getSelection().selectAllChildren(document.getElementById('centres'));
                  return getSelection().toString();";
    let selected = stage.browser.read(select).await?;
    let selected = selected.as_str().context("nothing is selected")?.trim();
    ensure!(!selected.is_empty());
    stage.popup().await?;
    let proposed = "return document.querySelector('#in-words[open] #words')?.value ?? null;";
    let proposed = stage.browser.read(proposed).await?;
    ensure!(proposed == selected, "{proposed} for {selected}");
    stage.press("say-it").await?;
    let said = "return [...document.querySelectorAll('#said li')].map((line) => line.innerText);";
    let shown = stage.browser.read(said).await?;
    let expected = format!("✓ “{selected}” Take back");
    ensure!(shown == serde_json::json!([expected]), "{shown}");
    stage.picture("in-words").await?;
    let back = stage.browser.driver.find(By::Css("#said button")).await?;
    back.click().await?;
    stage.drawn().await?;
    let shown = stage.browser.read(said).await?;
    ensure!(shown == serde_json::json!([]), "{shown}");
    Ok(())
}

/// The popup asks about a page that was read, and never about it again.
async fn answer_questions(stage: &Stage) -> Result<()> {
    stage.open("http://town.test/").await?;
    stage.highlights().await?;
    stage.popup().await?;
    let asked_about = "return document.querySelector('#question a')?.href ?? null;";
    let asked = stage.browser.read(asked_about).await?;
    let asked = asked.as_str().context("nothing is asked")?.to_owned();
    ensure!(asked.contains(".test/"), "{asked}");
    stage.picture("question").await?;
    stage.press("answer-yes").await?;
    let next = stage.browser.read(asked_about).await?;
    ensure!(next != asked.as_str(), "asked twice: {next}");
    if next.is_string() {
        stage.press("answer-skip").await?;
        let after = stage.browser.read(asked_about).await?;
        ensure!(
            after != next && after != asked.as_str(),
            "asked twice: {after}"
        );
    }
    // The answer is a mark like any other, and can be taken back.
    stage.open(&asked).await?;
    stage.highlights().await?;
    stage.popup().await?;
    let said = stage.browser.text().await?;
    ensure!(said.contains("✓ Marked: this is it."), "{said}");
    stage.press("undo-mark").await
}

async fn undo_pause_and_strict_pages(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    // A name that says nothing.
    stage.new_topic("the").await?;
    stage
        .mark("http://kidney.test/dialysis", "mark-target")
        .await?;

    // A page that allows nothing works all the same.
    stage.open("http://strict.test/").await?;
    ensure!(!stage.highlights().await?.is_empty());

    // A paused site leaves nothing.
    stage.popup().await?;
    stage.press("pause-site").await?;
    stage.open("http://strict.test/").await?;
    ensure!(stage.highlights().await?.is_empty());
    stage
        .browser
        .driver
        .find(By::Id("diet"))
        .await?
        .click()
        .await?;
    stage.highlights().await?;
    ensure!(stage.trails().await?.is_empty());

    // The mark outlives the background; taken back, nothing is highlighted.
    stage.browser.kill_background().await?;
    stage.open("http://kidney.test/dialysis").await?;
    stage.highlights().await?;
    stage.popup().await?;
    stage.press("undo-mark").await?;
    stage.open("http://town.test/").await?;
    let links = stage.highlights().await?;
    ensure!(links.is_empty(), "{links:?}");
    stage.strike().await
}

/// A form that leads to a database is shown and marked; the companion hears of
/// it, and looks for such forms.
async fn databases(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    let data = stage.folder.path().join("data");
    let (companion, port, link, code) = Companion::serve(&data, stage.proxy).await?;
    stage.new_topic("kidneys").await?;
    stage
        .mark("http://kidney.test/centres", "form-yes-0")
        .await?;
    stage.picture("forms").await?;
    let shown = stage.browser.text().await?;
    ensure!(shown.contains("a form with town, kind"), "{shown}");
    ensure!(
        shown.contains("✓ Marked: a database for my topic."),
        "{shown}"
    );
    stage.browser.kill_background().await?;
    stage.popup().await?;
    stage.press("form-undo-0").await?;
    stage.press("form-yes-0").await?;
    stage.type_in("port", &port.to_string()).await?;
    stage.type_in("code", &code).await?;
    stage.press("pair").await?;

    let driver = &stage.browser.driver;
    driver.switch_to_window(stage.page.clone()).await?;
    driver.goto(&link).await?;
    stage.browser.wait_for_text("New topic").await?;
    stage.browser.press("a[href*='/topic/']").await?;
    stage.browser.wait_for_text("Look for more").await?;
    stage.browser.choose_critic("forms", "").await?;
    wait_for("the choice is kept", 20, || async {
        let kept = "return document.querySelector('input[value=forms]')?.defaultChecked;";
        Ok((stage.browser.read(kept).await? == true).then_some(()))
    })
    .await?;
    let starts = driver.find(By::Name("starts")).await?;
    starts.send_keys("http://town.test/").await?;
    stage.browser.press("form[action$='/crawl'] button").await?;
    stage
        .browser
        .wait_for_text("There was no link left")
        .await?;
    stage.browser.press("a[href$='/databases']").await?;
    stage.browser.wait_for_text("Fields: town kind").await?;
    let shown = stage.browser.text().await?;
    ensure!(shown.contains("✓ for my topic"), "{shown}");
    stage.picture("databases").await?;
    drop(companion);
    stage.strike().await
}

async fn hand_over(kind: BrowserKind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    let data = stage.folder.path().join("data");
    let (companion, port, link, code) = Companion::serve(&data, stage.proxy).await?;
    stage.new_topic("kidneys").await?;
    stage
        .mark("http://kidney.test/dialysis", "mark-target")
        .await?;

    // A wrong code is refused with a reason, the right one pairs.
    stage.type_in("port", &port.to_string()).await?;
    let wrong = if code == "00000000" {
        "00000001"
    } else {
        "00000000"
    };
    stage.type_in("code", wrong).await?;
    let refused = stage.press("pair").await.unwrap_err().to_string();
    ensure!(refused.contains("does not fit"), "{refused}");
    stage.pair(port, &code).await?;

    // Seeds and budget are shown before it starts.
    let driver = &stage.browser.driver;
    driver
        .find(By::Css("#hand-over summary"))
        .await?
        .click()
        .await?;
    let shown = driver.find(By::Id("hand-over")).await?.text().await?;
    ensure!(shown.contains("dialysis at kidney.test"), "{shown}");
    stage.type_in("budget", "6").await?;
    stage.press("start-crawl").await?;
    let crawl = wait_for("the crawl is done", 30, || async {
        stage.popup().await?;
        let line = driver.find(By::Id("crawl")).await?.text().await?;
        Ok(line.contains("done").then_some(line))
    })
    .await?;
    ensure!(crawl.contains("of 6 pages"), "{crawl}");
    let finds = driver.find(By::Id("finds")).await?.text().await?;
    ensure!(finds.contains("at kidney.test"), "{finds}");

    stage.picture("popup").await?;

    // The dashboard shows it too.
    driver.switch_to_window(stage.page.clone()).await?;
    driver.goto(&link).await?;
    let screen = &stage.browser;
    screen.wait_for_text("kidneys").await?;
    screen.press("a[href$='/topic/1']").await?;
    screen.press("a[href$='/crawl/1']").await?;
    screen
        .wait_for_text("It has all pages of its budget.")
        .await?;
    stage.picture("crawl").await?;
    screen.press("a[href$='/crawl/1/results']").await?;
    screen.wait_for_text("at kidney.test").await?;
    stage.picture("results").await?;
    call_otherwise(&stage).await?;
    train_distance(&stage).await?;
    drop(companion);
    another_companion(&stage).await?;
    stage.strike().await
}

/// A topic that is called otherwise in the browser is called so on the dashboard, which lies
/// open, and the other way round; so is what else is said there.
async fn call_otherwise(stage: &Stage) -> Result<()> {
    let screen = &stage.browser;
    let called = "return document.getElementById('topic').value;";
    stage.open("http://town.test/").await?;
    stage.popup().await?;
    screen.press("#rename summary").await?;
    stage.type_in("new-name", "kidney care").await?;
    stage.press("rename-topic").await?;
    let shown = screen.read(called).await?;
    ensure!(shown == "kidney care", "{shown}");
    screen.driver.switch_to_window(stage.page.clone()).await?;
    screen.driver.back().await?;
    screen.wait_for_text("at kidney.test").await?;
    screen.press("a[href$='/topic/1']").await?;
    screen.wait_for_text("Its name, “kidney care”").await?;
    screen.press("#rename summary").await?;
    let name = screen.driver.find(By::Css("#rename [name=name]")).await?;
    name.clear().await?;
    name.send_keys("renal care").await?;
    screen.press("#rename button").await?;
    screen.wait_for_text("Its name, “renal care”").await?;
    let dashboard = screen.driver.current_url().await?;
    // The popup is still open, and hears of it by itself.
    screen.driver.switch_to_window(stage.popup.clone()).await?;
    wait_for("the popup shows the name", 5, || async {
        Ok((screen.read(called).await? == "renal care").then_some(()))
    })
    .await?;
    stage.picture("renamed").await?;
    // So it does of a mark that is taken back, and of a topic that is made.
    stage.open(dashboard.as_str()).await?;
    screen.press("form[action$='/topic/1/mark'] button").await?;
    screen.wait_for_text("Mark one in the browser").await?;
    screen.press("nav a").await?;
    screen.wait_for_text("New topic").await?;
    let field = screen.driver.find(By::Css("[name=name]")).await?;
    field.send_keys("wild bees").await?;
    screen.press("form[action$='/topics'] button").await?;
    screen.wait_for_text("Its name, “wild bees”").await?;
    stage.open("http://kidney.test/dialysis").await?;
    stage.popup().await?;
    stage.press("mark-target").await?;
    let offered = "return document.getElementById('topic').textContent;";
    let offered = screen.read(offered).await?;
    let offered = offered.as_str().unwrap_or_default();
    ensure!(offered.contains("wild bees"), "{offered}");
    remove(stage, dashboard.as_str()).await?;
    stage.open(dashboard.as_str()).await?;
    screen.wait_for_text("Take back").await?;
    screen.press("a[href$='/crawl/1']").await
}

/// A topic that is removed in the browser can be brought back there and on the dashboard.
async fn remove(stage: &Stage, dashboard: &str) -> Result<()> {
    let screen = &stage.browser;
    let choose = async |name| {
        stage.type_in("topic-name", name).await?;
        stage.press("create-topic").await
    };
    choose("wild bees").await?;
    for is_undone in [true, false] {
        screen.press("#rename summary").await?;
        stage.press("remove-topic").await?;
        let said = screen.text().await?;
        ensure!(said.contains("“wild bees” was removed"), "{said}");
        if is_undone {
            stage.press("bring-back").await?;
        }
    }
    choose("renal care").await?;
    stage.open(dashboard).await?;
    screen.press("nav a").await?;
    screen.wait_for_text("New topic").await?;
    wait_for("the dashboard offers to bring it back", 10, || async {
        screen.driver.refresh().await?;
        Ok(screen.text().await?.contains("Bring back").then_some(()))
    })
    .await?;
    screen.press("#removed button").await?;
    screen.wait_for_text("Its name, “wild bees”").await
}

/// The dashboard, which lies open, is told to learn the ways to targets; the
/// model comes to the browser, and the popup says how far a page looks.
async fn train_distance(stage: &Stage) -> Result<()> {
    let screen = &stage.browser;
    screen.press("a[href$='/topic/1']").await?;
    screen.wait_for_text("By all that is known").await?;
    screen.press("#experts summary").await?;
    screen
        .press("form[action$='/topic/1/train'] button")
        .await?;
    // The page that comes then has them folded away again.
    let folded = "return document.readyState === 'complete' &&
        document.querySelector('#experts > details')?.open === false;";
    wait_for("the page after the training", 60, || async {
        Ok((screen.read(folded).await? == true).then_some(()))
    })
    .await?;
    screen.press("#experts summary").await?;
    screen
        .wait_for_text("Train the distance model again")
        .await?;
    stage.picture("topic").await?;
    stage.open("http://town.test/").await?;
    stage.popup().await?;
    stage.press("sync").await?;
    // No page links to this one, so no crawl has a way through it.
    stage.open("http://strict.test/").await?;
    stage.highlights().await?;
    stage.popup().await?;
    let said = stage.browser.text().await?;
    ensure!(!said.contains("This page looks "), "nobody knows: {said}");
    // By a link there is a way to believe in.
    stage.open("http://town.test/").await?;
    stage.highlights().await?;
    let link = stage.browser.driver.find(By::Id("diet")).await?;
    link.click().await?;
    wait_for("the popup says how far the page looks", 30, || async {
        stage.popup().await?;
        let said = stage.browser.text().await?;
        Ok(said.contains("This page looks ").then_some(()))
    })
    .await?;
    stage.picture("popup-hops").await?;
    Ok(())
}

/// A companion that knows nothing learns what was marked before; the browser
/// forgets nothing over it.
async fn another_companion(stage: &Stage) -> Result<()> {
    let data = stage.folder.path().join("other");
    let (companion, port, link, code) = Companion::serve(&data, stage.proxy).await?;
    stage.open("http://town.test/").await?;
    let before = stage.highlights().await?;
    ensure!(!before.is_empty());
    stage.popup().await?;
    stage.press("unpair").await?;
    stage.type_in("port", &port.to_string()).await?;
    stage.type_in("code", &code).await?;
    stage.press("pair").await?;
    stage.open("http://town.test/").await?;
    ensure!(!stage.highlights().await?.is_empty());
    let driver = &stage.browser.driver;
    driver.goto(&link).await?;
    stage.browser.wait_for_text("1 target").await?;
    drop(companion);
    Ok(())
}

#[tokio::test]
async fn mark_and_follow_in_chromium() -> Result<()> {
    mark_and_follow(BrowserKind::Chromium).await
}

#[tokio::test]
async fn mark_and_follow_in_firefox() -> Result<()> {
    mark_and_follow(BrowserKind::Firefox).await
}

#[tokio::test]
async fn undo_pause_and_strict_pages_in_chromium() -> Result<()> {
    undo_pause_and_strict_pages(BrowserKind::Chromium).await
}

#[tokio::test]
async fn undo_pause_and_strict_pages_in_firefox() -> Result<()> {
    undo_pause_and_strict_pages(BrowserKind::Firefox).await
}

#[tokio::test]
async fn hand_over_in_chromium() -> Result<()> {
    hand_over(BrowserKind::Chromium).await
}

#[tokio::test]
async fn hand_over_in_firefox() -> Result<()> {
    hand_over(BrowserKind::Firefox).await
}

#[tokio::test]
async fn databases_in_chromium() -> Result<()> {
    databases(BrowserKind::Chromium).await
}

#[tokio::test]
#[ignore = "Chromium stands for both by day: cargo nightly"]
async fn databases_in_firefox() -> Result<()> {
    databases(BrowserKind::Firefox).await
}
