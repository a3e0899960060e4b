//! How long the pages of a topic and its crawl and the topic's model take with 2,000 clicks, 100,000
//! fetches and three open questions in the store: `linkscent serve` is asked for the pages over loopback,
//! the service for the model file as a browser gets it. The first of each has to make the topic's model.
//!
//! `cargo bench --package linkscent --bench screens`

mod looks;

use std::path::Path;

use anyhow::{Context, Result};
use linkscent_core::address::Address;
use linkscent_core::crawl::Record;
use linkscent_core::web_graph::{Judgment, Relevance};
use linkscent_core::wire::api::{Event, EventKind};
use linkscent_service::crawler::way::Way;
use linkscent_service::{NewCrawl, Services, Starts};
use linkscent_store::{CrawlState, Location, Store};
use looks::{Dashboard, report};

const CLICKS: usize = 2_000;
const FETCHES: u64 = 100_000;
const TIMES: usize = 100;
const WORDS: [&str; 8] = [
    "kidney", "dialysis", "patient", "donor", "railway", "engine", "station", "ticket",
];

fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(fill(folder.path()))?;
    let dashboard = Dashboard::serve(folder.path(), None)?;
    for page in ["topic/1", "topic/1/finds", "crawl/1"] {
        report(&format!("/{page}"), TIMES, || dashboard.look_at(page))?;
    }
    drop(dashboard);
    let store = runtime.block_on(Store::open(folder.path()))?;
    let service = Services::new(store, Way::default());
    report("model", TIMES, || {
        let model = runtime.block_on(service.models.model("kidneys", 0))?;
        Ok(model.context("no model")?.1.len())
    })
}

async fn fill(folder: &Path) -> Result<()> {
    let store = Store::open(folder).await?;
    let service = Services::new(store.clone(), Way::default());
    let start = "http://host0.test/0".to_owned();
    let topic = service
        .topics
        .create_topic("kidneys", std::slice::from_ref(&start))
        .await?;
    for from in (0..CLICKS).step_by(500) {
        let clicks = (from..from + 500).map(click).collect();
        service.topics.take_events(clicks).await?;
    }
    let starts = Starts {
        seeds: vec![start],
        ..Starts::default()
    };
    let new = NewCrawl::new(starts, FETCHES);
    let crawl = service.crawls.prepare_crawl(&topic, &new).await?.id;
    for from in (1..=FETCHES).step_by(1_000) {
        let records: Result<Vec<_>> = (from..from + 1_000).map(record).collect();
        store.take_fetches(crawl, 0, &records?).await?;
    }
    for number in [1, FETCHES / 2, FETCHES] {
        let page = record(number)?.0.address;
        store.ask(crawl, page.as_str()).await?;
    }
    let done = store.set_state(crawl, CrawlState::Done, "budget");
    Ok(done.await?)
}

fn click(number: usize) -> Event {
    let page = |number: usize| format!("http://host{}.test/{number}", number % 50);
    let word = |place: usize| WORDS[(number * 7 + place * 3) % WORDS.len()].to_owned();
    Event {
        id: format!("click-{number}"),
        topic: "kidneys".to_owned(),
        time: number as u64,
        what: EventKind::Click {
            from: page(number / 3),
            to: page(number + 1),
            anchor: word(0),
            context: (0..20)
                .map(|place| (word(place), place as i32 - 10))
                .collect(),
            relevance: (number % 10) as f64 / 10.0,
            passed_over: Vec::new(),
        },
    }
}

fn record(number: u64) -> Result<(Record, Location)> {
    let judgment = Judgment {
        relevance: Relevance::new((number % 10) as f64 / 10.0),
        is_target: number.is_multiple_of(5),
        ..Judgment::default()
    };
    let record = Record {
        number,
        address: Address::parse(&format!("http://host{}.test/{number}", number % 50))?,
        trail: Vec::new(),
        anchor: "a link".to_owned(),
        reason: "“kidney” in the link; in 2 of your 2 targets".to_owned(),
        priority: None,
        expected: None,
        judgment: Some(judgment),
        class: String::new(),
        scored: true,
        title: format!("Page {number}"),
        snippet: "The beginning of a page's text, as it is shown. ".repeat(4),
        problem: String::new(),
        forms: Vec::new(),
        alarm: None,
        unfound: None,
        arm: linkscent_core::crawl::Arm::Primary,
    };
    Ok((record, Location::default()))
}
