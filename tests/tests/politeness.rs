//! One table of politeness for all crawls of a data folder: two programs crawl the same hosts at
//! once, one of them is killed again and again, and the servers see no two requests at once nor one
//! before its time. Hosts that have no time, or ask for more, get it.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use linkscent::store::Store;
use linkscent_tests::companion::Companion;
use linkscent_tests::scripted::next_address;
use linkscent_tests::shell::list;
use linkscent_tests::wait_for;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

const HOSTS: u64 = 6;
const DELAY: Duration = Duration::from_millis(150);
/// What a server needs for an answer.
const WORK: Duration = Duration::from_millis(15);
const KILLS: usize = 6;

/// A request as a server sees it.
#[derive(Debug, Clone)]
struct Seen {
    page: String,
    from: Instant,
    to: Instant,
}

/// By host, in the order in which they came.
type Log = Arc<Mutex<BTreeMap<String, Vec<Seen>>>>;

/// What a server needs for one that it has to look up first.
const SLOW_WORK: Duration = Duration::from_millis(400);

/// What a page of a host says: status, more lines of the head, body. Status 0 is no answer at all.
type Answer = fn(&str, &str, usize) -> (u16, String, String);

fn to_all_hosts(host: &str, path: &str, _: usize) -> (u16, String, String) {
    if path == "/robots.txt" {
        return (404, String::new(), String::new());
    }
    let number: u64 = path.trim_start_matches('/').parse().unwrap_or_default();
    let link = |to: u64| {
        format!(
            "<p><a href=http://h{to}.test/{}>kidney dialysis and trains</a>",
            number + 1
        )
    };
    let links: String = (0..HOSTS).map(link).collect();
    (
        200,
        String::new(),
        format!("<title>{host} {path}</title>kidney dialysis, trains{links}"),
    )
}

async fn serve(mut stream: TcpStream, log: &Log, answer: Answer, slow: &str) -> Result<()> {
    while let Some(address) = next_address(&mut stream).await? {
        let from = Instant::now();
        let rest = address.strip_prefix("http://").context("no proxy")?;
        let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
        let page = format!("/{path}");
        let times = {
            let log = log.lock().unwrap_or_else(PoisonError::into_inner);
            let seen = log.get(host).into_iter().flatten();
            seen.filter(|seen| seen.page == page).count()
        };
        let (status, more, body) = answer(host, &page, times);
        tokio::time::sleep(if host == slow { SLOW_WORK } else { WORK }).await;
        let to = Instant::now();
        log.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .entry(host.to_owned())
            .or_default()
            .push(Seen { page, from, to });
        if status == 0 {
            return Ok(());
        }
        let head = format!(
            "HTTP/1.1 {status} x\r\nContent-Type: text/html\r\n{more}Content-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(format!("{head}{body}").as_bytes()).await?;
    }
    Ok(())
}

/// A web for a proxy's port; one of its hosts is slow.
async fn web(answer: Answer, slow: &'static str) -> Result<(u16, Log)> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let port = listener.local_addr()?.port();
    let log = Log::default();
    let kept = Arc::clone(&log);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let log = Arc::clone(&kept);
            tokio::spawn(async move {
                let _ = serve(stream, &log, answer, slow).await;
            });
        }
    });
    Ok((port, log))
}

fn crawl(data: &Path, proxy: u16, topic: &str, starts: &str, budget: u32) -> Result<Companion> {
    let (data, budget) = (data.display().to_string(), budget.to_string());
    let (proxy, delay) = (
        format!("http://127.0.0.1:{proxy}"),
        DELAY.as_millis().to_string(),
    );
    Companion::start(&[
        "crawl",
        "--json",
        "--topic",
        topic,
        "--seeds",
        starts,
        "--critic",
        "text has \"kidney\"",
        "--strategy",
        "breadth-first",
        "--budget",
        &budget,
        "--delay",
        &delay,
        "--data",
        &data,
        "--proxy",
        &proxy,
    ])
}

/// Requests that overlapped, and gaps that were too short, over all hosts.
fn faults(log: &Log) -> (usize, usize, usize) {
    let log = log.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut all, mut overlaps, mut early) = (0, 0, 0);
    for seen in log.values() {
        let mut seen = seen.clone();
        seen.sort_by_key(|seen| seen.from);
        all += seen.len();
        for pair in seen.windows(2) {
            overlaps += usize::from(pair[1].from < pair[0].to);
            let gap = pair[1].from.saturating_duration_since(pair[0].to);
            early += usize::from(gap < DELAY);
        }
    }
    (all, overlaps, early)
}

#[tokio::test(flavor = "multi_thread")]
async fn two_crawls_and_many_kills_break_no_delay() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let (proxy, log) = web(to_all_hosts, "none").await?;
    let starts = list(folder.path(), &["http://h0.test/0", "http://h1.test/0"])?;
    let other = crawl(&data, proxy, "trains", &starts, 150)?;
    let asked = |log: &Log| faults(log).0;
    for _ in 0..KILLS {
        let before = asked(&log);
        let mut killed = crawl(&data, proxy, "kidneys", &starts, 150)?;
        wait_for("some requests more", 60, || async {
            Ok((asked(&log) > before + 25).then_some(()))
        })
        .await?;
        killed.kill().await?;
    }
    crawl(&data, proxy, "kidneys", &starts, 150)?
        .finish()
        .await?;
    other.finish().await?;
    let (all, overlaps, early) = faults(&log);
    println!(
        "{all} requests to {HOSTS} hosts by two crawls, {KILLS} kills: {overlaps} at once, {early} too early"
    );
    ensure!(all >= 300 && overlaps == 0 && early == 0);
    Ok(())
}

/// One host asks for a second between requests, one has no time once, of one a connection breaks off.
fn asks_for_time(host: &str, path: &str, times: usize) -> (u16, String, String) {
    match (host, path) {
        ("h1.test", "/robots.txt") => {
            let robots = "User-agent: *\nCrawl-delay: 1\n".to_owned();
            (200, String::new(), robots)
        }
        ("h2.test", "/1") if times == 0 => (429, "Retry-After: 2\r\n".to_owned(), String::new()),
        // A connection that breaks off.
        ("h3.test", "/1") if times == 0 => (0, String::new(), String::new()),
        _ => to_all_hosts(host, path, times),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_that_ask_for_time_get_it_and_nothing_is_lost() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let (proxy, log) = web(asks_for_time, "h4.test").await?;
    let starts = list(folder.path(), &["http://h0.test/0"])?;
    crawl(&data, proxy, "kidneys", &starts, 120)?
        .finish()
        .await?;
    let log = log.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let gaps = |host: &str| -> Vec<Duration> {
        let pairs = log[host].windows(2);
        pairs.map(|pair| pair[1].from - pair[0].to).collect()
    };
    // What it says it says in its robots.txt, so the first page comes as early as any other's.
    let slow = gaps("h1.test");
    ensure!(slow.len() > 3, "{slow:?}");
    ensure!(
        slow[1..].iter().all(|gap| *gap >= Duration::from_secs(1)),
        "{slow:?}"
    );
    // Behind each page.
    let slow = gaps("h4.test");
    let twice = 2 * SLOW_WORK;
    println!("a slow host rested {slow:?}");
    ensure!(slow.len() > 3 && slow[1..].iter().all(|gap| *gap >= twice));
    let busy: Vec<&Seen> = log["h2.test"]
        .iter()
        .filter(|seen| seen.page == "/1")
        .collect();
    ensure!(busy.len() == 2, "{busy:?}");
    let rest = busy[1].from - busy[0].to;
    println!("a host without time rested {rest:?}");
    ensure!(rest >= 30 * DELAY, "{rest:?}");
    let store = Store::open(&data).await?;
    let rows = store.fetches(1).await?;
    let rows: Vec<_> = rows
        .iter()
        .filter(|row| row.address == "http://h2.test/1")
        .collect();
    ensure!(
        rows.len() == 2 && rows[1].place.warc_offset.is_some(),
        "{rows:?}"
    );
    ensure!(rows[0].problem.starts_with("asked again later"), "{rows:?}");
    let broken = log["h3.test"].iter().filter(|seen| seen.page == "/1");
    ensure!(broken.count() == 2);
    let rows = store.fetches(1).await?;
    let mut again = rows.iter().filter(|row| row.address == "http://h3.test/1");
    ensure!(
        again
            .next_back()
            .is_some_and(|row| row.place.warc_offset.is_some())
    );
    // Others were not kept waiting by it.
    ensure!(log["h0.test"].len() > 10);
    Ok(())
}
