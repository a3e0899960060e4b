//! A web of a few hosts that writes down when each of its pages was asked for and answered: whether
//! crawlers ask one after the other, and leave the time between that they are to.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};

use crate::scripted::next_address;
use crate::web::word;

/// Hosts that pages link to.
pub const HOSTS: u64 = 6;
/// How long a host is to rest.
pub const DELAY: Duration = Duration::from_millis(150);
/// What a server needs for an answer.
const WORK: Duration = Duration::from_millis(15);

/// A request as a server sees it.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Its path.
    pub page: String,
    /// When it was asked for.
    pub from: Instant,
    /// When it was answered.
    pub to: Instant,
}

/// By host, in the order in which they came.
pub type Log = Arc<Mutex<BTreeMap<String, Vec<Seen>>>>;

/// What a server needs for one that it has to look up first.
pub const SLOW_WORK: Duration = Duration::from_millis(400);

/// What a page of a host says: status, more lines of the head, body. Status 0 is no answer at all.
pub type Answer = fn(&str, &str, usize) -> (u16, String, String);

/// A page that links to one of each host.
pub fn to_all_hosts(host: &str, path: &str, _: usize) -> (u16, String, String) {
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
    // Something that no other page says: a site that only repeats itself is left.
    let own: String = (1..4).map(|part| word(number * 10 + part) + " ").collect();
    (
        200,
        String::new(),
        format!("<title>{host} {path}</title>kidney dialysis, trains<p>{own}</p>{links}"),
    )
}

async fn serve(mut stream: TcpStream, log: &Log, answer: Answer, slow: &str) -> Result<()> {
    let own = format!("http://{}", stream.local_addr()?);
    while let Some(mut address) = next_address(&mut stream).await? {
        let from = Instant::now();
        if address.starts_with('/') {
            address.insert_str(0, &own);
        }
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
pub async fn web(answer: Answer, slow: &'static str) -> Result<(u16, Log)> {
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

/// Requests that overlapped, and gaps that were too short, over all hosts.
pub fn faults(log: &Log) -> (usize, usize, usize) {
    let log = log.lock().unwrap_or_else(PoisonError::into_inner);
    let (mut all, mut overlaps, mut early) = (0, 0, 0);
    for seen in log.values() {
        let (asked, at_once, too_early) = faults_of(seen.clone());
        all += asked;
        overlaps += at_once;
        early += too_early;
    }
    (all, overlaps, early)
}

/// The same for what shares one turn.
pub fn faults_of(mut seen: Vec<Seen>) -> (usize, usize, usize) {
    seen.sort_by_key(|seen| seen.from);
    let (mut overlaps, mut early) = (0, 0);
    for pair in seen.windows(2) {
        overlaps += usize::from(pair[1].from < pair[0].to);
        let gap = pair[1].from.saturating_duration_since(pair[0].to);
        early += usize::from(gap < DELAY);
    }
    (seen.len(), overlaps, early)
}
