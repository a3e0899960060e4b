//! `cargo soak [MINUTES [SEED]]`: the companion crawls a web full of faults for a while, is killed
//! again and again, and what it promises is checked all along.
//!
//! Two topics crawl at once on one data folder. Each time the program has died, its log is read, and
//! what was acknowledged there must stand there for good and must not be asked for again. The
//! servers write down each request; the dashboard is looked at as a person would. In each third life
//! the disk is full for a while, where a C compiler makes one that can be. Power cuts are not
//! tried here.

mod faulty_web;
mod full_disk;
mod promises;

use std::collections::HashSet;
use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use linkscent_core::crawl::DEFERRED;
use linkscent_core::strategies::{Rng, SplitMix};
use linkscent_store::Store;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::Command;

use crate::companion::{Companion, program};
use crate::shell::{list, run};
use crate::wait_for;
use faulty_web::{DELAY, FaultyWeb};
use full_disk::FullDisk;
use promises::Promises;

const TOPICS: [&str; 2] = ["kidneys", "trains"];
/// More pages than it comes to fetch within an hour: as many as there may be.
const BUDGET: &str = "1000000";
/// It lives at least so long, and at most so much longer, until it is killed.
const SHORTEST_LIFE: Duration = Duration::from_secs(5);
const LONGER: Duration = Duration::from_secs(10);
/// A start takes at most so long: of a program that was built with little optimisation, which is what
/// is tried here, ten times what it takes else.
const LONGEST_START: Duration = Duration::from_secs(30);
/// A page of the dashboard takes at most so long; of such a program, too.
const LONGEST_LOOK: Duration = Duration::from_secs(30);
/// Each so many lives the disk is full for a while.
const FULL_EVERY: usize = 3;
/// Between two looks at the dashboard.
const LOOK_EVERY: Duration = Duration::from_millis(300);

/// What was seen.
#[derive(Debug, Default)]
pub struct Report {
    /// How often the program was killed.
    pub kills: usize,
    /// Requests that were acknowledged.
    pub acknowledged: usize,
    /// Of those, lines that were lost or changed.
    pub lost: usize,
    /// Pages that were asked for again although their answer was acknowledged.
    pub asked_again: usize,
    /// What the servers saw of its manners.
    pub promises: Promises,
    /// From each start of the program to its first request, in order of length.
    pub starts: Vec<Duration>,
    /// What pages of the dashboard took, in order of length.
    pub looks: Vec<Duration>,
    /// Looks that were not answered with a page, and what was answered.
    pub refused: Vec<String>,
    /// Most kilobytes of memory.
    pub memory: u64,
    /// How often the disk was full.
    pub full_disks: usize,
    /// What crawls said then that did not pause, or paused without a word of it.
    pub not_told: Vec<String>,
    /// Lives that left a checkpoint of the first crawl.
    pub checkpoints: usize,
    /// Why the last life was no life, if it was none.
    pub stuck: Option<String>,
    /// What `linkscent data check` said, if that was not that all is well.
    pub fault: Option<String>,
}

/// The value that so many in a hundred do not exceed, of values in order; none of none.
fn percentile(values: &[Duration], hundredth: usize) -> Duration {
    let place = (values.len() * hundredth).div_ceil(100).max(1) - 1;
    values.get(place).copied().unwrap_or_default()
}

impl Report {
    /// Each promise in words, with what was seen of it and whether it was kept.
    fn lines(&self) -> Vec<(&'static str, String, bool)> {
        let Promises {
            overlaps,
            early,
            forbidden,
            ..
        } = &self.promises;
        let worst = |values: &[Duration]| {
            let (most, all) = (percentile(values, 95), percentile(values, 100));
            format!("{} ms, at most {} ms", most.as_millis(), all.as_millis())
        };
        vec![
            (
                "lines of a log that were lost",
                self.lost.to_string(),
                self.lost == 0,
            ),
            (
                "acknowledged pages asked for again",
                self.asked_again.to_string(),
                self.asked_again == 0,
            ),
            (
                "requests to a host at once",
                overlaps.to_string(),
                *overlaps == 0,
            ),
            ("requests before their time", early.to_string(), *early == 0),
            (
                "requests that robots.txt forbids",
                forbidden.to_string(),
                *forbidden == 0,
            ),
            (
                "start to first request, 95 in 100",
                worst(&self.starts),
                percentile(&self.starts, 100) < LONGEST_START,
            ),
            (
                "a page of the dashboard, 95 in 100",
                worst(&self.looks),
                self.refused.is_empty() && !self.looks.is_empty(),
            ),
            (
                "memory",
                format!("{} MB", self.memory / 1_024),
                self.memory < 2 * 1_024 * 1_024,
            ),
            (
                "full disks that were not told of",
                format!("{} of {}", self.not_told.len(), self.full_disks),
                self.not_told.is_empty(),
            ),
            (
                "lives that left a checkpoint",
                self.checkpoints.to_string(),
                self.checkpoints > 0 || self.kills < 3,
            ),
            (
                "each life went on",
                self.stuck.clone().unwrap_or_else(|| "yes".to_owned()),
                self.stuck.is_none(),
            ),
            (
                "linkscent data check",
                self.fault
                    .clone()
                    .unwrap_or_else(|| "all is well".to_owned()),
                self.fault.is_none(),
            ),
        ]
    }

    /// Whether every promise was kept.
    pub fn is_kept(&self) -> bool {
        self.lines().iter().all(|line| line.2)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Promises {
            requests, hosts, ..
        } = &self.promises;
        writeln!(
            f,
            "{requests} requests to {hosts} hosts, {} acknowledged, {} kills",
            self.acknowledged, self.kills
        )?;
        for (what, seen, is_kept) in self.lines() {
            let verdict = if is_kept { "kept" } else { "BROKEN" };
            writeln!(f, "{what:<38} {seen:<30} {verdict}")?;
        }
        let faults = self.promises.faults.iter();
        for fault in faults.chain(&self.refused).chain(&self.not_told) {
            writeln!(f, "  {fault}")?;
        }
        Ok(())
    }
}

/// A crawl's log as it was when the program had died.
#[derive(Default)]
struct Acknowledged {
    /// Number, address and what came, line by line.
    lines: Vec<(u64, String, String)>,
}

/// Runs it for so long; the same seed makes the same web and the same lives.
pub async fn soak(time: Duration, seed: u64, on_life: impl Fn(&Report)) -> Result<Report> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let web = FaultyWeb::serve(seed).await?;
    let disk = FullDisk::of(folder.path(), &data)?;
    for topic in TOPICS {
        begin(folder.path(), &web, topic).await?;
    }
    let store = Store::open(&data).await?;
    let mut known = TOPICS.map(|_| Acknowledged::default());
    let mut report = Report::default();
    let mut rng = SplitMix(seed);
    let began = Instant::now();
    loop {
        take_stock(&store, &web, &mut known, &mut report).await?;
        report.promises = web.promises();
        on_life(&report);
        if began.elapsed() >= time {
            break;
        }
        let life = SHORTEST_LIFE + LONGER.mul_f64(rng.unit());
        let is_to_fill = report.kills % FULL_EVERY == FULL_EVERY - 1;
        let disk = disk.as_ref().filter(|_| is_to_fill);
        if let Err(error) = live(&store, &web, life, disk, &mut report).await {
            // What was seen until then is told all the same.
            report.stuck = Some(format!("{error:#}"));
            break;
        }
    }
    report.starts.sort_unstable();
    report.looks.sort_unstable();
    let mut check = Command::new(program()?);
    check.args(["data", "check"]).arg("--data").arg(&data);
    let checked = run(check).await?;
    report.fault = (!checked.success).then_some(checked.errors);
    Ok(report)
}

/// Begins a crawl and leaves it as soon as it runs.
async fn begin(folder: &Path, web: &FaultyWeb, topic: &str) -> Result<()> {
    let data = folder.join("data").display().to_string();
    let proxy = format!("http://127.0.0.1:{}", web.port());
    let starts = FaultyWeb::starts(topic);
    let starts: Vec<&str> = starts.iter().map(String::as_str).collect();
    let (delay, starts) = (DELAY.as_millis().to_string(), list(folder, &starts)?);
    let before = web.promises().requests;
    let mut crawl = Companion::start(&[
        "crawl", "--json", "--topic", topic, "--seeds", &starts, "--budget", BUDGET, "--delay",
        &delay, "--data", &data, "--proxy", &proxy,
    ])?;
    wait_for("the crawl begins", 60, || async {
        Ok((web.promises().requests > before + 5).then_some(()))
    })
    .await?;
    crawl.kill().await
}

/// One life of the program, from its start to its end.
async fn live(
    store: &Store,
    web: &FaultyWeb,
    life: Duration,
    disk: Option<&FullDisk>,
    report: &mut Report,
) -> Result<()> {
    let (asked, began) = (web.promises().requests, Instant::now());
    let environment = disk.map_or(Vec::new(), |disk| disk.environment().to_vec());
    let data = store.folder();
    let serve = Companion::serve_in(data, web.port(), &environment);
    let (mut serve, port, link, _) = serve.await?;
    let link = link.split_once(&port.to_string()).context("no port")?.1;
    // The link is used up by leading to where the dashboard lies.
    let led = look_at(port, link).await;
    let place = led.lines().find_map(|line| line.strip_prefix("location: "));
    let base = place.context(led.clone())?.trim().trim_end_matches('/');
    let mut has_asked = false;
    let pages = [
        "/",
        "/crawl/1",
        "/crawl/2/hosts",
        "/crawl/1/results",
        "/crawl/2/yield",
    ];
    for page in pages.iter().cycle() {
        if began.elapsed() >= life && has_asked {
            break;
        }
        if !has_asked && web.promises().requests > asked {
            has_asked = true;
            report.starts.push(began.elapsed());
        }
        let look = Instant::now();
        let answered = look_at(port, &format!("{base}{page}")).await;
        report.looks.push(look.elapsed());
        let status = answered.lines().next().unwrap_or_default();
        if !status.contains(" 200 ") {
            report.refused.push(format!("{page}: {status}"));
        }
        report.memory = report.memory.max(serve.memory());
        anyhow::ensure!(
            began.elapsed() < life + Duration::from_mins(1),
            "no request in a minute"
        );
        tokio::time::sleep(LOOK_EVERY).await;
    }
    if let Some(disk) = disk {
        let said = disk.fill(store, port, base).await?;
        report.full_disks += 1;
        let is_told = |said: &String| said.contains("disk") || said.contains("space");
        report
            .not_told
            .extend(said.into_iter().filter(|said| !is_told(said)));
        goes_on(web).await?;
    }
    serve.kill().await?;
    report.kills += 1;
    report.checkpoints += usize::from(data.join("crawl-1.checkpoint").is_file());
    Ok(())
}

/// Waits for some requests more.
async fn goes_on(web: &FaultyWeb) -> Result<()> {
    let before = web.promises().requests;
    wait_for("crawls go on", 60, || async {
        Ok((web.promises().requests > before + 20).then_some(()))
    })
    .await
}

/// Looks at a page of the dashboard; what was answered, or why nothing was.
async fn look_at(port: u16, path: &str) -> String {
    send(port, &format!("GET {path}"), "").await
}

/// Sends a request, with a form if it is not empty; what was answered, or why nothing was.
async fn send(port: u16, request: &str, form: &str) -> String {
    let answered = tokio::time::timeout(LONGEST_LOOK, try_to_send(port, request, form));
    match answered.await {
        Ok(Ok(answered)) => answered,
        Ok(Err(error)) => format!("no answer: {error:#}"),
        Err(_) => format!("no answer in {} s", LONGEST_LOOK.as_secs()),
    }
}

async fn try_to_send(port: u16, request: &str, form: &str) -> Result<String> {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
    let mut head = format!("{request} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nConnection: close\r\n");
    if !form.is_empty() {
        let length = form.len();
        head += &format!(
            "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {length}\r\n"
        );
    }
    let request = format!("{head}\r\n{form}");
    stream.write_all(request.as_bytes()).await?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await?;
    Ok(String::from_utf8_lossy(&answer).into_owned())
}

/// What the logs have now: what they had before, and nothing of it was asked for since.
async fn take_stock(
    store: &Store,
    web: &FaultyWeb,
    known: &mut [Acknowledged],
    report: &mut Report,
) -> Result<()> {
    report.acknowledged = 0;
    let mut settled: HashSet<String> = HashSet::new();
    for (crawl, known) in (1..).zip(known) {
        let rows = store.fetches(crawl).await?;
        let lines: Vec<_> = rows
            .into_iter()
            .map(|row| (row.number, row.address, row.problem))
            .collect();
        let kept = known.lines.iter().zip(&lines).filter(|(a, b)| a == b);
        report.lost += known.lines.len() - kept.count();
        report.acknowledged += lines.len();
        let is_settled = |line: &&(u64, String, String)| !line.2.starts_with(DEFERRED);
        for line in lines.iter().filter(is_settled) {
            settled.insert(line.1.clone());
        }
        known.lines = lines;
    }
    report.asked_again += web.settle(settled);
    Ok(())
}
