//! What crawls by workers cost: `cargo bench -p linkscent --bench workers [-- MATERIAL [RUNS]]`.
//!
//! On a PostgreSQL cluster of its own, where that is installed. First 3,000 pages of the frozen university
//! web, without workers and by some, each a program of its own on this machine: CPU time a page of the
//! program that runs the crawl, of its workers and of the database, pages a second, and the harvest, each the
//! average of the runs, of the harvest its least and greatest, too. Then a made-up web whose pages come a quarter of a second
//! later, by a hundred workers, all of them in this process, whose own time does not count. Linux alone
//! tells CPU times.

mod made_up;
mod programs;

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Error, Result, ensure};
use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::Html;
use linkscent_service::crawler::fetch::Fetcher;
use linkscent_service::crawler::way::Way;
use linkscent_service::crawler::workers::Worker;
use linkscent_store::fixtures::cluster::Cluster;
use linkscent_store::{Store, Workers};
use programs::{Running, replay};
use tokio::net::TcpListener;

const PROGRAM: &str = env!("CARGO_BIN_EXE_linkscent");
const STRATEGIES: [&str; 2] = ["best-first", "ensemble"];
const UNIVERSITY: &str = "webs/uci.warc.zst";
const PAGES: u64 = 3_000;
/// Pages of the made-up web, and how long after they were asked for they come.
const MADE_UP: u64 = 10_000;
const LATER: Duration = Duration::from_millis(250);
const MANY: usize = 100;
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// What is crawled.
struct Crawl<'a> {
    proxy: &'a str,
    topic: &'a str,
    starts: &'a [String],
    pages: u64,
    strategy: &'a str,
    by_workers: bool,
}

/// What a crawl used, in milliseconds of CPU a page but for the last two.
#[derive(Default)]
struct Used {
    runs: f64,
    workers: f64,
    database: f64,
    a_second: f64,
    harvest: f64,
}

fn main() -> Result<()> {
    let mut given = std::env::args().skip(1).filter(|text| text != "--bench");
    let material = given.next().map(PathBuf::from);
    let runs: usize = given.next().map_or(Ok(1), |runs| runs.parse())?;
    let cluster = match Cluster::start() {
        Ok(cluster) => cluster,
        Err(why) => {
            println!("{why}");
            return Ok(());
        }
    };
    match material.map(|folder| folder.join(UNIVERSITY)) {
        Some(web) => university(&cluster, &web, runs)?,
        None => println!("no university: name the folder of the frozen webs"),
    }
    a_hundred_workers(&cluster)
}

fn university(cluster: &Cluster, web: &Path, runs: usize) -> Result<()> {
    let (_replay, proxy) = replay(web)?;
    let starts = ["http://www.ics.uci.edu/", "http://www.lib.uci.edu/"].map(str::to_owned);
    println!("university, {PAGES} pages, {runs} runs");
    println!("strategy    workers  runs it, workers, database (CPU ms a page)  pages/s  harvest");
    for strategy in STRATEGIES {
        for workers in [0, 1, 4, 8] {
            let crawl = Crawl {
                proxy: &proxy,
                topic: "machine learning",
                starts: &starts,
                pages: PAGES,
                strategy,
                by_workers: workers > 0,
            };
            let mut all = Vec::new();
            for _ in 0..runs {
                let database = cluster.fresh().map_err(Error::msg)?;
                let working = (0..workers).map(|_| worker(&database, &proxy));
                let working: Vec<Running> = working.collect::<Result<_>>()?;
                all.push(run(&crawl, &database, &working)?);
            }
            print(strategy, workers, &all);
        }
    }
    Ok(())
}

fn a_hundred_workers(cluster: &Cluster) -> Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    let proxy = runtime.block_on(web())?;
    let starts = [7, 107, 207].map(made_up::address);
    println!("made up, {MADE_UP} pages, each {LATER:?} after it was asked for");
    for strategy in STRATEGIES {
        for workers in [0, MANY] {
            let database = cluster.fresh().map_err(Error::msg)?;
            let crawl = Crawl {
                proxy: &proxy,
                topic: &made_up::word(7, 1),
                starts: &starts,
                pages: MADE_UP,
                strategy,
                by_workers: workers > 0,
            };
            let folder = tempfile::tempdir()?;
            // It makes the tables.
            runtime.block_on(Store::open_database(&database, folder.path()))?;
            let working: Vec<_> = (0..workers)
                .map(|number| runtime.spawn(work(database.clone(), proxy.clone(), number)))
                .collect();
            let used = run_in(folder.path(), &crawl, &database, &[]);
            for worker in working {
                worker.abort();
            }
            print(strategy, workers, &[used?]);
        }
    }
    Ok(())
}

/// A worker of this process.
async fn work(database: String, proxy: String, number: usize) -> Result<()> {
    let way = Way {
        proxy: Some(proxy.parse()?),
        ..Way::default()
    };
    let workers = Workers::connect(&database).await?;
    let worker = Worker::new(workers, Fetcher::new(way)?, format!("worker-{number}"));
    worker.work(std::future::pending()).await;
    Ok(())
}

/// A proxy that makes up every page.
async fn web() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let proxy = format!("http://{}", listener.local_addr()?);
    let answer = async |address: Uri| {
        let number = address.path().rsplit('/').next();
        let number = number.and_then(|text| text.parse().ok());
        tokio::time::sleep(LATER).await;
        number
            .map(|number| Html(made_up::page(number)))
            .ok_or(StatusCode::NOT_FOUND)
    };
    tokio::spawn(async move { axum::serve(listener, Router::new().fallback(answer)).await });
    Ok(proxy)
}

fn worker(database: &str, proxy: &str) -> Result<Running> {
    let worker = Command::new(PROGRAM)
        .args(["team", "work", "--database", database, "--proxy", proxy])
        .stderr(Stdio::null())
        .spawn();
    Ok(Running(worker?))
}

fn run(crawl: &Crawl, database: &str, workers: &[Running]) -> Result<Used> {
    let folder = tempfile::tempdir()?;
    run_in(folder.path(), crawl, database, workers)
}

/// Runs a crawl to its end.
fn run_in(folder: &Path, crawl: &Crawl, database: &str, workers: &[Running]) -> Result<Used> {
    let seeds = folder.join("seeds.txt");
    std::fs::write(&seeds, crawl.starts.join("\n"))?;
    let (before, begun) = (cpu_of_server(database)?, Instant::now());
    let mut command = Command::new(PROGRAM);
    command
        .args(["crawl", "--json", "--topic", crawl.topic, "--delay", "0"])
        .args([
            "--strategy",
            crawl.strategy,
            "--budget",
            &crawl.pages.to_string(),
        ])
        .args(["--proxy", crawl.proxy, "--database", database, "--examples"])
        .arg(&seeds)
        .arg("--data")
        .arg(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    if crawl.by_workers {
        command.arg("--by-workers");
    }
    let mut running = Running(command.spawn()?);
    let mut runs = Duration::ZERO;
    let status = loop {
        // What it used after the last look is not counted.
        runs = runs.max(cpu_of(running.0.id()).unwrap_or_default());
        if let Some(status) = running.0.try_wait()? {
            break status;
        }
        std::thread::sleep(LOOK_EVERY);
    };
    let time = begun.elapsed();
    let mut said = String::new();
    let out = running.0.stdout.as_mut().context("it says nothing")?;
    out.read_to_string(&mut said)?;
    ensure!(status.success(), "a crawl ended with {status}: {said}");
    let said: serde_json::Value = serde_json::from_str(&said)?;
    let number = |key: &str| {
        said[key]
            .as_f64()
            .with_context(|| format!("no {key}: {said}"))
    };
    let (pages, harvest) = (number("pages")?, number("harvest")?);
    let by_workers: Duration = workers
        .iter()
        .filter_map(|worker| cpu_of(worker.0.id()))
        .sum();
    let database = cpu_of_server(database)?.saturating_sub(before);
    let a_page = |cpu: Duration| cpu.as_secs_f64() * 1e3 / pages;
    Ok(Used {
        runs: a_page(runs),
        workers: a_page(by_workers),
        database: a_page(database),
        a_second: pages / time.as_secs_f64(),
        harvest,
    })
}

fn print(strategy: &str, workers: usize, all: &[Used]) {
    let mean = |of: fn(&Used) -> f64| all.iter().map(of).sum::<f64>() / all.len() as f64;
    let harvests = all.iter().map(|used| used.harvest);
    println!(
        "{strategy:<11} {workers:>5}  {:>20.2} {:>5.2} {:>5.2} {:>17.0}  {:.3} ({:.3} to {:.3})",
        mean(|used| used.runs),
        mean(|used| used.workers),
        mean(|used| used.database),
        mean(|used| used.a_second),
        mean(|used| used.harvest),
        harvests.clone().fold(f64::INFINITY, f64::min),
        harvests.fold(0.0, f64::max),
    );
}

/// The fields of what Linux says of a process, behind its name.
fn fields(process: u32) -> Option<Vec<u64>> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let rest = stat.rsplit(')').next()?;
    let fields = rest.split_whitespace().skip(1);
    Some(
        fields
            .map(|field| field.parse().unwrap_or_default())
            .collect(),
    )
}

/// CPU time of a process, in its own code and in the system, of ticks of 10 ms.
fn cpu_of(process: u32) -> Option<Duration> {
    Some(Duration::from_millis(
        10 * fields(process)?.get(10..12)?.iter().sum::<u64>(),
    ))
}

/// CPU time of a database's server so far, with all processes that it has or had.
fn cpu_of_server(database: &str) -> Result<Duration> {
    let folder = database.strip_prefix("postgres://postgres@");
    let folder = folder
        .and_then(|rest| rest.split_once('/'))
        .context("no address")?;
    let file = Path::new(&folder.0.replace("%2F", "/")).join("data/postmaster.pid");
    let server = std::fs::read_to_string(file)?;
    let server: u32 = server.lines().next().unwrap_or_default().parse()?;
    let mut ticks = 0;
    for entry in std::fs::read_dir("/proc")? {
        let Ok(process) = entry?.file_name().to_string_lossy().parse() else {
            continue;
        };
        // It may have ended since.
        let Some(fields) = fields(process) else {
            continue;
        };
        if process == server {
            ticks += fields[10..14].iter().sum::<u64>();
        } else if fields[0] == u64::from(server) {
            ticks += fields[10..12].iter().sum::<u64>();
        }
    }
    Ok(Duration::from_millis(10 * ticks))
}
