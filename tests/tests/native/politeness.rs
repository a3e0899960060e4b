//! One table of politeness for all crawls of a data folder: two programs crawl the same hosts at
//! once, one of them is killed again and again, and the servers see no two requests at once nor one
//! before its time. Hosts that have no time, or ask for more, get it. Where it is asked for, all hosts
//! of a site share one turn, and a day has a budget; hosts on one server are asked one after the other.

use std::path::Path;
use std::sync::PoisonError;
use std::time::Duration;

use anyhow::{Result, ensure};
use linkscent_store::Store;
use linkscent_tests::companion::Companion;
use linkscent_tests::shell::list;
use linkscent_tests::wait_for;
use linkscent_tests::watched_web::{
    DELAY, HOSTS, Log, SLOW_WORK, Seen, faults, faults_of, to_all_hosts, web,
};

const KILLS: usize = 6;

fn crawl(data: &Path, proxy: u16, topic: &str, starts: &str, budget: u32) -> Result<Companion> {
    let proxy = format!("http://127.0.0.1:{proxy}");
    crawl_with(data, topic, starts, budget, &["--proxy", &proxy])
}

fn crawl_with(
    data: &Path,
    topic: &str,
    starts: &str,
    budget: u32,
    more: &[&str],
) -> Result<Companion> {
    let (data, budget) = (data.display().to_string(), budget.to_string());
    let delay = DELAY.as_millis().to_string();
    let arguments = [
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
    ];
    Companion::start(&[&arguments[..], more].concat())
}

/// All hosts as one.
fn together(log: &Log) -> Vec<Seen> {
    let log = log.lock().unwrap_or_else(PoisonError::into_inner);
    log.values().flatten().cloned().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn all_hosts_of_a_site_share_a_turn_where_that_is_asked_for() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let (proxy, log) = web(to_hosts_of_one_site, "none").await?;
    let starts = list(
        folder.path(),
        &["http://h0.site.test/0", "http://h1.site.test/0"],
    )?;
    let proxy = format!("http://127.0.0.1:{proxy}");
    let by_site = ["--proxy", &proxy, "--by-site"];
    crawl_with(&data, "kidneys", &starts, 30, &by_site)?
        .finish()
        .await?;
    let (all, overlaps, early) = faults_of(together(&log));
    println!("{all} requests to {HOSTS} hosts of a site: {overlaps} at once, {early} too early");
    ensure!(all >= 30 && overlaps == 0 && early == 0);
    let hosts = log.lock().unwrap_or_else(PoisonError::into_inner).len();
    ensure!(hosts as u64 == HOSTS, "{hosts}");
    Ok(())
}

fn to_hosts_of_one_site(host: &str, path: &str, times: usize) -> (u16, String, String) {
    let (status, more, body) = to_all_hosts(host, path, times);
    (status, more, body.replace(".test/", ".site.test/"))
}

/// Four servers for a web, each of them by itself on a port of this machine.
fn on_itself(host: &str, path: &str, times: usize) -> (u16, String, String) {
    let (status, more, mut body) = to_all_hosts(host, path, times);
    for other in 0..HOSTS {
        body = body.replace(&format!("http://h{other}.test"), "");
    }
    (status, more, body)
}

#[tokio::test(flavor = "multi_thread")]
async fn hosts_on_one_server_are_asked_one_after_the_other() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let (mut logs, mut starts, mut ports) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..4 {
        let (port, log) = web(on_itself, "none").await?;
        starts.push(format!("http://127.0.0.1:{port}/0"));
        ports.extend(["--allow-port".to_owned(), port.to_string()]);
        logs.push(log);
    }
    let starts: Vec<&str> = starts.iter().map(String::as_str).collect();
    let starts = list(folder.path(), &starts)?;
    let mut more = vec!["--allow-private"];
    more.extend(ports.iter().map(String::as_str));
    crawl_with(&data, "kidneys", &starts, 80, &more)?
        .finish()
        .await?;
    let all: Vec<Seen> = logs.iter().flat_map(together).collect();
    let each: Vec<usize> = logs.iter().map(|log| together(log).len()).collect();
    let (all, overlaps, quick) = faults_of(all);
    println!("{each:?} requests to four hosts on one server: {overlaps} at once");
    ensure!(overlaps == 0 && each.iter().all(|asked| *asked >= 10));
    // Each host rests by itself: the server goes on with another.
    ensure!(quick > 0, "{quick} of {all}");
    ensure!(logs.iter().all(|log| faults(log).2 == 0));
    Ok(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_is_asked_no_more_than_a_day_allows_also_after_a_kill() -> Result<()> {
    const MOST: usize = 7;
    let folder = tempfile::tempdir()?;
    let data = folder.path().join("data");
    let (proxy, log) = web(to_all_hosts, "none").await?;
    let starts = list(folder.path(), &["http://h0.test/0"])?;
    let proxy = format!("http://127.0.0.1:{proxy}");
    let most = MOST.to_string();
    let budget = ["--proxy", &proxy, "--daily-requests", &most];
    // robots.txt is asked for at each start, on whatever day.
    let each = || {
        let log = log.lock().unwrap_or_else(PoisonError::into_inner);
        let pages = |seen: &Vec<Seen>| {
            seen.iter()
                .filter(|seen| seen.page != "/robots.txt")
                .count()
        };
        let asked: Vec<usize> = log.values().map(pages).collect();
        asked
    };
    let day = || linkscent_store::clock::now() / (24 * 60 * 60 * 1_000);
    let begun = day();
    let mut killed = crawl_with(&data, "kidneys", &starts, 100, &budget)?;
    wait_for("some requests", 60, || async {
        Ok((each().iter().sum::<usize>() > 20).then_some(()))
    })
    .await?;
    killed.kill().await?;
    let mut waits = crawl_with(&data, "kidneys", &starts, 100, &budget)?;
    wait_for("all that a day allows", 60, || async {
        let each = each();
        // What was counted as it was killed may not have been sent yet.
        let spent = each.iter().filter(|asked| **asked + 1 >= MOST).count() as u64;
        Ok((spent == HOSTS).then_some(()))
    })
    .await?;
    let store = Store::open(&data).await?;
    // Where the next day is far, it is said that the crawl waits for it.
    let left = 24 * 60 * 60 * 1_000 - linkscent_store::clock::now() % (24 * 60 * 60 * 1_000);
    if left > 65 * 60 * 1_000 {
        wait_for("word that it waits for the next day", 60, || async {
            let said = store.notices(1, Some(1)).await?;
            let is_told = said.iter().any(|said| said.contains("it goes on at"));
            Ok(is_told.then_some(()))
        })
        .await?;
    }
    let each = each();
    waits.kill().await?;
    println!("{each:?} pages of {HOSTS} hosts asked for, {MOST} a day");
    ensure!(
        day() > begun || each.iter().all(|asked| *asked <= MOST),
        "{each:?}"
    );
    let rows = store.fetches(1).await?;
    ensure!(rows.iter().all(|row| row.problem.is_empty()), "{rows:?}");
    Ok(())
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
