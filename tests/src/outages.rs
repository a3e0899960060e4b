//! `cargo outages [PERCENT [SEED]]`: a crawl by workers over PostgreSQL, whose programs, database, network
//! and clocks fail one after the other, and what is left of what it promises.
//!
//! Three workers and two programs that can run the crawl share a data folder and a database of their own.
//! Each time something failed, it is measured how long it takes until the log grows again; of a worker, how
//! long the others take, not how long its own requests do. Servers write down each request. A worker keeps nothing on a disk, so full ones are no matter here (`cargo soak` has
//! them); nor is the clock of the database's machine, by which hosts rest.

mod clock;
mod fleet;
mod route;
mod seen;

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use linkscent_core::strategies::{Rng, SplitMix};
use linkscent_store::Store;
use tokio::sync::Mutex;

use crate::postgres::Cluster;
use crate::preloaded::preloaded;
use crate::wait_for;
use crate::watched_web::{HOSTS, to_all_hosts, web};
use fleet::{Fleet, RUNNERS, WORKERS};
use route::Way;
use seen::{Acknowledged, bad_manners, requests};

/// What may fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// A worker is killed.
    Worker,
    /// The program that runs the crawl is killed; the other is there.
    Runner,
    /// The database is ended, orderly or as if it had crashed, and started again.
    Database,
    /// The way of one program to the database is cut for some seconds.
    Network,
    /// A worker is stopped for some seconds, and goes on.
    Sleep,
    /// A program's clock is set.
    Clock,
}

/// How often each fails, of a hundred in a hundred.
const FAILURES: [(Failure, &str, usize); 6] = [
    (Failure::Worker, "workers killed", 500),
    (Failure::Runner, "programs that run the crawl killed", 100),
    (Failure::Database, "restarts of the database", 50),
    (Failure::Network, "cuts of the network", 50),
    (Failure::Sleep, "workers stopped for a while", 25),
    (Failure::Clock, "clocks set", 25),
];
/// It goes on within this.
const LONGEST: Duration = Duration::from_secs(10);
/// It has gone on when its log has so many lines more.
const LINES: usize = 5;
/// The whole log is read again each so many failures.
const COMPARE_EVERY: usize = 50;

/// What was seen.
#[derive(Debug, Default)]
pub struct Report {
    /// What failed, and how long it took until the log grew again.
    pub outages: Vec<(Failure, Duration)>,
    /// Requests to servers.
    pub requests: usize,
    /// Lines of the log.
    pub lines: usize,
    /// Lines that were lost or changed.
    pub lost: usize,
    /// Pages that stand in the log twice.
    pub twice: usize,
    /// Acknowledged pages that were asked for again.
    pub asked_again: usize,
    /// Requests to a host at once.
    pub overlaps: usize,
    /// Requests before their time.
    pub early: usize,
    /// Why it did not go on, if it did not.
    pub stuck: Option<String>,
    /// What `linkscent data check` said, if that was not that all is well.
    pub fault: Option<String>,
}

impl Report {
    /// What was promised, what was seen of it, and whether it was kept.
    fn promises(&self) -> Vec<(&'static str, String, bool)> {
        let none = |what, count: usize| (what, count.to_string(), count == 0);
        let longest = self.outages.iter().map(|outage| outage.1).max();
        let longest = longest.unwrap_or_default();
        let said =
            |fault: &Option<String>, well: &str| fault.clone().unwrap_or_else(|| well.into());
        vec![
            none("lines of the log that were lost", self.lost),
            none("pages that stand in it twice", self.twice),
            none("acknowledged pages asked for again", self.asked_again),
            none("requests to a host at once", self.overlaps),
            none("requests before their time", self.early),
            (
                "it went on after at most",
                format!("{:.1} s", longest.as_secs_f64()),
                longest < LONGEST,
            ),
            (
                "it always went on",
                said(&self.stuck, "yes"),
                self.stuck.is_none(),
            ),
            (
                "linkscent data check",
                said(&self.fault, "all is well"),
                self.fault.is_none(),
            ),
        ]
    }

    /// Whether every promise was kept.
    pub fn is_kept(&self) -> bool {
        self.promises().iter().all(|promise| promise.2)
    }
}

/// Half of some times, 95 in a hundred and all of them are not longer than these, in seconds.
fn spread(mut times: Vec<Duration>) -> String {
    times.sort_unstable();
    let at = |hundredth: usize| {
        let place = (times.len() * hundredth).div_ceil(100).max(1) - 1;
        times.get(place).copied().unwrap_or_default().as_secs_f64()
    };
    format!("{:.1} {:.1} {:.1}", at(50), at(95), at(100))
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} requests to {HOSTS} hosts, {} lines in the log; went on after (half, 95 in 100, all; s)",
            self.requests, self.lines
        )?;
        for (failure, name, _) in FAILURES {
            let outages = self.outages.iter().filter(|outage| outage.0 == failure);
            let times: Vec<Duration> = outages.map(|outage| outage.1).collect();
            writeln!(f, "{name:<38} {:<6} {}", times.len(), spread(times))?;
        }
        for (what, seen, is_kept) in self.promises() {
            let verdict = if is_kept { "kept" } else { "BROKEN" };
            writeln!(f, "{what:<38} {seen:<20} {verdict}")?;
        }
        Ok(())
    }
}

/// As many failures as a share of a hundred makes, each kind at least twice, in an order by the seed.
fn failures(percent: usize, rng: &mut SplitMix) -> Vec<Failure> {
    let some = |(failure, _, count): (Failure, &str, usize)| {
        std::iter::repeat_n(failure, (count * percent / 100).max(2))
    };
    let mut all: Vec<Failure> = FAILURES.into_iter().flat_map(some).collect();
    for last in (1..all.len()).rev() {
        all.swap(last, below(rng, last + 1));
    }
    all
}

fn below(rng: &mut SplitMix, many: usize) -> usize {
    ((rng.unit() * many as f64) as usize).min(many - 1)
}

/// Between two times.
fn some_time(rng: &mut SplitMix, least: f64, most: f64) -> Duration {
    Duration::from_secs_f64(least + rng.unit() * (most - least))
}

/// All that fails, and what is seen of it.
struct Trial {
    cluster: Cluster,
    fleet: Fleet,
    store: Store,
    seen: Acknowledged,
    rng: SplitMix,
}

impl Trial {
    /// Waits until the log has grown by some lines since now; how long that took.
    async fn goes_on(&mut self) -> Result<Duration> {
        let begun = Instant::now();
        let before = self.lines_above(0).await?;
        self.lines_above(before + LINES).await?;
        Ok(begun.elapsed())
    }

    /// Waits until the log can be read, and has at least so many lines; how many it has.
    async fn lines_above(&mut self, least: usize) -> Result<usize> {
        let Self { store, seen, .. } = self;
        let seen = Mutex::new(seen);
        wait_for("the crawl goes on", 60, || async {
            let mut seen = seen.lock().await;
            // The database may be away.
            let is_read = seen.look(store).await.is_ok();
            Ok(Some(seen.count()).filter(|count| is_read && *count >= least))
        })
        .await
    }

    /// One failure; how long it took until the log grew again once what failed was over.
    async fn fail(&mut self, failure: Failure) -> Result<Duration> {
        tokio::time::sleep(some_time(&mut self.rng, 0.0, 0.5)).await;
        let worker = RUNNERS + below(&mut self.rng, WORKERS);
        let any = below(&mut self.rng, RUNNERS + WORKERS);
        match failure {
            Failure::Worker => {
                self.fleet.kill(worker).await?;
                let took = self.goes_on().await?;
                self.fleet.restart(worker)?;
                return Ok(took);
            }
            Failure::Runner => {
                let runner = self.fleet.runner().context("nobody runs the crawl")?;
                self.fleet.kill(runner).await?;
                let took = self.goes_on().await?;
                self.fleet.restart(runner)?;
                return Ok(took);
            }
            Failure::Database => {
                let signal = if self.rng.unit() < 0.5 { "INT" } else { "QUIT" };
                self.cluster.restart(signal).map_err(anyhow::Error::msg)?;
            }
            Failure::Network => {
                let ended = self.rng.unit() < 0.5;
                self.fleet
                    .route(any)
                    .make(if ended { Way::Ended } else { Way::Silent });
                tokio::time::sleep(some_time(&mut self.rng, 1.0, 8.0)).await;
                self.fleet.route(any).make(Way::Open);
            }
            Failure::Sleep => {
                self.fleet.signal(worker, "STOP").await?;
                tokio::time::sleep(some_time(&mut self.rng, 1.0, 10.0)).await;
                self.fleet.signal(worker, "CONT").await?;
            }
            Failure::Clock => {
                let ahead = (self.rng.unit() - 0.5) * 2.0 * 86_400.0;
                if let Some(clock) = self.fleet.clock(any) {
                    clock.set(ahead as i64)?;
                }
            }
        }
        self.goes_on().await
    }
}

/// Has so many of a hundred failures come about; the same seed makes the same ones in the same order. An
/// error where PostgreSQL is not there.
pub async fn outages(
    percent: usize,
    seed: u64,
    folder: &Path,
    on_failure: impl Fn(usize, usize),
) -> Result<Report> {
    let cluster = Cluster::start().map_err(anyhow::Error::msg)?;
    let database = cluster.fresh().map_err(anyhow::Error::msg)?;
    let (port, log) = web(to_all_hosts, "none").await?;
    let store = Store::open_database(&database, &folder.join("data")).await?;
    let library = preloaded("jumping_clock", folder);
    let mut rng = SplitMix(seed);
    let mut failures = failures(percent, &mut rng);
    if library.is_none() {
        // Nothing sets clocks here.
        failures.retain(|failure| *failure != Failure::Clock);
    }
    let mut trial = Trial {
        cluster,
        fleet: Fleet::start(folder, &database, port, library).await?,
        store,
        seen: Acknowledged::default(),
        rng,
    };
    let mut report = Report::default();
    trial.goes_on().await?;
    for (count, failure) in failures.iter().enumerate() {
        on_failure(count, failures.len());
        match trial.fail(*failure).await {
            Ok(took) => report.outages.push((*failure, took)),
            Err(error) => {
                report.stuck = Some(format!("{failure:?}: {error:#}"));
                break;
            }
        }
        if count % COMPARE_EVERY == 0 {
            trial.seen.compare(&trial.store).await?;
        }
    }
    report.fault = trial.fleet.check().await?;
    trial.seen.compare(&trial.store).await?;
    report.requests = requests(&log);
    report.lines = trial.seen.count();
    (report.lost, report.twice) = (trial.seen.lost, trial.seen.twice);
    report.asked_again = trial.seen.asked_again(&log);
    (report.overlaps, report.early) = bad_manners(&log);
    Ok(report)
}
