//! Where the time of a page goes, as a collector of OpenTelemetry hears it: of one program, and of a crawl
//! whose requests workers make.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, Error, Result, ensure};
use linkscent_tests::collector::{Collector, Span};
use linkscent_tests::companion::Companion;
use linkscent_tests::postgres::Cluster;
use linkscent_tests::skipped;
use linkscent_tests::synthetic_web::endless_web;

const BUDGET: usize = 40;
/// Nanoseconds by which the clocks of two programs, or of two processors that a thread moves between,
/// may disagree.
const CLOCKS: u64 = 2_000_000;

fn named<'a>(spans: &'a [Span], name: &str) -> Vec<&'a Span> {
    spans.iter().filter(|span| span.name == name).collect()
}

/// A file with where a crawl starts.
fn starts(folder: &Path) -> Result<String> {
    let starts = folder.join("starts.txt");
    std::fs::write(&starts, "http://host0.test/0\nhttp://host3.test/3\n")?;
    Ok(starts.display().to_string())
}

/// Each page is a trace of its own, and lies within it what was done for it, by these names.
fn check(spans: &[Span], parts: &[&str]) -> Result<()> {
    let tasks = named(spans, "task");
    let pages: Vec<&&Span> = tasks
        .iter()
        .filter(|task| task.said("is_robots") == "false")
        .collect();
    ensure!(pages.len() >= BUDGET, "{} tasks", pages.len());
    let traces: BTreeSet<&str> = tasks.iter().map(|task| &*task.trace).collect();
    ensure!(traces.len() == tasks.len(), "a trace has several tasks");
    for page in &pages {
        ensure!(page.parent.is_empty(), "{page:?}");
        ensure!(page.said("address").starts_with("http://host"), "{page:?}");
        ensure!(page.said("crawl") == "1", "{page:?}");
        let mut parent = **page;
        for part in parts {
            let mut of_it = spans.iter().filter(|span| span.trace == page.trace);
            let found = of_it.find(|span| span.name == *part);
            let found = found.with_context(|| format!("no {part} of {page:?}"))?;
            let above = if *part == "learn" { page } else { parent };
            ensure!(
                found.parent == above.id,
                "{found:?} is no part of {above:?}"
            );
            ensure!(
                page.began <= found.began + CLOCKS && found.ended <= page.ended + CLOCKS,
                "{found:?} is not within {page:?}"
            );
            parent = found;
        }
    }
    ensure!(!named(spans, "commit").is_empty(), "no commit");
    ensure!(named(spans, "crawl").is_empty(), "one of the whole crawl");
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_a_trace() -> Result<()> {
    let (collector, folder) = (Collector::start().await?, tempfile::tempdir()?);
    let (port, _) = endless_web().await?;
    let starts = starts(folder.path())?;
    let (proxy, budget) = (format!("http://127.0.0.1:{port}"), BUDGET.to_string());
    let data = folder.path().display().to_string();
    let crawl = Companion::start(&[
        "crawl",
        "--traces",
        collector.address(),
        "--seeds",
        &starts,
        "--topic",
        "kidneys",
        "--budget",
        &budget,
        "--delay",
        "0",
        "--proxy",
        &proxy,
        "--data",
        &data,
    ])?;
    crawl.finish().await?;
    check(&collector.spans(), &["fetch", "learn"])
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_worker_does_is_part_of_it() -> Result<()> {
    let database = match Cluster::of_program() {
        Ok(cluster) => cluster.fresh().map_err(Error::msg)?,
        Err(why) => {
            skipped(why);
            return Ok(());
        }
    };
    let (collector, folder) = (Collector::start().await?, tempfile::tempdir()?);
    let (port, _) = endless_web().await?;
    let starts = starts(folder.path())?;
    let (proxy, budget) = (format!("http://127.0.0.1:{port}"), BUDGET.to_string());
    let data = folder.path().join("data").display().to_string();
    let both = [
        "--traces",
        collector.address(),
        "--database",
        &database,
        "--proxy",
        &proxy,
    ];
    let worker = Companion::start(&[&["team", "work"], &both[..]].concat())?;
    let more = [
        "--seeds",
        &starts,
        "--topic",
        "kidneys",
        "--budget",
        &budget,
        "--delay",
        "0",
        "--by-workers",
        "--data",
        &data,
    ];
    let crawl = Companion::start(&[&["crawl"], &both[..], &more[..]].concat())?;
    crawl.finish().await?;
    worker.signal("TERM").await?;
    worker.finish().await?;
    check(&collector.spans(), &["work", "fetch", "learn"])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_collector_that_is_away_costs_a_crawl_nothing() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let (port, _) = endless_web().await?;
    let starts = starts(folder.path())?;
    let (proxy, budget) = (format!("http://127.0.0.1:{port}"), BUDGET.to_string());
    let data = folder.path().display().to_string();
    let crawl = Companion::start(&[
        "crawl",
        "--json",
        "--traces",
        "http://127.0.0.1:9",
        "--seeds",
        &starts,
        "--topic",
        "kidneys",
        "--budget",
        &budget,
        "--delay",
        "0",
        "--proxy",
        &proxy,
        "--data",
        &data,
    ])?;
    let last = crawl.finish().await?;
    ensure!(last.contains("\"stop_reason\":\"budget\""), "{last}");
    Ok(())
}
