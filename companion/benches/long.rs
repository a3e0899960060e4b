//! A long crawl through the whole program: `cargo bench -p linkscent --bench long [-- PAGES
//! [STRATEGY]]`.
//!
//! A server of its own on loopback makes pages up as they are asked for: 2,000,000 pages on 500
//! hosts, 50 links each, a hundredth of them on topic. `linkscent crawl` fetches 5,000 of them
//! unless told otherwise, 990,000 at most, without a delay. For each tenth it prints pages a second, CPU of the
//! program a page and its memory; at the end, bytes of the database and of the archive a page, how long
//! the crawl takes to go on after it was killed, and how long pages of the dashboard take while it does.

mod looks;
mod made_up;

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::http::{StatusCode, Uri};
use axum::response::Html;
use linkscent_core::crawl::LARGEST_BUDGET;
use looks::{Dashboard, report};
use made_up::{LINKS, address, page, word};

const PROGRAM: &str = env!("CARGO_BIN_EXE_linkscent");
/// At each page of the dashboard.
const LOOKS: usize = 20;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut given = arguments.iter().filter(|text| !text.starts_with("--"));
    let pages: u64 = given.next().map_or(Ok(5_000), |pages| pages.parse())?;
    let strategy = given.next().map_or("ensemble", String::as_str);
    // It does not end before it is killed.
    let budget = (2 * pages).min(LARGEST_BUDGET);
    let asked = Arc::new(AtomicU64::new(0));
    let (_web, proxy) = web(Arc::clone(&asked))?;
    let folder = tempfile::tempdir()?;

    println!("{strategy}: {pages} pages of {LINKS} links");
    println!("   pages  pages a second  CPU ms a page  memory MB");
    let mut crawl = begin(folder.path(), &proxy, strategy, budget)?;
    let (mut begun, mut used) = (Instant::now(), Duration::ZERO);
    let tenth = (pages / 10).max(1);
    for told in 1..=10 {
        wait_for(&mut crawl, &asked, told * tenth)?;
        let (now, memory) = used_by(&crawl)?;
        println!(
            "{:>8} {:>15.0} {:>14.2} {memory:>10}",
            told * tenth,
            tenth as f64 / begun.elapsed().as_secs_f64(),
            now.saturating_sub(used).as_secs_f64() * 1e3 / tenth as f64,
        );
        (begun, used) = (Instant::now(), now);
    }
    end(&mut crawl)?;
    for (name, ending) in [("database", "sqlite"), ("archive", "warc.gz")] {
        let bytes = bytes_of(&folder.path().join("data"), ending)?;
        println!("{name}: {} bytes a page", bytes / pages);
    }

    let before = asked.load(Ordering::Relaxed);
    let begun = Instant::now();
    let mut crawl = begin(folder.path(), &proxy, strategy, budget)?;
    wait_for(&mut crawl, &asked, before + 1)?;
    println!(
        "goes on {:.1} s after it was killed",
        begun.elapsed().as_secs_f64()
    );
    end(&mut crawl)?;
    look(&folder.path().join("data"), &proxy)
}

/// Looks at pages of the dashboard, while the crawl goes on.
fn look(data: &Path, proxy: &str) -> Result<()> {
    let dashboard = Dashboard::serve(data, Some(proxy))?;
    let search = format!("library?q={}", word(7, 2));
    let pages = [
        "",
        "topic/1",
        "topic/1/finds",
        "crawl/1",
        "crawl/1/results",
        "crawl/1/hosts",
        "crawl/1/yield",
        &search,
    ];
    for page in pages {
        report(&format!("/{page}"), LOOKS, || dashboard.look_at(page))?;
    }
    Ok(())
}

/// A proxy that makes up every page and counts what it is asked for, but for robots.txt.
fn web(asked: Arc<AtomicU64>) -> Result<(tokio::runtime::Runtime, String)> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()?;
    let listener = runtime.block_on(tokio::net::TcpListener::bind("127.0.0.1:0"))?;
    let proxy = format!("http://{}", listener.local_addr()?);
    let answer = move |address: Uri| {
        let number = address.path().rsplit('/').next();
        let number = number.and_then(|text| text.parse().ok());
        if number.is_some() {
            asked.fetch_add(1, Ordering::Relaxed);
        }
        let page = number.map(page).ok_or(StatusCode::NOT_FOUND);
        async move { page.map(Html) }
    };
    let web = Router::new().fallback(answer);
    runtime.spawn(async move { axum::serve(listener, web).await });
    Ok((runtime, proxy))
}

fn wait_for(crawl: &mut Child, asked: &AtomicU64, pages: u64) -> Result<()> {
    while asked.load(Ordering::Relaxed) < pages {
        if let Some(ended) = crawl.try_wait()? {
            bail!("the crawl ended too soon: {ended}");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

fn end(crawl: &mut Child) -> Result<()> {
    crawl.kill()?;
    crawl.wait()?;
    Ok(())
}

fn begin(folder: &Path, proxy: &str, strategy: &str, pages: u64) -> Result<Child> {
    let examples = folder.join("examples.txt");
    let seeds: Vec<String> = [7, 107, 207].map(address).to_vec();
    std::fs::write(&examples, seeds.join("\n"))?;
    let child = Command::new(PROGRAM)
        .args(["crawl", "--topic", &word(7, 1), "--delay", "0"])
        .args(["--budget", &pages.to_string(), "--strategy", strategy])
        .args(["--proxy", proxy, "--examples"])
        .arg(&examples)
        .arg("--data")
        .arg(folder.join("data"))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    Ok(child)
}

/// CPU time that a program has used, and the megabytes that it holds, as Linux says.
fn used_by(program: &Child) -> Result<(Duration, u64)> {
    let folder = format!("/proc/{}", program.id());
    let stat = std::fs::read_to_string(format!("{folder}/stat"))?;
    let rest = stat.rsplit(')').next().unwrap_or_default();
    // Ticks of 10 ms, in its own code and in the system.
    let ticks = rest.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.filter_map(|text| text.parse::<u64>().ok()).sum();
    let status = std::fs::read_to_string(format!("{folder}/status"))?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    let memory = kilobytes.context("the system does not say how much memory it holds")?;
    Ok((Duration::from_millis(10 * ticks), memory / 1_024))
}

/// Bytes of the files below a folder with an ending in their names.
fn bytes_of(folder: &Path, ending: &str) -> Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            bytes += bytes_of(&entry.path(), ending)?;
        } else if entry.file_name().to_string_lossy().contains(ending) {
            bytes += entry.metadata()?.len();
        }
    }
    Ok(bytes)
}
