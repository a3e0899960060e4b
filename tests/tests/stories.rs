//! What a person does, in real browsers: mark, see highlights, follow, pair,
//! hand over, see the harvest.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use linkscent_tests::browser::{Browser, Kind};
use linkscent_tests::companion::Companion;
use linkscent_tests::{wait_for, web};
use serde_json::Value;
use thirtyfour::prelude::*;

/// A browser on the small web, with the popup in a tab of its own.
struct Stage {
    browser: Browser,
    replay: Companion,
    proxy: u16,
    page: WindowHandle,
    popup: WindowHandle,
    folder: tempfile::TempDir,
}

impl Stage {
    async fn set(kind: Kind) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("stories.warc");
        let pages = web::stories();
        let rows: Vec<web::PageRow<'_>> = pages
            .iter()
            .map(|(address, headers, body)| (address.as_str(), *headers, body.as_str()))
            .collect();
        web::write_warc(&file, &rows)?;
        let (replay, proxy) = Companion::replay(&[&file]).await?;
        let browser = Browser::start(kind, proxy).await?;
        let page = browser.driver.window().await?;
        let popup = browser.driver.new_tab().await?;
        let stage = Self {
            browser,
            replay,
            proxy,
            page,
            popup,
            folder,
        };
        Ok(stage)
    }

    async fn open(&self, address: &str) -> Result<()> {
        self.browser
            .driver
            .switch_to_window(self.page.clone())
            .await?;
        self.browser.driver.goto(address).await?;
        Ok(())
    }

    /// The popup, as it would open over the page's tab.
    async fn popup(&self) -> Result<()> {
        let driver = &self.browser.driver;
        driver.switch_to_window(self.popup.clone()).await?;
        driver.goto(self.browser.page("pages/panel.html")?).await?;
        let tabs = self
            .browser
            .script("const tabs = await chrome.tabs.query({}); return tabs.filter(t => (t.url ?? '').includes('.test')).map(t => t.id);")
            .await?;
        let tab = tabs[0].as_i64().context("the page's tab is not there")?;
        driver
            .goto(self.browser.page(&format!("pages/popup.html?tab={tab}"))?)
            .await?;
        self.drawn().await
    }

    async fn drawn(&self) -> Result<()> {
        wait_for("the popup is drawn", 15, || async {
            let ready = "const main = document.querySelector('main'); return main?.hasAttribute('data-drawn') ?? false;";
            let drawn = self.browser.script(ready).await?;
            Ok((drawn == Value::Bool(true)).then_some(()))
        })
        .await
    }

    async fn press(&self, id: &str) -> Result<()> {
        let button = self.browser.driver.find(By::Id(id)).await?;
        button.scroll_into_view().await?;
        button.click().await?;
        self.drawn().await?;
        let errors = self.browser.driver.find_all(By::ClassName("error")).await?;
        if let Some(error) = errors.first() {
            anyhow::bail!("{id}: {}", error.text().await?);
        }
        Ok(())
    }

    async fn type_in(&self, id: &str, text: &str) -> Result<()> {
        let field = self.browser.driver.find(By::Id(id)).await?;
        field.clear().await?;
        field.send_keys(text).await?;
        Ok(())
    }

    async fn new_topic(&self, name: &str) -> Result<()> {
        self.open("http://town.test/").await?;
        self.popup().await?;
        self.type_in("topic-name", name).await?;
        self.press("create-topic").await
    }

    async fn mark(&self, address: &str, id: &str) -> Result<()> {
        self.open(address).await?;
        self.highlights().await?;
        self.popup().await?;
        self.press(id).await
    }

    /// Hrefs of the highlighted links of the page, once it was scored, best
    /// grade first.
    async fn highlights(&self) -> Result<Vec<String>> {
        let links = wait_for("the page is scored", 15, || async {
            let script = "const root = document.documentElement;
                if (!root.hasAttribute('data-linkscent-links')) return null;
                const links = [...document.querySelectorAll('[data-linkscent]')];
                links.sort((a, b) => b.dataset.linkscent - a.dataset.linkscent);
                return links.map(a => a.href);";
            let found = self.browser.script(script).await?;
            Ok((!found.is_null()).then_some(found))
        })
        .await?;
        Ok(serde_json::from_value(links)?)
    }

    /// The trails as the panel shows them, newest first.
    async fn trails(&self) -> Result<Vec<(String, String)>> {
        let driver = &self.browser.driver;
        driver.switch_to_window(self.popup.clone()).await?;
        driver.goto(self.browser.page("pages/panel.html")?).await?;
        self.drawn().await?;
        let rows = self
            .browser
            .script("const rows = await chrome.runtime.sendMessage({kind: 'trails'}); return rows.map(r => [r.from, r.to]);")
            .await?;
        Ok(serde_json::from_value(rows)?)
    }

    async fn wait_for_trails(&self, count: usize) -> Result<Vec<(String, String)>> {
        wait_for("the trail is there", 15, || async {
            let trails = self.trails().await?;
            Ok((trails.len() >= count).then_some(trails))
        })
        .await
    }

    /// Takes a picture of what is seen, where `LINKSCENT_PICTURES` names a
    /// folder for them.
    async fn picture(&self, name: &str) -> Result<()> {
        let Some(folder) = std::env::var_os("LINKSCENT_PICTURES") else {
            return Ok(());
        };
        let file = Path::new(&folder).join(format!("{name}-{:?}.png", self.browser.kind));
        Ok(self.browser.driver.screenshot(&file).await?)
    }

    async fn strike(self) -> Result<()> {
        self.browser.quit().await?;
        drop(self.replay);
        Ok(())
    }
}

fn pair(from: &str, to: &str) -> (String, String) {
    (from.to_owned(), to.to_owned())
}

async fn mark_and_follow(kind: Kind) -> Result<()> {
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
    let why = diet.attr("aria-description").await?.unwrap_or_default();
    ensure!(
        why.contains("in the link") && why.contains("of your 2 targets"),
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
    let focused = stage.browser.driver.active_element().await?;
    let goal = focused.prop("href").await?.unwrap_or_default();
    ensure!(
        goal.contains("kidney.test"),
        "the jump key went to {goal:?}"
    );
    focused.send_keys(Key::Enter + "").await?;
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
    stage.strike().await
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

async fn undo_pause_and_strict_pages(kind: Kind) -> Result<()> {
    let stage = Stage::set(kind).await?;
    stage.new_topic("kidneys").await?;
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
async fn databases(kind: Kind) -> Result<()> {
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
    stage.browser.press("a[href^='/topic/']").await?;
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

async fn hand_over(kind: Kind) -> Result<()> {
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
    stage.popup().await?;
    stage.type_in("port", &port.to_string()).await?;
    stage.type_in("code", &code).await?;
    stage.press("pair").await?;

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
    screen.press("a[href='/topic/1']").await?;
    screen.press("a[href='/crawl/1']").await?;
    screen
        .wait_for_text("All pages of the budget were fetched.")
        .await?;
    stage.picture("crawl").await?;
    screen.press("a[href='/crawl/1/results']").await?;
    screen.wait_for_text("at kidney.test").await?;
    stage.picture("results").await?;
    learn_ways(&stage).await?;
    drop(companion);
    another_companion(&stage).await?;
    stage.strike().await
}

/// The dashboard, which lies open, is told to learn the ways to targets; the
/// model comes to the browser, and the popup says how far a page looks.
async fn learn_ways(stage: &Stage) -> Result<()> {
    let screen = &stage.browser;
    screen.press("a[href='/topic/1']").await?;
    screen.wait_for_text("By all that is known").await?;
    screen.press("form[action='/topic/1/ways'] button").await?;
    screen.wait_for_text("Learn the ways anew").await?;
    stage.picture("topic").await?;
    stage.open("http://town.test/").await?;
    stage.popup().await?;
    stage.press("sync").await?;
    stage.open("http://town.test/").await?;
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
    mark_and_follow(Kind::Chromium).await
}

#[tokio::test]
async fn mark_and_follow_in_firefox() -> Result<()> {
    mark_and_follow(Kind::Firefox).await
}

#[tokio::test]
async fn undo_pause_and_strict_pages_in_chromium() -> Result<()> {
    undo_pause_and_strict_pages(Kind::Chromium).await
}

#[tokio::test]
async fn undo_pause_and_strict_pages_in_firefox() -> Result<()> {
    undo_pause_and_strict_pages(Kind::Firefox).await
}

#[tokio::test]
async fn hand_over_in_chromium() -> Result<()> {
    hand_over(Kind::Chromium).await
}

#[tokio::test]
async fn hand_over_in_firefox() -> Result<()> {
    hand_over(Kind::Firefox).await
}

#[tokio::test]
async fn databases_in_chromium() -> Result<()> {
    databases(Kind::Chromium).await
}

#[tokio::test]
async fn databases_in_firefox() -> Result<()> {
    databases(Kind::Firefox).await
}
