//! How long a topic's page and its model take with 2,000 clicks and 100,000 fetches in the
//! store: `linkscent serve` is asked for the page over loopback, the service for the model
//! file as a browser gets it. The first of each has to make the topic's guide.
//!
//! `cargo bench --package linkscent --bench screens`

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use linkscent::crawler::way::Way;
use linkscent::service::{NewCrawl, Service, Starts};
use linkscent::store::{CrawlState, Location, Store};
use linkscent_core::address::Address;
use linkscent_core::crawl::Record;
use linkscent_core::web_graph::{Judgment, Relevance};
use linkscent_core::wire::api::{Event, EventKind};

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
    let (mut serve, port, link) = serve(folder.path())?;
    let (head, _) = get(port, &link)?;
    let base = head
        .lines()
        .find_map(|line| line.strip_prefix("location: "))
        .context("no dashboard")?;
    let page = format!("{}topic/1", base.trim());
    report("/topic/{id}", || {
        let (head, body) = get(port, &page)?;
        ensure!(head.contains(" 200 "), "{head}");
        Ok(body)
    })?;
    serve.kill()?;
    serve.wait()?;
    let store = runtime.block_on(Store::open(folder.path()))?;
    let service = Service::new(store, Way::default());
    report("model", || {
        let model = runtime.block_on(service.model("kidneys", 0))?;
        Ok(model.context("no model")?.1.len())
    })
}

fn report(name: &str, mut ask: impl FnMut() -> Result<usize>) -> Result<()> {
    let mut time = || -> Result<(Duration, usize)> {
        let begun = Instant::now();
        let bytes = ask()?;
        Ok((begun.elapsed(), bytes))
    };
    let (first, bytes) = time()?;
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..TIMES {
        times.push(time()?.0);
    }
    times.sort_unstable();
    println!(
        "{name}: {bytes} bytes; first {first:.1?}, then median {:.1?}, p95 {:.1?}, worst {:.1?}",
        times[TIMES / 2],
        times[TIMES * 95 / 100],
        times[TIMES - 1]
    );
    Ok(())
}

async fn fill(folder: &Path) -> Result<()> {
    let store = Store::open(folder).await?;
    let service = Service::new(store.clone(), Way::default());
    let start = "http://host0.test/0".to_owned();
    let topic = service
        .create_topic("kidneys", std::slice::from_ref(&start))
        .await?;
    for from in (0..CLICKS).step_by(500) {
        let clicks = (from..from + 500).map(click).collect();
        service.take_events(clicks).await?;
    }
    let starts = Starts {
        seeds: vec![start],
        ..Starts::default()
    };
    let new = NewCrawl::new(starts, FETCHES);
    let crawl = service.prepare_crawl(&topic, &new).await?.id;
    for from in (1..=FETCHES).step_by(1_000) {
        let records: Result<Vec<_>> = (from..from + 1_000).map(record).collect();
        store.take_fetches(crawl, 0, &records?).await?;
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
        waiting: None,
        arm: linkscent_core::crawl::Arm::Primary,
    };
    Ok((record, Location::default()))
}

fn serve(data: &Path) -> Result<(Child, u16, String)> {
    let mut child = Command::new(env!("CARGO_BIN_EXE_linkscent"))
        .args(["serve", "--port", "0", "--json", "--data"])
        .arg(data)
        .stdout(Stdio::piped())
        .spawn()?;
    let out = child.stdout.take().context("serve says nothing")?;
    let mut line = String::new();
    BufReader::new(out).read_line(&mut line)?;
    let said: serde_json::Value = serde_json::from_str(&line)?;
    let link = said["dashboard"].as_str().context("no link")?;
    let rest = link.strip_prefix("http://127.0.0.1:").context("no port")?;
    let (port, path) = rest.split_once('/').context("no path")?;
    Ok((child, port.parse()?, format!("/{path}")))
}

/// Head of the answer and length of its body.
fn get(port: u16, path: &str) -> Result<(String, usize)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    let request =
        format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer.split_once("\r\n\r\n").context("no head")?;
    Ok((head.to_owned(), body.len()))
}
