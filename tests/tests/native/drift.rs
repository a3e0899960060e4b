//! A crawl on a web where the topic is exhausted: it says so soon, and does what it
//! was told to do then.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use linkscent_tests::companion::Companion;
use linkscent_tests::web::{word, write_warc};
use serde_json::Value;

/// Pages on the topic, and others.
const ON_TOPIC: usize = 150;
const OTHERS: usize = 500;

/// A ring of pages on kidneys, each of which links to a few of its kind and to pages
/// on railways, which link to each other alone.
fn exhausted_web() -> Vec<(String, String)> {
    let page = |name: &str, number: usize, words: &str, links: &[String]| {
        let mut body = format!(
            "<!doctype html><title>{name} {number}</title><h1>{name} {number}</h1><p>{words} \
             place{number} person{} {}</p>",
            number % 37,
            word(number)
        );
        for link in links {
            let about = if link.starts_with("/kidney") {
                "kidney dialysis patients"
            } else {
                "railway stations"
            };
            let _ = write!(body, "<p>see <a href='{link}'>{about} {link}</a></p>");
        }
        (format!("http://ring.test/{name}{number}"), body)
    };
    let mut pages = Vec::new();
    for number in 0..ON_TOPIC {
        let mut links: Vec<String> = (1..4)
            .map(|step| format!("/kidney{}", (number + step) % ON_TOPIC))
            .collect();
        links.extend((0..3).map(|step| format!("/railway{}", (number * 3 + step) % OTHERS)));
        let words = "Dialysis cleans the blood of kidney patients; a transplant replaces it.";
        pages.push(page("kidney", number, words, &links));
    }
    for number in 0..OTHERS {
        let links: Vec<String> = (1..6)
            .map(|step| format!("/railway{}", (number * 7 + step * 13) % OTHERS))
            .collect();
        let words = "Trains leave the railway station by the timetable; tickets are sold there.";
        pages.push(page("railway", number, words, &links));
    }
    pages
}

async fn crawl(folder: &Path, proxy: u16, on_drift: &str, more: &[&str]) -> Result<Value> {
    let data = folder.join(on_drift).display().to_string();
    let proxy = format!("http://127.0.0.1:{proxy}");
    let mut arguments = vec![
        "crawl",
        "--data",
        &data,
        "--delay",
        "0",
        "--proxy",
        &proxy,
        "--on-drift",
        on_drift,
        "--json",
    ];
    arguments.extend(more);
    let crawl = Companion::start(&arguments)?;
    Ok(serde_json::from_str(&crawl.finish().await?)?)
}

#[tokio::test]
async fn an_exhausted_topic_is_told_and_acted_on() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let warc = folder.path().join("ring.warc");
    let pages = exhausted_web();
    let rows: Vec<_> = pages
        .iter()
        .map(|(address, body)| (address.as_str(), "", body.as_str()))
        .collect();
    write_warc(&warc, &rows)?;
    let (_replay, proxy) = Companion::replay(&[&warc]).await?;

    let examples = folder.path().join("kidneys.txt");
    std::fs::write(&examples, "http://ring.test/kidney0\n")?;
    let examples = examples.display().to_string();
    let whole = ["--examples", &examples, "--budget", "600"];
    let paused = crawl(folder.path(), proxy, "pause", &whole).await?;
    ensure!(paused["stop_reason"] == "drift", "{paused}");
    let pages = paused["pages"].as_u64().context("no pages")? as usize;
    ensure!(
        (ON_TOPIC / 2..ON_TOPIC + 150).contains(&pages),
        "paused after {pages} pages: {paused}"
    );
    let said = paused["alarms"][0].as_str().context("no alarm")?;
    ensure!(said.contains("exhausted"), "{said}");

    // It goes on when it is told to, and to its end.
    let resumed = crawl(folder.path(), proxy, "pause", &whole).await?;
    ensure!(
        resumed["pages"].as_u64() > paused["pages"].as_u64(),
        "{resumed}"
    );
    // One that is told otherwise while it rests, here for want of its proxy, does not pause.
    let otherwise = folder.path().join("otherwise");
    std::fs::create_dir(&otherwise)?;
    let nobody = 1;
    ensure!(crawl(&otherwise, nobody, "pause", &whole).await.is_err());
    let data = otherwise.join("pause").display().to_string();
    let change = ["change", "1", "--on-drift", "tell", "--data", &data];
    Companion::start(&change)?.finish().await?;
    let done = crawl(&otherwise, proxy, "pause", &whole).await?;
    ensure!(done["stop_reason"] == "budget", "{done}");
    ensure!(done["alarms"][0].is_string(), "{done}");

    for on_drift in ["tell", "restrict"] {
        let done = crawl(folder.path(), proxy, on_drift, &whole).await?;
        ensure!(done["stop_reason"] == "budget", "{on_drift}: {done}");
        ensure!(done["alarms"][0].is_string(), "{on_drift}: {done}");
    }

    // The example is one of the topic's targets from then on.
    let more = ["--topic", "kidneys", "--budget", "20"];
    let next = crawl(folder.path(), proxy, "tell", &more).await?;
    ensure!(next["pages"] == 20, "{next}");
    Ok(())
}
