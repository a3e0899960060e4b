//! Workers and whoever runs a crawl, as programs of their own: what they do together, and what is left of it
//! where some of them die.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, ensure};
use linkscent_store::Store;
use linkscent_tests::companion::Companion;
use linkscent_tests::outages::outages;
use linkscent_tests::postgres::Cluster;
use linkscent_tests::shell::list;
use linkscent_tests::synthetic_web::endless_web;
use linkscent_tests::watched_web::{Log, faults, to_all_hosts, web};
use linkscent_tests::{skipped, wait_for};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::database;

/// What all programs of a test share.
struct Shared<'a> {
    database: &'a str,
    proxy: String,
    data: String,
}

impl<'a> Shared<'a> {
    fn new(database: &'a str, proxy: u16, folder: &Path) -> Self {
        Self {
            database,
            proxy: format!("http://127.0.0.1:{proxy}"),
            data: folder.join("data").display().to_string(),
        }
    }

    fn worker(&self, name: &str) -> Result<Companion> {
        let proxy = ["--proxy", &self.proxy, "--name", name];
        let arguments = ["team", "work", "--database", self.database];
        Companion::start(&[&arguments[..], &proxy].concat())
    }

    /// The crawl, its requests made by workers or by itself.
    fn crawl(&self, starts: &str, more: &[&str]) -> Result<Companion> {
        let arguments = [
            "crawl",
            "--json",
            "--seeds",
            starts,
            "--topic",
            "kidneys",
            "--critic",
            "text has \"kidney\"",
            "--data",
            &self.data,
            "--database",
            self.database,
            "--proxy",
            &self.proxy,
        ];
        Companion::start(&[&arguments[..], more].concat())
    }
}

async fn pages(store: &Store) -> Result<Vec<String>> {
    let rows = store.fetches(1).await?;
    Ok(rows.into_iter().map(|row| row.address).collect())
}

/// How many pages a log has, each once, and how many requests hosts saw, one at a time and none before its
/// time.
fn in_order(mut pages: Vec<String>, log: &Log) -> Result<(usize, usize)> {
    let rows = pages.len();
    pages.sort();
    pages.dedup();
    ensure!(pages.len() == rows, "a page stands in the log twice");
    let (requests, overlaps, early) = faults(log);
    ensure!(
        overlaps == 0 && early == 0,
        "of {requests} requests {overlaps} at once, {early} too early"
    );
    Ok((rows, requests))
}

/// The pages of a crawl of one host, whose requests so many workers make, or itself: in the order in which
/// they came.
async fn crawled_by(workers: usize) -> Result<Option<Vec<String>>> {
    let Some(database) = database()? else {
        return Ok(None);
    };
    let folder = tempfile::tempdir()?;
    let (port, _) = endless_web().await?;
    let shared = Shared::new(&database, port, folder.path());
    let starts = list(
        folder.path(),
        &["http://host0.test/0", "http://host0.test/4"],
    )?;
    let working = (0..workers).map(|worker| shared.worker(&format!("worker-{worker}")));
    let working: Vec<Companion> = working.collect::<Result<_>>()?;
    let mut more = vec!["--budget", "400", "--delay", "0", "--host", "host0.test"];
    more.extend(["--strategy", "apprentice"]);
    if workers > 0 {
        more.push("--by-workers");
    }
    let begun = Instant::now();
    let said: Value = serde_json::from_str(&shared.crawl(&starts, &more)?.finish().await?)?;
    println!("{workers} workers: {:.1?}, {said}", begun.elapsed());
    ensure!(said["stop_reason"] == "budget", "{said}");
    drop(working);
    let store = Store::open_database(&database, Path::new(&shared.data)).await?;
    Ok(Some(pages(&store).await?))
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_bring_what_one_program_brings_in_the_same_order() -> Result<()> {
    let Some(alone) = crawled_by(0).await? else {
        return Ok(());
    };
    ensure!(alone.len() >= 400, "{}", alone.len());
    for workers in [1, 4] {
        let Some(pages) = crawled_by(workers).await? else {
            return Ok(());
        };
        ensure!(pages == alone, "{workers} workers brought other pages");
    }
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_crawl_without_workers_goes_on_when_its_database_was_restarted() -> Result<()> {
    const RESTARTS: usize = 6;
    let mut cluster = match Cluster::start() {
        Ok(cluster) => cluster,
        Err(why) => {
            skipped(&why);
            return Ok(());
        }
    };
    let folder = tempfile::tempdir()?;
    let (port, log) = web(to_all_hosts, "none").await?;
    let database = cluster.fresh().map_err(Error::msg)?;
    let shared = Shared::new(&database, port, folder.path());
    let starts = list(folder.path(), &["http://h0.test/0", "http://h1.test/0"])?;
    let store = Store::open_database(&database, Path::new(&shared.data)).await?;
    let more = ["--budget", "2000", "--delay", "150"];
    let mut crawl = shared.crawl(
        &starts,
        &[&more[..], &["--strategy", "breadth-first"]].concat(),
    )?;
    let mut acknowledged = Vec::new();
    let asked = || faults(&log).0;
    let (mut longest, mut begun, mut before) = (Duration::ZERO, Instant::now(), 0);
    for restart in 0..=RESTARTS {
        wait_for("the crawl goes on", 60, || async {
            Ok((asked() > before + 40).then_some(()))
        })
        .await?;
        if restart > 0 {
            longest = longest.max(begun.elapsed());
        }
        let now = pages(&store).await?;
        ensure!(
            now.starts_with(&acknowledged),
            "the log lost or changed lines"
        );
        acknowledged = now;
        if restart < RESTARTS {
            let signal = if restart.is_multiple_of(2) {
                "QUIT"
            } else {
                "INT"
            };
            cluster.restart(signal).map_err(Error::msg)?;
            (before, begun) = (asked(), Instant::now());
        }
    }
    crawl.kill().await?;
    let (rows, requests) = in_order(pages(&store).await?, &log)?;
    println!(
        "{requests} requests, {rows} in the log, {RESTARTS} restarts of the database; it went on after \
         {longest:.1?} at most"
    );
    ensure!(longest < Duration::from_secs(10), "{longest:?}");
    Ok(())
}

/// A part of what `cargo outages` does.
#[tokio::test(flavor = "multi_thread")]
async fn whatever_fails_a_crawl_goes_on_and_keeps_its_promises() -> Result<()> {
    if database()?.is_none() {
        return Ok(());
    }
    let folder = tempfile::tempdir()?;
    let report = outages(2, 3, folder.path(), |_, _| {}).await?;
    println!("{report}");
    ensure!(report.is_kept(), "{report}");
    ensure!(report.lines > 200, "{report}");
    Ok(())
}

/// Stops a worker amid its requests until the others have given it up, and has it go on.
#[tokio::test(flavor = "multi_thread")]
async fn a_worker_that_sleeps_asks_nobody_when_it_wakes() -> Result<()> {
    let Some(database) = database()? else {
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let (port, log) = web(to_all_hosts, "h0.test").await?;
    let shared = Shared::new(&database, port, folder.path());
    let starts = list(folder.path(), &["http://h0.test/0", "http://h1.test/0"])?;
    let store = Store::open_database(&database, Path::new(&shared.data)).await?;
    let workers = store.workers().context("no workers")?;
    let (sleeper, other) = (shared.worker("sleeper")?, shared.worker("other")?);
    let more = [
        "--budget",
        "2000",
        "--delay",
        "150",
        "--strategy",
        "breadth-first",
        "--by-workers",
    ];
    let mut crawl = shared.crawl(&starts, &more)?;
    let asked = || faults(&log).0;
    let is_there = async || -> Result<bool> {
        let all = workers.all().await?;
        Ok(all.iter().any(|worker| worker.name == "sleeper"))
    };
    for _ in 0..2 {
        let before = asked();
        wait_for("the crawl goes on", 60, || async {
            Ok((asked() > before + 20).then_some(()))
        })
        .await?;
        sleeper.signal("STOP").await?;
        wait_for("it is missed", 60, || async {
            Ok((!is_there().await?).then_some(()))
        })
        .await?;
        let before = asked();
        wait_for("the crawl goes on without it", 60, || async {
            Ok((asked() > before + 20).then_some(()))
        })
        .await?;
        sleeper.signal("CONT").await?;
        wait_for("it is there again", 60, || async {
            Ok(is_there().await?.then_some(()))
        })
        .await?;
    }
    crawl.kill().await?;
    drop(other);
    let (rows, requests) = in_order(pages(&store).await?, &log)?;
    println!("{requests} requests, {rows} in the log; a worker was stopped twice");
    Ok(())
}

/// A page of a program on this machine: its head and its body.
async fn get(port: u16, path: &str, more: &str) -> Result<(String, String)> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let asked =
        format!("GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n{more}Connection: close\r\n\r\n");
    stream.write_all(asked.as_bytes()).await?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await?;
    let (head, body) = answer.split_once("\r\n\r\n").context("no head")?;
    Ok((head.to_owned(), body.to_owned()))
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_are_shown_on_the_dashboard_in_metrics_and_in_the_shell() -> Result<()> {
    let Some(database) = database()? else {
        return Ok(());
    };
    let folder = tempfile::tempdir()?;
    let shared = Shared::new(&database, 9, folder.path());
    let place = ["--data", &shared.data, "--database", &database];
    let arguments = ["serve", "--port", "0", "--json", "--by-workers"];
    let mut serve = Companion::start(&[&arguments[..], &place].concat())?;
    let said: Value = serde_json::from_str(&serve.line().await?)?;
    let link = said["dashboard"].as_str().context("no link")?;
    let link = link.strip_prefix("http://127.0.0.1:").context("no port")?;
    let (port, path) = link.split_once('/').context("no path")?;
    let port: u16 = port.parse()?;
    let (head, _) = get(port, &format!("/{path}"), "").await?;
    let mut lines = head.lines();
    let base = lines.find_map(|line| line.strip_prefix("location: "));
    let page = format!("{}workers", base.context("no dashboard")?.trim());
    let (_, none) = get(port, &page, "").await?;
    ensure!(
        none.contains("No worker is at work; 0 requests wait"),
        "{none}"
    );

    let worker = shared.worker("reading-room")?;
    let token =
        super::linkscent(&[&["token", "add", "watch", "--may", "read"], &place[..]].concat())?;
    let token = String::from_utf8(token.stdout)?;
    let bearer = format!("Authorization: Bearer {}\r\n", token.trim());
    wait_for("the worker is shown", 60, || async {
        let (_, shown) = get(port, &page, "").await?;
        Ok(shown.contains("reading-room").then_some(()))
    })
    .await?;
    let (head, metrics) = get(port, "/api/v1/metrics", &bearer).await?;
    ensure!(
        metrics.lines().any(|line| line == "linkscent_hands 1"),
        "{head} {metrics}"
    );
    let status = super::linkscent(&[&["status", "--json"], &place[..]].concat())?;
    let status: Value = serde_json::from_slice(&status.stdout)?;
    ensure!(status["hands"][0]["name"] == "reading-room", "{status}");
    ensure!(status["requests_waiting"] == 0, "{status}");
    drop(worker);
    Ok(())
}
