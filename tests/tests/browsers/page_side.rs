//! What a page's own scripts can learn of what is shown over it: nothing. A hostile page looks
//! in every way it has (`oracles.js`), once where the topic highlights some of its links and once
//! where another topic highlights none. Both looks must find the same: while nobody touches the
//! page, while the person points at a link, after a jump by key, and in print.

use anyhow::{Result, ensure};
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::scripted::{Reply, scripted_web};
use linkscent_tests::stage::Stage;
use linkscent_tests::wait_for;
use serde_json::{Map, Value};
use thirtyfour::prelude::*;

const CLINIC: &str = "opioid methadone addiction treatment recovery relapse counselling for \
    patients in our town ";
const TRAINS: &str = "railway locomotives timetable stations platforms signals carriages ";
/// What the page allows itself and everybody else: no frames, no styles, no code but its own. What
/// the extension does must neither fail for it nor be reported to the page.
const POLICY: &str = "default-src 'none'; script-src 'nonce-own'";
/// Milliseconds within which two measurements of the same work may differ: two steps of the clock
/// that pages are given for events.
const CLOCK: f64 = 16.0;
/// Visits of each kind at most, of which the fastest counts: other work on the machine slows some down.
const MOST_VISITS: usize = 12;

fn bait() -> String {
    let links = [
        ("clinic", "opioid addiction treatment"),
        ("garden", "tomatoes and potatoes"),
        ("methadone", "methadone for patients"),
        ("weather", "weather of the week"),
        ("recovery", "recovery from opioid addiction"),
        ("shop", "lamps, chairs and tables"),
    ];
    let links: String = links
        .iter()
        .map(|(id, text)| {
            format!("<p>Read more: <a id={id} href='/{id}/1'>{text}</a> today.</p><br>")
        })
        .collect();
    let script = include_str!("oracles.js");
    format!(
        "<!doctype html><html lang=en><head><meta charset=utf-8><title>News of the day</title>\
         <meta http-equiv=Content-Security-Policy content=\"{POLICY}\">\
         <script nonce=own>{script}</script></head><body><h1>News</h1>{links}</body></html>"
    )
}

fn web(address: &str) -> Reply {
    let path = address.split(".test").nth(1).unwrap_or("/");
    let page = |title: &str, body: &str| {
        Reply::Page(format!(
            "<!doctype html><html lang=en><title>{title}</title><h1>{title}</h1><p>{body}</p>"
        ))
    };
    match path {
        "/bait" => Reply::Page(bait()),
        "/clinic/1" | "/clinic/2" => page("Opioid addiction treatment", &CLINIC.repeat(6)),
        "/trains/1" | "/trains/2" => page("Railway timetable", &TRAINS.repeat(6)),
        _ => page("Garden", &"tomatoes and potatoes in the garden ".repeat(6)),
    }
}

/// A topic with two targets.
async fn topic(stage: &Stage, name: &str, kind: &str) -> Result<()> {
    stage.open("http://news.test/garden").await?;
    stage.popup().await?;
    stage.type_in("topic-name", name).await?;
    stage.press("create-topic").await?;
    for number in [1, 2] {
        let page = format!("http://town.test/{kind}/{number}");
        stage.mark(&page, "mark-target").await?;
    }
    Ok(())
}

/// Opens the bait and waits until it was read; whether something is highlighted there.
async fn visit(stage: &Stage) -> Result<bool> {
    stage.open("http://news.test/bait").await?;
    let shown = stage.shown().await?;
    ensure!(shown.refused.is_none(), "{:?}", shown.refused);
    Ok(!shown.links.is_empty())
}

/// The person points at a link until words about it are there, or would be.
async fn point(stage: &Stage, id: &str) -> Result<()> {
    let link = stage.browser.driver.find(By::Id(id)).await?;
    let actions = stage.browser.driver.action_chain();
    actions.move_to_element_center(&link).perform().await?;
    settle(stage).await
}

/// Waits for what an action brings about: longer than any delay of the extension.
async fn settle(stage: &Stage) -> Result<()> {
    let script = "await new Promise((done) => setTimeout(done, 700));
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));";
    stage.browser.script(script).await.map(drop)
}

async fn away(stage: &Stage) -> Result<()> {
    let actions = stage.browser.driver.action_chain();
    actions.move_to(2, 2).perform().await?;
    settle(stage).await
}

async fn look(stage: &Stage) -> Result<Value> {
    stage.browser.script("return window.look();").await
}

/// Everything that the page finds out in one visit, by what happened before.
async fn found(stage: &Stage) -> Result<Value> {
    let driver = &stage.browser.driver;
    let mut all = Map::new();
    away(stage).await?;
    all.insert("calm".to_owned(), look(stage).await?);
    for id in ["clinic", "garden", "shop"] {
        point(stage, id).await?;
        stage.picture(&format!("page-side-{id}")).await?;
        all.insert(format!("pointed at {id}"), look(stage).await?);
    }
    away(stage).await?;
    all.insert("left".to_owned(), look(stage).await?);
    let body = driver.find(By::Tag("body")).await?;
    for _ in 0..2 {
        body.send_keys(Key::Alt + Key::Shift + "j").await?;
        settle(stage).await?;
    }
    all.insert("jumped".to_owned(), look(stage).await?);
    driver
        .print_page(thirtyfour::common::print::PrintParameters::default())
        .await?;
    let printed = stage.browser.read("return window.printed;").await?;
    all.insert("printed".to_owned(), printed);
    let heard = stage.browser.read("return window.hear();").await?;
    all.insert("heard".to_owned(), heard);
    let pried = stage.browser.script("return window.pry();").await?;
    all.insert("pried".to_owned(), pried);
    Ok(Value::Object(all))
}

/// The least that visits took: the number of long tasks, and the slowest event in milliseconds. What else
/// the machine does only adds to it, so there are no more visits once it is nothing.
async fn fastest(stage: &Stage, highlights: bool) -> Result<[f64; 2]> {
    let mut least = [f64::INFINITY; 2];
    for _ in 0..MOST_VISITS {
        if least == [0.0; 2] {
            break;
        }
        ensure!(visit(stage).await? == highlights);
        for id in ["clinic", "garden"] {
            point(stage, id).await?;
        }
        away(stage).await?;
        let timing = stage.browser.read("return window.timing();").await?;
        for (least, name) in least.iter_mut().zip(["long", "slowest"]) {
            *least = least.min(timing[name].as_f64().unwrap_or(f64::NAN));
        }
    }
    Ok(least)
}

/// The places at which two values differ, with both values there.
fn differences(one: &Value, other: &Value, place: &str, found: &mut Vec<String>) {
    match (one, other) {
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            for (key, value) in a {
                let other = b.get(key).unwrap_or(&Value::Null);
                differences(value, other, &format!("{place}/{key}"), found);
            }
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            for (number, (one, other)) in a.iter().zip(b).enumerate() {
                differences(one, other, &format!("{place}/{number}"), found);
            }
        }
        _ if one == other => {}
        _ => found.push(format!("{place}: {one} and {other}")),
    }
}

async fn a_page_learns_nothing(kind: BrowserKind) -> Result<()> {
    let (proxy, _) = scripted_web(web).await?;
    let stage = Stage::on_web(kind, proxy).await?;
    topic(&stage, "railway timetables", "trains").await?;
    ensure!(!visit(&stage).await?, "no link of the bait is about trains");
    let without = found(&stage).await?;
    let calm = fastest(&stage, false).await?;
    topic(&stage, "methadone", "clinic").await?;
    ensure!(visit(&stage).await?, "some links of the bait are about it");
    let with = found(&stage).await?;
    let busy = fastest(&stage, true).await?;
    let mut differs = Vec::new();
    differences(&without, &with, "", &mut differs);
    ensure!(differs.is_empty(), "{}", differs.join("\n"));
    let all = with.to_string();
    ensure!(!all.contains("-extension:"), "an address of the extension");
    point(&stage, "clinic").await?;
    let tip = wait_for("words about the link", 10, || async {
        Ok(stage.shown().await?.tip)
    });
    ensure!(tip.await?.contains('%'));
    // The page does look: it sees its own links, and what it is told of them.
    let links = &with["pointed at clinic"]["links"];
    ensure!(links[0]["clinic"][0] == true, "{links}");
    if kind == BrowserKind::Chromium {
        ensure!(links[1]["clinic"][1] == true, "covered: {links}");
    }
    // Somebody who trusts none of this can have links shown in the panel alone.
    stage.panel().await?;
    stage.browser.press("#panel-only-on").await?;
    stage
        .browser
        .wait_for_text("Links are shown only here")
        .await?;
    ensure!(visit(&stage).await?, "the panel has the links");
    let in_panel = found(&stage).await?;
    differences(&without, &in_panel, "", &mut differs);
    ensure!(differs.is_empty(), "in the panel: {}", differs.join("\n"));
    ensure!(busy[0] <= calm[0], "long tasks: {calm:?}, {busy:?}");
    ensure!(busy[1] <= calm[1] + CLOCK, "events: {calm:?}, {busy:?}");
    stage.strike().await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_learns_nothing_in_chromium() -> Result<()> {
    a_page_learns_nothing(BrowserKind::Chromium).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_learns_nothing_in_firefox() -> Result<()> {
    a_page_learns_nothing(BrowserKind::Firefox).await
}
