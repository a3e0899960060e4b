//! What reading costs a page: when its load event comes, and how long its main thread is held,
//! with reading switched on and off, in real browsers. Prints figures.

use anyhow::{Context, Result, ensure};
use linkscent_tests::browser::BrowserKind;
use linkscent_tests::companion::Companion;
use linkscent_tests::stage::Stage;
use linkscent_tests::{material, wait_for, web};
use serde_json::Value;

/// Looks at each page; the middle one counts.
const LOOKS: usize = 5;

/// Real pages that are looked at.
const REAL: usize = 50;

/// A page of paragraphs with so many links.
fn page_of(links: usize) -> String {
    let paragraph = |number: usize| {
        format!(
            "<p>Paragraph {number} tells of kidneys and <a href='/page{number}'>dialysis in year \
             {number}</a> and other things.</p>"
        )
    };
    let paragraphs: String = (0..links).map(paragraph).collect();
    format!("<!doctype html><title>{links} links</title><h1>A list</h1>{paragraphs}")
}

struct Cost {
    /// Milliseconds from the start to the end of the load event.
    loaded: f64,
    /// The longest task on the main thread, where the browser tells: milliseconds, 0 if none was
    /// longer than 50.
    longest: Option<f64>,
}

async fn look(stage: &Stage, address: &str, is_read: bool) -> Result<Cost> {
    stage.open("http://town.test/").await?;
    stage.open(address).await?;
    let shown = stage.shown().await?;
    ensure!(shown.refused.is_none() == is_read, "{:?}", shown.refused);
    let script = "const tasks = await new Promise((done) => {
            if (!PerformanceObserver.supportedEntryTypes.includes('longtask')) return done(null);
            new PerformanceObserver((list) => done(list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true });
            setTimeout(done, 300, []);
        });
        return { loaded: performance.getEntriesByType('navigation')[0].loadEventEnd, tasks };";
    let cost = wait_for("the load event", 30, || async {
        let cost = stage.browser.script(script).await?;
        Ok((cost["loaded"].as_f64() > Some(0.0)).then_some(cost))
    })
    .await?;
    let tasks = cost["tasks"].as_array();
    Ok(Cost {
        loaded: cost["loaded"].as_f64().context("no time")?,
        longest: tasks.map(|tasks| {
            let durations = tasks.iter().filter_map(Value::as_f64);
            durations.fold(0.0, f64::max)
        }),
    })
}

async fn middle(stage: &Stage, address: &str, is_read: bool) -> Result<(f64, Option<f64>)> {
    let mut costs = Vec::new();
    for _ in 0..LOOKS {
        costs.push(look(stage, address, is_read).await?);
    }
    costs.sort_by(|a, b| a.loaded.total_cmp(&b.loaded));
    let loaded = costs[LOOKS / 2].loaded;
    let mut longest: Vec<f64> = costs.iter().filter_map(|cost| cost.longest).collect();
    longest.sort_by(f64::total_cmp);
    Ok((loaded, longest.get(LOOKS / 2).copied()))
}

async fn costs(kind: BrowserKind) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("web.warc");
    let sizes = [1_000, 20_000];
    let mut pages = vec![("http://town.test/".to_owned(), page_of(3))];
    pages.extend(sizes.map(|links| (format!("http://town.test/{links}"), page_of(links))));
    let rows: Vec<web::PageRow<'_>> = pages
        .iter()
        .map(|(address, body)| (address.as_str(), "", body.as_str()))
        .collect();
    web::write_warc(&file, &rows)?;
    let (replay, proxy) = Companion::replay(&[&file]).await?;
    let stage = Stage::on_web(kind, proxy).await?;
    stage.new_topic("kidneys").await?;
    for links in sizes {
        let address = format!("http://town.test/{links}");
        let on = middle(&stage, &address, true).await?;
        stage.open("http://town.test/").await?;
        stage.popup().await?;
        stage.press("switch-off").await?;
        let off = middle(&stage, &address, false).await?;
        stage.popup().await?;
        stage.press("switch-on").await?;
        println!(
            "{kind:?}: the load event of a page with {links} links ends after {:.0} ms, {:.0} ms \
             when nothing is read; longest task {:?} and {:?} ms",
            on.0, off.0, on.1, off.1
        );
    }
    drop(replay);
    stage.strike().await
}

/// Real pages of an encyclopedia, the same with and without reading.
async fn real_pages(kind: BrowserKind) -> Result<()> {
    let Some(shared) = material() else {
        return Ok(());
    };
    let file = shared.join("webs/wikispeedia.warc.gz");
    let (replay, proxy) = Companion::replay(&[&file]).await?;
    let names = std::fs::read_to_string(shared.join("trails/articles.tsv"))?;
    let names = names
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty());
    let pages: Vec<String> = names
        .step_by(90)
        .take(REAL)
        .map(|name| format!("http://wikispeedia.test/wiki/{name}"))
        .collect();
    ensure!(pages.len() == REAL, "{} pages", pages.len());
    let stage = Stage::on_web(kind, proxy).await?;
    stage.open(&pages[0]).await?;
    stage.popup().await?;
    stage.type_in("topic-name", "castles").await?;
    stage.press("create-topic").await?;
    let mut sums = [Vec::new(), Vec::new()];
    for is_read in [true, false] {
        if !is_read {
            stage.popup().await?;
            stage.press("switch-off").await?;
        }
        for page in &pages {
            stage.open(page).await?;
            stage.shown().await?;
            let loaded =
                "return performance.getEntriesByType('navigation')[0].loadEventEnd || null;";
            let loaded = wait_for("the load event", 30, || async {
                Ok(stage.browser.read(loaded).await?.as_f64())
            });
            sums[usize::from(!is_read)].push(loaded.await?);
        }
    }
    let [on, off] = sums.map(|mut times| {
        times.sort_by(f64::total_cmp);
        (times.iter().sum::<f64>() / REAL as f64, times[REAL / 2])
    });
    println!(
        "{kind:?}: over {REAL} real pages the load event ends after {:.1} ms on average ({:.1} in \
         the middle), {:.1} ({:.1}) when nothing is read",
        on.0, on.1, off.0, off.1
    );
    drop(replay);
    stage.strike().await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it only prints figures: cargo nightly"]
async fn real_pages_in_chromium() -> Result<()> {
    real_pages(BrowserKind::Chromium).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it only prints figures: cargo nightly"]
async fn real_pages_in_firefox() -> Result<()> {
    real_pages(BrowserKind::Firefox).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it only prints figures: cargo nightly"]
async fn costs_in_chromium() -> Result<()> {
    costs(BrowserKind::Chromium).await
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "it only prints figures: cargo nightly"]
async fn costs_in_firefox() -> Result<()> {
    costs(BrowserKind::Firefox).await
}
